"""
Compact Memory: one line of speakers, topics, decisions and the latest news (HEMA, 3.2).

The paper's S_t = Summarizer(S_t-1, u_t) is ``take_in``: of what the line quotes and what is said
now, the most telling stays. It runs over a hundred turns and starts anew; what each hundred came to
is a version, and the line is made of all versions and the hundred that goes on. So nothing is a
summary of a summary of a summary, and what was once misjudged does not stay: two levels.

What is quoted is the turns' own words. Where there is a language model, it words versions and what
they come to; where it fails, they are quoted.
"""

from __future__ import annotations

import json
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import field, replace
from datetime import UTC, tzinfo
from functools import partial, reduce
from hashlib import blake2b
from typing import Annotated, Final, NamedTuple, TypeAlias

import msgspec
import numpy as np
from numpy.typing import NDArray

from hippocampus.core.clock import from_micros, in_zone
from hippocampus.core.config import Compact
from hippocampus.core.decompress import inflate
from hippocampus.core.lazy_dataclass import immutable
from hippocampus.core.ranges import Micros
from hippocampus.core.records import Usage
from hippocampus.core.roles import MACHINE_ROLES
from hippocampus.encode.terms import hash_terms
from hippocampus.encode.tokens import count
from hippocampus.errors import EncoderError, InputError, ModelAnswer
from hippocampus.language.importance import decides
from hippocampus.language.noun_phrases import find_phrases
from hippocampus.llm.ask import ChatModel, Completer, ModelTask, ask_many, json_of

FORMAT: Final = 2
"""Format of the stored block: 2 quotes whole sentences (docs/adr/0054)."""
_WITH_CUT_WORDS: Final = 1
"""The format before, whose clauses had words cut out: they are quoted no more."""
SENTENCE: Final = 24
"""Most tokens of a sentence that is quoted of a turn; what is longer is left out, or it alone would
take half of a line of 60 tokens."""
TAKEN_IN: Final = 500
"""Rows since the last sleep that a context's summary takes in, the newest: what takes 30 ms at the
first time, and next to nothing then (docs/adr/0024). Those before wait for sleep."""
LONGEST_TALK: Final = 24_000
"""Characters of a hundred turns, or of versions, that a model is shown: some 6 000 tokens, which
models with short windows still read. Set by hand."""
_DECIDED, _DONE = 10.0, 3.0
"""Worth of a clause beside its words if it settles something, or tells an act: at 6, two sentences
full of numbers outdid a decision (docs/adr/0024)."""
_OF_OTHERS: Final = 0.3
"""The part of its worth left to a sentence that tells nothing of who says it: it may be pasted
(docs/adr/0054)."""
_OLDER: Final = 0.98
"""The part of its worth that a version keeps as the next one comes: half is left after 34 of them,
3 400 turns. Set by hand."""
_LONGEST_NAME: Final = 40
"""Characters: names are longer in documents, where they carry titles and addresses."""
_MOST_TOPICS: Final = 12
"""Topics that are kept of a version; no line lists them any more (docs/adr/0054). Set by hand."""
_MOST_BEHIND: Final = 20
"""Rows behind a sentence of a model that has the words of none: of more, none is its source. Set by
hand."""
_BEST: Final = 3
"""Clauses of a version that go into what all versions come to: a line of 60 tokens has room for two
or three. Set by hand."""

Mask = NDArray[np.bool_]


class QuotableClause(NamedTuple):
    """Clause to quote of a turn; ``at`` in microseconds since 1970, ``worth`` as of words."""

    row: int
    at: int
    who: str
    text: str
    tokens: int
    worth: float
    topics: tuple[str, ...] = ()
    """The noun phrases of ``text``."""


@immutable(kw_only=False)
class Version:
    """
    Summary of a hundred turns.

    ``made_of``: which of its rows were in force, as hexadecimal bits. ``topics``: what most turns
    name, and how many do. ``told``: a model's words.
    """

    made_of: str
    clauses: tuple[QuotableClause, ...]
    topics: tuple[tuple[str, int], ...]
    told: str = ""

    @property
    def holds_any(self) -> bool:
        """Return whether any of its rows was in force."""
        return bool(self.made_of.strip("0"))


@immutable(kw_only=False)
class SummaryVersions:
    """Versions of the summary of a bank's first ``rows``, and a model's words for them."""

    rows: int
    every: int
    versions: tuple[Version, ...]
    told: str = ""


