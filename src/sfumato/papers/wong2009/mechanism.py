"""What the paper has not: figure 7 for whoever knows the method, and MASK for the same."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from sfumato.algorithms import Algorithm, Mondrian, TopDown
from sfumato.attacks.attack import Attack
from sfumato.attacks.mechanism import Mechanism
from sfumato.attacks.minimality import Minimality
from sfumato.criteria import AlphaKAnonymity
from sfumato.errors import CannotRun, Unsatisfiable
from sfumato.papers.census import SEED
from sfumato.papers.reproduction import Cell, Claim, Panel
from sfumato.papers.wong2009.masking import MS, ONE, PAPERS_OWN, SECOND, Experiments, Setting
from sfumato.papers.wong2009.setting import LOW, QUASI_IDENTIFIERS, adult_table
from sfumato.progress import report
from sfumato.release import Release, anonymize
from sfumato.report.page.line_chart import Chart
from sfumato.table import Table

METHODS: tuple[Algorithm, ...] = (Mondrian(), TopDown("cut"), TopDown("local", seed=SEED))


def figure_7_by_mechanism(*, quick: bool) -> Panel:
    """Count the people of whom more than 1/m is believed, by minimality and by mechanism."""
    ms = (2,) if quick else tuple(range(2, 11))
    table = adult_table(QUASI_IDENTIFIERS, quick=quick)
    rows: list[tuple[Cell, ...]] = []
    lines: dict[str, list[float | None]] = {}
    for method in METHODS:
        for m in ms:
            report(f"figure 7 by mechanism: {method}, m = {m}")
            n_groups, least, most, note = _above(table, method, m)
            rows.append((str(method), m, n_groups, least, most, note))
            lines.setdefault(f"{method}, minimality", []).append(least)
            lines.setdefault(f"{method}, mechanism", []).append(most)
    return Panel(
        "Figure 7 once more: people above 1/m, by minimality and by mechanism",
        ("method", "m", "groups", "by minimality", "by mechanism", "how it was found"),
        tuple(rows),
        "The paper attacks by the last step that was not taken; whoever knows the method knows all "
        "steps. Eight quasi-identifiers, the same sensitive values, alpha = 1/m and k = 1. People "
        "in groups that neither count nor bound decides are in neither column.",
        (_at_least_as_many(rows),),
        Chart(
            "lines",
            "m",
            "people above 1/m",
            tuple(map(float, ms)),
            {name: line for name, line in lines.items() if any(x is not None for x in line)},
        ),
    )


def mask_by_mechanism(work: Experiments) -> Panel:
    """Count the people of whom MASK's releases tell more than theorem 4 says."""
    size = max(work.plan.sizes)
    rows: list[tuple[Cell, ...]] = []
    for name in (PAPERS_OWN, SECOND, ONE):
        for m in MS:
            for k in work.plan.ks:
                setting = Setting(size, k, m, name)
                report(f"MASK by mechanism: {setting.in_words}")
                rows.append((name, m, k, *_masked(work.table(size), setting)))
    return Panel(
        "MASK for whoever knows it: people above 1/m",
        ("method", "m", "k", "groups", "people above 1/m", "how it was found"),
        tuple(rows),
        f"One run of each setting of figures 8 and 9 with {size} quasi-identifiers. MASK changes "
        "values only to fewer sensitive ones. So a group that is published with exactly 1/m of "
        "them had as many or more, and where another one is published with 1/m, too, whoever knows "
        "MASK believes more than 1/m. People who are alike may be in several groups: counted are "
        "those who are in no others. Of all others nothing was shown, neither way.",
        (_theorem_4(rows),),
    )


def _masked(table: Table, setting: Setting) -> tuple[int | None, int | None, str]:
    try:
        release = setting.publish(table, SEED)
    except Unsatisfiable:
        return None, None, "refused"
    above, _ = _attacked(Mechanism(), release)
    shown = "open: too many ways" if above is None else "groups published at exactly 1/m"
    return len(release.sizes), above, shown


def _theorem_4(rows: Sequence[tuple[Cell, ...]]) -> Claim:
    published = [row for row in rows if row[3] is not None]
    above = [row[4] for row in published if isinstance(row[4], int) and row[4]]
    return Claim(
        "(theorem 4) nobody is believed with more than 1/m to be sensitive",
        f"somebody is in {len(above)} of {len(published)} releases at least; the others are open",
        not above,
    )


def _above(table: Table, method: Algorithm, m: int) -> tuple[int, int | None, int | None, str]:
    """Publish and attack; None: an attack has nothing to say."""
    criterion = AlphaKAnonymity(Fraction(1, m), 1, values=list(LOW), pooled=True)
    release = anonymize(table, criterion, method)
    by_minimality, _ = _attacked(Minimality(), release)
    by_mechanism, note = _attacked(Mechanism(), release)
    return len(release.sizes), by_minimality, by_mechanism, note


def _attacked(attack: Attack, release: Release) -> tuple[int | None, str]:
    try:
        finding = attack.run(release)
    except CannotRun as error:
        return None, error.reason
    return finding.n_exceeding, finding.note or "exactly"


def _at_least_as_many(rows: Sequence[tuple[Cell, ...]]) -> Claim:
    both = [(a, b) for _, _, _, a, b, _ in rows if isinstance(a, int) and isinstance(b, int)]
    right = sum(a <= b for a, b in both)
    return Claim(
        "(section 5) knowing the algorithm can tell more than minimality",
        f"more people at {sum(a < b for a, b in both)} of {len(both)} places, as many at "
        f"{sum(a == b for a, b in both)}",
        right == len(both) and any(a < b for a, b in both),
    )
