"""Make the material: a bank of some size from ``bench.banks``, or LoCoMo's conversations."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

import numpy as np

from bench.banks import LAST, TableEmbedder, default_embedder, questions, turns
from bench.peers.contract import Asked, Item
from bench.peers.material import ASKED, Material
from hippocampus.core.records import Passage
from hippocampus_bench.locomo import load
from hippocampus_bench.options import Options

EMBEDDED = 256


def asked(texts: Sequence[str], at: Sequence[str]) -> list[Asked]:
    """Embed questions."""
    made = [default_embedder().embed_query(text) for text in texts]
    return [
        Asked(text=text, at=when, vector=one.vector, tokens=one.tokens, spans=one.spans)
        for text, when, one in zip(texts, at, made, strict=True)
    ]


def sized(folder: Path, count: int) -> Material:
    """Return the material of a bank of ``count`` mixed turns; made once."""
    material = Material(folder / str(count))
    if material.whole:
        return material
    table, items = TableEmbedder(), []
    vectors = np.empty((count, default_embedder().fingerprint.dimension), np.float32)
    for place, turn in enumerate(turns(count)):
        item = Item(
            id=str(place), text=turn.text, speaker=turn.speaker, session=turn.session,
            at=turn.at.isoformat(), of=tuple(turn.metadata["from"]),
        )  # fmt: skip
        table.expect([turn])
        vectors[place] = table.embed([Passage(item.said)])[0].vector
        items.append(item)
    texts, now = questions(2 * ASKED), (LAST + timedelta(days=1)).isoformat()
    material.write(items, vectors, asked(texts, [now] * len(texts)))
    return material


def conversations(folder: Path, data: Path) -> Path:
    """Return the folder of LoCoMo's conversations, each a material; ``gold.json`` has the rest."""
    kept = folder / "gold.json"
    if kept.exists() and Material(folder / "0").whole:
        return folder
    gold = []
    for place, case in enumerate(load(data, Options()).cases):
        items = [
            Item(
                id=str(row), text=said.turn.text, speaker=said.turn.speaker,
                session=said.turn.session, at=said.turn.at.isoformat(),
            )
            for row, said in enumerate(case.said)
        ]  # fmt: skip
        passages = [Passage(item.said) for item in items]
        embedded = [
            one.vector
            for start in range(0, len(passages), EMBEDDED)
            for one in default_embedder().embed(passages[start : start + EMBEDDED])
        ]
        told = [question for question in case.questions if question.answerable]
        whens = [question.now.isoformat() for question in told]
        made = asked([question.text for question in told], whens)
        Material(folder / str(place)).write(items, np.stack(embedded), made)
        row_of = {said.key: str(row) for row, said in enumerate(case.said)}
        gold.append([sorted(row_of[key] for key in question.gold) for question in told])
    kept.write_text(json.dumps(gold))
    return folder
