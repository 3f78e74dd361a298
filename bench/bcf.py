"""The next release of a growing table over wide taxonomies: incremental against from scratch.

Both make the same greedy search. Incremental: a candidate costs as much as there are people under
it. From scratch: for every candidate the whole release is counted and attacked anew, in closed form
too. CPU time of the search alone; the two cuts have to be the same.

    python bench/bcf.py [rows]
"""

import sys
import time

import numpy as np
import pyarrow as pa

import sfumato as sf
from sfumato.algorithms.bcf.specialization import (
    ALWAYS,
    NEVER,
    OPEN,
    WAITING,
    Specialization,
    Tried,
)
from sfumato.formulas.correspondence.pair_flows import attack

K = 10
SHAPES = {  # children of every node, level by level, per column
    "4 columns of 64 values, 4 x 4 x 4": [(4, 4, 4)] * 4,
    "3 columns of 1,000 values, 10 x 10 x 10": [(10, 10, 10)] * 3,
    "2 columns of 2,000 values, 40 x 50": [(40, 50)] * 2,
}


class FromScratch(Specialization):
    """The same search without anything kept from one candidate to the next."""

    def judge(self, split):
        release = self.classes(split)
        if (release.sizes < self.k).any():
            return NEVER
        looks = tuple(each.look(split, *self._classes(split)) for each in self.against)
        for first in self.previous:
            fa, ca, ba = attack(first, release).anonymity
            if ba < self.k:
                return NEVER
            if min(fa, ca) < self.k:
                return Tried(WAITING, ALWAYS)
        return Tried(OPEN, ALWAYS, looks)


def tree(name, shape):
    """A tree in which every node of a level has as many children."""
    if len(shape) == 1:
        return [f"{name}.{j}" for j in range(shape[0])]
    return {f"{name}.{j}": tree(f"{name}.{j}", shape[1:]) for j in range(shape[0])}


def people(shapes, n, draw):
    """People who are spread unevenly over the values."""
    columns = {}
    for j, shape in enumerate(shapes):
        size = int(np.prod(shape))
        place = np.minimum((draw.beta(1, 1.5, n) * size).astype(int), size - 1)
        parts = np.stack(np.unravel_index(place, shape), axis=1)
        columns[f"c{j}"] = [".".join([f"c{j}", *map(str, each)]) for each in parts.tolist()]
    columns["s"] = draw.choice([f"s{v}" for v in range(20)], n, p=_shares(20))
    return pa.table(columns)


def _shares(n):
    shares = 1 / np.arange(1, n + 1)
    return shares / shares.sum()


def main(n_rows):
    """Publish half of the people, then all of them, both ways."""
    for name, shapes in SHAPES.items():
        source = people(shapes, n_rows, np.random.default_rng(1))
        rules = {f"c{j}": sf.Tree(tree(f"c{j}", shape)) for j, shape in enumerate(shapes)}
        first = sf.anonymize(
            sf.read(source.slice(0, n_rows // 2), rules, sensitive="s"),
            sf.BCFAnonymity(K),
            sf.BCFAnonymizer(),
        )
        frequencies = sf.read(source, rules, sensitive="s").frequencies()
        previous = sf.BCFAnonymizer([first]).earlier_classes(frequencies)
        found = {}
        for kind in (Specialization, FromScratch):
            search = kind(frequencies, previous, K, None, "discernibility")
            started = time.process_time()
            nodes = search.run()
            found[kind] = (time.process_time() - started, nodes, len(search.classes()))
        (fast, nodes, n_classes), (slow, twin, _) = found.values()
        same = "the same cut" if nodes == twin else "NOT THE SAME CUT"
        print(
            f"{name}: {len(nodes)} replacements, {n_classes} classes after {len(first.sizes)}: "
            f"{fast:.2f} s, from scratch {slow:.2f} s, {slow / fast:.1f} times faster, {same}"
        )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
