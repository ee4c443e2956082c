"""An entry is put into a configuration of others and taken out; the rest stays byte for byte."""

import json
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.connect.entries import ConfigEntry, Conflict, changed_at, put, take
from hippocampus.connect.jsonc import SyntaxFault, parse

SERVER = ConfigEntry(("mcpServers", "hippocampus"), {"command": "/opt/h", "args": ["mcp"]})
HOOK = ConfigEntry(
    ("hooks", "Stop"), {"hooks": [{"type": "command", "command": "/opt/h hook"}]}, True
)
TABLE = ConfigEntry(("mcp_servers", "hippocampus"), {"command": "/opt/h", "args": ["mcp"]})

DOCUMENTS = [
    "{}",
    '{"a": 1}',
    '{"a":1,}',
    '{\n  "a": 1\n}\n',
    '{\n\t"a": [1, 2,], // a note\n}\n',
    "{\n  // only this\n}\n",
    "/* first */ {\n} // last",
    '{\n  "mcpServers": {} // none yet\n}',
    '{\n    "mcpServers": {\n        "b": {"command": "z"} // mine\n        /* end */\n    }\n}',
    '{"hooks": {"Stop": []}, "x": null}',
    '{\r\n  "hooks": {\r\n    "Stop": [\r\n      {"hooks": []}\r\n    ]\r\n  }\r\n}\r\n',
    '\ufeff{"url": "https://a.b/c", "said": "/* no comment */ \\" // nor this"}',
    '{"hooks": {"Stop": [{"hooks": [{"command": "theirs"}]}]}}',
]
BLANKS = ["", " ", "\n", "\r\n", "\t", "// c\n", "/* c */", "/* {,} */ "]


def without(text, entry, made=()):
    return take(text, "json", entry, made)


@pytest.mark.parametrize("entry", [SERVER, HOOK], ids=["server", "hook"])
@pytest.mark.parametrize("text", DOCUMENTS)
def test_what_is_put_in_can_be_taken_out_again(text, entry):
    placed = put(text, "json", entry)
    said = parse(placed.text).value

    assert said | {entry.path[0]: None} == parse(text).value | {entry.path[0]: None}
    at = said[entry.path[0]][entry.path[1]]
    assert entry.value == (at[-1] if entry.appends else at)
    left = without(placed.text, entry, placed.made)
    assert parse(text).value == parse(left).value
    if text != "/* first */ {\n} // last":  # whose braces come nearer
        assert text == left


@pytest.mark.parametrize("entry", [SERVER, HOOK], ids=["server", "hook"])
@pytest.mark.parametrize("text", DOCUMENTS)
def test_what_is_there_already_is_not_put_there_twice(text, entry):
    once = put(text, "json", entry).text

    assert once == put(once, "json", entry).text


@st.composite
def documents(draw):
    """Text of JSON with comments, blanks and trailing commas anywhere, and an object at the top."""
    blank = st.lists(st.sampled_from(BLANKS), max_size=2).map("".join)
    leaf = st.one_of(st.none(), st.booleans(), st.integers(), st.text(max_size=5)).map(json.dumps)
    keys = st.sampled_from(["mcpServers", "hooks", "Stop", "x", "é", "a//b"]).map(json.dumps)

    def listed(parts, brackets):
        inside = ",".join(parts) + (draw(st.sampled_from(["", ","])) if parts else "")
        return f"{brackets[0]}{inside}{draw(blank)}{brackets[1]}"

    def value(depth, *, whole=False):
        kind = "object" if whole else draw(st.sampled_from(["leaf", "leaf", "list", "object"]))
        if kind == "leaf" or depth == 0:
            return draw(leaf)
        count = draw(st.integers(0, 2))
        if kind == "list":
            return listed(
                [draw(blank) + value(depth - 1) + draw(blank) for _ in range(count)], "[]"
            )
        names = draw(st.lists(keys, max_size=count, unique=True))
        return listed(
            [
                f"{draw(blank)}{name}{draw(blank)}:{draw(blank)}{value(depth - 1)}{draw(blank)}"
                for name in names
            ],
            "{}",
        )

    return draw(blank) + value(2, whole=True) + draw(blank)


@given(documents(), st.sampled_from([SERVER, HOOK]))
def test_any_document_says_the_same_once_an_entry_that_came_is_gone(text, entry):
    before = parse(text).value
    try:
        placed = put(text, "json", entry)
    except Conflict:
        return
    left = without(placed.text, entry, placed.made)

    assert before == parse(left).value
    comments = ("// c", "/* c */", "/* {,} */")
    assert [text.count(one) for one in comments] == [left.count(one) for one in comments]


THEIRS = ConfigEntry(("mcpServers", "theirs"), {"command": "x", "args": []})


