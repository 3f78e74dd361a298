"""Damaged and made-up input: it works, or it is refused in one line and nothing is left behind.

Every test is deterministic. By default a few inputs of each kind are tried; the slow variants try
thousands.
"""

import dataclasses
import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from typer.testing import CliRunner

import sfumato as sf
from hard.mutations import (
    ANYTHING,
    PLAIN,
    WORDS,
    damaged_bytes,
    damaged_description,
    damaged_value,
    toml,
)
from profiles import examples
from sfumato.algorithms.compatibility import criteria, methods
from sfumato.cli.app import app
from sfumato.criteria import Criterion
from sfumato.data.groups import Guards, Histogram
from sfumato.data.hierarchy import Hierarchy, LevelTable
from sfumato.data.labels.writer import interval_labels
from sfumato.job import Job

TRIED = "fuzzed inputs tried"
LONGEST_MESSAGE = 6000


def few_or_many(few: int, many: int):
    """Run with few inputs by default, and with many among the slow tests."""
    return pytest.mark.parametrize("n", [few, pytest.param(many, marks=pytest.mark.slow)])


def files(place: Path) -> list[tuple[str, bytes | None]]:
    return sorted(
        (str(path), path.read_bytes() if path.is_file() else None) for path in place.rglob("*")
    )


def survives(place: Path, action: Callable, *arguments: object) -> object:
    """Do it; a refusal has one line and leaves nothing. Anything else that is raised is a bug."""
    before = files(place)
    try:
        return action(*arguments)
    except (sf.BadInput, sf.Unsatisfiable) as error:
        message = error.with_values() if isinstance(error, sf.BadInput) else str(error)
        assert len(message.splitlines()) == 1, message
        assert 0 < len(message) < LONGEST_MESSAGE, message[:200]
        assert files(place) == before
        return None


def published(source, columns: dict, criterion, method, out: Path, kind) -> bool:
    """Make, save and load a release; what was saved keeps its promise."""
    sf.anonymize(sf.read(source, **columns), criterion, method, untouched_identify=True).save(
        out, kind
    )
    loaded = sf.load(out)
    assert loaded.check(), "a saved release breaks its promise"
    loaded.to_arrow()
    loaded.summary()
    shutil.rmtree(out)
    return True


# ------------------------------------------------------------------------------------ CSV files

TABLES = [
    b"name,age,sex,disease\n"
    + b"".join(
        b"p%d,%d,%s,%s\n"
        % (j, 20 + j % 7, [b"f", b"m"][j % 2], [b"flu", b"HIV", b"", b'""'][j % 4])
        for j in range(16)
    ),
    b'\xef\xbb\xbfname;age;sex;disease\r\n"a;b";37;f;flu\r\n"c""d";38;m;HIV\r\n;;;\r\n"";"";"";""\r\n'
    * 1
    + b"e;37;f;flu\r\nf;38;m;HIV\r\n",
    b"age\tsex\tdisease\tname\n1\t=f\t-1\tx\n01\t'f\t1e3\ty\n1.0\t@f\t0.10\tz\n\t\t\t\n1\t=f\t-1\tx\n",
]
RULES = [sf.Flat(), sf.Prefix(), sf.Intervals(5, 10), sf.Dates(), sf.Tree(["f", "m", "x"])]


@few_or_many(60, 1500)
def test_a_damaged_csv_file_is_published_whole_or_refused(tmp_path, record_property, n):
    chance = random.Random(1)
    done = 0
    for _ in range(n):
        source = tmp_path / "table.csv"
        source.write_bytes(damaged_bytes(chance, chance.choice(TABLES)))
        rules = {"age": chance.choice(RULES[:3]), "sex": chance.choice(RULES)}
        criterion = sf.KAnonymity(chance.choice([1, 2, 2, 3]))
        if chance.random() < 0.5:
            criterion &= chance.choice(
                [sf.LDiversity(2), sf.TCloseness(0.9), sf.LDiversity(1.5, "entropy")]
            )
        method = chance.choice(
            [
                sf.Mondrian(),
                sf.Mondrian(strict=False),
                sf.Samarati(0.4),
                sf.Optimal(max_suppressed=0.5),
            ]
        )
        insensitive = chance.choice([[], ["name"]])
        kind = chance.choice(["csv", "parquet"])

        columns = {"quasi_identifiers": rules, "sensitive": "disease", "insensitive": insensitive}
        out = tmp_path / "out"
        done += bool(survives(tmp_path, published, source, columns, criterion, method, out, kind))
    assert done > n // 20
    record_property(TRIED, n)


