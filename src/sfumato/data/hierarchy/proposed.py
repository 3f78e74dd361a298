"""Hierarchies proposed from the values that a column has, for a person to edit."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal, localcontext
from typing import Any, NamedTuple

from sfumato.data.decimals import DIGITS, as_number, floor_to
from sfumato.data.labels.grammar import ROOT
from sfumato.data.values import natural_order, published_text

RARE = 5  # people: a value that fewer have is put among others
CODE = re.compile(r"([^\W\d_]{0,4})[-. ]?(\d{1,9})(?!\d)(.*)", re.ASCII | re.DOTALL)
WORD = re.compile(r"[^\W_]+")
FIRST_NUMBERS = 12  # codes of one beginning that need no further groups
IN_GROUPS = 4  # a quarter of the values at least is grouped, or none
FEWEST_BEYOND = 10  # people in a tail
SHARE_BEYOND = 100  # and one of so many at least
STEPS = 10  # ranges of the narrowest width between the outer tenths of the people


def proposed_tree(values: Iterable[object], counts: Iterable[int] | None = None) -> Any:
    """Group values by what they begin with, as a nested dict or a list.

    Codes such as J45.1 are grouped by their letters, and many of them by their numbers; other texts
    by their first word, if that groups a quarter of them. Of the rest, with `counts`, those that
    fewer than five people have are `other`.

    >>> proposed_tree(["Married-AF", "Married-civ", "Single", "Widowed"])
    [{'Married': ['Married-AF', 'Married-civ']}, 'Single', 'Widowed']
    """
    values = list(values)
    people: dict[str, int] = {}
    for value, n in zip(values, [RARE] * len(values) if counts is None else counts, strict=True):
        text = published_text(value)
        if text is not None:
            people[text] = people.get(text, 0) + n
    texts = sorted(people, key=natural_order)
    names = _Names({*texts, ROOT})
    codes = {text: CODE.fullmatch(text) for text in texts}
    if len(texts) > 1 and all(codes.values()):
        by_letters: dict[str, list[str]] = {}
        for text, code in codes.items():
            by_letters.setdefault(code[1] if code else "", []).append(text)
        if len(by_letters) == 1:
            return _by_numbers(texts, names)
        if len(by_letters) < len(texts):
            return {
                names.new(letters or "number"): _by_numbers(own, names)
                for letters, own in by_letters.items()
            }
    return _by_words(texts, people, names)


class _Names:
    """Names of nodes that nothing else has."""

    def __init__(self, taken: set[str]) -> None:
        self._taken = taken

    def new(self, name: str) -> str:
        while name in self._taken:
            name += " (all)"
        self._taken.add(name)
        return name


def _by_numbers(codes: Sequence[str], names: _Names) -> Any:
    """Group codes of one beginning by the tens of their numbers, the hundreds, ..."""
    found = [CODE.fullmatch(code) for code in codes]
    own = [(code, match[1], match[2]) for code, match in zip(codes, found, strict=True) if match]
    largest = max(int(number) for _, _, number in own)
    step = 10
    while step <= largest and len({int(number) // step for *_, number in own}) > len(codes) // 4:
        step *= 10
    if len(codes) <= FIRST_NUMBERS or step > largest:
        return list(codes)
    groups: dict[int, list[str]] = {}
    for code, _, number in own:
        groups.setdefault(int(number) // step * step, []).append(code)
    letters, width = own[0][1], max(len(number) for *_, number in own)
    return {
        names.new(f"{letters}{low:0{width}d} to {letters}{low + step - 1:0{width}d}"): members
        for low, members in groups.items()
    }


def _by_words(texts: Sequence[str], people: Mapping[str, int], names: _Names) -> Any:
    """Group texts by their first word, where several have it."""
    by_word: dict[str, list[str]] = {}
    for text in texts:
        first = WORD.search(text)
        by_word.setdefault(text if first is None else first[0].casefold(), []).append(text)
    groups = {word: own for word, own in by_word.items() if len(own) > 1}
    n_grouped = sum(map(len, groups.values()))
    if len(by_word) == 1 or n_grouped * IN_GROUPS < len(texts):
        groups = {}
    rare = [own[0] for word, own in by_word.items() if word not in groups and people[own[0]] < RARE]
    if not groups:
        rare = [text for text in texts if people[text] < RARE]
    others = {*rare} if len(rare) > 1 and len(rare) < len(texts) else set()
    tree: list[Any] = []
    for word, own in by_word.items():
        if word in groups:
            tree.append({names.new(_beginning(own)): own})
        else:
            tree += [text for text in own if text not in others]
    if others:
        tree.append({names.new("other"): [text for text in texts if text in others]})
    return tree


def _beginning(texts: Sequence[str]) -> str:
    """Give the words that texts begin with alike; at least the first, as one of them has it."""
    words = [WORD.findall(text) for text in texts]
    alike = 1
    while all(len(own) > alike and own[alike] == words[0][alike] for own in words):
        alike += 1
    first = texts[0]
    end = [*WORD.finditer(first)][alike - 1].end()
    return first[:end].strip()


class Bands(NamedTuple):
    """Widths that nest, and bounds beyond which nobody should be told apart; None: no bound."""

    widths: tuple[Decimal, ...]
    bottom: Decimal | None
    top: Decimal | None


def proposed_bands(values: Iterable[object], counts: Iterable[int]) -> Bands:
    """Propose ranges for numbers from rounded quantiles of the people who have them.

    The widths are 1, 2 or 5 times a power of ten that nest, such as 5, 10 and 20: about ten ranges
    of the narrowest between the outer tenths of the people. A bound is a multiple of that width
    that one in a hundred people and ten at least lie beyond, so it is nobody's own value; it is
    proposed only where fewer than ten people have one of the numbers beyond it.

    >>> proposed_bands(range(1, 101), [20] * 50 + [3] * 50)
    Bands(widths=(Decimal('5'), Decimal('10'), Decimal('20')), bottom=None, top=Decimal('95'))
    """
    people: dict[Decimal, int] = {}
    for value, n in zip(values, counts, strict=True):
        number = None if value is None else as_number(value)
        if number is not None and n > 0:
            people[number] = people.get(number, 0) + n
    numbers = sorted(people)
    n_people = sum(people.values())
    if not numbers:
        return Bands((), None, None)
    with localcontext(prec=DIGITS):
        spread = _quantile(numbers, people, n_people, 9) - _quantile(numbers, people, n_people, 1)
        spread = spread or numbers[-1] - numbers[0]
        if not spread:
            return Bands((), None, None)
        width = _simple(spread / STEPS)
        if all(number == int(number) for number in numbers):
            width = max(width, Decimal(2))  # [37, 38) is 37
        fewest = max(FEWEST_BEYOND, math.ceil(n_people / SHARE_BEYOND))
        middle = _quantile(numbers, people, n_people, 5)
        top = _reached(reversed(numbers), people, fewest)
        if top is not None:
            top = floor_to(top, width)
            beyond = [people[number] for number in numbers if number >= top]
            top = top if top > middle and min(beyond) < FEWEST_BEYOND else None
        bottom = _reached(numbers, people, fewest)
        if bottom is not None:
            bottom = floor_to(bottom, width, steps=1)
            beyond = [people[number] for number in numbers if number < bottom]
            bottom = bottom if bottom < middle and min(beyond) < FEWEST_BEYOND else None
        steps = (1, 2, 4) if width.normalize().as_tuple().digits == (5,) else (1, 5, 10)
        return Bands(tuple(step * width for step in steps), bottom, top)


def _reached(
    numbers: Iterable[Decimal], people: Mapping[Decimal, int], fewest: int
) -> Decimal | None:
    """Give the number by which enough people were counted; None: they are fewer."""
    n_people = 0
    for number in numbers:
        n_people += people[number]
        if n_people >= fewest:
            return number
    return None


def _simple(number: Decimal) -> Decimal:
    """Give the nearest of 1, 2 and 5 times a power of ten, by ratio.

    >>> [float(_simple(Decimal(number))) for number in ("1.3", "3.6", "0.8", "140")]
    [1.0, 5.0, 1.0, 100.0]
    """
    power = Decimal(1).scaleb(number.adjusted())
    square = (number / power) ** 2
    digit = 1 if square < 2 else 2 if square < 10 else 5 if square < 50 else 10
    return digit * power


def _quantile(
    numbers: Sequence[Decimal], people: Mapping[Decimal, int], n_people: int, tenths: int
) -> Decimal:
    """Give the smallest number that so many tenths of the people do not exceed."""
    n_below = 0
    for number in numbers:
        n_below += people[number]
        if 10 * n_below >= tenths * n_people:
            return number
    return numbers[-1]
