"""What a bank keeps of a stream of events: files, truth, made-up trackers, and whole seasons."""

from __future__ import annotations

import gzip
import json
import random
from collections import Counter
from datetime import UTC, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.errors import HippocampusError, InputError, SourceError
from hippocampus.sleep.outcome import times_used
from hippocampus_bench import events
from hippocampus_bench.events import measure, read_history, read_stream, unexpected
from hippocampus_bench.tracker import StreamEvent, Tracker, make_stream

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC).timestamp()


@pytest.fixture
def stream(tmp_path):
    def write(*rows, name="stream.jsonl"):
        path = tmp_path / name
        text = "\n".join(row if isinstance(row, str) else json.dumps(row) for row in rows)
        path.write_bytes(gzip.compress(text.encode()) if name.endswith("gz") else text.encode())
        return path

    return write


def referred(stream, truth="reference"):
    history = read_history(stream, truth)
    return (times_used(history.group, history.uses)[0] > 0).tolist()


def said(issue, event="commented", refs=(), body="", id_="", t=0.0):
    return StreamEvent(t, str(issue), event, "ada", body, "", tuple(map(str, refs)), id_)


# ---------------------------------------------------------------- what is read


@pytest.mark.parametrize(
    "t",
    ["2026-01-05T12:00:00Z", "2026-01-05 12:00", "2026-01-05T13:00+01:00", NOON, int(NOON),
     NOON * 1000, str(int(NOON))],
)  # fmt: skip
def test_times_are_read_however_they_are_written(stream, t):
    (event,) = read_stream(stream({"t": t, "issue": 1}))

    assert event.t == NOON


@pytest.mark.parametrize(
    "issue", [12, "12", "#12", "issue:12", "Issue #12", "GH-12", "x/y/issues/12", {"number": 12}]
)
@pytest.mark.parametrize(
    "ref", [12, "12", "#12", "issue:12", [12], ["#12", None], {"issue": 12}, "pull/12", 12.0]
)
def test_a_reference_finds_its_issue_however_both_are_written(stream, issue, ref):
    made = read_stream(stream({"t": 1, "issue": issue}, {"t": 2, "issue": 9, "ref": ref}))

    assert [True, False] == referred(made)


def test_all_but_time_and_issue_may_be_missing_or_null(stream):
    bare, null, full = read_stream(
        stream(
            {"t": 1, "issue": 1},
            {"t": 2, "issue": "a", "event": None, "actor": None, "body": None, "label": None,
             "ref": None, "id": None, "else": [1]},
            "  ",
            {"t": 3, "issue": 1, "event": "labeled", "actor": {"login": "ada"}, "body": "é",
             "label": ["bug", {"name": "p1"}], "ref": "#1, #2 3", "id": 7},
        )
    )  # fmt: skip

    assert StreamEvent(1, "1", "event", "") == bare
    assert StreamEvent(2, "a", "event", "") == null
    assert StreamEvent(3, "1", "labeled", "ada", "é", "bug, p1", ("#1", "#2", "3"), "7") == full


def test_events_are_put_in_order_of_time_without_reordering_equal_times(stream):
    rows = [{"t": t, "issue": issue} for t, issue in ((5, "a"), (1, "b"), (5, "c"), (2, "d"))]

    assert ["b", "d", "a", "c"] == [event.issue for event in read_stream(stream(*rows))]
    assert 4 == len(read_stream(stream(*rows, name="s.jsonl.gz")))


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ('{"t": 1', r"line 2: not JSON"),
        ("[1]", r"line 2: '\[1\]' is not an object"),
        ('{"issue": 1}', r"line 2: 't' is missing; an event needs t and issue"),
        ('{"t": 1, "issue": null}', r"line 2: 'issue' is missing"),
        ('{"t": "soon", "issue": 1}', r"line 2, 't': 'soon' is no time; give ISO 8601"),
        ('{"t": NaN, "issue": 1}', "line 2, 't': nan is no time"),
        ('{"t": 1e999, "issue": 1}', "line 2, 't': inf is no time"),
        ('{"t": -5, "issue": 1}', "line 2, 't': -5 is no time"),
        ('{"t": true, "issue": 1}', "line 2, 't': True is no time"),
        ('{"t": 1, "issue": 1.5}', "line 2, 'issue': 1.5 is neither text nor a whole number"),
        ('{"t": 1, "issue": true}', "line 2, 'issue': True is neither"),
        ('{"t": 1, "issue": 1, "ref": [{}]}', "line 2, 'ref': {} is neither"),
        ('{"t": 1, "issue": 1, "actor": "%s"}' % ("a" * 501), "line 2: 'actor' has 501 characters"),
    ],
)
def test_a_line_that_is_no_event_is_named_with_its_number_the_rule_and_the_fix(
    stream, line, complaint
):
    with pytest.raises(InputError, match=complaint):
        read_stream(stream({"t": 1, "issue": 1}, line))


