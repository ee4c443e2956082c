"""The second step of the write flow: terms and phrases of a text, as payloads for the cues."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from datetime import tzinfo
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from hippocampus.core.background_yield import pausing
from hippocampus.core.clock import MICROS_PER_DAY, from_micros
from hippocampus.core.records import Kind
from hippocampus.core.spelled_days import month_of
from hippocampus.encode.terms import hash_terms
from hippocampus.index.bm25 import MARKS, pack_terms
from hippocampus.index.phrase_codec import pack_phrases
from hippocampus.index.told_times import pack_times
from hippocampus.journal.draft import Draft
from hippocampus.journal.ledger import Ledger
from hippocampus.journal.payloads import NO_TIMES, READ_BY_LANGUAGE
from hippocampus.language.answer_wishes import matters_of_answers
from hippocampus.language.equivalence import digest_details
from hippocampus.language.importance import lasting_importance
from hippocampus.language.noun_phrases import find_phrases, names_of
from hippocampus.language.self_disclosure import only_asks, tells_of_deed, tells_of_self
from hippocampus.language.standing import tells_standing
from hippocampus.language.time.repeated import told_with_places


def analyse(drafts: Sequence[Draft], *, zone: tzinfo, phrases: bool) -> dict[Kind, list[bytes]]:
    """
    Return the payloads that rules read off drafts, in their order, by kind.

    ``zone``: in which "yesterday" is a day. ``phrases``: those for the concept cue as well, for a
    bank that has anchors.
    """
    found: dict[Kind, list[bytes]] = {"lexical": [], "times": []}
    if phrases:
        found["phrase"] = []
    # What one reader finds out about the words of a text, the next one knows.
    for d in pausing(drafts):
        found["lexical"].append(
            lexical_payload(d.text, occurred_at=d.occurred_at, speaker=d.speaker, source=d.source)
        )
        found["times"].append(times_payload(d.text, d.occurred_at, zone))
        if phrases:
            found["phrase"].append(phrase_payload(d.text, d.speaker, d.role))
    return found


def lexical_payload(
    text: str, *, occurred_at: int, speaker: str | None, source: str | None
) -> bytes:
    """
    Return the terms of what the words cue reads: date in words, speaker, text, file name.

    Last come the marks of a text that tells of its speaker, of a deed of theirs, of what is wished
    or barred from now on, or that only asks, if it does.
    """
    # Apart, for a text is in a language; and in the order that the start of a row is looked up by.
    said = [_hash_heading(occurred_at // MICROS_PER_DAY, speaker), hash_terms(text)]
    if source:
        said.append(hash_terms(source))
    wishes = tells_standing(text) or bool(matters_of_answers(text))
    told = (tells_of_self(text), tells_of_deed(text), wishes, only_asks(text))
    if any(told):
        marks = [mark for mark, is_told in zip(MARKS, told, strict=True) if is_told]
        said.append(np.array(marks, np.uint32))
    return b"".join(map(pack_terms, said))


@lru_cache(maxsize=1024)
def _hash_heading(day: int, speaker: str | None) -> NDArray[np.uint32]:
    """Return the terms of a day, counted from 1970, and of a speaker: few of many rows in a row."""
    said = from_micros(day * MICROS_PER_DAY)
    when = f"{said.day:02} {month_of(said)} {said.year}"
    return hash_terms(f"{when} {speaker or ''}")


def times_payload(text: str, occurred_at: int, zone: tzinfo) -> bytes:
    """Return the times that a text tells, as of when it was said."""
    return pack_times(told_with_places(text, from_micros(occurred_at), zone))


def phrase_payload(text: str, speaker: str | None, role: str | None) -> bytes:
    """Return a text's phrases, who speaks, and what it is worth, for the concept cue."""
    found = {phrase.key: phrase.proper for phrase in find_phrases(text)}
    lasting = lasting_importance(text, names=sum(found.values()), role=role)
    found |= {phrase.key: True for phrase in names_of(speaker)}
    names = [key for key, proper in found.items() if proper]
    return pack_phrases(found, lasting, digest_details(text, names))


def times_payloads(
    ledger: Ledger, rows: Collection[int], zone: tzinfo
) -> Iterator[tuple[int, bytes]]:
    """Yield the times payloads of those stored rows that have one; of the first row, always."""
    texts = ledger.reader.texts(rows)
    for e in pausing(ledger.store.episodes.read(ledger.bank, list(texts))):
        told = times_payload(texts[e.row], e.occurred_at, zone)
        if told or not e.row:
            yield e.row, told or NO_TIMES


def lexical_payloads(ledger: Ledger, rows: Collection[int]) -> Iterator[tuple[int, bytes]]:
    """Yield the words payloads of stored rows; that of the first says how they were read."""
    drafts = ledger.reader.drafts(ledger.store.episodes.read(ledger.bank, rows))
    places = {e.id: e.row for e in ledger.store.episodes.read(ledger.bank, rows)}
    for d in pausing(drafts):
        made = lexical_payload(
            d.text, occurred_at=d.occurred_at, speaker=d.speaker, source=d.source
        )
        yield places[d.id], made + (b"" if places[d.id] else READ_BY_LANGUAGE)


def phrase_payloads(ledger: Ledger, rows: Collection[int]) -> list[tuple[int, bytes]]:
    """Return the phrase payloads of stored rows; of what was erased there is none."""
    texts = ledger.reader.texts(rows)
    records = ledger.store.episodes.read(ledger.bank, list(texts))
    return [(e.row, phrase_payload(texts[e.row], e.speaker, e.role)) for e in pausing(records)]
