"""After a crash: finish what had become public, and take back what had not.

A release counts from the moment its directory has its public name, since from then on anybody may
have read it. Before that, nothing has happened.
"""

from __future__ import annotations

from sfumato.files.failpoints import reached
from sfumato.files.private_directory import sweep
from sfumato.series.ledger import Ledger
from sfumato.series.store import Store


def tidy(store: Store, ledger: Ledger) -> list[str]:
    """Bring a series into order, under its lock; say what was done."""
    done = []
    for entry in ledger.releases:
        if entry.published:
            continue
        if store.release(entry.number).exists():
            store.loaded(entry)  # refused unless it is what was prepared
            ledger.publish(entry.number)
            reached("tidy.finished")
            done.append(
                f"release {entry.name} was interrupted when it was public already: it is complete"
            )
        else:
            ledger.withdraw(entry)
            reached("tidy.withdrawn")
            done.append(
                f"release {entry.name} was interrupted before it was public: all is as before it"
            )
    # A run that stopped early has stored the batch after the last. Nothing else is removed, nor is
    # that where a release is public that the ledger does not know: then the ledger is an old copy.
    following = store.batch(len(ledger.batches) + 1)
    known = {store.release(entry.number) for entry in ledger.releases}
    if following.is_file() and known >= set(store.public.iterdir()):
        following.unlink()
        done.append(f"{following.name} had been stored without an entry in the ledger: removed")
    if sweep(store.private):
        done.append("what an interrupted run had staged was removed")
    return done
