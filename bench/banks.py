"""
Banks of any size whose texts and vectors behave like real ones, made in seconds.

Random vectors mislead: they are all equally far apart, sign codes of them are noise and every
token matches every other as badly. So a few thousand synthetic turns are embedded once with the
default embedder, and a larger bank is drawn from them: the beginning of one turn and the end of
another with fresh names and numbers, the mixture of their vectors with a little noise, and the
token vectors of both halves.
"""

from __future__ import annotations

import re
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path

import numpy as np

from hippocampus import Memory, Turn
from hippocampus.core.records import Embedded, Embedder, Fingerprint, Passage
from hippocampus.encode.embed import load_embedder
from hippocampus_bench.cached_embedder import CachedEmbedder
from hippocampus_bench.synthetic import generate

SEED = 20
CONVERSATIONS = 30
LONGEST = 500
"""Characters of a real turn; the mixtures stay below what remembering cuts in parts."""
BATCH = 512
TURNS_A_SESSION = 20
SPEAKERS = (
    "Ada Alan Barbara Claude Donald Edsger Frances Grace Hedy John Katherine Leslie Margaret"
    " Niklaus Radia Robin Sophie Tim Tony Whitfield"
).split()
PROJECTS = 20
FIRST, LAST = datetime(2021, 1, 1, tzinfo=UTC), datetime(2024, 1, 1, tzinfo=UTC)
_NUMBER = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Source:
    """A real turn: its text and how the default embedder sees it."""

    text: str
    embedded: Embedded


@cache
def default_embedder() -> Embedder:
    """Return the default embedder, loaded once."""
    embedder = load_embedder("default")
    assert embedder is not None, "the default is a model"
    return embedder


@cache
def sources() -> tuple[Source, ...]:
    """Return the real turns that banks are drawn from; embedded once per machine."""
    texts = sorted(
        {
            episode["text"]
            for bank in generate(SEED, CONVERSATIONS)["banks"]
            for episode in bank["episodes"]
            if len(episode["text"]) <= LONGEST
        }
    )
    kept = Path(tempfile.gettempdir()) / "hippocampus-bench-vectors.db"
    with CachedEmbedder(default_embedder(), kept) as embedder:
        embedded = [
            one
            for start in range(0, len(texts), BATCH)
            for one in embedder.embed([Passage(text) for text in texts[start : start + BATCH]])
        ]
    return tuple(map(Source, texts, embedded))


@cache
def questions(count: int = 200) -> tuple[str, ...]:
    """Return distinct questions of the generator, of every kind, in a fixed order."""
    asked = {
        question["text"]: None
        for bank in generate(SEED, CONVERSATIONS)["banks"]
        for question in bank["questions"]
    }
    order = np.random.default_rng(SEED).permutation(len(asked))
    texts = list(asked)
    return tuple(texts[place] for place in order[:count].tolist())


def turns(count: int) -> Iterator[Turn]:
    """Yield ``count`` different turns, in order of time."""
    rng = np.random.default_rng(SEED)
    real = sources()
    step = (LAST - FIRST) / count
    for place in range(count):
        session, within = divmod(place, TURNS_A_SESSION)
        left, right = rng.integers(0, len(real), 2).tolist()
        text = _half(real[left].text, first=True) + " " + _half(real[right].text, first=False)
        text = _NUMBER.sub(lambda _: str(rng.integers(2, 2000)), text)
        yield Turn(
            text=f"{text} ({SPEAKERS[left % len(SPEAKERS)]}, {place})",
            at=FIRST + place * step + timedelta(seconds=within),
            speaker=SPEAKERS[(session * 7 + within % 2 * 3) % len(SPEAKERS)],
            session=f"session-{session}",
            metadata={"project": f"p{session % PROJECTS}", "from": [left, right]},
        )


def _half(text: str, *, first: bool) -> str:
    words = text.split()
    middle = (len(words) + 1) // 2
    return " ".join(words[:middle] if first else words[middle:])


