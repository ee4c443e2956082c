"""
Commands: a function becomes one by a decorator, its texts come from ``help.toml``.

A command parses, calls one method of the engine, and returns an ``Answer``. What all share is done
here: the store is opened, texts become values, answers are printed, errors told in a line.
"""

from __future__ import annotations

import inspect
import os
import re
import sys
import tomllib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from importlib.resources import files
from types import MappingProxyType
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    TypeAlias,
    TypeVar,
    Unpack,
    cast,
    get_args,
    get_origin,
)
from typing import get_type_hints as type_hints

import typer
from typer.core import TyperCommand
from typer.main import get_group

from hippocampus.cli.options import BankScope, FilterOptions, Opening, Scope
from hippocampus.cli.render import Answer, complain, show
from hippocampus.core.argument_names import meant_by
from hippocampus.core.parameter_groups import described, spread
from hippocampus.errors import EncoderError, HippocampusError, InputError, MissingExtra, StoreError

Function: TypeAlias = Callable[..., Answer | None]
T = TypeVar("T", bound=Function)

EXIT_NOTHING = 1  # as grep exits where it finds nothing: a shell's ``if`` asks for no more
EXIT_USAGE = 2  # as Click, which Typer stands on, exits after a wrong option
EXIT_CODES = ((InputError, EXIT_USAGE), (StoreError, 3), (EncoderError, 4), (MissingExtra, 5))
"""Exit codes by error, which scripts rely on (docs/bad-input.md); the first kind that fits."""

HELP: Final[Mapping[str, Any]] = tomllib.loads(
    (files("hippocampus.cli") / "help.toml").read_text("utf-8")
)
_NOT_LOADED: Final = {"Bank": Any, "Memory": Any}
"""Types of the engine, which help need not wait for."""


UsageError: Final = cast(type[typer.BadParameter], typer.BadParameter.__mro__[1])
"""An option that is wrong or not there; Typer has no public name for it."""


class Command(TyperCommand):
    """A command whose errors name the option that is meant, both forms of one, or quotes."""

    def make_context(self, *args: Any, **options: Any) -> Any:  # noqa: ANN401 - as Typer has it
        try:
            return super().make_context(*args, **options)
        except UsageError as exc:
            name = getattr(exc, "option_name", None)
            if isinstance(name, str) and hasattr(exc, "possibilities"):
                own = {one.name: one.opts[0] for one in self.params if one.name and one.opts}
                meant = meant_by(name.lstrip("-"), own)
                exc.possibilities = [own[meant]] if meant else None
            missing: Any = getattr(exc, "param", None)
            if getattr(missing, "secondary_opts", None) and hasattr(exc, "param_hint"):
                exc.param_hint = [*missing.opts, *missing.secondary_opts]  # --x and --no-x
            if " extra argument" in exc.message:
                exc.message += "; put a text of several words in quotes"
            raise


_named: Final[ContextVar[bool]] = ContextVar("_named", default=False)


def names_bank() -> bool:
    """Return whether a call of a ``ByProject`` names a bank."""
    return _named.get()


class ByProject(Command):
    """A command of which a bank that is not named is that of the project."""

    def make_context(self, *args: Any, **options: Any) -> Any:  # noqa: ANN401 - as Typer has it
        # Seen before Typer reads it: afterwards a default looks as if it had been given.
        given = any(str(arg).partition("=")[0] == "--bank" for arg in args[1])
        _named.set(given or bool(os.environ.get("HIPPOCAMPUS_BANK")))
        return super().make_context(*args, **options)


_COMMANDS: Final[dict[str, tuple[Function, type[TyperCommand]]]] = {}
"""The functions that ``verb`` was given, as Typer is to run them, by name."""


def verb(
    name: str,
    *,
    opens: Literal["bank", "memory"] | None = "bank",
    create: bool = False,
    embed: bool = False,
    cls: type[TyperCommand] = Command,
) -> Callable[[T], T]:
    """
    Make a function the command ``name`` of ``help.toml``.

    Positional parameters are arguments, the others options. Where a function beside a parameter's
    type reads its value from text, the option takes text. A dataclass stands for its fields.

    Args:
        name: after a group's, where it is in one, as in "keys list".
        opens: what is opened and given first; ``zone`` is then given, too, where it is a parameter.
        create: make the store if it is missing.
        embed: load the embedder, for what adds or asks.
        cls: how Typer runs it.

    """

    def register(function: T) -> T:
        run = function if opens is None else _opened(function, opens, create=create, embed=embed)
        _COMMANDS[name] = run, cls
        return function

    return register


