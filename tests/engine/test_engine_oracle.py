"""What recall answers, worked out once more in plain NumPy from nothing but the episodes."""

import math
import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import kernel_reference as reference
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from where_oracle import matches

from hippocampus import Config, Fusion, Memory, Turn, Vectors
from hippocampus.core.records import Passage, Payloads
from hippocampus.encode.embed import HashEmbedder
from hippocampus.encode.signature import rotation_for
from hippocampus.encode.terms import find_terms, hash_terms
from hippocampus.index.bm25 import ASKING, DEED, K1, TELLING, B, Bm25Cue, pack_terms
from hippocampus.index.filters import make_filter, read_where
from hippocampus.index.query import Query
from hippocampus.index.vector import OVERSAMPLE, VectorCue
from hippocampus.index.vector_codec import pack_vectors

WORDS = (
    "peanut lisbon garden bicycle violin river mountain coffee passport dentist invoice"
    " sister harbour novel oven ticket winter lantern puzzle marathon orchid kettle tram"
).split()
QUERIES = (
    "violin in lisbon",
    "Which ticket did Tom buy for the marathon?",
    "the coffee kettle",
    "what did Ada say about her sister",
)
WHOLE = Vectors(bits=8)
"""As the oracle has vectors."""
USUAL = Config(vectors=WHOLE)
EVERYONE = Config(fusion=Fusion(candidates=10**6), vectors=WHOLE)
START = datetime(2024, 1, 1, tzinfo=UTC)


def make_turns(count, seed=0):
    chance = random.Random(seed)  # noqa: S311
    return [
        Turn(
            text=chance.choice(["", "my ", "where is my ", "I just found my "])
            + " ".join(chance.choices(WORDS, k=chance.randint(3, 14)))
            + chance.choice([".", "?"]),
            at=START + timedelta(hours=n),
            speaker=chance.choice(["Ada", "Tom", "Eve", None]),
            session=chance.choice(["a", "b", "c", None]),
            metadata={"year": chance.randint(2020, 2025)},
        )
        for n in range(count)
    ]


def read(episode):
    day = f"{episode.occurred_at:%d %B %Y}"
    parts = (f"{day} {episode.speaker or ''}", episode.text, episode.source or "")
    return np.concatenate([hash_terms(part) for part in parts])


def tells(episode):
    return "my " in episode.text and episode.text.endswith(".")


def did(episode):
    return episode.text.startswith("I just found")


def asks(episode):
    return episode.text.endswith("?")


def spoken(episode):
    return f"{episode.speaker}: {episode.text}" if episode.speaker else episode.text


def one_talk(before, after):
    return after.occurred_at - before.occurred_at <= timedelta(hours=12)


def standard(values):
    return (values - values.mean()) / max(values.std(), 1e-6)


def plain_rarity(asked, found, frequency, count):
    rarity = np.zeros(len(asked.tokens))
    for place, (start, _) in enumerate(asked.spans.tolist()):
        here = next(term for term in found if term.start <= start < term.end)
        df = frequency[here.hash]
        rarity[place] = math.sqrt(math.log1p((count - df + 0.5) / (df + 0.5)))
    return rarity


def plain_news(episodes, index, named, lengths, fusion):
    """Return what it is worth to say something new, or done, where it is asked for."""
    about = np.array([not named or episode.speaker in named for episode in episodes], float)
    new = np.log1p(index.unheard(np.arange(len(episodes), dtype=np.uint32)).astype(float))
    deeds = np.array([float(did(episode)) for episode in episodes])
    worth = fusion.novelty * np.minimum(standard(new * about), 3)
    worth += fusion.first_person_deed * np.minimum(standard(deeds * about), 3)
    return worth * np.exp(-np.array(lengths) / fusion.context_decay_tokens)


