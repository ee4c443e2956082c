"""The LangGraph store: the contract of ``BaseStore``, with LangGraph's own store as the oracle."""

import asyncio
import threading
from datetime import timedelta
from typing import TypedDict

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langgraph.graph import START, StateGraph
from langgraph.store.base import (
    GetOp,
    InvalidNamespaceError,
    ListNamespacesOp,
    MatchCondition,
    PutOp,
    SearchOp,
)
from langgraph.store.memory import InMemoryStore

from hippocampus import Memory
from hippocampus.errors import InputError, InvalidFilter, StoreLocked
from hippocampus.integrations.langgraph import HippocampusStore
from hippocampus.upkeep import find_residue

NOTES = ("users", "ada", "notes")


@pytest.fixture
def store(bank, clock):
    return HippocampusStore(bank, clock=clock)


def keys(found):
    return [item.key for item in found]


# ---------------------------------------------------------------- the oracle

labels = st.sampled_from(["a", "b", "ab", "*"])
namespaces = st.lists(labels, min_size=1, max_size=3).map(tuple)
names = st.sampled_from(["k", "l", ""])
scalars = st.sampled_from([1, 2.5, -3, "x", "y z", None])
values = st.fixed_dictionaries(
    {},
    optional={
        "n": st.sampled_from([1, 2, 2.5, -3]),
        "s": st.sampled_from(["x", "y z", "", "I like pizza very much indeed"]),
        "deep": st.fixed_dictionaries({}, optional={"s": scalars, "n": st.sampled_from([1, 2])}),
        "nothing": st.none(),
        "list": st.lists(scalars, max_size=2),
    },
)
filters = st.one_of(
    st.none(),
    st.just({}),
    st.fixed_dictionaries(
        {},
        optional={
            "s": st.sampled_from(["x", {"$ne": "x"}, {"$eq": "y z"}, None]),
            "deep": st.fixed_dictionaries({"s": scalars}, optional={"n": st.just(1)}),
            "nothing": st.sampled_from([None, {"$ne": None}, {"$eq": None}]),
        },
    ),
)
paths = st.lists(st.sampled_from(["a", "b", "ab"]), max_size=2).map(tuple)
patterns = st.lists(labels, max_size=2).map(tuple)
conditions = st.builds(MatchCondition, st.sampled_from(["prefix", "suffix"]), patterns)
gets = st.tuples(namespaces, names).map(lambda given: GetOp(*given))
puts = st.tuples(namespaces, names, st.none() | values).map(lambda given: PutOp(*given))
searches = st.tuples(paths, filters, st.just(1000)).map(lambda given: SearchOp(*given))
listings = st.tuples(
    st.none() | st.lists(conditions, max_size=2).map(tuple),
    st.none() | st.integers(1, 3),
    st.integers(0, 4),
    st.integers(0, 2),
).map(lambda given: ListNamespacesOp(*given))
batches = st.lists(st.lists(st.one_of(gets, puts, searches, listings), max_size=6), max_size=6)


def told(result):
    """A result without times, and a search's without its order, of which nothing is promised."""
    if isinstance(result, list) and result and not isinstance(result[0], tuple):
        return sorted(str((item.namespace, item.key, item.value)) for item in result)
    if result is None or isinstance(result, list):
        return result
    return result.namespace, result.key, result.value


def expected(oracle, ops):
    """What the oracle answers; asked about namespaces, it is not to count those it emptied."""
    full = InMemoryStore()
    for item in oracle.search((), limit=10_000):
        full.put(item.namespace, item.key, item.value)
    answers = oracle.batch(ops)
    listed = full.batch([op for op in ops if isinstance(op, ListNamespacesOp)])
    return [
        listed.pop(0) if isinstance(op, ListNamespacesOp) else answer
        for op, answer in zip(ops, answers, strict=True)
    ]


