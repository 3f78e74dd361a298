"""What comes with a release: a codebook, a data package, and lines that read it."""

import csv
import datetime
import html
import json
import random
import re
import shutil
import subprocess
import sys
from collections import Counter
from decimal import Decimal
from math import isnan
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pytest
from frictionless import validate

import sfumato as sf
from naive.label_bounds import naive_bounds
from series.made import started, write_batch, write_job
from sfumato.data.labels.numbers import number_columns
from sfumato.engines.look import MOST_COMMON
from sfumato.files.staged import CHECKSUM, checksum
from sfumato.job import Job
from sfumato.release.files.saved import PACKAGE
from sfumato.release.package.number_ends import ends_in_words

ODD = {
    "Größe, cm": "length, lying; in “cm”",
    'so-called "pay"': "gross",
    "Straße\t|;x": "where it is: <b>street</b> & number",
}
STREETS = ["Öl, Weg", 'a "b"', "=1+1", "-", "'x", "N/A"]


def people(n=240, seed=3):
    """A table of every type, with missing values and names that need quotes."""
    draw = random.Random(seed)
    size, pay, street = ODD

    def missing(value):
        return None if draw.random() < 0.1 else value

    return pa.table(
        {
            size: [missing(draw.randint(150, 199)) for _ in range(n)],
            "born": [
                missing(datetime.date(1950, 1, 1) + datetime.timedelta(draw.randrange(20_000)))
                for _ in range(n)
            ],
            "zip": [f"0{draw.randrange(1000, 1040)}" for _ in range(n)],
            street: [
                missing(draw.choice(["Öl, Weg", 'a "b"', "=1+1", "-", "'x", "N/A"]))
                for _ in range(n)
            ],
            pay: pa.array(
                [missing(Decimal(draw.randrange(10**5)) / 100) for _ in range(n)],
                pa.decimal128(9, 2),
            ),
            "share": [missing(draw.randrange(100) / 8) for _ in range(n)],
            "visits": [missing(draw.randrange(5)) for _ in range(n)],
            "smokes": [missing(draw.random() < 0.3) for _ in range(n)],
            "seen": [missing(datetime.datetime(2026, 1, 1 + j % 9, 8)) for j in range(n)],
            "came": [datetime.datetime(2026, 1, 1 + j % 9, 8) for j in range(n)],
            "wakes": [missing(datetime.time(5 + j % 4, 30)) for j in range(n)],
            "disease": [draw.choice(["flu", "NA", "cold, heavy", ""]) for _ in range(n)],
        }
    )


def table(source=None, **changed):
    size, pay, street = ODD
    roles = {
        "quasi_identifiers": {
            size: sf.Intervals(5, 10, 20),
            "born": sf.Dates(),
            "zip": sf.Prefix(),
            street: sf.Flat(),
        },
        "sensitive": ["disease"],
        "insensitive": [pay, "share", "visits", "smokes", "seen", "came", "wakes"],
        "describe": ODD,
    }
    return sf.read(people() if source is None else source, **(roles | changed))


def anonymized(promise, method, **changed):
    return sf.anonymize(table(**changed), promise, method, untouched_identify=True)


def of_patients(**changed):
    rules = {"age": sf.Intervals(5, 10, 20, bottom=18, top=80), "zip": sf.Prefix()}
    words = {"age": "in years"} if changed else None
    source = sf.read(sf.datasets.patients(), rules, "disease", describe=words)
    return sf.anonymize(source, sf.KAnonymity(5), sf.Mondrian(), **changed)


MADE = {
    "regions": lambda: anonymized(sf.KAnonymity(4), sf.Mondrian()),
    "levels": lambda: anonymized(sf.KAnonymity(3), sf.Samarati(max_suppressed=0.2)),
    "two tables": lambda: anonymized(sf.LDiversity(2, "frequency"), sf.Anatomy(), insensitive=[]),
    "two tables of numbers": lambda: anonymized(
        sf.LDiversity(2), sf.Anatomy(), sensitive=["visits"], insensitive=["share"]
    ),
    "patients": of_patients,
    "bounds": lambda: of_patients(numbers="bounds"),
    "middles": lambda: of_patients(numbers="midpoint"),
}


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """Releases, made and saved when first asked for."""
    place, releases = tmp_path_factory.mktemp("releases"), {}

    def get(name, kind):
        if name not in releases:
            releases[name] = MADE[name]()
        target = place / f"{name}-{kind}"
        if not target.exists():
            releases[name].save(target, kind)
        return releases[name], target

    return get


