"""
The noun phrases of a text, without a tagger: what anchors and tags are made of (CONCEPT, 4.2).

A phrase is up to three words of content that follow each other and end in a noun, or a proper name.
English, where a dictionary tells nouns from the rest; in other languages every word of content is
taken for a noun.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache
from hashlib import blake2b
from typing import Final, NamedTuple

from hippocampus.core.lazy_pattern import lazy_pattern
from hippocampus.core.word_lists import word_list, word_set
from hippocampus.encode.languages import foreign_language, light_foreign_words, light_words
from hippocampus.encode.terms import stem
from hippocampus.language.nouns import kinds, singular, use_of

MOST_WORDS: Final = 3
"""Words of a phrase: CONCEPT, section 4.7, looks up runs of one to three."""
NOUN: Final = 0.6
"""From this share of noun uses on, a word may end a phrase; this and the next ones are set by hand,
on the dictionary's counts."""
LED_NOUN: Final = 0.3
"""``NOUN`` where a noun phrase is due: "about peer review"."""
VERB: Final = 0.4
"""From this share of verb uses on, a word qualifies no noun: "bought shoes"."""
_CAPITAL_NOUNS: Final = frozenset({"de"})
"""Languages that write every noun with a capital, and so tell no name by it."""
_SHORTEST_FOREIGN: Final = 12
"""Characters of three words of grammar, about, from which on a text is surely in another
language."""
_LONGEST_ACRONYM: Final = 6
"""Letters of a word in capitals that names something: a longer one is rather shouted."""
_USUAL: Final = 64
"""Characters up to which a phrase is likely to come up again: longer ones are not remembered."""

_TOKEN = lazy_pattern(r"[^\W_]+(?:['’\-][^\W_]+)*|[^\s\w]+|_+|\n")
_SUFFIX = lazy_pattern(r"['’].*")
_GOES_ON = lazy_pattern(r"^[,;%&/’'@+=\-–—…]+$")
"""Marks after which a sentence has not begun anew."""
_NO_SUBJECT: Final = ("chaff", "months", "weekdays", "short_dates", "function_words")
"""The lists of words that are no part of a phrase."""


@cache
def _no_subject() -> frozenset[str]:
    """Return all words of ``_NO_SUBJECT``."""
    return frozenset[str]().union(*map(word_set, _NO_SUBJECT))


def _foreign(text: str) -> str | None:
    """Return the language of a text that is not in English: "hat" and "war" are nouns there."""
    if len(text) < _SHORTEST_FOREIGN:
        return None
    return foreign_language([found[0].casefold() for found in _TOKEN.finditer(text)])


class Phrase(NamedTuple):
    """
    A noun phrase: ``name`` in dictionary form and lower case, and where it stands in the text.

    ``key``: the same for all inflections of a name, 31 bits. ``proper``: written as a name is.
    ``opens``: begins a sentence.
    """

    name: str
    key: int
    start: int
    end: int
    proper: bool
    opens: bool = False


def key_of(name: str) -> int:
    """Return the key by which a phrase is known, whatever its case and endings."""
    # A long one hardly comes again, and would push a shorter one out of the cache.
    return _key_of(name) if len(name) <= _USUAL else _key_of.__wrapped__(name)


@lru_cache(maxsize=4096)
def _key_of(name: str) -> int:
    stems = " ".join(map(stem, name.casefold().replace("’", "'").split()))
    return int.from_bytes(blake2b(stems.encode(), digest_size=4).digest(), "little") >> 1


def find_phrases(text: str, *, only_names: bool = False) -> list[Phrase]:
    """
    Return the noun phrases of a text in order, the shorter ones inside longer ones as well.

    ``only_names``: those that are proper names, in less time.
    """
    language = _foreign(text)
    runs = _runs(text, frozenset() if language is None else light_words(language))
    # Who begins with a small letter writes no capitals, so nouns do not stand out by them.
    if language in _CAPITAL_NOUNS and text.lstrip()[:1].isupper():
        return [_phrase([w], proper=False) for run in runs for w in run if w.text[0].isupper()]
    return [phrase for run in runs for phrase in _of_run(run, only_names=only_names)]


def proper_keys(text: str, speaker: str | None) -> list[int]:
    """Return the keys of the names in a text, and of the names of who says it, each once."""
    found = {phrase.key: phrase.proper for phrase in find_phrases(text)}
    found |= {phrase.key: True for phrase in names_of(speaker)}
    return [key for key, proper in found.items() if proper]


