"""What an audit says is to be done is done here, step by step, and the audit passes, or says why.

A case is what a job file says: a table, roles, a promise, a method. The remedies of its report are
taken from the objects, all steps are taken as somebody would who edits the job, and what comes of
it is attacked again.
"""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import takewhile
from operator import or_
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow.csv import write_csv

import sfumato as sf
from attacks.made import RULES as TREES
from attacks.made import VALUE_TREE
from attacks.test_known_cells import NEW, OLD
from cli.common import run
from sfumato.attacks.remedy import GIVE, NOTHING, Remedy
from sfumato.cli.output import print_audit
from sfumato.text import cells

AGES = sf.Intervals(5, 10, 20)
AB = sf.Tree(["a", "b"])


def patients(n: int) -> pa.Table:
    with sf.datasets.patients().open(newline="") as file:
        return pa.Table.from_pylist([*csv.DictReader(file)][:n])


def columns(**values: Any) -> pa.Table:
    return pa.table({name: list(column) for name, column in values.items()})


@dataclass(frozen=True)
class Job:
    """What is published and how, and what the audit is given beside."""

    source: pa.Table
    roles: dict[str, Any]
    criterion: sf.Criterion
    method: sf.Algorithm | None = None
    untouched_identify: bool = False
    audited: dict[str, Any] = field(default_factory=dict)

    def release(self) -> sf.Release:
        table = sf.read(self.source, **self.roles)
        allowed = self.untouched_identify
        return sf.anonymize(table, self.criterion, self.method, untouched_identify=allowed)

    def report(self) -> sf.Report:
        return sf.audit(self.release(), **self.audited)

    def after(self, remedy: Remedy) -> Job:
        """Take all steps of a remedy; what the audit was asked to hold is enforced from now on."""
        moved = {*remedy.quasi_identifiers, *remedy.drop}
        roles = dict(self.roles)
        for role in ("sensitive", "insensitive"):
            named = roles.get(role) or []
            named = [named] if isinstance(named, str) else named
            roles[role] = [name for name in named if name not in moved]
        rules = roles["quasi_identifiers"]
        roles["quasi_identifiers"] = rules | {c: sf.Flat() for c in remedy.quasi_identifiers}
        promised = self.audited.get("criterion", self.criterion)
        if remedy.criterion is not None:
            new = [part for part in remedy.criterion.parts if part not in promised.parts]
            promised = reduce(sf.Criterion.__and__, new, promised)
        return replace(
            self,
            roles=roles,
            criterion=promised,
            method=remedy.method or self.method,
            untouched_identify=self.untouched_identify and not moved,
            audited={name: given for name, given in self.audited.items() if name != "criterion"},
        )


def by_age(source: pa.Table, sensitive: Any = "disease", **others: Any) -> dict[str, Any]:
    del source
    return {"quasi_identifiers": {"age": AGES}, "sensitive": sensitive, **others}


PATIENTS = patients(160)
ROLES = {"quasi_identifiers": {"age": AGES, "sex": sf.Flat()}, "sensitive": "disease"}
WARDS = columns(ward=["q1"] * 2 + ["q2"] * 5, disease=["HIV"] * 2 + ["none"] * 5)
WARD = {"quasi_identifiers": {"ward": sf.Tree({"Q": ["q1", "q2"]})}, "sensitive": "disease"}
HIV = sf.LDiversity(2, "frequency", ["HIV"])
INCOMES = columns(age=range(20, 60), income=[10 + 7 * (j % 5) + j for j in range(40)])
INCOME = {"quasi_identifiers": {"age": AGES}, "sensitive": "income"}
BORN = PATIENTS.append_column(
    "born", pa.array([str(2000 - int(age.as_py())) for age in PATIENTS["age"]])
)
ROW = columns(person="abcdefgh", test=["+", "+", "-", "-", "+", "-", "-", "-"])
SIX = columns(
    age=["36", "36", "31", "31", "31", "31"],
    zip=["51102", "51104", "51101", "51102", "51104", "51105"],
    disease=["HIV", "HIV", *"----"],
)
SIX_ROLES = {
    "quasi_identifiers": {"age": sf.Intervals(5), "zip": sf.Intervals(1000)},
    "sensitive": "disease",
}
TWO = dict(zip("qs", map(list, zip(*OLD, *NEW, strict=True)), strict=True))
GROWN = {"quasi_identifiers": {"q": AB}, "sensitive": "s"}


