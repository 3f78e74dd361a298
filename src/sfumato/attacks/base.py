"""What is attacked, what an attack finds, and how an attack makes itself known."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms import Algorithm
from sfumato.attacks.correspondence.given_releases import series_of
from sfumato.attacks.matching import boxes_in, fits, fitting
from sfumato.criteria import Criterion
from sfumato.criteria.bound import Bound, Value, value_text
from sfumato.criteria.judging import validate
from sfumato.data.domain import MISSING_TEXT
from sfumato.data.frequency import Grouping, sum_by
from sfumato.data.groups import Counts, Groups
from sfumato.data.recoding import Recoding
from sfumato.doors import Registry
from sfumato.errors import BadInput, BrokenPromise, CannotRun
from sfumato.html import html_table
from sfumato.published.public_view import Earlier
from sfumato.release import Release
from sfumato.release.beside.previous import Previous
from sfumato.table import Table, read

ATTACKS: Registry[Attack] = Registry("attack", "sfumato.attacks")  # in the order of findings


NO_CERTAINTY = Bound("<", 1, assumed=True)
KNOWN = "the target's quasi-identifiers"  # what every adversary knows of a person
PER_CENT = ("belief", "share of rows")
EXACT = 17  # digits of a float


@dataclass(frozen=True, eq=False)
class Finding:
    """What one adversary learns from a release, beside what was promised."""

    attack: str
    attribute: str | None  # the sensitive column it is about; None: identities
    knows: str  # beyond the release and how it was made, in plain words
    unit: str
    before: Value  # without the release, or without the extra knowledge
    found: Value  # about the person worst off
    promised: Bound | None  # None: nothing was promised about this
    holds: bool | None  # None: no verdict
    n_exceeding: int  # people for whom the promise is not kept
    n_people: int  # people in the release
    note: str | None = None
    interval: tuple[float, float] | None = None  # of a sampled answer
    # Whom it strikes worst: published values, the sensitive value, numbers. For the steward alone.
    worst: Mapping[str, Any] | None = field(default=None, repr=False)

    @property
    def verdict(self) -> str:
        """What a person reads."""
        if self.holds is None:
            return "nothing promised" if self.promised is None else "no verdict"
        people = "1 person" if self.n_exceeding == 1 else f"{self.n_exceeding} people"
        if self.promised is not None and self.promised.assumed:
            if not self.holds:
                return f"CERTAIN for {people}"
            return "certain before, too" if self.found == 1 else "nobody is certain"
        return "holds" if self.holds else f"FAILS for {people}"

    @property
    def name(self) -> str:
        """The attack, and the column it is about."""
        return self.attack if self.attribute is None else f"{self.attack} ({self.attribute})"

    def to_json(self, *, private: bool = False) -> dict[str, Any]:
        """Plain values for a machine; with `private`, who is worst off."""
        written: dict[str, Any] = {
            "attack": self.attack,
            "attribute": self.attribute,
            "knows": self.knows,
            "unit": self.unit,
            "before": plain(self.before),
            "promised": None if self.promised is None else plain(vars(self.promised)),
            "found": plain(self.found),
            "people_exceeding": self.n_exceeding,
            "people": self.n_people,
            "holds": self.holds,
            "verdict": self.verdict,
            "interval": None if self.interval is None else list(self.interval),
            "note": self.note,
        }
        if private and self.worst is not None:
            written["worst"] = {name: plain(value) for name, value in self.worst.items()}
        return written

    def text(self, value: Value) -> str:
        """Write a number in the finding's unit: beliefs in per cent."""
        if self.unit in PER_CENT and isinstance(value, (int, float, Fraction)):
            return percent(value)
        unit = self.unit
        if value == 1:
            unit = unit.replace("values", "value").replace("records", "record")
        return f"{value_text(value)} {unit}"

    @property
    def found_text(self) -> str:
        """What was found, in the same unit; of a sample also the interval."""
        if self.interval is None:
            return self.text(self.found)
        low, high = self.interval
        return f"{self.text(self.found)} ({self.text(low)} to {self.text(high)})"

    @property
    def promise(self) -> str:
        """What was promised, in the same unit; in brackets what is only assumed."""
        if self.promised is None:
            return "-"
        text = f"{self.promised.relation} {self.text(self.promised.value)}"
        return f"({text})" if self.promised.assumed else text

    def __str__(self) -> str:
        promised = f"promised {self.promise}, " if self.promised else ""
        found = f"found {self.found_text} (before {self.text(self.before)})"
        note = "" if self.note is None else f"; {self.note}"
        return f"{self.name}: {promised}{found}: {self.verdict}{note}"

    def _repr_html_(self) -> str:
        rows = [
            ("knows", self.knows),
            ("before", self.text(self.before)),
            ("promised", self.promise),
            ("found", self.found_text),
            ("verdict", self.verdict if self.note is None else f"{self.verdict}; {self.note}"),
        ]
        return html_table(("", self.name), rows)


