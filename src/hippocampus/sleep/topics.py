"""
Making of the graph of tags from a bank's texts (SWIFT, 3.2).

The graph is put together of the turns given, in one order, so what comes of many sleeps is what one
would have made. What costs is done once: talk is not read again, by rules or by a model, nor is a
name embedded again.
"""

from __future__ import annotations

import json
import zlib
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import groupby, pairwise
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.background_yield import pausing
from hippocampus.core.decompress import inflate
from hippocampus.core.lazy_dataclass import immutable
from hippocampus.core.records import Embedder, Passage, Usage
from hippocampus.encode.given_parts import embed_passages
from hippocampus.encode.terms import hash_terms
from hippocampus.errors import EncoderError, ModelAnswer
from hippocampus.index.topic import Tag, TagGraph, Terms, Topics
from hippocampus.language.topic_tag_model import read_answer, tag_by_model, write_answer
from hippocampus.language.topic_tags import (
    Alike,
    Relation,
    Tagging,
    TagReading,
    is_feeling,
    read_group,
    relations_of,
    relations_of_names,
    same_as,
    spoken,
    subsumptions,
    tag_groups,
    tag_name,
    total_signs,
    without_kinds,
)
from hippocampus.llm.ask import ChatModel, Completer
from hippocampus.sleep.communities import find_communities

WINDOW: Final = 20
"""Turns of a session that are tagged together, about: SWIFT tags an episode, which is some talk on
one matter (3.2). At fixed places, so that a window is read once (docs/adr/0015)."""
TOGETHER: Final = 4
"""Turns within which tags are named together: a question, its answer, and what follows. Set by
hand."""
ENOUGH: Final = 2
"""Rows a tag must have to be in the graph of a bank with more than ``WINDOW`` turns: what was said
once leads nowhere else."""
RELATED: Final = 1.0
"""Standard deviations above its mean nearness to all tags at which what words or the dictionary
call broader than a tag is believed: a server is a worker only where there are waiters. Set by hand;
relations were read by eye on ``examples/`` (docs/adr/0015)."""
MOST_TAGS: Final = 4096
"""Tags that groups gave and a graph keeps: those that most groups gave. Comparing a question with
so many vectors of 384 takes 0.3 ms; a person's bank has a few hundred."""
BATCH: Final = 64
"""Names that are embedded at once: short texts; set by hand."""


_UNREADABLE: Final = (ValueError, TypeError, AttributeError, RecursionError)
_FLAT: Final = 1e-3
"""A cosine; what differs by less differs by rounding."""


RULES: Final = 2
"""Of reading talk: to be raised with whatever changes what is read, for what was is kept."""


class WindowTurn(NamedTuple):
    """
    Turn that tags are made of; ``at`` in microseconds since 1970, UTC.

    Without a text it is hidden: it tells nothing, and keeps its place.
    """

    row: int
    text: str
    session: str | None
    at: int


@dataclass(slots=True)
class TagAnswers:
    """Answers of a model during one sleep, by the talk, and its usage: for another try."""

    by_digest: dict[str, str] = field(default_factory=dict)
    usage: Usage = field(default_factory=Usage)


@immutable
class Tagged:
    """
    Result of making the topics of a bank.

    ``merged``: tags that became other names of one, as another form or a synonym of it.
    ``refused``: relations that would have closed a cycle. ``read``: groups that rules had not read
    before. ``by_model``: groups a model tagged, ``asked``: of those, now. ``fallbacks``: why it did
    not tag the others, a line for each.
    """

    turns: int
    groups: int
    tags: int
    relations: int
    merged: int = 0
    refused: int = 0
    read: int = 0
    embedded: int = 0
    by_model: int = 0
    asked: int = 0
    fallbacks: tuple[str, ...] = ()