def first_of_two() -> sf.Release:
    """What came before: the people of OLD alone."""
    old = dict(zip("qs", map(list, zip(*OLD, strict=True)), strict=True))
    promise = sf.KAnonymity(2) & sf.LDiversity(2, "frequency")
    return sf.anonymize(sf.read(pa.table(old), {"q": AB}, "s"), promise, sf.Samarati())


def january() -> sf.Release:
    return sf.anonymize(sf.read(patients(90), **ROLES), sf.KAnonymity(4), sf.Mondrian())


FAILING = {  # the attack that says what to do, and the job it is said of
    "certain values": ("homogeneity", Job(PATIENTS, ROLES, sf.KAnonymity(2), sf.Mondrian())),
    "two columns, one certain": (
        "homogeneity",
        Job(
            PATIENTS,
            {"quasi_identifiers": {"age": AGES}, "sensitive": ["disease", "sex"]},
            sf.KAnonymity(3) & sf.LDiversity(2, attribute="disease"),
            sf.Mondrian(),
        ),
    ),
    "somebody alone": (
        "linkage, prosecutor",
        Job(
            columns(ward=["q1", *["q2"] * 6], disease=["none", "HIV", *["none"] * 5]),
            WARD,
            HIV,
            sf.Samarati(),
        ),
    ),
    "minimality": ("minimality", Job(WARDS, WARD, HIV, sf.Samarati())),
    "mechanism": ("mechanism", Job(SIX, SIX_ROLES, sf.KAnonymity(2) & HIV, sf.Mondrian())),
    "mechanism, distinct values": (
        "mechanism",
        Job(
            columns(a="22114321", b="xxxyxyxy", s="dccbadac"),
            {
                "quasi_identifiers": {
                    "a": sf.Tree({"A": ["1", "2"], "B": ["3", "4"]}),
                    "b": sf.Tree(["x", "y"]),
                },
                "sensitive": "s",
            },
            sf.KAnonymity(2) & sf.LDiversity(3),
            sf.Mondrian(),
        ),
    ),
    "how groups were formed": (
        "method",
        Job(
            ROW,
            {"quasi_identifiers": {"person": sf.Flat()}, "sensitive": "test"},
            sf.LDiversity(2, "frequency", ["+"]),
            sf.GreedyGrouping(),
        ),
    ),
    "an untouched column": (
        "linkage, untouched columns",
        Job(
            PATIENTS,
            {"quasi_identifiers": {"age": AGES}, "sensitive": "disease", "insensitive": ["sex"]},
            sf.KAnonymity(5) & sf.LDiversity(2),
            untouched_identify=True,
        ),
    ),
    "a sensitive column that tells the age": (
        "linkage, untouched columns",
        Job(
            BORN,
            {"quasi_identifiers": {"age": AGES}, "sensitive": ["disease", "born"]},
            sf.KAnonymity(5) & sf.LDiversity(2, attribute="disease"),
            untouched_identify=True,
        ),
    ),
    "far from the table": (
        "skewness",
        Job(
            PATIENTS,
            ROLES,
            sf.KAnonymity(5),
            sf.Mondrian(),
            audited={"criterion": sf.KAnonymity(5) & sf.TCloseness(0.5)},
        ),
    ),
    "numbers too close": (
        "similarity",
        Job(
            INCOMES,
            INCOME,
            sf.KAnonymity(3),
            sf.Mondrian(),
            audited={"criterion": sf.KEAnonymity(3, 40)},
        ),
    ),
    "few values to rule out": (
        "background knowledge",
        Job(
            PATIENTS,
            ROLES,
            sf.KAnonymity(5) & sf.LDiversity(2),
            audited={"criterion": sf.KAnonymity(5) & sf.LDiversity(4)},
        ),
    ),
    "shares that were promised later": (
        "homogeneity",
        Job(
            PATIENTS,
            ROLES,
            sf.KAnonymity(5),
            sf.Samarati(),
            audited={"criterion": sf.KAnonymity(5) & sf.LDiversity(3, "frequency")},
        ),
    ),
    "average risk": (
        "linkage, marketer",
        Job(PATIENTS, ROLES, sf.KAnonymity(2), audited={"criterion": sf.AverageRisk("0.05")}),
    ),
    "risk of one": (
        "linkage, prosecutor",
        Job(PATIENTS, ROLES, sf.KAnonymity(2), audited={"criterion": sf.MaxRisk("0.09")}),
    ),
    "compared with an earlier release": (
        "correspondence",
        Job(
            patients(160),
            ROLES,
            sf.KAnonymity(4),
            sf.Mondrian(),
            audited={"earlier": [january()]},
        ),
    ),
    "known classes of two releases": (
        "known cells",
        Job(
            pa.table(TWO),
            GROWN,
            sf.KAnonymity(2) & sf.LDiversity(2, "frequency"),
            sf.Samarati(),
            audited={"earlier": [first_of_two()]},
        ),
    ),
}


