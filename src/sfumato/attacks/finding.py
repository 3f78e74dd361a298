"""What an adversary learns, beside what was promised."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from sfumato.attacks.remedy import Remedy
from sfumato.criteria.bound import Bound, FailedMeasure, Value
from sfumato.data.values import MISSING_TEXT, published_text
from sfumato.html import html_table
from sfumato.text import people, percent, plain, value_text

NO_CERTAINTY = Bound("<", 1, assumed=True)
KNOWN = "the target's quasi-identifiers"  # what every adversary knows of a person
PER_CENT = ("belief", "share of rows")
ONE = {"values to rule out": "value to rule out", "records": "record"}  # of a unit


@dataclass(frozen=True, eq=False)
class Finding:
    """What one adversary learns from a release, beside what was promised.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> release = sf.anonymize(patients, sf.KAnonymity(5), sf.Samarati())
    >>> finding = sf.attacks.Homogeneity().run(release)
    >>> finding.name, finding.n_people, finding.verdict
    ('homogeneity (disease)', 2000, 'nobody is certain')
    """

    attack: str
    attribute: str | None  # the sensitive column it is about; None: identities
    knows: str  # beyond the release and how it was made, in plain words
    unit: str
    before: Value  # without the release, or without the extra knowledge
    found: Value  # about the person worst off
    promised: Bound | None  # None: nothing was promised about this
    holds: bool | None  # None: no verdict
    n_exceeding: int  # people for whom the promise is not kept
    n_people: int  # people in the release
    note: str | None = None
    knows_method: bool = False  # see `Attack.knows_method`
    knows_earlier: bool = False  # whether it was found from all earlier releases, too
    interval: tuple[float, float] | None = None  # of a sampled or bounded answer
    is_bound: bool = False  # found is not reached, as far as is known: nobody is believed more
    failed: FailedMeasure | None = None  # what does not hold, where that is not the number found
    remedy: Remedy | None = None  # of what fails or has no verdict
    # Whom it strikes worst: published values, the sensitive value, numbers. For the steward alone.
    worst: Mapping[str, Any] | None = field(default=None, repr=False)

    @property
    def verdict(self) -> str:
        """What a person reads."""
        if self.holds is None:
            return "nothing promised" if self.promised is None else "no verdict"
        exposed = people(self.n_exceeding)
        if self.promised is not None and self.promised.assumed:
            if not self.holds:
                return f"CERTAIN for {exposed}"
            return "certain before, too" if self.found == 1 == self.before else "nobody is certain"
        return "holds" if self.holds else f"FAILS for {exposed}"

    @property
    def needs_remedy(self) -> bool:
        """Whether it fails, or has no verdict on what was promised."""
        return self.holds is False or (self.holds is None and self.promised is not None)

    @property
    def name(self) -> str:
        """The attack, and the column it is about."""
        return self.attack if self.attribute is None else f"{self.attack} ({self.attribute})"

    def to_json(self, *, private: bool = False) -> dict[str, Any]:
        """Plain values for a machine; with `private`, who is worst off."""
        written: dict[str, Any] = {
            "attack": self.attack,
            "attribute": self.attribute,
            "knows": self.knows,
            "knows_method": self.knows_method,
            "knows_earlier": self.knows_earlier,
            "unit": self.unit,
            "before": plain(self.before),
            "promised": None if self.promised is None else plain(vars(self.promised)),
            "found": plain(self.found),
            "people_exceeding": self.n_exceeding,
            "people": self.n_people,
            "holds": self.holds,
            "verdict": self.verdict,
            "interval": None if self.interval is None else list(self.interval),
            "is_bound": self.is_bound,
            "note": self.note,
            "failed": None if self.failed is None else vars(self.failed),
            "remedy": None if self.remedy is None else self.remedy.to_json(),
        }
        if private and self.worst is not None:
            written["worst"] = {name: plain(value) for name, value in self.worst.items()}
        return written

    def text(self, value: Value) -> str:
        """Write a number in the finding's unit: beliefs in per cent."""
        if self.unit in PER_CENT and isinstance(value, (int, float, Fraction)):
            return percent(value)
        unit = ONE.get(self.unit, self.unit) if value == 1 else self.unit
        return f"{value_text(value)} {unit}".rstrip()

    @property
    def found_text(self) -> str:
        """What was found, in the same unit; of a sample also the interval."""
        if self.interval is None or self.failed is not None:
            return self.briefly
        return f"{self.text(self.found)} ({self.briefly})"

    @property
    def briefly(self) -> str:
        """What was found, in the same unit, the interval it is in, or the measure that failed."""
        if self.failed is not None:
            return self.failed.found
        if self.interval is None:
            return self._at_most(self.found) if self.is_bound else self.text(self.found)
        low, high = self.interval
        upper = self._at_most(high) if self.is_less(high) else self.text(high)
        return f"{self.text(low)} to {upper}"

    def is_less(self, bound: Value) -> bool:
        """Whether less than a bound was shown: the promise holds, which the bound would break."""
        if self.holds is not True or self.promised is None:
            return False
        if not isinstance(bound, (int, Fraction, float)):
            return False
        exact = Fraction(repr(bound)) if isinstance(bound, float) else Fraction(bound)
        return not self.promised.allows(exact)

    def _at_most(self, bound: Value) -> str:
        """Say that nothing beyond was found."""
        if self.promised is not None and self.is_less(bound):
            return f"{self.promised.relation} {self.text(self.promised.value)}"
        return f"<= {self.text(bound)}"

    @property
    def promise(self) -> str:
        """What was promised, in the same unit; in brackets what is only assumed."""
        if self.failed is not None:
            return f"{self.failed.criterion}: {self.failed.promised}"
        if self.promised is None:
            return "-"
        text = f"{self.promised.relation} {self.text(self.promised.value)}"
        return f"({text})" if self.promised.assumed else text

    def __str__(self) -> str:
        promised = f"promised {self.promise}, " if self.promised or self.failed else ""
        outcome = f"found {self.found_text} (before {self.text(self.before)})"
        note = "" if self.note is None else f"; {self.note}"
        advice = "" if self.remedy is None else f"; {self.remedy.advice}"
        return f"{self.name}: {promised}{outcome}: {self.verdict}{note}{advice}"

    def _repr_html_(self) -> str:
        rows = [
            ("knows", self.knows),
            ("before", self.text(self.before)),
            ("promised", self.promise),
            ("found", self.found_text),
            ("verdict", self.verdict if self.note is None else f"{self.verdict}; {self.note}"),
        ]
        rows += [] if self.remedy is None else [("what to do", self.remedy.advice)]
        return html_table(("", self.name), rows)


def text_of(label: object) -> str:
    """Write a value for a person."""
    text = published_text(label)
    return MISSING_TEXT if text is None else text
