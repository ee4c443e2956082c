"""Redaction of a context: secrets in its parts are replaced before they are fitted into it."""

from __future__ import annotations

from dataclasses import replace

from hippocampus.context.compose import Extras
from hippocampus.core.records import LABELS, Episode, EpisodeRow, Hit, Recall
from hippocampus.encode.tokens import count
from hippocampus.language.secrets import SecretFinder, relabelled


def redacted(found: Recall, extras: Extras, finder: SecretFinder) -> tuple[Recall, Extras]:
    """Return hits and other parts of a context without the secrets in their texts."""
    hits = tuple(_redacted_hit(hit, finder) for hit in found.hits)
    sessions = tuple(map(finder.redact_label, found.sessions))
    return replace(found, hits=hits, sessions=sessions), replace(
        extras,
        own=[p._replace(lines=tuple(map(finder.redact, p.lines))) for p in extras.own],
        gists=[finder.redact(gist) for gist in extras.gists],
        wishes=[_redacted_hit(hit, finder) for hit in extras.wishes],
        recent=[without_secrets(episode, finder) for episode in extras.recent],
    )


def _redacted_hit(hit: Hit, finder: SecretFinder) -> Hit:
    episode = without_secrets(hit.episode, finder)
    return replace(
        hit,
        episode=episode,
        # Counted anew: a label in place of a secret has another length.
        tokens=count(episode.text),
        # Places of characters mean nothing in a text that was changed.
        span=hit.span if episode.text == hit.text else None,
    )


def shown_address(row: EpisodeRow, finder: SecretFinder) -> str:
    """Return the address of a row as a context that hides secrets shows it."""
    shown = relabelled({name: getattr(row, name) for name in LABELS}, finder.redact_label)
    return str(shown["address"])


def without_secrets(episode: Episode, finder: SecretFinder) -> Episode:
    """Return an episode as a model may read it, who said it and where included."""
    shown = relabelled({name: getattr(episode, name) for name in LABELS}, finder.redact_label)
    return replace(episode, text=finder.redact(episode.text), **shown)
