"""What a bank was told of whom: known at once, dated, never lost, and gone with its sources."""

import json
import re
from datetime import timedelta

import numpy as np
import pytest

from hippocampus import Budget, Config, Policy, Turn
from hippocampus.core.damage import collected_damage, damage_collected
from hippocampus.core.patience import waiting_for
from hippocampus.errors import EncoderError, InputError, InvalidTime, OverBudget
from hippocampus.upkeep import verify

ASKED = "Where do I live?"


def said(bank, clock, *texts, days=10, **more):
    """Say things as the user, some days apart."""
    kept = []
    for text in texts:
        clock.advance(timedelta(days=days))
        kept.append(bank.remember(text, role="user", **more))
    return kept


def lines(facts):
    return [(f.subject, f.relation, f.object, f.current) for f in facts]


def test_what_is_marked_as_denied_is_still_found_as_of_before(bank, clock):
    said(bank, clock, "I live in Porto.", "I have a dog named Rex.")
    before = clock.now()
    said(bank, clock, "I never lived in Porto.", "I don't have a dog any more.")

    known = bank.facts("user")
    assert known
    assert not any(fact.current for fact in known)
    assert ["user lives in Porto (never)"] == [str(f) for f in known if f.denied]
    assert all(fact.current for fact in bank.facts("user", as_of=before))
    assert ["Rex"] == [fact.object for fact in bank.facts("user", "pet", at=before)]


@pytest.fixture
def moved(bank, clock):
    """Return what was said before a move, and the turn that tells of it."""
    before = said(
        bank, clock, "I live in Porto, near the river.", "My sister Ana lives in Coimbra.",
        "The weather is so nice where I live.", "Where to live is a hard question to ask.",
    )  # fmt: skip
    clock.advance(timedelta(days=60))
    (news,) = said(bank, clock, "I moved from Porto to Lisbon.", days=0)
    clock.advance(timedelta(days=3))
    return before, news


@pytest.mark.parametrize("sleeps", [False, True])
def test_after_a_move_the_new_place_comes_first_with_the_old_one_dated(bank, clock, moved, sleeps):
    before, news = moved
    if sleeps:
        bank.sleep()
    last_month = clock.now() - timedelta(days=30)
    now, then = bank.recall(ASKED), bank.recall(ASKED, as_of=last_month)
    old = next(hit for hit in now if hit.id == before[0].id)

    assert (news.id, None) == (now[0].id, now[0].valid_to)
    assert news.occurred_at == old.valid_to
    assert "(until 2" in str(old)
    assert (before[0].id, None) == (then[0].id, then[0].valid_to)
    assert [("user", "lives_in", "Porto", True)] == lines(
        bank.facts("user", "lives_in", as_of=last_month)
    )
    assert [("user", "lives_in", "Porto", False)] == lines(
        bank.facts("user", "lives_in", at=last_month)
    )
    gone, here = bank.facts("user", "lives in")
    assert (news.occurred_at, news.recorded_at) == (gone.valid_to, gone.known_to)
    assert (news.occurred_at, None, news.recorded_at, None) == (
        here.valid_from, here.valid_to, here.known_from, here.known_to
    )  # fmt: skip
    assert (before[0].id, news.id) == gone.sources


@pytest.mark.usefixtures("moved")
def test_a_question_for_the_past_is_answered_as_any_other(bank):
    assert all(hit.valid_to is None for hit in bank.recall("Where did I live before?"))


def test_somebodys_kin_is_found_by_what_they_are(bank, clock):
    said(bank, clock, "My sister Ana lives in Coimbra.", "Ana moved to Faro.", "I live in Rome.")

    assert "Ana moved to Faro." == bank.recall("Where does my sister live?")[0].text
    assert [("Ana", "lives_in", "Coimbra", False), ("Ana", "lives_in", "Faro", True)] == lines(
        bank.facts("user's sister", "lives_in") or bank.facts("Ana", "lives_in")
    )


@pytest.mark.parametrize("read_before", [True, False])
@pytest.mark.parametrize(
    ("was", "over", "question"),
    [
        ("My sister Ana works at Acme.", "Ana left Acme for good.", "Where does Ana work?"),
        ("My sister Ana lives in Faro.", "Ana no longer lives in Faro.", "Where does Ana live?"),
    ],
)
def test_where_nothing_is_so_any_more_who_says_so_answers(
    bank, clock, was, over, question, read_before
):
    said(bank, clock, was, over, "I had soup with Ana.", "It rained.")
    if read_before:
        bank.facts()

    assert [over, was] == [hit.text for hit in bank.recall(question, k=2)]