CELLS = st.one_of(
    st.none(),
    st.sampled_from(
        ["", " ", "a", "A", "=1", "'", "''a", "-1", "1", "01", "1.0", "1e3", "nan", "inf"]
    ),
    st.sampled_from(
        ["\0", "\r", "\n", "\r\n", '"', '""', ",", ";", "\t", "\ufeff", "\u2028", "missing", "*"]
    ),
    st.sampled_from(
        ["[1, 2)", "<5", ">=m", "{a, b}", "not missing", "a or missing", "true", "False"]
    ),
    st.text(max_size=4),
    st.integers(-(10**25), 10**25).map(str),
    st.floats().map(repr),
)
NAMES = st.lists(
    st.one_of(
        st.sampled_from(
            [
                "q",
                "s",
                "a,b",
                'a"b',
                "a\nb",
                "a;b",
                " ",
                "=x",
                "g",
                "v0",
                "n",
                "'x",
                "\ufeffx",
                "\r",
            ]
        ),
        st.text(min_size=1, max_size=3),
    ),
    min_size=2,
    max_size=3,
    unique_by=str.casefold,
)
RELEASES = {
    "criterion": st.sampled_from(
        [
            sf.KAnonymity(1),
            sf.KAnonymity(2),
            sf.KAnonymity(2) & sf.LDiversity(2),
            sf.TCloseness("1/2"),
        ]
    ),
    "method": st.sampled_from(
        [
            sf.Mondrian(),
            sf.Mondrian(bounds="tight"),
            sf.Mondrian(strict=False),
            sf.Samarati(0.5),
            sf.Incognito(1),
            sf.Optimal("entropy", 0.3),
        ]
    ),
    "rules": st.lists(
        st.sampled_from([sf.Flat(), sf.Prefix(), sf.Intervals(0.5, 10), sf.Intervals()]),
        min_size=2,
        max_size=2,
    ),
    "kind": st.sampled_from(["csv", "parquet"]),
}


def explored(n: int):
    return examples(
        n,
        database=None,
        derandomize=True,
        suppress_health_check=list(HealthCheck),
    )


@few_or_many(60, 1000)
def test_a_table_of_odd_names_and_values_is_published_whole_or_refused(
    tmp_path, record_property, n
):
    tried = []

    @explored(n)
    @given(
        NAMES,
        st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=8),
        st.booleans(),
        st.fixed_dictionaries(RELEASES),
    )
    def explore(names, rows, doubled, chosen):
        tried.append(1)
        rows = rows * 2 if doubled else rows
        frame = pa.table(
            {name: pa.array([row[j] for row in rows], pa.string()) for j, name in enumerate(names)}
        )
        rules = dict(zip(names[:-1], chosen["rules"], strict=False))

        columns = {"quasi_identifiers": rules, "sensitive": names[-1]}
        arguments = (chosen["criterion"], chosen["method"], tmp_path / "out", chosen["kind"])
        survives(tmp_path, published, frame, columns, *arguments)

    explore()
    record_property(TRIED, len(tried))


# ------------------------------------------------------------------------------------ job files

PEOPLE = "name,age,zip,sex,disease\n" + "".join(
    f"p{j},{20 + j % 6},{13053 + j % 3},{'fm'[j % 2]},{['flu', 'HIV', 'none'][j % 3]}\n"
    for j in range(24)
)
JOBS = [
    {
        "source": "people.csv",
        "output": "out/q1",
        "format": "parquet",
        "columns": {
            "identifiers": ["name"],
            "sensitive": ["disease"],
            "insensitive": [],
            "quasi_identifiers": {
                "age": {"intervals": [5, 10]},
                "zip": {"prefix": True},
                "sex": {"tree": {"*": ["f", "m"]}},
            },
            "hierarchies": {"disease": {"tree": {"ill": ["flu", "HIV"], "well": ["none"]}}},
        },
        "criteria": [
            {"k_anonymity": {"k": 2}},
            {"t_closeness": {"t": 0.9, "distance": "hierarchical"}},
        ],
        "method": {"optimal": {"metric": "loss", "max_suppressed": 0.3}},
    },
    {
        "source": "people.csv",
        "output": "out/q1",
        "columns": {
            "person": "name",
            "sensitive": "disease",
            "quasi_identifiers": {"sex": {"csv": "sex.csv", "sep": ";"}, "age": {"flat": True}},
        },
        "criteria": [
            {"l_diversity": {"l": 2, "kind": "frequency", "values": ["HIV"], "pooled": True}},
            {"alpha_k_anonymity": {"alpha": 0.7, "k": 2}},
            {"recursive_diversity": {"c": 4, "l": 2}},
        ],
        "method": {"samarati": {"max_suppressed": 12, "prefer": "suppression"}},
    },
    {
        "source": "people.csv",
        "output": "out/q1",
        "columns": {"quasi_identifiers": ["age", "sex"], "sensitive": ["zip", "disease"]},
        "criteria": [
            {"p_sensitive_k_anonymity": {"p": 2, "k": 2, "attribute": "disease"}},
            {"ke_anonymity": {"k": 2, "e": 1, "attribute": "zip"}},
        ],
        "method": {"mondrian": {"strict": True, "bounds": "grid", "dimensions": "all"}},
    },
    {
        "source": "people.csv",
        "output": "out/q1",
        "columns": {"quasi_identifiers": {"age": {"intervals": 5}, "sex": {"flat": True}}},
        "criteria": [{"k_anonymity": {"k": 2}}],
        "method": {"recode": {"file": "recoding.json", "max_suppressed": 0.9}},
    },
]


