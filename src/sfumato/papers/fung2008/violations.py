"""Figure 1: what is left of k-anonymity when two releases are compared."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from sfumato.papers.fung2008.setting import CASES, NEWCOMERS, SENSITIVE, Comparison, Outcomes
from sfumato.papers.reproduction import Claim, Panel
from sfumato.report.page.line_chart import Chart
from sfumato.text import percent

SMALL = ("200D2", "2000D2")
NO_CURVES = (
    "The paper's curves did not survive in our copy: only what the text says of them is compared."
)


def figure_1(outcomes: Outcomes) -> Iterator[Panel]:
    """Section 6.1: FA and BA of releases that were each made k-anonymous alone."""
    yield _forward("a", "Sen1", outcomes, _claims_a(outcomes))
    yield _forward("b", "Sen3", outcomes, _claims_b(outcomes))
    yield _backward("c", "Sen1", outcomes, _claims_c(outcomes))
    yield _backward("d", "Sen3", outcomes, _claims_d(outcomes))


def _forward(which: str, sensitive: str, outcomes: Outcomes, claims: Iterator[Claim]) -> Panel:
    lines = {new: [each.anonymity[0] for each in outcomes[sensitive, new]] for new in NEWCOMERS}
    ks = [each.k for each in outcomes[sensitive, "allD2"]]
    return Panel(
        f"Figure 1 ({which}): FA, {sensitive}",
        ("k", *NEWCOMERS),
        tuple(zip(ks, *lines.values(), strict=True)),
        f"The fewest records that are left to somebody who was there from the start. {NO_CURVES}",
        tuple(claims),
        Chart("lines", "k", "FA", tuple(map(float, ks)), {**lines, "k": ks}),
    )


def _backward(which: str, sensitive: str, outcomes: Outcomes, claims: Iterator[Claim]) -> Panel:
    lines = {new: [each.anonymity[2] for each in outcomes[sensitive, new]] for new in NEWCOMERS}
    of_somebody = [[each.fewest_new for each in outcomes[sensitive, new]] for new in NEWCOMERS]
    ks = [each.k for each in outcomes[sensitive, "allD2"]]
    return Panel(
        f"Figure 1 ({which}): BA, {sensitive}",
        ("k", *NEWCOMERS, *(f"{new}, to somebody" for new in NEWCOMERS)),
        tuple(zip(ks, *lines.values(), *of_somebody, strict=True)),
        "The fewest records that are left of any class to somebody who came later (definition "
        "3.6). It is 0 where nobody new is in a class, and then there is nobody to look for: the "
        f"last columns leave such classes out. {NO_CURVES}",
        tuple(claims),
        Chart("lines", "k", "BA", tuple(map(float, ks)), {**lines, "k": ks}),
    )


def _claims_a(outcomes: Outcomes) -> Iterator[Claim]:
    every = [each for case in CASES for each in outcomes[case]]
    equal = sum(each.anonymity[0] == each.anonymity[1] for each in every)
    yield Claim(
        "FA = CA, as theorem 4.5 says",
        f"in {equal} of {len(every)} runs, Sen1 and Sen3 together",
        equal == len(every),
    )
    drops = [
        f"{sensitive}/{new} from {before} to {after} at k = {k}"
        for sensitive, new in CASES
        for k, before, after in falls(outcomes[sensitive, new])
    ]
    yield Claim(
        "FA does not always increase with k (falling somewhere is taken as agreeing)",
        "; ".join(drops) or "it falls nowhere, and often stays",
        bool(drops),
    )


def _claims_b(outcomes: Outcomes) -> Iterator[Claim]:
    all_new = outcomes["Sen3", "allD2"]
    broken = n_broken(all_new)
    yield Claim(
        "with all newcomers FA < k at 4 of 5 k (more is taken as agreeing)",
        f"at {broken} of {len(all_new)}",
        5 * broken >= 4 * len(all_new),
    )
    worst = min(all_new, key=lambda each: each.anonymity[0] / each.k)
    fa = worst.anonymity[0]
    yield Claim(
        "it is worst at k = 40 with FA = 21, 48% lower (a third or more is taken as agreeing)",
        f"at k = {worst.k} with FA = {fa}, {percent(1 - fa / worst.k)} lower",
        worst.k == 40 and 3 * fa <= 2 * worst.k,
    )
    of_each = {name: sum(n_broken(outcomes[name, new]) for new in NEWCOMERS) for name in SENSITIVE}
    yield Claim(
        "FA < k is more frequent for Sen3 than for Sen1",
        f"{of_each['Sen3']} against {of_each['Sen1']} times",
        of_each["Sen3"] > of_each["Sen1"],
    )
    by_size = {new: n_broken(outcomes["Sen3", new]) for new in NEWCOMERS}
    yield Claim(
        "and for allD2 than for fewer newcomers",
        ", ".join(f"{new} {n}" for new, n in by_size.items()),
        by_size["allD2"] > max(by_size[new] for new in SMALL),
    )


def falls(outcomes: Sequence[Comparison]) -> list[tuple[int, int, int]]:
    """List the k at which FA is lower than at the k before, with both."""
    return [
        (after.k, before.anonymity[0], after.anonymity[0])
        for before, after in pairwise(outcomes)
        if after.anonymity[0] < before.anonymity[0]
    ]


def n_broken(outcomes: Sequence[Comparison]) -> int:
    """Count the k at which FA < k."""
    return sum(each.forward_broken for each in outcomes)


def _claims_c(outcomes: Outcomes) -> Iterator[Claim]:
    few = outcomes["Sen1", "200D2"]
    at_80 = next(each for each in few if each.k == 80)
    alone = ", ".join(str(each.k) for each in few if each.fewest_new == 1) or "none"
    yield Claim(
        "with 200 newcomers somebody is identified uniquely at k = 80: BA = 1",
        f"BA = {at_80.anonymity[2]}, and {at_80.fewest_new} left to somebody; a single record is "
        f"left at k = {alone}",
        at_80.fewest_new == 1,
    )
    yield from _claims_about_size("Sen1", outcomes)


def _claims_d(outcomes: Outcomes) -> Iterator[Claim]:
    yield from _claims_about_size("Sen3", outcomes)


def _claims_about_size(sensitive: str, outcomes: Outcomes) -> Iterator[Claim]:
    broken = {
        new: sum(each.backward_broken for each in outcomes[sensitive, new]) for new in NEWCOMERS
    }
    n = len(outcomes[sensitive, "allD2"])
    yield Claim(
        "with few newcomers BA < k at every k",
        ", ".join(f"{new} {broken[new]} of {n}" for new in SMALL),
        all(broken[new] == n for new in SMALL),
    )
    share = {
        new: min(each.anonymity[2] / each.k for each in outcomes[sensitive, new])
        for new in NEWCOMERS
    }
    yield Claim(
        "which is more frequent and more severe than with all of them",
        f"allD2 {broken['allD2']} of {n}; at worst BA is "
        + ", ".join(f"{part:.2f} k ({new})" for new, part in share.items()),
        broken["allD2"] < min(broken[new] for new in SMALL)
        and share["allD2"] > max(share[new] for new in SMALL),
    )
