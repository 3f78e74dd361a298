"""Rows that stand together, and people with any number of sensitive values."""

from collections import Counter


def rows_by_group(rows, columns):
    """Rows that are equal in the given columns stand together: `{values: [row, ...]}`."""
    groups = {}
    for row in rows:
        groups.setdefault(tuple(row[column] for column in columns), []).append(row)
    return groups


def histogram(values):
    """How often each value occurs: `{value: count}`."""
    return dict(Counter(values))


def people_of(rows, person, known, value):
    """Put rows, one for each value of a person, together: `{person: (known values, Counter)}`.

    `rows` is a list of dicts; a missing value is none.
    """
    found = {}
    for row in rows:
        same = tuple(row[name] for name in known)
        assert found.setdefault(row[person], (same, Counter()))[0] == same
        if row[value] is not None:
            found[row[person]][1][row[value]] += 1
    return found


def sets_counted(people):
    """Count whole sets: `{(known values, sorted values with their repetitions): people}`."""
    return Counter((known, tuple(sorted(values.elements()))) for known, values in people)


def occurrences_counted(people):
    """Count people and single values by what is known: `{known values: (people, Counter)}`."""
    found = {}
    for known, values in people:
        n, occurring = found.get(known, (0, Counter()))
        found[known] = (n + 1, occurring + values)
    return found