def _opened(
    function: Function, opens: Literal["bank", "memory"], **how: Unpack[Opening]
) -> Function:
    """Return a function that takes the scope in which to open what it is given first."""
    hints = type_hints(function, localns=_NOT_LOADED, include_extras=True)
    _, *wanted = (
        given.replace(annotation=hints[given.name])
        for given in inspect.signature(function).parameters.values()
    )
    own = [given for given in wanted if given.name != "zone"]

    def run(*, scope: BankScope, **options: Any) -> Answer | None:  # noqa: ANN401 - whatever it takes
        filters = options.get("filters")
        own_how = how
        if isinstance(filters, FilterOptions) and filters.names_event:
            # Its time is searched for before the filter can be used.
            own_how = how | {"embed": True}
        with scope.open_bank(**own_how) if opens == "bank" else scope.open(**own_how) as held:
            zone = {} if len(own) == len(wanted) else {"zone": scope.zone}
            return function(held, **options, **zone)

    run.__doc__ = function.__doc__
    scope = _keyword("scope", BankScope if opens == "bank" else Scope)
    _sign(run, [*own, scope], hints.get("return"))
    return run


def make_command(name: str) -> Any:  # noqa: ANN401 - Click's or Typer's own
    """Make the command, or the group of commands, that is called so in ``help.toml``."""
    told = HELP[name]
    app = typer.Typer()  # it makes no command but as part of one
    if "group" in told:
        group = typer.Typer(no_args_is_help=True, help=told["group"])
        app.add_typer(group, name=name, rich_help_panel=told.get("panel"))
        for whole, about in HELP.items():
            if whole.startswith(f"{name} "):
                function, cls = _COMMANDS[whole]
                _add(group, whole.rpartition(" ")[2], function, about, cls=cls)
    else:
        function, cls = _COMMANDS[name]
        _add(app, name, function, told, cls=cls)
    return get_group(app).commands[name]


def command(
    app: typer.Typer, name: str, *examples: str, panel: str | None = None
) -> Callable[[T], T]:
    """
    Register a function of another distribution as a command, with examples at the end of its help.

    A parameter whose type is a dataclass becomes that class's fields as options; the function gets
    the instance. So a group of options is written once and shared. A parameter that Typer is told
    nothing about has the text that ours of that name have.
    """

    def register(function: T) -> T:
        _add(app, name, function, {"examples": examples, "panel": panel}, cls=Command)
        return function

    return register


def _add(
    app: typer.Typer,
    name: str,
    function: Function,
    told: Mapping[str, Any],
    *,
    cls: type[TyperCommand],
) -> None:
    about = _literal(described(function, told))
    epilog = "\n".join(["[bold]Examples[/bold]", *map(_literal, told["examples"])])
    texts = HELP["shared"] | told.get("options", {})
    app.command(name, cls=cls, help=about, epilog=epilog, rich_help_panel=told.get("panel"))(
        _with_options(function, texts)
    )


def _literal(text: str) -> str:
    """Keep Rich from reading markup into help."""
    return text.replace("[", "\\[")


# ---------------------------------------------------------------- options


def _with_options(function: Function, texts: Mapping[str, Any]) -> Callable[..., None]:
    """Return a function as Typer takes one: groups spread, texts read, the answer printed."""
    flat = spread(function)
    own = {p.name: p for p in inspect.signature(flat).parameters.values()}
    adds_json = "as_json" not in own and inspect.signature(flat).return_annotation is Answer
    if adds_json:
        own["as_json"] = _keyword("as_json", bool, default=False)
    own["debug"] = _keyword("debug", bool, default=False)
    readers = {name: read for name, p in own.items() if (read := _reader(p.annotation))}
    flags = {name: _flag(p, texts.get(name)) for name, p in own.items() if p.kind is p.KEYWORD_ONLY}

    def run(*, debug: bool, **options: Any) -> None:  # noqa: ANN401 - whatever it takes
        as_json = options.pop("as_json") if adds_json else options.get("as_json", False)
        with tell_errors(debug=debug, flags=flags):
            answer = flat(**options | {n: _read(options[n], read) for n, read in readers.items()})
            if answer is not None:
                show(answer, as_json=as_json)
                if not answer.success:
                    raise typer.Exit(EXIT_NOTHING)

    _sign(run, [p.replace(annotation=_annotated(p, texts.get(p.name))) for p in own.values()])
    return run


def _keyword(name: str, kind: object, **default: object) -> inspect.Parameter:
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=kind, **default)


def _sign(
    function: Callable[..., object], parameters: list[inspect.Parameter], returns: object = None
) -> None:
    """Have a function say that it takes these parameters."""
    function.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    function.__annotations__ = {p.name: p.annotation for p in parameters} | {"return": returns}


