"""Sample data inside the package: the Adult census table, Nursery, and a made-up hospital.

Adult: UCI Machine Learning Repository, Barry Becker and Ronny Kohavi, CC BY 4.0 (`ADULT.md`).
Nursery: made from its rules (`applications.py`).
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

from sfumato.data.hierarchy import Hierarchy, Intervals, Tree
from sfumato.datasets import taxonomies
from sfumato.datasets.applications import nursery, nursery_hierarchies
from sfumato.parameters import one_of

__all__ = ["adult", "adult_hierarchies", "nursery", "nursery_hierarchies", "patients"]

_HERE = Path(__file__).parent


def __dir__() -> list[str]:
    return __all__


def adult(part: Literal["train", "test"] | None = None) -> Any:
    """Give the Adult census table, 48,842 rows, as a PyArrow table.

    Its column `part` tells the train rows (32,561) from the test rows (16,281); ask for one of
    them with `part`. Missing values are missing, not question marks.

    >>> adult().num_rows, adult("test").num_rows
    (48842, 16281)
    """
    import pyarrow.compute as pc  # noqa: PLC0415  (heavy, so imported when used)
    import pyarrow.parquet as pq  # noqa: PLC0415

    table = pq.read_table(_HERE / "adult.parquet")
    if part is None:
        return table
    one_of("adult", "part", part, ("train", "test"))
    return table.filter(pc.equal(table["part"], part))


def adult_hierarchies() -> dict[str, Hierarchy]:
    """Give a hierarchy for age and for every categorical column of Adult.

    Heights follow Wong 2009, table XXII; the trees are ours.

    >>> sorted(adult_hierarchies())[:3]
    ['age', 'education', 'marital-status']
    """
    return {
        "age": Intervals(5, 10, 20),
        "workclass": Tree(taxonomies.WORKCLASS),
        "education": Tree(taxonomies.EDUCATION),
        "marital-status": Tree(taxonomies.MARITAL_STATUS),
        "occupation": Tree(taxonomies.OCCUPATION),
        "relationship": Tree(taxonomies.RELATIONSHIP),
        "race": Tree(taxonomies.RACE),
        "sex": Tree(taxonomies.SEX),
        "native-country": Tree(taxonomies.NATIVE_COUNTRY),
        "salary": Tree(taxonomies.SALARY),
    }


def patients() -> Path:
    """Give the path of `patients.csv`: 2,000 made-up people in a made-up hospital.

    >>> import sfumato as sf
    >>> sf.datasets.patients().name
    'patients.csv'
    """
    return _HERE / "patients.csv"
