"""Benchmarks on small files of the official schemas, run on a memory that ranks by shared words."""

from __future__ import annotations

import gzip
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hippocampus import Memory
from hippocampus.errors import InputError, SourceError
from hippocampus_bench import Options, locomo, longmemeval, realmem, retrieval, run
from hippocampus_bench.datasets import OpaqueNames, limited
from hippocampus_bench.options import cue_table

DATA = Path(__file__).parents[4] / "shared" / "data"
here = pytest.mark.skipif(not DATA.exists(), reason="the development data sets are not here")

LOCOMO = [
    {
        "sample_id": "conv-1",
        "conversation": {
            "speaker_a": "Ann",
            "speaker_b": "Bob",
            "session_2_date_time": "12:05 am on 1 January, 2024",
            "session_2": [{"speaker": "Bob", "dia_id": "D2:1", "text": "I bought a red kayak."}],
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": "Ann", "dia_id": "D1:1", "text": "Hello there."},
                {
                    "speaker": "Bob",
                    "dia_id": "D1:2",
                    "text": "Look!",
                    "blip_caption": "a photo of a zebra",
                },
            ],
            "session_3_date_time": "1:56 pm on 8 May, 2024",
        },
        "qa": [
            {"question": "Which kayak and zebra?", "evidence": ["D2:01; D:1:2"], "category": 1},
            {"question": "Zebra?", "evidence": ["D1:2", "D1:2", "D9:9"], "category": 4},
            {"question": "Lost?", "evidence": ["D9:9"], "category": 3},
            {"question": "Which unicorn?", "evidence": ["D1:1"], "category": 5},
        ],
    }
]
del LOCOMO[0]["conversation"]["session_3_date_time"]
AUDIT = [
    {"sample_id": "conv-1", "qa_index": 1, "correct_evidence": ["D2:1"]},
    {"sample_id": "conv-1", "qa_index": 0, "correct_evidence": []},
]


def turn(role, content, **more):
    return {"role": role, "content": content, **more}


def instance(id_, *, kind="single-session-user", answer="answer_aa", text="Where is my kayak?"):
    return {
        "question_id": id_,
        "question_type": kind,
        "question": text,
        "question_date": "2023/05/30 (Tue) 23:40",
        "answer": 3,
        "answer_session_ids": [answer],
        "haystack_session_ids": ["sharegpt_x_0", answer, f"other_{id_}"],
        "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/30 (Tue) 23:50", "2023/05/21"],
        "haystack_sessions": [
            [turn("user", "Solve a puzzle"), turn("assistant", "The fox goes first")],
            [
                turn("user", f"My {id_} kayak is in the shed", has_answer=True),
                turn("assistant", "Noted", has_answer=False),
                turn("user", " "),
            ],
            [turn("user", f"Hello from {id_}, where is my kayak?")],
        ],
    }


REALMEM = {
    "dialogues": [
        {
            "session_uuid": "s1",
            "current_time": "2025-12-15 (Monday)",
            "dialogue_turns": [
                {"speaker": "User", "content": "The schema has tags", "is_query": False},
                {"speaker": "Assistant", "content": "Fine"},
            ],
            "extracted_memory": ["SECRET"],
        },
        {
            "session_uuid": "s2",
            "current_time": "2025-12-15 (Monday)",
            "dialogue_turns": [
                {
                    "speaker": "User",
                    "content": "What about the schema tags?",
                    "is_query": True,
                    "category_name": "Dynamic Updating",
                    "topic": "SECRET",
                },
                {
                    "speaker": "Assistant",
                    "content": "As before",
                    "memory_session_uuids": ["s1", "s2"],
                    "memory_used": ["SECRET"],
                },
                {"speaker": "User", "content": "And?", "is_query": True},
                {"speaker": "Assistant", "content": "Yes", "memory_session_uuids": ["s9"]},
            ],
        },
    ]
}

