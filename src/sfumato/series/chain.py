"""The mathematics of a series, in two functions: the next release, and the check of a whole chain.

`next_release` decides a release given all earlier ones of the chain; saving it compares what was
written with all of them at once. `compared` measures what every two releases leave of each other's
classes, on the published tables alone: another way to the same end, so that one mistake
is not enough.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from sfumato.algorithms import BCFAnonymizer
from sfumato.errors import Unsatisfiable
from sfumato.formulas.generators import attack
from sfumato.progress import report
from sfumato.release import Release, anonymize
from sfumato.release.in_common import in_public
from sfumato.series.terms import Terms
from sfumato.table import Table


@dataclass(frozen=True)
class Compared:
    """What the three attacks leave of two releases of a chain (Fung 2008, section 3)."""

    earlier: int
    later: int
    forward: int  # fewest records left of a class of the earlier one
    cross: int  # of the later one, for somebody who was there from the start
    backward: int  # of the later one, for somebody who came between
    k: int

    @property
    def holds(self) -> bool:
        """Whether k records are always left."""
        return min(self.forward, self.cross, self.backward) >= self.k

    def to_json(self) -> dict[str, Any]:
        """Plain values for a machine."""
        return asdict(self) | {"holds": self.holds}


def next_release(table: Table, terms: Terms, earlier: Mapping[int, Release], n_new: int) -> Release:
    """Decide a release of all records so far that is safe beside the earlier ones.

    Args:
        table: All records so far.
        terms: Criterion and method.
        earlier: The releases of the chain, by their numbers.
        n_new: Records that came since the last of them.

    Raises:
        Unsatisfiable: There is none; the message says why, and what can be done.
    """
    if earlier and n_new < terms.k:  # necessary, and with safe earlier releases enough
        raise Unsatisfiable(
            f"no release after {max(earlier):03d} is safe: {n_new} records came since, fewer than "
            f"k = {terms.k}, so at most that many could be a newcomer's (Fung 2008, corollary 5.1)"
            "; wait for more records (--wait keeps these for the next release)"
        )
    previous = [earlier[number] for number in sorted(earlier)]
    try:
        return anonymize(table, terms.promise, BCFAnonymizer(previous, terms.method.score))
    except Unsatisfiable as error:
        if not earlier:
            raise
        raise Unsatisfiable(
            f"{error} (--wait keeps these records for the next release, --new-chain publishes them "
            "without the people so far)"
        ) from None


def compared(releases: Mapping[int, Release], terms: Terms) -> list[Compared]:
    """Attack the last release together with each of the earlier ones, from the public files."""
    *earlier, last = sorted(releases)
    if not earlier:
        return []
    report("comparing releases")
    seen = in_public([releases[number].earlier for number in (*earlier, last)])
    own = seen[-1].published
    return [
        Compared(number, last, *attack(first.published, own).anonymity, terms.k)
        for number, first in zip(earlier, seen, strict=False)
    ]
