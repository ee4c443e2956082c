"""Calibration of an embedder: a trial on conversations that were made up, and what it tells."""

from __future__ import annotations

from hippocampus.calibrate import CONVERSATIONS
from hippocampus.calibrate.calibration import MOST_CONVERSATIONS, Calibration
from hippocampus.calibrate.conversations import read_synthetic
from hippocampus.calibrate.fit import find_hearing, learn_models
from hippocampus.calibrate.thresholds import find_cosines, weigh_signals
from hippocampus.calibrate.trial import Trial, run_trial
from hippocampus.core.records import Embedder, Progress
from hippocampus.errors import InputError


def calibrate(
    embedder: Embedder,
    *,
    conversations: int = CONVERSATIONS,
    progress: Progress | None = None,
) -> Calibration:
    """
    Find out what an embedder's numbers mean, on conversations that were made up.

    The same for the same embedder and number. No benchmark, and nothing of a bank, is read.
    """
    whole = isinstance(conversations, int) and not isinstance(conversations, bool)
    if not (whole and CONVERSATIONS <= conversations <= MOST_CONVERSATIONS):
        told = f"must be from {CONVERSATIONS} to {MOST_CONVERSATIONS}"
        raise InputError(f"conversations={conversations!r}: {told}")
    made_up = read_synthetic().first(conversations)
    return read_off(run_trial(embedder, made_up, progress), embedder)


def read_off(trial: Trial, embedder: Embedder) -> Calibration:
    """Return the calibration that a trial shows for the embedder that made it."""
    return Calibration(
        embedder=embedder.fingerprint,
        conversations=trial.conversations,
        seed=trial.seed,
        cosines=find_cosines(trial),
        hearing=find_hearing(trial.asked),
        signals=weigh_signals(trial.said),
        models=tuple(learnt.model for learnt in learn_models(trial.asked)),
    )
