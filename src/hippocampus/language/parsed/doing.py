"""Facts of doing: moved, works, bought, married, turned forty, is called."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from hippocampus.core.records import Mode, Statement
from hippocampus.core.word_lists import Patterns, word_set
from hippocampus.language.given_names import is_person
from hippocampus.language.noun_phrases import NOUN
from hippocampus.language.noun_sorts import (
    is_club,
    is_durable,
    is_employer,
    is_food,
    is_hiring,
    is_region,
    is_someone,
    is_study,
    is_vehicle,
    is_work,
)
from hippocampus.language.nouns import singular, use_of
from hippocampus.language.parsed.clauses import (
    SUBJECTS,
    Aspect,
    Clause,
    auxiliaries,
    child,
    children,
    is_choice,
    is_denied_of_all,
    joined,
    negation,
    object_of,
    thing_of,
)
from hippocampus.language.parsed.frames import VerbFrame, frames_of, named_behind
from hippocampus.language.parsed.habits import is_in_general, tell_eating, tell_unable
from hippocampus.language.parsed.kin import kin_of, tell_named
from hippocampus.language.parsed.losing import tell_loss
from hippocampus.language.parsed.names import is_proper, is_time, role_of, words_of
from hippocampus.language.parsed.referents import FIRST, Referents
from hippocampus.language.parsed.working import tell_job, who_is_hired
from hippocampus.language.relations import ALSO_CALLED, is_animal

if TYPE_CHECKING:
    from spacy.tokens import Token

_RE: Final = Patterns("parsed")
_HAVING: Final = frozenset({"have", "'ve", "ve", "get"})
_GETTING: Final = frozenset({"get", "adopt", "buy", "rescue", "pick", "foster", "take"})
_POINTING: Final = frozenset({"the", "this", "that", "these", "those"})
_SERVING: Final[Mapping[str, Aspect]] = {
    "take": "began", "start": "began", "begin": "began", "step": "began", "replace": "began",
    "work": "state", "act": "state", "serve": "state", "stop": "ended", "quit": "ended",
}  # fmt: skip
"""Meaning of verbs before "as my boss"; they say little else."""
_HOMES: Final = frozenset({"flat", "apartment", "house", "room", "bedsit", "studio", "bungalow"})
_NEEDS_NAME: Final = frozenset({"married_to", "partner", "doctor", "boss"})


def tell_doing(clause: Clause, referents: Referents) -> Iterator[Statement]:
    """Yield the statements of a clause with any verb but "be"; the first that fits."""
    for tell in (
        # Frames come last: they read any verb, and the others know better what theirs mean.
        tell_unable, _called, _serving, tell_job, _having, _getting, _giving, _turning,
        tell_eating, _parting, tell_loss, _framed,
    ):  # fmt: skip
        told = list(tell(clause, referents))
        if told:
            yield from told
            return


def _called(clause: Clause, referents: Referents) -> Iterator[Statement]:
    """Yield the names that somebody or something is called by, their own or others."""
    verb, subject = clause.verb, clause.subject
    if clause.lemma == "know" and subject is not None:
        yield from _known_as(clause, object_of(verb, "as"), referents)
    elif clause.lemma == "go":
        yield from _known_as(clause, object_of(verb, "by"), referents)
    elif clause.lemma in ("call", "name", "nickname"):
        passive = child(verb, "auxpass") is not None or verb.tag_ == "VBN"
        if passive and subject is not None:
            name = next((one for one in verb.children if one.i > verb.i and is_proper(one)), None)
            if name is not None:
                yield from tell_named(subject, name, negation(verb) or "holds", referents)
        elif not passive:
            yield from _nicknamed(clause, referents)


def _serving(clause: Clause, referents: Referents) -> Iterator[Statement]:
    """Yield the statement of "Ana took over from Tom as my boss": what she is to whom."""
    aspect = _SERVING.get(clause.lemma)
    role = object_of(clause.verb, "as")
    if aspect is None or role is None or clause.who is None or clause.who == referents.speaker:
        return
    relation, whose = kin_of(role), referents.owner(role)
    if relation is not None and whose is not None:
        yield Statement(whose, relation, clause.who, clause.mode(aspect), noun=role.lower_)


def _known_as(clause: Clause, name: Token | None, referents: Referents) -> Iterator[Statement]:
    subject = clause.subject
    if name is None or not is_proper(name):
        return
    who = clause.who or (referents.thing(subject) if subject is not None else None)
    if who is not None:
        yield Statement(who, ALSO_CALLED, words_of(name), clause.mode())


def _nicknamed(clause: Clause, referents: Referents) -> Iterator[Statement]:
    """Yield the statements of "friends call me Dot" and "we call the shed Atlantis"."""
    whom = child(clause.verb, "dobj")
    name = child(clause.verb, "oprd", "xcomp", "ccomp")
    if name is None and whom is not None and whom.i + 1 < len(whom.doc):
        name = whom.nbor()
    if whom is None or clause.subject is None or (whom.pos_ == "NOUN" and kin_of(whom)):
        return  # "We call our son Fred" is of kin
    if name is not None and (is_proper(name) or (whom.lower_ == "me" and name.text.istitle())):
        thing = referents.speaker if whom.lower_ in ("me", "us") else referents.thing(whom)
        if whom.lower_ in ("him", "her"):
            meant = referents.entity(whom)
            thing = None if meant == clause.who else meant
        if thing is not None:
            yield Statement(thing, ALSO_CALLED, words_of(name))
    elif is_proper(whom):  # "the garden shed Atlantis" taken for one name
        first = child(whom, "compound")
        if first is not None and first.pos_ == "NOUN":
            start = min(part.i for part in first.subtree)
            yield Statement(whom.doc[start : first.i + 1].text, ALSO_CALLED, whom.text)


def _having(clause: Clause, referents: Referents) -> Iterator[Statement]:
    """Yield the statements of "I have a son called Emil", "a boat" and "a nut allergy"."""
    who, thing = clause.who, child(clause.verb, "dobj")
    # "Got" alone says how one came by it, and is read below.
    has = clause.lemma != "get" or auxiliaries(clause.verb) & {"have", "has", "'ve", "'s"}
    if clause.lemma not in _HAVING or who is None or thing is None or not has:
        return
    if auxiliaries(clause.verb) & {"can", "ca"}:  # who can have a dog, or not, may have one
        return
    # "Have got" is of the present, though it is a perfect by its form.
    mode = "holds" if clause.lemma == "get" else clause.mode()
    if kin_of(thing) is not None:
        for one in _beings(thing, referents):
            yield from _having_kin(who, one, mode, referents)
    elif thing.lemma_.lower() == "allergy":
        for what in _allergens(clause.verb, thing):
            yield Statement(who, "allergic_to", what, mode)
    # Who has "Tom's boat" does not own it.
    elif is_durable(thing.text) and child(thing, "poss") is None:
        yield Statement(who, "owns", words_of(thing), mode)


def _having_kin(who: str, noun: Token, mode: Mode, referents: Referents) -> Iterator[Statement]:
    """Yield that somebody has a son, or a dog: by its name, if that is told."""
    relation, name = kin_of(noun), referents.called(noun)
    if relation is None:
        return
    if relation == "child" and mode == "held":
        mode = "began"  # "had a boy on Friday"
    if name is not None:
        for one in referents.names(name):
            yield Statement(who, relation, one, mode, noun=noun.lower_)
    elif mode in ("ended", "denied"):
        yield Statement(who, relation, "", "ended", noun=noun.lower_)
    else:
        referents.unnamed = Statement(who, relation, "", mode, noun=noun.lower_)


def _beings(noun: Token, referents: Referents) -> Iterator[Token]:
    """Yield a noun of kin or an animal and those in its list: a son may hang on another's name."""
    yield noun
    name = referents.called(noun)
    for above in (noun, name):
        for one in () if above is None else children(above, "conj", "appos"):
            if kin_of(one) is not None and not is_proper(one) and child(one, "poss") is None:
                yield from _beings(one, referents)


