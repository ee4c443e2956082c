"""
Sentences that can be quoted whole, and mean the same alone: nothing is cut out of any.

Left out are questions, what hangs on the sentence before ("It sank."), what is said to somebody,
lists, programs and marks of layout, and what has no words of grammar in English: a row of nouns, or
another language. Where nothing is left there is nothing to quote.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

from hippocampus.core.word_lists import Patterns, word_set
from hippocampus.encode.tokens import count
from hippocampus.language.extractive_compression import worth_of
from hippocampus.language.nouns import use_of
from hippocampus.language.time.tense import is_past

_RE: Final = Patterns("sentences")
_LEAST_WORDS: Final = 4
"""Words of a sentence that means something alone: "Yes, it did." has fewer. Set by hand."""
_LEAST_GRAMMAR: Final = 0.15
"""Share of a sentence's words that are words of grammar: less is a list of things. Set by hand."""
_ONLY_GRAMMAR: Final = 0.25
"""... where it is a single one, which may be spelt like one of another language."""
_VERB: Final = 0.5
"""Share of its uses as a verb from which a word is taken for one."""
_PAIRS: Final = ('""', "()", "“”")


class WholeSentence(NamedTuple):
    """A sentence without the mark at its end, its tokens, and what its words are worth."""

    text: str
    tokens: int
    worth: float


def whole_sentences(text: str, tokens: int) -> Iterator[WholeSentence]:
    """Yield the sentences of a text that can be quoted whole in so many tokens, in order."""
    for match in _RE.sentence.finditer(text):
        said = " ".join(match[0].split())
        bare = said.rstrip(".!。！ ")
        if said.endswith(("?", "？")) or not is_quotable(bare):
            continue
        cost = count(bare)
        if cost <= tokens:
            yield WholeSentence(bare, cost, worth_of(bare))


def is_quotable(sentence: str) -> bool:
    """Return whether a sentence means alone what it meant where it was said."""
    words = [word.casefold() for word in _RE.word.findall(sentence)]
    if len(words) < _LEAST_WORDS or _RE.layout.search(sentence) or _RE.hangs.match(sentence):
        return False
    if _RE.spoken_to.search(sentence) or not all(_is_closed(sentence, pair) for pair in _PAIRS):
        return False
    if not _says_when(sentence, words) or _lacks_subject(words):
        return False
    grammar = sum(word.partition("'")[0] in word_set("function_words") for word in words)
    return grammar / len(words) >= (_LEAST_GRAMMAR if grammar > 1 else _ONLY_GRAMMAR)


def _says_when(sentence: str, words: Sequence[str]) -> bool:
    """Return whether there is a verb with a tense; a row of nouns says nothing."""
    if _RE.finite.search(sentence) or any(map(is_past, words)):
        return True
    return any(
        (one in ("i", "we") or (other.endswith("s") and one not in word_set("function_words")))
        and (other[:-1] in word_set("scheduled_verbs") or _is_verb(other))
        for one, other in pairwise(words)
    )


def _is_verb(word: str) -> bool:
    use = use_of(word)
    return use.known and use.verb >= _VERB


def _lacks_subject(words: Sequence[str]) -> bool:
    """Return whether it begins with a verb: one that is asked for, or is another's: "says"."""
    first, use = words[0], use_of(words[0])
    if first in word_set("function_words") or first in ("no", "yes"):
        return False
    if first in word_set("pleasantries") or (first.endswith("ing") and use.known):
        return True
    return use.known and use.verb >= _VERB and not is_past(first)


def _is_closed(sentence: str, pair: str) -> bool:
    opened, closed = sentence.count(pair[0]), sentence.count(pair[1])
    return opened % 2 == 0 if pair[0] == pair[1] else opened == closed
