"""A graph of tags can be read as an outline and seen as a picture."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hippocampus import Memory
from hippocampus.core.records import TopicInfo
from hippocampus.errors import InputError
from hippocampus.index.topic import TagGraph
from hippocampus.sleep.topic_plot import outline, plot_topics


def graph_of(*edges, alone=()):
    graph = TagGraph()
    for at, (parent, child) in enumerate(edges):
        graph.add(parent)
        graph.add(child, [at])
        graph.relate(parent, child)
    for name in alone:
        graph.add(name, [1, 2])
    return graph


def topics_of(graph):
    return [
        TopicInfo(
            name=tag.name, aliases=(), parents=tuple(tag.parents), children=tuple(tag.children),
            episodes=len(tag.rows),
        )
        for tag in graph
    ]  # fmt: skip


def test_an_outline_has_children_of_several_parents_once_in_full():
    graph = graph_of(("animal", "cat"), ("pet", "cat"), ("cat", "kitten"), alone=["tram"])

    assert [
        "animal (0)",
        "  cat (2)",
        "    kitten (1)",
        "pet (0)",
        "  cat (2) …",
        "tram (2)",
    ] == outline(graph)


NAMES = st.sampled_from("abcdefgh")


@pytest.mark.slow
@settings(max_examples=8)
@given(st.lists(st.tuples(NAMES, NAMES), max_size=12), st.sets(st.sampled_from("xyz")))
def test_any_graph_that_is_outlined_with_every_tag_can_be_drawn(tmp_path_factory, edges, alone):
    pytest.importorskip("matplotlib", reason="drawing is an extra")
    graph = graph_of(*edges, alone=alone)
    path = tmp_path_factory.mktemp("topics") / "topics.png"
    plot_topics(topics_of(graph), path)

    assert path.read_bytes().startswith(b"\x89PNG")
    lines = [line.split()[0] for line in outline(graph)]
    assert {tag.name for tag in graph} == set(lines)


@pytest.mark.parametrize(
    ("ending", "begins"), [("png", b"\x89PNG"), ("SVG", b"<?xml"), ("pdf", b"%PDF")]
)
def test_a_picture_is_drawn_in_every_format_that_is_promised(tmp_path, ending, begins):
    pytest.importorskip("matplotlib", reason="drawing is an extra")
    path = tmp_path / f"topics.{ending}"
    plot_topics(topics_of(graph_of(("animal", "cat"))), path)

    assert path.read_bytes().startswith(begins)


@pytest.mark.parametrize("name", ["topics.xyz", "topics", ".png"])
def test_a_picture_of_no_known_format_is_refused_with_nothing_written(tmp_path, name):
    with pytest.raises(InputError, match=r"drawn as \.png, \.svg, \.pdf"):
        plot_topics(topics_of(graph_of(("animal", "cat"))), tmp_path / name)

    assert not list(tmp_path.iterdir())


def test_a_bank_still_draws_with_a_warning_that_names_what_draws_instead(tmp_path):
    pytest.importorskip("matplotlib", reason="drawing is an extra")
    with Memory(":memory:", embedder="none") as memory:
        bank = memory.bank("ada")
        bank.remember("I live in Porto.")
        with pytest.warns(DeprecationWarning, match=r"hippocampus\.plot_topics") as told:
            bank.plot_topics(tmp_path / "topics.svg")

    assert __file__ == told[0].filename
    assert (tmp_path / "topics.svg").exists()
