"""The third step of the write flow: the payloads of drafts, embedding included."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import tzinfo
from functools import partial
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.background_call import BackgroundCall
from hippocampus.core.background_yield import pausing
from hippocampus.core.config import Signatures, Vectors
from hippocampus.core.records import Embedded, Embedder, Kind, Passage
from hippocampus.encode.given_parts import embed_passages
from hippocampus.encode.pooled_tokens import pool
from hippocampus.encode.random_indexing import sign
from hippocampus.encode.signature import Rotation, rotation_for
from hippocampus.encode.token_spans import pack_spans
from hippocampus.encode.tokens import ID_BYTES, ids_of, pack, unpack
from hippocampus.index.late_interaction import pack_codes
from hippocampus.index.vector_codec import pack_vectors
from hippocampus.journal.draft import CONTEXT_CHARACTERS, CONTEXT_TURNS, Draft, Encoded
from hippocampus.write.analyse import analyse

_TOKENS_AT_ONCE: Final = 4096
"""Token vectors rotated in one product: 6 MB of them."""
_USUAL: Final = Vectors()
_WORTH_A_THREAD: Final = 32
"""Drafts whose signatures take longer than to start a thread for them."""


def encode_drafts(
    drafts: Sequence[Draft],
    before: Sequence[Sequence[str]],
    *,
    zone: tzinfo,
    embedder: Embedder | None,
    signed: Signatures | None,
    phrases: bool = False,
    spans: bool = False,
    form: Vectors = _USUAL,
) -> Encoded:
    """
    Return the payloads of drafts.

    ``before``: what was said before each, oldest first; it colours the token vectors. ``zone``: in
    which "yesterday" is a day. ``signed``:
    how tokens are signed, if they are. ``phrases``: theirs as well, for a bank that has anchors.
    ``spans``: also where in the text each of the embedder's tokens stands, so that none is pooled.
    ``form``: how much is kept of vectors.
    """
    content = [pack(ids_of(d.text)) if d.content is None else d.content for d in pausing(drafts)]
    made: dict[Kind, list[bytes]] = {"content": content}
    # Many are signed on a thread of their own, beside the reading of what the texts say.
    signatures = None if signed is None else _signing(content, signed)
    made |= analyse(drafts, zone=zone, phrases=phrases)
    if signatures is not None:
        made["signature"] = signatures()
    if embedder is not None and drafts:
        passages = [
            Passage(d.spoken, before="\n".join(said)[-CONTEXT_CHARACTERS:])
            for d, said in zip(drafts, before, strict=True)
        ]
        distinct = list(dict.fromkeys(passages))  # a text may be one sentence, over and over
        known = dict(zip(distinct, embed_passages(embedder, distinct), strict=True))
        embedded = [known[passage] for passage in passages]
        made["vector"] = pack_vectors(np.stack([e.vector for e in embedded]), bits=form.bits)
        rotation = rotation_for(embedder.fingerprint)
        if rotation is not None:
            tokens = [e.tokens for e in embedded]
            if not spans:
                tokens = [
                    _pooled(p.text, e, form.pooled) for p, e in zip(passages, embedded, strict=True)
                ]
            made["tokens"] = [
                pack_codes(codes, 0 if e.tokens is None else len(e.tokens))
                for codes, e in zip(_signatures(tokens, rotation), embedded, strict=True)
            ]
            if spans:
                made["spans"] = list(map(_spans, drafts, content, embedded))
    return {
        kind: {d.id: payload for d, payload in zip(drafts, column, strict=True) if payload}
        for kind, column in made.items()
    }


def _signing(content: Sequence[bytes], how: Signatures) -> Callable[[], list[bytes]]:
    """Return the making of the signatures of each draft's tokens, which may be under way."""
    ids = unpack(b"".join(content))
    ends = np.cumsum([0, *(len(one) // ID_BYTES for one in content)], dtype=np.uint64)
    codes: Callable[[], NDArray[np.uint8]] = partial(sign, ids, ends, how)
    if len(content) >= _WORTH_A_THREAD:
        codes = BackgroundCall(codes).result
    return lambda: _parted(codes(), ends.tolist())


def _parted(codes: NDArray[np.uint8], ends: Sequence[int]) -> list[bytes]:
    """Return the signatures of each text's tokens as bytes."""
    raw, width = codes.tobytes(), codes.shape[1]
    return [raw[start * width : end * width] for start, end in pairwise(ends)]


def _pooled(text: str, embedded: Embedded, size: int) -> NDArray[np.float32] | None:
    """Return token vectors, those that tell little together, where it is known what they cover."""
    spans, tokens = embedded.spans, embedded.tokens
    if spans is None or tokens is None or len(spans) != len(tokens):
        return tokens
    return pool(text, spans, tokens, size=size)


def _spans(draft: Draft, content: bytes, embedded: Embedded) -> bytes:
    """Return the places of a draft's token vectors in its content; nothing where none says so."""
    spans, tokens = embedded.spans, embedded.tokens
    if spans is None or tokens is None or not 0 < len(spans) == len(tokens):
        return b""
    lead = len(draft.spoken) - len(draft.text)
    return pack_spans(draft.text, unpack(content), spans[:, 0] - lead)


def _signatures(
    tokens: Sequence[NDArray[np.float32] | None], rotation: Rotation
) -> list[NDArray[np.uint8]]:
    """Return each passage's token signatures; many at a time, for a product costs by the call."""
    present = [own for own in tokens if own is not None and len(own)]
    codes: list[NDArray[np.uint8]] = []
    start = 0
    while start < len(present):
        stop, size = start, 0
        while stop < len(present) and size < _TOKENS_AT_ONCE:
            size += len(present[stop])
            stop += 1
        some = present[start:stop]
        ends = np.cumsum([len(own) for own in some])[:-1]
        codes += np.split(rotation.codes(np.concatenate(some)), ends)
        start = stop
    made, none = iter(codes), np.empty((0, rotation.bits // 8), np.uint8)
    return [none if own is None or not len(own) else next(made) for own in tokens]


def context_before(drafts: Iterable[Draft], said: dict[str, list[str]]) -> list[list[str]]:
    """
    Return, for each draft, the last few things said before it in its session.

    ``said``: what the sessions' turns said last, by session, oldest first; carried on in place.
    """
    before: list[list[str]] = []
    for d in drafts:
        if d.session is None:
            before.append([])
            continue
        lines = said.setdefault(d.session, [])
        before.append(lines[:])
        lines.append(d.spoken[-CONTEXT_CHARACTERS:])
        del lines[:-CONTEXT_TURNS]
    return before
