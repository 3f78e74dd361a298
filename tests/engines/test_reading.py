"""What is declared about a file is what it is read by; all else is refused, or as it stands."""

import contextlib
import gzip
import stat
import subprocess
import sys
from collections import Counter
from decimal import Decimal

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sfumato as sf
from naive import reading as naive
from odd_files import every
from sfumato.data.read_settings import ReadSettings
from sfumato.engines import DuckDB
from sfumato.engines.guess import guess
from sfumato.engines.text_copy import copy_text
from sfumato.files.private_directory import spill_parent


def read(path, **settings):
    """Column -> texts, in any order."""
    source = DuckDB().open(path, ReadSettings.of(settings))
    return source.to_batches(source.columns).read_all().to_pydict()


def refusal(path, **settings):
    with pytest.raises(sf.BadInput) as caught:
        DuckDB().open(path, ReadSettings.of(settings)).to_batches(()).read_all()
    assert "\n" not in str(caught.value)
    return caught.value


def write(place, data, name="table.csv"):
    path = place / name
    path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return path


def one_column(place, values, name="table.csv"):
    """A file with a number of each row beside a value; None: an empty field."""
    path = place / name
    rows = [f"{j},{'' if v is None else chr(34) + v + chr(34)}\n" for j, v in enumerate(values)]
    path.write_text("j,v\n" + "".join(rows), encoding="utf-8")
    return path


def in_order(found):
    pairs = sorted(zip(map(int, found["j"]), found["v"], strict=True))
    return [value for _, value in pairs]


# ------------------------------------------------------------------------- values, beside a twin

digits = st.text("0123456789", min_size=1, max_size=5)
numbers = st.one_of(
    st.builds(lambda w, p: f"{w},{p}", digits, digits),
    st.builds(lambda s, w: s + w, st.sampled_from(["", "-", "+"]), digits),
    st.builds(
        lambda n, p: f"{n:,}".replace(",", ".") + p,
        st.integers(0, 10**7),
        st.sampled_from(["", ",5", ",07"]),
    ),
)
texts = st.one_of(
    st.none(), numbers, st.sampled_from(["1.5", "a", "1,", ",5", "1.23", "12.34.567", "-", "٣,٥"])
)


@given(
    values=st.lists(texts, min_size=1, max_size=8),
    decimal=st.sampled_from(",."),
    mark=st.sampled_from([None, ".", ",", "'"]),
)
def test_numbers_are_those_of_the_twin(tmp_path_factory, values, decimal, mark):
    if mark == decimal:
        mark = None
    settings = {"decimal": decimal, "thousands": mark}
    path = one_column(tmp_path_factory.mktemp("n"), values)
    expected = naive.column(values, decimal, mark)
    if expected == "refused":
        assert "column 'v'" in str(refusal(path, **settings))
        return
    found = in_order(read(path, **settings))
    if any(isinstance(v, Decimal) for v in expected):
        found = [None if v is None else Decimal(v) for v in found]
    assert found == expected


FORMATS = ["DD.MM.YYYY", "D.M.YYYY", "MM/DD/YYYY", "M/D/YYYY", "YYYY-MM-DD"]
days = st.builds(
    lambda y, m, d, how: how.format(y=y, m=m, d=d),
    st.integers(1900, 2030),
    st.integers(1, 13),
    st.integers(1, 31),
    st.sampled_from(
        [
            "{d:02}.{m:02}.{y}",
            "{d}.{m}.{y}",
            "{m:02}/{d:02}/{y}",
            "{m}/{d}/{y}",
            "{y}-{m:02}-{d:02}",
        ]
    ),
)


@given(values=st.lists(st.none() | days, min_size=1, max_size=5), written=st.sampled_from(FORMATS))
def test_dates_are_those_of_the_twin(tmp_path_factory, values, written):
    path = one_column(tmp_path_factory.mktemp("d"), values)
    expected = [None if v is None else naive.day(v, written) for v in values]
    if any(e is None and v is not None for e, v in zip(expected, values, strict=True)):
        error = refusal(path, dates={"v": written})
        assert f"not dates as {written}" in str(error)
        assert set(error.values) <= set(values)
    else:
        assert in_order(read(path, dates={"v": written})) == expected


