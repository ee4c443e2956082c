"""Sleep and anchors on the command line."""

import json
import re
import signal
import sqlite3
from dataclasses import asdict, fields

import pytest

from hippocampus import Config, Memory, Policy
from hippocampus.cli.policy_words import rows_of
from hippocampus.cli.sleep import sleep_those_due
from hippocampus.sleep.schedule import STEPS

SUBJECTS = ("the greenhouse", "a violin", "Lisbon", "the roof", "our boat", "a tax form")
SAID = [f"Item {n}: something on {SUBJECTS[n % 6]}." for n in range(30)]


@pytest.fixture
def slept(shell, made_once):
    made_once(shell, tell_and_sleep)
    return shell


def tell_and_sleep(shell):
    for n, text in enumerate(SAID):
        shell("remember", text, "--at", f"2025-01-{n + 1:02}", "--embedder", "hash")
    assert shell("sleep", "--embedder", "hash").code == 0


@pytest.mark.parametrize(
    ("command", "code"),
    [("summary", 0), ("topics", 1), ("gists", 1), ("communities", 1), ("anchors list", 1)],
)
def test_what_only_sleep_makes_is_said_to_be_missing(shell, command, code):
    shell("remember", "Rex chews shoes.")
    told = shell(*command.split())

    assert (code, "") == (told.code, told.out)
    assert "has not slept; 'hippocampus sleep' makes this" in told.err
    assert shell(*command.split(), "--json").out


@pytest.mark.slow
def test_sleeping_again_finds_no_concepts_beyond_the_listed_anchors(slept):
    again = slept("sleep", "--embedder", "hash", "--json").json
    listed = slept("anchors", "list").out

    assert [step["name"] for step in again["steps"]] == list(STEPS)
    assert next(s for s in again["steps"] if s["name"] == "concepts")["counts"]["found"] == 0
    assert all(name in listed for name in ("greenhouse", "violin", "lisbon", "named"))
    assert {a["name"] for a in slept("anchors", "list", "--json").json} >= {"violin", "lisbon"}


@pytest.mark.slow
def test_each_step_is_told_with_its_purpose_and_what_it_did_in_plain_words(slept):
    slept("remember", SAID[0], "--at", "2025-01-01T12:00", "--embedder", "hash")
    slept("remember", "The boat has a mast.", "--embedder", "hash")
    slept("policy", "aggressive")
    planned = slept("sleep", "--dry-run", "--embedder", "hash").out
    told = slept("sleep", "--embedder", "hash").out
    lines = {line.partition(" (")[0]: line for line in told.splitlines()[1 : len(STEPS) + 1]}

    assert [*STEPS] == [*lines]
    assert all(re.match(rf"{name} \([a-z ,]+\): ", line) for name, line in lines.items())
    assert re.search(r"facts \(.*\): (\d+ statements?, )?2 memories read", told)
    assert re.search(r"deduplicate \(.*\): \d+ memor(y|ies) merged into another", planned)
    assert re.search(r"fade \w+ to level \d \((half the tokens|keywords|.*)\): worth", planned)
    assert re.search(r"concepts \(.*\): \d+ anchors, [\d,]+ postings", told)
    assert not re.search(r"\b(0 \w+|entries|groups read|pruned|promotable|lapsed)\b", told)
    listed = " ".join(slept("sleep", "--list").out.split())
    assert "concepts: " in listed
    assert "postings" in listed


@pytest.mark.slow
def test_a_policy_is_told_by_its_name_with_what_each_setting_means(slept):
    for name in ("keep", "hema", "adaptive:2500", "useful:40"):
        told = slept("policy", name).out
        assert told.startswith(f"policy: {name}\n")
    meant = {setting: text for setting, _, text in rows_of(Policy())}
    assert {field.name for field in fields(Policy)} == {
        name for name, text in meant.items() if text
    }
    assert "one of your own" not in told
    assert asdict(Policy.named("useful:40")) == slept("policy", "--json").json


def test_curating_is_heeded_by_the_next_sleep(slept):
    slept("anchors", "add", "hedgehog", "tax report")
    slept("anchors", "deny", "violin")
    slept("sleep", "--embedder", "hash")
    names = {a["name"]: a["kind"] for a in slept("anchors", "list", "--json").json}

    assert names["tax report"] == names["hedgehog"] == "curated"
    assert "violin" not in names
    assert 2 == slept("anchors", "add", " ").code
    assert "every source" in slept("anchors", "sources").out
    named = slept("anchors", "sources", "notes", "mail", "--json").json
    assert ["notes", "mail"] == named["sources"]
    assert 2 == slept("anchors", "sources", "notes", "--every").code
    assert slept("anchors", "sources", "--every", "--json").json["sources"] is None
    assert slept("anchors", "report", "--json").json["promotable"] == []


