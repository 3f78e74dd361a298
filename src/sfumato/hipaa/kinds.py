"""The eighteen kinds of identifiers of HIPAA's safe harbour, 45 CFR 164.514(b)(2)(i), by letter."""

from __future__ import annotations

from dataclasses import dataclass

RULE = "45 CFR 164.514(b)(2)"
TAKE_OUT = "take the column out (identifiers = [...] in a job)"


@dataclass(frozen=True)
class Kind:
    """One of the eighteen, in a few words, and what to do about a column of that kind.

    >>> KINDS["G"].name
    'social security numbers'
    """

    name: str
    remedy: str = TAKE_OUT


KINDS = {
    "A": Kind("names"),
    "B": Kind(
        "places smaller than a state",
        "take the column out, or publish the state; of ZIP codes the first three digits",
    ),
    "C": Kind("elements of dates but the year, ages over 89", "publish the year alone"),
    "D": Kind("telephone numbers"),
    "E": Kind("fax numbers"),
    "F": Kind("e-mail addresses"),
    "G": Kind("social security numbers"),
    "H": Kind("medical record numbers"),
    "I": Kind("health plan beneficiary numbers"),
    "J": Kind("account numbers"),
    "K": Kind("certificate and licence numbers"),
    "L": Kind("vehicle identifiers and licence plates"),
    "M": Kind("device identifiers and serial numbers"),
    "N": Kind("web addresses (URLs)"),
    "O": Kind("network (IP) addresses"),
    "P": Kind("biometric identifiers"),
    "Q": Kind("photographs of faces, and the like"),
    "R": Kind(
        "any other unique number, characteristic or code",
        "take the column out; a code that lets you find people again must not come from anything "
        "about them (164.514(c))",
    ),
}


@dataclass(frozen=True)
class Noticed:
    """What speaks against a column, or keeps it from being checked, and what to do."""

    column: str
    letter: str | None  # of `KINDS`; None: it may be any of them
    evidence: str  # without values
    remedy: str
    values: tuple[str, ...] = ()  # private: for the steward, where a few explain it

    @property
    def kind(self) -> str:
        """Which of the eighteen, in words."""
        return "any of the 18" if self.letter is None else KINDS[self.letter].name

    def sentence(self, *, values: bool = False) -> str:
        """Say it in a line."""
        named = "" if self.letter is None else f" ({self.letter})"
        shown = f" ({', '.join(self.values)})" if values and self.values else ""
        return f"{self.column}: {self.kind}{named}: {self.evidence}{shown}. To do: {self.remedy}."

    def to_json(self, *, values: bool = False) -> dict[str, object]:
        """Plain values for a machine; values of the table only if asked for."""
        written: dict[str, object] = {
            "column": self.column,
            "letter": self.letter,
            "kind": self.kind,
            "evidence": self.evidence,
            "remedy": self.remedy,
        }
        return written | ({"values": list(self.values)} if values else {})
