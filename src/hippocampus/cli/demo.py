"""The command that shows it: remember some histories in a temporary store, ask, say how fast."""

from __future__ import annotations

import json
import re
import sys
import tempfile
import time
from calendar import day_name, month_name
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import replace
from importlib.resources import as_file, files
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING

import typer
from rich.console import Console
from rich.padding import Padding
from rich.text import Text

from hippocampus.cli.command import EXIT_NOTHING, verb
from hippocampus.cli.options import Engine, moment
from hippocampus.cli.render import one_line, pairs, progress, recall_view, stdout, table
from hippocampus.core.files import read_text
from hippocampus.core.lazy_dataclass import immutable
from hippocampus.errors import SourceError

if TYPE_CHECKING:
    from hippocampus.bank import Bank
    from hippocampus.core.records import Episode, Imported, Recall

QUESTIONS = "questions.json"
HISTORY = "demo_history.jsonl"
HISTORY_QUESTIONS = "demo_questions.json"
_GENERAL = ("What was decided?", "What still has to be done?")
_STRANGE = "How do I tune a harpsichord to quarter-comma meantone?"
_WORD = re.compile(r"[^\W\d_]{4,}")
_CALENDAR = tuple(name.casefold() for name in (*month_name[1:], *day_name))
_SHOWN = 3
"""Hits under a question, of ten that were found: so that all questions can be read. By hand."""


@immutable
class DemoQuestion:
    """A question to ask, at which present, and what it is meant to show."""

    text: str
    now: str | None = None
    about: str = ""


@immutable
class DemoImport:
    """The result of importing one file or folder, and how long it took."""

    name: str
    done: Imported
    elapsed_s: float


@verb("demo", opens=None)
def demo(
    source: Path | None = None,
    *,
    examples: Path | None = None,
    ask: list[str] | None = None,
    engine: Engine,
) -> None:
    """Try it out: remember a small history, ask about it, and show why and how fast."""
    console = stdout()
    asked = None if ask is None else [DemoQuestion(text=text) for text in ask]
    with ExitStack() as held_open:
        history = _history(source, examples, held_open)
        place = held_open.enter_context(
            tempfile.TemporaryDirectory(prefix="hippocampus-demo-", ignore_cleanup_errors=True)
        )
        store = Path(place) / "memory.db"
        with engine.memory(store, create=True, embed=True) as memory:
            bank = memory.bank("demo")
            remembered = [_remember(bank, part) for part in history.parts]
            _show_remembered(console, remembered)
            if not any(part.done.added for part in remembered):
                raise typer.Exit(EXIT_NOTHING)
            questions = asked or history.questions or questions_about(bank.episodes())
            recalls = [
                _ask(console, bank, engine, question, number)
                for number, question in enumerate(questions, 1)
            ]
            if examples is None and asked is None and sys.stdin.isatty():
                recalls += _converse(console, bank, engine, len(recalls))
            held = bank.stats()
        size = sum(file.stat().st_size for file in store.parent.iterdir())
    _summary(console, remembered, recalls, size=size, sessions=held.sessions, source=source)


# ---------------------------------------------------------------- what to remember


@immutable
class DemoHistory:
    """History to remember, and questions about it; nothing if that is to be made up."""

    parts: Sequence[Path]
    questions: Sequence[DemoQuestion] = ()


def _history(source: Path | None, examples: Path | None, held_open: ExitStack) -> DemoHistory:
    """Return the history that was named, or else the one that comes with the package."""
    if source is not None:
        return DemoHistory(parts=[source])
    if examples is not None:
        if not (examples / QUESTIONS).is_file():
            msg = (
                f"no examples with a {QUESTIONS} here; name a file or folder: hippocampus demo PATH"
            )
            raise SourceError(msg, path=examples)
        return DemoHistory(parts=_parts(examples), questions=load_questions(examples / QUESTIONS))
    ours = files("hippocampus.cli")
    told, asked = (
        held_open.enter_context(as_file(ours / name)) for name in (HISTORY, HISTORY_QUESTIONS)
    )
    return DemoHistory(parts=[told], questions=load_questions(asked))


def _parts(folder: Path) -> list[Path]:
    return [
        part
        for part in sorted(folder.iterdir())
        if part.name != QUESTIONS and not part.name.startswith((".", "README"))
    ]


def _remember(bank: Bank, path: Path) -> DemoImport:
    started = time.perf_counter()
    with progress(f"remembering {path.name}") as step:
        done = bank.import_(path, progress=step)
    return DemoImport(
        name=path.name or str(path), done=done, elapsed_s=time.perf_counter() - started
    )


# ---------------------------------------------------------------- what to ask


