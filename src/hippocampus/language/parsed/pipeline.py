"""
Dependency parses of English, by spaCy's small pipeline, where both are installed.

The weights are installed by ``hippocampus models install english``, spaCy by the extra ``english``.
Loading takes 0.4 s, once a process, when something is first parsed; a sentence takes 1 to 3 ms, and
half of that among eight. No byte of the weights is given to spaCy that is not the pinned one.
"""

from __future__ import annotations

import threading
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hippocampus.core.word_lists import word_set
from hippocampus.encode.model_files import ENGLISH, find_altered, installed
from hippocampus.errors import EncoderError
from hippocampus.language.parsed.mending import mend

if TYPE_CHECKING:
    from collections.abc import Sequence

    from spacy.language import Language
    from spacy.tokens import Doc

_LONGEST: Final = 2000
"""Characters of a sentence that is parsed: what is longer is a list, or a log."""
_one_at_a_time = threading.Lock()
"""spaCy says of no pipeline that threads may share it."""


def can_parse() -> bool:
    """Return whether the weights and spaCy are both there; loads neither."""
    return find_spec("spacy") is not None and installed(ENGLISH) is not None


def parse(sentences: Sequence[str]) -> list[Doc]:
    """
    Parse sentences, each on its own, mended; what is longer than any sentence comes back cut.

    Raises:
        ModelNotInstalled: the weights are not there.
        EncoderError: they are not the ones that were installed.
        ImportError: spaCy is not.

    """
    folder = installed(ENGLISH)
    if folder is None:
        from hippocampus.encode.model_files import not_installed  # noqa: PLC0415 - seldom

        raise not_installed(ENGLISH)
    with _one_at_a_time:
        docs = list(_pipeline(folder).pipe([text[:_LONGEST] for text in sentences]))
        for doc in docs:
            mend(doc)  # which adds words to what all share
    return docs


@lru_cache(maxsize=1)
def _pipeline(folder: Path) -> Language:
    import spacy  # noqa: PLC0415 - slow to import, and optional

    altered = find_altered(ENGLISH, folder)
    if altered is not None:
        msg = (
            f"{folder}: its file {altered} was altered; run 'hippocampus models install {ENGLISH}"
            " --force'"
        )
        raise EncoderError(msg)
    # The recogniser of entities changes no fact and takes half the time (ADR 48).
    made = spacy.load(folder, exclude=["senter", "ner"])
    tokenizer: Any = made.tokenizer
    for word in word_set("diets"):  # "gluten-free" is one word
        tokenizer.add_special_case(word, [{"ORTH": word}])
    return made
