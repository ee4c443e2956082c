"""Anchors are chosen by what is salient, live and are given up, and what is under them is right."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.core.config import Concepts
from hippocampus.errors import InputError
from hippocampus.index.anchors import Anchors, effective
from hippocampus.index.phrase_codec import PROPER
from hippocampus.language.equivalence import digest_details
from hippocampus.language.noun_phrases import find_phrases, key_of
from hippocampus.sleep.concepts import kin_of, rebuild
from hippocampus.sleep.material import Material, Reads

DAY = 86_400_000_000
D = 64


def vector_of(text):
    """A fake embedder: the direction of each word is its own, and texts add their words up."""
    total = np.zeros(D)
    for word in text.casefold().split():
        total += np.random.default_rng(key_of(word.strip(".,!"))).normal(size=D)
    return (total / (np.linalg.norm(total) or 1)).astype(np.float32)


class World:
    """Texts said a day apart, and what a rebuild makes of them."""

    def __init__(self, texts, *, sessions=None):
        self.texts = list(texts)
        self.vectors = np.stack([vector_of(text) for text in self.texts])
        self.sessions = sessions
        self.hidden = set()
        self.read = set()

    @property
    def now(self):
        return len(self.texts) * DAY

    def material(self):
        found = [{p.key: p.proper for p in find_phrases(text)} for text in self.texts]
        count = len(self.texts)
        return Material(
            keys=np.array([k | PROPER * p for f in found for k, p in f.items()], np.uint32),
            owner=np.repeat(np.arange(count), [len(f) for f in found]),
            lasting=np.minimum(8, np.arange(count) * 0.05).astype(np.float32),
            gists=np.array([digest_details(t, ()) << 8 for t in self.texts], np.uint32)
            | np.array([len(f) for f in found], np.uint32),
            occurred_at=np.arange(1, count + 1) * DAY,
            shown=np.array([row not in self.hidden for row in range(count)]),
            by_user=np.ones(count, np.bool_),
            session=np.array(self.sessions or [-1] * count, np.int32),
        )

    def vectors_of(self, rows):
        self.read.update(rows.tolist())
        return self.vectors[rows]

    def rebuild(self, old=None, *, curated=(), denied=(), **how):
        return rebuild(
            self.material(), old,
            Reads(
                vectors=self.vectors_of,
                names=lambda rows: {row: find_phrases(self.texts[row]) for row in rows},
                embed=lambda names: np.stack([vector_of(name) for name in names]),
            ),
            curated=curated, denied=denied, now=self.now, how=Concepts(**how),
        )  # fmt: skip


def talk(count=60):
    subjects = ["the garden", "a violin", "Lisbon", "the tax report", "our boat"]
    return [f"Number {n} is about {subjects[n % 5]} again." for n in range(count)]


def under(anchors, name):
    at = anchors.names.index(name)
    return anchors.rows[anchors.ends[at] : anchors.ends[at + 1]].tolist()


def test_what_is_talked_of_becomes_an_anchor_unless_it_is_said_everywhere():
    texts = [*talk(), *(f"Line {n} has the same word, weather." for n in range(40))]
    anchors, report = World(texts).rebuild()

    assert {"garden", "violin", "lisbon", "tax report", "boat"} <= set(anchors.names)
    assert "weather" not in anchors.names, "what every third text says tells nothing"
    assert set(report.found) == set(anchors.names)
    assert anchors.kind(anchors.names.index("lisbon")) == "named"


@given(st.integers(0, 3), st.integers(1, 60), st.sampled_from([0.0, 0.2, 0.5]))
def test_what_lies_under_an_anchor_is_what_brute_force_finds(seed, k_max, theta):
    random = np.random.default_rng(seed)
    words = ["garden", "violin", "lisbon", "tax", "boat", "hedge", "bow", "tram", "form", "sail"]
    world = World(" ".join(random.choice(words, 4)) for _ in range(50))
    how = Concepts(k=k_max, k_max=k_max, theta=theta, near=2.0)
    anchors, _ = world.rebuild(curated=["violin"], k=k_max, k_max=k_max, theta=theta, near=2.0)

    material = world.material()
    mentions = np.array(["violin" in text for text in world.texts])
    cosines = world.vectors @ vector_of("violin") + how.mention * mentions
    ages = (world.now - material.occurred_at) / 3.6e9
    scores = effective(cosines, material.lasting, ages, how.alpha)
    scores[(cosines < theta) | (scores <= 0)] = -np.inf
    expected = np.sort(scores[np.isfinite(scores)])[::-1][:k_max]
    at = anchors.names.index("violin")
    found = anchors.scores[anchors.ends[at] : anchors.ends[at + 1]]
    np.testing.assert_allclose(found, expected, rtol=1e-5)
    np.testing.assert_allclose(scores[under(anchors, "violin")], expected, rtol=1e-5)


@given(st.integers(0, 99), st.integers(1, 12), st.booleans())
def test_going_on_from_the_last_rebuild_ranks_as_looking_at_all_rows_does(seed, k, loaded):
    random = np.random.default_rng(seed)
    words = ["garden", "violin", "tax", "boat", "hedge", "bow", "tram", "form", "sail", "ink"]
    how = {"curated": ["violin", "boat"], "k": k, "k_max": k, "theta": 0.1, "near": 2.0}
    world = World(" ".join(random.choice(words, 4)) for _ in range(80))
    world.hidden = set(random.choice(80, 6).tolist())
    old, _ = world.rebuild(**how)
    old = Anchors.load(old.to_bytes()) if loaded else old
    world.hidden = set(random.choice(80, 6).tolist())  # some are hidden, and some are back
    world.texts += [" ".join(random.choice(words, 4)) for _ in range(int(random.integers(0, 9)))]
    world.vectors = np.stack([vector_of(text) for text in world.texts])

    again, _ = world.rebuild(old, **how)
    whole, _ = world.rebuild(replace(old, basis=None), **how)

    assert again.names == whole.names
    assert np.array_equal(again.ends, whole.ends)
    # A file keeps directions rounded: by them, rows that are all but equal may change places.
    np.testing.assert_allclose(again.scores, whole.scores, rtol=2e-3 if loaded else 1e-5)


def test_a_rebuild_with_little_new_looks_at_few_rows_again():
    world = World(talk(200))
    old, _ = world.rebuild(theta=0.0, near=2.0, k=5)
    assert set(range(200)) == world.read

    world.texts = talk(208)
    world.vectors = np.stack([vector_of(text) for text in world.texts])
    world.read.clear()
    world.rebuild(old, theta=0.0, near=2.0, k=5)
    assert set(range(200, 208)) <= world.read, "what is new itself"
    assert len(world.read) < 120, "and not every row"
    world.rebuild(old, theta=0.1, near=2.0, k=5)
    assert set(range(208)) == world.read, "by other settings everything"


def test_a_basis_of_other_rows_is_refused():
    anchors, _ = World(talk()).rebuild()
    short = anchors.basis._replace(shown=anchors.basis.shown[:-20])

    with pytest.raises(InputError, match="a basis of other rows"):
        Anchors.load(replace(anchors, basis=short).to_bytes())


def test_a_repetition_is_stood_for_by_the_newest():
    texts = [*talk(20), "The violin needs a new bow.", "The violin needs a new bow."]
    anchors, _ = World(texts).rebuild(curated=["violin"])

    assert 21 in under(anchors, "violin")
    assert 20 not in under(anchors, "violin")


def test_what_is_hidden_lies_under_nothing():
    world = World(talk())
    world.hidden = {row for row in range(60) if row % 5 == 1}
    anchors, _ = world.rebuild()

    assert not set(anchors.rows.tolist()) & world.hidden
    assert "violin" not in anchors.names


def test_an_anchor_that_fades_is_given_up_at_the_third_rebuild_unless_curated():
    world = World(talk())
    anchors, _ = world.rebuild(curated=["hedgehog"])
    world.texts += [f"Something on chess, part {n}, and on openings." for n in range(60)]
    world.texts += [f"Part {n} is about trains." for n in range(400)]
    world.vectors = np.stack([vector_of(text) for text in world.texts])
    lives = []
    for _ in range(3):
        anchors, report = world.rebuild(anchors, curated=["hedgehog"])
        lives.append("violin" in anchors.names)

    assert lives == [True, True, False]
    assert "violin" in report.pruned
    told = {one.name: one for one in Anchors.load(anchors.to_bytes()).pruned}
    assert set(told) == set(report.pruned)
    assert all("violin" in world.texts[row] for row in told["violin"].rows)
    later, _ = world.rebuild(anchors, curated=["hedgehog"])
    assert {one.name for one in later.pruned} >= set(told) - set(later.names), "and then too"
    denied, _ = world.rebuild(anchors, denied=["violin"])
    assert "violin" not in {one.name for one in denied.pruned}
    assert "hedgehog" in anchors.names
    assert "chess" in anchors.names


def test_what_is_denied_is_never_an_anchor():
    anchors, _ = World(talk()).rebuild(denied=["violins"])

    assert "violin" not in anchors.names


def kin(anchors, name):
    at = anchors.names.index(name)
    inside = slice(*anchors.kin_ends[at : at + 2])
    names = [anchors.names[other] for other in anchors.kin[inside]]
    return dict(zip(names, anchors.kin_strengths[inside].tolist(), strict=True))


def test_those_spoken_of_together_activate_each_other_more_than_strangers():
    texts, sessions = [], []
    for n in range(12):
        one, other = ("Falconer", "Aurel") if n % 2 else ("Windmill", "Thore")
        texts += [f"On {one} we made progress.", f"We saw {other} about it, and Josefa."]
        sessions += [n, n]
    texts += [f"Something on the weather, part {n}." for n in range(80)]
    sessions += [12 + n for n in range(80)]
    anchors, _ = World(texts, sessions=sessions).rebuild()

    falconer = kin(anchors, "falconer")
    assert next(iter(falconer)) == "falconer"
    assert max(falconer.values()) == falconer["falconer"]
    assert sum(falconer.values()) == pytest.approx(1, abs=0.05), "a walk ends somewhere"
    assert falconer["aurel"] > 0.1
    assert kin(anchors, "falconer")["aurel"] > 2 * kin(anchors, "falconer").get("thore", 0)
    assert kin(anchors, "josefa")["aurel"] == pytest.approx(kin(anchors, "josefa")["thore"])
    assert list(kin(anchors, "progress")) == ["progress"], "a common word has no kin"


def test_an_anchor_with_two_meanings_has_two_centres():
    river = [f"The bank of the river has reeds herons mud {n % 3}." for n in range(14)]
    money = [f"The bank gave credit interest loan account {n % 3}." for n in range(14)]
    anchors, _ = World([*river, *money]).rebuild(curated=["bank", "heron"], near=2.0, theta=0.0)
    centres = np.diff(anchors.centre_ends)

    assert centres[anchors.names.index("bank")] == 2
    assert centres[anchors.names.index("heron")] in (0, 2)


def test_a_bank_of_nothing_and_a_bank_of_one_sentence_have_anchors_of_their_own():
    empty, _ = World(["So what?"]).rebuild()
    same, _ = World(["The violin is new."] * 50).rebuild(curated=["violin"])

    assert len(empty) == 0
    assert under(same, "violin") == [49], "all the others are the same"


def test_anchors_come_back_from_bytes_unless_these_are_damaged():
    made, _ = World(talk()).rebuild()
    written = made.to_bytes()
    read = Anchors.load(written)

    assert read.names == made.names
    assert read.rows.tolist() == made.rows.tolist()
    np.testing.assert_allclose(read.vectors, made.vectors, atol=5e-3)
    for damaged in (b"", b"PK", written[:-9], written[:300] + b"\0" * 40 + written[340:]):
        with pytest.raises(InputError, match="sleep makes them anew"):
            Anchors.load(damaged)


def test_importance_lifts_a_score_by_its_logarithm():
    same = np.full(2, 0.5, np.float32)
    dull, vital = effective(same, np.array([0.0, 8.5], np.float32), 1e6, 0.15)

    assert dull == pytest.approx(0.5)
    assert vital == pytest.approx(0.5 * (1 + 0.15 * np.log(8.5)))


def test_what_says_the_same_takes_no_room_from_one_sleep_to_the_next():
    others = [
        "bow",
        "case",
        "string",
        "luthier",
        "concert",
        "teacher",
        "score",
        "shoulder",
        "rosin",
    ]
    texts = [f"A violin and its {word}." for word in others] + ["The violin violin."] * 20
    world = World(texts)
    lives, anchors = [], None
    for _ in range(6):
        anchors, _ = world.rebuild(anchors, curated=["violin"], k=6, k_max=6, theta=0.1, near=0.95)
        lives.append(under(anchors, "violin"))

    assert len(lives[0]) == 1, "the same twenty times is nearest"
    assert len(lives[-1]) == 6
    assert len([row for row in lives[-1] if row >= 9]) == 1
    stands = dict(anchors.aliases.tolist())
    assert set(range(9, 29)) - {28} == set(stands)
    assert {28} == set(stands.values())
    anchors.check()


def test_what_differs_in_a_detail_comes_as_an_edge_instead_of_as_the_same():
    texts = [*talk(20), "The violin needs 1 new bow.", "The violin needs 2 new bow."]
    anchors, _ = World(texts).rebuild(curated=["violin"], near=0.3, related=0.2)
    rows = under(anchors, "violin")

    assert {20, 21} <= set(rows)
    assert [20, 21] in anchors.edges.tolist()
    assert [21, 20] in anchors.edges.tolist()
    assert not {20, 21} & set(anchors.aliases.ravel().tolist())


@pytest.mark.parametrize("sessions", [3, 60])
def test_kin_are_the_same_whether_sessions_are_fewer_than_anchors_or_more(sessions):
    dice = np.random.default_rng(sessions)
    session = dice.integers(0, sessions, 90).astype(np.int32)
    mentions = [np.sort(dice.choice(90, 4, replace=False)) for _ in range(20)]
    found = kin_of(mentions, [True] * 20, session, Concepts(coactivated_anchors=20))

    steps = np.zeros((20, 20))
    rare = [1 / np.log(2 + len(np.unique(session[rows]))) for rows in mentions]
    for one, rows in enumerate(mentions):
        own = np.unique(session[rows])
        for where in own:
            there = [at for at, other in enumerate(mentions) if where in session[other]]
            for other in there:
                steps[one, other] += rare[other] / sum(rare[at] for at in there) / len(own)
    walked = sum(np.linalg.matrix_power(steps, n) * 0.5 ** (n + 1) for n in range(60))
    for one, kin in enumerate(found):
        assert np.allclose(walked[one, kin.anchors], kin.strengths, atol=1e-5)
        left_out = np.delete(walked[one], kin.anchors)
        assert not (left_out >= 0.02 * walked[one, one] + 1e-6).any()


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ({"sources": "mail"}, "'mail': give names in a tuple"),
        ({"sources": ("mail", 3)}, "give names in a tuple"),
        ({"sources": (" ",)}, "give names in a tuple"),
        ({"k": "twenty"}, "'twenty': must be a whole number from 1"),
        ({"k": True}, "must be a whole number from 1"),
        ({"words": 1.5}, "1.5: must be a whole number"),
        ({"k": 51}, "must not be above k_max, 50"),
        ({"theta": float("nan")}, "must be a number from -1.0 to 1.0"),
        ({"pronouns": "no"}, "must be True or False"),
    ],
)
def test_settings_that_make_no_sense_are_refused_by_name(wrong, complaint):
    with pytest.raises(InputError, match=f"Concepts.{next(iter(wrong))}=.*{complaint}"):
        Concepts(**wrong)

    assert Concepts(sources=["mail"]).sources == ["mail"]
