"""A criterion, a method, an attack and a hierarchy that sfumato does not have."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

import sfumato as sf
from sfumato.criteria.judging import holding
from sfumato.data.hierarchy import open_domain
from sfumato.data.recoding import Cut


@dataclass(frozen=True)
class Minority(sf.Criterion):
    """Fewer than one person in `n` has the most frequent value of a group."""

    n: int
    attribute: str | None = None

    def holds(self, groups):
        """Compare the largest count with the size."""
        return groups.histogram.largest() * self.n < groups.sizes

    def measure(self, groups):
        """The largest share."""
        shares = zip(groups.histogram.largest().tolist(), groups.sizes.tolist(), strict=True)
        return max((Fraction(*share) for share in shares), default=None)

    def promised(self):
        """A share that is not reached."""
        return Fraction(1, self.n)


@dataclass(frozen=True)
class SameLevel(sf.Algorithm):
    """All columns rise together, level by level, until the criterion holds."""

    def search(self, frequencies, criterion, draw):
        """Try the lowest level first."""
        del draw
        domains = {name: frequencies.domains[name] for name in frequencies.quasi_identifiers}
        for level in range(max(domain.taxonomy.height for domain in domains.values()) + 1):
            levels = {name: min(level, each.taxonomy.height) for name, each in domains.items()}
            recoding = Cut.at_levels(domains, levels)
            if holding(criterion, recoding.grouping(frequencies).joint).all():
                return recoding
        raise sf.Unsatisfiable(f"no level satisfies {criterion}")


@dataclass(frozen=True, eq=False)
class FirstGuess(sf.attacks.Attack):
    """The adversary guesses the most frequent value of a group, once."""

    name: ClassVar[str] = "first guess"
    attribute: str

    @classmethod
    def against(cls, target):
        """Every sensitive column."""
        for attribute in target.sensitive:
            yield cls(attribute)

    def find(self, target):
        """Count how often he is right."""
        view = target.view(self.attribute, others=False)
        right = int(view.groups.histogram.largest().sum())
        blind = int(np.max(view.reference))
        return sf.attacks.Finding(
            attack=self.name,
            attribute=self.attribute,
            knows="the target's quasi-identifiers",
            unit="belief",
            before=Fraction(blind, int(view.reference.sum())),
            found=Fraction(right, target.n_people),
            promised=None,
            holds=None,
            n_exceeding=0,
            n_people=target.n_people,
        )


@dataclass(frozen=True)
class FirstLetters(sf.Hierarchy):
    """Words by their first letters: with n = 1 Paris, P, *."""

    n: int = 1

    def grow(self, column, values):
        """Sort the words as text."""
        return open_domain(column, values, str, lambda value: [str(value)[: self.n]])
