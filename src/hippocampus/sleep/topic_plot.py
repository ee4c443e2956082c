"""Topics as a person can look at them: an outline of text, or a picture."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from hippocampus.core.files import check_output, writing
from hippocampus.core.given_arguments import as_path
from hippocampus.core.optional import require
from hippocampus.core.records import TopicInfo
from hippocampus.errors import InputError
from hippocampus.index.topic import Tag, TagGraph

FORMATS: Final = {".png": "Software", ".svg": "Date", ".pdf": "CreationDate"}
"""Formats of a picture, and the metadata left out of each: else no two would be the same."""
_LINE: Final = 0.24
"""Inches a tag takes from top to bottom: a line of type of 8 points, twice over."""
_COLUMN: Final = 3.1
"""Inches of a column of trees: names of three words beside two steps of indent. By eye."""
_INDENT: Final = 0.28
"""Inches of a step to the right for each level. By eye."""
_PALETTE: Final = ("#1b4965", "#2a7f9e", "#62a8ac", "#9bb8a5", "#b9b28f")
"""From broad to narrow."""


class _Line(NamedTuple):
    """One tag where it is shown: under which line, if any, and how deep."""

    tag: Tag
    depth: int
    under: int | None


def outline(graph: TagGraph) -> list[str]:
    """
    Return the graph as indented lines, a tag and its rows each, broad ones first.

    A tag with several parents stands under each, and its children under the first.
    """
    lines = []
    seen: set[str] = set()
    for top in _tops(graph):
        ahead = [(top, 0)]
        while ahead:
            tag, depth = ahead.pop()
            again = tag.name in seen and tag.children
            lines.append(f"{'  ' * depth}{tag.name} ({len(tag.rows)}){' …' if again else ''}")
            if not again:
                ahead += [(child, depth + 1) for child in reversed(_below(graph, tag))]
            seen.add(tag.name)
    return lines


def plot_topics(topics: Iterable[TopicInfo], path: str | Path, *, overwrite: bool = False) -> None:
    """
    Draw the topics of a bank as trees, and under them those that have no relation.

    A topic with several parents is drawn under the most specific one; dashed lines go to the
    others. A dot's area tells how many episodes are of its topic.

    Args:
        topics: as ``Bank.topics`` returns them.
        path: a file to write; its ending says in which of ``FORMATS``.
        overwrite: whether it may replace a file; see ``Bank.export``.

    Raises:
        MissingExtra: matplotlib is not installed.
        InputError: the name does not end in one of ``FORMATS``.
        OutputExists: there is such a file and it may not be replaced, or it is a store.

    """
    path = as_path("path", path)
    ending = picture_ending(path)
    check_output(path, overwrite=overwrite)
    require("matplotlib", extra="plots", feature="drawing topics")
    from matplotlib.figure import Figure  # noqa: PLC0415 - only when something is drawn

    graph = _graph(topics)
    trees = [list(_lines(graph, tag)) for tag in _tops(graph) if tag.children]
    loose = [tag for tag in _tops(graph) if not tag.children]
    # As many columns as make the picture about as wide as tall; five are the width of a screen.
    columns = max(1, min(5, math.ceil(math.sqrt(len(graph) / 12))))
    packed, height = _pack(trees, columns)
    rows = math.ceil(len(loose) / columns)
    tall = (height + rows + (3 if loose else 1)) * _LINE
    figure = Figure(figsize=(columns * _COLUMN + 0.3, tall + 0.4))
    axes = figure.add_axes((0, 0, 1, 1))
    axes.set(xlim=(-0.2, columns * _COLUMN + 0.1), ylim=(-tall - 0.2, 0.2))
    axes.axis("off")
    spots: dict[str, tuple[float, float]] = {}
    for lines, (column, line) in zip(trees, packed, strict=True):
        _draw_tree(axes, lines, column * _COLUMN, -line * _LINE, spots)
    for tag in graph:
        for parent in tag.parents:
            if tag.name in spots and parent in spots:
                _draw_extra(axes, graph, tag, parent, spots)
    if loose:
        top = -(height + 1) * _LINE
        axes.plot([0, columns * _COLUMN - 0.2], [top, top], color="#dddddd", linewidth=0.8)
    for at, tag in enumerate(loose):
        x, y = (at // rows) * _COLUMN, -(height + 2 + at % rows) * _LINE
        _draw_tag(axes, tag, x, y, "#8a8a8a", "#555555")
    with writing(path, overwrite=overwrite) as unfinished:
        figure.savefig(unfinished, dpi=110, metadata={FORMATS[ending]: None})


def picture_ending(path: Path) -> str:
    """
    Return the one of ``FORMATS`` in which a picture of this name is drawn.

    Raises:
        InputError: the name does not end in one of them.

    """
    ending = path.suffix.lower()
    if ending not in FORMATS:
        msg = f"{path}: a picture is drawn as {', '.join(FORMATS)}; end the name in one of them"
        raise InputError(msg)
    return ending


def _graph(topics: Iterable[TopicInfo]) -> TagGraph:
    graph = TagGraph()
    known = list(topics)
    for topic in known:
        graph.add(topic.name, range(topic.episodes))
    for topic in known:
        for parent in topic.parents:
            graph.relate(parent, topic.name)
    return graph


def _tops(graph: TagGraph) -> list[Tag]:
    """Return the tags that nothing is broader than, those with something below them first."""
    size: dict[str, int] = {}
    for tag in graph:
        under = (graph[name] for name in graph.expand([tag.name], down=len(graph)))
        size[tag.name] = sum(len(one.rows) for one in under)
    tops = [tag for tag in graph if not tag.parents]
    return sorted(tops, key=lambda tag: (not tag.children, -size[tag.name], tag.name))


def _below(graph: TagGraph, tag: Tag) -> list[Tag]:
    return sorted(
        (graph[name] for name in tag.children), key=lambda one: (-len(one.rows), one.name)
    )


def _home(graph: TagGraph, tag: Tag) -> str:
    """Return the parent under which a tag is drawn: the most specific."""
    return max(tag.parents, key=lambda name: (graph.level(name), len(graph[name].rows), name))


def _lines(graph: TagGraph, top: Tag) -> Iterator[_Line]:
    ahead: list[tuple[Tag, int, int | None]] = [(top, 0, None)]
    at = 0
    while ahead:
        tag, depth, under = ahead.pop()
        yield _Line(tag, depth, under)
        below = [one for one in _below(graph, tag) if _home(graph, one) == tag.name]
        ahead += [(one, depth + 1, at) for one in reversed(below)]
        at += 1


def _pack(trees: list[list[_Line]], columns: int) -> tuple[list[tuple[int, int]], int]:
    """Put each tree, the tallest first, into the column that is shortest; return places, height."""
    used = [0] * columns
    places: dict[int, tuple[int, int]] = {}
    for at in sorted(range(len(trees)), key=lambda at: -len(trees[at])):
        column = used.index(min(used))
        places[at] = (column, used[column])
        used[column] += len(trees[at]) + 1
    return [places[at] for at in range(len(trees))], max(used)


def _draw_tree(
    axes: Any,  # noqa: ANN401 - matplotlib is not there for every reader
    lines: list[_Line],
    left: float,
    top: float,
    spots: dict[str, tuple[float, float]],
) -> None:
    last: defaultdict[int, float] = defaultdict(float)
    for at, (tag, depth, under) in enumerate(lines):
        x, y = left + depth * _INDENT, top - at * _LINE
        spots[tag.name] = x, y
        if under is not None:
            stem = left + (depth - 1) * _INDENT
            start = last[under] or top - under * _LINE
            axes.plot([stem, stem, x], [start, y, y], color="#bbbbbb", linewidth=0.9, zorder=1)
            last[under] = y
        colour = _PALETTE[min(depth, len(_PALETTE) - 1)]
        _draw_tag(axes, tag, x, y, colour, "black", bold=not depth)


def _draw_extra(
    axes: Any,  # noqa: ANN401
    graph: TagGraph,
    tag: Tag,
    parent: str,
    spots: dict[str, tuple[float, float]],
) -> None:
    if parent == _home(graph, tag):
        return
    axes.annotate(
        "", spots[tag.name], spots[parent], zorder=0,
        arrowprops={
            "arrowstyle": "-", "linestyle": "--", "color": "#d0a070", "linewidth": 0.8,
            "connectionstyle": "arc3,rad=0.15",
        },
    )  # fmt: skip


def _draw_tag(
    axes: Any,  # noqa: ANN401
    tag: Tag,
    x: float,
    y: float,
    colour: str,
    ink: str,
    *,
    bold: bool = False,
) -> None:
    area = 8 + 5 * math.sqrt(len(tag.rows))
    axes.scatter([x], [y], s=area, color=colour, linewidths=0, zorder=2)
    weight = "bold" if bold else "normal"
    label = tag.name.replace("_", " ")
    text = f"{label}  {len(tag.rows)}" if len(tag.rows) else label
    axes.text(x + 0.1, y, text, va="center", fontsize=8, color=ink, weight=weight)
