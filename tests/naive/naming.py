"""Which texts of an open column a release may name, by going through the people."""

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