def _allergens(verb: Token, allergy: Token) -> Iterator[str]:
    """Yield the things that an allergy is to: "a nut allergy", "an allergy to nuts and milk"."""
    for one in children(allergy, "compound", "nmod", "amod"):
        if one.dep_ != "amod" or use_of(one.lower_).noun >= NOUN:
            yield one.text
    to = object_of(allergy, "to") or object_of(verb, "to")
    for one in () if to is None else joined(to):
        yield words_of(one)


def _getting(clause: Clause, referents: Referents) -> Iterator[Statement]:
    """Yield the animal or vehicle that somebody got."""
    who, thing = clause.who, child(clause.verb, "dobj")
    if clause.lemma not in _GETTING or who is None or thing is None or _is_for_another(clause.verb):
        return
    mode = clause.mode("began")
    if is_animal(thing.lower_):
        name = referents.called(thing)
        if name is not None:
            yield Statement(who, "pet", words_of(name), mode, noun=thing.lower_)
        else:
            referents.unnamed = Statement(who, "pet", "", mode, noun=thing.lower_)
    # "Took the train" is a journey.
    elif is_vehicle(thing.text) and clause.lemma != "take" and child(thing, "poss") is None:
        named = child(thing, "appos")
        yield Statement(
            who, "owns", words_of(named if named is not None and is_proper(named) else thing), mode
        )


