"""Full-domain generalization: the lattice of levels, and five ways to search it."""
