"""How a run speaks to its processes: by their standard input."""

import asyncio
import sys
import threading


class Allowance:
    """Numbers that come in on the standard input; its end is the end of the work. To be made in a running event loop."""

    def __init__(self) -> None:
        self.upto = 0
        self._ended = False
        self._news = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in sys.stdin:
            self._loop.call_soon_threadsafe(self._take, int(line))
        self._loop.call_soon_threadsafe(self._take, None)

    def _take(self, upto: int | None) -> None:
        if upto is None:
            self._ended = True
        else:
            self.upto = upto
        self._news.set()

    async def beyond(self, n: int) -> bool:
        """Wait until number ``n`` is allowed; False if it never will be."""
        while self.upto <= n and not self._ended:
            self._news.clear()
            await self._news.wait()
        return self.upto > n

    async def ended(self) -> None:
        """Wait for the end."""
        while not self._ended:
            self._news.clear()
            await self._news.wait()