def _giving(clause: Clause, referents: Referents) -> Iterator[Statement]:
    """Yield the thing that somebody gave away: "gave the Skoda to Tom", "donated the van"."""
    verb, who, thing = clause.verb, clause.who, thing_of(clause.verb)
    first = child(verb, "dobj")
    whom = child(verb, "dative") or (first if first != thing else object_of(verb, "to"))
    whom = child(whom, "pobj") if whom is not None and whom.pos_ == "ADP" else whom
    away = any(one.lower_ == "away" for one in verb.children)
    away |= whom is not None and (is_proper(whom) or whom.pos_ == "PRON" or is_someone(whom.text))
    given = clause.lemma == "donate" or (clause.lemma == "give" and away)
    lent = object_of(verb, "for") is not None  # "for the weekend"
    if not given or lent or who is None or thing is None:
        return
    lasting = thing.text[0].isupper() or is_durable(thing.text) or is_vehicle(thing.text)
    if lasting and (_is_pointed_at(thing) or _is_own(thing, who, referents)):
        yield Statement(who, "owns", words_of(thing), clause.mode("ended"))


def _is_pointed_at(thing: Token) -> bool:
    return any(one.lower_ == "the" for one in children(thing, "det"))


def _is_own(thing: Token, who: str, referents: Referents) -> bool:
    """Return whether a thing is said to be of somebody: "my van" of who is "I"."""
    return child(thing, "poss") is not None and referents.owner(thing) == who


def _turning(clause: Clause, _: Referents) -> Iterator[Statement]:
    """Yield the statement of "Emil turned 5"."""
    if clause.lemma == "turn" and clause.who is not None:
        for one in clause.verb.children:
            if one.pos_ == "NUM" and one.like_num:
                yield Statement(clause.who, "age", one.text, clause.mode("began"))


def _parting(clause: Clause, referents: Referents) -> Iterator[Statement]:
    """Yield partners, new and former: "Tom and I broke up", "got married"."""
    verb, subject = clause.verb, clause.subject
    if subject is None:
        return
    got = child(verb, "acomp", "xcomp") or verb
    relation, mode = _parted(clause, got)
    if relation is None:
        return
    among = list(joined(subject))
    others = [one for one in among if is_proper(one)]
    other = object_of(verb, "with") or object_of(verb, "from") or object_of(got, "to")
    if other is not None and other.lower_ in ("me", "us") and len(among) == 1 == len(others):
        yield Statement(referents.speaker, relation, words_of(others[0]), mode)
    elif other is not None and is_proper(other):
        others.append(other)
        if len(among) == 1 and clause.who is not None:
            yield Statement(clause.who, relation, words_of(other), mode)
            return
    if len(among) == 2 == len(others) and not is_denied_of_all(subject):
        yield Statement(words_of(others[0]), relation, words_of(others[1]), mode)
    elif any(one.lower_ in FIRST for one in among):
        for one in others:
            yield Statement(referents.speaker, relation, words_of(one), mode)


