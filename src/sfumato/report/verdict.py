"""What an audit has shown: safe, failed, or neither.

Safe is only what was shown. An attack that applies and was not run leaves it open, and so does a
promise about values that no attack has decided which knows the method: somebody who knows how a
release was made may be certain where its groups look safe (Wong 2009).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from sfumato.attacks import Attack, CannotRun, DoesNotApply, Finding, Remedy, Target
from sfumato.data.condensed import MORE_MEMORY
from sfumato.text import listed, told_apart

Verdict = Literal["safe", "failed", "undecided"]
FROM_THE_WORST: tuple[Verdict, ...] = ("failed", "undecided", "safe")
NOTHING_PROMISED = "nothing was promised"
SPELLINGS = "what was promised may rest on values that only look different"


@dataclass(frozen=True)
class NotRun:
    """An attack that found nothing because it was not run, and why."""

    name: str
    reason: str
    attribute: str | None = None  # the sensitive column it would have been about
    applies: bool = True  # False: there is nothing here for it to attack
    remedy: Remedy | None = field(default=None, compare=False)  # of one that applies
    hint: str | None = None  # what whoever runs it can give
    with_original: bool = False  # whether the original, read another way, would let it run

    @classmethod
    def of(cls, attack: Attack, error: CannotRun, target: Target) -> NotRun:
        """Take down why an attack was not run, and what would help."""
        attribute = getattr(attack, "attribute", None)
        name = attack.called if attribute is None else f"{attack.called} ({attribute})"
        applies = not isinstance(error, DoesNotApply)
        remedy = None
        if applies:
            counts_on_one_value = target.set_valued is not None and not attack.sets
            remedy = Remedy() if counts_on_one_value else attack.remedy(target, None)
            if error.remedy == MORE_MEMORY:
                remedy = Remedy(give=("memory",))
        lacks = "original" in f"{error.reason} {error.remedy}"
        return cls(name, error.reason, attribute, applies, remedy, error.remedy, lacks)

    @property
    def said(self) -> str:
        """Why, and what can be given."""
        return self.reason if self.hint is None else f"{self.reason}; {self.hint}"

    def to_json(self) -> dict[str, Any]:
        """Plain values for a machine."""
        return {
            "attack": self.name,
            "reason": self.reason,
            "hint": self.hint,
            "applies": self.applies,
        }


def worst(*verdicts: Verdict) -> Verdict:
    """Give the worst of several verdicts: what failed failed, whatever else was shown.

    >>> worst("safe", "undecided"), worst("undecided", "failed"), worst("safe")
    ('undecided', 'failed', 'safe')
    """
    return min(verdicts, key=FROM_THE_WORST.index)


def left_open(
    target: Target, findings: Sequence[Finding], not_run: Iterable[NotRun]
) -> Iterator[str]:
    """Say what keeps an audit in which nothing failed from having shown anything safe."""
    if target.criterion is None:
        yield NOTHING_PROMISED
        return
    spelled = target.left_open_by_spellings
    if spelled:
        yield f"{SPELLINGS}: {listed(tuple(spelled))}"
    decided = decided_columns(target, findings)
    undecided = [each for each in columns_promised(target) if each not in decided]
    if undecided:
        together = "the method and the earlier releases together"
        known = together if target.previous else "the method"
        yield f"no attack that knows {known} has decided about {listed(tuple(undecided))}"
    unjudged = [
        each.name
        for each in findings
        if each.holds is None and each.promised is not None and not each.promised.assumed
        if _is_open(each.attribute, decided)
    ]
    if unjudged:
        yield f"without a verdict: {told_apart(unjudged)}"
    missing = [each.name for each in not_run if each.applies and _is_open(each.attribute, decided)]
    if missing:
        yield f"could not be run: {told_apart(missing)}"


def in_need(
    target: Target, findings: Sequence[Finding], not_run: Iterable[NotRun]
) -> list[Finding | NotRun]:
    """Give what failed, and what was left open and nobody decided who knows the method."""
    decided = decided_columns(target, findings)
    found = [
        each
        for each in findings
        if each.holds is False or (each.needs_remedy and _is_open(each.attribute, decided))
    ]
    missing = [each for each in not_run if each.applies and _is_open(each.attribute, decided)]
    return [*found, *missing] if target.criterion is not None else [*found]


def decided_columns(target: Target, findings: Iterable[Finding]) -> set[str | None]:
    """Give the columns that an attack has decided about which knows the method."""
    alone = not target.previous
    return {
        each.attribute
        for each in findings
        if each.knows_method and each.holds is not None and (alone or each.knows_earlier)
    }


def without_spellings(target: Target, findings: Iterable[Finding]) -> list[Finding]:
    """Take the verdict from findings that hold only as long as spellings are different values.

    Whoever found them: the publisher saw the same spellings.
    """
    spelled = target.left_open_by_spellings
    return [
        replace(each, holds=None, note=SPELLINGS, remedy=Remedy(give=("alike",)))
        if each.holds and each.attribute in spelled
        else each
        for each in findings
    ]


def columns_promised(target: Target) -> list[str]:
    """Give the sensitive columns that a part of the promise says something of the values of."""
    named = {part.attribute for part in target.promises_of_values}
    return [name for name in target.sensitive if name in named or None in named]


def _is_open(attribute: str | None, decided: set[str | None]) -> bool:
    """Whether what was left open by one attack was decided by none that knows the method."""
    return attribute is None or attribute not in decided
