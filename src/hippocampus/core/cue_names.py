"""The names of cues and features: as they are stored and sent, and the word that people read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

CUES: Final = ("tokens", "vector", "lexical", "time", "signature", "concept", "graph", "topic")
"""Every cue by name, the strongest first; ``signature`` is there only where tokens are signed,
``concept`` and ``topic`` once a bank has slept, ``graph`` then better than before."""
USED: Final = CUES[:-1]
"""The cues that recall asks unless told otherwise: topics do not rank (docs/adr/0015)."""

CUE_WORDS: Final[Mapping[str, str]] = {
    "lexical": "words",  # BM25
    "vector": "meaning",  # cosine of sentence embeddings
    "tokens": "phrasing",  # late interaction
    "signature": "keywords",  # token signatures within a Hamming radius
    "time": "time",
    "topic": "topic",
    "concept": "concept",  # anchors
    "graph": "names",  # spreading activation over names
    "names": "names",
    "facts": "facts",
    "currency": "currency",  # the newest, or oldest, of one matter
    "events": "events",
    "neighbours": "neighbours",
    "speaker": "speaker",
    "standing": "wishes",  # preferences, bans and rules
    "news": "novelty",  # words not heard before, deeds, introductions
    "session": "conversation",
    "gist": "gist",
    "outcome": "use",
    "alike": "alike",  # several things: near the mean of the best
    "possession": "possession",  # owner and what is asked of them
    "choice": "choice",  # a side taken
    "occasion": "occasion",  # the last, or first, time that something took place
    "answering": "answer",  # where the best row only asks the same
    "feedback": "agreement",  # pseudo-relevance feedback: rare words of the best rows
}
"""The word for each; the dashboard has the same (``static/format.js``, which a test compares)."""


def cue_of(word: str) -> str:
    """Return the cue that a word stands for; a cue's own name stands for itself."""
    return next((cue for cue, said in CUE_WORDS.items() if said == word), word)