@given(
    values=st.lists(st.none() | st.text(" \t\u00a0-9kA.", max_size=5), min_size=1, max_size=8),
    codes=st.lists(st.sampled_from(["-9", "-99", "k.A.", "-"]), max_size=2),
    trim=st.booleans(),
)
def test_codes_and_blanks_are_those_of_the_twin(tmp_path_factory, values, codes, trim):
    path = one_column(tmp_path_factory.mktemp("m"), values)
    settings = {"missing": {"v": codes}, "trim": trim}
    expected = [naive.present(v, codes, trim=trim) for v in values]
    assert in_order(read(path, **settings)) == expected
    counts = DuckDB().open(path, ReadSettings.of(settings)).read_counts(["v"])
    trimmed = [naive.present(v, trim=trim) for v in values]
    assert counts.missing.get("v", 0) == sum(v is not None and v in codes for v in trimmed)
    distinct = [len({v for v in each if v is not None}) for each in (values, trimmed)]
    assert counts.trimmed.get("v", 0) == distinct[0] - distinct[1]


ODD = list(every())
PIECES = [b"", b'"', b"\n", b"\r", b"\0", b"\xff", b";", b",", b"9"]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_a_damaged_file_is_read_or_refused_in_one_line(tmp_path, data):
    odd = data.draw(st.sampled_from(ODD))
    found = bytearray(odd.data)
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(found) - 1))
        piece = data.draw(
            st.sampled_from([b"", b'"', b"\n", b"\r", b"\0", b"\xff", b";", b",", b"9"])
        )
        found[place : place + data.draw(st.integers(0, 3))] = piece
    path = write(tmp_path, bytes(found), f"damaged{odd.suffix}")
    for declared in (guess(write(tmp_path, odd.data, f"whole{odd.suffix}")), None):
        try:
            chosen = (guess(path) if declared is None else declared).settings
            source = DuckDB().open(path, chosen)
            source.read_counts(source.columns)
            source.to_batches(()).read_all()
        except sf.BadInput as error:
            assert str(error).isprintable()  # noqa: PT017  (either way is right)
            assert "Köln" not in str(error)  # noqa: PT017


def test_a_guess_survives_whatever_stands_in_a_file(tmp_path):
    for j, data in enumerate(
        (
            b"\0",
            b"a",
            b"a,b",
            b'"',
            b"\xff\xfe",
            b"a\n" * 3,
            b";;;\n;;;\n",
            b"\x81\x8d",
            b"a,b\n1," + b"x" * 200_000,
            "a\ud800,b".encode("utf-16", "surrogatepass"),
        )
    ):
        path = write(tmp_path, data, f"{j}.csv")
        with contextlib.suppress(sf.BadInput):
            DuckDB().open(path, guess(path).settings)


# ----------------------------------------------------------------------------- copies of files

ROWS = "".join(f"{j},Gießen\n" for j in range(50_000))


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-16", "utf-16-le", "utf-16-be", "windows-1252", "latin-1"]
)
def test_a_copy_is_the_text_of_the_file(tmp_path, encoding):
    text = f"first\nsecond\na,b\n{ROWS}total\n\n  \nnote"
    for packed in (False, True):
        data = text.encode(encoding)
        path = write(tmp_path, gzip.compress(data) if packed else data)
        target = tmp_path / f"copy{packed}"
        skipped = copy_text(path, ReadSettings(encoding=encoding, skip_rows=2, skip_end=2), target)
        assert (skipped.n_start, skipped.n_end) == (2, 2)
        assert target.read_bytes() == f"a,b\n{ROWS}".encode()
        assert stat.S_IMODE(target.stat().st_mode) == 0o600


