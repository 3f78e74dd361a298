"""Mondrian by anonypy on the Adult census table; prints seconds and groups."""

import json
import sys
import time

import anonypy
import pandas as pd

source, columns, sensitive, k = sys.argv[1:]
names = columns.split(",")
table = pd.read_csv(source)
for name in names:
    if table[name].dtype == object:
        table[name] = table[name].astype("category")
table[sensitive] = table[sensitive].astype("category")
started = time.perf_counter()
rows = anonypy.Preserver(table, names, sensitive).anonymize_k_anonymity(k=int(k))
seconds = time.perf_counter() - started
groups = {tuple(str(row[name]) for name in names) for row in rows}
print(json.dumps({"seconds": seconds, "groups": len(groups)}))
