"""Write the generated tables of the documentation: `make docs`.

A table stands between `<!-- make docs: NAME -->` and `<!-- end -->`; what is between them is
replaced, and nothing else is touched.
"""

import re
from collections.abc import Callable
from pathlib import Path

from sfumato.algorithms import compatibility as registry
from sfumato.algorithms import figure_2

DOCS = Path(__file__).parents[1] / "docs"
TABLES: dict[str, Callable[[], str]] = {"pairs": registry.markdown, "figure2": figure_2.markdown}
TABLE = re.compile(r"(<!-- make docs: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def written(page: str) -> str:
    """Give a page with its tables as they are now."""
    return TABLE.sub(lambda found: f"{found[1]}{TABLES[found[2]]()}\n{found[3]}", page)


if __name__ == "__main__":
    for place in sorted(DOCS.glob("**/*.md")):
        before = place.read_text(encoding="utf-8")
        after = written(before)
        if after != before:
            place.write_text(after, encoding="utf-8")
            print(f"{place}: written")
