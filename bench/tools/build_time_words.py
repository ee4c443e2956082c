"""
Write ``words/times/common.txt``: words for times in many languages, from dateparser's locale data.

    python bench/tools/build_time_words.py

needs dateparser, which is no dependency: ``pip install dateparser==1.5.0`` in any environment.
Its data is the CLDR's (Unicode licence) with additions of its own (BSD).
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from importlib import import_module
from itertools import product
from pathlib import Path

WORDS = Path(__file__).parents[2] / "src/hippocampus/core/words"
LANGUAGES = (
    "ar bg bn ca cs da de el es et eu fa fi fr ga gu he hi hr hu hy id it ja kn ko lt lv ml mr ne"
    " nl no pl pt ro ru sk sl sr sv ta te th tr uk vi zh"
).split()
STORED_AS = {"no": ("nb",), "sr": ("sr-Latn", "sr-Cyrl")}
MONTHS = (
    "january february march april may june july august september october november december"
).split()
WEEKDAYS = "monday tuesday wednesday thursday friday saturday sunday".split()
UNITS = "year month week day hour minute".split()
NUMBERS = "one two three four five six seven eight nine ten eleven twelve".split()
DAYS = {
    "0 day ago": "today",
    "1 day ago": "yesterday",
    "in 1 day": "tomorrow",
    "2 day ago": "the day before yesterday",
    "in 2 day": "the day after tomorrow",
    "0 second ago": "now",
}
SHIFTS = {"1 {} ago": "last", "0 {} ago": "this", "in 1 {}": "next"}
NO_SHIFTS = set(
    "här den der die das dem het los las une une les the del nel nella alle als til για για την τον"
    " της του εβδομάδα".split()
)
NUMBER_PLACE = re.compile(r"\(\\d[^)]*\)")
HEAD = """\
# Words for times in many languages: the language, the English words, and those that mean them. \
Written by bench/tools/build_time_words.py from the locale data of dateparser 1.5.0 (BSD), most of \
which is the CLDR's (Unicode licence).
#
# "_" stands for an amount of time, "~" after a month for a short form that counts beside a number.
"""


def words_of(text: str) -> list[str]:
    return re.findall(r"[^\W\d_]+", text.casefold())


def is_plain(word: str) -> bool:
    return bool(word) and not re.search(r"[\d().,/|\\+*?\[\]{}]", word)


def is_long(word: str, least: int) -> bool:
    return is_plain(word) and (len(word) >= least or ord(word[0]) > 0x900)


def expanded(pattern: str) -> Iterator[str]:
    """Yield the words that an expression of alternatives in brackets stands for."""
    for one in re.split(r"\|(?![^(]*\))", pattern):
        parts = re.split(r"\(([^()]*)\)", one)
        if all(is_plain(part.replace("|", "")) or not part for part in parts):
            yield from map("".join, product(*(part.split("|") for part in parts)))


def entries(info: dict) -> Iterator[tuple[str, str]]:
    units = defaultdict(set)
    for month in MONTHS:
        names = [one.casefold() for one in info.get(month, ()) if is_long(one, 3)]
        longest = max(map(len, names), default=0)
        for name in names:
            short = len(name) <= 4 and len(name) < longest and ord(name[0]) < 0x900
            yield (f"{month}~" if short else month), name
    for day in WEEKDAYS:
        yield from (
            (day, one.casefold()) for one in info.get(day, ()) if is_long(one, 5) and len(one) > 1
        )
    for unit in UNITS:
        for one in info.get(unit, ()):
            if is_long(one, 3):
                units[unit].add(one.casefold())
                yield unit, one.casefold()
    told = info.get("relative-type", {})
    for key, english in DAYS.items():
        yield from ((english, one.casefold()) for one in told.get(key, ()) if is_plain(one))
    yield from shifts(told, units)
    yield from slots(info.get("relative-type-regex", {}), units)
    for one in info.get("simplifications", ()):
        for pattern, meant in one.items():
            if str(meant).isdigit() and 1 <= int(meant) <= 12:
                yield from ((NUMBERS[int(meant) - 1], word) for word in expanded(pattern) if word)


def shifts(told: dict, units: dict) -> Iterator[tuple[str, str]]:
    for unit in ("week", "month", "year"):
        for key, english in SHIFTS.items():
            for one in told.get(key.format(unit), ()):
                if not is_plain(one):
                    continue
                said = words_of(one)
                rest = [
                    w for w in said if w not in units[unit] and len(w) > 2 and w not in NO_SHIFTS
                ]
                yield f"{english} {unit}", one.casefold()
                if len(rest) == 1 and len(said) > 1 and not set(said).isdisjoint(units[unit]):
                    yield english, rest[0]


def slots(told: dict, units: dict) -> Iterator[tuple[str, str]]:
    for key, patterns in told.items():
        unit = key.removesuffix(" ago").rsplit(" ", 1)[-1]
        if unit not in UNITS:
            continue
        for one in patterns:
            number = NUMBER_PLACE.search(one)
            if not number:
                continue
            before, after = one[: number.start()].strip(), one[number.end() :].strip()
            after = after.replace("\\s*", "")
            mine = [u for u in sorted(units[unit], key=len, reverse=True) if after.startswith(u)]
            if not mine or not is_plain(before + "x") or not is_plain(after):
                continue
            after = after[len(mine[0]) :].strip()
            english = "_ ago" if key.endswith("ago") else "in _"
            if before:
                yield english, f"{before} _"
            elif after:
                yield english, f"_ {after}"


def main() -> None:
    lines = []
    for language in LANGUAGES:
        found: defaultdict[str, dict[str, None]] = defaultdict(dict)
        for name in STORED_AS.get(language, (language,)):
            info = import_module(f"dateparser.data.date_translation_data.{name}").info
            for english, foreign in entries(info):
                found[english][foreign.replace("'", "’")] = None
        lines += [
            f"{language} | {english} | {', '.join(words)}" for english, words in found.items()
        ]
    (WORDS / "times/common.txt").write_text(HEAD + "\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    main()
