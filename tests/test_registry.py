"""What joins by being defined, what does not, and what is found through entry points."""

import importlib
import sys
from abc import ABC, abstractmethod
from dataclasses import dataclass
from types import SimpleNamespace

import pytest

import sfumato as sf
from sfumato import registry
from sfumato.criteria import CRITERIA
from sfumato.packages import Package, package_of
from sfumato.registry import Registry


@pytest.fixture
def shape():
    """A base class with a door of its own."""

    class Shape(ABC):
        door = Registry("shape", "sfumato.shapes")

        def __init_subclass__(cls):
            Shape.door.join(cls)

        @abstractmethod
        def area(self): ...

    return Shape


def defined(base, name, module="__main__", **members):
    return type(base)(name, (base,), {"area": lambda _: 1, "__module__": module, **members})


def test_a_class_joins_by_being_defined_under_its_name(shape):
    square = defined(shape, "BigSquare")
    assert dict(shape.door) == {"big_square": square}


def test_what_is_abstract_or_private_does_not_join(shape):
    class Half(shape):
        """Leaves out what it has to have."""

    defined(shape, "_Hidden")
    assert dict(shape.door) == {}
    whole = defined(Half, "Whole")
    assert dict(shape.door) == {"whole": whole}


def test_a_class_defined_again_takes_its_own_place(shape):
    defined(shape, "Square"), defined(shape, "Circle")
    again = defined(shape, "Square")
    assert list(shape.door) == ["square", "circle"]
    assert shape.door["square"] is again


def test_a_dataclass_with_slots_is_made_twice_and_joins_once(shape):
    there = {"__name__": "shapes", "shape": shape, "dataclass": dataclass}
    exec("@dataclass(slots=True)\nclass Square(shape):\n def area(self): return 1", there)
    assert shape.door["square"] is there["Square"]


