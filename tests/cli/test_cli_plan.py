"""The command plan shows what is needed, and what was assumed."""

import pytest


def test_a_plan_is_shown_with_what_it_assumes(shell):
    shown = shell("plan", "--banks", "1e6", "--turns-per-day", "20")

    assert 0 == shown.code
    for part in ("episodes; rows", "servers", "one primary ends at", "cost a month, all"):
        assert part in shown.out
    told = " ".join(shown.out.split())
    assert "banks 1e+06, turns per day 20" in told
    assert "at prices: core 25" in told
    assert not shell.store.exists()


def test_a_plan_as_json_has_the_load_the_prices_and_the_plan(shell):
    told = shell("plan", "--banks", "1000", "--price-core", "7", "--json").json

    assert {"load", "prices", "plan"} == set(told)
    assert (1000, 7) == (told["load"]["banks"], told["prices"]["core"])
    assert 1000 * 20 * 365 == told["plan"]["episodes"]
    assert told["plan"]["cost"]["all"] > 0


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        (("--banks", "0"), "banks"), (("--banks", "many"), "a number"), ((), "--banks"),
        (("--banks", "10", "--hot", "2"), "hot"), (("--banks", "10", "--price-core", "-1"), "core"),
        (("--banks", "nan"), "nan"),
    ],
)  # fmt: skip
def test_numbers_that_make_no_sense_are_refused(shell, wrong, told):
    answer = shell("plan", *wrong)

    assert 2 == answer.code
    assert told in answer.err
