"""The mathematics of a series, in two functions: the next release, and the check of a whole chain.

`next_release` decides a release given all earlier ones of the chain; saving it compares what was
written with all of them at once. `compared` measures what every two releases leave of each other's
classes, on the published tables alone: another way to the same end, so that one mistake
is not enough.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from sfumato.algorithms import BCFAnonymizer
from sfumato.attacks.matching import boxes_in
from sfumato.data.domain import Domain
from sfumato.data.frequency import FrequencySet, Grouping
from sfumato.data.groups import Histogram
from sfumato.data.hierarchy import Codes
from sfumato.data.labels import Labels
from sfumato.errors import Unsatisfiable
from sfumato.formulas.cells import Published
from sfumato.formulas.generators import attack
from sfumato.formulas.series import n_people
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
    backward: int | None  # of the later one, for somebody who came between; None: nobody did
    k: int

    @property
    def holds(self) -> bool:
        """Whether k records are always left."""
        found = (self.forward, self.cross, self.backward)
        return all(left is None or left >= self.k for left in found)

    def to_json(self) -> dict[str, Any]:
        """Plain values for a machine."""
        return asdict(self) | {"holds": self.holds}


def next_release(
    table: Table,
    terms: Terms,
    method: BCFAnonymizer,
    earlier: Mapping[int, Release],
    n_new: int,
    people: Mapping[int, tuple[FrequencySet, ...]],
) -> Release:
    """Decide a release of all records so far that is safe beside the earlier ones.

    All of them count, whoever got them: recipients may show each other what they have, which is
    as if one had it all (Fung 2008, section 3).

    Args:
        table: All records so far.
        terms: What is promised.
        method: That of the terms, with the columns of the recipient.
        earlier: The releases of the chain, by their numbers.
        n_new: Records that came since the last of them; none: it is of the same people.
        people: What each of them was made of, as far as it is known.

    Raises:
        Unsatisfiable: There is none; the message says why, and what can be done.
    """
    if earlier and 0 < n_new < terms.k:  # necessary, and with safe earlier releases enough
        raise Unsatisfiable(
            f"no release after {max(earlier):03d} is safe: {n_new} records came since, fewer than "
            f"k = {terms.k}, so at most that many could be a newcomer's (Fung 2008, corollary 5.1)"
            "; wait for more records (--wait keeps these for the next release)"
        )
    previous = [
        replace(earlier[number].earlier, people=people.get(number, ()))
        for number in sorted(earlier)
    ]
    try:
        return anonymize(table, terms.promise, replace(method, previous=previous))  # type: ignore[arg-type]
    except Unsatisfiable as error:
        if not n_new:
            raise
        ways = "--wait keeps these records for the next release"
        if earlier:
            ways += ", --new-chain publishes them without the people so far"
        raise Unsatisfiable(f"{error} ({ways})") from None


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
    found = []
    for number in earlier:
        forward, cross, backward = attack(read[number], read[last]).anonymity
        somebody_came = n_people(read[number]) < n_people(read[last])
        left = backward if somebody_came else None
        found.append(Compared(number, last, forward, cross, left, terms.k))
    return found


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
