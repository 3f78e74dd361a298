"""What a cold process does for table.py: read, search, save, and nothing of the benchmarks loaded.

python bench/cold.py FILE TARGET SHARE FOLDER     # of hierarchies; empty: those of the package
"""

import sys
from pathlib import Path

import sfumato as sf


def main(path, target, share, folder):
    files = Path(folder).glob("adult_hierarchy_*.csv") if folder else ()
    trees = {each.stem.removeprefix("adult_hierarchy_"): each for each in sorted(files)}
    hierarchies = {name: sf.Hierarchy.from_csv(each) for name, each in trees.items()}
    table = sf.read(path, hierarchies or sf.datasets.adult_hierarchies())
    sf.anonymize(table, sf.KAnonymity(5), sf.Optimal("loss", float(share))).save(target)


if __name__ == "__main__":
    main(*sys.argv[1:])
