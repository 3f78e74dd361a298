"""Whether a series is what its ledger says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sfumato.errors import BadInput, SfumatoError
from sfumato.files.staged import DESCRIPTION
from sfumato.progress import report
from sfumato.release.check import checked
from sfumato.series.ledger import Batch, Ledger, ReleaseEntry
from sfumato.series.recover import tidy
from sfumato.series.store import Store
from sfumato.series.terms import Terms
from sfumato.text import count, counted


@dataclass(frozen=True)
class Verified:
    """What was found and done; `problems` is empty if all is in order."""

    n_batches: int
    n_releases: int
    tidied: tuple[str, ...]
    problems: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether everything is as the ledger says."""
        return not self.problems

    def __bool__(self) -> bool:
        return self.holds

    def to_json(self) -> dict[str, Any]:
        """Plain values for a machine."""
        lists = {"tidied": list(self.tidied), "problems": list(self.problems)}
        return asdict(self) | lists | {"holds": self.holds}


def verify(store: Store) -> Verified:
    """Tidy after a crash, and compare every file with the ledger."""
    with store.locked(), Ledger(store.ledger) as ledger:
        damage = ledger.damage()
        if damage is not None:
            raise BadInput(f"{store.ledger}: the ledger is damaged: {damage}; restore a copy")
        tidied: list[str] = []
        problems: list[str] = []
        try:
            tidied = tidy(store, ledger)
        except SfumatoError as error:
            problems.append(str(error))
        batches, releases = ledger.batches, ledger.releases
        report("verifying")
        problems += [
            *_of_places(store, ledger, releases, batches),
            *_of_batches(store, batches),
            *(each for entry in releases for each in _of_release(store, ledger, entry, batches)),
        ]
    return Verified(len(batches), len(releases), tuple(tidied), tuple(dict.fromkeys(problems)))


def _of_places(
    store: Store, ledger: Ledger, releases: list[ReleaseEntry], batches: list[Batch]
) -> Iterator[str]:
    try:
        store.key(ledger)
    except BadInput as error:
        yield str(error)
    known = {store.release(entry.number) for entry in releases}
    known |= {store.batch(batch.number) for batch in batches}
    for path in sorted([*store.public.iterdir(), *store.batches.iterdir()]):
        if path not in known:
            yield f"{path}: not in the ledger"


def _of_batches(store: Store, batches: list[Batch]) -> Iterator[str]:
    for batch in batches:
        try:
            store.refuse_changed(batch)
        except BadInput as error:
            yield str(error)


def _of_release(
    store: Store, ledger: Ledger, entry: ReleaseEntry, batches: list[Batch]
) -> Iterator[str]:
    """Compare a release with its entry, and check its promise on the published table.

    On its classes: beside the earlier releases it was checked when it was published, and nothing
    has changed since if all digests are right. `audit` compares them again.
    """
    place = store.release(entry.number)
    (chain,) = (each for each in ledger.chains if each.number == entry.chain)
    terms = Terms.from_json(chain.terms, str(store.ledger))
    yield from _of_files(place)
    try:
        release = store.loaded(entry)
        promised = (release.criterion, terms.criterion)
        verdicts = [checked(release.seen, each, n_unseen=release.n_suppressed) for each in promised]
    except SfumatoError as error:
        yield str(error)
        return
    if (verdicts[0].n_rows, release.n_suppressed) != (entry.n_rows, entry.n_suppressed):
        rows = counted(verdicts[0].n_rows, "row")
        yield f"{place}: {rows}, where the ledger says {count(entry.n_rows)}"
    n_covered = sum(batch.n_rows for batch in batches if entry.covers(batch))
    if entry.n_rows + entry.n_suppressed != n_covered:
        rows = f"{counted(entry.n_rows, 'row')} of {count(n_covered)}"
        yield f"{place}: {rows} in its batches, without the suppressed"
    if any(each.failed for each in verdicts):
        yield f"{place}: the promise of the series is not kept: {terms.criterion}"


def _of_files(place: Path) -> Iterator[str]:
    """Name what was put beside the files that a release lists."""
    try:
        listed = json.loads((place / DESCRIPTION).read_text(encoding="utf-8"))["files"]
        names = sorted(path.name for path in place.iterdir())
    except (OSError, ValueError, KeyError, TypeError):
        return  # whatever is wrong there is found when it is loaded
    for name in names:
        if name != DESCRIPTION and name not in listed:
            yield f"{place / name}: no part of the release"