@given(batches)
def test_every_batch_answers_as_langgraphs_own_store_does(batches):
    with Memory(":memory:", embedder="none") as memory:
        store, oracle = HippocampusStore(memory.bank("ada")), InMemoryStore()
        for ops in batches:
            want = expected(oracle, ops)
            assert [told(one) for one in want] == [told(one) for one in store.batch(ops)]


@given(st.lists(st.sampled_from([-3, 0, 1, 2, 2.5, 7]), min_size=1, max_size=6), st.data())
def test_numbers_compare_as_in_langgraphs_own_store(numbers, data):
    wanted = {
        "n": data.draw(
            st.dictionaries(
                st.sampled_from(["$eq", "$ne", "$gt", "$gte", "$lt", "$lte"]),
                st.sampled_from([-3, 0, 1, 2.5]),
                min_size=1,
            )
        )
    }
    with Memory(":memory:", embedder="none") as memory:
        store, oracle = HippocampusStore(memory.bank("ada")), InMemoryStore()
        for place, number in enumerate(numbers):
            for one in (store, oracle):
                one.put(("n",), str(place), {"n": number})

        want = sorted(keys(oracle.search(("n",), filter=wanted)))
        assert want == sorted(keys(store.search(("n",), filter=wanted)))


@given(st.lists(st.tuples(namespaces, names, values), max_size=8), paths, st.integers(1, 9))
def test_a_query_changes_only_the_order_of_what_is_found(items, prefix, limit):
    with Memory(":memory:", embedder="hash:64") as memory:
        store = HippocampusStore(memory.bank("ada"))
        store.batch([PutOp(*item) for item in items])

        whole = {(i.namespace, i.key) for i in store.search(prefix, limit=100)}
        asked = [(i.namespace, i.key) for i in store.search(prefix, query="pizza x", limit=limit)]
        assert min(limit, len(whole)) == len(asked) == len(set(asked))
        assert set(asked) <= whole


# ---------------------------------------------------------------- items


def test_an_item_comes_back_as_it_went_in_also_after_a_restart(open_memory, clock):
    value = {"text": "Ünïcode <memory> & more", "n": [1, 2.5, None, {"a": True}], "": {"": ""}}
    with open_memory() as memory:
        HippocampusStore(memory.bank("ada"), clock=clock).put(NOTES, "k", value)
    with open_memory() as memory:
        item = HippocampusStore(memory.bank("ada"), clock=clock).get(NOTES, "k")

    assert (value, NOTES, "k") == (item.value, item.namespace, item.key)
    assert clock.now() == item.created_at == item.updated_at


def test_a_second_value_takes_the_place_of_the_first_with_its_birthday(store, clock):
    born = clock.now()
    store.put(NOTES, "k", {"n": 1})
    clock.advance(timedelta(hours=1))
    store.put(NOTES, "k", {"n": 2})

    item = store.get(NOTES, "k")
    assert ({"n": 2}, born, clock.now()) == (item.value, item.created_at, item.updated_at)
    assert [{"n": 2}] == [one.value for one in store.search(NOTES)]


def test_a_batch_reads_what_was_there_before_any_of_its_own_writes(store):
    store.put(NOTES, "k", {"n": 1})

    results = store.batch(
        [
            PutOp(NOTES, "k", {"n": 2}),
            GetOp(NOTES, "k"),
            PutOp(NOTES, "k", {"n": 3}),
            PutOp(NOTES, "l", {"n": 4}),
            PutOp(NOTES, "l", None),
            SearchOp(NOTES),
        ]
    )

    assert [None, {"n": 1}, None, None, None, [{"n": 1}]] == [
        [one.value for one in result] if isinstance(result, list) else result and result.value
        for result in results
    ]
    assert [{"n": 3}] == [one.value for one in store.search(NOTES)]


def test_one_text_under_many_keys_is_as_many_items(store):
    for key in "abc":
        store.put(NOTES, key, {"text": "The very same words as in all the others"})
    store.batch([PutOp(("x", key), "k", {"text": "The very same words"}) for key in "def"])

    assert ["c", "b", "a"] == keys(store.search(NOTES))
    assert 3 == len(store.search(("x",)))