@pytest.mark.parametrize("name", FAILING)
def test_what_is_printed_is_done_and_the_audit_passes(name, capsys, monkeypatch):
    attack, job = FAILING[name]
    report = job.report()
    assert report.verdict == "failed"
    failing = [each for each in report.findings if each.holds is False]
    assert attack in {each.attack for each in failing}
    assert {each.name for each in failing} <= {*report.remedies}
    monkeypatch.setenv("COLUMNS", "80")
    print_audit(report, name)
    lines = capsys.readouterr().out.splitlines()
    assert max(map(cells, lines)) <= 80
    printed = " ".join(" ".join(lines).split())
    assert all(each.advice in printed for each in report.remedies.values())
    assert report.way_out is not None
    assert report.way_out.best is not None, str(report.way_out)
    assert {each.tried for each in report.remedies.values() if each.changes} == {"safe"}
    followed = job.after(reduce(or_, report.remedies.values()))
    again = followed.report()
    assert again.verdict == "safe", again
    assert again.remedies == {}


def test_nobody_claims_what_was_tried_in_vain():
    """There are twelve diseases: groups of twenty are refused, and the words say so."""
    job = Job(PATIENTS, ROLES, sf.KAnonymity(5), audited={"criterion": sf.LDiversity(20)})
    report = job.report()
    assert report.verdict == "failed"
    assert {each.tried for each in report.remedies.values()} == {"failed"}
    assert all(each.advice.startswith("tried, not enough: ") for each in report.remedies.values())
    assert "none was found" in str(report.way_out)
    for each in report.way_out.tries:
        with pytest.raises(sf.SfumatoError, match="LDiversity") as error:
            job.after(each.remedy).report()
        assert str(error.value) == each.reason


# ------------------------------------------------------- no verdict: what would decide it


def lacking(report: sf.Report) -> tuple[str, ...]:
    """What the audit lacks, by the names of its parameters."""
    assert report.verdict == "undecided"
    return reduce(or_, report.remedies.values()).give


def test_without_the_original_it_is_asked_for(tmp_path):
    job = Job(WARDS, WARD, sf.KAnonymity(2) & HIV, sf.Checked(sf.Mondrian(), ks=(2, 7)))
    place = job.release().save(tmp_path / "out")
    blind = sf.audit(sf.load(place))
    assert lacking(blind) == ("original",)
    assert blind.way_out is None
    known = {"original": sf.read(job.source, **job.roles)}
    again = sf.audit(sf.load(place), **{name: known[name] for name in lacking(blind)})
    assert again.verdict != "undecided"


