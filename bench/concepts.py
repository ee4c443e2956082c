"""
What do anchors cost: to make them anew, to write under them, and to look one up, at any size?

Episodes are drawn as in ``banks.py``, but as vectors and phrases alone, so that a million fit: what
two real turns speak of, and a mixture of their vectors. Embeddings are there already.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from bench.banks import (
    FIRST,
    LAST,
    SEED,
    TURNS_A_SESSION,
    TableEmbedder,
    default_embedder,
    questions,
    sources,
    turns,
)
from bench.measure import Row, every_ms, seconds
from hippocampus import Config, Memory
from hippocampus.core.clock import to_micros
from hippocampus.core.config import Concepts
from hippocampus.core.records import Embedded, Passage, Payloads
from hippocampus.index.anchors import Anchors
from hippocampus.index.concept import ConceptCue
from hippocampus.index.phrase_codec import PROPER
from hippocampus.index.query import Query
from hippocampus.index.vector import VectorCue
from hippocampus.index.vector_codec import pack_vectors
from hippocampus.kernel import top_k
from hippocampus.language.noun_phrases import Phrase, find_phrases
from hippocampus.recall.parse import bind, parse
from hippocampus.sleep.concepts import rebuild
from hippocampus.sleep.material import Material, Reads
from hippocampus.write.analyse import phrase_payload

HOW = Concepts(words=100, phrases=100, named=100)
"""300 anchors, as many as a bank has in CONCEPT."""
AT_ONCE = 8192
WRITTEN, WRITES, ASKED = 10_000, 300, 5
NOW = LAST


def run(_workshop: object = None, *, quick: bool = False) -> Iterator[Row]:
    """Yield the rows of every size."""
    sizes = (
        (1_000, 10_000, 47_392, 100_000) if quick else (1_000, 10_000, 47_392, 100_000, 1_000_000)
    )
    for count in sizes:
        yield from measure(Life(count))
    yield from written()


class Life:
    """So many episodes: their vectors, their phrases, their times."""

    def __init__(self, count: int) -> None:
        rng = np.random.default_rng(SEED)
        self.made_of = rng.integers(0, len(sources()), (count, 2))
        self.cue = VectorCue(len(sources()[0].embedded.vector))
        real = np.stack([source.embedded.vector for source in sources()])
        for start in range(0, count, AT_ONCE):
            left, right = self.made_of[start : start + AT_ONCE].T
            mixed = np.float32(0.55) * real[left] + np.float32(0.45) * real[right]
            mixed += rng.normal(0, 0.005, mixed.shape).astype(np.float32)
            mixed /= np.linalg.norm(mixed, axis=1, keepdims=True)
            self.cue.observe(Payloads.of(pack_vectors(mixed)))
        keys, lasting = spoken()
        each = [keys[left] | keys[right] for left, right in self.made_of.tolist()]
        self.material = Material(
            keys=np.array([k | PROPER * p for own in each for k, p in own.items()], np.uint32),
            owner=np.repeat(np.arange(count), [len(own) for own in each]),
            lasting=lasting[self.made_of[:, 0]],
            gists=np.arange(count, dtype=np.uint32) % 1000 + 1 << 8,
            occurred_at=np.linspace(to_micros(FIRST), to_micros(LAST), count).astype(np.int64),
            shown=np.ones(count, np.bool_),
            by_user=np.ones(count, np.bool_),
            session=(np.arange(count) // TURNS_A_SESSION).astype(np.int32),
        )

    def __len__(self) -> int:
        return len(self.made_of)

    def names(self, rows: Collection[int]) -> Mapping[int, Sequence[Phrase]]:
        """Return the phrases of rows, spelled."""
        return {
            row: [
                p
                for which in self.made_of[row].tolist()
                for p in find_phrases(sources()[which].text)
            ]
            for row in rows
        }

    def first(self, count: int) -> Material:
        """Return what the first episodes are made of."""
        m = self.material
        there = m.owner < count
        cut = {
            name: getattr(m, name)[:count]
            for name in ("lasting", "gists", "occurred_at", "shown", "by_user", "session")
        }
        return Material(keys=m.keys[there], owner=m.owner[there], **cut)

    def rebuilt(self, material: Material, old: Anchors | None = None) -> Anchors:
        """Return its anchors."""
        made, _ = rebuild(
            material, old, Reads(self.cue.vectors, self.names, embedded, self.cue.estimates),
            curated=(), denied=(), now=to_micros(NOW), how=HOW,
        )  # fmt: skip
        return made


@cache
def spoken() -> tuple[list[dict[int, bool]], np.ndarray]:
    """Return the phrases of the real turns, and a lasting importance of each."""
    found = [{p.key: p.proper for p in find_phrases(source.text)} for source in sources()]
    return found, np.random.default_rng(SEED).uniform(0, 8.5, len(found)).astype(np.float32)


_VECTORS: dict[str, np.ndarray] = {}


def embedded(names: Sequence[str]) -> np.ndarray:
    """Return vectors of names, each embedded once."""
    new = [name for name in names if name not in _VECTORS]
    made = default_embedder().embed([Passage(name) for name in new])
    _VECTORS.update((name, one.vector) for name, one in zip(new, made, strict=True))
    return np.stack([_VECTORS[name] for name in names]).astype(np.float32)


def measure(life: Life) -> Iterator[Row]:
    """Yield the rows of one size."""
    count = len(life)
    size = f"{count // 1000} k" if count < 1_000_000 else f"{count // 1_000_000} m"
    anchors = life.rebuilt(life.material)  # embeds the names
    if count > 10_000:
        yield from made_anew(life, anchors, size)
    yield from looked_up(life, anchors, size)


def made_anew(life: Life, anchors: Anchors, size: str) -> Iterator[Row]:
    """Yield what choosing anchors and ranking what lies under them takes."""
    rounds = 3 if len(life) <= 100_000 else 1
    meant = anchors.vectors[anchors.vectors.any(axis=1)]
    ours, theirs = pairs(lambda: life.rebuilt(life.material), lambda: product(life, meant), rounds)
    yield Row(
        name=f"rebuild, {size}", value=ours, unit="s", baseline=theirs,
        note=f"{len(anchors)} anchors; baseline the product and the best 20 of each alone",
    )  # fmt: skip
    old = life.rebuilt(life.first(len(life) * 9 // 10))
    again, whole = pairs(
        lambda: life.rebuilt(life.material, old), lambda: life.rebuilt(life.material), rounds
    )
    yield Row(
        name=f"rebuild, {size}, a tenth new", value=again, unit="s", baseline=whole,
        note="baseline without the anchors so far",
    )  # fmt: skip
    some = np.stack([source.embedded.vector for source in sources()[:400]])
    exact = float(np.median([seconds(product, life, some) for _ in range(rounds)]))
    yield Row(name=f"product, {size} × 400 anchors", value=exact, unit="s", note="exact")


def product(life: Life, anchors: np.ndarray) -> None:
    """Multiply anchors and episodes, and take the best 20 of each anchor."""
    for start in range(0, len(life), AT_ONCE):
        rows = np.arange(start, min(len(life), start + AT_ONCE))
        for one in anchors @ life.cue.vectors(rows).T:
            top_k(one, HOW.k)


def pairs(ours: Callable[[], object], theirs: Callable[[], object], rounds: int) -> np.ndarray:
    """Return the medians of some rounds of each, taken in turn."""
    return np.median([[seconds(ours), seconds(theirs)] for _ in range(rounds)], axis=0)


def looked_up(life: Life, anchors: Anchors, size: str) -> Iterator[Row]:
    """Yield what looking up and writing take."""
    sessions = life.material.session
    times = life.material.occurred_at
    cue = ConceptCue(
        anchors, HOW, life.cue, lambda rows: times[rows.astype(np.intp)], lambda: sessions
    )
    yield put_under(life, anchors, cue, size)
    answers = TableEmbedder({})
    texts = questions()
    asked: dict[str, Query] = {
        text: bind(
            parse(text, now=NOW),
            embedded=answers.embed_query(text),
            rotation=None,
            speakers=(),
            phrases=True,
        )
        for text in texts
    }

    def afresh(text: str) -> Query:
        return replace(asked[text])  # or it is known to have been asked

    scan = np.median(every_ms(lambda t: life.cue.propose(asked[t], None, 200), texts))
    ways: dict[str, Callable[[str], object]] = {
        "anchors heard and what lies under them": lambda t: cue.propose(afresh(t), None, 200),
        "by a question that only points": lambda t: cue.propose(
            replace(asked[t], phrases={}, phonetic_codes=(), deixis=1.0), None, 200
        ),
        "what it activates": lambda t: cue.activate(asked[t]),
    }
    for what, way in ways.items():
        times_ms = every_ms(way, texts)
        for share in (50, 95):
            value = float(np.percentile(times_ms, share))
            yield Row(
                name=f"lookup, {size}, {what}, p{share}", value=value, unit="ms",
                baseline=float(scan), note="baseline the scan of all vectors, p50",
            )  # fmt: skip


def put_under(life: Life, anchors: Anchors, cue: ConceptCue, size: str) -> Row:
    """Return what reading a turn's phrases and putting it under its anchors takes."""
    fresh = ConceptCue(anchors, HOW, life.cue, cue._occurred_at, cue._sessions)
    fresh._length = 0  # as if the first episodes had come since
    texts = [source.text for source in sources()[:WRITES]]
    took = []
    for text in texts:
        start = time.perf_counter()
        fresh.observe(Payloads.of([phrase_payload(text, "Ada", "user")]))
        took.append(time.perf_counter() - start)
    embed = [seconds(default_embedder().embed, [Passage(text)]) for text in texts[:50]]
    return Row(
        name=f"written under its anchors, {size}, one turn", value=float(np.median(took)) * 1e3,
        unit="ms", baseline=float(np.median(embed)) * 1e3,
        note=f"p95 {np.percentile(took, 95) * 1e3:.3g} ms; baseline embedding the turn",
    )  # fmt: skip


