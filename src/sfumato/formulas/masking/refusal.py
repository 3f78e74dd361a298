"""The belief that a refusal of MASK leaves: there are too few groups that do not violate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction

from sfumato.formulas.masking.lots import Reference, n_references
from sfumato.formulas.masking.posterior import HALF, NeverPublished
from sfumato.formulas.masking.weights import Kind, Prior, Tally, beliefs, joined


def refusal(
    sizes: Sequence[int],
    l: Fraction,
    p0: Fraction = HALF,
    reference: Reference = "paper",
    total: int | None = None,
) -> list[Fraction]:
    """Give the probability that a person of each group is sensitive, given that MASK refused.

    Args:
        sizes: People per group.
        l: At most 1/l of a published group is sensitive.
        p0: The prior: everybody is sensitive with p0, independently.
        reference: "paper" draws from (l - 1)|V| groups, 1 from the single largest share.
        total: Sensitive people in the original table where their number is known; p0 is without
            effect then.

    Raises:
        NeverPublished: MASK refuses no table with these groups.

    >>> refusal([2, 2, 2], Fraction(2))  # the groups of table XXI
    [Fraction(4, 5), Fraction(4, 5), Fraction(4, 5)]
    """
    prior = Prior(p0, total)
    alike = Counter(sizes)
    kinds = [
        Kind.of(
            size,
            number,
            kept=prior.weigh(size, range(int(size / l) + 1)),
            hidden=prior.weigh(size, range(int(size / l) + 1, size + 1)),
        )
        for size, number in alike.items()
    ]
    tallies = {0: prior.start(len(kinds))}  # by number of groups that violate so far
    for i, kind in enumerate(kinds):
        added: dict[int, Tally] = {}
        for n_hidden in range(kind.number + 1):
            weight, people = kind.weights[n_hidden]
            for before, tally in tallies.items():
                more = joined(tally, i, weight, people)
                so_far = before + n_hidden
                added[so_far] = added[so_far] + more if so_far in added else more
        tallies = added
    sums = [Fraction(0)] * (1 + len(kinds))
    for n_violating, tally in tallies.items():
        if n_violating and len(sizes) - n_violating < n_references(n_violating, l, reference):
            sums = [a + int(b) for a, b in zip(sums, tally[:, -1], strict=True)]
    if not sums[0]:
        raise NeverPublished("MASK refuses no table with these groups")
    found = dict(zip(alike, beliefs(sums, kinds), strict=True))
    return [found[size] for size in sizes]
