"""What a spreadsheet would run: where a cell may begin, what it passes over, what a formula is."""

from __future__ import annotations

import re

# Readers of other countries part lines at semicolons, tabs or bars, and then a quote in the middle
# of a cell is none, so that the line may end inside it.
CELL = "(^|[;\t|\n\r])"
# Blanks, and what nobody sees: controls, soft hyphen, zero-width, marks of direction and of order.
BLANKS = (
    "[\x01-\x08\x0b\x0c\x0e-\x20\x7f-\xa0\xad\u061c\u1680\u180e\u2000-\u200f\u2028-\u202f"
    "\u205f-\u206f\u3000\ufeff]*"
)
FORMULA = BLANKS + "[=+\\-@＝＋－＠﹦﹢﹣﹫]"  # wide and small forms, too
RUN = re.compile(f"^\t|{CELL}{FORMULA}")


def could_run(text: str) -> bool:
    r"""Whether a spreadsheet might run a text, or a part of it.

    >>> could_run("age"), could_run("=1"), could_run("a|\u00a0=1"), could_run("a - b")
    (False, True, True, False)
    """
    return RUN.search(text) is not None