def _parted(clause: Clause, got: Token) -> tuple[str | None, Mode]:
    """Return the relation of a clause that joins or parts people, and its mode; None of others."""
    verb, relation, mode = clause.verb, None, clause.mode("ended")
    if clause.lemma in ("marry", "hitch", "engage") or (
        clause.lemma == "get" and got.lower_ in ("married", "hitched", "engaged")
    ):
        engaged = any(one.lower_ == "engaged" for one in (verb, *verb.children))
        relation = "partner" if engaged else "married_to"
        mode = clause.mode("state" if clause.lemma == "engage" else "began")
    elif clause.lemma in ("date", "court") and child(verb, "dobj") is None:
        relation, mode = "partner", clause.mode("state")
    elif clause.lemma in ("split", "break") and any(one.lower_ == "up" for one in verb.children):
        relation = "partner"
    elif clause.lemma in ("stop", "quit") and (being := child(verb, "xcomp")) is not None:
        what = child(being, "attr") if being.lemma_.lower() == "be" else None
        relation = kin_of(what) if what is not None else None
    return relation, mode


def _framed(clause: Clause, referents: Referents) -> Iterator[Statement]:
    """Yield the statements of the first frame of a verb that is filled."""
    done = set()
    for frame, other in frames_of(clause.verb):
        if (frame.relation, frame.aspect) not in done:
            told = list(_by_frame(clause, frame, other, referents))
            done |= {(frame.relation, frame.aspect)} if told else set()
            yield from told


def _by_frame(
    clause: Clause, frame: VerbFrame, other: Token, referents: Referents
) -> Iterator[Statement]:
    relation, who = frame.relation, clause.who
    registered = relation == "doctor" and child(clause.verb, "auxpass") is not None
    mode = clause.mode("state" if registered else frame.aspect)
    if clause.lemma in word_set("appointing_verbs") and relation in ("works_at", "works_as"):
        who = who_is_hired(clause, referents)
    # "Can" tells what one is able to do, which is a fact of languages alone.
    if auxiliaries(clause.verb) & {"can", "ca"} and relation != "speaks":
        return
    if relation == "lives_in":
        if mode == "denied" or not is_choice(other):
            yield from _living(clause, other, mode, referents)
        return
    got = relation == "owns" and frame.aspect != "ended"
    if who is None or (got and _is_for_another(clause.verb)):
        return  # what is bought for somebody is theirs
    thing = clause.subject is not None and _is_thing(clause.subject)
    if thing and who != referents.speaker and relation in ("works_at", "works_as", "studies_at"):
        return  # "her school starts at nine"
    # Of "Shell or BP", "Isla or Martha", nobody knows which; who speaks one or the other does both.
    if mode != "denied" and is_proper(other) and is_choice(other) and relation != "speaks":
        return
    others = [other] if relation in ("works_at", "studies_at") else _all(clause, frame, other)
    for one in others:
        found = _fitting(clause, frame, one, referents)
        if found is not None:
            # "Doesn't speak only Danish" denies the "only".
            only = relation == "speaks" and any(way.lower_ == "only" for way in one.children)
            yield Statement(who, found[0], found[1], "holds" if only else mode)
            if frame.relation == "works_as":
                yield from _at_work(who, one, mode)
            there = object_of(one, "in") or object_of(clause.verb, "in")
            place = there if relation == "owns" and mode == "holds" else None
            if place is not None and is_proper(place):
                yield Statement(words_of(one), "located_in", words_of(place))


def _is_for_another(verb: Token) -> bool:
    """Return whether something is got for another: "bought Tom a bike"; not for "myself"."""
    first = child(verb, "dobj")
    whom = child(verb, "dative") or (first if first != thing_of(verb) else None)
    whom = whom or (named_behind(verb) if first is not None else None)
    return whom is not None and not whom.lower_.endswith(("self", "selves"))


def _at_work(who: str, role: Token, mode: Mode) -> Iterator[Statement]:
    """Yield the employer that hangs on somebody's role: "a designer at Bosch"."""
    for preposition in ("at", "for", "with"):
        place = object_of(role, preposition)
        if place is not None and is_proper(place) and not is_person(words_of(place)):
            yield Statement(who, "works_at", words_of(place, adjectives=True), mode)
            return