def test_files_that_are_no_streams_are_refused(stream, tmp_path):
    latin, broken = stream(name="latin.jsonl"), stream(name="b.gz")
    latin.write_bytes(b'{"t": 1, "issue": "\xff"}')
    broken.write_bytes(broken.read_bytes()[:9])
    for path, complaint in (
        (tmp_path / "none.jsonl", "no such file"), (stream(""), "holds no events"),
        (latin, "is not UTF-8"), (broken, "cannot be read"), (tmp_path, "cannot be read"),
    ):  # fmt: skip
        with pytest.raises(SourceError, match=complaint):
            read_stream(path)


@given(
    st.fixed_dictionaries(
        {"t": st.one_of(st.floats(), st.integers(), st.text(max_size=9), st.none())},
        optional={
            name: st.recursive(
                st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text()),
                lambda inner: st.one_of(
                    st.lists(inner, max_size=3), st.dictionaries(st.text(), inner, max_size=3)
                ),
                max_leaves=5,
            )
            for name in ("issue", "event", "actor", "body", "label", "ref", "id")
        },
    )
)
def test_whatever_a_line_holds_it_is_an_event_or_an_error_of_ours(row):
    try:
        event = events._event(json.dumps(row), "x.jsonl, line 1")
    except HippocampusError as exc:
        told = str(exc)
    else:
        told = "x.jsonl, line 1" if event.issue else ""
        read_history([event])

    assert told.startswith("x.jsonl, line 1")


# ---------------------------------------------------------------- what was referred to later


def test_an_event_is_referred_to_by_later_ones_of_other_issues_alone():
    stream = [
        said(1), said(2, refs=[1]), said(1), said(1, refs=[1]), said(3, body="As in #1, see #2."),
        said(1), said(2),
    ]  # fmt: skip

    assert [True, True, True, True, False, False, False] == referred(stream)
    assert [True, True, True, True, False, False, False] == referred(stream, "activity")
    assert [True, False] == referred([said(1), said(1)], "activity")


def test_a_bare_reference_means_an_issue_before_an_event_of_the_same_id():
    by_id = [said(1, id_="e1"), said(1, id_="e2"), said(1, id_="e3", refs=["e2"])]
    both = [said(1, id_="7"), said(7, id_="8"), said(2, refs=["7"]), said(2, refs=["event:7"])]

    assert [False, True, False] == referred(by_id)
    assert [True, True, False, False] == referred(both)


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("#12", True), ("(#12)", True), ("x/y/issues/12", True), ("https://h/y/pull/12.", True),
        ("issue 12", False), ("a#12", False), ("#123", False), ("&#12;", False), ("#1 2", False),
    ],
)  # fmt: skip
def test_what_a_text_mentions_counts_as_a_reference(body, found):
    assert [found, False] == referred([said(12), said(9, body=body)])


def test_keys_of_other_trackers_are_mentions_too():
    assert [True, False] == referred([said("AB-3"), said("AB-4", body="Blocks AB-3.")])


@given(st.integers(0, 50))
def test_truth_is_as_one_would_count_it_by_hand(seed):
    stream = make_stream(200, seed=seed)
    made = referred(stream)

    for row, event in enumerate(stream):
        later = (other for other in stream[row + 1 :] if other.issue != event.issue)
        assert made[row] == any(
            event.issue in other.refs or f"#{event.issue}" in other.body.replace(",", " ").split()
            for other in later
        )


# ---------------------------------------------------------------- made-up trackers


def test_two_trackers_are_the_same_only_for_the_same_seed():
    assert make_stream(500, seed=3) == make_stream(500, seed=3)
    assert make_stream(500, seed=3) != make_stream(500, seed=4)


