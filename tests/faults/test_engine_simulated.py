"""Servers on one store behind a bad network: one copy, whatever the network does."""

import json
import random
import time
from collections import Counter

import pytest
from linearizable import Done, in_some_order
from mutants import MUTANTS
from simulator import KEPT, draw, in_memory, one_world, problems_of, shrink, simulate

HISTORIES = json.loads(KEPT.read_text("utf-8"))
"""Plans that once went wrong."""


def first_wrong(seeds):
    counted = Counter()
    return one_world(seeds, in_memory, time.monotonic() + 60, counted), counted


def test_what_clients_see_of_several_servers_is_of_one_copy():
    found, counted = first_wrong(range(5))

    assert found is None
    assert 5 == counted["histories"]


@pytest.mark.parametrize("kept", HISTORIES, ids=[kept["why"] for kept in HISTORIES])
def test_a_history_that_was_kept_goes_well(kept):
    assert [] == problems_of(kept["plan"])


@pytest.mark.slow
def test_a_plan_is_carried_out_the_same_way_every_time():
    def switches():
        return first_wrong(range(100, 104))[1]

    assert switches() == switches()


@pytest.mark.slow
@pytest.mark.parametrize("mutant", MUTANTS, ids=[mutant.__name__ for mutant in MUTANTS])
def test_a_program_that_leaves_something_out_is_found(mutant, monkeypatch):
    mutant(monkeypatch)

    assert any(first_wrong(range(n, n + 40))[0] for n in range(0, 400, 40))


def test_a_history_that_goes_wrong_is_made_shorter():
    plan = draw(random.Random(1))  # noqa: S311

    def goes_wrong(one):
        return any("erase" == request[0] for requests in one["clients"] for request in requests)

    plan["clients"][0].append(["erase", "roof", 0, 0, "", 0, False])
    short = shrink(plan, goes_wrong)

    assert [["erase", "roof", 0, 0, "", 0, False]] == [r for c in short["clients"] for r in c]
    assert [] == short["schedule"]


@pytest.mark.slow
def test_what_goes_wrong_is_kept_to_be_tried_first(monkeypatch, tmp_path):
    next(m for m in MUTANTS if m.__name__ == "never_catches_up")(monkeypatch)
    kept = tmp_path / "kept.json"
    kept.write_text("[]", "utf-8")

    told = [simulate(5, 0, kept=kept, show=lambda *_: None) for _ in range(2)]

    assert [1, 1] == [len(findings) for _, findings in told]
    assert {} == told[1][0], "nothing new is tried before"


def test_what_nobody_heard_of_took_place_before_it_ended_or_never():
    lost = Done("forget", "roof", 0, 1, sure=False)
    before = Done("episodes", "roof", 2, 3, ["boat", "key", "roof"])
    after = Done("episodes", "roof", 4, 5, ["boat", "key"])

    assert in_some_order([lost, after])
    assert in_some_order([lost, before])
    assert not in_some_order([lost, before, after])
