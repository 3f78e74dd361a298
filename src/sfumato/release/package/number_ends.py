"""Which ends of its ranges a column of numbers counts in, and which the declared domain gave."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal

from sfumato.data.decimals import as_number, number_text
from sfumato.data.hierarchy import PublicRule
from sfumato.data.labels.numbers import NumberColumns
from sfumato.data.labels.spans import Span, spans
from sfumato.text import listed


@dataclass(frozen=True)
class _End:
    """The range of a published text, before and after the declared domain closes it."""

    text: str
    own: Span[Decimal]
    closed: Span[Decimal]


def ends_in_words(name: str, numbers: NumberColumns, rule: PublicRule) -> str:
    """Say of a column of numbers whether its bounds are included, or how ends were closed.

    >>> import sfumato as sf
    >>> ages = NumberColumns(("low", "high"), {"[35, 40)": (35, 40), ">=55": (55, 120)})
    >>> ends_in_words("low", ages, sf.Intervals(5, domain=[0, 120]))
    'The bound itself is included.'
    >>> ends_in_words("high", ages, sf.Intervals(5, domain=[0, 120]))
    'The bound itself is excluded; it is included where it is 120, the declared end.'
    >>> middles = NumberColumns(("mid",), {"[35, 40)": (37.5,), ">=55": (87.5,)})
    >>> ends_in_words("mid", middles, sf.Intervals(5, domain=[0, 120]))
    'Open ends were closed at the declared bounds, 0 and 120, first: >=55 became 87.5.'
    """
    texts = [text for text in numbers.values if text is not None]
    own = spans(texts, rule.texts, rule.public_paths)
    closed = spans(texts, rule.texts, rule.public_paths, rule.extent)
    if own is None or closed is None:
        return ""
    ends = [_End(t, a, b) for t, a, b in zip(texts, own, closed, strict=True) if a and b]  # type: ignore[arg-type]
    if not numbers.are_bounds:
        return _middles(numbers, ends, rule)
    return "The bound itself is included." if name == numbers.names[0] else _upper(numbers, ends)


def _middles(numbers: NumberColumns, ends: list[_End], rule: PublicRule) -> str:
    middle = {text: row[0] for text, row in numbers.values.items()}
    changed = [e for e in ends if e.own != e.closed and middle[e.text] is not None]
    if not changed:
        return ""
    bounds = [number_text(end) for end in rule.extent if end is not None]
    # The range that is open on one side says more than everything does.
    example = min(changed, key=lambda each: (each.own.low is None) + (each.own.high is None))
    became = _text(as_number(middle[example.text]))
    return (
        f"Open ends were closed at the declared {'bounds' if len(bounds) > 1 else 'bound'}, "
        f"{' and '.join(bounds)}, first: {example.text} became {became}."
    )


def _upper(numbers: NumberColumns, ends: list[_End]) -> str:
    ends = [each for each in ends if each.closed.high is not None]
    inside = [each for each in ends if each.closed.closed]
    single = [each for each in inside if each.own.closed]
    declared = [each for each in inside if not each.own.closed]
    if not inside:
        return "The bound itself is excluded: values are below it."
    where = [f"where {numbers.names[0]} is the same"] if single else []
    if declared:
        last = declared[0].closed.high
        where.append(f"where it is {number_text(last)}, the declared end")  # type: ignore[arg-type]
        # A range that ends there by itself, such as [80, 120), does not have its end.
        below = [each for each in ends if each.closed.high == last and not each.closed.closed]
        if below:
            lows = [_text(each.closed.low) for each in below]
            where[-1] += f" (but not where {numbers.names[0]} is {listed([*dict.fromkeys(lows)])})"
    if len(inside) == len(ends):
        return "The bound itself is included."
    return f"The bound itself is excluded; it is included {' and '.join(where)}."


def _text(number: Decimal | None) -> str:
    return "empty" if number is None else number_text(number)
