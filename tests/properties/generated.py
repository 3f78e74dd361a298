"""Generated tables with hierarchies, for comparing sfumato with enumeration."""

from dataclasses import dataclass

import numpy as np
from hypothesis import strategies as st

import naive.criteria
import sfumato as sf
from sfumato.data.frequency import FrequencySet

VALUES = ["flu", "HIV", "asthma", "none"]


@dataclass
class Generated:
    """Rows of ground values, the sensitive one last, with a hierarchy per quasi-identifier."""

    rows: list[tuple]
    paths: list[list[tuple]]  # per column the rows of labels, as `naive` takes them
    rules: list[sf.Hierarchy]
    sensitive_rule: sf.Hierarchy | None = None  # a list of all values, if they are the usual ones

    @property
    def columns(self) -> list[str]:
        return [f"q{j}" for j in range(len(self.rules))]

    def frequencies(self) -> FrequencySet:
        """Count without an engine."""
        usual = {row[-1] for row in self.rows} <= set(VALUES)
        sensitive_rule = self.sensitive_rule or (sf.Tree(VALUES) if usual else sf.Flat())
        domains, codes = {}, {}
        for j, (name, rule) in enumerate(
            zip([*self.columns, "s"], [*self.rules, sensitive_rule], strict=True)
        ):
            values = [row[j] for row in self.rows]
            distinct = sorted(set(values), key=str)
            domains[name], coded = rule.grow(name, distinct)
            codes[name] = coded[[distinct.index(value) for value in values]]
        ones = np.ones(len(self.rows), dtype=np.int64)
        return FrequencySet.from_codes(domains, self.columns, ["s"], codes, ones)


@st.composite
def trees(draw, name: str):
    """A closed hierarchy of two to seven values: rows of labels with a common height."""
    n = draw(st.integers(2, 7))
    height = draw(st.integers(1, 3))
    levels = [[f"{name}{j}" for j in range(n)]]
    starts = list(range(n))  # first ground value of each node
    for level in range(1, height):
        kept = [0, *(s for s in starts[1:] if draw(st.booleans()))]
        node = [sum(s <= j for s in kept) for j in range(n)]
        levels.append([f"{name}.{level}.{each}" for each in node])
        starts = kept
    levels.append(["*"] * n)
    return list(zip(*levels, strict=True))


@st.composite
def tables(draw, max_rows: int = 14, missing: bool = True):
    """A small table over one to three quasi-identifiers; some values may be missing."""
    paths = [draw(trees(f"v{j}_")) for j in range(draw(st.integers(1, 3)))]
    ground = [[labels[0] for labels in each] for each in paths]
    cells = [st.sampled_from([*each, *([None] if missing else [])]) for each in ground]
    row = st.tuples(*cells, st.sampled_from(VALUES))
    rows = draw(st.lists(row, min_size=1, max_size=max_rows))
    rules = [sf.Hierarchy.from_spec({"level_table": each}, "generated") for each in paths]
    # A missing value is a leaf of its own under the root.
    for j, each in enumerate(paths):
        if any(each_row[j] is None for each_row in rows):
            each.append((None, *[None] * (len(each[0]) - 2), "*"))
    return Generated(rows, paths, rules)


@st.composite
def criteria(draw):
    """A criterion of sfumato with its twin."""
    k = draw(st.integers(1, 4))
    kind = draw(st.sampled_from(["none", "distinct", "entropy", "frequency", "values", "pooled"]))
    l = draw(st.sampled_from([1, 2, 3] if kind == "distinct" else [1, 2, 3, "3/2", 1.2]))
    exact = sf.LDiversity(l, "entropy").l
    fast, slow = sf.KAnonymity(k), naive.criteria.k_anonymity(k)
    if kind == "none":
        return fast, slow
    if kind == "values":
        return (
            fast & sf.LDiversity(l, "frequency", values=["flu", "HIV"]),
            naive.criteria.both(
                slow, naive.criteria.l_diversity(exact, "frequency", ["flu", "HIV"])
            ),
        )
    if kind == "pooled":
        return (
            fast & sf.LDiversity(l, "frequency", values=["flu", "HIV"], pooled=True),
            naive.criteria.both(
                slow, naive.criteria.l_diversity(exact, "frequency", ["flu", "HIV"], pooled=True)
            ),
        )
    return fast & sf.LDiversity(l, kind), naive.criteria.both(
        slow, naive.criteria.l_diversity(exact, kind)
    )
