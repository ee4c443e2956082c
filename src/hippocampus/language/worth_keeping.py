"""
Lasting parts of a coding session: decisions, corrections, rules, places, solved errors.

Sentences are read by how they are made. Requests, questions, reports of how far the work is, and
what an agent says while it works are of the moment; so are code, logs and what a tool printed. A
statement of how things are, a rule, a choice, a cause with its remedy are not. English; of other
languages what is said is kept unless it is small talk or asks.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Final, Literal, NamedTuple, TypeAlias

from hippocampus.core.lazy_pattern import lazy_pattern
from hippocampus.core.word_lists import Patterns, word_set
from hippocampus.encode.languages import ENGLISH, foreign_language
from hippocampus.encode.terms import language_of
from hippocampus.language.chatter import is_chatter
from hippocampus.language.nouns import use_of
from hippocampus.language.standing import tells_standing

Kind: TypeAlias = Literal["decision", "correction", "rule", "preference", "fact", "solution"]
"""Kind of memory that a sentence is worth."""

_RE: Final = Patterns("keeping")
_SENTENCE: Final = lazy_pattern(r"(?:[^.!?\n]|[.!?](?=[\w/`*'\")]))+[.!?]*")
_FENCED: Final = lazy_pattern(r"(?ms)^[ \t]*(```|~~~).*?(?:^[ \t]*\1|\Z)")
_TAG: Final = lazy_pattern(r"<([A-Za-z][\w-]*)(?:\s[^<>]*)?>")
_END_TAG: Final = lazy_pattern(r"</([A-Za-z][\w-]*)\s*>")
_OPENED: Final = lazy_pattern(r"<[A-Za-z][\w-]*(?:\s[^<>]*)?>|(?m:^[ \t]*(?:```|~~~))")
_PASTED: Final = lazy_pattern(
    r"^(?:[ \t]{4,}\S|[$>#%]\s|[+-]{1,3}[\s\w]|@@|\s*[{}\[\]();]+\s*$"
    r"|\s*(?:at|File|Traceback)\s.*[:)\d]$|\s*[\w./-]+:\s\S+:(?:\s|$)"
    r"|\[?\d{2,4}[-:/.]\d|\s*\d+\s*[|:]|.*(?:[{};]|=>|->|\\)\s*$)"
)
_MARKED: Final = lazy_pattern(r"[`*_]+")
_WORD: Final = lazy_pattern(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_LONGEST_LINE: Final = 600
"""Characters of a line that somebody writes; a longer one was pasted."""
_PROSE: Final = 0.75
"""Least share of letters and spaces in a line of prose."""
_LONGEST_READ: Final = 20_000
"""Characters of a message that are read: what one can write (``session_words.LONGEST_TURN``)."""
_FEWEST_WORDS: Final = 3
"""Words of a sentence that is worth keeping: fewer tell nothing that lasts. Set by hand."""
_FEWEST_LETTERS: Final = 5
"""Characters of one in a script without spaces, beyond ASCII: three words of Chinese have about as
many."""
_VERB: Final = 0.5
"""Share of its uses as a verb from which a first word is taken for an imperative."""
_AFTER: Final = ")*_\"' "
"""Characters that may stand after the mark that ends a sentence."""
_ASKING: Final = ("?", "？", "؟")
_MARKS: Final = {"- ", "* ", "• "}


class Lasting(NamedTuple):
    """Parts of a message that are to be kept, as they were said."""

    project: str = ""
    """Sentences about the work."""
    person: str = ""
    """Sentences about the speaker, in whatever project."""
    kinds: tuple[Kind, ...] = ()
    """Kinds of the work's sentences, without repetition, in their order."""


def of_prompt(text: str) -> Lasting:
    """Return the part of a user's message to a coding agent that is to be kept."""
    if text.lstrip().startswith(("/", "!")):  # a command of the agent's, or of the shell
        return Lasting()
    project: list[str] = []
    person: list[str] = []
    kinds: list[Kind] = []
    for said in sentences(text):
        found = kind_of_users(said)
        if found is None:
            continue
        if found == "preference":
            person.append(said)
        else:
            project.append(said)
            kinds.append(found)
    return Lasting("\n".join(project), "\n".join(person), tuple(dict.fromkeys(kinds)))


