"""What only the steward may see: what was lost, and the original beside what was published."""

from __future__ import annotations

from typing import Any

import numpy as np

from sfumato.attacks import Target
from sfumato.attacks.linkage import least_people
from sfumato.data.frequency import sum_by
from sfumato.errors import BadInput
from sfumato.formulas.measures.loss import attribute_weights, information_loss, losses
from sfumato.release import Release
from sfumato.release.people_by_risk import BEFORE
from sfumato.release.people_by_risk import counted as counted_risk
from sfumato.report.parts.histogram import histogram
from sfumato.report.parts.techniques import dropped
from sfumato.report.parts.which_release import sources_of
from sfumato.risk import DEFAULT_K, drivers
from sfumato.table import Table

MOST_VALUES = 50  # of one sensitive column


def steward_part(subject: Release | Table, target: Target) -> dict[str, Any]:
    """Put together what is private; what cannot be had is named with the reason."""
    missing: list[str] = []
    summary = None
    if isinstance(subject, Release):
        overview = subject.summary()
        summary = {"lines": [list(line) for line in overview.lines], "numbers": overview.to_json()}
    else:
        missing.append("The summary: a table read from a file does not say how it was made.")
    if target.original is None:
        missing.append(
            "Risk before, information loss, the original distributions of sensitive values, and "
            "what drives the risk: the original is not at hand. Audit the release that "
            "sf.anonymize returned, or give original=."
        )
    return {
        "missing": missing,
        "summary": summary,
        "risk_before": None
        if target.original is None
        else counted_risk(BEFORE, target.original.alike_as_read()),
        "loss": None
        if target.original is None
        else _loss(subject, target, target.original, missing),
        "distributions": []
        if target.original is None
        else [_distribution(name, target, target.original) for name in target.sensitive],
        "drivers": None if target.original is None else _drivers(subject, target, target.original),
        "sources": sources_of(subject if isinstance(subject, Table) else target.original),
        "dropped": dropped(target.original),
    }


def _loss(
    subject: Release | Table, target: Target, original: Table, missing: list[str]
) -> dict[str, Any] | None:
    """Measure the information loss of a row, and of each quasi-identifier."""
    if isinstance(subject, Release) and subject.original is original:
        boxes, sizes = subject.published_boxes
    elif target.as_they_are:
        return None  # nothing is generalized
    else:
        try:
            boxes, sizes = target.boxes_in(original), target.seen.sizes
        except BadInput as error:
            missing.append(f"Information loss: {error}")
            return None
        if (boxes[:, :, 0] > boxes[:, :, 1]).any():
            missing.append(
                "Information loss: some published values fit nobody in the table given as the "
                "original."
            )
            return None
    names = target.quasi_identifiers
    lost = losses(original.domains, names, boxes)

    def weighted(weights: dict[str, float] | None) -> float:
        return information_loss(lost, sizes, attribute_weights(names, weights), target.n_suppressed)

    return {
        "information_loss": weighted(None),
        "attributes": [{"name": name, "loss": weighted({name: 1})} for name in names],
    }


def measured_loss(subject: Release | Table, target: Target) -> float | None:
    """Give the information loss of a row; None where it cannot be measured."""
    original = target.original
    loss = None if original is None else _loss(subject, target, original, [])
    return None if loss is None else float(loss["information_loss"])


def _drivers(subject: Release | Table, target: Target, original: Table) -> dict[str, Any]:
    """Say which columns of the original make people recognizable, and what would help.

    One more level starts from those of the release, where it has levels.
    """
    levels = subject.levels if isinstance(subject, Release) else None
    try:
        risk_drivers = drivers(original, levels, least_people(target.criterion) or DEFAULT_K)
    except BadInput:  # an original read with other hierarchies
        risk_drivers = drivers(original, None, least_people(target.criterion) or DEFAULT_K)
    tables = [
        {"caption": caption, "header": list(header), "rows": [list(row) for row in rows]}
        for caption, header, rows in risk_drivers.tables()
    ]
    return {"heading": risk_drivers.heading, "tables": tables, "numbers": risk_drivers.to_json()}


def _distribution(name: str, target: Target, original: Table) -> dict[str, Any]:
    """Count a sensitive column's values in the original and in what was published."""
    occurrences = target.seen.frequencies.occurrences(name)
    before = original.values_of_people().reference(name)
    after = sum_by(occurrences.codes.astype(np.intp), occurrences.counts, len(before))
    labels = original.domains[name].values.labels
    numbers = original.domains[name].values.numbers
    bins = None
    if numbers is not None:
        bins = histogram([None if np.isnan(x) else float(x) for x in numbers], before, after)
    held = np.flatnonzero(before)
    order = held[np.argsort(-before[held], kind="stable")][:MOST_VALUES].tolist()
    return {
        "attribute": name,
        "values": [
            {
                "value": None if labels[code] is None else str(labels[code]),
                "original": int(before[code]),
                "published": int(after[code]),
            }
            for code in order
        ],
        "bins": bins,
        "values_in_all": len(held),
        "rows_original": int(before.sum()),
        "rows_published": int(after.sum()),
    }
