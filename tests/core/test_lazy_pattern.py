"""Expressions that are compiled at their first use are what they would be at once."""

import re

import pytest

from hippocampus.core.lazy_pattern import lazy_pattern


def test_an_expression_is_compiled_once_it_is_used():
    wrong = lazy_pattern("(")

    assert "(" == wrong.pattern
    with pytest.raises(re.error):
        wrong.search("x")


def test_an_expression_does_what_a_pattern_does():
    word, compiled = lazy_pattern(r"w(.)rd", re.IGNORECASE), re.compile(r"w(.)rd", re.IGNORECASE)

    assert compiled.search("a WORD and a word").span() == word.search("a WORD and a word").span()
    assert compiled.findall("a WORD and a word") == word.findall("a WORD and a word")
    assert "-" == word.sub("-", "word")
    assert (compiled.groups, compiled.flags) == (word.groups, word.flags)


def test_bytes_are_looked_through_as_well():
    assert lazy_pattern(rb"(..)", re.DOTALL).match(b"\n\n")


def test_what_no_pattern_has_is_an_attribute_error():
    with pytest.raises(AttributeError):
        lazy_pattern("x").found  # noqa: B018
    with pytest.raises(AttributeError):
        lazy_pattern("x").__fspath__  # noqa: B018
