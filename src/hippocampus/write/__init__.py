"""The write flow: check, echo filter, analyse, encode; ``bank/writes.py`` runs it, and commits."""
