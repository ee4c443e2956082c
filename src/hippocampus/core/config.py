"""Every default, its unit, and where it comes from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, field, fields, replace
from typing import Annotated, Any, Final, Literal, NamedTuple, TypeAlias

from msgspec import Meta

from hippocampus.core.constraints import Cosine, Share, Span, check
from hippocampus.core.lazy_dataclass import immutable
from hippocampus.core.renamed import renamed
from hippocampus.core.time_zones import time_zone
from hippocampus.errors import InputError


class Cosines(NamedTuple):
    """
    Cosines from which on an embedder means something; the defaults are the default one's.

    Each is a percentile, found on conversations that were made up (``docs/adr/0017``), so it is
    another number for another embedder, and means the same.
    """

    theta: float = 0.28
    """Least cosine of an anchor and an episode listed under it: the 99th percentile of the cosines
    of anchors and episodes about other things."""
    sem_theta: float = 0.41
    """Least cosine of a question and an anchor that it means: the 99.9th percentile of the cosines
    of questions and anchors they do not mean; so high because a bank has hundreds of anchors."""
    related: float = 0.72
    """Least cosine of two related turns: the 99th percentile of pairs in a conversation."""
    near: float = 0.91
    """Two turns that say the same: above ``related``, and above 99 in 100 pairs that say of one
    thing what the other says of another, in the same words."""
    interference: float = 0.65
    """Least cosine of two confusable turns: the 90th percentile of pairs in a session."""
    cluster: float = 0.69
    """Two turns of one matter: above 19 in 20 pairs of a session. The paper gives 1 minus that,
    as a distance."""


_COSINES = ("theta", "sem_theta", "near", "related")
"""Those that ``Concepts`` may give."""


@immutable
class Ingest:
    """Settings of writing: how texts are cut and gated."""

    max_text_bytes: Annotated[int, Meta(ge=1)] = 16 * 1024 * 1024
    """Most UTF-8 bytes of one text. A larger one is a file: split it or import it as one."""
    chunk_tokens: Annotated[int, Meta(ge=1)] = 256
    """Longest episode in tokens; longer turns and documents are split at sentences. As many word
    pieces the default embedder takes at a time (docs/adr/0002)."""
    batch: Annotated[int, Meta(ge=1)] = 512
    """Episodes per transaction in ``remember_many``. Chosen by hand."""
    echo_words: Annotated[int, Meta(ge=1)] = 5
    """Shortest recalled text, in words, that is recognised when it comes back bare: "yes", said
    twice, is two things (docs/adr/0006). Chosen by hand."""
    seal_rows: Annotated[int, Meta(ge=1)] = 2048
    """Tail rows that are sealed into one block (docs/adr/0012). Chosen by hand."""

    def __post_init__(self) -> None:
        check(self)


_Whole: TypeAlias = Annotated[int, Meta(ge=0)]
_SignalWeight: TypeAlias = Annotated[float, Meta(ge=-1000.0, le=1000.0)]
"""Of a signal, in standard deviations; below 0 it counts against."""
_Scale: TypeAlias = Annotated[float, Meta(gt=0.0, le=1e9)]
"""Distance over which something falls to 1/e, in the unit that the setting's name ends with."""

# Of the default embedder; of others, times what theirs tells beside words (docs/adr/0017). They are
# round numbers in a flat region, and no optimum (docs/adr/0003).
TOKENS: Final = 2.0  # fixed first; the other weights were tried beside it
VECTOR: Final = 0.3  # a fit on made-up questions gave .24 beside tokens at 2, and was not taken


