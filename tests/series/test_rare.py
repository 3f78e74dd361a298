"""A few people whose rare values would cost a column: left out, coded, or kept."""

import itertools
import random
import shutil
from datetime import date
from decimal import Decimal
from fractions import Fraction

import pandas as pd
import pyarrow.parquet as pq
import pytest

import naive.correspondence
import naive.known_cells
import naive.obstacles
import sfumato as sf
from series.made import image, kept, published
from sfumato.series import RareValues

RULES = {"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()}


def people(n, first=0, seed=0, ages=(20, 79), extra=()):
    """So many people, and others with ages of their own."""
    draw = random.Random(seed)
    rows = [
        {
            "id": f"P{first + i}",
            "age": draw.randint(*ages),
            "sex": "fm"[i % 2],
            "disease": draw.choice(["flu", "cold", "hiv"]),
        }
        for i in range(n)
    ]
    rows += [
        {"id": f"X{first + j}", "age": age, "sex": "f", "disease": disease}
        for j, (age, disease) in enumerate(extra)
    ]
    return pd.DataFrame(rows)


def series_of(place, k=5, criterion=None, rules=None, **options):
    return sf.ReleaseSeries.create(
        place,
        quasi_identifiers=rules or RULES,
        criterion=criterion or sf.KAnonymity(k),
        sensitive="disease",
        person="id",
        **options,
    )


def loss_of(done, column="age"):
    return done.summary.numbers["loss"][column]


OLD = [(83, "flu"), (91, "hiv")]


def test_a_question_comes_before_anything_is_kept(tmp_path):
    series = series_of(tmp_path / "s")
    before = image(series.place)
    with pytest.raises(RareValues) as caught:
        series.publish(people(400, extra=OLD))
    question = caught.value
    assert image(series.place) == before
    assert (question.n_people, question.share) == (2, Fraction(2, 402))
    assert [each.column for each in question.columns] == ["age"]
    assert question.columns[0].tails == ">=70"
    assert question.questions == [
        "2 people ([80, 100)) cost the age column: leave them out (0.50%, suppress), "
        "code >=70 as one (code), or publish no detail of the column (keep)?"
    ]
    # The line for scripts has the same words, counts, and no value of anybody.
    assert "publish no detail of the column (keep)" in str(question)
    assert "age: 2 people (0.50%) have values so rare" in str(question)
    assert not any(text in str(question) for text in ("83", "91", "80", "70"))
    assert question.values == ("[80, 100)", ">=70")


@pytest.mark.long
def test_people_who_are_left_out_are_counted_and_not_kept(tmp_path):
    series = series_of(tmp_path / "s")
    done = series.publish(people(400, extra=OLD), rare="suppress")
    assert (done.n_rows, done.n_suppressed, done.n_rare) == (400, 2, 2)
    assert loss_of(done) < 0.5
    ages = pq.read_table(series.place / "private" / "batches" / "001.parquet")["age"].to_pylist()
    assert max(map(int, ages)) < 80
    release = sf.load(done.release)
    assert (release.n_rows, release.n_suppressed, release.description.n_left_out) == (400, 0, 2)
    words = " ".join((done.release / "README.txt").read_text().split())
    assert "2 of 402 rows (0.50%) were left out" in words
    assert not any(text in repr(done) for text in ("83", "91"))
    assert series.verify()
    again = series.publish(people(300, first=400, seed=1, extra=[(85, "hiv")]), rare="suppress")
    assert (again.n_rows, again.n_suppressed, again.n_rare) == (700, 3, 1)
    assert loss_of(again) < 0.5
    assert [entry.n_suppressed for entry in series.status().releases] == [2, 3]
    assert series.verify()
    # The same records for somebody else: still three are left out.
    other = series.publish(recipient="insurer", columns=["age"])
    assert (other.n_rows, other.n_suppressed, other.n_rare) == (700, 3, 0)


def placed(first, counts):
    """People by sex and place: {"fa": 28} are 28 women in place a."""
    told = [each for each, n in counts.items() for _ in range(n)]
    return pd.DataFrame(
        [
            {"id": f"P{first + j}", "sex": sex, "place": place, "disease": "flu"}
            for j, (sex, place) in enumerate(told)
        ]
    )


@pytest.mark.long
@pytest.mark.parametrize(
    ("later", "n_rare", "why"),
    [
        # Place can be told once the one person of place c is not there.
        ({"fa": 20, "ma": 20, "fb": 20, "mb": 20, "fc": 1}, 1, None),
        # Sex is told first, and two new men in place a are too few, with that person or without.
        (
            {"fa": 48, "ma": 2, "mb": 30, "fc": 1},
            0,
            "beside what is told of the other columns, or beside the earlier releases, groups "
            "would be too small, also without the people whose values fewer than k = 5 have",
        ),
        # Two new people in place a, where others are published: nobody can take these away.
        (
            {"fa": 2, "fb": 40, "mb": 38, "fc": 1},
            0,
            "fewer than k = 5 new people have some of its values, and earlier releases, or batches "
            "that waited, have people with them",
        ),
    ],
)
def test_in_a_later_batch_nobody_is_left_out_for_a_column_that_is_lost_all_the_same(
    tmp_path, later, n_rare, why
):
    rules = {"sex": sf.Flat(), "place": sf.Flat()}
    series = series_of(tmp_path / "s", rules=rules)
    first = series.publish(placed(0, {"fa": 20, "ma": 20, "fb": 20, "mb": 20}))
    assert first.summary.lost == ()
    batch = placed(80, later)
    if n_rare:
        with pytest.raises(RareValues):
            series.publish(batch, dry_run=True)
    else:  # there is nothing to ask
        assert series.publish(batch, dry_run=True).n_rare == 0
    # Who keeps everybody is told the cause: the rare value, only where it is what costs the column.
    kept_all = series.publish(batch, rare="keep", dry_run=True)
    assert kept_all.summary.lost == ("place",)
    rare = "some of its values have fewer people than k = 5, 1 person in all"
    assert (rare in kept_all.why_lost[0]) == bool(n_rare)
    assert why is None or kept_all.why_lost == (f"nothing is left of place: {why}",)
    done = series.publish(batch, rare="suppress")
    assert (done.n_rare, done.n_rows) == (n_rare, 161 - n_rare)
    assert done.summary.lost == (() if why is None else ("place",))
    assert done.why_lost == (() if why is None else (f"nothing is left of place: {why}",))
    places = sf.load(done.release).to_pandas()["place"].astype(str)
    assert set(places) == ({"a", "b"} if why is None else {"*"})


def test_who_keeps_them_does_without_the_column_and_is_told_why(tmp_path):
    done = series_of(tmp_path / "s").publish(people(400, extra=OLD), rare="keep")
    assert (done.n_rows, done.n_suppressed) == (402, 0)
    assert loss_of(done) == 1
    assert done.why_lost == (
        "nothing is left of age: some of its values have fewer people than k = 5, 2 people in all "
        "(--rare, max_suppressed)",
    )


def test_coded_terms_start_a_series_that_keeps_everybody(tmp_path):
    with pytest.raises(RareValues) as caught:
        series_of(tmp_path / "s").publish(people(400, extra=OLD), rare="code")
    terms = caught.value.terms
    assert terms.quasi_identifiers["age"] == sf.Intervals(5, 10, 20, top=70)
    done = series_of(tmp_path / "t", rules=terms.quasi_identifiers).publish(people(400, extra=OLD))
    assert (done.n_rows, done.n_suppressed) == (402, 0)
    assert loss_of(done) < 0.5


@pytest.mark.long
def test_a_chain_that_has_begun_is_not_coded(tmp_path):
    series = series_of(tmp_path / "s")
    series.publish(people(400))
    batch = people(400, first=400, seed=1, extra=OLD)
    with pytest.raises(RareValues, match="the chain has begun") as caught:
        series.publish(batch, rare="code")
    assert caught.value.terms is None
    with pytest.raises(RareValues) as caught:
        series.publish(batch)
    assert "(code)" not in str(caught.value)
    assert (published(series.place), kept(series.place)) == (["001"], ["001.parquet"])
    # A new chain may be.
    with pytest.raises(RareValues) as caught:
        series.publish(batch, rare="code", new_chain=True)
    done = series.publish(batch, new_chain=True, terms=caught.value.terms)
    assert (done.chain, done.n_rows, done.n_suppressed) == (2, 402, 0)
    assert series.verify()


@pytest.mark.long
@pytest.mark.parametrize("told", [True, False])
def test_a_code_cuts_through_what_earlier_releases_told(told):
    """So a chain keeps its hierarchies: [60, 80) is neither inside >=70 nor around it."""

    def read(frame, rule):
        roles = {"sensitive": "disease", "identifiers": ["id"]}
        return sf.read(frame[["id", "age", "disease"]], quasi_identifiers={"age": rule}, **roles)

    first = people(200, extra=[] if told else [(85, "flu")])
    both = pd.concat([first, people(200, first=200, seed=1, extra=OLD)])
    promise = sf.BCFAnonymity(5)
    earlier = sf.anonymize(read(first, sf.Intervals(20)), promise, sf.BCFAnonymizer())
    assert ("[60, 80)" in set(earlier.to_pandas()["age"])) == told
    method, coded = sf.BCFAnonymizer(previous=[earlier]), sf.Intervals(20, top=70)
    if told:
        with pytest.raises(sf.BadInput, match="the hierarchies stay the same"):
            sf.anonymize(read(both, coded), promise, method)
    else:  # outside of a series, after a release that told nothing, it is a cut like any other
        release = sf.anonymize(read(both, coded), promise, method)
        assert ">=70" in set(release.to_pandas()["age"])
        assert release.check()


def test_nothing_without_ends_is_coded(tmp_path):
    rules = {"place": sf.Prefix(), "sex": sf.Flat()}
    batch = people(400).assign(place=["10", "11", "12", "13"] * 100)
    batch.loc[0, "place"] = None
    series = series_of(tmp_path / "s", rules=rules)
    with pytest.raises(RareValues, match="place: no bottom or top") as caught:
        series.publish(batch, rare="code")
    assert caught.value.columns[0].nodes == ("missing",)
    assert series.publish(batch, rare="suppress").n_suppressed == 1


@pytest.mark.long
def test_a_limit_is_an_answer_as_long_as_it_lasts(tmp_path):
    series = series_of(tmp_path / "s", max_suppressed=0.005)
    done = series.publish(people(400, extra=OLD))
    assert done.n_suppressed == 2
    batch = people(100, first=400, seed=1, extra=[(85, "hiv")])
    with pytest.raises(RareValues):  # 3 of 503
        series.publish(batch)
    with pytest.raises(sf.BadInput, match=r"max_suppressed: with these, 3 rows of 503") as caught:
        series.publish(batch, rare="suppress")
    assert not isinstance(caught.value, RareValues)
    assert published(series.place) == ["001"]
    assert series.publish(batch, rare="keep").n_suppressed == 2


def test_a_batch_that_is_all_rare_is_not_left_out_as_a_whole(tmp_path):
    """The only one who comes is rare, and those who wait would make the release."""
    series = series_of(tmp_path / "s", rules={"place": sf.Flat()}, max_suppressed=0.5)
    series.publish(placed(0, {"fa": 20, "fb": 20}), wait=True)
    done = series.publish(placed(40, {"fc": 1}))
    assert (done.n_rows, done.n_rare) == (41, 0)
    assert done.summary.lost == ("place",)


@pytest.mark.parametrize("limit", [-1, 1.5, "2", True])
def test_a_limit_is_a_number_of_rows_or_a_share(tmp_path, limit):
    with pytest.raises(sf.BadInput, match="max_suppressed must be"):
        series_of(tmp_path / "s", max_suppressed=limit)
    assert not (tmp_path / "s").exists()


@pytest.mark.parametrize("rare", ["drop", "", 3])
def test_only_three_things_can_become_of_them(tmp_path, rare):
    with pytest.raises(sf.BadInput, match="rare must be one of suppress, code, keep"):
        series_of(tmp_path / "s").publish(people(40), rare=rare)


def test_who_waits_is_not_asked(tmp_path):
    series = series_of(tmp_path / "s")
    assert series.publish(people(400, extra=OLD), wait=True).n_suppressed == 0
    with pytest.raises(sf.BadInput, match="drop --rare"):
        series.publish(people(40, first=900), wait=True, rare="keep")


def test_no_column_is_lost_without_a_question_however_many_cost_it(tmp_path):
    for n in (3, 4):  # with one batch of a hundred people and more
        many = people(100, extra=[(85, "flu")] * n)
        series = series_of(tmp_path / f"s{n}")
        with pytest.raises(RareValues) as caught:
            series.publish(many)
        assert caught.value.n_people == n
        assert list(caught.value.ways) == ["suppress", "code", "keep"]
        assert published(series.place) == []
    assert series.publish(many, rare="suppress", dry_run=True).n_rare == 4
    done = series.publish(many, rare="keep")
    assert (done.n_rows, loss_of(done)) == (104, 1)
    assert "4 people in all" in done.why_lost[0]
    series = series_of(tmp_path / "t", max_suppressed=0.04)
    assert series.publish(many).n_rare == 4


@pytest.mark.parametrize(
    ("limit", "more"), [(0, "no more rows"), (1, "only 1 row more"), (2, "only 2 rows more")]
)
def test_who_may_not_be_left_out_by_the_limit_is_asked_about_all_the_same(tmp_path, limit, more):
    series = series_of(tmp_path / "s", max_suppressed=limit)
    with pytest.raises(RareValues) as caught:
        series.publish(people(100, extra=[(85, "flu")] * 3))
    question = caught.value
    assert list(question.ways) == ["code", "keep"]
    why = f"they cannot be left out: max_suppressed of the series allows {more}"
    assert "(suppress)" not in str(question)
    assert str(question).endswith(why)
    assert question.questions[-1] == f"T{why[1:]}."
    assert "leave" not in question.questions[0]
    assert question.questions[0].startswith("3 people (85) cost the age column: code >=75")


def test_of_several_columns_all_are_asked_about_at_once(tmp_path):
    batch = people(200, extra=OLD)
    batch.loc[0, "sex"] = None
    with pytest.raises(RareValues) as caught:
        series_of(tmp_path / "s").publish(batch)
    assert caught.value.questions == [
        "2 people ([80, 100)) cost the age column.",
        "1 person (missing) costs the sex column.",
        "Together they are 3 people (1.5%): leave them out (suppress), code age >=70 as one "
        "(code), or publish no detail of the columns (keep)?",
    ]
    with pytest.raises(RareValues) as caught:
        series_of(tmp_path / "t", max_suppressed=0).publish(
            batch.drop(columns="age").assign(age=30)
        )
    assert caught.value.questions == [
        "1 person (missing) costs the sex column: publish no detail of the column (keep)?",
        "They cannot be left out: max_suppressed of the series allows no more rows.",
    ]


def test_a_question_names_the_first_few_of_many_nodes(tmp_path):
    batch = people(80, extra=[(100 + 20 * j, "flu") for j in range(8)])
    with pytest.raises(RareValues) as caught:
        series_of(tmp_path / "s").publish(batch)
    assert "8 people (100, 120, 140, 160, 180 and 3 more)" in caught.value.questions[0]


@pytest.mark.long
@pytest.mark.parametrize(
    ("rule", "common", "rare"),
    [
        (sf.Intervals(20), [25.5, 45.0, 65.25], [83.0, 91.5]),
        (sf.Intervals(20), [Decimal("25.50"), Decimal("45.10")], [Decimal("83.00")]),
        (sf.Dates(), [date(2020, 1, 1), date(2021, 2, 3)], [date(1950, 5, 6)]),
        (sf.Flat(), ["a", "b"], ["", "B c", None]),
        (sf.Tree({"x": ["true"], "y": ["false"], "z": ["maybe"]}), ["true", "false"], ["maybe"]),
        (sf.Tree([7, 8, 9]), [7, 8], [9]),
        (sf.Flat(), [True, False], [None]),
    ],
    ids=["floats", "decimals", "dates", "texts", "a tree", "a tree of numbers", "truth"],
)
@pytest.mark.parametrize("kind", ["frame", "csv"])
def test_rows_are_left_out_whatever_the_kind_of_their_values(tmp_path, rule, common, rare, kind):
    values = [*common * 150, *rare]
    diseases = ["flu" if i % 2 else "cold" for i in range(len(values))]
    batch = pd.DataFrame({"id": range(len(values)), "what": values, "disease": diseases})
    source = batch
    if kind == "csv":
        source = tmp_path / "a.csv"
        texts = [
            f"{i},{'' if v is None else chr(34) + str(v) + chr(34)},{d}"
            for i, v, d in batch.itertuples(index=False)
        ]
        source.write_text("\n".join(["id,what,disease", *texts, ""]))
    series = series_of(tmp_path / "s", rules={"what": rule})
    done = series.publish(source, rare="suppress")
    assert (done.n_rare, done.n_rows) == (len(rare), len(common) * 150)
    assert done.summary.lost == ()
    found = pq.read_table(series.place / "private" / "batches" / "001.parquet")["what"].to_pylist()
    assert {str(each) for each in found} == {str(each) for each in common}


@pytest.mark.long
def test_they_come_in_with_a_later_batch_once_they_are_many(tmp_path):
    series = series_of(tmp_path / "s")
    series.publish(people(400, extra=OLD), rare="suppress")
    with pytest.raises(sf.BadInput, match="the same rows came as batch 001"):
        series.publish(people(400, extra=OLD), skip_known=True, rare="keep")
    rare = people(400, extra=OLD).tail(2)
    others = people(300, first=400, seed=1, extra=[(80 + j, "flu") for j in range(6)])
    done = series.publish(pd.concat([rare, others]))
    assert (done.n_rows, done.n_new, done.n_rare) == (708, 308, 0)
    assert all(each.holds for each in done.compared)
    assert series.verify()


@pytest.mark.long
def test_waiting_people_and_published_ones_cannot_be_left_out(tmp_path):
    series = series_of(tmp_path / "s")
    series.publish(people(1, extra=[(85, "flu")]), wait=True)
    done = series.publish(people(400, first=10))
    assert loss_of(done) == 1
    assert "batches that waited" in done.why_lost[0]


@pytest.mark.long
def test_few_newcomers_of_a_value_cost_its_column_only_where_a_release_told_it(tmp_path):
    """Two new people of 22 in place a: where 20 older ones were told, two records are left."""
    rules = {"sex": sf.Flat(), "place": sf.Flat()}
    batch = placed(40, {"fa": 1, "ma": 1, "fb": 25, "mb": 25, "fc": 1})
    diseases = itertools.cycle(["flu", "hiv", "cold"])
    earlier = placed(0, {"fa": 10, "ma": 10, "fb": 10, "mb": 10})
    earlier["disease"], batch["disease"] = ([*itertools.islice(diseases, n)] for n in (40, 53))
    for told in (True, False):
        series = series_of(tmp_path / f"{told}", rules=rules)
        columns = ["sex", "place"] if told else ["sex"]
        series.publish(earlier, columns=columns)
        first = sf.load(series.place / "public" / "001").to_pandas()
        done = series.publish(batch, columns=["place"], rare="suppress")
        frame = sf.load(done.release).to_pandas()
        if told:
            assert (done.n_rare, set(frame["place"])) == (0, {"*"})
            assert "batches that waited, have people with them" in " ".join(done.why_lost)
        else:
            assert (done.n_rare, set(frame["place"])) == (1, {"a", "b"})
        # The same in small, by all choices of buddies: what the backward attack leaves.
        after = [(frozenset("a"), d) for d in ("hiv", "cold")]
        after += [(frozenset(place), "flu") for place in "a" * 6 + "b" * 12]
        before = [(frozenset(place if told else "ab"), "flu") for place in "a" * 6 + "b" * 6]
        assert set(first["place"]) == ({"a", "b"} if told else {"*"})
        assert naive.correspondence.bcf(before, after)[2] == (2 if told else 6)


@pytest.mark.long
def test_drift_counts_new_values_and_missing_shares(tmp_path):
    rules = {"age": sf.Intervals(20), "sex": sf.Flat()}
    series = series_of(tmp_path / "s", rules=rules)
    first = people(60, ages=(20, 39))
    assert series.publish(first, rare="keep").drift is None
    second = people(40, first=60, seed=1, ages=(20, 39))
    second["age"] = [41, 41, 42, *second["age"][3:]]
    second["disease"] = [None] * 4 + ["new"] + list(second["disease"][5:])
    by_column = {each.column: each for each in series.publish(second, rare="keep").drift.columns}
    new_ages = set(second["age"]) - set(first["age"])
    assert by_column["age"].n_values == len(new_ages)
    assert by_column["age"].n_people == sum(age in new_ages for age in second["age"])
    assert by_column["age"].missing == 0
    told = by_column["disease"]
    assert (told.n_values, told.n_people, told.missing) == (1, 1, Fraction(4, 40))
    assert told.text == "1 value new to the chain (1 person); missing 10%, before 0%"
    assert by_column["sex"].text is None


@pytest.mark.long
def test_who_was_left_out_is_not_in_the_chain_so_far(tmp_path):
    series = series_of(tmp_path / "s")
    series.publish(people(400, extra=OLD), rare="suppress")
    later = people(300, first=400, seed=1, extra=[(83, "flu")])
    done = series.publish(later, rare="suppress", dry_run=True)
    assert done.drift.lines == [("age", "1 value new to the chain (1 person)")]


# ------------------------------------------------------ what can be said of who is left out


def tables(place):
    """What a release says, apart from when it was made."""
    return {path.name: path.read_bytes() for path in sorted(place.iterdir())}


@pytest.mark.long
def test_no_release_depends_on_the_values_of_who_is_left_out(tmp_path):
    """All values that two people can have, in every way: every file is the same."""
    promise = sf.KAnonymity(3) & sf.LDiversity(2, "frequency") & sf.TCloseness("0.9")
    series_of(tmp_path / "base", criterion=promise)
    seen = []
    for j, values in enumerate(itertools.product(["flu", "cold", "hiv", "only theirs"], repeat=2)):
        place = shutil.copytree(tmp_path / "base", tmp_path / f"s{j}")  # with the same key
        series = sf.ReleaseSeries(place)
        extra = [(83, values[0]), (91, values[1])]
        done = series.publish(people(120, extra=extra), rare="suppress")
        assert done.n_rare == 2
        seen.append(tables(done.release))
        assert b"only theirs" not in b"".join(seen[-1].values())
    assert all(each == seen[0] for each in seen)


def holds_of(label, age):
    """Whether a published label can be of an age."""
    if label == "*":
        return True
    if label[0] == "[":
        low, high = label[1:-1].split(", ")
        return int(low) <= age < int(high)
    return int(label) == age


def nodes(ages):
    """The tree of some ages under Intervals(10, 20), as `naive.obstacles` takes it."""
    wide = {}
    for age in sorted(set(ages)):
        wide.setdefault(age // 20, {}).setdefault(age // 10, []).append(age)

    def told(parts):
        return parts[0] if len(parts) == 1 else tuple(parts)

    return told([told([told(a) for a in narrow.values()]) for narrow in wide.values()])


def told_of(release, known, ages):
    """What a release tells of ages, as `naive.obstacles` takes it: people and label by age."""
    labels = set(release.to_pandas()["age"].astype(str))
    older = {age: sum(own == age for own, _ in known) for age in ages}
    return older, {age: next((x for x in labels if holds_of(x, age)), None) for age in ages}


def lived_through(place, batches, k, criterion):
    """Publish, delivering again who was left out, and let the twin go through all worlds.

    Returns how many people were left out at first and published later.
    """
    rules = {"age": sf.Intervals(10, 20)}
    series = series_of(place, k, criterion, rules=rules, max_suppressed=1.0)
    known, waiting, releases, came_later = [], [], [], 0
    for number, batch in enumerate(batches):
        arriving = [*waiting, *batch]
        ages = [age for age, _ in known + arriving]
        new, stay = (dict.fromkeys(ages, 0) for _ in range(2))
        for age, _ in arriving:
            new[age] += 1
        for age, _ in known:
            stay[age] += 1
        tree = nodes(ages)
        told = [told_of(release, known[:n], new) for release, n in releases]
        rare = []
        if isinstance(tree, tuple):
            rare = naive.obstacles.least_left_out(tree, new, stay, k, told)
        frame = pd.DataFrame(
            [
                {"id": f"{number}-{j}", "age": age, "disease": value}
                for j, (age, value) in enumerate(arriving)
            ]
        )
        try:
            done = series.publish(frame, rare="suppress")
        except sf.Unsatisfiable:
            break
        left_out = [person for person in arriving if person[0] in (rare or [])]
        assert done.n_rare == len(left_out)
        came_later += sum(person not in left_out for person in waiting)
        known += [person for person in arriving if person not in left_out]
        waiting = left_out
        releases.append((sf.load(done.release), len(known)))
    if len(releases) < 2:
        return 0
    say_little(releases, known, waiting, k)  # those who are in no release are targets, too
    return came_later


def say_little(releases, known, left_out, k):
    """Go through all worlds of the published files: k records, and no value believed over 1/2.

    releases: each with how many of the known people it has.
    """
    everybody = known + left_out
    classes, groups = [], []
    for release, n in releases:
        frame = release.to_pandas()
        by_label = {}
        for label, value in zip(frame["age"].astype(str), frame["disease"], strict=True):
            by_label.setdefault(label, []).append(value)
        classes.append(
            [next(x for x in by_label if holds_of(x, age)) for age, _ in known[:n]]
            + [None] * (len(everybody) - n)
        )
        groups.append(by_label)
    people_in = list(zip(*classes, strict=True))
    values = {value for each in groups for own in each.values() for value in own}
    for own, belief in zip(people_in, naive.known_cells.beliefs(people_in, groups), strict=True):
        if all(name is None for name in own):
            # Of who is in no release nothing is learned: all values are as likely as before.
            assert belief == {value: Fraction(1, len(values)) for value in values}
            continue
        assert max(belief.values()) <= Fraction(1, 2)
        for name, each in zip(own, groups, strict=True):
            if name is not None:  # k records of every release that holds her may be hers
                assert sum(value in belief for value in each[name]) >= k


def generated(n):
    for number in range(n):
        dice = random.Random(f"rare {number}")
        k = 2
        batches = []
        for size in (7, dice.choice([4, 5]), dice.choice([0, 3])):
            common = [(dice.choice([21, 25, 45]), dice.choice("stu")) for _ in range(size)]
            rare = [(dice.choice([62, 85]), dice.choice("stu"))] if dice.random() < 0.7 else []
            if size:
                batches.append(common + rare)
        yield batches, k


@pytest.mark.long
def test_all_worlds_say_as_little_of_who_was_left_out_as_of_everybody(tmp_path):
    promise = sf.KAnonymity(2) & sf.LDiversity(2, "frequency")
    came = [
        lived_through(tmp_path / str(j), batches, k, promise)
        for j, (batches, k) in enumerate(generated(12))
    ]
    assert sum(came) > 0  # some appear later


@pytest.mark.long
def test_who_waits_stays_and_all_worlds_say_as_little_of_rare_people_who_waited(tmp_path):
    promise = sf.KAnonymity(2) & sf.LDiversity(2, "frequency")
    n_waited = 0
    for number in range(3):
        dice = random.Random(f"waits {number}")
        series = series_of(tmp_path / str(number), 2, promise, {"age": sf.Intervals(10, 20)})
        known, releases = [], []
        for j, wait in enumerate([False, True, False]):
            batch = [(dice.choice([21, 25, 45]), "stu"[i % 3]) for i in range(3 if j else 6)]
            batch += [(85, dice.choice("stu"))] if wait else []
            rows = [{"id": f"{j}-{i}", "age": a, "disease": d} for i, (a, d) in enumerate(batch)]
            try:
                way = None if wait else "keep"
                done = series.publish(pd.DataFrame(rows), wait=wait, rare=way)
            except sf.Unsatisfiable:
                break
            known += batch
            if not wait:
                releases.append((sf.load(done.release), len(known)))
                assert (done.n_rows, done.n_rare) == (len(known), 0)
        if len(releases) == 2:
            n_waited += 1
            assert set(releases[-1][0].to_pandas()["age"].astype(str)) == {"*"}
            say_little(releases, known, [], 2)
    assert n_waited > 0


@pytest.mark.slow
def test_all_worlds_say_as_little_in_many_series(tmp_path):
    promise = sf.KAnonymity(2) & sf.LDiversity(2, "frequency")
    came = [
        lived_through(tmp_path / str(j), batches, k, promise)
        for j, (batches, k) in enumerate(generated(150))
    ]
    assert sum(came) > 10


@pytest.mark.long
def test_a_tail_that_cuts_through_wider_ranges_can_cost_another_column(tmp_path):
    """Nine new women of [60, 70) and nine new men of >=70 cannot be put together, but >=60 can."""
    ages = [age for decade in (20, 30, 40, 50, 60, 70) for age in (decade, decade + 5)]

    def month(first, n_by_cell):
        told = [
            (age, sex)
            for age in ages
            for sex in "fm"
            for _ in range(n_by_cell.get((age // 10 * 10, sex), 10))
        ]
        rows = [
            {"id": f"P{first + j}", "age": age, "sex": sex, "disease": ["flu", "cold"][j % 2]}
            for j, (age, sex) in enumerate(told)
        ]
        return pd.DataFrame(rows)

    months = month(0, {}), month(1000, {(60, "f"): 4, (70, "m"): 4})
    for top, lost in ((70, ("sex",)), (60, ())):
        rules = {"age": sf.Intervals(10, 20, 40, top=top), "sex": sf.Flat()}
        series = series_of(tmp_path / f"{top}", k=10, rules=rules)
        first, second = [series.publish(batch, rare="keep") for batch in months]
        assert first.summary.lost == ()
        assert second.summary.lost == lost


@pytest.mark.slow
def test_one_rare_person_in_a_hundred_costs_a_series_little(tmp_path):
    """At most half as much again as one release of the same people; `bench/rare.py` has more."""
    months = [
        people(900, first=1000 * j, seed=j, extra=[(80 + i, "flu") for i in range(9)])
        for j in range(3)
    ]
    k = 28  # more than the 27 who are rare in all months together
    series = series_of(tmp_path / "s", k=k)
    last = [series.publish(each, rare="suppress") for each in months][-1]
    alone = series_of(tmp_path / "t", k=k)
    single = alone.publish(pd.concat(months), rare="suppress")
    assert (last.n_suppressed, single.n_suppressed) == (27, 27)
    losses = [each.summary.numbers["information_loss"] for each in (last, single)]
    assert losses[0] <= 1.5 * losses[1]
