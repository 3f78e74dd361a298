"""A proposal as a job file: TOML with comments that a person edits."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from sfumato.address import is_address, table_of
from sfumato.errors import BadInput, printable
from sfumato.files.paths import reason
from sfumato.files.toml_text import toml_key, toml_value
from sfumato.parameters import file_path
from sfumato.proposal.job_entries import criteria_entries, method_entries
from sfumato.proposal.proposal import SEVERAL_SENSITIVE, Proposal, ProposedColumn
from sfumato.proposal.vocabulary import Role
from sfumato.text import count, people

PRIVATE = "# PRIVATE: this file holds values of the table; keep it as safe as the table itself."
WIDTH = 100


def save_job(proposal: Proposal, path: str | Path, *, series: bool = False) -> Path:
    """Write the job file, readable by its owner alone; what is there is never overwritten."""
    target = file_path("proposal.save", path)
    given = proposal.source
    several = given if isinstance(given, (list, tuple)) else [given]
    files = [
        str(each) if is_address(each) else Path(each)
        for each in several
        if isinstance(each, (str, Path))
    ]
    if not files or len(files) < len(several):
        raise BadInput(
            "proposal.save: a job file names a file, and the proposal is for a data frame; write "
            "the frame to a file and propose that, or go on with proposal.accept()"
        )
    text = job_text(proposal, files, target, series=series)
    try:
        handle = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        raise BadInput(
            f"{target}: exists already and is not overwritten; choose another place with --output"
        ) from None
    except OSError as error:
        raise BadInput(f"{target}: cannot write: {reason(error)}") from None
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        target.unlink(missing_ok=True)
        raise BadInput(f"{target}: cannot write: {reason(error)}") from None
    return target


def job_text(
    proposal: Proposal, sources: Sequence[Path | str], target: Path, *, series: bool = False
) -> str:
    """Write a proposal as TOML; paths are seen from the job file."""
    return "\n".join(_lines(proposal, sources, target, series=series)) + "\n"


def _lines(
    proposal: Proposal, sources: Sequence[Path | str], target: Path, *, series: bool
) -> Iterator[str]:
    above = target.absolute().parent
    places = [
        os.path.relpath(source.absolute(), above) if isinstance(source, Path) else source
        for source in sources
    ]
    first = sources[0]
    stem = first.stem if isinstance(first, Path) else table_of(first)
    yield PRIVATE
    yield from _comment(
        f"Proposed by sfumato init from {proposal.heading}. Nothing here is decided: read it, "
        "change what is wrong, and take out the next line. Until then only `sfumato check`, "
        "`sfumato hierarchy show` and `sfumato anonymize --dry-run` take this file."
    )
    yield "proposed = true"
    yield ""
    yield f"source = {toml_value(places[0] if len(places) == 1 else places)}"
    yield f"output = {toml_value(f'{stem}-release')}"
    if proposal.remarks:
        yield ""
        yield "# To look at:"
        for remark in proposal.remarks:
            yield from _comment(remark, "# - ", "#   ")
    settings = proposal.settings.spec()
    if settings:
        yield ""
        yield "# How the file is read."
        yield "[read]"
        for name, value in settings.items():
            if why := proposal.settings_reasons.get(name):
                yield from _comment(f"{name}: {why}")
            yield f"{toml_key(name)} = {toml_value(value)}"
    if proposal.alike:
        yield ""
        yield from _comment('Texts that only look different are one value; "keep" parts them.')
        yield "[read.alike]"
        for column, how in proposal.alike.items():
            yield f"{toml_key(column)} = {toml_value(how)}"
    yield ""
    yield from _columns(proposal, series=series)
    criterion, method = proposal.promise.reasons
    yield ""
    yield from _comment(f"What must hold of every group: {criterion}.")
    yield from criteria_entries(proposal.criterion)
    yield ""
    if series:
        yield from _comment("How groups are made: a series has a method of its own.")
    else:
        yield from _comment(f"How groups are made: {method}.")
        yield from method_entries(proposal.method)
    yield ""
    yield from _comment("What columns mean, for whoever gets the release: say it between quotes.")
    yield "[describe]"
    published = {*proposal.quasi_identifiers, *proposal.sensitive}
    for each in proposal.columns:
        if each.name in published:
            yield f"{toml_key(each.name)} = {toml_value(each.meaning)}"
    yield ""
    yield from _comment(
        "Who gets the release, in your words. The report prints it as your statement; controls "
        "stay with you, the rest is published. Release models: public, semi-public, non-public."
    )
    yield "[context]"
    yield from (f'{name} = ""' for name in ("recipient", "release_model", "controls"))
    yield 'review_date = ""'


def _columns(proposal: Proposal, *, series: bool) -> Iterator[str]:
    by_role: dict[Role, list[ProposedColumn]] = {role: [] for role in Role}
    for column in proposal.columns:
        by_role[column.role].append(column)
    yield "[columns]"
    yield from _comment("They name people; never published.")
    yield from _listed("identifiers", by_role[Role.IDENTIFIER])
    if series:
        names = [column.name for column in by_role[Role.IDENTIFIER]]
        yield from _comment(
            "By which one are people known? Name it here instead of among the identifiers: only "
            "keyed hashes of it are kept. Without it nobody notices who comes twice."
        )
        yield f"# person = {toml_value(names[0] if names else 'name')}"
    published = [column for column in by_role[Role.SENSITIVE] if column.published]
    yield from _comment("It must not become known of a person; published as it is.")
    yield from _listed("sensitive", published)
    if len(by_role[Role.SENSITIVE]) > len(published):
        yield from _comment(SEVERAL_SENSITIVE)
    for column in by_role[Role.SENSITIVE]:
        if not column.published:
            yield from _comment(
                f"{column.name}: {_counts(column)}; {column.reason}", "#   ", "#     "
            )
    if by_role[Role.NONE]:
        yield from _comment("Left out, since they have no role:")
        for column in by_role[Role.NONE]:
            yield from _comment(
                f"{column.name}: {_counts(column)}; {column.reason}", "#   ", "#     "
            )
    yield ""
    yield from _comment(
        "Others may know them; they are published more generally. All of them together single out "
        f"{count(proposal.n_unique)} of {people(proposal.n_rows)}."
    )
    yield "[columns.quasi_identifiers]"
    for column in by_role[Role.QUASI_IDENTIFIER]:
        yield from _comment(f"{column.name}: {_counts(column)}; {column.reason}")
        rule = column.hierarchy
        if rule is not None:
            if rule.example:
                yield from _comment(" -> ".join(rule.example), "#   ", "#   ")
            yield f"{toml_key(column.name)} = {toml_value(rule.rule.spec())}"


def _counts(column: ProposedColumn) -> str:
    said = f"{column.kind}, {count(column.n_values)} distinct, {count(column.n_missing)} missing"
    said += f", singles out {count(column.n_alone)} alone"
    if column.n_more is None:
        return said
    return f"{said} and {count(column.n_more)} more with the others"


def _listed(key: str, columns: Sequence[ProposedColumn]) -> Iterator[str]:
    if not columns:
        yield f"{key} = []"
        return
    yield f"{key} = ["
    for column in columns:
        yield from _comment(f"{_counts(column)}; {column.reason}", "    # ", "    # ")
        yield f"    {toml_value(column.name)},"
    yield "]"


def _comment(text: str, first: str = "# ", then: str = "# ") -> Iterator[str]:
    """Write a comment in lines of words; nothing in it can end a line."""
    line = first
    for word in printable(text).split(" "):
        if len(line) + len(word) > WIDTH and line.strip(" #-"):
            yield line.rstrip()
            line = then
        line += f"{word} "
    yield line.rstrip()
