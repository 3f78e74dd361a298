"""What releases name of the texts of open columns: what many people have, and never a range."""

import random

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from naive.naming import bounds_of, may_be_named, other_holds, sharing, told_by
from profiles import examples
from sfumato.data.labels.grammar import EVERY_VALUE, Mask, Members, Name, Range, parse
from sfumato.data.labels.reader import LabelReader

METHODS = [
    sf.Mondrian(),
    sf.Mondrian(strict=False),
    sf.TopDown(),
    sf.TopDown("cut"),
    sf.Samarati(max_suppressed=10),
    sf.Incognito(max_suppressed=10),
    sf.Optimal(),
    sf.Checked(sf.Mondrian(), ks=(6,)),
]
BY_RANGES = [sf.Mondrian(), sf.Mondrian(strict=False), sf.Checked(sf.Mondrian(), ks=(6,))]


def released(texts, rule, k, method):
    """Release people, and list what each is published as; None: nothing."""
    rng = random.Random(len(texts))
    n = len(texts)
    people = pa.table(
        {
            "text": pa.array(texts, pa.string()),
            "age": [rng.randrange(20, 60) for _ in range(n)],
            "row": [f"r{j}" for j in range(n)],
        }
    )
    roles = {"text": rule, "age": sf.Intervals(10, 20)}
    table = sf.read(people, roles, insensitive=["row"])
    release = sf.anonymize(table, sf.KAnonymity(k), method, untouched_identify=True)
    rows = release.to_arrow().to_pydict()
    label = dict(zip(rows["row"], rows["text"], strict=True))
    return release, [label.get(f"r{j}", ...) for j in range(n)]


def names_of(part):
    return part.names if isinstance(part, Members) else (part,)


categories = st.lists(
    st.tuples(
        st.sampled_from(
            ["a", "b", "c, d", "e{", "*", "", "other", "Other", "missing", '"q"', "<5"]
        ),
        st.integers(1, 9),
    ),
    min_size=1,
    max_size=8,
    unique_by=lambda pair: pair[0].casefold(),
)


@pytest.mark.long
@examples(80)
@given(categories, st.integers(0, 6), st.integers(1, 7), st.sampled_from(METHODS))
def test_only_what_many_people_have_is_named_and_nothing_is_a_range(groups, missing, k, method):
    values = [text for text, n in groups for _ in range(n)] + [None] * missing
    fewest = max(k, 5)
    try:
        release, labels = released(values, sf.Flat(), k, method)
    except sf.Unsatisfiable:
        return
    named, rest = may_be_named(values, fewest), other_holds(values, fewest)
    alone = {v for v in set(values) if v is not None and values.count(v) >= fewest}
    reader = LabelReader(release.table.domains["text"])
    for value, label in zip(values, labels, strict=True):
        if label is ...:
            continue
        if label is None:
            assert value is None
            continue
        part = parse(label).part
        if part == EVERY_VALUE:
            assert value is not None or parse(label).or_missing
            continue
        assert not isinstance(part, (Range, Mask))
        names = names_of(part)
        for name in names:
            if name is not None and name != Name("other"):
                assert name.text in (named if rest else named | alone)
        others = Name("other") in names and (rest or {v for v in alone if v.casefold() == "other"})
        texts = {None if name is None else name.text for name in names if name != Name("other")}
        assert value in texts or (others and value in others), (label, value)
        low, high = reader.interval(label)
        assert low <= release.table.domains["text"].code_of(value) <= high


codes = st.lists(
    st.tuples(st.text("012", min_size=1, max_size=4), st.integers(1, 7)),
    min_size=2,
    max_size=14,
    unique_by=lambda pair: pair[0],
)


def refuse_named_by_few(text, value, values, fewest):
    assert text == value
    assert values.count(value) >= fewest


