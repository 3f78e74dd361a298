"""The shortest text that gives a float back, and of equally short ones the nearest to it.

Java's is another one in some thousand, before Java 19. So where it has many digits, a float is
written out with 18 of them, and rounded to fewer, half to even, as long as these give it back.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache

from pyspark.sql import Column
from pyspark.sql import functions as F

EXPONENTS = range(-1074, 971)  # of 2, beside a whole number of at most 55 bits
N_DIGITS = 18  # of a number that is rounded, and of each half of one in the table
SPARE = 3  # last digits of the 35 that are written out; they are not exact
LOG = 0.30102999566398120  # of 2, to base 10
# Of 64 and of 32 bits: so many digits are always different floats, so many always suffice.
SURE, ENOUGH = {"double": 15, "float": 6}, {"double": 17, "float": 9}
LEAST_NORMAL = {"double": 2.0**-1022, "float": 2.0**-126}
SURE_BELOW = {"double": float("inf"), "float": 2.0**24}  # so many digits are not halfway
MANTISSA, LEAST_UNIT = 23, -149  # bits of a float of 32 bits, and the exponent of its last one


def shortest(value: Column, kind: str) -> Column:
    """Give the text of a float with the digits of the embedded engine, in the form of Java's.

    That engine writes a float of 32 bits as one of 64 where two texts are equally near, or where a
    text lies halfway to another float. Zero, infinity, and what is no number are as Java has them.

    kind: "double" or "float".
    """
    return computed(value, lambda each: _shortest(each, kind))


def computed(value: Column, then: Callable[[Column], Column]) -> Column:
    """Compute a value once, and with it something that names it several times."""
    return F.element_at(F.transform(F.array(value), then), 1)


def _shortest(value: Column, kind: str) -> Column:
    java, size = value.cast("string"), F.abs(value.cast("double"))
    n_digits = F.length(F.regexp_replace(java, r"E.*|[-.]", ""))
    is_sure = (n_digits <= SURE[kind]) & (size >= LEAST_NORMAL[kind]) & (size < SURE_BELOW[kind])
    odd = (size == 0) | (size == float("inf")) | F.isnan(size)
    found = _of_64_bits(size) if kind == "double" else _of_32_bits(size)
    signed = F.concat(F.when(value < 0, F.lit("-")).otherwise(F.lit("")), found)
    return F.when(is_sure | odd, java).otherwise(signed)


def _of_64_bits(size: Column) -> Column:
    """Give the digits of a float of 64 bits."""

    def judged(text: Column, _: Column) -> Column:
        return F.when(text.try_cast("double") == size, text)

    return computed(_rounded(size, "double", _written_out(size), judged), _as_java)


def _of_32_bits(size: Column) -> Column:
    """Give the digits of a float of 32 bits, or of the same number in 64 where these do not do.

    With 64 bits the float and what is halfway to the next ones are exact, and Java's digits near
    enough.
    """
    java = F.format_string(f"%.{N_DIGITS - 1}e", size)
    number = F.struct(
        F.replace(F.substring(java, 1, N_DIGITS + 1), F.lit("."), F.lit(""))
        .try_cast("bigint")  # the text of what is missing is "null"
        .alias("z"),
        F.substring(java, N_DIGITS + 3, 9).try_cast("int").alias("p"),
    )
    power = F.floor(F.log2(size) + 1e-9)
    unit = F.pow(F.lit(2.0), F.greatest(power - MANTISSA, F.lit(LEAST_UNIT)))
    is_least = (size == F.pow(F.lit(2.0), power)) & (size > LEAST_NORMAL["float"])
    low = size - F.when(is_least, unit / 4).otherwise(unit / 2)
    between = F.struct(low.alias("low"), (size + unit / 2).alias("high"))

    def of_both(ends: Column) -> Column:
        def judged(text: Column, is_tie: Column) -> Column:
            return computed(
                text.try_cast("double"),
                lambda x: F.when((x > ends["low"]) & (x < ends["high"]) & ~is_tie, text).when(
                    x.between(ends["low"], ends["high"]), F.lit("")
                ),
            )

        return _rounded(size, "float", number, judged)

    return computed(
        computed(between, of_both),
        lambda text: F.when(text != "", _as_java(text)).otherwise(shortest(size, "double")),
    )


def _rounded(
    size: Column, kind: str, number: Column, judged: Callable[[Column, Column], Column]
) -> Column:
    """Round a number to ever more digits; give the first text that is found to do.

    Of each length the nearest is tried, and the next one, since a power of two has other floats
    nearer below it than above.

    Args:
        size: The float.
        kind: Of 64 or of 32 bits.
        number: Its first digits `z`, and the power of ten `p` of the very first.
        judged: Takes a text, and whether another is equally near; gives none if it does not do.
    """
    first = F.when(size < LEAST_NORMAL[kind], 1).otherwise(SURE[kind])

    def of_length(n: Column, z: Column, p: Column) -> Column:
        unit = F.pow(F.lit(10.0), N_DIGITS - n).cast("bigint")
        head = F.call_function("div", z, unit)

        def of_parts(each: Column) -> Column:
            twice = (z - each["head"] * each["unit"]) * 2 - each["unit"]
            up = (twice > 0) | ((twice == 0) & (each["head"] % 2 == 1))
            near = each["head"] + up.cast("bigint")

            def written(whole: Column) -> Column:
                power = F.concat(F.lit("E"), (p + 1 - n).cast("string"))
                return F.concat(whole.cast("string"), power)

            return F.coalesce(
                computed(written(near), lambda text: judged(text, twice == 0)),
                computed(written(near + 1), lambda text: judged(text, F.lit(False))),
            )

        return computed(F.struct(unit.alias("unit"), head.alias("head")), of_parts)

    def of_all(each: Column) -> Column:
        lengths = F.sequence(first, F.lit(ENOUGH[kind]))
        return F.transform(lengths, lambda n: of_length(n, each["z"], each["p"]))

    found = F.filter(computed(number, of_all), lambda text: text.isNotNull())
    return F.try_element_at(found, F.lit(1))


def _as_java(text: Column) -> Column:
    """Give 1234E-5 as 1.2340E-2."""
    parts = F.split(text, "E")
    digits = F.element_at(parts, 1)
    power = F.element_at(parts, 2).cast("int") + F.length(digits) - 1
    rest = F.substring(digits, F.lit(2), F.length(digits))
    return F.concat(F.substring(digits, 1, 1), F.lit("."), rest, F.lit("0E"), power.cast("string"))


def _written_out(size: Column) -> Column:
    """Take a float apart, m * 2^e, and give its first digits `z`, and the power of the first, `p`.

    The last of them is not 0 or 5 where others follow, so rounding to fewer is never a tie by
    mistake.
    """
    first, second = (
        F.split(F.lit(each), ",").cast(f"array<decimal({N_DIGITS},0)>") for each in _table()
    )

    def written(e: Column) -> Column:
        half = F.floor(e / 2)
        scaled = size * F.pow(F.lit(2.0), -half) * F.pow(F.lit(2.0), half - e)
        place = (e - EXPONENTS.start + 1).cast("int")

        def product(m: Column) -> Column:
            low = m * F.element_at(second, place)
            high = F.call_function("div", low, F.lit(10**N_DIGITS).cast("decimal(19,0)"))
            even = (high + 5 * 10 ** (SPARE - 1)).cast("decimal(18,0)")
            return (m * F.element_at(first, place) + even).cast("string")

        def cut(text: Column) -> Column:
            n = F.length(text)
            start = F.rpad(
                F.substring(text, F.lit(1), F.least(n - SPARE, F.lit(N_DIGITS))), N_DIGITS, "0"
            )
            others = F.substring(text, F.lit(N_DIGITS + 1), n - (SPARE + N_DIGITS))
            follow = others.rlike("[1-9]") & start.rlike("[05]$")
            return F.struct(
                (start.cast("bigint") + follow.cast("bigint")).alias("z"),
                (F.floor(e * LOG) + n - N_DIGITS).cast("int").alias("p"),
            )

        return computed(computed(scaled.cast("bigint").cast("decimal(17,0)"), product), cut)

    exponent = (F.floor(F.log2(size)) - 53).cast("int")  # perhaps by one too high, or too low
    least, most = F.lit(EXPONENTS.start), F.lit(EXPONENTS.stop - 1)
    return computed(F.least(F.greatest(exponent, least), most), written)


@cache
def _table() -> tuple[str, str]:
    """Give 2^e for every exponent as its first digits and the next ones."""
    firsts, seconds = [], []
    for e in EXPONENTS:
        ten = Fraction(10) ** (2 * N_DIGITS - 1 - int(e * LOG // 1))
        first, second = divmod(int(Fraction(2) ** e * ten), 10**N_DIGITS)
        firsts.append(str(first))
        seconds.append(str(second))
    return ",".join(firsts), ",".join(seconds)
