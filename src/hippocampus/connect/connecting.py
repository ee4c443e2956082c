"""Changes of configurations: thought out first, shown, and made only if nothing moved meanwhile."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple, TypeAlias

from hippocampus.connect.clients import CLIENTS, Calls, ClientProgram, ConfigFile, Places
from hippocampus.connect.differences import difference
from hippocampus.connect.entries import ConfigEntry, Conflict, Format, changed_at, put, take
from hippocampus.connect.jsonc import SyntaxFault, parse
from hippocampus.connect.receipts import PlacedEntry, Receipt, Receipts, hash_of
from hippocampus.core.files import read_bytes, writing
from hippocampus.core.lazy_dataclass import immutable
from hippocampus.errors import InputError, OutputError

_MOST_BYTES: Final = 64 << 20
"""Bytes of a configuration, which is read whole, checked and written anew. Chosen by hand."""


@immutable
class Refusal:
    """A file that is left as it is, and why."""

    client: ClientProgram
    path: Path
    why: str


@immutable
class ConfigChange:
    """A file as it is and as it is to be; None where there is none."""

    client: ClientProgram
    path: Path
    before: bytes | None
    after: bytes | None
    receipt: Receipt | None
    """Receipt to note; None if the earlier one is to be forgotten."""
    original: bytes | None = None
    """The file without anything of ours, of which a copy is kept."""
    left: tuple[str, ...] = ()
    """Entries of ours that were changed since, and are left as they are."""

    @property
    def changes(self) -> bool:
        """Return whether anything would be written."""
        return self.before != self.after

    def diff(self) -> Iterator[str]:
        """Return the lines of a unified difference, without what is the user's alone."""
        return difference(str(self.path), self.before, self.after)

    def apply(self, receipts: Receipts) -> None:
        """
        Make the change, and note it.

        Raises:
            OutputError: the file has changed since this was thought out, or cannot be written.

        """
        # Even where nothing is written: a receipt is only dropped of a file that is as it was seen.
        _refuse_if_moved(self.path, self.before)
        name, key = self.client.name, str(self.path)
        if self.receipt is None:
            if self.changes:
                replace(self.path, self.before, self.after)
            receipts.drop(name, key)
            return
        with receipts.noting(name, self.receipt, self.original):
            if self.changes:
                replace(self.path, self.before, self.after)


Planned: TypeAlias = ConfigChange | Refusal


def replace(path: Path, before: bytes | None, after: bytes | None) -> None:
    """
    Write the new text of a file, at once or not at all; links and permissions stay.

    Raises:
        OutputError: it is not as it was ``before``, or cannot be written.

    """
    if after is None:
        _refuse_if_moved(path, before)
        Path(os.path.realpath(path)).unlink()  # not a link to it, which is the user's
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as exc:
        raise OutputError(f"its folder cannot be made: {exc.strerror}", path=path) from exc
    with writing(path, overwrite=True) as unfinished:
        unfinished.write_bytes(after)
        if before is not None:
            # A new file is its owner's alone, and this one may not have been.
            unfinished.chmod(stat.S_IMODE(path.stat().st_mode))
        # Looked at again as late as can be: nothing but the renaming follows.
        _refuse_if_moved(path, before)


def _refuse_if_moved(path: Path, before: bytes | None) -> None:
    if _read(path) != before:
        msg = "was changed by somebody else meanwhile, and is left as it is; try again"
        raise OutputError(msg, path=path)


def _read(path: Path) -> bytes | None:
    try:
        return read_bytes(path)
    except FileNotFoundError:
        return None


# ---------------------------------------------------------------- connect


def plan_connect(
    client: ClientProgram,
    places: Places,
    calls: Calls,
    receipts: Receipts,
    *,
    hooks: bool = True,
    project: bool = False,
) -> list[Planned]:
    """
    Return the changes that connecting a client makes, file by file.

    Args:
        client: the program.
        places: where its files are.
        calls: how it is to call us; ``PROJECT_CALLS`` from files of a project.
        receipts: what was put where before.
        hooks: whether hooks are wanted, where it has any; those of ours go where they are not.
        project: whether the project's own files are meant, not the user's.

    """
    known = receipts.of(client.name)
    planned = list[Planned]()
    if project and not client.project_files:
        able = ", ".join(one.name for one in CLIENTS if one.project_files)
        why = f"it reads no file of a project; of those that are known {able} do"
        return [Refusal(client=client, path=places.project, why=why)]
    for file in client.project_files if project else client.files:
        path = file.at(places)
        try:
            if project:
                _refuse_if_outside(path, places.project)
            entries = [*file.entries(calls), *(file.hooks(calls) if hooks else ())]
            receipt = known.get(str(path))
            if entries:
                wanted = _Wanted(client, file, path, entries)
                planned.append(_plan_file(wanted, receipt, receipts))
            elif receipt is not None:  # hooks that are no longer wanted
                planned.append(_plan_removal(client, receipt, receipts))
        except _FAULTS as exc:
            # One that cannot be changed keeps none of the others from it.
            planned.append(Refusal(client=client, path=path, why=_why(exc)))
    return planned


def _refuse_if_closed(path: Path) -> None:
    """Refuse to write a file that nobody may write: somebody has closed it on purpose."""
    if path.exists() and not stat.S_IMODE(path.stat().st_mode) & 0o222:
        raise Conflict("is read-only, and is left as it is; make it writable to have it changed")


def _refuse_if_outside(path: Path, project: Path) -> None:
    """Refuse to write a project's file that is another one, by a link that came with it."""
    real = Path(os.path.realpath(path))
    if not real.is_relative_to(os.path.realpath(project)):
        raise Conflict(f"leads out of the project, to {real}; it is left as it is")


