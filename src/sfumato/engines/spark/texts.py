"""Texts of values as the embedded engine writes them, and fields of CSV that nobody runs."""

from __future__ import annotations

from pyspark.sql import Column
from pyspark.sql import functions as F

from sfumato.engines.csv_formulas import CELL, FORMULA
from sfumato.engines.spark.shortest import computed, shortest

TEXT, REAL, WHOLE = range(3)  # how a value is written that has no type
NUMBERS = {REAL: "double", WHOLE: "bigint"}
NUMBER = r"\A[+\-]?(\d+(\.\d*)?|\.\d+)([eE][+\-]?\d+)?\z"
SECOND = 1_000_000_000  # nanoseconds
SHOWN = "(?!22|27|5C)([2-6].|7[0-9A-E])"  # two digits of a byte that is shown as its letter
MOST_PLAIN, LEAST_PLAIN = 15, -4  # powers of ten that are written without an exponent


def text_of(value: Column, kind: str) -> Column:
    """Give the text of a value: 10000000.0 and 1e+16, 2026-01-02 03:04:05+00, true."""
    if kind in ("double", "float"):
        return computed(shortest(value, kind), _real)
    if kind == "timestamp":  # the session's time zone is UTC
        return F.concat(value.cast("string"), F.lit("+00"))
    if kind in ("nanos", "nanos_ntz"):
        return F.concat(_moment(value), F.lit("+00" if kind == "nanos" else ""))
    if kind == "binary":
        return _bytes(value)
    if kind.startswith(("array<", "struct<")):
        return F.to_json(F.struct(value))
    return value.cast("string")


def _moment(nanos: Column) -> Column:
    """Give the text of a number of nanoseconds since 1970: 2026-01-02 03:04:05.000000006."""
    fraction = F.pmod(nanos, F.lit(SECOND))
    seconds = F.call_function("div", nanos - fraction, F.lit(SECOND))
    digits = F.regexp_replace(F.lpad(fraction.cast("string"), 9, "0"), "0+$", "")
    behind = F.when(fraction > 0, F.concat(F.lit("."), digits)).otherwise("")
    return F.concat(F.timestamp_seconds(seconds).cast("string"), behind)


def _bytes(value: Column) -> Column:
    r"""Give the text of bytes: those of printable ASCII, and others as \xFF."""
    pairs = F.transform(
        F.sequence(F.lit(1), F.greatest(F.lit(1), 2 * F.octet_length(value)), F.lit(2)),
        lambda start: F.substring(F.hex(value), start, F.lit(2)),
    )
    shown = F.transform(
        pairs,
        lambda pair: F.when(pair.rlike(SHOWN), F.unhex(pair).cast("string")).otherwise(
            F.when(pair != "", F.concat(F.lit("\\x"), pair)).otherwise("")
        ),
    )
    return F.when(value.isNotNull(), F.array_join(shown, ""))


def _real(java: Column) -> Column:
    """Give the text of a float from that of Java, which is 1.0E7, 1.23E-4, Infinity."""
    sign = F.when(java.startswith("-"), "-").otherwise("")
    parts = F.struct(
        F.regexp_extract(java, r"E\+?(-?\d+)$", 1).try_cast("int").alias("exponent"),
        F.regexp_replace(F.regexp_extract(java, r"(\d(\.\d+)?)E", 1), r"\.?0+$|\.", "").alias(
            "digits"
        ),
    )
    written = computed(parts, lambda each: _placed(each["digits"], each["exponent"]))
    return (
        F.when(java.endswith("Infinity"), F.concat(sign, F.lit("inf")))
        .when(java.contains("E"), F.concat(sign, written))
        .otherwise(java)
    )


def _placed(digits: Column, exponent: Column) -> Column:
    """Write digits with their point, or with an exponent where that is far from them."""
    n_digits = F.length(digits)
    point = exponent + 1  # after so many digits
    whole = F.concat(F.rpad(digits, point, "0"), F.lit(".0"))
    parted = F.concat(
        F.substring(digits, F.lit(1), point), F.lit("."), F.substring(digits, point + 1, n_digits)
    )
    small = F.concat(F.lit("0."), F.repeat(F.lit("0"), -point), digits)
    plain = F.when(exponent < 0, small).when(n_digits <= point, whole).otherwise(parted)
    fraction = F.when(n_digits > 1, F.concat(F.lit("."), F.substring(digits, F.lit(2), n_digits)))
    size = F.abs(exponent).cast("string")
    short = F.concat(
        F.substring(digits, 1, 1),
        F.coalesce(fraction, F.lit("")),
        F.when(exponent < 0, "e-").otherwise("e+"),
        F.lpad(size, F.greatest(F.lit(2), F.length(size)), "0"),
    )
    return F.when(exponent.between(LEAST_PLAIN, MOST_PLAIN), plain).otherwise(short)


def written_as(text: Column) -> Column:
    """Say how a text is written: as a whole number, a real one, or neither.

    Only what a number gives back letter by letter is one, so no text is both; -0.0 is 0.0.
    """
    whole = text.try_cast("bigint").cast("string") == text
    number = text.try_cast("double")
    finite = ~F.isnan(number) & (F.abs(number) < float("inf")) & (text != "-0.0")
    real = finite & (text_of(number, "double") == text)
    return (
        F.when(whole, WHOLE).when(F.coalesce(real, F.lit(False)), REAL).when(text.isNotNull(), TEXT)
    )


def defused(text: Column) -> Column:
    """Give a text that no spreadsheet runs; see the embedded engine's `csv_text`."""
    marked = F.regexp_replace(text, f"{CELL}({FORMULA}|')", "$1'$2")
    marked = F.regexp_replace(marked, "^([\t\r])", "'$1")
    return F.when(text.rlike(NUMBER), text).otherwise(marked)


def undone(text: Column) -> Column:
    """Give a text without the apostrophes that `defused` gave it."""
    without = F.regexp_replace(text, f"{CELL}'", "$1")
    return F.when(text.contains("'"), without).otherwise(text)


def field_of(text: Column) -> Column:
    """Give a field of a CSV file: nothing for a missing value, quotes around an empty one."""
    quoted = F.concat(F.lit('"'), F.replace(text, F.lit('"'), F.lit('""')), F.lit('"'))
    field = F.when((text == "") | text.rlike('[",\r\n]'), quoted).otherwise(text)
    return F.coalesce(field, F.lit(""))
