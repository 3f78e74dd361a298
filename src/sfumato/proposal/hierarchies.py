"""A hierarchy for every quasi-identifier, with what each level makes of one value."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal

from sfumato.data.hierarchy import Categories, Dates, Flat, Hierarchy, Intervals, Prefix
from sfumato.data.hierarchy.proposed import proposed_bands
from sfumato.engines.look import ColumnLook
from sfumato.errors import BadInput
from sfumato.proposal.names import parts_of
from sfumato.proposal.patterns import ISO, POSTAL
from sfumato.proposal.roles import Judgement, date_format

FEW = 12  # different numbers, of which each may be published as it is
MANY = 30  # different texts, of which sets would be long
NAMED = (50, 20, 10, 5)  # people who make a text common, if they are a hundredth of all
AGES = (5, 10, 20)
OLD = 89  # years; above, ages single people out


@dataclass(frozen=True)
class ProposedHierarchy:
    """A rule, why it was chosen, and the levels of one value of the table (private)."""

    rule: Hierarchy
    reason: str
    example: tuple[str, ...] = field(repr=False)


def hierarchy_for(look: ColumnLook, judged: Judgement) -> ProposedHierarchy:
    """Choose a rule by what the column is about and how its values are written."""
    rule, reason = _rule(look, judged)
    return ProposedHierarchy(rule, reason, _levels(rule, look))


def _rule(look: ColumnLook, judged: Judgement) -> tuple[Hierarchy, str]:
    if (form := date_format(look)) is not None:
        return (Dates() if form == ISO else Dates(form)), "day, month, year, decade"
    postal = any(look.share(what) >= 0.95 for what in POSTAL)
    if judged.about == "postal codes" and (postal or not is_numeric(look)):
        return Prefix(), "codes that lose one sign after the other from the right"
    if not is_numeric(look):
        if fewest := fewest_named(look):
            return Categories(min_count=fewest), "many texts or rare ones: those of few are other"
        return Flat(), "a value is published as it is or not at all; a tree may keep more"
    if look.n_values <= FEW or _is_numbered(look, judged):
        return Flat(), "numbers that are names, or few: each as it is or not at all"
    if judged.about == "age" and _whole_years(look):
        top = OLD + 1 if look.numbers is not None and look.numbers.highest > OLD else None
        return Intervals(*AGES, top=top), "ranges of years"
    widths = [float(width) for width in widths_for(look)]
    if not widths:
        return Flat(), "numbers that nearly everybody shares, each as it is or not at all"
    return Intervals(*widths), "ranges that part most people into about ten"


def is_numeric(look: ColumnLook) -> bool:
    """Whether all values are numbers."""
    return look.numbers is not None and look.numbers.n_rows == look.n_present > 0


def fewest_named(look: ColumnLook) -> int | None:
    """Give a round number of people from which on a text is named; None if that parts nothing.

    >>> def look(n_values: int, *common: tuple[str, int]) -> ColumnLook:
    ...     return ColumnLook("city", "text", 3000, 0, n_values, 0, 9, 0, {}, None, (), common)
    >>> fewest_named(look(2, ("Ulm", 2000), ("Bonn", 1000)))
    >>> fewest_named(look(90, ("Ulm", 2000), ("Bonn", 900), ("Hof", 9)))
    20
    """
    for fewest in NAMED:
        named = [n for _, n in look.common if n >= fewest]
        all_named = len(named) == len(look.common)  # and maybe more than were looked at
        enough = sum(named) * 2 >= look.n_present or all_named
        if named and enough and (fewest * 100 <= look.n_rows or fewest == NAMED[-1]):
            many_rare = look.n_values > 2 * len(named) and not all_named
            return fewest if look.n_values > MANY or many_rare else None
    return None


def _is_numbered(look: ColumnLook, judged: Judgement) -> bool:
    """Whether numbers stand for places or origins, and are no amounts."""
    counts_people = any(part.startswith("popul") for part in parts_of(look.column))
    whole = look.numbers is not None and look.numbers.n_whole == look.numbers.n_rows
    return whole and judged.about in ("place", "origin") and not counts_people


def _whole_years(look: ColumnLook) -> bool:
    numbers = look.numbers
    return numbers is not None and numbers.lowest >= 0 and 20 < numbers.highest <= 130


def widths_for(look: ColumnLook) -> tuple[Decimal, ...]:
    """Give round widths that nest, from what a twentieth of the people, two, three, ... have."""
    share = max(1, look.n_present // len(look.quantiles)) if look.quantiles else 1
    return proposed_bands(look.quantiles, [share] * len(look.quantiles)).widths


def _levels(rule: Hierarchy, look: ColumnLook) -> tuple[str, ...]:
    """Publish the most common value at each level; one beyond a bound would show no range."""
    if not look.common:
        return ()
    values = [value for value, _ in look.common]
    within = [value for value in values if rule.tails is None or rule.tails.text(value) is None]
    try:
        domain, _ = rule.grow(look.column, (within or values)[:1])
    except BadInput:
        return ()
    return tuple(str(level[0]) for level in domain.taxonomy.labels)
