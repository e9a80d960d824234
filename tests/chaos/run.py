"""A run: everything is started, the blows of the schedule fall, everything comes to rest, and is held to what must be."""

import asyncio
import shutil
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path

from msgspec import Struct, field

import blackboard
from blackboard.opening import host_of, set_limits
from blackboard.sqlite import inspect
from bus.errors import BusError
from bus.jetstream import observations_stream
from tests.chaos.acts import kinds_file
from tests.chaos.agent import AT_ONCE
from tests.chaos.checks import check
from tests.chaos.naive import WATCHED
from tests.chaos.plan import Break, Depose, Fault, Freeze, Kill, Plan, Victim, Way, blows
from tests.chaos.processes import Process
from tests.chaos.proxy import Proxy
from tests.chaos.scribe import Scribe
from tests.chaos.stage import Stage, Stuck

FOUNDER = "founder"
"""The agent that has said what is there from the beginning."""
STUCK_AFTER = 120.0
"""Seconds without progress after which a run gives up."""
BEHIND = 4
"""So many kills' worth of observations agents may lag: then the next blow waits for them."""
STEPS = 20
LAG = 0.05
"""Seconds that a slow line takes longer, each way."""
AT_WORK_WITHIN = 1.0
"""Seconds for which a blow waits for an agent that has nothing to say, or nobody to hear it."""
LEADER_WITHIN = 1.0
"""Seconds for which a blow waits to learn who leads."""
ENDS: dict[Victim, int] = {"agent": 0, "subscriber": 0, "host": 143}
"""The exit code of who was asked to end."""


class Report(Struct):
    """What was done, how long it took, what was looked at, and what was found wrong."""

    done: Counter[str] = field(default_factory=Counter)
    seconds: float = 0.0
    counts: Counter[str] = field(default_factory=Counter)
    findings: list[str] = field(default_factory=list)


