"""What somebody who knows MASK believes of the people it published (Wong 2009, section 6).

Published values need not be people's own, so no world deals them out. Instead the adversary has a
prior: everybody has one of the masked values with the same probability, independently, and
otherwise each of the others as often as it is published. Then all tables and lots that lead to
what was published can be weighed, which is exact; but it shows nothing to be safe against another
prior.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from sfumato.algorithms import Algorithm
from sfumato.attacks.finding import Finding
from sfumato.attacks.target import Target, View
from sfumato.criteria import Criterion
from sfumato.criteria.bound import Bound
from sfumato.data.groups import Counts
from sfumato.errors import CannotRun
from sfumato.formulas.masking.lots import Masking
from sfumato.formulas.masking.posterior import NeverPublished, posteriors
from sfumato.formulas.masking.values import posteriors_by_value
from sfumato.text import counted, percent

MOST_GROUPS = 60
MOST_REFERENCES = 1_000
MOST_STATES = 10_000
NO_VERDICT = "nobody exceeds what was promised by this prior; by another one somebody may"
POOLED = "of values that are not masked only how many there are was weighed"


@dataclass(frozen=True)
class MaskedBeliefs:
    """How likely a person of each group has one of the masked values."""

    prior: Fraction
    groups: tuple[Fraction, ...]
    by_value: bool  # all published values were weighed, not only how many are masked

    @classmethod
    def of(cls, histogram: Counts, masked: Sequence[int], masking: Masking) -> MaskedBeliefs:
        """Weigh all tables and lots that lead to a histogram: (n_groups, n_values).

        Raises:
            CannotRun: There are too many, or none.
        """
        n_masked = histogram[:, masked].sum(axis=1)
        others = np.delete(histogram, masked, axis=1)
        others = others[:, others.any(axis=0)]
        sizes = histogram.sum(axis=1)
        if len(sizes) > MOST_GROUPS:
            raise _too_many(len(sizes))
        # One more of each kind than is published, so that neither is impossible.
        prior = Fraction(int(n_masked.sum()) + 1, int(sizes.sum()) + 2)
        settings = masking.l, prior
        try:
            pooled = posteriors(
                sizes.tolist(),
                n_masked.tolist(),
                *settings,
                masking.reference,
                most_references=MOST_REFERENCES,
            )
            if pooled is None:
                raise _too_many(len(sizes))
            rows = np.column_stack([n_masked, others]).tolist()
            shares = [Fraction(n, int(others.sum())) for n in others.sum(axis=0).tolist()]
            weighed = posteriors_by_value(
                rows, *settings, shares, masking.reference, masking.replacement, MOST_STATES
            )
        except NeverPublished as error:
            raise CannotRun(f"the method does not publish this: {error}") from None
        return cls(prior, tuple(weighed or pooled), weighed is not None)


def masked_finding(
    target: Target, method: Algorithm, masking: Masking, view: View, called: str, knows: str
) -> Finding:
    """Find how much is believed of the person worst off, beside what was promised."""
    kept = method.keeps_to
    assert kept is not None  # noqa: S101  (of whoever masks)
    if not method.drops_insensitive:
        raise CannotRun(
            f"{method} publishes insensitive columns, and what they tell about changed values is "
            "not worked out here"
        )
    protected = kept.protects(target.seen.frequencies.domains[view.attribute])
    masked = np.flatnonzero(protected >= 0).tolist()
    found = MaskedBeliefs.of(view.groups.histogram.to_dense(), masked, masking)
    worst = max(range(len(found.groups)), key=lambda g: found.groups[g])
    promised = _allowed(target.parts(view.attribute, others=False), view, masked)
    exceeding = [promised is not None and not promised.allows(b) for b in found.groups]
    fails = any(exceeding)
    notes = [f"before, everybody has one of the masked values with {percent(found.prior)}"]
    notes += [] if found.by_value else [POOLED]
    notes += [] if fails else [NO_VERDICT]
    return Finding(
        attack=called,
        attribute=view.attribute,
        knows=knows,
        unit="belief",
        before=found.prior,
        found=found.groups[worst],
        promised=promised,
        holds=False if fails else None,
        n_exceeding=view.n_in(np.array(exceeding, dtype=bool)),
        n_people=target.n_people,
        note="; ".join(notes),
        worst={
            "group": target.published_labels(worst),
            "value": view.label(*masked),
            "belief": found.groups[worst],
            "people": int(view.sizes[worst]),
        },
    )


def _allowed(parts: Sequence[Criterion], view: View, masked: Sequence[int]) -> Bound | None:
    """Give the smallest belief that is promised about all masked values together, if any is."""
    bounds = []
    for part in parts:
        protected = part.protects(view.groups.labels)
        together = len(set(protected[protected >= 0].tolist())) == 1
        if together and np.flatnonzero(protected >= 0).tolist() == list(masked):
            bounds.append(part.belief_allowed())
    return min(bounds, key=lambda bound: bound.number, default=None)


def _too_many(n_groups: int) -> CannotRun:
    return CannotRun(
        f"which of {counted(n_groups, 'group')} had values changed is not worked out: there are "
        "too many ways"
    )
