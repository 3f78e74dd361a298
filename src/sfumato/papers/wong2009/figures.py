"""Figures 8 to 11 (section 7.2): what MASK costs, loses, changes, and how well it answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from statistics import fmean

from sfumato.papers.reproduction import Claim, Panel
from sfumato.papers.wong2009.masking import (
    METHODS,
    MS,
    PAPERS_OWN,
    RIVAL,
    SECOND,
    SELECTIVITY,
    Experiments,
    Measured,
    Setting,
)
from sfumato.progress import report
from sfumato.release import Release
from sfumato.report.page.line_chart import Chart
from sfumato.text import percent
from sfumato.utility.queries import AskedQueries

Line = Sequence[float | None]  # a number for every place; None: nothing is published there
Lines = Mapping[tuple[str, int], Line]  # by method and k
SIZE = "quasi-identifiers"
HOW = (
    "The first quasi-identifiers of table XXII; {runs} runs of MASK, with all lots drawn anew. In "
    "{asked} of them time is taken and {queries:,} queries are asked (all quasi-identifiers in "
    "each, selectivity 0.05); their averages differ by {spread} at most between runs. The rival, "
    "which changes no value, has these runs alone. MASK makes its groups by the algorithm of its "
    "rival, told k alone, in a run the same ones for every m; Mondrian is a second line. With one "
    "reference shares are those of the one group that has the largest (section 6.1.2). Where there "
    "is no number MASK refuses: too few groups are left to draw shares from. "
)


def figures_8_and_9(work: Experiments) -> tuple[Panel, ...]:
    """Four measures over the number of quasi-identifiers, at m = 2 and at m = 10."""
    return tuple(
        panel
        for number, m in zip((8, 9), MS, strict=True)
        for panel in (_seconds(work, number, m), _errors(work, number, m),
                      _losses(work, number, m), _distortions(work, number, m))
    )  # fmt: skip


def _lines(
    work: Experiments,
    m: int,
    measure: Callable[[Measured], float],
    methods: Sequence[str] = METHODS,
) -> Lines:
    found = {
        (method, k): [work.measured(Setting(size, k, m, method)) for size in work.plan.sizes]
        for method in methods
        for k in work.plan.ks
    }
    return {
        key: [None if each is None else measure(each) for each in line]
        for key, line in found.items()
    }


def _pairs(one: Line, other: Line) -> list[tuple[float, float]]:
    """Give the numbers of two lines where both have some."""
    both = zip(one, other, strict=True)
    return [(a, b) for a, b in both if a is not None and b is not None]


def _known(line: Line) -> list[float]:
    return [each for each in line if each is not None]


def _panel(
    title: str,
    over: str,
    places: Sequence[float],
    lines: Lines,
    y: str,
    remark: str,
    claims: Sequence[Claim],
    *,
    measured: bool = False,
) -> Panel:
    names = {key: f"{method}, k = {k}" for key in lines for method, k in [key]}
    rows = tuple(
        (int(place) if float(place).is_integer() else place, *(line[j] for line in lines.values()))
        for j, place in enumerate(places)
    )
    ends = {f(k for _, k in lines) for f in (min, max)}  # more lines than these are hard to read
    series = {names[key]: list(line) for key, line in lines.items() if key[1] in ends}
    chart = Chart("lines", over, y, tuple(map(float, places)), series)
    return Panel(title, (over, *names.values()), rows, remark, tuple(claims), chart, measured)


def _grows(said: str, lines: Lines, *, falls: bool = False) -> Claim:
    """Hold every line's last number against its first; say how many steps go the same way."""
    sign = -1 if falls else 1
    known = [line for line in map(_known, lines.values()) if len(line) > 1]
    ends = [sign * (line[-1] - line[0]) > 0 for line in known]
    steps = [sign * (b - a) > 0 for line in known for a, b in pairwise(line)]
    ours = (
        f"from the first to the last place in {sum(ends)} of {len(ends)} lines, and in "
        f"{sum(steps)} of {len(steps)} steps"
    )
    return Claim(said, ours, all(ends))


def _by_k(said: str, lines: Lines, *, falls: bool = False) -> Claim:
    """Hold the largest k against the smallest at every place."""
    sign = -1 if falls else 1
    ks = sorted({k for _, k in lines})
    pairs = [
        pair
        for method in dict.fromkeys(method for method, _ in lines)
        for pair in _pairs(lines[method, ks[0]], lines[method, ks[-1]])
    ]
    right = sum(sign * (b - a) > 0 for a, b in pairs)
    ours = f"from k = {ks[0]} to k = {ks[-1]} at {right} of {len(pairs)} places"
    return Claim(said, ours, right == len(pairs))


