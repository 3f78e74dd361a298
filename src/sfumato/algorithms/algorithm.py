"""The shape of an algorithm."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import numpy as np

from sfumato.algorithms.failed_steps import FailedStep, PublishedGroups
from sfumato.algorithms.formation import Formation
from sfumato.algorithms.lots import Draw
from sfumato.algorithms.two_tables import Publish
from sfumato.criteria.criterion import Criterion
from sfumato.criteria.judging import guarding_column
from sfumato.data.frequency import FrequencySet
from sfumato.data.naming import Publishes
from sfumato.data.recoding import InPieces, Recoding
from sfumato.errors import BadInput, shown
from sfumato.formulas.correspondence.earlier_releases import Past
from sfumato.formulas.masking.lots import Masking
from sfumato.parameters import fraction
from sfumato.published.public_view import PublicView
from sfumato.registry import Registry
from sfumato.spec import build, describe, name_of, to_spec
from sfumato.stored_counts import StoredCounts

Minimality = Literal["full-domain", "regions", "local", "cut"]
Suppress = Literal["rows", "cells"]

ALGORITHMS: Registry[Algorithm] = Registry("method", "sfumato.methods")
CHOSEN_BY_VALUES = (
    "it is about somebody who knows the method, and this one looks at who has which value to "
    "choose what is published, so that its groups do not show what is believed; use "
    "OptimalConfidential for a small table, else Mondrian(look_ahead=True), Checked with one k, or "
    "Anatomy"
)


class Algorithm(ABC):
    """Decides a recoding that satisfies a criterion; joins by being a class of its own.

    A method is a frozen dataclass of its parameters with a `search`; all else below has a default,
    which is the cautious one for a method that says nothing of itself.

    An adversary is assumed to know which method ran. How much that helps is said by

    - `symmetric`, `joint`, `deterministic`: the three properties of Cormode 2010, section 3;
    - `minimality`: which further steps were certainly not safe (Wong 2009);
    - `formation`: in which order people joined their groups, where these are formed one by one;
    - `changes_values`, `masking`: whether published values are people's own, and how if not.

    What is published is said by `bucketized` (two tables instead of one) and `takes_sets`; what a
    criterion may ask for, by `judges_all_groups`, `judges_itself`, `keeps_guards`, `series` and
    `refuses`.

    A class whose name starts with an underscore does not join, as the one of this example:

    >>> from dataclasses import dataclass
    >>> import sfumato as sf
    >>> from sfumato.data.recoding import Cut
    >>> @dataclass(frozen=True)
    ... class _OnlyRoots(sf.Algorithm):
    ...     def search(self, frequencies, criterion, draw):
    ...         names = frequencies.quasi_identifiers
    ...         roots = {name: frequencies.domains[name].taxonomy.height for name in names}
    ...         return Cut.at_levels(frequencies.domains, roots)
    >>> patients = sf.read(sf.datasets.patients(), quasi_identifiers=["age", "sex"])
    >>> sf.anonymize(patients, sf.KAnonymity(5), _OnlyRoots()).levels
    {'age': 1, 'sex': 1}
    """

    symmetric: ClassVar[bool] = False  # exchanging the people of a group changes nothing
    # Whether all groups of a release are judged together, and not only one that is in the making:
    # what is known of people in one group may matter to those in others.
    judges_all_groups: ClassVar[bool] = False
    # Whether it decides by what somebody believes who knows how it decides.
    judges_itself: ClassVar[bool] = False
    seed: int | None = None  # of an experiment, which can be repeated; None: the system's chance
    max_suppressed: float = 0  # people who may be left out: a number of rows, or a share of them
    # What becomes of people in no safe group: their rows are left out, or published with all cells
    # of quasi-identifiers at the root.
    suppress: Suppress = "rows"
    # How groups that are boxes are published: as these, or as two tables (`two_tables`).
    publish: Publish = "generalized"
    anatomize: bool = False  # whether finished groups are partitioned further, by `Anatomy`

    def __init_subclass__(cls, **extra: Any) -> None:
        super().__init_subclass__(**extra)
        ALGORITHMS.join(cls)

    @property
    def joint(self) -> bool:
        """Whether decisions look at quasi-identifiers and sensitive values at once."""
        return True

    @property
    def keeps_alike_together(self) -> bool:
        """Whether people with the same quasi-identifiers are always in one group."""
        return False

    @property
    def reads_values(self) -> bool:
        """Whether it is shown sensitive values even where the criterion is not about them."""
        return False

    @property
    def changes_values(self) -> bool:
        """Whether people may be published with another sensitive value than they have.

        So the published values, dealt to people in any way, need not be the true ones.
        """
        return False

    @property
    def masking(self) -> Masking | None:
        """How values are changed, where that is by MASK's lots (Wong 2009, section 6)."""
        return None

    @property
    def drops_insensitive(self) -> bool:
        """Whether columns that were to be published untouched are dropped."""
        return False

    @property
    def bucketized(self) -> bool:
        """Whether quasi-identifiers and sensitive values are published apart, as two tables."""
        return self.publish == "bucketized"

    @property
    def publishes(self) -> Publishes:
        """What a value is published as: a range or set of values, a node of its tree, or as given.

        Texts of open columns that few people have are joined accordingly before the search
        (`sfumato.data.naming`).
        """
        return "ranges"

    def names_in(self, column: str) -> frozenset[str] | None:
        """Give the texts without an order that are named whoever has them; None: many people's."""
        del column
        return None

    @property
    def one_by_one(self) -> bool:
        """Whether people, and not regions of their values, are put into groups.

        So they are by methods that have two tables and nothing else to publish.
        """
        return self.bucketized and self.publish != "bucketized"

    @property
    def experiment(self) -> bool:
        """Whether chance comes from a seed: then anybody who knows the seed can repeat it."""
        return self.seed is not None

    @property
    def deterministic(self) -> bool:
        """Whether decisions leave nothing to chance, the order of equal people apart."""
        return True

    @property
    def draws_orders(self) -> bool:
        """Whether chance is nothing but orders and numbers that can all be gone through.

        They are drawn by `drawn_order` and `drawn_numbers`.

        So it is where nothing is left to chance.
        """
        return self.deterministic

    @property
    def takes_sets(self) -> bool:
        """Whether people may have any number of sensitive values, or none.

        Then two tables are published, and groups are judged as a whole: no one value of a person
        decides where he goes.
        """
        return False

    @property
    def keeps_guards(self) -> bool:
        """Whether it is known who is in which group, with what each of them guards.

        So no combination of quasi-identifiers is split between groups without regard to that.
        """
        return False

    @property
    def minimality(self) -> Minimality | None:
        """By which steps down it can be known to have gone as far as it could (Wong 2009).

        No single step further is safe: one column one level down ("full-domain"), any cut of any
        region ("regions"), one column of one group ("local"), one node of one column ("cut").
        None: it promises nothing of the kind.
        """
        return None

    @property
    def by_value(self) -> bool:
        """Whether a value of a column is published alike in all rows."""
        return self.minimality == "cut"

    @property
    def generalizes(self) -> bool:
        """Whether anything between a value and nothing is published of a column."""
        return True

    @property
    def widest_only(self) -> bool:
        """Whether of a region, only cuts along its widest column are tried ("regions")."""
        return False

    @property
    def series(self) -> SeriesAlgorithm | None:
        """This method, if it publishes against earlier releases."""
        return None

    def formation(self, criterion: Criterion, frequencies: FrequencySet) -> Formation | None:
        """How a group came about, person by person; None: the method does not say."""
        del criterion, frequencies
        return None

    def failed_steps(
        self, published: PublishedGroups, criterion: Criterion
    ) -> Iterator[FailedStep] | None:
        """What this method tried and found unsafe before it published certain groups.

        Worked out from quasi-identifiers alone, for a release in which nobody is suppressed and a
        criterion that is monotone without suppression. Together these steps say all that there is
        to know: in every world in which each of them fails, the method publishes these groups.
        Steps that fail by numbers of people are left out. None: only running it again tells.
        """
        del published, criterion
        return None

    def refuses(self, criterion: Criterion) -> str | None:
        """Why this method cannot enforce a criterion; None: it can.

        Here stands what is the same for all methods; one that has reasons of its own adds them
        (`return super().refuses(criterion) or ...`).
        """
        parts = criterion.parts
        if any(part.by_series for part in parts) and self.series is None:
            return "it is about earlier releases, which only BCFAnonymizer looks at"
        if any(part.by_mechanism for part in parts) and not self.judges_itself:
            if self.joint or self.reads_values:
                return CHOSEN_BY_VALUES
            if guarding_column(criterion) is not None:
                return (
                    "who has which value of a group makes a difference to what people guard, and "
                    "so to whether anything is published; ask for one of the two"
                )
        if guarding_column(criterion) is not None and not self.keeps_guards:
            return (
                "what people guard is not published, so it has to be known who is in which group, "
                "and this method may split people who are alike"
            )
        if not all(part.by_group for part in parts) and not self.judges_all_groups:
            able = _judging_all_groups(criterion)
            remedy = f"; use {' or '.join(able)}" if able else ""
            return (
                "whether it holds of one group depends on the others, and this method judges one "
                f"group at a time{remedy}"
            )
        if any(part.sets for part in parts) and not self.takes_sets:
            return (
                "sets of values are published as two tables only, of people and of values, and "
                "this method is about one value for each person"
            )
        return None

    @property
    def keeps_to(self) -> Criterion | None:
        """What it sees to by itself in values that it names, whatever is asked for; None: none."""
        return None

    def refuse_columns(self, frequencies: FrequencySet) -> None:  # noqa: B027  (most take all)
        """Refuse a table for its columns, before its values are looked at. Default: none."""

    def keeping_to(self, criterion: Criterion) -> Algorithm:
        """The same method with the values that a criterion of this kind names."""
        del criterion
        return self

    def remark(self, criterion: Criterion) -> str | None:
        """What is different about enforcing a criterion by this method; None: nothing is."""
        del criterion
        return None

    @classmethod
    def examples(cls) -> tuple[Algorithm, ...]:
        """One instance of each kind that behaves differently: for tests and the documentation."""
        return ()

    @abstractmethod
    def search(self, frequencies: FrequencySet, criterion: Criterion, draw: Draw) -> Recoding:
        """Find a recoding; raise `Unsatisfiable` with the evidence when there is none."""

    @property
    def works_in_pieces(self) -> bool:
        """Whether a table can be looked at piece by piece, where it does not fit as a whole."""
        return False

    def search_in_pieces(self, stored: StoredCounts, criterion: Criterion, draw: Draw) -> InPieces:
        """Find the recoding that `search` finds, of a table that stays in its engine."""
        raise NotImplementedError  # only where `works_in_pieces`

    @classmethod
    def from_job(cls, parameters: Any, place: Path, where: str) -> Self:
        """Build the method that a job file in `place` describes; paths are relative to that.

        where: what errors name, besides the parameter.
        """
        del place  # most have no paths
        return build(cls, name_of(cls), parameters, where)

    @property
    def in_public(self) -> Algorithm:
        """The method as `release.json` names it: without what is private, or not at hand."""
        return self

    def spec(self) -> dict[str, Any]:
        """Write the algorithm down as job files and `release.json` do."""
        return to_spec(self.in_public)

    def __str__(self) -> str:
        return describe(self)


