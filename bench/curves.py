"""What a release costs as rows, combinations, quasi-identifiers and k grow: points of plots.

Seconds of CPU from an Arrow table to the recoding, beside DuckDB's counting of the same columns in
the same run, on one thread.
"""

import time

import numpy as np
import pyarrow as pa

import sfumato as sf
from common import adult_with_nine_hierarchies, seconds_of
from record import Figure

METHODS = {"Optimal, 5 %": sf.Optimal("loss", 0.05), "Mondrian": sf.Mondrian()}
RULES = {"age": sf.Intervals(5, 10, 20), "zip": sf.Prefix(), "sex": sf.Flat()}


def people(n_rows, n_zips):
    """Made-up people: more zip codes are more combinations."""
    draw = np.random.default_rng(7)
    return pa.table(
        {
            "age": draw.integers(18, 98, n_rows),
            "zip": [f"{each:05}" for each in draw.integers(0, n_zips, n_rows)],
            "sex": draw.choice(["f", "m"], n_rows),
        }
    )


def counted(table, columns):
    """CPU seconds of DuckDB's counting of the combinations."""
    import duckdb

    names = ", ".join(f'"{name}"' for name in columns)
    best = float("inf")
    with duckdb.connect(config={"threads": 1}) as connection:
        connection.register("people", table)
        for _ in range(3):
            started = time.process_time()
            connection.execute(
                "CREATE OR REPLACE TABLE counted AS "
                f"SELECT {names}, count(*) FROM people GROUP BY ALL"
            )
            best = min(best, time.process_time() - started)
    return best


def points(curve, at, table, rules, k=5):
    floor = counted(table, list(rules))
    for name, method in METHODS.items():

        def work(method=method):
            sf.anonymize(sf.read(table, rules), sf.KAnonymity(k), method)

        yield Figure(
            f"{name}, {at:,} {curve}",
            seconds_of(work, 2),
            "DuckDB counts",
            floor,
            more=False,
            curve=f"{curve}: {name}",
            at=at,
        )


def rows():
    """Rows: made-up people of three quasi-identifiers, k = 5."""
    for n_rows in (10_000, 30_000, 100_000, 300_000, 1_000_000):
        yield from points("rows", n_rows, people(n_rows, 1_000), RULES)


def combinations():
    """Combinations: more zip codes, 300,000 people."""
    for n_zips in (10, 100, 1_000, 5_000):
        table = people(300_000, n_zips)
        n = table.group_by(list(RULES)).aggregate([]).num_rows
        yield from points("combinations", n, table, RULES)


def quasi_identifiers():
    """Quasi-identifiers: Adult by two to nine of them."""
    table, hierarchies = adult_with_nine_hierarchies()
    for n in range(2, len(hierarchies) + 1):
        chosen = dict(list(hierarchies.items())[:n])
        yield from points("quasi-identifiers", n, table, chosen)


def ks():
    """k: Adult by nine quasi-identifiers."""
    table, hierarchies = adult_with_nine_hierarchies()
    for k in (2, 5, 10, 25, 50, 100, 250):
        yield from points("for k", k, table, hierarchies, k)


BENCHMARKS = [rows, combinations, quasi_identifiers, ks]


def page(figures):
    """All curves as one page that needs nothing else."""
    import plotly.graph_objects as go
    from plotly.subplots import make_subplots

    figures = [each for each in figures if each.curve]
    if not figures:
        return "<!doctype html><title>Nothing was measured</title>"
    subjects = list(dict.fromkeys(each.curve.split(": ")[0] for each in figures))
    drawing = make_subplots(len(subjects), 2, subplot_titles=[""] * 2 * len(subjects))
    for row, subject in enumerate(subjects, start=1):
        for curve in dict.fromkeys(each.curve for each in figures):
            if curve.split(": ")[0] != subject:
                continue
            own = [each for each in figures if each.curve == curve]
            at = [each.at for each in own]
            label = curve.split(": ")[1]
            for column, values in enumerate(
                ([each.ours for each in own], [each.ratio for each in own]), start=1
            ):
                line = go.Scatter(x=at, y=values, name=label, mode="lines+markers")
                drawing.add_trace(line.update(showlegend=row == column == 1), row, column)
        kind = "linear" if subject == "quasi-identifiers" else "log"
        for column, title in enumerate(("CPU seconds", "times DuckDB's counting"), start=1):
            drawing.update_xaxes(title_text=subject, type=kind, row=row, col=column)
            drawing.update_yaxes(title_text=title, type="log", row=row, col=column)
    drawing.update_layout(height=330 * len(subjects), title="What a release costs")
    return drawing.to_html(include_plotlyjs=True, full_html=True)
