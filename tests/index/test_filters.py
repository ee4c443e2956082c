"""What a read may see: moments, filters, conditions on metadata, and the columns behind them."""

import json
import math
from datetime import UTC, date, datetime, timedelta, timezone
from itertools import pairwise
from zoneinfo import ZoneInfo

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from where_oracle import lookup, matches

from hippocampus.core.clock import MICROS_PER_DAY, from_micros, to_micros
from hippocampus.core.records import EpisodeRow
from hippocampus.errors import InputError, InvalidFilter, InvalidTime, UnknownEpisode
from hippocampus.index.columns import Columns
from hippocampus.index.filters import (
    Filter,
    flatten,
    make_filter,
    merge,
    read_where,
    to_moment,
)

BERLIN = ZoneInfo("Europe/Berlin")
EAST = timezone(timedelta(hours=5, minutes=30))
T0 = to_micros(datetime(2024, 3, 5, tzinfo=UTC))


def utc(*parts):
    return datetime(*parts, tzinfo=UTC)


def filtered(**given_):
    return make_filter(given_, UTC)


def row(number, **fields):
    base = dict.fromkeys(EpisodeRow._fields) | {"marks": 0} | {
        "row": number, "id": f"e{number}", "occurred_at": T0 + number, "recorded_at": T0 + number,
        "part": 0, "parts": 1, "address": "", "metadata": "{}", "digest": b"", "state": "active",
    }  # fmt: skip
    return EpisodeRow(**(base | fields))


def columns_of(*fields):
    columns = Columns()
    columns.observe([row(number, **given_) for number, given_ in enumerate(fields)])
    return columns


def seen(columns, **given_):
    """The rows a filter lets through, which are the same in order of time."""
    chosen = filtered(**given_)
    mask = columns.mask(chosen)
    rows = list(range(len(columns))) if mask is None else np.flatnonzero(mask).tolist()
    moments = columns.occurred_at(np.arange(len(columns), dtype=np.uint32)).tolist()
    there = columns.in_order().tolist()
    in_order = [row for _, row in sorted((moments[row], row) for row in rows if row in there)]
    assert columns.seen_in_order(chosen).tolist() == in_order
    return rows


# ---------------------------------------------------------------- moments


def test_an_aware_datetime_is_kept_as_it_is():
    moment = datetime(2024, 3, 5, 12, tzinfo=EAST)

    assert moment is to_moment(moment, UTC)


@pytest.mark.parametrize(
    ("when", "expected"),
    [
        (datetime(2024, 3, 5, 12), utc(2024, 3, 5, 11)),  # noqa: DTZ001 (naive on purpose)
        ("2024-03-05", utc(2024, 3, 4, 23)),
        ("20240305", utc(2024, 3, 4, 23)),
        ("2024-03-05T12:00", utc(2024, 3, 5, 11)),
        (" 2024-07-05 12:00:00.25 ", utc(2024, 7, 5, 10, 0, 0, 250_000)),
        ("2024-03-05T12:00Z", utc(2024, 3, 5, 12)),
        ("2024-W10-2", utc(2024, 3, 4, 23)),
        ("2024-03-05T12:00-02:00", utc(2024, 3, 5, 14)),
        (date(2024, 3, 5), utc(2024, 3, 4, 23)),
        (1_700_000_000, utc(2023, 11, 14, 22, 13, 20)),
        (-86_400.5, utc(1969, 12, 30, 23, 59, 59, 500_000)),
        ("1700000000", utc(2023, 11, 14, 22, 13, 20)),
    ],
)
def test_what_names_no_zone_is_read_in_the_given_one(when, expected):
    assert expected == to_moment(when, BERLIN)


@pytest.mark.parametrize(
    "when", ["", "yesterday", "2024-13-01", "2024-W10", 1_700_000_000_000, None, True, math.nan,
             math.inf, -1e20, "170000000000.5", "2024-03-05T25:00", "\ud800",
             "2024-03-05\ud80012:00:00x"],
)  # fmt: skip
def test_what_is_not_a_moment_is_refused_by_name(when):
    with pytest.raises(InvalidTime, match=r"^since=.*ISO 8601"):
        to_moment(when, UTC, name="since")


@pytest.mark.parametrize("when", ["0001-01-01T00:00+01:00", "9999-12-31T23:59-01:00"])
def test_a_moment_outside_the_years_of_utc_is_refused(when):
    with pytest.raises(InvalidTime, match="years 1 to 9999"):
        to_moment(when, UTC)


def test_until_a_date_includes_that_day_and_no_more():
    chosen = make_filter({"since": "2024-03-31", "until": "2024-03-31"}, BERLIN)

    # The day the clocks go forward: 23 hours.
    assert utc(2024, 3, 30, 23) == from_micros(chosen.since)
    assert utc(2024, 3, 31, 22) == from_micros(chosen.until)