@pytest.fixture
def workshop(tmp_path) -> Path:
    """A place with everything that the jobs name."""
    (tmp_path / "people.csv").write_text(PEOPLE)
    (tmp_path / "sex.csv").write_text("f;*\nm;*\n")
    table = sf.read(tmp_path / "people.csv", {"age": sf.Intervals(5), "sex": sf.Flat()})
    release = sf.anonymize(table, sf.KAnonymity(2), sf.Samarati(0.2))
    release.save_recoding(tmp_path / "recoding.json")
    return tmp_path


def stays_inside(job: Path) -> bool:
    """Whether a damaged job would write where the test can see it."""
    try:
        output = Job.load(job).output
        return output.resolve().is_relative_to(job.parent)
    except (sf.BadInput, OSError, RuntimeError):
        return True


def runs(workshop: Path, job: Path) -> bool:
    """Run a job by the command line: the exit code says what became of it."""
    before = files(workshop)
    result = CliRunner().invoke(app, ["anonymize", str(job), "--show-values", "--no-audit"])
    if result.exit_code not in (0, 2, 3):
        raise AssertionError(job.read_bytes(), result.stderr) from result.exception
    if result.exit_code:
        assert result.stderr.count("\n") == 1, result.stderr
        assert len(result.stderr) < LONGEST_MESSAGE
        assert result.stdout == ""
        assert files(workshop) == before, job.read_bytes()
        return False
    output = Job.load(job).output
    assert sf.load(output).check(), job.read_bytes()
    for path in set(workshop.rglob("*")) - {Path(name) for name, _ in before}:
        shutil.rmtree(path, ignore_errors=True)
    return True


@few_or_many(120, 2000)
def test_a_job_with_other_values_runs_or_is_refused(workshop, record_property, n):
    chance = random.Random(2)
    for j in range(n):
        job = workshop / "job.toml"
        document = damaged_value(chance, JOBS[j % len(JOBS)])
        if not isinstance(document, dict):
            continue
        job.write_text(toml(document), encoding="utf-8", errors="replace")
        if stays_inside(job):
            runs(workshop, job)
    record_property(TRIED, n)


@few_or_many(120, 2000)
def test_a_job_file_with_damaged_bytes_runs_or_is_refused(workshop, record_property, n):
    chance = random.Random(3)
    for j in range(n):
        job = workshop / "job.toml"
        job.write_bytes(damaged_bytes(chance, toml(JOBS[j % len(JOBS)]).encode()))
        if stays_inside(job):
            runs(workshop, job)
    record_property(TRIED, n)


def test_the_jobs_that_are_damaged_run_when_they_are_not(workshop):
    for document in JOBS:
        job = workshop / "job.toml"
        job.write_text(toml(document))
        assert runs(workshop, job)


@few_or_many(1, len(JOBS))
def test_the_jobs_that_are_damaged_are_attacked_when_they_are_not(workshop, n):
    for document in JOBS[-n:]:
        job = workshop / "job.toml"
        job.write_text(toml(document))
        before = files(workshop)
        result = CliRunner().invoke(app, ["anonymize", str(job)])
        assert result.exit_code in (0, 1, 5), result.output
        if result.exit_code:
            assert files(workshop) == before
        else:
            shutil.rmtree(Job.load(job).output)


# ---------------------------------------------------------------------------------- hierarchies

