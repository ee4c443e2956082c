"""What is told on the command line comes back from it, and only what was asked for."""

import json
from datetime import datetime
from inspect import signature

import pytest
import tzlocal
from typer.main import get_group

from hippocampus import Bank
from hippocampus.bank.filter_arguments import Filters
from hippocampus.cli import app
from hippocampus.cli.command import HELP
from hippocampus.cli.options import Engine, flood_of
from hippocampus.verbs import BANK_VERBS


def test_what_is_remembered_is_recalled_with_its_time_speaker_and_address(told):
    found = told("recall", "who mended the leak in the kitchen?", "--json")

    first = found.json["hits"][0]
    assert told.ids[1] == first["episode"]["id"]
    assert first["episode"]["occurred_at"] == "2024-04-01T00:00:00+00:00"
    assert (first["episode"]["speaker"], first["episode"]["address"]) == ("Priya", "s1#turn-1")
    assert pytest.approx(sum(first["shares"].values())) == 1
    assert (0 if found.json["found"] else 1) == found.code


def test_the_exit_code_of_recall_says_whether_anything_was_found(told):
    for query in ("who mended the leak in the kitchen?", "zebra xylophone quarterly"):
        found = told("recall", query, "--json")
        shown = told("recall", query)

        assert (0 if found.json["found"] else 1) == found.code == shown.code
        assert found.json["found"] == ("nothing relevant was found" not in shown.out)


@pytest.mark.parametrize(
    "asked",
    [
        "recall zebra --since 2030", "explain zebra --since 2030", "context zebra --since 2030",
        "find zebra", "episodes --speaker Nobody", "episodes --forgotten", "sources", "sessions",
        "history --after 999", "facts Nobody", "people", "gists", "topics", "communities",
        "anchors list",
    ],
)  # fmt: skip
def test_a_search_or_list_of_what_a_bank_knows_ends_with_1_if_empty(shell, asked):
    shell("remember", "The kettle is on.")

    shown, data = shell(*asked.split()), shell(*asked.split(), "--json")

    assert (1, 1) == (shown.code, data.code), shown.err
    assert "hippocampus:" not in shown.err
    if asked.split()[0] not in {"recall", "explain", "context", "anchors"}:
        assert [] == data.json


@pytest.mark.parametrize(
    "asked",
    [
        "count zebra",
        "count-events zebra",
        "trend zebra",
        "stats",
        "summary",
        "profile",
        "policy",
        "include",
        "quarantine",
        "review",
        "sleep --list",
        "banks",
        "keys list",
        "anchors report",
    ],
)
def test_numbers_states_and_lists_of_what_is_to_be_done_are_answers_if_empty(shell, asked):
    shell("remember", "The kettle is on.")

    assert (0, 0) == (shell(*asked.split()).code, shell(*asked.split(), "--json").code)


@pytest.mark.parametrize("verb", ["recall Lisbon", "facts", "people", "context Lisbon", "sleep"])
def test_a_bank_that_is_mistyped_is_not_an_empty_one(told, verb):
    found = told(*verb.split(), "--bank", "another")

    assert found.code == 2
    assert "no bank 'another' in the store; there is 'me'" in found.err


def test_remembering_twice_keeps_once(told):
    again = told(
        "remember", "I moved to Lisbon in March.", "--speaker", "Lena", "--at", "2024-03-20T09:00",
        "--json",
    )  # fmt: skip

    assert told.ids[0] == again.json["id"]
    assert told("stats", "--json").json["episodes"] == 3


def test_remembering_what_was_forgotten_says_that_it_stays_hidden(shell):
    said = ["remember", "The bike is green.", "--at", "2025-01-01"]
    id_ = shell(*said, "--json").json["id"]
    shell("forget", id_)

    hidden = shell(*said)

    assert hidden.out.startswith(f"not remembered {id_[:8]}")
    for told in ("it was forgotten on 20", f"'hippocampus restore {id_[:8]}'", "--again keeps"):
        assert told in hidden.err
    assert 1 == shell("find", "bike").code
    assert shell(*said, "--again").out.startswith("remembered ")
    assert 0 == shell("find", "bike").code