@renamed(
    {
        "reach": "neighbour_reach",
        "crowding": "length_penalty",
        "asker": "addressee",
        "telling": "self_disclosure",
        "deed": "first_person_deed",
        "named": "named_entities",
        "lent": "spreading_share",
        "explained": "explained_weight",
        "called": "anchor_candidates",
        "association": "session_association",
        "lean_tokens": "context_decay_tokens",
        "before": "previous_turn",
        "after": "next_turn",
    }
)
@immutable
class Fusion:
    """
    Weights and scales by which the cues' answers become one ranking.

    Weights are in standard deviations of each cue over the candidates of a question; see
    ``docs/adr/0003-fusion.md`` for what was tried. They are round numbers in a flat region. The
    data on which they were chosen are the development halves, so judge them on others.
    """

    candidates: Annotated[int, Meta(ge=1)] = 400
    """Episodes that are scored by every cue. A bank with fewer is scored whole. With 300 LoCoMo's
    recall@20 was .891 instead of .894 (docs/adr/0003)."""
    neighbour_reach: _Whole = 60
    """Best proposals, of all cues together, whose neighbouring turns become candidates. With 30
    LoCoMo's recall@20 fell by .002, and 120 found no more (docs/adr/0003)."""
    tokens: _SignalWeight | None = None
    """None: as calibrated for the embedder; 2 for the default one."""
    lexical: _SignalWeight = 0.5
    """Weight of BM25 over words. At 0.7 it found fewer turns of LongMemEval (docs/adr/0003)."""
    vector: _SignalWeight | None = None
    """None: as calibrated for the embedder; 0.3 for the default one."""
    signature: _SignalWeight = 0.3
    """Weight of signatures of words, where a store is signed (DWM, section 3.2). From 0.1 to 0.5
    LoCoMo's recall@10 moves by .005 beside the default cues (docs/adr/0013)."""
    topic: _SignalWeight = 0.1
    """Weight of sharing a topic with the question. With 0.2 and more LoCoMo's MRR fell, and nothing
    was gained that is sure (docs/adr/0015)."""
    previous_turn: _SignalWeight = 0.3
    """Part of the previous turn's score that counts towards a turn."""
    next_turn: _SignalWeight = 0.2
    """Part of the next turn's score that counts towards a turn."""
    session: _SignalWeight = 0.7
    """Part of its session's support, the mean of its two best scores, that counts towards a turn:
    a session that answers twice is what the question is about. Less the longer the candidates are,
    for in long turns it hurts (docs/adr/0003)."""
    several: Annotated[float, Meta(ge=0, le=1000)] = 0.5
    """Factor on ``session`` where several things are asked for: each has a session of its own, and
    the mates of the best one speak on of the same (docs/adr/0063)."""
    alike: Annotated[float, Meta(ge=0, le=1000)] = 0.5
    """Weight of nearness in meaning to the best hits together, where several things are asked for
    (docs/adr/0063)."""
    feedback: Annotated[float, Meta(ge=0, le=1000)] = 0.0
    """Weight of the rare words that several of the best hits share and the question lacks: what has
    all of them gains so many standard deviations. For talk in which a matter is taken up again and
    again; see the page on HEMA."""
    context_decay_tokens: _Scale = 100.0
    """Length in tokens at which a turn's share of its neighbours' scores has fallen to 1/e, and, as
    the candidates' mean length, its session's: a long turn speaks for itself."""
    long_tokens: _Scale = 64.0
    """Tokens from which a text's length is held against its best matches."""
    length_penalty: _SignalWeight = 0.04
    """Penalty, as a cosine, for each e-fold of length past ``long_tokens``: the more tokens, the
    better the best of them matches anything."""
    span: Annotated[float, Meta(ge=0, le=1)] = 0.0
    """Share in the match of a text's best span, as against that of the whole text, with the
    question's tokens. In stores that note spans; see ``Config.spans``."""
    span_tokens: Annotated[int, Meta(ge=2, le=10_000)] = 24
    """Length of a span, in tokens of the text."""
    speaker: _SignalWeight = 2.0
    """Weight of turns of the speaker whom the question names."""
    user: _SignalWeight = 0.5
    """Weight of the user's turns: people mostly ask for what they said of themselves."""
    addressee: _SignalWeight = 1.0
    """Weight of the role that the question means: the user's turns at "I", the assistant's at
    "you". It was 1.5 until telling of oneself had a weight of its own (docs/adr/0003)."""
    quoting: _SignalWeight = 3.0
    """Weight of the assistant's turns where the question asks for what it said ("what did you
    suggest?"; docs/adr/0062)."""
    self_disclosure: _SignalWeight = 2.5
    """Weight of a turn in which the person asked about, by name or as "I", tells of themself: 2 and
    3 were about as good (docs/adr/0003)."""
    standing: _Whole = 5
    """Standing wishes (preferences, bans, rules) that come right after the best hits where the
    question asks for advice, however few of its words they have (docs/adr/0050)."""
    first_person_deed: _SignalWeight = 0.5
    """Weight of a deed told in the first person: "we went", "I bought" (docs/adr/0019)."""
    only_asking: _SignalWeight = 2.0
    """Cost of a turn that only asks: it may be the same question, and is no answer. Nothing in
    LoCoMo moves by it, and preferences stay found (docs/adr/0050)."""
    introduction: _SignalWeight = 3.0
    """Weight of the first turn that names somebody whom the question asks to have explained
    ("who is Ms Oduya?"; docs/adr/0062)."""
    telling_when: _SignalWeight = 1.0
    """Weight of a told time where the question asks for one (docs/adr/0062)."""
    tells_of_now: _SignalWeight = 1.0
    """Gain of the best hits that say that it is so from now on, where the question asks for what
    holds now (docs/adr/0062)."""
    novelty: _SignalWeight = 0.8
    """Weight of words that the bank had not heard before: who says something new says more than who
    answers "that sounds great". With a deed's, +.015 (.006 to .025) of LoCoMo's recall@5
    (docs/adr/0019)."""
    named_entities: _SignalWeight = 0.5
    """Weight of naming people, places and things other than the participants, where somebody is
    asked about by name: at any question it cost LongMemEval's MRR .02 and .03 (docs/adr/0022)."""
    spreading: Literal["hops", "pagerank"] = "hops"
    """Way in which names in the best hits lead on: two rounds, from what is best then, or as far as
    a random walk comes that goes home every other step (docs/papers/human.md)."""
    spreading_share: _SignalWeight = 0.7
    """Share of a best hit's score by words that spreads to episodes with a rare name in that hit
    (docs/adr/0019); 0 switches spreading off. With 1 more chains were found, and the first hit was
    less often right: MRR .905 instead of .978."""
    time: _SignalWeight = 2.0
    """Weight of lying wholly in the time the question names; in part, so much less. People speak of
    June in July: to cut there found .811 instead of .835 of LoCoMo's turns (docs/adr/0003)."""
    within: _SignalWeight = 2.0
    """Further weight of lying in that time by a fifth at least."""
    latest: _SignalWeight = 2.0
    """Weight of being the latest of the candidates when the question asks for the latest: as of a
    time that is named (docs/adr/0018). The earliest gets none of it."""
    currency: Annotated[float, Meta(ge=0, le=1000)] = 3.0
    """Lead, in standard deviations, that a newer hit makes up where the question asks for what
    holds now, or an older one where it asks for what was before: so much if they have no rare word
    in common, up to 8 if they share a sixth of them; 0 switches it off (docs/adr/0057)."""
    outcome: _SignalWeight = 1.0
    """Weight of having helped often, or cost of not having; three quarters of that for once.
    By taste: no benchmark has feedback."""
    concept: _SignalWeight = 4.0
    """Weight of being about what the question calls up; 2 and 8 find about as much
    (docs/adr/0016)."""
    gist: _SignalWeight = 0.0
    """Weight of a source of a mature gist that the question means; see ADR 26."""
    explained_weight: _SignalWeight = 0.5
    """Factor on the weight of words that only name an anchor the question activates: a chunk about
    the glacier paper need not say so again (docs/adr/0016)."""
    empty_weight: _SignalWeight = 0.25
    """Factor on the weight of words and meaning of a question that has no content of its own,
    "catch me up", where something is active that it can be about (docs/adr/0064)."""
    anchor_candidates: _Whole = 200
    """Episodes nearest to the activated anchors that become candidates beside the others
    (docs/adr/0016)."""
    sessions: _Whole = 96
    """Best sessions that are ranked among themselves. 128 find no more, and 64 less of RealMem's,
    .575 instead of .581 (docs/adr/0011, which has all that follow)."""
    session_association: _SignalWeight = 1.0
    """Weight of a session's nearness in topic to the best sessions, in standard deviations of that
    nearness; the session's best turn counts 1. From 0.7 to 1.3 little changes."""
    best_within: _Scale = 0.3
    """Distance below the best at which a session's share in what "the best are about" is 1/e."""
    recency: _SignalWeight = 0.5
    """Weight of a session that was spoken in just now. With 0.3 and 0.7 RealMem was the same."""
    recent_days: _Scale = 14.0
    """Days in which that has fallen to 1/e."""

    def __post_init__(self) -> None:
        check(self)

    @property
    def weights(self) -> dict[str, float]:
        """The cues' weights by name."""
        return {
            "tokens": TOKENS if self.tokens is None else self.tokens,
            "lexical": self.lexical,
            "vector": VECTOR if self.vector is None else self.vector,
            "signature": self.signature,
            "topic": self.topic,
            "graph": 1.0,
        }

    def heard(self, hearing: float) -> Fusion:
        """Return this for an embedder that tells ``hearing`` times what the default one does."""
        return replace(
            self,
            tokens=TOKENS * hearing if self.tokens is None else self.tokens,
            vector=VECTOR * hearing if self.vector is None else self.vector,
        )


