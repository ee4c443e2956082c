"""
The read flow: parse, propose, expand, score, reorder, read, rerank, decide; a module for each step.

``bank/recall.py`` runs it, ``search.py`` its part from propose to reorder. Recall only reads.
"""
