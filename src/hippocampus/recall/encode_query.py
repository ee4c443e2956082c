"""A query's embedding and keywords: the slow part of reading it, done before an index is held."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Final, NamedTuple

from hippocampus.core.records import Degradation, Embedded, Embedder
from hippocampus.encode.given_parts import calling
from hippocampus.encode.keywords import KeywordExtractor, find_keywords
from hippocampus.errors import EncoderError
from hippocampus.index.query import Query
from hippocampus.recall.foreign import reads_script

_EMBEDDED: Final = frozenset({"vector", "tokens", "concept", "topic"})
"""Cues that use a question's embedding."""


class EncodedQuery(NamedTuple):
    """Outputs of the models for a question."""

    embedded: Embedded | None
    """None without an embedder, or if no cue that is asked uses it."""
    event: Embedded | None
    """The embedding of the event that its time hangs on, if one does."""
    parts: tuple[Embedded | None, ...]
    """Those of the events or the matter that it asks of whole conversations."""
    keywords: Sequence[str]
    """Words whose signatures are looked for; none where tokens are not signed."""
    degraded: tuple[Degradation, ...]
    """Parts that could not be made."""
    elapsed_s: float
    """Time that embedding took."""


def encode_query(
    query: Query,
    embedder: Embedder | None,
    *,
    lacking: Degradation | None,
    signed: bool,
    extract: KeywordExtractor | None,
    embed: Callable[[Embedder, str], Embedded],
) -> EncodedQuery:
    """
    Embed a question, and the event that its time hangs on, and choose its keywords.

    Args:
        query: the question, as ``parse`` returns it.
        embedder: embeds it; None if there is none.
        lacking: why there is none.
        signed: whether the bank's tokens are signed, so that keywords can be looked for.
        extract: chooses keywords; by default they are the rarest kinds of words in it.
        embed: has the embedder embed a text, unless that is known.

    """
    embedded = event = None
    about = () if query.conversation is None else query.conversation.about
    parts: tuple[Embedded | None, ...] = (None,) * len(about)
    degraded: list[Degradation] = []
    started = time.perf_counter()
    if not _EMBEDDED.isdisjoint(query.cues):
        if embedder is None:
            degraded += [] if lacking is None else [lacking]
        elif reads_script(embedder, query):
            try:
                embedded = embed(embedder, query.text)
                parts = tuple(embed(embedder, part) for part in about)
                event = None if query.event is None else embed(embedder, query.event.event)
            except EncoderError as exc:
                degraded.append(Degradation(part="embedder", reason=str(exc)))
    elapsed = time.perf_counter() - started
    keywords: Sequence[str] = ()
    if signed and "signature" in query.cues:
        try:
            keywords = _keywords(query.text, extract)
        except EncoderError as exc:
            degraded.append(Degradation(part="keywords", reason=str(exc)))
            keywords = find_keywords(query.text)
    return EncodedQuery(embedded, event, parts, keywords, tuple(degraded), elapsed)


def _keywords(text: str, extract: KeywordExtractor | None) -> Sequence[str]:
    if extract is None:
        return find_keywords(text)
    with calling("keyword extractor", type(extract).__name__):
        return [word for word in extract(text) if word.strip()]
