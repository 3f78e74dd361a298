"""Quotes of a CSV file, letter by letter."""


def quotes(text: str, delimiter: str) -> tuple[bool, bool, bool]:
    """Say whether a line ends inside quotes, whether one opens within a field, and the last ends.

    A field is quoted from a quote at its beginning, or after another quote, to the next one.
    """
    over_lines = stray = inside = False
    before = "\n"
    for letter in text:
        if letter == '"':
            stray = stray or (not inside and before not in f'{delimiter}"\n\r')
            inside = not inside
        elif inside and letter in "\n\r":
            over_lines = True
        before = letter
    return over_lines, stray, not inside
