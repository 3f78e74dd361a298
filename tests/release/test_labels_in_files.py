"""Published labels in files: what a release says is the same in CSV and in Parquet."""

import datetime

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from profiles import examples
from sfumato.data.labels.reader import LabelReader

RULES = {"smoker": sf.Flat(), "age": sf.Intervals(10, 20, 40)}


def smokers(n, seed=3, kind="bool"):
    draw = np.random.default_rng(seed)
    smoker = draw.choice([True, False], n).tolist()
    smoker = [None if j % 17 == 5 else each for j, each in enumerate(smoker)]
    texts = [None if each is None else str(each).lower() for each in smoker]
    return pa.table(
        {
            "smoker": pa.array(smoker if kind == "bool" else texts),
            "age": draw.integers(20, 60, n),
            "s": draw.choice(["flu", "HIV", "asthma", "none"], n),
        }
    )


def read(rows, rules=RULES):
    return sf.read(rows, rules, "s")


@pytest.mark.long
@pytest.mark.parametrize("kind", ["bool", "text"])
def test_a_release_with_booleans_is_an_earlier_release_in_any_format(tmp_path, kind):
    """Of a source that has them as booleans, or as the text that a CSV file has."""
    rows = smokers(400, kind=kind)
    first = sf.anonymize(read(rows.slice(0, 250)), sf.BCFAnonymity(3), sf.BCFAnonymizer())
    assert {"true", "false"} <= set(map(str, first.to_arrow()["smoker"].to_pylist()))
    saved = [first.save(tmp_path / name / "first", format=name) for name in ("csv", "parquet")]
    given_previous = [first, *saved, *map(sf.load, saved)]
    releases = [
        sf.anonymize(read(rows), sf.BCFAnonymity(3), sf.BCFAnonymizer([previous]))
        for previous in given_previous
    ]
    published = [each.to_arrow().to_pylist() for each in releases]
    assert published == [published[0]] * len(published)
    for original in (None, read(rows)):
        audits = [
            sf.audit(releases[0], earlier=[previous], original=original).to_json()
            for previous in given_previous
        ]
        for each in audits:  # one in memory has no name
            for finding in each["findings"]:
                finding["knows"] = finding["knows"].replace("no. 1", "first")
        # Who came when is known of the one in memory alone: it can be attacked cell by cell.
        assert audits[1:] == [audits[1]] * len(audits[1:])
        shown = [
            [finding for finding in each["findings"] if finding["attack"] == "correspondence"]
            for each in audits
        ]
        assert shown == [shown[0]] * len(shown)


def test_a_tree_of_booleans_is_written_as_a_file_or_as_python_has_them():
    rows = smokers(60)
    for leaves in (["true", "false"], ["True", "False"]):
        table = read(rows, {**RULES, "smoker": sf.Tree(leaves)})
        assert sf.anonymize(table, sf.KAnonymity(2)).check()


ODD = ["*", "[1, 5)", "<5", ">=m", "a, b", '"a"', "{a}", "x or missing", "not missing", "missing"]
ODD += ["=1+1", "'a", "-1", "01", "1", "true", "a*", "", None]
COLUMNS = {
    "text": (sf.Flat(), st.sampled_from(ODD), pa.string()),
    "code": (sf.Prefix(), st.sampled_from(["13*", "130", "131", "2", "<1", None]), pa.string()),
    "tree": (
        sf.Tree({"A": ["a, b", "A", "missing"], "{B}": ["*5", '"q"', "-1"]}),
        st.sampled_from(["a, b", "A", "missing", "*5", '"q"', "-1", None]),
        pa.string(),
    ),
    "flag": (sf.Flat(), st.sampled_from([True, False, None]), pa.bool_()),
    "dose": (sf.Flat(), st.sampled_from([1e-07, 1.0, 2.5, 1e22, -3.0, None]), pa.float64()),
    "age": (sf.Intervals(5, 10), st.sampled_from([1, 4, 5, 12, 33, None]), pa.int64()),
    "capped": (
        sf.Intervals(10, bottom=5, top=30),
        st.sampled_from([1, 4, 5, 12, 33, 97, None]),
        pa.int64(),
    ),
    "weight": (
        sf.Intervals(10, 20, top=100),
        st.sampled_from([55.5, 70.0, 99.9, 100.0, 140.25, None]),
        pa.float32(),
    ),
    "written": (
        sf.Dates("DD.MM.YYYY"),
        st.sampled_from(["31.12.1999", "01.01.2020", "02.01.2020", None]),
        pa.string(),
    ),
    "region": (
        sf.Prefix(3, 1),
        st.sampled_from(["13053", "13068", "14850", "2", "130", None]),
        pa.string(),
    ),
    "born": (
        sf.Dates(),
        st.sampled_from([datetime.date(1999, 12, 31), datetime.date(2020, 1, 1), None]),
        pa.date32(),
    ),
}
METHODS = [sf.Mondrian(), sf.Mondrian(strict=False), sf.Optimal("loss", 2), sf.BCFAnonymizer()]


@st.composite
def releases(draw):
    """A release of some columns of any kind."""
    names = draw(st.lists(st.sampled_from(sorted(COLUMNS)), min_size=1, max_size=3, unique=True))
    n = draw(st.integers(4, 12))
    columns = {
        name: pa.array(draw(st.lists(COLUMNS[name][1], min_size=n, max_size=n)), COLUMNS[name][2])
        for name in names
    }
    rules = {name: COLUMNS[name][0] for name in names}
    table = sf.read(pa.table({**columns, "s": ["u", "v"] * (n // 2) + ["u"] * (n % 2)}), rules, "s")
    method = draw(st.sampled_from(METHODS))
    k = draw(st.integers(1, 3))
    promise = sf.BCFAnonymity(k) if isinstance(method, sf.BCFAnonymizer) else sf.KAnonymity(k)
    return sf.anonymize(table, promise, method)


@pytest.mark.long
@examples(25)
@given(releases())
def test_a_file_says_what_was_decided(tmp_path_factory, release):
    """The boxes read from the files are those of the recoding, in the ranks of the table."""
    place = tmp_path_factory.mktemp("release")
    counted = release.table.frequencies()
    boxes, sizes = release.recoding.published_boxes(counted)
    decided = sorted(zip(boxes.tolist(), sizes.tolist(), strict=True))
    digests = set()
    for kind in ("csv", "parquet"):
        view = sf.load(release.save(place / kind, format=kind)).public_view
        digests.add(view.digest)
        seen = view.seen.frequencies.combinations
        sides = []
        for column in counted.quasi_identifiers:
            reader = LabelReader(counted.domains[column])
            ends = [reader.interval(label) for label in seen.domains[column].labels]
            sides.append(np.array(ends, dtype=np.int32)[seen.codes(column)])
        assert decided == sorted(
            zip(np.stack(sides, axis=1).tolist(), seen.counts.tolist(), strict=True)
        )
    assert digests == {release.public_view.digest}
