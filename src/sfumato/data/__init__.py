"""Core types: schema, hierarchies, frequency sets, groups, recodings."""
