"""A NATS server of our own: found, started, told anew who may do what, and ended with us.

Laws:

- It listens on one port of one address, without a monitoring port. That is on loopback, unless it encrypts.
- What is acknowledged is on the disk: JetStream syncs every write.
- One that ends by itself is started again where it was, however often that takes: whoever is connected finds it again. So is one that could
  not write, once there is room: it takes nothing more into a stream that it has failed to write, until then.
- One server works on a folder at a time. All that it needs is there, and nothing is left elsewhere.
- It does not outlive its parent. Leaving the context ends it; on Linux the kernel also kills it when the starting thread dies in any way.
  On other systems a parent that is killed outright leaves it running, and it must be ended by hand.
"""

import asyncio
import json
import logging
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import IO

import anyio

from bus.binary import find_server
from bus.errors import FolderInUse, PortTaken, ServerError
from bus.listening import LOOPBACK, Listening, in_url
from bus.lock import Held, take

READY_WITHIN = 15.0
"""Seconds; a large store takes a while to be recovered."""
ENDS_WITHIN = 5.0
"""Seconds between asking the server to end and killing it."""
RELOADED_WITHIN = 10.0
"""Seconds."""
START_AGAIN = (0.05, 5.0)
"""Seconds before one that has ended by itself is started again: the first pause, and the longest."""

_INHERITED = sys.platform != "win32"
"""Whether a server takes over a file that its parent has open."""
_LISTENING = re.compile(r"Listening for client connections on \S+:(\d+)$")
_RELOADED = "Reloaded server configuration"
_NOT_RELOADED = "Failed to reload server configuration: "
_FAILED = "ritical write error: "
"""What nats-server 2.15.1 says of a stream on which it has given up."""
_ROOM = 1 << 20
"""Bytes that its folder must take before a server that could not write is started again."""

_PORT = "server.port"
"""The file that keeps the port of the last time."""

_logger = logging.getLogger(__name__)

# Runs in a fresh interpreter that becomes the server by exec, so that no code of ours runs between fork and exec of a threaded process.
# PR_SET_PDEATHSIG is 1; a parent that died before it was set is noticed by its id.
_TIED = """
import ctypes, os, signal, sys
ctypes.CDLL(None).prctl(1, signal.SIGKILL)
if os.getppid() == int(sys.argv[1]):
    os.execv(sys.argv[2], sys.argv[2:])
"""


