"""A method that never sees a sensitive value: the criterion is only asked of its result."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import ClassVar

import numpy as np

from sfumato.algorithms.algorithm import ALGORITHMS, Algorithm, a_method
from sfumato.algorithms.dealing import dealt
from sfumato.algorithms.failed_steps import FailedStep, PublishedGroups, by_child
from sfumato.algorithms.lots import Draw, Scripted
from sfumato.algorithms.mondrian import Mondrian
from sfumato.criteria import KAnonymity
from sfumato.criteria.criterion import Criterion, together
from sfumato.criteria.judging import holding, names_somebody, reached
from sfumato.data.frequency import FrequencySet, JointGroups, sum_by
from sfumato.data.groups import Histogram
from sfumato.data.naming import Publishes
from sfumato.data.recoding import Recoding
from sfumato.data.recoding.base import distinct_boxes
from sfumato.errors import BadInput, Unsatisfiable
from sfumato.parameters import refusal, whole
from sfumato.progress import report, to_the_end
from sfumato.text import counted

DOUBLINGS = 5


@dataclass(frozen=True)
class Checked(Algorithm):
    """Groups by quasi-identifiers and k alone, published only if they satisfy the criterion.

    The method gets combinations of quasi-identifiers and no sensitive value, and what it enforces
    is k and those parts of the criterion that do not look at values. Then the whole criterion is
    asked of its groups: they are published as they are, or not at all. So whoever knows the method
    and sees the groups learns nothing from how they came about: however the values of a group are
    dealt to its people, the same is published (Wong 2009, section 6, has it of k-anonymity).

    With several `ks` these are tried in their order, and the first that passes is published. This
    tells that the earlier ones did not pass, so the list has to be fixed beforehand, and is
    public. Trying again by hand tells the same, and no audit can know. Every k counts as at least
    the number of people that the criterion itself asks for.

    Where people of a combination go to several groups, lots decide who, and no value.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> method = sf.Checked(sf.Mondrian(), ks=(5, 10, 20, 40))
    >>> frequent = sf.anonymize(patients, sf.LDiversity(2, "frequency"), method)
    >>> len(frequent.groups), int(min(frequent.groups.sizes))
    (128, 10)
    """

    method: Algorithm = field(default_factory=Mondrian)
    ks: tuple[int, ...] = (1,)
    seed: int | None = field(init=False, default=None, repr=False)
    max_suppressed: float = field(init=False, default=0, repr=False)
    judges_all_groups: ClassVar[bool] = True

    def __post_init__(self) -> None:
        given: object = self.method
        if isinstance(given, Mapping):  # as it is written in a file
            given = ALGORITHMS.from_spec(given, "Checked: method")
        method = a_method(given, "Checked")
        why = (
            "it publishes two tables, and forms groups by sensitive values"
            if method.one_by_one
            else "groups that are checked are published as one table; drop publish='bucketized'"
            if method.bucketized
            else "it reads values itself, and is shown none here"
            if method.reads_values
            else "it is checked already"
            if isinstance(method, Checked)
            else method.refuses(KAnonymity(1))
        )
        if why is not None:
            raise BadInput(f"Checked: {method} cannot be told k alone: {why}")
        object.__setattr__(self, "method", method)
        object.__setattr__(self, "ks", _read_ks(self.ks))
        object.__setattr__(self, "seed", method.seed)
        object.__setattr__(self, "max_suppressed", method.max_suppressed)

    @property
    def joint(self) -> bool:
        """Only which of several k is published depends on values."""
        return len(self.ks) > 1

    @property
    def publishes(self) -> Publishes:
        """As the method does."""
        return self.method.publishes

    def names_in(self, column: str) -> frozenset[str] | None:
        """Those of the method."""
        return self.method.names_in(column)

    @property
    def deterministic(self) -> bool:
        """As the method is."""
        return self.method.deterministic

    @property
    def draws_orders(self) -> bool:
        """As the method does; who of a combination goes where is an order, too."""
        return self.method.draws_orders

    @property
    def keeps_guards(self) -> bool:
        """Who goes where is dealt before groups are judged."""
        return True

    @property
    def in_public(self) -> Algorithm:
        """The same of its method as that has in public."""
        return replace(self, method=self.method.in_public)

    def failed_steps(
        self, published: PublishedGroups, criterion: Criterion
    ) -> Iterator[FailedStep] | None:
        """The groups of every earlier k: some of them broke the criterion."""
        if not self.joint:
            return iter(())
        return self._earlier(published, criterion) if self.deterministic else None

    def refuses(self, criterion: Criterion) -> str | None:
        """What its method cannot enforce of sizes; and what suppressed people would decide."""
        blind = _blind(criterion, 1)
        if not all(part.by_group for part in blind.parts) and not self.method.judges_all_groups:
            return f"it is about the whole table, and {self.method} judges one group at a time"
        refused = super().refuses(criterion) or self.method.refuses(blind)
        compares = any(part.needs_original for part in criterion.parts)
        if refused is None and self.max_suppressed and compares:
            return (
                "it compares groups with the whole table, so whether a release passes would say "
                "something of the values of people who are suppressed; suppress nobody"
            )
        return refused

    @classmethod
    def examples(cls) -> tuple[Algorithm, ...]:
        """One of each kind that behaves differently."""
        kinds = ALGORITHMS["samarati"], ALGORITHMS["top_down"]
        samarati, top_down = (kind.examples() for kind in kinds)
        return (cls(ks=(3, 40)), cls(samarati[1], (40,)), cls(top_down[0], (3, 40)))

    def search(self, frequencies: FrequencySet, criterion: Criterion, draw: Draw) -> Recoding:
        """Try one k after the other, each without a look at values."""
        broken: list[str] = []
        for done, k in enumerate(self.ks):
            report("trying k", done, len(self.ks))
            try:
                with to_the_end():
                    decided = self.method.search(
                        frequencies.combinations, _blind(criterion, k), draw
                    )
            except Unsatisfiable as error:
                if broken:  # there are too few people for a larger k
                    break
                raise Unsatisfiable(
                    f"{self}: {error}; name smaller ks, or another method"
                ) from None
            if not any(part.looks_at_values for part in criterion.parts):
                return decided
            recoding = dealt(decided, frequencies, draw)
            groups = _published(recoding, frequencies)
            held = holding(criterion, groups)
            if held.all():
                if recoding.n_suppressed(frequencies) and _names_unpublished(criterion, groups):
                    raise Unsatisfiable(
                        f"{self}: nobody who would be published has a value that {criterion} "
                        "names, and a table that lacks it is refused: a release would tell that "
                        "somebody suppressed has it; give the column a hierarchy that lists the "
                        "value, or suppress nobody"
                    )
                return recoding
            broken.append(f"{int((~held).sum())} of {counted(len(held), 'group')} at k = {k}")
        raise Unsatisfiable(
            f"{self}: {criterion} does not hold of {', '.join(broken)}; there "
            f"{reached(criterion, groups)}; name larger ks, beforehand, since every try tells "
            "something; another method that goes with the criterion (docs/methods.md) may do better"
        )

    def _earlier(self, published: PublishedGroups, criterion: Criterion) -> Iterator[FailedStep]:
        ground = published.ground
        n_groups = len(np.unique(published.group))
        for k in self.ks:
            with to_the_end():
                recoding = self.method.search(ground, _blind(criterion, k), Scripted([]))
            index = recoding.grouping(ground).index
            inside = np.flatnonzero(index >= 0)
            step = by_child(inside, index[inside])
            together = np.unique(np.stack([index[inside], published.group[inside]]), axis=1)
            if together.shape[1] == len(step.children) == n_groups:
                return  # the published ones
            yield step

    def __str__(self) -> str:
        return f"Checked({self.method}, ks={list(self.ks)})"


def doubling(criterion: Criterion) -> tuple[int, ...]:
    """Give a list of ks by what a criterion asks for and nothing else, so that it is public.

    >>> import sfumato as sf
    >>> doubling(sf.KAnonymity(5) & sf.LDiversity(3))
    (5, 10, 20, 40, 80, 160)
    """
    different = max(part.enough_different() or 1 for part in criterion.parts)
    first = max(2, criterion.least_size, different)
    return tuple(first * 2**j for j in range(DOUBLINGS + 1))


def _read_ks(given: object) -> tuple[int, ...]:
    """Read numbers of people that grow."""
    if not isinstance(given, (tuple, list)) or not given:
        raise refusal("Checked", "ks", "a list of integers that grow", given)
    ks = tuple(whole("Checked", "each of ks", k) for k in given)
    for k, following in pairwise(ks):
        if following <= k:
            raise refusal("Checked", "ks", f"a list of integers that grow: above {k}", following)
    return ks


def _blind(criterion: Criterion, k: int) -> Criterion:
    """Give what a criterion asks for without a look at values, and groups of at least k people."""
    parts = [part for part in criterion.parts if not part.looks_at_values]
    return together([*parts, KAnonymity(max(k, criterion.least_size))])


def _names_unpublished(criterion: Criterion, groups: JointGroups) -> bool:
    """Say whether a named value, which somebody has to have, is nobody's who is published."""
    frequencies = groups.frequencies
    for part in criterion.parts:
        if not part.looks_at_values or not part.named_values():
            continue
        attribute = str(frequencies.attribute(part.attribute))
        domain = frequencies.domains[attribute].values
        if not domain.closed:
            seen = set(groups.by(attribute).histogram.codes.tolist())
            if not names_somebody(part, domain, seen):
                return True
    return False


def _published(recoding: Recoding, frequencies: FrequencySet) -> JointGroups:
    """Give the groups as a reader sees them: who has the same box is in the same group."""
    if not recoding.splits:
        return recoding.grouping(frequencies).joint
    placement = recoding.placement(frequencies)
    kept = placement.box >= 0
    used, box = np.unique(placement.box[kept], return_inverse=True)
    _, same = distinct_boxes(placement.boxes[used])
    group, people = same[box], placement.people[kept]
    n_groups = int(same.max()) + 1
    values = frequencies.persons_values
    histogram = Histogram.from_entries(
        group,
        values.of_key[placement.key[kept]].astype(np.int32),
        people,
        (n_groups, len(values.codes)),
    )
    return JointGroups(frequencies, sum_by(group, people, n_groups), histogram)
