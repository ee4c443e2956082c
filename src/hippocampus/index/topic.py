"""
The topic cue: tags in a graph from broad to narrow, and the rows under each (SWIFT, 3.2).

A question finds the tags it is about, by words and by meaning; these bring the narrower and the
broader ones along, and a row counts by the tags it is under.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from graphlib import TopologicalSorter
from typing import Annotated, Any, Final, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from hippocampus.core.arrays import Rows32
from hippocampus.core.decompress import inflate, most_of
from hippocampus.core.ranges import Dimension
from hippocampus.core.records import Kind, Payloads
from hippocampus.errors import InputError
from hippocampus.index.cue import DenseCue, Scores
from hippocampus.index.growable_array import Versioned
from hippocampus.index.query import Query
from hippocampus.index.sorted_sets import columns_once, each_once
from hippocampus.kernel import dot_rows, quantise_rows, top_k

Terms = tuple[int, ...]
"""Hashes of the words of a tag or of another name for it; a text with all of them names it."""


@dataclass(slots=True, eq=False)
class Tag:
    """
    One node, called v in SWIFT, definition 3.1.

    ``names``: hashed words of the tag and its synonyms. ``rows``: ascending, each once.
    """

    name: str
    parents: set[str] = field(default_factory=set)
    children: set[str] = field(default_factory=set)
    aliases: set[str] = field(default_factory=set)
    names: set[Terms] = field(default_factory=set)
    rows: Rows32 = field(default_factory=lambda: np.empty(0, np.uint32))
    vector: NDArray[np.float32] | None = None


class TagGraph:
    """
    A directed acyclic graph of tags, parents broader than their children.

    An edge that would close a cycle is refused (SWIFT, theorem 3.2); one that says what others
    imply already is not kept. A name is one tag, or another name of one, and never both.
    """

    def __init__(self) -> None:
        self._tags: dict[str, Tag] = {}
        self._meant: dict[str, str] = {}
        """Which tag an alias means."""
        self._levels: dict[str, int] = {}
        """Every tag's level, or nothing since the last change."""

    def __len__(self) -> int:
        return len(self._tags)

    def __iter__(self) -> Iterator[Tag]:
        return iter(self._tags.values())

    def __contains__(self, name: object) -> bool:
        return name in self._tags or name in self._meant

    def __getitem__(self, name: str) -> Tag:
        """Return the tag of that name or alias; KeyError when there is none."""
        return self._tags[self._meant.get(name, name)]

    def add(self, name: str, rows: Iterable[int] = (), names: Iterable[Terms] = ()) -> Tag:
        """Return the tag of that name, made if there is none, with these rows under it as well."""
        if name not in self:
            self._tags[name] = Tag(name)
            self._levels.clear()
        tag = self[name]
        more = np.fromiter(rows, np.uint32)
        if not len(tag.rows) and np.all(more[1:] > more[:-1]):  # as they are kept: nothing to sort
            tag.rows = more
        elif len(more):
            tag.rows = np.union1d(tag.rows, more)
        tag.names.update(names)
        return tag

    def relate(self, parent: str, child: str) -> bool:
        """
        Put a tag under a broader one, both of which exist; return whether it is now.

        False when the child is the broader one already, or both are the same: that would close a
        cycle, and nothing changes.
        """
        above, below = self[parent], self[child]
        ancestors = {above.name, *self._reached([above.name], "parents")}
        if below.name in ancestors:
            return False
        if above.name in self._reached([below.name], "parents"):
            return True
        descendants = {below.name, *self._reached([below.name], "children")}
        for name in ancestors:  # the new edge now says what theirs did
            for implied in self._tags[name].children & descendants:
                self._cut(self._tags[name], self._tags[implied])
        above.children.add(below.name)
        below.parents.add(above.name)
        self._levels.clear()
        return True

    def alias(self, name: str, of: str) -> None:
        """
        Give a tag another name.

        Raises:
            InputError: the name is that of a tag, or another name of one.

        """
        if name in self:
            msg = f"{name!r} is known already; merge it into {of!r} instead"
            raise InputError(msg)
        self[of].aliases.add(name)
        self._meant[name] = self[of].name

    def merge(self, name: str, into: str) -> bool:
        """
        Make one tag another name of a second: its rows, names, parents and children go over.

        A relation that would close a cycle then is dropped. Return whether there were two.
        """
        gone, kept = self[name], self[into]
        if gone is kept:
            return False
        # Sorted: sets have another order in every process, and by it an edge may be refused.
        parents, children = sorted(gone.parents), sorted(gone.children)
        self._drop(gone)
        kept.rows = np.union1d(kept.rows, gone.rows)
        kept.names |= gone.names
        for alias in (gone.name, *gone.aliases):
            kept.aliases.add(alias)
            self._meant[alias] = kept.name
        for parent in parents:
            if parent != kept.name:
                self.relate(parent, kept.name)
        for child in children:
            if child != kept.name:
                self.relate(kept.name, child)
        return True

    def remove(self, name: str) -> None:
        """Take a tag out; its children come under its parents."""
        gone = self[name]
        parents, children = sorted(gone.parents), sorted(gone.children)
        self._drop(gone)
        for alias in gone.aliases:
            del self._meant[alias]
        for parent in parents:
            for child in children:
                self.relate(parent, child)

    def level(self, name: str) -> int:
        """Return the depth of a tag: the longest way down to it, 0 where nothing is broader."""
        levels = self._levels
        if not levels:
            for one in TopologicalSorter({tag.name: tag.parents for tag in self}).static_order():
                levels[one] = max((1 + levels[up] for up in self._tags[one].parents), default=0)
        return levels[self[name].name]

    def expand(self, names: Iterable[str], *, down: int = 0, up: int = 0) -> dict[str, int]:
        """
        Return the tags within so many steps, and of each how many: below positive, above negative.

        A tag that is in reach both ways counts as below.
        """
        start = {self[name].name for name in names}
        above = self._reached(start, "parents", up)
        below = self._reached(start, "children", down)
        return (
            {name: -steps for name, steps in above.items() if name not in start}
            | {name: steps for name, steps in below.items() if name not in start}
            | dict.fromkeys(start, 0)
        )

    def _reached(self, start: Iterable[str], side: str, steps: int | None = None) -> dict[str, int]:
        """Walk breadth first to one side; return the steps to each tag, the first ones left out."""
        seen = dict.fromkeys(start, 0)
        first = set(seen)
        ahead = deque(seen)
        while ahead:
            name = ahead.popleft()
            if steps is not None and seen[name] == steps:
                continue
            for following in sorted(getattr(self._tags[name], side)):
                if following not in seen:
                    seen[following] = seen[name] + 1
                    ahead.append(following)
        return {name: far for name, far in seen.items() if name not in first}

    def _cut(self, parent: Tag, child: Tag) -> None:
        parent.children.discard(child.name)
        child.parents.discard(parent.name)
        self._levels.clear()

    def _drop(self, tag: Tag) -> None:
        for name in sorted(tag.parents):
            self._cut(self._tags[name], tag)
        for name in sorted(tag.children):
            self._cut(tag, self._tags[name])
        del self._tags[tag.name]
        self._levels.clear()


