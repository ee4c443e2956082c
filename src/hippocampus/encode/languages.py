"""Languages: which one a text is in, what its words of grammar are, and the stems of its words."""

from __future__ import annotations

import threading
import unicodedata
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cache
from itertools import chain
from typing import Any, Final

import Stemmer

from hippocampus.core.lazy_pattern import lazy_pattern
from hippocampus.core.sought_words import SoughtWords, count_words
from hippocampus.core.word_lists import word_list

ENGLISH: Final = "en"

_STEMMERS: Final = {
    "ar": "arabic", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german", "el": "greek",
    "en": "english", "es": "spanish", "et": "estonian", "eu": "basque", "fa": "persian",
    "fi": "finnish", "fr": "french", "ga": "irish", "hi": "hindi", "hu": "hungarian",
    "hy": "armenian", "id": "indonesian", "it": "italian", "lt": "lithuanian", "ne": "nepali",
    "nl": "dutch", "no": "norwegian", "pl": "polish", "pt": "portuguese", "ro": "romanian",
    "ru": "russian", "sr": "serbian", "sv": "swedish", "ta": "tamil", "tr": "turkish",
}  # fmt: skip
"""Snowball's name of each language it stems."""

NAMES: Final[Mapping[str, str]] = {
    "ar": "Arabic", "bg": "Bulgarian", "bn": "Bengali", "ca": "Catalan", "cs": "Czech",
    "da": "Danish", "de": "German", "el": "Greek", "en": "English", "es": "Spanish",
    "et": "Estonian", "eu": "Basque", "fa": "Persian", "fi": "Finnish", "fr": "French",
    "ga": "Irish", "gu": "Gujarati", "he": "Hebrew", "hi": "Hindi", "hr": "Croatian",
    "hu": "Hungarian", "hy": "Armenian", "id": "Indonesian", "it": "Italian", "ja": "Japanese",
    "kn": "Kannada", "ko": "Korean", "lt": "Lithuanian", "lv": "Latvian", "ml": "Malayalam",
    "mr": "Marathi", "ne": "Nepali", "nl": "Dutch", "no": "Norwegian", "pl": "Polish",
    "pt": "Portuguese", "ro": "Romanian", "ru": "Russian", "sk": "Slovak", "sl": "Slovenian",
    "sr": "Serbian", "sv": "Swedish", "ta": "Tamil", "te": "Telugu", "th": "Thai",
    "tr": "Turkish", "uk": "Ukrainian", "vi": "Vietnamese", "zh": "Chinese",
}  # fmt: skip
"""English names of the languages that can be told."""

_BLOCKS: Final = (
    (0x0000, ""), (0x0041, "Latin"), (0x0370, "Greek"), (0x0400, "Cyrillic"), (0x0530, "Armenian"),
    (0x0590, "Hebrew"), (0x0600, "Arabic"), (0x0780, ""), (0x08A0, "Arabic"),
    (0x0900, "Devanagari"), (0x0980, "Bengali"), (0x0A00, ""), (0x0A80, "Gujarati"), (0x0B00, ""),
    (0x0B80, "Tamil"), (0x0C00, "Telugu"), (0x0C80, "Kannada"), (0x0D00, "Malayalam"),
    (0x0D80, ""), (0x0E00, "Thai"), (0x0E80, ""), (0x1100, "Hangul"), (0x1200, ""),
    (0x1E00, "Latin"), (0x1F00, "Greek"), (0x2000, ""), (0x2C60, "Latin"), (0x2C80, ""),
    (0x3040, "Kana"), (0x3100, ""), (0x3400, "Han"), (0xA000, ""), (0xA720, "Latin"),
    (0xA800, ""), (0xAC00, "Hangul"), (0xD7B0, ""), (0xF900, "Han"), (0xFB00, "Latin"),
    (0xFB1D, "Hebrew"), (0xFB50, "Arabic"), (0xFE00, ""), (0xFE70, "Arabic"), (0xFF00, ""),
)  # fmt: skip
"""Starts of Unicode's blocks, and their scripts; "" for those of no word list."""
_STARTS: Final = [start for start, _ in _BLOCKS]