def test_what_was_just_found_can_be_put_under_another_key_word_for_word(store):
    value = {"text": "Ada likes strong coffee with a little cardamom in it"}
    store.put(NOTES, "a", value)
    found = store.search(NOTES, query="What does Ada like in her coffee?")[0]
    store.put(("users", "tom", "notes"), "b", found.value)

    assert value == store.get(("users", "tom", "notes"), "b").value
    assert ["b"] == keys(store.search(("users", "tom"), query="coffee with cardamom"))


@pytest.mark.slow
def test_a_long_value_that_is_stored_once_is_found_by_what_its_end_says(store, bank):
    long = " ".join(f"Line {n} is about nothing." for n in range(2000))
    store.put(NOTES, "long", {"text": f"{long} The key is under the flowerpot."})
    for key in range(20):
        store.put(NOTES, str(key), {"text": f"Note {key} on something else", "n": key})

    assert ["long"] == keys(store.search(NOTES, query="key under the flowerpot", limit=1))
    assert long in store.get(NOTES, "long").value["text"]
    carrying = [e for e in bank.episodes() if "value" in e.metadata["langgraph"]]
    assert 21 == len(carrying)
    hits = store.search(NOTES, query="key under the flowerpot", filter={"n": {"$gte": 0}})
    assert "long" not in keys(hits)

    store.delete(NOTES, "long")
    assert 20 == len(bank.episodes())


@pytest.mark.parametrize("erase", [False, True])
def test_what_is_deleted_or_replaced_leaves_the_file_only_with_erase(path, clock, erase):
    with Memory(path, embedder="hash", clock=clock) as memory:
        store = HippocampusStore(memory.bank("ada"), erase=erase, clock=clock)
        store.put(NOTES, "k", {"text": "The password is xylophone"})
        store.put(NOTES, "k", {"text": "The password is marimba"})
        store.delete(NOTES, "k")
        store.delete(NOTES, "k")

        assert store.get(NOTES, "k") is None
        assert [] == store.search(NOTES)
    there = [word for word in ("xylophone", "marimba") if find_residue([path], word)]
    assert ([] if erase else ["xylophone", "marimba"]) == there


def test_other_memories_of_the_bank_are_left_alone(store, bank):
    bank.remember("Ada moved to Lisbon.", session="chat")
    for odd in (3, {"id": "x"}, {"id": "x", "namespace": "a", "key": "k"}, {"of": "y"}):
        bank.remember(f"Ada likes Lisbon, says {odd}", metadata={"langgraph": odd})
    store.put(NOTES, "k", {"text": "Ada likes Lisbon, says {'of': 'y'}"})

    assert ["k"] == keys(store.search(())) == keys(store.search((), query="Lisbon"))
    store.delete(NOTES, "k")
    assert 5 == len(bank.episodes())


def test_sleep_lets_no_item_go(store, bank):
    bank.set_policy("adaptive:5")
    for key in range(12):
        store.put(NOTES, str(key), {"text": "the same words in every one of these notes"})
    bank.sleep()

    assert 12 == len(store.search(NOTES, limit=100))


