"""
Entity linking: names that mean one person or thing, "Mel" and "Melanie", "Ana" and "Mel's sister".

Two names are taken for one only where something says so and nothing else could be meant: two people
made one are worse than one person under two names. Every merge says why.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache
from typing import Final, NamedTuple

from hippocampus.core.records import Statement
from hippocampus.core.word_lists import word_set
from hippocampus.language.relations import ALSO_CALLED

_SHORTEST: Final = 3
"""Letters of a name that may be short for another: two are initials, or words of their own."""


class Same(NamedTuple):
    """The name that another one is taken for, and why."""

    name: str
    why: str


@lru_cache(maxsize=1 << 14)  # few people are spoken of again and again
def fold_name(name: str) -> str:
    """Return a name without what may differ: case, a possessive, spaces, full stops, "&"."""
    written = name.casefold().replace("’", "'").replace(".", " ").replace("&", " and ")
    bare = " ".join(written.split())
    return bare.removesuffix("'s")


def resolve(statements: Iterable[Statement], speakers: Collection[str]) -> dict[str, Same]:
    """
    Return the entity of each folded name; names that are their own entity are left out.

    Args:
        statements: whose subjects are taken for persons, as are those they name as kin.
        speakers: who takes part; they never mean each other.

    """
    statements = list(statements)
    people = {fold_name(name): name for name in speakers}
    named = set(people)
    owned: defaultdict[str, set[str]] = defaultdict(set)
    calls: defaultdict[str, dict[str, Same]] = defaultdict(dict)
    for said in statements:
        if said.relation == ALSO_CALLED:  # a thing, mostly, and no person's full name
            if said.mode == "holds" and said.object and fold_name(said.object) not in named:
                own = Same(said.subject, f"said to be called {said.object!r}")
                calls[fold_name(said.object)][fold_name(said.subject)] = own
            continue
        people.setdefault(fold_name(said.subject), said.subject)
        if said.mode == "denied" or not said.object:
            continue  # that Ana is not her sister says nothing of who is
        if said.relation == "name":
            own = Same(said.subject, f"said to be {said.object!r}")
            calls[fold_name(said.object)][fold_name(said.subject)] = own
        elif said.word in word_set("kin"):
            people.setdefault(fold_name(said.object), said.object)
            owned[fold_name(f"{said.subject}'s {said.word}")].add(said.object)
    given = {
        name: next(iter(who.values()))
        for name, who in calls.items()
        # Of two who go by one name nobody knows which is meant.
        if len(who) == 1 and not (name in named and named.issuperset(who))
    }
    same: dict[str, Same] = {}
    for folded in people:
        if folded in named:
            continue
        known = (
            given.pop(folded, None)
            or _possessed(folded, owned)
            or _shortened(folded, people, named)
        )
        if known is not None and fold_name(known.name) != folded and "'s " not in known.name:
            same[folded] = known
    same |= {name: other for name, other in given.items() if fold_name(other.name) != name}
    return {name: Same(_last(name, same), why) for name, (_, why) in same.items()}


def canonical_name(name: str, same: Mapping[str, Same]) -> str:
    """Return the name by which somebody is known, whichever of theirs is given."""
    known = same.get(fold_name(name)) if same else None
    return name.removesuffix("'s") if known is None else known.name


def _last(name: str, same: Mapping[str, Same]) -> str:
    """Follow a name to the last one it means; in a circle, to where the circle began."""
    seen = {name}
    at = same[name].name
    while (folded := fold_name(at)) in same and folded not in seen:
        seen.add(folded)
        at = same[folded].name
    return at


def _possessed(name: str, owned: Mapping[str, Collection[str]]) -> Same | None:
    """Return the entity of "Mel's sister", if only one was ever named."""
    called = owned.get(name, ())
    whole = [
        one for one in called
        if not any(_abbreviates(fold_name(one).split(), fold_name(o).split()) for o in called)
    ]  # fmt: skip
    # "Tom" and "Tom Lund" are one person, named in two ways.
    return Same(whole[0], "the only one so called") if len(whole) == 1 else None


def _shortened(name: str, people: Mapping[str, str], speakers: Collection[str]) -> Same | None:
    """Return the only person whose full name a first name, initials or a short form may be."""
    words = name.split()
    if "'s" in name:
        return None
    full = [
        other for other in people
        if other != name and "'s" not in other and len(other.split()) >= len(words)
        and not _is_one_of_several(other)
        and _abbreviates(words, other.split())
    ]  # fmt: skip
    if len(full) == 1:
        return Same(people[full[0]], "the only full name it may be part of")
    heard = [
        other for other in speakers
        if len(words) == 1 and len(name) >= _SHORTEST
        and other.startswith(name) and len(other) > len(name) + 1  # "Ann" is not "Anna"
    ]  # fmt: skip
    if len(heard) == 1 and not full:
        return Same(people[heard[0]], "short for the only speaker whose name begins so")
    return None


def _is_one_of_several(name: str) -> bool:
    """Return whether a name says which of its bearers is meant: "Noah from work"."""
    return not {"from", "at"}.isdisjoint(name.split())


def _abbreviates(words: list[str], full: list[str]) -> bool:
    """Return whether words are a first name of a full one, or initials with its last name."""
    if len(words) == 1:
        return len(full) > 1 and words[0] == full[0]
    return (
        words != full
        and words[-1] == full[-1]
        and len(words[0]) == 1
        and full[0].startswith(words[0])
    )
