"""Re-identification against counting: prosecutor, journalist and marketer."""

from fractions import Fraction

import pyarrow as pa
import pytest
from hypothesis import given

import naive.disclosure
import naive.labels
import sfumato as sf
from attacks.generated import PLACES, cases, raw_rows, table_of
from profiles import examples
from sfumato.attacks import CannotRun, Linkage


def above(value, label):
    return value is not None and label == PLACES.get(value)


def number(text):
    return Fraction(str(text))


def person_fits(person, labels):
    place, width = labels
    return naive.labels.fits(person["q0"], place, above, str) and naive.labels.fits(
        person["q1"], width, above, number
    )


def every_link_is_its_twin(case, people):
    groups = case.groups(case.sensitive[0], others=False)
    sizes = [len(values) for values in groups.values()]
    k = max((part.k for part in case.parts if part.k and part.k > 1), default=None)
    bound = Fraction(1) if k is None else Fraction(1, k)
    target = case.target
    external = table_of(people, case.sensitive)
    for model in ("prosecutor", "journalist", "marketer"):
        for given_list in (None, external):
            known = people if given_list else case.raw
            listed = [sum(person_fits(p, labels[:2]) for p in known) for labels in groups]
            attack = Linkage(model, given_list)
            has_list = given_list is not None or target.original is not None
            nobody = has_list and not any(listed)
            if model != "prosecutor" and (nobody or (model == "journalist" and not has_list)):
                with pytest.raises(CannotRun, match=r"^(no|it needs)"):
                    attack.find(target)
                continue
            finding = attack.find(target)
            if model == "prosecutor" or not has_list:
                known, listed = case.published, sizes
            assert finding.before == Fraction(1, len(known))
            if model == "marketer":
                assert finding.found == naive.disclosure.marketer(sizes, listed)
                assert finding.holds == (None if k is None else finding.found <= bound)
                unsafe = finding.holds is False
                assert finding.n_exceeding == (len(case.published) if unsafe else 0)
                continue
            assert finding.promised.value == bound
            assert finding.promised.assumed == (k is None)
            assert finding.found == naive.disclosure.journalist(sizes, listed)
            if model == "prosecutor":
                assert finding.found == naive.disclosure.prosecutor(sizes)
            failing = [
                size
                for size, n in zip(sizes, listed, strict=True)
                if n and max(size, n) < (2 if k is None else k)
            ]
            assert finding.n_exceeding == sum(failing)
            assert finding.holds == (not failing)


@pytest.mark.long
@examples(20)
@given(cases(), raw_rows(("s", "t")))
def test_every_link_is_counted(case, people):
    every_link_is_its_twin(case, people)


@pytest.mark.slow
@examples(300)
@given(cases(), raw_rows(("s", "t")))
def test_every_link_is_counted_at_length(case, people):
    every_link_is_its_twin(case, people)


@pytest.fixture
def three_and_two():
    return sf.read(pa.table({"q": list("aaabb"), "s": list("uvuvu")}), ["q"], "s")


def listed(*values):
    return sf.read(pa.table({"q": list(values)}), ["q"])


def test_one_person_on_the_list_is_still_one_of_three_rows(three_and_two):
    finding = Linkage("journalist", listed("a", "c")).run(three_and_two)
    assert finding.found == Fraction(1, 3)
    assert finding.note == "nobody on the list fits 2 rows"


def test_a_long_list_hides_a_small_group(three_and_two):
    finding = Linkage("journalist", listed(*"aaaabbbbb")).run(three_and_two)
    assert finding.found == Fraction(1, 4)
    assert Linkage("marketer", listed(*"aaaabbbbb")).run(three_and_two).found == (
        (Fraction(3, 4) + Fraction(2, 5)) / 5
    )


def test_the_least_size_is_that_of_every_part_that_promises_one(three_and_two):
    promised = sf.AlphaKAnonymity(1, 3) & sf.PSensitiveKAnonymity(1, 2) & sf.KAnonymity(1)
    report = sf.audit(three_and_two, criterion=promised)
    prosecutor = report.findings[0]
    assert (prosecutor.promised.value, prosecutor.n_exceeding) == (Fraction(1, 3), 2)
    # The two are too few, but nothing that was promised about their values is broken.
    assert all(f.holds is not False for f in report.findings if f.attribute)


def test_the_worst_group_is_named_as_it_is_published(three_and_two):
    assert Linkage().run(three_and_two).worst == {"group": {"q": "b"}, "people who fit": 2}
