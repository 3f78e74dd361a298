"""Compile the kernels, which takes a minute once: tests then find machine code.

`make test` does it beside linting, which leaves a core idle. Whatever is not compiled here is
compiled by the first test that needs it.
"""

import numpy as np
import pyarrow as pa

import sfumato as sf
from sfumato.algorithms import mondrian
from sfumato.algorithms.grouping import anatomy, line
from sfumato.attacks.mechanism import following


def people(n: int) -> sf.Table:
    """Make up a table."""
    rng = np.random.default_rng(0)
    columns = {
        "age": rng.integers(18, 90, n),
        "area": rng.integers(0, 300, n),
        "disease": rng.choice(["a", "b", "c", "d", "e"], n),
    }
    return sf.read(pa.table(columns), ["age", "area"], "disease")


def main() -> None:
    """Make releases that need them, and attack them."""
    table = people(500)
    diverse = sf.KAnonymity(2) & sf.LDiversity(2, "frequency")
    skyline = sf.Skyline([(1, 2, 0, "9/10"), (0, 1, 1, "4/5")])
    sf.anonymize(table, skyline, sf.SkylineMondrian())
    for room in (mondrian, following, line, anatomy):
        room.COMPILED = 0  # however few people there are
    for promise in (diverse, sf.KAnonymity(2) & sf.LDiversity(2)):
        sf.audit(sf.anonymize(table, promise, sf.Mondrian()))
    of_few_values = sf.anonymize(table, sf.CKSafety("9/10", 1), sf.Samarati())
    sf.audit(of_few_values)
    sf.knowledge_skyline(of_few_values)
    for method in (sf.Mondrian(strict=False), sf.Incognito(), sf.GreedyGrouping(), sf.Anatomy()):
        sf.audit(sf.anonymize(table, diverse, method))
    chain = []
    for n in (300, 400, 500):
        promise, method = sf.BCFAnonymity(2), sf.BCFAnonymizer(previous=chain)
        chain.append(sf.anonymize(people(n), promise, method))
    sf.audit(chain[-1], earlier=chain[:-1])


if __name__ == "__main__":
    main()
