"""Bad input: each kind has its error, and changes nothing."""

import inspect
import sys
from datetime import UTC, datetime, timedelta, timezone

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus import Bank, Config, Ingest, Memory, Turn
from hippocampus.bank.filter_arguments import Filters
from hippocampus.errors import (
    BudgetTooSmall,
    HippocampusError,
    InputError,
    InvalidFilter,
    InvalidScope,
    InvalidText,
    InvalidTime,
    TextTooLong,
    UnknownArgument,
    UnknownBank,
    UnknownEpisode,
)
from hippocampus.upkeep import verify


@pytest.fixture
def memory(open_memory):
    """Return a memory that needs no disk: what is refused never gets as far."""
    return open_memory(":memory:")


@pytest.fixture
def untouched(bank):
    """Return a bank that must be the same afterwards."""
    bank.remember("The spare key is under the blue pot.", at="2025-03-02")
    before = bank.journal(), bank.episodes()
    yield bank
    assert before == (bank.journal(), bank.episodes())


# ---------------------------------------------------------------- text


@pytest.mark.parametrize("text", ["", " ", "\n\t \u2003", "\u3000"])
def test_blank_text_is_refused(untouched, text):
    for call in (untouched.remember, untouched.recall, untouched.context):
        with pytest.raises(InvalidText, match="blank"):
            call(text)


@pytest.mark.parametrize(
    "text", ["\ud800", "half of an emoji \ud83d and more", "a" * 9000 + "\udfff"]
)
def test_lone_surrogates_are_refused(untouched, text):
    for call in (untouched.remember, untouched.recall, untouched.context):
        with pytest.raises(InvalidText, match=r"surrogate U\+D"):
            call(text)
    with pytest.raises(InputError, match="surrogate"):
        untouched.remember("fine", speaker=text[-100:])
    with pytest.raises(InputError, match="surrogate"):
        untouched.remember("fine", metadata={"a": text})
    with pytest.raises(InputError):
        untouched.get(text)


@pytest.mark.parametrize("text", [None, b"bytes", 3, ["a"], Turn(text="a")])
def test_text_of_another_type_is_refused(untouched, text):
    for call in (untouched.remember, untouched.recall, untouched.context):
        with pytest.raises(InvalidText, match="must be text"):
            call(text)


