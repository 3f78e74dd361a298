"""Mondrian by anonypy on the Adult census table; prints seconds, loss, groups and memory.

Loss as ours: other ground values that a published text covers, out of all others of the column.
"""

import json
import resource
import sys
import time
from collections import Counter

import anonypy
import pandas as pd

source, columns, sensitive, k = sys.argv[1:]
names = columns.split(",")
table = pd.read_csv(source)
for name in names:
    if table[name].dtype == object:
        table[name] = table[name].astype("category")
table[sensitive] = table[sensitive].astype("category")
started, spent = time.perf_counter(), time.process_time()
rows = anonypy.Preserver(table, names, sensitive).anonymize_k_anonymity(k=int(k))
seconds, cpu = time.perf_counter() - started, time.process_time() - spent
groups = Counter()
for row in rows:
    texts = [row[name][0] if isinstance(row[name], list) else row[name] for name in names]
    groups[tuple(map(str, texts))] += int(row["count"])

ground = {name: table[name].unique() for name in names}


def covered(name, text):
    """How many ground values a published text stands for."""
    if table[name].dtype.kind in "if":
        low, _, high = text.partition("-")
        return int(((ground[name] >= float(low)) & (ground[name] <= float(high or low))).sum())
    return len(text.split(","))


lost = 0.0
for texts, n in groups.items():
    for name, text in zip(names, texts, strict=True):
        lost += n * (covered(name, text) - 1) / max(len(ground[name]) - 1, 1)
sizes = list(groups.values())
print(
    json.dumps(
        {
            "seconds": seconds,
            "cpu": cpu,
            "groups": len(groups),
            "loss": lost / len(table) / len(names),
            "suppressed": len(table) - sum(sizes),
            "discernibility": sum(n * n for n in sizes),
            "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss,
        }
    )
)