def test_a_tracker_has_what_a_trackers_life_has():
    stream = make_stream(12_000, seed=1)
    kinds = Counter(event.event for event in stream)
    issues = Counter(event.issue for event in stream)
    actors = Counter(event.actor for event in stream if event.event == "commented")
    bodies = [event.body for event in stream if event.body]

    assert len(stream) == 12_000
    assert 1250 <= len(issues) <= 1350
    assert [event.t for event in stream] == sorted(event.t for event in stream)
    assert 80 < (stream[-1].t - stream[0].t) / 86400 < 90
    assert {"opened", "commented", "labeled", "unlabeled", "assigned", "closed", "reopened",
            "cross-referenced", "merged"} <= kinds.keys()  # fmt: skip
    assert {"triage-bot", "ci-bot"} <= actors.keys()
    assert any("uplicate" in body for body in bodies)
    assert len(set(bodies)) > 0.5 * len(bodies)
    assert max(issues.values()) > 10 * np.median(list(issues.values()))
    assert "{" not in "".join(bodies)
    for event in stream:  # what a field refers to, the text says as well
        assert all(f"#{ref}" in event.body for ref in event.refs)
    opened = {event.issue: event.t for event in stream if event.event == "opened"}
    assert opened.keys() == issues.keys()
    assert all(opened[event.issue] <= event.t for event in stream)


@pytest.mark.parametrize("seed", range(3))
def test_three_quarters_of_a_trackers_events_are_referred_to_later(seed):
    assert 0.68 < np.mean(referred(make_stream(12_000, seed=seed))) < 0.8


@pytest.mark.parametrize(
    "wrong", [{"days": 0}, {"fixed": 0.9, "stale": 0.2}, {"tail": 1.0}, {"users": 0}, {"churn": -1}]
)
def test_a_tracker_that_cannot_be_is_refused(wrong):
    with pytest.raises(InputError, match="Tracker"):
        Tracker(**wrong)


def test_a_stream_that_is_too_small_is_refused():
    with pytest.raises(InputError, match="size=199: must be at least 200"):
        make_stream(199)


# ---------------------------------------------------------------- measures


def test_measures_are_the_shares_they_are_called():
    kept = np.array([1, 1, 1, 0, 0, 0, 0, 0, 0, 0], bool)
    later = np.array([1, 1, 0, 1, 1, 0, 0, 0, 0, 0], bool)
    made = {name: one.value for name, one in
            measure(kept, later, np.arange(10), reduction=0.6).items()}  # fmt: skip

    assert made == pytest.approx(
        {"retention_precision": 2 / 3, "retention_recall": 0.5, "store_reduction": 0.7,
         "base_rate": 0.4, "recall_bound": 2 / 3, "recall_of_bound": 0.75}
    )  # fmt: skip


def test_intervals_around_the_value_come_from_drawing_whole_issues():
    dice = np.random.default_rng(0)
    kept, later = dice.random(600) < 0.4, dice.random(600) < 0.7
    alone = measure(kept, later, np.arange(600), reduction=0.6)["retention_precision"]
    tied = measure(
        np.repeat(kept[:60], 10), np.repeat(later[:60], 10), np.repeat(np.arange(60), 10),
        reduction=0.6,
    )["retention_precision"]  # fmt: skip

    assert alone.low < alone.value < alone.high
    assert tied.high - tied.low > 2 * (alone.high - alone.low)


def test_what_has_no_denominator_is_left_out():
    none = np.zeros(5, bool)

    assert {"store_reduction", "base_rate"} == measure(
        none, none, np.arange(5), reduction=0.5
    ).keys()


# ---------------------------------------------------------------- seasons


def season_of(stream, *, truth="reference", every_days=7.0):
    histories = {name: read_history(stream, name) for name in events.TRUTHS}
    return events._Season(stream, histories, truth, 0.6, every_days, 0)


@pytest.fixture(scope="module")
def season():
    return events.run(size=4000, seed=2, every_days=5)


def value(made, name, system=None):
    return (made.metrics if system is None else made.baselines[system])[name].value


def test_what_is_foreseen_is_referred_to_after_a_night_more_often_than_others(season):
    ours = value(season, "foresight_precision")

    assert value(season, "store_reduction") >= 0.6
    assert ours > value(season, "foresight_precision", "frequency only")
    assert ours > value(season, "foresight_precision", "proven first")
    assert ours > 1.1 * value(season, "foresight_base_rate")
    found = season.metrics["foresight_precision"]
    assert found.low < found.value < found.high


