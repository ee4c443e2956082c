"""Stands in for pip where a page is pasted: what it would install is ours, and has the extras."""

import re
import sys
from importlib.metadata import metadata

WANTED = re.compile(r"(\.|[\w-]+)(?:\[([\w,-]+)\])?")
OURS = ("hippocampus-memory", "hippocampus-bench", ".")


def problem(words):
    """Return what is wrong with the words of a command of pip, or nothing."""
    if words[:1] != ["install"]:
        return f"pip {' '.join(words)} is not known here"
    for word in (word for word in words[1:] if not word.startswith("-")):
        found = WANTED.fullmatch(word)
        if not found or found[1] not in OURS:
            return f"{word} is no distribution of ours"
        own = metadata("hippocampus-memory" if found[1] == "." else found[1])
        named = set(filter(None, (found[2] or "").split(",")))
        if unknown := named - set(own.get_all("Provides-Extra") or ()):
            return f"{word}: there is no extra {', '.join(sorted(unknown))}"
    return ""


if __name__ == "__main__":
    sys.exit(problem(sys.argv[1:]) or 0)
