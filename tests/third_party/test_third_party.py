"""A package of somebody else, installed beside sfumato: everything goes through its four things."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from descriptions import rewrite

PACKAGE = Path(__file__).parent / "sfumato-example"
PEOPLE = 2 * [  # so many that a letter may be told
    *(["Paris", 31, "flu"], ["Pisa", 32, "gout"], ["Porto", 33, "cold"], ["Pau", 34, "asthma"]),
    *(["Rome", 41, "flu"], ["Riga", 42, "gout"], ["Reims", 43, "cold"], ["Rimini", 44, "asthma"]),
]
JOB = """
source = "people.csv"
output = "out"
[columns]
sensitive = "disease"
[columns.quasi_identifiers]
town = { first_letters = { n = 1 } }
age = { intervals = [10] }
[[criteria]]
minority = { n = 3 }
[method]
same_level = {}
"""
OUR_JOB = JOB.replace("first_letters = { n = 1 }", "prefix = true").replace(
    "minority = { n = 3 }", "l_diversity.l = 2"
)
OUR_JOB = OUR_JOB.replace("same_level", "mondrian")


def installed(source: Path, target: Path) -> Path:
    """Install a package as its users do, without asking the network."""
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    command = [sys.executable, "-m", "pip", "install", *options, "--target", target, source]
    subprocess.run(command, check=True, capture_output=True, text=True)
    return target


@pytest.fixture(scope="module")
def beside(tmp_path_factory) -> Path:
    place = tmp_path_factory.mktemp("third_party")
    shutil.copytree(PACKAGE, place / "source")  # a build may leave files
    return installed(place / "source", place / "installed")


def run(*command, where: Path, beside: Path | None = None) -> subprocess.CompletedProcess:
    environment = dict(os.environ)
    environment.pop("PYTHONPATH", None)
    if beside is not None:
        environment["PYTHONPATH"] = str(beside)
    return subprocess.run(
        [sys.executable, *map(str, command)],
        cwd=where,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def sfumato(*arguments, where: Path, beside: Path | None = None) -> subprocess.CompletedProcess:
    return run("-m", "sfumato", *arguments, where=where, beside=beside)


def described(place: Path, job: str = JOB) -> Path:
    lines = ["town,age,disease", *(",".join(map(str, person)) for person in PEOPLE)]
    (place / "people.csv").write_text("\n".join(lines) + "\n")
    (place / "job.toml").write_text(job)
    return place


@pytest.fixture(scope="module")
def released(beside, tmp_path_factory) -> Path:
    """A release made by the command line; its directory is `out`."""
    place = described(tmp_path_factory.mktemp("job"))
    made = sfumato("anonymize", "job.toml", "--no-audit", where=place, beside=beside)
    assert (made.returncode, made.stderr) == (0, "")
    return place


@pytest.mark.long
def test_a_release_says_by_which_package_it_was_made(released):
    written = json.loads((released / "out" / "release.json").read_text())
    by = {"package": "sfumato-example 1.2"}
    assert written["criteria"] == [{"minority": {"n": 3, "attribute": None}, **by}]
    assert written["method"] == {"same_level": {}, **by}
    assert written["hierarchies"]["town"] == {"first_letters": {"n": 1}, **by}
    assert written["hierarchies"]["age"] == {"intervals": [10]}
    published = (released / "out" / "data.csv").read_text().splitlines()
    assert published[1] == 'P,"[30, 40)",asthma'


def test_a_release_is_checked_and_attacked_by_the_command_line(released, beside):
    checked = sfumato("check", "out", "--json", where=released, beside=beside)
    (verdict,) = json.loads(checked.stdout)["criteria"]
    assert (checked.returncode, verdict["holds"], verdict["found"]) == (0, True, 0.25)
    audited = sfumato("audit", "out", "--report", "report", "--json", where=released, beside=beside)
    findings = {each["attack"]: each for each in json.loads(audited.stdout)["findings"]}
    assert audited.returncode == 5  # nobody has run the method on other worlds
    assert findings["first guess"]["found"] == 0.25
    page = (released / "report" / "report.html").read_text()
    for text in (
        "Fewer than one person in `n` has the most frequent value of a group.",
        "All columns rise together, level by level, until the criterion holds.",
        "The adversary guesses the most frequent value of a group, once.",
        "first letters",
    ):
        assert text in page


def test_a_release_is_loaded_and_attacked_in_python(released, beside):
    done = run(
        "-c",
        "import sfumato as sf\n"
        "release = sf.load('out')\n"
        "print(release.check().holds, release.criterion, release.method)\n"
        "people = sf.read('people.csv', release.description.rules(), 'disease')\n"
        "report = sf.audit(release, people)\n"
        "print([each.attack for each in report.findings][-1], report.n_failed)\n"
        "sf.anonymize(people, release.criterion, release.method).save('again')\n"
        "print(sf.load('again').criterion == release.criterion)\n",
        where=released,
        beside=beside,
    )
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "True Minority(n=3) SameLevel()",
        "first guess 0",
        "True",
    ]


def test_what_does_not_say_that_it_is_monotone_is_not_taken_for_it(released, beside):
    done = run(
        "-c",
        "import sfumato as sf, sfumato_example as other\n"
        "minority = other.Minority(3)\n"
        "print(minority.monotone(suppression=False), minority.monotone(suppression=True))\n"
        "print(sf.Samarati().remark(minority))\n"
        "print(sf.Mondrian(strict=False).refuses(minority) is None)\n",
        where=released,
        beside=beside,
    )
    assert done.stdout.splitlines() == [
        "False False",
        "not monotone: all nodes are tried",
        "False",
    ]


MISSING = "is not known here; it was written by the package 'sfumato-example' 1.2; install it"


OURS = {
    "criteria": [{"k_anonymity": {"k": 2}}],
    "method": {"mondrian": {}},
    "hierarchies": {"town": {"prefix": True}, "age": {"intervals": [10]}},
}


def needing(part: str, released: Path, place: Path) -> Path:
    """A release of which one part alone is the package's."""
    shutil.copytree(released / "out", place / "out")
    file = place / "out" / "release.json"
    ours = {key: value for key, value in OURS.items() if key != part}
    rewrite(file.parent, json.loads(file.read_text()) | ours)
    return place


