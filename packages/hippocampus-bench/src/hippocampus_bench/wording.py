"""
Reads the words that made-up benchmarks are told in: data, so that anybody may write others.

A wording is a TOML file for one benchmark. What it leaves out stays as in the tuned wording, the
one that the benchmark was written with; what it has is checked before anything is made of it. How
to write one is on the page "Wordings" of the documentation.
"""

from __future__ import annotations

import hashlib
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, Generic, NamedTuple, TypeAlias, TypeVar

import msgspec

from hippocampus.core.files import read_text, writing
from hippocampus.errors import InputError

TUNED: Final = "tuned"
"""The wording that a benchmark was written with, and whoever improved recall looked at."""
SECOND: Final = "second"
"""One that shares few words with it, and that nobody may write a rule for."""
PACKAGED: Final = (TUNED, SECOND)
BENCHMARKS: Final = ("corf", "dialogue", "passages", "events")

_SLOT = re.compile(r"\{((?:a:)?)(\w+?)(\d?)\}")
_INDEX = re.compile(r"\[\d+\]")
_SHOWN: Final = 60

Tree: TypeAlias = Mapping[str, Any]
T = TypeVar("T")


class Slots(NamedTuple):
    """Words that may stand in braces in the sentences of a key."""

    needed: frozenset[str] = frozenset()
    allowed: frozenset[str] = frozenset()
    words: bool = True
    """Whether what the wording has words for may, too."""


def slots(needed: str = "", allowed: str = "", *, words: bool = True) -> Slots:
    """Return slots from names with spaces between."""
    return Slots(frozenset(needed.split()), frozenset(allowed.split()), words)


@dataclass(frozen=True, slots=True)
class Wording(Generic[T]):
    """A wording that was read and checked."""

    benchmark: str
    name: str
    sha256: str
    """Of the file."""
    sentences: int
    reworded: float
    """Share of its sentences that the tuned wording has not."""
    texts: T

    def as_dict(self) -> dict[str, object]:
        """Return the form of it in a report."""
        return {
            "name": self.name,
            "sha256": self.sha256,
            "sentences": self.sentences,
            "reworded": round(self.reworded, 3),
        }


class Form(NamedTuple, Generic[T]):
    """Parts of a benchmark's wording."""

    benchmark: str
    type: type[T]
    slots: Mapping[str, Slots]
    """By key, ``kinds[].titles``; keys that are not here hold words without slots."""
    words: Callable[[T], frozenset[str]]
    """Names of slots that are filled from the wording, or from elsewhere."""


def write(benchmark: str, given: str, path: Path) -> Path:
    """Write a wording out as it stands, to begin another from; returns the file."""
    if benchmark not in BENCHMARKS:
        msg = f"{benchmark} has no wording; there are those of {', '.join(BENCHMARKS)}"
        raise InputError(msg)
    text, _ = _text(benchmark, given)
    with writing(path) as unfinished:
        unfinished.write_text(text, encoding="utf-8", newline="\n")
    return path


def read(form: Form[T], given: str = TUNED) -> Wording[T]:
    """
    Read a wording: ``tuned``, ``second`` or a file.

    Raises:
        InputError: it is not TOML, is of another benchmark, or breaks a rule; names the file, the
            key and what stands there.
        SourceError: the file cannot be read.

    """
    if given not in PACKAGED:
        return _made(form, given)
    key = form.benchmark, given
    if key not in _READ:
        _READ[key] = _made(form, given)
    found: Wording[T] = _READ[key]
    return found


_READ: Final[dict[tuple[str, str], Wording[Any]]] = {}
"""Those of this package: they do not change."""


