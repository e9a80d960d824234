"""What a selection is worth (chapter 4, "Objective"): ``F(S) = λ₁·Relevance(S) + λ₂·Diversity(S) + λ₃·Coverage(S)``.

Laws: each term is monotone and submodular, and 1 for all candidates together, so F is between 0 and Σλ.

- relevance is modular: the sum of what the pieces are worth to the query, ``Σ r_i``;
- diversity is concave in what was collected of each topic, ``Σ_t √(Σ_{i ∈ S∩t} r_i)``: a topic's second piece adds less than its first;
- coverage is facility location, ``Σ_v r_v · max_{s ∈ S} cos²(v, s)``: each candidate is stood for by the one in S that is
  most like it. (Squared, since what is half alike stands for little: with the plain cosine what is like many wins over what is relevant.)
"""

from collections.abc import Sequence

from blackboard.context.presets import Weights
from blackboard.context.similarity import Matrix


class Worth:
    """F for the candidates of one query, as pieces are taken; an ``Objective`` of ``greedy``.

    ``relevance``: (n,), ≥ 0. ``cosines``: (n, n), 0 … 1. ``topics``: the topic of each, any n numbers from 0 to n − 1.
    """

    def __init__(self, weights: Weights, relevance: Sequence[float], cosines: Matrix, topics: Sequence[int]) -> None:
        import numpy as np

        self._relevance = np.asarray(relevance, np.float64)
        self._alike = cosines * cosines
        self._topics = np.asarray(topics, np.intp)
        total = float(self._relevance.sum()) or 1.0
        of_topics = np.bincount(self._topics, self._relevance, len(self._relevance)) if len(self._relevance) else np.zeros(0)
        spread = float(np.sqrt(of_topics).sum()) or 1.0
        self._by_relevance = self._relevance * (weights.relevance / total)
        self._by_topic = weights.diversity / spread
        self._covering = (self._relevance * (weights.coverage / total)).astype(np.float32)
        self._covered = np.zeros(len(self._relevance), np.float32)
        self._collected = np.zeros(len(self._relevance))
        self.value = 0.0

    def gains(self) -> list[float]:
        """What each would add now; of those that are in, nothing that counts."""
        import numpy as np

        collected = self._collected[self._topics]
        diversity = np.sqrt(collected + self._relevance) - np.sqrt(collected)
        coverage = np.einsum("v,vi->i", self._covering, np.maximum(self._alike - self._covered[:, None], 0.0))
        gains: list[float] = (self._by_relevance + self._by_topic * diversity + coverage).tolist()
        return gains

    def gain(self, candidate: int) -> float:
        import numpy as np

        collected = self._collected[self._topics[candidate]]
        diversity = np.sqrt(collected + self._relevance[candidate]) - np.sqrt(collected)
        coverage = self._covering @ np.maximum(self._alike[candidate] - self._covered, 0.0)
        return float(self._by_relevance[candidate] + self._by_topic * diversity + coverage)

    def take(self, candidate: int) -> None:
        import numpy as np

        self.value += self.gain(candidate)
        self._collected[self._topics[candidate]] += self._relevance[candidate]
        np.maximum(self._covered, self._alike[candidate], out=self._covered)
