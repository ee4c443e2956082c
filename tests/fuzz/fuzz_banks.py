"""
Whole banks: a store that somebody made up, its checksums right, and verbs with any arguments.

A store's input is a JSON list of what is written to it, each ``[table, ...]``; the verbs that read
must then answer, or raise an error of ours. A call's is a byte that chooses, and its arguments.
"""

from __future__ import annotations

import atexit
import json
import warnings
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import anyio
from mcp.server.mcpserver.exceptions import ToolError

from hippocampus import Memory, Turn
from hippocampus.core.events import JournalRow
from hippocampus.core.records import Block
from hippocampus.errors import HippocampusError
from hippocampus.mcp import create_server
from hippocampus.testing import HashEmbedder, ManualClock
from hippocampus.upkeep import verify
from hippocampus.verbs import BANK_VERBS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hippocampus.bank import Bank

_NOW: Final = datetime(2025, 6, 1, 12, tzinfo=UTC)
_SAID: Final = (
    "I live in Graz with my brother Paul.", "My dentist is Doctor Weber.",
    "We painted the old boat blue.", "My dentist Doctor Weber has moved to Linz.",
)  # fmt: skip
_MOST_CALLS: Final = 100
"""Calls after which a bank begins anew, or its size would be what is measured."""


@contextmanager
def _told() -> Iterator[Memory]:
    embedder, clock = HashEmbedder(16), ManualClock(_NOW)
    with Memory(":memory:", embedder=embedder, clock=clock) as memory:
        memory.bank("ada").remember_many(
            [Turn(text=text, speaker="Ada", at=_NOW - timedelta(days=9)) for text in _SAID]
        )
        yield memory


# ---------------------------------------------------------------- stores


def stores(data: bytes) -> None:
    """Read a store into which somebody has written."""
    try:
        edits = json.loads(data)
    except (ValueError, RecursionError):
        return
    with _told() as memory:
        for edit in edits if isinstance(edits, list) else ():
            # What the store itself does not take is no row that anybody reads.
            with suppress(*_NOT_TAKEN), memory.engine.store.write():
                _write(memory, edit)
        with warnings.catch_warnings():  # of what is damaged, and left out of lists
            warnings.simplefilter("ignore", RuntimeWarning)
            for read in _READS:
                with suppress(HippocampusError):
                    read(memory)


_NOT_TAKEN: Final = (
    HippocampusError, ValueError, TypeError, LookupError, OverflowError, AttributeError,
)  # fmt: skip


def _write(memory: Memory, edit: Any) -> None:
    store = memory.engine.store
    match edit:
        case ["journal", str(kind), row, at, detail]:
            told = detail if isinstance(detail, str) else json.dumps(detail)
            seq = store.journal.last_seq(1) + 1
            store.journal.append(1, [JournalRow(seq, int(at), kind, row, told)])
        case ["setting", str(key), value]:
            told = value if isinstance(value, str) else json.dumps(value)
            store.settings.put(key, told)
        case ["episode", dict(fields)]:
            row = store.episodes.read(1, [0])[0]._replace(**fields)
            row = row._replace(row=store.episodes.count(1), digest=b"")
            store.episodes.add(1, [row])
        case ["payload", str(kind), int(row), str(payload)]:
            store.payloads.put(1, kind, [(row, bytes.fromhex(payload))])
        case ["block", str(kind), int(first), int(count), str(payload)]:
            store.payloads.put_block(1, kind, Block(first, count, bytes.fromhex(payload)))
        case _:
            return


def _each(bank: Bank) -> None:
    for episode in bank.episodes():
        with suppress(HippocampusError):
            bank.history(episode.id)
            bank.uses(episode.id)
            bank.related(episode.id)


_READS: Final = (
    lambda memory: memory.bank("ada").recall("Where is the dentist?"),
    lambda memory: memory.bank("ada").context("Where is the dentist?", 300),
    lambda memory: memory.bank("ada").find("dentist"),
    lambda memory: _each(memory.bank("ada")),
    lambda memory: memory.bank("ada").journal(),
    lambda memory: memory.bank("ada").stats(),
    lambda memory: memory.bank("ada").sleeps(),
    lambda memory: memory.bank("ada").policy,
    lambda memory: memory.bank("ada").facts(),
    lambda memory: memory.bank("ada").gists(),
    lambda memory: memory.bank("ada").topics(),
    lambda memory: memory.bank("ada").anchors(),
    lambda memory: memory.bank("ada").summary(),
    lambda memory: memory.bank("ada").quarantine(),
    lambda memory: memory.bank("ada").remember("It rains in Linz."),
    lambda memory: memory.bank("ada").sleep(),
    verify,
)


# ---------------------------------------------------------------- calls


class _Lasting:
    """A memory for some calls, and the server of tools over it."""

    def __init__(self) -> None:
        self.calls = 0
        self._begin()

    def _begin(self) -> None:
        self._kept = _told()
        self.memory = self._kept.__enter__()
        self.server = create_server(lambda: self.memory, bank="ada", all_banks=True)
        self.graph = create_server(lambda: self.memory, bank="graph", compat=True)

    def take(self) -> _Lasting:
        """Return it, anew after some calls."""
        self.calls += 1
        if self.calls % _MOST_CALLS == 0:
            self._kept.__exit__(None, None, None)
            self._begin()
        return self


@cache
def _lasting() -> _Lasting:
    made = _Lasting()
    atexit.register(_lasting.cache_clear)  # or its index outlives the native module
    return made


_VERBS: Final = [spec for spec in BANK_VERBS.values() if not spec.long]


_PAGE: Final = ("cursor", "limit")


def verbs(data: bytes) -> None:
    """Call a verb with the arguments that a request gives."""
    spec = _VERBS[(data[0] if data else 0) % len(_VERBS)]
    given = spec.from_json(data[1:])
    named = {n: v for n, v in given.named.items() if not (spec.pages and n in _PAGE)}
    spec.function(_lasting().take().memory.bank("ada"), *given.positional, **named)


def tools(data: bytes) -> None:
    """Call a tool with the arguments that a model gives."""
    try:
        arguments = json.loads(data[1:])
    except (ValueError, RecursionError):
        return
    if not isinstance(arguments, dict):
        return  # which the protocol refuses
    held, which = _lasting().take(), data[0]
    server = held.graph if which >= 128 else held.server
    names = sorted(server._known)
    try:
        anyio.run(server.call_tool, names[which % len(names)], arguments)
    except ToolError as exc:
        raise exc.__cause__ or exc from exc
