"""agents.adapters.opentelemetry: boards traced and measured, with OpenTelemetry's own collectors in memory."""

import asyncio
import importlib
import logging
import socket
import subprocess
import sys
import urllib.request
from collections.abc import AsyncIterator, Iterator
from importlib.metadata import entry_points
from itertools import chain
from pathlib import Path
from typing import Any, NoReturn

import pytest
from opentelemetry import context as contexts
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import HistogramDataPoint, InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.sdk.trace.sampling import Sampler
from opentelemetry.trace import SpanKind, StatusCode, get_current_span, use_span

import blackboard
from agents import Agent, Crew, on_signal
from agents.adapters import MemoryService, UserSaid
from agents.adapters import opentelemetry as adapter
from agents.errors import CommandError
from blackboard.client import Board
from blackboard.errors import NotInstalled, NotInView
from blackboard.store import MemoryStore
from blackboard.testing import RunningBoard, running_board
from bus import names, telemetry
from bus.messages import Signal
from tests.blackboard.hosting import CAT, host, post, some_life, state
from tests.security.town import SHOP, town


class Collected:
    """What was traced and measured."""

    def __init__(self) -> None:
        self._spans = InMemorySpanExporter()
        self.tracers = TracerProvider()
        self.tracers.add_span_processor(SimpleSpanProcessor(self._spans))
        self.reader = InMemoryMetricReader()
        self.meters = MeterProvider([self.reader])
        self.user = self.tracers.get_tracer("user").start_as_current_span

    def spans(self, name: str = "") -> list[ReadableSpan]:
        """Those that have ended, in order of their beginning."""
        return sorted((each for each in self._spans.get_finished_spans() if name in {"", each.name}), key=lambda each: each.start_time or 0)

    def forget(self) -> None:
        self._spans.clear()

    def measures(self, name: str) -> dict[str, Any]:
        """Its last attribute (or the board) → the value, of a histogram how many. Durations are seconds, of a test."""
        found: dict[str, Any] = {}
        data = self.reader.get_metrics_data()
        for resource in data.resource_metrics if data else ():
            for scope in resource.scope_metrics:
                for metric in scope.metrics:
                    for point in metric.data.data_points if metric.name == f"pheroboard.{name}" else ():
                        value = point.count if isinstance(point, HistogramDataPoint) else getattr(point, "value", None)
                        assert not isinstance(point, HistogramDataPoint) or 0 <= point.min <= point.max < 100
                        found[" ".join(str(each) for each in list((point.attributes or {}).values())[1:])] = value
        return found


@pytest.fixture
def collected() -> Iterator[Collected]:
    collected = Collected()
    adapter.instrument(collected.tracers, collected.meters)
    yield collected
    adapter.uninstrument()


@pytest.fixture
async def running() -> AsyncIterator[RunningBoard]:
    async with running_board("finance", "schedule") as running:
        yield running


def lineage(span: ReadableSpan, spans: list[ReadableSpan]) -> list[str]:
    """A span's name and those of its ancestors, all of one trace."""
    by_id = {each.context.span_id: each for each in spans}
    found = [span.name]
    while span.parent is not None and span.parent.span_id in by_id:
        before, span = span, by_id[span.parent.span_id]
        assert span.context.trace_id == before.context.trace_id
        found.append(span.name)
    return found


async def break_a_constraint(board: Board) -> None:
    """Which raises one signal, *violated*, out of one entry."""
    await board.deposit("The flights cost 60", key="budget", value=60, scope="shared")


class Finance(Agent):
    """Says what breaks a constraint."""

    def __init__(self, collected: Collected) -> None:
        super().__init__()
        self.collected = collected

    async def run(self) -> None:
        await self.board.constrain("budget", "<=", 50)
        with self.collected.user("plan"):
            await break_a_constraint(self.board)


class Schedule(Agent):
    """Hears of it."""

    @on_signal("violated")
    async def recheck(self, signal: Signal) -> None:
        await self.board.deposit(f"Look again at {signal.key}")