def plain_neighbours(episodes, fused, lengths, fusion):
    """Return what the turns before and after in one talk add to each, and rows by session."""
    added, sessions = np.zeros(len(episodes)), {}
    for row, episode in enumerate(episodes):
        sessions.setdefault(episode.session, []).append(row)
    for session, members in sessions.items():
        for before, after in pairwise(members if session is not None else []):
            if one_talk(episodes[before], episodes[after]):
                lean_before, lean_after = np.exp(
                    -np.array([lengths[before], lengths[after]]) / fusion.context_decay_tokens
                )
                added[after] += fusion.previous_turn * lean_after * fused[before]
                added[before] += fusion.next_turn * lean_before * fused[after]
    return added, sessions


def plain_ranking(episodes, query, fusion, weights, *, news=True):
    """Return the score of every episode, in the order of ``episodes``, the order of noting."""
    embedder = HashEmbedder()
    rotation = rotation_for(embedder.fingerprint)
    rows = np.arange(len(episodes), dtype=np.uint32)
    found = find_terms(query)
    terms = list(dict.fromkeys(term.hash for term in found))
    grammar = all(term.function for term in found)
    count = [sum(t.hash == h and (grammar or not t.function) for t in found) for h in terms]

    index = reference.Bm25Index()
    for episode in episodes:
        marks = [TELLING] * tells(episode) + [DEED] * did(episode) + [ASKING] * asks(episode)
        hashes = np.append(read(episode), marks).astype(np.uint32)
        index.extend(hashes, np.array([0, len(hashes)], np.uint64))
    hashes = np.array(terms, np.uint32)
    scores = {"lexical": index.contributions(hashes, rows, K1, B) @ np.array(count, float)}

    asked = embedder.embed_query(query)
    passages = embedder.embed([Passage(spoken(episode)) for episode in episodes])
    codes, scales = reference.quantise_rows(np.stack([p.vector for p in passages]))
    scores["vector"] = reference.dot_rows(codes, scales, asked.vector, rows)

    spans = np.cumsum([0, *(len(p.tokens) for p in passages)]).astype(np.uint64)
    packed = rotation.codes(np.concatenate([p.tokens for p in passages]))
    best = reference.maxsim(packed, spans, rotation.project(asked.tokens))
    frequency = dict(zip(terms, index.document_frequency(hashes).tolist(), strict=True))
    rarity = plain_rarity(asked, found, frequency, len(episodes))
    crowd = [math.log(max(len(p.tokens) / fusion.long_tokens, 1.0)) for p in passages]
    scores["tokens"] = best @ (rarity / rarity.sum()) - fusion.length_penalty * np.array(crowd)

    fused = sum(weights[name] * standard(values) for name, values in scores.items())
    lengths = [len(passage.tokens) for passage in passages]
    added, sessions = plain_neighbours(episodes, fused, lengths, fusion)
    total = fused + added
    named = {e.speaker for e in episodes if e.speaker and e.speaker.lower() in query.lower()}
    total = total + [
        (fusion.speaker + fusion.self_disclosure * tells(episode)) * (episode.speaker in named)
        - fusion.only_asking * share_asked(fusion, weights) * asks(episode)
        for episode in episodes
    ]
    support = {
        session: sum(sorted((max(total[row], 0.0) for row in members), reverse=True)[:2]) / 2
        for session, members in sessions.items()
        if session is not None
    }
    share = fusion.session * math.exp(-np.diff(spans).mean() / fusion.context_decay_tokens)
    total = total + [share * support.get(episode.session, 0.0) for episode in episodes]
    return total + plain_news(episodes, index, named, lengths, fusion) if news else total


def share_asked(fusion, weights):
    """Return what the cues asked weigh, of what is usually asked."""
    usual = sum(fusion.weights[name] for name in ("tokens", "lexical", "vector"))
    return min(1.0, sum(weights.values()) / usual)


