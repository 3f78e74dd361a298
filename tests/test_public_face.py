"""What is meant for users: exported, shown by `dir`, and documented by an example that runs."""

import re
import types
from pathlib import Path

import pytest

import sfumato as sf

ROOMS = {
    "sf": sf,
    "sf.attacks": sf.attacks,
    "sf.attacks.correspondence": sf.attacks.correspondence,
    "sf.attacks.grouping": sf.attacks.grouping,
    "sf.attacks.knowledge": sf.attacks.knowledge,
    "sf.attacks.minimality": sf.attacks.minimality,
    "sf.datasets": sf.datasets,
    "sf.engines": sf.engines,
    "sf.utility": sf.utility,
}
EXPORTS = [
    pytest.param(getattr(room, name), id=f"{where}.{name}")
    for where, room in ROOMS.items()
    for name in room.__all__
    if not name.startswith("__") and not isinstance(getattr(room, name), types.ModuleType)
]


@pytest.mark.parametrize("room", ROOMS.values(), ids=list(ROOMS))
def test_dir_shows_what_is_meant_for_users_and_nothing_else(room):
    assert dir(room) == sorted(room.__all__)


@pytest.mark.parametrize("export", EXPORTS)
def test_every_export_is_documented_by_an_example(export):
    assert ">>> " in export.__doc__


def test_what_an_engine_is_made_of_is_shown_where_one_is_made():
    page = (Path(__file__).parents[1] / "docs" / "adding" / "engine.md").read_text()
    assert [name for name in sf.engines.__all__ if name not in page] == []


def test_what_authors_of_plug_ins_import_is_what_they_may_count_on():
    """The pages that show how something is added, the example package, and the list of modules."""
    docs = Path(__file__).parents[1] / "docs"
    listed = re.findall(r"`(sfumato\.[\w.]+)`", (docs / "architecture.md").read_text())
    example = Path(__file__).parent / "third_party" / "sfumato-example" / "sfumato_example.py"
    for page in [*(docs / "adding").glob("*.md"), example]:
        for module, names in re.findall(
            r"^from (sfumato[\w.]*) import (.*)", page.read_text(), re.MULTILINE
        ):
            exported = {where.replace("sf", "sfumato", 1) for where in ROOMS}
            inside = {f"{module}.{name.split()[0]}" for name in names.split(",")}
            assert module in exported or module in listed or inside <= {*listed}, (page, module)


@pytest.mark.parametrize("name", ["Criterion", "Algorithm", "Attack", "Hierarchy"])
def test_what_can_be_subclassed_is_exported(name):
    assert isinstance(getattr(sf, name), type)


def test_every_error_is_exported():
    from sfumato import errors

    raised = {
        name
        for name, kind in vars(errors).items()
        if isinstance(kind, type) and issubclass(kind, sf.SfumatoError)
    }
    assert raised <= {*sf.__all__, *sf.attacks.__all__}
