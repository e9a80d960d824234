"""How long a board is without a leader."""

from pathlib import Path

import pytest

from tests.chaos.takeover import MUST, How, measure


@pytest.mark.chaos
@pytest.mark.timeout(600)
@pytest.mark.parametrize("nodes", [1, 3])
@pytest.mark.parametrize("how", ["kill", "freeze", "end"])
async def test_signals_flow_again(tmp_path: Path, how: How, nodes: int) -> None:
    """Whatever becomes of the host that leads, another tells signals within the time that is promised."""
    assert max(await measure(tmp_path, times=5, how=how, hosts=2, nodes=nodes, seed=1)) <= MUST