def test_until_a_moment_excludes_it():
    assert to_micros(utc(2024, 3, 5, 12)) == filtered(until="2024-03-05T12:00").until
    assert filtered(until=utc(2024, 3, 5)).until == T0


def test_until_the_last_date_there_is_includes_it():
    last = to_micros(datetime.max.replace(tzinfo=UTC))

    assert last + 1 == filtered(until="9999-12-31").until


def test_as_of_means_the_end_of_a_date_or_exactly_the_moment_given():
    assert to_micros(utc(2024, 3, 6)) - 1 == filtered(as_of="2024-03-05").as_of
    assert filtered(as_of="2024-03-05T00:00").as_of == T0


# ---------------------------------------------------------------- filters


def test_filters_that_ask_the_same_are_equal_with_the_same_hash():
    one = filtered(speaker="ÅSA", session=["a", "b"], where={"tags": {"$in": [[1, {"x": True}]]}})
    two = filtered(speaker="a\u030asa", session={"b", "a"}, where={"tags": [1.0, {"x": True}]})

    assert one == two
    assert hash(one) == hash(two)
    assert one != filtered(speaker="åsa", session=["a", "b"], where={"tags": [1, {"x": 1}]})


def test_no_filter_is_the_empty_filter():
    assert Filter() == filtered()


def test_a_start_after_the_end_is_refused():
    with pytest.raises(InvalidFilter, match="since='2024-03-06' is later than until='2024-03-05'"):
        filtered(since="2024-03-06", until="2024-03-05")


@pytest.mark.parametrize(
    ("during", "complaint"),
    [
        ([], "leave it out"),
        ("2024", "give pairs of moments"),
        ({"2024-01-01": "2024-02-01"}, "give pairs of moments"),
        (3, "give pairs of moments"),
        (["2024-01-01"], "a pair of moments"),
        ([("2024-01-01", "2024-01-02", "2024-01-03")], "a pair of moments"),
        ([(None, None)], "all of time"),
        ([("2024-03-06", "2024-03-05")], "nothing lies between"),
        ([("2024-03-06T10:00", "2024-03-06T10:00")], "nothing lies between"),
        ([("2024-01-01", None), ("2024-03-06", "2024-03-05")], "nothing lies between"),
    ],
)
def test_stretches_that_hold_nothing_or_all_are_refused(during, complaint):
    with pytest.raises(InvalidFilter, match=f"^during=.*{complaint}"):
        filtered(during=during)


def test_a_moment_of_a_stretch_that_cannot_be_read_is_refused_by_name():
    with pytest.raises(InvalidTime, match=r"^during='soon'"):
        filtered(during=[("2024-01-01", "soon")])


def test_stretches_are_merged_before_anything_is_looked_up():
    day = 86_400_000_000
    touching = [("2024-03-07", "2024-03-07"), (utc(2024, 3, 5), "2024-03-06"), ("2024-03-09", None)]

    assert ((T0, T0 + 3 * day), (T0 + 4 * day, None)) == filtered(during=touching).during
    everything = [(None, "2024-03-05"), *touching, ("2024-03-07", "2024-03-10")]
    assert ((None, None),) == filtered(during=everything).during


some_ends = st.tuples(st.none() | st.integers(0, 9), st.none() | st.integers(0, 9)).filter(
    lambda pair: None in pair or pair[0] < pair[1]
)


@given(st.lists(some_ends))
def test_merged_stretches_cover_the_same_time_apart_and_in_order(stretches):
    merged = merge(stretches)

    def covers(some, moment):
        return any(
            (start is None or start <= moment) and (end is None or moment < end)
            for start, end in some
        )

    assert all(covers(stretches, at) == covers(merged, at) for at in range(-1, 11))
    assert all(before[1] < after[0] for before, after in pairwise(merged))
    assert merged == merge(reversed(merged))


@pytest.mark.parametrize("name", ["session", "speaker", "role", "source"])
@pytest.mark.parametrize("given_", ["", " ", [], (), set(), ["a", ""]])
def test_a_value_that_can_match_nothing_is_refused_rather_than_ignored(name, given_):
    with pytest.raises(InvalidFilter, match=f"^{name}=.*leave it out"):
        filtered(**{name: given_})


@pytest.mark.parametrize("given_", [7, b"a", {"$in": ["a"]}, ["a", None], [1], iter("ab"), [["a"]]])
def test_a_value_that_is_not_text_is_refused(given_):
    with pytest.raises(InvalidFilter, match=r"^session=.*give one text"):
        filtered(session=given_)


# ---------------------------------------------------------------- conditions


def nested(levels, leaf):
    for _ in range(levels):
        leaf = {"$not": leaf}
    return leaf


