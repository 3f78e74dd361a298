"""What is wrong with this person? Attribute disclosure (Ciriani 2008, section 5)."""
