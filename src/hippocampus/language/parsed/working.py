"""Jobs that somebody gets, has or gives up: "landed a position at Bosch", "lost her job"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from hippocampus.core.records import Statement
from hippocampus.language.given_names import is_person
from hippocampus.language.noun_sorts import is_employer, is_work
from hippocampus.language.parsed.clauses import Aspect, Clause, child, children, object_of
from hippocampus.language.parsed.names import is_proper, words_of
from hippocampus.language.parsed.referents import FIRST, Referents

if TYPE_CHECKING:
    from spacy.tokens import Token

_JOBS: Final = frozenset(
    "job position post role gig placement internship apprenticeship work employment start".split()
)
_JOBBING: Final[Mapping[str, Aspect]] = {
    "have": "state", "hold": "state", "get": "began", "start": "began", "take": "began",
    "accept": "began", "land": "began", "find": "began", "begin": "began", "secure": "began",
    "obtain": "began", "win": "began", "give": "began", "lose": "ended", "quit": "ended",
    "leave": "ended",
}  # fmt: skip
"""Meaning of verbs before "a job"; they say little else."""
_REFUSING: Final = frozenset({"turn", "decline", "reject", "refuse"})
"""Verbs before "an offer"; "turn" with "down"."""
_FIRING: Final = {"fire": "", "sack": "", "lay": "off", "make": "redundant"}
"""Verbs by which somebody loses all work, each with the word that has to be beside it."""
_BESIDE: Final = frozenset({"another", "second", "third", "extra", "additional", "other"})
"""Of a job that ends no other."""
_OWN: Final = frozenset({"my", "our", "his", "her", "their"})


def tell_job(clause: Clause, referents: Referents) -> Iterator[Statement]:
    """Yield the job that somebody has, gets or gives up; notice given is a job still held."""
    verb, thing = clause.verb, child(clause.verb, "dobj")
    who = _whose(clause, referents)
    if thing is None and who is not None:
        yield from _put_out(clause, who)
    if thing is None or who is None:
        return
    if thing.lower_ == "notice" and clause.lemma in ("give", "hand"):
        place = _place(verb, None)
        if place is not None:
            yield Statement(who, "works_at", words_of(place, adjectives=True))
    if clause.lemma in _REFUSING and thing.lower_ in (*_JOBS, "offer"):
        place = _place(verb, thing) or object_of(thing, "from")
        refused = clause.lemma != "turn" or any(one.lower_ == "down" for one in verb.children)
        if place is not None and refused and clause.mode("began") == "began":
            yield Statement(who, "works_at", words_of(place, adjectives=True), "denied")
    aspect = _JOBBING.get(clause.lemma)
    before = {one.lower_ for one in thing.lefts}
    beside = aspect != "ended" and not before.isdisjoint(_BESIDE)
    # "Got a start at Globex" is a job; "had a slow start" is none.
    slow = thing.lower_ == "start" and (aspect == "state" or child(thing, "amod") is not None)
    if aspect is None or thing.lower_ not in _JOBS or beside or slow:
        return
    mode, role = clause.mode(aspect), object_of(verb, "as")
    place = _place(verb, role)
    if place is not None:
        yield Statement(who, "works_at", words_of(place, adjectives=True), mode)
    if role is not None and role.tag_ == "NN" and is_work(role.text):
        yield Statement(who, "works_as", words_of(role, adjectives=True), mode)
    elif place is None and mode == "ended" and _is_only(thing, mine=who == referents.speaker):
        yield Statement(who, "works_at", "", mode)


def _put_out(clause: Clause, who: str) -> Iterator[Statement]:
    """Yield that somebody works nowhere any more: "I retired", "she was laid off in May"."""
    verb = clause.verb
    particles = {one.lower_ for one in children(verb, "prt", "oprd", "advmod", "acomp")}
    fired = _FIRING.get(clause.lemma) in ({""} | particles) and child(verb, "auxpass") is not None
    # "From Bosch" is read by a frame; "to bed" is no work.
    named = any(object_of(verb, by) is not None for by in ("from", "by", "at", "to"))
    if (clause.lemma == "retire" or fired) and not named and clause.mode("ended") == "ended":
        yield Statement(who, "works_at", "", "ended")
        if not fired:
            yield Statement(who, "works_as", "", "ended")


def _whose(clause: Clause, referents: Referents) -> str | None:
    """Return the holder of a job: the one it is given to or found for, or else the subject."""
    verb = clause.verb
    given = child(verb, "dative")
    if given is not None and given.pos_ == "ADP":
        given = child(given, "pobj")
    if given is not None:
        return referents.entity(given)
    object_ = child(verb, "dobj")
    gave_up = object_ is not None and object_.lower_ == "notice"
    passive = child(verb, "auxpass") is not None
    return None if clause.lemma == "give" and not (passive or gave_up) else clause.who


def _place(verb: Token, role: Token | None) -> Token | None:
    """Return the place of a job: a company, or a bakery; it may hang on the role in the parse."""
    for preposition in ("at", "with", "in"):
        place = object_of(verb, preposition)
        if place is None and role is not None:
            place = object_of(role, preposition)
        # "A job with Tom" names a colleague.
        if place is None or is_person(place.text):
            continue
        employer = not is_proper(place) and place.tag_ == "NN" and is_employer(place.text)
        if employer or (is_proper(place) and preposition != "in"):
            return place
    return None


def _is_only(job: Token, *, mine: bool) -> bool:
    """Return whether a job is all the work of who is told of: "lost her job", no Saturday job."""
    whose = child(job, "poss")
    own = whose is not None and whose.lower_ in _OWN
    ours = whose is not None and whose.lower_ in ("my", "our")
    kind = child(job, "amod", "compound", "nmod") is not None
    return job.lower_ == "job" and own and ours == mine and not kind


def who_is_hired(clause: Clause, referents: Referents) -> str | None:
    """Return the person hired in "Siemens hired Ada"; None if that is nobody known."""
    hired = child(clause.verb, "dobj")
    if hired is None:
        return clause.who
    method = clause.lemma == "employ" and is_proper(hired) and not is_person(hired.text)
    return None if method else _known(hired, referents)


def _known(token: Token, referents: Referents) -> str | None:
    several = any(True for _ in children(token, "conj"))
    known = token.lower_ in FIRST or token.pos_ == "PRON" or is_proper(token)
    owned = child(token, "poss") is not None
    return referents.entity(token) if (known or owned) and not several else None
