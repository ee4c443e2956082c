"""Comparison of the schema of a file with the one that our migrations make, object by object."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import zip_longest
from typing import Final, NamedTuple, TypeAlias

from hippocampus.store.schema import MIGRATIONS, Migration, readable

_Name: TypeAlias = tuple[str, str]
"""Type and name of an object, such as ("table", "tail")."""

_OBJECTS: Final = "SELECT type, name, sql FROM sqlite_schema"
_STATISTICS: Final = {
    ("table", f"sqlite_stat{number}"): f"CREATE TABLE sqlite_stat{number}({columns})"
    for number, columns in {1: "tbl,idx,stat", 4: "tbl,idx,neq,nlt,ndlt,sample"}.items()
}
"""Tables that ``ANALYZE`` leaves behind; whoever has SQLite may run it on a store."""
_SHOWN: Final = 60
"""Characters of a definition that a message shows, from where it differs. Chosen by hand."""


class SchemaDifferences(NamedTuple):
    """Differences of a file's schema from ours; all empty when there are none."""

    foreign: list[str]
    """Objects that no store has, such as "trigger 'x'"."""
    changed: list[str]
    """A message for each object that is defined otherwise, or is missing and cannot be derived."""
    missing: dict[str, str]
    """Indexes of ours that are not there, with the statement that makes each from its table."""

    def told(self) -> list[str]:
        """Return a message for each difference."""
        return [
            *(f"{one} is what no store has; drop it with SQLite" for one in self.foreign),
            *self.changed,
            *(f"index {name!r} is missing; the next opening makes it" for name in self.missing),
        ]


def compare(db: sqlite3.Connection, migrations: Sequence[Migration]) -> SchemaDifferences:
    """
    Compare each object of a database with the one these migrations make.

    A trigger, a view or an index of somebody else's runs whenever we read or write. A table of ours
    with another rule, such as ``ON CONFLICT IGNORE``, drops rows that we acknowledge. Blanks,
    comments, letter case and quotes around names make no difference.
    """
    ours = _made_by(tuple(migrations))
    differences = SchemaDifferences([], [], {})
    found: dict[_Name, object] = {}
    for kind, name, sql in read_objects(db):
        known = (kind, name) not in found and ((kind, name) in ours or _is_statistics(kind, name))
        if known:
            found[kind, name] = sql
        elif sql is not None or kind != "index":  # else it is of a table's own rules, told there
            differences.foreign.append(f"{kind} {name!r}")
    for (kind, name), expected in ours.items():
        if (kind, name) in found:
            differences.changed.extend(_difference(kind, name, found[kind, name], expected))
        elif kind == "index" and expected is not None:
            differences.missing[name] = expected
        else:
            differences.changed.append(f"{kind} {name!r} is missing")
    for kind, name in found.keys() & _STATISTICS.keys():
        expected = _STATISTICS[kind, name]
        differences.changed.extend(_difference(kind, name, found[kind, name], expected))
    return differences


def format_of(db: sqlite3.Connection, stated: int) -> int:
    """
    Return the format whose schema is nearest to that of a database, by the number of differences.

    At a tie it is the one that the header states, or else the newest.
    """

    def distance(number: int) -> tuple[int, bool, int]:
        found = compare(db, MIGRATIONS[:number])
        return sum(map(len, found)), number != stated, -number

    return min(range(1, len(MIGRATIONS) + 1), key=distance)


def make_missing(db: sqlite3.Connection, migrations: Sequence[Migration]) -> None:
    """
    Make the indexes of ours that are missing, each from its table, all or none.

    Raises:
        sqlite3.IntegrityError: rows that an index keeps apart are the same.

    """
    db.execute("BEGIN IMMEDIATE")
    try:
        for statement in compare(db, migrations).missing.values():
            db.execute(statement)
        db.execute("COMMIT")
    finally:
        if db.in_transaction:
            db.execute("ROLLBACK")


def read_objects(db: sqlite3.Connection) -> list[tuple[str, str, object]]:
    """Return (type, name, definition) of every object, whatever bytes their texts are of."""
    factory, db.text_factory = db.text_factory, readable
    try:
        return [(str(kind), str(name), sql) for kind, name, sql in db.execute(_OBJECTS)]
    finally:
        db.text_factory = factory


def is_plain_table(kind: str, sql: object) -> bool:
    """Return whether an object is a table of stored values alone: no view, no computed column."""
    words = [token.text for token in _tokens(sql)] if isinstance(sql, str) else []
    return kind == "table" and words[:2] == ["create", "table"] and "as" not in words


def _is_statistics(kind: str, name: str) -> bool:
    return (kind, name) in _STATISTICS


def _difference(kind: str, name: str, found: object, expected: str | None) -> Iterator[str]:
    """Yield the difference of a definition from the expected one, if any, and the remedy."""
    if found == expected:
        return
    here = found if isinstance(found, str) else ""
    names = _names(expected or "")
    for one, other in zip_longest(_tokens(here, names), _tokens(expected or "", names)):
        if one is None or other is None or one.text != other.text:
            is_, wanted = (
                "nothing" if token is None else repr(of[token.at : token.at + _SHOWN])
                for token, of in ((one, here), (other, expected or ""))
            )
            advice = (
                "; drop it with SQLite, and the next opening makes it anew"
                if kind == "index" and expected is not None
                else ""
            )
            yield f"{kind} {name!r} has {is_} where {wanted} is expected{advice}"
            return


class _SqlToken(NamedTuple):
    text: str
    at: int


# As SQLite divides a statement: its blanks are of ASCII, and all beyond ASCII is of names.
_TOKEN: Final = re.compile(
    r"""
    (?P<blank> [ \t\n\f\r]+ | --[^\n]* | /\*.*?(?:\*/|\Z) )
    | (?P<text> '(?:[^']|'')*'? )
    | (?P<name> "(?:[^"]|"")*"? | `(?:[^`]|``)*`? | \[[^\]]*\]? )
    | (?P<word> [A-Za-z0-9_$\x80-\U0010ffff]+ )
    | (?P<mark> . )
    """,
    re.VERBOSE | re.DOTALL,
)


def _tokens(sql: str, names: frozenset[str] = frozenset()) -> Iterator[_SqlToken]:
    """Yield the tokens of a statement; of these names the quotes are left out."""
    for found in _TOKEN.finditer(sql):
        text = found.group()
        if found.lastgroup == "word":
            text = _lower(text)
        elif found.lastgroup == "name" and _lower(text[1:-1]) in names:
            text = _lower(text[1:-1])
        if found.lastgroup != "blank":
            yield _SqlToken(text, found.start())


def _lower(text: str) -> str:
    """Return a word without its case, which SQLite overlooks in ASCII and nowhere else."""
    return text.lower() if text.isascii() else text


@cache
def _names(sql: str) -> frozenset[str]:
    """
    Return the names in a statement of ours, which alone are written in small letters.

    A keyword in quotes is none: ``TEXT "NOT" NULL`` allows what ``TEXT NOT NULL`` does not.
    """
    words = (found.group() for found in _TOKEN.finditer(sql) if found.lastgroup == "word")
    return frozenset(word for word in words if word.islower())


@cache
def _made_by(migrations: tuple[Migration, ...]) -> Mapping[_Name, str | None]:
    db = sqlite3.connect(":memory:", isolation_level=None)
    try:
        # They are run, for a second text of what they make could come to differ from them.
        for step in migrations:
            step(db)
        return {(kind, name): sql for kind, name, sql in db.execute(_OBJECTS)}
    finally:
        db.close()
