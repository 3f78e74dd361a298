"""Which points lie in which boxes."""