_BY_SCRIPT: Final[Mapping[str, tuple[str, ...]]] = {
    "Arabic": ("ar", "fa"), "Armenian": ("hy",), "Bengali": ("bn",), "Cyrillic": ("ru",),
    "Devanagari": ("hi", "ne"), "Greek": ("el",), "Gujarati": ("gu",), "Han": ("zh",),
    "Hangul": ("ko",), "Hebrew": ("he",), "Kana": ("ja",), "Kannada": ("kn",),
    "Malayalam": ("ml",), "Tamil": ("ta",), "Telugu": ("te",), "Thai": ("th",),
}  # fmt: skip
"""Languages of scripts by whose words they are stemmed, most likely first; all but Latin."""

_ACCENTED: Final = frozenset({"Latin", "Greek", "Cyrillic", "Arabic", "Hebrew"})
"""Scripts that are read without the marks on their letters; in others a mark is a vowel."""

_DIFFERENT: Final = 2
"""Least evidence for a language: different words of grammar (docs/adr/0049), for one word is in
several languages by chance."""
_LONG: Final = 4
"""Letters of a word of grammar that tells a language alone, if hardly another has it
(docs/adr/0049)."""
_SURE: Final = 0.25
"""Sum of such words, each shared out among the languages that have it: below it they tell nothing.
Set by hand."""
_SHARE: Final = 0.05
"""Share of all words that they have to be: less are names and quotations. Set by hand."""
_SURELY_FOREIGN: Final = 3
"""Different words of grammar of a language from which on a text is surely in it; one more than
tells it at all."""
_USUAL: Final = {"en": 2.0} | dict.fromkeys(
    ("de", "es", "fr", "it", "nl", "pl", "pt", "ru", "sv", "tr"), 1.0
)
"""Likelihood of languages that are written much; English counts double, for its list is short, too
(docs/adr/0049)."""
_RARE: Final = 0.6
"""Likelihood of any other, so that a name or a slip is none of it: of 887 lines of English 8 were
taken for another language before this and two more rules, and 1 since (docs/adr/0061)."""
ROUNDED: Final = 1e-6
"""More than sums of evidence are rounded by."""
DIGITS: Final = 9
"""Digits of evidence: a sum in another order, as each process has its own, is the same to these."""
_STRANGE: Final = 0.25
"""Factor on the likelihood of a language if a letter is none of its own (docs/adr/0061)."""
_RIVAL: Final = 0.5
"""Share of the best language's evidence from which on another may be meant instead."""

_local = threading.local()  # a stemmer object is not safe to share between threads


def script_of(word: str) -> str:
    """Return the script of a word's first letter; "" for one of which no language is known."""
    return _BLOCKS[bisect_right(_STARTS, ord(word[0])) - 1][1]


def stem_in(word: str, language: str) -> str:
    """Return the stem of a folded word: what all its inflections have in common."""
    name = _STEMMERS.get(language)
    if name is None:
        return word
    made: dict[str, Any] | None = getattr(_local, "stemmers", None)
    if made is None:
        made = _local.stemmers = {}
    stemmer = made.get(name)
    if stemmer is None:
        stemmer = made[name] = Stemmer.Stemmer(name, 0)  # 0: no cache, for hashes are kept by word
    stemmed: str = stemmer.stemWord(word)
    return stemmed


def has_stemmer(language: str) -> bool:
    """Return whether words of a language are stemmed; other languages' words stay as they are."""
    return language in _STEMMERS


class _Unmarked(dict[int, int | None]):
    """Characters as ``str.translate`` takes them: a mark is left out, all else is itself."""

    def __missing__(self, code: int) -> int | None:
        self[code] = None if unicodedata.category(chr(code)) == "Mn" else code
        return self[code]


_UNMARKED: Final = _Unmarked()


def bare(word: str) -> str:
    """Return a word without the marks on its letters: "telefono" for "teléfono"."""
    if word.isascii() or script_of(word) not in _ACCENTED:
        return word
    return unicodedata.normalize("NFD", word).translate(_UNMARKED)


