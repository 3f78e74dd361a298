"""A cut against several earlier releases at once.

Comparing with each earlier release by itself is fast and necessary, not enough. So a whole run
goes by pairs of releases, and its end is judged by all of them together (`Past`), and by the cells
that people are known to be in (`CellPromise`). If that is not safe, the first replacement that was
not is looked for by halves and set aside, and the run goes on from before it. At the end every node
that was set aside is tried once more: so the cut is safe, and no node can be replaced.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sfumato.algorithms.bcf.on_cells import CellPromise
from sfumato.algorithms.bcf.specialization import OPEN, Specialization
from sfumato.algorithms.top_down.by_cut import Node
from sfumato.criteria.criterion import Criterion
from sfumato.errors import Unsatisfiable
from sfumato.formulas.correspondence.cells import PublishedClasses
from sfumato.formulas.correspondence.earlier_releases import Past
from sfumato.progress import report

Begin = Callable[[Sequence[PublishedClasses]], Specialization]


def against_all(
    begin: Begin, criterion: Criterion, past: Past, cells: CellPromise | None
) -> Specialization:
    """Specialize until nothing can be.

    Args:
        begin: Starts a search with everything generalized, against some earlier releases one by
            one.
        criterion: What is promised.
        past: The earlier releases.
        cells: What is promised of known cells.

    Raises:
        Unsatisfiable: The earlier releases leave too little by themselves.
    """
    safe: list[Node] = []  # replacements after which all releases were found safe together
    aside: list[Node] = []
    while True:
        search = begin(past.releases)
        nodes = search.run(safe, aside)
        if not _is_safe(search, past, cells):
            safe, broken = _before_the_first(begin, safe, nodes, criterion, past, cells)
            aside.append(broken)
            continue
        following = next(
            (each for each in aside if _can_follow(begin, search, nodes, each, past, cells)), None
        )
        if following is None:
            return search
        safe, aside = [*nodes, following], [each for each in aside if each != following]


def _before_the_first(
    begin: Begin,
    safe: list[Node],
    nodes: list[Node],
    criterion: Criterion,
    past: Past,
    cells: CellPromise | None,
) -> tuple[list[Node], Node]:
    """Find a replacement that is not safe after those before it, which are."""
    low, high = len(safe), len(nodes)  # safe after so many, not safe after so many
    if low == 0 and not _is_safe(begin(()), past, cells):
        raise Unsatisfiable(
            f"no release that satisfies {criterion} is found: the earlier releases leave too "
            "little to somebody who compares them with each other, even with everything "
            "generalized; start a new chain of releases without the records published"
        )
    while high - low > 1:
        middle = (low + high) // 2
        if _is_safe(_after(begin, nodes[:middle]), past, cells):
            low = middle
        else:
            high = middle
    return nodes[:low], nodes[low]


def _can_follow(
    begin: Begin,
    search: Specialization,
    nodes: list[Node],
    node: Node,
    past: Past,
    cells: CellPromise | None,
) -> bool:
    """Whether a node that was set aside can be replaced after all, at the end of a search."""
    if search.judge(search.table.split(node)).state != OPEN:
        return False
    return _is_safe(_after(begin, [*nodes, node]), past, cells)


def _after(begin: Begin, nodes: list[Node]) -> Specialization:
    search = begin(())
    search.replace(nodes)
    return search


def _is_safe(search: Specialization, past: Past, cells: CellPromise | None) -> bool:
    """Judge all releases at once, and the cells that people are known to be in."""
    report("comparing all releases")
    release = search.classes()
    if len(past.releases) > 1:  # one was compared exactly already
        if not past.fewest_left(release, search.k)[1]:
            return False
        left = None if search.others is None else past.left(release)
        if search.others is not None and (left is None or len(search.unsafe(*left))):
            return False
    return cells is None or cells.broken(release) is None