@pytest.mark.slow
def test_a_50_megabyte_string_is_refused_whole(untouched):
    text = "fifty megabytes of text\n" * (50 * 2**20 // 24)
    with pytest.raises(TextTooLong, match="16,777,216"):
        untouched.remember(text)
    with pytest.raises(TextTooLong):
        untouched.recall(text)
    with pytest.raises(TextTooLong):
        untouched.remember("fine", metadata={"all": text})
    with pytest.raises(InputError, match="speaker has"):
        untouched.remember("fine", speaker=text)


def test_the_configurable_cap_counts_bytes(open_memory):
    bank = open_memory(config=Config(ingest=Ingest(max_text_bytes=20))).bank("ada")
    assert 20 == len(bank.remember("€" * 6 + "ab").text.encode())
    with pytest.raises(TextTooLong):
        bank.remember("€" * 7)


@pytest.mark.parametrize(
    "text",
    [
        "a\0b\0",
        "\0",
        " leading and trailing \n",
        "tabs\tand\r\nline ends\x85\u2028\u2029",
        "e\u0301 é \u200d \ufeff",
        "👩‍👩‍👧‍👦🏳️‍🌈",
        "שלום עולם مرحبا",
        "今天天气很好",
        "\U0010ffff\U000e0001",
        "'; DROP TABLE episodes; --",
        "<memory>&lt;</memory>",
    ],
)
def test_any_valid_text_comes_back_byte_for_byte(bank, text):
    episode = bank.remember(text, at="2025-03-02", speaker=text.strip("\0 ") or None)

    assert text == bank.get(episode.id).text == bank.recall(text)[0].text


@given(st.text(st.characters(exclude_categories=["Cs"]), min_size=1).filter(str.strip))
def test_any_text_at_all_comes_back(text):
    with Memory(":memory:", embedder="none") as memory:
        bank = memory.bank("ada")
        turn = Turn(text=text, session=text[:50].strip() or "s", metadata={text: [text]})
        parts = bank.remember_many([turn])
        assert text == "".join(bank.get(part.id).text for part in parts)
        assert {text: [text]} == bank.get(parts[0].id).metadata
        assert parts == bank.episodes(session=turn.session)
        assert () == verify(memory).problems


@pytest.mark.slow
@given(
    st.lists(
        st.sampled_from(
            ["word ", "Ein Satz. ", "\n\n", "# Title\n", "今天天气很好。", "x" * 90, "👩‍👧 "]
        ),
        min_size=30,
        max_size=200,
    ).map("".join)
)
def test_a_long_text_is_split_in_parts_that_join_to_it_exactly(text):
    config = Config(ingest=Ingest(chunk_tokens=32, seal_rows=8))
    with Memory(":memory:", embedder="hash", config=config) as memory:
        bank = memory.bank("ada")
        parts = bank.remember_many([Turn(text=text + ".", at="2025-03-02", session="s")])
        found = bank.episodes()

        assert text + "." == "".join(part.text for part in parts)
        assert {e.id for e in parts} == {e.id for e in found}
        assert [(n, len(parts)) for n in range(len(parts))] == [(e.part, e.parts) for e in parts]
        assert {0} == {e.turn for e in parts}
        assert len(parts) == len({e.address for e in parts})
        assert parts == bank.remember_many([Turn(text=text + ".", at="2025-03-02", session="s")])
        assert () == verify(memory).problems


# ---------------------------------------------------------------- time


def test_naive_times_are_read_in_the_configured_zone(open_memory):
    for zone, hours in (("UTC", 0), ("Asia/Kathmandu", 5.75), ("America/New_York", -5)):
        bank = open_memory(":memory:", config=Config(timezone=zone)).bank("ada")
        episode = bank.remember("naive", at=datetime(2025, 1, 10, 12))  # noqa: DTZ001
        expected = datetime(2025, 1, 10, 12, tzinfo=UTC) - timedelta(hours=hours)
        assert expected == episode.occurred_at
        assert expected == bank.remember("text", at="2025-01-10T12:00").occurred_at


@pytest.mark.parametrize("zone", ["UTC", "America/New_York", "Asia/Tokyo", "Pacific/Kiritimati"])
@pytest.mark.parametrize(
    "at",
    [
        datetime(1, 1, 1, tzinfo=UTC),
        datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
        datetime(1969, 12, 31, 23, 59, 59, 1, tzinfo=UTC),
    ],
)
def test_the_first_and_the_last_moment_can_be_read_once_remembered(open_memory, zone, at):
    bank = open_memory(":memory:", config=Config(timezone=zone)).bank("ada")
    episode = bank.remember("The edge of the calendar is here.", at=at)

    assert at == bank.get(episode.id).occurred_at
    assert at == bank.recall("edge of the calendar")[0].episode.occurred_at
    assert "edge" in bank.context("edge of the calendar", recent=1).text
    assert "edge" in str(episode)
    assert [episode] == bank.episodes(since=at)
    assert at == bank.stats().first


@pytest.mark.parametrize(
    ("at", "meant"),
    [
        ("2025-03-05T24:00", "2025-03-06T00:00"), ("20250305T2400Z", "2025-03-06T00:00Z"),
        ("2025-12-31 24:00:00+01:00", "2026-01-01T00:00+01:00"),
        ("2016-12-31T23:59:60Z", "2017-01-01T00:00Z"), ("2025-W10-3", "2025-03-05"),
        ("2016-12-31T23:59:60.5Z", "2017-01-01T00:00:00.5Z"),
        ("2025-W10-3T14:30", "2025-03-05T14:30"),
    ],
)  # fmt: skip
def test_the_end_of_a_day_leap_seconds_and_days_of_weeks_are_times(bank, at, meant):
    said = bank.remember(f"It was {at}.", at=at)
    assert said.occurred_at == bank.remember("It was then.", at=meant).occurred_at


@pytest.mark.parametrize(
    "at",
    [
        "2025-03-05T24:01", "2025-03-05T24:00:01", "9999-12-31T24:00", "2025-03-05T14:30:61",
        "sometime", "yesterday or today", "the boat yesterday", "", "2025-13-01", "2025-02-30",
        1e12, True, "2025-W10", "every Monday",
        datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=5))),
        datetime(9999, 12, 31, 23, 59, tzinfo=timezone(-timedelta(hours=5))),
    ],
)  # fmt: skip
def test_a_time_that_cannot_be_meant_is_refused(untouched, at):
    with pytest.raises(InvalidTime):
        untouched.remember("At no time.", at=at)
    for name in ("since", "until", "as_of"):
        with pytest.raises(InvalidTime):
            untouched.recall("key", **{name: at})
        with pytest.raises(InvalidTime):
            untouched.episodes(**{name: at})
    if at:
        with pytest.raises(InvalidTime):
            untouched.recall("key", now=at)


