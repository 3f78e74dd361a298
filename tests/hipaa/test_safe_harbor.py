"""What the safe harbour would object to: made tables for each of the eighteen, and quiet ones."""

import json
import random
import re

import pyarrow as pa
import pytest

import sfumato as sf
from cli.common import JOB, run
from sfumato.hipaa.kinds import KINDS

N = 300
WORDS = ["flu", "asthma", "ulcer", "none"]


def table_of(name, made, n=N):
    """Make a table of one column beside two that nobody objects to."""
    chance = random.Random(5)
    return pa.table(
        {
            "sex": [chance.choice(["male", "female"]) for _ in range(n)],
            "diagnosis": [chance.choice(WORDS) for _ in range(n)],
            name: [made(j) for j in range(n)],
        }
    )


def letters(name, made, **given):
    found = sf.safe_harbor(table_of(name, made), **given)
    assert {each.column for each in (*found.objections, *found.not_checked)} <= {name}
    assert {"sex", "diagnosis"} <= {*found.nothing_seen}
    return [each.letter for each in found.objections], [each.letter for each in found.not_checked]


EIGHTEEN = [
    ("A", "patient_name", lambda j: f"Ada Ek {j}"),
    ("A", "Nachname", lambda j: f"Ek{j // 3}"),
    ("A", "mother_name", lambda j: f"Eva Ek {j // 2}"),
    ("A", "employer", lambda j: f"Works {j % 40}"),
    ("B", "city", lambda j: f"City {j % 40}"),
    ("B", "county", lambda _: "Tompkins"),  # one place for everybody is a place
    ("B", "home_address", lambda j: f"{j} Main Street"),
    ("B", "Gemeinde", lambda j: 1000 + j % 50),
    ("B", "lat", lambda j: f"{48 + j / 7000:.6f}"),
    ("B", "zip", lambda j: f"{13000 + j % 40}"),
    ("B", "zip", lambda j: (501, 13053)[j % 2] + j % 40),  # numbers that have lost their zeros
    ("B", "zip", lambda j: f"1305*{j % 2 * '*'}"),
    ("B", "postcode", lambda j: f"SW{1 + j % 9}A {j % 10}AA"),
    ("C", "admission", lambda j: f"2019-0{1 + j % 9}-11"),
    ("C", "x", lambda j: f"{1 + j % 28:02d}.03.2019"),
    ("C", "x", lambda j: f"{1 + j % 28:02d}MAR2019"),
    ("C", "x", lambda j: "2019-03-04" if j == 7 else f"text {j % 4}"),  # in one row
    ("C", "born", lambda j: f"19{60 + j % 30}-0{1 + j % 9}"),
    ("C", "discharge_month", lambda j: 1 + j % 12),
    ("C", "weekday", lambda j: ["Monday", "Tuesday", "Friday"][j % 3]),
    ("C", "quarter", lambda j: f"2019-Q{1 + j % 4}"),
    ("C", "age", lambda j: 20 + j % 75),
    ("C", "age", lambda j: f"[{10 * (j % 10)}, {10 * (j % 10) + 10})"),
    ("C", "Alter", lambda j: f"{85 + 5 * (j % 2)}-{89 + 5 * (j % 2)}"),
    ("C", "age", lambda j: f"({10 * (j % 10)}, {10 * (j % 10) + 10}]"),  # as pandas cuts
    ("C", "age", lambda j: ["under 40", "40 to 95 years"][j % 2]),
    ("C", "birth_year", lambda j: ["1930-1939", "1950-1959"][j % 2]),
    ("C", "stay", lambda j: f"2019-03-0{1 + j % 9} to 2019-04-01"),
    ("C", "age_months", lambda j: 12 * (20 + j % 75)),
    ("C", "birth_year", lambda j: 1920 + j % 60),
    ("C", "month", lambda j: ["Jan", "Feb", "Mar"][j % 3]),
    ("C", "weekday", lambda j: ["Mon", "Tue", "Sat"][j % 3]),
    ("C", "Wochentag", lambda j: ["Mo", "Di", "Sa"][j % 3]),
    ("C", "x", lambda j: ["Jan", "Sept", "November"][j % 3]),
    ("C", "birthday", lambda j: f"{1 + j % 12:02d}-{1 + j % 28:02d}"),
    ("C", "Birthday (MM/DD)", lambda j: f"{1 + j % 12:02d}/{1 + j % 28:02d}"),
    ("C", "Geburtstag", lambda j: f"{1 + j % 28}.{1 + j % 12}."),
    ("C", "admission", lambda j: f"{1 + j % 28} March"),
    ("C", "x", lambda j: f"{1 + j // 2 % 12:02d}-{1 + j // 24:02d}"),
    ("D", "phone", lambda j: f"(555) 123-{1000 + j}"),
    ("D", "contact", lambda j: f"+49 30 {100000 + j}"),
    ("E", "fax", lambda j: f"(555) 123-{1000 + j}"),
    ("E", "fax_number", lambda j: 5551231000 + j),
    ("F", "x", lambda j: f"ada{j}@example.org" if j % 50 == 0 else "none"),
    ("G", "ssn", lambda j: f"123-45-{1000 + j}"),
    ("G", "ssn", lambda j: 123451000 + j),
    ("G", "x", lambda j: f"123-45-{1000 + j}" if j == 0 else "refused"),
    ("H", "MRN", lambda j: f"M{5000 + j}"),
    ("H", "patient_id", lambda j: 5000 + 3 * j),
    ("I", "member_id", lambda j: f"W{70000 + j}"),
    ("I", "policy_number", lambda j: f"P-{70000 + j}"),
    ("I", "beneficiary", lambda j: f"B{j // 3}"),
    ("I", "policy", lambda j: f"P{j // 3:05d}"),
    ("J", "bank_account", lambda j: f"{j // 3:08d}"),
    ("J", "account", lambda j: 70000 + 3 * j),
    ("J", "x", lambda j: f"DE{10 + j % 89} 5001 0517 5407 {3000 + j} 31"),
    ("J", "card_number", lambda j: f"4111 1111 1111 {1000 + j}"),
    ("K", "license_number", lambda j: f"D{80000 + j}"),
    ("K", "passport", lambda j: f"C0{10000 + j}"),
    ("K", "driver_license", lambda j: f"D{j // 3:07d}"),
    ("K", "drivers_licence", lambda j: f"D{j:07d}"),
    ("K", "license", lambda j: f"D{j // 3:07d}"),
    ("K", "license", lambda j: f"D{j:07d}"),
    ("L", "plate", lambda j: f"ABC {j // 3:04d}"),
    ("L", "plate", lambda j: f"ABC {j:04d}"),
    ("L", "license_plate", lambda j: f"ABC {1000 + j}"),
    ("L", "x", lambda j: f"1HGCM82633A{100000 + j}"),
    ("M", "device_id", lambda j: f"D-{90000 + j}"),
    ("M", "x", lambda j: f"00:1B:44:11:{j // 100:02d}:{j % 100:02d}"),
    ("M", "serial_number", lambda j: f"S{90000 + j}"),
    ("M", "device_serial", lambda j: f"S{90000 + j}"),
    ("M", "pacemaker_serial", lambda j: f"PM-{j // 3}"),
    ("N", "x", lambda j: f"https://example.org/{j}"),
    ("O", "x", lambda j: f"10.0.{j // 200}.{j % 200}"),
    ("O", "x", lambda j: f"fe80::{j:x}"),
    ("P", "fingerprint", lambda j: f"{j * 7919:012x}"),
    ("P", "voiceprint_hash", lambda j: f"{j * 7919:012x}"),
    ("Q", "photo", lambda j: f"scan {j}"),
    ("Q", "x", lambda j: f"faces/{j}.jpg"),
    ("R", "id", lambda j: j + 1),
    ("R", "x", lambda j: f"{j:08x}-0000-4000-8000-00000000{j:04x}"),
    ("R", "x", lambda j: 100_000 + 7 * j),
    ("R", "study_id", lambda j: f"S{j // 2}"),
]


