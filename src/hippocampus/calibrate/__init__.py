"""Calibration: thresholds and weights of an embedder, found on synthetic conversations."""
