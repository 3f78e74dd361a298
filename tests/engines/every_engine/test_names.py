"""A column may have any name: quotes, dots, blanks, letters of any script, and words of SQL."""

import pyarrow as pa
import pytest

import sfumato as sf

NAMES = [
    *(
        'a"b',
        "it's",
        "a b",
        " a",
        "a,b",
        "a;b",
        "a\tb",
        "a.b",
        "a`b",
        "é",
        "日本",
        "%s",
        "{}",
        "$1",
    ),
    *("k0", "g", "v0", "v1", "n", "s", "c0", "m0_", "l0", "label", "place", "range", "which"),
    *("select", "from", "order", "rowid", "null", "true", "*", "1", "-1", "a=1", "(x)", "a\\b"),
    *("x" * 63, "Über", "e\u0301", "file", "row", "t", "batch", "fetched"),
]
LONG = "n" * 500


def table_of(names):
    return pa.table({name: [f"in {j}", f"in {j}", None] for j, name in enumerate(names)})


def test_columns_of_any_name_are_counted(read, counted):
    table = read(table_of(NAMES), quasi_identifiers=NAMES)
    assert table.source.columns == tuple(NAMES)
    row = tuple(f"in {j}" for j in range(len(NAMES)))
    assert counted(table) == {row: 2, (None,) * len(NAMES): 1}


@pytest.mark.not_on(postgres="has names of 63 bytes at the most")
def test_a_very_long_name_and_one_of_two_lines(read, counted):
    table = read(table_of([LONG, "age\nin years"]), quasi_identifiers=[LONG, "age\nin years"])
    assert counted(table) == {("in 0", "in 1"): 2, (None, None): 1}


@pytest.mark.long
@pytest.mark.parametrize(
    ("method", "kind"),
    [(sf.Mondrian(strict=False), "parquet"), (sf.Samarati(), "csv")],
    ids=["join", "look-up"],
)
def test_columns_of_any_name_are_published(released, method, kind):
    names = NAMES[:14] + NAMES[-9:]
    rows = pa.table({name: [f"{name}{j % 2}" for j in range(8)] for name in names})
    roles = {"quasi_identifiers": names[:4], "sensitive": names[4], "insensitive": names[5:]}
    published = released(rows, sf.KAnonymity(2), method, kind, **roles)
    assert published["data"].column_names == names


@pytest.mark.parametrize(("first", "second"), [("Age", "age"), ("Straße", "STRASSE"), ("é", "É")])
def test_names_that_differ_in_case_alone_are_refused(read, first, second):
    rows = pa.table([pa.array(["1"]), pa.array(["2"])], names=[first, second])
    with pytest.raises(sf.BadInput, match="columns 1 and 2 have the same name"):
        read(rows, quasi_identifiers=[first])


def test_a_name_that_is_not_there_is_said_with_the_nearest(read):
    with pytest.raises(sf.BadInput, match="diseas") as refused:
        read(pa.table({"disease": ["flu"]}), quasi_identifiers=["diseas"])
    assert "disease" in str(refused.value)
