"""MASK on Adult: how much of the time goes into its own steps, 2 to 4.

    python bench/mask.py

The table of Wong 2009, section 7: 45,222 rows, the quasi-identifiers of table XXII in its order,
low education sensitive. Step 1 is the method that makes the groups; the paper says that it takes
over 98 % of the time. Seconds of the processor, the best of three runs after the first.
"""

import time
from dataclasses import dataclass

import numpy as np

import sfumato as sf
from sfumato.papers.wong2009.setting import LOW, QUASI_IDENTIFIERS, adult_table


@dataclass(frozen=True)
class _Timed(sf.Algorithm):
    """A method, and the time that it takes."""

    method: sf.Algorithm

    def search(self, frequencies, criterion, draw):
        started = time.process_time()
        found = self.method.search(frequencies, criterion, draw)
        spent.append(time.process_time() - started)
        return found


spent = []


def measured(table, method, k, l):
    """Seconds of step 1 and of the others, with what was decided."""
    mask = sf.Mask(k, l, LOW, _Timed(method))
    found = None
    best = (float("inf"), 0.0)
    for _ in range(4):
        spent.clear()
        started = time.process_time()
        try:
            found = mask.search(table.frequencies(), sf.KAnonymity(k), np.random.bytes)
        except sf.Unsatisfiable:
            found = None
        whole = time.process_time() - started
        best = min(best, (whole, spent[0]))
    return *best, found


def main():
    """Print a line for each setting."""
    print("method             |QI|   k   l  seconds  steps 2-4  share  changed")
    for n in (3, 8):
        table = adult_table(QUASI_IDENTIFIERS[:n])
        for method in (sf.TopDown(), sf.Mondrian()):
            for k, l in ((2, 2), (10, 2), (20, 10)):
                whole, first, found = measured(table, method, k, l)
                own = whole - first
                changed = "refused" if found is None else f"{found.n_changed:,}"
                print(
                    f"{method!s:18} {n:4} {k:4} {l:3} {whole:8.3f} {own:10.4f} {own / whole:6.1%} "
                    f"{changed:>8}"
                )


if __name__ == "__main__":
    main()