def test_remembering_the_words_before_a_correction_names_the_correction(shell):
    said = ["remember", "The bike is green.", "--at", "2025-01-01"]
    new = shell("correct", shell(*said, "--json").json["id"], "It is red.", "--json").json["id"]

    assert f"it was corrected before, by {new[:8]}" in shell(*said).err


def test_messages_are_lines_of_json_and_begin_as_windows_has_files_begin(shell):
    breaks = "One\u2028two\u2029three\x85four."
    lines = [json.dumps({"role": "user", "content": text}, ensure_ascii=False)
             for text in (breaks, "Five.")]  # fmt: skip
    for given in ("\ufeff" + "\r\n".join(lines), f"\ufeff[{','.join(lines)}]"):
        kept = shell("remember", "-", "--messages", "--json", "--again", stdin=given)
        assert [breaks, "Five."] == [one["text"] for one in kept.json]


@pytest.mark.parametrize("given", ["", " \n", "\ufeff"])
def test_no_messages_at_all_are_a_mistake_as_no_text_is(shell, given):
    failed = shell("remember", "-", "--messages", stdin=given)

    assert 2 == failed.code
    assert "there is nothing to remember" in failed.err


def test_messages_of_a_chat_that_were_forgotten_are_counted(shell):
    said = ["remember", "-", "--messages", "--at", "2025-01-01", "--json"]
    chat = '{"role": "user", "content": "The bike is green."}'
    shell("forget", shell(*said, stdin=chat).json[0]["id"])

    assert "1 of them were forgotten or corrected" in shell(*said[:-1], stdin=chat).err


@pytest.mark.parametrize(("at", "ahead"), [("tomorrow", True), ("yesterday", False), (None, False)])
def test_a_time_in_the_future_is_noted(shell, at, ahead):
    done = shell("remember", "The pump is mended.", *([] if at is None else ["--at", at]))

    assert 0 == done.code
    assert ahead == ("lies in the future; it is kept so" in done.err)


def test_stdin_is_kept_byte_for_byte_but_for_its_last_newline(shell):
    text = "one\n\n  two\tÅ 😀\n"
    kept = shell("remember", "-", "--json", stdin=text + "\n")

    assert text == kept.json["text"]


def test_stdin_that_is_not_utf8_is_refused(shell):
    refused = shell("remember", "-", stdin=b"\xff\xfe\xff")

    assert refused.code == 2
    assert "UTF-8" in refused.err
    assert not shell.store.exists()


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--speaker", "Lena"], {0, 2}),
        (["--speaker", "Lena", "--speaker", "Priya"], {0, 1, 2}),
        (["--session", "s2"], {2}),
        (["--since", "2024-04-01"], {1, 2}),
        (["--until", "2024-04-01"], {0, 1}),
        (["--during", "..2024-03-31"], {0}),
        (["--during", "2024-03-20", "--during", "April 2024"], {0, 1}),
        (["--during", "the week when we planted tomatoes"], {2}),
        (["--during", "2024-04-01..", "--during", "2023-01-01..2023-02-01"], {1, 2}),
        (["--where", '{"year": {"$gte": 2025}}'], {2}),
        (["--source", "nowhere"], set()),
        (["--role", "nobody"], set()),
        (["--as-of", "2000-01-01"], set()),
    ],
)
def test_a_filter_narrows_every_read_alike(told, options, expected):
    ids = {told.ids[n] for n in expected}
    listed = told("episodes", *options, "--json").json
    recalled = told("recall", "Lisbon", "-k", "9", *options, "--json").json
    composed = told("context", "Lisbon", *options, "--json").json

    assert ids == {e["id"] for e in listed}
    assert ids == {hit["episode"]["id"] for hit in recalled["hits"]}
    assert ids >= {hit["episode"]["id"] for hit in composed["items"]}


def test_the_context_on_stdout_is_the_text_and_nothing_else(told):
    made = told("context", "Lisbon", "--budget", "200", "--system", "Be brief.")
    whole = told("context", "Lisbon", "--budget", "200", "--system", "Be brief.", "--json").json

    assert whole["text"] + "\n" == made.out
    assert whole["tokens"] <= whole["budget_tokens"] == 200
    assert "tokens" in made.err


def test_a_context_of_what_is_only_nearest_says_so(told):
    made = told("context", "Which cello strings does Bertrand buy?", "--budget", "200")

    assert 0 == made.code, "it has memories to show"
    assert "nothing relevant was found, these are the nearest" in made.err
    assert made.out.startswith("<memory")


