"""
The nine tools of the reference memory server, on a bank.

An observation is an episode, ``Name (type): words``; a relation is one, ``from verb to``; that
there is an entity at all is one, ``Name (type)``. So what was put in by these tools is found by
every other way into the bank, what ``hippocampus import memory.jsonl`` brought in is found by
these, and what is deleted is forgotten: it can be restored until ``compact``.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Annotated, Any, Final

from mcp.server.mcpserver import MCPServer
from pydantic import Field
from typing_extensions import TypedDict

from hippocampus.core.records import Episode, Turn
from hippocampus.errors import InputError
from hippocampus.mcp.schemas import ToolAnswer

if TYPE_CHECKING:
    from hippocampus.bank import Bank
    from hippocampus.memory import Memory

GRAPH_URI: Final = "memory://knowledge-graph"

_ENTITY, _TYPE, _RELATION, _TO = "entity", "entity_type", "relation", "to"
"""Keys of an episode's metadata; an import writes the same."""
_MOMENT = timedelta(microseconds=1)


class GraphEntity(TypedDict):
    """Somebody or something, and what was noted of it."""

    name: Annotated[str, Field(description="The name of the entity")]
    entityType: Annotated[str, Field(description="The type of the entity")]
    observations: Annotated[
        list[str],
        Field(description="An array of observation contents associated with the entity"),
    ]


# The name that the reference server publishes.
GraphEntity.__name__ = GraphEntity.__qualname__ = "Entity"

Relation = TypedDict(
    "Relation",
    {
        "from": Annotated[
            str, Field(description="The name of the entity where the relation starts")
        ],
        "to": Annotated[str, Field(description="The name of the entity where the relation ends")],
        "relationType": Annotated[str, Field(description="The type of the relation")],
    },
)


class Additions(TypedDict):
    """Observations to note of an entity."""

    entityName: Annotated[
        str, Field(description="The name of the entity to add the observations to")
    ]
    contents: Annotated[list[str], Field(description="An array of observation contents to add")]


class Deletions(TypedDict):
    """Observations to delete of an entity."""

    entityName: Annotated[
        str, Field(description="The name of the entity containing the observations")
    ]
    observations: Annotated[list[str], Field(description="An array of observations to delete")]


class EntitiesMade(TypedDict):
    """The entities that are new."""

    entities: list[GraphEntity]


class RelationsMade(TypedDict):
    """The relations that are new."""

    relations: list[Relation]


class Added(TypedDict):
    """The observations of one entity that are new."""

    entityName: str
    addedObservations: list[str]


class ObservationsMade(TypedDict):
    """The observations that are new."""

    results: list[Added]


class Deleted(TypedDict):
    """Result of a deletion."""

    success: bool
    message: str


class KnowledgeGraph(TypedDict):
    """Entities and the relations between them."""

    entities: list[GraphEntity]
    relations: list[Relation]


class _Node:
    """An entity of the graph, and the episodes it is made of."""

    def __init__(self, kind: str) -> None:
        self.kind = kind
        self.ids: list[str] = []
        self.observations: dict[str, list[str]] = {}

    def as_entity(self, name: str) -> GraphEntity:
        return {"name": name, "entityType": self.kind, "observations": list(self.observations)}


class _View:
    """The graph as a bank's episodes tell it."""

    def __init__(self, episodes: Iterable[Episode]) -> None:
        self.nodes: dict[str, _Node] = {}
        self.edges: dict[tuple[str, str, str], list[str]] = {}
        self.last = datetime.min.replace(tzinfo=UTC)
        for episode, text in _whole(episodes):
            self._take_in(episode, text)
            self.last = max(self.last, episode.occurred_at)

    def _take_in(self, episode: Episode, text: str) -> None:
        about = episode.metadata
        name, kind = about.get(_ENTITY), about.get(_TYPE, "")
        if not isinstance(name, str) or not isinstance(kind, str):
            return
        head = _head(name, kind)
        if _RELATION in about:
            edge = (name, str(about[_RELATION]), str(about.get(_TO, "")))
            if text == " ".join(edge):
                self.edges.setdefault(edge, []).append(episode.id)
        elif text == head:
            self.nodes.setdefault(name, _Node(kind)).ids.append(episode.id)
        elif text.startswith(f"{head}: "):
            node = self.nodes.setdefault(name, _Node(kind))
            node.observations.setdefault(text.removeprefix(f"{head}: "), []).append(episode.id)

    def about(self, names: Iterable[str] | None = None) -> KnowledgeGraph:
        """Return entities, of all if none are named, and every relation that one of them has."""
        chosen = None if names is None else set(names)

        def wanted(*ends: str) -> bool:
            return chosen is None or not chosen.isdisjoint(ends)

        return {
            "entities": [node.as_entity(name) for name, node in self.nodes.items() if wanted(name)],
            "relations": [_as_relation(e) for e in self.edges if wanted(e[0], e[2])],
        }

    def node(self, name: str) -> _Node:
        """Return an entity; the error is the reference server's."""
        if name not in self.nodes:
            msg = f"Entity with name {name} not found"
            raise InputError(msg)
        return self.nodes[name]


