"""What a hierarchy is, and how it is written down and read back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping, Sequence
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from sfumato.data.domain import Domain
from sfumato.data.keys import Codes
from sfumato.data.labels.grammar import Reading
from sfumato.data.tails import Tails
from sfumato.data.values import published_text
from sfumato.errors import BadInput, shown
from sfumato.parameters import file_path
from sfumato.registry import Registry
from sfumato.spec import (
    PACKAGE,
    build,
    name_of,
    needed_parameters,
    parameter_names,
    signed,
    taken_apart,
    written_parameters,
)

if TYPE_CHECKING:
    from sfumato.data.hierarchy.level_table import LevelTable

TREE = "a tree"  # in words
PATHS = "paths"  # in `release.json`, instead of a name: what is public of a closed tree
TABLE_FILE = "csv"  # in a job file, instead of a name: where a level table is

HIERARCHIES: Registry[Hierarchy] = Registry(
    "hierarchy", "sfumato.hierarchies", reserved=[PATHS, TABLE_FILE]
)


class Hierarchy(ABC):
    """A rule that makes the values of one column more general, level by level.

    A rule joins job files and releases by being a class of its own. It says with `texts` how what
    it publishes is read by somebody who has no table; one that does not say so can be compared with
    other releases only where the original is at hand.

    >>> import sfumato as sf
    >>> sf.Intervals(5, 10).spec(), sf.Prefix().spec()
    ({'intervals': [5, 10]}, {'prefix': True})
    """

    texts: ClassVar[Reading | None] = None  # None: not said
    public_paths: ClassVar[tuple[tuple[str, ...], ...]] = ()  # a closed one's are published apart

    @property
    def extent(self) -> tuple[Decimal | None, Decimal | None]:
        """The smallest and the largest number there can be, as declared; None: not declared."""
        return None, None

    def __init_subclass__(cls, **extra: Any) -> None:
        super().__init_subclass__(**extra)
        if "grow" in vars(cls) and "texts" not in vars(cls):
            cls.texts = None  # what the base says is about other levels
        HIERARCHIES.join(cls)

    @abstractmethod
    def grow(self, column: str, values: Sequence[object]) -> tuple[Domain, Codes]:
        """Lay out the domain of `column` over its distinct `values` (None: missing).

        Returns the domain and the code of each of the given values.
        """

    @property
    def rewrites(self) -> bool:
        """Whether some values are others in the whole table, published or not; see `rewritten`."""
        return False

    def rewritten(self, values: Iterable[object]) -> Mapping[object, str]:
        """Give the values that are seen as others, and what as, once the table is read."""
        del values
        return {}

    @property
    def codes_ends(self) -> bool:
        """Whether all values beyond a bottom or a top are published as one."""
        return False

    @property
    def tails(self) -> Tails | None:
        """What is one value beyond bounds; None: there are no bounds."""
        return None

    def with_tails(
        self,
        people: Mapping[object, int],  # noqa: ARG002
        rare: Collection[object],  # noqa: ARG002
        k: int,  # noqa: ARG002
    ) -> Hierarchy | None:
        """Give the rule with bounds beyond which rare values are one with those of k people.

        people: How many have each value. None: it has no bounds, or none that would do.
        """
        return None

    @property
    def closed(self) -> bool:
        """Whether the rule itself lists the ground values, so that it grows without any data."""
        return self.texts == "nodes"

    @property
    def fewest_named(self) -> int:
        """How many people have to have a value of an open column without an order to name it."""
        return 0

    def in_words(self) -> str:
        """Say by what a column is generalized. Default: the name of the class."""
        return name_of(type(self)).replace("_", " ")

    @property
    def parameter(self) -> Any:
        """What a job file and `release.json` write behind the name: the parameters, or True."""
        return written_parameters(self) or True

    @classmethod
    def of_parameter(cls, parameter: Any) -> Hierarchy:
        """Make the rule again from its `parameter`; True: all are at their defaults."""
        name, names = name_of(cls), parameter_names(cls)
        if parameter is True or (names and isinstance(parameter, Mapping)):
            return build(cls, name, {} if parameter is True else parameter, None)
        if needed_parameters(cls):
            raise BadInput(f"{name}: the parameters must be a table, got {shown(parameter)}")
        table = f", or a table of {', '.join(names)}" if names else ""
        raise BadInput(f"write {name} = true{table}, got {shown(parameter)}")

    def spec(self) -> dict[str, Any]:
        """Write the rule down: `{"intervals": [5, 10, 20]}`, `{"prefix": true}`."""
        return signed(type(self), self.parameter)

    @staticmethod
    def from_spec(spec: Mapping[str, Any], where: str) -> Hierarchy:
        """Read back what `spec` wrote; every error says `where` it stands."""
        if not isinstance(spec, Mapping) or len(spec.keys() - {PACKAGE}) != 1:
            known = ", ".join(sorted(HIERARCHIES))
            named = ", ".join(spec) if isinstance(spec, Mapping) else spec
            raise BadInput(f"{where}: give one hierarchy out of {known}; got {shown(named)}")
        name, parameter, package = taken_apart(spec, where)
        kind = HIERARCHIES.find(name, package, where)
        try:
            return kind.of_parameter(parameter)
        except BadInput as error:
            raise BadInput(f"{where}: {error}", error.values) from None

    @staticmethod
    def from_csv(path: str | Path, sep: str | None = None) -> LevelTable:
        """Read one row per ground value and one column per level, without a header.

        This is ARX's format. The separator is `;` or `,`; without `sep` the first line decides.
        """
        from sfumato.data.hierarchy.level_table import LevelTable  # noqa: PLC0415  (is one itself)

        return LevelTable.read(file_path("Hierarchy.from_csv", path), sep)

    def to_csv(self, path: str | Path, values: Iterable[object] = (), sep: str = ";") -> Path:
        """Write the tree over some values in ARX's format; `from_csv` reads the same tree again.

        A tree of the steward's own needs no values. The file holds values of the data, so only its
        owner may read it; a file that is there already is not replaced. What is rewritten when a
        table is read stands in it as it is seen then.
        """
        from sfumato.data.hierarchy.level_table import LevelTable  # noqa: PLC0415  (is one itself)

        distinct = [*dict.fromkeys(value for value in values if value is not None)]
        if not distinct and not self.closed:
            raise BadInput("Hierarchy.to_csv: no values; give those that the data has")
        domain, _ = self.grow("values", distinct)
        levels = [map(published_text, labels) for labels in domain.taxonomy.labels]
        table = LevelTable(tuple(tuple(map(str, row)) for row in zip(*levels, strict=True)))
        return table.write(file_path("Hierarchy.to_csv", path), sep)


def a_hierarchy(given: object, where: str) -> Hierarchy:
    """Refuse what is no hierarchy."""
    if not isinstance(given, Hierarchy):
        raise BadInput(f"{where}: expected a hierarchy such as sf.Flat(), got {shown(given)}")
    return given
