"""
Clauses of a dependency parse: what the subject of a verb is, and how it stands to time and truth.

Functions of tokens alone; the parse is spaCy's (ClearNLP labels).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from hippocampus.core.lazy_dataclass import immutable
from hippocampus.core.records import Mode
from hippocampus.core.word_lists import word_set

if TYPE_CHECKING:
    from spacy.tokens import Token

Aspect: TypeAlias = Literal["state", "began", "ended"]
"""Aspect of a verb: something is so, comes to be, or ceases."""

BE: Final = frozenset({"be", "'s", "'m", "'re", "s", "m", "im"})
VERBAL: Final = ("VERB", "AUX")
SUBJECTS: Final = ("nsubj", "nsubjpass")
_DEEPEST: Final = 6
"""Most clauses above one that are looked at: a negation or a doubt of theirs holds of it, too.
Nobody says more within each other; a wrong parse may have more."""
_WAS: Final = frozenset({"was", "were"})
_FUTURE: Final = frozenset({"will", "'ll", "wo", "shall", "gonna", "ll"})
_POSSIBLE: Final = frozenset({"would", "could", "might", "may", "should", "'d", "must"})
_CONDITIONS: Final = frozenset({"if", "unless", "whether"})
_PERFECT: Final = frozenset({"have", "has", "'ve", "ve", "had"})
_CEASING: Final = frozenset({"stop", "quit", "cease", "pack", "give", "finish"})
"""Verbs that end what a verb after them tells: "stopped working at", "gave up being"."""
_ADDING: Final = frozenset({"and", "&", "plus", "nor"})
"""Words that join people of each of whom the same is said."""
_NEARLY: Final = frozenset({"almost", "nearly", "practically", "virtually", "basically"})
_APPROACHES: Final = frozenset({"close", "near", "verge", "brink", "point", "edge"})
"""Nouns of nearness: whoever is at one of them, or comes to it, has not done the deed."""
_UNDOING: Final = frozenset("fail forget forgot avoid refuse decline neglect resist".split())
"""Verbs that say that what they govern was not done; the pipeline knows no lemma of "forgot"."""
_REASONS: Final = frozenset({"as", "since", "because", "although", "though"})
"""Words that join to a clause one that is so."""
_PERHAPS: Final = frozenset({"perhaps", "maybe", "possibly"})
_KNOWING: Final = frozenset({"know", "note", "remember", "realise", "realize", "learn", "see"})
"""Verbs under which a clause is so, whoever shall know it."""
_GET: Final = frozenset({"get", "gets", "got", "getting", "gotten"})
_UTTERED: Final = frozenset("say tell hear ask mention read report claim swear".split())


@immutable(kw_only=False)
class Clause:
    """A verb, its subject, and whom that means: ``who`` is None if that is nobody known."""

    verb: Token
    subject: Token | None
    who: str | None

    @property
    def lemma(self) -> str:
        """The lemma of the verb, in lower case."""
        lower = self.verb.lower_
        return "be" if lower in BE else self.verb.lemma_.lower()

    def mode(self, aspect: Aspect = "state") -> Mode:
        """Return the standing in time of the clause that the verb heads."""
        above = self.verb.head.head if self.verb.dep_ == "pcomp" else self.verb.head
        # A clause before it is one of its own: "he's my flatmate, please stop".
        governed = above.i < self.verb.i and (
            self.verb.dep_ in ("xcomp", "pcomp", "ccomp")
            or (self.verb.dep_ == "advcl" and self.verb.tag_ == "VBG" and _has(above, {"up", "in"}))
        )
        ceasing = above.lemma_.lower()
        to_do = self.verb.tag_ == "VB" and ceasing != "cease"  # "stopped to eat" goes on to eat
        if governed and ceasing in _CEASING and not to_do:
            return mode_of(above, "ended")
        if aspect != "ended" and (got := _got(self.verb)) is not None:
            return mode_of(got, "began")
        if self.verb.dep_ == "acomp" and self.verb.head.lemma_ == "be":
            return mode_of(self.verb.head, "state")  # "is engaged"
        return mode_of(self.verb, aspect)


def _got(verb: Token) -> Token | None:
    """Return the verb that tells the time of "got engaged", which begins a state; None else."""
    if verb.dep_ == "acomp" and verb.tag_ == "VBN" and verb.head.lower_ in _GET:
        return verb.head
    passive = child(verb, "auxpass")
    return verb if passive is not None and passive.lower_ in _GET else None


def child(token: Token, *deps: str) -> Token | None:
    """Return the first child by one of some dependencies."""
    return next(children(token, *deps), None)


def children(token: Token, *deps: str) -> Iterator[Token]:
    """Yield the children by some dependencies, in order."""
    return (one for one in token.children if one.dep_ in deps)


def object_of(verb: Token, preposition: str) -> Token | None:
    """Return the noun that a preposition after a verb governs: "at" in "works at the bakery"."""
    # In a parse, a preposition often hangs on the object or a particle, and not on the verb.
    near = [one for one in verb.subtree if one.dep_ in ("prep", "agent", "prt", "advmod")]
    for one in near:
        close = one.head == verb or (
            one.head.head == verb
            and one.head.dep_ in ("prep", "prt", "advmod", "dobj", "attr", "npadvmod")
        )
        if close and one.lower_ == preposition:
            found = child(one, "pobj")
            if found is not None:
                return found
    return None


def thing_of(verb: Token) -> Token | None:
    """Return the direct object of a verb; the last of two, as in "sold Tom my bike"."""
    objects = list(children(verb, "dobj"))
    return objects[-1] if objects else None


def joined(token: Token) -> Iterator[Token]:
    """Yield a token and those that "and", "or" or a comma joins to it; not "but no golf"."""
    yield token
    for one in children(token, "conj"):
        before = one.doc[max(one.left_edge.i - 1, 0)].lower_
        if before not in ("no", "not") and not _has(one, {"no", "not"}):
            yield from joined(one)
    for one in children(token, "appos"):
        if _has(one, {"only", "just"}):
            yield one


def is_choice(token: Token) -> bool:
    """Return whether "or" joins something to a token, or it to something: only one may be so."""
    parts = list(joined(token.head if token.dep_ == "conj" else token))
    return any(one.lower_ == "or" for part in parts for one in children(part, "cc"))


def members(subject: Token) -> list[Token]:
    """
    Return those of whom a clause is said, each for themselves: "Ada and Tom", "Ada, Tom and I".

    None of "Ada or Tom", of whom it may not be so, and of "Ada and Tom's aunt", which may be one
    aunt of two.
    """
    named = child(subject, "appos") if subject.tag_ == "NNS" else None  # "my sons Tom and Max"
    last = subject if named is None or named.pos_ != "PROPN" else named
    found = [last]
    while (following := child(last, "conj")) is not None:
        joining = {one.lower_ for one in children(last, "cc")}
        if "or" in joining:
            return []
        if not joining <= _ADDING:
            break  # "Ada but not Tom"
        owner = child(following, "poss")
        if owner is not None and owner.pos_ == "PROPN":
            return []
        found.append(following)
        last = following
    each_their_own = any(one.lower_ == "respectively" for one in subject.sent)
    return found[:1] if each_their_own else found


def is_denied_of_all(subject: Token) -> bool:
    """Return whether a subject is "neither Ada nor Tom"."""
    before = children(subject, "preconj", "det", "cc", "advmod")
    return any(one.lower_ == "neither" for one in before)


def subject_of(verb: Token) -> Token | None:
    """Return the subject of a verb, or that of the verb which it hangs on."""
    for _ in range(_DEEPEST):
        found = list(children(verb, *SUBJECTS)) or list(_named_before(verb))
        if found:
            return found[-1]
        if verb.dep_ in ("conj", "xcomp", "ccomp", "acomp") and verb.head.pos_ in VERBAL:
            # Of "they asked Ada to move" it is Ada who moves.
            if verb.dep_ == "xcomp" and child(verb.head, "dobj") is not None:
                return child(verb.head, "dobj")
            verb = verb.head
        elif verb.dep_ == "advcl" and verb.tag_ == "VBG" and verb.i > verb.head.i:
            verb = verb.head
        elif verb.dep_ == "pcomp":
            verb = verb.head.head
        else:
            return None
    return None


def _named_before(verb: Token) -> Iterator[Token]:
    """Yield a name right before a finite verb: a short sentence's is taken for a time."""
    for one in children(verb, "npadvmod"):
        dated = one.lower_ in word_set("weekdays") | word_set("months")
        if one.i == verb.i - 1 and one.pos_ == "PROPN" and not dated:
            yield one
    before = verb.i - 1
    while before > verb.sent.start and verb.doc[before].tag_ == "RB":
        before -= 1
    one = verb.doc[max(before, 0)]
    # Behind what stands first without a comma: "In that episode Ada left".
    if verb.tag_ in ("VBD", "VBZ") and one.pos_ == "PROPN" and one.dep_ == "appos":
        yield one


