"""k-anonymity by anjana on the Adult census table; prints seconds, loss and suppressed rows.

Runs in the rivals' own environment: `rival_anjana.py table.csv hierarchies.json k share`.
"""

import json
import sys
import time
from pathlib import Path

import pandas as pd
from anjana.anonymity import k_anonymity

source, hierarchies, k, share = sys.argv[1:]
table = pd.read_csv(source, dtype=str)
rows = json.loads(Path(hierarchies).read_text())  # {column: [[ground, level 1, ..., root], ...]}
levels = {
    name: {level: [labels[level] for labels in paths] for level in range(len(paths[0]))}
    for name, paths in rows.items()
}
started = time.perf_counter()
found = k_anonymity(table, [], list(rows), int(k), float(share) * 100, levels)
seconds = time.perf_counter() - started

coverage = {}
for name, paths in rows.items():
    for level in range(len(paths[0])):
        names = [labels[level] for labels in paths]
        coverage |= {(name, label): names.count(label) for label in names}
loss = 0.0
for name, paths in rows.items():
    loss += sum((coverage[name, value] - 1) / (len(paths) - 1) for value in found[name])
loss /= len(rows)
suppressed = len(table) - len(found)
loss = (loss + suppressed) / len(table)
print(json.dumps({"seconds": seconds, "loss": loss, "suppressed": suppressed}))
