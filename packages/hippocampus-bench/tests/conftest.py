"""A memory of the same shape as the real one that ranks by shared words, so that runs are exact."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from chat_fixtures import model, open_model, pauses, server

from hippocampus.core.records import Cost, Episode, Hit, Recall, Slept, Stats, Turn
from hippocampus.language.statements import find_in_each
from hippocampus_bench import Options

__all__ = ["lab", "model", "open_model", "pauses", "server", "write"]

_WORD = re.compile(r"\w+")


def words(text):
    return set(_WORD.findall(text.lower()))


class WordBank:
    """Keeps episodes in a file; long turns become several episodes."""

    def __init__(self, name: str, path: Path, asked: list, part_words: int = 40) -> None:
        self.name, self.path, self.asked, self.part_words = name, path, asked, part_words
        found = json.loads(path.read_text()).get(name, []) if path.exists() else []
        self.rows: list[dict] = found

    def remember_many(self, turns: Iterable[Turn]) -> list[Episode]:
        before = len(self.rows)
        for turn in turns:
            assert turn.text.strip()
            pieces = turn.text.split()
            for start in range(0, len(pieces), self.part_words):
                self.rows.append(
                    {
                        "text": " ".join(pieces[start : start + self.part_words]),
                        "at": turn.at.isoformat(),
                        "session": turn.session,
                        "metadata": dict(turn.metadata),
                    }
                )
        all_rows = json.loads(self.path.read_text()) if self.path.exists() else {}
        self.path.write_text(json.dumps(all_rows | {self.name: self.rows}))
        return [self._episode(place) for place in range(before, len(self.rows))]

    def recall(
        self,
        query: str,
        k: int = 10,
        *,
        now: datetime | None = None,
        cues: Sequence[str] | None = None,
        session=None,
    ) -> Recall:
        self.asked.append({"query": query, "k": k, "now": now, "cues": cues, "session": session})
        allowed = None if session is None else {session} if isinstance(session, str) else {*session}
        wanted = words(query)
        scores = {
            place: len(wanted & words(row["text"])) / (len(wanted) or 1)
            for place, row in enumerate(self.rows)
            if allowed is None or row["session"] in allowed
        }
        best = sorted(scores, key=lambda place: -scores[place])[:k]
        hits = tuple(
            Hit(episode=self._episode(place), score=scores[place], shares={"lexical": 1.0})
            for place in best
            if scores[place]
        )
        confidence = hits[0].score if hits else 0.0
        return Recall(
            query=query,
            hits=hits,
            found=confidence > 0.3,
            confidence=confidence,
            sessions=tuple(
                dict.fromkeys(hit.episode.session for hit in hits if hit.episode.session)
            ),
            cost=Cost(elapsed_s=1e-4, embed_s=1e-6),
        )

    def sleep(self, *, steps=None) -> Slept:
        self.asked.append({"query": "sleep", "rows": len(self.rows), "steps": steps})
        return Slept(bank=self.name, steps=())

    def stats(self) -> Stats:
        return Stats(
            bank=self.name,
            episodes=len(self.rows),
            superseded=0,
            forgotten=0,
            sessions=0,
            speakers=(),
            sources=(),
            first=None,
            last=None,
            stored_bytes={},
            embedder="words",
        )

    def _episode(self, place: int) -> Episode:
        row = self.rows[place]
        at = datetime.fromisoformat(row["at"])
        return Episode(
            id=f"e{place}",
            bank=self.name,
            text=row["text"],
            occurred_at=at,
            recorded_at=datetime(2030, 1, 1, tzinfo=UTC),
            session=row["session"],
            metadata=row["metadata"],
        )


class WordMemory:
    def __init__(self, path: Path, asked: list) -> None:
        self.path, self.asked, self.banks = path, asked, {}

    def bank(self, name: str) -> WordBank:
        return self.banks.setdefault(name, WordBank(name, self.path, self.asked))


class Lab:
    """Opens word memories, and keeps what they were told and asked."""

    def __init__(self) -> None:
        self.asked: list[dict] = []
        self.memories: list[WordMemory] = []

    @contextmanager
    def open(self, path: Path) -> Iterator[WordMemory]:
        memory = WordMemory(path, self.asked)
        self.memories.append(memory)
        yield memory

    def options(self, **more) -> Options:
        return Options(open_memory=self.open, resamples=200, **more)

    @property
    def rows(self) -> list[dict]:
        return [row for m in self.memories for bank in m.banks.values() for row in bank.rows]

    @property
    def questions(self) -> list[dict]:
        return [one for one in self.asked if one["query"] not in ("warming up", "sleep")]

    @property
    def sleeps(self) -> list[int]:
        """How much there was to sleep on, each time."""
        return [one["rows"] for one in self.asked if one["query"] == "sleep"]


@pytest.fixture(scope="session", autouse=True)
def _systems_that_live_the_same_read_it_once():
    """
    Have a text that many banks hold read for facts once: a parse takes most of a small life.

    A benchmark lets a dozen systems live one life, and tests do so several times; what is read is
    the same each time.
    """
    known = {}

    def read_once(told, reader):
        # A moment elsewhere is equal, and "yesterday" may be another day there.
        keys = [(*one._replace(others=tuple(one.others)), str(one.occurred_at)) for one in told]
        new = {key: one for key, one in zip(keys, told, strict=True) if (key, reader) not in known}
        found = find_in_each([*new.values()], reader)
        known.update(zip(((key, reader) for key in new), found, strict=True))
        return [[*known[key, reader]] for key in keys]

    with pytest.MonkeyPatch.context() as during:
        during.setattr("hippocampus.sleep.facts.find_in_each", read_once)
        yield


@pytest.fixture
def lab():
    return Lab()


@pytest.fixture
def write(tmp_path):
    def write(name, content):
        path = tmp_path / name
        path.write_text(json.dumps(content))
        return path

    return write
