"""How well the methods answer COUNT queries (figure 5)."""

from __future__ import annotations

import math
from collections.abc import Callable

from sfumato.algorithms import (
    Algorithm,
    Anatomy,
    GreedyGrouping,
    OneGroup,
    RandomizedGrouping,
    SymmetricGrouping,
)
from sfumato.criteria import LDiversity
from sfumato.papers.census import SEED
from sfumato.papers.cormode2010.risks import VALUES, L
from sfumato.papers.reproduction import Claim, Panel
from sfumato.progress import report
from sfumato.release import Release, anonymize
from sfumato.report.page.line_chart import Chart
from sfumato.table import Table
from sfumato.utility import QueryError, average_group_size, query_error

P = 0.65
METHODS: dict[str, Algorithm] = {
    "Base": OneGroup(),
    "Base(Ana)": Anatomy(seed=SEED),
    "SG": SymmetricGrouping(seed=SEED),
    "SG(Ana)": SymmetricGrouping(anatomize=True, seed=SEED),
    "RGG": RandomizedGrouping(P, seed=SEED),
    "RGG(Ana)": RandomizedGrouping(P, anatomize=True, seed=SEED),
}
PLAIN = [name for name in METHODS if "Ana" not in name]
DIMENSION, SELECTIVITY = 3, 0.5
# Most queries of many columns match nobody and are left out, so more of them are asked.
QUERIES = {1: 1_500, 2: 2_000, 3: 3_000, 4: 5_000, 5: 8_000, 6: 12_000}
SELECTIVITIES = {0.2: 12_000, 0.4: 5_000, 0.6: 2_500, 0.8: 2_000, 1.0: 1_500}


def figure_5(table: Table, *, quick: bool) -> tuple[Panel, ...]:
    """Average relative errors over the number of columns in a query, and over selectivity."""
    releases = {}
    for name, method in METHODS.items():
        report(f"figure 5: {name}")
        releases[name] = anonymize(table, LDiversity(L, "frequency", values=list(VALUES)), method)
    dimensions = {1: 200, 3: 400} if quick else QUERIES
    selectivities = {0.5: 400, 1.0: 200} if quick else SELECTIVITIES

    def by_dimension(release: Release, dimension: float, n: int) -> QueryError:
        return query_error(
            release, n_queries=n, dimension=int(dimension), selectivity=SELECTIVITY, seed=SEED
        )

    def by_selectivity(release: Release, selectivity: float, n: int) -> QueryError:
        return query_error(
            release, n_queries=n, dimension=DIMENSION, selectivity=selectivity, seed=SEED
        )

    return (
        *_panels(
            "(a, c)",
            "query dimension",
            f"selectivity {SELECTIVITY:g}",
            {float(d): n for d, n in dimensions.items()},
            releases,
            by_dimension,
        ),
        *_panels(
            "(b, d)",
            "selectivity",
            f"query dimension {DIMENSION}",
            selectivities,
            releases,
            by_selectivity,
        ),
        _margin(table, quick=quick),
    )


def _panels(
    which: str,
    over: str,
    fixed: str,
    places: dict[float, int],
    releases: dict[str, Release],
    ask: Callable[[Release, float, int], QueryError],
) -> tuple[Panel, ...]:
    """Ask the same queries of every release; show the averages, and those of correlated queries."""
    errors: dict[tuple[str, float], QueryError] = {}
    for j, (name, release) in enumerate(releases.items()):
        for i, (place, n) in enumerate(places.items()):
            done = j * len(places) + i
            report(f"figure 5 {which}: {name}", done, len(places) * len(releases))
            errors[name, place] = ask(release, place, n)
    first, last = min(places), max(places)
    averages = {name: [errors[name, place].average for place in places] for name in releases}
    letters = which.strip("()").split(", ")
    matched = {
        place: f"{n - errors['Base', place].n_left_out:,} of {n:,}" for place, n in places.items()
    }
    average = Panel(
        f"Figure 5 ({letters[0]}): average relative error over {over}",
        (over, "queries that somebody matches", *releases),
        tuple((p, matched[p], *(errors[name, p].average for name in releases)) for p in places),
        f"l = {L} for both sensitive values, {fixed}, p = {P} for RGG. Groups have "
        + ", ".join(f"{average_group_size(r):,.1f} ({name})" for name, r in releases.items())
        + " people on average. A query whose answer is nobody has no relative error and is left "
        "out; the paper does not say what it did with these.",
        (
            _order("RGG has a smaller error than SG and Base, plain", averages, "", places),
            _order("the same with anatomization", averages, "(Ana)", places),
            _anatomized(averages, places),
            _falls(over, averages, first, last),
        ),
        Chart("lines", over, "average relative error", tuple(places), averages),
    )
    kinds = ("positive", "negative")
    correlated = Panel(
        f"Figure 5 ({letters[1]}): the 100 most correlated queries, over {over}",
        (over, "true count is", *releases),
        tuple(
            (
                place,
                "above" if kind == "positive" else "below",
                *(getattr(errors[name, place], kind) for name in releases),
            )
            for place in places
            for kind in kinds
        ),
        "Above or below what independence of the columns predicts. The paper calls those whose "
        "true count is larger negative, and the others positive.",
        (_half(errors, places, kinds),),
    )
    return average, correlated


