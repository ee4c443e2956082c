import codecs
import hashlib
import json
import os
from collections import Counter
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from hippocampus.core.budget import Budget
from hippocampus.errors import Cancelled, InputError, SourceError
from hippocampus.language.time import find_intervals
from hippocampus.sources import FORMATS, SourceFile, SourceProblem, read_source
from hippocampus.sources.diary import by_day

CHANGED = datetime(2024, 1, 2, 3, 4, 5, tzinfo=UTC)
JULY = "2024-07-01T09:30:00Z"
JULY_READ = datetime(2024, 7, 1, 9, 30, tzinfo=UTC)


@pytest.fixture
def put(tmp_path):
    """Write a file that was last changed at ``CHANGED``, and return its folder."""

    def write(name, content):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            path.write_bytes(content)
        elif isinstance(content, str):
            path.write_bytes(content.encode())
        else:
            path.write_text(json.dumps(content))
        os.utime(path, (CHANGED.timestamp(), CHANGED.timestamp()))
        return tmp_path

    return write


def read(path, **options):
    """Return ({path: turns}, {path: reason}) of a source."""
    items = list(read_source(Path(path), **options))
    files = {f.path: f.turns for f in items if isinstance(f, SourceFile)}
    return files, {p.path: p.reason for p in items if isinstance(p, SourceProblem)}


def only(path, **options):
    """Return the turns of the only file, when nothing went wrong."""
    files, problems = read(path, **options)
    assert not problems
    (turns,) = files.values()
    return turns


# ---------------------------------------------------------------- folders


def test_files_come_in_order_of_name_with_relative_paths_and_digests(put):
    put("b.md", "two")
    put("c/d.txt", "three")
    root = put("a.md", "one")
    files = list(read_source(root))

    assert [f.path for f in files] == ["a.md", "b.md", "c/d.txt"]
    assert files[0].digest == hashlib.sha256(b"one").hexdigest()
    assert files[2].turns[0].source == files[2].turns[0].address == "c/d.txt"


def test_hidden_and_vendored_folders_are_passed_over(put):
    for name in (".git/x.md", ".secret.md", "node_modules/p/readme.md", "__pycache__/a.txt"):
        put(name, "no")

    assert list(read(put("a.md", "yes"))[0]) == ["a.md"]


def test_one_bad_file_does_not_stop_the_rest(put):
    put("bad.json", "{not json")
    put("deep.json", "[" * 100_000)
    put("bin.md", b"\x00\x01\x02")
    put("empty.txt", " \n")
    put("nothing.jsonl", "")
    put("picture.png", b"\x89PNG")
    files, problems = read(put("good.md", "words"))

    assert list(files) == ["good.md"]
    assert "not JSON" in problems["bad.json"]
    assert "nested too deeply" in problems["deep.json"]
    assert "binary" in problems["bin.md"]
    assert "no text" in problems["empty.txt"]
    assert "no text" in problems["nothing.jsonl"]
    assert ".png" in problems["picture.png"]


def test_a_file_over_the_cap_is_a_problem_that_names_both_sizes(put):
    _, problems = read(put("big.txt", "x" * 11), max_bytes=10)

    assert "has 11 bytes" in problems["big.txt"]
    assert "max_bytes=10" in problems["big.txt"]


def test_links_are_reported_without_ever_being_followed(put):
    root = put("in/a.md", "words") / "in"
    (root / "loop").symlink_to(root)
    (root / "out.md").symlink_to(put("secret.md", "outside") / "secret.md")
    files, problems = read(root)

    assert list(files) == ["a.md"]
    assert {"loop", "out.md"} == set(problems)


def test_a_pipe_does_not_make_us_wait(put):
    root = put("a.md", "words")
    os.mkfifo(root / "pipe.md")

    assert read(root)[1] == {"pipe.md": "is not a regular file"}


def test_a_single_file_is_named_by_its_name(put):
    assert list(read(put("x/a.md", "words") / "x/a.md")[0]) == ["a.md"]


def test_a_missing_path_and_an_unknown_format_are_the_callers_errors(tmp_path):
    with pytest.raises(SourceError, match="no such"):
        list(read_source(tmp_path / "absent"))
    with pytest.raises(InputError, match="must be one of document"):
        list(read_source(tmp_path, format="pdf"))


def test_a_chosen_format_is_used_whatever_the_suffix(put):
    assert only(put("dump.log", "plain words"), format="document")[0].text == "plain words"


# ---------------------------------------------------------------- documents