def _all(clause: Clause, frame: VerbFrame, other: Token) -> Iterator[Token]:
    """Yield the nouns joined to the other side, by the parse or by their looks."""
    yield from joined(other)
    if frame.slot == "obj":
        for one in children(clause.verb, "conj"):
            if one.pos_ in ("NOUN", "PROPN"):
                yield one


def _living(clause: Clause, place: Token, mode: Mode, referents: Referents) -> Iterator[Statement]:
    """Yield the place where somebody lives, or where a thing is or moves."""
    # Who moves something to a place need not move there.
    moved = child(clause.verb, "dobj")
    moves = clause.lemma not in ("live", "rent") and moved is not None
    stay = object_of(clause.verb, "for")
    moves |= stay is not None and singular(stay.lower_) in word_set("brief_stays")
    if moves or is_time(place) or (clause.lemma == "rent" and not _is_home(clause, moved, mode)):
        return
    pointed = any(one.lower_ in ("this", "that") for one in children(place, "det"))
    street = place.lower_ in word_set("streets") and child(place, "compound") is not None
    inner = object_of(place, "in") or object_of(place, "at")  # "in a flat in Leith"
    if inner is not None and is_proper(inner) and not (is_proper(place) or street):
        place = inner
    elif pointed or not (is_proper(place) or is_region(place.text) or street):
        return
    subject = clause.subject
    if subject is not None and _is_thing(subject):
        called = referents.called(subject)
        name = referents.thing(subject) if called is None else words_of(called)
        if name is not None:
            yield Statement(name, "located_in", words_of(place), mode)
    elif clause.who is not None:
        yield Statement(clause.who, "lives_in", words_of(place), mode)


def _is_home(clause: Clause, rented: Token | None, mode: Mode) -> bool:
    """Return whether who rents lives there: no cottage for a week, no car, and none to others."""
    if _is_let(clause.verb):
        return False
    place = object_of(clause.verb, "at")
    behind = rented is not None and place is not None and rented.i > place.i  # "at 3 Ash Hill, ..."
    home = (
        rented is None or behind
        or (rented.lower_ in _HOMES and child(rented, "poss") is None)
    )  # fmt: skip
    return home and mode == "holds" and object_of(clause.verb, "for") is None


def _is_let(verb: Token) -> bool:
    """Return whether a home is rented to others: "out", "to students", "on Airbnb"."""
    let = any(one.lower_ == "out" for one in children(verb, "prt", "advmod"))
    on = object_of(verb, "on")
    to = any(
        one.lower_ == "to"
        and one.dep_ in ("prep", "dative")
        and one.head.pos_ not in ("ADJ", "ADV")
        for one in verb.subtree
    )
    return let or to or (on is not None and on.lower_ not in word_set("streets"))


def _is_thing(subject: Token) -> bool:
    """Return whether a subject is a noun of nobody: "the shed", "her school"."""
    noun = subject.pos_ == "NOUN" and not is_proper(subject)
    return noun and kin_of(subject) is None and not is_someone(subject.text)


def _fitting(
    clause: Clause, frame: VerbFrame, other: Token, referents: Referents
) -> tuple[str, str] | None:
    """Return the relation and the thing that a frame states, if the thing is of its sort."""
    relation, named, free = frame.relation, is_proper(other), child(other, "poss") is None
    if relation == "owns" and frame.aspect == "ended" and clause.who is not None:
        kept = clause.mode("ended") == "holds"  # of "I'm going to sell candles" none is mine yet
        free = (free and _is_pointed_at(other)) if kept else free
        free |= _is_own(other, clause.who, referents)
        if frame.slot == "of":  # "got rid of my cold"
            free &= named or is_durable(other.text) or is_vehicle(other.text)
    if relation in ("works_at", "studies_at"):
        colleague = frame.slot in ("with", "by") and is_person(other.text)
        return None if colleague else _institution(frame, other, clause)
    if relation == "speaks":
        return _language(other)
    if relation == "doctor" and clause.lemma != "register" and not _is_doctor(other):
        return None
    if relation in _NEEDS_NAME:
        name = referents.called(other) or (other if named else None)
        return (relation, words_of(name)) if name is not None else None
    if relation == "works_as":
        return (relation, role_of(other)) if is_work(other.text) else None
    return _thing(relation, other) if free and _is_noun(other) else None


