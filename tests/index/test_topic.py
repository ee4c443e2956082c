"""Tags form a graph from broad to narrow that no order of changes makes a circle of."""

import json
import struct
import zlib
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.core.records import Payloads
from hippocampus.encode.terms import hash_terms
from hippocampus.errors import InputError
from hippocampus.index.bm25 import pack_terms
from hippocampus.index.query import Query
from hippocampus.index.topic import FORMAT, TagGraph, TopicCue, Topics, pack, unpack

NAMES = list("abcdefg")


def graph_of(*edges, rows=None):
    graph = TagGraph()
    for parent, child in edges:
        graph.add(parent)
        graph.add(child)
        graph.relate(parent, child)
    for name, under in (rows or {}).items():
        graph.add(name, under, [tuple(hash_terms(name.replace("_", " ")).tolist())])
    return graph


def edges_of(graph):
    return {(tag.name, child) for tag in graph for child in tag.children}


def closure(edges):
    found = set(edges)
    while True:
        more = {(a, d) for a, b in found for c, d in found if b == c} - found
        if not more:
            return found
        found |= more


def longest_way_down(graph, name):
    return max((1 + longest_way_down(graph, above) for above in graph[name].parents), default=0)


def check(graph):
    """Everything that must hold of a graph, whatever was done to it."""
    edges = edges_of(graph)
    assert edges == {(parent, tag.name) for tag in graph for parent in tag.parents}
    assert all(graph.level(parent) < graph.level(child) for parent, child in edges)
    assert all(graph.level(tag.name) == longest_way_down(graph, tag.name) for tag in graph)
    assert all(parent != child for parent, child in closure(edges)), "a circle"
    for edge in edges:
        assert edge not in closure(edges - {edge}), "an edge that others imply"
    names = [name for tag in graph for name in (tag.name, *tag.aliases)]
    assert len(names) == len(set(names)), "a name twice"
    assert all(graph[alias] is tag for tag in graph for alias in tag.aliases)
    assert all(np.all(np.diff(tag.rows.astype(int)) > 0) for tag in graph)


OPERATIONS = st.lists(
    st.tuples(st.just("relate"), st.sampled_from(NAMES), st.sampled_from(NAMES))
    | st.tuples(st.just("relate"), st.sampled_from(NAMES), st.sampled_from(NAMES))
    | st.tuples(st.just("add"), st.sampled_from(NAMES), st.lists(st.integers(0, 9)))
    | st.tuples(st.just("merge"), st.sampled_from(NAMES), st.sampled_from(NAMES))
    | st.tuples(st.just("remove"), st.sampled_from(NAMES)),
    max_size=40,
)


@given(OPERATIONS)
def test_no_order_of_changes_makes_a_circle_or_a_second_of_anything(operations):
    graph = TagGraph()
    for what, name, *rest in operations:
        if what == "add":
            graph.add(name, *rest)
        elif what == "remove":
            if name in graph:
                graph.remove(name)
        else:
            graph.add(name)
            graph.add(rest[0])
            one, other = graph[name].name, graph[rest[0]].name
            before = closure(edges_of(graph))
            done = getattr(graph, what)(name, *rest)
            if what == "relate":
                assert done == (one != other and (other, one) not in before)
                wanted = closure(before | {(one, other)}) if done else before
                assert wanted == closure(edges_of(graph)), "all that was implied, and no more"
        check(graph)


@given(OPERATIONS.map(lambda some: [one for one in some if one[0] != "remove"]))
def test_merging_keeps_every_row_and_every_name(operations):
    graph, rows, known = TagGraph(), set(), set()
    for what, name, *rest in operations:
        known.add(name)
        if what == "add":
            graph.add(name, *rest)
            rows.update(rest[0])
        else:
            known.add(rest[0])
            graph.add(name)
            graph.add(rest[0])
            getattr(graph, what)(name, *rest)

    assert rows == {row for tag in graph for row in tag.rows.tolist()}
    assert all(name in graph for name in known)


def test_removing_a_tag_leaves_its_children_under_its_parents():
    graph = graph_of("ab", "bc", "bd")
    graph.remove("b")

    assert {("a", "c"), ("a", "d")} == edges_of(graph)
    assert "b" not in graph


