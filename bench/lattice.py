"""The lattice of Adult: ours against a plain NumPy twin and against anjana."""

import itertools
import json
import tempfile
from pathlib import Path

import numpy as np
import pyarrow.csv as pc

import sfumato as sf
from common import adult_with_nine_hierarchies, rival, timed
from sfumato.algorithms.lattice.lattice import Lattice

K = 5


def plain(frequencies, k):
    """Every node from the ground: look-ups, one sort, sizes. The obvious NumPy way."""
    ground = frequencies.combinations
    codes = [ground.codes(name) for name in ground.columns]
    trees = [ground.domains[name].taxonomy for name in ground.columns]
    found = {}
    for node in itertools.product(*(range(tree.height + 1) for tree in trees)):
        lows = [tree.low[level][code] for tree, level, code in zip(trees, node, codes, strict=True)]
        key = ground.layout.pack(lows)[:, 0]
        _, inverse = np.unique(key, return_inverse=True)
        sizes = np.bincount(inverse, weights=ground.counts)
        found[node] = int(sizes[sizes < k].sum())
    return found


def ours(frequencies, k):
    lattice = Lattice(frequencies, sf.KAnonymity(k))
    return {node: lattice.n_suppressed(node) for node in lattice.nodes()}


def main():
    table, hierarchies = adult_with_nine_hierarchies()
    columns = list(hierarchies)
    source = sf.read(table, hierarchies)
    frequencies = source.frequencies()
    lattice = Lattice(frequencies, sf.KAnonymity(K))
    print(f"{len(frequencies)} combinations, {lattice.n_nodes} nodes, k = {K}")

    ours(frequencies, K)  # compiled
    fast, found = timed(lambda: ours(frequencies, K), repeat=3)
    slow, expected = timed(lambda: plain(frequencies, K), repeat=1)
    assert found == expected
    print(f"all nodes: {fast:.2f} s, plain NumPy twin {slow:.2f} s: {slow / fast:.1f} times faster")

    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        pc.write_csv(table.select(columns), place / "adult.csv")
        rows = {}
        for name in columns:
            tree = frequencies.domains[name].taxonomy
            rows[name] = [list(map(str, path)) for path in zip(*tree.labels, strict=True)]
        (place / "hierarchies.json").write_text(json.dumps(rows))
        for share in (0.0, 0.05):
            method = sf.Optimal("loss", share)
            seconds, release = timed(
                lambda m=method: sf.anonymize(source, sf.KAnonymity(K), m), repeat=3
            )
            print(f"{method}: {seconds:.2f} s, loss {sf.utility.information_loss(release):.3f}")
            files = (place / "adult.csv", place / "hierarchies.json")
            other = rival("rival_anjana.py", *files, K, share)
            if other is None:
                print("  anjana: not done after 20 minutes")
                continue
            print(
                f"  anjana: {other['seconds']:.2f} s, loss {other['loss']:.3f}, "
                f"{other['suppressed']} rows suppressed: "
                f"{other['seconds'] / seconds:.0f} times slower"
            )


if __name__ == "__main__":
    main()
