"""The capacity that is calculated grows with what is asked, and comes of committed figures."""

import json
import math
from dataclasses import asdict, fields, replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.capacity import MEASURED, Load, Prices, plan
from hippocampus.errors import InputError

RESULTS = Path(__file__).parents[2] / "bench" / "results"
LOADS = st.builds(
    Load,
    banks=st.floats(1, 1e8),
    turns_per_day=st.floats(0, 1000),
    recalls_per_day=st.floats(0, 1000),
    days=st.floats(1, 3650),
    peak=st.floats(1, 20),
    hot=st.floats(0.001, 1),
    opened_per_day=st.floats(0, 50),
    sleeps=st.floats(0.01, 1),
    busy=st.floats(0.05, 1),
)
MORE = ("banks", "turns_per_day", "recalls_per_day", "days", "peak", "hot", "opened_per_day")
CAN_DO = ("cores", "memory_gb", "primary_gb", "primary_log_mb_s", "primary_commits", "busy")
NEED = (
    "episodes", "rows", "data_gb", "writes_per_s", "recalls_per_s", "log_mb_per_s", "hot_gb",
    "disk_writes_per_s", "server_cores", "servers", "sleep_cpu_hours_per_day", "sleep_workers",
    "database_cores", "primaries",
)  # fmt: skip


@given(LOADS)
def test_a_plan_has_whole_machines_from_one_up_without_negative_numbers(load):
    made = plan(load)

    assert all(getattr(made, name) >= 0 for name in NEED)
    assert made.servers >= 1 <= made.primaries
    assert all(type(n) is int for n in (made.servers, made.primaries, made.sleep_workers))
    assert all(cost >= 0 for cost in made.cost.values())
    assert math.isclose(made.cost["all"], sum(made.cost.values()) - made.cost["all"])


@given(LOADS, st.sampled_from(MORE), st.floats(1, 5))
def test_more_of_anything_needs_no_less_of_anything(load, name, times):
    largest = {"hot": 1.0, "peak": 1000.0, "days": 36_500.0}.get(
        name, 1e6 if name != "banks" else 1e12
    )
    larger = replace(load, **{name: min(getattr(load, name) * times, largest)})
    less, more = plan(load), plan(larger)

    for one in NEED:
        assert getattr(less, one) <= getattr(more, one) * (1 + 1e-9), one
    for part, cost in less.cost.items():
        assert cost <= more.cost[part] * (1 + 1e-9), part


@given(LOADS, st.sampled_from(CAN_DO))
def test_stronger_machines_are_no_more_of_them(load, name):
    stronger = replace(load, **{name: 1.0 if name == "busy" else getattr(load, name) * 3})

    assert plan(stronger).servers <= plan(load).servers
    assert plan(stronger).primaries <= plan(load).primaries


@given(LOADS)
def test_twice_the_banks_are_twice_of_what_is_no_whole_number(load):
    once, twice = plan(load), plan(replace(load, banks=load.banks * 2))

    for name in NEED:
        if name not in {"servers", "primaries", "sleep_workers"}:
            # Numbers of 1e-323 have no digits left that could be halved.
            one, two = 2 * getattr(once, name), getattr(twice, name)
            assert math.isclose(one, two, rel_tol=1e-9, abs_tol=1e-300), name
    if once.first_limit_banks is None:
        assert twice.first_limit_banks is None
    else:
        assert math.isclose(once.first_limit_banks, twice.first_limit_banks, rel_tol=1e-9)


@given(LOADS, st.sampled_from([one.name for one in fields(Prices)]), st.floats(1, 100))
def test_a_price_changes_costs_alone_down_to_nothing_where_all_is_free(load, name, times):
    dearer = replace(Prices(), **{name: getattr(Prices(), name) * times})
    free = Prices(core=0, memory_gb=0, disk_gb=0, backup_gb=0)

    assert plan(load).cost["all"] <= plan(load, dearer).cost["all"] * (1 + 1e-9)
    assert asdict(plan(load)) | {"cost": 0} == asdict(plan(load, dearer)) | {"cost": 0}
    assert not any(plan(load, free).cost.values())