async def test_one_trace_from_a_deposit_to_the_handler_and_on(collected: Collected, tmp_path: Path) -> None:
    """Deposit, apply, handler, and what the handler says: each is the next one's parent, in the trace of whoever began it."""
    report = await Crew([Finance(collected), Schedule()], board=str(tmp_path / "trip")).run()
    assert not report.failures
    spans = collected.spans()
    [plan] = [each for each in spans if each.name == "plan"]
    of_plan = [each for each in spans if each.context.trace_id == plan.context.trace_id]
    assert lineage(of_plan[-1], of_plan) == ["apply trip", "send trip", "process trip", "apply trip", "send trip", "plan"]
    handled = next(each for each in of_plan if (each.attributes or {}).get("code.function.name"))
    assert handled.kind is SpanKind.CONSUMER
    assert dict(handled.attributes or {}) == {
        "messaging.system": "memory", "messaging.destination.name": "trip", "messaging.operation.type": "process",
        "messaging.operation.name": "process", "messaging.client.id": "schedule", "pheroboard.event": "signal",
        "code.function.name": "recheck",
    }  # fmt: skip
    assert next(each for each in of_plan if each.name == "send trip").kind is SpanKind.PRODUCER


async def test_what_is_given_out_is_current_until_the_next(collected: Collected, running: RunningBoard) -> None:
    """In the body of ``async for`` the event's trace is current; what came of no trace leaves what was current before the loop."""
    finance, schedule = running["finance"], running["schedule"]
    await finance.constrain("budget", "<=", 50)
    heard: list[tuple[str, int]] = []
    async with schedule.feed() as feed:
        with collected.user("plan") as plan:
            await finance.deposit("It rains", scope="shared")
        adapter.uninstrument()
        await finance.deposit("It pours", scope="shared")
        adapter.instrument(collected.tracers, collected.meters)
        with collected.user("outer") as outer:
            async for change in feed:
                heard.append((change.kind, get_current_span().get_span_context().trace_id))
                if len(heard) == 2:
                    break
    assert heard == [("fact", plan.get_span_context().trace_id), ("fact", outer.get_span_context().trace_id)]
    [received] = collected.spans("receive board")
    assert lineage(received, collected.spans()) == ["receive board", "apply board", "send board", "plan"]


async def test_feeds_within_feeds(collected: Collected, running: RunningBoard) -> None:
    """A feed that is closed takes back what it made current, and neither another feed's event nor a span of the user's."""

    def current() -> int:
        return get_current_span().get_span_context().span_id

    finance, schedule = running["finance"], running["schedule"]
    async with schedule.changes() as outer:
        async with schedule.changes() as inner:
            await finance.deposit("It rains", scope="shared")
            await anext(outer)
            first = current()
            await anext(inner)
            assert current() != first
        assert current() == first
        with collected.user("work") as work:
            async with schedule.changes():
                pass
            assert get_current_span() is work
        assert current() == first
        async with schedule.changes() as other:  # in turn: what each gave out before is forgotten
            for _ in range(5):
                await finance.deposit("It rains", scope="shared")
                await anext(outer)
                await anext(other)
    assert not current()
    assert len(contexts.get_current()) == 0


def test_without_an_event_loop(collected: Collected, tmp_path: Path) -> None:
    """The thread that calls is the one whose trace it is, before and behind the board."""
    with blackboard.open_sync(tmp_path / "trip", agent="finance") as finance:
        feed = finance.changes(timeout=5.0)
        with collected.user("plan"):
            finance.deposit("It rains")
        next(feed)
        finance.deposit("It pours")
        feed.close()
        assert not get_current_span().get_span_context().is_valid
    spans = collected.spans()
    assert lineage(spans[-1], spans) == ["apply trip", "send trip", "receive trip", "apply trip", "send trip", "plan"]


async def test_many_callers_in_one_post(collected: Collected, running: RunningBoard) -> None:
    """The post is a child of whoever spoke first, and linked to each other one."""

    async def say(number: int) -> int:
        with collected.user(f"caller {number}") as span:
            await running["finance"].deposit(f"Word {number}")
            return span.get_span_context().span_id

    callers = await asyncio.gather(*map(say, range(6)))
    sends = collected.spans("send board")
    said = [[send.parent.span_id if send.parent else 0, *(link.context.span_id for link in send.links)] for send in sends]
    assert [*chain(*said)] == callers
    assert max(map(len, said)) > 1
    assert [(send.attributes or {})["messaging.batch.message_count"] for send in sends] == [len(each) for each in said]


