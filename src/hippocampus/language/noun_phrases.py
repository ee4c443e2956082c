"""
The noun phrases of a text, without a tagger: what anchors and tags are made of (CONCEPT, 4.2).

A phrase is up to three words of content that follow each other and end in a noun, or a proper name.
English, where a dictionary tells nouns from the rest; in other languages every word of content is
taken for a noun.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from hashlib import blake2b
from typing import Final, NamedTuple

from hippocampus.encode.terms import FUNCTION_WORDS, stem
from hippocampus.language.nouns import singular, use_of

MOST_WORDS: Final = 3
NOUN: Final = 0.6
"""From this share of noun uses on, a word may end a phrase."""
LED_NOUN: Final = 0.3
"""The same where a noun phrase is due: "about peer review"."""
VERB: Final = 0.4
"""From this share of verb uses on, a word qualifies no noun: "bought shoes"."""
_LONGEST_ACRONYM: Final = 6
_USUAL: Final = 64
"""Characters up to which a phrase is likely to come up again."""

_TOKEN = re.compile(r"[^\W_]+(?:['’\-][^\W_]+)*|[^\s\w]+|_+|\n")
_SUFFIX = re.compile(r"['’].*")
_GOES_ON = re.compile(r"^[,;%&/’'@+=\-–—…]+$")
"""Marks after which a sentence has not begun anew."""

# Words of content by their form that no one looks for: they name no subject. Pasts that the
# dictionary, which knows regular endings only, would take for nouns are among them.
_CHAFF: Final = frozenset(
    "actually after against ago ah aha all almost already also although always among amongst"
    " another anybody anyone anything around asking aw away awesome aww awww aye back because"
    " before beside"
    " between bit both btw bunch bye cannot case cause chance come congrats congratulations cool"
    " couple day days deal dear died down dozen dr dude during each eight either eleven else"
    " enough even ever every everybody everyone everything fact far fave feel few fifteen fifty"
    " fine five forty four fun fwd fyi get getting glad go going gonna good got gotta great guess"
    " ha haha hahaha half hand hello here herself hey hi himself hmm hooray hour hours however"
    " hundred hundreds hurray idea instead itself just key kind kinda know last later leaning"
    " least less let like lmao logged lol look looks lot lots luck making man many matter maybe"
    " mean mine minute minutes mmm moment month months more morning most mr mrs ms much myself nah"
    " name need neither never next nice night nine no nobody none nor not nothing now off oh ok"
    " okay omg once one ones oneself only ooh oops other others ouch ourselves out over own part"
    " people perhaps person phew phoned pic pics place please point pretty quite rather really"
    " reason rest right same saying second see seeing sense seven since sir six sixty slipped"
    " somebody something sorry sort still stuff such sure take tbh tell ten thank thanks"
    " themselves there thing things think thirteen thirty though thought thousand thousands three"
    " through time times today tomorrow tonight too top totally towards try twelve twenty two type"
    " ugh uh um under unless until up upon use very via wanna want way ways week weekend weekends"
    " weeks welcome well whatever whenever wherever whether whew while whoa whoever within without"
    " woah woohoo word words wow xoxo y'all yay yeah year years yep yes yesterday yet yourself"
    " yourselves yup january february march april may june july august september october november"
    " december monday tuesday wednesday thursday friday saturday sunday don doesn didn isn wasn"
    " aren won couldn wouldn shouldn hasn haven hadn ain ate became began bent blew bought broke"
    " brought built came caught chose cut drank drew drove fed fell felt flew forgot fought found"
    " froze gave gone grew held heard hid hit kept knew laid lay led left lent lost made meant met"
    " paid put ran rang read rode said sang sat saw sent shook shot showed shut slept sold spent"
    " spoke spread stole stood stuck swam taken taught threw thrown told took understood went woke"
    " wore written wrote mondays tuesdays wednesdays thursdays fridays saturdays sundays jan feb"
    " mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sun".split()
)

# Before these only a noun phrase can come to an end: "the support group", but "they support it".
_LEADS: Final = frozenset(
    "a about an at by for from her his in its my of on our some that the their these this those"
    " with your".split()
)


_NO_SUBJECT: Final = _CHAFF | FUNCTION_WORDS


class Phrase(NamedTuple):
    """
    A noun phrase: ``name`` in dictionary form and lower case, and where it stands in the text.

    ``key``: the same for all inflections of a name, 31 bits. ``proper``: written as a name is.
    """

    name: str
    key: int
    start: int
    end: int
    proper: bool


def key_of(name: str) -> int:
    """Return the key by which a phrase is known, whatever its case and endings."""
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
    return [phrase for run in _runs(text) for phrase in _of_run(run, only_names=only_names)]


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
    """Comes, with nothing but words of content between, after one of ``_LEADS``."""


def _runs(text: str) -> Iterator[list[_Word]]:
    """Yield the words of content between words of grammar and marks."""
    run: list[_Word] = []
    opens, before = True, ""
    for found in _TOKEN.finditer(text):
        word = found[0]
        bare = _SUFFIX.sub("", word)
        lower = bare.casefold()
        if len(bare) > 1 and bare[0].isalpha() and lower not in _NO_SUBJECT:
            led = run[0].led if run else before in _LEADS
            run.append(_Word(bare, found.start(), found.start() + len(bare), opens, led))
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


def is_chaff(word: str) -> bool:
    """Return whether a word in lower case names no subject: grammar, greetings, "really"."""
    return word in _NO_SUBJECT


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
    name = " ".join([*lower[:-1], lower[-1] if proper else singular(lower[-1])])
    return Phrase(name, key_of(name), start, end, proper)