HIERARCHIES = [
    b"f;person;*\nm;person;*\nother;unknown;*\n",
    b'1,low,*\n2,low,*\n"3",high,*\n10,high,*\n',
    b"\xef\xbb\xbfa;b\r\nc;d\r\n",
]


@few_or_many(300, 20000)
def test_a_damaged_hierarchy_file_is_grown_or_refused(tmp_path, record_property, n):
    chance = random.Random(4)
    file = tmp_path / "hierarchy.csv"
    for _ in range(n):
        file.write_bytes(damaged_bytes(chance, chance.choice(HIERARCHIES)))
        sep = chance.choice([None, None, ";", ",", *WORDS])

        survives(tmp_path, grown_from, file, sep)
    record_property(TRIED, n)


def grown_from(file: Path, sep: object) -> None:
    rule = sf.Hierarchy.from_csv(file, sep)
    values = [row[0] for row in rule.rows]
    grown(rule, values)
    grown(rule, [None, *values])


def grown(rule: Hierarchy, values: list) -> None:
    """Grow a hierarchy over values: every node is a run of them, at every level."""
    domain, codes = rule.grow("c", values)
    assert len(codes) == len(values)
    assert sorted(set(codes)) == sorted(codes)
    taxonomy = domain.taxonomy
    assert (taxonomy.low[-1] == 0).all()
    assert (taxonomy.high[-1] == len(domain) - 1).all()
    interval_labels(domain, np.array([[0, j] for j in range(len(domain))], dtype=np.int32))


NESTED = st.recursive(
    st.one_of(
        st.none(),
        st.lists(st.one_of(st.sampled_from(WORDS), st.integers(-3, 3), st.none()), max_size=4),
        st.sampled_from(PLAIN),
    ),
    lambda inner: st.dictionaries(st.sampled_from(WORDS), inner, max_size=3),
    max_leaves=8,
)
SPECS = st.one_of(
    st.builds(lambda tree: {"tree": tree}, NESTED),
    st.builds(
        lambda rows: {"level_table": rows},
        st.one_of(
            st.sampled_from(PLAIN),
            st.lists(
                st.one_of(
                    st.sampled_from(PLAIN),
                    st.lists(st.sampled_from([*WORDS, 1, None]), min_size=1, max_size=3),
                ),
                max_size=4,
            ),
        ),
    ),
    st.builds(
        lambda widths: {"intervals": widths},
        st.one_of(
            st.sampled_from(PLAIN),
            st.lists(st.sampled_from([1, 2, 5, 10, 0.5, 1e-9, 1e250, *PLAIN]), max_size=3),
        ),
    ),
    st.builds(
        lambda name, value: {name: value},
        st.sampled_from(["flat", "prefix", "dates", "x", "hierarchy"]),
        st.sampled_from(PLAIN),
    ),
    st.sampled_from(PLAIN),
)
VALUES = st.lists(
    st.one_of(
        st.none(),
        st.sampled_from(WORDS),
        st.text(max_size=3),
        st.integers(),
        st.floats(allow_nan=False),
        st.dates(),
        st.booleans(),
        st.decimals(allow_nan=False),
    ),
    max_size=6,
    unique_by=repr,
)


@few_or_many(300, 20000)
def test_any_hierarchy_grows_over_any_values_or_refuses_them(tmp_path, record_property, n):
    tried = []

    @explored(n)
    @given(SPECS, VALUES)
    def explore(spec, values):
        tried.append(1)

        def grow():
            rule = Hierarchy.from_spec(spec, "here")
            json.dumps(rule.spec())
            assert Hierarchy.from_spec(rule.spec(), "here").spec() == rule.spec()
            if values:
                grown(rule, values)
            if isinstance(rule, (sf.Tree, LevelTable)):
                ground = [
                    path[0] for path in (rule._paths if isinstance(rule, sf.Tree) else rule.rows)
                ]
                grown(rule, ground)
                grown(rule, [None, *ground])

        survives(tmp_path, grow)

    explore()
    record_property(TRIED, len(tried))


# ------------------------------------------------------------------ releases and saved recodings


