"""A bank that may hold only so many memories keeps those that were of use."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from hippocampus import Turn
from hippocampus.core.config import Policy

KEEP_THREE = Policy(episode_target=3, retain="proven", probationary_share=0.0, cap=1.0)


def tell(bank, clock, *turns):
    """Remember turns an hour apart; returns their ids."""
    ids = []
    for turn in turns:
        clock.advance(timedelta(hours=1))
        ids.append(bank.remember_many([replace(turn, at=clock.now())])[0].id)
    return ids


def plain(number, **more):
    return Turn(text=f"Nobody will want to know about number {number}.", session="talk", **more)


def sleep(bank, policy=KEEP_THREE):
    bank.set_policy(policy)
    return bank.sleep(steps=("forget",))


def there(bank):
    return {episode.id for episode in bank.episodes()}


def test_what_a_later_memory_refers_to_stays_by_session_address_or_id(bank, clock):
    by_session, by_address = tell(
        bank, clock, Turn(text="The hinge squeaks.", session="issue-7"),
        Turn(text="The bell is mute.", address="mail/9"),
    )  # fmt: skip
    (by_id,) = tell(bank, clock, Turn(text="The lamp flickers."))
    told = {"refers_to": ["issue-7", by_id, "nothing known", 7]}
    tell(
        bank, clock, Turn(text="All of that is mended.", metadata=told),
        Turn(text="The bell as well.", metadata={"refers_to": "mail/9"}),
        *(plain(n) for n in range(5)),
    )  # fmt: skip
    slept = sleep(bank)

    assert {by_session, by_address, by_id} == there(bank)
    assert {"lapsed": 7} == slept.steps[0].counts
    assert "of no use in 0 days" == slept.steps[0].acts[0].why


def test_what_comes_before_or_from_the_same_session_is_no_reference(bank, clock):
    ids = tell(
        bank, clock, Turn(text="See what I say next.", metadata={"refers_to": "later"}),
        Turn(text="This is it.", session="later"),
        Turn(text="As I said.", session="later", metadata={"refers_to": "later"}),
        *(plain(n) for n in range(3)),
    )  # fmt: skip
    sleep(bank)

    assert not {*ids[:3]} & there(bank)


def test_what_was_recalled_or_helped_was_of_use(bank, clock):
    found, helped, harmed = tell(
        bank, clock, Turn(text="The key is under the green pot."), Turn(text="Ask Rosa for wine."),
        Turn(text="The cellar is locked on Mondays."),
    )  # fmt: skip
    tell(bank, clock, *(plain(n) for n in range(6)))
    clock.advance(timedelta(hours=1))
    bank.recall("Where is the green pot?", k=1)
    bank.feedback(helped, helpful=True)
    bank.feedback(harmed, helpful=False)
    sleep(bank, replace(KEEP_THREE, episode_target=2))

    assert {found, helped} == there(bank)


def test_what_stays_because_it_is_pinned_counts_towards_the_target(bank, clock):
    ids = tell(bank, clock, *(plain(n) for n in range(8)))
    bank.pin(ids[:2])
    sleep(bank)

    assert {*ids[:2]} <= there(bank)
    assert 3 == len(there(bank))
    sleep(bank, replace(KEEP_THREE, episode_target=0))
    assert {*ids[:2]} == there(bank)


def test_only_what_must_lapse_does_so_as_a_dry_run_told_until_it_is_undone(bank, clock):
    ids = tell(bank, clock, *(plain(n) for n in range(5)))

    assert (
        "there was nothing to do"
        == sleep(bank, replace(KEEP_THREE, episode_target=5)).steps[0].skipped
    )
    bank.set_policy(KEEP_THREE)
    dry = bank.sleep(steps=("forget",), dry_run=True)
    assert {*ids} == there(bank)
    assert {"lapsed": 2} == dry.steps[0].counts
    slept = bank.sleep(steps=("forget",))
    assert {*ids[2:]} == there(bank)
    assert {act.episode for act in dry.steps[0].acts} == {*ids[:2]}
    bank.undo(slept.number)
    assert {*ids} == there(bank)


def test_doing_it_again_changes_nothing(bank, clock):
    tell(bank, clock, *(plain(n) for n in range(9)))
    sleep(bank)
    left = there(bank)

    assert "there was nothing to do" == sleep(bank).steps[0].skipped
    assert left == there(bank)


def test_a_long_text_goes_whole_as_one_memory(bank, clock):
    long = " ".join(f"Sentence {n} about the roof, the rafters and the rain." for n in range(90))
    tell(bank, clock, Turn(text=long), *(plain(n) for n in range(3)))

    assert len(there(bank)) > 4
    sleep(bank)
    assert 3 == len(there(bank))


@pytest.mark.parametrize("corrected", [False, True])
def test_a_long_text_was_of_use_when_any_of_its_parts_was(bank, clock, corrected):
    about = " ".join(f"Sentence {n} about the roof, the rafters and the rain." for n in range(90))
    (long,) = tell(bank, clock, Turn(text=f"{about} The safe is behind the walnut panel."))
    *_, last = (e for e in bank.episodes() if e.id != long)
    if corrected:
        last = bank.correct(last.id, "The safe is behind the walnut panel, they say.")
    tell(bank, clock, *(plain(n) for n in range(6)))
    clock.advance(timedelta(hours=1))
    (found,) = bank.recall("Which walnut panel?", k=1)
    sleep(bank, replace(KEEP_THREE, episode_target=1))

    assert last.id == found.id
    assert {long, last.id} <= there(bank)
    assert not any("Nobody" in episode.text for episode in bank.episodes())


def test_what_refers_to_a_part_refers_to_the_whole(bank, clock):
    about = " ".join(f"Sentence {n} about the roof, the rafters and the rain." for n in range(90))
    (long,) = tell(bank, clock, Turn(text=about, address="notes/1"))
    tell(bank, clock, Turn(text="See there.", metadata={"refers_to": "notes/1#part-2"}))
    tell(bank, clock, *(plain(n) for n in range(6)))
    sleep(bank, replace(KEEP_THREE, episode_target=1))

    assert long in there(bank)


def test_one_sleep_lets_go_of_no_more_than_its_cap(bank, clock):
    tell(bank, clock, *(plain(n) for n in range(20)))
    sleep(bank, replace(KEEP_THREE, cap=0.25))

    assert 15 == len(there(bank))


def test_what_lapses_for_want_of_room_and_what_fades_by_age_share_one_cap(bank, clock):
    tell(bank, clock, *(plain(n) for n in range(20)))
    clock.advance(timedelta(days=900))
    fading = replace(KEEP_THREE, deepest=5, long_days=10, promote=0.0, cap=0.25)
    sleep(bank, fading)

    assert 15 == len(there(bank))
    sleep(bank, replace(fading, episode_target=14, cap=0.5))
    assert 8 == len(there(bank)), "one for want of room, and the cap lets six more go by age"


@pytest.mark.parametrize("rows", [0, 1])
def test_a_bank_with_hardly_anything_is_no_trouble(bank, clock, rows):
    tell(bank, clock, *(plain(n) for n in range(rows)))
    sleep(bank, replace(KEEP_THREE, evict_probationary=True))

    assert rows == len(there(bank))


def test_at_the_end_of_a_season_what_was_of_no_use_goes_though_there_is_room(bank, clock):
    (used,) = tell(bank, clock, Turn(text="The hinge squeaks.", session="issue-7"))
    tell(
        bank, clock, Turn(text="Mended.", metadata={"refers_to": "issue-7"}),
        *(plain(n) for n in range(4)),
    )  # fmt: skip
    sleep(bank, replace(KEEP_THREE, episode_target=9, evict_probationary=True))

    assert {used} == there(bank)


def test_a_new_memory_may_take_the_place_of_what_was_of_use_long_ago(bank, clock):
    tell(bank, clock, Turn(text="The hinge squeaks.", session="issue-7"))
    tell(bank, clock, Turn(text="Mended.", metadata={"refers_to": "issue-7"}))
    clock.advance(timedelta(days=300))
    new = tell(bank, clock, *(plain(n) for n in range(4)))
    foreseen = replace(KEEP_THREE, retain="foreseen")

    sleep(bank, foreseen)

    assert 3 == len(there(bank))
    assert there(bank) <= set(new)


def test_a_stored_policy_from_before_there_was_foresight_keeps_what_was_of_use():
    old = {name: value for name, value in KEEP_THREE.to_stored().items() if name != "retain"}

    assert "proven" == Policy.from_stored(old).retain
    assert "foreseen" == Policy.from_stored(Policy(episode_target=3).to_stored()).retain
    assert Policy() == Policy.from_stored({})
    assert ("foreseen", 9) == (
        Policy.named("useful:9").retain,
        Policy.named("useful:9").episode_target,
    )
    assert "proven" == Policy.named("proven:9").retain
