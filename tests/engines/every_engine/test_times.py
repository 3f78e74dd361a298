"""Moments are the same ones, wherever a machine, a session or a server keeps its clock."""

import datetime
from collections import Counter

import pyarrow as pa
import pytest

import sfumato as sf

ZONES = ["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata", "Pacific/Apia"]
# In Berlin both are half past two: summer time ends between them.
HOURS = [datetime.datetime(2020, 10, 25, hour, 30) for hour in (0, 1)]
# In Berlin there is no such hour: summer time begins.
SKIPPED = datetime.datetime(2020, 3, 29, 2, 30)
LONG_AGO = datetime.datetime(1890, 1, 1, 0, 0, 1)  # clocks were off by odd seconds then


@pytest.mark.parametrize("zone", ZONES)
def test_instants_are_counted_by_utc(engine, read, counted, zone):
    moments = [*HOURS, SKIPPED, LONG_AGO, None]
    with engine.in_zone(zone):
        table = read(pa.table({"a": pa.array(moments, pa.timestamp("us", "Asia/Tokyo"))}), ["a"])
        expected = Counter((None if each is None else f"{each}+00",) for each in moments)
        assert counted(table) == expected


@pytest.mark.parametrize("zone", ZONES[:3])
def test_what_has_no_zone_is_moved_to_none(engine, read, counted, zone):
    moments = [*HOURS, SKIPPED, LONG_AGO, None]
    days = [None if each is None else each.date() for each in moments]
    with engine.in_zone(zone):
        rows = pa.table({"a": pa.array(moments, pa.timestamp("us")), "b": pa.array(days)})
        table = read(rows, ["a", "b"])
        expected = Counter(
            (None if each is None else str(each), day)
            for each, day in zip(moments, days, strict=True)
        )
        assert counted(table) == expected


@pytest.mark.long
@pytest.mark.parametrize("kind", ["parquet", "csv"])
def test_moments_are_published_in_any_zone_as_they_are(engine, released, kind):
    n = 24
    moments = [HOURS[0] + datetime.timedelta(minutes=7 * j) for j in range(n)]
    rows = pa.table(
        {
            "at": pa.array(moments, pa.timestamp("us", "Europe/Berlin")),
            "day": pa.array([each.date() for each in moments]),
            "z": [f"{j % 2}" for j in range(n)],
            "note": pa.array(moments, pa.timestamp("us")),
        }
    )
    roles = {"quasi_identifiers": {"at": sf.Dates(), "z": sf.Flat()}, "sensitive": "day"}
    with engine.in_zone("America/New_York"):
        released(rows, sf.KAnonymity(3), sf.Mondrian(), kind, insensitive=["note"], **roles)


DAYS = {
    "late": pa.array([0, 2_932_897, None], pa.int32()),  # of which one is in the year 10000
    "early": pa.array([0, -800_000, None], pa.int32()),
}
MICROSECONDS = 86_400_000_000


def moments(days, zone=None):
    values = [None if day is None else day * MICROSECONDS for day in days.to_pylist()]
    return pa.array(values, pa.timestamp("us", zone))


@pytest.mark.parametrize("when", DAYS)
@pytest.mark.parametrize(
    "seen",
    [
        pytest.param(lambda days: days.cast(pa.date32()), id="days"),
        pytest.param(moments, id="moments"),
        pytest.param(lambda days: moments(days, "UTC"), id="instants"),
    ],
)
def test_days_that_have_several_texts_are_refused_in_csv(read, tmp_path, seen, when):
    """Of the years 1 to 9999 all engines write the same; in Parquet all days are as they are."""
    source = pa.table({"age": [1] * 3, "at": seen(DAYS[when])})
    table = read(source, ["age"], insensitive=["at"])
    release = sf.anonymize(table, sf.KAnonymity(2), sf.Mondrian(), untouched_identify=True)
    with pytest.raises(sf.BadInput, match="column 'at': a value is out of reach"):
        release.save(tmp_path / "out", format="csv")
    assert not (tmp_path / "out").exists()
    published = sf.load(release.save(tmp_path / "out", format="parquet")).to_arrow()["at"]
    assert published.drop_null().sort().equals(source["at"].drop_null().sort())


@pytest.mark.not_on(postgres="reads no lists of days")
def test_lists_of_days_that_have_several_texts_are_refused_in_csv(read, tmp_path):
    far = moments(DAYS["late"]).drop_null()
    lists = pa.ListArray.from_arrays(pa.array([0, 1, 2, 2, 2]), far)
    table = read(pa.table({"age": [1] * 4, "at": lists}), ["age"], "at")
    release = sf.anonymize(table, sf.KAnonymity(1), sf.OneGroup(), untouched_identify=True)
    with pytest.raises(sf.BadInput, match="column 'at': a value is out of reach"):
        release.save(tmp_path / "out", format="csv")
