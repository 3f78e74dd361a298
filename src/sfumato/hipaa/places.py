"""Places smaller than a state: by the name of a column, unless its values are something else."""

from __future__ import annotations

from sfumato.engines.look import ColumnLook
from sfumato.proposal.names import meaning, parts_of, perhaps
from sfumato.text import counted

# Answers to a question about a place, and what is counted or measured of one.
FLAGS = {
    *("0", "1", "2", "0.0", "1.0", "yes", "no", "true", "false", "y", "n", "t", "f"),
    *("ja", "nein", "oui", "non", "si", "urban", "rural", "*", "other"),
}
MEASURES = {
    *("size", "population", "pop", "popn", "density", "distance", "income", "rate", "unemp"),
    *("median", "mean", "average", "avg", "share", "percent", "pct", "number", "type"),
}
_NAMES = (
    "alabama alaska arizona arkansas california colorado connecticut delaware district_of_columbia "
    "florida georgia hawaii idaho illinois indiana iowa kansas kentucky louisiana maine maryland "
    "massachusetts michigan minnesota mississippi missouri montana nebraska nevada new_hampshire "
    "new_jersey new_mexico new_york north_carolina north_dakota ohio oklahoma oregon pennsylvania "
    "rhode_island south_carolina south_dakota tennessee texas utah vermont virginia washington "
    "west_virginia wisconsin wyoming puerto_rico guam american_samoa virgin_islands usa us"
)
_CODES = (
    "al ak az ar ca co ct de dc fl ga hi id il in ia ks ky la me md ma mi mn ms mo mt ne nv nh nj "
    "nm ny nc nd oh ok or pa ri sc sd tn tx ut vt va wa wv wi wy pr gu as vi"
)
STATES = {each.replace("_", " ") for each in f"{_NAMES} {_CODES}".split()}


def smaller_than_a_state(look: ColumnLook) -> str | None:
    """Say what speaks for places smaller than a state; None: nothing does.

    Answers (does somebody live in a city?), numbers of people and states under another heading are
    no such places.
    """
    said = meaning(look.column)
    found = said or perhaps(look.column)
    if found is None or found.letter != "B" or found.about == "postal codes":
        return None
    texts = {value.strip().lower() for value, _ in look.common}
    numbers = look.numbers
    fractions = numbers is not None and numbers.n_whole < numbers.n_rows
    if not MEASURES.isdisjoint(parts_of(look.column)) or fractions:
        return None
    if texts <= FLAGS or texts <= STATES | FLAGS:
        return None
    perhaps_so = "" if said is not None else "perhaps "
    return f"{perhaps_so}{counted(look.n_values, 'place')}, by its name ({found.word})"
