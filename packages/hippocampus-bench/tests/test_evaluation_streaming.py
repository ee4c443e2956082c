"""Banks live through sessions under a policy, and what stands for evidence counts as found."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest
from typer.testing import CliRunner

from hippocampus.cli import app
from hippocampus.core.records import Turn
from hippocampus.encode.embed import HashEmbedder
from hippocampus.errors import InputError
from hippocampus_bench import streaming
from hippocampus_bench.datasets import Case, KeyedTurn, Question, Step
from hippocampus_bench.streaming import CONFIGURATIONS, KEEP, curve, in_sessions, repeating

FACT = "My sister Josefa keeps her red kayak in the boathouse of the rowing club."


def session(place, turns, *, gold=False):
    return {
        "at": f"2023/05/{place + 1:02} (Mon) 10:00",
        "turns": [
            {"role": role, "content": text, "has_answer": gold and role == "user"}
            for role, text in turns
        ],
    }


def haystack(sessions, *, gold, question="Where does Josefa keep the red kayak?"):
    return {
        "question_id": "q", "question_type": "single-session-user", "question": question,
        "question_date": "2023/06/30 (Fri) 23:40", "answer": "the boathouse",
        "answer_session_ids": [f"s{gold}"],
        "haystack_session_ids": [f"s{place}" for place in range(len(sessions))],
        "haystack_dates": [one["at"] for one in sessions],
        "haystack_sessions": [one["turns"] for one in sessions],
    }  # fmt: skip


def talk(place):
    return [
        ("user", f"On day {place} we spoke about the weather in town number {place * 7}."),
        ("assistant", f"Day {place} brought rain and wind of strength {place % 9} to the coast."),
    ]


@pytest.fixture
def repeated(write):
    """The same is said in three sessions, and a question cites the first."""
    sessions = [
        session(place, [("user", FACT)] if place in (2, 7, 11) else talk(place), gold=place == 2)
        for place in range(16)
    ]
    return write("m.json", [haystack(sessions, gold=2)])


def rows(path, **more):
    made = streaming.run(path, "longmemeval", embedder=HashEmbedder(), resamples=50, **more)
    return {row["configuration"]: row for row in made.rows}


def test_a_canonical_duplicate_counts_as_the_evidence_that_it_stands_for(repeated):
    found = rows(repeated, every=4, systems=["dedup-only"])
    base, merged = found[KEEP], found["dedup-only"]

    assert base["store_episodes"] - merged["store_episodes"] == 2, "one stands for three"
    assert merged["tokens_kept"] < 1
    assert merged["metrics"]["turn_recall_any@5"]["value"] == 1
    assert merged["metrics"]["session_recall_any@5"]["value"] == 1
    assert merged["difference"]["turn_recall_any@10"]["value"] == 0


def test_the_smaller_the_target_the_less_is_kept(write):
    def long(place):
        return [
            (role, " ".join(f"{text} Part {n}." for n in range(40))) for role, text in talk(place)
        ]

    sessions = [session(place, long(place), gold=place == 3) for place in range(24)]
    path = write("long.json", [haystack(sessions, gold=3)])
    targets = [f"adaptive-{n}K" for n in (10, 25, 200)]
    found = rows(path, every=4, systems=targets)
    kept = [found[name]["store_tokens"] for name in (*targets, KEEP)]

    assert {KEEP, *targets} == found.keys()
    assert kept == sorted(kept)
    assert kept[0] < 12_000, "the last sleep left so many, and nothing was told since"
    assert kept[0] < kept[1] < kept[2]


def test_every_row_tells_how_far_it_is_from_keeping_everything(repeated):
    found = rows(repeated, every=4, systems=["aggressive"])

    assert {0.0} == {one["value"] for one in found[KEEP]["difference"].values()}
    for name, row in found.items():
        for measure, one in row["metrics"].items():
            lead = one["value"] - found[KEEP]["metrics"][measure]["value"]
            assert lead == pytest.approx(row["difference"][measure]["value"], abs=1e-5), name


def test_sessions_come_in_order_of_time_with_questions_where_they_were():
    def said(key, name, day):
        at = datetime(2024, 1, day, tzinfo=UTC)
        return KeyedTurn(key, Turn(text=key, at=at, session=name))

    asked = Question(id="q", text="?", kind="k", now=datetime(2024, 2, 1, tzinfo=UTC))
    later = [
        said("c", "late", 9),
        said("d", "late", 10),
        said("a", "soon", 2),
        said("b", "soon", 3),
    ]
    case = Case("x", (Step(remember=tuple(later)), Step(ask=(asked,), remember=(later[0],))))

    steps = list(in_sessions(case))

    assert [[one.key for one in step.remember] for step in steps] == [
        ["a", "b"],
        ["c", "d"],
        [],
        ["c"],
    ]
    assert [len(step.ask) for step in steps] == [0, 0, 1, 0]


def test_the_configurations_are_those_of_the_papers_tables():
    targets = {one.policy.token_target for one in CONFIGURATIONS.values()}

    assert targets == {None, 10_000, 25_000, 50_000, 115_000, 200_000}
    assert len([n for n in CONFIGURATIONS if n not in ("adaptive-115K", "adaptive-200K")]) == 9
    assert CONFIGURATIONS[KEEP].policy.merge == "off"
    recon = {name for name, one in CONFIGURATIONS.items() if one.policy.reconsolidate}
    assert recon == {"dedup + recon", "aggressive + recon"}


def test_a_run_comes_out_as_a_report_a_text_and_a_plot(repeated, tmp_path):
    made = streaming.run(repeated, "longmemeval", every=8, systems=["adaptive-10K"], resamples=50)

    report = json.loads(made.write(tmp_path / "s.json").read_text())
    assert report["settings"]["sleeps"] == "after every 8 sessions and the last"
    assert report["settings"]["embedder"] is None
    (plotted,) = made.plot(tmp_path / "plots")
    assert plotted.read_bytes().startswith(b"\x89PNG")
    assert "adaptive-10K" in str(made)
    points = curve(report, "turn_recall_any@10")
    assert points == sorted(points)
    assert len(points) == 2


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"source": "locomo"}, "source='locomo'"),
        ({"every": 0}, "every=0"),
        ({"systems": ["forgetful"]}, "forgetful"),
    ],
)
def test_what_makes_no_sense_is_refused(repeated, more, says):
    given = {"source": "longmemeval", **more}
    with pytest.raises(InputError, match=says):
        streaming.run(repeated, given.pop("source"), **given)


def test_the_command_needs_a_source_and_data(repeated):
    shell = CliRunner()
    for args in (["--data", str(repeated)], ["--source", "longmemeval"]):
        done = shell.invoke(app, ["bench", "streaming", "--embedder", "hash", *args])
        assert done.exit_code == 2
        assert "needs --" in done.stderr
    args = ["--source", "longmemeval", "--data", str(repeated), "--systems", "dedup-only"]
    done = shell.invoke(app, ["bench", "streaming", "--embedder", "hash", "--every", "4", *args])

    assert done.exit_code == 0
    assert "| dedup-only |" in done.stdout


def test_what_the_same_one_tells_again_later_is_evidence_too():
    def said(n):
        at = datetime(2024, 1, n + 1, tzinfo=UTC)
        return KeyedTurn(f"t{n}", Turn(text=f"Turn {n}.", at=at, role="user", session=f"s{n}"))

    asked = Question(
        id="q", text="?", kind="k", now=datetime(2024, 2, 1, tzinfo=UTC), gold=frozenset({"t0"})
    )
    case = Case.haystack("x", [said(n) for n in range(9)], [asked])
    made = repeating(case, 1.0, seed=1)

    assert made == repeating(case, 1.0, seed=1)
    assert repeating(case, 0.0, seed=1).said == case.said
    place = {one.key: n for n, one in enumerate(made.said)}
    assert len(made.said) == 17, "all but what is told in the last session"
    for one in made.said:
        again = place.get(f"{one.key} again")
        if again is not None:
            twice = made.said[again]
            assert twice.turn.at > one.turn.at
            assert twice.turn.text.endswith(one.turn.text)
            assert twice.turn.role == "user"
            assert twice.turn.session != one.turn.session
    assert made.questions[0].gold == {"t0", "t0 again"}


def test_a_bank_sleeps_after_its_last_session_as_well(repeated):
    found = rows(repeated, every=100, systems=["dedup-only"])

    assert found[KEEP]["store_episodes"] - found["dedup-only"]["store_episodes"] == 2


def test_merging_saves_what_was_told_twice_without_losing_evidence(write):
    words = [
        ("The {} in the harbour was painted by old Anselm", "boat shed crane ferry lamp".split()),
        ("My cousin collects stamps with a {} on them", "heron castle comet tulip anchor".split()),
    ]
    told = [text.format(thing) for text, things in words for thing in things]
    sessions = [session(n, [("user", f"{text}.")], gold=n == 0) for n, text in enumerate(told)]
    path = write("m.json", [haystack(sessions, gold=0, question="Who painted the boat?")])
    found = rows(path, every=1, repeats=1.0, systems=["dedup-only"])

    assert found["dedup-only"]["tokens_kept"] < 0.9
    assert found["dedup-only"]["difference"]["turn_recall_any@10"]["value"] == 0


def test_a_bank_that_lives_once_is_asked_at_every_target_unaware_of_the_other(write):
    def long(place):
        return [
            (role, " ".join(f"{text} Part {n}." for n in range(40))) for role, text in talk(place)
        ]

    sessions = [session(place, long(place), gold=place == 3) for place in range(24)]
    path = write("long.json", [haystack(sessions, gold=3, question="Which wind was on day 3?")])
    systems = ["dedup-only", "adaptive-25K", "adaptive-10K", "all at L4"]
    found = rows(path, every=4, once=True, systems=systems)
    alone = rows(path, every=4, once=True, systems=["adaptive-10K"])

    kept = [found[name]["store_tokens"] for name in (KEEP, *systems)]
    assert kept == sorted(kept, reverse=True)
    assert found["adaptive-25K"]["store_tokens"] < 26_000
    assert found["adaptive-10K"] == alone["adaptive-10K"], "it knows of no question asked before"
    assert found["all at L4"]["store_episodes"] == found["dedup-only"]["store_episodes"]
    assert found["all at L4"]["tokens_kept"] < 0.2


def test_a_run_that_was_cut_off_comes_to_the_same_once_it_goes_on(repeated, tmp_path):
    once = rows(repeated, every=4, systems=["dedup-only"])
    noted = tmp_path / "lives.jsonl"
    rows(repeated, every=4, systems=["dedup-only"], resume=noted)
    whole = noted.read_text()
    noted.write_text(whole[: whole.rindex("{", 0, -40) + 9])  # cut off within the last line
    again = rows(repeated, every=4, systems=["dedup-only"], resume=noted)

    def lasting(found):
        return {
            name: {k: v for k, v in row.items() if "_s" not in k} for name, row in found.items()
        }

    assert lasting(again) == lasting(once)
    assert noted.read_text().count("\n") == whole.count("\n")


def test_a_run_does_not_go_on_from_another_nor_from_what_is_none(repeated, tmp_path):
    noted = tmp_path / "lives.jsonl"
    rows(repeated, every=4, systems=["dedup-only"], resume=noted)
    with pytest.raises(InputError, match="of another run"):
        rows(repeated, every=5, systems=["dedup-only"], resume=noted)
    for wrong in ("hello\n", "[]\n", ""):
        noted.write_text(wrong)
        with pytest.raises(InputError, match="resume="):
            rows(repeated, every=4, systems=["dedup-only"], resume=noted)
