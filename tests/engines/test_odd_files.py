"""Files as offices have them are read right with the settings that `guess` finds."""

from collections import Counter
from decimal import Decimal

import pytest

import sfumato as sf
from odd_files import every
from sfumato.data.read_settings import ReadSettings
from sfumato.engines import DuckDB
from sfumato.engines.guess import guess

FILES = {odd.name: odd for odd in every()}


def written(place, odd):
    path = place / f"people{odd.suffix}"
    path.write_bytes(odd.data)
    return path


def contents(path, settings):
    """The names of columns, and rows with the texts of their values."""
    source = DuckDB().open(path, settings)
    table = source.to_batches(source.columns).read_all()
    return tuple(table.column_names), list(
        zip(*(table[j].to_pylist() for j in range(table.num_columns)), strict=True)
    )


def compared(value, like):
    """A text as what it should be: numbers are compared by their value."""
    if value is None or not isinstance(like, (int, Decimal)):
        return value
    return Decimal(value)


def test_there_are_enough_of_them():
    assert len(FILES) >= 60


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_read_right_with_what_is_guessed(tmp_path, name):
    odd = FILES[name]
    path = written(tmp_path, odd)
    found = guess(path)
    columns, rows = contents(path, found.settings)
    assert columns == odd.columns
    kinds = [
        next((v for row in odd.rows if (v := row[j]) is not None), None)
        for j in range(len(columns))
    ]
    as_meant = [tuple(compared(v, k) for v, k in zip(row, kinds, strict=True)) for row in rows]
    assert Counter(as_meant) == Counter(map(tuple, odd.rows))
    assert set(found.settings.spec()) >= odd.needs
    assert set(found.reasons) == set(found.settings.spec())


@pytest.mark.parametrize("name", [name for name, odd in FILES.items() if odd.needs])
def test_each_setting_is_needed(tmp_path, name):
    """Without it the file is refused, by a line that names a setting, or something else is read."""
    odd = FILES[name]
    path = written(tmp_path, odd)
    settings = guess(path).settings.spec()
    right = contents(path, ReadSettings(**settings))
    for left_out in odd.needs:
        others = {key: value for key, value in settings.items() if key != left_out}
        try:
            columns, rows = contents(path, ReadSettings(**others))
        except sf.BadInput as error:
            said = str(error)
            assert "\n" not in said
            named = [key for key in ReadSettings.__dataclass_fields__ if key in said]
            assert named, said
        else:
            assert (columns, Counter(rows)) != (right[0], Counter(right[1]))


def test_broken_lines_are_counted_by_the_delimiter_of_the_names(tmp_path):
    """Not by a comma that most lines happen to have as often."""
    path = tmp_path / "list.csv"
    rows = [f"{j};Weiß, Ada;{j},50;{'a; b' if j % 8 == 0 else 'a'}" for j in range(200)]
    path.write_text("\n".join(["no;name;pay;note", *rows]) + "\n", encoding="utf-8")
    with pytest.raises(sf.BadInput, match="line 2: 5 fields where the header has 4"):
        guess(path)