def _whole(episodes: Iterable[Episode]) -> list[tuple[Episode, str]]:
    """Return a memory that was kept at once, with its text: long ones are kept in parts."""
    found: list[tuple[Episode, list[str]]] = []
    for episode in episodes:
        if episode.part and found:
            found[-1][1].append(episode.text)
        else:
            found.append((episode, [episode.text]))
    return [(first, "".join(texts)) for first, texts in found]


def _head(name: str, kind: str) -> str:
    return f"{name} ({kind})" if kind else name


def _as_relation(edge: tuple[str, str, str]) -> Relation:
    return {"from": edge[0], "to": edge[2], "relationType": edge[1]}


def _as_edge(relation: Relation) -> tuple[str, str, str]:
    return relation["from"], relation["relationType"], relation["to"]


class Graph:
    """The nine tools over one bank. What they say, to the word, is the reference server's."""

    def __init__(self, memory: Callable[[], Memory], bank: str) -> None:
        self._memory = memory
        self._name = bank
        self._changing = threading.Lock()

    # ------------------------------------------------------------ what models call

    def create_entities(self, entities: list[GraphEntity]) -> Annotated[ToolAnswer, EntitiesMade]:
        """Create multiple new entities in the knowledge graph."""
        with self._change() as view:
            new: dict[str, GraphEntity] = {}
            for entity in entities:
                if entity["name"] not in view.nodes:
                    noted = list(dict.fromkeys(entity["observations"]))
                    new.setdefault(entity["name"], {**entity, "observations": noted})
            self._keep(view, (turn for entity in new.values() for turn in _turns(entity)))
        made = list(new.values())
        return _answer({"entities": made}, made)

    def create_relations(self, relations: list[Relation]) -> Annotated[ToolAnswer, RelationsMade]:
        """Create multiple new relations between entities in the knowledge graph."""
        with self._change() as view:
            for relation in relations:
                # All are looked up before any is kept, so that one that fails leaves none behind.
                view.node(relation["from"])
                view.node(relation["to"])
            edges = [e for e in dict.fromkeys(map(_as_edge, relations)) if e not in view.edges]
            self._keep(view, map(_relation, edges))
        made = [_as_relation(edge) for edge in edges]
        return _answer({"relations": made}, made)

    def add_observations(
        self, observations: list[Additions]
    ) -> Annotated[ToolAnswer, ObservationsMade]:
        """Add new observations to existing entities in the knowledge graph."""
        with self._change() as view:
            results: list[Added] = []
            turns: list[Turn] = []
            for addition in observations:
                name = addition["entityName"]
                node = view.node(name)
                new = [w for w in dict.fromkeys(addition["contents"]) if w not in node.observations]
                node.observations |= {words: [] for words in new}
                turns += [_observation(name, node.kind, words) for words in new]
                results.append({"entityName": name, "addedObservations": new})
            self._keep(view, turns)
        return _answer({"results": results}, results)

    def delete_entities(
        self,
        entityNames: list[str],  # noqa: N803 - as the reference has it
    ) -> Annotated[ToolAnswer, Deleted]:
        """Delete multiple entities and their associated relations from the knowledge graph."""
        with self._change() as view:
            named = set(entityNames)
            found = [name for name in entityNames if name in view.nodes]
            missing = [name for name in entityNames if name not in view.nodes]
            nodes = [view.nodes[name] for name in found]
            ids = [id_ for n in nodes for its in (n.ids, *n.observations.values()) for id_ in its]
            for edge, its in view.edges.items():
                if edge[0] in named or edge[2] in named:
                    ids += its
            self._drop(ids)
        return _deleted(
            "Entities", len(found), len(entityNames), f"Not found: {', '.join(missing)}"
        )

    def delete_observations(self, deletions: list[Deletions]) -> Annotated[ToolAnswer, Deleted]:
        """Delete specific observations from entities in the knowledge graph."""
        with self._change() as view:
            ids: list[str] = []
            gone = 0
            missing = []
            for deletion in deletions:
                node = view.nodes.get(deletion["entityName"])
                if node is None:
                    missing.append(deletion["entityName"])
                    continue
                for words in deletion["observations"]:
                    its = node.observations.pop(words, None)
                    ids += its or ()
                    gone += its is not None
            self._drop(ids)
        asked = sum(len(deletion["observations"]) for deletion in deletions)
        rest = f"Entities not found: {', '.join(missing)}" if missing else ""
        return _deleted("Observations", gone, asked, rest)

    def delete_relations(self, relations: list[Relation]) -> Annotated[ToolAnswer, Deleted]:
        """Delete multiple relations from the knowledge graph."""
        with self._change() as view:
            found = [edge for edge in dict.fromkeys(map(_as_edge, relations)) if edge in view.edges]
            self._drop(id_ for edge in found for id_ in view.edges[edge])
        return _deleted("Relations", len(found), len(relations), "The rest matched nothing.")

    def read_graph(self) -> Annotated[ToolAnswer, KnowledgeGraph]:
        """Read the entire knowledge graph."""
        return _answer(self.whole())

    def search_nodes(self, query: str) -> Annotated[ToolAnswer, KnowledgeGraph]:
        """Search for nodes in the knowledge graph based on a query."""
        view, wanted = self._view(), query.lower()
        found = view.about(
            name
            for name, node in view.nodes.items()
            if any(wanted in text.lower() for text in (name, node.kind, *node.observations))
        )
        return _answer(found)

    def open_nodes(self, names: list[str]) -> Annotated[ToolAnswer, KnowledgeGraph]:
        """Open specific nodes in the knowledge graph by their names."""
        return _answer(self._view().about(names))

    # ------------------------------------------------------------ inside

    def whole(self) -> KnowledgeGraph:
        """Return the graph."""
        return self._view().about()

    def _bank(self) -> Bank:
        return self._memory().bank(self._name)

    def _view(self) -> _View:
        return _View(self._bank().episodes(where={_ENTITY: {"$exists": True}}))

    @contextmanager
    def _change(self) -> Iterator[_View]:
        """Give the graph to who changes it; others wait for their turn."""
        with self._changing:
            yield self._view()

    def _keep(self, view: _View, turns: Iterable[Turn]) -> None:
        """
        Remember turns, as what sleep neither merges nor lets fade.

        Each has a moment of its own: so the graph stays in order, and two that read alike, as
        ``A (b)`` does of whatever type, are two.
        """
        # A clock that was set back would put what is new among what is old.
        first = max(self._memory().engine.now(), view.last + _MOMENT)
        new = [replace(turn, at=first + place * _MOMENT) for place, turn in enumerate(turns)]
        if not new:
            return
        bank = self._bank()
        kept = bank.remember_many(new)
        bank.restore([episode.id for episode in kept if episode.state == "forgotten"])
        bank.pin([episode.id for episode in kept if _ENTITY in episode.metadata])
        there = {_mark(text, episode.metadata) for episode, text in _whole(kept)}
        gate = self._memory().engine.secret_gate
        for turn in new:
            as_kept = gate.turn(turn)  # without its secrets, where they are not kept
            if _mark(as_kept.text, as_kept.metadata) not in there:
                msg = (
                    f"{turn.text!r:.200}: is a quotation of a memory, or was just recalled as"
                    " another one; say it in other words"
                )
                raise InputError(msg)

    def _drop(self, ids: Iterable[str]) -> None:
        gone = list(ids)
        if gone:
            self._bank().forget(gone)


