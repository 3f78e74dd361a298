"""Slow, obvious twins of what sfumato computes: the truth that fast results are compared with.

Plain Python on plain tables. A row is a tuple; a column is a position in it. A hierarchy is a list
of rows of labels, one per ground value: `(ground, level 1, ..., root)`. Hierarchies generalize the
first `len(hierarchies)` columns of a row; what stands behind them is carried along. A node of the
lattice is a tuple of levels. A criterion is a function of one group (a list of rows) to bool.

The parts mirror the rooms of `src/sfumato`; a test imports the ones it needs
(`import naive.lattice`).
"""
