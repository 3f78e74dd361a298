"""The best recoding found so far."""

from __future__ import annotations

from sfumato.algorithms.k_optimize.nodes import Chosen, Costs, Problem


class Best:
    """The cheapest recoding within the limit of suppression."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.cost: int | None = None
        self.head: Chosen = problem.nothing

    def offer(self, costs: Costs, head: Chosen) -> None:
        """Keep a recoding that is cheaper than the best; of equal ones, the first."""
        if not self.settles(costs):
            self.cost, self.head = costs.cost, head.copy()

    def settles(self, least: Costs) -> bool:
        """Whether recodings that cost and suppress at least so much cannot be better."""
        too_many = least.n_suppressed > self.problem.limit
        return too_many or (self.cost is not None and least.cost >= self.cost)
