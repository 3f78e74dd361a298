"""The shape of an algorithm."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, Literal, Self

import numpy as np

from sfumato.criteria.criterion import Criterion
from sfumato.data.frequency import FrequencySet
from sfumato.data.recoding import Recoding
from sfumato.doors import Registry
from sfumato.parameters import fraction
from sfumato.spec import build, describe, name_of, to_spec

Minimality = Literal["full-domain", "regions", "local", "cut"]
Draw = Callable[[int], bytes]  # so many random bytes, from the operating system when publishing

ALGORITHMS: Registry[Algorithm] = Registry("method", "sfumato.methods")


class Algorithm(ABC):
    """Decides a recoding that satisfies a criterion; joins by being a class of its own.

    An adversary is assumed to know which algorithm ran; three properties say how much that
    helps (Cormode 2010).
    """

    symmetric: ClassVar[bool]  # exchanging the people of a group changes nothing
    joint: ClassVar[bool]  # decisions look at quasi-identifiers and sensitive values together

    def __init_subclass__(cls, **extra: Any) -> None:
        super().__init_subclass__(**extra)
        ALGORITHMS.join(cls)

    @property
    def bucketized(self) -> bool:
        """Whether quasi-identifiers and sensitive values are published apart."""
        return False

    @property
    def experiment(self) -> bool:
        """Whether chance comes from a seed: then anybody who knows the seed can repeat it."""
        return getattr(self, "seed", None) is not None

    @property
    def deterministic(self) -> bool:
        """Whether decisions leave nothing to chance, the order of equal people apart."""
        return True

    @property
    def sets(self) -> bool:
        """Whether people may have any number of sensitive values, or none.

        Then two tables are published, and groups are judged as a whole: no one value of a person
        decides where he goes.
        """
        return False

    @property
    def minimality(self) -> Minimality | None:
        """By which steps down it can be known to have gone as far as it could (Wong 2009).

        No single step further is safe: one column one level down ("full-domain"), any cut of any
        region ("regions"), one column of one group ("local"), one node of one column ("cut").
        None: it promises nothing of the kind.
        """
        return None

    @abstractmethod
    def search(self, frequencies: FrequencySet, criterion: Criterion, draw: Draw) -> Recoding:
        """Find a recoding; raise `Unsatisfiable` with the evidence when there is none."""

    @classmethod
    def from_job(cls, parameters: Any, place: Path, where: str) -> Self:
        """Build the method that a job file in `place` describes; paths are relative to that.

        where: what errors name, besides the parameter.
        """
        del place  # most have no paths
        return build(cls, name_of(cls), parameters, where)

    def spec(self) -> dict[str, Any]:
        """Write the algorithm down as job files and `release.json` do."""
        return to_spec(self)

    def __str__(self) -> str:
        return describe(self)


def chances(method: Algorithm) -> Draw:
    """Give the randomness of a release: the operating system's, or that of an experiment's seed.

    >>> from sfumato import Mondrian
    >>> draw, again = (chances(Mondrian(strict=False, seed=7)) for _ in range(2))
    >>> draw(4) == again(4), chances(Mondrian())(4) == chances(Mondrian())(4)
    (True, False)
    """
    if method.experiment:
        return np.random.default_rng(getattr(method, "seed")).bytes  # noqa: B009
    return os.urandom


def allowed_rows(max_suppressed: float, n_rows: int) -> int:
    """Turn a limit into rows: an int is a number of rows, a float a share of them.

    At least one row has to be published, so not all may be suppressed.

    >>> allowed_rows(2, 10), allowed_rows(0.25, 10), allowed_rows(0.3, 10), allowed_rows(1.0, 10)
    (2, 2, 3, 9)
    """
    if isinstance(max_suppressed, (int, np.integer)):
        return min(int(max_suppressed), n_rows - 1)
    share = fraction(max_suppressed)
    return min(share.numerator * n_rows // share.denominator, n_rows - 1)
