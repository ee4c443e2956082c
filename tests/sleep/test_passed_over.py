"""What a step of sleep has passed over is gone over by the next sleep to which it is shown."""

import json
import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hippocampus import Memory, Policy, Turn
from hippocampus.core.clock import ManualClock
from hippocampus.core.config import Compact, Config
from hippocampus.encode.embed import HashEmbedder
from hippocampus.index.topic import pack
from hippocampus.sleep.artifacts import (
    ANCHORS,
    FACTS,
    GISTS,
    SUMMARY,
    TOPICS,
)
from hippocampus.sleep.concepts import PRUNED_AFTER
from hippocampus.sleep.schedule import NIGHTLY, STEPS
from hippocampus.sleep.summary import TAKEN_IN

START = datetime(2025, 1, 1, 8, tzinfo=UTC)
THINGS = ("ferry", "violin", "roof")
NEAR = Policy(merge="near", near=0.9)
ODD = {"start": "2025-02-02", "end": "2025-02-01"}
"""Metadata of what is put in quarantine by whichever sleep sees it first."""
ACTING = ("validate", "reconsolidate", "deduplicate", "forget")
WAYS = ("time is up", "it is released")


class ByTopic:
    """An embedder for which a text means the one of our topics that it names."""

    def __init__(self):
        self._inner = HashEmbedder(64)
        self.fingerprint = self._inner.fingerprint

    def embed(self, passages):
        return [self.embed_query(passage.text) for passage in passages]

    def embed_query(self, text):
        return self._inner.embed_query(next((t for t in THINGS if t in text.lower()), text))


@pytest.fixture
def clock():
    return ManualClock(START)


@pytest.fixture
def memory(tmp_path, clock):
    with Memory(tmp_path / "memory.db", embedder=ByTopic(), clock=clock) as memory:
        yield memory


def say(bank, clock, text, *, odd=False, **more):
    clock.advance(timedelta(hours=2))
    return bank.remember(text, speaker="Ada", role="user", metadata=ODD if odd else None, **more).id


def told_twice(memory, clock):
    """Return a bank that was told the same twice and slept: what came second is in quarantine."""
    bank = memory.bank("ada")
    bank.set_policy(NEAR)
    say(bank, clock, "the ferry is slow")
    say(bank, clock, "our ferry is slow as ever", odd=True)
    assert bank.sleep()["deduplicate"].counts == {}
    return bank


def end_doubt(bank, clock, way):
    """Have what is in quarantine leave it."""
    if way == "it is released":
        bank.release([e.id for e, _ in bank.quarantine()])
    clock.advance(timedelta(minutes=16))


def active(bank):
    return {e.id for e in bank.episodes()}


def did(slept):
    return [act for step in slept.steps for act in step.acts if act.kind != "clear"]


# ---------------------------------------------------------------- quarantine


@pytest.mark.parametrize("way", WAYS)
def test_what_left_quarantine_is_merged_with_what_says_the_same(memory, clock, way):
    bank = told_twice(memory, clock)
    end_doubt(bank, clock, way)
    told = bank.sleep(dry_run=True)

    slept = bank.sleep()
    assert slept["deduplicate"].counts == {"merged": 1}
    assert did(slept) == did(told)
    assert did(bank.sleep()) == [], "once is enough"


@pytest.mark.parametrize("way", WAYS)
def test_two_that_left_quarantine_together_are_merged(memory, clock, way):
    bank = memory.bank("ada")
    bank.set_policy(NEAR)
    for text in ("the ferry is slow", "our ferry is slow as ever"):
        say(bank, clock, text, odd=True)
    bank.sleep()
    end_doubt(bank, clock, way)
    assert bank.sleep()["deduplicate"].counts == {"merged": 1}


