"""What the tests of PostgreSQL share; the server is in tests/postgres_server.py."""

import os
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pytest

import sfumato as sf


@pytest.fixture
def patients() -> pa.Table:
    """The sample, with numbers as numbers."""
    table = sf.read(sf.datasets.patients(), ["age"])
    return table.source.to_batches(["zip"]).read_all()


@pytest.fixture(scope="session")
def sfumato():
    """Run the command line as another process; give its exit code and all it says."""

    def run(*arguments, cwd, **environment) -> tuple[int, str]:
        command = [Path(sys.executable).with_name("sfumato"), *map(str, arguments)]
        done = subprocess.run(
            command,
            cwd=cwd,
            env={**os.environ, **environment},
            capture_output=True,
            text=True,
            check=False,
            stdin=subprocess.DEVNULL,
        )
        return done.returncode, done.stdout + done.stderr

    return run