def test_a_module_that_is_loaded_again_replaces_its_classes(tmp_path, monkeypatch):
    (tmp_path / "reloaded_criterion.py").write_text(
        "import sfumato as sf\nclass Reloaded(sf.KAnonymity): pass\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(CRITERIA, "_kinds", {})
    first = importlib.import_module("reloaded_criterion")
    old = first.Reloaded
    assert importlib.reload(first).Reloaded is not old
    assert CRITERIA["reloaded"] is first.Reloaded
    del sys.modules["reloaded_criterion"]


def test_a_name_taken_twice_is_refused_and_both_places_named(shape):
    defined(shape, "Square", "here.squares")
    with pytest.raises(sf.BadInput) as caught:
        defined(shape, "Square", "pytest")
    assert "shape 'square': the name is taken twice, by here.squares.Square (no package)" in str(
        caught.value
    )
    assert f"and by pytest.Square (the package 'pytest' {pytest.__version__})" in str(caught.value)
    assert shape.door["square"].__module__ == "here.squares"


def test_ours_cannot_be_replaced():
    with pytest.raises(
        sf.BadInput, match=r"sfumato\.criteria\.k_anonymity\.KAnonymity \(sfumato\)"
    ):
        type(sf.KAnonymity)("KAnonymity", (sf.KAnonymity,), {"__module__": "elsewhere"})
    assert CRITERIA["k_anonymity"] is sf.KAnonymity


def test_the_key_that_names_the_package_is_no_name(shape):
    with pytest.raises(sf.BadInput, match="shape 'package': the name means something else"):
        defined(shape, "Package")


def test_several_criteria_together_are_no_criterion_of_a_file():
    assert "all" not in CRITERIA


# ------------------------------------------------------------------------------- entry points


class Offer(SimpleNamespace):
    """An entry point of a package that is not really installed."""

    @property
    def dist(self):
        return SimpleNamespace(name=self.by, version="1.0")


@pytest.fixture
def offers(monkeypatch):
    """Entry points, to be filled: name, what loads it, and the package."""
    found = []

    def offer(name, load, by="sfumato-more"):
        found.append(Offer(name=name, load=load, by=by))

    offered = {"sfumato.shapes": found}
    monkeypatch.setattr(registry, "offered", lambda group: offered.get(group, []))
    return offer


def test_what_is_offered_is_loaded_when_its_name_is_asked_for(shape, offers):
    loaded = []

    def load(name):
        loaded.append(name)
        return defined(shape, name)

    offers("square", lambda: load("Square"))
    offers("circle", lambda: load("Circle"))
    assert shape.door["circle"].__name__ == "Circle"
    assert loaded == ["Circle"]
    assert sorted(shape.door) == ["circle", "square"]


def test_what_cannot_be_loaded_is_named_and_hides_nothing(shape, offers):
    def broken():
        raise ImportError("no such module")

    offers("square", broken)
    offers("circle", lambda: defined(shape, "Circle"))
    assert list(shape.door) == ["circle"]
    why = "the package 'sfumato-more' 1.0: ImportError: no such module"
    assert shape.door.broken == {"square": why}
    with pytest.raises(sf.BadInput, match=f"here: the shape 'square' cannot be used: {why}"):
        shape.door.from_spec({"square": {}}, "here")
    with pytest.raises(sf.BadInput, match="unknown name 'squar'; did you mean 'square'"):
        shape.door.from_spec({"squar": {}}, "here")


def test_an_entry_point_has_the_name_of_what_it_gives(shape, offers):
    offers("round", lambda: defined(shape, "Circle"))
    offers("seven", lambda: 7)
    assert shape.door.broken == {
        "round": "the package 'sfumato-more' 1.0: the entry point 'round' of sfumato.shapes has to "
        "be called 'circle'",
        "seven": "the package 'sfumato-more' 1.0: the entry point 'seven' of sfumato.shapes gives "
        "no shape",
    }


def test_a_name_that_two_packages_offer_is_taken_from_neither(shape, offers):
    offers("square", lambda: defined(shape, "Square"), "sfumato-more")
    offers("square", lambda: defined(shape, "Square"), "sfumato-most")
    assert "square" not in shape.door
    assert shape.door.broken["square"].startswith(
        "the package 'sfumato-more' 1.0 and the package 'sfumato-most' 1.0: "
    )


def test_a_package_cannot_take_a_name_of_ours(shape, offers):
    ours = defined(shape, "Square", "sfumato.shapes")
    offers("square", lambda: defined(shape, "Square", "elsewhere"))
    assert dict(shape.door) == {"square": ours}
    assert "the name is taken twice" in shape.door.broken["square"]


# --------------------------------------------------------------------------------- packages


def test_the_package_of_a_class_is_found_by_its_files():
    assert package_of(pytest.Item) == Package("pytest", pytest.__version__)  # in _pytest
    assert package_of(sf.KAnonymity) is None
    assert package_of(type("Here", (), {})) is None


def test_a_package_is_written_by_its_name_and_version():
    assert Package.read(str(Package("sfumato-blur", "1.2"))) == Package("sfumato-blur", "1.2")
    assert Package.read("sfumato-blur").named == "the package 'sfumato-blur'"


@pytest.mark.parametrize("package", [3, ["sfumato-blur"], {"name": "sfumato-blur"}])
def test_a_package_that_is_no_text_is_refused(package):
    spec = {"k_anonymity": {"k": 2}, "package": package}
    with pytest.raises(sf.BadInput, match=r"here\.package: expected a name and a version"):
        CRITERIA.from_spec(spec, "here")


def test_what_a_file_says_is_another_packages_is_not_ours():
    spec = {"k_anonymity": {"k": 2}, "package": "sfumato-blur 1.2"}
    with pytest.raises(sf.BadInput) as caught:
        CRITERIA.from_spec(spec, "release.json")
    assert str(caught.value) == (
        "release.json: the criterion 'k_anonymity' was written by the package 'sfumato-blur' 1.2, "
        "and sfumato itself means something else by this name; use the package that wrote it"
    )