class Naming(TableEmbedder):
    """Embeds what turns are made of without a model, and with it the names of anchors."""

    def embed(self, passages: Sequence[Passage]) -> list[Embedded]:
        """Return the mixtures of turns, and the real vectors of anything else."""
        if passages[0].text in self._parents:
            return super().embed(passages)
        return default_embedder().embed(passages)


def invented(count: int) -> list[str]:
    """Return names that nobody has, none like another."""
    rng = np.random.default_rng(SEED)
    parts = [a + b for a in "bdfgklmnprstvz" for b in "aeiou"]
    return ["".join(rng.choice(parts, 4)).title() for _ in range(count)]


def written() -> Iterator[Row]:
    """Yield what a bank with anchors pays for what is written, and when it is found."""
    names = invented(WRITES)
    made = list(turns(WRITTEN))
    made[-WRITES:] = [
        replace(turn, text=f"{turn.text} We met {name}.")
        for turn, name in zip(made[-WRITES:], names, strict=True)
    ]
    took: dict[str, list[float]] = {"with": [], "without": []}
    lags: list[float] = []
    found = 0
    with TemporaryDirectory(prefix="hippocampus-bench-") as folder, ExitStack() as opened:
        banks = {}
        for which in took:
            embedder = Naming({})
            embedder.expect(made)
            path = Path(folder) / f"{which}.db"
            memory = opened.enter_context(
                Memory(path, embedder=embedder, config=Config(concepts=HOW))
            )
            bank = banks[which] = memory.bank("b")
            bank.remember_many(made[:-WRITES])
            if which == "with":
                bank.sleep(steps=["phrases", "concepts"])
        for place, turn in enumerate(made[-WRITES:]):
            for which in sorted(banks, reverse=place % 2 == 0):  # none always comes first
                bank = banks[which]
                keep = partial(bank.remember, turn.text, at=turn.at, speaker=turn.speaker)
                took[which].append(seconds(keep))
            if place % ASKED == 0:
                start = time.perf_counter()
                hits = banks["with"].recall(f"Who is {names[place]}?", cues=["concept"]).hits
                lags.append(time.perf_counter() - start)
                found += any(names[place] in hit.text for hit in hits)
    ours, theirs = (float(np.median(times)) * 1e3 for times in took.values())
    yield Row(
        name="remember, one turn, in a bank with anchors", value=ours, unit="ms", baseline=theirs,
        note=f"{ours - theirs:.3f} ms more; baseline a bank that never slept",
    )  # fmt: skip
    yield Row(
        name="asked for at once, by a name never heard", value=found / len(lags), unit="found",
        note=f"{np.percentile(lags, 95) * 1e3:.3g} ms after it was remembered, p95",
    )  # fmt: skip
