"""
Makes up eighteen months of somebody's life in four sources, with questions, from a seed.

What CONCEPT section 7.3 took from one deployment's logs, made anew: notes, a chat archive, mail and
the rest at 52/28/15/5 %, about projects of several kinds, each with people, a title, a code name
and matters that get settled; between them other people's projects of the same kinds, newsletters
and small talk. Each question has one chunk that answers it (its target), told once, in other
words; what else is about the same project is relevant, all other chunks are not.

How hard it is, was set by the paper's own baseline, the nearest neighbours in all sources, which
had .76 there and is to have about as much here: how much a target says beside, how often others
have settled the same, how a question puts it. No system of ours had a say in it.

The last tenth of the chunks is written after the last rebuild, in spells. A spell has a project in
focus, which is what "ours" means then, and ends with questions.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from itertools import count, cycle
from random import Random
from typing import Final

from hippocampus.errors import InputError
from hippocampus_bench.synthetic import Banks, Filler, tidy
from hippocampus_bench.synthetic import texts as common_texts
from hippocampus_bench.synthetic import words as common_words
from hippocampus_bench.texts import LIFE, LifeTexts
from hippocampus_bench.wording import TUNED, read

CHUNKS: Final = 47_392
QUESTIONS: Final = 612
SOURCES: Final[Mapping[str, float]] = {"notes": 52, "chats": 28, "mail": 15, "other": 5}
"""Percent of the chunks, and of the targets: CONCEPT, section 3.3."""
MODES: Final[Mapping[str, float]] = {"pronoun": 12, "depth": 8, "source": 23, "anchor": 31}
"""Failure modes by frequency: CONCEPT, section 3.4. Pronoun blindness, associative depth, source
blindness, anchor silence."""
PARAPHRASE: Final = "paraphrase"
SMALLEST: Final = 200

_TWO_MODES = 0.41
_FRESH = 0.1
_LEAD = 2
"""In a spell, the project in focus comes up at least so many times as often as any other."""
_DAYS = 548
_START = datetime(2024, 1, 8, 8, tzinfo=UTC)
_OWN, _OTHERS = 0.3, 0.45
"""Below the first, a filling session is about an own project; below the second, about another's."""
_EARLY = 0.03
"""Share of chunks that also tell what was once thought and no longer holds."""
_BESIDE = (0, 16, 4)
"""Fewest, most and usual words beside what a target settles."""
_BY_NAME = 0.65
"""Share of questions that call what they ask about by its name."""
_UNNAMED = 0.1
"""Share of targets that do not name the project that their question names."""
_OTHERS_SETTLE = 0.1
"""Share of chunks on another's project that tell how a matter was settled there."""
_FEWEST_MATTERS = 8
_ALIKE = 2
"""Own projects of a kind, while there are kinds enough."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A piece of a note, a turn of a chat with its answer, a mail, or something else."""

    id: str
    text: str
    at: datetime
    source: str
    session: str
    speaker: str | None
    about: str
    """The project and which side of it, as ``3/figures``; empty where it is nobody's own."""


@dataclass(frozen=True, slots=True)
class LifeQuestion:
    """A question, when it is asked, and the chunk that answers it."""

    id: str
    text: str
    now: datetime
    mode: str
    also: str | None
    """The second failure mode at work, if there is one."""
    target: str
    relevant: frozenset[str]
    """Chunks about the same project, the target included: the subject of the question."""
    matter: frozenset[str]
    """Those of them that are on the same side of it."""
    fresh: bool
    """Whether the target was written after the last rebuild."""


@dataclass(frozen=True, slots=True)
class Spell:
    """Some days with one project in focus, and the questions at their end."""

    remember: tuple[Chunk, ...]
    ask: tuple[LifeQuestion, ...]


@dataclass(frozen=True, slots=True)
class Life:
    """Chunks written before the last rebuild, and the spells after it."""

    before: tuple[Chunk, ...]
    spells: tuple[Spell, ...]

    @property
    def chunks(self) -> list[Chunk]:
        """Every chunk, in order of time."""
        return [*self.before, *(chunk for spell in self.spells for chunk in spell.remember)]

    @property
    def questions(self) -> list[LifeQuestion]:
        """Every question, in the order asked."""
        return [question for spell in self.spells for question in spell.ask]

    def banks(self) -> Banks:
        """Return it in the format that ``bench retrieval`` reads; gold is the target alone."""
        return {
            "banks": [
                {
                    "id": "life",
                    "episodes": [
                        {
                            "id": chunk.id,
                            "text": chunk.text,
                            "speaker": chunk.speaker,
                            "role": None,
                            "at": chunk.at.isoformat(),
                            "session": chunk.session,
                            "source": chunk.source,
                        }
                        for chunk in self.chunks
                    ],
                    "questions": [
                        {
                            "id": question.id,
                            "text": question.text,
                            "at": question.now.isoformat(),
                            "gold": [question.target],
                            "kind": question.mode,
                        }
                        for question in self.questions
                    ],
                }
            ]
        }


