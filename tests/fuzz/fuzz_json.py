"""
Changes of JSON that leave it JSON: what is refused at once is no test of what is in it.

What does not begin like JSON, after a byte that chooses, is changed as bytes are.
"""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Callable
from typing import Any, Final

VALUES: Final[tuple[Any, ...]] = (
    None, True, False, 0, -1, 1, 255, 1 << 31, -(1 << 31), (1 << 32) - 1, 1 << 53, (1 << 63) - 1,
    1 << 63, -(1 << 63), 10**30, -(10**30), 0.5, -0.0, 1e-320, 1e308, float("inf"), float("nan"),
    "", " ", "x", "\0", "\ud800", "\U0001f600", "é", "e\u0301", "\u202e", "0", "-1", "1e9",
    "9999-12-31T23:59:59.999999Z", "0001-01-01T00:00:00+23:59", "2024-02-30", "2024-05-03",
    "253402300800", "a" * 300, "../x", [], {}, [[]], [None], {"": None}, [0, 0], ["", ""],
)  # fmt: skip
"""What stands where something else was expected."""

Mutate = Callable[[bytes, int], bytes]


def mutate(data: bytes, longest: int, seed: int, otherwise: Mutate) -> bytes:
    """Return other JSON than what is given, or what ``otherwise`` makes of bytes that are none."""
    chance = random.Random(seed)  # noqa: S311
    if chance.random() < 0.5:
        return otherwise(data, longest)
    head = data[:1] if data[:1] not in (b"{", b"[") else b""
    try:
        value = json.loads(data[len(head) :])
    except (ValueError, RecursionError):
        return otherwise(data, longest)
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        value = _changed(value, chance)
    made = head + json.dumps(value, ensure_ascii=chance.random() < 0.3).encode(
        errors="surrogatepass" if chance.random() < 0.2 else "replace"
    )
    return made if len(made) <= longest else otherwise(data, longest)


def _places(value: Any, at: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths of all values in a value."""
    found = [at]
    if isinstance(value, dict | list):
        inner = value.items() if isinstance(value, dict) else enumerate(value)
        for key, one in inner:
            found += _places(one, (*at, key))
    return found


def _changed(value: Any, chance: random.Random) -> Any:
    places = _places(value)
    place = chance.choice(places)
    if not place:
        return value if chance.random() < 0.9 else copy.deepcopy(chance.choice(VALUES))
    inside = value
    for key in place[:-1]:
        inside = inside[key]
    key, old = place[-1], inside[place[-1]]
    deed = chance.randrange(6)
    if deed == 0:
        del inside[key]
    elif deed == 1:  # something else of the same text
        other = value
        for step in chance.choice(places):
            other = other[step]
        inside[key] = json.loads(json.dumps(other))
    elif deed == 2 and isinstance(inside, list):
        inside.insert(key, old)
    elif deed == 2 and isinstance(inside, dict):
        inside[str(chance.choice(VALUES))] = inside.pop(key)
    elif deed == 3 and isinstance(old, int | float) and not isinstance(old, bool):
        inside[key] = chance.choice((old + 1, old - 1, -old, old * 1000, float(old), str(old)))
    elif deed == 4 and isinstance(old, str):
        at = chance.randrange(len(old) + 1)
        inside[key] = old[:at] + str(chance.choice(VALUES)) + old[at:]
    else:
        inside[key] = copy.deepcopy(chance.choice(VALUES))
    return value
