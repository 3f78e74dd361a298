"""Numbers of file formats: what another version of sfumato wrote is refused, never guessed at."""

from __future__ import annotations

from sfumato.errors import BadInput, shown


def refuse_other_format(where: object, written: object, read: int) -> None:
    """Refuse a file whose format has another number than the one that is read here.

    >>> refuse_other_format("out/release.json", 2, 1)
    Traceback (most recent call last):
        ...
    sfumato.errors.BadInput: out/release.json: written by format 2, this sfumato reads 1; \
use the version of sfumato that wrote it, or write it anew with this one
    """
    if written is None:
        raise BadInput(
            f"{where}: it has no format number, so another version of sfumato wrote it, or it is "
            "damaged; write it anew with this one"
        )
    if isinstance(written, bool) or not isinstance(written, int):
        raise BadInput(f"{where}: damaged; the number of its format is {shown(written)}")
    if written != read:
        raise BadInput(
            f"{where}: written by format {shown(written)}, this sfumato reads {read}; use the "
            "version of sfumato that wrote it, or write it anew with this one"
        )