def test_since_later_than_until_is_refused(untouched):
    with pytest.raises(InvalidFilter, match="later"):
        untouched.episodes(since="2025-03-02", until="2025-03-01")


@pytest.mark.parametrize(
    "now", [datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)]
)
def test_a_question_may_be_asked_at_the_edge_of_time(bank, now):
    bank.remember("The spare key is under the blue pot.", at="2025-03-02")
    for question in ("the key yesterday", "the key next week", "the key two years ago"):
        assert len(bank.recall(question, now=now))
    assert bank.recall("tomorrow", now=now).note.startswith("Nothing is noted for ") or now.year > 1


# ---------------------------------------------------------------- who, where, what else


@pytest.mark.parametrize(
    "name", [None, "", " ", "\t", 3, b"ada", "a\0b", "a\nb", "x" * 201, ["ada"], "\ud800"]
)
def test_a_bank_must_have_a_name(memory, name):
    with pytest.raises(InputError) as caught:
        memory.bank(name)
    assert isinstance(caught.value, InvalidScope | InvalidText)
    assert [] == memory.banks()


def test_a_bank_must_be_there_for_what_only_makes_sense_then(memory, tmp_path):
    bank = memory.bank("nobody")
    for call in (
        lambda: bank.get("a"),
        lambda: bank.forget("a"),
        lambda: bank.forget("a", erase=True),
        lambda: bank.restore("a"),
        lambda: bank.correct("a", "b"),
        lambda: bank.history("a"),
        bank.stats,
        lambda: bank.export(tmp_path / "out.jsonl"),
        lambda: memory.delete_bank("nobody"),
        lambda: memory.rebuild(banks=["nobody"]),
    ):
        with pytest.raises(UnknownBank, match="no bank 'nobody'"):
            call()
    assert [] == memory.banks()
    assert [] == list(tmp_path.glob("out*"))


@pytest.mark.parametrize("id_", ["", None, 3, b"x"])
def test_an_id_that_is_none_is_refused(untouched, id_):
    for call in (untouched.get, untouched.history, lambda i: untouched.correct(i, "b")):
        with pytest.raises(InputError, match="id"):
            call(id_)
    for call in (untouched.forget, untouched.restore):
        with pytest.raises(InputError, match="id"):
            call(id_)
        with pytest.raises(InputError, match="id"):
            call([id_])


