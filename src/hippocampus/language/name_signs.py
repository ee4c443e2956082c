"""
Names in a text, and the signs of what they are names of: somebody, a pet, a place, a thing.

A name is told from a noun by structure: a capital that no sentence asks for, "a cat called
Biscuit", "my cat Biscuit", "Biscuit the cat", "thanks, Rose", "Rose says". One text seldom tells;
``named_beings.py`` judges by the signs of a whole bank.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Final, Literal, NamedTuple, TypeAlias

from hippocampus.core.word_lists import word_list, word_set
from hippocampus.encode.languages import foreign_language, light_foreign_words
from hippocampus.encode.terms import stem
from hippocampus.language.given_names import is_person
from hippocampus.language.noun_phrases import LED_NOUN
from hippocampus.language.nouns import kinds, singular, use_of

SortOfName: TypeAlias = Literal["person", "pet", "place", "thing"]

SURE: Final = 4
"""Weight of a sign that says it: an apposition, a title. Set by hand, as the next two."""
LIKELY: Final = 2
"""Weight of one that hardly ever errs: a verb that only people are the subject of."""
FAINT: Final = 1
"""Weight of one that points there: "in" before, "he" after."""

_LONGEST: Final = 3
"""Words of a name, at most."""
_CAPITALS: Final = 0.7
"""Share of capitals from which on a sentence is a heading, and a capital in it says nothing. Set by
hand."""
_TOKEN = re.compile(r"[^\W\d_]+(?:['’\-][^\W\d_]+)*|\d[\w.,:]*|\n+|[^\w\s]")
_GOES_ON: Final = frozenset(",;%&/'’@+=-–—…)")
"""Marks behind which a sentence has not begun anew."""
_POSSESSIVE = re.compile(r"['’](?:s|S)?$")
_OWNERS: Final = frozenset({"my", "our", "his", "her", "their", "your"})
_ARTICLES: Final = frozenset({"a", "an", "the", "this", "that", "these", "those", "some", "every"})
_CALLED: Final = frozenset({"called", "named"})
_NAMING: Final = frozenset(map(stem, ("call", "name", "christen", "dub")))
_IS: Final = frozenset({"is", "was", "are", "were"})
_PRONOUNS: Final = frozenset({"he", "she", "him", "himself", "herself"})
_NOUN: Final = 0.6
"""Share of its uses from which on a word is a noun; as a phrase ends in one
(``noun_phrases.NOUN``)."""
_VERB: Final = 0.5
"""Share of its uses from which on a word is a verb's form: a verb more often than not."""
_PLACES: Final = frozenset({"location", "geographical area", "structure", "region"})
_SHOWING: Final = frozenset({"this", "that", "here", "it", "he", "she", "who", "there"})
_SAINTS: Final = frozenset({"st", "saint"})
_LISTING: Final = frozenset({",", "and", "&", "or", "(", ")"})
_UP_TO: Final = 8
"""Words after a name among which "he" and "she" mean it, if no other name comes between."""


class NameSigns(NamedTuple):
    """
    Counts of the signs by which a word is a name; sums of ``SURE``, ``LIKELY`` and ``FAINT``.

    ``inside``: with a capital that no sentence asks for. ``opening``: with one at its beginning,
    where nobody can tell. ``small``: in lower case, by who uses capitals. ``plain``: in lower case
    by who uses none. ``said``: said to be a name: "called Biscuit", "my cat Biscuit". ``faint``:
    signs of somebody that things may show as well.
    """

    inside: int = 0
    opening: int = 0
    small: int = 0
    plain: int = 0
    said: int = 0
    person: int = 0
    pet: int = 0
    place: int = 0
    thing: int = 0
    faint: int = 0

    def plus(self, other: Iterable[int]) -> NameSigns:
        """Return the sums of both."""
        return NameSigns(*(a + b for a, b in zip(self, other, strict=True)))


class NounBeside(NamedTuple):
    """Owner and noun beside a ``name``, as far as the words tell: ("biscuit", "my", "cat")."""

    name: str
    owner: str
    noun: str


