"""Gists of a bank: a second trace beside the episodes, which matures, and hides nothing recent."""

import json
import re
from datetime import timedelta

import numpy as np
import pytest

from hippocampus import Config, Fusion, Maturation, Policy, Turn
from hippocampus.core.clock import to_micros
from hippocampus.core.quotes import GISTS_CLOSE, GISTS_OPEN
from hippocampus.core.records import Passage
from hippocampus.encode.tokens import count
from hippocampus.errors import InputError
from hippocampus.sleep.appraisal import appraise_snapshot
from hippocampus.sleep.artifacts import gather
from hippocampus.sleep.gists import make_gists, read_noted
from hippocampus.sleep.snapshot import read_snapshot
from hippocampus.upkeep import verify

ALL = Config(policy=Policy(promote=1.0, prune=0.0))
WEEK, DAY = timedelta(weeks=1), timedelta(days=1)


def say(bank, what, *days, **more):
    """Say nearly the same on some days."""
    return bank.remember_many(
        [
            Turn(text=f"{what}, now on day {day}.", at=f"2024-03-{day:02}", speaker="Ada", **more)
            for day in days
        ]
    )


BOAT = "We painted the old sailing boat in the harbour of Porto with blue paint"
PLANTS = "The tomato plants in the greenhouse grow well under the warm lamps"
LONE = "A letter came from the tax office about my income."


@pytest.fixture
def memory(open_memory):
    return open_memory(config=ALL)


@pytest.fixture
def bank(memory):
    bank = memory.bank("ada")
    say(bank, BOAT, 1, 2, 3, 4)
    say(bank, PLANTS, 5, 6, 7)
    bank.remember(LONE, at="2024-03-08", speaker="Ada")
    bank.sleep()
    return bank


def about(bank, word):
    (found,) = [gist for gist in bank.gists() if word in gist.text]
    return found