def test_writers_on_several_threads_lose_nothing(store):
    def write(who):
        for n in range(5):
            store.put(NOTES, "shared", {"text": "one text", "by": who, "n": n})
            store.put(NOTES, f"{who}-{n}", {"text": "one text"})

    threads = [threading.Thread(target=write, args=(who,)) for who in "abc"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert 16 == len(store.search(NOTES, limit=100))
    assert 4 == store.get(NOTES, "shared").value["n"]


def test_a_write_that_was_killed_half_way_leaves_the_old_value_or_the_new(store, bank):
    store.put(NOTES, "k", {"text": "old", "n": 1})
    (old,) = bank.episodes()
    store.put(NOTES, "k", {"text": "new", "n": 2})
    bank.restore(old.id)  # as if nobody had come to take it back

    assert 2 == len(bank.episodes())
    assert {"text": "new", "n": 2} == store.get(NOTES, "k").value
    assert [] == store.search(NOTES, filter={"n": 1})
    assert [] == store.search(NOTES, query="old", filter={"n": 1})
    store.put(NOTES, "k", {"n": 3})
    assert [{"n": 3}] == [item.value for item in store.search(NOTES)]
    assert 1 == len(bank.episodes())


@pytest.mark.parametrize(
    "value", [{"at": object()}, {"n": float("nan")}, {1: "a"}, {"t": "\ud800"}]
)
def test_what_is_not_json_is_refused_with_the_whole_of_its_batch(store, value):
    with pytest.raises(InputError):
        store.batch([PutOp(NOTES, "fine", {"n": 1}), PutOp(NOTES, "k", value)])

    assert [] == store.search(())


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (PutOp(NOTES, "k", ["a"]), "value="),
        (PutOp(NOTES, "k", "text"), "value="),
        (PutOp(NOTES, "k", {"text": "a"}, "text"), "index='text'"),
        (PutOp(NOTES, "k", {"text": "a"}, None, "soon"), "ttl='soon'"),
        (PutOp(NOTES, "k", {"text": "a"}, None, float("inf")), "ttl=inf"),
        (PutOp(NOTES, "k", {"text": "a"}, None, float("nan")), "ttl=nan"),
        (ListNamespacesOp(limit=-1), "limit=-1"),
        (SearchOp(NOTES, offset="1"), "offset='1'"),
    ],
)
def test_an_operation_that_cannot_be_meant_is_refused_with_its_whole_batch(store, wrong, says):
    with pytest.raises(InputError, match=says):
        store.batch([PutOp(NOTES, "fine", {"n": 1}), wrong])

    assert [] == store.search(())


def test_a_label_with_a_dot_cannot_pass_for_two(store):
    store.put(("a", "b"), "k", {"n": 1})

    for op in (GetOp(("a.b",), "k"), PutOp(("a.b",), "k", {}), SearchOp(("a.b",))):
        with pytest.raises(InvalidNamespaceError):
            store.batch([op])
    assert [] == store.search(("a", "b", "c"))
    assert store.get(("ab",), "k") is None


# ---------------------------------------------------------------- searching


@pytest.fixture
def cities(store):
    for key, value in {
        "rome": {"city": {"name": "Rome", "people": 2.8}, "tags": ["old", "hot"], "year": 2020},
        "oslo": {"city": {"name": "Oslo", "people": 0.7}, "tags": ["cold"], "year": 2022},
        "bonn": {"city": {"name": "Bonn", "people": 0.3}, "draft": True, "a.b": 1},
    }.items():
        store.put(("cities",), key, value)
    return store


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ({"city.name": "Rome"}, ["rome"]),
        ({"city": {"name": "Rome"}}, ["rome"]),
        ({"city": {"people": {"$lt": 1}}}, ["bonn", "oslo"]),
        ({"year": {"$gte": 2020, "$lt": 2022}}, ["rome"]),
        ({"$or": [{"city.name": "Oslo"}, {"draft": True}]}, ["bonn", "oslo"]),
        ({"$and": [{"year": {"$gt": 2019}}, {"city.people": {"$gt": 1}}]}, ["rome"]),
        ({"$or": [{"year": 2022}, {"$and": [{"draft": True}, {"a.b": 1}]}]}, ["bonn", "oslo"]),
        ({"$not": {"year": 2020}}, ["bonn", "oslo"]),
        ({"year": {"$in": [2022, 2023]}}, ["oslo"]),
        ({"year": {"$nin": [2022]}}, ["bonn", "rome"]),
        ({"year": {"$exists": False}}, ["bonn"]),
        ({"tags": "hot"}, ["rome"]),
        ({"tags": ["old", "hot"]}, ["rome"]),
        ({"tags": {"$contains": "cold"}}, ["oslo"]),
        ({"year": None}, ["bonn"]),
        ({"draft": {"$ne": True}}, ["oslo", "rome"]),
        ({"city": {}}, ["bonn", "oslo", "rome"]),
    ],
)
def test_filters_know_conditions_and_dotted_keys(cities, wanted, found):
    assert found == keys(cities.search(("cities",), filter=wanted))
    assert set(found) == set(keys(cities.search(("cities",), filter=wanted, query="a city")))


