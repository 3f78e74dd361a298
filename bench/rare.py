"""A series in which one person in a hundred is rare, beside one release of the same people.

Every month a batch comes in which one person in a hundred has a value that hardly anybody has: an
age past 80, no region, or a third sex. Information loss of the last release of the series, in which
everything is lost of people who are left out, as a ratio to that of one release of all the same
records by the same method, after the same people were left out; and to one in which nobody is rare.
Beside it what it costs to keep them.

Tails can be coded of numbers only, so that is a case of its own: every hundredth person is past 80,
and ages are one value from a bound on. Where the bound is inside of a wider range, what is next to
the tail can be made wider only together with everything.

    python bench/rare.py [rows per month] [months]
"""

import argparse
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

import sfumato as sf

K = 20
RULES = {
    "age": sf.Intervals(5, 10, 20),
    "region": sf.Prefix(),
    "sex": sf.Flat(),
}


def month(number, n, rare):
    """People of one month; `rare`: every hundredth of them has a value that hardly anybody has."""
    draw = np.random.default_rng(number)
    frame = pd.DataFrame(
        {
            "person": np.arange(n) + number * n,
            "age": draw.integers(20, 80, n),
            "region": [f"{each:02}" for each in draw.integers(10, 50, n)],
            "sex": draw.choice(["f", "m"], n),
            "disease": draw.choice([f"d{v:02}" for v in range(12)], n),
        }
    )
    if rare:
        old, nowhere, third = (np.arange(start, n, 300) for start in (0, 100, 200))
        frame.loc[old, "age"] = draw.integers(80, 100, len(old))
        frame.loc[nowhere, "region"] = None
        frame.loc[third, "sex"] = "x"
    return frame


def old_month(number, n):
    """People of one month, of whom every hundredth is past 80."""
    frame = month(number, n, rare=False)
    old = np.arange(0, n, 100)
    frame.loc[old, "age"] = np.random.default_rng(1000 + number).integers(80, 100, len(old))
    return frame


def in_series(place, months, rare, top=None):
    """Publish month after month; give what came of the last."""
    series = started(place, top)
    return [series.publish(batch, rare=rare) for batch in months][-1]


def started(place, top=None):
    return sf.ReleaseSeries.create(
        place,
        quasi_identifiers=RULES | {"age": sf.Intervals(5, 10, 20, top=top)},
        criterion=sf.KAnonymity(K),
        sensitive="disease",
        person="person",
        format="parquet",
        method=sf.BCFAnonymizer(score="loss"),
    )


def alone(frames, rare="suppress", top=None):
    """One release of some months at once, in a series of its own; give its loss."""
    with tempfile.TemporaryDirectory() as place:
        done = in_series(Path(place) / "alone", [pd.concat(frames)], rare, top)
    return done.summary.numbers["information_loss"]


def main():
    """Print the losses and their ratios."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("rows", type=int, nargs="?", default=1500, help="per month")
    parser.add_argument("months", type=int, nargs="?", default=6)
    asked = parser.parse_args()
    common = [month(j, asked.rows, rare=False) for j in range(asked.months)]
    odd = [month(j, asked.rows, rare=True) for j in range(asked.months)]
    single = alone(common)
    print(f"one release of {asked.rows * asked.months:,} people, none rare: loss {single:.3f}")
    with tempfile.TemporaryDirectory() as place:
        series = in_series(Path(place) / "common", common, None)
        tell("none rare", series, single)
        left = in_series(Path(place) / "left", odd, "suppress")
        frames = [each[~rare_rows(each)] for each in odd]
        n_out = sum(map(len, odd)) - sum(map(len, frames))
        n_all = sum(map(len, odd))
        same = (alone(frames) * (n_all - n_out) + n_out) / n_all
        print(f"one release, one in a hundred rare and left out: loss {same:.3f}")
        tell("one in a hundred rare, left out", left, same)
        tell("the same, beside one release in which nobody is rare", left, single)
        tell("one in a hundred rare, kept", in_series(Path(place) / "kept", odd, "keep"), same)
        past = [old_month(j, asked.rows) for j in range(asked.months)]
        for top in (60, 70):
            coded = in_series(Path(place) / f"coded {top}", past, "keep", top)
            single = alone(past, "keep", top)
            tell(f"one in a hundred past 80, ages from {top} coded as one", coded, single)


def rare_rows(frame):
    """Say who has a rare value."""
    return (frame["age"] >= 80) | frame["region"].isna() | (frame["sex"] == "x")


def tell(name, done, single):
    """Print the loss of the last release of a series, and its ratio to that of a single one."""
    loss = done.summary.numbers["information_loss"]
    print(
        f"series, {name}: loss {loss:.3f}, {loss / single:.2f} times one release; "
        f"{done.n_suppressed} left out"
    )


if __name__ == "__main__":
    main()
