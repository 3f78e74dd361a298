"""The command line: the same work, one command each."""

import sys

INTERRUPTED = 130


def main() -> None:
    """Run a command; a Ctrl-C that comes while Python is still importing is an interrupt too."""
    try:
        from sfumato.cli.app import main as run
    except KeyboardInterrupt:
        sys.stderr.write("sfumato: interrupted\n")
        sys.exit(INTERRUPTED)
    run()


__all__ = ["main"]
