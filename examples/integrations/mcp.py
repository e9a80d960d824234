"""A board over MCP: a server in a process of its own, and two agents at it, each by its token."""

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

import blackboard
from bus.credentials import make, token

PHEROBOARD = str(Path(sys.executable).with_name("pheroboard"))


async def prepare(folder: Path) -> None:
    """A board on which something is said already, and keys, which else `pheroboard agent add` makes."""
    async with blackboard.open(folder / "trip", agent="finance") as board:
        await board.constrain("budget", "<=", 50_000, unit="CNY")
    for agent in ("ann", "bob"):
        make(folder / "keys" / f"{agent}.nk")


@asynccontextmanager
async def connected(url: str, token: str) -> AsyncIterator[Client]:
    """An MCP client, as any framework has one, that shows an agent's token."""
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}) as http,
        Client(streamable_http_client(url, http_client=http)) as client,
    ):
        yield client


async def given(client: Client, tool: str, **arguments: Any) -> Any:
    """What a tool gives."""
    return (await client.call_tool(tool, arguments)).structured_content["result"]


async def work(url: str, tokens: dict[str, str]) -> None:
    async with connected(url, tokens["ann"]) as ann, connected(url, tokens["bob"]) as bob:
        print("tools:", *(tool.name for tool in (await ann.list_tools()).tools))
        for breach in await given(ann, "check", values={"budget": [52_000, "CNY"]}):
            print("ann's plan breaks:", breach["rule"])

        async with bob.listen(resource_subscriptions=["board://view"]) as changes:
            await given(ann, "observe", text="The visa of the speaker may come late")  # hers alone
            await given(ann, "observe", text="The venue closes at 18:00", scope="shared")
            print("bob is told:", await anext(changes))
        print(await given(bob, "assemble", query="When must we leave the venue?"))

        view = (await bob.read_resource("board://view")).contents[0].model_dump()["text"]
        for item in json.loads(view)["items"]:
            print(f"bob sees: {item['content']} (by {item['by']})")


def main() -> None:
    """Run it."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        asyncio.run(prepare(folder))
        command = [PHEROBOARD, "mcp", "trip.db", "--http", "127.0.0.1:0", "--credentials", "keys"]
        with subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, text=True) as server:  # noqa: S603 - our own command
            assert server.stdout is not None
            url = server.stdout.readline().split()[3].rstrip(",")  # "serving trip at http://127.0.0.1:40123/mcp, …"
            asyncio.run(work(url, {agent: token(agent, folder / "keys" / f"{agent}.nk") for agent in ("ann", "bob")}))
            server.terminate()


if __name__ == "__main__":
    main()
