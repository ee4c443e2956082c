"""A model answers a benchmark's questions and is judged, against a server of the protocol."""

import json

import pytest
from typer.testing import CliRunner

from hippocampus.cli import app
from hippocampus.errors import ModelError, NotRecorded
from hippocampus.llm.ask import instructions
from hippocampus.llm.cassette import Cassette
from hippocampus_bench import Options, answers
from hippocampus_bench.answers import PROMPTS, Models

NOWHERE = "http://127.0.0.1:9/v1"
QA = [
    {"question": "Which things did Bob buy?", "answer": "kayak, tent", "category": 1},
    {"question": "When did Bob buy the kayak?", "answer": "7 May 2023", "category": 2},
    {"question": "What did Ann sing?", "category": 5, "adversarial_answer": "Silent Night"},
]
LOCOMO = [
    {
        "sample_id": "conv-1",
        "conversation": {
            "speaker_a": "Ann",
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "Bob", "dia_id": "D1:1", "text": "I bought a red kayak yesterday."},
                {"speaker": "Bob", "dia_id": "D1:2", "text": "And a tent."},
            ],
        },
        "qa": [{"evidence": ["D1:1", "D1:2"], **one} for one in QA],
    }
]


def instance(id_, kind):
    return {
        "question_id": id_, "question_type": kind, "question": "Where is my kayak?",
        "question_date": "2023/05/30 (Tue) 23:40", "answer": "in the shed",
        "answer_session_ids": ["s"], "haystack_session_ids": ["s"],
        "haystack_dates": ["2023/05/20 (Sat) 02:21"],
        "haystack_sessions": [
            [{"role": "user", "content": "The kayak is in the shed", "has_answer": True}]
        ],
    }  # fmt: skip


def kind_of(asked):
    """Which of our questions a request is, by its instructions."""
    told = asked["messages"][0]["content"]
    names = ("answer", "answer-short", "judge-score", "judge-correct", "judge-temporal",
             "judge-update", "judge-preference", "judge-abstention")  # fmt: skip
    return next(name for name in names if told == instructions(name, PROMPTS))


REPLIES = {"Which": "a tent, a house", "When": "7 May 2023", "What": "No information available."}


def answered(asked):
    said = asked["messages"][-1]["content"]
    match kind_of(asked):
        case "answer" | "answer-short":
            question = said.rpartition("Question: ")[2]
            return REPLIES.get(question.split()[0], "In the shed.")
        case "judge-score":
            return "4"
        case _:
            return "Yes." if '"When' in said or "shed" in said else "No."


@pytest.fixture
def locomo(tmp_path):
    path = tmp_path / "locomo.json"
    path.write_text(json.dumps(LOCOMO))
    return path


def run(name, path, model, **more):
    options = Options(embedder="hash", baselines=(), resamples=50, **more)
    return answers.run(name, path, options=options, models=Models(model, model))


def test_answers_are_scored_by_comparison_as_well_as_by_a_judge(server, model, locomo):
    server.answer = answered

    found = run("locomo", locomo, model).metrics

    assert found["f1/kind=multi-hop"].value == pytest.approx(0.5), "the tent, but no kayak"
    assert found["f1/kind=temporal"].value == 1
    assert found["judge"].value == 4
    assert (found["accuracy"].value, found["accuracy"].n) == (0.5, 2)
    assert found["accuracy_mean_of_kinds"].value == 0.5
    assert found["abstained/kind=adversarial"].value == 1
    assert "f1/kind=adversarial" not in found
    assert found["tokens_per_query"].value == 18, "the server's count of one call"


def test_a_judge_sees_quotations_instead_of_the_context_that_a_model_sees(server, model, locomo):
    server.answer = answered
    run("locomo", locomo, model)
    by_kind = {}
    for seen in server.seen:
        by_kind.setdefault(kind_of(seen.asked), []).append(seen.asked["messages"][-1]["content"])

    assert {"answer-short": 3, "judge-score": 2, "judge-correct": 2} == {
        kind: len(shown) for kind, shown in by_kind.items()
    }
    (first,) = [said for said in by_kind["answer-short"] if "Question: Which" in said]
    assert "[2023-05-08 13:56] Bob: I bought a red kayak yesterday." in first
    assert "Today is Monday, 08 May 2023." in first
    assert "Silent Night" not in first
    quoted = [one.split("<data>")[1].split("</data>")[0] for one in by_kind["judge-score"]]
    judged = {"question": QA[0]["question"], "reference": "kayak, tent"}
    assert {**judged, "candidate": "a tent, a house"} in map(json.loads, quoted)


