"""A release is saved, checked, audited and looked at: what each costs, before and after.

The same child runs by turns against a revision from before and this checkout.

    python bench/save_audit.py [--before REV] [--rounds N] [--rows N]
"""

import json
import tempfile
import time
from pathlib import Path

from before import BEFORE, arguments, measured, tell


def child(n_rows):
    """Measure once, in whatever tree is on the path; say it as JSON."""
    import pyarrow as pa

    import sfumato as sf

    adult = sf.datasets.adult()
    adult = pa.concat_tables([adult] * -(-n_rows // len(adult))).slice(0, n_rows)
    names = ["age", "sex", "race", "marital-status", "education"]
    trees = sf.datasets.adult_hierarchies()
    table = sf.read(adult, {name: trees[name] for name in names}, sensitive="occupation")
    seconds = {}

    def clock(name, work):
        started = time.perf_counter()
        work()
        seconds[name] = time.perf_counter() - started

    with tempfile.TemporaryDirectory() as place:
        release = sf.anonymize(table, sf.KAnonymity(5) & sf.LDiversity(2), sf.Mondrian())
        clock("save", lambda: release.save(Path(place) / "out", format="parquet"))
        clock("check", release.check)
        clock("audit", lambda: sf.audit(release))
        clock("to_arrow", release.to_arrow)
        clock("to_arrow again", release.to_arrow)
    seconds["all of these"] = sum(seconds.values())
    print(json.dumps(seconds))


def main():
    """Measure and compare."""
    parser = arguments(__doc__.splitlines()[0], BEFORE)
    parser.add_argument("--rows", type=int, default=48_842)
    parser.add_argument("--child", action="store_true")
    asked = parser.parse_args()
    if asked.child:
        child(asked.rows)
        return
    tell(measured(__file__, asked.before, asked.rounds, "--rows", asked.rows), asked.before)


if __name__ == "__main__":
    main()
