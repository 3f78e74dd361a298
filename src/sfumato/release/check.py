"""Does a table keep a promise as it stands? For raw tables, releases, and other tools' output."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from sfumato.criteria import Criterion, KAnonymity, LDiversity, Measurement, TCloseness
from sfumato.criteria.criterion import together
from sfumato.criteria.judging import guarding_column, measure, validate, without_threshold
from sfumato.data.frequency import Grouping
from sfumato.data.groups import GroupSizes
from sfumato.data.read_counts import ReadCounts
from sfumato.errors import BadInput
from sfumato.html import html_table
from sfumato.release.columns.look_alikes import LookAlikes, as_merged
from sfumato.release.columns.untouched import Untouched, untouched_in
from sfumato.release.description import ATTACKED, OwnAudit, lines_of_files
from sfumato.release.people_by_risk import AS_IT_IS, PeopleByRisk
from sfumato.table import Table
from sfumato.text import people, plain, rows_in_groups, value_text

UNSEEN = "no verdict: what people guard is not published"
TOGETHER = "no verdict: that is as if values were published apart, and a person's stand together"


@dataclass(frozen=True, eq=False)
class Check:
    """Every part of a criterion measured on one table.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> release = sf.anonymize(patients, sf.KAnonymity(5), sf.Samarati())
    >>> check = release.check(sf.KAnonymity(30))
    >>> bool(check), [measured.found for measured in check.measured]
    (False, [17])
    """

    measured: tuple[Measurement, ...]
    n_rows: int
    n_groups: int
    n_alone: int  # people whose quasi-identifiers nobody shares
    asked: bool = True  # False: nothing was promised, the numbers only say what there is
    experiment: bool = False  # made with a seed
    untouched: Untouched | None = None  # columns published as they are; None: not looked at
    look_alikes: LookAlikes | None = None  # values that only look different; None: not looked at
    further_files: tuple[str, ...] = ()  # beside those of a loaded release
    reading: ReadCounts = field(default_factory=ReadCounts)  # what settings did when it was read
    attacked: OwnAudit | None = None  # what a published release says of that; None: not told
    risk: PeopleByRisk | None = None  # people by the size of their group; None: not counted

    @property
    def holds(self) -> bool:
        """Whether every part holds; a part without a verdict was not shown to."""
        return all(each.holds and each.note is None for each in self.measured)

    @property
    def failed(self) -> bool:
        """Whether a part does not hold; where there is no verdict it is not known."""
        return any(not each.holds and each.note is None for each in self.measured)

    def beside(
        self,
        untouched: Untouched,
        look_alikes: LookAlikes | None,
        further_files: tuple[str, ...] = (),
        attacked: OwnAudit | None = None,
    ) -> Check:
        """The same with what is to be noticed, and no verdict on what may rest on spellings."""
        measured = self.measured
        if look_alikes is not None:
            measured = tuple(map(look_alikes.judged, measured))
        return replace(
            self,
            measured=measured,
            untouched=untouched,
            look_alikes=look_alikes,
            further_files=further_files,
            attacked=attacked,
        )

    @property
    def heading(self) -> str:
        """Rows, groups, and how many people stand alone."""
        alone = f", {people(self.n_alone)} alone in theirs" if self.n_alone else ""
        seeded = "; an experiment made with a seed, not for publication" if self.experiment else ""
        return f"{rows_in_groups(self.n_rows, self.n_groups)}{alone}{seeded}"

    def __bool__(self) -> bool:
        return self.holds

    def to_json(self) -> dict[str, Any]:
        """Plain values for a machine."""
        judged = self.failed or (self.asked and self.holds)
        return {
            "holds": self.holds if judged else None,
            "rows": self.n_rows,
            "groups": self.n_groups,
            "alone": self.n_alone,
            "criteria": [
                {
                    "criterion": each.criterion.spec()[0],
                    "promised": plain(each.promised) if self.asked else None,
                    "found": plain(each.found),
                    "holds": each.holds if self.asked and each.note is None else None,
                    "rows_failing": each.n_people_failing,
                    "note": each.note,
                }
                for each in self.measured
            ],
            "untouched": None if self.untouched is None else self.untouched.to_json(),
            "look_alikes": None if self.look_alikes is None else self.look_alikes.to_json(),
            "further_files": list(self.further_files),
            "attacked": self.attacked,
            "read": self.reading.to_json(),
            "risk": None if self.risk is None else self.risk.to_json(),
        } | ({"experiment": True} if self.experiment else {})

    def __repr__(self) -> str:
        lines = [self.heading]
        for each in self.measured:
            outcome = f"found {value_text(each.found)}"
            if self.asked:
                outcome = f"{outcome}, {each.verdict}"
            lines.append(
                f"{each.criterion if self.asked else without_threshold(each.criterion)}: {outcome}"
            )
        lines += [f"{name}: {said}" for name, said in self.named]
        return "\n".join(lines)

    @property
    def named(self) -> list[tuple[str, str]]:
        """What is published untouched, what only looks different, what lies beside; in words."""
        untouched = [] if self.untouched is None else self.untouched.lines
        alike = [] if self.look_alikes is None else self.look_alikes.lines
        attacked = [] if self.attacked is None else [("attacked", ATTACKED[self.attacked])]
        beside = lines_of_files(self.further_files)
        return self.reading.lines + untouched + alike + attacked + beside

    @property
    def header(self) -> tuple[str, ...]:
        """What the columns of `rows` are; without a promise there are two."""
        return (
            ("criterion", "promised", "found", "verdict") if self.asked else ("criterion", "found")
        )

    @property
    def rows(self) -> list[tuple[str, ...]]:
        """The table that a person reads."""
        if not self.asked:
            return [(without_threshold(m.criterion), value_text(m.found)) for m in self.measured]
        return [
            (str(each.criterion), value_text(each.promised), value_text(each.found), each.verdict)
            for each in self.measured
        ]

    def _repr_html_(self) -> str:
        named = html_table(("", "to be noticed"), self.named) if self.named else ""
        return html_table(self.header, self.rows, self.heading) + named


def check(table: Table, criterion: Criterion | None = None) -> Check:
    """Measure a criterion on a table as it is, without changing anything.

    Without a criterion, k-anonymity, l-diversity of every kind and t-closeness are measured, so
    that the numbers say what the table would satisfy.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> sf.check(patients, sf.KAnonymity(5))
    2,000 rows in 209 groups, 14 people alone in theirs
    KAnonymity(k=5): found 1, FAILS for 88 rows
    """
    if not isinstance(table, Table):
        raise BadInput(f"check: expected a table from sf.read, got {type(table).__name__}")
    frequencies = table.frequencies(guarding_column(criterion))
    asked = criterion is not None
    if criterion is None:
        one_each = () if table.set_valued else frequencies.sensitive
        criterion = together(list(_family(one_each)))
    criterion = as_merged(criterion, table)
    grouping = frequencies.as_it_is()
    verdict = checked(grouping, validate(criterion, frequencies))
    # Of lists the frequencies count values, not people.
    alike = GroupSizes.of(grouping.sizes) if table.set_valued is None else table.alike_as_read()
    if table.set_valued is not None:
        verdict = replace(verdict, measured=tuple(map(_apart, verdict.measured)))
    risk = PeopleByRisk({AS_IT_IS: alike})
    verdict = replace(verdict, asked=asked, reading=table.read_counts, risk=risk)
    return verdict.beside(untouched_in(table), LookAlikes.of(table))


def _apart(measured: Measurement) -> Measurement:
    """Take the verdict from what holds only where nobody sees which values are one person's.

    Whoever sees that can only know more, so what fails fails.
    """
    if not (measured.criterion.looks_at_values and measured.holds):
        return measured
    return replace(measured, note=TOGETHER)


def _family(sensitive: Sequence[str]) -> Iterator[Criterion]:
    """Give every criterion at the threshold that always holds."""
    yield KAnonymity(1)
    for column in sensitive:
        attribute = column if len(sensitive) > 1 else None
        yield LDiversity(1, "distinct", attribute=attribute)
        yield LDiversity(1, "entropy", attribute=attribute)
        yield LDiversity(1, "frequency", attribute=attribute)
        yield TCloseness(1, attribute=attribute)


def checked(
    grouping: Grouping,
    criterion: Criterion,
    planned: Grouping | None = None,
    n_unseen: int = 0,
) -> Check:
    """Measure a criterion on groups.

    What people guard is not published. A criterion about it is measured on the `planned` groups,
    whose people are known; without them there is no verdict. Of `n_unseen` people of the original
    nothing is known.
    """
    measured: list[Measurement] = []
    for part in criterion.parts:
        seen = grouping
        if part.guarding is not None and grouping.frequencies.guard is None:
            if planned is None:
                measured.append(Measurement(part, part.promised(), None, False, 0, UNSEEN))
                continue
            seen = planned
        measured += measure(part, seen.joint, n_unseen)
    n_alone = int((grouping.sizes == 1).sum())
    return Check(tuple(measured), int(grouping.sizes.sum()), len(grouping.boxes), n_alone)