BANKS = {
    "banks": [
        {
            "id": "b1",
            "episodes": [
                {"id": "1", "text": "Olive oil is in the cupboard", "session": "a"},
                {"id": "2", "text": "The cat is called Turnip", "session": "b", "speaker": "Ann"},
                {"id": "3", "text": "word " * 90 + "zebra", "session": "b"},
            ],
            "questions": [
                {"id": "q1", "text": "Where is the olive oil?", "gold": ["1"], "kind": "easy"},
                {"id": "q2", "text": "zebra word", "gold": ["3"], "kind": "long"},
                {"id": "q3", "text": "Whither quagga?", "gold": [], "kind": "none"},
            ],
        }
    ]
}


# ---------------------------------------------------------------- LoCoMo


def test_locomo_evidence_is_parsed_however_it_is_written(write):
    data = locomo.load(write("l.json", LOCOMO), Options())

    first, second, unanswerable = data.cases[0].questions
    assert frozenset({"D2:1", "D1:2"}) == first.gold
    assert frozenset({"D1:2"}) == second.gold
    assert not unanswerable.answerable
    assert data.skipped == {"without evidence": 1}
    assert first.corrected is None


def test_locomo_turns_have_captions_times_and_the_order_of_sessions(write):
    said = locomo.load(write("l.json", LOCOMO), Options()).cases[0].said

    assert [one.key for one in said] == ["D1:1", "D1:2", "D2:1"]
    assert said[1].turn.text == "Look! [a photo of a zebra]"
    assert said[0].turn.at == datetime(2023, 5, 8, 13, 56, tzinfo=UTC)
    assert said[1].turn.at == datetime(2023, 5, 8, 13, 57, tzinfo=UTC)
    assert said[2].turn.at == datetime(2024, 1, 1, 0, 5, tzinfo=UTC)


def test_locomo_reports_the_corrected_score_beside_the_official_one(write, lab):
    path = write("l.json", LOCOMO)
    write("label_errors_x.json", AUDIT)

    report = run("locomo", path, options=lab.options(baselines=()))

    assert report.metrics["evidence_recall@5"].n == 2
    assert report.metrics["corrected_evidence_recall@5"].n == 1, "an empty correction has no score"
    assert report.metrics["evidence_recall@5/kind=single-hop"].value == 1
    assert report.metrics["corrected_evidence_recall@5/kind=single-hop"].value == 0
    assert report.metrics["found/answerable"].n == 2
    assert report.metrics["found/unanswerable"].value == 0
    assert {"l.json", "label_errors_x.json"} == report.settings["data"].keys()


@here
def test_the_locomo_development_half_has_the_questions_its_readme_counts():
    data = locomo.load(DATA / "locomo" / "locomo_dev.json", Options())

    assert len(data.cases) == 5
    assert len(limited(data.cases, 24)[0].questions) <= 24
    assert sum(len(case.said) for case in data.cases) == 2960


# ---------------------------------------------------------------- LongMemEval


def test_longmemeval_scores_flagged_turns_and_their_sessions(write, lab):
    path = write("m.json", [instance("q1"), instance("q2_abs")])

    report = run("longmemeval", path, options=lab.options(baselines=()))

    assert report.settings["protocol"] == "all-turns"
    assert report.metrics["turn_recall@5"].value == 1
    assert report.metrics["session_recall_all@5"].value == 1
    assert report.metrics["mrr"].value == 0.5, "the distractor shares more words"
    assert report.metrics["turn_recall@5"].n == 1
    assert report.metrics["found/unanswerable"].n == 1
    assert lab.questions[0]["now"] == datetime(2023, 5, 30, 23, 40, tzinfo=UTC)


def test_longmemeval_official_indexes_user_turns_of_a_session_as_one(write, lab):
    flagged_by_assistant = instance("q3", answer="answer_cc")
    flagged_by_assistant["haystack_sessions"][1] = [
        turn("user", "a kayak?"),
        turn("assistant", "yes", has_answer=True),
    ]
    path = write("m.json", [instance("q1"), flagged_by_assistant])
    options = lab.options(protocol="official", baselines=())

    report = run("longmemeval", path, options=options)

    assert len(lab.rows) == 3
    assert not any("fox" in row["text"] for row in lab.rows)
    assert report.settings["skipped"]["without a flagged turn"] == 1
    assert report.metrics["session_recall_all@5"].value == 1
    assert report.metrics["ndcg_official@5"].value == 1, "ranks 1 and 2 weigh the same there"
    assert report.metrics["ndcg@5"].value < 1
    assert "turn_recall@5" not in report.metrics