def make_topics(
    turns: Iterable[WindowTurn],
    *,
    length: int,
    speakers: Collection[str] = (),
    embedder: Embedder | None = None,
    model: Completer | ChatModel | None = None,
    answers: TagAnswers | None = None,
    before: Topics | None = None,
) -> tuple[Topics, Tagged]:
    """
    Make the graph of tags of a bank, and say what came of it.

    Args:
        turns: of the bank; those that are not in force without a text.
        length: the bank's rows so far, hidden ones too; later ones come in by the cue's
            ``observe``.
        speakers: whose names are no tags.
        embedder: makes the tags' vectors; without it fewer relations are found, and questions
            find tags by words alone.
        model: whom to ask for tags. Where it fails tags come from words, and the report
            says so; nothing is lost.
        answers: of earlier tries of this sleep; those to this one are put there.
        before: the last artifact, from which is taken again what was read, embedded and answered.

    """
    groups = group_turns(turns)
    texts = [[turn.text for turn in group] for group in groups]
    digests = [_digest(group) for group in texts]
    answers = answers or TagAnswers()
    kept = {} if before is None else before.kept
    by_model = _kept_answers(digests, {**kept, **answers.by_digest})
    asked = [at for at in range(len(texts)) if at not in by_model] if model is not None else []
    fallbacks = []
    if model is not None:
        answered = tag_by_model([texts[at] for at in asked], model)
        for at, (answer, paid) in zip(asked, answered, strict=True):
            answers.usage += paid
            if isinstance(answer, EncoderError):
                fallbacks.append(f"group {at}: {answer}")
            else:
                by_model[at] = answer
    kept = {digests[at]: write_answer(tagging) for at, tagging in by_model.items()}
    answers.by_digest |= kept
    readings = _Readings(before)
    read = readings.of(texts, digests)
    by_words = tag_groups(read, apart=speakers)
    taggings = [by_model.get(at, made) for at, made in enumerate(by_words)]
    names = {part for name in map(tag_name, speakers) if name for part in (name, *name.split("_"))}
    names = names.union(*(made.names for made in by_words))
    vectors = _Vectors(embedder, before)
    graph = TagGraph()
    merged, own = _add_tags(graph, groups, taggings, names)
    given = [relation for tagging in by_model.values() for relation in tagging.relations]
    signs = total_signs(read)
    given += relations_of_names(signs, own)
    said = _SaidTags(own, given, names, without_kinds(signs))
    refused = _relate(graph, said, sum(map(len, groups)), vectors)
    _prune(graph, own.keys())
    _embed(graph, vectors)
    report = Tagged(
        turns=sum(map(len, groups)),
        groups=len(groups),
        tags=len(graph),
        relations=sum(len(tag.children) for tag in graph),
        merged=merged,
        refused=refused,
        read=readings.made,
        embedded=vectors.made,
        by_model=len(by_model),
        asked=len(asked),
        fallbacks=tuple(fallbacks),
    )
    windows = [[turn.row for turn in group] for group in groups]
    found = find_communities(graph, windows)
    return Topics(graph, length, vectors.identity, kept, readings.packed(), found), report


