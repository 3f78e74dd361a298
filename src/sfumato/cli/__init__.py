"""The command line: the same work, one command each."""

from sfumato.cli.app import main

__all__ = ["main"]
