"""
Interface of a database to the tables: statements, transactions, and its dialect.

Each table's code is written once. Where databases differ in words, such as a list as one parameter,
they say theirs (``among``, ``using``).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, Protocol, TypeAlias

from hippocampus.core.cipher import Cipher
from hippocampus.errors import StoreError
from hippocampus.store.checksums import Damage

Row: TypeAlias = tuple[Any, ...]


class Database(Protocol):
    """The transactions of this process on one database, and the statements inside them."""

    damage: Damage
    """Recorder of damage that is met."""
    cipher: Callable[[int], Cipher]
    """The cipher of a bank."""

    @property
    def path(self) -> str:
        """Return the place of the store, for messages; without a password."""

    @property
    def file(self) -> Path | None:
        """The file that it is in, if it is in one of ours."""

    @property
    def read_only(self) -> bool:
        """Return whether nothing is ever written."""

    @property
    def writing(self) -> bool:
        """Return whether this very thread is inside ``write()``."""

    def refuse(self, kind: type[StoreError], message: str) -> StoreError:
        """Return the error that says what is wrong with this store."""

    def write(self) -> AbstractContextManager[None]:
        """Open a transaction; see ``Store``."""

    def rows(self, sql: str, *values: object) -> list[Row]:
        """Return the rows of a query; ``?`` stands for each value."""

    def stream(self, sql: str, *values: object) -> Iterator[Row]:
        """Yield the rows of a long query, of which some are in memory at once; to its end."""

    def do(self, sql: str, *values: object) -> None:
        """Run a statement inside ``write()``."""

    def do_many(self, sql: str, rows: Iterable[Row]) -> None:
        """Run a statement with each of some rows, inside ``write()``."""

    def advance(self, bank: int, before: int, after: int) -> None:
        """
        Take the numbers of changes after ``before`` up to ``after``, inside ``write()``.

        Where several servers may write, ``StoreLocked`` for whoever did not see what others wrote.
        """

    def number(self, found: object, what: str) -> int:
        """Return the number a key holds, checked: in a damaged page anything may be there."""

    def among(self, column: str) -> str:
        """Return the words for "this column is one of", with a ``?`` for ``many``."""

    def many(self, values: Collection[int] | Collection[str]) -> object:
        """Return values as one parameter."""

    def size_of(self, column: str) -> str:
        """Return the words for how many bytes a text takes."""

    def using(self, index: str) -> str:
        """Return the words that have a query use an index, where the planner would not."""

    def unlocked(self) -> str:
        """Return the words that have a query pass over rows which another one is changing."""

    def is_marked_encrypted(self) -> bool:
        """Return whether the database says that its payloads are sealed."""

    def mark_encrypted(self) -> None:
        """Have it say so; inside ``write()``."""
