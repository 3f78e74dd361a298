"""k-Optimize: against all index sets, against the lattice, and what it says of its search."""

import random
import signal

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from naive import k_optimize as naive
from sfumato.algorithms.algorithm import allowed_rows
from sfumato.algorithms.k_optimize.anytime import Anytime
from sfumato.algorithms.k_optimize.clock import Clock
from sfumato.algorithms.k_optimize.nodes import Node
from sfumato.errors import BadInput

COSTS = ("discernibility", "class", "loss")


def made_up(seed, most=10):
    """Rows of one to three columns with few splits, their classes, k and a limit."""
    chance = random.Random(seed)
    n_values = [chance.randint(2, 6)]
    while len(n_values) < 3 and chance.random() < 0.8:
        room = most - sum(n - 1 for n in n_values)
        if room < 1:
            break
        n_values.append(chance.randint(2, min(6, room + 1)))
    n_rows = chance.randint(2, 40)
    skewed = chance.random() < 0.5
    rows = [
        tuple(
            min(int(chance.expovariate(1)), n - 1) if skewed else chance.randrange(n)
            for n in n_values
        )
        for _ in range(n_rows)
    ]
    classes = [chance.randrange(chance.choice((2, 3))) for _ in rows]
    k = chance.randint(1, min(8, n_rows))
    limit = chance.choice((1.0, 1.0, 0, 0.1, 0.3, 2))
    return rows, classes, n_values, k, limit


def read(rows, classes, n_values):
    names = [f"q{c}" for c in range(len(n_values))]
    columns = {name: [f"v{row[c]}" for row in rows] for c, name in enumerate(names)}
    trees = {
        name: sf.Tree({"any": [f"v{rank}" for rank in range(n)]})
        for name, n in zip(names, n_values, strict=True)
    }
    columns["class"] = [f"c{each}" for each in classes]
    return sf.read(pa.table(columns), trees, sensitive="class")


def compare(seed, most=10):
    rows, classes, n_values, k, limit = made_up(seed, most)
    table = read(rows, classes, n_values)
    frequencies = table.frequencies()
    most = allowed_rows(limit, len(rows))
    for by in COSTS:
        work = Anytime(frequencies, k, by, "class" if by == "class" else None, most)
        for _ in work.run(lambda: False):
            assert work.least <= work.cost
        least = naive.least_cost(rows, classes, n_values, k, by, most)
        assert work.cost == work.least == least, (seed, by)
        own = naive.cost(rows, classes, n_values, work.index_set, k, by)
        assert own[0] == least
        assert own[1] <= most


def test_it_finds_the_least_cost_of_all_index_sets():
    for seed in range(60):
        compare(seed, most=5)


@pytest.mark.slow
def test_it_finds_the_least_cost_of_all_index_sets_of_many_tables():
    for seed in range(2_000):
        compare(seed)


def test_no_recoding_of_a_node_costs_less_than_its_bounds():
    for seed in range(25):
        rows, classes, n_values, k, _ = made_up(seed)
        frequencies = read(rows, classes, n_values).frequencies()
        chance = np.random.default_rng(seed)
        for by in COSTS:
            work = Anytime(frequencies, k, by, "class" if by == "class" else None, len(rows) - 1)
            problem = work.problem
            head = chance.random(problem.n_splits) < 0.3
            tail = ~head & (chance.random(problem.n_splits) < 0.5)
            node = Node.of(problem, head, tail)
            starts = np.append(0, np.cumsum(n_values))
            numbers = starts[problem.column] + problem.value + 1
            own = set(numbers[head].tolist())
            least, head_cost, finest, of_tail = node.bounds
            priced = {}
            for more in naive.chain.from_iterable(
                naive.combinations(numbers[tail].tolist(), size)
                for size in range(int(tail.sum()) + 1)
            ):
                cost, gone = naive.cost(rows, classes, n_values, own | {*more}, k, by)
                priced[frozenset(more)] = cost / work.worth, gone
            assert all(c >= least.cost and g >= least.n_suppressed for c, g in priced.values())
            assert priced[frozenset()] == head_cost
            assert priced[frozenset(numbers[tail].tolist())] == finest
            for split, bound, gone, _ in zip(*of_tail, strict=True):
                with_it = [v for s, v in priced.items() if int(numbers[split]) in s]
                assert all(c >= bound and g >= gone for c, g in with_it)
            added = node.with_one_more
            for split, change, gone, _ in zip(*added, strict=True):
                cost, suppressed = priced[frozenset({int(numbers[split])})]
                assert (cost, suppressed) == (
                    head_cost.cost + change,
                    head_cost.n_suppressed + gone,
                )
            # A child laid out from its parent is the child laid out from all combinations.
            for split in np.flatnonzero(tail)[:2].tolist():
                below = node.with_split(split)
                anew = Node.of(problem, below.head, below.tail)
                dropped = problem.nothing
                dropped[split] = True
                without = node.without(dropped)
                other = Node.of(problem, without.head, without.tail)
                for one, two in ((below, anew), (without, other)):
                    assert one.bounds[:3] == two.bounds[:3]
                    for a, b in zip(one.bounds.tail, two.bounds.tail, strict=True):
                        assert a.tolist() == b.tolist()


