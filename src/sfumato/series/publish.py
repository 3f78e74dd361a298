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
from sfumato.data.frequency import FrequencySet
from sfumato.data.read_counts import ReadCounts
from sfumato.errors import BadInput, shown
from sfumato.files.failpoints import reached
from sfumato.files.paths import reason
from sfumato.files.private_directory import PrivateDirectory
from sfumato.files.staged import DESCRIPTION, digest, in_place, sync
from sfumato.parameters import one_of
from sfumato.release import Release
from sfumato.release.check import Check
from sfumato.release.columns.look_alikes import LookAlikes, refuse_look_alikes
from sfumato.release.summary import Summary
from sfumato.series.chain import (
    PairVerdict,
    after_all,
    fixed_names,
    made_of,
    next_release,
    opened,
    pair_verdicts,
    told_by_size,
)
from sfumato.series.entries import Batch, Chain, ReleaseEntry
from sfumato.series.ledger import Ledger
from sfumato.series.new_batch.drift import Drift
from sfumato.series.new_batch.intake import Intake, Staged
from sfumato.series.new_batch.rare import WAYS, Obstacles, RareColumn, looked_at
from sfumato.series.recover import tidy
from sfumato.series.store import Store, now
from sfumato.series.strangers import refuse_older
from sfumato.series.terms import Terms
from sfumato.table import Table


@dataclass(frozen=True)
class Request:
    """What the steward asks for beside publishing."""

    wait: bool = False  # keep the batch, and publish it with the next one
    new_chain: bool = False  # without the people so far
    skip_known: bool = False  # leave out rows of people who are there already
    recipient: str | None = None  # whom the release is for; None: nobody in particular
    columns: Sequence[str] | None = None  # what the recipient gets in detail; None: all
    dry_run: bool = False  # decide, write, check and compare, and publish nothing
    rare: str | None = None  # what becomes of people whose values would cost a column

    def __post_init__(self) -> None:
        if self.rare is not None:
            one_of("publish", "rare", self.rare, WAYS)
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
        if self.wait and self.rare is not None:
            raise BadInput("--wait publishes nothing, so no column is at stake: drop --rare")


