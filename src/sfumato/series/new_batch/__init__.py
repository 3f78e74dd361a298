"""A batch that has come: kept until it is published, compared with the series, its rare people."""
