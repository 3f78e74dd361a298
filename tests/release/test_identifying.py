"""Sensitive columns that say who people are, and those that are only measured."""

import json
import random
from fractions import Fraction

import pyarrow as pa
import pytest

import sfumato as sf
from descriptions import rewrite
from naive.groups import rows_by_group
from sfumato.attacks import UntouchedLinkage
from sfumato.release.columns.telling import telling_columns

N = 300


def clinic(extra, n=N):
    rng = random.Random(7)
    columns = {
        "age": [rng.randrange(20, 80) for _ in range(n)],
        "disease": [rng.choice(["flu", "cold", "gout", "HIV"]) for _ in range(n)],
        "extra": [extra(j, rng) for j in range(n)],
    }
    return sf.read(pa.table(columns), {"age": sf.Intervals(5, 10, 20)}, ["disease", "extra"])


def mail(j, rng):
    return f"p{j}@example.org"


def phone_of_two(j, rng):
    return f"0171 {1000 + j // 2}"


def code_of_some(j, rng):
    return f"K{j}" if j % 5 < 2 else None


def code_or_none(j, rng):
    return f"K{j}" if j % 5 < 2 else "none"


def phone_number(j, rng):
    return 491710000000 + j * 7919


def insured(j, rng):
    return f"{100000000 + j * 99991}"


def serial_number(j, rng):
    return 1000 + j


def serial_of_some(j, rng):
    return j if j % 5 < 2 else -1 if j % 5 == 2 else None


def serial_text(j, rng):
    return f"{j}" if j else "unknown"


def note(j, rng):
    return f"was seen {j} times by a doctor"


SAYING = [mail, phone_of_two, code_of_some, code_or_none, phone_number, insured]
SAYING += [serial_number, serial_text, note]


def salary(j, rng):
    return rng.randrange(20_000, 90_000)


def salary_in_cents(j, rng):
    return round(rng.lognormvariate(10, 1), 2)


def salary_text(j, rng):
    return f"{rng.randrange(20_000, 900_000)}" if j % 100 else rng.choice(["n/a", "refused"])


def salary_of_all_sizes(j, rng):
    return rng.randrange(10**9)


def laboratory(j, rng):
    return rng.gauss(0, 1)


def admitted(j, rng):
    return f"20{rng.randrange(10, 26)}-{rng.randrange(1, 13):02d}-{rng.randrange(1, 29):02d}"


def diagnosis(j, rng):
    return f"ICD {int(rng.paretovariate(0.7))}"  # many are rare


def place(j, rng):
    return f"place {rng.randrange(75)}"  # of four people each, on average


MEASURED = [salary, salary_in_cents, salary_text, salary_of_all_sizes, laboratory]
MEASURED += [admitted, diagnosis, place]


@pytest.mark.parametrize("extra", SAYING)
def test_a_sensitive_column_that_says_who_people_are_is_refused_and_attacked(tmp_path, extra):
    table = clinic(extra)
    assert telling_columns(table) == {"extra": ()}
    assert "sensitive, known to others: extra tells who people are" in repr(sf.check(table))
    with pytest.raises(sf.BadInput, match=r"^sensitive: extra tells who people are.* instead of 5"):
        sf.anonymize(table, sf.KAnonymity(5))
    release = sf.anonymize(table, sf.KAnonymity(5), untouched_identify=True)
    saved = release.save(tmp_path / "out")
    written = json.loads((saved / "release.json").read_text())
    assert (written["telling"], written["untouched_identify"]) == ({"extra": []}, True)
    rows = sf.load(saved).to_arrow().to_pylist()
    sizes = [len(group) for group in rows_by_group(rows, ["age", "extra"]).values()]
    for each in (release, sf.load(saved)):
        finding = UntouchedLinkage().run(each)
        assert finding.found == Fraction(1, min(sizes))
        assert finding.n_exceeding == sum(size for size in sizes if size < 5)
        assert "extra tells who people are" in str(each.summary())


@pytest.mark.parametrize("extra", MEASURED)
def test_what_is_measured_of_people_does_not_say_who_they_are(extra):
    table = clinic(extra)
    assert telling_columns(table) == {}
    assert not sf.anonymize(table, sf.KAnonymity(5)).untouched.telling


def test_an_audit_fails_and_says_by_what():
    release = sf.anonymize(clinic(mail), sf.KAnonymity(5), untouched_identify=True)
    report = sf.audit(release)
    assert report.verdict == "failed"
    assert "extra says who people are" in report.to_html()


def test_one_promised_person_is_as_good_as_two():
    """Whose address is known is not looked for among several."""
    with pytest.raises(sf.BadInput, match="who people are"):
        sf.anonymize(clinic(mail), sf.LDiversity(2, attribute="disease"))


def test_a_few_different_values_say_nothing():
    assert telling_columns(clinic(mail, 29)) == {}
    assert telling_columns(clinic(mail, 30)) == {"extra": ()}


def test_silence_of_a_third_party_is_seen_in_its_rows(tmp_path):
    """Nobody needs the original for that."""
    release = sf.anonymize(clinic(mail), sf.KAnonymity(5), untouched_identify=True)
    saved = release.save(tmp_path / "out")
    written = json.loads((saved / "release.json").read_text())
    rewrite(saved, {k: v for k, v in written.items() if k not in ("telling", "untouched_identify")})
    found = sf.load(saved)
    assert found.untouched.telling == {"extra": ()}
    assert UntouchedLinkage().run(found).n_exceeding == N
    assert sf.audit(found).verdict == "failed"


def test_two_tables_tell_who_knows_an_address_the_disease_beside_it():
    with pytest.raises(sf.BadInput, match=r"^sensitive: extra tells who people are"):
        sf.anonymize(clinic(mail), sf.LDiversity(3, attribute="disease"), sf.Anatomy())


def test_bundled_tables_have_no_such_column():
    adult = sf.read(sf.datasets.adult(), ["age"])
    others = [name for name in adult.schema.columns if name != "age"]
    assert not telling_columns(sf.read(sf.datasets.adult(), ["age"], others[:6]))
