"""Tags that belong together form clusters, and rows can be ordered by them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.index.topic import TagGraph
from hippocampus_bench.tag_clusters import BESIDE, cluster_tags, lay_out

NAMES = list("abcdef")


def graph_of(rows, edges=()):
    graph = TagGraph()
    for name, under in rows.items():
        graph.add(name, under)
    for parent, child in edges:
        graph.relate(parent, child)
    return graph


GRAPHS = st.builds(
    graph_of,
    st.fixed_dictionaries({name: st.sets(st.integers(0, 11), max_size=6) for name in NAMES}),
    st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)), max_size=4),
)


def joined(graph, one, other):
    """Return whether two tags have an edge, by the definition."""
    first, second = (set(graph[name].rows.tolist()) for name in (one, other))
    shared = bool(first | second) and len(first & second) >= BESIDE * len(first | second)
    return shared or one in graph[other].parents or other in graph[one].parents


@given(GRAPHS)
def test_clusters_are_connected_components_with_their_share_of_edges_as_cohesion(graph):
    clusters = cluster_tags(graph)

    assert sorted(NAMES) == sorted(name for cluster in clusters for name in cluster.tags)
    for cluster in clusters:
        inside = {(a, b) for a in cluster.tags for b in cluster.tags if a < b}
        edges = [pair for pair in inside if joined(graph, *pair)]
        assert cluster.cohesion == (len(edges) / len(inside) if inside else 1.0)
        assert cluster.centre in cluster.tags
        reached, ahead = set(), {cluster.tags[0]}
        while ahead:
            reached |= ahead
            ahead = {b for a in ahead for b in NAMES if b != a and joined(graph, a, b)} - reached
        assert reached == set(cluster.tags)


@given(GRAPHS)
def test_a_layout_has_every_row_once_and_each_tag_in_one_stretch_of_its_cluster(graph):
    clusters = cluster_tags(graph)
    order, places = lay_out(graph, clusters, 12)

    assert list(range(12)) == sorted(order.tolist())
    assert set(NAMES) == places.keys()
    last = 0
    for cluster in clusters:
        for name in cluster.tags:
            start, end, at, size = places[name]
            assert (last, clusters[at]) == (start, cluster)
            assert size == end - start
            assert set(order[start:end].tolist()) <= set(graph[name].rows.tolist())
            last = end
    tagged = set().union(*(tag.rows.tolist() for tag in graph))
    assert order[last:].tolist() == sorted(set(range(12)) - tagged)


def test_a_row_lies_with_the_rarest_of_its_tags():
    graph = graph_of({"a": [0, 1, 2, 3], "b": [2]})
    order, places = lay_out(graph, cluster_tags(graph), 5)

    assert [2] == order[places["b"].start : places["b"].end].tolist()
    assert np.array_equal([0, 1, 3], order[places["a"].start : places["a"].end])