def test_whatever_a_context_can_have_in_a_program_it_can_have_here(told):
    here = {option.name for option in get_group(app).commands["context"].params}
    there = set(signature(Bank.context).parameters)
    made = told("context", "Lisbon", "--projects", "The move.", "--pointers", "2", "--budget", "60")

    wrong = told("context", "Lisbon", "--gists", "-1")

    assert there - {"self", *Filters.__annotations__} <= here
    assert "\nThe move.\n" in made.out
    assert 2 == wrong.code
    assert "--gists -1" in wrong.err


def test_episodes_are_paged_in_order_of_time(told):
    oldest = told("episodes", "--limit", "2", "--json").json
    rest = told("episodes", "--offset", "2", "--json").json
    newest = told("episodes", "--newest", "--limit", "1", "--json").json

    assert told.ids == [e["id"] for e in [*oldest, *rest]]
    assert told.ids[2:] == [e["id"] for e in newest]


def test_a_correction_replaces_the_words_that_history_keeps(told):
    new = told("correct", told.ids[0], "I moved to Porto in March.", "--json").json
    old = told("show", told.ids[0], "--json").json
    changes = told("history", new["id"], "--json").json

    assert ("superseded", new["id"]) == (old["state"], old["superseded_by"])
    assert [c["kind"] for c in changes] == ["remember", "remember", "correct"]
    assert new["id"] in {e["id"] for e in told("episodes", "--json").json}
    assert "correct" in told("history").out


def test_what_was_corrected_is_shown_by_an_id_that_corrects_it_once_more(shell):
    old = shell("remember", "The pump costs 1,850.", "--json").json["id"]
    new = shell("correct", old, "The pump costs 1,950.", "--json").json["id"]

    assert new[:8] in shell("recall", "pump").out
    assert old[:8] not in shell("recall", "pump").out
    assert new in shell("correct", old, "The pump costs 2,000.").err
    assert f"its last version is {new[:8]}" in shell("forget", old).err
    assert "correct that one to have these words back" in shell("restore", old).err
    assert f"its last version is {new[:8]}: name that one" in shell("pin", old).err
    assert 0 == shell("forget", new[:8]).code
    assert "it is forgotten already" in shell("forget", old).err
    assert "restore that one first" in shell("pin", old).err
    assert f"its last version is {new[:8]}: name that one" in shell("restore", old).err


@pytest.mark.parametrize(
    ("before", "args", "why"),
    [
        ("forget", ["forget"], "is forgotten already"),
        ("show", ["restore"], "is in force"),
        ("pin", ["pin"], "is pinned already"),
        ("show", ["pin", "--undo"], "is not pinned"),
        ("forget", ["pin"], "is forgotten; restore it first"),
    ],
)
def test_a_change_that_changes_nothing_says_why(told, before, args, why):
    told(before, told.ids[0])

    done = told(*args, told.ids[0])

    assert 0 == done.code
    assert f"{told.ids[0][:8]} {why}" in done.err


@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ("facts Nobody", "no facts about 'Nobody' fit"), ("find zebra", "no memory has that in it"),
        ("episodes --speaker Nobody", "no memory fits"), ("sources", "no memory has a source"),
        ("sessions", "no memory has a session"),
        ("people", "no memory names anybody"), ("history --after 9", "no change fits"),
    ],
)  # fmt: skip
def test_an_empty_list_says_so_in_a_line_beside_it(shell, asked, why):
    shell("remember", "The kettle is on.")

    done = shell(*asked.split())

    assert (1, "") == (done.code, done.out)
    assert done.err.startswith(why)
    assert 1 == len(done.err.splitlines())


def test_history_says_that_there_is_more_and_lists_the_last_first(told):
    told("forget", told.ids[0])

    first, last = told("history", "-n", "3"), told("history", "-n", "1", "--newest")

    assert "--newest lists the last first, --after 3 goes on, --limit N" in first.err
    assert "there are more: --limit N" in last.err
    assert "forget" in last.out
    assert "" == told("history").err == told("history", told.ids[0]).err
    kinds = [c["kind"] for c in told("history", told.ids[0], "--newest", "--json").json]
    assert ["forget", "remember"] == kinds
    assert "--limit -1: must be a whole number" in told("history", "-n", "-1").err


