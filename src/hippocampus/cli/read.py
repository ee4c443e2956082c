"""The commands that only read: recall, context, find, count, trend, episodes, show and more."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from hippocampus.cli.command import EXIT_NOTHING, command
from hippocampus.cli.options import (
    BankScope,
    Cues,
    FilterOptions,
    Json,
    Limit,
    Newest,
    Now,
    Offset,
    Scope,
    cue_names,
    moment,
    text_or_stdin,
)
from hippocampus.cli.render import (
    EXCERPT,
    answer,
    clean,
    head_line,
    marked,
    moment_text,
    print_json,
    recall_view,
    stderr,
    stdout,
    table,
    trend_view,
)

if TYPE_CHECKING:
    from hippocampus.core.records import Change, Episode

PANEL_ASK = "Ask"
PANEL_LOOK = "Look"


def register(app: typer.Typer) -> None:
    """Add the commands to an app."""
    command(
        app,
        "recall",
        'hippocampus recall "where does Lena live?"',
        'hippocampus recall "what did we decide last week?" --speaker Priya --explain',
        'hippocampus recall "the leak" --where \'{"project": "house"}\' --json',
        panel=PANEL_ASK,
    )(recall)
    command(
        app,
        "context",
        'hippocampus context "plan the trip with me" --budget 1500 --recent 6',
        panel=PANEL_ASK,
    )(context)
    command(
        app,
        "find",
        "hippocampus find lisbon --newest",
        'hippocampus find "new york" flight --since 2024-01-01 --json',
        panel=PANEL_ASK,
    )(find)
    command(
        app,
        "count",
        "hippocampus count lisbon",
        'hippocampus count "new york" --since 2024-01-01 --speaker Lena',
        panel=PANEL_ASK,
    )(count)
    command(
        app,
        "trend",
        "hippocampus trend lisbon --by month",
        "hippocampus trend coffee --since 2024-01-01 --until 2024-03-31 --json",
        panel=PANEL_ASK,
    )(trend)
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
    query: Annotated[str, typer.Argument(help="A question or a few words; - reads it from stdin.")],
    *,
    k: Annotated[int, typer.Option("-k", "--hits", help="Most hits to return.")] = 5,
    cues: Cues = None,
    now: Now = None,
    full: Annotated[bool, typer.Option("--full", help="Show texts whole.")] = False,
    ids: Annotated[bool, typer.Option("--ids", help="Show the episodes' ids.")] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Say how it was found and what each step cost.")
    ] = False,
    filters: FilterOptions,
    scope: BankScope,
    as_json: Json = False,
) -> None:
    """
    Find the memories that answer a question, and say why.

    Times in the question count: "in March", "last week", "between May and July 2023". Exits with 1
    when nothing relevant is there; then the nearest are shown, and marked as that.
    """
    words = text_or_stdin(query)
    moment_ = moment(now, name="--now")
    with scope.open_bank(embed=True) as bank:
        found = bank.recall(words, k, cues=cue_names(cues), now=moment_, **filters.given())
    if as_json:
        print_json(found)
    elif explain:
        stdout().print(clean(found.explain()), soft_wrap=True)
    else:
        for part in recall_view(found, scope.zone, ids=ids, limit=None if full else EXCERPT):
            stdout().print(part)
    if not found.found:
        raise typer.Exit(EXIT_NOTHING)


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptOptions:
    """The parts of a prompt beside what is recalled, and how many there are of each."""

    system: Annotated[str, typer.Option(help="Text that comes first.")] = ""
    persona: Annotated[str, typer.Option(help="A description of the agent.")] = ""
    projects: Annotated[str, typer.Option(help="The projects under way.")] = ""
    summary: Annotated[
        str | None,
        typer.Option(
            help="A summary of the conversation so far; the bank's own by default, '' for none."
        ),
    ] = None
    user: Annotated[str, typer.Option(help="The user's message, which comes last.")] = ""
    recent: Annotated[int, typer.Option(help="How many last turns to add.")] = 0
    pointers: Annotated[
        int, typer.Option(help="Most addresses to name of what there was no room for.")
    ] = 0
    gists: Annotated[
        int, typer.Option(help="Most gists to add of what was found, once they are mature.")
    ] = 0
    without: Annotated[
        list[str] | None,
        typer.Option(help="A text that the prompt has anyway, and is not said twice; repeatable."),
    ] = None

    def given(self) -> dict[str, Any]:
        """Return the arguments for the engine."""
        return {f.name: getattr(self, f.name) for f in fields(self)} | {
            "without": self.without or ()
        }


def context(
    query: Annotated[str, typer.Argument(help="The subject of the prompt; - reads it from stdin.")],
    *,
    budget_tokens: Annotated[
        int, typer.Option("--budget-tokens", "--budget", help="Most tokens of the whole text.")
    ] = 3500,
    k: Annotated[int, typer.Option("-k", "--hits", help="Most memories to consider.")] = 50,
    prompt: PromptOptions,
    cues: Cues = None,
    now: Now = None,
    filters: FilterOptions,
    scope: BankScope,
    as_json: Json = False,
) -> None:
    """
    Compose a prompt-ready text of the memories that answer a question, within a budget of tokens.

    The text goes to stdout as it is; how full the budget is, to stderr.
    """
    words = text_or_stdin(query)
    moment_ = moment(now, name="--now")
    with scope.open_bank(embed=True) as bank:
        made = bank.context(
            words, budget_tokens, k=k, cues=cue_names(cues), now=moment_, **prompt.given(),
            **filters.given(),
        )  # fmt: skip
    if as_json:
        print_json(made)
        return
    # A program gets every byte; a terminal nothing that could steer it.
    print(clean(made.text) if sys.stdout.isatty() else made.text)
    stderr().print(
        f"{made.tokens:,} of {made.budget_tokens:,} tokens: {len(made.items):,} memories,"
        f" {len(made.left_out):,} left out",
        style="dim",
    )


def find(
    terms: Annotated[
        list[str],
        typer.Argument(metavar="TERM", help="Words or phrases; - reads one from stdin."),
    ],
    *,
    limit: Limit = 20,
    offset: Offset = 0,
    newest: Newest = False,
    radius: Annotated[
        int | None,
        typer.Option(
            metavar="BITS", help="In a signed store: by signatures, which may differ so much."
        ),
    ] = None,
    filters: FilterOptions,
    scope: BankScope,
    as_json: Json = False,
) -> None:
    """
    List the memories that have a word or phrase in them; of several, all.

    Exactly: letter case aside, whole words only, in order of time. Exits with 1 when there is none.
    """
    words = [text_or_stdin(term) for term in terms]
    with scope.open_bank() as bank:
        found = bank.find(
            *words, limit=limit, offset=offset, newest=newest, radius=radius, **filters.given()
        )
    _list(found, scope, as_json=as_json)
    if not found:
        raise typer.Exit(EXIT_NOTHING)


def count(
    term: Annotated[str, typer.Argument(help="A word or phrase; - reads it from stdin.")],
    *,
    filters: FilterOptions,
    scope: BankScope,
    as_json: Json = False,
) -> None:
    """
    Count how often a word or phrase came up.

    Exactly: letter case aside, whole words only, in everything the filters let it see.
    """
    words = text_or_stdin(term)
    with scope.open_bank() as bank:
        times = bank.count(words, **filters.given())
    answer({"term": words, "count": times}, f"{times}", as_json=as_json)


def trend(
    term: Annotated[str, typer.Argument(help="A word or phrase; - reads it from stdin.")],
    *,
    by: Annotated[
        str, typer.Option(metavar="PERIOD", help="Periods of a day, week, month or year.")
    ] = "week",
    filters: FilterOptions,
    scope: BankScope,
    as_json: Json = False,
) -> None:
    """
    Show how often a word or phrase came up, period by period.

    Counted as by 'count'. Weeks begin on Monday. A stretch without any takes one line.
    """
    words = text_or_stdin(term)
    with scope.open_bank() as bank:
        found = bank.trend(words, by, **filters.given())  # type: ignore[arg-type]  # it looks
    answer({"term": words, "by": by, "periods": found}, trend_view(found, by), as_json=as_json)


def episodes(
    *,
    limit: Limit = 20,
    offset: Offset = 0,
    newest: Newest = False,
    filters: FilterOptions,
    scope: BankScope,
    as_json: Json = False,
) -> None:
    """List memories in order of time."""
    with scope.open_bank() as bank:
        found = bank.episodes(limit=limit, offset=offset, newest=newest, **filters.given())
    _list(found, scope, as_json=as_json)


def _list(found: list[Episode], scope: BankScope, *, as_json: bool) -> None:
    rows = [
        (e.id, head_line(e, scope.zone).append("\n").append_text(marked(e.text, ""))) for e in found
    ]
    answer(found, table(rows, "id", "what was remembered"), as_json=as_json)


def show(
    id: Annotated[str, typer.Argument(help="The episode.")],  # noqa: A002
    *,
    scope: BankScope,
    as_json: Json = False,
) -> None:
    """Show one episode whole, in whatever state it is."""
    with scope.open_bank() as bank:
        found = bank.get(id)
    if as_json:
        print_json(found)
        return
    rows = []
    for name in (f.name for f in fields(found) if f.name != "text"):
        value = getattr(found, name)
        if value in (None, "", {}) or (name in ("part", "parts") and found.parts == 1):
            continue
        if name in ("said_at", "noted_at"):
            value = moment_text(value, scope.zone)
        elif name == "metadata":
            value = json.dumps(dict(value), ensure_ascii=False)
        rows.append((Text(name, "dim"), str(value)))
    stdout().print(table(rows))
    stdout().print()
    stdout().print(clean(found.text))


def history(
    id: Annotated[  # noqa: A002
        str | None, typer.Argument(help="An episode; without it, the whole bank.")
    ] = None,
    *,
    after: Annotated[int, typer.Option(help="Of a bank: only changes after this number.")] = 0,
    limit: Annotated[int | None, typer.Option(help="Of a bank: most changes to list.")] = 50,
    scope: BankScope,
    as_json: Json = False,
) -> None:
    """List the changes to an episode and its other versions, or to the whole bank."""
    with scope.open_bank() as bank:
        changes = bank.journal(after=after, limit=limit) if id is None else bank.history(id)
    rows = [
        (str(c.seq), moment_text(c.at, scope.zone), c.kind, c.episode or "", _detail(c))
        for c in changes
    ]
    answer(changes, table(rows, "seq", "at", "change", "episode", "detail"), as_json=as_json)


def _detail(change: Change) -> str:
    return ", ".join(f"{k} {v}" for k, v in change.detail.items() if v != change.episode)


def stats(*, scope: BankScope, as_json: Json = False) -> None:
    """Show the size of a bank: memories, sessions, speakers, bytes."""
    with scope.open_bank() as bank:
        held = bank.stats()
    if as_json:
        print_json(held)
        return
    times = [moment_text(t, scope.zone) for t in (held.first, held.last) if t is not None]
    rows = [
        ("bank", held.bank),
        ("episodes", f"{held.episodes:,}"),
        ("superseded", f"{held.superseded:,}"),
        ("forgotten", f"{held.forgotten:,}"),
        ("sessions", f"{held.sessions:,}"),
        ("speakers", _some(held.speakers)),
        ("sources", _some(held.sources)),
        ("time", " to ".join(times)),
        ("bytes", ", ".join(f"{kind} {n:,}" for kind, n in held.stored_bytes.items())),
        ("embedder", held.embedder or "none"),
    ]
    if held.uncalibrated is not None:
        rows.append(("thresholds", held.uncalibrated))
    stdout().print(table((Text(name, "dim"), value) for name, value in rows))


def _some(names: tuple[str, ...], most: int = 8) -> str:
    more = f", … ({len(names):,} in all)" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def banks(*, scope: Scope, as_json: Json = False) -> None:
    """List the banks of a store."""
    with scope.open() as memory:
        names = memory.banks()
    if as_json:
        print_json(names)
        return
    for name in names:
        stdout().print(clean(name), soft_wrap=True)
