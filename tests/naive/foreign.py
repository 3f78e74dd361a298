"""Columns of Python values by the rules of docs/reading.md, one value at a time."""

import datetime
import math


def without_nan(value):
    return None if isinstance(value, float) and math.isnan(value) else value


def is_whole(value):
    if isinstance(value, bool):
        return False
    if isinstance(value, int):
        return True
    return isinstance(value, float) and value == math.floor(value) and abs(value) <= 2**53


def text(value):
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if is_whole(value):
        return str(int(value))
    if isinstance(value, datetime.datetime):
        midnight = (value.hour, value.minute, value.second, value.microsecond) == (0, 0, 0, 0)
        return value.date().isoformat() if midnight else value.isoformat(" ")
    if isinstance(value, (datetime.date, datetime.time)):
        return value.isoformat()
    return repr(value)


def column(values):
    """The values as they are read: of one kind, or else as texts."""
    values = [without_nan(value) for value in values]
    there = [value for value in values if value is not None]

    def all_are(test):
        return all(map(test, there))

    if all_are(lambda v: isinstance(v, bool)):
        return values
    if all_are(lambda v: is_whole(v) and abs(v) < 2**63):
        return [None if v is None else int(v) for v in values]
    if all_are(lambda v: isinstance(v, (int, float)) and not isinstance(v, bool)) and all_are(
        lambda v: isinstance(v, float) or abs(v) <= 2**53
    ):
        return [None if v is None else float(v) for v in values]
    if all_are(lambda v: isinstance(v, datetime.date)):
        moments = [
            v
            if v is None or isinstance(v, datetime.datetime)
            else datetime.datetime.combine(v, datetime.time())
            for v in values
        ]
        if all(v is None or v.time() == datetime.time() for v in moments):
            return [None if v is None else v.date() for v in moments]
        return moments
    if all_are(lambda v: isinstance(v, datetime.time)):
        return values
    return [None if v is None else text(v) for v in values]
