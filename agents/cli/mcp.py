"""``mcp``: serve a board to clients of the Model Context Protocol, such as Claude."""

import logging
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from agents.cli.places import HERE, Where, keys_at, locate, served_from
from agents.errors import CommandError
from bus.accounts import OPERATOR
from bus.credentials import find
from bus.identities import Identities
from bus.listening import LOOPBACK

BoardToServe = Annotated[str, Parameter(help="A name, an address or a path; none: the one board that is served from the data folder.")]


async def mcp(
    board: BoardToServe | None = None,
    /,
    *,
    agent: Annotated[str | None, Parameter(name="--as")] = None,
    http: str | None = None,
    where: Where = HERE,
) -> None:
    """Serve a board over MCP: on stdin and stdout, to the client that starts this command; or with --http to all that come.

    Over HTTP each agent shows its token (`Authorization: Bearer …`, from `pheroboard agent token NAME`). Where there are no agents with
    keys, --as says who they all are.

    Parameters
    ----------
    agent
        Speak as this agent; by default the operator.
    http
        Listen on this loopback address, HOST:PORT or PORT.
    """
    from agents.adapters.mcp import BoardServer, KeyTokens, serve_http, serve_stdio
    from agents.adapters.service import MemoryService

    logging.basicConfig(level=logging.WARNING, format="%(levelname)s %(name)s: %(message)s")
    address = locate(board or _only(where), where)
    keys = keys_at(address, where)
    find(keys, agent or OPERATOR)  # what cannot be is told now, and not by every tool
    if http is None:
        await serve_stdio(BoardServer(MemoryService(address, credentials=keys), agent or OPERATOR))
        return
    host, _, port = http.rpartition(":")
    if not port.isdigit():
        raise CommandError(f"--http {http}: give an address on loopback and a port, as in 127.0.0.1:8000")
    if where.credentials is None and not Identities(where.data).registry().closed:
        keys = None  # once agents are added, who comes without is not let in any more
    if keys is None and agent is None:
        raise CommandError(
            "no agent has a key here: say with --as whom all clients are; or add agents (pheroboard agent add), or name their keys"
        )
    if keys is not None and keys.is_dir() and agent is not None:
        raise CommandError(f"--as {agent}: the agents have keys in {keys}, and each one's token says who it is; leave out --as")
    if keys is not None and keys.is_file() and agent is None:
        raise CommandError(f"{keys} is one agent's key: say whose with --as, or name the folder of all")
    tokens = None if keys is None else KeyTokens(keys, agent)
    whom = agent if tokens is None else None

    def told(url: str) -> None:
        who = "each agent by its token" if whom is None else f"everybody as {whom}"
        print(f"serving {Path(address).stem} at {url}, {who} (Ctrl-C ends it)", flush=True)

    server = BoardServer(MemoryService(address, credentials=keys), whom)
    await serve_http(server, tokens, host=host.strip("[]") or LOOPBACK.address, port=int(port), told=told)


def _only(where: Where) -> str:
    found = served_from(where.data)
    if found is None or len(found.boards) != 1:
        among = f"one of {', '.join(found.boards)}" if found else "an address, or the path of a database"
        raise CommandError(f"which board? Name {among}")
    return found.boards[0]
