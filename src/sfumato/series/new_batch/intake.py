"""A new batch is staged, and rows are left out of it that would cost columns, before it is kept."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path

from sfumato.algorithms.algorithm import allowed_rows
from sfumato.data.read_counts import ReadCounts
from sfumato.engines.protocol import BatchReceipt
from sfumato.errors import BadInput, BrokenPromise
from sfumato.files.failpoints import reached
from sfumato.files.staged import digest, sync
from sfumato.progress import report
from sfumato.release.columns.look_alikes import LookAlikes
from sfumato.series.entries import Batch
from sfumato.series.new_batch.drift import Drift
from sfumato.series.new_batch.rare import Obstacles, RareColumn, RareValues, with_tails
from sfumato.series.store import Store, now
from sfumato.series.terms import Terms
from sfumato.table import KEEP, MERGE, Table
from sfumato.text import count, counted, percent


@dataclass(frozen=True)
class Staged:
    """A batch that is not kept yet."""

    batch: Batch
    spelled: LookAlikes
    reading: ReadCounts
    dropped: Mapping[str, Sequence[str]]  # columns by why they are not kept
    n_rare: int = 0  # rows that were left out
    rare: tuple[RareColumn, ...] = ()  # for these columns
    in_vain: tuple[str, ...] = ()  # columns for which rows would be left out for nothing


@dataclass(frozen=True)
class Intake:
    """Takes a new batch in.

    Args:
        store: Where the series is.
        terms: Those of the chain.
        every: All batches of the series.
        before: Those of the chain.
        place: The staging directory.
        skip_known: Leave out rows of people who are there already.
    """

    store: Store
    terms: Terms
    every: Sequence[Batch]
    before: Sequence[Batch]
    place: Path
    skip_known: bool

    @property
    def file(self) -> Path:
        """Where the batch is staged."""
        return self.place / "batch.parquet"

    def opened(self, source: object) -> Table:
        """Open a new batch, with the spellings of those before."""
        report("keeping the batch")
        before = None
        if self.before and MERGE in self.terms.alike.values():
            before = self.terms.read(self.store.source(self.before))
        return self.terms.read_batch(source, before)

    def alone(self, new: Staged) -> Table:
        """See a staged batch as the series does."""
        return self.terms.read(self.store.source([new.batch], self.file))

    def all_so_far(self, new: Staged | None) -> Table:
        """Open all records of the chain, with the batch that is staged."""
        if new is None:
            return self.terms.read(self.store.source(self.before))
        return self.terms.read(self.store.source([*self.before, new.batch], self.file))

    def staged(self, table: Table, without: Mapping[str, Sequence[object]] | None = None) -> Staged:
        """Keep a batch in the staging directory, and refuse what cannot be a part of the series.

        without: Column -> values; rows that have one of them are left out.
        """
        columns = self.terms.kept(table)
        if self.before:
            columns = [column for column in self.before[0].types if column in columns]
        person = self.terms.person
        with_person = [self.store.batch(each.number) for each in self.every if person in each.types]
        name = table.source.name
        as_spelled = person is not None and self.terms.alike.get(person) == KEEP
        self.file.unlink(missing_ok=True)
        kept = table.source.keep(
            columns,
            person,
            self.store.key,
            self.file,
            with_person,
            as_spelled=as_spelled,
            without=without,
        )
        self.file.chmod(0o600)
        sync(self.file)
        if self.before:
            _refuse_types(kept.types, self.before[0].types, name)
        self._refuse_rows(kept, name, "" if as_spelled else ", however spelled")
        reached("publish.batch_staged")
        batch = Batch(
            len(self.every) + 1,
            digest(self.file),
            kept.n_rows,
            kept.n_known,
            kept.fingerprint,
            dict(kept.types),
            table.source.typed,
            now(),
        )
        spelled = LookAlikes({}, {}, table.n_merged, table.repeated_identifiers, {})
        schema = table.schema
        dropped = {
            "identifiers": schema.identifiers,
            "person": () if schema.person is None else (schema.person,),
            "no role": schema.without_role,
        }
        return Staged(batch, spelled, table.read_counts, dropped)

    def without_rare(
        self,
        table: Table,
        new: Staged,
        obstacles: Obstacles,
        drift: Drift | None,
        way: str | None,
        n_left_out: int,
        told: Callable[[Staged], Collection[str]],
    ) -> Staged:
        """Leave rows out that would cost columns, if that is what was said; refuse if nothing was.

        Nobody is left out, or asked about, for a column that is lost all the same. Which rows these
        are depends on no sensitive value.

        Args:
            table: The batch as it came.
            new: The same, staged.
            obstacles: What is in the way of columns.
            drift: How the batch differs from those before.
            way: "suppress", "code" or "keep"; None: nothing was said.
            n_left_out: Rows of the chain that were left out before.
            told: Gives the columns of which a release with a staged batch would tell something, as
                far as that depends on no sensitive value.
        """
        n_rows = new.batch.n_rows
        n_all = sum(each.n_rows for each in self.before) + n_left_out + n_rows
        limit = self.terms.max_suppressed
        allowed = None if limit is None else allowed_rows(limit, n_all) - n_left_out
        # With "keep" nobody is left out; whether it would help is said all the same.
        rare = list(obstacles.rare)
        saved = rare if way == "code" else self._saved(table, rare, n_rows, told)
        in_vain = (*(each.column for each in rare if each not in saved),)
        rare = [] if way == "keep" else saved
        if not rare:
            return replace(self.staged(table), in_vain=in_vain) if obstacles.rare else new
        fewer = self.staged(table, {each.column: each.values for each in rare})
        # The same rows are the same batch, whoever is left out of it.
        batch = replace(fewer.batch, fingerprint=new.batch.fingerprint)
        n_rare = n_rows - batch.n_rows
        if n_rare < max(each.n_people for each in rare):
            raise BrokenPromise("internal error: rows that were to be left out are there")
        if way == "suppress" or (way is None and allowed is not None and n_rare <= allowed):
            if allowed is not None and n_rare > allowed:
                raise _too_many(n_left_out + n_rare, n_all)
            return replace(fewer, batch=batch, n_rare=n_rare, rare=tuple(rare), in_vain=in_vain)
        coded = None if self.before else with_tails(self.terms, rare)
        refused = None
        if way == "code" and coded is None:
            names = ", ".join(each.column for each in rare)
            refused = (
                "--rare code: the chain has begun, and all its releases have the same hierarchies; "
                "choose suppress or keep, or start a new chain (--new-chain)"
                if self.before
                else f"--rare code: {names}: no bottom or top beyond which enough people are, so "
                "choose suppress or keep"
            )
        raise RareValues(rare, n_rare, n_rows, coded, drift, allowed, refused)

    def _saved(
        self,
        table: Table,
        rare: Sequence[RareColumn],
        n_rows: int,
        told: Callable[[Staged], Collection[str]],
    ) -> list[RareColumn]:
        """Give the columns that are told once nobody has a rare value of any of them.

        A batch of which nobody might be left is none.
        """
        saved = list(rare) if sum(each.n_people for each in rare) < n_rows else []
        while saved:
            fewer = self.staged(table, {each.column: each.values for each in saved})
            now = told(fewer)
            if all(each.column in now for each in saved):
                break
            saved = [each for each in saved if each.column in now]
        return saved

    def _refuse_rows(self, kept: BatchReceipt, name: str, spelled: str) -> None:
        if not kept.n_rows and not kept.n_known:
            raise BadInput(
                f"{name}: no rows; an empty batch changes nothing, so nothing is published"
            )
        for batch in self.every:
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
        if kept.n_known and not self.skip_known:
            raise BadInput(
                f"{name}: {counted(kept.n_known, 'row is', 'rows are')} about people who "
                f"are in the series already{spelled}; what has been published is not corrected or "
                "published twice, so take these rows out, or leave them out with --skip-known"
            )
        if not kept.n_rows:
            raise BadInput(
                f"{name}: all rows are about people who are in the series already{spelled}"
            )


def _too_many(n_left_out: int, n_all: int) -> BadInput:
    share = percent(Fraction(n_left_out, n_all))
    return BadInput(
        f"max_suppressed: with these, {counted(n_left_out, 'row')} of {count(n_all)} would be left "
        f"out ({share}), more than the series allows; keep them (--rare keep), or start a new "
        "chain with other terms (--new-chain)"
    )


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
