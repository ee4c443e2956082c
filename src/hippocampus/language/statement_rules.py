"""
Relation extraction by rules over words, without a parse.

Sentence by sentence: the subject, the predicate and its tense (it holds, began, held, ended, is
denied), and the object. Questions, conditions and wishes state nothing. English; what no rule knows
is not read, for a wrong fact is worse than a missing one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from functools import cache
from typing import Final, NamedTuple

from hippocampus.core.clock import to_micros
from hippocampus.core.records import Interval, Mode, Statement
from hippocampus.core.word_lists import Patterns, word_set
from hippocampus.language.alias_patterns import find_other_names, may_name
from hippocampus.language.given_names import is_person
from hippocampus.language.joined_people import OF_TWO, joined_before, owner_before
from hippocampus.language.noun_phrases import NOUN, find_phrases
from hippocampus.language.noun_sorts import is_club, is_eaten, is_food, is_work
from hippocampus.language.nouns import kinds, singular, use_of
from hippocampus.language.relations import (
    ALSO_CALLED,
    BY_BIRTH,
    EXCLUSIVE,
    FORMER_WORK,
    Rule,
    is_former,
    relation_of,
    rules,
)
from hippocampus.language.statement_times import with_times
from hippocampus.language.time import find_intervals
from hippocampus.language.time.spans import DAY

_RE: Final = Patterns("statements")
_ALONE: Final = frozenset({"divorced", "single", "widowed"})
_BRIEF_KINDS: Final = frozenset({"time unit", "time of year", "social event", "coming together"})
"""Kinds of nouns for which one goes and comes back, beside the words of ``brief_stays.txt``."""
_MOST_WORDS = 4
"""Words of an object without a name: what is longer is a clause, of which the end is cut off by
chance. Set by hand."""
_LONGEST: Final = 600
"""Characters of a sentence: reading takes their square, and what is longer is a list, or a log."""
_LEADING_TO_A_PLACE: Final = (" in ", " at ", " to ", " into ", " near ", " around ")
_THIRD: Final = frozenset({"his", "her"})
_FIRST: Final = frozenset({"i", "my", "we", "our"})
_SECOND: Final = frozenset({"you", "your"})


@cache
def _hint() -> re.Pattern[str]:
    """Return without what a sentence says nothing that could be read."""
    return re.compile(
        "|".join([rf"\b(?:{rule.said.pattern})" for rule in rules()])
        + r"|\b(?:my|our|your|his|her|\w+'s)\b|\ban?\b|(?-i:\bof [A-Z])"
        r"|(?:eat|drink)(?:s|ing)?\b|(?:quit|g[ai]ven? up|cut out)\b"
        r"|call me|go by|known as|married|engaged|single",
        re.IGNORECASE,
    )


@cache
def _stops() -> frozenset[str]:
    """Return the words at which an object ends; "of" joins two parts of one."""
    return (word_set("function_words") - {"of"}) | word_set("object_stops")


def find_statements(
    text: str,
    *,
    speaker: str,
    others: Sequence[str] = (),
    occurred_at: datetime,
    addressed: bool = False,
) -> list[Statement]:
    """Return the statements of a text by rules; see ``language/statements.py`` for arguments."""
    reader = _StatementReader(speaker, others, occurred_at)
    found: dict[Statement, None] = {}
    plain = text.replace("’", "'")
    if not _RE.quoted.fullmatch(plain.strip()):
        # A quotation is somebody else's; a bar in its place keeps clauses from closing over it.
        plain = _RE.quoted.sub("|", plain)
    plain = _RE.chat_word.sub("", plain)
    points_back = _RE.points_back.search(plain) is not None
    for sentence in _sentences(plain):
        told = _RE.here.search(sentence) is not None or not addressed
        if told and may_name(sentence):
            found |= dict.fromkeys(_also_called(sentence))
        if told and _hint().search(sentence):
            for part in _unfolded(sentence):
                found |= dict.fromkeys(reader.read(part))
        # Who was named last matters only to a pronoun further on.
        elif points_back:
            reader.hear(sentence)
    return list(found)


def _also_called(sentence: str) -> Iterator[Statement]:
    """Yield other names that a sentence gives to things."""
    unreal = _RE.unreal.search(sentence)
    for thing, name in find_other_names(sentence[: unreal.start()] if unreal else sentence):
        yield Statement(thing, ALSO_CALLED, name)


def _unfolded(sentence: str) -> Iterator[str]:
    """Yield asides such as "Ana, who is a nurse," as sentences of their own."""
    aside = _RE.aside.search(sentence)
    if aside is None:
        yield sentence
        return
    before, behind = sentence[: aside.end("name")], sentence[aside.end() :]
    yield f"{aside['name']} {aside['said']}"
    comma = "," if behind[1:2].isupper() else ""  # "According to Ana, who ..., Tom is"
    yield from _unfolded(f"{before}{comma}{behind}")


def _sentences(text: str) -> Iterator[str]:
    """Yield sentences that ask nothing; what goes on for longer than they do, a piece at a time."""
    for match in _RE.sentence.finditer(text):
        sentence = match[0].strip()
        if sentence.endswith("?"):
            continue
        start = 0
        while len(sentence) - start > _LONGEST:
            space = sentence.rfind(" ", start, start + _LONGEST)
            end = space if space > start else start + _LONGEST
            yield sentence[start:end].strip()
            if _RE.unreal.search(sentence, start, end):
                break  # what follows would only be so as well
            start = end
        else:
            yield sentence[start:].strip()


class _Clause(NamedTuple):
    """A predicate, of whom it is said, and how: the auxiliaries before it."""

    subject: str
    aux: str
    rest: str
    sentence: str
    times: Sequence[Interval]

    @property
    def unreal(self) -> bool:
        """True if it only could be so, or was to be: "I was going to move"."""
        if self.past and "going to" in self.aux:
            return True
        return _RE.modal.search(self.aux) is not None and _RE.will.search(self.aux) is None

    @property
    def planned(self) -> bool:
        """True if it is still to come."""
        return _RE.will.search(self.aux) is not None or self.rest.lower().startswith("moving")

    @property
    def denied(self) -> bool:
        """True if the statement is denied."""
        return _RE.negation.search(self.aux) is not None or self.over

    @property
    def over(self) -> bool:
        """True if it is so no longer."""
        return any(_RE.no_more.search(words) for words in (self.aux, self.rest))

    @property
    def used(self) -> bool:
        """True if it used to be so."""
        return "used to" in self.aux

    @property
    def be(self) -> bool:
        """True if the statement tells a state: something that somebody is or was."""
        return _RE.be.search(self.aux) is not None

    @property
    def perfect(self) -> bool:
        """True in the perfect: what somebody has been, or done."""
        return _RE.have.search(self.aux) is not None

    @property
    def lasting(self) -> bool:
        """True if it goes on from a time or an event: "since May", "since the divorce"."""
        behind = self.sentence.partition(self.rest)[2]
        since = _RE.since_then.search(self.rest) or _RE.since_then.match(behind)
        return since is not None or any(time.end is None for time in self.times)

    @property
    def past(self) -> bool:
        """True if the state is over: something that somebody was."""
        return _RE.was.search(self.aux) is not None


def _relation_of(rule: Rule, clause: _Clause) -> tuple[str, Mode] | None:
    """Return a rule's relation and mode after words such as "used to", where nothing is denied."""
    relation, mode = rule.relation, rule.mode
    if clause.used or (clause.past and mode == "holds"):
        return relation, mode if relation in BY_BIRTH else "held"
    if mode == "held" and clause.perfect and clause.lasting:
        return relation, "holds"  # "I have lived there since"
    return None if relation == "owns" and mode == "held" else (relation, mode)


