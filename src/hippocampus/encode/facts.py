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
from hippocampus.encode.terms import FUNCTION_WORDS
from hippocampus.encode.when import find_intervals
from hippocampus.model import Interval, Mode, Statement

FUNCTIONAL: Final = frozenset(
    "lives_in works_at works_as studies_at married_to marital_status birthday age".split()
)
"""Relations of which one holds at a time; what is "my" something, in the singular, is another."""
EXCLUSIVE: Final = {"likes": "dislikes", "dislikes": "likes"}
"""Relations that cannot both hold of the same."""

KIN: Final = frozenset(
    "aunt boyfriend brother cousin dad daughter father fiance fiancee fiancé fiancée friend"
    " girlfriend grandma grandmother grandpa grandfather granddaughter grandson husband mom mother"
    " mum neighbour neighbor nephew niece partner roommate sister son uncle wife boss colleague"
    " teacher doctor dentist therapist".split()
)

_NAME = r"[a-z]?[A-Z][\w'&-]*(?:\.(?=\w))?(?: (?:(?:of the|of|de|da|do|del|van|von|the) )?[A-Z0-9][\w'&-]*)*"
_KIN = "|".join(sorted(KIN))
_SUBJECT = re.compile(
    rf"\b(?P<who>(?:[Mm]y|[Oo]ur|[Hh]is|[Hh]er|[Yy]our|{_NAME}'s) (?:(?:best|older|younger|little|"
    rf"big|new|old) )?(?:{_KIN})\b(?:,? (?P<called>(?!I\b)[A-Z]\w+(?: [A-Z]\w+)?),?)?"
    rf"|[Ii]|[Ww]e|[Yy]ou|[Hh]e|[Ss]he|(?!I\b){_NAME})"
    r"(?P<aux>(?:'ve|'m|'re|'s|'d|'ll)?(?: (?:am|is|are|was|were|been|do|"
    r"(?:have|has|had)(?! (?:a|an|the|my|our|his|her|some|one|two|three|four|got|\d+)\b)|does|did|don't"
    r"|doesn't|didn't|isn't|aren't|wasn't|haven't|hasn't|can't|won't|wouldn't|not|no longer|never"
    r"|used to|will|would|could|might|may|should|want to|wants to|hope to|going to|also|still|just"
    r"|now|currently|recently|finally|actually|really|always|both|already|absolutely|totally|both"
    r"|officially|even|so|only|mostly|mainly|originally|currently|happily|then|soon|eventually))*)"
    r" (?P<rest>[^.!?;:\n]+)"
)
_SENTENCE = re.compile(r"[^.!?;\n]+(?:\.(?=\S)[^.!?;\n]*)*[.!?;\n]*")
_UNREAL = re.compile(r"\b(?:if|wish|imagine|unless|whether|suppose|as though)\b", re.IGNORECASE)
_MODAL = re.compile(r"'ll|'d\b|will|would|could|might|may|should|want|hope|going to|won't")
_WILL = re.compile(r"'ll|will|going to")
_NOT = re.compile(r"n't|not|no longer|never")
_NO_MORE = re.compile(r"\b(?:any ?more|any longer|no longer)\b", re.IGNORECASE)
_AND = re.compile(
    r",? (?:and|but|then|so|because|since|while) (?:then |now |also |that )*", re.IGNORECASE
)


class _Rule(NamedTuple):
    """What a beginning of a predicate says. ``named``: only of a name, as places are."""

    said: re.Pattern[str]
    relation: str
    mode: Mode
    named: bool = False
    plain: bool = False
    """Needs no "am" before it."""


def _rule(said: str, relation: str, mode: Mode, **how: bool) -> _Rule:
    return _Rule(re.compile(rf"(?:{said})(?: |$)", re.IGNORECASE), relation, mode, **how)


