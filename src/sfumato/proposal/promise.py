"""What a release should promise, by which method, and which sensitive column it takes.

One sensitive column is published. With two of them the promise about one has to hold against who
knows the other, which few tables can give; the others are for releases of their own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from sfumato.algorithms import Algorithm, Checked, Local, Mondrian
from sfumato.criteria import Criterion, KAnonymity, KEAnonymity, LDiversity, MaxRisk
from sfumato.engines.look import ColumnLook
from sfumato.proposal.hierarchies import is_numeric, widths_for
from sfumato.text import share

K = 5
FEWEST_GROUPS = 8  # that the largest of the tried sizes leaves room for
RANKS = ("health", "crime", "belief or life", "money", "marks")
CATEGORIES = 20  # different numbers at most, for them to be categories
COMMON = 0.05  # share of the people from which on a value is common
MOST_WANTED = 4  # common values, from which on more make nothing easier
NEARLY_ALL = 0.98  # share of it, above which no promise can be kept but in very large groups
ONE_SIDED = 0.9  # share of the most common value, above which a column is hard to promise about


@dataclass(frozen=True)
class Promise:
    """Criterion and method, each with its reason."""

    criterion: Criterion
    method: Algorithm
    reasons: tuple[str, str]


def chosen_sensitive(looks: Sequence[ColumnLook], about: Mapping[str, str]) -> str | None:
    """Choose the sensitive column that is published: grave, known of most people, and various."""

    def price(look: ColumnLook) -> tuple[float, ...]:
        subject = about[look.column]
        return (
            _largest_share(look) > ONE_SIDED,
            look.n_missing > look.n_present,
            not is_numeric(look) and look.n_values > look.n_present / 3,
            RANKS.index(subject) if subject in RANKS else len(RANKS),
            _is_measured(look),
            0 if _is_measured(look) else -min(n_common(look), MOST_WANTED),
        )

    able = [look for look in looks if not look.is_list and _largest_share(look) <= NEARLY_ALL]
    return min(able, key=price).column if able else None


def promise_about(
    sensitive: ColumnLook | None, n_rows: int, risk: float | Fraction | str | None = None
) -> Promise:
    """Choose a criterion for a table by its sensitive column; risk: the largest of recognition."""
    at_most = None if risk is None else MaxRisk(risk)
    numbers = at_most or KAnonymity(K)
    k = numbers.k
    people = f"everybody is one of {k} or more who look alike"
    if at_most is not None:
        people = f"nobody is recognized with a probability above {share(at_most.risk)}: {people}"
    if sensitive is None:
        reason = f"{people}; there is no sensitive column to be published and promised about"
        why = "people who are alike become a group; sizes of groups alone decide"
        return Promise(numbers, Local(), (reason, why))
    if _is_measured(sensitive):
        spread = Fraction(next(iter(widths_for(sensitive)), Decimal(1)))
        criterion: Criterion = numbers & KEAnonymity(k, spread)
        reason = f"{people}, and their numbers of {sensitive.column!r} lie at least e apart"
    else:
        several = len(group_sizes(n_rows, k)) > 1  # the smallest cannot be expected to do
        l = 3 if several and n_common(sensitive) >= MOST_WANTED else 2
        criterion = numbers & LDiversity(l)
        reason = f"{people}, and have {l} or more values of {sensitive.column!r} among them"
    why = (
        "groups are made without looking at sensitive values; only which of these sizes is the "
        "smallest that keeps the promise depends on them, and the audit says what that tells"
    )
    return Promise(criterion, Checked(Mondrian(), group_sizes(n_rows, k)), (reason, why))


def group_sizes(n_rows: int, k: int = K) -> tuple[int, ...]:
    """Give sizes to try, by what is promised and the number of rows alone, which is public.

    >>> group_sizes(1000), group_sizes(20)
    ((5, 10, 20, 40, 80), (5,))
    """
    largest = max(1, n_rows // (k * FEWEST_GROUPS)).bit_length() - 1
    return tuple(k * 2**j for j in range(largest + 1))


def n_common(look: ColumnLook) -> int:
    """Count the values that many people have."""
    return sum(n >= COMMON * look.n_present for _, n in look.common)


def _largest_share(look: ColumnLook) -> float:
    return look.common[0][1] / look.n_present if look.common else 1.0


def _is_measured(look: ColumnLook) -> bool:
    return is_numeric(look) and look.n_values > CATEGORIES