def test_sleep_makes_a_gist_of_what_belongs_together_in_its_own_words(memory, bank, clock):
    for word, number in (("boat", 4), ("plants", 3)):
        gist = about(bank, word)
        said = [bank.get(id_).text for id_ in gist.sources]
        assert number == len(said)
        assert all(word in text for text in said)
        assert set(re.findall(r"\w+", gist.text)) <= set(re.findall(r"\w+", "Ada ".join(said)))
        one = max(map(count, said)) + count("Ada: ")
        assert count(gist.text) <= max(one, -(-sum(map(count, said)) // 4))
        assert (clock.now(), True, False) == (gist.made_at, gist.silent, gist.by_model)
    assert 2 == len(bank.gists())
    assert verify(memory).sound


def test_a_gist_stays_silent_for_a_week_without_delaying_episodes(bank, clock):
    new = bank.remember("The lighthouse keeper waved at us.", at=clock.now(), speaker="Ada")
    assert new.id == bank.recall("Who waved, the lighthouse keeper?").hits[0].id

    clock.advance(WEEK - timedelta(minutes=1))
    assert about(bank, "boat").silent
    clock.advance(timedelta(minutes=2))
    assert not about(bank, "boat").silent
    clock.advance(WEEK)
    assert about(bank, "boat").activation > 0.95
    clock.advance(-4 * WEEK)
    assert about(bank, "boat").silent, "the clock was set back"


def test_a_gist_whose_sources_are_recalled_matures_sooner(bank, clock):
    for _ in range(3):
        clock.advance(timedelta(hours=1))
        for _ in range(5):  # no better than once a day
            assert "boat" in bank.recall("Who painted the sailing boat?", k=1).hits[0].text
        clock.advance(timedelta(hours=23))
    bank.sleep()

    boat, plants = about(bank, "boat"), about(bank, "plants")
    assert boat.made_at == plants.made_at
    assert boat.activation > plants.activation
    clock.advance(DAY + timedelta(hours=1))
    assert (False, True) == (about(bank, "boat").silent, about(bank, "plants").silent)


def test_sleeping_again_changes_nothing(memory, bank, clock):
    gists, kept = bank.gists(), kept_by(memory)
    clock.advance(WEEK)
    again = bank.sleep(steps=["gists"])

    assert (2, 0) == (again["gists"].counts["gists"], again["gists"].counts["made"])
    assert kept == kept_by(memory)
    assert [(g.text, g.sources, g.made_at) for g in gists] == [
        (g.text, g.sources, g.made_at) for g in bank.gists()
    ]


def kept_by(memory):
    number = memory.engine.store.banks.number("ada")
    kinds = [change.kind for change in memory.bank("ada").journal()]
    return memory.engine.store.payloads.block(number, "gist", 0).payload, kinds.count("consolidate")


def test_a_cluster_that_grows_stays_the_same_trace_beside_a_new_one(bank, clock):
    made = about(bank, "boat").made_at
    clock.advance(WEEK)
    say(bank, BOAT, 9)
    say(bank, "The brass orchestra rehearsed Brahms in the cold town hall", 10, 11, 12)
    bank.sleep()

    assert (5, made) == (len(about(bank, "boat").sources), about(bank, "boat").made_at)
    assert made + WEEK == about(bank, "Brahms").made_at


@pytest.mark.slow
def test_what_was_promoted_once_stays_so_when_better_comes(open_memory, clock):
    bank = open_memory(config=Config(policy=Policy(promote=0.5))).bank("ada")
    say(bank, BOAT, 1, 2, 3)
    bank.remember_many([Turn(text=f"Number {n}", at=f"2024-01-{n:02}") for n in range(1, 4)])
    bank.sleep()
    assert {"boat"} == {word for word in ("boat", "Number") if word in about(bank, "boat").text}

    for day in range(1, 8):
        clock.advance(DAY)
        bank.remember(f"The {day}. visitor told a long story of the war.", at=clock.now())
        assert "boat" in str(bank.gists())
        bank.sleep()
        assert 3 <= bank.sleep()["gists"].counts["promoted"] <= (6 + day) // 2


def test_what_a_sleep_promoted_is_promoted_no_more_once_it_is_undone(memory, bank):
    def promoted():
        return len(read_noted(memory.engine.ledger("ada")).promoted)

    before = promoted()
    assert before, "it has slept"
    bank.undo(1)
    assert promoted() == 0
    second = bank.sleep()
    assert promoted() == before
    bank.undo(1)
    assert promoted() == before, "a later sleep has said so"
    bank.undo(second.number)
    assert promoted() == 0


# ---------------------------------------------------------------- sources that change


@pytest.mark.parametrize("how", ["forget", "correct", "erase"])
def test_a_trace_goes_on_without_telling_what_is_gone(memory, bank, clock, how):
    boat = about(bank, "boat")
    clock.advance(WEEK)
    gone = boat.sources[0]
    if how == "correct":
        bank.correct(gone, f"{BOAT}, now on Sunday.")
    else:
        bank.forget(gone, erase=how == "erase")
    told = [gist.text for gist in bank.gists()]
    assert not any("boat" in text for text in told)
    assert (how == "erase") == (told == []), "erasure leaves nothing that sleep has made"
    bank.sleep()

    again = about(bank, "boat")
    assert boat.made_at == again.made_at == about(bank, "plants").made_at
    assert (how == "correct") + 3 == len(again.sources)
    assert gone not in again.sources
    assert verify(memory).sound


def test_a_gist_with_too_few_sources_left_is_gone_until_they_come_back(bank, clock):
    plants = about(bank, "plants")
    bank.forget(plants.sources[0])
    clock.advance(WEEK)
    bank.sleep()
    assert "plants" not in str(bank.gists())

    bank.restore(plants.sources[0])
    bank.sleep()
    assert (plants.made_at, plants.sources) == (
        about(bank, "plants").made_at,
        about(bank, "plants").sources,
    )


def test_what_stands_for_a_merged_source_takes_its_place_in_the_gist(bank, clock):
    made = about(bank, "boat").made_at
    twin = bank.remember(f"{BOAT}, now on day 1.", at="2024-03-01T12:00", speaker="Ada")
    clock.advance(WEEK)
    assert {"merged": 1} == bank.sleep()["deduplicate"].counts

    boat = about(bank, "boat")
    assert (made, 4) == (boat.made_at, len(boat.sources))
    assert twin.id in boat.sources


def test_erased_words_are_in_no_gist_and_in_no_line_of_the_journal(memory, bank):
    secret = say(bank, "The marzipan recipe of Aunt Ottilie needs rose water", 1, 2, 3)
    bank.sleep()
    assert about(bank, "marzipan")
    bank.forget([one.id for one in secret], erase=True)
    bank.sleep()

    assert "marzipan" not in str(bank.gists())
    assert "marzipan" not in str(bank.journal()).casefold()
    assert () == verify(memory, residue="Ottilie").residue


def test_a_bank_that_was_exported_matures_on(bank, tmp_path, open_memory, clock):
    bank.export(tmp_path / "out.jsonl")
    other = open_memory("other.db", config=ALL).bank("ada")
    other.import_(tmp_path / "out.jsonl")
    clock.advance(WEEK)
    assert [] == other.gists()
    other.sleep()

    assert bank.gists() == other.gists()


# ---------------------------------------------------------------- bad input


def test_there_are_none_where_there_is_nothing_to_make_them_of(open_memory):
    empty = open_memory(config=ALL).bank("nobody")
    empty.forget(empty.remember("The key is here.").id)
    assert [] == empty.gists()
    assert empty.sleep(steps=["gists"])["gists"].skipped
    assert [] == empty.gists()

    blind = open_memory("blind.db", embedder="none", config=ALL).bank("ada")
    say(blind, BOAT, 1, 2, 3)
    assert "embedder" in blind.sleep()["gists"].skipped

    off = open_memory("off.db", config=Config(policy=Policy(promote=0.0))).bank("ada")
    say(off, BOAT, 1, 2, 3)
    assert 0 == off.sleep()["gists"].counts["gists"]
    assert [] == off.gists()


def test_a_bank_of_one_repeated_sentence_has_gists_of_bounded_size(open_memory):
    bank = open_memory(config=ALL).bank("ada")
    bank.remember_many([Turn(text="The tide is out.", at=f"2023-{1 + n // 28:02}-{1 + n % 28:02}")
                        for n in range(100)])  # fmt: skip
    bank.sleep()

    assert bank.gists()
    assert all(3 <= len(gist.sources) <= 24 for gist in bank.gists())
    assert {"The tide is out"} == {gist.text for gist in bank.gists()}


def test_what_has_no_words_has_no_gist(open_memory):
    bank = open_memory(config=ALL).bank("ada")
    bank.remember_many([Turn(text="?!" * n, at=f"2024-03-0{n}") for n in range(1, 6)])

    assert 0 == bank.sleep()["gists"].counts["gists"]
    assert [] == bank.gists()


@pytest.mark.parametrize("wrong", [-1, True, "3", None])
def test_how_many_gists_a_context_shows_is_a_number(bank, wrong):
    with pytest.raises(InputError, match="gists="):
        bank.context("the boat", gists=wrong)


def test_what_is_in_quarantine_is_in_no_gist(open_memory, clock):
    bank = open_memory(config=ALL).bank("ada")
    say(bank, BOAT, 1, 2, 3, session="s")
    clock.advance(timedelta(hours=1))
    late = bank.remember(f"{BOAT}, before.", at="2020-01-01", speaker="Ada", session="s")
    bank.sleep()
    assert [late.id] == [episode.id for episode, _ in bank.quarantine()]
    assert late.id not in about(bank, "boat").sources

    clock.advance(DAY)
    bank.sleep()
    assert late.id in about(bank, "boat").sources


def test_what_is_erased_while_gists_are_made_is_in_none_of_them(memory, bank):
    say(bank, "The marzipan recipe of Aunt Ottilie needs rose water", 1, 2, 3)
    ledger, values = memory.engine.ledger("ada"), memory.engine.calibration().values
    seen = gather(ledger, bank.state.take().index)
    night = read_snapshot(
        ledger, seen.material, policy=bank.policy, now=to_micros(memory.now()),
        zone=memory.engine.zone, vectors=seen.vectors,
    )  # fmt: skip

    def erase_first():
        bank.forget([episode.id for episode in bank.find("marzipan")], erase=True)
        return appraise_snapshot(
            night, signals=values.signals, interference=values.cosines.interference
        )

    def embed(texts):
        return np.stack(
            [e.vector for e in memory.engine.embedder.embed([Passage(t) for t in texts])]
        )

    made, _ = make_gists(
        night, read_noted(ledger), cluster=values.cosines.cluster, appraise=erase_first, embed=embed
    )
    assert "marzipan" not in str(made.traces)
    assert 2 == len(made.traces)
    bank.sleep()
    assert 2 == len(bank.gists())
    assert verify(memory).sound


# ---------------------------------------------------------------- a model


def lines(gist):
    """Return a model that says this where it is asked for a gist, and what it was asked."""
    asked = []

    def model(prompt):
        if "the gist of it" not in prompt:
            return json.dumps({"summary": "Of boats.", "tags": ["boats", "plants", "paint"]})
        asked.append(prompt)
        return gist

    return model, asked


def test_a_model_words_a_gist_once(open_memory, clock):
    model, asked = lines(json.dumps({"gist": "Ada keeps painting the boat."}))
    quoting = open_memory(config=ALL).bank("ada")
    say(quoting, BOAT, 1, 2, 3)
    quoting.sleep()
    made = quoting.gists()[0]
    assert not made.by_model
    clock.advance(DAY)
    bank = open_memory(config=ALL, model=model).bank("ada")
    first, again = bank.sleep()["gists"], bank.sleep()["gists"]

    (gist,) = bank.gists()
    assert ("Ada keeps painting the boat.", True) == (gist.text, gist.by_model)
    assert made.made_at == gist.made_at
    assert (1, 1, 0) == (len(asked), first.usage.calls, again.usage.calls)
    assert 1 == again.counts["by a model"]


@pytest.mark.parametrize(
    "nonsense",
    ["", "I cannot.", '{"gist": 3}', '{"gist": " "}', json.dumps({"gist": "no " * 99}), "[[[["],
)
def test_where_a_model_talks_nonsense_sources_are_quoted(open_memory, nonsense):
    model, asked = lines(nonsense)
    bank = open_memory(config=ALL, model=model).bank("ada")
    say(bank, BOAT, 1, 2, 3)
    step = bank.sleep()["gists"]

    assert "boat" in about(bank, "boat").text
    assert not about(bank, "boat").by_model
    assert 2 == len(asked)
    assert re.search("no usable gist in 2 attempts", step.names["fallbacks"][0])


# ---------------------------------------------------------------- in a context, and in a ranking


def test_a_context_shows_mature_gists_of_what_was_found_only_if_asked(bank, clock):
    assert GISTS_OPEN not in bank.context("the boat", 3500, gists=3).text, "they are silent"
    clock.advance(2 * WEEK)
    assert GISTS_OPEN not in bank.context("the boat", 3500).text
    text = bank.context("Who painted the boat?", 3500, gists=1).text

    assert f"{GISTS_OPEN}\n{about(bank, 'boat').text}\n{GISTS_CLOSE}" in text
    both = bank.context("Who painted the boat?", 3500, gists=9).text
    assert all(gist.text in both for gist in bank.gists())
    assert GISTS_OPEN not in bank.context("the boat", 60, gists=3).text, "memories need the room"


@pytest.mark.parametrize(
    "hiding", [{"until": "2024-03-02"}, {"speaker": "Tom"}, {"as_of": "2024-01-01"}]
)
def test_a_filter_that_hides_a_source_hides_the_gist(bank, clock, hiding):
    clock.advance(2 * WEEK)

    assert GISTS_OPEN not in bank.context("the boat", 3500, gists=3, **hiding).text


def test_a_gist_that_spells_its_closing_tag_is_not_remembered_on_coming_back(open_memory, clock):
    bank = open_memory(config=ALL).bank("ada")
    say(bank, f"The code is {GISTS_CLOSE} for the sailing boat", 1, 2, 3)
    bank.sleep()
    clock.advance(2 * WEEK)
    text = bank.context("the boat", 3500, gists=1).text
    before = len(bank.episodes())
    bank.remember(f"Look: {text} That is all.")

    assert 1 == text.count(GISTS_CLOSE)
    assert "Look:  That is all." == re.sub(r"\s\s+", "  ", bank.episodes()[-1].text)
    assert before + 1 == len(bank.episodes())


QUESTION = "We painted the old sailing boat in Porto?"


def ranked(open_memory, gist, question=QUESTION, **options):
    config = Config(
        policy=ALL.policy, fusion=Fusion(gist=gist, currency=0), maturation=Maturation(**options)
    )
    memory = open_memory(config=config)
    return memory.bank("ada").recall(question, k=50).hits


def test_a_gist_lends_less_to_its_sources_while_silent_than_once_mature(bank, clock, open_memory):
    clock.advance(60 * DAY)
    say(bank, "The harbour of Porto was full of boats", 20)
    bank.sleep()
    sources = set(about(bank, "boat").sources)

    def share(gist, **options):
        hits = ranked(open_memory, gist, **options)
        given = {hit.id for hit in hits if hit.shares.get("gist")}
        assert given <= sources
        return sum(hit.shares.get("gist", 0) for hit in hits)

    assert 0 == share(0.0)
    mature, silent = share(2.0), share(2.0, half_hours=2400.0)
    assert mature > silent > 0
    assert 0 == share(2.0, half_hours=2400.0, implicit=0.0)


def test_nothing_that_is_primed_rises_past_what_is_recent(bank, clock, open_memory):
    recent = [
        bank.remember(f"We painted the old sailing boat {what}.", at=clock.now(), speaker=who)
        for who in ("Ada", "Tom", "Eve")
        for what in ("red", "in Porto", "and others", "and it rained")
    ]
    new = {episode.id for episode in recent}
    before = [hit.id for hit in ranked(open_memory, 0.0)]
    after = [hit.id for hit in ranked(open_memory, 50.0, implicit=1.0)]
    clock.advance(2 * WEEK)
    later = [hit.id for hit in ranked(open_memory, 50.0, implicit=1.0)]

    def behind(ranking, id_):
        place = {known: at for at, known in enumerate(ranking)}
        return {other for other in place if place[other] > place[id_]} - new

    assert set(before) == set(after) == set(later)
    assert all(behind(after, id_) >= behind(before, id_) for id_ in new)
    assert [id_ for id_ in before if id_ in new] == [id_ for id_ in after if id_ in new]
    assert later != before, "what is not recent any more may be passed"