class NamesRead(NamedTuple):
    """The names in a text, by folded name; how they are spelled; and whose they are."""

    signs: Mapping[str, NameSigns]
    spelled: Mapping[str, str]
    ties: tuple[NounBeside, ...]
    pairs: tuple[tuple[str, str], ...] = ()
    """Names in one list: "Ana and Rui"."""


class _Token(NamedTuple):
    text: str
    low: str
    """In lower case, without a possessive ending."""
    possessive: bool
    opens: bool

    @property
    def is_word(self) -> bool:
        return self.text[0].isalpha()

    @property
    def capital(self) -> bool:
        return self.text[0].isupper()


def read_names(text: str) -> NamesRead:
    """Return the signs of names in a text; in time linear in its length."""
    reader = _NameReader(english=_is_english(text))
    careless = not _uses_capitals(text)
    for sentence in _sentences(text):
        reader.read(sentence, careless=careless)
    return NamesRead(
        reader.all_signs(careless=careless),
        reader.spelled,
        tuple(dict.fromkeys(reader.ties)),
        tuple(reader.pairs),
    )


def _is_english(text: str) -> bool:
    """Return whether a text may be in English, whose verbs and pronouns are known."""
    words = [found[0].casefold() for found in _TOKEN.finditer(text) if found[0][0].isalpha()]
    return foreign_language(words) is None


def _uses_capitals(text: str) -> bool:
    """Return whether a text begins with a capital; who does not hardly writes names so."""
    return not next((char for char in text if char.isalpha()), "").islower()


def _sentences(text: str) -> Iterator[list[_Token]]:
    sentence: list[_Token] = []
    opens = True
    for found in _TOKEN.finditer(text):
        word = found[0]
        if word[0].isalnum():
            bare = _POSSESSIVE.sub("", word)
            low = bare.casefold()
            sentence.append(_Token(bare, low, bare != word, opens))
            opens = False
        elif word in {".", "!", "?", "…"} or word[0] == "\n":
            # The full stop of "Mrs." ends no sentence.
            if word == "." and sentence and sentence[-1].low in _titles() | _SAINTS:
                continue
            sentence.append(_Token(word, word, possessive=False, opens=False))
            yield sentence
            sentence, opens = [], True
        else:
            sentence.append(_Token(word, word, possessive=False, opens=False))
            opens = opens or word not in _GOES_ON
    if sentence:
        yield sentence


def is_title(low: str) -> bool:
    """Return whether a word in lower case stands before the names of people: "mrs", "aunt"."""
    return low in _titles()


@cache
def _titles() -> frozenset[str]:
    written = {word.casefold() for word in word_set("honorifics")} - _SAINTS
    return word_set("titles") | written  # of saints, days and places are called


@cache
def _before_names() -> frozenset[str]:
    """Return the words before a name that are written as titles are: "Father", "Nurse"."""
    return word_set("kin") | word_set("occupations")


@cache
def _grammar() -> frozenset[str]:
    """Return words that are no name, however written, in any language."""
    english = ("function_words", "chaff", "weekdays", "short_dates", "pronouns", "small_talk")
    short = frozenset(line.partition(" ")[0] for line in word_list("contractions"))
    return light_foreign_words().union(short, word_set("greetings"), *map(word_set, english))


@lru_cache(maxsize=1 << 14)
def may_be_name(low: str) -> bool:
    """Return whether a word in lower case may be a name, if it is written as one."""
    if len(low) < 2 or not low[0].isalpha() or low in _titles() | _SAINTS:
        return False
    # Before grammar is asked: a given name may be a word of it in some language.
    if is_person(low):
        return True
    stump = low.replace("’", "'").partition("'")[0]
    return not {low, stump} & _grammar() and (
        low not in word_set("months") or low in word_set("months_of_people")
    )