def test_front_matter_gives_time_title_and_metadata(put):
    text = """---
title: "Lisbon: the plan"
date: 2024-05-03T10:00:00Z
tags: [travel, lisbon]
people:
  - Inês
  - Tom
rating: 4
draft: false   # for now
nested:
  deep: value
---

We fly on Tuesday.
"""
    (turn,) = only(put("trip.md", text))

    assert turn.text == "# Lisbon: the plan\n\nWe fly on Tuesday.\n"
    assert turn.at == datetime(2024, 5, 3, 10, tzinfo=UTC)
    assert turn.metadata["title"] == "Lisbon: the plan"
    assert turn.metadata["tags"] == ["travel", "lisbon"]
    assert turn.metadata["people"] == ["Inês", "Tom"]
    assert turn.metadata["rating"] == 4
    assert turn.metadata["draft"] is False


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        (">-\n  The plan\n  - for May\n", "The plan - for May"),
        ("|\n  The plan\n  - for May\n", "The plan\n- for May"),
        ('"The plan"  # as of May\n', "The plan"),
        (r'"The \"plan\" # 1"' + "\n", 'The "plan" # 1'),
        ("'The user''s plan'\n", "The user's plan"),
        ('[ana, "Doe, Jane", \'Tom, too\', x "y"]  # both\n',
         ["ana", "Doe, Jane", "Tom, too", 'x "y"']),
        ("[]\n", None),
    ],
)  # fmt: skip
def test_values_of_front_matter_are_read_as_yaml(put, written, meant):
    (turn,) = only(put("a.md", f"---\nabout: {written}draft: true\n---\nWords.\n"))

    assert turn.metadata.get("about") == meant
    assert turn.metadata["draft"] is True


@pytest.mark.parametrize("date", ["2023", "8", "202405", "soon"])
def test_a_year_alone_in_front_matter_is_no_time(put, date):
    put("2024-05-03-a.md", f"---\ndate: {date}\n---\nWords.\n")
    files, _ = read(put("b.md", "---\ndate: 20240503\n---\nWords.\n"))

    assert [turns[0].at for turns in files.values()] == [datetime(2024, 5, 3)] * 2  # noqa: DTZ001


@pytest.mark.parametrize("text", ["# Bread rolls #\n\nFlour.", "Bread rolls\n===\n\nFlour."])
def test_the_first_heading_is_the_title(put, text):
    (turn,) = only(put("a.rst", text))

    assert turn.text == text
    assert turn.metadata == {"title": "Bread rolls"}


def test_without_front_matter_the_name_and_then_the_file_tell_the_time(put):
    put("2024-05-03-standup.md", "words")
    files, _ = read(put("undated.md", "words"))

    assert files["2024-05-03-standup.md"][0].at == datetime(2024, 5, 3)  # noqa: DTZ001
    assert files["undated.md"][0].at == CHANGED


def test_unclosed_front_matter_is_text(put):
    assert only(put("a.md", "---\nkey: value\n"))[0].text == "---\nkey: value\n"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252"])
def test_text_survives_its_encoding(put, encoding):
    (turn,) = only(put("a.txt", "Café à Lisboa".encode(encoding)))

    assert turn.text == "Café à Lisboa"
    assert turn.metadata == ({"encoding": "cp1252"} if encoding == "cp1252" else {})


# ---------------------------------------------------------------- messages

MESSAGES = [
    {"role": "user", "content": "Hello", "timestamp": JULY},
    {"speaker": "Tom", "text": "Hi", "session_id": 7, "mood": "fine"},
]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("m.json", MESSAGES),
        ("m.json", {"messages": MESSAGES}),
        ("m.jsonl", "\n\n".join(map(json.dumps, MESSAGES))),
        ("m.jsonl", json.dumps({"messages": MESSAGES})),
    ],
)
def test_messages_are_read_from_every_wrapping(put, name, content):
    hello, hi = only(put(name, content))

    assert (hello.text, hello.role, hello.speaker) == ("Hello", "user", None)
    assert (hi.text, hi.role, hi.speaker) == ("Hi", None, "Tom")
    assert (hello.session, hi.session) == (name, "7")
    assert (hello.address, hi.address) == (f"{name}#message-1", f"{name}#7.message-1")
    assert hello.at == JULY_READ
    assert hi.metadata == {"mood": "fine"}


@pytest.mark.parametrize(
    ("key", "value"),
    [("timestamp", JULY), ("created_at", 1719826200), ("time", 1719826200123), ("date", JULY)],
)
def test_times_are_found_under_their_usual_names(put, key, value):
    (turn,) = only(put("m.json", [{"text": "a", key: value}]))

    assert turn.at.replace(microsecond=0) == JULY_READ


def test_a_message_without_time_has_that_of_the_one_before_or_the_file(put):
    before, dated, after = only(
        put("m.json", [{"text": "a"}, {"text": "b", "at": JULY}, {"text": "c"}])
    )

    assert (before.at, dated.at, after.at) == (CHANGED, JULY_READ, JULY_READ)


def test_conversations_of_a_list_are_sessions(put):
    talks = [
        {"id": "x1", "title": "Flat", "messages": [{"role": "human", "content": "a"}]},
        [{"from": "gpt", "value": "b"}],
    ]
    one, two = only(put("m.json", talks))

    assert (one.session, one.role, one.metadata) == ("x1", "user", {"title": "Flat"})
    assert (two.role, two.text) == ("assistant", "b")


@pytest.mark.parametrize("name", ["m.json", "m.jsonl"])
def test_a_message_without_a_time_has_that_of_the_one_before(put, name):
    talk = [{"role": "user", "content": "a", "ts": JULY}, {"role": "assistant", "content": "b"}]
    written = "\n".join(map(json.dumps, talk)) if name.endswith("l") else json.dumps(talk)

    assert [turn.at for turn in only(put(name, written))] == [JULY_READ, JULY_READ]


