"""
Communities of topics: what a bank is about as a whole (GraphRAG, as HUMAN's section 7.1 uses it).

Topics that are said together belong together. Louvain's method finds the groups in which they are:
tags move to the neighbouring group that gains most modularity, until none moves; then groups are
taken for nodes, and it goes on. It is done in the order of names and by no chance, so the same bank
has the same communities. Of each, a few memories are chosen that between them have most of its
topics, for a summary, and for questions that no single memory answers.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Final

import numpy as np

from hippocampus.core.background_yield import pausing
from hippocampus.index.topic import Community, TagGraph

TELLING: Final = 12
"""Memories that tell of a community, at most (docs/adr/0067); as many as lead a recall."""
_MOST: Final = 32
"""Communities that are kept: more than anybody reads, and small ones are no themes of the whole.
Set by hand."""
_LEAST: Final = 3
"""Memories that a community has at least: less is no theme (docs/adr/0067)."""
_TOGETHER: Final = 3.0
"""Weight of being said in one memory, against being said in one window of talk (docs/adr/0067). Set
by hand."""
_WIDEST: Final = 24
"""Most tags of a window, by frequency in it, that are taken to be said together: their pairs grow
with the square. Set by hand."""
_ROUNDS: Final = 20
"""Most rounds of moving, and of merging: Louvain's method ends by itself, mostly after a few, and
this bounds it if rounding keeps a node moving."""


def find_communities(graph: TagGraph, windows: Iterable[Sequence[int]]) -> tuple[Community, ...]:
    """
    Return the communities of a graph of tags, those with most memories first.

    Args:
        graph: the tags with their rows.
        windows: rows of talk that belong together, in order.

    """
    tags = sorted((tag for tag in graph if len(tag.rows)), key=lambda tag: tag.name)
    under: defaultdict[int, list[int]] = defaultdict(list)
    for at, tag in enumerate(tags):
        for row in tag.rows.tolist():
            under[row].append(at)
    ties = _ties(under, windows, len(tags))
    groups: defaultdict[int, list[int]] = defaultdict(list)
    for at, group in enumerate(louvain(ties)):
        groups[group].append(at)
    weight = [sum(ties[at].values()) for at in range(len(tags))]
    of = {at: group for group, members in groups.items() for at in members}
    rows = _rows_of(under, of, weight)
    found = []
    for group, members in groups.items():
        own = rows.get(group, [])
        if len(own) < min(_LEAST, len(under)):
            continue
        inside = {at: sum(w for o, w in ties[at].items() if of[o] == group) for at in members}
        ranked = sorted(members, key=lambda at: (-inside[at], -len(tags[at].rows), at))
        found.append(
            Community(
                tuple(tags[at].name for at in ranked),
                np.array(sorted(own), np.uint32),
                tuple(_telling(own, under, {at: 1.0 + inside[at] for at in members})),
            )
        )
    found.sort(key=lambda one: (-len(one.rows), one.tags))
    return tuple(found[:_MOST])


def _ties(
    under: Mapping[int, Sequence[int]], windows: Iterable[Sequence[int]], count: int
) -> list[dict[int, float]]:
    """Return the strengths of the ties between tags that are said together."""
    ties: list[dict[int, float]] = [{} for _ in range(count)]

    def tie(one: int, other: int, weight: float) -> None:
        ties[one][other] = ties[one].get(other, 0.0) + weight
        ties[other][one] = ties[other].get(one, 0.0) + weight

    for tags in under.values():
        for one, other in combinations(tags[:_WIDEST], 2):
            tie(one, other, _TOGETHER)
    for rows in pausing(list(windows)):
        said = Counter(at for row in rows for at in under.get(row, ()))
        most = sorted(said, key=lambda at: (-said[at], at))[:_WIDEST]
        for one, other in combinations(sorted(most), 2):
            tie(one, other, min(said[one], said[other]) / len(most))
    return ties


def louvain(ties: Sequence[Mapping[int, float]]) -> list[int]:
    """
    Return the community of each node (Blondel et al. 2008), as the least node that is in it.

    Args:
        ties: the weights of each node's ties, by the node at the other end, both ways.

    """
    member_of = list(range(len(ties)))
    level = [dict(one) for one in ties]
    for _ in range(_ROUNDS):
        groups = _moved(level)
        if groups == list(range(len(level))):
            break
        names = sorted(set(groups))
        place = {group: at for at, group in enumerate(names)}
        member_of = [place[groups[node]] for node in member_of]
        merged: list[dict[int, float]] = [{} for _ in names]
        for node, own in enumerate(level):
            into = merged[place[groups[node]]]
            for other, weight in own.items():
                to = place[groups[other]]
                into[to] = into.get(to, 0.0) + weight
        level = merged
    least: dict[int, int] = {}
    for node, group in enumerate(member_of):
        least.setdefault(group, node)
    return [least[group] for group in member_of]


def _moved(ties: Sequence[Mapping[int, float]]) -> list[int]:
    """Move nodes, in order, to the neighbouring group that gains most, until none moves."""
    degree = [sum(own.values()) for own in ties]
    total = sum(degree)
    group, held = list(range(len(ties))), list(degree)
    if not total:
        return group
    for _ in range(_ROUNDS):
        moved = False
        for node, own in enumerate(pausing(ties)):
            here = group[node]
            towards: dict[int, float] = {here: 0.0}
            for other, weight in own.items():
                # A loop stands for what was merged into this node: it counts in its degree alone.
                if other != node:
                    towards[group[other]] = towards.get(group[other], 0.0) + weight
            held[here] -= degree[node]
            gain = {to: w - held[to] * degree[node] / total for to, w in towards.items()}
            # Rounded, and in doubt where it is: rounding errors must not move a node to and fro.
            best = min(gain, key=lambda to: (-round(gain[to], 9), to != here, to))
            held[best] += degree[node]
            moved |= best != here
            group[node] = best
        if not moved:
            break
    return group


def _rows_of(
    under: Mapping[int, Sequence[int]], of: Mapping[int, int], weight: Sequence[float]
) -> dict[int, list[int]]:
    """Return the rows of each group; one under tags of several is of that with most of them."""
    rows: defaultdict[int, list[int]] = defaultdict(list)
    for row, tags in under.items():
        worth: defaultdict[int, float] = defaultdict(float)
        for at in tags:
            worth[of[at]] += 1.0
        strongest = {group: max(weight[at] for at in tags if of[at] == group) for group in worth}
        best = min(worth, key=lambda group: (-worth[group], -strongest[group], group))
        rows[best].append(row)
    return rows


def _telling(
    rows: Iterable[int], under: Mapping[int, Sequence[int]], worth: Mapping[int, float]
) -> list[int]:
    """Choose rows that between them are under most of what is worth most, the best first."""
    left = dict(worth)
    chosen: list[int] = []
    rest = sorted(rows)
    while rest and len(chosen) < TELLING:
        best = max(rest, key=lambda row: (sum(left.get(at, 0.0) for at in under[row]), -row))
        chosen.append(best)
        rest.remove(best)
        for at in under[best]:
            if at in left:
                # A topic that was told counts less, so that the next memory tells of others.
                # By a quarter and not to nothing: what is central may be told twice. Set by hand.
                left[at] *= 0.25
    return chosen
