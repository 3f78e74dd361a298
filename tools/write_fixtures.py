"""Write tests/formats/<version>: one file of every kind that this version of sfumato writes.

    python tools/write_fixtures.py

Run it when the version is new or a format has changed before it was released; never again for a
version that is out. The tests open what every version has written (docs/formats.md). All people in
it are made up, and the key of its series protects nobody.
"""

import json
import shutil
from pathlib import Path
from random import Random

import sfumato as sf

TARGET = Path(__file__).resolve().parents[1] / "tests" / "formats" / sf.__version__
RULES = {
    "age": sf.Intervals(5, 10, 20),
    "zip": sf.Prefix(),
    "came": sf.Dates(),
    "job": sf.Tree({"health": ["nurse", "doctor"], "other": ["cook", "clerk"]}),
    "sex": sf.Flat(),
}
JOB = """source = "people.csv"
output = "out"
format = "csv"
[columns]
identifiers = ["id"]
sensitive = ["disease"]
[columns.quasi_identifiers]
age = { intervals = [5, 10, 20] }
zip = { prefix = true }
sex = { flat = true }
[[criteria]]
k_anonymity = { k = 4 }
[[criteria]]
l_diversity = { l = 2, kind = "distinct" }
[method.mondrian]
"""


def write_people(path: Path, first: int, n: int) -> Path:
    """Write n people."""
    draw = Random(first)
    lines = ["id,age,zip,came,job,sex,disease"]
    for number in range(first, first + n):
        job = draw.choice(["nurse", "doctor", "cook", "clerk"])
        came = f"2026-{draw.randint(1, 12):02}-{draw.randint(1, 28):02}"
        disease = draw.choice(["flu", "cold", "HIV", "asthma"])
        where = draw.randint(10_000, 10_040)
        age, sex = draw.randint(18, 89), draw.choice("fm")
        lines.append(f"{number},{age},{where},{came},{job},{sex},{disease}")
    path.write_text("\n".join(lines) + "\n")
    return path


def main() -> None:
    """Write everything anew."""
    shutil.rmtree(TARGET, ignore_errors=True)
    TARGET.mkdir(parents=True)
    people = write_people(TARGET / "people.csv", 0, 80)
    table = sf.read(people, RULES, "disease", identifiers=["id"])
    (TARGET / "job.toml").write_text(JOB)
    made = {
        "regions": sf.anonymize(
            table, sf.KAnonymity(4) & sf.LDiversity(2, "distinct"), sf.Mondrian()
        ),
        "levels": sf.anonymize(table, sf.KAnonymity(3), sf.Samarati(max_suppressed=0.1)),
        "two-tables": sf.anonymize(table, sf.LDiversity(2, "frequency"), sf.Anatomy()),
    }
    expected = {}
    for name, release in made.items():
        for kind in ("csv", "parquet"):
            place = TARGET / f"{name}-{kind}"
            release.save(place, kind)
            expected[place.name] = {
                "rows": release.n_rows,
                "suppressed": release.n_suppressed,
                "criterion": str(release.criterion),
                "columns": list(release.description.columns),
            }
    made["levels"].save_recoding(TARGET / "recoding.json")
    sf.audit(sf.load(TARGET / "levels-csv")).save(TARGET / "report")
    (TARGET / "report" / "report.html").unlink()  # for people, and large
    rules = {name: rule for name, rule in RULES.items() if name != "came"}
    series = sf.ReleaseSeries.create(
        TARGET / "series", rules, sf.KAnonymity(4), "disease", ["came"], person="id"
    )
    for number in range(2):
        series.publish(write_people(TARGET / "batch.csv", 40 * number, 40))
    series.withdraw(2)
    series.publish(recipient="insurer", columns=["age"])
    series.publish(write_people(TARGET / "batch.csv", 100, 30), new_chain=True)
    series.publish(write_people(TARGET / "batch.csv", 140, 2), wait=True)
    (TARGET / "batch.csv").unlink()
    status = series.status().to_json() | {"series": ""}
    written = {"releases": expected, "series": status}
    (TARGET / "expected.json").write_text(json.dumps(written, indent=2) + "\n")


if __name__ == "__main__":
    main()
