"""Words for the steps of a sleep, in plain English; programs get names and counts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final


def purpose_of(step: str) -> str:
    """Return the purpose of a step of sleep; empty for a step that is not known."""
    return _purposes().get(step, "")


def count_in_words(step: str, what: str, n: int) -> str:
    """Return the count of a step in words: "2 memories merged into another"."""
    noun, verb = _noun_and_verb(step, what)
    nouns = noun if n == 1 or not noun else _PLURALS.get(noun, f"{noun}s")
    return " ".join(filter(None, (f"{n:,}", nouns, verb)))


def act_in_words(act: str) -> str:
    """Return the act on a memory, as an imperative."""
    return _ACTS.get(act, act)


def level_in_words(level: int | str) -> str:
    """Return a level of detail with what is left of a memory there."""
    left = _LEFT.get(str(level))
    return f"level {level} ({left})" if left else f"level {level}"


@cache
def _purposes() -> Mapping[str, str]:
    return {
        "vectors": "embeddings that are missing",
        "phrases": "noun phrases",
        "validate": "quarantine of implausible memories",
        "reconsolidate": "corrections and additions soon after a recall",
        "deduplicate": "merging repetitions",
        "forget": "fading, as the policy has it",
        "gists": "essences of several memories",
        "facts": "statements about people and things",
        "concepts": "the concept index",
        "topics": "tags from broad to narrow",
        "summary": "the running summary",
        "partitions": "of the vector index",
    }


@cache
def _words_of_counts() -> Mapping[str, tuple[str, str]]:
    """Return noun and verb of what is counted: by step and name, or by name in every step."""
    return {
        "vectors episodes": ("memory", "embedded"),
        "phrases episodes": ("memory", "read"),
        "quarantined": ("memory", "put in quarantine"),
        "cleared": ("memory", "released from quarantine"),
        "corrected": ("memory", "linked to a correction"),
        "elaborated": ("memory", "linked to an addition"),
        "merged": ("memory", "merged into another"),
        "lapsed": ("memory", "hidden"),
        "gists promoted": ("memory", "promoted to long-term memory"),
        "gists gists": ("gist", ""),
        "gists made": ("new gist", ""),
        "by a model": ("", "by a model"),
        "facts statements": ("statement", ""),
        "facts episodes read": ("memory", "read"),
        "anchors": ("anchor", ""),
        "entries": ("posting", ""),
        "found": ("new anchor", ""),
        "pruned": ("anchor", "given up"),
        "promotable": ("anchor", "worth keeping"),
        "groups read": ("stretch of talk", "read"),
        "tags": ("tag", ""),
        "relations": ("link between tags", ""),
        "refused": ("link", "refused, as it would close a circle"),
        "versions": ("version", ""),
        "summary made": ("new version", ""),
        "partitions": ("partition", ""),
        "partitions episodes": ("memory", "placed"),
    }


_PLURALS: Final[Mapping[str, str]] = {
    "memory": "memories",
    "stretch of talk": "stretches of talk",
    "link between tags": "links between tags",
}
_LEFT: Final[Mapping[str, str]] = {
    "1": "without ornament",
    "2": "half the tokens",
    "3": "a quarter of the tokens",
    "4": "keywords",
}
_ACTS: Final[Mapping[str, str]] = {
    "lapse": "hide",
    "doubt": "quarantine",
    "clear": "release from quarantine",
    "annotate": "link",
}
"""The words of acts for people, where programs know them by others."""


def _noun_and_verb(step: str, what: str) -> tuple[str, str]:
    """Return the words of what a step counts; those of a later version are as they are."""
    faded, _, level = what.rpartition(" ")
    if faded == "faded to level":
        return "memory", f"faded to {level_in_words(level)}"
    words = _words_of_counts()
    return words.get(f"{step} {what}") or words.get(what) or ("", what)
