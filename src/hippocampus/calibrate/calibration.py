"""The calibration of an embedder: made once, kept with the store, used by every default."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Final, NamedTuple, Self

from hippocampus.calibrate import CONVERSATIONS
from hippocampus.core.config import TOKENS, VECTOR, Cosines
from hippocampus.core.lazy_dataclass import immutable
from hippocampus.core.records import Fingerprint
from hippocampus.errors import InputError, StoreCorrupt
from hippocampus.recall.confidence import MODELS, LogisticModel

MOST_CONVERSATIONS: Final = 72
"""All that ship; the calibration of the default embedder was made on them."""
SIGNALS: Final = ("length", "surprise", "position", "recency")
"""Signals that tell apart turns that tell something and small talk (HUMAN, section 8.1)."""
_MOST: Final = 1000.0
"""Bound on what a stored calibration may say: no fit comes near it, and a number that somebody
edited must not overflow."""
_VERSION: Final = 1
"""Version of the stored text: another one's is refused, and the built-in numbers apply."""
_EVIDENCE: Final = frozenset(model.evidence for model in MODELS)
_RULES: Final = {
    "theta": "of 100 anchors with an episode on something else, 1 is above",
    "sem_theta": "of 1 000 anchors with a question that does not mean them, 1 is above",
    "related": "of 100 pairs of turns, 1 is above",
    "near": "as related, and of 100 pairs with other details in the same words, 1 is above",
    "interference": "of 10 pairs of a session, 1 is above",
    "cluster": "of 20 pairs of a session, 1 is above",
}
_WEIGHED: Final = "what it tells beside the words alone, against the default embedder"
_TURNED_DOWN: Final = "of 6 questions without an answer, 5 are below; by "
_FORGETS: Final = "; for what a policy merges and lets fade"
_TOLD: Final = "area under the ROC curve above one half, facts against small talk"


class CalibratedNumber(NamedTuple):
    """One number of a calibration: the default embedder's beside it, and where it comes from."""

    name: str
    value: float
    default: float
    rule: str


@immutable
class Calibration:
    """
    Meaning of an embedder's cosines, tokens and evidence, and what it was found out on.

    ``hearing``: how much its tokens and vectors tell beside the words alone, as a multiple of what
    the default embedder's do. ``signals``: how much length, surprise, position and recency say of
    whether a turn tells anything. ``models``: how sure its evidence makes, for each set of it.
    """

    embedder: Fingerprint
    conversations: int
    seed: int
    cosines: Cosines
    hearing: float
    signals: Mapping[str, float]
    models: tuple[LogisticModel, ...]

    def __post_init__(self) -> None:
        limits = [(f"cosines.{n}", value, -1.0, 1.0) for n, value in self.cosines._asdict().items()]
        limits += [(f"signals.{name}", share, 0.0, 1.0) for name, share in self.signals.items()]
        limits += [
            ("hearing", self.hearing, 0.0, _MOST),
            # More than could ever be made up: it only tells a number from nonsense.
            ("conversations", self.conversations, CONVERSATIONS, 100_000),
        ]
        for model in self.models:
            name = f"models.{'+'.join(model.evidence)}"
            limits += [(name, weight, -_MOST, _MOST) for weight in (*model.weights, *model.hit)]
            limits.append((f"{name}.found", model.found, 0.0, 1.0))
            if model.evidence not in _EVIDENCE or len(model.weights) != len(model.evidence) + 1:
                msg = f"Calibration.{name}: must be a known set of evidence, with a weight for each"
                raise InputError(msg)
        # With two models for one set of evidence, which is used would depend on their order.
        if not self.models or len({model.evidence for model in self.models}) < len(self.models):
            msg = "Calibration.models: must have one for each set of evidence, and at least one"
            raise InputError(msg)
        for name, value, least, most in limits:
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if not number or not least <= value <= most:  # NaN is not either
                msg = f"Calibration.{name}={value!r:.40}: must be a number from {least} to {most}"
                raise InputError(msg)
        if tuple(self.signals) != SIGNALS:
            msg = f"Calibration.signals={list(self.signals)}: must be {', '.join(SIGNALS)}"
            raise InputError(msg)

    def explain(self) -> list[CalibratedNumber]:
        """Explain each number: its value, the default embedder's, and the rule behind it."""
        rows = [
            CalibratedNumber(
                name,
                getattr(self.cosines, name),
                getattr(BUILT_IN.cosines, name),
                f"{rule}{_FORGETS}" if name in ("interference", "cluster") else rule,
            )
            for name, rule in _RULES.items()
        ]
        for name, weight in (("tokens", TOKENS), ("vector", VECTOR)):
            rows.append(CalibratedNumber(name, round(weight * self.hearing, 2), weight, _WEIGHED))
        usual = {model.evidence: model.found for model in BUILT_IN.models}
        for model in self.models:
            of = ", ".join(model.evidence)
            rows.append(
                CalibratedNumber("found", model.found, usual[model.evidence], f"{_TURNED_DOWN}{of}")
            )
        for name, share in self.signals.items():
            usual_share = BUILT_IN.signals[name]
            rows.append(
                CalibratedNumber(f"importance.{name}", share, usual_share, f"{_TOLD}{_FORGETS}")
            )
        return rows

    def dump(self) -> str:
        """Return the calibration as text for ``load``."""
        return json.dumps({"version": _VERSION, **asdict(self), "cosines": self.cosines._asdict()})

    @classmethod
    def load(cls, text: str, *, path: str) -> Self:
        """
        Read a calibration from the text of ``dump``.

        Raises:
            StoreCorrupt: it is not that, or not what any embedder could have.

        """
        try:
            said = json.loads(text)
            if said.pop("version") != _VERSION:
                msg = "another version"
                raise InputError(msg)
            said["embedder"] = Fingerprint(**said["embedder"])
            # A threshold that is missing becomes None, which the check refuses with its name.
            said["cosines"] = Cosines(**dict.fromkeys(Cosines._fields) | said["cosines"])
            said["models"] = tuple(
                LogisticModel(tuple(names), tuple(weights), (constant, slope, fall), found, *rival)
                for names, weights, (constant, slope, fall), found, *rival in said["models"]
            )
            return cls(**said)
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError) as exc:
            msg = (
                f"the calibration cannot be read ({exc}); the default embedder's is used until"
                " 'hippocampus calibrate' makes another"
            )
            raise StoreCorrupt(msg, path=path) from exc