def plain_sessions(episodes, scores, now, fusion):
    """Return what every session is worth, by its label."""
    labels = sorted({episode.session for episode in episodes if episode.session})
    members = [[row for row, e in enumerate(episodes) if e.session == label] for label in labels]
    ages = [now - max(episodes[row].occurred_at for row in rows) for rows in members]
    worth = standard(np.array([max(0.0, *(scores[row] for row in rows)) for rows in members]))
    worth += [fusion.recency * math.exp(-age / timedelta(days=fusion.recent_days)) for age in ages]
    embedded = HashEmbedder().embed([Passage(spoken(episode)) for episode in episodes])
    vectors = np.stack([one.vector for one in embedded])
    vectors -= vectors[[row for rows in members for row in rows]].mean(axis=0)
    means = np.stack([vectors[rows].sum(axis=0) for rows in members])
    means /= np.linalg.norm(means, axis=1, keepdims=True)
    meant = np.exp((worth - worth.max()) / fusion.best_within) @ means
    near = means @ meant / np.linalg.norm(meant)
    return dict(zip(labels, worth + fusion.session_association * standard(near), strict=True))


def assert_same_ranking(recall, episodes, scores):
    """Equal but for the order of what scores equal to within rounding."""
    expected = sorted(scores, reverse=True)
    by_id = {episode.id: score for episode, score in zip(episodes, scores, strict=True)}
    found = [by_id[hit.id] for hit in recall]

    assert len(set(by_id)) == len({hit.id for hit in recall}) == len(recall)
    assert expected == pytest.approx(found, abs=2e-3)


@pytest.mark.slow
@pytest.mark.parametrize(("count", "config"), [(150, USUAL), (700, EVERYONE)])
@pytest.mark.parametrize("query", QUERIES)
def test_recall_equals_brute_force(count, config, query):
    with Memory(":memory:", embedder="hash", config=config) as memory:
        bank = memory.bank("ada")
        episodes = bank.remember_many(make_turns(count))
        recall = bank.recall(query, k=count)
        scores = plain_ranking(episodes, query, config.fusion, config.fusion.weights)

        assert_same_ranking(recall, episodes, scores)


@pytest.mark.parametrize("query", QUERIES)
def test_sessions_are_ranked_as_brute_force_ranks_them(query):
    turns = [replace(turn, session=f"s{n // 9}") for n, turn in enumerate(make_turns(120, seed=2))]
    now = START + timedelta(days=9)
    with Memory(":memory:", embedder="hash", config=USUAL) as memory:
        bank = memory.bank("ada")
        episodes = bank.remember_many(turns)
        recall = bank.recall(query, k=99, now=now)
        fusion = memory.engine.config.fusion
    scores = plain_ranking(episodes, query, fusion, fusion.weights, news=False)
    worth = plain_sessions(episodes, scores, now, fusion)

    assert len(worth) == len(set(recall.sessions)) == 14
    assert sorted(worth.values(), reverse=True) == pytest.approx(
        [worth[label] for label in recall.sessions], abs=0.02
    )


def test_sessions_are_those_a_read_may_see_and_no_more_than_asked_for():
    turns = [replace(turn, session=f"s{n // 9}") for n, turn in enumerate(make_turns(120, seed=3))]
    with Memory(":memory:", embedder="hash", config=USUAL) as memory:
        bank = memory.bank("ada")
        bank.remember_many(turns)
        bank.remember_many([replace(turn, session=None) for turn in make_turns(30, seed=4)])

        assert len(bank.recall(QUERIES[0], k=4).sessions) == 4
        assert set(bank.recall(QUERIES[0], k=99, session=["s3", "s5"]).sessions) == {"s3", "s5"}
        assert bank.recall(QUERIES[0], k=0).sessions == ()
        assert "sessions: s" in bank.recall(QUERIES[0], k=4).explain()