@pytest.mark.parametrize(
    "wrong",
    [
        {"year": {"$above": 3}}, {"$xor": [{"year": 1}]}, {"$or": []}, {"$or": {"year": 1}},
        {"year": {"$gt": None}}, {"year": {"$gt": 1, "plain": 2}}, {"$and": [{}]}, ["year"],
        {"$not": 3}, {1: 2},
    ],
)  # fmt: skip
def test_a_filter_that_cannot_be_meant_is_refused(cities, wrong):
    with pytest.raises(InvalidFilter):
        cities.search(("cities",), filter=wrong)


def test_a_query_puts_what_it_means_first_with_the_best_score(store):
    store.put(NOTES, "coffee", {"text": "Ada drinks coffee in the morning"})
    store.put(NOTES, "bike", {"text": "The bike has a flat tyre"})
    store.put(("users", "tom"), "coffee", {"text": "Tom drinks coffee at night"})

    found = store.search(("users", "ada"), query="Who drinks coffee?")

    assert "coffee" == found[0].key
    assert {NOTES} == {item.namespace for item in found}
    assert 1 >= found[0].score > (found[1].score or 0) >= 0


def test_only_what_index_names_is_searched(store):
    value = {"title": "Soup", "body": "needs cardamom", "tags": [{"name": "dinner"}]}
    store.put(NOTES, "all", value)
    store.put(NOTES, "title", value, index=["title", "tags[*].name"])
    store.put(NOTES, "none", value, index=False)

    def scored(query):
        return {item.key for item in store.search(NOTES, query=query) if item.score is not None}

    assert "all" == max(store.search(NOTES, query="cardamom"), key=lambda one: one.score or 0).key
    assert {"all", "title"} == scored("Soup for dinner")
    assert {"all", "title", "none"} == set(keys(store.search(NOTES, query="cardamom")))


def test_the_store_has_paths_of_its_own_for_items_that_name_none(bank, clock):
    store = HippocampusStore(bank, index=["body.text"], clock=clock)
    store.put(NOTES, "k", {"body": {"text": "Buy cardamom"}, "secret": "quince"})

    assert ["Buy cardamom"] == [episode.text for episode in bank.episodes()]
    for wrong in ("text", {"dims": 3, "fields": ["text"]}, [3]):
        with pytest.raises(InputError, match="give paths"):
            HippocampusStore(bank, index=wrong)


def test_what_is_searched_of_a_value_is_text_for_people(store, bank):
    store.put(NOTES, "k", {"city": {"name": "Rome", "tags": ["old", 3]}, "none": None, "e": ""})

    assert ["name: Rome\ntags: old\ntags: 3"] == [episode.text for episode in bank.episodes()]


def test_pages_together_are_the_whole_in_the_same_order(store):
    for n in range(25):
        store.put(NOTES, str(n), {"text": f"Note {n} on tea" if n % 2 else f"Note {n}"})

    for query in (None, "tea"):
        whole = keys(store.search(NOTES, query=query, limit=100))
        pages = [
            keys(store.search(NOTES, query=query, limit=7, offset=at)) for at in range(0, 28, 7)
        ]
        assert 25 == len(set(whole))
        assert whole == [key for page in pages for key in page]
    assert [str(n) for n in range(24, 14, -1)] == keys(store.search(NOTES))
    assert [] == store.search(NOTES, limit=0)
    with pytest.raises(InputError, match="limit=-1"):
        store.search(NOTES, limit=-1)
    with pytest.raises(InputError, match="query=5"):
        store.search(NOTES, query=5)