@immutable
class Signatures:
    """
    Signatures of tokens for a search without an embedder (DWM, section 3.3 and appendix F).

    A store records these, ``radius`` apart, and refuses others. What the defaults come from:
    ``docs/adr/0013-signatures-without-an-embedder.md``.
    """

    form: Literal["top", "planes"] = "planes"
    """``top``: the signs of a token's own largest components, as in section 3.3. ``planes``: the
    sides of random hyperplanes it is on, as in appendix F."""
    components: Annotated[int, Meta(ge=8, le=65536)] = 1024
    """Of the space in which tokens have random vectors, called D."""
    nonzeros: Annotated[int, Meta(ge=2, multiple_of=2)] = 8
    """Components of a token's vector that are not 0, called t. The form ``top`` needs at least as
    many as ``bits``: 8 of them have only 70 patterns of signs."""
    window: Annotated[int, Meta(ge=0, le=127)] = 0
    """Tokens to each side that count towards a token's signature, called W. With 0 equal tokens
    have equal signatures, and a keyword finds itself."""
    bits: Annotated[int, Meta(ge=8, le=128, multiple_of=8)] = 32
    """Of a signature, called d."""
    seed: _Whole = 0
    """Of the random vectors and hyperplanes."""
    radius: _Whole = 0
    """Most bits by which a keyword's signature and its match may differ, called r."""

    def __post_init__(self) -> None:
        check(self)
        for name, most, why in (
            ("nonzeros", self.components, "the number of components"),
            ("bits", self.components, "the number of components"),
            ("radius", self.bits, "the number of bits"),
            ("seed", (1 << 64) - 1, "2**64 - 1"),
        ):
            if (given := getattr(self, name)) > most:
                raise InputError(f"Signatures.{name}={given}: must not be above {why}")


