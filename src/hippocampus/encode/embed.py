"""Embedders by specification, such as ``minilm`` or ``openai:MODEL@URL``."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from hippocampus._moved import warn_of_old_name
from hippocampus.core.records import Embedder
from hippocampus.encode.embedders.hashing import HashEmbedder
from hippocampus.encode.model_files import DEFAULT_MODEL, MULTILINGUAL, installed, not_installed
from hippocampus.errors import BENCH, InputError, MissingExtra

__all__ = ["SPECS", "HashEmbedder", "load_embedder"]

SPECS = {
    "default": f"{DEFAULT_MODEL} on this machine, installed by 'hippocampus models install'",
    "minilm": "the same, by its name",
    "multilingual": "multilingual-e5-small, installed by 'hippocampus models install multilingual'",
    "none": "no embedder: search without meaning",
    "hash[:DIMENSION]": "equal words only, no model; for tests and demonstrations",
    "openai:MODEL[@BASE_URL]": "a server that speaks the OpenAI protocol",
    "sentence-transformers:NAME_OR_FOLDER": "a model of sentence-transformers",
    "fastembed:NAME": "a model of fastembed",
    "model2vec:NAME_OR_FOLDER": "static embeddings of model2vec",
}
"""Every form a specification takes, and what it means."""

_ADAPTERS = {
    "sentence-transformers": "SentenceTransformerEmbedder",
    "fastembed": "FastEmbedEmbedder",
    "model2vec": "Model2VecEmbedder",
}
"""Classes by the kind of specification; each lies in a module of that name, loaded when used."""


def load_embedder(spec: str, *, directory: Path | None = None) -> Embedder | None:
    """
    Load the embedder a specification names; None for ``"none"``.

    Downloads nothing. The package behind a form is imported only when that form is used.

    Args:
        spec: One of the forms in ``SPECS``.
        directory: Where ``models.install`` put its models, ``models_directory()`` unless given.

    Raises:
        InputError: The specification has none of the forms.
        ModelNotInstalled: The weights are not on this machine.
        MissingExtra: The package that runs the model is not installed.
    """
    kind, _, rest = spec.partition(":")
    match kind, rest:
        case "none", "":
            return None
        case (("default" | "minilm"), ""):
            folder = installed(DEFAULT_MODEL, directory=directory)
            if folder is None:
                raise not_installed(DEFAULT_MODEL, directory=directory)
            from hippocampus.encode.minilm import MiniLmEmbedder  # noqa: PLC0415 - heavy

            return MiniLmEmbedder(folder)
        case "multilingual", "":
            folder = installed(MULTILINGUAL, directory=directory)
            if folder is None:
                raise not_installed(MULTILINGUAL, directory=directory)
            from hippocampus.encode.multilingual import MultilingualEmbedder  # noqa: PLC0415

            return MultilingualEmbedder(folder)
        case "hash", digits if not digits or (digits.isascii() and digits.isdecimal()):
            return HashEmbedder(int(digits)) if digits else HashEmbedder()
        case "openai", name if name:
            from hippocampus.encode.embedders.openai import OpenAIEmbedder  # noqa: PLC0415

            model, _, url = name.partition("@")
            return OpenAIEmbedder(model, base_url=url or None)
        case _, name if name and kind in _ADAPTERS:
            module = import_module(f"hippocampus.encode.embedders.{kind.replace('-', '_')}")
            made: Embedder = getattr(module, _ADAPTERS[kind])(name)
            return made
    forms = ", ".join(SPECS)
    msg = f"unknown embedder {spec!r}: use one of {forms}"
    raise InputError(msg)


def __getattr__(name: str) -> object:
    """Return ``CachedEmbedder`` from where it is now, until 0.3."""
    if name != "CachedEmbedder":
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    home = "hippocampus_bench.cached_embedder"
    try:
        cached: object = import_module(home).CachedEmbedder
    except ModuleNotFoundError as exc:
        if exc.name != "hippocampus_bench":
            raise  # it is there and broken: do not hide that
        raise MissingExtra(f"{__name__}.{name}", package=BENCH, extra=None) from exc
    warn_of_old_name(f"{__name__}.{name}", f"{home}.{name}")
    return cached