def test_a_list_shows_an_id_once(shell):
    short = shell("remember", "The pump was mended.", "--json").json["id"][:8]

    assert 1 == shell("episodes").out.count(short)


def test_undo_brings_back_what_forgetting_hides(told):
    assert told("forget", *told.ids[:2], "--json").json == {"forgotten": 2}
    assert told.ids[2:] == [e["id"] for e in told("episodes", "--json").json]
    assert told("forget", *told.ids[:2], "--undo", "--json").json == {"restored": 2}
    assert told.ids == [e["id"] for e in told("episodes", "--json").json]


def test_a_session_is_looked_at_forgotten_brought_back_and_erased(shell):
    for text, session in (("The oven is hot.", "a"), ("The pan is new.", "a"), ("Rain.", "b")):
        shell("remember", text, "--session", session, "--speaker", "Ada")
    whose = "forget", "--session", "a", "--speaker", "ada"
    assert [("a", 2), ("b", 1)] == sorted(
        (s["name"], s["episodes"]) for s in shell("sessions", "--json").json
    )

    looked = shell(*whose, "--dry-run")
    assert ("The oven is hot." in looked.out, "Rain." in looked.out) == (True, False)
    assert "2 meant; nothing was changed" in looked.err
    assert shell(*whose, "--json").json == {"forgotten": 2}
    assert [e["text"] for e in shell("episodes", "--json").json] == ["Rain."]
    assert "2 meant" in shell(*whose, "--undo", "--dry-run").err
    assert shell(*whose, "--undo", "--json").json == {"restored": 2}
    shell("forget", shell("episodes", "--json").json[0]["id"])
    assert "2 meant" in shell(*whose, "--erase", "--dry-run").err
    assert shell(*whose, "--erase", "--yes", "--json").json == {"erased": 2}
    assert (shell(*whose, "x").code, shell("forget", "--where", "{}").code) == (2, 2)


def count_meant(shell, *asked):
    """Return how many memories a dry run shows."""
    return len(shell(*asked, "--dry-run", "--json").json)


def test_a_dry_run_of_forgetting_shows_what_the_run_changes(shell):
    old = shell("remember", "The mill is by the bridge.", "--session", "m", "--json").json["id"]
    new = shell("correct", old, "The mill is by the old ford.", "--json").json["id"]
    shell("remember", "The weir leaks.", "--session", "m")
    for asked in (("forget", new), ("forget", new), ("forget", new, "--undo"),
                  ("forget", "--session", "m"), ("forget", "--session", "m"),
                  ("forget", "--session", "m", "--undo"), ("forget", new, "--erase", "--yes"),
                  ("forget", "--session", "m", "--erase", "--yes")):  # fmt: skip
        shown = count_meant(shell, *asked)
        assert [shown] == list(shell(*asked, "--json").json.values()), asked


@pytest.mark.parametrize("erase", [(), ("--erase", "--yes")])
def test_a_dry_run_leaves_out_what_another_source_has_too(shell, tmp_path, erase):
    letter = (
        "Message-ID: <mill@example.org>\nFrom: Ida <ida@example.org>\nSubject: The mill\n"
        "Date: Mon, 3 Jun 2024 10:00:00 +0000\n\nThe mill was built of oak.\n"
    )
    for name in ("one.eml", "two.eml"):
        (tmp_path / name).write_text(letter)
    shell("import", str(tmp_path))
    assert ["one.eml", "two.eml"] == [s["name"] for s in shell("sources", "--json").json]
    alone = count_meant(shell, "forget", "--source", "one.eml", *erase)
    both = "forget", "--source", "one.eml", "--source", "two.eml", *erase

    assert (0, 1) == (alone, count_meant(shell, *both))
    assert [1] == list(shell(*both, "--json").json.values())
    missing = shell("forget", "--source", "nosuch", "--dry-run")
    assert (2, True) == (missing.code, "nosuch" in missing.err)


