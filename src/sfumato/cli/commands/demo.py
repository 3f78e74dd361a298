"""The whole path on the bundled census data, for who sees it for the first time."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import sfumato as sf
from sfumato.cli import output as out
from sfumato.cli.command import Answer, command
from sfumato.text import count, people

if TYPE_CHECKING:
    from sfumato.attacks import Finding
    from sfumato.series.publish import Publication

OUTPUT = Path("out") / "demo"
VALUE = "Exec-managerial"
ROWS = 5
COLUMNS = ["age", "workclass", "marital-status", "race", "sex", "native-country"]
AGAIN = ["sex", "marital-status", "education"]
NEWCOMERS = 2_000
K = 10


@command(place=1)
def demo(
    output: Annotated[
        Path | None, typer.Option(help="Where to put the release.  [default: out/demo]")
    ] = None,
) -> Answer:
    """Anonymize the bundled census sample, check the result, and say where it is."""
    from sfumato.files.staged import refuse_taken

    target = output or _free(OUTPUT)
    name = target.absolute().name
    reports, private, series = (
        target.parent / f"{name}-{what}" for what in ("report", "steward", "series")
    )
    for place in (target, series):
        with suppress(OSError):
            refuse_taken(place)
    hierarchies = sf.datasets.adult_hierarchies()
    with out.progress():
        table = sf.read(
            sf.datasets.adult(),
            quasi_identifiers={name: hierarchies[name] for name in COLUMNS},
            sensitive="occupation",
            hierarchies={"occupation": hierarchies["occupation"]},
        )
        before = sf.check(table)
        criterion = sf.KAnonymity(10) & sf.LDiversity(4)
        release = sf.anonymize(table, criterion, sf.Mondrian())
        report = sf.audit(release)
        release.save(target)
        after = sf.load(target).check()
        report.save(reports)
        report.save(private, private=True)
        skyline = sf.knowledge_skyline(release, VALUE)
        skyline.save(reports)
        again = _published_again(series)

    def to_json() -> dict[str, Any]:
        return {
            "before": before.to_json(),
            "release": release.summary().to_json(),
            "check": after.to_json(),
            "audit": report.to_json(),
            "skyline": skyline.to_json(),
            "again": again.to_json(),
            "output": str(target),
            "report": str(reports),
            "steward": str(private),
            "series": str(series),
        }

    def show() -> None:
        out.print_check(before, "1. The Adult census table as it is")
        out.print_summary(release.summary(), "2. Anonymized", details=False)
        step = release.n_rows // ROWS
        shown = release.to_arrow().take(list(range(step // 2, release.n_rows, step))[:ROWS])
        out.print_rows(
            "3. Some of the published rows",
            release.description.columns,
            [list(row.values()) for row in shown.to_pylist()],
        )
        out.print_check(after, "4. The saved release, read back and checked")
        out.print_audit(report, "5. Attacked")
        if report.verdict == "failed":
            out.say("")
            out.say(
                "The release keeps its promise as it stands; who knows how it was made learns "
                "more. What to do then: docs/attacks.md, When an attack succeeds."
            )
        if report.verdict == "undecided":
            out.say("")
            out.say(
                "No attack broke the promise, but it was not shown to be kept against who knows "
                "how the release was made: docs/attacks.md, What a verdict means."
            )
        out.say("")
        out.print_skyline(skyline, "6. What an adversary would have to know")
        again.show()
        out.say("")
        out.say(f"The release is in {target}: the data, and release.json with all that is public.")
        out.say(
            f"What the attacks found is in {reports}: report.html and skyline.html, for everybody."
        )
        out.say(
            f"The steward's report is apart from it, in {private}: report-steward.html is private."
        )
        out.say(
            f"The series is in {series}: releases in public/, and private/ for the steward alone."
        )
        if report.verdict == "failed":
            out.say("")
            out.say(
                f"An attack succeeded on the release in {target}. The demo shows that on purpose: "
                "sfumato anonymize would have written nothing."
            )

    return Answer(to_json, show)


@dataclass(frozen=True)
class Again:
    """Two releases of a growing table: each made alone, and as a series."""

    alone: Finding
    series: Publication

    def to_json(self) -> dict[str, Any]:
        """Plain values for a machine."""
        return {"alone": self.alone.to_json(), "series": self.series.to_json()}

    def show(self) -> None:
        """Write what was left of people in both cases."""
        from sfumato.series import SeriesReport

        alone, done = self.alone, self.series
        out.say("")
        out.say(f"7. Published again, with {count(NEWCOMERS)} newcomers")
        out.say(
            f"By Mondrian each of the two releases is {K}-anonymous. Who compares them is left "
            f"with {alone.found_text} for somebody, and "
            f"{people(alone.n_exceeding)} where fewer than {K} are left."
        )
        rows = list(SeriesReport.rows_of(done.compared))
        title = "As a series: records that are left, at least"
        out.print_rows(title, SeriesReport.HEADER, rows)
        if done.summary is not None:
            lines = dict(done.summary.lines)
            out.say(f"In groups: {lines['groups']}. Information loss: {lines['information loss']}.")


def _published_again(place: Path) -> Again:
    """Publish the test part of Adult, and then that and some newcomers."""
    hierarchies = sf.datasets.adult_hierarchies()
    columns = {name: hierarchies[name] for name in AGAIN}
    first = sf.datasets.adult("test")
    new = sf.datasets.adult("train").slice(0, NEWCOMERS)
    everybody = type(first).from_batches(first.to_batches() + new.to_batches())
    earlier, later = (
        sf.anonymize(sf.read(rows, columns, sensitive="occupation"), sf.KAnonymity(K))
        for rows in (first, everybody)
    )
    alone = sf.attacks.Correspondence([earlier]).run(later)
    series = sf.ReleaseSeries.create(place, columns, sf.KAnonymity(K), sensitive="occupation")
    series.publish(first)
    return Again(alone, series.publish(new))


def _free(place: Path) -> Path:
    """Find a place that does not exist yet: out/demo, out/demo-2, ..."""
    candidate, number = place, 1
    while candidate.exists():
        number += 1
        candidate = place.with_name(f"{place.name}-{number}")
    return candidate
