"""
The product's regular expressions, and texts that are made to keep each of them busy.

A matcher goes back and tries again wherever an expression can read the same text in two ways. So a
hostile text leads up to a part that repeats, repeats what it repeats, and ends in something that
fits nowhere; or it repeats how an expression begins, and never ends it.
"""

import importlib
import re
import re._constants as op
import re._parser as parser
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from types import ModuleType
from typing import Any

from hippocampus.core.lazy_pattern import _LazyPattern
from hippocampus.core.word_lists import Patterns, pattern_list
from hippocampus.errors import MissingExtra

SOURCE = Path(importlib.import_module("hippocampus").__file__).parent
_LETTERS = " \t\na1_-.,:;'\"`<>[](){}#*@/=A+|~$!?é漢\\&%0zx5"
_CLASSES = {
    op.CATEGORY_SPACE: r"\s", op.CATEGORY_NOT_SPACE: r"\S", op.CATEGORY_DIGIT: r"\d",
    op.CATEGORY_NOT_DIGIT: r"\D", op.CATEGORY_WORD: r"\w", op.CATEGORY_NOT_WORD: r"\W",
}  # fmt: skip
_REPEATS = (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT)
_ASSERTIONS = (op.ASSERT, op.ASSERT_NOT)
_MANY = 100
_PICKS = (0, 1, 2, 5)
"""Which of several ways to go, by turns; the same number is the same way in every run."""
_MOST_TEXTS = 600
_ENDS = ("\x01", "", " \x01")
_PLAIN = (" ", "\n", "a", "1", "a ", "A ", " a", "\n ", ".", "-", "A", "a.", "a-", "'", "# ")


def patterns() -> dict[str, re.Pattern[Any]]:
    """Return the expressions of modules and of ``patterns/*.txt``, by where they stand."""
    found: dict[str, re.Pattern[Any]] = {}
    for file in sorted((SOURCE / "core" / "patterns").glob("*.txt")):
        for name, expression in pattern_list(file.stem):
            found[f"{file.name}: {name}"] = re.compile(expression)
    for file in sorted(SOURCE.rglob("*.py")):
        if re.search(r"lazy_pattern\(|re\.compile\(", file.read_text("utf-8")):
            module = _module(file)
            for name, value in vars(module).items() if module else ():
                found |= _within(f"{file.relative_to(SOURCE)}: {name}", value)
    return found


def _module(file: Path) -> ModuleType | None:
    name = ".".join(("hippocampus", *file.relative_to(SOURCE).with_suffix("").parts))
    try:
        return importlib.import_module(name.removesuffix(".__init__"))
    except (ImportError, MissingExtra):
        return None  # of an extra that is not here


def _within(name: str, value: object) -> dict[str, re.Pattern[Any]]:
    if isinstance(value, _LazyPattern):
        return {name: re.compile(value.pattern, value._flags)}
    if isinstance(value, re.Pattern):
        return {name: value}
    if isinstance(value, Patterns) or not isinstance(value, tuple | list | dict):
        return {}
    parts = value.values() if isinstance(value, dict) else value
    return {
        f"{name}[{at}]": one
        for at, part in enumerate(islice(parts, 500))
        for one in _within(name, part).values()
    }


def hostile_texts(pattern: re.Pattern[Any], size: int) -> Iterator[str]:
    """Yield texts of about so many characters, none twice, the same in every run."""
    seen: set[tuple[str, str]] = set()
    tree = parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG)
    if not _repeats(tree):
        return
    plain = (("", one) for one in _PLAIN)
    for head, part in (*plain, *islice(_attacks(tree, ""), 4 * _MOST_TEXTS)):
        if part and (head, part) not in seen and len(seen) < _MOST_TEXTS:
            seen.add((head, part))
            for end in _ENDS:
                yield head + part * (size // len(part)) + end


def _repeats(tree: Sequence[Any]) -> bool:
    """Return whether any part of an expression repeats without a small bound."""
    return any(
        (kind in _REPEATS and (value[1] is op.MAXREPEAT or value[1] >= _MANY))
        or any(map(_repeats, _inside(kind, value)))
        for kind, value in tree
    )


def _attacks(tree: Sequence[Any], before: str) -> Iterator[tuple[str, str]]:
    """Yield what leads up to some part of an expression, and what is to be repeated there."""
    nodes = list(tree)
    for place, (kind, value) in enumerate(nodes):
        repeats = kind in _REPEATS
        for pick in _PICKS:
            head = before + _sample(nodes[:place], pick)
            if repeats and (value[1] is op.MAXREPEAT or value[1] >= _MANY):
                yield from ((head, _sample(value[2], other)) for other in range(6))
            yield "", head
            if repeats:
                yield "", head + _sample(value[2], pick)
        head = before + _sample(nodes[:place], 0)
        for inside in _inside(kind, value):
            yield from _attacks(inside, head)
    yield from (("", before + _sample(nodes, pick)) for pick in range(3))


def _inside(kind: Any, value: Any) -> list[Any]:
    """Return the parts of a part."""
    if kind in _REPEATS:
        return [value[2]]
    if kind is op.SUBPATTERN:
        return [value[3]]
    if kind is op.ATOMIC_GROUP:
        return [value]
    if kind is op.BRANCH:
        return list(value[1])
    return [value[1]] if kind in _ASSERTIONS else []


def _sample(tree: Sequence[Any], pick: int) -> str:
    """Return a text that fits, or nearly; ``pick`` chooses among the ways to write it."""
    return "".join(_sample_of(kind, value, pick) for kind, value in tree)


def _sample_of(kind: Any, value: Any, pick: int) -> str:
    if kind is op.LITERAL:
        return chr(value)
    if kind is op.NOT_LITERAL:
        return next(one for one in _LETTERS[pick % 4 :] if ord(one) != value)
    if kind is op.ANY:
        return _LETTERS[3 + pick % 4] if pick % 2 else " "
    if kind is op.IN:
        fits = _fitting(value)
        return fits[pick % len(fits)]
    if kind in _REPEATS:
        least = max(value[0], pick % 2)  # what may be left out is there half of the times
        return _sample(value[2], pick) * least
    parts = [] if kind in _ASSERTIONS else _inside(kind, value)
    return _sample(parts[pick % len(parts)], pick) if parts else ""


def _fitting(items: Sequence[Any]) -> list[str]:
    """Return some characters of a class."""
    negated = items[0][0] is op.NEGATE
    named = [chr(v if kind is op.LITERAL else v[0]) for kind, v in items
             if kind in (op.LITERAL, op.RANGE) and not negated]  # fmt: skip
    fits = [one for one in _LETTERS if any(_is_in(one, *item) for item in items) != negated]
    return [*fits, *named] or ["a"]


def _is_in(one: str, kind: Any, value: Any) -> bool:
    if kind is op.LITERAL:
        return ord(one) == value
    if kind is op.RANGE:
        return bool(value[0] <= ord(one) <= value[1])
    return kind is op.CATEGORY and re.match(_CLASSES[value], one) is not None
