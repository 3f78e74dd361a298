"""Whatever stops a save: the release is complete or absent, no litter, one line that says why."""

import contextlib
import json
import os
import random
import shutil
import signal
import stat
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import sfumato as sf
from hard.hatchery import Hatchery

SEED = 20261115
N_ROWS = 4_000
METHODS = {
    "mondrian": "mondrian = {}",
    "relaxed": "mondrian = { strict = false }",
    "samarati": "samarati = { max_suppressed = 0.05 }",
}
JOB = """
source = "in.csv"
output = "out/{name}"
format = "{kind}"
untouched_identify = true
[columns]
identifiers = ["name"]
sensitive = ["disease"]
insensitive = ["note"]
[columns.quasi_identifiers]
age = {{ intervals = [5, 10, 20] }}
zip = {{ prefix = true }}
sex = {{ flat = true }}
[[criteria]]
k_anonymity = {{ k = 5 }}
[method]
{method}
"""
STAGES = ["reading", "counting", "searching", "cutting", "applying", "reading back"]
FAILPOINTS = ["save.staged", "save.applied", "save.checked", "save.packaged", "save.described"]

# A process without capabilities: what is forbidden to others is forbidden to root, too.
BARE = """
import ctypes
header, nothing = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
assert ctypes.CDLL(None, use_errno=True).capset(header, nothing) == 0
"""
# So little memory that counting goes to disk.
SPILLING = """
import duckdb
import sfumato.engines.duckdb.connection.instance as instance
instance.MEMORY_LIMIT = "180MB"
connect = duckdb.connect
duckdb.connect = lambda config: connect(config=config | {"threads": "1"})
"""
LIMITED = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}))"


@pytest.fixture(scope="module")
def hatchery():
    nursery = Hatchery()
    yield nursery
    nursery.close()


def people(n=N_ROWS, seed=7) -> bytes:
    draw = np.random.default_rng(seed)
    columns = (draw.integers(18, 90, n), draw.integers(10_000, 10_300, n), draw.integers(0, 2, n))
    rows = [
        f"person {i},{age},{code},{'fm'[sex]},d{i % 7},note {i:06}"
        for i, (age, code, sex) in enumerate(zip(*columns, strict=True))
    ]
    return "\n".join(["name,age,zip,sex,disease,note", *rows, ""]).encode()


PEOPLE = people()


def write_job(place, name="q1", kind="csv", method="mondrian", output="out") -> Path:
    text = JOB.format(name=name, kind=kind, method=METHODS[method])
    job = place / f"{name}.toml"
    job.write_text(text.replace('"out/', f'"{output}/'))
    return job


@pytest.fixture
def place(tmp_path):
    """A place with a source, an output, and a temporary place of its own."""
    return furnished(tmp_path / "place")


def furnished(place) -> Path:
    place.mkdir()
    (place / "in.csv").write_bytes(PEOPLE)
    (place / "out").mkdir()
    (place / "tmp").mkdir(mode=0o700)
    return place


def left(place) -> list[str]:
    """List what is in the output and in the temporary place; the place to spill may stay, empty."""
    spill = f"sfumato-{os.getuid()}"
    found = [*(place / "out").iterdir(), *(place / "tmp").iterdir()]
    found += (place / "tmp" / spill).glob("*")
    return sorted(path.name for path in found if path != place / "tmp" / spill)


def refused(child, code=2) -> str:
    """Give the one line of a child that ended as it should."""
    assert child.ended() == code, child.err
    assert child.out == ""
    assert child.err.startswith("sfumato: ")
    assert child.err.count("\n") == 1, child.err
    assert "internal error" not in child.err
    return child.err.removeprefix("sfumato: ").strip()


def run(hatchery, place, job, *, audit=False, **options):
    """Start a job; its notes tell people apart, so the release would not be published otherwise."""
    attacked = [] if audit else ["--no-audit"]
    return hatchery.start(place, "anonymize", job, *attacked, TMPDIR=place / "tmp", **options)


# ------------------------------------------------------------------------------------------ kills


