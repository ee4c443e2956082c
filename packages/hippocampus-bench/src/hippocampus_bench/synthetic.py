"""
Synthetic conversations over months, with questions whose answers are known, from a seed.

The engine's confidence ("was anything relevant found?") and its fusion weights are calibrated on
these, so that no benchmark leaks into a default. Two people chat (in every third conversation one
talks to an assistant) over 15 to 25 sessions of a year: facts in many wordings between small
talk, facts only the other speaker puts into words, plans that change, topics that return.
Questions mostly share few content words with what was said. A third has no answer, and most of
those sound as if they had: it never came up, the fact is the other speaker's, the thing is another
one; some are about something else altogether.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from importlib.resources import files
from random import Random
from typing import NotRequired, TypedDict

from msgspec import Struct, toml

from hippocampus.calibrate.conversations import (
    SyntheticConversation,
    SyntheticData,
)
from hippocampus.calibrate.conversations import SyntheticQuestion as ShippedQuestion
from hippocampus.errors import InputError
from hippocampus.journal.draft import spoken

UNANSWERABLE = ("unsaid", "misattributed", "mistaken", "off-topic")
KINDS = ("single", "indirect", "multi", "temporal", "update", "assistant", *UNANSWERABLE)


class SyntheticEpisode(TypedDict):
    """A turn in the format ``retrieval`` reads."""

    id: str
    text: str
    speaker: str | None
    role: str | None
    at: str
    session: str
    source: NotRequired[str]
    topic: NotRequired[str]
    """Of the fact that is told; small talk has none."""


class QuestionEntry(TypedDict):
    """A question in the format ``retrieval`` reads."""

    id: str
    text: str
    at: str
    gold: list[str]
    kind: str


class SyntheticBank(TypedDict):
    """A conversation and the questions about it."""

    id: str
    episodes: list[SyntheticEpisode]
    questions: list[QuestionEntry]


class Banks(TypedDict):
    """A data set in the format ``retrieval`` reads."""

    banks: list[SyntheticBank]


def generate(seed: int, conversations: int) -> Banks:
    """
    Make conversations with questions, the same for the same seed on every platform.

    A conversation depends on the seed and its own number alone: asking for more of them keeps
    those there were.
    """
    if conversations < 1:
        msg = f"conversations={conversations}: must be at least 1"
        raise InputError(msg)
    return {
        "banks": [
            _Conversation(f"{seed}-{number}", alone=number % 3 == 2).bank()
            for number in range(conversations)
        ]
    }


# ---------------------------------------------------------------- in the form that ships


def calibration_data(seed: int, conversations: int) -> SyntheticData:
    """Return conversations as ``hippocampus.calibrate`` reads them."""
    made = generate(seed, conversations)["banks"]
    return SyntheticData(seed, tuple(_told_twice(seed)), tuple(map(_in_columns, made)))


def _in_columns(bank: SyntheticBank) -> SyntheticConversation:
    episodes = bank["episodes"]
    place = {episode["id"]: place for place, episode in enumerate(episodes)}
    return SyntheticConversation(
        id=bank["id"],
        texts=tuple(episode["text"] for episode in episodes),
        speakers=tuple(episode["speaker"] for episode in episodes),
        roles=tuple(episode["role"] for episode in episodes),
        occurred_at=tuple(_seconds(episode["at"]) for episode in episodes),
        sessions=tuple(episode["session"] for episode in episodes),
        topics=tuple(episode.get("topic", "") for episode in episodes),
        asked_at=_seconds(bank["questions"][0]["at"]),
        questions=tuple(
            ShippedQuestion(
                asked["text"], tuple(place[id_] for id_ in asked["gold"]), asked["kind"]
            )
            for asked in bank["questions"]
        ),
    )


def _seconds(moment: str) -> int:
    return int(datetime.fromisoformat(moment).timestamp())


def _told_twice(seed: int) -> Iterator[tuple[str, str]]:
    """Yield pairs of turns that say the same of different things, in the same words."""
    rng = Random(seed)  # noqa: S311 - nothing here is secret
    filler = Filler(rng)
    for way in (way for fact in texts().facts for way in fact.say if slots(way)):
        who = rng.choice(words("name"))
        one: dict[str, str] = {}
        first = filler.fill(way, one)
        yield spoken(who, tidy(first)), spoken(who, tidy(filler.fill(way, {}, [one])))


# ---------------------------------------------------------------- facts and their words


class SyntheticFact(Struct, frozen=True):
    """Something that may be true of somebody, and the ways to say it and to ask for it."""

    key: str
    topic: str
    say: tuple[str, ...]
    reply: tuple[tuple[str, str], ...] = ()
    echo: tuple[str, ...] = ()
    change: tuple[str, ...] = ()
    ask: tuple[str, ...] = ()
    broad: tuple[str, ...] = ()
    when: tuple[str, ...] = ()
    several: tuple[str, ...] = ()


class AssistantTask(Struct, frozen=True):
    """A request, its answer, the items of a list in it, and the questions about an item."""

    request: str
    answer: str
    items: str
    asks: str


class SyntheticTexts(Struct, frozen=True):
    """The texts and templates of ``topics.toml``, which explains them."""

    greetings: tuple[str, ...]
    closings: tuple[str, ...]
    smalltalk: tuple[str, ...]
    daily: tuple[str, ...]
    reactions: tuple[str, ...]
    replies: tuple[str, ...]
    hints: tuple[str, ...]
    requests: tuple[str, ...]
    on_topic: tuple[str, ...]
    padding: tuple[str, ...]
    elsewhere: tuple[str, ...]
    openers: tuple[str, ...]
    reminders: tuple[str, ...]
    emoji: tuple[str, ...]
    contractions: tuple[tuple[str, str], ...]
    first_person: tuple[tuple[str, str], ...]
    chatter: Mapping[str, tuple[str, ...]]
    facts: tuple[SyntheticFact, ...]
    tasks: tuple[AssistantTask, ...]
    words: Mapping[str, str]
    """Slot -> the words that may fill it, "|" between."""


@cache
def texts() -> SyntheticTexts:
    """Return the made-up texts, read when first asked for."""
    data = (files("hippocampus_bench") / "data" / "topics.toml").read_bytes()
    return toml.decode(data, type=SyntheticTexts)


_SLOT = re.compile(r"\{(a:)?([a-z]+)(\d?)\}")
_START = re.compile(r"(^|[.!?]\"?\s+)([a-z])")
_UNIQUE = {"person", "petname"}  # two people of one name would make questions ambiguous
_OWN = "animal"  # whoever has a pet has one, and every fact about it means the same one


@cache
def words(slot: str) -> tuple[str, ...]:
    """Return the words that may fill a slot."""
    return tuple(texts().words[slot].split("|"))


def slots(template: str) -> set[str]:
    """Return the names of a template's slots, with their numbers."""
    return {name + number for _, name, number in _SLOT.findall(template)}


