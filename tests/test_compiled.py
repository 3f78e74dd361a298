"""Machine code is kept between processes, and not longer than it is right."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import sfumato.compiled

CALLEE = "from sfumato.compiled import compiled\n\n\n@compiled\ndef one():\n    return {n}\n"
CALLER = (
    "from sfumato.callee import one\nfrom sfumato.compiled import compiled\n\n\n"
    "@compiled\ndef two():\n    return one() + 1\n"
)


@pytest.mark.long
def test_a_kernel_is_compiled_anew_when_one_that_it_calls_changes(tmp_path):
    """Numba looks at the file of the caller alone."""
    package = tmp_path / "sfumato"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "compiled.py").write_text(Path(sfumato.compiled.__file__).read_text())
    (package / "caller.py").write_text(CALLER)

    def run() -> str:
        script = "from sfumato.caller import two; print(two())"
        environment = {**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, "-c", script]
        return subprocess.run(
            command, env=environment, check=True, capture_output=True, text=True
        ).stdout

    for n in (1, 5):
        (package / "callee.py").write_text(CALLEE.format(n=n))
        os.utime(package / "callee.py", (n, n))
        assert run() == f"{n + 1}\n"
    assert list((package / "__pycache__").glob("caller.two-*.nbc"))