def test_expansion_goes_down_and_up_so_many_steps():
    graph = graph_of("ab", "bc", "cd", "xb")

    assert {"b": 0} == graph.expand(["b"])
    assert {"b": 0, "c": 1} == graph.expand(["b"], down=1)
    assert {"b": 0, "c": 1, "d": 2, "a": -1, "x": -1} == graph.expand(["b"], down=9, up=1)
    assert {"b": 0, "d": 0, "c": 1} == graph.expand(["b", "d"], down=1)


# ---------------------------------------------------------------- bytes


def some_artifact():
    graph = graph_of(("animal", "cat"), ("animal", "dog"), rows={"cat": [1, 3], "dog": [2]})
    graph.add("kitten", [4])
    graph.merge("kitten", into="cat")
    graph["cat"].vector = np.array([1, 0.5, 0, 0, 0, 0, 0, 0], np.float32)
    return Topics(graph, 5, "hash 8", {"a": "b"})


def test_what_is_packed_is_unpacked():
    artifact = some_artifact()
    again = unpack(pack(artifact))

    assert artifact[1:] == again[1:]
    check(again.graph)
    assert edges_of(artifact.graph) == edges_of(again.graph)
    assert "cat" == again.graph["kitten"].name
    assert [1, 3, 4] == again.graph["cat"].rows.tolist()
    assert artifact.graph["cat"].names == again.graph["cat"].names
    assert [1, 0.5] == again.graph["cat"].vector.tolist()[:2]
    assert again.graph["dog"].vector is None
    assert pack(artifact) == pack(again)


def test_an_empty_graph_is_packed_too():
    assert 0 == len(unpack(pack(Topics(TagGraph(), 0))).graph)


def test_a_later_version_is_refused_as_such():
    data = bytearray(pack(some_artifact()))
    struct.pack_into("<H", data, 6, FORMAT + 1)

    with pytest.raises(InputError, match=f"format {FORMAT + 1} is newer"):
        unpack(bytes(data))


@given(st.data())
def test_damaged_bytes_are_always_refused(data):
    good = pack(some_artifact())
    at = data.draw(st.integers(0, len(good) - 1))
    bad = bytearray(good)
    bad[at] ^= data.draw(st.integers(1, 255))

    for damaged in (bytes(bad), good[:at], good + b"x"):
        with pytest.raises(InputError, match="build"):
            unpack(damaged)


def reframed(change):
    """Return an artifact whose insides were edited by hand, checksum and all."""
    good = pack(some_artifact())
    said = json.loads(zlib.decompress(good[20:]))
    change(said)
    body = json.dumps(said).encode()
    packed = zlib.compress(body)
    return struct.pack("<6sHIQ", good[:6], FORMAT, zlib.crc32(packed), len(body)) + packed


@pytest.mark.parametrize(
    "change",
    [
        lambda said: said["tags"][0]["parents"].append(1),  # a circle
        lambda said: said["tags"][1]["parents"].append(1),
        lambda said: said["tags"][1]["parents"].append(99),
        lambda said: said["tags"][1]["parents"].append(-1),
        lambda said: said["tags"][1].update(name="animal"),
        lambda said: said["tags"][1].update(name=7),
        lambda said: said["tags"][0]["aliases"].append("cat"),
        lambda said: said["tags"][1].update(rows="////"),
        lambda said: said["tags"][1].update(rows="AgAAAAEAAAA="),  # not ascending
        lambda said: said["tags"][1].update(names=[["cat"]]),
        lambda said: said["tags"][1].update(names=[[]]),
        lambda said: said["tags"][2].update(vector=True),
        lambda said: said.update(vectors="AH4AfgB+AH4AfgB+AH4Afg=="),  # NaN
        lambda said: said.update(dimension=-(1 << 63)),
        lambda said: said.update(dimension=0, vectors=""),
        lambda said: said.update(length="5"),
        lambda said: said.update(length=3),  # rows beyond it
        lambda said: said.update(kept=[]),
        lambda said: said.update(tags=None),
        lambda said: said.pop("tags"),
    ],
)
def test_insides_edited_by_hand_are_refused(change):
    assert 3 == len(unpack(reframed(lambda _: None)).graph)
    with pytest.raises(InputError, match="damaged"):
        unpack(reframed(change))


