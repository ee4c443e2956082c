"""
Reads RealMem as a stream of events: which turns of a session call up which earlier sessions.

Nobody here made these conversations, and what they refer to is told by their authors: the sessions
that a reply draws on. A session is what the benchmark of events calls an issue.
"""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from hippocampus_bench import realmem
from hippocampus_bench.options import Options
from hippocampus_bench.tracker import StreamEvent


def read_realmem(data: Path) -> list[StreamEvent]:
    """
    Return the turns of every persona, in order of time, each with the sessions that it calls up.

    Args:
        data: one persona's file, or a folder of them.

    Raises:
        InputError: a file that does not follow the schema.

    """
    events: list[StreamEvent] = []
    for case in realmem.load(data, Options()).cases:
        for step in case.steps:
            called = {question.now: sorted(question.gold_sessions) for question in step.ask}
            for said in step.remember:
                turn, at = said.turn, said.turn.at
                assert isinstance(at, datetime), "RealMem's turns have times"
                event = StreamEvent(
                    t=at.timestamp(),
                    issue=f"{case.id}/{turn.session}",
                    event=turn.role or "said",
                    actor=case.id,
                    body=turn.text,
                    refs=tuple(f"{case.id}/{one}" for one in called.get(at, ())),
                )
                events.append(event)
    return sorted(events, key=lambda event: event.t)
