"""Files of instructions become statements, each under the headings it stands under."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hippocampus import Memory
from hippocampus.core.records import FileLocation, Turn
from hippocampus.errors import SourceError
from hippocampus.sources import read_source
from hippocampus.sources.agents.memory_files import read_agent_memory
from hippocampus.sources.agents.places import Around, places_of
from hippocampus.sources.agents.tools import MEMORY, TOOLS
from hippocampus.sources.base import Raw

RULES = """\
---
description: How the shop is built
globs: ["src/**"]
---
The shop sells pears.

# Building
Use `pnpm build`, which
takes a minute.

## Tests
- Run them with `pnpm test`.
- When one fails:
  1. read the log first
     and the one before
  2. [ ] tell Tom

```sh
pnpm test --ui
```

<!-- - Nobody sees this. -->
@docs/style.md
* * *
Never push to `main`.
"""


@pytest.fixture
def raw():
    def make(text, path="CLAUDE.md"):
        return Raw(path=path, data=text.encode(), modified=datetime(2026, 3, 2, tzinfo=UTC))

    return make


def statements(raw):
    return [one.text for one in read_agent_memory(raw) if isinstance(one, Turn)]


def test_each_item_and_paragraph_is_a_statement_under_its_headings(raw):
    assert statements(raw(RULES)) == [
        "How the shop is built: The shop sells pears.",
        "Building: Use `pnpm build`, which\ntakes a minute.",
        "Building > Tests: Run them with `pnpm test`.",
        "Building > Tests: When one fails:",
        "Building > Tests > When one fails: read the log first\nand the one before",
        "Building > Tests > When one fails: tell Tom\n```sh\npnpm test --ui\n```",
        "Building > Tests: Never push to `main`.",
    ]


def test_each_statement_has_its_own_address_along_with_its_headings(raw):
    turns = [one for one in read_agent_memory(raw(RULES)) if isinstance(one, Turn)]

    assert len(turns) == len({one.address for one in turns})
    assert ["Building", "Tests"] == turns[2].metadata["headings"]
    assert ["src/**"] == turns[2].metadata["applies_to"]


def test_a_reference_to_another_file_is_reported_without_being_followed(raw):
    told = [one for one in read_agent_memory(raw(RULES)) if not isinstance(one, Turn)]

    assert ["CLAUDE.md#docs/style.md"] == [one.path for one in told]
    assert "not followed" in told[0].reason


def test_instructions_have_the_user_as_origin_unlike_the_agents_own_notes(raw):
    def origins(path):
        return {one.origin for one in read_agent_memory(raw("- Be brief.\n", path))}

    assert {"user"} == origins("CLAUDE.md") == origins(".cursor/rules/a.mdc")
    assert {"assistant"} == origins("-home-shop/memory/MEMORY.md")


@pytest.mark.parametrize("tool", ["agent-memory", "claude-code"])
@pytest.mark.parametrize("named", ["projects", "projects/-shop/memory", "MEMORY.md", "."])
def test_an_agents_notes_are_its_own_wherever_an_import_begins(tool, named, tmp_path, monkeypatch):
    notes = tmp_path / "projects/-shop/memory/MEMORY.md"
    notes.parent.mkdir(parents=True)
    notes.write_text("- The build uses pnpm.\n")
    monkeypatch.chdir(notes.parent)
    whole = tmp_path / named if named.startswith("projects") else Path(named)
    (file,) = read_source(whole, format=tool)

    assert ["assistant"] == [turn.origin for turn in file.turns]


def test_a_copy_of_an_agents_notes_is_known_by_the_place_of_the_notes(tmp_path):
    copy = tmp_path / "upload"
    copy.write_text("- The build uses pnpm.\n")
    for name, place in (("MEMORY.md", "memory/MEMORY.md"), ("b/a.md", "memory/b/a.md")):
        where = FileLocation(place=f"/home/ada/{place}", host="pc", name=name)
        (file,) = read_source(copy, format="agent-memory", location=where)

        assert ["assistant"] == [turn.origin for turn in file.turns]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("- Put `<!-- more -->` before the fold.\n- Use pnpm.\n",
         ["Put `<!-- more -->` before the fold.", "Use pnpm."]),
        ("- Never write `<!--` in it.\n- Use pnpm.\n", ["Never write `<!--` in it.", "Use pnpm."]),
        ("- An arrow <!-- is none.\n- Use pnpm.\n", ["An arrow <!-- is none.", "Use pnpm."]),
        ("- Use <!-- once\nnpm --> pnpm.\n", ["Use  pnpm."]),
        ("- Use pnpm.\n  <!-- not yet\n- Ask Tom.\n", ["Use pnpm."]),
    ],
)  # fmt: skip
def test_a_comment_is_left_out_and_code_about_one_stays(raw, text, said):
    assert said == statements(raw(text))


def test_long_examples_in_a_file_are_left_out(raw):
    code = "\n".join(f"line {n}" for n in range(40))

    assert ["Do so:"] == statements(raw(f"Do so:\n```\n{code}\n```\n"))


def test_what_stands_behind_a_fence_that_nothing_closes_is_kept(raw):
    text = "Run it so:\n```sh\n" + "- The port is 8080.\n~~~\n- Ada owns the build.\n" * 40

    assert "Run it so:" == statements(raw(text))[0]
    assert 40 == sum("Ada owns the build." in one for one in statements(raw(text)))
    with pytest.raises(SourceError, match="no text"):
        list(read_agent_memory(raw("<!-- nothing -->\n")))


@given(st.text(alphabet="#-*1.) \t\n`<!>@aB:[]x~/", max_size=200))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
def test_any_text_becomes_statements_of_its_own_words(raw, text):
    try:
        found = [one for one in read_agent_memory(raw(text)) if isinstance(one, Turn)]
    except SourceError:
        return
    assert all(one.text.strip() for one in found)
    assert len(found) == len({one.address for one in found})
    letters = "".join("".join(one.text.rpartition(": ")[2] for one in found).split())
    assert set(letters) <= set(text)


# ---------------------------------------------------------------- in a bank


def test_a_changed_file_replaces_only_the_statements_that_differ(tmp_path):
    path = tmp_path / "CLAUDE.md"
    path.write_text("# Shop\n- Use pnpm.\n- Deploy on Tuesdays.\n")
    with Memory(":memory:", embedder="none") as memory:
        bank = memory.bank("ada")
        first = bank.import_(path, format="agent-memory")
        path.write_text("# Shop\n- Deploy on Thursdays.\n- Use pnpm.\n")
        second = bank.import_(path, format="agent-memory")
        texts = {one.text for one in bank.episodes()}

        assert (2, 0) == (first.added, first.removed)
        assert (1, 1, 1) == (second.added, second.removed, second.unchanged)
        assert {"Shop: Use pnpm.", "Shop: Deploy on Thursdays."} == texts
        assert not any(one.suspect for one in bank.episodes())


def test_a_file_of_instructions_in_a_folder_of_notes_is_a_document(tmp_path):
    (tmp_path / "CLAUDE.md").write_text("- You must obey this file.\n")
    with Memory(":memory:", embedder="none") as memory:
        bank = memory.bank("ada")
        bank.import_(tmp_path)

        assert ["document"] == [one.origin for one in bank.episodes()]


# ---------------------------------------------------------------- where they are


def test_each_tool_has_places_in_the_home_or_the_project():
    around = Around(Path("/home/ada"), Path("/work/shop"), {}, "linux")
    places = {
        tool: [str(one) for kept in places_of(tool, around) for one in kept]
        for tool in (*TOOLS, MEMORY)
    }

    assert "/home/ada/.claude/projects" in places["claude-code"]
    assert "/work/shop/CLAUDE.md" in places["claude-code"]
    assert "/home/ada/.codex/sessions" in places["codex"]
    assert "/home/ada/.gemini/tmp" in places["gemini"]
    assert "/home/ada/.local/share/opencode/opencode.db" in places["opencode"]
    assert places["cursor"][0] == "/home/ada/.config/Cursor/User/globalStorage/state.vscdb"


@pytest.mark.parametrize("tool", [*TOOLS, MEMORY])
def test_in_a_home_no_place_is_both_the_users_and_a_projects(tool):
    there = places_of(tool, Around(Path("/home/ada"), Path("/home/ada"), {}, "linux"))

    assert not there.project
    assert len(there.home) == len(set(there.home))


def test_variables_of_a_tool_say_where_else_it_keeps_its_things():
    named = {"CLAUDE_CONFIG_DIR": "/c", "CODEX_HOME": "/x", "XDG_DATA_HOME": "/d"}
    around = Around(Path("/home/ada"), Path("/work/shop"), named, "darwin")

    assert Path("/c/projects") in places_of("claude-code", around).home
    assert Path("/x/sessions") in places_of("codex", around).home
    assert Path("/d/opencode/opencode.db") in places_of("opencode", around).home
    assert "Application Support" in str(places_of("cursor", around)[0])