@dataclass(frozen=True, eq=False)
class Target:
    """A published table as an adversary sees it, and what the auditor has beside it."""

    seen: Grouping  # by what is published
    criterion: Criterion | None = None  # what was promised
    method: Algorithm | None = None
    n_suppressed: int = 0
    original: Table | None = None  # private
    external: Table | None = None  # a list of people that an adversary may have
    # Two tables: the quasi-identifiers, which are published as they are; `seen` has the groups.
    as_they_are: tuple[str, ...] = ()
    recoding: Recoding | None = None  # private: who of the original is in which group
    own: Earlier | None = None  # as a release among others; None: two tables
    previous: Previous = field(
        default_factory=Previous
    )  # releases of the same people that came before

    @classmethod
    def of(
        cls,
        subject: Release | Table | Target,
        original: object = None,
        criterion: Criterion | None = None,
        external: object = None,
        earlier: Sequence[object] = (),
    ) -> Target:
        """Look at a release, or at a published table of any origin.

        `original` and `external` are tables, or what `sf.read` can read: then the columns have the
        roles, and as far as they are public the hierarchies, that they have in the release.
        `earlier` are releases, directories of saved ones, or tables of any origin likewise.
        """
        if isinstance(subject, Target):
            return subject
        given = _opened(subject, original, sensitive=True)
        people = _opened(subject, external, sensitive=False)
        promised: Criterion | None
        method: Algorithm | None
        if isinstance(subject, Release):
            seen = subject.seen
            promised = subject.criterion if criterion is None else criterion
            given = subject.original if given is None else given
            method = subject.method
            n_suppressed = subject.n_suppressed
            as_they_are = _as_they_are(subject)
        elif isinstance(subject, Table):
            seen, promised = subject.frequencies().as_it_is(), criterion
            method, n_suppressed, as_they_are = None, 0, ()
        else:
            raise BadInput(
                "expected a release (sf.load opens a saved one), or a table from sf.read, got "
                f"{type(subject).__name__}"
            )
        own = subject.original if isinstance(subject, Release) else None
        if given is not None and given is not own:  # its own it has seen already
            seen = _seen_with(given, seen, n_suppressed, subject)
        if people is not None:
            by = as_they_are or seen.frequencies.quasi_identifiers
            refuse_other_columns("external", people, by)
        if promised is not None and criterion is not None:
            validate(promised, seen.frequencies)
        made_here = own is not None and given is own
        recoding = subject.recoding if isinstance(subject, Release) and made_here else None
        itself, previous = series_of(subject, earlier)
        return cls(
            seen,
            promised,
            method,
            n_suppressed,
            given,
            people,
            as_they_are,
            recoding,
            itself,
            previous,
        )

    @classmethod
    def public(
        cls,
        subject: Release | Table,
        criterion: Criterion | None = None,
        previous: Previous | None = None,
    ) -> Target:
        """Look at what everybody can see, as if there were no original at hand.

        `previous`: earlier releases, if others than those that the release itself knows.
        """
        own, known = series_of(subject)
        if isinstance(subject, Table):
            target = cls.of(subject, None, criterion)
            return replace(target, previous=previous or known)
        promised = criterion or subject.criterion
        return cls(
            subject.published,
            promised,
            subject.method,
            subject.n_suppressed,
            as_they_are=_as_they_are(subject),
            own=own,
            previous=previous or known,
        )

    @property
    def n_people(self) -> int:
        """People in the release."""
        return int(self.seen.sizes.sum())

    @property
    def sensitive(self) -> tuple[str, ...]:
        """The sensitive columns."""
        return self.seen.frequencies.sensitive

    @property
    def set_valued(self) -> str | None:
        """The sensitive column of which people have any number of values, if there is one."""
        domains = self.seen.frequencies.domains
        return next((name for name in self.sensitive if domains[name].members is not None), None)

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """The columns an adversary may know people by."""
        return self.as_they_are or self.seen.frequencies.quasi_identifiers

    def view(self, attribute: str | None, *, others: bool) -> View:
        """See the groups by one sensitive column; `others`: knowing people's others too."""
        if not self.sensitive:
            raise CannotRun("the release has no sensitive column")
        name = str(self.seen.frequencies.attribute(attribute))
        if not others:
            return View(name, self.seen.joint.by(name), np.arange(len(self.seen.sizes)))
        if len(self.sensitive) == 1:
            raise CannotRun("there is no other sensitive column to know")
        return View(name, *self.seen.joint.within(name))

    def parts(self, attribute: str, *, others: bool) -> list[Criterion]:
        """Give the parts of the promise that speak of a sensitive column as it is seen.

        A part about all columns is about each within the others. It holds of a union of groups
        that it holds of, so it is promised against somebody who knows less, too.
        """
        parts = () if self.criterion is None else self.criterion.parts
        about = (None,) if others else (None, attribute)
        return [part for part in parts if part.looks_at_values and part.attribute in about]

    def published(self, group: int) -> dict[str, str | None]:
        """The published quasi-identifiers of a group; its number where two tables are published."""
        columns = self.seen.frequencies.quasi_identifiers
        lows = self.seen.boxes[group, :, 0].tolist()
        domains = [self.seen.frequencies.domains[name] for name in columns]
        labels = [domain.labels[low] for domain, low in zip(domains, lows, strict=True)]
        texts = [None if label is None else str(label) for label in labels]
        return dict(zip(columns, texts, strict=True))

    def refuse_bucketized(self) -> None:
        """Refuse to look people up where quasi-identifiers are not hidden."""
        if self.as_they_are:
            raise CannotRun(
                "quasi-identifiers are published as they are, so anybody finds a person's group; "
                "what is hidden is whose the sensitive values of a group are"
            )

    def refuse_whole_sets(self) -> None:
        """Refuse to say what is believed where a person's several values stand together."""
        if self.set_valued is not None and self.seen.people is None:
            raise CannotRun(
                f"a person's values of {self.set_valued!r} stand together in this table, so that "
                "one of them gives away the others; beliefs are known where values are published "
                "apart from people"
            )

    def boxes_in(self, table: Table) -> NDArray[np.int32]:
        """Translate the published groups into ranks of another table's values."""
        return boxes_in(table.domains, self.seen)

    def fits(self, column: str, value: object) -> NDArray[np.bool_]:
        """Say which groups a person with a value may be in: a value as it is, or as published."""
        self.refuse_bucketized()
        if self.original is not None:
            domain = self.original.domains[column]
            rank = domain.code_of(value)
            if rank is not None:
                return fits(column, domain, rank, self.seen)
        code = self.seen.frequencies.domains[column].code_of(value)
        if code is None and self.original is None:
            raise CannotRun(
                f"nobody is published with this value of {column!r}; to find somebody by a value "
                "that is not published, give the original table"
            )
        j = self.quasi_identifiers.index(column)
        return np.asarray(self.seen.boxes[:, j, 0] == (-1 if code is None else code))


