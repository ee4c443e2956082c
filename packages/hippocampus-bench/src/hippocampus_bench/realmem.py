"""RealMem: months of work with an assistant, where queries arise inside the stream itself."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

from hippocampus.core.records import Turn
from hippocampus.errors import InputError
from hippocampus_bench.datasets import (
    Case,
    Dataset,
    KeyedTurn,
    Question,
    SourceNode,
    Step,
    expect_unique,
    read_json,
    sha256_of,
)
from hippocampus_bench.options import Options

_A_TURN = timedelta(minutes=1)


def load(data: Path, options: Options) -> Dataset:
    """Read one persona's file, or every one in a folder."""
    if options.protocol is not None:
        msg = f"protocol={options.protocol!r}: realmem has only one; leave it out"
        raise InputError(msg)
    files = [data]
    if data.is_dir():
        files = sorted([*data.glob("*.json"), *data.glob("*.json.gz")])
        if not files:
            msg = f"{data}: no .json or .json.gz in this folder; give RealMem's dialogue files"
            raise InputError(msg)
    skipped = Counter({"without earlier gold": 0, "blank": 0})
    return Dataset(
        cases=tuple(_persona(path, skipped) for path in files),
        protocol="streaming",
        turn_recall=None,
        ndcg="session",
        skipped=dict(skipped),
        files=sha256_of(*files),
    )


def _persona(path: Path, skipped: Counter[str]) -> Case:
    """Make each session a step: put its queries to the sessions before it, then remember it."""
    name = path.name.partition(".")[0]
    sessions = list(read_json(path)["dialogues"].each())
    expect_unique(path.name, (session["session_uuid"].text() for session in sessions))
    known: set[str] = set()
    steps = []
    free = datetime.min.replace(tzinfo=UTC)
    for session in sessions:
        key = session["session_uuid"].text()
        # Only the day is given: sessions of one day follow one another as they stand in the file.
        start = max(_day(session["current_time"]), free)
        ask, remember = [], []
        turns = list(session["dialogue_turns"].each())
        for place, turn in enumerate(turns):
            at = start + place * _A_TURN
            text = turn["content"].text()
            if not text.strip():
                skipped["blank"] += 1
                continue
            remember.append(
                KeyedTurn(
                    f"{key}:{place}",
                    Turn(text=text, at=at, role=turn["speaker"].text().lower(), session=key),
                )
            )
            query = turn.get("is_query")
            if query is None or query.value is not True:
                continue
            gold = _gold(turns[place + 1]) & known if place + 1 < len(turns) else frozenset[str]()
            if not gold:
                skipped["without earlier gold"] += 1
                continue
            kind = turn.get("category_name")
            ask.append(
                Question(
                    id=f"{name}/{key}:{place}",
                    text=text,
                    kind=kind.text() if kind else "unknown",
                    now=at,
                    gold_sessions=gold,
                )
            )
        free = start + max(len(turns), 1) * _A_TURN
        steps.append(Step(ask=tuple(ask), remember=tuple(remember)))
        known.add(key)
    return Case(name, tuple(steps))


def _gold(reply: SourceNode) -> frozenset[str]:
    sessions = reply.get("memory_session_uuids")
    return frozenset(sessions.texts()) if sessions else frozenset()


def _day(node: SourceNode) -> datetime:
    """Read the day of "2025-12-15 (Monday)"."""
    return SourceNode(node.text()[:10], node.where).time()
