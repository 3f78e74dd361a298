"""The values that people can have, as far as an adversary can tell."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from sfumato.attacks.target import Target
from sfumato.criteria import Criterion
from sfumato.criteria.judging import named_in
from sfumato.data.domain import Domain
from sfumato.data.frequency import sum_by
from sfumato.data.groups import Counts
from sfumato.data.hierarchy import Flat, Hierarchy
from sfumato.errors import BadInput, CannotRun

ANOTHER = "another value"


@dataclass(frozen=True, eq=False)
class PossibleValues:
    """The values that people can have, as far as an adversary can tell."""

    domains: dict[str, Domain]  # of the sensitive columns
    rows: NDArray[np.int32]  # (n_values, n_sensitive) codes: all that may go together
    prior: list[Fraction]  # (n_values,): of somebody of whom nothing is known
    histogram: Counts  # (n_groups, n_values): what is published

    @classmethod
    def of(
        cls, target: Target, rules: Mapping[str, Hierarchy], enforced: Criterion
    ) -> PossibleValues:
        """See what is published, and what else suppressed people may have."""
        seen = target.seen
        published = seen.frequencies.persons_values.codes
        histogram = seen.joint.counted.to_dense()
        domains, columns, priors = {}, [], []
        for j, name in enumerate(seen.frequencies.sensitive):
            labels = seen.frequencies.domains[name].labels
            counts = sum_by(published[:, j].astype(np.intp), histogram.sum(axis=0), len(labels))
            shown = [labels[code] for code in np.flatnonzero(counts).tolist()]
            domain = _extended(name, shown, target, rules, enforced)
            code = np.array([domain.code_of(label) for label in shown], dtype=np.int32)
            translated = np.full(len(labels), -1, dtype=np.int32)
            translated[np.flatnonzero(counts)] = code
            columns.append(translated[published[:, j]])
            weights = np.ones(len(domain), dtype=np.int64)
            weights[code] += counts[counts > 0]
            priors.append([Fraction(int(n), int(weights.sum())) for n in weights])
            domains[name] = domain
        if target.n_suppressed:
            rows = np.array(
                list(itertools.product(*(range(len(d)) for d in domains.values()))), dtype=np.int32
            )
        else:
            used = histogram.any(axis=0)
            rows = np.unique(np.stack(columns, axis=1)[used], axis=0).astype(np.int32)
        number = {tuple(row): v for v, row in enumerate(rows.tolist())}
        place = [number.get(tuple(row), -1) for row in np.stack(columns, axis=1).tolist()]
        counted = np.zeros((len(histogram), len(rows)), dtype=np.int64)
        for old, new in enumerate(place):
            if new >= 0:
                counted[:, new] += histogram[:, old]
        prior = [
            np.prod([own[code] for own, code in zip(priors, row, strict=True)])
            for row in rows.tolist()
        ]
        return cls(domains, rows, prior, counted)


def _extended(
    name: str,
    shown: list[object],
    target: Target,
    rules: Mapping[str, Hierarchy],
    enforced: Criterion,
) -> Domain:
    """Lay out the values of a sensitive column that are published, named, or could be besides."""
    rule = rules.get(name, Flat())
    try:
        domain = rule.grow(name, shown)[0]
    except BadInput as error:
        raise CannotRun(f"the published values of {name!r} do not fit its hierarchy") from error
    if not target.n_suppressed:
        return domain
    named = named_in(enforced, name)
    for wanted in ([*shown, *named, ANOTHER], [*shown, *named]):
        with suppress(BadInput):  # a closed hierarchy, or numbers: there is no other value
            return rule.grow(name, list(dict.fromkeys(wanted)))[0]
    return domain