@dataclass(frozen=True, eq=False)
class View:
    """The groups seen by one sensitive column."""

    attribute: str
    groups: Groups
    owner: NDArray[np.intp]  # the published group of each

    @property
    def sizes(self) -> Counts:
        """People in each."""
        return self.groups.sizes

    def before(self, *codes: int) -> Fraction:
        """Share of a value, or of several together, in the whole table."""
        reference = self.reference
        return Fraction(int(reference[list(codes)].sum()), int(reference.sum()))

    @property
    def reference(self) -> Counts:
        """How many people of the whole table have each value."""
        assert self.groups.reference is not None  # noqa: S101  (for the type checker)
        return self.groups.reference

    def label(self, *codes: int) -> str:
        """A sensitive value, or several that count as one, as text."""
        return " or ".join(text_of(self.groups.labels[code]) for code in codes)

    def n_in(self, chosen: NDArray[np.bool_]) -> int:
        """People in some of the groups."""
        return int(self.sizes[chosen].sum())


class Attack(ABC):
    """One adversary: what he knows is in the fields, what he learns is the finding."""

    name: ClassVar[str]
    sets: ClassVar[bool] = False  # whether people may have any number of sensitive values

    def __init_subclass__(cls, **extra: Any) -> None:
        super().__init_subclass__(**extra)
        ATTACKS.join(cls)

    @property
    def called(self) -> str:
        """The name with what the adversary knows beside, as findings have it."""
        return self.name

    @classmethod
    @abstractmethod
    def against(cls, target: Target) -> Iterator[Attack]:
        """Give the attacks of this kind that an audit tries."""

    @abstractmethod
    def find(self, target: Target) -> Finding:
        """Attack; `CannotRun` where it does not apply."""

    def run(self, subject: Release | Table | Target, original: object = None) -> Finding:
        """Attack a release, or a published table of any origin."""
        target = Target.of(subject, original)
        if target.set_valued is not None and not self.sets:
            raise CannotRun(
                f"people have any number of values of {target.set_valued!r}, and this adversary "
                "counts on one for each"
            )
        return self.find(target)


def each_attribute(target: Target) -> Iterator[tuple[str, bool]]:
    """Give every sensitive column to attack, without and with knowing the others."""
    for others in (False, True) if len(target.sensitive) > 1 else (False,):
        for attribute in target.sensitive or (None,):
            yield attribute, others  # type: ignore[misc]  # None: refused with the reason