@cache
def _grammar() -> Mapping[str, tuple[str, ...]]:
    """Return the languages of which each word of grammar is one."""
    found: dict[str, tuple[str, ...]] = {}
    for languages, words in _shared_grammar():
        found |= dict.fromkeys(words, languages)
    return found


def _shared_grammar() -> Iterator[tuple[tuple[str, ...], list[str]]]:
    """Yield languages, and the words of grammar that are theirs and of no other."""
    for entry in word_list("derived/grammar"):
        languages, _, words = entry.partition(": ")
        yield tuple(languages.split()), words.split()


def _languages_of_grammar(words: Collection[str]) -> Iterable[tuple[str, ...]]:
    """Return the languages of each different word of grammar among folded words."""
    return map(_grammar().__getitem__, _words_of_grammar().intersection(words))


@cache
def _words_of_grammar() -> frozenset[str]:
    return frozenset(_grammar())


@cache
def stop_words() -> Mapping[str, frozenset[str]]:
    """Return the words of grammar of each language."""
    split = (entry.partition(": ") for entry in word_list("stop_words"))
    return {language: frozenset(words.split()) for language, _, words in split}


def _english_grammar() -> frozenset[str]:
    return stop_words()[ENGLISH]


_OF_GRAMMAR: Final = SoughtWords(_english_grammar)


def is_plain_english(words: Collection[str]) -> bool:
    """Return whether folded words are English beyond doubt: no other language shares so many."""
    of_grammar = stop_words()[ENGLISH]
    # Each as often as it is there: of a long text the share of different ones only falls.
    return is_mostly_english(sum(map(of_grammar.__contains__, words)), len(words))


def is_plain_english_text(text: str) -> bool:
    """Return the same of the runs of letters of a text that ``is_latin``."""
    return is_mostly_english(_OF_GRAMMAR.count_in(text), count_words(text))


def is_mostly_english(of_grammar: int, words: int) -> bool:
    """Return whether so many words of English grammar among all words leave no doubt."""
    # Two in five: no other language shares so many words of grammar with English.
    return 5 * of_grammar > 2 * words


@cache
def leanings() -> Mapping[str, float]:
    """
    Return the most by which each word of grammar speaks for English against all others.

    All that speaks for others is taken for one of them: where that of a text's different words is
    still less than what speaks for English, or nothing speaks, ``detect`` finds none likelier.
    """
    found: dict[str, float] = {}
    for of, words in _shared_grammar():
        for_english = _USUAL[ENGLISH] * (ENGLISH in of) - any(one != ENGLISH for one in of)
        found |= dict.fromkeys(words, for_english / len(of))
    return found


def evidence(words: Collection[str]) -> dict[str, float]:
    """
    Return the evidence for each language that folded words may be in.

    A word of grammar counts for each language that has it, and less the more these are; what few
    people write in counts less, and hardly where a letter is none of its own.
    """
    seen: dict[str, float] = {}
    for languages in _languages_of_grammar(words):
        for language in languages:
            seen[language] = seen.get(language, 0.0) + 1 / len(languages)
    strange = {char for char in set("".join(words)) if not char.isascii()}
    found: dict[str, float] = {}
    for language, evident in seen.items():
        worth = evident * _USUAL.get(language, _RARE)
        if strange and not strange <= _letters().get(language, strange):
            worth *= _STRANGE
        found[language] = round(worth, DIGITS)
    return found


def detect(words: Collection[str], *, count: int) -> tuple[str, ...]:
    """
    Return the languages that folded words in one script may be in, most likely first.

    Told by their words of grammar; none where these are too few. ``count``: how many words.
    """
    known = _grammar()
    seen = evidence(words)
    different = Counter(chain.from_iterable(_languages_of_grammar(words)))
    alone = set[str]()
    if ENGLISH not in seen:  # the one word of grammar in "¿Dónde vive Ana?" is of no other language
        telling = (known[word] for word in words if len(word) >= _LONG and word in known)
        alone = {language for languages in telling if len(languages) < 3 for language in languages}
    # One word is of a language by chance, unless it is long and of hardly any other.
    told = {one for one in seen if different[one] >= _DIFFERENT or one in alone}
    best = max(seen.values(), default=0.0)
    if best < max(_SURE, _SHARE * count):
        return ()
    likely = [one for one in told if seen[one] + ROUNDED >= _RIVAL * best]
    likely.sort(key=lambda language: (-seen[language], language != ENGLISH, language))
    # One word of English speaks against a rare language that has two, if not for English.
    return tuple(likely) if likely and seen[likely[0]] >= seen.get(ENGLISH, 0.0) else ()


