"""k-Optimize: the cheapest recoding by intervals, found and proved (Ciriani 2008, 4.1.1)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from sfumato.algorithms.algorithm import Algorithm, allowed_rows
from sfumato.algorithms.k_optimize.clock import Clock
from sfumato.algorithms.k_optimize.split_points import IndexSet, SplitPoints
from sfumato.algorithms.lots import Draw
from sfumato.algorithms.refusals import refuse_unsafe_whole
from sfumato.criteria.criterion import Criterion
from sfumato.criteria.judging import staying
from sfumato.data.frequency import FrequencySet, Grouping
from sfumato.data.recoding import BestSoFar, Cut, Recoding
from sfumato.errors import BadInput
from sfumato.formulas.measures.loss import discernibility, losses
from sfumato.parameters import number, one_of, optional_column, suppression_limit, whole
from sfumato.progress import report, stopping_early
from sfumato.table import Table
from sfumato.text import value_text

if TYPE_CHECKING:
    from sfumato.algorithms.k_optimize.anytime import Anytime
    from sfumato.algorithms.k_optimize.pricing import Cost

NAMES = ("discernibility", "class", "loss")
PERCENT = 100
ROUNDING = 1e-9


@dataclass(frozen=True)
class KOptimize(Algorithm):
    """Every column is cut into intervals, alike in all rows, at the least cost that is found.

    Values are ordered as their hierarchies have them, and any of them can begin an interval, which
    need not be a node. People of groups below k are suppressed, as far as `max_suppressed` allows,
    and have a price. Costs: "discernibility", the sum of squared sizes, and for a suppressed person
    the number of rows of the table; "class", people who are not of their group's most frequent
    class in `class_column`, and all who are suppressed; "loss", everybody's information loss, and
    1 for a suppressed person.

    The search goes on until nothing can be cheaper, or for a `budget` of steps, or for so many
    `seconds`, or until Ctrl-C; then `release.json` says after how many steps it ended, which is
    the budget that gives the same recoding again on any machine, and
    `release.gap` says by how much the least cost may be below the one that was found, and is 0 if
    that is proved. Of recodings with the same groups the one with the narrowest ranges is
    published. It begins with recodings that are good split by split, and with the best
    full-domain generalization, and only gets better.

    >>> import sfumato as sf
    >>> rules = sf.datasets.adult_hierarchies()
    >>> adult = sf.read(sf.datasets.adult(), {n: rules[n] for n in ("education", "sex", "race")})
    >>> for method in (sf.Optimal("loss", 1.0), sf.KOptimize("loss")):
    ...     release = sf.anonymize(adult, sf.KAnonymity(25), method)
    ...     print(f"{sf.utility.information_loss(release):.4f}", release.gap)
    0.0130 0
    0.0107 0.0
    """

    cost: Cost = "discernibility"
    class_column: str | None = None
    max_suppressed: float = 1.0
    seconds: float | None = None
    budget: int | None = None

    def __post_init__(self) -> None:
        one_of("KOptimize", "cost", self.cost, NAMES)
        optional_column("KOptimize", "class_column", self.class_column)
        suppression_limit("KOptimize", self.max_suppressed)
        if self.seconds is not None:
            number("KOptimize", "seconds", self.seconds, above=0)
        if self.budget is not None:
            whole("KOptimize", "budget", self.budget)
        if self.cost == "class" and self.class_column is None:
            raise BadInput('KOptimize: class_column is missing: name the column of cost="class"')
        if self.cost != "class" and self.class_column is not None:
            raise BadInput(
                f'KOptimize: class_column names the column of cost="class"; drop it with '
                f'cost="{self.cost}"'
            )

    @property
    def joint(self) -> bool:
        """Only if classes are looked at."""
        return self.reads_values

    @property
    def reads_values(self) -> bool:
        """Classes decide what is published, and may be sensitive."""
        return self.class_column is not None

    @property
    def keeps_alike_together(self) -> bool:
        """An interval is one for all."""
        return True

    @property
    def deterministic(self) -> bool:
        """Nothing is left to chance, but how far it gets in some time depends on the machine.

        So it does until Ctrl-C. No attack runs it again: values have no part in it, or nobody who
        was promised something about them is told that this is kept.
        """
        return self.seconds is None

    @property
    def keeps_guards(self) -> bool:
        """Combinations are recoded as a whole."""
        return True

    @property
    def by_value(self) -> bool:
        """Every value has one interval."""
        return True

    def refuses(self, criterion: Criterion) -> str | None:
        """All but numbers of people."""
        if not all(part.size_alone for part in criterion.parts):
            return (
                "what it proves rests on bounds about the sizes of groups, which say nothing of "
                "other promises; use Optimal, Mondrian or Checked for these"
            )
        return super().refuses(criterion)

    @classmethod
    def examples(cls) -> tuple[Algorithm, ...]:
        """One of each kind that behaves differently."""
        return (cls(seconds=1), cls("loss", max_suppressed=0.1, seconds=1))

    @staticmethod
    def split_points(counted: FrequencySet | Table) -> SplitPoints:
        """Number the values of a table's quasi-identifiers, to write recodings as index sets."""
        return SplitPoints.of(counted)

    def search(self, frequencies: FrequencySet, criterion: Criterion, draw: Draw) -> Recoding:
        """Look for the cheapest index set until it is proved, or time is over."""
        del draw
        refuse_unsafe_whole(frequencies, criterion)
        with stopping_early() as asked:
            index_set, found = self._searched(
                frequencies, criterion.least_size, Clock(self.seconds, self.budget, asked)
            )
        points = SplitPoints.of(frequencies)
        recoding, grouping = _published(points, index_set, frequencies, criterion)
        if self.cost != "loss":  # by which narrower ranges are cheaper, and were looked for
            index_set |= points.parting_nobody(grouping)
            recoding, grouping = _published(points, index_set, frequencies, criterion)
        n_groups = len(grouping.boxes)
        return replace(recoding, best_so_far=self._as_told(found, recoding, frequencies, n_groups))

    def _as_told(
        self, found: BestSoFar, recoding: Recoding, frequencies: FrequencySet, n_groups: int
    ) -> BestSoFar:
        """Let it cost what is told: where a value cannot be, nothing is told of its column.

        That is no less than what was decided costs, so the bound holds.
        """
        boxes, sizes = recoding.published_boxes(frequencies)
        n_suppressed = frequencies.n_rows - int(sizes.sum())
        names = frequencies.quasi_identifiers
        if self.cost == "loss":
            lost = sizes @ losses(frequencies.domains, names, boxes).sum(axis=1) / len(names)
            told = float(lost) + n_suppressed
            return replace(found, cost=told) if told > found.cost + ROUNDING else found
        if len(sizes) == n_groups:
            return found
        if self.cost == "discernibility":
            return replace(found, cost=discernibility(sizes, n_suppressed))
        return replace(found, least=0)

    def _searched(
        self, frequencies: FrequencySet, k: int, clock: Clock
    ) -> tuple[IndexSet, BestSoFar]:
        """Give the best index set, and how far from the least it may be."""
        from sfumato.algorithms.k_optimize.anytime import Anytime  # noqa: PLC0415  (a compiler)

        limit = allowed_rows(self.max_suppressed, frequencies.n_rows)
        work = Anytime(frequencies, k, self.cost, self.class_column, limit)
        for n_nodes in work.run(clock.over):
            if not n_nodes:  # compiled code is there, and a first recoding
                clock.start()
            report(f"searching, best {value_text(work.cost)}, none below {value_text(work.least)}")
        found = BestSoFar.of(self.cost, work.cost, self._told(work))
        if clock.ended and not self.reads_values:  # how many follows from values, too
            found = replace(found, steps=clock.n_steps)
        return work.index_set, found

    def _told(self, work: Anytime) -> Fraction:
        """Give the bound that is told; of sensitive classes by hundredths of the cost alone."""
        if self.class_column is None or not work.cost:
            return work.least
        return work.cost * (PERCENT * work.least // work.cost) / PERCENT


def _published(
    points: SplitPoints, index_set: IndexSet, frequencies: FrequencySet, criterion: Criterion
) -> tuple[Cut, Grouping]:
    """Give the recoding of an index set without people in groups that fail, and its groups."""
    decided = points.recoding(index_set)
    grouping = decided.grouping(frequencies)
    unsafe = ~staying(criterion, grouping.joint)
    recoding = replace(decided, suppressed=grouping.boxes[unsafe][:, :, 0])
    return recoding, grouping.without(unsafe)
