"""What does the adversary have to know? Skylines of releases, and who is given away."""

import json
import stat
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import naive.knowledge
import sfumato as sf
from sfumato.attacks.knowledge import breach_probability, knowledge_skyline


@pytest.fixture(scope="module")
def table():
    draw = np.random.default_rng(11)
    n = 240
    return sf.read(
        pa.table(
            {
                "age": draw.integers(20, 60, n),
                "sex": draw.choice(["f", "m"], n),
                "disease": draw.choice(["flu", "HIV", "none", "asthma"], n, p=[0.3, 0.1, 0.4, 0.2]),
            }
        ),
        {"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
        sensitive="disease",
    )


@pytest.fixture(scope="module")
def release(table):
    return sf.anonymize(table, sf.KAnonymity(10) & sf.LDiversity(3), sf.Mondrian())


def published(release):
    rows = release.to_arrow().to_pylist()
    groups = {}
    for row in rows:
        groups.setdefault((row["age"], row["sex"]), []).append(row["disease"])
    return [(len(g), {v: g.count(v) for v in g}) for g in groups.values()]


def test_the_points_are_those_of_the_published_file(release):
    found = sf.knowledge_skyline(release, "HIV", 0.8)
    groups = published(release)
    assert [tuple(point) for point in found.points] == knowledge_skyline(groups, "HIV", 0.8)
    assert found.points
    for point, beyond in found.beyond.items():
        assert breach_probability(groups, "HIV", *point) < Fraction(4, 5)
        for axis, witness in beyond.items():
            further = point._replace(**{axis: getattr(point, axis) + 1})
            assert witness.breach == breach_probability(groups, "HIV", *further) >= Fraction(4, 5)


def test_any_value_is_the_weakest_of_them(release):
    groups = published(release)
    everything = sf.knowledge_skyline(release, None, 0.9)
    ends = (3, 8, 4)
    scanned = naive.knowledge.skyline_by_scan(
        lambda *p: max(breach_probability(groups, v, *p) for v in ("flu", "HIV", "none", "asthma")),
        Fraction(9, 10),
        ends,
    )

    def inside(points):
        return [p for p in map(tuple, points) if p[0] < 2 and p[1] < 7 and p[2] < 3]

    assert inside(scanned) == inside(everything.points)


def test_of_any_value_the_one_that_is_given_away_most_is_told(release):
    groups = published(release)
    for point, beyond in sf.knowledge_skyline(release, None, 0.9).beyond.items():
        for axis, witness in beyond.items():
            further = point._replace(**{axis: getattr(point, axis) + 1})
            beliefs = [
                breach_probability(groups, v, *further) for v in ("flu", "HIV", "none", "asthma")
            ]
            assert witness.breach == max(beliefs)


def test_who_would_be_given_away_is_named_from_the_original(release):
    found = sf.knowledge_skyline(release, "HIV", 0.8)
    for _, step, told in found.witnesses():
        assert told["value"] == "HIV"
        assert step in ("one more value", "one more person", "one more relative")
        assert told["who has it"]
        assert ("family known" in told) == ("relatives to know" in told)
        for person in told["who has it"]:
            low, _, high = told["group"]["age"].strip("[])").partition(",")
            assert set(person) == {"age", "sex", "people"}
            if high:
                assert float(low) <= person["age"] <= float(high)


@pytest.mark.parametrize("loaded", [False, True])
def test_people_of_nodes_of_a_tree_are_named_too(table, tmp_path, loaded):
    release = sf.anonymize(table, sf.KAnonymity(10), sf.Samarati(max_suppressed=5))
    assert release.levels["age"]
    if loaded:
        release.save(tmp_path / "out")
        release = sf.load(tmp_path / "out")
    told = [
        each for _, _, each in sf.knowledge_skyline(release, "HIV", 0.9, original=table).witnesses()
    ]
    assert told
    for each in told:
        low, _, high = each["group"]["age"].strip("[)").partition(", ")
        assert each["who has it"]
        assert all(int(low) <= person["age"] < int(high) for person in each["who has it"])


def test_a_loaded_release_says_the_same_and_names_nobody(release, tmp_path):
    release.save(tmp_path / "out")
    loaded = sf.knowledge_skyline(sf.load(tmp_path / "out"), "HIV", 0.8)
    assert loaded.points == sf.knowledge_skyline(release, "HIV", 0.8).points
    assert all("who has it" not in told for _, _, told in loaded.witnesses())


def test_the_page_opens_alone_and_names_no_group(release, tmp_path):
    found = sf.knowledge_skyline(release, "HIV", 0.8)
    page = found.save(tmp_path)
    text = page.read_text()
    assert "http://" not in text.replace("http://www.w3.org", "").split("plotly")[0]
    assert "Knowledge skyline" in text
    written = json.loads((tmp_path / "skyline.json").read_text())
    assert "witnesses" not in written
    assert [[p["l"], p["k"], p["m"]] for p in written["points"]] == [list(p) for p in found.points]
    assert stat.S_IMODE(page.stat().st_mode) & 0o400


def test_a_release_that_gives_the_value_away_by_itself_has_no_points():
    table = sf.read(pa.table({"a": ["x"] * 4, "s": ["u"] * 3 + ["v"]}), ["a"], sensitive="s")
    found = sf.knowledge_skyline(table, "u", 0.75)
    assert found.points == ()
    assert "alone is enough" in repr(found)
    ((point, step, told),) = found.witnesses()
    assert (tuple(point), step, told["belief"]) == ((0, 0, 0), "nothing more", Fraction(3, 4))


def test_a_value_that_nobody_has_is_refused(release):
    with pytest.raises(sf.BadInput, match="did you mean 'asthma'"):
        sf.knowledge_skyline(release, "astma")
    for wrong in (0, "1/0"):
        with pytest.raises(sf.BadInput, match="confidence must be a number above 0 and at most 1"):
            sf.knowledge_skyline(release, "HIV", wrong)


def test_values_that_are_not_published_are_not_suggested(table):
    with pytest.raises(sf.BadInput, match="nobody has 'astma'") as refused:
        sf.knowledge_skyline(table, "astma")
    assert "asthma" not in str(refused.value)
    assert "asthma" in refused.value.values


def test_notebooks_see_a_table(release):
    found = sf.knowledge_skyline(release, "HIV", 0.8)
    assert "<table" in found._repr_html_()
    assert len(found.rows) == len(found.points)


def test_of_two_tables_it_is_told_who_has_the_value_in_the_group():
    people = pa.table({"q": [1, 2, 3, 4], "s": ["A", "B", "A", "C"]})
    table = sf.read(people, ["q"], "s")
    release = sf.anonymize(table, sf.LDiversity(2, "frequency"), sf.Anatomy())
    groups = {row["q"]: row["group"] for row in release.to_arrow().to_pylist()}
    told = [each for _, _, each in sf.knowledge_skyline(release, "A", 0.9).witnesses()]
    assert told
    for each in told:
        (who,) = each["who has it"]
        assert who["q"] in (1, 3)
        assert str(groups[who["q"]]) == each["group"]["group"]


@pytest.mark.long
def test_a_very_long_skyline_shows_its_beginning(tmp_path):
    """A group of a thousand with many values has thousands of points."""
    values = [f"v{j % 40}" for j in range(1000)]
    table = sf.read(pa.table({"a": ["x"] * 1000, "s": values}), ["a"], sensitive="s")
    found = sf.knowledge_skyline(table, "v1", 0.9)
    assert len(found.points) > 1000
    assert len(found.rows) == 100
    assert "The first 100 are shown" in found.story
    found.save(tmp_path)
    assert len(json.loads((tmp_path / "skyline.json").read_text())["points"]) == len(found.points)
