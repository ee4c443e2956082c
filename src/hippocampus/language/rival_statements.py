"""
Rival statements: two that are alike but for their ends, so that both cannot hold at once.

"The rent is 950 a month" and "the rent is 1,100 a month" say one thing of one matter, and the later
one is what holds. No list of relations is needed for that: what counts is that subject and verb
are the same and of the present, and that what follows them, a name or a number, differs. English.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import Final, Literal, NamedTuple, TypeAlias

from hippocampus.core.word_lists import Patterns, word_set
from hippocampus.language.nouns import singular, use_of
from hippocampus.language.relations import functional, relation_of
from hippocampus.language.time.tense import is_past

Kind: TypeAlias = Literal["number", "name", "word"]

_RE: Final = Patterns("rivals")
_LONGEST: Final = 600
"""Characters of a text that are read: of a longer one a statement is too small a part to be marked
as over (docs/adr/0062)."""
_CLAUSE: Final = 24
"""Words of a clause at most: what is longer tells a story. Set by hand."""
_END: Final = 6
"""Words of an end that are compared: a name or a number with its measure has no more."""
_UNIT: Final = 4
"""Words of a number with its unit: the number, and the words after it."""
_BE: Final = frozenset({"is", "are", "am"})
_WAS: Final = frozenset({"was", "were"})
_FIRST: Final = frozenset({"i", "we"})
_THIRD: Final = frozenset({"he", "she", "it", "they", "you", "that", "this", "there", "one"})
_OWN: Final = _FIRST | {"my", "our", "me", "us"}
_DETERMINERS: Final = frozenset({"the", "my", "our", "his", "her", "their", "its"})
_DENIALS: Final = frozenset({"not", "no", "never"})
_ARTICLES: Final = frozenset({"a", "an", "the"})
_ONLY: Final = frozenset("favourite favorite main only current usual best latest new".split())
"""Adjectives of which one thing is one at a time."""
_VERB: Final = 0.3
"""Share of its uses as a verb from which a word with an -s may be one."""


class StatedClause(NamedTuple):
    """A clause that states something, as words."""

    verb: int
    """The place of its verb, 0 if none is seen."""
    own: bool
    """Whether it is about the speaker."""
    words: tuple[str, ...]
    """In lower case, without adverbs and denials, contractions written out."""
    written: tuple[str, ...]
    """The words as they are written; without a capital where a sentence asks for it."""
    denied: bool
    """Whether it says "not", "no" or "never"."""
    share: float
    """Share of its text's words that are its own, in (0, 1]."""


@lru_cache(maxsize=4096)
def clauses(text: str) -> tuple[StatedClause, ...]:
    """Return the clauses of a text that state something; questions and suppositions do not."""
    head = _written_out(text[:_LONGEST])
    total = max(1, len(_RE.word.findall(head)))
    return tuple(_read(head, total))


def _read(text: str, total: int) -> Iterator[StatedClause]:
    for sentence in _RE.sentence.finditer(text):
        said = sentence.group().strip()
        if said.endswith("?") or _RE.unstated.search(said):
            continue
        for part in _RE.between.split(said):
            clause = None if _RE.unstated.search(part) else _clause(part, total)
            if clause is not None:
                yield clause


def _clause(text: str, total: int) -> StatedClause | None:
    words: list[str] = []
    spelled: list[str] = []
    found = _RE.word.findall(text)
    # Twice as many as are allowed in the end, since adverbs and openers still go.
    if not 3 <= len(found) <= 2 * _CLAUSE:
        return None
    denied = False
    for written in found:
        word = written.lower()
        if word in _DENIALS:
            denied = True
        elif word not in _adverbs() and (words or word not in _openers()):
            opens = not words and use_of(word).known  # and a capital says nothing
            words.append(word)
            spelled.append(word if opens else written)
    if not 3 <= len(words) <= _CLAUSE:
        return None
    verb = _verb(words)
    own = not _OWN.isdisjoint(words[: verb + 1])
    share = min(1.0, len(found) / total)
    return StatedClause(verb, own, tuple(words), tuple(spelled), denied, share)


