"""A series of releases: every release covers all records so far, and none betrays another."""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Unpack

from sfumato.algorithms import Algorithm
from sfumato.criteria import Criterion
from sfumato.data.hierarchy import Hierarchy
from sfumato.data.read_settings import ReadSettings, Settings
from sfumato.engines.protocol import Format
from sfumato.errors import BadInput
from sfumato.files.staged import new_parents
from sfumato.html import html_table
from sfumato.parameters import file_path
from sfumato.release import Release
from sfumato.release.context import Context
from sfumato.report import Report, audit
from sfumato.report.verdict import Verdict, worst
from sfumato.series.chain import PairVerdict, attacked_by_pairs, fixed_names, made_of, opened
from sfumato.series.entries import Batch, Chain, ReleaseEntry
from sfumato.series.publish import Publication, Request, publish
from sfumato.series.store import Store
from sfumato.series.strangers import later
from sfumato.series.terms import Terms
from sfumato.series.verify import Verified, verify
from sfumato.series.withdraw import Withdrawal, withdraw
from sfumato.text import count, counted


class ReleaseSeries:
    """A directory with a private part (ledger, batches) and a public one (releases).

    Open one that is there with its path; make a new one with `create`.

    >>> import sfumato as sf
    >>> terms = dict(
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as place:
    ...     k = sf.BCFAnonymity(5)
    ...     series = sf.ReleaseSeries.create(f"{place}/series", criterion=k, **terms)
    ...     done = series.publish(sf.datasets.patients())
    ...     done.release.name, sorted(series.releases())
    ('001', [1])
    """

    def __init__(self, place: str | Path) -> None:
        self._store = Store.open(file_path("ReleaseSeries", place))

    @classmethod
    def create(
        cls,
        place: str | Path,
        quasi_identifiers: Mapping[str, Hierarchy] | Sequence[str],
        criterion: Criterion,
        sensitive: str | Sequence[str] | None = None,
        identifiers: Sequence[str] = (),
        person: str | None = None,
        hierarchies: Mapping[str, Hierarchy] | None = None,
        method: Algorithm | None = None,
        format: Format | None = None,  # noqa: A002
        alike: str | Mapping[str, str] | None = None,
        describe: Mapping[str, str] | None = None,
        max_suppressed: float | None = None,
        context: Context | Mapping[str, str] | None = None,
        **settings: Unpack[Settings],
    ) -> ReleaseSeries:
        """Start a series; what is said here holds for all its batches.

        Args:
            place: A directory that is not there yet, or empty.
            quasi_identifiers: As for `sf.read`, like all other columns.
            criterion: What every release promises; k-anonymity is a part of it.
            sensitive: Columns that must not become known about a person.
            identifiers: Columns that name a person. They are not even kept.
            person: Column that tells people apart; only keyed hashes of it are kept. Without one,
                nobody notices a person who comes twice.
            hierarchies: Further hierarchies.
            method: `sf.BCFAnonymizer()`, with another score if one is wanted.
            format: "csv" or "parquet"; that of the first batch unless told otherwise.
            alike: What becomes of texts that only look different, as for `sf.read`. The spellings
                of a person are one person unless `alike` says "keep". Merged values are written as
                in the first batch that has them.
            describe: What columns mean, as for `sf.read`; every release says it.
            max_suppressed: How many people of a chain may be left out without a question, where
                their values are so rare that they would cost a release a whole column: a number of
                rows, or a share of them. None: say it every time (`publish(rare=...)`).
            context: Who gets the releases, as for `sf.anonymize`; those for a recipient who is
                named (`publish(recipient=...)`) do not name the one that is stated here.
            settings: How every batch is read, as for `sf.read`: `encoding`, `dates`, `missing`, ...
        """
        terms = Terms.of(
            quasi_identifiers,
            criterion,
            sensitive,
            identifiers,
            person,
            hierarchies,
            method,
            format,
            alike,
            ReadSettings.of(settings),
            describe,
            max_suppressed,
            context,
        )
        target = file_path("ReleaseSeries.create", place)
        with new_parents(target):
            Store.create(target, terms)
        return cls(place)

    def __repr__(self) -> str:
        return f"<ReleaseSeries {self.place}: {self.status().heading}>"

    @property
    def place(self) -> Path:
        """Its directory."""
        return self._store.place

    def publish(
        self,
        batch: object = None,
        *,
        wait: bool = False,
        new_chain: bool = False,
        skip_known: bool = False,
        recipient: str | None = None,
        columns: Sequence[str] | None = None,
        dry_run: bool = False,
        rare: str | None = None,
        terms: Terms | None = None,
    ) -> Publication:
        """Publish the next release, in one transaction.

        Args:
            batch: What `sf.read` can read; nothing: the batches that wait, or, if none does, the
                records of the last release once more, for a recipient who has not got them.
            wait: Keep the batch, and publish it with the next one.
            new_chain: Start a new chain: a release without the people so far.
            skip_known: Leave out rows of people who are in the series already.
            recipient: Whom the release is for; None: nobody in particular.
            columns: The quasi-identifiers that the recipient gets in detail; the others are fully
                generalized. None: those of the series' method, which are all unless it says so.
            dry_run: Decide, write, check and compare it, and publish nothing: see what it is worth.
            rare: What becomes of rows of the batch whose values are so rare that nothing would be
                left of a column. "suppress": they are left out, and not kept; "keep": they stay,
                and the column is lost; "code": the tails of the column become one value, for which
                the error has the terms of a new series or chain. None: they are left out as far as
                `max_suppressed` of the series allows, and otherwise it is an error to say nothing.
            terms: Those of the series, to be compared; for a new chain, its own.

        Raises:
            Unsatisfiable: No safe release exists; all is as before.
            RareValues: A few people would cost whole columns; all is as before.
        """
        request = Request(wait, new_chain, skip_known, recipient, columns, dry_run, rare)
        return publish(self._store, batch, request, terms)

    def status(self) -> Status:
        """What the ledger says."""
        for _ in range(2):  # entries come before files, so who publishes now is known by then
            with self._store.opened() as ledger:
                status = Status(
                    self.place,
                    tuple(ledger.chains),
                    tuple(ledger.batches),
                    tuple(ledger.releases),
                    tuple(later(self._store, ledger)),
                )
            if not status.unknown:
                break
        return status

    def verify(self) -> Verified:
        """Tidy after a crash, and compare every file with the ledger."""
        return verify(self._store)

    def withdraw(self, release: int) -> Withdrawal:
        """Take a release out of the public directory; it stays known to whoever has read it.

        Its files are kept in the private directory, and a marker stands in its place. All that
        follows is made and audited beside it, as before.

        Args:
            release: Its number.
        """
        return withdraw(self._store, release)

    def releases(self, chain: int | None = None) -> dict[int, Release]:
        """Open the releases of a chain by their numbers, withdrawn ones too; of the last chain."""
        return self._opened(self.status(), chain)

    def _opened(self, status: Status, chain: int | None = None) -> dict[int, Release]:
        wanted = status.chains[-1].number if chain is None else chain
        own = [each for each in status.releases if each.published and each.chain == wanted]
        return opened(own, status.terms(wanted), self._store) if own else {}

    def audit(self) -> SeriesReport:
        """Attack the newest release, and every two releases of its chain together.

        Withdrawn ones count like all others: who has read one still knows it.
        """
        status = self.status()
        for line in status.unknown:  # a later release might be broken, or break the newest
            raise BadInput(line)
        published = [entry for entry in status.releases if entry.published]
        if not published:
            raise BadInput(f"{self.place}: nothing has been published yet")
        newest = published[-1]
        terms = status.terms(newest.chain)
        releases = self._opened(status, newest.chain)
        batches = [batch for batch in status.batches if newest.covers(batch)]
        for batch in batches:
            self._store.refuse_changed(batch)
        table = terms.read(self._store.source(batches))
        pairs = attacked_by_pairs(releases, terms)
        names = {
            entry.number: entry.recipient for entry in published if entry.recipient is not None
        }
        before = [entry for entry in published if entry.number in releases][:-1]
        people = made_of(before, batches, terms, self._store)
        table.categories = fixed_names(table, terms, people, self._store.mark(newest.chain))
        earlier = [
            releases[entry.number].public_view.knowing(people.get(entry.number, ()))
            for entry in before
        ]
        report = audit(releases[newest.number], table, earlier=earlier)
        withdrawn = frozenset(each.number for each in published if each.withdrawn is not None)
        return SeriesReport(newest, report, tuple(pairs), names, withdrawn)


