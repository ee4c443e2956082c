"""Facts of being: owner, kind, profession, age and place of somebody or something."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from hippocampus.core.records import Mode, Statement
from hippocampus.core.word_lists import Patterns, word_set
from hippocampus.language.noun_sorts import is_food, is_somewhere, is_time, is_work
from hippocampus.language.parsed.clauses import SUBJECTS, Clause, child, children, joined
from hippocampus.language.parsed.kin import is_made_up, is_over, is_played, kin_of, tell_named
from hippocampus.language.parsed.names import is_date, is_proper, role_of, words_of
from hippocampus.language.parsed.referents import FIRST, Referents
from hippocampus.language.relations import FORMER_WORK

if TYPE_CHECKING:
    from spacy.tokens import Span, Token

_RE: Final = Patterns("parsed")
_OLDEST: Final = 120
"""Years of an age: hardly anybody is older, and a larger number behind "is" is none."""
_YEAR: Final = 4
"""Digits of a year, which tells a time as a month does."""
_FOND: Final = frozenset({"fan", "keen", "fond", "into", "mad", "crazy"})
_INVERSE: Final = {
    "child": "parent", "parent": "child", "sibling": "sibling", "friend": "friend",
    "married_to": "married_to", "partner": "partner",
}  # fmt: skip
"""Inverse of each relation: of a child the parent, and so on."""
_SPOKEN_OF: Final = frozenset({"it", "them", "that", "this", "those", "these", "one"})
"""Words for things that were spoken of before."""
_ALLERGIC: Final = frozenset({"allergic", "alergic"})


def tell_being(clause: Clause, referents: Referents) -> Iterator[Statement]:
    """Yield the statements of a clause with "be"."""
    subject, what = clause.subject, _complement(clause.verb)
    if subject is not None and what is not None:
        yield from _named(clause, subject, what, referents)
        if what.lower_ in ("tongue", "language") and (who := referents.owner(what)) is not None:
            yield Statement(who, "speaks", words_of(subject), clause.mode())
    if what is not None:
        yield from _kin(clause, what, referents)
        if clause.who is not None and (subject is None or _is_person(subject)):
            yield from _work(clause, what)
            yield from _traits(clause, what, clause.who, referents)
        # "It's soya" tells of an allergy only where one is spoken of.
        if _RE.allergy.search(clause.verb.sent.text):
            yield from _found_allergic(clause, what, referents)
    if subject is not None:
        yield from _together(clause, subject, referents)
    for preposition in children(clause.verb, "prep"):
        place = child(preposition, "pobj")
        if place is not None:
            yield from _where(clause, preposition.lower_, place, referents)


def _together(clause: Clause, subject: Token, referents: Referents) -> Iterator[Statement]:
    """Yield the statement of "I and Ada are together"."""
    if not any(one.lower_ == "together" for one in children(clause.verb, "advmod", "acomp")):
        return
    among = list(joined(subject))
    names = [one for one in among if is_proper(one)]
    if len(among) == 2 and len(names) == 1 and any(one.lower_ in FIRST for one in among):
        yield Statement(referents.speaker, "partner", words_of(names[0]), clause.mode())


def tell_fragment(root: Token, referents: Referents) -> Iterator[Statement]:
    """Yield the statements of a note without a verb on its speaker: "vegan since May"."""
    first = root.left_edge.i == root.sent.start
    if root.pos_ in ("NOUN", "ADJ", "PROPN") and first and child(root, "poss") is None:
        yield from _traits(
            Clause(root, None, referents.speaker), root, referents.speaker, referents
        )


def tell_role(sentence: Span, referents: Referents) -> Iterator[Statement]:
    """Yield the statement of "as a paramedic, I see that every week" on its speaker."""
    first = sentence[0]
    what = child(first, "pobj") if first.lower_ == "as" and first.dep_ == "prep" else None
    speaks = any(one.lower_ in FIRST for one in children(first.head, *SUBJECTS))
    if what is not None and speaks and is_work(what.text) and child(what, "det") is not None:
        yield Statement(referents.speaker, "works_as", words_of(what, adjectives=True))


def tell_apposition(noun: Token, referents: Referents) -> Iterator[Statement]:
    """Yield the statement of "Leila, an architect, helped us" on whom the noun explains."""
    article = child(noun, "det") if noun.dep_ == "appos" else None
    whom = noun.head
    start = noun.left_edge.i
    if article is None or article.lower_ not in ("a", "an") or noun.doc[start - 1].text != ",":
        return
    if is_made_up(noun) or is_played(noun, *children(whom, "compound")):
        return
    who = None if whom.head.lower_ == "about" else referents.entity(whom)  # a book's
    if who is not None and _is_person(whom):
        yield from _work(Clause(noun, None, who), noun)


def _complement(verb: Token) -> Token | None:
    return child(verb, "attr", "acomp", "oprd")


def _named(
    clause: Clause, subject: Token, what: Token, referents: Referents
) -> Iterator[Statement]:
    """Yield the statements of "her name is Ada" and "my boss is Ada"."""
    if not is_proper(what):
        return
    whose = child(subject, "poss")
    if subject.lower_ in ("name", "names") and whose is not None:
        yield from tell_named(whose, what, clause.mode(), referents)
    relation = kin_of(subject) if subject.pos_ in ("NOUN", "PROPN") else None
    owner = referents.owner(subject) if relation is not None else None
    if subject.left_edge == subject and subject.i == subject.sent.start and relation != "pet":
        owner = referents.speaker  # "GP is Dr Quill"
    if relation is not None and owner is not None and referents.called(subject) is None:
        for name in referents.names(what):
            referents.named.setdefault(f"{owner}'s {words_of(subject)}", name)
            yield Statement(owner, relation, name, clause.mode(), noun=subject.lower_)


def _kin(clause: Clause, what: Token, referents: Referents) -> Iterator[Statement]:
    """Yield the statements of "Ada is my friend" and "Ada and I are twins"."""
    relation, owner = kin_of(what), referents.owner(what)
    if relation is not None and owner is None and what.tag_ == "NNS" and clause.subject is not None:
        among = list(joined(clause.subject))
        for one in among if any(one.lower_ in FIRST for one in among) else ():
            if is_proper(one):
                yield Statement(referents.speaker, relation, words_of(one), clause.mode())
    if relation is None or owner is None or clause.subject is None or clause.who is None:
        return
    if clause.subject.lower_ in FIRST or clause.who == owner:
        inverse = _INVERSE.get(relation)
        if inverse is not None and owner != referents.speaker:  # "I'm Ada's youngest"
            yield Statement(referents.speaker, inverse, owner, clause.mode())
        return
    mode: Mode = "ended" if clause.mode() == "holds" and is_over(what) else clause.mode()
    yield Statement(owner, relation, clause.who, mode, noun=what.lower_)


def _work(clause: Clause, what: Token) -> Iterator[Statement]:
    """Yield the statements of "Ada is a former pilot and a potter, not a lawyer"."""
    who = clause.who or ""
    each = clause.subject is not None and child(clause.subject.head, "conj") is not None
    each |= clause.subject is not None and child(clause.subject, "conj") is not None
    for one in joined(what):
        # A plural is the work of each where several are told of, and else a group's.
        fits = one.tag_ in ("NN", "NNP") or (each and one.tag_ == "NNS")
        if not fits or child(one, "poss") is not None or is_proper(one) or not is_work(one.text):
            continue
        left = {before.lower_ for before in one.children}
        if "no" in left:
            continue  # "I'm no nurse"
        past = not left.isdisjoint(FORMER_WORK)
        mode: Mode = "ended" if past else clause.mode()
        # "Former" is in the mode; it is no part of what the work is called.
        work = role_of(one, adjectives=not past)
        yield Statement(who, "works_as", work, mode)
        for preposition in (side for side in children(one, "prep") if side.lower_ in ("at", "for")):
            place = child(preposition, "pobj")
            if place is not None and is_proper(place):
                yield Statement(who, "works_at", words_of(place), mode)


def _traits(clause: Clause, what: Token, who: str, referents: Referents) -> Iterator[Statement]:
    """Yield diet, age, marriage, allergies and what somebody is fond of."""
    word, mode = what.lower_, clause.mode()
    if word in word_set("diets"):
        yield Statement(who, "diet", what.text, mode)
    elif word in ("married", "engaged"):
        relation = "married_to" if word == "married" else "partner"
        for other in _governed(what, "to"):
            name = referents.called(other) or (other if is_proper(other) else None)
            if name is not None:
                yield Statement(who, relation, words_of(name), mode)
    elif word in _ALLERGIC:
        yield from _allergic(clause, what, who)
    elif word in ("fluent", "conversational"):
        for other in _governed(what, "in"):
            yield Statement(who, "speaks", words_of(other), mode)
    elif is_food(word) and {one.lower_ for one in what.lefts} >= {"no", "more"}:
        yield Statement(who, "diet", words_of(what), "ended")
    elif word in _FOND:
        of = [*_governed(what, "of", "on", "about")] or [
            one for one in children(what, "compound", "nmod") if one.dep_ != "amod"
        ]
        for other in of:
            liked = "dislikes" if mode == "denied" else "likes"
            # Not to be fond of something is a dislike that holds, not the denial of one.
            yield Statement(who, liked, words_of(other), "holds" if mode == "denied" else mode)
    else:
        age = what if what.pos_ == "NUM" else child(what, "npadvmod", "nummod")
        years = what if age is what else next(iter(children(age, "nummod")), age) if age else None
        if years is not None and word in (years.lower_, "old", "years") and _is_age(clause, years):
            yield Statement(who, "age", years.text, mode)


def _is_age(clause: Clause, number: Token) -> bool:
    if clause.verb.lower_ == "years" and not any(one.lower_ == "old" for one in clause.verb.sent):
        return False  # "11 years."
    person = clause.subject is None or clause.subject.lower_ not in ("it", "that", "this")
    return person and number.text.isdigit() and int(number.text) < _OLDEST


def _governed(what: Token, *prepositions: str) -> Iterator[Token]:
    """Yield the nouns that some prepositions after a word govern, and those joined to them."""
    for one in children(what, "prep"):
        other = child(one, "pobj") if one.lower_ in prepositions else None
        if other is not None:
            yield from joined(other)


def _allergic(clause: Clause, what: Token, who: str) -> Iterator[Statement]:
    """Yield the allergies of somebody; "like Tom is" says them of Tom as well."""
    behind = _RE.allergic_to.search(what.doc[what.i : what.sent.end].text)
    things = [] if behind is None else list(_listed(behind["what"]))
    likewise = [
        subject.text
        for verb in (*children(what, "advcl", "prep"), *children(clause.verb, "advcl"))
        for subject in children(verb, "nsubj")
        if is_proper(subject) and any(one.lower_ == "like" for one in verb.children)
    ]
    for thing in things:
        if thing.casefold() in _SPOKEN_OF:
            continue
        yield Statement(who, "allergic_to", thing, clause.mode())
        yield from (Statement(other, "allergic_to", thing) for other in likewise)


def _listed(words: str) -> Iterator[str]:
    """Yield the things of a list, each up to its first function word; no times, nor "both"."""
    stops = word_set("function_words") | word_set("object_stops")
    for part in _RE.comma.split(words):
        found = []
        for word in part.split():
            if word.casefold() in stops:
                break
            found.append(word.rstrip(",:"))
            if word != found[-1]:  # its comma ends the thing
                break
        if found and not is_time(found[-1]) and found[-1].casefold() not in ("both", "all"):
            yield " ".join(found)


def _found_allergic(clause: Clause, what: Token, referents: Referents) -> Iterator[Statement]:
    """Yield the statements of "about the allergy: it's soya, not wheat" on the speaker."""
    if clause.subject is None or clause.subject.lower_ != "it" or what.tag_ not in ("NN", "NNS"):
        return
    if any(True for one in (clause.verb, what) for _ in children(one, "relcl", "ccomp", "acl")):
        return  # "it's a shame that Ana is": another's
    yield Statement(referents.speaker, "allergic_to", words_of(what), clause.mode())


def _where(
    clause: Clause, preposition: str, place: Token, referents: Referents
) -> Iterator[Statement]:
    """Yield the place of somebody's home, work or study, or of a thing; and diets, on or off."""
    mode, subject, who = clause.mode(), clause.subject, clause.who
    person = subject is None or _is_person(subject)
    if preposition == "on" and place.lower_ == "diet" and who is not None:
        for one in children(place, "amod", "compound"):
            if one.lower_ in word_set("diets"):
                yield Statement(who, "diet", one.text, mode)
    elif preposition == "off" and who is not None and place.pos_ == "NOUN" and is_food(place.text):
        yield Statement(who, "diet", words_of(place), "ended")
    elif preposition == "into" and who is not None and person and place.pos_ in ("NOUN", "PROPN"):
        yield Statement(who, "likes", words_of(place), mode)
    elif not is_proper(place) or is_date(place) or preposition not in ("in", "at", "with"):
        return
    elif preposition == "in":
        thing = None if subject is None or person else referents.thing(subject)
        if thing is not None and subject is not None and is_somewhere(subject.text):
            yield Statement(thing, "located_in", words_of(place), mode)
        # Who is in a place may be visiting; who is no longer in it has lived there.
        elif person and who is not None and mode == "ended":
            yield Statement(who, "lives_in", words_of(place), mode)
    elif person and who is not None:
        yield from _attached(clause, who, place)


def _attached(clause: Clause, who: str, place: Token) -> Iterator[Statement]:
    """Yield that somebody "has been at" a place since then, or "is at" a school."""
    name, mode = words_of(place), clause.mode()
    reading = any(
        one.lemma_ in ("do", "study", "read") and one.tag_ == "VBG"
        for one in children(clause.verb, "advcl", "xcomp")
    )
    if reading or _RE.school.search(name):
        yield Statement(who, "studies_at", name, mode)
    elif mode == "held" and _until_a_month(clause.verb):
        yield Statement(who, "works_at", name, "ended")  # "I was at Initech until May"
    elif mode == "ended" or clause.verb.lower_ == "been":
        yield Statement(who, "works_at", name, mode)


def _until_a_month(verb: Token) -> bool:
    """Return whether something went on until a month or a year; until six, it was a visit."""
    return any(
        last.lower_ in word_set("months") or (last.text.isdigit() and len(last.text) == _YEAR)
        for until in verb.subtree if until.lower_ in ("until", "till")
        for last in until.subtree
    )  # fmt: skip


def _is_person(subject: Token) -> bool:
    word = subject.lower_
    people = word in FIRST or word in ("he", "she", "they", "who")
    return people or is_proper(subject) or kin_of(subject) is not None