# ---------------------------------------------------------------- bytes

FORMAT: Final = 1
"""Format of the stored block; a newer one is refused."""
_MAGIC: Final = b"HTOPIC"
_HEAD: Final = struct.Struct("<6sHIQ")
"""Magic, format, CRC-32 of the packed rest, bytes of the rest unpacked."""


class Community(NamedTuple):
    """Tags that are said together, the most central first, and the rows that are about them."""

    tags: tuple[str, ...]
    rows: Rows32
    """Ascending; a row is of one community."""
    telling: tuple[int, ...]
    """Rows that between them have most of its tags, the best first."""


class Topics(NamedTuple):
    """
    A graph as it is kept.

    ``length``: of the rows it was made from, which are those before it. ``embedder``: identity of
    who made the tags' vectors, "" for nobody. ``kept``, JSON, and ``readings``, which are of no use
    to the cue and stay packed: what its maker wants to see again.
    """

    graph: TagGraph
    length: int
    embedder: str = ""
    kept: Mapping[str, Any] = {}
    readings: bytes = b""
    communities: tuple[Community, ...] = ()
    """Those with most rows first."""


_Name = Annotated[str, msgspec.Meta(min_length=1)]
_Place = Annotated[int, msgspec.Meta(ge=0)]
_Term = Annotated[int, msgspec.Meta(ge=0, lt=1 << 32)]