@pytest.mark.parametrize("doubted", ["what is corrected", "the correction"])
@pytest.mark.parametrize("way", WAYS)
def test_a_correction_is_noted_once_both_sides_have_left_quarantine(memory, clock, way, doubted):
    bank = memory.bank("ada")
    old = say(bank, clock, "the ferry leaves at nine", odd=doubted == "what is corrected")
    bank.recall("when does the ferry leave?")
    clock.advance(timedelta(minutes=-119))
    new = say(bank, clock, "no, the ferry leaves at ten", odd=doubted == "the correction")
    assert bank.sleep()["reconsolidate"].counts == {}
    end_doubt(bank, clock, way)

    assert bank.sleep()["reconsolidate"].counts == {"corrected": 1}
    assert [(r.episode.id, r.how) for r in bank.related(old)][:1] == [(new, "corrected")]
    assert did(bank.sleep()) == []


def test_what_a_sleep_cleared_without_going_over_it_is_gone_over_by_the_next(memory, clock):
    bank = told_twice(memory, clock)
    clock.advance(timedelta(minutes=16))
    assert bank.sleep(steps=["validate"])["validate"].counts == {"cleared": 1}
    assert bank.sleep(steps=["deduplicate"])["deduplicate"].counts == {"merged": 1}


def test_what_is_released_while_a_bank_sleeps_is_gone_over_by_the_next_sleep(memory, clock):
    bank = told_twice(memory, clock)

    def release(done, _):
        if done == len(STEPS) - 1:
            bank.release([e.id for e, _ in bank.quarantine()])

    assert did(bank.sleep(progress=release)) == []
    assert bank.sleep()["deduplicate"].counts == {"merged": 1}


# ---------------------------------------------------------------- other ways to be shown again


def forgotten(bank, id_):
    bank.forget(id_)
    return lambda: bank.restore(id_)


def held(bank, id_):
    bank.hold(id_, reason="case 12")
    return lambda: bank.release(id_)


def pinned(bank, id_):
    bank.pin(id_)
    return lambda: bank.unpin(id_)


@pytest.mark.parametrize("how", [forgotten, held, pinned])
def test_what_was_hidden_or_kept_is_merged_once_it_is_as_everything_else(memory, clock, how):
    bank = memory.bank("ada")
    bank.set_policy(NEAR)
    less = say(bank, clock, "the ferry is slow")
    say(bank, clock, "our ferry is slow as ever, and so are its crew")
    back = how(bank, less)
    assert bank.sleep()["deduplicate"].counts == {}
    back()
    assert [d.episode for d in bank.sleep()["deduplicate"].acts] == [less]
    assert did(bank.sleep()) == []


def test_what_had_lapsed_is_merged_with_what_was_said_meanwhile(memory, clock):
    bank = memory.bank("ada")
    bank.set_policy(replace(NEAR, deepest=5, warm_days=1.0, long_days=30.0, promote=0.0, cap=1.0))
    old = say(bank, clock, "the ferry is slow")
    clock.advance(timedelta(days=60))
    assert bank.sleep()["forget"].counts == {"lapsed": 1}
    say(bank, clock, "our ferry is slow as ever")
    bank.sleep()
    bank.undo(1)
    assert bank.get(old).state == "active"
    assert bank.sleep()["deduplicate"].counts == {"merged": 1}


def test_what_slept_without_an_embedder_is_compared_by_meaning_once_there_is_one(clock, tmp_path):
    with Memory(tmp_path / "m.db", embedder="none", clock=clock) as memory:
        bank = memory.bank("ada")
        bank.set_policy(NEAR)
        old = say(bank, clock, "the ferry leaves at nine")
        bank.recall("when does the ferry leave?")
        clock.advance(timedelta(minutes=-119))
        new = say(bank, clock, "no, the ferry leaves at ten")
        for text in ("the roof is old", "our roof is old as ever"):
            say(bank, clock, text)
        assert did(bank.sleep()) == []
        memory.rebuild(embedder=ByTopic())
    with Memory(tmp_path / "m.db", embedder=ByTopic(), clock=clock) as memory:
        bank = memory.bank("ada")
        slept = bank.sleep()
        assert slept["deduplicate"].counts == {"merged": 1}
        assert slept["reconsolidate"].counts == {"corrected": 1}
        assert [(r.episode.id, r.how) for r in bank.related(old)][:1] == [(new, "corrected")]
        assert did(bank.sleep()) == []


# ---------------------------------------------------------------- what somebody took back


