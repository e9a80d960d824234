"""What is near to a question in meaning, beside what shares its words (chapter 2, "Recall").

An item has one vector: of its text alone and of its text among its neighbours, added up, since a turn says half of what it means and the
turns around it the other half. A question has one, too: of itself, and of itself as whoever answered would have said it. So how near they
are is one product, however many texts went into them. Nearness counts in standard deviations above the mean of all that is in view, for
cosines of different models, and of different boards, lie in different places.
"""

import re
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from blackboard.embedding import Embedder, Matrix, Vector, unit

if TYPE_CHECKING:
    from numpy import dtype, int64, ndarray

MOST = 1000
"""So many items at most count as near."""

_ASKING = re.compile(
    r"^(what|when|where|who|whom|whose|which|why|how)"
    r"( (kind|type|sort)s? of| many| much| long| old| often)?"
    r"( (did|does|do|is|are|was|were|has|have|had|would|will|can|could)\b)?\s+",
    re.IGNORECASE,
)


def as_said(question: str, speakers: Collection[str] = ()) -> str:
    """The question as one of the ``speakers`` it names would have said what answers it: "when did Ann move to Rome?" → "I move to Rome".

    English; any other question stays as it is, but for the names.
    """
    said = _ASKING.sub("", question.strip().rstrip("?").rstrip())
    for name in map(re.escape, sorted(speakers, key=len, reverse=True)):
        said = re.sub(rf"\b{name}['’]s\b", "my", said, flags=re.IGNORECASE)
        said = re.sub(rf"\b{name}\b", "I", said, flags=re.IGNORECASE)
    return said


def of_question(embedder: Embedder, question: str, speakers: Collection[str] = ()) -> Vector:
    """A question's vector: shape (dimensions,), of length 1, or 0 if the embedder does not read it."""
    asked: Vector = unit(embedder.embed([question, as_said(question, speakers)]).sum(axis=0, keepdims=True))[0]
    return asked


def of_items(embedder: Embedder, alone: Sequence[str], among: Sequence[str]) -> Matrix:
    """Items' vectors, of their texts alone and of the same ``among`` their neighbours: shape (len(alone), dimensions).

    With who said it, one a line. Two neighbours before and two after did best with dialogues; two before alone cost two points.
    """
    return unit(embedder.embed(alone) + embedder.embed(among))


class Nearness(NamedTuple):
    """How near items are to a question: their ordinals and their cosines, in no order."""

    ordinals: "ndarray[tuple[int], dtype[int64]]"
    cosines: Vector


class Vectors:
    """The vectors of one partition's items, by ordinal. A zero vector says nothing, and is not kept."""

    def __init__(self, dimensions: int) -> None:
        self._dimensions = dimensions
        self._rows: dict[int, int] = {}
        self._matrix: Any = None
        self._ordinals: Any = None

    def __len__(self) -> int:
        return len(self._rows)

    def put(self, ordinals: Sequence[int], vectors: Matrix) -> None:
        """Give items their vectors, in the place of those that they had."""
        known = (vectors != 0).any(axis=1).tolist()
        for ordinal in (ordinal for ordinal, says in zip(ordinals, known, strict=True) if not says):
            self.drop(ordinal)
        self._make_room(len(self._rows) + len(ordinals))
        for ordinal, vector in ((o, v) for o, v, says in zip(ordinals, vectors, known, strict=True) if says):
            row = self._rows.setdefault(ordinal, len(self._rows))
            self._matrix[row], self._ordinals[row] = vector, ordinal

    def drop(self, ordinal: int) -> None:
        """Forget an item's vector, if it has one."""
        row = self._rows.pop(ordinal, None)
        if row is not None and row != (last := len(self._rows)):
            self._matrix[row], moved = self._matrix[last], int(self._ordinals[last])
            self._ordinals[row], self._rows[moved] = moved, row

    def near(self, question: Vector) -> Nearness:
        """How near each item is."""
        self._make_room(1)
        size = len(self._rows)
        return Nearness(self._ordinals[:size], self._matrix[:size] @ question)

    def _make_room(self, size: int) -> None:
        import numpy as np

        if self._matrix is None:
            self._matrix, self._ordinals = np.empty((64, self._dimensions), np.float32), np.empty(64, np.int64)
        if size > len(self._ordinals):
            more = max(size, 2 * len(self._ordinals)) - len(self._ordinals)
            self._matrix = np.concatenate([self._matrix, np.empty((more, self._dimensions), np.float32)])
            self._ordinals = np.concatenate([self._ordinals, np.empty(more, np.int64)])


class MeaningIndex:
    """Vectors of one partition's items, made when they are first asked for. Its interface is the text index's, and so are its laws.

    An item is embedded as it stands among what is near it then; what comes later does not change its vector.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._vectors = Vectors(embedder.dimensions)
        self._coming: dict[int, Any] = {}

    def add(self, ordinal: int, item: Any) -> None:
        """An item has come."""
        self._coming[ordinal] = item

    def remove(self, ordinal: int) -> None:
        """An item has gone, or is about to be another's."""
        self._coming.pop(ordinal, None)
        self._vectors.drop(ordinal)

    def near(self, question: Vector, told: Callable[[Iterable[Any]], Iterable[tuple[str, str]]]) -> Nearness:
        """How near each item is; ``told``: items → the texts of each, alone and among its neighbours."""
        if self._coming:
            alone, among = zip(*told(self._coming.values()), strict=True)
            self._vectors.put(list(self._coming), of_items(self._embedder, alone, among))
            self._coming.clear()
        return self._vectors.near(question)


def gains(near: Iterable[Nearness], *, weight: float, most: int = MOST) -> dict[int, float]:
    """What nearness adds to the relevance of items: ordinal → gain, of the ``most`` that are nearest above the mean.

    ``weight`` is what a standard deviation adds.

    ``near`` is all that is in view, a partition each. Nothing is added where nothing is known of the question, or all is equally near.
    """
    import numpy as np

    near = list(near)
    if not sum(len(each.ordinals) for each in near):
        return {}
    ordinals = np.concatenate([each.ordinals for each in near])
    cosines = np.concatenate([each.cosines for each in near]).astype(np.float64)
    deviation = cosines.std()
    if deviation < 1e-6:  # rounding
        return {}
    above = (cosines - cosines.mean()) / deviation
    least = np.partition(above, -most)[-most] if len(above) > most else 0.0
    chosen = (above > 0) & (above >= least)
    return dict(zip(ordinals[chosen].tolist(), (weight * above[chosen]).tolist(), strict=True))