class SummaryLine(NamedTuple):
    """A summary, and what it quotes, in order; of what a model worded nothing."""

    text: str
    clauses: tuple[QuotableClause, ...]

    @property
    def rows(self) -> tuple[int, ...]:
        """The rows that it quotes."""
        return tuple(clause.row for clause in self.clauses)


@immutable
class Made:
    """Result of making versions; ``fallbacks``: why a model's words are not in some."""

    made: int
    asked: int = 0
    by_model: int = 0
    fallbacks: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)


Read = Callable[[Sequence[int]], Iterable[QuotableClause | None]]
"""Reader of the clauses of rows that may be quoted."""


def short_name(name: str) -> str:
    """Return a name on one line, and no longer than leaves room for what its bearer says."""
    one_line = " ".join(name.split())
    return one_line if len(one_line) <= _LONGEST_NAME else f"{one_line[: _LONGEST_NAME - 1]}…"


def clause_of(
    row: int,
    at: int,
    who: str | None,
    role: str | None,
    text: str,
    *,
    about: Callable[[str], float] = lambda _: 0.0,
) -> QuotableClause | None:
    """
    Return the sentence that a summary may quote of a turn, None if it has none to quote.

    ``about``: what a sentence is worth besides, by what the summary is of.
    """
    from hippocampus.language.self_disclosure import (  # noqa: PLC0415 - only for a sleep
        tells_of_deed,
        tells_of_self,
    )
    from hippocampus.language.whole_sentences import (  # noqa: PLC0415 - only for a sleep
        whole_sentences,
    )

    if role in MACHINE_ROLES:
        return None

    def worth_of(quoted: str, worth: float) -> float:
        return worth + _DECIDED * decides(quoted) + _DONE * tells_of_deed(quoted) + about(quoted)

    best = max(
        whole_sentences(text, SENTENCE), key=lambda one: worth_of(one.text, one.worth), default=None
    )
    if best is None:
        return None
    quoted = best.text
    worth = worth_of(quoted, best.worth)
    worth *= 1.0 if tells_of_self(quoted) else _OF_OTHERS
    name = short_name(who or role or "")
    topics = tuple(_topics_of(quoted))
    return QuotableClause(row, at, name, quoted, count(quoted) + 2, round(worth, 3), topics)


def take_in(
    said: tuple[QuotableClause, ...], new: QuotableClause, tokens: int
) -> tuple[QuotableClause, ...]:
    """Return the quotes after one more turn: S_t of S_t-1 and u_t."""
    from hippocampus.language.equivalence import (  # noqa: PLC0415 - only for a sleep
        say_about_the_same,
    )

    kept = [old for old in said if not say_about_the_same(old.text, new.text)]
    kept.append(new)
    spent = sum(clause.tokens for clause in kept)
    while spent > tokens and len(kept) > 1:
        least = min(range(len(kept)), key=lambda at: (kept[at].worth, kept[at].at))
        spent -= kept.pop(least).tokens
    return tuple(kept)


def go_on(
    shown: Mask,
    read: Read,
    how: Compact,
    *,
    kept: SummaryVersions | None = None,
    newest: int | None = None,
) -> list[Version]:
    """
    Return the versions of a bank's rows, the last of the turns that go on.

    Args:
        shown: which rows are in force.
        read: called with rows that no kept version holds.
        how: how many tokens, and turns a version.
        kept: versions to take again, where the same rows are in force.
        newest: make none anew that ends before so many last rows; what was kept of it is taken as
            it is, if it tells of nothing that is hidden now.

    """
    step = how.every or max(len(shown), 1)
    old = () if kept is None or kept.every != how.every else kept.versions
    made: list[Version] = []
    for number, start in enumerate(range(0, len(shown), step)):
        mask = shown[start : start + step]
        made_of = np.packbits(mask).tobytes().hex()
        if number < len(old) and old[number].made_of == made_of:
            made.append(old[number])
        elif newest is None or not how.every or start + step > len(shown) - newest:
            rows = (np.flatnonzero(mask) + start).tolist()
            said = [clause for clause in read(rows) if clause is not None]
            named = Counter(topic for clause in said for topic in dict.fromkeys(clause.topics))
            topics = tuple(named.most_common(_MOST_TOPICS))
            made.append(Version(made_of, fold(said, how.tokens), topics))
        elif number < len(old) and _are_shown(old[number].made_of, mask):
            made.append(old[number])  # with what has come back since, or left quarantine, one day
    return made