def names_of(speaker: str | None) -> list[Phrase]:
    """Return the names by which a speaker is called: the whole one and its parts."""
    words = [
        _Word(found[0], found.start(), found.end(), opens=False, led=False)
        for found in _TOKEN.finditer(speaker or "")
        if found[0][0].isalpha() and len(found[0]) > 1
    ]
    several = [_phrase(words[: MOST_WORDS + 1], proper=True)] if len(words) > 1 else []
    return several + [_phrase([word], proper=True) for word in words]


class _Word(NamedTuple):
    text: str
    start: int
    end: int
    opens: bool
    """Begins a sentence, where anything is written with a capital."""
    led: bool
    """Comes, with nothing but words of content between, after one of ``words/noun_leads.txt``."""


def _runs(text: str, foreign: frozenset[str]) -> Iterator[list[_Word]]:
    """Yield the words of content between words of grammar, also ``foreign`` ones, and marks."""
    run: list[_Word] = []
    opens, before = True, ""
    no_subject, leads = _no_subject(), word_set("noun_leads")
    for found in _TOKEN.finditer(text):
        word = found[0]
        bare = _SUFFIX.sub("", word)
        lower = bare.casefold()
        known = lower in no_subject or lower in foreign
        if len(bare) > 1 and bare[0].isalpha() and not known:
            led = run[0].led if run else before in leads
            run.append(_Word(bare, found.start(), found.start() + len(bare), opens, led))
            # A possessive ends a phrase: of "Ana's boat" there are two.
            if bare != word:
                yield run
                run = []
        elif run:
            yield run
            run = []
        before = lower
        opens = not word[0].isalnum() and (opens or not _GOES_ON.search(word))
    if run:
        yield run


def is_name(word: str, *, opens: bool) -> bool:
    """
    Return whether a word is written as names are: with a capital that no sentence asks for.

    ``opens``: it begins a sentence, where anything is written with a capital.
    """
    if any(map(str.isupper, word[1:])):
        return not word.isupper() or len(word) <= _LONGEST_ACRONYM  # or it is shouted
    return word[:1].isupper() and not (opens and use_of(word.casefold()).known)


@lru_cache(maxsize=1 << 14)
def may_be_subject(name: str) -> bool:
    """
    Return whether a phrase in lower case may name what a bank is about.

    Not words of grammar of any language, unless they are English nouns; nor contractions that are
    typed without their apostrophe, small talk, or roles in a talk.
    """
    *_, last = name.split()
    talk = name in word_set("small_talk") and not kinds(name)
    if talk or name in word_set("no_subjects") or last in _short():
        return False
    return last not in light_foreign_words() or (use_of(last).known and use_of(last).noun >= NOUN)


@cache
def _short() -> frozenset[str]:
    return frozenset(line.partition(" ")[0] for line in word_list("contractions"))


def is_chaff(word: str) -> bool:
    """Return whether a word in lower case names no subject: grammar, greetings, "really"."""
    return word in _no_subject()


def _names_alone(word: _Word) -> bool:
    """Return whether a word of a longer name is one by itself: "Ana" of Ana Silva, not "Old"."""
    use = use_of(word.text.casefold())
    return not use.known or use.noun >= NOUN


def _of_run(run: list[_Word], *, only_names: bool) -> Iterator[Phrase]:
    names = [is_name(word.text, opens=word.opens) for word in run]
    at = 0
    while at < len(run):
        end = at + 1
        while end < len(run) and names[end] == names[at]:
            end += 1
        part = run[at:end]
        if names[at]:
            yield _phrase(part[: MOST_WORDS + 1], proper=True)
            if len(part) > 1:
                yield from (_phrase([word], proper=True) for word in part if _names_alone(word))
        elif not only_names:
            yield from _common(part)
        at = end


def _common(run: list[_Word]) -> Iterator[Phrase]:
    uses = [use_of(word.text.casefold()) for word in run]
    least = LED_NOUN if run[0].led else NOUN
    for last, word in enumerate(run):
        if uses[last].noun < least or len(word.text) < 3:
            continue
        goes_on = last + 1 < len(run) and uses[last + 1].noun >= least
        first = last
        while (
            not goes_on
            and last - first < MOST_WORDS - 1
            and first > 0
            and (
                (uses[first - 1].verb < VERB or run[0].led)
                and not run[first - 1].text.endswith("ly")
            )
        ):
            first -= 1
        if first < last:
            yield _phrase(run[first : last + 1], proper=False)
        yield _phrase([word], proper=False)


def _phrase(words: list[_Word], *, proper: bool) -> Phrase:
    start, end = words[0].start, words[-1].end
    lower = [word.text.casefold() for word in words]
    # "Jones" is no plural.
    name = " ".join([*lower[:-1], lower[-1] if proper else singular(lower[-1])])
    return Phrase(name, key_of(name), start, end, proper, words[0].opens)
