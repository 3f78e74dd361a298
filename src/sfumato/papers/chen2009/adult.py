"""Adult: the knowledge skyline of table 2, figure 8, and table 3."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from sfumato.attacks.knowledge import knowledge_skyline
from sfumato.criteria import Criterion, Skyline
from sfumato.datasets import adult_hierarchies
from sfumato.errors import Unsatisfiable
from sfumato.formulas.knowledge import Point
from sfumato.papers.census import SEED, census
from sfumato.papers.chen2009.dimensions import (
    METHOD,
    READING,
    Curves,
    changes,
    curves,
    rows_of,
    series,
    skyline,
)
from sfumato.papers.reproduction import Claim, Panel
from sfumato.progress import report
from sfumato.release import anonymize
from sfumato.report.lines import Chart
from sfumato.table import Table, read
from sfumato.utility import average_group_size, cross_validate, kl_divergence
from sfumato.utility.records import columns_of, equal_parts, part_of

QUASI_IDENTIFIERS = (
    "age",
    "workclass",
    "education",
    "education-num",
    "marital-status",
    "relationship",
    "race",
    "sex",
    "capital-gain",
    "capital-loss",
    "hours-per-week",
    "native-country",
)
SENSITIVE, TARGET = "occupation", "salary"
FOLDS = 10
QUICK_FOLDS = 2

TABLE_2 = {(0, 4, 0), (1, 3, 1), (2, 2, 2), (3, 1, 2), (2, 1, 3), (4, 0, 3), (3, 0, 4)}
ARMED, EXECUTIVE, PROTECTIVE = "Armed-Forces", "Exec-managerial", "Protective-serv"
VALUE_CENTRIC = Skyline(
    {ARMED: [(5, 10, 5, 0.7)], EXECUTIVE: [(4, 10, 4, 0.9)], PROTECTIVE: [(3, 8, 3, 0.9)]},
    default=[(1, 5, 1, 0.9)],
)
ATTRIBUTE_CENTRIC = Skyline([(5, 10, 5, 0.7)])
THEIR_SIZES, THEIR_KL = (79.45, 1585.0), (1.280, 1.869)


def people(columns: Sequence[str], *, quick: bool) -> Table:
    """Open Adult with these quasi-identifiers, categories in alphabetical order."""
    return read(
        census([*columns, SENSITIVE], quick=quick),
        columns,
        sensitive=SENSITIVE,
        hierarchies={SENSITIVE: adult_hierarchies()[SENSITIVE]},  # a sample may miss a value
    )


def table_2(*, quick: bool) -> Panel:
    """Section 8.3: how much has to be known to tell an executive from a diverse release."""
    report("table 2")
    criterion = skyline_of_diversity(c=3, l=6)
    release = anonymize(people(QUASI_IDENTIFIERS, quick=quick), criterion, METHOD)
    found = set(knowledge_skyline(release.groups, EXECUTIVE, 0.95))
    both = sorted(found | TABLE_2)
    most = max((k for _, k, _ in found), default=-1)  # that somebody may know, and nothing else
    return Panel(
        "Table 2: knowledge skyline of Exec-managerial at confidence 0.95",
        ("l", "k", "m", "ours", "the paper"),
        tuple((*each, _yes(each in found), _yes(each in TABLE_2)) for each in both),
        f"A release that is (c = 3, l = 6)-diverse, as {criterion}, in {len(release.sizes):,} "
        "groups. Twelve quasi-identifiers: all but fnlwgt and salary.",
        (
            Claim(
                "seven points are on the skyline (six of them are taken as agreeing)",
                f"{len(found & TABLE_2)} of them, and {len(found - TABLE_2)} others",
                len(found & TABLE_2) >= 6,
            ),
            Claim(
                "who knows the values of five people, and nothing else, can tell an executive",
                f"{1 + most} people are enough",
                most == 4,
            ),
        ),
    )


def skyline_of_diversity(c: int, l: int) -> Skyline:
    """Give the skyline that is recursive (c, l)-diversity (proposition 4)."""
    return Skyline([(l - 2, 0, 0, c / (c + 1))])


def _yes(is_there: bool) -> str:
    return "yes" if is_there else "no"


@dataclass(frozen=True)
class Utility:
    """Means over training parts; None where the criterion cannot be satisfied."""

    size: float | None
    kl: float | None

    @classmethod
    def over(cls, parts: Sequence[Table], criterion: Criterion) -> Utility:
        """Publish every part as two tables."""
        try:
            releases = [anonymize(part, criterion, METHOD) for part in parts]
        except Unsatisfiable:
            return cls(None, None)
        return cls(
            fmean(average_group_size(release) for release in releases),
            fmean(kl_divergence(release) for release in releases),
        )


def training_parts(table: Table, folds: int) -> list[Table]:
    """Give the table without each of `folds` equal parts: nine tenths, for ten."""
    counted = columns_of(table).frequencies()
    parts = equal_parts(counted.counts, folds, SEED)
    return [part_of(table, counted, counted.counts - left_out) for left_out in parts]


PLACES = {"L": range(13), "K": range(0, 13, 2), "M": range(0, 13, 2)}
QUICK_PLACES = {"L": (0, 3, 12), "K": (0, 3), "M": (0, 3)}
BASES = {"(a, b)": Point(0, 0, 0), "(c, d)": Point(2, 6, 2)}


def figure_8(*, quick: bool) -> Iterator[Panel]:
    """Section 8.4: group size and divergence as each dimension of knowledge grows."""
    folds = QUICK_FOLDS if quick else FOLDS
    table = people([*QUASI_IDENTIFIERS, TARGET], quick=quick)
    parts = training_parts(table, folds)
    for name, base in BASES.items():
        points = curves(base, QUICK_PLACES if quick else PLACES)
        found: dict[Point, Utility] = {}
        for curve in points.values():
            for point in curve.values():
                report(f"figure 8 {name}: {tuple(point)}")
                if point not in found:
                    found[point] = Utility.over(parts, skyline(point))
        yield _growing(name, points, found, folds)


def _growing(name: str, points: Curves, found: Mapping[Point, Utility], folds: int) -> Panel:
    def size(point: Point) -> float | None:
        return found[point].size

    def kl(point: Point) -> float | None:
        return found[point].kl

    place, rises = changes(points, kl)
    of_l, of_k, of_m = rises.values()
    said = ", ".join(f"{label} {rise:+.3f}" for label, rise in rises.items())
    unsafe = [x for x, point in next(iter(points.values())).items() if size(point) is None]
    least = min(unsafe, default=None)
    places, lines = series(points, kl)
    return Panel(
        f"Figure 8 {name}: Adult, two tables, confidence 0.9",
        (
            "x",
            *(f"group size {label}" for label in points),
            *(f"KL divergence {label}" for label in points),
        ),
        rows_of(points, (size, kl)),
        f"Means over {folds} training parts. The paper draws a single group of everybody where "
        "none is safe; here that is impossible. Its curves did not survive in the text, so the "
        f"places on the axis are ours. {READING}",
        (
            Claim(
                "more knowledge about the target costs the most",
                f"up to {place} the divergence changes by {said}",
                of_l >= max(of_k, of_m),
            ),
            Claim(
                "more knowledge about others costs little",
                f"up to {place} the divergence changes by {said}",
                of_k <= min(of_l, of_m),
            ),
            Claim(
                "with l of 12 or more no groups are left",
                "no l is impossible" if least is None else f"impossible from l = {least} on",
                least is not None and least <= 12,
            ),
        ),
        Chart("lines", "l, k or m", "KL divergence", places, lines),
    )


def table_3(*, quick: bool) -> Panel:
    """Section 8.4: protection by value against the strongest protection for all values."""
    table = people([*QUASI_IDENTIFIERS, TARGET], quick=quick)
    folds = QUICK_FOLDS if quick else FOLDS
    found = []
    for criterion in (VALUE_CENTRIC, ATTRIBUTE_CENTRIC):
        report("table 3")
        found.append(cross_validate(table, criterion, METHOD, TARGET, folds, seed=SEED))
    by_value, by_attribute = found
    sizes = [each.average_group_size for each in found]
    kl = [each.kl_divergence for each in found]
    rows = (
        ("average group size", sizes[0], THEIR_SIZES[0], sizes[1], THEIR_SIZES[1]),
        ("KL divergence", kl[0], THEIR_KL[0], kl[1], THEIR_KL[1]),
        ("accuracy for salary", by_value.accuracy, None, by_attribute.accuracy, None),
        ("learned from the original", by_value.original, None, by_attribute.original, None),
        (
            "without occupation",
            by_value.without_sensitive,
            None,
            by_attribute.without_sensitive,
            None,
        ),
    )
    return Panel(
        "Table 3: by value against by attribute",
        ("", "by value", "the paper", "by attribute", "the paper"),
        rows,
        f"Means over {folds} training parts, of which salary is one of the quasi-identifiers. The "
        "size of groups that protect all values alike depends much on which cuts are tried.",
        tuple(_claims_3(sizes, kl, by_value.accuracy, by_value.original)),
    )


def _claims_3(
    sizes: Sequence[float | None],
    kl: Sequence[float | None],
    accuracy: float | None,
    original: float,
) -> Iterator[Claim]:
    (size, large), (near, far) = sizes, kl
    if size is None or large is None or near is None or far is None or accuracy is None:
        yield Claim("there are releases", "some are impossible", agrees=False)
        return
    yield Claim(
        "groups are 20 times smaller by value (10 times is taken as agreeing)",
        f"{large / size:.1f} times",
        large >= 10 * size,
    )
    yield Claim(
        "and the divergence is lower by 0.589 (0.35 is taken as agreeing)",
        f"by {far - near:.3f}",
        far - near >= 0.35,
    )
    yield Claim(
        "accuracy hardly differs from that of the original (by 0.02 at most)",
        f"{accuracy:.2%} and {original:.2%}",
        abs(accuracy - original) < 0.02,
    )
