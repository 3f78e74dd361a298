"""What a release shows of a closed tree, against the twin that goes node by node."""

from dataclasses import replace

import pyarrow as pa
from hypothesis import assume, given
from hypothesis import strategies as st

import naive.ways_up
import sfumato as sf
from profiles import examples
from properties.generated import tables
from sfumato.data.taxonomy import Taxonomy
from sfumato.release.description import Description

METHODS = [
    sf.Mondrian(),
    sf.Mondrian(strict=False),
    sf.Mondrian(bounds="tight"),
    sf.TopDown(),
    sf.Exhaustive(0.5),
    sf.Exhaustive(0.5, suppress="cells"),
]


def released(table, method):
    columns = [*table.columns, "s"]
    people = [dict(zip(columns, row, strict=True)) for row in table.rows]
    rules = dict(zip(table.columns, table.rules, strict=True))
    try:
        return sf.anonymize(sf.read(pa.Table.from_pylist(people), rules), sf.KAnonymity(2), method)
    except sf.Unsatisfiable:
        assume(False)


@examples(150)
@given(tables(), st.sampled_from(METHODS))
def test_the_ways_up_that_are_shown_are_those_from_every_published_node(table, method):
    release = released(table, method)
    boxes, _ = release.recoding.published_boxes(release.table.combinations())
    levels = release.recoding.levels_of_most or {}
    for j, name in enumerate(table.columns):
        labels = release.table.domains[name].labels
        paths = sorted(table.paths[j], key=lambda labels_of: labels.index(labels_of[0]))
        shown = release.description.hierarchies[name].public_paths
        assert [*shown] == naive.ways_up.ways_up(paths, boxes[:, j].tolist(), levels.get(name))


def test_describing_looks_nodes_up_for_all_sides_of_a_column_at_once(monkeypatch):
    table = sf.read(sf.datasets.adult(), sf.datasets.adult_hierarchies())
    release = sf.anonymize(table, sf.KAnonymity(5), sf.Mondrian())
    n_asked = []
    enclosing_level = Taxonomy.enclosing_level

    def noted(self, low, high):
        n_asked.append(len(low))
        return enclosing_level(self, low, high)

    monkeypatch.setattr(Taxonomy, "enclosing_level", noted)
    made_of = release.private.frequencies, replace(release.recoding), release.criterion
    described = Description.of(release.table, *made_of, release.method)
    assert described.to_json() == replace(release.description, telling={}).to_json()
    # for the texts of each column, and for the ways up of those that are trees
    assert sum(n_asked) > 1000
    assert len(n_asked) <= 2 * len(table.schema.quasi_identifiers)