EVERY = pytest.mark.parametrize("kind", ["csv", "parquet"])
OF_ALL = pytest.mark.parametrize("name", MADE)


def package_of(place):
    return json.loads((place / "datapackage.json").read_text(encoding="utf-8"))


def fields(place):
    return {
        (resource["name"], field["name"]): field
        for resource in package_of(place)["resources"]
        for field in resource["schema"]["fields"]
    }


# --------------------------------------------------------------------------------- the data package


@OF_ALL
@EVERY
def test_the_data_package_is_valid_by_its_own_validator(made, name, kind):
    _, place = made(name, kind)
    found = validate(str(place / "datapackage.json"))
    assert found.valid, found.flatten(["type", "note"])
    assert found.stats["tasks"] == len(package_of(place)["resources"])


def test_a_suppressed_release_is_among_them(made):
    release, place = made("levels", "csv")
    assert release.n_suppressed > 0
    assert package_of(place)["suppressed"] == release.n_suppressed
    assert f"{release.n_suppressed} of 240 rows" in (place / "codebook.html").read_text()
    assert f"{release.n_suppressed} of 240 rows" in (place / "README.txt").read_text()


@pytest.mark.parametrize(
    ("old", "new", "wrong"),
    [
        ("flu", "grippe", "constraint-error"),  # all values of the column are listed
        ("flu", "flu,flu", "extra-cell"),
        ("zip", "postcode", "incorrect-label"),
    ],
)
def test_the_validator_finds_what_is_not_described(made, tmp_path, old, new, wrong):
    place = shutil.copytree(made("patients", "csv")[1], tmp_path / "out")
    file = place / "data.csv"
    file.write_text(file.read_text().replace(old, new, 1))
    errors = {kind for (kind,) in validate(str(place / "datapackage.json")).flatten(["type"])}
    assert {wrong, "hash-count"} <= errors


def test_groups_of_the_second_table_are_in_the_first(made, tmp_path):
    _, place = made("two tables", "csv")
    data, sensitive = package_of(place)["resources"]
    (key,) = sensitive["schema"]["foreignKeys"]
    assert key == {"fields": ["group"], "reference": {"resource": "data", "fields": ["group"]}}
    assert "foreignKeys" not in data["schema"]
    assert "The tables share the column group" in (place / "codebook.html").read_text()
    broken = shutil.copytree(place, tmp_path / "broken")
    (broken / "sensitive.csv").write_text("group,disease\n100000,flu\n")
    errors = {kind for (kind,) in validate(str(broken / "datapackage.json")).flatten(["type"])}
    assert "foreign-key" in errors


@OF_ALL
@EVERY
def test_every_count_is_that_of_the_published_rows(made, name, kind):
    release, place = made(name, kind)
    loaded = sf.load(place)
    for (which, column), field in fields(place).items():
        values = loaded.to_arrow(which)[column].to_pylist()
        n_empty = sum(value is None for value in values)
        assert field["missing"] + field.get("open", 0) == n_empty
        assert ("open" in field) == (n_empty > 0 and column in ("age_low", "age_high", "age_mid"))
        counts = Counter(value for value in values if value is not None)
        assert field["distinct"] == len(counts)
        listed = {each["value"]: each["rows"] for each in field["values"]}
        assert len(listed) == len(field["values"]) <= MOST_COMMON
        if column == release.description.group or (len(counts) > 1 and set(counts.values()) == {1}):
            assert not listed
            continue
        assert len(listed) == min(len(counts), MOST_COMMON)
        texts = Counter()
        for value, n in counts.items():
            text = str(value).lower() if isinstance(value, bool) else str(value)
            texts[float(text) if field["type"] == "number" else text] += n
        for value, n_rows in listed.items():
            assert texts[float(value) if field["type"] == "number" else value] == n_rows
        least = min(listed.values())
        assert sum(n > least for n in counts.values()) <= len(listed)  # none is more frequent