def test_a_copy_is_private_and_goes_with_the_source(tmp_path):
    path = write(tmp_path, gzip.compress(f"a,b\n{ROWS}".encode()))
    before = set(spill_parent().rglob("copy-*"))
    source = DuckDB().open(path)
    (copy,) = set(spill_parent().rglob("copy-*")) - before
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert stat.S_IMODE(copy.parent.stat().st_mode) == 0o700
    del source
    assert not copy.exists()


def test_a_source_that_changes_after_it_was_copied_is_refused(tmp_path):
    path = write(tmp_path, gzip.compress(b"age,sex\n" + b"30,m\n" * 20))
    table = sf.read(path, ["age"])
    path.write_bytes(gzip.compress(b"age,sex\n" + b"31,m\n" * 20))
    with pytest.raises(sf.BadInput, match="the file has changed since it was opened"):
        table.frequencies()


@pytest.mark.long
def test_a_disk_without_room_for_a_copy_is_named(tmp_path, monkeypatch):
    path = write(tmp_path, b"\n".join([b"a,b"] + [b"1,\xe9"] * 10))
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    script = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (4, 4))\n"
        "import signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "import sfumato as sf\n"
        "try: sf.read(sys.argv[1], ['a'], encoding='latin-1')\n"
        "except sf.BadInput as error: print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, path], capture_output=True, text=True, check=False
    )
    assert "cannot keep temporary files" in done.stdout, done.stderr


