"""Records and errors as JSON and back: what comes out is what went in."""

from dataclasses import fields, is_dataclass
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus import errors, wire
from hippocampus.core import records
from hippocampus.core.config import Policy
from hippocampus.core.records import Embedded, Payloads, Turn
from hippocampus.errors import HippocampusError, InputError

RECORDS = [
    kind
    for kind in vars(records).values()
    if isinstance(kind, type) and is_dataclass(kind) and kind not in (Embedded, Payloads, Turn)
]
"""Every record that travels; the two hold arrays, a turn may hold a moment."""


FIRST, LAST = datetime(1, 1, 2), datetime(9999, 12, 30)  # noqa: DTZ001 - the zone comes beside


def examples(kind):
    """Values of a record's fields as their annotations have them."""
    schema = msgspec.inspect.type_info(kind)
    return _of(schema)


def _of(info):  # noqa: PLR0911 - one for each kind of type
    by_type = {
        msgspec.inspect.StrType: st.text(st.characters(codec="utf-8"), max_size=5),
        msgspec.inspect.IntType: st.integers(-(2**62), 2**62),
        msgspec.inspect.FloatType: st.floats(allow_nan=False, allow_infinity=False),
        msgspec.inspect.BoolType: st.booleans(),
        msgspec.inspect.NoneType: st.none(),
        msgspec.inspect.BytesType: st.binary(max_size=5),
        msgspec.inspect.DateTimeType: st.datetimes(FIRST, LAST, timezones=st.just(UTC)),
        msgspec.inspect.AnyType: st.none() | st.integers() | st.text(max_size=3),
    }
    if type(info) in by_type:
        return by_type[type(info)]
    match info:
        case msgspec.inspect.LiteralType():
            return st.sampled_from(info.values)
        case msgspec.inspect.UnionType():
            return st.one_of(*map(_of, info.types))
        case msgspec.inspect.VarTupleType():
            return st.lists(_of(info.item_type), max_size=2).map(tuple)
        case msgspec.inspect.TupleType():
            return st.tuples(*map(_of, info.item_types))
        case msgspec.inspect.DictType():
            return st.dictionaries(_of(info.key_type), _of(info.value_type), max_size=2)
        case msgspec.inspect.DataclassType():
            return st.builds(info.cls, **{f.name: _of(f.type) for f in info.fields})
        case msgspec.inspect.NamedTupleType():
            return st.builds(info.cls, **{f.name: _of(f.type) for f in info.fields})
    raise AssertionError(info)


@pytest.mark.slow
@pytest.mark.parametrize("kind", RECORDS, ids=lambda kind: kind.__name__)
def test_a_record_comes_back_as_it_was(kind):
    @given(examples(kind))
    def back(record):
        assert record == wire.load(kind, wire.dump(record))
        assert record == wire.convert(kind, wire.as_json(record))

    back()


@given(
    st.builds(
        Turn,
        text=st.text(st.characters(codec="utf-8"), max_size=9),
        at=st.none() | st.just("2024-01-07T10:00:00+00:00"),
        speaker=st.none() | st.text(st.characters(codec="utf-8"), max_size=3),
        metadata=st.dictionaries(
            st.text(max_size=2), st.integers() | st.text(max_size=2), max_size=2
        ),
    )
)
def test_a_turn_comes_back_with_its_moment_as_text(turn):
    assert turn == wire.load(Turn, wire.dump(turn))


def test_a_moment_that_is_sent_as_text_stays_the_same_moment():
    at = datetime(2024, 1, 7, 10, tzinfo=UTC)

    assert "2024-01-07T10:00:00Z" == wire.load(Turn, wire.dump(Turn(text="x", at=at))).at


@pytest.mark.parametrize("turn", [b"{}", b"[]", b'{"text": 1}', b'{"text": "x", "tetx": "y"}', b""])
def test_what_is_no_turn_is_refused(turn):
    with pytest.raises(InputError):
        wire.load(Turn, turn)


def test_a_later_versions_record_is_read_for_what_is_known_of_it():
    assert wire.load(records.Period, b'{"start": "2024-01-01T00:00:00Z", "count": 1, "mood": "?"}')