@OF_ALL
@EVERY
def test_bounds_are_those_of_every_label(made, name, kind):
    release, place = made(name, kind)
    rules = release.description.hierarchies
    asked = 0
    for (which, column), field in fields(place).items():
        if column not in release.description.recoded:
            continue
        labels = set(sf.load(place).to_arrow(which)[column].to_pylist())
        expected = naive_bounds(labels, rules[column].texts)
        found = {key: field[key] for key in ("lowest", "highest", "below") if key in field}
        assert found == (expected or {})
        asked += expected is not None
        untold = sum(label == "*" for label in sf.load(place).to_arrow(which)[column].to_pylist())
        assert field.get("untold", 0) == untold
    assert asked or release.description.group is not None or name == "bounds"


@pytest.mark.parametrize(
    ("name", "columns"),
    [
        ("bounds", {"age_low": "lower bounds", "age_high": "upper bounds"}),
        ("middles", {"age_mid": "middles"}),
    ],
)
def test_columns_of_numbers_have_the_role_and_the_meaning_of_their_column(made, name, columns):
    _, place = made(name, "csv")
    found = {column: field for (_, column), field in fields(place).items()}
    assert ("age" in found) == (name == "middles")
    for column, what in columns.items():
        assert found[column]["role"] == "quasi-identifier"
        assert found[column]["type"] in ("integer", "number")
        assert found[column]["description"].startswith(f"in years ({what}). Empty in ")
        assert found[column]["published"] == f"generalized (ranges): {what}"
    assert ("from 18 up to" in (place / "README.txt").read_text()) == (name == "middles")


def test_the_recipient_is_told_which_bounds_are_included(tmp_path):
    ages = [*range(20, 60), *[54] * 5, *[70, 80, 119, 120, 120]]
    rules = {"age": sf.Intervals(5, 10, top=60, domain=[0, 120])}
    source, method = sf.read(pa.table({"age": ages}), rules), sf.Mondrian()
    said = {}
    for way in ("bounds", "midpoint"):
        release = sf.anonymize(source, sf.KAnonymity(5), method, numbers=way)
        place = release.save(tmp_path / way)
        files = [(place / each).read_text() for each in ("README.txt", "codebook.html")]
        texts = [" ".join(html.unescape(text).split()) for text in files]
        for (_, name), field in fields(place).items():
            said[name] = field.get("description", "")
            assert all(said[name] in text for text in texts)
    low, high, middle = (said[f"age_{each}"] for each in ("low", "high", "mid"))
    assert low == "The bound itself is included."
    assert high == (
        "The bound itself is excluded; it is included where it is 120, the declared end."
    )
    assert middle == (
        "Open ends were closed at the declared bounds, 0 and 120, first: >=60 became 90."
    )


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (["[35, 40)", "<35"], "The bound itself is excluded: values are below it."),
        (["35", "36 or missing"], "The bound itself is included."),
        (
            ["35", "[40, 120)", ">=50", "*"],
            "The bound itself is excluded; it is included where age_low is the same and where it "
            "is 120, the declared end (but not where age_low is 40).",
        ),
    ],
)
def test_an_upper_bound_is_included_where_a_value_can_be_it(texts, said):
    rule = sf.Intervals(5, domain=[0, 120])
    numbers = number_columns("age", texts, rule, "bounds")
    assert ends_in_words("age_high", numbers, rule) == said


def test_open_ends_have_no_bound(made):
    _, place = made("patients", "csv")
    age = fields(place)["data", "age"]
    assert "<18" in json.dumps(age)
    assert age["lowest"] is None
    assert age["highest" if "highest" in age else "below"] is None
    assert "without a bound on either side" in (place / "codebook.html").read_text()


