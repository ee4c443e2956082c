"""
Makes up dialogues of any length with facts to be asked for long after, from a seed.

What HEMA section 3.6 took from data sets, made anew: customers who write about what they bought,
answers about places that do not exist, a story that two write together. A dialogue is about many
subjects that share nouns and names ("the kettle for Nadia", "the kettle for the office", "Nadia's
parka"), each with facts of several kinds. A fact that will be asked for is told, taken up, told
again in other words and spoken of, in some six turns, which all support it; others of its kind are
told of other subjects, some with the same noun or name. The question comes 150 turns after the last
of these, with the subject and the fact in yet other words. In a dialogue that is too short for that
it comes at the end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import product
from random import Random
from typing import Final, NamedTuple

from hippocampus.errors import InputError
from hippocampus_bench.synthetic import tidy
from hippocampus_bench.texts import DIALOGUE, DialogueTexts, FactKind, Genre
from hippocampus_bench.wording import TUNED, read

LATER: Final = 150
"""Turns between the last that supports a fact and the question for it."""
SHORTEST: Final = 40
LONGEST: Final = 40_000

_SPREAD = 12
"""Exchanges, each of two turns, in which all that supports a fact is said."""
_TURNS_A_FACT = 50
_CONFIRMED = 0.7
_RIVALS = 3
"""Other facts of the same kind, for each that is asked for."""
_START = datetime(2025, 1, 6, 9, tzinfo=UTC)
_SLOT = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class DialogueTurn:
    """Turn of the user or the assistant; ``fact``: the number of the one it supports, if any."""

    id: str
    role: str
    text: str
    at: datetime
    fact: int | None


@dataclass(frozen=True, slots=True)
class DialogueQuestion:
    """A question, the number of turns before it, its answer, and the turns that support that."""

    id: str
    text: str
    after: int
    span: str
    gold: frozenset[str]


@dataclass(frozen=True, slots=True)
class Dialogue:
    """Turns in order, and questions in the order in which they are asked."""

    id: str
    genre: str
    turns: tuple[DialogueTurn, ...]
    questions: tuple[DialogueQuestion, ...]


def make_dialogue(turns: int, *, number: int = 0, seed: int = 0, wording: str = TUNED) -> Dialogue:
    """
    Make a dialogue, the same for the same arguments on every platform.

    ``number``: of the dialogue; genres take turns. ``wording``: what it is told in.

    Raises:
        InputError: a length that holds no fact and no question, or more than there are words for;
            a wording that breaks a rule.

    """
    if not SHORTEST <= turns <= LONGEST:
        msg = f"turns={turns}: a dialogue has from {SHORTEST} to {LONGEST}"
        raise InputError(msg)
    texts = read(DIALOGUE, wording).texts
    genre = texts.genres[number % len(texts.genres)]
    return _DialogueTelling(f"{seed}-{turns}-{number}", texts, genre, turns // 2).dialogue()


# ---------------------------------------------------------------- one dialogue


class _Subject(NamedTuple):
    noun: tuple[str, ...]
    name: str


class _Fact(NamedTuple):
    number: int
    subject: _Subject
    kind: FactKind
    value: str


class _TurnDraft(NamedTuple):
    """A turn before it has a place; ``fact``: the number of what it supports."""

    text: str
    fact: int | None = None


class _DialogueTelling:
    def __init__(self, name: str, texts: DialogueTexts, genre: Genre, exchanges: int) -> None:
        self.rng = Random(name)  # noqa: S311 - nothing here is secret
        self.name, self.texts, self.genre, self.exchanges = name, texts, genre, exchanges
        self.values: set[str] = set()
        self.facts: list[_Fact] = []
        self.told: set[tuple[_Subject, str]] = set()
        self.own: set[_Subject] = set()
        """Those of facts that are asked for: from then on nothing else is planned of them."""
        self.subjects = [_Subject(*pair) for pair in product(genre.nouns, genre.names)]
        if genre.one_each:  # people have a name each, and a trade with others
            self.subjects = [
                _Subject(self.rng.choice(genre.nouns), f"{name}{second}")
                for second in genre.surnames
                for name in genre.names
            ]
        wide = max(6, min(len(self.subjects), exchanges // 5))
        self.subjects = self._neighbours(wide)
        self.places: list[list[tuple[_TurnDraft, _TurnDraft]]] = [[] for _ in range(exchanges)]

    def _neighbours(self, count: int) -> list[_Subject]:
        """Return some subjects, such that most share a noun or a name with another."""
        rng, left = self.rng, list(self.subjects)
        rng.shuffle(left)
        chosen = [left.pop()]
        while len(chosen) < count and left:
            last = rng.choice(chosen)
            near = [s for s in left if s.noun == last.noun or s.name == last.name]
            subject = rng.choice(near) if near and rng.random() < 0.7 else rng.choice(left)
            left.remove(subject)
            chosen.append(subject)
        return chosen

    def dialogue(self) -> Dialogue:
        """Plan the facts, fill what is left with talk, and say all of it in order."""
        wanted = max(2, 2 * self.exchanges // _TURNS_A_FACT)
        last = self.exchanges - LATER // 2
        late = last >= _SPREAD + 4
        asked: list[tuple[_Fact, int]] = []
        for nth in range(wanted):
            free = [subject for subject in self.subjects if subject not in self.own]
            fact = self._fact(among=free) if len(self.own) < len(self.subjects) // 2 else None
            if fact is None:
                break  # there is nobody left to tell of
            self.own.add(fact.subject)
            if late:
                start = int((last - _SPREAD) * (nth + self.rng.random()) / wanted)
                spread = _SPREAD
            else:
                spread = min(_SPREAD, self.exchanges // 3)
                start = self.rng.randrange(max(1, self.exchanges // 6))
            end = self._plan(fact, start, spread)
            asked.append((fact, end + LATER // 2 if late else self.exchanges))
            for rival in self._rivals(fact):
                self._plan(rival, self.rng.randrange(self.exchanges - 2), 2, asked=False)
        return self._say(asked)

    # facts

    def _fact(self, kind: FactKind | None = None, among: Sequence[_Subject] = ()) -> _Fact | None:
        for _ in range(200):
            subject = self.rng.choice(among or self.subjects)
            of = kind or self.rng.choice(self.genre.kinds)
            value = None if (subject, of.name) in self.told else self._value(of.value)
            if value is not None:
                self.told.add((subject, of.name))
                fact = _Fact(len(self.facts), subject, of, value)
                self.facts.append(fact)
                return fact
        return None

    def _rivals(self, fact: _Fact) -> Iterator[_Fact]:
        same = [s for s in self.subjects if s not in self.own]
        noun = [s for s in same if s.noun == fact.subject.noun]
        name = [s for s in same if s.name == fact.subject.name]
        for among in (noun, name, same)[: _RIVALS if self.exchanges >= _TURNS_A_FACT else 1]:
            rival = self._fact(fact.kind, among or same)
            if rival is not None:
                yield rival

    def _value(self, of: str) -> str | None:
        """Make up a value that this dialogue has not had; None if that does not come about."""
        rng = self.rng

        def part(found: re.Match[str]) -> str:
            match found[1]:
                case "number":
                    return str(rng.randint(11, 989))
                case "small":
                    return str(rng.randint(2, 99))
                case "nth":
                    day = rng.randint(1, 28)
                    ending = {1: "st", 2: "nd", 3: "rd"}.get(
                        day % 10 if day // 10 != 1 else 0, "th"
                    )
                    return f"{day}{ending}"
                case name:
                    return rng.choice(self.texts.parts[name])

        ways = self.texts.values[of]
        for _ in range(50):
            value = _SLOT.sub(part, rng.choice(ways))
            if value not in self.values:
                self.values.add(value)
                return value
        return None

    def _plan(self, fact: _Fact, start: int, spread: int, *, asked: bool = True) -> int:
        """Give the mentions of a fact their places from ``start`` on; return the last of them."""
        rng, kind = self.rng, fact.kind
        pairs = list(self._told(fact))
        if asked:
            again = [self._again(text, fact) for text in rng.sample(kind.told_again, 2)]
            about = [
                self._about(text, fact) for text in rng.sample(kind.spoken_of, rng.randint(3, 4))
            ]
            rest = [*again, *about]
            rng.shuffle(rest)
            pairs += rest
        elif rng.random() < 0.5:
            pairs.append(self._user(rng.choice(kind.told_again), fact))
        room = range(1, max(spread, len(pairs)))
        places = [0, *sorted(rng.sample(room, len(pairs) - 1))]
        at = start
        for place, pair in zip(places, pairs, strict=True):
            at = min(start + place, self.exchanges - 1)
            self.places[at].append(pair)
        return at

    def _told(self, fact: _Fact) -> Iterator[tuple[_TurnDraft, _TurnDraft]]:
        """Yield the exchanges in which a fact is told and taken up."""
        rng, kind = self.rng, fact.kind
        tell = self._filled(rng.choice(kind.told), fact)
        take = self._filled(rng.choice(kind.taken_up), fact)
        if self.genre.teller == "user":
            yield (
                _TurnDraft(self._led(tell), fact.number),
                _TurnDraft(self._long(take), fact.number),
            )
        else:
            opener = self._filled(rng.choice(self.genre.openers), fact)
            yield _TurnDraft(opener), _TurnDraft(self._long(tell), fact.number)
            yield _TurnDraft(take, fact.number), _TurnDraft(self._answer())

    def _user(self, line: str, fact: _Fact) -> tuple[_TurnDraft, _TurnDraft]:
        return _TurnDraft(self._led(self._filled(line, fact)), fact.number), _TurnDraft(
            self._answer()
        )

    def _again(self, line: str, fact: _Fact) -> tuple[_TurnDraft, _TurnDraft]:
        """Have a fact told again, and more often than not confirmed."""
        said, answer = self._user(line, fact)
        if self.genre.teller == "user" and self.rng.random() < _CONFIRMED:
            take = self._filled(self.rng.choice(fact.kind.taken_up), fact)
            answer = _TurnDraft(self._long(take), fact.number)
        return said, answer

    def _about(self, line: str, fact: _Fact) -> tuple[_TurnDraft, _TurnDraft]:
        """Have a fact spoken of, by who tells; questions are always the user's."""
        if self.genre.teller == "user" or line.endswith("?"):
            return self._user(line, fact)
        opener = self._filled(self.rng.choice(self.genre.openers), fact)
        return _TurnDraft(opener), _TurnDraft(self._long(self._filled(line, fact)), fact.number)

    # words

    def _filled(self, line: str, fact: _Fact) -> str:
        return self._called(line, fact.subject).replace("{value}", fact.value)

    def _called(self, line: str, subject: _Subject) -> str:
        noun, *others = subject.noun
        own = self.genre.called.replace("{noun}", noun)
        other = self.genre.also_called.replace("{noun}", self.rng.choice(others))
        line = line.replace("{subject}", own).replace("{alias}", other)
        return tidy(line.replace("{name}", subject.name))

    def _led(self, text: str) -> str:
        lead = self.rng.choice(self.texts.lead)
        first = text.split(maxsplit=1)[0]
        if lead and first not in ("I", *self.genre.names):
            text = text[0].lower() + text[1:]
        if self.rng.random() < 0.2:
            text = f"{text} {self.rng.choice(self.genre.small_talk)}"
        return tidy(lead + text)

    def _long(self, text: str) -> str:
        """Lengthen the words of an assistant by up to five sentences, before them and behind."""
        more = self.rng.sample(self.genre.padding, self.rng.choice((0, 1, 1, 2, 3, 5)))
        cut = self.rng.randint(0, len(more)) if self.rng.random() < 0.5 else 0
        return " ".join([*more[:cut], text, *more[cut:]])

    def _answer(self) -> str:
        return self._long(self.rng.choice(self.genre.replies))

    def _chat(self) -> tuple[_TurnDraft, _TurnDraft]:
        """Speak of a subject, or of nothing, without telling anything."""
        if self.rng.random() < 0.5:
            text = self._called(self.rng.choice(self.genre.talk), self.rng.choice(self.subjects))
        else:
            text = self.rng.choice(self.genre.small_talk)
        return _TurnDraft(self._led(text)), _TurnDraft(self._answer())

    # the whole

    def _say(self, asked: Sequence[tuple[_Fact, int]]) -> Dialogue:
        pairs: list[tuple[_TurnDraft, _TurnDraft]] = []
        due: dict[int, int] = {}
        for place, planned in enumerate(self.places):
            pairs += planned
            due[place] = len(pairs)
            # Where several facts meet, the dialogue makes room and is short of talk elsewhere.
            while len(pairs) <= place and len(pairs) < self.exchanges:
                pairs.append(self._chat())
                due[place] = len(pairs)
        turns: list[DialogueTurn] = []
        at = _START
        for said in (said for pair in pairs for said in pair):
            role = "assistant" if len(turns) % 2 else "user"
            turns.append(DialogueTurn(f"t{len(turns)}", role, said.text, at, said.fact))
            at += timedelta(seconds=self.rng.randint(20, 240))
        questions: list[DialogueQuestion] = []
        for fact, _ in asked:
            support = [place for place, turn in enumerate(turns) if turn.fact == fact.number]
            later = support[-1] + 1 + LATER
            line = self.rng.choice(fact.kind.asked)
            questions.append(
                DialogueQuestion(
                    id=f"{self.name}-q{fact.number}",
                    text=self.rng.choice(self.texts.ask).replace(
                        "{question}", self._called(line, fact.subject)
                    ),
                    after=min(later, len(turns)),
                    span=fact.value,
                    gold=frozenset(turns[place].id for place in support),
                )
            )
        questions.sort(key=lambda question: question.after)
        return Dialogue(self.name, self.genre.name, tuple(turns), tuple(questions))
