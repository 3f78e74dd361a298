"""Nothing to attack is one thing, an attack that could not be run is another."""

import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.attacks.attack import ATTACKS

PEOPLE = pa.table(
    {"age": [20, 21, 22, 23, 24, 25], "s": ["a", "b", "a", "b", "c", "c"], "t": list("uvwuvw")}
)
AGES = {"age": sf.Intervals(2, 4, 8)}
K, L = sf.KAnonymity(2), sf.LDiversity(2)


def made(promise, method, sensitive=("s",)) -> sf.Release:
    return sf.anonymize(sf.read(PEOPLE, AGES, list(sensitive)), promise, method)


@pytest.mark.parametrize(
    "release",
    [
        pytest.param(lambda: made(K, sf.Samarati(), ()), id="no sensitive column"),
        pytest.param(lambda: made(K, sf.Samarati()), id="numbers of people alone"),
        pytest.param(lambda: made(K, sf.Mondrian(), ("s", "t")), id="two sensitive columns"),
        pytest.param(lambda: made(sf.LDiversity(2, "frequency"), sf.Anatomy()), id="two tables"),
    ],
)
def test_where_there_is_nothing_to_attack_nothing_is_left_open(release):
    report = sf.audit(release())
    assert report.not_run
    assert {each.name for each in report.not_run if each.applies} == set()
    assert not any(reason.startswith("could not be run") for reason in report.left_open)


def test_what_would_be_attacked_with_the_original_is_left_open_without(tmp_path):
    release = made(L, sf.Samarati())
    loaded = sf.load(release.save(tmp_path / "out"))
    foreign = sf.read(release.to_arrow(), ["age"], "s")
    for report in (sf.audit(loaded), sf.audit(foreign, criterion=L)):
        open_ = {each.name for each in report.not_run if each.applies}
        assert {"mechanism (s)", "minimality (s)"} <= open_
        assert report.verdict == "undecided"


def test_every_attack_is_asked_about_all_of_this():
    """Each kind runs, or says which of the two it is, on each of these."""
    subjects = [made(K, sf.Samarati(), ()), made(L, sf.Mondrian()), made(L, sf.Anatomy())]
    for subject in subjects:
        target = sf.attacks.Target.of(subject)
        for kind in ATTACKS.values():
            for attack in kind.against(target):
                try:
                    finding = attack.run(target)
                except sf.attacks.DoesNotApply:
                    continue  # any other reason fails the test
                assert finding.knows_method is kind.knows_method