@pytest.mark.parametrize("name", ["conversation", "messages", "turns"])
def test_a_conversation_has_its_id_whatever_its_list_is_called(put, name):
    talks = [{"id": one, name: [{"role": "user", "content": one}]} for one in ("x1", "x2")]

    assert [turn.session for turn in only(put("m.json", talks))] == ["x1", "x2"]


@pytest.mark.parametrize("detail", [{"items": [{"sku": 1}]}, {"history": ["opened"]}])
def test_a_message_with_a_list_beside_its_words_keeps_them(put, detail):
    (turn,) = only(put("m.json", [{"role": "user", "content": "I ordered it."} | detail]))

    assert (turn.role, turn.text) == ("user", "I ordered it.")


@pytest.mark.parametrize(
    "told",
    [
        {"sessionId": "s1", "createdAt": JULY, "userName": "Ada", "content": "Hi."},
        {"conversation-id": "s1", "SentAt": JULY, "Sender": "Ada", "Text": "Hi."},
        {"type": "message", "sessionId": "s1", "ts": JULY, "from": "Ada", "message": "Hi."},
        {"type": "user", "sessionId": 2, "date": JULY, "name": "Ada", "body": "Hi."},
        {"type": "system", "sessionId": "s1", "date": JULY, "author": "Ada", "content": "Hi."},
        {"sessionId": "s1", "messageId": 1, "date": JULY, "author": "Ada", "content": "Hi."},
    ],
)
@pytest.mark.parametrize("name", ["m.json", "m.jsonl"])
def test_fields_are_known_however_a_program_spells_them(put, told, name):
    written = json.dumps(told if name.endswith("l") else [told])
    (turn,) = only(put(name, written))

    assert (turn.text, turn.speaker, turn.at) == ("Hi.", "Ada", JULY_READ)
    assert turn.session in {"s1", "2"}
    assert {"type", "messageId"} >= set(turn.metadata)


def test_an_object_around_a_message_leaves_it_its_speaker(put):
    talk = [{"ts": JULY, "message": {"role": "human", "name": "Ada", "content": "Hi."}}]
    (turn,) = only(put("m.json", talk))

    assert (turn.role, turn.speaker, turn.at) == ("user", "Ada", JULY_READ)


def test_content_parts_are_joined_without_the_pictures(put):
    parts = [{"type": "text", "text": "Look"}, {"type": "image_url", "image_url": {"url": "x"}}]
    calls = {"role": "assistant", "content": None, "tool_calls": [{}]}
    (turn,) = only(put("m.json", [{"role": "user", "content": parts}, calls]))

    assert turn.text == "Look"


@pytest.mark.parametrize(
    ("parts", "text"),
    [
        (["I live in ", {"type": "bold", "text": "Lisbon"}, " now."], "I live in Lisbon now."),
        ([{"type": "mention", "text": "@Tom"}, ", see (", {"text": "https://x.y"}, ")."],
         "@Tom, see (https://x.y)."),
        ([{"content_type": "audio_transcription", "text": "I sail."}, "Look:", {"asset": 1}],
         "I sail.\nLook:"),
        (["One paragraph.", "And another."], "One paragraph.\nAnd another."),
        ([{"text": "One block"}, {"text": "and another"}], "One block\nand another"),
    ],
)  # fmt: skip
def test_words_that_are_set_apart_by_their_looks_stay_in_their_sentence(put, parts, text):
    assert text == only(put("m.json", [{"from": "Ada", "text": parts}]))[0].text


def test_results_of_tools_among_a_users_parts_are_the_tools(put):
    parts = [
        {"type": "text", "text": "Look:"},
        {"type": "tool_result", "tool_use_id": "t", "content": [{"type": "text", "text": "Rain."}]},
    ]
    talk = [{"role": "user", "name": "Ada", "content": parts}]
    asked, given = only(put("talk.json", json.dumps(talk)))

    assert (asked.role, asked.speaker, asked.text) == ("user", "Ada", "Look:")
    assert (given.role, given.speaker, given.text) == ("tool", None, "Rain.")
    assert given.address == f"{asked.address}.part-2"


def test_bad_lines_and_messages_are_problems_of_their_own(put):
    lines = ["{oops", "5", json.dumps({"role": "user"}), json.dumps({"text": "good"})]
    files, problems = read(put("m.jsonl", "\n".join(lines)))

    assert [turn.text for turn in files["m.jsonl"]] == ["good"]
    assert list(problems) == ["m.jsonl#line-1", "m.jsonl#line-2", "m.jsonl#message-1"]


def test_a_file_of_garbage_lines_is_given_up(put):
    files, problems = read(put("m.jsonl", "garbage\n" * 5000))

    assert not files
    assert len(problems) == 101
    assert "more than 100" in problems["m.jsonl"]


def test_lines_of_another_kind_are_told_of_together(put):
    files, problems = read(put("m.jsonl", '{"x": 1}\n' * 5000))

    assert not files
    assert len(problems) == 101
    assert "no messages found" in problems["m.jsonl"]


def test_a_message_among_many_other_lines_is_read(put):
    files, problems = read(put("m.jsonl", '{"x": 1}\n' * 5000 + '{"text": "good"}'))

    assert [turn.text for turn in files["m.jsonl"]] == ["good"]
    assert problems["m.jsonl"] == "4,900 more are no messages"


