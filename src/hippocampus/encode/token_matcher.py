"""
Occurrences of a word or phrase in token ids, and the ids that may spell it.

In a byte-pair vocabulary "Lisbon" is one id after a space, two at the start of a line and three in
capitals, and either end may share an id with what is beside it. So ids are read as an automaton
would: a state is how many bytes of the phrase were spelled when an id ended, and each id of the
vocabulary, letter case aside, goes on from there or does not.
"""

from __future__ import annotations

import re
import threading
from array import array
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate
from operator import itemgetter
from typing import Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from hippocampus.encode import tokens as tokenizer
from hippocampus.encode.terms import UNSPACED
from hippocampus.errors import InvalidText

LONGEST: Final = 200
"""Characters of the longest phrase that can be looked for: states are kept for each, and longer
ones are texts. Set by hand."""

SPELLED: Final = 0
"""The state when all of a phrase was spelled, whatever follows."""
LOST: Final = -1
"""The state when it was something else."""

_SEAM = b"\xff"
"""Between the ids of the vocabulary, for it is in no text."""
_WORD = rb"[0-9a-z_]"
"""A folded byte that is a word character by itself; others are judged when decoded."""
_WORD_CHARACTER: Final = rf"[^\W{UNSPACED}\u1100-\u11ff\uac00-\ud7a3]"
"""Nothing parts words of Chinese, Japanese or Thai, and in Korean particles cling to them."""
_is_word_byte = re.compile(_WORD).match
_CASED_END = 0x20000
"""Characters that folding changes lie below: those of Adlam, from U+1E900 on, are the last."""

States: TypeAlias = NDArray[np.int64]
Ids: TypeAlias = NDArray[np.uint64]
Mask: TypeAlias = NDArray[np.bool_]


