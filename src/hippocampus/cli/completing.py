"""
Answers a shell that asks how a line may go on, at each press of a key: without Typer.

Commands and options come from a table that is made once per installation, and kept in the user's
cache. Where it cannot be kept, it is made each time.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Final, TypeAlias

from hippocampus.errors import VERSION

PROGRAM: Final = "hippocampus"
ASKED: Final = f"_{PROGRAM.upper()}_COMPLETE"
"""The variable by which a shell asks what a line may go on with."""
Table: TypeAlias = dict[str, Any]
Found: TypeAlias = Iterator[tuple[str, str]]


def _words(found: Found) -> Iterator[str]:
    return (word for word, _ in found)


def _described(found: Found) -> Iterator[str]:
    # To zsh the first colon ends the word and begins its description.
    return (f"{word.replace(':', chr(92) + ':')}:{told}" for word, told in found)


def _tabbed(found: Found) -> Iterator[str]:
    return (f"{word}\t{told}" for word, told in found)


WAYS: Final = {"words": _words, "described": _described, "tabbed": _tabbed}
"""Ways to write an answer: for bash, for zsh, for fish."""


def answer(way: str, words: Sequence[str], make_table: Callable[[], Table]) -> bool:
    """
    Print completions of the last of some words; return whether a shell asked for them.

    ``make_table``: makes the table of all commands, where none is kept.
    """
    if way not in WAYS:
        return False
    for line in WAYS[way](complete(table(make_table), words)):
        print(line)
    return True


def complete(known: Table, words: Sequence[str]) -> Found:
    """Yield the completions of the last word, and what each means."""
    *before, current = words or [""]
    node, wanted = known, None
    for word in before:
        option = node["options"].get(word)
        # This word is the value of the option before it.
        if wanted is not None:
            wanted = None
        elif option is not None:
            wanted = option if option["takes"] else None
        elif word in node["commands"]:
            node = node["commands"][word]
    if wanted is not None:
        yield from ((value, "") for value in wanted["values"] if value.startswith(current))
    elif current.startswith("-"):
        yield from _starting(node["options"], current)
    else:
        yield from _starting(node["commands"], current)
        for word, told in node.get("words", {}).items():
            if word.startswith(current) and word not in before:
                yield word, told


def _starting(named: Mapping[str, Mapping[str, Any]], current: str) -> Found:
    return ((name, one["help"]) for name, one in named.items() if name.startswith(current))


# ---------------------------------------------------------------- the table


def table(make_table: Callable[[], Table]) -> Table:
    """Return all commands and options, from the cache if that is of this very installation."""
    path, stamp = _cache(), _stamp()
    with suppress(OSError, ValueError, KeyError, TypeError):
        with open(path, encoding="utf-8") as file:  # noqa: PTH123 - pathlib takes long to import
            kept = json.load(file)
        if kept["stamp"] == stamp:
            made: Table = kept["table"]
            return made
    made = make_table()
    # Where nothing can be kept, completion takes longer and works all the same.
    with suppress(OSError):
        _keep(path, json.dumps({"stamp": stamp, "table": made}))
    return made


def _keep(path: str, text: str) -> None:
    folder = os.path.dirname(path)  # noqa: PTH120 - as above
    os.makedirs(folder, exist_ok=True)  # noqa: PTH103
    # Several shells may ask at once: each writes a file of its own.
    unfinished = f"{path}.{os.getpid()}"
    with open(unfinished, "w", encoding="utf-8", newline="\n") as file:  # noqa: PTH123
        file.write(text)
    os.replace(unfinished, path)  # noqa: PTH105


def _cache() -> str:
    if sys.platform == "darwin":
        given = os.path.expanduser("~/Library/Caches")  # noqa: PTH111
    elif sys.platform == "win32":
        given = os.environ.get("LOCALAPPDATA") or os.path.expanduser("~")  # noqa: PTH111
    else:
        given = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")  # noqa: PTH111
    return os.path.join(given, PROGRAM, "completion.json")  # noqa: PTH118


def _stamp() -> str:
    """Return a stamp that changes with the commands: ours, or those other packages bring."""
    here = os.path.dirname(__file__)  # noqa: PTH120
    with os.scandir(here) as files:
        # __pycache__ changes whenever anything is compiled.
        latest = max(file.stat().st_mtime_ns for file in files if not file.name.startswith("__"))
    # A package that is installed changes the time of the folder it goes into.
    packages = [path for path in sys.path if path.endswith("-packages")]
    times = [os.stat(path).st_mtime_ns for path in packages if os.path.isdir(path)]  # noqa: PTH112, PTH116
    return f"{VERSION} {sys.prefix} {latest} {times}"
