"""
The synthetic conversations on which embedders are calibrated, with questions and their answers.

They ship as text, ``conversations.json.xz``, so that every machine reads the same: by columns, for
what is alike packs better side by side. The generator is ``hippocampus_bench.synthetic``, and no
benchmark leaks into a default through them.
"""

from __future__ import annotations

import lzma
from pathlib import Path
from typing import Final, Self

from msgspec import Struct, json
from msgspec.structs import asdict, astuple, replace

_FILE: Final = Path(__file__).parent / "conversations.json.xz"


class SyntheticQuestion(Struct, frozen=True, array_like=True):
    """A question about a conversation; ``answers``: the turns that answer it, by place."""

    text: str
    answers: tuple[int, ...]
    kind: str
    """Such as "indirect"; "unsaid", "misattributed", "mistaken" and "off-topic" have no answer."""


class SyntheticConversation(Struct, frozen=True, array_like=True):
    """
    A conversation of n turns, a column for each thing that is known of them, and its questions.

    Two people talk, or in every third a user and an assistant, who have roles in place of names.
    """

    id: str
    texts: tuple[str, ...]
    speakers: tuple[str | None, ...]
    roles: tuple[str | None, ...]
    occurred_at: tuple[int, ...]
    """In seconds since 1970."""
    sessions: tuple[str, ...]
    topics: tuple[str, ...]
    """Of the facts that turns tell; "" for small talk."""
    asked_at: int
    questions: tuple[SyntheticQuestion, ...]


class SyntheticData(Struct, frozen=True):
    """All of it; ``pairs``: turns that say the same of different things, in the same words."""

    seed: int
    pairs: tuple[tuple[str, str], ...]
    conversations: tuple[SyntheticConversation, ...]

    def first(self, conversations: int) -> Self:
        """Return it with so many conversations."""
        return replace(self, conversations=self.conversations[:conversations])


class _Shipped(Struct, frozen=True):
    """The same as it ships: of all conversations the ids, then of all the texts, and so on."""

    seed: int
    pairs: tuple[tuple[str, str], ...]
    conversations: tuple[
        tuple[str, ...],
        tuple[tuple[str, ...], ...],
        tuple[tuple[str | None, ...], ...],
        tuple[tuple[str | None, ...], ...],
        tuple[tuple[int, ...], ...],
        tuple[tuple[str, ...], ...],
        tuple[tuple[str, ...], ...],
        tuple[int, ...],
        tuple[tuple[SyntheticQuestion, ...], ...],
    ]


def pack_synthetic(data: SyntheticData) -> bytes:
    """Return conversations as they ship."""
    columns = tuple(zip(*map(astuple, data.conversations), strict=True))
    shipped = json.encode({**asdict(data), "conversations": columns})
    return lzma.compress(shipped, preset=9 | lzma.PRESET_EXTREME)


def read_synthetic() -> SyntheticData:
    """Return the made-up conversations that ship with the package."""
    shipped = json.decode(lzma.decompress(_FILE.read_bytes()), type=_Shipped)
    made = map(SyntheticConversation, *shipped.conversations)
    return SyntheticData(seed=shipped.seed, pairs=shipped.pairs, conversations=tuple(made))
