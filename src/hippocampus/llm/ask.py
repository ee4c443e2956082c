"""
Have a language model answer: instructions from a file, quoted data, a reader who believes nothing.

Whoever asks goes on without an answer when there is none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import cache
from itertools import repeat
from pathlib import Path
from threading import Event
from typing import Any, Final, Generic, NamedTuple, Protocol, TypeVar, runtime_checkable

from hippocampus.core.budget import budget_check
from hippocampus.core.lazy_dataclass import immutable
from hippocampus.core.records import Usage
from hippocampus.errors import (
    EncoderError,
    HippocampusError,
    InputError,
    ModelAnswer,
    ModelError,
    ModelUnavailable,
)

T = TypeVar("T")

PROMPTS: Final = Path(__file__).parent / "prompts"
"""Instructions of the product, a file each."""
ATTEMPTS: Final = 2
"""Attempts for one usable answer; from the second on, the model is told what was wrong."""
PATIENCE: Final = 3
"""Failures in a row after which a model is not asked the rest: a server that is down stays down for
a while, and each attempt may take minutes."""
LONGEST_ANSWER: Final = 65_536
"""Characters in which JSON is looked for."""
_BEGINNINGS: Final = 64
"""Places at which JSON may begin that are tried."""
_CHARS_A_TOKEN: Final = 4
"""Bytes of UTF-8 for a token, about: English has some 4.5 characters. It only stands in for a usage
that no server reported, and is told as an estimate."""
_BEGIN = re.compile(r"[{\[]")
_UNTAGGED = str.maketrans({"<": "\\u003c", ">": "\\u003e"})


class Completer(Protocol):
    """
    A language model: a prompt in, its answer out.

    It raises ``EncoderError`` when it cannot answer: out of reach, out of time, out of money.
    """

    def __call__(self, prompt: str, /) -> str:
        """Return the model's answer."""
        ...


class Completion(NamedTuple):
    """The text of a model's answer, and the tokens that it cost."""

    text: str
    usage: Usage


@runtime_checkable
class ChatModel(Protocol):
    """A ``Completer`` that tells instructions from data, knows schemas, and counts tokens."""

    @property
    def concurrency(self) -> int:
        """Most requests under way at once."""
        ...

    def complete(
        self,
        prompt: str,
        /,
        *,
        system: str = "",
        schema: Mapping[str, Any] | None = None,
        kind: str = "other",
    ) -> Completion:
        """Return the model's answer, as JSON of the schema if it can; or raise ``EncoderError``."""
        ...


def as_data(value: object) -> str:
    """
    Quote untrusted data as JSON between tags: nothing in it can end the one or the other.

    It still reads as JSON; ``<`` and ``>`` are written as JSON may.
    """
    return f"<data>\n{_quoted(value)}\n</data>"


def _quoted(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=0).translate(_UNTAGGED)


@immutable
class ModelTask(Generic[T]):
    """
    Something that models are asked for.

    Args:
        kind: what it is called, and the file that has its instructions.
        read: makes of an answer what was asked for, or raises ``ModelAnswer`` that says what is
            wrong with it, for the model to read.
        schema: what the answer looks like, in JSON Schema, for servers that heed it. Nothing relies
            on that: ``read`` checks.
        show: how data stands in the prompt. What ``context`` composed is quoted already.
        folder: where that file is.

    """

    kind: str
    read: Callable[[str], T] = field(repr=False)
    schema: Mapping[str, Any] | None = field(default=None, repr=False)
    show: Callable[[Any], str] = field(default=as_data, repr=False)
    folder: Path = field(default=PROMPTS, repr=False)


class ModelReply(NamedTuple, Generic[T]):
    """An answer or the error in its place, and the tokens that either cost."""

    answer: T | EncoderError
    usage: Usage


def ask(
    model: Completer | ChatModel, question: ModelTask[T], data: object, *, attempts: int = ATTEMPTS
) -> ModelReply[T]:
    """Ask about data until the answer can be used, ``attempts`` times at most."""
    if attempts < 1:
        msg = f"attempts={attempts}: must be at least 1"
        raise InputError(msg)
    usage = Usage()
    wrong = ""
    told, quoted = instructions(question.kind, question.folder), question.show(data)
    for attempt in range(1, attempts + 1):
        again = f"\n\nYour last answer could not be used: {wrong} Answer again." if wrong else ""
        try:
            made = _completed(model, told, quoted + again, question)
            usage += made.usage
            return ModelReply(question.read(made.text), usage)
        except ModelAnswer as exc:
            # Quoted: the message may repeat words of the model, which are data as well.
            wrong = _quoted(str(exc))
            usage += exc.usage if isinstance(exc.usage, Usage) else Usage()
            if attempt == attempts:
                msg = f"no usable {question.kind} in {attempts} attempts; the last answer: {exc}"
                failed = ModelAnswer(msg)
                failed.__cause__ = exc
                return ModelReply(failed, usage)
        except EncoderError as exc:
            return ModelReply(exc, usage)
    raise AssertionError