@pytest.mark.parametrize("by", ["discernibility", "class"])
def test_of_equal_groups_the_narrowest_ranges_are_published(by):
    """Every further split would part people of a group: values that nobody has are not in it."""
    narrower = 0
    for seed in range(15):
        rows, classes, n_values, k, limit = made_up(seed, most=6)
        table = read(rows, classes, n_values)
        method = sf.KOptimize(by, "class" if by == "class" else None, limit)
        release = sf.anonymize(table, sf.KAnonymity(k), method)
        points = sf.KOptimize.split_points(release.table)
        found = points.index_set(release.recoding)
        least = naive.least_cost(rows, classes, n_values, k, by, allowed_rows(limit, len(rows)))
        assert naive.cost(rows, classes, n_values, found, k, by)[0] == least

        def published(index_set, rows=rows, n_values=n_values, k=k):
            groups = naive.groups(rows, n_values, index_set)
            return sorted(members for members in groups.values() if len(members) >= k)

        for number in points.numbers - found:
            assert published(found | {number}) != published(found)
        searched = Anytime(
            table.frequencies(), k, by, method.class_column, allowed_rows(limit, len(rows))
        )
        list(searched.run(lambda: False))
        narrower += found > searched.index_set
        assert published(found) == published(searched.index_set)
    assert narrower > 0


def test_its_recoding_goes_with_other_data_and_people_left_out_are_left_out_again(adult, tmp_path):
    release = sf.anonymize(adult, sf.KAnonymity(40), sf.KOptimize(seconds=0.2))
    assert release.n_suppressed > 0
    saved = sf.Recode.load(release.save_recoding(tmp_path / "recoding.json"))
    again = sf.anonymize(adult, sf.KAnonymity(40), saved)
    assert again.to_arrow().equals(release.to_arrow())


@pytest.fixture(scope="module")
def adult():
    rules = sf.datasets.adult_hierarchies()
    names = ("education", "sex", "race")
    return sf.read(sf.datasets.adult(), {name: rules[name] for name in names}, "salary")


@pytest.mark.parametrize("metric", ["discernibility", "loss"])
@pytest.mark.parametrize("limit", [0, 0.01, 1.0])
def test_it_is_never_worse_than_the_best_full_domain_generalization(adult, metric, limit):
    k = sf.KAnonymity(40)
    ours = sf.anonymize(adult, k, sf.KOptimize(metric, max_suppressed=limit, seconds=0.5))
    theirs = sf.anonymize(adult, k, sf.Optimal(metric, limit))
    measure = {
        "discernibility": sf.utility.discernibility,
        "loss": sf.utility.information_loss,
    }[metric]
    assert measure(ours) <= measure(theirs)
    assert ours.n_suppressed <= allowed_rows(limit, adult.n_rows)


def test_the_cost_is_what_is_published(adult, tmp_path):
    release = sf.anonymize(adult, sf.KAnonymity(40), sf.KOptimize(seconds=0.2))
    best = release.description.best_so_far
    assert best.cost == sf.utility.discernibility(release)
    assert release.gap == best.cost - best.least
    by_loss = sf.anonymize(adult, sf.KAnonymity(40), sf.KOptimize("loss", seconds=0.2))
    whole = release.n_rows + release.n_suppressed
    lost = sf.utility.information_loss(by_loss) * whole
    assert by_loss.description.best_so_far.cost == pytest.approx(lost)
    loaded = sf.load(release.save(tmp_path / "out"))
    assert loaded.gap == release.gap
    assert best.in_words in str(release.summary())
    assert best.in_words in release.summary().sentences[0]
    report = sf.audit(loaded)
    report.save(tmp_path / "report")
    assert best.in_words in (tmp_path / "report" / "report.html").read_text()


def test_figures_12_index_sets_go_there_and_back(adult):
    release = sf.anonymize(adult, sf.KAnonymity(40), sf.KOptimize(seconds=0.2))
    points = sf.KOptimize.split_points(release.table)
    index_set = points.index_set(release.recoding)
    again = points.recoding(index_set)
    for name, intervals in again.intervals.items():
        assert intervals.tolist() == release.recoding.intervals[name].tolist()


@pytest.fixture(scope="module")
def wide():
    """More values than are looked through in a moment."""
    rules = sf.datasets.adult_hierarchies()
    names = ("education", "occupation", "native-country", "relationship")
    return sf.read(sf.datasets.adult(), {name: rules[name] for name in names}, "salary")


