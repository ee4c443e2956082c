"""
Have a language model tag a stretch of talk (SWIFT, 3.2.1 and appendix A), and believe it nothing.

What a model answers is read as JSON against the contract of its prompt, or refused; it is asked
once more then, and told why.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Final, Protocol

from hippocampus.encode.tags import FEWEST, MOST, Relation, Tagging, tag_name
from hippocampus.errors import EncoderError

ATTEMPTS: Final = 2
MOST_RELATIONS: Final = 24
LONGEST_ANSWER: Final = 16_384
"""Characters; what is longer is no answer to this prompt."""
LONGEST_TALK: Final = 12_000
"""Characters of a group's texts that a model is shown, from the first on."""

_FENCE = re.compile(r"\A\s*```(?:json)?\s*\n(.*?)\n?\s*```\s*\Z", re.DOTALL)


class Completer(Protocol):
    """
    A language model: a prompt in, its answer out.

    It raises ``EncoderError`` when it cannot answer: out of reach, out of time, out of money.
    """

    def __call__(self, prompt: str, /) -> str:
        """Return what the model answers."""
        ...


def tag_by_model(texts: Sequence[str], complete: Completer, *, attempts: int = ATTEMPTS) -> Tagging:
    """
    Ask a model for the tags of a group of texts.

    Raises:
        EncoderError: the model cannot answer, or gave no usable answer in all attempts.

    """
    prompt = make_prompt(texts)
    asked = prompt
    for attempt in range(1, attempts + 1):
        answer = complete(asked)
        try:
            return read_answer(answer)
        except EncoderError as exc:
            if attempt == attempts:
                msg = f"no usable tags in {attempts} attempts; the last answer: {exc}"
                raise EncoderError(msg) from exc
            asked = f"{prompt}\n\nYour last answer could not be used: {exc}. Answer again."
    msg = f"attempts={attempts}: must be at least 1"
    raise EncoderError(msg)


def make_prompt(texts: Sequence[str]) -> str:
    """Return what a model is asked: the paper's prompt, then the texts, quoted as data."""
    shown, left = [], LONGEST_TALK
    for text in texts:
        shown.append(text[:left])
        left -= len(shown[-1])
        if left <= 0:
            break
    return _instructions() + json.dumps(shown, ensure_ascii=False, indent=0)


@cache
def _instructions() -> str:
    return (files("hippocampus.encode") / "prompts" / "tags.txt").read_text("utf-8")


def read_answer(answer: object) -> Tagging:
    """
    Read a model's answer: 3 to 8 tags and the relations between them and broader ones.

    Capitals, spaces and hyphens become what a tag has instead; all else must be as asked for.

    Raises:
        EncoderError: it is not such an answer; the message says why.

    """
    found = _parse(answer)
    if not isinstance(found, dict) or not found.keys() <= {"tags", "relations"}:
        msg = 'it must be a JSON object of "tags" and "relations"'
        raise EncoderError(msg)
    listed, related = found.get("tags"), found.get("relations", [])
    if not isinstance(listed, list) or not isinstance(related, list):
        msg = '"tags" and "relations" must be arrays'
        raise EncoderError(msg)
    tags = tuple(dict.fromkeys(map(_tag, listed)))
    if not FEWEST <= len(tags) <= MOST:
        msg = f"it has {len(tags)} tags; give {FEWEST} to {MOST}"
        raise EncoderError(msg)
    if len(related) > MOST_RELATIONS:
        msg = f"it has {len(related)} relations; give at most {MOST_RELATIONS}"
        raise EncoderError(msg)
    relations = tuple(dict.fromkeys(map(_relation, related)))
    _refuse_cycles(relations)
    return Tagging(tags, relations)


def write_answer(tagging: Tagging) -> str:
    """Return the answer that reads as this: how tags a model gave are kept."""
    relations = [relation._asdict() for relation in tagging.relations]
    return json.dumps({"tags": tagging.tags, "relations": relations}, ensure_ascii=False)


def _parse(answer: object) -> object:
    if not isinstance(answer, str) or len(answer) > LONGEST_ANSWER:
        msg = f"it must be text of at most {LONGEST_ANSWER} characters"
        raise EncoderError(msg)
    fenced = _FENCE.match(answer)
    try:
        return json.loads(fenced[1] if fenced else answer)
    except (ValueError, RecursionError) as exc:
        msg = "it is not JSON"
        raise EncoderError(msg) from exc


def _tag(given: object) -> str:
    name = tag_name(given) if isinstance(given, str) else None
    if name is None:
        msg = f"{given!r:.60} is no tag: at most three words, lower case, and not too broad"
        raise EncoderError(msg)
    return name


def _relation(given: object) -> Relation:
    if not isinstance(given, dict) or given.keys() != {"parent", "child"}:
        msg = 'a relation must be an object of "parent" and "child"'
        raise EncoderError(msg)
    return Relation(_tag(given["parent"]), _tag(given["child"]))


def _refuse_cycles(relations: Sequence[Relation]) -> None:
    """Refuse relations by which something would be broader than itself."""
    left = set(relations)
    while left:
        children = {child for _, child in left}
        tops = {relation for relation in left if relation.parent not in children}
        if not tops:
            msg = f"its relations go round in a circle: {min(left)}"
            raise EncoderError(msg)
        left -= tops
