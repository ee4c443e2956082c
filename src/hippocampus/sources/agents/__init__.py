"""Logs of coding agents' sessions, and the files they take for memory."""
