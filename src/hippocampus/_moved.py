"""Modules and their names as they were until 0.1: each warns, and gives today's, until 0.3."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import TYPE_CHECKING, Final, cast

if TYPE_CHECKING:
    from importlib.abc import Loader  # which would load tempfile, random, urllib and more

_PACKAGE: Final = __package__ or "hippocampus"
MOVED: Final = {
    f"{_PACKAGE}.{old}": f"{_PACKAGE}.{new}"
    for old, new in (
        line.split()
        for line in """
        _clock core.clock
        _courtesy core.background_yield
        _files core.files
        _joint core.group_commit
        _optional core.optional
        bank.core engine.bank_state
        bank.knowing bank.knowledge
        bank.looking bank.lookup
        bank.moving bank.bulk
        bank.recalling bank.recall
        bank.sleeping bank.sleep
        bank.writing bank.writes
        calibrate.learn calibrate.fit
        client.arguments verbs
        client.line client.transport
        client.threads core.threads
        client.verbs client.clients
        client.waiting core.threads
        config core.config
        core.capacity capacity
        encode.condense language.extractive_compression
        encode.details language.equivalence
        encode.embedders.cached encode.embed
        encode.entities language.entity_linking
        encode.fact_model language.statement_model
        encode.facts language.statements
        encode.given language.given_names
        encode.importance language.importance
        encode.indexing encode.random_indexing
        encode.models encode.model_files
        encode.naming language.alias_patterns
        encode.nouns language.nouns
        encode.opposed language.equivalence
        encode.phrase encode.token_matcher
        encode.phrases language.noun_phrases
        encode.relations language.relations
        encode.sounds language.phonetic
        encode.spellings language.gazetteer
        encode.tagging language.topic_tag_model
        encode.tags language.topic_tags
        encode.telling language.self_disclosure
        encode.when language.time
        encode.when.asks language.question_intent
        sources.agents.kept_words language.session_words
        encode.when.english language.time.english
        encode.when.grammar language.time.grammar
        encode.when.joins language.event_anchored
        encode.when.spans language.time.spans
        filters bank.filter_arguments
        hot engine.bank_cache
        index.allowed index.filters
        index.ascending index.sorted_sets
        index.base index.cue
        index.gist index.gists
        index.growing index.growable_array
        index.lexical index.bm25
        index.live index.bank_index
        index.meant index.anchor_search
        index.moments core.timestamps
        index.phrased index.phrase_codec
        index.tokens index.late_interaction
        index.under index.anchor_postings
        ingest write
        ingest.chunk write.chunking
        ingest.content journal.content
        ingest.gate write.echo_filter
        ingest.ledger journal.ledger
        ingest.prepare write.check
        ingest.rebuild engine.rebuild
        ingest.sources sources
        ingest.sources.base sources.base
        ingest.sources.chatgpt sources.chat_exports
        ingest.sources.claude sources.chat_exports
        ingest.sources.documents sources.documents
        ingest.sources.mail sources.mail
        ingest.sources.mcp_memory sources.memory_exports
        ingest.sources.mem0 sources.memory_exports
        ingest.sources.messages sources.messages
        ingest.sources.moments sources.timestamps
        ingest.sources.walk sources.walk
        ingest.transfer journal.transfer
        ingest.update write.file_import
        integrations._degradation_log integrations._recall
        integrations._lacks integrations._recall
        mcp.shapes mcp.schemas
        model core.records
        quotes core.quotes
        recall.called recall.alias_expansion
        recall.facts recall.fact_timeline
        recall.scale recall.standardize
        recall.sessions recall.session_ranking
        recall.spread recall.spreading_activation
        recall.told recall.current_facts
        recall.understand recall.parse
        server.answers server.response_cache
        server.arguments verbs
        server.door server.auth
        server.faults server.error_responses
        server.moving server.bulk
        server.pages server.pagination
        server.pools server.thread_pools
        server.watch server.observability
        sleep.artifact sleep.concept_document
        sleep.cycle sleep.artifacts
        sleep.night sleep.snapshot
        sleep.picture sleep.topic_plot
        sleep.retain sleep.capacity
        sleep.retention sleep.forgetting_policies
        sleep.value sleep.appraisal
        """.strip().splitlines()
    )
}
"""Old name -> new name."""

MOVED_NAMES: Final[dict[str, dict[str, str]]] = {}
"""Module -> a name that it had -> where that is now, with module and name."""

for _line in """
    calibrate.calibration Meaning calibrate.calibration.CalibratedNumber
    calibrate.trial Asked calibrate.trial.TrialQuestion
    calibrate.trial Said calibrate.trial.TrialTurn
    cli.chat Talk cli.chat.ChatSession
    cli.demo Question cli.demo.DemoQuestion
    cli.demo Remembered cli.demo.DemoImport
    cli.options Filters cli.options.FilterOptions
    cli.sleep Night cli.sleep.SleepOptions
    core.group_commit Joint core.group_commit.GroupCommit
    core.records Deed core.records.sleep.ActKind
    core.records Deeds core.records.SleepAct
    core.records JournalRow core.events.JournalRow
    encode.token_matcher Phrase encode.token_matcher.TokenPattern
    engine.bank_cache Hot engine.bank_cache.BankCache
    index.anchor_postings Settled index.anchor_postings.Collapsed
    index.anchor_postings Under index.anchor_postings.AnchorPostings
    index.anchor_search Meant index.anchor_search.AnchorSearch
    index.bank_index LiveIndex index.bank_index.BankIndex
    index.bm25 LexicalCue index.bm25.Bm25Cue
    index.concept Vectors index.concept.VectorReader
    index.cue Question index.query.Query
    index.filters Clause index.filters.Predicate
    index.growable_array Growing index.growable_array.GrowableArray
    index.late_interaction TokensCue index.late_interaction.LateInteractionCue
    integrations._records Entry integrations._records.RecordEntry
    integrations._records History integrations._records.RecordHistory
    journal.ledger Entry journal.reader.LedgerEntry
    language.event_anchored Join language.event_anchored.EventAnchoredTime
    language.gazetteer Said language.gazetteer.Mentions
    language.gazetteer Spellings language.gazetteer.Gazetteer
    language.statement_model Line language.statement_model.NumberedLine
    language.topic_tags Reading language.topic_tags.TagReading
    llm.ask Asked llm.ask.ModelReply
    llm.ask Question llm.ask.ModelTask
    llm.http Limits llm.http.RequestLimits
    mcp Door mcp.server.BackgroundOpener
    mcp.answers Answer mcp.schemas.ToolAnswer
    mcp.answers Shown mcp.answers.ShownMemory
    mcp.compat Entity mcp.compat.GraphEntity
    mcp.schemas Held mcp.schemas.BankStatus
    mcp.schemas Remembered mcp.schemas.MemoryEntry
    mcp.server Door mcp.server.BackgroundOpener
    mcp.server Server mcp.server.McpServer
    memory CUES core.cue_names.CUES
    memory Calibrated engine.context.Calibrated
    memory USED core.cue_names.USED
    proxy.conversations Place proxy.conversations.ConversationPlace
    proxy.conversations Talk proxy.conversations.Conversation
    proxy.memory Exchange proxy.memory.ChatExchange
    proxy.memory Recalled proxy.memory.ProxyRecall
    proxy.protocol Answer proxy.protocol.ChatAnswer
    proxy.protocol Asked proxy.protocol.ChatRequest
    proxy.protocol Said proxy.protocol.ChatMessage
    recall.alias_expansion OtherNames recall.alias_expansion.Aliases
    recall.confidence Model recall.confidence.LogisticModel
    recall.current_facts Asked index.query.AskedFact
    recall.current_facts Bearing recall.current_facts.FactResolver
    recall.session_ranking Sessions recall.session_ranking.SessionScores
    server.auth Door server.auth.Gatekeeper
    server.keys Key server.keys.ServerKey
    server.response_cache Answers server.response_cache.ResponseCache
    sleep.appraisal Value sleep.appraisal.Appraisal
    sleep.artifacts Curated core.records.CuratedAnchors
    sleep.facts Read sleep.facts.FactReading
    sleep.outcome History sleep.outcome.OutcomeHistory
    sleep.outcome Uses sleep.outcome.OutcomeUses
    sleep.snapshot Night sleep.snapshot.SleepSnapshot
    sleep.snapshot Shown sleep.snapshot.RecallShown
    sleep.snapshot Uses sleep.snapshot.RecallUses
    sleep.summary Clause sleep.summary.QuotableClause
    sleep.summary Kept sleep.summary.SummaryVersions
    sleep.summary Line sleep.summary.SummaryLine
    sleep.topics Answers sleep.topics.TagAnswers
    sleep.topics Turn sleep.topics.WindowTurn
    upkeep Place upkeep.ResiduePlace
    write.file_import Update write.source_update.Update
    """.strip().splitlines():
    _module, _old, _new = _line.split()
    MOVED_NAMES.setdefault(f"{_PACKAGE}.{_module}", {})[_old] = f"{_PACKAGE}.{_new}"


def warn_of_old_name(old: str, new: str, *, stacklevel: int = 1) -> None:
    """Warn that ``old`` is ``new`` now; ``stacklevel`` 1 is the caller of the one that warns."""
    msg = f"{old} is {new} now; the old name goes with 0.3"
    warnings.warn(msg, DeprecationWarning, stacklevel=stacklevel + 2)


class _OldNames:
    """Finds modules that were moved under their new names, and gives modules their old names."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return the spec of a module that was moved, or that has old names; None of others."""
        new = MOVED.get(fullname)
        if new is not None:
            warn_of_old_name(fullname, new)
            spec = import_module(new).__spec__
            return ModuleSpec(fullname, cast("Loader", self), loader_state=spec)
        spec = PathFinder.find_spec(fullname, path, target) if fullname in MOVED_NAMES else None
        if spec is not None:
            # Python's own loader runs the module; then this one has it answer to its old names.
            spec.loader_state, spec.loader = spec.loader, cast("Loader", self)
        return spec

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        """Return the module, which has run if it was moved."""
        if spec.name in MOVED:
            return import_module(MOVED[spec.name])
        return cast("Loader", spec.loader_state).create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        """Run a module that has old names; one that was moved says again what it said of itself."""
        spec = module.__spec__
        assert spec is not None, "the machinery has just set it"
        if spec.name in MOVED:
            module.__spec__ = spec.loader_state
            return
        module.__loader__ = spec.loader = cast("Loader", spec.loader_state)
        spec.loader_state = None
        module.__dict__["__getattr__"] = partial(_by_old_name, spec.name)
        spec.loader.exec_module(module)


def _by_old_name(module: str, name: str) -> object:
    """Return an object of a module by its old name, from its place of today."""
    new = MOVED_NAMES[module].get(name)
    if new is None:
        msg = f"module {module!r} has no attribute {name!r}"
        raise AttributeError(msg)
    warn_of_old_name(f"{module}.{name}", new)
    home, _, there = new.rpartition(".")
    found: object = getattr(import_module(home), there)
    return found


def find_by_old_names() -> None:
    """Have moved modules and old names found from now on; doing it again changes nothing."""
    if not any(isinstance(finder, _OldNames) for finder in sys.meta_path):
        # First, or what lies in a package that was moved would be loaded a second time.
        sys.meta_path.insert(0, _OldNames())