def _written_out(text: str) -> str:
    text = _RE.any_more.sub("anymore", text.replace("’", "'"))
    text = text.replace("no longer", "not")
    if "'" not in text and "cannot" not in text:
        return text
    for pattern, instead in (
        # The irregular ones first: "n't" taken off "won't" leaves "wo".
        (_RE.will_not, "will not"), (_RE.can_not, "can not"), (_RE.not_, " not"),
        (_RE.will, " will"), (_RE.am, " am"), (_RE.are, " are"), (_RE.have, " have"),
        (_RE.it_is, r"\1 is"), (_RE.noun_is, r"\1 is"),
    ):  # fmt: skip
        text = pattern.sub(instead, text)
    return text


@cache
def _adverbs() -> frozenset[str]:
    return word_set("adverbs") | {"anymore", "usually", "nowadays", "again", "pretty", "very"}


@cache
def _openers() -> frozenset[str]:
    return word_set("clause_openers") | word_set("small_talk") | {"well", "yes", "by", "way", "btw"}


@cache
def _counts() -> frozenset[str]:
    """Return words for numbers, days and hours."""
    lists = ("numbers", "tens", "weekdays", "months")
    return frozenset({"noon", "midnight"}).union(*map(word_set, lists))


@lru_cache(maxsize=1 << 14)
def _kind(written: str) -> Kind:
    """Return the form of a word: how it is written."""
    if any(map(str.isdigit, written)) or written.lower() in _counts():
        return "number"
    return "name" if written[0].isupper() else "word"


# ---------------------------------------------------------------- two of them


def find_rivals(
    told: Iterable[tuple[str, str]], *, share: float = 0.0
) -> Iterator[tuple[int, int]]:
    """
    Yield the places of texts that a later text has a rival clause to, each once, with the first.

    Args:
        told: texts, each with who said it, in the order in which they were said.
        share: the least share of an earlier text that its clause makes up.

    """
    heard: defaultdict[tuple[object, ...], dict[StatedClause, list[int]]] = defaultdict(dict)
    overtaken: set[int] = set()
    for place, (text, speaker) in enumerate(told):
        for clause in dict.fromkeys(clauses(text)):  # what is repeated says no more
            if not clause.verb:
                continue
            subject = tuple(w for w in clause.words[: clause.verb] if w not in _DO)
            # "My rent" is the speaker's own; anything else is one matter, whoever speaks of it.
            before = heard[speaker if clause.own else None, subject]
            for other in [other for other in before if rivals(other, clause)]:
                places = before.pop(other)
                fresh = [at for at in places if at != place and at not in overtaken]
                yield from ((at, place) for at in fresh)
                overtaken.update(fresh)
                if place in places:
                    before[other] = [place]
            if clause.share >= share:
                before.setdefault(clause, []).append(place)


def find_of_one_frame(
    texts: Iterable[str], *, over: bool = False
) -> Iterator[tuple[int, int, str]]:
    """
    Yield the places of texts that have clauses of one frame, alike but for their ends, and that.

    ``over``: only clauses of what is past, such as who founded what.
    """
    heard: defaultdict[tuple[str, ...], dict[StatedClause, list[int]]] = defaultdict(dict)
    test = _are_of_one_past_frame if over else are_of_one_frame
    for place, text in enumerate(texts):
        found: dict[tuple[int, int, str], None] = {}
        for clause in dict.fromkeys(clauses(text)):
            # Clauses that do not share two words are never of one frame: nothing to compare.
            before = heard[clause.words[:2]]
            for other, places in before.items():
                if places != [place] and test(other, clause):
                    matter = " ".join(clause.words[: _frame(other, clause) or None])
                    found |= dict.fromkeys((at, place, matter) for at in places if at != place)
            before.setdefault(clause, []).append(place)
        yield from found


