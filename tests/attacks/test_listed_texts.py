"""Lists of people beside texts without an order: what `other` is, and who may be in it."""

import json
from fractions import Fraction

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from naive.disclosure import marketer
from naive.listed import names, who_fits
from naive.naming import other_holds
from profiles import examples
from sfumato.attacks import CannotRun, Linkage, Mechanism, Target

COLUMNS = ("c", "d")


def table_of(rows, rule=None):
    columns = {name: [row[j] for row in rows] for j, name in enumerate(COLUMNS[: len(rows[0])])}
    kinds = {name: pa.array(texts, pa.string()) for name, texts in columns.items()}
    return sf.read(pa.table(kinds), {name: rule or sf.Flat() for name in columns})


def rows_of(release):
    columns = release.to_arrow().to_pydict()
    return list(zip(*(columns[name] for name in release.description.columns), strict=True))


TEXTS = st.sampled_from(["a", "b", "e", "f", "other", "Other"])
METHODS = [
    sf.Mondrian(),
    sf.TopDown(),
    sf.Samarati(max_suppressed=6),
    sf.Incognito(max_suppressed=12),
    sf.Recode(levels={"c": 0, "d": 0}, max_suppressed=30),
]


@st.composite
def releases_with_lists(draw):
    kinds = draw(st.lists(st.tuples(TEXTS, TEXTS, st.integers(1, 8)), min_size=2, max_size=7))
    rows = [(c, d) for c, d, n in kinds for _ in range(n)]
    unknown = st.sampled_from(["a", "b", "e", "other", "Other", "OTHER", "x", "y", None])
    people = draw(st.lists(st.tuples(unknown, unknown), min_size=1, max_size=8))
    return rows, people, draw(st.integers(1, 6)), draw(st.sampled_from(METHODS))


@pytest.mark.long
@examples(150)
@given(releases_with_lists())
def test_who_fits_is_who_fits_in_every_world_that_everybody_can_think_of(case):
    rows, people, k, method = case
    try:
        release = sf.anonymize(table_of(rows), sf.KAnonymity(k), method)
    except sf.Unsatisfiable:
        return
    published = rows_of(release)
    if not published:
        return
    told = release.description.rest
    for j, c in enumerate(COLUMNS):
        if any("other" in names(row[j]) for row in published):
            assert (c in told) == (other_holds([row[j] for row in rows], max(k, 5)) is not None)
    rest = [c in told for c in COLUMNS]
    least = [max(k, 5)] * 2
    found = who_fits(published, people, release.n_suppressed, least, rest)
    if not any(possibly for _, possibly in found.values()):
        return
    sizes = [published.count(row) for row in found]
    fits = [
        sure or min(possibly, n) for (sure, possibly), n in zip(found.values(), sizes, strict=True)
    ]
    journalist = Linkage("journalist", table_of(people)).run(release)
    fewest = min(max(f, n) for f, n in zip(fits, sizes, strict=True) if f)
    assert journalist.found == Fraction(1, fewest)
    assert Linkage("marketer", table_of(people)).run(release).found == marketer(sizes, fits)


def journalist(subject, texts):
    finding = Linkage("journalist", table_of([(text,) for text in texts])).run(subject)
    report = sf.audit(subject, external=pa.table({"c": texts}))
    assert next(f for f in report.findings if f.attack == finding.attack).found == finding.found
    return finding


def test_a_text_of_the_data_that_is_called_other_is_itself(tmp_path):
    """A hundred others on the list do not hide the ten people who are published so."""
    release = sf.anonymize(table_of([("A",)] * 20 + [("other",)] * 10), sf.KAnonymity(5))
    assert release.description.rest == ()
    for subject in (release, sf.load(release.save(tmp_path / "out"))):
        found = journalist(subject, ["A"] * 20 + ["other"] * 12 + ["Q"] * 100)
        assert (found.found, found.note) == (Fraction(1, 12), None)
    written = json.loads((tmp_path / "out" / "release.json").read_text())
    assert written["rest"] == []


def test_a_text_that_is_called_other_but_for_its_letters_is_read_beside_unknown_ones():
    release = sf.anonymize(table_of([("A",)] * 20 + [("Other",)] * 10), sf.KAnonymity(5))
    assert journalist(release, ["Other"] * 12 + ["other"] * 3 + ["Q"] * 100).found == Fraction(
        1, 12
    )


PARTIES = [("Labour",)] * 30 + [("Red",)] * 4 + [("Blue",)] * 3


