"""Runs of chaos: a short one always, long ones with ``-m chaos``."""

from pathlib import Path

import pytest

from tests.chaos.plan import Plan
from tests.chaos.run import Run

SHORT = Plan(seed=4, kills=12, observations=4_000, hosts=2, agents=3, subscribers=2, pause=0.8, longest_freeze=3.0)


@pytest.mark.timeout(180)
async def test_a_short_run(tmp_path: Path) -> None:
    """Whatever is killed under whatever else: every count is exact, nothing is lost or doubled, and both hosts have what the log gives."""
    report = await Run(SHORT, tmp_path).run()
    assert report.findings == []
    assert sum(count for what, count in report.done.items() if what.endswith("killed")) == SHORT.kills
    assert report.counts["units accepted"] >= SHORT.observations
    assert report.counts["signals among them"] > 0
    assert report.counts["hosts compared, to the byte"] == SHORT.hosts


@pytest.mark.chaos
@pytest.mark.timeout(3600)
@pytest.mark.parametrize(
    "plan",
    [
        Plan(),
        Plan(nodes=3, hosts=3, boards=2),
        Plan(nodes=3, hosts=3, boards=2, journal=1000),
        Plan(kills=60, observations=60_000, hosts=2, time="wall"),
    ],
    ids=["one server", "three servers", "logs that are cut", "wall-clock time"],
)
async def test_a_long_run(plan: Plan, tmp_path: Path) -> None:
    """Likewise, 200 kills and 200,000 observations long."""
    assert (await Run(plan, tmp_path).run()).findings == []