class _StatementReader:
    """Reads sentence after sentence; knows who was spoken of last, and who before."""

    def __init__(self, speaker: str, others: Sequence[str], occurred_at: datetime) -> None:
        self._speaker, self._occurred_at = speaker, occurred_at
        self._other = others[0] if len(others) == 1 else None
        self._last: str | None = None
        self._earlier: str | None = None
        self._by_name = False
        self._proper: list[int] | None = None
        self._known = {name.split()[0] for name in (speaker, *others) if name.strip()}

    def read(self, sentence: str) -> Iterator[Statement]:
        """Yield the statements of a sentence."""
        times = find_intervals(sentence, self._occurred_at, told=True)
        bare = sentence
        for time in times:
            # As long as it was, since places in it are used in the sentence as well.
            bare = bare.replace(time.text, "|".ljust(len(time.text)))
        self._proper = None
        unreal = _RE.unreal.search(bare)
        stop = unreal.start() if unreal else len(bare)
        called = _RE.called.search(bare, 0, stop)
        if called:
            yield Statement(self._speaker, "name", called["name"])
        yield from self._owned(sentence, stop, times)
        at = 0
        while (match := _RE.subject.search(bare, at)) is not None and match.start() < stop:
            at = match.start("rest")
            who = match["who"]
            named = is_person(who) or who.split(maxsplit=1)[0] in self._known
            if not named and bare.endswith(_LEADING_TO_A_PLACE, 0, match.start("who")):
                continue  # "lived in Rome and": a place, and not who is spoken of
            beside = joined_before(bare, match.start("who"))
            if beside is None:
                continue  # "Ana or Tom"
            if match["called"]:
                owner = self._owner_here(who.split(maxsplit=1)[0], bare, match.start())
                if owner is not None:
                    noun = _noun(who, match["called"])
                    mode: Mode = "ended" if is_former(noun, who.lower().split()) else "holds"
                    yield Statement(owner, noun, match["called"], mode)
            sure = self._is_somebody(who, match.span("who"), bare)
            noted = who == "Got"  # "Got married in May."
            who = "I" if noted else who
            subject = self._who(who, match["called"], sure=sure or noted)
            if subject is None:
                continue
            for part in self._parts(match["rest"]):
                clause = _Clause(subject, match["aux"], part, sentence, times)
                told = list(self._said(clause, sure=sure))
                yield from told
                yield from _of_each(told, subject, beside)
                if not told and who[0].isupper() and who != "I":
                    break  # "Lisbon and started": it is the object of what is before

    def hear(self, sentence: str) -> None:
        """Keep in mind who "she" may be after a sentence that tells nothing; of two, neither."""
        match = _RE.subject.match(sentence)
        if match is None:
            return
        who = match["who"]
        known = is_person(who) or who.split()[0] in self._known
        if known or (who[1:] and who[0].isupper() and _RE.as_people_do.match(match["rest"])):
            self._last = who if self._last in (None, who) else None

    def _is_somebody(self, who: str, span: tuple[int, int], sentence: str) -> bool:
        """Return whether a subject is surely one: a pronoun, someone's kin, a name."""
        first = who.split(maxsplit=1)[0]
        if "'s " in who or first.lower() in word_set("pronouns") or first in self._known:
            return True
        if is_person(first):
            return True  # "Owen", who stands where any sentence has a capital
        if self._proper is None:
            # At first need: most subjects are pronouns or known names.
            self._proper = [phrase.start for phrase in find_phrases(sentence) if phrase.proper]
        start, end = span
        return any(start <= place < end for place in self._proper)

    def _parts(self, rest: str) -> Iterator[str]:
        """Yield a predicate and those joined to it that have no subject of their own."""
        start = 0
        for end in [*_RE.conjunction.finditer(rest), None]:
            yield rest[start : end.start() if end else len(rest)].strip()
            if end is None or _RE.subject.match(rest, end.end()):
                return
            start = end.end()

    def _owner(self, whose: str) -> str | None:
        """Return the entity that "my", "her" or "Ana's" means, or "I", "she" or "you"."""
        lower = whose.lower()
        if lower in _FIRST:
            return self._speaker
        if lower in _SECOND:
            return self._other
        return self._last if lower in word_set("pronouns") else whose.removesuffix("'s")

    def _owner_here(self, whose: str, sentence: str, start: int) -> str | None:
        """Return the person that "his" means: named before it in the sentence, or before that."""
        if whose.lower() in _THIRD:
            named = owner_before(sentence, start, self._known)
            if named is not None:
                # In doubt ("") nobody is meant, and not whoever was spoken of before, either.
                return named or None
        return self._owner(whose)

    def _who(self, who: str, called: str | None, *, sure: bool) -> str | None:
        """Return the entity that a subject means, and keep it in mind."""
        first = who.split(maxsplit=1)[0]
        if " " in who and (first.lower() in word_set("pronouns") or "'s " in who):
            owner = self._owner(who.partition("'s ")[0] if "'s " in who else first)
            meant = called or (owner and f"{owner}'s {_noun(who, '')}")
            self._known.update((called or "").split()[:1])
        else:
            meant = self._owner(who)
        if sure and (first.lower() not in _FIRST | _SECOND or " " in who):
            if meant != self._last:
                self._earlier = self._last
            self._last = meant
            self._by_name = first.lower() not in word_set("pronouns") or " " in who
        return meant

    def _said(self, clause: _Clause, *, sure: bool) -> Iterator[Statement]:
        """Yield the statements of a predicate; its subject needs no name if no thing does this."""
        if clause.unreal:
            return
        yield from _given_up(clause)
        rest, plain = clause.rest, not (clause.denied or clause.planned or clause.used)
        status, moved = _RE.marital_status.match(rest), _RE.from_to.match(rest)
        if status and plain:
            yield self._timed(clause, "marital_status", status["is"].lower(), "began")
            if status["is"].lower() in _ALONE:
                yield self._timed(clause, "married_to", "", "ended")
        elif status and clause.denied and "getting" not in status[0].lower():
            yield from self._unmarried(clause, status["is"].lower(), rest[status.end() :])
        elif moved and plain and (moved["from"] or _place(moved["left"].split())):
            behind = rest[moved.end("left" if moved["left"] else "from") :]
            if _in_passing(behind, clause.times, leaving=moved["left"] is not None):
                return
            yield self._timed(clause, "lives_in", moved["from"] or moved["left"], "ended")
            new = _object(rest[moved.end() :], named=True)
            if new:
                yield self._timed(clause, "lives_in", new, "began")
        elif not (status or (moved and moved["from"])):
            yield from self._ruled(clause, sure=sure)

    def _ruled(self, clause: _Clause, *, sure: bool) -> Iterator[Statement]:
        """Yield the statements that the first rule to fit reads in a predicate."""
        rest = clause.rest
        if _RE.digit.search(clause.subject):
            return  # a code, such as a flight's: nobody, and from nowhere
        for rule in rules():
            match = rule.said.match(rest) if sure or rule.named else None
            if match is None:
                continue
            tail = rest[match.end() :]
            none = _RE.no.match(tail)  # "I have no dog"
            if none:
                clause, tail = clause._replace(aux=f"{clause.aux} not"), tail[none.end() :]
            thing = _object(tail, named=rule.named)
            left = rule.named and match[0].lower() in ("left ", "leaving ")
            if left and _place([thing]) != (rule.relation == "lives_in"):
                continue  # a company, or somebody
            if thing or (rule.mode == "ended" and not rule.named):
                if not self._aside(rule, clause, thing, tail):
                    yield from self._by_rule(rule, clause, thing, tail)
                return
        if clause.be and sure and not clause.planned:
            theirs = _RE.theirs.match(rest)
            if theirs:
                yield from self._being_theirs(clause, theirs)
            elif re.match(r"an?\b", rest):
                yield from self._being(clause, _object(rest))

    def _by_rule(self, rule: Rule, clause: _Clause, thing: str, tail: str) -> Iterator[Statement]:
        """Yield the statements that a rule reads in a predicate, of the thing that follows it."""
        behind = tail[tail.find(thing) + len(thing) :]
        kin = (
            rule.relation == "owns"
            and clause.denied
            and bool(thing)
            and _last(thing) in word_set("kin")
        )
        somebody = is_person(thing) or thing.split(" ", 1)[0] in self._known
        if rule.relation == "owns" and rule.mode == "ended" and somebody:
            return  # "I sold Tom my bike"
        fits = {"owns": _a_thing, "works_as": _a_person}.get(rule.relation)
        sold = rule.relation == "owns" and rule.mode == "ended" and _RE.own_name.match(tail)
        if fits is not None and not fits(thing) and not kin and not sold:
            return
        if clause.denied and not (rule.relation in EXCLUSIVE and not clause.over):
            # "I have no sister" denies that there is one, not that she is owned.
            relation, what = (_last(thing), "") if kin else (rule.relation, thing)
            yield from self._denied(clause, relation, what, rule.mode, behind)
            return
        read = _relation_of(rule, clause)
        if read is None:
            return
        relation, mode = read
        if clause.denied:
            relation = EXCLUSIVE[relation]
        if clause.planned:
            times = [time for time in clause.times if time.start and time.start > self._occurred_at]
            if mode != "began" or not times:
                return
            clause = clause._replace(times=times)
        yield self._timed(clause, relation, thing, mode)
        named = _RE.named.search(tail)
        if named and relation == "owns":
            yield Statement(clause.subject, _last(thing), named["name"])

    def _aside(self, rule: Rule, clause: _Clause, thing: str, tail: str) -> bool:
        """
        Return whether a rule fits what it does not mean.

        Such as what was said before, a trip, or people who employ nobody.
        """
        if rule.mode != "ended" and _RE.points.match(tail):
            return True
        if rule.relation == "owns" and rule.mode == "holds" and clause.be:
            return True  # "is having"
        behind = tail[tail.find(thing) + len(thing) :] if thing else ""
        if re.match("'s [a-z]", behind) and rule.relation in ("lives_in", "works_at"):
            return True  # "I moved to Anna's place"
        if rule.relation == "lives_in" and rule.mode != "held":
            return _in_passing(behind, clause.times, leaving=rule.mode == "ended")
        if rule.relation != "works_at" or rule.mode not in ("began", "ended") or not thing:
            return False
        person = is_person(thing) or thing.split(maxsplit=1)[0] in self._known
        several = _RE.and_name.match(clause.sentence, clause.sentence.find(thing) + len(thing))
        brief = rule.mode == "began" and _in_passing(behind, (), leaving=False)
        return person or brief or several is not None or _joins_club(clause.rest, thing, behind)

    def _denied(
        self, clause: _Clause, relation: str, thing: str, mode: Mode, behind: str
    ) -> Iterator[Statement]:
        """
        Yield that something is not so; nothing where it may be so in part, or at another time.

        "No longer", and "have not since", tell that it was. "Never", "did not", and of what is so
        by birth "is not", tell that it never was; else it is not so now.
        """
        start = next((t.start for t in clause.times if t.end is None), None)
        since, lived = (
            start is not None,
            clause.perfect and mode != "holds",
        )
        over = clause.over or since or (lived and _RE.since.match(behind) is not None)
        whole = _RE.denied.match(behind) or (lived and _RE.since.match(behind))
        if mode == "ended" or clause.used or not whole or (clause.planned and mode != "began"):
            return
        if over:
            start = start or next((t.start for t in clause.times), None)
            at = None if start is None else to_micros(start)
            yield Statement(clause.subject, relation, thing, "ended", at)
        elif not clause.times and not _RE.partly.search(clause.aux):
            never = (
                mode != "holds" or relation in BY_BIRTH or _RE.ever.search(clause.aux) is not None
            )
            often = "never" in clause.aux and mode == "holds" and not (clause.be or clause.past)
            bought = relation == "owns" and mode == "began"  # "I didn't buy a car": but have one
            if not (often or bought or (lived and mode == "began")):
                at = None if never else to_micros(self._occurred_at)
                yield Statement(clause.subject, relation, thing, "denied", at)

    def _unmarried(self, clause: _Clause, status: str, behind: str) -> Iterator[Statement]:
        """Yield that somebody is not, or was never, married, single or the like."""
        mode: Mode = "held" if clause.perfect else "holds"
        for said in self._denied(clause, "marital_status", status, mode, behind):
            yield said
            if status == "married":
                yield said._replace(relation="married_to", object="")

    def _being(self, clause: _Clause, thing: str) -> Iterator[Statement]:
        """Yield the roles somebody has: "a nurse", and not "a bit tired"."""
        if _a_person(thing):
            behind = clause.rest[clause.rest.find(thing) + len(thing) :]
            mode: Mode = "held" if clause.perfect else "holds"
            relation = "works_as" if is_work(_last(thing)) else "is_a"
            relation = "diet" if _last(thing) in word_set("diets") else relation
            first, _, role = thing.lower().partition(" ")
            if first in FORMER_WORK and not clause.denied:
                yield Statement(clause.subject, relation, role, "ended")
                return
            yield from self._is_or_not(clause, relation, thing.lower(), mode, behind)

    def _is_or_not(
        self, clause: _Clause, relation: str, thing: str, mode: Mode, behind: str
    ) -> Iterator[Statement]:
        """Yield that something is, or was, or that it is not; ``mode``: how it is denied."""
        if clause.denied:
            yield from self._denied(clause, relation, thing, mode, behind)
        else:
            held = clause.used or clause.past
            yield self._timed(clause, relation, thing, "held" if held else "holds")

    def _being_theirs(self, clause: _Clause, theirs: re.Match[str]) -> Iterator[Statement]:
        """Yield the people somebody belongs to: "her cousin", "the neighbour of Jutta"."""
        whose, what = theirs["whose"] or theirs["of"], theirs["what"] or theirs["being"]
        noun = _last(what)
        if (
            noun not in word_set("kin")
            or not word_set("so_to_say").isdisjoint(what.split())
            or whose in word_set("honorifics")
        ):
            return
        owner = self._owner(whose)
        if whose.lower() in _THIRD and owner == clause.subject:
            # In "Olga rang. Nils is her dentist", who is meant is the one before Nils; in "Nils
            # met Olga. She is his boss", nobody knows.
            owner = self._earlier if self._by_name else None
        if owner is None or owner == clause.subject:
            return
        if clause.subject.removeprefix(f"{owner}'s ") in word_set("kin"):
            return  # "she isn't my sister, she's my cousin": not her who is no sister
        who, behind = clause._replace(subject=owner), clause.rest[theirs.end() :]
        yield from self._is_or_not(who, noun, clause.subject, "holds", behind)

    def _owned(self, sentence: str, stop: int, times: Sequence[Interval]) -> Iterator[Statement]:
        """Yield the possessions called "my": "my birthday is 3 May", "my dog Rex"."""
        for match in _RE.own.finditer(sentence, 0, stop):
            owner = self._owner_here(match["whose"], sentence, match.start())
            *before, last = match["what"].split()
            noun = singular(last)
            favourite = bool(before) and before[0].startswith("favo")
            known = favourite or noun in word_set("kin") or use_of(noun).noun >= NOUN
            # "My mums number": hers, though the apostrophe is left out.
            theirs = any(singular(word) in word_set("kin") for word in before)
            if owner is None or theirs or last in word_set("function_words") or not known:
                continue
            if match["name"]:
                if noun in word_set("kin") or "animal" in kinds(noun):
                    over = is_former(noun, {*before, (match["which"] or "").strip()})
                    yield Statement(owner, noun, match["name"], "ended" if over else "holds")
                continue
            value, no = match["is"].rstrip(" .!"), match["no"] or ""
            if value.startswith("not "):
                value, no = value.removeprefix("not "), " not"
            exact = _RE.number.match(value)
            named = _RE.name.match(_without_lead(value)) is not None
            thing = _exactly(exact[1].strip(), noun) if exact else _object(value)
            if not thing or not (exact or named or favourite or _a_thing(thing)):
                continue
            # "My sister is tired" does not say who she is.
            if noun in word_set("kin") and not named:
                continue
            if noun == "name":
                if match["whose"].lower() not in _THIRD and not no:
                    yield Statement(owner, "name", thing)
                continue
            relation = "_".join([*before, noun]) if favourite else noun
            if no:
                behind = value[value.find(thing) + len(thing) :]
                clause = _Clause(owner, no, behind, sentence, times)
                yield from self._denied(clause, relation, thing, "holds", behind)
                continue
            yield Statement(owner, relation, thing, "began" if match["new"] else "holds")

    def _timed(self, clause: _Clause, relation: str, thing: str, mode: Mode) -> Statement:
        """Return a statement with the first time its sentence tells."""
        said = Statement(clause.subject, relation, thing, mode)
        return with_times(said, clause.sentence, clause.times, self._occurred_at)


