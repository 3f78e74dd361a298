"""Who gets a release, and under what conditions: the steward's own statement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from datetime import date

from sfumato.errors import BadInput, nearest, shown
from sfumato.parameters import one_of

NAMES = {
    "recipient": "recipient",
    "release_model": "release model",
    "controls": "controls",
    "review_date": "review date",
}
MODELS = ("public", "semi-public", "non-public")
PRIVATE = ("controls",)  # how access is guarded is told to those who guard it


@dataclass(frozen=True)
class Context:
    """What the steward says of who gets a release; an empty text says nothing.

    `controls` stay with the steward; the other statements are published in `release.json`.

    >>> context = Context.of({"recipient": "the university", "controls": "a locked room"})
    >>> context.public
    {'recipient': 'the university'}
    >>> context.empty
    ('release model', 'review date')
    """

    recipient: str = ""
    release_model: str = ""
    controls: str = ""
    review_date: str = ""

    @classmethod
    def of(cls, given: object, where: str = "context") -> Context:
        """Read statements by their names; dates may be dates."""
        if isinstance(given, Context):
            return given
        if given is None:
            return cls()
        if not isinstance(given, Mapping):
            raise BadInput(f"{where}: expected texts by {', '.join(NAMES)}, got {shown(given)}")
        said = {}
        for name, text in given.items():
            if name not in NAMES:
                raise BadInput(f"{where}: unknown name {shown(name)}{nearest(str(name), NAMES)}")
            said[name] = _text(name, text, where)
        return cls(**said)

    @property
    def public(self) -> dict[str, str]:
        """What is said in public, and is not empty."""
        return {name: text for name, text in self.said.items() if name not in PRIVATE}

    @property
    def said(self) -> dict[str, str]:
        """All that is not empty."""
        texts = {each.name: str(getattr(self, each.name)) for each in fields(self)}
        return {name: text for name, text in texts.items() if text}

    @property
    def called(self) -> dict[str, str]:
        """What is said in public, by the names that people have for it."""
        return {NAMES[name]: text for name, text in self.public.items()}

    @property
    def empty(self) -> tuple[str, ...]:
        """What nothing is said of, as people call it."""
        return tuple(called for name, called in NAMES.items() if name not in self.said)


def _text(name: str, given: object, where: str) -> str:
    if name == "review_date":
        return _date(given, where)
    if not isinstance(given, str) or not given.isprintable():
        raise BadInput(f"{where}: {name} must be a text of one line, got {shown(given)}")
    text = given.strip()
    if name == "release_model" and text:
        one_of(where, name, text, MODELS)
    return text


def _date(given: object, where: str) -> str:
    try:
        day = given if isinstance(given, date) else date.fromisoformat(str(given).strip())
        return day.strftime("%Y-%m-%d")
    except ValueError:
        if given == "":
            return ""
        raise BadInput(
            f"{where}: review_date must be a day such as 2027-03-01, got {shown(given)}"
        ) from None
