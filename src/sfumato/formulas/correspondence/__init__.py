"""What several releases of the same people leave of each (Fung 2008)."""
