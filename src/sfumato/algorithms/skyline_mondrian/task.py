"""What SkylineAnonymize is asked to do: the same for a table and for every piece of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sfumato.algorithms.skyline_mondrian.kernels.cuts import GAIN, MEDIAN, WIDEST
from sfumato.algorithms.skyline_mondrian.space import Order, Wanted
from sfumato.criteria import Skyline
from sfumato.criteria.criterion import Criterion
from sfumato.data.domain import Domain
from sfumato.data.frequency import FrequencySet

SPLITS = {"gain": GAIN, "median": MEDIAN, "widest": WIDEST}


@dataclass(frozen=True, eq=False)
class Task:
    """Requirements, and what puts cuts in order, in terms of values that stand one after another.

    Both depend on the whole table: on how many people there are, and how often values occur.
    """

    offset: dict[str, int]  # column -> where its values begin
    n_values: int
    wanted: Wanted
    beside: tuple[Criterion, ...]  # other criteria that judge cuts which are safe so far
    split: int
    least: int  # people in a region
    gain_of: str | None  # the column that gain is about
    gain: tuple[int, int]  # from which value to which,
    n_gaining: int  # and how often these occur

    @classmethod
    def of(
        cls,
        everybody: FrequencySet,
        skylines: Sequence[Skyline],
        beside: Sequence[Criterion],
        split: Literal["gain", "median", "widest"],
        gain_of: str,
    ) -> Task:
        """Write a task down; everybody: all people, by their values at least."""
        protected = [str(everybody.attribute(part.attribute)) for part in skylines]
        columns = dict.fromkeys([*protected, *([gain_of] if split == "gain" else [])])
        offset, n_values = {}, 0
        for name in columns:
            offset[name] = n_values
            n_values += len(everybody.domains[name].values)
        about = list(zip(skylines, protected, strict=True))
        gain, n_gaining = (0, 0), 0
        if split == "gain":
            gain = (offset[gain_of], offset[gain_of] + len(everybody.domains[gain_of].values))
            n_gaining = everybody.n_rows
            if gain_of in everybody.sensitive:
                n_gaining = int(everybody.reference(gain_of).sum())
        return cls(
            offset,
            n_values,
            Wanted.of(everybody, about, offset, n_values),
            # A k is compared with sizes as cuts are weighed.
            tuple(part for part in beside if not part.size_alone),
            SPLITS[split],
            max(part.least_size for part in [*skylines, *beside]),
            gain_of if split == "gain" else None,
            gain,
            n_gaining,
        )

    def order(self, domains: Sequence[Domain]) -> Order:
        """Give what puts cuts along some columns in order."""
        return Order.of(domains, self.split, self.least, self.gain, self.n_gaining)
