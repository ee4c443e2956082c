"""Redaction of a context: secrets in its parts are replaced before they are fitted into it."""

from __future__ import annotations

from dataclasses import replace

from hippocampus.context.compose import Extras
from hippocampus.core.records import Episode, Recall
from hippocampus.encode.tokens import count
from hippocampus.language.secrets import SecretFinder


def redacted(found: Recall, extras: Extras, finder: SecretFinder) -> tuple[Recall, Extras]:
    """Return hits and other parts of a context without the secrets in their texts."""
    hits = tuple(
        replace(
            hit,
            episode=episode,
            tokens=count(episode.text),
            span=hit.span if episode.text == hit.text else None,
        )
        for hit, episode in ((hit, _redacted(hit.episode, finder)) for hit in found.hits)
    )
    return replace(found, hits=hits), replace(
        extras,
        own=[p._replace(lines=tuple(map(finder.redact, p.lines))) for p in extras.own],
        gists=[finder.redact(gist) for gist in extras.gists],
        recent=[_redacted(episode, finder) for episode in extras.recent],
    )


def _redacted(episode: Episode, finder: SecretFinder) -> Episode:
    return replace(episode, text=finder.redact(episode.text))
