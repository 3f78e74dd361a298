"""After a crash: finish what had become public, and take back what had not.

A release counts from the moment its directory has its public name, since from then on anybody may
have read it. Before that, nothing has happened. A release is withdrawn from the moment the ledger
says so; moving it and leaving a marker in its place is finished here.
"""

from __future__ import annotations

from sfumato.errors import BadInput
from sfumato.files.failpoints import reached
from sfumato.files.private_directory import PrivateDirectory, sweep
from sfumato.files.staged import DESCRIPTION, digest, make_public, sync
from sfumato.files.withdrawn import Marker
from sfumato.series.entries import Batch, ReleaseEntry
from sfumato.series.ledger import Ledger
from sfumato.series.store import Store
from sfumato.series.strangers import refuse_older
from sfumato.series.terms import Terms


def tidy(store: Store, ledger: Ledger) -> list[str]:
    """Bring a series into order, under its lock; say what was done.

    Raises:
        BadInput: The ledger is an older copy; nothing was touched.
    """
    refuse_older(store, ledger)
    done = []
    for entry in ledger.releases:
        if entry.withdrawn is not None:
            if withdraw_files(store, entry):
                done.append(f"release {entry.name} was being withdrawn: it is now")
        elif entry.published:
            continue
        elif store.release(entry.number).exists():
            terms = Terms.from_json(ledger.terms_of(entry), str(store.ledger))
            store.loaded(entry, terms)  # refused unless it is what was prepared
            ledger.publish(entry)
            reached("tidy.finished")
            done.append(
                f"release {entry.name} was interrupted when it was public already: it is complete"
            )
        else:
            for batch in ledger.batches:
                if batch.number == entry.own_batch:
                    _remove(store, batch)
            ledger.take_back(entry)
            reached("tidy.taken_back")
            done.append(
                f"release {entry.name} was interrupted before it was public: all is as before it"
            )
    for batch in ledger.batches:
        if not batch.kept:
            _remove(store, batch)
            ledger.drop(batch)
            done.append(f"batch {batch.number:03d} was interrupted before it was kept: removed")
    if sweep(store.private):
        done.append("what an interrupted run had staged was removed")
    return done


def withdraw_files(store: Store, entry: ReleaseEntry) -> bool:
    """Take a release out of the public directory and leave a marker; False: that was done."""
    public = store.release(entry.number)
    kept = store.withdrawn / public.name
    done = False
    if store.files_of(entry) == public:
        if digest(public / DESCRIPTION) != entry.digest:
            raise BadInput(
                f"{public}: not the release in the ledger (checksums differ); restore it"
            )
        store.withdrawn.mkdir(mode=0o700, exist_ok=True)
        sync(store.private)
        public.rename(kept)
        reached("withdraw.moved")
        sync(store.withdrawn)
        sync(store.public)
        done = True
    if kept.exists() and not public.exists():
        with PrivateDirectory(store.private) as staging:
            place = staging.path / "marker"
            place.mkdir()
            marker_of(entry).write(place)
            make_public(place)
            place.rename(public)
        reached("withdraw.marked")
        sync(store.public)
        done = True
    return done


def marker_of(entry: ReleaseEntry) -> Marker:
    """Give what stands in the place of a withdrawn release."""
    return Marker(entry.number, entry.digest, entry.withdrawn or "")


def _remove(store: Store, batch: Batch) -> None:
    """Remove the file of a batch that was never kept, if it has its name already."""
    path = store.batch(batch.number)
    if path.exists():
        store.refuse_changed(batch)
        path.unlink()
        sync(path.parent)