@pytest.mark.parametrize("what", ["rows", "held_bytes"])
def test_a_bank_as_long_as_a_measured_one_takes_what_that_one_took(what):
    short, long = (getattr(MEASURED, f"{one}_{what}") for one in ("short", "long"))

    for turns, each in ((MEASURED.short_turns, short), (MEASURED.long_turns, long)):
        assert math.isclose(turns * each, MEASURED.of_bank(turns, short, long))
    assert 0 <= MEASURED.of_bank(0, short, long) < MEASURED.of_bank(1e6, short, long)


@given(LOADS)
def test_one_primary_is_enough_up_to_what_ends_it(load):
    made = plan(load)
    if made.first_limit_banks is not None and 1 < made.first_limit_banks * 0.99:
        assert 1 == plan(replace(load, banks=min(1e12, made.first_limit_banks * 0.99))).primaries


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"banks": 0}, "from 1"), ({"banks": math.nan}, "banks=nan"), ({"banks": math.inf}, "inf"),
        ({"turns_per_day": -1}, "from 0"), ({"hot": 0}, "above 0"), ({"hot": 1.5}, "to 1"),
        ({"busy": 0}, "above 0"), ({"copies": 0}, "from 1"), ({"days": 0.5}, "days=0.5"),
        ({"peak": 0.5}, "peak=0.5"), ({"cores": 0}, "cores=0"), ({"banks": "many"}, "many"),
    ],
)  # fmt: skip
def test_a_number_that_makes_no_sense_is_refused_with_its_rule(wrong, told):
    with pytest.raises(InputError, match=told):
        Load(**{"banks": 1000} | wrong)


def test_a_price_below_nothing_is_refused():
    with pytest.raises(InputError, match=r"core=-1"):
        Prices(core=-1)


# ---------------------------------------------------------------- where figures come from

FROM = {
    "turn_bytes": ("long_banks", "bytes a turn, packed"),
    "short_rows": ("capacity", "rows a turn, slept"),
    "long_rows": ("long_banks", "rows a turn, slept"),
    "short_held_bytes": ("capacity", "memory a turn of a bank in use"),
    "long_held_bytes": ("long_banks", "memory a turn of a bank in use"),
    "turn_log_bytes": ("capacity", "remember, log"),
    "slept_log_bytes": ("capacity", "later sleep, a new turn, log"),
    "turn_cpu_ms": ("capacity", "remember, processor"),
    "recall_cpu_ms": ("capacity", "recall, processor"),
    "opened_cpu_ms": ("capacity", "bank opened and asked, processor"),
    "slept_cpu_ms": ("capacity", "later sleep, a new turn, processor"),
    "turn_database_ms": ("capacity", "remember, database's processor"),
    "recall_database_ms": ("capacity", "recall, database's processor"),
    "slept_database_ms": ("capacity", "later sleep, a new turn, database's processor"),
    "embedded_turn_ms": ("encoder", "a turn embedded, CPU, p50"),
    "embedded_question_ms": ("encoder", "a question embedded, CPU, p50"),
    "http_ms": ("server", "serve, overhead of HTTP, p50"),
}


def reported(report, name):
    rows = json.loads((RESULTS / f"{report}.json").read_text())["rows"]
    return next(row for row in rows if row["name"] == name)


@pytest.mark.parametrize("name", FROM)
def test_a_figure_is_that_of_the_committed_report(name):
    assert getattr(MEASURED, name) == reported(*FROM[name])["value"]


def test_every_figure_has_its_report():
    left = {one.name for one in fields(MEASURED)} - set(FROM)

    assert left == {"read_turn_ms", "short_turns", "long_turns"}
    assert f"of {MEASURED.long_turns:g} turns" in reported(*FROM["long_rows"])["note"]
    assert "20 new a bank" == reported(*FROM["slept_cpu_ms"])["note"]
    assert f"of {MEASURED.short_turns - 20:g} turns" in reported(*FROM["turn_cpu_ms"])["note"]
    opened = reported("store", "opening 10 k, encrypted")["baseline"]
    assert MEASURED.read_turn_ms == pytest.approx(opened / 10_000)
