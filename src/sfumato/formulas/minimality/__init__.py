"""Beliefs of an adversary who knows the method (Wong 2009, Cormode 2010): worlds, counted."""
