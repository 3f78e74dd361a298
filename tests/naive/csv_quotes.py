"""Quotes of a CSV file, letter by letter."""


def quotes(text: str, delimiter: str) -> tuple[bool, bool]:
    """Say whether rows are found in their order only, and whether every quoted field ends.

    A field that begins with a quote, or one space and a quote, is quoted up to a quote that is not
    doubled. A line end in it, or a quote outside of such fields, leaves rows in their order only.
    """
    in_order = inside = False
    before = "\n\n"
    letters = iter([*text, ""])
    letter = next(letters)
    while letter:
        following = next(letters)
        if inside and letter == following == '"':
            before, letter = '""', next(letters)
            continue
        if letter == '"' and inside:
            inside = False
        elif letter == '"':
            begins = (delimiter, "\n", "\r")
            inside = before[-1] in begins or (before[-1] == " " and before[0] in begins)
            in_order = in_order or not inside
        elif inside and letter in "\n\r":
            in_order = True
        before = before[-1] + letter
        letter = following
    return in_order, not inside