class Run:
    """One run of a plan, in an empty ``folder``, which it leaves as it is for whoever wants to look into it."""

    def __init__(self, plan: Plan, folder: Path, tell: Callable[[str], None] = lambda _: None) -> None:
        self._plan = plan
        self._stage = Stage(folder)
        self._report = Report(self._stage.done, findings=self._stage.findings)
        self._tell = tell
        self._boards = [f"chaos-{n}" for n in range(plan.boards)]
        self._agents = {f"agent-{n}": self._boards[n % plan.boards] for n in range(plan.agents)}
        """Agent → its board."""
        self._subscribers = {f"subscriber-{n}": f"agent-{n % plan.agents}" for n in range(plan.subscribers)}
        """Subscriber → the agent in whose name it hears."""
        self._scribes: dict[str, Scribe] = {}
        self._said = dict.fromkeys(self._agents, 0)
        self._accepted = dict.fromkeys(self._agents, 0)
        self._allowed = 0
        self._news = asyncio.Event()
        """Set when an agent says something of itself."""

    async def run(self) -> Report:
        """Do it all. What goes wrong is in the report."""
        began = time.monotonic()
        async with self._stage:
            try:
                await self._start()
                await self._strike()
                await self._come_to_rest()
                await self._check()
            except (Stuck, TimeoutError) as error:
                self._report.findings.append(f"the run was given up: {type(error).__name__}: {error}")
        self._report.seconds = time.monotonic() - began
        return self._report

    # ---- starting -----------------------------------------------------------------------------------------------------------------------

    async def _start(self) -> None:
        plan, stage = self._plan, self._stage
        kinds = stage.folder / "kinds.toml"
        kinds.write_text(kinds_file(plan.time))
        await stage.serve(plan.nodes, self._boards, [FOUNDER, *self._agents])
        options = ("--kinds", str(kinds), "--time", plan.time, "--keep-journal-entries", str(plan.journal))
        await stage.host(plan.hosts, self._boards, *options, checkpoint=plan.checkpoint)
        for board in self._boards:
            self._scribes[board] = Scribe(stage.bus, board)
            stage.spawn(self._scribes[board].run())
            address = f"{stage.direct}/{board}"
            await set_limits(address, plan.rate or None, max(plan.rate, 1.0), credentials=stage.keys)
            async with blackboard.open(address, agent=FOUNDER, credentials=stage.keys) as opened:
                await opened.say(*WATCHED)
                await opened.wait_applied()
        for number, (agent, board) in enumerate(self._agents.items()):
            arguments = [f"{await stage.line()}/{board}", board, agent, str(plan.seed), plan.time, str(self._record(agent))]
            if number % 3 < 2:
                arguments.append(str(stage.folder / f"{agent}.outbox"))
            await stage.launch("agent", agent, [sys.executable, "-m", "tests.chaos.agent", *arguments], partial(self._heard, agent))
        for subscriber, agent in self._subscribers.items():
            arguments = [f"{await stage.line()}/{self._agents[agent]}", agent, str(self._record(subscriber))]
            await stage.launch("subscriber", subscriber, [sys.executable, "-m", "tests.chaos.subscriber", *arguments])

    def _record(self, client: str) -> Path:
        return self._stage.folder / f"{client}.record"

    def _heard(self, agent: str, line: str) -> None:
        said, accepted = line.split()
        self._said[agent], self._accepted[agent] = int(said), int(accepted)
        self._news.set()
        self._news = asyncio.Event()

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
            match blow.what:
                case Kill(victim, which, down, wipe):
                    await self._kill(victim, which, down, aim=blow.aim, wipe=wipe)
                case Freeze(victim, which, seconds):
                    if (process := self._victim(victim, which)) is not None:
                        self._report.done[f"{victim} frozen"] += 1
                        self._freeze(process, seconds)
                case Break(fault, which, seconds):
                    self._report.done[f"line: {fault}"] += 1
                    self._break(self._stage.lines[which % len(self._stage.lines)], fault, seconds)
                case Depose(how, which, seconds):
                    await self._depose(how, which, seconds)

    def _have_said(self, least: int) -> bool:
        return all(said >= least for said in self._said.values())

    def _allow(self, upto: int) -> None:
        self._allowed = max(self._allowed, upto)
        for agent in self._stage.members["agent"]:
            agent.tell(str(self._allowed))

    async def _until(self, reached: Callable[[], bool]) -> None:
        """Wait, for as long as agents get on. Raises ``Stuck``."""
        await self._stage.until(reached, lambda: (sum(self._said.values()), self._allowed), STUCK_AFTER)

    def _victim(self, kind: Victim, which: int) -> Process | None:
        alive = [process for process in self._stage.members[kind] if process.running and not process.frozen]
        return alive[which % len(alive)] if alive else None

    async def _kill(self, kind: Victim, which: int, down: float, *, aim: float, wipe: bool) -> None:
        await self._until(lambda: self._victim(kind, which) is not None)
        process = self._victim(kind, which)
        assert process is not None
        if kind == "agent":
            await self._at_work(process)
        await asyncio.sleep(aim)
        await process.kill()
        self._report.done[f"{kind} killed"] += 1
        if kind == "agent" and not any(broker.running for broker in self._stage.members["broker"]):
            self._report.done["agent killed, while no server was there"] += 1
        if wipe and kind == "host" and self._others_have_all(number := self._stage.members["host"].index(process)):
            shutil.rmtree(self._stage.data(number), ignore_errors=True)  # it may be gone already: one that was just begun was killed
            self._report.done["host killed, with its disk lost"] += 1
        self._tell(f"killed {process.name}, {sum(self._said.values())} said")

        async def again() -> None:
            await asyncio.sleep(down)
            await self._stage.begin(process)

        self._stage.spawn(again())

    def _others_have_all(self, host: int) -> bool:
        """Has another host every board, as far as it had come?"""
        files = [[path for each, path in self._databases(board).items() if each != f"host-{host}"] for board in self._boards]
        return any(all(path.exists() for path in boards) for boards in zip(*files, strict=True))

    async def _at_work(self, agent: Process) -> None:
        """Let it have something to say, and wait until it is about to."""
        said = self._said[agent.name]
        agent.tell(str(max(self._allowed, said) + AT_ONCE))
        with suppress(TimeoutError):
            async with asyncio.timeout(AT_WORK_WITHIN):
                while self._said[agent.name] == said:
                    await self._news.wait()

    async def _leader(self, board: str) -> Process | None:
        """The host that leads a board, if that can be learnt and it runs."""
        hosts = {host_of(self._stage.data(number)): host for number, host in enumerate(self._stage.members["host"])}
        with suppress(TimeoutError, BusError):
            async with asyncio.timeout(LEADER_WITHIN):
                _, leader = await self._stage.bus._leases._look(board)
                host = hosts.get(leader)
                return host if host is not None and host.running and not host.frozen else None
        return None

    async def _depose(self, how: Way, which: int, seconds: float) -> None:
        process = await self._leader(self._boards[which % len(self._boards)])
        if process is None:
            return
        self._report.done[f"leader: {how}"] += 1
        self._tell(f"leader {process.name}: {how}")
        match how:
            case "frozen":
                self._freeze(process, seconds)
            case "ended":
                process.terminate()
                if (code := await process.ended()) != ENDS["host"]:
                    self._report.findings.append(f"{process.name}, asked to end, ended with {code}: {process.last_words()}")
                await self._stage.begin(process)
            case "deaf" | "mute" | "hole":
                self._break(self._stage.lines[self._stage.members["host"].index(process)], how, seconds)

    def _freeze(self, process: Process, seconds: float) -> None:
        process.freeze()
        self._tell(f"froze {process.name} for {seconds:.1f} s")

        async def later() -> None:
            await asyncio.sleep(seconds)
            process.thaw()

        self._stage.spawn(later())

    def _break(self, line: list[Proxy], fault: Fault, seconds: float) -> None:
        for proxy in line:
            match fault:
                case "cut":
                    proxy.cut()
                case "slow":
                    self._stage.spawn(proxy.slow(LAG, seconds))
                case "deaf":
                    self._stage.spawn(proxy.deaf(seconds))
                case "mute":
                    self._stage.spawn(proxy.mute(seconds))
                case "hole":
                    self._stage.spawn(proxy.hole(seconds))

    # ---- the end ------------------------------------------------------------------------------------------------------------------------

    async def _come_to_rest(self) -> None:
        """Let all faults end and all that was allowed be said; then end agents, subscribers and hosts, in this order."""
        plan, members = self._plan, self._stage.members
        while (missing := plan.observations - sum(self._accepted.values())) > 0:
            self._allow(min(self._said.values()) + missing // plan.agents + 1)
            await self._until(partial(self._have_said, self._allowed))
        await self._until(lambda: all(process.running and not process.frozen for each in members.values() for process in each))
        await self._end("agent")
        await self._stage.within(60.0, self._quiet(), "hosts do not come to their logs' end")
        await self._end("subscriber")
        await self._end("host")

    async def _end(self, kind: Victim) -> None:
        for process in self._stage.members[kind]:
            if kind == "host":
                process.terminate()
            else:
                process.close_input()
        for process in self._stage.members[kind]:
            if (code := await process.ended()) != ENDS[kind]:
                self._report.findings.append(f"{process.name}, asked to end, ended with {code}: {process.last_words()}")

    async def _quiet(self) -> None:
        """Until every host has each log to its end, and nothing comes any more."""
        before: object = None
        while True:
            ends = {board: await self._end_of(board) for board in self._boards}
            stands = [inspect(path).cursor == ends[board] for board in self._boards for path in self._databases(board).values()]
            if before == ends and all(stands):
                return
            before = ends
            await asyncio.sleep(0.5)

    async def _end_of(self, board: str) -> int:
        info = await self._stage.bus._connection.api(f"STREAM.INFO.{observations_stream(board)}", {})
        return int(info["state"]["last_seq"])

    def _databases(self, board: str) -> dict[str, Path]:
        return {f"host-{number}": self._stage.data(number) / f"{board}.db" for number in range(self._plan.hosts)}

    async def _check(self) -> None:
        for board, scribe in self._scribes.items():
            agents = {agent: self._record(agent) for agent, where in self._agents.items() if where == board}
            subscribers = {each: (agent, self._record(each)) for each, agent in self._subscribers.items() if agent in agents}
            async with asyncio.timeout(STUCK_AFTER):
                truth = await scribe.reach(await self._end_of(board))
            checked = await check(truth, self._stage.bus, self._databases(board), agents, subscribers)
            self._report.counts.update(checked.counts)
            self._report.findings += checked.findings
