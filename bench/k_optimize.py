"""k-Optimize on Adult with all split points: the best and the gap over time, one run per setting.

Seconds are processor time of the one thread that searches, so that they are the same on a machine
that others use, too. Costs are by nine quasi-identifiers; "class" has salary-class as the class,
and so eight: as a quasi-identifier that would tell classes apart for nothing.

    python bench/k_optimize.py --k 25 --cost class --seconds 60
"""

import argparse
import time

import sfumato as sf
from common import adult_with_nine_hierarchies
from sfumato.algorithms.k_optimize.anytime import Anytime

SHOWN = (10, 60, 600)  # seconds
CLASS = "salary-class"


def searched(k, cost, seconds):
    """Run once, and print what there is after some seconds, and when it is proved."""
    rows, trees = adult_with_nine_hierarchies()
    classes = None
    if cost == "class":
        classes = CLASS if CLASS in trees else "salary"
        del trees[classes]
    table = sf.read(rows, trees, classes or ())
    frequencies = table.frequencies()
    work = Anytime(frequencies, k, cost, classes, frequencies.n_rows - 1)
    started = time.process_time()
    waiting = [*(each for each in SHOWN if each < seconds), seconds]

    def passed():
        return time.process_time() - started

    def show(after):
        gap = work.cost - work.least
        share = float(gap / work.cost) if work.cost else 0.0
        print(
            f"{k:4}  {cost:14} {after:5.0f} s  {work.nodes.n_nodes:9,}  {float(work.cost):14,.6g}  "
            f"{float(work.least):14,.6g}  {share:6.1%}",
            flush=True,
        )

    for _ in work.run(lambda: passed() >= seconds):
        while waiting[1:] and passed() >= waiting[0]:
            show(waiting.pop(0))
    show(passed())  # time is over, or it is proved
    print("splits:", *sorted(work.index_set), flush=True)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--k", type=int, nargs="*", default=[5, 10, 25, 50])
    arguments.add_argument("--cost", nargs="*", default=["discernibility", "class"])
    arguments.add_argument("--seconds", type=float, default=600)
    asked = arguments.parse_args()
    print("   k  cost              time      nodes            best           least     gap")
    for cost in asked.cost:
        for k in asked.k:
            searched(k, cost, asked.seconds)


if __name__ == "__main__":
    main()