@dataclass
class Filler:
    """Fills slots, and remembers what this conversation has used."""

    rng: Random
    words: Callable[[str], Sequence[str]] = words
    """Slot -> the words that may fill it."""
    used: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def fill(
        self, template: str, values: dict[str, str], avoid: Iterable[Mapping[str, str]] = ()
    ) -> str:
        """Fill a template with ``values``, drawing (and adding) those that are missing."""
        while found := _SLOT.search(template):
            article, name, number = found.groups()
            slot = name + number
            if slot not in values:
                values[slot] = self.draw(name, {other.get(slot, "") for other in avoid}, values)
            word = values[slot]
            if article:
                word = f"an {word}" if word[0].lower() in "aeiou" else f"a {word}"
            template = template[: found.start()] + word + template[found.end() :]
        return template

    def draw(self, name: str, avoid: set[str], values: Mapping[str, str]) -> str:
        avoid = avoid | {word for slot, word in values.items() if slot.rstrip("2") == name}
        left = [word for word in self.words(name) if word not in avoid] or list(self.words(name))
        fresh = [word for word in left if word not in self.used[name]]
        # Things return in real life, in other roles; half the time they do here as well.
        if fresh and (name in _UNIQUE or self.rng.random() < 0.5):
            left = fresh
        word = self.rng.choice(left)
        self.used[name].add(word)
        return word

    def unused(self, slot: str) -> str | None:
        """Return a word that this conversation has not used, or None."""
        name = slot.rstrip("2")
        fresh = [word for word in self.words(name) if word not in self.used[name]]
        return self.rng.choice(fresh) if fresh else None


