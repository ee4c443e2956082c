"""Sleep by steps: what it does is shown first, noted with why, and can be taken back."""

import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import asdict, fields, replace
from datetime import UTC, datetime, timedelta
from shutil import copyfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus import Memory, Policy, Turn
from hippocampus.cli.sleep import sleep_those_due
from hippocampus.core.clock import ManualClock, to_micros
from hippocampus.core.config import POLICIES, Config, Ingest
from hippocampus.core.events import PolicySet
from hippocampus.errors import (
    InputError,
    StoreCorrupt,
    StoreLocked,
    UnknownBank,
    UnknownEpisode,
)
from hippocampus.sleep import appraisal, sleeper
from hippocampus.sleep.artifacts import gather
from hippocampus.sleep.merge import merge
from hippocampus.sleep.schedule import NIGHTLY, STEPS, Past, Schedule, due
from hippocampus.sleep.snapshot import read_snapshot, read_uses
from hippocampus.upkeep import verify

START = datetime(2025, 1, 1, 8, tzinfo=UTC)
SUBJECTS = ("the greenhouse", "a violin", "Lisbon", "the roof", "our boat", "a tax form")
SHORT = Config(ingest=Ingest(chunk_tokens=40))
ACTING = ("validate", "reconsolidate", "deduplicate", "forget")


@pytest.fixture
def clock():
    return ManualClock(START)


@pytest.fixture
def memory(tmp_path, clock):
    with Memory(tmp_path / "memory.db", embedder="hash", clock=clock) as memory:
        yield memory


def said(number):
    return f"Remark {number}: we talked for quite a while about {SUBJECTS[number % 6]} that day."


def filled(memory, clock, count=40):
    bank = memory.bank("ada")
    for number in range(count):
        clock.advance(timedelta(hours=5))
        bank.remember(said(number), speaker="Ada", role="user", session=f"s{number // 8}")
    return bank


def state(bank):
    return [(e.id, e.state, e.level, e.pinned, e.held) for e in bank.episodes()]


def acts(slept):
    return [act for step in slept.steps for act in step.acts]


NAMES = [f"{name}:200" if name in ("adaptive", "useful", "proven") else name for name in POLICIES]

# ---------------------------------------------------------------- dry run, undo, again


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_undo_takes_back_exactly_those_acts_of_sleep_that_a_dry_run_foretold(memory, clock, name):
    bank = filled(memory, clock)
    bank.remember(said(3), speaker="Ada", role="user", session="s1", at=clock.now())
    clock.advance(timedelta(seconds=30))
    bank.remember(said(3), speaker="Ada", role="user", session="s1", at=clock.now())
    bank.set_policy(name)
    clock.advance(timedelta(days=300))
    before, journal = state(bank), len(bank.journal())
    told = bank.sleep(dry_run=True)

    assert state(bank) == before
    assert len(bank.journal()) == journal
    assert told.number == 0

    slept = bank.sleep()
    assert acts(slept) == acts(told)
    assert slept.number == 1
    assert verify(memory).sound

    undone = bank.undo(1)
    assert state(bank) == before
    assert sum(undone.values()) == len(acts(slept))
    assert not sum(bank.undo(1).values()), "there is nothing left of it"
    assert verify(memory).sound


def test_policies_differ_in_what_they_do(memory, clock):
    bank = filled(memory, clock)
    clock.advance(timedelta(days=300))
    did = {}
    for name in ("keep", "human", "adaptive:200", "aggressive"):
        bank.set_policy(name)
        did[name] = Counter(act.kind for act in acts(bank.sleep(dry_run=True)))

    assert not did["keep"]
    assert set(did["human"]) == {"fade"}
    assert did["adaptive:200"]["fade"] > 20
    assert did["aggressive"]["merge"] > 20


@pytest.mark.slow
def test_sleeping_again_finds_nothing_to_do(memory, clock):
    bank = filled(memory, clock)
    bank.set_policy("aggressive")
    clock.advance(timedelta(days=300))
    assert acts(bank.sleep())
    assert not acts(bank.sleep())


@pytest.mark.slow
def test_the_sleeps_of_a_bank_are_listed_with_what_they_did(memory, clock):
    bank = filled(memory, clock)
    bank.sleep(steps=["validate"])
    clock.advance(timedelta(days=1))
    bank.sleep()
    past = bank.sleeps()

    assert [one.number for one in past] == [1, 2]
    assert past[1].at == clock.now()
    assert [step.name for step in past[0].steps] == ["validate"]
    assert [step.name for step in past[1].steps] == list(STEPS)
    assert past[1]["phrases"].counts == {"episodes": 40}


@pytest.mark.parametrize(
    "wrong", [[], ["dream"], "validate", ["validate", "dream"], iter(["validate"]), 7]
)
def test_steps_that_there_are_not_are_refused(memory, wrong):
    memory.bank("ada").remember("hello there")
    with pytest.raises(InputError, match="steps="):
        memory.bank("ada").sleep(steps=wrong)


@pytest.mark.parametrize("wrong", [0, -1, 2, True, "1", 1.0])
def test_only_a_sleep_that_was_can_be_undone(memory, wrong):
    bank = memory.bank("ada")
    bank.remember("hello there")
    bank.sleep()
    with pytest.raises(InputError, match="from 1 to 1"):
        bank.undo(wrong)
    with pytest.raises(UnknownEpisode):
        bank.pin("nobody")


@pytest.mark.slow
def test_undoing_leaves_what_somebody_has_changed_since(memory, clock):
    bank = filled(memory, clock)
    bank.set_policy("adaptive:20")
    clock.advance(timedelta(days=300))
    lapsed = [d.episode for d in acts(bank.sleep()) if d.kind == "lapse"]
    bank.restore(lapsed[0])
    bank.forget(lapsed[0])
    bank.restore(lapsed[1])
    bank.correct(lapsed[1], "It was otherwise.")
    bank.forget(lapsed[2], erase=True)
    bank.undo(1)

    assert bank.get(lapsed[1]).state == "superseded"
    with pytest.raises(UnknownEpisode):
        bank.get(lapsed[2])
    assert bank.get(lapsed[3]).state == "active"
    assert verify(memory).sound


# ---------------------------------------------------------------- merging


def test_the_same_words_on_one_day_keep_their_address_once_merged_into_the_last(memory):
    bank = memory.bank("ada")
    first = bank.remember("The boat leaves at nine.", speaker="Ada", session="a", at=START)
    again = bank.remember(
        "the boat  leaves at nine.", speaker="Ada", session="a", at=START + timedelta(hours=1)
    )
    apart = bank.remember(
        "The boat leaves at nine.", speaker="Ada", session="c", at=START + timedelta(hours=2)
    )
    other = bank.remember(
        "The boat leaves at nine.", speaker="Tom", session="b", at=START + timedelta(hours=1)
    )
    bank.sleep()

    assert bank.get(first.id).state == "superseded"
    assert bank.get(first.id).superseded_by == again.id
    assert {e.id for e in bank.episodes()} == {again.id, other.id, apart.id}
    assert [e.id for e in bank.expand(first.address)] == [again.id]
    assert [(r.episode.id, r.how) for r in bank.related(again.id)][:1] == [(first.id, "alias")]
    assert [(r.episode.id, r.how) for r in bank.related(first.id)][:1] == [(again.id, "canonical")]


def test_erasing_what_stands_for_others_erases_them_unless_told_apart_again(memory):
    bank = memory.bank("ada")
    one = bank.remember("The code is 1234 5678.", speaker="Ada", session="a", at=START)
    two = bank.remember(
        "The code is 1234 5678.", speaker="Ada", session="a", at=START + timedelta(hours=1)
    )
    bank.sleep()
    bank.undo(1)
    bank.forget(two.id, erase=True)
    assert bank.get(one.id).text == "The code is 1234 5678."

    three = bank.remember(
        "The code is 1234 5678.", speaker="Ada", session="a", at=START + timedelta(hours=2)
    )
    bank.sleep()
    bank.forget(three.id, erase=True)
    assert verify(memory, residue="1234 5678").sound