@pytest.mark.parametrize(
    "policy", [Policy(), NEAR, Policy(merge="near", near=0.9, doubt_minutes=0)]
)
def test_what_an_undo_told_apart_is_merged_only_with_what_is_newer(memory, clock, policy):
    bank = memory.bank("ada")
    bank.set_policy(policy)
    for _ in range(3):
        say(bank, clock, "the ferry is slow", at=clock.now())
    assert bank.sleep()["deduplicate"].counts == {"merged": 2}
    bank.undo(1)
    assert did(bank.sleep()) == []
    assert len(active(bank)) == 3

    say(bank, clock, "the ferry is slow", at=clock.now())
    assert bank.sleep()["deduplicate"].counts == {"merged": 3}


def test_what_an_undo_told_apart_stays_so_whatever_is_hidden_in_between(memory, clock):
    bank = memory.bank("ada")
    bank.set_policy(NEAR)
    for text in ("the ferry is slow", "our ferry is slow as ever"):
        say(bank, clock, text)
    (act,) = bank.sleep()["deduplicate"].acts
    bank.undo(1)
    for id_ in (act.episode, act.by):
        bank.forget(id_)
        bank.sleep()
        bank.restore(id_)
        assert did(bank.sleep()) == []


def test_what_an_undo_told_apart_is_not_merged_again_after_leaving_quarantine(memory, clock):
    bank = told_twice(memory, clock)
    clock.advance(timedelta(minutes=16))
    assert bank.sleep()["deduplicate"].counts == {"merged": 1}
    assert bank.undo(2) == {"merge": 1, "clear": 1}
    clock.advance(timedelta(minutes=16))
    assert bank.sleep()["validate"].counts == {"cleared": 1}
    assert len(active(bank)) == 2


def test_an_alias_that_was_restored_alone_is_not_merged_again(memory, clock):
    bank = memory.bank("ada")
    bank.set_policy(NEAR)
    for text in ("the ferry is slow", "our ferry is slow as ever"):
        say(bank, clock, text)
    (act,) = bank.sleep()["deduplicate"].acts
    bank.forget(act.by)
    bank.restore(act.episode)
    bank.restore(act.by)
    assert did(bank.sleep()) == []
    assert active(bank) == {act.episode, act.by}


# ---------------------------------------------------------------- what is made of a bank

SAID = (
    "I live in Porto.",
    "We painted the old boat in the harbour.",
    "My sister Eva works at the harbour.",
    "We painted the old boat with blue paint.",
    "I decided to sell the house.",
    "The old boat was painted again, said Eva.",
    "I live in Lisbon now.",
    "Eva plays the violin in the old house.",
)
SMALL = Config(policy=Policy(promote=1.0, prune=0.0), compact=Compact(every=4))


def made_of(memory):
    """Return what the last sleep has made of the bank, but for when it was made."""
    ledger = memory.engine.ledger("ada")
    anchors = ANCHORS.read(ledger)
    ends = anchors.ends.tolist()
    return {
        "summary": SUMMARY.read(ledger),
        "facts": FACTS.read(ledger),
        "topics": pack(TOPICS.read(ledger)),
        "gists": {(trace.rows, trace.text) for trace in GISTS.read(ledger).traces},
    }, {
        name: frozenset(anchors.rows[first:end].tolist())
        for name, first, end in zip(anchors.names, ends[:-1], ends[1:], strict=True)
    }


def lived(odd, slept, way, *, doubted):
    """Return what is made of a bank in the end, of which some went through quarantine or not."""
    clock = ManualClock(START)
    with Memory(":memory:", embedder="hash", clock=clock, config=SMALL) as memory:
        bank = memory.bank("ada")
        for number in range(16):
            text = f"{SAID[number % 8]} That was part {number // 8}."
            say(bank, clock, text, odd=number in odd, session=f"s{number // 4}")
            if not doubted:
                bank.sleep(steps=["validate"])
                bank.release([e.id for e, _ in bank.quarantine()])
            if number in slept:
                bank.sleep()
        bank.sleep()
        assert doubted or not bank.quarantine()
        end_doubt(bank, clock, way)
        bank.sleep()
        made, _ = made_of(memory)
        for _ in range(PRUNED_AFTER):  # an anchor lives on for so long after it has lost its worth
            bank.sleep()
        return made, made_of(memory)[1]


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
def test_what_is_made_of_a_bank_is_once_quarantine_is_over_as_if_there_were_none(way):
    odd, slept = {1, 6, 14, 15}, {6}
    assert lived(odd, slept, way, doubted=True) == lived(odd, slept, way, doubted=False)


