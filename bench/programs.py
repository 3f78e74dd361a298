"""Programs in whole numbers as a series asks them: one warm model, or SciPy's solver each time.

Made-up people of a few kinds come month by month, and every kind is in one of two classes of each
release; every set of equations is asked for the most newcomers of each kind in each month.
"""

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array

from common import seconds_of
from record import Figure
from sfumato.formulas.correspondence.integer_program import IntegerProgram
from sfumato.formulas.correspondence.linear_program import Answer

N_SETS, N_KINDS, N_TIMES, N_CLASSES = 60, 6, 3, 3
SOLVED, IMPOSSIBLE = 0, 2  # SciPy's status


class BySciPy:
    """What stands in for a warm model: nothing is kept from one question to the next."""

    def __init__(self, sums, need, growth):
        self.sums, self.need, self.growth = sums, need, growth

    def forget(self):
        """There is nothing to forget."""

    def best(self, gain, low, high):
        result = linprog(
            -gain.astype(float),
            A_ub=-self.growth,
            b_ub=np.zeros(self.growth.shape[0]),
            A_eq=self.sums,
            b_eq=self.need,
            bounds=np.stack([low, high], axis=1),
            method="highs-ds",
            options={"presolve": False},
        )
        if result.status == IMPOSSIBLE:
            return None
        assert result.status == SOLVED, result.message
        return Answer(result.x, -result.eqlin.marginals)


def made(draw):
    """Equations of one series, and what is asked of them."""
    kind, time, row, count = [], [], [], []
    people = np.zeros(N_KINDS, dtype=int)
    for t in range(N_TIMES):
        people += draw.integers(0, 5, N_KINDS)
        for k in range(N_KINDS):
            classes = draw.choice(N_CLASSES, 2, replace=False)
            first = draw.integers(0, people[k] + 1)
            kind += [k, k]
            time += [t, t]
            row += [t * N_CLASSES + each for each in classes]
            count += [first, people[k] - first]
    kind, time, count, n = np.array(kind), np.array(time), np.array(count), len(kind)
    used, row = np.unique(row, return_inverse=True)
    sums = csr_array((np.ones(n, int), (row, np.arange(n))), shape=(len(used), n))
    growth = np.zeros((N_KINDS * (N_TIMES - 1), n), dtype=int)
    gains = []
    for k in range(N_KINDS):
        for t in range(N_TIMES):
            gain = np.where((kind == k) & (time == t), 1, 0)
            gain -= (kind == k) & (time == t - 1)
            gains.append(gain)
            if t:
                growth[k * (N_TIMES - 1) + t - 1] = gain
    return sums, sums @ count, csr_array(growth), gains


def programs():
    """Programs of series in whole numbers, every optimum compared."""
    every = [made(np.random.default_rng(seed)) for seed in range(N_SETS)]
    optima = {}

    def ask(kind):
        found = []
        for sums, need, growth, gains in every:
            program = IntegerProgram(sums, need, growth)
            if kind == "SciPy":
                program.relaxed = BySciPy(sums, need, growth)
            found += [int(program.best(gain) @ gain) for gain in gains]
        optima[kind] = found

    ours, other = (seconds_of(lambda k=kind: ask(k), 2) for kind in ("warm", "SciPy"))
    assert optima["warm"] == optima["SciPy"]
    name = f"{len(optima['warm']):,} programs in whole numbers"
    yield Figure(name, ours, "SciPy's linprog", other, asked=5)


if __name__ == "__main__":
    from record import told

    for figure in programs():
        print(told(figure))
