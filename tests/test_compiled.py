"""Machine code is kept between processes, and not longer than it is right."""

import os
import shutil
import subprocess
import sys

import pytest

import sfumato.compiled
import sfumato.errors
import sfumato.memory
import sfumato.progress

CALLEE = "from sfumato.compiled import compiled\n\n\n@compiled\ndef one():\n    return {n}\n"
CALLER = (
    "from sfumato.callee import one\nfrom sfumato.compiled import compiled\n\n\n"
    "@compiled\ndef two():\n    return one() + 1\n"
)


SHAPE = "from typing import NamedTuple\n\n\nclass Shape(NamedTuple):\n    sides: int\n"
COUNTER = (
    "from sfumato.compiled import compiled\n\n\n"
    "@compiled\ndef sides(shape):\n    return shape.sides\n"
)


@pytest.fixture
def package(tmp_path):
    """A package with the decorator in it, and nothing else yet."""
    package = tmp_path / "sfumato"
    package.mkdir()
    (package / "__init__.py").write_text("")
    for module in (sfumato.compiled, sfumato.errors, sfumato.memory, sfumato.progress):
        shutil.copy(module.__file__, package)
    return package


def run(package, script) -> str:
    environment = {
        **os.environ,
        "PYTHONPATH": str(package.parent),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    command = [sys.executable, "-c", script]
    return subprocess.run(
        command, env=environment, check=True, capture_output=True, text=True
    ).stdout


CALLED_ON = (
    "import numpy as np\nfrom sfumato.callee import one\n"
    "from sfumato.compiled import compiled\n\n\n@compiled\n"
    "def summed(n):\n    if n == 0:\n        return 0\n"
    "    big = np.int64(2**62)\n    return summed(n - 1) + one() + big + big + big + big\n"
)


@pytest.mark.long
def test_who_has_little_to_do_waits_for_no_compiler(package):
    """Kernels that call each other, and themselves, wrap whole numbers as machine code does."""
    (package / "callee.py").write_text(CALLEE.format(n=1))
    (package / "loops.py").write_text(CALLED_ON)
    script = (
        "import sfumato.loops as loops; from sfumato.compiled import FEW_STEPS, suited; "
        "print(suited(loops, {n}).summed(3), bool(loops.summed.signatures), "
        "bool(loops.one.signatures))"
    )
    assert run(package, script.format(n=10)) == "3 False False\n"
    assert run(package, script.format(n="FEW_STEPS + 1")) == "3 True True\n"
    assert (
        run(package, script.format(n=10)) == "3 True False\n"
    )  # it is there now, with `one` in it


AUDITED = """
import sfumato as sf
from numba.core.dispatcher import Dispatcher

compiled = []
whole = Dispatcher.compile
Dispatcher.compile = lambda self, sig: (compiled.append(self.py_func.__name__), whole(self, sig))[1]
roles = {"age": sf.Intervals(5, 10, 20), "zip": sf.Prefix(), "sex": sf.Flat()}
patients = sf.read(sf.datasets.patients(), roles, "disease", identifiers=["name"])
for method in (sf.Mondrian(), sf.Mondrian(look_ahead=True), sf.Anatomy()):
    release = sf.anonymize(patients, sf.KAnonymity(5) & sf.LDiversity(3), method)
    sf.audit(release)
    sf.knowledge_skyline(release, "HIV")
print(compiled)
"""


@pytest.mark.long
def test_two_thousand_people_are_released_and_attacked_without_a_compiler(tmp_path):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-W", "error", "-c", AUDITED]
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    assert done.stdout == "[]\n"


@pytest.mark.long
def test_a_kernel_is_compiled_anew_when_one_that_it_calls_changes(package):
    """Numba looks at the file of the caller alone."""
    (package / "caller.py").write_text(CALLER)
    for n in (1, 5):
        (package / "callee.py").write_text(CALLEE.format(n=n))
        os.utime(package / "callee.py", (n, n))
        assert run(package, "from sfumato.caller import two; print(two())") == f"{n + 1}\n"
    assert list((package / "__pycache__").glob("caller.two-*.nbc"))


@pytest.mark.long
def test_a_kernel_is_compiled_anew_when_a_module_of_its_types_is_gone(package):
    """Numba reads the types of what is kept before it looks whether that is still true."""
    (package / "counter.py").write_text(COUNTER)
    for module in ("shapes", "forms"):
        (package / f"{module}.py").write_text(SHAPE)
        script = (
            f"from sfumato.{module} import Shape; from sfumato.counter import sides; "
            "print(sides(Shape(4)))"
        )
        assert run(package, script) == "4\n"
        (package / f"{module}.py").unlink()
    assert list((package / "__pycache__").glob("counter.sides-*.nbi"))


@pytest.mark.long
def test_whoever_waits_for_the_compiler_is_told_so(package):
    (package / "callee.py").write_text(CALLEE.format(n=1))
    script = (
        "from sfumato.callee import one; from sfumato.progress import listening\n"
        "with listening(lambda stage, done, total: print(stage)):\n    one()"
    )
    assert run(package, script) == "compiling, once on this machine\n"
    assert run(package, script) == ""


def test_kernels_need_no_linear_algebra_and_leave_it_to_those_who_do(package):
    (package / "callee.py").write_text(CALLEE.format(n=1))
    script = (
        "import sys, numba, numpy as np\n"
        "from sfumato.callee import one\n"
        "one()\n"
        "print('scipy.linalg' in sys.modules)\n"
        "print(numba.njit(lambda a: np.dot(a, a))(2 * np.eye(1)), 'scipy.linalg' in sys.modules)\n"
        "print(numba.njit(lambda a: np.cov(a))(np.array([1.0, 3.0])))\n"
    )
    assert run(package, script).split() == ["False", "[[4.]]", "True", "2.0"]
