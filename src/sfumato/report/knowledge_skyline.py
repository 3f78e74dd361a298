"""What does the adversary have to know? The knowledge skyline of a release (Chen 2009, 4.3)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.finding import text_of
from sfumato.attacks.knowledge.amounts import witness_account
from sfumato.attacks.known_method.membership import Membership, members_of
from sfumato.attacks.target import Target, View
from sfumato.attacks.values_per_person import case_of
from sfumato.data.recoding import Bucketing
from sfumato.errors import BadInput, CannotRun, nearest, shown
from sfumato.files.json_text import readable_json
from sfumato.files.reports import write
from sfumato.formulas.knowledge.breach import CASES, Case, Point, largest_breach
from sfumato.formulas.knowledge.skyline import knowledge_skyline as points_of
from sfumato.formulas.knowledge.witness import Witness, witness
from sfumato.html import html_table
from sfumato.parameters import file_path, number, one_of
from sfumato.release import Release
from sfumato.release.columns.look_alikes import LookAlikes
from sfumato.report.page import offline
from sfumato.report.page.line_chart import Chart
from sfumato.report.page.skyline import TITLE, SkylineContents
from sfumato.table import Table
from sfumato.text import counted, listed, people, percent, plain

SCHEMA = "sfumato-skyline/1"
MOST_PEOPLE = 12  # named of a group
MOST_POINTS = 100  # shown
MOST_LINES = 8  # of a chart
AXES = {"l": "one more value", "k": "one more person", "m": "one more relative"}


def knowledge_skyline(
    release: Release | Table,
    value: object = None,
    confidence: float | Fraction | str = 0.95,
    attribute: str | None = None,
    case: Case | None = None,
    original: object = None,
) -> KnowledgeSkyline:
    """Find out how much an adversary has to know to be sure of a sensitive value.

    Works for a release however it was made, and for another tool's table from `sf.read`.

    Args:
        release: What is published.
        value: The sensitive value; None: any value of the column.
        confidence: How sure is too sure: from this on it is a breach.
        attribute: The sensitive column, when there are several.
        case: What one person can have: "single", "set" or "multiset". None: as promised, or as the
            column is.
        original: The table that it was made from, to name the people whom knowledge would give
            away; not needed in the process that made the release.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> release = sf.anonymize(patients, sf.KAnonymity(5), sf.Samarati())
    >>> skyline = sf.knowledge_skyline(release, "HIV", confidence=0.9)
    >>> skyline.points[0]
    Point(l=0, k=0, m=39)
    """
    if case is not None:
        one_of("knowledge_skyline", "case", case, CASES)
    target = Target.of(release, original)
    view = target.view(attribute, others=False)
    histogram = view.groups.histogram
    codes: Sequence[int] = np.unique(histogram.codes).tolist()
    if value is not None:
        known = [view.label(code) for code in codes]
        codes = [code for code in view.groups.codes_of([value]).tolist() if code in codes]
        if not codes:
            if isinstance(release, Release):  # its values are public
                raise BadInput(
                    f"knowledge_skyline: nobody has {shown(value)}{nearest(str(value), known)}"
                )
            raise BadInput(f"knowledge_skyline: nobody has {shown(value)}; known are others", known)
    c = number("knowledge_skyline", "confidence", confidence, above=0, most=1)
    kind = case_of(target, view.attribute, case)
    points = points_of(histogram, view.sizes, c, kind, codes)
    alike = release.look_alikes if isinstance(release, Release) else LookAlikes.of(release)
    return KnowledgeSkyline(
        target, view, kind, float(c), codes, value is None, tuple(sorted(points)), alike
    )


@dataclass(frozen=True, eq=False)
class KnowledgeSkyline:
    """The most that an adversary may know without being sure, and what one fact more would do.

    A point (l, k, m): up to l values ruled out for the target, k other people known, m members of
    the target's family known. Of sets: l values that the target has only together with the one in
    question ("tied to it"), and k other people who lack it. With all that lies beneath a point
    nobody is sure; with what lies beneath none, somebody may be.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> release = sf.anonymize(patients, sf.KAnonymity(5), sf.Samarati())
    >>> skyline = sf.knowledge_skyline(release, "HIV", confidence=0.9)
    >>> skyline.points[0]
    Point(l=0, k=0, m=39)
    """

    target: Target
    view: View
    case: Case
    confidence: float
    codes: Sequence[int]  # of the values it is about
    every_value: bool
    points: tuple[Point, ...]
    look_alikes: LookAlikes

    @property
    def heading(self) -> str:
        """What this is about."""
        what = "any value" if self.every_value else repr(self.view.label(self.codes[0]))
        return (
            f"{what} of {self.view.attribute!r}, {percent(self.confidence)} sure, in a table of "
            f"{people(self.target.n_people)}"
        )

    @property
    def story(self) -> str:
        """The same in a sentence."""
        if not self.points:
            return "The release alone is enough to be that sure of somebody."
        if len(self.points) == 1:
            return self._one_point
        n = counted(len(self.points), "point")
        more = len(self.points) > len(self.shown)
        return (
            f"{n}: whoever knows no more than at one of them is not that sure of anybody; one fact "
            f"more than that can be enough.{f' The first {MOST_POINTS} are shown.' if more else ''}"
        )

    @property
    def _one_point(self) -> str:
        """Say what the only point means, and what one fact more does."""
        (point,) = self.points
        values, known = (
            ("ruled out", "known")
            if self.case == "single"
            else ("tied to it", "known to be without it")
        )
        amounts = (
            f"{counted(point.l, 'value')} {values}, "
            f"{counted(point.k, 'other person', 'other people')} {known} and "
            f"{counted(point.m, 'relative')} known"
        )
        more = listed([f"{percent(b)} with {name}" for name, b in self.one_more])
        return (
            f"1 point: with {amounts}, and with less, nobody is that sure of anybody. One fact "
            f"more makes {more}."
        )

    @property
    def one_more(self) -> list[tuple[str, Fraction]]:
        """How sure one fact more of each kind makes somebody, beyond the first point."""
        beyond = self.beyond[self.points[0]]
        return [(text, beyond[axis].breach) for axis, text in AXES.items() if axis in beyond]

    @property
    def named(self) -> list[tuple[str, str]]:
        """What only looks different, in words: each spelling counts as a value of its own."""
        return self.look_alikes.lines

    @property
    def shown(self) -> tuple[Point, ...]:
        """The points of which it is worked out what one fact more would do."""
        return self.points[:MOST_POINTS]

    @property
    def header(self) -> tuple[str, ...]:
        """What the columns of `rows` are."""
        single = self.case == "single"
        return (
            "values ruled out (l)" if single else "values tied to it (l)",
            "people known (k)" if single else "people without it (k)",
            "relatives known (m)",
            *(f"with {text}" for text in AXES.values()),
        )

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """A line for every point shown: the amounts, and the belief with one fact more."""
        lines = []
        for point in self.shown:
            beyond = self.beyond[point]
            beliefs = [percent(beyond[axis].breach) if axis in beyond else "-" for axis in AXES]
            lines.append((str(point.l), str(point.k), str(point.m), *beliefs))
        return lines

    @cached_property
    def beyond(self) -> Mapping[Point, Mapping[str, Witness]]:
        """Who is given away by one fact more, for every point shown and each kind of fact."""
        return {
            point: {
                axis: self._witness(further)
                for axis in AXES
                if (further := self._further(point, axis)) is not None
            }
            for point in self.shown
        }

    def _further(self, point: Point, axis: str) -> Point | None:
        """Go one step on; None where there is no more to know."""
        further = point._replace(**{axis: getattr(point, axis) + 1})
        n_others = len(np.unique(self.view.groups.histogram.codes)) - 1
        return None if further.l > n_others else further

    def _witness(self, point: Point) -> Witness:
        histogram, sizes = self.view.groups.histogram, self.view.groups.sizes
        code: int | None = self.codes[0]
        if self.every_value:
            _, code = largest_breach(histogram, sizes, point, self.case)
        assert code is not None  # noqa: S101  (somebody has a value)
        return witness(histogram, sizes, code, point, self.case)

    def witnesses(self) -> Iterator[tuple[Point, str, dict[str, Any]]]:
        """Say for every point who would be given away, and by what; for the steward alone.

        With the original at hand also who the people are, by their quasi-identifiers.
        """
        steps = [
            (point, AXES[axis], each)
            for point, by_axis in self.beyond.items()
            for axis, each in by_axis.items()
        ]
        if not self.points:
            nothing = Point(0, 0, 0)
            steps = [(nothing, "nothing more", self._witness(nothing))]
        for point, step, each in steps:
            yield (
                point,
                step,
                witness_account(self.target, self.view, each, self.case) | self._people(each),
            )

    def _people(self, worst: Witness) -> dict[str, Any]:
        named = {"who has it": self._named(worst.group, {worst.value})}
        if worst.others_have and worst.others_group is not None:
            values = {value for value, _ in worst.others_have}
            named["others to know"] = self._named(worst.others_group, values)
        if worst.family_group is not None and self.case == "single":
            named["relatives to know"] = self._named(worst.family_group, None)  # whoever they are
        return {key: people for key, people in named.items() if people}

    def _named(self, group: int, values: set[object] | None) -> list[dict[str, object]]:
        """Name people of a group who have one of some values, by their quasi-identifiers."""
        recoding = self.target.recoding
        if recoding is not None and recoding.buckets is not None:
            return _in_bucket(recoding.buckets, self._number(group), self.view.attribute, values)
        members = self._members
        if members is None:
            return []
        frequencies = members.frequencies
        place = _place(members, self.target, int(self.view.owner[group]))
        if place is None:
            return []
        inside = members.combination[members.starts[place] : members.starts[place + 1]]
        there = np.isin(frequencies.combination_of, inside)
        if values is not None:
            there &= np.isin(frequencies.codes(self.view.attribute), _codes(values))
        keys = np.flatnonzero(there)
        return [
            members.values(int(frequencies.combination_of[key]))
            | {"people": int(frequencies.counts[key])}
            for key in keys[:MOST_PEOPLE].tolist()
        ]

    def _number(self, group: int) -> int:
        """Give the number of a group of two tables, from 0."""
        (label,) = self.target.published_labels(int(self.view.owner[group])).values()
        return int(str(label)) - 1

    @cached_property
    def _members(self) -> Membership | None:
        """Who is in which group; None where that is not known."""
        if self.target.as_they_are:
            return None
        try:
            members = members_of(self.target)
        except CannotRun:
            return None
        return None if members.splits or self.case != "single" else members

    @property
    def chart(self) -> Chart:
        """The surface: the most people known, over relatives known, a line for values ruled out."""
        most_m = max((point.m for point in self.points), default=0)
        most_l = max((point.l for point in self.points), default=0)
        places = tuple(float(m) for m in range(most_m + 1))
        how = "ruled out" if self.case == "single" else "tied to it"
        chosen = sorted({round(j * most_l / (MOST_LINES - 1)) for j in range(MOST_LINES)})
        series = {
            f"{counted(l, 'value')} {how}": [
                max((p.k for p in self.points if p.l >= l and p.m >= m), default=None)
                for m in range(most_m + 1)
            ]
            for l in chosen
        }
        return Chart("steps", "relatives known", "people known at most", places, series)

    @property
    def _meaning(self) -> str:
        """Say what is counted."""
        relatives = "Relatives are people who have the value only if the target has it."
        if self.case == "single":
            return (
                "Ruled out are values that the target is known not to have. Known people are "
                f"others whose value is known. {relatives}"
            )
        return (
            "Tied to the value are others that the target has only together with it. People "
            f"without it are others known not to have it. {relatives} Anybody may have no value at "
            "all; who knows better believes more."
        )

    def to_json(self, *, private: bool = False) -> dict[str, Any]:
        """Plain values for a machine; with `private`, who would be given away."""
        written: dict[str, Any] = {
            "schema": SCHEMA,
            "attribute": self.view.attribute,
            "value": None if self.every_value else text_of(self._label),
            "confidence": self.confidence,
            "case": self.case,
            "people": self.target.n_people,
            "look_alikes": self.look_alikes.to_json(),
            "points": [
                {
                    "l": point.l,
                    "k": point.k,
                    "m": point.m,
                    "belief_with_one_more": {
                        axis: float(worst.breach)
                        for axis, worst in self.beyond.get(point, {}).items()
                    },
                }
                for point in self.points
            ],
        }
        if private:
            written["private"] = True
            written["witnesses"] = [
                {"point": list(point), "beyond": step, **plain(account)}
                for point, step, account in self.witnesses()
            ]
        return written

    @property
    def _label(self) -> object:
        return self.view.groups.labels[self.codes[0]]

    def save(self, directory: str | Path) -> Path:
        """Write `skyline.html`, one page that opens offline, and `skyline.json`."""
        place = file_path("save", directory)
        shown = self._contents
        texts = {
            "skyline.html": offline(TITLE, shown.sections(), shown.figures),
            "skyline.json": readable_json(self.to_json()) + "\n",
        }
        write(place, texts, private=False)
        return place / "skyline.html"

    @property
    def _contents(self) -> SkylineContents:
        """What the page says."""
        beliefs = self.one_more if len(self.points) == 1 else []
        return SkylineContents(
            self.heading,
            self.story,
            self.named,
            self._meaning,
            self.confidence,
            self.chart,
            [(text, float(belief)) for text, belief in beliefs],
            self.header,
            self.rows,
        )

    def __repr__(self) -> str:
        lines = [f"{self.heading}: {self.story}"]
        lines += [f"  (l, k, m) = ({p.l}, {p.k}, {p.m})" for p in self.points]
        lines += [f"{name}: {said}" for name, said in self.named]
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return html_table(self.header, self.rows, f"{self.heading}. {self.story}")


def _in_bucket(
    buckets: Bucketing, number: int, attribute: str, values: set[object] | None
) -> list[dict[str, object]]:
    """Name people of a group of two tables, who have one of some values.

    Nobody, where people of one combination were dealt out whatever their values are.
    """
    counted = buckets.combinations
    if attribute not in counted.columns:
        return []
    keys, groups, people = buckets.parts.T
    inside = np.flatnonzero((groups == number) & (people > 0))
    codes, members = counted.codes(attribute)[keys[inside]], counted.domains[attribute].members
    if values is None:
        having = inside
    elif members is None:
        having = inside[np.isin(codes, _codes(values))]
    else:
        position, single, _ = members.of(codes)
        having = inside[np.unique(position[np.isin(single, _codes(values))])]
    columns = {
        name: [counted.domains[name].labels[code] for code in counted.codes(name)[keys[having]]]
        for name in counted.quasi_identifiers
    }
    rows = zip(*columns.values(), strict=True)
    return [
        dict(zip(columns, row, strict=True)) | {"people": int(n)}
        for row, n in list(zip(rows, people[having].tolist(), strict=True))[:MOST_PEOPLE]
    ]


def _codes(values: set[object]) -> NDArray[np.int32]:
    return np.array([*values], dtype=np.int32)


def _place(members: Membership, target: Target, group: int) -> int | None:
    """Find a published group among the members' groups, which may be in another order.

    Its box tells, not its labels: a node of a tree is published by its name, a region by its cuts.
    """
    assert target.original is not None  # noqa: S101  (or there are no members)
    box = target.boxes_in(target.original)[group]
    same = np.flatnonzero((members.boxes == box).all(axis=(1, 2)))
    return int(same[0]) if len(same) else None
