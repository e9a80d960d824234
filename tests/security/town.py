"""A town with a wall: a real server on which agents have accounts, boards that are served there, attackers who speak NATS themselves."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from pathlib import Path

import msgspec
import nats
from nats.aio.client import Client
from nats.aio.msg import Msg

import blackboard
from blackboard.client import Board
from blackboard.opening import serving
from bus import names
from bus.accounts import configuration
from bus.identities import Identities
from bus.jetstream import observations_stream
from bus.nats import NatsBus
from bus.server import Server, running_server

SHOP, LAB = "shop", "lab"
WITHIN = 5
"""Seconds that anything may take."""


class Attacker:
    """A connection that is not ours: it sends whatever it is told to, and hears what the server holds against it."""

    def __init__(self, client: Client, complaints: list[str]) -> None:
        self.client = client
        self.complaints = complaints

    async def settle(self) -> str:
        """Wait until the server has dealt with all that was sent; what it held against that, in its own words."""
        for _ in range(2):  # the first ping may overtake what nats-py holds back
            await self.client.flush(WITHIN)
        said = " | ".join(self.complaints)
        self.complaints.clear()
        return said.lower()

    async def publish(self, subject: str, data: bytes = b"forged", *, reply: str = "", headers: dict[str, str] | None = None) -> str:
        """Send it; what the server holds against that."""
        await self.client.publish(subject, data, reply=reply, headers=headers)
        return await self.settle()

    async def request(self, subject: str, data: bytes = b"", headers: dict[str, str] | None = None) -> str:
        """Ask, and give what is answered, or what the server holds against it."""
        inbox = self.client.new_inbox()
        answers: asyncio.Queue[Msg] = asyncio.Queue()
        await self.client.subscribe(inbox, cb=answers.put)
        if complaint := await self.publish(subject, data, reply=inbox, headers=headers):
            return complaint
        async with asyncio.timeout(WITHIN):
            answer = await answers.get()
        return answer.data.decode(errors="replace") or str((answer.headers or {}).get("Status"))

    async def listen(self, subject: str, queue: str = "") -> tuple[str, list[Msg]]:
        """Subscribe; what the server holds against that, and what is heard from then on."""
        heard: list[Msg] = []

        async def hear(msg: Msg) -> None:
            heard.append(msg)

        await self.client.subscribe(subject, queue, cb=hear)
        return await self.settle(), heard


class Town:
    """The board ``shop``, where finance and schedule may speak, and ``lab``, where schedule alone may."""

    def __init__(self, server: Server, identities: Identities, host: NatsBus, stack: AsyncExitStack) -> None:
        self.server = server
        self.identities = identities
        self.host = host
        self._stack = stack

    def board(self, agent: str, name: str = SHOP) -> AbstractAsyncContextManager[Board]:
        """A board, opened as users do."""
        return blackboard.open(f"{self.server.url}/{name}", agent=agent, credentials=self.identities.keys)

    async def bus(self, agent: str | None) -> NatsBus:
        """Our own client, with an agent's key or with none: whoever wrote a program around the board's rules."""
        bus = await NatsBus.connect(self.server.url, credentials=self.identities.key(agent) if agent else None)
        self._stack.push_async_callback(bus.aclose)
        return bus

    async def attacker(self, agent: str | None) -> Attacker:
        """A client of NATS with an agent's key, or with none."""
        complaints: list[str] = []

        async def complain(error: Exception) -> None:
            complaints.append(str(error))

        seed = str(self.identities.key(agent)) if agent else None
        client = await nats.connect(self.server.url, nkeys_seed=seed, error_cb=complain, allow_reconnect=False)
        self._stack.push_async_callback(client.close)
        return Attacker(client, complaints)

    async def log(self, board: str = SHOP) -> list[tuple[str, bytes]]:
        """All that the log holds: whose it is, and what it says."""
        stream, found = observations_stream(board), []
        state = (await self.host._connection.api(f"STREAM.INFO.{stream}", {}))["state"]
        for seq in range(max(state["first_seq"], 1), state["last_seq"] + 1):
            message = (await self.host._connection.api(f"STREAM.MSG.GET.{stream}", {"seq": seq}))["message"]
            data = msgspec.json.decode(f'"{message.get("data", "")}"', type=bytes)
            found.append((names.speaker(message["subject"]), data))
        return found

    async def tell(self) -> None:
        """Let the server know of a change of the identities."""
        await self.server.reload(accounts(self.identities))


def accounts(identities: Identities) -> str:
    """What the server is told."""
    return configuration(identities.registry(), identities.host, (SHOP, LAB))


@asynccontextmanager
async def town(folder: Path, *, closed: bool = True) -> AsyncIterator[Town]:
    """Build it; ``closed``: with a wall."""
    identities = Identities(folder)
    await identities.prepare()
    if closed:
        await identities.add("finance", [SHOP])
        await identities.add("schedule", [SHOP, LAB])
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(running_server(folder / "nats", accounts=accounts(identities)))
        host = await NatsBus.connect(server.url, credentials=identities.key(names.HOST))
        stack.push_async_callback(host.aclose)
        for board in (SHOP, LAB):
            await stack.enter_async_context(serving(host, board, folder))
        async with AsyncExitStack() as clients:
            yield Town(server, identities, host, clients)