@lru_cache(maxsize=4096)
def tells_correction(text: str) -> bool:
    """Return whether a text puts right what was said before: "it is only 350 after all"."""
    return _RE.corrects.search(text[:_LONGEST]) is not None


def rivals(one: StatedClause, other: StatedClause) -> bool:
    """Return whether two clauses of the present cannot both hold: the later one does."""
    return _denies(one, other) or _differ_in_their_ends(one, other, _is_state)


def are_of_one_frame(one: StatedClause, other: StatedClause) -> bool:
    """Return whether two clauses say one thing of one matter, of the past as well."""
    return rivals(one, other) or _differ_in_their_ends(one, other, _is_told)


def _are_of_one_past_frame(one: StatedClause, other: StatedClause) -> bool:
    """Return whether two clauses say one thing of one matter of the past, and none is rival."""
    return _differ_in_their_ends(one, other, _is_told) and not rivals(one, other)


def _differ_in_their_ends(
    one: StatedClause, other: StatedClause, holds: Callable[[StatedClause, int], bool]
) -> bool:
    """Return whether neither is denied, and they begin alike with words of which a test holds."""
    frame = 0 if one.denied or other.denied else _frame(one, other)
    return frame > 0 and holds(one, frame)


def _denies(one: StatedClause, other: StatedClause) -> bool:
    """Return whether one is the denial of the other, in the present."""
    if one.denied == other.denied:
        return False
    mine, theirs = ([w for w in c.words if w not in _DO] for c in (one, other))
    verb = (other if one.denied else one).verb
    # Denied, "works" is "does not work", and has lost its ending.
    same = [_bare(w) for w in mine] == [_bare(w) for w in theirs]
    return same and verb > 0 and mine[0] not in _THIRD and not _is_behind(mine[verb])


_DO: Final = frozenset({"do", "does"})


def _is_behind(verb: str) -> bool:
    return verb in _WAS or verb == "did" or is_past(verb)


def _bare(word: str) -> str:
    return word.removesuffix("s") if len(word) > 3 else word


def _frame(one: StatedClause, other: StatedClause) -> int:
    """Return the number of words at the beginnings of two clauses whose ends are rivals; else 0."""
    a, b = one.words, other.words
    count = 0
    for x, y in zip(a, b, strict=False):
        if x != y:
            break
        count += 1
    if count < 2 or count >= min(len(a), len(b)):
        return 0
    # "A" or "an" depends on the word behind it, and is no difference of its own.
    while a[count] in _ARTICLES and b[count] in _ARTICLES and count + 1 < min(len(a), len(b)):
        count += 1
    first, second = _kind(one.written[count]), _kind(other.written[count])
    if first != second:
        return 0
    tails = (_tail(a, count), _tail(b, count))
    if first == "number" and not _same_unit(*tails):
        return 0
    # Who only says more of the same end denies nothing of it.
    if set(tails[0]) <= set(tails[1]) or set(tails[1]) <= set(tails[0]):
        return 0
    return count


def _tail(words: Sequence[str], start: int) -> list[str]:
    return list(words[start : start + _END])


def _same_unit(one: Sequence[str], other: Sequence[str]) -> bool:
    """Return whether two numbers are of one measure: the words after them do not differ."""
    units = [
        [word for word in tail[1:_UNIT] if not any(map(str.isdigit, word))] for tail in (one, other)
    ]  # fmt: skip
    # One of them may leave out its measure: "950 a month", "1,100".
    return all(a == b for a, b in zip(*units, strict=False))


def _verb(words: Sequence[str]) -> int:
    """Return the place of the verb after the subject that opens a clause, 0 if none is seen."""
    if words[0] in _FIRST:
        return 1 if len(words) > 1 else 0
    # A subject of more than eight words is no short name of one thing, of which two clauses can be
    # alike.
    for place, word in enumerate(words[1:9], 1):
        if word in _BE or word in _WAS or word in ("has", "have"):
            return place
        before = words[place - 1]
        led = before in _DETERMINERS or before in word_set("before_ends")
        if not led and _is_third_form(word):
            return place
        # A pronoun begins a second clause, whose verb is not the first one's.
        if word in _THIRD:
            return 0
    return 0


