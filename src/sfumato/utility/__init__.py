"""What a release is still good for."""

from __future__ import annotations

from collections.abc import Mapping

from sfumato.formulas import loss
from sfumato.release import Release


def information_loss(release: Release, weights: Mapping[str, float] | None = None) -> float:
    """Average loss of a row from 0 (nothing) to 1 (everything); Wong 2009, definition 7.

    Args:
        release: A release whose original is at hand.
        weights: Weight of each quasi-identifier, made to add up to 1; all equal unless given.
            A quasi-identifier that is not named weighs nothing.
    """
    names = release.description.quasi_identifiers
    bases = [len(release.table.domains[name]) for name in names]
    return loss.information_loss(
        loss.coverage_loss(release.boxes, bases),
        release.sizes,
        loss.attribute_weights(names, weights),
        release.n_suppressed,
    )


def discernibility(release: Release) -> int:
    """Sum of squared group sizes, plus for every suppressed row the number of all rows."""
    return loss.discernibility(release.sizes, release.n_suppressed)


def average_group_size(release: Release) -> float:
    """People per published group."""
    return loss.average_group_size(release.sizes)
