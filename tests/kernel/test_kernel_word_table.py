"""Words in Latin letters are found as a pattern finds them, and what is known of them is told."""

import kernel_reference as reference
from hypothesis import example, given
from hypothesis import strategies as st

from hippocampus.kernel import WordTable

WORDS = ("a", "don't", "don\u2019t", "7", "\xe9t\xe9", "\u024f", "s")
TEXTS = st.lists(
    st.sampled_from(
        [*WORDS, "A", "'", "\u2019", "\u2018", "\xd7", "\xf7", "\u0250", "_", " ", "\u65e5"]
    )
).map("".join)
KNOWN = st.dictionaries(
    st.sampled_from(WORDS), st.tuples(st.integers(1, 2**32 - 1), st.sampled_from([0, 0.5, -1.0]))
)


@given(KNOWN, TEXTS | st.text())
@example({"a": (5, -1.0), "s": (6, 0.5)}, "A's a S s's' 'a")
def test_a_text_is_read_as_by_the_reference(known, text):
    native, plain = WordTable(), reference.WordTable()
    for word, told in known.items():
        for table in (native, plain):
            table.add(word, *told)
            table.add(word, 9, 9.0)  # it is known already
    hashes, leaning, unknown = native.read(text.encode())

    assert len(native) == len(known)
    assert (hashes.tolist(), leaning, unknown) == plain.read(text.encode())
    assert native.telling(text.encode()) == plain.telling(text.encode())


def test_a_table_has_room_for_every_word():
    table = WordTable()
    words = [f"word{place}" for place in range(5000)]
    for place, word in enumerate(words, 1):
        table.add(word, place, 0.0)
    hashes, _, unknown = table.read(" ".join(words).encode())

    assert ([*range(1, 5001)], []) == (hashes.tolist(), unknown)