def test_namespaces_are_listed_by_prefix_suffix_wildcard_and_depth(store):
    for namespace in (("a", "b", "c"), ("a", "b", "d", "e"), ("a", "b", "d", "i"), ("x", "b")):
        store.put(namespace, "k", {})

    assert [("a", "b", "c"), ("a", "b", "d")] == store.list_namespaces(prefix=("a",), max_depth=3)
    assert [("x", "b")] == store.list_namespaces(suffix=("b",))
    assert [("a", "b", "d", "e")] == store.list_namespaces(prefix=("*", "b"), suffix=("*", "e"))
    assert [("a", "b", "d", "e")] == store.list_namespaces(limit=1, offset=1)
    anywhere = ListNamespacesOp((MatchCondition("suffix", ()), MatchCondition("prefix", ())))
    assert [store.list_namespaces()] == store.batch([anywhere])
    with pytest.raises(InputError, match="'infix'"):
        store.batch([ListNamespacesOp((MatchCondition("infix", ("a",)),))])
    store.delete(("x", "b"), "k")
    assert [] == store.list_namespaces(prefix=("x",))


def test_more_namespaces_than_are_looked_at_at_a_time_are_all_listed(store):
    store.batch([PutOp(("n", str(n % 300)), str(n), {"n": n}) for n in range(600)])

    assert 300 == len(store.list_namespaces(limit=1000))


# ---------------------------------------------------------------- time to live


def minutes(count):
    return timedelta(minutes=count)


class Busy:
    """A bank in which somebody else does something just before it is written to, once."""

    def __init__(self, bank, verb):
        self.bank, self.verb, self.meanwhile = bank, verb, None

    def __getattr__(self, name):
        meanwhile = self.meanwhile
        if name == self.verb and meanwhile:
            self.meanwhile = None
            meanwhile()
        return getattr(self.bank, name)


@pytest.mark.parametrize("verb", ["remember_many", "pin", "forget"])
@pytest.mark.parametrize("reader_waits", [False, True])
@pytest.mark.parametrize("erase", [False, True])
def test_what_is_deleted_while_it_is_read_does_not_come_back(
    bank, clock, verb, reader_waits, erase
):
    busy = Busy(bank, verb)
    here, there = (HippocampusStore(one, clock=clock, erase=erase) for one in (busy, bank))
    here.put(NOTES, "k", {"text": "Ada is in a hurry"}, ttl=16)
    clock.advance(minutes(5))
    if reader_waits:
        busy.meanwhile = lambda: there.delete(NOTES, "k")
        here.get(NOTES, "k")
    else:
        busy.meanwhile = lambda: there.get(NOTES, "k")
        here.delete(NOTES, "k")

    assert there.get(NOTES, "k") is None
    assert [] == bank.episodes()


def test_what_gets_no_end_while_it_is_read_has_none(bank, clock):
    busy = Busy(bank, "episodes")
    here, there = (HippocampusStore(one, clock=clock) for one in (busy, bank))
    here.put(NOTES, "k", {"n": 1}, ttl=16)
    clock.advance(minutes(5))

    def after_it_is_read():
        busy.meanwhile = lambda: there.put(NOTES, "k", {"n": 2}, ttl=None)

    busy.meanwhile = after_it_is_read
    assert {"n": 1} == here.get(NOTES, "k").value
    assert {"n": 2} == here.get(NOTES, "k").value
    clock.advance(minutes(60))
    assert 0 == here.sweep_ttl()


EXACT = {"omit_expired": True}