def test_an_unknown_id_is_refused_with_the_others_left_as_they_are(untouched):
    known = untouched.episodes()[0].id
    for call in (untouched.get, untouched.history, untouched.forget, untouched.restore):
        with pytest.raises(UnknownEpisode, match="ffff"):
            call("ffff")
    for erase in (False, True):
        with pytest.raises(UnknownEpisode):
            untouched.forget([known, "ffff"], erase=erase)
    assert 0 == untouched.forget([])


@pytest.mark.parametrize("k", [-1, 1.5, "3", None, True])
def test_k_must_be_a_whole_number_from_0(untouched, k):
    for call in (untouched.recall, untouched.context):
        with pytest.raises(InputError, match="k="):
            call("key", k=k)


def test_k_may_be_0_or_beyond_the_size_of_the_bank(bank):
    bank.remember("The spare key is under the blue pot.")

    assert 0 == len(bank.recall("key", k=0))
    assert "" == bank.context("key", k=0).text
    assert 1 == len(bank.recall("key", k=sys.maxsize))


def test_a_budget_smaller_than_the_frame_is_refused(untouched):
    with pytest.raises(BudgetTooSmall, match="needs") as caught:
        untouched.context("key", budget_tokens=10, system="You are a helpful assistant. " * 5)
    assert caught.value.needed_tokens > caught.value.budget_tokens == 10
    with pytest.raises(InputError, match=r"budget_tokens=-1: must be a whole number, 0 or more"):
        untouched.context("key", budget_tokens=-1)
    assert "" == untouched.context("key", budget_tokens=0).text


@pytest.mark.parametrize("budget", ["10", 1.5, None, True])
def test_a_budget_must_be_a_whole_number(untouched, budget):
    with pytest.raises(InputError, match="budget_tokens"):
        untouched.context("key", budget_tokens=budget)


@pytest.mark.parametrize("wrong", [-1, 1.5, "3", True])
def test_limits_must_be_whole_numbers_from_0(untouched, wrong):
    for name in ("limit", "offset"):
        with pytest.raises(InputError, match=name):
            untouched.episodes(**{name: wrong})
    with pytest.raises(InputError, match="recent"):
        untouched.context("key", recent=wrong)


@pytest.mark.parametrize(
    "where",
    [
        {"year": {"$near": 3}}, {"$xor": [{"a": 1}]}, {"$and": []}, {"year": {"$gt": None}},
        {}, [], "year", {3: 4}, {"a": object()}, {"a": {"$in": "abc"}}, {"a": float("nan")},
    ],
)  # fmt: skip
def test_a_condition_that_makes_no_sense_is_refused(untouched, where):
    for call in (untouched.episodes, lambda **f: untouched.recall("key", **f)):
        with pytest.raises(InvalidFilter):
            call(where=where)


@pytest.mark.parametrize("value", [3, b"x", "", " ", [], ["a", 3], {"a": 1}])
@pytest.mark.parametrize("name", ["session", "speaker", "role", "source"])
def test_a_filter_of_the_wrong_kind_is_refused(untouched, name, value):
    with pytest.raises(InvalidFilter, match=name):
        untouched.recall("key", **{name: value})


@pytest.mark.parametrize(
    ("verb", "named", "meant"),
    [
        ("recall", "sesion", "session"), ("context", "sesion", "session"),
        ("episodes", "sesion", "session"), ("recall", "top_k", "k"), ("recall", "topK", "k"),
        ("recall", "n_results", "k"), ("context", "max_tokens", "budget_tokens"),
        ("context", "tokens", "budget_tokens"), ("recall", "threshold", "min_score"),
        ("recall", "filter", "where"), ("episodes", "top_k", "limit"),
        ("episodes", "after", "since"),
        ("remember", "timestamp", "at"), ("remember", "user", "speaker"),
        ("remember_many", "session_id", "session"), ("find", "reverse", "newest"),
    ],
)  # fmt: skip
def test_an_argument_that_is_none_leads_to_the_one_that_is_meant(untouched, verb, named, meant):
    first = [] if verb == "episodes" else [[]] if verb == "remember_many" else ["key"]
    with pytest.raises(UnknownArgument, match=rf"{named}='s': {verb} has .*; give {meant}$") as one:
        getattr(untouched, verb)(*first, **{named: "s"})
    assert isinstance(one.value, TypeError), "as Python has it"
    assert isinstance(one.value, InvalidFilter), "as it was for filters"