DETAILS = [
    ("I paid 40 euros for the lamp.", "I paid 45 euros for the lamp."),
    ("Ana will bring the cake.", "Rui will bring the cake."),
    ("We meet on Monday at the pier.", "We meet on Tuesday at the pier."),
    ("I like the new flat.", "I don't like the new flat."),
    ("It is 5 degrees outside.", "It is -5 degrees outside."),
    ("I locked the door.", "I unlocked the door."),
    ("We meet in the evening at the pier.", "We meet in the morning at the pier."),
    ("The code of the shed is aB3.", "The code of the shed is Ab3."),
]


class Alike:
    """An embedder for which all texts mean the same."""

    def __init__(self, inner):
        self._inner = inner
        self.fingerprint = inner.fingerprint

    def embed(self, passages):
        return [self.embed_query("the same") for _ in passages]

    def embed_query(self, _):
        return self._inner.embed_query("the same")


@pytest.mark.parametrize("pair", DETAILS)
def test_details_that_differ_are_never_merged_away_however_near_two_are(tmp_path, pair):
    from hippocampus.encode.embed import HashEmbedder

    with Memory(tmp_path / "m.db", embedder=Alike(HashEmbedder(64))) as memory:
        bank = memory.bank("ada")
        bank.set_policy("dedup")
        for n, text in enumerate((*pair, f"{pair[0]} I say")):
            bank.remember(text, speaker="Ada", session=f"s{n}", at=START + n * timedelta(days=3))
        bank.sleep()
        left = [e.text for e in bank.episodes()]

    assert pair[1] in left
    assert len(left) == 2, "what differs in no detail is merged"


@pytest.mark.parametrize("policy", ["keep", "dedup"])
def test_the_same_words_are_not_the_same_where_their_spelling_tells(memory, clock, policy):
    bank = memory.bank("ada")
    bank.set_policy(policy)
    texts = ["The code is aB3.", "The code is Ab3.", "the code is aB3.", "Ask US.", "Ask us."]
    for n, text in enumerate(texts):
        bank.remember(text, speaker="Ada", session="s", at=START + n * timedelta(minutes=30))
    clock.advance(timedelta(hours=9))
    bank.sleep()

    assert sorted(texts[1:]) == sorted(e.text for e in bank.episodes())


def test_what_has_outlived_its_last_tier_lapses_unless_something_holds_it(memory, clock):
    bank = filled(memory, clock)
    old = [e.id for e in bank.episodes()]
    bank.pin(old[0])
    for policy in (Policy(deepest=4, long_days=100, cap=1.0), Policy(deepest=5, cap=1.0)):
        bank.set_policy(policy)
        assert "lapsed" not in bank.sleep(steps=["forget"])["forget"].counts
    bank.set_policy(Policy(deepest=5, long_days=100, promote=0.2, cap=1.0))
    clock.advance(timedelta(days=90))
    assert "lapsed" not in bank.sleep(steps=["forget"])["forget"].counts
    bank.feedback(old[1], helpful=True)
    clock.advance(timedelta(days=20))
    step = bank.sleep(steps=["forget"])["forget"]
    left = {e.id for e in bank.episodes()}

    assert {old[0], old[1]} <= left
    assert 0.2 * 40 <= len(left) <= 0.2 * 40 + 2
    assert all("its time in the long-term tier" in d.why for d in step.acts if d.kind == "lapse")
    assert 40 - len(left) == step.counts["lapsed"]


def test_the_same_day_is_that_of_the_memorys_time_zone(tmp_path):
    def left(zone, *hours):
        name = f"{zone.partition('/')[2] or zone}{hours}.db"
        with Memory(tmp_path / name, embedder="hash", config=Config(timezone=zone)) as memory:
            bank = memory.bank("ada")
            for hour in hours:
                bank.remember("The boat leaves at nine.", at=START + timedelta(hours=hour))
            bank.sleep(steps=["deduplicate"])
            return len(bank.episodes())

    # 22:00 and 2:00 in UTC, which in Tokyo is 7:00 and 11:00 of one day; then 12:00 and 16:00,
    # which there is 21:00 and 1:00 of the next.
    assert [2, 1] == [left(zone, 14, 18) for zone in ("UTC", "Asia/Tokyo")]
    assert [1, 2] == [left(zone, 4, 8) for zone in ("UTC", "Asia/Tokyo")]


@pytest.mark.parametrize(
    ("start", "end", "wrong"),
    [
        ("2025-03-05T10:00+02:00", "2025-03-05T09:30Z", False),
        ("2025-03-05T09:30Z", "2025-03-05T10:00+02:00", True),
        ("2025-03-05T10:00", "2025-03-05", False),
        ("2025-03-05", "2025-03-04", True),
        ("2025-03-05", "2025-03-05T00:00", False),
        ("20250305", "2025-03-04", True),
        ("the harbour", "a bar", False),
        ("9", "10", False),
        (9, 5, False),
    ],
)
def test_what_ends_before_it_starts_is_doubted_if_both_are_times(memory, start, end, wrong):
    bank = memory.bank("ada")
    bank.remember("The crossing.", metadata={"start": start, "end": end})

    assert wrong == bool(bank.sleep(steps=["validate"])["validate"].counts)


@pytest.fixture
def merging(tmp_path):
    """Return a way to say texts, three days apart, and have sleep merge them all into the last."""
    from hippocampus.encode.embed import HashEmbedder

    with Memory(tmp_path / "alike.db", embedder=Alike(HashEmbedder(64))) as memory:

        def merged(*texts, how="near"):
            bank = memory.bank("ada")
            bank.set_policy(Policy(merge=how))
            said = [
                bank.remember(
                    text, speaker="Ada", session=f"s{n}", at=START + n * timedelta(days=3)
                )
                for n, text in enumerate(texts)
            ]
            bank.sleep(steps=["deduplicate"])
            assert [said[-1]] == bank.episodes()
            return bank, *(one.id for one in said)

        yield merged


def states(bank, *ids):
    there = {change.episode: change.kind for change in bank.journal()}
    return ["erased" if there[one] == "erase" else bank.get(one).state for one in ids]


def test_erasing_what_was_merged_erases_its_words_wherever_they_are_and_no_others(merging):
    bank, other, same, stands = merging("Red is the boat.", "the boat  is red.", "The boat is red.")
    bank.forget(other, erase=True)
    assert ["erased", "superseded", "active"] == states(bank, other, same, stands)

    bank.forget(same, erase=True)
    assert ["erased", "erased"] == states(bank, same, stands)


def test_erasing_one_copy_erases_the_other_but_not_what_stands_for_both(merging):
    bank, one, two, stands = merging("The boat is red.", "the boat  is red.", "Red is the boat.")
    bank.forget(one, erase=True)

    assert ["erased", "erased", "active"] == states(bank, one, two, stands)


def test_erasing_what_stands_for_others_frees_those_whose_details_are_others(merging):
    bank, one, two, stands = merging(
        "The boat cost 45 euros.",
        "It cost 40 euros, the boat.",
        "The boat cost 40 euros.",
        how="cluster",
    )
    bank.forget(stands, erase=True)

    assert ["active", "erased", "erased"] == states(bank, one, two, stands)
    assert "The boat cost 45 euros." == bank.recall("boat")[0].text


def test_where_there_is_no_embedder_a_sleep_says_what_it_could_not_tell(tmp_path, clock):
    with Memory(tmp_path / "m.db", embedder="none", clock=clock) as memory:
        bank = memory.bank("ada")
        bank.remember(said(0), speaker="Ada", at=START)
        slept = bank.sleep()
        assert slept["deduplicate"].skipped == "there was nothing to do"
        assert "no embedder" in slept["reconsolidate"].skipped
        assert not slept.notes

        bank.set_policy("dedup")
        assert "no embedder" in bank.sleep()["deduplicate"].skipped
        clock.advance(timedelta(days=1))
        bank.remember(said(0), speaker="Ada", at=clock.now())
        slept = bank.sleep()
        assert slept["deduplicate"].counts == {"merged": 1}
        assert "only the same words are merged" in " ".join(slept.notes)


