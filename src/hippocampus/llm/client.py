"""A language model on a server that speaks the OpenAI protocol: chat completions, and no more."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from types import MappingProxyType
from typing import Any, Final, Self

from hippocampus.core.records import Usage
from hippocampus.core.validation import clean
from hippocampus.errors import EncoderError, InputError, ModelAnswer, ModelRefused
from hippocampus.llm.ask import Completer, Completion, ModelReply, each, estimate
from hippocampus.llm.cassette import Cassette
from hippocampus.llm.http import OPENAI, Hear, RequestLimits, Server

FORMATS: Final = ("json_schema", "json_object", "text")
"""Ways of asking for JSON, the strictest first; servers differ in which they know."""
UNKNOWN: Final = frozenset({400, 422})
"""Statuses with which servers say that they do not know one."""
_LONGEST_ANSWER: Final = 4 << 20
"""Bytes of a server's answer, far beyond the 65 536 characters that are looked at (``llm/ask.py``).
Chosen by hand."""
_BROKEN_OFF: Final = "broken_off"
_SPOILT: Final = {
    "length": "the answer was cut off at the server's limit of tokens",
    "content_filter": "the server filtered the answer",
    _BROKEN_OFF: "the answer broke off in the middle",
    "error": "the server failed in the middle of the answer",
}
"""Faults of an answer by its ``finish_reason``; ``broken_off`` is our own."""
_RESERVED: Final = frozenset({"model", "messages", "response_format", "stream", "n"})


class LanguageModel:
    """
    A language model on a server, for ``Memory(model=…)`` or to be called as a function.

    Nothing is sent before it is asked. Many threads may ask at once.

    Args:
        name: the server's name for the model.
        url: where the server is, as ``http://localhost:11434/v1``; OpenAI's unless given.
        key: what the server wants to know. It is sent to that server and goes nowhere else: not
            into errors, ``repr``, the store or a cassette. One of fewer than 8 characters is taken
            for no secret.
        timeout_s: how long one answer may take in all, further attempts and pauses included.
        connect_timeout_s: of that, how long reaching the server may take each time.
        retries: further attempts after a broken line, 429 or 5xx; each pause is longer than the
            last, and as long as the server asks for.
        concurrency: questions under way at once; more wait.
        options: what else goes into every request, such as ``{"temperature": 0,
            "max_tokens": 500}``; by default the server decides.
        cassette: records what is answered, or answers from what was recorded.
        pause: how to wait.

    """

    def __init__(  # noqa: PLR0913 - a public verb
        self,
        name: str,
        *,
        url: str = OPENAI,
        key: str | None = None,
        timeout_s: float = 120.0,
        connect_timeout_s: float = 5.0,
        retries: int = 3,
        concurrency: int = 4,
        options: Mapping[str, Any] | None = None,
        cassette: Cassette | None = None,
        pause: Callable[[float], object] = time.sleep,
    ) -> None:
        if not isinstance(name, str) or not name.strip():
            msg = f"name={name!r}: must be the server's name for the model, such as 'llama3.2'"
            raise InputError(msg)
        wrong = _RESERVED & set(options or {})
        if wrong:
            msg = f"options: {', '.join(sorted(wrong))} cannot be set; leave it out"
            raise InputError(msg)
        self.name = name
        self._concurrency = concurrency
        self._options = dict(options or {})
        limits = RequestLimits(timeout_s, connect_timeout_s, retries, concurrency, _LONGEST_ANSWER)
        self._server = Server(url, key=key, limits=limits, cassette=cassette, pause=pause)
        self._formats: dict[str, int] = {}  # by kind: one schema may be too much for a server
        self._stream: dict[str, object] = {"stream": True}  # until a server refuses that
        self._usage: dict[str, Usage] = {}
        self._counting = threading.Lock()

    @property
    def url(self) -> str:
        """The server's address."""
        return self._server.url

    @property
    def concurrency(self) -> int:
        """Questions that may be under way at once."""
        return self._concurrency

    @property
    def usage(self) -> Mapping[str, Usage]:
        """Tokens asked and answered so far, by kind of question."""
        with self._counting:
            return MappingProxyType(dict(self._usage))

    def __call__(self, prompt: str, /) -> str:
        """Return the model's answer."""
        return self.complete(prompt).text

    def complete(
        self,
        prompt: str,
        /,
        *,
        system: str = "",
        schema: Mapping[str, Any] | None = None,
        kind: str = "other",
        say: Callable[[str], object] | None = None,
    ) -> Completion:
        """
        Ask once, and return the answer with its cost in tokens.

        Args:
            prompt: what the user says.
            system: what the model is told beforehand.
            schema: a JSON Schema of the answer. The server is asked to keep to it in the strictest
                way it knows, which is found out once; check what it answers all the same.
            kind: under what ``usage`` counts it.
            say: told the answer piece by piece as it comes, where the server streams; without a
                schema only. If it breaks off after that, it is not asked again.

        Raises:
            ModelError: one of its kinds; ``hippocampus.errors`` has them.

        """
        if schema is None and say is not None:
            return self._streamed(system, prompt, kind, say)
        if schema is None:
            return self._completion(self._post(system, prompt), kind, system + prompt)
        refused: ModelRefused | None = None
        # From the one that worked last: each stricter one would cost a refused request again.
        for at in range(self._formats.get(kind, 0), len(FORMATS)):
            # Less strict ways do not carry the schema, so the model has to read it.
            told = system if at == 0 else _with_schema(system, schema)
            try:
                answer = self._post(told, prompt, None, **_format(FORMATS[at], schema, kind))
            except ModelRefused as exc:
                # The first is of what was really asked for; later ones follow from falling back.
                refused = refused or exc
                # Refused for another reason, such as its key, which another form does not mend.
                if exc.status not in UNKNOWN:
                    break
                continue
            self._formats[kind] = at
            return self._completion(answer, kind, told + prompt)
        assert refused is not None
        raise refused

    def _streamed(
        self, system: str, prompt: str, kind: str, say: Callable[[str], object]
    ) -> Completion:
        """Return an answer that is told as it comes, or all at once if the server has it so."""
        pieces = _Pieces(say)
        try:
            answer = self._post(system, prompt, pieces.hear, **self._stream)
        except ModelRefused as exc:
            # Some have models that they stream to certain customers alone.
            if not self._stream or exc.status not in UNKNOWN:
                raise
            try:
                answer = self._post(system, prompt)
            except ModelRefused:
                raise exc from None  # it was not for the stream
            self._stream = {}
        # A stream was told as it came.
        if answer is None:
            return self._completion(pieces.whole(), kind, system + prompt)
        made = self._completion(answer, kind, system + prompt)
        say(made.text)
        return made

    def complete_many(
        self,
        prompts: Sequence[str],
        *,
        system: str = "",
        schema: Mapping[str, Any] | None = None,
        kind: str = "other",
    ) -> list[Completion | EncoderError]:
        """
        Ask each, ``concurrency`` of them at once; answers, or why there is none, in their order.

        After three failures in a row the rest is not asked: the server will not be back so soon.
        """

        def one(prompt: str) -> ModelReply[Completion]:
            try:
                made = self.complete(prompt, system=system, schema=schema, kind=kind)
            except EncoderError as exc:
                return ModelReply(exc, Usage())
            return ModelReply(made, made.usage)

        return [asked.answer for asked in each(prompts, one, self._concurrency)]

    def close(self) -> None:
        """Close the connections. May be called twice."""
        self._server.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"LanguageModel({self.name!r}, url={self.url!r})"

    def _post(self, system: str, prompt: str, hear: Hear | None = None, **more: object) -> Any:  # noqa: ANN401 - any JSON
        messages = [{"role": "user", "content": prompt}]
        if system:
            messages.insert(0, {"role": "system", "content": system})
        asked = {"model": self.name, "messages": messages, **self._options, **more}
        return self._server.post("/chat/completions", asked, hear)

    def _completion(self, answer: Any, kind: str, asked: str) -> Completion:  # noqa: ANN401
        """Read an answer of the protocol, as far as servers agree on it."""
        text, why = _text_of(answer)
        if error := _error_of(answer):
            # Even where all else is there: what came before it is only a part of an answer.
            shown = self._server.shown(json.dumps({"error": error}).encode())
            why = f"{why or 'the server failed'}: {shown}"
        usage = _usage_of(answer) or estimate(asked, text)
        with self._counting:  # an answer that is of no use has been paid for
            self._usage[kind] = self._usage.get(kind, Usage()) + usage
        if why:
            msg = f"{self.name} at {self.url}: {why}"
            raise ModelAnswer(msg, usage=usage)
        return Completion(text, usage)


