"""
Topic tags for a stretch of talk, in a hierarchy of broader and narrower ones (SWIFT, 3.2.1).

A tag is up to three words in lower case with underscores between. It names a topic or activity, a
place or other entity, a feeling or an intent, and rather "italian_cuisine" than "food"; what is
broader comes above it as a parent. Here tags come from the words alone; ``topic_tag_model.py`` has
a model asked for them.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cache, lru_cache
from typing import Final, NamedTuple, TypeAlias

from hippocampus.core.background_yield import pausing
from hippocampus.core.word_lists import word_list, word_set
from hippocampus.encode.terms import stem
from hippocampus.language.name_signs import NameSigns, read_names
from hippocampus.language.named_beings import is_named, is_partly_named, sort_of_name
from hippocampus.language.noun_phrases import find_phrases, may_be_subject
from hippocampus.language.nouns import kinds, singular, synonyms, use_of

MOST_WORDS: Final = 3
"""Words of a tag (SWIFT, appendix A.1)."""
MOST_LETTERS: Final = 48
"""Letters of a tag: three long words; a bound against what a model may answer."""
FEWEST_TAGS, MOST_TAGS = 3, 8
"""Tags of a group of texts (SWIFT, 3.2.1)."""
MOST_NAMES: Final = 3
"""Names among them: or a stretch about five people would have no subject. Set by hand."""
MOST_FEELINGS: Final = 1
"""Feelings among them (SWIFT, 3.2.1, wants emotions): talk is full of them. Set by hand."""
LEAST_RELATIVE_WORTH: Final = 0.4
"""Part of the best tag's worth from which on a fourth and further ones are worth having. Set by
hand, as the next two."""
NAME_RETURNS: Final = 0.5
"""The least chance that a name is returned to, though it was said once only."""
PHRASE_BONUS: Final = 1.3
"""Factor for tags of two or three words, which are more specific than one."""
LEAST_INCLUSION: Final = 0.8
"""P(broader | narrower), over places: from here on one tag subsumes another (Sanderson and Croft
1999)."""
LEAST_LIFT: Final = 4.0
"""P(broader | narrower) / P(broader): a tag that is everywhere is above nothing. Set by hand."""
LEAST_SUPPORT: Final = 5
"""Places that must have both tags, for that to be no accident: of 35 relations by co-occurrence
alone 7 were sensible (docs/adr/0015). Set by hand."""
LEAST_INCLUSION_IF_ALIKE: Final = 0.5
"""``LEAST_INCLUSION`` for tags that are near in meaning, too; from a third on two more sensible
relations were found on ``examples/``, and six silly ones (docs/adr/0015)."""
LEAST_SUPPORT_IF_ALIKE: Final = 3
"""``LEAST_SUPPORT`` for these: with two places 6 of 12 relations were sensible on ``examples/``,
with three 3 of 5 (docs/adr/0015)."""
ALIKE_FROM: Final = 2.0
"""Standard deviations above the mean from which on two tags are near: one in forty others is."""

_WORD = re.compile(r"[^\W_]+")
_BETWEEN = re.compile(r"[\s_\-–/]+")


class Relation(NamedTuple):
    """``parent`` is broader than ``child``."""

    parent: str
    child: str


class Tagging(NamedTuple):
    """
    The tags of one group of texts, best first, and the broader ones of each.

    ``names``: what would make tags there and is, in all the groups, mostly written as a name.
    """

    tags: tuple[str, ...]
    relations: tuple[Relation, ...] = ()
    names: frozenset[str] = frozenset()


@lru_cache(maxsize=1 << 16)
def tag_name(text: str) -> str | None:
    """
    Return the tag that a phrase makes, "Italian cuisine" "italian_cuisine"; None if it makes none.

    Not a tag: more than three words or 48 letters, marks other than hyphens, and what is too
    broad to tell anything apart.
    """
    words = _BETWEEN.split(_fold(text).strip(" _"))
    name = "_".join(words)
    if not 0 < len(words) <= MOST_WORDS or len(name) > MOST_LETTERS:
        return None
    if not all(_WORD.fullmatch(word) for word in words) or not re.search(r"[^\W\d_]", name):
        return None
    # A few letters fold to something that folds again: what is no fixed point is no name.
    return None if name in word_set("broad_tags") or _fold(name) != name else name


def _fold(text: str) -> str:
    # Again after folding, which may undo the normal form.
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


@cache
def _chaff() -> frozenset[str]:
    return word_set("tag_chaff") | word_set("months") | word_set("weekdays")


@cache
def _feelings() -> Mapping[str, str]:
    """Return the tag that a word for a feeling or intent stands for, by word."""
    return {
        word: line.partition("=")[0]
        for line in word_list("feelings")
        for word in line.replace("=", ",").split(",")
    }


# ---------------------------------------------------------------- what a group is about


class TagReading(NamedTuple):
    """
    Names in a group of texts, whatever other groups have: it need be read only once.

    ``named``: of each tag that its phrases make, how often they do, and how often as a name.
    ``felt``: how often words of each feeling are said. ``signs``: what shows whether a word is a
    name, and of what (``NameSigns``).
    """

    named: Mapping[str, tuple[int, int]]
    felt: Mapping[str, int]
    signs: Mapping[str, Sequence[int]]


def read_group(texts: Sequence[str]) -> TagReading:
    """Read the tags of a group of texts: a session, or some twenty turns of one."""
    times, proper = Counter[str](), Counter[str]()
    for text in pausing(texts):
        for name, is_name in _named_in(text):
            times[name] += 1
            proper[name] += is_name
    feelings = _feelings()
    words = (word.strip("'’.,;:!?\"()*").casefold() for text in texts for word in text.split())
    felt = Counter(feelings[word] for word in words if word in feelings)
    named = {name: (count, proper[name]) for name, count in times.items()}
    return TagReading(named, felt, _signs(texts, named))


def tag_groups(groups: Sequence[TagReading], *, apart: Collection[str] = ()) -> list[Tagging]:
    """
    Return the tags of each group of texts, best first, told by how often and where they are named.

    A tag is good in a group when many of its texts name it, when few other groups do, and when
    groups that name it at all tend to do so again: a subject, once raised, is returned to, while
    "a nice picture" is not (Church and Gale 1995). Up to eight; fewer where nothing better is said.
    Words that mean the same are counted as one, by that of them which is said most.

    Args:
        groups: what each group names.
        apart: names that say who talks, not of what: those of the speakers.

    """
    silent = {name for name in map(tag_name, apart) if name}
    silent |= {name.partition("_")[0] for name in silent}
    short = {name[:size] for name in silent for size in range(3, len(name))}  # "Mel", but not "car"
    found = [_count(group, silent, short) for group in pausing(groups)]
    names = _names_among(found, total_signs(groups))
    written = [names & group.keys() for group in found]
    found = _as_one(found, names)
    named = Counter(name for group in found for name in group)
    again = Counter(name for group in found for name, one in group.items() if one.times > 1)
    taggings = []
    for group, as_names in zip(pausing(found), written, strict=True):
        worth = {
            name: math.log2(1 + one.times)
            * math.sqrt(math.log((len(groups) + 1) / named[name]))
            # Half a return more, for one group alone says little of the chance of another.
            * max((again[name] + 0.5) / (named[name] + 1), NAME_RETURNS if one.proper else 0.0)
            * named[name]
            / (named[name] + 1)
            * (PHRASE_BONUS if "_" in name else 1.0)
            for name, one in group.items()
        }
        tags = _choose(group, worth, named)
        taggings.append(Tagging(tags, tuple(relations_of(tags, names=names)), as_names))
    return taggings


class _NamedTag(NamedTuple):
    """The counts of a tag in a group: how often it is named, as a name or as a feeling."""

    times: int
    proper: bool
    feeling: bool


def _count(
    group: TagReading, silent: AbstractSet[str], short: AbstractSet[str]
) -> dict[str, _NamedTag]:
    found = {}
    for name in dict.fromkeys([*group.named, *group.felt]):
        times, proper = (0, 0) if name in silent else group.named.get(name, (0, 0))
        # As a name "Mel" is who speaks; written small it may be a word.
        if name in short:
            times, proper = times - proper, 0
        times = max(times, group.felt.get(name, 0))
        if times:
            found[name] = _NamedTag(times, proper * 2 > times, name in group.felt)
    return found


def _names_among(
    found: Iterable[Mapping[str, _NamedTag]], signs: Mapping[str, NameSigns]
) -> frozenset[str]:
    """Return words written as names more often than not; at the beginning nobody can tell."""
    balance = Counter[str]()
    for group in found:
        for name, one in group.items():
            balance[name] += one.times if one.proper else -one.times
    return frozenset(
        name
        for name, times in balance.items()
        if (is_named(name, signs[name]) if name in signs else times > 0)
    )


def _as_one(
    found: Sequence[Mapping[str, _NamedTag]], names: AbstractSet[str]
) -> list[dict[str, _NamedTag]]:
    """Count tags of one meaning together, under the one said most in all the groups."""
    times = Counter[str]()
    for group in found:
        times.update({name: one.times for name, one in group.items()})
    shown = {
        name: max((*same, name), key=times.__getitem__)  # of what nobody says, 0
        for name in times
        if (same := same_as(name, names)) != (name,)
    }
    merged = []
    for group in found:
        one_each: dict[str, _NamedTag] = {}
        for name, one in group.items():
            so_far, proper, feeling = one_each.get(to := shown.get(name, name), (0, True, False))
            one_each[to] = _NamedTag(
                so_far + one.times, proper and one.proper, feeling or one.feeling
            )
        merged.append(one_each)
    return merged


def _named_in(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the tags that the phrases of a text make, and whether each is written as a name."""
    for phrase in find_phrases(text):
        name = tag_name(phrase.name)
        if name is None:
            continue
        *before, last = name.split("_")
        if _says_nothing(last) or not _slack().isdisjoint(before):
            continue
        if phrase.proper or all(map(_is_noun, [*before, last])):
            yield name, phrase.proper