def test_an_argument_like_none_is_refused_with_those_there_are(untouched):
    with pytest.raises(UnknownArgument, match=r"frobnicate=1: .*; there are query, k, now, cues,"):
        untouched.recall("key", frobnicate=1)


def test_the_verbs_that_read_explain_every_filter_by_its_name():
    for verb in (Bank.recall, Bank.context, Bank.episodes):
        for name in Filters.__annotations__:
            assert inspect.signature(verb).parameters[name].default is None
            assert f"\n    {name}: " in verb.__doc__


@pytest.mark.parametrize("value", [3, b"x", "", " ", ["a"], "x" * 5000])
@pytest.mark.parametrize("name", ["session", "speaker", "role", "source", "address"])
def test_a_label_of_the_wrong_kind_is_refused(untouched, name, value):
    with pytest.raises(InputError, match=name):
        untouched.remember("A fact.", **{name: value})


def deep(levels):
    return {"a": deep(levels - 1)} if levels else 1


@pytest.mark.parametrize(
    "metadata",
    [
        "text", 3, ["a"], [("a", 1)], {3: 4}, {None: 1}, {"a": {3: 4}}, {"a": [{True: 1}]},
        {"a": b"x"}, {"a": {1, 2}}, {"a": object()}, {"a": datetime(2025, 1, 1, tzinfo=UTC)},
        {"a": float("nan")}, {"a": float("inf")}, {"a": 10**5000}, {"a": 1j},
    ],
)  # fmt: skip
def test_metadata_that_json_cannot_hold_is_refused(untouched, metadata):
    with pytest.raises(InputError, match="metadata"):
        untouched.remember("A fact.", metadata=metadata)


def test_metadata_that_refers_to_itself_or_is_too_deep_is_refused(untouched):
    loop = {}
    loop["self"] = loop
    for metadata in (loop, deep(70), deep(900)):
        with pytest.raises(InputError, match="metadata"):
            untouched.remember("A fact.", metadata=metadata)


def test_metadata_comes_back_as_it_was(bank):
    metadata = {"a": [1, 2.5, None, True, {"b": "ü\0"}], "n": 10**40, "": "", "deep": deep(60)}
    episode = bank.remember("A fact.", metadata=metadata)

    assert metadata == bank.get(episode.id).metadata
    assert [episode] == bank.episodes(where={"n": 10**40})
    assert [episode] == bank.episodes(where={"a": {"$contains": 2.5}})


class Named(str):
    """A text of a kind of its own, as libraries have, that shows itself as something else."""

    __slots__ = ()

    def __str__(self):
        return repr(self)


@pytest.mark.parametrize("kind", [Named, np.str_])
def test_a_name_of_a_kind_of_its_own_is_kept_and_found_as_the_text_it_is(memory, kind):
    bank = memory.bank(kind("lena"))
    labels = ("speaker", "role", "session", "source", "address")
    kept = bank.remember("The boat is blue.", **{name: kind(f"a {name}") for name in labels})
    bank.set_profile(persona=kind("I mend boats."))
    bank.curate(add=[kind("boat")])

    assert ["lena"] == memory.banks()
    assert [kept] == memory.bank("lena").episodes(speaker=kind("a speaker"))
    assert [f"a {name}" for name in labels] == [getattr(kept, name) for name in labels]
    assert {"I mend boats."} == {bank.profile().persona}
    assert () == verify(memory).problems


@pytest.mark.parametrize("turns", [["text"], [None], "abc", [[("text", "a")]]])
def test_what_is_not_a_turn_is_refused(untouched, turns):
    with pytest.raises(InputError, match="Turn"):
        untouched.remember_many(turns)


