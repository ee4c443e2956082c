"""
Parts of the wordings of made-up benchmarks, and the slots of their sentences.

A struct for each benchmark whose words are data; the comments in ``data/wordings/*.toml`` say what
each key is for, and the page "Wordings" of the documentation how to write another.
"""

from __future__ import annotations

from typing import Annotated, Final, TypeAlias

import msgspec

from hippocampus_bench.synthetic import texts as common_texts
from hippocampus_bench.wording import Form, slots

Texts: TypeAlias = Annotated[tuple[str, ...], msgspec.Meta(min_length=1)]
Three: TypeAlias = Annotated[tuple[str, ...], msgspec.Meta(min_length=3)]
Few: TypeAlias = tuple[str, ...]
Name: TypeAlias = Annotated[str, msgspec.Meta(min_length=1)]


class _Strict(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    pass


# ---------------------------------------------------------------- corf


class Openers(_Strict, frozen=True, kw_only=True):
    """Beginnings of a chunk, by the word for its project."""

    code: Texts
    title: Texts
    person: Texts
    none: Texts


class ProjectCalls(_Strict, frozen=True, kw_only=True):
    """Names of a project beside its code name."""

    title: str
    person: str
    kin: str
    ours: str
    it: Texts


class Leads(_Strict, frozen=True, kw_only=True):
    """Beginnings of a question, by the thing it names."""

    direct: Texts
    talk: Texts
    pronoun: Texts
    pronoun_talk: Texts


class Matter(_Strict, frozen=True, kw_only=True):
    """Something that gets settled in every project of a kind."""

    name: Name
    told: Texts
    asked: Texts
    hinted: Texts


class Facet(_Strict, frozen=True, kw_only=True):
    """A side of a project: its things, and what gets settled on it."""

    name: Name
    things: Three
    matters: Annotated[tuple[Matter, ...], msgspec.Meta(min_length=1)]


class ProjectKind(_Strict, frozen=True, kw_only=True):
    """A kind of project."""

    noun: Name
    others: Texts
    titles: Annotated[tuple[str, ...], msgspec.Meta(min_length=2)]
    openers: Texts
    facets: Annotated[tuple[Facet, ...], msgspec.Meta(min_length=1)]


class LifeTexts(_Strict, frozen=True, kw_only=True):
    """Sentences that tell a life."""

    benchmark: str
    name: str
    frames: Three
    links: Texts
    kin: Texts
    relations: Texts
    status_say: Texts
    status_ask: Texts
    settled: Texts
    early: Texts
    others: Texts
    others_say: Texts
    subjects: Texts
    closings: Texts
    mail_extra: Texts
    asks: Texts
    answers: Texts
    newsletters: Texts
    admin: Texts
    codes: Texts
    people: Texts
    openers: Openers
    calls: ProjectCalls
    leads: Leads
    words: dict[str, Texts]
    """Words for each slot; a slot that is not here is one of ``data/topics.toml``."""
    kinds: Annotated[tuple[ProjectKind, ...], msgspec.Meta(min_length=1)]


_THINGS: Final = "thing thing2 who who2"

LIFE: Final = Form(
    "corf",
    LifeTexts,
    {
        "frames": slots(allowed=_THINGS),
        "links": slots("code title", "who who2 who3"),
        "kin": slots("who friend relation", "title"),
        "status_say": slots("thing", _THINGS),
        "status_ask": slots(words=False),
        "settled": slots("told", "matter", words=False),
        "early": slots("told", words=False),
        "others": slots("friend"),
        "others_say": slots("other title"),
        "subjects": slots(allowed="thing"),
        "closings": slots(),
        "mail_extra": slots(),
        "asks": slots(allowed=_THINGS),
        "answers": slots(allowed=_THINGS),
        "newsletters": slots(allowed="n n2 n3"),
        "admin": slots(),
        "openers.code": slots("name", _THINGS),
        "openers.title": slots("name", _THINGS),
        "openers.person": slots("name", "thing thing2"),
        "openers.none": slots(allowed="thing thing2"),
        "calls.title": slots("title noun", words=False),
        "calls.person": slots("noun person", words=False),
        "calls.kin": slots("noun friend relation", words=False),
        "calls.it": slots(allowed="noun", words=False),
        "leads.direct": slots(allowed="Question question", words=False),
        "leads.talk": slots("project", "Question question matter", words=False),
        "leads.pronoun": slots(allowed="Question question", words=False),
        "leads.pronoun_talk": slots("matter", "project Question question", words=False),
        "words.*": slots(words=False),
        "kinds[].openers": slots("project", words=False),
        "kinds[].facets[].matters[].told": slots(allowed=f"project {_THINGS}"),
        "kinds[].facets[].matters[].asked": slots("project", words=False),
        "kinds[].facets[].matters[].hinted": slots(words=False),
    },
    lambda texts: frozenset({*texts.words, *common_texts().words}),
)


# ---------------------------------------------------------------- dialogue


class FactKind(_Strict, frozen=True, kw_only=True):
    """A kind of fact: what its value is, and the ways to speak of it."""

    name: Name
    value: Name
    """A key of ``values``."""
    told: Texts
    taken_up: Texts
    told_again: Annotated[tuple[str, ...], msgspec.Meta(min_length=2)]
    spoken_of: Annotated[tuple[str, ...], msgspec.Meta(min_length=4)]
    asked: Texts


class Genre(_Strict, frozen=True, kw_only=True):
    """Parts of a sort of dialogue."""

    name: Name
    teller: str
    """Role that tells first: user or assistant."""
    one_each: bool = False
    """Whether names are people's, who have one noun each."""
    surnames: Texts = ("",)
    """Surnames that follow a name, where names are people's."""
    nouns: Annotated[
        tuple[Annotated[tuple[str, ...], msgspec.Meta(min_length=2)], ...],
        msgspec.Meta(min_length=3),
    ]
    names: Three
    called: str
    also_called: str
    openers: Few = ()
    talk: Texts
    small_talk: Texts
    replies: Texts
    padding: Annotated[tuple[str, ...], msgspec.Meta(min_length=5)]
    kinds: Annotated[tuple[FactKind, ...], msgspec.Meta(min_length=1)]

    def __post_init__(self) -> None:
        """Refuse a genre that cannot be told."""
        if self.teller not in ("user", "assistant"):
            msg = f"genre {self.name!r}: teller={self.teller!r}; must be user or assistant"
            raise ValueError(msg)
        if self.teller == "assistant" and not self.openers:
            msg = f"genre {self.name!r}: openers are missing; its assistant tells when asked to"
            raise ValueError(msg)


class DialogueTexts(_Strict, frozen=True, kw_only=True):
    """Sentences that tell dialogues."""

    benchmark: str
    name: str
    ask: Texts
    lead: Texts
    values: dict[str, Texts]
    parts: dict[str, Texts]
    genres: Annotated[tuple[Genre, ...], msgspec.Meta(min_length=1)]

    def __post_init__(self) -> None:
        """Refuse facts whose values nobody can make up."""
        for genre in self.genres:
            for kind in genre.kinds:
                if kind.value not in self.values:
                    there = ", ".join(self.values)
                    msg = (
                        f"genre {genre.name!r}, kind {kind.name!r}: value={kind.value!r} is no key"
                        f" of values; there are {there}"
                    )
                    raise ValueError(msg)


_SUBJECT: Final = "subject alias"
_GENRE: Final = "genres[].kinds[]."

DIALOGUE: Final = Form(
    "dialogue",
    DialogueTexts,
    {
        "ask": slots("question", words=False),
        "values.*": slots(allowed="number small nth"),
        "genres[].called": slots("noun name", words=False),
        "genres[].also_called": slots("noun name", words=False),
        "genres[].openers": slots(allowed="subject", words=False),
        "genres[].talk": slots(allowed=_SUBJECT, words=False),
        f"{_GENRE}told": slots("subject value", words=False),
        f"{_GENRE}taken_up": slots(allowed=f"value {_SUBJECT}", words=False),
        f"{_GENRE}told_again": slots("value", _SUBJECT, words=False),
        f"{_GENRE}spoken_of": slots(allowed=_SUBJECT, words=False),
        f"{_GENRE}asked": slots(allowed=_SUBJECT, words=False),
    },
    lambda texts: frozenset(texts.parts),
)


# ---------------------------------------------------------------- passages


class PassageNames(_Strict, frozen=True, kw_only=True):
    """Parts of names, beside syllables."""

    given: Texts
    work_first: Texts
    work_second: Texts
    firm: Texts
    school: Texts
    river: Texts
    award: Texts


class PassageFacts(_Strict, frozen=True, kw_only=True):
    """Further facts that are told of things."""

    known: Texts
    job: Texts
    genre: Texts
    makes: Texts


Passage: TypeAlias = Annotated[tuple[Texts, ...], msgspec.Meta(min_length=1)]


class Tellings(_Strict, frozen=True, kw_only=True):
    """A passage of each kind of thing: its sentences, each in one or several ways."""

    town: Passage
    school: Passage
    person: Passage
    film: Passage
    record: Passage
    firm: Passage


class FilmRoles(_Strict, frozen=True, kw_only=True):
    """Names for somebody by a film."""

    director: Texts
    star: Texts
    writer: Texts


class RecordRoles(_Strict, frozen=True, kw_only=True):
    """Names for somebody by a record."""

    singer: Texts
    producer: Texts


class FirmRoles(_Strict, frozen=True, kw_only=True):
    """Names for somebody by a firm."""

    founder: Texts


class Called(_Strict, frozen=True, kw_only=True):
    """Names for somebody by their work."""

    film: FilmRoles
    record: RecordRoles
    firm: FirmRoles


class PersonAsks(_Strict, frozen=True, kw_only=True):
    """Questions about somebody."""

    town: Texts
    school: Texts
    spouse: Texts
    award: Texts
    year: Texts


class Comparisons(_Strict, frozen=True, kw_only=True):
    """Questions about two things of a kind."""

    film: Texts
    record: Texts
    firm: Texts


class PassageTexts(_Strict, frozen=True, kw_only=True):
    """Sentences that tell an encyclopaedia."""

    benchmark: str
    name: str
    chain: Annotated[tuple[str, ...], msgspec.Meta(min_length=1)]
    both: Texts
    names: PassageNames
    facts: PassageFacts
    tell: Tellings
    called: Called
    ask: PersonAsks
    compare: Comparisons


_OF_A_PERSON: Final = "name first year town job school award spouse parent"

PASSAGES: Final = (
    Form(
        "passages",
        PassageTexts,
        {
            "chain": slots("called", words=False),
            "both": slots("called called2", words=False),
            **{f"names.{kind}": slots("name", words=False)
               for kind in ("firm", "school", "river", "award")},
            "tell.town[]": slots(allowed="name region river people known", words=False),
            "tell.school[]": slots(allowed="name town year", words=False),
            "tell.person[]": slots(allowed=_OF_A_PERSON, words=False),
            "tell.film[]": slots(allowed="name year genre director star writer", words=False),
            "tell.record[]": slots(allowed="name singer year producer", words=False),
            "tell.firm[]": slots(allowed="name makes town year founder", words=False),
            **{f"called.{kind}.*": slots("work", words=False)
               for kind in ("film", "record", "firm")},
            "ask.*": slots("called", words=False),
            "compare.*": slots("one two", words=False),
        },
        lambda _: frozenset(),
    )
)  # fmt: skip


# ---------------------------------------------------------------- events


class TrackerTexts(_Strict, frozen=True, kw_only=True):
    """Sentences that tell an issue tracker's events."""

    benchmark: str
    name: str
    components: Texts
    words: Texts
    errors: Texts
    systems: Texts
    labels: Texts
    symptoms: Texts
    report: Texts
    says: Three
    asks: Texts
    tells: Texts
    rejects: Texts
    mentions: Texts
    duplicate: Texts
    greets: Texts
    warns: Texts
    closes: Texts
    builds: Texts
    plan: Texts
    plan_line: Texts
    pull: Texts
    fixes: Texts
    fixes_nothing: Texts
    merged: Texts


_SAID: Final = "component component2 word error system number digit older commit"

EVENTS: Final = (
    Form(
        "events",
        TrackerTexts,
        {
            **{key: slots(allowed=_SAID, words=False)
               for key in ("symptoms", "says", "asks", "tells", "rejects", "greets", "warns",
                           "closes", "builds")},
            "report": slots("component symptom", "more system", words=False),
            "mentions": slots("issue", _SAID, words=False),
            "duplicate": slots("issue", _SAID, words=False),
            "plan": slots(allowed="component", words=False),
            "plan_line": slots("issue", "symptom", words=False),
            "pull": slots("fixes", "component told", words=False),
            "fixes": slots("issue", words=False),
            "merged": slots("issues", "commit", words=False),
        },
        lambda _: frozenset(),
    )
)  # fmt: skip