async def test_frameworks_calls(collected: Collected, running: RunningBoard) -> None:
    """What a memory service observes in a framework's call is in that call's trace, and so is what it assembles."""
    service = MemoryService(running["finance"])
    with collected.user("turn"):
        await service.observe("finance", UserSaid("At most 50,000, all in."))
        await service.assemble("finance", "How much?", 400)
    await service.aclose()
    spans = collected.spans()
    assert {each.name for each in spans} >= {"turn", "send board", "apply board", "ask board"}
    assert len({each.context.trace_id for each in spans}) == 1


async def test_an_outbox(collected: Collected, tmp_path: Path) -> None:
    """What waits in a file may be sent by another process: its trace begins when it is sent."""
    async with blackboard.open(tmp_path / "trip", agent="finance", outbox=tmp_path / "out.db") as finance:
        with collected.user("plan"):
            await finance.deposit("It rains")
            await finance.wait_applied()
    said = collected.spans("send trip")
    assert [each.parent for each in said] == [None] * len(said)
    assert lineage(collected.spans("apply trip")[-1], collected.spans()) == ["apply trip", "send trip"]


@pytest.mark.parametrize("trace", ["rain", "00-" + "0" * 32 + "-" + "0" * 16 + "-01", "00-" + "1" * 32 + "-" + "2" * 16, "1" * 10_000])
async def test_what_is_no_trace(collected: Collected, running: RunningBoard, trace: str, caplog: pytest.LogCaptureFixture) -> None:
    """A header that is no traceparent is ignored, whoever wrote it: the post is applied, and nothing is said of it."""
    with caplog.at_level(logging.DEBUG):
        await running.bus.publish("board", "finance", post(1, CAT), trace=trace)
    assert [item.content for item in await running["schedule"].top()] == [CAT.content]
    assert not collected.spans()
    assert not caplog.records


async def test_with_keys(tmp_path: Path) -> None:
    """Over a real server each agent in an account of its own: nothing of it on the wire while it is off; then one trace through all."""
    collected = Collected()
    async with town(tmp_path) as built, built.board("finance") as finance, built.board("schedule") as schedule:
        await finance.constrain("budget", "<=", 50)
        _, heard = await (await built.attacker("schedule")).listen(names.events(SHOP, names.SHARED))
        stream = built.host._connection
        async with schedule.signals("violated") as signals, asyncio.timeout(10):
            await break_a_constraint(finance)
            await anext(signals)
            message = (await stream.api(f"STREAM.MSG.GET.PB_OBS_{SHOP}", {"seq": 2}))["message"]
            assert "hdrs" not in message
            assert b"trace" not in b"".join(each.data for each in heard)
            adapter.instrument(collected.tracers, collected.meters)
            try:
                with collected.user("plan"):
                    await finance.deposit("The rooms cost 70", key="budget", value=70, scope="shared")
                assert (await anext(signals)).item
            finally:
                adapter.uninstrument()
    [received] = collected.spans("receive shop")
    assert lineage(received, collected.spans()) == ["receive shop", "apply shop", "send shop", "plan"]
    assert (received.attributes or {})["messaging.system"] == "nats"


async def test_the_fold_knows_nothing_of_it(collected: Collected, monkeypatch: pytest.MonkeyPatch) -> None:
    """A board that is traced has the same state, to the bit, and keeps the same journal and events as one that is not."""
    monkeypatch.setattr("blackboard.pending.new_epoch", lambda: "epoch")

    async def lived() -> tuple[dict[str, bytes], list[bytes], list[bytes]]:
        store = MemoryStore()
        async with running_board("finance", "schedule", store=store) as running:
            with collected.user("life"):
                await some_life([running["finance"], running["schedule"]])
            assert await running["schedule"].refusals()
            kept = [row.data for audience in (names.SHARED, names.private("finance")) for row in await store.events(audience, 0, 1000)]
            return state(running.service), [row.data for row in await store.journal(0, 1000)], kept

    traced = await lived()
    assert len(collected.spans()) > 10
    adapter.uninstrument()
    assert traced == await lived()