def test_what_is_denied_of_now_was_so_until_then(bank, clock):
    said(bank, clock, "I live in Oslo.", "It rained.", "I don't live in Oslo.")

    (fact,) = bank.facts()
    assert fact.valid_from is not None or fact.valid_to is not None
    assert fact.valid_from != fact.valid_to


def stand(bank):
    return [(hit.id, hit.valid_to) for hit in bank.recall(ASKED, k=8)]


@pytest.mark.parametrize("seed", range(6))
def test_how_things_stand_is_the_same_whether_read_before_or_as_it_is_asked(bank, clock, seed):
    dice = np.random.default_rng(seed)
    ways = ["I live in {}.", "I moved to {}.", "I don't live in {}.", "I never lived in {}."]
    texts = [dice.choice(ways).format(dice.choice(["Porto", "Rome", "Oslo"])) for _ in range(7)]
    said(bank, clock, *texts)
    unread = stand(bank)
    bank.facts()
    read = stand(bank)

    assert unread == read == stand(bank)


def test_what_was_looked_up_once_holds_only_for_who_may_see_it(bank, moved):
    before, news = moved
    bank.facts()
    known = stand(bank)
    bank.forget(news.id)
    hidden = stand(bank)
    bank.restore(news.id)

    assert (news.id, None) == known[0] == stand(bank)[0]
    assert (before[0].id, None) == hidden[0]
    assert (before[0].id, None) in [
        (hit.id, hit.valid_to) for hit in bank.recall(ASKED, until=before[-1].occurred_at)
    ]


@pytest.mark.slow
def test_what_somebody_said_a_hundred_times_is_told_first_by_one_of_the_last(bank, clock):
    said(bank, clock, *(f"I live in Porto, day {day}." for day in range(100)), days=1)
    said(bank, clock, *(f"Where to live is question {day}." for day in range(9)), days=1)
    bank.facts()

    assert bank.recall(ASKED)[0].text in {f"I live in Porto, day {day}." for day in range(92, 100)}


def test_what_is_hidden_says_nothing_until_it_comes_back(bank, moved):
    _, news = moved
    bank.sleep()
    bank.forget(news.id)

    assert [("user", "lives_in", "Porto", True)] == lines(bank.facts("user", "lives_in"))
    bank.restore(news.id)
    assert 2 == len(bank.facts("user", "lives_in"))
    bank.correct(news.id, "I moved from Porto to Braga.")
    assert ["Porto", "Braga"] == [fact.object for fact in bank.facts("user", "lives_in")]


def test_what_is_erased_is_known_no_more_with_its_words_spelled_nowhere(memory, bank, moved):
    _, news = moved
    bank.sleep()
    bank.forget(news.id, erase=True)

    assert [("user", "lives_in", "Porto", True)] == lines(bank.facts("user", "lives_in"))
    assert () == verify(memory, residue="Lisbon").residue
    bank.sleep()
    assert () == verify(memory, residue="Lisbon").residue
    assert verify(memory).sound


@pytest.mark.usefixtures("moved")
def test_sleep_reading_each_episode_once_comes_to_what_reading_at_once_does(bank, clock):
    at_once = bank.facts()
    first = bank.sleep()["facts"]
    seq = bank.journal()[-1].seq
    again = bank.sleep()["facts"]
    said(bank, clock, "I quit my job at Northwind.")
    more = bank.sleep()["facts"]

    assert "facts" == first.name
    assert [5, 0, 1] == [step.counts["episodes read"] for step in (first, again, more)]
    assert at_once == [fact for fact in bank.facts() if fact.object != "Northwind"]
    assert seq < bank.journal()[-1].seq
    assert ("user", "works_at", "Northwind", False) in lines(bank.facts())


@pytest.mark.usefixtures("moved")
def test_another_process_knows_what_this_one_was_told(open_memory, bank, clock):
    there = open_memory().bank(bank.name)
    assert there.facts() == bank.facts()
    bank.sleep()
    said(bank, clock, "My new phone is a Pixel 9.")

    assert there.facts() == bank.facts()
    assert [("user", "phone", "Pixel 9", True)] == lines(there.facts(relation="phone"))


