"""Communities of topics: found by what is said together, the same every time."""

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.index.topic import TagGraph, Topics, pack, unpack
from hippocampus.sleep.communities import TELLING, find_communities, louvain


def tied(*pairs, of=None):
    nodes = 1 + max(max(pair[:2]) for pair in pairs) if of is None else of
    ties = [{} for _ in range(nodes)]
    for one, other, weight in pairs:
        ties[one][other] = ties[one].get(other, 0.0) + weight
        ties[other][one] = ties[other].get(one, 0.0) + weight
    return ties


def modularity(ties, groups):
    total = sum(sum(own.values()) for own in ties)
    if not total:
        return 0.0
    degree = [sum(own.values()) for own in ties]
    return sum(
        ties[a].get(b, 0.0) / total - degree[a] * degree[b] / total**2
        for a, b in product(range(len(ties)), repeat=2)
        if groups[a] == groups[b]
    )


def test_two_rings_with_one_bridge_are_two_communities():
    ring = [(0, 1, 1), (1, 2, 1), (2, 0, 1), (3, 4, 1), (4, 5, 1), (5, 3, 1), (2, 3, 0.2)]

    assert [0, 0, 0, 3, 3, 3] == louvain(tied(*ring))


def test_a_chain_of_many_rings_is_as_many_communities_though_it_takes_levels():
    rings = 12
    ties = [
        (4 * ring + a, 4 * ring + b, 1.0)
        for ring in range(rings)
        for a in range(4)
        for b in range(a)
    ]
    ties += [(4 * ring, (4 * ring + 5) % (4 * rings), 0.1) for ring in range(rings)]
    groups = louvain(tied(*ties))

    assert [4 * (node // 4) for node in range(4 * rings)] == groups


@given(
    st.integers(1, 8).flatmap(
        lambda n: st.lists(
            st.tuples(st.integers(0, n - 1), st.integers(0, n - 1), st.integers(1, 5))
            .filter(lambda tie: tie[0] != tie[1]),
            max_size=14,
        ).map(lambda ties: tied(*ties, of=n))
    )
)  # fmt: skip
def test_the_same_groups_come_each_time_never_worse_than_everything_apart(ties):
    groups = louvain(ties)

    assert groups == louvain(ties)
    assert all(group <= node for node, group in enumerate(groups))
    assert modularity(ties, groups) >= modularity(ties, range(len(ties))) - 1e-9


def graph_of(**tags):
    graph = TagGraph()
    for name, rows in tags.items():
        graph.add(name, rows)
    return graph


def test_tags_that_are_said_together_are_one_community_with_its_rows():
    graph = graph_of(
        boat=[0, 1, 2, 3, 8], oar=[1, 2], sail=[0, 3, 8], bean=[4, 5, 6], spade=[4, 6], seed=[5, 7]
    )
    boats, beans = find_communities(graph, [[0, 1, 2, 3, 8], range(4, 8)])

    assert {"boat", "oar", "sail"} == set(boats.tags)
    assert "boat" == boats.tags[0]
    assert [0, 1, 2, 3, 8] == boats.rows.tolist()
    assert [4, 5, 6, 7] == beans.rows.tolist()


def test_what_tells_of_a_community_has_most_of_its_tags_first():
    graph = graph_of(boat=[0, 1, 2], oar=[1, 2], sail=[2], mast=[0])
    (boats,) = find_communities(graph, [range(3)])

    assert 2 == boats.telling[0]
    assert 0 == boats.telling[1]  # which has what the first has not


def test_a_theme_of_a_memory_or_two_in_a_large_bank_is_none():
    graph = graph_of(boat=[0, 1, 2, 3], oar=[0, 1, 2, 3], comet=[9])

    assert [("boat", "oar")] == [one.tags for one in find_communities(graph, [range(4), [9]])]


def test_no_tags_are_no_communities():
    assert () == find_communities(TagGraph(), [])
    assert () == find_communities(graph_of(empty=[]), [range(5)])
    assert [] == louvain([])


def test_a_large_community_names_only_some_of_its_rows():
    graph = graph_of(a=range(500), b=range(500))
    (only,) = find_communities(graph, [range(500)])

    assert TELLING == len(set(only.telling))


def test_a_graph_is_read_back_with_its_communities_or_without_any():
    graph = graph_of(boat=[0, 1, 2, 3], oar=[1, 2], bean=[4, 5, 6], spade=[4, 6])
    found = find_communities(graph, [range(4), range(4, 7)])
    topics = Topics(graph, 7, communities=found)
    again = unpack(pack(topics))

    assert [one.tags for one in found] == [one.tags for one in again.communities]
    assert all(
        np.array_equal(a.rows, b.rows) for a, b in zip(found, again.communities, strict=True)
    )
    assert [one.telling for one in found] == [one.telling for one in again.communities]
    assert () == unpack(pack(topics._replace(communities=()))).communities