def test_a_dry_run_tells_of_views_what_a_sleep_would_make_or_why_it_would_not(tmp_path, clock):
    with Memory(tmp_path / "m.db", embedder="none", clock=clock) as memory:
        bank = memory.bank("ada")
        bank.remember(said(0), speaker="Ada", at=START)
        dry, slept = bank.sleep(dry_run=True), bank.sleep()

        for name in ("vectors", "gists", "concepts", "partitions"):
            assert dry[name].skipped == slept[name].skipped, name
            assert "no embedder" in dry[name].skipped
        assert "what is not read yet would be read; it changes no episode" == dry["phrases"].skipped
        assert "would be made anew; it changes no episode" == dry["facts"].skipped
    with Memory(tmp_path / "other.db", embedder="hash", clock=clock) as memory:
        bank = memory.bank("ada")
        bank.remember(said(0), speaker="Ada", at=START)
        dry = bank.sleep(dry_run=True)

        assert "what has no vector would get one; it changes no episode" == dry["vectors"].skipped
        assert "would be made anew; it changes no episode" == dry["gists"].skipped
        assert dry["partitions"].skipped == bank.sleep()["partitions"].skipped


def test_what_is_pinned_or_held_is_not_merged(memory):
    bank = memory.bank("ada")
    kept = [
        bank.remember("The boat leaves at nine.", speaker="Ada", at=START + n * timedelta(hours=1))
        for n in range(3)
    ]
    bank.pin(kept[0].id)
    bank.hold(kept[1].id, reason="a case")
    bank.sleep()
    assert [e.state for e in map(bank.get, [k.id for k in kept])] == ["active"] * 3


def test_copies_are_forgotten_or_restored_along_with_what_stands_for_them(memory):
    bank = memory.bank("ada")
    one, two = (
        bank.remember("The code is 1234 5678.", speaker="Ada", at=START + timedelta(hours=n))
        for n in range(2)
    )
    bank.sleep()
    bank.forget(two.id)
    bank.undo(1)
    assert bank.episodes() == []

    bank.restore(two.id)
    assert [e.id for e in bank.expand(one.address)] == [two.id]
    bank.forget(two.id)
    bank.compact()
    assert verify(memory, residue="1234 5678").sound


# ---------------------------------------------------------------- fading


@pytest.mark.slow
@given(
    data=st.data(),
    policy=st.sampled_from([POLICIES["human"], POLICIES["hema"], Policy.named("adaptive:100")]),
)
def test_a_sleep_fades_at_most_its_cap_of_memories_neither_pinned_nor_held(data, policy):
    clock = ManualClock(START)
    with Memory(":memory:", embedder="none", clock=clock) as memory:
        bank = filled(memory, clock, 12)
        policy = replace(policy, cap=data.draw(st.sampled_from([0.0, 0.25, 1.0])))
        bank.set_policy(policy)
        ids = [e.id for e in bank.episodes()]
        pinned = data.draw(st.sets(st.sampled_from(ids), max_size=4))
        held = data.draw(st.sets(st.sampled_from(ids), max_size=4))
        bank.pin(pinned)
        bank.hold(held, reason="a case")
        clock.advance(timedelta(days=data.draw(st.integers(0, 2000))))
        faded = [d for d in acts(bank.sleep()) if d.kind in ("fade", "lapse")]

        assert len(faded) <= policy.cap * len(ids)
        assert not (pinned | held) & {d.episode for d in faded}
        assert all(bank.get(id_).level == 0 for id_ in pinned | held)


@pytest.mark.slow
def test_the_least_valuable_fade_level_by_level_until_the_token_target_is_met(memory, clock):
    bank = filled(memory, clock)
    helped = bank.episodes()[0]
    bank.feedback(helped.id, helpful=True)
    bank.set_policy("adaptive:200")
    clock.advance(timedelta(days=10))
    bank.sleep()
    levels = {e.id: e.level for e in bank.episodes()}

    assert len(levels) == 40
    assert max(levels.values()) - min(levels.values()) == 1
    assert levels[helped.id] == min(levels.values()), "what helped fades last"

    bank.set_policy("adaptive:20")
    bank.sleep()
    left = bank.episodes()
    assert 0 < len(left) < 40, "the least valuable lapse when all others are as short as can be"
    assert helped.id in {e.id for e in left}


@pytest.mark.slow
def test_what_is_hot_never_fades(memory, clock):
    bank = filled(memory, clock)
    clock.advance(timedelta(days=100))
    fresh = bank.remember("A word of just now, and not of much worth.", speaker="Ada")
    bank.set_policy("adaptive:1")
    bank.sleep()
    assert [e.id for e in bank.episodes()] == [fresh.id]


@pytest.mark.slow
def test_hema_lets_half_a_percent_lapse_every_hundred_turns(memory, clock):
    bank = memory.bank("ada")
    bank.remember_many(
        [
            Turn(text=f"turn {n} of our talk", at=START + n * timedelta(minutes=1))
            for n in range(1000)
        ]
    )
    clock.set(START + timedelta(days=2))
    bank.set_policy("hema")
    gone = [d.episode for d in acts(bank.sleep()) if d.kind == "lapse"]

    assert len(gone) == int(1000 * (1 - 0.995**10))
    assert {bank.get(id_).text for id_ in gone} == {
        f"turn {n} of our talk" for n in range(len(gone))
    }
    assert not acts(bank.sleep())


@pytest.mark.slow
def test_under_hemas_policy_nothing_fades_by_age(memory, clock):
    bank = filled(memory, clock)
    bank.set_policy("hema")
    for _ in range(3):
        clock.advance(timedelta(days=300))
        assert not acts(bank.sleep())


@pytest.mark.slow
def test_a_faded_memory_shown_shorter_is_kept_whole_until_compact(memory, clock):
    bank = memory.bank("ada")
    text = (
        "Well, you know, on Monday we finally sold the old boat to Rui for 4500 euros, and the"
        " sails went with it. The trailer stays with us for now, because nobody has asked for it."
    )
    kept = bank.remember(text, speaker="Ada", at=START)
    bank.remember(said(0), speaker="Ada")
    bank.set_policy(replace(POLICIES["aggressive"], merge="off"))
    clock.advance(timedelta(days=80))
    bank.sleep()
    (hit,) = (hit for hit in bank.recall("old boat Rui") if hit.id == kept.id)

    assert hit.episode.level == 2
    assert 0 < hit.tokens < 0.7 * bank.stats().episodes * 40
    assert len(hit.text) < len(text)
    assert hit.text in bank.context("old boat Rui", 500, k=5, summary="").text
    assert bank.get(kept.id).text == text
    assert bank.compact(faded=True, dry_run=True).faded == 2

    assert bank.compact(faded=True).faded == 2
    (now,) = bank.expand(kept.address)
    assert (now.text, now.level) == (hit.text, 2)
    gone = max(set(text.split()) - set(hit.text.split()), key=len)
    assert verify(memory, residue=gone).sound
    assert bank.compact(faded=True).faded == 0
    (again,) = (h for h in bank.recall("old boat Rui") if h.id == now.id)
    assert again.text == hit.text, "it is not shortened twice"
    clock.advance(timedelta(days=2000))
    bank.sleep()
    assert bank.get(now.id).level == 4
    assert len(next(h for h in bank.recall("old boat Rui") if h.id == now.id).text) < len(hit.text)


@pytest.mark.slow
def test_what_was_recalled_lately_outlasts_what_was_not(memory, clock):
    bank = memory.bank("ada")
    bank.set_policy("hema")
    kept = []
    for n in range(200):
        clock.advance(timedelta(minutes=1))
        kept.append(bank.remember(f"Note {n} of the watch.", speaker="Ada").id)
        if n == 150:
            bank.recall("note 0 of the watch", k=1, until=START + timedelta(seconds=90))
    clock.advance(timedelta(hours=9))
    gone = [d.episode for d in acts(bank.sleep(steps=["forget"]))]

    assert gone == [kept[1]], "half a percent of 200, and not the one that was asked for"
    assert not acts(bank.sleep(steps=["forget"])), "no hundred turns have passed since"


# ---------------------------------------------------------------- quarantine


