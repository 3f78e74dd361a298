"""The terms of a series: what its columns mean and what is promised, the same for every batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import index
from typing import Any

from sfumato.algorithms import ALGORITHMS, Algorithm, BCFAnonymizer, SeriesAlgorithm
from sfumato.algorithms.algorithm import series_method
from sfumato.algorithms.compatibility import check_pair
from sfumato.criteria import CRITERIA, BCFAnonymity, Criterion
from sfumato.criteria.criterion import together
from sfumato.criteria.judging import a_criterion, guarding_column, named_in
from sfumato.data.hierarchy import Flat, Hierarchy
from sfumato.data.read_settings import ReadSettings
from sfumato.data.schema import Schema
from sfumato.engines.protocol import Batches, Format
from sfumato.errors import BadInput
from sfumato.parameters import one_of, suppression_limit
from sfumato.release import Release
from sfumato.release.context import Context
from sfumato.release.description import refuse_unreadable_parts
from sfumato.table import ALIKE, KEEP, MERGE, Table, read

MISSING = object()
PARTS: dict[str, tuple[type, ...]] = {  # of terms as they are written
    "quasi_identifiers": (dict,),
    "sensitive": (list,),
    "identifiers": (list,),
    "person": (str, type(None)),
    "hierarchies": (dict,),
    "criteria": (list,),
    "method": (dict,),
    "format": (str, type(None)),
    "alike": (dict,),
    "read": (dict,),
}


@dataclass(frozen=True, eq=False)
class Terms:
    """Roles, hierarchies, criterion and method: fixed when a chain of releases is started."""

    quasi_identifiers: Mapping[str, Hierarchy]
    sensitive: tuple[str, ...]
    identifiers: tuple[str, ...]
    person: str | None
    hierarchies: Mapping[str, Hierarchy]  # of sensitive columns
    criterion: Criterion
    method: SeriesAlgorithm  # without earlier releases, which the series knows
    format: Format | None  # of the releases; None: that of the first batch
    alike: Mapping[str, str]  # column -> what becomes of values that only look different
    settings: ReadSettings  # how every batch is read
    describe: Mapping[str, str]  # published column -> what it means
    # People of rare values who are left out without a question: a number of rows, or a share of
    # them, in a whole chain; None: every time somebody has to say what becomes of them.
    max_suppressed: float | None = None
    context: Context = field(default_factory=Context)  # who gets the releases, as the steward says

    @classmethod
    def of(
        cls,
        quasi_identifiers: Mapping[str, Hierarchy] | Sequence[str],
        criterion: Criterion,
        sensitive: str | Sequence[str] | None = None,
        identifiers: Sequence[str] = (),
        person: str | None = None,
        hierarchies: Mapping[str, Hierarchy] | None = None,
        method: Algorithm | None = None,
        format: Format | None = None,  # noqa: A002
        alike: str | Mapping[str, str] | None = None,
        settings: ReadSettings | None = None,
        describe: Mapping[str, str] | None = None,
        max_suppressed: float | None = None,
        context: Context | Mapping[str, str] | None = None,
    ) -> Terms:
        """Check the terms as far as that can be done without any data."""
        unfit = unfit_for_series(criterion, method)
        if unfit:
            raise BadInput(as_one_refusal(unfit))
        in_series = BCFAnonymizer() if method is None else series_method(method)
        assert in_series is not None  # noqa: S101  (it is not unfit)
        if format is not None:
            one_of("format", "format", format, ("csv", "parquet"))
        if max_suppressed is not None:
            suppression_limit("ReleaseSeries", max_suppressed)
        schema = Schema.of(
            None,  # any column: there is no source yet
            quasi_identifiers,
            sensitive,
            identifiers,
            person=person,
            hierarchies=hierarchies,
            describe=describe,
        )
        in_series.refuse_unknown(schema.quasi_identifiers)
        check_pair(in_series, _promise(criterion))
        refuse_unreadable_parts(criterion, in_series, schema.hierarchies.values())
        return cls(
            {name: schema.hierarchies[name] for name in schema.quasi_identifiers},
            schema.sensitive,
            schema.identifiers,
            schema.person,
            {
                name: rule
                for name, rule in schema.hierarchies.items()
                if name in schema.sensitive and rule != Flat()
            },
            criterion,
            in_series,
            format,
            schema.by_column("alike", alike, ALIKE),
            settings or ReadSettings(),
            {n: said for n, said in schema.meanings.items() if n in schema.published_columns},
            _plain(max_suppressed),
            Context.of(context),
        )

    @property
    def k(self) -> int:
        """Records that every attack has to leave."""
        return self.criterion.least_size

    @property
    def promise(self) -> Criterion:
        """What every release promises: k records whatever one compares, and all else likewise."""
        return _promise(self.criterion)

    def context_for(self, recipient: str | None) -> Context:
        """Who gets a release; made for somebody in particular, it does not name all others."""
        return self.context if recipient is None else replace(self.context, recipient="")

    def read(self, kept: Batches) -> Table:
        """Open batches that were kept with the roles: spellings are merged, people are hashes."""
        person = {} if self.person is None else {self.person: KEEP}
        return self._read(kept, {c: KEEP for c, how in self.alike.items() if how == KEEP} | person)

    def read_batch(self, batch: object, earlier: Table | None) -> Table:
        """Open a new batch: as it came, but for spellings that are merged.

        earlier: The batches before, which say how a value is spelled, as the criterion does.
        """
        table = self._read(batch, dict.fromkeys(self.alike, KEEP), self.settings)
        there = tuple(name for name in self.identifiers if name in table.schema.columns)
        schema = replace(table.schema, identifiers=there)
        table = Table(table.source, schema, self.alike, table.memory)
        known: dict[str, set[str | None]] = {}
        for column, how in self.alike.items():
            if how == MERGE and column != self.person:
                known[column] = {str(name) for name in named_in(self.criterion, column)}
                labels = () if earlier is None else earlier.domains[column].values.labels
                known[column] |= {t for t in labels if t is None or isinstance(t, str)}
        return table.merged(known)

    def _read(
        self, source: object, alike: Mapping[str, str], settings: ReadSettings | None = None
    ) -> Table:
        return read(
            source,
            self.quasi_identifiers,
            self.sensitive,
            person=self.person,  # and no identifiers: what has no role is not kept either
            hierarchies=self.hierarchies,
            alike=alike,
            describe=self.describe,
            **({} if settings is None else settings.spec()),
        )

    def kept(self, table: Table) -> list[str]:
        """Columns of a batch that are kept, in its order: what is published, counted or hashed."""
        schema = table.schema
        needed = {*schema.published_columns, schema.person, guarding_column(self.criterion)}
        return [column for column in schema.columns if column in needed]

    def to_json(self) -> dict[str, Any]:
        """Write the terms down."""
        return {
            "quasi_identifiers": {n: rule.spec() for n, rule in self.quasi_identifiers.items()},
            "sensitive": list(self.sensitive),
            "identifiers": list(self.identifiers),
            "person": self.person,
            "hierarchies": {n: rule.spec() for n, rule in self.hierarchies.items()},
            "criteria": self.criterion.spec(),
            "method": self.method.spec(),
            "format": self.format,
            "alike": dict(self.alike),
            "read": self.settings.spec(),
            **({"describe": dict(self.describe)} if self.describe else {}),
            **({} if self.max_suppressed is None else {"max_suppressed": self.max_suppressed}),
            **({"context": self.context.said} if self.context.said else {}),
        }

    @classmethod
    def from_json(cls, written: Mapping[str, Any], where: str) -> Terms:
        """Read them back, with the checks of `of`: what nobody could promise is not read either."""
        for key, kinds in PARTS.items():
            if not isinstance(written.get(key, MISSING), kinds):
                raise BadInput(f"{where}: damaged; {key!r} is missing in the terms, or not a part")

        def rules(key: str) -> dict[str, Hierarchy]:
            return {
                name: Hierarchy.from_spec(spec, f"{where}: {key}.{name}")
                for name, spec in written[key].items()
            }

        criteria = [CRITERIA.from_spec(spec, where) for spec in written["criteria"]]
        if not criteria:
            raise BadInput(f"{where}: damaged; the terms promise nothing")
        method = ALGORITHMS.from_spec(written["method"], where)
        try:
            return cls.of(
                rules("quasi_identifiers"),
                together(criteria),
                written["sensitive"],
                written["identifiers"],
                written["person"],
                rules("hierarchies"),
                method,
                written["format"],
                written["alike"],
                ReadSettings.of(written["read"]),
                written.get("describe"),
                written.get("max_suppressed"),
                written.get("context"),
            )
        except BadInput as error:
            raise BadInput(f"{where}: terms that cannot be: {error}", error.values) from None

    def refuse_unlike(self, release: Release, where: object) -> None:
        """Refuse a release that says anything else in public than what these terms promise."""
        said = release.description
        names = list(self.quasi_identifiers)
        method = said.method.series
        pairs = {
            "criteria": (said.criterion.spec(), self.promise.spec()),
            "quasi_identifiers": (sorted(said.quasi_identifiers), sorted(names)),
            "sensitive": (sorted(said.sensitive), sorted(self.sensitive)),
            "insensitive": (list(said.insensitive), []),
            "alike": (sorted(said.alike), sorted(self._kept_alike)),
            # A recipient may get some columns only, and each release names those before it.
            "method": (
                method and method.after(()).specializing(names).spec(),
                self.method.specializing(names).spec(),
            ),
        }
        rules = {**self.quasi_identifiers, **self.hierarchies}
        for name, rule in said.rules().items():
            pairs[f"hierarchies.{name}"] = (rule.spec(), rules.get(name, Flat()).spec())
        # A release for somebody in particular does not name who else gets them.
        stated = self.context if "recipient" in said.context else self.context_for("somebody")
        pairs["context"] = (dict(said.context), stated.public)
        unlike = [key for key, (public, promised) in pairs.items() if public != promised]
        if unlike:
            raise BadInput(
                f"{where}: the release says other things than the ledger promises "
                f"({', '.join(unlike)}); one of them was changed, so restore it"
            )

    @property
    def _kept_alike(self) -> list[str]:
        """Published columns whose look-alikes are different values."""
        published = (*self.quasi_identifiers, *self.sensitive)
        return [column for column in published if self.alike.get(column) == KEEP]

    def refuse_other(self, other: Terms) -> None:
        """Refuse terms that differ: releases are compared, so they have to mean the same."""
        ours, theirs = self.to_json(), other.to_json()
        for key in {**ours, **theirs}:
            value, other_value = ours.get(key, {}), theirs.get(key, {})
            if other_value == value:
                continue
            names = [key]
            if isinstance(value, dict):
                different = [
                    n for n in {**value, **other_value} if value.get(n) != other_value.get(n)
                ]
                names = [f"{key}.{name}" for name in different] or names
            raise BadInput(
                f"{', '.join(names)}: not what this series was started with; releases of a chain "
                "have the same terms, so use the old ones, or start a new chain (--new-chain)"
            )


def unfit_for_series(criterion: Criterion, method: Algorithm | None) -> list[str]:
    """Say what of a promise and a method cannot be that of a series; method None: none was named.

    >>> import sfumato as sf
    >>> [each[:10] for each in unfit_for_series(sf.KAnonymity(1), sf.Mondrian())]
    ['criterion:', 'method: th']
    """
    unfit = []
    if a_criterion(criterion).least_size < 2:
        unfit.append(
            f"criterion: {criterion} sets no least number of people, and releases of a series "
            "are compared by how many records they leave; add KAnonymity(k)"
        )
    in_series = BCFAnonymizer() if method is None else series_method(method)
    if in_series is None or in_series.previous:
        unfit.append(
            "method: the releases of a series are made by sf.BCFAnonymizer(), which gets the "
            "earlier ones from the series, so leave the method out"
        )
    return unfit


def as_one_refusal(unfit: Sequence[str]) -> str:
    """Say all that is in the way in one line.

    >>> as_one_refusal(["engine: take it out", "method: leave it out"])
    '2 things keep it from being a series: (1) engine: take it out (2) method: leave it out'
    """
    if len(unfit) == 1:
        return unfit[0]
    told = " ".join(f"({number}) {each}" for number, each in enumerate(unfit, 1))
    return f"{len(unfit)} things keep it from being a series: {told}"


def _promise(criterion: Criterion) -> Criterion:
    others = [part for part in criterion.parts if not part.size_alone]
    return together([BCFAnonymity(criterion.least_size), *others])


def _plain(limit: Any) -> float | None:
    """Give a number as Python has it, whichever package made it."""
    return limit if limit is None or isinstance(limit, float) else index(limit)
