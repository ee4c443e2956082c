"""
Relation extraction by a language model, whose answers are checked.

An answer that breaks the contract of the prompt is refused; the model is asked once more then, and
told why.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, time, tzinfo
from functools import partial
from typing import Any, Final, NamedTuple, get_args

from hippocampus.core.clock import to_micros
from hippocampus.core.records import Mode, Statement
from hippocampus.errors import ModelAnswer
from hippocampus.language.relations import with_one_name
from hippocampus.llm.ask import ChatModel, Completer, ModelReply, ModelTask, ask_many, json_of

MOST_FACTS: Final = 200
"""Facts of one answer: twenty turns state fewer, and a model that goes round in circles states
more."""
_LONGEST: Final = 120
"""Characters of a subject, a relation or an object: what is longer is a sentence, and no name or
thing."""
_RELATION = re.compile(r"[a-z][a-z0-9_]{0,39}")
_PARTS: Final = ("turn", "subject", "relation", "object", "mode", "from", "to")


class NumberedLine(NamedTuple):
    """One turn as a model is shown it."""

    speaker: str
    said_on: str
    text: str


def read_by_model(
    groups: Sequence[Sequence[NumberedLine]], model: Completer | ChatModel
) -> list[ModelReply[str]]:
    """Ask a model what each group of turns says; answers as they are kept."""
    shown = [[{"turn": at, **line._asdict()} for at, line in enumerate(g)] for g in groups]
    return ask_many(model, _facts_of, shown)


def _facts_of(shown: Sequence[object]) -> ModelTask[str]:
    """Return the task for some turns: a model that numbers others did not count as it was told."""
    return replace(FACTS, read=partial(_checked, turns=len(shown)))


def statements_of(answer: str, zone: tzinfo) -> list[tuple[int, Statement]]:
    """
    Return the statements of an answer, each with the place of its turn in the group.

    Args:
        answer: of a model.
        zone: in which its days begin.

    Raises:
        ModelAnswer: it is not such an answer; the message says why.

    """
    found = json_of(answer)
    if not isinstance(found, dict) or found.keys() != {"facts"}:
        msg = 'it must be a JSON object of "facts"'
        raise ModelAnswer(msg)
    if not isinstance(found["facts"], list) or len(found["facts"]) > MOST_FACTS:
        msg = f'"facts" must be an array of at most {MOST_FACTS}'
        raise ModelAnswer(msg)
    return [_fact(given, zone) for given in found["facts"]]


def _fact(given: object, zone: tzinfo) -> tuple[int, Statement]:
    if not isinstance(given, dict) or not given.keys() <= set(_PARTS):
        msg = f"a fact must be an object of {', '.join(_PARTS)}"
        raise ModelAnswer(msg)
    turn, mode = given.get("turn"), given.get("mode", "holds")
    # JSON's true would pass for the number 1, as bool is an int in Python.
    if isinstance(turn, bool) or not isinstance(turn, int) or turn < 0:
        msg = f'"turn" {turn!r:.40} must be the number of a turn'
        raise ModelAnswer(msg)
    if mode not in get_args(Mode):
        msg = f'"mode" {mode!r:.40} must be one of {", ".join(get_args(Mode))}'
        raise ModelAnswer(msg)
    words = [given.get(part) for part in ("subject", "relation", "object")]
    for part, word in zip(_PARTS[1:4], words, strict=True):
        if not isinstance(word, str) or not word.strip() or len(word) > _LONGEST:
            msg = f'"{part}" {word!r:.40} must be 1 to {_LONGEST} characters'
            raise ModelAnswer(msg)
    subject, relation, thing = (str(word).strip() for word in words)
    if not _RELATION.fullmatch(relation):
        msg = f'"relation" {relation!r} must be a few words in lower case, joined by _'
        raise ModelAnswer(msg)
    start, end = (_day(given.get(side), zone) for side in ("from", "to"))
    if start is not None and end is not None and end < start:
        msg = f'"to" {given["to"]!r:.40} must not be before "from" {given["from"]!r:.40}'
        raise ModelAnswer(msg)
    return turn, with_one_name(Statement(subject, relation, thing, mode, start, end))


def _day(given: object, zone: tzinfo) -> int | None:
    if given is None:
        return None
    try:
        day = date.fromisoformat(given)  # type: ignore[arg-type]  # a TypeError is an answer, too
    except (TypeError, ValueError) as exc:
        msg = f"{given!r:.40} must be a day, as 2024-05-31, or null"
        raise ModelAnswer(msg) from exc
    return to_micros(datetime.combine(day, time(), zone))


def _checked(answer: str, turns: int = MOST_FACTS) -> str:
    """Return an answer that can be read, of so many turns, without what was said around it."""
    for place, _ in statements_of(answer, UTC):
        if place >= turns:
            msg = f'"turn" {place} must be the number of a turn that is shown, 0 to {turns - 1}'
            raise ModelAnswer(msg)
    return json.dumps(json_of(answer), ensure_ascii=False)


def _schema() -> dict[str, Any]:
    text = {"type": "string"}
    kinds: dict[str, object] = dict.fromkeys(("subject", "relation", "object"), text)
    kinds |= {"turn": {"type": "integer"}, "mode": {"enum": list(get_args(Mode))}}
    kinds |= {side: {"type": ["string", "null"]} for side in ("from", "to")}
    fact = {
        "type": "object", "properties": kinds, "required": list(_PARTS),
        "additionalProperties": False,
    }  # fmt: skip
    return {
        "type": "object", "properties": {"facts": {"type": "array", "items": fact}},
        "required": ["facts"], "additionalProperties": False,
    }  # fmt: skip


FACTS: Final = ModelTask(kind="facts", read=_checked, schema=_schema())