def _is_third_form(word: str) -> bool:
    """Return whether a word may be a verb in the third person: "works", "costs"."""
    if not word.endswith("s") or word.endswith("ss"):
        return False
    bases = (word[:-1], word.removesuffix("es"))
    return any((use := use_of(base)).known and use.verb >= _VERB for base in bases)


def _is_state(clause: StatedClause, frame: int) -> bool:
    """Return whether the first words of a clause state what one thing or number is true of."""
    words, end, verb = clause.words, _kind(clause.written[frame]), clause.verb
    if not 0 < verb < frame or words[0] in _THIRD or _is_behind(words[verb]):
        return False
    between = words[verb + 1 : frame]
    if not word_set("no_single_subject").isdisjoint(words[:frame]) or _tells_more(
        words[verb], between
    ):
        return False
    if words[verb] in _BE:
        return _is_state_of_being(clause, between, end)
    if end == "word" or (words[0] in _FIRST and not _is_base(words[verb])):
        return False
    return end == "number" or (bool(between) and between[-1] in _PLACE)


def _tells_more(verb: str, between: Sequence[str]) -> bool:
    """Return whether there is a second verb: a plan, a perfect or a clause within the clause."""
    if not _SUBJECTS.isdisjoint(between) or not _attitudes().isdisjoint((verb, *between)):
        return True
    if verb in ("have", "has") and between:
        first = between[0]
        if first == "been" or is_past(first) or first in word_set("irregular_participles"):
            return True
    return any(a == "to" and use_of(b).verb >= _VERB for a, b in pairwise((*between, "")))


_SUBJECTS: Final = _FIRST | _THIRD


@cache
def _attitudes() -> frozenset[str]:
    """Return words for what one may have towards many things at once."""
    return word_set("attitudes") | word_set("stative_verbs") | {"think", "interested"}


_PLACE: Final = frozenset({"in", "at", "for", "of", "by"})


def _is_base(verb: str) -> bool:
    return not verb.endswith("ing") and use_of(verb).verb > 0


def _is_state_of_being(clause: StatedClause, between: Sequence[str], end: Kind) -> bool:
    """Return whether a predicate can be only one thing: a place, or "the" or "my" something."""
    subject = clause.words[: clause.verb]
    if any(word.endswith("ing") for word in between):  # what is going on is no state
        return False
    if not _ONLY.isdisjoint(subject):
        return True
    if end == "word":
        return False
    if subject[0] in _FIRST or _is_named(clause):
        return _is_tied(between)
    noun = subject[subject.index("of") - 1] if "of" in subject else subject[-1]
    if end == "number" or "of" in subject:
        return True
    return singular(noun) == noun and functional(relation_of(noun) or noun)


def _is_named(clause: StatedClause) -> bool:
    """Return whether a clause is of somebody or something by name alone."""
    written = clause.written[: clause.verb]
    return len(written) == 1 or all(_kind(word) == "name" for word in written[1:])


def _is_tied(between: Sequence[str]) -> bool:
    """Return whether words lead from "is" to what one is tied to: "a citizen of", "married to"."""
    content = [word for word in between if word not in word_set("before_ends")]
    return bool(content) and (
        between[-1] in _PLACE or (between[-1] == "to" and is_past(content[0]))
    )


def _is_told(clause: StatedClause, frame: int) -> bool:
    """Return whether the first words of a clause say which one thing or number is true of what."""
    words = clause.words
    verb = clause.verb or next((p for p, w in enumerate(words[1:9], 1) if is_past(w)), 0)
    if not 0 < verb < frame or words[0] in _THIRD or words[0] in _FIRST:
        return False
    return frame - verb > 1 or words[verb] in _BE or words[verb] in _WAS
