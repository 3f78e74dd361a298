"""What a release shows of a closed tree: the names from published nodes up to the root."""


def largest_nodes(rows, low, high):
    """Cover an interval of rows with the largest nodes inside it; each as (rows, highest level)."""
    found = []
    while low <= high:
        for level in range(len(rows[0]) - 1, -1, -1):
            node = nodes_with(rows, low, level)
            if node[0] == low and node[-1] <= high:
                break
        found.append((node, level))
        low = node[-1] + 1
    return found


def nodes_with(rows, row, level):
    """The rows that share a node with one of them at a level."""
    if level == 0:
        return [row]
    label = rows[row][level]
    return [j for j, other in enumerate(rows) if other[level] == label]


def ways_up(rows, sides, level=None):
    """The ways from the largest nodes of some intervals, each from its lowest level; sorted.

    level: at which all nodes are published that are nodes there.
    """
    ways = set()
    for low, high in sides:
        for node, _ in largest_nodes(rows, low, high):
            first = next(each for each in range(len(rows[0])) if is_node(rows, node, each))
            if level is not None and is_node(rows, node, level):
                first = level
            names = [name for name in rows[node[0]][first:] if name is not None]
            if names:
                ways.add(tuple(dict.fromkeys(names)))
    return sorted(ways, key=str)


def is_node(rows, node, level):
    """Whether some rows are a node of a level."""
    return nodes_with(rows, node[0], level) == node