class SeriesAlgorithm(Algorithm):
    """A method for the next release of the same people, safe beside those before it."""

    previous: tuple[
        PublicView | str, ...
    ]  # in the order of publishing; a str names one not at hand

    @property
    def series(self) -> SeriesAlgorithm:
        """This method."""
        return self

    @property
    def in_public(self) -> SeriesAlgorithm:
        """This method after releases that are named by what they publish."""
        return self.after([str(each) for each in self.previous])

    @abstractmethod
    def after(self, previous: Sequence[object]) -> SeriesAlgorithm:
        """Give the same method after other releases: releases, views, or their directories."""

    @abstractmethod
    def specializing(self, columns: Sequence[str]) -> SeriesAlgorithm:
        """Give the same method that leaves all but some columns generalized as a whole."""

    def specialized(self, quasi_identifiers: Sequence[str]) -> Sequence[str]:
        """Give the columns that are told in detail where that is safe. Default: all."""
        return quasi_identifiers

    def told_by_size(self, frequencies: FrequencySet, k: int) -> Sequence[str]:
        """Give the columns of which something is told if nobody had a sensitive value.

        It depends on quasi-identifiers and earlier releases alone. Default: all that are asked for.
        """
        del k
        return self.specialized(frequencies.quasi_identifiers)

    @abstractmethod
    def refuse_unknown(self, quasi_identifiers: Sequence[str]) -> None:
        """Refuse columns that were named and that the table does not have."""

    @abstractmethod
    def past(self, frequencies: FrequencySet) -> Past:
        """See the earlier releases in the ranks of a table, with the verdicts of the search."""


