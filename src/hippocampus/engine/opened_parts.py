"""The parts that a memory is opened with: made of specifications, or checked where given."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from hippocampus.core.config import Config
from hippocampus.core.key import Key
from hippocampus.core.records import Degradation, Embedder, EmbeddingFunction, Fingerprint, Reranker
from hippocampus.core.store_address import StoreAddress
from hippocampus.encode.embed import load_embedder
from hippocampus.encode.given_parts import calling
from hippocampus.encode.keywords import KeywordExtractor
from hippocampus.errors import InputError, ModelNotInstalled
from hippocampus.llm.ask import ChatModel, Completer

SWITCHED_OFF: Final = Degradation(
    part="embedder", reason="switched off; recall goes by words and time"
)
_SHOWN: Final = 100
"""Characters of a value that a message shows. Chosen by hand."""


class StoreAccess(NamedTuple):
    """Access to a store: its place, the keys to it, and whether it may be made or changed."""

    path: StoreAddress
    key: Key | None = None
    """Opens a store that is encrypted, and encrypts one that is made."""
    vault: Key | None = None
    """Opens and seals the secrets that are taken out of texts."""
    read_only: bool = False
    create: bool = True


class GivenModels(NamedTuple):
    """Models, one for each task, as ``Memory`` is given them: not opened yet, nor checked."""

    embedder: str | Embedder | EmbeddingFunction | None = "default"
    reranker: str | Reranker | None = None
    keywords: KeywordExtractor | None = None
    model: Completer | ChatModel | None = None


def open_embedder(
    embedder: str | Embedder | EmbeddingFunction | None,
) -> tuple[Embedder | None, Degradation | None]:
    """
    Return the embedder that is meant, none for None; if one is lacking, why.

    Raises:
        InputError: it is none.
        EncoderError: it could not say which it is.

    """
    if embedder is None:
        return None, None
    if not isinstance(embedder, str):
        return as_embedder(embedder), None
    if embedder == "none":
        return None, SWITCHED_OFF
    try:
        return load_embedder(embedder), None
    except ModelNotInstalled as exc:
        # Who names a model wants that one; who names none is better off with words than with
        # nothing.
        if embedder != "default":
            raise
        return None, Degradation(part="embedder", reason=str(exc))


def as_embedder(given: Embedder | EmbeddingFunction) -> Embedder:
    """Return an embedder that was given, or one that asks the function that was."""
    wants = ("fingerprint", "embed", "embed_query")
    # Of its class, for to look a fingerprint up may ask a server.
    has = [name for name in wants if name in dir(given)]
    if not has and callable(given) and not isinstance(given, type):
        from hippocampus.encode.embedders.function import (  # noqa: PLC0415 - only where one is
            FunctionEmbedder,
        )

        return FunctionEmbedder(given)
    if isinstance(given, type) or len(has) < len(wants):
        lacking = ", ".join(name for name in wants if name not in has)
        why = "it is a class" if isinstance(given, type) else f"it lacks {lacking}"
        raise InputError(
            f"embedder={given!r:.{_SHOWN}}: must be a specification, such as"
            " 'openai:MODEL@URL', a function of a list of texts that returns their vectors, or an"
            f" object with fingerprint, embed and embed_query; {why}"
        )
    one: Any = given
    with calling("embedder", type(given).__name__):
        fingerprint = one.fingerprint
    if not isinstance(fingerprint, Fingerprint):
        raise InputError(
            f"embedder={given!r:.{_SHOWN}}: its fingerprint is {fingerprint!r:.{_SHOWN}}; must be"
            " a hippocampus.Fingerprint(name=…, weights=…, dimension=…)"
        )
    checked: Embedder = one
    return checked


def open_reranker(reranker: str | Reranker | None) -> Reranker | None:
    """
    Return the reranker that is meant, if any.

    Raises:
        InputError: it is none.

    """
    if reranker == "none" or reranker is None:
        return None
    if isinstance(reranker, str):
        from hippocampus.recall.rerankers import load_reranker  # noqa: PLC0415 - only where one is

        return load_reranker(reranker)
    if isinstance(reranker, type) or not callable(getattr(reranker, "rerank", None)):
        raise InputError(
            f"reranker={reranker!r:.{_SHOWN}}: must be a specification, such as"
            " 'rerank:http://localhost:8080/rerank', or an object with a name and"
            " rerank(query, texts), which returns a number per text"
        )
    return reranker


def check_parts(*, config: object, clock: object, keywords: object, model: object) -> None:
    """
    Refuse parts of a memory that are of another kind; None is the default one.

    Raises:
        InputError: one is; it says what it must be.

    """
    rules = (
        ("config", config, isinstance(config, Config), "a Config, such as Config(timezone='UTC')"),
        ("clock", clock, callable(getattr(clock, "now", None)),
         "an object whose now() returns a datetime with a time zone, such as ManualClock"),
        ("keywords", keywords, callable(keywords), "a function of a question to its keywords"),
        ("model", model, callable(model) or callable(getattr(model, "complete", None)),
         "a specification, such as 'openai:MODEL@URL', a LanguageModel, or a function of a prompt"),
    )  # fmt: skip
    for name, given, fits, rule in rules:
        if given is not None and (isinstance(given, type) or not fits):
            raise InputError(f"{name}={given!r:.{_SHOWN}}: must be {rule}; or left out")
