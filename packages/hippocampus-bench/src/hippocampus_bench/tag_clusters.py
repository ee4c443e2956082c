"""
Tags that belong together, and an order of rows in which theirs lie together (SWIFT, 3.4).

Vectors in that order were not read faster, see ``docs/adr/0015-topics.md``: no bank is laid out so.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import combinations
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.lazy_dataclass import immutable
from hippocampus.index.topic import TagGraph

BESIDE: Final = 0.3
"""Part of the rows of either of two tags that must be of both, for them to occur together."""


@immutable
class Cluster:
    """
    Tags that hang together, called C = (I, V, t, s) in SWIFT.

    ``centre``: the tag with most edges to the others. ``cohesion``: edges there are, of all that
    there could be; 1 for a tag alone.
    """

    tags: tuple[str, ...]
    centre: str
    cohesion: float


class ClusterPlace(NamedTuple):
    """Place of a tag's rows: within ``[start, end)``, ``size`` of them, in a cluster."""

    start: int
    end: int
    cluster: int
    size: int


class Layout(NamedTuple):
    """``order``: every row once, shape (rows,); ``places``: where each tag's own rows lie in it."""

    order: NDArray[np.int64]
    places: dict[str, ClusterPlace]


def cluster_tags(graph: TagGraph) -> list[Cluster]:
    """
    Return the connected components of tags by hierarchy and by occurring together, largest first.

    Linear in tags, edges and pairs of tags that rows have.
    """
    edges = _edges(graph)
    above = {tag.name: tag.name for tag in graph}

    def top(name: str) -> str:
        while above[name] != name:
            above[name] = name = above[above[name]]
        return name

    for one, other in edges:
        above[top(one)] = top(other)
    members: defaultdict[str, list[str]] = defaultdict(list)
    for name in sorted(above):
        members[top(name)].append(name)
    degree = Counter(name for edge in edges for name in edge)
    inside = Counter(top(one) for one, _ in edges)
    clusters = [
        Cluster(
            tags=tuple(tags),
            centre=max(tags, key=lambda name: (degree[name], len(graph[name].rows), name)),
            cohesion=inside[name] / (len(tags) * (len(tags) - 1) / 2) if len(tags) > 1 else 1.0,
        )
        for name, tags in members.items()
    ]
    return sorted(clusters, key=lambda cluster: (-len(cluster.tags), cluster.tags))


def _edges(graph: TagGraph) -> set[tuple[str, str]]:
    """Return pairs of tags that are broader and narrower or share rows, each once, in order."""
    edges = {(min(tag.name, name), max(tag.name, name)) for tag in graph for name in tag.children}
    tags_of: defaultdict[int, list[str]] = defaultdict(list)
    for tag in sorted(graph, key=lambda tag: tag.name):
        for row in tag.rows.tolist():
            tags_of[row].append(tag.name)
    both = Counter(pair for tags in tags_of.values() for pair in combinations(tags, 2))
    for (one, other), count in both.items():
        either = len(graph[one].rows) + len(graph[other].rows) - count
        if count >= BESIDE * either:
            edges.add((one, other))
    return edges


def lay_out(graph: TagGraph, clusters: list[Cluster], length: int) -> Layout:
    """
    Order a bank's ``length`` rows by cluster, within it by tag, and leave untagged ones last.

    A row under several tags lies with the rarest of them.
    """
    names = [name for cluster in clusters for name in cluster.tags]
    cluster_of = [at for at, cluster in enumerate(clusters) for _ in cluster.tags]
    home = np.full(length, len(names))
    for at in sorted(range(len(names)), key=lambda at: -len(graph[names[at]].rows)):
        home[graph[names[at]].rows] = at
    order = np.argsort(home, kind="stable")
    ends = np.cumsum(np.bincount(home, minlength=len(names) + 1)).tolist()
    starts = [0, *ends]
    places = {
        name: ClusterPlace(starts[at], ends[at], cluster_of[at], ends[at] - starts[at])
        for at, name in enumerate(names)
    }
    return Layout(order, places)