def test_halved_characters_become_storable_text(put):
    joined, alone = only(put("m.json", '[{"text":"\\ud83d\\udc4d"},{"text":"a\\ud83d"}]'))

    assert joined.text == "👍"
    assert alone.text == "a\ufffd"


# ---------------------------------------------------------------- chat exports


def chatgpt(*messages, current=None, **extra):
    mapping = {"root": {"id": "root", "parent": None, "message": None}}
    for number, (parent, role, parts, more) in enumerate(messages, 1):
        message = {
            "author": {"role": role},
            "create_time": 1719826200 + number,
            "content": {"content_type": "text", "parts": parts},
            "metadata": {},
        } | more
        mapping[f"n{number}"] = {"id": f"n{number}", "parent": parent, "message": message}
    base = {"title": "Trip", "conversation_id": "c1", "create_time": 1719826200.0}
    return base | {"mapping": mapping, "current_node": current} | extra


def test_chatgpt_is_read_along_the_current_branch(put):
    hidden = {"metadata": {"is_visually_hidden_from_conversation": True}}
    picture = {"content_type": "multimodal_text", "parts": [{"asset_pointer": "f"}, "this?"]}
    talk = chatgpt(
        ("root", "system", ["be kind"], {}),
        ("n1", "user", ["hidden"], hidden),
        ("n2", "user", ["Where to?"], {}),
        ("n3", "assistant", ["first try"], {}),
        ("n3", "assistant", ["Porto"], {"metadata": {"model_slug": "gpt-x"}}),
        ("n5", "user", [], {"content": picture}),
        current="n6",
    )
    turns = only(put("conversations.json", [talk]))

    assert [turn.text for turn in turns] == ["Where to?", "Porto", "this?"]
    assert [turn.role for turn in turns] == ["user", "assistant", "user"]
    assert turns[0].at == datetime.fromtimestamp(1719826203, UTC)
    assert turns[1].metadata == {"title": "Trip", "model": "gpt-x"}
    assert turns[0].session == "c1"
    assert turns[0].address == "conversations.json#c1.message-1"


def test_a_chatgpt_tree_that_runs_in_a_circle_ends(put):
    talk = chatgpt(("n2", "user", ["a"], {}), ("n1", "assistant", ["b"], {}), current="n2")

    assert [turn.text for turn in only(put("c.json", [talk]))] == ["a", "b"]


def test_chatgpt_without_a_current_node_ends_at_the_newest_message(put):
    talk = chatgpt(("root", "user", ["a"], {}), ("n1", "assistant", ["b"], {}), current="gone")

    assert [turn.text for turn in only(put("c.json", talk))] == ["a", "b"]


def test_claude_blocks_and_attachments_are_read(put):
    talk = {
        "uuid": "u1",
        "name": "Lease",
        "created_at": JULY,
        "chat_messages": [
            {
                "sender": "human",
                "text": "old",
                "content": [{"type": "text", "text": "Read this"}, {"type": "tool_use"}],
                "created_at": JULY,
                "attachments": [{"file_name": "lease.txt", "extracted_content": "900 a month"}],
            },
            {"sender": "assistant", "text": "Done", "content": [{"type": "thinking"}]},
            "rubbish",
        ],
    }
    files, problems = read(put("conversations.json", [talk]))
    asked, attached, answered = files["conversations.json"]

    assert (asked.text, asked.role, asked.at) == ("Read this", "user", JULY_READ)
    assert attached.text == "lease.txt:\n900 a month"
    assert attached.address == "conversations.json#u1.message-1.attachment-1"
    assert (answered.text, answered.role) == ("Done", "assistant")
    assert list(problems) == ["conversations.json#u1.message-3"]


def test_mem0_memories_keep_their_words_times_and_owners(put):
    record = {
        "id": "m1",
        "memory": "Likes figs",
        "user_id": "ana",
        "created_at": "2024-01-01T00:00:00Z",
        "updated_at": JULY,
        "metadata": {"category": "food"},
    }
    camel = {"user_id": "userId", "created_at": "createdAt", "updated_at": "updatedAt"}
    other = {camel.get(name, name): value for name, value in record.items()}
    for name, content in (
        ("a.json", {"results": [record]}),
        ("a.json", [record]),
        ("a.json", [other]),
    ):
        (turn,) = only(put(name, content))

        assert (turn.text, turn.speaker, turn.at) == ("Likes figs", "ana", JULY_READ)
        assert turn.address == "a.json#m1"
        assert turn.metadata == {"category": "food", "user_id": "ana", "mem0_id": "m1"}


def test_mcp_memory_gives_a_turn_per_observation_and_relation(put):
    lines = [
        {"type": "entity", "name": "Ana", "entityType": "person", "observations": ["Likes figs"]},
        {"type": "relation", "from": "Ana", "relationType": "works at", "to": "Acme"},
        {"type": "entity", "name": "Bea"},
    ]
    text = "\n".join([*map(json.dumps, lines), "{broken"])
    files, problems = read(put("memory.jsonl", text))

    assert [turn.text for turn in files["memory.jsonl"]] == [
        "Ana (person): Likes figs",
        "Ana works at Acme",
    ]
    assert {"memory.jsonl#line-3", "memory.jsonl#line-4"} == set(problems)