@pytest.mark.long
def test_a_large_file_streams_through_little_memory(tmp_path):
    path = tmp_path / "large.csv.gz"
    with gzip.open(path, "wb", compresslevel=1) as file:
        file.write("Bericht\nage;income;stadt\n".encode("cp1252"))
        rows = "".join(f"{j % 80};{j % 7000},{j % 10};Köln\n" for j in range(100_000)).encode(
            "cp1252"
        )
        for _ in range(20):
            file.write(rows)
        file.write(b"Summe;1,0;\n")
    script = (
        "import resource, sys, sfumato as sf\n"
        "from sfumato.engines.text_copy import copy_text\n"
        "from sfumato.data.read_settings import ReadSettings\n"
        "from pathlib import Path\n"
        "before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "settings = ReadSettings(encoding='windows-1252', skip_rows=1, skip_end=1)\n"
        "copy_text(Path(sys.argv[1]), settings, Path(sys.argv[2]))\n"
        "after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "print((after - before) // 1024)\n"
    )
    copy = tmp_path / "copy"
    done = subprocess.run(
        [sys.executable, "-c", script, path, copy], capture_output=True, text=True, check=True
    )
    assert copy.stat().st_size > 30_000_000
    assert int(done.stdout) < 20  # megabytes
    table = sf.read(
        path, ["age", "income"], encoding="windows-1252", skip_rows=1, skip_end=1, decimal=","
    )
    assert table.n_rows == 2_000_000


# ------------------------------------------------------------------------------- several files


def test_several_files_are_one_table_whatever_the_order_of_their_columns(tmp_path):
    one = write(tmp_path, "age,sex\n1,m\n2,f\n", "one.csv")
    two = write(tmp_path, gzip.compress(b"sex;age\nf;3\n"), "two[1]*.csv.gz")
    found = read([one, two])
    assert Counter(zip(found["age"], found["sex"], strict=True)) == Counter(
        {("1", "m"): 1, ("2", "f"): 1, ("3", "f"): 1}
    )
    assert sf.read([one, two], ["age"]).n_rows == 3


@pytest.mark.parametrize(
    ("second", "difference"),
    [
        ("age,zip\n3,1\n", "no column 'sex', but 'zip', unlike"),
        ("age\n3\n", "no column 'sex', unlike"),
        ("age,sex,zip\n3,m,1\n", "a column 'zip' that is not in"),
    ],
)
def test_files_with_other_columns_are_refused_by_the_difference(tmp_path, second, difference):
    one = write(tmp_path, "age,sex\n1,m\n2,f\n", "one.csv")
    two = write(tmp_path, second, "two.csv")
    assert f"{two}: {difference} {one}" in str(refusal([one, two]))


def test_of_several_files_the_wrong_one_is_named_with_its_line(tmp_path):
    one = write(tmp_path, "x\nage,sex\n1,m\n", "one.csv")
    two = write(tmp_path, "x\nage,sex\n1,m\n1,m,2\n3,f\n", "two.csv")
    assert str(refusal([one, two], skip_rows=1)).startswith(f"{two}, line 4: 3 fields where")


def test_a_file_is_not_read_twice(tmp_path):
    one = write(tmp_path, "age,sex\n1,m\n", "one.csv")
    assert "named twice" in str(refusal([one, tmp_path / "." / "one.csv"]))


def test_parquet_files_of_other_types_are_refused(tmp_path):
    pd.DataFrame({"age": [1]}).to_parquet(tmp_path / "one.parquet")
    pd.DataFrame({"age": ["1"]}).to_parquet(tmp_path / "two.parquet")
    said = str(refusal([tmp_path / "one.parquet", tmp_path / "two.parquet"]))
    assert "column 'age' has the type" in said
    pd.DataFrame({"age": [2]}).to_parquet(tmp_path / "two.parquet")
    assert sorted(read([tmp_path / "one.parquet", tmp_path / "two.parquet"])["age"]) == [1, 2]


# ------------------------------------------------------------------------------------ refusals

LATIN = "stadt;n\n" + "Köln;1\n" * 9


@pytest.mark.parametrize(
    ("data", "settings", "said"),
    [
        (
            LATIN.encode("cp1252"),
            {},
            'line 2: not UTF-8 text; it reads as Windows-1252: add encoding = "windows-1252"',
        ),
        (
            LATIN.encode("utf-16"),
            {},
            'line 1: not UTF-8 text; it reads as UTF-16: add encoding = "utf-16"',
        ),
        (LATIN.encode("utf-16-le"), {"encoding": "utf-16"}, 'add encoding = "utf-16-le"'),
        (LATIN.encode("utf-8-sig"), {"encoding": "latin-1"}, "is that of UTF-8; take encoding"),
        (
            b"a;b\n1;\x81\n",
            {"encoding": "windows-1252"},
            'line 2: not Windows-1252 text; it reads as Latin-1: add encoding = "latin-1"',
        ),
        (LATIN, {"encoding": "windows-1252"}, 'would read as others: add encoding = "utf-8"'),
        (LATIN.encode("utf-16")[:-1], {"encoding": "utf-16"}, "not UTF-16 text"),
        ("Titel\n\na,b,c\n" + "1,2,3\n" * 9, {}, "add skip_rows = 2"),
        ("a,b,c\n" + "1,2,3\n" * 9 + "Total,9\n", {}, "add skip_end = 1"),
        ("a,b,c\n" + "1,2,3\n" * 9 + "Total,9\nx\n", {"skip_end": 1}, "add skip_end = 2"),
        ("a,b,a\n1,2,3\n", {}, 'rename one, or add names = "number"'),
        (",b,a\n1,2,3\n", {}, 'rename it, or add names = "number"'),
        ("a,b\n1,2\n", {"skip_end": 9}, "skip_end: the file has fewer lines than that"),
        ("a,b\n1,2\n", {"skip_rows": 9}, "skip_rows: the file has fewer lines than that"),
        ("a,b\n1,2\n", {"dates": {"c": "DD.MM.YYYY"}}, "dates: unknown column 'c'"),
        ("a,b\n1,2\n", {"missing": {"c": ["1"]}}, "missing: unknown column 'c'"),
        ("a;b\n1,5;2\n2,5;2\nx;2\n", {"decimal": ","}, "1 value is not numbers as decimal = ','"),
        (
            "a;b\n04.07.1994;2\n13.07.1994;2\n",
            {"dates": {"a": "MM.DD.YYYY"}},
            "all of them read as DD.MM.YYYY",
        ),
    ],
)
def test_a_refusal_names_the_setting_that_mends_it(tmp_path, data, settings, said):
    path = write(tmp_path, data)
    if "skip_rows = 2" in said:  # it is not before a column is asked for that something is wrong
        with pytest.raises(sf.BadInput) as caught:
            sf.read(path, ["b"])
        assert said in str(caught.value)
        return
    assert said in str(refusal(path, **settings))


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"encoding": "ebcdic"}, "read: encoding must be one of utf-8, utf-16"),
        ({"delimiter": "ab"}, "read: delimiter must be one character"),
        ({"quote": "x"}, "read: quote must be one character"),
        ({"decimal": ";"}, "read: decimal must be '.' or ','"),
        (
            {"thousands": "."},
            "thousands: must be another mark than the decimal one, got '.'; add decimal = \",\"",
        ),
        ({"dates": {"a": "DD.MM.YY"}}, "dates.a: date format 'DD.MM.YY'"),
        ({"dates": "DD.MM.YYYY"}, "read: dates must be formats by column"),
        ({"missing": [1.5]}, "read: missing must be a list of codes"),
        ({"skip_rows": -1}, "read: skip_rows must be an integer >= 0"),
        ({"trim": "yes"}, "read: trim must be true or false"),
        ({"names": "drop"}, "read: names must be one of refuse, number"),
        ({"encodin": "utf-8"}, "read: unknown setting 'encodin'; did you mean 'encoding'?"),
    ],
)
def test_a_setting_that_cannot_be_is_refused(tmp_path, settings, said):
    with pytest.raises(sf.BadInput) as caught:
        sf.read(write(tmp_path, "a,b\n1,2\n"), ["a"], **settings)
    assert said in str(caught.value)


