"""What is different and how often it is there says as much as all rows do, and takes less time."""

import datetime
from contextlib import contextmanager

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import sfumato as sf
from profiles import examples
from sfumato.data.schema import Schema
from sfumato.engines import sql
from sfumato.engines.duckdb import counting
from sfumato.release.files import writing
from sfumato.table import Table

TEXTS = [None, "", "a", "b", "=1+1", "'a", "ä", "01", "x,y", 'q"r', "two\nlines"]
PEOPLE = st.lists(
    st.tuples(st.sampled_from(TEXTS), st.one_of(st.none(), st.integers(-3, 3)), st.integers(8, 20)),
    min_size=1,
    max_size=12,
    unique_by=lambda row: row[:2],
)
SCHEMA = pa.schema({"t": pa.string(), "i": pa.int64()})
METHODS = [sf.Optimal("loss", 0.2), sf.Mondrian(), sf.Samarati(0.2, suppress="cells")]


def frame(people):
    rows = [row[:2] for row in people for _ in range(row[2])]
    return pa.table([pa.array(c) for c in zip(*rows, strict=True)], schema=SCHEMA)


def saved(source, method, place, kind):
    table = sf.read(source, {"t": sf.Flat(), "i": sf.Intervals(2)})
    release = sf.anonymize(table, sf.KAnonymity(5), method)
    release.save(place, format=kind)
    path = place / f"data.{kind}"
    return path.read_bytes() if kind == "csv" else pq.read_table(path).to_pydict()