def test_missing_releases_are_asked_for(tmp_path):
    promise = sf.BCFAnonymity(4)
    first = sf.anonymize(sf.read(patients(90), **ROLES), promise, sf.BCFAnonymizer())
    method = sf.BCFAnonymizer(previous=[first])
    second = sf.anonymize(sf.read(patients(160), **ROLES), promise, method)
    before = first.save(tmp_path / "elsewhere" / "first")
    alone = sf.load(second.save(tmp_path / "second"))
    assert lacking(sf.audit(alone)) == ("earlier",)
    given = {"earlier": [before]}
    assert lacking(sf.audit(alone, **given)) == ("process",)  # which knows who came when
    assert sf.audit(second).verdict == "safe"


def test_spellings_are_to_be_decided():
    source = columns(age=[*range(30, 35)] * 4, disease=["HIV", "hiv", "flu", "cold"] * 5)
    job = Job(
        source,
        by_age(source),
        sf.KAnonymity(4),
        sf.Mondrian(),
        audited={"criterion": sf.KAnonymity(4) & sf.LDiversity(3)},
    )
    report = job.report()
    assert lacking(report) == ("alike",)
    decided = replace(job.after(Remedy()), roles=job.roles | {"alike": "merge"}, method=None)
    assert decided.report().verdict == "safe"


def test_a_list_that_was_read_otherwise_is_to_be_read_again():
    job = Job(WARDS, WARD, sf.KAnonymity(3), sf.Samarati())
    people = columns(ward=["q1"] * 3 + ["q2"] * 5)
    lists = {"external": sf.read(people, WARD["quasi_identifiers"])}
    report = sf.audit(job.release(), external=sf.read(people, ["ward"]))
    assert lacking(report) == ("external",)
    again = sf.audit(job.release(), **{name: lists[name] for name in lacking(report)})
    assert again.verdict == "safe", again


def test_what_people_guard_is_left_to_a_method_that_does_not_look():
    values = ["1", "2", "5", "9"] * 5
    source = columns(
        q0=["a1", "a2", "b1", "b2"] * 5, s=values, g=["low", None, None, "9"] + [None] * 16
    )
    job = Job(
        source,
        {
            "quasi_identifiers": {"q0": TREES[0]},
            "sensitive": "s",
            "hierarchies": {"s": VALUE_TREE},
        },
        sf.PersonalizedPrivacy(2, "g"),
        sf.Mondrian(),
    )
    report = job.report()
    assert report.verdict == "undecided"
    assert {each.tried for each in report.remedies.values()} == {"safe"}
    assert job.after(reduce(or_, report.remedies.values())).report().verdict == "safe"


def test_another_tools_table_is_to_be_published_anew():
    """There is no original to try it with, so nothing is claimed; whoever tries it succeeds."""
    table = sf.read(PATIENTS, **ROLES)
    report = sf.audit(table, criterion=sf.KAnonymity(3))
    assert report.verdict == "failed"
    assert {each.tried for each in report.remedies.values()} == {None}
    assert all(each.advice.startswith("try: ") for each in report.remedies.values())
    needed = reduce(or_, report.remedies.values())
    assert sf.KAnonymity(3) in needed.criterion.parts
    assert sf.audit(sf.anonymize(table, needed.criterion)).verdict == "safe"


def test_where_nothing_is_known_to_help_nothing_is_made_up():
    """Of sets of values no attack that knows the method says anything, whatever is published."""
    source = columns(q="aaabbbcc", s=[["A"], ["A", "B"], ["A"], ["B"], ["C"], ["B"], ["C"], ["A"]])
    roles = {"quasi_identifiers": {"q": sf.Flat()}, "sensitive": "s"}
    promise = sf.Skyline([(0, 0, 0, 1)], case="set")
    report = Job(source, roles, promise, sf.SkylineMondrian(publish="bucketized")).report()
    assert report.verdict == "undecided"
    assert {str(each) for each in report.remedies.values()} == {NOTHING}
    assert report.way_out is None


# ------------------------------------------------------- where it is said


def test_what_another_attack_has_decided_needs_no_remedy():
    """Minimality never shows anything safe, and mechanism does: there is nothing to do."""
    release = sf.anonymize(sf.read(PATIENTS, **ROLES), sf.KAnonymity(5) & sf.LDiversity(2))
    report = sf.audit(release)
    assert report.verdict == "safe"
    assert [each.remedy for each in report.findings] == [None] * len(report.findings)
    assert (report.remedies, report.way_out) == ({}, None)


