"""Arrow arrays without pandas: the same as PyArrow's own, and pandas stays where it is."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.engines.arrow import of_bytes, of_numbers, of_texts, to_numbers


@given(st.lists(st.none() | st.text(max_size=5), max_size=20))
def test_texts_are_those_of_pyarrow(texts):
    made = of_texts(texts)
    made.validate(full=True)
    assert made.equals(pa.array(texts, pa.large_string()))


@given(st.lists(st.binary(max_size=5), max_size=20))
def test_bytes_are_those_of_pyarrow(values):
    made = of_bytes(values)
    made.validate(full=True)
    assert made.equals(pa.array(values, pa.large_binary()))


@pytest.mark.parametrize("kind", [np.int8, np.int32, np.int64, np.uint64, np.intp, np.float64])
def test_numbers_go_there_and_back(kind):
    square = np.arange(9).reshape(3, 3).astype(kind)
    for numbers in (square[0], square[:, 1], square[::-1, 2], square[0, :0]):
        made = of_numbers(numbers)
        made.validate(full=True)
        assert made.equals(pa.array(numbers))
        for column in (pa.chunked_array([made]), pa.chunked_array([made, made])):
            back = to_numbers(column)
            assert back.dtype == kind
            assert np.array_equal(back, column.to_numpy())


def test_a_missing_number_is_never_taken_for_one():
    with pytest.raises(ValueError, match="missing"):
        to_numbers(pa.chunked_array([pa.array([1, None])]))


@pytest.mark.long
def test_what_a_release_does_not_need_is_not_imported(tmp_path):
    """As pandas: PyArrow imports it at the first `pa.array`, which takes longer than a release."""
    script = (
        "import sys\n"
        "import sfumato as sf\n"
        "columns = {'age': sf.Intervals(5, 10, 20), 'zip': sf.Prefix()}\n"
        "table = sf.read(sf.datasets.patients(), columns, 'disease', identifiers=['name'])\n"
        "release = sf.anonymize(table, sf.KAnonymity(3), sf.Local())\n"
        "release.save(f'{sys.argv[1]}/alone')\n"
        "names = 'scipy.linalg', 'scipy.sparse', 'plotly', 'sfumato.attacks', 'sfumato.report'\n"
        "assert not {*names} & {*sys.modules}, sys.modules\n"
        "for method in (sf.Mondrian(), sf.Samarati(), sf.Anatomy()):\n"
        "    release = sf.anonymize(table, sf.LDiversity(3), method)\n"
        "    place = release.save(f'{sys.argv[1]}/{type(method).__name__}')\n"
        "    assert not sf.load(place).check().failed\n"
        "    sf.audit(release)\n"
        "assert 'pandas' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", script, tmp_path], check=True)
