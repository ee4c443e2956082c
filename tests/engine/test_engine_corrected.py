"""A hit says by what it was corrected, as far as sleep has noted it and the reader may see it."""

from datetime import timedelta

from hippocampus import Config, Policy

ASKED = "our flight to Porto"


def corrections(bank, **filters):
    """Return by what each hit was corrected, by its id."""
    return {hit.id: hit.corrected_by for hit in bank.recall(ASKED, **filters)}


def test_only_the_corrected_hit_names_what_corrects_it(bank, corrected):
    flight, news = corrected

    assert {flight.id: news.id, news.id: None} == corrections(bank)
    assert f"(corrected by {news.id})" in repr(bank.recall(ASKED))


def test_what_only_says_more_corrects_nothing(bank, clock):
    bank.remember("Our flight to Porto leaves on Monday.", speaker="Ada", role="user")
    clock.advance(timedelta(days=2))
    bank.recall(ASKED)
    bank.remember("Our flight to Porto leaves on Monday at ten.", speaker="Ada", role="user")

    assert {"elaborated": 1} == bank.sleep()["reconsolidate"].counts
    assert {None} == set(corrections(bank).values())


def test_a_correction_that_is_forgotten_corrects_nothing_until_it_is_restored(bank, corrected):
    flight, news = corrected
    bank.forget(news.id)
    assert {flight.id: None} == corrections(bank)
    bank.restore(news.id)
    assert news.id == corrections(bank)[flight.id]
    bank.forget(news.id, erase=True)
    assert {flight.id: None} == corrections(bank)


def test_a_sleep_that_is_undone_has_noted_nothing(bank, corrected):
    bank.undo(1)

    assert {None} == set(corrections(bank).values())
    assert 2 == len(bank.recall(ASKED)), corrected


def test_a_correction_that_was_itself_corrected_is_told_as_it_reads_now(bank, corrected):
    flight, news = corrected
    latest = bank.correct(news.id, "No, our flight to Porto leaves on Wednesday.")

    assert {flight.id: latest.id, latest.id: None} == corrections(bank)


def test_of_two_corrections_the_last_is_told(bank, clock, corrected):
    flight, news = corrected
    clock.advance(timedelta(days=1))
    bank.forget(news.id)  # or what is said next would be said of this
    bank.recall(ASKED)
    clock.advance(timedelta(minutes=5))
    last = bank.remember("No, our flight to Porto leaves on Friday.", speaker="Ada", role="user")
    bank.sleep(steps=["reconsolidate"])
    bank.restore(news.id)

    assert last.id == corrections(bank)[flight.id]
    bank.forget(last.id)
    assert news.id == corrections(bank)[flight.id]


def test_a_filter_that_hides_the_correction_hides_that_there_is_one(bank, clock, corrected):
    flight, news = corrected
    before = news.recorded_at - timedelta(minutes=1)

    assert {flight.id: None} == corrections(bank, as_of=before)
    assert {flight.id: None} == corrections(bank, until=before)
    clock.advance(timedelta(minutes=1))
    bank.correct(news.id, "No, our flight to Porto leaves on Wednesday.")
    then = clock.now() - timedelta(seconds=30)
    assert news.id == corrections(bank, as_of=then)[flight.id]


def test_what_stands_for_its_own_correction_as_well_is_not_corrected_by_itself(bank, clock):
    flight = bank.remember("Our flight to Porto leaves on Monday.", speaker="Ada", role="user")
    clock.advance(timedelta(days=2))
    bank.recall(ASKED)
    clock.advance(timedelta(minutes=5))
    bank.remember(
        "No, our flight to Porto leaves on Tuesday.", speaker="Ada", role="user",
        at=flight.occurred_at - timedelta(hours=1),  # of what is alike the last stands for all
    )  # fmt: skip
    bank.sleep(steps=["reconsolidate"])
    assert 1 == len([by for by in corrections(bank).values() if by])
    bank.set_policy(Policy(merge="cluster"))
    bank.sleep(steps=["deduplicate"])

    assert {flight.id: None} == corrections(bank)


def test_another_process_knows_what_was_corrected_at_once_and_anew(open_memory, bank, corrected):
    flight, news = corrected
    there = open_memory().bank(bank.name)
    assert news.id == corrections(there)[flight.id]
    bank.forget(news.id)

    assert {flight.id: None} == corrections(there)


def test_what_was_corrected_travels_with_an_export(memory, bank, tmp_path, corrected):
    flight, news = corrected
    bank.export(tmp_path / "ada.jsonl")
    other = memory.bank("other")
    other.import_(tmp_path / "ada.jsonl")

    assert {news.text} == {
        other.get(by).text for by in corrections(other).values() if by is not None
    }
    assert flight.text in {hit.text for hit in other.recall(ASKED) if hit.corrected_by}


def test_the_bank_does_not_repeat_what_was_corrected_until_the_correction_is_gone(bank, corrected):
    _, news = corrected
    bank.remember("My sister Lena moved to Horta.", speaker="Ada", session="s")
    for slept in (False, True):
        if slept:
            bank.sleep(steps=["summary"])
        assert "Monday" not in bank.summary().text
        assert "Tuesday" in bank.summary().text
        assert 3 == bank.summary().turns
    bank.forget(news.id)
    assert "Monday" in bank.summary().text


def test_a_gist_of_what_was_corrected_is_told_no_more_until_made_without_it(open_memory, clock):
    bank = open_memory(config=Config(policy=Policy(promote=1.0, prune=0.0))).bank("ada")
    told = [
        bank.remember(f"Our flight to Porto leaves on Monday, gate {gate}.", speaker="Ada")
        for gate in (7, 8, 9)
    ]
    bank.sleep()
    (gist,) = bank.gists()
    assert {one.id for one in told} == set(gist.sources)
    clock.advance(timedelta(days=2))
    bank.recall(told[0].text, k=1)
    clock.advance(timedelta(minutes=5))
    bank.remember("No, our flight to Porto leaves on Tuesday, gate 7.", speaker="Ada", role="user")
    assert {"corrected": 1} == bank.sleep(steps=["reconsolidate"])["reconsolidate"].counts
    assert [] == bank.gists()

    bank.sleep(steps=["gists"])
    assert bank.gists()
    assert all(told[0].id not in gist.sources for gist in bank.gists())