def test_every_kind_is_tried():
    assert {letter for letter, *_ in EIGHTEEN} == {*KINDS}
    assert len(KINDS) == 18


@pytest.mark.parametrize(
    ("letter", "name", "made"),
    EIGHTEEN,
    ids=[f"{a}-{b}-{j}" for j, (a, b, _) in enumerate(EIGHTEEN)],
)
def test_each_of_the_eighteen_is_objected_to(letter, name, made):
    found, _ = letters(name, made)
    assert found == [letter]


QUIET = [
    ("age", lambda j: 20 + j % 70),  # 89 at most
    ("age", lambda j: "90+" if j % 9 == 0 else str(20 + j % 70)),
    ("age", lambda j: ["[80, 90)", ">=90", "<20", "*"][j % 4]),
    ("age", lambda j: ["65 and over", "under 65", "20-64"][j % 3]),
    ("age", lambda j: ["(20, 40]", "(40, 89]", "under 20", "older than most"][j % 4]),
    ("age_group", lambda j: ["young", "old"][j % 2]),
    ("age_months", lambda j: j % 200),
    ("old_price", lambda j: 100 + j % 90),  # no age
    ("admission_year", lambda j: 2000 + j % 20),
    ("year", lambda j: ["2019", "2010s", "[2010, 2020)"][j % 3]),
    ("birth_year", lambda j: 1960 + j % 40),
    ("birth_year", lambda j: ["<1937", "[1937, 1960)", "1960s"][j % 3]),
    ("admission", lambda j: ["[2010-01-01, 2015-01-01)", "2016", ">=2020-01-01"][j % 3]),
    ("day", lambda j: j % 200),  # of a study
    ("month", lambda j: 6 * (j % 20)),  # since the start
    ("state", lambda j: ["NY", "Texas", "CA"][j % 3]),
    ("city", lambda j: ["New York", "Texas", "Ohio"][j % 3]),  # published as states
    ("city", lambda j: j % 2),  # lives in one
    ("town", lambda j: ["yes", "no"][j % 2]),
    ("city_size", lambda j: 1000 * (j % 30)),
    ("county_income", lambda j: 30_000.5 + j % 70),
    ("region", lambda j: ["north", "south", "west"][j % 3]),
    ("country", lambda j: ["USA", "Canada"][j % 2]),
    ("zip", lambda _: "*"),
    ("zip", lambda j: ["13***", "0****", "000**", "00000"][j % 4]),
    ("zip", lambda j: ["[10000, 20000)", "[20000, 30000)"][j % 2]),
    ("race", lambda j: ["white", "black", "asian"][j % 3]),
    ("email", lambda j: ["yes", "no"][j % 2]),  # whether there is one
    ("blood_pressure", lambda j: 90 + j % 80),
    ("cholesterol", lambda j: 150 + (j * 37) % 160),
    ("dose", lambda j: round(0.5 + j / 700, 4)),
    ("bmi", lambda j: 18 + j / 30),
    ("company_type", lambda j: ["private", "public", "none"][j % 3]),
    ("occupation", lambda j: ["nurse", "clerk", "driver"][j % 3]),
    ("icd", lambda j: f"J{10 + j % 20}.{j % 4}"),
    ("license", lambda j: ["yes", "no", "expired"][j % 3]),
    ("licensed", lambda j: j % 2),
    ("driver_license", lambda j: ["yes", "no"][j % 2]),
    ("policy", lambda j: ["agree", "disagree", "neither"][j % 3]),
    ("plate", lambda j: 1 + j % 12),
    ("serial", lambda j: j % 7),
    ("state", lambda j: ["MO", "MI"][j % 2]),
    ("time", lambda j: round(1 + j % 30 + j % 12 / 10, 1)),  # hours
    ("score", lambda j: f"{1 + j % 12}/{1 + j % 28}"),
    ("age_group", lambda j: ["05-09", "10-14", "20-24"][j % 3]),
    ("x", lambda j: ["march", "stand", "sit"][j % 3]),
    ("x", lambda j: j % 7),
    ("x", lambda _: None),
]


