"""A connection to a real server: refusals, limits and ends reach the call that meets them."""

import asyncio
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from nats.aio.client import Client
from nats.aio.transport import TcpTransport

from bus import names
from bus.credentials import make, public
from bus.errors import NoAnswer, NotPermitted, TooLarge, Unreachable
from bus.nats import NatsBus
from bus.server import Server, running_server

from .conftest import Restartable, configured
from .contract import BOARD, WITHIN, hosting


async def test_no_server() -> None:
    """Where no server answers, connecting fails in time, naming the address without its password, and the cure."""
    with pytest.raises(Unreachable, match=r"nats://127\.0\.0\.1:1 .*pheroboard up"):
        await NatsBus.connect("nats://me:secret@127.0.0.1:1", within=0.3)


async def test_a_cancellation_is_not_lost(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever is cancelled while connecting is cancelled, even where nats-py loses it."""
    connect = Client.connect

    async def losing(client: Client, *args: Any, **options: Any) -> None:
        await connect(client, *args, **options)
        connecting.cancel()
        with suppress(asyncio.CancelledError):
            await asyncio.sleep(0)

    monkeypatch.setattr(Client, "connect", losing)
    connecting = asyncio.create_task(NatsBus.connect(server.url))
    with pytest.raises(asyncio.CancelledError):
        await connecting


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_a_refusal_is_told_soon(host: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing listens at all, connecting does not wait as long as it would for an answer."""
    monkeypatch.setattr("bus.connection.REFUSED_WITHIN", 0.2)
    async with asyncio.timeout(WITHIN):
        with pytest.raises(Unreachable, match=rf"^no NATS server answers at nats://{host}:1 \(.*Connect call failed[^;]*\); start one"):
            await NatsBus.connect(f"nats://{host}:1", within=60)


@pytest.mark.parametrize("url", ["http://host", "nats://host:99999", "nats://host:port", "nats://", "nats://:4222", "nats://host:1,"])
async def test_an_address_that_is_none(url: str) -> None:
    """It is refused at once, with one that would do."""
    with pytest.raises(Unreachable, match=r"is no address of a NATS server: write it as in 'nats://127\.0\.0\.1:4222'"):
        await NatsBus.connect(url)


async def test_says_when_the_server_is_lost_and_back(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Who waits for a server that has ended can see why; closing says nothing."""
    back = asyncio.Event()
    async with asyncio.timeout(WITHIN):
        async with running_server(tmp_path) as server:
            bus = await NatsBus.connect(server.url)
            bus._connection.renewed.add(back.set)
        async with running_server(tmp_path, port=int(server.url.rpartition(":")[2])):
            await back.wait()
            await bus.aclose()
    assert [record.getMessage() for record in caplog.records] == [
        f"the connection to {server.url} is lost; trying to get it back",
        f"the connection to {server.url} is back",
    ]


async def test_keeps_below_a_smaller_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server that takes less than usual is not sent more: the connection lives on."""
    configured(monkeypatch, "max_payload: 64KB\n")
    async with running_server(tmp_path) as small:
        bus = await NatsBus.connect(small.url)
        async with hosting(bus) as host:
            with pytest.raises(TooLarge):
                await bus.publish(BOARD, "finance", b"x" * 65_000)
            await bus.publish(BOARD, "finance", b"x")
            await host.wait_for(1)
        await bus.aclose()


async def test_a_cancelled_call_leaves_the_connection(bus: NatsBus) -> None:
    """Calls that are cancelled at whatever step leave nothing behind, and the connection hears on."""

    async def listen() -> None:
        async with bus.listen(BOARD, names.SHARED):
            await asyncio.Event().wait()

    async def echo(_agent: str, data: bytes) -> bytes:
        return data

    async with bus.answer(BOARD, echo), asyncio.timeout(WITHIN):
        subscriptions = len(bus._connection._client._subs)
        for steps in range(20):
            for call in (listen(), bus.ask(BOARD, "finance", b"?"), bus.publish("nowhere", "finance", b"x")):
                task = asyncio.ensure_future(call)
                for _ in range(steps):
                    await asyncio.sleep(0)
                task.cancel()
                await asyncio.wait({task})
            assert await bus.ask(BOARD, "finance", b"still there", timeout=2) == b"still there"
        assert len(bus._connection._client._subs) == subscriptions
        assert not bus._connection._waiting


USERS = """
authorization { users: [
  { user: host, password: pw }
  { user: finance, password: pw, permissions: {
      publish: ["pb.obs.*.finance", "pb.ask.*.finance"], subscribe: ["pb.evt.*.shared", "pb.evt.*.private.finance", "_INBOX.>"] } }
] }
"""


async def test_refusals_surface_at_the_call(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What the server's permissions refuse raises ``NotPermitted`` at the call that tried it, and leaves the connection as it was."""
    configured(monkeypatch, USERS)
    async with running_server(tmp_path) as guarded:
        host_bus = await NatsBus.connect(guarded.url.replace("//", "//host:pw@"))
        finance = await NatsBus.connect(guarded.url.replace("//", "//finance:pw@"))
        async with hosting(host_bus) as host, asyncio.timeout(WITHIN):
            with pytest.raises(NotPermitted, match=r"pb\.obs\.procurement\.Schedule"):
                await finance.publish(BOARD, "Schedule", b"spoofed")
            with pytest.raises(NotPermitted, match=r"pb\.ask\.procurement\.schedule"):
                await finance.ask(BOARD, "schedule", b"?")
            with pytest.raises(NotPermitted, match=r"pb\.evt\.procurement\.private\.schedule"):
                async with finance.listen(BOARD, names.private("schedule")):
                    pass
            with pytest.raises(NotPermitted, match="STREAM"):
                await finance.open_log(BOARD, after=0)
            await finance.publish(BOARD, "finance", b"own")
            assert [m.agent for m in await host.wait_for(1)] == ["finance"]
        await finance.aclose()
        await host_bus.aclose()


async def test_a_server_that_is_away(restartable: Restartable) -> None:
    """While the server is away whoever asks hears so, as something that may pass; once it is back it is as before."""
    back = asyncio.Event()

    async def answering(_agent: str, data: bytes) -> bytes:
        await back.wait()
        return data

    bus = await NatsBus.connect(restartable.url)
    async with asyncio.timeout(WITHIN), bus.answer(BOARD, answering):
        restartable.kill()
        with pytest.raises(NoAnswer, match=r"no NATS server answers at .* any more, after 0\.2 s"):
            await bus.ask(BOARD, "finance", b"?", timeout=0.2)
        await restartable.start()
        back.set()
        assert await bus.ask(BOARD, "finance", b"?") == b"?"
    await bus.aclose()


async def test_an_unknown_user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Credentials that the server does not know fail at once, without showing them."""
    configured(monkeypatch, USERS)
    async with running_server(tmp_path) as guarded:
        with pytest.raises(NotPermitted, match="does not know this user") as failure:
            await NatsBus.connect(guarded.url.replace("//", "//mallory:secret@"), within=WITHIN)
        assert "secret" not in str(failure.value)


async def test_closing_ends_the_tries_to_reconnect(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the one under way loses its cancellation, as ``wait_for`` of Python 3.11 may: it would try on for good."""
    trying = asyncio.Event()

    async def losing(*_: Any, **__: Any) -> None:
        first = not trying.is_set()
        trying.set()
        if first:
            with suppress(asyncio.CancelledError):
                await asyncio.Event().wait()
        raise ConnectionRefusedError

    async with running_server(tmp_path) as server:
        before = asyncio.all_tasks()
        bus = await NatsBus.connect(server.url)
    monkeypatch.setattr(TcpTransport, "connect", losing)
    async with asyncio.timeout(WITHIN):
        await trying.wait()
        await bus.aclose()
        await asyncio.gather(*asyncio.all_tasks() - before)


async def test_a_user_that_is_known_no_more(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Whoever comes back to a server that does not know him any more is told, at every call and while he waits; and it ends."""
    mine, others = (f"accounts: {{ A: {{ users: [ {{ user: {user}, password: pw }} ] }} }}" for user in ("me", "somebody"))
    async with asyncio.timeout(WITHIN * 2):
        async with running_server(tmp_path, accounts=mine) as server:
            bus = await NatsBus.connect(server.url.replace("//", "//me:pw@"))
        waiting = asyncio.create_task(bus.ask(BOARD, "finance", b"?", timeout=30))
        async with running_server(tmp_path, port=int(server.url.rpartition(":")[2]), accounts=others):
            with pytest.raises(NotPermitted, match="does not know this user any more; check the credentials"):
                await waiting
            with pytest.raises(NotPermitted, match="any more"):
                await bus.publish(BOARD, "finance", b"x")
    assert bus._connection.closed
    assert "pw" not in caplog.text


async def test_a_file_of_nsc(tmp_path: Path) -> None:
    """A file with a token and a seed is shown as such: a server that knows no tokens refuses it, with the file's name alone."""
    make(tmp_path / "finance.nk")
    file = tmp_path / "finance.creds"
    file.touch(0o600)
    file.write_text(
        "-----BEGIN NATS USER JWT-----\neyJ0eXAi.e30.c2ln\n------END NATS USER JWT------\n\n"
        f"-----BEGIN USER NKEY SEED-----\n{(tmp_path / 'finance.nk').read_text()}------END USER NKEY SEED------\n"
    )
    users = f"accounts: {{ A: {{ users: [ {{ nkey: {public(tmp_path / 'finance.nk')} }} ] }} }}"
    async with running_server(tmp_path / "nats", accounts=users) as server:
        with pytest.raises(NotPermitted, match=r"does not know the key in .*finance\.creds") as refusal:
            await NatsBus.connect(server.url, credentials=file)
        assert "eyJ0" not in str(refusal.value)
        await (await NatsBus.connect(server.url, credentials=tmp_path / "finance.nk")).aclose()
