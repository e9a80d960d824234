"""blackboard.progress: how far a host has come, and who waits for it."""

import asyncio

from blackboard.progress import Progress

WITHIN = 5.0


async def test_whoever_waits_is_woken() -> None:
    """By a batch that was committed, by what only woke, and by time; each asks again whether it has what it waits for."""
    progress = Progress(1, {})
    async with asyncio.timeout(WITHIN):
        waiting = [asyncio.create_task(progress.until(lambda n=n: progress.cursor >= n)) for n in (2, 3)]  # type: ignore[misc]
        await asyncio.sleep(0)
        progress.step(2, {("finance", "e"): 1})
        await waiting[0]
        progress.wake()
        await asyncio.sleep(0)
        assert not waiting[1].done()
        progress.step(3, {})
        await waiting[1]
        await progress.step_or(0.001)
    assert progress.beyond(2)
    assert not progress.beyond(3)


def test_which_posts_are_committed() -> None:
    """Up to an epoch's watermark, until that is forgotten."""
    progress = Progress(0, {("finance", "e"): 2})
    assert progress.has("finance", "e", 2)
    assert not progress.has("finance", "e", 3)
    assert not progress.has("schedule", "e", 1)
    progress.step(1, {("finance", "f"): 1}, [("finance", "e")])
    assert not progress.has("finance", "e", 1)
    assert progress.has("finance", "f", 1)


def test_how_far_all_is_clean() -> None:
    """All that is stored, but for what was erased and is not out of the files yet."""
    progress = Progress(5, {})
    assert progress.clean == 5
    progress.erasing = 4
    assert progress.clean == 0
    progress.scrubbed, progress.cursor = 4, 9
    assert progress.clean == 4
    progress.erasing = 0
    assert progress.clean == 9


def test_a_trouble_is_new_once() -> None:
    """It is told with its time, and over once."""
    progress = Progress(0, {}, lambda: 0.0)
    assert progress.trouble_begins("the disk", "it is full")
    assert not progress.trouble_begins("the disk", "it is full")
    assert progress.trouble == "since 1970-01-01 00:00:00+00:00: it is full"
    assert progress.trouble_over("the disk")
    assert not progress.trouble_over("the disk")
    assert progress.trouble == ""
