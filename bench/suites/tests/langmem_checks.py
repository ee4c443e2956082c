"""LangMem's tools on our store, used as its documentation uses them."""

import json

import pytest
from langmem import create_manage_memory_tool, create_search_memory_tool

from hippocampus import Memory
from hippocampus.integrations.langgraph import HippocampusStore

PLACE = ("memories", "{user}")
ADA = {"configurable": {"user": "ada"}}
BOB = {"configurable": {"user": "bob"}}


@pytest.fixture
def store():
    return HippocampusStore(Memory(":memory:", embedder="none").bank("langmem"))


@pytest.fixture
def manage(store):
    return create_manage_memory_tool(namespace=PLACE, store=store)


@pytest.fixture
def search(store):
    return create_search_memory_tool(namespace=PLACE, store=store)


def kept(said):
    """Return the id of what was kept, which the tool tells in words."""
    return said.rpartition(" ")[2]


def found(told):
    return [one["value"]["content"] for one in json.loads(told)]


def test_what_is_managed_is_found(manage, search):
    manage.invoke({"content": "Ada likes dark roasts", "action": "create"}, ADA)
    assert found(search.invoke({"query": "roasts"}, ADA)) == ["Ada likes dark roasts"]


def test_others_find_nothing_of_it(manage, search):
    manage.invoke({"content": "Ada likes dark roasts", "action": "create"}, ADA)
    assert found(search.invoke({"query": "roasts"}, BOB)) == []


def test_an_update_replaces(manage, search):
    said = manage.invoke({"content": "Ada likes dark roasts", "action": "create"}, ADA)
    new = {"content": "Ada likes light roasts", "action": "update", "id": kept(said)}
    manage.invoke(new, ADA)
    assert found(search.invoke({"query": "roasts"}, ADA)) == ["Ada likes light roasts"]


def test_a_deletion_deletes(manage, search):
    said = manage.invoke({"content": "Ada likes dark roasts", "action": "create"}, ADA)
    manage.invoke({"action": "delete", "id": kept(said)}, ADA)
    assert found(search.invoke({"query": "roasts"}, ADA)) == []


def test_pages_and_filters_are_passed_on(manage, search):
    for number in range(5):
        manage.invoke({"content": f"Ada has cat number {number}", "action": "create"}, ADA)
    assert len(found(search.invoke({"query": "cat", "limit": 2}, ADA))) == 2
    assert len(found(search.invoke({"query": "cat", "limit": 9, "offset": 3}, ADA))) == 2


async def test_they_may_be_awaited(manage, search):
    await manage.ainvoke({"content": "Ada likes dark roasts", "action": "create"}, ADA)
    assert found(await search.ainvoke({"query": "roasts"}, ADA)) == ["Ada likes dark roasts"]