@pytest.mark.parametrize(
    ("name", "made"), QUIET, ids=[f"{a}-{j}" for j, (a, _) in enumerate(QUIET)]
)
def test_what_is_none_of_them_raises_nothing(name, made):
    assert letters(name, made) == ([], [])


def test_three_digits_are_not_checked_without_populations():
    assert letters("zip", lambda j: f"{130 + j % 5}**") == ([], ["B"])
    assert letters("zip3", lambda j: 13 + j % 5) == ([], ["B"])  # 013: zeros were lost


def zip_rows(labels):
    """Count the rows of the first objection to ZIP codes, ten of each label."""
    found = sf.safe_harbor(table_of("zip", lambda j: labels[j % len(labels)], 10 * len(labels)))
    assert len(found.objections) <= 1
    return int(found.objections[0].evidence.split()[0]) if found.objections else 0


FINE_RANGES = [
    "[6061, 60615)",
    "[60615, 6062)",
    "<60604",
    ">=60615",
    "[60604, 6061)",
    ">=6061",
    "[606, 6065)",
    "[6065, 607) or missing",
    '["6061", "60615")',
    "{60604, 60615}",
    "<60604-1234",
]
WHOLE_AREAS = ["[606, 608)", ">=606", "<606", '["604", "606")', "60***", "*", "not missing"]