# Bounds refuse what can only be a slip (a count for a share); none is where something breaks.
_Count: TypeAlias = Annotated[int, Meta(ge=0, le=100_000)]
_Factor: TypeAlias = Annotated[float, Meta(ge=0.0, le=10.0)]


@renamed(
    {
        "most_meant": "meant_anchors",
        "exact": "exact_search_anchors",
        "kin": "coactivated_anchors",
        "lend": "session_share",
    }
)
@immutable
class Concepts:
    """
    Rules for choosing anchors, for their members, and for hearing them (CONCEPT).

    A cosine that is None is as calibrated for the embedder, or else as for the default one; see
    ``Cosines`` and ``docs/adr/0017``.
    """

    words: _Count = 200
    """Most single words that are anchors for their salience. Chosen by hand."""
    phrases: _Count = 2000
    """Most phrases of several words that are: with 400, half the titles of a made-up life had no
    room (docs/adr/0016)."""
    named: _Count = 2000
    """Most names that are anchors; likewise."""
    anchor_budget: Annotated[int, Meta(ge=1, le=1_000_000)] | None = None
    """Most anchors beside the curated ones; None: as many as the three numbers above let in. What
    exceeds it is merged into an anchor that names the same episodes, or given up."""
    k: Annotated[int, Meta(ge=1, le=100_000)] = 20
    """Episodes under an anchor after a rebuild; more while they are as near as the best quarter
    (CONCEPT, section 4.9, as the next)."""
    k_max: Annotated[int, Meta(ge=1, le=100_000)] = 50
    """Most episodes under an anchor."""
    theta: Cosine | None = None
    """Least cosine of an episode under an anchor, called THETA."""
    sem_theta: Cosine | None = None
    """Least cosine of a question and an anchor that it means without naming it."""
    meant_anchors: _Count = 5
    """Most anchors that a question activates by meaning alone. Chosen by hand."""
    exact_search_anchors: _Count = 1000
    """Most anchors with a vector that are searched exactly; more are searched in two levels, which
    take about as long at 1 000, and a fifth of the time at 20 000 (docs/adr/0016)."""
    mention: _Factor = 0.2
    """Gain in that cosine of an episode that mentions the anchor. Never measured by itself
    (docs/papers/concept.md)."""
    alpha: _Factor = 0.15
    """Weight of importance: a cosine grows by alpha log importance (CONCEPT, section 4.6a)."""
    anchor: _Factor = 0.6
    query: _Factor = 0.4
    """Shares of nearness to the anchor and to the question in a score (CONCEPT, section 4.7)."""
    near: _Factor | None = None
    """Cosine above which two episodes under an anchor are the same, unless a detail differs; the
    richer stays, then the newer, and stands for the other."""
    related: _Factor | None = None
    """Cosine above which two are noted as related."""
    spread: Annotated[float, Meta(ge=0.0, le=0.95)] = 0.5
    """Share of an anchor's activation that goes on to those it is spoken of with. Chosen by hand;
    the next two are of docs/adr/0016, which does not vary them."""
    coactivated_anchors: Annotated[int, Meta(ge=1, le=100_000)] = 24
    """Most anchors that one activates along with itself."""
    session_share: Share = 0.7
    """Share of an anchor's activation that goes to other episodes of a session that names it."""
    active: _Count = 60
    """Anchors, the most active, that are meant by a question that only points. Chosen by hand."""
    active_hours: Annotated[float, Meta(ge=1e-3, le=1e9)] = 36.0
    """Hours in which a mention comes to count e times less for what is active (docs/adr/0016). Not
    varied."""
    pronouns: bool = True
    """Read a pronoun of a question as the anchor that is active."""
    senses: bool = True
    """Let a question choose one of an anchor's senses."""
    fresh: bool = True
    """Take in what was written since the last rebuild."""
    sources: tuple[str, ...] | None = None
    """The only sources that anchors may lead to; None means all."""

    def __post_init__(self) -> None:
        check(self)
        several = isinstance(self.sources, tuple | list | set | frozenset)  # no text: its letters
        if self.sources is not None and not (several and all(map(_is_named, self.sources))):
            msg = f"Concepts.sources={self.sources!r}: give names in a tuple, or None for all"
            raise InputError(msg)
        if self.k > self.k_max:
            raise InputError(f"Concepts.k={self.k}: must not be above k_max, {self.k_max}")

    def cosines(self) -> Cosines:
        """Return from where on cosines count: as given, or else as for the default embedder."""
        given = {name: getattr(self, name) for name in _COSINES}
        return Cosines(**{name: value for name, value in given.items() if value is not None})

    def heard(self, cosines: Cosines) -> Concepts:
        """Return this for an embedder whose cosines were calibrated; what was given stays."""
        found = {name: getattr(cosines, name) for name in _COSINES}
        return replace(self, **{n: least for n, least in found.items() if getattr(self, n) is None})


