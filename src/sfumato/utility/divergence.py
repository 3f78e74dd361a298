"""Kullback-Leibler divergence between a table and its release."""

from __future__ import annotations

import math

import numpy as np

from sfumato.data.frequency import FrequencySet
from sfumato.data.groups import Histogram
from sfumato.errors import BadInput
from sfumato.formulas.boxes.points import points_in_boxes
from sfumato.formulas.measures import divergence
from sfumato.release import Release
from sfumato.release.release import a_release
from sfumato.utility.published_boxes import generalized_groups


def kl_divergence(release: Release, attribute: str | None = None) -> float:
    """Distance of the release's distribution p* from the table's p, in nats (Chen 2009, 8.4).

    The sum over all combinations x of quasi-identifiers and sensitive values s of
    p(x, s) log(p(x, s) / p*(x, s)); 0 where nothing is lost.

    - In two tables x is published as it is: p*(x, s) is the share of x times the share of s in the
      group of x, added up over the groups if x is in several. Dealing the values at random within
      the groups (`release.permuted`) says the same and has the same divergence.
    - A generalized group is spread evenly over the ground values of its box, which is the
      distribution of the largest entropy that agrees with it (Kifer and Gehrke 2006); boxes that
      overlap add up. Query errors see a release in the same way.
    - The paper suppresses nobody. Of suppressed people only the number is known, so they are
      spread evenly over all values of all attributes, the sensitive one among them: left out, they
      would be free or cost infinitely much.

    Insensitive columns are published as they are, and are no part of x.

    Args:
        release: A release whose original is at hand.
        attribute: The sensitive attribute, where there are several.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> release = sf.anonymize(patients, sf.KAnonymity(5), sf.Samarati())
    >>> round(sf.utility.kl_divergence(release), 3)
    0.911
    """
    original = a_release(release, "kl_divergence").table.by_values.frequencies()
    name = original.attribute(attribute)
    if name is not None and original.domains[name].members is not None:
        raise BadInput(
            f"kl_divergence: {name!r} holds a set of values for each person; the divergence is "
            "defined where everybody has one"
        )
    columns = original.quasi_identifiers if name is None else (*original.quasi_identifiers, name)
    table = original if original.columns == columns else original.project(columns)
    values = np.zeros(len(table), dtype=np.int32) if name is None else table.codes(name)
    members, histogram = _published(release, table.combinations, name)
    expected = members.expected(table.combination_of, values, histogram)
    everywhere = math.prod(len(table.domains[column]) for column in columns)
    return divergence.kl_divergence(table.counts, expected + release.n_suppressed / everywhere)


def _published(
    release: Release, ground: FrequencySet, attribute: str | None
) -> tuple[divergence.PossibleGroups, Histogram]:
    """Say how likely the people of every published group have each combination."""
    buckets = release.recoding.buckets
    if buckets is not None and attribute is not None:
        inside = buckets.members(attribute)
        histogram, (combination, group) = inside.histogram, inside.members.T
        shares = inside.people / np.bincount(group, weights=inside.people)[group]
    else:
        boxes, histogram = generalized_groups(release, attribute)
        volumes = np.prod(boxes[:, :, 1] - boxes[:, :, 0] + 1.0, axis=1)
        codes = np.stack([ground.codes(column) for column in ground.columns], axis=1)
        combination, group = points_in_boxes(codes, boxes)
        shares = 1 / volumes[group]
    return divergence.PossibleGroups.of(combination, group, shares, len(ground)), histogram
