"""Releases: made from a table, checked on what is published, saved whole or not at all."""

from sfumato.release.anonymize import anonymize
from sfumato.release.check import Check, check
from sfumato.release.release import Release, load

__all__ = ["Check", "Release", "anonymize", "check", "load"]
