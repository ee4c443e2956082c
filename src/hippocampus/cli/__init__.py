"""
The command line: parse, call one method of the engine, render.

Results go to stdout; progress, questions and errors to stderr. Exit codes:

* 0: done
* 1: nothing relevant was found, nothing could be read, or a check found problems
* 2: the call makes no sense, or a file it names cannot be used
* 3: the store said no
* 4: a model is missing, failed, or is not the one the store was made with
* 5: an optional package is missing
* 130: interrupted
"""

from __future__ import annotations

import contextlib
import sys
import warnings
from io import TextIOWrapper

from hippocampus.cli.app import app
from hippocampus.cli.command import hush
from hippocampus.cli.completion import prepare
from hippocampus.cli.render import complain

__all__ = ["app", "main"]


def _warn(message: Warning | str, *_: object, **__: object) -> None:
    """Tell a warning in a line, as an error; where it comes from tells nobody here anything."""
    complain(str(message))


def main() -> None:
    """Run the command line and exit."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a memory may hold what the terminal cannot show
            stream.reconfigure(errors="replace")
    warnings.showwarning = _warn
    prepare()
    try:
        try:
            app()
        finally:
            with contextlib.suppress(ValueError):  # closed already
                sys.stdout.flush()
    except BrokenPipeError:
        hush()
        sys.exit(0)
