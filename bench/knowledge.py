"""Breach probabilities of a release: five statistics against the program of Chen 2009, A.3.

The paper's set-up (section 8.1, figure 6): groups of 100 people, 20 values, uniformly distributed,
one value per person; 1 to 5 million records. Both sides work out the breach probability of every
value over all groups, without an early exit (at k = 32 most groups expose somebody at once, and an
early exit would win for nothing), and must agree. CPU time, five runs, the mean of the ratios; the
program, which takes minutes at k = 32, is run once for the larger tables if `--once` is given.

    python bench/knowledge.py [--once] [million records ...]
"""

import sys
import time

import numpy as np

from chen_program import least_odds
from sfumato.data.groups import Histogram
from sfumato.formulas.knowledge import Point, breaches

SIZE, N_VALUES, RUNS = 100, 20, 5
BASE = (10, 10, 10)
FIGURE_6 = (
    [(l, 10, 10) for l in (0, 4, 8, 12, 16)]
    + [(10, k, 10) for k in (0, 8, 16, 24, 32)]
    + [(10, 10, m) for m in (0, 4, 8, 12, 16)]
)


def release(n_records, seed):
    """Counts of every group, and sizes."""
    rng = np.random.default_rng(seed)
    counts = rng.multinomial(SIZE, [1 / N_VALUES] * N_VALUES, size=n_records // SIZE)
    return counts.astype(np.int64), np.full(len(counts), SIZE, dtype=np.int64)


def cpu(work):
    started = time.process_time()
    found = work()
    return time.process_time() - started, found


def compare(n_records, point, once=False):
    """Mean CPU times and the mean ratio over five releases."""
    ours, papers = [], []
    for seed in range(RUNS):
        counts, sizes = release(n_records, seed)
        histogram = Histogram.from_dense(counts)
        fast, found = cpu(lambda h=histogram, s=sizes: breaches(h, s, Point(*point)))
        ours.append(fast)
        if seed and once:
            continue
        slow, odds = cpu(lambda c=counts, s=sizes: least_odds(c, s, *point))
        papers.append(slow)
        np.testing.assert_allclose(found, 1 / (1 + odds), rtol=1e-9)
    ratio = np.mean(papers) / np.mean(ours)
    print(
        f"{n_records / 1e6:g} M, {point!s:>12}: {1000 * np.mean(ours):6.1f} ms, "
        f"the program {np.mean(papers):7.2f} s: {ratio:6.0f} times faster "
        f"(breach {found.max():.4f})",
        flush=True,
    )


def main(arguments):
    once = "--once" in arguments
    millions = [float(each) for each in arguments if each != "--once"] or [1, 5]
    small, sizes = release(10 * SIZE, 0)  # compiles both
    breaches(Histogram.from_dense(small), sizes, Point(1, 1, 1))
    least_odds(small, sizes, 1, 1, 1)
    for million in millions:
        for point in (BASE, (10, 32, 10)):
            compare(int(million * 1e6), point, once)
    for point in FIGURE_6:
        compare(int(millions[0] * 1e6), point, once)


if __name__ == "__main__":
    main(sys.argv[1:])
