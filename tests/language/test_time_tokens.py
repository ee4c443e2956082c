"""Tokens are those of the pattern of times, and no expression begins where none is looked for."""

from datetime import UTC, datetime

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from hippocampus.language.time.english import WRITTEN, Role, word_meanings
from hippocampus.language.time.grammar import Reader, readings
from hippocampus.language.time.tokens import EnglishTokens, Tokens, token_of

NOW = datetime(2023, 5, 24, 15, 37, tzinfo=UTC)
WRITTEN_SO = (
    "2023-05-07", "2023-05-07 12:30", "2023-05-07T12:30:15Z", "7/5/2023", "7.5.2023", "07-05-23",
    "3/5", "5:30", "5 pm", "5p.m.", "6 o'clock", "6 o\u2019clock", "12:30:15", "3rd", "21st",
    "1990s", "90s", "'90s", "90's", "90\u2019s", "q3", "H2", "Q1", "q7", "12", "2023", "1,000",
    "12.5", "2024/25", "1234567", "'19", "\u201919", "'s", "\u2019S", "x9", "a_b", "12a", "\u0663",
    "1\u0663", "5 \u212a",
)  # fmt: skip
PLAIN = (
    "we", "than", "eve", "patrick", "is", "met", "to", "usually", "spent", "garden", "light", "%",
    "don't", "don\u2019t", "rock'n'roll", "it's", "l'\xe9t\xe9", "na\xefve", "\xc9t\xe9",
    "\u0130", "\u017f", "'\u017f", "\u65e5", "e\u0301", "\xbd",
)  # fmt: skip
WORDS = st.sampled_from([*word_meanings(), *PLAIN]).flatmap(
    lambda word: st.sampled_from([word, word.capitalize(), word.upper()])
)
SIGNS = st.sampled_from([*",.-\u2013'\u2019?!()/:_&", "\n", "\x1c", "\x85", "\xa0", "\x00", ""])
BETWEEN = st.sampled_from([" "] * 6 + [", ", "-", "'s ", "", "  ", "\u2009"])
PARTS = st.tuples(WORDS | st.sampled_from(WRITTEN_SO) | SIGNS, BETWEEN)
TEXTS = st.lists(PARTS, max_size=14).map(lambda parts: "".join(map("".join, parts)))
WITHIN = st.tuples(st.sampled_from(["", "So. ", "\u65e5\n"]), TEXTS, st.sampled_from(["", " so"]))


@pytest.mark.slow
@settings(max_examples=40 * settings().max_examples)
@given(WITHIN | st.tuples(st.just(""), st.text(), st.just("")))
@example(("", "It's '90s' don't5 5 p.m.5 o'clock, what's 'sup? 12 apples 1. 2.5 3rd", ""))
def test_tokens_are_those_of_the_pattern(parts):
    before, sentence, behind = parts
    start, end, text = len(before), len(before + sentence), before + sentence + behind
    expected = [token_of(match) for match in WRITTEN.token.finditer(text, start, end)]
    tokens = EnglishTokens(text, start, end)

    assert [token.role for token in expected] == list(tokens.roles)
    assert [token.word for token in expected] == tokens.words()
    assert expected == [tokens[i] for i in range(len(expected))]
    for place in (-1, len(expected), len(expected) + 3):
        assert tokens[place].role is Role.END


@pytest.mark.slow
@settings(max_examples=80 * settings().max_examples)
@given(TEXTS, st.booleans())
@example("in 2024/25, more than a week ago on the 3rd - the 5th, so far this year", True)
def test_no_expression_begins_where_none_is_looked_for(text, told):
    tokens = EnglishTokens(text, 0, len(text))
    every = Tokens([tokens[i] for i in range(len(tokens.roles))], len(text))
    every.first = list(range(len(tokens.roles)))
    read, expected = (list(readings(Reader(one, NOW, told=told))) for one in (tokens, every))

    assert expected == read
