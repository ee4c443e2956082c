"""
Extractive compression: a text in fewer words of its own, for a memory that fades or a summary.

Six levels, from the text itself to nothing. No word is new, so nothing is made up: words are left
out, its details (numbers, names, times, negations; see ``equivalence.py``) last. A word that one
level leaves out no later level brings back.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final

from hippocampus.core.lazy_pattern import lazy_pattern
from hippocampus.core.word_lists import Patterns, word_set
from hippocampus.encode.terms import UNSPACED, UNSPACED_ONE
from hippocampus.encode.tokens import count
from hippocampus.errors import InputError
from hippocampus.language.equivalence import is_detail
from hippocampus.language.noun_phrases import is_chaff, is_name
from hippocampus.language.nouns import use_of

FULL: Final = 0
"""All of the text; this and the next levels are L0 to L5 in HUMAN, section 5."""
PLAIN: Final = 1
"""Without greetings, fillers and emoji."""
SUMMARY: Final = 2
"""Half of its tokens."""
GIST: Final = 3
"""A quarter of them."""
KEYWORDS: Final = 4
"""An eighth, of words that name something."""
TOMBSTONE: Final = 5
"""Nothing of the text."""
PARTS: Final[Mapping[int, int]] = {SUMMARY: 2, GIST: 4, KEYWORDS: 8}
"""A level keeps one in so many of a text's tokens, about; one word at least. A half and a quarter
are HUMAN's (section 5), which gives L4 no number."""

_NAME, _DETAIL, _COUNT, _CONTENT, _CHAFF, _GRAMMAR = 3.2, 3.0, 1.5, 1.0, 0.3, 0.1
"""Worth of a word. ``_COUNT`` is for words of number and order, which are often mere idiom ("one by
one", "at last"); nouns are worth up to twice ``_CONTENT``."""

_WORD = lazy_pattern(
    rf"[{UNSPACED}]"
    rf"|[$€£¥#]?[^\W{UNSPACED}]+"
    rf"(?:(?:['’\-:/@.]|,(?=\d))(?=[^\W{UNSPACED}])[^\W{UNSPACED}]+)*%?"
)
_MARK = lazy_pattern(r"[.!?…。！？\n,;:、，；：—–()]")
_ENDS: Final = frozenset(".!?…。！？\n")
_LEAST_CLAUSE: Final = 4
"""Words behind which "and" or "because" begins another clause: fewer are joined in one phrase,
"bread and butter"."""
_NOBODY: Final = frozenset({"nobody", "nothing", "nowhere"})
"""Negations that stand for who or what is denied, and not before it."""

_EMOJI = lazy_pattern(
    r"\s*(?:[\U0001F000-\U0001FAFF\u2600-\u27BF][\uFE0F\u200D\U0001F3FB-\U0001F3FF]*)+"
)
_TALK: Final = Patterns("talk")


def shown(text: str, level: int, *, settled: int = FULL) -> str:
    """Compress to ``level`` a text that is stored compressed at ``settled``."""
    if level <= settled:
        return text
    # Half of what half was left of is a quarter.
    return condense(text, SUMMARY if (settled, level) == (SUMMARY, GIST) else level)


