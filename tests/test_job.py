"""A job file says what `read` and `anonymize` are told in Python, and every error names its key."""

import json
import shutil

import pytest

import sfumato as sf
from sfumato.algorithms import ALGORITHMS
from sfumato.criteria import CRITERIA
from sfumato.data.hierarchy import HIERARCHIES
from sfumato.engines.duckdb import DuckDB
from sfumato.job import Job

SOURCE = """
source = "patients.csv"
output = "out"
"""
COLUMNS = """
[columns]
identifiers = ["name"]
sensitive = "disease"
[columns.quasi_identifiers]
age = { intervals = [5, 10, 20] }
zip = { prefix = true }
sex = { flat = true }
"""
CRITERIA_KEYS = """
[[criteria]]
k_anonymity = { k = 5 }
"""
WHOLE = SOURCE + COLUMNS + CRITERIA_KEYS


def ours(registry):
    """The names that sfumato itself defines."""
    return sorted(name for name, kind in registry.items() if kind.__module__.startswith("sfumato."))


@pytest.fixture
def write(tmp_path):
    """Write a job file beside the sample of patients."""
    shutil.copy(sf.datasets.patients(), tmp_path)

    def written(text=WHOLE, name="job.toml"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return written


def refusal(path, ask=lambda job: job):
    with pytest.raises(sf.BadInput) as caught:
        ask(Job.load(path))
    message = str(caught.value)
    assert message.startswith(str(path.parent))  # the file it stands in
    assert "\n" not in message
    return message.removeprefix(f"{path}: ")


def test_a_job_says_how_numbers_are_published(write):
    assert Job.load(write()).numbers == "text"
    assert Job.load(write(WHOLE + "[publish]\nnumbers = 'midpoint'\n")).numbers == "midpoint"
    with pytest.raises(sf.BadInput, match=r"publish.numbers: input should be 'text', 'bounds' or"):
        Job.load(write(WHOLE + "[publish]\nnumbers = 'mean'\n"))
    with pytest.raises(sf.BadInput, match=r"unknown key 'publish.number'; did you mean 'numbers'"):
        Job.load(write(WHOLE + "[publish]\nnumber = 'text'\n"))


@pytest.mark.long
def test_a_job_says_the_same_as_python(write, tmp_path):
    job = Job.load(write(WHOLE + "[[criteria]]\nl_diversity = { l = 3 }\n"))
    assert (job.source, job.output) == (tmp_path / "patients.csv", tmp_path / "out")
    assert job.criterion == sf.KAnonymity(5) & sf.LDiversity(3)
    schema = job.table().schema
    assert schema.quasi_identifiers == ("age", "zip", "sex")
    assert (schema.sensitive, schema.identifiers) == (("disease",), ("name",))
    assert schema.hierarchies["age"] == sf.Intervals(5, 10, 20)
    by_hand = sf.read(
        sf.datasets.patients(),
        {"age": sf.Intervals(5, 10, 20), "zip": sf.Prefix(), "sex": sf.Flat()},
        "disease",
        ["name"],
    )
    made = sf.anonymize(job.table(), job.criterion, job.method)
    assert made.to_arrow() == sf.anonymize(by_hand, job.criterion).to_arrow()


def test_what_is_left_out_has_a_default(write):
    job = Job.load(write())
    assert job.method == sf.Local()
    assert job.format is None
    assert isinstance(job.table().source.engine, DuckDB)


def test_quasi_identifiers_may_be_names_with_hierarchies_beside_them(write):
    text = SOURCE + CRITERIA_KEYS.replace("[[", "[columns]\nquasi_identifiers = ['age', 'zip']\n"
        "hierarchies = { zip = { prefix = true }, disease = { flat = true } }\n"
        "sensitive = ['disease']\n[[")  # fmt: skip
    schema = Job.load(write(text)).table().schema
    assert schema.hierarchies["zip"] == sf.Prefix()
    assert schema.hierarchies["age"] == sf.Flat()


def toml(value):
    """Write a parameter in a job file; what is None is left out."""
    if isinstance(value, dict):
        given = {key: each for key, each in value.items() if each is not None}
        return (
            f"{{ {', '.join(f'{json.dumps(key)} = {toml(each)}' for key, each in given.items())} }}"
        )
    if isinstance(value, list):
        return f"[{', '.join(map(toml, value))}]"
    return json.dumps(value)


@pytest.mark.parametrize("name", ours(CRITERIA))
def test_every_criterion_can_be_written_down(write, name):
    examples = CRITERIA[name].examples()
    assert examples
    for example in examples:
        (spec,) = example.spec()
        job = Job.load(write(f"{SOURCE}{COLUMNS}[[criteria]]\n{name} = {toml(spec[name])}\n"))
        assert job.criterion == example


@pytest.mark.parametrize("name", sorted({*ours(ALGORITHMS)} - {"recode"}))  # made of a release
def test_every_method_can_be_written_down(write, name):
    examples = ALGORITHMS[name].examples()
    assert examples
    for example in examples:
        spec = example.spec()[name]
        job = Job.load(write(f"{WHOLE}[method]\n{name} = {toml(spec)}\n"))
        assert job.method == example


def test_a_method_gets_its_parameters(write):
    job = Job.load(write(WHOLE + "[method]\nrandomized_grouping = { p = 0.65, seed = 7 }\n"))
    assert job.method == sf.RandomizedGrouping(0.65, seed=7)
    assert job.method.experiment


def test_the_engine_can_be_named(write):
    job = Job.load(write('engine = "duckdb"\n' + WHOLE))
    assert isinstance(job.table().source.engine, DuckDB)


def test_paths_are_relative_to_the_job_file(write, tmp_path):
    (tmp_path / "sex.csv").write_text("female;*\nmale;*\nother;*\n")
    written = write(WHOLE.replace("sex = { flat = true }", "sex = { csv = 'sex.csv', sep = ';' }"))
    first = sf.anonymize(Job.load(written).table(), sf.KAnonymity(5), sf.Samarati())
    first.save_recoding(tmp_path / "recoding.json")
    job = Job.load(write(WHOLE + "[method]\nrecode = { file = 'recoding.json' }\n"))
    assert job.method.levels == first.levels
    limited = Job.load(
        write(WHOLE + "[method]\nrecode = { file = 'recoding.json', max_suppressed = 3 }\n")
    )
    assert limited.method.max_suppressed == 3


def test_earlier_releases_are_relative_to_the_job_file(write, tmp_path):
    job = Job.load(write(WHOLE + "[method]\nbcf_anonymizer = {}\n"))
    sf.anonymize(job.table(), sf.BCFAnonymity(5), job.method).save(tmp_path / "january")
    later = write(WHOLE + "[method]\nbcf_anonymizer = { previous = ['january'] }\n", "later.toml")
    (earlier,) = Job.load(later).method.previous
    assert earlier == sf.BCFAnonymizer([tmp_path / "january"]).previous[0]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('source = "patients.csv"', "", "the key 'source' is missing"),
        ('output = "out"', "outptu = 'out'", "unknown key 'outptu'; did you mean 'output'?"),
        ("identifiers", "identifers", "unknown key 'columns.identifers'; did you mean"),
        ('output = "out"', "output = 3", "output: input should be a valid string"),
        ("[[criteria]]", "[criteria]", "criteria: write [[criteria]] above each of them"),
        ("k_anonymity", "k_anonimity", "criteria[0]: unknown name 'k_anonimity'; did you mean"),
        ("{ k = 5 }", "{ k = 0 }", "criteria[0]: KAnonymity: k must be an integer >= 1, got 0"),
        ("{ k = 5 }", "{ j = 5 }", "criteria[0].k_anonymity: unknown parameter 'j'"),
        ("{ k = 5 }", "{}", "criteria[0].k_anonymity: the parameter 'k' is missing"),
        ("{ k = 5 }", "5", "criteria[0].k_anonymity: the parameters must be a table, got 5"),
        ('output = "out"', 'output = "out"\nformat = "xls"', "format: input should be 'csv' or"),
        ('output = "out"', "output = [", "not TOML: "),
    ],
)  # fmt: skip
def test_every_error_names_the_key(write, old, new, message):
    assert old in WHOLE
    assert refusal(write(WHOLE.replace(old, new))).startswith(message)


