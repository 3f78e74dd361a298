"""What can go wrong, by who has to act: the caller, nobody, or us."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from numbers import Number

LONGEST_SHOWN = 200  # characters of a parameter


class SfumatoError(Exception):
    """Base of every error sfumato raises on purpose."""

    exit_code = 4


class BadInput(SfumatoError, ValueError):  # noqa: N818  (the name says what it is)
    """The source, the job or a parameter is wrong; the message says where and what to do.

    The message never holds a value of the data. Values that explain the error travel in
    `values`, and a front end shows them only where a steward alone can see them.
    """

    exit_code = 2

    def __init__(self, message: str, values: Sequence[object] = ()) -> None:
        super().__init__(message)
        self.values = tuple(values)

    def with_values(self, limit: int = 5) -> str:
        """Render the message followed by the first few offending values."""
        if not self.values:
            return str(self)
        shown = ", ".join(repr(value) for value in self.values[:limit])
        more = ", ..." if len(self.values) > limit else ""
        return f"{self} (values: {shown}{more})"


class Unsatisfiable(SfumatoError):  # noqa: N818
    """No release of this table by this method keeps the promise; the message has the evidence."""

    exit_code = 3


class BrokenPromise(SfumatoError):  # noqa: N818
    """A published table failed the check on what was written. Nothing is left on disk."""

    exit_code = 4


def shown(value: object) -> str:
    """Write a wrong parameter into a message: as it is, or only its type if it may hold data.

    >>> shown(0), shown("los"), shown(["Ann", "Bob"])
    ('0', "'los'", 'a list')
    """
    plain = value is None or isinstance(value, (str, bool, Number, type))
    text = repr(value) if plain else ""
    return text if plain and len(text) <= LONGEST_SHOWN else f"a {type(value).__name__}"


def similar(name: str, known: Iterable[str]) -> str:
    """Suggest a known name if one is near, and name no other.

    >>> similar("disese", ["disease", "age"]), similar("x", ["disease", "age"])
    ("; did you mean 'disease'?", '')
    """
    close = difflib.get_close_matches(name, list(known), n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def nearest(name: str, known: Iterable[str]) -> str:
    """Suggest the nearest known name, as the end of a message.

    >>> nearest("disese", ["disease", "age"])
    "; did you mean 'disease'?"
    >>> nearest("x", ["disease", "age"])
    "; known are 'disease', 'age'"
    """
    names = list(known)
    if close := similar(name, names):
        return close
    listed = ", ".join(repr(each) for each in names[:12])
    more = ", ..." if len(names) > 12 else ""
    return f"; known are {listed}{more}" if names else ""