def test_an_attack_alone_says_it_too():
    release = FAILING["certain values"][1].release()
    finding = sf.attacks.Homogeneity().run(release)
    assert finding.remedy == Remedy(sf.LDiversity(2))
    assert str(finding).endswith("; try: keep to LDiversity(l=2)")
    assert finding.to_json()["remedy"]["criteria"] == sf.LDiversity(2).spec()
    assert "keep to LDiversity(l=2)" in finding._repr_html_()


def test_an_attack_of_somebody_else_knows_no_remedy():
    assert sf.Attack.remedy(sf.attacks.Homogeneity(), None, None) == Remedy()
    assert NOTHING in Remedy().advice
    assert {*GIVE} == {"original", "earlier", "external", "alike", "memory", "process"}


def test_only_the_steward_reads_it(tmp_path):
    report = FAILING["certain values"][1].report()
    pages = [report.save(tmp_path / str(p), private=p) for p in (False, True)]
    public, private = (json.loads(page.with_suffix(".json").read_text()) for page in pages)
    assert {json.dumps(each["remedy"]) for each in public["findings"]} == {"null"}
    assert {json.dumps(each["remedy"]) for each in public["not_run"]} == {"null"}
    told = {each["name"]: each["remedy"] for each in private["findings"] if each["remedy"]}
    told = {name: remedy["advice"] for name, remedy in told.items()}
    assert told == {name: each.advice for name, each in report.remedies.items()}
    texts = [page.read_text() for page in pages]
    assert ["to do (tried)" in text for text in texts] == [False, True]


TOML = """
source = "people.csv"
output = "out"
[columns]
sensitive = ["disease"]
[columns.quasi_identifiers]
age = { intervals = [5, 10, 20] }
sex = { flat = true }
[[criteria]]
k_anonymity = { k = 2 }
"""


def inline(value: object) -> str:
    """Write a value of a spec as TOML does in a line."""
    if isinstance(value, dict):
        stated = [(key, each) for key, each in value.items() if each is not None]
        return "{ " + ", ".join(f"{key} = {inline(each)}" for key, each in stated) + " }"
    if isinstance(value, list):
        return f"[{', '.join(map(inline, value))}]"
    return json.dumps(value)


