"""What MASK would need: the largest prior at which it holds, and what holding costs.

Everybody is sensitive with p0, independently. Where all groups have one size, every output of MASK
(Wong 2009, section 6), its refusal included, is weighed exactly; the largest p0 on a grid such that
no belief exceeds 1/l at it or below. With |L| = 1 that is 0, for a refusal then says that every
group violates. Then the values changed per 1,000 people: by MASK where it does not refuse
(and how often it does), by publishing no number above a cap, and by draws that are fixed
beforehand, the least of all mechanisms that hold and make nobody sensitive; beside them the
values that randomized response in both directions would change. docs/mask.md has the tables.

    python bench/masking.py [most groups]
"""

import argparse
import contextlib
import itertools
import math
from fractions import Fraction

from sfumato.formulas.masking.lots import outputs
from sfumato.formulas.masking.posterior import NeverPublished, posteriors
from sfumato.formulas.masking.public_draws import (
    binomial,
    expected_changes,
    largest_cap,
    public_draws,
)
from sfumato.formulas.masking.refusal import refusal

STEPS = [Fraction(n, 1000) for n in (1, *range(5, 500, 5))]


def worst_belief(size, n_groups, l, p0):
    """Give the largest belief over all outputs of MASK; groups are alike, so their order is not."""
    sizes, found = [size] * n_groups, []
    for published in itertools.combinations_with_replacement(range(size // l + 1), n_groups):
        with contextlib.suppress(NeverPublished):
            found += posteriors(sizes, published, Fraction(l), p0)
    with contextlib.suppress(NeverPublished):
        found += refusal(sizes, Fraction(l), p0)
    return max(found)


def largest_prior(size, n_groups, l):
    """Give the largest p0 of the grid up to which no belief exceeds 1/l; 0 where there is none."""
    holds = Fraction(0)
    for p0 in STEPS:
        if p0 * l > 1 or worst_belief(size, n_groups, l, p0) > Fraction(1, l):
            break
        holds = p0
    return holds


def mask_changes(size, n_groups, l, p0):
    """Give how often MASK refuses, and the values it changes on average otherwise."""
    refused, changed = Fraction(0), Fraction(0)
    weights = binomial(size, p0)
    for numbers in itertools.combinations_with_replacement(range(size + 1), n_groups):
        alike = math.factorial(n_groups)
        for number in set(numbers):
            alike //= math.factorial(numbers.count(number))
        weight = alike * math.prod(weights[number] for number in numbers)
        for output, chance in outputs([size] * n_groups, numbers, Fraction(l)).items():
            if output is None:
                refused += weight
            else:
                changed += weight * chance * (sum(numbers) - sum(output))
    return refused, changed / (1 - refused)


def main():
    """Print both tables in Markdown."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("most", type=int, nargs="?", default=7, help="most groups of a table")
    most = parser.parse_args().most
    groups = range(2, most + 1)
    print("| l | size | " + " | ".join(f"{n} groups" for n in groups) + " |")
    print("|---" * (2 + len(groups)) + "|")
    for l in (2, 3, 4):
        for size in range(2, 10):
            row = [f"{float(largest_prior(size, n, l)):.3f}" for n in groups]
            print(f"| {l} | {size} | " + " | ".join(row) + " |", flush=True)
    print()
    print("| m | size | p0 | MASK, 6 groups | it refuses | cap | capped | drawn | both ways |")
    print("|---|---|---|---|---|---|---|---|---|")
    for m, size, p0 in itertools.product((2, 4), (2, 3, 4, 5, 8), (Fraction(1, 20),)):
        prior = binomial(size, p0)
        cap = largest_cap(prior, Fraction(m))
        capped = {x: {min(x, cap): Fraction(1)} for x in range(size + 1)}
        refused, changed = mask_changes(size, 6, m, p0)
        drawn = public_draws(prior, Fraction(m))
        # everybody sensitive stays, others become so with s: p0 / (p0 + (1 - p0) s) = 1/m
        both_ways = p0 * (m - 1)
        cells = [
            f"{1000 * float(changed / (6 * size)):.2f}",
            f"{100 * float(refused):.1f} %",
            str(cap),
            f"{1000 * float(expected_changes(prior, capped) / size):.2f}",
            f"{1000 * float(expected_changes(prior, drawn) / size):.2f}",
            f"{1000 * float(both_ways):.2f}",
        ]
        print(f"| {m} | {size} | {p0} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
