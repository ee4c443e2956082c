"""Logs of coding agents in the shapes that their tools write, with words of our own."""

import json
import sqlite3

CLAUDE = {
    "parentUuid": None, "isSidechain": False, "userType": "external", "entrypoint": "cli",
    "cwd": "/home/ada/shop", "sessionId": "5f0c-1", "version": "2.1.251", "gitBranch": "main",
}  # fmt: skip

ASKED = "We use pnpm here, never npm. Please mend the lint job."
ANSWERED = "The lint job ran npm ci without a lock file; it runs pnpm install now."
MORE = "Deploys go out on Tuesdays only, so leave the release branch alone."
OUTPUT = "npm ERR! The package-lock.json is missing in the checkout of the runner"
THOUGHT = "Perhaps the workflow file names the wrong package manager after all"
NARRATED = "I will look at the workflow file first, then at the cache."


def lines(*records):
    return "".join(json.dumps(one) + "\n" for one in records)


def _claude(kind, uuid, at, content, message=None, **more):
    role = {"role": kind, "content": content} | (message or {})
    stamp = f"2026-03-02T09:00:{at:02}.500Z"
    return CLAUDE | {"type": kind, "uuid": uuid, "timestamp": stamp, "message": role} | more


def claude_code():
    block = {"type": "text", "text": NARRATED}
    return lines(
        {"type": "summary", "summary": "Lint job", "leafUuid": "9"},
        {"type": "mode", "mode": "default", "sessionId": "5f0c-1"},
        _claude("user", "m1", 1, "<local-command-caveat>x</local-command-caveat>", isMeta=True),
        _claude("user", "m2", 2, "<command-name>/x</command-name>\n<command-args></command-args>"),
        _claude("user", "u1", 3, f"{ASKED}\n<system-reminder>\nIt is Monday.\n</system-reminder>"),
        CLAUDE | {"type": "attachment", "uuid": "t1", "timestamp": "2026-03-02T09:00:03.600Z",
                  "attachment": {"type": "task_reminder", "content": [], "itemCount": 0}},
        _claude("assistant", "a1", 4, [{"type": "thinking", "thinking": THOUGHT}]),
        _claude("assistant", "a2", 5, [block], {"id": "msg_1"}),
        _claude("assistant", "a3", 6, [{"type": "tool_use", "id": "toolu_1", "name": "Bash",
                                        "input": {"command": "pnpm lint"}}], {"id": "msg_1"}),
        _claude("user", "r1", 7, [{"type": "tool_result", "tool_use_id": "toolu_1",
                                   "content": [{"type": "text", "text": OUTPUT}]}],
                toolUseResult={"stdout": OUTPUT, "interrupted": False}),
        _claude("assistant", "a4", 8, [{"type": "text", "text": ANSWERED}],
                {"id": "msg_2", "stop_reason": "end_turn"}),
        _claude("user", "i1", 9, "[Request interrupted by user]"),
        CLAUDE | {"type": "attachment", "uuid": "q1", "timestamp": "2026-03-02T09:00:10.000Z",
                  "attachment": {"type": "queued_command", "prompt": MORE,
                                 "commandMode": "prompt", "origin": {"kind": "human"}}},
        _claude("user", "s1", 11, "Look at every file.", isSidechain=True, agentId="7"),
        _claude("user", "k1", 12, "This session is continued from another one.",
                isCompactSummary=True, isVisibleInTranscriptOnly=True),
        _claude("user", "n1", 13, "The build of the image has ended.",
                origin={"kind": "task-notification"}),
        _claude("user", "u2", 14, "ok"),
    )  # fmt: skip


def _codex(at, kind, /, **payload):
    return {"timestamp": f"2026-03-02T09:00:{at:02}.500Z", "type": kind, "payload": payload}


def _item(role, text, **more):
    part = {"type": "input_text" if role == "user" else "output_text", "text": text}
    return {"type": "message", "role": role, "content": [part]} | more


