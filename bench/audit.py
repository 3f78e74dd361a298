"""An audit against the release that it is about: seconds of CPU in the same run, and their ratio.

The release is read from its file and searched. It is audited as it was made, saved and loaded, and
loaded with the original beside it.

    python bench/audit.py [--rows 100000 1000000]
"""

import argparse
import tempfile
from pathlib import Path

import sfumato as sf
from mechanism import made_up, seconds

K = sf.KAnonymity(5)
K_AND_L = K & sf.LDiversity(3)
CASES = [
    (sf.Mondrian(), K),
    (sf.Mondrian(), K_AND_L),
    (sf.Optimal("loss", max_suppressed=0.01), K),
    (sf.Optimal("loss", max_suppressed=0.01), K_AND_L),
    (sf.Optimal("loss"), K_AND_L),
]


def measured(read, method, criterion, target):
    """Release and audit once; give the seconds of the release, and of the audits by their names."""
    release, spent = seconds(lambda: sf.anonymize(read(), criterion, method))
    audits = {"as made": seconds(lambda: sf.audit(release))[1]}
    release.save(target)
    audits["loaded"] = seconds(lambda: sf.audit(sf.load(target)))[1]
    table = read()
    table.frequencies()
    audits["with the original"] = seconds(lambda: sf.audit(sf.load(target), table))[1]
    return spent, audits


def main():
    """Print a row for each case; each is run twice, the first time to load and compile."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[100_000, 1_000_000])
    with tempfile.TemporaryDirectory() as folder:
        print("| rows | method, promise | release | audit as made | loaded | with the original |")
        print("|---|---|---|---|---|---|")
        for n_rows in parser.parse_args().rows:
            read = made_up(folder, n_rows)
            for number, (method, criterion) in enumerate(CASES):
                for turn in range(2):
                    target = Path(folder) / f"{n_rows}-{number}-{turn}"
                    spent, audits = measured(read, method, criterion, target)
                cells = [f"{each:.2f} s, {each / spent:.1f} times" for each in audits.values()]
                named = f"{n_rows} | {method}, {criterion}"
                print(f"| {named} | {spent:.2f} s | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
