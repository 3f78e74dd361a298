"""Values that nobody would give, for every parameter: accepted, or refused in one line."""

import decimal
import fractions
import inspect
import shutil
from functools import partial

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.data.read_settings import ReadSettings


class EqualsNothing:
    """What cannot even be compared."""

    __hash__ = None

    def __eq__(self, other):
        raise ZeroDivisionError


class OtherText(str):
    """A text of another class."""

    __slots__ = ()


def odd_values():
    """Give all of them, generators fresh."""
    return [
        *(np.array(2), np.array([2]), np.array([]), np.int64(2), np.float32(0.5), np.bool_(True)),
        *(True, float("nan"), float("inf"), -0.0, 1e-320, complex(1, 2), 10**400, -(10**400)),
        *(decimal.Decimal("NaN"), decimal.Decimal("sNaN"), decimal.Decimal("Infinity")),
        *(fractions.Fraction(1, 3), np.datetime64("NaT"), np.ma.masked, pa.scalar(2)),
        *("2", "٢", "2\x1b[31m", "\ud800", "a\0b", OtherText("frequency"), b"2", b"\xff"),
        *(None, Ellipsis, NotImplemented, object(), int, EqualsNothing(), memoryview(b"ab")),
        *([], [2], [[2]], [None], [float("nan")], ["a", "a"], [np.array(2)], [("hiv",)], (), set()),
        *({}, {"a": 1}, {1: {2: {}}}, range(3), iter([1]), (each for each in [1, 2])),
        *(pa.array([1, 2]), [(1,)], [(1, 0, 0, np.array(0.9))], lambda value: value),
    ]


@pytest.fixture
def calls(tmp_path):
    """Functions with arguments that are right."""
    people = pa.table({"age": [1, 1, 1, 2, 2, 2] * 4, "d": list("abcabd") * 4})
    table = sf.read(people, ["age"], "d")
    release = sf.anonymize(table, sf.KAnonymity(3))
    fresh = partial(shutil.rmtree, tmp_path / "series", ignore_errors=True)
    terms = {"place": tmp_path / "series", "quasi_identifiers": ["age"], "sensitive": "d"}
    saved = {"directory": release.save(tmp_path / "saved")}
    levels = tmp_path / "levels.csv"
    levels.write_text("a;*\nb;*\n")
    utility = sf.utility
    measures = [
        *(utility.query_error, utility.information_loss, utility.loss_per_attribute),
        *(utility.precision, utility.entropy, utility.n_groups, utility.discernibility),
        *(utility.average_group_size, utility.kl_divergence),
    ]
    functions = {
        sf.read: {"source": people, "quasi_identifiers": ["age"], "sensitive": "d"},
        ReadSettings: {},
        sf.anonymize: {"table": table, "criterion": sf.KAnonymity(3)},
        sf.check: {"table": table},
        sf.drivers: {"table": table},
        sf.load: saved,
        sf.Recode.load: {},
        sf.Hierarchy.from_csv: {"path": levels},
        sf.ReleaseSeries: {},
        sf.ReleaseSeries.create: terms | {"criterion": sf.KAnonymity(2)},
        sf.attacks.Refusal: {},
        utility.average_class: {"release": release, "k": 2},
        release.save: {"directory": tmp_path / "saved"},  # which is taken
        release.save_recoding: {"path": tmp_path / "saved"},
        **{each: {"release": release} for each in (sf.audit, sf.knowledge_skyline, *measures)},
    }
    return functions, fresh


def test_an_odd_value_is_accepted_or_refused_in_one_line(
    calls, tmp_path, record_property, monkeypatch
):
    monkeypatch.chdir(tmp_path)  # some of the values are names of files
    functions, fresh = calls
    n_tried, raw = 0, []
    for function, right in functions.items():
        for parameter in inspect.signature(function).parameters:
            for value in odd_values():
                fresh()
                n_tried += 1
                try:
                    function(**{**right, parameter: value})
                except sf.SfumatoError as error:
                    if not str(error).isprintable():
                        raw.append((function.__qualname__, parameter, str(error)))
                except Exception as error:
                    raw.append((function.__qualname__, parameter, type(value), repr(error)))
    assert not raw
    record_property("odd values tried", n_tried)


REFUSED = {
    "knowledge_skyline: case must be one of single, set, multiset, got '2'": lambda r: (
        sf.knowledge_skyline(r, case="2")
    ),
    "attribute a ndarray is not sensitive; known are 'd'": lambda r: sf.knowledge_skyline(
        r, attribute=np.array([])
    ),
    "Refusal: prior must be weights by value, got 2": lambda r: sf.attacks.Refusal(prior=2),
    "information_loss: expected a release (sf.load opens a saved one), got str": lambda r: (
        sf.utility.information_loss("x")
    ),
    "query_error: expected a release (sf.load opens a saved one), got str": lambda r: (
        sf.utility.query_error("x")
    ),
    r"save: expected the path of a file, got '\ud800'": lambda r: r.save("\ud800"),
    r"ReleaseSeries: expected the path of a file, got '\ud800'": lambda r: sf.ReleaseSeries(
        "\ud800"
    ),
    "identifiers: expected column names, got 2": lambda r: sf.ReleaseSeries.create(
        "none", ["age"], sf.KAnonymity(2), identifiers=2
    ),
    "sensitive: expected column names, got 2": lambda r: sf.ReleaseSeries.create(
        "none", ["age"], sf.KAnonymity(2), 2
    ),
    "person: expected column names, got a list": lambda r: sf.ReleaseSeries.create(
        "none", ["age"], sf.KAnonymity(2), person=[]
    ),
}


@pytest.mark.parametrize("line", REFUSED)
def test_a_raw_exception_of_once_is_a_line(line):
    table = sf.read(pa.table({"age": [1, 1, 2, 2], "d": list("abab")}), ["age"], "d")
    release = sf.anonymize(table, sf.KAnonymity(2))
    with pytest.raises(sf.BadInput) as caught:
        REFUSED[line](release)
    assert str(caught.value) == line


def test_a_file_may_have_a_line_break_in_its_name(tmp_path):
    path = tmp_path / "a\nb.csv"
    with pytest.raises(sf.BadInput, match="got text; write it to a file first"):
        sf.read(str(path), ["age"])
    with pytest.raises(sf.BadInput, match="got text; write it to a file first"):
        sf.read("age,d\n20,a\n" * 10_000, ["age"])  # longer than any name
    path.write_text("age,d\n20,a\n20,b\n")
    assert sf.read(str(path), ["age"], "d").n_rows == 2
