"""Large CSV files with quotes of all kinds are read whole, or refused for a true reason."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from naive import csv_quotes as naive
from profiles import examples
from sfumato.engines import csv_quotes
from sfumato.engines.csv_quotes import in_order_only

N_ROWS = 300_000


def written(place, note, end="\n", n=N_ROWS, last=""):
    path = place / "notes.csv"
    with path.open("w", newline="") as file:
        file.write(f"name,age,sex,note{end}")
        file.writelines(f'p{j},{20 + j % 50},{"fm"[j % 2]},"{note(j)}"{end}' for j in range(n))
        file.write(last)
    return path


NOTES = {
    "rows": lambda j: "\n".join(f"x{j},30,f,abc" for _ in range(4)),  # DuckDB cannot read in parts
    "quoted rows": lambda j: "\n".join(f'x{j},30,f,""abc""' for _ in range(4)),
    "only breaks": lambda j: "\n" * (j % 7),
}


@pytest.mark.long
@pytest.mark.parametrize("note", NOTES)
def test_fields_of_several_lines_are_read(read, tmp_path, note):
    path = written(tmp_path, NOTES[note])
    table = read(path, quasi_identifiers=["age", "sex"], identifiers=["name", "note"])
    assert table.n_rows == N_ROWS


@pytest.mark.long
def test_notes_are_published_as_they_are(read, tmp_path):
    path = written(tmp_path, NOTES["rows"], n=100_000)
    table = read(path, quasi_identifiers=["sex"], insensitive=["note"])
    place = sf.anonymize(table, sf.KAnonymity(2), untouched_identify=True).save(tmp_path / "out")
    with (place / "data.csv").open(newline="") as file:
        notes = {row["note"] for row in csv.DictReader(file)}
    assert notes == {NOTES["rows"](j) for j in range(100_000)}
    assert sf.load(place).check()


@pytest.mark.parametrize(
    ("last", "line"),
    [('p,20,f,"an open end\n', 0), ('p,20,f,5" and\n"more', 1), ('p,20,f,5"\np,20,f, "x', 1)],
)
def test_rows_are_not_lost_behind_a_quote(read, tmp_path, last, line):
    n = 100_000
    path = written(tmp_path, NOTES["rows"], n=n, last=last)
    with pytest.raises(sf.BadInput) as caught:
        read(path, quasi_identifiers=["age", "sex"]).frequencies()
    assert str(caught.value) == f"{path}, line {4 * n + 2 + line}: a quoted field does not end"


PLAIN = "20,plain text here that is longer,a\n" * 60_000
ODD_QUOTES = {
    "bare": ('20,5" disk,a\n', '5" disk'),
    "bare at the end": ('20,5",a\n', '5"'),
    "two in a field": ('20,5" disk 3" x,a\n', '5" disk 3" x'),
    "a pair": ('20,a"b"c,a\n', 'a"b"c'),
    "beside several lines": ('20,"a\nb",a\n20,5" disk,a\n', '5" disk'),
    "after a space": ('20, "a\nb",a\n', "a\nb"),
}


@pytest.mark.parametrize("case", ODD_QUOTES)
def test_a_large_file_is_read_like_a_small_one(read, tmp_path, case):
    """A quote in a field that is not quoted is a letter like others, wherever it stands."""
    line, note = ODD_QUOTES[case]
    path = tmp_path / "notes.csv"
    for before, after in (("", ""), (PLAIN, PLAIN), (PLAIN * 2, "")):
        path.write_text(f"age,note,d\n{before}{line}{after}", newline="")
        table = read(path, quasi_identifiers=["note"], sensitive="d")
        n_more = line.count("20,") + (before + after).count("\n")
        assert table.n_rows == n_more
        assert note in table.domains["note"].values.labels


@pytest.mark.parametrize("before", ["", PLAIN * 2])
def test_what_follows_a_closing_quote_is_named(read, tmp_path, before):
    path = tmp_path / "notes.csv"
    path.write_text(f'age,note,d\n{before}20,"a"b,a\n20,x,a\n', newline="")
    with pytest.raises(sf.BadInput) as caught:
        read(path, quasi_identifiers=["note"], sensitive="d").frequencies()
    line = before.count("\n") + 2
    said = f"line {line}: a quoted field does not end, or a quote in it is not doubled"
    assert str(caught.value).endswith(said)


TEXTS = st.text(alphabet='"\n, a', max_size=40)
TABLES = st.lists(st.lists(TEXTS, min_size=2, max_size=2), max_size=6)


def as_csv(rows):
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


@pytest.mark.parametrize("at_once", [1, 7, 1 << 20])
@examples(200)
@given(text=st.one_of(TEXTS, TABLES.map(as_csv)), marked=st.booleans())
def test_quotes_are_found_as_letter_by_letter(tmp_path_factory, at_once, text, marked):
    path = tmp_path_factory.mktemp("quotes") / "table.csv"
    path.write_text(text, encoding="utf-8-sig" if marked else "utf-8", newline="")
    in_order, ended = naive.quotes(text, ",")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(csv_quotes, "AT_ONCE", at_once)
        if in_order and not ended:
            with pytest.raises(sf.BadInput, match="a quoted field does not end"):
                in_order_only(path, ",")
        else:
            assert in_order_only(path, ",") is in_order
