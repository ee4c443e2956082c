"""
What a text says of whom, as subject, relation and object: "I moved from Porto to Lisbon".

Read by rules, sentence by sentence: who it is about, how what is said of them stands to time (it is
so, became so, was so, is so no longer), and what it is. Questions, conditions and wishes say
nothing. English; what no rule knows is not read, for a wrong fact is worse than a missing one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Final, NamedTuple

from hippocampus._clock import to_micros
from hippocampus.encode.nouns import kinds, singular, use_of
from hippocampus.encode.phrases import NOUN, find_phrases
from hippocampus.encode.relations import EXCLUSIVE, KIN, RULES, WAY, Rule
from hippocampus.encode.terms import FUNCTION_WORDS
from hippocampus.encode.when import find_intervals
from hippocampus.model import Interval, Mode, Statement

_NAME = (
    r"[a-z]?[A-Z][\w'&-]*(?:\.(?=\w))?"
    r"(?: (?:(?:of the|of|de|da|do|del|van|von|the) )?[A-Z0-9][\w'&-]*)*"
)
_KIN = "|".join(sorted(KIN))
_SUBJECT = re.compile(
    rf"\b(?P<who>(?:[Mm]y|[Oo]ur|[Hh]is|[Hh]er|[Yy]our|{_NAME}'s) (?:(?:best|older|younger|little|"
    rf"big|new|old) )?(?:{_KIN})\b(?:,? (?P<called>(?!I\b)[A-Z]\w+(?: [A-Z]\w+)?),?)?"
    rf"|[Ii]|[Ww]e|[Yy]ou|[Hh]e|[Ss]he|(?!I\b){_NAME})"
    r"(?P<aux>(?:'ve|'m|'re|'s|'d|'ll)?(?: (?:am|is|are|was|were|been|do|"
    r"(?:have|has|had)(?! (?:a|an|the|my|our|his|her|some|one|two|three|four|got|\d+)\b)"
    r"|does|did|don't|doesn't|didn't|isn't|aren't|wasn't|haven't|hasn't|can't|won't|wouldn't"
    r"|not|no longer|never|used to|will|would|could|might|may|should|want to|wants to|hope to"
    r"|going to|also|still|just|now|currently|recently|finally|actually|really|always|both|already"
    r"|absolutely|totally|officially|even|so|only|mostly|mainly|originally|happily|then|soon"
    r"|eventually))*)"
    r" (?P<rest>[^.!?;:\n]+)"
)
_SENTENCE = re.compile(r"[^.!?;\n]+(?:\.(?=\S)[^.!?;\n]*)*[.!?;\n]*")
_UNREAL = re.compile(r"\b(?:if|wish|imagine|unless|whether|suppose|as though)\b", re.IGNORECASE)
_MODAL = re.compile(r"'ll|'d\b|will|would|could|might|may|should|want|hope|going to|won't")
_WILL = re.compile(r"'ll|will|going to")
_NOT = re.compile(r"n't|not|no longer|never")
_BE = re.compile(r"'m|'s|'re|\b(?:am|is|are|was|were|been)\b")
_WAS = re.compile(r"\b(?:was|were)\b")
_HAVE = re.compile(r"'ve|hav|has")
_POINTS = re.compile(r"(?:this|that|these|those|it|them|him|my|our)\b")
_NUMBER = re.compile(r"(?:on )?(?:the )?(\d[^,.!;]*)")
_ALONE: Final = frozenset({"divorced", "single", "widowed"})
_NO_MORE = re.compile(r"\b(?:any ?more|any longer|no longer)\b", re.IGNORECASE)
_AND = re.compile(
    r",? (?:and|but|then|so|because|since|while) (?:then |now |also |that )*", re.IGNORECASE
)


_HINT = re.compile(
    "|".join([rf"\b(?:{rule.said.pattern})" for rule in RULES])
    + r"|\b(?:my|our|your|his|her|\w+'s)\b|\ban?\b|call me|go by|known as|married|engaged|single",
    re.IGNORECASE,
)
"""Without any of these a sentence says nothing that could be read."""
_HERE = re.compile(r"\b(?:I|you|we|my|your|our)\b", re.IGNORECASE)
_STATUS = re.compile(
    r"(?:(?:got|getting|been|is|am|just) )*(?P<is>married|engaged|divorced|single|widowed)\b(?! to)"
    r"(?!,? [A-Z])",
    re.IGNORECASE,
)
_FROM_TO = re.compile(
    rf"(?:moved|relocated|emigrated|moving){WAY} from (?P<from>{_NAME}|\w+) to |"
    rf"(?:left) (?P<left>{_NAME}) for ",
    re.IGNORECASE,
)
_OWN = re.compile(
    rf"\b(?P<whose>[Mm]y|[Oo]ur|[Hh]is|[Hh]er|[Yy]our|{_NAME}'s) (?P<new>new |current )?"
    r"(?:old |first |own |older |younger |little |best |dear )?"
    r"(?P<what>(?:favou?rite )?[a-z]+(?: (?!is\b|are\b|was\b)[a-z]+)?)"
    rf"(?:(?:'s name is| is| are|'s) (?:now |called |named )*(?P<is>.+)"
    rf"|,? (?P<name>(?!I\b)[A-Z]\w+(?: [A-Z]\w+)?))"
)
_CALLED = re.compile(rf"\b(?:[Cc]all me|I go by|I'm known as|everyone calls me) (?P<name>{_NAME})")
_NAMED = re.compile(rf",? (?:named|called) (?P<name>{_NAME})")
_LEAD = re.compile(
    r"(?:(?:a|an|the|my|our|your|his|her|their|some|this|that|these|those|any|another|all|every|both|many|one|two|three"
    r"|four|several|to|it|new|own|bit of|lot of|cute|little|lovely)\b ?)+", re.IGNORECASE,
)  # fmt: skip
_STOPS: Final = (FUNCTION_WORDS - {"of"}) | frozenset(
    "because since while until after before too also now today yesterday recently anymore again but"
    " so much more very really ever over during when though although together there here last next"
    " ago as well named called who which like since actually honestly though still yet".split()
)
_WORD = re.compile(r"[^\W_]+(?:['&.-][^\W_]+)*")
_MOST_WORDS = 4
_THIRD: Final = frozenset("his her".split())
_FIRST: Final = frozenset("i my we our".split())
_SECOND: Final = frozenset("you your".split())


def who_speaks(speaker: str | None, role: str | None) -> str:
    """Return who is "I": the speaker, or what they are in the talk, or whoever keeps the bank."""
    return speaker or role or "user"


def find_statements(
    text: str,
    *,
    speaker: str,
    others: Sequence[str] = (),
    said_at: datetime,
    addressed: bool = False,
) -> list[Statement]:
    """
    Return what a text says of whom, each once, in order.

    Args:
        text: a turn, or a passage.
        speaker: who is "I".
        others: who else takes part; if that is one, they are "you".
        said_at: an aware moment, as of which "last March" is meant.
        addressed: read only sentences that speak of who talks here: an assistant's long answers
            are about the world, which is not what a memory is asked for.

    """
    reader = _Reader(speaker, others[0] if len(others) == 1 else None, said_at)
    found: dict[Statement, None] = {}
    for match in _SENTENCE.finditer(text.replace("’", "'")):
        sentence = match[0].strip()
        if sentence.endswith("?") or (addressed and not _HERE.search(sentence)):
            continue
        if _HINT.search(sentence):
            found |= dict.fromkeys(reader.read(sentence))
    return list(found)


class _Clause(NamedTuple):
    """A predicate, of whom it is said, and how: the auxiliaries before it."""

    subject: str
    aux: str
    rest: str
    sentence: str
    times: Sequence[Interval]

    @property
    def unreal(self) -> bool:
        """Whether it only could be so."""
        return _MODAL.search(self.aux) is not None and _WILL.search(self.aux) is None

    @property
    def planned(self) -> bool:
        """Whether it is still to come."""
        return _WILL.search(self.aux) is not None or self.rest.lower().startswith("moving")

    @property
    def denied(self) -> bool:
        """Whether it is not so."""
        return _NOT.search(self.aux) is not None

    @property
    def used(self) -> bool:
        """Whether it used to be so."""
        return "used to" in self.aux

    @property
    def be(self) -> bool:
        """Whether it is what somebody is or was."""
        return _BE.search(self.aux) is not None

    @property
    def past(self) -> bool:
        """Whether it is what somebody was."""
        return _WAS.search(self.aux) is not None


def _relation_of(rule: Rule, clause: _Clause) -> tuple[str, Mode] | None:
    """Return what a rule comes to after words such as "no longer" and "used to"; None: nothing."""
    relation, mode = rule.relation, rule.mode
    over = clause.denied or _NO_MORE.search(clause.rest) is not None
    if clause.used or (clause.past and mode == "holds"):
        return relation, mode if relation in ("born_in", "from") else "held"
    if mode == "held" and _HAVE.search(clause.aux) and any(t.end is None for t in clause.times):
        return relation, "holds"  # "I have lived there since"
    if over and relation in EXCLUSIVE:
        return EXCLUSIVE[relation], mode
    if over:
        return None if mode != "holds" or "never" in clause.aux else (relation, "ended")
    return relation, mode


class _Reader:
    """Reads sentence after sentence; knows who was last spoken of."""

    def __init__(self, speaker: str, other: str | None, said_at: datetime) -> None:
        self._speaker, self._other, self._said_at = speaker, other, said_at
        self._last: str | None = None
        self._known = {name.split()[0] for name in (speaker, other) if name}

    def read(self, sentence: str) -> Iterator[Statement]:
        """Yield what a sentence says."""
        times = find_intervals(sentence, self._said_at)
        bare = sentence
        for time in times:
            bare = bare.replace(time.text, "|".ljust(len(time.text)))
        unreal = _UNREAL.search(bare)
        stop = unreal.start() if unreal else len(bare)
        called = _CALLED.search(bare, 0, stop)
        if called:
            yield Statement(self._speaker, "name", called["name"])
        yield from self._owned(sentence, stop)
        at = 0
        while (match := _SUBJECT.search(bare, at)) is not None and match.start() < stop:
            at = match.start("rest")
            who = match["who"]
            if match["called"]:
                owner = self._owner(who.split(maxsplit=1)[0])
                if owner is not None:
                    yield Statement(owner, _noun(who, match["called"]), match["called"])
            sure = self._is_somebody(who, match.span("who"), bare)
            subject = self._who(who, match["called"], sure=sure)
            if subject is None:
                continue
            for part in self._parts(match["rest"]):
                clause = _Clause(subject, match["aux"], part, sentence, times)
                told = list(self._said(clause, sure=sure))
                yield from told
                if not told and who[0].isupper() and who != "I":
                    break  # "Lisbon and started": it is the object of what is before

    def _is_somebody(self, who: str, span: tuple[int, int], sentence: str) -> bool:
        """Return whether a subject is surely one: a pronoun, someone's kin, a name."""
        first = who.split(maxsplit=1)[0]
        if "'s " in who or first.lower() in _PRONOUNS or first in self._known:
            return True
        start, end = span
        return any(
            phrase.proper and start <= phrase.start < end for phrase in find_phrases(sentence)
        )

    def _parts(self, rest: str) -> Iterator[str]:
        """Yield a predicate and those joined to it that have no subject of their own."""
        start = 0
        for end in [*_AND.finditer(rest), None]:
            yield rest[start : end.start() if end else len(rest)].strip()
            if end is None or _SUBJECT.match(rest, end.end()):
                return
            start = end.end()

    def _owner(self, whose: str) -> str | None:
        """Return whom "my", "her" or "Ana's" means, and "I", "she" or "you"."""
        lower = whose.lower()
        if lower in _FIRST:
            return self._speaker
        if lower in _SECOND:
            return self._other
        return self._last if lower in _PRONOUNS else whose.removesuffix("'s")

    def _who(self, who: str, called: str | None, *, sure: bool) -> str | None:
        """Return whom a subject means, and keep in mind who that was."""
        first = who.split(maxsplit=1)[0]
        if " " in who and (first.lower() in _PRONOUNS or "'s " in who):
            owner = self._owner(who.partition("'s ")[0] if "'s " in who else first)
            meant = called or (owner and f"{owner}'s {_noun(who, '')}")
        else:
            meant = self._owner(who)
        if sure and (first.lower() not in _FIRST | _SECOND or " " in who):
            self._last = meant
        return meant

    def _said(self, clause: _Clause, *, sure: bool) -> Iterator[Statement]:
        """Yield what a predicate says; of whom may be no name, only what no thing does."""
        if clause.unreal:
            return
        rest, plain = clause.rest, not (clause.denied or clause.planned or clause.used)
        status, moved = _STATUS.match(rest), _FROM_TO.match(rest)
        if status and plain:
            yield self._timed(clause, "marital_status", status["is"].lower(), "began")
            if status["is"].lower() in _ALONE:
                yield self._timed(clause, "married_to", "", "ended")
        elif moved and plain:
            yield self._timed(clause, "lives_in", moved["from"] or moved["left"], "ended")
            new = _object(rest[moved.end() :], named=True)
            if new:
                yield self._timed(clause, "lives_in", new, "began")
        elif not (status or moved):
            for rule in RULES:
                match = rule.said.match(rest) if sure or rule.named else None
                if match is None:
                    continue
                tail = rest[match.end() :]
                thing = _object(tail, named=rule.named)
                if thing or (rule.mode == "ended" and not rule.named):
                    yield from self._by_rule(rule, clause, thing, tail)
                    return
            if clause.be and sure and not clause.planned and re.match(r"an?\b", rest):
                yield from self._being(clause, _object(rest))

    def _by_rule(self, rule: Rule, clause: _Clause, thing: str, tail: str) -> Iterator[Statement]:
        """Yield what a rule reads in a predicate, of the thing that follows it."""
        fits = {"has": _a_thing, "works_as": _a_person}.get(rule.relation)
        if fits is not None and not fits(thing):
            return
        if rule.mode != "ended" and _POINTS.match(tail):
            return  # at what was said before, if at all
        if rule.relation == "has" and rule.mode == "holds" and clause.be:
            return  # "is having"
        read = _relation_of(rule, clause)
        if read is None:
            return
        relation, mode = read
        if clause.planned:
            ahead = find_intervals(f"will {clause.sentence}", self._said_at)
            times = [time for time in ahead if time.start and time.start > self._said_at]
            if mode != "began" or not times:
                return
            clause = clause._replace(times=times)
        yield self._timed(clause, relation, thing, mode)
        named = _NAMED.search(tail)
        if named and relation == "has":
            yield Statement(clause.subject, _last(thing), named["name"])

    def _being(self, clause: _Clause, thing: str) -> Iterator[Statement]:
        """Yield what somebody is: "a nurse", and not "a bit tired"."""
        if _a_person(thing):
            past = clause.used or clause.past
            mode: Mode = "ended" if clause.denied else "held" if past else "holds"
            yield self._timed(clause, "is_a", thing.lower(), mode)

    def _owned(self, sentence: str, stop: int) -> Iterator[Statement]:
        """Yield what is "my" something: "my birthday is 3 May", "my dog Rex"."""
        for match in _OWN.finditer(sentence, 0, stop):
            owner = self._owner(match["whose"])
            *before, last = match["what"].split()
            noun = singular(last)
            favourite = bool(before) and before[0].startswith("favo")
            known = favourite or noun in KIN or use_of(noun).noun >= NOUN
            if owner is None or last in FUNCTION_WORDS or not known:
                continue
            if match["name"]:
                if noun in KIN or "animal" in kinds(noun):
                    yield Statement(owner, noun, match["name"])
                continue
            value = match["is"]
            exact = _NUMBER.match(value)
            named = re.match(_NAME, _without_lead(value)) is not None
            thing = exact[1].strip() if exact else _object(value)
            if not thing or not (exact or named or favourite or _a_thing(thing)):
                continue
            if noun in KIN and not named:
                continue
            if noun == "name":
                if match["whose"].lower() not in _THIRD:
                    yield Statement(owner, "name", thing)
                continue
            relation = "_".join([*before, noun]) if favourite else noun
            yield Statement(owner, relation, thing, "began" if match["new"] else "holds")

    def _timed(self, clause: _Clause, relation: str, thing: str, mode: Mode) -> Statement:
        """Return a statement with the first time its sentence tells."""
        times = clause.times
        start, end = next(((time.start, time.end) for time in times), (None, None))
        if mode in ("began", "ended"):
            end = None
        elif mode == "holds" and end is not None:
            end = None if start is None or start <= self._said_at else end
            start = start if times and times[0].end is None else None
        return Statement(
            clause.subject, relation, thing, mode,
            None if start is None else to_micros(start), None if end is None else to_micros(end),
        )  # fmt: skip