@pytest.mark.long
@pytest.mark.parametrize(
    ("part", "named"),
    [
        ("criteria", "release.json: the criterion 'minority'"),
        ("method", "release.json: the method 'same_level'"),
        ("hierarchies", "release.json: hierarchies.town: the hierarchy 'first_letters'"),
    ],
)
def test_whatever_is_missing_is_named(released, tmp_path, part, named):
    done = sfumato("check", "out", where=needing(part, released, tmp_path))
    assert (done.returncode, done.stderr) == (2, f"sfumato: out/{named} {MISSING}\n")


@pytest.mark.long
def test_without_the_package_a_job_does_not_know_the_name(tmp_path):
    done = sfumato("anonymize", "job.toml", where=described(tmp_path))
    assert done.returncode == 2
    assert "job.toml: criteria[0]: unknown name 'minority'; known are" in done.stderr


def changed(source: Path, target: Path, old: str, new: str) -> Path:
    """Another package: as the example, but for a few words of its files."""
    shutil.copytree(source, target)
    for file in target.rglob("*"):
        if file.is_file():
            file.write_text(file.read_text().replace(old, new))
    return target


def test_another_version_that_lacks_it_is_named(released, tmp_path):
    source = changed(PACKAGE, tmp_path / "source", "Minority", "Majority")
    source = changed(source, tmp_path / "newer", "minority", "majority")
    source = changed(source, tmp_path / "newest", '"1.2"', '"2.0"')
    newer = installed(source, tmp_path / "installed")
    done = sfumato("check", "out", where=needing("criteria", released, tmp_path), beside=newer)
    assert done.returncode == 2
    assert "1.2; version 2.0 is installed and does not offer it, so install that one" in done.stderr


def test_the_same_name_of_another_package_is_not_what_is_meant(released, tmp_path):
    source = changed(PACKAGE, tmp_path / "source", "sfumato-example", "sfumato-rival")
    rival = installed(source, tmp_path / "installed")
    done = sfumato("check", "out", where=needing("criteria", released, tmp_path), beside=rival)
    assert done.returncode == 2
    assert (
        "the criterion 'minority' was written by the package 'sfumato-example' 1.2, and the "
        "package 'sfumato-rival' 1.2 means something else by this name"
    ) in done.stderr


def test_a_name_that_two_packages_offer_is_refused(released, beside, tmp_path):
    source = changed(PACKAGE, tmp_path / "source", "sfumato-example", "sfumato-rival")
    source = changed(source, tmp_path / "rival", "sfumato_example", "sfumato_rival")
    (source / "sfumato_example.py").rename(source / "sfumato_rival.py")
    both = installed(source, tmp_path / "installed")
    shutil.copytree(beside, both, dirs_exist_ok=True)
    done = sfumato("check", "out", where=needing("criteria", released, tmp_path), beside=both)
    assert done.returncode == 2
    for text in ("'sfumato-example' 1.2", "'sfumato-rival' 1.2", "uninstall all but one"):
        assert text in done.stderr
    imported = run("-c", "import sfumato_example, sfumato_rival", where=released, beside=both)
    assert (
        "the name is taken twice, by sfumato_example.Minority (the package 'sfumato-example' 1.2) "
        "and by sfumato_rival.Minority (the package 'sfumato-rival' 1.2)"
    ) in imported.stderr