def _is_named(source: object) -> bool:
    return isinstance(source, str) and bool(source.strip())


POLICY_NAMES: Final = {"probation": "probationary_share", "settle": "evict_probationary"}
"""Fields of a ``Policy`` that had another name until 0.1, which they keep in stored bytes."""

_Weight: TypeAlias = Annotated[float, Meta(ge=0.0, le=1e6)]
_Level: TypeAlias = Annotated[int, Meta(ge=0, le=5)]
_Target: TypeAlias = Annotated[int, Meta(ge=0, le=1 << 62)]


@renamed(POLICY_NAMES)
@immutable
class Policy:
    """
    Policy of a bank's sleep: rules for merging memories, and for letting them fade.

    The default merges memories of the same words and keeps all others as they are, for memories
    that fade too fast are missed (HUMAN, section 9.2). ``POLICIES`` has the papers' by name.
    """

    importance: Literal["signals", "factors"] = "signals"
    """Way in which memories are valued: four signals whose weights are calibrated (HUMAN, section
    8.1), or the five factors of its Table 2."""
    promote: Share = 0.2
    """Share of new memories, the most important ones, that is consolidated (HUMAN, section 4)."""
    prune: Share = 0.2
    """Share of new memories, the least important ones, that may fade before the warm tier ends."""
    merge: Literal["exact", "near", "cluster", "off"] = "exact"
    """Duplicates to merge. ``exact``: the same words by the same speaker, in one session on one
    day. ``near``: in any session, and texts of the same meaning and details, above ``near``.
    ``cluster``: all texts of one matter, which loses detail."""
    near: Cosine | None = None
    """Cosine above which two mean the same; None: as calibrated for the embedder."""
    reconsolidate: bool = True
    """Whether to link a memory with turns that speak of it within ``labile_minutes`` of its
    recall."""
    labile_minutes: Span = 60.0
    """Time after its recall in which a memory can be corrected (HUMAN, section 7.2)."""
    decay_per_hour: _Weight = 0.001
    """λ: the decay of importance; half of it is gone in 29 days (HUMAN, equation 2)."""
    retroactive: _Weight = 0.6
    proactive: _Weight = 0.4
    """Weights of interference by later and by earlier memories that are alike (equation 3)."""
    hot_hours: Span = 1.0
    """Time in the hot tier, where nothing fades. HUMAN (section 3) says minutes to hours."""
    warm_days: Span = 30.0
    """Time in the warm tier, where a memory fades as far as ``warm_level``. HUMAN (section 3) says
    days to weeks."""
    long_days: Span | None = None
    """Time in the long-term tier, since a memory was said or was last of use. There it fades as far
    as ``deepest``; after that it lapses, unless it is promoted, if ``deepest`` lets it. None: no
    end."""
    warm_level: _Level = 0
    deepest: _Level = 0
    """Deepest level to which memories fade: 0 not at all, 1 without ornament, 2 to half their
    tokens, 3 to a quarter, 4 to keywords, 5 until they lapse."""
    token_target: _Target | None = None
    """Tokens of the bank to aim for; the least valuable memories fade until it has no more, as far
    as ``deepest`` lets them. None: no target."""
    episode_target: _Target | None = None
    """Memories to keep at most; the others lapse. None: no limit, and the next three do nothing."""
    retain: Literal["foreseen", "proven"] = "foreseen"
    """Rule for keeping them. ``foreseen``: those likeliest to be of use from now on. ``proven``:
    those that have been of use since they were said, then the likeliest of the others, which are
    on probation; the next two are for this rule alone."""
    probationary_share: Annotated[float, Meta(ge=0.0, le=0.99)] = 0.1
    """Share of the room kept for memories on probation, even if proven ones would fill it all."""
    evict_probationary: bool = False
    """Drop unused memories beyond the probationary share even where there is room: at the end of a
    season, when nobody waits for them to be of use any more."""
    prune_turns: Annotated[int, Meta(ge=1, le=1 << 31)] = 100
    prune_share: Share = 0.0
    """Turns between two prunings, and the share of memories that lapses at each, those of least
    salience (HEMA, section 3.4, where it is 0.005)."""
    freshness: _Weight = 1.0
    turn_decay: _Weight = 0.002
    retrieved: _Weight = 0.5
    """λ, γ and β of that salience, as HEMA has them."""
    cap: Share = 0.25
    """Most of a bank's memories that one sleep may let fade or lapse, as a share. By hand."""
    doubt_minutes: Span = 15.0
    """Time for which implausible memories are kept from being consolidated (HUMAN, section 4)."""

    def __post_init__(self) -> None:
        check(self)
        if self.promote + self.prune > 1:
            msg = f"Policy.promote={self.promote} and prune={self.prune}: together at most 1"
            raise InputError(msg)

    def to_stored(self) -> dict[str, object]:
        """Return the fields by the names that the journal has for them."""
        stored = {new: old for old, new in POLICY_NAMES.items()}
        fields = {stored.get(name, name): value for name, value in asdict(self).items()}
        if self.episode_target is None:  # then it means nothing, and bytes stay as they were
            del fields["retain"]
        return fields

    @classmethod
    def from_stored(cls, fields: Mapping[str, Any]) -> Policy:
        """Return the policy that the journal tells of."""
        known = {POLICY_NAMES.get(name, name): value for name, value in fields.items()}
        if known.get("episode_target") is not None:  # until 0.1 there was no other way
            known.setdefault("retain", "proven")
        return cls(**known)

    @classmethod
    def named(cls, name: str) -> Policy:
        """
        Return one of ``POLICIES``; ``name:NUMBER`` gives it a target.

        That is of tokens, and for ``useful`` and ``proven`` of memories; these and ``adaptive``
        must have one.
        """
        given = name
        name, colon, target = given.partition(":")
        digits = target.isdecimal() and len(target) <= _MOST_DIGITS
        if name not in POLICIES or (colon and not digits):
            known = ", ".join(POLICIES)
            shown = given if len(given) <= _SHOWN else f"{given[:_SHOWN]}…"
            msg = f"policy {shown!r}: must be one of {known}; NAME:NUMBER sets a target"
            raise InputError(msg)
        policy = POLICIES[name]
        if not target:
            if name in _AIMED:
                raise InputError(f"policy {given!r}: say what to keep, as in {name}:{_AIMED[name]}")
            return policy
        if name in ("useful", "proven"):
            return replace(policy, episode_target=int(target))
        if not policy.deepest:
            msg = f"policy {given!r}: {name} lets nothing fade; use adaptive:{target} for a target"
            raise InputError(msg)
        return replace(policy, token_target=int(target))