_WAY = "(?: back| out| over| down| up| away| here| together| all the way)*"
_RULES: Final = (
    _rule(rf"(?:live|lives|living|reside|resides|residing|based|settled){_WAY} (?:in|at)",
          "lives_in", "holds", named=True),
    _rule(rf"(?:lived|resided){_WAY} in", "lives_in", "held", named=True),
    _rule(rf"(?:moved|relocated|emigrated|moving|relocating|settled down|move|relocate){_WAY}"
          r"(?: from [\w' -]+?)? (?:to|in)", "lives_in", "began", named=True),
    _rule(rf"(?:moved|relocated|moving){_WAY} (?:from|out of)|left", "lives_in", "ended",
          named=True),
    _rule("(?:was |were )?born(?: and raised)? in", "born_in", "holds", named=True),
    _rule("grew up in|raised in", "grew_up_in", "held", named=True),
    _rule("from|come from|comes from|originally from|hail from", "from", "holds", named=True),
    _rule("(?:work|works|working|employed) (?:at|for|by|with)", "works_at", "holds", named=True),
    _rule("worked (?:at|for)", "works_at", "held", named=True),
    _rule("(?:joined|joining|hired by|(?:started|start|starting|began)"
          "(?: working| a (?:new )?(?:job|position|role))?(?: work)? (?:at|with|for)"
          "|got (?:a|the|my) (?:new |dream )?(?:job|offer|position) (?:at|with|from)"
          "|(?:accepted|took) (?:a|the) (?:new )?(?:job|offer|position) (?:at|with|from))",
          "works_at", "began", named=True),
    _rule("(?:quit|left|lost|resigned from|gave up) (?:my|his|her|the|your)"
          "(?: old| current)? job(?: at| with)?|retired(?: from)?|(?:got |was )?(?:fired|laid off)(?: from| by)?",
          "works_at", "ended"),
    _rule("quit|left|resigned from|stopped working (?:at|for)|leaving|quitting", "works_at", "ended",
          named=True),
    _rule("(?:work|works|working) as", "works_as", "holds"),
    _rule("worked as", "works_as", "held"),
    _rule("(?:became|started(?: working| out)? as|got promoted to|promoted to|hired as)",
          "works_as", "began"),
    _rule("(?:study|studies|studying|go to|goes to|going to|enrolled|attend|attends)(?: at| in)?",
          "studies_at", "holds", named=True),
    _rule("graduated from|finished at|dropped out of", "studies_at", "ended", named=True),
    _rule("study|studies|studying|major in|majoring in|majors in", "studies", "holds"),
    _rule("(?:started|began|start) (?:studying|learning)|took up", "studies", "began"),
    _rule("married to", "married_to", "holds", named=True),
    _rule("(?:got |getting )?married(?: to)?|marrying|tied the knot with", "married_to", "began",
          named=True),
    _rule("(?:got )?(?:divorced|separated)(?: from)?|divorced", "married_to", "ended", named=True),
    _rule("(?:like|love|enjoy|adore)s?|into|keen on|crazy about|passionate about|fond of"
          "|(?:a )?(?:big|huge|great)? ?fans? of|fell in love with", "likes", "holds"),
    _rule("(?:hate|dislike|detest|loathe)s?|can't stand", "dislikes", "holds"),
    _rule("prefers?", "prefers", "holds"),
    _rule("allergic to", "allergic_to", "holds"),
    _rule("(?:have|has|own|owns|'ve got|got)(?: got)?", "has", "holds"),
    _rule("(?:bought|adopted|purchased)(?: myself| ourselves| himself| herself)?", "has", "began"),
    _rule("(?:sold|gave away|got rid of)", "has", "ended"),
    _rule("plays?|playing", "plays", "holds"),
    _rule("(?:stopped|quit|gave up) playing", "plays", "ended"),
    _rule("speaks?", "speaks", "holds", named=True),
)  # fmt: skip
_HINT = re.compile(
    "|".join([rf"\b(?:{rule.said.pattern})" for rule in _RULES])
    + r"|\b(?:my|our|your|his|her|\w+'s)\b|\ban?\b|call me|go by|known as|married|engaged|single",
    re.IGNORECASE,
)
"""Without any of these a sentence says nothing that could be read."""
_STATUS = re.compile(
    r"(?:(?:got|getting|been|is|am|just) )*(?P<is>married|engaged|divorced|single|widowed)\b(?! to)"
    r"(?!,? [A-Z])",
    re.IGNORECASE,
)
_FROM_TO = re.compile(
    rf"(?:moved|relocated|emigrated|moving){_WAY} from (?P<from>{_NAME}|\w+) to |"
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
_SEVERAL: Final = {rule.relation for rule in _RULES} - FUNCTIONAL | {"is_a", "name"}
_WORD = re.compile(r"[^\W_]+(?:['&.-][^\W_]+)*")
_MOST_WORDS = 4
_THIRD: Final = frozenset("his her".split())
_FIRST: Final = frozenset("i my we our".split())
_SECOND: Final = frozenset("you your".split())


def functional(relation: str) -> bool:
    """
    Return whether a relation is to one thing at a time.

    So are the ones that are known to be, and what is "my" something, unless it is a person or an
    animal, of whom one may have several.
    """
    if relation in FUNCTIONAL:
        return True
    return relation not in _SEVERAL and relation not in KIN and "animal" not in kinds(relation)


def who_speaks(speaker: str | None, role: str | None) -> str:
    """Return who is "I": the speaker, or what they are in the talk, or whoever keeps the bank."""
    return speaker or role or "user"


def find_statements(
    text: str, *, speaker: str, others: Sequence[str] = (), said_at: datetime
) -> list[Statement]:
    """
    Return what a text says of whom, each once, in order.

    Args:
        text: a turn, or a passage.
        speaker: who is "I".
        others: who else takes part; if that is one, they are "you".
        said_at: an aware moment, as of which "last March" is meant.

    """
    reader = _Reader(speaker, others[0] if len(others) == 1 else None, said_at)
    found: dict[Statement, None] = {}
    for match in _SENTENCE.finditer(text.replace("’", "'")):
        sentence = match[0].strip()
        if not sentence.endswith("?") and _HINT.search(sentence):
            found |= dict.fromkeys(reader.read(sentence))
    return list(found)


class _Reader:
    """Reads sentence after sentence; knows who was last spoken of."""

    def __init__(self, speaker: str, other: str | None, said_at: datetime) -> None:
        self._speaker, self._other, self._said_at = speaker, other, said_at
        self._last: str | None = None
        self._known = {name.split()[0] for name in (speaker, other) if name}

    def read(self, sentence: str) -> Iterator[Statement]:
        times = find_intervals(sentence, self._said_at)
        bare = sentence
        for time in times:
            bare = bare.replace(time.text, "|")
        names: set[int] | None = None
        unreal = _UNREAL.search(bare)
        stop = unreal.start() if unreal else len(bare)
        known_as = _CALLED.search(bare)
        if known_as:
            yield Statement(self._speaker, "name", known_as["name"])
        yield from self._owned(sentence, bare, stop)
        at = 0
        while (match := _SUBJECT.search(bare, at)) is not None:
            at = match.start("rest")
            who = match["who"]
            if match.start() >= stop:
                break
            sure = (
                "'s " in who or who.split()[0].lower() in _PRONOUNS or who.split()[0] in self._known
            )
            if not sure:
                if names is None:
                    names = {phrase.start for phrase in find_phrases(bare) if phrase.proper}
                sure = any(match.start() <= name < match.end("who") for name in names)
            if match["called"]:
                owner = self._owner(who.split()[0])
                if owner is not None:
                    yield Statement(owner, _noun(who, match["called"]), match["called"])
            subject = self._who(who, match["called"], sure=sure)
            if subject is not None:
                for part in self._parts(match["rest"]):
                    told = list(self._said(subject, match["aux"], part, sentence, times, sure))
                    yield from told
                    if not told and who[0].isupper() and who != "I":
                        break  # "Lisbon and started": it is the object of what is before

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

    def _said(
        self,
        subject: str,
        aux: str,
        rest: str,
        sentence: str,
        times: Sequence[Interval],
        sure: bool,
    ) -> Iterator[Statement]:
        """Yield what a predicate says; of whom may be no name, only what no thing does."""
        denied = _NOT.search(aux) is not None
        planned = _WILL.search(aux) is not None or rest.lower().startswith("moving")
        if _MODAL.search(aux) and not _WILL.search(aux):
            return
        used = "used to" in aux
        status = _STATUS.match(rest)
        if status and not denied and not planned:
            yield self._timed(subject, "marital_status", status["is"].lower(), "began", times)
            if status["is"].lower() in ("divorced", "single", "widowed"):
                yield self._timed(subject, "married_to", "", "ended", times)
            return
        both = _FROM_TO.match(rest)
        if both and not denied:
            left = both["from"] or both["left"]
            if planned or used:
                return
            yield self._timed(subject, "lives_in", left, "ended", times)
            new = _object(rest[both.end() :], named=True)
            if new:
                yield self._timed(subject, "lives_in", new, "began", times)
            return
        be = re.search(r"'m|'s|'re|\b(?:am|is|are|was|were|been|became)\b", aux) is not None
        for rule in _RULES:
            match = rule.said.match(rest) if sure or rule.named else None
            if match is None:
                continue
            tail = rest[match.end() :]
            thing = _object(tail, named=rule.named)
            mode: Mode = rule.mode
            if not thing and not (mode == "ended" and not rule.named):
                continue
            if rule.relation == "has" and not _a_thing(thing):
                return
            if rule.relation == "works_as" and not _a_person(thing):
                return
            if (
                re.match(r"(?:this|that|these|those|it|them|him|my|our)\b", tail)
                and mode != "ended"
            ):
                return  # which one was said before, if at all
            if rule.relation == "has" and mode == "holds" and be:
                return
            over = denied or _NO_MORE.search(rest) is not None
            relation = rule.relation
            if used or (be and re.search(r"\bwa?e?r?s\b|\bwere\b", aux) and mode == "holds"):
                mode = "held" if relation not in ("born_in", "from") else mode
            elif (
                mode == "held"
                and re.search("'ve|hav|has", aux)
                and any(time.end is None for time in times)
            ):
                mode = "holds"
            elif over and relation in EXCLUSIVE:
                relation = EXCLUSIVE[relation]
            elif over:
                if mode != "holds" or "never" in aux:
                    return
                mode = "ended"
            if planned:
                if mode != "began":
                    return
                ahead = find_intervals(f"will {sentence}", self._said_at)
                times = [time for time in ahead if time.start and time.start > self._said_at]
                if not times:
                    return
            yield self._timed(subject, relation, thing, mode, times)
            named = _NAMED.search(tail)
            if named and relation == "has":
                yield Statement(subject, singular(thing.split()[-1].lower()), named["name"])
            return
        if be and sure and not planned:
            yield from self._being(subject, rest, denied, "used" in aux or "was" in aux, times)

    def _being(
        self, subject: str, rest: str, denied: bool, past: bool, times: Sequence[Interval]
    ) -> Iterator[Statement]:
        """Yield what somebody is: "a nurse", and not "a bit tired"."""
        lead = re.match(r"(?:a|an)\b", rest)
        thing = _object(rest) if lead else ""
        if _a_person(thing):
            mode: Mode = "ended" if denied else "held" if past else "holds"
            yield self._timed(subject, "is_a", thing.lower(), mode, times)

    def _owned(self, sentence: str, bare: str, stop: int) -> Iterator[Statement]:
        """Yield what is "my" something: "my birthday is 3 May", "my dog Rex"."""
        for match in _OWN.finditer(sentence):
            if match.start() >= stop:
                break
            owner = self._owner(match["whose"])
            what = match["what"].split()
            noun = singular(what[-1])
            favourite = what[0].startswith("favo")
            if (
                owner is None
                or what[-1] in FUNCTION_WORDS
                or not (favourite or noun in KIN or use_of(noun).noun >= NOUN)
            ):
                continue
            if match["name"]:
                if noun in KIN or "animal" in kinds(noun):
                    yield Statement(owner, noun, match["name"])
                continue
            value = match["is"]
            exact = re.match(r"(?:on )?(?:the )?(\d[^,.!;]*)", value)
            named = re.match(_NAME, _LEAD.sub("", value, count=1) if _LEAD.match(value) else value)
            thing = exact[1].strip() if exact else ""
            if not exact:
                thing = _object(value)
            if not thing or not (exact or named or (favourite or _a_thing(thing))):
                continue
            if (noun in KIN and not named) or (noun == "name" and match["whose"].lower() in _THIRD):
                continue
            relation = "_".join([*what[:-1], noun]) if favourite else noun
            if noun == "name":
                yield Statement(owner, "name", thing)
                continue
            yield Statement(owner, relation, thing, "began" if match["new"] else "holds")

    def _timed(
        self, subject: str, relation: str, thing: str, mode: Mode, times: Sequence[Interval]
    ) -> Statement:
        """Return a statement with the first time its sentence tells."""
        start, end = next(((time.start, time.end) for time in times), (None, None))
        if mode in ("began", "ended"):
            end = None
        elif mode == "holds" and end is not None:
            end = None if start is None or start <= self._said_at else end
            start = start if times and times[0].end is None else None
        return Statement(
            subject, relation, thing, mode,
            None if start is None else to_micros(start), None if end is None else to_micros(end),
        )  # fmt: skip


_PRONOUNS: Final = frozenset("i we you he she my our your his her i'm".split())


def _noun(who: str, called: str) -> str:
    return singular(who.removesuffix(called).rstrip(" ,").split()[-1].lower())


def _object(tail: str, *, named: bool = False) -> str:
    """Return the thing a predicate's tail begins with: a name, or a few words; "" if none."""
    tail = _LEAD.sub("", tail.strip(), count=1) if _LEAD.match(tail.strip()) else tail.strip()
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
    above = kinds(singular(words.rsplit(maxsplit=1)[-1].lower())) if words else []
    return not {"animal", "artifact"}.isdisjoint(above)


def _a_person(words: str) -> bool:
    return bool(words) and "person" in kinds(singular(words.rsplit(maxsplit=1)[-1].lower()))
