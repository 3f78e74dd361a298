"""Beliefs of an adversary who knows something of people (Chen 2009, Martin's implications)."""