def _mark(text: str, about: Mapping[str, object]) -> tuple[object, ...]:
    """Return the parts by which a memory of the graph is known from others."""
    return text, *(about.get(key) for key in (_ENTITY, _TYPE, _RELATION, _TO))


def _turns(entity: GraphEntity) -> Iterator[Turn]:
    name, kind = entity["name"], entity["entityType"]
    yield Turn(text=_head(name, kind), metadata=_about(name, kind))
    for words in entity["observations"]:
        yield _observation(name, kind, words)


def _observation(name: str, kind: str, words: str) -> Turn:
    return Turn(text=f"{_head(name, kind)}: {words}", metadata=_about(name, kind))


def _relation(edge: tuple[str, str, str]) -> Turn:
    about = dict(zip((_ENTITY, _RELATION, _TO), edge, strict=True))
    return Turn(text=" ".join(edge), metadata=about)


def _about(name: str, kind: str) -> dict[str, str]:
    return {_ENTITY: name, _TYPE: kind} if kind else {_ENTITY: name}


def _answer(data: Mapping[str, object], shown: object = None) -> ToolAnswer:
    """Return an answer; of one list, the text shows that alone."""
    return ToolAnswer(
        data, json.dumps(data if shown is None else shown, ensure_ascii=False, indent=2)
    )


def _deleted(what: str, gone: int, asked: int, rest: str) -> ToolAnswer:
    message = f"{what} deleted successfully"
    if gone != asked:
        message = f"Deleted {gone} of {asked} {what.lower()}. {rest}".rstrip()
    return ToolAnswer({"success": True, "message": message}, message)


def add_graph(server: MCPServer[Any], graph: Graph) -> None:
    """Add the reference server's one resource."""

    @server.resource(
        GRAPH_URI, name="knowledge-graph", title="Knowledge Graph", mime_type="application/json",
        description="The full knowledge graph with all entities and relations",
    )  # fmt: skip
    def read() -> str:
        return json.dumps(graph.whole(), ensure_ascii=False, indent=2)