def test_nobody_foresees_more_than_who_knows_what_comes_at_any_reduction(season):
    known = value(season, "foresight_precision", events.BOUND)
    for name in events.SYSTEMS:
        assert value(season, "foresight_precision", name) <= known, name
    assert [row["reduction"] for row in season.by_reduction] == list(events.REDUCTIONS)
    for row in season.by_reduction:
        assert row[events.BOUND] >= max(v for k, v in row.items() if k != "reduction")
    first = season.by_reduction[0]
    assert first[events.MAIN] == pytest.approx(value(season, "foresight_precision"), abs=1e-4)
    assert first[events.BOUND] == pytest.approx(known, abs=1e-4)


def test_each_night_tells_how_near_its_foresight_comes_to_the_best_possible(season):
    chose = [row for row in season.rows if row["bound"] is not None]

    assert chose
    assert season.rows[-1]["bound"] is None, "nothing comes after the last"
    assert season.rows[0]["bound"] is None, "the first has room for all"
    for row in chose:
        assert 0 <= row["precision"] <= row["bound"] <= 1
        assert 0 <= row["recall"] <= 1
        assert row["reduction"] == pytest.approx(1 - row["after"] / row["seen"], abs=1e-4)
    kept = sum(row["after"] for row in chose)
    mean = sum(row["precision"] * row["after"] for row in chose) / kept
    assert mean == pytest.approx(value(season, "foresight_precision"), abs=1e-3)


@pytest.mark.slow
@pytest.mark.parametrize("wording", ["tuned", "second"])
def test_the_newest_and_the_oftenest_foresee_less_in_any_words(wording):
    for seed in (0, 1):
        season = season_of(make_stream(20_000, seed=seed, wording=wording))
        ours = season.replayed(events._foreseen).metrics["foresight_precision"].value
        for name in ("recency only", "frequency only"):
            theirs = season.replayed(events.SYSTEMS[name]).metrics["foresight_precision"].value
            assert ours > theirs + 0.01, (name, seed)


def test_what_is_proven_is_nearly_all_referred_to_later_at_the_reduction_asked_for(season):
    name = "proven first"
    assert value(season, "retention_precision", name) >= 0.98
    assert value(season, "recall_of_bound", name) >= 0.95
    for other in events.SYSTEMS.keys() - {name, "frequency only"}:
        proven = value(season, "retention_precision", name)
        assert proven > value(season, "retention_precision", other)


def test_random_keeping_is_hardly_above_the_base_rate_of_keeping_everything(season):
    base = value(season, "base_rate")

    assert base == value(season, "retention_precision", "keep everything")
    assert value(season, "retention_recall", "keep everything") == 1
    assert value(season, "store_reduction", "keep everything") == 0
    assert value(season, "retention_precision", "random") < base + 0.02


def test_the_store_levels_off_while_events_come_in(season):
    sizes = [row["after"] for row in season.rows]
    target = season.settings["target"]

    assert max(sizes) <= max(target, sizes[-1])
    assert sizes[-1] <= target == 1600
    assert sum(size > 0.95 * target for size in sizes) > len(sizes) / 3
    assert season.rows[-1]["seen"] == 4000


def test_what_was_kept_is_what_the_bank_has(season):
    kept = sum(receipt["kept"] for receipt in season.receipts())

    assert season.rows[-1]["after"] == kept == 4000 - round(4000 * value(season, "store_reduction"))


@pytest.mark.parametrize("make", [lambda: make_stream(1500, seed=6), lambda: reviews(1, 120)])
def test_the_bank_keeps_what_the_same_rule_keeps_without_one(make, tmp_path):
    season = season_of(make())
    kept, grown = season.remembered(tmp_path / "m.db", "none", None)
    alone = season.replayed(events._foreseen)

    assert alone.final.tolist() == kept.final.tolist()
    assert alone.metrics == kept.metrics
    assert grown.rows[-1]["after"] == kept.final.sum()
    assert grown.nbytes["compacted"] < 0.8 * grown.nbytes["remembered"]


def test_of_both_meanings_reported_activity_is_wider_than_reference(season):
    by = season.by_truth

    assert set(events.TRUTHS) == set(by)
    assert by["reference"]["base_rate"].value < by["activity"]["base_rate"].value
    assert (
        by["reference"]["retention_precision"].value <= by["activity"]["retention_precision"].value
    )


