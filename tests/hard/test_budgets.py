"""What four times as much costs: at most twelve times the time, three times what is linear.

Times are those of the processor, so that what else runs beside does not matter, and each is the
better of two in the same run. Small sizes in every run, those of the complaints in `make hard`.
"""

import random
import string
import time
import tracemalloc

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.formulas.boxes.only_box import only_box
from sfumato.job import Job

TRIED = "budgets of time kept"
MOST = 12


def seconds(run):
    """The better of two."""
    times = []
    for _ in range(2):
        start = time.process_time()
        run()
        times.append(time.process_time() - start)
    return min(times)


def refuse_more_than_linear(make, n):
    """make: gives what is to be timed, for a size."""
    small, large = (seconds(make(size)) for size in (n, 4 * n))
    assert large <= MOST * small, f"{small:.2f} s at {n}, {large:.2f} s at {4 * n}"


sizes = pytest.mark.parametrize


def slowly(*sizes):
    return [pytest.param(size, marks=pytest.mark.slow) for size in sizes]


def sick(rng, n):
    return [f"d{value}" for value in rng.integers(0, 9, n)]


def two_numbers(n):
    rng = np.random.default_rng(n)
    columns = {name: rng.integers(0, 10**6, n) for name in ("x", "y")}
    rule = sf.Intervals(10, 100, 1000)
    return sf.read(
        pa.table(columns | {"disease": sick(rng, n)}),
        quasi_identifiers=dict.fromkeys(columns, rule),
        sensitive="disease",
    )


@pytest.mark.long
@sizes("n", [500, *slowly(10_000)])
def test_recoding_by_boxes(n, tmp_path, record_property):
    def make(size):
        place = tmp_path / f"{size}.json"
        sf.anonymize(two_numbers(size), sf.KAnonymity(5), sf.Mondrian()).save_recoding(place)
        table = two_numbers(size)
        table.frequencies()
        return lambda: sf.anonymize(table, sf.KAnonymity(5), sf.Recode.load(place))

    refuse_more_than_linear(make, n)
    record_property(TRIED, 1)


@pytest.mark.long
@sizes("d", [1, 2, 5])
def test_finding_the_box_of_a_point(d, record_property):
    def make(n):
        points = np.random.default_rng(d).integers(0, 1 << 16, (n, d)).astype(np.int32)
        waiting, boxes = [(points, np.array([[0, 1 << 16]] * d, dtype=np.int32))], []
        while waiting:
            inside, box = waiting.pop()
            axis = int(np.ptp(inside, axis=0).argmax())
            cut = int(np.median(inside[:, axis]))
            left = inside[:, axis] < cut
            if len(inside) < 12 or not left.any():
                boxes.append(box)
                continue
            low, high = box.copy(), box.copy()
            low[axis, 1], high[axis, 0] = cut - 1, cut
            waiting += [(inside[left], low), (inside[~left], high)]
        all_boxes = np.array(boxes)
        return lambda: only_box(points, all_boxes)

    refuse_more_than_linear(make, 8000)
    record_property(TRIED, 1)


def codes(n, length):
    draw = random.Random(n)
    return ["".join(draw.choices(string.digits, k=length)) for _ in range(n)]


def coded(n, length):
    values = sick(np.random.default_rng(n), n)
    frame = pa.table({"code": codes(n, length), "disease": values})
    return sf.read(frame, quasi_identifiers={"code": sf.Prefix()}, sensitive="disease")


@pytest.mark.long
@sizes("method", [sf.Samarati(), sf.Mondrian()], ids=str)
@sizes("n", [1000, *slowly(12_500)])
def test_many_long_codes(n, method, record_property):
    def make(size):
        return lambda: sf.anonymize(coded(size, 100), sf.KAnonymity(5), method)

    refuse_more_than_linear(make, n)
    record_property(TRIED, 1)


@pytest.mark.long
def test_longer_codes(record_property):
    def make(length):
        return lambda: sf.anonymize(coded(2000, length), sf.KAnonymity(5), sf.Mondrian())

    refuse_more_than_linear(make, 25)
    record_property(TRIED, 1)


@sizes("n", [2000, *slowly(50_000)])
def test_long_codes_take_memory_for_their_letters_and_not_for_every_mask(n, record_property):
    values = codes(n, 100)
    tracemalloc.start()
    try:
        sf.Prefix().grow("code", values)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < 40 * n * 100  # bytes; all masks would have 100 * n * 100
    record_property(TRIED, 1)


def wide(n_columns, n=300):
    rng = np.random.default_rng(n_columns)
    names = [f"i{j}" for j in range(n_columns)]
    untouched = {name: [f"v{value}" for value in rng.integers(0, 99, n)] for name in names}
    frame = pa.table({"age": rng.integers(0, 90, n), "disease": sick(rng, n)} | untouched)
    rules = {"age": sf.Intervals(5, 10, 20)}
    return sf.read(frame, quasi_identifiers=rules, sensitive="disease", insensitive=names)


@pytest.mark.long
@sizes("n", [15, *slowly(500)])
def test_many_insensitive_columns(n, tmp_path, record_property):
    def make(n_columns):
        def run():
            release = sf.anonymize(wide(n_columns), sf.KAnonymity(5), untouched_identify=True)
            place = release.save(tmp_path / f"{n_columns} {time.monotonic_ns()}")
            assert sf.load(place).check()

        return run

    refuse_more_than_linear(make, n)
    record_property(TRIED, 1)


@pytest.mark.long
@sizes("n", [15, *slowly(150)])
def test_many_insensitive_columns_audited(n, record_property):
    def make(n_columns):
        release = sf.anonymize(wide(n_columns), sf.KAnonymity(5), untouched_identify=True)
        return lambda: sf.audit(release)

    refuse_more_than_linear(make, n)
    record_property(TRIED, 1)


def in_towns(n, n_came):
    rng = np.random.default_rng(1)
    columns = {"age": rng.integers(0, 90, n), "zip": rng.integers(10_000, 10_000 + n // 8, n)}
    columns["income"] = rng.integers(0, 10**6, n)
    rules = {"age": sf.Intervals(5, 10, 20), "zip": sf.Intervals(10, 100)}
    rules["income"] = sf.Intervals(1000, 10_000)
    frame = pa.table(columns | {"disease": sick(rng, n)}).slice(0, n_came)
    return sf.read(frame, quasi_identifiers=rules, sensitive="disease")


@pytest.mark.long
@sizes("n", [1500, *slowly(8000)])
def test_an_audit_with_one_earlier_release(n, record_property):
    def make(size):
        earlier, later = (
            sf.anonymize(in_towns(size, came), sf.KAnonymity(k), sf.Mondrian())
            for k, came in ((5, size * 4 // 5), (7, size))
        )
        return lambda: sf.audit(later, earlier=[earlier])

    refuse_more_than_linear(make, n)
    record_property(TRIED, 1)


@sizes(
    "key", [".".join("a" * 20_000), " . ".join(['"a"'] * 8_000), "a" + ".a" * 100 + "." * 40_000]
)
def test_a_deep_key_of_40_kb_is_refused_at_once(tmp_path, key, record_property):
    (tmp_path / "job.toml").write_text(f"{key} = 1\n")

    def run():
        with pytest.raises(sf.BadInput, match="a key with more than 100 dots"):
            Job.load(tmp_path / "job.toml")

    assert seconds(run) < 0.5
    record_property(TRIED, 1)
