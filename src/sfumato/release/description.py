"""The public description of a release: `release.json`.

An informed adversary is assumed to know all of it; nothing else of the original is in it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import partial
from importlib import import_module
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sfumato.algorithms import ALGORITHMS, Algorithm
from sfumato.criteria import CRITERIA, Criterion
from sfumato.criteria.criterion import together
from sfumato.criteria.judging import names_node
from sfumato.data.domain import Domain
from sfumato.data.frequency import FrequencySet
from sfumato.data.hierarchy import PATHS, Hierarchy, PublicRule, PublishedPaths, whole_rules
from sfumato.data.keys import distinct_rows
from sfumato.data.labels.grammar import OTHER, Name, names_in, parse
from sfumato.data.labels.numbers import NumberColumns, Numbers, number_columns
from sfumato.data.labels.texts import Labels
from sfumato.data.labels.writer import node_text
from sfumato.data.recoding import BestSoFar, Recoding
from sfumato.errors import BadInput, one_line
from sfumato.parameters import is_count
from sfumato.release.context import PRIVATE, Context
from sfumato.release.stated_verdicts import StatedVerdict
from sfumato.spec import build, name_of, refuse_unreadable, written_parameters
from sfumato.table import DATA, KEEP, SENSITIVE, Table

FORMAT = 4

OwnAudit = Literal["not attacked", "safe", "undecided", "failed"]
AS_THEY_ARE = (  # two tables
    "the quasi-identifiers of everybody are published as they are; only whose value is whose is "
    "hidden"
)
MAY_BE_CHANGED = "may have been changed by the method: rows need not be true one by one"
ATTACKED: dict[OwnAudit, str] = {
    "not attacked": "not attacked before it was published",
    "safe": "before it was published: shown safe against every attack that applied",
    "undecided": "before it was published: not shown to be safe",
    "failed": "before it was published: an attack succeeded",
}


@dataclass(frozen=True, eq=False)
class Description:
    """What is said about a release in public."""

    columns: tuple[str, ...]
    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...]
    hierarchies: Mapping[str, PublicRule]
    recoded: tuple[str, ...]  # columns whose values are published as generalized text
    text: tuple[str, ...]  # columns that hold codes or generalized text, not numbers
    criterion: Criterion
    method: Algorithm
    n_rows: int
    n_suppressed: int
    levels: Mapping[str, int] | None
    group: str | None = None  # two tables: the column by which they belong together
    set_valued: str | None = None  # the sensitive column of which people have any number of values
    verdicts: tuple[StatedVerdict, ...] = ()  # the publisher's, with everybody's quasi-identifiers
    untouched_identify: bool = False  # fewer people than promised are alike in all that is shown
    # Sensitive columns that tell quasi-identifiers, and which; none: who people are (`telling`).
    telling: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    alike: tuple[str, ...] = ()  # columns whose look-alikes the steward kept as different values
    # What each column holds, as readers of the files get it; see `Source.kinds`. Not saved: none.
    types: Mapping[str, str] = field(default_factory=dict)
    # Releases with the same mark name the same texts of columns without an order; None: not told.
    categories: str | None = None
    # Columns whose `other` stands for all texts that are not named; in all others it is a value of
    # its own. None: not told.
    rest: tuple[str, ...] | None = None
    meanings: Mapping[str, str] = field(default_factory=dict)  # of columns, in the steward's words
    attacked: OwnAudit | None = None  # what the publisher's own audit showed; None: not told
    # Columns of numbers in the file, instead of the texts of quasi-identifiers or beside them.
    numbers: Mapping[str, NumberColumns] = field(default_factory=dict)
    made: str | None = None  # the day, in UTC; None: not told
    sfumato: str | None = None  # the version that made it; None: not told
    context: Mapping[str, str] = field(default_factory=dict)  # the public part of a `Context`
    # Of a series: people who were left out before anything was decided, by rare quasi-identifiers.
    n_left_out: int = 0
    n_at_root: int = 0  # outliers of whom no quasi-identifier is told; they are among the rows
    best_so_far: BestSoFar | None = None  # how far a search got that goes on until it is proved

    @property
    def tables(self) -> tuple[str, ...]:
        """The tables that are published."""
        return (DATA,) if self.group is None else (DATA, SENSITIVE)

    def columns_of(self, table: str) -> tuple[str, ...]:
        """The columns of one of the tables as they are in its file, in their order."""
        if self.group is None:
            return tuple(name for column in self.columns for name in self.in_file(column))
        own = [c for c in self.columns if (c in self.sensitive) == (table == SENSITIVE)]
        return (self.group, *own)

    def order_of(self, table: str) -> tuple[str, ...]:
        """The columns of a file in the order by which its rows are sorted: groups come first."""
        first = () if self.group is None else (self.group,)
        known = [name for column in self.quasi_identifiers for name in self.in_file(column)]
        every = self.columns_of(table)
        return tuple(c for c in dict.fromkeys((*first, *known, *every)) if c in every)

    def in_file(self, column: str) -> tuple[str, ...]:
        """The columns of the file that a column is published as."""
        return self.numbers[column].in_file(column) if column in self.numbers else (column,)

    def told_by(self, name: str) -> str:
        """The column whose texts a column of the file tells: itself, unless it is of numbers."""
        return next((c for c, each in self.numbers.items() if name in each.names), name)

    @property
    def insensitive(self) -> tuple[str, ...]:
        """The columns published untouched."""
        known = (*self.quasi_identifiers, *self.sensitive)
        return tuple(column for column in self.columns if column not in known)

    @property
    def masked(self) -> str | None:
        """The sensitive column in which the method changes values; None: values are people's own.

        It is said whether any was changed or not: that would tell something of people's values.
        """
        return self.sensitive[0] if self.method.changes_values else None

    @property
    def telling_apart(self) -> tuple[str, ...]:
        """The columns beside the quasi-identifiers that tell people apart whose values one sees.

        Of two tables the first has what is untouched, and the second has the values.
        """
        return (*(self.insensitive if self.group is None else ()), *self.telling)

    @classmethod
    def of(
        cls,
        table: Table,
        frequencies: FrequencySet,
        recoding: Recoding,
        criterion: Criterion,
        method: Algorithm,
    ) -> Description:
        """Describe what a recoding of a table will publish; frequencies: what it was decided by."""
        labels = recoding.labels(table.domains)
        recoding.refuse_ambiguous(labels, table.domains)
        n_suppressed = recoding.n_suppressed(frequencies)
        recoded = tuple(column for column, texts in labels.items() if texts is not None)
        return cls(
            table.schema.published_columns,
            table.schema.quasi_identifiers,
            table.schema.sensitive,
            _public_hierarchies(table, frequencies, recoding) | _of_sensitive(table, criterion),
            recoded,
            tuple(c for c in table.schema.published_columns if c in table.codes or c in recoded),
            criterion,
            method,
            frequencies.n_rows - n_suppressed,
            n_suppressed,
            recoding.levels_of_most,
            None if recoding.buckets is None else table.schema.group,
            table.set_valued,
            alike=tuple(
                c for c in table.schema.published_columns if table.spelling_rules.get(c) == KEEP
            ),
            categories=None if table.categories is None else table.categories.mark,
            rest=tuple(
                c
                for c, texts in labels.items()
                if texts is not None and _stands_for_rest(table.domains[c], texts)
            ),
            meanings={
                c: table.schema.meanings[c]
                for c in table.schema.published_columns
                if c in table.schema.meanings
            },
            attacked="not attacked",
            made=datetime.now(UTC).date().isoformat(),
            sfumato=import_module("sfumato").__version__,
            n_left_out=table.n_left_out,
            n_at_root=recoding.n_at_root,
            best_so_far=recoding.best_so_far,
        )

    def rules(self) -> dict[str, Hierarchy]:
        """The hierarchies that are public as a whole."""
        return whole_rules(self.hierarchies)

    def to_json(self) -> dict[str, Any]:
        """Write it down."""
        sets = {} if self.set_valued is None else {"set_valued": self.set_valued}
        experiment = {"experiment": True} if self.method.experiment else {}
        return {
            "format": FORMAT,
            "rows": self.n_rows,
            "suppressed": self.n_suppressed,
            "columns": list(self.columns),
            "quasi_identifiers": list(self.quasi_identifiers),
            "sensitive": list(self.sensitive),
            "recoded": list(self.recoded),
            "text": list(self.text),
            "alike": list(self.alike),
            "types": dict(self.types),
            "levels": None if self.levels is None else dict(self.levels),
            "group": self.group,
            "hierarchies": {name: rule.spec() for name, rule in self.hierarchies.items()},
            "criteria": self.criterion.spec(),
            "method": self.method.spec(),
            "verdicts": [stated.to_json() for stated in self.verdicts],
            **({} if self.attacked is None else {"attacked": self.attacked}),
            **({} if self.made is None else {"made": self.made}),
            **({} if self.sfumato is None else {"sfumato": self.sfumato}),
            **({"context": dict(self.context)} if self.context else {}),
            **sets,
            **experiment,
            **({} if self.categories is None else {"categories": self.categories}),
            **({} if self.rest is None else {"rest": list(self.rest)}),
            **({"meanings": dict(self.meanings)} if self.meanings else {}),
            **({"numbers": {c: n.spec() for c, n in self.numbers.items()}} if self.numbers else {}),
            **({"left_out": self.n_left_out} if self.n_left_out else {}),
            **({"at_root": self.n_at_root} if self.n_at_root else {}),
            **({} if self.best_so_far is None else {"best_so_far": self.best_so_far.to_json()}),
            **({} if self.masked is None else {"masked": self.masked}),
            **({"untouched_identify": True} if self.untouched_identify else {}),
            **({"telling": {n: list(q) for n, q in self.telling.items()}} if self.telling else {}),
        }

    @classmethod
    def from_json(cls, written: Mapping[str, Any], where: str) -> Description:
        """Read it back."""
        read = _Reader(written, where)
        columns = read.names("columns")
        quasi_identifiers = read.names("quasi_identifiers", columns)
        sensitive = read.names("sensitive", columns)
        hierarchies = {}
        for name, spec in read.part("hierarchies", isinstance_of(dict)).items():
            read.need("hierarchies", name in columns and isinstance(spec, dict))
            hierarchies[name] = read.rule(name, spec)
        levels = read.part("levels", isinstance_of(dict, type(None)))
        read.need("levels", levels is None or set(levels) == set(quasi_identifiers))
        read.need("levels", all(map(is_count, (levels or {}).values())))
        group = written.get("group")
        read.need("group", group is None or (isinstance(group, str) and group not in columns))
        sets = written.get("set_valued")
        read.need("set_valued", sets is None or (group is not None and sensitive == (sets,)))
        verdicts = [*map(StatedVerdict.from_json, read.part("verdicts", isinstance_of(list)))]
        known = (None, *sensitive)
        read.need("verdicts", all(each and each.attribute in known for each in verdicts))
        identify = written.get("untouched_identify", False)
        read.need("untouched_identify", isinstance(identify, bool))
        telling = written.get("telling", {})
        read.need("telling", isinstance(telling, dict) and set(telling) <= set(sensitive))
        told = _Reader(telling, f"{where}: telling")
        recoded = read.names("recoded", quasi_identifiers)
        numbers = read.numbers({name: hierarchies.get(name) for name in recoded})
        read.need("numbers", group is None or not numbers)
        types = read.part("types", isinstance_of(dict))
        texts = [c for c in columns if c not in numbers or not numbers[c].instead]
        beside = [name for each in numbers.values() for name in each.names]
        read.need("numbers", len({*columns, *beside}) == len(columns) + len(beside))
        read.need("types", set(types) == {*texts, *beside, *(() if group is None else (group,))})
        read.need("types", all(isinstance(kind, str) for kind in types.values()))
        categories = written.get("categories")
        read.need("categories", isinstance(categories, (str, type(None))))
        meanings = written.get("meanings", {})
        read.need("meanings", isinstance(meanings, dict) and set(meanings) <= set(columns))
        read.need("meanings", all(isinstance(text, str) for text in meanings.values()))
        attacked = written.get("attacked")
        read.need("attacked", attacked is None or attacked in [*ATTACKED])
        for key in ("made", "sfumato"):
            read.need(key, isinstance(written.get(key), (str, type(None))))
        context = read.context()
        left_out = written.get("left_out", 0)
        read.need("left_out", is_count(left_out))
        at_root = written.get("at_root", 0)
        n_rows = read.part("rows", is_count)
        read.need("at_root", is_count(at_root) and at_root <= n_rows)
        best = BestSoFar.from_json(written.get("best_so_far"))
        read.need("best_so_far", best is not None or "best_so_far" not in written)
        method = ALGORITHMS.from_spec(read.part("method", isinstance_of(dict)), where)
        masks = method.changes_values
        read.need("masked", (written.get("masked"),) == (sensitive if masks else (None,)))
        parts = read.part("criteria", isinstance_of(list))
        read.need("criteria", bool(parts))
        return cls(
            columns,
            quasi_identifiers,
            sensitive,
            hierarchies,
            recoded,
            read.names("text", columns),
            together([CRITERIA.from_spec(spec, where) for spec in parts]),
            method,
            n_rows,
            read.part("suppressed", is_count),
            levels,
            group,
            sets,
            tuple(each for each in verdicts if each is not None),
            identify,
            {name: told.names(name, quasi_identifiers) for name in telling},
            read.names("alike", (*quasi_identifiers, *sensitive)),
            types,
            categories,
            read.names("rest", quasi_identifiers) if "rest" in written else None,
            meanings,
            attacked,
            numbers,
            written.get("made"),
            written.get("sfumato"),
            context,
            left_out,
            at_root,
            best,
        )


def lines_of_files(further: Sequence[str]) -> list[tuple[str, str]]:
    """Say what lies beside the files of a release, which its description does not know."""
    names = ", ".join(map(one_line, further))
    return [("no part of the release, beside it", names)] if further else []


def refuse_unreadable_parts(
    criterion: Criterion, method: Algorithm, rules: Iterable[Hierarchy]
) -> None:
    """Refuse what could be written into a file and not be read from it."""
    parts: list[Criterion | Algorithm] = [*criterion.parts, method.in_public]
    for part in parts:
        kind = type(part)
        read = partial(build, kind, name_of(kind), where=None)
        refuse_unreadable(part, written_parameters(part), read)
    for rule in rules:
        refuse_unreadable(rule, rule.parameter, type(rule).of_parameter)


@dataclass(frozen=True)
class _Reader:
    """Takes a written description apart; what is missing or of another kind is named."""

    written: Mapping[str, Any]
    where: str

    def part(self, key: str, fits: Callable[[object], bool]) -> Any:
        """Give what stands behind a key, if it is of the right kind."""
        self.need(key, key in self.written and fits(self.written[key]))
        return self.written[key]

    def names(self, key: str, known: Collection[str] | None = None) -> tuple[str, ...]:
        """Give a list of different column names, all of them known ones."""
        names = self.part(key, isinstance_of(list))
        self.need(key, all(isinstance(name, str) for name in names))
        self.need(key, len(set(names)) == len(names) and set(names) <= set(known or names))
        return tuple(names)

    def rule(self, column: str, spec: Mapping[str, Any]) -> PublicRule:
        """Give the hierarchy of a column, as far as it is public."""
        if PATHS not in spec:
            return Hierarchy.from_spec(spec, f"{self.where}: hierarchies.{column}")
        paths = spec[PATHS]
        self.need("hierarchies", isinstance(paths, list) and all(map(_is_path, paths)))
        return PublishedPaths(tuple(map(tuple, paths)))

    def numbers(self, rules: Mapping[str, PublicRule | None]) -> dict[str, NumberColumns]:
        """Give the columns of numbers, by the columns whose texts they are; these must have them.

        rules: Of the columns that are generalized.
        """
        written = self.written.get("numbers", {})
        self.need("numbers", isinstance(written, dict) and set(written) <= set(rules))
        found = {}
        for column, spec in written.items():
            self.need("numbers", isinstance(spec, dict))
            names = _Reader(spec, self.where).names("columns")
            rows = spec.get("values")
            self.need("numbers", len(names) in (1, 2) and isinstance(rows, list))
            self.need("numbers", all(_is_row(row, len(names)) for row in rows))
            found[column] = NumberColumns(names, {row[0]: tuple(row[1:]) for row in rows})
            self.need("numbers", len(found[column].values) == len(rows))
            way: Numbers = "bounds" if found[column].are_bounds else "midpoint"
            meant = number_columns(column, list(found[column].values), rules[column], way)
            self.need("numbers", meant is not None and meant.names == names)
            self.need("numbers", meant is not None and meant.values == found[column].values)
        return found

    def context(self) -> dict[str, str]:
        """Give what the steward says in public of who gets the release."""
        said = self.written.get("context", {})
        self.need("context", isinstance(said, dict) and not {*said} & {*PRIVATE})
        with suppress(BadInput):
            return Context.of(said).public
        self.need("context", fits=False)
        return {}

    def need(self, key: str, fits: bool) -> None:
        """Refuse the description unless it fits."""
        if not fits:
            raise BadInput(f"{self.where}: damaged; {key!r} is missing, or not what it was")


def isinstance_of(*kinds: type) -> Callable[[object], bool]:
    """Give the test for kinds."""
    return lambda value: isinstance(value, kinds)


def _is_path(path: object) -> bool:
    """Whether these are labels from a node up to the root."""
    return isinstance(path, list) and bool(path) and all(isinstance(label, str) for label in path)


def _is_row(row: object, n: int) -> bool:
    """Whether this is a published text, or none, with its numbers."""
    return (
        isinstance(row, list)
        and len(row) == 1 + n
        and isinstance(row[0], (str, type(None)))
        and all(type(each) in (int, float, type(None)) for each in row[1:])
    )


def _public_hierarchies(
    table: Table, frequencies: FrequencySet, recoding: Recoding
) -> dict[str, PublicRule]:
    """Say of every quasi-identifier's hierarchy what the release itself shows.

    An open rule is its parameters. A closed tree is the paths from published nodes up to the
    root: a value below them, or one that only suppressed people have, is not named.
    """
    boxes, _ = recoding.published_boxes(frequencies)
    shown: dict[str, PublicRule] = {}
    for j, name in enumerate(table.schema.quasi_identifiers):
        domain = table.domains[name]
        if not domain.closed:
            shown[name] = table.schema.hierarchies[name]
            continue
        levels = recoding.levels_of_most
        level = None if levels is None else levels[name]
        sides, _ = distinct_rows(boxes[:, j])
        shown[name] = PublishedPaths(tuple(sorted(_paths(domain, sides, level), key=str)))
    return shown


def _stands_for_rest(domain: Domain, texts: Labels) -> bool:
    """Whether `other` stands in a column for what is not named, and is one of its texts."""
    rest = domain.ground.rest
    return rest is not None and any(
        text is not None and Name(OTHER) in names_in(parse(text)) for text in texts.texts
    )


def _of_sensitive(table: Table, criterion: Criterion) -> dict[str, Hierarchy]:
    """Give the hierarchy of a sensitive column, if a criterion measures or names values by it."""
    by_tree = any(part.needs_order for part in criterion.parts)
    schema, domains = table.schema, table.domains
    return {
        name: schema.hierarchies[name]
        for name in schema.sensitive
        if by_tree or any(names_node(part, name, domains[name]) for part in criterion.parts)
    }


def _paths(domain: Domain, sides: NDArray[np.int32], level: int | None) -> set[tuple[str, ...]]:
    """Give the ways from the largest nodes of all sides up to the root, as labels.

    sides: (n, 2); level: of all nodes but the root, if they have one.
    """
    taxonomy = domain.taxonomy
    start, top = taxonomy.largest_nodes(sides[:, 0], sides[:, 1])
    end = taxonomy.high[top, start]
    first = taxonomy.enclosing_level(start, end)
    if level is not None:
        first[taxonomy.high[level, start] == end] = level  # else at the root
    paths = set()
    for rank, lowest in zip(start.tolist(), first.tolist(), strict=True):
        names = [node_text(domain, rank, each) for each in range(lowest, taxonomy.height + 1)]
        paths.add(tuple(dict.fromkeys(name for name in names if name is not None)))
    return paths - {()}