def load_questions(path: Path) -> list[DemoQuestion]:
    """Read the questions that belong to a history."""
    try:
        listed = json.loads(read_text(path))
        return [
            DemoQuestion(text=q["question"], now=q.get("now"), about=q.get("about", ""))
            for q in listed
        ]
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as exc:
        msg = f'is not a list of {{"question", "now", "about"}}: {exc!r}'
        raise SourceError(msg, path=path) from exc


def questions_about(episodes: Sequence[Episode], *, topics: int = 3) -> list[DemoQuestion]:
    """
    Make up questions to a history: its own topics, two that fit any, and one that fits none.

    A topic is a word that comes back, but not everywhere; names, which are capitalised within
    sentences, come first.
    """
    seen: Counter[str] = Counter()
    named: Counter[str] = Counter()
    spelled: dict[str, str] = {}
    for episode in episodes:
        here: set[str] = set()
        for found in _WORD.finditer(episode.text):
            word = found.group()
            here.add(word.casefold())
            spelled.setdefault(word.casefold(), word)
            before = episode.text[: found.start()].rstrip(" \"'([*_")
            # At the beginning of a sentence every word has a capital.
            if word[0].isupper() and before and before[-1] not in ".!?:\n#-":
                named[word.casefold()] += 1
        seen.update(here)
    most = max(2, len(episodes) // 8)
    speakers = {e.speaker.casefold() for e in episodes if e.speaker}
    dull = {*speakers, *(w for w in seen if any(name.startswith(w) for name in _CALENDAR))}
    often = [w for w, n in seen.items() if min(2, len(episodes)) <= n <= most and w not in dull]
    often.sort(key=lambda w: (-min(named[w], 12), -seen[w], w))
    about = [DemoQuestion(text=f"What do we know about {spelled[w]}?") for w in often[:topics]]
    general = [DemoQuestion(text=text) for text in _GENERAL]
    return [
        *about,
        *general,
        DemoQuestion(text=_STRANGE, about="Nothing: unless you make harpsichords."),
    ]


def _converse(console: Console, bank: Bank, engine: Engine, asked: int) -> Iterator[Recall]:
    """Let the reader ask, until an empty line."""
    console.print("Now you. An empty line ends it.", style="bold")
    while True:
        try:
            text = typer.prompt("?", default="", show_default=False, prompt_suffix=" ", err=True)
        except typer.Abort:
            return
        if not text.strip():
            console.print()
            return
        asked += 1
        yield _ask(console, bank, engine, DemoQuestion(text=text), asked)


# ---------------------------------------------------------------- what to show


def _show_remembered(console: Console, remembered: Iterable[DemoImport]) -> None:
    rows: list[Sequence[str | Text]] = [
        (
            Text(one_line(part.name), "bold"),
            f"{part.done.added:>6,} episodes",
            f"{part.elapsed_s:>6.2f} s",
            f"{len(part.done.unreadable)} not read" if part.done.unreadable else "",
        )
        for part in remembered
    ]
    console.print(table(rows, "remembered", "", "", ""))
    console.print()


def _ask(
    console: Console, bank: Bank, engine: Engine, question: DemoQuestion, number: int
) -> Recall:
    now = None if question.now is None else moment(question.now, name="now")
    found = bank.recall(question.text, 10, now=now)
    console.print(Text.assemble((f"{number}  ", "dim"), (one_line(question.text), "bold cyan")))
    notes = [question.about.partition(". ")[0].rstrip(".")] if question.about else []
    if question.now:
        notes.append(f"asked on {question.now[:10]}")
    if notes:
        console.print(Padding(Text(one_line("; ".join(notes)), "dim italic"), (0, 0, 0, 3)))
    most = _SHOWN if found.found else 1  # the reader may judge how near it came
    told = found if number == 1 else replace(found, degraded=())  # which is told but once
    for part in recall_view(told, engine.zone, limit=200, most=most, heads=False):
        console.print(part)
    console.print()
    return found


def _summary(
    console: Console,
    remembered: Sequence[DemoImport],
    recalls: Sequence[Recall],
    *,
    size: int,
    sessions: int,
    source: Path | None,
) -> None:
    added = sum(part.done.added for part in remembered)
    elapsed_s = sum(part.elapsed_s for part in remembered)
    whole = median(found.cost.elapsed_s for found in recalls) * 1e3
    own = median(found.cost.elapsed_s - found.cost.embed_s for found in recalls) * 1e3
    path = "~/notes" if source is None else str(source)
    rows = [
        ("remembered", f"{added:,} episodes in {sessions:,} sessions"),
        ("ingest", f"{added / elapsed_s:,.0f} episodes/s, reading and embedding included"),
        ("recall", f"median {whole:.1f} ms, {own:.1f} ms without the embedding"),
        ("store", f"{size / 1e6:.1f} MB in one file, {size // added:,} bytes each"),
        ("go on", f"hippocampus import {path}"),
        ("", 'hippocampus recall "…"'),
        ("", "from hippocampus import Memory    # the same verbs in Python"),
    ]
    console.print(pairs(rows))
