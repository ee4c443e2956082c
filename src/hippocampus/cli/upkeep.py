"""The commands that look after a store: verify, doctor, reindex, reembed, compact and others."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from hippocampus.cli.command import EXIT_NOTHING, command, confirm_erasure
from hippocampus.cli.options import BankScope, Force, Json, Scope, text_or_stdin
from hippocampus.cli.render import answer, clean, print_json, progress, stdout, table
from hippocampus.errors import InputError

PANEL = "Look after"
_MARKS = {True: ("✓", "green"), False: ("✗", "bold red"), None: ("·", "dim")}


def register(app: typer.Typer) -> None:
    """Add the commands to an app."""
    command(
        app,
        "verify",
        "hippocampus verify",
        'hippocampus verify --residue "the words that were erased"',
        panel=PANEL,
    )(verify)
    command(app, "doctor", "hippocampus doctor --store agent.db", panel=PANEL)(doctor)
    command(
        app,
        "reindex",
        "hippocampus reindex --bank work",
        "hippocampus reindex --signatures",
        panel=PANEL,
    )(reindex)
    command(
        app,
        "reembed",
        "hippocampus reembed default",
        "hippocampus reembed openai:nomic-embed-text@http://localhost:11434/v1",
        panel=PANEL,
    )(reembed)
    command(
        app,
        "calibrate",
        "hippocampus calibrate --dry-run",
        "hippocampus calibrate --embedder openai:nomic-embed-text@http://localhost:11434/v1",
        panel=PANEL,
    )(calibrate)
    command(
        app, "compact", "hippocampus compact --dry-run", "hippocampus compact --yes", panel=PANEL
    )(compact)
    command(app, "backup", "hippocampus backup memory-2024-05-01.db", panel=PANEL)(backup)
    command(
        app,
        "export",
        "hippocampus export me.jsonl",
        "hippocampus import me.jsonl --store elsewhere.db",
        panel=PANEL,
    )(export)


def verify(
    *,
    residue: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="Also search the raw files for it; - reads stdin."),
    ] = None,
    scope: Scope,
    as_json: Json = False,
) -> None:
    """
    Check the store against itself, and that what was erased is gone.

    Checked are the database, every text, every index and the journal; with --residue, also that a
    text is in no episode and nowhere in the raw files. Exits with 1 when something is wrong.
    """
    from hippocampus import upkeep  # noqa: PLC0415 - the engine, only when used

    words = None if residue is None else text_or_stdin(residue)
    with scope.open() as memory, progress("verifying") as step:
        found = upkeep.verify(memory, residue=words, progress=step)
    if as_json:
        print_json(found)
    else:
        console = stdout()
        for problem in found.problems:
            console.print(clean(problem), style="red", soft_wrap=True)
        for place in found.residue or ():
            line = f"{place.where}: the text is still there, at {place.offset:,}"
            console.print(clean(line), style="red", soft_wrap=True)
        checked = ", ".join(f"{number:,} {what}" for what, number in found.checked.items())
        gone = "; no residue of the text" if found.residue == () else ""
        console.print(f"{'sound' if found.sound else 'NOT SOUND'}: checked {checked}{gone}")
    if not found.sound:
        raise typer.Exit(EXIT_NOTHING)


def doctor(*, scope: Scope, as_json: Json = False) -> None:
    """
    Say what is installed, what runs, and how the store is.

    Exits with 1 when something is not well.
    """
    from hippocampus import upkeep  # noqa: PLC0415 - the engine, only when used

    rows = upkeep.doctor(Path(scope.path))
    answer(
        [{"what": what, "value": value, "ok": ok} for what, value, ok in rows],
        table((Text(*_MARKS[ok]), Text(what), value) for what, value, ok in rows),
        as_json=as_json,
    )
    if any(ok is False for _, _, ok in rows):
        raise typer.Exit(EXIT_NOTHING)


def reindex(
    *,
    bank: Annotated[
        str | None, typer.Option(metavar="NAME", help="Only this bank; all of them otherwise.")
    ] = None,
    signatures: Annotated[
        bool | None,
        typer.Option(
            "--signatures/--no-signatures",
            help="Also sign tokens, for a search without an embedder, or drop what was signed;"
            " by default as the store has it.",
        ),
    ] = None,
    scope: Scope,
    as_json: Json = False,
) -> None:
    """
    Make every index anew from the texts.

    What is there stays in use until the new one is complete; stopped half-way, it goes on.
    """
    from hippocampus import upkeep  # noqa: PLC0415 - the engine, only when used

    if bank is not None and signatures is False:
        msg = f"--no-signatures --bank {bank}: a store signs all banks or none; leave --bank out"
        raise InputError(msg)
    with scope.open(embed=True, sign=signatures) as memory, progress("reindexing") as step:
        done = upkeep.reindex(memory, bank=bank, progress=step)
    _show_done(done, as_json=as_json)


def reembed(
    target: Annotated[
        str, typer.Argument(metavar="SPEC", help="The embedder to move to; see --embedder.")
    ] = "default",
    *,
    scope: Scope,
    as_json: Json = False,
) -> None:
    """
    Move the store to another embedder, in place.

    Stopped half-way, it goes on where it was; until the end the store answers as before.
    """
    from hippocampus import upkeep  # noqa: PLC0415 - the engine, only when used

    scope.check()
    with progress("reembedding") as step:
        done = upkeep.reembed(scope.path, target, progress=step)
    _show_done(done, as_json=as_json)


def _show_done(done: dict[str, int], *, as_json: bool) -> None:
    rows = [(name, f"{number:,}") for name, number in done.items()]
    answer(done, table(rows, "bank", "episodes"), as_json=as_json)


def calibrate(
    *,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Only show what would be kept.")
    ] = False,
    scope: Scope,
    as_json: Json = False,
) -> None:
    """
    Find out what the embedder's numbers mean, and let every default go by it.

    Conversations that are made up are remembered and asked about; what an embedder says of them
    gives its thresholds and weights, which are kept in the store. The default embedder's are built
    in; run this once after moving to another.
    """
    with scope.open(embed=True) as memory, progress("calibrating") as step:
        found = memory.calibrate(dry_run=dry_run, progress=step)
    if as_json:
        print_json(found)
        return
    rows = [(r.name, f"{r.value:g}", f"{r.default:g}", r.rule) for r in found.explain()]
    console = stdout()
    console.print(clean(f"{found.embedder}, by {found.conversations} conversations"))
    console.print(table(rows, "", "value", "default", "rule"))
    kept = "kept in the store, for this embedder; the next sleep ranks what lies under anchors anew"
    console.print("not kept: --dry-run" if dry_run else kept)


def compact(
    *,
    superseded: Annotated[
        bool,
        typer.Option(
            "--superseded", help="Also the earlier wordings of what was corrected or merged."
        ),
    ] = False,
    faded: Annotated[
        bool, typer.Option("--faded", help="Also the words that faded memories no longer show.")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would go.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Remove without asking.")] = False,
    scope: BankScope,
    as_json: Json = False,
) -> None:
    """
    Remove for good what was forgotten, and give its space back.

    Until then 'forget --undo' brings it back. Others go on reading and writing.
    """
    with scope.open_bank() as bank:
        if not (dry_run or yes):
            would = bank.compact(superseded=superseded, faded=faded, dry_run=True)
            confirm_erasure(would.forgotten + would.superseded + would.faded)
        with progress("compacting") as step:
            done = bank.compact(superseded=superseded, faded=faded, dry_run=dry_run, progress=step)
    if as_json:
        print_json(done)
        return
    what = f"{done.forgotten:,} forgotten"
    if superseded:
        what += f" and {done.superseded:,} superseded"
    if faded:
        what += f" and {done.faded:,} faded texts shortened"
    if dry_run:
        stdout().print(f"{what} would be removed; the bank takes {done.bytes_before:,} bytes")
    else:
        stdout().print(
            f"{what} removed; {done.bytes_before:,} bytes before, {done.bytes_after:,} now"
        )


def backup(
    target: Annotated[Path, typer.Argument(help="The file to write.")],
    *,
    force: Force = False,
    scope: Scope,
    as_json: Json = False,
) -> None:
    """Write a complete copy of the store while others go on reading and writing."""
    with scope.open() as memory, progress("backing up") as step:
        memory.backup(target, overwrite=force, progress=step)
    nbytes = target.stat().st_size
    answer({"path": target, "nbytes": nbytes}, f"{target}: {nbytes:,} bytes", as_json=as_json)


def export(
    target: Annotated[Path, typer.Argument(help="The JSONL file to write.")],
    *,
    force: Force = False,
    scope: BankScope,
    as_json: Json = False,
) -> None:
    """Write everything in a bank, in any state, to a file that 'import' reads back whole."""
    with scope.open_bank() as bank:
        written = bank.export(target, overwrite=force)
    answer(
        {"path": target, "episodes": written}, f"{target}: {written:,} episodes", as_json=as_json
    )