def _order(
    said: str, averages: dict[str, list[float]], suffix: str, places: dict[float, int]
) -> Claim:
    ours = averages[f"RGG{suffix}"]
    rivals = {name: averages[f"{name}{suffix}"] for name in ("SG", "Base")}
    wins = {
        name: sum(a < b for a, b in zip(ours, theirs, strict=True))
        for name, theirs in rivals.items()
    }
    counts = ", ".join(f"{n} of {len(places)} against {name}" for name, n in wins.items())
    return Claim(said, f"at {counts}", all(n == len(places) for n in wins.values()))


def _anatomized(averages: dict[str, list[float]], places: dict[float, int]) -> Claim:
    wins = sum(
        a < b
        for name in PLAIN
        for a, b in zip(averages[f"{name}(Ana)"], averages[name], strict=True)
    )
    n = len(PLAIN) * len(places)
    return Claim("anatomization lowers the error", f"in {wins} of {n} cases", wins == n)


def _falls(over: str, averages: dict[str, list[float]], first: float, last: float) -> Claim:
    falls = [name for name, errors in averages.items() if errors[-1] < errors[0]]
    base = averages["Base"]
    return Claim(
        f"the error falls as {over} grows",
        f"from {first:g} to {last:g} for {len(falls)} of {len(averages)} methods (Base: "
        f"{base[0]:.2f} to {base[-1]:.2f})",
        len(falls) == len(averages),
    )


def _half(
    errors: dict[tuple[str, float], QueryError], places: dict[float, int], kinds: tuple[str, ...]
) -> Claim:
    ratios = [
        getattr(errors["RGG(Ana)", place], kind) / getattr(errors["Base", place], kind)
        for place in places
        for kind in kinds
        if getattr(errors["Base", place], kind)
    ]
    n = sum(ratio <= 0.5 for ratio in ratios)
    return Claim(
        "the grouping often has half the error of the baseline",
        f"RGG(Ana) has {min(ratios):.2f} to {max(ratios):.2f} of Base's, at most half in {n} of "
        f"{len(ratios)} cases",
        2 * n >= len(ratios),
    )


def _margin(table: Table, *, quick: bool) -> Panel:
    """Greedy grouping that enforces e l instead, which makes up for the attack."""
    rows = []
    better = []
    for l, values in (
        (2, list(VALUES)),
        (2, ["Tech-support"]),
        (L, ["Tech-support"]),
        (L, list(VALUES)),
    ):
        report("section 5.3: groups of e l")
        criterion = LDiversity(l, "frequency", values=values)
        wide = math.ceil(math.e * l)
        methods = {
            f"RGG, p = {P}": RandomizedGrouping(P, seed=SEED),
            f"GG with {wide} for l": GreedyGrouping(margin=math.e, seed=SEED),
        }
        errors = []
        for name, method in methods.items():
            release = anonymize(table, criterion, method)
            error = query_error(release, n_queries=400 if quick else 3_000, seed=SEED).average
            errors.append(error)
            rows.append(
                (
                    l,
                    ", ".join(values),
                    name,
                    average_group_size(release),
                    release.n_suppressed,
                    error,
                )
            )
        better.append(errors[0] < errors[1])
    return Panel(
        "Section 5.3: randomized grouping against groups of e l",
        ("l", "sensitive values", "method", "average group", "people left out", "error"),
        tuple(rows),
        "e l is rounded up to a whole number, so that people join in buckets. Where a value has "
        "more than 1/(e l) of all people most of them find no safe group: so it is with "
        f"Craft-repair, 13% of all people, at l = {L}.",
        (
            Claim(
                "RGG always has a smaller error than GG with groups of e l",
                f"in {sum(better)} of {len(better)} cases",
                all(better),
            ),
        ),
    )
