"""Sorts of nouns by what WordNet has them a kind of: works, vehicles, food, employers, places."""

from __future__ import annotations

from typing import Final

from hippocampus.core.word_lists import word_set
from hippocampus.language.nouns import kinds, singular

_VEHICLES: Final = frozenset({"vehicle", "motor vehicle", "wheeled vehicle", "craft"})
_FOOD: Final = frozenset({"food", "foodstuff", "beverage", "meat", "nutriment", "solid food"})
_EMPLOYERS: Final = frozenset(
    {
        "social group", "organization", "institution", "establishment", "structure", "facility",
        "building", "workplace", "enterprise",
    }
)  # fmt: skip
_HIRING: Final = frozenset(
    {"workplace", "business", "medical building", "company", "agency", "startup"}
)
_STUDIES: Final = frozenset(
    {"course", "education", "class", "academic degree", "discipline", "teaching", "degree"}
)
_TEXTS: Final = frozenset(
    {
        "fiction",
        "writing",
        "literary composition",
        "message",
        "poem",
        "story",
        "script",
        "joke",
        "dialogue",
        "conversation",
        "talk",
    }
)
_LYING: Final = frozenset(
    {"artifact", "location", "institution", "organization", "geological formation", "land"}
)
_TIMES: Final = frozenset(
    {"time period", "day of the week", "time unit", "weekday", "calendar day"}
)


def _is_any(noun: str, sorts: frozenset[str]) -> bool:
    one = singular(noun.casefold())
    return not sorts.isdisjoint((one, *kinds(one)))


def is_work(noun: str) -> bool:
    """Return whether a noun says what somebody works as."""
    one = noun.casefold()
    known = one in word_set("occupations") or singular(one) in word_set("occupations")
    return known or (
        _is_any(noun, word_set("kinds_of_workers")) and one not in word_set("no_occupations")
    )


def is_someone(noun: str) -> bool:
    """Return whether a noun is of a person, by work, by kin or otherwise: "colleague"."""
    one = noun.casefold()
    return is_work(one) or singular(one) in word_set("kin") or "person" in kinds(singular(one))


def is_vehicle(noun: str) -> bool:
    """Return whether a noun is a vehicle's."""
    return _is_any(noun, _VEHICLES)


def is_food(noun: str) -> bool:
    """Return whether a noun is something to eat or to drink."""
    return _is_any(noun, _FOOD) or noun.casefold() in word_set("foods")


def is_eaten(noun: str) -> bool:
    """Return whether what somebody eats or drinks is a food: "fish", but no meal, and no words."""
    above = kinds(singular(noun.casefold()))
    return "meal" not in above and (is_food(noun) or "abstract entity" not in above)


def is_durable(noun: str) -> bool:
    """Return whether a noun is of something that one owns, who has it."""
    return _is_any(noun, word_set("durable_kinds"))


def is_somewhere(noun: str) -> bool:
    """Return whether a noun is of something that lies in a place; a word nobody knows may be."""
    above = kinds(singular(noun.casefold()))
    return not above or not _LYING.isdisjoint(above)


def is_body_part(noun: str) -> bool:
    """Return whether a noun is of a part of the body."""
    return "body part" in kinds(singular(noun.casefold()))


def is_employer(noun: str) -> bool:
    """Return whether a noun is of something that people work for, or in."""
    return _is_any(noun, _EMPLOYERS)


def is_hiring(noun: str) -> bool:
    """Return whether who joins what a noun is for works there: a firm, and no club."""
    return _is_any(noun, _HIRING) and not is_club(noun)


def is_club(name: str) -> bool:
    """Return whether a noun, or a name by its last word, is of a club, a team or the like."""
    last = name.casefold().rpartition(" ")[2]
    one = singular(last)
    if (
        not word_set("clubs").isdisjoint((last, one))
        or last.endswith(("gym", "club"))
        or last == "crossfit"
    ):
        return True
    # "Harriers" and "Lions" are who plays there; "Brothers" may be a firm.
    above = kinds(one)
    players = last != one and not {"person", "animal"}.isdisjoint(above)
    return players and "relative" not in above and not is_work(one)


def is_time(noun: str) -> bool:
    """Return whether a noun is a time's."""
    return _is_any(noun, _TIMES)


def is_study(noun: str) -> bool:
    """Return whether a noun is of something that people study."""
    # Degrees are mostly written short, and no dictionary has them all: "MBA", "B.Sc."
    return _is_any(noun, _STUDIES) or (len(noun) > 1 and (noun.isupper() or "." in noun))


def is_text(noun: str) -> bool:
    """Return whether a noun is of a text that somebody may be asked to write."""
    return _is_any(noun, _TEXTS)


def is_story(noun: str) -> bool:
    """Return whether a noun is of something in which made-up people do things: "an episode"."""
    one = noun.casefold()
    return not word_set("stories").isdisjoint((one, singular(one)))


def is_region(noun: str) -> bool:
    """Return whether a noun, or a name in lower case, is a place to live in: "porto"."""
    above = kinds(noun.casefold())
    return "location" in above or any("region" in kind for kind in above)
