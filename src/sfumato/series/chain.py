"""The mathematics of a series, in two functions: the next release, and the check of a whole chain.

`next_release` decides a release given all earlier ones of the chain. `compared` measures what two
releases leave of each other's classes, on the published tables themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from sfumato.attacks.matching import boxes_in
from sfumato.criteria import KAnonymity
from sfumato.data.domain import Domain
from sfumato.data.frequency import Grouping
from sfumato.data.groups import Histogram
from sfumato.data.hierarchy import Codes
from sfumato.data.labels import Labels
from sfumato.errors import Unsatisfiable
from sfumato.formulas.cells import Published
from sfumato.formulas.generators import attack
from sfumato.progress import report
from sfumato.release import Release, anonymize
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


def next_release(
    table: Table,
    terms: Terms,
    earlier: Mapping[int, Release],
    n_new: int,
    stage: Callable[[Release], Release],
) -> tuple[Release, list[Compared]]:
    """Decide a release of all records so far that is safe beside the earlier ones.

    Args:
        table: All records so far.
        terms: Criterion and method.
        earlier: The releases of the chain, by their numbers.
        n_new: Records that came since the last of them.
        stage: Writes a release and reads it back: what is compared is what was written.

    Returns:
        The staged release, and how it compares with each of the earlier ones.

    Raises:
        Unsatisfiable: There is none; the message says why, and what can be done.
    """
    if not earlier:
        return stage(anonymize(table, terms.criterion, terms.method)), []
    last, k = max(earlier), terms.k
    if n_new < k:  # necessary, and with safe earlier releases enough
        raise Unsatisfiable(
            f"no release after {last:03d} is safe: {n_new} records came since, fewer than k = {k}, "
            "so at most that many could be a newcomer's (Fung 2008, corollary 5.1); wait for more "
            "records (--wait keeps these for the next release)"
        )
    # Coarser and coarser until nothing is given away; one class of everybody is the end.
    least, found = k, list[Compared]()
    while True:
        asked = terms.criterion if least == k else terms.criterion & KAnonymity(least)
        try:
            candidate = anonymize(table, asked, terms.method)
        except Unsatisfiable as error:
            raise Unsatisfiable(f"{error}; {OFFERS}") from None
        staged = stage(candidate)
        found = compared({**earlier, last + 1: staged}, table, terms)
        if all(each.holds for each in found):
            return staged, found
        if least >= table.n_rows:
            break
        least = min(2 * least, table.n_rows)
    worst = min(found, key=lambda each: min(each.forward, each.cross, each.backward))
    raise Unsatisfiable(
        f"no release beside {worst.earlier:03d} is safe: with everybody in one class the attacks "
        f"leave {worst.forward}, {worst.cross} and {worst.backward} records (forward, cross, "
        f"backward), where k = {k} is asked for; {OFFERS}"
    )


OFFERS = (
    "wait for more records (--wait keeps these for the next release), or publish them without the "
    "people so far as a new chain (--new-chain)"
)


def compared(releases: Mapping[int, Release], table: Table, terms: Terms) -> list[Compared]:
    """Attack the last release together with each of the earlier ones.

    `table` has all records of the last one: its ground values say what labels stand for.
    """
    *earlier, last = sorted(releases)
    report("comparing releases")
    values: dict[object, int] = {}
    seen = {number: _values(each.published, values) for number, each in releases.items()}
    read = {
        number: _as_attacked(each, table.domains, seen[number], max(1, len(values)))
        for number, each in releases.items()
    }
    return [
        Compared(number, last, *attack(read[number], read[last]).anonymity, terms.k)
        for number in earlier
    ]


def _values(seen: Grouping, values: dict[object, int]) -> Codes:
    """Number the sensitive values of every counted combination, the same in all releases; (n,)."""
    counted = seen.frequencies
    if not counted.sensitive:
        return np.zeros(len(counted), dtype=np.int32)
    people = counted.persons_values
    texts = [Labels.of(counted.domains[name].labels) for name in counted.sensitive]
    combinations = [
        values.setdefault(tuple(each[c] for each, c in zip(texts, row, strict=True)), len(values))
        for row in people.codes[:, : len(texts)].tolist()
    ]
    return np.array(combinations, dtype=np.int32)[people.of_key]


def _as_attacked(
    release: Release, domains: Mapping[str, Domain], codes: Codes, n_values: int
) -> Published:
    """See a published table in ground ranks of all records; its labels say where classes lie."""
    seen = release.published
    shape = (len(seen.boxes), n_values)
    histogram = Histogram.from_entries(seen.index, codes, seen.frequencies.counts, shape)
    return Published.of(boxes_in(domains, seen), histogram, release.n_suppressed)