@pytest.mark.parametrize(
    ("where", "says"),
    [
        ("x", "a condition is a dict"),
        ([{"a": 1}], "a condition is a dict"),
        ({}, "leave it out to match everything"),
        ({1: 2}, "keys of metadata are texts"),
        ({"$nor": [{"a": 1}]}, r"where\['\$nor'\]: no such operator"),
        ({"$and": []}, "at least one condition"),
        ({"$or": {"a": 1}}, "takes a list"),
        ({"$or": [{"a": 1}, {}]}, r"where\['\$or'\]\[1\]=\{\}: holds no condition"),
        ({"$not": {}}, "holds no condition"),
        ({"$not": [{"a": 1}]}, "a condition is a dict"),
        ({"a": {}}, "holds no operator"),
        ({"a": {"$regex": "x"}}, r"where\['a'\]\['\$regex'\]: no such operator; there are \$eq"),
        ({"a": {"$gt": 1, "b": 2}}, "mixes operators and members"),
        ({"a": {"$gt": None}}, "compares with a number or a text"),
        ({"a": {"$lte": True}}, "compares with a number or a text"),
        ({"a": {"$lt": [1]}}, "compares with a number or a text"),
        ({"a": {"$gte": float("nan")}}, "not a number that metadata can hold"),
        ({"a": {"$in": "abc"}}, "takes a list"),
        ({"a": {"$nin": []}}, "at least one value"),
        ({"a": {"$exists": 1}}, "True or False"),
        ({"a": {"$contains": ""}}, "use \\$exists"),
        ({"a": {"$icontains": ""}}, "use \\$exists"),
        ({"a": {"$icontains": 3}}, "takes a text"),
        ({"a": {"$not": 3}}, "takes operators"),
        ({"a": {"$not": {}}}, "takes operators"),
        ({"a": float("inf")}, "not a number that metadata can hold"),
        ({"a": utc(2024, 1, 1)}, "ISO 8601"),
        ({"a": [{"b": {1}}]}, "not a JSON value"),
        ({"a": {"b": {2: 1}}}, "keys of metadata are texts"),
        (nested(32, {"a": 1}), "more than 32 levels"),
        ({"a": nested(32, {"$gt": 1})}, "more than 32 levels"),
        ({"a": {"$eq": [nested(32, 1)]}}, "more than 32 levels"),
    ],
)
def test_a_condition_that_cannot_be_meant_is_refused(where, says):
    with pytest.raises(InvalidFilter, match=says):
        read_where(where)


def test_a_condition_may_be_32_levels_deep():
    assert not matches(read_where(nested(31, {"a": 1})), {"a": 1})
    assert not matches(read_where({"a": nested(31, {"$gt": 1})}), {"a": 2})


def test_a_condition_that_contains_itself_is_refused():
    where = {}
    where["$and"] = [where]

    with pytest.raises(InvalidFilter, match="more than 32 levels"):
        read_where(where)


META = {
    "n": 3, "f": 2.5, "yes": True, "none": None, "word": "Lisbon", "day": "2024-03-05",
    "tags": ["trip", "food", 7], "trip": {"city": "Rome", "legs": {"count": 2}},
    "dotted.key": 1, "trip.city.flat": "x", "big": 2**53 + 1,
}  # fmt: skip


@pytest.mark.parametrize(
    "where",
    [
        {"n": 3, "word": "Lisbon"}, {"n": 3.0}, {"n": {"$ne": 4}}, {"n": {"$gt": 2, "$lte": 3}},
        {"f": {"$in": [1, 2.5]}}, {"f": {"$nin": [1, 2]}}, {"yes": True}, {"none": None},
        {"word": {"$contains": "isb"}}, {"day": {"$gte": "2024", "$lt": "2025"}},
        {"tags": "trip"}, {"tags": ["trip", "food", 7]}, {"tags": {"$contains": 7}},
        {"word": {"$icontains": "ISB"}}, {"tags": {"$icontains": "Food"}},
        {"tags": {"$in": ["food", "x"]}}, {"trip.city": "Rome"}, {"trip.legs.count": {"$lt": 3}},
        {"trip": {"legs": {"count": 2}, "city": "Rome"}}, {"dotted.key": 1},
        {"trip.city.flat": "x"}, {"trip.legs": {"$exists": True}}, {"gone": {"$exists": False}},
        {"gone": {"$ne": 1}}, {"gone": {"$nin": [1]}}, {"gone": {"$not": {"$gt": 1}}},
        {"$not": {"gone": 1}}, {"$or": [{"n": 4}, {"n": 3}]}, {"$and": [{"n": 3}, {"f": 2.5}]},
        {"big": {"$gt": 2**53}}, {"big": {"$lt": 10**400}}, {"big": {"$gt": -(10**400)}},
        {"n": {"$gt": -math.inf, "$lt": math.inf}},
    ],
)  # fmt: skip
def test_conditions_that_hold(where):
    assert matches(read_where(where), META)
    assert seen(columns_of({"metadata": json.dumps(META)}, {}), where=where)[:1] == [0]


