"""Published texts: how intervals of values are written, and read again."""
