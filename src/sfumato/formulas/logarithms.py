"""Logarithms of fractions against fractions, decided without floating-point luck.

A logarithm of a fraction is seldom rational, so a tie can be told from the numbers alone: ln x is
0 for x = 1 and irrational for every other fraction x (Lindemann); log2 x is an integer for a power
of 2 and irrational else, since x^b = 2^a for no other x. What is no tie is decided by interval
arithmetic, with as many digits as it takes.
"""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction


def compare_ln(number: Fraction, bound: Fraction) -> int:
    """Give the sign of ln number - bound; number > 0.

    >>> [compare_ln(Fraction(1, 2), bound) for bound in (Fraction(-1), Fraction("-0.6931"), 0)]
    [1, -1, -1]
    >>> compare_ln(Fraction(1), Fraction(0))
    0
    """
    if number == 1:
        return _sign(-bound)
    return _sign_of_sum([(number.numerator, 1), (number.denominator, -1)], -Fraction(bound))


def compare_log2(number: Fraction, bound: Fraction) -> int:
    """Give the sign of log2 number - bound; number > 0.

    >>> [compare_log2(Fraction(n), Fraction(3)) for n in (7, 8, 9)]
    [-1, 0, 1]
    >>> compare_log2(Fraction(1, 8), Fraction(-3))
    0
    """
    bits = number.numerator.bit_length() - number.denominator.bit_length()  # of the logarithm
    if bound > bits + 1 or bound < bits - 1:
        return -1 if bound > bits + 1 else 1
    if bound.denominator == 1:
        return _sign(number - Fraction(2) ** bound.numerator)
    numbers = [(number.numerator, bound.denominator), (number.denominator, -bound.denominator)]
    return _sign_of_sum([*numbers, (2, -bound.numerator)], Fraction(0))


def log2_beside(number: Fraction, bound: Fraction) -> float:
    """Give log2 number as a float: right for a power of 2, else on its own side of the bound.

    >>> log2_beside(Fraction(1, 8), Fraction(2)), log2_beside(Fraction(4), Fraction(2))
    (-3.0, 2.0)
    >>> barely = Fraction(2**60 - 1, 2**58)  # a float of its logarithm would be 2
    >>> log2_beside(barely, Fraction(2)), log2_beside(barely, Fraction(1))
    (1.9999999999999998, 2.0)
    """
    power = number.numerator.bit_length() - number.denominator.bit_length()
    if number == Fraction(2) ** power:
        return float(power)
    if Fraction(1, 2) < number < 2:
        logarithm = math.log1p(number - 1) / math.log(2)
    else:
        logarithm = math.log2(number.numerator) - math.log2(number.denominator)
    side = compare_log2(number, bound)
    if side != _sign(Fraction(logarithm) - bound):
        logarithm = float(bound)
        while side != _sign(Fraction(logarithm) - bound):
            logarithm = math.nextafter(logarithm, side * math.inf)
    return logarithm


def _sign_of_sum(terms: list[tuple[int, int]], rest: Fraction) -> int:
    """Give the sign of a sum of multiples of logarithms and a fraction; it is not 0."""
    digits = 30
    while True:
        with localcontext(prec=digits):
            parts = [Decimal(number).ln() * times for number, times in terms]
            parts.append(Decimal(rest.numerator) / Decimal(rest.denominator))
            total = sum(parts, Decimal(0))
            # Every part and every partial sum is right to its last digit.
            wrong_by = sum(map(abs, parts), Decimal(0)) * Decimal(10) ** (5 - digits)
            if abs(total) > wrong_by:
                return 1 if total > 0 else -1
        digits *= 2


def _sign(number: Fraction) -> int:
    return (number > 0) - (number < 0)
