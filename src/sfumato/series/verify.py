"""Whether a series is what its ledger says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from sfumato.errors import BadInput, NoRoom, SfumatoError
from sfumato.files.paths import reason
from sfumato.files.staged import DESCRIPTION, digest
from sfumato.files.withdrawn import MARKER, Marker
from sfumato.progress import report
from sfumato.release import Release
from sfumato.release.check import checked
from sfumato.series.chain import refuse_other_past
from sfumato.series.entries import Batch, Chain, ReleaseEntry
from sfumato.series.recover import marker_of, tidy
from sfumato.series.store import Store
from sfumato.series.strangers import later, others
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
    """Tidy after a crash, and compare every file with the ledger.

    Raises:
        BadInput: The ledger is not as it was written with the key, so it says nothing. Or memory or
            room is missing (`NoRoom`), which says nothing about the series.
    """
    with store.locked(), store.opened() as ledger:
        tidied: list[str] = []
        problems: list[str] = []
        try:
            tidied = tidy(store, ledger)
        except NoRoom:
            raise
        except SfumatoError as error:
            problems.append(str(error))
        except OSError as error:
            place = error.filename or store.place
            problems.append(f"{place}: cannot write: {reason(error)}")
        batches, releases = ledger.batches, ledger.releases
        report("verifying")
        problems += [
            *later(store, ledger),
            *others(store, ledger),
            *_of_batches(store, batches),
            *_of_markers(store, releases),
        ]
        for chain in ledger.chains:
            own = [entry for entry in releases if entry.chain == chain.number]
            problems += _of_chain(store, chain, own, batches)
    return Verified(len(batches), len(releases), tuple(tidied), tuple(dict.fromkeys(problems)))


def _of_batches(store: Store, batches: list[Batch]) -> Iterator[str]:
    for batch in batches:
        try:
            store.refuse_changed(batch)
        except NoRoom:
            raise
        except BadInput as error:
            yield str(error)


def _of_markers(store: Store, releases: list[ReleaseEntry]) -> Iterator[str]:
    """Compare what stands in the places of withdrawn releases with the ledger."""
    for entry in releases:
        if entry.withdrawn is None:
            continue
        place = store.release(entry.number)
        names = sorted(path.name for path in place.iterdir()) if place.is_dir() else []
        if DESCRIPTION in names:
            yield f"{place}: withdrawn since {entry.withdrawn}, and public again; take it away"
            continue
        try:
            found = Marker.read(place)
        except NoRoom:
            raise
        except BadInput as error:
            yield str(error)
            continue
        if found != marker_of(entry):
            yield f"{place / MARKER}: not what the ledger says of a withdrawn release; restore it"
        for name in names:
            if name != MARKER:
                yield f"{place / name}: in the place of a withdrawn release; take it away"


def _of_chain(
    store: Store, chain: Chain, releases: list[ReleaseEntry], batches: list[Batch]
) -> Iterator[str]:
    try:
        terms = Terms.from_json(chain.terms, f"{store.ledger}: chain {chain.number}")
    except NoRoom:
        raise
    except BadInput as error:
        yield str(error)
        return
    before: list[Release] = []
    for entry in releases:
        place = store.files_of(entry)
        yield from _of_files(place)
        try:
            release = store.loaded(entry, terms)
            if len(before) == releases.index(entry):  # all of them could be opened
                refuse_other_past(release, before, place)
            before.append(release)
            yield from _of_release(place, release, entry, terms, batches)
        except NoRoom:
            raise
        except SfumatoError as error:
            yield str(error)


def _of_release(
    place: Path, release: Release, entry: ReleaseEntry, terms: Terms, batches: list[Batch]
) -> Iterator[str]:
    """Compare a release with its entry, and check its promise on the published table.

    On its classes: beside the earlier releases it was checked when it was published, and nothing
    has changed since if all digests are right. `audit` compares them again.
    """
    promised = (release.criterion, terms.criterion)
    verdicts = [checked(release.seen, each, n_unseen=release.n_suppressed) for each in promised]
    if verdicts[0].n_rows != entry.n_rows:
        rows = counted(verdicts[0].n_rows, "row")
        yield f"{place}: {rows}, where the ledger says {count(entry.n_rows)}"
    n_out = release.n_suppressed + release.description.n_left_out
    if n_out != entry.n_suppressed:
        rows = counted(n_out, "row")
        yield f"{place}: {rows} left out, where the ledger says {count(entry.n_suppressed)}"
    n_covered = sum(batch.n_rows for batch in batches if entry.covers(batch))
    if entry.n_rows + release.n_suppressed != n_covered:
        rows = f"{counted(entry.n_rows, 'row')} of {count(n_covered)}"
        yield f"{place}: {rows} in its batches, without the suppressed"
    if any(each.failed for each in verdicts):
        yield f"{place}: the promise of the series is not kept: {terms.criterion}"


def _of_files(place: Path) -> Iterator[str]:
    """Name what was put beside the files that a release lists, and what its package lacks."""
    try:
        said = json.loads((place / DESCRIPTION).read_text(encoding="utf-8"))
        listed, package = {*said["files"]}, dict(said.get("package", {}))
        names = sorted(path.name for path in place.iterdir())
        changed = [n for n in package if n in names and digest(place / n) != package[n]]
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return  # whatever is wrong there is found when it is loaded
    for name in names:
        if name not in {DESCRIPTION, *listed, *package}:
            yield f"{place / name}: no part of the release"
    for name in package:
        if name not in names:
            yield f"{place / name}: gone; it was published with the release, so restore it"
        elif name in changed:
            yield f"{place / name}: not the file that was published (checksums differ); restore it"