@pytest.mark.parametrize("way", ["bounds", "midpoint"])
@pytest.mark.parametrize("gone", [0, 1, 30])
def test_an_empty_number_is_an_open_end_and_not_a_missing_value(tmp_path, way, gone):
    pay = [*range(60), *[90 + j % 5 for j in range(30)], *[None] * gone]
    rules = {"pay": sf.Intervals(20, bottom=20, top=80)}
    source = sf.read(pa.table({"pay": pay}), rules)
    promise, method = sf.KAnonymity(5), sf.Mondrian()
    texts = sf.anonymize(source, promise, method).to_arrow()["pay"].to_pylist()
    place = sf.anonymize(source, promise, method, numbers=way).save(tmp_path / "out")
    n_perhaps = sum(t is not None and (t == "*" or t.endswith(" or missing")) for t in texts)
    n_missing = texts.count(None)
    assert n_missing + n_perhaps >= gone
    found = {column: field for (_, column), field in fields(place).items()}
    read_me = " ".join((place / "README.txt").read_text().split())
    book = (place / "codebook.html").read_text()
    n_open = Counter()
    for text in texts:
        plain = (text or "").removesuffix(" or missing")
        n_open["pay_low"] += plain.startswith("<") or plain in ("*", "not missing")
        n_open["pay_high"] += plain.startswith(">=") or plain in ("*", "not missing")
        n_open["pay_mid"] += plain[:1] in ("<", ">", "*") or plain == "not missing"
    for column in ["pay_low", "pay_high"] if way == "bounds" else ["pay_mid"]:
        assert found[column]["missing"] == n_missing
        assert found[column]["open"] == n_open[column] > 0
        said = f"Empty in {n_open[column]} rows: the range has "
        assert found[column]["description"].startswith(said)
        assert said in book
        assert ("Missing in" in book) == (n_missing > 0)
        told = f"not told by its bounds: in {n_perhaps} row"
        for text in (found[column]["description"], read_me, book):
            assert (told in text) == (way == "bounds" and n_perhaps > 0)
    names = "pay_low and pay_high" if way == "bounds" else "pay_mid"
    assert f"In {names} an empty field means that the range is open" in read_me
    assert ("it is missing" in read_me) == (n_missing > 0)


# ------------------------------------------------------------------------------- lines that read it


def lines_for(language, place):
    text = (place / "README.txt").read_text(encoding="utf-8")
    (block,) = re.findall(rf"^In {language}:\n\n((?:    .*\n)+)", text, re.MULTILINE)
    lines = [line[4:] for line in block.splitlines()]
    n_tables = len(package_of(place)["resources"])
    assert len(lines) <= (3 if n_tables == 1 else 5)
    return "\n".join(lines)


def plain(value, *, marked=False):
    """A value as any reader has it: numbers as floats, and an empty text is missing for some.

    marked: Of a CSV file, where an apostrophe in front of a text is no part of it.
    """
    if value is None or value is pd.NaT:
        return None
    if isinstance(value, str):
        return (value[1:] if marked and value.startswith("'") else value) or None
    if isinstance(value, (int, float, Decimal)) and not isinstance(value, bool):
        return None if isnan(value) else float(value)
    return value.to_pydatetime() if hasattr(value, "to_pydatetime") else value


def same(columns, place, kind, which):
    rows = sf.load(place).to_arrow(which)
    assert list(columns) == rows.column_names
    for name, values in columns.items():
        found = [plain(value, marked=kind == "csv") for value in values]
        assert found == [plain(value) for value in rows[name].to_pylist()], name


@OF_ALL
@EVERY
@pytest.mark.parametrize("language", ["pandas", "Polars"])
def test_the_lines_of_the_readme_read_what_was_published(made, monkeypatch, name, kind, language):
    _, place = made(name, kind)
    monkeypatch.chdir(place)
    read = {"print": lambda *_: None}
    exec(compile(lines_for(language, place), "README.txt", "exec"), read)
    for resource in package_of(place)["resources"]:
        frame = read[resource["name"]]
        columns = {column: frame[column].to_list() for column in frame.columns}
        same(columns, place, kind, resource["name"])


def test_codes_keep_their_zeros_and_words_for_missing_are_words(made, monkeypatch):
    _, place = made("two tables", "csv")
    monkeypatch.chdir(place)
    for language in ("pandas", "Polars"):
        read = {}
        exec(compile(lines_for(language, place), "README.txt", "exec"), read)
        assert all(code.startswith("0") for code in read["data"]["zip"].to_list())
        assert "NA" in read["sensitive"]["disease"].to_list()