def test_longmemeval_pooled_keeps_other_lives_out_of_sight(write, lab):
    path = write("m.json", [instance("q1"), instance("q2", answer="answer_bb")])
    options = lab.options(protocol="pooled", baselines=())

    report = run("longmemeval", path, options=options)

    texts = [row["text"] for row in lab.rows]
    assert texts.count("Solve a puzzle") == 1, "filler is shared"
    sessions = {row["text"]: row["session"] for row in lab.rows}
    allowed = lab.questions[0]["session"]
    assert sessions["My q1 kayak is in the shed"] in allowed
    assert sessions["Solve a puzzle"] in allowed
    assert sessions["My q2 kayak is in the shed"] not in allowed
    assert report.metrics["turn_recall@5"].value == 1


def test_a_haystack_that_holds_one_session_id_twice_is_keyed_by_position(write, lab):
    double = instance("q1")
    double["haystack_session_ids"][2] = "answer_aa"

    report = run("longmemeval", write("m.json", [double]), options=lab.options(baselines=()))

    assert len({row["session"] for row in lab.rows}) == 3
    assert report.metrics["session_recall_all@5"].value == 1
    assert [len(receipt.gold_sessions) for receipt in report.receipts] == [1]


# ---------------------------------------------------------------- RealMem


def test_realmem_asks_before_it_remembers_without_seeing_the_gold_fields(write, lab):
    report = run("realmem", write("p.json", REALMEM), options=lab.options(baselines=()))

    assert [one["query"] for one in lab.questions] == ["What about the schema tags?"]
    assert lab.questions[0]["now"] == datetime(2025, 12, 15, 0, 2, tzinfo=UTC)
    assert report.metrics["session_recall_all@5/kind=Dynamic Updating"].value == 1
    assert report.settings["skipped"] == {"without earlier gold": 1, "blank": 0}
    assert not any("SECRET" in row["text"] for row in lab.rows)


def test_realmem_reads_a_folder_of_compressed_files(tmp_path):
    for name in ("a", "b"):
        packed = gzip.compress(json.dumps(REALMEM).encode())
        (tmp_path / f"{name}.json.gz").write_bytes(packed)

    data = realmem.load(tmp_path, Options())

    assert [case.id for case in data.cases] == ["a", "b"]
    assert all(case.streams for case in data.cases)


# ---------------------------------------------------------------- what all share


@pytest.mark.parametrize(
    ("name", "content", "protocol"),
    [
        ("locomo", LOCOMO, None),
        ("longmemeval", [instance("q1")], "all-turns"),
        ("longmemeval", [instance("q1")], "official"),
        ("longmemeval", [instance("q1")], "pooled"),
        ("realmem", REALMEM, None),
        ("retrieval", BANKS, None),
    ],
)
def test_no_released_id_reaches_the_memory(write, lab, name, content, protocol):
    run(name, write("d.json", content), options=lab.options(protocol=protocol, baselines=()))

    leaks = ("answer", "D1:", "D2:", "sharegpt", "conv-1")
    for row in lab.rows:
        indexed = json.dumps([row["session"], row["metadata"]])
        assert not any(leak in indexed for leak in leaks)
        assert row["session"] not in {"0", "1", "2", "a", "b", "s1", "s2"}
        assert set(row["metadata"]) == {"ref"}
    assert not any(leak in bank for m in lab.memories for bank in m.banks for leak in leaks)


def test_labels_depend_on_the_seed_and_on_what_they_name():
    labels = OpaqueNames(1)

    assert labels.of("turn", "a", "b") == OpaqueNames(1).of("turn", "a", "b")
    others = {
        labels.of("session", "a", "b"),
        labels.of("turn", "ab"),
        OpaqueNames(2).of("turn", "a", "b"),
    }
    assert len(others | {labels.of("turn", "a", "b")}) == 4