def ask_many(
    model: Completer | ChatModel,
    question: ModelTask[T] | Callable[[Any], ModelTask[T]],
    many: Sequence[object],
) -> list[ModelReply[T]]:
    """
    Ask about each of many, as many at once as the model allows; answers in the order of ``many``.

    After ``PATIENCE`` failures in a row the rest is not asked. ``question``: of all, or made of
    the data of each.
    """
    at_once = model.concurrency if isinstance(model, ChatModel) else 1

    def work(data: object) -> ModelReply[T]:
        asked = question if isinstance(question, ModelTask) else question(data)
        return ask(model, asked, data)

    return each(many, work, at_once)


def each(
    many: Sequence[object], work: Callable[[Any], ModelReply[T]], at_once: int
) -> list[ModelReply[T]]:
    """
    Map ``work`` over many, ``at_once`` in parallel, until it fails too often in a row.

    None is begun once whoever calls has called it off, or has nothing left of their budget.
    """
    given_up, check = Event(), budget_check()
    failed: list[EncoderError] = []  # in a row; appending and clearing are atomic

    def one(data: object) -> ModelReply[T]:
        if given_up.is_set():
            why = f": {failed[-1]}" if failed else ""
            return ModelReply(
                ModelError(f"not asked, after {PATIENCE} failures in a row{why}"), Usage()
            )
        check()
        asked = work(data)
        # A server that answers, however badly, is not down.
        if isinstance(asked.answer, EncoderError) and not isinstance(asked.answer, ModelAnswer):
            failed.append(asked.answer)
            if len(failed) >= PATIENCE:
                given_up.set()
        elif not given_up.is_set():
            failed.clear()
        return asked

    if at_once == 1 or len(many) < 2:
        return [one(data) for data in many]
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415 - with logging, for one use

    with ThreadPoolExecutor(min(at_once, len(many)), thread_name_prefix="ask") as pool:
        try:
            return list(pool.map(one, many))
        finally:
            given_up.set()  # if somebody interrupts, no more is asked than already is


def _completed(
    model: Completer | ChatModel, told: str, data: str, question: ModelTask[Any]
) -> Completion:
    try:
        if isinstance(model, ChatModel):
            made = model.complete(data, system=told, schema=question.schema, kind=question.kind)
        else:
            prompt = f"{told}\n{data}"
            text = model(prompt)
            made = Completion(text, estimate(prompt, text if isinstance(text, str) else ""))
    except HippocampusError:
        raise
    except Exception as exc:
        # Whatever client a caller has wrapped: connections, time. Those of httpx and of openai are
        # no OSErrors; a mistake of the function itself is a built-in error, and not hidden.
        if type(exc).__module__ == "builtins" and not isinstance(exc, OSError):
            raise
        msg = f"{type(exc).__name__}: {exc}"
        raise ModelUnavailable(msg) from exc
    if not isinstance(made.text, str):
        msg = f"it must be text, and is {type(made.text).__name__}"
        raise ModelAnswer(msg)
    return made


def estimate(asked: str, answered: str) -> Usage:
    """Estimate the tokens of a call whose server reports no usage."""
    prompt, completion = (
        -(-len(text.encode("utf-8", "replace")) // _CHARS_A_TOKEN) for text in (asked, answered)
    )
    return Usage(calls=1, prompt_tokens=prompt, completion_tokens=completion, estimated=1)


@cache
def instructions(kind: str, folder: Path = PROMPTS) -> str:
    """Return the instructions for models that are asked for something of this kind."""
    return (folder / f"{kind}.txt").read_text("utf-8")


def json_of(answer: str) -> Any:  # noqa: ANN401 - any JSON
    """
    Return the first JSON object or array in an answer, or all of the answer if that is JSON.

    What a model thought aloud before it answered is passed over.

    Raises:
        ModelAnswer: there is none, the answer is too long to look, or it has half of a character,
            which nothing of ours can keep.

    """
    found = _first_json(answer)
    try:
        json.dumps(found, ensure_ascii=False).encode()
    except (UnicodeEncodeError, RecursionError) as exc:
        msg = "it has half of a character, as \\ud83d: spell it whole, or leave it out"
        raise ModelAnswer(msg) from exc
    return found


def _first_json(answer: str) -> Any:  # noqa: ANN401 - any JSON
    # What is thought aloud may have JSON in it that is not the answer.
    answer = answer.rpartition("</think>")[2].strip()
    if len(answer) > LONGEST_ANSWER:
        msg = f"it must be at most {LONGEST_ANSWER} characters"
        raise ModelAnswer(msg)
    try:
        return json.loads(answer)
    except (ValueError, RecursionError):
        pass  # there may be words around it, or a fence
    decoder = json.JSONDecoder()
    # Bounded, for each beginning may be read to the end of the answer in vain.
    for begin, _ in zip(_BEGIN.finditer(answer), repeat(None, _BEGINNINGS), strict=False):
        try:
            return decoder.raw_decode(answer, begin.start())[0]
        except (ValueError, RecursionError):
            continue
    msg = "it is not JSON"
    raise ModelAnswer(msg)
