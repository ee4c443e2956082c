"""Every default, its unit, and where it comes from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from hippocampus.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingest:
    """How what is written is cut and gated."""

    max_text_bytes: int = 16 * 1024 * 1024
    """Most UTF-8 bytes of one text. A larger one is a file: split it or import it as one."""
    chunk_tokens: int = 256
    """Longest episode in tokens; longer turns and documents are split at sentences."""
    batch: int = 512
    """Episodes per transaction in ``remember_many``."""
    echo_words: int = 5
    """Shortest recalled text, in words, that is recognised when it comes back bare."""
    seal_rows: int = 2048
    """Tail rows that are sealed into one block."""

    def __post_init__(self) -> None:
        for name in ("max_text_bytes", "chunk_tokens", "batch", "echo_words", "seal_rows"):
            if getattr(self, name) < 1:
                msg = f"Ingest.{name}={getattr(self, name)}: must be at least 1"
                raise InputError(msg)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fusion:
    """
    How the cues' answers become one ranking.

    Weights are in standard deviations of each cue over the candidates of a question; see
    ``docs/adr/0003-fusion.md`` for what was tried.
    """

    candidates: int = 400
    """Episodes that are scored by every cue. A bank with fewer is scored whole."""
    reach: int = 60
    """Best proposals, of all cues together, whose neighbouring turns become candidates."""
    tokens: float = 2.0
    lexical: float = 0.5
    vector: float = 0.3
    signature: float = 0.3
    topic: float = 0.1
    before: float = 0.3
    """Part of the previous turn's score that counts towards a turn."""
    after: float = 0.2
    """Part of the next turn's score that counts towards a turn."""
    session: float = 0.7
    """Part of its session's support, the mean of its two best scores, that counts towards a turn:
    a session that answers twice is what the question is about."""
    lean_tokens: float = 100.0
    """Tokens at which what neighbours give a turn has fallen to 1/e, and, where candidates have so
    many on average, what sessions give: a long turn speaks for itself."""
    long_tokens: float = 64.0
    """Tokens from which a text's length is held against its best matches."""
    crowding: float = 0.04
    """What a text loses for each e-fold of length past ``long_tokens``, as a cosine: the more
    tokens, the better the best of them matches anything."""
    speaker: float = 2.0
    """What it is worth that the speaker named in the question speaks."""
    user: float = 0.5
    """What it is worth that the user speaks: what people say of themselves is what is asked for."""
    asker: float = 1.0
    """What it is worth that the user speaks when the question says "I", the assistant at "you"."""
    telling: float = 2.5
    """What it is worth that who is asked about, by name or as "I", tells of themself."""
    deed: float = 0.5
    """What it is worth to tell, in the first person, what one did: "we went", "I bought"."""
    novelty: float = 0.8
    """What it is worth to use words that the bank had not heard before: who says something new says
    more than who answers "that sounds great"."""
    lent: float = 0.7
    """Part of what the question's words gave one of the best hits that goes to what holds a rare
    name it holds, so that a second look finds what only the first hit names; 0 looks once."""
    time: float = 2.0
    """What it is worth to lie in the time the question names."""
    concept: float = 1.0
    """What it is worth to be about what the question calls up."""
    about: float = 0.1
    """Least activation with which an episode is about something."""
    sessions: int = 96
    """Best sessions that are ranked among themselves."""
    association: float = 1.0
    """What it is worth to a session to be about what the best sessions are about, in standard
    deviations of that nearness; the session's best turn counts 1."""
    best_within: float = 0.3
    """How far below the best a session's share in what "the best are about" has fallen to 1/e."""
    recency: float = 0.5
    """What it is worth to a session to have been spoken in just now."""
    recent_days: float = 14.0
    """Days in which that has fallen to 1/e."""

    @property
    def weights(self) -> dict[str, float]:
        """The cues' weights by name."""
        return {
            "tokens": self.tokens,
            "lexical": self.lexical,
            "vector": self.vector,
            "signature": self.signature,
            "topic": self.topic,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Signatures:
    """
    How tokens are signed for a search without an embedder (DWM, section 3.3 and appendix F).

    A store records these, ``radius`` apart, and refuses others. What the defaults come from:
    ``docs/adr/0013-signatures-without-an-embedder.md``.
    """

    form: Literal["top", "planes"] = "planes"
    """``top``: the signs of a token's own largest components, as in section 3.3. ``planes``: the
    sides of random hyperplanes it is on, as in appendix F."""
    components: int = 1024
    """Of the space in which tokens have random vectors, called D."""
    nonzeros: int = 8
    """Components of a token's vector that are not 0, called t. The form ``top`` needs at least as
    many as ``bits``: 8 of them have only 70 patterns of signs."""
    window: int = 0
    """Tokens to each side that count towards a token's signature, called W. With 0 equal tokens
    have equal signatures, and a keyword finds itself."""
    bits: int = 32
    """Of a signature, called d; a multiple of 8, at most 128."""
    seed: int = 0
    """Of the random vectors and hyperplanes."""
    radius: int = 0
    """In how many bits a keyword's signature and its match may differ, called r."""

    def __post_init__(self) -> None:
        rules = {
            "form": (self.form in ("top", "planes"), "'top' or 'planes'"),
            "components": (8 <= self.components <= 65536, "from 8 to 65536"),
            "nonzeros": (
                2 <= self.nonzeros <= self.components and self.nonzeros % 2 == 0,
                "even, and from 2 to the number of components",
            ),
            "window": (0 <= self.window <= 127, "from 0 to 127"),
            "bits": (
                8 <= self.bits <= min(128, self.components) and self.bits % 8 == 0,
                "a multiple of 8, from 8 to 128, and not above the number of components",
            ),
            "seed": (0 <= self.seed < 1 << 64, "from 0 to 2**64 - 1"),
            "radius": (0 <= self.radius <= self.bits, "from 0 to bits"),
        }
        for name, (well, rule) in rules.items():
            if not well:
                msg = f"Signatures.{name}={getattr(self, name)!r}: must be {rule}"
                raise InputError(msg)


@dataclass(frozen=True, slots=True, kw_only=True)
class Concepts:
    """
    How anchors are chosen, what lies under them, and when they are heard (CONCEPT).

    Cosines are those of the default embedder.
    """

    words: int = 200
    """Most single words that are anchors for their salience."""
    phrases: int = 400
    """Most phrases of several words that are."""
    named: int = 1000
    """Most names that are anchors."""
    k: int = 20
    """Episodes under an anchor after a rebuild; more while they are as near as the best quarter."""
    k_max: int = 50
    """Most episodes under an anchor."""
    theta: float = 0.25
    """Least cosine of an episode under an anchor, called THETA."""
    sem_theta: float = 0.45
    """Least cosine of a question and an anchor that it means without naming it."""
    most_meant: int = 5
    """Most anchors that a question means without naming them."""
    mention: float = 0.2
    """What it adds to that cosine that an episode mentions the anchor."""
    alpha: float = 0.15
    """How much importance counts: a cosine grows by alpha log importance."""
    anchor: float = 0.6
    query: float = 0.4
    """Shares of nearness to the anchor and to the question in a score."""
    near: float = 0.9
    """Cosine above which two episodes under an anchor are the same, and the newer stays."""
    spread: float = 0.5
    """How much of what activates an anchor goes on to those it is spoken of with."""
    kin: int = 24
    """Most anchors that one activates."""
    lend: float = 0.7
    """How far an episode is about what others of its session name."""
    active: int = 3
    """Anchors that are meant by a question that points but names nothing."""
    active_hours: float = 336.0
    """In which a mention counts e times less for what is active."""
    pronouns: bool = True
    senses: bool = True
    fresh: bool = True
    """Take in what was written since the last rebuild."""
    sources: tuple[str, ...] | None = None
    """The only sources that anchors may lead to; None means all."""

    def __post_init__(self) -> None:
        rules = {
            **dict.fromkeys(("words", "phrases", "named", "most_meant", "active"), (0, 100_000)),
            **dict.fromkeys(("k", "k_max", "kin"), (1, 100_000)),
            **dict.fromkeys(("theta", "sem_theta"), (-1.0, 1.0)),
            **dict.fromkeys(("mention", "alpha", "anchor", "query", "near"), (0.0, 10.0)),
            "lend": (0.0, 1.0),
            "spread": (0.0, 0.95),
            "active_hours": (1e-3, 1e9),
        }
        for name, (least, most) in rules.items():
            if not least <= getattr(self, name) <= most:  # NaN is not either
                msg = f"Concepts.{name}={getattr(self, name)!r}: must be from {least} to {most}"
                raise InputError(msg)
        if self.k > self.k_max:
            msg = f"Concepts.k={self.k}: must not be above k_max, {self.k_max}"
            raise InputError(msg)


@dataclass(frozen=True, slots=True, kw_only=True)
class Config:
    """What a ``Memory`` is opened with; validated once, never changed."""

    ingest: Ingest = field(default_factory=Ingest)
    fusion: Fusion = field(default_factory=Fusion)
    signatures: Signatures | Literal["stored"] | None = "stored"
    """How what is remembered from now on is signed, for recall to search as well: as the store's
    tokens are, if any is; in a way of your own, where none is; or, when None, not at all.
    ``reindex`` makes the signatures of what is there, or drops them."""
    concepts: Concepts = field(default_factory=Concepts)
    timezone: str = "UTC"
    """IANA name. Naive datetimes are read in it, and "yesterday" means its yesterday."""
    busy_timeout_s: float = 10.0
    """How long a write waits for another process before ``StoreLocked``."""

    def __post_init__(self) -> None:
        how = self.signatures
        if how is not None and how != "stored" and not isinstance(how, Signatures):
            msg = f"Config.signatures={how!r}: must be 'stored', None or a Signatures"
            raise InputError(msg)