@contextmanager
def few(times):
    """From how many people alike on combinations count as few."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "OFTEN", times)
        patch.setattr(writing, "OFTEN", times)
        yield


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("method", METHODS, ids=str)
@examples(16)
@given(people=PEOPLE)
def test_a_release_of_combinations_is_that_of_all_rows(tmp_path_factory, people, method, kind):
    place = tmp_path_factory.mktemp("saved")
    source = frame(people)
    if kind == "csv":
        source = place / "source.csv"
        frame(people).to_pandas().to_csv(source, index=False)
    with few(1):
        short = saved(source, method, place / "short", kind)
    with few(10**9):
        assert saved(source, method, place / "long", kind) == short


def test_few_combinations_are_written_from_their_counts_and_many_are_not(tmp_path, monkeypatch):
    written, run = [], counting.Writing

    def writing_of(*arguments):
        written.append(arguments[-1] is not None)
        return run(*arguments)

    monkeypatch.setattr(counting, "Writing", writing_of)
    often, seldom = ([("a", 1, times), ("b", 2, times)] for times in (8, 7))
    for j, people in enumerate((often, seldom)):
        saved(frame(people), sf.Mondrian(), tmp_path / str(j), "csv")
    assert written == [True, False]


@pytest.mark.parametrize("roles", [{"insensitive": ["v"]}, {"sensitive": "v"}])
def test_a_column_that_was_not_counted_is_published_as_everybody_has_it(roles):
    table = sf.read(pa.table({"a": ["x"] * 18, "v": ["b", "a"] * 9}), {"a": sf.Flat()}, **roles)
    release = sf.anonymize(table, sf.KAnonymity(5), sf.Mondrian())
    assert release.to_arrow()["v"].to_pylist() == ["a"] * 9 + ["b"] * 9


@pytest.mark.parametrize("sick", [["flu", "flu", "gout", None], [None, "flu", "flu", "gout"]])
def test_a_join_by_what_was_not_counted_is_one_of_all_rows(sick):
    """Groups follow from the sensitive column, too, which is in the other table."""
    frame = pa.table({"age": [1, 1, 2, 2] * 20, "sick": sick * 20})
    table = sf.read(frame, {"age": sf.Intervals(2)}, sensitive="sick")
    sf.anonymize(table, sf.KAnonymity(5), sf.Samarati()).to_arrow()  # counts ages alone
    promise = sf.KAnonymity(5) & sf.LDiversity(2)
    release = sf.anonymize(table, promise, sf.Mondrian(publish="bucketized"))
    assert sorted(release.to_arrow()["age"].to_pylist()) == [1] * 40 + [2] * 40
    assert release.check().holds


def test_a_file_says_of_no_column_that_nothing_is_missing_there(tmp_path):
    rows = pa.table({"age": [1, 2] * 40, "sex": ["f", "m"] * 40, "name": range(80)})
    pq.write_table(rows, tmp_path / "in.parquet")
    rules = {"age": sf.Intervals(1), "sex": sf.Flat()}
    for j, source in enumerate((rows, tmp_path / "in.parquet")):
        for often in (1, 10**9):
            with few(often):
                table = sf.read(source, rules, insensitive=["name"] if often > 1 else [])
                release = sf.anonymize(table, sf.KAnonymity(5), untouched_identify=True)
                place = release.save(tmp_path / f"out{j}-{often}", format="parquet")
            assert all(field.nullable for field in pq.read_schema(place / "data.parquet"))


@examples(40)
@given(
    rows=st.lists(
        st.tuples(st.sampled_from(TEXTS), st.sampled_from(TEXTS)), min_size=1, max_size=9
    ),
    in_order=st.booleans(),
    times=st.integers(1, 3),
)
@example(rows=[("a", None), ("a", None), ("b", ""), ("a", None)], in_order=False, times=1)
def test_runs_are_in_order_and_counted_as_all_rows_are(
    counted, tmp_path_factory, rows, in_order, times
):
    if in_order:
        rows.sort(key=lambda row: [(text is not None, text or "") for text in row])
    rows = [row for row in rows for _ in range(times)]
    path = tmp_path_factory.mktemp("runs") / "data.csv"
    quoted = [[t if t is None else '"' + t.replace('"', '""') + '"' for t in r] for r in rows]
    lines = ["a,b", *(",".join(t or "" for t in row) for row in quoted)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    at_once, apart = (sf.engines.DuckDB().open_published(path) for _ in range(2))
    kinds = {"a": "text", "b": "text"}
    assert at_once.is_sorted(kinds, few=True) == apart.is_sorted(kinds)
    schema = Schema.of(["a", "b"], ["a", "b"])
    assert counted(Table(at_once, schema)) == counted(Table(apart, schema))
    assert Table(at_once, schema).n_rows == len(rows)


@pytest.mark.parametrize("n", [1, sql.AT_ONCE, sql.AT_ONCE + 1, 3 * sql.AT_ONCE])
def test_a_row_is_repeated_as_often_as_it_stands_for(n):
    parts = f"({sql.in_parts(f'(SELECT 7 AS v, {n}::BIGINT AS n)')})"
    (found,) = duckdb.sql(f"SELECT count(v) FROM {sql.repeated(parts)}").fetchall()
    assert found == (n,)


TYPED = {
    pa.string(): st.sampled_from(TEXTS),
    pa.int16(): st.integers(-2, 2),
    pa.float64(): st.sampled_from([0.0, -0.0, 0.1, float("nan"), float("inf"), -1.5]),
    pa.float32(): st.sampled_from([0.0, 0.5, float("nan")]),
    pa.bool_(): st.booleans(),
    pa.date32(): st.dates(datetime.date(2020, 1, 1), datetime.date(2020, 1, 3)),
    pa.decimal128(38, 2): st.decimals(-1, 1, places=2),
    pa.timestamp("us"): st.datetimes(datetime.datetime(2020, 1, 1), datetime.datetime(2020, 1, 2)),
}


@examples(60)
@given(
    data=st.data(),
    kinds=st.lists(st.sampled_from([*TYPED]), min_size=2, max_size=4),
)
def test_few_combinations_are_coded_here_as_many_are_by_the_engine(data, kinds):
    rows = st.tuples(*[st.one_of(st.none(), TYPED[kind]) for kind in kinds])
    columns = zip(*data.draw(st.lists(rows, min_size=1, max_size=12)), strict=True)
    names = [f"c{j}" for j in range(len(kinds))]
    frame = pa.table([pa.array(c, k) for c, k in zip(columns, kinds, strict=True)], names)
    found = []
    for most in (counting.FEW_AT_HAND, 0):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(counting, "FEW_AT_HAND", most)
            table = sf.read(frame, names[:-1], sensitive=names[-1])
            by_and_by = table.combinations()  # then the last column is read as well
            found += [(by_and_by, table.frequencies())]
    for here, there in zip(*found, strict=True):
        labels = [{n: d.labels for n, d in each.domains.items()} for each in (here, there)]
        assert labels[0] == labels[1]
        assert (here.keys == there.keys).all()
        assert (here.counts == there.counts).all()
