"""Any model that sentence-transformers can load, with its contextual token vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.optional import require
from hippocampus.core.records import Embedded, Passage
from hippocampus.encode.embedders.base import (
    FETCH,
    LocalEmbedder,
    fingerprint_of,
    loading,
    unit,
    valid,
)
from hippocampus.errors import EncoderError

_BATCH = 16
"""Texts of a pass: each is padded to the longest, so large batches of unlike texts take memory and
gain little. Set by hand."""
_PASSAGE_PROMPTS = ("document", "passage", "corpus")


class SentenceTransformerEmbedder(LocalEmbedder):
    """
    Runs a model of sentence-transformers, with its own prompts for questions and passages.

    Token vectors come along when the model gives one per piece of its tokenizer. Neighbours of a
    passage are ignored. Nothing is downloaded unless ``download`` says so.
    """

    def __init__(
        self, name_or_path: str, *, device: str | None = None, download: bool = False
    ) -> None:
        package = require(
            "sentence_transformers",
            extra="sentence-transformers",
            feature=f"the embedder sentence-transformers:{name_or_path}",
        )
        with loading("sentence-transformers", repr(name_or_path), fix=FETCH):
            self._model: Any = package.SentenceTransformer(
                name_or_path, device=device, local_files_only=not download
            )
        prompts: dict[str, str] = dict(getattr(self._model, "prompts", None) or {})
        self._query_prompt = prompts.get("query", "")
        self._prompt = next((prompts[name] for name in _PASSAGE_PROMPTS if name in prompts), "")
        # Versions before 5 have one method for questions and passages.
        self._encode: Callable[..., Any] = getattr(
            self._model, "encode_document", self._model.encode
        )
        self._encode_query: Callable[..., Any] = getattr(
            self._model, "encode_query", self._model.encode
        )
        self._gives_tokens = True
        (probe,) = self._run(self._encode, ["a probe"], self._prompt)
        # No tokens for the probe (a slow tokenizer, no transformer inside): none for any text.
        width = probe.tokens.shape[1] if probe.tokens is not None and len(probe.tokens) else 0
        self._gives_tokens = width > 0
        self.fingerprint = fingerprint_of(
            "sentence-transformers", name_or_path, len(probe.vector), width
        )

    def embed(self, passages: Sequence[Passage]) -> list[Embedded]:
        """Embed passages, in order."""
        return self._run(self._encode, [passage.text for passage in passages], self._prompt)

    def embed_query(self, text: str) -> Embedded:
        """Embed a question with the model's query prompt, if it has one."""
        return self._run(self._encode_query, [text], self._query_prompt)[0]

    def _run(self, encode: Callable[..., Any], texts: list[str], prompt: str) -> list[Embedded]:
        if not texts:
            return []
        bare = [text.strip() for text in valid(texts)]  # the library does so as well, silently
        prompt = prompt.lstrip()
        try:
            outputs = encode(
                bare, prompt=prompt, output_value=None, batch_size=_BATCH, show_progress_bar=False
            )
        except (RuntimeError, ValueError, IndexError) as exc:
            msg = f"sentence-transformers failed on {len(texts)} texts: {exc}"
            raise EncoderError(msg) from exc
        vectors = unit(
            np.stack([_array(output["sentence_embedding"]) for output in outputs]),
            by="sentence-transformers",
        )
        made = []
        for vector, text, stripped, output in zip(vectors, texts, bare, outputs, strict=True):
            tokens, spans = None, None
            if self._gives_tokens:
                shift = len(text) - len(text.lstrip()) - len(prompt)
                tokens, spans = self._tokens(prompt + stripped, len(prompt), output)
                spans = spans + np.int32(shift)
            made.append(Embedded(vector=vector, tokens=tokens, spans=spans))
        return made

    def _tokens(
        self, text: str, skip: int, output: dict[str, Any]
    ) -> tuple[NDArray[np.float32], NDArray[np.int32]]:
        """Return vectors and spans of the pieces after ``skip``; none where they do not align."""
        states = output.get("token_embeddings")
        tokenizer: Any = getattr(self._model, "tokenizer", None)
        if states is None or states.ndim != 2 or not getattr(tokenizer, "is_fast", False):
            return np.empty((0, 0), np.float32), np.empty((0, 2), np.int32)
        states = _array(states)
        cut = tokenizer(
            text,
            truncation=True,
            max_length=self._model.max_seq_length,
            return_offsets_mapping=True,
        )
        spans = np.array(cut["offset_mapping"], np.int32).reshape(-1, 2)
        used = _array(output["attention_mask"]).astype(bool)
        own = (spans[:, 0] >= skip) & (spans[:, 1] > spans[:, 0])
        # Where its pieces are the library does not say; cut again they have to be the same.
        if _array(output["input_ids"])[used].tolist() != list(cut["input_ids"]) or not own.any():
            return np.empty((0, states.shape[1]), np.float32), np.empty((0, 2), np.int32)
        return unit(states[used][own], by="sentence-transformers"), spans[own]


def _array(tensor: Any) -> NDArray[np.float32]:  # noqa: ANN401 - torch is not a dependency
    """Bring a tensor of any device and width to NumPy."""
    array: NDArray[np.float32] = tensor.detach().float().cpu().numpy()
    return array