class _Pieces:
    """An answer that comes in pieces, and in the end is one of the protocol."""

    def __init__(self, say: Callable[[str], object]) -> None:
        self._say = say
        self._said: list[str] = []
        self._half = ""
        self._refusal: object = None
        self._finish: object = None
        self._error: object = None
        self._usage: object = None
        self._ended = False

    def hear(self, line: bytes) -> None:
        """Take in a line of the stream; lines that are no data, or none of ours, pass."""
        name, _, data = line.partition(b":")
        if name != b"data":
            return
        self._ended = self._ended or data.strip() == b"[DONE]"
        said: object = None
        with suppress(ValueError, RecursionError, LookupError, TypeError, AttributeError):
            event = json.loads(data)
            self._usage = event.get("usage") or self._usage
            # Some end the stream after it as if nothing had happened.
            self._error = _error_of(event) or self._error
            choice = event["choices"][0]
            self._finish = choice.get("finish_reason") or self._finish
            self._refusal = choice["delta"].get("refusal") or self._refusal
            said = choice["delta"].get("content")
        if isinstance(said, str) and said:
            said = self._half + said
            # The other half of a character may come with the next piece.
            self._half = said[-1] if "\ud800" <= said[-1] <= "\udbff" else ""
            self._tell(said.removesuffix(self._half))

    def _tell(self, said: str) -> None:
        if said:
            self._said.append(clean(said))
            self._say(self._said[-1])

    def whole(self) -> Any:  # noqa: ANN401 - JSON, as the protocol has it
        """Return all of it; it broke off if its end did not come."""
        self._tell(self._half)
        why = self._finish or (None if self._ended else _BROKEN_OFF)
        content = None if self._refusal and not self._said else "".join(self._said)
        message = {"content": content, "refusal": self._refusal}
        choices = [{"message": message, "finish_reason": why}]
        return {"choices": choices, "usage": self._usage, "error": self._error}


