"""Releases as everybody sees them."""
