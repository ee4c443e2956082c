"""The query: everything that is read off a question, in one place."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import field
from datetime import datetime
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.cue_names import USED
from hippocampus.core.lazy_dataclass import immutable
from hippocampus.core.records import Interval
from hippocampus.core.word_lists import word_set
from hippocampus.encode.terms import Term, stem
from hippocampus.language.asked_choice import Choice
from hippocampus.language.asked_conversation import AskedConversation
from hippocampus.language.asked_state import AskedState
from hippocampus.language.event_anchored import EventAnchoredTime
from hippocampus.language.filled_roles import Role
from hippocampus.language.question_intent import Intent
from hippocampus.language.relations import functional, names_all_of, relation_of, same_kin

if TYPE_CHECKING:
    from hippocampus.language.counting.asked import AskedEvents, AskedOccasion


class AskedFact(NamedTuple):
    """
    A fact that a question asks for: "where do I live?", "what is Ada's job?".

    Attributes:
        relations: relations that its words may mean, and stems of nouns after "my" and "our".
        names: words of the question that may name the person.
        own: whether it is of the person who asks.
        kin: words for kin in it: "sister" in "where does my sister live?".
        nouns: words in it that stand for a relation: "sister" in "who is my sister?".
        of: whether it asks for what holds now, for what held before that, for what is planned to
            be next, or for what held then.
        within: the closed times that it names, if it asks for what held then.

    """

    relations: frozenset[str]
    names: frozenset[str]
    own: bool
    kin: frozenset[str]
    nouns: frozenset[str] = frozenset()
    of: Literal["now", "before", "next", "then"] = "now"
    within: tuple[Interval, ...] = ()

    @property
    def kin_relations(self) -> frozenset[str]:
        """The relations that its words for kin stand for."""
        return self.kin | {found for one in self.kin if (found := relation_of(one)) is not None}

    def says(self, noun: str) -> bool:
        """Return whether a statement by a noun is asked for: of two siblings, the sister."""
        if not noun or not self.nouns or noun not in word_set("kin"):
            return True
        return any(names_all_of(one) or same_kin(one, noun) for one in self.nouns)

    def fits(self, relation: str) -> bool:
        """Return whether a relation is one that is asked for, and to one thing at a time."""
        last = stem(relation.rpartition("_")[2])
        return relation in self.relations or (last in self.relations and functional(relation))

    def asks_who(self, role: Role) -> bool:
        """Return whether it may be asked for who fills a role."""
        whose = role.whose in self.names if role.whose else self.own
        return whose and not {role.relation, stem(role.relation)}.isdisjoint(self.relations)

    def means(self, subject: str, kin: Collection[str]) -> bool:
        """Return whether a folded name may be the person; ``kin``: names known to be their kin."""
        if self.kin:
            return subject in kin or any(subject.endswith(f"'s {one}") for one in self.kin)
        return self.own or subject.partition(" ")[0] in self.names


class Leading(NamedTuple):
    """Rows that come first whatever their scores, in this order; ``sure``: they answer."""

    rows: tuple[int, ...] = ()
    sure: bool = False


class Possessive(NamedTuple):
    """
    Something by whose it is: "Ana" and ("sister",) in "Ana's sister".

    ``of``: the place among a question's possessives of the one that is the owner, as in "Ana's
    sister's dog"; ``owner`` is "" for who asks: "my sister".
    """

    owner: str
    what: tuple[str, ...]
    of: int | None = None


@immutable(eq=False)
class Query:
    """
    A question, parsed once (``recall/parse.py``) and asked of every cue.

    Fields down to ``fact`` are read off the text alone; those after it need the bank or a model.
    """

    text: str
    """The question as it was asked; ``recall/parse.py`` and ``encode_query`` alone read it."""
    now: datetime
    """The present moment for it, aware."""
    cues: frozenset[str] = frozenset(USED)
    """Names of the cues that it is asked of, of ``CUES``."""
    language: str | None = None
    """The language that most of it is in, by its code; None where nobody can tell."""
    is_latin: bool = True
    """Whether most of its letters are Latin ones."""
    words: tuple[Term, ...] = ()
    """Its words with their places in the text, in order; ``spelled`` says how each is written."""
    own_end: int = 0
    """End of its own words: at a colon before a quotation, or at its end."""
    terms: NDArray[np.uint32]
    """Hashes of its words, each once, shape (t,)."""
    term_weights: NDArray[np.float32]
    """Weight of each of ``terms`` by its count, shape (t,): 0 for function words."""
    variants: Mapping[int, int] = field(default_factory=dict)
    """Places in ``terms`` of other forms of a word, with the place of the word."""
    text_terms: frozenset[int] = frozenset()
    """Hashes of all that it says, as a memory's words are: the same for who asked it before."""
    name_terms: NDArray[np.uint32] = field(default_factory=lambda: np.zeros(0, np.uint32))
    """Hashes of the words in it that are spelled like names, ascending, each once."""
    intervals: tuple[Interval, ...] = ()
    """Times that it names."""
    listing: tuple[Interval, ...] = ()
    """Those of them of which it asks for whatever was, or will be, and for nothing else."""
    small_talk: bool = False
    """Whether it only greets, thanks or agrees, and asks for nothing."""
    event: EventAnchoredTime | None = None
    """A time in it that hangs on an event: "the day after the interview"."""
    intents: frozenset[Intent] = frozenset()
    """Intents that its words tell; none for most questions."""
    several: bool = False
    """Whether it asks for several things, or how many they are."""
    counted: AskedEvents | None = None
    """The events that it counts, with their times: of "how often did I swim?"; None if it counts
    none."""
    occasion: AskedOccasion | None = None
    """The last or first event of which it asks when it was: of "when did I last swim?"."""
    sort: str = ""
    """Sort of the things, a noun in the singular: "trip" of "which trips"; "" if it does not
    say."""
    state: AskedState | None = None
    """State, of several of one matter, that it asks for; None if it asks for none, or of a time."""
    choice: Choice | None = None
    """The things of which it asks which one it is; None if it puts no choice."""
    for_number: bool = False
    """Whether it is answered by a number, a day or an hour."""
    if_still: bool = False
    """Whether it asks if something is still so, or done yet."""
    advice: bool = False
    """Whether it asks for advice, for leave, or for something to be made: what is wished or barred
    from now on bears on it."""
    impersonal: bool = False
    """Whether it speaks of nobody: not of who asks, nor of anything with a name that is known."""
    unheard: frozenset[int] = frozenset()
    """Hashes of its words of content that no text of the bank has in any form."""
    conversation: AskedConversation | None = None
    """Question about whole conversations; None if it is none."""
    leading: Leading = field(default_factory=Leading)
    """Rows that come first, of what it asks of whole conversations."""
    latest: float = 0.0
    """Weight of the latest: 1 if it is asked for of something, 1000 if of all, else 0."""
    empty: bool = False
    """Whether it has no word of content to search for: "catch me up"."""
    roles: frozenset[str] = field(default_factory=frozenset)
    """Roles that "I" and "you" mean in it."""
    quoting: bool = False
    """Whether it asks for words or deeds of the one it is put to: "what did you suggest?"."""
    introduced: NDArray[np.uint32] = field(default_factory=lambda: np.zeros(0, np.uint32))
    """Hashes of the name of somebody whom it asks to have explained: "who is Ms Oduya?"."""
    known_as: frozenset[int] = frozenset()
    """Hashes of the names of those whom its possessives mean: of "Mr Petrov" for "our landlord"."""
    possessives: tuple[Possessive, ...] = ()
    """Persons and things that it names by their owner: "my sister's car"."""
    fact: AskedFact | None = None
    """The fact that it asks for; None for questions that ask for none."""

    speakers: frozenset[str] = field(default_factory=frozenset)
    """Speakers of the bank whom it names."""
    vector: NDArray[np.float32] | None = None
    """Its pooled embedding, shape (dimension,); None without an embedder."""
    tokens: NDArray[np.float32] | None = None
    """Its token vectors, rotated, shape (q, bits); None if the embedder gives none."""
    token_terms: NDArray[np.int32] | None = None
    """The place in ``terms`` of each token's word, shape (q,); -1 for punctuation."""
    keywords: tuple[tuple[NDArray[np.uint8], ...], ...] = ()
    """For each keyword the signatures of its spellings, each of shape (tokens, bits / 8)."""
    phrases: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    """Keys of its phrases and of runs of up to three content words, with their places in
    ``terms`` where they are known."""
    gazetteer_keys: frozenset[int] = frozenset()
    """Keys of curated names in it, phrases or not: "go to market", "C++"."""
    definite: frozenset[int] = frozenset()
    """Keys of phrases that it takes for known: "the glacier paper", "our boat"."""
    definite_words: frozenset[int] = frozenset()
    """Keys of single words of those phrases that have several."""
    described: tuple[tuple[int, ...], ...] = ()
    """Hashes of the words of what it describes by more than one: "club", "rowing" of "the club
    about rowing"."""
    phonetic_codes: tuple[str, ...] = ()
    """Sounds of its content words, for names that are misspelt."""
    deixis: float = 0.0
    """Certainty that it points at something without naming it: "ours" 1, "it" 0.5."""
    term_discounts: NDArray[np.float32] | None = None
    """Factors on the weights of words that its concepts explain, shape (t,); None means 1."""

    def spelled(self, word: Term) -> str:
        """Return one of its words as it is written in it."""
        return self.text[word.start : word.end]