@dataclass(frozen=True)
class Publication:
    """What publishing did."""

    release: Path | None  # None: the batch waits, or it was a dry run
    number: int | None
    chain: int
    n_rows: int  # published, or waiting
    n_suppressed: int  # rows of the chain so far that were left out, since values are rare
    n_new: int  # records that came since the release before, or are waiting
    n_left_out: int  # rows of people who were there already
    compared: tuple[PairVerdict, ...] = ()
    tidied: tuple[str, ...] = field(default=())
    recipient: str | None = None
    summary: Summary | None = None  # what was published, what was lost; for the steward
    check: Check | None = None  # what was promised, beside the earlier releases
    batch: LookAlikes | None = None  # spellings merged in the new batch, identifiers repeated in it
    reading: ReadCounts | None = None  # what the settings of the series did to the new batch
    drift: Drift | None = None  # how the batch differs from those before; None: it is the first
    rare: tuple[RareColumn, ...] = ()  # columns for which rows of the batch were left out
    n_rare: int = 0  # how many
    why_lost: tuple[str, ...] = ()  # of columns of which nothing is left

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
            "drift": None if self.drift is None else self.drift.to_json(),
            "rare": [each.to_json() for each in self.rare],
            "why_lost": list(self.why_lost),
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

    @property
    def n_left_out(self) -> int:
        """Rows that were left out so far."""
        return self.earlier[-1].n_suppressed if self.earlier else 0


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
            every, skip = self.ledger.batches, self.request.skip_known
            intake = Intake(self.store, plan.terms, every, plan.batches, staging.path, skip)
            came = None if source is None else intake.opened(source)
            new = None if came is None else intake.staged(came)
            table = intake.all_so_far(new)
            if self.request.wait and new is not None:
                return self._wait(new, table, plan, intake)
            people = made_of(plan.earlier, plan.batches, plan.terms, self.store)
            drift, obstacles = None, Obstacles({}, ())
            if came is not None and new is not None:
                drift, obstacles = self._looked_at(table, intake.alone(new), plan, earlier, people)
                way, n_before = self.request.rare, plan.n_left_out
                mark = self.store.mark(plan.chain.number)

                def told(staged: Staged) -> Sequence[str]:
                    so_far = intake.all_so_far(staged)
                    return told_by_size(so_far, plan.terms, plan.method, earlier, people, mark)

                new = intake.without_rare(came, new, obstacles, drift, way, n_before, told)
                table = intake.all_so_far(new) if new.n_rare or new.in_vain else table
            batch = None if new is None else new.batch
            added = [] if batch is None else [batch]
            batches = [*plan.batches, *added]
            n_new = sum(each.n_rows for each in [*plan.waiting, *added])
            n_rare = 0 if new is None else new.n_rare
            table.n_left_out = plan.n_left_out + n_rare
            place = staging.path / "release"
            mark = self.store.mark(plan.chain.number)
            context = plan.terms.context_for(self.request.recipient)
            release = next_release(
                table, plan.terms, plan.method, earlier, n_new, people, mark, context
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
                table.n_left_out,
                n_new,
                sum(each.n_left_out for each in added),
                tuple(pairs),
                self.tidied,
                self.request.recipient,
                _summary(release, plan.terms, new),
                release.check(),
                None if new is None else new.spelled,
                None if new is None else new.reading,
                drift,
                () if new is None else new.rare,
                n_rare,
                tuple(_why_lost(release, plan, obstacles, new)),
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
                table.n_left_out,
                now(),
                False,
                self.request.recipient,
            )
            self._commit(entry, batch, plan, intake)
        return replace(done, release=self.store.release(plan.number))

    def _wait(self, new: Staged, table: Table, plan: NextRelease, intake: Intake) -> Publication:
        """Keep a batch for the next release; table: all records so far."""
        table.frequencies()  # what the hierarchies do not know would block the next release
        refuse_look_alikes(table, plan.terms.promise)
        self.ledger.enter(new.batch)
        reached("publish.batch_entered")
        self._keep(new.batch, intake)
        self.ledger.keep(new.batch)
        reached("publish.committed")
        n_new = sum(each.n_rows for each in [*plan.waiting, new.batch])
        return Publication(
            None,
            None,
            plan.chain.number,
            n_new,
            0,
            n_new,
            new.batch.n_left_out,
            tidied=self.tidied,
            batch=new.spelled,
            reading=new.reading,
        )

    def _looked_at(
        self,
        table: Table,
        batch: Table,
        plan: NextRelease,
        earlier: Mapping[int, Release],
        people: Mapping[int, tuple[FrequencySet, ...]],
    ) -> tuple[Drift | None, Obstacles]:
        """Compare a batch with the series so far, and find what would cost columns.

        Args:
            table: All records so far, with the batch.
            batch: The new ones alone.
            plan: What comes next.
            earlier: The releases of the chain.
            people: What each release was made of.
        """
        published = people[max(people)] if people else ()
        waiting = []
        if plan.waiting:
            waiting.append(plan.terms.read(self.store.source(plan.waiting)).frequencies())
        before = [*published, *waiting]
        drift = Drift.of(batch.frequencies(), before) if before else None
        mark = self.store.mark(plan.chain.number)
        table.categories = fixed_names(table, plan.terms, people, mark)
        method = after_all(plan.method, earlier, people)
        made_of_batches = [people[number] for number in sorted(earlier)]
        return drift, looked_at(table, plan.terms, method, batch, waiting, made_of_batches)

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

    def _keep(self, batch: Batch, intake: Intake) -> None:
        """Give a staged batch its number."""
        target = self.store.batch(batch.number)
        intake.file.rename(target)
        sync(target.parent)
        reached("publish.batch_kept")

    def _commit(
        self, entry: ReleaseEntry, batch: Batch | None, plan: NextRelease, intake: Intake
    ) -> None:
        target = self.store.release(entry.number)
        refuse_older(self.store, self.ledger)  # once more: somebody may have put something there
        self.ledger.prepare(entry, batch, plan.chain if plan.starts else None)
        reached("publish.prepared")
        if batch is not None:
            self._keep(batch, intake)
        (intake.place / "release").rename(target)
        reached("publish.renamed")
        with in_place("the release", target):
            sync(target.parent)
        self.ledger.publish(entry)
        reached("publish.committed")


def _summary(release: Release, terms: Terms, new: Staged | None) -> Summary:
    """Summarize; columns that are not even kept were dropped, too."""
    dropped = {
        "identifiers": terms.identifiers,
        "person": () if terms.person is None else (terms.person,),
    }
    return release.summary().dropping(dropped if new is None else new.dropped)


def _why_lost(
    release: Release, plan: NextRelease, obstacles: Obstacles, new: Staged | None
) -> list[str]:
    """Say why nothing is left of some columns."""
    asked = plan.method.specialized(list(plan.terms.quasi_identifiers))
    done = () if new is None else [each.column for each in new.rare]  # in their way no more
    in_vain = () if new is None else new.in_vain
    return obstacles.why_lost(release.summary().lost, done, asked, plan.terms.k, in_vain)