def test_ranges_of_codes_finer_than_three_digits_are_objected_to():
    for label in FINE_RANGES:
        assert zip_rows([label]) == 10, label
        assert zip_rows([label, *WHOLE_AREAS]) == 10, label
    assert zip_rows(FINE_RANGES + WHOLE_AREAS) == 10 * len(FINE_RANGES)
    assert zip_rows(WHOLE_AREAS) == 0


def test_ranges_of_codes_read_as_numbers_have_lost_their_zeros():
    assert zip_rows(["[9000, 10000)", "<9000", ">=10000"]) == 0
    assert zip_rows(["[9000, 10000)", "[510, 520)", "<510", ">=10000"]) == 20
    assert zip_rows(["[13050, 13060)", "[10000, 13050)"]) == 20
    assert zip_rows(["[90, 100)", "<90", ">=100"]) == 0  # of three digits
    assert zip_rows(["[A1, B2)", "[607, 606)"]) == 20  # no ZIP codes


def test_ranges_against_every_code_between_them():
    chance = random.Random(11)

    def areas_cut(low, high):
        """Whether codes of five digits from one up to another leave parts of an area."""
        inside = [j for j in range(100_000) if low <= f"{j:05d}" < high]
        counts = {}
        for j in inside:
            counts[j // 100] = counts.get(j // 100, 0) + 1
        return any(n < 100 for n in counts.values())

    for _ in range(40):
        low, high = sorted(
            f"{chance.randrange(1, 10**n):0{n}d}".rstrip("0")
            for n in chance.choices([2, 3, 4, 5], k=2)
        )
        if low < high:
            fine = zip_rows([f"[{low}, {high})"]) == 10
            assert fine == areas_cut(low, high), (low, high)


def test_a_range_of_one_area_is_an_area():
    for label in ("[130, 131)", "[13000, 13100)", ">=999"):
        assert letters("zip", lambda _, label=label: label) == ([], ["B"])


def test_fine_ranges_of_a_release_are_objected_to(tmp_path):
    codes = ["60601", "60604", "60610", "60614", "60615", "60637"]
    rows = {"zip": [codes[j % 6] for j in range(60)], "sex": ["m", "f"] * 30}
    table = sf.read(pa.table(rows), {"zip": sf.Prefix(), "sex": sf.Flat()})
    release = sf.anonymize(table, sf.KAnonymity(15), sf.Mondrian())
    place = release.save(tmp_path / "out", "csv")
    labels = [line.split(",")[0] for line in next(place.glob("*.csv")).read_text().splitlines()]
    assert any(label.startswith(("<", '"[', ">=")) for label in labels), labels
    result = run("check", place, "--safe-harbor")
    assert result.exit_code == 1
    said = "(codes are compared character by character, from the left)"
    assert said in " ".join((place / "README.txt").read_text().split())
    assert said in (place / "codebook.html").read_text()
    assert "60 rows with more than three digits" in " ".join(result.output.split())


@pytest.fixture
def populations(tmp_path):
    file = tmp_path / "zips.csv"
    file.write_text("zip3,population,area\n130,20000,a\n131,20001,b\n036,12000,c\n")
    return file


@pytest.mark.parametrize(
    ("codes", "objections", "open_ones", "values"),
    [
        (["131**", "13***", "000**"], [], [], []),
        (["130**", "131**"], ["B"], [], ["130"]),  # 20,000 is not more than that
        (["036", "131"], ["B"], [], ["036"]),
        ([36, 131], ["B"], [], ["036"]),
        (["131**", "132**"], [], ["B"], ["132"]),
        (["13053", "131**"], ["B"], [], []),
    ],
)
def test_three_digits_need_more_than_20000_people(
    populations, codes, objections, open_ones, values
):
    table = table_of("zip", lambda j: codes[j % len(codes)])
    found = sf.safe_harbor(table, populations)
    assert [each.letter for each in found.objections] == objections
    assert [each.letter for each in found.not_checked] == open_ones
    noticed = (*found.objections, *found.not_checked)
    assert [value for each in noticed for value in each.values] == values
    assert not any(value in repr(found) for value in values)  # values are for who asks for them
    assert all(value in json.dumps(found.to_json(values=True)) for value in values)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the columns zip3 and population"),
        ("zip,people\n130,7\n", "the columns zip3 and population"),
        ("zip3;population\n130;7\n", "delimited by commas"),
        ("zip3,population,zip3\n130,7,130\n", "the columns zip3 and population"),
        ("zip3,population\n", "has no rows"),
        ("zip3,population\n130,7\n36,7\n", "line 3: zip3 must be three digits, such as 036"),
        ('zip3,population\n130,"7,000"\n', "line 2: population must be a whole number"),
        ("zip3,population\n130,-7\n", "line 2: population must be a whole number"),
        ("zip3,population\n130\n", "line 2: population must be a whole number"),
        ("zip3,population\n130,7\n130,7\n", "line 3: these three digits stand twice"),
        (b"zip3,population\n\xff,7\n", "not a CSV file in UTF-8"),
    ],
)
def test_a_wrong_file_of_populations_is_refused(tmp_path, text, message):
    file = tmp_path / "zips.csv"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(sf.BadInput, match=r"zips\.csv") as refused:
        sf.safe_harbor(sf.datasets.patients(), file)
    assert message in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_file_of_populations_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(sf.BadInput, match="cannot read the populations"):
        sf.safe_harbor(sf.datasets.patients(), tmp_path / "none.csv")


