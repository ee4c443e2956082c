"""The cues of a bank's index, one typed field each."""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import field, fields
from typing import Final

from hippocampus.core.altered import altered
from hippocampus.core.lazy_dataclass import immutable
from hippocampus.index.bm25 import Bm25Cue
from hippocampus.index.concept import ConceptCue
from hippocampus.index.cue import Cue
from hippocampus.index.graph import GraphCue
from hippocampus.index.late_interaction import LateInteractionCue
from hippocampus.index.signature import SignatureCue
from hippocampus.index.token_spans import TokenSpans
from hippocampus.index.told_times import TimeCue
from hippocampus.index.topic import TopicCue
from hippocampus.index.vector import VectorCue


@immutable(kw_only=False, eq=False)
class CueSet:
    """
    The cues there are; None where a bank lacks what one is built from.

    ``lexical`` and ``time`` are always there: every text has words, and was said at some time.
    ``vector`` and ``tokens`` need an embedder, ``signature`` signed tokens; ``concept``, ``graph``
    and ``topic`` are made by sleep, and put in by ``altered``.
    """

    lexical: Bm25Cue
    vector: VectorCue | None = None
    tokens: LateInteractionCue | None = None
    signature: SignatureCue | None = None
    concept: ConceptCue | None = None
    graph: GraphCue | None = None
    topic: TopicCue | None = None
    time: TimeCue = field(default_factory=TimeCue)
    spans: TokenSpans | None = None
    """Places in the content of the codes of ``tokens``; no cue of its own."""

    def named(self) -> dict[str, Cue]:
        """Return the cues there are, by name."""
        every = ((name, getattr(self, name)) for name in _NAMES)
        return {name: cue for name, cue in every if cue is not None}

    def __iter__(self) -> Iterator[Cue | TokenSpans]:
        yield from self.named().values()
        if self.spans is not None:
            yield self.spans

    def fork(self) -> CueSet:
        """Return a set of forks of the cues there are."""
        cues = {one.name: getattr(self, one.name) for one in fields(self)}
        return CueSet(**{name: cue and cue.fork() for name, cue in cues.items()})

    def among(self, names: Container[str]) -> CueSet:
        """Return the same cues without those that are not named; ``lexical`` stays for its IDF."""
        left_out = [name for name in self.named() if name not in names and name not in _STAY]
        if "tokens" not in names:
            left_out.append("spans")  # they say where the token codes stand
        return altered(self, **dict.fromkeys(left_out)) if left_out else self


_NAMES: Final = tuple(one.name for one in fields(CueSet) if one.name != "spans")
_STAY: Final = ("lexical", "time")
