"""What is counted of a column before anybody has said what it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from sfumato.data.groups import Counts

TextCounts = Mapping[str, tuple[Sequence[str | None], Counts]]  # of a column: its texts, their rows

SHARES = tuple(j / 20 for j in range(1, 20))  # of people, at whose numbers bands may end
MOST_COMMON = 30  # values that are named with their numbers of rows


@dataclass(frozen=True)
class ColumnLook:
    """Counts of a column, and a few of its values; these are private.

    >>> look = ColumnLook("zip", "text", 10, 1, 8, 7, 5, 0, {"digits": 9}, None, (), ())
    >>> look.n_present, look.share("digits")
    (9, 1.0)
    """

    column: str
    kind: str  # as `Source.kinds` names it; of a column without a type "text"
    n_rows: int
    n_missing: int
    n_values: int  # distinct ones
    n_alone: int  # rows whose value no other row has
    longest: int  # letters
    n_blanks: int  # between words, in all rows
    n_matching: Mapping[str, int]  # name of a pattern -> rows whose whole value is written so
    numbers: NumberLook | None  # None: no value is a number
    quantiles: tuple[float, ...]  # of the numbers, at SHARES
    common: tuple[tuple[str, int], ...]  # the most common values, with their rows
    is_list: bool = False

    @property
    def n_present(self) -> int:
        """Rows that have a value."""
        return self.n_rows - self.n_missing

    def share(self, pattern: str) -> float:
        """Give the share of the values that are written like a pattern."""
        return self.n_matching[pattern] / self.n_present if self.n_present else 0.0


@dataclass(frozen=True)
class NumberLook:
    """The numbers of a column.

    >>> NumberLook(3, 3, 1.0, 5.0, 9.0).n_whole
    3
    """

    n_rows: int  # that have one
    n_whole: int  # of these, rows with a whole one
    lowest: float
    highest: float
    total: float


@dataclass(frozen=True)
class SourceLook:
    """All columns of a source, and its last row.

    >>> SourceLook({}, ()).last
    ()
    """

    columns: Mapping[str, ColumnLook]
    # In the order of the columns, since a total may stand there; (): it was not looked at.
    last: tuple[str | None, ...]
    meanings: Mapping[str, str] = field(default_factory=dict)  # what the file says of its columns
