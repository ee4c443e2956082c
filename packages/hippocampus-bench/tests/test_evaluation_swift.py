"""``bench topics`` measures what it says: sizes, fractions, orders, times told."""

import json
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from hippocampus.core.records import Interval
from hippocampus.encode.embed import load_embedder
from hippocampus.errors import InputError
from hippocampus_bench import swift

MATTERS = "sailing hiking pottery baking chess cycling gardening painting swimming singing".split()


def conversation(name, *, days=8):
    """A talk in which every session is about something else, and one event a day ago."""
    sessions = {}
    for day in range(1, days + 1):
        matter = MATTERS[(day + len(name)) % len(MATTERS)]
        sessions[f"session_{day}_date_time"] = f"1:56 pm on {day} May, 2023"
        sessions[f"session_{day}"] = [
            {
                "speaker": "Ada",
                "dia_id": f"D{day}:1",
                "text": f"I went {matter} with my kites yesterday.",
            },
            {"speaker": "Tom", "dia_id": f"D{day}:2", "text": f"The {matter} club is nice, Ada."},
            {"speaker": "Ada", "dia_id": f"D{day}:3", "text": f"The {matter} club meets at {day}."},
        ]
    matter = MATTERS[(3 + len(name)) % len(MATTERS)]
    questions = [
        {"question": f"When was it that I went {matter} with my kites?", "answer": "2 May 2023",
         "evidence": ["D3:1"], "category": 2},
        {"question": f"At what time does the {matter} club meet?", "answer": 3,
         "evidence": ["D3:3"], "category": 4},
        {"question": "Who won?", "category": 5, "evidence": []},
    ]  # fmt: skip
    return {"sample_id": name, "conversation": sessions, "qa": questions}


def instance(place):
    matter = MATTERS[place]
    return {
        "question_id": f"q{place}", "question_type": "single-session-user",
        "question": f"Where do I go {matter}?", "answer": "there", "question_date": "2023/06/01",
        "answer_session_ids": [f"answer_{place}"],
        "haystack_session_ids": [f"answer_{place}", *(f"other_{place}_{n}" for n in range(6))],
        "haystack_dates": [f"2023/05/{day:02} (Tue) 02:21" for day in range(1, 8)],
        "haystack_sessions": [
            [{"role": "user", "content": f"I go {matter} by the lake.", "has_answer": True}],
            *([{"role": "user", "content": f"Where is {matter} number {n} {place}?"},
               {"role": "assistant", "content": f"By the {MATTERS[n]} club."}] for n in range(6)),
        ],
    }  # fmt: skip


@pytest.fixture(scope="module")
def asked(tmp_path_factory):
    folder = tmp_path_factory.mktemp("data")
    contents = {
        "locomo": [conversation("a"), conversation("bcd")],
        "longmemeval": [instance(place) for place in range(5)],
    }
    made = {}
    for name, content in contents.items():
        path = folder / f"{name}.json"
        path.write_text(json.dumps(content))
        made[name] = swift.run(path, embedder=load_embedder("hash"))
    return made


def rows(made, part):
    return [row for row in made.rows if row["part"] == part]


def test_growth_has_every_system_at_every_size(asked):
    grown = rows(asked["locomo"], "growth")

    assert [(size, system) for size in (1, 2) for system in swift.SYSTEMS] == [
        (row["conversations"], row["system"]) for row in grown
    ]
    assert {24, 48} == {row["turns"] for row in grown}
    for row in grown:
        router = row["system"] == swift.ROUTER
        assert 0 < row["searched"] <= row["turns"]
        assert router or row["searched"] == row["turns"]
        assert 2 == row["recall@10"]["n"] == row["latency_ms"]["n"]
        assert 0 < row["latency_ms"]["low"] <= row["latency_ms"]["value"]


def test_a_time_is_told_better_by_what_was_said_than_by_when(asked):
    told, said = rows(asked["locomo"], "when")

    assert 2 == told["right"]["n"], "the questions for a time whose answer is one"
    assert told["right"]["value"] == 1
    assert said["right"]["value"] == 0, "it was the day before"