def _of_each(told: Sequence[Statement], subject: str, others: Sequence[str]) -> Iterator[Statement]:
    """Yield a subject's statements for each that is joined to it, too: "Ana and Tom moved"."""
    for other in others:
        for said in told:
            if said.subject == subject and said.relation not in OF_TWO:
                yield said._replace(subject=other)


def _given_up(clause: _Clause) -> Iterator[Statement]:
    """Yield the food or drink that somebody has given up, wholly and for good."""
    eats = _RE.eats.match(clause.rest) if clause.over else _RE.stopped_eating.match(clause.rest)
    nobody = clause.subject.lower() in word_set("negations")
    if eats is None or nobody or clause.planned or (not clause.over and clause.denied):
        return
    tail = clause.rest[eats.end() :]
    thing = _object(tail)
    behind = tail[tail.find(thing) + len(thing) :]
    if not thing or _RE.given_up.match(behind) is None:
        return
    noun = _last(thing)
    eaten = eats.re is _RE.eats or eats["eats"] is not None
    known = bool(kinds(noun)) or is_food(noun)
    if known and (is_eaten(noun) if eaten else is_food(noun)):
        yield Statement(clause.subject, "diet", thing, "ended")


def _joins_club(rest: str, thing: str, behind: str) -> bool:
    """Return whether somebody joins a club or the like, of which one is a member and no worker."""
    role = _RE.as_role.search(behind)
    if not _RE.joining.match(rest) or (role and is_work(role["role"])):
        return False
    # "Joined the Harriers, a running club", "joined a German course".
    explained = _object(behind.removeprefix(", ")) if behind.startswith(", ") else ""
    after = _RE.word.match(behind, 1)
    return any(is_club(one) for one in (thing, explained, after[0] if after else ""))


