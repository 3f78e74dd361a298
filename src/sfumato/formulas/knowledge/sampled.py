"""Families by chance: where there are too many ways for who has a value to be counted."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from sfumato.errors import BadInput
from sfumato.formulas.knowledge.clusters import Belief, Cluster
from sfumato.formulas.minimality.posterior import LEAST, wilson

BUDGET = 10_000_000  # numbers drawn for one answer
BATCHES = 50
LARGEST = 4_000_000  # kinds of families times groups
ENTANGLED = (
    "these families are too entangled: too few worlds that satisfy all of it can be found by "
    "chance; leave out some of the edges"
)


def sampled(cluster: Cluster, rng: np.random.Generator) -> Iterator[Belief]:
    """Choose families by chance, each for itself, and weigh what comes out.

    The chances are tilted so that on average every group has as many people with the value as it
    should. The interval is Wilson's for as many samples as the weights are worth.
    """
    if len(cluster.kinds) * len(cluster.groups) > LARGEST:
        raise BadInput(ENTANGLED)
    members = np.zeros((len(cluster.kinds), len(cluster.groups)), dtype=np.int64)
    for row, kind in zip(members, cluster.kinds, strict=True):
        for at, people in kind.reach:
            row[at] = people
    n_alike = np.array([kind.n for kind in cluster.kinds], dtype=np.int64)
    n_free = np.array([n for n, _ in cluster.free], dtype=np.float64)
    tilt = members @ _tilts(members, n_alike, n_free, np.array(cluster.expected))
    chance = 1 / (1 + np.exp(-tilt))
    logs = [np.array([math.log(n) if n else -np.inf for n in ways]) for ways in cluster.ways]
    share = [np.array([float(each) for each in own]) for own in cluster.share]
    at_once = max(1, BUDGET // BATCHES // (len(n_alike) + len(n_free)))
    sums = np.zeros(len(n_alike) + len(n_free))
    total = squares = 0.0
    top = -np.inf
    for _ in range(BATCHES):
        chosen = rng.binomial(n_alike, chance, size=(at_once, len(n_alike)))
        having = chosen @ members  # (at_once, n_groups)
        log = -(chosen @ tilt)
        for g, own in enumerate(logs):
            log += own[having[:, g]]
        if log.max() > top:
            scale = math.exp(top - log.max()) if top > -np.inf else 0.0
            sums, total, squares, top = sums * scale, total * scale, squares * scale**2, log.max()
        if top == -np.inf:
            continue
        weight = np.exp(log - top)
        free = np.stack([own[having[:, g]] for g, own in enumerate(share)], axis=1)
        total += float(weight.sum())
        squares += float((weight**2).sum())
        sums += weight @ np.concatenate([chosen / n_alike, free], axis=1)
    n_effective = total**2 / squares if squares else 0.0
    if n_effective < LEAST:
        raise BadInput(ENTANGLED)
    beliefs = sums / total
    low, high = wilson(beliefs, n_effective)
    who = [kind.person for kind in cluster.kinds] + [person for _, person in cluster.free]
    for person, belief, *ends in zip(
        who, beliefs.tolist(), low.tolist(), high.tolist(), strict=True
    ):
        if person is not None:
            yield Belief(person, belief, (ends[0], ends[1]))


def _tilts(
    members: NDArray[np.int64],
    n_alike: NDArray[np.int64],
    n_free: NDArray[np.float64],
    expected: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Find log odds by group that make the expected numbers right: Newton's steps, shortened."""
    tilts = np.zeros(len(n_free))
    size = members.sum(axis=1).max(initial=1)
    for _ in range(50):
        chance = 1 / (1 + np.exp(-np.clip(members @ tilts, -30, 30)))
        alone = 1 / (1 + np.exp(-tilts))
        gap = members.T @ (n_alike * chance) + n_free * alone - expected
        spread = members.T @ ((n_alike * chance * (1 - chance))[:, np.newaxis] * members)
        spread = spread + np.diag(n_free * alone * (1 - alone) + 1e-9)
        step = np.clip(np.linalg.solve(spread, gap), -1, 1)
        tilts = np.clip(tilts - step, -30 / size, 30 / size)
        if np.abs(step).max() < 1e-6:
            break
    return tilts
