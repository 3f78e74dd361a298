"""From a source to the rows that are meant: opened, converted, looked at, put together."""
