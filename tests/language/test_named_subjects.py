"""Names are subjects where a verb follows them, and nothing before them says otherwise."""

import pytest

from hippocampus.language.named_subjects import named_subjects, speaks_of_self


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Olga sings in the choir.", {"olga"}),
        ("Guess what, Olga has never seen snow.", {"olga"}),
        ("Olga's new address is on the fridge.", {"olga"}),
        ("I think Olga likes rye bread, but Piet hates it.", {"olga", "piet"}),
        ("Olga's moving to Delft.", {"olga"}),
        ("We walked home with Olga after the concert.", set()),
        ("Olga, that was lovely!", set()),
        ("Does Olga sing?", set()),
        ("Thanks Olga!", set()),
        ("Olga's cake", set()),
    ],
)
def test_a_name_is_a_subject_where_its_verb_follows(text, names):
    assert named_subjects(text) == names


def test_a_text_speaks_of_whoever_says_it_in_the_first_person():
    assert speaks_of_self("Olga lent me her drill.")
    assert not speaks_of_self("Olga lent Piet her drill.")