def is_left_out(verb: Token) -> bool:
    """
    Return whether a verb without a subject says what its speaker did: "sold the car at last".

    As notes have it; a bare verb is a request.
    """
    top = verb
    for _ in range(_DEEPEST):
        if top.dep_ not in ("xcomp", "pcomp", "conj", "acomp") or top.head == top:
            break
        top = top.head if top.dep_ != "pcomp" else top.head.head
    inflected = top.tag_ in ("VBD", "VBN", "VBG") or top.lower_ == "been"
    return inflected or child(top, "aux", "auxpass", "neg") is not None


def auxiliaries(verb: Token) -> frozenset[str]:
    """Return the auxiliaries of a verb, those before what it is joined to or governed by, too."""
    found = {one.lower_ for one in children(verb, "aux", "auxpass")}
    above = verb.head
    if above.pos_ in VERBAL and verb != above:
        if verb.dep_ == "xcomp":
            found |= auxiliaries(above)
            # "Going to" and "used to" tell a time, though the parse has them for full verbs.
            if above.lemma_ == "go" and above.tag_ == "VBG":
                found.add("will")
            if above.lemma_ == "use" and above.tag_ == "VBD":
                found.add("used")
        # "Has moved and started": an auxiliary is said once for both.
        elif verb.dep_ == "conj" and not found and child(verb, *SUBJECTS) is None:
            found |= auxiliaries(above)
    return frozenset(found)


