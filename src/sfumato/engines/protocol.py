"""What an engine is asked, in which order, and what it is told when it writes a release.

    engine.open(source, settings)    -> Source   columns, types; nothing is counted yet
    source.read_counts(columns)      -> counts   of what the settings did to them
    source.spellings(column)         -> counts   and values that only look different
    source.respelled(spellings)      -> Source   with each of those values in one spelling
    source.people(person, ...)       -> People   one row for each person
    people.domains(columns, ...)     -> values   in an order that the engine remembers
    people.count(codes, layout, ...) -> keys     packed codes, with the number of people
    people.n_counted(columns)        -> number   of keys that `count` would give
    people.kept(codes, layout, ...)  -> Counted  the same, where they are too many to be given
    people.alike(groupings, plan)    -> sizes    of groups, and nothing about who is in them
    people.apply(plan, target, kind)             rows recoded, sorted, written
    people.digest(plan)              -> number   of the rows that `apply` was told to write
    source.look(patterns)            -> counts   of every column, before it has a role
    engine.open_published(target)    -> Source   read back as any stranger would
    source.kinds(numbers)            -> names    of what its columns hold
    source.is_sorted(kinds, ...)     -> bool     whether rows stand in the order of their values

`domains` comes before `count`, `apply`, and `alike` with a plan: the codes these get are aligned
with the values it listed. Otherwise each may be called at any time and again, and one source may be
asked for its people more than once. Whatever is counted or decided passes through as codes and
counts; rows never enter Python.

A digest is a sum of hashes of rows, modulo 2^64: the same for the same rows in any order, another
one if a value, a row, or who has what is another. A hash is of the texts of values, so that it is
the same in a source and in a file of any format that was made of it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from sfumato.data.groups import Counts, Digests
from sfumato.data.keys import Codes, Keys, Layout
from sfumato.data.labels.numbers import NumberColumns
from sfumato.data.read_counts import ReadCounts
from sfumato.data.read_settings import ReadSettings
from sfumato.data.recoding.instructions import Join, Lookup
from sfumato.data.regions import Regions
from sfumato.data.spellings import Spellings
from sfumato.engines.look import SourceLook, TextCounts
from sfumato.registry import Registry

Format = Literal["csv", "parquet"]
Outcome = TypeVar("Outcome")
Box = NDArray[np.int32]  # (n_fields, 2)


@dataclass(frozen=True, eq=False)
class WritingPlan:
    """All an engine needs to write a table of a release, in terms of codes.

    >>> import sfumato as sf
    >>> how = sf.engines.Lookup({"age": None}, {}, suppressed=[])
    >>> plan = WritingPlan(("age",), ("age",), how, codes={"age": [0, 1]}, text=frozenset())
    >>> plan.group is None  # one table, without numbers of groups
    True
    """

    columns: tuple[str, ...]  # published, in order
    quasi_identifiers: tuple[str, ...]
    how: Lookup | Join
    codes: Mapping[str, Codes]  # aligned with the values that `People.domains` gave
    text: frozenset[str]  # columns that hold codes, not numbers, whatever they look like
    group: str | None = None  # a column of its own for the number of the group, before all others
    # Columns of numbers: instead of a quasi-identifier's texts, in its place and order, or behind.
    numbers: Mapping[str, NumberColumns] = field(default_factory=dict)

    def written_for(self, column: str, inner: Mapping[str, str]) -> list[tuple[str, str]]:
        """Give what is written for a column: names inside the engine, and those in the file.

        inner: column -> its name inside. Columns of numbers are n0_0, n0_1, n1_0, ... there.
        """
        own, numbers = [(inner[column], column)], self.numbers.get(column)
        if numbers is None:
            return own
        place = list(self.numbers).index(column)
        beside = [(f"n{place}_{j}", name) for j, name in enumerate(numbers.names)]
        return beside if numbers.instead else [*own, *beside]

    def sorted_by(self, inner: Mapping[str, str]) -> list[str]:
        """Give the names inside the engine by which rows are sorted, after the group."""
        first = [column for column in self.quasi_identifiers if column in self.columns]
        rest = [column for column in self.columns if column not in first]
        return [v for column in (*first, *rest) for v, _ in self.written_for(column, inner)]


@dataclass(frozen=True)
class Batches:
    """Parquet files that `keep` wrote, as one source.

    >>> from pathlib import Path
    >>> Batches((Path("001.parquet"), Path("002.parquet")), typed=True, name="series").name
    'series'
    """

    paths: tuple[Path, ...]
    typed: bool  # False: they come from CSV files, and types are ours to derive
    name: str


@dataclass(frozen=True)
class BatchReceipt:
    """What was found in a batch while it was kept.

    >>> receipt = BatchReceipt(3, 0, 1, fingerprint="9f0c", types={"age": "int64"})
    >>> receipt.n_rows, receipt.n_known
    (3, 1)
    """

    n_rows: int  # in the file, without those left out
    n_repeated: int  # rows of people who have another row in the batch
    n_known: int  # rows of people who are in an earlier batch; left out
    fingerprint: str  # the same for the same rows in any order
    types: Mapping[str, str]  # column -> Arrow's name of its type in the file


class Along(NamedTuple):
    """People of some regions, by their codes of one column and of those that follow it."""

    region: NDArray[np.int64]  # (n,)
    codes: NDArray[np.int32]  # (n, 1 + n_beside)
    people: Counts  # (n,)


class Piece(NamedTuple):
    """The counted combinations of one region, by ascending key; 0: of the whole space."""

    region: int
    keys: Keys
    counts: Counts
    digests: Sequence[Digests]


class Counted(ABC):
    """Counted combinations that stay in the engine; from `People.kept`.

    A field is a column of the keys, by its place in their layout.
    """

    n_keys: int

    def most_in_a_piece(self, n_columns: int) -> int | None:  # noqa: ARG002
        """Give the most keys that whoever works on a piece has room for; None: as we have.

        n_columns: of the keys.
        """
        return None

    @abstractmethod
    def along(
        self,
        regions: Regions,
        wanted: Sequence[int],
        field: int,
        beside: Sequence[int],
        among: Mapping[int, Codes] | None = None,
    ) -> Along:
        """Count the people of some regions by one field, and by others beside it.

        among: Only those who have one of several lists of codes: field -> (n_lists,) its codes.
        """

    @abstractmethod
    def sizes(self, regions: Regions) -> NDArray[np.int64]:
        """Give the number of keys in every region."""

    @abstractmethod
    def worked_on(
        self, regions: Regions, most: int, work: Callable[[Piece], Outcome]
    ) -> Iterator[Outcome]:
        """Do some work on each region; on one that has more than `most` keys, in several parts.

        Keys that are alike in the fields that regions are about are in the same part. The work may
        be done anywhere, in any order and at the same time; what it needs and what comes out of it
        can be pickled. It is asked once, and nothing is asked behind it.
        """

    @abstractmethod
    def pieces(self, regions: Regions, wanted: Sequence[int], most: int) -> Iterator[Piece]:
        """Give some regions; one that has more than `most` keys, in several parts.

        The same parts as those of `worked_on`; but it may be asked again, of others.
        """

    @abstractmethod
    def n_rolled_up(self, firsts: Sequence[Codes], within: Box | None = None) -> int:
        """Give the number of keys that are left when some fields are generalized.

        firsts: of each of the first fields, code -> first code of the interval it is in; within:
        [low, high] codes that they have, in as many fields; None: any.
        """

    @abstractmethod
    def rolled_up(self, firsts: Sequence[Codes], within: Box | None = None) -> Piece:
        """Give the keys in which some fields are generalized, with all who have them."""

    @abstractmethod
    def release(self) -> None:
        """Let the keys go; nothing is asked behind it."""


class People(ABC):
    """The rows of a source, one for each person; from `Source.people`.

    >>> import sfumato as sf
    >>> source = sf.engines.DuckDB().open(sf.datasets.patients())
    >>> people = source.people(None, ["disease"], ["sex", "disease"])
    >>> sorted(people.domains(["sex"], ["sex"])["sex"])
    ['female', 'male', 'other']
    """

    set_valued: str | None  # the sensitive column in which a person has a list of values

    @abstractmethod
    def domains(
        self, columns: Sequence[str], jointly: Sequence[str], told: Sequence[tuple[str, ...]] = ()
    ) -> dict[str, list[object]]:
        """Give each column's distinct values (None: missing); of a column of lists, the lists.

        `jointly`, `told`: the columns whose combinations will be counted next, and those that will
        be told of their people, if that can be done at once.
        """

    @abstractmethod
    def count(
        self,
        codes: Mapping[str, Codes],
        layout: Layout,
        told: Sequence[tuple[str, ...]] = (),
        at_most: int | None = None,
    ) -> tuple[Keys, Counts, Sequence[Digests]]:
        """Count people per combination, in any order; codes: aligned with what `domains` gave.

        With them the digests of what people have in the columns of each part of `told`. `at_most`:
        so many of the people will do, chosen by chance; all of them are right as well.
        """

    def n_counted(self, columns: Sequence[str]) -> int | None:  # noqa: ARG002
        """Give the number of combinations; None: unknown. Cheap if `domains` was to count them.

        Several may be one for `count`, where codes make no difference between values. Default:
        nothing is known, and so all of them are taken to fit.
        """
        return None

    def kept(
        self, codes: Mapping[str, Codes], layout: Layout, told: Sequence[tuple[str, ...]] = ()
    ) -> Counted:
        """Count people per combination, and keep that in the engine; as `count` otherwise.

        Asked only where `n_counted` gave a number.
        """
        raise NotImplementedError

    @abstractmethod
    def alike(
        self, groupings: Sequence[Sequence[str]], plan: WritingPlan | None = None
    ) -> list[tuple[Counts, Counts]]:
        """Count the groups of rows that are alike in all of some columns, missing values too.

        The rows are those of `plan`'s table, with what it publishes; without a plan those of the
        source. Gives, for each of the groupings, the sizes that occur, each once and ascending,
        and how many groups have it. All at once they cost what the columns cost together.
        """

    @abstractmethod
    def apply(self, plan: WritingPlan, target: Path, kind: Format) -> None:
        """Write a table of the release, sorted by what is published: first what groups people.

        A list is written as one row for each of its values.
        """

    @abstractmethod
    def digest(self, plan: WritingPlan | None = None) -> int:
        """Give the digest of the rows that `apply` writes by a plan, all columns in their order.

        Without a plan: of the rows of the source. It is asked after `apply`, by the same plan, and
        only where chance deals people out: what else is written follows from what was counted.
        """


class Source(ABC):
    """One source of rows; from `Engine.open`.

    >>> import sfumato as sf
    >>> source = sf.engines.DuckDB().open(sf.datasets.patients())
    >>> source.columns[:2], source.engine.name
    (('name', 'age'), 'duckdb')
    """

    engine: Engine  # that opened it
    name: str  # what messages call it
    columns: tuple[str, ...]  # in their order
    typed: bool  # False: all columns are text, and types are ours to derive
    format: Format  # in which a release of it is written unless told otherwise
    files: tuple[Path, ...] = ()  # that it is read from; none: it is in memory

    def remedy(self) -> str:
        """Say which setting would read other column names, as the end of a message."""
        return ""

    def read_counts(self, columns: Sequence[str]) -> ReadCounts:  # noqa: ARG002
        """Count what the settings it was opened with did to some columns: nothing, without any."""
        return ReadCounts()

    @abstractmethod
    def spellings(self, column: str, known: Collection[str | None] = ()) -> Spellings:
        """Compare the distinct values of a column, of lists what stands in them; see `Spellings`.

        `known`: texts that they are compared with too; None: a missing one.
        """

    @abstractmethod
    def respelled(self, spellings: Mapping[str, Mapping[object, str | None]]) -> Source:
        """See some values of some columns as texts: column -> value -> what it is instead.

        None stands for a missing one, on both sides; in lists there is none. A column that is not
        of texts becomes one; its values are those that `People.domains` gives, and all are named.
        """

    @abstractmethod
    def people(self, person: str | None, sensitive: Sequence[str], kept: Sequence[str]) -> People:
        """See one row for each person, and of a person only the columns in `kept`.

        A person has a list of values in a sensitive column that holds lists, or where `person`
        tells that several rows belong together. A missing value in a list is no value, and a
        missing list is an empty one.
        """

    @abstractmethod
    def keep(
        self,
        columns: Sequence[str],
        person: str | None,
        key: bytes,
        target: Path,
        earlier: Sequence[Path],
        *,
        as_spelled: bool = False,
        without: Mapping[str, Collection[object]] | None = None,
    ) -> BatchReceipt:
        """Write some columns of all rows into a Parquet file, a person as a keyed hash.

        Left out are the rows of people who are in files of `earlier`, which were written likewise.
        The spellings of a person are one person, unless people are told apart `as_spelled`.
        `without`: column -> values as `People.domains` gives them; rows that have one are as if
        they were not there.
        """

    @abstractmethod
    def to_batches(self, text: Collection[str]) -> Any:
        """Give a PyArrow reader of all rows, batch by batch; `text`: columns that are no numbers.

        The source stays open for as long as somebody reads.
        """

    @abstractmethod
    def kinds(self, numbers: Collection[str]) -> Mapping[str, str]:
        """Name what the values of each column are; of a column of lists, those in the lists.

        "text", "integer", "real", "decimal(9,2)", "boolean", "date", "time", "timestamp",
        "nanoseconds" (a timestamp of those), "uuid", "other". Columns without a type are text;
        those in `numbers` are numbers if all of their values are written as such.
        """

    def look(self, patterns: Mapping[str, str], counted: TextCounts | None = None) -> SourceLook:
        """Count every column before it has a role; see `ColumnLook`.

        Default: the embedded engine looks at what `to_batches` gives.

        Args:
            patterns: Regular expressions (RE2) by name: how a whole value may be written.
            counted: Of a table that was written: columns of texts that have been counted, which
                nobody has to read again. Its last row is not looked at.
        """
        return ENGINES["duckdb"]().open(self.to_batches(self.columns)).look(patterns, counted)

    @abstractmethod
    def is_sorted(
        self, kinds: Mapping[str, str], numbers: Collection[str] = (), *, few: bool = False
    ) -> bool:
        """Whether the rows of a published file stand in the order that `People.apply` gives them.

        By one column of `kinds` after the other, missing values first. What is no text, by its
        kind ("integer", "real", ...), is in the order of its values; a kind that the file does not
        have, and that cannot be told from text ("other"), ends the comparison. `numbers`: those
        that `kinds` will be asked about next, if that can be done at once. `few`: all columns will
        be counted jointly, and few rows are different, so they may be counted at once, too.
        """


class Engine(ABC):
    """Where rows are, and what works on them there.

    >>> import sfumato as sf
    >>> isinstance(sf.engines.DuckDB(), Engine)
    True
    """

    name: ClassVar[str]  # in job files, and for `sf.read(..., engine=name)`

    def __init_subclass__(cls, **extra: Any) -> None:
        super().__init_subclass__(**extra)
        ENGINES.join(cls)

    @abstractmethod
    def open(self, source: object, settings: ReadSettings | None = None) -> Source:
        """Open what a user names: a path, a data frame, `Batches`; refuse what it cannot read.

        `settings`: what is declared about it; None: nothing, and nothing is guessed.
        """

    @abstractmethod
    def open_published(self, path: Path) -> Source:
        """Open a file that `People.apply` wrote, with the values that were meant."""


def _name(engine: type[Engine]) -> str:
    return engine.name


HOMES = {  # slow to import
    "duckdb": "sfumato.engines.duckdb",
    "postgres": "sfumato.engines.postgres",
    "spark": "sfumato.engines.spark",
}
ENGINES: Registry[Engine] = Registry("engine", "sfumato.engines", _name, HOMES, ["name"])
