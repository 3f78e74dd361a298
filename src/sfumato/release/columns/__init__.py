"""What the columns of a release tell: values that name people, columns that give others away."""
