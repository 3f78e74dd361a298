"""Eight tables go the whole way: job, release, codebook, frames, model, report, second month.

Nobody parses a published text by hand on it: what is not a number already comes as one.
"""

import datetime
import io
import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import plotly.data
import polars as pl
import pyreadstat
import pytest
import sklearn.datasets
from frictionless import validate
from typer.testing import CliRunner

import sfumato as sf
from sfumato.cli.app import app

ROOT = Path(__file__).parents[1]
ENDS = np.array([datetime.datetime.min, datetime.datetime.max], "datetime64[us]")  # of time
MONTHS = ("january", "february")
LATER = 0.4  # how far the effect in a second month may be, as a share: ranges stay as they began
OFFICE = {"Date of birth", "Sex", "Postcode", "Department", "Department_2", "Years of service"}


@dataclass(frozen=True)
class Walk:
    """A table, the file that somebody has it in, and what is expected on the way."""

    frame: Callable[[], pd.DataFrame]
    write: Callable[[pd.DataFrame, Path], object]
    file: str
    known: set[str]  # the quasi-identifiers that are proposed
    sensitive: str
    said: str | float  # the sensitive value that a model explains, or what numbers are divided by
    by: str  # what it explains it by: a number, a date, or categories
    near: float  # how far its effect may be from the original's, as a share of that
    ends: tuple[str, str] | None = None  # of categories: the two that are compared

    @property
    def stem(self) -> str:
        """The file's name without its ending."""
        return self.file.partition(".")[0]

    def months(self) -> list[str]:
        """Write the first half of the people into one file, the others into another."""
        frame, ending = self.frame(), self.file.partition(".")[2]
        half = len(frame) // 2
        names = [f"{month}.{ending}" for month in MONTHS]
        self.write(frame[:half], Path(names[0]))
        self.write(frame[half:], Path(names[1]))
        return names


def _adult() -> pd.DataFrame:
    columns = ["age", "education", "sex", "race", "hours-per-week", "salary"]
    return sf.datasets.adult("train").to_pandas()[columns].head(4000)


def _patients() -> pd.DataFrame:
    return pd.read_csv(sf.datasets.patients(), dtype={"zip": str})


def _admissions() -> pd.DataFrame:
    rng = np.random.default_rng(9)
    n = 500
    born = pd.Timestamp("1935-01-01") + pd.to_timedelta(rng.integers(0, 25_000, n), unit="D")
    return pd.DataFrame(
        {
            "record": [f"A-{j:06}" for j in range(n)],
            "born": born.date,
            "postcode": [f"0{4100 + 10 * j}" for j in rng.integers(0, 9, n)],
            "diagnosis": np.where(
                rng.random(n) < (2010 - born.year) / 100,
                "I10",
                rng.choice(["E11", "J45", "M54", "F32"], n),
            ),
        }
    )


def _diabetes() -> pd.DataFrame:
    frame = sklearn.datasets.load_diabetes(as_frame=True, scaled=False).frame
    return frame[["age", "sex", "bmi"]]


def _staff() -> pd.DataFrame:
    rng = np.random.default_rng(7)
    n = 400
    years = rng.integers(0, 40, n)
    return pd.DataFrame(
        {
            "Personnel number": [f"P{j:05}" for j in range(n)],
            "Surname": [f"Somebody{j}" for j in range(n)],
            "Age": 22 + years + rng.integers(0, 4, n),
            "Department": rng.choice(["Nursing", "Kitchen", "Office"], n, p=[0.5, 0.2, 0.3]),
            "Sick leave": np.where(rng.random(n) < 0.1 + years / 50, "long", "short"),
        }
    )


def _survey() -> pd.DataFrame:
    rng = np.random.default_rng(8)
    n = 600
    age = rng.integers(18, 80, n)
    return pd.DataFrame(
        {
            "caseid": np.arange(n, dtype=float),
            "age": age.astype(float),
            "sex": 1.0 + rng.integers(0, 2, n),
            "region": 1.0 + rng.integers(0, 4, n),
            "smoker": np.where(rng.random(n) < 0.9 - age / 100, "yes", "no"),
        }
    )


def _spss(frame: pd.DataFrame, path: Path) -> None:
    labels = {
        "sex": {1.0: "male", 2.0: "female"},
        "region": {1.0: "north", 2.0: "east", 3.0: "south", 4.0: "west"},
    }
    pyreadstat.write_sav(frame, path, variable_value_labels=labels)


def _workbook(frame: pd.DataFrame, path: Path) -> None:
    """As somebody saves it: a title above, a total below, notes on another sheet."""
    with pd.ExcelWriter(path) as book:
        pd.DataFrame([["Staff of the house"]]).to_excel(
            book, sheet_name="Staff", header=False, index=False
        )
        frame.to_excel(book, sheet_name="Staff", startrow=2, index=False)
        total = pd.DataFrame([["Total", None, len(frame)]])
        total.to_excel(book, sheet_name="Staff", startrow=3 + len(frame), header=False, index=False)
        pd.DataFrame([["Made by hand"]]).to_excel(book, sheet_name="Notes", header=False)