def codex(*, events=True):
    context = "<environment_context>\n  <cwd>/home/ada/shop</cwd>\n</environment_context>"
    rules = (
        "# AGENTS.md instructions for /home/ada/shop\n\n<INSTRUCTIONS>\nBe brief.\n</INSTRUCTIONS>"
    )
    told = [
        _codex(3, "event_msg", type="user_message", message=ASKED, kind="plain"),
        _codex(9, "event_msg", type="user_message", message=MORE, kind="plain"),
    ]
    all_of_it = [
        _codex(1, "session_meta", id="019c-1", timestamp="2026-03-02T09:00:01Z",
               cwd="/home/ada/shop", originator="codex_cli_rs", cli_version="0.98.0", source="cli",
               git={"branch": "main", "commit_hash": "0"}),
        _codex(2, "response_item", **_item("developer", "You may use the shell.")),
        _codex(2, "response_item", **_item("user", rules)),
        _codex(2, "response_item", **_item("user", context)),
        _codex(3, "response_item", **_item("user", ASKED)),
        told[0],
        _codex(3, "turn_context", cwd="/home/ada/shop", model="gpt-5", approval_policy="never"),
        _codex(4, "response_item", type="reasoning", summary=[{"type": "summary_text",
               "text": THOUGHT}], content=None, encrypted_content="x"),
        _codex(5, "response_item", **_item("assistant", NARRATED, phase="commentary")),
        _codex(6, "response_item", type="function_call", name="shell", arguments="{}", call_id="c"),
        _codex(7, "response_item", type="function_call_output", call_id="c", output=OUTPUT),
        _codex(8, "response_item", **_item("assistant", ANSWERED, phase="final_answer")),
        _codex(8, "event_msg", type="agent_message", message=ANSWERED),
        _codex(8, "event_msg", type="token_count", info=None),
        _codex(9, "response_item", **_item("user", MORE)),
        told[1],
        _codex(9, "compacted", message="A summary of what was said.", replacement_history=[]),
    ]  # fmt: skip
    return lines(*(one for one in all_of_it if events or one not in told))


def old_codex():
    return lines(
        {"id": "01-old", "timestamp": "2025-07-01T10:00:00Z", "instructions": "Be brief."},
        {"record_type": "state"},
        _item("user", ASKED),
        {"type": "function_call", "name": "shell", "arguments": "{}", "call_id": "c"},
        {"type": "function_call_output", "call_id": "c", "output": OUTPUT},
        _item("assistant", ANSWERED),
        _item("user", MORE),
    )


def _gemini(id_, at, kind, content, **more):
    stamp = f"2026-03-02T09:00:{at:02}.500Z"
    return {"id": id_, "timestamp": stamp, "type": kind, "content": content} | more


GEMINI_HEAD = {
    "sessionId": "8c1a-2", "projectHash": "79b6", "startTime": "2026-03-02T09:00:00Z",
    "lastUpdated": "2026-03-02T09:00:20Z",
}  # fmt: skip


def gemini_messages():
    call = {"id": "c", "name": "run_shell_command", "args": {}, "status": "success",
            "timestamp": "2026-03-02T09:00:05Z", "result": [{"text": OUTPUT}]}  # fmt: skip
    return [
        _gemini("1", 1, "user", [{"text": ASKED}, {"text": "--- Content of a.yml ---"}],
                displayContent=[{"text": ASKED}]),
        _gemini("2", 2, "gemini", NARRATED, thoughts=[{"subject": "s", "description": THOUGHT,
                "timestamp": "2026-03-02T09:00:02Z"}], toolCalls=[call], model="gemini-3"),
        _gemini("3", 3, "gemini", ANSWERED, tokens={"input": 1, "output": 1, "total": 2}),
        _gemini("4", 4, "info", "Update available."),
        _gemini("5", 5, "user", MORE),
    ]  # fmt: skip


def gemini():
    return json.dumps(GEMINI_HEAD | {"messages": gemini_messages()}, indent=2)


def gemini_lines():
    first, second, *rest = gemini_messages()
    taken_back = _gemini("6", 6, "user", "No, forget the whole plan of the release.")
    begun = second | {"toolCalls": []}
    return lines(
        GEMINI_HEAD, first, begun, {"$set": {"lastUpdated": "2026-03-02T09:00:03Z"}}, second, *rest,
        taken_back, {"$rewindTo": "6"},
    )  # fmt: skip


def _parts():
    return {
        "msg_1": ("user", 1, [
            {"type": "text", "text": ASKED},
            {"type": "text", "text": "The file a.yml says: nothing.", "synthetic": True},
            {"type": "file", "mime": "text/plain", "url": "file:///a.yml"},
        ]),
        "msg_2": ("assistant", 2, [
            {"type": "step-start"},
            {"type": "reasoning", "text": THOUGHT, "time": {"start": 1}},
            {"type": "text", "text": NARRATED},
            {"type": "tool", "callID": "c", "tool": "bash", "state": {
                "status": "completed", "input": {}, "output": OUTPUT, "title": "t"}},
        ]),
        "msg_3": ("assistant", 3, [{"type": "text", "text": ANSWERED}, {"type": "step-finish"}]),
        "msg_4": ("user", 4, [{"type": "text", "text": MORE}]),
    }  # fmt: skip