@pytest.mark.slow
@pytest.mark.skipif(not shutil.which("Rscript"), reason="needs R: apt-get install r-base-core")
@OF_ALL
def test_the_lines_in_r_read_what_was_published(made, tmp_path, name):
    _, place = made(name, "csv")
    tables = [resource["name"] for resource in package_of(place)["resources"]]
    script = [lines_for("R", place)]
    for table_name in tables:
        target = tmp_path / f"{table_name}.csv"
        script.append(
            f'write.csv({table_name}, "{target}", row.names = FALSE, na = "", '
            'fileEncoding = "UTF-8")'
        )
    file = tmp_path / "read.R"
    file.write_text("\n".join(script) + "\n", encoding="utf-8")
    subprocess.run(["Rscript", "--vanilla", file], cwd=place, check=True, capture_output=True)
    for table_name in tables:
        with (tmp_path / f"{table_name}.csv").open(newline="", encoding="utf-8") as written:
            header, *rows = csv.reader(written)
        with (place / f"{table_name}.csv").open(newline="", encoding="utf-8") as published:
            names, *expected = csv.reader(published)
        assert header == names
        numbers = [
            field["type"] != "string"
            for (which, _), field in fields(place).items()
            if which == table_name
        ]
        as_read = [
            [float(v) if n and v else v for v, n in zip(row, numbers, strict=True)]
            for row in (*rows, *expected)
        ]
        assert as_read[: len(rows)] == as_read[len(rows) :]


def test_the_text_of_the_readme_is_narrow(made):
    for name in MADE:
        text = (made(name, "csv")[1] / "README.txt").read_text(encoding="utf-8")
        prose = [line for line in text.splitlines() if not line.startswith("    ")]
        assert max(map(len, prose)) <= 80


# --------------------------------------------------------------------------------------- meanings


def test_meanings_are_in_every_file_and_in_a_loaded_release(made):
    release, place = made("regions", "csv")
    assert sf.load(place).description.meanings == ODD == dict(release.description.meanings)
    codebook = (place / "codebook.html").read_text(encoding="utf-8")
    said = fields(place)
    for column, meaning in ODD.items():
        assert said["data", column]["description"] == meaning
    assert "&lt;b&gt;street&lt;/b&gt; &amp; number" in codebook
    assert "<b>street" not in codebook


def test_columns_without_a_meaning_are_named(made):
    _, place = made("regions", "csv")
    without = ["born", "zip", "share", "visits", "smokes", "seen", "came", "wakes", "disease"]
    assert package_of(place)["columns_without_meaning"] == without
    codebook = (place / "codebook.html").read_text(encoding="utf-8")
    assert f"did not say what these mean: {', '.join(without[:-1])} and disease." in codebook
    assert "zip: not described" in (place / "README.txt").read_text(encoding="utf-8")
    assert sf.load(made("patients", "csv")[1]).description.meanings == {}
    assert "meanings" not in json.loads((made("patients", "csv")[1] / "release.json").read_text())


def test_who_gets_it_is_told_as_the_publishers_own_statement(tmp_path):
    context = {
        "recipient": "the <i>university</i> of the long valley, institute for public health",
        "controls": "a locked room",
        "review_date": "2027-03-01",
    }
    place = of_patients(context=context).save(tmp_path / "out")
    text = (place / "README.txt").read_text(encoding="utf-8")
    page = (place / "codebook.html").read_text(encoding="utf-8")
    assert "Whoever made it says of who gets it:\n- recipient: the <i>university</i>" in text
    assert "- review date: 2027-03-01\n" in text
    assert "release model" not in text
    assert max(map(len, text.partition("In pandas")[0].splitlines())) <= 80
    assert "&lt;i&gt;university&lt;/i&gt; of the long valley" in page
    assert "Whoever made the release says so. Nothing of it was measured." in page
    assert "Whoever made the release did not state: release model." in page
    assert not any("locked" in each.read_text(encoding="utf-8") for each in place.iterdir())


