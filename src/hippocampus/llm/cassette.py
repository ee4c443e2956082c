"""Recorded requests and answers of a server, in a file that answers them again."""

from __future__ import annotations

import json
import re
import threading
from collections import defaultdict
from collections.abc import Callable, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, Literal, NamedTuple

from hippocampus.core.files import check_output, read_text
from hippocampus.errors import InputError, NotRecorded, SourceError

_SECRET: Final = re.compile(r"\b(sk|pk|rk)-[\w-]{16,}|\bBearer [\w.~+/-]{8,}=*")
"""API keys of the usual kinds, wherever they come up."""


class Exchange(NamedTuple):
    """A server's answer: status, content type and body."""

    status: int
    content_type: str
    body: bytes


class Cassette:
    """
    Answers of servers in a file of JSON lines that a person can read.

    A request is known by its path and body; keys, headers and hosts are neither kept nor compared.
    Asked again, it gives what was answered first, second, and so on; the last from then on.

    Args:
        path: the file.
        mode: ``"replay"`` asks nobody, and refuses what it does not have; ``"record"`` begins anew
            and asks the server each time; ``"extend"`` asks for what is not there yet.

    Raises:
        SourceError: the file is not there, or is no such file.

    """

    def __init__(
        self, path: str | Path, *, mode: Literal["replay", "record", "extend"] = "replay"
    ) -> None:
        if mode not in ("replay", "record", "extend"):
            msg = f"mode={mode!r}: must be 'replay', 'record' or 'extend'"
            raise InputError(msg)
        self.path = Path(path)
        self.mode = mode
        self._lock = threading.Lock()
        self._answers: defaultdict[str, list[Exchange]] = defaultdict(list)
        self._played: defaultdict[str, int] = defaultdict(int)
        if mode != "replay":
            # A cassette may be written over, a store never.
            check_output(self.path, overwrite=True)
        if mode == "record":
            self.path.write_bytes(b"")
        elif mode == "replay" or self.path.exists():
            self._read()

    def play(
        self,
        path: str,
        asked: Mapping[str, Any],
        ask: Callable[[], Exchange],
        *,
        hide: tuple[str, ...] = (),
    ) -> Exchange:
        """
        Return the recorded answer to a request, or ask and keep it.

        ``hide``: what must not be in the file, wherever it comes up.

        Raises:
            NotRecorded: it replays, and does not have it.

        """
        key = _key(path, asked)
        if self.mode != "record":
            with self._lock:
                known = self._answers.get(key)
                if known:
                    at = self._played[key]
                    self._played[key] += 1
                    return known[min(at, len(known) - 1)]
        if self.mode == "replay":
            msg = (
                f"{self.path}: POST {path} {json.dumps(asked, ensure_ascii=False):.200} is not"
                f" recorded ({key}); record it with Cassette(…, mode='extend')"
            )
            raise NotRecorded(msg)
        got = ask()
        self._keep(key, path, asked, got, hide)
        return got

    def _keep(
        self, key: str, path: str, asked: Mapping[str, Any], got: Exchange, hide: tuple[str, ...]
    ) -> None:
        kept = {
            "key": key,
            "request": {"method": "POST", "path": path, "body": asked},
            "response": {
                "status": got.status,
                "content_type": got.content_type,
                "body": got.body.decode("utf-8", "replace"),
            },
        }
        line = json.dumps(_scrubbed(kept, hide), ensure_ascii=False)
        with self._lock:
            self._answers[key].append(got)
            self._played[key] += 1
            with self.path.open("a", encoding="utf-8", errors="replace", newline="\n") as file:
                file.write(line + "\n")

    def _read(self) -> None:
        try:
            lines = read_text(self.path).split("\n")
        except (OSError, UnicodeDecodeError) as exc:
            msg = f"no cassette can be read from it ({exc})"
            raise SourceError(msg, path=self.path) from exc
        for number, line in enumerate(lines, 1):
            if not line.strip():
                continue
            try:
                kept = json.loads(line)
                response = kept["response"]
                status, kind, body = (response[part] for part in ("status", "content_type", "body"))
                self._answers[str(kept["key"])].append(
                    Exchange(int(status), str(kind), body.encode())
                )
            except (ValueError, LookupError, TypeError, AttributeError, RecursionError) as exc:
                msg = f"line {number} is not what a cassette has recorded"
                raise SourceError(msg, path=self.path) from exc


def _scrubbed(value: Any, hide: tuple[str, ...]) -> Any:  # noqa: ANN401 - any JSON
    if isinstance(value, str):
        for secret in hide:
            value = value.replace(secret, "[key]")
        return _SECRET.sub("[key]", value)
    if isinstance(value, Mapping):
        return {name: _scrubbed(part, hide) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_scrubbed(part, hide) for part in value]
    return value


def _key(path: str, asked: Mapping[str, Any]) -> str:
    # Keys sorted: the same request may be put together in another order.
    same = json.dumps(["POST", path, asked], sort_keys=True, separators=(",", ":"))
    return blake2b(same.encode(), digest_size=16).hexdigest()
