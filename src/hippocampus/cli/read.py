"""The commands that only read: recall, context, episodes, show, history, stats, banks."""

from __future__ import annotations

import json
import sys
from dataclasses import fields
from typing import Annotated

import typer
from rich.text import Text

from hippocampus.cli.command import EXIT_NOTHING, command
from hippocampus.cli.options import (
    BankScope,
    Cues,
    Filters,
    Json,
    Now,
    Scope,
    cue_names,
    moment,
    text_or_stdin,
)
from hippocampus.cli.render import (
    clean,
    head_line,
    moment_text,
    print_json,
    recall_view,
    stderr,
    stdout,
    table,
)
from hippocampus.model import Change

PANEL_ASK = "Ask"
PANEL_LOOK = "Look"


def register_recall(app: typer.Typer) -> None:
    """Add the commands that answer questions."""
    command(
        app,
        "recall",
        'hippocampus recall "where does Lena live?"',
        'hippocampus recall "what did we decide last week?" --speaker Priya --explain',
        "hippocampus recall \"the leak\" --where '{\"project\": \"house\"}' --json",
        panel=PANEL_ASK,
    )(recall)
    command(
        app,
        "context",
        'hippocampus context "plan the trip with me" --budget 1500 --recent 6',
        panel=PANEL_ASK,
    )(context)


def register(app: typer.Typer) -> None:
    """Add the commands that look at what is there."""
    command(
        app,
        "episodes",
        "hippocampus episodes --newest --limit 5",
        "hippocampus episodes --session s01 --json | jq -r '.[].text'",
        panel=PANEL_LOOK,
    )(episodes)
    command(app, "show", "hippocampus show 5f0c9a…", panel=PANEL_LOOK)(show)
    command(
        app,
        "history",
        "hippocampus history 5f0c9a…",
        "hippocampus history --after 1200 --limit 50",
        panel=PANEL_LOOK,
    )(history)
    command(app, "stats", "hippocampus stats --bank work", panel=PANEL_LOOK)(stats)
    command(app, "banks", "hippocampus banks --store agent.db", panel=PANEL_LOOK)(banks)


def recall(
    query: Annotated[
        str, typer.Argument(help="A question or a few words; - reads it from stdin.")
    ],
    *,
    k: Annotated[int, typer.Option("-k", "--hits", help="Most hits to return.")] = 5,
    cues: Cues = None,
    now: Now = None,
    full: Annotated[bool, typer.Option("--full", help="Show texts whole.")] = False,
    ids: Annotated[bool, typer.Option("--ids", help="Show the episodes' ids.")] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say how it was found and what each step cost.")
    ] = False,
    filters: Filters,
    scope: BankScope,
    as_json: Json = False,
) -> None:
    """
    Find what bears on a question. Exits with 1 when nothing relevant is there.

    Times in the question count: "in March", "last week", "between May and July 2023".
    """
    words = text_or_stdin(query)
    moment_ = moment(now, name="--now")
    with scope.open_bank(embed=True) as bank:
        found = bank.recall(words, k, cues=cue_names(cues), now=moment_, **filters.given())
        zone = bank.zone
    if as_json:
        print_json(found)
    elif explain:
        stdout().print(clean(found.explain()), soft_wrap=True)
    else:
        for part in recall_view(found, zone, ids=ids, **({"limit": None} if full else {})):
            stdout().print(part)
    if not found.found:
        raise typer.Exit(EXIT_NOTHING)