_MOST_DIGITS: Final = 18
"""Digits of a target: as many as any number of tokens or memories has."""
_SHOWN: Final = 100
"""Characters of a policy's name that a message shows. Chosen by hand."""
_AIMED: Final = {"adaptive": "25000", "useful": "1000", "proven": "1000"}
"""Policies that mean nothing without a target, each with one: of tokens, or of memories."""

POLICIES: Final[Mapping[str, Policy]] = {
    "keep": Policy(),
    "dedup": Policy(merge="near"),
    "human": Policy(merge="near", importance="factors", warm_level=1, deepest=3),
    # All of it stays in the warm tier, where nothing fades: the paper knows no age but in turns.
    "hema": Policy(prune_share=0.005, deepest=5, prune=0.0, warm_days=1e9),
    "adaptive": Policy(merge="near", deepest=5, cap=1.0),
    "useful": Policy(cap=1.0),
    "proven": Policy(cap=1.0, retain="proven"),
    "aggressive": Policy(merge="cluster", warm_level=2, deepest=4, cap=1.0),
}
"""``keep`` is the default; ``dedup`` merges what means the same; ``human`` and ``hema`` are as in
these papers; ``adaptive`` meets a target of tokens, and ``useful`` one of memories, by what is
foreseen of them; ``proven`` does so by what came of them already; ``aggressive`` is what HUMAN
warns of."""


