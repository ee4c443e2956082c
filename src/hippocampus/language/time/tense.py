"""
Tense of the verb that a time expression goes with: whether "on Monday" looks back or ahead.

Read from grammar alone: auxiliaries, endings, irregular forms, and whether the dictionary knows a
word as a verb. Of several verbs in a sentence the nearest before the expression counts, else the
first after it. English has no time for a present perfect ("I've seen it on Monday" is not said),
so that with one the time is of what was arranged: "I've booked a table for Monday".
"""

# ruff: noqa: PLR0911 - a word that decides returns at once

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from itertools import chain, pairwise
from typing import Final, Literal, TypeAlias

from hippocampus.core.word_lists import word_set
from hippocampus.language.nouns import use_of

Direction: TypeAlias = Literal["ahead", "behind"]

_REACH: Final = 40
"""Words looked at on either side; nobody's verb is farther away, and a text without marks must not
cost its square."""
_PRESENT_BE: Final = frozenset({"is", "are", "am", "be", "being", "isn't", "aren't"})
_PAST_BE: Final = frozenset({"was", "were", "wasn't", "weren't"})
_HAVE: Final = frozenset({"have", "has", "haven't", "hasn't"})
_GETTING: Final = frozenset({"get", "gets", "getting"})
"""Before a participle as "be" is: "they are getting married in May"."""
_DO: Final = frozenset({"do", "does", "don't", "doesn't"})
_PAST_AUXILIARY: Final = frozenset({"did", "didn't", "had", "hadn't", "couldn't", "wouldn't"})
_SUBJECT: Final = frozenset({"i", "we", "you", "they", "he", "she", "it", "who"})
_BEFORE_IS: Final = _SUBJECT | {"what", "where", "when", "that", "there", "here", "how", "why"}
_WITH_IS: Final = frozenset({"whats", "thats", "theres", "hows", "whos", "wheres"})
_PLANS: Final = frozenset({"anything", "plan", "plans", "agenda", "schedule"})
"""Words that ask for what is to come where no verb does: "anything on Friday?"."""
_UP_TO: Final = frozenset({"for", "to", "until", "till"})
_UP_TO_NOW: Final = frozenset({"just", "until", "till", "to", "by", "before", "from"})
_LEADING: Final = _UP_TO | {"in", "on", "at", "by", "from", "during", "since", "after", "before"}
_FROM_THEN: Final = frozenset({"starting", "beginning", "commencing", "effective"})
"""Words before the time from which on holds what was agreed: "hired her, starting on Monday"."""
_TAKEN: Final = frozenset({"got", "took", "given", "offered", "found", "landed"})
_BECOMING: Final = frozenset({"got", "took"})
"""Those that before an adjective are of becoming so."""
_ILLNESSES: Final = frozenset("cold flu covid fever cough bug headache migraine rash".split())
"""Nouns for what nobody got by agreement."""
_ABLE: Final = frozenset({"can", "could", "able", "possible", "possibly", "how"})
_OFTEN: Final = frozenset({"once", "twice", "thrice", "times", "time"})
_RANKED: Final = frozenset({"first", "second", "third", "only", "best", "worst"})
"""Words that rank something among all of a time: "first holiday in two years"."""
_PLANNING: Final = frozenset({"going", "due", "has", "supposed", "about", "gonna"})
_VERB: Final = 0.3
"""Share of its uses as a verb from which a word counts as one after "I" or "we"."""
_MOSTLY_NOUN: Final = 0.4
"""Share of its uses as a noun from which a word may be what somebody got."""
_MOSTLY_VERB: Final = 0.5
"""... and from which a word with an -s is no plural."""


@cache
def _auxiliaries() -> frozenset[str]:
    """Return the auxiliaries in finite forms, and their contractions."""
    return _PRESENT_BE | _PAST_BE | _HAVE | _DO | _PAST_AUXILIARY | word_set("modal_verbs")


@cache
def _run_together() -> Mapping[str, str]:
    """
    Return contractions as people mistype them, with the right spelling: "cant", "can't".

    Left out is what is another word as well: "well", "ill", "were".
    """
    more = ("i'm", "you're", "they're", "i've", "you've", "we've", "they've")
    return {word.replace("'", ""): word for word in (*_auxiliaries(), *more) if "'" in word}