def _made(form: Form[T], given: str) -> Wording[T]:
    text, where = _text(form.benchmark, given)
    try:
        tree = tomllib.loads(text)
    except tomllib.TOMLDecodeError as exc:
        msg = f"{where}: not TOML: {exc}; texts stand in quotes, lists in [brackets] with commas"
        raise InputError(msg) from exc
    of = tree.get("benchmark")
    if of != form.benchmark:
        msg = f'{where}: benchmark = {of!r}: this one needs benchmark = "{form.benchmark}"'
        raise InputError(msg)
    tuned = tomllib.loads(_text(form.benchmark, TUNED)[0])
    whole = _laid_over(tuned, tree)
    try:
        texts = msgspec.convert(whole, form.type)
    except msgspec.ValidationError as exc:
        msg = f"{where}: {exc}; see the page 'Wordings', or begin from --write-wording"
        raise InputError(msg) from exc
    _check(form, whole, texts, where)
    sentences = [said for key, said in _strings(whole) if _is_sentence(key, said)]
    known = {said for _, said in _strings(tuned)}
    return Wording(
        benchmark=form.benchmark,
        name=str(tree.get("name") or Path(given).stem),
        sha256=hashlib.sha256(text.encode()).hexdigest(),
        sentences=len(sentences),
        reworded=sum(said not in known for said in sentences) / max(1, len(sentences)),
        texts=texts,
    )


def _is_sentence(key: str, said: str) -> bool:
    return " " in said and not key.startswith(("words.", "parts.", "name", "names."))


def _text(benchmark: str, given: str) -> tuple[str, str]:
    """Return a wording's file and what errors call it."""
    if given not in PACKAGED:
        path = Path(given)
        if not path.is_file():
            msg = f"{given}: no such file; a wording is {', '.join(PACKAGED)} or a TOML file"
            raise InputError(msg)
        try:
            return read_text(path), path.name
        except UnicodeDecodeError as exc:
            msg = f"{path.name}: is not UTF-8 text ({exc.reason}); save it as UTF-8"
            raise InputError(msg) from exc
    name = benchmark if given == TUNED else f"{benchmark}-{given}"
    file = files("hippocampus_bench") / "data" / "wordings" / f"{name}.toml"
    return file.read_text(encoding="utf-8"), f"{name}.toml"


def _laid_over(tuned: Tree, given: Tree) -> dict[str, Any]:
    """Return a wording with what it leaves out; lists are taken whole, tables key by key."""
    out = dict(tuned)
    for key, value in given.items():
        below = out.get(key)
        if isinstance(value, dict) and isinstance(below, dict):
            out[key] = _laid_over(below, value)
        else:
            out[key] = value
    return out


# ---------------------------------------------------------------- slots


def _strings(tree: object, key: str = "") -> Iterator[tuple[str, str]]:
    """Yield every text of a tree with where it stands: ``kinds[2].titles[0]``."""
    if isinstance(tree, str):
        yield key, tree
    elif isinstance(tree, Mapping):
        for name, below in tree.items():
            yield from _strings(below, f"{key}.{name}" if key else str(name))
    elif isinstance(tree, list):
        for place, below in enumerate(tree):
            yield from _strings(below, f"{key}[{place}]")


def _check(form: Form[T], whole: Tree, texts: T, where: str) -> None:
    words = form.words(texts)
    for key, said in _strings(whole):
        path = _INDEX.sub("[]", key).removesuffix("[]")
        rule = form.slots.get(path) or form.slots.get(re.sub(r"\.[^.]+$", ".*", path))
        check_sentence(said, rule or Slots(words=False), words, f"{where}: {key} = {_quoted(said)}")


def check_sentence(said: str, rule: Slots, words: frozenset[str], where: str) -> None:
    """Refuse a sentence with slots that nothing fills, or without those that its key needs."""
    found = _SLOT.findall(said)
    may = rule.needed | rule.allowed
    for _, name, number in found:
        if name + number not in may and not (rule.words and name in words):
            there = ", ".join(f"{{{one}}}" for one in sorted(may)) or "no slot"
            also = ", and any of its words" if rule.words else ""
            msg = f"{where}: nothing fills {{{name}{number}}} here; there is {there}{also}"
            raise InputError(msg)
    if missing := rule.needed - {name + number for _, name, number in found}:
        msg = f"{where}: needs {{{min(missing)}}}, without which it says nothing of its own"
        raise InputError(msg)
    if set(_SLOT.sub("", said)) & set("{}"):
        msg = f"{where}: a brace without its slot; slots are such as {{{min(may | {'who'})}}}"
        raise InputError(msg)


def _quoted(said: str) -> str:
    return repr(said if len(said) <= _SHOWN else said[: _SHOWN - 1] + "…")
