"""Claims about the way to the loop of the boards and back."""

import asyncio
import threading
from collections.abc import Iterator

import pytest

from agents.adapters.hopping import BLOCKED, ENDED, ITSELF, Hop
from blackboard.background import wait_on


@pytest.fixture
def loop() -> Iterator[asyncio.AbstractEventLoop]:
    """A loop that runs in a thread of its own."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    wait_on(loop, where())  # it runs
    yield loop
    if not loop.is_closed():
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


async def where() -> asyncio.AbstractEventLoop | None:
    return asyncio.get_running_loop()


def warnings(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.message for record in caplog.records if record.name == "agents.adapters.hopping"]


async def test_it_is_done_there(loop: asyncio.AbstractEventLoop) -> None:
    """From another loop, from a thread without one, and on the loop itself."""
    hop = Hop(lambda: loop, 10.0)
    assert await hop.do(where, None) is loop
    assert await asyncio.to_thread(hop.do_sync, where, None) is loop
    assert await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(hop.do(where, None), loop)) is loop


async def test_errors_pass() -> None:
    """What the work raises is its caller's."""
    loop = asyncio.get_running_loop()
    hop = Hop(lambda: loop, 10.0)

    async def fail() -> None:
        raise LookupError

    with pytest.raises(LookupError):
        await hop.do(fail, None)
    with pytest.raises(LookupError):
        await asyncio.to_thread(hop.do_sync, fail, None)


@pytest.mark.parametrize("surely", [False, True])
async def test_cancelled(loop: asyncio.AbstractEventLoop, surely: bool) -> None:
    """Cancelling the caller cancels the work over there, but for what is to be done surely: that goes on without it."""
    hop = Hop(lambda: loop, 10.0)
    begun, go, ended = threading.Event(), asyncio.Event(), list[str]()
    over = threading.Event()

    async def work() -> None:
        begun.set()
        try:
            await go.wait()
            ended.append("done")
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise
        finally:
            over.set()

    caller = asyncio.create_task(hop.do(work, None, surely=surely))
    await asyncio.to_thread(begun.wait)
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    if surely:
        loop.call_soon_threadsafe(go.set)
    await asyncio.to_thread(over.wait)
    assert ended == ["done" if surely else "cancelled"]


@pytest.mark.parametrize("surely", [False, True])
@pytest.mark.parametrize("sync", [False, True])
async def test_a_loop_that_is_blocked(loop: asyncio.AbstractEventLoop, sync: bool, surely: bool, caplog: pytest.LogCaptureFixture) -> None:
    """It costs its time once, then nothing until it runs again; what is to be done surely is done then. It is told once."""
    hop = Hop(lambda: loop, 0.05)
    done, release = list[str](), threading.Event()

    async def say(what: str) -> str:
        for _ in range(10):  # cancelling takes its way
            await asyncio.sleep(0)
        done.append(what)
        return what

    async def call(what: str, *, surely: bool = False) -> str:
        if sync:
            return await asyncio.to_thread(hop.do_sync, lambda: say(what), "nothing", surely=surely)
        return await hop.do(lambda: say(what), "nothing", surely=surely)

    loop.call_soon_threadsafe(release.wait)
    assert await call("a", surely=surely) == "nothing"
    assert await call("b") == "nothing"
    assert await call("c", surely=True) == "nothing"
    assert hop._blocked
    release.set()
    await asyncio.to_thread(wait_on, loop, where())
    assert await call("d") == "d"
    assert done == (["a", "c", "d"] if surely else ["c", "d"])
    assert warnings(caplog) == [f"no memory: {BLOCKED}"]


async def test_a_loop_that_has_ended(caplog: pytest.LogCaptureFixture) -> None:
    """There is no memory any more, whether it has stopped or was closed, and that is told once."""
    loop = asyncio.new_event_loop()
    hop = Hop(lambda: loop, 10.0)
    assert await hop.do(where, None) is None
    loop.close()
    assert await hop.do(where, None) is None
    assert await asyncio.to_thread(hop.do_sync, where, None) is None
    assert warnings(caplog) == [f"no memory: {ENDED}"]


@pytest.mark.parametrize("sync", [False, True])
async def test_a_loop_that_ends_meanwhile(sync: bool, caplog: pytest.LogCaptureFixture) -> None:
    """Its end cancels what is done there, and not the caller."""
    hops, ended = list[Hop](), threading.Event()
    begun = threading.Event()

    async def forever() -> str:
        begun.set()
        await asyncio.Event().wait()
        return "never"

    async def main() -> None:
        loop = asyncio.get_running_loop()
        hops.append(Hop(lambda: loop, 10.0))
        ended.set()
        await asyncio.to_thread(begun.wait)

    thread = threading.Thread(target=lambda: asyncio.run(main()))
    thread.start()
    await asyncio.to_thread(ended.wait)
    call = asyncio.to_thread(hops[0].do_sync, forever, "nothing") if sync else hops[0].do(forever, "nothing")
    assert await call == "nothing"
    thread.join()
    assert warnings(caplog) == [f"no memory: {ENDED}"]


async def test_a_call_without_await_on_the_loop_itself(caplog: pytest.LogCaptureFixture) -> None:
    """It would wait for itself: so there is nothing, which is told once; what is to be done surely is done once the call is over."""
    loop, done = asyncio.get_running_loop(), asyncio.Event()
    hop = Hop(lambda: loop, 10.0)

    async def say() -> str:
        done.set()
        return "done"

    assert hop.do_sync(say, "nothing") == "nothing"
    await asyncio.to_thread(lambda: None)
    assert not done.is_set()
    assert hop.do_sync(say, "nothing", surely=True) == "nothing"
    await done.wait()
    assert warnings(caplog) == [f"no memory: {ITSELF}"]
