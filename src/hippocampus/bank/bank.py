"""A bank: one memory, the unit of isolation. Its verbs belong to parts, a file each."""

from __future__ import annotations

from typing import Self

from hippocampus.bank.bulk import Bulk
from hippocampus.bank.commit import Committer
from hippocampus.bank.communities import Communities
from hippocampus.bank.counting import Counting
from hippocampus.bank.explain import Explainer
from hippocampus.bank.forgetting import Forgetting
from hippocampus.bank.inclusion import Inclusion
from hippocampus.bank.knowledge import Knowledge
from hippocampus.bank.lookup import Lookup
from hippocampus.bank.part import Verb
from hippocampus.bank.people import People
from hippocampus.bank.profile import Profiles
from hippocampus.bank.promotion import Promotion
from hippocampus.bank.recall import Recaller
from hippocampus.bank.session import Sessions
from hippocampus.bank.sleep import SleepVerbs
from hippocampus.bank.writes import Writes
from hippocampus.core.config import Policy
from hippocampus.engine.bank_state import BankState


class Bank:
    """
    One memory: the unit of isolation. Get one from ``Memory.bank``; safe to use from threads.

    Attributes:
        name: what it is called.
        state: its locks and its snapshot, for who looks inside.

    """

    def __init__(self, state: BankState) -> None:
        self.name = state.name
        self.state = state
        self._lookup = Lookup(state)
        self._knowledge = Knowledge(state)
        self._communities = Communities(state)
        self._people = People(state, self._knowledge)
        self._committer = Committer(state)
        self._writes = Writes(state, self._lookup, self._committer)
        self._bulk = Bulk(state, self._committer)
        self._forgetting = Forgetting(state)
        self._profile = Profiles(state, self._knowledge)
        self._recall = Recaller(state, self._lookup, self._knowledge, self._profile)
        self._sessions = Sessions(state, self._lookup, self._knowledge)
        self._counting = Counting(state, self._recall)
        self._explain = Explainer(state, self._recall)
        self._sleep = SleepVerbs(state)
        self._inclusion = Inclusion(state)
        self._promotion = Promotion(state)

    def __repr__(self) -> str:
        return f"Bank({self.name!r})"

    def __deepcopy__(self, _: object) -> Self:
        """Return the bank itself: a copy of what holds it is about the same memories."""
        return self

    remember = Verb("_writes", Writes.remember)
    remember_many = Verb("_writes", Writes.remember_many)
    correct = Verb("_writes", Writes.correct)
    forget = Verb("_forgetting", Forgetting.forget)
    restore = Verb("_forgetting", Forgetting.restore)
    compact = Verb("_forgetting", Forgetting.compact)

    export = Verb("_bulk", Bulk.export)
    import_ = Verb("_bulk", Bulk.import_)
    withdraw = Verb("_bulk", Bulk.withdraw)

    recall = Verb("_recall", Recaller.recall)
    context = Verb("_recall", Recaller.context)
    explain = Verb("_explain", Explainer.explain)

    get = Verb("_lookup", Lookup.get)
    reveal = Verb("_lookup", Lookup.reveal)
    expand = Verb("_lookup", Lookup.expand, lacks=True)
    episodes = Verb("_lookup", Lookup.episodes, lacks=True)
    sources = Verb("_lookup", Lookup.sources, lacks=True)
    sessions = Verb("_lookup", Lookup.sessions)
    review = Verb("_lookup", Lookup.review, lacks=True)
    find = Verb("_lookup", Lookup.find, lacks=True)
    count = Verb("_lookup", Lookup.count)
    trend = Verb("_lookup", Lookup.trend)
    count_events = Verb("_counting", Counting.count_events)
    history = Verb("_lookup", Lookup.history)
    journal = Verb("_lookup", Lookup.journal)
    stats = Verb("_lookup", Lookup.stats, lacks=True)
    position = Verb("_lookup", Lookup.position)

    summary = Verb("_knowledge", Knowledge.summary, lacks=True)
    gists = Verb("_knowledge", Knowledge.gists, lacks=True)
    anchors = Verb("_knowledge", Knowledge.anchors)
    facts = Verb("_knowledge", Knowledge.facts, lacks=True)
    entities = Verb("_knowledge", Knowledge.entities, lacks=True)
    people = Verb("_people", People.people, lacks=True)
    topics = Verb("_knowledge", Knowledge.topics, lacks=True)
    communities = Verb("_communities", Communities.communities, lacks=True)
    topic_outline = Verb("_knowledge", Knowledge.topic_outline)
    plot_topics = Verb("_knowledge", Knowledge.plot_topics)
    curate = Verb("_knowledge", Knowledge.curate)
    curated = Verb("_knowledge", Knowledge.curated)
    export_concepts = Verb("_knowledge", Knowledge.export_concepts)
    related = Verb("_knowledge", Knowledge.related, lacks=True)
    import_concepts = Verb("_knowledge", Knowledge.import_concepts)

    include = Verb("_inclusion", Inclusion.include)
    exclude = Verb("_inclusion", Inclusion.exclude)
    included = Verb("_inclusion", Inclusion.included)
    promote = Verb("_promotion", Promotion.promote)
    demote = Verb("_promotion", Promotion.demote)

    compact_session = Verb("_sessions", Sessions.compact_session, lacks=True)
    profile = Verb("_profile", Profiles.profile)
    set_profile = Verb("_profile", Profiles.set_profile)

    sleep = Verb("_sleep", SleepVerbs.sleep)
    undo = Verb("_sleep", SleepVerbs.undo)
    sleeps = Verb("_sleep", SleepVerbs.sleeps)
    sleep_if_due = Verb("_sleep", SleepVerbs.sleep_if_due)
    set_policy = Verb("_sleep", SleepVerbs.set_policy)
    pin = Verb("_sleep", SleepVerbs.pin)
    unpin = Verb("_sleep", SleepVerbs.unpin)
    hold = Verb("_sleep", SleepVerbs.hold)
    release = Verb("_sleep", SleepVerbs.release)
    quarantine = Verb("_sleep", SleepVerbs.quarantine, lacks=True)
    accept = Verb("_sleep", SleepVerbs.accept)
    feedback = Verb("_sleep", SleepVerbs.feedback)
    uses = Verb("_sleep", SleepVerbs.uses)
    note_recalls = Verb("_sleep", SleepVerbs.note_recalls)

    @property
    def policy(self) -> Policy:
        """Policy of this bank's sleep; the store's ``Config.policy`` unless it has its own."""
        return self._sleep.policy
