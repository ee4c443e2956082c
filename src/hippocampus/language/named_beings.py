"""
Sorts of a bank's names, judged by all that it shows of them: people, pets, places, things.

One sight tells little: "Mark" begins a sentence, a pub is called like a man. What is a name counts
more signs of one than uses as a word, and whose it is has signs of that and fewer of the others.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping
from typing import Final

from hippocampus.core.word_lists import word_set
from hippocampus.language.given_names import is_person
from hippocampus.language.name_signs import (
    FAINT,
    LIKELY,
    SURE,
    NameSigns,
    SortOfName,
    is_given,
    is_title,
    may_be_name,
)
from hippocampus.language.nouns import use_of

_GIVEN: Final = LIKELY + FAINT
"""Weight of a name being a given one: with any other sign, or a second sight, that tells."""
_AGAIN: Final = 2
"""Weight, at most, of being spoken of again: as much as one likely sign, or any word often said
would be somebody. Set by hand."""
_PARTLY: Final = 3
"""A name may be a noun as well: what is one in every so many uses has no kinds of nouns
(docs/adr/0059)."""


def is_named(name: str, signs: NameSigns) -> bool:
    """Return whether a word is a name more often than a word, as far as can be told."""
    if is_given(name):
        return True
    told = signs.inside + 2 * signs.said
    if use_of(name).known:
        return told > signs.small + signs.plain
    return told > signs.small or (not signs.small and signs.plain + signs.opening > 0)


def is_partly_named(name: str, signs: NameSigns) -> bool:
    """Return whether a word is so often a name that what the noun is a kind of may be wrong."""
    told = signs.inside + 2 * signs.said
    return is_named(name, signs) or _PARTLY * told >= signs.small + signs.plain + told > 0 < told


def sort_of_name(name: str, signs: NameSigns) -> SortOfName | None:
    """Return the sort of a name, judged by the signs in all texts; None if unclear."""
    words = name.split()
    known = all(use_of(word).known and not is_given(word) for word in words)
    if known and not (signs.inside or signs.said or (signs.person >= SURE and not signs.small)):
        return None
    if all(not may_be_name(word) for word in words) and signs.inside < 2:
        return None  # a word of grammar that somebody wrote with a capital once
    person = signs.person
    if person or not known:
        person += signs.faint
    if any(_surely_given(word, signs) for word in words):
        person += _GIVEN + (_seen(signs) > 1)
    elif person and len(words) > 1:
        person += LIKELY
    elif person and not known:  # people are spoken of again and again
        person += min(_AGAIN, _seen(signs) - 1)
    weights: dict[SortOfName, int] = {
        "person": person, "pet": signs.pet, "place": signs.place, "thing": signs.thing,
    }  # fmt: skip
    best = max(weights, key=weights.__getitem__)
    if best == "person" and signs.pet >= SURE and 3 * signs.pet >= signs.person:
        best = "pet"  # pets are spoken of as people are
    return best if weights[best] >= SURE else None


def _surely_given(word: str, signs: NameSigns) -> bool:
    if not is_person(word) or word in word_set("months"):
        return False
    return is_given(word) or signs.inside > signs.small + signs.plain


def _seen(signs: NameSigns) -> int:
    return signs.inside + signs.opening + signs.plain + signs.small


def sorts_of_names(
    names: Mapping[str, NameSigns], pairs: Iterable[tuple[str, str]] = ()
) -> dict[str, SortOfName]:
    """
    Return the sort of each name of a bank, but for those of unknown sort.

    Args:
        names: the signs of each name, in all that was said.
        pairs: names said in one list: who is named beside somebody is likely somebody as well.

    """
    sorts = {name: sort for name, one in names.items() if (sort := sort_of_name(name, one))}
    beside = Counter[str]()
    # A list that is repeated tells no more than once.
    for one, other in set(pairs):
        beside[one] += sorts.get(other) == "person"
        beside[other] += sorts.get(one) == "person"
    for name, times in beside.items():
        if name in names and name not in sorts and times:
            raised = names[name].plus(NameSigns(person=LIKELY))
            if (sort := sort_of_name(name, raised)) == "person":
                sorts[name] = sort
    return sorts


def with_whole_names(
    names: Mapping[str, NameSigns], *, kept: Collection[str] = (), close: Collection[str] = ()
) -> tuple[dict[str, NameSigns], dict[str, str]]:
    """
    Join each name with the whole one it is part of: "Roche" is Pat Roche if no other one is.

    A name whose possessive was written without an apostrophe ("craigs") is that name. Parts that
    several whole names have are left out, for nobody knows who "Pat" is, or "Hill" beside "Mr Hill"
    and "Mrs Hill"; but for those ``kept``.
    Who is ``close`` to somebody is called by a first name: Doreen is not Martha Doreen.
    """
    # "Mrs Quill" has no first name, so it must not count among the wholes of "Quill".
    titled = {name for name in names if is_title(name.partition(" ")[0]) and " " in name}
    of = _wholes(set(names) - titled)
    whole = {
        part: under
        for part, several in of.items() if len(several) == 1
        for under in several
        if not (part in close and under.endswith(f" {part}"))
    }  # fmt: skip
    for name in titled:
        rest = name.partition(" ")[2]
        if " " in rest and rest in names:  # "Mrs Nora Quill"
            whole[name] = rest
        elif rest in whole:  # "Dr Keane", of Aisling Keane
            whole[name] = whole[rest]
    alone = _wholes(titled - whole.keys())
    whole |= {
        part: next(iter(several))
        for part, several in alone.items()
        if len(several) == 1 and part not in of and not is_title(part)
    }
    for name in names:
        bare = name.removesuffix("s")
        # The plural of a word that is known is no possessive without its apostrophe.
        if bare != name and bare in names and not use_of(bare).known:
            whole[name] = whole.get(bare, bare)
    whole = {name: whole.get(under, under) for name, under in whole.items()}
    summed: dict[str, NameSigns] = {}
    for name, signs in names.items():
        shared = len(of.get(name, ())) > 1 or (name not in whole and len(alone.get(name, ())) > 1)
        if shared and name not in kept:
            continue
        under = whole.get(name, name)
        if under != name and name.endswith("s"):
            signs = signs.plus(NameSigns(faint=signs.plain and LIKELY))  # noqa: PLW2901
        if under != name and " " in under:  # each sight of a whole name is one of its parts
            once = names[under]
            signs = signs._replace(inside=max(0, signs.inside - once.inside))  # noqa: PLW2901
        summed[under] = summed.get(under, NameSigns()).plus(signs)
    return summed, whole


def _wholes(names: Iterable[str]) -> dict[str, set[str]]:
    """Return the names of several words that each word is part of."""
    of: defaultdict[str, set[str]] = defaultdict(set)
    for name in names:
        words = name.split()
        for part in words if len(words) > 1 else ():
            of[part].add(name)
    return of
