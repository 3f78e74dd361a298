"""All releases of a series as one adversary sees them, and what may be missing."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace

from sfumato.algorithms.bcf.arrivals import arrived
from sfumato.attacks.target import Target
from sfumato.errors import BadInput, CannotRun, DoesNotApply
from sfumato.formulas.correspondence.certified import Arrived
from sfumato.published.public_view import PublicView
from sfumato.release.earlier_releases.in_common import InCommon, by_original, in_public
from sfumato.release.earlier_releases.previous import Previous
from sfumato.text import counted, listed, plural

MOST_NAMED = 4  # earlier releases that are named one by one
GIVE_THEM = "give the earlier releases of the same people (earlier=, --earlier)"


def among_others(target: Target) -> PublicView:
    """Give a release as one of several; refuse where no other is at hand to compare with."""
    if not target.previous.releases and not target.previous.missing:
        raise DoesNotApply("no earlier release is known", remedy=f"if there are any, {GIVE_THEM}")
    if target.own is None:
        raise CannotRun(
            "quasi-identifiers are published as they are, in two tables, and what these give away "
            "beside earlier releases is not worked out here"
        )
    masked = [each for each in (*target.previous.releases, target.own) if not each.true_values]
    if masked:
        raise CannotRun(
            f"{masked[0].method} changes sensitive values, and releases are compared by values "
            "that are people's own"
        )
    if not target.previous.releases:
        raise CannotRun(
            "the releases that this one was made to be safe beside are not at hand, neither "
            "in memory nor in the directory beside it",
            remedy=GIVE_THEM,
        )
    return target.own


def in_common(target: Target, own: PublicView) -> tuple[list[InCommon], Arrived | None]:
    """See all releases in the same ranks, and in these who came when, if that is known."""
    original = target.original
    if original is not None and target.method is None:  # of a table only this tells
        own = replace(own, n_suppressed=original.n_rows - own.seen.frequencies.n_rows)
    every = [*target.previous.releases, own]
    if original is not None:
        counted = original.frequencies()
        with suppress(BadInput):  # it was read without the hierarchies
            return by_original(every, counted), arrived(counted, target.previous.releases)
    return in_public(every), None


def doubt_about(own: PublicView, previous: Previous) -> str | None:
    """Say why it proves nothing that nothing was found."""
    if previous.missing:
        n = len(previous.missing)
        return f"{counted(n, 'earlier release is', 'earlier releases are')} not at hand"
    untouched = set(own.insensitive)
    for each in previous.releases:
        both = sorted(untouched & set(each.insensitive))
        if both:
            return (
                f"{both[0]!r} is published untouched in several releases, and tells records apart"
            )
    return None


def named(previous: Previous) -> str:
    """Name the earlier releases, if they are few."""
    n = len(previous.releases)
    if n > MOST_NAMED:
        return f"{n} earlier releases"
    return f"the earlier {plural(n, 'release')} {listed(previous.names)}"
