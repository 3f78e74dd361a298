"""Full-domain generalization: the lattice of levels, and four ways to search it."""
