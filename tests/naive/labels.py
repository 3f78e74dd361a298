"""What a published text says of the person behind it."""


def fits(value, label, is_under, order):
    """Whether a person with a value may be behind a published label, read as text.

    is_under(value, label): the label is the value's ancestor; order: what ranges compare.
    """
    if label is None:
        return value is None
    if label == "*" or is_under(value, label):
        return True
    if label == "not missing":
        return value is not None
    if label.endswith(" or missing"):
        return value is None or fits(value, label.removesuffix(" or missing"), is_under, order)
    if label.startswith("{"):
        names = label.strip("{}").split(", ")
        return any(
            value is None if name == "missing" else fits(value, name, is_under, order)
            for name in names
        )
    if value is None:
        return False
    if label.startswith("<"):
        return order(value) < order(label[1:])
    if label.startswith(">="):
        return order(value) >= order(label[2:])
    if label.startswith("["):
        low, high = label[1:-1].split(", ")
        return order(low) <= order(value) < order(high)
    return str(value) == label
