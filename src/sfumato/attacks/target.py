"""What is attacked: a published table, and what the auditor has beside it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms import Algorithm
from sfumato.attacks.finding import text_of
from sfumato.attacks.matching import boxes_in, fits
from sfumato.attacks.originals import (
    buckets_of,
    opened,
    published_as_they_are,
    refuse_other_columns,
    seen_with,
)
from sfumato.attacks.releases_to_compare import series_of
from sfumato.criteria import Criterion
from sfumato.criteria.judging import a_criterion, validate
from sfumato.data.frequency import Grouping
from sfumato.data.groups import Counts, Groups
from sfumato.data.recoding import Bucketing, Recoding
from sfumato.data.values import published_text
from sfumato.errors import BadInput, CannotRun, DoesNotApply
from sfumato.published.public_view import PublicView
from sfumato.release import Release
from sfumato.release.columns.look_alikes import LookAlikes, as_merged
from sfumato.release.columns.untouched import Untouched, told_apart_in, untouched_in
from sfumato.release.earlier_releases.previous import Previous
from sfumato.release.files.writing import needs_values
from sfumato.table import Table


@dataclass(frozen=True, eq=False)
class Target:
    """A published table as an adversary sees it, and what the auditor has beside it.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> release = sf.anonymize(patients, sf.KAnonymity(5), sf.Samarati())
    >>> target = sf.attacks.Target.of(release)
    >>> target.sensitive, len(target.seen.sizes)
    (('disease',), 20)
    """

    seen: Grouping  # by what is published
    criterion: Criterion | None = None  # what was promised
    method: Algorithm | None = None
    n_suppressed: int = 0
    original: Table | None = None  # private
    external: Table | None = None  # a list of people that an adversary may have
    # Two tables: the quasi-identifiers, which are published as they are; `seen` has the groups.
    as_they_are: tuple[str, ...] = ()
    recoding: Recoding | None = None  # private: who of the original is in which group
    own: PublicView | None = None  # as a release among others; None: two tables
    previous: Previous = field(
        default_factory=Previous
    )  # releases of the same people that came before
    enforced: Criterion | None = None  # what the method kept to, where the promise is another
    untouched: Untouched | None = None  # columns published as they are; None: not looked at
    buckets: Bucketing | None = None  # two tables: who of the original is in which group, if told
    look_alikes: LookAlikes | None = None  # values that only look different; None: not looked at
    # Groups people as who also knows untouched columns and telling ones; None: there are none.
    apart: Callable[[], Grouping] | None = None
    blind: bool = False  # whether the method was shown no sensitive value
    # Whether somebody ended the search when he had enough: nobody can run it again.
    interrupted: bool = False
    # Who is in which group, by the column that says what people guard: found out once for all
    # attacks (`known_method.membership.located`).
    located: dict[str | None, Any] = field(default_factory=dict, init=False, repr=False)

    @classmethod
    def of(
        cls,
        subject: Release | Table | Target,
        original: object = None,
        criterion: Criterion | None = None,
        external: object = None,
        earlier: Sequence[object] = (),
        enforced: Criterion | None = None,
    ) -> Target:
        """Look at a release, or at a published table of any origin.

        `original` and `external` are tables, or what `sf.read` can read: then the columns have the
        roles, and as far as they are public the hierarchies, that they have in the release.
        `earlier` are releases, directories of saved ones, or tables of any origin likewise.
        `enforced` is what the method kept to, if that is not what the release says.
        """
        if isinstance(subject, Target):
            return subject
        given = opened(subject, original, sensitive=True)
        people = opened(subject, external, sensitive=False)
        promised: Criterion | None
        method: Algorithm | None
        if isinstance(subject, Release):
            seen = subject.seen
            promised = subject.criterion if criterion is None else criterion
            given = subject.original if given is None else given
            method = subject.method
            n_suppressed = subject.n_suppressed
            as_they_are = published_as_they_are(subject)
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
            seen = seen_with(given, seen, n_suppressed, subject)
        if people is not None:
            by = as_they_are or seen.frequencies.quasi_identifiers
            refuse_other_columns("external", people, by)
        named_by = subject if isinstance(subject, Table) else given
        if promised is not None and criterion is not None:
            promised = as_merged(a_criterion(promised), named_by)
            validate(promised, seen.frequencies)
        if enforced is not None:
            enforced = as_merged(a_criterion(enforced, "enforced"), named_by)
            validate(enforced, seen.frequencies, values=False)
        elif isinstance(subject, Release):
            enforced = subject.criterion
        blind = isinstance(subject, Release) and is_blind(subject.method, subject.criterion)
        blind = blind and enforced is not None and not needs_values(enforced)
        made_here = own is not None and given is own
        recoding = subject.recoding if isinstance(subject, Release) and made_here else None
        buckets = None if recoding is None else recoding.buckets
        if isinstance(subject, Release) and given is not None and not made_here:
            buckets = buckets_of(subject, given, seen)
        itself, previous = series_of(subject, earlier)
        beside = subject
        if isinstance(subject, Release):
            beside = subject if given is None else subject.beside(given)
        untouched = beside.untouched if isinstance(beside, Release) else untouched_in(beside, given)
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
            enforced,
            untouched,
            buckets,
            _look_alikes(subject, promised),
            _apart(beside, untouched),
            blind,
            isinstance(subject, Release) and subject.interrupted,
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
            as_they_are=published_as_they_are(subject),
            own=own,
            previous=previous or known,
            enforced=subject.criterion,
            untouched=subject.untouched,
            look_alikes=_look_alikes(subject, promised),
            apart=_apart(subject, subject.untouched),
            blind=is_blind(subject.method, subject.criterion),
            interrupted=subject.interrupted,
        )

    @cached_property
    def told_apart(self) -> Target | None:
        """The same, as seen by who also knows what tells people apart; None: he sees no more."""
        if self.apart is None:
            return None
        seen = self.apart()
        if self.original is not None:
            seen = seen.with_values_of(self.original.values_of_people())
        if len(seen.sizes) == len(self.seen.sizes) or not seen.frequencies.sensitive:
            return None
        return replace(self, seen=seen, recoding=None, own=None, buckets=None, apart=None)

    @property
    def n_people(self) -> int:
        """People in the release."""
        return int(self.seen.sizes.sum())

    @property
    def n_unseen(self) -> int:
        """People who are missing from the distribution of values that is at hand."""
        if self.set_valued is not None or not self.sensitive:
            return self.n_suppressed if self.original is None else 0
        known = int(self.seen.frequencies.reference(self.sensitive[0]).sum())
        return max(0, self.n_people + self.n_suppressed - known)

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

    @property
    def left_open_by_spellings(self) -> list[str]:
        """The columns by whose spellings there is no verdict about what was promised."""
        if self.criterion is None or self.look_alikes is None:
            return []
        return self.look_alikes.leave_open(self.criterion)

    def view(self, attribute: str | None, *, others: bool) -> View:
        """See the groups by one sensitive column; `others`: knowing people's others too."""
        if not self.sensitive:
            raise DoesNotApply("the release has no sensitive column")
        name = str(self.seen.frequencies.attribute(attribute))
        if not others:
            return View(name, self.seen.joint.by(name), np.arange(len(self.seen.sizes)))
        if len(self.sensitive) == 1:
            raise DoesNotApply("there is no other sensitive column to know")
        return View(name, *self.seen.joint.within(name))

    def parts(self, attribute: str, *, others: bool) -> list[Criterion]:
        """Give the parts of the promise that speak of a sensitive column as it is seen.

        A part about all columns is about each within the others. It holds of a union of groups
        that it holds of, so it is promised against somebody who knows less, too.
        """
        about = (None,) if others else (None, attribute)
        return [part for part in self.promises_of_values if part.attribute in about]

    @property
    def promises_of_values(self) -> tuple[Criterion, ...]:
        """The parts of the promise that look at sensitive values."""
        parts = () if self.criterion is None else self.criterion.parts
        return tuple(part for part in parts if part.looks_at_values)

    def published_labels(self, group: int) -> dict[str, str | None]:
        """The published quasi-identifiers of a group; its number where two tables are published."""
        columns = self.seen.frequencies.quasi_identifiers
        lows = self.seen.boxes[group, :, 0].tolist()
        domains = [self.seen.frequencies.domains[name] for name in columns]
        labels = [domain.labels[low] for domain, low in zip(domains, lows, strict=True)]
        texts = [published_text(label) for label in labels]
        return dict(zip(columns, texts, strict=True))

    def refuse_bucketized(self) -> None:
        """Refuse to look people up where quasi-identifiers are not hidden."""
        if self.as_they_are:
            raise DoesNotApply(
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
                f"nobody is published with this value of {column!r}",
                remedy="to find somebody by a value that is not published, give the original table",
            )
        j = self.quasi_identifiers.index(column)
        return np.asarray(self.seen.boxes[:, j, 0] == (-1 if code is None else code))


def _look_alikes(subject: Release | Table, criterion: Criterion | None) -> LookAlikes | None:
    """Look at the values of a release if something is promised of them; see `audit` for tables."""
    if isinstance(subject, Table) or criterion is None:
        return None
    return subject.look_alikes if any(part.looks_at_values for part in criterion.parts) else None


def is_blind(method: Algorithm, criterion: Criterion) -> bool:
    """Whether a method that enforces a criterion is shown no sensitive value."""
    return not method.bucketized and not method.reads_values and not needs_values(criterion)


def _apart(subject: Release | Table, untouched: Untouched) -> Callable[[], Grouping] | None:
    """Say how people are grouped by who knows what tells them apart; None: nothing does."""
    if isinstance(subject, Release):
        return subject.told_apart if subject.telling_apart else None
    if subject.set_valued is not None or not (untouched.columns or untouched.telling):
        return None
    return partial(told_apart_in, subject, untouched)


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
