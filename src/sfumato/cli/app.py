"""The command line: all commands that are defined in `commands`."""

from __future__ import annotations

import io
import pkgutil
import sys
from importlib import import_module
from typing import Annotated

import typer

from sfumato.cli import commands
from sfumato.cli.command import app
from sfumato.cli.signals import stoppable

for _module in pkgutil.iter_modules(commands.__path__):
    import_module(f"{commands.__name__}.{_module.name}")


def main() -> None:
    """Run the command line; what standard output has no letters for is written as escapes."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")
    with stoppable():
        app()


def _version(wanted: bool) -> None:
    if wanted:
        from sfumato import __version__

        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Take the options that stand before a command."""
    del version
