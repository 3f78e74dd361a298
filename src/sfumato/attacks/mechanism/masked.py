"""What somebody who knows MASK believes of the people it published (Wong 2009, section 6).

Published values need not be people's own, so no world deals them out. Instead the adversary has a
prior: everybody has one of the masked values with the same probability, independently, and
otherwise each of the others as often as it is published; the published share of masked values is
the smallest that can have been. Then all tables and lots that lead to what was published can be
weighed, which is exact; but it shows nothing to be safe against another prior. Where there are too
many, some groups are still known to be believed too much of (`above_limit`).

Groups are made without a look at values. People who are alike may be in several of them, and who
of them is where nobody knows: of each is believed the mean of their groups.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms import Algorithm
from sfumato.attacks.finding import Finding, text_of
from sfumato.attacks.known_method.membership import Membership, members_of
from sfumato.attacks.target import Target
from sfumato.criteria import Criterion
from sfumato.criteria.bound import Bound, FailedMeasure
from sfumato.data.domain import Domain
from sfumato.data.frequency import sum_by
from sfumato.data.groups import Groups
from sfumato.errors import CannotRun
from sfumato.formulas.masking.at_limit import above_limit
from sfumato.formulas.masking.lots import Masking
from sfumato.formulas.masking.posterior import NeverPublished, posteriors
from sfumato.formulas.masking.values import posteriors_by_value
from sfumato.text import counted, percent

MOST_GROUPS = 60
MOST_REFERENCES = 1_000
MOST_STATES = 10_000
OTHER_PROMISE = (
    "what was promised is not about these values counted together, and what is believed of others "
    "is not worked out"
)
NOBODY_SHOWN = "nobody is published with one, so what is believed rests on the prior alone"
NO_VERDICT = "nobody exceeds what was promised by this prior; by another one somebody may"
AT_LIMIT = (
    "these people are in groups published with exactly as many masked values as may be, and such a "
    "group may have had more; of the others, and by how much, is not worked out"
)
POOLED = "of values that are not masked only how many there are was weighed"


@dataclass(frozen=True, eq=False)
class MaskedGroups:
    """The published groups, and who of the original is in which."""

    members: Membership | None  # None: the people of a combination are all in one group
    groups: Groups  # by the masked column, in the order of `members`
    masked: NDArray[np.bool_]  # (n_values,)
    masking: Masking

    @property
    def prior(self) -> Fraction:
        """The published share: nobody is made sensitive, so that of the original is no smaller.

        Where nobody is published with a masked value it is that of one person more.
        """
        n = int(self.groups.sizes.sum())
        return Fraction(self.n_masked, n) if self.n_masked else Fraction(1, n + 1)

    @cached_property
    def n_masked(self) -> int:
        """People who are published with one of the masked values."""
        published = self.groups.histogram
        return int(published.counts[self.masked[published.codes]].sum())

    @cached_property
    def above(self) -> NDArray[np.bool_]:
        """Groups that are certainly believed too much of: (n_groups,)."""
        return above_limit(self.groups.histogram, self.masked, self.masking)

    @property
    def n_above_limit(self) -> int:
        """People who are in no other groups than those that are certainly believed too much of."""
        above, shared = self.above, self.members
        if shared is None:
            return int(self.groups.sizes[above].sum())
        inside = shared.people * above[shared.group]
        ground = shared.frequencies.combinations
        of_class = sum_by(shared.combination, inside, len(ground))
        return int(of_class[of_class == ground.counts].sum())

    def worst(self, group: int, belief: Fraction, target: Target) -> dict[str, object]:
        """Say whom it strikes, for the steward."""
        shared, values = self.members, self.groups.labels
        return {
            "group": target.published_labels(group)
            if shared is None
            else shared.labels(group, target),
            "value": " or ".join(text_of(values[c]) for c in np.flatnonzero(self.masked)),
            "belief": belief,
            "people": int(self.groups.sizes[group]),
        }

    def of_people(self, beliefs: Sequence[Fraction]) -> list[Believed]:
        """Give what is believed of whom: people of whom the same is believed together.

        Of suppressed people that is the prior: nobody looked at their values.
        """
        shared = self.members
        if shared is None:
            return [*map(Believed, beliefs, self.groups.sizes.tolist(), range(len(beliefs)))]
        counts = shared.frequencies.combinations.counts
        whole = shared.people == counts[shared.combination]
        in_one = sum_by(shared.group[whole], shared.people[whole], len(beliefs)).tolist()
        found = [Believed(beliefs[g], n, g) for g, n in enumerate(in_one) if n]
        spread: dict[int, Believed] = {}
        rows = (shared.combination, shared.group, shared.people)
        for who, group, people in zip(*(each[~whole].tolist() for each in rows), strict=True):
            n = int(counts[who])
            before = spread.get(who, Believed(self.prior, n, group))
            more = people * (beliefs[group] - self.prior) / n
            spread[who] = Believed(before.belief + more, n, before.group)
        return found + list(spread.values())


class Believed(NamedTuple):
    """What is believed of some people who are in a group; of those in several the first."""

    belief: Fraction
    people: int
    group: int


@dataclass(frozen=True)
class MaskedBeliefs:
    """How likely a person of each group has one of the masked values."""

    groups: tuple[Fraction, ...]
    by_value: bool  # all published values were weighed, not only how many are masked

    @classmethod
    def of(cls, published: MaskedGroups) -> MaskedBeliefs | None:
        """Weigh all tables and lots that lead to what is published; None: there are too many.

        Raises:
            CannotRun: There are none.
        """
        if published.groups.histogram.n_groups > MOST_GROUPS:
            return None
        histogram, masking = published.groups.histogram.to_dense(), published.masking
        n_masked = histogram[:, published.masked].sum(axis=1)
        others = histogram[:, ~published.masked]
        others = others[:, others.any(axis=0)]
        settings = masking.l, published.prior
        try:
            pooled = posteriors(
                histogram.sum(axis=1).tolist(),
                n_masked.tolist(),
                *settings,
                masking.reference,
                most_references=MOST_REFERENCES,
            )
            if pooled is None:
                return None
            rows = np.column_stack([n_masked, others]).tolist()
            shares = [Fraction(n, int(others.sum())) for n in others.sum(axis=0).tolist()]
            weighed = posteriors_by_value(
                rows, *settings, shares, masking.reference, masking.replacement, MOST_STATES
            )
        except NeverPublished as error:
            raise CannotRun(f"the method does not publish this: {error}") from None
        return cls(tuple(weighed or pooled), weighed is not None)


def masked_finding(
    target: Target, method: Algorithm, masking: Masking, attribute: str, called: str, knows: str
) -> Finding:
    """Find how much is believed of the person worst off, beside what was promised."""
    kept = method.keeps_to
    assert kept is not None  # noqa: S101  (of whoever masks)
    if not method.drops_insensitive:
        raise CannotRun(
            f"{method} publishes insensitive columns, and what they tell about changed values is "
            "not worked out here"
        )
    if target.original is None and method.keeps_alike_together:
        members, joint = None, target.seen.joint
    else:
        members = members_of(target)
        joint = members.joint()
    groups, domain = joint.by(attribute), joint.frequencies.domains[attribute]
    published = MaskedGroups(members, groups, kept.protects(domain) >= 0, masking)
    # Where nothing was promised about values it is what the method itself is about.
    parts = [kept] if not target.promises_of_values else target.parts(attribute, others=False)
    promised = _allowed(parts, domain, published.masked)
    finding = partial(
        Finding,
        attack=called,
        attribute=attribute,
        knows=knows,
        unit="belief",
        before=published.prior,
        promised=promised,
        n_people=target.n_people,
    )
    weighed = MaskedBeliefs.of(published)
    if weighed is None:
        limit, n_above = _above_limit(published, promised)
        return finding(
            found=limit,
            holds=False,
            n_exceeding=n_above,
            note=AT_LIMIT,
            failed=FailedMeasure("belief", f"<= {percent(limit)}", f"> {percent(limit)}"),
            worst=published.worst(int(np.argmax(published.above)), limit, target),
        )
    found = published.of_people(weighed.groups)
    worst = max(found, key=lambda each: each.belief)
    exceeding = []
    if promised is not None and published.n_masked:  # else it rests on the prior alone
        exceeding = [each.people for each in found if not promised.allows(each.belief)]
    notes = [f"before, everybody has one of the masked values with {percent(published.prior)}"]
    notes += [] if weighed.by_value else [POOLED]
    if not published.n_masked:
        notes.append(NOBODY_SHOWN)
    elif promised is None:
        notes.append(OTHER_PROMISE)
    elif not exceeding:
        notes.append(NO_VERDICT)
    return finding(
        found=worst.belief,
        holds=False if exceeding else None,
        n_exceeding=sum(exceeding),
        note="; ".join(notes),
        worst=published.worst(worst.group, worst.belief, target) | {"people": worst.people},
    )


def _above_limit(published: MaskedGroups, promised: Bound | None) -> tuple[Fraction, int]:
    """Give 1/l, and of how many people more is believed, where no more than that is known."""
    limit = 1 / Fraction(published.masking.l)
    n_groups, n_above = published.groups.histogram.n_groups, published.n_above_limit
    if promised is None or promised.number != limit or not n_above:
        raise CannotRun(
            f"which of {counted(n_groups, 'group')} had values changed is not worked out: there "
            "are too many ways"
        )
    return limit, n_above


def _allowed(parts: Sequence[Criterion], values: Domain, masked: NDArray[np.bool_]) -> Bound | None:
    """Give the smallest belief that is promised about all masked values together, if any is."""
    bounds = []
    for part in parts:
        protected = part.protects(values)
        together = len(set(protected[protected >= 0].tolist())) == 1
        if together and np.array_equal(protected >= 0, masked):
            bounds.append(part.belief_allowed())
    return min(bounds, key=lambda bound: bound.number, default=None)
