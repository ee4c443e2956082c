"""
The command line: parse, call one method of the engine, render.

Results go to stdout; progress, questions and errors to stderr. Exit codes:

* 0: done
* 1: a search, or a list of what a bank knows, found nothing, as grep has it; nothing could be read,
  or a check found problems. A number is an answer, 0 too, and so are a state, a report, and an
  empty list of banks, keys or what waits for somebody
* 2: the call makes no sense, a file it names cannot be used, or output has no room
* 3: the store said no
* 4: a model is missing, failed, or is not the one the store was made with
* 5: an optional package is missing
* 130: interrupted
"""

from __future__ import annotations

import contextlib
import gc
import os
import sys
import threading
import warnings
from io import BytesIO, TextIOWrapper
from typing import TYPE_CHECKING, Any, Final, NoReturn

if TYPE_CHECKING:
    from hippocampus.cli.commands import app

__all__ = ["app", "main", "start"]

_BRIEF: Final = frozenset(
    "recall explain context compact-session find count trend episodes sources show history stats"
    " status banks profile hook pin hold release feedback facts people summary gists".split()
)
"""Commands that ask or change one thing."""


def __getattr__(name: str) -> object:
    """Return the application, which is made for who looks at it; ``--version`` does without."""
    if name != "app":
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    from hippocampus.cli.commands import app  # noqa: PLC0415 - brings Typer and Rich

    return app


def _warn(message: Warning | str, *_: object, **__: object) -> None:
    """Tell a warning in a line, as an error; where it comes from tells nobody here anything."""
    from hippocampus.cli.render import complain  # noqa: PLC0415 - brings Rich

    complain(str(message))


def start() -> NoReturn:
    """
    Run the command line as a process of its own, which ends with it.

    What only a longer life pays for is left out of short commands: looking for garbage, and taking
    every module and object apart at the end. The store is closed and what was said is written.
    """
    _open_closed_streams()
    brief = sys.argv[1:2] and sys.argv[1] in _BRIEF
    if brief:
        gc.disable()
    code: object = 0
    try:
        main()
    except SystemExit as exc:
        code = exc.code or 0
    # A text in place of a number is for sys.exit() to print.
    if brief and isinstance(code, int) and not _is_watched():
        with contextlib.suppress(OSError, ValueError):  # nobody reads it, or it is closed already
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(code)
    sys.exit(code)  # type: ignore[arg-type]  # as it came