def _office() -> pd.DataFrame:
    script = ROOT / "tools" / "make_messy_table.py"
    made = subprocess.run(
        [sys.executable, script, "/dev/stdout"], check=True, capture_output=True
    ).stdout.decode("windows-1252")
    return pd.DataFrame({"line": made.splitlines()})


def _read_by_hand(lines: pd.DataFrame) -> pd.DataFrame:
    """What the office's export says, without the title, the total and spellings of sexes."""
    text = "\n".join(lines["line"][1:-1])
    frame = pd.read_csv(io.StringIO(text), sep=";", dtype=str)
    return frame.assign(Sex=frame["Sex"].str.strip().str.lower())


def _lines(frame: pd.DataFrame, path: Path) -> None:
    """The lines of the office's export; what stands above and below is in every month's."""
    whole = _office()["line"]
    lines = [line for line in frame["line"] if line not in {*whole[:2], whole.iloc[-1]}]
    path.write_text("\n".join([*whole[:2], *lines, whole.iloc[-1]]) + "\n", "windows-1252")


def _csv(frame: pd.DataFrame, path: Path) -> None:
    frame.to_csv(path, index=False)


def _parquet(frame: pd.DataFrame, path: Path) -> None:
    frame.to_parquet(path)


def _tips(frame: pd.DataFrame, path: Path) -> None:
    frame.to_csv(path, index=False, sep=";", decimal=",")


WALKS = [
    Walk(
        _adult,
        _csv,
        "census.csv",
        {"age", "education", "sex", "race"},
        "salary",
        ">50K",
        "age",
        0.4,  # ages are coarse, and what is open ends at 100
    ),
    Walk(_patients, _csv, "patients.csv", {"age", "zip", "sex"}, "disease", "flu", "age", 0.1),
    Walk(_diabetes, _parquet, "diabetes.parquet", {"age", "sex"}, "bmi", 1.0, "age", 0.1),
    Walk(
        _admissions,
        _parquet,
        "admissions.parquet",
        {"born", "postcode"},
        "diagnosis",
        "I10",
        "born",
        0.25,
    ),
    Walk(_staff, _workbook, "staff.xlsx", {"Age", "Department"}, "Sick leave", "long", "Age", 0.1),
    Walk(_survey, _spss, "survey.sav", {"age", "sex", "region"}, "smoker", "yes", "age", 0.2),
    Walk(
        _office,
        _lines,
        "office.csv",
        OFFICE,
        "Diagnosis",
        "HIV",
        "Sex",
        0.05,
        ("m", "f"),
    ),
    Walk(
        plotly.data.tips,
        _tips,
        "tips.csv",
        {"sex", "day"},
        "smoker",
        "Yes",
        "day",
        0.1,
        ("Thur", "Sat"),
    ),
]


def run(*arguments: str) -> str:
    """Run a command that has to succeed, and give what it prints."""
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, f"{arguments}: {done.output}"
    return done.output


def edited(job: Path, walk: Walk) -> dict[str, object]:
    """Do what a person does with a proposal: agree, say what columns mean, how old one can be."""
    text, n_agreed = re.subn(r"^proposed = true\n", "", job.read_text(), flags=re.MULTILINE)
    assert n_agreed == 1
    sections = re.split(r"(?m)^(?=\[)", text)
    (place,) = [j for j, each in enumerate(sections) if each.startswith("[describe]")]
    sections[place] = sections[place].replace(' = ""\n', ' = "so it was asked"\n')
    job.write_text(re.sub(r"(?<=widths = )(.*?)}", r"\1, domain = [0, 100]}", "".join(sections)))
    written = tomllib.loads(job.read_text())
    assert set(written["describe"].values()) == {"so it was asked"}
    assert set(written["columns"]["quasi_identifiers"]) == walk.known
    assert written["columns"]["sensitive"] == [walk.sensitive]
    return written


def lines_for(language: str, readme: str) -> str:
    """Give the lines of the recipient's README that read the table in some language."""
    (block,) = re.findall(rf"^In {language}:\n\n((?:    .*\n)+)", readme, re.MULTILINE)
    return "\n".join(line[4:] for line in block.splitlines())