def _reader(kind: object) -> Callable[[str], object] | None:
    """Return the reader of an option's value from text; it stands beside the value's type."""
    beside = get_args(kind)[1] if get_origin(kind) is Annotated else None
    return beside if inspect.isfunction(beside) else None


def _read(given: str | list[str] | None, read: Callable[[str], object]) -> object:
    if not given:
        # An empty text was given all the same, and its reader says what is wrong with it.
        return read(given) if given == "" else None
    return [read(text) for text in given] if isinstance(given, list) else read(given)


def _annotated(parameter: inspect.Parameter, text: Any) -> Any:  # noqa: ANN401 - of help.toml
    """Return the type of a parameter with its text for Typer, if it needs one and there is one."""
    kind = parameter.annotation
    if _reader(kind) is not None:
        kind = _as_text(get_args(kind)[0], parameter.default)
    elif get_origin(kind) is Annotated or text is None:
        return kind
    told = dict(text) if isinstance(text, Mapping) else {"help": text}
    told["rich_help_panel"] = told.pop("panel", None)
    flags = told.pop("flags", "").split()
    if not flags and parameter.default is False:  # without --no-…
        flags = [f"--{parameter.name.replace('_', '-')}"]
    if parameter.kind is not parameter.KEYWORD_ONLY:
        return Annotated[kind, typer.Argument(**told)]
    return Annotated[kind, typer.Option(*flags, **told)]


def _flag(parameter: inspect.Parameter, text: Any) -> str:  # noqa: ANN401 - of help.toml
    """Return an option as it is typed."""
    told: list[str] = text.get("flags", "").split() if isinstance(text, Mapping) else []
    for part in get_args(parameter.annotation):
        told.extend(getattr(part, "param_decls", None) or ())
    short = f"-{parameter.name}"
    flags = [flag.partition("/")[0] for flag in told if flag.startswith("-")]
    usual = short if len(parameter.name) == 1 else f"-{short.replace('_', '-')}"
    return usual if usual in flags else max(flags, key=len, default=usual)


def _as_text(kind: object, default: object) -> object:
    """Return the type of what is typed where a value of this type is read from it."""
    if any(get_origin(part) is list for part in (kind, *get_args(kind))):
        return list[str] if default is inspect.Parameter.empty else list[str] | None
    return str if default is inspect.Parameter.empty else str | None


# ---------------------------------------------------------------- errors


def in_options(message: str, flags: Mapping[str, str]) -> str:
    """Return an error that names options as they are typed: "--min-score 7" for "min_score=7"."""
    if not flags:
        return message
    names = "|".join(map(re.escape, sorted(flags, key=len, reverse=True)))
    written = re.compile(rf"(?:(?<=^)|(?<=[ (]))({names})=(?=[^\s=])")

    def typed(found: re.Match[str]) -> str:
        return found[0] if _in_call(message[: found.start()]) else f"{flags[found[1]]} "

    return written.sub(typed, message)


def _in_call(before: str) -> bool:
    """Return whether a text ends among the arguments of a call in Python: "Memory(path, "."""
    closed = 0
    for place in range(len(before) - 1, 0, -1):
        closed += {")": 1, "(": -1}.get(before[place], 0)
        if closed < 0:
            return before[place - 1].isalnum()
    return False


@contextmanager
def tell_errors(*, debug: bool, flags: Mapping[str, str] = MappingProxyType({})) -> Iterator[None]:
    """Turn an error into a line on stderr, in which options are as in ``flags``, and a code."""
    try:
        yield
    except HippocampusError as exc:
        if debug:
            raise
        code = next((number for kind, number in EXIT_CODES if isinstance(exc, kind)), EXIT_USAGE)
        told = "; ".join([str(exc), *getattr(exc, "__notes__", [])])
        _fail(in_options(told, flags), code)
    except BrokenPipeError:  # whoever read our output has had enough
        hush()
        raise typer.Exit(0) from None
    except OSError as exc:  # of a path given here; the store translates its own
        if debug:
            raise
        _fail(f"{exc.filename}: {exc.strerror}" if exc.filename else str(exc), EXIT_USAGE)


def confirm_erasure(count: int) -> None:
    """Ask for consent to erase episodes; where nobody can be asked, refuse."""
    if not sys.stdin.isatty():
        _fail("erasing cannot be undone; add --yes to say that you mean it", EXIT_USAGE)
    question = f"Erase {count:,} episode{'' if count == 1 else 's'} for good?"
    typer.confirm(question, abort=True, err=True)


def _fail(message: str, code: int) -> None:
    complain(message)
    raise typer.Exit(code) from None


def hush() -> None:
    """Send buffered output nowhere, so that leaving has no closed pipe to complain about."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
