"""What once took the square of a text, or worse, reads as it did, and in proportion to it."""

import re
from datetime import UTC, datetime
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.cli.agent_events import _ENDED
from hippocampus.core.word_lists import Patterns, word_list
from hippocampus.language import question_intent, session_words, worth_keeping
from hippocampus.language.event_anchored import find_event_anchored
from hippocampus.language.question_intent import find_intents
from hippocampus.language.session_words import kept_words, own_words
from hippocampus.language.statement_rules import find_statements
from hippocampus.language.worth_keeping import of_prompt
from hippocampus.sources.agents.memory_files import _HEADING, read_agent_memory
from hippocampus.sources.base import Raw
from hippocampus.sources.documents import _REMARK, read_document

NOW = datetime(2025, 6, 1, tzinfo=UTC)
PHASES = "|".join(word_list("phase_verbs"))


def texts_of(*parts):
    """Return a strategy for texts that are made of parts."""
    return st.lists(st.sampled_from(parts), max_size=14).map("".join)


@given(texts_of("<command-args>", "</command-args>", "a", "\n", "<", "command-args>"))
def test_arguments_of_a_command_are_found_as_they_were(text):
    before = re.findall(r"<command-args>(.*?)</command-args>", text, re.DOTALL)

    assert before == list(session_words._between(text, "<command-args>", "</command-args>"))


@given(texts_of("`", "```", "~~~", "\n", " ", "a"))
def test_fenced_code_is_found_as_it_was(text):
    before = re.compile(
        r"^[ \t]{0,3}(`{3,}|~{3,})[^\n]*\n(.*?)(?:^[ \t]{0,3}\1[ \t]*$\n?|\Z)",
        re.MULTILINE | re.DOTALL,
    )
    spans = [found.span() for found in session_words._FENCE.finditer(text)]
    assert [found.span() for found in before.finditer(text)] == spans


@given(texts_of("#", " ", "\t", "a", "b#", "# "))
def test_a_heading_has_the_title_that_it_had(line):
    before = re.match(r" {0,3}(#{1,6})[ \t]+(.*?)[ \t#]*$", line)
    now = _HEADING.match(line)

    assert (before is None) == (now is None)
    if before and now:
        assert before[1] == now[1]
        assert before[2].strip() == line[now.end() :].rstrip(" \t#").strip()


@given(texts_of("#", " ", "\t", "a", "\u2003", "a#b", "# c"))
def test_a_remark_is_cut_off_where_it_was(text):
    assert re.sub(r"\s+#.*$", "", text.strip()) == _REMARK.sub("", text.strip())


@given(texts_of("<a>", "</a>", "<b c>", "</b >", "<", "/a>", "a", "\n", "<a-b>", "</a-b>"))
def test_what_is_between_tags_is_left_out_as_it_was(text):
    before = re.sub(r"(?s)<([A-Za-z][\w-]*)(?:\s[^<>]*)?>.*?</\1\s*>", "\n", text)

    assert before == worth_keeping._without_tagged(text)


@given(texts_of("tell ", "when ", "Tell me", " when", "? ", "find out ", "x", "since when"))
def test_a_question_asks_when_as_it_did(text):
    before = re.search(
        r"(?i)\b(?:tell|know|remember|remind|say|said|recall|find\s+out)\b[^.?!]*\bwhen\b", text
    )
    told = (Patterns("questions").telling, Patterns("questions").when_at_all)

    assert (before is not None) == question_intent._says_in_order(text, *told)


@given(texts_of("where ", "How far ", "did we ", "I ", "stop ", "start off ", "with ", "? ", "x"))
def test_a_question_asks_how_far_as_it_did(text):
    before = re.search(
        r"(?i)\b(?:where|how\s+far)\b[^.?!]*\b(?:we|i)\b[^.?!]*"
        rf"\b(?:{PHASES})(?:\s+(?:off|on|up))?\s+with\b",
        text,
    )
    own = Patterns("questions")
    assert (before is not None) == question_intent._says_in_order(
        text, own.where, own.we_or_i, own.phase_with
    )


@given(texts_of("last", " ", "\n", "?", "!", ".", "x", "did you ", "at "))
def test_the_last_is_asked_for_as_it_was(text):
    before = re.search(r"(?i)\b(?:last\s*[?.!]*\s*$)", text)
    now = re.search(r"(?i)\b(?:last\s*+[?.!]*+\s*+$)", text)

    assert (before and before.span()) == (now and now.span())
    assert before is None or Patterns("questions").last.search(text)


def memory_file(text):
    return list(read_agent_memory(Raw(path="CLAUDE.md", data=text.encode(), modified=NOW)))


def document(text):
    return list(read_document(Raw(path="a.md", data=text.encode(), modified=NOW)))


def statements(text):
    return list(find_statements(text, speaker="Ada", occurred_at=NOW))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("read", "text"),
    [
        (own_words, "<command-args>" * 28_000),
        (kept_words, "~" * 20_000),
        (of_prompt, "<a>" * 6_600),
        (of_prompt, "<a>" * 3_000 + "</a>" * 2_500),
        (memory_file, f"# a{' ' * 400_000}b"),
        (memory_file, "a <!-- " * 60_000),
        (memory_file, "a `b " * 60_000),
        (document, f"---\na: b{' ' * 60_000}c\n---\nx"),
        (find_intents, "how far i " * 40_000),
        (find_intents, "tell " * 80_000),
        (find_intents, f"last{' ' * 400_000}x"),
        (lambda text: find_event_anchored(text, NOW), "a " * 100_000 + "day"),
        (lambda text: find_event_anchored(text, NOW), f"the day after x{' ' * 100_000}y"),
        (statements, f"I moved from A{' of A1' * 90} with a cat."),
        (statements, "A'" * 300 + " moved to Graz."),
        (_ENDED.search, "\nExit Code: 1\nBackground PIDs: " + "\t" * 400_000 + "\n\x01"),
    ],
)
def test_what_once_took_the_square_of_a_text_or_worse_takes_no_time(read, text):
    began = process_time()
    read(text)

    assert process_time() - began < 2
