"""Chen 2009: the worked examples, the propositions, and where the paper is wrong."""

import itertools
import random
from collections import Counter
from fractions import Fraction

import pytest

import sfumato as sf
from sfumato.attacks.knowledge import breach_probability, knowledge_skyline, posterior, witness
from sfumato.formulas.knowledge.exact import exact_lacking, exact_odds
from worked_examples.tables import (
    CHEN_1B,
    CHEN_1B_BREACH_AIDS,
    CHEN_1B_COLUMNS,
    CHEN_FIVE,
    CHEN_HUNDRED,
    CHEN_TOM_WALK,
)

HALF = Fraction(1, 2)


def table_1b():
    """The groups of table 1(b), and everybody's place in it."""
    name, disease, group = (CHEN_1B_COLUMNS.index(each) for each in ("Name", "Disease", "Group"))
    numbers = sorted({row[group] for row in CHEN_1B})
    rows = [[row for row in CHEN_1B if row[group] == number] for number in numbers]
    groups = [(len(part), dict(Counter(row[disease] for row in part))) for part in rows]
    places = {row[name]: (g, i) for g, part in enumerate(rows) for i, row in enumerate(part)}
    return groups, places


def merged(groups):
    total = Counter()
    for _, counts in groups:
        total.update(counts)
    return [(sum(n for n, _ in groups), dict(total))]


def dealt(random, n_groups, n_people, values):
    groups = []
    for _ in range(n_groups):
        cards = [random.choice(values) for _ in range(random.randint(*n_people))]
        groups.append((len(cards), dict(Counter(cards))))
    return groups


def test_table_1b():
    groups, _ = table_1b()
    for point, breach in CHEN_1B_BREACH_AIDS.items():
        assert breach_probability(groups, "AIDS", *point) == breach


def test_the_walk_about_tom():
    groups, places = table_1b()
    tom = places["Tom"]
    gary, ann = (places["Gary"], "Flu"), places["Ann"]
    assert (
        posterior(groups, tom, "AIDS"),
        posterior(groups, tom, "AIDS", ["Cancer"]),
        posterior(groups, tom, "AIDS", ["Cancer"], [gary]),
        posterior(groups, tom, "AIDS", ["Cancer"], [gary], [ann]),
    ) == CHEN_TOM_WALK


def test_four_people_give_away_the_fifth_but_not_one_of_a_hundred():
    people, diseases = CHEN_FIVE
    five = [(len(people), dict(Counter(diseases)))]
    n, with_aids = CHEN_HUNDRED
    hundred = [(n, {"AIDS": with_aids, "Flu": n - with_aids})]
    assert breach_probability(five, "AIDS", 0, 0, 0) == Fraction(1, 5)
    assert breach_probability(hundred, "AIDS", 0, 0, 0) == Fraction(1, 5)
    assert breach_probability(five, "AIDS", 0, 4, 0) == 1
    assert breach_probability(hundred, "AIDS", 0, 4, 0) == Fraction(20, 96)
    found = witness(five, "AIDS", 0, 4, 0)
    assert (found.n_others, found.others_have) == (4, (("Flu", 4),))


@pytest.mark.long
def test_theorem_3_coarser_is_safer_with_one_value_per_person():
    rng = random.Random(21)
    for _ in range(300):
        groups = dealt(rng, rng.randint(2, 4), (1, 12), "ABCD")
        rest = dealt(rng, rng.randint(0, 2), (1, 12), "ABCD")
        point = [rng.randint(0, 4) for _ in range(3)]
        for value in "ABCD":
            fine = breach_probability(groups + rest, value, *point)
            assert breach_probability(merged(groups) + rest, value, *point) <= fine


@pytest.mark.parametrize(
    ("case", "l", "groups"),
    [
        ("set", 2, [(1, {"B": 1, "C": 1}), (2, {"A": 1})]),
        ("multiset", 1, [(1, {"B": 2}), (2, {"A": 1})]),
    ],
)
def test_theorem_3_fails_for_sets_and_multisets(case, l, groups):
    assert breach_probability(groups, "A", l, 0, 0, case) == HALF
    assert breach_probability(merged(groups), "A", l, 0, 0, case) == Fraction(9, 17)


