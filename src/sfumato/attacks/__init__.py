"""What an adversary would learn."""
