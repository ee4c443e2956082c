"""Synthetic conversations: the same for a seed, varied, natural, and with gold that holds."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict

import pytest
from msgspec import to_builtins

from hippocampus.encode.terms import find_terms, hash_terms
from hippocampus.errors import InputError
from hippocampus_bench import synthetic

BANKS = synthetic.generate(11, 9)["banks"]
QUESTIONS = [(bank, question) for bank in BANKS for question in bank["questions"]]


def texts(bank):
    return {episode["id"]: episode["text"] for episode in bank["episodes"]}


def test_only_the_same_seed_gives_the_same_conversations():
    assert synthetic.generate(11, 9)["banks"] == BANKS
    assert synthetic.generate(12, 1)["banks"][0]["episodes"] != BANKS[0]["episodes"]


def test_asking_for_more_conversations_keeps_those_there_were():
    assert synthetic.generate(11, 2)["banks"] == BANKS[:2]


def test_there_are_enough_topics_facts_and_wordings():
    topics = {fact.topic for fact in synthetic.texts().facts}

    assert len(topics) >= 25
    assert all(len(fact.say) >= 2 and fact.ask + fact.broad for fact in synthetic.texts().facts)
    assert topics == synthetic.texts().chatter.keys()
    assert len({fact.key for fact in synthetic.texts().facts}) == len(synthetic.texts().facts)


def test_every_slot_of_every_template_has_words():
    made_up = synthetic.texts()
    told = [*made_up.facts, *made_up.tasks]
    templates = [*made_up.daily, *made_up.smalltalk, *(repr(one) for one in told)]
    for template in templates:
        for slot in synthetic.slots(template) - {"list"}:
            assert synthetic.words(slot.rstrip("2")), slot


def test_every_way_to_tell_a_fact_can_answer_one_of_its_questions():
    for fact in synthetic.texts().facts:
        told = [*fact.say, *fact.echo, *fact.change, *(q + a for q, a in fact.reply)]
        for way in told:
            known = synthetic.slots(way) | {"animal"}
            assert any(synthetic.slots(ask) <= known for ask in fact.ask + fact.broad), way


def test_every_kind_of_question_is_there_with_a_third_unanswerable():
    kinds = Counter(question["kind"] for _, question in QUESTIONS)

    assert set(synthetic.KINDS) == kinds.keys()
    without = sum(kinds[kind] for kind in synthetic.UNANSWERABLE)
    assert 0.28 < without / kinds.total() < 0.36
    for _, question in QUESTIONS:
        assert bool(question["gold"]) == (question["kind"] not in synthetic.UNANSWERABLE)
        assert (len(question["gold"]) in {2, 3, 4}) == (question["kind"] == "multi")


def test_nothing_is_left_unfilled_or_in_the_wrong_person():
    said = [text for bank in BANKS for text in texts(bank).values()]
    asked = [question["text"] for _, question in QUESTIONS]

    assert not [text for text in said + asked if re.search(r"[{}|~^]", text)]
    assert not [text for text in asked if re.search(r"I's\b|\b(does|is|has) I\b|\bmine \w", text)]
    assert not [text for text in said + asked if re.search(r"\ba [aeio]\w|\ban [bcdfgj]\w", text)]


def test_conversations_have_the_length_and_span_they_should():
    for bank in BANKS:
        sessions = {episode["session"] for episode in bank["episodes"]}
        times = [episode["at"] for episode in bank["episodes"]]
        assert 10 <= len(sessions) <= 25
        assert times == sorted(times)
        assert len({episode["id"] for episode in bank["episodes"]}) == len(bank["episodes"])


def test_multi_questions_need_several_sessions():
    for bank, question in QUESTIONS:
        if question["kind"] == "multi":
            session = {episode["id"]: episode["session"] for episode in bank["episodes"]}
            assert len({session[ref] for ref in question["gold"]}) == len(question["gold"])


def test_indirect_facts_are_said_by_the_other_speaker():
    for bank, question in QUESTIONS:
        if question["kind"] == "indirect":
            speaker = {episode["id"]: episode["speaker"] for episode in bank["episodes"]}
            assert speaker[question["gold"][0]] not in question["text"]


def test_assistants_answer_at_length():
    lengths = [
        len(episode["text"].split())
        for bank in BANKS
        for episode in bank["episodes"]
        if episode["role"] == "assistant"
    ]

    assert lengths
    assert min(lengths) >= 100
    assert max(lengths) <= 260


def test_questions_mostly_share_few_content_words_with_their_evidence():
    common = {
        "the",
        "a",
        "an",
        "my",
        "in",
        "of",
        "to",
        "for",
        "what",
        "which",
        "who",
        "where",
        "when",
        "how",
        "did",
        "does",
    }
    shared = []
    for bank, question in QUESTIONS:
        if question["kind"] in {"single", "indirect"}:
            asked = set(re.findall(r"[a-z]+", question["text"].lower())) - common
            told = set(re.findall(r"[a-z]+", texts(bank)[question["gold"][0]].lower()))
            shared.append(len(asked & told) / len(asked))

    assert sorted(shared)[len(shared) // 2] < 0.25


def test_an_unanswerable_question_is_never_an_answered_one():
    for bank in BANKS:
        answered = {q["text"] for q in bank["questions"] if q["gold"]}
        assert not answered & {q["text"] for q in bank["questions"] if not q["gold"]}


def test_what_is_off_topic_has_a_word_that_nothing_said_or_sayable_has():
    said = " ".join(text for bank in BANKS for text in texts(bank).values())
    made_up = to_builtins(synthetic.texts())
    elsewhere = made_up.pop("elsewhere")
    sayable = json.dumps(made_up)
    known = set(hash_terms(f"{said} {sayable}").tolist())

    for question in elsewhere:
        assert any(term.hash not in known for term in find_terms(question)), question


def test_what_is_asked_in_vain_was_told_by_nobody_or_only_by_the_other_person():
    checked = Counter()
    for number in (0, 1, 3, 4):  # two people; the third conversation has an assistant
        talk = synthetic._Conversation(f"11-{number}", alone=False)
        questions = talk.bank()["questions"]
        assert BANKS[number]["questions"] == questions
        tellers = defaultdict(set)
        for told in talk.told:
            tellers[told.fact.key].add(told.owner.name)
        for question in questions:
            if question["kind"] in {"unsaid", "misattributed"}:
                told_by = [
                    (name, tellers[fact.key])
                    for fact in synthetic.texts().facts
                    for name in (person.name for person in talk.people)
                    if any(asks(way, question["text"], name) for way in fact.ask + fact.when)
                ]
                others = question["kind"] == "misattributed"
                assert any(name not in by and bool(by) == others for name, by in told_by), question
                checked[question["kind"]] += 1

    assert min(checked["unsaid"], checked["misattributed"]) > 5


def asks(template, text, name):
    """Say whether a question is a template's, put about somebody."""
    parts = re.split(r"(\{[^}]+\})", template)
    pattern = [
        re.escape(name) if part == "{N}" else ".+" if part[:1] == "{" else re.escape(part)
        for part in parts
    ]
    return re.search("".join(pattern) + "$", text, re.IGNORECASE) is not None


def test_at_least_one_conversation_is_asked_for():
    with pytest.raises(InputError, match="conversations=0"):
        synthetic.generate(1, 0)