@pytest.mark.parametrize(
    ("method", "message"),
    [
        ("mondrain = {}", "method: unknown name 'mondrain'; did you mean 'mondrian'?"),
        ("mondrian = { strikt = true }", "method.mondrian: unknown parameter 'strikt'; did you"),
        ("mondrian = {}\nsamarati = {}", "method: give exactly one name with its parameters, got"),
        ("recode = { file = 'r.json', levels = {} }", "method.recode: unknown parameter 'levels'"),
        ("recode = { file = 3 }", "method.recode.file: "),
        ("bcf_anonymizer = { previous = [3] }", "method"),
        ("samarati = { max_suppressed = -1 }", "method: Samarati: max_suppressed must be"),
    ],
)
def test_errors_of_a_method_name_it(write, method, message):
    assert refusal(write(f"{WHOLE}[method]\n{method}\n")).startswith(message)


@pytest.mark.parametrize(
    ("rule", "message"),
    [
        ("{ interval = [5] }", "unknown hierarchy 'interval'; did you mean 'intervals'?"),
        ("{ csv = 'a.csv', width = 3 }", "unknown key 'width' beside csv"),
        ("{ csv = 3 }", "columns.quasi_identifiers.age.csv: "),
        ("{ intervals = [5, 7] }", "columns.quasi_identifiers.age: "),
    ],
)
def test_errors_of_a_hierarchy_name_the_column(write, rule, message):
    path = write(WHOLE.replace("{ intervals = [5, 10, 20] }", rule))
    said = refusal(path, Job.table)
    assert said.startswith("columns.quasi_identifiers.age")
    assert message in said