def negation(verb: Token) -> Literal["denied", "ended"] | None:
    """Return whether a verb is negated, and whether that says that it was so before."""
    for _ in range(_DEEPEST):
        below = list(verb.children)
        if any(one.lower_ == "longer" and one.i and one.nbor(-1).lower_ == "no" for one in below):
            return "ended"
        if any(one.dep_ == "neg" or one.lower_ == "never" for one in below):
            said = f" {verb.sent.text.lower()} "
            over = any(f" {words}" in said for words in ("anymore", "any more", "any longer"))
            return "ended" if over else "denied"
        if any(is_denied_of_all(one) for one in children(verb, *SUBJECTS)):
            return "denied"
        if verb.dep_ not in ("xcomp", "acomp", "attr", "pcomp") or verb.head.pos_ not in VERBAL:
            return None
        verb = verb.head
    return None


def is_unreal(verb: Token, knows: Callable[[Token], bool]) -> bool:
    """
    Return whether a clause only could be so, or is what somebody unknown says.

    ``knows``: whether a token stands for somebody that is known, whose word counts.
    """
    token, governed = verb, True
    for _ in range(_DEEPEST):
        if governed and _is_supposed(token, verb):
            return True
        if token != verb and token.lemma_.lower() in _UTTERED and not _is_witness(token, knows):
            return True
        if token.dep_ in ("ROOT", "relcl", "parataxis") or is_known(token):
            return False
        # What is supposed of one clause is not of those joined to it, unless all say "that".
        parted = token.dep_ == "conj" and not (_has(token, {"that"}) or _shares_to(token))
        governed = governed and not parted
        if token.dep_ == "advcl" and child(token, "mark") is None:
            return False
        before = token.dep_ == "ccomp" and token.i < token.head.i
        if before and token.head.lemma_.lower() not in _UTTERED:
            return False  # a comma splice: "I live in Oslo now, think of me"
        token = token.head
    return False


