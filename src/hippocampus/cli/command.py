"""Makes a function a command: spreads its groups of options and tells errors in a line."""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import wraps
from typing import Annotated, Any, TypeAlias

import typer
from typer.core import TyperCommand

from hippocampus.core.parameter_groups import spread
from hippocampus.errors import EncoderError, HippocampusError, InputError, MissingExtra, StoreError

Verb: TypeAlias = Callable[..., None]

EXIT_NOTHING = 1
EXIT_USAGE = 2
EXIT_CODES = ((InputError, EXIT_USAGE), (StoreError, 3), (EncoderError, 4), (MissingExtra, 5))

_DEBUG = inspect.Parameter(
    "debug",
    inspect.Parameter.KEYWORD_ONLY,
    default=False,
    annotation=Annotated[
        bool, typer.Option("--debug", help="Show where an error comes from.", hidden=True)
    ],
)


def command(
    app: typer.Typer,
    name: str,
    *examples: str,
    panel: str | None = None,
    cls: type[TyperCommand] = TyperCommand,
) -> Callable[[Verb], Verb]:
    """
    Register a function as the command ``name``, with examples at the end of its help.

    A parameter whose type is a dataclass becomes that class's fields as options; the function gets
    the instance. So a group of options is written once and shared.
    """
    epilog = "\n".join(["[bold]Examples[/bold]", *map(_literal, examples)])

    def register(verb: Verb) -> Verb:
        paragraphs = (inspect.getdoc(verb) or "").split("\n\n")
        told = _literal("\n\n".join(" ".join(part.split()) for part in paragraphs))
        return app.command(name, cls=cls, help=told, epilog=epilog, rich_help_panel=panel)(
            _as_command(verb)
        )

    return register


def _literal(text: str) -> str:
    """Keep Rich from reading markup into help."""
    return text.replace("[", "\\[")


def _as_command(verb: Verb) -> Verb:
    """Return a verb with its groups of options spread, errors told in a line, and --debug."""
    flat = spread(verb)
    parameters = [*inspect.signature(flat).parameters.values(), _DEBUG]

    @wraps(flat)
    def run(*, debug: bool, **options: Any) -> None:  # noqa: ANN401 - whatever the verb takes
        with tell_errors(debug=debug):
            flat(**options)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {p.name: p.annotation for p in parameters}
    return run


@contextmanager
def tell_errors(*, debug: bool) -> Iterator[None]:
    """Turn an error into a line on stderr and an exit code."""
    try:
        yield
    except HippocampusError as exc:
        if debug:
            raise
        code = next((number for kind, number in EXIT_CODES if isinstance(exc, kind)), EXIT_USAGE)
        notes = getattr(exc, "__notes__", [])
        _fail("; ".join([str(exc), *notes]), code)
    except BrokenPipeError:  # whoever read our output has had enough
        hush()
        raise typer.Exit(0) from None
    except OSError as exc:  # of a path given here; the store translates its own
        if debug:
            raise
        _fail(f"{exc.filename}: {exc.strerror}" if exc.filename else str(exc), EXIT_USAGE)


def confirm_erasure(count: int) -> None:
    """Have whoever is there agree to erase episodes; where nobody is, refuse."""
    if not sys.stdin.isatty():
        _fail("erasing cannot be undone; add --yes to say that you mean it", EXIT_USAGE)
    question = f"Erase {count:,} episode{'' if count == 1 else 's'} for good?"
    typer.confirm(question, abort=True, err=True)


def _fail(message: str, code: int) -> None:
    from hippocampus.cli.render import complain  # noqa: PLC0415 - Rich, only when needed

    complain(message)
    raise typer.Exit(code) from None


def hush() -> None:
    """Send what is still buffered nowhere, so that leaving has no closed pipe to complain about."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