class TokenPattern:
    """
    A word or phrase to look for, letter case aside (Unicode's full case folding).

    It occurs where a text has it character by character, and whole: no word character (a letter,
    digit or underscore) adjoins where it begins or ends with one. Letters of scripts that do not
    part their words (Chinese, Japanese, Thai, Korean) are none. Occurrences do not overlap; the
    first counts.

    Raises:
        InvalidText: it is blank, longer than ``LONGEST``, or cannot be in any text.

    """

    first: Ids
    """Ids that an occurrence may begin in; one that may in several ways is there for each."""
    begun: States
    """The state after each."""
    second: Ids
    """Ids that it may go on in, each for every state that it may do so from."""
    going: States
    """That state of each."""
    states: int
    """All states that are not ``LOST`` are below."""
    at_edge: Mask
    """Whether an occurrence begins where the id does, so that the id before decides as well."""
    surely: Mask
    """Whether the id tells all that it could of whether it is one; a text has to, elsewhere."""
    alone: bool
    """Whether it is one word, whose occurrences cannot overlap."""

    def __init__(self, text: str) -> None:
        if not isinstance(text, str) or not text.strip():
            msg = (
                f"term={text!r:.60}: give the word or phrase to look for, as text that is not blank"
            )
            raise InvalidText(msg)
        if len(text) > LONGEST:
            msg = (
                f"term={text[:40]!r}…: {len(text)} characters; at most {LONGEST} can be looked for"
            )
            raise InvalidText(msg)
        tokenizer.encode(text)
        folded = text.strip().casefold()
        self._opens, self._closes = _is_word(folded[0]), _is_word(folded[-1])
        before = f"(?<!{_WORD_CHARACTER})" * self._opens
        after = f"(?!{_WORD_CHARACTER})" * self._closes
        self._occurrences = re.compile(before + re.escape(folded) + after).findall
        self.alone = all(map(_is_word, folded))
        self._spell(folded)

    def count(self, text: str) -> int:
        """Return the number of occurrences in a text."""
        return len(self._occurrences(text.casefold()))

    # ------------------------------------------------------------ in ids

    def may_follow(self, ids: Ids) -> tuple[Mask, Mask]:
        """Return the ids after which it may begin, and those after which it surely begins."""
        known = _vocabulary()
        return ~known.closes[ids], known.ends_whole[ids]

    def step(self, states: States, ids: Ids) -> tuple[States, Mask]:
        """Return the states after one more id each, and which of them are for sure."""
        place = _find(self._second_keys, _key(states, ids))
        after = np.append(self._after, LOST)[place]  # nowhere is the last
        surely = np.append(self._after_surely, True)[place]  # the value
        whole = states == self._whole
        known = _vocabulary()
        after[whole] = np.where(known.opens[ids[whole]], LOST, SPELLED)
        surely[whole] = known.begins_whole[ids[whole]]
        return after, surely

    def find(self, states: States, ids: Ids) -> States:
        """Return the places in ``first`` of the ids that lead to these states, -1 for nowhere."""
        return _find(self._first_keys, _key(states, ids))

    def spelled(self, states: States) -> Mask:
        """Return whether all of it was spelled, if no further id comes."""
        whole: Mask = (states == SPELLED) | (states == self._whole)
        return whole

    def _spell(self, folded: str) -> None:
        """
        Find all ways in which ids can spell it.

        Ids were folded one by one, which is right for whole characters. The bytes of a character
        that is cut by the end of an id are as they were; so where folding would have changed it,
        it is looked for by itself, as it was, and texts that have it so are decoded to see.
        """
        known, spelt = _vocabulary(), folded.encode()
        self._whole = len(spelt)
        starts = list(self._starts(spelt))
        steps = [step for n in range(1, len(spelt)) for step in _steps(spelt, n, self._closes)]
        base = len(spelt)
        for character in sorted({c for letter in folded for c in _folds_to().get(letter, ())}):
            cut = character.encode()
            for n in range(1, len(cut)):
                starts += [(id_, base + n, False, False) for id_ in known.cut.get(cut[:n], ())]
                steps += [
                    (base + n, id_, SPELLED if to in (SPELLED, len(cut)) else base + to, False)
                    for _, id_, to, _ in _steps(cut, n, word=False)
                ]
            base += len(cut)
        # In the order of ``_key``, by which both are looked up.
        starts.sort(key=itemgetter(1, 0))
        steps.sort()
        self.first = np.array([id_ for id_, _, _, _ in starts], np.uint64)
        self.begun = np.array([state for _, state, _, _ in starts], np.int64)
        self.at_edge = np.array([edge for _, _, edge, _ in starts], np.bool_)
        self.surely = np.array([surely for _, _, _, surely in starts], np.bool_)
        self.second = np.array([id_ for _, id_, _, _ in steps], np.uint64)
        self.going = np.array([state for state, _, _, _ in steps], np.int64)
        self._after = np.array([to for _, _, to, _ in steps], np.int64)
        self._after_surely = np.array([surely for _, _, _, surely in steps], np.bool_)
        self._first_keys = _key(self.begun, self.first)
        self._second_keys = _key(self.going, self.second)
        self.states = base + 1

    def _starts(self, spelt: bytes) -> Iterator[tuple[int, int, bool, bool]]:
        """Yield (id, the state after it, whether it begins where the id does, if that is sure)."""
        known = _vocabulary()
        rest = spelt[1:]
        before = (b"(?<!" + _WORD + b".)") * self._opens  # behind the first byte
        ways = [re.escape(rest) + (b"(?!" + _WORD + b")") * self._closes]
        ways += [re.escape(rest[:n]) + _SEAM for n in range(min(len(rest), known.longest))]
        look = re.escape(spelt[:1]) + before + b"(?=(" + b"|".join(ways) + b"))"
        for found in re.finditer(look, known.joined, re.DOTALL):
            at, stop = found.start(), found.end(1)
            id_ = bisect_right(known.places, at) - 1
            edge = self._opens and at == known.places[id_]
            surely = not self._opens or edge or known.joined[at - 1 : at].isascii()
            if found[1].endswith(_SEAM):
                yield id_, stop - at - 1, edge, surely
                continue
            beyond = known.joined[stop : stop + 1]
            if self._closes and beyond == _SEAM:
                yield id_, self._whole, edge, surely
            else:
                yield id_, SPELLED, edge, surely and (not self._closes or beyond.isascii())


def token_pattern(text: str) -> TokenPattern:
    """Return the pattern of a word or phrase; making one takes milliseconds, so it is kept."""
    return _made(text) if isinstance(text, str) else TokenPattern(text)  # which says what is wrong


_made = lru_cache(maxsize=256)(TokenPattern)


