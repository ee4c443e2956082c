"""Write the lists of words that are worked out from others, or with --check compare them."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Final

from hippocampus.core import word_lists
from hippocampus.core.word_lists import word_set
from hippocampus.encode.languages import ENGLISH, bare, stop_words
from hippocampus.language.time.english import word_meanings
from hippocampus.language.time.lexicon import LONG, known_words

FOLDER: Final = Path(word_lists.__file__).parent / "words" / "derived"


def derive_grammar() -> dict[str, list[str]]:
    """Return ``words/derived/grammar.txt``: words of grammar by their languages."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for word in word_set("numbers") | word_set("light_verbs") | word_set("irregular_pasts"):
        if word not in stop_words()[ENGLISH]:
            found[word].append(ENGLISH)  # whose own list is the shortest
    for language, words in stop_words().items():
        for word in words:
            found[word].append(language)
        for word in {bare(word) for word in words}.difference(words):
            found[word].append(language)  # many write without accents
    shared: defaultdict[str, list[str]] = defaultdict(list)
    for word in sorted(found):
        shared[" ".join(found[word])].append(word)
    return dict(sorted(shared.items()))


def derive_time_words() -> dict[str, set[str]]:
    """
    Return ``words/derived/time_words.txt``: the core words of every language.

    "foreign" are those that are not of English, "shared" those that may be. Most texts have none,
    and whoever asks that of one text need not read the words of fifty languages.
    """
    english = word_meanings().keys() | stop_words()[ENGLISH]
    core = known_words()[1]
    shared = {word for word in core if word in english or (word.isascii() and len(word) < LONG)}
    return {"foreign": set(core - shared), "shared": shared}


DERIVED: Final[Mapping[str, tuple[str, Callable[[], Mapping[str, Collection[str]]]]]] = {
    "grammar": ("Words of grammar by the languages that have them.", derive_grammar),
    "time_words": (
        "Words that tell a time in another language than English, and those that may be English.",
        derive_time_words,
    ),
}


def written(name: str) -> str:
    """Return what a list should be, worked out anew."""
    about, derive = DERIVED[name]
    rows = [f"{kind}: {' '.join(sorted(words))}" for kind, words in derive().items()]
    return "\n".join(
        [f"# {about}", "# Made by bench/tools/derive_words.py; do not edit.", *rows, ""]
    )


def main() -> None:
    """Rewrite the lists, or fail where one differs."""
    for name in DERIVED:
        path, fresh = FOLDER / f"{name}.txt", written(name)
        if "--check" not in sys.argv[1:]:
            path.write_text(fresh, "utf-8")
        elif not path.exists() or path.read_text("utf-8") != fresh:
            sys.exit(f"{path.name} is out of date: run 'python bench/tools/derive_words.py'")


if __name__ == "__main__":
    main()
