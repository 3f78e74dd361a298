"""Compiled loops of `SkylineMondrian`."""
