"""How alike candidates are: what coverage and topics are made of (chapter 4, "Objective"). Matrices, in numpy.

How rare a term is, is counted among the candidates: what the query has brought in is in all of them, and makes nobody alike.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Matrix: TypeAlias = "NDArray[np.float32]"
Numbers: TypeAlias = "NDArray[np.int32]"

ALIKE = 0.5
"""From this cosine on two pieces are of one topic."""
ALONE = 2**18
"""For more products at once OpenBLAS wakes its threads, which on a busy machine takes many times longer than the products do."""


def numbers(of: Sequence[int]) -> Numbers:
    """As they are needed here."""
    import numpy as np

    return np.array(of, np.int32)


def by_terms(terms: Sequence[Numbers]) -> Matrix:
    """The cosines of n texts by their terms, weighed by how rare they are here: (n, n), 0 … 1, 1 on the diagonal.

    ``terms``: of each text its terms as numbers, each once.
    """
    import numpy as np

    size = len(terms)
    rows = np.repeat(np.arange(size), [len(each) for each in terms])
    _, columns, holding = np.unique(np.concatenate([*terms, np.zeros(0, np.int32)]), return_inverse=True, return_counts=True)
    rarity = np.log1p(size / holding).astype(np.float32)
    lengths = np.bincount(rows, rarity[columns] ** 2, size)
    shared = holding > 1  # what only one has makes it longer, and like nobody
    place = np.cumsum(shared) - 1
    both = shared[columns]
    weights = np.zeros((size, int(shared.sum())), np.float32)
    weights[rows[both], place[columns[both]]] = rarity[columns[both]]
    weights /= np.sqrt(np.maximum(lengths, 1e-9)).astype(np.float32)[:, None]
    return _bounded(_cosines(weights))


def by_vectors(vectors: Matrix) -> Matrix:
    """The cosines of n vectors of length 1: (n, n); what points apart is not alike at all, 0."""
    return _bounded(_cosines(vectors))


def _cosines(rows: Matrix) -> Matrix:
    """``rows @ rows.T`` in blocks of up to ``ALONE`` products."""
    import numpy as np

    size, length = rows.shape
    side = max(1, int((ALONE / max(length, 1)) ** 0.5))
    found = np.empty((size, size), np.float32)
    for top in range(0, size, side):
        for left in range(top, size, side):
            block = rows[top : top + side] @ rows[left : left + side].T
            found[top : top + side, left : left + side] = block
            found[left : left + side, top : top + side] = block.T
    return found


def _bounded(cosines: Matrix) -> Matrix:
    import numpy as np

    np.clip(cosines, 0.0, 1.0, out=cosines)
    np.fill_diagonal(cosines, 1.0)
    return cosines


def topics(cosines: Matrix, ranking: Sequence[int], named: Sequence[str]) -> list[int]:
    """The topic of each: the one that is named for it; or that of the one most like it of those that began one before; or its own."""
    import numpy as np

    found = [-1] * len(named)
    nearest = np.full(len(named), ALIKE, np.float32)
    leader = np.full(len(named), -1)
    of_name: dict[str, int] = {}
    for each in ranking:
        if named[each]:
            found[each] = of_name.setdefault(named[each], each)
        elif leader[each] >= 0:
            found[each] = int(leader[each])
        else:
            found[each] = each
            nearer = cosines[each] >= nearest
            leader[nearer] = each
            np.maximum(nearest, cosines[each], out=nearest)
    return found