def _in_passing(behind: str, times: Sequence[Interval], *, leaving: bool) -> bool:
    """Return whether what follows a place, or company, tells that one soon goes on or back."""
    for found in _RE.purpose.finditer(behind):
        noun = _last(_object(found["what"].rpartition("'s ")[2]) or "-")
        above = {noun, *kinds(noun)}
        if not (word_set("brief_stays") | _BRIEF_KINDS).isdisjoint(above) or (
            leaving and "time period" in above
        ):
            return True
    hours = any(
        (t.start and t.end and t.end - t.start < DAY) or t.text.casefold().startswith("for ")
        for t in times
    )
    return leaving and (hours or _RE.passing.search(behind) is not None)


def _exactly(value: str, noun: str) -> str:
    """Return a value with digits in it: of a phone's number only that."""
    digits = _RE.phone.match(value) if relation_of(noun) == "phone" else None
    return digits[0] if digits else value


def _without_lead(tail: str) -> str:
    """Return the words after articles and the like."""
    tail = tail.strip()
    lead = _RE.lead.match(tail)
    return tail[lead.end() :] if lead else tail


def _last(words: str) -> str:
    return singular(words.rsplit(maxsplit=1)[-1].lower())


def _noun(who: str, called: str) -> str:
    return _last(who.rstrip(" ,").removesuffix(called).rstrip(" ,"))


