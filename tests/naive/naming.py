"""Which texts of an open column a release may name, by going through the people."""

from itertools import pairwise

OTHER = "other"


def may_be_named(values, fewest):
    """Texts that so many people have, as they are; none of them is called like the joined one."""
    return {
        value
        for value in values
        if value is not None and values.count(value) >= fewest and value.casefold() != OTHER
    }


def other_holds(values, fewest):
    """The values that are not named, if they are published as `other`; None: they are not."""
    rest = [v for v in values if v is not None and v not in may_be_named(values, fewest)]
    return set(rest) if len(set(rest)) > 1 and len(rest) >= fewest else None


def sharing(codes, beginning):
    """How many people have a code that begins so."""
    return sum(code.startswith(beginning) for code in codes)


def told_by(codes, bound):
    """What a bound tells of the first code not below it: what parts it from the one below."""
    value = min(code for code in codes if code >= bound)
    below = max((code for code in codes if code < bound), default="")
    return next(value[:n] for n in range(len(value) + 1) if not below.startswith(value[:n]))


def longest_shared(codes, fewest):
    """Beginnings, and whole codes (with an end), that many people share while nothing longer is."""
    ended = [code + "$" for code in codes]  # before all letters and digits
    every = {code[:n] for code in ended for n in range(1, len(code) + 1)}
    many = {each for each in every if sharing(ended, each) >= fewest}
    return sorted(a for a in many if not any(b != a and b.startswith(a) for b in many))


def bounds_of(codes, fewest):
    """Where ranges of codes may begin, going through all pairs of letters."""
    found = set()
    beginnings = longest_shared(codes, fewest)
    for below, above in pairwise(beginnings):
        n = next(n for n in range(len(above)) if above[n] != below[n : n + 1])
        found.add(above[: n + 1])
    return found
