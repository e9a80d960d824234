"""What is near in meaning, beside what shares words."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from blackboard.dense import Nearness, Vectors, as_said, gains, of_items, of_question
from tests.blackboard.test_embedding import Hashing


def near(scores: dict[int, float]) -> Nearness:
    return Nearness(np.array(list(scores), np.int64), np.array(list(scores.values()), np.float32))


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("When did Ann move to Rome?", "I move to Rome"),
        ("What kind of car does Ann's brother have?", "car does my brother have"),
        ("Which of ANN’s cats is ill?", "of my cats is ill"),
        ("How many children does Annabel have?", "children does Annabel have"),
        ("Whose?", "Whose"),
        ("", ""),
        ("猫叫什么名字？", "猫叫什么名字？"),
    ],
)
def test_a_question_as_it_would_be_answered(question: str, said: str) -> None:
    """Question words go, and whoever is named speaks."""
    assert as_said(question, ["Ann"]) == said


def test_the_longer_name_is_meant() -> None:
    """Where one begins with another."""
    assert as_said("Did Ann Lee meet Ann?", ["Ann", "Ann Lee"]) == "Did I meet I"


def test_vectors_of_questions_and_items_are_sums() -> None:
    """Brought to length 1."""
    embedder = Hashing()
    parts = embedder.embed(["Does Ann swim?", "Does I swim"])
    asked = of_question(embedder, "Does Ann swim?", ["Ann"])
    assert np.allclose(asked, parts.sum(axis=0) / np.linalg.norm(parts.sum(axis=0)))
    assert of_items(embedder, ["a", "b"], ["a\nb", "a\nb"]).shape == (2, 8)
    assert of_items(embedder, [], []).shape == (0, 8)


@given(st.lists(st.tuples(st.integers(0, 9), st.sampled_from(["put", "drop", "zero"])), max_size=60))
def test_vectors_are_those_that_were_put_last(steps: list[tuple[int, str]]) -> None:
    """Whatever came and went: the same as a mapping, and what says nothing is not there."""
    vectors, expected = Vectors(2), dict[int, float]()
    for number, (ordinal, step) in enumerate(steps, 1):
        if step == "put":
            vectors.put([ordinal], np.array([[number, 1]], np.float32))
            expected[ordinal] = number
        else:
            vectors.drop(ordinal) if step == "drop" else vectors.put([ordinal], np.zeros((1, 2), np.float32))
            expected.pop(ordinal, None)
    found = vectors.near(np.array([1, 0], np.float32))
    assert dict(zip(found.ordinals.tolist(), found.cosines.tolist(), strict=True)) == expected
    assert len(vectors) == len(expected)


def test_hundreds_of_vectors_at_once() -> None:
    """They grow as they must."""
    vectors, rows = Vectors(3), unit_rows(500)
    vectors.put(range(500), rows)
    vectors.put(range(250, 750), rows)
    found = vectors.near(rows[7])
    assert len(vectors) == 750
    assert dict(zip(found.ordinals.tolist(), found.cosines.tolist(), strict=True))[257] == pytest.approx(1)


def unit_rows(count: int) -> "np.ndarray[tuple[int, int], np.dtype[np.float32]]":
    angles = np.arange(count, dtype=np.float32)
    return np.stack([np.cos(angles), np.sin(angles), np.zeros_like(angles)], axis=1)


def test_nearness_counts_above_the_mean() -> None:
    """In standard deviations; what is below it loses nothing."""
    assert gains([near({1: 0.9, 2: 0.1, 3: 0.9, 4: 0.1})], weight=0.2) == pytest.approx({1: 0.2, 3: 0.2})
    assert gains([near({1: 1.0, 2: 0.5, 3: 0.0})], weight=0.2).keys() == {1}
    assert gains([near({1: 1.0, 2: 0.0, 3: 0.0, 4: 0.0})], weight=0.2, most=3).keys() == {1}


@given(st.lists(st.floats(-1, 1, width=32), min_size=1), st.floats(0.1, 10), st.floats(-1, 1))
def test_where_cosines_lie_makes_no_difference(cosines: list[float], scale: float, shift: float) -> None:
    """Nor how wide: of another model they are elsewhere."""
    assume(np.std(cosines) > 1e-3)
    there = gains([near(dict(enumerate(cosines)))], weight=0.15)
    elsewhere = gains([Nearness(np.arange(len(cosines)), np.array(cosines) * scale + shift)], weight=0.15)  # type: ignore[arg-type]
    assert {n: elsewhere.get(n, 0.0) for n in there} == pytest.approx(there, abs=1e-4)


def test_partitions_are_one_view() -> None:
    """How they are split makes no difference."""
    whole = {n: n / 10 for n in range(8)}
    parts = [near({n: s for n, s in whole.items() if n % 3 == part}) for part in range(3)]
    assert gains(parts, weight=0.15) == pytest.approx(gains([near(whole)], weight=0.15))


def test_so_many_are_near_at_most() -> None:
    """The nearest, however many there are."""
    assert set(gains([near({n: n / 100 for n in range(100)})], weight=0.15, most=3)) == {97, 98, 99}


@pytest.mark.parametrize("each", [[], [near({})], [near({1: 0.3})], [near(dict.fromkeys(range(9), 0.3))]])
def test_where_nothing_is_nearer_nothing_is_added(each: list[Nearness]) -> None:
    """No vectors, one, all alike, or a question that the model does not read."""
    assert gains(each, weight=0.15) == {}