@lru_cache(maxsize=1 << 14)
def sort_of_noun(noun: str) -> SortOfName | None:
    """Return the sort of being that a noun is said of; None for a word that is no noun."""
    if noun in word_set("function_words"):
        return None
    one = singular(noun)
    if noun in word_set("kin") or one in word_set("kin"):
        return "person"
    above = kinds(one)
    if not above or use_of(noun).noun < LED_NOUN:
        return None
    if "person" in above or noun in word_set("occupations"):
        return "person"
    if "animal" in above:
        return "pet"
    return "thing" if _PLACES.isdisjoint(above) else "place"


class _NameReader:
    """Reads sentences, and sums up what they show."""

    def __init__(self, *, english: bool) -> None:
        self._english = english
        self._small: dict[str, int] = {}
        self.signs: dict[str, NameSigns] = {}
        self.spelled: dict[str, str] = {}
        self.ties: list[NounBeside] = []
        self.pairs: list[tuple[str, str]] = []

    def read(self, sentence: Sequence[_Token], *, careless: bool) -> None:
        words = [token for token in sentence if token.is_word]
        capitals = sum(token.capital for token in words)
        heading = len(words) > 2 and capitals >= _CAPITALS * len(words)
        # In what is shouted a capital says as little as in a heading.
        shouted = sum(token.text.isupper() for token in words if len(token.text) > 1)
        heading = heading or (len(words) > 1 and 2 * shouted > len(words))
        at, before = 0, ""
        while at < len(sentence):
            end = _name_from(sentence, at, heading=heading)
            token = sentence[at]
            if end > at:
                self._name(sentence, at, end)
            elif token.is_word and may_be_name(token.low):
                self._word(sentence, at, careless=careless, heading=heading)
            name = " ".join(one.low for one in sentence[at : end if end > at else at + 1])
            likely = careless and self._english and token.is_word and _is_likely(token.low)
            if end > at or likely:
                if before:
                    self.pairs.append((before, name))
                before = "" if sentence[max(at, end - 1)].possessive else name
            elif token.low not in _LISTING and not token.text[0].isdigit():
                before = ""
            at = max(at + 1, end)

    def _name(self, sentence: Sequence[_Token], start: int, end: int) -> None:
        """Note a name that is written as one, and each word of it."""
        parts = sentence[start:end]
        told = _told(sentence, start, end, english=self._english)
        self._note(parts, told, opens=parts[0].opens and len(parts) == 1)
        if told.titled:
            self._note(sentence[start - 1 : end], told, opens=False)
        if len(parts) > 1:
            for token in parts:
                self._note([token], _Told(), opens=False)
        if told.noun:
            self._tie(sentence, start, end, told.noun)

    def _word(self, sentence: Sequence[_Token], at: int, *, careless: bool, heading: bool) -> None:
        """Note a word that is not written as a name, and signs that it is one all the same."""
        token = sentence[at]
        if not token.capital and not _is_asked(sentence, at, careless=careless):
            self._small[token.low] = self._small.get(token.low, 0) + 1
            return
        told = _told(sentence, at, at + 1, english=self._english)
        if not self._believes(token, told, careless=careless):
            told = _Told()
        if token.capital:
            so = NameSigns() if heading else NameSigns(opening=1)
        else:
            so = NameSigns(plain=1) if careless else NameSigns(small=1)
        self._add([token], so.plus(told.signs))
        if told.titled:
            self._add(sentence[at - 1 : at + 1], so.plus(told.signs))
        if told.noun:
            self._tie(sentence, at, at + 1, told.noun)

    def all_signs(self, *, careless: bool) -> dict[str, NameSigns]:
        """Return the signs of every name, words in lower case among them."""
        for name, times in self._small.items():
            so = NameSigns(plain=times) if careless else NameSigns(small=times)
            self.signs[name] = self.signs.get(name, NameSigns()).plus(so)
            self.spelled.setdefault(name, name)
        return self.signs

    def _believes(self, token: _Token, told: _Told, *, careless: bool) -> bool:
        """Return whether what is written as no name may be one, by what is said beside it."""
        use = use_of(token.low)
        if not (token.capital or careless):
            return told.called  # who writes names with capitals wrote none here
        if not use.known or is_given(token.low):
            return self._english or bool(told.weights)
        if token.capital:  # "Asked the doctor"
            return use.noun >= _NOUN
        return (
            told.called or told.titled or (bool(told.noun) and is_person(token.low))
        )  # "my cat food" is food

    def _note(self, parts: Sequence[_Token], told: _Told, *, opens: bool) -> None:
        so = NameSigns(opening=1) if opens else NameSigns(inside=1)
        self._add(parts, so.plus(told.signs))

    def _add(self, parts: Sequence[_Token], so: NameSigns) -> None:
        name = " ".join(token.low for token in parts)
        self.signs[name] = self.signs.get(name, NameSigns()).plus(so)
        spelled = " ".join(token.text for token in parts)
        # A spelling with capitals is shown rather than one without.
        if spelled != name or name not in self.spelled:
            self.spelled[name] = spelled

    def _tie(self, sentence: Sequence[_Token], start: int, end: int, noun: str) -> None:
        """Note the tie of a name to its owner where it is said: "my cat Biscuit"."""
        name = " ".join(token.low for token in sentence[start:end])
        # Six words before, for what a name is stands there with its adjectives, and six behind.
        near = [*range(start - 1, max(-1, start - 7), -1), *range(end, min(len(sentence), end + 6))]
        at = next((place for place in near if sentence[place].low == noun), None)
        if at is None:
            return
        for place in range(at - 1, max(-1, at - 4), -1):
            owner = sentence[place]
            if owner.low in _OWNERS or owner.possessive:
                self.ties.append(NounBeside(name, owner.low, noun))
                return