@pytest.mark.parametrize("days", [(40, 1, 80), (40, 1, 80, 60, 20, 7, 30), tuple(range(1, 80, 7))])
def test_of_sessions_that_say_the_same_the_more_recent_comes_first(days):
    said = [
        Turn(text="The violin is in Lisbon.", at=START + timedelta(days=day), session=f"day {day}")
        for day in days
    ]
    with Memory(":memory:", embedder="hash", config=USUAL) as memory:
        memory.bank("ada").remember_many(said)
        now = START + timedelta(days=81)
        recall = memory.bank("ada").recall("violin in lisbon", k=20, now=now)

    assert [f"day {day}" for day in sorted(days, reverse=True)] == list(recall.sessions)


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("What did I paint?", "user"),
        ("What did you paint?", "assistant"),
        ("Who painted the kitchen?", "user"),
    ],
)
def test_of_two_who_say_the_same_the_one_asked_about_comes_first(query, first):
    said = "I painted the kitchen green."
    with Memory(":memory:", embedder="hash", config=USUAL) as memory:
        bank = memory.bank("ada")
        bank.remember_many(
            Turn(text=said, at=START + timedelta(days=day), role=role)
            for day, role in enumerate(["assistant", "user", "assistant"])
        )

        assert bank.recall(query)[0].episode.role == first


@pytest.mark.slow
def test_the_candidates_of_a_larger_bank_hold_the_best_of_brute_force():
    turns = make_turns(1500, seed=1)
    with (
        Memory(":memory:", embedder="hash", config=EVERYONE) as whole,
        Memory(":memory:", embedder="hash") as few,
    ):
        whole.bank("ada").remember_many(turns)
        few.bank("ada").remember_many(turns)
        for query in QUERIES:
            best = whole.bank("ada").recall(query, k=5)
            found = few.bank("ada").recall(query, k=50)
            assert 1500 == best.cost.candidates > found.cost.candidates
            assert {hit.id for hit in best} <= {hit.id for hit in found}


@pytest.mark.parametrize("cues", [["lexical"], ["vector"], ["tokens"], ["vector", "lexical"]])
def test_a_subset_of_the_cues_ranks_by_these_alone(cues):
    fusion = Fusion(
        previous_turn=0, next_turn=0, speaker=0, session=0, novelty=0, first_person_deed=0
    )
    weights = {name: fusion.weights[name] * (name in cues) for name in fusion.weights}
    with Memory(":memory:", embedder="hash", config=Config(fusion=fusion, vectors=WHOLE)) as memory:
        bank = memory.bank("ada")
        episodes = bank.remember_many(make_turns(120))
        recall = bank.recall(QUERIES[0], k=120, cues=cues)

        assert_same_ranking(recall, episodes, plain_ranking(episodes, QUERIES[0], fusion, weights))
        assert set().union(*(hit.shares for hit in recall)) <= set(cues)


def test_shares_and_scores_are_parts_of_one():
    with Memory(":memory:", embedder="hash", config=USUAL) as memory:
        memory.bank("ada").remember_many(make_turns(200))
        recall = memory.bank("ada").recall(QUERIES[1], k=200)

    scores = [hit.score for hit in recall]
    assert sorted(scores, reverse=True) == scores
    assert all(0 <= score <= 1 for score in scores)
    assert all(sum(hit.shares.values()) == pytest.approx(1) for hit in recall if hit.shares)
    assert all(min(hit.shares.values(), default=1) > 0 for hit in recall)


# ---------------------------------------------------------------- the cues alone


def question(text):
    embedded = HashEmbedder().embed_query(text)
    terms = list(dict.fromkeys(hash_terms(text).tolist()))
    return Query(
        text=text,
        now=START,
        terms=np.array(terms, np.uint32),
        term_weights=np.ones(len(terms), np.float32),
        vector=embedded.vector,
    )


@given(st.integers(1, 300), st.integers(1, 40), st.randoms(use_true_random=False))
def test_the_vector_cue_proposes_what_an_exact_scan_finds(count, limit, chance):
    texts = [turn.text for turn in make_turns(count, seed=chance.randint(0, 99))]
    vectors = np.stack([e.vector for e in HashEmbedder().embed([Passage(t) for t in texts])])
    cue = VectorCue(vectors.shape[1])
    cue.observe(Payloads.of(pack_vectors(vectors, bits=8)))
    asked = question("violin in lisbon")
    allowed = np.array([chance.random() < 0.7 for _ in texts])
    exact = np.where(allowed, vectors @ asked.vector, -np.inf)
    rows = cue.propose(asked, allowed, limit)

    assert min(limit, allowed.sum()) == len(rows) == len(set(rows.tolist()))
    assert allowed[rows].all()
    if allowed.sum() <= OVERSAMPLE * limit:  # then every allowed row is rescored
        best = np.sort(exact)[::-1][: len(rows)]
        assert best == pytest.approx(exact[rows], abs=0.02)  # eight bits a dimension