def test_a_memory_that_came_twice_late_or_too_early_is_kept_apart_for_a_while(memory, clock):
    bank = memory.bank("ada")
    bank.remember("Shall we sail on Sunday?", role="user", session="s", at=START)
    early = bank.remember(
        "Yes, let us.", role="assistant", session="s", at=START - timedelta(minutes=1)
    )
    twice = [
        bank.remember("The mail was sent.", role="tool", at=START + n * timedelta(seconds=20))
        for n in range(2)
    ]
    bank.remember("Much later.", session="t", at=START + timedelta(hours=9))
    clock.advance(timedelta(minutes=1))
    late = bank.remember("Said hours before.", session="t", at=START)
    odd = bank.remember("A stay.", metadata={"start": "2025-02-02", "end": "2025-02-01"})
    bank.sleep(steps=["validate"])
    found = {e.id: why for e, why in bank.quarantine()}

    assert set(found) == {early.id, twice[1].id, late.id, odd.id}
    assert "before that was said" in found[early.id]
    assert all(bank.get(id_).state == "active" for id_ in found), "they are recalled as ever"

    bank.release(late.id)
    assert late.id not in {e.id for e, _ in bank.quarantine()}
    clock.advance(timedelta(minutes=16))
    bank.sleep(steps=["validate"])
    assert bank.quarantine() == []
    bank.sleep(steps=["validate"])
    assert bank.quarantine() == [], "once is enough"


# ---------------------------------------------------------------- pins, holds, feedback


def test_what_is_held_can_be_neither_forgotten_corrected_nor_erased_until_released(memory):
    bank = memory.bank("ada")
    kept = bank.remember("The contract was signed in May.")
    assert bank.hold(kept.id, reason="case 12") == 1
    assert bank.hold(kept.id, reason="case 13") == 0
    for act in (
        lambda: bank.forget(kept.id),
        lambda: bank.forget(kept.id, erase=True),
        lambda: bank.correct(kept.id, "It was not."),
    ):
        with pytest.raises(InputError, match="held"):
            act()
    assert bank.get(kept.id).held
    with pytest.raises(InputError, match="reason"):
        bank.hold(kept.id, reason=" ")
    assert bank.release(kept.id) == 1
    assert bank.forget(kept.id) == 1


def test_a_hidden_memory_that_is_held_stays_until_it_is_released(memory, clock):
    bank = memory.bank("ada")
    forgotten = bank.remember("The contract was signed in May.").id
    bank.forget(forgotten)
    merged = bank.remember("The ferry was late again.", at=START).id
    clock.advance(timedelta(hours=1))
    stands = bank.remember("the ferry was late again.", at=clock.now()).id
    bank.sleep()
    gone = bank.remember("The lunch was cold.").id
    bank.forget(gone)
    assert bank.get(merged).superseded_by == stands

    assert bank.hold([forgotten, merged], reason="case 12") == 2
    assert bank.hold([forgotten, merged], reason="case 12") == 0
    assert bank.compact(superseded=True, dry_run=True).forgotten == 1
    assert bank.compact(superseded=True).forgotten == 1
    assert bank.get(forgotten).text == "The contract was signed in May."
    assert bank.get(merged).text == "The ferry was late again."
    for act in (
        lambda: bank.restore(forgotten),
        lambda: bank.forget(stands),
        lambda: bank.forget(stands, erase=True),
    ):
        with pytest.raises(InputError, match="held"):
            act()
    assert bank.get(stands).state == "active"
    with pytest.raises(UnknownEpisode):
        bank.hold(gone, reason="case 12")

    assert bank.release([forgotten, merged]) == 2
    assert bank.compact(superseded=True).superseded == 1
    with pytest.raises(UnknownEpisode):
        bank.get(forgotten)
    assert verify(memory).sound


def test_undoing_a_sleep_leaves_what_is_held_as_it_is(memory, clock):
    bank = memory.bank("ada")
    pairs = []
    for what in ("ferry", "kettle"):
        pairs.append(bank.remember(f"The {what} was late again.", at=clock.now()).id)
        clock.advance(timedelta(minutes=20))
        bank.remember(f"the {what} was late again.", at=clock.now())
    bank.sleep(steps=["deduplicate"])
    assert [bank.get(one).state for one in pairs] == ["superseded"] * 2
    bank.hold(pairs[0], reason="case 12")

    assert bank.undo(1) == {"merge": 1}
    assert [bank.get(one).state for one in pairs] == ["superseded", "active"]
    bank.release(pairs[0])
    assert bank.undo(1) == {"merge": 1}
    assert [bank.get(one).state for one in pairs] == ["active"] * 2


def test_feedback_moves_a_memory_up_or_down_among_equals(memory):
    bank = memory.bank("ada")
    filled(memory, ManualClock(START))
    ids = [
        bank.remember(f"The boat was painted {colour}.", at=START, session=colour).id
        for colour in ("red", "blue", "grey")
    ]

    def place(id_):
        return [hit.id for hit in bank.recall("how was the boat painted?")].index(id_)

    last = max(ids, key=place)
    before = place(last)
    bank.feedback(last, helpful=True)
    helped = place(last)
    for _ in range(4):
        bank.feedback(last, helpful=False)
    assert helped < before <= place(last)
    with pytest.raises(InputError, match="helpful"):
        bank.feedback(last, helpful="yes")


def test_what_a_person_says_of_a_memory_soon_after_its_recall_is_noted_with_it(tmp_path, clock):
    from hippocampus.encode.embed import HashEmbedder

    with Memory(tmp_path / "m.db", embedder=Alike(HashEmbedder(64)), clock=clock) as memory:
        bank = memory.bank("ada")
        old = bank.remember("I live in Porto.", speaker="Ada", role="user")
        clock.advance(timedelta(days=9))
        bank.recall("where does Ada live?")
        clock.advance(timedelta(minutes=59))
        new = bank.remember("No, I live in Lisbon now.", speaker="Ada", role="user")
        clock.advance(timedelta(minutes=2))
        bank.remember("I actually like trams in Lisbon.", speaker="Ada", role="user")

        def outranks(one, other):
            scores = {hit.id: hit.score for hit in bank.recall("live in", cues=["lexical"])}
            return scores[one.id] - scores[other.id]

        before = outranks(new, old)
        bank.sleep()

        assert [(r.episode.id, r.how) for r in bank.related(old.id)][:1] == [(new.id, "corrected")]
        assert bank.get(old.id).state == "active"
        assert outranks(new, old) > before
        bank.undo(1)
        assert "corrected" not in {r.how for r in bank.related(old.id)}


# ---------------------------------------------------------------- policies


def test_a_banks_own_policy_comes_back_as_it_was_given(tmp_path):
    own = Policy(deepest=3, near=0.8, token_target=10)
    with Memory(tmp_path / "m.db", embedder="none", config=Config(policy=POLICIES["human"])) as m:
        assert m.bank("ada").policy == POLICIES["human"]
        m.bank("ada").set_policy(own)
        m.bank("tom").set_policy("adaptive:25000")
    with Memory(tmp_path / "m.db", embedder="none") as m:
        assert m.bank("ada").policy == own
        assert m.bank("tom").policy.token_target == 25000
        m.bank("ada").set_policy(None)
        assert m.bank("ada").policy == Policy()
        for wrong in (
            "forgetful",
            "adaptive",
            "useful",
            "adaptive:",
            "adaptive:many",
            "keep:300",
            "dedup:300",
            7,
        ):
            with pytest.raises(InputError, match="policy"):
                m.bank("ada").set_policy(wrong)


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        (field.name, wrong)
        for field in fields(Policy)
        for wrong in ("much", -3, float("nan"), True, 10**30)
        if not (wrong is True and isinstance(field.default, bool))
    ],
)
def test_a_policy_out_of_range_is_refused_by_name(name, wrong):
    with pytest.raises(InputError, match=f"Policy.{name}"):
        Policy(**{name: wrong})
    with pytest.raises(InputError, match="together"):
        Policy(promote=0.7, prune=0.7)
    assert Policy(**asdict(Policy())) == Policy()


