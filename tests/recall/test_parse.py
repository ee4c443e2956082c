"""What a question is read as: here, whose turns "I" and "you" point to."""

import ast
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

import hippocampus
from hippocampus.encode.terms import find_terms, hash_terms
from hippocampus.language.phonetic import sound_of
from hippocampus.recall.parse import bind, parse

NOW = datetime(2025, 3, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("What did I buy?", {"user"}),
        ("What did you suggest to me?", {"user", "assistant"}),
        ("Remind me: where does Ana live?", set()),
        ("I have lost track. Where does Ana live?", set()),
        ("Could you please tell me where Ana lives?", set()),
        ("Do you remember where my keys are?", {"user"}),
        ("Can you remind me what I told you?", {"user", "assistant"}),
        ("tell me about my keys", {"user"}),
        ("Where does Ana live?", set()),
    ],
)
def test_whose_turns_are_meant_is_read_only_from_the_part_that_asks(text, meant):
    question = bind(parse(text, now=NOW), embedded=None, rotation=None, speakers=())

    assert meant == question.roles


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("What did Ana say?", {"Ana"}),
        ("Which plot did we remove from our paper with Ana?", set()),
        ("Which plot did Ana remove from our paper with Tom?", {"Ana"}),
        ("What is new on the kitchen renovation with Tom, and what does Tom say?", {"Tom"}),
        ("What did Ana share with Tom?", {"Ana", "Tom"}),
        ("Who stars in Ana's film with Tom?", {"Ana", "Tom"}),
    ],
)
def test_who_only_has_a_part_in_what_is_asked_about_is_not_who_said_it(text, named):
    question = bind(parse(text, now=NOW), embedded=None, rotation=None, speakers=("Ana", "Tom"))

    assert named == question.speakers


def test_words_that_everybody_spells_right_sound_like_no_name():
    question = bind(
        parse("Which trip went wrong with Sybiln?", now=NOW),
        embedded=None,
        rotation=None,
        speakers=(),
        phrases=True,
    )

    assert (sound_of("Sybiln".casefold()),) == question.phonetic_codes


# ---------------------------------------------------------------- a question is read in one place

PACKAGE = Path(hippocampus.__file__).parent
READERS = {"recall/parse.py", "recall/encode_query.py", "index/query.py"}
"""Modules that may read a question's text: what parses it, what embeds it, and the query itself."""
MADE = {"parse", "bind", "bind_to", "led", "choose_forms", "without_event"}
"""Functions that return a query."""


def is_made(node):
    """Return whether an expression makes a query."""
    return isinstance(node, ast.Call) and ast.unparse(node.func) in MADE


def queries_in(tree):
    """Return the expressions of a module that are queries, by annotation, by name or as made."""
    found = {"query", "search.query", "self.query", "here.query", "part.query", "looked.query"}
    for node in ast.walk(tree):
        if isinstance(node, ast.arg | ast.AnnAssign) and node.annotation is not None:
            told = node.arg if isinstance(node, ast.arg) else ast.unparse(node.target)
            kind = ast.unparse(node.annotation).strip("'\"")
            found |= {told} if kind in {"Query", "Query | None"} else set()
            found -= {told} if kind == "str" else set()
        elif isinstance(node, ast.Assign) and is_made(node.value):
            found |= {ast.unparse(target) for target in node.targets}
    return found


def texts_read(source):
    """Return the places of a module where the text of a query is read."""
    tree = ast.parse(source)
    queries = queries_in(tree)
    return [
        node.lineno
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr == "text"
        if ast.unparse(node.value) in queries or is_made(node.value)
    ]  # fmt: skip


@pytest.mark.parametrize(
    "source",
    [
        "def f(search): return search.query.text",
        "def f(asked: Query): return asked.text",
        "bound = bind(parsed)\nprint(bound.text)",
        "print(parse(words, now=now).text)",
    ],
)
def test_reading_the_text_of_a_query_is_seen(source):
    assert 1 == len(texts_read(source))


@pytest.mark.slow
def test_nothing_but_the_parser_and_the_models_reads_the_text_of_a_query():
    files = [*PACKAGE.glob("recall/*.py"), *PACKAGE.glob("bank/*.py"), *PACKAGE.glob("index/*.py")]
    found = {
        name: lines
        for file in files
        if (name := file.relative_to(PACKAGE).as_posix()) not in READERS
        if (lines := texts_read(file.read_text("utf-8")))
    }

    assert {} == found, "give Query a field for what is read there"


READS_QUESTIONS = {
    "asks_for_several", "asks_for_advice", "asked_in_plural", "asked_state", "find_event_anchored",
    "find_intents", "find_intervals", "language_asked_in", "read_asked_events", "read_choice",
    "read_asked_conversation",
}  # fmt: skip


@pytest.mark.slow
def test_what_reads_a_question_is_called_by_the_query_alone():
    found = {
        f"{file.relative_to(PACKAGE).as_posix()}: {ast.unparse(node.func)}"
        for folder in ("recall", "bank", "index", "context", "engine")
        for file in PACKAGE.glob(f"{folder}/*.py")
        if file.relative_to(PACKAGE).as_posix() not in READERS
        for node in ast.walk(ast.parse(file.read_text("utf-8")))
        if isinstance(node, ast.Call) and ast.unparse(node.func) in READS_QUESTIONS
    }

    assert set() == found


def test_what_a_question_counts_is_read_as_of_the_moment_it_is_asked_for():
    query = parse("How often did I swim last month?", now=NOW)

    assert ("swim",) == query.counted.keys
    assert [(2, 3)] == [(one.start.month, one.end.month) for one in query.counted.intervals]


def test_names_are_words_with_a_capital_that_begin_no_sentence():
    query = parse("Where did Ana's brother meet Tom?", now=NOW)

    hashes = [[term.hash, *term.forms] for term in find_terms("Ana's Tom")]
    assert sorted({each for some in hashes for each in some}) == query.name_terms.tolist()
    assert {*hash_terms("Ana's Tom").tolist()} <= {*query.name_terms.tolist()}
    assert not query.name_terms.flags.writeable


def test_a_given_name_is_a_name_at_the_beginning_too_and_a_german_noun_is_none():
    assert {*hash_terms("Ana").tolist()} <= {*parse("Ana's boss?", now=NOW).name_terms.tolist()}
    assert 0 == len(parse("Will it rain?", now=NOW).name_terms)
    german = parse("Singt Ana noch im Chor?", now=NOW).name_terms.tolist()
    assert {*hash_terms("Ana").tolist()} <= {*german}
    assert {term.hash for term in find_terms("ist im Chor")}.isdisjoint(german)


def test_all_that_a_question_says_is_hashed_as_the_same_words_in_a_memory():
    query = parse("Where is the ladder?", now=NOW)

    assert frozenset(hash_terms("where is the ladder").tolist()) == query.text_terms
    assert np.isin(query.terms, list(query.text_terms)).all()


def test_what_is_quoted_behind_a_colon_is_not_the_questions_own():
    quoting, plain = (
        parse(text, now=NOW) for text in ("What is this: a boat?", "What is this boat?")
    )

    assert ("What is this", "What is this boat?") == (
        quoting.text[: quoting.own_end], plain.text[: plain.own_end],
    )  # fmt: skip
    assert ["What", "is", "this", "a", "boat"] == [quoting.spelled(one) for one in quoting.words]


@pytest.mark.parametrize(
    ("text", "language"),
    [("Where does my sister live now?", "en"), ("Wo wohnt meine Schwester jetzt?", "de")],
)
def test_a_query_says_in_which_language_it_is(text, language):
    assert language == parse(text, now=NOW).language
