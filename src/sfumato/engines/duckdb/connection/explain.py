"""What DuckDB's error messages mean, in one line that names the place and no value."""

from __future__ import annotations

import errno
import os
import re
from pathlib import Path

from sfumato.engines.text_encodings import encoding_remedy
from sfumato.progress import not_enough_memory

STORAGE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EACCES, errno.EROFS, errno.ENOENT)


OTHER_FIELDS = "fields where the header has"


def about_storage(message: str, private: Path, target: Path | None) -> str | None:
    """Say what the system refused to do to temporary files or the target; None: nothing."""
    refusals = [os.strerror(number) for number in STORAGE]
    why = next((text.lower() for text in refusals if text in message), "the system refused it")
    if str(private) in message or "max_temp_directory_size" in message:
        why = os.strerror(errno.ENOSPC).lower() if "max_temp_directory_size" in message else why
        return (
            f"cannot keep temporary files in {private.parent}: {why}; set TMPDIR to another place"
        )
    if target is not None and str(target) in message:
        return f"{target}: cannot write: {why}"
    return None


def lacks_memory(message: str) -> bool:
    """Whether there was too little memory: of DuckDB's own, or of Python's.

    What lies between the two says `nanobind` where Python did not give it an object.
    """
    return message.startswith(("Out of Memory Error", "nanobind::")) or (
        "failed: MemoryError" in message
    )


def met_lack_of_memory(error: BaseException) -> bool:
    """Whether an error came while another was handled that says there was too little memory."""
    before = error.__context__
    while before is not None and not isinstance(before, MemoryError):
        before = before.__context__
    return before is not None


def explanation(
    message: str, name: str, target: Path | None, otherwise: str | None, first_line: int = 1
) -> str:
    """Say what DuckDB found wrong; its own message quotes the offending line, so it stays here.

    `first_line`: the number of the line that is the first to DuckDB.
    """
    line = re.search(r"Line: (\d+)", message)
    place = f"{name}, line {int(line[1]) + first_line - 1}" if line else name
    columns = re.search(r"Expected Number of Columns: (\d+) Found: (\d+)", message)
    if columns:
        return (
            f"{place}: {columns[2]} {OTHER_FIELDS} {columns[1]}; mend the line, or "
            "quote what holds a delimiter"
        )
    if "not utf-8" in message or "Invalid unicode" in message:
        return f"{place}: not UTF-8 text; {encoding_remedy(Path(name))}"
    if "unterminated quote" in message:
        return f"{place}: a quoted field does not end, or a quote in it is not doubled"
    if "Maximum line size" in message:
        return f"{place}: the line is too long; a quote may be missing, or split the line"
    if "state machine" in message or "quote" in message:
        return f"{place}: not a regular CSV file; check its quotes and line ends"
    if target is not None and "IO Error" in message:
        return f"{target}: cannot write there"
    kind = message.split(":", 1)[0]  # what follows may quote a value
    if kind == "Conversion Error" and target is not None:  # it is not among those that were listed
        return (
            f"{name}: a value was not there when the rows were counted, so the source has changed "
            "since; start again, and let nobody write to it meanwhile"
        )
    if lacks_memory(message):
        return f"{name}: {not_enough_memory()}"
    if kind == "Resource In Use Error":
        return (
            f"{name}: something else that was asked of it has not ended; read its rows to the end "
            "or let them go, let go of errors that are held, or open it again"
        )
    return f"{name}: {otherwise}" if otherwise else f"{place}: the engine refused it ({kind})"
