"""Calibration of an embedder: a trial on conversations that were made up, and what it tells."""

from __future__ import annotations

from hippocampus.calibrate.calibration import CONVERSATIONS, MOST_CONVERSATIONS, Calibration
from hippocampus.calibrate.fit import find_hearing, learn_models
from hippocampus.calibrate.thresholds import details, find_cosines, weigh_signals
from hippocampus.calibrate.trial import Trial, run_trial
from hippocampus.core.records import Embedder, Progress
from hippocampus.errors import InputError


def calibrate(
    embedder: Embedder,
    *,
    conversations: int = CONVERSATIONS,
    seed: int = 1,
    progress: Progress | None = None,
) -> Calibration:
    """
    Find out what an embedder's numbers mean, on conversations that were made up.

    The same for the same embedder, number and seed. No benchmark, and nothing of a bank, is read.
    """
    if not CONVERSATIONS <= conversations <= MOST_CONVERSATIONS:
        msg = f"conversations={conversations}: must be from {CONVERSATIONS} to {MOST_CONVERSATIONS}"
        raise InputError(msg)
    trial = run_trial(embedder, conversations=conversations, seed=seed, progress=progress)
    return read_off(trial, embedder)


def read_off(trial: Trial, embedder: Embedder) -> Calibration:
    """Return what a trial says of the embedder that made it."""
    return Calibration(
        embedder=embedder.fingerprint,
        conversations=trial.conversations,
        seed=trial.seed,
        cosines=find_cosines(trial, details(embedder, trial.seed)),
        hearing=find_hearing(trial.asked),
        signals=weigh_signals(trial.said),
        models=tuple(learnt.model for learnt in learn_models(trial.asked)),
    )