@lru_cache(maxsize=1 << 14)
def is_given(low: str) -> bool:
    """Return whether a word in lower case is a given name, and no word: "guy" is one."""
    return is_person(low) and low not in word_set("given_names_as_words")


def _is_asked(sentence: Sequence[_Token], at: int, *, careless: bool) -> bool:
    """Return whether a word in lower case may be a name, and is worth looking around."""
    low = sentence[at].low
    if at and (sentence[at - 1].low in _CALLED or sentence[at - 1].low in _titles()):
        return True
    return careless and (is_person(low) or not use_of(low).known)


def _is_likely(low: str) -> bool:
    """
    Return whether a word in lower case, of who uses no capitals, is hardly anything but a name.

    It is a given one, or nobody knows it.
    """
    return may_be_name(low) and (is_given(low) or not use_of(low).known)


def _name_from(sentence: Sequence[_Token], start: int, *, heading: bool) -> int:
    """Return the end of a name that begins here and is written as one; ``start`` for none."""
    if heading:
        return start
    end = start
    while end < len(sentence) and end - start < _LONGEST:
        token = sentence[end]
        written = token.is_word and token.capital and may_be_name(token.low)
        if end == start and not written and _is_modal_name(sentence, start):
            return start + 1
        shouted = len(token.text) > 1 and token.text.isupper()
        if (
            not written
            or shouted
            or token.low in _SAINTS
            or (end == start and _titled(token, sentence, end))
        ):
            break
        if token.opens and use_of(token.low).known and not is_person(token.low):
            follows = end + 1 < len(sentence) and sentence[end + 1]
            if not (follows and follows.is_word and follows.capital and not follows.opens):
                break
            if use_of(token.low).noun < _NOUN:  # "Saw Ana", "Old Ana"
                break
        end += 1
        if token.possessive:
            break
    return end


def _is_modal_name(sentence: Sequence[_Token], at: int) -> bool:
    """Return whether a word of grammar is written as a name inside a sentence: "ask Will"."""
    token = sentence[at]
    if not (token.is_word and token.capital and not token.opens and len(token.low) > 2):
        return False
    near = (sentence[place] for place in (at - 1, at + 1) if 0 <= place < len(sentence))
    alone = not any(one.is_word and one.capital and not one.opens for one in near if one.low != "i")
    return alone and not token.text.isupper() and "'" not in token.low and "’" not in token.low