def opencode_files(root):
    """Write the folders that opencode had before version 1.2; return the session's file."""
    session = root / "session" / "prj_1" / "ses_1.json"

    def put(path, value):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value))

    put(session, {"id": "ses_1", "version": "1.1.36", "projectID": "prj_1", "title": "Lint",
                  "directory": "/home/ada/shop", "time": {"created": 1772442000000}})  # fmt: skip
    put(root / "session" / "prj_1" / "ses_2.json", {"id": "ses_2", "parentID": "ses_1"})
    for name, (role, at, parts) in _parts().items():
        time = {"created": 1772442000000 + at * 1000}
        put(root / "message" / "ses_1" / f"{name}.json", {"id": name, "role": role, "time": time})
        for nth, part in enumerate(parts):
            put(root / "part" / name / f"prt_{nth}.json", {"id": f"prt_{nth}"} | part)
    return session


def opencode_database(path):
    """Write the tables, and of their columns those that say something."""
    with sqlite3.connect(path) as db:
        db.executescript(
            "CREATE TABLE session (id TEXT PRIMARY KEY, parent_id TEXT, directory TEXT NOT NULL);"
            "CREATE TABLE message (id TEXT PRIMARY KEY, session_id TEXT NOT NULL,"
            " time_created INTEGER, time_updated INTEGER, data TEXT NOT NULL);"
            "CREATE TABLE part (id TEXT PRIMARY KEY, message_id TEXT NOT NULL,"
            " session_id TEXT NOT NULL, data TEXT NOT NULL);"
        )
        db.execute("INSERT INTO session VALUES ('ses_1', NULL, '/home/ada/shop')")
        db.execute("INSERT INTO session VALUES ('ses_2', 'ses_1', '/home/ada/shop')")
        for name, (role, at, parts) in _parts().items():
            time = 1772442000000 + at * 1000
            told = json.dumps({"role": role, "time": {"created": time}})
            db.execute("INSERT INTO message VALUES (?, 'ses_1', ?, ?, ?)", (name, time, time, told))
            for nth, part in enumerate(parts):
                db.execute("INSERT INTO part VALUES (?, ?, 'ses_1', ?)",
                           (f"{name}-{nth}", name, json.dumps(part)))  # fmt: skip
    db.close()
    return path


def cursor_database(path):
    """Write Cursor's table of keys and values."""
    bubbles = {
        "b1": {"type": 1, "text": ASKED, "createdAt": "2026-03-02T09:00:01.000Z"},
        "b2": {"type": 2, "text": NARRATED},
        "b3": {"type": 2, "text": "", "toolFormerData": {"name": "run_terminal_cmd",
               "rawArgs": "{}", "result": OUTPUT}},
        "b4": {"type": 2, "text": THOUGHT, "isThought": True},
        "b5": {"type": 2, "text": ANSWERED},
        "b6": {"type": 1, "text": MORE},
    }  # fmt: skip
    heads = [{"bubbleId": name, "type": one["type"]} for name, one in bubbles.items()]
    composer = {"_v": 10, "composerId": "c-1", "createdAt": 1772442000000,
                "workspaceIdentifier": {"id": "w", "uri": {"path": "/home/ada/shop"}},
                "fullConversationHeadersOnly": heads}  # fmt: skip
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")
        put = "INSERT INTO cursorDiskKV VALUES (?, ?)"
        db.execute(put, ("composerData:c-1", json.dumps(composer)))
        db.execute(put, ("composerData:draft", None))
        db.execute(put, ("cursorAuth/accessToken", "no"))
        for name, one in bubbles.items():
            db.execute(put, (f"bubbleId:c-1:{name}", json.dumps({"_v": 3} | one).encode()))
    db.close()
    return path


def aider():
    return f"""
# aider chat started at 2026-03-02 09:00:01

> Aider v0.86.1
> Git repo: .git with 12 files

#### {ASKED}

{ANSWERED}

> {OUTPUT}
> Applied edit to lint.yml

#### /add lint.yml

> Added lint.yml to the chat

#### {MORE}
"""
