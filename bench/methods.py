"""What knowing the method gives away, of ten million people in some 200,000 groups.

The attack against making the release (reading, counting, searching), in the same run. Mondrian is
attacked by minimality, a grouping method by how it forms groups.

    python bench/methods.py [rows]
"""

import sys
import tempfile
import time
from pathlib import Path

import sfumato as sf
from ten_million import N_ROWS, generate

RARE = ["disease 8", "disease 9", "disease 10", "disease 11"]
CASES = [
    (sf.Mondrian(), sf.KAnonymity(30) & sf.LDiversity(4), sf.attacks.Minimality()),
    (
        sf.Mondrian(),
        sf.KAnonymity(30) & sf.LDiversity(6, "frequency", values=RARE, pooled=True),
        sf.attacks.Minimality(),
    ),
    (
        sf.GreedyGrouping(),
        sf.LDiversity(30, "frequency", values=["disease 10"]),
        sf.attacks.MethodBased(),
    ),
    (
        sf.RandomizedGrouping(0.5),
        sf.LDiversity(20, "frequency", values=["disease 10"]),
        sf.attacks.MethodBased(),
    ),
    (sf.SymmetricGrouping(), sf.LDiversity(3, "frequency"), sf.attacks.MethodBased()),
]


def main(n_rows):
    """Make every release once, and attack it."""
    with tempfile.TemporaryDirectory() as place:
        source = Path(place) / "people.csv"
        generate(source, n_rows)
        for method, criterion, attack in CASES:
            table = sf.read(
                source,
                {
                    "age": sf.Intervals(5, 10, 20),
                    "zip": sf.Prefix(),
                    "sex": sf.Flat(),
                    "education": sf.Flat(),
                },
                sensitive="disease",
            )
            start = time.perf_counter()
            release = sf.anonymize(table, criterion, method)
            made = time.perf_counter()
            target = sf.attacks.Target.of(release)  # published, read back and checked
            seen = time.perf_counter()
            finding = attack.find(target)
            end = time.perf_counter()
            print(
                f"{method}, {criterion}: {len(release.sizes)} groups; made in "
                f"{made - start:.1f} s, published and read in {seen - made:.1f} s, attacked in "
                f"{end - seen:.1f} s "
                f"({(end - seen) / (made - start):.2f} times the making)\n    {finding}",
                flush=True,
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else N_ROWS)
