"""What an officer keeps beside a report: the command, and the job file, which is the steward's."""

from __future__ import annotations

import shlex
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sfumato.errors import BadInput
from sfumato.files.paths import reason
from sfumato.parameters import file_path
from sfumato.release.context import NAMES, PRIVATE, Context

PATH = "DIRECTORY"  # of a release that has no name yet


@dataclass(frozen=True)
class Evidence:
    """How a report was asked for, and the job that made the release; for the steward alone."""

    command: str | None = None
    job: str | None = None  # the name of the job file
    text: str | None = None  # what stands in it
    context: Context | None = None  # as the job states it

    @classmethod
    def of(cls, job: str | Path | None, command: str | None) -> Evidence:
        """Read the job file."""
        if job is None:
            return cls(command)
        path = file_path("save", job)
        try:
            text = path.read_text(encoding="utf-8-sig")
            stated = tomllib.loads(text).get("context")
        except (OSError, ValueError) as error:  # also what is no text, and no TOML
            why = reason(error) if isinstance(error, OSError) else "no TOML"
            raise BadInput(f"{path}: cannot read the job: {why}") from None
        return cls(command, path.name, text, Context.of(stated, f"{path}: context"))

    def to_json(self) -> dict[str, Any]:
        """Plain values for a machine."""
        job = None if self.job is None else {"name": self.job, "text": self.text}
        return {"command": self.command, "job": job}


def commands_for(name: str | None) -> list[str]:
    """Give the commands by which anybody who has the release measures it again."""
    place = PATH if name is None else shlex.quote(name)
    return [f"sfumato check {place}", f"sfumato audit {place}"]


def stated(context: Context, *, private: bool) -> dict[str, Any]:
    """Write the steward's statement down: what is said, what is empty, what is not for everybody.

    >>> stated(Context(recipient="the university"), private=False)["empty"]
    ['release model', 'review date']
    """
    said = context.said if private else context.public
    kept = [] if private else [NAMES[name] for name in PRIVATE]
    return {
        "said": {NAMES[name]: text for name, text in said.items()},
        "empty": [called for called in context.empty if called not in kept],
        "not_published": kept,
    }