@given(documents(), st.booleans())
def test_what_somebody_else_adds_meanwhile_stays(text, sooner):
    try:
        meant = parse(put(text, "json", THEIRS).text).value
        first, second = (THEIRS, SERVER) if sooner else (SERVER, THEIRS)
        ours = put(text, "json", first)
        both = put(ours.text, "json", second)
    except Conflict:
        return
    left = without(both.text, SERVER, both.made if sooner else ours.made)

    assert meant == parse(left).value


@given(st.text(alphabet='{}[],:"/*\\ \n1atrue', max_size=30))
def test_any_text_is_read_or_refused_with_a_line(text):
    try:
        node = parse(text)
    except SyntaxFault as fault:
        told = fault
    else:
        told = None
        assert text[node.start : node.end].strip()
    if told is not None:
        assert min(told.line, told.column) >= 1
        with pytest.raises(json.JSONDecodeError):
            json.loads(text)


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ('{\n  "a": {\n    "b": 1,\n', "line 4, column 1: it ends too early"),
        ('{\n  "a" 1}', "line 2, column 7: a colon"),
        ('{"a": 1 "b": 2}', "line 1, column 9: a comma or }"),
        ("{a: 1}", "line 1, column 2: a name in double quotes"),
        ('{"a": 1} x', "line 1, column 10: something follows"),
        ("[" * 100_000, "nested too deeply"),
    ],
)
def test_what_is_half_written_is_told_with_its_line_and_column(text, where):
    with pytest.raises(SyntaxFault, match=where):
        put(text, "json", SERVER)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("[]", "not an object"),
        ('{"mcpServers": []}', "mcpServers is not an object"),
        ('{"mcpServers": {"hippocampus": {"command": "other"}}}', "says something else"),
    ],
)
def test_what_stands_in_the_way_is_not_written_over(text, says):
    with pytest.raises(Conflict, match=says):
        put(text, "json", SERVER)


def test_an_entry_that_somebody_changed_is_told_by_its_line_instead_of_removed():
    text = put("{}", "json", SERVER).text.replace('"mcp"', '"mcp", "--debug"')

    assert without(text, SERVER) is None
    assert 3 == changed_at(text, "json", SERVER)
    hooked = put("{}", "json", HOOK).text.replace('"type"', '"timeout": 3, "type"')
    assert without(hooked, HOOK) is None
    assert 4 == changed_at(hooked, "json", HOOK)
    assert changed_at("{}", "json", HOOK) is None


def test_others_that_were_added_after_ours_stay():
    text = put('{"mcpServers": {"a": {}}}', "json", SERVER)
    later = text.text.replace("}}}", '}, "z": {}}}')

    assert {"mcpServers": {"a": {}, "z": {}}} == json.loads(without(later, SERVER, text.made))


# ---------------------------------------------------------------- TOML

TABLES = [
    "",
    'model = "x" # the good one\n',
    '# mine\n[mcp_servers.docs]\ncommand = "npx"\n',
    "[mcp_servers]\n",
    'a = 1\r\n[b]\r\nc = "d"\r\n',
]


@pytest.mark.parametrize("text", TABLES)
def test_a_table_that_comes_or_goes_leaves_all_else(text):
    changed = put(text, "toml", TABLE).text

    assert changed.startswith(text)
    assert TABLE.value == tomllib.loads(changed)["mcp_servers"]["hippocampus"]
    assert changed == put(changed, "toml", TABLE).text
    assert text == take(changed, "toml", TABLE)
    more = changed.replace("[mcp_servers.hippocampus]", "[new]\nx = 1\n\n[mcp_servers.hippocampus]")
    assert tomllib.loads(text) | {"new": {"x": 1}} == tomllib.loads(take(more, "toml", TABLE)) | (
        {"mcp_servers": {}} if text == "[mcp_servers]\n" else {}
    )


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("mcp_servers = {}\n", "no table can be added"),
        ("mcp_servers = 1\n", "no table to stand in"),
        ('[mcp_servers.hippocampus]\ncommand = "other"\n', "says something else"),
    ],
)
def test_a_table_that_cannot_stand_there_is_not_written(text, says):
    with pytest.raises(Conflict, match=says):
        put(text, "toml", TABLE)


def test_half_written_tables_are_told_with_their_line():
    with pytest.raises(SyntaxFault, match="line 2, column"):
        put("a = 1\n[b\n", "toml", TABLE)
    with pytest.raises(SyntaxFault, match="line 1"):
        put("a = [", "toml", TABLE)


@pytest.mark.parametrize("more", ["enabled = true\n", '[mcp_servers.hippocampus.env]\nA = "b"\n'])
def test_a_table_that_somebody_added_to_stays(more):
    changed = put("", "toml", TABLE).text + more

    assert take(changed, "toml", TABLE) is None
    assert 1 == changed_at(changed, "toml", TABLE)