def _open_closed_streams() -> None:
    """
    Open the streams that were closed when this began: an empty stdin, a stdout that leads nowhere.

    Before anything else is opened: a file gets the lowest number that is free, and a store that had
    that of stdout would be written into by what is printed.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            nowhere = os.open(os.devnull, os.O_RDWR)  # in this order each gets its own number
            os.set_inheritable(nowhere, True)  # noqa: FBT003 - else programs that we start lack it
            setattr(sys, name, open(nowhere, mode, encoding="utf-8", errors="replace"))  # noqa: PTH123, SIM115 - for as long as this process lasts


def _is_watched() -> bool:
    """Return whether something in this process has yet to do its work: a profiler, a thread."""
    monitoring = getattr(sys, "monitoring", None)  # from Python 3.12 on
    watchers = [sys.gettrace(), sys.getprofile()]
    # It has six tools, by number; debuggers, coverage and profilers each have one of them.
    watchers += map(monitoring.get_tool, range(6)) if monitoring else ()
    return any(watchers) or threading.active_count() > 1


def _all_commands() -> dict[str, Any]:
    """Return the table of all commands, for a shell that completes them."""
    from hippocampus.cli.completion import make_table  # noqa: PLC0415 - brings all commands

    return make_table()


def main() -> None:
    """Run the command line and exit."""
    if sys.argv[1:] == ["--version"]:
        _run()
        return
    # Written out, so that the module that has this name is loaded only when a shell asks.
    if "_HIPPOCAMPUS_COMPLETE" in os.environ:
        from hippocampus.cli import completing  # noqa: PLC0415 - only when a shell asks

        if completing.answer(os.environ[completing.ASKED], sys.argv[1:], _all_commands):
            return
    from hippocampus.core.system import output_encoding  # noqa: PLC0415 - not for the above

    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a memory may hold what the terminal cannot show
            stream.reconfigure(encoding=output_encoding(stream), errors="replace")
    warnings.showwarning = _warn
    if sys.argv[1:2] and sys.argv[1] in _BRIEF:
        # Starting threads for matrix products takes longer than these have to compute. NumPy reads
        # it when it is loaded; what somebody has set stays.
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if os.environ.get("HIPPOCAMPUS_RESIDENT") or sys.argv[1:2] == ["hook"]:
        _run_in_resident()
    else:
        _run()


def _run_in_resident() -> None:
    """Have a resident process run the command; without one, do it and see to there being one."""
    from hippocampus.cli import resident  # noqa: PLC0415 - only when asked for

    args = sys.argv[1:]
    minutes = resident.wanted(args)
    if not minutes:
        _run()
        return
    given = b""
    if args[0] == "hook" or "-" in args:
        # Read once and put back: if nobody answers, the work is done here, and reads it again.
        given = sys.stdin.buffer.read()
        sys.stdin = TextIOWrapper(BytesIO(given), encoding="utf-8")
    if args[0] == "hook" and not any(arg.partition("=")[0] == "--at" for arg in args):
        # Should an answer not come and the work be done here, it is kept once: at the same time.
        from datetime import UTC, datetime  # noqa: PLC0415 - only when asked for

        sys.argv += ["--at", datetime.now(UTC).isoformat()]
    store = resident.store_of(args)
    try:
        code = resident.ask(sys.argv[1:], store, given)
    except OSError as exc:
        _end_unread(exc)
    except KeyboardInterrupt:
        code = 130  # as shells have it: 128 and the number of SIGINT
    if code is not None:
        sys.exit(code)
    try:
        _run()
    finally:
        sys.stdout.flush()
        with contextlib.suppress(OSError):  # no folder for it here: the next one works alone too
            resident.begin(args, store, minutes)  # after the work, which nobody waits longer for


def _run() -> None:
    """Run the application, or what is called often without it; tell where output has no room."""
    try:
        try:
            if not _done_without_typer(sys.argv[1:]):
                from hippocampus.cli.commands import app  # noqa: PLC0415 - brings Typer and Rich
                from hippocampus.cli.completion import prepare  # noqa: PLC0415 - likewise

                prepare()
                app()
        finally:
            with contextlib.suppress(ValueError):  # closed already
                sys.stdout.flush()
    except OSError as exc:
        if "--debug" in sys.argv and not isinstance(exc, BrokenPipeError):
            raise
        _end_unread(exc)


def _end_unread(exc: OSError) -> NoReturn:
    """End the process over output that nobody reads any more, or for which a disk has no room."""
    # As hush() does it, which would bring Typer; without it the flush at the end fails again.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    if isinstance(exc, BrokenPipeError):
        sys.exit(0)
    before = exc.__context__  # what this process was ending with when it wrote the last of it
    if isinstance(before, SystemExit) and before.code not in {None, 0, 1}:  # an error, told by now
        sys.exit(before.code)
    with contextlib.suppress(OSError):  # of stderr
        _warn(str(exc))
    # To agents that call hooks, 2 means a veto.
    sys.exit(1 if sys.argv[1:2] == ["hook"] else 2)


def _done_without_typer(args: list[str]) -> bool:
    """Run a frequent command, as far as its options are plain; return whether it is done."""
    done: bool | None = None
    if args == ["--version"]:
        from hippocampus.errors import VERSION  # noqa: PLC0415 - only when asked

        print(VERSION)
        done = True
    elif args[:1] == ["hook"]:
        from hippocampus.cli.hook_events import answer, read_call  # noqa: PLC0415 - only for it

        # None means that the options are not plain, and Typer is to read them.
        call = read_call(args[1:])
        done = None if call is None else answer(call)
    elif args[:1] == ["recall"]:
        from hippocampus.cli.recalled import recalled  # noqa: PLC0415 - only for it

        done = recalled(args[1:])
    if done is False:
        sys.exit(1)
    return bool(done)
