"""Numbers of file formats: what another version of sfumato wrote is refused, never guessed at.

From 0.2.0 on a later version reads what an earlier one wrote (docs/formats.md).
"""

from __future__ import annotations

from sfumato.errors import BadInput, shown


def refuse_other_format(where: object, written: object, read: int) -> None:
    """Refuse a file whose format has another number than the one that is read here.

    >>> refuse_other_format("out/release.json", 2, 1)
    Traceback (most recent call last):
        ...
    sfumato.errors.BadInput: out/release.json: written by format 2, this sfumato reads 1; a newer \
version of sfumato wrote it, so update sfumato
    >>> refuse_other_format("out/release.json", 1, 2)
    Traceback (most recent call last):
        ...
    sfumato.errors.BadInput: out/release.json: written by format 1, this sfumato reads 2; a \
version before 0.2.0 wrote it, so use that version
    """
    if written is None:
        raise BadInput(
            f"{where}: it has no format number, so sfumato did not write it, or it is damaged"
        )
    if isinstance(written, bool) or not isinstance(written, int) or written < 1:
        raise BadInput(f"{where}: damaged; the number of its format is {shown(written)}")
    if written == read:
        return
    advice = "a version before 0.2.0 wrote it, so use that version"
    if written > read:
        advice = "a newer version of sfumato wrote it, so update sfumato"
    raise BadInput(
        f"{where}: written by format {shown(written)}, this sfumato reads {read}; {advice}"
    )
