"""Homogeneity, background knowledge, skewness and similarity against enumeration."""

from fractions import Fraction

import pytest
from hypothesis import given

import naive.disclosure
import sfumato as sf
from attacks.generated import PATHS, UNPROTECTED, cases
from profiles import examples
from sfumato.attacks import (
    BackgroundKnowledge,
    CannotRun,
    Homogeneity,
    Similarity,
    Skewness,
)


def n_people(groups, unsafe):
    return sum(len(values) for values in groups.values() if unsafe(values))


def label(value):
    return "missing" if value is None else str(value)


def pointed_at(groups, finding):
    """The values of the groups that the finding points at; with others known there are several."""
    named = tuple(finding.worst["group"][c] for c in ("q0", "q1"))
    return [values for key, values in groups.items() if key[:2] == named]


def every_attack_is_its_twin(case):
    target = case.target
    for others in (False, True) if len(case.sensitive) > 1 else (False,):
        for attribute in case.sensitive:
            groups = case.groups(attribute, others=others)
            everybody = [row[attribute] for row in case.everybody]
            asked = {"attribute": attribute, "others": others}
            parts = case.about(attribute, others=others)
            finding = Homogeneity(**asked).find(target)
            all_seen = case.verdict_on_t  # the shares are of everybody, suppressed or not
            homogeneity(finding, parts, groups, everybody, others, all_seen)
            background(asked, target, parts, groups, everybody)
            finding = Skewness(**asked).find(target)
            skewness(finding, parts, groups, everybody, attribute, case.verdict_on_t)
            if attribute == "t":
                narrowest(Similarity(**asked).find(target), parts, groups, everybody)
            elif target.seen.frequencies.domains["s"].taxonomy.height > 1:
                under_one_node(Similarity(**asked).find(target), groups, everybody)


@examples(25)
@given(cases())
def test_every_attack_finds_what_enumeration_finds(case):
    every_attack_is_its_twin(case)


@pytest.mark.slow
@examples(400)
@given(cases())
def test_every_attack_finds_what_enumeration_finds_at_length(case):
    every_attack_is_its_twin(case)


def homogeneity(finding, parts, groups, everybody, others, all_seen):
    """The largest share of what is protected, beside the promise that is nearest to broken."""
    parts = [part for part in parts if part.limit and part.limit != ("<=", 1)]

    def strongest(kinds):
        shares = [naive.disclosure.beliefs(list(map(kinds, values))) for values in groups.values()]
        return max(
            (belief for each in shares for kind, belief in each.items() if kind != UNPROTECTED),
            default=Fraction(0),
        )

    shown = []
    for part in parts:
        found = strongest(part.kinds)
        broken = not all(part.keeps(values) for values in groups.values())
        shown.append(((broken, found - part.limit[1]), found, part.limit))
    if parts:
        unsafe = lambda values: not all(part.keeps(values) for part in parts)  # noqa: E731
        worst = max(key for key, _, _ in shown)
        assert (finding.found, (finding.promised.relation, finding.promised.value)) in [
            (found, limit) for key, found, limit in shown if key == worst
        ]
        assert not finding.promised.assumed
    else:
        assert finding.found == strongest(lambda value: value)
        certain = len(set(everybody)) > 1 or not all_seen
        unsafe = lambda values: certain and len(set(values)) == 1  # noqa: E731
        assert finding.promised is None if others else finding.promised.assumed
    if parts or not others:
        assert finding.n_exceeding == n_people(groups, unsafe)
        assert finding.holds == (finding.n_exceeding == 0)
    else:
        assert finding.holds is None
    if finding.worst:
        believed = finding.worst["value"].split(" or ")
        assert finding.before == Fraction(
            sum(label(value) in believed for value in everybody), len(everybody)
        )
        assert finding.found in [
            Fraction(sum(label(v) in believed for v in values), len(values))
            for values in pointed_at(groups, finding)
        ]


