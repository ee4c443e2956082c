"""The commands that look after a store: verify, doctor, reindex, reembed, compact and others."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from rich.text import Text

from hippocampus.cli.command import confirm_erasure, verb
from hippocampus.cli.options import Scope, key_of, text_or_stdin
from hippocampus.cli.render import Answer, number_of, progress, table
from hippocampus.core.files import check_output
from hippocampus.core.key import Key
from hippocampus.core.store_address import is_url
from hippocampus.errors import InputError

if TYPE_CHECKING:
    from hippocampus.bank import Bank
    from hippocampus.memory import Memory

_MARKS = {True: ("✓", "green"), False: ("✗", "bold red"), None: ("·", "dim")}


@verb("verify", opens="memory")
def verify(
    memory: Memory,
    *,
    residue: Annotated[str | None, text_or_stdin] = None,
    chain: str | None = None,
    data_directory: Path | None = None,
) -> Answer:
    """Check the database, texts, indexes and journal of a store, and that erased words are gone."""
    from hippocampus import upkeep  # noqa: PLC0415 - the engine, only when used

    with progress("verifying") as step:
        heads = () if chain is None else (chain,)
        found = upkeep.verify(memory, residue=residue, chain=heads, progress=step)
        if data_directory is not None:
            found = upkeep.verify_folder(found, data_directory, residue)
    left = [f"{p.where}: the text is still there, at {p.offset:,}" for p in found.residue or ()]
    checked = ", ".join(number_of(n, what.removesuffix("s")) for what, n in found.checked.items())
    gone = "; no residue of the text" if found.residue == () else ""
    gone += " where it was looked for" if gone and found.unseen else ""
    return Answer(
        found,
        (
            f"{'sound' if found.sound else 'NOT SOUND'}: checked {checked}{gone}",
            *(Text(f"not looked at: {place}", style="dim") for place in found.unseen),
            *(Text(f"journal head: {head}", style="dim") for head in found.heads),
        ),
        problems=[*found.problems, *left],
        success=found.sound,
    )


@verb("scan", opens="memory")
def scan(memory: Memory) -> Answer:
    """List the places of keys, passwords, card or identity numbers, and addresses in a store."""
    from hippocampus import upkeep  # noqa: PLC0415 - the engine, only when used

    with progress("scanning") as step:
        found = upkeep.scan(memory, progress=step)
    rows = [(one.bank, one.id or "", one.where, ", ".join(one.kinds)) for one in found]
    return Answer(
        found,
        table(rows, "bank", "id", "where", "holds") if rows else "nothing that looks like a secret",
        success=not found,
    )


@verb("doctor", opens=None)
def doctor(*, repair: bool = False, salvage: Path | None = None, scope: Scope) -> Answer:
    """Report on the installation and on the store."""
    from hippocampus import upkeep  # noqa: PLC0415 - the engine, only when used

    if salvage is not None:
        return _salvage(scope, salvage)
    if repair:
        with scope.open() as memory:
            upkeep.redate(memory)
    rows = upkeep.doctor(scope.path, key=scope.key)
    return Answer(
        [{"what": what, "value": value, "ok": ok} for what, value, ok in rows],
        table((Text(*_MARKS[ok]), Text(what), value) for what, value, ok in rows),
        success=all(ok is not False for _, _, ok in rows),
    )


def _salvage(scope: Scope, target: Path) -> Answer:
    from hippocampus.salvage import check_source, salvage  # noqa: PLC0415 - only when used

    if is_url(scope.path):
        msg = (
            "--salvage: is for stores in a file; restore a database with its own backups, or copy"
            " sound banks out of it with 'hippocampus move' or 'export'"
        )
        raise InputError(msg)
    scope.check()
    # What can be refused is refused before a new store is made.
    check_source(scope.path, key=scope.key)
    check_output(target, overwrite=False)
    opened = scope.memory(target, create=True, embed=True, key=scope.key)
    with opened as new, progress("salvaging") as step:
        found = salvage(scope.path, new, key=scope.key, progress=step)
    rows = [(name, f"{number:,}") for name, number in found.banks.items()]
    whole = f"{target}: {len(found.lost):,} things were lost" if found.lost else f"{target}: all"
    return Answer(found, (whole, table(rows, "bank", "episodes")), problems=list(found.lost))


@verb("reindex", opens=None)
def reindex(
    *,
    bank: str | None = None,
    signatures: bool | None = None,
    spans: bool | None = None,
    scope: Scope,
) -> Answer:
    """Make every index anew from the texts."""
    from hippocampus import upkeep  # noqa: PLC0415 - the engine, only when used

    if bank is not None and signatures is False:
        msg = f"--no-signatures --bank {bank}: a store signs all banks or none; leave --bank out"
        raise InputError(msg)
    if bank is not None and spans is False:
        msg = (
            f"--no-spans --bank {bank}: a store notes spans in all banks or none; leave --bank out"
        )
        raise InputError(msg)
    with (
        scope.open(embed=True, sign=signatures, spans=spans) as memory,
        progress("reindexing") as step,
    ):
        return _done(upkeep.reindex(memory, bank=bank, progress=step))


@verb("reembed", opens=None)
def reembed(target: str = "default", *, scope: Scope) -> Answer:
    """Move the store to another embedder, in place."""
    from hippocampus import upkeep  # noqa: PLC0415 - the engine, only when used

    scope.check()
    with progress("reembedding") as step:
        return _done(upkeep.reembed(scope.path, target, key=scope.key, progress=step))


def _done(done: dict[str, int]) -> Answer:
    rows = [(name, f"{number:,}") for name, number in done.items()]
    return Answer(done, table(rows, "bank", "episodes"))


@verb("calibrate", opens="memory", embed=True)
def calibrate(memory: Memory, *, dry_run: bool = False) -> Answer:
    """Fit thresholds and weights to the embedder, and keep them in the store as its defaults."""
    with progress("calibrating") as step:
        found = memory.calibrate(dry_run=dry_run, progress=step)
    rows = [(r.name, f"{r.value:g}", f"{r.default:g}", r.rule) for r in found.explain()]
    kept = "kept in the store, for this embedder; the next sleep ranks what lies under anchors anew"
    return Answer(
        found,
        (
            f"{found.embedder}, by {found.conversations} conversations",
            table(rows, "", "value", "default", "rule"),
            "not kept: --dry-run" if dry_run else kept,
        ),
    )


@verb("compact")
def compact(
    bank: Bank,
    *,
    superseded: bool = False,
    faded: bool = False,
    dry_run: bool = False,
    yes: bool = False,
) -> Answer:
    """Remove forgotten memories for good; what comes next takes their space in the file."""
    if not (dry_run or yes):
        would = bank.compact(superseded=superseded, faded=faded, dry_run=True)
        confirm_erasure(would.forgotten + would.superseded + would.faded)
    with progress("compacting") as step:
        done = bank.compact(superseded=superseded, faded=faded, dry_run=dry_run, progress=step)
    what = f"{done.forgotten:,} forgotten"
    if superseded:
        what += f" and {done.superseded:,} superseded"
    if faded:
        what += f" and {done.faded:,} faded texts shortened"
    would_go = f"{what} would be removed; the bank takes {done.bytes_before:,} bytes"
    went = f"{what} removed; {done.bytes_before:,} bytes before, {done.bytes_after:,} now"
    return Answer(done, would_go if dry_run else went)


@verb("shrink", opens="memory")
def shrink(memory: Memory) -> Answer:
    """Make the file as small as what it holds; nobody else writes to the store meanwhile."""
    from hippocampus import upkeep  # noqa: PLC0415 - the engine, only when used

    before, after = upkeep.shrink(memory)
    return Answer(
        {"bytes_before": before, "bytes_after": after},
        f"{before:,} bytes before, {after:,} now",
    )


@verb("backup", opens=None)
def backup(target: Path, *, restore: bool = False, force: bool = False, scope: Scope) -> Answer:
    """Write a complete copy of the store while others go on reading and writing."""
    if restore:
        return _restore(target, scope, force=force)
    with scope.open() as memory, progress("backing up") as step:
        memory.backup(target, overwrite=force, progress=step)
    nbytes = target.stat().st_size
    return Answer({"path": target, "nbytes": nbytes}, f"{target}: {nbytes:,} bytes")


def _restore(backup: Path, scope: Scope, *, force: bool) -> Answer:
    from hippocampus.restoring import restore_backup  # noqa: PLC0415 - only when used

    scope.make_folder()
    with progress("restoring") as step:
        done = restore_backup(backup, scope.path, key=scope.key, force=force, progress=step)
    checked = ", ".join(number_of(n, what.removesuffix("s")) for what, n in done.checked.items())
    lines = [f"{scope.path}: restored from {backup}; sound: {checked}"]
    if done.former is not None:
        lines.append(f"the former store: {done.former}")
    return Answer(done, lines)


@verb("export")
def export(bank: Bank, target: Path, *, force: bool = False) -> Answer:
    """Write everything in a bank, in any state, to a file that 'import' reads back whole."""
    written = bank.export(target, overwrite=force)
    return Answer(
        {"path": target, "episodes": written}, f"{target}: {number_of(written, 'episode')}"
    )


@verb("move", opens=None)
def move(
    source: str,
    target: str,
    *,
    bank: list[str] | None = None,
    as_: str | None = None,
    key: Annotated[Key | None, key_of] = None,
    target_key: Annotated[Key | None, key_of] = None,
) -> Answer:
    """Copy banks into another store, a file or PostgreSQL, and compare what came of it."""
    from hippocampus import moving  # noqa: PLC0415 - the engine, only when used

    with progress("moving") as step:
        moved = moving.move(
            source, target, banks=bank, as_=as_, key=key, target_key=target_key, progress=step
        )
    rows = [
        (one.bank, one.outcome, f"{one.episodes:,}", f"{one.changes:,}", one.digest)
        for one in moved.banks
    ]
    written = [
        f"bank {one.bank!r}: {one.behind:,} changes were made in the source meanwhile; move again"
        for one in moved.banks
        if one.behind
    ]
    refused = [one.problem for one in moved.banks if one.outcome == "refused"]
    return Answer(
        moved,
        table(rows, "bank", "", "episodes", "changes", "digest"),
        problems=[*refused, *written],
        success=moved.whole,
    )