def test_an_earlier_versions_record_is_read_by_the_names_of_today():
    found = wire.load(
        list[records.Recall],
        b'[{"query":"q","found":true,"confidence":0.5,"cost":{"elapsed_s":1,"balls":{"scan":2}},'
        b'"hits":[{"episode":{"id":"e","bank":"b","text":"t","occurred_at":"2025-03-02T00:00:00Z",'
        b'"recorded_at":"2025-03-02T00:00:00Z","metadata":{"until":1}},"score":0.5,"shares":{},'
        b'"about":0.25,"until":"2025-03-02T00:00:00Z"}]}]',
    )[0]

    assert {"scan": 2} == found.cost.hamming_searches
    assert (0.25, datetime(2025, 3, 2, tzinfo=UTC)) == (found[0].activation, found[0].valid_to)
    assert {"until": 1} == found[0].episode.metadata
    assert wire.convert(Policy, {"settle": True}).evict_probationary


def test_a_record_that_checks_itself_does_so_here():
    with pytest.raises(InputError, match=r"\$\.near"):
        wire.load(Policy, b'{"near": 7}')


SPEECHLESS = (
    errors.BudgetTooSmall, errors.StoreTooNew, errors.EmbedderMismatch, errors.SignatureMismatch,
)  # fmt: skip
"""Errors that word themselves."""
ERRORS = [
    kind
    for kind in vars(errors).values()
    if isinstance(kind, type) and issubclass(kind, HippocampusError)
]


@pytest.mark.parametrize("kind", ERRORS, ids=lambda kind: kind.__name__)
def test_every_error_comes_back_as_the_class_it_was_with_its_message(kind):
    given = {
        "BudgetTooSmall": {"budget_tokens": 1, "needed_tokens": 2},
        "StoreTooNew": {"path": "/secret/x.db", "found": 9, "supported": 1},
        "EmbedderMismatch": {"stored": "a", "configured": "b"},
        "SignatureMismatch": {"stored": "a", "configured": "b"},
        "MissingExtra": {"package": "p", "extra": "e"},
        "ModelRefused": {"status": 401},
    }.get(kind.__name__, {})
    if issubclass(kind, errors.ServerError):
        given = {"url": "http://127.0.0.1:1", "begun": False}
    if issubclass(kind, errors.Overloaded):
        given = {"retry_after_s": 2.5}
    if issubclass(kind, errors.StoreError | errors.SourceError | errors.OutputError) and not given:
        given = {"path": "/secret/x.db"}
    raised = kind(**given) if kind in SPEECHLESS else kind("what it was", **given)
    raised.add_note("in turn 3")
    sent = wire.dump_fault(wire.as_fault(raised, "r1"))
    back = wire.as_error(wire.load_fault(sent))

    assert type(raised) is type(back)
    assert b"/secret" not in sent
    assert str(raised).removeprefix("/secret/x.db: ") in str(back)
    assert "in turn 3" in str(back)
    for name, value in given.items():
        assert name == "path" or value == getattr(back, name)


@pytest.mark.parametrize("name", ["Exception", "DISTRIBUTION", "annotations", "Path", "Nonsense"])
def test_an_error_that_is_not_known_is_one_all_the_same(name):
    made = wire.as_error(wire.Fault(type=name, message="it broke"))

    assert type(made) is HippocampusError
    assert str(made) == "it broke"


@pytest.mark.parametrize(
    "data", [b"", b"{}", b"[]", b'{"error": 1}', b"<html>", b'{"detail": "x"}']
)
def test_an_answer_that_tells_of_no_error_is_none(data):
    assert wire.load_fault(data) is None


def test_every_record_is_among_those_tested():
    assert {"Episode", "Recall", "Context", "Slept", "Stats"} <= {kind.__name__ for kind in RECORDS}
    assert all(fields(kind) for kind in RECORDS)


def test_what_has_no_json_is_refused_by_its_kind_except_numbers_of_numpy():
    assert wire.dump({"a": np.float32(0.5), "b": np.int64(3), "c": Path("x/y")}) == (
        b'{"a":0.5,"b":3,"c":"x/y"}'
    )
    with pytest.raises(TypeError, match="complex has no JSON"):
        wire.dump({"a": 1j})
