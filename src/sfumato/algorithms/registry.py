"""Which algorithm goes with which criterion, and how."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.algorithms.algorithm import Algorithm
from sfumato.algorithms.bcf import BCFAnonymizer, not_in_series
from sfumato.algorithms.grouping.anatomy import Anatomy, not_by_different_values
from sfumato.algorithms.grouping.by_sensitive import SensitiveGrouping
from sfumato.algorithms.grouping.greedy import (
    GreedyGrouping,
    RandomizedGrouping,
    no_margin,
    not_anatomized,
)
from sfumato.algorithms.grouping.one_group import OneGroup
from sfumato.algorithms.grouping.symmetric import SymmetricGrouping
from sfumato.algorithms.lattice.exhaustive import Exhaustive
from sfumato.algorithms.lattice.incognito import Incognito
from sfumato.algorithms.lattice.optimal import Optimal
from sfumato.algorithms.lattice.samarati import Samarati
from sfumato.algorithms.mondrian import Mondrian
from sfumato.algorithms.recode import Recode
from sfumato.algorithms.skyline_mondrian import SkylineMondrian, not_by_regions
from sfumato.algorithms.top_down import TopDown
from sfumato.criteria import (
    AlphaKAnonymity,
    BCFAnonymity,
    CKSafety,
    Criterion,
    KAnonymity,
    KEAnonymity,
    LDiversity,
    PersonalizedPrivacy,
    PSensitiveKAnonymity,
    RecursiveDiversity,
    Skyline,
    TCloseness,
)
from sfumato.criteria.judging import guarding_column
from sfumato.errors import BadInput

# One of each, for tables and tests; every kind of a criterion that behaves differently.
METHODS: tuple[Algorithm, ...] = (
    Samarati(),
    Samarati(0.1),
    Incognito(),
    Incognito(0.1, prefer="distribution"),
    Exhaustive(0.1, prefer="suppression"),
    Optimal("loss"),
    Optimal("discernibility", 0.1),
    Mondrian(),
    Mondrian(strict=False),
    Mondrian(dimensions="widest"),
    TopDown(),
    TopDown("cut"),
    BCFAnonymizer(),
    Anatomy(),
    GreedyGrouping(),
    GreedyGrouping(margin=2),
    GreedyGrouping(anatomize=True),
    RandomizedGrouping(0.65),
    SymmetricGrouping(),
    SensitiveGrouping(),
    OneGroup(),
    SkylineMondrian(),
    SkylineMondrian("median", publish="bucketized"),
)
CRITERIA_OF_EACH_KIND: tuple[Criterion, ...] = (
    KAnonymity(3),
    LDiversity(2),
    LDiversity("3/2", "entropy"),
    LDiversity("3/2", "frequency"),
    RecursiveDiversity(3, 2),
    TCloseness("1/2"),
    TCloseness("1/2", "ordered"),
    TCloseness("1/2", "hierarchical"),
    AlphaKAnonymity("2/3", 3),
    PSensitiveKAnonymity(2, 3),
    KEAnonymity(3, 1),
    PersonalizedPrivacy("3/2", "guard"),
    CKSafety("9/10", 1),
    Skyline([(1, 2, 0, "9/10"), (0, 1, 1, "4/5")]),
    Skyline({"9": [(1, 1, 1, "9/10")]}, default=[(1, 0, 0, "9/10")], case="set"),
    BCFAnonymity(3),
)
# Those that judge all groups of a release together, and not one that is in the making.
LOOKS_AT_ALL = (Exhaustive, Optimal, Recode, OneGroup, SkylineMondrian)  # and derived ones
# Those that bring along what people guard, and never split a combination between groups.
KEEPS_GUARDS = (Exhaustive, Optimal, Mondrian, Recode)  # and what they are the base of


@dataclass(frozen=True)
class Pair:
    """What becomes of one algorithm with one criterion."""

    method: Algorithm
    criterion: Criterion
    refused: str | None  # why they do not go together
    note: str | None = None  # what is different about them


def pair(method: Algorithm, criterion: Criterion) -> Pair:
    """Look up a pair."""
    refused = note = None
    union_is_safe = criterion.monotone(suppression=False)
    if isinstance(method, Mondrian) and not method.strict and not union_is_safe:
        refused = (
            "relaxed regions may be published under the same box, and a union of safe groups need "
            "not be safe"
        )
    elif guarding_column(criterion) is not None and not (
        isinstance(method, KEEPS_GUARDS)
        or getattr(method, "recoding", None) == "cut"
        or (isinstance(method, SkylineMondrian) and not method.bucketized)
    ):
        refused = (
            "what people guard is not published, so it has to be known who is in which group, and "
            "this method may split people who are alike"
        )
    if not all(part.by_group for part in criterion.parts) and not isinstance(method, LOOKS_AT_ALL):
        refused = refused or (
            "what is known of people in one group matters to those in others, and this method "
            "judges one group at a time; SkylineMondrian is made for a Skyline, and Optimal, "
            "Samarati, Incognito and OneGroup look at all groups too"
        )
    if any(part.sets for part in criterion.parts) and not method.sets:
        refused = refused or (
            "sets of values are published as two tables only, of people and of values, and this "
            "method is about one value for each person"
        )
    if isinstance(method, SkylineMondrian):
        refused = refused or not_by_regions(criterion)
    if isinstance(method, Anatomy):
        refused = refused or not_by_different_values(criterion)
    refused = not_in_series(method, criterion) or refused
    refused = refused or not_anatomized(method, criterion) or no_margin(method, criterion)
    suppression = bool(getattr(method, "max_suppressed", 0))
    if isinstance(method, (Samarati, Incognito)) and not criterion.monotone(
        suppression=suppression
    ):
        note = "not monotone when rows may be suppressed: all nodes are tried"
        if not union_is_safe:
            note = "not monotone: all nodes are tried"
    return Pair(method, criterion, refused, note)


def check_pair(method: Algorithm, criterion: Criterion) -> None:
    """Refuse what does not go together, with the reason."""
    refused = pair(method, criterion).refused
    if refused is not None:
        raise BadInput(f"{method} cannot enforce {criterion}: {refused}")


def check_sets(method: Algorithm, column: str | None, person: str | None) -> None:
    """Refuse a set-valued column where the method is about one value for each person."""
    if column is None or method.sets:
        return
    why = (
        "it puts people into groups by the one value that each of them has"
        if method.bucketized
        else "a person's values would be published together, and these are known only apart: as "
        "two tables, of people and of values"
    )
    able = " or ".join(sorted({f"sf.{each}" for each in METHODS if each.sets}))
    by = "" if person is None else f" by {person!r}"
    raise BadInput(
        f"{method} cannot publish {column!r}, of which people have any number of values{by}: "
        f"{why}; use {able}"
    )


def all_pairs() -> list[Pair]:
    """Every method with every kind of criterion."""
    return [pair(method, criterion) for method in METHODS for criterion in CRITERIA_OF_EACH_KIND]


def markdown() -> str:
    """Write the table of pairs for the documentation."""
    names = [str(criterion) for criterion in CRITERIA_OF_EACH_KIND]
    lines = ["| | " + " | ".join(f"`{name}`" for name in names) + " |"]
    lines.append("|---" * (len(names) + 1) + "|")
    notes: dict[str, int] = {}
    for method in METHODS:
        cells = []
        for criterion in CRITERIA_OF_EACH_KIND:
            found = pair(method, criterion)
            text = "refused" if found.refused else "yes"
            remark = found.refused or found.note
            if remark:
                text += f" ({notes.setdefault(remark, len(notes) + 1)})"
            cells.append(text)
        lines.append(f"| `{method}` | " + " | ".join(cells) + " |")
    lines += ["", *(f"({number}) {remark}." for remark, number in notes.items())]
    return "\n".join(lines)
