"""Pure mathematics on counts: numbers and arrays in, numbers out."""