# ---------------------------------------------------------------- when


def at(hour, day=2):
    return datetime(2025, 1, day, hour, tzinfo=UTC)


def test_a_changed_bank_sleeps_every_six_hours_at_night_or_when_idle():
    schedule = Schedule()

    def steps(past, now):
        return due(schedule, past, now, UTC)

    light = tuple(name for name in STEPS if name not in NIGHTLY)
    assert steps(Past(None, None, None), at(12)) == ()
    assert steps(Past(at(11), at(12), at(12)), at(23)) == (), "nothing has changed since"
    busy = Past(at(11), at(10), at(10))
    assert steps(busy, at(11) + timedelta(minutes=10)) == ()
    assert steps(busy, at(11) + timedelta(minutes=30)) == light, "nobody is there"
    assert steps(Past(at(15), at(10), at(10)), at(15)) == ()
    assert steps(Past(at(16), at(10), at(10)), at(16)) == light, "six hours are over"
    assert steps(Past(at(3), at(2), at(2)), at(3)) == STEPS, "it is night"
    assert steps(Past(at(9, 1), at(10), at(10)), at(8, 1)) == (), "a clock set back"
    rested = Past(at(22, 1), at(23, 1), at(4, 1))
    assert steps(rested, at(2)) == ()
    assert steps(rested, at(3)) == STEPS, "what was said by day is made anew at night"
    assert steps(rested._replace(slept=at(3), remade=at(3)), at(9)) == (), "and once"


def slept_on(memory):
    return [[step.name for step in slept.steps] for slept in memory.sleep_if_due()]


def test_what_is_written_while_a_clock_is_set_back_is_slept_on_in_its_time(memory, clock):
    bank = memory.bank("ada")
    bank.remember(said(0), speaker="Ada")
    assert len(slept_on(memory)) == 1
    bank.remember(said(1), speaker="Ada")
    clock.advance(timedelta(hours=1))
    assert len(slept_on(memory)) == 1
    assert slept_on(memory) == []
    clock.advance(timedelta(days=-9))
    bank.remember(said(2), speaker="Ada")
    assert slept_on(memory) == []
    clock.advance(timedelta(days=10))
    assert len(slept_on(memory)) == 1
    assert slept_on(memory) == []


def test_a_sleep_of_some_steps_does_not_put_off_the_others(memory, clock):
    bank = memory.bank("ada")
    bank.remember(said(0), speaker="Ada")
    bank.sleep()
    clock.advance(timedelta(minutes=1))
    bank.remember(said(1), speaker="Ada")
    clock.advance(timedelta(hours=1))
    bank.sleep(steps=["summary"])
    assert slept_on(memory) == [[name for name in STEPS if name not in NIGHTLY]]
    assert slept_on(memory) == []


@pytest.mark.slow
def test_what_a_sleep_did_itself_is_no_reason_to_sleep_again_however_much_it_was(tmp_path):
    class Running:
        """A clock that goes on whenever it is asked, as the machine's does."""

        passed = timedelta(0)

        def now(self):
            self.passed += timedelta(milliseconds=1)
            return START + self.passed

    clock = Running()
    with Memory(tmp_path / "m.db", embedder="none", clock=clock) as memory:
        bank = memory.bank("ada")
        times = [START + timedelta(seconds=number) for number in range(700)]
        bank.remember_many([Turn(text="I water the plants.", at=at) for at in times])
        bank.set_policy(Policy(doubt_minutes=0))
        bank.sleep()
        assert bank.sleep()["deduplicate"].counts == {"merged": 699}
        clock.passed += timedelta(days=2)
        assert slept_on(memory) == []


def test_quarantine_ends_though_nothing_else_happens_any_more(memory, clock):
    bank = memory.bank("ada")
    for _ in range(2):
        clock.advance(timedelta(minutes=1))
        bank.remember(said(0), speaker="Ada", at=clock.now())
    assert len(slept_on(memory)) == 1
    assert len(bank.quarantine()) == 1
    clock.advance(timedelta(minutes=14))
    assert slept_on(memory) == []
    clock.advance(timedelta(minutes=60))
    assert len(slept_on(memory)) == 1
    assert not bank.quarantine()
    clock.advance(timedelta(days=2))
    assert slept_on(memory) == [list(STEPS)], "gists and anchors were made without what left it"
    clock.advance(timedelta(days=2))
    assert slept_on(memory) == []


@pytest.mark.parametrize(
    "wrong", [{"every": timedelta(0)}, {"idle": 30}, {"night": 24}, {"night": True}]
)
def test_a_schedule_that_makes_no_sense_is_refused(wrong):
    with pytest.raises(InputError, match=f"Schedule.{next(iter(wrong))}"):
        Schedule(**wrong)


def test_banks_sleep_by_themselves_while_a_block_runs(tmp_path):
    clock = ManualClock(START)
    with Memory(tmp_path / "m.db", embedder="hash", clock=clock) as memory:
        bank = filled(memory, clock, 5)
        clock.advance(timedelta(hours=1))
        with memory.sleeping(look_every_s=0.01):
            for _ in range(2000):
                if bank.sleeps() and bank.sleeps()[-1].steps:
                    break
        assert len(bank.sleeps()) == 1
        assert memory.sleep_if_due() == []
        for every in (0, float("nan"), float("inf"), 1e12, "60", True, None):
            with (
                pytest.raises(InputError, match="look_every_s"),
                memory.sleeping(look_every_s=every),
            ):
                pass
        with pytest.raises(InputError, match="schedule='x'"), memory.sleeping("x"):
            pass
        with pytest.raises(InputError, match="failed=5"), memory.sleeping(failed=5):
            pass


def test_a_failed_sleep_is_tried_again_without_keeping_other_banks_from_theirs(open_memory, clock):
    memory, told = open_memory(), []
    ada, tom = memory.bank("ada"), memory.bank("tom")
    for bank in (ada, tom):
        bank.remember("So it is, said once.")
    clock.advance(timedelta(hours=1))
    ada.state.take = lambda: 1 // 0
    with memory.sleeping(look_every_s=0.001, failed=told.append):
        while len(told) < 2 or not tom.sleeps():
            time.sleep(0.01)
        del ada.state.take
        while not ada.sleeps():
            time.sleep(0.01)

    assert {ZeroDivisionError} == {type(exc) for exc in told}


def test_a_bank_that_is_locked_keeps_none_of_the_others_awake(open_memory, clock, monkeypatch):
    memory = open_memory()
    for name in ("ada", "tom"):
        memory.bank(name).remember("So it is, said once.")
    clock.advance(timedelta(hours=1))

    def locked(*_, **__):
        raise StoreLocked("somebody else writes", path="m.db")

    ada = memory.bank("ada")
    with monkeypatch.context() as patch:
        patch.setattr(ada, "sleep_if_due", locked)
        assert 1 == len(memory.sleep_if_due())

    assert [0, 1] == [len(memory.bank(name).sleeps()) for name in ("ada", "tom")]
    assert 1 == len(memory.sleep_if_due()), "it was still due"


def test_a_bank_that_is_damaged_is_told_of_once_all_others_have_slept(open_memory, clock):
    memory = open_memory()
    for name in ("ada", "tom", "zoe"):
        memory.bank(name).remember("So it is, said once.")
    clock.advance(timedelta(hours=1))
    for name in ("ada", "tom"):
        memory.bank(name).state.transact(
            lambda books: books.writer.note(PolicySet(policy={"of a later version": 1}))
        )
    clock.advance(timedelta(hours=1))

    with pytest.raises(StoreCorrupt, match="'ada' has a policy"):
        memory.sleep_if_due()
    assert len(memory.bank("zoe").sleeps()) == 1
    told = [slept.bank for slept in sleep_those_due(memory)]
    assert told == []
    memory.bank("tom").set_policy(None)
    assert [slept.bank for slept in sleep_those_due(memory)] == ["tom"], "in the command line, too"


