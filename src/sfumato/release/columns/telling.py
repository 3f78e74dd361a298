"""Sensitive columns that others know: what goes with a quasi-identifier, and what names people.

A year of birth goes with an age: who knows somebody's age finds the rows with the years that go
with it, whatever is left of the age in them. Two columns go together where far fewer pairs of their
values occur than would if they had nothing to do with each other, or where one is mostly guessed
right from the other. What is different for everybody goes with everything: that shows nothing. So
both are held against what becomes of them where the values of one column are dealt out anew by
chance. An address goes with nothing, and says by itself who people are.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.data.domain import Domain
from sfumato.data.groups import GroupSizes
from sfumato.data.keys import Codes
from sfumato.release.columns.identifying import identifies, may_identify
from sfumato.table import Table

SOME_PEOPLE = 2**13  # are looked at: whether columns go together does not hang on a few
LARGEST_SHARE = 1 / 4  # of the pairs that chance makes beyond those that there must be
SMALLEST_GAIN = 2 / 3  # of those guessed right whom one guesses wrong by chance
MOST_BY_CHANCE = 1 / 4  # guessed right: of two or three values knowing one tells few people apart
N_DEALS = 30
DEVIATIONS = 6  # from the mean of what chance makes of it: no accident


def telling_columns(table: Table) -> dict[str, tuple[str, ...]]:
    """Give the sensitive columns that go together with quasi-identifiers, and with which.

    Those that say by themselves who people are go with none; see `identifying`.

    >>> import sfumato as sf
    >>> import pyarrow as pa
    >>> ages = [20 + j % 30 for j in range(300)]
    >>> people = pa.table({"age": ages, "born": [2026 - age for age in ages]})
    >>> telling_columns(sf.read(people, ["age"], "born"))
    {'born': ('age',)}
    """
    sensitive = [name for name in table.schema.sensitive if name != table.set_valued]
    if not sensitive:
        return {}
    some = table.some_people(SOME_PEOPLE)
    person = some.some(SOME_PEOPLE)
    known = {name: some.codes(name)[person] for name in table.schema.quasi_identifiers}
    told = {}
    for name in sensitive:
        values = some.codes(name)[person]
        columns = [column for column, codes in known.items() if go_together(values, codes)]
        if columns:
            told[name] = tuple(columns)
    others = {name: table.domains[name] for name in sensitive if name not in told}
    return told | identifying_columns(others, table.alike)


def identifying_columns(
    domains: Mapping[str, Domain], alike: Callable[[Sequence[Sequence[str]]], list[GroupSizes]]
) -> dict[str, tuple[str, ...]]:
    """Give the columns that say by themselves who people are; alike: counts who has what."""
    asked = [(name,) for name, domain in domains.items() if may_identify(len(domain))]
    counted = zip(asked, alike(asked) if asked else [], strict=True)
    return {name: () for (name,), sizes in counted if identifies(domains[name], sizes)}


class Connection(NamedTuple):
    """How much two columns have to do with each other."""

    n_pairs: int  # of values that occur
    guessed: tuple[int, int]  # people whose value of either is the likeliest by the other one


def go_together(first: Codes, second: Codes) -> bool:
    """Whether one of two columns nearly determines the other, more than chance would make it.

    first, second: the values of each person.
    """
    one, n_first = _compact(first)
    other, n_second = _compact(second)
    if min(n_first, n_second) == 1:
        return False
    observed = connection(one, other)
    rng = np.random.default_rng(0)  # an experiment's: nobody is protected by it

    def dealt(n: int) -> list[Connection]:
        return [connection(one, rng.permutation(other)) for _ in range(n)]

    n, least = len(one), (n_first, n_second)
    by_chance = dealt(1)
    if not any(_beyond(observed, by_chance, n, least, slack=2, deviations=0)):
        return False
    by_chance += dealt(N_DEALS - 1)
    return any(_beyond(observed, by_chance, n, least, slack=1, deviations=DEVIATIONS))


def connection(first: NDArray[np.int64], second: NDArray[np.int64]) -> Connection:
    """Count pairs of values, and who is guessed right by either."""
    n_values = int(second.max()) + 1
    pair, counts = np.unique(first * n_values + second, return_counts=True)
    return Connection(
        len(pair), (_of_largest(pair // n_values, counts), _of_largest(pair % n_values, counts))
    )


def _beyond(
    observed: Connection,
    by_chance: list[Connection],
    n: int,
    least: tuple[int, int],
    *,
    slack: float,
    deviations: float,
) -> Iterator[bool]:
    """Say of each sign of a connection whether it is large enough, and no accident."""
    pairs = np.array([each.n_pairs for each in by_chance])
    surprising = pairs.mean() - observed.n_pairs >= deviations * max(pairs.std(), 1 / 2)
    for fewest in least:  # so many there are in any case
        beyond = pairs.mean() - fewest
        few = observed.n_pairs - fewest <= slack * LARGEST_SHARE * beyond
        yield bool(beyond > 0 and few and surprising)
    for side, right in enumerate(observed.guessed):
        guessed = np.array([each.guessed[side] for each in by_chance])
        gained, wrong = right - guessed.mean(), n - guessed.mean()
        enough = gained * slack >= SMALLEST_GAIN * wrong
        surprising = gained >= deviations * max(guessed.std(), 1 / 2)
        several = guessed.mean() <= MOST_BY_CHANCE * n
        yield bool(several and enough and surprising)


def _of_largest(value: NDArray[np.int64], counts: NDArray[np.intp]) -> int:
    """Add up, over the values of a column, the people with the most frequent pair of each."""
    largest = np.zeros(int(value.max()) + 1, dtype=np.int64)
    np.maximum.at(largest, value, counts)
    return int(largest.sum())


def _compact(codes: Codes) -> tuple[NDArray[np.int64], int]:
    values, compact = np.unique(codes, return_inverse=True)
    return compact.astype(np.int64), len(values)
