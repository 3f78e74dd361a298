"""The releases that an adversary can compare with one another."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from sfumato.address import Address, is_address
from sfumato.engines import Source
from sfumato.errors import BadInput, shown
from sfumato.published.public_view import PublicView, refuse_other_columns
from sfumato.release import Release, load
from sfumato.release.earlier_releases.previous import Previous
from sfumato.release.files.open_tables import is_release
from sfumato.table import Table, read
from sfumato.text import count, people


def series_of(
    subject: Release | Table, given: Sequence[object] = ()
) -> tuple[PublicView | None, Previous]:
    """See a release or a table among the others: as one of them, and those that came before.

    Args:
        subject: What is attacked.
        given: Earlier releases beside those that a release itself knows: releases, directories of
            saved ones, tables of any origin, or files of such tables with the same columns.
    """
    if isinstance(given, (str, os.PathLike)) or not isinstance(given, Sequence):
        raise BadInput(f"earlier: must be a list of releases or directories, got {shown(given)}")
    if isinstance(subject, Release):
        own = None if subject.description.group is not None else subject.public_view
        previous = subject.previous
    else:
        own, previous = _of_table(subject), Previous()
    if not given:
        return own, previous
    if own is None:
        raise BadInput(
            "earlier: two tables are published here, with the quasi-identifiers as they are; there "
            "is nothing to compare them by"
        )
    named = list(_named(subject, given))
    before = previous.digests
    for number, (name, each) in enumerate(named):
        called = name or f"no. {number + 1}"
        _refuse(called, each, own)
        # Two recipients may have got the same: then the release names it as one that came before.
        if each.digest == own.digest and each.digest not in before:
            raise BadInput(
                f"earlier: {called} publishes the same as the release; is it the release?"
            )
    return own, previous.joined(named)


def _refuse(name: str, each: PublicView, own: PublicView) -> None:
    """Refuse what cannot have come before."""
    refuse_other_columns(
        f"earlier: {name}", each.seen.frequencies, "the release", own.seen.frequencies
    )
    if each.n_rows > own.n_rows:
        raise BadInput(
            f"earlier: {name} is of {people(each.n_rows)} and the release of {count(own.n_rows)}; "
            "an earlier release is of some of the same people"
        )


def _named(
    subject: Release | Table, given: Sequence[object]
) -> Iterator[tuple[str | None, PublicView]]:
    for each in given:
        name = None
        if isinstance(each, str) and is_address(each):
            address = Address.of(each)
            name = str(address.table)
            each = load(each) if is_release(address) else _read(subject, each)  # noqa: PLW2901
        elif isinstance(each, (str, os.PathLike)):
            path = Path(each)
            name = path.resolve().name
            each = load(path) if path.is_dir() else _read(subject, path)  # noqa: PLW2901
        elif isinstance(each, Source):
            name, each = Path(each.name).name, _read(subject, each)  # noqa: PLW2901
        if isinstance(each, PublicView):
            yield name, each
        elif isinstance(each, Release):
            yield name, each.public_view
        elif isinstance(each, Table):
            yield name, _of_table(each)
        else:
            raise BadInput(
                "earlier: must hold releases, their directories, or tables from sf.read, got "
                f"{shown(each)}"
            )


def _read(subject: Release | Table, given: str | Path | Source) -> Table:
    """Read another tool's file or table with the roles that the columns have here."""
    roles = subject.description if isinstance(subject, Release) else subject.schema
    return read(given, roles.quasi_identifiers, roles.sensitive or None)


def _of_table(table: Table) -> PublicView:
    return PublicView(table.frequencies().as_it_is(), 0, table.schema.insensitive)
