"""A run: everything is started, the blows of the schedule fall, everything comes to rest, and is held to what must be."""

import asyncio
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Coroutine
from contextlib import AsyncExitStack
from functools import partial
from pathlib import Path
from typing import Any

from msgspec import Struct, field

import blackboard
from blackboard.sqlite import inspect
from bus.jetstream import events_stream, observations_stream
from bus.nats import NatsBus
from tests.chaos import brokers
from tests.chaos.acts import kinds_file
from tests.chaos.checks import check
from tests.chaos.naive import WATCHED
from tests.chaos.plan import Break, Freeze, Kill, Plan, Victim, blows
from tests.chaos.processes import Process
from tests.chaos.proxy import Proxy

PHEROBOARD = str(Path(sys.executable).with_name("pheroboard"))
ROOT = Path(__file__).parents[2]
STUCK_AFTER = 120.0
"""Seconds without progress after which a run gives up."""
BEHIND = 4
"""So many kills' worth of observations agents may lag: then the next blow waits for them."""
STEPS = 20
POLL = 0.02
LAG = 0.05
"""Seconds that a slow line takes longer, each way."""
MAY_NOT_START = ("no NATS server answers", "is served at", "did not answer", "is served already")
"""Why a host may refuse to start, for now: it is started again, as its supervisor would."""


class Stuck(Exception):
    """Nothing moves any more."""


class Report(Struct):
    """What was done, how long it took, what was looked at, and what was found wrong."""

    done: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    counts: Counter[str] = field(default_factory=Counter)
    findings: list[str] = field(default_factory=list)


