"""Kernels: plain loops that Numba compiles at their first call."""

from __future__ import annotations

import hashlib
import importlib
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from types import FunctionType, ModuleType, SimpleNamespace
from typing import Any

import numpy as np

from sfumato.memory import PER_CORE, left
from sfumato.progress import report

# The compiler's libraries, with what they set aside for a thread on each core. One of them tries
# without end where it does not get that.
ROOM = (384 << 20) + PER_CORE * (os.cpu_count() or 1)
if (room := left()) is not None and room < ROOM:
    raise MemoryError(
        f"not enough memory for compiling: {room >> 20} MB are left, and {ROOM >> 20} MB are needed"
    )

import numba  # noqa: E402  (only where there is room)
import numba.np.linalg as linear_algebra  # noqa: E402
from numba.core.dispatcher import Dispatcher  # noqa: E402
from numba.core.runtime.nrt import rtsys  # noqa: E402
from numba.core.types import unliteral  # noqa: E402

FEW_STEPS = 2_000_000  # of a module's loops: Python takes a second or two, and so does compiling


ARRAY_FUNCTIONS = "numba.np.arraymath"


@contextmanager
def _without_linear_algebra() -> Iterator[None]:
    """Let Numba load its functions on arrays without SciPy's linear algebra.

    It asks whether there is any, which takes a third of a second of a process that may need nothing
    of it. There is: SciPy is installed with this package, and is imported where others use it.
    """
    if ARRAY_FUNCTIONS in sys.modules or not hasattr(linear_algebra, "ensure_blas"):
        yield
        return

    def later() -> None:
        raise ImportError

    asked = linear_algebra.ensure_blas
    linear_algebra.ensure_blas = later
    try:
        yield
    finally:
        linear_algebra.ensure_blas = asked
        if (functions := sys.modules.get(ARRAY_FUNCTIONS)) is not None:
            vars(functions)["_HAVE_BLAS"] = True


def _load_array_functions() -> None:
    """Load them before they are compiled with."""
    with _without_linear_algebra():
        importlib.import_module(ARRAY_FUNCTIONS)


def compiled(kernel: Callable[..., Any]) -> Any:
    """Compile a kernel, and keep the machine code for the next process if there is a place for it.

    There may be none: a service account has no home and may not write where the package is, or
    the disk is full. That costs the time to compile, not the work.
    """
    try:
        dispatcher = numba.njit(cache=True, nogil=True)(kernel)
    except RuntimeError:  # Numba found no place
        _load_array_functions()
        dispatcher = numba.njit(nogil=True)(kernel)
    if hasattr(dispatcher, "compile"):  # else Numba is switched off
        dispatcher.compile = _whatever_number(dispatcher.compile)  # type: ignore[method-assign]
    kept = getattr(dispatcher, "_cache", None)
    index = getattr(kept, "_cache_file", None)
    if kept is not None and index is not None:
        kept.load_overload = _saying_if_absent(kept)
        kept.save_overload = _if_possible(kept.save_overload)
        index._source_stamp = (index._source_stamp, _all_kernels())
        index._load_index = _if_readable(index._load_index)
    return dispatcher


def suited(kernels: ModuleType, n_steps: int) -> Any:
    """Give the kernels of a module: as machine code, or as they are written for few steps.

    Who has little to do is not kept waiting for a compiler: not before a module's loops have run
    for as long, in this process, as compiling takes. Machine code that is there is taken whatever
    there is to do, so this is about the first times on a machine.

    n_steps: about how often the innermost loop will run.
    """
    name = kernels.__name__
    n_done = _n_done.get(name, 0) + n_steps
    if n_done > FEW_STEPS:
        return kernels
    own = _kernels_of(kernels)
    waiting = [each for each in own if not is_kept(own[each])]
    if not waiting:
        return kernels
    _n_done[name] = n_done
    written = _as_written(name)
    return SimpleNamespace(**own | {each: _wrapping(written[each]) for each in waiting})


_n_done: dict[str, int] = {}  # by module: steps of loops as they are written


@cache
def _kernels_of(module: ModuleType) -> dict[str, Any]:
    return {name: each for name, each in vars(module).items() if isinstance(each, Dispatcher)}


def is_kept(kernel: Any) -> bool:
    """Whether machine code is there: in this process, or from one before."""
    return bool(kernel.signatures) or _was_kept(kernel)


@cache
def _was_kept(kernel: Any) -> bool:
    file = getattr(getattr(kernel, "_cache", None), "_cache_file", None)
    return file is not None and bool(file._load_index())


_written: dict[str, dict[str, Any]] = {}  # by module: what is in it, kernels as they are written


def _as_written(module: str) -> dict[str, Any]:
    """Give what is in a module, with kernels that call each other without being compiled."""
    if module not in _written:
        names = _written[module] = dict(vars(sys.modules[module]))
        for name, each in [*names.items()]:
            if isinstance(each, Dispatcher):
                kernel = each.py_func
                names[name] = FunctionType(
                    kernel.__code__, _as_written(kernel.__module__), name, kernel.__defaults__
                )
    return _written[module]


def _wrapping(loop: Callable[..., Any]) -> Callable[..., Any]:
    def as_compiled(*given: Any) -> Any:
        with np.errstate(all="ignore"):  # as machine code does, whole numbers wrap
            return loop(*given)

    return as_compiled


@cache
def _all_kernels() -> str:
    """Say which kernels these are.

    Numba keeps machine code as long as the file of a kernel is the same, but a kernel contains what
    it calls from other files: old code would go on running there after an upgrade.
    """
    digest = hashlib.sha256()
    for path in sorted(Path(__file__).parent.rglob("*.py")):
        source = path.read_bytes()
        if b"@compiled" in source:
            digest.update(source)
    return digest.hexdigest()


def _if_readable(load: Callable[[], dict[Any, Any]]) -> Callable[[], dict[Any, Any]]:
    """Take an index that cannot be read for an empty one.

    It names types by their modules, and Numba reads it whole before it looks whether it is still
    true: after an upgrade a module may be gone.
    """

    def load_if_readable() -> dict[Any, Any]:
        try:
            return load()
        except Exception:  # whatever unpickling raises; then kernels are compiled anew
            return {}

    return load_if_readable


def _whatever_number(compile_: Callable[..., Any]) -> Callable[..., Any]:
    """Compile for any number of a type: Numba would first do it for the number that is written."""

    def compile_once(signature: tuple[Any, ...]) -> Any:
        return compile_(tuple(map(unliteral, signature)))

    return compile_once


def _saying_if_absent(kept: Any) -> Callable[..., Any]:
    """Report what is waited for: to compile takes seconds where to run takes a fraction of one.

    What is kept needs Numba's memory manager, and nothing of what it knows of Python: it loads that
    itself when it compiles.
    """

    def load_or_say(signature: Any, context: Any) -> Any:
        rtsys.initialize(context)
        with kept._guard_against_spurious_io_errors(), _without_linear_algebra():
            if (found := kept._load_overload(signature, context)) is not None:
                return found
        report("compiling, once on this machine")
        _load_array_functions()
        return None

    return load_or_say


def _if_possible(keep: Callable[..., None]) -> Callable[..., None]:
    def keep_if_possible(*overload: Any) -> None:
        with suppress(OSError):
            keep(*overload)

    return keep_if_possible
