"""What was promised of values, held against bounds on beliefs and against possible values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction

from sfumato.attacks.known_method.by_class import ClassBelief, Protected, keeps
from sfumato.attacks.known_method.membership import Membership
from sfumato.criteria import Criterion
from sfumato.data.groups import Groups
from sfumato.data.keys import Codes


@dataclass(frozen=True, eq=False)
class Promise:
    """The parts of a promise, each of which can be shown to be kept, or not at all.

    Parts that bound shares are shown by upper bounds on beliefs; those that ask which values are
    possible, and that more of them never break, by values that are.
    """

    bounded: tuple[Criterion, ...]
    possible: tuple[Criterion, ...]
    groups: Groups
    code_of: Codes  # the promise's values of those that are dealt

    @classmethod
    def of(
        cls, promised: Sequence[Criterion], members: Membership, attribute: str
    ) -> Promise | None:
        """Sort the parts; None: one cannot be shown by bounds, or there is none."""
        stated = [part.without_sizes() for part in promised if part.guarding is None]
        parts = [part for part in stated if part is not None]
        bounded = tuple(part for part in parts if part.bounds_shares)
        possible = tuple(
            part for part in parts if not part.looks_at_shares and part.monotone(suppression=True)
        )
        if not promised or len(bounded) + len(possible) < len(promised):
            return None
        column = members.frequencies.sensitive.index(attribute)
        codes = members.frequencies.persons_values.codes[:, column]
        return cls(bounded, possible, members.joint().by(attribute), codes)

    def kept_below(self, values: Codes, uppers: Iterable[Fraction]) -> bool:
        """Whether every part about shares is kept if no belief is larger than these."""
        shares: dict[int, Fraction] = {}
        for code, upper in zip(self.code_of[values].tolist(), uppers, strict=True):
            shares[code] = shares.get(code, Fraction(0)) + upper
        one = ClassBelief(-1, -1, 1, shares)
        return all(
            one.within(part.belief_allowed(), Protected.by(part, self.groups))
            for part in self.bounded
        )

    def kept_with(self, values: Codes) -> bool:
        """Whether every part about possible values is kept if these are possible."""
        codes = set(self.code_of[values].tolist())
        one = ClassBelief(-1, -1, 1, dict.fromkeys(codes, Fraction(1, max(1, len(codes)))))
        return all(bool(keeps(part, [one], self.groups)[0].all()) for part in self.possible)
