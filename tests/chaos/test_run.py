"""Runs of chaos: a short one always, long ones with ``-m chaos``."""

from pathlib import Path

import pytest

from tests.chaos.plan import Plan
from tests.chaos.run import Run

SHORT = Plan(seed=4, kills=12, observations=4_000, agents=3, subscribers=2, pause=0.8, longest_freeze=2.0)


@pytest.mark.timeout(180)
async def test_a_short_run(tmp_path: Path) -> None:
    """Whatever is killed under whatever else: every count is exact, and nothing is lost or doubled."""
    report = await Run(SHORT, tmp_path).run()
    assert report.findings == []
    assert sum(count for what, count in report.done.items() if what.endswith("killed")) == SHORT.kills
    assert report.counts["units accepted"] >= SHORT.observations
    assert report.counts["signals among them"] > 0


@pytest.mark.chaos
@pytest.mark.timeout(3600)
async def test_a_long_run(tmp_path: Path) -> None:
    """200 kills and 200,000 observations on one server."""
    assert (await Run(Plan(), tmp_path).run()).findings == []
