"""Where a series is: a private directory for the steward, a public one for releases alone.

series/private/          0700: ledger.db, key, lock, batches/001.parquet, ..., withdrawn/001/, ...
series/public/001/       releases, as `release.save` writes them, or markers of withdrawn ones
"""

from __future__ import annotations

import fcntl
import hashlib
import hmac
import os
import secrets
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from sfumato.engines.protocol import Batches
from sfumato.errors import BadInput
from sfumato.files.failpoints import reached
from sfumato.files.paths import reason
from sfumato.files.private_directory import PrivateDirectory
from sfumato.files.staged import DESCRIPTION, digest, in_place, refuse_taken, sync
from sfumato.release import Release, load
from sfumato.series.entries import Batch, Chain, ReleaseEntry
from sfumato.series.ledger import RESTORE, Ledger
from sfumato.series.terms import Terms

KEY_BYTES = 32


@dataclass(frozen=True)
class Store:
    """The places of a series."""

    place: Path

    @property
    def private(self) -> Path:
        """For the steward alone."""
        return self.place / "private"

    @property
    def public(self) -> Path:
        """For everybody."""
        return self.place / "public"

    @property
    def ledger(self) -> Path:
        """The SQLite file."""
        return self.private / "ledger.db"

    @property
    def batches(self) -> Path:
        """The rows of all batches."""
        return self.private / "batches"

    def batch(self, number: int) -> Path:
        """Where the rows of a batch are."""
        return self.batches / f"{number:03d}.parquet"

    def release(self, number: int) -> Path:
        """Where a release is, unless it is withdrawn: then a marker is there."""
        return self.public / f"{number:03d}"

    @property
    def withdrawn(self) -> Path:
        """Releases that are public no more, as they were."""
        return self.private / "withdrawn"

    def files_of(self, entry: ReleaseEntry) -> Path:
        """Where the files of a release are, withdrawn or not."""
        public = self.release(entry.number)
        kept = self.withdrawn / public.name
        if entry.withdrawn is None:
            return public
        interrupted = not kept.exists() and (public / DESCRIPTION).exists()
        return public if interrupted else kept

    @classmethod
    def open(cls, place: Path) -> Store:
        """Find a series that is there."""
        store = cls(place)
        try:
            mode = store.private.stat().st_mode
        except OSError as error:
            raise BadInput(f"{place}: no series: {store.private}: {reason(error)}") from None
        if stat.S_IMODE(mode) & 0o077:
            raise BadInput(
                f"{store.private}: others may look into it; find out who did, and run: chmod 700 "
                f"{store.private}"
            )
        return store

    @classmethod
    def create(cls, place: Path, terms: Terms) -> Store:
        """Make a series without any batch, complete or not at all."""
        try:
            refuse_taken(place)
            with PrivateDirectory(place.parent) as staging:
                store = cls(staging.path)
                store.batches.mkdir(parents=True, mode=0o700)
                store.private.chmod(0o700)
                store.public.mkdir()
                _write_key(store.private / "key")
                (store.private / "lock").touch(mode=0o600)
                Ledger.create(store.ledger, Chain(1, terms.to_json(), now()), store.key)
                for path in (store.ledger, store.private, store.public):
                    sync(path)
                mask = os.umask(0o077)  # it can only be read by setting it
                os.umask(mask)
                staging.path.chmod(0o777 & ~mask)
                store.public.chmod(0o777 & ~mask)
                reached("series.staged")
                staging.become(place)
                reached("series.created")
                with in_place("the series", place):
                    sync(place.parent)
        except OSError as error:
            raise BadInput(f"{place}: cannot write: {reason(error)}") from None
        return cls(place)

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Keep everybody else from changing the series; a process that dies lets go."""
        try:
            handle = os.open(self.private / "lock", os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            raise BadInput(f"{self.private / 'lock'}: cannot open: {reason(error)}") from None
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(handle)
            raise BadInput(
                f"{self.place}: somebody else is publishing or verifying; try again when that is "
                "done"
            ) from None
        try:
            yield
        finally:
            os.close(handle)

    @property
    def key(self) -> bytes:
        """The secret by which people are hashed and the ledger is sealed."""
        path = self.private / "key"
        try:
            key = path.read_bytes()
        except OSError as error:
            raise BadInput(f"{path}: cannot read the key: {reason(error)}") from None
        if len(key) != KEY_BYTES:
            raise BadInput(f"{path}: damaged; restore the key, or people cannot be told apart")
        return key

    def mark(self, chain: int) -> str:
        """Name the texts that all releases of a chain name, without telling anything of them."""
        return hmac.new(self.key, f"categories {chain}".encode(), hashlib.sha256).hexdigest()[:16]

    def opened(self) -> Ledger:
        """Open the ledger, if it is as it was written with the key."""
        return Ledger(self.ledger, self.key)

    def source(self, batches: Sequence[Batch], staged: Path | None = None) -> Batches:
        """All rows of some batches as one source; `staged`: the file of the last of them."""
        paths = [self.batch(each.number) for each in batches]
        if staged is not None:
            paths[-1] = staged
        return Batches(tuple(paths), all(each.typed for each in batches), str(self.place))

    def refuse_changed(self, batch: Batch) -> None:
        """Refuse a batch that is not as it was kept."""
        path = self.batch(batch.number)
        try:
            checksum = digest(path)
        except OSError as error:
            raise BadInput(f"{path}: cannot read the batch: {reason(error)}") from None
        if checksum != batch.digest:
            raise BadInput(f"{path}: not the batch in the ledger (checksums differ); {RESTORE}")

    def loaded(self, entry: ReleaseEntry, terms: Terms) -> Release:
        """Open a release, if it is the one in the ledger and says what the terms promise."""
        place = self.files_of(entry)
        release = load(place)
        if digest(place / DESCRIPTION) != entry.digest:
            raise BadInput(
                f"{place}: not the release in the ledger (checksums differ); restore it from where "
                f"it was given to, or, if the ledger is an older copy, {RESTORE}"
            )
        terms.refuse_unlike(release, place)
        return release


def _write_key(path: Path) -> None:
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "wb") as file:
        file.write(secrets.token_bytes(KEY_BYTES))
        file.flush()
        os.fsync(file.fileno())


def now() -> str:
    """The time, as the ledger writes it."""
    return datetime.now(UTC).isoformat(timespec="seconds")