# ---------------------------------------------------------------- mail

MBOX = b"""From ana@example.org Mon Jul  1 09:30:00 2024
From: =?utf-8?q?In=C3=AAs?= <ines@example.org>
To: Tom <tom@example.org>
Subject: Dinner
Date: Mon, 1 Jul 2024 09:30:00 +0000
Message-ID: <1@x>

Thursday?
>From eight on.

From tom@example.org Mon Jul  1 10:00:00 2024
From: tom@example.org
Subject: Re: Dinner
Date: Mon, 1 Jul 2024 10:00:00 +0000
Message-ID: <2@x>
In-Reply-To: <1@x>
Content-Type: text/html; charset=nonsense

<html><head><title>no</title><style>p {}</style></head>
<body><p>Yes,&nbsp;<b>gladly</b>.</p><ul><li>wine<li>figs</ul></body></html>

From tom@example.org Mon Jul  1 11:00:00 2024
From: tom@example.org
Subject: Re: Dinner
Date: whenever
Message-ID: <3@x>
References: <1@x> <2@x>
Content-Type: multipart/mixed; boundary=B

--B
Content-Type: multipart/alternative; boundary=C

--C
Content-Type: text/plain; charset=iso-8859-1
Content-Transfer-Encoding: quoted-printable

Caf=E9 first.
--C
Content-Type: text/html

<p>html twin</p>
--C--
--B
Content-Type: application/pdf; name="menu.pdf"
Content-Disposition: attachment; filename="menu.pdf"

xxx
--B--
"""


def test_a_mailbox_gives_senders_times_threads_and_attachments(put):
    first, second, third = only(put("m.mbox", MBOX))

    assert first.text == "Subject: Dinner\n\nThursday?\nFrom eight on."
    assert (first.speaker, first.at) == ("Inês", JULY_READ)
    assert first.metadata["to"] == ["Tom"]
    assert second.text == "Subject: Re: Dinner\n\nYes, gladly.\n\n- wine\n- figs"
    assert third.text == "Subject: Re: Dinner\n\nCafé first."
    assert third.metadata["attachments"] == ["menu.pdf"]
    assert third.at == CHANGED
    assert {first.session, second.session, third.session} == {"1@x"}
    assert third.address == "m.mbox#message-3"


def test_a_file_named_as_mail_is_read_only_where_it_is_mail(put):
    message = MBOX.split(b"\n", 1)[1].split(b"\nFrom tom@", 1)[0]
    put("not.eml", "just words")
    put("not.mbox", "just words")
    files, problems = read(put("one.eml", message))

    assert files["one.eml"][0].speaker == "Inês"
    assert "not mail" in problems["not.eml"]
    assert "not a mailbox" in problems["not.mbox"]


@pytest.mark.parametrize("name", ["m.mbox", "m.eml"])
def test_mail_that_begins_with_a_byte_order_mark_is_read_as_without(put, name):
    mail = MBOX if name.endswith("mbox") else MBOX.split(b"\n", 1)[1].split(b"\nFrom tom@", 1)[0]

    assert only(put(name, mail)) == only(put(name, codecs.BOM_UTF8 + mail))


LIST_MAIL = """Subject: Wine
Content-Type: multipart/mixed; boundary=B

--B
{said}
--B
Content-Type: text/plain

To leave the list, write to it.
--B--
"""
PAGE = "Content-Type: text/html\n\n<p>Red or white?</p>\n"
TWICE = f"""Content-Type: multipart/alternative; boundary=C

--C
Content-Type: text/plain

Red or white?
--C
Content-Type: multipart/related; boundary=D

--D
{PAGE}
--D--
--C--"""
BLANK = TWICE.replace("Red or white?\n--C\n", " \n--C\n", 1)


@pytest.mark.parametrize("said", [PAGE, TWICE, BLANK])
def test_a_footer_in_plain_text_does_not_take_the_place_of_a_page(put, said):
    (turn,) = only(put("a.eml", LIST_MAIL.format(said=said)))

    assert turn.text == "Subject: Wine\n\nRed or white?\n\nTo leave the list, write to it."


@pytest.mark.parametrize(
    "written",
    [
        "=?utf-8?q?M=C3=BCller=2C_In=C3=AAs?= <ines@example.org>",
        '"=?utf-8?q?M=C3=BCller=2C_In=C3=AAs?=" <ines@example.org>',
        "=?utf-8?q?M=C3=BCller=2C?=\n =?utf-8?b?IEluw6pz?= <ines@example.org>",
        '"Müller, Inês" <ines@example.org>',
    ],
)
def test_a_comma_in_an_encoded_name_does_not_part_it(put, written):
    head = f"From: {written}\nTo: Tom <t@example.org>,\n {written}\nSubject: Café\n\nHi.\n"
    (turn,) = only(put("a.eml", head))

    assert turn.text == "Subject: Café\n\nHi."
    assert (turn.speaker, turn.metadata["sender"]) == ("Müller, Inês", "ines@example.org")
    assert turn.metadata["to"] == ["Tom", "Müller, Inês"]


