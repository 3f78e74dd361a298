"""What compiled loops do with keys of the lattice, row by row."""


def climbed(rows, lows, starts):
    """Codes of rows with some columns at another level."""
    return [
        tuple(
            code if start < 0 else lows[start + code]
            for code, start in zip(row, starts, strict=True)
        )
        for row in rows
    ]


def costs_of(rows, costs, starts):
    """What each row costs in the columns whose costs begin somewhere."""
    return [
        sum(costs[start + code] for code, start in zip(row, starts, strict=True) if start >= 0)
        for row in rows
    ]


def left_out(rows, counts, gains, k):
    """People in groups of fewer than k, and what they gain."""
    groups = {}
    for j, row in enumerate(rows):
        groups.setdefault(tuple(row), []).append(j)
    small = [j for group in groups.values() if sum(counts[i] for i in group) < k for j in group]
    return sum(counts[j] for j in small), sum(gains[j] for j in small)
