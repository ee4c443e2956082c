"""
A made-up encyclopaedia, and questions whose evidence is spread over several of its passages.

Each passage is about one person, film, record, firm, school or town and names others in passing.
A question says one name and wants what another passage tells, which only a third thing, named in
the first, leads to ("Where was the director of Silent Harbour born?"). Names are made of syllables,
so no model has heard of them; wordings vary, and every passage shares its words with all of its
kind. The questions are as in 2WikiMultiHopQA (X. Ho et al., COLING 2020): ``bridge`` over one or
two passages, ``comparison`` of two that are named, ``both``: two bridges at once, and ``single``
passages as a control.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field, replace

from hippocampus.errors import InputError
from hippocampus_bench import retrieval
from hippocampus_bench.datasets import Node, limited
from hippocampus_bench.options import Options
from hippocampus_bench.report import Report
from hippocampus_bench.runner import measure

PEOPLE = 240
"""People of an encyclopaedia, which has about twice as many passages."""
FEWEST_PEOPLE = 36
"""Fewer have not enough made that there would be questions of every kind."""
KINDS = ("bridge", "chain", "comparison", "both", "single")

_ONSETS = "b br c d dr f g gr h j k l m n p r s st t tr v w z".split()
_VOWELS = "a e i o u ae ei ia".split()
_CODAS = ["", "l", "n", "r", "s", "th", "nd", "rk", "m", "v"]
_GIVEN = (
    "Adela Anton Bruno Carla Cyril Dagmar Edwin Elsa Felix Greta Hugo Ines Jonas Karin Leon Lydia"
    " Marek Nadia Oscar Petra Quentin Rosa Simon Tilda Ugo Vera Wanda Yorick Zora Alma Bastian"
    " Celia Dorian Estelle Fabian Gemma Hector Irma Jasper Klara"
).split()
_FIRST = (
    "Silent Broken Golden Distant Bitter Hollow Crimson Winter Paper Burning Quiet Lost Iron"
    " Borrowed Hidden Northern Blind Second Velvet Empty"
).split()
_SECOND = (
    "Harbour Garden Mirror Road Window Season River Letter Orchard Station Bridge Fire Tide Room"
    " Crown Field Lantern Shore Hour Valley"
).split()


@dataclass
class _Thing:
    kind: str
    name: str
    facts: dict[str, str] = field(default_factory=dict)
    links: dict[str, _Thing] = field(default_factory=dict)

    def __getattr__(self, name: str) -> _Thing:
        return self.links[name]


def run(*, size: int | None = None, options: Options | None = None) -> Report:
    """
    Ask what passages of a made-up encyclopaedia tell together, and report what was found.

    Args:
        size: how many people it knows; ``PEOPLE`` by default.
        options: how to run it; its seed is the encyclopaedia's as well.

    Raises:
        InputError: it would be too small.

    """
    options = options or Options()
    people = PEOPLE if size is None else size
    if people < FEWEST_PEOPLE:
        msg = f"size={people}: an encyclopaedia needs at least {FEWEST_PEOPLE} people"
        raise InputError(msg)
    made = make_passages(options.seed, people=people)
    dataset = retrieval.parse(Node(made, f"passages of seed {options.seed}"))
    dataset = replace(
        dataset, cases=limited(dataset.cases, options.limit), protocol=f"{people} people"
    )
    return measure("passages", dataset, options)


def make_passages(seed: int = 0, *, people: int = PEOPLE, questions: int = 60) -> dict[str, object]:
    """
    Return a bank of passages and its questions, in the format of ``retrieval``.

    Args:
        seed: equal seeds make equal banks.
        people: how many there are; of other things there are fewer, in proportion.
        questions: how many of each kind.

    """
    dice = random.Random(seed)  # noqa: S311 - not for secrets
    world = _world(dice, people)
    things = [thing for group in world.values() for thing in group]
    dice.shuffle(things)
    ids = {id(thing): f"p{place}" for place, thing in enumerate(things)}
    asked = []
    for kind in KINDS:
        seen: set[str] = set()
        while len(seen) < questions:
            text, evidence = _ask(dice, kind, world)
            if text in seen:
                continue
            seen.add(text)
            gold = sorted({ids[id(thing)] for thing in evidence})
            asked.append({"id": f"{kind}{len(seen)}", "text": text, "gold": gold, "kind": kind})
    episodes = [{"id": ids[id(thing)], "text": _tell(dice, thing)} for thing in things]
    return {"banks": [{"id": f"encyclopaedia-{seed}", "episodes": episodes, "questions": asked}]}


# ---------------------------------------------------------------- the world


def _world(dice: random.Random, people: int) -> dict[str, list[_Thing]]:
    taken: set[str] = set()

    def fresh(make: str) -> str:
        while True:
            syllables = "".join(
                dice.choice(_ONSETS) + dice.choice(_VOWELS) + dice.choice(_CODAS)
                for _ in range(dice.choice((2, 2, 3)))
            ).capitalize()
            name = {
                "town": syllables,
                "person": f"{dice.choice(_GIVEN)} {syllables}",
                "firm": f"{syllables} {dice.choice(('Works', 'Group', 'Brothers', 'Lines'))}",
                "school": f"{syllables} {dice.choice(('College', 'Academy', 'University'))}",
                "work": f"{dice.choice(_FIRST)} {dice.choice(_SECOND)}",
            }[make]
            if name not in taken:
                taken.add(name)
                return name

    def some(kind: str, count: int, make: str) -> list[_Thing]:
        return [_Thing(kind, fresh(make)) for _ in range(count)]

    towns = some("town", people // 5, "town")
    for town in towns:
        town.facts = {
            "river": "River " + fresh("town"),
            "people": f"{dice.randrange(4, 900)},{dice.randrange(100, 1000)}",
            "region": fresh("town"),
            "known": dice.choice(("glassworks", "timber", "its cathedral", "salt mines", "horses")),
        }
    schools = some("school", people // 12, "school")
    for school in schools:
        school.links["town"] = dice.choice(towns)
        school.facts["year"] = str(dice.randrange(1790, 1950))
    persons = some("person", people, "person")
    for person in persons:
        job = dice.choice(("director", "singer", "actor", "engineer", "composer", "novelist"))
        person.facts = {"year": str(dice.randrange(1880, 1985)), "job": job}
        person.facts["award"] = f"{fresh('town')} Prize"
        person.links = {
            "town": dice.choice(towns),
            "school": dice.choice(schools),
            "spouse": dice.choice(persons),
            "parent": dice.choice(persons),
        }
    films = some("film", people // 3, "work")
    for film in films:
        film.facts["year"] = str(dice.randrange(1925, 2015))
        film.facts["genre"] = dice.choice(("drama", "comedy", "thriller", "western", "romance"))
        film.links = {"director": dice.choice(persons), "star": dice.choice(persons)}
        film.links["writer"] = dice.choice(persons)
    records = some("record", people // 5, "work")
    for record in records:
        record.facts["year"] = str(dice.randrange(1955, 2020))
        record.links = {"singer": dice.choice(persons), "producer": dice.choice(persons)}
    firms = some("firm", people // 5, "firm")
    for firm in firms:
        firm.facts["year"] = str(dice.randrange(1850, 2000))
        firm.facts["makes"] = dice.choice(("pumps", "bicycles", "lamps", "clocks", "ferries"))
        firm.links = {"founder": dice.choice(persons), "town": dice.choice(towns)}
    return {
        "town": towns, "school": schools, "person": persons,
        "film": films, "record": records, "firm": firms,
    }  # fmt: skip


# ---------------------------------------------------------------- its passages


def _tell(dice: random.Random, thing: _Thing) -> str:
    name, facts, links = thing.name, thing.facts, thing.links
    if thing.kind == "town":
        lines = [
            f"{name} is a town in {facts['region']} on the {facts['river']}",
            f"It had {facts['people']} inhabitants at the last census",
            f"The town is known for {facts['known']}",
        ]
    elif thing.kind == "school":
        town = links["town"].name
        lines = [
            dice.choice((f"{name} is a school in {town}", f"{name}, in {town}, teaches the arts")),
            f"It was founded in {facts['year']} and has four faculties",
        ]
    elif thing.kind == "person":
        town, school, spouse = (links[key].name for key in ("town", "school", "spouse"))
        lines = [
            f"{name} (born {facts['year']} in {town}) was a {facts['job']}"
            if dice.random() < 0.5
            else f"{name} was a {facts['job']}, born in {town} in {facts['year']}",
            dice.choice((f"Educated at {school}", f"After studies at {school}"))
            + f", {name.split()[0]} received the {facts['award']}",
            dice.choice((f"Married to {spouse}", f"The marriage to {spouse} lasted ten years")),
            dice.choice(("A child of {}", "One parent was {}")).format(links["parent"].name),
        ]
    elif thing.kind == "film":
        lines = [
            "{} is a {} {} film directed by {}".format(
                name, facts["year"], facts["genre"], links["director"].name
            ),
            dice.choice(("It stars {}", "The leading part is played by {}")).format(
                links["star"].name
            ),
            f"The script was written by {links['writer'].name}",
        ]
    elif thing.kind == "record":
        lines = [
            f"{name} is an album by {links['singer'].name}, released in {facts['year']}",
            f"It was produced by {links['producer'].name} and sold well",
        ]
    else:
        lines = [
            f"{name} is a maker of {facts['makes']} with its head office in {links['town'].name}",
            f"It was set up in {facts['year']} by {links['founder'].name}",
        ]
    rest = lines[1:]
    dice.shuffle(rest)
    return ". ".join([lines[0], *rest]) + "."


# ---------------------------------------------------------------- its questions


_OF: dict[str, dict[str, tuple[str, ...]]] = {
    "film": {
        "director": ("the director of the film {}", "whoever directed {}"),
        "star": ("the star of the film {}", "the lead in {}"),
        "writer": ("the writer of the film {}",),
    },
    "record": {
        "singer": ("the performer of the album {}", "the artist behind {}"),
        "producer": ("the producer of the album {}",),
    },
    "firm": {"founder": ("the founder of {}", "the person who started {}")},
}
_ABOUT = {
    "town": ("Where was {} born?", "What is the birthplace of {}?"),
    "school": ("Where did {} study?", "Which school did {} attend?"),
    "spouse": ("Who was the spouse of {}?", "Who married {}?"),
    "award": ("What award did {} win?",),
    "year": ("When was {} born?",),
}


def _called(dice: random.Random, world: dict[str, list[_Thing]]) -> tuple[str, _Thing, _Thing]:
    """Return how somebody is called by what they made, that, and them."""
    kind = dice.choice(tuple(_OF))
    work = dice.choice(world[kind])
    by = dice.choice(tuple(_OF[kind]))
    return dice.choice(_OF[kind][by]).format(work.name), work, work.links[by]


def _ask(
    dice: random.Random, kind: str, world: dict[str, list[_Thing]]
) -> tuple[str, list[_Thing]]:
    """Return a question and what it takes to answer it."""
    about = dice.choice(tuple(_ABOUT))
    if kind == "single":
        person = dice.choice(world["person"])
        return dice.choice(_ABOUT[about]).format(person.name), [person]
    if kind == "comparison":
        one, two = dice.sample(world[dice.choice(("film", "record", "firm"))], 2)
        which = {"film": "came out", "record": "was released", "firm": "was set up"}[one.kind]
        return f"Which {which} first, {one.name} or {two.name}?", [one, two]
    called, work, person = _called(dice, world)
    if kind == "bridge":
        return dice.choice(_ABOUT[about]).format(called), [work, person]
    if kind == "chain":
        town = person.links["town"]
        asked = dice.choice(
            ("Which river flows through the town where {} was born?",
             "How many people live in the birthplace of {}?")
        )  # fmt: skip
        return asked.format(called), [work, person, town]
    other, second, somebody = _called(dice, world)
    asked = dice.choice(
        ("Were {} and {} born in the same town?", "Did {} and {} go to one school?")
    )
    return asked.format(called, other), [work, second, person, somebody]
