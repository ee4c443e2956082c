"""Frames of verbs: which relation "moved to" states, between its subject and what follows it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, cast, get_args

from hippocampus.core.word_lists import word_list
from hippocampus.language.parsed.clauses import SUBJECTS, Aspect, child, object_of, thing_of
from hippocampus.language.parsed.names import is_proper, is_time

if TYPE_CHECKING:
    from spacy.tokens import Token


class VerbFrame(NamedTuple):
    """
    One way in which a verb says a relation.

    ``slot``: the preposition before the other side, or "obj"; ``particle``: "off" of "lay off".
    """

    relation: str
    aspect: Aspect
    slot: str
    particle: str


@cache
def _frames() -> Mapping[str, tuple[VerbFrame, ...]]:
    """Return the frames of ``words/verb_frames.txt`` by lemma."""
    found: defaultdict[str, list[VerbFrame]] = defaultdict(list)
    for entry in word_list("verb_frames"):
        how, _, verbs = entry.partition(": ")
        relation, aspect, slot = how.split()
        if aspect not in get_args(Aspect):
            raise ValueError(f"verb_frames.txt: {aspect!r} is none of {get_args(Aspect)}")
        for verb in verbs.split():
            lemma, _, particle = verb.partition("-")
            found[lemma].append(VerbFrame(relation, cast("Aspect", aspect), slot, particle))
    return {
        # With a particle first: "lay off" is not what "lay" is.
        lemma: tuple(sorted(of, key=lambda frame: not frame.particle))
        for lemma, of in found.items()
    }


def frames_by_lemma(lemma: str) -> tuple[VerbFrame, ...]:
    """Return the frames of a verb; none of one that says no relation."""
    return _frames().get(lemma, ())


def framing_verbs() -> frozenset[str]:
    """Return the lemmas that have a frame."""
    return frozenset(_frames())


def _pastime(verb: Token, frame: VerbFrame) -> Token | None:
    """Return the pastime that somebody likes or not, if it is one word: "I enjoy gardening"."""
    done = child(verb, "xcomp") if frame.relation in ("likes", "dislikes") else None
    # A participle, or a noun that ends as one.
    going = done is not None and done.lower_.endswith("ing") and done.tag_ in ("VBG", "NN")
    more = ("dobj", "prep", "prt", "xcomp", "ccomp")
    return done if done is not None and going and child(done, *more) is None else None


def named_behind(verb: Token) -> Token | None:
    """Return a name right behind a verb that the parse takes for a time: "I'm dating Leo"."""
    other = child(verb, "npadvmod")
    named = other is not None and other.i == verb.i + 1 and is_proper(other) and not is_time(other)
    return other if named else None


def _last_of(verb: Token) -> Token:
    """Return the last of verbs that share what follows: "work" of "I live and work in Graz"."""
    after = child(verb, "conj")
    bare = child(verb, "dobj", "prep", "prt", "advmod", "acomp", "xcomp") is None
    shares = after is not None and after.tag_ == verb.tag_ and child(after, *SUBJECTS) is None
    return _last_of(after) if after is not None and bare and shares else verb


def frames_of(verb: Token) -> Iterator[tuple[VerbFrame, Token]]:
    """Yield the frames that a verb fills, each with the token on its other side."""
    for frame in frames_by_lemma(verb.lemma_.lower()):
        if frame.particle and all(one.lower_ != frame.particle for one in verb.children):
            continue
        if frame.slot == "obj":
            other = thing_of(verb) or child(verb, "attr", "oprd")
            other = other or named_behind(verb) or _pastime(verb, frame)
        else:
            other = object_of(_last_of(verb), frame.slot)
            beside = object_of(verb, "with") if other is None and frame.particle else None
            if beside is not None:  # "moved in with Ada at Larch Grove"
                other = object_of(beside, frame.slot)
        if other is None and frame.slot == "by" and child(verb, "dobj") is not None:
            other = child(verb, *SUBJECTS)  # "Siemens hired Ada" says what its passive says
        if other is not None:
            yield frame, other
