"""How many people are alike, and so how probable it is to recognize them: before and after."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from sfumato.criteria import MaxRisk
from sfumato.data.groups import GroupSizes
from sfumato.html import html_table
from sfumato.text import count, people, plural

RISKS = ("0.5", "0.33", "0.2", "0.09", "0.05")  # that rules and agencies name; the highest first
SIZES = {risk: MaxRisk(risk).k for risk in RISKS}  # people alike who keep to a risk, exactly
BEFORE, AFTER, AS_IT_IS = "before", "after", "as it is"
SAID = {
    BEFORE: "Before, with the values as read,",
    AFTER: "After, as published,",
    AS_IT_IS: "In the table as it is,",
}
TWO_TABLES = (
    "Two tables publish the quasi-identifiers as they are, so nobody is harder to recognize; what "
    "they hide is whose the values of a group are."
)


@dataclass(frozen=True)
class Band:
    """Sizes of groups between two of the risks.

    >>> [str(band) for band in BANDS]
    ['1', '2 to 3', '4', '5 to 11', '12 to 19', '20 or more']
    >>> BANDS[1].risk, BANDS[-1].risk
    ('above 0.33', '0.05 or less')
    """

    low: int
    high: int | None  # None: or more
    above: str | None  # the risk that everybody here and in smaller groups is above; None: none

    def __str__(self) -> str:
        if self.high is None:
            return f"{self.low} or more"
        return f"{self.low}" if self.low == self.high else f"{self.low} to {self.high}"

    @property
    def risk(self) -> str:
        """The risk of its people, by the thresholds."""
        return f"{RISKS[-1]} or less" if self.above is None else f"above {self.above}"


def _bands() -> Iterator[Band]:
    low = 1
    for risk, enough in SIZES.items():
        yield Band(low, enough - 1, risk)
        low = enough
    yield Band(low, None, None)


BANDS = (*_bands(),)


@dataclass(frozen=True, eq=False, repr=False)
class PeopleByRisk:
    """People by the size of their group: of everybody alike in all quasi-identifiers.

    Whoever knows a person's quasi-identifiers recognizes the person with a probability of 1 by
    that size. What was before is about the original, and so for the steward alone; what is after
    can be counted by anybody in what is published, and is about the published people.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> risk = sf.anonymize(patients, sf.KAnonymity(5), sf.Samarati()).check().risk
    >>> risk.above("before", "0.09"), risk.above("after", "0.09")
    (889, 0)
    """

    states: Mapping[str, GroupSizes]  # before and after, one of them, or as it is
    n_suppressed: int = 0  # people who are not published
    notes: tuple[str, ...] = ()

    def above(self, state: str, risk: str) -> int:
        """Count the people with a risk above one of `RISKS`."""
        return self.states[state].people_below(SIZES[risk])

    @property
    def sentences(self) -> list[str]:
        """Say of each state how many people are above each risk."""
        said = [in_words(state, sizes) for state, sizes in self.states.items()]
        if self.n_suppressed:
            said.append(left_out(self.n_suppressed))
        return [*said, *self.notes]

    @property
    def header(self) -> tuple[str, ...]:
        """What the columns of `rows` are; behind each number of people stands a bar."""
        return ("group size", "risk", *(cell for state in self.states for cell in (state, "")))

    def rows(self, longest: int = 16, letter: str = "#") -> list[tuple[str, ...]]:
        """Draw people over group size, a row for each band."""
        drawn = [_drawn(sizes, longest, letter) for sizes in self.states.values()]
        return [
            (str(band), band.risk, *(cell for state in drawn for cell in state[j]))
            for j, band in enumerate(BANDS)
        ]

    def to_json(self) -> dict[str, Any]:
        """Plain values for a machine."""
        states = {
            state.replace(" ", "_"): counted(state, sizes) for state, sizes in self.states.items()
        }
        return states | {"suppressed": self.n_suppressed, "notes": [*self.notes]}

    def __repr__(self) -> str:
        return "\n".join(self.sentences)

    def _repr_html_(self) -> str:
        return html_table(self.header, self.rows(letter="█"), " ".join(self.sentences))


def _drawn(sizes: GroupSizes, longest: int, letter: str) -> list[tuple[str, str]]:
    """Give the number of people of every band, with a bar for their share of all."""
    numbers = [sizes.part(band.low, band.high).n_people for band in BANDS]
    lengths = [-(-longest * n // max(sizes.n_people, 1)) for n in numbers]  # somebody: one letter
    return [(count(n), letter * length) for n, length in zip(numbers, lengths, strict=True)]


def left_out(n: int) -> str:
    """Say what became of suppressed people, whom nobody recognizes in what is published.

    >>> left_out(1)
    '1 person is left out, and in no published group.'
    """
    return f"{people(n)} {plural(n, 'is', 'are')} left out, and in no published group."


def in_words(state: str, sizes: GroupSizes) -> str:
    """Say how many people are above each risk, the lowest first.

    >>> import numpy as np
    >>> print(in_words("after", GroupSizes.of(np.array([3, 13, 30]))))
    After, as published, 16 of 46 people are in groups smaller than 20, with a risk of being
    recognized above 0.05; 3 in groups smaller than 12 (0.09), 3 smaller than 5 (0.2), 3 smaller
    than 4 (0.33), nobody alone (0.5).
    """
    *several, alone = ((sizes.people_below(SIZES[r]), SIZES[r], r) for r in reversed(RISKS))
    (n_above, fewer, risk), *rest = several
    everybody = people(sizes.n_people)
    if not n_above:
        return (
            f"{SAID[state]} none of {everybody} is in a group smaller than {fewer}, with a risk of "
            f"being recognized above {risk}."
        )
    parts = [f"{_some(n)} smaller than {size} ({r})" for n, size, r in rest]
    parts[0] = parts[0].replace("smaller", "in groups smaller")
    return (
        f"{SAID[state]} {count(n_above)} of {everybody} {plural(n_above, 'is', 'are')} in "
        f"groups smaller than {fewer}, with a risk of being recognized above {risk}; "
        f"{', '.join(parts)}, {_some(alone[0])} alone ({alone[2]})."
    )


def _some(n: int) -> str:
    return count(n) if n else "nobody"


def counted(state: str, sizes: GroupSizes) -> dict[str, Any]:
    """Give what a chart of one state shows, as plain values."""
    parts = [(band, sizes.part(band.low, band.high)) for band in BANDS]
    return {
        "people": sizes.n_people,
        "groups": sizes.n,
        "words": in_words(state, sizes),
        "above": [
            {"risk": float(risk), "smaller_than": size, "people": sizes.people_below(size)}
            for risk, size in SIZES.items()
        ],
        "sizes": [
            {"from": band.low, "to": band.high, "groups": part.n, "people": part.n_people}
            for band, part in parts
        ],
    }
