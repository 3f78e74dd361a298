"""Whose row is this? Re-identification by linking (Ciriani 2008, section 2, definition 2.2)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, Literal

import numpy as np

from sfumato.attacks.attack import Attack, Threat
from sfumato.attacks.finding import KNOWN, NO_CERTAINTY, Finding
from sfumato.attacks.matching import fitting
from sfumato.attacks.originals import refuse_other_columns
from sfumato.attacks.remedy import Remedy
from sfumato.attacks.target import Target
from sfumato.attacks.what_helps import against_recognizing
from sfumato.criteria import Criterion
from sfumato.criteria.bound import Bound
from sfumato.data.groups import Counts
from sfumato.errors import BadInput, CannotRun, DoesNotApply, shown
from sfumato.parameters import one_of
from sfumato.release.columns.naming import naming_what_is_named
from sfumato.table import Table
from sfumato.text import counted
from sfumato.text import people as people_text

MODELS = ("prosecutor", "journalist", "marketer")


@dataclass(frozen=True, eq=False)
class Linkage(Attack):
    """Match published rows with people whose quasi-identifiers are known.

    Args:
        model: "prosecutor": one person is looked for who is known to be in the table; success is 1
            over the size of the group. "journalist": a row is linked with a list of people, some
            of whom may not be in the table; success is 1 over the number of people on the list
            who fit the row, or over the size of its group if that is larger: then some of its
            people are not on the list. Who fits only if a text that is not published is in `other`
            does not count: somebody may know better. "marketer": every row is linked with
            somebody; success is the share of rows that are linked with the right person, on
            average.
        external: The list of people, read with the hierarchies of the release. Without one the
            sample itself is the list: the original if it is at hand, else the release.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> release = sf.anonymize(patients, sf.KAnonymity(5), sf.Samarati())
    >>> finding = sf.attacks.Linkage("prosecutor").run(release)
    >>> finding.found, finding.holds
    (Fraction(1, 17), True)
    """

    model: Literal["prosecutor", "journalist", "marketer"] = "prosecutor"
    external: Table | None = None
    name: ClassVar[str] = "linkage"
    threat: ClassVar[Threat | None] = "linkability"  # but of the prosecutor
    sets: ClassVar[bool] = True  # values do not matter

    def __post_init__(self) -> None:
        one_of("Linkage", "model", self.model, MODELS)
        if self.external is not None and not isinstance(self.external, Table):
            raise BadInput(
                f"Linkage: external must be a table from sf.read, got {shown(self.external)}"
            )

    @property
    def called(self) -> str:
        """The name and the model."""
        return f"{self.name}, {self.model}"

    @classmethod
    def threat_of(cls, called: str) -> Threat | None:
        """The prosecutor looks for one row; the others link rows with a list."""
        return "singling out" if called == cls().called else cls.threat

    @classmethod
    def against(cls, target: Target) -> Iterator[Attack]:
        """All three, with the external table if there is one."""
        for model in MODELS:
            yield cls(model, target.external)  # type: ignore[arg-type]  # one of them

    def find(self, target: Target) -> Finding:
        """Count who fits."""
        target.refuse_bucketized()
        sizes = target.seen.sizes
        fits, note = sizes, None
        people = None
        if self.model != "prosecutor":
            people = self._list(target)
            if people is not None:
                fits, note = self._fitting(target, people)
            elif self.model == "journalist":
                raise DoesNotApply(
                    "it needs a list of people; without one, the prosecutor's success is the limit",
                    remedy="give one (external=, --external), or the original",
                )
        known = np.flatnonzero(fits)
        if not len(known):
            raise CannotRun(
                "nobody on the list fits any published row",
                remedy="is it read with the hierarchies of the release?",
            )
        if self.model == "marketer":
            return self._on_average(target, sizes, fits, note)
        k = least_people(target.criterion)
        bound = NO_CERTAINTY if k is None else Bound("<=", Fraction(1, k))
        # Where a group has more rows than people on the list fit, most rows are somebody else's.
        candidates = np.maximum(fits, sizes)
        fewest = int(candidates[known].min())
        group = int(known[np.argmin(candidates[known])])
        unsafe = (fits > 0) & (candidates < (2 if k is None else k))
        return Finding(
            attack=self.called,
            attribute=None,
            knows=self._knows(),
            unit="belief",
            before=Fraction(1, int(sizes.sum()) if people is None else people.n_rows),
            found=Fraction(1, fewest),
            promised=bound,
            holds=not unsafe.any(),
            n_exceeding=int(sizes[unsafe].sum()),
            n_people=target.n_people,
            note=note,
            worst={"group": target.published_labels(group), "people who fit": fewest},
        )

    def remedy(self, target: Target, finding: Finding | None) -> Remedy:
        """Larger groups; where nobody fits, people who are read like those of the release."""
        if finding is None:
            return Remedy(give=("original" if self.external is None else "external",))
        return against_recognizing(target, finding)

    def _list(self, target: Target) -> Table | None:
        """Give the people that rows are linked with."""
        if self.external is None:
            return target.original
        refuse_other_columns("external", self.external, target.quasi_identifiers)
        return self.external

    def _on_average(self, target: Target, sizes: Counts, fits: Counts, note: str | None) -> Finding:
        filled = fits > 0
        people = self._list(target)
        # A row is linked with one of those who fit; no more people can be right than there are.
        right = _sum_of_ratios(np.minimum(sizes, fits)[filled], fits[filled])
        share = right / target.n_people
        allowed = _on_average_allowed(target.criterion)
        bound = None if allowed is None else Bound("<=", allowed)
        holds = None if bound is None else bound.allows(share)
        return Finding(
            attack=self.called,
            attribute=None,
            knows=self._knows(),
            unit="share of rows",
            before=Fraction(1, target.n_people if people is None else people.n_rows),
            found=share,
            promised=bound,
            holds=holds,
            n_exceeding=target.n_people if holds is False else 0,
            n_people=target.n_people,
            note=note,
        )

    def _knows(self) -> str:
        if self.model == "prosecutor":
            return f"{KNOWN}; that the target is in the table"
        if self.external is not None:
            return f"a list of {people_text(self.external.n_rows)} with their quasi-identifiers"
        return "the quasi-identifiers of everybody in the table"

    def _fitting(self, target: Target, people: Table) -> tuple[Counts, str | None]:
        """Count the people who fit each group, and say what is odd about the list."""
        sizes = target.seen.sizes
        fits, possibly = self._fit(target, people)
        if self.external is not None:
            alone, open_ = int(sizes[possibly == 0].sum()), int(sizes[possibly > fits].sum())
            notes = [f"nobody on the list fits {counted(alone, 'row')}"] * (alone > 0)
            notes += [f"who fits {counted(open_, 'row')} depends on what `other` is"] * (open_ > 0)
            # At most so much is believed: nobody else fits, or only as many as there are.
            return np.where(fits > 0, fits, np.minimum(possibly, sizes)), "; ".join(notes) or None
        if (possibly >= sizes).all():
            return np.maximum(fits, sizes), None
        if self.model == "marketer":  # no better than with the release alone
            return sizes, None
        raise CannotRun(
            "the original does not fit the published rows",
            remedy="read it with the hierarchies of the release (a job file names them)",
        )

    def _fit(self, target: Target, people: Table) -> tuple[Counts, Counts]:
        """Count who fits each group whatever its texts stand for, and who may fit."""
        if self.external is None and people.before_naming is not people:  # as it was named
            fits = fitting(people, target.seen)
            return fits, fits
        assert target.own is not None  # noqa: S101  (two tables are refused)
        views = target.own, target.previous.releases
        possibly = fitting(naming_what_is_named(people, *views), target.seen)
        certain = naming_what_is_named(people, *views, certainly=True)
        return fitting(certain, target.seen), possibly


def least_people(criterion: Criterion | None) -> int | None:
    """Give the size that every group was promised to have; None: nothing was promised of it."""
    return criterion.least_size if criterion is not None and criterion.least_size > 1 else None


def _on_average_allowed(criterion: Criterion | None) -> Fraction | None:
    """Give the share that was promised of everybody together; None: nothing was."""
    k = least_people(criterion)
    parts = () if criterion is None else criterion.parts
    said = [part.average_allowed() for part in parts] + [None if k is None else Fraction(1, k)]
    return min((each for each in said if each is not None), default=None)


def _sum_of_ratios(counts: Counts, sizes: Counts) -> Fraction:
    """Add up counts / sizes exactly: equal sizes first."""
    total = Fraction(0)
    distinct, index = np.unique(sizes, return_inverse=True)
    sums = np.zeros(len(distinct), dtype=np.int64)
    np.add.at(sums, index, counts)
    for count, size in zip(sums.tolist(), distinct.tolist(), strict=True):
        total += Fraction(count, size)
    return total
