"""Adult: the knowledge skyline of table 2, figure 8, and table 3."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from sfumato.attacks.knowledge import knowledge_skyline
from sfumato.criteria import Criterion, Skyline
from sfumato.datasets import adult_hierarchies
from sfumato.errors import Unsatisfiable
from sfumato.formulas.knowledge.breach import Point
from sfumato.papers.census import SEED, census
from sfumato.papers.chen2009.dimensions import (
    CONFIDENCE,
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
from sfumato.report.page.line_chart import Chart
from sfumato.table import Table, read
from sfumato.text import percent
from sfumato.utility import average_group_size, cross_validate, kl_divergence
from sfumato.utility.learning_records import columns_of, equal_parts, part_of

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
    ours = set(knowledge_skyline(release.groups, EXECUTIVE, 0.95))
    both = sorted(ours | TABLE_2)
    most = max((k for _, k, _ in ours), default=-1)  # that somebody may know, and nothing else
    return Panel(
        "Table 2: knowledge skyline of Exec-managerial at confidence 0.95",
        ("l", "k", "m", "ours", "the paper"),
        tuple((*each, _yes(each in ours), _yes(each in TABLE_2)) for each in both),
        f"A release that is (c = 3, l = 6)-diverse, as {criterion}, in {len(release.sizes):,} "
        "groups. Twelve quasi-identifiers: all but fnlwgt and salary.",
        (
            Claim(
                "seven points are on the skyline (six of them are taken as agreeing)",
                f"{len(ours & TABLE_2)} of them, and {len(ours - TABLE_2)} others",
                len(ours & TABLE_2) >= 6,
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
    impossible: str | None = None  # why there is no release

    @classmethod
    def over(cls, parts: Iterable[Table], criterion: Criterion) -> Utility:
        """Publish every part as two tables."""
        sizes, divergences = [], []
        for part in parts:
            try:
                release = anonymize(part, criterion, METHOD)
            except Unsatisfiable as error:
                return cls(None, None, str(error))
            sizes.append(average_group_size(release))
            divergences.append(kl_divergence(release))
        return cls(fmean(sizes), fmean(divergences))


def training_parts(table: Table, folds: int) -> Iterator[Table]:
    """Give the table without each of `folds` equal parts: nine tenths, for ten."""
    counted = columns_of(table).frequencies()
    for left_out in equal_parts(counted.counts, folds, SEED):
        yield part_of(table, counted, counted.counts - left_out)


PLACES = {"L": (0, 2, 4, 6, 8, 10, 11, 12), "K": (0, 4, 8, 12), "M": (0, 4, 8, 12)}
QUICK_PLACES = {"L": (0, 3, 12), "K": (0, 3), "M": (0, 3)}
BASES = {"ab": Point(0, 0, 0), "cd": Point(2, 6, 2)}


def figure_8(*, quick: bool) -> Iterator[Panel]:
    """Section 8.4: group size and divergence as each dimension of knowledge grows."""
    folds = QUICK_FOLDS if quick else FOLDS
    table = people([*QUASI_IDENTIFIERS, TARGET], quick=quick)
    parts = list(training_parts(table, folds))
    for names, base in BASES.items():
        points = curves(base, QUICK_PLACES if quick else PLACES)
        utilities: dict[Point, Utility] = {}
        for point in (point for curve in points.values() for point in curve.values()):
            report(f"figure 8 ({', '.join(names)}): {tuple(point)}")
            if point not in utilities:
                utilities[point] = Utility.over(parts, skyline(point))
        sizes = {point: each.size for point, each in utilities.items()}
        divergences = {point: each.kl for point, each in utilities.items()}
        for name, what, numbers in (
            (names[0], "average group size", sizes),
            (names[1], "KL divergence", divergences),
        ):
            yield _growing(f"({name}): {what}", what, points, numbers, folds, utilities)


def _growing(
    title: str,
    what: str,
    points: Curves,
    numbers: Mapping[Point, float | None],
    folds: int,
    utilities: Mapping[Point, Utility],
) -> Panel:
    place, rises = changes(points, numbers.get)
    of_l, of_k, of_m = rises.values()
    said = f"up to {place}: {', '.join(f'{name} {rise:+.4g}' for name, rise in rises.items())}"
    of_target = next(iter(points.values()))
    unsafe = {x: why for x, point in of_target.items() if (why := utilities[point].impossible)}
    least = min(unsafe, default=None)
    evidence = "" if least is None else f" Why none is safe at l = {least}: {unsafe[least]}."
    places, lines = series(points, numbers.get)
    return Panel(
        f"Figure 8 {title}, Adult in two tables, confidence {CONFIDENCE:g}",
        ("x", *points),
        rows_of(points, numbers.get),
        f"Means over {folds} training parts. The paper's curves did not survive in the text, so "
        f"the places on the axis are ours. {READING} Where no release is safe the paper draws a "
        f"single group of everybody; here that is impossible.{evidence}",
        (
            Claim(
                "more knowledge about the target (l) costs the most", said, of_l >= max(of_k, of_m)
            ),
            Claim("more knowledge about others (k) costs little", said, of_k <= min(of_l, of_m)),
            Claim(
                "from l = 12 on everybody is in one group, which may not even be safe",
                "no l is impossible" if least is None else f"nothing is safe from l = {least} on",
                least is not None and least <= 12,
            ),
        ),
        Chart("lines", "l, k or m", what, places, lines),
    )


def table_3(*, quick: bool) -> Panel:
    """Section 8.4: protection by value against the strongest protection for all values."""
    table = people([*QUASI_IDENTIFIERS, TARGET], quick=quick)
    folds = QUICK_FOLDS if quick else FOLDS
    validations = []
    for criterion in (VALUE_CENTRIC, ATTRIBUTE_CENTRIC):
        report("table 3")
        validations.append(cross_validate(table, criterion, METHOD, TARGET, folds, seed=SEED))
    by_value, by_attribute = validations
    sizes = [each.average_group_size for each in validations]
    kl = [each.kl_divergence for each in validations]
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
        "paper does not say how it ordered categories and which cuts it tried. That matters most "
        "for the size of groups that protect all values alike: there are about a dozen of them, "
        "and one cut more or less changes it much.",
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
        f"{percent(accuracy)} and {percent(original)}",
        abs(accuracy - original) < 0.02,
    )
