"""The forms of published labels that occur in a release, each by an example and in words."""

from __future__ import annotations

from collections.abc import Iterable

from sfumato.data.labels.grammar import (
    EVERYTHING,
    OR_MISSING,
    Label,
    Mask,
    Members,
    Range,
    parse,
)

IN_ORDER = " (codes are compared character by character, from the left)"


def forms_of(labels: Iterable[object], *, of_codes: bool = False) -> list[tuple[str, str]]:
    """Give an example of every form that is not a plain value, with what it means.

    of_codes: Ranges are of codes, whatever numbers their bounds look like.

    >>> for example, meaning in forms_of(["[20, 40)", "flu", "[40, 60)", "130** or missing", "*"]):
    ...     print(f"{example}: {meaning}")
    [20, 40): from 20 up to, and not including, 40
    130** or missing: begins with 130, or missing
    *: nothing is said
    >>> forms_of([">=6061"], of_codes=True)
    [('>=6061', '6061 or behind it (codes are compared character by character, from the left)')]
    """
    found: dict[object, tuple[str, str]] = {}
    for text in labels:
        if text is None:
            continue
        label = parse(str(text))
        said = _meaning(label, of_codes=of_codes)
        if said is not None:
            found.setdefault(_form(label), (str(text), said))
    return [*found.values()]


def _form(label: Label) -> object:
    part = label.part
    ends = (part.low is None, part.high is None) if isinstance(part, Range) else ()
    return type(part), ends, label.or_missing


def _meaning(label: Label, *, of_codes: bool) -> str | None:
    """Say what a label means; None: it is a plain value."""
    part = label.part
    if label == EVERYTHING:
        return "nothing is said"
    said = None
    if isinstance(part, Mask):
        said = f"begins with {part.beginning}"
    elif isinstance(part, Members):
        said = "one of these"
    elif isinstance(part, Range):
        said = _range_of_codes(part) if of_codes else _range(part)
    if not label.or_missing:
        return said
    return f"{'this value' if said is None else said},{OR_MISSING}"


def _range(part: Range) -> str:
    if part.low is None and part.high is None:
        return "there is a value, and nothing more is said"
    if part.low is None:
        return f"below {part.high}"
    if part.high is None:
        return f"{part.low} or more"
    return f"from {part.low} up to, and not including, {part.high}"


def _range_of_codes(part: Range) -> str:
    if part.low is None and part.high is None:
        return _range(part)
    if part.low is None:
        return f"before {part.high}{IN_ORDER}"
    if part.high is None:
        return f"{part.low} or behind it{IN_ORDER}"
    return f"{_range(part)}{IN_ORDER}"
