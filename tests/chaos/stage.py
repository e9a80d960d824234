"""Where a run plays: servers, hosts and their clients as processes, each client behind proxies of its own."""

import asyncio
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Coroutine, Iterable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Self

from blackboard.housekeeping import CHECKPOINT_EVERY
from bus import names
from bus.accounts import configuration
from bus.credentials import VARIABLE
from bus.identities import Identities
from bus.nats import NatsBus
from tests.chaos import brokers
from tests.chaos.plan import Victim
from tests.chaos.processes import Process
from tests.chaos.proxy import Proxy

ROOT = Path(__file__).parents[2]
MAY_NOT_START = "no NATS server answers"
"""Why a host may refuse to start, for now: it is started again, as its supervisor would."""
POLL = 0.02


class Stuck(Exception):
    """What must come does not."""


class Stage:
    """All processes, while its context is open; ``folder`` is empty before, and stays."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.members: dict[Victim, list[Process]] = {"broker": [], "host": [], "agent": [], "subscriber": []}
        self.lines: list[list[Proxy]] = []
        """Each client's proxies."""
        self.direct = ""
        """The servers' address, past all proxies."""
        self.bus: NatsBus
        """A connection to it."""
        self.done: Counter[str] = Counter()
        self.findings: list[str] = []
        self._ports: list[int] = []
        self._environment = {**os.environ, "PYTHONPATH": str(ROOT), "PHEROBOARD_DATA": str(folder)}
        self._identities = Identities(folder)
        self._environment[VARIABLE] = str(self.keys)
        self._stack = AsyncExitStack()
        self._tasks: set[asyncio.Task[None]] = set()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        for task in self._tasks:
            task.cancel()
        for each in self.members.values():
            for process in each:
                if process.running:
                    await process.kill()
        await self._stack.aclose()

    # ---- starting -----------------------------------------------------------------------------------------------------------------------

    @property
    def keys(self) -> Path:
        """The folder of everybody's keys."""
        return self._identities.keys

    async def serve(self, nodes: int, boards: Iterable[str], agents: Iterable[str]) -> None:
        """Start so many servers, which know these agents, and nobody else, on these boards."""
        self._ports = brokers.free_ports(nodes)
        await self._identities.prepare()
        for agent in agents:
            await self._identities.add(agent)
        accounts = configuration(self._identities.registry(), self._identities.host, boards)
        for number, command in enumerate(brokers.commands(self.folder, self._ports, accounts)):
            await self.launch("broker", f"broker-{number}", command)
        self.direct = ",".join(f"nats://127.0.0.1:{port}" for port in self._ports)
        self.bus = await NatsBus.connect(self.direct, within=30.0, credentials=self._identities.key(names.HOST))
        self._stack.push_async_callback(self.bus.aclose)

    async def host(self, count: int, boards: list[str], *options: str, checkpoint: int = CHECKPOINT_EVERY) -> None:
        """Let so many hosts serve these boards, and wait until one does."""
        serving = asyncio.Event()
        for number in range(count):
            host = [sys.executable, "-m", "tests.chaos.host", str(checkpoint)]
            command = [*host, "up", *boards, "--nats", await self.line(), "--data", str(self.data(number)), *options]
            await self.launch("host", f"host-{number}", command, lambda _: serving.set())
        await self.within(60.0, serving.wait(), "no host serves")

    def data(self, number: int) -> Path:
        """A host's folder."""
        return self.folder / f"host-{number}"

    async def line(self) -> str:
        """A client's way to the servers: a proxy before each. Its address."""
        proxies = [await self._stack.enter_async_context(Proxy(port)) for port in self._ports]
        self.lines.append(proxies)
        return ",".join(f"nats://127.0.0.1:{proxy.port}" for proxy in proxies)

    async def launch(self, kind: Victim, name: str, command: list[str], heard: Callable[[str], None] = lambda _: None) -> None:
        """Start a process, and start it again where it ends without being asked to."""
        process = Process(name, command, log=self.folder / f"{name}.log", environment=self._environment, heard=heard)
        self.members[kind].append(process)
        await self.begin(process)

    async def begin(self, process: Process) -> None:
        """Start it (again)."""
        await process.start()
        self.spawn(self._watch(process))

    async def _watch(self, process: Process) -> None:
        code = await process.gone()
        if process.expected:
            return
        words = process.last_words()
        if MAY_NOT_START in words:
            self.done["host refused to start, and was started again"] += 1
        elif not any(finding.startswith(f"{process.name} ended") for finding in self.findings):
            self.findings.append(f"{process.name} ended by itself, with {code}: {words}")
        else:
            self.done["ended by itself, again"] += 1
        await asyncio.sleep(1.0)
        await self.begin(process)

    def spawn(self, work: Coroutine[Any, Any, None]) -> None:
        """Do it beside everything else."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    # ---- waiting ------------------------------------------------------------------------------------------------------------------------

    def words(self) -> dict[str, str]:
        """What the processes have said last."""
        return {process.name: process.last_words() for each in self.members.values() for process in each}

    async def within(self, seconds: float, wait: Coroutine[Any, Any, Any], what: str) -> None:
        """Wait for it. Raises ``Stuck``, which says ``what`` is not so."""
        try:
            async with asyncio.timeout(seconds):
                await wait
        except TimeoutError:
            raise Stuck(f"{what} after {seconds:g} s: {self.words()}") from None

    async def until(self, reached: Callable[[], bool], progress: Callable[[], object], patience: float) -> None:
        """Wait, for as long as there is some progress. Raises ``Stuck``."""
        last, since = progress(), time.monotonic()
        while not reached():
            await asyncio.sleep(POLL)
            if (now := progress()) != last:
                last, since = now, time.monotonic()
            elif time.monotonic() - since > patience:
                raise Stuck(f"nothing has moved for {patience:g} s, at {now}: {self.words()}")
