"""Algorithm 2 of Wong 2009 (appendix A), line by line: the dynamic program for credibility.

Plain Python as the paper writes it, with Python's integers. Two errors of the print are corrected:
line 20 has the floor of n_a / l, and the sum for B begins at floor(n_1 / l) + 1.
"""

from fractions import Fraction
from math import comb


def credibility(sizes, n_s, l):
    """Credibility of each class of one generalized group with n_s sensitive people."""
    order = sorted(range(len(sizes)), key=lambda i: sizes[i])  # C_1 is the smallest
    possible = [i for i in order if sizes[i] // l + 1 <= n_s]  # C_1, ..., C_p may break the rule
    p = len(possible)
    size = [0, *(sizes[i] for i in possible)]  # the paper counts from 1
    rest = sum(sizes) - sum(size)  # N: people of C_{p+1}, ..., C_u
    n, m, u = (
        [[[0] * (n_s + 1) for b in range(p + 1)] for a in range(p + 2)] for _ in range(3)
    )  # n[a][b][x] is the paper's n([a, b], x)
    # Phase 1(a): initialization
    for a in range(1, p + 1):
        for x in range(n_s + 1):
            ways = comb(size[a], x)
            m[a][a][x] = ways if x <= size[a] else 0
            u[a][a][x] = ways if x <= size[a] // l else 0
            n[a][a][x] = ways if size[a] // l + 1 <= x <= size[a] else 0
    # The classes before the first and after the last: nobody, in one way
    for a in (1, p + 1):
        for x in range(n_s + 1):
            m[a][a - 1][x] = u[a][a - 1][x] = int(x == 0)
            n[a][a - 1][x] = 0
    # Phase 1(b): recursion
    for x in range(n_s + 1):
        for a in range(p, 0, -1):
            for b in range(a + 1, p + 1):
                total = 0
                for r in range(size[a] + 1):
                    if x - r >= 0:
                        total += comb(size[a], r) * m[a + 1][b][x - r]
                m[a][b][x] = total
                total = 0
                for r in range(size[a] // l + 1):
                    if x - r >= 0:
                        total += comb(size[a], r) * u[a + 1][b][x - r]
                u[a][b][x] = total
    for x in range(n_s + 1):
        for a in range(p, 0, -1):
            for b in range(a + 1, p + 1):
                total = 0
                for r in range(size[a] // l + 1, size[a] + 1):
                    if x - r >= 0:
                        total += comb(size[a], r) * m[a + 1][b][x - r]
                for r in range(size[a] // l + 1):
                    if x - r >= 0:
                        total += comb(size[a], r) * n[a + 1][b][x - r]
                n[a][b][x] = total
    # Phase 2: computing credibility
    found = [None] * len(sizes)  # the program says nothing about classes beyond C_p
    for i in range(1, p + 1):
        belief = Fraction(0)
        for j in range(1, size[i] + 1):
            cases = both = 0  # A and B
            for x in range(size[1] // l + 1, n_s + 1):
                outside = comb(rest, n_s - x)
                inside = 0
                for r in range(x - j + 1):
                    after = x - r - j
                    if j > size[i] // l:
                        inside += m[1][i - 1][r] * m[i + 1][p][after]
                    else:
                        inside += n[1][i - 1][r] * m[i + 1][p][after]
                        inside += u[1][i - 1][r] * n[i + 1][p][after]
                cases += outside * comb(size[i], j) * inside
                both += n[1][p][x] * outside
            belief += Fraction(cases, both) * Fraction(j, size[i])
        found[possible[i - 1]] = belief
    return found
