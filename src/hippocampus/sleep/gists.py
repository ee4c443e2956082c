"""
Consolidation: the best of what is new, in clusters, a gist of each (HUMAN, section 4).

Who was once promoted stays so, and a cluster that stays about the same stays the same trace, so
that it can mature. Both are in the journal, by row; the texts and vectors of gists are made anew
from what there is. The episodes stay as they are: a gist is a second trace, beside them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Final, NamedTuple

import numpy as np

from hippocampus.core.arrays import Doubles, Floats, Rows
from hippocampus.core.background_yield import pausing
from hippocampus.core.clock import MICROS_PER_DAY
from hippocampus.core.events import Consolidated, SleepBegan
from hippocampus.core.lazy_dataclass import immutable
from hippocampus.core.records import Usage
from hippocampus.encode.tokens import count
from hippocampus.index.gists import Trace, Traces
from hippocampus.journal.draft import spoken
from hippocampus.journal.ledger import Ledger
from hippocampus.language.equivalence import say_about_the_same
from hippocampus.language.whole_sentences import whole_sentences
from hippocampus.llm.ask import ChatModel, Completer
from hippocampus.sleep.appraisal import Appraisal, near_ones
from hippocampus.sleep.importance import PROMOTED, tiers
from hippocampus.sleep.snapshot import SleepSnapshot
from hippocampus.sleep.summary import SENTENCE, have_worded, line_asked_for, short_name
from hippocampus.sleep.topics import BATCH

LEAST: Final = 3
"""Memories of a cluster of which a gist is made: of two either is a gist. Set by hand."""
MOST: Final = 24
"""Memories of a cluster: more were of one matter only by way of each other, up to a whole
conversation (docs/adr/0026). Set by hand."""
TOKENS: Final = 60
"""Most tokens of a gist (docs/adr/0026): as HEMA, section 3.7, has for a summary of one line."""
_PART: Final = 4
"""A gist has one in so many of its cluster's tokens: HUMAN's gist is a quarter (section 5, L3)."""
_ROOM: Final = 8
"""Tokens that even a gist of short memories may have: a sentence needs as many. Set by hand."""
_CLAUSE: Final = 5
"""Least tokens for which one more memory is quoted: in fewer nothing is said whole. Set by hand."""

GIST: Final = line_asked_for("gist", TOKENS)


class Noted(NamedTuple):
    """Notes of earlier nights in the journal: who was promoted, and traces, the last ones last."""

    promoted: frozenset[int]
    traces: tuple[tuple[int, tuple[int, ...]], ...]


@immutable
class Gisted:
    """Result of making gists; ``note``: the new part of it, for the journal, or None."""

    promoted: int
    made: int
    asked: int = 0
    fallbacks: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)
    note: Consolidated | None


def read_noted(ledger: Ledger) -> Noted:
    """Return the notes of earlier nights in the journal."""
    promoted: set[int] = set()
    traces: list[tuple[int, tuple[int, ...]]] = []
    for change in ledger.reader.events(Consolidated):
        promoted.update(change.event.promoted)
        promoted.difference_update(change.event.demoted)
        traces += [(made_at, tuple(rows)) for made_at, *rows in change.event.traces]
    return Noted(frozenset(promoted), tuple(traces))


def demote(ledger: Ledger, sleep: int) -> None:
    """Take back the promotions of a sleep, until another one promotes; in a transaction."""
    rows: set[int] = set()
    theirs = False
    for change in ledger.reader.events(SleepBegan, Consolidated):
        match change.event:
            case SleepBegan() as begun:
                theirs = begun.sleep == sleep
            case Consolidated() as noted:
                rows.difference_update(noted.demoted, () if theirs else noted.promoted)
                rows.update(noted.promoted if theirs else ())
    if rows:
        ledger.writer.note(Consolidated(promoted=[], traces=[], demoted=sorted(rows)))


def make_gists(
    snapshot: SleepSnapshot,
    noted: Noted,
    *,
    cluster: float,
    appraise: Callable[[], Appraisal],
    embed: Callable[[Sequence[str]], Floats],
    before: Traces | None = None,
    model: Completer | ChatModel | None = None,
    answered: dict[str, str] | None = None,
) -> tuple[Traces, Gisted]:
    """
    Make the gists of a bank, taking again what is as it was.

    Args:
        snapshot: the bank; it has vectors.
        noted: what earlier nights did.
        cluster: cosine above which two are of one matter, as calibrated.
        appraise: returns what every memory in force is worth; asked only if some may be promoted.
        embed: makes vectors of gists.
        before: what the last sleep kept.
        model: whom to have word the gists; where it fails sources are quoted.
        answered: of earlier tries of this sleep; those to this one are put there.

    """
    assert snapshot.vectors is not None, "the caller has seen that there are vectors"
    stands = _standing(snapshot)
    rows = promote(snapshot, {stands[row] for row in noted.promoted if row in stands}, appraise)
    vectors = snapshot.vectors(rows)
    places = find_clusters(vectors, cluster)
    known = {trace.rows: (trace, at) for at, trace in enumerate(before.traces if before else ())}
    own = _Known(noted, stands)
    traces: list[Trace] = []
    made: list[int] = []
    talks: list[list[str]] = []
    for group in pausing(places):
        members = tuple(rows[group].tolist())
        old = known[members][0] if members in known else None
        # What was quoted while no model answered is put to the model again.
        if old is None or (model is not None and not old.by_model):
            made.append(len(traces))
            texts = snapshot.texts(members)  # without what is being erased: then nothing is kept
            talks.append([spoken(snapshot.records[row].speaker, texts[row]) for row in texts])
        # The old text while its sources are the same, so that a gist outlasts their fading.
        text = old.text if old else _quoted(snapshot, members, vectors[group])
        days = old.days if old else 0
        by_model = old is not None and old.by_model
        traces.append(Trace(members, text, own.made_at(members, snapshot.now), days, by_model))
    asked, fallbacks, usage = 0, tuple[str, ...](), Usage()
    if model is not None:
        worded = have_worded(model, GIST, talks, {} if answered is None else answered)
        asked, fallbacks, usage = worded.asked, worded.fallbacks, worded.usage
        for place, line in zip(made, worded.lines, strict=True):
            if line:
                traces[place] = traces[place]._replace(text=line, by_model=True)
    traces = _recalled(snapshot, [trace for trace in traces if trace.text], stands)
    note = own.new(traces, rows, noted)
    report = Gisted(
        promoted=len(rows), made=len(made), asked=asked, fallbacks=fallbacks, usage=usage, note=note
    )
    there = {} if before is None else {t.text: before.vectors[at] for t, at in known.values()}
    missing = [trace.text for trace in traces if trace.text not in there]
    # At the precision in which they are kept, so that doing it again changes nothing.
    for start in range(0, len(missing), BATCH):
        some = missing[start : start + BATCH]
        fresh = embed(some).astype(np.float16).astype(np.float32)
        there |= dict(zip(some, fresh, strict=True))
    kept = np.array([there[trace.text] for trace in traces], np.float32)
    kept = kept.reshape(len(traces), vectors.shape[1])
    return Traces(traces=tuple(traces), vectors=kept, length=len(snapshot)), report


def promote(snapshot: SleepSnapshot, before: set[int], appraise: Callable[[], Appraisal]) -> Rows:
    """Return the rows of a bank that are consolidated: those that were, and then the best."""
    shown = np.flatnonzero(snapshot.material.shown)
    old = np.isin(shown, np.fromiter(before, np.int64, len(before)))
    policy = snapshot.policy
    # As ``tiers`` rounds: 0.2 of 15 is 3.
    if old.sum() >= int(policy.promote * len(shown) + 1e-9):
        return shown[old]
    # Above all others, so that only what they leave of the share goes to new ones.
    value: Doubles = np.where(old, np.inf, appraise().value)
    best = tiers(value, promote=policy.promote, prune=policy.prune) == PROMOTED
    rows: Rows = shown[old | best]
    return rows


def find_clusters(vectors: Floats, least: float) -> list[Rows]:
    """
    Return places that hang together by cosines of ``least`` and more, three to ``MOST`` of them.

    The nearest pairs are joined first, and no more once a cluster is full. Linear in rows, as the
    pairs are.
    """
    near, cosines = near_ones(vectors, len(vectors))
    one = np.broadcast_to(np.arange(len(vectors))[:, None], near.shape)
    there = np.asarray(vectors.any(axis=1))
    # Each pair comes twice, once from either side.
    joins = (near > one) & (cosines >= least) & there[one] & there[near]
    one, other, cosines = one[joins], near[joins], cosines[joins]
    above = list(range(len(vectors)))
    size = [1] * len(vectors)

    def top(place: int) -> int:
        while above[place] != place:
            # Halving the path keeps the next search short.
            above[place] = place = above[above[place]]
        return place

    # Equally near pairs by place, so that the same bank has the same clusters.
    order = np.lexsort((other, one, -cosines))
    for left, right in pausing(zip(one[order].tolist(), other[order].tolist(), strict=True)):
        low, high = sorted((top(left), top(right)))
        if low != high and size[low] + size[high] <= MOST:
            above[high] = low
            size[low] += size[high]
    groups: defaultdict[int, list[int]] = defaultdict(list)
    for place in range(len(vectors)):
        groups[top(place)].append(place)
    return [np.array(group) for group in groups.values() if len(group) >= LEAST]


def quote(said: Sequence[tuple[int, str, str]], total: int) -> str:
    """
    Return an extractive summary of memories of ``total`` tokens, in whole sentences of theirs.

    A quarter of them, or one sentence; empty where none can be quoted whole.

    Args:
        said: place in time, speaker and text of each, the most central one first; what it leaves
            room for is quoted of the next ones, unless they say the same.
        total: tokens of all.

    """
    room = min(TOKENS, max(_ROOM, -(-total // _PART)))
    chosen: list[tuple[int, str, str]] = []
    for at, who, text in said:
        left = room - count(_line(chosen)) - (count(f"{who}: ") if who else 0)
        if chosen and left < _CLAUSE:
            break
        # The first sentence may exceed the room: it is never cut, and there is at least one.
        most = left if chosen else max(left, SENTENCE)
        best = max(whole_sentences(text, most), key=lambda one: one.worth, default=None)
        made = "" if best is None else best.text
        if made and not any(say_about_the_same(made, other) for _, _, other in chosen):
            more = sorted([*chosen, (at, who, made)])
            if not chosen or count(_line(more)) <= room:
                chosen = more
    if not chosen:  # a short memory is quoted as it is, in whatever language
        whole = ((at, who, " ".join(text.split())) for at, who, text in said)
        chosen = [
            one for one in whole if any(map(str.isalnum, one[2])) and count(one[2]) <= SENTENCE
        ][:1]
    return _line(chosen)


def _line(said: Sequence[tuple[int, str, str]]) -> str:
    parts: list[str] = []
    last = None
    for _, who, text in said:
        parts.append(f"{who}: {text}" if who and who != last else text)
        last = who
    return "; ".join(parts)


def _quoted(snapshot: SleepSnapshot, rows: Sequence[int], vectors: Floats) -> str:
    order = np.argsort(-(vectors @ vectors.sum(axis=0)), kind="stable")
    texts, tokens = snapshot.texts(rows), snapshot.tokens(rows)
    central = [snapshot.records[rows[place]] for place in order.tolist()]
    # Rows of one moment follow each other as they were told.
    in_order = sorted(central, key=lambda e: (e.occurred_at, e.row))
    place = {e.row: at for at, e in enumerate(in_order)}
    said = [(place[e.row], short_name(e.speaker or ""), texts.get(e.row, "")) for e in central]
    return quote(said, sum(tokens.values()))


def _standing(snapshot: SleepSnapshot) -> dict[int, int]:
    """Return the row in force for each row, of those that have one."""
    stands: dict[int, int] = {}
    shown = snapshot.material.shown
    for e in pausing(snapshot.records):
        here, passed = e, set[int]()
        while here.state == "superseded" and here.superseded_by is not None:
            # A circle would never end, and a newer row is not of this snapshot.
            if here.row in passed or here.superseded_by >= len(snapshot):
                break
            passed.add(here.row)
            here = snapshot.records[here.superseded_by]
        if shown[here.row]:
            stands[e.row] = here.row
    return stands


class _Known:
    """Traces that rows were last part of, and when those were first made."""

    def __init__(self, noted: Noted, stands: Mapping[int, int]) -> None:
        self._traces = noted.traces
        self._of = {
            stands[row]: number
            for number, (_, rows) in enumerate(noted.traces)
            for row in rows
            if row in stands
        }
        self._size = Counter(self._of.values())

    def made_at(self, rows: Sequence[int], now: int) -> int:
        """Return when a cluster was made: with the trace that shares most of both, or now."""
        found = Counter(self._of[row] for row in rows if row in self._of)
        for number, both in found.most_common(1):
            # More than half of the union: at most one trace can have that, so no two become one.
            if 2 * both > len(rows) + self._size[number] - both:
                return self._traces[number][0]
        return now

    def new(self, traces: Sequence[Trace], promoted: Rows, noted: Noted) -> Consolidated | None:
        """Return the part of this that is to be noted; None if all of it is."""
        known = {self._traces[number] for number in self._size}
        rows = [row for row in promoted.tolist() if row not in noted.promoted]
        changed = [[t.made_at, *t.rows] for t in traces if (t.made_at, t.rows) not in known]
        return Consolidated(promoted=rows, traces=changed) if rows or changed else None


def _recalled(
    snapshot: SleepSnapshot, traces: Sequence[Trace], stands: Mapping[int, int]
) -> list[Trace]:
    """Return traces with the days since each was made on which a source of it was recalled."""
    owner = {row: at for at, trace in enumerate(traces) for row in trace.rows}
    # By the day, so that a burst of recalls matures a gist no more than one does.
    days = {
        (at, shown.at // MICROS_PER_DAY)
        for shown in snapshot.shown
        for at in {owner.get(stands.get(row, row), -1) for row in shown.rows} - {-1}
        if shown.at > traces[at].made_at
    }
    counts = Counter(at for at, _ in days)
    return [trace._replace(days=counts[at]) for at, trace in enumerate(traces)]