@pytest.mark.long
@examples(80)
@given(codes, st.integers(1, 7), st.sampled_from(METHODS))
def test_bounds_of_codes_tell_what_many_people_share(groups, k, method):
    values = ["c" + text for text, n in groups for _ in range(n)]
    fewest = max(k, 5)
    try:
        release, labels = released(values, sf.Prefix(), k, method)
    except sf.Unsatisfiable:
        return
    reader = LabelReader(release.table.domains["text"])
    for value, label in zip(values, labels, strict=True):
        if label is ...:
            continue
        match parse(label).part:
            case Name(text):
                refuse_named_by_few(text, value, values, fewest)
            case Mask(beginning):
                assert value.startswith(beginning)
                assert sharing(values, beginning) >= fewest
            case Range(low, high):
                assert low is None or low <= value
                assert high is None or value < high
                for bound in (low, high):
                    if bound is not None:
                        assert method in BY_RANGES
                        assert sharing(values, told_by(values, bound)) >= fewest
                        if any(values.count(each) < fewest for each in values):
                            assert bound in bounds_of(values, fewest)
        low, high = reader.interval(label)
        assert low <= release.table.domains["text"].code_of(value) <= high


@pytest.mark.long
@examples(60)
@given(codes, st.integers(1, 7), st.sampled_from(METHODS))
def test_texts_in_an_order_that_was_declared_have_bounds_that_many_people_have(groups, k, method):
    values = ["A" + text for text, n in groups for _ in range(n)]
    fewest = max(k, 5)
    try:
        _, labels = released(values, sf.Flat(ordered=True), k, method)
    except sf.Unsatisfiable:
        return
    place = {text: (int(text[1:]), text) for text in values}
    for value, label in zip(values, labels, strict=True):
        if label is ...:
            continue
        match parse(label).part:
            case Name(text):
                refuse_named_by_few(text, value, values, fewest)
            case Range(low, high):
                assert low is None or place[low] <= place[value]
                assert high is None or place[value] < place[high]
                for bound in {low, high} - {None}:
                    assert values.count(bound) >= fewest


def test_a5_comes_before_a10_where_the_steward_says_so():
    values = ["A10", "A5", "A7", "B1"] * 30
    _, labels = released(values, sf.Flat(ordered=True), 20, sf.Mondrian())
    assert set(labels) == {"<A10", ">=A10"}


def test_few_people_with_one_value_leave_nothing_to_say_of_those_they_are_with():
    """`other` would be one value of three people, so a box that has one of them says nothing."""
    release, labels = released(["f"] * 40 + ["m"] * 40 + ["x"] * 3, sf.Flat(), 5, sf.Mondrian())
    assert set(labels) <= {"f", "m", "*"}
    assert set(labels[80:]) == {"*"}
    assert set(labels[:40]) == {"f"}
    assert release.check().holds


def test_a_declared_tree_is_public():
    tree = sf.Tree(["f", "m", "x"])
    _, labels = released(["f"] * 40 + ["m"] * 40 + ["x"] * 3, tree, 5, sf.Mondrian())
    assert "{m, x}" in labels


def test_no_file_says_what_other_holds(tmp_path):
    values = ["Labour"] * 30 + ["Green"] * 30 + ["Canaryparty"] * 4 + ["Canarylist"] * 3
    for kind in ("csv", "parquet"):
        for method in METHODS:
            release, labels = released(values, sf.Flat(), 2, method)
            place = release.save(tmp_path / f"{kind} {METHODS.index(method)}", format=kind)
            sf.audit(release).save(place / "report.html")
            for file in place.rglob("*.*"):
                assert not file.is_file() or b"Canary" not in file.read_bytes()
            assert "other" in str(labels)


