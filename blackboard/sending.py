"""How an agent's units reach the log: in order, each once, many to a message.

Laws:

- Stop and wait: a post is sent once the one before it is durable. So units stand in the log in the order in which they were said.
- A post keeps its ``(epoch, number)`` until it is acknowledged: sending it again changes nothing.
- While a post is under way the next one gathers all that is said meanwhile: the slower the log, the larger the posts.
- After a failure numbers begin anew in a new epoch, so that none is used for two posts: of one that is refused an earlier try may have
  been stored.
"""

import asyncio
import logging
import secrets
from collections import deque
from itertools import islice

from blackboard.errors import BoardClosed, TooBig
from blackboard.line import Line
from bus.errors import NoAnswer
from bus.messages import Post, Unit, encode

MAX_POST = 256 * 1024
"""Bytes of units in one post."""
FLUSH = 5.0
"""Seconds that closing waits for what was said."""
_AGAIN = 0.5
"""Seconds between two tries; the bus has been patient before."""

_logger = logging.getLogger(__name__)


class Sender:
    """Sends one agent's units down its line. ``close`` it."""

    def __init__(self, line: Line) -> None:
        self.mark = ("", 0)
        """(epoch, number) of the last post that is durable."""
        self._line = line
        self._epoch, self._number = secrets.token_hex(8), 0
        self._said: deque[tuple[Unit, int, asyncio.Future[None]]] = deque()
        self._news = asyncio.Event()
        self._closing = False
        self._task = asyncio.create_task(self._run(), name=f"posts of {line.agent}")

    async def say(self, unit: Unit) -> None:
        """Return once the unit is durable. A caller that is cancelled has said it all the same.

        Raises ``TooBig``, ``BoardClosed``, and what the bus raises for good.
        """
        if self._closing:
            raise BoardClosed(f"the board object of {self._line.agent!r} was closed: open it again to say more")
        size = len(encode(unit))
        if size > MAX_POST:
            raise TooBig(f"a unit of {size:,} bytes: at most {MAX_POST:,} fit; make several smaller batches")
        durable: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._said.append((unit, size, durable))
        self._news.set()
        await durable

    async def aclose(self) -> None:
        """Send what was said, for at most ``FLUSH`` seconds, and end. Whoever still waits then gets ``BoardClosed``."""
        self._closing = True
        self._news.set()
        await asyncio.wait({self._task}, timeout=FLUSH)
        self._task.cancel()
        error = BoardClosed(f"the board object of {self._line.agent!r} was closed before the log had taken it: it may or may not be stored")
        for _, _, durable in self._said:
            _settle(durable, error)

    async def _run(self) -> None:
        while True:
            while not self._said:
                if self._closing:
                    return
                self._news.clear()
                await self._news.wait()
            count = self._fitting()
            error = await self._send(tuple(unit for unit, _, _ in islice(self._said, count)))
            for _ in range(count):
                _, _, durable = self._said.popleft()
                _settle(durable, error)

    def _fitting(self) -> int:
        """How many of the units said go into one post."""
        room = MAX_POST
        for count, (_, size, _) in enumerate(self._said):
            room -= size
            if room < 0:
                return count
        return len(self._said)

    async def _send(self, units: tuple[Unit, ...]) -> Exception | None:
        post = encode(Post(self._epoch, self._number + 1, units))
        while True:
            try:
                await self._line.publish(post)
            except NoAnswer as error:
                _logger.warning("a post of %s to board %s is not acknowledged: %s", self._line.agent, self._line.board, error)
                await asyncio.sleep(_AGAIN)
            except Exception as error:  # noqa: BLE001 - it is the callers' to handle
                self._epoch, self._number = secrets.token_hex(8), 0
                return error
            else:
                self._number += 1
                self.mark = (self._epoch, self._number)
                return None


def _settle(durable: "asyncio.Future[None]", error: Exception | None) -> None:
    if durable.done():  # its caller was cancelled
        return
    if error is None:
        durable.set_result(None)
    else:
        durable.set_exception(error)