def effect(frame: pd.DataFrame, walk: Walk) -> float:
    """How much a year more, or the other category, changes what the model is about."""
    outcome = frame[walk.sensitive]
    y = outcome / walk.said if isinstance(walk.said, float) else outcome == walk.said
    if walk.ends is not None:
        before, after = (y[frame[walk.by] == each].mean() for each in walk.ends)
        return float(after - before)
    column = frame[walk.by]
    if isinstance(column.dtype, pd.IntervalDtype):
        ends, middles = column.array, pd.Series(column.array.mid)
        of_time = not pd.api.types.is_numeric_dtype(middles.dtype)
        is_open = (ends.left == ENDS[0]) | (ends.right == ENDS[1]) if of_time else np.isinf(middles)
        column = middles.mask(is_open)
    if not pd.api.types.is_numeric_dtype(column.dtype):
        column = (pd.to_datetime(column) - pd.Timestamp("2000-01-01")) / pd.Timedelta(days=365.25)
    told = column.notna().to_numpy()
    return float(np.polyfit(column[told], y[told].to_numpy(float), 1)[0])


def near(frame: pd.DataFrame, meant: float, walk: Walk) -> bool:
    """Whether the model learns from a frame what it learns from the original."""
    return abs(effect(frame, walk) - meant) <= walk.near * abs(meant)


def assert_typed(release: sf.Release, job: dict[str, object]) -> pd.DataFrame:
    """Numbers, dates and categories, and no text to take apart."""
    frame, polars = release.to_pandas(typed=True), release.to_polars(typed=True)
    for column, rule in job["columns"]["quasi_identifiers"].items():
        kinds = frame[column].dtype, polars[column].dtype
        if pd.api.types.is_numeric_dtype(kinds[0]):  # published as they are
            assert kinds[1].is_numeric(), column
        else:
            of_numbers = "intervals" in rule or "dates" in rule
            wanted = (
                (pd.IntervalDtype, pl.Struct)
                if of_numbers
                else (pd.CategoricalDtype, pl.Categorical)
            )
            assert all(map(isinstance, kinds, wanted)), column
    return frame


@pytest.mark.long
@pytest.mark.parametrize("walk", WALKS, ids=lambda walk: walk.stem)
def test_a_table_goes_the_whole_way(tmp_path, monkeypatch, walk):
    monkeypatch.chdir(tmp_path)
    original = walk.frame()
    walk.write(original, Path(walk.file))

    # The job file: proposed, read, agreed to.
    run("init", walk.file)
    job = edited(Path("job.toml"), walk)

    # The release, attacked before it is there.
    said = run("anonymize", "job.toml")
    assert "shown safe against every attack that applies" in " ".join(said.split())
    place = Path(job["output"])
    release = sf.load(place)
    assert release.check()
    published = [*job["columns"]["quasi_identifiers"], walk.sensitive]
    n_rows = release.to_arrow().num_rows

    # The codebook and what programs read.
    codebook = (place / "codebook.html").read_text(encoding="utf-8")
    assert codebook.count("so it was asked") >= len(published)
    assert "not described" not in codebook
    assert validate(str(place / "datapackage.json")).valid
    monkeypatch.chdir(place)
    for language in ("pandas", "Polars"):
        read: dict[str, object] = {}
        exec(
            compile(lines_for(language, Path("README.txt").read_text()), "README.txt", "exec"), read
        )
        assert sorted(read["data"].columns) == sorted(published)
        assert len(read["data"]) == n_rows
    monkeypatch.chdir(tmp_path)

    # Typed frames, and the same model on both: it tells them from values that were dealt out anew.
    frame = assert_typed(release, job)
    known = _read_by_hand(original) if walk.frame is _office else original
    meant = effect(known, walk)
    assert near(frame, meant, walk), (effect(frame, walk), meant)
    dealt = np.random.default_rng(1).permutation(frame[walk.sensitive])
    assert not near(frame.assign(**{walk.sensitive: dealt}), meant, walk)

    # The report.
    run("audit", str(place), "--original", "job.toml", "--report", "page")
    report = json.loads(Path("page", "report.json").read_text())
    assert all(finding["holds"] is not False for finding in report["findings"])
    assert Path("page", "report.html").stat().st_size > 10_000

    # The second month.
    text = re.sub(
        r"^\[method\]\n.*?(?=^\[)", "", Path("job.toml").read_text(), flags=re.MULTILINE | re.DOTALL
    )
    Path("series.toml").write_text(text)
    january, february = walk.months()
    run("publish", "series", january, "--job", "series.toml", "--rare", "suppress")
    run("publish", "series", february, "--rare", "suppress")
    second = sf.load(Path("series", "public", "002"))
    assert second.to_arrow().num_rows + second.description.n_left_out == n_rows
    later = assert_typed(second, job)
    if later[walk.by].nunique() > 1:  # what few people cost is asked, and may be the column
        learned = effect(later, walk)
        assert abs(learned - meant) <= LATER * abs(meant), (learned, meant)
    assert "so it was asked" in (Path("series", "public", "002") / "codebook.html").read_text()
    audited = CliRunner().invoke(app, ["series", "audit", "series"])
    assert audited.exit_code == 5, audited.output  # who knows the method of a series is not settled
    assert "FAILS" not in audited.output
    assert "CERTAIN" not in audited.output