def test_an_original_and_a_list_of_people_are_read_as_the_release_names_its_texts(tmp_path):
    """With a loaded release the auditor's own table has all values, and other people others."""
    values = ["Labour"] * 30 + ["Green"] * 30 + ["Red"] * 4 + ["Blue"] * 3
    rng = random.Random(1)
    n = len(values)
    people = pa.table(
        {
            "text": values,
            "age": [rng.randrange(20, 60) for _ in range(n)],
            "disease": [rng.choice("pqrs") for _ in range(n)],
        }
    )
    roles = {"text": sf.Flat(), "age": sf.Intervals(10, 20)}
    table = sf.read(people, roles, "disease")
    for method in METHODS:
        release = sf.anonymize(table, sf.KAnonymity(3), method)
        loaded = sf.load(release.save(tmp_path / str(METHODS.index(method))))
        for subject in (release, loaded):
            beside = sf.audit(subject, original=table)
            assert beside.verdict == sf.audit(release).verdict
        others = pa.table({"text": ["Labour", "Violet", "Red"], "age": [30, 40, 50]})
        sf.audit(loaded, external=others)


# ------------------------------------------------------------------ found by a review, and mended


def table(pairs, rule=None):
    texts, values = zip(*pairs, strict=True)
    rule = sf.Flat() if rule is None else rule
    return sf.read(pa.table({"c": list(texts), "s": list(values)}), {"c": rule}, "s")


def with_values(texts, rule=None):
    return table([(text, "xyz"[j % 3]) for j, text in enumerate(texts)], rule)


def of(release):
    return release.to_arrow()["c"].to_pylist()


BEFORE = [("A", s) for s in ["flu", "cold"] * 5] + [("D", "flu")] * 4 + [("E", "cold")] * 4
AFTER = [*BEFORE, *[("D", "gout")] * 5, *[("F", "flu")] * 4]


def test_what_is_other_in_one_release_and_named_in_another_is_not_compared(tmp_path):
    """The people who are named D later were in `other`, and nobody else can tell."""
    first, last = (sf.anonymize(table(each), sf.KAnonymity(5)) for each in (BEFORE, AFTER))
    loaded = [sf.load(each.save(tmp_path / n)) for each, n in ((first, "1"), (last, "2"))]
    for earlier, later, original in (
        (first, last, None),
        (*loaded, None),
        (*loaded, table(AFTER)),
    ):
        with pytest.raises(sf.BadInput, match="cannot be compared with the earlier ones: column"):
            sf.audit(later, original, earlier=[earlier])
    early = sf.anonymize(table(BEFORE), sf.BCFAnonymity(5), sf.BCFAnonymizer())
    with pytest.raises(sf.BadInput, match="a value of 'c' that neither the table nor its hier"):
        sf.anonymize(
            table(AFTER), sf.BCFAnonymity(5), sf.BCFAnonymizer(previous=[early.public_view])
        )


@pytest.mark.parametrize("odd", ["*", "<5", "a*", '"Q"', "7"])
@pytest.mark.parametrize("method", [sf.Samarati(), sf.TopDown(), sf.Mondrian()], ids=str)
def test_short_codes_of_few_people_are_not_named_in_quotes_either(odd, method):
    codes = ["12345"] * 20 + ["12399"] * 20 + [odd] * 2 + ["54321"] * 10
    labels = of(sf.anonymize(with_values(codes, sf.Prefix()), sf.KAnonymity(2), method))
    assert not {odd, f'"{odd}"', '"' + odd.replace('"', '""') + '"'} & {*labels} - {"*"}
    assert odd != "*" or '"*"' not in labels


def test_a_bound_does_not_tell_the_letter_before_one_persons():
    codes = ["A"] * 20 + ["Q"] + ["R"] * 4 + ["S"] * 20
    labels = of(sf.anonymize(with_values(codes, sf.Prefix()), sf.KAnonymity(5), sf.Mondrian()))
    assert not [each for each in labels if "P" in each or "Q" in each]


def test_other_of_another_table_holds_two_values_and_five_people(tmp_path):
    texts = ["A"] * 6 + ["B"] * 6 + ["C"] * 3 + ["D"] * 3
    release = sf.anonymize(with_values(texts), sf.KAnonymity(5), sf.Mondrian())
    recode = sf.Recode.load(release.save_recoding(tmp_path / "r.json"))
    later = with_values(["A"] * 20 + ["B"] * 6 + ["Zoe"])
    assert {*of(sf.anonymize(later, sf.KAnonymity(1), recode))} == {"A", "B", "*"}


