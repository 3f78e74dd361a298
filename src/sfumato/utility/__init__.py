"""What a release is still good for."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from sfumato.algorithms.local.sides import Bounds
from sfumato.data.frequency import sum_by
from sfumato.formulas.measures import loss
from sfumato.parameters import whole
from sfumato.release import Release
from sfumato.release.release import a_release
from sfumato.utility.classification import classification_accuracy
from sfumato.utility.cross_validation import CrossValidation, Fold, cross_validate
from sfumato.utility.divergence import kl_divergence
from sfumato.utility.queries import QueryError, query_error

__all__ = [
    "CrossValidation",
    "Fold",
    "QueryError",
    "average_class",
    "average_group_size",
    "classification_accuracy",
    "cross_validate",
    "discernibility",
    "distortion",
    "entropy",
    "information_loss",
    "kl_divergence",
    "least_possible_loss",
    "loss_per_attribute",
    "n_groups",
    "precision",
    "query_error",
]


def __dir__() -> list[str]:
    return __all__


def information_loss(release: Release, weights: Mapping[str, float] | None = None) -> float:
    """Average loss of a row from 0 (nothing) to 1 (everything); Wong 2009, definition 7.

    Args:
        release: A release whose original is at hand.
        weights: Weight of each quasi-identifier, made to add up to 1; all equal unless given.
            A quasi-identifier that is not named weighs nothing.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> release = sf.anonymize(patients, sf.KAnonymity(5), sf.Samarati())
    >>> round(sf.utility.information_loss(release), 4)
    0.5202
    """
    a_release(release, "information_loss")
    names = release.description.quasi_identifiers
    boxes, people = release.published_boxes
    return loss.information_loss(
        loss.losses(release.table.domains, names, boxes),
        people,
        loss.attribute_weights(names, weights),
        release.n_suppressed,
    )


def loss_per_attribute(release: Release) -> dict[str, float]:
    """Average loss of a row in each quasi-identifier; a suppressed row has lost all of it.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> release = sf.anonymize(patients, sf.KAnonymity(5), sf.Samarati())
    >>> sf.utility.loss_per_attribute(release)
    {'age': 0.0404040404040404, 'sex': 1.0}
    """
    a_release(release, "loss_per_attribute")
    names = release.description.quasi_identifiers
    return {name: information_loss(release, {name: 1}) for name in names}


def distortion(release: Release) -> float:
    """Average distance of a published sensitive value from the person's own, from 0 to 1.

    Definition 7 of Wong 2009 on the sensitive attribute, as in section 7.2: a row loses
    (coverage - 1) / (base - 1), where the coverage is the number of values below the nearest common
    ancestor of the two values in the column's hierarchy, and the base the number of all its values.
    A value that was not changed loses nothing; without a hierarchy any other value is as far as
    can be. The average is over published rows, in integers until the last step. It is 0 for methods
    that change no values. For the steward only: it tells how many values were changed.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> sf.utility.distortion(sf.anonymize(patients, sf.KAnonymity(5), sf.Samarati()))
    0.0
    >>> method = sf.Mask(2, 4, ["HIV", "cancer"], seed=1)
    >>> release = sf.anonymize(patients, sf.KAnonymity(2), method)
    >>> sf.utility.distortion(release) == release.recoding.n_changed / release.n_rows
    True
    """
    a_release(release, "distortion")
    total = Fraction(0)
    for column, instead in release.recoding.changed.items():
        placed = release.recoding.placement(release.private.frequencies)
        domain, own = placed.frequencies.domains[column], placed.frequencies.codes(column)
        changed = np.flatnonzero(instead >= 0)
        coverage = np.ones(len(instead), dtype=np.int32)
        both = own[placed.key[changed]], instead[changed]
        coverage[changed] = domain.taxonomy.common_coverage(*both)
        inside = placed.box >= 0
        total += loss.exact_loss(placed.people[inside], coverage[inside], len(domain))
    return float(total)


def least_possible_loss(release: Release) -> float:
    """Information loss that no release in such groups, published so, goes below.

    Whoever is alike with k - 1 others loses at least what it takes to be alike with the farthest of
    his nearest k - 1: as nodes of hierarchies, if these are what the release publishes, else as
    ranges. So what it loses more can at most be gained by better groups; seldom all of it can.
    Sizes alone are looked at: what else is promised costs more. Everybody is compared with all,
    which can take longer than making the release.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "zip": sf.Prefix()},
    ...     sensitive="disease",
    ... )
    >>> release = sf.anonymize(patients, sf.KAnonymity(5))
    >>> round(sf.utility.information_loss(release), 3)
    0.031
    >>> round(sf.utility.least_possible_loss(release), 3)
    0.014
    """
    from sfumato.algorithms.local.lower_bound import least_information_loss  # noqa: PLC0415  (a compiler)

    a_release(release, "least_possible_loss")
    method = release.description.method
    if method.bucketized:
        return 0.0  # quasi-identifiers are published as they are
    bounds: Bounds = "nodes" if method.publishes == "nodes" else "tight"
    k = release.description.criterion.least_size
    return least_information_loss(release.table.combinations(), k, bounds)


def precision(release: Release) -> float:
    """Sweeney's precision: 1 minus the average level of a cell as a share of its height.

    A cell that is no node counts as the smallest node around it, a suppressed row as the roots.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> release = sf.anonymize(patients, sf.KAnonymity(5), sf.Samarati())
    >>> sf.utility.precision(release)
    0.375
    """
    a_release(release, "precision")
    boxes, people = release.published_boxes
    names = release.description.quasi_identifiers
    whole = [[0, len(release.table.domains[name]) - 1] for name in names]
    at_root = (boxes == np.array(whole)).all(axis=(1, 2)) & (release.n_at_root > 0)
    lost = 0.0
    for j, name in enumerate(names):
        taxonomy = release.table.domains[name].taxonomy
        low, high = boxes[:, j].T
        if release.levels is None:
            levels = taxonomy.enclosing_level(low, high)
        else:
            levels = np.where(at_root, taxonomy.height, release.levels[name])
        lost += float(people @ (levels / taxonomy.height)) + release.n_suppressed
    n_cells = (release.n_rows + release.n_suppressed) * len(names)
    return 1 - lost / n_cells


def entropy(release: Release) -> float:
    """Non-uniform entropy in bits: how much it takes to get from published values back.

    For each cell -log2 of the share that the original value has among all people whose value
    lies in the published interval; a suppressed row counts as published at the roots.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> release = sf.anonymize(patients, sf.KAnonymity(5), sf.Samarati())
    >>> round(sf.utility.entropy(release), 1)
    6691.4
    """
    a_release(release, "entropy")
    ground, values = release.table.combinations(), release.table.by_values.combinations()
    placed = release.recoding.placement(ground)
    combination = placed.frequencies.combination_of[placed.key]
    roots = np.array([[[0, len(domain) - 1] for domain in ground.domains.values()]], dtype=np.int32)
    box = np.concatenate([placed.boxes, roots])[placed.box]  # the last is for -1
    bits = 0.0
    for j, name in enumerate(release.description.quasi_identifiers):
        domain, codes = release.table.domains[name], ground.codes(name).astype(np.intp)
        upto = np.append(0, np.cumsum(sum_by(codes, ground.counts, len(domain))))
        low, high = box[:, j].T
        inside = upto[high + 1] - upto[low]
        own = (upto[codes + 1] - upto[codes])[combination]
        bits += float(placed.people @ np.log2(inside / own))
        if domain.merged is not None:  # from what stands for several values to one of them
            each = values.codes(name).astype(np.intp)
            having = sum_by(each, values.counts, len(domain.ground))
            together = np.repeat(np.diff(upto), np.diff(domain.merged.first))
            bits += float(having @ np.log2(together / np.maximum(having, 1)))
    return bits


def average_class(release: Release, k: int) -> float:
    """Rows of the table per published group, as a multiple of k; a suppressed row is in none.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> release = sf.anonymize(patients, sf.KAnonymity(5), sf.Samarati())
    >>> sf.utility.average_class(release, k=5)
    20.0
    """
    a_release(release, "average_class")
    n_rows = release.n_rows + release.n_suppressed
    return n_rows / (len(release.sizes) * whole("average_class", "k", k))


def n_groups(release: Release) -> int:
    """Number of distinct published groups.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> release = sf.anonymize(patients, sf.KAnonymity(5), sf.Samarati())
    >>> sf.utility.n_groups(release)
    20
    """
    a_release(release, "n_groups")
    return len(release.sizes)


def discernibility(release: Release) -> int:
    """Sum of squared group sizes, plus for every suppressed row the number of all rows.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> release = sf.anonymize(patients, sf.KAnonymity(5), sf.Samarati())
    >>> sf.utility.discernibility(release)
    228026
    """
    a_release(release, "discernibility")
    return loss.discernibility(release.sizes, release.n_suppressed)


def average_group_size(release: Release) -> float:
    """People per published group.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> release = sf.anonymize(patients, sf.KAnonymity(5), sf.Samarati())
    >>> sf.utility.average_group_size(release)
    100.0
    """
    a_release(release, "average_group_size")
    return loss.average_group_size(release.sizes)