def test_an_item_lives_for_its_time_unless_reads_prolong_it(bank, clock):
    store = HippocampusStore(bank, ttl=EXACT, clock=clock)
    store.put(NOTES, "k", {"n": 1}, ttl=10)
    written = store.get(NOTES, "k", refresh_ttl=False).updated_at
    for _ in range(5):
        clock.advance(minutes(9))
        assert store.get(NOTES, "k").updated_at == written
    clock.advance(minutes(9))
    assert ["k"] == keys(store.search(NOTES))
    clock.advance(minutes(9.9))
    assert store.get(NOTES, "k", refresh_ttl=False)
    clock.advance(minutes(0.1))

    assert store.get(NOTES, "k") is None
    assert [] == store.search(NOTES)
    assert [] == store.search(NOTES, query="n")


def test_the_stores_own_default_holds_where_nothing_is_said(bank, clock):
    brief = {"default_ttl": 5, "refresh_on_read": False} | EXACT
    store = HippocampusStore(bank, ttl=brief, clock=clock)
    store.put(NOTES, "short", {})
    store.put(NOTES, "long", {}, ttl=50)
    store.put(NOTES, "ever", {}, ttl=None)
    clock.advance(minutes(4))
    assert store.get(NOTES, "short")
    clock.advance(minutes(1))
    assert ["ever", "long"] == keys(store.search(NOTES))
    clock.advance(minutes(60))
    assert ["ever"] == keys(store.search(NOTES))


def test_another_process_never_sees_an_item_expire_before_its_time(open_memory, clock):
    here = HippocampusStore(open_memory().bank("ada"), ttl=EXACT, clock=clock)
    there = HippocampusStore(open_memory().bank("ada"), ttl=EXACT, clock=clock)
    here.put(NOTES, "k", {"n": 1}, ttl=16)
    for _ in range(20):
        clock.advance(minutes(1))
        here.get(NOTES, "k")
    clock.advance(minutes(15.9))
    assert there.get(NOTES, "k", refresh_ttl=False)
    clock.advance(minutes(1.1))
    assert there.get(NOTES, "k", refresh_ttl=False) is None


def test_reading_often_does_not_write_often(bank, clock):
    store = HippocampusStore(bank, clock=clock)
    store.put(NOTES, "k", {"n": 1}, ttl=16)
    before = len(bank.journal())
    for _ in range(60):
        clock.advance(minutes(0.1))
        store.get(NOTES, "k")

    assert len(bank.journal()) - before < 60


def test_what_expired_is_swept_when_it_is_time(bank, clock):
    store = HippocampusStore(bank, ttl={"sweep_interval_minutes": 30}, clock=clock)
    store.put(NOTES, "a", {}, ttl=1)
    store.put(NOTES, "b", {}, ttl=100)
    clock.advance(minutes(2))
    store.get(NOTES, "b", refresh_ttl=False)
    assert 2 == len(bank.episodes())
    clock.advance(minutes(30))
    store.get(NOTES, "b", refresh_ttl=False)
    assert 1 == len(bank.episodes())
    assert 0 == store.sweep_ttl()


def test_a_held_item_is_read_and_neither_changed_nor_swept(bank, clock):
    store = HippocampusStore(bank, clock=clock)
    store.put(NOTES, "k", {"n": 1}, ttl=10)
    bank.hold(bank.episodes()[0].id, reason="a court asks for it")
    store.put(NOTES, "other", {"n": 1}, ttl=10)

    for change in (lambda: store.put(NOTES, "k", {"n": 2}), lambda: store.delete(NOTES, "k")):
        with pytest.raises(InputError, match="'users/ada/notes#k' is held"):
            change()
    assert 2 == len(bank.episodes())
    for _ in range(3):
        clock.advance(minutes(9))
        assert {"n": 1} == store.get(NOTES, "k").value
    assert 1 == store.sweep_ttl()
    assert {"n": 1} == store.get(NOTES, "k").value


@pytest.mark.parametrize("ttl", [None, {"default_ttl": 9}, {"omit_expired": False}])
def test_expired_items_are_shown_until_swept_unless_they_are_to_be_omitted(bank, clock, ttl):
    store = HippocampusStore(bank, ttl=ttl, clock=clock)
    store.put(NOTES, "a", {}, ttl=1)
    clock.advance(minutes(2))
    assert store.get(NOTES, "a", refresh_ttl=False)
    assert ["a"] == keys(store.search(NOTES, refresh_ttl=False))
    assert 1 == store.sweep_ttl()
    assert store.get(NOTES, "a") is None


