"""Statements read off a dependency parse of English, sentence by sentence (``reader.py``)."""
