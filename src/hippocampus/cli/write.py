"""The commands that change a bank: remember, import, correct, forget."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from rich.text import Text

from hippocampus.cli.command import confirm_erasure, verb
from hippocampus.cli.options import BankScope, Words, json_object
from hippocampus.cli.render import Answer, head_line, one_line, progress, table
from hippocampus.errors import InputError

if TYPE_CHECKING:
    from hippocampus.bank import Bank
    from hippocampus.core.records import Episode


@verb("remember", create=True, embed=True)
def remember(
    bank: Bank,
    text: Words,
    *,
    at: str | None = None,
    speaker: str | None = None,
    role: str | None = None,
    session: str | None = None,
    source: str | None = None,
    metadata: Annotated[Mapping[str, Any] | None, json_object] = None,
    origin: str | None = None,
    zone: tzinfo,
) -> Answer:
    """Keep one thing that happened."""
    kept = bank.remember(
        text, at=at, speaker=speaker, role=role, session=session, source=source, metadata=metadata,
        origin=origin,  # type: ignore[arg-type]  # it is looked at there
    )  # fmt: skip
    return _kept("remembered", kept, zone)


@verb("import", create=True, embed=True)
def import_(bank: Bank, path: Path, *, format: str | None = None) -> Answer:  # noqa: A002
    """Remember a file or a folder: notes, chat exports, mail, other memories, our own export."""
    with progress(f"remembering {path.name or path}") as step:
        done = bank.import_(path, format=format, progress=step)
    return Answer(
        done,
        f"{done.added:,} added, {done.unchanged:,} unchanged, {done.removed:,} withdrawn",
        note=(f"{len(done.unreadable):,} not read:", table(done.unreadable))
        if done.unreadable
        else (),
        success=bool(done.added or done.unchanged or done.removed),
    )


@verb("correct", embed=True)
def correct(bank: Bank, id: str, text: Words, *, zone: tzinfo) -> Answer:  # noqa: A002
    """Replace what an episode says; the old words stay in its history."""
    return _kept("corrected", bank.correct(id, text), zone)


@verb("forget", opens=None)
def forget(
    ids: list[str],
    *,
    erase: bool = False,
    undo: bool = False,
    yes: bool = False,
    scope: BankScope,
) -> Answer:
    """Hide episodes from every read; --undo brings them back, --erase leaves nothing to restore."""
    if erase and undo:
        msg = "--erase and --undo exclude each other; what is erased cannot come back"
        raise InputError(msg)
    if erase and not yes:
        confirm_erasure(len(ids))
    with scope.open_bank() as bank:
        changed = bank.restore(ids) if undo else bank.forget(ids, erase=erase)
    verb = "restored" if undo else "erased" if erase else "forgotten"
    return Answer({verb: changed}, f"{changed:,} {verb}")


def _kept(verb: str, episode: Episode, zone: tzinfo) -> Answer:
    return Answer(
        episode, (f"{verb} {episode.id}", head_line(episode, zone), Text(one_line(episode.text)))
    )