class _StoredTag(msgspec.Struct):
    """A tag as JSON has it; ``rows``: uint32 in base64; ``parents``: places in the list of tags."""

    name: _Name
    aliases: list[_Name]
    parents: list[_Place]
    names: set[Annotated[tuple[_Term, ...], msgspec.Meta(min_length=1)]]
    rows: bytes
    vector: bool


class _StoredCommunity(msgspec.Struct):
    """A community as JSON has it; ``tags``: places in the list of tags; ``rows``: uint32."""

    tags: list[_Place]
    rows: bytes
    telling: list[_Place]


class _StoredGraph(msgspec.Struct):
    """An artifact as JSON has it; ``vectors``: float16 in base64, of the tags that have one."""

    length: int
    embedder: str
    kept: dict[str, Any]
    tags: list[_StoredTag]
    dimension: Annotated[Dimension, msgspec.Meta(multiple_of=8)]  # as the kernels take them
    vectors: bytes
    readings: bytes = b""  # earlier versions kept none
    communities: list[_StoredCommunity] = []  # likewise


def pack(artifact: Topics) -> bytes:
    """Return the bytes of an artifact; the same graph gives the same bytes."""
    graph, length, embedder, kept, readings, communities = artifact
    tags = sorted(graph, key=lambda tag: tag.name)
    place = {tag.name: at for at, tag in enumerate(tags)}
    vectors = [tag.vector for tag in tags if tag.vector is not None]
    stored = _StoredGraph(
        length=length, embedder=embedder, kept=dict(kept), readings=readings,
        tags=[
            _StoredTag(
                name=tag.name, aliases=sorted(tag.aliases), names=tag.names,
                parents=sorted(place[name] for name in tag.parents),
                rows=tag.rows.astype("<u4").tobytes(), vector=tag.vector is not None,
            )
            for tag in tags
        ],
        dimension=len(vectors[0]) if vectors else 0,
        vectors=np.array(vectors).astype("<f2").tobytes(),
        communities=[
            _StoredCommunity(
                [place[name] for name in one.tags], one.rows.astype("<u4").tobytes(),
                list(one.telling),
            )
            for one in communities
        ],
    )  # fmt: skip
    said = msgspec.to_builtins(stored, order="sorted")
    body = json.dumps(said, ensure_ascii=False, separators=(",", ":")).encode()
    packed = zlib.compress(body, 6)
    return _HEAD.pack(_MAGIC, FORMAT, zlib.crc32(packed), len(body)) + packed


def unpack(data: bytes) -> Topics:
    """
    Read the bytes of an artifact.

    Raises:
        InputError: they are not what ``pack`` wrote, or a later version wrote them; build the
            topics again.

    """
    body = _unframe(data)
    try:
        return _read(msgspec.json.decode(body, type=_StoredGraph))
    except (msgspec.MsgspecError, ValueError, IndexError, RecursionError) as exc:
        msg = f"topics: their structure is damaged ({exc!r:.80}); build them again"
        raise InputError(msg) from exc


def _unframe(data: bytes) -> bytes:
    """Return the JSON behind the head, whose checksum is right."""
    wrong = ""
    if len(data) < _HEAD.size or data[: len(_MAGIC)] != _MAGIC:
        wrong = "these bytes are something else"
    else:
        _, version, checksum, nbytes = _HEAD.unpack_from(data)
        packed = data[_HEAD.size :]
        if version > FORMAT:
            wrong = (
                f"format {version} is newer than {FORMAT}, the newest this version reads; upgrade"
            )
        # Compared before anything is inflated.
        elif version < 1 or zlib.crc32(packed) != checksum or nbytes > most_of(len(packed)):
            wrong = "their checksum is wrong, so they are damaged"
        else:
            with suppress(ValueError):
                body = inflate(packed, most=max(1, nbytes))
                if len(body) == nbytes:
                    return body
            wrong = f"they do not unpack to {nbytes} bytes"
    msg = f"topics: {wrong}; build the topics again"
    raise InputError(msg)