def test_the_refusal_of_a_whole_call_names_its_one_bad_turn(untouched):
    turns = [Turn(text=f"fact {n}") for n in range(700)] + [Turn(text=" ")]
    with pytest.raises(InvalidText) as caught:
        untouched.remember_many(turns)
    assert "turn 700" in "".join(caught.value.__notes__)


@pytest.mark.parametrize("cues", [[], ["meaning"], "vector", ["vector", "x"]])
def test_unknown_cues_are_refused(untouched, cues):
    with pytest.raises(InputError, match="cues"):
        untouched.recall("key", cues=cues)
    with pytest.raises(InputError, match="cues"):
        Memory(":memory:", cues=cues, embedder="none")


@pytest.mark.parametrize("zone", ["Mars/Olympus", "", "../etc/passwd", "UTC\0"])
def test_an_unknown_time_zone_is_refused(path, zone):
    with pytest.raises(InputError, match="timezone"):
        Memory(path, embedder="none", config=Config(timezone=zone))
    assert not path.exists()


@pytest.mark.slow
def test_a_hundred_thousand_turns_in_one_call(open_memory):
    memory = open_memory()
    bank = memory.bank("ada")
    seen = []
    kept = bank.remember_many(
        (
            Turn(
                text=f"Turn {n} is about number {n * 7919 % 100_003}.",
                session=f"s{n // 500}",
                at="2025-03-02",
            )
            for n in range(100_000)
        ),
        progress=lambda done, total: seen.append((done, total)),
    )

    assert 100_000 == len({episode.id for episode in kept}) == bank.stats().episodes
    assert [499] * 200 == [max(e.turn for e in kept[n : n + 500]) for n in range(0, 100_000, 500)]
    assert (0, 100_000) == seen[0]
    assert (100_000, 100_000) == seen[-1]
    assert any("number 39595." in hit.text for hit in bank.recall("number 39595"))
    assert () == verify(memory).problems


# ---------------------------------------------------------------- arguments of another kind