def _little_by_k(lines: Lines) -> Claim:
    """Compare the largest of what is measured at different k with the smallest."""
    ks = sorted({k for _, k in lines})
    ratios = []
    for method in dict.fromkeys(method for method, _ in lines):
        for place in zip(*(lines[method, k] for k in ks), strict=True):
            values = _known(place)
            if len(values) == len(ks) and min(values) > 0:
                ratios.append(max(values) / min(values))
    if not ratios:
        return Claim("k matters little", "nothing was measured", agrees=None)
    ours = f"the largest is {min(ratios):.3g} to {max(ratios):.3g} times the smallest"
    return Claim("k matters little", ours, max(ratios) < 1.5)


def _how(work: Experiments, m: int) -> str:
    plan = work.plan
    spreads = _lines(work, m, lambda found: found.spread).values()
    found = [each for line in spreads for each in _known(line)]
    return HOW.format(
        runs=plan.n_runs, asked=plan.n_asked, queries=plan.n_queries, spread=percent(max(found))
    )


def _seconds(work: Experiments, number: int, m: int) -> Panel:
    lines = _lines(work, m, lambda found: found.seconds)
    shares = [
        share
        for line in _lines(work, m, lambda found: found.first_step, [PAPERS_OWN]).values()
        for share in _known(line)
    ]
    ours = {key: line for key, line in lines.items() if key[0] != RIVAL}
    return _panel(
        f"Figure {number} (a): seconds, m = {m}",
        SIZE,
        work.plan.sizes,
        lines,
        "seconds of the processor",
        _how(work, m)
        + "Seconds are for the search; reading, counting and writing are the same for all.",
        (
            _grows("time grows with the number of quasi-identifiers", lines),
            _by_k("time falls with k", lines, falls=True),
            Claim(
                "step 1 takes more than 98% of MASK's time on average",
                f"{percent(fmean(shares))} on average, {percent(min(shares))} to "
                f"{percent(max(shares))}",
                fmean(shares) > 0.98,
            ),
            _alike(lines, ours),
            _little_by_k(lines),
            _refused(work, m),
        ),
        measured=True,
    )


def _refused(work: Experiments, m: int) -> Claim:
    """Count the settings in which fewer than (m - 1)|V| groups are left to draw shares from."""
    found = [
        work.measured(Setting(size, k, m, method))
        for size in work.plan.sizes
        for k in work.plan.ks
        for method in (PAPERS_OWN, SECOND)
    ]
    none = sum(each is None for each in found)
    some = sum(each is not None and each.n_refused > 0 for each in found)
    return Claim(
        "that a table cannot be published is rare",
        f"refused in {none} of {len(found)} settings, and in {some} more in some runs: too few "
        "groups do not violate",
        none + some <= len(found) / 10,
    )


def _alike(lines: Lines, ours: Lines) -> Claim:
    """Hold MASK's times against those of the rival."""
    ratios = [
        mine / theirs
        for (method, k), line in ours.items()
        if method == PAPERS_OWN
        for mine, theirs in _pairs(line, lines[RIVAL, k])
    ]
    if not ratios:
        return Claim("both algorithms take about as long", "MASK refuses throughout", agrees=None)
    return Claim(
        "both algorithms take about as long",
        f"MASK takes {min(ratios):.2f} to {max(ratios):.2f} times as long",
        min(ratios) > 0.5 and max(ratios) < 2,
    )


def _errors(work: Experiments, number: int, m: int) -> Panel:
    lines = _lines(work, m, lambda found: found.error)
    return _panel(
        f"Figure {number} (b): average relative error of one table, m = {m}",
        SIZE,
        work.plan.sizes,
        lines,
        "average relative error",
        "People of a group are taken to be spread evenly over its box. Queries that nobody matches "
        "are left out.",
        (
            _grows("the error grows with the number of quasi-identifiers", lines),
            _by_k("the error grows with k", lines),
            _little_by_k(lines),
        ),
    )