def test_everybody_with_a_text_that_is_not_shown_fits_other_where_nobody_is_hidden(tmp_path):
    release = sf.anonymize(table_of(PARTIES), sf.KAnonymity(5))
    assert release.description.rest == ("c",)
    loaded = sf.load(release.save(tmp_path / "out"))
    for subject in (release, loaded):
        found = journalist(subject, ["Red"] * 6 + ["Violet"] * 5)
        assert (found.found, found.note) == (Fraction(1, 11), "nobody on the list fits 30 rows")


def beside_a_tree(rows):
    columns = zip(*rows, strict=True)
    rules = {"c": sf.Flat(), "d": sf.Tree(["x", "y", "z"])}
    return sf.read(pa.table(dict(zip(COLUMNS, map(list, columns), strict=True))), rules)


@pytest.fixture(scope="module")
def hiding_six():
    """Six people have a name that nobody sees: they are suppressed."""
    rows = [(party, "x") for (party,) in PARTIES] + [("Green", "y")] * 3 + [("Green", "z")] * 3
    method = sf.Recode(levels={"c": 0, "d": 0}, max_suppressed=6)
    release = sf.anonymize(beside_a_tree(rows), sf.KAnonymity(5), method)
    assert release.n_suppressed == 6
    assert {row[0] for row in rows_of(release)} == {"Labour", "other"}
    return release


def test_a_name_that_was_suppressed_as_a_whole_is_not_taken_for_other(hiding_six):
    """As many fit as are published: each of the three texts may be the one that is hidden."""
    people = beside_a_tree([(each, "x") for each in ["Red"] * 4 + ["Blue"] * 4 + ["Green"] * 50])
    found = Linkage("journalist", people).run(hiding_six)
    assert found.found == Fraction(1, 7)
    assert "who fits 7 rows depends on what `other` is" in str(found.note)
    assert Linkage("marketer", people).run(hiding_six).found == Fraction(1, 37)


def test_who_is_called_other_is_in_it_whoever_is_hidden(hiding_six):
    people = beside_a_tree([("OTHER", "x")] * 9 + [("Green", "x")] * 50)
    assert Linkage("journalist", people).run(hiding_six).found == Fraction(1, 9)


def test_of_another_tools_file_nobody_knows_what_other_is():
    shown = table_of([("Labour",)] * 30 + [("other",)] * 7)
    found = Linkage("journalist", table_of([("other",)] * 8 + [("Q",)] * 100)).run(shown)
    assert found.found == Fraction(1, 8)
    assert Linkage("journalist", table_of([("Q",)] * 100)).run(shown).found == Fraction(1, 7)


def test_what_other_holds_is_not_told(tmp_path):
    """The description says in which columns it is, and the same whoever is in it."""
    said = []
    for rare in ("Canary", "Another"):
        table = table_of([*PARTIES[:-3], *[(rare,)] * 3])
        place = sf.anonymize(table, sf.KAnonymity(5)).save(tmp_path / rare)
        said.append((place / "release.json").read_bytes())
    assert said[0] == said[1]
    assert b"Canary" not in said[0]


def mechanism(rows, people):
    texts, values = zip(*rows, strict=True)
    table = sf.read(pa.table({"c": list(texts), "s": list(values)}), ["c"], "s")
    release = sf.anonymize(table, sf.KAnonymity(2) & sf.LDiversity(2), sf.Mondrian())
    return release, Mechanism("s", who="external").find(
        Target.of(release, external=pa.table({"c": people}))
    )


def test_worlds_of_a_list_are_run_where_counts_of_texts_are_published():
    rows = [("A", s) for s in "xyxyx"] + [("B", s) for s in "xxyyx"]
    _, finding = mechanism(rows, ["A"] * 6 + ["B"] * 6)
    assert finding.found == Fraction(3, 5) * Fraction(5, 6)


@pytest.mark.parametrize("few", [["C"] * 3 + ["D"] * 2, ["C"] * 3])
def test_where_names_depend_on_who_is_in_the_table_worlds_of_a_list_are_not_run(few):
    """As `other`, and as everything."""
    rows = [("A", "xy"[j % 2]) for j in range(6)] + [(c, "xy"[j % 2]) for j, c in enumerate(few)]
    with pytest.raises(CannotRun, match="which texts of 'c' are named depends on who is in the"):
        mechanism(rows, ["A"] * 7 + few)
