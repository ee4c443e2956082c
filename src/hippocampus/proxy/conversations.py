"""Conversations found again by their history, and the new part of a request."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from difflib import SequenceMatcher
from hashlib import blake2b
from typing import Final, NamedTuple

from hippocampus.bank import Bank
from hippocampus.core.records import Episode
from hippocampus.proxy.protocol import ChatMessage, ChatRequest

LOOK_BACK: Final = 512
"""Episodes of a bank by which its last conversations are known again, after a restart
(docs/adr/0032). Chosen by hand."""
MOST: Final = 64
"""Conversations of a bank that are known at once, the last ones. Chosen by hand."""
AGAIN: Final = timedelta(minutes=10)
"""Time in which the same words, said again without a history, are the same request once more."""
_ANSWER: Final = 2
"""Items that follow a question in a conversation: an answer, and its envelope."""


@dataclass(slots=True)
class Conversation:
    """One conversation: a digest of each thing said in it, in order, and when the last was."""

    said: list[bytes] = field(default_factory=list)
    last: datetime | None = None


class ConversationPlace(NamedTuple):
    """The place of a request in a conversation."""

    session: str
    new: list[ChatMessage]
    """Messages of the user that nobody has remembered yet."""
    after: Sequence[bytes]
    """Digests of later messages, where all were asked before: a client tries once more."""

    def has(self, answer: ChatMessage) -> bool:
        """Return whether this was answered to it before."""
        return digest(answer) in self.after


class Conversations:
    """
    The last conversations of a bank, as clients repeat them. One thread at a time.

    The protocol knows no conversations: each request brings the history along, perhaps trimmed, or
    with answers reworded. So a request belongs where most of its history was said; and of what
    follows the last answer, that is new which the conversation does not have in this place. All
    this is seen from the texts, so it holds across restarts and for histories of other surfaces.
    """

    def __init__(self, bank: Bank) -> None:
        self._bank = bank
        self._talks: OrderedDict[str, Conversation] = OrderedDict()
        self._learn(bank.episodes(limit=LOOK_BACK, newest=True))

    def place(self, asked: ChatRequest, session: str | None, now: datetime) -> ConversationPlace:
        """Find the conversation of a request, named by ``session`` if anybody named it."""
        digests = [digest(one) for one in asked.said]
        session = session or self._find(digests, asked, now) or self._name(digests, now)
        talk = self._talk(session)
        history, since = digests[: asked.fresh], digests[asked.fresh :]
        end = _end(talk.said, history)
        if end is None:  # nothing says where it goes on: at the end, or with the last words again
            end = _again(talk.said, since) if _goes_on(talk, asked, now) else len(talk.said)
        after = talk.said[end:]
        known = _matched(after, since)
        said = enumerate(asked.said[asked.fresh :])
        new = [one for at, one in said if at not in known and one.role == "user"]
        return ConversationPlace(session, new, after if since and not new else ())

    def add(self, session: str, said: Iterable[ChatMessage], now: datetime) -> None:
        """Take note of what was remembered."""
        talk = self._talk(session)
        talk.said += map(digest, said)
        talk.last = now

    def _talk(self, session: str) -> Conversation:
        if session not in self._talks:
            self._talks[session] = Conversation()
            self._learn(self._bank.episodes(limit=LOOK_BACK, newest=True, session=session))
        self._talks.move_to_end(session)
        while len(self._talks) > MOST:
            self._talks.popitem(last=False)
        return self._talks[session]

    def _learn(self, newest: Sequence[Episode]) -> None:
        """Take in episodes; the latest come first. The parts of a long text are one again."""
        whole: dict[tuple[str, int | None, datetime, str | None], str] = {}
        for e in sorted(newest, key=lambda e: (e.occurred_at, e.turn or 0, e.part)):
            if e.session is not None and e.role is not None:
                key = (e.session, e.turn if e.parts == 1 else None, e.occurred_at, e.role)
                whole[key] = whole.get(key, "") + e.text
        for (session, _, at, role), text in whole.items():
            talk = self._talks.setdefault(session, Conversation())
            self._talks.move_to_end(session)
            talk.said.append(digest(ChatMessage(role or "", text)))
            talk.last = at

    def _find(self, digests: Sequence[bytes], asked: ChatRequest, now: datetime) -> str | None:
        """Return the conversation that most of a history is from; of equals the last."""
        history = set(digests[: asked.fresh])
        best, most = None, len(history) / 2
        for session, talk in reversed(self._talks.items()):
            if history:
                shared = len(history.intersection(talk.said))
            else:
                alike = talk.said[: len(digests)] == list(digests) != []
                shared = int(alike and _goes_on(talk, asked, now))
            if shared > most or (shared == most and shared and best is None):
                best, most = session, shared
        return best

    @staticmethod
    def _name(digests: Sequence[bytes], now: datetime) -> str:
        # With the time, for a later chat may begin in the same words.
        known = blake2b(b"".join([*digests, now.isoformat().encode()]), digest_size=3)
        return f"chat-{now:%Y-%m-%d}-{known.hexdigest()}"


def digest(said: ChatMessage) -> bytes:
    """Return the digest of a message; white space and case aside."""
    folded = " ".join(said.text.split()).casefold()
    return blake2b(f"{said.role}\n{folded}".encode(), digest_size=12).digest()


def _goes_on(talk: Conversation, asked: ChatRequest, now: datetime) -> bool:
    """Return whether words without a history may be the last ones again: soon, or after a tool."""
    return bool(asked.called) or (talk.last is not None and now - talk.last <= AGAIN)


def _end(before: Sequence[bytes], history: Sequence[bytes]) -> int | None:
    """Return the end of a history in ``before``, as late as may be; None if it is not there."""
    # With "autojunk" difflib passes over what comes often in a long talk, such as a "yes".
    late = SequenceMatcher(None, before[::-1], history[::-1], autojunk=False)
    block = late.get_matching_blocks()[0]
    return len(before) - block.a if block.size else None


def _again(before: Sequence[bytes], since: Sequence[bytes]) -> int:
    """Return the start of the words said last in ``before``, if these are they; else its end."""
    last = before[-len(since) - _ANSWER :]
    back = last[::-1].index(since[0]) + 1 if since and since[0] in last else 0
    return len(before) - back


def _matched(before: Sequence[bytes], now: Sequence[bytes]) -> set[int]:
    """Return the places of ``now`` that stand in ``before`` in the same order."""
    blocks = SequenceMatcher(None, before, now, autojunk=False).get_matching_blocks()
    return {place for block in blocks for place in range(block.b, block.b + block.size)}
