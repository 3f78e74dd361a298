"""A process that imports everything once, and hatches children that run the command line.

Python and its imports take a second to start, a fork takes milliseconds: so a test can kill
hundreds. The nursery itself never opens a connection, and so has no threads to lose in a fork.
A child tells what it is doing in a file, can be held at a place until it may go on, and is for
the rest what `sfumato ...` is.
"""

import atexit
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

PATIENCE = 60  # seconds until a child that does not move is a failure


@dataclass(frozen=True)
class Child:
    """A running command; `place` has its files: out, err, stages, go."""

    nursery: "Hatchery"
    pid: int
    place: Path

    def reaches(self, stage: str) -> bool:
        """Wait until the child says it is at `stage`; False when it ends before."""
        end = time.monotonic() + PATIENCE
        while stage not in self.stages:
            if self._state() == "Z":
                return stage in self.stages
            assert time.monotonic() < end, f"not at {stage!r} but at {self.stages}"
            time.sleep(0.001)
        return True

    def go(self) -> None:
        (self.place / "go").touch()

    def send(self, number: int) -> None:
        os.kill(self.pid, number)

    def ended(self) -> int:
        """Wait for the end; the exit code, or minus the signal."""
        return self.nursery.ask(do="wait", pid=self.pid)

    @property
    def stages(self) -> list[str]:
        return (self.place / "stages").read_text().splitlines()

    @property
    def out(self) -> str:
        return (self.place / "out").read_text()

    @property
    def err(self) -> str:
        return (self.place / "err").read_text()

    def _state(self) -> str:
        return Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()[0]


class Hatchery:
    """The test's end of the line."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._n_started = 0

    def start(self, place: Path, *arguments: object, hold="", setup="", **environment) -> Child:
        """Run `sfumato *arguments`, after the Python code `setup`; stop at `hold` until told."""
        self._n_started += 1
        own = place / f"child-{self._n_started}"
        own.mkdir()
        for name in ("out", "err", "stages"):
            (own / name).touch()
        pid = self.ask(
            do="start",
            place=str(own),
            arguments=[str(each) for each in arguments],
            hold=hold,
            setup=setup,
            environment={name: str(value) for name, value in environment.items()},
        )
        return Child(self, pid, own)

    def ask(self, **request) -> int:
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        return int(self._process.stdout.readline())

    def close(self) -> None:
        self._process.stdin.close()
        assert self._process.wait(PATIENCE) == 0
        self._process.stdout.close()


# ------------------------------------------------------------------------------ inside the nursery


class Few:
    """Eight people, without an engine: enough to have the kernels compiled before the fork."""

    name, typed, format = "few", True, "csv"
    columns = ("age", "zip", "sex", "disease")

    set_valued = None

    def people(self, person, sensitive, kept):
        return self

    def domains(self, columns, jointly, told):
        return {column: [str(20 + j) for j in range(8)] for column in columns}

    def count(self, codes, layout, told, at_most):
        import numpy as np

        digests = [np.zeros(8, dtype=np.uint64) for _ in told]
        return layout.pack(list(codes.values())), np.ones(8, dtype=np.int64), digests


def warm_up() -> None:
    import sfumato as sf
    import sfumato.cli.app
    import sfumato.cli.drawing
    import sfumato.engines.duckdb
    import sfumato.job
    import sfumato.papers
    from sfumato.data.schema import Schema
    from sfumato.table import Table

    rules = {"age": sf.Intervals(5, 10), "zip": sf.Prefix(), "sex": sf.Flat()}
    methods = (sf.Mondrian(), sf.Mondrian(strict=False), sf.Samarati(), sf.TopDown("cut"))
    for method in methods:
        schema = Schema.of(Few.columns, rules, "disease")
        sf.anonymize(Table(Few(), schema), sf.KAnonymity(2), method)


def serve() -> None:
    warm_up()
    for line in sys.stdin:
        request = json.loads(line)
        if request["do"] == "wait":
            _, status = os.waitpid(request["pid"], 0)
            answer = os.waitstatus_to_exitcode(status)
        else:
            answer = os.fork()
            if answer == 0:
                hatch(request)
        sys.stdout.write(f"{answer}\n")
        sys.stdout.flush()


def hatch(request) -> None:
    from sfumato.cli import main
    from sfumato.progress import listening
    from sfumato.release import placing, release
    from sfumato.release.files import writing
    from sfumato.series import publish, recover, store, withdraw
    from sfumato.series.new_batch import intake

    place = Path(request["place"])
    for number, name in ((0, os.devnull), (1, place / "out"), (2, place / "err")):
        handle = os.open(name, os.O_RDWR)
        os.dup2(handle, number)
        os.close(handle)
    stages = (place / "stages").open("a")

    def tell(stage, done=0, total=None):
        if done == 0:
            stages.write(f"{stage}\n")
            stages.flush()
        while stage == request["hold"] and not (place / "go").exists():
            time.sleep(0.001)

    os.environ.update(request["environment"])
    for module in (release, placing, writing, publish, intake, store, recover, withdraw):
        module.reached = tell  # failpoints are places to be held at, too
    exec(request["setup"], {"place": place})
    sys.argv = ["sfumato", *request["arguments"]]
    code = 0
    try:
        with listening(tell):
            main()
    except SystemExit as end:
        code = int(end.code or 0)
    atexit._run_exitfuncs()
    os._exit(code)  # without taking a hundred modules apart, which takes longer than the work


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a run in the background ignores it
    signal.signal(signal.SIGHUP, signal.SIG_DFL)  # and so does `nohup make test`
    serve()
