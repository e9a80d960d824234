"""Texts as vectors, in which what means the same is near: the port to whatever makes them, and keeping what was made.

Laws:

- A text's vector depends on the text alone: not on what is embedded beside it, nor on whether it was kept.
- It has length 1, or 0 where a model has nothing to say of the text: there is nothing in it, or it is in a language that it does not read.
- A text is kept by its digest, with the model's name in it: another model's vector is never taken for this one's.
- Nothing here loads numpy before the first vector.
"""

from collections import OrderedDict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from blackboard.errors import BadValue, NotWritable

if TYPE_CHECKING:
    from numpy import dtype, float32, ndarray

Matrix: TypeAlias = "ndarray[tuple[int, int], dtype[float32]]"
"""Vectors as rows."""
Vector: TypeAlias = "ndarray[tuple[int], dtype[float32]]"

BATCH = 64
"""So many texts are embedded before they are kept: what a crash in the middle of thousands costs."""


class Embedder(Protocol):
    """Whatever makes vectors of texts."""

    @property
    def name(self) -> str:
        """The model, with whatever changes its vectors: what is kept is kept under it."""

    @property
    def dimensions(self) -> int:
        """How long a vector is."""

    def embed(self, texts: Sequence[str]) -> Matrix:
        """The vectors of texts, any texts, in order: shape (len(texts), dimensions)."""


class Keeper(Protocol):
    """Where vectors are kept, as bytes by digest. It may lose them at any time, whole; it never alters one."""

    def kept(self, digests: Collection[bytes]) -> Mapping[bytes, bytes]:
        """Those that are there."""

    def keep(self, vectors: Mapping[bytes, bytes]) -> None:
        """Keep these. Raises ``NotWritable``."""

    def forget(self, digests: Collection[bytes]) -> None:
        """Keep no byte of these."""


class MemoryKeeper:
    """Keeps the ``limit`` vectors that were asked for last."""

    def __init__(self, limit: int = 20_000) -> None:
        self._limit = limit
        self._vectors: OrderedDict[bytes, bytes] = OrderedDict()

    def __len__(self) -> int:
        return len(self._vectors)

    def kept(self, digests: Collection[bytes]) -> Mapping[bytes, bytes]:
        """Those that are there."""
        found = {digest: self._vectors[digest] for digest in digests if digest in self._vectors}
        for digest in found:
            self._vectors.move_to_end(digest)
        return found

    def keep(self, vectors: Mapping[bytes, bytes]) -> None:
        """Keep these, and let go of what was asked for least lately."""
        self._vectors.update(vectors)
        for digest in vectors:
            self._vectors.move_to_end(digest)
        while len(self._vectors) > self._limit:
            self._vectors.popitem(last=False)

    def forget(self, digests: Collection[bytes]) -> None:
        """Keep none of these."""
        for digest in digests:
            self._vectors.pop(digest, None)


class Cached:
    """An embedder that embeds no text twice.

    ``memory`` vectors at most are held in memory (1.5 kB each with 384 dimensions); all go to ``keeper``, too, if there is one
    (``blackboard.sqlite.SqliteVectors`` is a file). A keeper that cannot be written for now costs time later, and nothing else.
    """

    def __init__(self, embedder: Embedder, keeper: Keeper | None = None, *, memory: int = 20_000) -> None:
        self._embedder = embedder
        self._memory = MemoryKeeper(memory)
        self._keepers: tuple[Keeper, ...] = (self._memory,) if keeper is None else (self._memory, keeper)

    @property
    def name(self) -> str:
        """The embedder's."""
        return self._embedder.name

    @property
    def dimensions(self) -> int:
        """The embedder's."""
        return self._embedder.dimensions

    def embed(self, texts: Sequence[str]) -> Matrix:
        """The vectors of texts, read-only. Only what is new is embedded, in batches, each kept before the next."""
        import numpy as np

        digests = [self._digest(text) for text in texts]
        wanted = dict(zip(digests, texts, strict=True))
        found = self._found(wanted)
        for some in _batches(digest for digest in wanted if digest not in found):
            rows = self._embedder.embed([wanted[digest] for digest in some])
            made = {digest: row.astype("<f4").tobytes() for digest, row in zip(some, rows, strict=True)}
            self._keep(self._keepers, made)
            found |= made
        return np.frombuffer(b"".join(found[digest] for digest in digests), "<f4").reshape(len(texts), self.dimensions)

    def forget(self, texts: Iterable[str]) -> None:
        """Keep no byte of these texts' vectors, which tell much of what they say: for what is erased.

        Raises ``StoreError``, and ``BadValue`` for a single text.
        """
        if isinstance(texts, str):  # its characters would be forgotten one by one, and the text kept
            raise BadValue(f"texts are several: forget([{texts!r:.80}])")
        digests = [self._digest(text) for text in texts]
        for keeper in self._keepers:
            keeper.forget(digests)

    def _found(self, digests: Collection[bytes]) -> dict[bytes, bytes]:
        size = 4 * self.dimensions
        found: dict[bytes, bytes] = {}
        for place, keeper in enumerate(self._keepers):
            more = keeper.kept([digest for digest in digests if digest not in found])
            more = {digest: vector for digest, vector in more.items() if len(vector) == size}
            self._keep(self._keepers[:place], more)
            found.update(more)
        return found

    @staticmethod
    def _keep(keepers: Iterable[Keeper], vectors: Mapping[bytes, bytes]) -> None:
        for keeper in keepers:
            with suppress(NotWritable):
                keeper.keep(vectors)

    def _digest(self, text: str) -> bytes:
        return blake2b(f"{self.name}\0{text}".encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _batches(digests: Iterable[bytes]) -> Iterator[list[bytes]]:
    waiting = iter(digests)
    while some := list(islice(waiting, BATCH)):
        yield some


def readable(text: str, most: int) -> str:
    """The beginning of a text as any model takes it: composed (NFKC), without control characters and lone surrogates.

    ``most`` characters at most, since a model reads no further than some hundred words. Models fail over what this takes out, or
    worse: a tokenizer in C may have too small a buffer for a sign that stands for a whole phrase (U+FDFA).
    """
    import unicodedata

    composed = unicodedata.normalize("NFKC", text[:most].encode("utf-16", "surrogatepass").decode("utf-16", "replace"))[:most]
    return "".join(" " if unicodedata.category(character)[0] == "C" else character for character in composed).strip()


def unit(rows: Any) -> Matrix:
    """Rows brought to length 1. Those of length 0 stay, and what is no number becomes it: one bad vector would spoil the mean of all."""
    import numpy as np

    rows = np.asarray(rows, np.float32)
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    known = np.isfinite(lengths) & (lengths > 0)
    scaled: Matrix = np.where(known, rows / np.where(known, lengths, 1), 0).astype(np.float32)
    return scaled
