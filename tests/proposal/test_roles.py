"""Roles by values and names together."""

import random

import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.proposal.vocabulary import Role

N = 300


def lines_of(name, values):
    """Write a table of one column beside an age."""
    chance = random.Random(7)
    table = {"age": [str(chance.randrange(18, 80)) for _ in values], name: values}
    rows = zip(*table.values(), strict=True)
    return [",".join(table), *(",".join(f'"{v}"' for v in row) for row in rows)]


def proposed(tmp_path, name, values):
    file = tmp_path / "table.csv"
    file.write_text("\n".join(lines_of(name, values)) + "\n", encoding="utf-8")
    proposal = sf.propose(file)
    return next(each for each in proposal.columns if each.name == name)


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("x", lambda j: f"ada{j}@example.org"),
        ("contact", lambda j: f"+49 30 {100000 + j}"),
        ("contact", lambda j: f"(555) 123-{1000 + j}"),
        ("x", lambda j: f"DE{10 + j % 89} 5001 0517 5407 {3000 + j} 31"),
        ("x", lambda j: f"10.0.{j // 200}.{j % 200}"),
        ("x", lambda j: f"https://example.org/{j}"),
        ("x", lambda j: 100_000 + 7 * j),
        ("x", lambda j: j + 1),
        ("income", lambda j: j + 1),  # numbered from one on, whatever it is called
        ("x", lambda j: f"{j:05d}"),
        ("x", lambda j: f"Ada Ek {j}"),
        ("Patient", lambda j: f"P-{j // 3}"),
        ("customer_nr", lambda j: 4000 + j // 2),
        ("address", lambda j: f"Main Street {j // 2}"),
        ("lat", lambda j: f"{48 + j / 7000:.6f}"),
        ("long", lambda j: f"{11 + j / 7000:.6f}"),
        ("last", lambda j: f"Ek{j // 2}"),
        ("id", lambda j: j // 4),
        ("car_number", lambda j: 1000 + 3 * j),  # about cars, and hardly two have the same
        ("Elternname", lambda j: f"Ek{j // 2}"),
        ("childid", lambda j: 7 * (j // 4)),  # run together with what is numbered
        ("teacher", lambda j: 1 + j % 60),  # numbered one after the other
        ("baker", lambda j: f"Ek{j if j < 200 else j // 3}"),  # people called by their trade
        ("family", lambda j: f"{j // 2:03d}"),  # too many for a count
    ],
)
def test_what_names_people_is_an_identifier(tmp_path, name, made):
    found = proposed(tmp_path, name, [made(j) for j in range(N)])
    assert found.role is Role.IDENTIFIER, found.reason
    assert not found.published


@pytest.mark.parametrize(
    ("name", "made", "rule"),
    [
        ("born", lambda j: f"19{60 + j % 30}-03-{1 + j % 28:02d}", sf.Dates()),
        ("x", lambda j: f"2019-0{1 + j % 9}-11", sf.Dates()),
        ("x", lambda j: f"{1 + j % 28:02d}.03.19{60 + j % 30}", sf.Dates()),
        ("zip", lambda j: f"0{1200 + j % 40}", sf.Prefix()),
        ("x", lambda j: f"0{1200 + j % 40}", sf.Prefix()),
        ("x", lambda j: f"SW{1 + j % 9}A {j % 10}AA", sf.Prefix()),
        ("sex", lambda j: "mf"[j % 2], sf.Flat()),
        ("school_name", lambda j: f"School {j % 8}", sf.Flat()),
        ("city", lambda j: f"City {j % 40}", sf.Categories(min_count=5)),
        ("city", lambda j: f"City {j}" if j < 9 else "Ulm", sf.Categories(min_count=5)),
        ("city", lambda j: f"City {j % 100}", sf.Flat()),  # nothing would be named
        ("village", lambda j: j % 40, sf.Flat()),
        ("height", lambda j: 150 + j % 50, sf.Intervals(5, 10, 20)),
        ("Alter", lambda j: 1 + j % 99, sf.Intervals(5, 10, 20, top=90)),
        ("n_children", lambda j: j % 6, sf.Flat()),
    ],
)
def test_what_others_may_know_is_a_quasi_identifier(tmp_path, name, made, rule):
    found = proposed(tmp_path, name, [made(j) for j in range(N)])
    assert found.role is Role.QUASI_IDENTIFIER, found.reason
    assert found.hierarchy.rule == rule
    assert found.hierarchy.example[-1] == "*"


def test_a_text_of_few_people_is_proposed_as_other_and_published_so():
    n = 2000
    cities = [f"City {j % 50}" if j % 10 == 0 else ["Ulm", "Bonn"][j % 2] for j in range(n)]
    cities[:96] = [f"Village {j // 8}" for j in range(96)]  # Flat would name them
    age = [20 + j * 7 % 50 for j in range(n)]
    proposal = sf.propose(pa.table({"age": age, "city": cities}))
    assert proposal.accept().schema.hierarchies["city"] == sf.Categories(min_count=20)
    release = sf.anonymize(proposal.accept(), proposal.criterion, proposal.method)
    assert release.check().holds
    shown = set(release.to_arrow()["city"].to_pylist())
    assert any("other" in text for text in shown)
    assert not [text for text in shown if "Village" in text]


@pytest.mark.parametrize(
    ("name", "made"),
    [
        ("Diagnose", lambda j: ["flu", "HIV", "asthma"][j % 3]),
        ("x", lambda j: f"J{10 + j % 20}.{j % 9}"),
        ("income", lambda j: 20_000 + 37 * (j * j % 997)),
        ("religion", lambda j: "abc"[j % 3]),
    ],
)
def test_what_must_stay_unknown_is_sensitive(tmp_path, name, made):
    found = proposed(tmp_path, name, [made(j) for j in range(N)])
    assert found.role is Role.SENSITIVE, found.reason
    assert found.published


@pytest.mark.parametrize(
    ("made", "role", "about"),
    [
        (lambda j: ["male", "female"][j % 2], Role.QUASI_IDENTIFIER, "sex"),
        (lambda j: ["1. Married", "2. Divorced", "3. ?"][j % 3], Role.QUASI_IDENTIFIER, "family"),
        (lambda j: ["weiblich", "männlich", "divers"][j % 3], Role.QUASI_IDENTIFIER, "sex"),
        (lambda j: ["asthma", "cancer", "flu"][j % 3], Role.SENSITIVE, "health"),
        (lambda j: ["Germany", "France", "Italy"][j % 3], Role.QUASI_IDENTIFIER, "origin"),
        (lambda j: ["Texas", "New York", "Ohio"][j % 3], Role.QUASI_IDENTIFIER, "place"),
        (lambda j: ["Monday", "Friday", "n/a"][j % 3], Role.QUASI_IDENTIFIER, "time"),
        (lambda j: ["clerk", "Manager", "nurse"][j % 3], Role.QUASI_IDENTIFIER, "work"),
        (lambda j: ["catholic", "none", "Muslim"][j % 3], Role.SENSITIVE, "belief"),
        (lambda j: ["red", "green", "male"][j % 3], Role.NONE, ""),
    ],
)
def test_values_may_say_what_a_name_does_not(tmp_path, made, role, about):
    found = proposed(tmp_path, "v17", [made(j) for j in range(N)])
    assert found.role is role
    assert about in found.reason


@pytest.mark.parametrize(
    ("name", "made", "why"),
    [
        (
            "remarks",
            lambda j: f"came in on day {j} with a long story " + "of many words " * 4,
            "free",
        ),
        ("x", lambda _: "same", "the same value for everybody"),
        ("flag", lambda j: j % 2, "do not tell"),
        ("x", lambda j: f"{j * 0.37:.3f}", "do not tell"),
    ],
)
def test_what_nobody_can_tell_is_left_out(tmp_path, name, made, why):
    found = proposed(tmp_path, name, [made(j) for j in range(N)])
    assert found.role is Role.NONE
    assert why in found.reason


def test_what_follows_from_another_column_is_left_out(tmp_path):
    file = tmp_path / "table.csv"
    rows = [f"{j % 40},{(j % 40) ** 2},{j % 7}" for j in range(N)]
    file.write_text("\n".join(["exper,expersq,tenure", *rows]))
    proposal = sf.propose(file)
    assert proposal.quasi_identifiers == ("exper", "tenure")
    assert proposal.columns[1].reason == "says the same as 'exper': left out"


def test_a_year_of_birth_is_kept_rather_than_a_year_that_follows_from_it(tmp_path):
    file = tmp_path / "table.csv"
    rows = [f"{1990 + j % 9},{1970 + j % 9},{j % 7}" for j in range(N)]
    file.write_text("\n".join(["year,birthyear,tenure", *rows]))
    assert sf.propose(file).quasi_identifiers == ("birthyear", "tenure")


def test_a_sensitive_column_that_is_unlike_another_is_not_left_out(tmp_path):
    file = tmp_path / "table.csv"
    file.write_text("\n".join(["age,age_wife", *(f"{j % 40},{j * 3 % 41}" for j in range(N))]))
    assert sf.propose(file).quasi_identifiers == ("age", "age_wife")
