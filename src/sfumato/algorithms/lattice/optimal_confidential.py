"""The cheapest generalization that withstands who knows it (Wong 2009, definition 8)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from sfumato.algorithms.algorithm import Algorithm
from sfumato.algorithms.lattice.all_worlds import Ground, World, all_outcomes, nodes_in_order
from sfumato.algorithms.lattice.minimal import refuse
from sfumato.algorithms.lots import Draw
from sfumato.criteria.criterion import Criterion, together
from sfumato.criteria.k_anonymity import KAnonymity
from sfumato.data.frequency import FrequencySet
from sfumato.data.naming import Publishes
from sfumato.data.recoding import Recoding
from sfumato.errors import Unsatisfiable
from sfumato.formulas.minimality.first_confidential import NOTHING
from sfumato.parameters import number, true_or_false
from sfumato.text import count, counted, value_text


@dataclass(frozen=True)
class OptimalConfidential(Algorithm):
    """The first node, by its loss, that nobody believes more from than 1/m who knows this rule.

    All nodes stand in an order that is public: by information loss (definition 7), then the lower
    one, then by the order of the columns, as those of `Optimal`. What a table would publish at a
    node is a histogram of every group. The worlds that somebody considers who sees it are all ways
    to deal the values of the whole table to its people that have these histograms there and were
    not published at an earlier node. It is published iff by these worlds no belief is above 1/m.
    So whatever is published is m-confidential, exactly, in all tables with the same
    quasi-identifiers and the same number of each value.

    Nothing published would be an answer, too. Taking every node as it comes, in many tables some
    worlds remain that no node may publish, and whoever learns that believes too much. So a node is
    passed over if those it leaves could not all be published together, which depends on nothing
    but the quasi-identifiers and the number of each value. With that every table is published in
    which no value is more frequent than 1/m; where one is, no method can help, since beliefs
    average to that share. `pass_over=False` takes nodes as they come, and refuses all tables
    with these quasi-identifiers and numbers if something remains; if nothing does, both publish the
    same.

    It is for small tables: each of at most 100,000 ways to deal the values is looked at, where
    people whom no node tells apart are alike, and values that are not protected are one.

    Args:
        m: Beliefs are at most 1/m; at least as large as the m of `Confidentiality`.
        pass_over: Leave out nodes that would leave tables which cannot be published.

    >>> import pyarrow as pa
    >>> import sfumato as sf
    >>> six = pa.table({"job": ["a", "a", "b", "b", "b", "b"], "test": ["+", "+", *"----"]})
    >>> people = sf.read(six, {"job": sf.Tree(["a", "b"])}, "test")
    >>> shares = sf.anonymize(people, sf.LDiversity(2, "frequency", ["+"]), sf.Optimal())
    >>> beliefs = sf.anonymize(people, sf.Confidentiality(2, ["+"]), sf.OptimalConfidential(2))
    >>> shares.levels, beliefs.levels
    ({'job': 1}, {'job': 1})
    >>> [str(sf.attacks.Mechanism().run(each).found) for each in (shares, beliefs)]
    ['1', '1/3']
    """

    m: Fraction
    pass_over: bool = True
    judges_all_groups: ClassVar[bool] = True
    judges_itself: ClassVar[bool] = True

    def __init__(self, m: float | Fraction | str, pass_over: bool = True) -> None:
        object.__setattr__(self, "m", number("OptimalConfidential", "m", m, least=1))
        true_or_false("OptimalConfidential", "pass_over", pass_over)
        object.__setattr__(self, "pass_over", pass_over)

    @property
    def publishes(self) -> Publishes:
        """Nodes of trees."""
        return "nodes"

    def refuses(self, criterion: Criterion) -> str | None:
        """All but m-confidentiality and numbers of people."""
        promised = [part for part in criterion.parts if part.by_mechanism]
        others = [part for part in criterion.parts if part.looks_at_values]
        if len(promised) != 1 or others != promised:
            return (
                "it keeps Confidentiality(m) and numbers of people, and nothing else about values; "
                "ask for Confidentiality, and for no other promise about values"
            )
        asked = 1 / promised[0].belief_allowed().number
        if asked > self.m:
            wanted = value_text(asked)
            return f"it was told m = {value_text(self.m)}; say OptimalConfidential({wanted})"
        return super().refuses(criterion)

    @classmethod
    def examples(cls) -> tuple[Algorithm, ...]:
        """One of each kind that behaves differently."""
        return (cls(2),)

    def search(self, frequencies: FrequencySet, criterion: Criterion, draw: Draw) -> Recoding:
        """Find by which node this table, among all that could be, is published."""
        del draw
        sizes_alone = [part for part in criterion.parts if not part.looks_at_values]
        enough = together(sizes_alone) if sizes_alone else KAnonymity(1)
        nodes = nodes_in_order(Ground(frequencies.combinations, enough))
        if not nodes.nodes:
            raise refuse(nodes.lattice, 0)
        promised = next(part for part in criterion.parts if part.by_mechanism)
        world = World.of(frequencies, promised, nodes.cell)
        self._refuse_impossible(world, criterion)
        outcomes = all_outcomes(world.question(nodes.order, 1 / self.m, pass_over=self.pass_over))
        place = outcomes.place(world.people)
        if outcomes.rule.left > 1 / self.m or place == NOTHING:
            raise Unsatisfiable(self._nothing(outcomes.rule.left, len(nodes.nodes)))
        return nodes.lattice.recoding(nodes.nodes[place])

    def _refuse_impossible(self, world: World, criterion: Criterion) -> None:
        """Refuse a table in which a value is too frequent: no mechanism can hide that."""
        n_people = int(world.sizes.sum())
        most = max((int(world.histogram[v]) for v in world.protected), default=0)
        if Fraction(most, n_people) <= 1 / self.m:
            return
        raise Unsatisfiable(
            f"{self}: no release satisfies {criterion}: of all {counted(n_people, 'row')} "
            f"{count(most)} have one protected value, more than 1 in {value_text(self.m)}, and "
            "beliefs in people average to that, whatever is published; ask for a smaller m"
        )

    def _nothing(self, left: Fraction, n_nodes: int) -> str:
        """Say that nothing is published, and what is believed by who learns that."""
        said = (
            f"{self}: none of {counted(n_nodes, 'node')} publishes all tables with these "
            f"quasi-identifiers and numbers of values; who learns that nothing is published "
            f"believes up to {value_text(left)}"
        )
        if self.pass_over:
            return f"{said}; ask for fewer people in a group, or a smaller m"
        return f"{said}, where {value_text(1 / self.m)} is allowed; leave out pass_over=False"
