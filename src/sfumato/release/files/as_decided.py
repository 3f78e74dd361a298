"""Is what was written what was decided? Every column, row and value, and who has which.

Counts are compared as numbers. Of what was not counted (insensitive columns, and sensitive ones
where they did not matter) digests are compared, which were taken when the rows were counted: so a
source that changed since is noticed, too, whatever its times say.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.data.condensed import Condensed
from sfumato.data.domain import Domain
from sfumato.data.frequency import FrequencySet, aggregated, same_values, sum_by
from sfumato.data.groups import Counts
from sfumato.data.keys import Codes, Keys, distinct
from sfumato.data.labels.texts import Labels
from sfumato.data.recoding import Placement, Recoding
from sfumato.engines.protocol import Format, Source
from sfumato.errors import BrokenPromise
from sfumato.release.description import Description
from sfumato.release.files.as_described import kinds_in, numbers_in, other_columns, other_kinds
from sfumato.release.files.number_columns import other_numbers
from sfumato.table import DATA, Table

CHANGED = "the source may have changed since it was counted"
WRONG_VALUES = (
    f"internal error: the written groups do not have the values that were decided; {CHANGED}"
)


def refuse_other_files(
    description: Description,
    sources: Mapping[str, Source],
    file_format: Format,
    table: Table,
    digests: Mapping[str, int],
    few: bool = False,
) -> dict[str, str]:
    """Refuse written files that have other columns, types, or another order of rows.

    Args:
        description: What is said of the release.
        sources: The files, by the names of the tables.
        file_format: Of the files.
        table: The original.
        digests: Of the rows that were to be written, where chance dealt people out.
        few: Whether all columns will be counted, and few rows are different.

    Returns what each column holds, as readers of the files get it.
    """
    found: dict[str, str] = {}
    meant = _kinds_meant(description, file_format, table)
    for name, source in sources.items():
        differs = other_columns(source.columns, description.columns_of(name))
        if differs is None and source.typed:
            differs = other_kinds(kinds_in(source, description), meant)
        if differs is None:
            kinds = {column: meant[column] for column in description.order_of(name)}
            if not source.is_sorted(kinds, numbers_in(source, description), few=few):
                differs = "its rows are not in the order of what is published"
        if differs is None and name == DATA:
            differs = other_numbers(source, description)
        dealt = digests if differs is None else {}
        if name in dealt and source.people(None, (), ()).digest() != dealt[name]:
            differs = "its rows are not those that were to be written"
        if differs is not None:
            raise BrokenPromise(f"internal error: the written table {name!r} is wrong: {differs}")
        found |= kinds_in(source, description)
    return found


def _kinds_meant(description: Description, file_format: Format, table: Table) -> dict[str, str]:
    """Say what each column was meant to hold: what it holds in the source, or generalized text.

    A CSV file that was made of one holds texts, in their order.
    """
    if not table.source.typed and file_format == "csv":
        kinds = dict.fromkeys(description.columns, "text")
    else:
        numbers = [column for column in description.columns if column not in description.text]
        kinds = {**table.source.kinds(numbers), **dict.fromkeys(description.recoded, "text")}
    kinds |= {n: each.kind for each in description.numbers.values() for n in each.names}
    return kinds if description.group is None else {**kinds, description.group: "integer"}


def refuse_other_rows(written: FrequencySet, table: Table, recoding: Recoding) -> None:
    """Refuse one written table whose groups, or what their people have, are not as decided.

    Args:
        written: As a reader counts it: by what is published of quasi-identifiers, and by sensitive
            values if the decision looked at them.
        table: The original.
        recoding: The decision about it.
    """
    placed = _placed(recoding, table, by_value=bool(written.sensitive))
    counted = placed.frequencies
    if not counted.sensitive:  # it is not known which of a combination's people are where
        written = written.combinations
    there = (placed.box >= 0) & (placed.people > 0)
    # Most often all are there; of millions of groups each copy counts.
    rows = slice(None) if there.all() else np.flatnonzero(there)
    key = placed.key[rows]
    instead = {column: changed[rows] for column, changed in recoding.changed.items()}
    labels = recoding.labels(counted.domains)

    def codes_of(name: str) -> Codes:
        if name not in labels:
            return _published_values(written, counted, name, key, instead)
        texts = labels[name]
        if texts is None:
            values: Codes = _of_values(written.domains[name], counted, name)[key]
            return values
        position = recoding.label_at(name, placed)[rows]
        return _of_texts(written.domains[name], texts, position)

    keys = _packed(written, codes_of)
    _refuse_other_counts(written, keys, placed.people[rows])
    combination = counted.combination_of
    partly = combination[placed.key[(placed.box < 0) & (placed.people > 0)]]
    _refuse_other_digests(written, keys, table, combination[key], partly, recoding.changed)


def refuse_other_tables(
    people: FrequencySet, values: FrequencySet, table: Table, recoding: Recoding
) -> None:
    """Refuse two written tables whose groups, or what their people have, are not as decided.

    people: the first by the number of the group and quasi-identifiers; values: the second by the
    number and sensitive values.
    """
    buckets = recoding.buckets
    assert buckets is not None  # noqa: S101  (else there is one table)
    counted, group = buckets.combinations, people.quasi_identifiers[0]
    rows = np.flatnonzero((buckets.parts[:, 1] >= 0) & (buckets.parts[:, 2] > 0))
    key, number, n_people = buckets.parts[rows].T
    number = number + buckets.first_number
    codes = {c: _of_values(people.domains[c], counted, c)[key] for c in counted.quasi_identifiers}
    codes[group] = _of_numbers(people.domains[group], number)
    keys = _packed(people, codes.__getitem__)
    _refuse_other_counts(people, keys, n_people)
    combination = counted.combination_of
    partly = combination[buckets.parts[buckets.parts[:, 1] < 0, 0]]
    _refuse_other_digests(people, keys, table, combination[key], partly)
    if not counted.sensitive:  # whole combinations, or nobody knows which of their people
        counted = table.frequencies()
        if buckets.splits:
            _refuse_other_totals(values, counted, table.set_valued, buckets.n_suppressed(counted))
            return
        of_combination = np.zeros(len(counted.combinations), dtype=np.int64)
        of_combination[key] = number
        key = np.flatnonzero(of_combination[counted.combination_of])
        number, n_people = of_combination[counted.combination_of[key]], counted.counts[key]
    row, own, each = _sensitive_codes(values, counted, key, table.set_valued)
    instead = {column: changed[rows] for column, changed in recoding.changed.items()}
    own |= {c: _published_values(values, counted, c, key, instead) for c in instead}
    own[group] = _of_numbers(values.domains[group], number)[row]
    _refuse_other_counts(values, _packed(values, own.__getitem__), n_people[row] * each)


def _sensitive_codes(
    values: FrequencySet, counted: FrequencySet, key: NDArray[np.int64], set_valued: str | None
) -> tuple[NDArray[np.intp], dict[str, Codes], Counts]:
    """Give the written codes of what people of some combinations have: entry, codes, how often.

    Everybody is one entry, but where somebody has a set each value in it is.
    """
    if set_valued is None:
        every = np.arange(len(key))
        own = {c: _of_values(values.domains[c], counted, c)[key] for c in values.sensitive}
        return every, own, np.ones_like(every)
    domain = counted.domains[set_valued]
    assert domain.members is not None  # noqa: S101  (for the type checker)
    row, value, each = domain.members.of(counted.codes(set_valued)[key])
    code = _of_domain(values.domains[set_valued], domain.values)
    return row, {set_valued: code[value]}, each


def _refuse_other_totals(
    values: FrequencySet, counted: FrequencySet, set_valued: str | None, n_suppressed: int
) -> None:
    """Refuse values that are not those of the people: each as often as they have it.

    Where somebody was suppressed, at most as often.
    """
    row, own, each = _sensitive_codes(values, counted, np.arange(len(counted)), set_valued)
    for name, code in own.items():
        known = code >= 0
        had = sum_by(
            code[known].astype(np.intp),
            (counted.counts[row] * each)[known],
            len(values.domains[name]),
        )
        written = sum_by(values.codes(name).astype(np.intp), values.counts, len(had))
        if (written > had).any() or (
            not n_suppressed and ((written < had).any() or not known.all())
        ):
            raise BrokenPromise(WRONG_VALUES)


def _placed(recoding: Recoding, table: Table, *, by_value: bool) -> Placement:
    """Say who is published as what, people with the same sensitive values apart if possible."""
    counted = table.frequencies() if by_value else table.combinations()
    placed = recoding.placement(counted)
    return placed if recoding.splits or not by_value else placed.by_value(counted)


def _packed(written: FrequencySet, codes_of: Callable[[str], Codes]) -> Keys:
    """Give what was decided as keys of the written table, looking at one column at a time.

    codes_of: a column as the codes of the written table; -1: nobody has this there.
    """

    def known(column: str) -> Codes:
        codes = codes_of(column)
        if (codes < 0).any():
            raise BrokenPromise(WRONG_VALUES)
        return codes

    return written.layout.pack(map(known, written.columns))


def _refuse_other_counts(written: FrequencySet, keys: Keys, people: Counts) -> None:
    """Refuse a table that has other combinations than decided, or in other numbers."""
    decided, counts, _ = aggregated(keys, people, {})
    if not (np.array_equal(decided, written.keys) and np.array_equal(counts, written.counts)):
        raise BrokenPromise(WRONG_VALUES)


def _refuse_other_digests(
    written: FrequencySet,
    keys: Keys,
    table: Table,
    combination: NDArray[np.intp],
    partly: NDArray[np.intp],
    changed: Collection[str] = (),
) -> None:
    """Refuse a table whose people have something else beside their quasi-identifiers.

    Where combinations are split, what belongs to whom is known only of all groups together that
    their people are in, and of all of these combinations; where that was decided in pieces, of all
    groups of the table together.

    Args:
        written: The table that was read back; its combinations are the decided ones.
        keys: What each part of a combination is published as.
        table: The original.
        combination: That each part is of.
        partly: Combinations of which somebody was left out.
        changed: Columns of which people are published with other values than they have.
    """
    known = table.combinations().digests
    told = [each for each in written.digests if each in known and not {*each} & {*changed}]
    if not told:
        return
    groups = written.combinations
    _, group = distinct(written.layout.leading(keys, len(groups.columns)))
    original = table.combinations()
    n, m = len(original), len(groups)
    if isinstance(original, Condensed) and original.shared:
        together = _Together(np.zeros(n, dtype=np.intp), np.zeros(m, dtype=np.intp), 1)
    else:
        together = _hanging_together(combination, group, n, m)
    del group
    used, left_out = (np.zeros(n, dtype=bool) for _ in range(2))
    used[combination], left_out[partly] = True, True
    unknown = np.zeros(together.n, dtype=bool)
    unknown[together.of_combination[used & left_out]] = True
    for columns in told:
        difference = np.zeros(together.n, dtype=np.uint64)  # modulo 2**64, as digests are added up
        np.add.at(difference, together.of_combination[used], original.digests[columns][used])
        np.subtract.at(difference, together.of_group, groups.digests[columns])
        if difference[~unknown].any():
            raise BrokenPromise(
                "internal error: the written rows do not have the values that the people have; "
                f"{CHANGED}, or the engine wrote something else"
            )


class _Together(NamedTuple):
    """Combinations and groups, numbered alike where the former are in the latter."""

    of_combination: NDArray[np.signedinteger]  # (n_combinations,) nobody's is not looked at
    of_group: NDArray[np.signedinteger]  # (n_groups,)
    n: int  # numbers


def _hanging_together(
    combination: NDArray[np.intp], group: NDArray[np.intp], n: int, m: int
) -> _Together:
    of_combination = np.zeros(n, dtype=np.intp)
    of_combination[combination] = group
    if (of_combination[combination] == group).all():  # every combination is in one group
        return _Together(of_combination, np.arange(m), m)
    from scipy.sparse import coo_array  # noqa: PLC0415  (heavy, so imported when used)
    from scipy.sparse.csgraph import connected_components  # noqa: PLC0415

    shape = (n + m, n + m)
    edges = coo_array((np.ones(len(group), dtype=np.int8), (combination, n + group)), shape)
    number, component = connected_components(edges, directed=False)
    return _Together(component[:n], component[n:], int(number))


def _of_values(written: Domain, counted: FrequencySet, name: str) -> NDArray[np.int32]:
    """Give the written code of every combination's value; -1: it is not in the written table."""
    return _of_domain(written, counted.domains[name])[counted.codes(name)]


