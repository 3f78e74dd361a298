"""Notebooks, through a real kernel: no widgets are needed, and everything shows itself."""

import nbclient
import nbformat
import pytest

# DuckDB refuses what is about its progress bar in a kernel that has no widgets to draw it with.
WITHOUT_WIDGETS = "import sys; sys.modules['ipywidgets'] = None\n"
READ = """
import duckdb
try:
    duckdb.connect().execute("SET enable_progress_bar = false")
except duckdb.InvalidInputException as refused:
    print(refused)
import sfumato as sf
table = sf.read(
    sf.datasets.patients(),
    quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    sensitive="disease",
)
table.n_rows
"""
ANONYMIZE = """
release = sf.anonymize(table, sf.KAnonymity(5), sf.Samarati())
release.save("out")
sf.load("out").summary()
"""
BATCHES = "sf.read(table.source.to_batches(()), quasi_identifiers=['age']).n_rows"


def outputs(cell):
    return [each for each in cell.outputs if each.get("name") != "stderr"]


@pytest.mark.long
def test_a_kernel_without_widgets_reads_and_publishes(tmp_path):
    cells = [WITHOUT_WIDGETS + READ, "table", ANONYMIZE, BATCHES]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
    resources = {"metadata": {"path": str(tmp_path)}}
    nbclient.NotebookClient(notebook, timeout=120, resources=resources).execute()
    read, table, anonymized, batches = map(outputs, notebook.cells)
    assert "ipywidgets" in read[0].text  # it is such a kernel
    assert read[-1].data["text/plain"] == batches[-1].data["text/plain"] == "2000"
    assert "<table" in table[-1].data["text/html"]
    assert "KAnonymity(k=5)" in anonymized[-1].data["text/html"]
    assert (tmp_path / "out" / "release.json").is_file()