def test_the_report_says_what_was_given_up_and_what_is_about_to_be(slept):
    slept("remember", "The garden is green.", "--at", "2025-12-01", "--embedder", "hash")
    reports = []
    for _ in range(3):
        slept("sleep", "--embedder", "hash")
        reports.append(slept("anchors", "report", "--json").json)

    assert ["violin" in report["weak"] for report in reports] == [True, True, False]
    assert ["violin" in report["pruned"] for report in reports] == [False, False, True]
    assert "violin" in slept("anchors", "report").out.partition("given up: ")[2]


def test_an_index_that_went_out_as_json_can_come_back(slept, tmp_path):
    path = tmp_path / "concepts.json"
    assert "anchors written to" in slept("anchors", "export", str(path)).out
    document = json.loads(path.read_text())
    entry = document["entries"]["violin"]
    assert document["version"] == "1.3"
    assert len(entry["chunks"]) == len(entry["scores"]) == len(entry["sources"])
    document["entries"] = {"fiddle": entry}
    path.write_text(json.dumps(document))
    assert "1 anchors read" in slept("anchors", "import", str(path), "--embedder", "hash").out
    found = slept("recall", "fiddle", "--cues", "concept", "--embedder", "hash", "--json").json

    assert any("violin" in hit["episode"]["text"] for hit in found["hits"][:3])


def test_who_reads_the_document_while_it_is_written_anew_has_it_whole(slept, tmp_path):
    path = tmp_path / "concepts.json"
    slept("anchors", "export", str(path))
    written = path.read_text()
    with path.open() as held:
        assert slept("anchors", "export", str(path)).code == 2
        assert slept("anchors", "export", str(path), "--force").code == 0
        assert held.read() == written
    (tmp_path / "folder").mkdir()

    assert slept("anchors", "export", str(tmp_path / "folder")).code == 2
    assert {"concepts.json", "folder"} == {file.name for file in tmp_path.glob("[cf]*")}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.update(version="9"), "version='9': must be '1.3'"),
        (lambda d: d.update(model="other"), "model='other'"),
        (lambda d: d.update(entries={}), "there are none"),
        (lambda d: d.update(entries=[]), "JSON object"),
        (lambda d: d["entries"]["violin"]["scores"].pop(), "as long as 'ids'"),
        (lambda d: d["entries"]["violin"]["scores"].__setitem__(0, "high"), "a score of 'high'"),
        (lambda d: d["entries"]["violin"]["scores"].__setitem__(0, float("nan")), "a score of nan"),
        (lambda d: d["entries"]["violin"]["ids"].__setitem__(0, "nobody"), "no episode 'nobody'"),
        (lambda d: d["entries"]["violin"].update(kind="odd"), "kind='odd'"),
        (lambda d: d["entries"].update(Violins=d["entries"]["violin"]), "the same anchor as"),
        (lambda d: d["entries"].update({" ": d["entries"]["violin"]}), "an anchor has a name"),
        (
            lambda d: d["entries"].update({"\ud800": d["entries"]["violin"]}),
            "lone surrogate U+D800",
        ),
        (lambda d: d["entries"].update(violin=7), "must be an object"),
    ],
)
def test_an_index_edited_wrongly_by_hand_is_refused_without_changing_anything(
    slept, tmp_path, change, message
):
    path = tmp_path / "concepts.json"
    slept("anchors", "export", str(path))
    before = slept("anchors", "list", "--json").json
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))
    refused = slept("anchors", "import", str(path), "--embedder", "hash", env={"COLUMNS": "500"})

    assert 2 == refused.code
    assert message in refused.err
    assert before == slept("anchors", "list", "--json").json


def test_what_is_no_json_is_refused(slept, tmp_path):
    path = tmp_path / "concepts.json"
    path.write_text("{")

    assert "not JSON" in slept("anchors", "import", str(path), "--embedder", "hash").err


@pytest.mark.slow
def test_topics_are_shown_as_text_or_as_a_picture(slept, tmp_path):
    shown = slept("topics").out
    listed = {topic["name"]: topic for topic in slept("topics", "--json").json}

    assert "violin" in shown
    assert listed["violin"]["episodes"] >= 5
    pytest.importorskip("matplotlib")
    assert slept("topics", "--plot", str(tmp_path / "topics.png")).code == 0
    assert (tmp_path / "topics.png").read_bytes().startswith(b"\x89PNG")