def _published_values(
    written: FrequencySet,
    counted: FrequencySet,
    name: str,
    key: NDArray[np.signedinteger],
    instead: Mapping[str, Codes],
) -> NDArray[np.int32]:
    """Give the written code of what people of some combinations are published with."""
    code: NDArray[np.int32] = _of_values(written.domains[name], counted, name)[key]
    if name in instead:
        other = instead[name] >= 0
        code[other] = _of_domain(written.domains[name], counted.domains[name])[instead[name][other]]
    return code


def _of_domain(written: Domain, original: Domain) -> NDArray[np.int32]:
    code = np.full(len(original), -1, dtype=np.int32)
    code[same_values(written, original)] = np.arange(len(written))
    return code


def _of_texts(
    written: Domain, texts: Labels, position: NDArray[np.signedinteger]
) -> NDArray[np.int32]:
    """Give the written code of the labels at some positions; -1: it stands nowhere there."""
    known = {label if label is None else str(label): j for j, label in enumerate(written.labels)}
    code = np.array([known.get(text, -1) for text in texts.texts], dtype=np.int32)
    found: NDArray[np.int32] = code[texts.index[position]]
    return found


def _of_numbers(written: Domain, numbers: NDArray[np.int64]) -> NDArray[np.int32]:
    """Give the written code of every number of a group; -1: no group has it."""
    code = np.full(int(numbers.max(initial=0)) + 1, -1, dtype=np.int32)
    for j, label in enumerate(written.labels):
        if not str(label).isascii() or not str(label).isdigit() or int(str(label)) >= len(code):
            raise BrokenPromise("internal error: a group was published that nobody is in")
        code[int(str(label))] = j
    return code[numbers]