def _read(said: _StoredGraph) -> Topics:
    graph = TagGraph()
    for tag in said.tags:
        rows = np.frombuffer(tag.rows, "<u4")
        falls = np.any(np.diff(rows.astype(np.int64)) < 1)
        if tag.name in graph or (len(rows) and (falls or rows[-1] >= said.length)):
            raise ValueError(tag.name)
        graph.add(tag.name, rows.tolist(), tag.names)
    for tag in said.tags:
        for alias in tag.aliases:
            graph.alias(alias, tag.name)
        for at in tag.parents:
            # It closes a cycle: none of ours does.
            if not graph.relate(said.tags[at].name, tag.name):
                raise ValueError(tag.name)
    seen = [tag.name for tag in said.tags if tag.vector]
    vectors = np.frombuffer(said.vectors, "<f2").astype(np.float32)
    vectors = vectors.reshape(len(seen), said.dimension)
    if not np.isfinite(vectors).all() or (seen and not said.dimension):
        raise ValueError(said.embedder)
    for name, vector in zip(seen, vectors, strict=True):
        graph[name].vector = vector
    found = tuple(_community(one, said) for one in said.communities)
    return Topics(graph, said.length, said.embedder, said.kept, said.readings, found)


def _community(told: _StoredCommunity, said: _StoredGraph) -> Community:
    rows = np.frombuffer(told.rows, "<u4")
    falls = np.any(np.diff(rows.astype(np.int64)) < 1)
    strange = any(row >= said.length for row in told.telling)
    if falls or strange or (len(rows) and rows[-1] >= said.length):
        raise ValueError(told.tags)
    return Community(tuple(said.tags[at].name for at in told.tags), rows, tuple(told.telling))


# ---------------------------------------------------------------- the cue


_FLAT: Final = 1e-3
"""A cosine; tags that differ by less are equally near."""


_TAGS: Final = 8
"""Most tags that a question finds by itself, called k in SWIFT, 3.2; with 4 or 12 recall changes by
.003 at most (docs/adr/0015)."""
_LIKENESS: Final = 1.5
"""Standard deviations above all tags' mean cosine from which on a tag is near in meaning: so it
holds for any embedder (docs/adr/0015). Set by hand."""
_NAMED: Final = np.float32(3.0)
"""Standard deviations that are added where the question names the tag: more than nearness tells of
nearly any. Set by hand."""
_DOWN: Final = 2
"""Steps to narrower tags; with the next, called D_max in SWIFT, 3.2, which names no number. Without
any recall changes by .003 at most (docs/adr/0015)."""
_UP: Final = 1
"""Steps to broader tags, of which one is likely about something else already."""
_FADE: Final = 0.6
"""Factor on a tag's weight for each step down; a step up takes its square. Set by hand."""