BUILT_IN: Final = Calibration(
    embedder=Fingerprint(
        name="all-MiniLM-L6-v2",
        weights="c37ed15fe71c35639cc1a1d1c1a7806067c8af71de3bdf0971e9cd0a6aca6608",
        dimension=384,
        token_dimension=384,
    ),
    conversations=72,
    seed=1,
    cosines=Cosines(),
    hearing=1.0,
    signals={"length": 0.648, "surprise": 0.352, "position": 0.0, "recency": 0.0},
    models=MODELS,
)
"""The default embedder's, as ``bench/tools/calibrate.py`` prints it; used for others until they are
calibrated themselves."""

MULTILINGUAL: Final = Calibration(
    embedder=Fingerprint(
        name="multilingual-e5-small",
        weights="48ab07f999b4dc6f48ec3b760dcc782a4e1d1b9e25d079400abeec175b01e685",
        dimension=384,
        token_dimension=384,
    ),
    conversations=16,
    seed=1,
    cosines=Cosines(
        theta=0.81, sem_theta=0.82, related=0.94, near=0.98, interference=0.95, cluster=0.96
    ),
    hearing=1.29,
    signals={"length": 0.728, "surprise": 0.266, "position": 0.0, "recency": 0.006},
    models=(
        LogisticModel(
            ("matched", "missing", "other", "vector"),
            weights=(-2.96, 4.11, -0.75, -2.26, 3.48), hit=(-0.93, 0.95, 1.32), found=0.6,
            rival=-16,
        ),
        LogisticModel(
            ("matched", "missing", "other"),
            weights=(-1.9, 6.42, -0.52, -1.8), hit=(-0.9, 0.98, 1.25), found=0.59, rival=-16,
        ),
        LogisticModel(
            ("covered", "absent", "other", "vector"),
            weights=(-2.36, 0.54, -0.41, -1.8, 4.8), hit=(-0.88, 0.84, 1.62), found=0.62, rival=-4,
        ),
        LogisticModel(
            ("covered", "absent", "other"),
            weights=(0.41, 2.06, -0.23, -0.81), hit=(-0.86, 0.77, 1.56), found=0.59, rival=-4,
        ),
        LogisticModel(("vector",), weights=(-4.48, 5.32), hit=(-0.89, 4.78, 1.67), found=0.52),
    ),
)  # fmt: skip
"""The multilingual embedder's, as ``hippocampus calibrate --conversations 16`` finds it."""

SHIPPED: Final[Mapping[Fingerprint, Calibration]] = {
    one.embedder: one for one in (BUILT_IN, MULTILINGUAL)
}
"""Those that need not be made, by the embedder."""
