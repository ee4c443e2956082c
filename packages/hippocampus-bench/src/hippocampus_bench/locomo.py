"""LoCoMo: two people chat over months, and questions cite the turns that answer them."""

from __future__ import annotations

import re
from collections.abc import Mapping
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

KINDS = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}

_ADVERSARIAL = 5
_OPEN = 3
_EVIDENCE = re.compile(r"D:?(\d+):0*(\d+)")
_SESSION = re.compile(r"session_(\d+)")
_WHEN = re.compile(r"(\d{1,2}):(\d\d) ([ap])m on (\d{1,2}) (\w{3})\w*,? (\d{4})", re.IGNORECASE)
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_A_TURN = timedelta(minutes=1)


def load(data: Path, options: Options) -> Dataset:
    """Read the official file; corrections come from ``label_errors`` or from beside the data."""
    if options.protocol is not None:
        msg = f"protocol={options.protocol!r}: locomo has only one; leave it out"
        raise InputError(msg)
    samples = [read_sample(node) for node in read_json(data).each()]
    audit = options.label_errors or next(iter(sorted(data.parent.glob("label_errors*.json"))), None)
    fixes = read_label_errors(audit) if audit else {}
    skipped = {"without evidence": 0}
    cases = []
    for sample, said, qa in samples:
        known = {turn.key: turn.turn.session or "" for turn in said}
        after = said[-1].turn.at if said else None
        if not isinstance(after, datetime):
            msg = f"{sample}: the conversation has no turns"
            raise InputError(msg)
        questions = []
        for index, node in enumerate(qa):
            category = node["category"].number()
            if category not in KINDS:
                msg = f"{node.where}.category: {category} is not one of 1 to 5"
                raise InputError(msg)
            gold = evidence(node.get("evidence"), known)
            answerable = category != _ADVERSARIAL
            if answerable and not gold:
                skipped["without evidence"] += 1
                continue
            questions.append(
                Question(
                    id=f"{sample}/{index}",
                    text=node["question"].text(),
                    kind=KINDS[category],
                    now=after + _A_TURN,
                    gold=gold,
                    gold_sessions=frozenset(known[key] for key in gold),
                    answerable=answerable,
                    answer=_answer(node, category),
                    corrected=_known(fixes.get((sample, index), gold), known) if audit else None,
                )
            )
        cases.append(Case.haystack(sample, said, questions))
    return Dataset(
        cases=tuple(cases),
        protocol="turns",
        turn_recall="evidence_recall",
        ndcg="turn",
        skipped=skipped,
        files=sha256_of(data, *([audit] if audit else [])),
    )


def read_sample(node: SourceNode) -> tuple[str, list[KeyedTurn], list[SourceNode]]:
    """Return a conversation's id, its turns with their times, and its questions as they stand."""
    conversation = node["conversation"]
    said: list[KeyedTurn] = []
    numbers = sorted(
        int(match[1]) for name in conversation.object() if (match := _SESSION.fullmatch(name))
    )
    for number in numbers:
        stamp = conversation[f"session_{number}_date_time"]
        at = session_time(stamp)
        for place, turn in enumerate(conversation[f"session_{number}"].each()):
            text = turn["text"].text()
            caption = turn.get("blip_caption")  # some answers are only in the picture
            if caption:
                text = f"{text} [{caption.text()}]".strip()
            said.append(
                KeyedTurn(
                    turn["dia_id"].text(),
                    Turn(
                        text=text,
                        at=at + place * _A_TURN,
                        speaker=turn["speaker"].text(),
                        session=str(number),
                    ),
                )
            )
    expect_unique(conversation.where, (turn.key for turn in said))
    return node["sample_id"].text(), said, list(node["qa"].each())


def session_time(node: SourceNode) -> datetime:
    """Read "1:56 pm on 8 May, 2023"."""
    match = _WHEN.fullmatch(node.text().strip())
    month = match[5].lower() if match else ""
    if match is None or month not in _MONTHS:
        raise node.no_time("1:56 pm on 8 May, 2023")
    hour = int(match[1]) % 12 + (12 if match[3].lower() == "p" else 0)
    date = int(match[6]), _MONTHS.index(month) + 1, int(match[4])
    try:
        return datetime(*date, hour, int(match[2]), tzinfo=UTC)
    except ValueError as exc:
        raise node.no_time("1:56 pm on 8 May, 2023") from exc


def evidence(node: SourceNode | None, known: Mapping[str, str]) -> frozenset[str]:
    """Return the turns a question cites, however they are written, that exist."""
    cited = [f"D{a}:{b}" for s in (node.texts() if node else ()) for a, b in _EVIDENCE.findall(s)]
    return _known(cited, known)


def read_label_errors(path: Path) -> dict[tuple[str, int], frozenset[str]]:
    """Return the corrected evidence by conversation and question."""
    return {
        (node["sample_id"].text(), node["qa_index"].number()): frozenset(
            f"D{a}:{b}" for s in node["correct_evidence"].texts() for a, b in _EVIDENCE.findall(s)
        )
        for node in read_json(path).each()
    }


def _answer(node: SourceNode, category: int) -> str | None:
    """Return the official answer; in open-domain questions, what stands before its reasons."""
    answer = node.get("answer")
    if answer is None:
        return None
    said = answer.said()
    return said.partition(";")[0].strip() if category == _OPEN else said


def _known(keys: list[str] | frozenset[str], known: Mapping[str, str]) -> frozenset[str]:
    return frozenset(key for key in keys if key in known)