@pytest.mark.parametrize("n", [3, pytest.param(300, marks=pytest.mark.slow)])
def test_killed_at_any_moment_a_release_is_complete_or_absent(
    hatchery, tmp_path, record_property, n
):
    """Half of the kills fall on the whole run, half on the save; the next start leaves no litter.

    The times are drawn from a seed; what they hit is the machine's affair.
    """
    draw = random.Random(SEED)
    took = measured(hatchery, tmp_path)
    killed = complete = attempt = 0
    while killed < n:
        attempt += 1
        assert attempt <= 3 * n, f"only {killed} of {attempt} were killed before their end"
        method, kind = draw.choice(list(METHODS)), draw.choice(["csv", "parquet"])
        whole, save = took[method]
        where = furnished(tmp_path / f"kill-{attempt}")
        child = run(hatchery, where, write_job(where, "q1", kind, method))
        if draw.random() < 0.5:
            delay = draw.uniform(0, whole)
        else:
            child.reaches("applying")
            delay = draw.uniform(0, save)
        time.sleep(delay)
        child.send(signal.SIGKILL)
        killed += child.ended() == -signal.SIGKILL
        target = where / "out" / "q1"
        if target.exists():
            complete += 1
            is_complete(target)
        # The next start, for something else in the same places.
        again = run(hatchery, where, write_job(where, "next", "csv", "samarati"))
        assert again.ended() == 0, again.err
        assert left(where) == (["next", "q1"] if target.exists() else ["next"])
        shutil.rmtree(where)
    assert complete < attempt
    record_property("kills survived", killed)


def measured(hatchery, tmp_path) -> dict[str, tuple[float, float]]:
    """Time a whole run and its save, for every method."""
    took = {}
    for j, method in enumerate([*METHODS, *METHODS]):  # again, when the nursery is warm
        where = furnished(tmp_path / f"{method}-{j}")
        begin = time.monotonic()
        child = run(hatchery, where, write_job(where, "q1", "csv", method))
        assert child.reaches("applying")
        saving = time.monotonic()
        assert child.ended() == 0, child.err
        end = time.monotonic()
        took[method] = (end - begin, end - saving)
    return took


def is_complete(target) -> None:
    """Check the digest (on loading), the promise and the number of rows."""
    release = sf.load(target)
    assert release.check()
    assert release.n_rows + release.n_suppressed == N_ROWS
    assert release.to_arrow().num_rows == release.n_rows
    assert len(list(target.iterdir())) == 5


# ------------------------------------------------------------------------------------- full disks


