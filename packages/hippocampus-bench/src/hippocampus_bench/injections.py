"""
Rates at which injected orders to models are found, and ordinary text is taken for one.

``data/injections.toml`` says how each of its wordings was used; ``injections_of_authors.toml``,
``_to_fit`` and ``_by_another`` are what other authors wrote, from which the weights are learnt, and
``_by_a_later_author`` measures alone. An author whose texts are learnt from is measured by weights
learnt without them. Texts of others are given as JSON files, each a list of texts or LoCoMo's
conversations.

    python -m hippocampus_bench.injections --report injections.json
        --injections wild.json … --ordinary locomo.json …
    python -m hippocampus_bench.injections --held-out --report held-out.json
    python -m hippocampus_bench.injections --learn FILE --injections jailbreaks.json
        --ordinary docs.json
"""

from __future__ import annotations

import argparse
import json
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hippocampus.language.injections import HEAD, SIZE, Weights, injection_odds
from hippocampus_bench.injection_fit import LabelledText, fit
from hippocampus_bench.report import as_report
from hippocampus_bench.secrets import turns_of, wilson

OUR_WORDINGS: Final = ("first", "second", "third")
MEASURE_ONLY: Final = frozenset(("third", "later"))
"""Authors whose texts nothing is learnt from."""
_KINDS: Final = ("blunt", "disguised", "subtle", "plain", "among_people", "about_models")
_PARTS: Final = ("", "_to_fit", "_by_another", "_of_authors", "_by_a_later_author")
_JAILBREAK: Final = 0.5
_ORDINARY: Final = 0.2
"""Weight in the fit of a text of others: they are many, and alike."""
_FOLDS: Final = 5
"""Groups of authors, each of which is left out once."""
_TAKEN: Final = 0.04
"""Share of ordinary texts, by authors that were left out, that may be taken for injections."""


def wordings() -> dict[str, dict[str, list[str]]]:
    """Return made-up texts by wording or kind: ``injections``, ``ordinary`` ones, or both."""
    data = files("hippocampus_bench") / "data"
    told = (tomllib.loads((data / f"injections{part}.toml").read_text("utf-8")) for part in _PARTS)
    return {name: texts for one in told for name, texts in one.items()}


def author_of(name: str) -> str:
    """Return the author of the texts of a name, which stands before their kind."""
    return name.removesuffix(kind_of(name)).rstrip("_") or "another"


def kind_of(name: str) -> str:
    """Return the kind of the texts of a name; nothing if it is an author's name alone."""
    return next((kind for kind in _KINDS if name.endswith(kind)), "")


def learnt_from() -> dict[str, list[LabelledText]]:
    """Return the texts that weights are learnt from, by name."""
    found: dict[str, list[LabelledText]] = {}
    for name, texts in wordings().items():
        if author_of(name) not in MEASURE_ONLY:
            cases = [LabelledText(text, is_injection=True) for text in texts.get("injections", ())]
            cases += [LabelledText(text, is_injection=False) for text in texts.get("ordinary", ())]
            found[name] = cases
    return found


def texts_of(file: Path) -> list[str]:
    """Return the texts of a JSON file."""
    told = json.loads(file.read_text("utf-8"))
    return [one for one in told if isinstance(one, str)] or list(turns_of(told))


def share(texts: Sequence[str], weights: Weights | None = None) -> dict[str, Any]:
    """Return the share of texts that are taken for injections, with an interval of 95 %."""
    found = sum(injection_odds(text, weights) > 0 for text in texts)
    return {"taken": wilson(found, len(texts)), "texts": len(texts)}


def measure(injections: Iterable[Path] = (), ordinary: Iterable[Path] = ()) -> dict[str, Any]:
    """Return the share that is taken for injections of texts that nothing was learnt from."""
    made_up = {name: t for name, t in wordings().items() if author_of(name) in MEASURE_ONLY}
    return {
        what: {name: share(texts[what]) for name, texts in made_up.items() if what in texts}
        | {file.stem: share(texts_of(file)) for file in of_others}
        for what, of_others in (("injections", injections), ("ordinary", ordinary))
    }


