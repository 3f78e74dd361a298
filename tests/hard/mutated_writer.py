"""Engines that write something else than they were told: one change in one file of a release."""

import csv
import random

import pyarrow as pa
import pyarrow.parquet as pq

from sfumato.engines import DuckDB


class MutatedWriter(DuckDB):
    """DuckDB, but for what is done to a file after it was written."""

    name = "_mutated_writer"

    def __init__(self, change, table="data"):
        """`change`: of column names and rows; `table`: which of the files it meets."""
        self.change, self.table, self.changed = change, table, 0

    def open(self, source, settings=None):
        """Open a source whose people are written with a change."""
        opened = super().open(source, settings)
        people = opened.people

        def people_of(*roles):
            found = people(*roles)
            apply = found.apply

            def apply_and_change(plan, target, kind):
                apply(plan, target, kind)
                if target.stem == self.table:
                    self.changed += self._changed(target, kind)

            found.apply = apply_and_change
            return found

        opened.people = people_of
        return opened

    def _changed(self, path, kind):
        """Rewrite a file; say whether it holds something else now."""
        if kind == "parquet":
            table = pq.read_table(path)
            names, rows = table.column_names, list(zip(*table.to_pydict().values(), strict=True))
        else:
            with path.open(newline="", encoding="utf-8") as file:
                names, *rows = csv.reader(file)
        before = list(names), [tuple(row) for row in rows]
        after = self.change(list(before[0]), list(before[1]))
        if after == before and [*map(type, after[1][0])] == [*map(type, before[1][0])]:
            return False
        names, rows = after
        if kind == "parquet":
            columns = [pa.array(column) for column in zip(*rows, strict=True)]
            pq.write_table(pa.table(columns, names=names), path)
        else:
            with path.open("w", newline="", encoding="utf-8") as file:
                csv.writer(file, lineterminator="\n").writerows([names, *rows])
        return True


def _with(row, j, value):
    return (*row[:j], value, *row[j + 1 :])


def _two(rng, rows):
    return sorted(rng.sample(range(len(rows)), 2))


def add_column(rng, names, rows):
    """A column more, anywhere."""
    j = rng.randrange(len(names) + 1)
    return (
        [*names[:j], "name", *names[j:]],
        [(*row[:j], f"person {i}", *row[j:]) for i, row in enumerate(rows)],
    )


def repeat_column(rng, names, rows):
    """A column twice, under another name."""
    j = rng.randrange(len(names))
    return [*names, "copy"], [(*row, row[j]) for row in rows]


def drop_column(rng, names, rows):
    """A column less."""
    j = rng.randrange(len(names))
    return names[:j] + names[j + 1 :], [row[:j] + row[j + 1 :] for row in rows]


def rename_column(rng, names, rows):
    """Another name."""
    j = rng.randrange(len(names))
    return [*names[:j], names[j].upper(), *names[j + 1 :]], rows


def exchange_columns(rng, names, rows):
    """Two columns in each other's place, with their names."""
    a, b = _two(rng, names)
    order = list(range(len(names)))
    order[a], order[b] = b, a
    return [names[j] for j in order], [tuple(row[j] for j in order) for row in rows]


def exchange_names(rng, names, rows):
    """Two columns under each other's name."""
    a, b = _two(rng, names)
    names[a], names[b] = names[b], names[a]
    return names, rows


def drop_row(rng, names, rows):
    """A row less."""
    rows.pop(rng.randrange(len(rows)))
    return names, rows


def repeat_row(rng, names, rows):
    """A row twice."""
    j = rng.randrange(len(rows))
    return names, [*rows[: j + 1], *rows[j:]]


def replace_row(rng, names, rows):
    """A row in the place of another one, in order."""
    a, b = _two(rng, rows)
    rows[b] = rows[a]
    return names, sorted(rows, key=repr)


def exchange_rows(rng, names, rows):
    """Two rows in each other's place."""
    a, b = _two(rng, rows)
    rows[a], rows[b] = rows[b], rows[a]
    return names, rows


def original_order(rng, names, rows):
    """All rows in another order."""
    rng.shuffle(rows)
    return names, rows


def change_value(rng, names, rows):
    """One value into another one that somebody has."""
    a, b = _two(rng, rows)
    j = rng.randrange(len(names))
    rows[a] = _with(rows[a], j, rows[b][j])
    return names, rows


def lose_value(rng, names, rows):
    """One value is missing."""
    a, j = rng.randrange(len(rows)), rng.randrange(len(names))
    rows[a] = _with(rows[a], j, None)
    return names, rows


def exchange_values(rng, names, rows):
    """Two people get each other's value."""
    a, b = _two(rng, rows)
    j = rng.randrange(len(names))
    one, other = rows[a][j], rows[b][j]
    rows[a], rows[b] = _with(rows[a], j, other), _with(rows[b], j, one)
    return names, rows


def exchange_values_in_order(rng, names, rows):
    """The same, and the rows sorted as if nothing had happened."""
    names, changed = exchange_values(rng, names, rows)
    return names, sorted(changed)


def as_text(rng, names, rows):
    """Numbers as texts: a change in a file that has types."""
    del rng
    return names, [tuple(str(value) for value in row) for row in rows]


CHANGES = [
    add_column,
    repeat_column,
    drop_column,
    rename_column,
    exchange_columns,
    exchange_names,
    drop_row,
    repeat_row,
    replace_row,
    exchange_rows,
    original_order,
    change_value,
    lose_value,
    exchange_values,
    exchange_values_in_order,
    as_text,
]


def unchanged(names, rows):
    """Nothing at all."""
    return names, rows


def seeded(change, seed):
    """Give a change whose chances are the same every time."""
    return lambda names, rows: change(random.Random(seed), names, rows)