def _is_doctor(other: Token) -> bool:
    """Return whether a noun or a name is said to be a doctor's: one may sign up with anybody."""
    return kin_of(other) == "doctor" or words_of(other).startswith("Dr")


def _is_noun(other: Token) -> bool:
    """Return whether the other side is a noun, or stands as one: a rare noun, a pastime."""
    if other.pos_ in ("NOUN", "PROPN") or other.dep_ == "xcomp":
        return True
    # A rare noun is tagged as a verb, and stands as an object all the same.
    alone = child(other, "aux", "dobj", "prep", "prt", *SUBJECTS) is None
    bare = other.dep_ == "dobj" and other.tag_ == "VB" and child(other, "aux") is None
    return bare or (other.dep_ in ("dobj", "conj") and other.tag_ == "VBG" and alone)


def _thing(relation: str, other: Token) -> tuple[str, str] | None:
    """Return the thing liked, eaten, owned or driven; a bare name may be a company."""
    named = is_proper(other)
    if relation == "diet":
        fits = is_food(other.text) and is_in_general(other)
        return (relation, words_of(other, adjectives=True)) if fits else None
    if relation in ("likes", "dislikes"):
        pointed = child(other, "det")
        if pointed is not None and pointed.lower_ in _POINTING:
            return None
    branded = any(is_proper(one) for one in children(other, "compound", "nmod"))
    brand = (named or branded) and not _is_route(other)
    if relation == "drives" and not (is_vehicle(other.text) or brand):
        return None
    if relation == "owns" and named and child(other, "det", "nummod", "poss") is None:
        return None
    return relation, words_of(other, adjectives=relation in ("likes", "dislikes"))


def _is_route(other: Token) -> bool:
    """Return whether what is driven is a way between places: "the Leeds run", "the M62"."""
    if any(one.lower_ in ("a", "an") for one in children(other, "det")):
        return False
    whither = object_of(other.head, "to")
    names = [other, *children(other, "compound", "nmod"), *([whither] if whither else [])]
    return any(is_region(one.text) or _RE.road.fullmatch(one.text) for one in names)


def _language(other: Token) -> tuple[str, str] | None:
    if other.lower_ in ("word", "bit", "lot", "little"):
        of = next((one for one in children(other, "prep") if one.lower_ == "of"), None)
        inner = child(of, "pobj") if of is not None else None
        other = other if inner is None else inner
    spoken = other.text[:1].isupper() and other.pos_ in ("PROPN", "NOUN", "ADJ")
    return ("speaks", other.text) if spoken else None


def _institution(frame: VerbFrame, other: Token, clause: Clause) -> tuple[str, str] | None:
    """Return the employer, or the school of a student; leaving one may be moving."""
    named = is_proper(other)
    if clause.lemma == "do":
        subject = child(clause.verb, "dobj")
        if subject is None or not is_study(subject.text) or not named:
            return None
    employer = other.tag_ == "NN" and is_employer(other.text) and frame.slot != "with"
    if not named and not employer:
        return None
    if clause.lemma == "join" and not _is_joined_to_work(clause.verb, other):
        return None
    if frame.slot == "obj" and frame.aspect == "ended":
        if child(other, "poss") is not None or not named:
            return None
        if is_region(other.text) and child(other, "det") is None:
            return "lives_in", words_of(other)
    name = words_of(other, adjectives=True)
    teaches = clause.lemma in ("work", "teach", "employ")
    whole = other.doc[other.left_edge.i : other.right_edge.i + 1].text
    school = _RE.school.search(whole) is not None and not teaches
    return ("studies_at" if school else frame.relation), name


def _is_joined_to_work(verb: Token, other: Token) -> bool:
    """Return whether who joins something works for it: a firm, or anything "as a medic"."""
    role = object_of(verb, "as") or object_of(other, "as")
    if role is not None and is_work(role.text):
        return True
    explained = any(is_club(one.text) for one in children(other, "appos"))
    if is_proper(other):
        return not explained and not is_club(words_of(other))
    return is_hiring(other.text)
