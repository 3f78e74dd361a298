"""Who on a list of people may be behind published texts without an order, by every possible world.

A world says what every text on the list is that no row shows: one of those that are `other`, or a
name all of whose people nobody sees, since they were suppressed or are published as `*`.
"""

from itertools import combinations, product

OTHER = "other"


def names(label):
    """Texts of a label that is a name or a set of plain names."""
    if label is None or label == "*":
        return []
    return label[1:-1].split(", ") if label.startswith("{") else [label]


def worlds(labels, listed, n_suppressed, least, *, rest):
    """Give the sets of listed texts that are not in `other`; rest: whether that is no text itself.

    labels: of the published rows.
    """
    shown = {name for label in labels for name in names(label)}
    if not rest:
        return [set(listed)]
    named = shown - {OTHER}
    open_ = [v for v in listed if v is not None and v not in named and v.casefold() != OTHER]
    n_hidden = n_suppressed + labels.count("*")
    hidden = [
        set(each)
        for n in range(len(open_) + 1)
        for each in combinations(open_, n)
        if n * least <= n_hidden
    ]
    return [named | each for each in hidden]


def fits(value, label, named, *, rest):
    """Whether a value is behind a label in a world."""
    if label == "*":
        return True
    if value is None:
        return label is None or "missing" in names(label)
    if OTHER in names(label) and rest and value not in named:
        return True
    return value in names(label) and (value != OTHER or not rest)


def who_fits(rows, people, n_suppressed, least, rest):
    """Count for every kind of row who fits it in all worlds, and who does in one.

    rows, people: tuples, a text for every column; least, rest: by column.
    """
    columns = range(len(rows[0]))
    of_column = [
        worlds(
            [row[j] for row in rows],
            sorted({p[j] for p in people}, key=str),
            n_suppressed,
            least[j],
            rest=rest[j],
        )
        for j in columns
    ]
    found = {}
    for row in set(rows):
        in_worlds = [
            [
                all(fits(p[j], row[j], world[j], rest=rest[j]) for j in columns)
                for world in product(*of_column)
            ]
            for p in people
        ]
        found[row] = sum(map(all, in_worlds)), sum(map(any, in_worlds))
    return found
