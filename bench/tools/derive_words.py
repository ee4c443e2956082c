"""Write the lists of words that are worked out from others, or with --check compare them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Final

from hippocampus.core import word_lists
from hippocampus.encode.languages import derive_grammar
from hippocampus.language.time.lexicon import derive_time_words

FOLDER: Final = Path(word_lists.__file__).parent / "words" / "derived"
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
