"""Kernels: plain loops that Numba compiles at their first call."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numba


def compiled(kernel: Callable[..., Any]) -> Any:
    """Compile a kernel, and keep the machine code for the next process if there is a place for it.

    There may be none: a service account has no home and may not write where the package is, or
    the disk is full. That costs the time to compile, not the work.
    """
    try:
        dispatcher = numba.njit(cache=True)(kernel)
    except RuntimeError:  # Numba found no place
        return numba.njit(kernel)
    cache = getattr(dispatcher, "_cache", None)  # None: Numba is switched off
    if cache is not None:
        cache.save_overload = _if_possible(cache.save_overload)
    return dispatcher


def _if_possible(keep: Callable[..., None]) -> Callable[..., None]:
    def keep_if_possible(*overload: Any) -> None:
        with suppress(OSError):
            keep(*overload)

    return keep_if_possible