class Server:
    """A server that is kept running. Make it with ``running_server``."""

    def __init__(self, binary: Path, store_dir: Path, port: int, listening: Listening = LOOPBACK, accounts: str = "") -> None:
        self.url = ""
        self.pid = 0
        """Of the present process: another one when it was started again."""
        self._binary = binary
        self._store_dir = store_dir
        self._port = port
        self._listening = listening
        self._accounts = accounts
        self._process: asyncio.subprocess.Process
        self._heeding: asyncio.Task[None]
        self._reloading = asyncio.Lock()
        self._outcome: asyncio.Future[str] | None = None
        self._freeing: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Start the process, and wait until it is ready. Raises ``FolderInUse``, ``PortTaken``, ``ServerError``."""
        with await _held(self._store_dir) as lock:
            process = await asyncio.create_subprocess_exec(
                *_tied([str(self._binary), "--config", str(self._configure())]),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                pass_fds=(lock.fileno(),) if _INHERITED else (),
                process_group=0,  # Ctrl-C is for us: we end it when nobody needs it any more
            )
            if _INHERITED:
                lock.close()  # the server holds its folder for as long as it lives, be it longer or shorter than we
            assert process.stderr is not None
            try:
                self._port = await _ready(process, process.stderr, self._port)  # which stays: agents know it by now
            except BaseException:
                with anyio.CancelScope(shield=True):
                    await _end(process)
                raise
            (self._store_dir / _PORT).write_text(str(self._port), encoding="utf-8")
            self.url = self._listening.url(self._port)
            self.pid, self._process = process.pid, process
            self._heeding = asyncio.create_task(self._heed(process, process.stderr))

    def _configure(self) -> Path:
        """Write down what the server is to do; where."""
        config = self._store_dir / "server.conf"
        config.touch(mode=0o600)  # what is configured is for us alone
        config.write_text(_configuration(self._store_dir, self._port, self._listening) + self._accounts, encoding="utf-8")
        return config

    async def reload(self, accounts: str) -> None:
        """Let it know others than before, without a break for those that it goes on to know. Raises ``ServerError``, in its own words."""
        async with self._reloading:
            before, self._accounts = self._accounts, accounts
            self._configure()
            # Twice: what an account that is new imports leads nowhere until the next time (nats-server 2.15.1, and see its #8560).
            if complaint := await self._reloaded() or await self._reloaded():
                self._accounts = before
                self._configure()
                raise ServerError(f"nats-server (process {self.pid}) does not take what it was told of accounts: {complaint}")

    async def _reloaded(self) -> str:
        """What it has to say against its configuration. One that has ended has nothing to say: it is started with that."""
        if sys.platform == "win32":
            return "on Windows it has to be started again for that"
        self._outcome = asyncio.get_running_loop().create_future()
        try:
            async with asyncio.timeout(RELOADED_WITHIN):
                self._process.send_signal(signal.SIGHUP)
                return await self._outcome
        except TimeoutError:
            return f"it said nothing for {RELOADED_WITHIN:g} s"
        except ProcessLookupError:
            return ""
        finally:
            self._outcome = None

    async def _heed(self, process: asyncio.subprocess.Process, log: asyncio.StreamReader) -> None:
        """Read what it says until it has ended: a full pipe would stop it."""
        rest = b""
        while chunk := await log.read(65536):
            *lines, rest = (rest + chunk).split(b"\n")
            rest = rest[-65536:]
            for line in lines:
                said = line.decode(errors="replace")
                if _RELOADED in said:
                    self._settle("")
                elif _NOT_RELOADED in said:
                    self._settle(said.partition(_NOT_RELOADED)[2])
                elif _FAILED in said and self._freeing is None:
                    self._freeing = asyncio.create_task(self._free(process, said.partition(_FAILED)[2]))
        await process.wait()
        if self._freeing is not None:
            self._freeing.cancel()
            self._freeing = None
        self._settle("")

    async def _free(self, process: asyncio.subprocess.Process, why: str) -> None:
        """End a server that could not write, as soon as there is room: it is started again, and goes on."""
        _logger.error("nats-server at %s cannot write (%s): make room; it is started again then, and nothing is lost", self.url, why)
        pause, longest = START_AGAIN
        while not await asyncio.to_thread(_takes, self._store_dir, _ROOM):
            await asyncio.sleep(pause)
            pause = min(2 * pause, longest)
        with suppress(ProcessLookupError):
            process.terminate()

    def _settle(self, outcome: str) -> None:
        if self._outcome is not None and not self._outcome.done():
            self._outcome.set_result(outcome)

    async def keep(self) -> None:
        """Start it again whenever it ends, for ever."""
        pause, longest = START_AGAIN
        while True:
            started = time.monotonic()
            await asyncio.shield(self._heeding)
            _logger.warning("nats-server (process %d, at %s) has ended by itself, %s", self.pid, self.url, _how(self._process.returncode))
            if time.monotonic() - started > longest:
                pause, _ = START_AGAIN
            while True:
                await asyncio.sleep(pause)
                pause = min(2 * pause, longest)
                try:
                    async with self._reloading:  # else what it is told while it starts reaches the one before
                        await self.start()
                except (ServerError, OSError) as error:
                    _logger.warning("nats-server at %s cannot be started again: %s; trying again in %g s", self.url, error, pause)
                else:
                    _logger.warning("nats-server (process %d, at %s) was started again", self.pid, self.url)
                    break

    async def end(self) -> None:
        """End the process, if there is one just now."""
        await _end(self._process)
        await self._heeding


@asynccontextmanager
async def running_server(store_dir: Path, *, port: int = -1, listening: Listening = LOOPBACK, accounts: str = "") -> AsyncIterator[Server]:
    """Keep a server running that has its streams in ``store_dir``; end it on leaving.

    ``port`` -1: the one of the last time, so that agents find it again, or a free one where there was none, or another has it by now.

    ``accounts`` is the part of its configuration that says who may do what; without it all may do all.
    Raises ``ServerNotFound``, ``ServerTooOld``, ``FolderInUse``, ``PortTaken``, ``ServerError``.
    """
    if port != -1 and not 0 < port < 1 << 16:
        raise ServerError(f"port {port} is none: give one from 1 to 65535, or -1 for a free one")
    listening.check()
    binary = await asyncio.to_thread(find_server)
    _make_writable(store_dir)
    server = Server(binary, store_dir, _port_of_last_time(store_dir) if port == -1 else port, listening, accounts)
    try:
        await server.start()
    except PortTaken:
        if port != -1:
            raise
        server = Server(binary, store_dir, port, listening, accounts)
        await server.start()
    keeping = asyncio.create_task(server.keep())
    try:
        yield server
    finally:
        with anyio.CancelScope(shield=True):
            keeping.cancel()
            await asyncio.wait({keeping})
            await server.end()


def _port_of_last_time(store_dir: Path) -> int:
    with suppress(OSError, ValueError):
        port = int((store_dir / _PORT).read_text(encoding="utf-8"))
        if 0 < port < 1 << 16:
            return port
    return -1


def _make_writable(store_dir: Path) -> None:
    try:
        store_dir.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=store_dir):
            pass
    except OSError as error:
        raise ServerError(f"the server cannot keep its streams in {store_dir}: {error}; choose a folder that can be written") from error


def _takes(folder: Path, count: int) -> bool:
    """Is there room for so many bytes?"""
    try:
        with tempfile.TemporaryFile(dir=folder) as file:
            file.write(bytes(count))
            file.flush()
            os.fsync(file.fileno())
    except OSError:
        return False
    return True


async def _held(store_dir: Path) -> IO[str]:
    """Hold the folder. Where our parent was killed its server may take a moment to die: wait for that."""
    try:
        return await take(store_dir / "server.lock", ENDS_WITHIN)
    except Held as held:
        raise FolderInUse(
            f"process {held.holder} has a server on {store_dir} already: use that one, end it, or choose another folder"
        ) from None


def _configuration(store_dir: Path, port: int, listening: Listening) -> str:
    tls = listening.tls
    return f"""\