@lru_cache(maxsize=1 << 14)
def _says_nothing(word: str) -> bool:
    """Return whether a word makes no tag, neither alone nor at the end of one."""
    listed = word in _chaff() or stem(word) in _chaff_stems() or not may_be_subject(word)
    return listed or word in word_set("function_words") or (len(word) < 4 and not kinds(word))


@cache
def _slack() -> frozenset[str]:
    return word_set("tag_slack") | word_set("function_words")


@cache
def _chaff_stems() -> frozenset[str]:
    return frozenset(map(stem, _chaff()))


@lru_cache(maxsize=1 << 14)
def _is_noun(word: str) -> bool:
    """Return whether a word in dictionary form is not, after all, a form of a verb: "makes"."""
    use = use_of(word)
    inflected = use.known and word.endswith(("ing", "ed", "s")) and not kinds(word)
    return not inflected and not (word in _chaff() and word.endswith("ing"))


def _choose(
    group: Mapping[str, _NamedTag], worth: Mapping[str, float], named: Mapping[str, int]
) -> tuple[str, ...]:
    """Return the best of a group, not too many of a kind, none said by another already."""
    # "senhor_matias" stands for "matias" where that is mostly said in full.
    covered = {
        part
        for name, one in group.items()
        for part in _parts(name)
        if part in group and 2 * one.times > group[part].times
    }
    worth = {name: worth[name] for name in group if name not in covered}
    # What is said once in the whole bank comes last: it fills up what would else have no tag.
    once = {name for name in worth if group[name].times < 2 and named[name] < 2}
    order = sorted(worth, key=lambda name: (name in once, -worth[name], name))
    chosen: list[str] = []
    names = feelings = 0
    for name in order:
        one = group[name]
        if len(chosen) == MOST_TAGS:
            break
        if one.times < 2 and len(chosen) >= (FEWEST_TAGS if named[name] < 2 else FEWEST_TAGS + 2):
            continue
        if (one.feeling and feelings == MOST_FEELINGS) or (one.proper and names == MOST_NAMES):
            continue
        if len(chosen) >= FEWEST_TAGS and worth[name] < LEAST_RELATIVE_WORTH * worth[chosen[0]]:
            continue
        chosen.append(name)
        names += one.proper
        feelings += one.feeling
    return tuple(chosen)