@pytest.mark.parametrize("cost", ["discernibility", "loss"])
def test_as_many_steps_as_some_time_was_enough_for_give_the_same_again(wide, cost, tmp_path):
    timed = sf.anonymize(wide, sf.KAnonymity(40), sf.KOptimize(cost, seconds=0.2))
    written = sf.load(timed.save(tmp_path / "out")).description.best_so_far
    assert written.steps > 1
    assert f"after {written.steps:,} steps" in str(timed.summary())
    again = sf.anonymize(wide, sf.KAnonymity(40), sf.KOptimize(cost, budget=written.steps))
    assert again.description.best_so_far == written
    assert again.to_arrow().equals(timed.to_arrow())
    assert again.description.method.deterministic
    fewer = sf.anonymize(wide, sf.KAnonymity(40), sf.KOptimize(cost, budget=1))
    assert fewer.description.best_so_far.steps == 1
    assert fewer.gap > timed.gap > 0
    with pytest.raises(BadInput, match="budget must be an integer >= 1, got 0"):
        sf.KOptimize(cost, budget=0)


def test_after_how_many_steps_a_search_by_classes_ended_is_not_told(wide):
    by_class = sf.KOptimize("class", "salary", budget=3)
    best = sf.anonymize(wide, sf.KAnonymity(40), by_class).description.best_so_far
    assert not best.proved
    assert best.steps is None


def test_classes_are_quasi_identifiers_or_sensitive(adult):
    with pytest.raises(BadInput, match="class_column must be a quasi-identifier or a sensitive"):
        sf.anonymize(adult, sf.KAnonymity(5), sf.KOptimize("class", "age", seconds=1))
    with pytest.raises(BadInput, match="class_column names the column of cost"):
        sf.KOptimize(class_column="sex")
    with pytest.raises(BadInput, match='class_column is missing: name the column of cost="class"'):
        sf.KOptimize("class")


def test_what_looks_at_classes_is_never_shown_to_keep_a_promise_about_them(adult):
    """Who knows the classes of others can learn from which groups were chosen."""
    by_class = sf.KOptimize("class", "salary", seconds=0.2)
    release = sf.anonymize(adult, sf.KAnonymity(40), by_class)
    promise = sf.KAnonymity(40) & sf.LDiversity(2)
    said = " ".join(sf.audit(release)._document(private=False)["remarks"])
    assert "was chosen by values, too" in said
    audit = sf.audit(release, criterion=promise)
    assert audit.holds is not True
    unattacked = {each.name: each.reason for each in audit.not_run}
    assert "looked at values to choose" in unattacked["mechanism (salary)"]
    blind = sf.anonymize(adult, sf.KAnonymity(40), sf.KOptimize(seconds=0.2))
    reasons = {each.name: each.reason for each in sf.audit(blind, criterion=promise).not_run}
    assert "mechanism (salary)" not in reasons
    # Of sensitive classes a bound is told by hundredths alone.
    best = release.description.best_so_far
    assert (100 * best.least / best.cost) == pytest.approx(round(100 * best.least / best.cost))


def test_all_but_sizes_are_refused(adult):
    with pytest.raises(BadInput, match="bounds about the sizes of groups"):
        sf.anonymize(adult, sf.KAnonymity(5) & sf.LDiversity(2), sf.KOptimize())
    with pytest.raises(sf.Unsatisfiable):
        sf.anonymize(adult, sf.KAnonymity(10**6), sf.KOptimize())


def test_the_first_interrupt_gives_the_best_so_far_and_the_second_ends(adult):
    ages = sf.read(sf.datasets.adult(), ["age", "education-num"])
    interrupt = signal.signal(signal.SIGINT, signal.default_int_handler)  # it may be ignored here
    alarm = signal.signal(signal.SIGALRM, lambda *_: signal.raise_signal(signal.SIGINT))
    signal.setitimer(signal.ITIMER_REAL, 0.5)
    try:
        release = sf.anonymize(ages, sf.KAnonymity(30), sf.KOptimize())
        assert release.gap > 0
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    finally:
        signal.signal(signal.SIGALRM, alarm)
        signal.signal(signal.SIGINT, interrupt)


def test_nothing_is_proved_of_a_text_that_cannot_be_told():
    """A side that holds it is published as the whole column, which costs more than was decided."""
    texts = ["r0", "aa", "aa", "aa", "ab", "aa", "aa", "r1"]
    table = sf.read(pa.table({"t": texts}), ["t"])
    for cost in ("loss", "discernibility"):
        release = sf.anonymize(table, sf.KAnonymity(3), sf.KOptimize(cost))
        lost, squares = sf.utility.information_loss(release), sf.utility.discernibility(release)
        assert release.description.best_so_far.cost == pytest.approx(
            8 * lost if cost == "loss" else squares
        )
        assert (
            release.gap
            == release.description.best_so_far.cost - release.description.best_so_far.least
        )


def test_seconds_are_counted_from_the_first_recoding_on():
    """To load compiled code takes longer."""
    clock = Clock(1e-9, None, lambda: False)
    assert not clock.over()
    assert not clock.over()
    clock.start()
    assert clock.over()
