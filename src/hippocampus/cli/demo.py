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
from dataclasses import dataclass
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
from hippocampus.errors import SourceError

if TYPE_CHECKING:
    from hippocampus.bank import Bank
    from hippocampus.core.records import Episode, Imported, Recall

QUESTIONS = "questions.json"
_GENERAL = ("What was decided?", "What still has to be done?")
_STRANGE = "How do I tune a harpsichord to quarter-comma meantone?"
_WORD = re.compile(r"[^\W\d_]{4,}")
_CALENDAR = tuple(name.casefold() for name in (*month_name[1:], *day_name))
_SHOWN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoQuestion:
    """A question to ask, at which present, and what it is meant to show."""

    text: str
    now: str | None = None
    about: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DemoImport:
    """The result of importing one file or folder, and how long it took."""

    name: str
    done: Imported
    elapsed_s: float


@verb("demo", opens=None)
def demo(source: Path | None = None, *, examples: Path | None = None, engine: Engine) -> None:
    """Try it out: remember example histories, ask about them, and show why and how fast."""
    console = stdout()
    folder = None if source else _examples(examples)
    parts = [source] if source else _parts(folder) if folder else []
    with tempfile.TemporaryDirectory(prefix="hippocampus-demo-") as place:
        store = Path(place) / "memory.db"
        with engine.memory(store, create=True, embed=True) as memory:
            bank = memory.bank("demo")
            remembered = [_remember(bank, part) for part in parts]
            _show_remembered(console, remembered)
            if not any(part.done.added for part in remembered):
                raise typer.Exit(EXIT_NOTHING)
            questions = (
                questions_about(bank.episodes()) if folder is None else load_questions(folder)
            )
            recalls = [
                _ask(console, bank, engine, question, number)
                for number, question in enumerate(questions, 1)
            ]
            if folder is None and sys.stdin.isatty():
                recalls += _converse(console, bank, engine, len(recalls))
            held = bank.stats()
        size = sum(file.stat().st_size for file in store.parent.iterdir())
    _summary(console, remembered, recalls, size=size, sessions=held.sessions, source=source)


# ---------------------------------------------------------------- what to remember


def _examples(given: Path | None) -> Path:
    """Find the examples: where told, under the working directory, or in this checkout."""
    places = [given] if given else [Path("examples"), Path(__file__).parents[3] / "examples"]
    for place in places:
        if (place / QUESTIONS).is_file():
            return place
    msg = (
        f"no examples with a {QUESTIONS} here; run it in a checkout, or on something of your own:"
        " hippocampus demo PATH"
    )
    raise SourceError(msg, path=places[0])


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


def load_questions(folder: Path) -> list[DemoQuestion]:
    """Read the questions that belong to a folder of examples."""
    path = folder / QUESTIONS
    try:
        listed = json.loads(read_text(path))
        return [
            DemoQuestion(text=q["question"], now=q.get("now"), about=q.get("about", ""))
            for q in listed
        ]
    except (ValueError, KeyError, TypeError, AttributeError) as exc:
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
    for part in recall_view(found, engine.zone, limit=200, most=most, heads=False):
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
