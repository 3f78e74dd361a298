"""How long it takes to start, against Python's own start."""

import subprocess
import sys

from common import timed


def start(*arguments):
    return timed(lambda: subprocess.run(arguments, check=True, capture_output=True), repeat=7)[0]


def main():
    bare = start(sys.executable, "-c", "pass")
    for name, command in {
        "import sfumato": (sys.executable, "-c", "import sfumato"),
        "sfumato --help": (sys.executable, "-m", "sfumato", "--help"),
    }.items():
        seconds = start(*command)
        print(f"{name}: {seconds:.3f} s, Python alone {bare:.3f} s, {seconds / bare:.1f} times")


if __name__ == "__main__":
    main()
