"""
Any retrieval data set, in one simple format.

    {"banks": [{"id": "…",
                "episodes": [{"id": "…", "text": "…", "speaker": "…", "at": "2025-03-02T18:30:00",
                              "session": "…"}],
                "questions": [{"id": "…", "text": "…", "at": "…", "gold": ["…"], "kind": "…"}]}]}

Only ids, texts and ``gold`` are required. A question whose ``gold`` is empty has no answer: it
tells whether recall knows that it found nothing. An episode may also have a ``role`` and a
``source``, a question an ``answer``. Without ``at``, episodes are a minute apart and a question
comes after the last one.
"""

from __future__ import annotations

from collections.abc import Iterator
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
    expect_unique,
    read_json,
    sha256_of,
)
from hippocampus_bench.options import Options

_START = datetime(2025, 1, 1, 9, tzinfo=UTC)
_A_TURN = timedelta(minutes=1)


def load(data: Path, options: Options) -> Dataset:
    """Read a file of the format above."""
    if options.protocol is not None:
        msg = f"protocol={options.protocol!r}: retrieval has only one; leave it out"
        raise InputError(msg)
    return parse(read_json(data), files=sha256_of(data))


def parse(root: SourceNode, *, files: dict[str, str] | None = None) -> Dataset:
    """Turn parsed JSON of the format above into cases."""
    cases = tuple(_bank(bank) for bank in root["banks"].each())
    expect_unique(root["banks"].where, (case.id for case in cases))
    return Dataset(
        cases=cases,
        protocol="turns",
        turn_recall="evidence_recall",
        ndcg="turn",
        sessions=any(said.turn.session is not None for case in cases for said in case.said),
        files=files or {},
    )


def _bank(bank: SourceNode) -> Case:
    name = bank["id"].text()
    said = list(_episodes(bank["episodes"]))
    sessions = {one.key: one.turn.session for one in said}
    expect_unique(bank["episodes"].where, (one.key for one in said))
    latest = max((one.turn.at for one in said if isinstance(one.turn.at, datetime)), default=_START)
    questions = []
    for node in bank["questions"].each():
        gold = frozenset(node["gold"].texts())
        if unknown := sorted(gold - sessions.keys()):
            msg = f"{node.where}.gold: {unknown[0]!r} is not the id of an episode of this bank"
            raise InputError(msg)
        at, kind, answer = node.get("at"), node.get("kind"), node.get("answer")
        questions.append(
            Question(
                id=f"{name}/{node['id'].text()}",
                text=node["text"].text(),
                kind=kind.text() if kind else "any",
                now=at.time() if at else latest + _A_TURN,
                gold=gold,
                gold_sessions=frozenset(s for key in gold if (s := sessions[key]) is not None),
                answerable=bool(gold),
                answer=answer.said() if answer else None,
            )
        )
    expect_unique(bank["questions"].where, (question.id for question in questions))
    return Case.haystack(name, said, questions)


def _episodes(nodes: SourceNode) -> Iterator[KeyedTurn]:
    for place, node in enumerate(nodes.each()):
        at = node.get("at")
        speaker, role, session, source = (
            node.get(name) for name in ("speaker", "role", "session", "source")
        )
        yield KeyedTurn(
            node["id"].text(),
            Turn(
                text=node["text"].text(),
                at=at.time() if at else _START + place * _A_TURN,
                speaker=speaker.text() if speaker else None,
                role=role.text() if role else None,
                session=session.text() if session else None,
                source=source.text() if source else None,
            ),
        )