def plain(value: Any) -> Any:
    """Give a value that JSON can hold."""
    if isinstance(value, Fraction):
        return value.numerator if value.denominator == 1 else float(value)
    if isinstance(value, Mapping):
        return {str(key): plain(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, float) and not np.isfinite(value):
        return str(value)
    return value


def percent(share: float | Fraction) -> str:
    """Write a share in per cent; almost certain is not certain, almost impossible not impossible.

    >>> percent(Fraction(1, 3)), percent(Fraction(2999, 3000)), percent(Fraction(1, 48842))
    ('33.3 %', '99.97 %', '0.00205 %')
    """
    digits = 3
    while (text := f"{float(100 * share):.{digits}g}") == "100" and share < 1 and digits < EXACT:
        digits += 1
    return f"{Decimal(text):f} %"


def text_of(label: object) -> str:
    """Write a value for a person."""
    return MISSING_TEXT if label is None else str(label)


def listed(names: tuple[str, ...]) -> str:
    """Write names as a person would: a, b and c."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _opened(subject: object, given: object, *, sensitive: bool) -> Table | None:
    """Read what is no table yet, with the roles of the columns in the release."""
    if given is None or isinstance(given, Table):
        return given
    if isinstance(subject, Release):
        columns = subject.description.quasi_identifiers
        values = subject.description.sensitive
        known = subject.description.rules()
    elif isinstance(subject, Table):
        columns, values = subject.schema.quasi_identifiers, subject.schema.sensitive
        known = dict(subject.schema.hierarchies)
    else:
        return None  # refused with a better message
    rules = {name: rule for name, rule in known.items() if sensitive or name in columns}
    return read(given, columns, values if sensitive else None, hierarchies=rules)


def _seen_with(
    given: Table, seen: Grouping, n_suppressed: int, subject: Release | Table
) -> Grouping:
    """See a published table with the values of the original given; refuse a wrong one."""
    released = isinstance(subject, Release)
    by = _as_they_are(subject) if isinstance(subject, Release) else ()
    published = seen.frequencies
    refuse_other_columns("original", given, by or published.quasi_identifiers, published.sensitive)
    sets = any(published.domains[name].members is not None for name in published.sensitive)
    if sets != (given.set_valued is not None):
        several, one = ("release", "original") if sets else ("original", "release")
        raise BadInput(
            f"original: people have any number of values of {published.sensitive[0]!r} in the "
            f"{several} and one each in the {one}; read it with sf.read as it was read for the "
            "release, with person= if it has several rows for a person"
        )
    n_rows = int(seen.sizes.sum()) + n_suppressed
    if given.n_rows < n_rows or (released and given.n_rows > n_rows):
        raise BadInput(
            f"original: it has {given.n_rows} rows, and {n_rows} were released or suppressed; is "
            "it the table that was released?"
        )
    try:
        seen = seen.with_values_of(given.frequencies())
    except BrokenPromise:
        raise BadInput(
            "original: a published sensitive value is not in it; is it the table that was released?"
        ) from None
    if isinstance(subject, Release):
        _refuse_strangers(subject, given, seen)
    return seen


def _refuse_strangers(release: Release, given: Table, seen: Grouping) -> None:
    """Refuse an original whose people do not fit, unless its hierarchies are not known."""
    if release.description.group is not None:
        _refuse_other_values(given, seen)
        return
    rules = release.description.rules()
    unknown = [n for n in release.description.quasi_identifiers if n not in rules]
    if any(given.domains[name].taxonomy.height < 2 for name in unknown):
        return
    if (fitting(given, seen) < seen.sizes).any():
        raise BadInput(
            "original: its people do not fit the published rows; is it the table that was released?"
        )


def _refuse_other_values(given: Table, seen: Grouping) -> None:
    """Refuse an original in which fewer people have a sensitive value than were published."""
    known = given.frequencies()
    for name in known.sensitive:
        found, had = seen.frequencies.occurrences(name), known.reference(name)
        published = sum_by(found.codes.astype(np.intp), found.counts, len(had))
        if (published > had).any():
            raise BadInput(
                "original: fewer of its people have a sensitive value than were published; is it "
                "the table that was released?"
            )


def _as_they_are(release: Release) -> tuple[str, ...]:
    return () if release.description.group is None else release.description.quasi_identifiers


def refuse_other_columns(
    what: str, table: Table, quasi_identifiers: Sequence[str], sensitive: Sequence[str] = ()
) -> None:
    """Refuse a table that lacks a column of the release, or has it in another role."""
    schema = table.schema
    wanted = [
        (quasi_identifiers, schema.quasi_identifiers, "quasi-identifier"),
        (sensitive, schema.sensitive, "sensitive column"),
    ]
    for there, here, kind in wanted:
        missing = [name for name in there if name not in here]
        if missing:
            raise BadInput(f"{what}: {missing[0]!r} is a {kind} of the release, but not of it")