@pytest.mark.parametrize(
    "where",
    [
        {"n": "3"}, {"yes": 1}, {"n": True}, {"yes": {"$gt": 0}}, {"word": {"$gt": 0}},
        {"n": {"$lt": "9"}}, {"word": "lisbon"}, {"word": {"$contains": "LIS"}},
        {"tags": {"$icontains": "foo"}}, {"n": {"$icontains": "3"}},
        {"n": {"$contains": 3}}, {"word": {"$contains": 1}}, {"tags": {"$gt": 1}},
        {"tags": ["trip"]}, {"tags": {"$ne": "trip"}}, {"tags": {"$nin": ["food"]}},
        {"gone": None}, {"gone": {"$exists": True}}, {"gone": {"$lt": 1}}, {"none": {"$ne": None}},
        {"trip": {"city": "Rome"}}, {"trip.city.x": 1}, {"tags.0": "trip"}, {"n": 3, "f": 0},
        {"$or": [{"n": 4}, {"n": 5}]}, {"$not": {"n": 3}}, {"big": float(2**53)},
        {"big": {"$lte": float(2**53)}},
    ],
)  # fmt: skip
def test_conditions_that_do_not_hold(where):
    assert not matches(read_where(where), META)
    assert 0 not in seen(columns_of({"metadata": json.dumps(META)}, {}), where=where)


@pytest.mark.parametrize("turn_round", [False, True])
def test_a_key_spelled_with_a_dot_wins_over_a_path(turn_round):
    members = [("a.b", {"c": 1}), ("a", {"b": {"c": 2}, "b.c": 3})]
    both = dict(members[::-1] if turn_round else members)

    assert matches(read_where({"a.b.c": 1}), both)
    assert not matches(read_where({"a.b.c": {"$in": [2, 3]}}), both)
    assert seen(columns_of({"metadata": json.dumps(both)}), where={"a.b.c": 1}) == [0]


