"""A release that is in a database, opened: its rows are copied to a private place and known again.

All is read at one moment, so whatever happens to the tables later is not seen.
"""

from __future__ import annotations

from sfumato.address import Address
from sfumato.engines import database_of
from sfumato.errors import BadInput
from sfumato.files.private_directory import scratch
from sfumato.files.staged import CHECKSUM, DESCRIPTION
from sfumato.release.description import Description
from sfumato.release.files.saved import Files, described, package_in
from sfumato.release.files.tables import Tables


def is_release(address: Address) -> bool:
    """Whether beside a table there is the description of a release."""
    if address.table is None:
        return False
    tables = Tables(address)
    with database_of(address).published(tables.named) as server:
        return DESCRIPTION in (server.texts(tables.beside) or {})


def open_tables(address: Address) -> tuple[Description, Files]:
    """Read the description of a release, and make sure that the tables belong to it."""
    tables = Tables(address)
    with database_of(address).published(tables.named) as server:
        texts = server.texts(tables.beside) or {}
        if DESCRIPTION not in texts:
            raise BadInput(
                f"{address}: no release: there is no table {tables.beside} beside it that has "
                "its description"
            )
        where = f"{Address(address.database, tables.beside)}: {DESCRIPTION}"
        written, description = described(texts[DESCRIPTION], where)
        digests = written.get("tables")
        if not isinstance(digests, dict) or set(digests) != {*description.tables}:
            raise BadInput(f"{where}: damaged; the list of tables is missing")
        tables = Tables(address, digests)
        private = scratch()
        try:
            package, own = package_in(written, where), written[CHECKSUM]
            files = Files(
                private.path,
                "parquet",
                scratch=private,
                package=package,
                checksum=own,
                tables=tables,
            )
            for table in description.tables:
                if server.digest(tables.name(table)) != digests[table]:
                    raise BadInput(
                        f"{tables.of(table)}: the rows are not those that were released "
                        "(checksums differ); restore them"
                    )
                place, order = files.path(table), description.order_of(table)
                whole = [name for name, kind in description.types.items() if kind == "integer"]
                server.copy(tables.name(table), place, order, whole)
            return description, files.known(description.tables)
        except BaseException:
            private.close()
            raise
