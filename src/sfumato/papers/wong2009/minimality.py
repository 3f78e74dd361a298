"""The minimality attack on local recoding (section 7.1): figure 7 and its two cases."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from statistics import fmean

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms import TopDown
from sfumato.attacks.minimality import credibility_local
from sfumato.criteria import AlphaKAnonymity
from sfumato.data.frequency import sum_by
from sfumato.data.groups import Counts
from sfumato.data.recoding import distinct_boxes
from sfumato.papers.census import SEED
from sfumato.papers.reproduction import Claim, Panel
from sfumato.papers.wong2009.setting import LOW, N_SENSITIVE, QUASI_IDENTIFIERS, adult_table
from sfumato.progress import report
from sfumato.release import Release, anonymize
from sfumato.report.page.line_chart import Chart
from sfumato.table import Table
from sfumato.text import counted, percent


def attacked(table: Table, m: int, seed: int = SEED) -> Release:
    """Publish by the algorithm that the paper attacks, with alpha = 1/m and k = 1."""
    criterion = AlphaKAnonymity(Fraction(1, m), 1, values=list(LOW), pooled=True)
    return anonymize(table, criterion, TopDown("local", seed=seed))


@dataclass(frozen=True, eq=False)
class ClassBeliefs:
    """What is believed of every original class: people with the same quasi-identifiers."""

    people: Counts  # (n_classes,)
    sensitive: Counts  # (n_classes,)
    credibility: NDArray[np.float64]  # (n_classes,)
    n_unexplained: int  # generalized groups in which no class can break the rule as a whole

    def problematic(self, m: int) -> NDArray[np.bool_]:
        """Say which classes are believed to be sensitive with more than 1/m."""
        return self.credibility > 1 / m + 1e-9


def beliefs(release: Release, m: int) -> ClassBeliefs:
    """Give the credibility of every class by the formula of section 4.2.2.

    A class that has people in a generalized group is believed to be sensitive by the whole class,
    the people published elsewhere taken as known. A group in which no class can break the rule was
    generalized for another reason, and everybody in it is believed to be like the group.
    """
    placed = release.recoding.placement(release.table.frequencies())
    frequencies, key, people = placed.frequencies, placed.key, placed.people
    low_codes = [frequencies.domains["education"].code_of(value) for value in LOW]
    codes = [code for code in low_codes if code is not None]  # a sample may miss a value
    group = distinct_boxes(placed.boxes)[1][placed.box]
    in_class = frequencies.combination_of[key]
    low = np.where(np.isin(frequencies.codes("education")[key], codes), people, 0)
    n_classes = len(frequencies.combinations)
    size, sensitive = (sum_by(in_class, counts, n_classes) for counts in (people, low))
    # One row for every class in every group: how many people, how many of them sensitive.
    cell, row = np.unique(group * n_classes + in_class, return_inverse=True)
    inside, low_inside = (sum_by(row, counts, len(cell)) for counts in (people, low))
    group, who = np.divmod(cell, n_classes)
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    expected = np.zeros(n_classes)
    known: dict[object, NDArray[np.float64] | None] = {}
    n_unexplained = 0
    for g, (start, end) in enumerate(zip(starts, [*starts[1:], len(cell)], strict=True)):
        report("credibility of groups", g, len(starts))
        mine, n, s = who[start:end], inside[start:end], low_inside[start:end]
        n_low = int(s.sum())
        if len(mine) == 1 or not n_low:
            expected[mine] += s
            continue
        kept = sensitive[mine] - s
        classes = list(zip(size[mine].tolist(), n.tolist(), kept.tolist(), strict=True))
        order = sorted(range(len(classes)), key=classes.__getitem__)
        name = (tuple(classes[i] for i in order), n_low)
        if name not in known:
            known[name] = _credibility([classes[i] for i in order], n_low, m)
        believed = known[name]
        if believed is None:
            n_unexplained += 1
            expected[mine] += n * n_low / n.sum()
            continue
        back = np.empty(len(order))
        back[order] = believed
        expected[mine] += back * size[mine] - kept
    return ClassBeliefs(size, sensitive, expected / size, n_unexplained)


def _credibility(
    classes: list[tuple[int, int, int]], n_low: int, m: int
) -> NDArray[np.float64] | None:
    try:
        return credibility_local(classes, n_low, m)
    except ValueError:  # nobody can break the rule
        return None


@dataclass(frozen=True)
class Problematic:
    """Figure 7 at one place: averages over runs, which differ in who is drawn by lot."""

    n_sensitive: int  # in the table
    groups: float
    people: float  # in problematic classes
    least: float  # per sensitive tuple of the table, in the runs
    most: float
    credibility: float  # average over these people
    share: float  # of the sensitive tuples, those in problematic classes, in percent
    of_sensitive: float  # average credibility of these
    unexplained: float  # groups

    @classmethod
    def over(cls, table: Table, m: int, runs: int) -> Problematic:
        """Publish and attack several times."""
        releases = [attacked(table, m, SEED + run) for run in range(runs)]
        by_run = [beliefs(release, m) for release in releases]
        n_sensitive = int(by_run[0].sensitive.sum())
        bad = [each.problematic(m) for each in by_run]
        people = [int(each.people[b].sum()) for each, b in zip(by_run, bad, strict=True)]
        low = [int(each.sensitive[b].sum()) for each, b in zip(by_run, bad, strict=True)]
        of_people, of_low = (
            [
                float(counts[b] @ each.credibility[b]) / max(int(counts[b].sum()), 1)
                for each, b, counts in zip(by_run, bad, counted, strict=True)
            ]
            for counted in ([each.people for each in by_run], [each.sensitive for each in by_run])
        )
        return cls(
            n_sensitive=n_sensitive,
            groups=fmean(len(release.sizes) for release in releases),
            people=fmean(people),
            least=min(people) / n_sensitive,
            most=max(people) / n_sensitive,
            credibility=fmean(of_people),
            share=100 * fmean(low) / n_sensitive,
            of_sensitive=fmean(of_low),
            unexplained=fmean(each.n_unexplained for each in by_run),
        )

    @property
    def proportion(self) -> float:
        """Tuples in problematic classes per sensitive tuple of the table."""
        return self.people / self.n_sensitive

    @property
    def row(self) -> tuple[str | float, ...]:
        """As in `HEADER`."""
        return (
            self.groups,
            self.people,
            self.proportion,
            f"{self.least:.3f} to {self.most:.3f}",
            self.credibility,
            self.share,
            self.of_sensitive,
            self.unexplained,
        )


RUNS = 5
HEADER = (
    "groups",
    "problematic tuples",
    "per sensitive tuple",
    "in the runs",
    "average credibility",
    "of all sensitive, %",
    "their average",
    "groups unexplained",
)
HOW = (
    "Problematic are all tuples of classes that are believed to be sensitive with more than 1/m, "
    "as the paper defines them; their number is divided by that of the sensitive tuples. The text "
    "can also be read as counting the sensitive ones among them only: that is what the next two "
    "columns do. Groups unexplained are generalized although no class in them can break the rule "
    "by itself: their classes broke it at a step in between, which the formula of section 4.2.2 "
    "does not see. Lots decide who is generalized along, so these are averages of {}. "
)


def over_m(*, quick: bool) -> Panel:
    """Figure 7 (a, b)."""
    ms, runs = ((2, 3), 1) if quick else (tuple(range(2, 11)), RUNS)
    table = adult_table(QUASI_IDENTIFIERS, quick=quick)
    by_m = {}
    for m in ms:
        report(f"figure 7 (a, b): m = {m}")
        by_m[m] = Problematic.over(table, m, runs)
    shares = [by_m[m].proportion for m in ms]
    averages = [by_m[m].credibility for m in ms]
    total = by_m[ms[0]].n_sensitive
    return Panel(
        "Figure 7 (a, b): problematic tuples over m, eight quasi-identifiers",
        ("m", *HEADER),
        tuple((m, *by_m[m].row) for m in ms),
        HOW.format(counted(runs, "run")) + f"There are {total:,} sensitive tuples.",
        (
            *_all_sensitive(total, quick=quick),
            Claim(
                "(a) the proportion increases with m",
                f"{shares[0]:.3f} to {shares[-1]:.3f}, the most {max(shares):.3f} at m = "
                f"{ms[shares.index(max(shares))]}; counting sensitive tuples only it goes from "
                f"{percent(by_m[ms[0]].share / 100)} to {percent(by_m[ms[-1]].share / 100)}",
                shares[-1] > shares[0],
            ),
            Claim(
                "(b) the average credibility decreases with m",
                f"from {averages[0]:.3f} to {averages[-1]:.3f}",
                averages[-1] < averages[0],
            ),
        ),
        Chart(
            "lines",
            "m",
            "proportion and credibility",
            tuple(float(m) for m in ms),
            {"problematic tuples per sensitive tuple": shares, "average credibility": averages},
        ),
    )


def _all_sensitive(total: int, *, quick: bool) -> list[Claim]:
    """Count the sensitive tuples, unless it is of a sample."""
    claim = Claim(f"{N_SENSITIVE:,} tuples are sensitive", f"{total:,}", total == N_SENSITIVE)
    return [] if quick else [claim]


def over_size(*, quick: bool) -> Panel:
    """Figure 7 (c, d)."""
    sizes, runs = ((3, 8), 1) if quick else (tuple(range(3, 9)), RUNS)
    by_size = {}
    for n in sizes:
        report(f"figure 7 (c, d): {n} quasi-identifiers")
        table = adult_table(QUASI_IDENTIFIERS[:n], quick=quick)
        by_size[n] = Problematic.over(table, 2, runs)
    shares = [by_size[n].proportion for n in sizes]
    averages = [by_size[n].credibility for n in sizes]
    return Panel(
        "Figure 7 (c, d): problematic tuples over the number of quasi-identifiers, m = 2",
        ("quasi-identifiers", *HEADER, "the paper, credibility"),
        tuple((n, *by_size[n].row, "about 0.9") for n in sizes),
        HOW.format(counted(runs, "run"))
        + "The quasi-identifiers are the first of table XXII. With three of them there are only "
        f"{by_size[sizes[0]].people:.0f} problematic tuples, so the average says little there.",
        (
            Claim(
                "(c) the proportion increases with the number of quasi-identifiers",
                f"{shares[0]:.3f} to {shares[-1]:.3f}",
                shares[-1] > shares[0],
            ),
            Claim(
                "(d) the average credibility is about 0.9",
                f"from {min(averages):.3f} to {max(averages):.3f}",
                min(averages) > 0.8,
            ),
            Claim(
                "(d) and nearly unchanged",
                f"it varies by {max(averages) - min(averages):.3f}",
                max(averages) - min(averages) < 0.1,
            ),
        ),
        Chart(
            "lines",
            "quasi-identifiers",
            "proportion and credibility",
            tuple(float(n) for n in sizes),
            {"problematic tuples per sensitive tuple": shares, "average credibility": averages},
        ),
    )


# Age of the lone person, and the education that the paper says is uncovered.
CASES = ((80, "7th-8th"), (33, "1st-4th"))


def cases() -> Panel:
    """Find the two printed cases; workclass comes last, as ties go to the earlier column."""
    report("the two cases of section 7.1")
    release = attacked(adult_table(["age", "marital-status", "workclass"]), 2)
    by_class = beliefs(release, 2)
    classes = release.table.combinations()
    rows = []
    for age, education in CASES:
        belief = {}
        for work in ("Self-emp-not-inc", "Private"):
            wanted = (age, "Married-spouse-absent", work)
            code = [
                classes.domains[name].code_of(value)
                for name, value in zip(classes.columns, wanted, strict=True)
            ]
            (place,) = np.flatnonzero(
                np.all([classes.codes(n) == c for n, c in zip(classes.columns, code, strict=True)],
                       axis=0)
            )  # fmt: skip
            belief[work] = (int(by_class.people[place]), float(by_class.credibility[place]))
        alone, others = belief["Self-emp-not-inc"], belief["Private"]
        rows.append((age, education, alone[0], others[0], alone[1], 1, others[1]))
    return Panel(
        "Section 7.1: two people uncovered (m = 2; age, marital status, workclass)",
        (
            "age",
            "education",
            "self-employed",
            "private",
            "credibility",
            "the paper",
            "of the others",
        ),
        tuple(rows),
        "One self-employed person whose spouse is absent, published with one who works in the "
        "private sector as with-pay. The low education of the second is 1st-4th in the data too.",
        (
            Claim(
                "in both cases the credibility is 1",
                " and ".join(f"{row[4]:g}" for row in rows),
                all(row[4] == 1 for row in rows),
            ),
        ),
    )
