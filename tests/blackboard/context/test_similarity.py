"""How alike pieces are."""

import numpy as np
import pytest

from blackboard.context.similarity import ALONE, by_terms, by_vectors, topics


def numbers(*terms: int) -> np.ndarray[tuple[int], np.dtype[np.int32]]:
    return np.array(terms, np.int32)


def test_texts_are_alike_by_their_rare_terms() -> None:
    """What is in many makes nobody alike; what one has alone makes it longer."""
    cosines = by_terms([numbers(1, 2), numbers(1, 2), numbers(1, 3), numbers(1, 4, 5, 6), numbers(1, 7), numbers()])
    assert cosines[0, 1] == pytest.approx(1)
    assert 0 < cosines[0, 2] < 0.5
    assert cosines[0, 3] < cosines[0, 2]
    common, rare = by_terms([numbers(1, 2), numbers(1, 3), numbers(4, 5), numbers(4, 6), numbers(1, 7)])[[0, 2], [1, 3]]
    assert common < rare
    assert cosines[5].tolist() == [0, 0, 0, 0, 0, 1]
    assert (cosines == cosines.T).all()


def test_there_may_be_none() -> None:
    """Then there is nothing to be alike."""
    assert by_terms([]).shape == (0, 0)


@pytest.mark.parametrize("length", [1, 16, 300, ALONE + 1])
def test_blocks_make_the_whole(length: int) -> None:
    """Products in blocks are those at once; opposites are not alike at all."""
    vectors = np.random.default_rng(1).normal(size=(5 if length > ALONE else 70, length)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    expected = np.clip(vectors @ vectors.T, 0, 1)
    np.fill_diagonal(expected, 1)
    assert np.allclose(by_vectors(vectors), expected, atol=1e-5)


def test_topics() -> None:
    """Whoever comes first in the ranking begins one; others join what they are most like, unless their topic is named."""
    cosines = np.eye(5, dtype=np.float32)
    for one, two, alike in ((0, 1, 0.6), (1, 2, 0.9), (0, 3, 0.4), (0, 4, 1.0)):
        cosines[one, two] = cosines[two, one] = alike
    assert topics(cosines, [0, 1, 2, 3, 4], ["", "", "", "", "named"]) == [0, 0, 2, 3, 4]
    assert topics(cosines, [2, 0, 1, 3, 4], ["", "", "", "", ""]) == [0, 2, 2, 3, 0]