@cache
def _letters() -> Mapping[str, frozenset[str]]:
    """Return the letters beyond a to z that each language is written with."""
    split = (entry.partition(": ") for entry in word_list("letters"))
    return {language: frozenset(letters.replace(" ", "")) for language, _, letters in split}


def is_grammar_of_english(word: str) -> bool:
    """Return whether a folded word is one of grammar in English."""
    return word in stop_words()[ENGLISH]


@cache
def foreign_words() -> frozenset[str]:
    """Return the words of grammar of all languages but English."""
    others = (words for language, words in stop_words().items() if language != ENGLISH)
    return frozenset[str]().union(*others)


@cache
def light_words(language: str) -> frozenset[str]:
    """Return the words of a language that name nothing: those of grammar, time and number."""
    return stop_words().get(language, frozenset()) | _light().get(language, frozenset())


@cache
def _light() -> Mapping[str, frozenset[str]]:
    split = (entry.partition(": ") for entry in word_list("foreign_light_words"))
    return {language: frozenset(words.split()) for language, _, words in split}


@cache
def light_foreign_words() -> frozenset[str]:
    """Return the words of all languages but English that name nothing."""
    return foreign_words().union(*_light().values())


def foreign_language(words: Sequence[str]) -> str | None:
    """
    Return the language that folded words are in, if it is surely not English; else None.

    Sure are several different words of grammar of it, where there are none of English.
    """
    seen = foreign_words().intersection(words)
    if len(seen) < _SURELY_FOREIGN:
        return None
    told = detect(words, count=len(words))
    if not told or ENGLISH in told:
        return None
    return told[0] if len(stop_words()[told[0]] & seen) >= _SURELY_FOREIGN else None


def languages_of(word: str, latin: Sequence[str]) -> Sequence[str]:
    """Return the languages of a word, by its script; ``latin``: those of words in Latin letters."""
    script = script_of(word)
    if script == "Latin":
        return latin
    found = _BY_SCRIPT.get(script, ())
    return found[::-1] if script == "Arabic" and _PERSIAN.search(word) else found


_PERSIAN: Final = lazy_pattern("[\u067e\u0686\u0698\u06a9\u06af\u06cc]")
"""Letters of Persian that Arabic has not."""


def language_by_script(words: Sequence[str]) -> str | None:
    """Return the language of most of the folded words of a text; None if nobody can say."""
    letters = Counter[str]()
    for word in words:
        letters[script_of(word)] += len(word)
    del letters[""]  # digits count for Latin, and little
    if not letters:
        return None
    if letters["Kana"]:  # Japanese is written in both, Chinese in Han alone
        letters["Kana"] += letters.pop("Han", 0)
    script = max(letters, key=letters.__getitem__)
    within = [word for word in words if script_of(word) == script]
    told = detect(within, count=len(within))
    return next(iter(told), None) or next(iter(_BY_SCRIPT.get(script, ())), None)


@cache
def latin_languages() -> tuple[str, ...]:
    """Return all languages in Latin letters that are stemmed."""
    others = {language for some in _BY_SCRIPT.values() for language in some} | {"sr"}
    return tuple(language for language in _STEMMERS if language not in others)


def is_grammar(word: str, latin: Sequence[str]) -> bool:
    """Return whether a folded word is one of grammar in its language."""
    known = stop_words()
    return any(word in known.get(language, ()) for language in _readings(word, latin))


def _readings(word: str, latin: Sequence[str]) -> Iterable[str]:
    if script_of(word) != "Cyrillic":
        return languages_of(word, latin[:1])
    return ("ru", "uk", "bg", "sr")
