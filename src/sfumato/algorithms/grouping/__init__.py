"""Methods that publish two tables: people put into groups, quasi-identifiers as they are."""
