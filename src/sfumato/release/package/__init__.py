"""What comes with a release for whoever gets it: a codebook, a data package, lines to begin with.

All of it is computed from what is public: the description, and the published files.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from sfumato.files.json_text import readable_json
from sfumato.files.staged import digest_of_text
from sfumato.progress import report
from sfumato.release.description import Description
from sfumato.release.files.saved import CODEBOOK, DATA_PACKAGE, README, Written
from sfumato.release.package.codebook import codebook
from sfumato.release.package.contents import Contents
from sfumato.release.package.data_package import data_package
from sfumato.release.package.readme import readme


def package_of(description: Description, written: Written) -> dict[str, str]:
    """Give the texts of the package, by the names of files; a data package is about files alone."""
    report("counting columns for the codebook")
    contents = Contents.of(description, written)
    texts = {CODEBOOK: codebook(contents)}
    if not contents.in_database:
        texts[DATA_PACKAGE] = readable_json(data_package(contents)) + "\n"
    return {**texts, README: readme(contents)}


def write_package(directory: Path, description: Description, written: Written) -> Mapping[str, str]:
    """Write the package beside the tables that were written; give the digests of its files."""
    texts = package_of(description, written)
    for name, text in texts.items():
        (directory / name).write_text(text, encoding="utf-8", newline="\n")
    return {name: digest_of_text(text) for name, text in texts.items()}