def test_a_value_that_is_called_other_is_recoded_as_other(tmp_path):
    texts = ["A"] * 6 + ["other"] * 6
    first = with_values(texts)
    release = sf.anonymize(first, sf.KAnonymity(5), sf.Mondrian(bounds="cuts"))
    assert {*of(release)} == {"A", "other"}
    recode = sf.Recode.load(release.save_recoding(tmp_path / "r.json"))
    texts = ["A"] * 20 + ["other"] * 6 + ["Zoe"] * 6
    later = with_values(texts)
    again = sf.anonymize(later, sf.KAnonymity(5), recode)
    assert {*of(sf.load(again.save(tmp_path / "out")))} == {"A", "other"}


def test_an_original_of_which_texts_were_joined_can_be_published_as_two_tables(tmp_path):
    texts = ["Labour"] * 30 + ["Green"] * 30 + ["Red"] * 4 + ["Blue"] * 3
    release = sf.anonymize(with_values(texts), sf.KAnonymity(5))
    apart = sf.anonymize(release.table, sf.LDiversity(2), sf.Anatomy())
    assert {*of(sf.load(apart.save(tmp_path / "out")))} == {*texts}
    again = sf.anonymize(release.table, sf.KAnonymity(5), sf.Samarati())
    assert {*of(again)} == {"Labour", "Green", "other"}


@pytest.mark.parametrize("method", [sf.Samarati(), sf.TopDown(), sf.Mondrian()], ids=str)
def test_what_too_few_codes_begin_with_is_not_told_and_others_still_are(method):
    """Two people live in 9; the others are told as if they did not."""
    codes = ["12345"] * 20 + ["12399"] * 20 + ["54321"] * 10
    few = with_values([*codes, "98765", "98766"], sf.Prefix())
    labels = of(sf.anonymize(few, sf.KAnonymity(2), method))
    assert not [label for label in labels if label.startswith("9")]
    assert {*labels} > {"12345", "12399"}
    assert {*labels} - {"12345", "12399", "54321"} in ({"*"}, {">=5"})


@pytest.mark.parametrize(
    ("made", "read", "said"),
    [
        (
            sf.Categories(10),
            sf.Flat(),
            "'c' is flat = true here, and the release was made with "
            "categories = { min_count = 10 }; read it so",
        ),
        (sf.Flat(), sf.Categories(20), "made with flat = true; read it so"),
    ],
)
def test_an_original_that_was_read_by_another_rule_is_told_which(made, read, said, tmp_path):
    texts = ["A"] * 30 + ["B"] * 30 + ["C"] * 8 + ["D"] * 7
    release = sf.anonymize(with_values(texts, made), sf.KAnonymity(5))
    for subject in (release, sf.load(release.save(tmp_path / "out"))):
        with pytest.raises(sf.BadInput) as refused:
            sf.audit(subject, original=with_values(texts, read))
        assert str(refused.value).endswith(said)
        assert "\n" not in str(refused.value)


@pytest.mark.parametrize("method", [sf.Samarati(), sf.TopDown("cut")], ids=str)
def test_codes_of_which_nothing_is_told_are_one_group_wherever_they_lie(method, tmp_path):
    codes = ["12345"] * 20 + ["0", "0", "98765", "98766", "54321", "54322"]
    release = sf.anonymize(with_values(codes, sf.Prefix()), sf.KAnonymity(2), method)
    assert len(release.grouping.sizes) == 2
    place = release.save(tmp_path / "out")
    assert {*of(sf.load(place))} == {"12345", "*"}
    assert sf.load(place).check().n_groups == 2