def _parts(tag: str) -> list[str]:
    """Return the beginnings and ends of a tag of several words, the longer first."""
    words = tag.split("_")
    sizes = range(len(words) - 1, 0, -1)
    return [part for size in sizes for part in ("_".join(words[:size]), "_".join(words[-size:]))]


# ---------------------------------------------------------------- what is broader than what


def relations_of(
    tags: Iterable[str], known: Collection[str] = (), names: AbstractSet[str] = frozenset()
) -> list[Relation]:
    """
    Return the relations of tags to broader ones, by words and by the dictionary.

    "pottery_class" is under "pottery" and "class" where these are tags, "violin" under
    "stringed_instrument" and that under "musical_instrument". ``known``: tags that exist.
    """
    tags = list(tags)
    known = {*known, *tags}
    found: dict[Relation, None] = {}
    for tag in tags:
        if is_feeling(tag):
            found[Relation("intent" if tag in _INTENTS else "emotion", tag)] = None
            continue
        found.update((Relation(part, tag), None) for part in _parts(tag) if part in known)
        below = tag
        for kind in () if tag in names else _kinds(tag, known):
            found[Relation(kind, below)] = None
            below = kind
    return list(found)


_INTENTS: Final = frozenset({"planning", "decision", "advice", "complaint", "apology", "ambition"})


