"""``agent``: who may speak on the boards of a data folder, and as whom. Done on the machine that holds the folder."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated

import anyio
from cyclopts import App, Parameter

from agents.cli.output import print_json, print_table
from agents.cli.places import DATA, databases_in, served_from
from agents.errors import CommandError
from blackboard.opening import erase_owned, hand_over
from bus import names
from bus.accounts import OPERATOR, Agent, configuration
from bus.credentials import find
from bus.credentials import token as token_of
from bus.identities import Identities

IN_FORCE_WITHIN = 10.0
"""Seconds in which a ``pheroboard up`` takes a change over."""

Name = Annotated[str, Parameter(help="The agent's name.")]
Data = Annotated[Path, Parameter(env_var="PHEROBOARD_DATA", help="The folder in which `pheroboard up` keeps its boards.")]

agent = App(name="agent", help="Who may speak on the boards of a data folder: add, list, token, rotate, remove; config.")


@agent.command
async def add(
    name: Name, /, *boards: Annotated[str, Parameter(help="The boards; none: every board of the folder.")], data: Data = DATA
) -> None:
    """Make a key for an agent, and let it speak on boards; again: on more of them.

    The first one closes the folder: from then on only agents with a key are let in. The key file is for the agent's process alone: move it
    to where that runs, and name it there (`credentials=`, --credentials or PHEROBOARD_CREDENTIALS).
    """
    identities = Identities(data)
    added = await identities.add(name, boards)
    await _in_force(identities, data)
    print(f"{name} may speak on {_boards(added)}, with the key in {identities.key(name)}{_beside(identities)}")


@agent.command(name="list")
async def list_(*, json: bool = False, data: Data = DATA) -> None:
    """The agents that have a key, and the boards that they may speak on."""
    identities = Identities(data)
    registry = identities.registry()
    if json:
        print_json(registry)
        return
    rows = ((name, _boards(known), known.key) for name, known in sorted(registry.agents.items()))
    print_table(("agent", "boards", "public key"), rows, empty="No agent was added.")
    if not registry.closed:
        running = served_from(data)
        if running and not running.identities:
            print(f"{data} is served at {running.url}, which is not in our hands: who may speak there, its own configuration says")
        else:
            print(f"{data} is open: whoever reaches its server may speak as any agent, until one is added")


@agent.command
async def token(
    name: Name,
    /,
    *,
    credentials: Annotated[Path | None, Parameter(help="A key file, or a folder of them, instead of those in the data folder.")] = None,
    data: Data = DATA,
) -> None:
    """Print the token that an agent shows to `pheroboard mcp --http` (`Authorization: Bearer …`). Whoever has it is the agent there.

    It is made of the agent's key: `pheroboard agent rotate` changes it.
    """
    if credentials is None:
        Identities(data).known(name)
    key = find(credentials or Identities(data).keys, names.valid_name(name))
    if key is None:
        raise CommandError(f"there is no key of {name} in {credentials or Identities(data).keys}")
    print(token_of(name, key))


@agent.command
async def rotate(name: Name, /, *, data: Data = DATA) -> None:
    """Give an agent a new key. The former one is refused from then on, and connections that were made with it end."""
    identities = Identities(data)
    await identities.rotate(name)
    await _in_force(identities, data)
    print(f"{name} has a new key, in {identities.key(name)}{_beside(identities)}")


@agent.command
async def remove(
    name: Name,
    /,
    *,
    keep: bool = False,
    erase: bool = False,
    give_to: str | None = None,
    data: Data = DATA,
) -> None:
    """Let an agent speak no more: its key is refused from then on, and its connections end.

    What becomes of its private items has to be said. What it has shared stays. The folder stays closed, also without any agent.

    Parameters
    ----------
    keep
        They stay, seen by nobody, unless an agent of that name is added again.
    erase
        They are erased for good.
    give_to
        They become those of this agent.
    """
    if name == OPERATOR:
        raise CommandError(f"{OPERATOR} is this machine's own, which looks as it; `pheroboard agent rotate {OPERATOR}` is possible")
    if [keep, erase, give_to is not None].count(True) != 1:
        raise CommandError(f"what becomes of the private items of {name}? Give one of --keep, --erase, --give-to AGENT")
    if give_to == name:
        raise CommandError(f"the private items of {name} are those of {name} already: give them to another, or --keep them")
    identities = Identities(data)
    if give_to is not None:
        identities.known(give_to)
    if keep or name in identities.registry().agents:  # else it was removed before, and what is left of it is to go now
        await identities.remove(name)
    await _in_force(identities, data)
    if give_to is not None:
        await _at_each_board(data, lambda address: hand_over(address, name, give_to, credentials=identities.keys))
    elif erase:
        await _at_each_board(data, lambda address: erase_owned(address, name, credentials=identities.keys))
    done = "are erased" if erase else f"are those of {give_to}" if give_to is not None else "are kept"
    print(f"{name} may speak no more; its private items {done}")


@agent.command
async def config(*boards: Annotated[str, Parameter(help="Boards besides those that are in the folder.")], data: Data = DATA) -> None:
    """Print the accounts of all agents, for a NATS server or cluster of your own. Public keys alone are in it.

    Write it to a file, include that in each server's configuration, at the top level (`include accounts.conf`; a configuration has one
    section of accounts), and reload each server, twice where agents are new: what a new account imports is not there after the first
    time. Then `pheroboard up --nats URL` serves the boards there; hosts on other machines need this folder's keys/_board.nk, too, and
    commands there its keys/operator.nk. The servers need JetStream with `sync_interval: always`.
    """
    identities = Identities(data)
    await identities.prepare()
    here = (*boards, *(path.stem for path in databases_in(data)))
    print(configuration(identities.registry(), identities.host, here, closed=True), end="")


async def _in_force(identities: Identities, data: Path) -> None:
    """Return once the server of the folder, if one runs, has taken the change over."""
    running = served_from(data)
    if running and not running.identities:
        print(f"the server at {running.url} is not in our hands: tell it, too (pheroboard agent config)")
        return
    with anyio.move_on_after(IN_FORCE_WITHIN):
        while running and running.identities != identities.stamp():
            await anyio.sleep(0.05)
            running = served_from(data)
        return
    raise CommandError(
        f"it is written, but {data} is served without it after {IN_FORCE_WITHIN:g} s: the output of `pheroboard up` says why"
    )


async def _at_each_board(data: Path, act: Callable[[str], Awaitable[None]]) -> None:
    """Do it on every board of the folder, by its address; those that nobody serves are served meanwhile."""
    from agents.cli.hosting import hosting

    running = served_from(data)
    served = {board: f"{running.url}/{board}" for board in running.boards} if running else {}
    for address in served.values():
        await act(address)
    if rest := [path.stem for path in databases_in(data) if path.stem not in served]:
        async with hosting(rest, data, nats=running.url if running else None) as url:
            for board in rest:
                await act(f"{url}/{board}")


def _boards(known: Agent) -> str:
    return "every board" if known.boards is None else ", ".join(known.boards)


def _beside(identities: Identities) -> str:
    certificate = identities.keys / "server.pem"
    return f" (take {certificate} along)" if certificate.exists() else ""