def test_a_long_turn_ranks_once_at_its_first_part(write, lab):
    report = run("retrieval", write("r.json", BANKS), options=lab.options(baselines=()))

    long = next(receipt for receipt in report.receipts if receipt.question == "b1/q2")
    assert len(lab.rows) == 5, "the long turn came in three parts"
    assert len(long.turns) == len(set(long.turns)) == 1
    assert report.metrics["mrr/kind=long"].value == 1


def test_the_signature_cue_of_a_signed_store_stands_beside_the_others_without_it(write):
    options = Options(embedder="none", cues=("lexical", "time", "signature"), baselines=())
    report = run("retrieval", write("r.json", BANKS), options=options)

    assert ["lexical+time"] == list(report.baselines)
    assert all("signature" not in one for one in options.systems.values())
    assert 0 == report.settings["degraded_questions"]
    assert 1.0 == report.metrics["evidence_recall@5"].value
    assert {} == Options(embedder="none", cues=("signature",), baselines=()).systems


def test_baselines_answer_the_same_questions_with_their_own_cues(write, lab):
    options = lab.options(cues=("lexical", "tokens"))

    report = run("retrieval", write("r.json", BANKS), options=options)

    cues = {one["query"]: [] for one in lab.questions}
    for one in lab.questions:
        cues[one["query"]].append(one["cues"])
    wanted = [("lexical", "tokens"), ("lexical",), ("vector",), ("vector", "lexical")]
    assert all(asked == wanted for asked in cues.values())
    assert list(report.baselines) == ["lexical", "vector", "vector+lexical"]
    lexical = report.baselines["lexical"]
    assert lexical.metrics["mrr"] == report.metrics["mrr"]
    assert lexical.difference["mrr"].value == 0
    assert lexical.difference["mrr"].high == 0, "equal systems differ by nothing in every draw"


def test_a_cue_table_asks_each_cue_alone_and_all_but_each(write, lab):
    cues = ("lexical", "topic", "time")
    options = lab.options(cues=cues, baselines=cue_table(cues))

    report = run("retrieval", write("r.json", BANKS), options=options)

    asked = {one["cues"] for one in lab.questions}
    alone = {(cue,) for cue in cues}
    assert {cues, *alone, ("topic", "time"), ("lexical", "time"), ("lexical", "topic")} == asked
    assert {*cues, *(f"without {cue}" for cue in cues)} == report.baselines.keys()
    whole = report.receipts[0].sessions
    assert whole == report.baselines["without topic"].receipts[0].sessions, "ranked as in recall"


def test_a_brief_report_has_the_measures_of_the_table_by_kind_as_well(write, lab):
    path = write("r.json", BANKS)
    whole, brief = (
        run("retrieval", path, options=lab.options(brief=brief)) for brief in (False, True)
    )

    assert {"mrr", "mrr/kind=easy"} <= brief.metrics.keys() < whole.metrics.keys()
    assert all(whole.metrics[name] == brief.metrics[name] for name in brief.metrics)
    lexical = brief.baselines["lexical"]
    assert brief.metrics.keys() - lexical.difference.keys() <= {"found_auroc"}


def test_without_means_nothing_where_the_cues_are_not_said():
    for cues, system in ((None, "without topic"), (("time",), "without time"), (None, "without ")):
        with pytest.raises(InputError, match=r"Options\.cues must name those"):
            Options(cues=cues, baselines=(system,))


def test_a_bank_sleeps_on_what_is_new_before_it_is_asked(write, lab):
    run("retrieval", write("r.json", BANKS), options=lab.options(baselines=()))
    assert [len(bank.rows) for m in lab.memories for bank in m.banks.values()] == lab.sleeps

    lab.asked.clear()
    run("realmem", write("p.json", REALMEM), options=lab.options(baselines=()))
    assert [2] == lab.sleeps, "the first session is told before anything is asked"

    lab.asked.clear()
    content = json.loads(json.dumps(REALMEM))
    content["dialogues"].append(dict(content["dialogues"][1], session_uuid="s3"))
    run("realmem", write("p.json", content), options=lab.options(baselines=()))
    assert 2 == len(lab.sleeps), "a stream sleeps again and again"

    lab.asked.clear()
    run("retrieval", write("r.json", BANKS), options=lab.options(baselines=(), sleep=False))
    assert [] == lab.sleeps