def test_proof_of_theorem_2_one_group_is_worse_than_itself_twice():
    """T(g, l, k) V(g, m, k + 1) <= T(g, l, 0) V(g, m, k), in all three cases."""
    for case, n in itertools.product(("single", "set", "multiset"), range(1, 8)):
        for having, k, m in itertools.product(range(1, n + 1), range(4), range(4)):
            one = exact_odds(n, having, [], k, case) * exact_lacking(n, having, m, k + 1, case)
            two = exact_odds(n, having, [], 0, case) * exact_lacking(n, having, m, k, case)
            assert one <= two


@pytest.mark.parametrize("k", [2, 3, 4, 5])
def test_proposition_3_k_anonymity(k):
    """Where everybody's value is their identity, knowing k - 2 others makes nobody certain."""
    for sizes in itertools.product(range(1, 7), repeat=2):
        names = iter(range(sum(sizes)))
        groups = [(n, {next(names): 1 for _ in range(n)}) for n in sizes]
        safe = all(breach_probability(groups, who, 0, k - 2, 0) < 1 for who in range(sum(sizes)))
        assert safe == bool(sf.KAnonymity(k).holds(sf.Groups(list(sizes))).all())


@pytest.mark.parametrize("c", [Fraction(1, 2), 1, Fraction(3, 2), 3, 5, 10])
@pytest.mark.parametrize("l", [2, 3, 4])
def test_proposition_4_recursive_diversity(c, l):
    rng = random.Random(22)
    confidence = Fraction(c) / (Fraction(c) + 1)
    verdicts = set()
    for _ in range(60):
        groups = dealt(rng, rng.randint(1, 3), (1, 15), "AAAABBCD")
        histogram = [[counts.get(value, 0) for value in "ABCD"] for _, counts in groups]
        seen = sf.Groups([n for n, _ in groups], histogram, list("ABCD"))
        safe = all(breach_probability(groups, v, l - 2, 0, 0) < confidence for v in "ABCD")
        assert safe == bool(sf.RecursiveDiversity(c, l).holds(seen).all())
        verdicts.add(safe)
    assert False in verdicts


@pytest.mark.parametrize(("c", "head"), [(5, 5), (10, 10), (9, 9)])
def test_propositions_are_decided_exactly_at_the_threshold(c, head):
    """r_1 = c r_2 is a breach of exactly c / (c + 1), and fails; a float of it does, too."""
    groups = [(head + 1, {"A": head, "B": 1})]
    assert breach_probability(groups, "A", 0, 0, 0) == Fraction(c, c + 1)
    assert knowledge_skyline(groups, "A", c / (c + 1)) == []
    assert knowledge_skyline(groups, "A", Fraction(c, c + 1) + Fraction(1, 10**12)) != []


def test_footnote_4_all_other_values_ruled_out_is_certainty():
    rng = random.Random(23)
    for _ in range(100):
        groups = dealt(rng, rng.randint(1, 4), (1, 12), "ABCD")
        values = {value for _, counts in groups for value in counts}
        value = rng.choice(sorted(values))
        assert breach_probability(groups, value, len(values) - 1, 0, 0) == 1


def test_a_published_set_as_a_list_would_void_proposition_2():
    """Two people with {A} and {B}: as sets 2/3 with one implication, as lists certain."""
    groups = [(2, {"A": 1, "B": 1})]
    assert posterior(groups, (0, 0), "A", ["B"], case="set") == Fraction(2, 3)
    assert posterior(groups, (0, 0), "A", ["B"], case="single") == 1


@pytest.mark.long
@pytest.mark.parametrize("case", ["single", "set", "multiset"])
def test_more_knowledge_never_lowers_the_breach(case):
    rng = random.Random(24)
    for _ in range(150):
        groups = dealt(rng, rng.randint(1, 3), (1, 9), "ABCD")
        value = rng.choice(sorted(groups[0][1]))
        point = [rng.randint(0, 3) for _ in range(3)]
        breach = breach_probability(groups, value, *point, case)
        for i in range(3):
            more = [amount + (i == j) for j, amount in enumerate(point)]
            assert breach_probability(groups, value, *more, case) >= breach
