"""
Topic tags by a language model, whose answers are checked (SWIFT, 3.2.1 and appendix A).

An answer that breaks the contract of the prompt is refused; the model is asked once more then, and
told why.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any, Final

from hippocampus.errors import ModelAnswer
from hippocampus.language.topic_tags import FEWEST_TAGS, MOST_TAGS, Relation, Tagging, tag_name
from hippocampus.llm.ask import ChatModel, Completer, ModelReply, ModelTask, ask_many, json_of

MOST_RELATIONS: Final = 24
"""Relations of one answer: three for each of the eight tags; a model that relates all with all has
understood none."""
LONGEST_TALK: Final = 12_000
"""Characters of a group's texts that a model is shown, from the first on: some 3 000 tokens, of
twenty turns mostly all."""


def tag_by_model(
    groups: Iterable[Sequence[str]], model: Completer | ChatModel
) -> list[ModelReply[Tagging]]:
    """Ask a model for the tags of groups of texts; why there are none where it has none."""
    return ask_many(model, TAGS, [shown(texts) for texts in groups])


def shown(texts: Sequence[str]) -> list[str]:
    """Return the part of a group's texts that a model is shown."""
    kept, left = [], LONGEST_TALK
    for text in texts:
        kept.append(text[:left])
        left -= len(kept[-1])
        if left <= 0:
            break
    return kept


def read_answer(answer: str) -> Tagging:
    """
    Read a model's answer: 3 to 8 tags and the relations between them and broader ones.

    Capitals, spaces and hyphens become what a tag has instead; all else must be as asked for.

    Raises:
        ModelAnswer: it is not such an answer; the message says why.

    """
    found = json_of(answer)
    if not isinstance(found, dict) or not found.keys() <= {"tags", "relations"}:
        msg = 'it must be a JSON object of "tags" and "relations"'
        raise ModelAnswer(msg)
    listed, related = found.get("tags"), found.get("relations", [])
    if not isinstance(listed, list) or not isinstance(related, list):
        msg = '"tags" and "relations" must be arrays'
        raise ModelAnswer(msg)
    # Folded before they are counted: two spellings of one tag are one.
    tags = tuple(dict.fromkeys(map(_tag, listed)))
    if not FEWEST_TAGS <= len(tags) <= MOST_TAGS:
        msg = f"it has {len(tags)} tags; give {FEWEST_TAGS} to {MOST_TAGS}"
        raise ModelAnswer(msg)
    if len(related) > MOST_RELATIONS:
        msg = f"it has {len(related)} relations; give at most {MOST_RELATIONS}"
        raise ModelAnswer(msg)
    relations = tuple(dict.fromkeys(map(_relation, related)))
    _refuse_cycles(relations)
    return Tagging(tags, relations)


def write_answer(tagging: Tagging) -> str:
    """Return the answer that reads as this: how tags a model gave are kept."""
    relations = [relation._asdict() for relation in tagging.relations]
    return json.dumps({"tags": tagging.tags, "relations": relations}, ensure_ascii=False)


def _tag(given: object) -> str:
    name = tag_name(given) if isinstance(given, str) else None
    if name is None:
        msg = f"{given!r:.60} is no tag: at most three words, lower case, and not too broad"
        raise ModelAnswer(msg)
    return name


def _relation(given: object) -> Relation:
    if not isinstance(given, dict) or given.keys() != {"parent", "child"}:
        msg = 'a relation must be an object of "parent" and "child"'
        raise ModelAnswer(msg)
    return Relation(_tag(given["parent"]), _tag(given["child"]))


def _refuse_cycles(relations: Sequence[Relation]) -> None:
    """Refuse relations by which something would be broader than itself."""
    left = set(relations)
    while left:
        children = {child for _, child in left}
        tops = {relation for relation in left if relation.parent not in children}
        if not tops:
            msg = f"its relations go round in a circle: {min(left)}"
            raise ModelAnswer(msg)
        left -= tops


def _schema() -> dict[str, Any]:
    tag = {"type": "string"}
    pair = {"parent": tag, "child": tag}

    def exactly(**parts: object) -> dict[str, Any]:
        return {
            "type": "object",
            "properties": parts,
            "required": list(parts),
            "additionalProperties": False,
        }

    return exactly(
        tags={"type": "array", "items": tag},
        relations={"type": "array", "items": exactly(**pair)},
    )


TAGS: Final = ModelTask(kind="tags", read=read_answer, schema=_schema())
