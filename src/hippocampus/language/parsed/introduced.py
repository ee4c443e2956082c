"""
Sentences for what a message says of people by commas and brackets alone.

"Noah (your son) came" is "Noah is your son. Noah came"; "I'm Ada, 27, baker at Hovis" is "I'm Ada.
I am 27. I am a baker at Hovis."; a name in brackets behind kin goes beside it.
"""

from __future__ import annotations

import re
from typing import Final

from hippocampus.core.word_lists import Patterns
from hippocampus.language.given_names import is_person
from hippocampus.language.noun_sorts import is_region, is_work
from hippocampus.language.parsed.antecedents import sex_of_noun

_RE: Final = Patterns("parsed")
_UNTRUE: Final = frozenset(
    {"not", "no", "never", "almost", "nearly", "future", "aspiring", "would-be"}
)
"""Words before a profession that deny it."""
_ARTICLES: Final = frozenset({"a", "an", "the"})


def with_sentences(line: str) -> str:
    """Return a line with what stands in brackets, or in a row of commas, as sentences."""
    line = _RE.introduction.sub(_introduced, line)
    line = _RE.theirs.sub("", line)
    line = _RE.named_next.sub(_named_before, line)
    line = _RE.settled_at.sub(r"\g<0>. I moved to \g<where>", line)
    said = [f"{one['name']} is {one['what']}." for one in _RE.explained.finditer(line)]
    if _RE.kin_word.search(line):
        said += [
            f"{one['name']} is {one['age']}." for one in _RE.aged.finditer(line)
            if is_person(one["name"].split()[0]) and _is_of_kin(one)
        ]  # fmt: skip
    line = _RE.aged.sub(r"\g<name>", _RE.explained.sub(r"\g<name>", line))
    return " ".join([*said, _RE.called.sub(_called, line)])


def _called(kin: re.Match[str]) -> str:
    """Return "my brother Tom" of "my brother (Tom)", and "my brother" of "my brother (London)"."""
    return kin["who"] if is_region(kin["name"]) else f"{kin['who']} {kin['name']}"


def _is_of_kin(aged: re.Match[str]) -> bool:
    """Return whether a name stands beside kin: in "my sons Tom (4) and Max (2)", no book's."""
    line = aged.string
    before = _RE.kin_before_name.search(line[: aged.start()])
    return before is not None or _RE.kin_behind_name.match(line[aged.end() :]) is not None


def _named_before(told: re.Match[str]) -> str:
    """Return "my mum Doreen" of "my mum. Doreen, she's 84", if her sex fits."""
    sex = sex_of_noun(told["kin"].split()[-1].lower())
    if sex is not None and sex != ("male" if told["who"] == "he" else "female"):
        return told[0]
    return f"{told['kin']} {told['name']}{told[0][len(told['kin']) :]}"


def _introduced(opening: re.Match[str]) -> str:
    """Return sentences of "I'm Ada (Addie), 27, baker at Hovis", as far as they are sure."""
    said = [f"{opening['says']} {opening['name']}."]
    if opening["short"]:
        said.append(f"People call me {opening['short']}.")
    parts = opening["rest"].split(", ")[1:]
    while parts:
        aged, work = _RE.years.fullmatch(parts[0]), _RE.working_as.match(parts[0])
        if aged:
            said.append(f"I am {aged['age']}.")
        elif work and _is_role(work):
            said.append(f"I am a {parts[0]}.")
        else:
            break
        del parts[0]
    return " ".join([*said, ", ".join(parts)]).rstrip()


def _is_role(work: re.Match[str]) -> bool:
    """Return whether words say what somebody works as: no "hire a cook", and "not a nurse"."""
    before = work[0].split()[:-1]
    described = _UNTRUE.isdisjoint(before) and _ARTICLES.isdisjoint(before[1:])
    return described and is_work(work["noun"])
