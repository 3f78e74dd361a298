"""Every engine, with a place where it reads: a test gives an Arrow table and expects one outcome.

The embedded engine takes the table, Spark a directory of Parquet files of which one has no rows,
PostgreSQL a table on its server. Rows are put there in another order. What an engine has no such
thing for is said by `not_on` beside the test, with the reason.
"""

import contextlib
import functools
import itertools
import random
import time
from importlib import import_module

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf

ON_A_CLUSTER = pytest.mark.engines
ENGINES = ["duckdb", *(pytest.param(name, marks=ON_A_CLUSTER) for name in ("spark", "postgres"))]
NUMBERS = itertools.count()


class Embedded:
    """The embedded engine reads the table itself."""

    name = "duckdb"

    def put(self, table):
        return table

    @contextlib.contextmanager
    def in_zone(self, zone):
        """Work where clocks show another time."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("TZ", zone)
            time.tzset()
            yield
        time.tzset()


class OnSpark:
    """Spark reads part files, one of them without rows."""

    name = "spark"

    def __init__(self, session, place):
        self.session, self.place = session, place

    def put(self, table):
        place = self.place / f"table{next(NUMBERS)}"
        place.mkdir()
        half = table.num_rows // 2
        for j, part in enumerate((table.slice(0, half), table.slice(0, 0), table.slice(half))):
            pq.write_table(part, place / f"{j}.parquet")
        return place

    @contextlib.contextmanager
    def in_zone(self, zone):
        before = self.session.conf.get("spark.sql.session.timeZone")
        self.session.conf.set("spark.sql.session.timeZone", zone)
        yield
        self.session.conf.set("spark.sql.session.timeZone", before)


class InPostgres:
    """PostgreSQL has a table of its own for each."""

    name = "postgres"

    def __init__(self, server):
        self.server = server

    def put(self, table):
        return self.server.put(table)

    @contextlib.contextmanager
    def in_zone(self, zone):
        self.server.run(f"ALTER ROLE postgres SET timezone TO '{zone}'")
        yield
        self.server.run("ALTER ROLE postgres RESET timezone")


@pytest.fixture(scope="session", params=ENGINES)
def engine(request, tmp_path_factory):
    """One engine after the other, with its place."""
    if request.param == "spark":
        return OnSpark(request.getfixturevalue("spark"), tmp_path_factory.mktemp("on_spark"))
    if request.param == "postgres":
        return InPostgres(request.getfixturevalue("server"))
    return Embedded()


@pytest.fixture(scope="session")
def read(engine):
    """`sf.read` of a table that is where the engine reads, or of a path."""
    by_address = engine.name == "postgres"
    by_engine = sf.read if by_address else functools.partial(sf.read, engine=engine.name)

    def opened(source, *roles, **more):
        if isinstance(source, pa.Table):
            order = random.Random(3).sample(range(source.num_rows), source.num_rows)
            source = engine.put(source.take(pa.array(order, pa.int64())))
        return by_engine(source, *roles, **more)

    return opened


@pytest.fixture
def same_lots(monkeypatch):
    """Every release is made with the same draws and the same secret."""
    module = import_module("sfumato.release.anonymize")  # a function of the same name hides it
    monkeypatch.setattr(module, "chances", lambda method: np.random.default_rng(7).bytes)


@pytest.fixture
def released(read, same_lots, tmp_path):
    """Release a table from where the engine reads, and compare with what a frame becomes.

    Gives what was published: all tables. `kind`: in files, as the embedded engine reads them back;
    None: as the engine gives them. `exact`: columns have the same types, too.
    """

    def compared(table, criterion, method, kind=None, numbers=None, *, exact=True, **roles):
        made = {}
        for name, by in (("ours", read), ("frame", sf.read)):
            settings = {} if numbers is None else {"numbers": numbers}
            release = sf.anonymize(
                by(table, **roles), criterion, method, untouched_identify=True, **settings
            )
            if kind is not None:
                place = tmp_path / f"{name}{next(NUMBERS)}"
                release = sf.load(release.save(place, format=kind))
            assert not release.check().failed
            made[name] = release
        ours, theirs = (tables_of(made[name]) for name in ("ours", "frame"))
        assert ours.keys() == theirs.keys()
        for name, rows in ours.items():
            assert rows.column_names == theirs[name].column_names
            assert rows.schema.types == theirs[name].schema.types or not exact
            assert rows.to_pylist() == theirs[name].to_pylist()
        descriptions = [each.description.to_json() for each in made.values()]
        assert descriptions[0] == descriptions[1] or not exact
        return ours

    return compared


def tables_of(release):
    names = ["data", "sensitive"] if release.description.group is not None else ["data"]
    return {name: release.to_arrow(name) for name in names}
