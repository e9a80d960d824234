"""Which task records are alike: in what was asked, and in how it went. The only file that imports scikit-learn.

Law: the same records, in the same order, give the same groups.
"""

from collections.abc import Sequence
from importlib.util import find_spec
from itertools import pairwise
from typing import Any

from agents.memory.records import TaskRecord
from blackboard.errors import NotInstalled
from blackboard.text import terms

ALIKE = 0.6
"""How far apart groups may be that become one: 1 − the cosine of their TF-IDF, on average."""
BLOCK = 2_000
"""Records that are compared each with each; of more, blocks are, and then what they came to."""


def ready() -> None:
    """Can likeness be found? Asked before there is anything to compare. Raises ``NotInstalled``."""
    if find_spec("sklearn") is None:
        raise NotInstalled("records that are alike are found with scikit-learn: pip install 'pheroboard[learn]'")


def by_likeness(records: Sequence[TaskRecord]) -> list[list[TaskRecord]]:
    """Records in groups, by agglomerative clustering (average linkage) of the words of their requests and the steps of their paths.

    Raises ``NotInstalled``.
    """
    ready()
    if len(records) < 2:
        return [[record] for record in records]
    from sklearn.feature_extraction.text import TfidfVectorizer

    ordered = sorted(records, key=lambda record: (record.path, record.request, record.id))  # what is alike lies near
    points = TfidfVectorizer(analyzer=_features).fit_transform(ordered)
    return [[ordered[n] for n in group] for group in _merged(points, [[n] for n in range(len(ordered))])]


def _features(record: TaskRecord) -> list[str]:
    """What is compared: words without numbers, tools, and which comes after which."""
    asked = [term for term in terms(record.request) if not any(map(str.isdigit, term))]
    path = ("", *record.path, "")
    cause = [f"\0cause {record.cause}"] if record.cause else []
    return [*asked, *(f"\0{tool}" for tool in record.path), *(f"\0{a}\0{b}" for a, b in pairwise(path)), *cause]


def _merged(points: Any, groups: list[list[int]]) -> list[list[int]]:
    """Groups of rows, each with those that are near it: block by block, until all are one block or no block merges any."""
    while True:
        merged = [group for first in range(0, len(groups), BLOCK) for group in _joined(points, groups[first : first + BLOCK])]
        if len(groups) <= BLOCK or len(merged) == len(groups):
            return merged
        groups = merged


def _joined(points: Any, groups: list[list[int]]) -> list[list[int]]:
    import numpy as np
    from sklearn.cluster import AgglomerativeClustering
    from sklearn.preprocessing import normalize

    if len(groups) == 1:
        return groups
    middles = normalize(np.stack([points[group].sum(axis=0).A1 for group in groups]))
    apart = np.clip(1 - middles @ middles.T, 0, 2)
    clustering = AgglomerativeClustering(n_clusters=None, metric="precomputed", linkage="average", distance_threshold=ALIKE)
    joined: dict[int, list[int]] = {}
    for label, group in zip(clustering.fit_predict(apart).tolist(), groups, strict=True):
        joined.setdefault(label, []).extend(group)
    return list(joined.values())