def test_what_a_page_quotes_is_marked_as_another_ones_words(put):
    page = """<p>I live in Lisbon.</p><div>Inês wrote:<blockquote type="cite">
    <p>I am allergic<br>to <b>figs</b>.</p><ul><li>a <blockquote>We sail.</blockquote></ul>
    </blockquote></div>Bye."""
    (turn,) = only(put("a.eml", f"Subject: s\nContent-Type: text/html\n\n{page}"))

    said = [line for line in turn.text.splitlines()[2:] if line]
    assert ["I live in Lisbon.", "Inês wrote:", "Bye."] == [s for s in said if s[0] != ">"]
    quoted = ["> I am allergic", "> to figs.", "> - a", "> > We sail."]
    assert quoted == [line for line in said if line[0] == ">"]


@pytest.mark.parametrize(
    ("subject", "head"),
    [
        (
            "RE: Dinner on Friday",
            "From: Inês Silva|Sent: Monday, July 1, 2024 9:30 AM|To: Tom|Subject: Dinner on Friday",
        ),
        (
            "AW: [EXT] Re: Dinner",
            "Von: Inês <ines@example.org>|Gesendet: Montag, 1. Juli 2024 09:30|Betreff: Re: Dinner",
        ),
        ("TR : Dinner", "*De :* Inês|*Envoyé :* lundi 1 juillet 2024|*À :* Tom|*Objet :* dinner"),
        ("Fwd: Dinner", "From: I <i@example.org>||Subject: Dinner||Date: 1 July 2024||To: Tom"),
    ],
)
def test_an_earlier_mail_that_is_repeated_is_marked_from_its_head_on(put, subject, head):
    begun = "I live in Lisbon.\nPS: I have a boat.\n\n"
    written = head.replace("|", "\n")
    body = f"{begun}{written}\n\nI am allergic to figs.\n"
    (turn,) = only(put("a.eml", f"Subject: {subject}\n\n{body}"))

    own, mark, rest = turn.text.partition("\n> ")
    assert {">"} == {line[0] for line in f"{mark.strip()} {rest}".splitlines()}
    assert turn.text.endswith("> I am allergic to figs.")
    assert "boat" in own or "||" in head


@pytest.mark.parametrize(
    "body",
    [
        "What: Dinner\nWhen: 5 July 2024\nWhere: Porto, tom@example.org\n\nI am allergic to figs.",
        "Name: Inês\nAddress: ines@example.org\nBorn: 1 May 1990\n\nI am allergic to figs.",
        "Note: it is late\nAlso: Dinner\n\nI am allergic to figs.",
        "From: Inês\nI am allergic to figs.",
    ],
)
def test_lines_that_look_like_no_head_of_a_mail_stay_the_senders(put, body):
    (turn,) = only(put("a.eml", f"Subject: Re: Dinner\n\n{body}\n"))

    assert turn.text == f"Subject: Re: Dinner\n\n{body}"


def test_a_mail_that_is_attached_is_marked_as_another_ones_words(put):
    inner = "From: Inês <ines@example.org>\nSubject: Figs\n\nI am allergic to figs.\nReally.\n"
    said = f"Content-Type: message/rfc822\n\n{inner}"
    (turn,) = only(put("a.eml", LIST_MAIL.format(said=said)))

    assert turn.text == (
        "Subject: Wine\n\n> I am allergic to figs.\n> Really.\n\nTo leave the list, write to it."
    )


@pytest.mark.parametrize("charset", ["hex", "unicode_escape", "idna", "utf-99", "\x00", ""])
def test_charsets_that_are_none_still_give_text(put, charset):
    head = f'Subject: =?{charset}?q?a?=\nContent-Type: text/plain; charset="{charset}"\n\n'
    (turn,) = only(put("a.eml", head.encode() + b"caf\xe9 \\d"))

    assert turn.text.endswith("café \\d")


@pytest.mark.parametrize(
    "html",
    ["<![foo[bar", "<" * 50_000, "<!--" * 50_000, "<b" * 50_000,
     "<blockquote>" * 50_000],
)  # fmt: skip
def test_malformed_html_is_read_in_time(put, html):
    head = "Subject: s\nContent-Type: text/html\n\n"

    assert only(put("a.eml", head + html + "<p>words</p>"))


# ---------------------------------------------------------------- hostile input

KEYS = """role content text messages mapping message author parent current_node parts at
    chat_messages sender attachments memory results type name entityType from to observations
    relationType session id metadata title entities relations""".split()
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(KEYS),
            inner,
            max_size=5,
        )
    ),
    max_leaves=25,
)
hostile = st.one_of(
    st.binary(max_size=400),
    st.text(max_size=200).map(lambda t: t.encode("utf-8", "surrogatepass")),
    json_values.map(lambda v: json.dumps(v).encode()),
    st.lists(json_values, max_size=4).map(lambda vs: "\n".join(map(json.dumps, vs)).encode()),
    st.binary(max_size=200).map(lambda b: b"From a Mon Jul  1 09:30:00 2024\nSubject: " + b),
    st.binary(max_size=200).map(lambda b: b"Content-Type: " + b),
    st.binary(max_size=200).map(lambda b: b"Subject: s\nContent-Type: text/html\n\n<" + b),
    st.text(max_size=200).map(lambda t: f"---\n{t}\n---\n{t}".encode("utf-8", "replace")),
)
suffixes = st.sampled_from([".md", ".txt", ".rst", ".json", ".jsonl", ".mbox", ".eml", ".bin"])