class TopicCue(Versioned, DenseCue):
    """
    Rows by the tags they are under.

    Built from a graph; rows written since come under the tags whose words they hold all of, by the
    payloads of the words cue, so that what was said a moment ago is under its topic at once.

    Space: 4 bytes a row and tag, 1 a tag and dimension. Time: a pass over the tags' vectors, then
    one over the rows of the tags found.
    """

    kind: Kind = "lexical"

    def __init__(self, graph: TagGraph, length: int = 0) -> None:
        self.graph = graph
        self._length = length
        self._tags = list(graph)
        self._place = {tag.name: at for at, tag in enumerate(self._tags)}
        self._rows = [tag.rows for tag in self._tags]
        seen = [(at, tag.vector) for at, tag in enumerate(self._tags) if tag.vector is not None]
        self._seen = np.array([at for at, _ in seen], np.int64)
        self._bytes, self._scales = np.empty((0, 0), np.int8), np.empty(0, np.float32)
        if seen:
            vectors = np.array([vector for _, vector in seen], np.float32)
            self._bytes, self._scales = quantise_rows(vectors)
        # By term, which names it is in; a name is met when all of its terms are.
        self._names = [
            (at, terms) for at, tag in enumerate(self._tags) for terms in sorted(tag.names)
        ]
        pairs = [(term, name) for name, (_, terms) in enumerate(self._names) for term in set(terms)]
        pairs.sort()
        self._terms = np.array([term for term, _ in pairs], np.uint32)
        self._of_term = np.array([name for _, name in pairs], np.int64)
        self._needed = np.array([len(set(terms)) for _, terms in self._names], np.int64)
        self._owner = np.array([at for at, _ in self._names], np.int64)

    def __len__(self) -> int:
        return self._length

    @property
    def nbytes(self) -> int:
        rows = sum(under.nbytes for under in self._rows)
        # A term has 4 bytes and the number of its name 8; a name, mostly one a term, twice 8.
        return rows + self._bytes.nbytes + 28 * len(self._terms)

    def rows(self, tag: str) -> Rows32:
        """Return the rows under a tag, ascending, those written since the graph was made too."""
        return self._rows[self._place[self.graph[tag].name]]

    def observe(self, payloads: Payloads) -> None:
        terms = np.ascontiguousarray(payloads.data).view("<u4")
        at = np.repeat(np.arange(len(payloads)), payloads.lengths // 4)
        tags, rows = self._naming(terms, at)
        order = np.argsort(tags, kind="stable")
        tags, rows = tags[order], rows[order]
        self._rows = self._rows.copy()  # others may be reading it
        for tag in each_once(tags).tolist():
            first, stop = np.searchsorted(tags, [tag, tag + 1])
            fresh = (rows[first:stop] + self._length).astype(np.uint32)
            self._rows[tag] = np.concatenate([self._rows[tag], fresh])
        self._length += len(payloads)

    def _naming(
        self, terms: NDArray[np.uint32], at: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return pairs of tag and place, each once, where a place names the tag."""
        first = np.searchsorted(self._terms, terms)
        counts = np.searchsorted(self._terms, terms, side="right") - first
        hit = np.flatnonzero(counts)
        counts = counts[hit]
        offsets = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        names = self._of_term[np.repeat(first[hit], counts) + offsets]
        places = np.repeat(at[hit], counts)
        # A term that a text says twice counts once towards a name.
        said = columns_once(
            np.stack([places, names, np.repeat(terms[hit].astype(np.int64), counts)])
        )
        met, how_many = np.unique(said[:2], axis=1, return_counts=True)
        met = met[:, how_many == self._needed[met[1]]]
        found = columns_once(np.stack([self._owner[met[1]], met[0]]))
        return found[0], found[1]

    def route(self, question: Query) -> dict[str, float]:
        """Return the tags a question is about, and how much, from 0 up."""
        near = np.zeros(len(self._tags), np.float32)
        if (
            len(self._seen)
            and question.vector is not None
            and self._bytes.shape[1] == len(question.vector)
        ):
            every = np.arange(len(self._seen), dtype=np.uint32)
            cosines = dot_rows(self._bytes, self._scales, question.vector, every)
            usual = np.float32(cosines.mean())
            above = (cosines - usual) / np.float32(max(float(cosines.std()), _FLAT))
            near[self._seen] = np.where(above < _LIKENESS, 0, above)
        counts = question.term_weights > 0
        terms = question.terms[counts]
        named, _ = self._naming(terms, np.zeros(len(terms), np.int64))
        near[named] += _NAMED
        best = top_k(near, _TAGS)
        weights: dict[str, float] = {}
        for at in best.tolist():
            start, weight = self._tags[at].name, float(near[at])
            if weight <= 0:
                continue
            for name, steps in self.graph.expand([start], down=_DOWN, up=_UP).items():
                worth = weight * (_FADE**steps if steps >= 0 else _FADE ** (-2 * steps))
                weights[name] = max(weights.get(name, 0.0), worth)
        return weights

    def scores(self, question: Query) -> Scores | None:
        """Return the score of every row for a question by its tags, shape (n,); None: no tag is."""
        weights = self.route(question)
        if not weights:
            return None
        total = np.zeros(self._length, np.float32)
        for name, weight in weights.items():
            rows = self._rows[self._place[name]]
            rarity = np.log((self._length + 1) / (len(rows) + 0.5))
            total[rows] += np.float32(weight * rarity)
        return total