def test_erasing_leaves_no_residue_once_it_is_confirmed(told):
    words = "The leak in the kitchen was mended by a plumber."
    refused = told("forget", told.ids[1], "--erase")
    both = told("forget", told.ids[1], "--erase", "--undo", "--yes")

    assert (refused.code, both.code) == (2, 2)
    assert "--yes" in refused.err
    assert told("verify", "--residue", words).code == 1
    assert told("forget", told.ids[1], "--erase", "--yes", "--json").json == {"erased": 1}
    gone = told("verify", "--residue", words, "--json")
    assert (gone.code, gone.json["residue"]) == (0, [])
    assert told("show", told.ids[1]).code == 2


def test_the_listed_banks_are_kept_apart(told):
    told("remember", "Elsewhere.", "--bank", "work")

    assert sorted(told("banks", "--json").json) == ["me", "work"]
    assert [e["text"] for e in told("episodes", "--bank", "work", "--json").json] == ["Elsewhere."]
    assert {"me", "work"} == set(told("banks").out.split())


def test_explain_names_the_cues_and_the_cost(told):
    said = told("recall", "Lisbon", "--explain").out

    assert "query: Lisbon" in said
    assert "cost:" in said
    assert "words" in said


def test_a_cue_is_asked_by_its_word_or_by_its_name(told):
    by_word, by_name = (
        told("recall", "Lisbon", "--cues", cues, "--json").json for cues in ("words", "lexical")
    )

    assert {"lexical"} <= set(by_word["hits"][0]["shares"])
    assert by_word["hits"] == by_name["hits"]


def test_the_present_can_be_given(told):
    found = told("recall", "what did Priya say last month?", "--now", "2024-05-10", "--json").json

    assert found["intervals"][0]["start"] == "2024-04-01T00:00:00+00:00"


def test_times_given_or_shown_are_in_the_zone_that_is_named(shell):
    zone = ["--timezone", "Asia/Tokyo"]
    kept = shell("remember", "Noon in Tokyo.", "--at", "2024-01-01T12:00", *zone, "--json").json

    same = ("2024-01-01T12:00:00+09:00", "2024-01-01T03:00:00+00:00")
    assert kept["occurred_at"].startswith(same)
    assert "2024-01-01 12:00" in shell("show", kept["id"], *zone).out


def test_times_are_in_the_zone_of_the_machine_unless_one_is_named(shell, monkeypatch):
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    tzlocal.reload_localzone()  # it reads the machine's once
    try:
        kept = shell("remember", "Noon in Tokyo.", "--at", "2024-01-01T12:00", "--json").json
        shown = shell("show", kept["id"]).out
    finally:
        monkeypatch.undo()
        tzlocal.reload_localzone()

    assert datetime.fromisoformat("2024-01-01T03:00:00Z") == datetime.fromisoformat(
        kept["occurred_at"]
    )
    assert "2024-01-01 12:00" in shown


@pytest.mark.parametrize("zone", ["America/New_York", "Asia/Tokyo"])
def test_the_first_and_the_last_times_can_be_listed(shell, tmp_path, zone):
    ends = ("0001-01-01T00:00:00Z", "9999-12-31T23:59:59Z")
    said = [{"role": "user", "content": "My sister Anna lives in Oslo.", "created_at": ends[0]}]
    said.append({"role": "user", "content": "I went to the gym with Anna.", "created_at": ends[1]})
    chat = tmp_path / "go.jsonl"
    chat.write_text("\n".join(map(json.dumps, said)))
    given = ["--timezone", zone]
    assert 0 == shell("import", str(chat), "--dry-run", *given).code
    assert 0 == shell("import", str(chat), *given).code

    for asked in (
        ("recall", "where does Anna live?"), ("explain", "where does Anna live?"), ("episodes",),
        ("context", "Anna"), ("find", "Anna"), ("sessions",), ("sources",), ("stats",), ("facts",),
        ("people",), ("history",), ("count-events", "how often did I go to the gym?"), ("sleep",),
        ("summary",), ("facts",), ("trend", "Anna", "--by", "year"),
    ):  # fmt: skip
        told = shell(*asked, *given)
        assert (asked, 0, True) == (asked, told.code, bool(told.out))
    listed = shell("episodes", *given).out
    assert "  0001-01-01 0" in listed
    assert "9999-12-31" in listed
    assert "0001-01-01 to 9999-12-31" in shell("sources", *given).out


