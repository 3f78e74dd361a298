"""What comes out when a paper's experiments are run again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import Any

from sfumato.files.json_text import readable_json
from sfumato.files.reports import write
from sfumato.html import html_table, joined, tag
from sfumato.parameters import file_path
from sfumato.report.page.line_chart import Chart

SCHEMA = "sfumato-reproduction/1"
NONE = "–"
Cell = str | int | float | None


@dataclass(frozen=True)
class Claim:
    """A sentence of the paper that can be held against numbers."""

    paper: str  # what it says, in our words
    ours: str
    agrees: bool | None  # None: nothing was measured that could tell


@dataclass(frozen=True)
class Panel:
    """One table or figure of the paper."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    remark: str = ""  # why ours differs, or how theirs was read
    claims: tuple[Claim, ...] = ()
    chart: Chart | None = None
    measured: bool = False  # whether there are times among the numbers, which vary

    @property
    def texts(self) -> list[list[str]]:
        """The rows as a person reads them."""
        return [[text(cell) for cell in row] for row in self.rows]


def text(cell: Cell) -> str:
    """Write a number with the digits that matter.

    >>> text(2.48832), text(45222), text(None), text(1234.5), text(0.0)
    ('2.488', '45,222', '–', '1,234', '0')
    """
    if cell is None:
        return NONE
    if isinstance(cell, float):
        return f"{cell:,.0f}" if abs(cell) >= 1_000 else f"{cell:.4g}"
    return f"{cell:,}" if isinstance(cell, int) else cell


@dataclass(frozen=True, eq=False)
class Reproduction:
    """A paper's tables and figures, ours beside theirs.

    >>> import sfumato as sf
    >>> found = sf.reproduce("cormode2010", quick=True)
    >>> len(found.panels) > 5, all(isinstance(each, Claim) for each in found.claims)
    (True, True)
    """

    paper: str
    citation: str
    panels: tuple[Panel, ...]
    quick: bool = False

    @property
    def claims(self) -> list[Claim]:
        """All claims, panel by panel."""
        return [claim for panel in self.panels for claim in panel.claims]

    @cached_property
    def heading(self) -> str:
        """Say in a line how it went."""
        agree = sum(claim.agrees is True for claim in self.claims)
        sample = "; a quick look at a sample, whose numbers are others" if self.quick else ""
        return f"{agree} of {len(self.claims)} claims of the text come out{sample}"

    def to_json(self) -> dict[str, Any]:
        """Plain values for a machine."""
        return {
            "schema": SCHEMA,
            "sfumato": import_module("sfumato").__version__,
            "paper": self.paper,
            "citation": self.citation,
            "quick": self.quick,
            "panels": [asdict(panel) for panel in self.panels],
        }

    def to_html(self) -> str:
        """Write one page that opens offline."""
        from sfumato.papers.page import page  # noqa: PLC0415  (Plotly's code is read with it)

        return page(self)

    def save(self, directory: str | Path) -> Path:
        """Write the page and the same as JSON into a directory; give the page's path."""
        place = file_path("Reproduction.save", directory)
        numbers = readable_json(self.to_json())
        files = {f"{self.paper}.html": self.to_html(), f"{self.paper}.json": f"{numbers}\n"}
        write(place, files, private=False)
        return place / f"{self.paper}.html"

    def __str__(self) -> str:
        parts = [f"{self.citation}\n{self.heading}"]
        for panel in self.panels:
            lines = [panel.title, *_aligned([panel.header, *panel.texts])]
            lines += [f"{verdict(c)} {c.paper} -> {c.ours}" for c in panel.claims]
            parts.append("\n".join([*lines, panel.remark]).rstrip())
        return "\n\n".join(parts)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        pieces: list[object] = [tag("p", self.citation), tag("p", self.heading)]
        for panel in self.panels:
            pieces.append(html_table(panel.header, panel.texts, panel.title))
            pieces += [tag("p", f"{verdict(c)} {c.paper} → {c.ours}") for c in panel.claims]
            pieces.append(tag("p", panel.remark))
        return joined(pieces)


def verdict(claim: Claim) -> str:
    """Say in a word whether a claim comes out."""
    return {True: "agrees:", False: "DIFFERS:", None: "open:"}[claim.agrees]


def _aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip() for row in rows
    ]
