"""What a command is: options, a body that runs when it is asked for, and an answer."""

from __future__ import annotations

import functools
import inspect
import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup

from sfumato.address import refuse_passwords
from sfumato.cli import output as out
from sfumato.cli.options import READING, Json, ShowValues, declared
from sfumato.cli.signals import requested
from sfumato.errors import BadInput, SfumatoError, one_line
from sfumato.files.paths import reason
from sfumato.progress import not_enough_memory

# What wrong use raises. Its name and place change from one typer to the next: it is the class
# under Exception that a bad parameter comes from.
WRONG_USE: Any = typer.BadParameter.__mro__[-4]
# How libraries say that the system refused memory: a module is not loaded, a thread not started.
_NO_MEMORY = re.compile(
    "cannot allocate memory|failed to map segment|can't start new thread|out of memory"
    "|could not find/load shared object",
    re.IGNORECASE,
)
HELP = "NoArgsIsHelpError"  # wrong use that is answered with the help: a command without anything
UNBROKEN = "\u2011"  # a hyphen at which no line ends
UNSAFE = 1  # the exit code of a promise that is not kept, and of an attack that succeeds
UNDECIDED = 5  # of a promise that was neither shown to be kept nor broken
EXIT_CODES = {"safe": 0, "failed": UNSAFE, "undecided": UNDECIDED}


@dataclass(frozen=True)
class Answer:
    """What a command has to say, to a machine (`--json`) or to people, and its exit code."""

    to_json: Callable[[], Any]
    show: Callable[[], None]
    exit_code: int = 0


def _whole_words(help_text: Callable[..., None]) -> Callable[..., None]:
    """Write help whose lines do not end within the name of an option."""

    def written(self: Any, ctx: Any, formatter: Any) -> None:
        inner = type(formatter)(width=formatter.width, max_width=ctx.max_content_width)
        write_text, write_dl = inner.write_text, inner.write_dl

        def rows_written(rows: Any, *args: Any, **extra: Any) -> None:
            write_dl([(_kept(name), _kept(text)) for name, text in rows], *args, **extra)

        inner.write_text = lambda text: write_text(_kept(text))
        inner.write_dl = rows_written
        help_text(self, ctx, inner)
        formatter.write(inner.getvalue().replace(UNBROKEN, "-"))

    return written


def _kept(text: str) -> str:
    return text.replace("-", UNBROKEN)


class WholeWords(TyperCommand):
    """A command in whose help no option is broken at its hyphens."""

    format_help = _whole_words(TyperCommand.format_help)


