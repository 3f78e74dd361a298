"""A DuckDB that spills into a private place, is closed down, and whose errors name no value."""
