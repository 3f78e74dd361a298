"""Canaries in every column that must not sing: no byte that leaves holds a person's own value.

Every cell of the planted table is marked: a text, a number of twelve digits, a day, a time that
nobody else has. So the extremes of every column are marked too. Everything that leaves is searched:
saved files and what they decode to, JSON, messages, tracebacks, logs, reprs, and what a killed
process leaves behind.
"""

import csv
import datetime
import hashlib
import io
import json
import logging
import os
import pickle
import random
import re
import stat
import struct
import subprocess
import sys
import traceback
import warnings
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import sfumato as sf
from sfumato.cli.app import app
from sfumato.files.failpoints import VARIABLE
from sfumato.progress import listening as progress_listening
from sfumato.release.files.saved import PACKAGE

N = 240
START = 5  # bytes: no canary is shorter
LETTERS = "BCDFGHJKLMNPQRSTVWXZ"


class Planted:
    """A table in which every cell is one person's own, and one person is to be suppressed."""

    def __init__(self, seed: int) -> None:
        self._draw = random.Random(seed)
        self.canaries: set[str] = set()  # must not be heard anywhere
        self.listed: set[str] = set()  # stand in a list of the steward's: a region may name them
        self.numbers: set[int] = set()
        days = self._draw.sample(range(0, 37 * N, 37), N)  # weeks apart, so that bounds have room
        born = [datetime.date(1931, 1, 3) + datetime.timedelta(days) for days in days]
        born = [day.replace(day=max(day.day, 2)) for day in born]  # the first is everybody's grid
        seen = [
            datetime.datetime(2031, 1, 1, 0, 0, 7) + datetime.timedelta(seconds=4001 * j)
            for j in self._draw.sample(range(N), N)
        ]
        codes = self._texts("CODE", N)
        wings = [f"wing {'ABCDEF'[j % 6]}" for j in range(N - 1)] + ["wing Z"]
        self.hierarchy = [(c, wing, "*") for c, wing in zip(codes, wings, strict=True)]
        lone = self._text("PLACE")
        self.tree = {"north": ["Aa", "Bb"], "south": ["Cc", "Dd"], "far": [lone, "Ee"]}
        places = [("Aa", "Bb", "Cc", "Dd")[j % 4] for j in range(N - 1)]
        self.columns = {
            "name": self._texts("CANARY", N),  # identifier
            "ssn": self._twelve_digits(),  # identifier
            "who": self._texts("WHO", N),  # tells people apart
            "ward": self._texts("WARD", N),  # no role
            "phone": self._twelve_digits(),  # no role
            "job": self._texts("JOB", N),  # open text
            "income": self._twelve_digits(),  # open numbers
            "weight": self._decimals(),  # open numbers with decimals
            "zip": self._zips(),  # prefixes
            "born": born,  # days
            "seen": seen,  # times
            "code": codes,  # a table of levels
            "place": [*places, lone],  # a tree with a leaf that only the last person is in
            "disease": [("flu", "asthma", "none")[j % 3] for j in range(N - 1)]
            + [self._text("DISEASE")],
            "note": ["ok"] * (N - 1) + [self._text("NOTE")],  # insensitive
            "kind": ["a", "b"] * (N // 2 - 1) + ["a", self._text("KIND")],  # in a dictionary
        }
        self.controls = self._text("CONTROLS")  # stated in the job file, for the steward alone
        self.meanings = {n: self._text("MEANS") for n in ("name", "ssn", "who", "ward", "phone")}
        self.canaries |= {str(day) for day in born} | {str(time) for time in seen}
        self.listed = set(codes) | {lone}
        table = pa.table(self.columns)
        kinds = table["kind"].dictionary_encode()
        self.table = table.set_column(table.schema.get_field_index("kind"), "kind", kinds)
        self.without_last = self.table.slice(0, N - 1)

    def _text(self, mark: str) -> str:
        text = f"{mark}{self._draw.getrandbits(48):012x}"
        self.canaries.add(text)
        return text

    def _texts(self, mark: str, n: int) -> list[str]:
        return [self._text(mark) for _ in range(n)]

    def _twelve_digits(self) -> list[int]:
        found = [self._draw.randrange(10**11, 10**12) for _ in range(N)]
        self.canaries |= set(map(str, found))
        self.numbers |= set(found)
        return found

    def _decimals(self) -> list[float]:
        found = [self._draw.randrange(10**10, 10**12) * 2 / 10**7 + 1e-7 for _ in range(N)]
        found = [round(each, 7) for each in found]
        self.canaries |= set(map(str, found))
        return found

    def _zips(self) -> list[str]:
        found = [f"{j % 7}{''.join(self._draw.choices(LETTERS, k=4))}" for j in range(N - 1)]
        found.append("X" + "".join(self._draw.choices(LETTERS, k=4)))
        self.canaries |= set(found)
        return found

    def csv(self, path: Path) -> Path:
        """Write the table as a CSV file."""
        with path.open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(self.columns)
            writer.writerows(zip(*self.columns.values(), strict=True))
        return path


@pytest.fixture(scope="module")
def planted() -> Planted:
    return Planted(20261115)


class Ear:
    """Hears a canary in bytes, in text, and in numbers as machines write them."""

    def __init__(self, planted: Planted, *, listed: bool = True) -> None:
        texts = planted.canaries if listed else planted.canaries - planted.listed
        self.patterns = [text.encode() for text in sorted(texts)]
        self.patterns += [struct.pack("<q", number) for number in sorted(planted.numbers)]
        self._by_start: dict[bytes, list[bytes]] = {}
        for pattern in self.patterns:
            self._by_start.setdefault(pattern[:START], []).append(pattern)
        self.n_places = self.n_bytes = 0

    def heard(self, place: object) -> list[bytes]:
        data = place if isinstance(place, bytes) else str(place).encode(errors="replace")
        self.n_places += 1
        self.n_bytes += len(data)
        starts = {data[j : j + START] for j in range(len(data))} & self._by_start.keys()
        return [each for start in starts for each in self._by_start[start] if each in data]

    def quiet(self, name: str, place: object) -> None:
        assert self.heard(place) == [], name


@contextmanager
def listening(planted, record_property, *, listed=True):
    """Listen for canaries, and say at the end how much was searched."""
    ear = Ear(planted, listed=listed)
    yield ear
    record_property("canaries planted", len(ear.patterns))
    record_property("places searched for canaries", ear.n_places)
    record_property("bytes searched for canaries", ear.n_bytes)


# --------------------------------------------------------------------------------------- releases

CRITERION = sf.KAnonymity(4) & sf.LDiversity(2)


def read(planted, source, *, last, **changed):
    """Open the planted table with a rule of every kind; levels are tried on fewer columns."""
    rules = {
        "job": sf.Flat(),
        "income": sf.Intervals(10**11),
        "zip": sf.Prefix(),
        "born": sf.Dates(),
        "place": sf.Tree(planted.tree),
        "code": sf.Hierarchy.from_spec({"level_table": planted.hierarchy}, "code"),
    }
    if not last:
        rules |= {"weight": sf.Flat(), "seen": sf.Dates()}
    describe = {"job": "what people work as", "disease": "main diagnosis"}
    describe |= planted.meanings  # of columns that are dropped, so that these must not be heard
    roles = {
        "quasi_identifiers": rules,
        "sensitive": "disease",
        "describe": describe,
        "identifiers": ["name", "ssn"],
        "insensitive": ["note", "kind"],
        "person": "who",
    }
    return sf.read(source, **(roles | changed))


REGIONS = {
    "strict": sf.Mondrian(),
    "relaxed": sf.Mondrian(strict=False),
    "cuts": sf.Mondrian(bounds="cuts"),
    "tight": sf.Mondrian(bounds="tight"),
    "relaxed tight": sf.Mondrian(strict=False, bounds="tight"),
    "relaxed cuts": sf.Mondrian(strict=False, bounds="cuts"),
    "widest": sf.Mondrian(dimensions="widest"),
    "top down": sf.TopDown(),
    "top down, cut": sf.TopDown("cut"),
}
LEVELS = {
    "Samarati": sf.Samarati(1),
    "Samarati, most groups": sf.Samarati(1, prefer="distribution"),
    "Incognito": sf.Incognito(1),
    "Exhaustive": sf.Exhaustive(1),
    "Optimal": sf.Optimal("loss", 1),
    "Optimal, discernibility": sf.Optimal("discernibility", 1),
}
SAVED = ["Recode from levels", "Recode from boxes"]


@pytest.fixture(scope="module")
def made(planted, tmp_path_factory):
    """Releases by every method, made when first asked for."""
    releases: dict[str, sf.Release] = {}
    place = tmp_path_factory.mktemp("recodings")

    def make(name: str) -> sf.Release:
        if name in REGIONS:  # nobody is suppressed, so the last person's disease would be told
            table = read(planted, planted.without_last, last=False)
            return sf.anonymize(table, CRITERION, REGIONS[name], untouched_identify=True)
        if name in LEVELS:
            table = read(planted, planted.table, last=True)
            return sf.anonymize(table, CRITERION, LEVELS[name], untouched_identify=True)
        first = "Samarati" if name == "Recode from levels" else "strict"
        path = place / f"{first}.json"
        if not path.exists():
            releases[first].save_recoding(path)
        recode = replace(sf.Recode.load(path), max_suppressed=0.9)
        rows = planted.table if first == "Samarati" else planted.without_last.slice(30)
        table = read(planted, rows, last=first == "Samarati")
        return sf.anonymize(table, CRITERION, recode, untouched_identify=True)

    def get(name: str) -> sf.Release:
        needed = {"Recode from levels": "Samarati", "Recode from boxes": "strict"}.get(name)
        for each in (needed, name):
            if each is not None and each not in releases:
                releases[each] = make(each)
        return releases[name]

    return get


def decoded(path: Path):
    """Everything a Parquet file says that its bytes do not show as they are."""
    file = pq.ParquetFile(path)
    yield "schema", f"{file.schema} {file.schema_arrow} {file.metadata.metadata}"
    for g in range(file.metadata.num_row_groups):
        group = file.metadata.row_group(g)
        for c in range(group.num_columns):
            column = group.column(c)
            found = column.statistics
            yield f"statistics of {column.path_in_schema}", str(column)
            if found is not None and found.has_min_max:
                yield f"extremes of {column.path_in_schema}", f"{found.min} {found.max}"
    table = pq.read_table(path)
    texts = [f.name for f in table.schema if pa.types.is_string(f.type)]
    for name in texts:
        for chunk in pq.read_table(path, read_dictionary=[name])[name].chunks:
            yield f"dictionary of {name}", chunk.dictionary.to_pylist()
    for name in table.column_names:
        yield f"column {name}", table[name].to_pylist()


def searched(ear: Ear, directory: Path) -> None:
    """Search every file of a release."""
    for path in sorted(directory.iterdir()):
        ear.quiet(path.name, path.read_bytes())
        for name, place in decoded(path) if path.suffix == ".parquet" else ():
            ear.quiet(f"{path.name}: {name}", place)


FIRST = {"strict", "Samarati", "Recode from levels"}  # of each kind
FORMATS = [
    *((name, "csv") for name in (*REGIONS, *LEVELS, *SAVED)),
    *(
        pytest.param(name, "parquet", marks=[] if name in FIRST else pytest.mark.slow)
        for name in (*REGIONS, *LEVELS, *SAVED)
    ),
]


@pytest.mark.every
@pytest.mark.parametrize(("name", "kind"), FORMATS)
def test_no_byte_of_a_saved_release_holds_a_canary(
    planted, made, tmp_path, name, kind, record_property
):
    release = made(name)
    suppressed = name in LEVELS or name == "Recode from levels"
    assert release.n_suppressed == 1 if suppressed else release.n_rows > 50
    with listening(planted, record_property, listed=suppressed) as ear:
        place = release.save(tmp_path / "out", format=kind)
        searched(ear, place)
        assert {*PACKAGE} < {path.name for path in place.iterdir()}
        assert "what people work as" in (place / "codebook.html").read_text()
        loaded = sf.load(place)
        for each in (release, loaded):
            rows, summary, check = each.to_arrow(), each.summary(), each.check()
            ear.quiet("arrow", rows.to_pylist())
            ear.quiet("arrow schema", f"{rows.schema} {rows.schema.metadata}")
            ear.quiet("summary", summary)
            ear.quiet("summary in JSON", json.dumps(summary.to_json()))
            ear.quiet("check", check)
            ear.quiet("check in JSON", json.dumps(check.to_json()))
            ear.quiet("groups", each.groups)
            ear.quiet("description", json.dumps(each.description.to_json()))
            for shown in (each, each.description, each.method, each.criterion, each.grouping):
                ear.quiet("repr", f"{shown!r} {shown!s}")
        ear.quiet("pandas", loaded.to_pandas().to_dict())
        ear.quiet("polars", loaded.to_polars().to_dicts())
        ear.quiet("a pickle of what was loaded", pickle.dumps(loaded))
        shown = [
            release.private,
            release.recoding,
            release.table,
            release.table.domains,
            release.table.frequencies(),
            release.table.frequencies().as_it_is(),
        ]
        for each in shown:
            ear.quiet(f"repr of {type(each).__name__}", f"{each!r} {each!s}")
        if release.recoding.has_one_box_each:
            try:
                path = release.save_recoding(tmp_path / "recoding.json")
            except sf.BadInput as error:  # its boxes overlap
                ear.quiet("what is said of the recoding", error)
            else:
                assert stat.S_IMODE(path.stat().st_mode) == 0o600
                ear.quiet("the recoding", path.read_bytes())
                ear.quiet("the recoding, loaded", repr(sf.Recode.load(path)))


def test_the_hierarchies_of_a_release_list_no_value_of_an_open_column(planted, made):
    for name in [*REGIONS, *LEVELS]:
        hierarchies = made(name).description.to_json()["hierarchies"]
        assert hierarchies["job"] == {"flat": True}
        assert hierarchies["income"] == {"intervals": [10**11]}
        assert hierarchies["zip"] == {"prefix": True}
        assert hierarchies["born"] == {"dates": True}
        for closed in ("place", "code"):
            assert list(hierarchies[closed]) == ["paths"]


@pytest.mark.parametrize("name", REGIONS)
def test_the_bounds_of_regions_are_on_the_grid_and_nobodys_own(planted, made, name):
    rows = made(name).to_arrow()
    shown = 0
    for column in ("job", "income", "weight", "zip", "born", "seen"):
        own = set(map(str, planted.columns[column]))
        for label in set(rows[column].to_pylist()):
            ends = re.fullmatch(r"\[(.+), (.+)\)|<(.+)|>=(.+)", label)
            bounds = [end for end in ends.groups() if end] if ends else []
            assert not own & {label, *bounds}
            shown += len(bounds)
    assert shown > 10  # there were bounds to look at


def test_the_search_can_fail(planted, tmp_path):
    """A column let through by mistake is heard in every form; so is a value shown on purpose."""
    ear = Ear(planted)
    for kind in ("csv", "parquet"):
        table = read(
            planted,
            planted.without_last,
            last=False,
            identifiers=[],
            insensitive=["name", "ssn", "kind"],
        )
        place = sf.anonymize(table, CRITERION, sf.Mondrian(), untouched_identify=True).save(
            tmp_path / kind, format=kind
        )
        # Values that are one person's each are not listed; the meanings of published columns and
        # the extremes of numbers are.
        told = {planted.meanings[name].encode() for name in ("name", "ssn")}
        numbers = planted.columns["ssn"][: N - 1]
        told |= {str(extreme).encode() for extreme in (min(numbers), max(numbers))}
        for file in PACKAGE[:2]:
            found = ear.heard((place / file).read_bytes())
            assert told <= {*found}
            assert not any(each.startswith(b"CANARY") for each in found)
        if kind == "csv":
            assert len(ear.heard((place / "data.csv").read_bytes())) >= 2 * (N - 1)
        else:
            found = {name: ear.heard(text) for name, text in decoded(place / "data.parquet")}
            assert len(found["column name"]) == len(found["column ssn"]) == N - 1
            assert len(found["extremes of name"]) == len(found["extremes of ssn"]) == 2
            assert len(found["dictionary of name"]) == N - 1
    raw = tmp_path / "raw.parquet"
    pq.write_table(planted.table, raw, compression="none", use_dictionary=False)
    assert len(ear.heard(raw.read_bytes())) > 8 * N  # texts and machine numbers as they are


# ----------------------------------------------------------------------------------- order of rows


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("name", ["strict", "relaxed", "tight", "Samarati", "Optimal"])
def test_the_order_of_rows_says_nothing(planted, made, tmp_path, name, kind):
    release = made(name)
    assert not release.recoding.splits
    rows = planted.without_last if name in REGIONS else planted.table
    order = random.Random(7).sample(range(len(rows)), len(rows))
    table = read(planted, rows.take(order), last=name not in REGIONS)
    other = sf.anonymize(table, CRITERION, release.method, untouched_identify=True)
    places = [release.save(tmp_path / "a", kind), other.save(tmp_path / "b", kind)]
    for file in (f"data.{kind}", "release.json", *PACKAGE):
        first, second = (place / file for place in places)
        assert first.read_bytes() == second.read_bytes(), file


# ------------------------------------------------------------------------------------ private parts


def test_a_release_with_its_private_part_is_not_pickled_or_copied(planted, made):
    import copy

    release = made("Samarati")
    for carry in (pickle.dumps, copy.deepcopy):
        with pytest.raises(TypeError, match="neither pickled nor copied"):
            carry(release)
        with pytest.raises(TypeError):
            carry(release.table)


# ------------------------------------------------------------------------------------ Python errors


def broken_files(planted, place):
    """CSV files that cannot be read, each with a canary in the line that is wrong."""
    whole = planted.csv(place / "people.csv").read_text()
    header, first, second, *_ = whole.splitlines()
    canary = planted.columns["name"][0]
    files = {
        "ragged": f"{header}\n{first}\n{second},{canary}\n",
        "short": f"{header}\n{canary},{canary}\n",
        "open quote": f'{header}\n{first}\n"{second}\n',
        "stray quote": f'{header}\n"{canary}"x{second}\n',
        "no names": f"{first}\n{second}\n",
        "no names, two alike": f"{first},{first.split(',')[0]}\n{second},{canary}\n",
    }
    for name, text in files.items():
        (place / f"{name}.csv").write_text(text)
    (place / "latin.csv").write_bytes(f"{header}\n{canary}\xe9{second}\n".encode("latin-1"))
    (place / "cut.parquet").write_bytes(b"PAR1" + whole.encode())
    return [*(f"{name}.csv" for name in files), "latin.csv", "cut.parquet"]


def wrong_uses(planted, place):
    """Everything that goes wrong while data is at hand: what to call, by name."""
    table, frame = planted.table, planted.table.to_pandas()
    columns = planted.columns
    uses = {
        f"{file}": lambda file=file: sf.read(place / file, ["zip"], "disease").frequencies()
        for file in broken_files(planted, place)
    }
    rules = {
        "numbers": {"job": sf.Intervals(5)},
        "dates": {"name": sf.Dates()},
        "not listed": {"ward": sf.Tree(["a", "b"])},
        "not in the table": {"ward": sf.Hierarchy.from_spec({"level_table": [["a", "*"]]}, "ward")},
    }
    uses |= {
        name: lambda rule=rule: sf.read(table, rule).frequencies() for name, rule in rules.items()
    }
    long = pa.table({"essay": [each * 20 for each in columns["name"]]})
    uses["too long"] = lambda: sf.read(long, {"essay": sf.Prefix()}).frequencies()
    mixed = pd.DataFrame({"x": [columns["name"][0], columns["ssn"][0], None, 1.5]})
    uses["mixed types"] = lambda: sf.read(mixed, ["x"]).frequencies()
    nested = pa.table({"x": [[each] for each in columns["name"]]})
    uses["lists"] = lambda: sf.read(nested, ["x"]).frequencies()
    uses["repeated person"] = lambda: sf.read(table, ["zip"], person="place").frequencies()

    def stream():
        yield table.to_batches()[0]
        raise ValueError(columns["name"][0])

    reader = pa.RecordBatchReader.from_batches(table.schema, stream())
    uses["broken stream"] = lambda: sf.read(reader, ["zip"]).frequencies()

    opened = read(planted, table, last=True)
    uses |= {
        "too few": lambda: sf.anonymize(opened, sf.KAnonymity(N + 1)),
        "too few for levels": lambda: sf.anonymize(opened, sf.KAnonymity(N + 1), sf.Samarati()),
        "no numbers": lambda: sf.anonymize(opened, sf.KEAnonymity(2, 1), sf.Mondrian()),
        "no node": lambda: sf.anonymize(opened, sf.PersonalizedPrivacy(2, "ward"), sf.Mondrian()),
        "no guard": lambda: sf.anonymize(opened, sf.PersonalizedPrivacy(2, "name"), sf.Mondrian()),
        "no tree": lambda: sf.anonymize(opened, sf.TCloseness(0.1, "hierarchical"), sf.Mondrian()),
        "no such value": lambda: sf.check(opened, sf.LDiversity(2, "frequency", ["influenza"])),
        "recode": lambda: sf.anonymize(opened, sf.KAnonymity(2), sf.Recode(levels={"zip": 1})),
        "merge": lambda: opened.frequencies().merge(
            read(planted, table.slice(1), last=True).frequencies()
        ),
        "twice in a tree": lambda: sf.Tree(columns["job"] + columns["job"][:1]),
        "twice in a table": lambda: sf.Hierarchy.from_spec(
            {"level_table": [*planted.hierarchy, planted.hierarchy[0]]}, "code"
        ),
        "not nested": lambda: sf.read(
            table,
            {
                "code": sf.Hierarchy.from_spec(
                    {
                        "level_table": [
                            (c, w, str(j % 5), "*") for j, (c, w, _) in enumerate(planted.hierarchy)
                        ]
                    },
                    "code",
                )
            },
        ).frequencies(),
    }
    # A parameter that is a frame, or a column of one, by mistake.
    for data in (frame, frame["name"], pl.from_pandas(frame)["name"], table["name"], table):
        kind = type(data).__name__
        uses |= {
            f"identifiers: {kind}": lambda d=data: sf.read(table, ["zip"], identifiers=d),
            f"quasi-identifiers: {kind}": lambda d=data: sf.read(table, d),
            f"hierarchy: {kind}": lambda d=data: sf.read(table, {"zip": d}),
            f"criterion: {kind}": lambda d=data: sf.anonymize(opened, d, sf.Mondrian()),
            f"method: {kind}": lambda d=data: sf.anonymize(opened, sf.KAnonymity(2), d),
            f"table: {kind}": lambda d=data: sf.anonymize(d, sf.KAnonymity(2)),
            f"k: {kind}": lambda d=data: sf.KAnonymity(d),
            f"l: {kind}": lambda d=data: sf.LDiversity(d),
            f"t: {kind}": lambda d=data: sf.TCloseness(d),
            f"values: {kind}": lambda d=data: sf.LDiversity(2, "frequency", values=d),
            f"and: {kind}": lambda d=data: sf.KAnonymity(2) & d,
            f"tree: {kind}": lambda d=data: sf.Tree({"a": d}),
            f"width: {kind}": lambda d=data: sf.Intervals(d),
            f"limit: {kind}": lambda d=data: sf.Samarati(d),
            f"metric: {kind}": lambda d=data: sf.Optimal(d),
        }
    return uses


def test_no_exception_and_no_traceback_holds_a_canary(planted, tmp_path, record_property):
    with listening(planted, record_property) as ear:
        uses = wrong_uses(planted, tmp_path)
        for name, use in uses.items():
            error = None
            try:
                use()
            except (sf.SfumatoError, TypeError, ValueError) as caught:
                error = caught
            assert error is not None, f"{name}: not refused"
            ear.quiet(name, f"{error} {error!r}")
            ear.quiet(f"traceback of {name}", "".join(traceback.format_exception(error)))
            while error is not None:  # what Python or a notebook would print before it
                ear.quiet(f"before {name}", f"{error} {error!r}")
                error = error.__cause__ or (
                    None if error.__suppress_context__ else error.__context__
                )
    record_property("wrong uses of the library searched", len(uses))


# ------------------------------------------------------------------------------------ command line

JOB = """
source = "people.csv"
output = "out"
[columns]
identifiers = ["name", "ssn"]
sensitive = ["disease"]
person = "who"
[columns.quasi_identifiers]
zip = { prefix = true }
born = { dates = true }
income = { intervals = [100000000000] }
job = { flat = true }
code = { csv = "code.csv" }
[context]
recipient = "the university"
controls = "HOW IT IS GUARDED"
[[criteria]]
k_anonymity = { k = 4 }
[[criteria]]
l_diversity = { l = 2 }
[method]
samarati = { max_suppressed = 1 }
"""


def jobs(planted):
    """Job files by name: what is replaced in the good one, and the exit code."""
    rules = "[columns.quasi_identifiers]"
    return {
        "good": ("", "", 0),
        "parquet": ("[columns]", 'format = "parquet"\n[columns]', 0),
        "regions": ("samarati = { max_suppressed = 1 }", "mondrian = {}", None),  # never written
        "interval": ("zip = { prefix = true }", "zip = { intervals = [5] }", 2),
        "dates": ("job = { flat = true }", "job = { dates = true }", 2),
        "tree": (rules, f'{rules}\nward = {{ tree = ["a", "b"] }}', 2),
        "table": ('"code.csv"', '"twice.csv"', 2),
        "short table": ('"code.csv"', '"short.csv"', 2),
        "ragged table": ('"code.csv"', '"ragged.csv"', 2),
        "unnested table": ('"code.csv"', '"unnested.csv"', 2),
        "person": ('person = "who"', 'person = "place"', 2),
        "unknown": ('identifiers = ["name", "ssn"]', 'identifiers = ["nmae"]', 2),
        "k": ("k = 4", f"k = {N + 1}", 3),
        "values": ("l = 2", 'l = 2, kind = "frequency", values = ["fluu"]', 2),
        "recode": ("samarati = { max_suppressed = 1 }", 'recode = { file = "people.csv" }', 2),
        "source": ('"people.csv"', '"ragged people.csv"', 2),
        "no names": ('"people.csv"', '"no names.csv"', 2),
        "not a job": (JOB, ",".join(planted.columns["name"]), 2),
    }


def commands(planted):
    """Command lines, and how they end."""
    good = {
        ("anonymize", "good.toml", "--dry-run"): 5,
        ("anonymize", "good.toml", "--dry-run", "--json"): 5,
        **{
            ("anonymize", f"{name}.toml", "--no-audit", "--json"): code
            for name, (*_, code) in jobs(planted).items()
            if code is not None
        },
        ("anonymize", "good.toml"): 2,
        ("anonymize", "regions.toml", "--dry-run"): 1,
        ("anonymize", "k.toml"): 3,
        ("anonymize", "people.csv"): 2,
        ("check", "good"): 0,
        ("check", "good", "--json"): 0,
        ("check", "good", "-k", "200"): 1,
        ("check", "good.toml"): 1,
        ("check", "good.toml", "--json"): 1,
        ("check", "good", "--safe-harbor"): 1,
        ("check", "good.toml", "--safe-harbor", "--json"): 1,
        ("check", "people.csv", "--safe-harbor"): 1,
    }
    raw = ("check", "people.csv", "-q", "zip,born,income,job,seen,weight", "-s", "disease,place")
    return good | {
        raw: 0,
        (*raw, "--json"): 0,
        (*raw, "-k", "5"): 1,
        (*raw, "-l", "2", "--kind", "entropy", "--json"): 1,
        (*raw, "-l", "x"): 2,
        (*raw, "-k", "x"): 2,
        (*raw, "--verbose"): 2,
        ("check", "people.csv"): 0,
        ("check", "people.csv", "--json"): 0,
        ("check", "people.csv", "-k", "5"): 2,
        ("check", "no names.csv"): 2,
        ("check", "no names, two alike.csv"): 2,
        ("check", "latin.csv"): 0,
        ("check", "ragged people.csv"): 0,
        ("init", "people.csv", "-o", "init.job"): 0,
        ("init", "people.csv", "-o", "init.job", "--json"): 2,
        ("init", "people.csv", "-o", "init2.job", "--json"): 0,
        ("init", "no names.csv", "-o", "init3.job"): 2,
        ("init", "latin.csv", "-o", "init4.job"): 0,
        ("check", "people.csv", "-q", "wart"): 2,
        ("check", "people.csv", "-q", "x"): 2,
        ("check", "no names.csv", "-q", "age"): 2,
        ("check", "no names, two alike.csv", "-q", "age"): 2,
        ("check", "latin.csv", "-q", "zip"): 2,
        ("check", "open quote.csv", "-q", "zip"): 2,
        ("check", "ragged people.csv", "-q", "zip", "--json"): 2,
        ("check", "nowhere.csv", "-q", "zip"): 2,
        ("--help",): 0,
        ("check", "--help"): 0,
        ("anonymize", "--help"): 0,
        ("--version",): 0,
        ("anonymise",): 2,
    }


@pytest.fixture
def workplace(planted, tmp_path, monkeypatch) -> Path:
    """A directory with the table, its hierarchy, broken ones, and all job files."""
    broken_files(planted, tmp_path)
    (tmp_path / "ragged.csv").rename(tmp_path / "ragged people.csv")
    lines = [";".join(row) for row in planted.hierarchy]
    unnested = [f"{code};{wing};{j % 5};*" for j, (code, wing, _) in enumerate(planted.hierarchy)]
    tables = {
        "code": lines,
        "twice": [*lines, lines[0]],
        "short": lines[1:],
        "ragged": [*lines, planted.hierarchy[0][0]],
        "unnested": unnested,
    }
    for name, written in tables.items():
        (tmp_path / f"{name}.csv").write_text("\n".join(written) + "\n")
    for name, (old, new, _) in jobs(planted).items():
        assert old in JOB
        text = JOB.replace(old, new) if old else JOB
        text = text.replace("HOW IT IS GUARDED", planted.controls)
        (tmp_path / f"{name}.toml").write_text(text.replace('"out"', f'"{name}"'))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_nothing_that_the_command_line_says_holds_a_canary(planted, workplace, record_property):
    with listening(planted, record_property) as ear:
        tried = commands(planted)
        for arguments, code in tried.items():
            result = CliRunner().invoke(app, arguments)
            said = result.stdout + result.stderr
            assert result.exit_code == code, (arguments, said)
            ear.quiet(" ".join(arguments), said)
        for name in ("good", "parquet"):
            searched(ear, workplace / name)
        reports = {"page": [], "private": ["--steward"]}
        for place, options in reports.items():
            audit = ["audit", "good.toml", "--report", place, *options]
            assert CliRunner().invoke(app, audit).exit_code == 5
        searched(ear, workplace / "page")
        source = hashlib.sha256((workplace / "people.csv").read_bytes()).hexdigest().encode()
        for path in (*(workplace / "page").iterdir(), *(workplace / "good").iterdir()):
            for private in (source, b"good.toml", b"people.csv"):
                assert private not in path.read_bytes()
        for path in (workplace / "private").iterdir():  # on purpose
            assert planted.controls.encode() in ear.heard(path.read_bytes())
            assert source in path.read_bytes()
        shown = CliRunner().invoke(app, ["anonymize", "interval.toml", "--show-values"])
        assert ear.heard(shown.stderr)  # on purpose, so the search can fail
    record_property("command lines searched", len(tried))


def test_an_internal_error_says_one_line_and_no_value(planted, workplace, monkeypatch):
    from sfumato.release import release as module

    def fail(*_):
        raise RuntimeError(planted.columns["name"][0])

    monkeypatch.setattr(module.Description, "of", fail)
    result = CliRunner().invoke(app, ["anonymize", "good.toml"])
    assert result.exit_code == 4
    assert result.stderr.count("\n") == 1
    assert Ear(planted).heard(result.stdout + result.stderr) == []


# ----------------------------------------------------------------------------------- logs, warnings


def test_logs_warnings_and_progress_hold_no_canary(planted, tmp_path, record_property, capfd):
    written, stages = io.StringIO(), []
    handler = logging.StreamHandler(written)
    root = logging.getLogger()
    before = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        with (
            warnings.catch_warnings(record=True) as warned,
            progress_listening(lambda *event: stages.append(event)),
        ):
            warnings.simplefilter("always")
            for j, method in enumerate((sf.Mondrian(strict=False), sf.Optimal("loss", 1))):
                last = j == 1
                source = planted.table if last else planted.without_last
                table = read(planted, source.to_reader(), last=last)
                release = sf.anonymize(table, CRITERION, method, untouched_identify=True)
                sf.load(release.save(tmp_path / str(j), format="csv")).check()
    finally:
        root.removeHandler(handler)
        root.setLevel(before)
    printed = capfd.readouterr()
    with listening(planted, record_property) as ear:
        ear.quiet("logs", written.getvalue())
        ear.quiet("warnings", [str(each.message) for each in warned])
        ear.quiet("progress", stages)
        ear.quiet("printed", printed.out + printed.err)
    assert len(stages) > 5


# ------------------------------------------------------------------------------ what a crash leaves

SAVE = """
import json, sys
import pyarrow.parquet as pq
import sfumato as sf
table = sf.read(
    pq.ParquetFile(sys.argv[1]).read().to_reader(),  # a stream: it goes to disk
    {"zip": sf.Prefix(), "income": sf.Intervals(10**11), "place": sf.Flat()},
    sensitive="disease",
    identifiers=["name", "ssn"],
    insensitive=["note"],
)
release = sf.anonymize(table, sf.KAnonymity(4), sf.Samarati(1), untouched_identify=True)
assert release.n_suppressed == 1
release.save(sys.argv[2], format=sys.argv[3])
"""


@pytest.mark.every
@pytest.mark.parametrize(
    ("failpoint", "kind"), [("save.applied", "csv"), ("save.described", "parquet"), (None, "csv")]
)
def test_what_a_killed_save_leaves_is_the_release_alone_or_private(
    planted, tmp_path, failpoint, kind, record_property
):
    source, out = tmp_path / "people.parquet", tmp_path / "out"
    homes = {name: tmp_path / name.lower() for name in ("TMPDIR", "HOME")}
    for home in homes.values():
        home.mkdir(mode=0o755)
    pq.write_table(planted.table, source)
    environment = {**os.environ, **{name: str(home) for name, home in homes.items()}}
    killed = environment | ({VARIABLE: failpoint} if failpoint else {})
    command = [sys.executable, "-c", SAVE, str(source), str(out / "q1"), kind]
    old = os.umask(0)  # whatever is private has to see to it itself
    try:
        done = subprocess.run(command, env=killed, capture_output=True, check=False, cwd=tmp_path)
        assert done.returncode == (-9 if failpoint else 0), done.stderr
        spill = homes["TMPDIR"] / f"sfumato-{os.getuid()}"
        with listening(planted, record_property) as ear:
            ear.quiet("what it said", done.stdout + done.stderr)
            assert stat.S_IMODE(spill.stat().st_mode) == 0o700  # nobody else gets in
            staged = list(out.glob(".sfumato-*"))
            assert len(staged) == len(list(spill.iterdir())) == bool(failpoint)
            for directory in (*staged, *spill.iterdir()):
                assert stat.S_IMODE(directory.stat().st_mode) == 0o700
            assert (out / "q1").exists() == (not failpoint)
            for place in staged or [out / "q1"]:
                searched(ear, place)
            private = {source, *(p for p in spill.rglob("*"))}
            others = [p for p in tmp_path.rglob("*") if p.is_file() and p not in private]
            for path in others:
                ear.quiet(str(path), path.read_bytes())
            assert list(homes["HOME"].iterdir()) == []
        if failpoint:
            again = subprocess.run(command, env=environment, check=False, cwd=tmp_path)
            assert again.returncode == 0
            assert list(spill.iterdir()) == []  # the next start has swept
            assert [path.name for path in out.iterdir()] == ["q1"]
    finally:
        os.umask(old)
