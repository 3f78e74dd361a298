"""The knowledge skyline as one page that opens offline."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from sfumato.html import Markup, tag
from sfumato.html.page import data_table, section
from sfumato.report.page.charts import one_more_fact
from sfumato.report.page.line_chart import Chart, figure
from sfumato.report.page.line_chart import legend as line_legend
from sfumato.report.page.pieces import chart_place, legend
from sfumato.text import percent

PLACE = "chart-skyline"
TITLE = "Knowledge skyline · sfumato"


@dataclass(frozen=True)
class SkylineContents:
    """What the page says; all of it is public."""

    heading: str
    story: str
    named: Sequence[tuple[str, str]]  # values that only look different
    meaning: str  # of what is counted
    confidence: float
    chart: Chart  # of the surface
    one_more: Sequence[tuple[str, float]]  # beliefs beyond the only point; none: there are several
    header: Sequence[str]
    rows: Sequence[Sequence[str]]

    @property
    def figures(self) -> dict[str, Any]:
        """The chart: of the surface, or, where this is one point, of what one fact more does."""
        if not self.rows:
            return {}
        if self.one_more:
            return {PLACE: one_more_fact(self.one_more, self.confidence)}
        return {PLACE: figure(self.chart)}

    def sections(self) -> Iterator[Markup]:
        """Write the page."""
        yield tag(
            "header",
            tag("p", "What does the adversary have to know?", class_="eyebrow"),
            tag("h1", "Knowledge skyline"),
            tag("p", f"{self.heading}.", class_="lead"),
            tag("p", self.story),
            *(tag("p", f"{name[0].upper()}{name[1:]}: {said}.") for name, said in self.named),
        )
        if self.rows:
            yield self._one_fact_more if self.one_more else self._surface
            yield section(
                "The points", data_table(self.header, self.rows, numbers=range(len(self.header)))
            )
        yield tag(
            "footer",
            "Made by sfumato. This page is one file and asks nothing of any network. It says "
            "nothing that anybody could not compute from the release. The same in numbers: "
            "skyline.json.",
        )

    @property
    def _surface(self) -> Markup:
        return section(
            "The surface",
            line_legend(self.chart),
            chart_place(PLACE, "people known at most over relatives known"),
            tag("p", "On and under a line nobody is that sure. Above it somebody may be."),
            tag("p", self.meaning),
        )

    @property
    def _one_fact_more(self) -> Markup:
        return section(
            "One fact more",
            legend(("promised", f"{percent(self.confidence)}: too sure")),
            chart_place(PLACE, "how sure one fact more of each kind makes somebody"),
            tag("p", "Beyond the only point: how sure somebody can be of another person’s value."),
            tag("p", self.meaning),
        )