def of_reply(text: str, *, longest: int) -> Lasting:
    """
    Return the lasting part of an agent's last message: its findings, and its solutions.

    Args:
        text: the message.
        longest: most characters; the first sentences that fit are kept.

    """
    kept: list[str] = []
    kinds: list[Kind] = []
    before = False
    for title, said in _under_titles(text):
        told = before or _RE.tells_why.search(title) is not None
        found = kind_of_agents(said, after=told)
        if found is None and told and title and _is_statement(said):
            found = "solution"
        before = found is not None
        if found is not None and sum(map(len, kept)) + len(kept) + len(said) <= longest:
            kept.append(said)
            kinds.append(found)
    return Lasting("\n".join(kept), "", tuple(dict.fromkeys(kinds)))


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences that somebody wrote, without code, output and what is between tags."""
    return (said for _, said in _under_titles(text))


def _under_titles(text: str) -> Iterator[tuple[str, str]]:
    """Yield the sentences that somebody wrote, each with the heading that it stands under."""
    # Code goes first, so that a tag in it opens nothing.
    prose = _without_tagged(_FENCED.sub("\n", text[:_LONGEST_READ]))
    if len(text) > _LONGEST_READ and (cut := _OPENED.search(prose)):
        prose = prose[: cut.start()]  # its end is beyond what is read
    title = ""
    for line in prose.splitlines():
        heading = _RE.heading.match(line[:_LONGEST_LINE])
        if heading is not None:
            title = heading["title"] or heading["label"] or ""
            continue
        if _is_pasted(line):
            continue
        bare = line.strip()
        bare = bare[2:] if bare[:2] in _MARKS else bare.lstrip("#> ")
        for match in _SENTENCE.finditer(bare):
            said = match[0].strip()
            if len(_WORD.findall(said)) >= _FEWEST_WORDS or _is_unspaced(said):
                yield title, said


def _without_tagged(text: str) -> str:
    """Put a break in the place of each element, from its tag to the next end tag of that name."""
    ends: dict[str, list[re.Match[str]]] = {}
    for end in _END_TAG.finditer(text):
        ends.setdefault(end[1], []).append(end)
    kept: list[str] = []
    at = 0
    for tag in _TAG.finditer(text) if ends else ():
        of_name = ends.get(tag[1], [])
        # To search the text from each tag would take the square of their number.
        place = bisect_left(of_name, tag.end(), key=_start)
        if tag.start() >= at and place < len(of_name):
            kept.append(text[at : tag.start()])
            at = of_name[place].end()
    return "\n".join([*kept, text[at:]])


def _start(found: re.Match[str]) -> int:
    return found.start()


def _is_unspaced(said: str) -> bool:
    """Return whether a sentence may be of a script that puts no space between words."""
    return sum(not one.isascii() for one in said) >= _FEWEST_LETTERS


def _is_pasted(line: str) -> bool:
    """Return whether a line is code, a log or output."""
    bare = line.strip()
    # "- " begins a line of a diff, but in what people write an item of a list.
    if not bare or len(bare) > _LONGEST_LINE or (line[:2] not in _MARKS and _PASTED.match(line)):
        return True
    bare = _MARKED.sub("", bare)
    return sum(one.isalpha() or one.isspace() for one in bare) < _PROSE * len(bare)


def kind_of_users(said: str) -> Kind | None:
    """Return the kind of memory a user's sentence is worth; None for one of the moment."""
    if said.rstrip(_AFTER).endswith(_ASKING) or is_chatter(said):
        return None
    if _is_foreign(said):
        return "preference" if _RE.foreign_wish.match(said) else "fact"
    bare = _RE.lead.sub("", said)
    corrected = _RE.corrects.sub("", bare)
    is_correction, bare = corrected != bare, _RE.lead.sub("", corrected)
    if not bare or _RE.asks.match(bare) or _RE.hedges.search(bare):
        return None
    if _RE.self.match(bare):
        return "preference" if _is_of_self(bare) else None
    if _is_rule(bare):
        return "preference" if _RE.to_me.search(bare) or _is_of_manner(bare) else "rule"
    return _kind_of_statement(bare, is_correction=is_correction)


def _kind_of_statement(bare: str, *, is_correction: bool) -> Kind | None:
    """Return the kind of memory a sentence is worth that is no rule, and not of the speaker."""
    announced = _RE.announces.match(bare) is not None
    if not announced and _is_request(bare):
        return None
    if _RE.settles.search(bare):
        return "decision"
    if _RE.tasks.search(bare) and not announced:
        return None
    if is_correction and not _RE.deictic.match(bare):
        return "correction"
    if announced or _is_lasting(bare):
        return "correction" if _RE.contrasts.search(bare) else "fact"
    return None


def _is_of_self(bare: str) -> bool:
    """Return whether it says how the speaker is, or what they like, at any time."""
    lasting = _RE.trait.match(bare) or _RE.habit.match(bare)
    return lasting is not None and _RE.momentary.search(bare) is None


def _is_of_manner(bare: str) -> bool:
    """Return whether a rule is how somebody wants things written for them, and of no project."""
    if _RE.manner.search(bare) is None or _RE.places.search(bare):
        return False
    return _RE.of_project.search(bare) is None


def _is_foreign(said: str) -> bool:
    """Return whether a sentence is in another language than English, of which no rule is known."""
    if language_of(said) in (None, ENGLISH):
        return False
    return not said.isascii() or foreign_language(_WORD.findall(said.casefold())) is not None


