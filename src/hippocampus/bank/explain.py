"""Explaining a recall: what was read, proposed, weighed and decided, and why a memory lacks."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from datetime import UTC, datetime
from functools import cached_property
from itertools import chain
from typing import Any, Final, Unpack

import numpy as np

from hippocampus.bank.asking import Asking, Looked
from hippocampus.bank.filter_arguments import spell_out
from hippocampus.bank.part import BankPart, of_one_moment, staying
from hippocampus.bank.recall import Recaller
from hippocampus.core.arrays import Floats
from hippocampus.core.background_yield import answering
from hippocampus.core.clock import from_micros, in_zone, within_calendar
from hippocampus.core.cue_names import CUE_WORDS
from hippocampus.core.given_arguments import check_several
from hippocampus.core.records import (
    CueAccount,
    EpisodeRow,
    Explanation,
    Filters,
    MemoryAccount,
    OneOrMany,
    QuestionRead,
    Recall,
    Verdict,
    When,
    WordRead,
)
from hippocampus.engine.bank_state import BankState
from hippocampus.engine.snapshot import BankSnapshot
from hippocampus.errors import InputError, UnknownEpisode
from hippocampus.index.filters import Filter
from hippocampus.recall.confidence import least_found
from hippocampus.recall.evidence import rivalry
from hippocampus.recall.features import features

_NEXT: Final = 3
"""Candidates after the hits that are told of: they show by how little something was missed. Chosen
by hand."""
_EXCERPT: Final = 160
"""Characters of a memory, two lines of a terminal of 80: enough to know it again, and what is to be
read is the account. Chosen by hand."""
_MOST_ASKED: Final = 100
"""Ids of one call: each takes an account by every cue, with its place among all. Chosen by hand."""
_TINY: Final = 0.005
"""Part of a score that is not worth telling: rounded to two places it would be 0."""
_FOR_EVER: Final = datetime.max.replace(tzinfo=UTC)
_RANKING: Final = ("lexical", "vector", "signature")
"""Cues whose order of all memories is made for one that none proposed."""


class Explainer(BankPart):
    """The verb that explains a recall."""

    def __init__(self, state: BankState, recaller: Recaller) -> None:
        super().__init__(state)
        self._recaller = recaller

    @spell_out
    @answering()
    @staying
    @of_one_moment
    def explain(
        self,
        query: str,
        k: int = 10,
        *,
        ids: Collection[str] = (),
        now: When | None = None,
        cues: Sequence[str] | None = None,
        min_score: float = 0.0,
        include: OneOrMany | None = None,
        **filters: Unpack[Filters],
    ) -> Explanation:
        """
        Walk through a recall: the same hits as ``recall`` gives, and all that led to them.

        What the question was read as; which cue proposed what; what each signal gave to each of
        the best memories, and why the next ones, and those that a cue proposed in vain, are none of
        them; what was decided; how long each step took.

        Args:
            query: as for ``recall``.
            k: most hits, as for ``recall``.
            ids: memories of which to say why they are there, or are not.
            now: as for ``recall``.
            cues: as for ``recall``.
            min_score: as for ``recall``.
            include: as for ``recall``; then each cue and memory is told with its bank.
            **filters: what it may see; see below.

        Raises:
            UnknownEpisode: one of ``ids`` is none.
            InputError: a filter or argument that makes no sense.

        """
        if not isinstance(ids, str):
            check_several("ids", ids, of="ids of episodes")
        wanted = [ids] if isinstance(ids, str) else list(ids)
        if len(wanted) > _MOST_ASKED:
            raise InputError(f"ids: {len(wanted):,} of them; ask for at most {_MOST_ASKED} at once")
        seen: list[Looked] = []
        how = Asking(now, cues, min_score, include)
        found = self._recaller.answer(query, k, how, filters, seen.append)
        named = self._named(wanted, [one.here for one in seen])
        if not seen:  # it was of the time of an event that nothing tells of
            verdict = Verdict(found=False, confidence=0.0, least=0.0, note=found.note)
            read = QuestionRead(text=query, only=(f"during {filters.get('during')!r}",))
            return Explanation(
                recall=found, question=read, verdict=verdict, steps_s=found.cost.steps_s
            )
        if len(seen) == 1:
            return _Account(seen[0], found, min_score).explanation(named[0])
        accounts = [_Account(one, found, min_score, several=True) for one in seen]
        line = min((one.line for one in accounts if one.shown), default=None)
        every = np.sort(np.concatenate([one.trail.scored.scores for one in accounts]))[::-1]
        for one in accounts:
            one.line = one.line if line is None else line
            one.place_among(every)
        return _together([one.explanation(own) for one, own in zip(accounts, named, strict=True)])

    def _named(self, ids: Sequence[str], heres: Sequence[BankSnapshot]) -> list[list[EpisodeRow]]:
        """Return the rows of memories that are asked for, in the bank that has each."""
        named: list[list[EpisodeRow]] = [[] for _ in heres]
        with self._books() as ledger:
            ledgers = [here.ledger for here in heres] or [ledger]
            for one in ids:
                unknown: UnknownEpisode | None = None
                for at, books in enumerate(ledgers):
                    try:
                        row = books.reader.find(one, erased=True)
                    except UnknownEpisode as exc:
                        unknown = unknown or exc
                        continue
                    if named:
                        named[at].append(row)
                    break
                else:
                    assert unknown is not None, "there is one bank at least"
                    raise unknown
        return named


def _together(parts: Sequence[Explanation]) -> Explanation:
    """Put the accounts that several banks give of one recall into one."""
    own, found = parts[0], parts[0].recall
    hits = {one.id: one for part in parts for one in part.hits}
    left_out = sorted(
        (one for part in parts for one in part.left_out), key=lambda one: -one.ranking_score
    )
    best = next((hit.bank for hit in found.hits), "")
    of_best = (part for part in parts if best in {hit.bank for hit in part.hits})
    words: dict[str, WordRead] = {}
    for word in chain.from_iterable(part.question.words for part in parts):
        before = words.setdefault(word.word, replace(word, memories=0))
        words[word.word] = replace(before, memories=before.memories + word.memories)
    led_to: Counter[str] = Counter()
    for part in parts:
        led_to.update(part.led_to)
    return replace(
        own,
        question=replace(own.question, words=tuple(words.values())),
        cues=tuple(chain.from_iterable(part.cues for part in parts)),
        led_to=dict(led_to),
        hits=tuple(hits[hit.id] for hit in found.hits),
        left_out=tuple(left_out[: len(own.left_out)]),
        asked=tuple(chain.from_iterable(part.asked for part in parts)),
        verdict=next(of_best, own).verdict,
    )


class _Account:
    """Account of one recall, as far as it can be told."""

    def __init__(
        self, looked: Looked, found: Recall, min_score: float, *, several: bool = False
    ) -> None:
        self.here, self.query, self.chosen = looked.here, looked.query, looked.chosen
        self.shown, self.shows, self.trail = looked.rows, looked.shows, looked.ranking.trail
        self.contenders = looked.ranking.contenders
        self.subjects = looked.ranking.subjects
        self.found, self.min_score = found, min_score
        scored = self.trail.scored
        order = np.argsort(-scored.scores, kind="stable")
        self.ranked: list[int] = scored.rows[order].tolist()
        self.place = {row: at for at, row in enumerate(scored.rows.tolist())}
        self.rank = {row: at for at, row in enumerate(self.ranked, 1)}
        self.bank = looked.here.ledger.name if several else ""
        self.line = float(scored.scores[self.place[self.shown[-1]]]) if self.shown else 0.0
        """The ranking score of the last hit, of all banks that were asked together."""

    def place_among(self, scores: Floats) -> None:
        """Count places among the candidates of all banks, by their scores, the best first."""
        own = self.trail.scored
        places = np.searchsorted(-scores, -own.scores, side="left") + 1
        self.rank = dict(zip(own.rows.tolist(), places.tolist(), strict=True))

    def explanation(self, named: Sequence[EpisodeRow]) -> Explanation:
        """Put all of it together."""
        left_out = self._next()
        asked = [one.row for one in named]
        accounts = self._accounts({*self.shown, *left_out, *asked}, named)
        steps = dict(self.found.cost.steps_s) | dict(self.trail.steps_s)
        return Explanation(
            recall=self.found,
            question=self._question(),
            cues=tuple(self._cues()),
            led_to={by: len(rows) for by, rows in self.trail.led_to.items() if rows},
            hits=tuple(accounts[row] for row in self.shown),
            left_out=tuple(accounts[row] for row in left_out),
            asked=tuple(accounts[row] for row in asked),
            verdict=self._verdict(),
            steps_s=steps,
        )

    # ------------------------------------------------------------ the question

    def _question(self) -> QuestionRead:
        from hippocampus.recall.read_question import asks_for  # noqa: PLC0415 - not for a recall

        query = self.query
        lexical, weighed = self.here.index.cues.lexical, self.trail.asked.query
        worth = lexical.rarity(weighed.terms) * weighed.term_weights
        total = float(worth.sum()) or 1.0
        held = lexical.frequency(weighed.terms)
        place = {term: at for at, term in enumerate(weighed.terms.tolist())}
        words: dict[str, WordRead] = {}
        for one in query.words:
            at = place.get(one.hash)
            if at is not None and worth[at] > 0:
                text = query.spelled(one)
                words[text.casefold()] = WordRead(
                    word=text, share=float(worth[at]) / total, memories=int(held[at])
                )
        return QuestionRead(
            text=self.found.read_as or self.found.query,
            words=tuple(sorted(words.values(), key=lambda one: -one.share)),
            asks_for=tuple(asks_for(query)), speakers=tuple(sorted(query.speakers)),
            times=query.intervals, only=tuple(self._only()),
        )  # fmt: skip

    def _only(self) -> Iterator[str]:
        """Yield a phrase for each filter."""
        for name, value in self._filters():
            if name == "during":
                told = (
                    "..".join("" if end is None else self._moment(end) for end in pair)
                    for pair in value
                )
                yield f"during {', '.join(told)}"
            elif name in ("since", "until", "as_of"):
                yield f"{name} {self._moment(value)}"
            elif isinstance(value, frozenset):
                yield f"{name} {', '.join(sorted(value))}"
            else:
                yield name

    def _filters(self) -> Iterator[tuple[str, Any]]:
        for one in fields(self.chosen):
            if (value := getattr(self.chosen, one.name)) is not None:
                yield one.name, value

    def _moment(self, micros: int) -> str:
        moment = in_zone(within_calendar(micros) or _FOR_EVER, self.query.now.tzinfo)
        return f"{moment:%Y-%m-%d}" if not (moment.hour or moment.minute) else f"{moment:%F %H:%M}"

    # ------------------------------------------------------------ who proposed

    @cached_property
    def _proposed(self) -> dict[str, dict[int, int]]:
        """Return the place of each row among the proposals of each, by name."""
        by: dict[str, dict[int, int]] = {}
        for proposal in self.trail.proposals:
            own = by.setdefault(proposal.by, {})
            for at, row in enumerate(proposal.rows.tolist(), 1):
                own[row] = min(at, own.get(row, at))
        return by

    def _cues(self) -> Iterator[CueAccount]:
        weights, shown = self.trail.asked.fusion.weights, set(self.shown)
        timed: dict[str, set[int]] = {}
        for proposal in self.trail.proposals:
            if proposal.in_time:
                timed.setdefault(proposal.by, set()).update(proposal.rows.tolist())
        heard = [name for name in weights if name in self.trail.scored.parts]
        proposing = [name for name, rows in self._proposed.items() if rows]
        for name in dict.fromkeys((*proposing, *heard)):
            own = self._proposed.get(name, {}).keys()
            others = (rows.keys() for by, rows in self._proposed.items() if by != name)
            yield CueAccount(
                cue=name, weight=weights.get(name, 0.0) if name in heard else 0.0,
                proposed=len(own), in_time=len(timed.get(name, ())),
                alone=len(own - set().union(*others)), shown=len(own & shown), bank=self.bank,
            )  # fmt: skip

    def _next(self) -> list[int]:
        """Return the next candidates after the hits, and the best that each cue had in vain."""
        shown = set(self.shown)
        rest = [row for row in self.ranked if row not in shown]
        firsts = [
            next((row for row, at in rows.items() if at == 1), None)
            for by, rows in self._proposed.items()
            if by != "neighbours"
        ]
        vain = [row for row in firsts if row is not None and row not in shown and row in self.place]
        return list(dict.fromkeys([*rest[:_NEXT], *vain]))

    # ------------------------------------------------------------ memories

    def _accounts(
        self, rows: Collection[int], named: Sequence[EpisodeRow]
    ) -> dict[int, MemoryAccount]:
        state = {one.row: one for one in named}
        texts = {
            one.row: one.shown if one.episode.level else one.episode.text
            for one in self.here.ledger.reader.read(sorted(rows))
        }
        records = {
            one.row: one
            for one in self.here.ledger.store.episodes.read(self.here.ledger.bank, sorted(rows))
        }
        return {
            row: self._account(records.get(row, state.get(row)), texts.get(row, ""))
            for row in rows
            if row in records or row in state
        }

    def _account(self, record: EpisodeRow | None, text: str) -> MemoryAccount:
        assert record is not None, "one of the two has it"
        row, at = record.row, self.place.get(record.row)
        parts = self._parts(row)
        said = " ".join(text.split())
        return MemoryAccount(
            id=record.id,
            text=said if len(said) <= _EXCERPT else f"{said[: _EXCERPT - 1]}…",
            speaker=record.speaker,
            occurred_at=in_zone(from_micros(record.occurred_at), self.query.now.tzinfo),
            place=self.rank.get(row),
            shown=row in self.shown,
            ranking_score=0.0 if at is None else float(self.trail.scored.scores[at]),
            parts=parts,
            proposed_by={by: rows[row] for by, rows in self._proposed.items() if row in rows},
            words=tuple(self._words(row)),
            why=self._why(record, parts),
            bank=self.bank,
        )

    def _parts(self, row: int) -> dict[str, float]:
        at = self.place.get(row)
        if at is None:
            return {}
        parts = {name: float(part[at]) for name, part in self.trail.scored.parts.items()}
        told = {name: part for name, part in parts.items() if abs(part) >= _TINY}
        return dict(sorted(told.items(), key=lambda one: -abs(one[1])))

    def _words(self, row: int) -> list[str]:
        query, lexical = self.query, self.here.index.cues.lexical
        if row >= len(self.here.index):
            return []
        weighs = np.flatnonzero(query.term_weights > 0)
        there = lexical.matches(query, np.array([row], np.uint32))[0] > 0
        held = set(query.terms[weighs[there]].tolist())
        return list(dict.fromkeys(query.spelled(one) for one in query.words if one.hash in held))

    def _why(self, record: EpisodeRow, parts: Mapping[str, float]) -> str:
        row = record.row
        if row in self.shown:
            return self._there(row, parts)
        if (hidden := self._hidden(record)) is not None:
            return hidden
        if row not in self.place:
            return self._unproposed(row)
        if not self.shown and self.bank and self.found.hits:
            gap = self.line - float(self.trail.scored.scores[self.place[row]])
            return f"It is {max(gap, 0.0):.2f} behind the last hit, which is of another bank."
        if not self.shown:
            return f"No hit is good enough for min_score={self.min_score}."
        return self._behind(row, parts)

    def _there(self, row: int, parts: Mapping[str, float]) -> str:
        if row in self.query.leading.rows:
            return "It leads, for the question asks of the whole."
        best = [_word(name) for name, part in parts.items() if part > 0][:3]
        return f"It is there by {_listed(best)}." if best else "It is there for want of better."

    def _behind(self, row: int, parts: Mapping[str, float]) -> str:
        """Say by which signals a candidate lies behind the last hit."""
        last, scores = self.shown[-1], self.trail.scored.scores
        gap = self.line - float(scores[self.place[row]])
        if gap <= 0:
            below = f"its score is below min_score={self.min_score}" if self.min_score else ""
            return f"It ranks before the last hit; {below or 'a reranker'} put it behind."
        own = self._parts(last)
        apart = {n: parts.get(n, 0.0) - own.get(n, 0.0) for n in {*own, *parts}}
        worst = sorted((n for n in apart if apart[n] < -_TINY), key=apart.__getitem__)[:3]
        lacking = _listed([f"{_word(name)} ({apart[name]:+.2f})" for name in worst])
        return f"It is {gap:.2f} behind the last hit: less by {lacking}."

    def _hidden(self, record: EpisodeRow) -> str | None:
        """Say why a read may not see a memory; None if it may."""
        row, columns = record.row, self.here.index.columns
        if row >= len(columns):
            return "It was noted after this recall began."
        allowed = columns.mask(self.chosen)
        if allowed is None or allowed[row]:
            return None
        if record.state != "active" and self.chosen.as_of is None:
            return f"It is {record.state}, and not in force."
        names = [
            name
            for name, value in self._filters()
            if (alone := columns.mask(replace(_ALL, **{name: value}))) is not None
            and not alone[row]
        ]
        return f"Filters leave it out: {_listed(names)}."

    def _unproposed(self, row: int) -> str:
        """Say by what margin a memory fails to be proposed, by each cue that ranks all memories."""
        asked = self.trail.asked
        allowed = self.here.index.columns.mask(self.chosen)
        if asked.allowed is not allowed and asked.query.listing:
            return "It is not of the time that is asked for."
        seen = np.ones(len(self.here.index), np.bool_) if allowed is None else allowed
        rows = np.flatnonzero(seen).astype(np.uint32)
        told = []
        for name, feature in features(asked.fusion).items():
            if name not in _RANKING:
                continue
            column = feature(asked.cues, asked.query, rows)
            if column is None:
                continue
            own = float(column[int(np.searchsorted(rows, row))])
            place = 1 + int(np.count_nonzero(column > own))
            none = own <= 0 and name != "vector"
            proposed = len(self._proposed.get(name, ()))
            how = "not at all" if none else f"{place:,}. of {len(rows):,}"
            told.append(f"{how} by {_word(name)}, which proposed {proposed:,}")
        return f"Nothing proposed it: {_listed(told)}." if told else "Nothing proposed it."

    # ------------------------------------------------------------ the verdict

    def _verdict(self) -> Verdict:
        found, best = self.found, bool(self.shown)
        return Verdict(
            found=found.found, confidence=found.confidence,
            least=least_found(self.shows, models=self.here.calibrated.values.models),
            evidence={name: float(column[0]) for name, column in self.shows.items() if best},
            rival=rivalry(self.here.index, self.query, self.contenders, self.subjects),
            note=found.note,
        )  # fmt: skip


_ALL: Final = Filter()


def _word(name: str) -> str:
    return CUE_WORDS.get(name, name)


def _listed(words: Sequence[str]) -> str:
    """Return words as a sentence lists them."""
    *others, last = words or ("nothing",)
    return f"{', '.join(others)} and {last}" if others else last
