"""What texts say of whom, row by row: the statements that sleep has read, as bytes and back."""

from __future__ import annotations

import json
import zlib
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final, get_args

from hippocampus.errors import InputError
from hippocampus.model import Mode, Statement

FORMAT: Final = 1
_MODES: Final = get_args(Mode)
_MOST_BYTES: Final = 1 << 30


@dataclass(frozen=True)
class Statements:
    """
    What was read of the first ``length`` rows, by row; rows that say nothing are left out.

    ``heard``: who has spoken in each session so far, so that reading can go on. ``kept``: what a
    model has answered, by a digest of what it was shown, so as not to ask again.
    """

    length: int = 0
    rows: Mapping[int, tuple[Statement, ...]] = field(default_factory=dict)
    heard: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    kept: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def telling(self) -> Mapping[str, tuple[int, ...]]:
        """Which rows say something by each relation, ascending."""
        rows: defaultdict[str, list[int]] = defaultdict(list)
        for row, said in sorted(self.rows.items()):
            for relation in dict.fromkeys(statement.relation for statement in said):
                rows[relation].append(row)
        return {relation: tuple(found) for relation, found in rows.items()}


def pack(statements: Statements) -> bytes:
    """Return the bytes of statements; the same ones give the same bytes."""
    said = {
        "format": FORMAT,
        "length": statements.length,
        "rows": [[row, list(map(list, made))] for row, made in sorted(statements.rows.items())],
        "heard": {session: list(names) for session, names in statements.heard.items()},
        "kept": dict(statements.kept),
    }
    body = json.dumps(said, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
    return zlib.compress(body.encode(), 6)


def unpack(data: bytes) -> Statements:
    """
    Read the bytes of statements.

    Raises:
        InputError: they are not what ``pack`` wrote, or a later version wrote them; sleep makes
            them anew.

    """
    try:
        unpacking = zlib.decompressobj()
        said = json.loads(unpacking.decompress(data, _MOST_BYTES))
        if not unpacking.eof or said["format"] != FORMAT:
            msg = "facts: another version wrote them, or not all of them is there; sleep once more"
            raise InputError(msg)
        length = _count(said["length"])
        rows = {_count(row): _statements(made) for row, made in said["rows"]}
        heard = {session: tuple(map(_text, names)) for session, names in said["heard"].items()}
        kept = {digest: _text(answer) for digest, answer in said["kept"].items()}
    except InputError:
        raise
    except (zlib.error, ValueError, KeyError, TypeError, AttributeError, RecursionError) as exc:
        msg = f"facts: these bytes are damaged, or something else ({exc!r:.80}); sleep once more"
        raise InputError(msg) from exc
    if any(row >= length for row in rows):
        msg = f"facts: row {max(rows)} of {length}; sleep once more"
        raise InputError(msg)
    return Statements(length, rows, heard, kept)


def _count(given: Any) -> int:  # noqa: ANN401 - any JSON
    if isinstance(given, bool) or not isinstance(given, int) or given < 0:
        msg = f"{given!r:.40} is no number of rows"
        raise ValueError(msg)
    return given


def _text(given: Any) -> str:  # noqa: ANN401 - any JSON
    if not isinstance(given, str):
        msg = f"{given!r:.40} is no text"
        raise TypeError(msg)
    return given


def _statements(given: Any) -> tuple[Statement, ...]:  # noqa: ANN401 - any JSON
    made = []
    for subject, relation, thing, mode, start, end in given:
        words = all(isinstance(part, str) for part in (subject, relation, thing))
        times = all(at is None or type(at) is int for at in (start, end))
        if not (words and times and subject and relation and mode in _MODES):
            msg = f"{subject!r:.40} {relation!r:.40} is no statement"
            raise ValueError(msg)
        made.append(Statement(subject, relation, thing, mode, start, end))
    return tuple(made)
