"""Values and people spelled in other ways: no promise may come to rest on that.

A clean table is spelled anew at random, value by value. It is refused, or nothing was promised
about these values; merged it is the clean table; and a person who comes back is known.
"""

import random
import unicodedata
from collections import Counter

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from naive.spellings import same

TRIED = "look-alike tables tried"
PEOPLE_TRIED = "look-alike people tried"
DISEASES = ["HIV", "Crohn's disease", "type 2 diabetes", "Sjögren", "42", "-0.5", "Straße 3"]
UNSEEN = [
    "\u200b",
    "\u00ad",
    "\ufeff",
    "\u2060",
    "\u200e",
    "\ufe0f",
    "\u034f",
    "\x07",
    "\U000e0020",
    "\ue000",
    "\U00100000",
    "\ufdd0",
    "\U0002ffff",
    "\ufffc",
    "\u0336",
    "\u20dd",
]
BLANKS = [" ", "  ", "\t", "\u00a0", "\u2003", "\u3000", "\r\n", "\u2800"]


def insert(text, piece, draw):
    at = draw.randint(0, len(text))
    return text[:at] + piece + text[at:]


def full_width(text, _):
    return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)


def numbered(text, draw):
    if not text.lstrip("-").replace(".", "").isdigit():
        return text
    more = "0" if "." in text else ".0"
    return draw.choice([text + more, text + more + "0", f"{text}e0"])


CHANGES = [
    lambda text, _: text.upper(),
    lambda text, _: text.lower(),
    lambda text, _: text.swapcase(),
    lambda text, _: unicodedata.normalize("NFD", text),
    full_width,
    numbered,
    lambda text, draw: insert(text, draw.choice(UNSEEN), draw),
    lambda text, draw: draw.choice(BLANKS) + text,
    lambda text, draw: text + draw.choice(BLANKS),
    lambda text, draw: text.replace(" ", draw.choice(BLANKS)),
    lambda text, _: text.replace("'", "\u2019").replace("-", "\u2212"),
    lambda text, draw: text.replace("'", draw.choice("`\u00b4\uff40\u2032")),
]


def spelled(text, draw):
    """Give a text that only looks different, or the same one."""
    for change in draw.sample(CHANGES, draw.randint(1, 3)):
        if (
            "e0" in text and change is not CHANGES[0]
        ):  # what is behind an exponent is another number
            continue
        text = change(text, draw)
    return text


def promises():
    yield sf.LDiversity(2)
    yield sf.LDiversity(2, kind="entropy")
    yield sf.LDiversity("3/2", kind="frequency")
    yield sf.RecursiveDiversity(5, 2)
    yield sf.TCloseness("9/10")
    yield sf.BetaLikeness(9)
    yield sf.AlphaKAnonymity("9/10", 2)


def given_as(kind, columns, place):
    table = pa.table(columns)
    if kind == "frame":
        return table
    path = place / f"t.{kind}"
    if kind == "parquet":
        pq.write_table(table, path)
        return path
    lines = [
        ",".join('"' + str(v).replace('"', '""') + '"' for v in row)
        for row in zip(*columns.values(), strict=True)
    ]
    path.write_bytes("\n".join([",".join(columns), *lines, ""]).encode())
    return path


@pytest.mark.parametrize("n", [6, pytest.param(400, marks=pytest.mark.slow)])
def test_no_promise_rests_on_another_spelling(n, tmp_path, record_property):
    draw = random.Random(17)
    for turn in range(n):
        kind = ["csv", "parquet", "frame"][turn % 3]
        clean = [draw.choice(DISEASES) for _ in range(24)]
        anew = [spelled(value, draw) if draw.random() < 0.3 else value for value in clean]
        assert all(same(a, b) for a, b in zip(clean, anew, strict=True))
        columns = {"age": [str(30 + j % 3) for j in range(24)], "disease": anew}
        several = any(
            len({b for a, b in zip(clean, anew, strict=True) if a == value}) > 1 for value in clean
        )
        promise = list(promises())[turn % 7]

        def read(alike=None, columns=columns, kind=kind):
            source = given_as(kind, columns, tmp_path)
            return sf.read(source, {"age": sf.Flat()}, "disease", alike=alike)

        check = sf.check(read(), promise)
        if several:
            assert not check.holds
            with pytest.raises(sf.BadInput, match="rest on values that only look different"):
                sf.anonymize(read(), promise, sf.Mondrian())
        merged = read("merge").frequencies()
        counts = Counter()
        for age, disease, people in zip(
            merged.codes("age"), merged.codes("disease"), merged.counts, strict=True
        ):
            label = merged.domains["disease"].labels[disease]
            (value,) = [value for value in DISEASES if same(value, label)]
            counts[merged.domains["age"].labels[age], value] += int(people)
        assert counts == Counter(zip(columns["age"], clean, strict=True))
        assert len(merged.domains["disease"]) == len(set(clean))
        record = sf.check(read("merge"), promise)
        truth = sf.check(read(columns=columns | {"disease": clean}), promise)
        assert [m.found for m in record.measured] == [m.found for m in truth.measured]
        assert record.holds == truth.holds
    record_property(TRIED, n)


@pytest.mark.parametrize("n", [3, pytest.param(60, marks=pytest.mark.slow)])
def test_a_person_of_a_series_is_known_in_every_spelling(n, tmp_path, record_property):
    draw = random.Random(18)
    people = [f"{value} {j}" for j, value in enumerate(DISEASES)] + ["7", "8.5", "x"]

    def batch(ids):
        return pa.table({"id": ids, "sex": ["f"] * len(ids)})

    series = sf.ReleaseSeries.create(tmp_path / "s", ["sex"], sf.KAnonymity(2), person="id")
    series.publish(batch(people))
    for turn in range(n):
        again = [spelled(name, draw) for name in draw.sample(people, 3)]
        with pytest.raises(sf.BadInput, match="3 rows are about people who are in the series"):
            series.publish(batch([*again, f"new {turn}", f"newer {turn}"]))
        one = draw.choice(people)
        others = {one, spelled(one, draw), spelled(one, draw)}
        if len(others) > 1:
            with pytest.raises(sf.BadInput, match="repeat"):
                series.publish(batch([*others, f"new {turn}"]))
    record_property(PEOPLE_TRIED, 5 * n)