def _titled(token: _Token, sentence: Sequence[_Token], at: int) -> bool:
    """Return whether a word is a title before a name, and so no part of it: "Father Brendan"."""
    if at + 1 == len(sentence) or not sentence[at + 1].is_word or is_person(token.low):
        return False
    named = sentence[at + 1].capital and may_be_name(sentence[at + 1].low)
    return token.low in _titles() or (named and token.low in _before_names())


class _Told:
    """Signs around a name: the weight of each sort, and how it is said."""

    __slots__ = ("called", "noun", "titled", "weights")

    def __init__(self) -> None:
        self.called = False
        """Said to be a name: "called Biscuit"."""
        self.titled = False
        """After a title: "Dona Odete"."""
        self.noun = ""
        """The noun beside it: "cat"."""
        self.weights: dict[str, int] = {}

    def add(self, sort: str, weight: int) -> None:
        """Add a sign."""
        self.weights[sort] = self.weights.get(sort, 0) + weight

    @property
    def signs(self) -> NameSigns:
        """The signs as counts."""
        return NameSigns(said=int(self.called or bool(self.noun)), **self.weights)


def _told(sentence: Sequence[_Token], start: int, end: int, *, english: bool) -> _Told:
    """Return the signs in the words around a name; in other languages, titles and greetings."""
    told = _Told()
    if not english:
        before = _at(sentence, start - 1)
        told.titled = before in _titles()
        if told.titled or before in word_set("greetings"):
            told.add("person", SURE)
        return told
    first, last = sentence[start], sentence[end - 1]
    if end - start > 1 and not is_person(first.low) and not is_person(last.low):
        head = sort_of_noun(last.low)
        if head in ("place", "thing"):  # "Rose Cottage"
            told.add(head, SURE)
            return told
    # What stands right before a name is the surest; what is weaker is asked if that is silent.
    _told_before(sentence, start, told)
    if not told.weights:
        _told_behind(sentence, end, told)
    if not told.weights:
        _told_by_neighbours(sentence, start, end, told)
    if _goes_on_as_somebody(sentence, end):
        told.add("faint", FAINT)
    return told


def _at(sentence: Sequence[_Token], at: int) -> str:
    """Return the word at a place, in lower case; a mark itself, "" beyond the sentence."""
    return sentence[at].low if 0 <= at < len(sentence) else ""


def _told_before(sentence: Sequence[_Token], start: int, told: _Told) -> None:
    """Read "a cat called Biscuit", "the cat is called Biscuit", "my old cat Biscuit"."""
    at = start - 1
    if _at(sentence, at) in _SAINTS:  # days and places are called after them
        told.add("thing", SURE)
        return
    titled = at >= 0 and sentence[at].capital and _titled(sentence[at], sentence, at)
    if (titled and not sentence[at].possessive) or _at(sentence, at) in _titles():
        told.titled = True
        told.add("person", SURE)
        return
    if _at(sentence, at) == "it" and stem(_at(sentence, at - 1)) in _NAMING:
        told.add("thing", SURE)  # "named it Gary"
        return
    if _at(sentence, at) in _CALLED:
        told.called = True
        at -= 1
        if _at(sentence, at) in _IS:
            at -= 1
    comma = _at(sentence, at) == ","
    at -= comma
    sort = sort_of_noun(_at(sentence, at))
    lead = _lead(sentence, at)
    if sort is None or sentence[at].possessive or (comma and _is_anothers(sentence, at)):
        return
    being = sort in ("person", "pet")
    if told.called or (being and (lead == "own" or (lead == "the" and not comma))):
        told.add(sort, SURE)
        told.noun = _at(sentence, at)