def _losses(work: Experiments, number: int, m: int) -> Panel:
    lines = _lines(work, m, lambda found: found.loss)
    more = [
        theirs > mine
        for k in work.plan.ks
        for theirs, mine in _pairs(lines[RIVAL, k], lines[PAPERS_OWN, k])
    ]
    return _panel(
        f"Figure {number} (c): information loss, m = {m}",
        SIZE,
        work.plan.sizes,
        lines,
        "information loss",
        "Definition 7, every quasi-identifier with the same weight.",
        (
            _grows("the loss grows with the number of quasi-identifiers", lines),
            _by_k("the loss grows with k", lines),
            Claim(
                "(alpha, k)-anonymity loses more than MASK in some cases",
                f"in {sum(more)} of {len(more)} cases",
                any(more),
            ),
            _little_by_k(lines),
        ),
    )


def _distortions(work: Experiments, number: int, m: int) -> Panel:
    lines = _lines(work, m, lambda found: found.distortion, [x for x in METHODS if x != RIVAL])
    return _panel(
        f"Figure {number} (d): distortion of the sensitive attribute, m = {m}",
        SIZE,
        work.plan.sizes,
        lines,
        "distortion",
        "Definition 7 on education: what a changed value loses is the share of the tree that it "
        "takes to cover both. (alpha, k)-anonymity changes no value.",
        (
            _grows("distortion grows with the number of quasi-identifiers", lines),
            _by_k("distortion falls with k", lines, falls=True),
            _little_by_k(lines),
        ),
    )


def figure_10(work: Experiments) -> tuple[Panel, ...]:
    """The error of two tables over the number of quasi-identifiers."""
    panels = []
    smaller = _lines(work, MS[0], lambda found: found.error_of_two)
    for letter, m in zip("ab", MS, strict=True):
        lines = _lines(work, m, lambda found: found.error_of_two)
        claims = [
            _grows("the error grows with the number of quasi-identifiers", lines),
            _by_k("the error grows with k", lines),
        ]
        if m != MS[0]:
            claims.append(_larger(smaller, lines))
        panels.append(
            _panel(
                f"Figure 10 ({letter}): average relative error of two tables, m = {m}",
                SIZE,
                work.plan.sizes,
                lines,
                "average relative error",
                "The same groups as in figures 8 and 9, quasi-identifiers published as they are.",
                claims,
            )
        )
    return tuple(panels)


def figure_11(work: Experiments) -> tuple[Panel, ...]:
    """The error of two tables over what is asked: how many columns, and how much they match."""
    plan, size = work.plan, max(work.plan.sizes)
    lines: dict[str, dict[int, dict[tuple[str, int], Line]]] = {"qd": {}, "s": {}}
    for m in MS:
        by_dimension, by_selectivity = lines["qd"].setdefault(m, {}), lines["s"].setdefault(m, {})
        for method in METHODS:
            for k in plan.ks:
                report(f"figure 11: {method}, m = {m}, k = {k}")
                releases = work.two_tables(k, m, method)
                by_dimension[method, k] = [
                    _error(releases, work.asked(size, d, SELECTIVITY)) for d in plan.dimensions
                ]
                by_selectivity[method, k] = [
                    _error(releases, work.asked(size, size, s)) for s in plan.selectivities
                ]
    panels = []
    for letter, over, m in (("a", "qd", 2), ("b", "qd", 10), ("c", "s", 2), ("d", "s", 10)):
        named = "columns in a query" if over == "qd" else "selectivity"
        claims = [_grows(f"the error {'grows' if over == 'qd' else 'falls'} with {named}",
                         lines[over][m], falls=over == "s"),
                  _by_k("the error grows with k", lines[over][m])]  # fmt: skip
        if m != MS[0]:
            claims.append(_larger(lines[over][MS[0]], lines[over][m]))
        panels.append(
            _panel(
                f"Figure 11 ({letter}): average relative error of two tables, m = {m}",
                named,
                plan.dimensions if over == "qd" else plan.selectivities,
                lines[over][m],
                "average relative error",
                "Eight quasi-identifiers; "
                + ("selectivity 0.05." if over == "qd" else "all of them in every query."),
                claims,
            )
        )
    return tuple(panels)


def _error(releases: Sequence[Release], asked: AskedQueries) -> float | None:
    return fmean(asked.error(each).average for each in releases) if releases else None


def _larger(at_2: Lines, at_10: Lines) -> Claim:
    pairs = [pair for key, line in at_2.items() for pair in _pairs(line, at_10[key])]
    right = sum(b > a for a, b in pairs)
    return Claim(
        f"the error is larger at m = {MS[1]} than at m = {MS[0]}",
        f"at {right} of {len(pairs)} places",
        right == len(pairs),
    )
