"""
Statements of a bank's texts, read row by row, once.

Rules read them, or a model where there is one; facts are what they come to for whoever asks
(``recall/fact_timeline.py``). Reading goes on where it stopped, so what was said since the last
sleep is known as soon as it is asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import tzinfo
from hashlib import blake2b
from typing import Final, NamedTuple

from hippocampus.core.background_yield import pausing
from hippocampus.core.clock import from_micros, in_zone
from hippocampus.core.records import EpisodeRow, Statement
from hippocampus.errors import EncoderError, ModelAnswer
from hippocampus.index.graph import Statements
from hippocampus.language.statement_model import NumberedLine, read_by_model, statements_of
from hippocampus.language.statements import (
    StatementReader,
    best_reader,
    find_in_each,
    who_speaks,
)
from hippocampus.language.told_text import ToldText
from hippocampus.llm.ask import ChatModel, Completer
from hippocampus.sleep.topics import TagAnswers, WindowTurn, group_turns

_TOGETHER: Final = 8
"""Texts that are parsed together: more would be little faster, and answers wait longer."""
_CHARACTERS_TOGETHER: Final = 1_000
"""Characters of them, for what is long is no faster together, and takes its memory at once."""


class FactReading(NamedTuple):
    """Result of reading; ``fallbacks``: why a model did not read a group, a line for each."""

    statements: int
    by_model: int = 0
    asked: int = 0
    fallbacks: tuple[str, ...] = ()


def read_on(
    before: Statements,
    records: Iterable[EpisodeRow],
    texts: Mapping[int, str],
    zone: tzinfo,
    reader: StatementReader,
) -> Statements:
    """
    Read on where reading stopped.

    Args:
        before: what was read so far.
        records: the rows that follow, without a gap, hidden ones too: they may come back.
        texts: of those rows, but for erased ones.
        zone: in which "yesterday" is meant.
        reader: what reads.

    """
    rows, heard = dict(before.rows), {s: dict.fromkeys(names) for s, names in before.heard.items()}
    length = before.length
    telling: dict[int, ToldText] = {}
    for record in pausing(records):
        length = record.row + 1
        text, speaker = texts.get(record.row), who_speaks(record.speaker, record.role)
        there = heard.setdefault(record.session, {}) if record.session is not None else {}
        if text is not None and record.role != "tool":
            telling[record.row] = ToldText(
                text,
                speaker,
                occurred_at=in_zone(from_micros(record.occurred_at), zone),
                others=[name for name in there if name != speaker],
                addressed=record.role == "assistant",
            )
        if len(telling) == _TOGETHER or _characters(telling) >= _CHARACTERS_TOGETHER:
            rows |= _said(telling, reader)
            telling = {}
        if text is not None:
            there[speaker] = None
    rows |= _said(telling, reader)
    return replace(
        before, length=length, rows=rows, heard={s: tuple(names) for s, names in heard.items()},
        # Read by two readers: the next sleep that wants one of them reads all anew.
        reader=reader if before.length == 0 or before.reader == reader else "both",
    )  # fmt: skip


def _characters(told: Mapping[int, ToldText]) -> int:
    return sum(len(one.text) for one in told.values())


def _said(
    told: Mapping[int, ToldText], reader: StatementReader
) -> dict[int, tuple[Statement, ...]]:
    """Return the statements of rows that say something, by row."""
    found = find_in_each([*told.values()], reader)
    return {row: tuple(said) for row, said in zip(told, found, strict=True) if said}


def before_reading(before: Statements | None, wanted: StatementReader | None) -> Statements:
    """
    Return the statements to go on from: all so far, or none if another reader begins anew.

    What the parse has read stays where there are only rules by now. ``wanted``: which reader shall
    read; None for the best on this machine.
    """
    if before is None:
        return Statements()
    reader = wanted or best_reader()
    anew = before.reader != reader and (wanted is not None or reader == "parse")
    # What a model answered does not depend on which rules read beside it.
    return Statements(kept=before.kept) if anew else before


def read_with_model(
    read: Statements,
    records: Sequence[EpisodeRow],
    texts: Mapping[int, str],
    model: Completer | ChatModel,
    answers: TagAnswers,
    zone: tzinfo,
) -> tuple[Statements, FactReading]:
    """
    Have a model read the rows that rules have read; its answers take the place of theirs.

    ``answers``: of earlier tries of this sleep; those to this one are put there. ``zone``: in which
    days are told and meant.
    """
    speakers = {record.row: who_speaks(record.speaker, record.role) for record in records}
    turns = [WindowTurn(e.row, texts.get(e.row, ""), e.session, e.occurred_at) for e in records]
    groups = group_turns(turns)
    shown = [
        [
            NumberedLine(
                speakers[turn.row], f"{in_zone(from_micros(turn.at), zone):%Y-%m-%d}", turn.text
            )
            for turn in group
        ]
        for group in groups
    ]
    digests = [_digest(lines) for lines in shown]
    known = {**read.kept, **answers.by_digest}
    open_ = [at for at, digest in enumerate(digests) if digest not in known]
    fallbacks = []
    for at, (answer, paid) in zip(
        open_, read_by_model([shown[at] for at in open_], model), strict=True
    ):
        answers.usage += paid
        if isinstance(answer, EncoderError):
            fallbacks.append(f"group {at}: {answer}")
        else:
            known[digests[at]] = answers.by_digest[digests[at]] = answer
    rows, kept = dict(read.rows), {}
    for digest, group in zip(digests, groups, strict=True):
        with suppress(ModelAnswer):  # what was kept is read again, and believed as little
            made = statements_of(known[digest], zone) if digest in known else None
            if made is None:
                continue
            kept[digest] = known[digest]
            for turn in group:
                rows.pop(turn.row, None)
            for place, statement in made:
                # A model may number a line that it was not shown.
                if place < len(group):
                    row = group[place].row
                    rows[row] = (*rows.get(row, ()), statement)
    report = FactReading(sum(map(len, rows.values())), len(kept), len(open_), tuple(fallbacks))
    return replace(read, rows=rows, kept=kept), report


def _digest(lines: Sequence[NumberedLine]) -> str:
    shown = "\0".join("\0".join(line) for line in lines)
    return blake2b(shown.encode(), digest_size=16).hexdigest()


def count(statements: Mapping[int, tuple[Statement, ...]]) -> int:
    """Return the number of statements."""
    return sum(map(len, statements.values()))
