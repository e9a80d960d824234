"""How far a host has come, and who waits for it: what its rooms tell one another."""

import asyncio
import time
from collections.abc import Callable, Iterable, Mapping

import anyio

from blackboard.troubles import Troubles


class Progress:
    """How far the board has committed and told, and who waits for it."""

    def __init__(self, cursor: int, marks: dict[tuple[str, str], int], now: Callable[[], float] = time.time) -> None:
        """``now`` tells the time, in Unix seconds."""
        self.cursor = cursor
        self.marks = marks
        self.told: dict[str, int] = {}
        """Audience → up to which number it was told. Of one that is not here all was told."""
        self.erasing = 0
        """The entry up to which the journal is still to be cut, since something was erased; 0: nothing is owed."""
        self.scrubbed = 0
        """The entry up to which it was removed last."""
        self.ending = asyncio.Event()
        """Is the host to end? What does not work by then is not tried again."""
        self._troubles = Troubles()
        self._now = now
        self._step = asyncio.Event()

    @property
    def clean(self) -> int:
        """The entry up to which no byte is left of what was erased."""
        return self.scrubbed if self.erasing else self.cursor

    @property
    def trouble(self) -> str:
        """What keeps the board from going on, for now: since when, why, and the cure. Empty if nothing does."""
        return str(self._troubles)

    def trouble_begins(self, kind: str, said: str) -> bool:
        """Something does. Is that new?"""
        if new := self._troubles.begin(kind, said, self._now()):
            self.wake()
        return new

    def trouble_over(self, kind: str) -> bool:
        """It does no longer. Did it?"""
        if was := self._troubles.over(kind):
            self.wake()
        return was

    def step(self, cursor: int, moved: Mapping[tuple[str, str], int], forgotten: Iterable[tuple[str, str]] = ()) -> None:
        """A batch was committed."""
        self.cursor = cursor
        for epoch in forgotten:
            self.marks.pop(epoch, None)
        self.marks.update(moved)
        self.wake()

    def end(self) -> None:
        """The host is to end."""
        self.ending.set()
        self.wake()

    def wake(self) -> None:
        """Something moved that somebody may wait for."""
        self._step.set()
        self._step = asyncio.Event()

    def has(self, agent: str, epoch: str, number: int) -> bool:
        """Is this post of the agent committed?"""
        return self.marks.get((agent, epoch), 0) >= number

    def beyond(self, cursor: int) -> bool:
        """Was something committed behind entry ``cursor``?"""
        return self.cursor > cursor

    async def until(self, reached: Callable[[], bool]) -> None:
        """Return once ``reached()``; it is asked again whenever something moved."""
        while not reached():
            await self._step.wait()

    async def step_or(self, seconds: float) -> None:
        """Return once something moved, or after so many seconds."""
        with anyio.move_on_after(seconds):
            await self._step.wait()
