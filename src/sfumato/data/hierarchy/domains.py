"""Domains over the values that the data has, or over those that the steward lists."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.decimals import canonical_numbers
from sfumato.data.domain import Domain
from sfumato.data.keys import Codes
from sfumato.data.labels.grammar import ROOT
from sfumato.data.tails import Tails
from sfumato.data.taxonomy import Taxonomy, in_tree_order
from sfumato.data.values import published_text
from sfumato.errors import BadInput

TREES = "hierarchies are trees, and a value with two parents is not supported"


def open_domain(
    column: str,
    values: Sequence[object],
    order: Callable[[object], Any],
    levels: Callable[[object], list[str]],
    number: Callable[[object], Any] | None = None,
    tails: Tails | None = None,
) -> tuple[Domain, Codes]:
    """Lay out the values that the data has, sorted by `order`."""
    present = sorted(
        (v for v in values if v is not None), key=lambda v: (order(v), published_text(v))
    )
    columns: list[list[object]] = [
        list(column) for column in zip(*([v, *levels(v), ROOT] for v in present), strict=True)
    ] or [[], []]
    numbers = None
    if number is not None:
        numbers = np.array([float(number(value)) for value in present])
    domain = _domain(columns, any(v is None for v in values), numbers, "hierarchy", closed=False)
    domain = replace(domain, tails=tails)
    code = {value: j for j, value in enumerate(domain.labels)}
    return domain, all_different(column, [code[value] for value in values])


def rewritten_domain(
    column: str,
    values: Sequence[object],
    instead: Mapping[object, str],
    lay_out: Callable[[list[object]], tuple[Domain, Codes]],
) -> tuple[Domain, Codes]:
    """Lay out values of which some are seen as others, and so have one code together."""
    seen = [instead.get(value, value) for value in values]
    distinct = [*dict.fromkeys(seen)]
    domain, codes = lay_out(distinct)
    code = dict(zip(distinct, codes.tolist(), strict=True))
    all_different(column, [code[value] for value in values if value not in instead])
    return domain, np.array([code[value] for value in seen], dtype=np.int32)


def closed_domain(
    column: str, values: Sequence[object], paths: Sequence[Sequence[object]], where: str
) -> tuple[Domain, Codes]:
    """Lay out the values that the steward lists, and find the data's values among them."""
    ordered = [paths[j] for j in in_tree_order(paths)]
    columns = [list(labels) for labels in zip(*ordered, strict=True)]
    exact = canonical_numbers(columns[0])
    ascending = exact is not None and all(
        exact[a] < exact[b] for a, b in itertools.pairwise(columns[0])
    )
    numbers = None
    if exact is not None and ascending and len(exact) > 1:
        numbers = np.array([float(exact[label]) for label in columns[0]])
    missing = any(value is None for value in values)
    domain = _domain(columns, missing, numbers, f"column {column!r}: {where}", closed=True)
    codes = [_leaf(domain, value) for value in values]
    unknown = [value for value, code in zip(values, codes, strict=True) if code is None]
    if unknown:
        raise BadInput(
            f"column {column!r}: {len(unknown)} distinct values are missing from its hierarchy; "
            "add them to it, or mend the data",
            unknown,
        )
    return domain, all_different(column, [code for code in codes if code is not None])


def _leaf(domain: Domain, value: object) -> int | None:
    """Find a value among the leaves: as a number only if it is written as the leaf is."""
    if value is None or isinstance(value, bool):
        return domain.code_of(value)
    return domain.known.texts.get(str(value))


def all_different(column: str, codes: list[int]) -> Codes:
    """Refuse two values that only an engine can tell apart: they would be counted as one."""
    if len(set(codes)) < len(codes):
        raise BadInput(
            f"column {column!r}: two different values look the same; turn the column into text"
        )
    return np.array(codes, dtype=np.int32)


def _domain(
    columns: list[list[object]],
    missing: bool,
    numbers: NDArray[np.float64] | None,
    where: str,
    *,
    closed: bool,
) -> Domain:
    if missing:
        for labels in columns[:-1]:
            labels.append(None)
        columns[-1].append(columns[-1][0] if columns[-1] else ROOT)
        if numbers is not None:
            numbers = np.append(numbers, np.nan)
    taxonomy = Taxonomy.from_levels(columns, where)
    return Domain(tuple(taxonomy.labels[0]), taxonomy, numbers, closed)


def refuse_repeated(leaves: Sequence[object], where: str) -> None:
    """Refuse a ground value that the steward lists twice."""
    seen: set[object] = set()
    for leaf in leaves:
        if leaf in seen:
            raise BadInput(f"{where}: a ground value stands in two places; {TREES}", [leaf])
        seen.add(leaf)
