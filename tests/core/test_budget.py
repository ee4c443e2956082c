"""A budget ends what takes or writes too much, and what somebody calls off."""

import asyncio
import threading
import time

import pytest

from hippocampus import Budget
from hippocampus.core.budget import check_budget, counted, without_budget
from hippocampus.errors import Cancelled, InputError, OverBudget


def test_without_a_budget_nothing_ends():
    check_budget()
    assert [("a",)] == list(counted([("a",)]))


@pytest.mark.parametrize("given", [{"seconds": 0}, {"seconds": "1"}, {"written_bytes": -1},
                                   {"written_bytes": True}])  # fmt: skip
def test_a_limit_is_above_nothing(given):
    with pytest.raises(InputError, match="above 0"):
        Budget(**given)


def test_time_is_counted_from_the_beginning_of_the_block():
    budget = Budget(seconds=0.05)
    time.sleep(0.06)
    with budget:
        check_budget()
        time.sleep(0.06)
        with pytest.raises(OverBudget, match=r"0\.05 s"):
            check_budget()
    check_budget()


def test_rows_are_counted_as_they_are_taken():
    taken = []
    with Budget(written_bytes=20) as budget, pytest.raises(OverBudget, match="20 bytes"):
        taken += counted(("x" * 9, n) for n in range(5))
    assert budget.written == 34  # the one row that was too much is not written


def test_of_two_budgets_both_hold():
    with Budget(written_bytes=10) as outer, Budget(written_bytes=1000):
        list(counted([("x" * 10,)]))
        with pytest.raises(OverBudget):
            list(counted([("x",)]))
        outer.cancel()
        with pytest.raises(Cancelled):
            check_budget()


def test_a_budget_under_way_is_not_begun_again_inside_or_by_another_thread():
    def begin():
        with pytest.raises(InputError, match="under way"), budget:
            pass

    with Budget() as budget:
        begin()
        thread = threading.Thread(target=begin)
        thread.start()
        thread.join()
        check_budget()
    check_budget()
    with budget:  # one after the other is fine
        check_budget()


def test_another_thread_without_a_budget_of_its_own_calls_it_off():
    seen = []
    with Budget() as budget:
        thread = threading.Thread(target=lambda: (budget.cancel(), seen.append(check_budget())))
        thread.start()
        thread.join()
        with pytest.raises(Cancelled):
            check_budget()
    assert seen == [None]


def test_what_all_share_goes_on():
    with Budget() as budget:
        budget.cancel()
        with without_budget():
            check_budget()
        with pytest.raises(Cancelled):
            check_budget()


def test_a_task_has_that_of_whoever_made_it():
    async def inside():
        check_budget()

    async def run():
        with Budget() as budget:
            task = asyncio.create_task(inside())
            budget.cancel()
            with pytest.raises(Cancelled):
                await task

    asyncio.run(run())