@immutable
class Compact:
    """Rules for a bank's running summary (HEMA, sections 3.2 and 3.7)."""

    tokens: Annotated[int, Meta(ge=8, le=1000)] = 60
    """Most tokens of the summary, as HEMA's summarizer has them."""
    every: _Count = 100
    """Turns after which a summary starts anew, and what it came to is kept as a version, of all of
    which the summary is made. 0: one summary of everything, for comparison, which had as many facts
    in the prompt (``evaluation/results/dialogue-long.json``)."""

    def __post_init__(self) -> None:
        check(self)


@immutable
class Maturation:
    """Growth of a gist from silent to explicit (HUMAN, section 6)."""

    half_hours: Span = 168.0
    """Hours after which a gist is half active, called t½: a week (equation 4, as the next)."""
    slope_hours: Annotated[float, Meta(ge=1e-3, le=1e9)] = 48.0
    """Slowness of that growth, in hours, called k: .03 when it is made, .97 after two weeks."""
    recalled_hours: Span = 24.0
    """Hours that a gist is the older for each day on which a source of it was recalled: recalled
    every day it matures twice as fast, and not at once by being recalled a hundred times. The paper
    says only that retrieval stabilises."""
    silent: Share = 0.5
    """Activation below which a gist is not shown (HUMAN, section 6)."""
    implicit: Share = 0.3
    """Part of a mature gist's loan to its sources that a silent one lends, at least. HUMAN says not
    how much it primes; nothing was gained by lending at all (docs/adr/0026)."""

    def __post_init__(self) -> None:
        check(self)


@immutable
class Secrets:
    """
    Treatment of secrets and personal data (``language/secrets.py``); all is kept unless asked.

    They are keys, tokens, passwords, PINs, card, account and identity numbers, e-mail addresses and
    phone numbers.
    """

    write: Literal["keep", "redact", "vault", "refuse"] = "keep"
    """Treatment of a text that has some: kept as it is; kept with their kinds in their place, such
    as ``[card number]``; likewise, and they sealed, for ``Bank.reveal`` and whoever has the key
    (``Memory(vault=…)``); or refused with ``SecretRefused``. It holds for every
    field of a turn, and for the words of other verbs that are kept (docs/privacy.md)."""
    show: Literal["keep", "redact"] = "keep"
    """Whether contexts, exports and what models read through MCP show those that were kept, or
    their kinds."""

    also: Literal["none", "presidio"] = "none"
    """Finder of more: Microsoft Presidio's rules for the identity, tax and bank numbers of some
    twenty countries, of the extra ``presidio``."""

    def __post_init__(self) -> None:
        check(self)


@immutable
class Flood:
    """
    Most that one origin may bring into a bank within an hour; by default there is no such bound.

    It is for what others wrote: tools, documents, pages and imports each have it for themselves.
    """

    episodes: Annotated[int, Meta(ge=1)] | None = None
    """Most episodes; more are refused with ``FloodRefused``."""
    characters: Annotated[int, Meta(ge=1)] | None = None
    """Most characters of their texts; likewise."""

    def __post_init__(self) -> None:
        check(self)


@immutable
class Vectors:
    """Search and place of vectors; see ``docs/large-banks.md``."""

    search: Literal["auto", "scan", "partitions", "faiss"] = "auto"
    """``scan``: the signs of every vector are compared. ``partitions``: those near the question,
    by centroids that sleep has learnt. ``faiss``: an IVF4096 index over OPQ16, which takes the
    extra ``faiss`` and is made in memory when a bank is first asked. ``auto``: partitions in banks
    of ``partitioned_rows`` or more, and a scan in smaller ones."""
    partitioned_rows: Annotated[int, Meta(ge=1)] = 500_000
    """Episodes from which on ``auto`` has partitions: up to 100 000 a scan is the fastest way, and
    at a million it takes two to thirteen times as long (docs/large-banks.md). Between, a guess."""
    probes: Annotated[int, Meta(ge=1, le=4096)] = 256
    """Partitions that are looked into for a question: the fewer, the faster, and the more is
    missed. Of the ten best of a million turns that is .012, and .046 with 32
    (docs/large-banks.md)."""
    shards: Literal["none", "source"] = "none"
    """``source``: within the layout of partitions those of one source lie together, so that what
    is asked of few sources reads only theirs."""
    place: Literal["memory", "disk"] = "memory"
    """Place of vectors while a bank is open: ``disk`` has them mapped from a file without a name
    beside the store, and in memory only their signs, a ninth. Not for encrypted stores."""
    layout: Literal["arrival", "partitions"] = "arrival"
    """``partitions``: vectors lie together by partition, as of the last sleep before the bank was
    opened, so that those of one question are in fewer pages (SWIFT, section 3.4)."""

    bits: Literal[2, 3, 4, 8] = 4
    """Of each dimension of a vector that is remembered from now on; ``reindex`` makes those anew
    that are there. See "What an episode takes" in ``docs/format.md`` for what each number costs."""
    pooled: Annotated[int, Meta(ge=1, le=255)] = 1
    """Number of a text's words of grammar and marks that share one token vector, their mean;
    1: each has its own. With 4 there are .57 of the token codes. Where a store notes spans, each
    has its own."""

    def __post_init__(self) -> None:
        check(self)

    def partitioned(self, rows: int) -> bool:
        """Return whether a bank of so many episodes has partitions."""
        return self.layout == "partitions" or self.searches_partitions(rows)

    def searches_partitions(self, rows: int) -> bool:
        """Return whether a question looks into partitions of so many episodes."""
        if self.search == "auto":
            return rows >= self.partitioned_rows
        return self.search == "partitions"