@pytest.mark.slow
@settings(
    max_examples=16 * settings().max_examples,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(hostile, suffixes, st.none() | st.sampled_from(sorted(FORMATS)))
@example(b'{"a": ' * 3000, ".json", "mem0")
@example(b'{"at": 1e999, "text": "x", "n": NaN}', ".json", None)
@example(b"[" + b"9" * 5000 + b"]", ".json", None)
@example(b"Subject: =?utf-8?b?a?=\nContent-Type: text/plain; charset*=x'y'%ff\n\nx", ".eml", None)
def test_no_bytes_raise_whatever_the_file_claims_to_be(tmp_path, data, suffix, chosen):
    path = tmp_path / f"file{suffix}"
    path.write_bytes(data)
    items = list(read_source(path, format=chosen))

    assert items
    for item in items:
        assert isinstance(item, SourceProblem) or item.digest == hashlib.sha256(data).hexdigest()
        for turn in getattr(item, "turns", ()):
            assert turn.text.strip()
            assert turn.text.encode()
            assert isinstance(turn.at, datetime)
            assert turn.address.startswith(path.name)
            assert json.dumps(dict(turn.metadata), allow_nan=False).encode()


# ---------------------------------------------------------------- diaries


def days(put, text, name="diary.md"):
    """Return ``{day: text}`` of a diary; of what has no day of its own, under None."""
    return {
        None
        if turn.at == CHANGED
        else f"{turn.at:%Y-%m-%dT%H:%M}".removesuffix("T00:00"): turn.text
        for turn in only(put(name, text))
    }


@pytest.mark.parametrize(
    "text",
    [
        "## 2023-03-02\n\nRain.\n\n## 2023-03-04\n\nSam fell.\n",
        "# Diary\n\nThursday, 2 March 2023\n\nRain.\n\nSaturday, 4 March 2023\nSam fell.\n",
        "2.3.2023:\nRain.\n4.3.2023:\nSam fell.\n",
        "2023-03-02: Rain.\n2023-03-04: Sam fell.\n",
        "- **2 March 2023** - Rain.\n- **4 March 2023** - Sam fell.\n",
        "March 2, 2023\n-------------\nRain.\n\nMarch 4, 2023\n-------------\nSam fell.\n",
        "### Donnerstag, 2. März 2023\nRain.\n### Samstag, 04.03.2023\nSam fell.\n",
        "# 2023\n## Thu 2023/03/02\nRain.\n## 2023/03/04 (Saturday)\nSam fell.\n",
    ],
)
def test_a_diarys_days_are_turns_of_their_own_time(put, text):
    assert days(put, text) == {"2023-03-02": "Rain.", "2023-03-04": "Sam fell."}


def test_entries_of_a_diary_have_its_source_and_their_own_address(put):
    text = "---\ntags: [me]\n---\n# Diary\n\n## 2023-03-04\nSam fell.\n\n## 2023-03-02\nRain.\n"
    assert [(t.source, t.address, t.metadata) for t in only(put("d.md", text))] == [
        ("d.md", f"d.md#{day}", {"title": "Diary", "tags": ["me"]})
        for day in ("2023-03-04", "2023-03-02")
    ]


def test_titles_and_times_of_days_stay_and_what_is_outside_has_the_files(put):
    text = (
        "# Blog\n\nWho I am.\n\n## 2023-03-02 08:30\nRain.\n### Later\nSun.\n\n"
        "## 2023-03-02, 19:15: Party\n\n## 2023-03-04\nSam fell.\n\n# Imprint\nMe.\n"
    )
    assert days(put, text) == {
        None: "# Blog\n\nWho I am.\n\n# Imprint\nMe.",
        "2023-03-02T08:30": "Rain.\n### Later\nSun.",
        "2023-03-02T19:15": "## Party",
        "2023-03-04": "Sam fell.",
    }


def test_lines_of_one_day_keep_their_moments_and_these_can_be_read(put):
    text = (
        "2023-03-02 07:40:30: Fed the cat.\n2023-03-02 19:05: Fed the cat.\n"
        "- **4 March 2023, 6:15 am** - Fed the cat.\n- 2023-03-05 - Gave it away.\n"
    )
    assert days(put, text) == {
        "2023-03-02T07:40": "2023-03-02 07:40:30: Fed the cat.",
        "2023-03-02T19:05": "2023-03-02 19:05: Fed the cat.",
        "2023-03-04T06:15": "- **4 March 2023, 6:15 am** - Fed the cat.",
        "2023-03-05": "Gave it away.",
    }


@pytest.mark.parametrize(
    ("written", "hour"),
    [("9:15 pm", "21:15"), ("9:15AM", "09:15"), ("12:15 a.m.", "00:15"), ("12:15 p.m.", "12:15"),
     ("7 pm", "19:00"), ("21:15", "21:15")],
)  # fmt: skip
def test_a_day_begins_before_or_after_noon_as_it_is_written(put, written, hour):
    text = f"## 2023-03-02 {written}\nRain.\n## 2023-03-04 {written}: Fall\nSam fell.\n"
    assert days(put, text) == {
        f"2023-03-02T{hour}": "Rain.", f"2023-03-04T{hour}": "## Fall\nSam fell.",
    }  # fmt: skip


def test_headings_outside_the_days_are_kept_and_the_first_alone_is_a_title(put):
    text = "# C#\n## 2023-03-02\nRain.\n{}## 2023-03-04\nSam fell.\n"
    (first, _) = only(put("diary.md", text.format("")))
    assert ("Rain.", {"title": "C#"}) == (first.text, first.metadata)
    said = days(put, text.format("# Grandma sold the farm in Ulm\n"))
    assert "# C#\n# Grandma sold the farm in Ulm" == said[None]
    assert "# My garden" in days(put, "---\ntitle: Plants\n---\n# My garden" + text[4:])[None]


@pytest.mark.parametrize(
    ("behind", "said"),
    [
        (": [Map](map.png)", "[Map](map.png)"), (" (Ulm, **late**)", "(Ulm, **late**)"),
        (" - Then what?..", "Then what?.."), (" F#", "F#"), (": Snow ##", "Snow"),
        (" -5 degrees", "-5 degrees"), (": Sun", "Sun"),
        (" | *Cold*", "*Cold*"), (": _a_ and _b_", "_a_ and _b_"),
    ],
)  # fmt: skip
def test_the_title_of_a_day_stays_as_it_is_written(put, behind, said):
    text = f"## 2023-03-02{behind}\nRain.\n## 2023-03-04\nSam fell.\n"
    assert days(put, text)["2023-03-02"] == f"## {said}\nRain."


def test_emphasis_that_goes_on_behind_a_date_goes_on(put):
    text = "## **2023-03-02: Rain** at last\nOh.\n## **2023-03-04** Frost\nAh.\n"
    assert days(put, text) == {
        "2023-03-02": "## **Rain** at last\nOh.", "2023-03-04": "## Frost\nAh.",
    }  # fmt: skip


MARKED = st.text("aeZ3 *_[]().,;:#-!?ß", min_size=1, max_size=12).map(lambda said: f"x{said}y")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(MARKED, MARKED, st.booleans()), min_size=2, max_size=4), MARKED)
def test_no_character_of_a_diary_is_lost(put, told, name):
    text, whole = f"# {name}\n", name
    for day, (title, words, outside) in enumerate(told, 1):
        text += f"## 2023-03-0{day}: {title}\n\n{words}\n" + f"# {words}\n" * outside
        whole += title + words + words * outside
    turns = only(put("diary.md", text))
    kept = turns[0].metadata["title"] + "".join(turn.text for turn in turns)
    assert len(told) <= len(turns)
    assert not Counter("".join(whole.split())) - Counter(kept)