def background(asked, target, parts, groups, everybody):
    """The fewest values to rule out, and the belief after some have been."""
    least = max((part.n_values for part in parts), default=0) - 1
    needed = {key: naive.disclosure.values_to_rule_out(v, everybody) for key, v in groups.items()}
    if not any(needed.values()):
        with pytest.raises(CannotRun, match="certain already"):
            BackgroundKnowledge(**asked).find(target)
    else:
        finding = BackgroundKnowledge(**asked).find(target)
        fewest = min(n for n in needed.values() if n)
        assert finding.found == fewest
        assert finding.before == len(set(everybody)) - 1
        failing = [key for key, n in needed.items() if n and n < least]
        assert finding.n_exceeding == sum(len(groups[key]) for key in failing)
        assert finding.holds == (None if least < 1 else not failing)
        assert (finding.promised and finding.promised.value) == (least if least > 0 else None)
        so_few = sum(len(groups[key]) for key, n in needed.items() if n == fewest)
        assert f"so few are enough for {so_few} people" in finding.note
        assert len(finding.worst["rule out"]) == fewest
        assert any(
            {label(v) for v in values} == {*finding.worst["rule out"], finding.worst["value"]}
            for values in pointed_at(groups, finding)
        )
    for n in range(4):
        finding = BackgroundKnowledge(excludes=n, **asked).find(target)
        after = [naive.disclosure.belief_after(values, n) for values in groups.values()]
        assert finding.found == max(after)
        assert finding.before in [
            max(naive.disclosure.beliefs(values).values())
            for values in groups.values()
            if naive.disclosure.belief_after(values, n) == finding.found
        ]
        limits = [part.limit[1] for part in parts if recursive(part) and n <= part.fast.l - 2]
        limits += [Fraction(1)] if n <= least - 1 else []
        assert (finding.promised and finding.promised.value) == min(limits, default=None)
        broken = [
            len(v)
            for v, b in zip(groups.values(), after, strict=True)
            if b >= min(limits, default=2)
        ]
        assert finding.n_exceeding == sum(broken)
        assert finding.holds == (not broken if limits else None)
    known = sorted(set(everybody), key=str)
    for excluded in ([], known[:1], known[-2:]):
        left = [[v for v in values if v not in excluded] for values in groups.values()]
        attack = BackgroundKnowledge(excludes=excluded, **asked)
        if not any(left):
            with pytest.raises(CannotRun, match="nobody"):
                attack.find(target)
            continue
        expected = max(max(naive.disclosure.beliefs(values).values()) for values in left if values)
        assert attack.find(target).found == expected


def recursive(part):
    return isinstance(part.fast, sf.RecursiveDiversity)


def skewness(finding, parts, groups, everybody, attribute, verdict):
    """The largest rise of a belief, or the distance that t-closeness bounds."""
    rise = naive.disclosure.largest_rise(groups.values(), everybody)
    parts = [part for part in parts if part.t is not None]
    assert finding.worst["belief"] - finding.worst["before"] == rise
    if not parts:
        assert finding.found - finding.before == rise
        assert finding.holds is None
        assert finding.promised is None
        return
    excess = [[p.too_far(attribute, v, everybody) for v in groups.values()] for p in parts]
    worst = max(map(max, excess))
    assert finding.found - finding.promised.value == worst
    if verdict:
        failing = [
            len(values)
            for j, values in enumerate(groups.values())
            if any(each[j] > 0 for each in excess)
        ]
        assert finding.n_exceeding == sum(failing)
        assert finding.holds == (not failing)
    else:
        assert finding.holds is None
        assert finding.verdict == "no verdict"


def narrowest(finding, parts, groups, everybody):
    """The smallest range of numbers."""
    wanted = [part.e for part in parts if part.e is not None]
    found = {key: naive.disclosure.value_range(values) for key, values in groups.items()}
    assert finding.found == min(found.values())
    assert finding.before == naive.disclosure.value_range(everybody)
    assert (finding.promised and finding.promised.value) == max(wanted, default=None)
    failing = [len(groups[key]) for key, width in found.items() if width < max(wanted, default=0)]
    assert finding.n_exceeding == sum(failing)
    assert finding.holds == (not failing if wanted else None)
    ends = (finding.worst["from"], finding.worst["to"])
    if "missing" not in ends:
        assert Fraction(ends[1]) - Fraction(ends[0]) == finding.found


def under_one_node(finding, groups, everybody):
    """The largest rise of the belief that the value is of some kind."""
    kind_of = {path[0]: path[1] for path in PATHS} | {None: None}
    kinds = [[kind_of[value] for value in values] for values in groups.values()]
    of_everybody = [kind_of[value] for value in everybody]
    assert finding.found - finding.before == naive.disclosure.largest_rise(kinds, of_everybody)
    kind = finding.worst["kind of value"]
    assert finding.before == naive.disclosure.beliefs(map_labels(of_everybody))[kind]


def map_labels(values):
    return [label(value) for value in values]