def _object(tail: str, *, named: bool = False) -> str:
    """Return the thing a predicate's tail begins with: a name, or a few words; "" if none."""
    tail = _without_lead(tail)
    name = _RE.name.match(tail)
    if name and name[0].split()[0].lower() not in word_set("pronouns"):
        return name[0].removesuffix("'s")
    words: list[str] = []
    end = 0
    for found in _RE.word.finditer(tail):
        gap = tail[end : found.start()]
        if (words and gap != " ") or (not words and gap.strip()) or found[0].lower() in _stops():
            break
        words.append(found[0])
        end = found.end()
        if len(words) == _MOST_WORDS:
            break
    if len(words) == 1 and words[0].endswith("ing"):  # "making a positive impact"
        words = re.split(r"[^\w' -]", tail)[0].split()[:_MOST_WORDS]
        while words[-1].lower() in _stops():
            words.pop()
    while words and (words[-1].lower() == "of" or words[-1].lower().endswith("ly")):
        words.pop()
    if not words or (named and not _place(words)):
        return ""
    return " ".join(words)


def _place(words: Sequence[str]) -> bool:
    """Return whether words in lower case may be a name all the same: "i live in porto"."""
    whole = " ".join(words).lower()
    return any("region" in kind or kind == "location" for kind in kinds(whole))


def _a_thing(words: str) -> bool:
    """Return whether somebody can have it as a thing or an animal: not "a question"."""
    above = kinds(_last(words)) if words else []
    return not {"animal", "artifact"}.isdisjoint(above)


def _a_person(words: str) -> bool:
    return bool(words) and "person" in kinds(_last(words))