def group_turns(turns: Iterable[WindowTurn], size: int = WINDOW) -> list[list[WindowTurn]]:
    """
    Cut each session, in order of time, into windows of ``size`` turns; the last is about as long.

    What is said next moves no cut but the last, and what is hidden none: it is left out of its
    window then. So talk that goes on and on is not read anew by every sleep.
    """
    ordered = sorted(turns, key=lambda turn: (turn.session or "", turn.at, turn.row))
    groups: list[list[WindowTurn]] = []
    for _, session in groupby(ordered, key=lambda turn: turn.session):
        talk = list(session)
        cuts = [*range(0, max(1, len(talk) - size // 2 + 1), size), len(talk)]
        windows = ([turn for turn in talk[start:end] if turn.text] for start, end in pairwise(cuts))
        groups += filter(None, windows)
    return groups


def names_of(tag: str, names: AbstractSet[str] = frozenset()) -> list[Terms]:
    """
    Return the names of a tag, each as the hashes of its words, as the words cue has them.

    ``names``: the bank's proper names, which have no synonyms.
    """
    return sorted({tuple(hash_terms(words).tolist()) for words in spoken(tag, names)})


def _kept_answers(digests: Sequence[str], known: Mapping[str, str]) -> dict[int, Tagging]:
    """Return answers of a model from before, by the number of the group; if still good."""
    kept: dict[int, Tagging] = {}
    for at, digest in enumerate(digests):
        if digest in known:
            # What the reader no longer accepts is asked again.
            with suppress(ModelAnswer):
                kept[at] = read_answer(known[digest])
    return kept


def _digest(texts: Sequence[str]) -> str:
    return blake2b("\0".join(texts).encode(), digest_size=16).hexdigest()


class _Readings:
    """Readings of groups, each made once."""

    def __init__(self, before: Topics | None) -> None:
        self.made = 0
        self._known: dict[str, TagReading] = {}
        if before is not None and before.readings:
            with suppress(*_UNREADABLE):  # else they are read anew
                rules, known = json.loads(inflate(before.readings))
                if rules == RULES:
                    self._known = {digest: TagReading(*read) for digest, read in known.items()}

    def of(self, groups: Sequence[Sequence[str]], digests: Sequence[str]) -> list[TagReading]:
        """Return the tags that each group names; of the others nothing is kept."""
        known, self._known = self._known, {}
        for texts, digest in zip(groups, digests, strict=True):
            if digest not in self._known:
                self.made += digest not in known
                self._known[digest] = known.get(digest) or read_group(texts)
        return [self._known[digest] for digest in digests]

    def packed(self) -> bytes:
        """Return the bytes of what is kept."""
        body = json.dumps([RULES, self._known], sort_keys=True, separators=(",", ":"))
        return zlib.compress(body.encode(), 6) if self._known else b""


class _Vectors:
    """Embeddings of names, each made once, in batches."""

    def __init__(self, embedder: Embedder | None, before: Topics | None) -> None:
        self._embedder = embedder
        self.identity = "" if embedder is None else str(embedder.fingerprint)
        self.made = 0
        self._known: dict[str, NDArray[np.float32]] = {}
        # Vectors of another embedder cannot be compared with new ones.
        if before is not None and before.embedder == self.identity:
            tags = before.graph
            self._known = {tag.name: tag.vector for tag in tags if tag.vector is not None}

    def of(self, names: Sequence[str]) -> NDArray[np.float32] | None:
        """Return the vectors of names, shape (names, dimension); None without an embedder."""
        if self._embedder is None:
            return None
        new = [name for name in dict.fromkeys(names) if name not in self._known]
        for start in range(0, len(new), BATCH):
            some = new[start : start + BATCH]
            passages = [Passage(name.replace("_", " ")) for name in some]
            for name, made in zip(some, embed_passages(self._embedder, passages), strict=True):
                # At the precision in which they are kept, so that doing it again changes nothing.
                self._known[name] = made.vector.astype(np.float16).astype(np.float32)
        self.made += len(new)
        return np.array([self._known[name] for name in names], np.float32)

    def alike(self, own: Sequence[str], more: Sequence[str]) -> Alike | None:
        """Return a measure of how near tags are, against how near ``own`` are to each."""
        base = self.of([*own, *more])
        if base is None or not own:
            return None
        # Names from the dictionary say nothing about how near a bank's own tags usually are.
        base = base[: len(own)]
        usual: dict[str, tuple[float, float]] = {}

        def measure(one: str, other: str) -> float:
            vector = self._known[one]
            if one not in usual:
                near = base @ vector
                usual[one] = float(near.mean()), max(float(near.std()), _FLAT)
            mean, deviation = usual[one]
            return (float(vector @ self._known[other]) - mean) / deviation

        return measure


def _add_tags(
    graph: TagGraph,
    groups: Sequence[Sequence[WindowTurn]],
    taggings: Sequence[Tagging],
    names: AbstractSet[str],
) -> tuple[int, dict[str, set[int]]]:
    """Put tags and their rows in; return how many were merged, and the places of each by name."""
    turns = [turn for group in groups for turn in group]
    holding = _holding(turns)
    where = _places(groups, taggings, holding, names)
    least = ENOUGH if len(turns) > WINDOW else 1
    given = Counter(tag for tagging in taggings for tag in tagging.tags)
    said: dict[str, int] = {}
    for tag in list(where):
        words = (tag, *(word for word in same_as(tag, names) if "_" not in word))
        said |= {word: len(_saying(word.replace("_", " "), holding)) for word in words}
        most = max(words, key=said.__getitem__)
        if most not in where:  # a model's word for what the speakers call otherwise
            where[most], given[most] = set(where[tag]), given[tag]
    ranked = sorted(where, key=lambda tag: (-given[tag], -len(where[tag]), tag))
    merged = 0
    first: dict[Hashable, str] = {}
    # What is said most comes first, so it is what others are merged into, and what is shown.
    for tag in pausing(sorted(ranked[:MOST_TAGS], key=lambda tag: (-said[tag], len(tag), tag))):
        if len(where[tag]) >= least:
            graph.add(tag, [turns[place].row for place in where[tag]], names_of(tag, names))
            for key in _identities(tag, names):
                merged += graph.merge(tag, into=first.setdefault(key, tag))
    for kept in list(graph):
        for word in same_as(kept.name, names):
            if said.get(word) and word not in graph:
                graph.alias(word, kept.name)
    return merged, {tag.name: where[tag.name] for tag in graph}


def _identities(tag: str, names: AbstractSet[str]) -> Iterator[Hashable]:
    """Yield the keys by which two tags are one: stems of words, and their meanings."""
    yield frozenset(map(frozenset, names_of(tag, {tag})))  # as a name, so its own words only
    same = same_as(tag, names)
    if len(same) > 1:
        yield same


def _holding(turns: Iterable[WindowTurn]) -> Mapping[int, set[int]]:
    """Return the places in the talk that hold each term."""
    holding: defaultdict[int, set[int]] = defaultdict(set)
    for place, turn in enumerate(pausing(list(turns))):
        for term in set(hash_terms(turn.text).tolist()):
            holding[term].add(place)
    return holding


def _saying(words: str, holding: Mapping[int, set[int]]) -> set[int]:
    """Return the places that hold all of some words."""
    return set.intersection(*(holding.get(term, set()) for term in hash_terms(words).tolist()))


def _places(
    groups: Sequence[Sequence[WindowTurn]],
    taggings: Sequence[Tagging],
    holding: Mapping[int, set[int]],
    names: AbstractSet[str],
) -> dict[str, set[int]]:
    """Return at which places in the talk each tag is: where it is named, else all of its group."""
    where: dict[str, set[int]] = {}
    start = 0
    for group, tagging in zip(groups, taggings, strict=True):
        span = range(start, start + len(group))
        start = span.stop
        for tag in tagging.tags:
            if tag not in where:
                where[tag] = set().union(*(_saying(w, holding) for w in spoken(tag, names)))
            if where[tag].isdisjoint(span):  # a model's words need not be the speaker's
                where[tag].update(span)
    return where


class _SaidTags(NamedTuple):
    """
    The tags of a bank's talk with the places of each, the relations that are given, and names.

    ``unsorted``: tags of which the dictionary's kinds may be wrong.
    """

    own: Mapping[str, AbstractSet[int]]
    given: Sequence[Relation]
    names: AbstractSet[str]
    unsorted: AbstractSet[str]


def _relate(graph: TagGraph, said: _SaidTags, total: int, vectors: _Vectors) -> int:
    """Put in relations a model gave, those of words, those of places; return how many failed."""
    own, given, names, unsorted = said
    meant = {word: tag for tag in sorted(own) for word in _called(graph[tag], names)}
    by_words = [
        Relation(meant.get(parent, parent), meant.get(child, child))
        for parent, child in relations_of(sorted(own), meant, unsorted)
    ]
    alike = vectors.alike(sorted(own), [name for relation in by_words for name in relation])
    if alike is not None:
        by_words = [
            Relation(parent, child)
            for parent, child in by_words
            if child not in own or is_feeling(child) or alike(child, parent) >= RELATED
        ]
    near = {tag: {place // TOGETHER for place in places} for tag, places in own.items()}
    by_places = subsumptions(near, -(-total // TOGETHER), alike)
    refused = 0
    # The surest first: of relations that close a circle the later one is refused.
    for parent, child in pausing(dict.fromkeys([*given, *by_words, *by_places])):
        for name in (parent, child):
            like = (meant[word] for word in same_as(name, names) if word in meant)
            if name not in graph and (same := next(like, None)) is not None:
                graph.alias(name, same)
            added = graph.add(name, names=names_of(name, names))
            for word in _called(added, names):
                meant.setdefault(word, added.name)
        if graph[parent] is not graph[child]:  # a model has a synonym under its like
            refused += not graph.relate(parent, child)
    return refused


def _called(tag: Tag, names: AbstractSet[str]) -> list[str]:
    """Return all that a tag is called: itself, its other names, what means the same as it."""
    return sorted({tag.name, *tag.aliases, *same_as(tag.name, names)})


def _prune(graph: TagGraph, own: Collection[str]) -> None:
    """Take out what nobody said and what tells nothing apart: fewer than two tags below it."""
    # From below, for a tag may lose its last children on the way.
    for tag in sorted(graph, key=lambda tag: (-graph.level(tag.name), tag.name)):
        if tag.name not in own and len(tag.children) < 2:
            graph.remove(tag.name)


def _embed(graph: TagGraph, vectors: _Vectors) -> None:
    tags = list(graph)
    made = vectors.of([tag.name for tag in tags])
    if made is not None:
        for tag, vector in zip(tags, made, strict=True):
            tag.vector = vector