def test_bytes_that_claim_less_or_more_than_they_hold_are_refused():
    good = pack(some_artifact())
    for nbytes in (1, 1 << 20, 1 << 62):
        bad = bytearray(good)
        struct.pack_into("<Q", bad, 12, nbytes)
        with pytest.raises(InputError, match="again"):
            unpack(bytes(bad))


# ---------------------------------------------------------------- the cue


def asked(text, vector=None):
    terms = np.unique(hash_terms(text))
    return Query(
        text=text,
        now=datetime(2025, 1, 1, tzinfo=UTC),
        terms=terms,
        term_weights=np.ones(len(terms), np.float32),
        vector=vector,
    )


def written(*texts):
    return Payloads.of([pack_terms(hash_terms(text)) for text in texts])


def test_rows_come_under_the_tags_whose_words_they_hold_all_of():
    graph = graph_of(rows={"pottery_class": [], "cat": [0]})
    cue = TopicCue(graph, length=1)
    cue.observe(written("My class in pottery began", "pottery", "", "Two cats and cats, class"))
    cue.observe(written("pottery classes"))

    assert 6 == len(cue)
    assert [1, 5] == cue.rows("pottery_class").tolist()
    assert [0, 4] == cue.rows("cat").tolist()


WORDS = ["cat", "dog", "pottery", "class", "tram", "of"]
TAGS = ["cat", "dog", "pottery_class", "class", "cat_dog_tram"]


@given(st.lists(st.lists(st.sampled_from(WORDS), max_size=5)), st.integers(0, 9))
def test_what_is_observed_in_parts_is_what_a_plain_look_at_every_row_finds(rows, cut):
    cue = TopicCue(graph_of(rows=dict.fromkeys(TAGS, ())))
    for part in (rows[:cut], rows[cut:]):
        cue.observe(written(*(" ".join(words) for words in part)))

    for tag in TAGS:
        plain = [row for row, words in enumerate(rows) if set(tag.split("_")) <= set(words)]
        assert plain == cue.rows(tag).tolist()


def test_a_tag_that_a_question_names_brings_what_is_under_it_along():
    graph = graph_of(
        ("animal", "cat"),
        ("animal", "dog"),
        rows={"cat": [1], "dog": [2], "animal": [], "bus": [3]},
    )
    cue = TopicCue(graph, 5)

    assert {1, 2} == set(cue.propose(asked("Which animals?"), None, 9).tolist())
    assert [1] == cue.propose(asked("the cat"), None, 1).tolist()
    assert 0 == len(cue.propose(asked("nothing"), None, 9))
    assert cue.score(asked("nothing"), np.array([1], np.uint32)) is None


def test_rows_outside_the_allowed_set_are_never_proposed():
    cue = TopicCue(graph_of(rows={"cat": [0, 1, 2, 3]}), 5)
    allowed = np.array([False, True, False, True, True])

    assert {1, 3} == set(cue.propose(asked("cat"), allowed, 9).tolist())


def test_a_tag_near_in_meaning_is_found_though_no_word_is_shared():
    graph = graph_of(rows={name: [at] for at, name in enumerate("abcdefgh")})
    for tag, vector in zip(graph, np.eye(8, dtype=np.float32), strict=True):
        tag.vector = vector
    cue = TopicCue(graph, 8)

    near = np.zeros(8, np.float32)
    near[2] = 1
    assert [2] == cue.propose(asked("", near), None, 9).tolist()
    assert 0 == len(cue.propose(asked("", np.ones(3, np.float32)), None, 9)), "another embedder's"


def test_scores_are_those_of_what_is_proposed():
    graph = graph_of(("animal", "cat"), rows={"cat": [1, 2], "animal": [2]})
    cue = TopicCue(graph, 4)
    question = asked("animal")
    rows = np.arange(4, dtype=np.uint32)
    scores = cue.score(question, rows)

    best = cue.propose(question, None, 4)
    assert [2, 1] == best.tolist()
    assert np.all(np.diff(scores[best]) <= 0)
    assert [0, 0] == scores[[0, 3]].tolist()


def test_an_empty_graph_gives_no_question_a_hold():
    cue = TopicCue(TagGraph())
    cue.observe(written("a cat", ""))

    assert 2 == len(cue)
    assert 0 == len(cue.propose(asked("cat", np.ones(2, np.float32)), None, 3))
    assert cue.nbytes >= 0