def test_facts_may_be_only_those_that_a_trusted_origin_tells(shell):
    shell("remember", "I live in Graz.", "--speaker", "Ada", "--role", "user")
    shell("remember", "I live in Rome.", "--speaker", "Tom", "--source", "inbox.mbox")

    assert {"Graz", "Rome"} == {fact["object"] for fact in shell("facts", "--json").json}
    found = shell("facts", "--trust", "assistant", "--json")
    assert ["Graz"] == [fact["object"] for fact in found.json]
    assert 2 == shell("facts", "--trust", "all").code


def test_facts_are_shown_with_their_times_and_as_of_a_moment(shell):
    for text, at in (("I live in Porto.", "2025-01-10"), ("I moved to Lisbon.", "2025-05-02")):
        shell("remember", text, "--speaker", "Ada", "--at", at, "--embedder", "hash")
    shown = shell("facts", "ada", env={"COLUMNS": "120"}).out
    known = shell("facts", "--relation", "lives_in", "--at", "2025-03-01", "--json").json

    assert ["Porto", "2025-05-02", "Lisbon", "2025-05-02"] == [
        word for word in shown.split() if word in ("Porto", "Lisbon", "2025-05-02")
    ]
    assert ["Porto"] == [fact["object"] for fact in known]
    assert [] == shell("facts", "Tom", "--json").json
    assert [] == shell("facts", "--as-of", "2001-01-01", "--json").json
    assert 2 == shell("facts", " ").code

    asked = shell("recall", "Where does Ada live?").out
    assert asked.index("moved to Lisbon") < asked.index("live in Porto")
    assert 1 == asked.count("until 2025-05-02"), "what is over says since when"


def test_dates_of_facts_stay_whole_on_a_narrow_terminal(shell):
    shell(
        "remember", "I work at the Riverside Academy of Music and Movement.",
        "--speaker", "Bartholomew Featherstone", "--at", "2025-01-10",
    )  # fmt: skip
    facts = shell("facts", "--json").json

    shown = shell("facts", env={"COLUMNS": "80"}).out

    dates = [fact[name] for fact in facts for name in ("valid_from", "known_from") if fact[name]]
    assert dates
    assert all(date[:10] in shown for date in dates)


def test_undoing_a_sleep_that_changed_no_memory_says_what_becomes_of_the_rest(slept):
    undone = slept("sleep", "--undo", "1")

    assert (0, {"undone": {}}) == (undone.code, slept("sleep", "--undo", "1", "--json").json)
    assert "undone: it had changed no memory; what it promoted is so no more" in undone.out


def test_the_tiers_of_a_bank_are_said_not_to_add_up(shell):
    shell("remember", "The kettle is on.")

    shown = " ".join(shell("stats").out.split())

    assert "hot 1, warm 1, cold 0; each of the 1 may be in several, see --tiers" in shown


def test_a_hit_says_by_what_it_was_corrected(shell, corrected):
    flight, news = corrected
    asked = shell("recall", "our flight to Porto", "--bank", "ada", env={"COLUMNS": "120"})
    told = shell("recall", "our flight to Porto", "--bank", "ada", "--json").json

    assert 1 == asked.out.count(f"corrected by {news.id[:8]}")
    assert {flight.id: news.id, news.id: None} == {
        hit["episode"]["id"]: hit["corrected_by"] for hit in told["hits"]
    }


def test_gists_are_listed_with_how_mature_they_are(shell):
    for day in range(1, 16):
        shell("remember", f"We painted the old boat in Porto, {day}.", "--at", f"2025-03-{day:02}")
    shell("sleep", "--steps", "gists")
    (gist,) = shell("gists", "--json").json

    assert "painted the old boat" in gist["text"]
    assert (3, True) == (len(gist["sources"]), gist["silent"])
    assert "0.03 silent" in shell("gists").out


@pytest.mark.slow
def test_a_watch_lets_banks_sleep_that_are_due_until_it_is_interrupted(shell):
    shell("remember", "We painted the old boat in Porto.")
    with shell.spawn("sleep", "--watch", text=True) as watch:
        assert any(line.startswith("summary (") for line in watch.stdout), "the last of its steps"
        watch.send_signal(signal.SIGINT)

    assert watch.returncode == 130
    assert shell("sleep", "--list", "--json").json[0]["number"] == 1


def test_a_watch_goes_on_where_a_store_is_locked(shell):
    for bank in ("ada", "tom"):
        shell("remember", "We painted the old boat in Porto.", "--bank", bank)
    with Memory(shell.store, embedder="hash", config=Config(busy_timeout_s=0.05)) as memory:
        holder = sqlite3.connect(shell.store, isolation_level=None)
        holder.execute("BEGIN IMMEDIATE")
        assert list(sleep_those_due(memory)) == []
        holder.execute("ROLLBACK")
        holder.close()
        assert [slept.bank for slept in sleep_those_due(memory)] == ["ada", "tom"]