async def test_nothing_that_was_said_is_told(collected: Collected, running: RunningBoard) -> None:
    """No content, key, value or error's text is in a span or a measure; of what goes wrong its type is."""

    class Clumsy(Agent):
        @on_signal("violated")
        async def recheck(self, _signal: Signal) -> None:
            raise ZeroDivisionError("secret")

    finance, schedule = running["finance"], running["schedule"]
    with collected.user("plan"):
        await finance.constrain("secret", "<=", 50, content="secret 1")
        report = asyncio.create_task(Crew([Clumsy(board=schedule)], give_up=1, pause=0.001, rounds=1).run())
        await finance.deposit("secret 2", key="secret", value="secret", target="secret", scope="shared")
        await finance.deposit("secret 3", key="secret", value=60, meta={"secret": "secret"}, scope="shared")
        with pytest.raises(NotInView):
            await finance.get("secret")
        await finance.retract("secret")
        await finance.refusals()
    await report
    data = collected.reader.get_metrics_data()
    assert data is not None
    assert "secret" not in "".join(each.to_json() for each in collected.spans()) + data.to_json()
    [failed] = [each for each in collected.spans("process board") if not each.status.is_ok]
    assert dict(failed.attributes or {})["error.type"] == "ZeroDivisionError"
    [asked] = [each for each in collected.spans("ask board") if not each.status.is_ok]
    assert (asked.status.status_code, asked.status.description) == (StatusCode.ERROR, None)
    assert (asked.attributes or {})["error.type"] == "NotInView"


class Broken(Exception):
    """What a user has set up for OpenTelemetry fails with."""


class BrokenSampler(Sampler):
    def should_sample(self, *_: Any, **__: Any) -> NoReturn:
        raise Broken

    def get_description(self) -> str:
        return "broken"


class BrokenProcessor(SpanProcessor):
    def on_end(self, span: ReadableSpan) -> NoReturn:  # noqa: ARG002 - the SDK names it
        raise Broken


@pytest.mark.parametrize("broken", ["sampler", "processor"])
async def test_what_raises_costs_nobody_anything(broken: str, collected: Collected, caplog: pytest.LogCaptureFixture) -> None:
    """A sampler, a processor of spans: the board goes on, what is measured is measured, and it is told once."""
    plan = collected.tracers.get_tracer("user").start_span("plan")
    raising = TracerProvider(sampler=BrokenSampler()) if broken == "sampler" else TracerProvider()
    if broken == "processor":
        raising.add_span_processor(BrokenProcessor())
    adapter.instrument(raising, collected.meters)
    async with running_board("finance", "schedule") as running, running["schedule"].signals() as signals:
        with use_span(plan):
            await running["finance"].constrain("budget", "<=", 50)
            await break_a_constraint(running["finance"])
            assert await running["finance"].top()
        async with asyncio.timeout(10):
            assert (await anext(signals)).signal == "violated"
        assert collected.measures("observations.applied") == {"board": 2}
        assert collected.measures("publish.duration") == {"board": 2}
    [told] = caplog.records
    assert told.exc_info is not None
    assert told.exc_info[0] is Broken


