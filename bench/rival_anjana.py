"""k-anonymity by anjana on the Adult census table; prints seconds, losses, groups and memory.

Runs in the rivals' own environment: `rival_anjana.py table.csv hierarchies.json k share`.
"""

import json
import resource
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
started, spent = time.perf_counter(), time.process_time()
found = k_anonymity(table, [], list(rows), int(k), float(share) * 100, levels)
seconds, cpu = time.perf_counter() - started, time.process_time() - spent

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
sizes = found.groupby(list(rows), observed=True).size() if len(found) else pd.Series([], dtype=int)
print(
    json.dumps(
        {
            "seconds": seconds,
            "cpu": cpu,
            "loss": loss,
            "suppressed": suppressed,
            "groups": len(sizes),
            "discernibility": int((sizes**2).sum()) + suppressed * len(table),
            "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
        }
    )
)
