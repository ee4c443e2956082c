"""How often a caller may ask: in one process, or counted for all servers together."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.errors import RateLimited, StoreReadOnly
from hippocampus.server.rates import Rate


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


class Buckets:
    """The buckets of all servers, as the database has them."""

    def __init__(self, clock):
        self.clock = clock
        self.rate = {}
        self.asked = 0

    def take(self, caller, wanted, *, per_s, burst):
        self.asked += 1
        left, at = self.rate.get(caller, (burst, self.clock()))
        left = min(burst, left + (self.clock() - at) * per_s)
        given = min(wanted, int(left))
        self.rate[caller] = left - given, self.clock()
        return given


def may(rate, caller="ada"):
    try:
        asyncio.run(rate.take(caller))
    except RateLimited as exc:
        return exc.retry_after_s <= 0
    return True


WAITS = st.lists(st.floats(0, 0.5), min_size=1, max_size=25)


@given(waits=WAITS, per_s=st.sampled_from([1.0, 4.0, 30.0]), burst=st.integers(1, 5))
def test_several_servers_together_let_in_no_more_than_one_alone(waits, per_s, burst):
    clock = Clock()
    buckets = Buckets(clock)
    servers = [Rate(per_s, burst, clock, shared=buckets, salt=b"s") for _ in range(3)]
    let_in = 0
    for number, wait in enumerate(waits):
        clock.now += wait
        let_in += may(servers[number % 3])

    assert let_in <= burst + clock.now * per_s + 1e-6


@given(waits=WAITS, per_s=st.sampled_from([1.0, 4.0, 30.0]), burst=st.integers(1, 5))
def test_one_server_lets_in_as_many_as_its_bucket_holds(waits, per_s, burst):
    clock = Clock()
    rate, left = Rate(per_s, burst, clock), float(burst)
    for wait in waits:
        clock.now += wait
        left = min(burst, left + wait * per_s)
        let_in = may(rate)
        if abs(left - 1) > 1e-6:
            assert let_in == (left >= 1)
        left -= let_in


def test_callers_do_not_use_up_each_others():
    clock = Clock()
    rate = Rate(1.0, 1, clock, shared=Buckets(clock))

    assert may(rate, "ada")
    assert may(rate, "bob")
    assert not may(rate, "ada")


def test_without_a_limit_nothing_is_counted():
    assert all(may(Rate(None, 1)) for _ in range(100))


def test_the_longest_wait_is_until_one_more_fits():
    clock = Clock()
    rate = Rate(0.5, 1, clock)
    asyncio.run(rate.take("ada"))

    with pytest.raises(RateLimited) as told:
        asyncio.run(rate.take("ada"))
    assert 2.0 == told.value.retry_after_s


def test_requests_that_come_at_once_use_up_one_token_each():
    async def at_once(rate, count):
        takes = (rate.take("ada") for _ in range(count))
        return await asyncio.gather(*takes, return_exceptions=True)

    clock = Clock()
    buckets = Buckets(clock)
    rate = Rate(100.0, 100, clock, shared=buckets)

    assert [None] * 20 == asyncio.run(at_once(rate, 20))


def test_who_is_refused_and_asks_on_costs_the_database_little():
    clock = Clock()
    buckets = Buckets(clock)
    rate = Rate(1.0, 1, clock, shared=buckets)
    assert may(rate)
    for _ in range(100):
        clock.now += 0.005
        assert not may(rate)

    assert 1 + 5 <= buckets.asked <= 1 + 6
    clock.now += 0.6
    assert may(rate)


def test_a_database_that_only_reads_leaves_each_server_to_count_for_itself():
    class Standby:
        def take(self, *_, **__):
            raise StoreReadOnly("is a standby", path="m")

    rate = Rate(1.0, 2, Clock(), shared=Standby())

    assert [True, True, False] == [may(rate) for _ in range(3)]


def test_a_refusal_names_a_wait_that_is_worth_waiting():
    clock = Clock()
    rate = Rate(30.0, 1, clock)
    assert may(rate)
    clock.now += 0.99 / 30.0
    with pytest.raises(RateLimited, match=r"wait 0\.1 s"):
        asyncio.run(rate.take("ada"))