def test_names_of_one_person_are_one_entity_with_a_reason_for_each(bank):
    bank.remember_many(
        [
            Turn(text="I love pottery.", speaker="Melanie", session="s", at="2025-03-01"),
            Turn(text="Mel loves tea, I hear.", speaker="Tom", session="s", at="2025-03-02"),
            Turn(text="You live in Faro now.", speaker="Tom", session="s", at="2025-03-03"),
        ]
    )
    (melanie,) = bank.entities()

    assert ("Melanie", {"mel"}, 3, 3) == (
        melanie.name, set(melanie.aliases), melanie.facts, melanie.episodes
    )  # fmt: skip
    assert all(melanie.aliases.values())
    assert bank.facts("mel") == bank.facts("MELANIE") == bank.facts()


def test_asked_alone_the_graph_leads_from_name_to_name(bank):
    texts = ["We met Zorvan in Porto.", "A day in Porto.", "The roof leaks.", "Then Zorvan sang."]
    bank.remember_many([Turn(text=text, at="2025-03-01") for text in texts])
    bank.sleep()
    found = bank.recall("Who is Zorvan?", cues=["graph"])

    assert {texts[0], texts[3]} == {hit.text for hit in found.hits[:2]}
    assert texts[1] == found.hits[2].text
    assert "graph" in found[0].shares


def test_what_is_no_name_or_time_is_refused(bank):
    for bad in ("", "  ", 7):
        with pytest.raises(InputError, match="give a name"):
            bank.facts(bad)
        with pytest.raises(InputError, match="give a name"):
            bank.facts(relation=bad)
    with pytest.raises(InvalidTime):
        bank.facts(as_of="whenever")
    with pytest.raises(InvalidTime):
        bank.facts(at="whenever")
    assert [] == bank.facts("nobody") == bank.facts(relation="unheard of") == bank.entities()


# ---------------------------------------------------------------- a model reads

ANSWER = {
    "facts": [
        {"turn": 0, "subject": "Ada", "relation": "lives_in", "object": "Lisbon",
         "mode": "began", "from": "2025-02-01", "to": None}
    ]
}  # fmt: skip


def reading(answer):
    asked = []

    def model(prompt):
        if "extract facts" not in prompt:
            return json.dumps({"tags": ["home", "moving", "city"]})
        asked.append(prompt)
        if answer is None:
            raise EncoderError("out of time")
        return answer

    return model, asked


def test_a_model_that_answers_is_believed_without_being_asked_again(open_memory):
    model, asked = reading(f"Here: {json.dumps(ANSWER)}")
    bank = open_memory(model=model).bank("ada")
    bank.remember("Lisbon it is, since February!", speaker="Ada", at="2025-03-01")
    first, again = bank.sleep()["facts"], bank.sleep()["facts"]

    assert (1, 0) == (first.usage.calls, again.usage.calls)
    assert 1 == sum("extract facts" in prompt for prompt in asked)
    assert ["Ada lives in Lisbon (2025-02-01…)"] == [str(fact) for fact in bank.facts()]
    bank.remember("My new phone is a Pixel 9.", speaker="Ada", at="2025-03-02")
    assert 2 == len(bank.facts())


@pytest.mark.parametrize("timezone", ["America/New_York", "Europe/Berlin"])
def test_a_model_is_told_and_tells_days_of_the_zone_of_the_memory(open_memory, timezone):
    model, asked = reading(json.dumps(ANSWER))
    bank = open_memory(model=model, config=Config(timezone=timezone)).bank("ada")
    for hour in ("00:30", "23:30"):
        bank.remember(f"At {hour} it is Lisbon, since February!", at=f"2025-03-01T{hour}")
    bank.sleep()

    assert {"2025-03-01"} == {day for one in asked for day in re.findall(r"2025-0[23]-\d\d", one)}
    assert ["Ada lives in Lisbon (2025-02-01…)"] == [str(fact) for fact in bank.facts()]


def test_no_model_is_shown_what_somebody_has_forgotten(open_memory, clock):
    model, asked = reading("no idea")
    bank = open_memory(model=model).bank("ada")
    bank.remember("I live in Porto, near the harbour.", speaker="Ada", session="s")
    gone = bank.remember("My brother is in prison in Faro.", speaker="Ada", session="s")
    bank.forget(gone.id)
    bank.sleep()
    assert any("harbour" in prompt for prompt in asked)
    assert not any("prison" in prompt for prompt in asked)
    bank.restore(gone.id)
    bank.sleep()
    assert any("prison" in prompt for prompt in asked)

    asked.clear()
    clock.advance(timedelta(days=900))
    bank.remember("The fence wants painting.", speaker="Ada", session="s")
    bank.set_policy(Policy(deepest=5, long_days=365, cap=1.0, promote=0.0))
    bank.sleep(steps=["forget", "facts"])
    assert bank.get(gone.id).state == "forgotten"
    assert any("prison" in prompt for prompt in asked), "time has hidden it, and nobody"
    bank.restore(gone.id)
    bank.forget(gone.id)
    asked.clear()
    bank.remember("Rain again.", speaker="Ada", session="s")
    bank.sleep(steps=["facts"])
    assert asked
    assert not any("prison" in prompt for prompt in asked)