def saved_releases(place: Path) -> list[Path]:
    """Some releases of different kinds."""
    (place / "people.csv").write_text(PEOPLE)
    rules = {"age": sf.Intervals(5, 10), "zip": sf.Prefix(), "sex": sf.Tree(["f", "m"])}
    tree = {"disease": sf.Tree({"ill": ["flu", "HIV"], "well": ["none"]})}
    table = sf.read(place / "people.csv", rules, "disease", hierarchies=tree)
    close = (
        sf.KAnonymity(2)
        & sf.TCloseness(0.9, "hierarchical")
        & sf.KAnonymity(1, attribute="disease")
    )
    chosen = [
        (close, sf.Samarati(0.2)),
        (sf.LDiversity(2, "frequency", values=["HIV"]), sf.Mondrian()),
        (sf.KAnonymity(3), sf.Optimal(max_suppressed=0.5)),
    ]
    found = []
    for j, (criterion, method) in enumerate(chosen):
        release = sf.anonymize(table, criterion, method)
        found.append(release.save(place / f"r{j}", ["csv", "parquet"][j % 2]))
        release.save_recoding(place / f"recoding{j}.json")
    return found


def opened(place: Path) -> None:
    """Open a release and look at everything in it."""
    release = sf.load(place)
    assert isinstance(release.check().holds, bool)
    for part in (repr(release), release.summary(), release.groups, release.to_arrow()):
        assert part is not None


@few_or_many(300, 4000)
def test_a_damaged_release_is_opened_or_refused(tmp_path, record_property, n):
    chance = random.Random(5)
    releases = saved_releases(tmp_path)
    written = [json.loads((each / "release.json").read_text()) for each in releases]
    for j in range(n):
        place, document = releases[j % 3], written[j % 3]
        data = damaged_description(chance, document)
        (place / "release.json").write_bytes(data)

        survives(tmp_path, opened, place)
    record_property(TRIED, n)


def recoded(source: Path, rules: dict, file: Path, out: Path) -> bool:
    """Publish a table as a file says."""
    columns = {"quasi_identifiers": rules, "sensitive": "disease"}
    return published(source, columns, sf.KAnonymity(1), sf.Recode.load(file), out, "csv")


@few_or_many(100, 2000)
def test_a_damaged_recoding_is_applied_or_refused(tmp_path, record_property, n):
    chance = random.Random(6)
    saved_releases(tmp_path)
    rules = {"age": sf.Intervals(5, 10), "zip": sf.Prefix(), "sex": sf.Tree(["f", "m"])}
    written = [json.loads((tmp_path / f"recoding{j}.json").read_text()) for j in range(3)]
    file = tmp_path / "recoding.json"
    for j in range(n):
        if chance.random() < 0.8:
            file.write_text(json.dumps(damaged_value(chance, written[j % 3])))
        else:
            file.write_bytes(damaged_bytes(chance, json.dumps(written[j % 3]).encode()))

        survives(tmp_path, recoded, tmp_path / "people.csv", rules, file, tmp_path / "out")
    record_property(TRIED, n)


# ----------------------------------------------------------------------------------- parameters

GUARDS = Guards(Histogram.from_dense([[1], [0]]), np.array([[0, 1]]))
GROUPS = sf.Groups([4, 3], [[2, 1, 1], [0, 3, 0]], ["1", "2", "10"], [2, 4, 1], GUARDS)


def used(table: sf.Table, kind: type, parameters: dict) -> None:
    """Make a criterion or a method, write it down, and use it."""
    made = kind(**parameters)
    assert str(made)
    assert repr(made)
    json.dumps(made.spec())
    if isinstance(made, Criterion):
        assert len(made.holds(GROUPS)) == 2
        assert made.promised() is not None
        made.measure(GROUPS)
        sf.check(table, made)
        sf.anonymize(table, made).summary()
    else:
        sf.anonymize(table, sf.KAnonymity(2), made).summary()


@few_or_many(1500, 60000)
def test_any_parameters_make_something_that_works_or_are_refused(tmp_path, record_property, n):
    chance = random.Random(7)
    known = [*criteria(), *methods(), sf.Recode(levels={"q": 1})]
    frame = pa.table(
        {"q": ["a", "b"] * 4, "s": ["1", "2", "10", "1"] * 2, "guard": [None, "1"] * 4}
    )
    table = sf.read(frame, {"q": sf.Flat()}, "s")
    for _ in range(n):
        example = chance.choice(known)
        junk = PLAIN if isinstance(example, sf.Mondrian) else ANYTHING
        parameters = {
            field.name: chance.choice(junk)
            if chance.random() < 0.6
            else getattr(example, field.name)
            for field in dataclasses.fields(example)
            if field.init and (field.default is dataclasses.MISSING or chance.random() < 0.9)
        }
        survives(tmp_path, used, table, type(example), parameters)
    record_property(TRIED, n)