def test_who_gets_it_is_not_stated_unless_somebody_states_it(made):
    _, place = made("patients", "csv")
    page = (place / "codebook.html").read_text(encoding="utf-8")
    names = "recipient, release model and review date"
    assert f"Whoever made the release did not state: {names}." in page
    assert "who gets it" not in (place / "README.txt").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("describe", "said"),
    [
        ({"zap": "x"}, "describe: unknown column 'zap'; did you mean 'zip'?"),
        ({"zip": 5}, "describe: the meaning of 'zip' must be a text of one line, got 5"),
        ({"zip": "a\nb"}, "describe: the meaning of 'zip' must be a text of one line"),
        (["zip"], "describe: expected a text by column, got a list"),
    ],
)
def test_what_is_no_meaning_is_refused_before_any_work(describe, said):
    with pytest.raises(sf.BadInput, match=re.escape(said)):
        table(describe=describe)


def test_an_empty_meaning_is_none():
    assert table(describe={"zip": "  ", "born": " day of birth "}).schema.meanings == {
        "born": "day of birth"
    }


def test_the_meaning_of_a_column_that_is_dropped_is_not_published(tmp_path):
    opened = sf.read(
        people(), ["zip"], "disease", identifiers=["born"],
        describe={"born": "SECRET of an identifier", "seen": "SECRET of no role", "zip": "code"},
    )  # fmt: skip
    place = sf.anonymize(opened, sf.KAnonymity(2)).save(tmp_path / "out")
    for path in place.iterdir():
        assert b"SECRET" not in path.read_bytes(), path.name


JOB = """
source = "people.parquet"
output = "out"
[columns]
quasi_identifiers = ["zip"]
sensitive = ["disease"]
[describe]
zip = "where people live"
disease = ""
{more}
[[criteria]]
k_anonymity = {{ k = 2 }}
"""


def test_a_job_file_says_what_columns_mean(tmp_path):
    import pyarrow.parquet as pq

    pq.write_table(people(), tmp_path / "people.parquet")
    job = tmp_path / "job.toml"
    job.write_text(JOB.format(more=""))
    given = Job.load(job)
    place = sf.anonymize(given.table(), given.criterion).save(given.output)
    assert sf.load(place).description.meanings == {"zip": "where people live"}
    assert package_of(place)["columns_without_meaning"] == ["disease"]
    job.write_text(JOB.format(more='diseese = "x"'))
    with pytest.raises(sf.BadInput, match="describe: unknown column 'diseese'"):
        Job.load(job).table()
    job.write_text(JOB.format(more="born = 5"))
    with pytest.raises(sf.BadInput, match=r"describe\.born"):
        Job.load(job)


# ------------------------------------------------------------------------------ as a part of it all


def test_the_package_belongs_to_the_release(made, tmp_path):
    _, saved = made("patients", "csv")
    place = shutil.copytree(saved, tmp_path / "out")
    assert sf.load(place).further_files == ()
    (place / "README.txt").unlink()
    assert sf.load(place).further_files == ()
    (place / "codebook.html").write_text("another")
    assert sf.load(place).further_files == ("codebook.html",)
    (place / "datapackage.json").unlink()
    (place / "codebook.html").unlink()
    assert sf.load(place).check()


def test_a_release_from_before_there_were_packages_opens(made, tmp_path):
    _, saved = made("patients", "csv")
    place = shutil.copytree(saved, tmp_path / "out")
    file = place / "release.json"
    said = json.loads(file.read_text())
    assert set(said.pop("package")) == set(PACKAGE)
    file.write_text(json.dumps(said | {CHECKSUM: checksum(said)}))
    loaded = sf.load(place)
    assert loaded.check()
    assert loaded.further_files == tuple(sorted(PACKAGE))  # it does not know them


@pytest.mark.parametrize("package", [[], {"other.txt": "0"}, None, {"README.txt": 5}])
def test_a_damaged_list_of_the_package_is_refused(made, tmp_path, package):
    place = shutil.copytree(made("patients", "csv")[1], tmp_path / "out")
    file = place / "release.json"
    said = json.loads(file.read_text()) | {"package": package}
    file.write_text(json.dumps(said | {CHECKSUM: checksum(said)}))
    with pytest.raises(sf.BadInput, match="damaged; 'package'"):
        sf.load(place)


