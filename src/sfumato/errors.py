"""What can go wrong, by who has to act: the caller, nobody, or us."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence
from numbers import Number

LONGEST_SHOWN = 200  # characters of one value in a message
LONGEST_LINE, TAIL = 4000, 1000  # of a whole message
# Control characters, ends of lines, directions, and halves of characters.
STEERING = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
LONGEST_NAME = 100  # of a name that is compared with others


class SfumatoError(Exception):
    """Base of every error sfumato raises on purpose; its message is one line.

    >>> import sfumato as sf
    >>> issubclass(sf.BadInput, sf.SfumatoError), issubclass(sf.Unsatisfiable, sf.SfumatoError)
    (True, True)
    """

    exit_code = 4

    def __init__(self, message: str) -> None:
        super().__init__(one_line(message))


class BadInput(SfumatoError, ValueError):  # noqa: N818  (the name says what it is)
    """The source, the job or a parameter is wrong; the message says where and what to do.

    The message never holds a value of the data. Values that explain the error travel in
    `values`, and a front end shows them only where a steward alone can see them.

    >>> import sfumato as sf
    >>> try:
    ...     sf.KAnonymity(0)
    ... except sf.BadInput as error:
    ...     print(error)
    KAnonymity: k must be an integer >= 1, got 0
    """

    exit_code = 2

    def __init__(self, message: str, values: Sequence[object] = ()) -> None:
        super().__init__(message)
        self.values = tuple(values)

    def with_values(self, limit: int = 5) -> str:
        """Render the message followed by the first few offending values."""
        if not self.values:
            return str(self)
        listed = ", ".join(written(value) for value in self.values[:limit])
        more = ", ..." if len(self.values) > limit else ""
        return f"{self} (values: {listed}{more})"


class CannotRun(BadInput):
    """An attack applies here and could not be run, so nothing is shown; the message says why.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> release = sf.anonymize(patients, sf.LDiversity(2), sf.Samarati())
    >>> seen = sf.attacks.Target.public(release)  # without the original
    >>> try:
    ...     sf.attacks.Minimality().run(seen)
    ... except sf.attacks.CannotRun as error:
    ...     print(error.reason, error.remedy, sep=chr(10))
    it needs everybody's original quasi-identifiers
    give the original table (original=, --original)

    `reason` is for everybody, `remedy` for whoever runs the attack; the message has both.
    """

    def __init__(
        self, message: str, values: Sequence[object] = (), *, remedy: str | None = None
    ) -> None:
        super().__init__(message if remedy is None else f"{message}; {remedy}", values)
        self.reason = one_line(message)
        self.remedy = remedy


class DoesNotApply(CannotRun):
    """There is nothing here for this attack to attack; the message says why.

    >>> import sfumato as sf
    >>> patients = sf.read(sf.datasets.patients(), quasi_identifiers=["age", "sex"])
    >>> release = sf.anonymize(patients, sf.KAnonymity(5), sf.Samarati())
    >>> try:
    ...     sf.attacks.Homogeneity().run(release)
    ... except sf.attacks.DoesNotApply as error:
    ...     print(error)
    the release has no sensitive column
    """


class NoRoom(BadInput):
    """The system has too little memory, or no room for files: it says nothing about the data.

    >>> import sfumato as sf
    >>> issubclass(sf.NoRoom, sf.BadInput)
    True
    """


class Unsatisfiable(SfumatoError):  # noqa: N818
    """No release of this table by this method keeps the promise; the message has the evidence.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> try:
    ...     sf.anonymize(patients, sf.KAnonymity(3000))
    ... except sf.Unsatisfiable as error:
    ...     print(error)
    no partition satisfies KAnonymity(k=3000): even as one group of all 2,000 rows
    KAnonymity(k=3000) reaches 2,000
    """

    exit_code = 3


class BrokenPromise(SfumatoError):  # noqa: N818
    """A published table failed the check on what was written. Nothing is left on disk.

    >>> import sfumato as sf
    >>> sf.BrokenPromise.exit_code  # of the command line: an internal error
    4
    """

    exit_code = 4


def printable(text: str) -> str:
    r"""Write what steers a terminal as its escape: control characters, and those of direction.

    >>> printable("a\nb"), printable("\x1b[2J\u202e"), printable("Größe")
    ('a\\nb', '\\x1b[2J\\u202e', 'Größe')
    """
    return STEERING.sub(lambda each: repr(each[0])[1:-1], text)


def one_line(message: str) -> str:
    r"""Write a message so that no name in it can break a line or move a cursor.

    What is longer than anybody reads loses its middle.

    >>> one_line("a\nb.csv: no such file")
    'a\\nb.csv: no such file'
    """
    line = printable(message)
    if len(line) <= LONGEST_LINE:
        return line
    return f"{line[: LONGEST_LINE - TAIL]} ... {line[-TAIL:]}"


def shown(value: object) -> str:
    """Write a wrong parameter into a message: as it is, or only its type if it may hold data.

    >>> shown(0), shown("los"), shown(["Ann", "Bob"])
    ('0', "'los'", 'a list')
    """
    plain = value is None or isinstance(value, (str, bool, Number, type))
    return written(value) if plain else f"a {type(value).__name__}"


def written(value: object) -> str:
    """Write a value in one line, cut off where it gets long.

    >>> written("x"), written([10**5000])
    ("'x'", 'what cannot be written (list)')
    """
    try:
        text = one_line(repr(value))
    except Exception:  # an integer of too many digits, nesting too deep, or somebody's own class
        return f"what cannot be written ({type(value).__name__})"
    return text if len(text) <= LONGEST_SHOWN else f"{text[:LONGEST_SHOWN]}..."


def similar(name: object, known: Iterable[str]) -> str:
    """Suggest a known name if one is near, and name no other.

    >>> similar("disese", ["disease", "age"]), similar("x", ["disease", "age"])
    ("; did you mean 'disease'?", '')
    """
    short = [each for each in known if len(each) <= LONGEST_NAME]
    prefix = name[:LONGEST_NAME] if isinstance(name, str) else ""
    close = [each for each in short if each.casefold() == prefix.casefold()]
    close = close or difflib.get_close_matches(prefix, short, n=1)
    return f"; did you mean {close[0]!r}?" if close else ""


def nearest(name: object, known: Iterable[str]) -> str:
    """Suggest the nearest known name, as the end of a message.

    >>> nearest("disese", ["disease", "age"])
    "; did you mean 'disease'?"
    >>> nearest("x", ["disease", "age"])
    "; known are 'disease', 'age'"
    """
    names = list(known)
    if close := similar(name, names):
        return close
    listed = ", ".join(shown(each) for each in names[:12])
    more = ", ..." if len(names) > 12 else ""
    return f"; known are {listed}{more}" if names else ""