@dataclass(frozen=True)
class Status:
    """What the ledger says about a series."""

    place: Path
    chains: tuple[Chain, ...]
    batches: tuple[Batch, ...]
    releases: tuple[ReleaseEntry, ...]
    unknown: tuple[str, ...] = ()  # lines about what it does not know: it is an older copy

    @property
    def waiting(self) -> tuple[Batch, ...]:
        """Batches that no release has yet."""
        seen = self.releases[-1].last_batch if self.releases else 0
        return tuple(batch for batch in self.batches if batch.kept and batch.number > seen)

    @property
    def interrupted(self) -> bool:
        """Whether somebody is publishing right now, or died doing so."""
        return not all((*(e.published for e in self.releases), *(b.kept for b in self.batches)))

    def terms(self, chain: int) -> Terms:
        """The terms of a chain."""
        (terms,) = (each.terms for each in self.chains if each.number == chain)
        return Terms.from_json(terms, str(self.place))

    @property
    def heading(self) -> str:
        """How much there is."""
        waiting = sum(batch.n_rows for batch in self.waiting)
        return (
            f"{counted(len(self.releases), 'release')} in {counted(len(self.chains), 'chain')}, "
            f"{counted(len(self.batches), 'batch', 'batches')}, "
            f"{counted(waiting, 'row')} waiting"
        )

    HEADER = (
        *("release", "chain", "rows", "of them new", "rare left out", "left out so far"),
        *("published", "recipient", "promise"),
    )

    @property
    def rows(self) -> Iterator[tuple[str, ...]]:
        """The table that a person reads."""
        for entry, n_new, n_rare in self._with_news():
            yield (
                f"{entry.number:03d}",
                str(entry.chain),
                count(entry.n_rows),
                count(n_new),
                count(n_rare),
                count(entry.n_suppressed),
                _when(entry),
                entry.recipient or "",
                str(self.terms(entry.chain).promise),
            )

    def _with_news(self) -> Iterator[tuple[ReleaseEntry, int, int]]:
        """Give every release, its new rows, and rows that were left out of it, not of earlier ones.

        What the ledger counts is left out of the chain so far.
        """
        last, so_far = 0, dict.fromkeys((chain.number for chain in self.chains), 0)
        for entry in self.releases:
            n_new = sum(b.n_rows for b in self.batches if last < b.number <= entry.last_batch)
            yield entry, n_new, entry.n_suppressed - so_far[entry.chain]
            last, so_far[entry.chain] = entry.last_batch, entry.n_suppressed

    def _repr_html_(self) -> str:
        return html_table(self.HEADER, self.rows, self.heading)

    def to_json(self) -> dict[str, Any]:
        """Plain values for a machine: counts and times, nothing about anybody."""
        return {
            "series": str(self.place),
            "interrupted": self.interrupted,
            "unknown": list(self.unknown),
            "chains": [
                {
                    "chain": chain.number,
                    "started": chain.started,
                    "criteria": chain.terms["criteria"],
                    "method": chain.terms["method"],
                }
                for chain in self.chains
            ],
            "batches": [
                {
                    "batch": batch.number,
                    "rows": batch.n_rows,
                    "left_out": batch.n_left_out,
                    "received": batch.received,
                }
                for batch in self.batches
            ],
            "releases": [
                {
                    "release": entry.number,
                    "chain": entry.chain,
                    "batches": [entry.first_batch, entry.last_batch],
                    "rows": entry.n_rows,
                    "new": n_new,
                    "rare_left_out": n_rare,
                    "suppressed": entry.n_suppressed,
                    "made": entry.made,
                    "published": entry.published,
                    "recipient": entry.recipient,
                    "withdrawn": entry.withdrawn,
                }
                for entry, n_new, n_rare in self._with_news()
            ],
            "waiting": {
                "batches": len(self.waiting),
                "rows": sum(batch.n_rows for batch in self.waiting),
            },
        }