def broken(**parts):
    return json.dumps({"facts": [{**ANSWER["facts"][0], **parts}]})


@pytest.mark.parametrize(
    "answer",
    [
        "no idea", "[]", "{}", '{"facts": {}}', '{"facts": [7]}', '{"facts": [{"turn": 0}]}',
        broken(turn=-1), broken(turn="0"), broken(turn=True), broken(subject=" "),
        broken(subject=None), broken(relation="Lives In"), broken(object="x" * 200),
        broken(mode="maybe"), broken(extra=1), json.dumps({"facts": ANSWER["facts"] * 201}),
        broken(**{"from": "yesterday"}), broken(to=7), broken(to="2025-01-31"), broken(turn=1),
        broken(turn=3), None,
    ],
)  # fmt: skip
def test_what_a_model_gets_wrong_is_read_by_rules_with_a_note_in_the_report(open_memory, answer):
    model, _ = reading(answer)
    memory = open_memory(model=model)
    bank = memory.bank("ada")
    bank.remember("I live in Porto.", speaker="Ada", at="2025-03-01")
    step = bank.sleep()["facts"]

    assert 1 == len(step.names["fallbacks"])
    assert ["Ada lives in Porto"] == [str(fact) for fact in bank.facts()]
    assert verify(memory).sound


def test_a_model_that_counts_turns_from_one_is_told_and_asked_again(open_memory):
    def model(prompt):
        if "extract facts" not in prompt:
            return json.dumps({"tags": ["home", "moving", "city"]})
        counts_right = "0 to 1" in prompt
        return json.dumps({"facts": [
            {**ANSWER["facts"][0], "turn": at if counts_right else at + 1, "object": city}
            for at, city in enumerate(("Porto", "Rome"))
        ]})  # fmt: skip

    bank = open_memory(model=model).bank("ada")
    for day, city in enumerate(("Porto", "Rome"), 1):
        bank.remember(f"It is {city}!", speaker="Ada", at=f"2025-03-0{day}", session="s")
    assert 2 == bank.sleep()["facts"].usage.calls

    assert {"Porto": "It is Porto!", "Rome": "It is Rome!"} == {
        fact.object: bank.get(fact.sources[0]).text for fact in bank.facts()
    }


@pytest.mark.parametrize("me", ["me", "I", " Myself "])
def test_facts_of_me_are_of_who_speaks_for_themselves(bank, me):
    bank.remember("I am allergic to peanuts.", speaker="Ada")
    bank.remember("I am allergic to bees.", role="user")
    bank.remember("I live in Oslo.", speaker="assistant")

    assert {"peanuts", "bees"} == {fact.object for fact in bank.facts(me)}

    bank.remember("I am allergic to nuts.", speaker="Bo")

    assert ["bees"] == [fact.object for fact in bank.facts(me)], "two who say I are not one"


def moves(bank, clock, who, verb, back):
    """Say that somebody was at one place, then at another, then at the first again."""
    s = "" if who == "I" else "s"
    place, other = ("Porto", "Faro") if verb == "live" else ("Globex", "Initech")
    at = "in" if verb == "live" else "at"
    said(
        bank, clock, f"{who} {verb}{s} {at} {place}.", f"{who} {verb}{s} {at} {other} now.",
        f"{who} {back} {place}.", days=365, speaker="Nell",
    )  # fmt: skip
    said(bank, clock, "The fence wants painting.", "Rain again.", "A film about whales.")
    return place, other


@pytest.mark.parametrize(
    ("who", "verb", "back", "asked"),
    [
        ("I", "live", "moved back to", "where did I live before?"),
        ("I", "live", "moved back to", "Where did I live previously?"),
        ("Tom", "live", "moved back to", "Where did Tom live before that?"),
        ("Tom", "live", "moved to", "where did Tom used to live?"),
        ("I", "work", "started work at", "Where did I work before?"),
        ("Tom", "work", "joined", "Who was Tom's previous employer?"),
    ],
)
def test_before_is_the_state_before_the_present_one_not_the_first(
    bank, clock, who, verb, back, asked
):
    _, other = moves(bank, clock, who, verb, back)
    for _ in range(2):
        assert f"{other} now." in bank.recall(asked)[0].text
        bank.sleep()