def same(left, right):
    """JSON equality, spelled out."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, int | float) and isinstance(right, int | float):
        return left == right
    if type(left) is not type(right):
        return False
    if isinstance(left, list):
        return len(left) == len(right) and all(map(same, left, right))
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(same(left[k], right[k]) for k in left)
    return left == right


def find(metadata, key):
    """Every value a key can mean, best first, boxed."""
    yield from ([metadata[key]] if key in metadata else [])
    for end in reversed([i for i, letter in enumerate(key) if letter == "."]):
        if isinstance(inner := metadata.get(key[:end]), dict):
            yield from find(inner, key[end + 1 :])


def plainly(where, metadata):
    """The meaning of a condition as its author would explain it."""
    return all(_plain_member(key, value, metadata) for key, value in where.items())


def _plain_member(key, value, metadata):
    if key == "$not":
        return not plainly(value, metadata)
    if key in {"$and", "$or"}:
        return (all if key == "$and" else any)(plainly(part, metadata) for part in value)
    there = list(find(metadata, key))[:1]
    tests = (
        value if isinstance(value, dict) and any(k[:1] == "$" for k in value) else {"$eq": value}
    )
    return all(_plain_test(name, operand, there) for name, operand in tests.items())


def _plain_test(name, operand, there):  # noqa: PLR0911 (one case per operator)
    if name == "$not":
        return not all(_plain_test(n, o, there) for n, o in operand.items())
    if name in {"$ne", "$nin"}:
        return not _plain_test({"$ne": "$eq", "$nin": "$in"}[name], operand, there)
    if name == "$exists":
        return bool(there) is operand
    if not there:
        return False
    value = there[0]
    items = value if isinstance(value, list) else []
    if name in {"$eq", "$in"}:
        among = operand if name == "$in" else [operand]
        return any(same(v, o) for v in [value, *items] for o in among)
    if name == "$contains":
        if isinstance(value, str):
            return isinstance(operand, str) and operand in value
        return any(same(item, operand) for item in items)
    if name == "$icontains":
        if isinstance(value, str):
            return operand.casefold() in value.casefold()
        return operand.casefold() in [v.casefold() for v in items if isinstance(v, str)]
    numbers = all(isinstance(v, int | float) and not isinstance(v, bool) for v in (value, operand))
    if not numbers and not (isinstance(value, str) and isinstance(operand, str)):
        return False
    return {
        "$gt": value > operand, "$gte": value >= operand,
        "$lt": value < operand, "$lte": value <= operand,
    }[name]  # fmt: skip


numbers = st.sampled_from([0, 1, 1.0, 2, -0.0, 2.5, 2**53, 2**53 + 1, float(2**53), 10**400, -1])
words = st.sampled_from(["a", "b", "ab", "ba", "1", "é", "2024-01-01"])
scalars = st.none() | st.booleans() | numbers | words
names = st.sampled_from(["a", "b", "a.b", "b.a", "a.b.a", "", "a.", "c"])
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(names, inner, max_size=3),
    max_leaves=5,
)
metadatas = st.dictionaries(names, values, max_size=4)
several = st.lists(values, min_size=1, max_size=3)
tests_of_one = (
    st.fixed_dictionaries({}, optional={
        "$eq": values, "$ne": values, "$in": several, "$nin": several, "$exists": st.booleans(),
        "$contains": values, "$icontains": words.map(str.upper),
        "$gt": numbers, "$gte": words, "$lt": words, "$lte": numbers,
    })
    .filter(bool)
)  # fmt: skip
fields = st.dictionaries(
    names, scalars | tests_of_one | tests_of_one.map(lambda t: {"$not": t}), min_size=1, max_size=2
)
wheres = st.recursive(
    fields,
    lambda inner: (
        st.builds(
            lambda k, p: {k: p}, st.sampled_from(["$and", "$or"]), st.lists(inner, min_size=1)
        )
        | inner.map(lambda part: {"$not": part})
    ),
    max_leaves=4,
)


@settings(deadline=None)
@given(wheres, st.lists(metadatas, max_size=6))
def test_columns_predicate_and_plain_meaning_agree(where, batch):
    condition = read_where(where)
    expected = [plainly(where, metadata) for metadata in batch]
    columns = Columns()
    for number, metadata in enumerate(batch):
        columns.observe([row(number, metadata=json.dumps(metadata))])
        if number % 2:
            columns.mask(filtered(where={"a": 1}))  # read some now, the rest later

    assert expected == [matches(condition, metadata) for metadata in batch]
    assert np.flatnonzero(expected).tolist() == seen(columns, where=where)


@given(metadatas)
def test_every_flattened_key_is_what_lookup_finds(metadata):
    for key, value in flatten(metadata).items():
        assert next(lookup(metadata, key)) == (value,)


def test_metadata_deeper_than_any_condition_is_only_there():
    deep = {"a": 1}
    for _ in range(200):
        deep = {"a": deep}
    columns = columns_of({"metadata": json.dumps(deep)})

    assert seen(columns, where={".".join("a" * 32): {"$exists": True}}) == [0]
    assert seen(columns, where={".".join("a" * 33): {"$exists": True}}) == []
    assert not matches(read_where({".".join("a" * 33): {"$exists": True}}), deep)
    assert seen(columns, where={"a": {"$eq": nested(31, 1)}}) == []


# ---------------------------------------------------------------- the mask and the timelines

STATES = ["active", "superseded", "forgotten", "erased"]
few_times = st.integers(0, 4)
drafts = st.fixed_dictionaries({
    "occurred_at": few_times,
    "session": st.sampled_from([None, "s1", "s1", "s2"]),
    "turn": st.sampled_from([None, 0, 1, 2]),
    "speaker": st.sampled_from([None, "Ada", "ADA", "Straße", "STRASSE", "Bob"]),
    "role": st.sampled_from([None, "user", "tool"]),
    "source": st.sampled_from([None, "a.md", "A.md"]),
    "metadata": st.sampled_from(["{}", '{"p":"x"}', '{"p":"y","n":1}', '{"n":[1,2]}']),
    "length": st.sampled_from([1, 1, 1, 2, 3]),
})  # fmt: skip
steps = st.lists(
    st.lists(drafts, min_size=1, max_size=4)
    | st.tuples(st.integers(0, 30), st.sampled_from(STATES))
    | st.just("look"),
    max_size=16,
)
questions = st.fixed_dictionaries({}, optional={
    "since": few_times, "until": few_times, "as_of": st.integers(0, 15),
    "during": st.lists(
        st.tuples(few_times, few_times).filter(lambda pair: pair[0] < pair[1]), min_size=1
    ),
    "session": st.sampled_from(["s1", ["s1", "s2"], "unknown"]),
    "speaker": st.sampled_from(["ada", "strasse", ["bob", "ADA"], "nobody"]),
    "role": st.sampled_from(["user", "User"]),
    "source": st.sampled_from(["a.md", ["a.md", "A.md"]]),
    "where": st.sampled_from([{"p": "x"}, {"n": 1}, {"n": {"$ne": 1}}]),
})  # fmt: skip

BLANK = dict.fromkeys(["session", "turn", "speaker", "role", "source"]) | {"metadata": "{}"}


class Plain:
    """A bank as a list of rows and their changes, asked one by one."""

    def __init__(self):
        self.rows = []
        self.changes = []  # (row, state, at)

    def state(self, number, at=None):
        past = [s for r, s, t in self.changes if r == number and (at is None or t <= at)]
        return past[-1] if past else "active"

    def sees(self, number, asked):
        r, at = self.rows[number], asked.get("as_of")

        def among(name, fold=str):
            wanted = asked.get(name)
            wanted = [wanted] if isinstance(wanted, str) else wanted
            value = getattr(r, name)
            return wanted is None or (value is not None and fold(value) in map(fold, wanted))

        return (
            self.state(number) != "erased"
            and self.state(number, at) == "active"
            and (at is None or r.recorded_at <= at)
            and asked.get("since", -1) <= r.occurred_at < asked.get("until", 99)
            and any(a <= r.occurred_at < b for a, b in asked.get("during", [(-1, 99)]))
            and among("session")
            and among("speaker", str.casefold)
            and among("role")
            and among("source")
            and plainly(asked.get("where", {}), json.loads(r.metadata))
        )

    def in_order(self):
        there = [r.row for r in self.rows if self.state(r.row) != "erased"]
        return sorted(there, key=lambda number: (self.rows[number].occurred_at, number))

    def talk(self, session, *, hidden):
        keep = {"active"} if not hidden else {"active", "superseded", "forgotten"}
        rows = [r for r in self.rows if r.session == session and self.state(r.row) in keep]
        key = lambda r: (r.occurred_at, -1 if r.turn is None else r.turn, r.part, r.row)  # noqa: E731
        return [r.row for r in sorted(rows, key=key)]

    def neighbours(self):
        chains = [self.talk(session, hidden=False) for session in ("s1", "s2")]
        texts = {}
        for r in self.rows:
            if r.session is None and r.parts > 1 and self.state(r.row) == "active":
                texts.setdefault((r.row - r.part, r.source), []).append(r.row)
        before, after = [-1] * len(self.rows), [-1] * len(self.rows)
        for chain in [*chains, *texts.values()]:
            for left, right in pairwise(chain):
                after[left], before[right] = right, left
        return before, after


def play(script):
    """Run a script on the columns and on the plain list."""
    plain, columns = Plain(), Columns()
    for now, step in enumerate(script, 1):
        if step == "look":
            columns.neighbours(), columns.speakers(), columns.in_order()
            columns.mask(filtered(where={"p": "x"}))
        elif isinstance(step, list):
            fresh = []
            for draft in step:
                length = draft["length"]
                for part in range(length):
                    of_row = {k: v for k, v in draft.items() if k != "length"}
                    number = len(plain.rows) + len(fresh)
                    fresh.append(row(number, recorded_at=now, part=part, parts=length, **of_row))
            columns.observe(fresh)
            plain.rows += fresh
        elif plain.rows:
            number, state = step[0] % len(plain.rows), step[1]
            columns.set_state(number, state, now)
            if plain.state(number) != "erased":
                plain.changes.append((number, state, now))
    return plain, columns


def rebuilt(plain, *, batch):
    """Columns loaded from what a store would hold: present states, blank where erased."""
    columns = Columns()
    stored = [r._replace(state=plain.state(r.row)) for r in plain.rows]
    stored = [r._replace(**BLANK) if r.state == "erased" else r for r in stored]
    for start in range(0, len(stored), batch):
        columns.observe(stored[start : start + batch])
    for number, state, at in plain.changes:
        columns.set_state(number, state, at)
    return columns


def without_erased(plain, *, batch):
    """Columns of which rows were taken out, as often as not a few at a time."""
    columns = Columns()
    for start in range(0, len(plain.rows), batch):
        columns.observe([r._replace(state="active") for r in plain.rows[start : start + batch]])
    columns.neighbours()
    gone = [n for n in range(len(plain.rows)) if plain.state(n) == "erased"]
    for number, state, at in plain.changes:
        columns.set_state(number, state, at)
    for some in (gone[::2], gone[1::2]):
        forgets = columns.forget(np.array(some, np.int64))
        columns = columns if forgets else rebuilt(plain, batch=batch)
    return columns


def as_filter(asked):
    if asked.get("since", 0) > asked.get("until", 99):
        asked = {k: v for k, v in asked.items() if k != "since"}
    times = {k: from_micros(v) for k, v in asked.items() if k in {"since", "until", "as_of"}}
    if "during" in asked:
        times["during"] = [tuple(map(from_micros, pair)) for pair in asked["during"]]
    return asked, filtered(**(asked | times))


@settings(deadline=None)
@given(steps, st.lists(questions, min_size=1, max_size=4), st.integers(1, 9))
def test_a_mask_is_what_asking_every_episode_gives_also_after_a_rebuild(script, asked, batch):
    plain, columns = play(script)
    everyone = range(len(plain.rows))
    for asking in asked:
        asking, chosen = as_filter(asking)  # noqa: PLW2901
        expected = [plain.sees(number, asking) for number in everyone]
        for tried in (
            columns, rebuilt(plain, batch=batch), without_erased(plain, batch=batch)
        ):  # fmt: skip
            mask = tried.mask(chosen)

            assert expected == ([True] * len(everyone) if mask is None else mask.tolist())
            assert [plain.sees(n, {}) for n in everyone] == tried.visible().tolist()


@settings(deadline=None)
@given(steps, st.integers(0, 6), few_times, few_times, st.integers(1, 9))
def test_timelines_and_neighbours_are_those_of_the_plain_list(script, count, start, end, batch):
    plain, columns = play(script)
    order = plain.in_order()
    between = [n for n in order if start <= plain.rows[n].occurred_at < end]
    shown = [n for n in order if plain.sees(n, {})]
    heard = {(plain.rows[n].speaker or "").casefold() for n in shown} - {""}
    ada = [n for n in order if (plain.rows[n].speaker or "").casefold() == "ada"]
    moments = from_micros(start), from_micros(end)
    for tried in (
        columns, rebuilt(plain, batch=batch), without_erased(plain, batch=batch)
    ):  # fmt: skip
        assert order == tried.in_order().tolist()
        assert between == [n for n in order if tried.between(*moments)[n]]
        assert order[len(order) - min(count, len(order)) :] == tried.last(count, None).tolist()
        recent = tried.last(count, tried.visible()).tolist()
        assert shown[len(shown) - min(count, len(shown)) :] == recent
        assert plain.neighbours() == tuple(side.tolist() for side in tried.neighbours())
        assert sorted(heard) == sorted(name.casefold() for name in tried.speakers())
        assert (
            sorted(ada)
            == np.flatnonzero(tried.spoken_by(frozenset(["aDa"]), np.arange(len(tried)))).tolist()
        )


def test_the_last_rows_are_found_behind_many_that_are_not_allowed():
    columns = columns_of(*[{}] * 2000)
    allowed = np.arange(2000) < 5

    assert columns.last(2, allowed).tolist() == [3, 4]
    assert columns.last(9, allowed).tolist() == [0, 1, 2, 3, 4]
    assert columns.last(0, allowed).tolist() == []


def test_an_episode_is_seen_as_it_stood_at_the_time():
    columns = columns_of({"recorded_at": 2})
    columns.set_state(0, "forgotten", 10)
    columns.set_state(0, "active", 20)

    at = [1, 2, 9, 10, 19, 20, 25]
    stood = [bool(columns.mask(filtered(as_of=from_micros(t)))[0]) for t in at]
    assert stood == [False, True, True, False, False, True, True]
    assert columns.mask(filtered()) is None


def test_an_erased_episode_is_gone_at_any_time_and_for_good():
    columns = columns_of({"speaker": "Ada", "session": "s"}, {"speaker": "Bob", "session": "s"})
    columns.set_state(0, "erased", T0 + 10)
    columns.set_state(0, "active", T0 + 20)

    assert seen(columns) == [1]
    assert seen(columns, as_of=from_micros(T0 + 5)) == [1]
    assert columns.speakers() == ("Bob",)
    assert columns.session.codes.tolist() == [-1, 0]


def test_an_episode_observed_hidden_without_its_history_was_never_seen():
    columns = columns_of({"state": "forgotten", "recorded_at": 1}, {"state": "forgotten"})
    columns.set_state(0, "active", 20)

    assert seen(columns, as_of=from_micros(10)) == []
    assert seen(columns, as_of=from_micros(20)) == [0]


def test_an_episode_observed_hidden_was_seen_until_what_hid_it():
    columns = columns_of({"state": "superseded", "recorded_at": 1})
    columns.set_state(0, "superseded", 10)

    assert seen(columns, as_of=from_micros(9)) == [0]
    assert seen(columns, as_of=from_micros(10)) == []


def test_a_clock_that_went_back_does_not_undo_the_order_of_changes():
    columns = columns_of({"recorded_at": 1})
    columns.set_state(0, "forgotten", 20)
    columns.set_state(0, "active", 10)

    assert seen(columns, as_of=from_micros(30)) == [0]
    assert columns.visible().all()


def test_a_mask_is_made_only_for_a_restriction_even_in_an_empty_bank():
    assert columns_of({}, {}).mask(filtered()) is None
    assert Columns().mask(filtered()) is None
    assert Columns().mask(filtered(since="2024-01-01", where={"a": 1})).shape == (0,)
    assert Columns().last(3, None).tolist() == []
    assert Columns().speakers() == ()


def test_a_mask_belongs_to_the_caller():
    columns = columns_of({"state": "forgotten"}, {})
    columns.mask(filtered())[:] = True

    assert seen(columns) == [1]


def test_speakers_are_spelled_as_first_heard():
    columns = columns_of({"speaker": "Ada"}, {"speaker": "ADA"}, {"speaker": None})
    assert columns.speakers() == ("Ada",)

    columns.observe([row(3, speaker="Bob")])
    assert columns.speakers() == ("Ada", "Bob")

    columns.set_state(3, "forgotten", T0)
    assert columns.speakers() == ("Ada",)


def test_a_late_turn_takes_its_place_between_its_neighbours():
    columns = columns_of(*[{"session": "s", "turn": n, "occurred_at": 10 * n} for n in range(3)])
    columns.observe([row(3, session="s", turn=3, occurred_at=15)])
    before, after = columns.neighbours()

    assert before.tolist() == [-1, 0, 3, 1]
    assert after.tolist() == [1, 3, -1, 2]

    columns.observe([row(4, session="s", turn=4, occurred_at=30)])
    before, after = columns.neighbours()
    assert before.tolist() == [-1, 0, 3, 1, 2]
    assert after.tolist() == [1, 3, 4, 2, -1]


def test_turns_of_one_moment_are_in_order_of_turn_with_their_parts_together():
    turns = [{"turn": 1}, {"turn": 0, "parts": 2}, {"turn": 0, "parts": 2, "part": 1}]
    columns = columns_of(*[{"session": "s", "occurred_at": 5} | turn for turn in turns])

    assert columns.neighbours()[1].tolist() == [-1, 2, 0]


def test_parts_of_different_texts_are_no_neighbours_even_where_some_are_missing():
    columns = columns_of(
        {"source": "x.md", "parts": 2},
        {"source": "a.md", "parts": 3, "occurred_at": 1},
        {"source": "a.md", "parts": 3, "occurred_at": 1, "part": 2},
        {"source": "a.md", "parts": 2, "occurred_at": 2},
        {"source": "a.md", "parts": 2, "occurred_at": 2, "part": 1},
        {"source": "a.md", "occurred_at": 2},
    )

    assert columns.neighbours()[1].tolist() == [-1, -1, -1, 4, -1, -1]


def test_a_turn_never_hangs_on_one_that_was_just_erased():
    columns = columns_of({"session": "s"}, {"session": "s"})
    columns.set_state(1, "erased", T0)
    columns.observe([row(2, session="s")])
    before, after = columns.neighbours()

    assert before.tolist() == [-1, -1, 0]
    assert after.tolist() == [2, -1, -1]


@pytest.mark.parametrize("numbers_", [[1], [0, 2], [1, 0], [0, 0]])
def test_rows_that_do_not_follow_on_are_refused_without_taking_anything_in(numbers_):
    columns = Columns()
    with pytest.raises(InputError, match="they must follow on from 0"):
        columns.observe([row(number) for number in numbers_])

    assert len(columns) == 0


@pytest.mark.parametrize("number", [-1, 2])
def test_a_change_of_a_row_that_is_not_there_is_refused(number):
    with pytest.raises(UnknownEpisode, match=f"row {number}: there are 2"):
        columns_of({}, {}).set_state(number, "forgotten", 1)


@given(
    st.lists(
        st.lists(
            st.tuples(
                st.sampled_from(["s", "t", None]),
                st.sampled_from(["Ada", "ada", "Tom", None]),
                st.sampled_from(["user", "assistant", None]),
            ),
            max_size=4,
        ),
        max_size=6,
    )
)
def test_rows_are_in_talk_but_where_one_known_voice_speaks_to_nobody(batches):
    columns, said = Columns(), []
    for batch in batches:
        columns.observe(
            [
                row(len(said) + place, session=session, speaker=speaker, role=role)
                for place, (session, speaker, role) in enumerate(batch)
            ]
        )
        said += batch
        voices = {}
        for session, speaker, role in said:
            voices.setdefault(session, set()).add((speaker and speaker.casefold(), role))
        alone = {
            session
            for session, heard in voices.items()
            if len(heard) == 1 and all(speaker and role is None for speaker, role in heard)
        }
        talk = [session is None or session not in alone for session, _, _ in said]

        assert talk == columns.talk(np.arange(len(said))).inside.tolist()


def test_turns_of_a_session_that_are_days_apart_are_no_talk_of_each_other():
    columns, days = Columns(), [0, 0, 3, 9, 9, 9, 20]
    columns.observe(
        [
            row(number, session="diary", role="user", occurred_at=day * MICROS_PER_DAY)
            for number, day in enumerate(days)
        ]
        + [row(len(days), session="other", role="user", occurred_at=0)]
    )
    talk = columns.talk(np.arange(len(days) + 1))

    assert [-1, 0, -1, -1, 3, 4, -1, -1] == talk.before.tolist()
    assert [1, -1, -1, 4, 5, -1, -1, -1] == talk.after.tolist()
    assert [True, True, False, True, True, True, False, True] == talk.inside.tolist()
