"""Claims about the event loop in a thread of its own."""

import asyncio
import subprocess
import sys
import threading
from concurrent.futures import Future

import pytest

from blackboard.background import await_on, background, submit, wait_on


async def where() -> asyncio.AbstractEventLoop:
    return asyncio.get_running_loop()


def run(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=False)


def test_there_is_one() -> None:
    """Whoever asks gets the same, and what it is given is done there."""
    assert background() is background()
    assert background().do(where()) is background().loop


def test_threads_that_ask_for_it_at_once() -> None:
    """All get the same, although nobody has asked before; and it runs, however long its thread takes to begin."""
    done = run("""
import asyncio, threading
from blackboard.background import background

class Late(asyncio.SelectorEventLoop):
    def run_forever(self):
        threading.Event().wait(0.05)
        super().run_forever()

asyncio.new_event_loop = Late
together, got = threading.Barrier(8), []

def ask():
    together.wait()
    got.append((background(), background().loop.is_running()))

threads = [threading.Thread(target=ask) for _ in range(8)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
print(len(got), len({made for made, _ in got}), all(running for _, running in got))
""")
    assert done.stdout == "8 1 True\n", done.stderr


async def test_from_here_and_from_there() -> None:
    """Work is awaited on another loop, and on one's own."""
    assert await await_on(background().loop, where()) is background().loop
    here = asyncio.get_running_loop()
    assert await await_on(here, where()) is here


async def test_on_one_s_own_loop_it_is_one_s_own_work() -> None:
    """No other task does it: who is cancelled goes on once that is over, and not before."""

    async def who() -> asyncio.Task[None] | None:
        return asyncio.current_task()

    assert await await_on(asyncio.get_running_loop(), who()) is asyncio.current_task()


async def test_cancelled() -> None:
    """Who awaits and is cancelled cancels the work."""
    begun, ended = asyncio.Event(), asyncio.Event()
    here = asyncio.get_running_loop()

    async def work() -> None:
        here.call_soon_threadsafe(begun.set)
        try:
            await asyncio.Event().wait()
        finally:
            here.call_soon_threadsafe(ended.set)

    caller = asyncio.create_task(await_on(background().loop, work()))
    await begun.wait()
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller
    await ended.wait()


def test_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who waits in a thread and is interrupted cancels the work."""
    begun, ended = threading.Event(), threading.Event()

    async def work() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.set()

    def interrupt(*_: object) -> None:
        begun.wait()
        raise KeyboardInterrupt

    monkeypatch.setattr(Future, "result", interrupt)
    with pytest.raises(KeyboardInterrupt):
        wait_on(background().loop, work())
    assert ended.wait(10)


def test_an_error_is_the_caller_s() -> None:
    """It is raised where one waits."""

    async def fail() -> None:
        raise LookupError

    with pytest.raises(LookupError):
        wait_on(background().loop, fail())


def test_a_loop_that_is_closed() -> None:
    """Nothing is begun there, and nothing is left behind that was not awaited."""
    loop = asyncio.new_event_loop()
    loop.close()
    with pytest.raises(RuntimeError, match="closed"):
        submit(loop, where())


def test_what_is_still_open_is_closed_at_the_end() -> None:
    """All at once, before the process ends, although nothing but this keeps it; one that fails is told, and hinders no other."""
    done = run("""
import asyncio
from blackboard.background import background

async def closes():
    await asyncio.sleep(0.2)
    print("closed", flush=True)

async def fails():
    raise LookupError("what?")

background().closers |= {fails, closes}
print("the end", flush=True)
""")
    assert done.stdout == "the end\nclosed\n"
    assert "a board could not be closed at the end" in done.stderr
    assert "LookupError: what?" in done.stderr


def test_what_cannot_be_closed_is_given_up() -> None:
    """The process ends all the same."""
    done = run("""
import threading
from blackboard import background as module
module.AT_THE_END = 0.1
module.background().loop.call_soon_threadsafe(threading.Event().wait)
""")
    assert (done.returncode, done.stderr) == (0, "boards were not closed within 0.1 s: what was said last may be lost\n")


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_a_process_that_was_forked() -> None:
    """It has a loop of its own: the thread of the other is not there."""
    done = run("""
import asyncio, os
from blackboard.background import background

async def where():
    return asyncio.get_running_loop()

before = background().do(where())
if (child := os.fork()) == 0:
    print(background().do(where()) is before, flush=True)
    os._exit(0)
os.waitpid(child, 0)
""")
    assert done.stdout == "False\n"


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_a_process_that_was_forked_while_a_thread_asked() -> None:
    """It does not wait for a thread that it does not have."""
    done = run("""
import os, signal
from blackboard import background as module

with module._making:  # as another thread does that asks
    if (child := os.fork()) == 0:
        signal.alarm(10)
        print(module.background().loop.is_running(), flush=True)
        os._exit(0)
os.waitpid(child, 0)
""")
    assert done.stdout == "True\n"