_PRONOUNS: Final = frozenset("i we you he she my our your his her i'm".split())


def _without_lead(tail: str) -> str:
    """Return what follows articles and the like."""
    tail = tail.strip()
    lead = _LEAD.match(tail)
    return tail[lead.end() :] if lead else tail


def _last(words: str) -> str:
    return singular(words.rsplit(maxsplit=1)[-1].lower())


def _noun(who: str, called: str) -> str:
    return _last(who.removesuffix(called).rstrip(" ,"))


def _object(tail: str, *, named: bool = False) -> str:
    """Return the thing a predicate's tail begins with: a name, or a few words; "" if none."""
    tail = _without_lead(tail)
    name = re.match(_NAME, tail)
    if name and name[0].split()[0].lower() not in _PRONOUNS | {"i"}:
        return name[0].removesuffix("'s")
    words: list[str] = []
    end = 0
    for found in _WORD.finditer(tail):
        gap = tail[end : found.start()]
        if (words and gap != " ") or (not words and gap.strip()) or found[0].lower() in _STOPS:
            break
        words.append(found[0])
        end = found.end()
        if len(words) == _MOST_WORDS:
            break
    if len(words) == 1 and words[0].endswith("ing"):  # "making a positive impact"
        words = re.split(r"[^\w' -]", tail)[0].split()[:_MOST_WORDS]
        while words[-1].lower() in _STOPS:
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
