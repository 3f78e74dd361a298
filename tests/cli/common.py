"""What the tests of the command line share: a job, and a way to run commands."""

from typer.testing import CliRunner

from sfumato.cli.app import app

JOB = """
source = "patients.csv"
output = "out/2026-q1"
[columns]
identifiers = ["name"]
sensitive = ["disease"]
[columns.quasi_identifiers]
age = { intervals = [5, 10, 20] }
zip = { prefix = true }
sex = { flat = true }
[[criteria]]
k_anonymity = { k = 5 }
[[criteria]]
l_diversity = { l = 3 }
[method]
mondrian = { strict = true }
"""


def run(*arguments: object):
    return CliRunner().invoke(app, [str(each) for each in arguments])
