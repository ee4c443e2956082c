"""Signatures from random indexing: as the plain version makes them, today and for ever."""

import kernel_reference as reference
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hippocampus.kernel import plane_signs, top_signs

MAKERS = {
    "top": (top_signs, reference.top_signs),
    "planes": (plane_signs, reference.plane_signs),
}
FORMS = st.sampled_from(sorted(MAKERS))
FINE = {"components": 64, "nonzeros": 8, "window": 1, "bits": 16, "seed": 0}
IDS = np.array([11, 12, 13, 11, 200_000], np.uint64)
ENDS = np.array([0, 3, 3, 5], np.uint64)


@st.composite
def questions(draw):
    """Return texts of ids and parameters, small enough for the plain version."""
    texts = draw(st.lists(st.lists(st.integers(0, 2**18 - 1) | st.just(7), max_size=9), max_size=4))
    components = draw(st.sampled_from([8, 63, 64, 65, 130]))
    how = {
        "components": components,
        "nonzeros": draw(st.sampled_from([n for n in (2, 8, 16, 62) if n <= components])),
        "window": draw(st.sampled_from([0, 1, 2, 5])),
        "bits": draw(st.sampled_from([b for b in (8, 16, 64, 72, 128) if b <= components])),
        "seed": draw(st.sampled_from([0, 1, 2**64 - 1])),
    }
    ids = np.array([i for text in texts for i in text], np.uint64)
    return ids, np.cumsum([0, *map(len, texts)], dtype=np.uint64), how


@given(questions(), FORMS)
def test_signatures_agree_with_the_reference(question, form):
    ids, ends, how = question
    native, plain = MAKERS[form]

    assert plain(ids, ends, **how).tolist() == native(ids, ends, **how).tolist()


@given(questions(), FORMS, st.data())
def test_a_span_has_the_signatures_it_would_have_alone(question, form, data):
    ids, ends, how = question
    native, _ = MAKERS[form]
    if len(ends) > 1:
        span = data.draw(st.integers(0, len(ends) - 2))
        start, stop = int(ends[span]), int(ends[span + 1])
        alone = native(ids[start:stop], np.array([0, stop - start], np.uint64), **how)

        assert native(ids, ends, **how)[start:stop].tolist() == alone.tolist()


@given(questions(), FORMS)
def test_without_a_window_equal_tokens_have_equal_signatures(question, form):
    ids, ends, how = question
    native, _ = MAKERS[form]
    codes = native(ids, ends, **how | {"window": 0})
    first = {token: place for place, token in reversed(list(enumerate(ids.tolist())))}

    assert codes.tolist() == [codes[first[token]].tolist() for token in ids.tolist()]


@pytest.mark.parametrize(
    ("form", "expected"),
    [
        ("top", "3828305fd1421d5f8ac92c7c3764898e3764898e"),
        ("planes", "b2f68054e077005476ff544e0b7628110b762811"),
    ],
)
def test_signatures_are_the_same_on_any_day(form, expected):
    native, _ = MAKERS[form]
    how = {"components": 1024, "nonzeros": 32, "window": 1, "bits": 32, "seed": 5}

    assert expected == native(IDS, ENDS, **how).tobytes().hex()


def test_eight_components_have_only_seventy_patterns_of_signs():
    ids = np.arange(20_000, dtype=np.uint64)
    codes = top_signs(ids, np.array([0, len(ids)], np.uint64), **FINE | {"window": 0})

    assert len(np.unique(codes, axis=0)) == 70


@pytest.mark.parametrize("form", sorted(MAKERS))
@pytest.mark.parametrize(
    ("error", "message", "change"),
    [
        (ValueError, "components=7: must be from 8", {"components": 7}),
        (ValueError, "nonzeros=3: must be even", {"nonzeros": 3}),
        (ValueError, "nonzeros=66: must be even, from 2 to .* 64", {"nonzeros": 66}),
        (ValueError, "window=128: must be at most 127", {"window": 128}),
        (ValueError, "bits=12: must be a multiple of 8", {"bits": 12}),
        (ValueError, "bits=72: must be at most the number of components, 64", {"bits": 72}),
        (ValueError, "offsets end at 5, must end", {"ids": IDS[:4]}),
        (TypeError, "incompatible", {"seed": -1}),
        (TypeError, "incompatible", {"ids": IDS.astype(np.int64)}),
    ],
)
def test_what_does_not_fit_is_refused_by_name(form, error, message, change):
    native, _ = MAKERS[form]
    fine = {"ids": IDS, "offsets": ENDS, **FINE}
    assert native(**fine).shape == (5, 2)
    with pytest.raises(error, match=message):
        native(**fine | change)