def test_a_sleep_compares_what_is_new_with_everything_and_nothing_else(open_memory, clock):
    memory = open_memory()
    bank = memory.bank("ada")
    bank.set_policy(Policy(merge="cluster"))
    bank.remember_many([Turn(text=f"Word {n} of {n * n} is said.") for n in range(300)])
    bank.sleep(steps=["deduplicate"])
    clock.advance(timedelta(hours=1))
    bank.remember("The kettle is red and whistles.")
    products = []

    class Counted(np.ndarray):
        def __matmul__(self, other):
            products.append(len(self) * other.shape[1])
            return np.asarray(self) @ np.asarray(other)

    ledger = memory.engine.ledger("ada")
    seen = gather(ledger, bank.state.take().index, unread=True)
    night = read_snapshot(
        ledger, seen.material, policy=bank.policy, now=to_micros(memory.now()),
        zone=memory.engine.zone, vectors=lambda rows: seen.vectors(rows).view(Counted),
    )  # fmt: skip
    merge(night, near=0.99, cluster=0.99)
    assert products
    assert sum(products) <= 2 * 301, "and not the square of that"


@pytest.mark.parametrize("anew", [False, True])
def test_a_bank_that_another_process_deletes_while_it_sleeps_is_said_to_be_gone(open_memory, anew):
    bank, other = open_memory().bank("ada"), open_memory()
    for step in (0, len(STEPS) - 1):
        bank.remember_many([Turn(text=f"Lena's lesson in Porto, number {n}.") for n in range(9)])

        def delete(done, _, step=step):
            if done == step:
                other.delete_bank("ada")
                if anew:
                    other.bank("ada").remember("All is new.")

        with pytest.raises(UnknownBank, match="while it slept"):
            bank.sleep(progress=delete)
    assert ["All is new."][: int(anew)] == [episode.text for episode in bank.episodes()]


def test_the_end_of_the_block_waits_for_the_sleep_that_has_begun_and_no_other(open_memory, clock):
    began, goes_on = threading.Event(), threading.Event()

    def model(_):
        began.set()
        goes_on.wait(20)
        return "{}"

    memory = open_memory(model=model)
    for name in ("ada", "tom"):
        memory.bank(name).remember("Lena moved to Porto in March, and Tom to Rome.")
    clock.advance(timedelta(hours=1))
    with memory.sleeping(look_every_s=0.001):
        assert began.wait(20)
        threading.Timer(0.1, goes_on.set).start()

    assert [1, 0] == [len(memory.bank(name).sleeps()) for name in ("ada", "tom")]


def test_age_fades_pruned_memories_first_but_no_promoted_ones(memory, clock):
    bank = filled(memory, clock)
    clock.advance(timedelta(days=90))
    bank.set_policy(Policy(merge="off", deepest=2, cap=1.0, decay_per_hour=0.1, warm_days=200))
    early = {d.episode for d in acts(bank.sleep(dry_run=True))}
    clock.advance(timedelta(days=300))
    late = {d.episode for d in acts(bank.sleep(dry_run=True))}

    assert early < late
    assert 0 < len(early) <= 8, "at most a fifth of forty"
    assert len(late) == 32, "all but the best fifth"


# ---------------------------------------------------------------- bad days


class Killed(BaseException):
    """What stands for a kill: nothing between here and the test may catch it."""


def killing(store, monkeypatch, number, *, inside):
    """Let a store die in, or right after, its so many-th transaction from now."""
    write, seen = store.write, iter(range(10**6))
    depth = []

    @contextmanager
    def dying(bank=None):
        outermost = not depth
        depth.append(None)
        try:
            with write(bank):
                yield
                if outermost and inside and next(seen) == number:
                    raise Killed
            if outermost and not inside and next(seen) == number:
                raise Killed
        finally:
            depth.pop()

    monkeypatch.setattr(store, "write", dying)


PRUNING = Policy(prune_share=0.05, prune_turns=5, deepest=5, cap=1.0, hot_hours=1e6)


@pytest.mark.slow
@pytest.mark.parametrize(("policy", "at_once"), [("adaptive:200", 2048), (PRUNING, 2)])
@pytest.mark.parametrize("inside", [True, False])
def test_a_sleep_killed_anywhere_leaves_whole_steps_for_the_next_to_finish(
    tmp_path, monkeypatch, inside, policy, at_once
):
    monkeypatch.setattr(sleeper, "_AT_ONCE", at_once)

    def opened(name, clock):
        return Memory(tmp_path / name, embedder="hash", clock=clock)

    clock = ManualClock(START)
    with opened("lived.db", clock) as memory:
        bank = filled(memory, clock, 24)
        bank.remember(said(3), speaker="Ada", role="user", at=clock.now())
        clock.advance(timedelta(seconds=9))
        bank.remember(said(3), speaker="Ada", role="user", at=clock.now())
        bank.set_policy(policy)
    clock.advance(timedelta(days=300))

    def lived(name):
        copyfile(tmp_path / "lived.db", tmp_path / name)
        return ManualClock(clock.now())

    with opened("whole.db", lived("whole.db")) as memory:
        memory.bank("ada").sleep()
        expected = state(memory.bank("ada"))
    died = True
    number = 0
    while died:
        name = f"{number}.db"
        clock = lived(name)
        died = False
        with opened(name, clock) as memory, monkeypatch.context() as patched:
            killing(memory.engine.store, patched, number, inside=inside)
            try:
                memory.bank("ada").sleep()
            except Killed:
                died = True
        with opened(name, clock) as memory:
            assert verify(memory).sound
            memory.bank("ada").sleep()
            assert state(memory.bank("ada")) == expected
            assert verify(memory).sound
        number += 1
    assert number > 5, "there were as many transactions to die in"


@pytest.mark.slow
def test_two_sleeps_and_a_writer_at_once_lose_nothing(tmp_path, clock):
    with Memory(tmp_path / "m.db", embedder="hash", clock=clock) as memory:
        bank = filled(memory, clock, 60)
        bank.set_policy("adaptive:40")
        clock.advance(timedelta(days=300))
        before = {e.id for e in bank.episodes()}
        first = min(before)

        def write():
            for n in range(20):
                bank.remember(f"Meanwhile number {n} came to be.", speaker="Tom")
            bank.forget(first, erase=True)

        with ThreadPoolExecutor(4) as pool:
            done = [pool.submit(bank.sleep), pool.submit(bank.sleep), pool.submit(write)]
            for one in done:
                one.result()
        there = {e.id for e in bank.episodes()}
        hidden = {i for i in before - there if i != first}

        assert {bank.get(id_).state for id_ in hidden} == {"forgotten"}
        assert sum(e.speaker == "Tom" for e in bank.episodes()) == 20
        assert [one.number for one in bank.sleeps()] == [1, 2]
        for number in (2, 1):
            bank.undo(number)
        assert {e.id for e in bank.episodes()} >= before - {first}
        assert verify(memory).sound


@pytest.mark.parametrize("how", ["another sleep", "a person"])
def test_what_others_hide_while_a_bank_sleeps_leaves_room_for_the_rest(memory, clock, how):
    bank = memory.bank("ada")
    kept = []
    for number in range(40):
        clock.advance(timedelta(hours=5))
        kept.append(bank.remember(said(number % 10), speaker="Ada", at=clock.now()).id)
    bank.feedback(kept[30:], helpful=False)  # so that they would be the first to go
    bank.set_policy("adaptive:250")
    clock.advance(timedelta(days=9))

    def meanwhile(step, _):
        if step == 1 and len(bank.sleeps()) == 1:
            if how == "a person":
                bank.forget(kept[:30])
            else:
                assert bank.sleep(steps=["deduplicate"])["deduplicate"].counts == {"merged": 30}

    slept = bank.sleep(steps=["validate", "forget"], progress=meanwhile)

    assert slept["forget"].counts == {}
    assert kept[30:] == [e.id for e in bank.episodes()]


@pytest.mark.slow
def test_a_clock_that_jumps_backwards_neither_fades_nor_clears_anything(memory, clock):
    bank = filled(memory, clock)
    bank.set_policy("human")
    clock.advance(timedelta(days=-400))
    assert not [d for d in acts(bank.sleep()) if d.kind in ("fade", "lapse", "clear")]
    assert memory.sleep_if_due() == []
    assert verify(memory).sound