def _is_rule(bare: str) -> bool:
    """Return whether somebody is told what is to be done, or not, every time."""
    if _RE.bids.search(bare) and (not _is_request(bare) or _RE.bids.match(bare)):
        return True
    if not _is_request(bare):
        told = tells_standing(bare) or _RE.obliges.search(bare) is not None
        return told and _RE.deictic.match(bare) is None and _RE.hedges.search(bare) is None
    return bool(
        _RE.standing.search(bare)
        or _RE.policy.match(bare)
        or (_RE.habitual.search(bare) and not _RE.momentary.search(bare))
    )


def _is_request(bare: str) -> bool:
    """Return whether it tells somebody to do something: it begins with a verb as it is named."""
    words = _WORD.findall(bare.casefold()[:80])  # the first two tell
    if not words or _RE.announces.match(bare) or words[0] in word_set("never_imperative"):
        return False
    first = words[0]
    if first in word_set("requesting_verbs"):
        return True
    second = words[1] if len(words) > 1 else ""
    if second in word_set("after_imperatives") and use_of(first).verb >= _SOMETIMES_VERB:
        return True
    if second in word_set("finite_auxiliaries"):  # "build is slow", "use is rare"
        return False
    inflected = first.endswith(("ed", "ing")) or (first.endswith("s") and not first.endswith("ss"))
    return not inflected and use_of(first).verb >= _VERB


_SOMETIMES_VERB: Final = 0.1
"""... where an object follows it: "list them"."""


def _is_lasting(bare: str) -> bool:
    """Return whether a statement tells how things are, not how far the work is."""
    words = [one.replace("’", "'") for one in _WORD.findall(bare.casefold())]
    if _RE.momentary.search(bare) or _RE.goes_on.search(bare):
        return False
    because = _RE.causes.search(bare) is not None
    if _RE.deictic.match(bare) and not (because and _RE.places.search(bare)):
        return False
    if _RE.reports.search(bare) and not (because or _RE.rules.search(bare) or _limits(bare)):
        return False
    return _has_finite(words)


def _has_finite(words: Sequence[str]) -> bool:
    """Return whether some word after the first is likely the verb of a clause."""
    if words and words[0].partition("'")[0] in _PLURALS and "'" in words[0]:  # "we're"
        return True
    for before, word, after in zip(words, words[1:], [*words[2:], ""], strict=False):
        if word in word_set("finite_auxiliaries") or word in word_set("irregular_pasts"):
            return True
        if word in word_set("small_talk") or use_of(word).verb < _VERB:
            continue
        if word.endswith(("s", "ed")) or before in _PLURALS or before.endswith("s"):
            return True
        if after in _AFTER_VERBS:
            return True
    return False


_AFTER_VERBS: Final = frozenset("in at on under with from into by".split())
_PLURALS: Final = frozenset("we they you i people who which that team everybody everyone".split())


def _limits(bare: str) -> bool:
    """Return whether a report holds under a condition, or of one thing and not another."""
    return bool(_RE.condition.search(bare) or _RE.contrasts.search(bare) or _RE.places.search(bare))


def kind_of_agents(said: str, *, after: bool = False) -> Kind | None:
    """
    Return the kind of memory a sentence of an agent's last message is worth; None else.

    ``after``: whether the sentence before is kept, of which this one may tell the remedy.
    """
    bare = _RE.lead.sub("", said)
    if not bare or said.rstrip(_AFTER).endswith(_ASKING) or is_chatter(said):
        return None
    if _RE.commentary.match(bare) or said.endswith(":"):
        return None
    why, where = _RE.causes.search(bare), _RE.places.search(bare)
    if _RE.remedies.search(bare) and (why or after or (where and _RE.how.search(bare))):
        return "solution"
    # What it chose while all went well is how far the work is, unless it says why.
    if _RE.settles.search(bare) and (why or not _RE.reports.search(bare)):
        return "decision"
    if why and not _RE.hedges.search(bare):
        return "solution"
    return "fact" if _holds(bare, has_place=where is not None, after=after) else None


def _holds(bare: str, *, has_place: bool, after: bool) -> bool:
    """Return whether an agent's sentence says where something is, or under which condition."""
    if _RE.hedges.search(bare) or (_RE.deictic.match(bare) and not after):
        return False
    limited = _RE.condition.search(bare) or _RE.follows.search(bare)
    if _RE.announces.match(bare) or (_RE.rules.search(bare) and limited):
        return True
    if not has_place:
        return False
    return after or _RE.contrasts.search(bare) is not None or _states_place(bare)


def _is_statement(said: str) -> bool:
    """Return whether a sentence under a heading that promises it tells a cause or a remedy."""
    bare = _RE.lead.sub("", said)
    if said.rstrip(_AFTER).endswith((*_ASKING, ":")) or _RE.commentary.match(bare):
        return False
    return not (_RE.deictic.match(bare) or _RE.hedges.search(bare) or _is_request(bare))


def _states_place(bare: str) -> bool:
    """Return whether it says of something where it is."""
    return (
        _RE.momentary.search(bare) is None
        and not _is_request(bare)
        and any(word in _BEING for word in _WORD.findall(bare.casefold()))
    )


_BEING: Final = frozenset("is are lives live sits sit lies lie resides stays belongs".split())
