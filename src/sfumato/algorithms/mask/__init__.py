"""MASK: k-anonymity, and then sensitive values changed where they are too frequent (Wong 2009)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms.algorithm import ALGORITHMS, Algorithm, Suppress, a_method
from sfumato.algorithms.dealing import dealt
from sfumato.algorithms.lots import Draw
from sfumato.algorithms.mask.changes import changed_people, drawn_values, numbers_left, summed
from sfumato.algorithms.mask.groups import Groups, told_groups
from sfumato.algorithms.mask.shares import SensitiveShares, shares_of
from sfumato.algorithms.mondrian import Mondrian
from sfumato.algorithms.two_tables import check_publish
from sfumato.criteria import KAnonymity, LDiversity
from sfumato.criteria.criterion import Criterion, together
from sfumato.criteria.l_diversity import protected_values
from sfumato.data.frequency import FrequencySet
from sfumato.data.naming import Publishes
from sfumato.data.recoding import SUPPRESSED, Recoding
from sfumato.errors import BadInput, Unsatisfiable
from sfumato.formulas.masking.lots import Masking
from sfumato.parameters import number, one_of, optional_seed, refusal, true_or_false, whole
from sfumato.progress import report
from sfumato.text import count, counted, value_text

Reference = Literal["paper", 1]


@dataclass(frozen=True)
class Mask(Algorithm):
    """Groups by quasi-identifiers and k alone; in them sensitive values may be changed.

    Algorithm 1 of Wong 2009, section 6. (1) `inner` makes groups of at least k people without a
    look at values; rows that it suppresses stay out. (2) A group violates l-diversity where more
    than 1/l of its people have one of `values`. If none does, the groups are published as they
    are. Otherwise u of the others, those with the largest shares, are the reference; u is l - 1
    times the number of violating groups, rounded up. Where there are fewer, nothing is published.
    (3, 4) Every violating group draws the share p of one of the reference groups, each as likely
    as every other, and p times its people, rounded down, keep a sensitive value. Of all of its
    people who have one, those whose value changes are drawn by lot, and so are the new values.
    Nothing else changes, and no value becomes a sensitive one.

    Rows are no longer true one by one. Whether any value was changed, how many and which ones is
    known to the steward alone: on table XXI(c) of the paper even to say that one was changed would
    raise what can be believed from 5/8 to 3/4.

    **Theorem 4 does not hold.** The paper says that nobody who knows the method believes of
    anybody with more than 1/l that he has one of `values`. On its own example, table XXI(c) with
    l = 2, he believes so with 5/8: the group Q that was published with one HIV in two may have
    had two, and so may q3. The shares of the published groups are at most 1/l, and that is all that
    is promised here (`KAnonymity(k) & LDiversity(l, "frequency", values, pooled=True)`, or less);
    no attack by somebody who knows the method calls it safe.

    The paper leaves open where new values come from, and how a share becomes a number of people;
    ties among the reference groups are broken by the order of the boxes.

    Args:
        k: People in every group, at least.
        l: No group is published in which more than 1/l of the people have one of `values`; a
            fraction is accepted.
        values: The sensitive values, which count together as one. The name of a node of the
            column's hierarchy stands for all values below it.
        inner: The method that makes the groups; any that is told k alone.
        publish: "generalized": one table. "bucketized": two, with quasi-identifiers as they are.
        reference: How many groups shares are drawn from: as many as in the "paper", or 1, the one
            with the largest share (section 6.1.2).
        replacement: Where new values are drawn from, in proportion to how many people have them:
            those of the whole "table" that are not in `values`, of everybody who is published, or
            those of the person's own "group", if it has any: to refuse where it has none would
            tell that there is a group in which everybody has one of `values`.
        keep_insensitive: Publish insensitive columns. They may tell which rows were changed, so
            they are dropped otherwise.
        seed: Repeats all that is drawn, for experiments.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> grave = ["HIV", "cancer"]
    >>> promise = sf.KAnonymity(5) & sf.LDiversity(4, "frequency", grave, pooled=True)
    >>> release = sf.anonymize(patients, promise, sf.Mask(5, 4, grave))
    >>> release.check().holds
    True
    """

    k: int
    l: Fraction
    values: tuple[object, ...]
    inner: Algorithm = field(default_factory=Mondrian)
    publish: Literal["generalized", "bucketized"] = "generalized"
    reference: Reference = "paper"
    replacement: Literal["table", "group"] = "table"
    keep_insensitive: bool = False
    seed: int | None = None
    max_suppressed: float = field(init=False, default=0, repr=False)
    suppress: Suppress = field(init=False, default="rows", repr=False)
    reads_values: ClassVar[bool] = True
    changes_values: ClassVar[bool] = True
    deterministic: ClassVar[bool] = False
    one_by_one: ClassVar[bool] = False

    def __init__(
        self,
        k: int,
        l: float | Fraction | str,
        values: Sequence[object] | set[object] | frozenset[object],
        inner: Algorithm | None = None,
        publish: Literal["generalized", "bucketized"] = "generalized",
        reference: Reference = "paper",
        replacement: Literal["table", "group"] = "table",
        keep_insensitive: bool = False,
        seed: int | None = None,
    ) -> None:
        one_of("Mask", "replacement", replacement, ("table", "group"))
        if type(reference) not in (str, int) or reference not in ("paper", 1):
            raise refusal("Mask", "reference", '"paper" or 1', reference)
        groups = _read_inner(Mondrian() if inner is None else inner)
        check_publish("Mask", publish, suppress=groups.suppress)
        for name, value in {
            "k": whole("Mask", "k", k),
            "l": number("Mask", "l", l, least=1),
            "values": protected_values("Mask", values, pooled=True),
            "inner": groups,
            "publish": publish,
            "reference": reference,
            "replacement": replacement,
            "keep_insensitive": true_or_false("Mask", "keep_insensitive", keep_insensitive),
            "seed": optional_seed("Mask", seed),
            "max_suppressed": groups.max_suppressed,
            "suppress": groups.suppress,
        }.items():
            object.__setattr__(self, name, value)

    @property
    def bucketized(self) -> bool:
        """Where two tables are asked for."""
        return self.publish == "bucketized"

    @property
    def draws_orders(self) -> bool:
        """Orders and numbers, and what the method draws that makes the groups."""
        return self.inner.draws_orders

    @property
    def keeps_alike_together(self) -> bool:
        """As the method that makes the groups does."""
        return self.inner.keeps_alike_together

    @property
    def masking(self) -> Masking:
        """By shares of other groups."""
        return Masking(self.l, self.reference, self.replacement)

    @property
    def drops_insensitive(self) -> bool:
        """Unless they are asked for."""
        return not self.keep_insensitive

    @property
    def publishes(self) -> Publishes:
        """As the method that makes the groups does."""
        return self.inner.publishes

    def names_in(self, column: str) -> frozenset[str] | None:
        """Those of the method that makes the groups."""
        return self.inner.names_in(column)

    @property
    def in_public(self) -> Algorithm:
        """The same of its method as that has in public."""
        return replace(self, inner=self.inner.in_public)

    @property
    def keeps_to(self) -> LDiversity:
        """What holds of every group that is published: at most 1/l have one of the values."""
        return LDiversity(self.l, "frequency", self.values, pooled=True)

    def keeping_to(self, criterion: Criterion) -> Algorithm:
        """The same with the values that a criterion names."""
        return replace(self, values=criterion.named_values())

    def refuse_columns(self, frequencies: FrequencySet) -> None:
        """Refuse all but one sensitive column."""
        _only_column(frequencies)

    def refuses(self, criterion: Criterion) -> str | None:
        """Also what the published groups need not satisfy, and what `inner` cannot enforce."""
        refused = super().refuses(criterion)
        for part in criterion.parts:
            refused = refused or self._need_not_hold(part)
        return refused or self.inner.refuses(_blind(criterion, self.k))

    def _need_not_hold(self, part: Criterion) -> str | None:
        """Say why the published groups need not satisfy a part; None: they do, or `inner` cares."""
        if not part.looks_at_values:
            return None
        kept = f"at most 1 in {value_text(self.l)} of a group have one of the values it masks"
        known = part.thresholds()
        if not part.bounds_shares or known is None or known.share is None:
            return f"all that it sees to is that {kept}"
        if not part.named_values() or not {*part.named_values()} <= {*self.values}:
            return f"{kept}, and the criterion bounds others, too; name the same values in both"
        if known.share < 1 / self.l:
            return f"{kept}, and the criterion allows fewer; give it the same l or a larger one"
        return None

    @classmethod
    def examples(cls) -> tuple[Algorithm, ...]:
        """One table and two; with and without rows that are left out."""
        samarati = ALGORITHMS["samarati"].examples()[1]
        named = ("1",)
        return (
            cls(2, 2, named),
            cls(3, "3/2", named, samarati, reference=1),
            cls(2, 2, named, publish="bucketized", replacement="group"),
        )

    def search(self, frequencies: FrequencySet, criterion: Criterion, draw: Draw) -> Recoding:
        """Make groups, and change values in those that violate l-diversity."""
        attribute = _only_column(frequencies)
        sensitive = self.keeps_to.protects(frequencies.domains[attribute]) >= 0
        blind = _blind(criterion, self.k)
        decided = self.inner.search(frequencies.combinations, blind, draw).without_hidden()
        decided = dealt(decided, frequencies, draw)
        report("masking")
        placed = decided.placement(frequencies).by_value(frequencies)
        told = np.append(told_groups(decided, placed), SUPPRESSED)
        groups = Groups(frequencies, attribute, decided, placed, told[placed.box])
        if self.bucketized:
            groups = groups.bucketized()
        entries, inside = groups.entries(sensitive)
        shares = shares_of(entries.group, entries.people, entries.sensitive)
        violating = shares.violating(self.l)
        if not len(violating):
            return groups.decided
        reference = self._reference(shares, violating)
        n_left = numbers_left(shares, violating, reference, draw)
        n_changed = shares.n_sensitive[violating] - n_left
        changed = changed_people(entries, violating, n_changed, draw)
        within_group = self.replacement == "group"
        values = drawn_values(entries, changed, draw, within_group=within_group)
        changes = summed(changed, values, len(sensitive))
        return groups.masked(replace(changes, entry=inside[changes.entry]))

    def _reference(self, shares: SensitiveShares, violating: NDArray[np.intp]) -> NDArray[np.intp]:
        """Choose the groups whose shares are drawn from; refuse where there are too few."""
        others = np.delete(np.arange(len(shares.sizes)), violating)
        n = 1 if self.reference == 1 else math.ceil((self.l - 1) * len(violating))
        if n > len(others):
            raise Unsatisfiable(
                f"{self}: in {count(len(violating))} of {counted(len(shares.sizes), 'group')} more "
                f"than 1 in {value_text(self.l)} have one of the values; to draw their shares from "
                f"it takes {counted(n, 'other group')}, and there are {count(len(others))}; a "
                "larger k makes groups more alike, or name fewer values, or a smaller l; that it "
                "refused tells about values, too, and so does every other try (sf.attacks.Refusal)"
            )
        return shares.largest(others, n)


def _only_column(frequencies: FrequencySet) -> str:
    """Give the sensitive column; beside another one it would be seen whose value was changed."""
    if not frequencies.sensitive:
        raise BadInput("Mask: the table has no sensitive column; name one (sensitive=, -s)")
    if len(frequencies.sensitive) > 1:
        listed = ", ".join(map(repr, frequencies.sensitive))
        raise BadInput(
            f"Mask: the table has several sensitive columns ({listed}), and a value that does not "
            "go with the others of its row would show that it was changed; mask a table with one "
            "of them"
        )
    return frequencies.sensitive[0]


def _blind(criterion: Criterion, k: int) -> Criterion:
    """Give what a criterion asks for without a look at values, and groups of at least k people."""
    parts = [part for part in criterion.parts if not part.looks_at_values and not part.size_alone]
    return together([KAnonymity(max(k, criterion.least_size)), *parts])


def _read_inner(given: object) -> Algorithm:
    """Read the method that makes the groups; refuse one that would look at values."""
    if isinstance(given, Mapping):  # as it is written in a file
        given = ALGORITHMS.from_spec(given, "Mask: inner")
    method = a_method(given, "Mask: inner")
    why = (
        "it publishes two tables, and forms groups by sensitive values"
        if method.one_by_one
        else "whether there are two tables Mask says; give publish='bucketized' to it instead"
        if method.bucketized
        else "it looks at values, and is shown none here"
        if method.reads_values
        else "it is about earlier releases, which values that are drawn anew would give away"
        if method.series is not None
        else "it has a seed of its own; give it to Mask"
        if method.seed is not None
        else method.refuses(KAnonymity(1))
    )
    if why is not None:
        raise BadInput(f"Mask: inner cannot be {method}: {why}")
    return method