def _are_shown(made_of: str, mask: Mask) -> bool:
    """Return whether all rows that something was made of are still in force."""
    bits = np.unpackbits(np.frombuffer(bytes.fromhex(made_of), np.uint8))
    were = np.flatnonzero(bits)
    return not len(were) or bool(were[-1] < len(mask) and mask[were].all())


def fold(clauses: Iterable[QuotableClause], tokens: int) -> tuple[QuotableClause, ...]:
    """Take clauses in, one after the other."""
    nothing: tuple[QuotableClause, ...] = ()
    return reduce(lambda said, new: take_in(said, new, tokens), clauses, nothing)


def tell(
    versions: Sequence[Version],
    how: Compact,
    *,
    told: str = "",
    since: int = 0,
    known: Sequence[QuotableClause] = (),
    zone: tzinfo = UTC,
) -> SummaryLine:
    """
    Return the line that versions come to, of at most ``how.tokens``.

    Args:
        versions: in order; the last goes on.
        how: how many tokens.
        told: how a model worded the first ``since`` rows; what came later is quoted behind it.
        since: see ``told``.
        known: what stands before all that, as it is, the most telling first.
        zone: in which days are told.

    """
    from hippocampus.language.equivalence import (  # noqa: PLC0415 - only for a sleep
        say_about_the_same,
    )

    if not versions:
        return SummaryLine("", ())
    known = [] if told else list(known)
    *before, last = versions
    older = [
        clause._replace(worth=clause.worth * _OLDER ** (len(before) - number))
        for number, version in enumerate(before)
        for clause in sorted(version.clauses, key=lambda c: -c.worth)[:_BEST]
    ]
    head = ""
    if told:
        # The model was shown what older versions quote.
        head, older = told.strip(), []
        last = replace(last, clauses=tuple(c for c in last.clauses if c.row >= since))
    told_rows, quoted = {clause.row for clause in known}, partial(_quoted, zone=zone)
    chosen = [
        *last.clauses,
        *(
            clause
            for clause in fold(older, how.tokens // 2)
            if not any(say_about_the_same(clause.text, now.text) for now in last.clauses)
        ),
    ]
    # One too long by itself would have all others taken out before it goes.
    chosen = [
        clause
        for clause in chosen
        if clause.row not in told_rows and count(quoted(clause)) <= how.tokens
    ]
    while True:
        chosen.sort(key=lambda clause: (clause.at, clause.row))
        text = " ".join([*filter(None, [head]), *map(stated, known), *map(quoted, chosen)])
        if count(text) <= how.tokens:
            return SummaryLine(text, (*known, *chosen))
        if chosen:
            chosen.remove(min(chosen, key=lambda clause: clause.worth))
        elif known:
            known.pop()
        else:
            return SummaryLine("", ())


def summarise(
    shown: Mask,
    read: Read,
    talk: Callable[[Sequence[int]], list[str]],
    how: Compact,
    *,
    before: SummaryVersions | None = None,
    model: Completer | ChatModel | None = None,
    answered: dict[str, str] | None = None,
) -> tuple[SummaryVersions, Made]:
    """
    Make the Compact Memory of a bank, taking again what is as it was.

    Args:
        shown: which rows are in force.
        read: returns what is to be quoted of rows.
        talk: returns what was said in rows, a line each, for a model.
        how: how many tokens, and turns a version.
        before: what the last sleep kept.
        model: whom to have word the versions.
        answered: of earlier tries of this sleep; those to this one are put there.

    """
    # By identity: ``go_on`` returns the same object where it takes a version again.
    old = {id(version) for version in (() if before is None else before.versions)}
    versions = go_on(shown, read, how, kept=before)
    made = sum(id(version) not in old for version in versions)
    if before is not None and tuple(versions) == before.versions and (before.told or not model):
        return replace(before, rows=len(shown)), Made(made=made)
    if model is None:
        return SummaryVersions(len(shown), how.every, tuple(versions)), Made(made=made)
    answered = {} if answered is None else answered
    step = how.every or max(len(shown), 1)
    asked: dict[int, list[str]] = {}
    for number, version in enumerate(versions):
        if not version.told and version.holds_any:
            start = number * step
            rows = (np.flatnonzero(shown[start : start + step]) + start).tolist()
            asked[number] = talk(rows)
    each = have_worded(model, SUMMARY, list(asked.values()), answered)
    for number, text in zip(asked, each.lines, strict=True):
        versions[number] = replace(versions[number], told=text)
    lines = [version.told or tell([version], how).text for version in versions]
    lines = [line for line in lines if line]
    # A single version needs no summary of its own.
    several = [lines] if len(lines) > 1 else []
    whole = have_worded(model, SUMMARY, several, answered)
    every_told = all(version.told for version in versions if version.holds_any)
    report = Made(
        made=made,
        asked=each.asked + whole.asked,
        by_model=sum(bool(version.told) for version in versions),
        fallbacks=each.fallbacks + whole.fallbacks,
        usage=each.usage + whole.usage,
    )
    told = whole.lines or (lines if every_told else [])
    return SummaryVersions(len(shown), how.every, tuple(versions), "".join(told)), report


# ---------------------------------------------------------------- wording


def holds(kept: SummaryVersions, shown: Mask) -> bool:
    """Return whether all rows that were in force when this was kept still are."""
    step, now = kept.every or max(kept.rows, 1), shown[: kept.rows]
    parts = [now[start : start + step] for start in range(0, kept.rows, step)]
    return len(parts) == len(kept.versions) and all(
        _are_shown(version.made_of, part)
        for version, part in zip(kept.versions, parts, strict=True)
    )


def rows_behind(kept: SummaryVersions, sentence: str, how: Compact) -> list[int]:
    """
    Return the rows that a model was shown for a sentence whose words are in none, in order.

    They are those of the version that has most of its words, or of all if none has any; of many,
    the last.
    """
    step, words = kept.every or max(kept.rows, 1), set(hash_terms(sentence).tolist())
    lines = [version.told or tell([version], how).text for version in kept.versions]
    shared = [len(words & set(hash_terms(line).tolist())) for line in lines]
    most = max(shared, default=0)
    rows: list[int] = []
    for number in reversed(range(len(lines))):
        if len(rows) < _MOST_BEHIND and shared[number] == most:
            bits = np.frombuffer(bytes.fromhex(kept.versions[number].made_of), np.uint8)
            rows[:0] = (np.flatnonzero(np.unpackbits(bits)) + number * step).tolist()
    return rows[-_MOST_BEHIND:]


def stated(clause: QuotableClause) -> str:
    """Return a statement with its full stop."""
    return clause.text if clause.text.endswith((".", "!")) else f"{clause.text}."


def _quoted(clause: QuotableClause, zone: tzinfo) -> str:
    """Return a quotation, with its day and speaker."""
    day = f"{in_zone(from_micros(clause.at), zone):%Y-%m-%d}"
    return f"{day} {clause.who}: {stated(clause)}" if clause.who else f"{day}: {stated(clause)}"


def _topics_of(text: str) -> Iterator[str]:
    """Yield the noun phrases of a text, the longest of those inside each other."""
    end = -1
    for phrase in find_phrases(text):
        if phrase.start >= end:
            yield text[phrase.start : phrase.end] if phrase.proper else phrase.name
            end = phrase.end


# ---------------------------------------------------------------- a model's words


def line_asked_for(kind: str, most: int) -> ModelTask[str]:
    """Return the question for a line of at most so many tokens; its JSON names it as the kind."""

    def read(answer: str) -> str:
        found = json_of(answer)
        if not isinstance(found, dict) or not isinstance(found.get(kind), str):
            msg = f'it must be a JSON object with a "{kind}" that is text'
            raise ModelAnswer(msg)
        text = " ".join(found[kind].split())
        if not text or count(text) > most:
            msg = f"the {kind} has {count(text)} tokens; give 1 to {most}"
            raise ModelAnswer(msg)
        return text

    schema = {
        "type": "object",
        "properties": {kind: {"type": "string"}},
        "required": [kind],
        "additionalProperties": False,
    }
    return ModelTask(kind=kind, read=read, schema=schema)


TOLD: Final = 44
"""Most tokens of a model's line: what came since has the rest of a summary's, 16 of 60
(docs/adr/0024)."""

SUMMARY: Final = line_asked_for("summary", TOLD)


class Worded(NamedTuple):
    """Lines that a model made of talks, none where it failed, and what that took."""

    lines: list[str]
    asked: int
    fallbacks: tuple[str, ...]
    usage: Usage


def have_worded(
    model: Completer | ChatModel,
    question: ModelTask[str],
    talks: Sequence[Sequence[str]],
    answered: dict[str, str],
) -> Worded:
    """Have talks put into a line each; ``answered``: what was so before, to which more is put."""
    shown = [_shown(talk) for talk in talks]
    digests = [blake2b("\0".join(each).encode(), digest_size=16).hexdigest() for each in shown]
    new = [at for at, digest in enumerate(digests) if digest not in answered]
    usage, fallbacks = Usage(), list[str]()
    for at, (answer, paid) in zip(
        new, ask_many(model, question, [shown[at] for at in new]), strict=True
    ):
        usage += paid
        if isinstance(answer, EncoderError):
            # Not among the answers, so that the next try asks again.
            fallbacks.append(str(answer))
        else:
            answered[digests[at]] = answer
    lines = [answered.get(digest, "") for digest in digests]
    return Worded(lines, len(new), tuple(fallbacks), usage)


def _shown(talk: Sequence[str]) -> list[str]:
    """Return talk as a model is shown it: if it is long in fewer words, at last in fewer lines."""
    from hippocampus.language.extractive_compression import (  # noqa: PLC0415 - only for a sleep
        KEYWORDS,
        condense,
    )

    lines = list(talk)
    for level in range(1, KEYWORDS + 1):
        if sum(map(len, lines)) <= LONGEST_TALK:
            return lines
        lines = [condense(line, level) for line in talk]
    while lines and sum(map(len, lines)) > LONGEST_TALK:
        # Every other line, so that all of the time is still told of.
        lines = lines[1::2]
    return lines


# ---------------------------------------------------------------- as bytes


_Count: TypeAlias = Annotated[int, msgspec.Meta(ge=0, lt=1 << 32)]
_StoredClause: TypeAlias = tuple[_Count, Micros, str, str, _Count, float]
_StoredVersion: TypeAlias = tuple[
    Annotated[str, msgspec.Meta(pattern="^(?:[0-9a-f]{2})*$")],
    tuple[_StoredClause, ...],
    tuple[tuple[str, _Count], ...],
    str,
]
"""Fields of a version, in order; of its clauses all but the topics, which are found anew."""


class _Head(msgspec.Struct):
    format: int


class _StoredSummary(msgspec.Struct):
    """A summary as JSON has it."""

    rows: _Count
    every: _Count
    told: str
    versions: tuple[_StoredVersion, ...]


def pack(kept: SummaryVersions) -> bytes:
    """Return a summary as bytes for ``unpack``."""
    document = {
        "format": FORMAT,
        "rows": kept.rows,
        "every": kept.every,
        "told": kept.told,
        "versions": [
            [version.made_of, [list(c[:-1]) for c in version.clauses], version.topics, version.told]
            for version in kept.versions
        ],
    }
    return zlib.compress(json.dumps(document, ensure_ascii=False).encode())


def unpack(payload: bytes) -> SummaryVersions:
    """
    Read a summary from the bytes of ``pack``; the store has verified its checksum.

    Raises:
        InputError: it is something else, or of a later format.

    """
    try:
        body = inflate(payload)
        # The format by itself first: in a later one the rest may look otherwise.
        found = msgspec.json.decode(body, type=_Head).format
        if found not in (FORMAT, _WITH_CUT_WORDS):
            msg = f"summary: format {found!r}, and this version reads {FORMAT}; sleep makes it anew"
            raise InputError(msg)
        stored = msgspec.json.decode(body, type=_StoredSummary)
    except (ValueError, RecursionError) as exc:
        # Our own error is a ``ValueError`` as well, and says what to do.
        if isinstance(exc, InputError):
            raise
        msg = f"summary: its structure is damaged ({exc!r:.80}); sleep makes it anew"
        raise InputError(msg) from exc
    versions = tuple(
        Version(made_of, tuple(QuotableClause(*clause) for clause in said), topics, told)
        for made_of, said, topics, told in stored.versions
    )
    if found == _WITH_CUT_WORDS:  # made anew by the next sleep, but for what a model has worded
        versions = tuple(
            replace(version, clauses=(), made_of=version.made_of if version.told else "")
            for version in versions
        )
    return SummaryVersions(stored.rows, stored.every, versions, stored.told)
