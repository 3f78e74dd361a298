"""Compile the kernels, which takes two minutes of one core once: tests then find machine code.

`make test` does it beside linting, in two processes. Whatever is not compiled here is compiled by
the first test that needs it.
"""

import subprocess
import sys

import numpy as np
import pyarrow as pa

import sfumato as sf
from sfumato.algorithms import mondrian
from sfumato.algorithms.grouping import anatomy, line
from sfumato.attacks.mechanism import following

N_PEOPLE = 500
DIVERSE = sf.KAnonymity(2) & sf.LDiversity(2, "frequency")


def people(n: int = N_PEOPLE) -> sf.Table:
    """Make up a table: some people, of whom the first have come."""
    rng = np.random.default_rng(0)
    columns = {
        "age": rng.integers(18, 90, N_PEOPLE),
        "area": rng.integers(0, 300, N_PEOPLE),
        "disease": rng.choice(["a", "b", "c", "d", "e"], N_PEOPLE),
    }
    return sf.read(pa.table(columns).slice(0, n), ["age", "area"], "disease")


def compile_searches() -> None:
    """Make releases by methods that search among recodings."""
    table = people()
    skyline = sf.Skyline([(1, 2, 0, "9/10"), (0, 1, 1, "4/5")])
    sf.anonymize(table, skyline, sf.SkylineMondrian())
    of_values = (sf.LDiversity(2, "entropy"), sf.RecursiveDiversity(4, 2))
    for promise in (*of_values, sf.TCloseness(0.1), sf.TCloseness(0.1, "ordered")):
        sf.anonymize(table, promise, sf.Optimal("loss", 0.1))
    sf.anonymize(table, DIVERSE, sf.SensitiveGrouping())
    sf.anonymize(table, DIVERSE, sf.Local())
    sf.anonymize(table, sf.KAnonymity(2), sf.KOptimize(seconds=1))
    for algorithm in ("forest", "meyerson-williams-balls"):
        sf.anonymize(table, DIVERSE, sf.CellSuppression(algorithm))
    for algorithm in ("meyerson-williams", "optimal"):
        sf.anonymize(people(12), sf.KAnonymity(2), sf.CellSuppression(algorithm))


def compile_attacks() -> None:
    """Attack releases of Mondrian and of groupings, and a series of them."""
    table = people()
    for room in (mondrian, following, line, anatomy):
        room.COMPILED = 0  # however few people there are
    for promise in (DIVERSE, sf.KAnonymity(2) & sf.LDiversity(2)):
        sf.audit(sf.anonymize(table, promise, sf.Mondrian()))
    of_few_values = sf.anonymize(table, sf.CKSafety("9/10", 1), sf.Samarati())
    sf.audit(of_few_values)
    sf.knowledge_skyline(of_few_values)
    for method in (sf.Mondrian(strict=False), sf.Incognito(), sf.GreedyGrouping(), sf.Anatomy()):
        sf.audit(sf.anonymize(table, DIVERSE, method))
    chain = [sf.anonymize(people(n), sf.KAnonymity(20), sf.Mondrian()) for n in (300, 400, 500)]
    sf.audit(chain[-1], criterion=sf.BCFAnonymity(5), earlier=chain[:-1])


WORKS = {"searches": compile_searches, "attacks": compile_attacks}

if __name__ == "__main__":
    if len(sys.argv) > 1:
        WORKS[sys.argv[1]]()
    else:
        started = [subprocess.Popen([sys.executable, __file__, work]) for work in WORKS]
        sys.exit(max([process.wait() for process in started]))
