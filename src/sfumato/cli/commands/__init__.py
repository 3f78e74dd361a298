"""The commands, a file for each or for a group; what is defined here is found."""
