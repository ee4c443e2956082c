"""
A made-up encyclopaedia, and questions whose evidence is spread over several of its passages.

Each passage is about one person, film, record, firm, school or town and names others in passing.
A question says one name and wants what another passage tells, which only a third thing, named in
the first, leads to ("Where was the director of Silent Harbour born?"). Names are made of syllables,
so no model has heard of them; sentences vary, and every passage shares its words with all of its
kind. What is told and asked is a wording's (``data/wordings``); the world behind it is the same in
every wording. The questions are as in 2WikiMultiHopQA (X. Ho et al., COLING 2020): ``bridge`` over
one or two passages, ``comparison`` of two that are named, ``both``: two bridges at once, and
``single`` passages as a control.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from hippocampus.errors import InputError
from hippocampus_bench import retrieval
from hippocampus_bench.datasets import SourceNode, limited
from hippocampus_bench.options import Options
from hippocampus_bench.report import Report
from hippocampus_bench.runner import measure
from hippocampus_bench.texts import PASSAGES, PassageTexts
from hippocampus_bench.wording import TUNED, read

PEOPLE = 240
"""People of an encyclopaedia, which has about twice as many passages."""
FEWEST_PEOPLE = 36
"""Fewer have not enough made that there would be questions of every kind."""
KINDS = ("bridge", "chain", "comparison", "both", "single")

_ONSETS = "b br c d dr f g gr h j k l m n p r s st t tr v w z".split()
_VOWELS = "a e i o u ae ei ia".split()
_CODAS = ["", "l", "n", "r", "s", "th", "nd", "rk", "m", "v"]


@dataclass
class _Thing:
    kind: str
    name: str
    facts: dict[str, str] = field(default_factory=dict)
    links: dict[str, _Thing] = field(default_factory=dict)

    def __getattr__(self, name: str) -> _Thing:
        return self.links[name]


def run(*, size: int | None = None, wording: str = TUNED, options: Options | None = None) -> Report:
    """
    Ask questions over several passages of a made-up encyclopaedia, and report the hits.

    Args:
        size: how many people it knows; ``PEOPLE`` by default.
        wording: what it is told and asked in: ``tuned``, ``second`` or a file.
        options: how to run it; its seed is the encyclopaedia's as well.

    Raises:
        InputError: it would be too small; a wording that breaks a rule.

    """
    options = options or Options()
    people = PEOPLE if size is None else size
    if people < FEWEST_PEOPLE:
        msg = f"size={people}: an encyclopaedia needs at least {FEWEST_PEOPLE} people"
        raise InputError(msg)
    made = make_passages(options.seed, people=people, wording=wording)
    dataset = retrieval.parse(SourceNode(made, f"passages of seed {options.seed}"))
    dataset = replace(
        dataset, cases=limited(dataset.cases, options.limit), protocol=f"{people} people"
    )
    said = read(PASSAGES, wording).as_dict()
    return measure("passages", dataset, options, settings={"wording": said})


def make_passages(
    seed: int = 0, *, people: int = PEOPLE, questions: int = 60, wording: str = TUNED
) -> dict[str, object]:
    """
    Return a bank of passages and its questions, in the format of ``retrieval``.

    Args:
        seed: equal seeds make equal banks.
        people: how many there are; of other things there are fewer, in proportion.
        questions: how many of each kind.
        wording: what it is told and asked in.

    Raises:
        InputError: the wording has too few names for so many.

    """
    texts = read(PASSAGES, wording).texts
    dice = random.Random(seed)  # noqa: S311 - not for secrets
    say = _Sayings(texts, random.Random(f"sayings-{seed}"))  # noqa: S311 - neither
    world = _world(dice, people, texts)
    things = [thing for group in world.values() for thing in group]
    dice.shuffle(things)
    ids = {id(thing): f"p{place}" for place, thing in enumerate(things)}
    asked = []
    for kind in KINDS:
        seen: set[str] = set()
        while len(seen) < questions:
            text, evidence = _ask(dice, kind, world, say)
            if text in seen:
                continue
            seen.add(text)
            gold = sorted({ids[id(thing)] for thing in evidence})
            asked.append({"id": f"{kind}{len(seen)}", "text": text, "gold": gold, "kind": kind})
    episodes = [{"id": ids[id(thing)], "text": say.tell(thing)} for thing in things]
    return {"banks": [{"id": f"encyclopaedia-{seed}", "episodes": episodes, "questions": asked}]}


# ---------------------------------------------------------------- the world


class _FreshNames:
    """Names that nothing has yet."""

    def __init__(self, dice: random.Random, texts: PassageTexts) -> None:
        self._dice, self._names = dice, texts.names
        self._taken: set[str] = set()

    def make(self, kind: str) -> str:
        """Return a name of a kind, as often thrown for as it takes."""
        dice, names = self._dice, self._names
        while True:
            syllables = "".join(
                dice.choice(_ONSETS) + dice.choice(_VOWELS) + dice.choice(_CODAS)
                for _ in range(dice.choice((2, 2, 3)))
            ).capitalize()
            name = {
                "town": syllables,
                "person": f"{dice.choice(names.given)} {syllables}",
                "firm": dice.choice(names.firm).replace("{name}", syllables),
                "school": dice.choice(names.school).replace("{name}", syllables),
                "work": f"{dice.choice(names.work_first)} {dice.choice(names.work_second)}",
            }[kind]
            if name not in self._taken:
                self._taken.add(name)
                return name


def _world(dice: random.Random, people: int, texts: PassageTexts) -> dict[str, list[_Thing]]:
    names, told = texts.names, texts.facts
    works, titles = (
        people // 3 + people // 5,
        len(set(names.work_first)) * len(set(names.work_second)),
    )
    if works > titles:  # else names would be thrown for without end
        msg = (
            f"size={people}: needs names of {works} films and records, and the wording has {titles}"
            " (names.work_first with names.work_second); give fewer people, or more words"
        )
        raise InputError(msg)
    fresh = _FreshNames(dice, texts).make

    def some(kind: str, count: int, make: str) -> list[_Thing]:
        return [_Thing(kind, fresh(make)) for _ in range(count)]

    towns = some("town", people // 5, "town")
    for town in towns:
        town.facts = {
            "river": _one(dice, names.river).replace("{name}", fresh("town")),
            "people": f"{dice.randrange(4, 900)},{dice.randrange(100, 1000)}",
            "region": fresh("town"),
            "known": dice.choice(told.known),
        }
    schools = some("school", people // 12, "school")
    for school in schools:
        school.links["town"] = dice.choice(towns)
        school.facts["year"] = str(dice.randrange(1790, 1950))
    persons = some("person", people, "person")
    for person in persons:
        job = dice.choice(told.job)
        person.facts = {"year": str(dice.randrange(1880, 1985)), "job": job}
        person.facts["award"] = _one(dice, names.award).replace("{name}", fresh("town"))
        person.links = {
            "town": dice.choice(towns),
            "school": dice.choice(schools),
            "spouse": dice.choice(persons),
            "parent": dice.choice(persons),
        }
    films = some("film", people // 3, "work")
    for film in films:
        film.facts["year"] = str(dice.randrange(1925, 2015))
        film.facts["genre"] = dice.choice(told.genre)
        film.links = {"director": dice.choice(persons), "star": dice.choice(persons)}
        film.links["writer"] = dice.choice(persons)
    records = some("record", people // 5, "work")
    for record in records:
        record.facts["year"] = str(dice.randrange(1955, 2020))
        record.links = {"singer": dice.choice(persons), "producer": dice.choice(persons)}
    firms = some("firm", people // 5, "firm")
    for firm in firms:
        firm.facts["year"] = str(dice.randrange(1850, 2000))
        firm.facts["makes"] = dice.choice(told.makes)
        firm.links = {"founder": dice.choice(persons), "town": dice.choice(towns)}
    return {
        "town": towns, "school": schools, "person": persons,
        "film": films, "record": records, "firm": firms,
    }  # fmt: skip


def _one(dice: random.Random, ways: Sequence[str]) -> str:
    """Choose one of several; of one, without a throw."""
    return ways[0] if len(ways) == 1 else dice.choice(ways)


# ---------------------------------------------------------------- its passages


@dataclass(frozen=True)
class _Sayings:
    """Wordings of the made-up world, by dice of their own: the world knows nothing of them."""

    texts: PassageTexts
    dice: random.Random

    def tell(self, thing: _Thing) -> str:
        """Return the passage on a thing."""
        first = thing.name.split()[0]
        values = {"name": thing.name, "first": first} | thing.facts
        values |= {role: other.name for role, other in thing.links.items()}
        passage = getattr(self.texts.tell, thing.kind)
        lines = [_one(self.dice, ways).format(**values) for ways in passage]
        rest = lines[1:]
        self.dice.shuffle(rest)
        return " ".join([lines[0], *rest])

    def called(self, work: _Thing, by: str) -> str:
        """Return a name for somebody by their work."""
        ways = getattr(getattr(self.texts.called, work.kind), by)
        return _one(self.dice, ways).format(work=work.name)

    def ask(self, about: str, called: str) -> str:
        """Return a question about somebody."""
        return _capital(_one(self.dice, getattr(self.texts.ask, about)).format(called=called))

    def compare(self, one: _Thing, two: _Thing) -> str:
        """Return the question which of two is older."""
        ways = getattr(self.texts.compare, one.kind)
        return _one(self.dice, ways).format(one=one.name, two=two.name)

    def chain(self, called: str) -> str:
        """Return a question on the town where somebody was born."""
        return _capital(_one(self.dice, self.texts.chain).format(called=called))

    def both(self, one: str, two: str) -> str:
        """Return a question on what two have in common."""
        return _capital(_one(self.dice, self.texts.both).format(called=one, called2=two))


def _capital(question: str) -> str:
    return question[0].upper() + question[1:]


# ---------------------------------------------------------------- its questions


_OF = {
    "film": ("director", "star", "writer"),
    "record": ("singer", "producer"),
    "firm": ("founder",),
}
_ABOUT = ("town", "school", "spouse", "award", "year")


def _called(
    dice: random.Random, world: dict[str, list[_Thing]], say: _Sayings
) -> tuple[str, _Thing, _Thing]:
    """Return a name for somebody by their work, the work, and them."""
    kind = dice.choice(tuple(_OF))
    work = dice.choice(world[kind])
    by = dice.choice(_OF[kind])
    return say.called(work, by), work, work.links[by]


def _ask(
    dice: random.Random, kind: str, world: dict[str, list[_Thing]], say: _Sayings
) -> tuple[str, list[_Thing]]:
    """Return a question and what it takes to answer it."""
    about = dice.choice(_ABOUT)
    if kind == "single":
        person = dice.choice(world["person"])
        return say.ask(about, person.name), [person]
    if kind == "comparison":
        one, two = dice.sample(world[dice.choice(("film", "record", "firm"))], 2)
        return say.compare(one, two), [one, two]
    called, work, person = _called(dice, world, say)
    if kind == "bridge":
        return say.ask(about, called), [work, person]
    if kind == "chain":
        town = person.links["town"]
        return say.chain(called), [work, person, town]
    other, second, somebody = _called(dice, world, say)
    return say.both(called, other), [work, second, person, somebody]