@pytest.mark.parametrize("meanings", [[], {"other": "x"}, {"age": 5}, None])
def test_damaged_meanings_are_refused(made, tmp_path, meanings):
    place = shutil.copytree(made("patients", "csv")[1], tmp_path / "out")
    file = place / "release.json"
    said = json.loads(file.read_text()) | {"meanings": meanings}
    file.write_text(json.dumps(said | {CHECKSUM: checksum(said)}))
    with pytest.raises(sf.BadInput, match="damaged; 'meanings'"):
        sf.load(place)


def test_an_experiment_is_marked(tmp_path):
    release = anonymized(sf.KAnonymity(4), sf.Mondrian(strict=False, seed=1))
    place = release.save(tmp_path / "out", experiment=True)
    assert "not for publication" in (place / "codebook.html").read_text()
    assert "not for publication" in (place / "README.txt").read_text()


@pytest.mark.long
def test_a_series_publishes_packages_and_notices_changes(tmp_path):
    describe = {"age": "age in years", "disease": "main diagnosis"}
    series = started(tmp_path / "series", describe=describe)
    series.publish(write_batch(tmp_path / "a.csv", 0, 60))
    series.publish(write_batch(tmp_path / "b.csv", 60, 60))
    first, second = (series.place / "public" / name for name in ("001", "002"))
    for place in (first, second):
        assert sf.load(place).description.meanings == describe
        assert validate(str(place / "datapackage.json")).valid
    assert series.verify()
    kept = (first / "codebook.html").read_bytes()
    (first / "codebook.html").write_bytes(kept + b" ")
    (second / "README.txt").unlink()
    changed, gone = series.verify().problems
    assert changed.startswith(f"{first / 'codebook.html'}: not the file that was published")
    assert gone.startswith(f"{second / 'README.txt'}: gone")
    (first / "codebook.html").write_bytes(kept)
    done = series.withdraw(1)
    assert sorted(path.name for path in done.kept.iterdir()) == sorted(
        [*PACKAGE, "data.csv", "release.json"]
    )
    assert len(series.verify().problems) == 1


def test_a_series_keeps_its_words(tmp_path):
    job = write_job(tmp_path / "job.toml", extra='[describe]\nage = "age in years"\n')
    assert Job.for_series(job).terms().describe == {"age": "age in years"}
    write_job(tmp_path / "job.toml", extra='[describe]\nnote = "no role"\n')
    with pytest.raises(sf.BadInput, match="describe: unknown column 'note'"):
        Job.for_series(tmp_path / "job.toml").terms()
    plain_terms = Job.for_series(write_job(tmp_path / "job.toml")).terms()
    assert "describe" not in plain_terms.to_json()
    other = Job.for_series(
        write_job(tmp_path / "job.toml", extra='[describe]\nage = "years"\n')
    ).terms()
    for ours, theirs in ((plain_terms, other), (other, plain_terms)):
        with pytest.raises(sf.BadInput, match=r"describe\.age: not what this series"):
            ours.refuse_other(theirs)


@pytest.mark.long
def test_no_rows_enter_python(tmp_path):
    """Rows are counted by the engine: Python never holds them (a number takes 40 bytes)."""
    script = f"""
import tracemalloc
import numpy as np, pyarrow as pa
import sfumato as sf
from sfumato.release.package import write_package
from sfumato.release import placing as module

draw = np.random.default_rng(1)
n = 300_000
rows = pa.table({{"age": draw.integers(0, 90, n), "pay": draw.integers(0, 10**9, n)}})
table = sf.read(rows, {{"age": sf.Intervals(5, 10)}}, insensitive=["pay"])
release = sf.anonymize(table, sf.KAnonymity(5), sf.Samarati(), untouched_identify=True)
peaks = []

def measured(*given):
    tracemalloc.start()
    done = write_package(*given)
    peaks.append(tracemalloc.get_traced_memory()[1])
    tracemalloc.stop()
    return done

module.write_package = measured
release.save({str(tmp_path / "out")!r}, "csv")
assert peaks[0] < 16_000_000, peaks
"""
    subprocess.run([sys.executable, "-c", script], check=True)
    assert Path(tmp_path / "out" / "codebook.html").stat().st_size < 100_000
