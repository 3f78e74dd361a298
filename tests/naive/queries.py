"""COUNT queries, on rows and on what is published of them."""

from fractions import Fraction


def count_query(rows, query):
    """How many rows, as dicts, have values in all sets of the query: `{column: set}`."""
    return sum(all(row[column] in asked for column, asked in query.items()) for row in rows)


def count_generalized(rows, query, sensitive):
    """The expected count of published rows, whose cells are lists of equally likely values."""
    total = Fraction(0)
    for row in rows:
        share = Fraction(row[sensitive] in query[sensitive])
        for column, asked in query.items():
            if column != sensitive:
                share *= Fraction(sum(value in asked for value in row[column]), len(row[column]))
        total += share
    return total


def count_bucketized(groups, query, sensitive):
    """The expected count of groups of rows, when anybody of a group may have any of its values."""
    known = {column: asked for column, asked in query.items() if column != sensitive}
    total = Fraction(0)
    for rows in groups:
        for row in rows:
            for other in rows:
                hit = count_query([row], known) and other[sensitive] in query[sensitive]
                total += Fraction(int(hit), len(rows))
    return total


def most_correlated(truths, expected, n):
    """Positions of the n counts farthest above and below what was expected, by their ratio."""
    ratios = [Fraction(truth) / expect for truth, expect in zip(truths, expected, strict=True)]
    order = range(len(ratios))
    above = sorted((j for j in order if ratios[j] > 1), key=lambda j: (-ratios[j], j))
    below = sorted((j for j in order if ratios[j] < 1), key=lambda j: (ratios[j], j))
    return above[:n], below[:n]