@pytest.mark.long
def test_what_the_command_line_says_to_a_machine_mends_the_job(tmp_path):
    """From JSON alone: criteria are added, the method is named, and the release is written."""
    rows = PATIENTS.to_pylist()
    with (tmp_path / "people.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, [*rows[0]])
        writer.writeheader()
        writer.writerows(rows)
    job = tmp_path / "job.toml"
    job.write_text(TOML)
    told = run("anonymize", job, "--json")
    assert told.exit_code == 1
    (remedy,) = (
        each["remedy"]
        for each in json.loads(told.output)["audit"]["findings"]
        if each["attack"] == "homogeneity"
    )
    assert remedy["tried"] == "safe"
    text = TOML
    for each in remedy["criteria"]:
        ((name, parameters),) = each.items()
        text += f"[[criteria]]\n{name} = {inline(parameters)}\n"
    if remedy["method"] is not None:
        ((name, parameters),) = remedy["method"].items()
        text += f"[method]\n{name} = {inline(parameters)}\n"
    job.write_text(text)
    assert run("anonymize", job).exit_code == 0
    assert sf.load(tmp_path / "out").check()


# ------------------------------------------------------- the measure that failed


def test_a_finding_shows_the_measure_that_failed(capsys):
    """Two values are possible where three were promised, and none of them is certain."""
    source = columns(age=[30] * 3 + [50] * 3, disease=["flu", "cold", "flu", "flu", "cold", "HIV"])
    job = Job(
        source,
        by_age(source),
        sf.KAnonymity(3),
        sf.Mondrian(),
        audited={"criterion": sf.KAnonymity(3) & sf.LDiversity(3)},
    )
    report = job.report()
    (found,) = (each for each in report.findings if each.attack == "homogeneity")
    assert (found.promised.relation, found.promised.value) == ("<", 1)
    assert found.promised.allows(found.found)  # so this number would be no reason to fail
    assert (found.failed.promised, found.failed.found) == ("3", "2")
    assert "promised LDiversity(l=3): 3, found 2 (before" in str(found)
    print_audit(report, "job")
    printed = " ".join(capsys.readouterr().out.split())
    assert "homogeneity LDiversity(l=3): 3 2 FAILS for 3 people" in printed
    assert "leaves LDiversity(l=3) at 2 for the disease of somebody; promised is 3." in printed
    written = found.to_json()["failed"]
    assert written == {"criterion": "LDiversity(l=3)", "promised": "3", "found": "2"}


def test_the_publishers_word_has_the_measure_that_failed(tmp_path):
    """Beliefs of who knows the method are judged by the criterion, in `release.json` as well."""
    report = FAILING["mechanism, distinct values"][1].report()
    (found,) = (each for each in report.findings if each.attack == "mechanism")
    loaded = sf.audit(sf.load(report.subject.save(tmp_path / "out")))
    (word,) = (each for each in loaded.findings if each.attack == "mechanism")
    assert (word.holds, word.failed, word.found_text) == (False, found.failed, found.found_text)


# ------------------------------------------------------- as lines of the job file

WARD_JOB = """
source = "wards.csv"
output = "out"
[columns]
sensitive = ["disease"]
[columns.quasi_identifiers]
ward = { tree = { Q = ["q1", "q2"] } }
[[criteria]]
%s
[method]
samarati = {}
"""
AGE_JOB = """
source = "patients.csv"
output = "out"
[columns]
sensitive = ["disease"]
insensitive = [%s]
[columns.quasi_identifiers]
age = { intervals = [5, 10, 20] }
[[criteria]]
k_anonymity = { k = 2 }
[method]
mondrian = { strict = true }
"""


def printed_lines(output: str, job: Path) -> list[str]:
    """The lines that are printed for the job file, without the comments that say where."""
    after = output.partition(f"In {job} that is:")[2].split("\n")[1:]
    block = takewhile(lambda line: line.startswith("  "), after)
    return [line.strip() for line in block if not line.startswith("  #")]


def edited(text: str, lines: list[str]) -> str:
    """Put columns and criteria where they belong, and the method in place of the other."""
    roles = [*takewhile(lambda line: not line.startswith("["), lines)]
    before = text.partition("[method]")[0].replace('insensitive = ["sex"]', "")
    header = "[columns.quasi_identifiers]"
    before = before.replace(header, "\n".join([header, *roles]))
    return "\n".join([before.rstrip(), *lines[len(roles) :], ""])


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (
            WARD_JOB % 'l_diversity = { l = 2, kind = "frequency", values = ["HIV"] }',
            ["[method]"],
        ),
        (AGE_JOB % "", ["[[criteria]]", "l_diversity = {l = 2}", "[method]"]),
        (
            "untouched_identify = true" + AGE_JOB % '"sex"',
            ["sex = {flat = true}", "[[criteria]]", "l_diversity = {l = 2}", "[method]"],
        ),
    ],
    ids=["another method", "another criterion", "another role"],
)
@pytest.mark.parametrize("command", ["anonymize", "audit"])
def test_the_printed_lines_in_the_job_file_make_the_audit_pass(text, lines, command, tmp_path):
    write_csv(WARDS, tmp_path / "wards.csv")
    write_csv(PATIENTS, tmp_path / "patients.csv")
    job = tmp_path / "job.toml"
    job.write_text(text)
    if command == "audit":
        assert run("anonymize", job, "--no-audit").exit_code == 0
    told = run(command, job)
    assert told.exit_code == 1
    said = printed_lines(told.output, job)
    assert said[: len(lines)] == lines
    assert len(said) == len(lines) + 1
    assert told.output.count("[[criteria]]") == lines.count("[[criteria]]")
    job.write_text(edited(text, said).replace('"out"', '"again"'))
    passed = run("anonymize", job)
    assert passed.exit_code == 0, passed.output
    assert f"In {job}" not in passed.output
    assert run("audit", job).exit_code == 0
