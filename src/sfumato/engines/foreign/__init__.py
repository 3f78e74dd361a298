"""Sources that are no text and no Parquet: converted once, and read from a private place."""