def _shares_to(verb: Token) -> bool:
    """Return whether a verb has the "to" or "would" of the one before: "to live here and work"."""
    return verb.tag_ == "VB" == verb.head.tag_ and child(verb, "aux", *SUBJECTS) is None


def _is_turned_had(verb: Token) -> bool:
    subject = child(verb, *SUBJECTS)
    had = next((one for one in children(verb, "aux") if one.lower_ == "had"), None)
    return had is not None and subject is not None and had.i < subject.i


def is_known(token: Token) -> bool:
    """Return whether a clause is said to be known, and so is so: "you should know that I …"."""
    return token.dep_ == "ccomp" and token.head.lemma_.lower() in _KNOWING


def is_aside(verb: Token) -> bool:
    """Return whether a clause is so whatever the one above says: a reason, or a comma splice."""
    if verb.dep_ == "ccomp" and verb.i < verb.head.i:
        return verb.head.lemma_.lower() not in _UTTERED
    return verb.dep_ == "advcl" and _has(verb, _REASONS)


def _is_supposed(token: Token, verb: Token) -> bool:
    """Return whether a clause, or one above it, is a condition, a wish or a possibility."""
    if not _POSSIBLE.isdisjoint(one.lower_ for one in children(token, "aux")):
        return True
    if any(
        _has(one, _CONDITIONS) and not _is_courteous(one, token) for one in children(token, "advcl")
    ):
        return True
    if _has(token, _CONDITIONS) or _is_undone(token, verb) or _has(token, _PERHAPS):
        return True
    # "Had I become an engineer", and what nobody is said to do: "owning a boat is like …".
    if _is_turned_had(token) or (token.dep_ == "csubj" and child(token, *SUBJECTS) is None):
        return True
    return token != verb and token.lemma_.lower() in word_set("supposing_verbs")


def _is_undone(token: Token, verb: Token) -> bool:
    """
    Return whether a verb, or one that governs it, says that something was not done.

    Such as "almost bought", "came close to buying", "forgot to buy", "was going to buy"; not
    "forgot to say that".
    """
    if token == verb:
        joined_to = verb.head if verb.dep_ == "conj" and child(verb, *SUBJECTS) is None else None
        return _is_approximate(verb) or (joined_to is not None and _is_approximate(joined_to))
    governs = verb.dep_ == "xcomp" and verb.head == token
    if governs and token.lower_ in ("going", "gon"):
        return not _WAS.isdisjoint(one.lower_ for one in children(token, "aux"))
    return governs and (token.lemma_.lower() in _UNDOING or _is_approximate(token))


def _is_approximate(verb: Token) -> bool:
    """Return whether something was only nearly done: "almost", "all but", "close to" doing it."""
    if any(one.lower_ in _NEARLY and one.i < verb.i for one in children(verb, "advmod")):
        return True
    before = [one.lower_ for one in verb.doc[max(verb.sent.start, verb.i - 2) : verb.i]]
    return before == ["all", "but"] or (
        verb.dep_ == "pcomp" and verb.head.head.lower_ in _APPROACHES
    )


def _is_courteous(condition: Token, verb: Token) -> bool:
    """Return whether a condition is none of what is said: "it is Ada, if you need it"."""
    subject = child(condition, *SUBJECTS)
    if subject is None or condition.i < verb.i:
        return False
    helps = subject.lower_ in ("that", "it") and condition.lemma_.lower() in ("help", "matter")
    return helps or subject.lower_ == "you"


