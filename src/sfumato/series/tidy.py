"""After a crash: finish what had become public, and take back what had not.

A release counts from the moment its directory has its public name, since from then on anybody may
have read it. Before that, nothing has happened.
"""

from __future__ import annotations

from sfumato.private import sweep
from sfumato.release.failpoints import reached
from sfumato.series.ledger import Ledger
from sfumato.series.store import Store


def tidy(store: Store, ledger: Ledger) -> list[str]:
    """Bring a series into order, under its lock; say what was done."""
    done = []
    for made in ledger.releases:
        if made.published:
            continue
        if store.release(made.number).exists():
            store.loaded(made)  # refused unless it is what was prepared
            ledger.publish(made.number)
            reached("tidy.finished")
            done.append(
                f"release {made.name} was interrupted when it was public already: it is complete"
            )
        else:
            ledger.withdraw(made)
            reached("tidy.withdrawn")
            done.append(
                f"release {made.name} was interrupted before it was public: all is as before it"
            )
    known = {store.batch(batch.number) for batch in ledger.batches}
    for path in sorted((store.private / "batches").iterdir()):
        if path not in known:
            path.unlink()
            done.append(f"{path.name} had been stored without an entry in the ledger: removed")
    if sweep(store.private):
        done.append("what an interrupted run had staged was removed")
    return done
