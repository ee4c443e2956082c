"""
LongMemEval: fifty chats with an assistant, and one question about what was said in some of them.

Three protocols. ``all-turns``: every turn of both roles, a bank per question. ``official``: one
document per session, its user turns joined. ``pooled``: all sessions of all questions in one bank,
where a question may see its own haystack and every filler session, which is a hard filter over a
large bank.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
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
    choose,
    read_json,
    sha256_of,
    stratum,
)
from hippocampus_bench.options import Options

PROTOCOLS = ("all-turns", "official", "pooled")

_WHEN = re.compile(r"(\d{4})/(\d\d)/(\d\d)(?: \(\w+\))?(?: (\d\d):(\d\d))?")
_FILLER = ("sharegpt", "ultrachat")
_A_TURN = timedelta(seconds=1)  # some sessions have hundreds of turns, and none may reach the next


@dataclass(frozen=True, slots=True)
class _Utterance:
    role: str
    content: str
    answers: bool


@dataclass(frozen=True, slots=True)
class _Session:
    id: str
    at: datetime
    turns: tuple[_Utterance, ...]

    @property
    def content_id(self) -> str:
        """The id, made unique by content: a few haystacks of the full set use one id twice."""
        digest = hashlib.blake2b(digest_size=8)
        for turn in self.turns:
            digest.update(f"{turn.role}\0{turn.content}\0".encode())
        return f"{self.id}/{digest.hexdigest()}"


@dataclass(frozen=True, slots=True)
class _Instance:
    id: str
    kind: str
    text: str
    now: datetime
    answer: str | None
    answer_sessions: frozenset[str]
    haystack: tuple[_Session, ...]

    @property
    def answerable(self) -> bool:
        return not self.id.endswith("_abs")


def load(data: Path, options: Options) -> Dataset:
    """Read the official file in one of the protocols."""
    protocol = options.protocol or "all-turns"
    if protocol not in PROTOCOLS:
        msg = f"protocol={protocol!r}: longmemeval has {', '.join(PROTOCOLS)}"
        raise InputError(msg)
    instances = [_instance(node) for node in read_json(data).each()]
    skipped = Counter({"without a flagged turn": 0, "blank": 0})
    if protocol == "pooled":
        cases: tuple[Case, ...] = (_pooled(instances, options.limit, skipped),)
    else:
        build = _all_turns if protocol == "all-turns" else _official
        cases = tuple(case for i in instances if (case := build(i, skipped)).questions)
    return Dataset(
        cases=cases,
        protocol=protocol,
        turn_recall=None if protocol == "official" else "turn_recall",
        ndcg="session",
        skipped=dict(skipped),
        files=sha256_of(data),
    )


def _all_turns(instance: _Instance, skipped: Counter[str]) -> Case:
    keyed = {str(place): session for place, session in enumerate(instance.haystack)}
    said = [turn for key, session in keyed.items() for turn in _turns(key, session, skipped)]
    return Case.haystack(instance.id, said, _question(instance, keyed, skipped))


def _official(instance: _Instance, skipped: Counter[str]) -> Case:
    said, gold = [], set()
    for place, session in enumerate(instance.haystack):
        spoken = [turn for turn in session.turns if turn.role == "user"]
        text = " ".join(turn.content for turn in spoken)
        if not text.strip():
            skipped["blank"] += 1
            continue
        turn = Turn(text=text, at=session.at, role="user", session=str(place))
        said.append(KeyedTurn(str(place), turn))
        if session.id in instance.answer_sessions and any(turn.answers for turn in spoken):
            gold.add(str(place))
    return Case.haystack(
        instance.id, said, _with_gold(instance, frozenset(gold), frozenset(gold), skipped)
    )


def _pooled(instances: list[_Instance], limit: int | None, skipped: Counter[str]) -> Case:
    # Limited before pooling: what is pooled is what the chosen questions bring.
    asked = choose(
        [
            (instance, question)
            for instance in instances
            for own in [{session.content_id: session for session in instance.haystack}]
            for question in _question(instance, own, skipped, sessions=frozenset(own))
        ],
        limit,
        kind=lambda pair: stratum(pair[1]),
    )
    pool: dict[str, _Session] = {}
    # A filler session is dated differently in every haystack. Evidence keeps the date of the
    # question it answers; anything else the first one met.
    for evidence in (True, False):
        for instance, _ in asked:
            for session in instance.haystack:
                if (session.id in instance.answer_sessions) is evidence:
                    pool.setdefault(session.content_id, session)
    filler = frozenset(key for key, session in pool.items() if session.id.startswith(_FILLER))
    return Case.haystack(
        "pooled",
        [turn for key, session in pool.items() for turn in _turns(key, session, skipped)],
        [replace(q, sessions=filler | q.sessions) for _, q in asked if q.sessions is not None],
    )


def _turns(key: str, session: _Session, skipped: Counter[str]) -> Iterator[KeyedTurn]:
    for place, turn in enumerate(session.turns):
        if not turn.content.strip():
            skipped["blank"] += 1
            continue
        at = session.at + place * _A_TURN
        yield KeyedTurn(
            f"{key}:{place}", Turn(text=turn.content, at=at, role=turn.role, session=key)
        )


def _question(
    instance: _Instance,
    keyed: dict[str, _Session],
    skipped: Counter[str],
    *,
    sessions: frozenset[str] | None = None,
) -> list[Question]:
    """Return the question with the flags of its own haystack: another may flag other turns."""
    gold = frozenset(
        f"{key}:{place}"
        for key, session in keyed.items()
        for place, turn in enumerate(session.turns)
        if turn.answers and turn.content.strip()
    )
    flagged = frozenset(
        key
        for key, session in keyed.items()
        if session.id in instance.answer_sessions and any(turn.answers for turn in session.turns)
    )
    return _with_gold(instance, gold, flagged, skipped, sessions=sessions)


def _with_gold(
    instance: _Instance,
    gold: frozenset[str],
    gold_sessions: frozenset[str],
    skipped: Counter[str],
    *,
    sessions: frozenset[str] | None = None,
) -> list[Question]:
    if instance.answerable and not (gold and gold_sessions):
        skipped["without a flagged turn"] += 1
        return []
    return [
        Question(
            id=instance.id,
            text=instance.text,
            kind=instance.kind,
            now=instance.now,
            gold=gold,
            gold_sessions=gold_sessions,
            answerable=instance.answerable,
            answer=instance.answer,
            sessions=sessions,
        )
    ]


def _instance(node: SourceNode) -> _Instance:
    ids = node["haystack_session_ids"].texts()
    dates = list(node["haystack_dates"].each())
    sessions = list(node["haystack_sessions"].each())
    if not len(ids) == len(dates) == len(sessions):
        msg = (
            f"{node.where}: {len(ids)} session ids, {len(dates)} dates, {len(sessions)} sessions;"
            " each session needs one of each"
        )
        raise InputError(msg)
    return _Instance(
        id=node["question_id"].text(),
        kind=node["question_type"].text(),
        text=node["question"].text(),
        now=session_time(node["question_date"]),
        answer=answer.said() if (answer := node.get("answer")) else None,
        answer_sessions=frozenset(node["answer_session_ids"].texts()),
        haystack=tuple(
            _Session(id_, session_time(date), tuple(_utterances(session.each())))
            for id_, date, session in zip(ids, dates, sessions, strict=True)
        ),
    )


def _utterances(nodes: Iterable[SourceNode]) -> Iterator[_Utterance]:
    for node in nodes:
        flag = node.get("has_answer")
        yield _Utterance(
            node["role"].text(), node["content"].text(), flag is not None and flag.value is True
        )


def session_time(node: SourceNode) -> datetime:
    """Read "2023/05/30 (Tue) 23:40"."""
    match = _WHEN.fullmatch(node.text().strip())
    if match is None:
        raise node.no_time("2023/05/30 (Tue) 23:40")
    year, month, day, hour, minute = (int(part or 0) for part in match.groups())
    try:
        return datetime(year, month, day, hour, minute, tzinfo=UTC)
    except ValueError as exc:
        raise node.no_time("2023/05/30 (Tue) 23:40") from exc
