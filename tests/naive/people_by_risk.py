"""Whom quasi-identifiers let recognize, person by person."""

from fractions import Fraction


def risks(rows, columns):
    """Give the risk of every row: 1 by the number of rows that are equal in the columns."""
    people = [tuple(row[c] for c in columns) for row in rows]
    return [Fraction(1, people.count(person)) for person in people]


def people_above(risks, risk):
    """Count the people whose risk is above one."""
    return sum(each > Fraction(risk) for each in risks)


def people_between(risks, low, high):
    """Count the people whose risk is above `low` and at most `high`."""
    return sum(Fraction(low) < each <= Fraction(high) for each in risks)
