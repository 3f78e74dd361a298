"""A release beside the earlier ones of the same people."""
