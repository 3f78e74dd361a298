"""From a table to a release: the decision of an algorithm, described."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from sfumato.algorithms import Algorithm, SeriesAlgorithm
from sfumato.algorithms.algorithm import a_method, chances
from sfumato.algorithms.compatibility import (
    able_in_pieces,
    check_pair,
    check_sets,
    default_method,
)
from sfumato.algorithms.two_tables import as_two_tables
from sfumato.criteria import Criterion
from sfumato.criteria.judging import a_criterion, guarding_column, validate
from sfumato.data.frequency import FrequencySet
from sfumato.data.labels.numbers import WAYS, Numbers
from sfumato.data.recoding import Recoding, a_recoding
from sfumato.errors import BadInput, NoRoom
from sfumato.parameters import one_of, true_or_false
from sfumato.progress import report
from sfumato.proposal.proposal import ACCEPT, Proposal
from sfumato.published.public_view import NAMED, PublicView
from sfumato.release.columns.look_alikes import as_merged, refuse_look_alikes
from sfumato.release.columns.naming import naming_many
from sfumato.release.columns.numbers import published_numbers
from sfumato.release.columns.telling import telling_columns
from sfumato.release.columns.untouched import fewest_alike, refuse_identifying, tells_values
from sfumato.release.context import Context
from sfumato.release.description import Description, refuse_unreadable_parts
from sfumato.release.files.writing import Private, needs_values
from sfumato.release.release import Release, load
from sfumato.release.set_valued import refuse_one_value_each
from sfumato.stored_counts import bytes_for
from sfumato.table import Table
from sfumato.text import counted, gigabytes

SECRET_BYTES = 32


def anonymize(
    table: Table,
    criterion: Criterion,
    method: Algorithm | None = None,
    *,
    untouched_identify: bool = False,
    numbers: Numbers = "text",
    context: Context | Mapping[str, str] | None = None,
) -> Release:
    """Find a recoding of `table` that satisfies `criterion`.

    Args:
        table: What `read` returned.
        criterion: What must hold of every published group; combine several with `&`.
        method: The algorithm. Unless told otherwise `Local()` for numbers of people; for
            promises about values one that gives nothing away to who knows it:
            `Mondrian(look_ahead=True)` where shares are bounded, and else `Checked(Mondrian(), ks)`
            with 8 times the k asked for.
        untouched_identify: Allow insensitive columns, which are published untouched, and sensitive
            ones that tell quasi-identifiers or who people are, to leave fewer people alike than
            were promised (two, if no number was), or people of whom less is hidden. The release
            says so.
        numbers: How generalized numbers are published: as "text"; as "bounds", so that `age_low`
            and `age_high` stand instead of `age`, and are what is checked; or as text with a
            "midpoint" beside it, `age_mid`. A bound, or a midpoint, is empty where a range is open.
        context: Who gets it and how, in your words: `recipient`, `release_model`, `review_date`,
            which `release.json` and reports say, and `controls`, which your own report says.

    Raises:
        Unsatisfiable: No release by this method satisfies the criterion.
        BadInput: Among others, columns published untouched tell people apart, or the promise would
            rest on values that only look different.

    >>> import sfumato as sf
    >>> patients = sf.read(
    ...     sf.datasets.patients(),
    ...     quasi_identifiers={"age": sf.Intervals(5, 10, 20), "sex": sf.Flat()},
    ...     sensitive="disease",
    ... )
    >>> sf.anonymize(patients, sf.KAnonymity(5) & sf.LDiversity(3), method=sf.Mondrian())
    <Release of 2,000 rows, 0 suppressed: KAnonymity(k=5) & LDiversity(l=3) by Mondrian()>
    """
    if not isinstance(table, Table):
        raise _no_table(table)
    true_or_false("anonymize", "untouched_identify", untouched_identify)
    one_of("anonymize", "numbers", numbers, WAYS)
    stated = Context.of(context, "anonymize: context")
    a_criterion(criterion)
    method = a_method(default_method(criterion) if method is None else method, "anonymize")
    if method.series is not None and method.series.previous:
        method = _with_previous(method.series, table)
    table = table.before_groups
    if method.drops_insensitive:
        table = table.without_insensitive()
    guard = guarding_column(criterion)
    if any(part.by_mechanism for part in criterion.parts):
        check_pair(method, criterion)  # before anybody looks at values
    by_value = method.bucketized or method.reads_values or needs_values(criterion)
    check_sets(method, table.set_valued, table.schema.person)
    too_many = table.too_many(guard, by_value=by_value)
    if too_many is not None and not method.works_in_pieces:
        raise _does_not_fit(method, criterion, table, too_many)
    frequencies = _counted(table, guard, by_value=by_value, in_pieces=too_many is not None)
    criterion = as_merged(criterion, table)
    validate(criterion, frequencies)
    refuse_look_alikes(table, criterion)
    if method.keeps_to is not None:
        method.refuse_columns(frequencies)
        own = _named_by(method, method.keeps_to, table, frequencies)
        refuse_look_alikes(table, own)
        method = method.keeping_to(own)
    check_pair(method, criterion)
    refuse_one_value_each(frequencies, criterion)
    refuse_unreadable_parts(criterion, method, table.schema.hierarchies.values())
    table = naming_many(table, criterion, method)
    draw = chances(method)
    report("searching")
    decided: Recoding
    if too_many is not None:
        stored = table.stored(guard, by_value=by_value)
        decided = method.search_in_pieces(stored, criterion, draw)
        frequencies = decided.people
        table = table.by_groups(frequencies)
    else:
        frequencies = _counted(table, guard, by_value=by_value, in_pieces=False)
        decided = a_recoding(method.search(frequencies, criterion, draw), str(method))
    if method.bucketized and decided.buckets is None:
        decided = as_two_tables(decided, frequencies, draw)
    secret = draw(SECRET_BYTES)
    recoding = decided.renumbered(secret).without_hidden()
    description = Description.of(table, frequencies, recoding, criterion, method)
    beside = published_numbers(numbers, description, table, frequencies, recoding)
    description = replace(description, numbers=beside, context=stated.public)
    private = Private(table, frequencies, recoding, secret, stated)
    report("looking for columns that tell people apart")
    telling = telling_columns(table)
    description = replace(description, telling=telling)
    if not description.insensitive and not telling:
        return Release(description, private)
    untouched = private.untouched(description)
    release = Release(description, private, untouched=untouched)
    apart = release.told_apart if description.telling_apart else None
    if not untouched_identify:
        refuse_identifying(untouched, criterion, apart)
        return release
    identify = untouched.n_below(fewest_alike(criterion)) > 0
    identify = identify or bool(tells_values(apart, criterion))
    description = replace(description, untouched_identify=identify)
    return Release(description, private, untouched=untouched)


def _counted(table: Table, guard: str | None, *, by_value: bool, in_pieces: bool) -> FrequencySet:
    """Count what a method looks at; where that does not fit, see its columns without anybody."""
    if in_pieces:
        return table.nobody(guard, by_value=by_value)
    return table.frequencies(guard) if by_value else table.combinations()


def _does_not_fit(method: Algorithm, criterion: Criterion, table: Table, n: int) -> NoRoom:
    """Say what a method would need that looks at all combinations at once."""
    able = " or ".join(map(str, able_in_pieces(criterion)))
    instead = f", or use {able}, to be looked at piece by piece" if able else ""
    needed = bytes_for(n, len(table.schema.counted))
    return NoRoom(
        f"{method} looks at all {counted(n, 'distinct combination')} of this table "
        f"at once, which takes about {gigabytes(needed)}, and {gigabytes(table.memory or 0)} are "
        f"allowed (memory=): allow more, give columns fewer values{instead}"
    )


def _named_by(
    method: Algorithm, kept: Criterion, table: Table, frequencies: FrequencySet
) -> Criterion:
    """Give what a method sees to by itself in values that it names; say so where nobody has one."""
    own = as_merged(kept, table)
    try:
        return validate(own, frequencies)
    except BadInput as error:
        said = str(error).removeprefix(f"{own}: ")
        raise BadInput(f"{type(method).__name__}: values: {said}", error.values) from None


def _no_table(given: object) -> BadInput:
    if isinstance(given, Proposal):
        return BadInput(f"anonymize: a proposal is not decided yet; {ACCEPT}")
    return BadInput(f"anonymize: expected a table from sf.read, got {type(given).__name__}")


def _with_previous(method: SeriesAlgorithm, table: Table) -> SeriesAlgorithm:
    """Open the earlier releases that were given by their directories."""
    if table.schema.insensitive:
        column = table.schema.insensitive[0]
        raise BadInput(
            f"{type(method).__name__}: {column!r} would be published untouched (insensitive), "
            "which lets anybody find the same record in every release; make the column sensitive, "
            "or drop it"
        )
    opened = [
        each if isinstance(each, PublicView) or each.startswith(NAMED) else load(each)
        for each in method.previous
    ]
    return method.after(opened)