listen: {_quoted(f"{in_url(listening.address)}:{port}")}
max_payload: 1MB
jetstream {{ store_dir: {_quoted(store_dir.resolve())}, sync_interval: always }}
""" + (f"tls {{ cert_file: {_quoted(tls.certificate.resolve())}, key_file: {_quoted(tls.key.resolve())} }}\n" if tls else "")


def _quoted(value: object) -> str:
    return json.dumps(str(value), ensure_ascii=False)


def _tied(command: list[str]) -> list[str]:
    if sys.platform == "linux" and sys.executable:
        return [sys.executable, "-I", "-S", "-c", _TIED, str(os.getpid()), *command]
    return command


async def _ready(process: asyncio.subprocess.Process, log: asyncio.StreamReader, port: int) -> int:
    """Read the log up to the ready line; the server's port."""
    listening = 0
    last: deque[str] = deque(maxlen=5)
    try:
        async with asyncio.timeout(READY_WITHIN):
            async for raw in log:
                line = raw.decode(errors="replace").strip()
                last.append(line)
                if found := _LISTENING.search(line):
                    listening = int(found[1])
                if "Server is ready" in line and listening:
                    return listening
            await process.wait()
    except TimeoutError:
        raise ServerError(f"nats-server was not ready within {READY_WITHIN:g} s; it said last: {' | '.join(last)}") from None
    if any("address already in use" in line for line in last):
        raise PortTaken(f"port {port} is in use; choose another, or -1 for a free one")
    raise ServerError(f"nats-server ended before it was ready: {' | '.join(last) or 'it said nothing'}")


def _how(code: int | None) -> str:
    return f"killed by signal {-code}" if code is not None and code < 0 else f"with exit code {code}"


async def _end(process: asyncio.subprocess.Process) -> None:
    """Ask, wait, kill."""
    with suppress(ProcessLookupError):
        process.terminate()
    try:
        async with asyncio.timeout(ENDS_WITHIN):
            await process.wait()
    except TimeoutError:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()