def _judging_all_groups(criterion: Criterion) -> list[str]:
    """Name the methods of this package that judge all groups together and enforce a criterion."""
    return [
        kind.__name__
        for kind in ALGORITHMS.ours
        if kind.judges_all_groups and any(not m.refuses(criterion) for m in kind.examples())
    ]


def a_method(given: object, owner: str) -> Algorithm:
    """Refuse what is no method."""
    if not isinstance(given, Algorithm):
        raise BadInput(f"{owner}: expected a method such as sf.Mondrian(), got {shown(given)}")
    return given


def series_method(given: object) -> SeriesAlgorithm | None:
    """Give a method that publishes against earlier releases; None: this is none."""
    return given.series if isinstance(given, Algorithm) else None


def chances(method: Algorithm) -> Draw:
    """Give the randomness of a release: the operating system's, or that of an experiment's seed.

    >>> from sfumato import Mondrian
    >>> draw, again = (chances(Mondrian(strict=False, seed=7)) for _ in range(2))
    >>> draw(4) == again(4), chances(Mondrian())(4) == chances(Mondrian())(4)
    (True, False)
    """
    if method.experiment:
        return np.random.default_rng(method.seed).bytes
    return os.urandom


def allowed_rows(max_suppressed: float, n_rows: int) -> int:
    """Turn a limit into rows: an int is a number of rows, a float a share of them.

    At least one row has to be published, so not all may be suppressed.

    >>> allowed_rows(2, 10), allowed_rows(0.25, 10), allowed_rows(0.3, 10), allowed_rows(1.0, 10)
    (2, 2, 3, 9)
    """
    if isinstance(max_suppressed, (int, np.integer)):
        return min(int(max_suppressed), n_rows - 1)
    share = fraction(max_suppressed)
    return min(share.numerator * n_rows // share.denominator, n_rows - 1)