@contextlib.contextmanager
def full_at(place, size):
    """Let `place` take no more than `size` bytes: a small file system, or else a limit on files.

    Gives the code that sets the limit in the child.
    """
    mount = ["mount", "-t", "tmpfs", "-o", f"size={size},mode=700", "none", str(place)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        yield LIMITED.format(size=size)
        return
    try:
        yield ""
    finally:
        subprocess.run(["umount", str(place)], check=True)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
@pytest.mark.parametrize("size", [4096, 12_288])
def test_a_full_disk_leaves_nothing_of_the_data(hatchery, place, kind, size):
    with full_at(place / "out", size) as setup:
        child = run(hatchery, place, write_job(place, kind=kind), setup=setup)
        message = refused(child)
        assert left(place) == []
    assert message.startswith(f"{place}/out/q1: cannot write: ")
    known = "not enough room: the release takes at least " in message  # before it is staged
    assert known or message.endswith(("no space left on device", "file too large"))


@pytest.mark.parametrize("room", [0, 1])
def test_a_disk_that_is_full_after_the_data_leaves_nothing(hatchery, place, room):
    """The data fit, the description does not (or only its first page)."""
    assert run(hatchery, place, write_job(place, "first")).ended() == 0
    n_pages = -(-(place / "out" / "first" / "data.csv").stat().st_size // 4096)
    description = (place / "out" / "first" / "release.json").stat().st_size
    shutil.rmtree(place / "out" / "first")
    size = (n_pages + room * (description // 4096)) * 4096
    with full_at(place / "out", size) as setup:
        half = setup and LIMITED.format(size=size // 2)  # a limit on files cannot tell the two
        child = run(hatchery, place, write_job(place), setup=half)
        message = refused(child)
        assert ("save.checked" in child.stages) == (not setup)
        assert left(place) == []
    assert message.startswith(f"{place}/out/q1: cannot write: ")


@pytest.fixture(scope="module")
def crowd(tmp_path_factory) -> Path:
    """A file that is as large as what fits into little memory."""
    file = tmp_path_factory.mktemp("crowd") / "in.csv"
    file.write_bytes(people(180_000).replace(b"note ", b"n" * 1000))
    return file


def spilling_job(place, crowd) -> Path:
    """Make a job that counts and sorts more than fits into little memory."""
    (place / "in.csv").unlink()
    (place / "in.csv").hardlink_to(crowd)
    return write_job(place)


def test_little_memory_is_enough_with_room_to_spill(hatchery, place, crowd):
    child = run(hatchery, place, spilling_job(place, crowd), setup=SPILLING)
    assert child.ended() == 0, child.err
    assert left(place) == ["q1"]


@pytest.mark.parametrize("size", [65_536, 524_288])
def test_a_full_place_for_temporary_files_is_named_and_leaves_nothing(hatchery, place, crowd, size):
    with full_at(place / "tmp", size) as setup:
        child = run(hatchery, place, spilling_job(place, crowd), setup=SPILLING + setup)
        message = refused(child)
        assert left(place) == []
    assert message.startswith(f"cannot keep temporary files in {place}/tmp/sfumato-")
    assert message.endswith("; set TMPDIR to another place")


STREAM = """
import sys
import pyarrow as pa
import sfumato as sf
exec(sys.argv[1])
note = [f"a long note on person {i}" for i in range(200_000)]
frame = pa.table({"age": [str(i % 90) for i in range(200_000)], "note": note})
try:
    sf.read(frame.to_reader(), quasi_identifiers=["age"], insensitive=["note"])
except sf.BadInput as error:
    print(error)
"""


def test_a_stream_that_fills_the_temporary_place_is_refused(place):
    with full_at(place / "tmp", 262_144) as setup:
        found = subprocess.run(
            [sys.executable, "-c", STREAM, setup],
            env=os.environ | {"TMPDIR": str(place / "tmp")},
            capture_output=True,
            text=True,
            check=True,
        )
        assert left(place) == []
    assert found.stdout.startswith(f"cannot keep temporary files in {place}/tmp/sfumato-")
    assert found.stdout.count("\n") == 1
    assert found.stderr == ""


def test_a_recoding_that_does_not_fit_is_not_left_half_written(place):
    table = sf.read(place / "in.csv", quasi_identifiers=["age", "zip"], sensitive="disease")
    release = sf.anonymize(table, sf.KAnonymity(2), sf.Mondrian())
    with full_at(place / "out", 4096) as setup:
        if setup:  # no small file system here: fill the directory's place with a file instead
            (place / "out" / "recoding.json").touch()
        with pytest.raises(sf.BadInput, match=r"cannot write: (no space left|file exists)"):
            release.save_recoding(place / "out" / "recoding.json")
        assert left(place) == (["recoding.json"] if setup else [])


# --------------------------------------------------------------------------- output that is closed


@pytest.mark.parametrize("options", [[], ["--json"]])
@pytest.mark.parametrize("output", ["full", "closed pipe"])
def test_a_release_that_cannot_be_announced_is_there_all_the_same(hatchery, place, output, options):
    """Exit code 2, since nobody got the answer; but not: "nothing was written"."""
    full = "import os; os.dup2(os.open('/dev/full', os.O_WRONLY), 1)"
    closed = "import os; r, w = os.pipe(); os.close(r); os.dup2(w, 1)"
    setup = full if output == "full" else closed
    child = hatchery.start(
        place,
        "anonymize",
        write_job(place),
        "--no-audit",
        *options,
        setup=setup,
        TMPDIR=place / "tmp",
    )
    message = refused(child)
    assert message.startswith("the work is done, but standard output cannot be written: ")
    assert left(place) == ["q1"]
    is_complete(place / "out" / "q1")


# ------------------------------------------------------------------------------------ no permission


@contextlib.contextmanager
def permissions(path, mode):
    before = stat.S_IMODE(path.stat().st_mode)
    path.chmod(mode)
    try:
        yield
    finally:
        path.chmod(before)


@pytest.mark.parametrize("mode", [0o500, 0o300])
@pytest.mark.parametrize("output", ["out", "out/deeper/still"])
def test_an_output_without_permission_is_refused(hatchery, place, mode, output):
    """Also where one may write but not look: there nothing could be swept."""
    job = write_job(place, output=output)
    with permissions(place / "out", mode):
        child = run(hatchery, place, job, setup=BARE)
        if (mode, output) == (0o300, "out/deeper/still"):
            assert child.ended() == 0
        else:
            message = refused(child)
            assert message == f"{place}/{output}/q1: cannot write: permission denied"
    if mode != 0o300:
        assert left(place) == []


@pytest.mark.parametrize("what", ["in.csv", "q1.toml"])
def test_a_file_that_may_not_be_read_is_named(hatchery, place, what):
    job = write_job(place)
    with permissions(place / what, 0o000):
        message = refused(run(hatchery, place, job, setup=BARE))
    assert message.startswith(f"{place}/{what}: cannot read")
    assert message.endswith("permission denied")
    assert left(place) == []


def test_a_temporary_place_without_permission_is_refused_and_no_other_is_taken(hatchery, place):
    with permissions(place / "tmp", 0o500):
        message = refused(run(hatchery, place, write_job(place), setup=BARE))
    assert message == (
        f"cannot keep temporary files in {place}/tmp/sfumato-{os.getuid()}: permission denied; "
        "set TMPDIR to another place"
    )
    assert left(place) == []


def test_a_temporary_place_that_is_missing_is_refused_and_no_other_is_taken(hatchery, place):
    (place / "tmp").rmdir()
    message = refused(run(hatchery, place, write_job(place)))
    assert message.startswith(f"cannot keep temporary files in {place}/tmp/sfumato-")
    assert list((place / "out").iterdir()) == []


@pytest.mark.parametrize("wrong", ["another's", "open to the group", "a link"])
def test_a_place_to_spill_that_is_not_ours_alone_is_refused(hatchery, place, wrong):
    spill = place / "tmp" / f"sfumato-{os.getuid()}"
    setup = ""
    if wrong == "a link":
        spill.symlink_to(place / "out")
    else:
        spill.mkdir(mode=0o700)
    if wrong == "open to the group":
        spill.chmod(0o750)
    elif wrong == "another's" and os.getuid() == 0:
        os.chown(spill, 65534, 65534)
    elif wrong == "another's":  # only root can give a directory away: so be somebody else
        spill.rename(place / "tmp" / "sfumato-65534")
        setup = "import os; os.getuid = lambda: 65534"
    message = refused(run(hatchery, place, write_job(place), setup=setup))
    assert "is not private to this user" in message
    assert list((place / "out").iterdir()) == []


def test_without_a_place_for_compiled_code_it_is_compiled_again(tmp_path, place):
    """A service account: the package is read-only, and there is no home."""
    package = tmp_path / "package"
    shutil.copytree(
        Path(sf.__file__).parent, package / "sfumato", ignore=shutil.ignore_patterns("__pycache__")
    )
    folders = [package, *(path for path in package.rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(0o500)
    job = write_job(place, method="samarati")
    command = f"{BARE}\nimport sys; sys.argv[0] = 'sfumato'\nfrom sfumato.cli import main\nmain()"
    homeless = {"HOME": str(package), "PYTHONPATH": str(package), "TMPDIR": str(place / "tmp")}
    found = subprocess.run(
        [sys.executable, "-B", "-c", command, "anonymize", job, "--no-audit"],
        env={"PATH": os.environ["PATH"], **homeless},
        capture_output=True,
        text=True,
        check=False,
    )
    for folder in folders:
        folder.chmod(0o700)
    assert found.returncode == 0, found.stderr
    assert left(place) == ["q1"]


# --------------------------------------------------------------------------------- asked to stop

SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


def stopped(child, number) -> None:
    message = refused(child, 128 + number)
    assert message == f"stopped by {number.name}; no release was left half-written"


@pytest.mark.parametrize(
    ("number", "points"),
    [
        (signal.SIGTERM, [*STAGES, *FAILPOINTS, "auditing"]),
        (signal.SIGINT, ["counting", "cutting", "applying", "auditing", "save.described"]),
        (signal.SIGHUP, ["reading back"]),
    ],
)
def test_a_command_that_is_stopped_leaves_nothing(
    hatchery, tmp_path, record_property, number, points
):
    """At every stage and failpoint, held there until the signal has come."""
    for j, stage in enumerate(points):
        where = furnished(tmp_path / f"stop-{j}")
        child = run(hatchery, where, write_job(where), audit=stage == "auditing", hold=stage)
        assert child.reaches(stage)
        child.send(number)
        stopped(child, number)
        assert left(where) == []
    record_property("interrupts survived", len(points))


def test_a_command_that_is_stopped_after_the_rename_leaves_the_release(hatchery, place):
    child = run(hatchery, place, write_job(place), hold="save.renamed")
    assert child.reaches("save.renamed")
    child.send(signal.SIGTERM)
    stopped(child, signal.SIGTERM)
    assert left(place) == ["q1"]
    is_complete(place / "out" / "q1")


@pytest.mark.parametrize("n", [8, pytest.param(150, marks=pytest.mark.slow)])
def test_stopped_at_any_moment_nothing_is_left(hatchery, tmp_path, record_property, n):
    """Asked once or twice, while Python or the engine is at work; some end before they hear it."""
    draw = random.Random(SEED)
    n_stopped = 0
    for j in range(n):
        where = furnished(tmp_path / f"stop-{j}")
        kind = draw.choice(["csv", "parquet"])
        child = run(hatchery, where, write_job(where, "q1", kind, draw.choice(list(METHODS))))
        child.reaches(draw.choice(["reading", "searching", "applying", "reading back"]))
        number = draw.choice(SIGNALS)
        time.sleep(draw.uniform(0, 0.1))
        child.send(number)
        if draw.random() < 0.5:
            time.sleep(draw.uniform(0, 0.01))
            child.send(draw.choice(SIGNALS))
        code = child.ended()
        target = where / "out" / "q1"
        assert code in (0, *(128 + each for each in SIGNALS)), child.err
        assert child.err.count("\n") == (code != 0), child.err
        assert left(where) == (["q1"] if target.exists() else [])
        assert target.exists() or code
        if target.exists():
            is_complete(target)
        n_stopped += code != 0
        shutil.rmtree(where)
    record_property("interrupts survived", n_stopped)


@pytest.mark.parametrize("number", SIGNALS)
def test_the_real_command_line_can_be_stopped(place, number):
    run_it = (
        "import signal, runpy; signal.signal(signal.SIGHUP, signal.SIG_DFL); "  # it may be ignored
        "runpy.run_module('sfumato', run_name='__main__')"
    )
    command = [sys.executable, "-c", run_it, "anonymize", write_job(place)]
    environment = os.environ | {"TMPDIR": str(place / "tmp")}
    with subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        spill = place / "tmp" / f"sfumato-{os.getuid()}"
        while not list(spill.glob("*")):  # the engine has been opened
            assert process.poll() is None
            time.sleep(0.001)
        process.send_signal(number)
        _, err = process.communicate()
    assert process.returncode == 128 + number
    assert err == f"sfumato: stopped by {number.name}; no release was left half-written\n"
    assert left(place) == []


def test_what_nohup_ignores_stays_ignored(hatchery, place):
    setup = "import signal; signal.signal(signal.SIGHUP, signal.SIG_IGN)"
    child = run(hatchery, place, write_job(place), hold="applying", setup=setup)
    assert child.reaches("applying")
    child.send(signal.SIGHUP)
    child.go()
    assert child.ended() == 0, child.err
    is_complete(place / "out" / "q1")


# ---------------------------------------------------------------------------- several at one place


@pytest.mark.parametrize(
    ("n", "meeting"),
    [(2, "reading"), (2, "save.staged"), (2, "save.described"), (8, "save.described")],
)
def test_of_many_that_save_to_one_place_one_does(hatchery, place, n, meeting):
    """They are held until all are there: at the start, with their staging, before the rename."""
    methods = list(METHODS)
    jobs = [write_job(place, f"job-{j}", method=methods[j % 3]) for j in range(n)]
    for job in jobs:
        job.write_text(job.read_text().replace(f"out/{job.stem}", "out/q1"))
    children = [run(hatchery, place, job, hold=meeting) for job in jobs]
    assert all(child.reaches(meeting) for child in children)
    for child in children:
        child.go()
    codes = [child.ended() for child in children]
    assert sorted(codes) == [0] + [2] * (n - 1)
    for code, child in zip(codes, children, strict=True):
        if code:
            assert child.err == (
                f"sfumato: {place}/out/q1: exists already; a release is never overwritten, so "
                "choose another place\n"
            )
    assert left(place) == ["q1"]
    is_complete(place / "out" / "q1")
    winner = codes.index(0)
    written = json.loads((place / "out" / "q1" / "release.json").read_text())
    assert ("samarati" in written["method"]) == (methods[winner % 3] == "samarati")


@pytest.mark.parametrize("held", FAILPOINTS)
def test_what_saves_beside_does_not_sweep_the_other(hatchery, place, held):
    slow = run(hatchery, place, write_job(place, "slow"), hold=held)
    assert slow.reaches(held)
    before = left(place)
    quick = run(hatchery, place, write_job(place, "quick"))
    assert quick.ended() == 0, quick.err
    assert left(place) == sorted([*before, "quick"])
    slow.go()
    assert slow.ended() == 0, slow.err
    assert left(place) == ["quick", "slow"]
    is_complete(place / "out" / "slow")
    is_complete(place / "out" / "quick")


# ---------------------------------------------------------------------- a source that does not stay


def appended(source) -> None:
    with source.open("ab") as file:
        file.write(b"late,41,10001,f,d1,late\n")


def truncated(source) -> None:
    os.truncate(source, source.read_bytes().index(b"\nperson 3000,") + 1)


def one_more_and_one_unseen(source) -> None:
    """Leave the number of rows as it is, though one has a value that was never counted."""
    lines = source.read_bytes().splitlines(keepends=True)
    fields = lines[1].split(b",")
    fields[2] = b"99999"
    lines[1] = b",".join(fields)
    source.write_bytes(b"".join(lines))


def other_columns(source) -> None:
    """Names where the ages were."""
    lines = source.read_bytes().splitlines(keepends=True)
    swapped = [b",".join([f[1], f[0], *f[2:]]) for f in (line.split(b",") for line in lines)]
    source.write_bytes(b"".join(swapped))


def same_size_and_time(source) -> None:
    """Change a value within the file, and set the clock back."""
    before = source.stat()
    source.write_bytes(source.read_bytes().replace(b",f,d1,", b",m,d1,", 1))
    os.utime(source, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert source.stat().st_size == before.st_size


def replaced(source) -> None:
    """Put another file in its place, as editors and nightly exports do."""
    other = source.with_name("other.csv")
    other.write_bytes(people(seed=8))
    other.replace(source)


def emptied(source) -> None:
    source.write_bytes(b"")


CHANGES = [
    *(appended, truncated, one_more_and_one_unseen, other_columns, same_size_and_time),
    *(replaced, emptied),
]


@pytest.mark.parametrize(
    ("change", "stage"),
    [
        *((change, "applying") for change in CHANGES),
        *((appended, stage) for stage in ("reading", "counting")),
        *((other_columns, stage) for stage in ("reading", "counting")),
    ],
)
def test_a_source_that_changes_is_refused(hatchery, place, stage, change):
    child = run(hatchery, place, write_job(place), hold=stage)
    assert child.reaches(stage)
    change(place / "in.csv")
    child.go()
    message = refused(child)
    assert message.startswith(f"{place}/in.csv: the file has changed since it was opened")
    assert left(place) == []


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_parquet_source_that_changes_is_refused(hatchery, place, kind):
    frame = pd.read_csv(place / "in.csv", dtype=str)
    frame.to_parquet(place / "in.parquet")
    job = write_job(place, kind=kind)
    job.write_text(job.read_text().replace("in.csv", "in.parquet"))
    child = run(hatchery, place, job, hold="applying")
    assert child.reaches("applying")
    frame.loc[0, "zip"] = "99999"
    frame.to_parquet(place / "in.parquet")
    child.go()
    message = refused(child)
    assert message.startswith(f"{place}/in.parquet: the file has changed since it was opened")
    assert left(place) == []


@pytest.mark.parametrize("stage", ["reading", "applying"])
def test_a_source_that_disappears_is_named(hatchery, place, stage):
    child = run(hatchery, place, write_job(place), hold=stage)
    assert child.reaches(stage)
    (place / "in.csv").unlink()
    child.go()
    message = refused(child)
    assert message == f"{place}/in.csv: the file is gone: no such file or directory"
    assert left(place) == []


def test_a_source_that_disappears_when_it_has_been_read_is_not_missed(hatchery, place):
    child = run(hatchery, place, write_job(place), hold="save.applied")
    assert child.reaches("save.applied")
    (place / "in.csv").unlink()
    child.go()
    assert child.ended() == 0, child.err
    is_complete(place / "out" / "q1")


@pytest.mark.parametrize("zips", [99999, 10], ids=["unseen", "seen"])
def test_a_frame_that_changes_is_noticed_by_what_was_written(tmp_path, zips):
    """The engine reads the caller's memory: rows may leave their group, or have none any more."""
    zip_codes = np.repeat([10, 20, 30], [5, 6, 7])
    frame = pd.DataFrame({"zip": zip_codes}, copy=False)
    table = sf.read(frame, quasi_identifiers=["zip"])
    release = sf.anonymize(table, sf.KAnonymity(5), sf.Samarati())
    zip_codes[-1] = zips
    with pytest.raises(
        sf.BrokenPromise, match=r"rows in 3 groups were to be|have the sizes|have the values"
    ):
        release.save(tmp_path / "q1")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "stage",
    ["applying", *(pytest.param(s, marks=pytest.mark.slow) for s in ("reading", "save.applied"))],
)
def test_a_temporary_place_that_disappears_is_no_wrong_release(hatchery, place, crowd, stage):
    """A cleaner of /tmp came by: what was in there is refused, or was not needed."""
    child = run(hatchery, place, spilling_job(place, crowd), hold=stage, setup=SPILLING)
    assert child.reaches(stage)
    shutil.rmtree(place / "tmp" / f"sfumato-{os.getuid()}")
    child.go()
    code = child.ended()
    assert code in (0, 2), child.err
    if code:
        assert child.err.startswith("sfumato: cannot keep temporary files in ")
        assert child.err.count("\n") == 1
        assert left(place) == []
    else:
        assert sf.load(place / "out" / "q1").check()
        assert left(place) == ["q1"]


# -------------------------------------------------------------------------------- for us alone


@pytest.mark.parametrize("held", [*STAGES[:2], "applying", *FAILPOINTS])
def test_whatever_is_private_is_for_its_owner_alone(hatchery, place, crowd, held):
    """With the most generous umask, seen from outside: nothing can be reached by anybody else."""
    spilling = held == "applying"
    setup = f"import os; os.umask(0)\n{SPILLING if spilling else ''}"
    job = spilling_job(place, crowd) if spilling else write_job(place)
    child = run(hatchery, place, job, hold=held, setup=setup)
    assert child.reaches(held)
    spill = place / "tmp" / f"sfumato-{os.getuid()}"
    private = [spill, *spill.iterdir(), *(place / "out").iterdir()]
    assert len(private) >= 2 + (held in FAILPOINTS)
    for directory in private:
        status = directory.stat()
        assert stat.S_IMODE(status.st_mode) == 0o700
        assert status.st_uid == os.getuid()
    if held == "save.described":
        assert len(list((place / "out").glob(".sfumato-*/*"))) == 5
    child.go()
    assert child.ended() == 0, child.err
    assert stat.S_IMODE((place / "out" / "q1").stat().st_mode) == 0o777  # what the umask asked for


def test_a_saved_recoding_is_for_its_owner_alone(tmp_path):
    table = sf.read(sf.datasets.patients(), quasi_identifiers=["age", "sex"])
    release = sf.anonymize(table, sf.KAnonymity(5), sf.Mondrian())
    before = os.umask(0)
    try:
        saved = release.save_recoding(tmp_path / "recoding.json")
    finally:
        os.umask(before)
    assert stat.S_IMODE(saved.stat().st_mode) == 0o600
    assert saved.stat().st_nlink == 1
    assert list(tmp_path.iterdir()) == [saved]