def condense(text: str, level: int) -> str:
    """
    Compress a text to a level of fading, from ``FULL`` to ``TOMBSTONE``.

    Its words are the text's own, in order. A higher level never takes more tokens, and before the
    last one something is always left of a text that is not empty.

    Raises:
        InputError: there is no such level.

    """
    if level not in range(TOMBSTONE + 1):
        msg = f"level={level!r}: must be from {FULL}, the whole text, to {TOMBSTONE}, none of it"
        raise InputError(msg)
    if level in (FULL, TOMBSTONE) or not text:
        return text if level == FULL else ""
    words = _Words(text)
    left, kept = words.plain()
    if level == PLAIN or not kept:
        return left
    tokens, ornate = count(text), left == text
    # Level by level: each chooses among the words of the one before, so none comes back.
    for deeper in range(SUMMARY, level + 1):
        if deeper == KEYWORDS:
            kept = words.naming(kept)
        order = words.by_clause(kept) if deeper == SUMMARY else words.by_worth(kept)
        # Rounded up, or a short text would have room for no token.
        fewer, made = words.fit(order, -(-tokens // PARTS[deeper]))
        made = made if ornate else _EMOJI.sub("", made)  # between two words that touch it
        if count(made) <= count(left):  # part of a word may take more tokens than the word
            kept, left = fewer, made
    return left


def worth_of(text: str) -> float:
    """Return the worth of each word of a text."""
    return sum(_Words(text).worth)


def shorten(text: str, tokens: int) -> tuple[str, float]:
    """
    Return the sentence that tells most in so many tokens, and what its words are worth.

    One that is longer is cut as ``condense`` does. A text without words is worth nothing.
    """
    words = _Words(text)
    _, kept = words.plain()
    if not kept:
        return "", 0.0
    best = max(words.sentences(kept), key=lambda sentence: words.told(sentence, tokens))
    left, made = words.fit(words.by_clause(best), tokens)
    return made, sum(words.worth[at] for at in left)


def _denies(word: str) -> bool:
    contracted = word.endswith(("n't", "n’t"))
    return contracted or (word in word_set("negations") and word not in _NOBODY)


@lru_cache(maxsize=1 << 16)
def _judge(word: str, opens: bool) -> tuple[float, int]:  # noqa: FBT001 - a key of the cache
    """Return the worth of a word, and the tokens it takes after a space."""
    lower = word.casefold().replace("’", "'")
    bare = lower.partition("'")[0]
    # "Don't" is grammar that denies, and "May" with a capital is a month or somebody.
    if bare in word_set("function_words") and not lower.endswith("n't") and word != "May":
        worth = _GRAMMAR
    elif is_detail(lower) or any(map(str.isdigit, word)):
        worth = _COUNT if lower in word_set("counting_idioms") else _DETAIL
    elif is_chaff(bare):
        worth = _CHAFF
    elif is_name(word, opens=opens):
        worth = _NAME
    else:
        worth = _CONTENT * (1 + use_of(bare).noun)
    return worth, count(f" {word}")


class _Words:
    """The words of a text: where each stands, in which clause, what it is worth and costs."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.spans: list[tuple[int, int]] = []
        self.clause: list[int] = []
        self.ends: list[int] = []
        """Words before which a sentence ends."""
        self.worth: list[float] = []
        self.cost: list[int] = []
        """Tokens, about: exact for a word between spaces, and one for a mark that follows it."""
        clause = length = end = 0
        opens, denied = True, False
        for found in _WORD.finditer(text):
            start, stop = span = found.span()
            word = found[0]
            if start > end and (start > end + 1 or text[end] != " "):
                marks = _MARK.findall(text, end, start)
                if marks:
                    clause, length, denied = clause + 1, 0, False
                    opens = not _ENDS.isdisjoint(marks)
                    if opens:
                        self.ends.append(len(self.spans))
                    if self.cost:
                        self.cost[-1] += 1
            if length >= _LEAST_CLAUSE and word in word_set("clause_openers"):
                clause, length = clause + 1, 0
            worth, cost = _judge(word, opens)
            if denied and worth >= _CONTENT:  # what is not so tells as much as that it is not
                worth, denied = max(worth, _DETAIL), False
            elif worth == _DETAIL and _denies(word.casefold()):
                denied = True
            self.spans.append(span)
            self.clause.append(clause)
            self.worth.append(worth)
            self.cost.append(cost)
            end, opens, length = stop, False, length + 1

    # what is left out at first

    def plain(self) -> tuple[str, Sequence[int]]:
        """Return the text without ornament, and its words; as it was where that saves nothing."""
        every = range(len(self.spans))
        kept = [
            at for clause in self._clauses(every) if not self._says_nothing(clause) for at in clause
        ]
        kept = [at for at in kept if not self._is_sound(at)] or list(every)
        text = self.text
        if len(kept) < len(every):
            text = self.joined(kept, marks=True)
        if not text.isascii():
            text = _EMOJI.sub("", text).strip() if kept else text
        if text == self.text or not text or count(text) > count(self.text):
            return self.text, every
        return text, kept

    def _says_nothing(self, clause: Sequence[int]) -> bool:
        first = self._word(clause[0])
        # Pleasantries are short, "thank you so very much"; what is longer says something.
        if len(clause) > 5 or first not in word_set("pleasantries"):
            return False
        return _TALK.nothing.fullmatch(" ".join(map(self._word, clause))) is not None

    def _is_sound(self, at: int) -> bool:
        start, end = self.spans[at]
        # As long as "hm" and "hahaha": most words are passed over without the pattern.
        return 2 <= end - start <= 6 and _TALK.sound.fullmatch(self._word(at)) is not None

    def _word(self, at: int) -> str:
        start, end = self.spans[at]
        return self.text[start:end].casefold()

    # what is left out next

    def by_worth(self, kept: Iterable[int]) -> list[int]:
        """Return words in the order in which they are kept: the most telling ones first."""
        return sorted(kept, key=self.worth.__getitem__, reverse=True)

    def by_clause(self, kept: Sequence[int]) -> list[int]:
        """Return details first, then the clauses that tell most a token, then the rest."""
        order = self.by_worth(kept)
        clauses = self._clauses(kept)
        if len(clauses) == 1:
            return order
        clauses.sort(key=self._density, reverse=True)
        details = [at for at in order if self.worth[at] >= _DETAIL]
        return list(dict.fromkeys([*details, *(at for clause in clauses for at in clause)]))

    def naming(self, kept: Sequence[int]) -> Sequence[int]:
        """Return those of some words that name something, each once; all where none does."""
        named: dict[str, int] = {}
        for at in kept:
            if self.worth[at] >= _CONTENT:
                # Said again, a word tells nothing more among keywords.
                named.setdefault(self._word(at), at)
        return list(named.values()) or kept

    def fit(self, order: Sequence[int], most: int) -> tuple[Sequence[int], str]:
        """
        Return the first words of an order that take at most so many tokens, and their text.

        What does not fit is passed over. Where not one word fits, the shortest stays.
        """
        cost, left = self.cost, most
        chosen: list[int] = []
        for at in order:
            if cost[at] <= left:
                left -= cost[at]
                chosen.append(at)
        chosen = chosen or [min(order, key=cost.__getitem__)]
        while True:
            kept = sorted(chosen)
            made = self.joined(kept)
            # Costs are those of single words, so what they take together has to be counted.
            over = count(made) - most
            if over <= 0 or len(chosen) == 1:
                return kept, made
            while over > 0 and len(chosen) > 1:
                over -= cost[chosen.pop()]

    def sentences(self, kept: Sequence[int]) -> list[list[int]]:
        """Return some words sentence by sentence."""
        found: dict[int, list[int]] = {}
        for at in kept:
            found.setdefault(bisect_right(self.ends, at), []).append(at)
        return list(found.values())

    def told(self, sentence: Sequence[int], tokens: int) -> float:
        """Return the worth of a sentence's words, as far as they fit into so many tokens."""
        worth, cost = (sum(each[at] for at in sentence) for each in (self.worth, self.cost))
        return worth * min(1.0, tokens / cost)

    def joined(self, kept: Sequence[int], *, marks: bool = False) -> str:
        """
        Put words together as they stood; where some are left out between, with a space.

        ``marks``: with what follows each of them, up to the next word.
        """
        text, spans = self.text, self.spans
        parts: list[str] = []
        last = -2
        for at in kept:
            start, end = spans[at]
            if at == last + 1:
                parts.append(text[spans[last][1] : start])
            elif parts:
                if marks:
                    parts.append(text[spans[last][1] : spans[last + 1][0]].rstrip())
                # A script without spaces gets none where words were left out.
                if end - start > 1 or not UNSPACED_ONE.match(text, start):
                    parts.append(" ")
            parts.append(text[start:end])
            last = at
        if marks:
            rest = spans[last + 1][0] if last + 1 < len(spans) else len(text)
            parts.append(text[spans[last][1] : rest].rstrip())
        return "".join(parts)

    def _clauses(self, kept: Iterable[int]) -> list[list[int]]:
        clauses: dict[int, list[int]] = {}
        for at in kept:
            clauses.setdefault(self.clause[at], []).append(at)
        return list(clauses.values())

    def _density(self, clause: Sequence[int]) -> float:
        return sum(self.worth[at] for at in clause) / sum(self.cost[at] for at in clause)