class Tenses:
    """The directions in which the verbs of a text point."""

    def __init__(self, words: Iterable[str], *, told: bool) -> None:
        """
        Read nothing yet.

        Args:
            words: the words and marks of the text in lower case, "'s" apart.
            told: it is told, so that a perfect speaks of what is arranged; else asked.

        """
        together = _run_together()
        written = (word.replace("\u2019", "'") for word in words)
        self._words = [together.get(word, word) for word in written]
        self._told = told
        self._pointed: dict[int, Direction | None] = {}

    def direction(self, at: int) -> Direction | None:
        """Return the direction of the verb that goes with the expression at token ``at``."""
        before = self._sentence(range(at - 1, max(at - _REACH, 0) - 1, -1))
        after = self._sentence(range(at, min(at + _REACH, len(self._words))))
        for i in chain(before, after):
            if self._words[i] == "now" and i < at and self._word(i - 1) not in _UP_TO_NOW:
                # "She moved it, now Sunday 19th"; "I know now Friday was a mistake".
                return self._told_of_it(at) or "ahead"
            pointed = self.points(i)
            if pointed is not None:
                return self._arranged(i, at) if pointed == "behind" else pointed
        return None if _PLANS.isdisjoint(self.sentence(at)) else "ahead"

    def _told_of_it(self, at: int) -> Direction | None:
        """Return the direction of the finite verb right behind an expression, in its clause."""
        for i in self._sentence(range(at, min(at + _REACH, len(self._words)))):
            if self._words[i] == "," or self.points(i) is not None:
                return self.points(i)
        return None

    def sentence(self, at: int) -> set[str]:
        """Return the words of the sentence around token ``at``, up to a limit."""
        before = self._sentence(range(at - 1, max(at - _REACH, 0) - 1, -1))
        after = self._sentence(range(at, min(at + _REACH, len(self._words))))
        return {self._words[i] for i in (*before, *after)}

    def definite(self, at: int) -> bool:
        """Return whether the verb tells of one deed: past, planned, or set to happen."""
        direction = self.direction(at)
        if direction != "ahead":
            return direction == "behind"
        words = self.sentence(at)
        if words & {"will", "gonna", "going"} or any(word.endswith("'ll") for word in words):
            return True
        progress = words & _PRESENT_BE or any(w.endswith(("'m", "'re")) for w in words)
        return any(
            (progress and word.endswith("ing"))
            or (word.endswith("s") and _first_form(word) in word_set("scheduled_verbs"))
            for word in words
        )

    def takes_time(self, at: int) -> bool:
        """
        Return whether "in two weeks" at token ``at`` is how long something takes, or took so far.

        So it is of what one is able to do, of a perfect ("I have not slept in two days"), of what
        is counted ("twice in a year", "the first in two years"), and after a noun or adjective with
        an infinitive ("a way to learn it in two weeks"); "I have to go in two weeks" is a plan.
        """
        before = self._word(at - 1)
        if (
            not _ABLE.isdisjoint(self.sentence(at))
            or before in _OFTEN
            or before.replace(",", "").isdigit()
        ):
            return True
        leading = list(self._sentence(range(at - 1, max(at - _REACH, 0) - 1, -1)))
        if self._is_ranked(leading):
            return True
        to = [i for i in leading if self._words[i] == "to" and self._verb_like(i + 1)]
        if to:
            return not self._plans(to[0] - 1)
        return any(map(self._is_so_far, self._up_to_its_verb(at)))

    def _up_to_its_verb(self, at: int) -> Iterator[int]:
        """Yield tokens before an expression, then after it, up to the nearest finite verb."""
        before = self._sentence(range(at - 1, max(at - _REACH, 0) - 1, -1))
        after = self._sentence(range(at, min(at + _REACH, len(self._words))))
        for i in chain(before, after):
            yield i
            if self.points(i) is not None:
                return

    def _is_ranked(self, leading: Iterable[int]) -> bool:
        """Tell whether something is the first or the best of a time: "my best run in two years"."""
        ranked = False
        for i in leading:
            word = self._words[i]
            if self.points(i) is not None:  # "we have our first scan in two weeks"
                return ranked and (word in _PRESENT_BE or word == "'s" or word in _WITH_IS)
            ranked = ranked or word in _RANKED or (word.endswith("est") and not _is_other(word))
        return ranked

    def _verb_like(self, i: int) -> bool:
        return use_of(self._word(i)).verb >= _VERB

    def _plans(self, i: int) -> bool:
        """Tell whether token ``i`` may be a verb before "to" and an infinitive."""
        word = self._word(i)
        return word in _HAVE | _PLANNING or self._verb_like(i) or is_past(word)

    def _is_so_far(self, i: int) -> bool:
        """Tell whether token ``i`` begins a perfect of what was not arranged."""
        word = self._words[i]
        if word not in _HAVE and not word.endswith("'ve"):
            return False
        if self._word(i - 1) in word_set("modal_verbs") or self._word(i - 1).endswith("'ll"):
            return False
        past = word_set("irregular_participles") | word_set("unchanging_verbs") | {"been"}
        if self._word(i + 1) == "got":
            return False
        deeds = [word for word in self._words[i + 1 : i + 5] if word in past or is_past(word)]
        return bool(deeds) and self._base(deeds[-1]) not in word_set("arranging_verbs")

    def is_done(self, i: int) -> bool:
        """Return whether token ``i`` is a verb of doing something for a time: "spent", "doing"."""
        word = self._words[i]
        return is_past(word) or (word.endswith("ing") and bool(_bases(word)))

    def _sentence(self, places: range) -> Iterator[int]:
        for i in places:
            if self._words[i] in (".", "?", "!", "\n"):
                return
            yield i

    def _arranged(self, verb: int, at: int) -> Direction:
        """Return "ahead" where a deed of the past set a time to come: "we moved it to Monday"."""
        word = self._words[verb]
        if word in _PAST_BE:  # "it was signed"
            word = self._word(verb + 1)
        arranged = self._base(word) in word_set("arranging_verbs")
        # "I was ill starting Monday" is of the past.
        if (arranged or self._is_taken(word, self._words[verb + 1 : at])) and self._word(
            at - 1
        ) in _FROM_THEN:
            return "ahead"
        if not arranged:
            return "behind"
        between = self._words[verb + 1 : at + 1]
        leading = [word for word in between if word in _LEADING]  # "moved to Lund in March"
        infinitive = any(
            word == "to" and use_of(after).verb >= _VERB for word, after in pairwise(between)
        )
        ahead = infinitive or (bool(leading) and leading[-1] in _UP_TO)
        return "ahead" if ahead else "behind"

    def _is_taken(self, word: str, taken: list[str]) -> bool:
        """Tell whether a verb is of being given something: "got the job", not "got sick"."""
        if word not in _BECOMING:
            return word in _TAKEN
        first = taken[0] if taken else ""
        named = first in word_set("determiners") or use_of(first).noun >= _MOSTLY_NOUN
        return named and _ILLNESSES.isdisjoint(taken)

    # ------------------------------------------------------------ verbs

    def points(self, i: int) -> Direction | None:
        """Return the direction of token ``i``; None if it is no finite verb."""
        if i not in self._pointed:  # a sentence of many times asks it of every word again
            self._pointed[i] = self._points(i)
        return self._pointed[i]

    def _points(self, i: int) -> Direction | None:
        word, before = self._words[i], self._word(i - 1)
        head, _, tail = word.partition("'")
        if word in _PAST_BE or (word in _PAST_AUXILIARY and before not in word_set("determiners")):
            return "behind"
        if word in _PRESENT_BE or tail in ("m", "re", "ll"):
            return "ahead"
        if word in _HAVE or tail == "ve":
            return None if self._governed(i) else self._perfect(i)
        if word == "'s" and before == "let":
            return "ahead"
        # Behind any other word "'s" may be a genitive.
        if word in _WITH_IS or (word == "'s" and before in _BEFORE_IS):
            return self._perfect(i)
        if word in word_set("modal_verbs"):
            # "Should have gone" is of the past.
            return "behind" if "have" in self._words[i + 1 : i + 4] else "ahead"
        if word in _DO:
            if self._governed(i):
                return None
            after = {self._word(i + 1), self._word(i + 2), self._word(i + 3)}
            return None if after & word_set("stative_verbs") else "ahead"
        return self._full_verb(i, head)

    def _full_verb(self, i: int, word: str) -> Direction | None:
        before = self._word(i - 1)
        # Behind an article it is no verb, and an infinitive has no tense.
        if before in word_set("determiners") or before == "to" or self._governed(i):
            return None
        hour = self._word(i + 1) == "at" and self._word(i + 2)[:1].isdigit()
        if word in word_set("short_dates") and (hour or before in _LEADING):  # "on sat"
            return None
        if before in _PLANS and self._base(word) in word_set("arranging_verbs"):
            return None  # "anything planned for Friday?"
        if before in _SUBJECT and word in word_set("unchanging_verbs"):
            return "behind"
        if is_past(word):
            return "behind"
        use = use_of(word)
        if before in _SUBJECT and use.known and use.verb >= _VERB:
            return None if word in word_set("stative_verbs") else "ahead"
        scheduled = _first_form(word) in word_set("scheduled_verbs")  # "flies" is mostly a noun
        if word.endswith("s") and use.known and (scheduled or use.verb >= _MOSTLY_VERB):
            return "ahead"
        return None

    def _governed(self, i: int) -> bool:
        """Tell whether an auxiliary right before it, or before its subject, has the tense."""
        j = i - 1
        while j > i - 4 and (
            self._word(j) in word_set("adverbs") or self._word(j) in ("not", "been", "being")
        ):
            j -= 1
        if self._word(j) in _SUBJECT:
            j -= 1
            if self._word(j) in _HAVE:
                return True
        word = self._word(j)
        if word == "'s":
            return self._word(j - 1) in _BEFORE_IS
        tail = word.partition("'")[2]
        return word in _auxiliaries() | _GETTING or tail in ("m", "re", "ve", "ll", "d")

    def _perfect(self, i: int) -> Direction:
        """Return the direction of "have" or "'s": a participle after it may make it a perfect."""
        for j in range(i + 1, min(i + 5, len(self._words))):
            word = self._words[j]
            if word == "got" or self._base(word) in word_set("arranging_verbs"):
                return "ahead"
            if word == "been" or is_past(word) or word in word_set("irregular_participles"):
                return "ahead" if self._told else "behind"
            if word not in _SUBJECT and word not in word_set("adverbs") and word != "not":
                break
        return "ahead"

    def _word(self, i: int) -> str:
        return self._words[i] if 0 <= i < len(self._words) else ""

    @staticmethod
    def _base(word: str) -> str:
        """Return the verb of a past in -ed; that of "led" and "fed" is no shorter word."""
        bases = _bases(word) if word.endswith("ed") else ()
        return bases[0] if bases else word


