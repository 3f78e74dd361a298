"""What an empty field means in a column of numbers: an open end, and not a missing value."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from sfumato.data.labels.grammar import is_everything, parse
from sfumato.data.labels.numbers import NumberColumns
from sfumato.data.schema import Schema
from sfumato.data.values import published_text
from sfumato.engines.protocol import Source
from sfumato.release.description import Description
from sfumato.table import Table
from sfumato.text import counted


@dataclass(frozen=True)
class EmptyNumbers:
    """The rows of the published texts that numbers stand for, by what numbers do not tell.

    >>> ages = NumberColumns(("age_low", "age_high"), {"[35, 40)": (35, 40), ">=90": (90, None)})
    >>> found = EmptyNumbers("age", ages, 0, 0, {"age_low": 0, "age_high": 7})
    >>> found.about("age_high")
    'Empty in 7 rows: the range has no upper end.'
    """

    column: str
    numbers: NumberColumns
    n_missing: int  # rows whose text is missing
    n_perhaps: int  # rows whose text allows a missing value beside others
    n_open: dict[str, int]  # rows that are empty without that, by column of numbers

    @classmethod
    def of(cls, description: Description, source: Source, column: str) -> EmptyNumbers:
        """Count in the published file; `release.json` says which text numbers stand for."""
        numbers, rule = description.numbers[column], description.hierarchies.get(column)
        roots = {path[-1] for path in (() if rule is None else rule.public_paths)}
        n_rows = Counter(dict(_by_text(source, column, numbers)))
        texts = [text for text in n_rows if text is not None]
        perhaps = [t for t in texts if is_everything(t, roots) or parse(t).or_missing]
        n_open = {
            name: sum(n_rows[text] for text in texts if numbers.values[text][j] is None)
            for j, name in enumerate(numbers.names)
        }
        return cls(column, numbers, n_rows[None], sum(n_rows[t] for t in perhaps), n_open)

    def about(self, name: str) -> str:
        """Say in sentences what a column of the file does not tell by itself."""
        said = []
        if self.n_open[name]:
            ends = ("no lower end", "no upper end") if self.numbers.are_bounds else ("an open end",)
            end = ends[self.numbers.names.index(name)]
            said.append(f"Empty in {counted(self.n_open[name], 'row')}: the range has {end}.")
        return " ".join([*said, *self._perhaps()])

    @property
    def text(self) -> str:
        """The same of all its columns; empty: there is nothing to say."""
        said = []
        if any(self.n_open.values()):
            names = " and ".join(self.numbers.names)
            end = "open on that side" if self.numbers.are_bounds else "open at an end"
            missing = f"where {self.column} is empty too, it is missing"
            if self.numbers.instead:
                missing = "where both are empty, it is missing"
            also = f"; {missing} ({counted(self.n_missing, 'row')})" if self.n_missing else ""
            said.append(f"In {names} an empty field means that the range is {end}{also}.")
        elif self.n_missing and self.numbers.instead:
            said.append(
                f"Where {' and '.join(self.numbers.names)} are empty, the value is missing."
            )
        return " ".join([*said, *self._perhaps()])

    def _perhaps(self) -> Iterator[str]:
        """Say that bounds do not tell whether a value may be missing; a text beside them does."""
        if self.n_perhaps and self.numbers.instead:
            yield (
                f"Whether a value of {self.column} may be missing is not told by its bounds: in "
                f"{counted(self.n_perhaps, 'row')} it may be. release.json says under numbers "
                "which bounds these are (“or missing”, “*”)."
            )


def _by_text(
    source: Source, column: str, numbers: NumberColumns
) -> Iterator[tuple[str | None, int]]:
    """Give the rows of every published text."""
    names = numbers.names if numbers.instead else (column,)
    found = Table(source, Schema.of(source.columns, names)).combinations()
    labels = [found.domains[name].labels for name in names]
    codes = zip(*(found.codes(name).tolist() for name in names), strict=True)
    for row, n in zip(codes, found.counts.tolist(), strict=True):
        values = [known[code] for known, code in zip(labels, row, strict=True)]
        yield numbers.text(values) if numbers.instead else published_text(values[0]), n