def test_the_future_changes_nothing_that_was_decided_before_it():
    stream = make_stream(3000, seed=5)
    made = []
    for end in (stream[2000:], [], [event._replace(refs=(), body="") for event in stream[2000:]]):
        whole = [*stream[:2000], *end]
        season = season_of(whole)
        season.target = 700
        nights = season.nights(events._retained)
        made.append([kept.tolist() for stop, _, kept in nights if stop < 1990])

    assert made[0] == made[1] == made[2]
    assert len(made[0]) > 5


@pytest.mark.parametrize(
    "how",
    [
        {"mentions": 0.1}, {"churn": 4.0}, {"tail": 3.0}, {"tail": 1.05}, {"fix_days": 30.0},
        {"days": 365.0}, {"days": 20.0}, {"users": 20}, {"pulls": 0.0}, {"duplicate": 0.25},
    ],
    ids=str,
)  # fmt: skip
def test_it_is_not_fitted_to_one_tracker(how):
    stream = make_stream(4000, seed=8, tracker=Tracker(**how))
    made = season_of(stream, every_days=10.0).replayed(events._retained)

    assert made.metrics["retention_precision"].value >= 0.98
    assert made.metrics["store_reduction"].value >= 0.6
    if made.metrics["base_rate"].value > 0.65:  # of fewer, some come too late to be known in time
        assert made.metrics["recall_of_bound"].value >= 0.95


def reviews(seed, changes=400):
    """Make up reviews of code: votes and replies to single comments, hardly any links."""
    dice = random.Random(seed)  # noqa: S311 - nothing here is secret
    made, clock, open_ = [], 0.0, {}
    for number in range(changes):
        clock += dice.expovariate(1 / 5000)
        change, t = f"CL-{number}", clock
        comments, author = [], f"a{dice.randint(0, 30)}"
        for step in range(dice.randint(2, 25)):
            t += dice.expovariate(1 / 20000)
            refs, body = (), "Looks fine."
            kind = dice.choice(("patch set", "comment", "comment", "vote", "build"))
            if comments and dice.random() < 0.5:
                kind, refs = "reply", (dice.choice(comments[-4:]),)
            elif open_ and dice.random() < 0.25:
                body = f"Depends on {dice.choice(sorted(open_, key=open_.get)[-30:])}."
            key = f"{change}/{step}"
            if kind == "comment":
                comments.append(key)
            made.append(StreamEvent(t, change, kind, author, body, "", refs, key))
        open_[change] = clock
    return sorted(made)


@pytest.mark.parametrize("seed", range(3))
def test_the_retention_holds_in_the_other_world_of_code_reviews(seed):
    stream = reviews(seed)
    season = season_of(stream, every_days=3.0)
    made = season.replayed(events._retained).metrics
    newest = season.replayed(events.SYSTEMS["recency only"]).metrics

    assert made["retention_precision"].value >= 0.98
    assert made["store_reduction"].value >= 0.6
    assert made["retention_recall"].value > newest["retention_recall"].value


def test_a_stream_in_which_nothing_refers_to_anything_has_no_right_answer(stream):
    apart = stream(*({"t": 100_000 * n, "issue": n, "body": f"Hello {n}."} for n in range(60)))

    with pytest.raises(InputError, match="no event is referred to later by 'reference'"):
        events.run(apart)


def test_one_event_that_is_repeated_stays_as_one_episode(stream):
    same = [{"t": 5, "issue": 1, "event": "opened", "body": "Hello."}] * 30
    made = events.run(stream(*same), truth="activity", systems=["random"])

    assert made.metrics["retention_recall"].value == 1
    assert made.metrics["store_reduction"].value == 0


def test_where_nothing_was_of_use_the_end_of_a_season_does_not_empty_the_store():
    stream = [said(n, t=3600.0 * n) for n in range(100)]
    made = season_of(stream, every_days=1.0).replayed(events._retained)

    assert 40 == made.final.sum()