def _is_other(word: str) -> bool:
    """Return whether a word in -est is a noun or a verb, and no superlative: "test", "arrest"."""
    use = use_of(word)
    return use.known and use.noun + use.verb >= _VERB


def _first_form(present: str) -> str:
    """Return "close" of "closes"."""
    short = present[:-2]
    return short if short in word_set("scheduled_verbs") else present[:-1]


@lru_cache(maxsize=1 << 14)
def is_past(word: str) -> bool:
    """Tell whether a word in lower case can be a simple past."""
    if word in word_set("irregular_past_forms"):
        return True
    return word.endswith("ed") and bool(_bases(word))


@lru_cache(maxsize=1 << 14)
def _bases(word: str) -> tuple[str, ...]:
    """Return the verbs of which a word may be the past in -ed or the form in -ing."""
    # "Need" and "feed" are no pasts of shorter words.
    if len(word) < 4 or (word.endswith("eed") and len(word) < 5):
        return ()
    stem = word.removesuffix("ed").removesuffix("ing")
    tried = [stem + "e", stem]
    if word.endswith("ied"):
        tried.insert(0, stem[:-1] + "y")
    if len(stem) > 2 and stem[-1] == stem[-2]:
        tried.insert(0, stem[:-1])
    uses = ((one, use_of(one)) for one in tried if len(one) > 1)
    return tuple(one for one, use in uses if use.known and use.verb > 0)