def of_others(jailbreaks: Iterable[Path], ordinary: Iterable[Path]) -> list[LabelledText]:
    """Return the texts of files that are learnt from beside those of our authors."""
    found = [
        LabelledText(t, is_injection=True, weight=_JAILBREAK)
        for f in jailbreaks
        for t in texts_of(f)
    ]
    return found + [
        LabelledText(text, is_injection=False, weight=_ORDINARY)
        for f in ordinary
        for text in texts_of(f)
    ]


def odds_held_out(more: Sequence[LabelledText] = ()) -> dict[str, list[tuple[LabelledText, float]]]:
    """Return texts by name with their odds by weights that were learnt from other authors."""
    known = learnt_from()
    authors = sorted(set(map(author_of, known)))
    found: dict[str, list[tuple[LabelledText, float]]] = {}
    for fold in range(_FOLDS):
        left_out = {name for name in known if author_of(name) in authors[fold::_FOLDS]}
        weights = fit(
            [*(c for name in sorted(known.keys() - left_out) for c in known[name]), *more]
        )
        for name in sorted(left_out):
            found[name] = [(case, injection_odds(case.text, weights)) for case in known[name]]
    return found


def caution(held_out: Mapping[str, Sequence[tuple[LabelledText, float]]]) -> float:
    """Return the odds beyond which only a few ordinary texts lie of authors that were left out."""
    ordinary = [odds for told in held_out.values() for case, odds in told if not case.is_injection]
    return float(np.quantile(ordinary, 1 - _TAKEN))


def learn(more: Sequence[LabelledText] = ()) -> Weights:
    """Return the weights that are learnt from all authors, and what is taken off the bias."""
    weights = fit([*(case for cases in learnt_from().values() for case in cases), *more])
    return weights._replace(bias=weights.bias - caution(odds_held_out(more)))


def measure_held_out() -> dict[str, Any]:
    """
    Return the share that is taken by weights learnt from other authors.

    Of all texts, of each kind and of each author.
    """
    held_out = odds_held_out()
    least = caution(held_out)
    taken: dict[str, dict[str, list[bool]]] = {"injections": {}, "ordinary": {}}
    for name, told in sorted(held_out.items()):
        for case, odds in told:
            of_sort = taken["injections" if case.is_injection else "ordinary"]
            for group in {"all", kind_of(name), author_of(name)} - {""}:
                of_sort.setdefault(group, []).append(odds > least)
    return {
        what: {
            group: {"taken": wilson(sum(some), len(some)), "texts": len(some)}
            for group, some in sorted(groups.items())
        }
        for what, groups in taken.items()
    }


def pack_weights(weights: Weights) -> bytes:
    """Return weights as ``unpack_weights`` reads them."""
    step = float(np.max(np.abs(weights.of), initial=1e-6)) / 127
    kept: NDArray[np.int8] = np.rint(weights.of[:SIZE] / step).astype(np.int8)
    return HEAD.pack(step, weights.bias) + kept.tobytes()


def main(arguments: list[str] | None = None, show: Callable[[str], object] = print) -> None:
    """Measure or learn, and write a report if asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--report", type=Path)
    parser.add_argument("--injections", type=Path, nargs="*", default=[])
    parser.add_argument("--ordinary", type=Path, nargs="*", default=[])
    parser.add_argument("--held-out", action="store_true", help="measure each author by others")
    parser.add_argument("--learn", type=Path, help="write weights to this file instead")
    given = parser.parse_args(arguments)
    if given.learn:
        given.learn.write_bytes(pack_weights(learn(of_others(given.injections, given.ordinary))))
        return
    told = measure_held_out() if given.held_out else measure(given.injections, given.ordinary)
    show(as_report(told, given.report))


if __name__ == "__main__":
    main()