def test_a_file_is_measured_like_what_is_made_up(stream):
    rows = [
        {"t": e.t, "issue": int(e.issue), "event": e.event, "actor": e.actor, "body": e.body,
         "label": e.label or None, "ref": [int(ref) for ref in e.refs]}
        for e in make_stream(1000, seed=4)
    ]  # fmt: skip
    path = stream(*rows)
    of_file = events.run(path, seed=4, systems=[])
    made_up = events.run(size=1000, seed=4, systems=[])

    assert of_file.metrics == made_up.metrics
    assert of_file.settings["data"] == {"stream.jsonl": events.sha256_of(path)["stream.jsonl"]}
    assert events.run(path, size=300, systems=[]).settings["events"] == 300


def test_a_long_body_is_one_event_though_it_is_kept_in_parts(stream):
    long = " ".join(f"Sentence {n} of a long report about the terminal." for n in range(200))
    rows = [{"t": n, "issue": n % 7, "body": long if n % 5 == 0 else f"x{n}", "ref": (n + 1) % 7}
            for n in range(40)]  # fmt: skip
    made = events.run(stream(*rows), systems=[])

    assert made.rows[-1]["after"] == sum(one["kept"] for one in made.receipts())


@pytest.mark.parametrize(
    ("given_", "complaint"),
    [
        ({"reduction": 1.0}, "reduction=1.0"),
        ({"reduction": -0.1}, "reduction=-0.1"),
        ({"every_days": 0}, "every_days=0"),
        ({"every_days": float("inf")}, "every_days=inf"),
        ({"truth": "rumour"}, "truth='rumour': there are reference, activity"),
        ({"systems": ["darts"]}, "system 'darts' is unknown; there are keep everything"),
        ({"size": 3}, "size=3: must be at least 200"),
    ],
)
def test_what_there_is_not_is_refused_before_anything_is_remembered(given_, complaint):
    with pytest.raises(InputError, match=complaint):
        events.run(**given_)


# ---------------------------------------------------------------- from the shell


def test_the_command_writes_report_receipts_and_plot(stream, tmp_path):
    from typer.testing import CliRunner

    from hippocampus.cli import app

    path = stream(*({"t": 3600 * n, "issue": n % 9, "ref": (n * 7) % 9} for n in range(300)))
    file = tmp_path / "report.json"
    done = CliRunner().invoke(
        app,
        ["bench", "events", "--data", str(path), "--reduction", "0.5", "--every-days", "2",
         "--systems", "recency only,random", "--report", str(file), "--plots", str(tmp_path)],
        env={"COLUMNS": "200"},
    )  # fmt: skip

    assert 0 == done.exit_code, done.output
    assert "| hippocampus |" in done.stdout
    made = json.loads(file.read_text())
    assert {"recency only", "random", events.BOUND} == set(made["baselines"])
    assert 0.5 <= made["metrics"]["store_reduction"]["value"]
    assert events.tables(made)
    receipts = file.with_name("report.receipts.jsonl").read_text().splitlines()
    assert 300 == len(receipts)
    kept = [one for one in map(json.loads, receipts) if one["kept"]]
    assert made["metrics"]["retention_precision"]["value"] == pytest.approx(
        np.mean([one["referred"] for one in kept]), abs=1e-5
    )
    assert (tmp_path / "events.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("given_", "complaint"),
    [
        (["--size", "0"], "--size 0: must be at least 200"),
        (["--systems", "darts"], "system 'darts' is unknown"),
        (["--truth", "rumour"], "--truth 'rumour'"),
        (["--no-sleep"], "events has no such choice"),
        (["--data", "nowhere.jsonl"], "no such file"),
    ],
)
def test_the_command_says_what_is_wrong(given_, complaint):
    from typer.testing import CliRunner

    from hippocampus.cli import app

    done = CliRunner().invoke(app, ["bench", "events", *given_])

    assert done.exit_code not in (0, 1)
    assert complaint in " ".join(done.output.split())


# ---------------------------------------------------------------- surprise


@given(st.lists(st.integers(0, 4), max_size=40))
def test_surprise_of_a_kind_lies_in_range_however_often_it_is_repeated(values):
    made = unexpected(np.array(values, np.int64))

    assert np.all((made >= 0) & (made <= 1))


def test_what_was_never_seen_is_more_surprising_than_what_always_comes():
    made = unexpected(np.array([0] * 50 + [1] + [0]))

    assert made[50] > 0.9
    assert made[51] < 0.1
    assert made[49] < made[10] < made[1]
    assert unexpected(np.zeros(0, np.int64)).shape == (0,)