class _Wanted(NamedTuple):
    client: ClientProgram
    file: ConfigFile
    path: Path
    entries: Sequence[ConfigEntry]


class _Filled(NamedTuple):
    text: str
    placed: tuple[PlacedEntry, ...]


def _plan_file(wanted: _Wanted, receipt: Receipt | None, receipts: Receipts) -> ConfigChange:
    client, file, path, entries = wanted
    raw = _read_config(path)
    try:
        # All of it is there, maybe put by hand: there is nothing to write, and nothing to note.
        whole = raw is not None and not _filled(raw.decode(), file, entries).placed
        if whole and not _has_others(receipt, entries):
            return ConfigChange(client=client, path=path, before=raw, after=raw, receipt=receipt)
    except Conflict:
        # What stands in the way may be an older entry of ours, which is taken out below.
        if receipt is None:
            raise
    clean = raw
    _refuse_if_closed(path)
    if receipt is not None:
        stripped = _without(client, raw, file.format, receipt, receipts)
        if stripped.left:
            raise Conflict(f"{stripped.left[0]}; it is left as it is")
        clean = stripped.raw
    # Begun from the file without ours, so that one receipt says all that is to be taken back.
    text, placed = _filled((clean or b"").decode(), file, entries)
    after = text.encode()
    note = Receipt(str(path), clean is None, hash_of(after), placed)
    return ConfigChange(
        client=client, path=path, before=raw, after=after, receipt=note, original=clean
    )


def _has_others(receipt: Receipt | None, entries: Sequence[ConfigEntry]) -> bool:
    """Return whether hooks of ours were put there that are no longer wanted."""
    placed = () if receipt is None else receipt.placed
    return any(one.entry.appends and one.entry not in entries for one in placed)


def _filled(text: str, file: ConfigFile, entries: Iterable[ConfigEntry]) -> _Filled:
    """Return a text with all entries of ours, and those that were not there yet."""
    placed = list[PlacedEntry]()
    for usual in entries:
        entry = _instead(text, file, usual)
        done = put(text, file.format, entry)
        if done.text != text:
            placed.append(PlacedEntry(entry, done.made))
        text = done.text
    return _Filled(text, tuple(placed))


def _instead(text: str, file: ConfigFile, entry: ConfigEntry) -> ConfigEntry:
    """Return an entry under the path that a file has in the place of the usual one."""
    other = file.instead.get(entry.path)
    if other is None or not text.strip():
        return entry
    at: Any = parse(text).value
    for key in other[:-1]:
        at = at.get(key) if isinstance(at, Mapping) else None
    # A server may itself be called "servers"; then the values in it are not all objects.
    servers = isinstance(at, Mapping) and all(isinstance(one, Mapping) for one in at.values())
    return entry._replace(path=other) if servers else entry


# ---------------------------------------------------------------- disconnect


def plan_disconnect(client: ClientProgram, receipts: Receipts) -> list[Planned]:
    """Return the changes that take back a connection, file by file."""
    planned = list[Planned]()
    for receipt in receipts.of(client.name).values():
        try:
            planned.append(_plan_removal(client, receipt, receipts))
        except _FAULTS as exc:
            planned.append(Refusal(client=client, path=Path(receipt.path), why=_why(exc)))
    return planned


def _plan_removal(client: ClientProgram, receipt: Receipt, receipts: Receipts) -> ConfigChange:
    path = Path(receipt.path)
    # A receipt does not say which it is.
    kind: Format = "toml" if path.suffix == ".toml" else "json"
    raw = _read_config(path)
    after, left = _without(client, raw, kind, receipt, receipts)
    if after != raw:
        _refuse_if_closed(path)
    return ConfigChange(client=client, path=path, before=raw, after=after, receipt=None, left=left)


class _Stripped(NamedTuple):
    raw: bytes | None
    left: tuple[str, ...] = ()


def _without(
    client: ClientProgram, raw: bytes | None, kind: Format, receipt: Receipt, receipts: Receipts
) -> _Stripped:
    """Return a file without what a receipt says; byte for byte as it was, if nobody wrote since."""
    if raw is None or not raw.strip():  # somebody has emptied it
        return _Stripped(None if receipt.created else raw)
    if hash_of(raw) == receipt.after:
        if receipt.created:
            return _Stripped(None)
        copy = _read(receipts.copy_of(client.name, receipt.path))
        if copy is not None:
            return _Stripped(copy)
    text, left = raw.decode(), list[str]()
    # The first entry has the containers that were made; it goes last, when they are empty.
    for entry, made in reversed(receipt.placed):
        taken = take(text, kind, entry, made)
        if taken is not None:
            text = taken
        elif line := changed_at(text, kind, entry):
            left.append(f"line {line}: {'.'.join(entry.path)} was changed since it was connected")
    if receipt.created and text.strip() in {"", "{}"}:
        return _Stripped(None, tuple(left))
    return _Stripped(text.encode(), tuple(left))


# ---------------------------------------------------------------- what goes wrong

_FAULTS: Final = (SyntaxFault, Conflict, InputError, UnicodeDecodeError, OSError)


def _read_config(path: Path) -> bytes | None:
    """Return a whole configuration, which is UTF-8; None if there is none."""
    raw = _read(path)
    if raw is not None:
        if len(raw) > _MOST_BYTES:
            raise Conflict("is too large for a configuration")
        raw.decode()  # fails here, before anything is planned
    return raw


def _why(exc: Exception) -> str:
    if isinstance(exc, UnicodeDecodeError):
        return "is not UTF-8, and is left as it is"
    if isinstance(exc, SyntaxFault):
        return f"{exc}; it is left as it is until that is mended"
    if isinstance(exc, OSError):
        return exc.strerror or str(exc)
    return str(exc)