def test_lines_that_begin_as_no_date_are_not_searched_for_one(monkeypatch):
    read = []
    monkeypatch.setattr(
        "hippocampus.sources.diary.find_intervals",
        lambda text, now: read.append(text) or find_intervals(text, now),
    )
    lines = ["Paid 2023 dollars on the 5th to Sam.", "The 2023 budget of June 4 is spent."] * 1000
    assert [] == by_day("\n".join(lines), CHANGED)[1]
    assert len(read) < 20
    budget = Budget()
    budget.cancel()
    with budget, pytest.raises(Cancelled):
        by_day("\n".join(lines), CHANGED)


@pytest.mark.parametrize("date", ["On {} March 2023", "el {} de marzo de 2023", "Thu, Mar {}, 2023",
                                  "Sunday the {}th of March, 2023"])  # fmt: skip
def test_a_date_may_begin_with_a_word(put, date):
    text = f"## {date.format(7)}\nRain.\n## {date.format(9)}\nSam fell.\n"
    assert days(put, text) == {"2023-03-07": "Rain.", "2023-03-09": "Sam fell."}


@pytest.mark.parametrize(
    "text",
    [
        "## 2023-03-02\nRain.\n\nMore of it.\n",
        "## 2023-03-02\nRain.\n## 2023-02-01\nSnow.\n## 2023-03-04\nSun.\n",
        "## 2031-03-02\nFly to Rome.\n## 2031-03-04\nFly back.\n",
        "## 3/2/2023\nRain.\n## 3/4/2023\nSun.\n",
        "# Outage\n\nWe were down.\n\n2023-03-02: began\n2023-03-03: mended\n\nLessons.\n",
        "Days off:\n- 2023-03-02\n- 2023-03-03\n\nAsk Sam.\n",
        "Write\n```\n2023-03-02\nRain.\n2023-03-04\nSun.\n```\n",
        "## Before 2023-03-02\nPack.\n## Before 2023-03-04\nPay.\n",
        "2023-03-02 10:00:01 INFO begun\n2023-03-03 10:00:02 INFO done\n",
        "## 2023 in numbers\nTen.\n## 2024 in numbers\nTwelve.\n",
    ],
)
def test_dates_that_are_no_days_of_a_diary_leave_a_document_whole(put, text):
    assert days(put, text) == {None: text}
