"""Publishing is one transaction: after a crash at any moment it has happened, or it has not.

    the batch is staged            publish.batch_staged
    the release is staged, read
      back, and judged beside
      the whole chain              (the places of `save`), publish.staged, publish.compared
    the ledger says: prepared      publish.prepared
    the batch gets its number      publish.batch_kept
    the release gets its name      publish.renamed
    the ledger says: published     publish.committed

Before the rename a crash leaves all as before, after it the release is complete; `tidy` does what
is left to do in either case.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from sfumato.algorithms import SeriesAlgorithm
from sfumato.data.read_counts import ReadCounts
from sfumato.engines.protocol import BatchReceipt
from sfumato.errors import BadInput, shown
from sfumato.files.failpoints import reached
from sfumato.files.paths import reason
from sfumato.files.private_directory import PrivateDirectory
from sfumato.files.staged import DESCRIPTION, digest, in_place, sync
from sfumato.progress import report
from sfumato.release.check import Check
from sfumato.release.columns.look_alikes import LookAlikes, refuse_look_alikes
from sfumato.release.summary import Summary
from sfumato.series.chain import PairVerdict, made_of, next_release, opened, pair_verdicts
from sfumato.series.entries import Batch, Chain, ReleaseEntry
from sfumato.series.ledger import Ledger
from sfumato.series.recover import tidy
from sfumato.series.store import Store, now
from sfumato.series.strangers import refuse_older
from sfumato.series.terms import Terms
from sfumato.table import KEEP, MERGE
from sfumato.text import counted


@dataclass(frozen=True)
class Request:
    """What the steward asks for beside publishing."""

    wait: bool = False  # keep the batch, and publish it with the next one
    new_chain: bool = False  # without the people so far
    skip_known: bool = False  # leave out rows of people who are there already
    recipient: str | None = None  # whom the release is for; None: nobody in particular
    columns: Sequence[str] | None = None  # what the recipient gets in detail; None: all
    dry_run: bool = False  # decide, write, check and compare, and publish nothing

    def __post_init__(self) -> None:
        name = self.recipient
        if name is not None and not (
            isinstance(name, str) and name.isprintable() and name == name.strip() != ""
        ):
            raise BadInput(
                "recipient: must be a name without spaces around it or control characters, got "
                f"{shown(name)}"
            )
        if self.wait and not (name is None and self.columns is None):
            raise BadInput("--wait publishes nothing, for nobody: drop --to and --columns")
        if self.wait and self.dry_run:
            raise BadInput("--wait publishes nothing, so there is nothing to try: drop --dry-run")


@dataclass(frozen=True)
class Publication:
    """What publishing did."""

    release: Path | None  # None: the batch waits, or it was a dry run
    number: int | None
    chain: int
    n_rows: int  # published, or waiting
    n_suppressed: int
    n_new: int  # records that came since the release before, or are waiting
    n_left_out: int  # rows of people who were there already
    compared: tuple[PairVerdict, ...] = ()
    tidied: tuple[str, ...] = field(default=())
    recipient: str | None = None
    summary: Summary | None = None  # what was published, what was lost; for the steward
    check: Check | None = None  # what was promised, beside the earlier releases
    batch: LookAlikes | None = None  # spellings merged in the new batch, identifiers repeated in it
    reading: ReadCounts | None = None  # what the settings of the series did to the new batch

    def to_json(self) -> dict[str, Any]:
        """Plain values for a machine."""
        return {each.name: getattr(self, each.name) for each in fields(self)} | {
            "release": None if self.release is None else str(self.release),
            "compared": [each.to_json() for each in self.compared],
            "tidied": list(self.tidied),
            "summary": None if self.summary is None else self.summary.to_json(),
            "check": None if self.check is None else self.check.to_json(),
            "batch": None if self.batch is None else self.batch.to_json(),
            "reading": None if self.reading is None else self.reading.to_json(),
        }


@dataclass(frozen=True)
class NextRelease:
    """What the next release is made of, by the ledger."""

    number: int
    chain: Chain
    starts: bool  # whether the chain is new
    terms: Terms
    method: SeriesAlgorithm  # that of the terms, with the columns of the recipient
    batches: list[Batch]  # those of the chain that are there
    waiting: list[Batch]  # those of them that no release has
    earlier: list[ReleaseEntry]  # the releases of the chain


def publish(store: Store, source: object, request: Request, terms: Terms | None) -> Publication:
    """Publish the next release: of `source`, what waits, and all that the chain has so far.

    Without any new record it is of the same people as the last one, for another recipient.

    Args:
        store: Where the series is.
        source: The new batch; None: only what waits.
        request: What else is asked for.
        terms: If the steward gave some: they must be those of the chain, or start a new one.
    """
    with store.locked(), store.opened() as ledger:
        tidied = tidy(store, ledger)
        try:
            return _Transaction(store, ledger, request, tuple(tidied)).run(source, terms)
        except OSError as error:
            place = error.filename or store.place
            raise BadInput(f"{place}: cannot write: {reason(error)}") from None
        finally:
            tidy(store, ledger)  # nothing is left to do unless something failed


@dataclass(frozen=True)
class _Transaction:
    store: Store
    ledger: Ledger
    request: Request
    tidied: tuple[str, ...]

    def run(self, source: object, terms: Terms | None) -> Publication:
        plan = self._planned(terms)
        if source is None and self.request.wait:
            raise BadInput("--wait keeps a batch for later: give one")
        if source is None and not plan.waiting:
            self._refuse_again(plan)
        for each in plan.batches:
            self.store.refuse_changed(each)
        earlier = opened(plan.earlier, plan.terms, self.store)
        with PrivateDirectory(self.store.private) as staging:
            batch = found = reading = None
            if source is not None:
                batch, found, reading = self._staged(source, plan, staging.path)
            added = [] if batch is None else [batch]
            batches = [*plan.batches, *added]
            staged = None if batch is None else _staged_batch(staging.path)
            table = plan.terms.read(self.store.source(batches, staged))
            n_new = sum(each.n_rows for each in [*plan.waiting, *added])
            left_out = sum(each.n_left_out for each in added)
            if self.request.wait and batch is not None:
                table.frequencies()  # what the hierarchies do not know would block the next release
                refuse_look_alikes(table, plan.terms.promise)
                self.ledger.enter(batch)
                reached("publish.batch_entered")
                self._keep(batch, staging.path)
                self.ledger.keep(batch)
                reached("publish.committed")
                return Publication(
                    None,
                    None,
                    plan.chain.number,
                    n_new,
                    0,
                    n_new,
                    left_out,
                    tidied=self.tidied,
                    batch=found,
                    reading=reading,
                )
            place = staging.path / "release"
            release = next_release(
                table,
                plan.terms,
                plan.method,
                earlier,
                n_new,
                made_of(plan.earlier, plan.batches, plan.terms, self.store),
                self.store.mark(plan.chain.number),
            )
            release.save(place, plan.terms.format)
            reached("publish.staged")
            beside = release.written.beside
            pairs = pair_verdicts(sorted(earlier), plan.number, beside, plan.terms.k)
            reached("publish.compared")
            done = Publication(
                None,
                plan.number,
                plan.chain.number,
                release.n_rows,
                release.n_suppressed,
                n_new,
                left_out,
                tuple(pairs),
                self.tidied,
                self.request.recipient,
                release.summary(),
                release.check(),
                found,
                reading,
            )
            if self.request.dry_run:
                return done
            entry = ReleaseEntry(
                plan.number,
                plan.chain.number,
                batches[0].number,
                batches[-1].number,
                None if batch is None else batch.number,
                digest(place / DESCRIPTION),
                release.n_rows,
                release.n_suppressed,
                now(),
                False,
                self.request.recipient,
            )
            self._commit(entry, batch, plan, staging.path)
        return replace(done, release=self.store.release(plan.number))

    def _planned(self, terms: Terms | None) -> NextRelease:
        """Find out what comes next, and refuse what does not fit to what is there."""
        chain = self.ledger.chains[-1]
        written = Terms.from_json(chain.terms, str(self.store.ledger))
        releases, batches = self.ledger.releases, self.ledger.batches
        earlier = [entry for entry in releases if entry.chain == chain.number]
        seen = releases[-1].last_batch if releases else 0
        waiting = [batch for batch in batches if batch.number > seen]
        number = len(releases) + 1
        if self.request.new_chain:
            if self.request.wait:
                raise BadInput("--wait keeps a batch and starts nothing: drop --new-chain")
            if not earlier:
                raise BadInput(
                    "--new-chain: the chain has no release yet, so there is none to leave"
                )
            chain_terms = written if terms is None else terms
            if written.person is not None and chain_terms.person != written.person:
                raise BadInput(
                    f"person: people of this series are known by {written.person!r}, and a new "
                    "chain is about other people, so it has to be the same column"
                )
            if chain_terms.alike != written.alike:
                raise BadInput(
                    "alike: not what this series was started with; people and values of all its "
                    "chains are compared in one way"
                )
            fresh = Chain(chain.number + 1, chain_terms.to_json(), now())
            return NextRelease(
                number, fresh, True, chain_terms, self._method(chain_terms), waiting, waiting, []
            )
        if terms is not None:
            written.refuse_other(terms)
        start = earlier[0].first_batch if earlier else seen + 1
        own = [batch for batch in batches if batch.number >= start]
        method = self._method(written)
        return NextRelease(number, chain, False, written, method, own, waiting, earlier)

    def _method(self, terms: Terms) -> SeriesAlgorithm:
        columns = self.request.columns
        method = terms.method if columns is None else terms.method.specializing(columns)
        method.refuse_unknown(list(terms.quasi_identifiers))
        return method

    def _refuse_again(self, plan: NextRelease) -> None:
        """Refuse the same records for nobody in particular, or twice for the same recipient."""
        recipient = self.request.recipient
        nothing = f"{self.store.place}: no batch is waiting"
        if not plan.earlier:
            raise BadInput(f"{nothing}; give one")
        last = plan.earlier[-1].last_batch
        same = [e for e in plan.earlier if (e.recipient, e.last_batch) == (recipient, last)]
        if same and all(entry.withdrawn is not None for entry in same):
            return  # another release may take the place of one that was withdrawn
        if recipient is None:
            raise BadInput(
                f"{nothing}; give one, or say who gets the same records in another release (--to)"
            )
        for entry in same:
            if entry.withdrawn is None:
                raise BadInput(
                    f"{nothing}, and {recipient!r} has these records already, as release "
                    f"{entry.number:03d}; give a batch, or another recipient"
                )

    def _staged(
        self, source: object, plan: NextRelease, staging: Path
    ) -> tuple[Batch, LookAlikes, ReadCounts]:
        """Keep a batch in the staging directory, and refuse what cannot be a part of the series."""
        report("keeping the batch")
        before = None
        if plan.batches and MERGE in plan.terms.alike.values():
            before = plan.terms.read(self.store.source(plan.batches))
        table = plan.terms.read_batch(source, before)
        columns = plan.terms.kept(table)
        if plan.batches:
            columns = self._like_before(columns, plan.batches[0])
        every = self.ledger.batches
        person = plan.terms.person
        with_person = [self.store.batch(each.number) for each in every if person in each.types]
        target = _staged_batch(staging)
        name = table.source.name
        as_spelled = person is not None and plan.terms.alike.get(person) == KEEP
        kept = table.source.keep(
            columns, person, self.store.key, target, with_person, as_spelled=as_spelled
        )
        target.chmod(0o600)
        sync(target)
        if plan.batches:
            _refuse_types(kept.types, plan.batches[0].types, name)
        self._refuse_rows(kept, every, name, "" if as_spelled else ", however spelled")
        reached("publish.batch_staged")
        batch = Batch(
            len(every) + 1,
            digest(target),
            kept.n_rows,
            kept.n_known,
            kept.fingerprint,
            dict(kept.types),
            table.source.typed,
            now(),
        )
        spelled = LookAlikes({}, {}, table.n_merged, table.repeated_identifiers, {})
        return batch, spelled, table.read_counts

    def _like_before(self, columns: Sequence[str], first: Batch) -> list[str]:
        return [column for column in first.types if column in columns]

    def _refuse_rows(
        self, kept: BatchReceipt, batches: Sequence[Batch], name: str, spelled: str
    ) -> None:
        if not kept.n_rows and not kept.n_known:
            raise BadInput(
                f"{name}: no rows; an empty batch changes nothing, so nothing is published"
            )
        for batch in batches:
            if batch.fingerprint == kept.fingerprint:
                raise BadInput(
                    f"{name}: the same rows came as batch {batch.number:03d} on {batch.received}; "
                    "a batch is taken once"
                )
        if kept.n_repeated:
            raise BadInput(
                f"{name}: {counted(kept.n_repeated, 'row repeats', 'rows repeat')} a person "
                f"of the batch{spelled}; a series has one row for each person"
            )
        if kept.n_known and not self.request.skip_known:
            raise BadInput(
                f"{name}: {counted(kept.n_known, 'row is', 'rows are')} about people who "
                f"are in the series already{spelled}; what has been published is not corrected or "
                "published twice, so take these rows out, or leave them out with --skip-known"
            )
        if not kept.n_rows:
            raise BadInput(
                f"{name}: all rows are about people who are in the series already{spelled}"
            )

    def _keep(self, batch: Batch, staging: Path) -> None:
        """Give a staged batch its number."""
        target = self.store.batch(batch.number)
        _staged_batch(staging).rename(target)
        sync(target.parent)
        reached("publish.batch_kept")

    def _commit(
        self, entry: ReleaseEntry, batch: Batch | None, plan: NextRelease, staging: Path
    ) -> None:
        target = self.store.release(entry.number)
        refuse_older(self.store, self.ledger)  # once more: somebody may have put something there
        self.ledger.prepare(entry, batch, plan.chain if plan.starts else None)
        reached("publish.prepared")
        if batch is not None:
            self._keep(batch, staging)
        (staging / "release").rename(target)
        reached("publish.renamed")
        with in_place("the release", target):
            sync(target.parent)
        self.ledger.publish(entry)
        reached("publish.committed")


def _staged_batch(staging: Path) -> Path:
    return staging / "batch.parquet"


def _refuse_types(kinds: Mapping[str, str], known: Mapping[str, str], name: str) -> None:
    missing = [column for column in known if column not in kinds]
    if missing:
        raise BadInput(f"{name}: the column {missing[0]!r} of the earlier batches is missing")
    for column, kind in kinds.items():
        if known.get(column) != kind:
            raise BadInput(
                f"{name}: column {column!r} has the type {kind}, but {known.get(column)} in the "
                "batches before; deliver it as before, or start a new chain (--new-chain)"
            )
