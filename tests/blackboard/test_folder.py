"""A host has what has faded summarised, whatever the summariser does, and posts it."""

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from blackboard import folder
from blackboard.folder import folds
from blackboard.items import ContextItem
from blackboard.validity import MAX_CONTENT
from bus.messages import Fold


def group(*contents: str) -> tuple[ContextItem, ...]:
    items = tuple(ContextItem(content) for content in contents)
    for n, item in enumerate(items):
        item.id = f"{n}"
    return items


class Says:
    """A summariser that does as it is told."""

    def __init__(self, say: Any) -> None:
        self.say = say

    async def summarise(self, items: Sequence[ContextItem]) -> str:
        await asyncio.sleep(0)
        if isinstance(self.say, Exception):
            raise self.say
        if self.say is None:
            await asyncio.Event().wait()
        assert items
        return str(self.say)


async def test_a_summariser_may_be_awaited() -> None:
    """Each group is a unit of its own."""
    assert await folds([group("a", "b"), group("c", "d", "e")], Says("short")) == (
        (Fold(("0", "1"), "short"),),
        (Fold(("0", "1", "2"), "short"),),
    )


@pytest.mark.parametrize("say", [RuntimeError("no model"), "", "half \ud800", "x" * (MAX_CONTENT + 1), None])
async def test_what_is_no_summary_is_said_by_the_default(
    say: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It raised, said nothing, or too much, or hangs: that is logged, and folding goes on."""
    monkeypatch.setattr(folder, "WITHIN", 0.01)
    assert await folds([group("a.", "b.")], Says(say)) == ((Fold(("0", "1"), "a.\nb."),),)
    assert "a summary of 2 items is the default's" in caplog.text


async def test_what_gives_no_text_at_all(caplog: pytest.LogCaptureFixture) -> None:
    """A summariser that returns something else is told of, too."""

    class Numbers:
        def summarise(self, items: Sequence[ContextItem]) -> Any:
            return len(items)

    assert await folds([group("a.", "b.")], Numbers()) == ((Fold(("0", "1"), "a.\nb."),),)
    assert "the summariser failed" in caplog.text


async def test_a_post_holds_so_many_summaries() -> None:
    """Those that do not fit are not even made: they are offered again."""
    groups = [group("a", "b")] * 9
    assert len(await folds(groups, Says("x" * (MAX_CONTENT - 1)))) == 3
