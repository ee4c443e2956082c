"""The verbs of a bank and of a memory, each as a request to a server."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from hippocampus.calibrate.calibration import CONVERSATIONS, Calibration
from hippocampus.client.transport import LINES, Call, Line
from hippocampus.core.constraints import check_whole
from hippocampus.core.files import read_bytes, reading
from hippocampus.core.records import Embedder, Imported, Progress
from hippocampus.engine.context import check_name
from hippocampus.errors import InputError, ServerMismatch, SourceError
from hippocampus.sources import SourceProblem
from hippocampus.sources.walk import files_of
from hippocampus.verbs import STORE_VERBS, VerbSpec, path_of, to_json, to_query


class _Verbs:
    """Verbs on a server, each asked as its specification says."""

    def __init__(self, line: Line) -> None:
        self.line = line

    def _path(self, verb: str) -> str:
        return f"/v1/{verb}"

    def ask(self, spec: VerbSpec, /, *args: Any, **kwargs: Any) -> Any:  # noqa: ANN401
        """Ask a verb."""
        given = spec.bind(args, kwargs)
        progress = given.pop("progress", None)
        if spec.pages:
            return self._pages(spec, given)
        return self.line.follow(self._call(spec, given), progress, spec.returns)

    def _call(self, spec: VerbSpec, given: Mapping[str, Any]) -> Call:
        asked = spec.method == "GET"
        return Call(
            spec.method, self._path(spec.name), query=to_query(given) if asked else (),
            body=None if asked else to_json(given), reads=spec.reads,
            long=spec.long or spec.reports,
        )  # fmt: skip

    def _pages(self, spec: VerbSpec, given: dict[str, Any]) -> list[Any]:
        """Return a list that comes in pages, all of it, or as much as is wanted."""
        found: list[Any] = []
        most = given.get("limit")
        check_whole(limit=most, optional=True)
        while True:
            page, cursor = self.line.ask_page(self._call(spec, given), spec.returns)
            found += page
            if cursor is None or (most is not None and len(found) >= most):
                return found if most is None else found[:most]
            given["cursor"] = cursor
            if most is not None:
                given["limit"] = most - len(found)


class BankVerbs(_Verbs):
    """A bank on a server, and its verbs."""

    def __init__(self, line: Line, name: str) -> None:
        super().__init__(line)
        self.name = name

    def _path(self, verb: str) -> str:
        return path_of(self.name, verb)

    # ------------------------------------------------------------ files

    def export(self, path: str | Path, *, overwrite: bool = False) -> int:
        call = Call("GET", self._path("export"), reads=True, long=True, accept=LINES)

        def check(whole: Path) -> int:
            count = _episodes_of(whole)
            if count is None:
                msg = "the export has no end, so it is not all there; export once more"
                raise ServerMismatch(msg, url=self.line.url)
            return count

        return self.line.fetch(call, Path(path), overwrite=overwrite, check=check)

    def import_(
        self,
        path: str | Path,
        *,
        format: str | None = None,  # noqa: A002
        progress: Progress | None = None,
    ) -> Imported:
        root = Path(path)
        found = _files_of(root)
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
            call = Call("POST", self._path("import"), query=to_query(given), body=file, long=True)
            done: Imported = self.line.follow(call, None if many else progress, Imported)
            added, unchanged = added + done.added, unchanged + done.unchanged
            removed += done.removed
            skipped += done.skipped
            if progress and many:
                progress(nth, len(found))
        return Imported(added=added, unchanged=unchanged, removed=removed, skipped=tuple(skipped))

    def export_concepts(self, path: str | Path, *, overwrite: bool = False) -> int:
        call = Call("GET", self._path("export_concepts"), reads=True)

        def count(whole: Path) -> int:
            return len(msgspec.json.decode(whole.read_bytes())["entries"])

        return self.line.fetch(call, Path(path), overwrite=overwrite, check=count)

    def import_concepts(self, path: str | Path) -> int:
        document = read_bytes(path)
        call = Call("POST", self._path("import_concepts"), body=document)
        count: int = self.line.ask(call, int)
        return count

    def plot_topics(self, path: str | Path, *, overwrite: bool = False) -> None:
        wanted = Path(path).suffix.lstrip(".").lower() or "png"
        query = [("format", wanted)]
        call = Call("GET", self._path("plot_topics"), query=query, reads=True, long=True)
        self.line.fetch(call, Path(path), overwrite=overwrite, check=_whatever)


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


class StoreVerbs(_Verbs):
    """A memory on a server, and its verbs."""

    def banks(self, *, prefix: str = "", after: str = "", limit: int | None = None) -> list[str]:
        check_whole(limit=limit, optional=True)
        found: list[str] = []
        query = {"prefix": prefix, "limit": None if after else limit}
        while limit is None or len(found) < limit:
            call = Call("GET", "/v1/banks", query=to_query(query), reads=True)
            page, cursor = self.line.ask_page(call, list[str])
            found += [name for name in page if name > after]
            if cursor is None:
                break
            query["cursor"] = cursor
        return found[:limit]

    def delete_bank(self, name: str) -> None:
        self.line.ask(Call("DELETE", path_of(check_name(name)), long=True), None)

    def backup(
        self,
        target: str | Path,
        *,
        overwrite: bool = False,
        progress: Progress | None = None,
    ) -> None:
        call = Call("GET", "/v1/backup", reads=True, long=True)
        self.line.fetch(call, Path(target), progress, overwrite=overwrite, check=_whatever)

    def rebuild(self, *, embedder: Embedder | None = None, **given: Any) -> dict[str, int]:  # noqa: ANN401
        if embedder is not None:
            msg = f"embedder={embedder!r:.100}: a server has its own; choose it where it is started"
            raise InputError(msg)
        made: dict[str, int] = self.ask(STORE_VERBS["rebuild"], **given)
        return made

    def calibrate(self, *, conversations: int = CONVERSATIONS, **given: Any) -> Calibration:  # noqa: ANN401
        # Said always: a server of another version may have another default.
        spec = STORE_VERBS["calibrate"]
        found: Calibration = self.ask(spec, conversations=conversations, **given)
        return found
