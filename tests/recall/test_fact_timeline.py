"""Statements come to facts that begin and end, whatever the order in which they are given."""

import itertools
from typing import get_args

from hypothesis import given
from hypothesis import strategies as st

from hippocampus.core.records import Mode, Statement
from hippocampus.recall.fact_timeline import Told, know

DAY = 86_400_000_000


def told(*said, noted=None):
    """Make statements, one a day."""
    return [
        Told(row, row * DAY, (noted or {}).get(row, row) * DAY, one) for row, one in enumerate(said)
    ]


def lives(where, mode="holds", start=None, end=None):
    return Statement("Ada", "lives_in", where, mode, start, end)


def spans(facts):
    return [
        (f.object, *(None if t is None else t // DAY for t in (f.valid_from, f.valid_to)))
        for f in facts
    ]


def test_what_can_be_of_one_thing_only_ends_when_another_is_told():
    old, new = know(told(lives("Porto"), lives("Lisbon")), {})

    assert [("Porto", None, 1), ("Lisbon", 1, None)] == spans([old, new])
    assert (0, 1 * DAY) == (old.known_from, old.known_to)
    assert new.known_to is None


def test_a_diet_of_what_is_eaten_ends_another_and_none_beside_it():
    diets = [Statement("Ada", "diet", one) for one in ("vegetarian", "gluten-free", "pescatarian")]

    facts = know(told(*diets), {})

    assert ["gluten-free", "pescatarian"] == [f.object for f in facts if f.valid_to is None]


def test_a_pet_that_died_is_nobodys_and_who_else_died_is_no_fact():
    said = [Statement("Ada", "pet", "Rex"), Statement("Ada", "pet", "Pip")]
    died = [Statement(name, "alive", "", "ended") for name in ("Rex", "Wendell")]

    assert [("Rex", None, 2), ("Pip", None, None)] == spans(know(told(*said, *died), {}))


def test_what_one_may_have_many_of_stays():
    said = [Statement("Ada", "likes", what) for what in ("tea", "rain", "Tea")]
    facts = know(told(*said), {})

    assert [("tea", None, None), ("rain", None, None)] == spans(facts)
    assert [0, 2] == facts[0].rows


def test_liking_and_disliking_the_same_exclude_each_other():
    said = [Statement("Ada", relation, "olives") for relation in ("likes", "dislikes", "likes")]

    assert [("olives", None, 1), ("olives", 1, 2), ("olives", 2, None)] == spans(
        know(told(*said), {})
    )


def test_neither_a_country_nor_a_city_ends_the_other():
    facts = know(told(lives("Porto"), lives("Portugal"), lives("Lisbon", "began")), {})

    assert [("Porto", None, 2), ("Portugal", None, None), ("Lisbon", 2, None)] == spans(facts)


def test_an_end_that_is_told_is_known_without_ending_more_than_it_names():
    assert [("Porto", None, 1)] == spans(know(told(lives("Porto"), lives("Porto", "ended")), {}))
    assert [("Porto", None, None), ("Rome", None, 1)] == spans(
        know(told(lives("Porto"), lives("Rome", "ended")), {})
    )
    assert [("Acme", None, 1)] == spans(
        know(
            told(Statement("Ada", "works_at", "Acme"), Statement("Ada", "works_at", "", "ended")),
            {},
        )
    )


def test_a_denial_is_kept_as_such_unless_it_ends_a_fact_told_before():
    no_more = lives("Porto", "denied", start=1 * DAY)

    assert [("Porto", None, 1)] == spans(know(told(lives("Porto"), no_more), {}))
    (alone,) = know(told(lives("Porto", "denied"), no_more), {})
    assert alone.denied
    assert not alone.holds(0)
    assert not alone.holds(1 * DAY)


def test_what_never_was_held_at_no_time():
    never = lives("Porto", "denied")
    facts = know(told(lives("Porto"), lives("Rome"), never), {})
    again = know(told(lives("Porto", start=0), never, lives("Porto", "began")), {})

    assert [("Porto", 2, 2), ("Rome", 1, None)] == spans(facts)
    assert [True, False] == [fact.denied for fact in facts]
    assert not any(facts[0].holds(at * DAY) for at in range(4))
    assert 2 * DAY == facts[0].known_to
    assert [("Porto", 0, 0), ("Porto", 2, None)] == spans(again)


def test_who_has_no_dog_any_more_has_no_big_dog_and_no_dog_rex():
    has = ("big dog", "dogs", "cat", "hot dog stand")
    said = [Statement("Ada", "owns", what) for what in has]
    said.append(Statement("Ada", "pet", "Rex", noun="dog"))
    facts = know(told(*said, Statement("Ada", "owns", "dog", "ended")), {})

    assert ["cat", "hot dog stand"] == [fact.object for fact in facts if fact.valid_to is None]


def test_when_it_changed_is_when_the_text_says_so():
    facts = know(told(lives("Porto"), lives("Rome"), lives("Lisbon", "began", start=DAY // 2)), {})

    assert [None, 1 * DAY, DAY // 2] == [fact.valid_from for fact in facts]
    assert [1 * DAY, 1 * DAY, None] == [fact.valid_to for fact in facts]


def test_a_late_fact_put_where_it_was_said_is_known_since_it_was_noted():
    old, new = know(told(lives("Porto"), lives("Lisbon"), noted={0: 5}), {})

    assert [("Porto", None, 1), ("Lisbon", 1, None)] == spans([old, new])
    assert (5 * DAY, 5 * DAY) == (old.known_from, old.known_to)


modes = st.sampled_from(get_args(Mode))
times = st.none() | st.integers(0, 9).map(lambda day: day * DAY)
statements = st.lists(
    st.builds(
        Statement, st.sampled_from(["Ada", "Tom"]), st.sampled_from(["lives_in", "likes"]),
        st.sampled_from(["Porto", "Lisbon", "Rome"]), modes, times, st.none(),
    ),
    max_size=9,
)  # fmt: skip


@given(statements, st.randoms(use_true_random=False))
def test_statements_in_any_order_make_the_same_orderly_timeline(said, dice):
    ordered = told(*said)
    shuffled = list(ordered)
    dice.shuffle(shuffled)
    facts = know(shuffled, {})

    assert [(f.subject, f.object, f.valid_from, f.valid_to, f.rows) for f in facts] == [
        (f.subject, f.object, f.valid_from, f.valid_to, f.rows) for f in know(ordered, {})
    ]
    for fact in facts:
        assert fact.rows
        assert fact.valid_to is None or (fact.valid_from or 0) <= fact.valid_to
        assert (fact.valid_to is None) == (fact.known_to is None)
        assert fact.known_to is None or fact.known_from <= fact.known_to
    known = [fact for fact in facts if not fact.planned]  # a plan is open beside what holds
    for one, other in itertools.combinations(known, 2):
        if one.subject == other.subject and one.relation == other.relation == "lives_in":
            assert one.valid_to is not None or other.valid_to is not None


def test_who_moves_many_times_is_known_to_live_in_one_place():
    towns = ("Porto", "Lisbon", "Rome")
    moves = [
        Told(at, at, at, Statement("Ada", "lives_in", towns[at % 3], "holds", None, None))
        for at in range(700)
    ]

    facts = know(moves, {})

    assert 700 == len(facts)
    assert [towns[699 % 3]] == [fact.object for fact in facts if fact.valid_to is None]


def things(relation, *said):
    return [Statement("Ada", relation, what, mode) for what, mode in said]


def test_what_is_sold_is_neither_owned_nor_driven_any_more():
    said = [
        *things("drives", ("red Volvo", "holds"), ("Vespa", "holds")),
        *things("owns", ("Volvo", "ended")),
    ]

    assert [("red Volvo", None, 2), ("Vespa", None, None), ("Volvo", None, 2)] == spans(
        know(told(*said), {})
    )


def test_what_is_not_owned_or_is_anothers_may_be_driven_all_the_same():
    said = [
        *things("drives", ("Volvo", "holds")), *things("owns", ("Volvo", "denied")),
        Statement("Tom", "owns", "Volvo", "ended"),
    ]  # fmt: skip

    assert ("Volvo", None, None) == spans(know(told(*said), {}))[0]


def test_what_is_driven_again_after_it_was_sold_is_driven_from_then_on():
    said = [
        *things("drives", ("Volvo", "holds")), *things("owns", ("Volvo", "ended")),
        *things("drives", ("Volvo", "holds")),
    ]  # fmt: skip
    drives = [fact for fact in know(told(*said), {}) if fact.relation == "drives"]

    assert [1, None] == [fact.valid_to and fact.valid_to // DAY for fact in drives]


def test_a_plan_of_which_it_is_told_that_it_was_or_is_over_holds_no_more():
    for mode in ("held", "ended", "denied"):
        (rome,) = know(told(lives("Rome", "planned"), lives("Rome", mode)), {})

        assert rome.valid_to is not None
        assert not rome.planned


def test_a_plan_for_a_day_ends_nothing_before_that_day_comes():
    for mode in ("planned", "began", "holds"):
        said = told(lives("Porto"), lives("Rome", mode, start=9 * DAY))
        before, after = (know(said, {}, at * DAY) for at in (8, 9))

        assert [(True, None), (False, 9)] == [
            (fact.holds(8 * DAY), fact.valid_from and fact.valid_from // DAY) for fact in before
        ]
        assert before[1].planned
        assert [("Porto", None, 9), ("Rome", 9, None)] == spans(after)


def test_a_plan_comes_true_though_it_was_said_since_how_it_still_was():
    for mode in ("planned", "began"):
        rome = lives("Rome", mode, start=9 * DAY)
        again = told(lives("Porto"), rome, lives("Porto"))
        never = told(rome, lives("Porto"))

        assert [("Porto", None, 9), ("Rome", 9, None)] == spans(know(again, {}, 20 * DAY))
        assert [("Rome", 9, None), ("Porto", None, 9)] == spans(know(never, {}, 20 * DAY))
        assert [None, None] == [fact.valid_to for fact in know(again, {}, 8 * DAY)]


def test_what_is_told_after_the_day_of_a_plan_or_of_another_change_is_so():
    rome = lives("Rome", "planned", start=2 * DAY)
    stayed = told(lives("Porto"), rome, lives("Porto"), lives("Porto"))
    moved = told(lives("Porto"), lives("Rome", "planned", start=9 * DAY), lives("Oslo", "began"))

    for said, home in ((stayed, "Porto"), (moved, "Oslo")):
        facts = know(said, {}, 20 * DAY)
        assert [home] == [fact.object for fact in facts if fact.valid_to is None]


def test_who_plans_to_leave_and_to_come_back_is_back_on_that_day():
    said = told(
        lives("Porto"), lives("Rome", "planned", 5 * DAY), lives("Porto", "planned", 9 * DAY)
    )

    assert ["Porto", "Rome", "Porto"] == [
        next(fact.object for fact in know(said, {}, day * DAY) if fact.holds(day * DAY))
        for day in (4, 6, 10)
    ]


def test_a_change_of_an_earlier_day_ends_none_that_is_dated_later():
    said = [lives(town, "began", day * DAY) for town, day in (("Porto", 6), ("Rome", 1))]
    between = told(*said, lives("Oslo", "began", 3 * DAY), noted={0: 20, 1: 21, 2: 22})
    between = [one._replace(occurred_at=one.recorded_at) for one in between]

    assert [("Porto", 6, None), ("Rome", 1, 3), ("Oslo", 3, 6)] == spans(know(between, {}))
    assert [("Porto", 6, None), ("Rome", 1, 6)] == spans(know(between[:2], {}))


def test_a_plan_that_is_put_off_is_for_the_day_told_last():
    said = [lives("Rome", "planned", start=day * DAY) for day in (8, 20)]
    (rome,) = know(told(*said), {}, 3 * DAY)

    assert (20, [0, 1]) == (rome.valid_from // DAY, rome.rows)


def test_a_plan_that_is_dropped_before_its_day_is_over():
    said = told(lives("Porto"), lives("Rome", "planned", start=9 * DAY), lives("Rome", "denied"))
    porto, rome = know(said, {}, 4 * DAY)

    assert (porto.valid_to, rome.planned) == (None, False)
    assert rome.valid_to is not None


def test_what_is_over_may_be_called_by_the_start_or_end_of_its_name():
    jobs = [Statement("Ada", "works_at", name) for name in ("Corvid Software", "corvid farm")]
    left = [Statement("Ada", "works_at", "Corvid", "ended")]

    assert [("Corvid Software", None, 2), ("corvid farm", None, None)] == spans(
        know(told(*jobs, *left), {})
    )


def test_only_a_firm_or_school_is_called_by_the_start_of_its_name():
    for relation in ("lives_in", "owns", "friend"):
        known = Statement("Ada", relation, "Corvid Hill")
        facts = know(told(known, Statement("Ada", relation, "Corvid", "ended")), {})

        assert [("Corvid Hill", None), ("Corvid", 1)] == [(f[0], f[2]) for f in spans(facts)]


def test_a_name_that_ends_as_a_possessive_keeps_its_end():
    (fact,) = know(told(Statement("Ada", "works_at", "Barney's")), {})

    assert fact.object == "Barney's"
