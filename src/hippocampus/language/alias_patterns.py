"""
Alias extraction: the other names that a text gives things, "Heron is what we call the boat trip".

By the ways in which English says so, whatever is named; at least one of the two names must be
written as names are.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, NamedTuple

from hippocampus.core.word_lists import Patterns, word_set
from hippocampus.language.given_names import is_person
from hippocampus.language.noun_phrases import find_phrases
from hippocampus.language.nouns import kinds, singular

_RE: Final = Patterns("other_names")
_ANSWER: Final = frozenset({"person", "organization", "social group", "institution"})
"""Kinds of persons and bodies that may be rung up."""
_MOST_WORDS: Final = 3
"""Words of a name that is given: longer runs of nouns are heaps of them rather than one thing. Set
by hand."""


class OtherName(NamedTuple):
    """A thing, and a name that it goes by."""

    thing: str
    name: str


class _Named(NamedTuple):
    """A run of phrases that follow each other, as in "the Latin course"."""

    text: str
    start: int
    end: int

    @property
    def capital(self) -> bool:
        """True if it is written with a capital, as names are."""
        return self.text[0].isupper()

    @property
    def one(self) -> bool:
        """True if it says which one of its sort is meant, as a name does, or "the boat trip"."""
        first, *more = self.text.split()
        return self.capital or (
            bool(more) and first.casefold() not in word_set("unnaming_adjectives")
        )


def may_name(sentence: str) -> bool:
    """Return whether a sentence may give something another name; asked first, as most give none."""
    return _RE.may_name.search(sentence) is not None


def find_other_names(sentence: str) -> Iterator[OtherName]:
    """Yield other names that a sentence gives to something."""
    runs = _runs(sentence)
    for between in _RE.between.finditer(sentence):
        left = next((run for run in runs if run.end == between.start()), None)
        yield from _same(left, _first(runs, sentence, between.end()), sentence)
    for before in _RE.before.finditer(sentence):
        thing = _first(runs, sentence, before.end())
        if thing is None or (before["call"] and _answers(thing)):  # "I called the dentist Kofi"
            continue
        said = before["call"] or ""
        apart = _apart(thing, sentence) if said.casefold() in ("call", "calls") else None
        thing, name = apart or (thing, _after(runs, sentence, thing.end))
        for one in _joined(name, runs, sentence):
            yield from _same(thing, one, sentence)


def _apart(both: _Named, sentence: str) -> tuple[_Named, _Named] | None:
    """
    Return two names that stand side by side: "we call Elizabeth Bess", and nothing behind.

    Whom one calls on some day is rung up, and has a surname.
    """
    first, _, second = both.text.partition(" ")
    ends = _RE.last_name.match(sentence, both.end) or _RE.or_name.match(sentence, both.end)
    if " " in second or not (second[:1].isupper() and is_person(first) and ends):
        return None
    middle = both.start + len(first)
    return _Named(first, both.start, middle), _Named(second, middle + 1, both.end)


def _joined(name: _Named | None, runs: list[_Named], sentence: str) -> Iterator[_Named]:
    """Yield a name and those that "and" or "or" joins to it: "Heron or Stork"."""
    while name is not None:
        yield name
        joining = _RE.or_name.match(sentence, name.end)
        start = joining.end() if joining else -1
        name = next((run for run in runs if run.start == start and run.capital), None)
        if name is not None and not (
            _RE.last_name.match(sentence, name.end) or _RE.or_name.match(sentence, name.end)
        ):
            return


def _same(one: _Named | None, other: _Named | None, sentence: str) -> Iterator[OtherName]:
    if one is None or other is None or _RE.denied.search(sentence, 0, max(one.end, other.end)):
        return
    thing, name = (one, other) if other.capital else (other, one)
    if name.capital and thing.one and thing.text.casefold() != name.text.casefold():
        yield OtherName(thing.text, name.text)


def _answers(thing: _Named) -> bool:
    """Return whether somebody may be there who answers the telephone."""
    noun = singular(thing.text.rsplit(maxsplit=1)[-1].casefold())
    return not thing.capital and not _ANSWER.isdisjoint((noun, *kinds(noun)))


def _runs(sentence: str) -> list[_Named]:
    """Return the runs of phrases of a sentence in order."""
    runs: list[_Named] = []
    proper = False
    for phrase in sorted(find_phrases(sentence), key=lambda one: (one.start, -one.end)):
        last = runs[-1] if runs else None
        start = phrase.start
        if last is not None and start < last.end:
            continue
        # "The Latin course" is one; "We call the boat trip Heron" has two.
        if last is not None and proper and sentence[last.end : start] == " ":
            start = runs.pop().start
        proper = phrase.proper
        runs.append(_Named(sentence[start : phrase.end], start, phrase.end))
    return [run for run in runs if len(run.text.split()) <= _MOST_WORDS]


def _first(runs: list[_Named], sentence: str, at: int) -> _Named | None:
    """Return the name right there, behind an article and a quotation mark or not."""
    lead = _RE.lead.match(sentence, at)
    start = lead.end() if lead else at
    return next((run for run in runs if run.start == start), None)


def _after(runs: list[_Named], sentence: str, at: int) -> _Named | None:
    """Return the next name, with nothing in between but "as" and the like."""
    found = next((run for run in runs if run.start > at), None)
    gap = "" if found is None else sentence[at : found.start].rstrip("\"“'‘(")
    return found if found is not None and _RE.link.match(gap) else None
