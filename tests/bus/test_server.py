"""Finding, starting and ending a server of our own."""

import asyncio
import logging
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import anyio
import pytest
import trustme

from bus import names
from bus import server as module
from bus.accounts import configuration
from bus.errors import FolderInUse, PortTaken, ServerError, Unreachable
from bus.identities import Identities
from bus.listening import Listening, Tls
from bus.nats import NatsBus
from bus.server import running_server

from .conftest import configured

linux = pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")


def alive(pid: int) -> bool:
    """Whether the process runs; a zombie does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def listening(pid: int) -> list[tuple[str, int]]:
    """``(address in hexadecimal as the kernel writes it, port)`` of every socket on which the process listens."""
    sockets = {str(fd.readlink()) for fd in Path(f"/proc/{pid}/fd").iterdir()}
    found = []
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and f"socket:[{fields[9]}]" in sockets:  # 0A is LISTEN
                address, _, port = fields[1].partition(":")
                found.append((address, int(port, 16)))
    return found


async def gone(pid: int) -> None:
    """Wait until the kernel has ended a process that is not our child."""
    async with asyncio.timeout(5):
        while alive(pid):  # noqa: ASYNC110 - nothing tells of the end of a process that is not ours
            await asyncio.sleep(0.01)


@linux
async def test_listens_on_loopback_alone(tmp_path: Path) -> None:
    """The server listens on one port of 127.0.0.1 and nowhere else."""
    async with running_server(tmp_path) as server:
        assert listening(server.pid) == [("0100007F", int(server.url.rpartition(":")[2]))]


async def test_ends_with_its_context(tmp_path: Path) -> None:
    """Leaving the context ends the server, by an exception or by cancellation too."""
    pids = []

    async def run() -> None:
        async with running_server(tmp_path) as server:
            pids.append(server.pid)
            started.set()
            await asyncio.Event().wait()

    started = asyncio.Event()
    running = asyncio.create_task(run())
    async with asyncio.timeout(10):
        await started.wait()
        running.cancel()
        await asyncio.wait({running})
    with pytest.raises(ZeroDivisionError):  # noqa: PT012 - what is raised within is the point
        async with running_server(tmp_path) as server:
            pids.append(server.pid)
            raise ZeroDivisionError
    assert len(pids) == 2
    assert not any(alive(pid) for pid in pids)


async def test_a_server_that_does_not_end_is_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that is stopped, and so deaf to the request to end, is killed."""
    monkeypatch.setattr("bus.server.ENDS_WITHIN", 0.2)
    async with running_server(tmp_path) as server:
        os.kill(server.pid, signal.SIGSTOP)
    assert not alive(server.pid)


class Said(logging.Handler):
    """Waits for what the server's keeper says."""

    def __init__(self) -> None:
        super().__init__()
        self.records: list[str] = []
        self._news = asyncio.Event()

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record.getMessage())
        self._news.set()

    async def until(self, words: str, *, times: int = 1) -> str:
        """The last of so many records with these words."""
        async with asyncio.timeout(15):
            while len(found := [each for each in self.records if words in each]) < times:
                self._news.clear()
                await self._news.wait()
        return found[times - 1]


@pytest.fixture
def said() -> Iterator[Said]:
    handler, logger = Said(), logging.getLogger("bus.server")
    logger.addHandler(handler)
    yield handler
    logger.removeHandler(handler)


async def test_is_started_again(tmp_path: Path, said: Said) -> None:
    """A server that is killed is back where it was, with all that it had, and whoever was connected goes on; each time."""
    async with running_server(tmp_path) as server:
        url, bus = server.url, await NatsBus.connect(server.url)
        await bus.open_log("board", after=0)
        for number in (1, 2, 3):
            assert await bus.publish("board", "finance", b"x") == number
            killed = server.pid
            os.kill(killed, signal.SIGKILL)
            await said.until(f"nats-server (process {killed}, at {url}) has ended by itself, killed by signal 9")
            assert url in await said.until("was started again", times=number)
            assert server.pid != killed
        assert await bus.publish("board", "finance", b"x") == 4
        assert server.url == url
        await bus.aclose()
    assert not alive(server.pid)