@pytest.mark.parametrize("name", NAMES)
def test_an_empty_bank_and_one_of_a_single_sentence_sleep_well(memory, clock, name):
    bank = memory.bank("ada")
    bank.set_policy(name)
    assert not acts(bank.sleep())
    for _ in range(30):
        clock.advance(timedelta(minutes=1))
        bank.remember("I water the plants.", speaker="Ada", session="s", at=clock.now())
    for _ in range(2):  # what comes again within minutes is in quarantine for the first
        clock.advance(timedelta(days=1))
        bank.sleep()
    assert [e.text for e in bank.episodes()] == ["I water the plants."]
    assert len(bank.related(bank.episodes()[0].id)) == 29


# ---------------------------------------------------------------- what sleep leaves to others


LONG = " ".join(f"Part {number} of it speaks of {SUBJECTS[number % 6]}." for number in range(30))


def uses_of(bank):
    """Return by speaker how often a bank's only turn of theirs was recalled, when last, and how
    much it helped."""
    ledger = bank.state.engine.ledger(bank.name)
    records = list(ledger.store.episodes.scan(ledger.bank))
    told = read_uses(ledger, len(records))
    return {
        e.speaker: (told.uses[e.row], told.used_at[e.row], told.outcome[e.row])
        for e in records
        if e.state == "active"
    }


FADING = Policy(deepest=3, cap=1.0, promote=0.0)
WELL = (
    "Well, the boat was in the old green harbour by the river, and it was a fine day for all who"
    " came along with us to see it."
)


@pytest.mark.slow
def test_undoing_a_sleep_again_leaves_the_later_acts_of_somebody_alone(memory, clock):
    bank = filled(memory, clock)
    bank.set_policy("adaptive:200")
    clock.advance(timedelta(days=300))
    first, other = (d.episode for d in acts(bank.sleep())[:2])
    bank.restore(first)
    bank.forget(first)
    bank.undo(1)
    assert (bank.get(first).state, bank.get(other).state) == ("forgotten", "active")

    bank.forget(other)
    assert bank.undo(1) == {}
    assert bank.get(other).state == "forgotten"


@pytest.mark.slow
def test_sleeps_are_undone_the_last_first_down_to_what_was_before_them(memory, clock):
    bank = filled(memory, clock)
    bank.set_policy(FADING)
    before, between = state(bank), []
    for _ in range(3):
        clock.advance(timedelta(days=60))
        bank.sleep()
        between.append(state(bank))
    assert before != between[0] != between[1]
    for number in (3, 2, 1):
        assert state(bank) == between[number - 1]
        bank.undo(number)
    assert state(bank) == before


def test_erasing_a_corrected_part_erases_nothing_that_only_stands_beside_it(tmp_path, clock):
    with Memory(tmp_path / "m.db", embedder="hash", clock=clock, config=SHORT) as memory:
        bank = memory.bank("ada")
        bank.remember(LONG)
        part = bank.episodes()[1]
        bank.remember("It stands before.")
        new = bank.correct(part.id, "It was otherwise.")
        bank.remember("It stands after.")
        bank.forget(new.id, erase=True)

        assert {"It stands before.", "It stands after."} <= {e.text for e in bank.episodes()}
        with pytest.raises(UnknownEpisode):
            bank.get(part.id)


def test_where_a_part_was_corrected_only_that_lapses_for_want_of_room(tmp_path, clock):
    with Memory(tmp_path / "m.db", embedder="hash", clock=clock, config=SHORT) as memory:
        bank = memory.bank("ada")
        bank.remember(LONG)
        bank.correct(bank.episodes()[0].id, "It was otherwise.")
        bank.set_policy(Policy(deepest=0, episode_target=0, cap=1.0))
        clock.advance(timedelta(days=9))
        kept = bank.remember("It stands after.")
        bank.pin(kept.id)
        told = bank.sleep(steps=["forget"])

        assert kept.id not in {d.episode for d in acts(told)}
        assert kept.id in {e.id for e in bank.episodes()}


def test_what_is_held_stays_though_its_file_has_it_no_more(memory, tmp_path):
    bank, notes = memory.bank("ada"), tmp_path / "notes.md"
    notes.write_text("The boat is red.\n")
    bank.import_(notes)
    (held,) = bank.episodes()
    bank.hold(held.id, reason="case 12")
    notes.write_text("The boat is blue.\n")
    bank.import_(notes)
    bank.compact()

    assert bank.get(held.id).state == "active"


def test_what_two_files_say_stays_as_long_as_one_of_them_says_it(memory, tmp_path):
    bank = memory.bank("ada")
    bank.set_policy("dedup")
    for name in ("a.md", "b.md"):
        (tmp_path / name).write_text("The boat is red.\n")
    bank.import_(tmp_path / "a.md")
    bank.import_(tmp_path / "b.md")
    assert bank.sleep()["deduplicate"].counts == {"merged": 1}
    (stands,) = bank.episodes()
    source = tmp_path / stands.source.rpartition("/")[2]
    source.write_text("Nothing of the kind.\n")
    bank.import_(source)

    assert sorted(e.text for e in bank.episodes()) == [
        "Nothing of the kind.\n",
        "The boat is red.\n",
    ]
    assert verify(memory).sound


def test_erasing_what_compact_has_shortened_erases_its_earlier_wordings_and_aliases(memory, clock):
    bank = memory.bank("ada")
    first = bank.remember(f"{WELL} Wrong, though.")
    said = bank.correct(first.id, WELL)
    alias = bank.remember(WELL, at=START - timedelta(hours=2), address="notes/1")
    bank.set_policy(FADING)
    clock.advance(timedelta(days=900))
    assert bank.sleep()["deduplicate"].counts == {"merged": 1}
    assert bank.compact(faded=True).faded == 1
    (left,) = bank.episodes()

    assert left.text != WELL
    assert bank.expand("notes/1") == [left]
    bank.forget(left.id, erase=True)
    for gone in (first, said, alias):
        with pytest.raises(UnknownEpisode):
            bank.get(gone.id)
    assert verify(memory).sound


def test_what_compact_has_shortened_is_worth_what_it_was(memory, clock):
    bank = memory.bank("ada")
    helped = bank.remember(WELL, speaker="Ada")
    bank.remember(WELL.replace("green", "grey"), speaker="Tom")
    bank.set_policy(FADING)
    bank.feedback(helped.id, helpful=True)
    bank.recall("harbour", k=1, speaker="Ada")
    bank.note_recalls()
    known, lengths = [uses_of(bank)], []
    for days in (100, 9000):
        clock.advance(timedelta(days=days))
        bank.sleep(steps=["forget"])
        bank.compact(faded=True)
        known.append(uses_of(bank))
        lengths.append(max(len(e.text) for e in bank.episodes()))

    assert len(WELL) > lengths[0] > lengths[1]
    assert known == [{"Ada": (1, to_micros(START), 1.0), "Tom": (0, 0, 0.0)}] * 3
    assert {e.speaker: bank.uses(e.id) for e in bank.episodes()} == {"Ada": [START] * 2, "Tom": []}


def test_a_memory_is_of_use_only_when_recalled_or_found_helpful(memory, clock):
    bank = memory.bank("ada")
    said = bank.remember(WELL, speaker="Ada")
    other = bank.remember("The tram was late.", speaker="Tom")
    known = []
    for act in (
        lambda: bank.recall("harbour", k=1, speaker="Ada"),
        lambda: bank.feedback(said.id, helpful=False),
        lambda: bank.feedback(said.id, helpful=True),
        bank.note_recalls,
    ):
        clock.advance(timedelta(hours=1))
        act()
        known.append([(at - START) / timedelta(hours=1) for at in bank.uses(said.id)])

    assert known == [[1], [1], [1, 3], [1, 3]]
    assert bank.uses(other.id) == []
    with pytest.raises(UnknownEpisode):
        bank.uses("0" * 24)