class TableEmbedder:
    """
    Gives passages of ``turns`` their vectors without a model; questions go to the real one.

    ``spent_s``: what looking them up took, so that it can be taken off an ingest's time, and
    ``spent_processor_s`` of the processor.
    ``answers``: questions embedded before, if they are to cost nothing.
    """

    def __init__(self, answers: dict[str, Embedded] | None = None) -> None:
        self.answers = answers
        self.spent_s = self.spent_processor_s = 0.0
        self._parents: dict[str, tuple[int, int]] = {}

    @property
    def fingerprint(self) -> Fingerprint:
        """The default embedder's: the banks can be opened with that one."""
        return default_embedder().fingerprint

    def expect(self, some: Sequence[Turn]) -> None:
        """Learn what passages of these turns are made of."""
        for turn in some:
            left, right = turn.metadata["from"]
            self._parents[f"{turn.speaker}: {turn.text}"] = (left, right)

    def embed(self, passages: Sequence[Passage]) -> list[Embedded]:
        """Mix the vectors of the two turns a passage was made of; embed what was not expected."""
        start, used = time.perf_counter(), time.process_time()
        made = [
            self._mixture(*self._parents.pop(passage.text))
            if passage.text in self._parents
            else default_embedder().embed([passage])[0]
            for passage in passages
        ]
        self.spent_s += time.perf_counter() - start
        self.spent_processor_s += time.process_time() - used
        return made

    def embed_query(self, text: str) -> Embedded:
        """Embed a question with the real embedder, unless it is to be remembered."""
        if self.answers is None:
            return default_embedder().embed_query(text)
        if text not in self.answers:
            self.answers[text] = default_embedder().embed_query(text)
        return self.answers[text]

    def _mixture(self, left: int, right: int) -> Embedded:
        one, other = sources()[left].embedded, sources()[right].embedded
        assert one.tokens is not None, "the default embedder gives token vectors"
        assert other.tokens is not None, "the default embedder gives token vectors"
        rng = np.random.default_rng(left * 65_537 + right)
        vector = 0.55 * one.vector + 0.45 * other.vector
        vector = vector + rng.normal(0.0, 0.005, len(vector)).astype(np.float32)
        halves = (
            one.tokens[: (len(one.tokens) + 1) // 2],
            other.tokens[(len(other.tokens) + 1) // 2 :],
        )
        return Embedded(
            vector=(vector / np.linalg.norm(vector)).astype(np.float32),
            tokens=np.concatenate(halves),
        )


@dataclass(frozen=True, slots=True)
class Built:
    """A store with one bank of ``count`` episodes, and how long ``remember_many`` took."""

    path: Path
    count: int
    elapsed_s: float
    embed_s: float
    processor_s: float
    embed_processor_s: float


class Workshop:
    """Builds each size once, in a folder that is thrown away at the end."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._built: dict[int, Built] = {}

    def path(self, name: str) -> Path:
        """Return where a file of this name is that is thrown away at the end, too."""
        return self._folder / name

    def bank(self, count: int) -> Built:
        """Return a store whose bank ``b`` holds ``count`` episodes, and has slept."""
        if count not in self._built:
            self._built[count] = self._build(count)
        return self._built[count]

    def _build(self, count: int) -> Built:
        path = self.path(f"{count}.db")
        embedder = TableEmbedder()
        made = list(turns(count))
        embedder.expect(made)
        given = [replace(turn, metadata={"project": turn.metadata["project"]}) for turn in made]
        with Memory(path, embedder=embedder) as memory:
            bank = memory.bank("b")
            start, used = time.perf_counter(), time.process_time()
            kept = bank.remember_many(given)
            elapsed_s, processor_s = time.perf_counter() - start, time.process_time() - used
            bank.sleep()  # a bank in use has
        assert len(kept) == count, "the turns are all different and short"
        return Built(
            path, count, elapsed_s, embedder.spent_s, processor_s, embedder.spent_processor_s
        )