def tidy(text: str) -> str:
    """Start sentences with a capital."""
    return _START.sub(lambda found: found[1] + found[2].upper(), text)


# ---------------------------------------------------------------- who speaks, and how


@dataclass(frozen=True, slots=True)
class _Person:
    name: str
    role: str | None
    contracts: float
    """Chance that "I am" becomes "I'm"."""
    exclaims: float
    """Chance that a turn ends on an emoji."""


@cache
def _contractions() -> tuple[tuple[re.Pattern[str], str], ...]:
    return tuple((re.compile(rf"\b{a}\b"), b) for a, b in texts().contractions)


def _styled(text: str, person: _Person, rng: Random) -> str:
    text = tidy(text)
    for long, short in _contractions():
        if rng.random() < person.contracts:
            text = long.sub(short, text)
    return f"{text} {rng.choice(texts().emoji)}" if rng.random() < person.exclaims else text


def own_words(question: str) -> str | None:
    """Put a question about ``{N}`` into the first person; None when that needs more grammar."""
    text = re.sub(r"\bof \{N\}'s(?= was|\?)", "of mine", question)
    text = re.sub(r"\{N\}'s\b", "my", text)
    for third, first in texts().first_person:
        text = re.sub(rf"\b{re.escape(third)}(?= )", first, text, flags=re.IGNORECASE)
    return None if "{N}" in text else tidy(text)


# ---------------------------------------------------------------- one conversation


@dataclass
class _ToldFact:
    """A fact as told: by whom, with which words, in which turn."""

    fact: SyntheticFact
    owner: _Person
    session: int
    values: dict[str, str]
    changed: bool = False
    indirect: bool = False
    gold: str = ""


@dataclass
class _RequestTask:
    """A request to the assistant, whose long answer holds what is asked for later."""

    kind: int
    asks: Sequence[str]
    values: list[dict[str, str]]
    gold: str = ""


