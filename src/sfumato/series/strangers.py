"""What stands in a series and not in its ledger, and what to do about it.

No crash leaves a release, a marker or a batch that the ledger does not know: entries come first.
So whoever finds one has an older copy of the ledger. To publish with that would publish a second
release of the same number, which nobody compared with the first. What is left of a release counts
like a release: its number is enough, whatever was lost of its files or added to its name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from sfumato.errors import BadInput
from sfumato.files.staged import DESCRIPTION
from sfumato.files.withdrawn import MARKER
from sfumato.series.ledger import Ledger
from sfumato.series.store import Store

OLDER = (
    "so the ledger is an older copy; restore the copy of private/ that was made after that (all of "
    "it: ledger, key and batches)"
)
KNOWN = "and leave the release where it is, since whoever has read it can compare"
NONE_EVER = "only if no release ever had that number, take it away"
RELEASE = r"(\d{3,})(?![^\W_]).*"  # 003, and what became of it: 003.bak, 003_old, 003 (copy)


def refuse_older(store: Store, ledger: Ledger) -> None:
    """Refuse to work with a ledger that later releases and batches are missing in."""
    for line in later(store, ledger):
        raise BadInput(line)


def later(store: Store, ledger: Ledger) -> Iterator[str]:
    """Name what was published, kept or withdrawn after the ledger was written."""
    releases = {entry.number: entry for entry in ledger.releases}
    for path, number in _numbered(store.public, RELEASE):
        entry = releases.get(number)
        whole, marked = (path / DESCRIPTION).exists(), (path / MARKER).exists()
        if marked and not whole and (entry is None or entry.withdrawn is None):
            yield f"{path}: withdrawn, and the ledger does not know that, {OLDER}"
        elif entry is None:
            rest = "" if whole else f"; {NONE_EVER}"
            yield f"{path}: a release that the ledger does not know, {OLDER}, {KNOWN}{rest}"
    for path, number in _numbered(store.withdrawn, r"(\d{3,})"):
        entry = releases.get(number)
        if entry is None or entry.withdrawn is None:
            yield f"{path}: withdrawn, and the ledger does not know that, {OLDER}"
    batches = {batch.number for batch in ledger.batches}
    for path, number in _numbered(store.batches, r"(\d{3,})\.parquet"):
        if number not in batches:
            yield f"{path}: a batch that the ledger does not know, {OLDER}"


def others(store: Store, ledger: Ledger) -> Iterator[str]:
    """Name what nobody put there with sfumato."""
    known = {store.release(entry.number) for entry in ledger.releases}
    known |= {store.files_of(entry) for entry in ledger.releases}
    known |= {store.batch(batch.number) for batch in ledger.batches}
    places = (store.public, store.batches, store.withdrawn)
    told = {line.partition(": ")[0] for line in later(store, ledger)}
    for path in sorted(path for place in places for path in _in(place)):
        if path not in known and str(path) not in told:
            yield f"{path}: not in the ledger, and nothing that sfumato wrote; take it away"


def _numbered(place: Path, pattern: str) -> Iterator[tuple[Path, int]]:
    for path in _in(place):
        found = re.fullmatch(pattern, path.name, re.ASCII)
        if found is not None:
            yield path, int(found[1])


def _in(place: Path) -> list[Path]:
    return sorted(place.iterdir()) if place.is_dir() else []