@pytest.mark.slow
@given(
    odd=st.sets(st.integers(0, 15), min_size=1, max_size=6),
    slept=st.sets(st.integers(0, 15), max_size=3),
    way=st.sampled_from(WAYS),
)
@settings(max_examples=40)
def test_whatever_is_put_in_quarantine_is_in_the_end_as_if_it_had_not_been(odd, slept, way):
    assert lived(odd, slept, way, doubted=True) == lived(odd, slept, way, doubted=False)


def test_what_left_quarantine_is_shown_to_the_model_that_words_the_summary(clock):
    shown = []

    def model(prompt):
        if "running summary" not in prompt:
            return json.dumps({"tags": ["boat"]})
        shown.append(prompt)
        return json.dumps({"summary": f"Summary {len(shown)}."})

    with Memory(":memory:", embedder="hash", clock=clock, config=SMALL, model=model) as memory:
        bank = memory.bank("ada")
        for number in range(8):
            say(bank, clock, SAID[number], odd=number == 4)
        bank.sleep()
        assert not any("sell the house" in prompt for prompt in shown)
        first = len(shown)
        bank.sleep()
        assert len(shown) == first
        clock.advance(timedelta(minutes=16))
        bank.sleep()
        assert any("sell the house" in prompt for prompt in shown[first:])
        assert not any("old boat in the harbour" in prompt for prompt in shown[first:])


@pytest.mark.slow
@pytest.mark.parametrize("worded", [False, True])
def test_a_context_is_summed_up_with_what_was_made_beside_what_is_in_quarantine(clock, worded):
    def model(prompt):
        told = {"summary": "They paint boats."} if "running summary" in prompt else {"tags": ["a"]}
        return json.dumps(told)

    config = replace(SMALL, compact=Compact(every=10))
    given = {"model": model} if worded else {}
    with Memory(":memory:", embedder="hash", clock=clock, config=config, **given) as memory:
        bank = memory.bank("ada")
        bank.remember_many(
            Turn(
                text="I decided to sell the boat." if number == 4 else f"It was fine {number}.",
                speaker="Ada",
                at=START - timedelta(days=1),
                metadata=ODD if number in (5, 6) else {},
            )
            for number in range(TAKEN_IN + 40)
        )
        bank.sleep()
        assert len(bank.quarantine()) == 2
        told = "They paint boats" if worded else "sell the boat"
        assert told in bank.context("how are things?").text
        bank.forget(next(e.id for e in bank.episodes() if "sell the boat" in e.text))
        assert told not in bank.context("how are things?").text


def test_what_is_in_quarantine_is_known_as_a_fact_before_and_after(memory, clock):
    bank = memory.bank("ada")
    said = say(bank, clock, "I live in Porto.", odd=True)
    for _ in range(3):
        bank.sleep(steps=["validate", "facts"])
        assert [fact.sources for fact in bank.facts("Ada")] == [(said,)]
        clock.advance(timedelta(minutes=16))


# ---------------------------------------------------------------- in the end

DO = ("say",) * 3 + ("doubt", "sleep", "release", "wait", "hide", "show", "pin", "unpin", "hold")


