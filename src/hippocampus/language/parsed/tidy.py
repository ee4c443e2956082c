"""
Tidy sentences out of untidy messages: what a small pipeline parses well.

Contractions get their apostrophes, words of chat go, "Ada's my boss" is "Ada is my boss", "Ada and
Tom work" is "Ada and Tom do work", "we moved! 14 Mill Lane" is "we moved to" it, and a clause after
a comma with a subject of its own is a sentence, unless it hangs on an "if". What is quoted, a
program's, or only to be translated or rewritten is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final

from hippocampus.core.word_lists import Patterns, word_list, word_set
from hippocampus.encode.terms import stem
from hippocampus.language.given_names import is_person
from hippocampus.language.nouns import use_of
from hippocampus.language.parsed.frames import framing_verbs
from hippocampus.language.parsed.introduced import with_sentences

_RE: Final = Patterns("parsed")


def paragraphs(text: str, *, whose: str = "my") -> Iterator[str]:
    """
    Yield a text a paragraph at a time; nothing of a text that is one quotation.

    ``whose``: "my" or "your", whose mother "mum" is.
    """
    # People set a picture where a full stop would stand.
    plain = _RE.picture.sub(" . ", text.replace("’", "'"))
    if _RE.quoted.fullmatch(plain.strip()):
        return
    for line in _RE.quoted.sub(" ", plain).split("\n"):
        if not _RE.code.search(line):
            told = _RE.worked_on.sub("", line)
            if told.strip():
                yield _tidy(with_sentences(told), whose)


def _tidy(line: str, whose: str) -> str:
    # In this order, for each rule reads what those before it left: once contractions are written
    # out, an "'s" is a genitive; clauses are parted last, when words that open one stand there.
    words = re.sub(r"\s+", " ", _RE.chat_word.sub(" ", line)).strip()
    words = _contraction().sub(lambda found: _contractions()[found[0].casefold()], words)
    words = _RE.lower_i.sub("I", words)
    words = _RE.moved_to.sub("We moved to ", words)
    words = _RE.new_address.sub("We live at ", words)
    words = _RE.former.sub("former ", _RE.is_short.sub(" is ", words))
    words = _RE.birthday.sub("birthday", words)
    words = _RE.spelled_age.sub(_in_digits, words)
    words = _RE.genitive.sub(_with_apostrophe, words)
    words = _RE.kin_genitive.sub(r"\g<kin>'s ", words)
    words = _RE.bare_kin.sub(lambda found: _owned(found, whose), words)
    words = _RE.name_aside.sub(r"\g<kin> \g<name>", words)
    words = _RE.call_her.sub(r"\g<calls> him ", _RE.naming.sub(". ", words))
    words = _RE.role_there.sub(r"\g<role> is", words)
    words = _RE.age_and.sub(r"\g<age> years old and", words)
    words = _RE.part_exchanged.sub("traded in", words)
    words = _RE.name_and_i.sub(r"I and \g<name>", words)
    words = _RE.work_of_one.sub(_with_do, words)
    words = _RE.work_of_two.sub(r"\g<names> do ", words)
    words = _RE.liking_of_two.sub(r"\g<liking>s", words)
    words = _RE.question_tail.sub(". ", words)
    # What is said on a condition is so only with it: parted, the rest would be stated.
    if not _RE.condition.search(words):
        words = _RE.splice.sub(". ", words)
    return _with_subject(_RE.opener.sub("", words))


def _with_subject(words: str) -> str:
    """Add the subject that a note leaves out, where its verb would be read as a noun or name."""
    words = _RE.what_is_done.sub(_done, words)
    words = _RE.unsaid_start.sub("I will start ", words)
    words = _RE.unsaid_been.sub("I have been ", words)
    words = _RE.unsaid_past.sub(_past_of_i, words)
    if _RE.unsaid_present.match(words):
        words = _RE.unsaid_further.sub(_present_of_i, words)
    return _RE.unsaid_present.sub(_present_of_i, words)


def _owned(kin: re.Match[str], whose: str) -> str:
    """Return a bare word for a parent with "my" before it; as it is in "a dad", "dear mum"."""
    before, noun = kin["before"] or "", kin["kin"]
    word = before.strip().casefold()
    told = word.endswith("'s") or word in word_set("determiners") | word_set("pronouns")
    free = word in word_set("before_bare_kin") or (noun[0].isupper() and not told)
    shared = _RE.kin_before.search(kin.string[: kin.start("kin")])
    others = shared is not None and shared["whose"].lower() != whose
    if (before and not free) or others:
        return kin[0]
    owner = whose if before else whose.capitalize()
    return f"{before}{owner} {noun.lower()}"


def _with_apostrophe(genitive: re.Match[str]) -> str:
    name = genitive["name"].title()
    sure = is_person(name) and (genitive["mark"] != "" or not is_person(f"{name}s"))
    # "My sister pats Rex": a verb.
    word = genitive["name"]
    named = genitive.string[genitive.end() :][:1].isupper()
    verb = word.islower() and not genitive["mark"] and named and use_of(word).verb > 0.5
    return f"{name}'s " if sure and not verb else genitive[0]


def _done(what: re.Match[str]) -> str:
    return f"{what['who']} {what['verb']} " if what["verb"] else f"{what['who']} "


def _past_of_i(opening: re.Match[str]) -> str:
    verb = opening["verb"].lower()
    return f"I {verb} " if stem(verb) in _framing_stems() else opening[0]


def _present_of_i(opening: re.Match[str]) -> str:
    return f"I {opening['verb'].lower()}"


def _in_digits(number: re.Match[str]) -> str:
    tens = ("twenty", *word_list("tens")).index(number["tens"].casefold())
    one = number["one"]
    return str(10 * (tens + 2) + (word_list("numbers").index(one.casefold()) + 1 if one else 0))


def _with_do(working: re.Match[str]) -> str:
    verb = working["verb"]
    return f"{working['name']} does {verb[:-3] + 'y' if verb.endswith('ies') else verb[:-1]} "


@cache
def _framing_stems() -> frozenset[str]:
    return frozenset(map(stem, framing_verbs()))


@cache
def _contractions() -> dict[str, str]:
    return dict(entry.split(" ", 1) for entry in word_list("contractions"))


@cache
def _contraction() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(_contractions())})\b(?!')", re.IGNORECASE)
