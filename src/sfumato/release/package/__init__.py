"""What comes with a release for whoever gets it: a codebook, a data package, lines to begin with.

All of it is computed from what is public: the description, and the published files.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sfumato.files.json_text import readable_json
from sfumato.files.staged import digest
from sfumato.progress import report
from sfumato.release.description import Description
from sfumato.release.files.saved import CODEBOOK, DATA_PACKAGE, README, Written
from sfumato.release.package.codebook import codebook
from sfumato.release.package.contents import Contents
from sfumato.release.package.data_package import data_package
from sfumato.release.package.readme import readme


def write_package(directory: Path, description: Description, written: Written) -> Mapping[str, str]:
    """Write the package beside the tables that were written; give the digests of its files."""
    report("counting columns for the codebook")
    contents = Contents.of(description, written)
    texts = {
        CODEBOOK: codebook(contents),
        DATA_PACKAGE: readable_json(data_package(contents)) + "\n",
        README: readme(contents),
    }
    for name, text in texts.items():
        (directory / name).write_text(text, encoding="utf-8", newline="\n")
    return {name: digest(directory / name) for name in texts}