def test_longmemeval_is_judged_by_the_kind_of_question(server, model, tmp_path):
    server.answer = answered
    kinds = ["multi-session", "temporal-reasoning", "knowledge-update", "single-session-preference"]
    asked = [instance(f"q{n}", kind) for n, kind in enumerate(kinds)]
    path = tmp_path / "m.json"
    path.write_text(json.dumps([*asked, instance("q9_abs", "multi-session")]))

    report = run("longmemeval", path, model)

    used = [kind_of(seen.asked) for seen in server.seen]
    judges = {"correct", "temporal", "update", "preference", "abstention"}
    assert {f"judge-{judge}" for judge in judges} <= set(used)
    assert 5 == used.count("answer")
    assert 4 == used.count("judge-score"), "nothing says how well a question is not answered"
    assert report.metrics["accuracy"].n == 5
    assert report.metrics["accuracy/kind=multi-session"].n == 2
    assert report.metrics["abstained"].n == 1


def test_what_was_recorded_is_measured_again_without_a_server(server, open_model, locomo, tmp_path):
    server.answer = answered
    tape = tmp_path / "tape.jsonl"
    recorded = run("locomo", locomo, open_model(cassette=Cassette(tape, mode="record")))
    played = run("locomo", locomo, open_model(url=NOWHERE, cassette=Cassette(tape)))

    assert recorded.metrics == played.metrics
    with pytest.raises(NotRecorded):
        run("locomo", locomo, open_model("another", url=NOWHERE, cassette=Cassette(tape)))


def test_an_answer_without_a_readable_judgement_is_left_out_of_the_figures(
    server, open_model, locomo
):
    def mumbling(asked):
        return "Hm." if kind_of(asked) == "judge-score" else answered(asked)

    server.answer = mumbling
    with pytest.raises(ModelError):
        run("locomo", locomo, open_model(concurrency=1))

    def once(asked):
        said = asked["messages"][-1]["content"]
        unread = kind_of(asked) == "judge-score" and '"When' in said
        return "Hm." if unread else answered(asked)

    server.answer = once
    report = run("locomo", locomo, open_model(concurrency=1))

    assert report.metrics["judge"].n == 1
    assert report.settings["failed"] == 1
    assert any("judge" in one.failed for one in report.receipts)


@pytest.mark.parametrize(
    ("judge", "said", "read"),
    [
        ("accuracy", "**Yes**, it is.", 1), ("accuracy", "Yes. No part is missing.", 1),
        ("accuracy", "I would say no.", 0), ("accuracy", "There is no doubt: yes.", None),
        ("accuracy", "Perhaps.", None), ("judge", "**4**", 4), ("judge", "4/5", 4),
        ("judge", "4. It lacks 1 of 3 points.", 4), ("judge", "On a scale of 1 to 5: 4", 4),
        ("judge", "I give it 2 out of 5.", 2), ("judge", "3.5", None),
        ("judge", "Something between 2 and 3", None), ("judge", "10", None),
    ],
)  # fmt: skip
def test_a_judgement_is_read_only_where_it_is_beyond_doubt(
    server, open_model, locomo, judge, said, read
):
    kind = {"accuracy": "judge-correct", "judge": "judge-score"}[judge]

    def judged(asked):
        mine = kind_of(asked) == kind and '"When' in asked["messages"][-1]["content"]
        return said if mine else answered(asked)

    server.answer = judged
    report = run("locomo", locomo, open_model(concurrency=1))

    (one,) = [one for one in report.receipts if one.question.text.startswith("When")]
    assert read == one.measures.get(judge)
    assert (read is None) == bool(one.failed)


def test_a_model_that_is_down_is_an_error_and_no_figure(server, open_model, locomo):
    server.answer = lambda _: (500, {}, {"error": {"message": "down"}})

    with pytest.raises(ModelError):
        run("locomo", locomo, open_model(retries=0))


def test_the_command_asks_the_model_and_the_judge_with_no_temperature(server, locomo):
    server.answer = answered
    args = ["bench", "locomo", "--data", str(locomo), "--embedder", "hash", "--no-baselines"]
    args += ["--answers", "--model", f"openai:small@{server.url}"]
    args += ["--judge", f"openai:wise@{server.url}", "--json"]
    done = CliRunner().invoke(app, args)

    assert done.exit_code == 0, done.stderr
    report = json.loads(done.stdout)
    assert report["settings"]["answered by"] == "small"
    assert report["settings"]["judged by"] == "wise"
    assert report["metrics"]["f1"]["n"] == 2
    assert report["latency_ms"].keys() == {"recall", "total"}
    asked = {(seen.asked["model"], kind_of(seen.asked)[:5]) for seen in server.seen}
    assert {("small", "answe"), ("wise", "judge")} == asked
    assert {0} == {seen.asked["temperature"] for seen in server.seen}
