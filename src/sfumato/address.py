"""Addresses of databases: `postgresql://host/database#schema.table`.

All but what stands behind `#` is libpq's, and goes to it as it is. No address has a password in it:
it would stand in the history of a shell, in lists of processes, in job files and in messages.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path, PurePath
from urllib.parse import unquote, urlsplit

from sfumato.errors import BadInput

# A path has lost a slash on the way, and is an address nevertheless.
SCHEME = re.compile(r"postgres(ql)?:/(/?)", re.IGNORECASE)
# How other tools write one, such as JDBC and SQLAlchemy, and libpq's words: passwords in these are
# refused, too, before anything repeats them or makes a directory of that name.
OTHERS = re.compile(r"(?:[a-z][a-z0-9+.-]+:)+/", re.IGNORECASE)
MEANT = re.compile(r"(?:jdbc:)?(?:postgres(?:ql)?|pgsql)(?:\+\w+)?:/", re.IGNORECASE)
AS_WORDS = re.compile(r"(?:^|[\s;,?&])\w*(?:password|pwd)\s*=", re.IGNORECASE)
WITHOUT_SLASHES = re.compile(r"[^\s:/@]+:[^/@]+@[^/@]+")  # user:password@host, of any address
AROUND = " \t\r\n\"'"  # what an address may have been copied with
BEFORE_THE_HOST = re.compile(r":[^@]*@")  # a password, as far as anybody can tell
AS_AN_OPTION = re.compile(r"[?&][^=&#]*password[^=&#]*=", re.IGNORECASE)
PART = re.compile(r'\s*(?:"((?:[^"]|"")+)"|([^\s".]+))\s*')  # of a name, as SQL writes it
EXAMPLE = "postgresql://host/database#schema.table"
LONGEST = 63  # bytes of a name; a server would cut what is longer, without a word
REFUSED = (
    "an address with a password in it is refused; put it into ~/.pgpass, PGPASSWORD or a service "
    "file, and take it out of the address (an @ that ends no password is written %40)"
)


@dataclass(frozen=True)
class Name:
    """The name of a table in a database, with its schema if that was said.

    >>> Name.of('clinic."Ab.c"')
    Name(table='Ab.c', schema='clinic')
    """

    table: str
    schema: str | None = None

    @classmethod
    def of(cls, written: str) -> Name:
        """Read a name as SQL does: in lower case, unless it is quoted."""
        parts, place = [], 0
        while match := PART.match(written, place):
            quoted, plain = match.groups()
            parts.append(plain.lower() if quoted is None else quoted.replace('""', '"'))
            place = match.end()
            if place == len(written) or written[place] != ".":
                break
            place += 1
        is_whole = place == len(written) and written[-1:] != "."
        if not is_whole or not 1 <= len(parts) <= 2:
            raise BadInput(
                "expected the name of a table as SQL writes it, such as clinic.patients or "
                f'clinic."Patients", got {written!r}'
            )
        return cls(parts[-1], parts[0] if len(parts) == 2 else None)

    def __str__(self) -> str:
        parts = (self.table,) if self.schema is None else (self.schema, self.table)
        plain = re.compile(r"[a-z_][a-z0-9_]*")
        return ".".join(part if plain.fullmatch(part) else quoted(part) for part in parts)

    def beside(self, ending: str) -> Name:
        """Name another table in the same schema.

        >>> str(Name("q1", "visits").beside("release"))
        'visits.q1_release'
        """
        return Name(f"{self.table}_{ending}", self.schema)

    @property
    def quoted(self) -> str:
        """The name in SQL."""
        parts = (self.table,) if self.schema is None else (self.schema, self.table)
        return ".".join(map(quoted, parts))


@dataclass(frozen=True)
class Address:
    """Where a database is, and perhaps which table in it is meant.

    >>> Address.of("postgresql://ada@db.example/clinic#public.patients")
    Address(postgresql://db.example/clinic#public.patients)
    """

    database: str  # for libpq
    table: Name | None = None

    @classmethod
    def of(cls, written: object) -> Address:
        """Read an address; one with a password is refused, and not repeated."""
        refuse_passwords([written])
        scheme = SCHEME.match(str(written))
        if scheme is None or (isinstance(written, str) and not scheme[2]):
            raise BadInput(f"expected the address of a database, such as {EXAMPLE}")
        if not isinstance(written, str):
            raise BadInput("give the address of a database as text; a path has lost slashes of it")
        database, _, fragment = written.partition("#")
        table = Name.of(unquote(fragment)) if fragment else None
        address = cls(f"postgresql://{database.partition('://')[2]}", table)
        try:
            str(address)
        except ValueError:
            raise BadInput(f"the address of a database is not written as {EXAMPLE}") from None
        return address

    def __str__(self) -> str:
        """Name host, database and table; nothing else of it belongs into a message."""
        parts = urlsplit(self.database)
        host = parts.netloc.rpartition("@")[2]
        table = "" if self.table is None else f"#{self.table}"
        return f"postgresql://{host}{parts.path}{table}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self})"


def quoted(identifier: str) -> str:
    """Quote a name for SQL.

    >>> quoted('a"b')
    '"a""b"'
    """
    return '"' + identifier.replace('"', '""') + '"'


def refuse_long(names: Iterable[str]) -> None:
    """Refuse names that a server would cut; others may be called what is left of them.

    >>> refuse_long(["age", "zip"])
    """
    for name in names:
        n_bytes = len(name.encode())
        if n_bytes > LONGEST:
            raise BadInput(
                f"the name {name!r} has {n_bytes} bytes, and PostgreSQL cuts names after "
                f"{LONGEST}; choose a shorter one"
            )


def is_address(source: object) -> bool:
    """Whether a source is named by the address of a database.

    >>> is_address("postgresql:///clinic#patients"), is_address("patients.csv")
    (True, False)
    """
    return isinstance(source, (str, PurePath)) and SCHEME.match(str(source)) is not None


def table_of(address: str) -> str:
    """Give the name of a table that an address names, for a file that is about it.

    >>> table_of('postgresql:///clinic#visits."a/b"')
    'a-b'
    """
    table = Address.of(address).table
    return re.sub(r"[^\w.-]", "-", "table" if table is None else table.table)


def refuse_passwords(texts: Iterable[object], where: str = "") -> None:
    """Refuse addresses among some texts that have a password in them, without repeating any.

    So are those of other tools, and libpq's words, unless a file is called so.
    """
    for text in texts:
        if isinstance(text, (str, PurePath)) and _has_password(str(text)):
            raise BadInput(f"{where}{REFUSED}")


def refuse_other_forms(source: object) -> None:
    """Refuse the address of a PostgreSQL that is written for another tool, or has a password."""
    refuse_passwords([source])
    if not isinstance(source, (str, PurePath)) or is_address(source):
        return
    if MEANT.match(str(source).strip(AROUND)):
        raise BadInput(f"the address of a database is written as {EXAMPLE}")


def _has_password(written: str) -> bool:
    text = written.strip(AROUND)
    scheme = OTHERS.match(text)
    if scheme is None:
        meant = AS_WORDS.search(text) or WITHOUT_SLASHES.search(text)
        return meant is not None and not _is_there(written)
    rest = text[scheme.end() :]
    options = AS_AN_OPTION.search(unquote(rest)) or AS_WORDS.search(rest)
    return bool(BEFORE_THE_HOST.search(rest) or options)


def _is_there(name: str) -> bool:
    try:
        return Path(name).exists()
    except (OSError, ValueError):  # no file can be called so
        return False
