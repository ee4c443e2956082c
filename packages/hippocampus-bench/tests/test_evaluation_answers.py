"""Answers are compared as the benchmarks do, and looked for in what a bank gives for a prompt."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

from hippocampus import Memory
from hippocampus.cli import app
from hippocampus.errors import InputError
from hippocampus_bench import Options, answers, locomo, longmemeval, metrics
from hippocampus_bench.answers import (
    bleu1,
    f1,
    f1_of_several,
    find_shown,
    find_words,
    normalised,
)

WORDS = st.lists(st.sampled_from("gym church kayak red the and a runs running".split()), max_size=6)
TEXTS = WORDS.map(" ".join)
DAYS = st.dates(min_value=datetime(1900, 1, 1).date(), max_value=datetime(2100, 1, 1).date())  # noqa: DTZ001


# ---------------------------------------------------------------- comparing


def test_words_are_compared_without_case_punctuation_articles_and_endings():
    assert normalised("The cat, and A dog's!") == ["cat", "dogs"]
    assert f1("Running the dogs", "a DOG runs") == 1
    assert f1("a red kayak", "the kayak") == pytest.approx(2 / 3)


@given(TEXTS, TEXTS)
def test_f1_is_the_same_both_ways_with_1_for_a_text_against_itself(one, other):
    assert f1(one, other) == f1(other, one)
    assert 0 <= f1(one, other) <= 1
    assert f1(one, one) == (1 if normalised(one) else 0)


@given(TEXTS, TEXTS)
def test_bleu_counts_what_a_reply_has_right_less_a_penalty_for_brevity(reply, answer):
    said, right = normalised(reply), normalised(answer)
    got = bleu1(reply, answer)

    assert got <= len(said) / max(1, min(len(said), len(right))), "no more than all of it"
    assert bleu1(answer, answer) == (1 if right else 0)
    if said and len(said) >= len(right):
        shared = sum(min(said.count(word), right.count(word)) for word in set(said))
        assert got == pytest.approx(shared / len(said))


def test_an_answer_of_several_things_is_as_good_as_its_parts_are_on_average():
    assert f1_of_several("gym, church", "shelter, gym, church") == pytest.approx(2 / 3)
    assert f1_of_several("the church and gym", "gym, church") == pytest.approx(2 / 3)
    assert f1_of_several("gym", "gym") == 1


# ---------------------------------------------------------------- days


@given(DAYS)
def test_a_date_is_one_word_however_it_is_written(day):
    month = f"{day:%B}"
    forms = [
        f"{day.day} {month} {day:%Y}",
        f"{month} {day.day}, {day:%Y}",
        f"the {day.day}th of {month}, {day:%Y}",
        f"{day:%Y-%m-%d}",
        f"{day:%Y/%m/%d}",
        f"{day.day} {month[:3]} {day:%Y}",
    ]

    assert {frozenset(find_words(form)) for form in forms} == {frozenset({f"{day}"})}


@given(DAYS, st.integers(0, 86_399))
def test_the_day_of_a_memory_is_shown_with_its_month_its_year_and_without_it(day, second):
    at = datetime(day.year, day.month, day.day, tzinfo=UTC) + timedelta(seconds=second)
    shown = find_shown(f"[{at:%Y-%m-%d %H:%M}] Ann: Hello.")

    for said in (f"{day.day} {day:%B} {day:%Y}", f"{day:%B} {day:%Y}", f"{day:%B} {day.day}"):
        assert find_words(said) <= shown, said
    assert {f"{day:%Y}", "ann", "hello"} <= shown


@pytest.mark.parametrize(
    ("line", "answer", "there"),
    [
        ("[2023-05-08 13:56] Ann: I went yesterday.", "7 May 2023", True),
        ("[2023-05-08 13:56] Ann: I went yesterday.", "6 May 2023", False),
        ("[2023-05-08 13:56, until 2023-06-01] Ann: I went yesterday.", "7 May 2023", True),
        ("[2023-05-08 13:56, corrected later] Ann: I went yesterday.", "corrected", False),
        ("[2023-06-09 10:00] Ann: It was last week.", "The week before 9 June 2023", False),
        ("[2023-06-09 10:00] Ann: It was the week before.", "The week before 9 June 2023", True),
        ("[2023-06-09 10:00] Ann: I moved last month.", "May 2023", True),
        ("[2023-06-09 10:00] Ann: I moved last year.", "2022", True),
        ("[2023-06-09 10:00] Ann: 12,000 people came", "12000", True),
        ("[2023-06-09 10:00] Ann: I love\n    dogs &amp; cats", "cats", True),
        ('<memory note="Quoted">', "quoted", False),
        ("<summary>\nShe paints.\n</summary>", "paint", True),
    ],
)
def test_an_answer_is_there_when_its_words_and_days_are(line, answer, there):
    assert (find_words(answer) <= find_shown(line)) is there


# ---------------------------------------------------------------- the answers of data sets


def test_official_answers_are_read_without_their_reasons(write):
    said = {"speaker_a": "Ann", "session_1_date_time": "1:56 pm on 8 May, 2023"}
    said["session_1"] = [{"speaker": "Ann", "dia_id": "D1:1", "text": "Hello."}]
    asked = [
        {"question": "Likely?", "answer": "Yes; she says so", "category": 3},
        {"question": "When?", "answer": 2022, "category": 2},
        {"question": "What?", "answer": "one; two", "category": 1},
        {"question": "Who?", "adversarial_answer": "Bob", "category": 5},
    ]
    qa = [{"evidence": ["D1:1"], **one} for one in asked]
    path = write("l.json", [{"sample_id": "c", "conversation": said, "qa": qa}])

    questions = locomo.load(path, Options()).cases[0].questions

    assert [one.answer for one in questions] == ["Yes", "2022", "one; two", None]


# ---------------------------------------------------------------- a run without a model

SET = {
    "banks": [
        {
            "id": "b",
            "episodes": [
                {"id": f"e{n}", "text": text, "speaker": "Ann", "at": f"2024-01-{n + 1:02}"}
                for n, text in enumerate(
                    ["The kayak is red.", "I bought it yesterday."]
                    + [f"Nothing much on day {n}, only rain and more rain." for n in range(24)]
                )
            ],
            "questions": [
                {"id": "q1", "text": "kayak colour?", "gold": ["e0"], "answer": "Red"},
                {"id": "q2", "text": "who bought it?", "gold": ["e1"], "answer": "1 January 2024"},
                {"id": "q3", "text": "kayak?", "gold": ["e0"], "answer": "Purple velvet"},
                {"id": "q4", "text": "zebra?", "gold": []},
            ],
        }
    ]
}


@pytest.fixture
def made(write):
    options = Options(embedder="hash", baselines=answers.BASELINES, resamples=50)
    return answers.run("retrieval", write("set.json", SET), options=options)


def test_without_a_model_it_is_measured_how_often_answers_are_in_the_context(made):
    found = made.metrics

    assert found["containment@500"].value == pytest.approx(2 / 3)
    assert found["word_recall@500"].value == pytest.approx(2 / 3)
    assert found["containment@500"].n == 3, "what cannot be answered is nowhere"
    assert made.settings["answered by"] == "nobody: no language model is configured"
    assert made.settings["without an answer to look for"] == 1
    assert "f1" not in found


def test_contexts_within_their_budgets_hold_no_less_as_they_grow(made):
    for one in made.receipts:
        sizes = [one.tokens[budget] for budget in answers.BUDGETS]
        there = [one.measures.get(f"word_recall@{budget}", 0) for budget in answers.BUDGETS]

        assert all(n <= budget for n, budget in zip(sizes, answers.BUDGETS, strict=True))
        assert sizes == sorted(sizes)
        assert there == sorted(there)


def test_beside_it_stand_words_vectors_and_what_was_said_last(made):
    assert {"lexical", "vector", answers.RECENT} == made.baselines.keys()
    last = made.baselines[answers.RECENT]
    shown = last.receipts[0].context

    assert "[2024-01-26" in shown
    assert last.metrics["containment@500"].value < made.metrics["containment@500"].value
    lead = made.metrics["containment@500"].value - last.metrics["containment@500"].value
    assert last.difference["containment@500"].value == pytest.approx(lead)


def test_every_question_has_a_line_that_says_what_was_looked_for(made, tmp_path):
    lines = [json.loads(line) for line in made.write(tmp_path / "r.json").read_text().splitlines()]

    assert [one["answer"] for one in lines[:4]] == ["Red", "1 January 2024", "Purple velvet", None]
    assert {one["reply"] for one in lines} == {None}


def test_a_benchmark_without_answers_is_refused(write):
    bare = json.loads(json.dumps(SET))
    for question in bare["banks"][0]["questions"]:
        question.pop("answer", None)

    with pytest.raises(InputError, match="no question has an answer"):
        answers.run("retrieval", write("bare.json", bare), options=Options(embedder="hash"))
    with pytest.raises(InputError, match="realmem tells no answers"):
        answers.run("realmem", write("set.json", SET))


@pytest.mark.parametrize(
    ("args", "says"),
    [
        (["--judge", "openai:x"], "give --answers"),
        (["--answers", "--judge", "openai:x"], "a --model"),
        (["--answers", "--model", "psychic"], "psychic"),
    ],
)
def test_the_command_refuses_what_makes_no_sense(write, args, says):
    data = str(write("set.json", SET))
    done = CliRunner().invoke(
        app, ["bench", "retrieval", "--data", data, "--embedder", "hash", *args]
    )

    assert done.exit_code == 2
    assert says in done.stderr


def test_the_command_says_that_nobody_answers(write):
    data = str(write("set.json", SET))
    args = ["bench", "retrieval", "--data", data, "--embedder", "hash", "--answers"]
    done = CliRunner().invoke(app, args)

    assert done.exit_code == 0
    assert "no --model" in done.stderr
    assert "containment@3500" in done.stdout


def test_the_mean_of_kinds_weighs_kinds_alike():
    rows = [("a", 1.0)] * 9 + [("b", 0.0)]
    found = metrics.mean_of_kinds(rows)

    assert (0.5, 0.5, 0.5, 10) == (found.value, found.low, found.high, found.n)
    assert metrics.mean_of_kinds([("a", 1.0), ("a", 0.0)], resamples=200).low == 0


def test_longmemeval_tells_answers_that_are_numbers(write):
    one = {
        "question_id": "q", "question_type": "multi-session", "question": "How many?",
        "question_date": "2023/05/30 (Tue) 23:40", "answer": 3, "answer_session_ids": ["s"],
        "haystack_session_ids": ["s"], "haystack_dates": ["2023/05/20 (Sat) 02:21"],
        "haystack_sessions": [[{"role": "user", "content": "Three", "has_answer": True}]],
    }  # fmt: skip

    asked = longmemeval.load(write("m.json", [one]), Options()).cases[0].questions

    assert [question.answer for question in asked] == ["3"]


def test_a_context_is_composed_at_the_time_of_the_question_and_from_its_sessions(tmp_path):
    with Memory(tmp_path / "m.db", embedder="hash") as memory:
        bank = memory.bank("x")
        bank.remember("The kayak is red.", session="a", at="2024-01-01")
        bank.remember("The kayak is green.", session="b", at="2024-01-02")
        both = bank.context("kayak", 500, k=5).text
        only = bank.context("kayak", 500, k=5, session=["a"]).text

    assert find_words("red green") <= find_shown(both)
    assert "green" not in find_shown(only)
