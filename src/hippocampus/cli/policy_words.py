"""Words for the settings of a policy in 'hippocampus policy'; programs get fields."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, replace
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hippocampus.core.config import Policy


def name_of(policy: Policy) -> str:
    """Return the name that sets a policy, with its target; empty for one of somebody's own."""
    from hippocampus.core.config import POLICIES  # noqa: PLC0415 - the engine, only when used

    bare = replace(policy, token_target=None, episode_target=None)
    target = policy.token_target or policy.episode_target
    for name, known in POLICIES.items():
        if known == bare:
            return name if target is None else f"{name}:{target}"
    return ""


def rows_of(policy: Policy) -> list[tuple[str, str, str]]:
    """Return each setting of a policy with its value and what it means."""
    meanings = _meanings()
    return [(name, _shown(value), meanings.get(name, "")) for name, value in asdict(policy).items()]


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


@cache
def _meanings() -> Mapping[str, str]:
    return {
        "importance": "how memories are valued: four signals, or five factors (HUMAN, Table 2)",
        "promote": "share of what is new, the most important, that goes to long-term memory",
        "prune": "share of what is new, the least important, that may fade at once",
        "merge": "what is merged: exact (words), near (meaning), cluster (matter), off (nothing)",
        "near": "cosine from which two mean the same; none: as calibrated for the embedder",
        "reconsolidate": "whether corrections soon after a recall are linked to the memory",
        "labile_minutes": "how long after a recall that is",
        "decay_per_hour": "how fast importance decays; 0.001: half in 29 days",
        "retroactive": "interference: what a later memory that is alike takes away",
        "proactive": "interference: what an earlier memory that is alike takes away",
        "hot_hours": "age up to which nothing fades",
        "warm_days": "days after that in which memories fade to warm_level at most",
        "long_days": "days after which memories are hidden, unless promoted; none: never",
        "warm_level": "0 all, 1 without ornament, 2 half, 3 a quarter, 4 keywords",
        "deepest": "as warm_level, for what is older; 5 hides, 0 lets nothing fade",
        "token_target": "tokens that all memories may have together; none: any number",
        "episode_target": "memories that are kept; none: all",
        "retain": "which are kept: foreseen (likely to be of use), proven (was of use)",
        "probationary_share": "share of them for memories that were not of use yet",
        "evict_probationary": "whether those beyond that share are hidden although there is room",
        "prune_turns": "every so many turns, prune_share of them is hidden",
        "prune_share": "share hidden then, of least salience (HEMA)",
        "freshness": "weight of being new in that salience",
        "turn_decay": "how fast that is lost, per turn",
        "retrieved": "weight of having been recalled in that salience",
        "cap": "largest share of the memories that one sleep may let fade or hide",
        "doubt_minutes": "minutes that an implausible memory stays in quarantine",
    }