def test_what_is_about_text_files_is_refused_for_frames(tmp_path):
    frame = pd.DataFrame({"age": [1, 2]})
    assert "encoding: says how a text file is read" in str(refusal(frame, encoding="latin-1"))
    frame.to_parquet(tmp_path / "a.parquet")
    assert "skip_end: says how a text file is read" in str(
        refusal(tmp_path / "a.parquet", skip_end=1)
    )


def test_codes_names_and_blanks_are_read_in_frames_too():
    frame = pd.DataFrame([[1, -99.0, " a"], [2, 5.5, "-99"]], columns=["n", "n", "t"])
    found = read(frame, missing=[-99], trim=True, names="number")
    assert sorted(zip(found["n"], found["n_2"], found["t"], strict=True)) == [
        (1, None, "a"),
        (2, 5.5, None),
    ]


def test_flat_columns_that_look_like_numbers_or_dates_are_named(tmp_path):
    rows = "".join(f"{j % 4},5;0{j % 4 + 1}.07.1994;{j % 2};a{j % 3}\n" for j in range(40))
    path = write(tmp_path, f"pay;born;n;text\n{rows}")
    check = sf.check(sf.read(path, ["pay", "born", "n"], "text"))
    said = dict(check.reading.lines)["read as text"]
    assert said == (
        'pay (numbers with decimal commas: decimal = ","), '
        'born (dates: dates = { born = "DD.MM.YYYY" })'
    )
    assert said in repr(check)
    declared = {"decimal": ",", "dates": {"born": "DD.MM.YYYY"}}
    assert "read as text" not in dict(sf.read(path, ["pay", "born"], **declared).read_counts.lines)
    ruled = sf.read(path, {"born": sf.Dates("DD.MM.YYYY")})
    assert "read as text" not in dict(ruled.read_counts.lines)


def test_numbers_without_a_mark_stay_as_they_are(tmp_path):
    path = write(tmp_path, "zip;income;n\n01234;1,5;007\n04321;2,0;1.50\n")
    assert read(path, decimal=",") == {
        "zip": ["01234", "04321"],
        "income": ["1.5", "2.0"],
        "n": ["007", "1.50"],
    }


def test_very_long_numbers_keep_their_digits(tmp_path):
    path = write(tmp_path, "n;w\n12345678901234567,25;1.234.567.890.123.456.789.012\n1,5;1\n")
    found = read(path, decimal=",", thousands=".")
    assert sorted(found["n"]) == ["1.5", "12345678901234567.25"]
    assert sorted(found["w"]) == ["1", "1234567890123456789012"]
