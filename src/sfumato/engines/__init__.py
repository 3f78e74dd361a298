"""Engines: the only rooms that see rows. Each knows one source and a few complete verbs."""