def test_concepts_and_topics_are_there_once_banks_have_slept(write, tmp_path):
    for sleep in (True, False):
        kept = tmp_path / f"sleep-{sleep}"
        options = Options(embedder="hash", sleep=sleep, baselines=(), keep_store=kept)
        run("retrieval", write("r.json", BANKS), options=options)

        with Memory(kept / "retrieval-turns.db", embedder="hash") as memory:
            (name,) = memory.banks()
            assert sleep == bool(memory.bank(name).topics())
            assert sleep == bool(memory.bank(name).anchors())


def test_without_an_embedder_no_baseline_needs_vectors():
    assert list(Options(embedder="none").systems) == ["lexical"]


def test_the_report_and_its_receipts_are_plain_json(write, lab, tmp_path):
    report = run("retrieval", write("r.json", BANKS), options=lab.options())

    receipts = report.write(tmp_path / "report.json")

    read = json.loads((tmp_path / "report.json").read_text())
    assert list(read) == [
        "benchmark",
        "commit",
        "machine",
        "settings",
        "metrics",
        "latency_ms",
        "ingest_per_s",
        "bytes_on_disk",
        "rss_mb",
        "baselines",
        "sleep_ms",
    ]
    assert set(read["metrics"]["mrr"]) == {"value", "low", "high", "n"}
    assert set(read["latency_ms"]) == {"recall", "recall_without_embedding", "embedding"}
    assert set(read["machine"]) == {"cpu", "cores", "memory_gb", "python", "os"}
    assert str(tmp_path) not in json.dumps(read)
    assert read["bytes_on_disk"] > 0
    lines = [json.loads(line) for line in receipts.read_text().splitlines()]
    assert len(lines) == 4 * 3
    assert lines[0]["question"] == "b1/q1"
    assert lines[0]["ranked"][0]["ref"] in lines[0]["gold"]
    assert "vector+lexical" in str(report)


def test_found_and_confidence_tell_questions_without_answer_apart(write, lab):
    report = run("retrieval", write("r.json", BANKS), options=lab.options(baselines=()))

    assert report.metrics["found/unanswerable"].value == 0
    assert report.metrics["found/answerable"].value == 1
    assert report.metrics["found_auroc"].value == 1


def test_a_kept_store_is_asked_again_without_ingesting(write, lab, tmp_path):
    path = write("r.json", BANKS)
    options = lab.options(baselines=(), keep_store=tmp_path / "kept")
    first = run("retrieval", path, options=options)

    second = run("retrieval", path, options=options)

    assert first.ingest_per_s is not None
    assert second.ingest_per_s is None
    assert first.metrics == second.metrics


def test_a_kept_store_of_another_run_is_refused(write, lab, tmp_path):
    path, kept = write("r.json", BANKS), tmp_path / "kept"
    run("retrieval", path, options=lab.options(baselines=(), keep_store=kept))

    with pytest.raises(InputError, match="choose an empty folder"):
        run("retrieval", path, options=lab.options(baselines=(), keep_store=kept, seed=1))


def test_a_limit_takes_questions_in_turn_from_each_kind(write):
    content = json.loads(json.dumps(BANKS))
    content["banks"][0]["questions"] += [
        {"id": f"e{i}", "text": "x", "gold": ["1"], "kind": "easy"} for i in range(5)
    ]
    cases = retrieval.load(write("r.json", content), Options()).cases

    assert [q.id for q in limited(cases, 4)[0].questions] == ["b1/q1", "b1/q2", "b1/q3", "b1/e0"]
    assert limited(cases, None)[0].questions == cases[0].questions


