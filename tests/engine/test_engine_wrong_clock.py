"""A clock that was wrong once dates what was said then wrongly, and nothing else."""

from datetime import UTC, datetime, timedelta

from hippocampus import upkeep
from hippocampus.testing import ManualClock


def test_the_one_episode_of_a_clock_that_was_far_ahead_is_dated_by_a_repair(open_memory):
    clock = ManualClock(datetime(2025, 6, 1, 12, tzinfo=UTC))
    memory = open_memory(clock=clock)
    bank = memory.bank("ada")
    bank.remember("Before.")
    clock.set(datetime(9999, 12, 1, tzinfo=UTC))
    bank.remember("While the clock was wrong.")
    clock.set(datetime(2025, 6, 1, 13, tzinfo=UTC))
    after = bank.remember("After.")
    assert after.recorded_at == clock.now()
    clock.advance(timedelta(hours=1))

    def known(bank):
        return sorted(e.text for e in bank.episodes(as_of=datetime(2025, 6, 1, 13, 30, tzinfo=UTC)))

    assert ["After.", "Before."] == known(bank)
    assert [False] == [ok for what, _, ok in upkeep.doctor(memory) if what == "times"]
    assert upkeep.redate(memory) > 1
    assert 0 == upkeep.redate(memory)
    assert [True] == [ok for what, _, ok in upkeep.doctor(memory) if what == "times"]
    memory.close()
    with open_memory(clock=clock) as again:
        assert ["After.", "Before.", "While the clock was wrong."] == known(again.bank("ada"))
        assert () == upkeep.verify(again).problems


def test_a_clock_that_is_set_back_a_little_dates_nothing_before_what_was_said(bank, clock):
    first = bank.remember("First.")
    clock.advance(timedelta(hours=-2))
    assert first.recorded_at == bank.remember("Second.").recorded_at