def test_words_stand_for_a_time_in_every_option(shell):
    shell("remember", "The tub leaks.", "--at", "yesterday")

    assert "The tub leaks." in shell("episodes", "--since", "yesterday", "--until", "today").out
    assert "The tub leaks." not in shell("episodes", "--until", "last month").out


def test_a_question_for_a_time_is_answered_with_it(shell):
    shell("remember", "Yesterday the plumber took out the tub.", "--at", "2024-04-10T09:00")
    question = "When did the plumber take out the tub?"

    shown = shell("recall", question, "--now", "2024-07-01")
    assert "when: 2024-04-09 00:00 to 2024-04-10 00:00" in shown.out
    assert (
        "2024-04-09"
        in shell("recall", question, "--json", "--now", "2024-07-01").json["when"]["start"]
    )
    assert "when:" not in shell("recall", "What did the plumber take out?").out


def commands(group, path=()):
    """Yield every command below a group, with its name after its groups'."""
    for name, made in group.commands.items():
        if hasattr(made, "commands"):
            yield from commands(made, (*path, name))
        elif name in HELP or path:
            yield " ".join((*path, name)), made


def test_the_options_are_exactly_those_that_have_a_text():
    told = {name: {p.name: p.help for p in made.params} for name, made in commands(get_group(app))}
    texts = {name: set(about.get("options", ())) for name, about in HELP.items()}
    groups = {name for name, about in HELP.items() if "group" in about}

    assert set(told) == set(texts) - groups - {"shared"}
    assert {} == {
        name: texts[name] - set(told[name]) for name in told if texts[name] - set(told[name])
    }
    assert set(HELP["shared"]) <= {option for options in told.values() for option in options}
    assert [] == [(name, option) for name, options in told.items() for option in options
                  if option != "help" and not options[option]]  # fmt: skip


def test_an_option_of_a_verb_is_an_argument_of_it():
    """The command line spells what ``verbs`` specify, so that no option is there for nothing."""
    own = {
        "embedder", "timezone", "store", "key", "bank", "as_json", "debug", "help", "ids",
        "secrets", "hide_secrets", "vault", "reranker", "flood",
    }  # fmt: skip
    more = {
        "recall": {"full", "explain"}, "remember": {"messages"},
        "forget": {"undo", "yes", "dry_run"}, "pin": {"undo"},
        "history": {"after", "limit", "newest"}, "summary": {"versions", "sources"},
        "topics": {"plot", "force"}, "explain": {"row"}, "stats": {"tiers"},
        "sleep": {"undo", "past", "watch", "model"}, "compact": {"yes"}, "policy": {"name"},
        "review": {"accept"}, "profile": {"persona", "projects"}, "include": {"remove"},
    }  # fmt: skip
    beyond = {
        name: {p.name for p in made.params} - own - more.get(name, set()) - verb.arguments.keys()
        for name, made in commands(get_group(app))
        if (verb := BANK_VERBS.get(name)) is not None
    }

    assert {} == {name: options for name, options in beyond.items() if options}


@pytest.mark.parametrize(
    ("given", "meant"),
    [("5", (5, None)), ("5,900", (5, 900)), (",900", (None, 900)), ("none", (None, None))],
)
def test_the_gate_for_floods_is_an_option(given, meant):
    flood = Engine(flood=flood_of(given)).config().flood

    assert meant == (flood.episodes, flood.characters)


@pytest.mark.parametrize("wrong", ["many", "5,", "", ",", "0", "-1", "5,6,7", "5/6"])
def test_a_wrong_bound_of_floods_is_refused(shell, wrong):
    result = shell("remember", "A page.", f"--flood={wrong}")

    assert (2, 1) == (result.code, len(result.err.splitlines())), result.err
    assert "lood" in result.err


def test_what_floods_a_bank_is_refused_on_the_command_line_and_none_lifts_it(shell, tmp_path):
    notes = tmp_path / "notes.md"
    notes.write_text("\n\n".join(f"Line {n} " + "of a long text " * 150 for n in range(3)), "utf-8")
    refused = shell("import", str(notes), env={"HIPPOCAMPUS_FLOOD": "2"})

    assert (2, True) == (refused.code, "9 episodes of origin 'document'" in refused.err)
    assert 0 == shell(
        "import", str(notes), "--flood", "none", env={"HIPPOCAMPUS_FLOOD": "2"}
    ).code  # fmt: skip