def relations_of_names(signs: Mapping[str, NameSigns], tags: Iterable[str]) -> list[Relation]:
    """
    Return relations of tags that name people, pets and places, by the words beside them.

    A place is "in Porto", a person "says" and is "Dona Odete", a pet is "a cat called Biscuit".
    """
    there = {tag: signs[tag] for tag in sorted(set(tags)) if tag in signs}
    sorts = {tag: sort_of_name(tag.replace("_", " "), one) for tag, one in there.items()}
    return [
        Relation(_SORTS[sort], tag)
        for tag, sort in sorts.items()
        if sort in _SORTS and is_named(tag, there[tag])
    ]


_SORTS: Final = {"person": "people", "pet": "pet", "place": "place"}


def total_signs(groups: Iterable[TagReading]) -> dict[str, NameSigns]:
    """Return the signs of each name, by its tag, in all groups."""
    found: dict[str, NameSigns] = {}
    for group in groups:
        for name, signs in group.signs.items():
            found[name] = found.get(name, NameSigns()).plus(signs)
    return found


def without_kinds(signs: Mapping[str, NameSigns]) -> frozenset[str]:
    """Return words so often used as names that the dictionary's kinds may be wrong for them."""
    return frozenset(tag for tag, one in signs.items() if is_partly_named(tag, one))


def _signs(texts: Iterable[str], named: Collection[str]) -> dict[str, NameSigns]:
    """Return the signs of what would make tags, by tag."""
    found: dict[str, NameSigns] = {}
    for text in pausing(texts):
        for name, signs in read_names(text).signs.items():
            tag = tag_name(name)
            if tag is not None and tag in named:
                found[tag] = found.get(tag, NameSigns()).plus(signs)
    return found


def is_feeling(tag: str) -> bool:
    """Return whether a tag is one of the feelings and intents that are known by their words."""
    return tag in _spoken()


def spoken(tag: str, names: AbstractSet[str] = frozenset()) -> tuple[str, ...]:
    """
    Return the words by which a text names a tag: its own and their synonyms, or a feeling's.

    Not synonyms of several words: who was sitting in a room was in no sitting room. ``names``: what
    is written as a name, and so has no synonyms.
    """
    same = (word for word in same_as(tag, names) if word != tag and "_" not in word)
    return _spoken().get(tag, ()) or (tag.replace("_", " "), *same)


def same_as(tag: str, names: AbstractSet[str] = frozenset()) -> tuple[str, ...]:
    """
    Return the tags that mean what one does, the most used first, it or its singular among them.

    By the dictionary, where that is the first sense of each; but for words that are no one's
    subject, those for feelings, those that people keep apart, and ``names``.
    """
    if tag in names or _singular(tag) in names:  # "bees" beside somebody called Bee
        return (tag,)
    return tuple(word for word in _same_as(tag) if word not in names)


