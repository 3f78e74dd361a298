"""A release in a few lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sfumato.data.groups import Counts
from sfumato.formulas.measures.loss import (
    attribute_weights,
    average_group_size,
    discernibility,
    information_loss,
    losses,
)
from sfumato.html import html_table
from sfumato.release.columns.look_alikes import LookAlikes
from sfumato.release.columns.untouched import Untouched, given_away, given_away_text
from sfumato.release.description import (
    AS_THEY_ARE,
    ATTACKED,
    MAY_BE_CHANGED,
    Description,
    lines_of_files,
)
from sfumato.table import Table
from sfumato.text import aligned, count, counted, percent, percent_lost, to_a_tenth, told_apart
from sfumato.text import people as people_text

PLAIN = frozenset(  # lines of a summary that need not be noticed
    {
        *("promise", "method", "rows", "groups", "levels", "information loss", "discernibility"),
        "cost",
        *("generalized to text", "columns dropped", "published as", "lost", "left out"),
        "at the root",
    }
)


@dataclass(frozen=True, eq=False)
class Summary:
    """What was published, what was left out, what was lost. For the steward."""

    lines: tuple[tuple[str, str], ...]
    numbers: dict[str, Any]

    @property
    def lost(self) -> tuple[str, ...]:
        """The columns of which nothing is left."""
        return tuple(name for name, loss in self.numbers.get("loss", {}).items() if loss == 1)

    @property
    def sentences(self) -> tuple[str, str]:
        """What was published and what that cost, in two sentences."""
        numbers = self.numbers
        rows = f"{counted(numbers['rows'], 'row is', 'rows are')} published"
        sizes = f"{count(numbers['smallest_group'])} to {people_text(numbers['largest_group'])}"
        said = f"{rows} in {counted(numbers['groups'], 'group')} of {sizes}"
        said += f", {count(numbers['suppressed'] + numbers['left_out'])} left out"
        said += " of the series so far" if numbers["left_out"] else ""
        if "at_root" in numbers:
            said += f", of {count(numbers['at_root'])} no quasi-identifier is told"
        if "information_loss" in numbers:
            lost = numbers["loss"]
            worst = max(lost, key=lost.get)
            most = f", most of {worst} ({percent_lost(lost[worst])})" if lost[worst] else ""
            share = percent_lost(numbers["information_loss"])
            said += f"; {share} of the detail in the quasi-identifiers is lost{most}"
        if "group_column" in numbers:
            said += f". Two tables: {AS_THEY_ARE}"
        if "changed" in numbers:
            changed = counted(numbers["changed"], "value")
            said += f"; {changed} of {numbers['masked']} changed, a number not for publication"
        n_dropped = sum(map(len, numbers.get("dropped", {}).values()))
        noticed = dict.fromkeys(name for name, _ in self.lines if name not in PLAIN)
        between = "; " if any("," in name for name in noticed) else ", "
        more = f"; to be noticed: {between.join(noticed)}" if noticed else ""
        if "best_so_far" in numbers:
            said += f". Cost: {dict(self.lines)['cost']}"
        return f"{said}.", f"{counted(n_dropped, 'column')} dropped{more} (--details)."

    @classmethod
    def of(
        cls,
        description: Description,
        sizes: Counts,
        untouched: Untouched,
        look_alikes: LookAlikes,
        further_files: Sequence[str] = (),
        original: Table | None = None,
        published: tuple[NDArray[np.int32], Counts] | None = None,
        n_changed: int = 0,
    ) -> Summary:
        """Summarize; what needs the original, and the boxes in it, is left out without it."""
        n_suppressed = description.n_suppressed
        n_rows = description.n_rows + n_suppressed
        numbers: dict[str, Any] = {
            "promise": description.criterion.spec(),
            "method": description.method.spec(),
            "rows": description.n_rows,
            "suppressed": n_suppressed,
            "left_out": description.n_left_out,
            **({"at_root": description.n_at_root} if description.n_at_root else {}),
            "groups": len(sizes),
            "smallest_group": int(sizes.min()),
            "average_group_size": average_group_size(sizes),
            "largest_group": int(sizes.max()),
            "discernibility": discernibility(sizes, n_suppressed),
        }
        share = percent(Fraction(n_suppressed, n_rows))
        lines = [
            ("promise", str(description.criterion)),
            ("method", str(description.method)),
            (
                "rows",
                f"{count(description.n_rows)} published, {count(n_suppressed)} suppressed "
                f"({share})",
            ),
            *_at_root(description),
            *_left_out(description),
            (
                "groups",
                f"{count(len(sizes))} of {count(numbers['smallest_group'])} to "
                f"{people_text(numbers['largest_group'])}, "
                f"{to_a_tenth(numbers['average_group_size'])} on average",
            ),
        ]
        if description.method.experiment:
            numbers["experiment"] = True
            lines.append(("experiment", "made with a seed; not for publication"))
        if description.levels is not None:
            numbers["levels"] = dict(description.levels)
            lines.append(("levels", _levels(description.levels, original)))
        if description.best_so_far is not None:
            numbers["best_so_far"] = description.best_so_far.to_json()
            lines.append(("cost", description.best_so_far.in_words))
        if description.group is not None:
            numbers["group_column"] = description.group
            lines.append(("published as", f"two tables that share the column {description.group}"))
            lines.append(("lost", "whose a sensitive value is, within a group"))
        if description.masked is not None:
            numbers["masked"] = description.masked
            lines.append((f"values of {description.masked}", MAY_BE_CHANGED))
            if original is not None:
                numbers["changed"] = n_changed
                share = percent(Fraction(n_changed, description.n_rows))
                said = f"{count(n_changed)} of {count(description.n_rows)} ({share})"
                lines.append(("values changed", f"{said}; the number is not for publication"))
        if description.set_valued is not None:
            numbers["set_valued"] = description.set_valued
            lines.append(("any number of values", description.set_valued))
        n_alone = int((sizes == 1).sum())
        if n_alone:
            numbers["alone"] = n_alone
            lines.append(("people alone in their group", count(n_alone)))
        if original is not None and published is not None and description.group is None:
            boxes, people = published
            names = description.quasi_identifiers
            loss = losses(original.domains, names, boxes)
            weights = attribute_weights(names, None)
            n_gone = n_suppressed + description.n_left_out  # of whom everything is lost
            numbers["information_loss"] = information_loss(loss, people, weights, n_gone)
            per_column = (people @ loss + n_gone) / (n_rows + description.n_left_out)
            numbers["loss"] = {n: float(v) for n, v in zip(names, per_column, strict=True)}
            each = ", ".join(
                f"{name} {percent_lost(value)}" for name, value in numbers["loss"].items()
            )
            lines.append(
                ("information loss", f"{percent_lost(numbers['information_loss'])} ({each})")
            )
        lines.append(("discernibility", count(numbers["discernibility"])))
        if description.recoded:
            texts = [c for c in description.recoded if c in description.in_file(c)]
            lines += [("generalized to text", told_apart(texts))] if texts else []
        lines += [("numbers", each.in_words(c)) for c, each in description.numbers.items()]
        if description.numbers:
            numbers["numbers"] = {c: [*n.names] for c, n in description.numbers.items()}
        if original is None and description.attacked is not None:  # it is published
            numbers["attacked"] = description.attacked
            lines.append(("attacked", ATTACKED[description.attacked]))
        numbers["untouched"] = untouched.to_json()
        lines += untouched.lines
        if description.untouched_identify:
            numbers["untouched_identify"] = True
            lines.append(("untouched columns identify people", "yes, as was allowed"))
        if original is not None:
            two_tables = description.group is not None
            determined = {} if two_tables else given_away(original, untouched)
            if determined:
                numbers["untouched"]["determined"] = {n: [*q] for n, q in determined.items()}
                lines.append(("given away by untouched columns", given_away_text(determined)))
            lines += _about_the_original(original, description, numbers)
        numbers["look_alikes"] = look_alikes.to_json()
        lines += look_alikes.lines
        numbers["further_files"] = list(further_files)
        lines += lines_of_files(further_files)
        return cls(tuple(lines), numbers)

    def dropping(self, dropped: Mapping[str, Sequence[str]]) -> Summary:
        """Say of other columns that they were dropped, by the reason: those of what came."""
        numbers = self.numbers | {"dropped": {why: list(n) for why, n in dropped.items() if n}}
        lines = [
            (name, _dropped(dropped) if name == "columns dropped" else said)
            for name, said in self.lines
        ]
        return Summary(tuple(lines), numbers)

    def to_json(self) -> dict[str, Any]:
        """Plain values for a machine."""
        return dict(self.numbers)

    def __str__(self) -> str:
        return aligned(self.lines)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return html_table(("", "release"), self.lines)


def _about_the_original(
    original: Table, description: Description, numbers: dict[str, Any]
) -> list[tuple[str, str]]:
    """Say what a steward would otherwise not notice: missing values, bare columns, dropped ones."""
    reading = original.read_counts
    numbers["read"] = reading.to_json()
    lines = reading.lines
    missing = {}
    for name, domain in original.domains.items():
        if domain.members is None and domain.has_missing:
            missing[name] = int(original.people_having(name)[-1])
    if missing:
        numbers["missing"] = missing
        text = ", ".join(f"{name} {n}" for name, n in missing.items())
        lines.append(("missing, counted as a value", text))
    if original.set_valued is not None:
        numbers["values"] = _occurrences(original, original.set_valued)
        in_all, most, without = numbers["values"].values()
        text = f"{in_all} in all, at most {most} for one person, people without any: {without}"
        lines.append((f"values of {original.set_valued}", text))
    about = [part for part in description.criterion.parts if part.looks_at_values]
    all_of_them = any(part.attribute is None for part in about)
    named = {part.attribute for part in about}
    bare = [n for n in original.schema.sensitive if not all_of_them and n not in named]
    numbers["sensitive_without_criterion"] = bare
    if bare:
        lines.append(("sensitive, no criterion", told_apart(bare)))
    guarding = [part.guarding for part in about if part.guarding is not None]
    dropped = {
        "identifiers": original.schema.identifiers,
        "person": (original.schema.person,) if original.schema.person else (),
        "guarding": tuple(dict.fromkeys(guarding)),
        "insensitive, not kept by the method": original.schema.not_kept,
        "no role": tuple(n for n in original.schema.without_role if n not in guarding),
    }
    numbers["dropped"] = {why: list(names) for why, names in dropped.items() if names}
    lines.append(("columns dropped", _dropped(dropped)))
    return lines


def _dropped(dropped: Mapping[str, Sequence[str]]) -> str:
    texts = [f"{why}: {told_apart(names)}" for why, names in dropped.items() if names]
    return "; ".join(texts) or "none"


def _at_root(description: Description) -> list[tuple[str, str]]:
    """Say how many people are published without any quasi-identifier."""
    n = description.n_at_root
    if not n:
        return []
    share = percent(Fraction(n, description.n_rows + description.n_suppressed))
    return [("at the root", f"{counted(n, 'row')} of outliers, as one group ({share})")]


def _left_out(description: Description) -> list[tuple[str, str]]:
    """Say how many people of a series are not in it."""
    n = description.n_left_out
    if not n:
        return []
    share = percent(Fraction(n, description.n_rows + n))
    return [("left out", f"{counted(n, 'row')} with rare values, so far ({share})")]


def _occurrences(original: Table, name: str) -> dict[str, int]:
    """Count how often a value of a set-valued column occurs, and the people without any."""
    counted, members = original.frequencies(), original.domains[name].members
    assert members is not None  # noqa: S101  (for the type checker)
    codes = counted.codes(name)
    position, _, each = members.of(codes)
    n_values = np.bincount(position, weights=each, minlength=len(codes)).astype(np.int64)
    return {
        "in_all": int((n_values * counted.counts).sum()),
        "most": int(n_values.max()),
        "people_without": int(counted.counts[n_values == 0].sum()),
    }


def _levels(levels: Mapping[str, int], original: Table | None) -> str:
    """Write levels; with the original at hand, out of how many."""
    if original is None:
        return ", ".join(f"{name} {level}" for name, level in levels.items())
    heights = {name: original.domains[name].taxonomy.height for name in levels}
    return ", ".join(f"{name} {level} of {heights[name]}" for name, level in levels.items())