def test_a_limit_drops_what_is_remembered_after_the_last_question(write):
    content = json.loads(json.dumps(REALMEM))
    content["dialogues"].append(dict(content["dialogues"][0], session_uuid="s3"))
    cases = realmem.load(write("p.json", content), Options()).cases

    assert len(cases[0].steps) == 3
    assert len(limited(cases, 1)[0].steps) == 2


def test_progress_ends_at_its_total(write, lab):
    seen = []

    def note(done, total):
        seen.append((done, total))

    run("retrieval", write("r.json", BANKS), options=lab.options(progress=note))

    assert seen[-1] == (3 + 3 * 4, 3 + 3 * 4)
    assert seen == sorted(seen)


# ---------------------------------------------------------------- what is refused


def test_a_complaint_names_the_file_the_field_and_the_place(write):
    broken = json.loads(json.dumps(LOCOMO))
    del broken[0]["qa"][1]["question"]

    with pytest.raises(InputError, match=r"l\.json\[0\]\.qa\[1\]: field 'question' is missing"):
        locomo.load(write("l.json", broken), Options())


@pytest.mark.parametrize(
    ("load", "content", "complaint"),
    [
        (locomo.load, {"not": "a list"}, "is not a list"),
        (longmemeval.load, [instance("q") | {"haystack_dates": []}], "0 dates"),
        (longmemeval.load, [instance("q") | {"question_date": "May"}], "is not a time like"),
        (longmemeval.load, [instance("q") | {"question_date": "2023/02/30"}], "is not a time like"),
        (locomo.load, [LOCOMO[0] | {"conversation": LOCOMO[0]["conversation"] | {
            "session_1_date_time": "1:56 pm on 31 June, 2023"}}], "is not a time like"),
        (realmem.load, {"dialogues": [{"session_uuid": 3}]}, "3 is not text"),
        (retrieval.load, {"banks": [{"id": "b", "episodes": [], "questions": [
            {"id": "q", "text": "x", "gold": ["1"]}]}]}, "'1' is not the id of an episode"),
        (retrieval.load, {"banks": [{"id": "b", "episodes": [
            {"id": "1", "text": "x"}, {"id": "1", "text": "y"}], "questions": []}]}, "twice"),
    ],
)  # fmt: skip
def test_a_file_that_breaks_its_schema_is_refused_with_a_reason(write, load, content, complaint):
    with pytest.raises(InputError, match=complaint):
        load(write("x.json", content), Options())


def test_unreadable_files_are_refused_by_name(tmp_path):
    (tmp_path / "x.json").write_text("{")
    (tmp_path / "deep.json").write_text("[" * 100_000)
    (tmp_path / "x.json.gz").write_bytes(b"no gzip")
    whole = gzip.compress(b"[1, 2, 3]" * 1000)
    (tmp_path / "y.json.gz").write_bytes(whole[:20] + b"\xff" * 3 + whole[23:])

    for name in ("none.json", "x.json", "deep.json", "x.json.gz", "y.json.gz"):
        with pytest.raises(SourceError, match=name):
            retrieval.load(tmp_path / name, Options())


def test_unknown_benchmarks_protocols_and_limits_are_refused(write, lab):
    path = write("r.json", BANKS)
    with pytest.raises(InputError, match="there are locomo"):
        run("squad", path)
    with pytest.raises(InputError, match="all-turns, official, pooled"):
        run("longmemeval", path, options=lab.options(protocol="mine"))
    with pytest.raises(InputError, match="leave it out"):
        run("retrieval", path, options=lab.options(protocol="mine"))
    with pytest.raises(InputError, match="limit=0"):
        Options(limit=0)


def test_a_stream_makes_topics_only_for_who_asks_for_them(write, lab):
    path = write("p.json", REALMEM)
    run("realmem", path, options=lab.options(baselines=()))
    run("realmem", path, options=lab.options(cues=("lexical", "topic"), baselines=()))
    run("locomo", write("l.json", LOCOMO), options=lab.options(baselines=()))
    steps = [one["steps"] for one in lab.asked if one["query"] == "sleep"]

    assert len(steps) == 3
    assert "topics" not in steps[0]
    assert steps[1:] == [None, None], "all of them"
