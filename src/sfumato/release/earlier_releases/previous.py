"""The releases that came before one: those its method was given, or found beside it by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from sfumato.algorithms import Algorithm
from sfumato.errors import BadInput
from sfumato.files.staged import DESCRIPTION
from sfumato.published.public_view import PublicView


@dataclass(frozen=True, eq=False)
class Previous:
    """Earlier releases in the order of publishing, as far as they are at hand."""

    releases: tuple[PublicView, ...] = ()
    called: tuple[str | None, ...] = ()  # the directories they were found in, if so
    missing: tuple[str, ...] = ()  # digests of those that are not at hand
    given: bool = False  # some of them by the caller

    def __bool__(self) -> bool:
        return bool(self.releases or self.missing)

    @property
    def digests(self) -> frozenset[str]:
        """What each of them published, at hand or not."""
        return frozenset((*(each.digest for each in self.releases), *self.missing))

    @property
    def names(self) -> tuple[str, ...]:
        """What people call them."""
        return tuple(name or f"no. {j + 1}" for j, name in enumerate(self.called))

    def joined(self, given: Sequence[tuple[str | None, PublicView]]) -> Previous:
        """Add releases that somebody gives; those that are known already count once.

        Each release is of all people so far, so their numbers of people say in which order they
        were published.
        """
        names = {each.digest: name for name, each in zip(self.called, self.releases, strict=True)}
        added = {each.digest: (name or names.get(each.digest), each) for name, each in given}
        kept = zip(self.called, self.releases, strict=True)
        pairs = [(name, each) for name, each in kept if each.digest not in added]
        pairs += added.values()
        known = {each.digest for _, each in pairs}
        pairs.sort(key=lambda pair: pair[1].n_rows)
        missing = tuple(digest for digest in self.missing if digest not in known)
        releases, called = tuple(each for _, each in pairs), tuple(name for name, _ in pairs)
        return Previous(releases, called, missing, given=True)


def previous_of(
    method: Algorithm, directory: Path | None, load: Callable[[Path], object]
) -> Previous:
    """Find the earlier releases of a method.

    A description names them by the digest of what they publish. So a release that was loaded finds
    them among the directories beside its own, and no other release can take their place.

    Args:
        method: Only one for series knows earlier releases.
        directory: Where the release is saved; None: it is in memory.
        load: Opens a saved release.
    """
    if method.series is None:
        return Previous()
    previous = method.series.previous
    wanted = [each for each in previous if isinstance(each, str)]
    beside: dict[str, list[tuple[str, PublicView]]] = {}  # several recipients may have got the same
    left = Counter(wanted)
    if wanted and directory is not None:
        for name, release in _beside(directory, load):
            if left[release.digest]:
                left[release.digest] -= 1
                beside.setdefault(release.digest, []).append((name, release))
            if not left.total():
                break
    pairs: list[tuple[str | None, PublicView]] = []
    for each in previous:
        if isinstance(each, PublicView):
            pairs.append((None, each))
        elif each in beside:
            same = beside[each]
            pairs.append(same.pop(0) if len(same) > 1 else same[0])
    return Previous(
        tuple(each for _, each in pairs),
        tuple(name for name, _ in pairs),
        tuple(each for each in wanted if each not in beside),
    )


def _beside(directory: Path, load: Callable[[Path], object]) -> Iterator[tuple[str, PublicView]]:
    """Open the releases in the same place; one that is damaged is none."""
    own = directory.resolve()
    try:
        places = sorted(own.parent.iterdir())
    except OSError:
        return
    for place in places:
        if place == own or not (place / DESCRIPTION).is_file():
            continue
        try:
            each = load(place).public_view  # type: ignore[attr-defined]  # it is a release
            _ = each.digest
        except BadInput:
            continue
        yield place.name, each