class OneLine(TyperGroup):
    """Wrong use gets one line too: what is wrong, and where to look it up."""

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run, and leave with the exit code; an address with a password goes no further."""
        given = sys.argv[1:] if not args or args[0] is None else args[0]
        try:
            refuse_passwords(each.partition("=")[2] or each for each in given)
            refuse_passwords(given)
        except BadInput as error:
            sys.stderr.write(f"sfumato: {error}\n")
            sys.exit(error.exit_code)
        try:
            sys.exit(super().main(*args, **extra | {"standalone_mode": False}))
        except WRONG_USE as error:
            said = error.format_message()
            if type(error).__name__ != HELP:
                said = f"sfumato: {one_line(said).rstrip('.')}; try --help"
            sys.stderr.write(f"{said}\n")
            sys.exit(error.exit_code)


class _ByPlace(OneLine):
    """The commands in the order of their places, and groups of commands after them."""

    def list_commands(self, ctx: Any) -> list[str]:
        """List their names."""
        return sorted(super().list_commands(ctx), key=lambda name: _PLACES.get(name, _LAST))


app = typer.Typer(
    cls=_ByPlace,
    name="sfumato",
    help=(
        "Publish tables about people safely: make a release that keeps its promise, and check "
        "any table against one.\n\nStart with: sfumato demo"
    ),
    no_args_is_help=True,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    add_completion=True,
)
_LAST = 1_000
_PLACES: dict[str, int] = {}


def group(name: str, text: str) -> typer.Typer:
    """Make a group of commands: `sfumato NAME COMMAND`."""
    commands = typer.Typer(cls=OneLine, help=text, no_args_is_help=True, rich_markup_mode=None)
    app.add_typer(commands, name=name)
    return commands


def command(
    *, place: int = _LAST - 1, within: typer.Typer = app, name: str | None = None
) -> Callable[[Callable[..., Answer]], Callable[..., Answer]]:
    """Make a command of a function; its docstring is the help, `--json` and the rest is added.

    A function that has a parameter `reading` gets the options of how text files are read.

    Args:
        place: Where it stands among the commands of the help.
        within: The group it belongs to.
        name: Its name, where that is not the function's.
    """

    def made(body: Callable[..., Answer]) -> Callable[..., Answer]:
        signature = inspect.signature(body, eval_str=True)
        reads = "reading" in signature.parameters  # it has the options of how files are read

        @functools.wraps(body)
        def run(*, json: bool, show_values: bool, **given: Any) -> None:
            if "show_values" in signature.parameters:
                given["show_values"] = show_values
            with _failures(show_values=show_values):
                if reads:
                    given["reading"] = declared({name: given.pop(name) for name in READING})
                answer = body(**given)
                if json:
                    out.print_json(answer.to_json())
                else:
                    answer.show()
                if answer.exit_code:
                    raise typer.Exit(answer.exit_code)

        shared = {"json": Json, "show_values": ShowValues}
        keyword = inspect.Parameter.KEYWORD_ONLY
        own = [n for n in signature.parameters if n not in (*shared, "reading")]
        parameters = [signature.parameters[n].replace(kind=keyword) for n in own]
        parameters += [
            inspect.Parameter(each, keyword, default=None, annotation=kind)
            for each, kind in (READING if reads else {}).items()
        ]
        parameters += [
            inspect.Parameter(each, keyword, default=False, annotation=kind)
            for each, kind in shared.items()
        ]
        run.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
        run.__annotations__ = {each.name: each.annotation for each in parameters}
        if within is app:
            _PLACES[name or body.__name__] = place
        within.command(name, cls=WholeWords)(run)
        return body

    return made


@contextmanager
def _failures(*, show_values: bool) -> Iterator[None]:
    """Turn every error into one line on standard error and the right exit code."""
    try:
        yield
    except typer.Exit:
        raise
    except Exception as error:
        if requested:  # to stop; libraries turn the interrupt into errors of their own
            raise typer.Exit from None
        if show_values and not isinstance(error, (SfumatoError, OSError)):
            out.trace(error)
        message, code = _explained(error, show_values=show_values)
        out.complain(message)
        raise typer.Exit(code) from None


def _explained(error: Exception, *, show_values: bool) -> tuple[str, int]:
    watched = sys.stderr is not None and sys.stderr.isatty()  # None: it was closed
    if isinstance(error, BadInput) and (show_values or watched):
        return error.with_values(), error.exit_code
    if isinstance(error, SfumatoError):
        withheld = " (--show-values shows the values)" if getattr(error, "values", ()) else ""
        return f"{error}{withheld}", error.exit_code
    if _lacks_memory(error):
        return not_enough_memory(), BadInput.exit_code
    if isinstance(error, OSError):  # the system, not us
        place = f"{error.filename}: " if error.filename else ""
        return f"{place}{reason(error)}", BadInput.exit_code
    return (
        f"internal error ({type(error).__name__}). Run again "
        "with --show-values for the details, which may hold values of the data",
        SfumatoError.exit_code,
    )


def _lacks_memory(error: BaseException | None) -> bool:
    """Whether an error, or one that it came from, says that the system refused memory."""
    while error is not None:
        if isinstance(error, MemoryError) or _NO_MEMORY.search(str(error)):
            return True
        error = error.__cause__ or error.__context__
    return False
