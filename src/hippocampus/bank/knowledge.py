"""Knowing: what was made of what was said: summary, gists, facts, anchors and topics."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from hippocampus._moved import warn_of_old_name
from hippocampus.bank.filter_arguments import sees_all
from hippocampus.bank.inclusion import Inclusion
from hippocampus.bank.part import BankPart, staying
from hippocampus.core.background_yield import answering
from hippocampus.core.clock import from_micros, in_zone, to_micros
from hippocampus.core.config import Compact
from hippocampus.core.damage import note_unread
from hippocampus.core.events import AnchorsCurated
from hippocampus.core.given_arguments import as_path
from hippocampus.core.origin import OWN, least_trusted
from hippocampus.core.patience import patience_is_over
from hippocampus.core.records import (
    AnchorInfo,
    CuratedAnchors,
    Entity,
    EpisodeRow,
    Fact,
    Filters,
    Gist,
    OneOrMany,
    Recall,
    Related,
    Summary,
    SummaryPart,
    TopicInfo,
    Trusted,
    When,
)
from hippocampus.core.roles import MACHINE_ROLES
from hippocampus.core.timestamps import to_moment
from hippocampus.encode.tokens import count as count_tokens
from hippocampus.engine.snapshot import BankSnapshot
from hippocampus.errors import Cancelled, InputError, OverBudget, SourceError, UnknownBank
from hippocampus.index.anchors import Anchors
from hippocampus.index.cue import Mask
from hippocampus.index.filters import Filter
from hippocampus.index.gists import activation
from hippocampus.index.graph import Statements
from hippocampus.index.topic import TagGraph
from hippocampus.index.vector import VectorCue
from hippocampus.language.entity_linking import Same, canonical_name, fold_name, resolve
from hippocampus.language.time.given import moment_of
from hippocampus.sleep.artifacts import (
    ANCHORS,
    TOPICS,
    export_concepts,
    find_missing_phrases,
    gather,
    import_concepts,
    otherwise,
    quoting,
)
from hippocampus.sleep.curated_anchors import check_curated, check_sources, read_curated
from hippocampus.sleep.summary import (
    TAKEN_IN,
    QuotableClause,
    SummaryVersions,
    go_on,
    holds,
    rows_behind,
    tell,
)

if TYPE_CHECKING:
    from hippocampus.recall.fact_timeline import Known

_ME: Final = frozenset({"me", "i", "myself"})
_PIECE: Final = 64
"""Memories whose facts are read at a time: some tenths of a second."""
_MOST_QUOTED: Final = 8192
"""Rows whose quotable clauses are kept in memory: some 3 MB."""


def _traced(
    here: BankSnapshot, kept: SummaryVersions, shown: Mask, now: datetime, how: Compact
) -> Iterator[tuple[str, list[int], bool]]:
    """
    Yield the sentences of a model's words, each with the rows that it comes from.

    And whether these have its words; otherwise they are those that the model was shown for it.
    """
    from hippocampus.recall.provenance import (  # noqa: PLC0415 - not for a recall
        sentences_of,
        trace,
    )

    allowed = shown.copy()
    allowed[kept.rows :] = False  # the model was not shown these
    for sentence in sentences_of(kept.told):
        rows = trace(here.index, sentence, allowed, now)
        yield sentence, rows or rows_behind(kept, sentence, how), bool(rows)


class Knowledge(BankPart):
    """The verbs that tell the knowledge a bank has drawn from its memories."""

    @answering()
    def summary(self, session: str | None = None) -> Summary:
        """
        Return the bank, or one session, in a line: who, about what, and the latest of it.

        It is made of what ``sleep`` has kept of every hundred turns, in their own words or in a
        model's, and of what came since; of a session it is made as it is asked for. Empty where
        nothing was said.
        """
        if session is not None and (not isinstance(session, str) or not session):
            raise InputError(f"session={session!r}: name one session, or None for the whole bank")
        with self._state.asking() as here:
            return self._sum_up(here, session)

    def _sum_up(
        self, here: BankSnapshot, session: str | None, newest: int | None = None
    ) -> Summary:
        """Make a summary, of what sleep has not kept of the ``newest`` rows."""
        index, ledger, now = here.index, here.ledger, self._engine.now()
        # With the day: what is planned, and what has begun by now, is told as of today.
        memo = here.summaries
        asked = (index, session, newest, now.date())
        last = memo.last
        if last is not None and last[0] == asked:
            return last[1]
        how, kept = self._engine.config.compact, here.slept.summary
        if len(memo.quotable) > _MOST_QUOTED:
            memo.quotable.clear()
        with self._store.read():
            shown, read = index.columns.visible(), quoting(ledger, memo.quotable)
            told, since = "", 0
            turns = shown.sum()
            shown[otherwise(ledger, index)] = False
            shown &= ~index.columns.suspect
            if session is not None:
                chosen = self._filter({"session": session})
                mask = index.columns.mask(chosen)
                assert mask is not None, "whatever is asked for is not everything"
                turns, rows = mask.sum(), np.flatnonzero(mask)
                shown, kept = shown[rows], None
                read = partial(_read_of, read, rows)
            elif kept is not None and kept.told and holds(kept, shown):
                told, since = kept.told, kept.rows
            versions = go_on(shown, read, how, kept=kept, newest=newest)
            begun = [] if told or session is not None else self._begin_with(here, shown, now)
            zone = self._engine.zone
            line = tell(versions, how, told=told, since=since, known=begun, zone=zone)
            parts = [
                *(_traced(here, kept, shown, now, how) if kept and told else ()),
                *((clause.text, [clause.row], True) for clause in line.clauses),
            ]
            quoted = list(dict.fromkeys(row for _, own, _ in parts for row in own))
            known = {e.row: e for e in self._store.episodes.read(ledger.bank, quoted)}
        origins = [known[row].origin for row in line.rows]
        if told:  # the model was shown them all
            origins += index.columns.origins(np.flatnonzero(shown[:since]))
        made = Summary(
            bank=self.name, session=session, text=line.text, tokens=count_tokens(line.text),
            turns=int(turns), sources=tuple(known[row].id for row in quoted),
            by_model=bool(told), origin=least_trusted(origins),
            parts=tuple(
                SummaryPart(text=text, sources=tuple(known[row].id for row in own), said=said)
                for text, own, said in parts
            ),
            versions=() if newest is not None else tuple(
                version.told or tell([version], how, zone=zone).text for version in versions
            ),
        )  # fmt: skip
        memo.last = asked, made
        return made

    def _begin_with(self, here: BankSnapshot, shown: Mask, now: datetime) -> list[QuotableClause]:
        """Return the beginning of a summary: facts that sleep has read, and plans."""
        from hippocampus.sleep.summary_known import (  # noqa: PLC0415 - not for a recall
            PLANNERS,
            Planned,
            quote_plans,
            state_facts,
        )

        columns, ledger, zone = here.index.columns, here.ledger, self._engine.zone
        clauses = state_facts(self._facts_of_all(here), columns.speakers(), now)
        ahead = here.index.cues.time.after(now)
        ahead = ahead[shown[ahead]][-PLANNERS:].tolist()
        texts = ledger.reader.texts(ahead)
        planned = [
            Planned(e.row, e.occurred_at, e.speaker or "", texts[e.row])
            for e in self._store.episodes.read(ledger.bank, ahead)
            if e.row in texts and e.role not in MACHINE_ROLES
        ]
        return [*clauses, *quote_plans(planned, now, zone)]

    def _facts_of_all(self, here: BankSnapshot) -> list[Known]:
        """Return the facts that sleep has read, folded anew if other rows of it may be seen now."""
        read, columns, memo = here.slept.facts.known, here.index.columns, here.summaries
        now = to_micros(self._engine.now())
        rows, everything = read.numbers[read.numbers < len(columns)], Filter(suspect=False)
        seen = columns.mask(everything)
        shown = b"" if seen is None else seen[rows].tobytes()
        state = (
            len(rows), shown, columns.is_own(rows).tobytes(), columns.speakers(), read.ahead(now),
        )  # fmt: skip
        last = memo.facts
        if last is None or last[0] is not read or last[1] != state:
            last = memo.facts = read, state, self._fold(here, read, everything, now)[0]
        return last[2]

    def own_summary(self, filters: Filters) -> str:
        """Return the summary for a context: of all that it may see, or nothing."""
        session = filters.get("session")
        if not (session is None or isinstance(session, str)) or not sees_all(filters, "session"):
            return ""
        with self._state.asking() as here:
            return "" if here.slept.summary is None else self._sum_up(here, session, TAKEN_IN).text

    @answering()
    def gists(self) -> list[Gist]:
        """
        Return the gists of clusters of memories, the most mature first; none before a sleep.

        What was made of something that is not in force any more, or was corrected, is left out.
        """
        with self._state.asking() as here:
            return self._gists_of(here, here.index.columns.visible())

    def _gists_of(self, here: BankSnapshot, allowed: Mask) -> list[Gist]:
        """Return the gists all of whose sources may be seen, and stand; holds ``reading``."""
        index = here.index
        if index.gists is None:
            return []
        allowed[otherwise(here.ledger, index)] = False
        traces, how = index.gists.made.traces, index.gists.how
        mature = activation(traces, to_micros(self._engine.now()), how).tolist()
        there = np.flatnonzero(index.gists.alive(allowed)).tolist()
        rows = [row for place in there for row in traces[place].rows]
        known = {e.row: e for e in self._store.episodes.read(here.ledger.bank, rows)}
        return [
            Gist(
                text=traces[place].text, sources=tuple(known[row].id for row in traces[place].rows),
                origin=least_trusted(known[row].origin for row in traces[place].rows),
                made_at=from_micros(traces[place].made_at), activation=mature[place],
                silent=mature[place] < how.silent, by_model=traces[place].by_model,
            )
            for place in sorted(there, key=lambda place: -mature[place])
        ]  # fmt: skip

    def gists_of(self, found: Recall, most: int, filters: Filters) -> list[str]:
        """Return the mature gists of what was found, in the order of their first hits."""
        chosen = self._filter(filters)
        with self._state.asking() as here:
            allowed = here.index.columns.mask(chosen)
            seen = here.index.columns.visible()
            gists = self._gists_of(here, seen if allowed is None else seen & allowed)
        place = {hit.id: at for at, hit in enumerate(found.hits)}
        last = len(place)
        ranked = [
            (min(place.get(id_, last) for id_ in gist.sources), gist.text)
            for gist in gists
            if not gist.silent and (chosen.as_of is None or to_micros(gist.made_at) <= chosen.as_of)
        ]
        return [text for at, text in sorted(ranked) if at < last][:most]

    @staying
    def anchors(self, *, pruned: bool = False) -> list[AnchorInfo]:
        """
        Return the bank's anchors, the most salient first; none before the first ``sleep``.

        Args:
            pruned: those instead that sleep gave up and that are still spoken of, the last first.

        """
        from hippocampus.sleep.concepts import PRUNED_AFTER  # noqa: PLC0415 - not for a recall

        found = self._read_anchors()
        if found is None:
            return []
        if pruned:
            return [
                AnchorInfo(
                    name=one.name, kind=one.kind, salience=one.salience,
                    found_at=from_micros(one.found_at), weak=PRUNED_AFTER, strong=0, episodes=0,
                    ended_at=from_micros(one.ended_at) if one.ended_at else None, why=one.why,
                    into=one.into or None,
                )
                for one in found.pruned
                if self._shown(np.array(one.rows, np.int64)).any()
            ]  # fmt: skip
        origins = self._origins(found)
        listed = [
            AnchorInfo(
                name=name, kind=found.kind(place), salience=float(found.salience[place]),
                found_at=from_micros(int(found.found_at[place])), weak=int(found.weak[place]),
                strong=int(found.strong[place]),
                episodes=int(found.ends[place + 1] - found.ends[place]),
                origin=origins.get(place),
            )
            for place, name in enumerate(found.names)
            if found.kind(place) == "curated" or self._shown(found.naming(place)).any()
        ]  # fmt: skip
        return sorted(listed, key=lambda anchor: -anchor.salience)

    def _origins(self, found: Anchors) -> dict[int, str]:
        """Return the episodes that anchors were found in, as far as they are in force."""
        rows = {place: row for place, row in enumerate(found.origins) if row >= 0}
        with self._books() as ledger:
            there = ledger.store.episodes.read(ledger.bank, sorted(set(rows.values())))
        shown = self._shown(np.array([one.row for one in there], np.int64))
        ids = {one.row: one.id for one, is_shown in zip(there, shown, strict=True) if is_shown}
        return {place: ids[row] for place, row in rows.items() if row in ids}

    def _read_anchors(self) -> Anchors | None:
        with self._books() as ledger:
            return ANCHORS.read(ledger)

    def _shown(self, rows: NDArray[Any]) -> NDArray[np.bool_]:
        """Return a mask of the rows that are in force."""
        with self._state.asking() as here:
            shown: NDArray[np.bool_] = here.index.columns.visible()[rows]
        return shown

    @answering()
    @staying
    def facts(
        self,
        entity: str | None = None,
        relation: str | None = None,
        *,
        as_of: When | None = None,
        at: When | None = None,
        trust: Trusted | None = None,
        include: OneOrMany | None = None,
    ) -> list[Fact]:
        """
        Return the facts that the bank was told, past ones too; in order of subject and time.

        Args:
            entity: only facts of this one, or that name it, by any of its names; "me" is whoever
                says "I" here, if that is one person, and who spoke without a name.
            relation: only these, such as ``lives_in``.
            as_of: what the bank knew at that moment: nothing noted since, nothing taken back since.
            at: only what held at that moment, as far as is known.
            trust: only what episodes of this origin or a more trusted one say, or of one of these.
            include: that of ``recall``; ``Fact.bank`` says who was told.

        Raises:
            InputError: a name that is blank.
            InvalidTime: a time that cannot be read.

        """
        for name, value in (("entity", entity), ("relation", relation)):
            if value is not None and (not isinstance(value, str) or not value.strip()):
                raise InputError(f"{name}={value!r}: give a name, or leave it out for all")
        others = Inclusion(self._state).surely(include)
        if others:
            each = [self, *map(Knowledge, others)]
            told = [one.facts(entity, relation, as_of=as_of, at=at, trust=trust, include=())
                    for one in each]  # fmt: skip
            for one in each[1:]:
                one.warn_if_lacking()
            return sorted(chain(*told), key=lambda fact: (fold_name(fact.subject), fact.relation))
        moment = None if at is None else moment_of(at, self._engine.now(), name="at")
        held_at = None if moment is None else to_micros(to_moment(moment, self._engine.zone))
        chosen = self._filter({"as_of": as_of, "trust": trust})
        known, same, sources = self._known(chosen, held_at)
        wanted = None if entity is None else self._meant(entity, same)
        kept = [
            fact
            for fact in known
            if (relation is None or fact.relation == relation.strip().casefold().replace(" ", "_"))
            and (held_at is None or fact.holds(held_at))
            and (wanted is None or wanted & {fold_name(fact.subject), fold_name(fact.object)})
        ]
        kept.sort(key=lambda fact: (fold_name(fact.subject), fact.relation))  # and as first told

        def here(at: int) -> datetime:
            """Return a moment in the memory's zone, in which it may begin a day."""
            return in_zone(from_micros(at), self._engine.zone)

        return [
            Fact(
                subject=fact.subject, relation=fact.relation, object=fact.object,
                valid_from=None if fact.valid_from is None else here(fact.valid_from),
                valid_to=None if fact.valid_to is None else here(fact.valid_to),
                known_from=here(fact.known_from),
                known_to=None if fact.known_to is None else here(fact.known_to),
                sources=tuple(sources[row].id for row in fact.rows), denied=fact.denied,
                planned=fact.planned,
                origin=least_trusted(sources[row].origin for row in fact.rows), bank=self.name,
            )
            for fact in kept
        ]  # fmt: skip

    def _meant(self, entity: str, same: Mapping[str, Same]) -> set[str]:
        """Return the folded names of whom a name means."""
        from hippocampus.language.statements import (  # noqa: PLC0415 - not for a recall
            who_asks,
            who_speaks,
        )

        names = [entity]
        if entity.strip().casefold() in _ME:
            with self._state.asking() as here:
                names = [who_speaks(None, None), who_asks(here.index.columns.speakers())]
        return {fold_name(canonical_name(name, same)) for name in names if name}

    @answering()
    @staying
    def entities(self) -> list[Entity]:
        """Return the entities that facts are about, most facts first, and their other names."""
        known, same, _ = self._known(self._filter({}))
        of: dict[str, list[Known]] = {}
        for fact in known:
            of.setdefault(fact.subject, []).append(fact)
        aliases: dict[str, dict[str, str]] = {}
        for alias, (name, why) in same.items():
            aliases.setdefault(name, {})[alias] = why
        found = [
            Entity(
                name=name, aliases=aliases.get(name, {}), facts=len(facts),
                episodes=len({row for fact in facts for row in fact.rows}),
            )
            for name, facts in of.items()
        ]  # fmt: skip
        return sorted(found, key=lambda entity: (-entity.facts, entity.name))

    def _known(
        self, chosen: Filter, until: int | None = None
    ) -> tuple[list[Known], dict[str, Same], dict[int, EpisodeRow]]:
        """
        Return the facts that a read may see, whom names mean, and the rows that say so.

        What is planned up to now, or to ``until`` if that is later, counts as begun.
        """
        statements = self._read_facts()
        now = to_micros(self._engine.now()) if chosen.as_of is None else chosen.as_of
        with self._state.asking() as here:
            seen = replace(chosen, suspect=False)
            return self._fold(here, statements, seen, now if until is None else max(now, until))

    def _fold(
        self, here: BankSnapshot, statements: Statements, chosen: Filter, now: int
    ) -> tuple[list[Known], dict[str, Same], dict[int, EpisodeRow]]:
        """Fold the facts of rows that a read may see."""
        from hippocampus.recall.fact_timeline import Told, know  # noqa: PLC0415 - not for a recall

        columns, ledger = here.index.columns, here.ledger
        seen = columns.mask(chosen)
        speakers = columns.speakers()
        rows = [
            row for row in statements.rows
            if row < len(columns) and (seen is None or seen[row])
        ]  # fmt: skip
        with self._store.read():
            records = self._store.episodes.read(ledger.bank, rows)
        told = [
            Told(e.row, e.occurred_at, e.recorded_at, said, e.origin in OWN)
            for e in records
            if e.state != "erased"
            for said in statements.rows[e.row]
        ]
        same = resolve((one.statement for one in told), speakers)
        return know(told, same, now), same, {e.row: e for e in records}

    def _read_facts(self) -> Statements:
        """
        Return the facts so far, after reading the episodes since somebody last asked.

        Whoever would rather not wait is told what was read by then, and that there is more. That is
        kept, and so is what was read before somebody's budget was spent: the next call goes on.
        """
        while True:
            with self._state.asking() as here:
                before, total = here.slept.facts.known, len(here.index)
            made, further = before, self._read_piece(before)
            try:
                while further is not None:
                    made = further
                    further = None if patience_is_over() else self._read_piece(made)
            except (Cancelled, OverBudget):
                self._state.read_on(before, made)
                raise
            # unless somebody erased, or slept, in the meantime
            if made is before or self._state.read_on(before, made):
                # Of a damaged bank fewer are there than are known of, and all that are were read.
                if made.length < total and patience_is_over():
                    note_unread(self.name, "facts", made.length, total)
                return made

    def _read_piece(self, before: Statements) -> Statements | None:
        """Return facts with those of the next few episodes; None where all were read."""
        from hippocampus.language.statements import best_reader  # noqa: PLC0415 - not for a recall
        from hippocampus.sleep.facts import read_on  # noqa: PLC0415 - not for a recall

        with self._state.asking() as here:
            index, ledger = here.index, here.ledger
            with self._store.read():  # in use: or texts erased meanwhile might stay in memory
                every = self._store.episodes.scan(ledger.bank, start=before.length)
                there = (record for record in every if record.row < len(index))
                records = list(islice(there, _PIECE))
                texts = ledger.reader.texts([record.row for record in records])
        reader = self._engine.config.statements or best_reader()
        return read_on(before, records, texts, self._engine.zone, reader) if records else None

    @staying
    def topics(self) -> list[TopicInfo]:
        """Return the bank's tags, in order of name; none before the first ``sleep``."""
        graph = self._tag_graph()
        return [
            TopicInfo(
                name=tag.name, aliases=tuple(sorted(tag.aliases)),
                parents=tuple(sorted(tag.parents)), children=tuple(sorted(tag.children)),
                episodes=int(self._shown(tag.rows).sum()),
            )
            for tag in sorted(graph, key=lambda tag: tag.name)
        ]  # fmt: skip

    @staying
    def topic_outline(self) -> list[str]:
        """Return the tags as indented lines, the broad ones first."""
        from hippocampus.sleep.topic_plot import outline  # noqa: PLC0415 - not for a recall

        return outline(self._tag_graph())

    @staying
    def plot_topics(self, path: str | Path, *, overwrite: bool = False) -> None:
        """Draw the topics; until 0.3, for ``hippocampus.plot_topics``."""
        from hippocampus.sleep.topic_plot import plot_topics  # noqa: PLC0415 - not for a recall

        new = "hippocampus.plot_topics(bank.topics(), …)"
        warn_of_old_name("Bank.plot_topics", new, stacklevel=3)
        plot_topics(self.topics(), path, overwrite=overwrite)

    def _tag_graph(self) -> TagGraph:
        """Return the tags of what is in force, and those above them."""
        with self._books() as ledger:
            found = TOPICS.read(ledger)
        graph = TagGraph() if found is None else found.graph
        seen = {tag.name for tag in graph if self._shown(tag.rows).any()}
        seen |= set(graph.expand(seen, up=len(graph)))
        for name in {tag.name for tag in graph} - seen:
            graph.remove(name)
        return graph

    @answering()
    @staying
    def curated(self) -> CuratedAnchors:
        """Return the curation of this bank's anchors, as given to ``curate``."""
        with self._books() as ledger:
            return read_curated(ledger)

    def curate(
        self,
        *,
        add: Collection[str] = (),
        deny: Collection[str] = (),
        remove: Collection[str] = (),
        sources: Collection[str] | None = None,
    ) -> None:
        """
        Set anchors that shall be, anchors that shall never be, and the sources they may lead to.

        Args:
            add: words or phrases that are anchors from the next ``sleep`` on, and never pruned.
            deny: that call nothing up any more, and are none, however salient.
            remove: of which neither is said any more.
            sources: the only ones that anchors lead to from now on, by name (CONCEPT, section
                4.9); instead of those of ``Config.concepts``. Empty: those again.

        Raises:
            InputError: a name that is blank, longer than 100 characters, or both wanted and not; a
                source that is blank.
            SecretRefused: a name holds a secret, and ``Secrets.write`` is not "keep".

        """
        said = {"add": add, "deny": deny, "remove": remove}
        names = check_curated(said)
        check_sources(sources or ())
        if not names and sources is None:
            return
        self._check_secrets(said)
        gate = self._engine.secret_gate
        kept = [gate.label("sources", one) for one in sources or ()]
        only = None if sources is None else tuple(dict.fromkeys(kept))
        told = AnchorsCurated(add=tuple(add), deny=tuple(deny), remove=tuple(remove), sources=only)
        with self._state.changing():
            self._once(lambda ledger: ledger.writer.note(told))

    def _check_secrets(self, said: Mapping[str, Collection[str]]) -> None:
        """Refuse names of anchors that hold a secret, but for those that are there already."""
        if self._engine.config.secrets.write == "keep":
            return
        known: set[str] = set()
        with suppress(UnknownBank), self._books() as ledger:
            curated, made = read_curated(ledger), ANCHORS.read(ledger)
            known = {*curated.wanted, *curated.denied, *(made.names if made is not None else ())}
        for name, given in said.items():
            self._engine.secret_gate.names(name, given, known)

    def export_concepts(self, path: str | Path, *, overwrite: bool = False) -> int:
        """
        Write the concept index as JSON (CONCEPT, section 4.4); returns how many anchors.

        ``overwrite``: whether it may replace a file; see ``export``.

        Raises:
            InputError: the bank has not slept, so there is none.
            OutputExists: there is such a file, or a store.

        """
        from hippocampus.core.files import writing  # noqa: PLC0415 - not for a recall

        engine = self._engine
        with self._books() as ledger:
            anchors = ANCHORS.read(ledger)
            used = engine.fingerprint(ledger.bank)
            if anchors is None or used is None:
                raise InputError(f"bank {self.name!r} has no concept index; sleep makes one")
            document = export_concepts(ledger, anchors, model=used.name, now=engine.now())
        if engine.config.secrets.show == "redact":
            from hippocampus.sleep.concept_document import (  # noqa: PLC0415 - not for a recall
                hide_secrets,
            )

            document = hide_secrets(document, engine.secret_finder)
        written = json.dumps(document, ensure_ascii=False, indent=1)
        with writing(path, overwrite=overwrite) as unfinished:
            unfinished.write_text(written + "\n", encoding="utf-8", newline="\n")
        return len(document["entries"])

    def related(self, id: str) -> list[Related]:  # noqa: A002
        """
        Return the episodes that say the same as one, say something of it, or are near it.

        None are known before the first ``sleep``. First what it has merged, or what stands for it,
        and what was said of it soon after its recall, in order of the noting; then what anchors
        have found in force. What says the same keeps its address: a hit's aliases are here.

        Raises:
            UnknownEpisode: the bank has no such id, or it was erased.

        """
        with self._state.asking() as here:
            cues = here.index.cues
            with self._books() as ledger:
                row = ledger.reader.find(id).row
                told = ledger.lineage.beside(row)
                under = [] if cues.concept is None else cues.concept.beside(row)
                cosines = _cosines(cues.vector, row, list(told))
                found = [
                    *((other, how, cosines[other]) for other, how in told.items()),
                    *(one for one in under if one[0] not in told),
                ]
                read = ledger.reader.read([row for row, _, _ in found])
                times = self._told(here.index)
                there = {entry.row: entry.dated(times) for entry in read}
        return [
            Related(episode=there[other], how=how, cosine=cosine)
            for other, how, cosine in found
            if other in there and (there[other].state == "active" or other in told)
        ]

    @staying
    def import_concepts(self, path: str | Path) -> int:
        """
        Use a concept index written by ``export_concepts``, or edited since; returns its anchors.

        The next ``sleep`` chooses anew; what is to stay is said with ``curate``.

        Raises:
            InputError: it is none, or does not fit the bank; nothing was changed.
            SecretRefused: a name holds a secret, and ``Secrets.write`` is not "keep".

        """
        from hippocampus.core.files import read_bytes  # noqa: PLC0415 - not for a recall
        from hippocampus.sleep.concept_document import (  # noqa: PLC0415 - not for a recall
            anchor_names,
            parse,
        )

        engine = self._engine
        file = as_path("path", path)
        try:
            document = parse(read_bytes(file))
        except SourceError:
            raise
        except OSError as exc:
            raise SourceError(f"cannot be read ({exc.strerror})", path=path) from exc
        except (ValueError, RecursionError) as exc:
            raise SourceError(f"not JSON ({exc})", path=path) from exc
        self._check_secrets({"entries": anchor_names(document)})
        if engine.embedder is None:
            msg = "a concept index is read with the embedder that made it; open the store with one"
            raise InputError(msg)
        ledger = engine.ledger(self.name)
        find_missing_phrases(ledger, engine.zone)
        with self._state.asking() as here:
            gathered = gather(ledger, here.index)
        count = import_concepts(
            ledger, gathered, document, engine.embedder, engine.config.concepts,
            now=to_micros(engine.now()),
        )  # fmt: skip
        # The index is brought up here, and not by whoever asks next.
        with self._state.asking():
            return count


def _cosines(vectors: VectorCue | None, row: int, others: Sequence[int]) -> dict[int, float]:
    """Return the cosine of each of some rows with one row; 0 without vectors."""
    if vectors is None or not others:
        return dict.fromkeys(others, 0.0)
    (vector,) = vectors.vectors(np.array([row]))
    near = vectors.cosines(vector, np.array(others, np.uint32))
    return dict(zip(others, near.tolist(), strict=True))


def _read_of(
    read: Callable[[Sequence[int]], Iterable[QuotableClause | None]],
    rows: NDArray[np.int64],
    places: Sequence[int],
) -> Iterable[QuotableClause | None]:
    """Return the texts to be quoted of the rows at some places."""
    return read(rows[np.array(places, np.int64)].tolist())