class _Conversation:
    def __init__(self, name: str, *, alone: bool) -> None:
        self.rng = Random(name)  # noqa: S311 - nothing here is secret
        self.filler = Filler(self.rng)
        self.name = name
        self.alone = alone
        """True if the other speaker is an assistant."""
        names = self.rng.sample(words("name"), 2)
        roles = ("user", "assistant") if alone else (None, None)
        self.people = [
            _Person(name, role, self.rng.choice((0.0, 0.5, 0.9)), self.rng.choice((0, 0, 0.12)))
            for name, role in zip(names, roles, strict=True)
        ]
        self.own = {person.name: self.filler.draw(_OWN, set(), {}) for person in self.people}
        self.spoken: set[str] = set()
        self.episodes: list[SyntheticEpisode] = []
        self.tasks: list[_RequestTask] = []
        self.told: list[_ToldFact] = []

    def bank(self) -> SyntheticBank:
        count = self.rng.randint(15, 25)
        start = datetime(2021, 1, 4, tzinfo=UTC) + timedelta(days=self.rng.randint(0, 1000))
        days = sorted(self.rng.sample(range(365), count))
        self._plan(count)
        now = start
        for number, day in enumerate(days):
            hour, minute = self.rng.randint(7, 22), self.rng.randint(0, 59)
            now = start + timedelta(days=day, hours=hour, minutes=minute)
            self._session(number, now)
        asked = now + timedelta(days=self.rng.randint(1, 60))
        return {
            "id": self.name,
            "episodes": self.episodes,
            "questions": self._questions(asked),
        }

    # what will be told, and in which session

    def _plan(self, sessions: int) -> None:
        owners = self.people[:1] if self.alone else self.people
        chosen: list[SyntheticFact] = []
        for owner in owners:
            wanted = self.rng.randint(14, 20)
            # The other speaker's life touches the same matters: who said it must count.
            shared = self.rng.sample(chosen, min(len(chosen), wanted * 2 // 5))
            fresh = [fact for fact in texts().facts if fact not in shared]
            mine = shared + self.rng.sample(fresh, wanted - len(shared))
            for fact in mine:
                self._plan_fact(fact, owner, sessions)
            chosen = mine

    def _plan_fact(self, fact: SyntheticFact, owner: _Person, sessions: int) -> None:
        times, changes = 1, False
        if fact.several and self.rng.random() < 0.6:
            times = self.rng.randint(2, 4)
        elif fact.change and self.rng.random() < 0.6:
            times, changes = 2, True
        for nth, session in enumerate(sorted(self.rng.sample(range(sessions), times))):
            told = _ToldFact(fact, owner, session, {}, changed=changes and nth == 1)
            if any(_OWN in slots(text) for text in fact.say):
                told.values[_OWN] = self.own[owner.name]
            self.told.append(told)

    # turns

    def _session(self, number: int, start: datetime) -> None:
        first, second = self.people if self.alone else self.rng.sample(self.people, 2)
        blocks = [self._telling(told) for told in self.told if told.session == number]
        if self.alone:
            spare = 2 * len(texts().tasks) - len(self.tasks)
            blocks += [self._request() for _ in range(min(spare, self.rng.choice((0, 1, 1))))]
        else:
            blocks += [self._banter() for _ in range(self.rng.randint(2, 5))]
        self.rng.shuffle(blocks)
        if not self.alone:
            blocks.insert(0, self._pair(texts().greetings, first, second))
            blocks.append(self._pair(texts().closings, *self.rng.sample((first, second), 2)))
        at = start
        for place, (person, text, source) in enumerate(turn for block in blocks for turn in block):
            id_ = f"s{number}t{place}"
            self.episodes.append(
                {
                    "id": id_,
                    "text": _styled(text, person, self.rng),
                    "speaker": None if self.alone else person.name,
                    "role": person.role,
                    "at": at.isoformat(),
                    "session": f"s{number}",
                }
            )
            if source is not None:
                source.gold = id_
            if isinstance(source, _ToldFact):
                self.episodes[-1]["topic"] = source.fact.topic
            at += timedelta(seconds=self.rng.randint(15, 120))

    def _telling(self, told: _ToldFact) -> list[_Line]:
        owner, other = told.owner, self._other(told.owner)
        fact, values = told.fact, told.values
        before = [one.values for one in self.told if one.fact is fact and one is not told]

        def fill(template: str) -> str:
            return self.filler.fill(template, values, before)

        if self.alone:
            text = fill(self.rng.choice(fact.change if told.changed else fact.say))
            if self.rng.random() < 0.8:
                text = f"{text} {self.rng.choice(texts().requests)}"
            on_topic = self.rng.choice(texts().on_topic).replace("{topic}", fact.topic)
            return [(owner, text, told), (other, self._padding(on_topic), None)]
        mood = self.rng.random()
        if not told.changed and fact.reply and mood < 0.35:
            question, answer = self.rng.choice(fact.reply)
            lines: list[_Line] = [(other, fill(question), None), (owner, fill(answer), told)]
            return [*lines, (other, self.rng.choice(texts().reactions), None)]
        if not told.changed and fact.echo and mood > 0.75:
            told.indirect = True
            hint = self.rng.choice(texts().hints)
            lines = [(owner, hint, None), (other, fill(self.rng.choice(fact.echo)), told)]
            return [*lines, (owner, self.rng.choice(texts().replies), None)]
        text = fill(self.rng.choice(fact.change if told.changed else fact.say))
        if self.rng.random() < 0.25:
            text = self.rng.choice(texts().openers) + text
        if self.rng.random() < 0.2:
            text = f"{text} {self.rng.choice(texts().chatter[fact.topic])}"
        lines = [(owner, text, told), (other, self.rng.choice(texts().reactions), None)]
        if self.rng.random() < 0.5:
            lines.append((owner, self.rng.choice(texts().replies), None))
        return lines

    def _banter(self) -> list[_Line]:
        first, second = self.rng.sample(self.people, 2)
        mood = self.rng.random()
        if mood < 0.7:
            lines = texts().smalltalk if mood < 0.35 else texts().daily
            return self._pair(lines, first, second)
        # Topics that come up elsewhere return here, in the same words and without content.
        topic = self.rng.choice(self.told).fact.topic
        one, two = self.rng.sample(texts().chatter[topic], 2)
        return [(first, one, None), (second, two, None)]

    def _pair(self, lines: Sequence[str], first: _Person, second: _Person) -> list[_Line]:
        fresh = [line for line in lines if line not in self.spoken] or list(lines)
        line = self.rng.choice(fresh)
        self.spoken.add(line)
        one, _, two = line.partition("||")
        one = one.replace("{O}", second.name).replace("{N}", first.name)
        two = two.replace("{O}", second.name).replace("{N}", first.name)
        return [(first, self.filler.fill(one, {}), None), (second, self.filler.fill(two, {}), None)]

    def _request(self) -> list[_Line]:
        # At most twice each: more would run out of words, and one book would get two verdicts.
        counts = Counter(task.kind for task in self.tasks)
        kind = self.rng.choice([kind for kind in range(len(texts().tasks)) if counts[kind] < 2])
        asked = texts().tasks[kind]
        before = [values for task in self.tasks if task.kind == kind for values in task.values]
        common: dict[str, str] = {}
        said = self.filler.fill(asked.request, common, before)
        variants, values = asked.items.split("|"), list[dict[str, str]]()
        sentences = []
        for variant in self.rng.sample(variants, len(variants)):
            filled = dict(common)
            sentences.append(self.filler.fill(variant, filled, before + values) + ".")
            values.append(filled)
        task = _RequestTask(kind, asked.asks.split("|"), values)
        self.tasks.append(task)
        text = self.filler.fill(asked.answer.replace("{list}", " ".join(sentences)), common)
        user, assistant = self.people
        return [(user, said, None), (assistant, self._padding(text), task)]

    def _padding(self, text: str) -> str:
        """Lengthen an answer to between 100 and 250 words."""
        target = self.rng.randint(110, 220)
        before: list[str] = []
        after: list[str] = []
        for sentence in self.rng.sample(texts().padding, len(texts().padding)):
            if len(" ".join([*before, text, *after]).split()) >= target:
                break
            (before if self.rng.random() < 0.3 else after).append(sentence)
        return " ".join(part for part in [*before, text, *after] if part)

    def _other(self, person: _Person) -> _Person:
        return self.people[1] if person is self.people[0] else self.people[0]

    # questions

    def _questions(self, asked: datetime) -> list[QuestionEntry]:
        found: list[tuple[str, str, list[str]]] = []
        groups: dict[tuple[str, str], list[_ToldFact]] = defaultdict(list)
        for told in self.told:
            groups[told.owner.name, told.fact.key].append(told)
        for group in groups.values():
            found += self._about(group)
        for task in self.tasks:
            values = self.rng.choice(task.values)
            if text := self._ask(task.asks, values, self.people[0]):
                found.append(("assistant", text, [task.gold]))
        found = list({text: one for one in found for text in [one[1]]}.values())
        taken = {text for _, text, _ in found}
        wanted = len(taken) * 3 // 2  # a third of all
        for _ in range(10 * wanted):
            kind = self.rng.choice(UNANSWERABLE)
            text = self._unanswerable(kind, groups)
            if text and text not in taken:
                taken.add(text)
                found.append((kind, text, []))
            if len(taken) == wanted:
                break
        return [
            {
                "id": f"q{number}",
                "text": text,
                "at": asked.isoformat(),
                "gold": sorted(gold),
                "kind": kind,
            }
            for number, (kind, text, gold) in enumerate(found)
        ]

    def _about(self, group: Sequence[_ToldFact]) -> list[tuple[str, str, list[str]]]:
        """Ask about a fact: about all of its tellings, one, the last, or when it was."""
        out = []
        last, fact = group[-1], group[0].fact
        several = len(group) > 1 and not last.changed
        if several and (text := self._ask(fact.several, {}, last.owner)):
            out.append(("multi", text, [told.gold for told in group]))
        told = self.rng.choice(group) if several else last
        # Of several, only a question that names one of them has one answer.
        asks = [text for text in fact.ask + fact.broad if not several or slots(text)]
        kind = "update" if told.changed else "indirect" if told.indirect else "single"
        if text := self._ask(asks, told.values, told.owner):
            out.append((kind, text, [told.gold]))
        whens = [text for text in fact.when if not several or slots(text)]
        wanted = not told.changed and self.rng.random() < 0.6
        if wanted and (text := self._ask(whens, told.values, told.owner)):
            out.append(("temporal", text, [told.gold]))
        return out

    def _unanswerable(
        self, kind: str, groups: Mapping[tuple[str, str], Sequence[_ToldFact]]
    ) -> str | None:
        """Ask for things never said: by nobody, by the other alone, of that thing, or matter."""
        owner = self.people[0] if self.alone else self.rng.choice(self.people)
        if kind == "off-topic":
            return self._ask([self.rng.choice(texts().elsewhere)], {}, owner)
        if kind == "mistaken":
            return self._another_thing(groups, owner)
        mine = {key for name, key in groups if name == owner.name}
        everybody = {key for _, key in groups}
        other = kind == "misattributed"
        keys = everybody - mine if other else {f.key for f in texts().facts} - everybody
        if not keys:
            return None
        fact = self.rng.choice([fact for fact in texts().facts if fact.key in keys])
        values: dict[str, str] = {}
        if other:
            values |= groups[self._other(owner).name, fact.key][-1].values
        else:
            for slot in sorted({slot for text in fact.ask + fact.when for slot in slots(text)}):
                values[slot] = self.rng.choice(words(slot.rstrip("2")))
        return self._ask(fact.ask + fact.when, values, owner)

    def _another_thing(
        self, groups: Mapping[tuple[str, str], Sequence[_ToldFact]], owner: _Person
    ) -> str | None:
        """Ask for a detail of one thing about another that never came up."""
        group = self.rng.choice([g for (name, _), g in groups.items() if name == owner.name])
        fact = group[0].fact
        asks: Sequence[str] = [text for text in fact.ask + fact.when if slots(text)]
        if self.tasks and (not asks or self.rng.random() < 0.3):
            asks = self.rng.choice(self.tasks).asks
        if not asks:
            return None
        template = self.rng.choice(asks)
        values = {slot: self.filler.unused(slot) for slot in sorted(slots(template))}
        known = {slot: word for slot, word in values.items() if word is not None}
        return self._ask([template], known, owner)

    def _ask(
        self, templates: Sequence[str], values: Mapping[str, str], owner: _Person
    ) -> str | None:
        """Fill one of the questions that these values suffice for; None when there is none."""
        fit = [text for text in templates if slots(text) <= values.keys()]
        if self.alone:
            fit = [own for text in fit if (own := own_words(text))]
        if not fit:
            return None
        text = tidy(self.filler.fill(self.rng.choice(fit), dict(values)))
        text = text.replace("{N}", owner.name)
        if self.rng.random() < 0.12:
            opener = self.rng.choice(texts().reminders)
            text = opener + text[0].lower() + text[1:]
        return text


_Line = tuple[_Person, str, _ToldFact | _RequestTask | None]