def _when(entry: ReleaseEntry) -> str:
    """Say when a release was made public, or what else became of it."""
    if not entry.published:
        return "interrupted"
    if entry.withdrawn is not None:
        return f"withdrawn {_minute(entry.withdrawn)}"
    return _minute(entry.made)


def _minute(time: str) -> str:
    return f"{time[:16].replace('T', ' ')} UTC"


@dataclass(frozen=True, eq=False)
class SeriesReport:
    """What the attacks found: on the newest release alone, and on every two of its chain."""

    newest: ReleaseEntry
    report: Report
    compared: tuple[PairVerdict, ...]
    recipients: Mapping[int, str]  # of releases that were made for somebody
    withdrawn: Collection[int] = ()  # numbers of releases that are public no more

    @property
    def verdict(self) -> Verdict:
        """What was shown of the newest release, and of every two: "safe", "failed", "undecided"."""
        broken = any(not each.holds for each in self.compared)
        return worst(self.report.verdict, "failed" if broken else "safe")

    @property
    def holds(self) -> bool:
        """Whether it was shown that everything promised is kept."""
        return self.verdict == "safe"

    def __bool__(self) -> bool:
        return self.holds

    def __repr__(self) -> str:
        lines = [f"{self.verdict}: release {self._named(self.newest.number)}", repr(self.report)]
        columns = self.HEADER[1:4]
        for pair, *left, k, verdict in self.rows:
            numbers = [f"{name} {n}" for name, n in zip(columns, left, strict=True)]
            lines.append(f"{pair}: records left {', '.join(numbers)}; k {k}: {verdict}")
        return "\n".join(lines)

    HEADER = ("releases", "forward", "cross", "backward", "k", "verdict")

    @property
    def rows(self) -> Iterator[tuple[str, ...]]:
        """The table that a person reads, with the names of recipients."""
        for each, (_, *left) in zip(self.compared, self.rows_of(self.compared), strict=True):
            yield (f"{self._named(each.earlier)}, {self._named(each.later)}", *left)

    def _named(self, number: int) -> str:
        notes = [self.recipients[number]] if number in self.recipients else []
        notes += ["withdrawn"] if number in self.withdrawn else []
        return f"{number:03d} ({', '.join(notes)})" if notes else f"{number:03d}"

    @staticmethod
    def rows_of(compared: Sequence[PairVerdict]) -> Iterator[tuple[str, ...]]:
        """Records left, for every two releases."""
        for each in compared:
            backward = "-" if each.backward is None else each.backward
            yield (
                f"{each.earlier:03d}, {each.later:03d}",
                *map(str, (each.forward, each.cross, backward, each.k)),
                "holds" if each.holds else "BROKEN",
            )

    def to_json(self, *, private: bool = False) -> dict[str, Any]:
        """Plain values for a machine; the original is at hand, so they are for the steward."""
        return {
            "private": True,
            "verdict": self.verdict,
            "holds": self.holds,
            "release": self.newest.number,
            "chain": self.newest.chain,
            "recipients": {str(number): name for number, name in self.recipients.items()},
            "withdrawn": sorted(self.withdrawn),
            "compared": [each.to_json() for each in self.compared],
            "audit": self.report.to_json(private=private),
        }


@contextmanager
def started(place: Path, terms: Terms | None) -> Iterator[ReleaseSeries]:
    """Open a series, or start one; a new one goes again if nothing comes of it."""
    if Store(place).private.exists():
        yield ReleaseSeries(place)
        return
    if terms is None:
        raise BadInput(
            f"{place}: no series yet; say what its columns mean and what it promises with "
            "--job job.toml"
        )
    with new_parents(place):
        Store.create(place, terms)
        series = ReleaseSeries(place)
        try:
            yield series
        finally:
            status = series.status()
            if not status.batches and not status.releases:
                shutil.rmtree(place, ignore_errors=True)
