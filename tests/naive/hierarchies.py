"""Hierarchies as rows of labels."""


def hierarchy_from_parents(parents):
    """Rows of labels from `{child: parent}`, where every leaf has the same depth."""
    rows = []
    for leaf in parents:
        if leaf not in parents.values():
            path = [leaf]
            while path[-1] in parents:
                path.append(parents[path[-1]])
            rows.append(tuple(path))
    return rows


def label_at(hierarchy, value, level):
    """What a ground value is called at a level."""
    for labels in hierarchy:
        if labels[0] == value:
            return labels[level]
    raise KeyError(value)


def levels_of(hierarchy, label):
    """All levels at which a label stands."""
    return [level for level in range(len(hierarchy[0])) if label in {r[level] for r in hierarchy}]


def coverage(hierarchy, value, level):
    """Number of ground values under the node that holds `value` (Wong 2009, definition 6)."""
    label = label_at(hierarchy, value, level)
    return sum(labels[level] == label for labels in hierarchy)


def base(hierarchy):
    """Number of ground values (Wong 2009, definition 6)."""
    return len(hierarchy)


def masked_rows(codes, mask, name):
    """Rows of labels of codes that lose one more character from the right at each level.

    mask(beginning, n_masked) and name(code) write a label; a code that is short enough stays.
    """
    longest = max(map(len, codes))
    return [
        (
            code,
            *(
                name(code) if len(code) <= shown else mask(code[:shown], longest - shown)
                for shown in range(longest - 1, 0, -1)
            ),
            "*",
        )
        for code in sorted(codes)
    ]
