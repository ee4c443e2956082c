"""The verbs of a bank and of a memory, each described once, as a coroutine that asks a server."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from hippocampus.calibrate.calibration import CONVERSATIONS, Calibration
from hippocampus.client.arguments import (
    given_to,
    gives,
    listed,
    path_of,
    takes_progress,
    to_json,
    to_query,
)
from hippocampus.client.transport import LINES, Call, Line
from hippocampus.core.files import read_bytes, reading
from hippocampus.core.records import Embedder, Imported, Progress, Slept
from hippocampus.engine.context import check_limit, check_name
from hippocampus.errors import InputError, ServerMismatch, SourceError
from hippocampus.sleep.schedule import Schedule
from hippocampus.sources import SourceProblem
from hippocampus.sources.walk import files_of
from hippocampus.wire import VERBS, Verb


class BankVerbs:
    """A bank on a server, and its verbs as coroutines."""

    def __init__(self, line: Line, name: str) -> None:
        self.line, self.name = line, name

    async def ask(self, name: str, verb: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
        """Ask a verb of ``Bank``."""
        given = {n: listed(value) for n, value in given_to(verb, args, kwargs).items()}
        progress, how = given.pop("progress", None), VERBS[name]
        if how.pages:
            return await self._pages(name, how, gives(verb), given)
        call = self._call(name, how, given)
        if takes_progress(verb):
            call = call._replace(long=True)
        return await self.line.follow(call, progress, gives(verb))

    def _call(self, name: str, how: Verb, given: Mapping[str, Any]) -> Call:
        asked = how.method == "GET"
        return Call(
            how.method, path_of(self.name, name), query=to_query(given) if asked else (),
            body=None if asked else to_json(given), reads=how.role == "read", long=how.long,
        )  # fmt: skip

    async def _pages(self, name: str, how: Verb, kind: Any, given: dict[str, Any]) -> list[Any]:  # noqa: ANN401
        """Return a list that comes in pages, all of it, or as much as is wanted."""
        found: list[Any] = []
        most = given.get("limit")
        check_limit(most)
        while True:
            page, cursor = await self.line.ask_page(self._call(name, how, given), kind)
            found += page
            if cursor is None or (most is not None and len(found) >= most):
                return found if most is None else found[:most]
            given["cursor"] = cursor
            if most is not None:
                given["limit"] = most - len(found)

    # ------------------------------------------------------------ files

    async def export(self, path: str | Path, *, overwrite: bool = False) -> int:
        call = Call("GET", path_of(self.name, "export"), reads=True, long=True, accept=LINES)

        def check(whole: Path) -> int:
            count = _episodes_of(whole)
            if count is None:
                msg = "the export has no end, so it is not all there; export once more"
                raise ServerMismatch(msg, url=self.line.url)
            return count

        return await self.line.fetch(call, Path(path), overwrite=overwrite, check=check)

    async def import_(
        self,
        path: str | Path,
        *,
        format: str | None = None,  # noqa: A002
        progress: Progress | None = None,
    ) -> Imported:
        root = Path(path)
        found = await self.line.world.do(lambda: _files_of(root))
        many = len(found) > 1
        added = unchanged = removed = 0
        skipped: list[tuple[str, str]] = []
        for nth, (name, file) in enumerate(found, 1):
            if isinstance(file, SourceProblem):
                skipped.append((file.path, file.reason))
                continue
            try:
                modified = datetime.fromtimestamp(file.stat().st_mtime, UTC)
                with reading(file):
                    pass
            except SourceError as exc:
                skipped.append((name, str(exc).removeprefix(f"{file}: ")))
                continue
            except OSError as exc:
                skipped.append((name, exc.strerror or str(exc)))
                continue
            given = {"name": name, "modified": modified, "format": format}
            call = Call(
                "POST", path_of(self.name, "import"), query=to_query(given), body=file, long=True
            )
            done: Imported = await self.line.follow(call, None if many else progress, Imported)
            added, unchanged = added + done.added, unchanged + done.unchanged
            removed += done.removed
            skipped += done.skipped
            if progress and many:
                progress(nth, len(found))
        return Imported(added=added, unchanged=unchanged, removed=removed, skipped=tuple(skipped))

    async def export_concepts(self, path: str | Path, *, overwrite: bool = False) -> int:
        call = Call("GET", path_of(self.name, "export_concepts"), reads=True)

        def count(whole: Path) -> int:
            return len(msgspec.json.decode(whole.read_bytes())["entries"])

        return await self.line.fetch(call, Path(path), overwrite=overwrite, check=count)

    async def import_concepts(self, path: str | Path) -> int:
        document = await self.line.world.do(lambda: read_bytes(path))
        call = Call("POST", path_of(self.name, "import_concepts"), body=document)
        count: int = await self.line.ask(call, int)
        return count

    async def plot_topics(self, path: str | Path, *, overwrite: bool = False) -> None:
        wanted = Path(path).suffix.lstrip(".").lower() or "png"
        query = [("format", wanted)]
        call = Call("GET", path_of(self.name, "plot_topics"), query=query, reads=True, long=True)
        await self.line.fetch(call, Path(path), overwrite=overwrite, check=_whatever)


def _whatever(_: Path) -> None:
    """Take a file that needs no checking."""


def _files_of(root: Path) -> list[tuple[str, Path | SourceProblem]]:
    if not root.exists():
        raise SourceError("no such file or folder", path=root)
    return list(files_of(root))


def _episodes_of(export: Path) -> int | None:
    """Return how many episodes an export says at its end that it has."""
    last = b""
    with export.open("rb") as file:
        for line in file:
            last = line
    with suppress(msgspec.MsgspecError):
        end: dict[str, dict[str, int]] = msgspec.json.decode(last, type=dict[str, dict[str, int]])
        return end["end"]["episodes"] if "end" in end else None
    return None


class StoreVerbs:
    """A memory on a server, and its verbs as coroutines."""

    def __init__(self, line: Line) -> None:
        self.line = line

    async def banks(
        self, *, prefix: str = "", after: str = "", limit: int | None = None
    ) -> list[str]:
        check_limit(limit)
        found: list[str] = []
        query = {"prefix": prefix, "limit": None if after else limit}
        while limit is None or len(found) < limit:
            call = Call("GET", "/v1/banks", query=to_query(query), reads=True)
            page, cursor = await self.line.ask_page(call, list[str])
            found += [name for name in page if name > after]
            if cursor is None:
                break
            query["cursor"] = cursor
        return found[:limit]

    async def delete_bank(self, name: str) -> None:
        await self.line.ask(Call("DELETE", path_of(check_name(name)), long=True), None)

    async def backup(
        self,
        target: str | Path,
        *,
        overwrite: bool = False,
        progress: Progress | None = None,
    ) -> None:
        call = Call("GET", "/v1/backup", reads=True, long=True)
        await self.line.fetch(call, Path(target), progress, overwrite=overwrite, check=_whatever)

    async def rebuild(
        self,
        *,
        banks: Sequence[str] | None = None,
        embedder: Embedder | None = None,
        progress: Progress | None = None,
    ) -> dict[str, int]:
        if embedder is not None:
            msg = f"embedder={embedder!r:.100}: a server has its own; choose it where it is started"
            raise InputError(msg)
        named = {} if banks is None else {"banks": list(banks)}
        made: dict[str, int] = await self._long("rebuild", named, progress, dict[str, int])
        return made

    async def calibrate(
        self,
        *,
        conversations: int = CONVERSATIONS,
        dry_run: bool = False,
        progress: Progress | None = None,
    ) -> Calibration:
        how = {"conversations": conversations, "dry_run": dry_run}
        found: Calibration = await self._long("calibrate", how, progress, Calibration)
        return found

    async def sleep_if_due(self, schedule: Schedule | None = None) -> list[Slept]:
        named = {"schedule": schedule}
        slept: list[Slept] = await self._long("sleep_if_due", named, None, list[Slept])
        return slept

    async def _long(
        self,
        verb: str,
        given: Mapping[str, Any],
        progress: Progress | None,
        kind: Any,  # noqa: ANN401
    ) -> Any:  # noqa: ANN401
        call = Call("POST", f"/v1/{verb}", body=to_json(given), long=True)
        return await self.line.follow(call, progress, kind)
