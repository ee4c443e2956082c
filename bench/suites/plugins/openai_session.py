"""A pytest plugin: in the OpenAI Agents SDK's tests our session stands where SQLite's does."""

from __future__ import annotations

import os
from functools import cache
from itertools import count
from pathlib import Path

import agents
import agents.memory

from hippocampus import Memory
from hippocampus.bank import Bank
from hippocampus.integrations.openai_agents import HippocampusSession

_FOLDER = Path(os.environ["HIPPOCAMPUS_SUITES"])
_numbers = count()


@cache
def _bank(path: str) -> Bank:
    return Memory(path, embedder="none").bank("suite")


class SQLiteSession(HippocampusSession):
    """Ours, made as theirs is: without a file it is alone."""

    def __init__(self, session_id, db_path=":memory:", *_: object, session_settings=None) -> None:
        file = f"{db_path}.ours" if str(db_path) != ":memory:" else _FOLDER / f"{next(_numbers)}.db"
        settings = session_settings or agents.SessionSettings()
        super().__init__(session_id, _bank(str(file)), session_settings=settings)

    def close(self) -> None:
        """Do nothing: the store stays open until the tests end."""


agents.SQLiteSession = agents.memory.SQLiteSession = SQLiteSession