@given(st.integers(1, 80), st.integers(1, 30), st.randoms(use_true_random=False))
def test_the_lexical_cue_proposes_what_the_reference_finds(count, limit, chance):
    texts = [turn.text for turn in make_turns(count, seed=chance.randint(0, 99))]
    cue, plain = Bm25Cue(), reference.Bm25Index()
    for text in texts:
        hashes = hash_terms(text)
        plain.extend(hashes, np.array([0, len(hashes)], np.uint64))
    middle = chance.randint(0, count)  # in two goes, as a bank grows
    for some in (texts[:middle], texts[middle:]):
        cue.observe(Payloads.of([pack_terms(hash_terms(text)) for text in some]))
    asked = question("violin lisbon garden")
    allowed = np.array([chance.random() < 0.7 for _ in texts])
    scores = plain.score(asked.terms, asked.term_weights, allowed.view(np.uint8), K1, B)
    rows = cue.propose(asked, allowed, limit)

    assert allowed[rows].all()
    assert np.sort(scores[scores > 0])[::-1][:limit] == pytest.approx(scores[rows], abs=1e-5)


# ---------------------------------------------------------------- filters


@pytest.fixture(scope="module")
def filtered():
    with Memory(":memory:", embedder="hash", config=USUAL) as memory:
        bank = memory.bank("ada")
        yield bank, bank.remember_many(make_turns(250, seed=2))


@given(
    since=st.none() | st.integers(0, 250),
    length=st.integers(0, 250),
    speaker=st.none() | st.sampled_from(["Ada", "tom", ("Eve", "ADA")]),
    session=st.none() | st.sampled_from(["a", ["b", "c"], "nowhere"]),
    where=st.none()
    | st.sampled_from(
        [
            {"year": 2022},
            {"year": {"$gte": 2023}},
            {"$or": [{"year": 2020}, {"$not": {"year": 2021}}]},
        ]
    ),
)
def test_a_filter_lets_through_what_its_plain_meaning_does(
    filtered, since, length, speaker, session, where
):
    bank, episodes = filtered
    start = None if since is None else START + timedelta(hours=since)
    end = None if start is None else start + timedelta(hours=length)
    chosen = {"since": start, "until": end, "speaker": speaker, "session": session, "where": where}
    speakers = None if speaker is None else {s.casefold() for s in _many(speaker)}
    expected = {
        e.id
        for e in episodes
        if (start is None or start <= e.occurred_at < end)
        and (speakers is None or (e.speaker or "").casefold() in speakers)
        and (session is None or e.session in _many(session))
        and (where is None or matches(read_where(where), e.metadata))
    }

    assert make_filter(chosen, UTC) is not None
    assert expected == {e.id for e in bank.episodes(**chosen)}
    recall = bank.recall("violin in lisbon", k=250, **chosen)
    assert expected == {hit.id for hit in recall}
    assert len(expected) == recall.cost.allowed


def _many(value):
    return {value} if isinstance(value, str) else set(value)


def test_time_in_the_question_counts_towards_what_was_said_then():
    with Memory(":memory:", embedder="hash", config=USUAL) as memory:
        bank = memory.bank("ada")
        for month in range(1, 13):
            bank.remember("We watered the orchid.", at=datetime(2023, month, 10, tzinfo=UTC))
        now = datetime(2024, 1, 5, tzinfo=UTC)
        timed = bank.recall("What about the orchid in April 2023?", now=now)
        timeless = bank.recall("What about the orchid in April 2023?", now=now, cues=["lexical"])

    assert 4 == timed[0].episode.occurred_at.month
    assert timed.intervals
    assert "time" in timed[0].shares
    assert () == timeless.intervals
