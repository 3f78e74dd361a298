"""Utility as cross-validation sees it: every fold anonymized, learned from, and tested."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any

from sfumato.algorithms import Algorithm
from sfumato.criteria import Criterion
from sfumato.criteria.judging import a_criterion, guarding_column
from sfumato.errors import BadInput, Unsatisfiable
from sfumato.formulas.measures.loss import average_group_size
from sfumato.html import html_table
from sfumato.parameters import whole
from sfumato.progress import report
from sfumato.release import anonymize
from sfumato.table import Table
from sfumato.text import aligned, percent, to_a_tenth, value_text
from sfumato.utility.classification import accuracy, check_learning
from sfumato.utility.divergence import kl_divergence
from sfumato.utility.learning_records import Records, columns_of, equal_parts, part_of


@dataclass(frozen=True)
class Fold:
    """One part of the people left out for the test; the others anonymized and learned from.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> folds = sf.utility.cross_validate(patients, sf.KAnonymity(5), sf.Mondrian(), "sex", folds=2)
    >>> folds.folds[0].n_learned, folds.folds[0].n_tested
    (1000, 1000)
    """

    n_learned: int
    n_tested: int
    original: float  # accuracy of what is learned from the people as they are
    without_sensitive: float | None  # the same without sensitive columns; None: there are none
    accuracy: float | None = None  # of what is learned from the release; None: impossible
    average_group_size: float | None = None
    kl_divergence: float | None = None  # None also where there are several sensitive columns
    impossible: str | None = None  # why no release of these people satisfies the criterion


@dataclass(frozen=True)
class CrossValidation:
    """Accuracy, group size and divergence over all folds. For the steward only.

    The means are what Chen 2009 reports. They are about the folds in which there is a release, and
    None where there is none at all; `n_impossible` folds had none.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> folds = sf.utility.cross_validate(patients, sf.KAnonymity(5), sf.Mondrian(), "sex", folds=2)
    >>> len(folds.folds)
    2
    """

    target: str
    seed: int
    folds: tuple[Fold, ...]

    @property
    def accuracy(self) -> float | None:
        """Mean share of right predictions by trees learned from the releases."""
        return self._mean("accuracy")

    @property
    def original(self) -> float:
        """The same for trees learned from the people as they are: what can be hoped for."""
        return fmean(fold.original for fold in self.folds)

    @property
    def without_sensitive(self) -> float | None:
        """The same without the sensitive columns: what is had without publishing them."""
        return self._mean("without_sensitive")

    @property
    def average_group_size(self) -> float | None:
        """Mean of the average number of people in a group."""
        return self._mean("average_group_size")

    @property
    def kl_divergence(self) -> float | None:
        """Mean divergence of the releases from what they were made of."""
        return self._mean("kl_divergence")

    @property
    def n_impossible(self) -> int:
        """Number of folds in which no release satisfies the criterion."""
        return sum(fold.impossible is not None for fold in self.folds)

    def _mean(self, name: str) -> float | None:
        known = [value for fold in self.folds if (value := getattr(fold, name)) is not None]
        return fmean(known) if known else None

    def to_json(self) -> dict[str, Any]:
        """Plain values for a machine."""
        return {
            "target": self.target,
            "seed": self.seed,
            "accuracy": self.accuracy,
            "original": self.original,
            "without_sensitive": self.without_sensitive,
            "average_group_size": self.average_group_size,
            "kl_divergence": self.kl_divergence,
            "impossible": self.n_impossible,
            "folds": [asdict(fold) for fold in self.folds],
        }

    def _lines(self) -> list[tuple[str, str]]:
        impossible = f"{self.n_impossible} of them impossible" if self.n_impossible else ""
        return [
            (f"accuracy for {self.target}", _text(self.accuracy, percent)),
            ("learned from the original", percent(self.original)),
            ("without sensitive columns", _text(self.without_sensitive, percent)),
            ("average group size", _text(self.average_group_size, to_a_tenth)),
            ("KL divergence", _text(self.kl_divergence, value_text)),
            ("folds", ", ".join(filter(None, [str(len(self.folds)), impossible]))),
        ]

    def __str__(self) -> str:
        return aligned(self._lines())

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return html_table(("", "cross-validation"), self._lines())


def _text(number: float | None, write: Callable[[float], str]) -> str:
    return "none" if number is None else write(number)


def cross_validate(
    table: Table,
    criterion: Criterion,
    method: Algorithm | None,
    target: str,
    folds: int = 10,
    *,
    seed: int = 0,
) -> CrossValidation:
    """Anonymize all but a part of the people, learn from the release, and test with that part.

    Chen 2009, section 8.4, with the tree of `classification_accuracy`. Beside each accuracy stand
    two others, of trees learned from the same people as they are, with and without the sensitive
    columns. People are dealt out to folds at random, so that sizes differ by one at most. Where
    the criterion cannot be satisfied, the fold is reported as impossible.

    Args:
        table: What `read` returned.
        criterion: What must hold of every release.
        method: The algorithm, as for `anonymize`; give it a seed of its own where it has one and
            the result is to be repeated exactly.
        target: What to predict: a quasi-identifier or an insensitive column.
        folds: Number of parts, from 2 to the number of rows.
        seed: Who is in which part, and all that `classification_accuracy` leaves to chance.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> folds = sf.utility.cross_validate(patients, sf.KAnonymity(5), sf.Mondrian(), "sex", folds=2)
    >>> len(folds.folds)
    2
    """
    owner = "cross_validate"
    if not isinstance(table, Table):
        raise BadInput(f"{owner}: expected a table from sf.read, got {type(table).__name__}")
    check_learning(owner, table.schema, target, seed)
    n_folds = whole(owner, "folds", folds, 2, table.n_rows, "the number of rows")
    parts = tuple(_folds(table, criterion, method, target, n_folds, seed))
    return CrossValidation(target, seed, parts)


def _folds(
    table: Table,
    criterion: Criterion,
    method: Algorithm | None,
    target: str,
    n_folds: int,
    seed: int,
) -> Iterator[Fold]:
    schema = table.schema
    guard = guarding_column(a_criterion(criterion))
    counted = columns_of(table, guard).frequencies()
    columns = schema.published_columns
    harmless = tuple(column for column in columns if column not in schema.sensitive)
    for number, left_out in enumerate(equal_parts(counted.counts, n_folds, seed)):
        report("cross-validating", number, n_folds)
        kept = counted.counts - left_out
        tested = Records.of(counted, left_out)
        as_they_are = Records.of(counted, kept)

        def learned(records: Records, by: tuple[str, ...], test_records: Records = tested) -> float:
            return accuracy(records, test_records, target, schema.hierarchies, by, seed)

        original = learned(as_they_are, columns)
        without = None
        if schema.sensitive and len(harmless) > 1:
            without = learned(as_they_are, harmless)
        sizes = (int(kept.sum()), int(left_out.sum()))
        try:
            part = part_of(table, counted, kept)
            release = anonymize(part, criterion, method, untouched_identify=True)  # for nobody else
        except Unsatisfiable as error:
            yield Fold(*sizes, original, without, impossible=str(error))
            continue
        yield Fold(
            *sizes,
            original,
            without,
            learned(Records.of_release(release, seed), columns),
            average_group_size(release.sizes),
            kl_divergence(release) if len(schema.sensitive) < 2 else None,
        )
