"""What to do where an attack succeeds, or where it has no verdict."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from sfumato.algorithms import Algorithm
from sfumato.criteria.criterion import Criterion, together
from sfumato.data.condensed import MORE_MEMORY
from sfumato.text import listed, plural

GIVE = {
    "original": "give the original (original=, --original)",
    "earlier": "give the earlier releases (earlier=, --earlier)",
    "external": "read the list of people with the release's hierarchies (external=, --external)",
    "alike": 'say which spellings are one value (alike="merge" or "keep"), and publish anew',
    "memory": MORE_MEMORY,
    "process": "attack it in the process that makes it, or the series (sfumato series audit)",
}
NOTHING = "nothing that is known here: promise less, or publish less"
OTHER_METHOD = "publish by a method that does not look at who has which value"
Tried = Literal["safe", "failed", "undecided"]


@dataclass(frozen=True)
class Remedy:
    """Steps against an attack that succeeds or has no verdict, in words and for a machine.

    All steps that are set belong together. Without any, nothing is known that would help.
    `other_method` and `telling` leave open which method, or what becomes of the columns: a report
    that tries remedies says it.

    >>> import sfumato as sf
    >>> remedy = Remedy(sf.LDiversity(2), telling=("county",))
    >>> print(remedy)
    keep to LDiversity(l=2); make county a quasi-identifier, or drop it
    >>> remedy.advice
    'try: keep to LDiversity(l=2); make county a quasi-identifier, or drop it'
    """

    criterion: Criterion | None = None  # keep to this, too
    method: Algorithm | None = None  # publish by this
    other_method: bool = False  # publish by a method to which values make no difference
    telling: tuple[str, ...] = ()  # make these columns quasi-identifiers, or drop them
    quasi_identifiers: tuple[str, ...] = ()  # make these columns so
    drop: tuple[str, ...] = ()  # drop these columns
    give: tuple[str, ...] = ()  # what the audit lacks: of `GIVE`
    # What an audit said after all steps that a report needs were taken together; None: not tried.
    tried: Tried | None = None

    @property
    def changes(self) -> bool:
        """Whether something else would be published, which can be tried with the original."""
        columns = (*self.telling, *self.quasi_identifiers, *self.drop)
        return bool(self.criterion or self.method or columns) or self.other_method

    def __or__(self, other: Remedy) -> Remedy:
        """Take the steps of both."""
        parts = [part for each in (self, other) for part in _parts(each.criterion)]
        once = [part for j, part in enumerate(parts) if part not in parts[:j]]
        return Remedy(
            together(once) if once else None,
            self.method or other.method,
            self.other_method or other.other_method,
            _union(self.telling, other.telling),
            _union(self.quasi_identifiers, other.quasi_identifiers),
            _union(self.drop, other.drop),
            _union(self.give, other.give),
        )

    @property
    def steps(self) -> tuple[str, ...]:
        """Every step in words."""
        said = [] if self.criterion is None else [f"keep to {self.criterion}"]
        if self.telling:
            one = len(self.telling) == 1
            said.append(f"{_made(self.telling)}, or drop {'it' if one else 'them'}")
        if self.quasi_identifiers:
            said.append(_made(self.quasi_identifiers))
        if self.drop:
            said.append(f"drop {listed(self.drop)}")
        if self.method is not None:
            said.append(f"publish by {self.method}")
        elif self.other_method:
            said.append(OTHER_METHOD)
        return (*said, *(GIVE[each] for each in self.give))

    def __str__(self) -> str:
        return "; ".join(self.steps) or NOTHING

    @property
    def advice(self) -> str:
        """Say what to do, and whether it was shown to be enough."""
        if not self.steps:
            return f"what helps: {NOTHING}"
        said = {"safe": "to do (tried)", None: "try"}.get(self.tried, "tried, not enough")
        return f"{said}: {self}"

    def to_json(self) -> dict[str, Any]:
        """Plain values for a machine."""
        return {
            "words": str(self),
            "advice": self.advice,
            "tried": self.tried,
            "criteria": None if self.criterion is None else self.criterion.spec(),
            "method": None if self.method is None else self.method.spec(),
            "other_method": self.other_method,
            "telling": list(self.telling),
            "quasi_identifiers": list(self.quasi_identifiers),
            "drop": list(self.drop),
            "give": list(self.give),
        }


def _parts(criterion: Criterion | None) -> tuple[Criterion, ...]:
    return () if criterion is None else criterion.parts


def _made(columns: tuple[str, ...]) -> str:
    role = plural(len(columns), "a quasi-identifier", "quasi-identifiers")
    return f"make {listed(columns)} {role}"


def _union(*names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for each in names for name in each))
