"""What is remembered once, what twice, and what comes back from our own mouth."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus import Config, Ingest, Policy, Turn
from hippocampus.write.echo_filter import overlap

PEANUTS = "I am allergic to peanuts and to cashews."
HIKE = "We went hiking in the Alps with Tom last weekend."


def texts(bank):
    return [episode.text for episode in bank.episodes()]


def test_the_same_text_speaker_and_time_is_the_same_episode(bank):
    first = bank.remember(PEANUTS, speaker="Ada", at="2025-03-02")
    again = bank.remember(PEANUTS, speaker="Ada", at="2025-03-02", session="another")

    assert first == again
    assert [PEANUTS] == texts(bank)
    assert 1 == len(bank.journal())


@pytest.mark.parametrize(
    "other",
    [
        {"speaker": "Tom", "at": "2025-03-02"},
        {"speaker": None, "at": "2025-03-02"},
        {"speaker": "Ada", "at": "2025-03-03"},
        {"speaker": "Ada", "at": "2025-03-02T00:00:00.000001"},
    ],
)
def test_another_speaker_or_time_is_another_episode(bank, other):
    first = bank.remember(PEANUTS, speaker="Ada", at="2025-03-02")
    second = bank.remember(PEANUTS, **other)

    assert first.id != second.id
    assert [PEANUTS, PEANUTS] == texts(bank)


def test_the_same_moment_in_another_zone_is_the_same_time(bank):
    first = bank.remember(PEANUTS, at="2025-03-02T10:00+01:00")

    assert first.id == bank.remember(PEANUTS, at="2025-03-02T09:00Z").id


def test_the_same_words_have_another_id_in_another_bank(memory):
    ids = {memory.bank(name).remember(PEANUTS, at="2025-03-02").id for name in ("a", "b")}

    assert 2 == len(ids)


def test_text_that_recall_gave_is_not_stored_again(bank, clock):
    first = bank.remember(PEANUTS, speaker="Ada", at="2025-03-02")
    clock.advance(timedelta(days=1))
    (hit,) = bank.recall("peanuts")

    assert first.id == bank.remember(hit.text).id
    assert first.id == bank.remember(hit.text, speaker="assistant").id
    assert first.id == bank.remember(f"  {hit.text.upper()}\n", at=clock.now()).id
    assert [PEANUTS] == texts(bank)


def test_what_somebody_else_says_in_the_same_words_is_kept(bank, clock):
    bank.remember(PEANUTS, speaker="Ada", at="2025-03-02")
    clock.advance(timedelta(days=1))

    assert "Tom" == bank.remember(PEANUTS, speaker="Tom").speaker
    assert [PEANUTS, PEANUTS] == texts(bank)


def test_a_genuine_repetition_with_its_own_time_is_kept_even_when_recalled_before(bank, clock):
    bank.remember(PEANUTS, speaker="Ada", at="2025-03-02")
    bank.recall("peanuts")
    clock.advance(timedelta(hours=1))
    bank.remember(PEANUTS, speaker="Ada", at=clock.now())
    bank.remember(PEANUTS, speaker="Ada", at="2025-04-01")  # an older log, imported now

    assert [PEANUTS] * 3 == texts(bank)


@pytest.mark.parametrize("text", ["Thanks!", "Yes.", "See you tomorrow then"])
def test_a_short_text_is_never_taken_for_an_echo(bank, clock, text):
    bank.remember(text, speaker="Ada")
    bank.recall(text)
    clock.advance(timedelta(seconds=5))
    bank.remember(text, speaker="Ada")

    assert [text, text] == texts(bank)


AWKWARD = [
    Turn(text=PEANUTS, speaker="Ada", at="2025-03-02"),
    Turn(text="No session, no speaker & 3 < 4 > 2 &amp; done.", at="2025-03-03"),
    Turn(
        text="First line of a list\n\n[2020-01-01 10:00] Eve: I never said that\r\n- c",
        at="2025-03-04",
    ),
    Turn(text="He asked: why? I said: because: reasons.", speaker="Dr: Who", at="2025-03-05"),
    Turn(text="Thanks!", speaker="Tom\nTim", at="2025-03-06"),
    Turn(text="Long ago, in the first year of all.", speaker="Ada", at="0001-01-01T10:00"),
    Turn(text=" ".join(f"word{n} and then" for n in range(300)), speaker="Ada", at="2025-03-07"),
    Turn(text="今天天气很好，我们去爬山吧", speaker="李雷", at="2025-03-08"),
]


@pytest.mark.parametrize("recent", [0, 3])
def test_a_context_that_comes_back_is_recognised_whatever_it_holds(bank, clock, recent):
    kept = bank.remember_many(AWKWARD)
    context = bank.context("what was said", budget_tokens=20_000, k=100, recent=recent)
    clock.advance(timedelta(minutes=1))

    for turn in (Turn(text=context.text), Turn(text=context.text, speaker="x", at=clock.now())):
        assert bank.remember_many([turn])[0].id in {episode.id for episode in kept}
    assert len(kept) == len(bank.episodes())


def test_each_rendered_line_that_comes_back_alone_is_recognised(bank):
    kept = bank.remember_many(AWKWARD)
    by_text = {episode.text: episode.id for episode in kept}
    for hit in bank.recall("what was said", k=100):
        context = bank.context(hit.text, budget_tokens=5000, k=1, min_score=0)
        line = "\n".join(context.text.split("\n")[1:-1])
        assert by_text[context.items[0].text] == bank.remember(line, at="2025-05-05").id
    assert len(kept) == len(bank.episodes())


@pytest.mark.usefixtures("corrected")
def test_lines_that_say_what_is_over_or_corrected_are_known_when_they_come_back(bank, clock):
    bank.remember("I live in Porto, near the river.", speaker="Ada", at="2025-03-01")
    bank.remember("I have moved to Lisbon by now.", speaker="Ada", at="2025-05-02")
    kept = bank.episodes()
    home = bank.context("Where does Ada live?", summary="").text
    flight = bank.context("our flight to Porto", summary="", recent=2).text
    alone = next(line for line in flight.splitlines() if "later" in line)
    assert ", until 2025-05-02] Ada: I live" in home
    assert ", corrected later] Ada: Our flight" in alone
    clock.advance(timedelta(minutes=1))

    for text in (home, flight, alone, alone.replace(", corr", ", until 2025-06-03, corr")):
        assert bank.remember(text, speaker="x", at=clock.now()) in kept
    assert "Nice." == bank.remember(f"{home}\n\nNice.", speaker="x").text
    assert len(kept) + 1 == len(bank.episodes())


def test_of_text_that_quotes_a_context_only_what_is_new_is_stored(bank):
    bank.remember(PEANUTS, speaker="Ada", at="2025-03-02")
    context = bank.context("peanuts", recent=1)
    news = "Given all that, Ada would rather have almond biscuits."
    kept = bank.remember(f"{context.text}\n\n{news}\n", speaker="assistant")

    assert news == kept.text
    assert sorted([PEANUTS, news]) == sorted(texts(bank))


def test_a_text_that_only_looks_like_ours_is_kept_whole(bank):
    for text in (
        "[2025-03-02 00:00] Ada: I never told anybody about this",
        "<recent>changes</recent> belong into the changelog",
        "Close it with </memory> and open it with <memory> again",
    ):
        assert text == bank.remember(text).text
    assert 3 == len(bank.episodes())


def test_a_long_recalled_part_is_recognised(bank, clock):
    text = " ".join(f"In room {n} there stood a chair of oak." for n in range(120))
    parts = bank.remember_many([Turn(text=text, speaker="Ada", at="2025-03-02")])
    clock.advance(timedelta(days=1))
    hit = bank.recall("room 100", k=1)[0]

    assert hit.id == bank.remember(hit.text).id
    assert [parts[0].id] == [e.id for e in bank.remember_many([Turn(text=text)])]
    assert text == "".join(texts(bank))


def test_a_long_text_that_begins_like_another_is_kept(bank):
    start = " ".join(f"In room {n} there stood a chair of oak." for n in range(60))
    first, second = f"{start} And then we left for home.", f"{start} And then we stayed for tea."
    bank.remember(first, at="2025-03-02")
    bank.remember(second)

    assert sorted([first, second]) == sorted(
        "".join(e.text for e in bank.episodes() if e.occurred_at == moment)
        for moment in {e.occurred_at for e in bank.episodes()}
    )


def test_the_echo_length_is_configurable(open_memory):
    bank = open_memory(config=Config(ingest=Ingest(echo_words=2))).bank("ada")
    bank.remember("Thanks a lot", at="2025-03-02")

    assert bank.remember("Thanks a lot").occurred_at.year == 2025
    assert 1 == len(bank.episodes())


def test_what_was_forgotten_does_not_come_back_by_an_echo(bank, clock):
    first = bank.remember(PEANUTS, speaker="Ada", at="2025-03-02")
    context = bank.context("peanuts")
    bank.forget(first.id)
    clock.advance(timedelta(minutes=1))
    bank.remember(context.text)

    assert [] == texts(bank)


def test_any_part_of_a_long_turn_is_enough_to_forget_or_restore_it_whole(bank):
    text = " ".join(f"Sentence number {n} is about the harbour." for n in range(200))
    parts = bank.remember_many([Turn(text=text, session="s", speaker="Ada")])
    assert len(parts) > 2

    assert len(parts) == bank.forget(parts[1].id)
    assert [] == bank.episodes()
    assert len(parts) == bank.restore(parts[-1].id)
    assert text == "".join(e.text for e in bank.episodes())


@pytest.fixture
def faded(bank, clock):
    """Return what is shown of a memory that has faded, which is less than it is."""
    bank.remember(
        "Well, you know, on Monday we finally sold the old boat to Rui for 4500 euros, and the"
        " sails went with it. The trailer stays with us for now, because nobody has asked for it.",
        speaker="Ada",
    )
    bank.set_policy(Policy(deepest=2, warm_level=2, promote=0.0, cap=1.0))
    clock.advance(timedelta(days=90))
    bank.sleep(steps=["forget"])
    (hit,) = bank.recall("the old boat")
    assert 2 == hit.episode.level
    assert hit.text not in texts(bank)
    return hit


def test_what_was_shown_of_a_faded_memory_is_known_when_it_comes_back(bank, faded):
    assert faded.id == bank.remember(faded.text, speaker="assistant").id
    assert 1 == len(bank.episodes())


def test_lines_that_quote_a_faded_memory_are_known_when_they_come_back(bank, faded):
    quoted = bank.context("the old boat", 500, summary="").text
    assert faded.text in quoted
    for line in (quoted, str(next(line for line in quoted.splitlines() if "boat" in line))):
        bank.remember(line, speaker="assistant")

    assert [faded.id] == [episode.id for episode in bank.episodes()]


def test_what_was_shown_of_a_memory_that_is_there_no_more_is_news(bank, faded):
    bank.forget(faded.id)

    assert faded.id != bank.remember(faded.text, speaker="Tom").id


def test_what_is_said_again_is_kept_whatever_was_recalled_or_is_there(bank, clock):
    first = bank.remember(PEANUTS, speaker="Ada")
    clock.advance(timedelta(minutes=1))
    assert first == bank.recall("peanuts").hits[0].episode
    quoted = bank.context("peanuts").text

    assert first == bank.remember(PEANUTS, speaker="Ada")
    second = bank.remember(PEANUTS, speaker="Ada", again=True)
    third = bank.remember(PEANUTS, speaker="Ada", metadata={"run": 3}, again=True)
    fourth = bank.remember(quoted, again=True)

    assert 4 == len({first.id, second.id, third.id, fourth.id}) == len(bank.episodes())
    same = Turn(text=PEANUTS, speaker="Ada", at=clock.now(), metadata={"run": 3})
    assert [third] == bank.remember_many([same], again=True)


def test_a_sentence_that_somebody_says_on_another_day_is_kept(bank, clock):
    pill = "I took my blood pressure pill this morning."
    for _ in range(3):
        bank.remember(pill, speaker="Ed", role="user")
        clock.advance(timedelta(minutes=5))
        bank.remember(pill, speaker="Ed", role="user")  # sent twice
        clock.advance(timedelta(days=1))

    assert [pill] * 3 == texts(bank)
    assert 3 == bank.count_events("How often did I take my pill?").count


def test_a_turn_that_is_sent_again_in_its_session_is_there_already(bank, clock):
    pill = "I took my blood pressure pill this morning."
    for session in ("monday", "monday", "tuesday"):
        bank.remember(pill, speaker="Ed", role="user", session=session)
        clock.advance(timedelta(days=1))

    assert [pill] * 2 == texts(bank)


def test_a_note_of_nobody_is_news_once(bank, clock):
    for _ in range(2):
        bank.remember("The gate code of the yard is 4471.")
        clock.advance(timedelta(days=3))

    assert 1 == len(texts(bank))


def test_a_conversation_handed_in_anew_with_each_turn_is_kept_once(bank, clock):
    talk, sent = [], []
    for user, assistant in (
        ("I want a quiet room in Lyon.", "Sure, which dates?"),
        ("The 4th to the 9th.", "Booked for you!"),
        ("Yes.", "Yes."),
        ("Yes.", "Added the cot."),
    ):
        talk += [{"role": "user", "content": user}, {"role": "assistant", "content": assistant}]
        sent = bank.remember_many(talk, session="c1")
        clock.advance(timedelta(minutes=2))

    assert [one["content"] for one in talk] == texts(bank)
    assert texts(bank) == [one.text for one in sent]


def test_the_last_turns_of_a_conversation_handed_in_again_are_there_already(bank, clock):
    talk = [{"role": "user", "content": f"Go on with step {n} please."} for n in range(9)]
    talk.insert(4, {"role": "user", "content": "Yes."})
    bank.remember_many(talk[:6], session="c1")
    clock.advance(timedelta(minutes=2))
    bank.remember_many(talk[3:], session="c1")  # a window on it

    assert [one["content"] for one in talk] == texts(bank)


def test_a_long_conversation_handed_in_again_is_kept_once(open_memory):
    bank = open_memory(config=Config(ingest=Ingest(batch=8))).bank("ada")
    talk = [{"role": "user", "content": "ok" if n % 2 else f"Step {n} it is."} for n in range(40)]
    bank.remember_many(talk, session="c1")
    bank.remember_many([*talk, {"role": "user", "content": "End."}], session="c1")

    assert 41 == len(texts(bank))


@given(st.text("ab", max_size=12), st.text("ab", max_size=12))
def test_the_most_that_ends_one_list_and_begins_another_is_found(before, after):
    most = min(len(before), len(after))
    found = [n for n in range(most, -1, -1) if before.endswith(after[:n])]

    assert overlap(before, after) == found[0]


def test_the_overlap_of_long_lists_takes_few_looks():
    looks = 0

    class Turned(str):
        __slots__ = ()
        __hash__ = str.__hash__

        def __eq__(self, other):
            nonlocal looks
            looks += 1
            return str.__eq__(self, other)

        def __ne__(self, other):
            return not self == other

    for before, after in (("y" * 2000, "y" * 1999 + "n"), ("y" * 2000, "y" * 2000)):
        looks = 0
        overlap([*map(Turned, before)], [*map(Turned, after)])
        assert looks < 10 * 4000


def test_an_exchange_of_few_words_may_come_twice(bank, clock):
    exchange = [{"role": "user", "content": "Go on."}, {"role": "assistant", "content": "Done."}]
    bank.remember_many(exchange, session="c1")
    clock.advance(timedelta(minutes=2))
    bank.remember_many(exchange, session="c1")

    assert ["Go on.", "Done.", "Go on.", "Done."] == texts(bank)