def live(size: int = CHUNKS, *, seed: int = 0, wording: str = TUNED) -> Life:
    """
    Make up a life of ``size`` chunks, the same for the same seed on every platform.

    A smaller life has fewer projects, of fewer kinds, and fewer questions; the full one has 612.

    Raises:
        InputError: a size that is too small to hold a life, or above the paper's; a wording that
            breaks a rule, or has not words enough for such a size.

    """
    if not SMALLEST <= size <= CHUNKS:
        msg = f"size={size}: must be from {SMALLEST} to {CHUNKS} chunks"
        raise InputError(msg)
    return _ProjectLife(size, seed, read(LIFE, wording).texts).whole()


# ---------------------------------------------------------------- kinds of projects


@dataclass(frozen=True, slots=True)
class _Matter:
    """Something that gets settled in every project of a kind."""

    key: str
    facet: str
    say: tuple[str, ...]
    ask: tuple[str, ...]
    hint: tuple[str, ...]
    """The same question in other words, which name nothing."""


@dataclass(frozen=True, slots=True)
class _Kind:
    noun: str
    others: tuple[str, ...]
    """Other nouns for it."""
    titles: tuple[str, ...]
    openers: tuple[str, ...]
    things: Mapping[str, tuple[str, ...]]
    """Of each facet."""
    matters: tuple[_Matter, ...]


def _kinds(texts: LifeTexts) -> tuple[_Kind, ...]:
    return tuple(
        _Kind(
            kind.noun,
            kind.others,
            kind.titles,
            kind.openers,
            {facet.name: facet.things for facet in kind.facets},
            tuple(
                _Matter(matter.name, facet.name, matter.told, matter.asked, matter.hinted)
                for facet in kind.facets
                for matter in facet.matters
            ),
        )
        for kind in texts.kinds
    )


@dataclass(frozen=True, slots=True)
class _Project:
    number: int
    kind: _Kind
    title: str
    code: str
    people: tuple[str, ...]
    kin: tuple[str, str, str]
    """One of the people, and whose what that is: ``("Rosa", "Ana", "mother")``."""
    bursts: tuple[float, ...]
    """Days around which it was worked on."""

    titled: str
    """The title with the noun, as in "the tunnelling paper"."""

    def cell(self, facet: str) -> str:
        return f"{self.number}/{facet}"


@dataclass(slots=True)
class _SettledMatter:
    """A matter of a project as it was settled: in which words, where, and who asks."""

    project: _Project
    matter: _Matter
    source: str = ""
    period: int = -1
    """The spell it is told in; -1 for the time before the last rebuild."""
    style: str = ""
    """Kind of the chunk's name for its project: code, title, person or none."""
    person: str = ""
    values: dict[str, str] = field(default_factory=dict)
    asked: _QuestionDraft | None = None
    chunk: _ChunkDraft | None = None


@dataclass(slots=True)
class _QuestionDraft:
    """A question before it has its words."""

    mode: str
    spell: int
    also: str | None = None
    by: str = ""
    """Way in which the question names the project: code, title, person or kin."""


@dataclass(frozen=True, slots=True)
class _ChunkPlace:
    """Place and time at which a chunk is written."""

    at: float
    """Days since the beginning."""
    source: str
    period: int
    session: int


@dataclass(slots=True)
class _ChunkDraft:
    """A chunk before it has its id."""

    text: str
    place: _ChunkPlace
    speaker: str | None
    about: str


def _shares(total: int, weights: Mapping[str, float]) -> dict[str, int]:
    """Split a number as the weights say; what rounding leaves goes to the largest remainders."""
    whole = sum(weights.values())
    exact = {name: total * weight / whole for name, weight in weights.items()}
    out = {name: int(value) for name, value in exact.items()}
    for name in sorted(exact, key=lambda name: out[name] - exact[name])[
        : total - sum(out.values())
    ]:
        out[name] += 1
    return out