def test_hints_given_to_ever_more_cost_or_gain_nothing_where_there_is_none(asked):
    hinted = rows(asked["longmemeval"], "hints")
    ways = {(row["protocol"], row["hint"]) for row in hinted}

    assert {(p, hint) for p in ("all-turns", "pooled") for hint in swift.HINTS} == ways
    for way in ways:
        own = [row for row in hinted if (row["protocol"], row["hint"]) == way]
        assert list(swift.FRACTIONS) == [row["fraction"] for row in own]
        assert own[0]["gain"]["low"] == own[0]["gain"]["high"] == own[0]["saved_ms"]["value"] == 0
        base = own[0]["recall@10"]["value"]
        assert all(
            row["recall@10"]["value"] == pytest.approx(base + row["gain"]["value"]) for row in own
        )
        assert all(row["recall@10"]["n"] == row["questions"] == 5 for row in own)


def test_a_right_interval_never_hides_what_answers(asked):
    for row in rows(asked["longmemeval"], "hints"):
        if row["hint"] == "during" and row["fraction"] == 1:
            assert row["recall@10"]["value"] == 1


def test_one_run_touches_fewest_pages_of_all_orders_of_the_same_rows(asked):
    for made in asked.values():
        laid = rows(made, "layout")
        pages = {row["order"]: row["pages"] for row in laid}

        assert ["as they arrived", "by cluster", "in one run"] == list(pages)
        assert pages["in one run"] == min(pages.values())
        assert 1 == len({(row["turns"], row["clusters"], row["rescored"]) for row in laid})


def test_the_mixture_is_of_the_same_questions_in_every_hint(tmp_path):
    lab = swift._Lab(tmp_path, load_embedder("hash"), None, 0, None)
    chance = np.random.default_rng(0)
    asked = [
        {way: (float(chance.integers(2)), float(chance.random())) for way in ("none", *swift.HINTS)}
        for _ in range(40)
    ]
    made = list(lab._mixed("all-turns", 1.0, asked))

    for hint in swift.HINTS:
        own = [row for row in made if row["hint"] == hint]
        gain = np.mean([one[hint][0] - one["none"][0] for one in asked])
        saved = np.mean([one["none"][1] - one[hint][1] for one in asked])
        assert own[-1]["gain"].value == pytest.approx(gain)
        assert own[-1]["saved_ms"].value == pytest.approx(1e3 * saved)
        lost = [row["recall@10"].value - own[0]["recall@10"].value for row in own]
        assert lost == pytest.approx([row["gain"].value for row in own])


def test_the_tables_of_a_report_read_back_are_its_own(asked, tmp_path):
    for made in asked.values():
        read = json.loads(made.write(tmp_path / "made.json").read_text())

        assert swift.tables(read) == made.tables()
        assert str(made).count("| --- |") == len(made.tables())
        (drawn,) = made.plot(tmp_path / "plots")
        assert drawn.read_bytes().startswith(b"\x89PNG")


def test_what_cannot_be_measured_is_refused(tmp_path):
    path = tmp_path / "some.json"
    path.write_text(json.dumps([conversation("a")]))
    with pytest.raises(InputError, match="choose one"):
        swift.run(path, embedder=None)
    path.write_text(json.dumps([{"what": "is this"}]))
    with pytest.raises(InputError, match="missing"):
        swift.run(path, embedder=load_embedder("hash"))
    path.write_text("[]")
    with pytest.raises(InputError, match="no question"):
        swift.run(path, embedder=load_embedder("hash"))


DAY = datetime(2023, 5, 2, tzinfo=UTC)


@pytest.mark.parametrize(
    ("start", "days", "right"),
    [(0, 1, True), (-1, 2, True), (-1, 3, False), (1, 1, False), (-1, 1, False), (0, None, False)],
)
def test_a_time_that_meets_the_answer_is_right_if_about_as_exact(start, days, right):
    told = Interval(
        DAY + timedelta(days=start), None if days is None else DAY + timedelta(days=start + days)
    )
    assert right == swift._agree(told, Interval(DAY, DAY + timedelta(days=1)))
