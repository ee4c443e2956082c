"""Modules by the names they had until 0.1: importing one warns, and gives today's, until 0.3."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
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


class _OldNames:
    """Finds modules that were moved, and loads what is there already, under its new name."""

    def find_spec(
        self,
        fullname: str,
        path: Sequence[str] | None,  # noqa: ARG002
        target: ModuleType | None = None,  # noqa: ARG002
    ) -> ModuleSpec | None:
        """Return the module's spec at its new place; None if it was not moved."""
        new = MOVED.get(fullname)
        if new is None:
            return None
        msg = f"{fullname} is {new} now; the old name goes with 0.3"
        warnings.warn(msg, DeprecationWarning, stacklevel=2)
        return ModuleSpec(fullname, cast("Loader", self), loader_state=import_module(new).__spec__)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the module, which has run."""
        return import_module(MOVED[spec.name])

    def exec_module(self, module: ModuleType) -> None:
        """Let the module say of itself what it said before it was found by its old name."""
        assert module.__spec__ is not None, "the machinery has just set it"
        module.__spec__ = module.__spec__.loader_state


def find_by_old_names() -> None:
    """Have moved modules found from now on; doing it again changes nothing."""
    if not any(isinstance(finder, _OldNames) for finder in sys.meta_path):
        # First, or what lies in a package that was moved would be loaded a second time.
        sys.meta_path.insert(0, _OldNames())