def _is_anothers(sentence: Sequence[_Token], at: int) -> bool:
    """Return whether a noun is said of a name before it: "Luca is my partner, Noah is ..."."""
    for place in range(at - 1, max(0, at - 4), -1):
        if sentence[place].low in _OWNERS:
            return _at(sentence, place - 1) in _IS and _at(sentence, place - 2) not in _SHOWING
    return False


def _lead(sentence: Sequence[_Token], at: int) -> str:
    """Return the word that leads a noun, over an adjective or two: "own", "the" or nothing."""
    for place in range(at - 1, max(-1, at - 4), -1):
        token = sentence[place]
        if token.low in _OWNERS or token.possessive:
            return "own"
        if token.low in _ARTICLES:
            return "the"
        if not token.is_word or token.low in word_set("function_words"):
            return ""
    return ""


def _told_behind(sentence: Sequence[_Token], end: int, told: _Told) -> None:
    """Read "Biscuit the cat", "Biscuit, our old cat", "Biscuit (Ana's cat)", "he is my cat"."""
    if sentence[end - 1].possessive:
        return
    link = _at(sentence, end)
    linked = link in (",", "(", ":") or link in _IS
    at = end + linked
    owned = _at(sentence, at) in _OWNERS or (at < len(sentence) and sentence[at].possessive)
    led = _at(sentence, at) == "the" or (linked and _at(sentence, at) in _ARTICLES)
    if link in _IS and sort_of_noun(_at(sentence, at)) == "person":  # "Dale is chef"
        told.add("person", SURE)
        return
    if not owned and not led:
        return
    small = not sentence[end - 1].capital
    for ahead in range(at + 1, at + 4):
        noun = _at(sentence, ahead)
        if not noun[:1].isalpha() or noun in word_set("function_words"):
            return
        sort = sort_of_noun(noun)
        if sort is None or sort_of_noun(_at(sentence, ahead + 1)) is not None:
            continue  # "the guinea pig"
        if sort in ("person", "pet") and (owned or not small or link in _IS):
            told.add(sort, SURE)
            told.noun = told.noun or (noun if owned else "")
        return


def _told_by_neighbours(sentence: Sequence[_Token], start: int, end: int, told: _Told) -> None:
    """Read verbs of saying and dealing, greetings, possessives, and words of place."""
    before, after, last = _at(sentence, start - 1), _at(sentence, end), sentence[end - 1]
    if before and stem(before) in _stems("dealing_verbs"):
        told.add("person", LIKELY)
    if before in word_set("greetings"):
        told.add("person", LIKELY)
    if before in word_set("before_places"):
        told.add("place", LIKELY)
    of_somebody = start > 0 and sentence[start - 1].possessive
    if before in _ARTICLES or of_somebody:  # "the Kindle", "Gardener's Delight"
        told.add("thing", LIKELY)
    if last.possessive:
        kin = sort_of_noun(after) == "person"
        told.add("person" if kin else "faint", SURE if kin else FAINT)
    elif after and stem(after) in _stems("person_verbs"):
        told.add("person", LIKELY)
    elif _is_finite(after) and (before in ("", ",", ";", "and", "but", ":") or last.opens):
        told.add("faint", FAINT)


@lru_cache(maxsize=1 << 12)
def _is_finite(word: str) -> bool:
    """Return whether a word is mostly a verb's form that has a subject: "wept", "licked", "is"."""
    if word in _IS or word in ("has", "had", "does", "did"):
        return True
    if word in word_set("irregular_past_forms"):
        return True
    use = use_of(word)
    return use.known and use.verb >= _VERB and word.endswith(("ed", "s"))


@cache
def _stems(name: str) -> frozenset[str]:
    return frozenset(map(stem, word_set(name)))


def _goes_on_as_somebody(sentence: Sequence[_Token], end: int) -> bool:
    """Return whether "he" or "she" follows, before another name does, or "who" at once."""
    for ahead, token in enumerate(sentence[end : end + _UP_TO]):
        if token.low in _PRONOUNS or (token.low == "who" and ahead < 2):
            return True
        if token.is_word and token.capital and token.low != "i":
            return False
    return False