def test_free_text_and_lists_are_not_checked():
    text = "The patient was seen again in the morning and complained of headaches, number {}."
    assert letters("notes", text.format) == ([], [None])
    for name in ("drugs", "age", "zip", "born"):
        assert letters(name, lambda j: [f"a{j % 3}", "b"]) == ([], [None])
        assert letters(name, lambda j: b"%d" % (j % 3)) == ([], [None])


def test_ages_that_are_not_understood_are_not_checked():
    assert letters("age", lambda j: ["A4", "B5", "89"][j % 3]) == ([], ["C"])


@pytest.mark.parametrize("form", ["{}-03-04", "04.03.{}", "{}0304", "04MAR{}"])
def test_dates_of_birth_that_tell_high_ages_say_both_remedies(form):
    def objection(years):
        table = table_of("date_of_birth", lambda j: form.format(years[j % len(years)]))
        (found,) = sf.safe_harbor(table).objections
        return found

    both = objection([1930, 1960, 1970])
    assert re.search("publish the year alone, and the years up to 19[3-9][0-9] as one", both.remedy)
    assert "100 of 300 values with years of birth that tell ages over 89" in both.evidence
    assert objection([1960, 1970]).remedy == "publish the year alone"


def test_one_column_may_be_objected_to_twice():
    def made(j):
        return f"ada{j}@example.org" if j % 2 else f"https://example.org/{j}"

    assert letters("x", made)[0] == ["F", "N"]