@pytest.mark.parametrize(
    ("who", "verb", "back", "asked"),
    [
        ("I", "live", "moved back to", "where did I live in 2027?"),
        ("Tom", "live", "moved back to", "Where was Tom living in March 2028?"),
        ("Tom", "work", "joined", "Where did Tom work in 2027?"),
        ("I", "work", "started work at", "who was my employer in January 2028?"),
    ],
)
def test_what_held_at_a_time_answers_though_it_was_said_at_another(
    bank, clock, who, verb, back, asked
):
    _, other = moves(bank, clock, who, verb, back)
    assert f"{other} now." in bank.recall(asked)[0].text


def test_the_first_is_still_the_first(bank, clock):
    place, _ = moves(bank, clock, "I", "live", "moved to")
    found = bank.recall("Where did I live at first?")
    assert f"live in {place}." in found[0].text


def test_a_move_that_is_planned_for_a_day_comes_true_on_that_day(bank, clock):
    home, plan = said(bank, clock, "I live in Pune.", "I'm moving to Brno next month.", days=1)
    ahead = {fact.object: (fact.current, fact.planned) for fact in bank.facts("me", "lives_in")}
    asked = [bank.recall(question) for question in ("Where do I live?", "Where will I live?")]

    assert {"Pune": (True, False), "Brno": (False, True)} == ahead
    assert [home.id, plan.id] == [found[0].id for found in asked]
    assert not any(hit.valid_to for found in asked for hit in found)
    (then,) = bank.facts("me", "lives_in", at=clock.now() + timedelta(days=40))
    assert ("Brno", False) == (then.object, then.planned)

    clock.advance(timedelta(days=40))

    assert plan.id == bank.recall("Where do I live?")[0].id
    assert [("user", "lives_in", "Pune", False), ("user", "lives_in", "Brno", True)] == lines(
        bank.facts("me", "lives_in")
    )


@pytest.mark.parametrize("sleeps", [False, True])
def test_a_note_is_dated_as_over_only_if_all_that_it_tells_is_over(bank, clock, sleeps):
    said(
        bank, clock, "I work as a paralegal, and my daughter is called Tilly.",
        "My sister Ana lives in Faro.", "Ana moved to Rome.", "I now work as a nurse.",
    )  # fmt: skip
    if sleeps:
        bank.sleep()
    asked = ("What do I work as?", "Where does my sister live?")
    dated = [hit.text for question in asked for hit in bank.recall(question) if hit.valid_to]

    assert ["My sister Ana lives in Faro."] == dated
    assert "until" not in bank.context("What do I work as?", 300).text


@pytest.fixture
def unread(bank):
    """Return a bank of 200 memories of which nobody has read facts yet."""
    bank.remember_many([Turn(text=f"I have a dog named Rex{n}.", role="user") for n in range(200)])
    return bank


def read_so_far(bank, seconds=0):
    """Return facts as whoever waits for so long is told them, and what these lack."""
    with damage_collected(), waiting_for(seconds):
        return bank.facts(), [str(one) for one in collected_damage(bank.name)]


@pytest.mark.slow
def test_whoever_would_not_wait_is_told_how_far_reading_has_come(unread):
    first, lacking = read_so_far(unread)

    assert ["facts: read from 64 of 200 memories so far; ask again, and it goes on"] == lacking
    assert ["facts: read from 128 of 200"] == [one[:27] for one in read_so_far(unread)[1]]
    assert ["facts: read from 192 of 200"] == [one[:27] for one in read_so_far(unread)[1]]
    whole, lacking = read_so_far(unread)
    assert [] == lacking
    assert whole == unread.facts()
    assert 0 < len(first) < len(whole)


class _Steps(Budget):
    """A budget of so many looks at it."""

    left = 150

    def check(self):
        self.left -= 1
        if self.left < 0:
            raise OverBudget("spent")


@pytest.mark.slow
def test_facts_that_were_read_before_a_budget_was_spent_are_kept(unread):
    with pytest.raises(OverBudget), _Steps():
        unread.facts()

    assert ["facts: read from 128 of 200"] == [one[:27] for one in read_so_far(unread)[1]]


@pytest.mark.slow
def test_people_are_told_of_what_was_read_so_far(unread):
    with damage_collected(), waiting_for(0):
        unread.people()
        told = [one.part for one in collected_damage(unread.name)]
    assert ["names", "facts"] == told

    unread.people()
    with damage_collected(), waiting_for(0):
        unread.people()
        assert [] == collected_damage(unread.name)
