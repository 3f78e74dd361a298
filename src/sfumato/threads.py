"""Compiled work on several cores at once."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar


Part = TypeVar("Part")
Result = TypeVar("Result")


def in_threads(work: Callable[[Part], Result], parts: Sequence[Part]) -> Iterator[Result]:
    """Give the result of every part in the order of the parts, on as many cores as there are.

    The parts must not write to the same memory. Kernels run beside each other, Python does not.
    """
    cores = min(len(os.sched_getaffinity(0)), len(parts))
    if cores <= 1:
        yield from map(work, parts)
        return
    pool = ThreadPoolExecutor(cores)
    try:
        yield from pool.map(work, parts)
    finally:
        pool.shutdown(cancel_futures=True)
