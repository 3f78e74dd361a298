"""Compare proposed roles with those written down in `tests/corpus_roles.toml`; run each proposal.

    python tools/corpus.py [--docs]      in an environment that has the packages: make corpus

Prints a table with what was proposed for each table of people, and what became of its job once the
line `proposed = true` was out. With --docs the table is written into docs/init.md.
"""

from __future__ import annotations

import argparse
import io
import sys
import sysconfig
import tempfile
import tomllib
import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd

import sfumato as sf
from sfumato.job import Job

ROOT = Path(__file__).parents[1]
PLACE = Path(sysconfig.get_paths()["purelib"])
ROLES = {
    "identifiers": "identifier",
    "quasi_identifiers": "quasi-identifier",
    "sensitive": "sensitive",
    "other": "no role",
}
LONGEST = 120  # letters of a refusal
LEAST_RECALL, LEAST_PRECISION = 0.9, 0.7
KINDS = {"held_out": "held out", "fresh": "fresh"}
BEGIN, END = "<!-- corpus -->\n", "<!-- end of corpus -->"
HEADINGS = ["table", "people", "rows", "columns", "identifiers", "recall", "precision"]
HEADER = f"| {' | '.join([*HEADINGS, 'after the line is out'])} |\n{'|---' * 8}|"


def frame_of(path: Path, quote: str) -> pd.DataFrame:
    """Read a table as its package ships it."""
    name = path.name
    if name.endswith(".dta"):
        return pd.read_stata(path)
    if name.endswith(".pickle"):
        return pd.read_pickle(path)
    if name.endswith(".pkl.compress"):
        return pd.read_pickle(path, compression="xz")
    if name.endswith(".arff"):
        lines = path.read_text().splitlines()
        start = next(j for j, line in enumerate(lines) if line.lower().startswith("@data"))
        names = [
            line.split()[1].strip("'\"") for line in lines if line.lower().startswith("@attribute")
        ]
        text = io.StringIO("\n".join(lines[start + 1 :]))
        return pd.read_csv(text, names=names, na_values="?", quotechar="'")
    encoding = "utf-8-sig" if not name.endswith(".bz2") else None
    return pd.read_csv(path, sep=None, engine="python", quotechar=quote, encoding=encoding)


def truth_of(table: dict[str, Any], columns: list[str]) -> dict[str, str]:
    """Give the role of every column, as it was written down."""
    truth = {column: role for key, role in ROLES.items() for column in table[key]}
    if sorted(truth) != sorted(columns):
        sys.exit(f"{table['file']}: columns differ from the roles: {set(truth) ^ set(columns)}")
    return {column.strip(): role for column, role in truth.items()}


def first_clause(text: str) -> str:
    """Shorten a refusal to what it says first; the rest names numbers and remedies."""
    clause = text.partition(";")[0].partition(", and ")[0]
    return clause if len(clause) <= LONGEST else clause[: clause.rindex(" ", 0, LONGEST)] + " ..."


def outcome(proposal: sf.Proposal, place: Path) -> str:
    """Run the job of a proposal, with nothing but its line taken out."""
    file = proposal.save(place / "job.toml")
    file.write_text(file.read_text().replace("proposed = true\n", "", 1))
    try:
        job = Job.load(file)
        release = sf.anonymize(job.table(), job.criterion, job.method)
        release.save(job.output)
    except sf.SfumatoError as error:
        return f"refused: {first_clause(str(error))}"
    lost = release.summary().to_json()["information_loss"]
    return f"released, {float(lost):.0%} lost"


def score(found: Counter[tuple[str, str]]) -> tuple[float | None, float | None]:
    """Give recall and precision of quasi-identifiers; None: there is none of them."""
    both = found["quasi-identifier", "quasi-identifier"]
    true = sum(n for (role, _), n in found.items() if role == "quasi-identifier")
    said = sum(n for (_, role), n in found.items() if role == "quasi-identifier")
    return both / true if true else None, both / said if said else None


def shown(value: float | None) -> str:
    """Write a share."""
    return "" if value is None else f"{value:.2f}"


def rows() -> Iterator[tuple[dict[str, Any], str, Counter[tuple[str, str]]]]:
    """Propose for every table; give it, its line of the table, and its pairs of roles."""
    tables = tomllib.loads((ROOT / "tests" / "corpus_roles.toml").read_text())["table"]
    for table in tables:
        frame = frame_of(PLACE / table["file"], table.get("quote", '"'))
        frame.columns = [str(name) for name in frame.columns]
        truth = truth_of(table, list(frame.columns))
        with tempfile.TemporaryDirectory() as directory:
            file = Path(directory) / "table.csv"
            frame.to_csv(file, index=False)
            proposal = sf.propose(file)
            ended = outcome(proposal, Path(directory))
        pairs = Counter((truth[c.name.strip()], c.role.value) for c in proposal.columns)
        ids = sum(n for (role, _), n in pairs.items() if role == "identifier")
        recall, precision = score(pairs)
        title = (
            f"{table['package'].partition('=')[0]}: {Path(table['file']).name.partition('.')[0]}"
        )
        cells = [
            f"{title}{''.join(f' ({said})' for kind, said in KINDS.items() if table.get(kind))}",
            table["people"],
            f"{proposal.n_rows:,}",
            len(proposal.columns),
            f"{pairs['identifier', 'identifier']} of {ids}",
            shown(recall),
            shown(precision),
            ended.replace("|", "/"),
        ]
        yield table, f"| {' | '.join(map(str, cells))} |", pairs


def main() -> None:
    """Print the table, judge it, and write it down if asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--docs", action="store_true", help="write the table into docs/init.md")
    asked = parser.parse_args()
    warnings.simplefilter("ignore")  # of pandas, about how others wrote their files
    lines, every = [HEADER], Counter[tuple[str, str]]()
    parts = {kind: Counter[tuple[str, str]]() for kind in KINDS}
    print(HEADER)
    for table, line, pairs in rows():
        print(line, flush=True)
        lines.append(line)
        every += pairs
        for kind in KINDS:
            parts[kind] += pairs if table.get(kind) else Counter()
    totals = {"all": every} | {said: parts[kind] for kind, said in KINDS.items()}
    for what, pairs in totals.items():
        recall, precision = score(pairs)
        ids = sum(n for (role, _), n in pairs.items() if role == "identifier")
        n_columns, true = sum(pairs.values()), pairs["identifier", "identifier"]
        lines.append(
            f"| **{what}** | | | {n_columns} | {true} of {ids} | {shown(recall)} | "
            f"{shown(precision)} | |"
        )
        print(lines[-1])
    recall, precision = score(every)
    missed = [n for (true, said), n in every.items() if true == "identifier" != said]
    if asked.docs:
        page = ROOT / "docs" / "init.md"
        before, rest = page.read_text().split(BEGIN)
        _, after = rest.split(END)
        page.write_text(before + BEGIN + "\n".join(lines) + "\n" + END + after)
    if missed or (recall or 0) <= LEAST_RECALL or (precision or 0) <= LEAST_PRECISION:
        sys.exit("roles are proposed worse than they should be")


if __name__ == "__main__":
    main()