class Run:
    """One run of a plan, in an empty ``folder``, which it leaves as it is for whoever wants to look into it."""

    def __init__(self, plan: Plan, folder: Path, tell: Callable[[str], None] = lambda _: None) -> None:
        self.report = Report()
        self._plan = plan
        self._folder = folder
        self._tell = tell
        self._boards = [f"chaos-{n}" for n in range(plan.boards)]
        self._environment = {**os.environ, "PYTHONPATH": str(ROOT), "PHEROBOARD_DATA": str(folder)}
        self._members: dict[Victim, list[Process]] = {"broker": [], "host": [], "agent": [], "subscriber": []}
        self._lines: list[list[Proxy]] = []
        """Each client's proxies."""
        self._records: dict[str, Path] = {}
        self._said: dict[str, int] = {}
        self._accepted: dict[str, int] = {}
        self._stack = AsyncExitStack()
        self._tasks: set[asyncio.Task[None]] = set()
        self._allowed = 0
        self._bus: NatsBus

    async def run(self) -> Report:
        """Do it all. What goes wrong is in the report."""
        began = time.monotonic()
        async with self._stack:
            self._stack.push_async_callback(self._end_everything)
            try:
                await self._start()
                await self._strike()
                await self._come_to_rest()
                await self._check()
            except (Stuck, TimeoutError) as error:
                self.report.findings.append(f"the run was given up: {type(error).__name__}: {error}")
        self.report.seconds = time.monotonic() - began
        return self.report

    # ---- starting -----------------------------------------------------------------------------------------------------------------------

    async def _start(self) -> None:
        plan, folder = self._plan, self._folder
        kinds = folder / "kinds.toml"
        kinds.write_text(kinds_file(plan.time))
        ports = brokers.free_ports(plan.nodes)
        for number, command in enumerate(brokers.commands(folder, ports)):
            await self._launch("broker", f"broker-{number}", command)
        direct = ",".join(f"nats://127.0.0.1:{port}" for port in ports)
        self._bus = await NatsBus.connect(direct, within=30.0)
        self._stack.push_async_callback(self._bus.aclose)
        serving = asyncio.Event()
        for number in range(plan.hosts):
            url = await self._line(ports)
            data = folder / f"host-{number}"
            command = [PHEROBOARD, "up", *self._boards, "--nats", url, "--data", str(data), "--kinds", str(kinds), "--time", plan.time]
            await self._launch("host", f"host-{number}", command, lambda _: serving.set())
        await self._within(60.0, serving.wait(), "no host serves")
        for board in self._boards:
            async with blackboard.open(f"{direct}/{board}", agent="founder") as opened:
                await opened.say(*WATCHED)
                await opened.wait_applied()
        await self._replicate()
        for number in range(plan.agents):
            name, board = f"agent-{number}", self._boards[number % plan.boards]
            url = f"{await self._line(ports)}/{board}"
            record = self._records[name] = folder / f"{name}.record"
            command = [sys.executable, "-m", "tests.chaos.agent", url, board, name, str(plan.seed), plan.time, str(record)]
            await self._launch("agent", name, command, self._progress_of(name))
        for number in range(plan.subscribers):
            name, agent = f"subscriber-{number}", f"agent-{number % plan.agents}"
            url = f"{await self._line(ports)}/{self._boards[number % plan.agents % plan.boards]}"
            record = self._records[name] = folder / f"{name}.record"
            await self._launch("subscriber", name, [sys.executable, "-m", "tests.chaos.subscriber", url, agent, str(record)])

    async def _replicate(self) -> None:
        """Let each server have a copy of the boards' streams."""
        for stream in [make(board) for board in self._boards for make in (observations_stream, events_stream)]:
            info = await self._bus._connection.api(f"STREAM.INFO.{stream}", {})
            await self._bus._connection.api(f"STREAM.UPDATE.{stream}", info["config"] | {"num_replicas": self._plan.nodes})

    async def _line(self, ports: list[int]) -> str:
        """A client's way to the servers: a proxy before each. Its address."""
        proxies = [await self._stack.enter_async_context(Proxy(port)) for port in ports]
        self._lines.append(proxies)
        return ",".join(f"nats://127.0.0.1:{proxy.port}" for proxy in proxies)

    def _progress_of(self, agent: str) -> Callable[[str], None]:
        def heard(line: str) -> None:
            said, accepted = line.split()
            self._said[agent], self._accepted[agent] = int(said), int(accepted)

        return heard

    async def _launch(self, kind: Victim, name: str, command: list[str], heard: Callable[[str], None] = lambda _: None) -> None:
        process = Process(name, command, log=self._folder / f"{name}.log", environment=self._environment, heard=heard)
        self._members[kind].append(process)
        await self._begin(process)

    async def _begin(self, process: Process) -> None:
        await process.start()
        process.tell(str(self._allowed))
        self._spawn(self._watch(process))

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _watch(self, process: Process) -> None:
        """Start it again where it ends without being asked to."""
        code = await process.gone()
        if process.expected:
            return
        words = process.last_words()
        if any(each in words for each in MAY_NOT_START):
            self.report.done["host refused to start, and was started again"] += 1
        else:
            self.report.findings.append(f"{process.name} ended by itself, with {code}: {words}")
        await asyncio.sleep(1.0)
        await self._begin(process)

    # ---- blows --------------------------------------------------------------------------------------------------------------------------

    async def _strike(self) -> None:
        plan = self._plan
        share = plan.observations / plan.kills / plan.agents
        for blow in blows(plan):
            begun, upto = self._allowed, int(share * blow.kills)
            for step in range(STEPS):  # a little at a time, so that each blow meets them at work
                self._allow(begun + (upto - begun) * step // STEPS)
                await asyncio.sleep(blow.after / STEPS)
            await self._until(partial(self._have_said, int(share * (blow.kills - BEHIND))))
            self._allow(upto)
            await asyncio.sleep(blow.aim)
            match blow.what:
                case Kill(victim, which, down):
                    await self._kill(victim, which, down)
                case Freeze(victim, which, seconds):
                    self._freeze(victim, which, seconds)
                case Break() as fault:
                    self._spawn(self._break(fault))

    def _have_said(self, least: int) -> bool:
        return all(said >= least for said in self._said.values())

    def _allow(self, upto: int) -> None:
        self._allowed = max(self._allowed, upto)
        for agent in self._members["agent"]:
            agent.tell(str(self._allowed))

    async def _until(self, reached: Callable[[], bool]) -> None:
        """Wait, for as long as agents get on. Raises ``Stuck``."""
        last, since = 0, time.monotonic()
        while not reached():
            await asyncio.sleep(POLL)
            if (said := sum(self._said.values())) != last:
                last, since = said, time.monotonic()
            if time.monotonic() - since > STUCK_AFTER:
                words = {process.name: process.last_words() for each in self._members.values() for process in each}
                raise Stuck(f"no agent has said anything for {STUCK_AFTER:g} s, at {self._said} of {self._allowed}: {words}")

    def _victim(self, kind: Victim, which: int) -> Process | None:
        alive = [process for process in self._members[kind] if process.running and not process.frozen]
        return alive[which % len(alive)] if alive else None

    async def _kill(self, kind: Victim, which: int, down: float) -> None:
        await self._until(lambda: self._victim(kind, which) is not None)
        process = self._victim(kind, which)
        assert process is not None
        await process.kill()
        self.report.done[f"{kind} killed"] += 1
        self._tell(f"killed {process.name}, {sum(self._said.values())} said")

        async def again() -> None:
            await asyncio.sleep(down)
            await self._begin(process)

        self._spawn(again())

    def _freeze(self, kind: Victim, which: int, seconds: float) -> None:
        process = self._victim(kind, which)
        if process is None:
            return
        process.freeze()
        self.report.done[f"{kind} frozen"] += 1
        self._tell(f"froze {process.name} for {seconds:.1f} s")

        async def later() -> None:
            await asyncio.sleep(seconds)
            process.thaw()

        self._spawn(later())

    async def _break(self, fault: Break) -> None:
        proxies = self._lines[fault.which % len(self._lines)]
        self.report.done[f"line: {fault.fault}"] += 1
        match fault.fault:
            case "cut":
                for proxy in proxies:
                    proxy.cut()
            case "slow":
                await asyncio.gather(*(proxy.slow(LAG, fault.seconds) for proxy in proxies))
            case "deaf":
                await asyncio.gather(*(proxy.deaf(fault.seconds) for proxy in proxies))
            case "hole":
                await asyncio.gather(*(proxy.hole(fault.seconds) for proxy in proxies))

    # ---- the end ------------------------------------------------------------------------------------------------------------------------

    async def _come_to_rest(self) -> None:
        """Let all faults end and all that was allowed be said; then end agents, subscribers and hosts, in this order."""
        plan = self._plan
        while (missing := plan.observations - sum(self._accepted.values())) > 0:
            self._allow(min(self._said.values()) + missing // plan.agents + 1)
            await self._until(partial(self._have_said, self._allowed))
        await self._until(lambda: all(process.running and not process.frozen for each in self._members.values() for process in each))
        for agent in self._members["agent"]:
            agent.close_input()
        for agent in self._members["agent"]:
            await self._ended(agent, await agent.ended(), {0})
        await self._within(60.0, self._quiet(), "hosts do not come to their logs' end")
        for subscriber in self._members["subscriber"]:
            subscriber.close_input()
        for subscriber in self._members["subscriber"]:
            await self._ended(subscriber, await subscriber.ended(), {0})
        for host in self._members["host"]:
            await self._ended(host, await host.end(), {143})

    async def _ended(self, process: Process, code: int, good: set[int]) -> None:
        if code not in good:
            self.report.findings.append(f"{process.name} ended with {code}: {process.last_words()}")

    async def _quiet(self) -> None:
        """Until every host has each log to its end, and nothing comes any more."""
        before: object = None
        while True:
            ends = {board: await self._end_of(board) for board in self._boards}
            stands = {
                (host.name, board): inspect(self._database(host.name, board)).cursor
                for host in self._members["host"]
                for board in self._boards
            }
            if before == ends and all(cursor == ends[board] for (_, board), cursor in stands.items()):
                return
            before = ends
            await asyncio.sleep(0.5)

    async def _end_of(self, board: str) -> int:
        info = await self._bus._connection.api(f"STREAM.INFO.{observations_stream(board)}", {})
        return int(info["state"]["last_seq"])

    def _database(self, host: str, board: str) -> Path:
        return self._folder / host / f"{board}.db"

    async def _check(self) -> None:
        plan = self._plan
        for index, board in enumerate(self._boards):
            agents = [f"agent-{n}" for n in range(plan.agents) if n % plan.boards == index]
            subscribers = {
                f"subscriber-{n}": (f"agent-{n % plan.agents}", self._records[f"subscriber-{n}"])
                for n in range(plan.subscribers)
                if n % plan.agents % plan.boards == index
            }
            databases = {host.name: self._database(host.name, board) for host in self._members["host"]}
            checked = await check(board, self._bus, databases, {name: self._records[name] for name in agents}, subscribers)
            self.report.counts.update(checked.counts)
            self.report.findings += checked.findings

    async def _within(self, seconds: float, wait: Coroutine[Any, Any, Any], what: str) -> None:
        try:
            async with asyncio.timeout(seconds):
                await wait
        except TimeoutError:
            words = {process.name: process.last_words() for process in self._members["host"]}
            raise Stuck(f"{what} after {seconds:g} s: {words}") from None

    async def _end_everything(self) -> None:
        for task in self._tasks:
            task.cancel()
        for each in self._members.values():
            for process in each:
                if process.running:
                    await process.kill()