def _singular(tag: str) -> str:
    *before, last = tag.split("_")
    return "_".join([*before, singular(last)])


@lru_cache(maxsize=1 << 14)
def _same_as(tag: str) -> tuple[str, ...]:
    for noun in dict.fromkeys((tag, _singular(tag))):
        known = synonyms(noun.replace("_", " "))
        if known:
            same = tuple(filter(_has_synonyms, (word.replace(" ", "_") for word in known)))
            return same if noun in same and len(same) > 1 else (tag,)
    return (tag,)


def _has_synonyms(word: str) -> bool:
    apart = word in word_set("not_synonyms") or word in _feelings() or is_feeling(word)
    return not apart and tag_name(word) == word and not _says_nothing(word)


@cache
def _spoken() -> Mapping[str, tuple[str, ...]]:
    """Return the words for each feeling and intent."""
    found: dict[str, tuple[str, ...]] = {}
    for word, tag in sorted(_feelings().items()):
        found[tag] = (*found.get(tag, ()), word)
    return found


def _kinds(tag: str, known: AbstractSet[str]) -> Iterator[str]:
    """Yield the kinds of a tag, near to far, each once, as far as a person would say so."""
    above = kinds(tag.replace("_", " ")) or kinds(singular(tag.rpartition("_")[2]))
    called = _called()
    seen = {tag}
    for kind in above:
        name = called.get(kind.replace(" ", "_"))
        if name is None:
            name = tag_name(kind)
            if name is None or name not in known or _says_nothing(name):
                continue
        if name not in seen:
            seen.add(name)
            yield name


@cache
def _called() -> Mapping[str, str]:
    """Return the people's words for the kinds that make tags, by the dictionary's name."""
    split = (entry.partition("=") for entry in word_list("tag_kinds"))
    return {name: said or name for name, _, said in split}


Alike: TypeAlias = Callable[[str, str], float]
"""Similarity of a second tag to the first, in standard deviations above the mean of all tags."""


def subsumptions(
    places: Mapping[str, AbstractSet[int]], total: int, alike: Alike | None = None
) -> list[Relation]:
    """
    Return pairs of broader and narrower tags, by where both are named (Sanderson and Croft 1999).

    x is above y when x is there wherever y is, nearly, and not the other way round; here also much
    more often than elsewhere. On a bank of one person's talk most of what that finds is accident.
    So tags must be near in meaning as well, and then half of the places will do, unless the
    dictionary has both for kinds of one thing: cats are no dogs. Where meanings are not known, more
    places are asked for.

    Args:
        places: the places (windows of a few turns) that name each tag.
        total: how many places there are.
        alike: tells how near two tags are in meaning; None where there is no embedder.

    """
    surely, support = (
        (LEAST_INCLUSION, LEAST_SUPPORT)
        if alike is None
        else (LEAST_INCLUSION_IF_ALIKE, LEAST_SUPPORT_IF_ALIKE)
    )
    # By place, so that only tags are compared that are named together somewhere.
    at: defaultdict[int, list[str]] = defaultdict(list)
    for tag, where in places.items():
        for place in where:
            at[place].append(tag)
    found = []
    for child, where in pausing(sorted(places.items())):
        together = Counter(tag for place in where for tag in at[place] if tag != child)
        for parent, both in sorted(together.items()):
            above, below = both / len(where), both / len(places[parent])
            if not below < above or above * total < LEAST_LIFT * len(places[parent]):
                continue
            near = alike is None or alike(child, parent) >= ALIKE_FROM
            believed = above >= surely and both >= support and near
            if believed and not _siblings(child, parent):
                found.append(Relation(parent, child))
    return found


def _siblings(one: str, other: str) -> bool:
    """Return whether two tags are kinds of the same, as far as is known."""
    if is_feeling(one) and is_feeling(other):
        return True
    first, second = (next(_kinds(tag, frozenset()), None) for tag in (one, other))
    return first is not None and first == second
