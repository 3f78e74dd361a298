"""The same measured script against two source trees: a revision from before, and this checkout."""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parents[1]
BEFORE = "9656aba"  # each release was written, read back and judged again whenever it was asked


def arguments(description, default=None):
    """The options that such a benchmark has; default: the revision that it is compared with."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument(
        "--before", metavar="REV", nargs="?", const=BEFORE, default=default, help="a git revision"
    )
    parser.add_argument("--rounds", type=int, default=3, help="runs of each, alternately")
    return parser


@contextmanager
def source_trees(revision):
    """Give the source trees before and after; the first is checked out for the moment."""
    with tempfile.TemporaryDirectory() as place:
        tree = Path(place) / "before"
        git = ["git", "-C", str(ROOT), "worktree"]
        subprocess.run([*git, "add", "--quiet", "--detach", str(tree), revision], check=True)
        try:
            yield {"before": tree / "src", "after": ROOT / "src"}
        finally:
            subprocess.run([*git, "remove", "--force", str(tree)], check=True)


def measured(script, revision, rounds, *options):
    """Run a child by turns in both trees; {"before": [what it said, ...], "after": [...]}."""
    found = {"before": [], "after": []}
    with source_trees(revision) as trees:
        for turn in range(rounds + 1):
            for name, source in trees.items():
                command = [sys.executable, str(script), "--child", *map(str, options)]
                environment = os.environ | {"PYTHONPATH": str(source)}
                done = subprocess.run(
                    command, env=environment, stdout=subprocess.PIPE, text=True, check=True
                )
                if turn:  # the first one compiles
                    found[name].append(json.loads(done.stdout.splitlines()[-1]))
    return found


def tell(found, revision):
    """Print the median of every number, before and after, and how many times less it is."""
    print(f"| | before ({revision}) | after | times faster |\n|---|---|---|---|")
    for what in found["after"][0]:
        before, after = (
            statistics.median(run[what] for run in found[name]) for name in ("before", "after")
        )
        times = f"{before / after:.1f}" if before < 100 * after else "over 100"
        print(f"| {what} | {before:.2f} s | {after:.2f} s | {times} |")
    load = os.getloadavg()[0]
    print(f"\nMedian of {len(found['after'])} runs each, by turns; load of the machine {load:.1f}.")
