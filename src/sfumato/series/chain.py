"""The mathematics of a series: the next release, and what every two releases of a chain leave.

`next_release` decides a release given all earlier ones of the chain; saving it reads back what was
written and judges it beside all of them once more, in another way (`release.earlier_releases`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from sfumato.algorithms import SeriesAlgorithm
from sfumato.data.frequency import FrequencySet
from sfumato.data.naming import FixedNames
from sfumato.errors import BadInput, Unsatisfiable
from sfumato.formulas.correspondence.earlier_releases import n_people
from sfumato.formulas.correspondence.pair_flows import attack
from sfumato.formulas.correspondence.pairs import Attacked
from sfumato.progress import report
from sfumato.release import Release, anonymize
from sfumato.release.columns.naming import fewest_named, naming_many
from sfumato.release.columns.untouched import ToldApart
from sfumato.release.context import Context
from sfumato.release.earlier_releases.in_common import in_public
from sfumato.series.entries import Batch, ReleaseEntry
from sfumato.series.store import Store
from sfumato.series.terms import Terms
from sfumato.table import Table
from sfumato.text import counted


@dataclass(frozen=True)
class PairVerdict:
    """What the three attacks leave of two releases of a chain (Fung 2008, section 3)."""

    earlier: int
    later: int
    forward: int  # fewest records left of a class of the earlier one
    cross: int  # of the later one, for somebody who was there from the start
    backward: int | None  # of the later one, for somebody who came between; None: nobody did
    k: int

    @property
    def fewest(self) -> int:
        """Fewest records that any of the attacks leaves."""
        counts = (self.forward, self.cross, self.backward)
        return min(left for left in counts if left is not None)

    @property
    def holds(self) -> bool:
        """Whether k records are always left."""
        return self.fewest >= self.k

    def to_json(self) -> dict[str, Any]:
        """Plain values for a machine."""
        return asdict(self) | {"holds": self.holds}


def opened(entries: Sequence[ReleaseEntry], terms: Terms, store: Store) -> dict[int, Release]:
    """Open the releases of a chain by their numbers, withdrawn ones too, as the ledger has them."""
    releases: dict[int, Release] = {}
    for entry in entries:
        release = store.loaded(entry, terms)
        refuse_other_past(release, list(releases.values()), store.files_of(entry))
        releases[entry.number] = release
    return releases


def refuse_other_past(release: Release, before: Sequence[Release], where: object) -> None:
    """Refuse a release that names others as earlier than those the ledger has before it."""
    method = release.method.series
    named = [] if method is None else [str(each) for each in method.previous]
    if named != [each.public_view.digest for each in before]:
        raise BadInput(
            f"{where}: made beside other releases than those before it in the ledger; one of them "
            "was changed, so restore it"
        )


def next_release(
    table: Table,
    terms: Terms,
    method: SeriesAlgorithm,
    earlier: Mapping[int, Release],
    n_new: int,
    people: Mapping[int, tuple[FrequencySet, ...]],
    mark: str,
    context: Context | None = None,
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
        people: What each of them was made of.
        mark: Of the texts that releases of the chain name: those of many people in the first one.
        context: Who gets it, as the steward says.

    Raises:
        Unsatisfiable: There is none; the message says why, and what can be done.
        BadInput: A sensitive column tells quasi-identifiers, and so people apart.
    """
    if earlier and 0 < n_new < terms.k:  # necessary, and with safe earlier releases enough
        raise Unsatisfiable(
            f"no release after {max(earlier):03d} is safe: {counted(n_new, 'record')} came since, "
            f"fewer than k = {terms.k}, and everybody can tell how many are new; wait for "
            f"{terms.k - n_new} more (--wait keeps these for the next release)"
        )
    table.categories = fixed_names(table, terms, people, mark)
    try:
        method = after_all(method, earlier, people)
        return anonymize(table, terms.promise, method, context=context)
    except ToldApart as error:
        start = "a new chain (--new-chain)" if earlier else "the series anew"
        raise BadInput(
            f"{error.found}; a series publishes no such column: start {start} with it as a "
            "quasi-identifier, or without it"
        ) from None
    except Unsatisfiable as error:
        if not n_new:
            raise
        ways = "--wait keeps these records for the next release"
        if earlier:
            ways += ", --new-chain publishes them without the people so far"
        raise Unsatisfiable(f"{error} ({ways})") from None


def told_by_size(
    table: Table,
    terms: Terms,
    method: SeriesAlgorithm,
    earlier: Mapping[int, Release],
    people: Mapping[int, tuple[FrequencySet, ...]],
    mark: str,
) -> Sequence[str]:
    """Give the columns of which the next release would tell something, if only k counted.

    It depends on no sensitive value; the arguments are those of `next_release`.
    """
    table.categories = fixed_names(table, terms, people, mark)
    seen = naming_many(table, terms.promise, method).frequencies()
    return after_all(method, earlier, people).told_by_size(seen, terms.k)


def after_all(
    method: SeriesAlgorithm,
    earlier: Mapping[int, Release],
    people: Mapping[int, tuple[FrequencySet, ...]],
) -> SeriesAlgorithm:
    """Give the method with the earlier releases of a chain, and what these were made of."""
    return method.after(
        [earlier[number].public_view.knowing(people.get(number, ())) for number in sorted(earlier)]
    )


def fixed_names(
    table: Table, terms: Terms, people: Mapping[int, tuple[FrequencySet, ...]], mark: str
) -> FixedNames:
    """Give the texts that all releases of a chain name: those of many people in the first one.

    people: what earlier releases were made of, by their numbers; none: the table is the first.
    """
    first = people[min(people)][0] if people else table.frequencies()
    promised = fewest_named(terms.promise)
    rules = terms.quasi_identifiers.items()
    return FixedNames.of(first, {c: max(promised, rule.fewest_named) for c, rule in rules}, mark)


def made_of(
    releases: Sequence[ReleaseEntry], batches: Sequence[Batch], terms: Terms, store: Store
) -> dict[int, tuple[FrequencySet, ...]]:
    """Count what every release was made of: by that it is known who came when."""
    batches_by_release: dict[int, tuple[FrequencySet, ...]] = {}
    parts: tuple[FrequencySet, ...] = ()
    seen = 0
    for entry in releases:
        new = [each for each in batches if seen < each.number <= entry.last_batch]
        if new:
            parts = (*parts, terms.read(store.source(new)).frequencies())
        batches_by_release[entry.number] = parts
        seen = entry.last_batch
    return batches_by_release


def pair_verdicts(
    earlier: Sequence[int], last: int, attacked: Sequence[Attacked], k: int
) -> list[PairVerdict]:
    """Say what attacks leave of a release together with each of the earlier ones, by number."""
    verdicts = []
    for number, pair in zip(earlier, attacked, strict=True):
        forward, cross, backward = pair.anonymity
        left = backward if n_people(pair.first) < n_people(pair.second) else None
        verdicts.append(PairVerdict(number, last, forward, cross, left, k))
    return verdicts


def attacked_by_pairs(releases: Mapping[int, Release], terms: Terms) -> list[PairVerdict]:
    """Attack every two releases of a chain, from their public files."""
    if len(releases) < 2:
        return []
    report("comparing releases")
    numbers = sorted(releases)
    seen = in_public([releases[number].public_view for number in numbers])
    classes = [each.classes for each in seen]
    verdicts = []
    for j, last in enumerate(numbers):
        attacked = [attack(first, classes[j]) for first in classes[:j]]
        verdicts += pair_verdicts(numbers[:j], last, attacked, terms.k)
    return verdicts