def test_a_file_read_again_finds_what_compact_has_shortened(memory, clock, tmp_path):
    bank, notes = memory.bank("ada"), tmp_path / "notes.md"
    notes.write_text(f"{WELL}\n")
    bank.import_(notes)
    bank.set_policy(FADING)
    clock.advance(timedelta(days=900))
    bank.sleep()
    bank.compact(faded=True)
    before = bank.episodes()
    assert before[0].level
    bank.import_(notes)

    assert bank.episodes() == before


@pytest.mark.slow
def test_compact_shortens_many_texts_in_few_transactions(memory, clock):
    bank = memory.bank("ada")
    bank.remember_many([Turn(text=f"{WELL} It was day {day}.") for day in range(50)])
    bank.set_policy(FADING)
    clock.advance(timedelta(days=900))
    bank.sleep()
    before = memory.engine.store.changes()
    assert bank.compact(faded=True, dry_run=True).faded == 50
    assert bank.compact(faded=True).faded == 50
    assert memory.engine.store.changes() - before < 10


def test_a_bank_keeps_its_own_policy_when_it_takes_in_an_export(memory, clock, tmp_path):
    bank, other = filled(memory, clock, 5), memory.bank("other")
    bank.set_policy("aggressive")
    bank.sleep()
    bank.export(tmp_path / "ada.jsonl")
    other.set_policy("dedup")
    other.import_(tmp_path / "ada.jsonl")

    assert other.policy == POLICIES["dedup"]
    assert [e.text for e in bank.episodes()] == [e.text for e in other.episodes()]
    assert verify(memory).sound


def test_what_was_forgotten_in_quarantine_leaves_it_all_the_same(memory, clock):
    bank = memory.bank("ada")
    for second in (0, 20):
        twice = bank.remember("Ferry.", session="s", at=START + timedelta(seconds=second))
    assert bank.sleep(steps=["validate"])["validate"].counts == {"quarantined": 1}
    bank.forget(twice.id)
    clock.advance(timedelta(hours=1))
    told = bank.sleep(steps=["validate"], dry_run=True)

    assert told["validate"].counts == bank.sleep(steps=["validate"])["validate"].counts
    assert bank.sleep(steps=["validate"])["validate"].counts == {}
    assert bank.quarantine() == []


def test_each_step_alone_does_what_its_dry_run_has_said(memory, clock):
    bank = memory.bank("ada")
    for number in range(6):
        bank.remember("The ferry was late again," + " as it is" * number, speaker="Ada")
        clock.advance(timedelta(days=1))
    bank.set_policy(Policy(merge="near", near=0.2))
    told = bank.sleep(steps=["deduplicate"], dry_run=True)

    assert told["deduplicate"].counts["merged"]
    assert acts(bank.sleep(steps=["deduplicate"])) == acts(told)


def test_a_dry_run_knows_what_was_recalled_a_moment_ago(tmp_path, clock):
    from hippocampus.encode.embed import HashEmbedder

    with Memory(tmp_path / "m.db", embedder=Alike(HashEmbedder(64)), clock=clock) as memory:
        bank = memory.bank("ada")
        bank.remember("I live in Porto.", speaker="Ada", role="user")
        clock.advance(timedelta(days=9))
        bank.recall("where does Ada live?")
        clock.advance(timedelta(minutes=1))
        # Whose writing notes nothing of what was recalled here.
        with Memory(tmp_path / "m.db", embedder=Alike(HashEmbedder(64)), clock=clock) as away:
            away.bank("ada").remember("No, I live in Lisbon now.", speaker="Ada", role="user")
        told = bank.sleep(dry_run=True)

        assert told["reconsolidate"].counts == {"corrected": 1}
        assert acts(bank.sleep()) == acts(told)


def test_what_a_process_only_recalled_is_known_to_the_next(tmp_path, clock):
    from hippocampus.encode.embed import HashEmbedder

    def opened():
        return Memory(tmp_path / "m.db", embedder=Alike(HashEmbedder(64)), clock=clock)

    with opened() as memory:
        said = memory.bank("ada").remember("I live in Porto.", speaker="Ada", role="user")
    clock.advance(timedelta(days=9))
    with opened() as memory:
        memory.bank("ada").recall("where does Ada live?")
    clock.advance(timedelta(minutes=1))
    with opened() as memory:
        bank = memory.bank("ada")
        assert bank.uses(said.id) == [START + timedelta(days=9)]
        bank.remember("No, I live in Lisbon now.", speaker="Ada", role="user")
        assert bank.sleep()["reconsolidate"].counts == {"corrected": 1}


def test_closing_notes_recalls_in_banks_that_are_still_the_same_alone(tmp_path, clock):
    path = tmp_path / "m.db"
    with Memory(path, embedder="none", clock=clock) as memory:
        for name in ("gone", "again"):
            memory.bank(name).remember("The tram was late.")
            memory.bank(name).recall("tram")
        with Memory(path, embedder="none", clock=clock) as other:
            for name in ("gone", "again"):
                other.delete_bank(name)
            made = other.bank("again").remember("The tram was early.")
    with Memory(path, embedder="none", clock=clock) as memory:
        assert memory.banks() == ["again"]
        assert memory.bank("again").uses(made.id) == []


def test_what_two_sides_say_in_the_same_words_is_neither_merged_nor_kept_apart(memory, clock):
    bank = memory.bank("ada")
    for second, role in enumerate(("user", "assistant")):
        at = START + timedelta(seconds=second)
        bank.remember("I will call the plumber.", role=role, session="s", at=at)
    clock.advance(timedelta(hours=1))
    slept = bank.sleep()

    assert len(bank.episodes()) == 2
    assert slept["validate"].counts == slept["deduplicate"].counts == {}


def test_a_bank_is_not_deleted_while_anything_in_it_is_held(memory):
    bank = memory.bank("ada")
    held = bank.remember("The contract was signed.")
    bank.hold(held.id, reason="case 12")
    with pytest.raises(InputError, match="is held"):
        memory.delete_bank("ada")
    assert bank.get(held.id).held
    bank.release(held.id)
    memory.delete_bank("ada")
    assert memory.banks() == []


def test_what_was_noted_with_a_memory_is_noted_once_also_under_another_policy(tmp_path, clock):
    from hippocampus.encode.embed import HashEmbedder

    with Memory(tmp_path / "m.db", embedder=Alike(HashEmbedder(64)), clock=clock) as memory:
        bank = memory.bank("ada")
        bank.remember("I live in Porto.", speaker="Ada", role="user")
        clock.advance(timedelta(days=9))
        bank.recall("where does Ada live?")
        clock.advance(timedelta(minutes=1))
        bank.remember("No, I live in Lisbon now.", speaker="Ada", role="user")
        assert bank.sleep()["reconsolidate"].counts == {"corrected": 1}
        bank.set_policy("hema")
        assert bank.sleep(dry_run=True)["reconsolidate"].counts == {}
        assert bank.sleep()["reconsolidate"].counts == {}
        assert bank.undo(1) == {"annotate": 1}
        assert bank.undo(1) == {}


def test_sleep_refuses_a_policy_of_a_later_version_until_it_is_replaced(memory, tmp_path):
    bank, other = memory.bank("ada"), memory.bank("other")
    bank.remember("It rained.")
    bank.set_policy("human")
    bank.export(tmp_path / "ada.jsonl")
    later = (tmp_path / "ada.jsonl").read_text().replace('"warm_level":1', '"dreams":1')
    (tmp_path / "later.jsonl").write_text(later)
    other.import_(tmp_path / "later.jsonl")
    with pytest.raises(StoreCorrupt, match="dreams"):
        other.sleep()
    other.set_policy("keep")
    assert other.sleep().number == 1


def test_surprise_is_the_distance_from_the_mean_of_what_a_session_said_before():
    rng = np.random.default_rng(1)
    vectors = rng.standard_normal((5000, 8)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    found = appraisal._surprise(vectors, np.zeros(5000, np.int32), np.arange(5000), 5000)
    for row in (1, 7, 4095, 4096, 4999):
        mean = vectors[:row].astype(np.float64).sum(axis=0)
        cosine = vectors[row].astype(np.float64) @ (mean / np.linalg.norm(mean))
        assert np.clip(1 - cosine, 0, 1) == pytest.approx(found[row])