def test_every_objection_says_what_and_why_and_what_to_do():
    found = sf.safe_harbor(sf.datasets.patients())
    by_column = {each.column: each for each in found.objections}
    assert by_column["name"].sentence() == (
        "name: names (A): names, by its name (name). To do: take the column out "
        "(identifiers = [...] in a job)."
    )
    assert (
        by_column["zip"]
        .sentence()
        .startswith("zip: places smaller than a state (B): 1,980 rows with more than three digits")
    )
    text = repr(found)
    assert "actual knowledge" in text
    assert "free text" in text
    for said in (text, json.dumps(found.to_json()), found._repr_html_()):
        assert "complian" not in said.lower()
        assert "Ek" not in said


# ------------------------------------------------------------------------------ jobs and releases


@pytest.fixture
def place(tmp_path):
    (tmp_path / "patients.csv").write_bytes(sf.datasets.patients().read_bytes())
    (tmp_path / "job.toml").write_text(JOB)
    return tmp_path


def test_of_a_table_with_roles_only_what_is_published_is_looked_at(place):
    rules = {"age": sf.Intervals(5, 10, top=90), "zip": sf.Prefix(), "sex": sf.Flat()}
    table = sf.read(place / "patients.csv", rules, sensitive="disease", identifiers=["name"])
    found = sf.safe_harbor(table)
    assert [each.column for each in found.objections] == ["zip"]
    assert found.left_out == ("name",)
    assert "look at the release, too" in repr(found)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("numbers", ["text", "bounds", "midpoint"])
def test_a_release_is_looked_at_as_it_is_published(tmp_path, kind, numbers):
    chance = random.Random(3)
    rows = {
        "age": [chance.randrange(20, 110) for _ in range(N)],
        "zip": [f"13{chance.randrange(10)}" for _ in range(N)],
        "born": [chance.randrange(1940, 1960) for _ in range(N)],
        "disease": [chance.choice(WORDS) for _ in range(N)],
    }
    for name, top, wanted in (("safe", 90, []), ("old", None, [("age", "C")])):
        rules = {
            "age": sf.Intervals(30, top=top),
            "zip": sf.Prefix(),
            "born": sf.Intervals(10),
        }
        table = sf.read(pa.table(rows), rules, sensitive="disease")
        release = sf.anonymize(table, sf.KAnonymity(4), sf.Samarati(), numbers=numbers)
        assert release.levels["age"] < 2  # there is something to see
        for each in (release, sf.load(release.save(tmp_path / name, kind))):
            found = sf.safe_harbor(each)
            assert [(o.column, o.letter) for o in found.objections] == wanted, found
            assert not any("_" in column for column in found.nothing_seen)  # no age_low


