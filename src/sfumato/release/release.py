"""A release: the public part, which is what files hold, and the private one that made it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.address import Address, is_address
from sfumato.algorithms import Algorithm, Recode
from sfumato.criteria import Criterion
from sfumato.criteria.judging import a_criterion, guarding_column, validate
from sfumato.data.condensed import Condensed
from sfumato.data.frequency import FrequencySet, Grouping
from sfumato.data.groups import Counts, Groups, GroupSizes
from sfumato.data.recoding import Recoding
from sfumato.engines.protocol import Format
from sfumato.errors import BadInput
from sfumato.files.failpoints import reached
from sfumato.files.private_directory import PrivateDirectory, scratch
from sfumato.files.staged import called
from sfumato.html import html_table
from sfumato.parameters import file_path, one_of, optional_seed, release_place, true_or_false
from sfumato.published.public_view import PublicView
from sfumato.release.check import Check, checked
from sfumato.release.columns.look_alikes import LookAlikes, as_merged
from sfumato.release.columns.telling import identifying_columns, telling_columns
from sfumato.release.columns.untouched import Untouched, published_untouched
from sfumato.release.context import Context
from sfumato.release.description import MAY_BE_CHANGED, Description, OwnAudit
from sfumato.release.earlier_releases.compare import judged_beside
from sfumato.release.earlier_releases.previous import Previous, previous_of
from sfumato.release.files.as_described import refuse_undescribed
from sfumato.release.files.open_tables import open_tables
from sfumato.release.files.saved import FORMATS, Files, Written, open_saved
from sfumato.release.files.writing import (
    Private,
    alike_in,
    people_by_group,
    read_apart,
    read_back,
    view_of,
    with_original,
    write,
)
from sfumato.release.first_rows import first_rows
from sfumato.release.guarding_nodes import decided
from sfumato.release.people_by_risk import AFTER, BEFORE, TWO_TABLES, PeopleByRisk
from sfumato.release.permuted import permuted
from sfumato.release.placing import (
    Staging,
    refuse_address,
    refuse_unwritable_names,
    staged_for,
    write_private,
)
from sfumato.release.placing_tables import TableStaging, refuse_format, staged_in
from sfumato.release.stated_verdicts import StatedVerdict
from sfumato.release.summary import Summary
from sfumato.release.typed import typed_pandas, typed_polars
from sfumato.table import DATA, SENSITIVE, Table
from sfumato.text import count, counted

IN_TABLES: Format = "parquet"  # in which rows go to a database, and come back


def load(directory: str | Path) -> Release:
    """Open a saved release: its public part, which is all there is on disk, or in a database.

    Args:
        directory: Where it is: a directory, or `"postgresql://host/database#schema.table"`. Rows of
            a table are copied to a private place, as they are at this moment.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> release = sf.anonymize(patients, sf.KAnonymity(5), sf.Samarati())
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as place:
    ...     sf.load(release.save(f"{place}/2026-q1"))
    <Release of 2,000 rows, 0 suppressed: KAnonymity(k=5) by Samarati()>
    """
    place = release_place("load", directory)
    description, files = open_tables(place) if isinstance(place, Address) else open_saved(place)
    refuse_undescribed(description, files)
    return Release(description, written=Written(files), further_files=files.further)


def a_release(release: object, owner: str) -> Release:
    """Refuse what is no release."""
    if not isinstance(release, Release):
        raise BadInput(
            f"{owner}: expected a release (sf.load opens a saved one), got {type(release).__name__}"
        )
    return release


class Release:
    """A table about people in which no person can be traced, and how it was made.

    The public part is what `save` writes. The private part (source, counts, recoding) exists only
    in the process that made the release; after `load` it is absent. What was written, and what was
    found when it was read back, is kept: whatever is asked later starts from there.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> release = sf.anonymize(patients, sf.KAnonymity(5), sf.Samarati())
    >>> release
    <Release of 2,000 rows, 0 suppressed: KAnonymity(k=5) by Samarati()>
    >>> release.levels, release.n_rows, release.n_suppressed
    ({'age': 1, 'sex': 1}, 2000, 0)
    """

    def __init__(
        self,
        description: Description,
        private: Private | None = None,
        written: Written | None = None,
        untouched: Untouched | None = None,
        further_files: tuple[str, ...] = (),
    ) -> None:
        self.description = description
        self._private = private
        self._written = written
        self._untouched = untouched
        self.further_files = further_files  # beside those of a loaded release, no part of it

    def __repr__(self) -> str:
        shown = self.description
        at_root = f"{count(shown.n_at_root)} at the root, " if shown.n_at_root else ""
        return (
            f"<Release of {counted(shown.n_rows, 'row')}, {at_root}{count(shown.n_suppressed)} "
            f"suppressed: {shown.criterion} by {shown.method}>"
        )

    def _repr_html_(self) -> str:
        shown = self.description
        rows = [
            ("promise", shown.criterion),
            ("method", shown.method),
            ("rows", f"{shown.n_rows} published, {shown.n_suppressed} suppressed"),
            *([("at the root", count(shown.n_at_root))] if shown.n_at_root else []),
            ("quasi-identifiers", ", ".join(shown.quasi_identifiers)),
            ("sensitive", ", ".join(shown.sensitive) or "none"),
            ("insensitive", ", ".join(shown.insensitive) or "none"),
        ]
        if shown.set_valued is not None:
            rows.append(("any number of values", shown.set_valued))
        if shown.masked is not None:
            rows.append((f"values of {shown.masked}", MAY_BE_CHANGED))
        if shown.group is not None:
            rows.append(("published as", f"two tables that share the column {shown.group!r}"))
        if shown.levels is not None:
            levels = ", ".join(f"{name} {level}" for name, level in shown.levels.items())
            rows.append(("levels", levels))
        return html_table(("", "release"), rows)

    @property
    def criterion(self) -> Criterion:
        """What was promised."""
        return self.description.criterion

    @property
    def method(self) -> Algorithm:
        """The algorithm that made it."""
        return self.description.method

    def state(self, verdicts: Sequence[StatedVerdict], attacked: OwnAudit) -> None:
        """Remember what an audit found, and attacks that know the method; `save` writes it down."""
        self.description = replace(self.description, verdicts=tuple(verdicts), attacked=attacked)

    @property
    def levels(self) -> dict[str, int] | None:
        """Full-domain recoding: the level of every quasi-identifier; otherwise None.

        Outliers are not at these levels, but at the root (`n_at_root`).
        """
        return None if self.description.levels is None else dict(self.description.levels)

    @property
    def gap(self) -> int | float | None:
        """By how much the best there is may cost less than this, where it was searched for.

        0: nothing costs less, as was proved. None: the method does not prove anything of the kind.
        """
        best = self.description.best_so_far
        return None if best is None else best.gap

    @property
    def interrupted(self) -> bool:
        """Whether the search was ended by Ctrl-C, so that running it again may give another one."""
        best = self.description.best_so_far
        return best is not None and best.interrupted

    @property
    def n_suppressed(self) -> int:
        """Number of rows left out."""
        return self.description.n_suppressed

    @property
    def n_at_root(self) -> int:
        """Number of rows published with every quasi-identifier at the root, as one group."""
        return self.description.n_at_root

    @property
    def n_rows(self) -> int:
        """Number of rows published."""
        return self.description.n_rows

    @property
    def recoding(self) -> Recoding:
        """The decision of the algorithm (private)."""
        return self.private.recoding

    @property
    def table(self) -> Table:
        """The original table (private)."""
        return self.private.table

    @property
    def private(self) -> Private:
        """The private part; refused for a loaded release."""
        if self._private is None:
            raise BadInput(
                "this needs the original table, and a loaded release has only its public part; "
                "use the release that sf.anonymize returned"
            )
        return self._private

    @property
    def grouping(self) -> Grouping:
        """Which combinations were published together: of the original, or as published."""
        return self.seen if self._decided is None else self._decided

    @cached_property
    def _decided(self) -> Grouping | None:
        if self._private is None or not self.recoding.has_one_box_each or self._is_condensed:
            return None
        return self.recoding.told_grouping(self.table.frequencies())

    @property
    def _is_condensed(self) -> bool:
        """Whether people's own combinations were too many to be here."""
        return self._private is not None and isinstance(self._private.frequencies, Condensed)

    @property
    def written(self) -> Written:
        """What was written and read back: saved, loaded, or staged in private so far.

        Raises:
            BadInput: A file is gone, or not what it was.
        """
        return self._written_for(looked_at=False)

    def _written_for(self, *, looked_at: bool) -> Written:
        """Stage what was not written yet; `looked_at`: groups with values are asked for."""
        if self._written is None:
            staging = scratch()
            try:
                self._written = self._write(staging.path, "parquet", staging, looked_at=looked_at)
            except BaseException:
                staging.close()
                raise
        self._written.files.refuse_changed()
        return self._written

    def _looked_at(self) -> tuple[Grouping, Grouping]:
        """Group what was written as its readers would: `published` and `seen`, once."""
        written = self._written_for(looked_at=True)
        published, seen = written.published, written.seen
        if published is None or seen is None:
            sources = written.files.opened(self.description.tables)
            published = read_back(self.description, sources).grouping
            seen = with_original(published, self._private)
            self._written = replace(written, published=published, seen=seen)
        return published, seen

    @property
    def people_by_group(self) -> FrequencySet:
        """Who is in which group, where two tables are published: the number of a group is last."""
        if self.description.group is None:
            raise BadInput("one table is published, so groups have no numbers")
        written, people = self.written, self.written.people
        if people is None:
            people = people_by_group(self.description, written.files)
            self._written = replace(written, people=people)
        return people

    @property
    def published(self) -> Grouping:
        """The published table as any reader groups it: by its labels alone."""
        return self._looked_at()[0]

    @property
    def seen(self) -> Grouping:
        """`published`, with sensitive values coded as in the original, if that is at hand.

        Criteria and beliefs are about the distribution there, which suppressed people are a part
        of. Equal to `published` for a loaded release.
        """
        return self._looked_at()[1]

    @property
    def public_view(self) -> PublicView:
        """What everybody sees of this release, for those that come after it (BCFAnonymizer)."""
        if self.description.group is not None:
            raise BadInput(
                "a release as two tables cannot be compared with later ones: quasi-identifiers are "
                "published as they are"
            )
        _ = self.written  # refused if a file has changed since
        return self._public_view

    @cached_property
    def _public_view(self) -> PublicView:
        view = view_of(self.description, self.published)
        if self._private is None or self._is_condensed:
            return view
        table = self.table
        return replace(view, made_of=lambda: (table.frequencies(),))

    @cached_property
    def previous(self) -> Previous:
        """The earlier releases: those that the method was given, or found beside a saved one."""
        directory = None
        if self._private is None and self._written is not None:
            files = self._written.files
            directory = files.directory if files.tables is None else None
        return previous_of(self.method, directory, load)

    @property
    def original(self) -> Table | None:
        """The original table (private); None for a loaded release."""
        return None if self._private is None else self._private.table

    @property
    def untouched(self) -> Untouched:
        """What is published untouched, and how many people are alike in it."""
        if self._untouched is None:
            shown = self._as_found
            if self._private is not None:
                self._untouched = self._private.untouched(shown)
            else:
                domains = self.seen.frequencies.domains
                n_values = {name: len(domains[name]) for name in shown.sensitive}
                alike = alike_in(self.written.files, shown)
                self._untouched = published_untouched(shown, alike, n_values)
        return self._untouched

    @property
    def telling_apart(self) -> tuple[str, ...]:
        """The columns beside the quasi-identifiers that tell people apart; see `Description`."""
        return self._as_found.telling_apart

    @cached_property
    def _as_found(self) -> Description:
        """What is described, with the columns that anybody sees to say who people are."""
        shown = self.description
        if self._private is not None:
            return shown
        asked = [n for n in shown.sensitive if n not in (*shown.telling, shown.set_valued)]
        domains = {name: self.seen.frequencies.domains[name] for name in asked}
        found = identifying_columns(domains, alike_in(self.written.files, shown))
        return replace(shown, telling={**shown.telling, **found})

    @property
    def context(self) -> Context:
        """Who gets it, as the steward states it; of a loaded release, what is public of that."""
        shown = self.description.context
        return Context(**shown) if self._private is None else self._private.context

    def beside(self, original: Table) -> Release:
        """See a loaded release with what its original shows to go together, whoever describes it.

        Where the original is its own, that is the same.
        """
        if self._private is not None:
            return self
        found = telling_columns(original)
        known = {
            name: columns for name, columns in found.items() if name in self.description.sensitive
        }
        described = replace(self.description, telling=known)
        return Release(described, None, self.written, further_files=self.further_files)

    @cached_property
    def look_alikes(self) -> LookAlikes:
        """What only looks different in the sensitive columns, and whether the steward kept it."""
        return LookAlikes.published(self.description, self.seen.frequencies)

    def told_apart(self) -> Grouping:
        """Group people as who also knows what is untouched, and what quasi-identifiers tell."""
        return with_original(read_apart(self._as_found, self.written.files), self._private)

    @property
    def groups(self) -> Groups:
        """The published groups, with the sensitive attribute if there is exactly one."""
        return self.groups_of(None)

    def groups_of(self, attribute: str | None) -> Groups:
        """The published groups, seen by one sensitive attribute."""
        if attribute is None and len(self.description.sensitive) > 1:
            return Groups(self.grouping.sizes)
        return self.grouping.groups(attribute)

    @cached_property
    def published_boxes(self) -> tuple[NDArray[np.int32], Counts]:
        """The published boxes in ground ranks of the original, and the people in each (private).

        Where two tables are published, a box is a combination of quasi-identifiers as it is.
        """
        return self.recoding.published_boxes(self.private.frequencies)

    @property
    def sizes(self) -> Counts:
        """Number of people in every published group."""
        return self.seen.sizes if self._private is None else self._sizes_decided

    @cached_property
    def _sizes_decided(self) -> Counts:
        return self.recoding.sizes(self.private.frequencies)

    def summary(self) -> Summary:
        """Groups, suppression, information loss, columns dropped."""
        if self._written is not None:
            self._written.files.refuse_changed()
        shown = self.description, self.sizes, self.untouched
        if self._private is None:
            return Summary.of(*shown, self.look_alikes, self.further_files)
        alike = LookAlikes.of(self.table)
        n_changed = self.recoding.n_changed
        return Summary.of(*shown, alike, (), self.table, self.published_boxes, n_changed)

    def check(self, criterion: Criterion | None = None) -> Check:
        """Measure the promise, or another criterion, on the published table itself.

        The promise was measured when the rows were written and read back, which is not done again.
        """
        written = self.written
        if criterion is None and written.check is not None:
            return self._noticed(written.check)
        if criterion is not None:
            criterion = as_merged(a_criterion(criterion), self.original)
        seen = self.seen
        guard = guarding_column(criterion or self.criterion)
        known = seen.frequencies
        if self._private is not None:
            known = self.table.frequencies(guard) if guard else self.table.values_of_people()
        # A value that the promise names may have gone with the suppressed rows.
        promise = validate(criterion or self.criterion, known, values=criterion is not None)
        guarded = None
        if guard is not None and self._private is not None:
            guarded = decided(self.recoding, known)
        n_unseen = self.n_suppressed if self._private is None else 0
        verdict = checked(seen, promise, guarded, n_unseen)
        counted = None
        if self._private is not None and self.previous:
            counted = self.method, known if guard else self.table.frequencies()
        view = view_of(self.description, self.published)
        verdict, _ = judged_beside(verdict, view, promise, self.previous, counted)
        verdict = replace(verdict, experiment=self.method.experiment)
        if criterion is None:
            self._written = replace(self.written, check=verdict)
        return self._noticed(verdict)

    def _noticed(self, verdict: Check) -> Check:
        """Add what is to be noticed; values are looked at where something is asked of them."""
        by_value = any(each.criterion.looks_at_values for each in verdict.measured)
        alike = self.look_alikes if by_value else None
        attacked = self.description.attacked if self._private is None else None
        noticed = verdict.beside(self.untouched, alike, self.further_files, attacked)
        return replace(noticed, risk=self.risk())

    def risk(self) -> PeopleByRisk:
        """Count people by the size of their group: of the original (private), and as published."""
        before = {} if self._private is None else {BEFORE: self.table.alike_as_read()}
        notes = () if self.description.group is None else (TWO_TABLES,)
        return PeopleByRisk({**before, AFTER: self.alike()}, self.n_suppressed, notes)

    def alike(self) -> GroupSizes:
        """Count the groups of people who are published with the same quasi-identifiers.

        Where two tables are published these are as they were, whatever the groups are.
        """
        if self.description.group is None:
            return GroupSizes.of(self.sizes)
        known = self.people_by_group.project(self.description.quasi_identifiers)
        return GroupSizes.of(known.counts)

    def to_arrow(self, table: Literal["data", "sensitive"] = "data") -> Any:
        """Give the published table as a PyArrow table.

        Where two tables are published, "data" has the quasi-identifiers and "sensitive" the
        sensitive values.
        """
        return self._rows("to_arrow", table).read_all()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Stream the published rows to whoever speaks Arrow: `pl.DataFrame(release)`.

        Where two tables are published this is the one with the quasi-identifiers; see `to_arrow`.
        """
        return self._rows("__arrow_c_stream__", DATA).__arrow_c_stream__(requested_schema)

    def _rows(self, owner: str, table: str) -> Any:
        """Read a published table batch by batch."""
        one_of(owner, "table", table, self.description.tables)
        return self.written.files.to_batches(table, self.description.text)

    def first_rows(self) -> dict[str, list[dict[str, Any]]]:
        """Give a few rows as they are published, each of another group, of every table.

        >>> import sfumato as sf
        >>> patients = sf.read(sf.datasets.patients(), {"age": sf.Intervals(50)})
        >>> sf.anonymize(patients, sf.KAnonymity(50), sf.Samarati()).first_rows()
        {'data': [{'age': '[0, 50)'}, {'age': '[50, 100)'}]}
        """
        shown = self.description
        known = [name for c in shown.quasi_identifiers for name in shown.in_file(c)]
        by = known if shown.group is None else [shown.group]
        tables = shown.tables
        return {each: first_rows(self._rows("first_rows", each), by) for each in tables}

    def permuted(self, seed: int | None = None) -> Any:
        """See two published tables as one, with the values of each group dealt out at random.

        Anybody can do this with the public tables, so it says nothing more than they do; it is for
        those who need one table, and how Chen 2009, section 8.4, publishes. People with several
        sensitive columns get a whole row of them.

        Args:
            seed: Deal the same again; it protects nobody.
        """
        group = self.description.group
        if group is None:
            raise BadInput("permuted: this release is one table already; use to_arrow()")
        if self.description.set_valued is not None:
            raise BadInput(
                f"permuted: people have any number of values of {self.description.set_valued!r}, "
                "so values cannot be dealt out one to each"
            )
        optional_seed("permuted", seed)
        data, values = (self._rows("permuted", name).read_all() for name in (DATA, SENSITIVE))
        return permuted(data, values, group, self.description.columns, seed)

    def to_pandas(
        self, table: Literal["data", "sensitive"] = "data", *, typed: bool = False
    ) -> Any:
        """Give the published table as a pandas data frame; needs pandas.

        Args:
            table: Which one, where two are published.
            typed: Generalized numbers and dates as intervals, which hold the value of whoever is
                behind the row unless it is missing; other quasi-identifiers as categories.
        """
        true_or_false("to_pandas", "typed", typed)
        with _needing("pandas"):
            rows = self.to_arrow(table)
            return typed_pandas(rows, self.description) if typed else rows.to_pandas()

    def to_polars(
        self, table: Literal["data", "sensitive"] = "data", *, typed: bool = False
    ) -> Any:
        """Give the published table as a Polars data frame; needs Polars.

        Args:
            table: Which one, where two are published.
            typed: As for `to_pandas`; intervals are structures of `low` and `high`.
        """
        true_or_false("to_polars", "typed", typed)
        with _needing("polars"):
            import polars  # noqa: PLC0415  (optional)

            rows = self.to_arrow(table)
            return typed_polars(rows, self.description) if typed else polars.from_arrow(rows)

    def save(
        self,
        directory: str | Path,
        format: Format | None = None,  # noqa: A002
        *,
        experiment: bool = False,
    ) -> Path | Any:
        """Write the release into a new directory, or into new tables; complete or not at all.

        The rows are written to a private place beside it, read back and checked; a codebook, a
        data package and the description follow, and only then does the directory get its name.
        Tables are made, read back and checked in one transaction: nobody sees them before. What an
        audit, or another question, has had written, read back and checked already is copied where
        the format is the same, and the copy has to have the same digest.

        Args:
            directory: Where; it must not exist yet, or be empty. An address, such as
                `"postgresql://host/database#schema.table"`, names a new table; beside it the table
                `table_release` gets the description and the codebook (docs/engines.md).
            format: "csv" or "parquet"; unless told otherwise CSV for a CSV source, else Parquet.
                Of a table there is none.
            experiment: Allow a release whose chances come from a seed, which anybody who knows
                the seed can repeat. It is marked as an experiment.
        """
        with self._saving(directory, format, experiment=experiment, looked_at=False):
            pass
        return directory if is_address(directory) else file_path("save", directory)

    @contextmanager
    def saving(
        self,
        directory: str | Path,
        format: Format | None = None,  # noqa: A002
        *,
        experiment: bool = False,
    ) -> Iterator[None]:
        """Save the release when the block ends; an error in the block leaves nothing.

        In the block the rows stand in the private place already, read back and checked, so what is
        asked there is asked of the very files that will be published:

        >>> import sfumato as sf
        >>> from tempfile import TemporaryDirectory
        >>> patients = sf.read(
        ...     sf.datasets.patients(),
        ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
        ...     sensitive="disease",
        ... )
        >>> release = sf.anonymize(patients, sf.KAnonymity(5), sf.Samarati())
        >>> with TemporaryDirectory() as place:
        ...     with release.saving(f"{place}/out"):
        ...         assert sf.audit(release).verdict != "failed"
        ...     sf.load(f"{place}/out").description.attacked
        'safe'
        """
        with self._saving(directory, format, experiment=experiment, looked_at=True):
            yield

    @contextmanager
    def _saving(
        self,
        directory: str | Path,
        format_of_files: Format | None,
        *,
        experiment: bool,
        looked_at: bool,
    ) -> Iterator[None]:
        """Save when the block ends; `looked_at`: in the block somebody asks for the groups."""
        if self.method.experiment and not experiment:
            raise BadInput(
                "save: this release was made with a seed, so its chances can be repeated; "
                "anonymize without one, or save with experiment=True what is not for publication"
            )
        target = release_place("save", directory)
        staged: AbstractContextManager[Staging | TableStaging]
        if isinstance(target, Address):
            refuse_format(format_of_files)
            kind, staged = IN_TABLES, staged_in(target, self.description)
        else:
            refuse_address(target)
            usual = self.private.table.source.format
            kind = usual if format_of_files is None else format_of_files
            one_of("save", "format", kind, FORMATS)
            refuse_unwritable_names(self.description, kind)
            staged = staged_for(target)
        _ = self.private  # without which nothing is begun
        before = self._written
        try:
            with staged as staging:
                with called(staging.path, target):
                    self._written = self._copied(staging, kind) or self._write(
                        staging.path, kind, staging.scratch, staging.carry, looked_at=looked_at
                    )
                reached("save.checked")
                yield
                # What has changed since is refused.
                before = self._written = staging.publish(self.description, self.written)
                staging.settle()
        finally:
            self._written = before

    def _copied(self, staging: Staging | TableStaging, kind: Format) -> Written | None:
        """Copy what was staged in private, read back and checked; None: it has to be written.

        What a database makes of rows is only known when it was asked for them.
        """
        written = self._written
        if written is None or written.check is None or staging.carry is not None:
            return None
        files = written.files
        if files.scratch is None or files.kind != kind or not files.are_there:
            return None
        return replace(written, files=files.copied(staging.path))

    def _write(
        self,
        directory: Path,
        kind: Format,
        staging: PrivateDirectory | None = None,
        carry: Callable[[Files], None] | None = None,
        *,
        looked_at: bool,
    ) -> Written:
        return write(
            self.description,
            self.private,
            self.sizes,
            self.previous,
            directory,
            kind,
            staging,
            carry,
            looked_at=looked_at,
        )

    def recoding_table(self) -> Any:
        """Give the recoding as a PyArrow table of values and published values (private).

        Where every column is recoded on its own: attribute, value, published. Otherwise a row
        per combination: its values, its published values, and how many people it stands for.
        """
        import pyarrow as pa  # noqa: PLC0415  (heavy, so imported when used)

        return pa.table(self.recoding.as_table(self.table.domains))

    def save_recoding(self, path: str | Path) -> Path:
        """Write the recoding into a private file, for `Recode.load` and other data.

        It names no person, but it is meant for the steward: only the owner may read it.
        """
        limit, suppress = self.method.max_suppressed, self.method.suppress
        private = self.private
        memory = private.table.memory
        saved = Recode.of(self.recoding, private.frequencies, limit, suppress, memory)
        target = file_path("save_recoding", path)
        write_private(target, saved.to_json())
        return target


@contextmanager
def _needing(package: str) -> Iterator[None]:
    """Say how to get an optional package."""
    try:
        yield
    except ImportError:
        raise BadInput(f"this needs {package}; install it with: pip install {package}") from None