@pytest.mark.slow
@given(
    st.lists(st.tuples(st.sampled_from(DO), st.integers(0, 99)), min_size=4, max_size=24),
    st.sampled_from(["exact", "near"]),
)
def test_whatever_happens_no_two_say_the_same_after_the_last_sleep(steps, merge):
    clock = ManualClock(START)
    ids, held, hidden = [], set(), set()
    with Memory(":memory:", embedder=ByTopic(), clock=clock) as memory:
        bank = memory.bank("ada")
        bank.set_policy(Policy(merge=merge, near=0.9))
        for do, number in [*steps, ("show", 0), ("wait", 0), ("sleep", 0)]:
            named = ids[number % len(ids)] if ids else None
            if do in ("say", "doubt"):
                clock.advance(timedelta(minutes=6))
                text = f"the {THINGS[number % 3]} is fine"
                one = bank.remember(text, at=clock.now(), metadata=ODD if do == "doubt" else None)
                ids.append(one.id)
            elif do == "sleep":
                told = bank.sleep(steps=ACTING, dry_run=True)
                assert did(bank.sleep(steps=ACTING)) == did(told)
            elif do == "wait":
                clock.advance(timedelta(minutes=16))
            elif do == "release":
                bank.release([e.id for e, _ in bank.quarantine()])
            elif do == "show":
                bank.restore(sorted(hidden))
                hidden.clear()
            elif named is not None and bank.get(named).state == "active":
                if do == "hide" and not bank.get(named).held:
                    bank.forget(named)
                    hidden.add(named)
                elif do == "pin":
                    bank.pin(named)
                elif do == "unpin":
                    bank.unpin(named)
                elif do == "hold":
                    bank.hold(named, reason="case 12") if named not in held else bank.release(named)
                    held ^= {named}
        clock.advance(timedelta(minutes=16))
        bank.sleep(steps=ACTING)

        assert not bank.quarantine()
        free = [e for e in bank.episodes() if not e.pinned and not e.held]
        kinds = [
            (e.text, merge == "exact" and (e.occurred_at.date(), str(e.metadata))) for e in free
        ]
        assert len(kinds) == len(set(kinds))
        assert did(bank.sleep(steps=ACTING, dry_run=True)) == []


# ---------------------------------------------------------------- when, and from earlier versions


def test_what_is_released_is_a_reason_to_sleep_by_day_as_well_as_at_night(memory, clock):
    bank = memory.bank("ada")
    say(bank, clock, "the ferry is slow")
    say(bank, clock, "our violin is old", odd=True)
    by_day = [name for name in STEPS if name not in NIGHTLY]

    def slept_on():
        return [[step.name for step in slept.steps] for slept in memory.sleep_if_due()]

    assert slept_on() == [list(STEPS)]
    bank.release([e.id for e, _ in bank.quarantine()])
    clock.advance(timedelta(minutes=31))
    assert slept_on() == [by_day]
    assert slept_on() == []
    clock.advance(timedelta(days=1))
    assert slept_on() == [list(STEPS)]
    assert slept_on() == []
    clock.advance(timedelta(days=2))
    assert slept_on() == []


def test_quarantine_that_was_over_by_day_has_everything_made_anew_at_night(memory, clock):
    bank = memory.bank("ada")
    say(bank, clock, "the ferry is slow")
    say(bank, clock, "our violin is old", odd=True)
    assert len(memory.sleep_if_due()) == 1
    clock.advance(timedelta(minutes=46))
    (slept,) = memory.sleep_if_due()
    assert slept["validate"].counts == {"cleared": 1}
    clock.advance(timedelta(days=1))
    (slept,) = memory.sleep_if_due()
    assert [step.name for step in slept.steps] == list(STEPS)
    clock.advance(timedelta(days=1))
    assert memory.sleep_if_due() == []


def test_what_an_earlier_version_passed_over_is_gone_over_once(memory, clock, tmp_path):
    bank = told_twice(memory, clock)
    clock.advance(timedelta(minutes=16))
    bank.sleep(steps=["validate"])  # as such a version did it: the later steps saw nothing new
    bank.export(tmp_path / "new.jsonl")
    text = (tmp_path / "new.jsonl").read_text()
    old, said = re.subn(r'"over":\[[^]]*\],', "", text)
    old, done = re.subn('"steps":{"validate"', '"steps":{"deduplicate":{},"validate"', old)
    assert (said, done) == (2, 1)
    (tmp_path / "old.jsonl").write_text(old)
    again = memory.bank("again")
    again.import_(tmp_path / "old.jsonl")
    again.set_policy(NEAR)

    assert again.sleep()["deduplicate"].counts == {"merged": 1}
    assert did(again.sleep()) == []
