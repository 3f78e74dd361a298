"""Breach probabilities of a release: five statistics against the program of Chen 2009, A.3.

The paper's set-up (section 8.1, figure 6): groups of 100 people, 20 values, uniformly distributed,
one value per person; 1 to 5 million records. Both sides work out the breach probability of every
value over all groups, without an early exit (at k = 32 most groups expose somebody at once, and an
early exit would win for nothing), and must agree. CPU time, five runs, the ratio of the means; the
program, which takes minutes at k = 32, is run once for the larger tables if `--once` is given.
`sfumato reproduce chen2009` draws the figure from the same functions.

    python bench/knowledge.py [--once] [million records ...]
"""

import sys

from sfumato.papers.chen2009.checking import BASE, MILLION, PLACES, RUNS, compare


def show(n_records, point, once):
    found = compare(n_records, point, RUNS, 1 if once else RUNS)
    print(
        f"{n_records / MILLION:g} M, {tuple(point)!s:>12}: {1000 * found.ours:6.1f} ms, "
        f"the program {found.program:7.2f} s: {found.ratio:6.0f} times faster "
        f"(breach {found.breach:.4f})",
        flush=True,
    )


def main(arguments):
    once = "--once" in arguments
    sizes = [int(float(each) * MILLION) for each in arguments if each != "--once"]
    sizes = sizes or [MILLION, 5 * MILLION]
    for n_records in sizes:
        for point in (BASE, BASE._replace(k=32)):
            show(n_records, point, once)
    for letter, places in PLACES.items():
        for x in places:
            show(sizes[0], BASE._replace(**{letter: x}), once)


if __name__ == "__main__":
    main(sys.argv[1:])
