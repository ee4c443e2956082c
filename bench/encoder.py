"""
What does the default embedder take, and how near is it to the weights as they were published?

Questions one by one, turns with three turns said before each, one by one and all at once; wall
time, and the processor time of all threads, medians of every call. The baseline multiplies the
published weights in fp32 with NumPy's BLAS, in processor time of all its threads.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from bench.banks import Workshop, default_embedder, turns
from bench.measure import Row
from hippocampus.core.records import Passage
from hippocampus.encode.minilm import MiniLmEmbedder
from hippocampus.encode.model_files import installed
from hippocampus.encode.safetensors import SafeTensors, read_safetensors

TURNS, QUESTIONS, BEFORE, COMPARED = 240, 100, 3, 24
HEADS, LAYERS, EPSILON = 12, 6, 1e-12


def run(workshop: Workshop, *, quick: bool) -> Iterator[Row]:  # noqa: ARG001 - as every part
    """Yield latencies, throughput, and cosines to fp32."""
    embedder = default_embedder()
    assert isinstance(embedder, MiniLmEmbedder), "the default is this model"
    said = [turn.text for turn in islice(turns(TURNS + BEFORE), TURNS + BEFORE)]
    passages = [
        Passage(text, before="\n".join(said[place : place + BEFORE]))
        for place, text in enumerate(said[BEFORE:])
    ]
    questions = [" ".join(text.split()[:12]) for text in said[:QUESTIONS]]
    plain = Fp32(embedder)
    for name, some in (("a question", [Passage(q) for q in questions]), ("a turn", passages)):
        wall, cpu = every(embedder.embed, [[passage] for passage in some])
        _, plain_cpu = every(plain.states, some[:COMPARED])
        for unit, taken, baseline in (("wall", wall, None), ("CPU", cpu, median(plain_cpu))):
            for quantile in (50, 95):
                yield Row(
                    name=f"{name} embedded, {unit}, p{quantile}", unit="ms",
                    value=float(np.percentile(taken, quantile)) * 1e3,
                    baseline=None if baseline is None or quantile > 50 else baseline * 1e3,
                    note="baseline fp32 in NumPy, CPU" if baseline and quantile == 50 else "",
                )  # fmt: skip
    wall, cpu = every(embedder.embed, [passages] * 3)
    yield Row(name="turns embedded at once, wall", value=TURNS / median(wall), unit="turns/s")
    yield Row(name="turns embedded at once, CPU", value=TURNS / median(cpu), unit="turns/s")
    cosines = np.array(
        [
            own.vector @ plain.vector(passage)
            for own, passage in zip(
                embedder.embed(passages[:COMPARED]), passages[:COMPARED], strict=True
            )
        ]
    )
    yield Row(name="cosine to fp32, mean of turns", value=float(cosines.mean()), unit="")
    yield Row(name="cosine to fp32, least of turns", value=float(cosines.min()), unit="")


def every(
    call: Callable[..., object], arguments: Sequence[object]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the wall and processor time of every call, in seconds, after one that warms up."""
    call(arguments[0])
    taken = []
    for argument in arguments:
        wall, cpu = time.perf_counter(), time.process_time()
        call(argument)
        taken.append((time.perf_counter() - wall, time.process_time() - cpu))
    walls, cpus = np.array(taken).T
    return walls, cpus


def median(values: NDArray[np.float64]) -> float:
    """Return the middle value."""
    return float(np.median(values))


class Fp32:
    """The model as it was published, in NumPy."""

    def __init__(self, embedder: MiniLmEmbedder) -> None:
        folder = installed()
        assert folder is not None, "the model is installed"
        self._embedder = embedder
        with read_safetensors(folder / "model.safetensors") as file:
            self._words = file.read("embeddings.word_embeddings.weight")
            self._places = (
                file.read("embeddings.position_embeddings.weight")
                + file.read("embeddings.token_type_embeddings.weight")[0]
            )
            self._first = pair(file, "embeddings.LayerNorm")
            self._layers = [layer(file, f"encoder.layer.{number}") for number in range(LAYERS)]

    def vector(self, passage: Passage) -> NDArray[np.float32]:
        """Return the pooled vector of a passage, of length 1."""
        states, own = self.states(passage)
        pooled = states[own].mean(axis=0)
        return pooled / np.linalg.norm(pooled)

    def states(self, passage: Passage) -> tuple[NDArray[np.float32], slice]:
        """Return the last states of a passage between its neighbours, and which are pooled."""
        ids = self._embedder._pieces(passage.text).ids
        (job,) = self._embedder._jobs(0, passage, ids, self._embedder._opening)
        x = norm(self._words[job.ids] + self._places[: len(job.ids)], self._first)
        for weights in self._layers:
            q, k, v = (
                linear(x, weights[name]).reshape(len(x), HEADS, -1).swapaxes(0, 1)
                for name in ("query", "key", "value")
            )
            scores = q @ k.swapaxes(1, 2) / np.float32(math.sqrt(q.shape[2]))
            powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
            seen = (powers / powers.sum(axis=-1, keepdims=True)) @ v
            mixed = linear(seen.swapaxes(0, 1).reshape(len(x), -1), weights["mixed"])
            x = norm(x + mixed, weights["attended"])
            x = norm(x + linear(gelu(linear(x, weights["wide"])), weights["narrow"]),
                     weights["done"])  # fmt: skip
        return x, slice(job.asked.first, job.asked.last)


Pair = tuple[NDArray[np.float32], NDArray[np.float32]]


def pair(file: SafeTensors, name: str) -> Pair:
    """Return a linear layer's or a norm's weights and bias."""
    return file.read(f"{name}.weight"), file.read(f"{name}.bias")


def layer(file: SafeTensors, of: str) -> dict[str, Pair]:
    """Return the weights of a layer by what they are for."""
    names = {
        "query": "attention.self.query", "key": "attention.self.key",
        "value": "attention.self.value", "mixed": "attention.output.dense",
        "attended": "attention.output.LayerNorm", "wide": "intermediate.dense",
        "narrow": "output.dense", "done": "output.LayerNorm",
    }  # fmt: skip
    return {name: pair(file, f"{of}.{place}") for name, place in names.items()}


def linear(x: NDArray[np.float32], weights: Pair) -> NDArray[np.float32]:
    """Multiply rows by weights."""
    return x @ weights[0].T + weights[1]


def norm(x: NDArray[np.float32], weights: Pair) -> NDArray[np.float32]:
    """Normalise rows."""
    off = x - x.mean(axis=1, keepdims=True)
    variance = (off * off).mean(axis=1, keepdims=True) + np.float32(EPSILON)
    return off / np.sqrt(variance) * weights[0] + weights[1]


def gelu(x: NDArray[np.float32]) -> NDArray[np.float32]:
    """Bend by the error function, as Abramowitz and Stegun have it (7.1.26)."""
    z = np.abs(x) * np.float32(math.sqrt(0.5))
    t = 1 / (1 + np.float32(0.3275911) * z)
    factors = (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)
    p = np.zeros_like(t)
    for factor in factors:
        p = (p + np.float32(factor)) * t
    error = np.copysign(1 - p * np.exp(-z * z), x)
    return x / 2 * (1 + error)