@pytest.mark.parametrize("name", ours(HIERARCHIES))
def test_every_hierarchy_can_be_named(write, name):
    given = {
        "intervals": "[5]",
        "level_table": "[['female', '*'], ['male', '*'], ['other', '*']]",
        "tree": "['female', 'male', 'other']",
    }
    text = WHOLE.replace("sex = { flat = true }", f"sex = {{ {name} = {given.get(name, 'true')} }}")
    table = Job.load(write(text)).table()
    assert type(table.schema.hierarchies["sex"]) is HIERARCHIES[name]


def test_an_unknown_engine_is_refused_with_the_file(write):
    path = write('engine = "dukdb"\n' + WHOLE)
    assert refusal(path, Job.table).startswith(
        "engine: unknown name 'dukdb'; did you mean 'duckdb'"
    )


def test_a_file_that_cannot_be_read_is_named(tmp_path):
    assert "cannot read the job: no such file" in refusal(tmp_path / "none.toml")
    (tmp_path / "bytes.toml").write_bytes(b"\xff\xfe\xff")
    assert "cannot read the job: " in refusal(tmp_path / "bytes.toml")
    (tmp_path / "deep.toml").write_text("a = " + "[" * 100_000)
    assert "not TOML: nested too deep" in refusal(tmp_path / "deep.toml")
    (tmp_path / "long.toml").write_text("a = " + "9" * 10_000)
    assert "not TOML: a number is too long" in refusal(tmp_path / "long.toml")


def test_a_series_needs_neither_source_nor_output(write):
    path = write(COLUMNS + CRITERIA_KEYS)
    terms = Job.for_series(path).terms()
    assert list(terms.quasi_identifiers) == ["age", "zip", "sex"]
    assert (terms.k, terms.method, terms.format) == (5, sf.BCFAnonymizer(), None)
    with pytest.raises(sf.BadInput, match="the key 'source' is missing"):
        Job.load(path)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (WHOLE + "[method]\nmondrian = {}\n", "method: the releases of a series are made by"),
        (WHOLE.replace("k = 5", "k = 1"), "criterion: .* sets no least number of people"),
        (WHOLE.replace("[columns]", "[columns]\ninsensitive = ['note']"), "columns.insensitive: "),
        ("untouched_identify = true\n" + WHOLE, "untouched_identify: a series publishes no column"),
        ("engine = 'duckdb'\n" + WHOLE, "engine: the batches of a series are kept by"),
        (
            WHOLE + "[publish]\nnumbers = 'bounds'\n",
            "publish.numbers: a series publishes numbers as text; take it out",
        ),
    ],
)
def test_what_a_series_cannot_do_is_refused_with_the_file(write, text, message):
    path = write(text)
    with pytest.raises(sf.BadInput, match=f"{path.name}: {message}"):
        Job.for_series(path).terms()


def test_all_that_keeps_a_job_from_being_a_series_is_said_at_once(write):
    said = '[context]\nrecipient = "the university"\n[method]\nmondrian = {}\n'
    with pytest.raises(sf.BadInput) as caught:
        Job.for_series(
            write("engine = 'duckdb'\n" + WHOLE.replace("k = 5", "k = 1") + said)
        ).terms()
    message = str(caught.value)
    assert "3 things keep it from being a series: (1) engine: " in message
    assert "(2) criterion: " in message
    assert "(3) method: " in message
    assert "\n" not in message
