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


def forms_of(labels: Iterable[object]) -> list[tuple[str, str]]:
    """Give an example of every form that is not a plain value, with what it means.

    >>> for example, meaning in forms_of(["[20, 40)", "flu", "[40, 60)", "130** or missing", "*"]):
    ...     print(f"{example}: {meaning}")
    [20, 40): from 20 up to, and not including, 40
    130** or missing: begins with 130, or missing
    *: nothing is said
    """
    found: dict[object, tuple[str, str]] = {}
    for text in labels:
        if text is None:
            continue
        label = parse(str(text))
        said = _meaning(label)
        if said is not None:
            found.setdefault(_form(label), (str(text), said))
    return [*found.values()]


def _form(label: Label) -> object:
    part = label.part
    ends = (part.low is None, part.high is None) if isinstance(part, Range) else ()
    return type(part), ends, label.or_missing


def _meaning(label: Label) -> str | None:
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
        said = _range(part)
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
