"""The mathematics of a series, in two functions: the next release, and the check of a whole chain.

`next_release` decides a release given all earlier ones of the chain. `compared` measures what two
releases leave of each other's classes, on the published tables themselves.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from sfumato.criteria import KAnonymity
from sfumato.data.domain import Domain
from sfumato.data.groups import Histogram
from sfumato.data.hierarchy import Hierarchy, Prefix
from sfumato.errors import BadInput, Unsatisfiable
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
    if not earlier:
        return anonymize(table, terms.criterion, terms.method)
    last, k = max(earlier), terms.k
    if n_new < k:  # necessary, and with safe earlier releases enough
        raise Unsatisfiable(
            f"no release after {last:03d} is safe: {n_new} records came since, fewer than k = {k}, "
            "so at most that many could be a newcomer's (Fung 2008, corollary 5.1); wait for more "
            "records (--wait keeps these for the next release), or gather k for a new chain"
        )
    # Coarser and coarser until nothing is given away; one class of everybody is the end.
    least = k
    while True:
        asked = terms.criterion if least == k else terms.criterion & KAnonymity(least)
        try:
            candidate = anonymize(table, asked, terms.method)
        except Unsatisfiable as error:
            if least > k:
                break
            raise Unsatisfiable(f"{error}; {OFFERS}") from None
        found = compared({**earlier, last + 1: candidate}, table, terms)
        if all(each.holds for each in found):
            return candidate
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
    nodes = {
        name: _nodes(table.domains[name], rule) for name, rule in terms.quasi_identifiers.items()
    }
    values: dict[object, int] = {}
    entries = {n: _entries(release, nodes, terms, values) for n, release in releases.items()}
    n_values = max(1, len(values))
    read = {n: _boxes(each, n_values, releases[n].n_suppressed) for n, each in entries.items()}
    found = []
    for number in earlier:
        left = attack(read[number], read[last]).anonymity
        found.append(Compared(number, last, *left, terms.k))
    return found


Entries = tuple[np.ndarray, np.ndarray, np.ndarray]  # boxes (n, d, 2), codes (n,), counts (n,)


def _entries(
    release: Release,
    nodes: Mapping[str, Mapping[object, tuple[int, int]]],
    terms: Terms,
    values: dict[object, int],
) -> Entries:
    """Read a published table: its boxes in ground ranks, and its sensitive values as codes."""
    counted = release.published.frequencies
    sides = []
    for name, known in nodes.items():
        rule = terms.quasi_identifiers[name]
        labels = counted.domains[name].labels
        unknown = [label for label in labels if _key(label, rule) not in known]
        if unknown:
            raise BadInput(
                f"a release has values of {name!r} that its hierarchy has no node for", unknown
            )
        intervals = np.array([known[_key(label, rule)] for label in labels], dtype=np.int32)
        sides.append(intervals[counted.codes(name)])
    boxes = np.stack(sides, axis=1)
    if not counted.sensitive:
        return boxes, np.zeros(len(boxes), dtype=np.int32), counted.counts
    people = counted.persons_values
    texts = [[_text(label) for label in counted.domains[name].labels] for name in counted.sensitive]
    combinations = [
        values.setdefault(tuple(each[c] for each, c in zip(texts, row, strict=True)), len(values))
        for row in people.codes[:, : len(texts)].tolist()
    ]
    return boxes, np.array(combinations, dtype=np.int32)[people.of_key], counted.counts


def _boxes(entries: Entries, n_values: int, n_suppressed: int) -> Published:
    boxes, codes, counts = entries
    rows = np.arange(len(boxes), dtype=np.intp)
    histogram = Histogram.from_entries(rows, codes, counts, (len(boxes), n_values))
    return Published.of(boxes, histogram, n_suppressed)


def _nodes(domain: Domain, rule: Hierarchy) -> dict[object, tuple[int, int]]:
    """Every label that can be published of a column, and the interval of ranks it stands for."""
    taxonomy = domain.taxonomy
    found: dict[object, tuple[int, int]] = {}
    for level in reversed(range(taxonomy.height + 1)):  # a value may be named like its parent
        ends = zip(taxonomy.low[level].tolist(), taxonomy.high[level].tolist(), strict=True)
        for label, interval in zip(taxonomy.labels[level], ends, strict=True):
            found.setdefault(_key(label, rule), interval)
    return found


def _key(label: object, rule: Hierarchy) -> object:
    """How a label is found again; a mask is as long as the longest code, which may still come."""
    text = _text(label)
    if isinstance(rule, Prefix) and text is not None and text.endswith("*"):
        return text.rstrip("*"), "masked"
    return text


def _text(label: object) -> str | None:
    if label is None:
        return None
    return str(label).lower() if isinstance(label, bool) else str(label)