LONG = "a" * 5000


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda bank: bank.context("boat", persona=5), "persona=5: must be text"),
        (lambda bank: bank.context("boat", projects=["a"]), "projects=.*: must be text"),
        (lambda bank: bank.context("boat", summary=0), "summary=0: must be text"),
        (lambda bank: bank.context("boat", system=[]), r"system=\[\]: must be text"),
        (lambda bank: bank.context("boat", user=None), "user=None: must be text"),
        (lambda bank: bank.context("boat", without=5), "without=5: give the texts"),
        (lambda bank: bank.context("boat", without=[None]), "without=.*give the texts"),
        (lambda bank: bank.recall("boat", cues=5), "cues=5: give the cues"),
        (lambda bank: bank.explain("boat", cues=[[]]), "cues=.*give the cues"),
        (lambda bank: bank.explain("boat", ids=5), "ids=5: give the ids"),
        (lambda bank: bank.recall("boat", include=5), "bank=5: a bank's name"),
        (lambda bank: bank.facts(include=[[]]), r"bank=\[\]: a bank's name"),
        (lambda bank: bank.include(5), "bank=5: a bank's name"),
        (lambda bank: bank.forget(source=5), "source=5: give the sources"),
        (lambda bank: bank.restore(source=5), "source=5: give the sources"),
        (lambda bank: bank.forget([[]]), "id=.*give the ids"),
        (lambda bank: bank.curate(add=5), "add=5: give a collection"),
        (lambda bank: bank.remember_many(5), "turns=5: give a list"),
        (lambda bank: bank.remember_many(None), "turns=None: give a list"),
        (lambda bank: bank.remember_many({"text": "a"}), "turns=.*: give a list"),
        (lambda bank: bank.expand(5), "address=5: must be text"),
        (lambda bank: bank.sleep_if_due(None), "schedule=None: must be a Schedule"),
        (lambda bank: bank.withdraw(None), "source=None: must be text"),
        (lambda bank: bank.journal(after=None), "after=None: must be a whole number"),
        (lambda bank: bank.episodes(limit=1, offset=None), "offset=None: must be a whole number"),
        (lambda bank: bank.find("boat", offset=None), "offset=None: must be a whole number"),
        (lambda bank: bank.forget("x", erase="no"), "erase='no': must be True or"),
        (lambda bank: bank.forget(source="a", erase=None), "erase=None: must be True or"),
        (lambda bank: bank.compact(superseded="no"), "superseded='no': must be True or"),
        (lambda bank: bank.compact(faded=1), "faded=1: must be True or"),
        (lambda bank: bank.compact(dry_run="yes"), "dry_run='yes': must be True or"),
        (lambda bank: bank.sleep(dry_run=0), "dry_run=0: must be True or"),
        (lambda bank: bank.set_policy("adaptive:" + "9" * 5000), "policy 'adaptive:9+…'"),
        (lambda bank: bank.import_(LONG), "cannot be read"),
        (lambda bank: bank.import_(None), "path=None: must be the path"),
        (lambda bank: bank.import_(""), "path='': is no path"),
        (lambda bank: bank.export(""), "path='': is no path"),
        (lambda bank: bank.import_concepts(LONG), "cannot be read"),
        (lambda bank: bank.import_concepts("."), "cannot be read"),
        (lambda bank: bank.export("\0"), "no file can be called so"),
        (lambda bank: bank.export("\ud800"), "no file can be called so"),
        (lambda bank: bank.recall("boat", session="\ud800"), "session=.*lone surrogate"),
    ],
)
def test_an_argument_of_another_kind_is_refused_by_its_name(untouched, call, told):
    with pytest.raises(InputError, match=told):
        call(untouched)


@pytest.mark.parametrize(
    ("call", "told"),
    [
        (lambda memory: memory.calibrate(conversations="8"), "conversations='8': must be"),
        (lambda memory: memory.calibrate(conversations=8.5), "conversations=8.5: must be"),
        (lambda memory: memory.calibrate(conversations=True), "conversations=True: must be"),
        (lambda memory: memory.rebuild(banks="ada"), "banks='ada': give the names of banks"),
        (lambda memory: memory.rebuild(banks=[5]), r"banks=\[5\]: give the names of banks"),
        (lambda memory: memory.rebuild(banks=5), "banks=5: give the names of banks"),
    ],
)
def test_an_argument_of_a_memory_of_another_kind_is_refused_too(open_memory, call, told):
    memory = open_memory()
    for name in ("ada", "a", "d"):
        memory.bank(name).remember("The boat is blue.")
    with pytest.raises(InputError, match=told):
        call(memory)


@pytest.mark.parametrize("where", [None, 5, b"a.db", "\0", "\ud800.db", ["a.db", 5], "a" * 300])
def test_a_store_must_be_called_as_a_file_can_be(where, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(HippocampusError, match=r"must be the path|no file can be called|too long"):
        Memory(where, embedder="none")
    assert list(tmp_path.iterdir()) == []


def test_a_bank_is_included_as_it_is_or_by_its_name(memory, open_memory):
    bank, team = memory.bank("ada"), memory.bank("team")
    team.remember("The boat leaves at nine.")

    for include in (team, [team], "team"):
        assert [hit.bank for hit in bank.recall("When does the boat leave?", include=include)]
    assert [one.bank for one in bank.include(team)] == ["team"]
    with pytest.raises(InputError, match="of another store"):
        bank.recall("boat", include=open_memory("other.db").bank("team"))


def test_names_of_banks_are_listed_by_texts(memory):
    for wrong in ({"prefix": None}, {"prefix": 5}, {"after": None}):
        with pytest.raises(InputError, match="must be text"):
            memory.banks(**wrong)
