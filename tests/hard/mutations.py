"""Damage to bytes, to nested values and to parameters, all from a seeded stream of chance."""

import copy
import datetime
import json
import random
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction

import numpy as np

from descriptions import renewed

PIECES = [
    *(b'"', b'""', b",", b";", b"\t", b"|", b"\n", b"\r\n", b"\r", b"\0", b"\\", b"'", b"=", b"#"),
    *(
        b"\xff",
        b"\xc3",
        b"\xef\xbb\xbf",
        b"\xed\xa0\x80",
        "é".encode(),
        "\u2028".encode(),
        b"\x1b[",
    ),
    *(b"-1", b"0", b"1e999", b"nan", b"9" * 400, b"[", b"]", b"{", b"}", b"*", b" ", b"null"),
    *(b"true", b"[[", b"]]", b'"""', b"missing", b"0x" + b"f" * 80, b"=1+1", b"../", b"2026-02-30"),
]

WORDS = [
    *("", " ", "x", "*", "missing", "age", "AGE", "sex", "disease", "\n", "a\nb", "\0", "'", '"'),
    *("=1+1", "\u2028", "\x1b[31m", "é" * 9, "x" * 5000, "1/3", "1/0", "1e999999999", "nan", "-5"),
    *("[0, 5)", "<5", ">=m", "{a, b}", "not missing", "../..", "0x10", "True", "2026-11-15"),
]

# What a job file or a JSON file can hold.
PLAIN = [
    *(None, True, False, 0, -1, 1, 2, 3, 10**18, 10**30, -(10**30), 0.5, 1.0, -0.5, 1e308, 5e-324),
    *(float("nan"), float("inf"), float("-inf"), *WORDS),
    *([], [[]], [1], ["x"], [None], {}, {"x": 1}, {"": {}}, {"k": 2}, {"flat": True}, [{"k": 2}]),
]

# What a program can hand over.
ANYTHING = [
    *PLAIN,
    *(10**5000, -(10**5000), [10**5000], (), (1, 2), set(), {1}, frozenset({"x"}), b"", b"x", 1j),
    *(Decimal("NaN"), Decimal("sNaN"), Decimal("Infinity"), Decimal("1e999999"), Decimal("0.5")),
    *(Fraction(1, 3), Fraction(10**400, 3), np.int64(3), np.float64(0.5), np.float32(2), np.nan),
    *(np.bool_(True), np.array(2), np.array([1, 2]), np.array(["a"]), object(), int, print),
    *(
        datetime.date(2026, 11, 15),
        datetime.datetime(2026, 11, 15),
        range(3),
        iter([1]),
        "x" * 10**5,
    ),
]


def damaged_bytes(chance: random.Random, data: bytes) -> bytes:
    """Change a few places of a file."""
    found = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        start = chance.randrange(len(found) + 1)
        end = min(len(found), start + chance.choice([1, 1, 2, 5, 20, 200]))
        how = chance.randrange(6)
        if how == 0:
            found[start:start] = chance.choice(PIECES)
        elif how == 1:
            found[start:end] = chance.choice(PIECES)
        elif how == 2:
            del found[start:end]
        elif how == 3:
            found[start:start] = found[start:end]
        elif how == 4:
            found[start:end] = bytes(chance.randrange(256) for _ in range(end - start))
        elif chance.random() < 0.2:
            del found[start:]
    return bytes(found)


def damaged_value(chance: random.Random, value: object, junk: list = PLAIN) -> object:
    """Change a few places of nested dicts and lists; the value itself stays as it was."""
    found = {"": copy.deepcopy(value)}
    for _ in range(chance.choice([1, 1, 1, 2, 3])):
        places = list(_places(found))
        owner, key = chance.choice(places)
        how = chance.randrange(8)
        if how == 0 and owner is not found:
            del owner[key]
        elif how == 1 and isinstance(owner, dict) and owner is not found:
            owner[chance.choice(WORDS)] = owner.pop(key)
        elif how == 2 and isinstance(owner, list):
            owner.insert(key, copy.deepcopy(owner[key]))
        elif how == 3:  # something from elsewhere in the same file
            other, there = chance.choice(places)
            owner[key] = copy.deepcopy(other[there])
        elif how == 4 and isinstance(owner[key], (dict, list)):
            if isinstance(owner[key], dict):
                owner[key][chance.choice(WORDS)] = copy.deepcopy(chance.choice(junk))
            else:
                owner[key].append(copy.deepcopy(chance.choice(junk)))
        elif how == 5 and isinstance(owner[key], str):
            owner[key] = damaged_bytes(chance, owner[key].encode()).decode("utf-8", "replace")
        elif how == 6 and type(owner[key]) is int:
            owner[key] += chance.choice([-1, 1, 10, -10, 2**31, 2**63])
        else:
            owner[key] = copy.deepcopy(chance.choice(junk))
    return found[""]


def _places(value):
    """Give every place in a nested value as (container, key)."""
    entries = value.items() if isinstance(value, dict) else enumerate(value)
    for key, inner in list(entries):
        yield value, key
        if isinstance(inner, (dict, list)):
            yield from _places(inner)


def toml(document: dict) -> str:
    """Write a dict as TOML; what TOML has no word for is left out."""
    return "".join(
        f"{json.dumps(key)} = {_toml(value)}\n"
        for key, value in document.items()
        if value is not None
    )


def _toml(value: object) -> str:
    if isinstance(value, dict):
        inside = ", ".join(
            f"{json.dumps(key)} = {_toml(each)}" for key, each in value.items() if each is not None
        )
        return f"{{ {inside} }}"
    if isinstance(value, list):
        return f"[{', '.join(_toml(each) for each in value if each is not None)}]"
    if isinstance(value, float):
        return repr(value)  # nan and inf are TOML
    return json.dumps(value)


def damaged_description(chance, document):
    """Damage a `release.json`, and give it a checksum that fits, if it can still have one."""
    if chance.random() < 0.7:
        return renewed(damaged_value(chance, document)).encode()
    data = damaged_bytes(chance, json.dumps(document, indent=2).encode())
    with suppress(ValueError, RecursionError):  # not JSON any more
        data = renewed(json.loads(data)).encode()
    return data