# ---------------------------------------------------------------- in LangGraph


def test_it_is_awaited_as_well(store):
    async def main():
        await store.aput(NOTES, "k", {"text": "Ada likes tea"})
        found = await store.asearch(NOTES, query="tea")
        await store.adelete(NOTES, "k")
        return found[0].value, await store.aget(NOTES, "k"), await store.alist_namespaces()

    assert ({"text": "Ada likes tea"}, None, []) == asyncio.run(main())


class CountingStore(HippocampusStore):
    """A store that notes how large its batches were."""

    def batch(self, ops):
        asked = list(ops)
        self.sizes = [*getattr(self, "sizes", []), len(asked)]
        return super().batch(asked)


def test_what_is_gathered_in_one_tick_is_one_batch(bank, clock):
    store = CountingStore(bank, clock=clock)

    async def main():
        await asyncio.gather(*(store.aput(NOTES, f"k{n}", {"n": n}) for n in range(40)))
        found = await asyncio.gather(*(store.aget(NOTES, f"k{n}") for n in range(40)))
        return [item.value["n"] for item in found]

    assert list(range(40)) == asyncio.run(main())
    assert [40, 40] == store.sizes


def test_what_is_wrong_with_one_of_a_tick_is_told_to_that_one(store):
    async def main():
        return await asyncio.gather(
            store.aput(NOTES, "k", {"n": 1}),
            store.asearch(NOTES, filter={"n": {"$no": 1}}),
            store.aput((), "k", {"n": 1}),
            store.alist_namespaces(),
            return_exceptions=True,
        )

    said = asyncio.run(main())
    assert [None, InvalidFilter, InvalidNamespaceError] == [said[0], type(said[1]), type(said[2])]
    assert 1 == store.get(NOTES, "k").value["n"]


class LockedStore(HippocampusStore):
    """A store that somebody else has locked, and that notes how often it was waited for."""

    waits = 0

    def batch(self, ops):
        self.waits += 1
        raise StoreLocked(f"{len(ops)} operations wait", path="agent.db")


def test_tasks_of_a_tick_wait_for_a_locked_store_once_and_not_each(bank):
    store = LockedStore(bank)

    async def main():
        puts = (store.aput(NOTES, f"k{n}", {"n": n}) for n in range(40))
        return await asyncio.gather(*puts, return_exceptions=True)

    assert [StoreLocked] * 40 == [type(said) for said in asyncio.run(main())]
    assert 1 == store.waits


def test_who_leaves_a_tick_takes_no_other_along(store):
    async def main():
        leaving = asyncio.create_task(store.aput(NOTES, "a", {}))
        staying = asyncio.create_task(store.aput(NOTES, "b", {}))
        await asyncio.sleep(0)
        leaving.cancel()
        await staying
        return leaving.cancelled()

    assert asyncio.run(main())
    assert store.get(NOTES, "b") is not None


def test_the_nodes_of_a_graph_find_with_it_what_they_stored(store):
    class State(TypedDict):
        said: str
        known: list[str]

    def remember(state, *, store):
        found = store.search(NOTES, query=state["said"])
        store.put(NOTES, str(len(found)), {"text": state["said"]})
        return {"known": [item.value["text"] for item in found]}

    remember.__annotations__ = {"state": State, "store": HippocampusStore.__mro__[1]}
    graph = StateGraph(State)
    graph.add_node("remember", remember)
    graph.add_edge(START, "remember")
    app = graph.compile(store=store)

    assert [] == app.invoke({"said": "Ada likes green tea"})["known"]
    assert ["Ada likes green tea"] == app.invoke({"said": "Which tea does Ada like?"})["known"]
