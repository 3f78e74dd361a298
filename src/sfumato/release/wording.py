"""Plain words for what a release promises, and for what was done to its columns."""

from __future__ import annotations

from sfumato.criteria import Criterion
from sfumato.release.description import Description
from sfumato.text import counted, people


def promise_in_words(part: Criterion, *, bucketized: bool = False) -> str:
    """Say one part of a promise without its symbols; two tables (`bucketized`) hide nobody."""
    if bucketized and part.size_alone:
        return (
            f"Every group has at least {people(part.least_size)}. Their quasi-identifiers are "
            "published as they are, so anybody finds a person's row and group; what is hidden is "
            "whose the values of a group are."
        )
    said = part.in_words()
    return (
        said if part.attribute is None else f"About {part.attribute}: {said[0].lower()}{said[1:]}"
    )


def published_as(description: Description, name: str) -> str:
    """Say how a column is published."""
    if name == description.masked:
        return "as it is, or changed by lot"
    if name not in description.quasi_identifiers:
        return "as it is"
    rule = description.hierarchies.get(name)
    behind = "" if rule is None else f" ({rule.in_words()})"
    if description.levels is not None:
        level = description.levels[name]
        said = f"level {level}{behind}" if level else "as it is (level 0)"
        n = description.n_at_root
        return f"{said}; {counted(n, 'row')} at the root" if n else said
    if name not in description.recoded:
        return "as it is"
    if not description.method.generalizes:
        return "as it is, or suppressed"
    texts = None if rule is None else rule.texts
    if texts == "numbers":
        return "generalized (ranges)"
    if texts == "masks" and description.method.publishes == "ranges":
        return "generalized (prefixes and ranges)"
    return f"generalized{behind}"
