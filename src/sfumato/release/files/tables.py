"""Where the tables of a release are in a database: their names, and the digests of their rows.

The table that is named has the rows; beside it, under its name with an ending, are the sensitive
values where two tables are published, and the description with what else comes with a release.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sfumato.address import Address, Name
from sfumato.table import DATA

RELEASE = "release"  # ends the name of the table that has the description


@dataclass(frozen=True)
class Tables:
    """The tables of a release in a database.

    >>> tables = Tables(Address.of("postgresql://host/clinic#visits.q1"))
    >>> str(tables.name("data")), str(tables.name("sensitive")), str(tables.beside)
    ('visits.q1', 'visits.q1_sensitive', 'visits.q1_release')
    """

    address: Address  # of the table that is named
    digests: Mapping[str, str] = field(default_factory=dict)  # by "data" and "sensitive"

    @property
    def named(self) -> Name:
        """The name of the table that is named."""
        assert self.address.table is not None  # noqa: S101  (for the type checker)
        return self.address.table

    @property
    def beside(self) -> Name:
        """The name of the table that has the description."""
        return self.named.beside(RELEASE)

    def name(self, table: str) -> Name:
        """The name of one of the tables."""
        return self.named if table == DATA else self.named.beside(table)

    def of(self, table: str) -> Address:
        """Where one of the tables is."""
        return Address(self.address.database, self.name(table))
