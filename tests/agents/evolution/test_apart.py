"""Claims about retries in a process of their own."""

import os
from pathlib import Path

import pytest
from msgspec.structs import replace

from agents.errors import RetryFailed
from agents.evolution.analyst import Retry
from agents.evolution.apart import apart
from agents.evolution.strategies import Rule, Strategy
from tests.agents.evolution.world import logged

TARGET = """
import asyncio, os
from agents.memory.records import Verdict
from msgspec.structs import replace

async def retry(task, strategies):
    print("what is printed is no answer")
    match task.request:
        case "raise": raise ValueError("no such region")
        case "die": os._exit(3)
        case "hang": await asyncio.sleep(3600)
    return replace(task, verdict=Verdict("success", feedback=f"{os.getpid()} {os.nice(0)} {strategies[0].ref}"))
"""
STRATEGY = Strategy("politeness", Rule(advice="be polite"), version=3)


@pytest.fixture
def target(tmp_path: Path) -> str:
    (tmp_path / "again.py").write_text(TARGET, "utf-8")
    return str(tmp_path / "again.py")


async def feedback(retry: Retry, request: str = "report") -> list[str]:
    log = await retry(replace(logged(1), request=request), [STRATEGY])
    assert log.verdict
    return log.verdict.feedback.split()


async def test_it_is_another_process_of_the_lowest_priority(target: str) -> None:
    """The same one for every retry; strategies arrive as they are."""
    async with apart(target) as retry:
        first, second = await feedback(retry), await feedback(retry)
    assert first == second
    assert first[0] != str(os.getpid())
    assert first[1:] == ["19", "politeness@3"]


async def test_what_it_raises_is_told(target: str) -> None:
    """With its name; the next retry is done by the same process."""
    async with apart(target) as retry:
        before = await feedback(retry)
        with pytest.raises(RetryFailed, match="ValueError: no such region"):
            await feedback(retry, "raise")
        assert await feedback(retry) == before


async def test_a_process_that_dies_is_replaced(target: str) -> None:
    """Its retry has failed, and the next one is done."""
    async with apart(target) as retry:
        before = await feedback(retry)
        with pytest.raises(RetryFailed, match="has ended"):
            await feedback(retry, "die")
        assert (await feedback(retry))[0] != before[0]


async def test_one_that_takes_too_long_is_ended(target: str) -> None:
    """Its process is gone."""
    async with apart(target, within=20.0) as retry:
        process = (await feedback(retry))[0]
        retry._within = 0.2  # type: ignore[attr-defined]
        with pytest.raises(RetryFailed, match=r"longer than 0\.2 s"):
            await feedback(retry, "hang")
        with pytest.raises(ProcessLookupError):
            os.kill(int(process), 0)
