"""The command line: the same work, one command each."""

import sys

from sfumato.memory import too_little

INTERRUPTED = 130


def main() -> None:
    """Run a command; a Ctrl-C that comes while Python is still importing is an interrupt too."""
    refusal = too_little()  # first: libraries that get too little end the process
    if refusal is not None:
        sys.stderr.write(f"sfumato: {refusal}\n")
        sys.exit(2)
    try:
        from sfumato.cli.app import main as run
    except KeyboardInterrupt:
        sys.stderr.write("sfumato: interrupted\n")
        sys.exit(INTERRUPTED)
    run()


__all__ = ["main"]