@pytest.mark.long
@examples(100)
@given(codes, st.integers(1, 6), st.booleans(), st.data())
def test_no_bound_changes_with_the_code_of_somebody_whom_few_are_like(groups, k, ordered, data):
    """Somebody gets another code of few; bounds are what the codes of many say, and no others."""
    rule = sf.Flat(ordered=True) if ordered else sf.Prefix()
    fewest = max(k, 5)
    texts = ["A" + text for text, n in groups for _ in range(n)]
    rare = [j for j, text in enumerate(texts) if texts.count(text) < fewest]
    if not rare:
        return
    texts[data.draw(st.sampled_from(rare))] = "A" + data.draw(
        st.text("012", min_size=1, max_size=4)
    )
    if len(texts) < k or all(texts.count(text) >= fewest for text in texts):
        return
    release = sf.anonymize(with_values(texts, rule), sf.KAnonymity(k), sf.Mondrian())
    first = min(texts, key=lambda text: (int(text[1:]), text) if ordered else text)
    many = may_be_named(texts, fewest) - {first} if ordered else bounds_of(texts, fewest)
    assert {*release.table.domains["c"].ground.cuts.values()} == many


@pytest.mark.parametrize("code", ["1999", "3999", "4000", "4999"])
def test_a_bound_does_not_tell_where_the_one_below_it_lies(code):
    """Between 0101 and 5000 one person has another code; the letter before 5 is his, or not."""
    codes = ["0101"] * 20 + [code] + ["5000"] * 20
    release = sf.anonymize(with_values(codes, sf.Prefix()), sf.KAnonymity(5), sf.Mondrian())
    assert {*of(release)} == {"<5", "5000"}


CANARIES = [
    "Canary, of Ulm",
    "{Canary",
    "Canary}",
    '"Canary"',
    'Can"ary',
    "Canary*",
    "*Canary",
    "<Canary",
    "[Canary, b)",
    "Canary or missing",
    "",
]


@pytest.mark.parametrize("rule", [sf.Flat(), sf.Categories()], ids=str)
@pytest.mark.parametrize("method", [sf.Mondrian(), sf.TopDown(), sf.Samarati()], ids=str)
def test_texts_of_few_that_need_quotes_are_in_no_file(rule, method, tmp_path):
    """The common ones beside them need quotes as well, and are read back."""
    common = ["Labour, new"] * 20 + ['"Green"'] * 20 + ["other"] * 9 + ["*"] * 9
    texts = common + [text for text in CANARIES for _ in range(2)]
    release = sf.anonymize(with_values(texts, rule), sf.KAnonymity(2), method)
    for kind in ("csv", "parquet"):
        place = release.save(tmp_path / kind, format=kind)
        sf.audit(release).save(place / "report.html")
        loaded = sf.load(place)
        assert loaded.description.rest == ("c",)
        assert {*of(loaded)} == {"Labour, new", '"""Green"""', '"*"', "other"}
        assert sf.audit(loaded, original=with_values(texts, rule)).verdict == "safe"
        for file in place.rglob("*.*"):
            written = file.read_bytes() if file.is_file() else b""
            assert b"Canary" not in written
            assert b'Can"ary' not in written
            assert b'Can""ary' not in written


@pytest.mark.parametrize("rule", [sf.Prefix(), sf.Flat(ordered=True)], ids=str)
@pytest.mark.parametrize("method", [sf.Mondrian(), sf.TopDown(), sf.Samarati()], ids=str)
def test_codes_of_few_that_need_quotes_are_not_named(rule, method):
    texts = ["Labour, new"] * 20 + ['"Green"'] * 20 + [text for text in CANARIES for _ in range(2)]
    release = sf.anonymize(with_values(texts, rule), sf.KAnonymity(2), method)
    parts = [parse(label).part for label in of(release)]
    named = {each.text for each in parts if isinstance(each, Name)}
    bounds = {end for each in parts if isinstance(each, Range) for end in (each.low, each.high)}
    assert not (named | bounds) & {*CANARIES}


@pytest.mark.parametrize("method", [sf.Samarati(), sf.TopDown("cut")], ids=str)
def test_codes_of_few_do_not_take_the_masks_of_many(method):
    codes = [f"{a}{b}" for a in ("100", "101") for b in range(10)] * 2 + ["1055", "1056"]
    labels = of(sf.anonymize(with_values(codes, sf.Prefix()), sf.KAnonymity(2), method))
    assert {*labels} == {"100*", "101*", "*"}
