"""What is measured of groups: diversity, closeness, disclosure, recognition, loss, queries."""