async def test_could_not_write(tmp_path: Path, said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that has said so is started again once its folder takes something, and not before."""
    room = False
    monkeypatch.setattr("bus.server._takes", lambda *_: room)
    async with running_server(tmp_path) as server:
        bus, failed, log = await NatsBus.connect(server.url), server.pid, asyncio.StreamReader()
        await bus.open_log("board", after=0)
        log.feed_data(b"[1] [ERR] Filestore [PB_OBS_board] Critical write error: no space left\n")
        log.feed_eof()
        heeding = asyncio.create_task(server._heed(server._process, log))
        await said.until("cannot write (no space left): make room")
        assert await bus.publish("board", "finance", b"x") == 1
        assert server.pid == failed
        room = True
        await said.until(f"nats-server (process {failed}, at {server.url}) has ended by itself")
        await said.until("was started again")
        assert await bus.publish("board", "finance", b"x") == 2
        await heeding
        await bus.aclose()


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A disk of 24 MiB."""
    disk = tmp_path / "small"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", disk], capture_output=True, check=False).returncode:
        pytest.skip("no disk may be mounted here")
    yield disk
    subprocess.run(["umount", disk], check=True)


@pytest.mark.skipif(sys.platform != "linux", reason="mounts a disk as Linux does")
async def test_a_disk_that_is_full(small: Path, said: Said) -> None:
    """What is not acknowledged is sent until it is: once there is room that is soon, without anybody's doing."""
    async with running_server(small / "nats") as server:
        bus = await NatsBus.connect(server.url)
        await bus.open_log("board", after=0)
        assert await bus.publish("board", "finance", b"x") == 1
        with (small / "fill").open("wb", 0) as fill, suppress(OSError):
            while True:
                fill.write(bytes(4096))
        publishing = asyncio.create_task(bus.publish("board", "finance", bytes(100_000)))
        await said.until("no space left on device): make room")
        assert not publishing.done()
        (small / "fill").unlink()
        async with asyncio.timeout(20):
            assert await publishing == 2
        await bus.aclose()


async def test_cannot_be_started_again(tmp_path: Path, said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where something keeps it from starting again that is said, and it is tried on: it is back once nothing does."""
    async with running_server(tmp_path) as server:
        bus = await NatsBus.connect(server.url)
        await bus.open_log("board", after=0)
        with monkeypatch.context() as broken:
            configured(broken, "nonsense: {")
            os.kill(server.pid, signal.SIGKILL)
            assert "trying again in" in await said.until(f"{server.url} cannot be started again: nats-server ended before it was ready")
        assert await bus.publish("board", "finance", b"x") == 1
        await bus.aclose()


async def test_its_port_is_taken_meanwhile(tmp_path: Path, said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    """It waits for its own port, where everybody looks for it, and takes no other one."""
    monkeypatch.setattr("bus.server.START_AGAIN", (0.5, 0.5))
    async with running_server(tmp_path) as server:
        url, killed = server.url, server.pid
        port = int(url.rpartition(":")[2])
        os.kill(killed, signal.SIGKILL)
        await said.until("has ended by itself")
        with socket.create_server(("127.0.0.1", port)):
            await said.until(f"port {port} is in use")
        await said.until("was started again")
        assert server.url == url
        assert server.pid != killed


async def test_ends_while_it_is_being_started_again(tmp_path: Path, said: Said, monkeypatch: pytest.MonkeyPatch) -> None:
    """Leaving the context while there is no server leaves none."""
    async with running_server(tmp_path) as server:
        configured(monkeypatch, "nonsense: {")
        os.kill(server.pid, signal.SIGKILL)
        await said.until("cannot be started again")
    assert not alive(server.pid)
    monkeypatch.undo()
    async with running_server(tmp_path):
        pass  # its folder is free


@linux
async def test_is_not_interrupted_with_us(tmp_path: Path) -> None:
    """Ctrl-C in a terminal reaches the whole process group: the server has one of its own, and outlives what still needs it."""
    async with running_server(tmp_path) as server:
        assert os.getpgid(server.pid) != os.getpgid(0)


async def test_leaves_nothing_elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All that it needs is in its folder, so that one who is killed outright leaves nothing behind; what may be secret is for us alone."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "nowhere"))
    async with running_server(tmp_path / "store"):
        assert (tmp_path / "store" / "server.conf").stat().st_mode & 0o077 == 0


@linux
async def test_dies_with_its_parent(tmp_path: Path) -> None:
    """A parent that is killed outright takes its server along."""
    code = (
        "import asyncio, sys, pathlib\nfrom bus.server import running_server\n"
        "async def main():\n"
        "    async with running_server(pathlib.Path(sys.argv[1])) as server:\n"
        "        print(server.pid, flush=True)\n"
        "        await asyncio.Event().wait()\n"
        "asyncio.run(main())\n"
    )
    parent = await asyncio.create_subprocess_exec(sys.executable, "-c", code, str(tmp_path), stdout=asyncio.subprocess.PIPE)
    try:
        assert parent.stdout is not None
        async with asyncio.timeout(15):
            pid = int(await parent.stdout.readline())
        assert alive(pid)
    finally:
        parent.kill()
        await parent.wait()
    await gone(pid)


async def test_syncs_what_it_acknowledges(tmp_path: Path) -> None:
    """It is told to put each message on the disk before it says that it has it, and to listen where nobody else reaches it."""
    async with running_server(tmp_path):
        configuration = (tmp_path / "server.conf").read_text()
    assert re.search(r"jetstream \{.* sync_interval: always \}", configuration)
    assert 'listen: "127.0.0.1:-1"' in configuration


async def test_comes_back_on_its_port(tmp_path: Path) -> None:
    """Without a port it takes that of the last time, so that agents find it; where another has that, or it is none, a free one."""
    async with running_server(tmp_path / "nats") as server:
        url = server.url
    async with running_server(tmp_path / "nats") as again:
        assert again.url == url
    with socket.create_server(("127.0.0.1", int(url.rpartition(":")[2]))):
        async with running_server(tmp_path / "nats") as elsewhere:
            assert elsewhere.url != url
    (tmp_path / "nats" / "server.port").write_text("none")
    async with running_server(tmp_path / "nats"):
        pass


async def test_a_taken_port(tmp_path: Path) -> None:
    """A port in use is named."""
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(PortTaken, match=str(port)):
            async with running_server(tmp_path, port=port):
                pass


@pytest.mark.parametrize("port", [0, -2, 65536])
async def test_a_port_that_is_none(tmp_path: Path, port: int) -> None:
    """What cannot be a port is refused before anything starts; 0 too, by which the server means its usual one."""
    with pytest.raises(ServerError, match=f"port {port} is none: give one from 1 to 65535, or -1"):
        await running_server(tmp_path, port=port).__aenter__()


async def test_a_store_that_cannot_be_written(tmp_path: Path) -> None:
    """A folder that cannot be made or written is named before anything is started."""
    (tmp_path / "file").touch()
    with pytest.raises(ServerError, match=r"file/store.*choose a folder"):
        async with running_server(tmp_path / "file" / "store"):
            pass


async def test_a_configuration_that_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that ends at once has its last words in the error."""
    configured(monkeypatch, "nonsense: {")
    with pytest.raises(ServerError, match=r"ended before it was ready: .*"):
        async with running_server(tmp_path):
            pass


async def test_one_server_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """While a server works on a folder a second one is refused; it may follow at once when the first was killed."""
    async with running_server(tmp_path) as first:
        with monkeypatch.context() as hasty:
            hasty.setattr("bus.server.ENDS_WITHIN", 0.1)
            with pytest.raises(FolderInUse, match=f"process {os.getpid()} has a server on"):
                async with running_server(tmp_path):
                    pass
        os.kill(first.pid, signal.SIGKILL)
    async with running_server(tmp_path):
        pass


async def test_keeps_its_streams(tmp_path: Path) -> None:
    """What was acknowledged is there when the server is started again on the same folder, whatever its name."""
    store = tmp_path / 'with "quotes" and späces'
    identity = None
    for after in (0, 1):
        async with running_server(store) as server:
            bus = await NatsBus.connect(server.url)
            identity = (await bus.open_log("board", after=after, identity=identity)).identity
            assert await bus.publish("board", "finance", b"x") == after + 1
            await bus.aclose()


class Town:
    """A server that is told who may do what, the host of a board on it, and what it is told next."""

    def __init__(self, folder: Path) -> None:
        self.identities = Identities(folder)

    @property
    def accounts(self) -> str:
        return configuration(self.identities.registry(), self.identities.host, ("shop",))

    async def bus(self, url: str, agent: str) -> NatsBus:
        return await NatsBus.connect(url, credentials=self.identities.key(agent))


async def test_is_told_anew_without_a_break(tmp_path: Path) -> None:
    """While agents are added, rotated and removed, the connections, subscriptions and requests of the others go on."""
    town = Town(tmp_path)
    await town.identities.prepare()
    await town.identities.add("finance", ["shop"])
    async with running_server(tmp_path / "nats", accounts=town.accounts) as server, asyncio.timeout(30):
        host, finance = await town.bus(server.url, names.HOST), await town.bus(server.url, "finance")
        broken = list[str]()
        for name, bus in {"host": host, "finance": finance}.items():
            bus._connection.renewed.add(lambda name=name: broken.append(name))  # type: ignore[misc]
        log = await host.open_log("shop", after=0)
        go = asyncio.Event()

        async def answering(_agent: str, data: bytes) -> bytes:
            await go.wait()
            return data

        async with host.answer("shop", answering), finance.listen("shop", names.SHARED) as feed:
            waiting = asyncio.create_task(finance.ask("shop", "finance", b"?", timeout=30))
            published = 0
            identities = town.identities
            for change in (identities.add("a"), identities.add("b"), identities.rotate("a"), identities.remove("b")):
                await change
                telling = asyncio.create_task(server.reload(town.accounts))
                while not telling.done():
                    published += 1
                    assert await finance.publish("shop", "finance", b"%d" % published) == published
                await telling
                await host.emit("shop", names.SHARED, published, b"event")
                assert await anext(feed) == b"event"
            go.set()
            assert await waiting == b"?"
        newcomer = await town.bus(server.url, "a")
        assert await newcomer.publish("shop", "a", b"x") == published + 1
        assert not broken
        await log.aclose()
        for bus in (host, finance, newcomer):
            await bus.aclose()


async def test_does_not_take_everything(tmp_path: Path) -> None:
    """What it refuses is an error in its own words; it goes on as before, and starts again as before."""
    town = Town(tmp_path)
    await town.identities.prepare()
    async with running_server(tmp_path / "nats", accounts=town.accounts) as server:
        with pytest.raises(ServerError, match=r"does not take what it was told of accounts: .*server\.conf"):
            await server.reload("accounts: { A: { users: [ { nkey: nonsense } ] } }")
        os.kill(server.pid, signal.SIGKILL)
        bus = await NatsBus.connect(server.url, within=20, credentials=town.identities.key("operator"))
        await bus.aclose()


async def test_one_that_is_away_is_told_when_it_is_back(tmp_path: Path) -> None:
    """What is to be told to a server that has just ended it knows once it was started again."""
    town = Town(tmp_path)
    await town.identities.prepare()
    async with running_server(tmp_path / "nats", accounts=town.accounts) as server, asyncio.timeout(20):
        os.kill(server.pid, signal.SIGKILL)
        await town.identities.add("finance", ["shop"])
        await server.reload(town.accounts)
        finance = await NatsBus.connect(server.url, within=20, credentials=town.identities.key("finance"))
        await finance.aclose()


async def test_one_that_is_coming_back_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is to be told to a server that has read its configuration and is not ready yet it is told once it is."""
    town = Town(tmp_path)
    await town.identities.prepare()
    ready, coming, go = module._ready, asyncio.Event(), asyncio.Event()

    async def slowly(*arguments: Any) -> int:
        port = await ready(*arguments)
        coming.set()
        await go.wait()
        return port

    async with running_server(tmp_path / "nats", accounts=town.accounts) as server, asyncio.timeout(20):
        monkeypatch.setattr(module, "_ready", slowly)
        os.kill(server.pid, signal.SIGKILL)
        await coming.wait()
        await town.identities.add("finance", ["shop"])
        telling = asyncio.create_task(server.reload(town.accounts))
        await anyio.wait_all_tasks_blocked()
        go.set()
        await telling
        finance = await NatsBus.connect(server.url, credentials=town.identities.key("finance"))
        await finance.aclose()


async def test_what_is_no_place_to_listen_on(tmp_path: Path) -> None:
    """A name, or a certificate that is not there, is refused before anything starts."""
    with pytest.raises(ServerError, match=r"'localhost' is no address to listen on"):
        await running_server(tmp_path, listening=Listening("localhost")).__aenter__()
    nowhere = Tls(tmp_path / "cert.pem", tmp_path / "key.pem")
    with pytest.raises(ServerError, match=r"there is no file .*cert\.pem"):
        await running_server(tmp_path, listening=Listening(tls=nowhere)).__aenter__()


async def test_encrypts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever knows its certificate, or its authority and its name, is let in; whoever does not, or speaks in the clear, is not."""
    authority = trustme.CA()
    issued = authority.issue_cert("127.0.0.1")
    certificate, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    certificate.write_bytes(b"".join(pem.bytes() for pem in issued.cert_chain_pems))
    issued.private_key_pem.write_to_path(str(key))
    town = Town(tmp_path)
    await town.identities.add("finance", ["shop"])
    await town.identities.prepare()
    async with running_server(tmp_path / "nats", listening=Listening(tls=Tls(certificate, key)), accounts=town.accounts) as server:
        assert server.url.startswith("tls://127.0.0.1:")
        with pytest.raises(Unreachable, match=r"is not trusted .*put its certificate beside your key, as server\.pem"):
            await town.bus(server.url, "finance")
        with monkeypatch.context() as environment:
            authority.cert_pem.write_to_path(str(tmp_path / "authority.pem"))
            environment.setenv("SSL_CERT_FILE", str(tmp_path / "authority.pem"))
            await (await town.bus(server.url, "finance")).aclose()
            with pytest.raises(Unreachable, match="is not trusted"):
                await town.bus(server.url.replace("127.0.0.1", "localhost"), "finance")  # not its name
        town.identities.trust(certificate)
        for url in (server.url, server.url.replace("127.0.0.1", "localhost"), server.url.replace("tls:", "nats:")):
            await (await town.bus(url, "finance")).aclose()
        another = authority.issue_cert("127.0.0.1")  # of the same authority, for the same name
        (tmp_path / "keys" / "server.pem").write_bytes(another.cert_chain_pems[0].bytes())
        with pytest.raises(Unreachable, match="is not trusted"):
            await town.bus(server.url, "finance")