def load_model(spec: str, *, options: Mapping[str, Any] | None = None) -> Completer | None:
    """
    Return the language model that ``openai:NAME[@URL]`` names; None for ``none``.

    The key is ``HIPPOCAMPUS_MODEL_KEY`` of the environment; for OpenAI's own server, if that is
    not there, ``OPENAI_API_KEY``. That one is for nobody else. ``options`` go into every request.

    Raises:
        InputError: it has neither form.

    """
    kind, _, rest = spec.partition(":")
    if spec == "none":
        return None
    name, at, url = rest.partition("@")
    if kind != "openai" or not name or (at and not url):
        msg = (
            f"unknown model {spec.partition('@')[0]!r}: use openai:NAME@URL, such as"
            " openai:llama3.2@http://localhost:11434/v1, or none"
        )
        raise InputError(msg)
    key = os.environ.get("HIPPOCAMPUS_MODEL_KEY")
    if not key and not url:
        key = os.environ.get("OPENAI_API_KEY")
    return LanguageModel(name, url=url or OPENAI, key=key, options=options)


def _with_schema(system: str, schema: Mapping[str, Any]) -> str:
    told = "Answer with nothing but JSON that fits this JSON Schema: "
    return f"{system}\n\n{told}{json.dumps(schema)}".lstrip()


def _format(form: str, schema: Mapping[str, Any], kind: str) -> dict[str, object]:
    if form == "text":
        return {}
    asked: dict[str, object] = {"type": form}
    if form == "json_schema":
        asked["json_schema"] = {"name": kind, "schema": schema, "strict": True}
    return {"response_format": asked}


def _text_of(answer: Any) -> tuple[str, str]:  # noqa: ANN401
    """Return the text of an answer, and the fault in it; empty for none."""
    try:
        choice = answer["choices"][0]
        content = choice["message"]["content"]
        if isinstance(content, list):
            content = "".join(part["text"] for part in content if part.get("type") == "text")
        if content is None and isinstance(choice["message"].get("refusal"), str):
            return "", "the model declined to answer"
        if not isinstance(content, str):
            return "", "the answer has no text"
        return clean(content), _SPOILT.get(choice.get("finish_reason"), "")
    except (LookupError, TypeError, AttributeError):
        return "", "the answer is not one of the protocol, which has choices with a message each"


def _error_of(answer: Any) -> object:  # noqa: ANN401
    """Return the error that a server reports; None without one, or if nothing stands in it."""
    error = answer.get("error") if isinstance(answer, dict) else None
    said = any(error.values()) if isinstance(error, dict) else error
    return error if said else None


def _usage_of(answer: Any) -> Usage | None:  # noqa: ANN401
    """Return the usage that the server reports; None without one that makes sense."""
    try:
        prompt, completion = (
            answer["usage"][f"{part}_tokens"] for part in ("prompt", "completion")
        )
    except (LookupError, TypeError):
        return None
    # A trillion tokens are in no prompt: a server that says so reports nothing.
    if all(type(tokens) is int and 0 <= tokens < 1 << 40 for tokens in (prompt, completion)):
        return Usage(calls=1, prompt_tokens=prompt, completion_tokens=completion)
    return None