@immutable
class Config:
    """Settings of a ``Memory``; validated once, never changed."""

    ingest: Ingest = field(default_factory=Ingest)
    fusion: Fusion = field(default_factory=Fusion)
    signatures: Signatures | Literal["stored"] | None = "stored"
    """Way in which new texts are signed, for recall to search as well: as the store's tokens are,
    if any is; in a way of your own, where none is; or, when None, not at all.
    ``reindex`` makes the signatures of what is there, or drops them. A store that is begun without
    an embedder is signed by default until there is one (``docs/adr/0073``)."""
    spans: bool | None = None
    """Whether new texts note the place of each of the embedder's tokens, a byte a token:
    a hit then says which span of it matches best (``Hit.span``), and ``Fusion.span`` can weigh
    that. None: as the store does. ``reindex`` notes it of older texts, or drops it."""
    concepts: Concepts = field(default_factory=Concepts)
    """Rules for finding anchors, and for what they lead to."""
    policy: Policy = field(default_factory=Policy)
    """Policy of banks that have none of their own."""
    vectors: Vectors = field(default_factory=Vectors)
    """Ways of keeping vectors, and the number from which on they are searched in partitions."""
    compact: Compact = field(default_factory=Compact)
    """Rules for the running summary of a bank."""
    maturation: Maturation = field(default_factory=Maturation)
    """Rules by which a gist grows from silent to explicit."""
    secrets: Secrets = field(default_factory=Secrets)
    """Handling of secrets and personal data where they are written or shown."""
    flood: Flood = field(default_factory=Flood)
    """Limits on writes of each origin in a while."""
    statements: Literal["rules", "parse"] | None = None
    """Reader of facts: rules over words, or a dependency parse of English, for which ``hippocampus
    models install english`` brings the weights and the extra ``english`` the rest. None: the parse
    where it is installed, and the rules elsewhere."""
    index_file_rows: Annotated[int, Meta(ge=1)] | None = 20_000
    """Number of episodes from which on sleep writes a bank's index to a file beside the store,
    which opening maps; it is made anew where it is missing. None: never. Of a small bank the file
    saves some 40 ms, and is larger than the store (docs/adr/0082). Encrypted stores
    have none, for words' hashes and vectors would lie there in the clear."""
    timezone: str = "UTC"
    """IANA name. Naive datetimes are read in it, and "yesterday" means its yesterday."""
    busy_timeout_s: Span = 10.0
    """Seconds that a write waits for another process before ``StoreLocked``; Python's own default
    for SQLite is 5. Chosen by hand."""
    resident_mb: Annotated[float, Meta(ge=0.0, le=1e9)] | None = None
    """Megabytes of memory that banks may hold together: their indexes, notes and texts, not the
    model. When it gets more, those used longest ago let go of theirs, and read it again when they
    are next asked; one that is in use stays. None: every bank that was asked stays in memory."""

    def __post_init__(self) -> None:
        check(self)
        how = self.signatures
        if how is not None and how != "stored" and not isinstance(how, Signatures):
            raise InputError(f"Config.signatures={how!r}: must be 'stored', None or a Signatures")
        for group in fields(self):
            kind, given = group.default_factory, getattr(self, group.name)
            if isinstance(kind, type) and not isinstance(given, kind):
                fix = "Policy.named('human')" if kind is Policy else f"{kind.__name__}(…)"
                raise InputError(
                    f"Config.{group.name}={given!r:.100}: must be of the class {kind.__name__};"
                    f" give {fix}"
                )
        time_zone(self.timezone)
