"""A board in a process of its own, as ``pheroboard up`` would run it: ``python -m tests.benchmarks.host URL FOLDER EVERY LIMITED``.

It says how many seconds it took to open, serves until its standard input ends, and then closes.
"""

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from time import perf_counter
from typing import Any

from blackboard import housekeeping
from blackboard.opening import serving
from bus.nats import NatsBus
from tests.benchmarks.load import BOARD

WITHIN = 300.0
"""Seconds in which a host must be ready."""


class Host:
    """The running process. ``opened``: the seconds until it served."""

    def __init__(self, process: asyncio.subprocess.Process, opened: float) -> None:
        self.process = process
        self.opened = opened

    async def kill(self) -> None:
        """As a loss of power would: nothing more is written."""
        self.process.kill()
        await self.process.wait()


@asynccontextmanager
async def hosted(
    url: str, folder: Path, *, checkpoint_every: int = housekeeping.CHECKPOINT_EVERY, limited: bool = False
) -> AsyncIterator[Host]:
    """The board ``BOARD``, kept in ``folder``, served while the context is open; ``limited``: an agent may say what is the default."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.benchmarks.host", url, str(folder), str(checkpoint_every), str(int(limited))),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        async with asyncio.timeout(WITHIN):
            said = await process.stdout.readline()
            if not said:
                raise RuntimeError(f"the host ended with {await process.wait()} before it served: see above")
            yield Host(process, float(said))
            process.stdin.close()
            await process.wait()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def _serve(url: str, folder: Path, *, limited: bool) -> None:
    bus = await NatsBus.connect(url)
    began = perf_counter()
    settings: dict[str, Any] = {} if limited else {"rate": None}
    async with serving(bus, BOARD, folder, alone=True, **settings):
        print(perf_counter() - began, flush=True)  # noqa: T201 - what the parent waits for
        await asyncio.to_thread(sys.stdin.read)
    await bus.aclose()


def main() -> None:
    url, folder, every, limited = sys.argv[1:]
    housekeeping.CHECKPOINT_EVERY = int(every)
    asyncio.run(_serve(url, Path(folder), limited=limited == "1"))


if __name__ == "__main__":
    main()