def test_a_package_that_cannot_be_imported_is_named_and_hides_nothing(released, tmp_path):
    source = changed(PACKAGE, tmp_path / "source", "import numpy as np", "import no_such_module")
    broken = installed(source, tmp_path / "installed")
    done = sfumato("check", "out", where=needing("criteria", released, tmp_path), beside=broken)
    why = "the package 'sfumato-example' 1.2: ModuleNotFoundError: No module named 'no_such_module'"
    assert done.returncode == 2
    assert f"the criterion 'minority' cannot be used: {why}" in done.stderr
    shutil.rmtree(tmp_path / "out")
    place = described(tmp_path, OUR_JOB)
    assert (
        sfumato("anonymize", "job.toml", "--no-audit", where=place, beside=broken).returncode == 0
    )
    audited = sfumato("audit", "out", "--json", where=place, beside=broken)
    told = json.loads(audited.stdout)
    assert audited.returncode == 5  # an attack that applies could not be run
    assert len(told["findings"]) > 3
    (unknown,) = [each for each in told["not_run"] if each["attack"] == "first_guess"]
    assert (unknown["reason"], unknown["applies"]) == (why, True)


def test_packages_are_not_asked_before_they_are_needed(tmp_path, beside):
    place = described(tmp_path, OUR_JOB)
    done = run(
        "-c",
        "import sys, sfumato as sf\n"
        "assert not {'sfumato.registry', 'importlib.metadata'} & set(sys.modules)\n"
        "from sfumato.cli import main\n"
        "sys.argv = ['sfumato', 'anonymize', 'job.toml', '--no-audit']\n"
        "try: main()\n"
        "except SystemExit as end: assert not end.code\n"
        "assert 'sfumato_example' not in sys.modules\n"
        "sf.load('out')\n"
        "assert 'sfumato_example' not in sys.modules\n"
        "sf.audit(sf.load('out'))\n"
        "assert 'sfumato_example' in sys.modules\n",
        where=place,
        beside=beside,
    )
    assert (done.returncode, done.stderr) == (0, "")


TWO_RELEASES = """
import pyarrow as pa
import sfumato as sf, sfumato_example as other
from sfumato.attacks import CannotRun

def released(people, rule, name):
    rows = {"town": [each[0] for each in people], "disease": [each[1] for each in people]}
    table = sf.read(pa.table(rows), {"town": rule}, "disease")
    sf.anonymize(table, sf.KAnonymity(2), sf.Recode({"town": LEVELS[name]})).save(name)
    return table

LEVELS = {"first": 0, "second": 1}
EARLY = [("Paris", "flu"), ("Paris", "gout"), ("Rome", "cold"), ("Rome", "flu")]
LATE = [*EARLY, ("Pisa", "flu")]
"""


def two_releases(tmp_path, beside, lines: str) -> list[str]:
    done = run("-c", TWO_RELEASES + lines, where=tmp_path, beside=beside)
    assert done.stderr == ""
    return done.stdout.splitlines()


def test_texts_of_a_rule_that_does_not_say_how_they_are_read_are_not_compared(tmp_path, beside):
    """Paris in one release is among the P of the next: only the original tells."""
    lines = (
        "released(EARLY, other.FirstLetters(), 'first')\n"
        "table = released(LATE, other.FirstLetters(), 'second')\n"
        "loaded = sf.load('second')\n"
        "attack = sf.attacks.Correspondence(earlier=['first'])\n"
        "try: attack.run(loaded)\n"
        "except CannotRun as error: print(error)\n"
        "print(attack.run(loaded, table).holds)\n"
        "try: sf.audit(loaded, earlier=['first'])\n"
        "except sf.BadInput as error: print(error)\n"
    )
    why = "column 'town': its hierarchy does not say how its texts are read (`texts`)"
    refused, with_original, audited = two_releases(tmp_path, beside, lines)
    assert refused.startswith(why)
    assert with_original == "False"
    assert why in audited


def test_a_rule_of_others_is_loaded_with_its_parameters(tmp_path, beside):
    lines = (
        "released(EARLY, other.FirstLetters(3), 'first')\n"
        "print(sf.load('first').description.hierarchies['town'])\n"
    )
    assert two_releases(tmp_path, beside, lines) == ["FirstLetters(n=3)"]