def test_days_and_all_digits_of_a_release_are_objected_to(tmp_path):
    rows = {"born": ["1961-03-04", "1962-05-06"] * 20, "zip": ["13053", "13068"] * 20}
    table = sf.read(pa.table(rows), {"born": sf.Dates(), "zip": sf.Prefix()})
    release = sf.anonymize(table, sf.KAnonymity(2), sf.Samarati())
    found = sf.safe_harbor(sf.load(release.save(tmp_path / "fine")))
    assert [(o.column, o.letter) for o in found.objections] == [("born", "C"), ("zip", "B")]
    coarse = sf.anonymize(table, sf.KAnonymity(30), sf.Samarati())
    found = sf.safe_harbor(sf.load(coarse.save(tmp_path / "coarse")))
    assert (found.objections, found.nothing_seen) == ((), ("born",))
    assert [each.column for each in found.not_checked] == ["zip"]  # 130**: do so many live there?


def test_two_tables_show_what_they_have(tmp_path):
    table = sf.read(sf.datasets.patients(), ["age", "zip"], sensitive="disease")
    release = sf.anonymize(table, sf.LDiversity(2), sf.Anatomy())
    found = sf.safe_harbor(sf.load(release.save(tmp_path / "out")))
    assert [each.column for each in found.objections] == ["age", "zip"]
    assert found.nothing_seen == ("disease",)  # and not the number of a group


def test_the_command_lists_and_ends_with_1_5_or_0(place, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    source = place / "patients.csv"
    listed = run("check", source, "--safe-harbor")
    assert listed.exit_code == 1
    words = " ".join(listed.output.split())
    assert "5 columns of 2,000 rows held against the 18 kinds of identifiers" in words
    assert "Objection: name: names (A)" in words
    assert max(map(len, listed.output.splitlines())) <= max(80, len(str(source)) + 2)
    assert "complian" not in words.lower()
    assert run("check", place / "job.toml", "--safe-harbor").exit_code == 1
    lines = [line.split(",") for line in source.read_text().splitlines()]
    at = lines[0].index("zip")
    cut = [[*line[:at], line[at][:3], *line[at + 1 :]] for line in lines]
    source.write_text("".join(f"{','.join(line)}\n" for line in cut))
    job = JOB.replace("intervals = [5, 10, 20]", "intervals = { widths = [5, 10, 20], top = 90 }")
    (place / "job.toml").write_text(job)
    assert run("anonymize", place / "job.toml", "--no-audit").exit_code == 0
    release = place / "out" / "2026-q1"
    populations = place / "zips.csv"
    populations.write_text("zip3,population\n" + "".join(f"{j:03d},50000\n" for j in range(1000)))
    told = ["check", release, "--safe-harbor"]
    assert run(*told).exit_code == 5
    assert run(*told, "--zip-populations", populations).exit_code == 0
    populations.write_text(populations.read_text().replace("50000", "20000"))
    assert run(*told, "--zip-populations", populations).exit_code == 1
    written = run("check", source, "--safe-harbor", "--json")
    assert json.loads(written.output)["objections"][0]["letter"] == "A"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--safe-harbor", "-k", "5"], "leave -q, -s, --person"),
        (["--safe-harbor", "-q", "age"], "leave -q, -s, --person"),
        (["--safe-harbor", "--drivers"], "leave -q, -s, --person"),
        (["--zip-populations", "zips.csv"], "--zip-populations is for --safe-harbor"),
        (["--safe-harbor", "--zip-populations", "zips.csv"], "zips.csv: cannot read"),
    ],
)
def test_what_does_not_go_together_is_refused(place, monkeypatch, options, message):
    monkeypatch.chdir(place)
    refused = run("check", "patients.csv", *options)
    assert refused.exit_code == 2
    assert message in refused.output + refused.stderr


def test_values_stand_in_the_output_only_when_asked_for(place):
    (place / "t.csv").write_text("zip,sex\n" + "130,m\n131,f\n" * 50)
    populations = place / "zips.csv"
    populations.write_text("zip3,population\n130,7\n131,30000\n")
    told = ["check", place / "t.csv", "--safe-harbor", "--zip-populations", populations]
    assert "(130)" not in run(*told).output
    assert "(130)" in run(*told, "--show-values").output