def _steps(
    spelt: bytes,
    state: int,
    word: bool,  # noqa: FBT001  # it is one argument of three
) -> Iterator[tuple[int, int, int, bool]]:
    """Yield (state, id, the state after it, if that is sure) for ids that go on from a state."""
    known, rest = _vocabulary(), spelt[state:]
    for size in range(1, len(rest) + 1):
        piece = rest[:size]
        at = bisect_left(known.ordered, piece)
        if size < len(rest):
            stop = bisect_right(known.ordered, piece, at)
            yield from ((state, id_, state + size, True) for id_ in known.order[at:stop])
            if not known.ordered[stop].startswith(piece):
                return  # nor does any begin with more of it
    for place in range(at, bisect_left(known.ordered, rest + _SEAM, at)):
        beyond = known.ordered[place][len(rest) : len(rest) + 1]
        if not (word and _is_word_byte(beyond)):
            ended = len(spelt) if word and not beyond else SPELLED
            yield state, known.order[place], ended, not word or beyond.isascii()


def _key(states: States, ids: Ids) -> States:
    return states << tokenizer.BITS | ids.astype(np.int64)


def _find(keys: States, wanted: States) -> States:
    """Return the place of each wanted key in sorted keys, -1 for one that is not there."""
    if not len(keys):
        return np.full(len(wanted), -1)
    place = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[place] == wanted, place, -1)


def _is_word(character: str) -> bool:
    """Return whether a character is of a word, in a script that parts its words."""
    return re.match(_WORD_CHARACTER, character) is not None


def _is_whole(character: str) -> bool:
    """Return whether there is a character, and not a byte of one."""
    return bool(character) and not "\udc80" <= character <= "\udcff"


# ---------------------------------------------------------------- the vocabulary


class _Vocabulary(NamedTuple):
    """Every id's bytes, letter case folded, in several orders."""

    joined: bytes
    """All of them, a seam before and after each."""
    places: Sequence[int]
    """Start of each text in ``joined``."""
    longest: int
    ordered: Sequence[bytes]
    """All of them, sorted; at the end something greater than any."""
    order: Sequence[int]
    """The ids of ``ordered``."""
    opens: Mask
    """Whether each begins with a word character, for sure; shape (2**BITS,)."""
    closes: Mask
    """Whether each ends with one, for sure."""
    begins_whole: Mask
    """Whether each begins with a whole character, so that it is known whether it opens."""
    ends_whole: Mask
    """Whether each ends with one, so that it is known whether it closes."""
    cut: Mapping[bytes, Sequence[int]]
    """Ids by the bytes they end with, of those that hold a part of a character."""


_FOLDING: Final = threading.Lock()
"""Held while it is folded, so that threads that all count for the first time do so once."""


def _vocabulary() -> _Vocabulary:
    with _FOLDING:
        return _fold_vocabulary()


@lru_cache(maxsize=1)
def _fold_vocabulary() -> _Vocabulary:
    """Fold the vocabulary; a third of a second, paid by the first count."""
    raw = tokenizer.vocabulary()
    folded = [token.decode("utf-8", "surrogateescape").casefold() for token in raw]
    bytes_ = [text.encode("utf-8", "surrogateescape") for text in folded]
    bytes_ = [b"" if _SEAM in token else token for token in bytes_]  # as good as none
    joined = _SEAM + _SEAM.join(bytes_) + _SEAM
    places = array("I", accumulate((len(token) + 1 for token in bytes_[:-1]), initial=1))
    order = array("I", sorted(range(len(bytes_)), key=bytes_.__getitem__))
    opens, closes = np.zeros((2, 1 << tokenizer.BITS), np.bool_)
    opens[: len(folded)] = [_is_word(text[:1]) for text in folded]
    closes[: len(folded)] = [_is_word(text[-1:]) for text in folded]
    begins_whole, ends_whole = np.zeros((2, 1 << tokenizer.BITS), np.bool_)
    begins_whole[: len(folded)] = [_is_whole(text[:1]) for text in folded]
    ends_whole[: len(folded)] = [_is_whole(text[-1:]) for text in folded]
    cut = defaultdict(list)
    for id_, text in enumerate(folded):
        if not text.isascii() and "\udc80" <= text[-1] <= "\udcff":
            for size in range(1, 4):
                cut[bytes_[id_][-size:]].append(id_)
    return _Vocabulary(
        joined, places, max(map(len, bytes_)), [*(bytes_[id_] for id_ in order), _SEAM], order,
        opens, closes, begins_whole, ends_whole, cut,
    )  # fmt: skip


@lru_cache(maxsize=1)
def _folds_to() -> dict[str, list[str]]:
    """Return the characters that folding changes, by each character it makes of them."""
    made = defaultdict(list)
    for character in map(chr, range(0x80, _CASED_END)):
        folded = character.casefold()
        if folded != character:
            for letter in folded:
                made[letter].append(character)
    return made