def _is_witness(verb: Token, knows: Callable[[Token], bool]) -> bool:
    """Return whether who says something is known: not "the paper says"."""
    who = subject_of(verb)
    return who is not None and knows(who)


def _has(token: Token, words: set[str] | frozenset[str]) -> bool:
    return any(one.lower_ in words for one in token.children)


def is_asked(verb: Token) -> bool:
    """Return whether a clause is a question, with its mark or without it; not what describes."""
    if verb.sent.text.rstrip(" \"')").endswith("?"):
        return not _describes(verb)
    subject = child(verb, *SUBJECTS)
    asking = any(
        one.tag_ in ("WRB", "WP", "WDT") and one.dep_ in ("advmod", "attr", "dobj")
        for one in verb.children
        if one.i < verb.i
    )
    turned = subject is not None and any(one.i < subject.i for one in children(verb, "aux"))
    return asking and turned


def _describes(verb: Token) -> bool:
    """Return whether a verb is of a clause on somebody with a name: "my wife, Elise, who sings"."""
    first = verb.head if verb.dep_ == "conj" else verb
    if first.dep_ != "relcl":
        return False
    noun = first.head
    named = noun.pos_ == "PROPN" or child(noun, "appos") is not None
    return named and any(one.text == "," for one in noun.doc[noun.i : first.i])


def mode_of(verb: Token, aspect: Aspect) -> Mode:
    """Return the standing of a statement in time: of a state, a beginning or an end."""
    said, not_so = auxiliaries(verb), negation(verb)
    # Before a participle "'s" may be "has".
    perfect = not _PERFECT.isdisjoint(said) or ("'s" in said and verb.tag_ == "VBN")
    past = verb.tag_ == "VBD" or bool(said & {"did", "had", "was", "were"})
    bare = verb.tag_ == "VBN" and not said
    ahead = bool(said & _FUTURE)
    if aspect == "state":
        if not_so == "denied" and perfect and _is_since(verb):
            not_so = "ended"
        return _mode_of_state(not_so, ahead=ahead, past=(past or bare) and not perfect, said=said)
    coming = ahead or (verb.tag_ == "VBG" and not (perfect or past) and _is_present(verb, said))
    if aspect == "began":
        # In the present, a beginning is a plan or a habit: who "buys" has not bought.
        timeless = verb.tag_ in ("VBP", "VB", "VBZ") and not (said & {"did"} or past)
        if not_so:
            return "denied"
        return "planned" if coming or timeless else "began"
    if not_so:
        return "denied" if past else "holds"  # who is not selling it has it
    return "holds" if coming or _is_to_come(verb) else "ended"


def _is_since(verb: Token) -> bool:
    """Return whether a negated perfect says since when: "haven't lived there since 2012"."""
    begun = any(
        one.lower_ == "since" or (one.dep_ == "advcl" and _has(one, {"since"}))
        for one in verb.children
    )
    return begun and not _has(verb, {"never"})


def _is_to_come(verb: Token) -> bool:
    """Return whether an infinitive tells what was not yet done: "plans to sell", not "had to"."""
    above = verb.head
    if verb.tag_ != "VB" or verb.dep_ != "xcomp" or all(one.lower_ != "to" for one in verb.lefts):
        return False
    done = above.lemma_.lower() in ("manage", "get", "force", "happen")
    return not done and not (above.lemma_ == "have" and above.tag_ == "VBD")


def _mode_of_state(not_so: str | None, *, ahead: bool, past: bool, said: frozenset[str]) -> Mode:
    if not_so is not None:
        return "ended" if not_so == "ended" or "used" in said else "denied"
    if ahead:
        return "planned"
    return "held" if past or "used" in said else "holds"


def _is_present(verb: Token, said: frozenset[str]) -> bool:
    """Return whether what goes on is going to be: "is joining", "joining X on Monday"."""
    return "been" not in said and not (verb.dep_ == "pcomp" and "after" in verb.head.lower_)
