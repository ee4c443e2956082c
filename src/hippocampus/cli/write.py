"""The commands that change a bank: remember, import, correct, forget."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hippocampus.cli.command import EXIT_NOTHING, EXIT_USAGE, command, confirm_erasure
from hippocampus.cli.options import BankScope, Json, json_object, text_or_stdin
from hippocampus.cli.render import (
    answer,
    complain,
    head_line,
    one_line,
    print_json,
    progress,
    stderr,
    stdout,
    table,
)

if TYPE_CHECKING:
    from hippocampus.core.records import Episode

PANEL = "Change"


def register(app: typer.Typer) -> None:
    """Add the commands to an app."""
    command(
        app,
        "remember",
        """hippocampus remember "I'm moving to Lisbon in March." --speaker Lena --at 2024-01-07""",
        "git log -1 --format=%B | hippocampus remember - --session repo --role tool",
        panel=PANEL,
    )(remember)
    command(
        app,
        "import",
        "hippocampus import ~/notes",
        "hippocampus import conversations.json --bank work",
        panel=PANEL,
    )(import_)
    command(
        app,
        "correct",
        'hippocampus correct 5f0c9a… "I\'m moving to Porto in March."',
        panel=PANEL,
    )(correct)
    command(
        app,
        "forget",
        "hippocampus forget 5f0c9a…",
        "hippocampus forget 5f0c9a… --undo",
        "hippocampus forget 5f0c9a… --erase --yes",
        panel=PANEL,
    )(forget)


def remember(
    text: Annotated[
        str, typer.Argument(help="The text to keep, in any words; - reads it from stdin.")
    ],
    *,
    at: Annotated[
        str | None,
        typer.Option(
            metavar="WHEN", help="The time at which it happened, ISO 8601; now otherwise."
        ),
    ] = None,
    speaker: Annotated[str | None, typer.Option(help="The person or agent that said it.")] = None,
    role: Annotated[str | None, typer.Option(help="user, assistant, tool, …")] = None,
    session: Annotated[str | None, typer.Option(help="The conversation it belongs to.")] = None,
    source: Annotated[str | None, typer.Option(help="The file or system it came from.")] = None,
    metadata: Annotated[
        str | None, typer.Option(metavar="JSON", help="An object to filter by.")
    ] = None,
    scope: BankScope,
    as_json: Json = False,
) -> None:
    """
    Keep one thing that happened.

    The same text by the same speaker at the same time is kept once. The store is made if missing.
    """
    extra = json_object(metadata, name="--metadata")
    said = text_or_stdin(text)
    with scope.open_bank(create=True, embed=True) as bank:
        kept = bank.remember(
            said, at=at, speaker=speaker, role=role, session=session, source=source, metadata=extra
        )
    _show_kept("remembered", kept, scope, as_json=as_json)


def import_(
    path: Annotated[Path, typer.Argument(help="A file or a folder.")],
    *,
    format: Annotated[  # noqa: A002 - as the option is called
        str | None,
        typer.Option(
            help="Read every file as this: hippocampus, document, messages, chatgpt, claude, mbox,"
            " eml, mem0, mcp-memory. By default each file tells."
        ),
    ] = None,
    scope: BankScope,
    as_json: Json = False,
) -> None:
    """
    Remember a file or a folder: notes, chat exports, mail, other memories, our own export.

    Doing it again changes only what changed. What cannot be read is listed, and the rest goes on.
    """
    with (
        scope.open_bank(create=True, embed=True) as bank,
        progress(f"remembering {path.name or path}") as step,
    ):
        done = bank.import_(path, format=format, progress=step)
    if as_json:
        print_json(done)
    else:
        stdout().print(
            f"{done.added:,} added, {done.unchanged:,} unchanged, {done.removed:,} withdrawn"
        )
        if done.skipped:
            stderr().print(f"{len(done.skipped):,} not read:")
            stderr().print(table(done.skipped))
    if not (done.added or done.unchanged or done.removed):
        raise typer.Exit(EXIT_NOTHING)


def correct(
    id: Annotated[str, typer.Argument(help="The episode, as recall shows it with --ids.")],  # noqa: A002
    text: Annotated[str, typer.Argument(help="The new text; - reads it from stdin.")],
    *,
    scope: BankScope,
    as_json: Json = False,
) -> None:
    """Replace what an episode says; the old words stay in its history."""
    said = text_or_stdin(text)
    with scope.open_bank(embed=True) as bank:
        kept = bank.correct(id, said)
    _show_kept("corrected", kept, scope, as_json=as_json)


def forget(
    ids: Annotated[list[str], typer.Argument(help="Episodes, as recall shows them with --ids.")],
    *,
    erase: Annotated[
        bool, typer.Option("--erase", help="Remove the words from the file, for good.")
    ] = False,
    undo: Annotated[bool, typer.Option("--undo", help="Bring forgotten episodes back.")] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Erase without asking.")] = False,
    scope: BankScope,
    as_json: Json = False,
) -> None:
    """
    Hide episodes from every read; --undo brings them back, --erase leaves nothing to bring back.

    'hippocampus verify --residue TEXT' proves that the words are gone.
    """
    if erase and undo:
        complain("--erase and --undo exclude each other; what is erased cannot come back")
        raise typer.Exit(EXIT_USAGE)
    if erase and not yes:
        confirm_erasure(len(ids))
    with scope.open_bank() as bank:
        changed = bank.restore(ids) if undo else bank.forget(ids, erase=erase)
    verb = "restored" if undo else "erased" if erase else "forgotten"
    answer({verb: changed}, f"{changed:,} {verb}", as_json=as_json)


def _show_kept(verb: str, episode: Episode, scope: BankScope, *, as_json: bool) -> None:
    if as_json:
        print_json(episode)
        return
    console = stdout()
    console.print(f"{verb} {episode.id}")
    console.print(head_line(episode, scope.zone))
    console.print(one_line(episode.text))
