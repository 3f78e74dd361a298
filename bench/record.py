"""Figures, the record of them, and what got worse.

A figure compares two costs that were measured in the same run. What is kept of it is their ratio,
which says the same on any machine; the seconds stand beside it to be looked at.
"""

import json
from dataclasses import asdict, dataclass

MUCH = 1.5  # a ratio that got worse by more than half


@dataclass(frozen=True)
class Figure:
    """What something costs, beside something else in the same run.

    `more`: the ratio is how many times faster ours is, so more is better; else it is how many times
    as long ours takes, and less is better. `curve` and `at` make it a point of a plot.
    """

    name: str
    ours: float
    against: str
    other: float
    more: bool = True
    unit: str = "s"
    asked: float | None = None
    curve: str = ""
    at: float | None = None
    measured: str = ""  # when, and at which commit

    @property
    def ratio(self):
        """How many times faster, or how many times as long."""
        above, below = (self.other, self.ours) if self.more else (self.ours, self.other)
        return above / below if below else float("inf")

    @property
    def reached(self):
        """Whether it is what was asked for; None: nothing was asked."""
        if self.asked is None:
            return None
        return self.ratio >= self.asked if self.more else self.ratio <= self.asked


def worsening(before, now):
    """How many times worse a ratio is than a recorded one; 1 and less: not worse."""
    if before.more != now.more or not before.ratio:
        return 1.0
    pair = (before.ratio, now.ratio) if now.more else (now.ratio, before.ratio)
    return pair[0] / pair[1] if pair[1] else float("inf")


def got_worse(recorded, figures, much=MUCH):
    """Figures that are worse than recorded by more than half, as (before, now), worst first."""
    before = {each.name: each for each in recorded}
    pairs = [(before[each.name], each) for each in figures if each.name in before]
    pairs = [pair for pair in pairs if worsening(*pair) > much]
    return sorted(pairs, key=lambda pair: -worsening(*pair))


def load(path):
    """Read a record: its head, and its figures. Nothing where there is none."""
    if not path.exists():
        return {}, []
    kept = json.loads(path.read_text())
    return kept["head"], [Figure(**each) for each in kept["figures"]]


def save(path, head, figures):
    """Write a record, a line for each figure, so that a difference can be read."""
    lines = ",\n".join("  " + json.dumps(_short(each)) for each in figures)
    path.write_text(f'{{\n"head": {json.dumps(head)},\n"figures": [\n{lines}\n]\n}}\n')


def merged(recorded, figures):
    """The record with some figures measured again, in their old places; new ones come last."""
    again = {each.name: each for each in figures}
    kept = [again.pop(each.name, each) for each in recorded]
    return kept + list(again.values())


def _short(figure):
    return {
        name: float(f"{value:.4g}") if isinstance(value, float) else value
        for name, value in asdict(figure).items()
    }


def told(figure):
    """One line for people."""
    asked = "" if figure.asked is None else f", asked {figure.asked:g}"
    verdict = {None: "", True: " (reached)", False: " (not reached)"}[figure.reached]
    word = "times faster" if figure.more else "times as long"
    return (
        f"{figure.name}: {figure.ours:.3g} {figure.unit}, {figure.against} {figure.other:.3g}: "
        f"{figure.ratio:.2g} {word}{asked}{verdict}"
    )


def as_table(head, figures):
    """The record as Markdown, without the points of plots."""
    rows = [
        f"| {each.name} | {each.ours:.3g} {each.unit} | {each.against}, {each.other:.3g} "
        f"| {each.ratio:.2g} {'times faster' if each.more else 'times as long'} "
        f"| {'' if each.asked is None else format(each.asked, 'g')} | {each.measured} |"
        for each in figures
        if not each.curve
    ]
    facts = ", ".join(f"{name} {value}" for name, value in head.items())
    top = ["| work | ours | against | ratio | asked | measured |", "|---|---|---|---|---|---|"]
    return "\n".join([f"Measured: {facts}.", "", *top, *rows, ""])