async def test_a_broken_measure_costs_nobody_anything(
    collected: Collected, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Nor does a meter that raises."""

    def breaks(*_: object) -> NoReturn:
        raise Broken

    for instrument in ("_accepted", "_applied", "_ask", "_answer"):
        monkeypatch.setattr(getattr(telemetry.active, instrument), "add" if instrument in {"_accepted", "_applied"} else "record", breaks)
    async with running_board("finance") as running:
        await break_a_constraint(running["finance"])
        assert await running["finance"].top()
    [told] = caplog.records
    assert told.exc_info is not None
    assert told.exc_info[0] is Broken


async def test_figures(collected: Collected) -> None:
    """Rates, durations, tiers and lags, each by board, and by what it is about."""
    async with running_board("finance", "schedule", core=5.0) as running:
        finance, schedule = running["finance"], running["schedule"]
        async with schedule.changes():
            await finance.constrain("budget", "<=", 50)
            await break_a_constraint(finance)
            async with finance.batch() as batch:
                await batch.deposit("It rains")
                await batch.deposit("It pours")
            await finance.retract("f" * 32)
            await running.bus.publish("board", "finance", b"unreadable")
            await finance.top()
            with pytest.raises(NotInView):
                await finance.get("f" * 32)
            assert collected.measures("observations.accepted") == {"board": 5}
            assert collected.measures("observations.applied") == {"board": 4}
            assert collected.measures("refusals") == {"board NotInView": 1, "board BadMessage": 1}
            assert collected.measures("signals")["board violated"] == 1
            assert collected.measures("publish.duration") == {"board": 4}
            assert collected.measures("apply.duration")["board"] >= 4
            assert collected.measures("ask.duration") == {"board Top": 1, "board Get NotInView": 1}
            assert collected.measures("answer.duration").items() >= {"board Top": 1, "board Get NotInView": 1}.items()
            assert collected.measures("items") == {"board core": 1, "board working": 3, "board archived": 0}
            assert collected.measures("log.lag") == {"board": 0}
            assert collected.measures("log.age") == {"board": 0.0}
            assert collected.measures("feed.lag") == {"board schedule": 2}
            assert (await asyncio.to_thread(collected.measures, "items"))["board working"] == 3  # as a reader does, from its own thread
    assert not collected.measures("items")


async def test_how_far_a_host_is_behind(collected: Collected) -> None:
    """While a batch is not stored, its entries are behind, and the oldest of them ages."""
    from blackboard.clock import ManualClock
    from bus.memory import MemoryBus
    from tests.blackboard.hosting import Held

    clock, store = ManualClock(), Held()
    store.let.set()
    bus = MemoryBus(clock.now)
    async with host(store, bus=bus, clock=clock):
        store.hold()
        saying = asyncio.gather(*(bus.publish("board", agent, post(1, CAT)) for agent in ("finance", "schedule")))
        await store.asked.wait()
        clock.advance(7.0)
        assert collected.measures("log.lag") == {"board": 2}
        assert collected.measures("log.age") == {"board": 7.0}
        store.let.set()
        await saying


async def test_scraped(running: RunningBoard) -> None:
    """Prometheus finds the figures where it is told to; behind the context nobody measures any more."""

    def scraped(url: str) -> str:
        with urllib.request.urlopen(url, timeout=5) as response:
            return str(response.read().decode())

    with adapter.metrics_served("127.0.0.1:0") as url:
        await running["finance"].deposit("It rains")
        page = await asyncio.to_thread(scraped, url)
        with pytest.raises(CommandError, match="Address already in use"), adapter.metrics_served(url[7:-8]):
            pass
    assert 'pheroboard_observations_applied_total{messaging_destination_name="board",messaging_system="memory"} 1.0' in page
    assert 'pheroboard_items{messaging_destination_name="board",messaging_system="memory",pheroboard_tier="core"} 1.0' in page
    assert 'service_name="pheroboard"' in page
    with pytest.raises(OSError, match="refused"):
        await asyncio.to_thread(scraped, url)


def test_an_address_of_ipv6() -> None:
    """It has its brackets in the URL, too."""
    try:
        socket.create_server(("::1", 0), family=socket.AF_INET6).close()
    except OSError:
        pytest.skip("this machine has no IPv6")
    with adapter.metrics_served("[::1]:0") as url:
        assert urllib.request.urlopen(url, timeout=5).status == 200


@pytest.mark.parametrize("address", ["9464", "127.0.0.1", "127.0.0.1:port", "127.0.0.1:70000", ":9464"])
def test_an_address_that_is_none(address: str) -> None:
    """It is refused with the cure."""
    with pytest.raises(CommandError, match="give HOST:PORT"), adapter.metrics_served(address):
        pass


async def test_switched_off(collected: Collected, running: RunningBoard) -> None:
    """After ``uninstrument`` nothing is traced or measured any more, of boards that are open either."""
    adapter.uninstrument()
    with collected.user("plan"):
        await running["finance"].deposit("It rains")
        await running["finance"].top()
    assert [each.name for each in collected.spans()] == ["plan"]
    assert not collected.measures("observations.applied")
    assert not collected.measures("items")


def test_without_opentelemetry(monkeypatch: pytest.MonkeyPatch) -> None:
    """The error names the extra; and nothing of ours loads it unasked."""
    for module in [name for name in sys.modules if name.partition(".")[0] == "opentelemetry"]:
        monkeypatch.setitem(sys.modules, module, None)
    monkeypatch.delitem(sys.modules, "agents.adapters.opentelemetry")
    with pytest.raises(NotInstalled, match=r"pip install 'pheroboard\[otel\]'"):
        importlib.import_module("agents.adapters.opentelemetry")
    code = "import sys, bus, blackboard.service, agents.member, agents.adapters.service; print('opentelemetry' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"


def test_found_by_opentelemetry_instrument() -> None:
    """The package says where its instrumentor is; it is called with whatever ``opentelemetry-instrument`` has to say."""
    [found] = entry_points(group="opentelemetry_instrumentor", name="pheroboard")
    instrumentor = found.load()()
    instrumentor.instrument(skip_dep_check=True)
    assert telemetry.active is not None
    instrumentor.uninstrument()
    assert telemetry.active is None