def _check_room(texts: LifeTexts, kinds: Sequence[_Kind], number: int, size: int) -> None:
    """Refuse a wording that has not words enough for so many projects."""
    alike = -(-number // len(kinds))
    need = {"codes": (len(texts.codes), number), "people": (len(texts.people), 4 * number)}
    need |= {f"titles of {kind.noun!r}": (len(kind.titles), alike + 1) for kind in kinds}
    for key, (there, wanted) in need.items():
        if there < wanted:
            msg = (
                f"wording {texts.name!r}: {there} {key}; a life of {size:,} chunks has {number}"
                f" projects of {len(kinds)} kinds and needs {wanted}; give more, or a smaller size"
            )
            raise InputError(msg)


def _spread(total: int, parts: int) -> list[int]:
    return [total * (part + 1) // parts - total * part // parts for part in range(parts)]


# ---------------------------------------------------------------- one life


class _ProjectLife:
    def __init__(self, size: int, seed: int, texts: LifeTexts) -> None:
        self.texts = texts
        self.rng = rng = Random(f"life-{seed}-{size}")  # noqa: S311 - nothing here is secret
        self.filler = Filler(rng, self._words)
        self.sessions = count()
        self.drafts: list[_ChunkDraft] = []
        number = min(45, max(4, size // 400))
        every = _kinds(texts)
        kinds = rng.sample(every, min(len(every), max(2, round(number / _ALIKE))))
        _check_room(texts, kinds, number, size)
        self.me = rng.choice(common_words("name"))
        self.projects = self._projects(number, kinds)
        self.told = [_SettledMatter(p, matter) for p in self.projects for matter in p.kind.matters]
        self.settled = {(t.project.number, t.matter.facet, t.matter.key): t for t in self.told}
        if len(self.told) < _FEWEST_MATTERS:
            msg = (
                f"wording {texts.name!r}: {len(self.told)} matters in {number} projects; a life"
                f" needs {_FEWEST_MATTERS} to ask about: give kinds more matters"
            )
            raise InputError(msg)
        self.wanted = min(QUESTIONS, len(self.told) * 17 // 20, size // 8)
        spells = min(12, number, self.wanted // 6)
        self.focus = rng.sample(self.projects, spells)
        fresh = size // 10
        self.days = [
            _DAYS * (1 - _FRESH) + _DAYS * _FRESH * at / spells for at in range(spells + 1)
        ]
        sizes = [size - fresh, *_spread(fresh, spells)]
        self.left = {
            period: _shares(chunks, SOURCES) for period, chunks in enumerate(sizes, start=-1)
        }
        """Chunks still to be written, by period and source."""
        self.told_of: dict[int, Counter[int]] = defaultdict(Counter)
        """How many chunks of each period are about each project."""
        self.status: dict[int, _ChunkDraft] = {}
        """What was written last in each spell: where its project was left."""

    def whole(self) -> Life:
        self._plan()
        for project in self.projects:
            self._link(project)
        for told in self.told:
            self._tell(told)
        for spell, project in enumerate(self.focus):
            self._leave_off(spell, project)
        for period, left in self.left.items():
            for source in SOURCES:
                while left[source]:
                    self._fill(period, source)
        return self._put_together()

    def _words(self, slot: str) -> Sequence[str]:
        return self.texts.words.get(slot) or common_words(slot)

    # who does what with whom

    def _projects(self, number: int, kinds: Sequence[_Kind]) -> list[_Project]:
        rng = self.rng
        codes = rng.sample(self.texts.codes, number)
        names = rng.sample(self.texts.people, 4 * number)
        friends = rng.sample(self._words("friend"), min(number, len(self._words("friend"))))
        relations = self.texts.relations
        titles = {kind.noun: iter(rng.sample(kind.titles, len(kind.titles))) for kind in kinds}
        out = []
        for at in range(number):
            kind = kinds[at % len(kinds)]
            people = tuple(names[4 * at : 4 * at + 4])
            kin = (people[0], friends[at % len(friends)], rng.choice(relations))
            bursts = tuple(rng.uniform(10, _DAYS * 0.88) for _ in range(rng.randint(2, 4)))
            title = next(titles[kind.noun])
            titled = self._titled(title, kind.noun)
            out.append(_Project(at, kind, title, codes[at], people, kin, bursts, titled))
        return out

    def _titled(self, title: str, noun: str) -> str:
        return self.texts.calls.title.replace("{title}", title).replace("{noun}", noun)

    # what is told where, and what is asked

    def _plan(self) -> None:
        """Choose the question and the mode of each target, and where and how it is told."""
        rng = self.rng
        rng.shuffle(self.told)
        paraphrases = round(self.wanted * 100 / QUESTIONS)
        quota = _shares(self.wanted - paraphrases, MODES)
        rest = iter(self._plan_pronouns(quota["pronoun"]))
        modes = [mode for mode in ("depth", "source", "anchor") for _ in range(quota[mode])]
        modes += [PARAPHRASE] * paraphrases
        spells = list(range(len(self.focus)))
        for mode in modes:
            next(rest).asked = _QuestionDraft(mode, rng.choice(spells))
        asked = [told for told in self.told if told.asked]
        self._plan_sources(asked)
        self._plan_second_modes(quota)
        for told in self.told:
            self._plan_names(told)
        later = [told for told in asked if told.asked and told.asked.mode != "pronoun"]
        wanted = max(0, round(self.wanted * _FRESH) - len(self.focus))
        for told in rng.sample(later, len(later)):
            if wanted and told.asked and self._take(told.asked.spell, told.source):
                told.period = told.asked.spell
                wanted -= 1
        for told in [*asked, *(told for told in self.told if told.asked is None)]:
            if told.period < 0 and not self._take(-1, told.source):
                assert told.asked is None, "a life holds far more chunks than questions"
                told.source = ""  # no room: it is never told

    def _plan_pronouns(self, wanted: int) -> list[_SettledMatter]:
        """Let each spell ask about its project in focus; return what is left to be asked of."""
        left = list(self.told)
        for spell, number in enumerate(_spread(wanted, len(self.focus))):
            own = [told for told in left if told.project is self.focus[spell]]
            for told in own[: max(number - 1, 0)]:  # one question is where we left off
                told.asked = _QuestionDraft("pronoun", spell)
                left.remove(told)
        return left

    def _plan_sources(self, asked: Sequence[_SettledMatter]) -> None:
        quota = _shares(len(asked), SOURCES)
        sources = [source for source, number in quota.items() for _ in range(number)]
        away = [source for source in sources if source != "notes"]
        self.rng.shuffle(away)
        blind = [told for told in asked if told.asked and told.asked.mode == "source"]
        others = [told for told in asked if told.asked and told.asked.mode != "source"]
        for told in blind:
            told.source = away.pop()
        rest = away + ["notes"] * quota["notes"]
        self.rng.shuffle(rest)
        for told, source in zip(others, rest, strict=True):
            told.source = source
        weights = list(SOURCES.values())
        for told in self.told:
            if told.asked is None:
                (told.source,) = self.rng.choices(list(SOURCES), weights)

    def _plan_second_modes(self, quota: Mapping[str, int]) -> None:
        wanted = round(_TWO_MODES * sum(quota.values()))
        organic = [t for t in self.told if t.asked and t.asked.mode in MODES]
        for told in organic:
            assert told.asked is not None
            if told.asked.mode != "source" and told.source != "notes":
                told.asked.also = "source"
                wanted -= 1
        for told in organic:
            assert told.asked is not None
            if told.asked.mode == "source" and wanted > 0:
                told.asked.also = "anchor"
                wanted -= 1

    def _plan_names(self, told: _SettledMatter) -> None:
        """Choose the project's names in question and chunk: mostly the same, often less."""
        rng, project = self.rng, told.project
        told.person = rng.choice(project.people)
        told.style = rng.choice(("code", "code", "title", "person", "none"))
        asked = told.asked
        if asked is None or asked.mode == "pronoun":
            return
        if asked.mode == "depth":
            asked.by, told.style = rng.choice((("title", "code"), ("kin", "person")))
            told.person = project.kin[0]
            return
        anchored = asked.mode != "source" or asked.also == "anchor"
        asked.by = rng.choice(("title", "person") if anchored else ("code", "code", "title"))
        told.style = asked.by if rng.random() >= _UNNAMED else "none"

    def _take(self, period: int, source: str) -> bool:
        """Claim a chunk of what is left to be written."""
        if not self.left[period][source]:
            return False
        self.left[period][source] -= 1
        return True

    # chunks

    def _link(self, project: _Project) -> None:
        """Tell once or twice what the code name stands for, and once whose relative is who."""
        title = project.titled
        first = min(project.bursts) - 3
        for text, times in ((self.texts.links, 2), (self.texts.kin, 1)):
            for _ in range(times):
                source = self.rng.choice(("notes", "notes", "chats", "mail"))
                if not self._take(-1, source):
                    continue
                name, friend, relation = project.kin
                who = (name, *self.rng.sample(project.people[1:], 2))
                values = {"code": project.code, "title": title, "friend": friend}
                values |= {"relation": relation, "who": who[0], "who2": who[1], "who3": who[2]}
                facet = self.rng.choice(list(project.kind.things))
                lines = [self.filler.fill(self.rng.choice(text), values)]
                lines += self._around(project, facet, self.rng.randint(0, 40))
                place = _ChunkPlace(max(first, 0.5), source, -1, next(self.sessions))
                self._write(lines, place, project, f"{project.number}/names")

    def _tell(self, told: _SettledMatter) -> None:
        """Write the chunk that settles a matter, after some that prepare the ground."""
        if not told.source:
            return
        project, facet, session = told.project, told.matter.facet, next(self.sessions)
        place = _ChunkPlace(self._moment(project, told.period), told.source, told.period, session)
        before = self.rng.randint(1, 2) if told.style == "none" else self.rng.randint(0, 1)
        for nth in range(before):
            if self._take(told.period, told.source):
                style = "code" if nth == 0 else "none"
                self._own(project, facet, place, style=style)
                place = self._later(place)
        self._own(project, facet, place, told=told)
        told.chunk = self.drafts[-1]

    def _leave_off(self, spell: int, project: _Project) -> None:
        """Write the last chunk of a spell on its project: how far it has come."""
        facet = self.rng.choice(list(project.kind.things))
        source = self.rng.choice([s for s in ("notes", "notes", "chats") if self.left[spell][s]])
        self._take(spell, source)
        text = self._fillings(self.rng.choice(self.texts.status_say), project, facet)
        lines = [*self._around(project, facet, self.rng.randint(10, 60)), text]
        lines.insert(0, self._opener(project, facet, "code", ""))
        place = _ChunkPlace(self.days[spell + 1] - 0.1, source, spell, next(self.sessions))
        self._write(lines, place, project, project.cell(facet))
        self.status[spell] = self.drafts[-1]

    def _fill(self, period: int, source: str) -> None:
        """Write a session of a source: on an own project, on another's, or on nothing much."""
        draw, session = self.rng.random(), next(self.sessions)
        if period >= 0 and self._lead(period) < _LEAD:
            draw = 0.0  # what is in focus must be plain to whoever reads along
        length = min(self.left[period][source], self.rng.randint(*_LENGTHS[source]))
        focus = (
            self.focus[period] if period >= 0 and (not draw or self.rng.random() < 0.6) else None
        )
        project = focus or self.rng.choice(self.projects)
        facet = self.rng.choice(list(project.kind.things))
        place = _ChunkPlace(
            self._moment(project if draw < _OWN else None, period), source, period, session
        )
        friend = self.filler.fill("{friend}", {})
        taken = {own.title for own in self.projects if own.kind is project.kind}
        title = self.rng.choice([t for t in project.kind.titles if t not in taken])
        for nth in range(length):
            self._take(period, source)
            if draw < _OWN:
                styles = ("code", "code", "title", "person") if nth == 0 else _LATER
                style = self.rng.choice(styles)
                self._own(project, facet, place, style=style)
                if self.rng.random() < 0.3:
                    facet = self.rng.choice(list(project.kind.things))
            elif draw < _OTHERS:
                self._others(project.kind, facet, title, friend, place)
            else:
                self._noise(place)
            place = self._later(place)

    def _lead(self, spell: int) -> float:
        """Return the ratio of the mentions of the project in focus to those of the next project."""
        told = self.told_of[spell]
        focus = told[self.focus[spell].number]
        return focus / max([1, *(n for p, n in told.items() if p != self.focus[spell].number)])

    def _own(
        self,
        project: _Project,
        facet: str,
        place: _ChunkPlace,
        *,
        style: str = "",
        told: _SettledMatter | None = None,
    ) -> None:
        person = told.person if told else self.rng.choice(project.people)
        style = told.style if told else style
        if told is not None:
            lines = self._around(project, facet, round(self.rng.triangular(*_BESIDE)))
            line = self._say(project, told.matter, told.values, style)
            lines.insert(self.rng.randint(0, len(lines)), line)
        else:
            lines = self._around(project, facet, self._length())
        if told is None and self.rng.random() < _EARLY:
            matter = self.rng.choice([m for m in project.kind.matters if m.facet == facet])
            known = self.settled[project.number, matter.facet, matter.key].values
            line = self._say(project, matter, {}, style, avoid=known)
            early = self.rng.choice(self.texts.early).replace("{told}", line)
            lines.insert(self.rng.randint(0, len(lines)), early)
        lines.insert(0, self._opener(project, facet, style, person))
        sender = person if style == "person" else None
        self._write(lines, place, project, project.cell(facet), sender)

    def _others(self, kind: _Kind, facet: str, title: str, friend: str, place: _ChunkPlace) -> None:
        """Write chunks of other people on projects of theirs."""
        who = self.filler.fill(self.rng.choice(self.texts.others), {"friend": friend})
        people = self.rng.sample(common_words("name"), 4)
        titled = self._titled(title, kind.noun)
        theirs = _Project(-1, kind, title, "", tuple(people), (friend, "", ""), (0.0,), titled)
        first = self.rng.choice(self.texts.others_say)
        first = first.replace("{other}", who).replace("{title}", theirs.titled)
        lines = self._around(theirs, facet, self._length())
        if self.rng.random() < _OTHERS_SETTLE:
            matter = self.rng.choice([m for m in kind.matters if m.facet == facet])
            line = self._say(theirs, matter, {}, "title")
            lines.insert(self.rng.randint(0, len(lines)), line)
        lines.insert(0, self.filler.fill(first, {}))
        self._write(lines, place, None, "", friend)

    def _noise(self, place: _ChunkPlace) -> None:
        """Write chunks that nobody will ask for."""
        rng, fill = self.rng, self.filler.fill
        draw = rng.random()
        sender = None
        if place.source in {"mail", "other"} and draw < 0.5:
            topics = dict(zip(("n", "n2", "n3"), rng.sample(self._words("n"), 3), strict=True))
            lines = [fill(rng.choice(self.texts.newsletters), topics)]
            sender = fill("{firm}", {})
        elif draw < 0.65:
            lines = [fill(text, {}) for text in rng.sample(self.texts.admin, rng.randint(1, 3))]
        else:
            fact = rng.choice(common_texts().facts)
            said = [
                rng.choice(fact.say),
                *rng.sample(common_texts().chatter[fact.topic], rng.randint(1, 3)),
            ]
            pairs = rng.sample(
                (*common_texts().smalltalk, *common_texts().daily), rng.randint(1, 4)
            )
            said += [part for pair in pairs for part in pair.split("||")]
            sender = fill("{person}", {})
            values = {"O": sender, "N": self.me}
            lines = [
                fill(text.replace("{O}", sender).replace("{N}", self.me), values) for text in said
            ]
        self._write(lines, place, None, "", sender)

    # sentences

    def _length(self) -> int:
        return round(self.rng.triangular(8, 110, 25))

    def _around(self, project: _Project, facet: str, length: int) -> list[str]:
        """Say as many words on a few things of a facet, without settling anything."""
        lines: list[str] = []
        things = self.rng.sample(project.kind.things[facet], 3)
        frames = cycle(self.rng.sample(self.texts.frames, len(self.texts.frames)))
        while sum(len(line.split()) for line in lines) < length:
            lines.append(self._fillings(next(frames), project, facet, things))
        return lines

    def _fillings(
        self, template: str, project: _Project, facet: str, things: Sequence[str] = ()
    ) -> str:
        thing, thing2 = self.rng.sample(things or project.kind.things[facet], 2)
        who, who2 = self.rng.sample(project.people, 2)
        values = {"thing": thing, "thing2": thing2, "who": who, "who2": who2}
        return self.filler.fill(template, values)

    def _say(
        self,
        project: _Project,
        matter: _Matter,
        values: dict[str, str],
        style: str,
        *,
        avoid: Mapping[str, str] | None = None,
    ) -> str:
        who, who2 = self.rng.sample(project.people, 2)
        values |= {"who": who, "who2": who2}
        thing = self.rng.choice(project.kind.things[matter.facet])
        named = {"code": project.code, "title": project.titled}.get(style)
        named = named or self.rng.choice(self.texts.calls.it).replace("{noun}", project.kind.noun)
        template = self.rng.choice(self.texts.settled).replace("{matter}", matter.key)
        template = template.replace("{told}", self.rng.choice(matter.say)).replace(
            "{project}", named
        )
        values["thing"] = thing
        return self.filler.fill(template, values, [avoid or {}])

    def _opener(self, project: _Project, facet: str, style: str, person: str) -> str:
        named = {"code": project.code, "title": project.titled, "person": person}.get(style, "")
        if style in {"code", "title"} and self.rng.random() < 0.3:
            return self.rng.choice(project.kind.openers).replace("{project}", named)
        text = self.rng.choice(getattr(self.texts.openers, style)).replace("{name}", named)
        return self._fillings(text, project, facet)

    # how each source looks

    def _write(
        self,
        lines: Sequence[str],
        place: _ChunkPlace,
        project: _Project | None,
        about: str,
        sender: str | None = None,
    ) -> None:
        lines = [tidy(line) for line in lines]
        if project is not None and sender is None and self.rng.random() < 0.5:
            sender = self.rng.choice(project.people) if place.source == "mail" else None
        speaker: str | None = self.me
        if place.source == "notes":
            text = self._note(lines)
        elif place.source == "chats":
            text = self._chat(lines, project, about)
        elif place.source == "mail":
            speaker = sender or self.me
            text = self._mail(lines, speaker, project, about)
        else:
            speaker = None
            day = (_START + timedelta(days=place.at)).strftime("%d %B")
            kind = self.rng.choice(("Voice memo", "To do", "Calendar", "Transcript", "Scan"))
            text = f"{kind}, {day}\n{' '.join(lines)}"
        self.drafts.append(_ChunkDraft(text, place, speaker, about))
        if project is not None:
            self.told_of[place.period][project.number] += 1

    def _note(self, lines: Sequence[str]) -> str:
        return "\n- ".join(lines) if self.rng.random() < 0.3 else " ".join(lines)

    def _chat(self, lines: Sequence[str], project: _Project | None, about: str) -> str:
        rng = self.rng
        asks, answers = self.texts.asks, self.texts.answers
        if project is None:
            answer = " ".join(rng.sample(common_texts().padding, rng.randint(1, 2)))
            return f"{self.me}: {' '.join(lines)}\nAssistant: {answer}"
        facet = about.partition("/")[2]
        if facet not in project.kind.things:
            facet = rng.choice(list(project.kind.things))
        ask = self._fillings(rng.choice(asks), project, facet)
        answer = self._fillings(rng.choice(answers), project, facet)
        if rng.random() < 0.4:
            answer = f"{answer} {rng.choice(common_texts().padding)}"
        return f"{self.me}: {' '.join(lines)} {ask}\nAssistant: {answer}"

    def _mail(self, lines: Sequence[str], sender: str, project: _Project | None, about: str) -> str:
        rng = self.rng
        facet = about.partition("/")[2]
        things = project.kind.things.get(facet) if project else None
        values = {"thing": rng.choice(things or ("hello", "news", "this and that"))}
        subject = self.filler.fill(rng.choice(self.texts.subjects), values)
        extra = self.filler.fill(rng.choice(self.texts.mail_extra), {})
        closing = self.filler.fill(rng.choice(self.texts.closings), {})
        to = self.me
        if sender == self.me:
            to = rng.choice(project.people) if project else self.filler.fill("{person}", {})
        return (
            f"From: {sender}\nTo: {to}\nSubject: {subject}\n\n"
            f"Hi {to},\n{' '.join(lines)} {extra}\n{closing}\n{sender}"
        )

    # time

    def _moment(self, project: _Project | None, period: int) -> float:
        """Return a day of a period; before the last rebuild, near one when it was worked on."""
        if period >= 0:
            return self.rng.uniform(self.days[period], self.days[period + 1] - 0.3)
        end = self._end(-1) - 2
        if project is None:
            return self.rng.uniform(0, end)
        return min(max(self.rng.gauss(self.rng.choice(project.bursts), 12), 0.6), end)

    def _end(self, period: int) -> float:
        return self.days[period + 1] - 0.2

    def _later(self, place: _ChunkPlace) -> _ChunkPlace:
        """Return the place of a session's next chunk: minutes later, or hours for mail."""
        pause = self.rng.uniform(*((0.002, 0.02) if place.source != "mail" else (0.02, 0.15)))
        return replace(place, at=min(place.at + pause, self._end(place.period)))

    # questions

    def _put_together(self) -> Life:
        order = sorted(range(len(self.drafts)), key=lambda at: (self.drafts[at].place.at, at))
        ids = {id(self.drafts[at]): f"c{place}" for place, at in enumerate(order)}
        chunks: dict[int, list[Chunk]] = defaultdict(list)
        cells: dict[str, list[str]] = defaultdict(list)
        for at in order:
            draft = self.drafts[at]
            chunk = Chunk(
                ids[id(draft)],
                draft.text,
                _START + timedelta(days=draft.place.at),
                draft.place.source,
                f"s{draft.place.session}",
                draft.speaker,
                draft.about,
            )
            chunks[draft.place.period].append(chunk)
            cells[draft.about].append(chunk.id)
        asked = sorted(self._questions(ids, cells), key=lambda pair: pair[0])
        return Life(
            before=tuple(chunks[-1]),
            spells=tuple(
                Spell(tuple(chunks[spell]), tuple(q for at, q in asked if at == spell))
                for spell in range(len(self.focus))
            ),
        )

    def _questions(
        self, ids: Mapping[int, str], cells: Mapping[str, Sequence[str]]
    ) -> Iterator[tuple[int, LifeQuestion]]:
        number = count()
        owned: dict[int, list[str]] = defaultdict(list)
        for about, refs in cells.items():
            if about:
                owned[int(about.partition("/")[0])] += refs
        for told in self.told:
            asked, draft = told.asked, told.chunk
            if asked is None or draft is None:
                continue
            yield (
                asked.spell,
                LifeQuestion(
                    id=f"q{next(number)}",
                    text=self._ask(told, asked),
                    now=self._asked_at(asked.spell),
                    mode=asked.mode,
                    also=asked.also,
                    target=ids[id(draft)],
                    relevant=frozenset(owned[told.project.number]),
                    matter=frozenset(cells[draft.about]),
                    fresh=draft.place.period >= 0,
                ),
            )
        for spell, draft in self.status.items():
            project = self.focus[spell]
            yield (
                spell,
                LifeQuestion(
                    id=f"q{next(number)}",
                    text=self.texts.status_ask[spell % len(self.texts.status_ask)],
                    now=self._asked_at(spell),
                    mode="pronoun",
                    also=None if draft.place.source == "notes" else "source",
                    target=ids[id(draft)],
                    relevant=frozenset(owned[project.number]),
                    matter=frozenset(cells[draft.about]),
                    fresh=True,
                ),
            )

    def _asked_at(self, spell: int) -> datetime:
        return _START + timedelta(days=self.days[spell + 1] - 0.05)

    def _ask(self, told: _SettledMatter, asked: _QuestionDraft) -> str:
        """Put a question: by its matter's name, as people take up a subject, or in other words."""
        rng, project, matter = self.rng, told.project, told.matter
        by_name = rng.random() < _BY_NAME
        calls = self.texts.calls
        if asked.mode == "pronoun":
            if by_name:
                return self._led("pronoun_talk", rng.choice(matter.ask), calls.ours, matter.key)
            asks = (*matter.hint, *(ask.replace("{project}", calls.ours) for ask in matter.ask))
            return self._led("pronoun", rng.choice(asks))
        noun = project.kind.noun
        if asked.mode == PARAPHRASE:
            noun = rng.choice(project.kind.others)
        _, friend, relation = project.kin
        named = {
            "code": project.code,
            "title": self._titled(project.title, noun),
            "person": calls.person.replace("{person}", told.person),
            "kin": calls.kin.replace("{friend}", friend).replace("{relation}", relation),
        }[asked.by].replace("{noun}", noun)
        if by_name:
            it = calls.it[0].replace("{noun}", noun)
            asks = (*matter.hint, *(ask.replace("{project}", it) for ask in matter.ask))
            return self._led("talk", rng.choice(asks), named, matter.key)
        return self._led("direct", rng.choice(matter.ask).replace("{project}", named))

    def _led(self, form: str, question: str, named: str = "", matter: str = "") -> str:
        """Lead into a question."""
        lower = question[0].lower() + question[1:]
        text: str = self.rng.choice(getattr(self.texts.leads, form))
        for slot, value in (
            ("Question", question), ("question", lower), ("project", named), ("matter", matter),
        ):  # fmt: skip
            text = text.replace(f"{{{slot}}}", value)
        return tidy(text)


_LENGTHS: Final = {"notes": (1, 6), "chats": (2, 6), "mail": (1, 4), "other": (1, 2)}
"""Fewest and most chunks of a session."""
_LATER: Final = ("code", "person", "none", "none")
"""Names for the project in a chunk that is not the first of its session."""
