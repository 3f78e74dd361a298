"""Withdrawing a release: it is public no more, and everything that follows still counts it.

Who has read it can compare it with every other release for ever, so it stays in the ledger, and its
files are kept: the next releases are made and audited beside it like beside any other. In its place
stands a marker, which says which release it was and since when it is withdrawn.

    the ledger says: withdrawn     withdraw.entered
    its files become private       withdraw.moved
    a marker gets its name         withdraw.marked

From the first of these on it is withdrawn; `tidy` does what a crash leaves to do.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.errors import BadInput, shown
from sfumato.files.failpoints import reached
from sfumato.files.paths import reason
from sfumato.parameters import is_count
from sfumato.series.entries import ReleaseEntry
from sfumato.series.ledger import Ledger
from sfumato.series.recover import tidy, withdraw_files
from sfumato.series.store import Store, now
from sfumato.series.terms import Terms


@dataclass(frozen=True)
class Withdrawal:
    """What withdrawing did."""

    number: int
    chain: int
    recipient: str | None
    since: str
    kept: Path  # where its files are now
    marker: Path  # what stands in its place
    tidied: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Plain values for a machine."""
        return {
            "release": self.number,
            "chain": self.chain,
            "recipient": self.recipient,
            "withdrawn": self.since,
            "kept": str(self.kept),
            "marker": str(self.marker),
            "tidied": list(self.tidied),
        }


def withdraw(store: Store, number: int) -> Withdrawal:
    """Withdraw a release.

    Args:
        store: Where the series is.
        number: Of the release.

    Raises:
        BadInput: There is no such release, it is withdrawn already, or it is not what was
            published: nobody could compare with it later on.
    """
    with store.locked(), store.opened() as ledger:
        tidied = tidy(store, ledger)
        entry = _public(store, ledger, number)
        terms = Terms.from_json(ledger.terms_of(entry), str(store.ledger))
        store.loaded(entry, terms)
        withdrawn = ledger.withdraw(entry, now())
        reached("withdraw.entered")
        try:
            withdraw_files(store, withdrawn)
        except OSError as error:
            place = error.filename or store.place
            raise BadInput(
                f"{place}: cannot write: {reason(error)}; release {entry.name} counts as "
                "withdrawn, so take away what hinders, and run: sfumato series verify "
                f"{store.place}"
            ) from None
    return Withdrawal(
        number,
        entry.chain,
        entry.recipient,
        str(withdrawn.withdrawn),
        store.files_of(withdrawn),
        store.release(number),
        tuple(tidied),
    )


def _public(store: Store, ledger: Ledger, number: object) -> ReleaseEntry:
    """Find a release that can be withdrawn."""
    found = [entry for entry in ledger.releases if is_count(number) and entry.number == number]
    if not found:
        n = len(ledger.releases)
        known = f"1 to {n}" if n else "none yet"
        raise BadInput(
            f"release: must be the number of a release of {store.place} ({known}), got "
            f"{shown(number)}"
        )
    (entry,) = found
    if entry.withdrawn is not None:
        raise BadInput(f"release: {entry.name} is withdrawn already, since {entry.withdrawn}")
    return entry
