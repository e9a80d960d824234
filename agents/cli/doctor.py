"""``doctor``: is everything in place, and what was set aside?"""

import os
from collections.abc import AsyncIterator
from pathlib import Path
from shutil import disk_usage
from tempfile import TemporaryFile

import anyio
from msgspec import Struct

from agents.cli.output import print_json
from agents.cli.places import OPERATOR, Serving, Who, away, databases_in, is_served, keys_at, recorded_in, served_from
from agents.cli.retention import said as kept
from blackboard.errors import BlackboardError
from blackboard.line import Line
from blackboard.sqlite import Inspection, inspect
from blackboard.store import DeadLetter
from blackboard.troubles import moment
from bus import names
from bus.credentials import find
from bus.errors import BusError, LogMismatch
from bus.messages import HostList, Hosts
from bus.port import Bus

LETTERS = 20
"""How many of the messages that a board has set aside are shown."""
SHOWN = 100
"""Characters of each."""
ROOM = 64 * 1024
"""Bytes that are written to see whether the folder takes them."""
LITTLE = 64 * 1024 * 1024
"""Bytes: with fewer left on it a disk is as good as full."""
WITHIN = 10.0
"""Seconds in which a board's log must answer."""


class Finding(Struct, frozen=True):
    """One thing that was looked at."""

    check: str
    ok: bool
    said: str


async def doctor(*databases: Path, who: Who = OPERATOR) -> int:
    """Check the server, the data folder, the boards' databases and their logs, and list what boards have set aside.

    The exit code is 1 if something is wrong.

    Parameters
    ----------
    databases
        Databases to look into besides those of the data folder, which are looked into anyway.
    """
    found: list[Finding] = []
    async for finding in _findings(databases, who):
        found.append(finding)
        if not who.json:
            print(f"{'ok' if finding.ok else 'WRONG':<6} {finding.check}: {finding.said}", flush=True)
    if who.json:
        print_json(found)
    return 0 if all(finding.ok for finding in found) else 1


async def _findings(databases: tuple[Path, ...], who: Who) -> AsyncIterator[Finding]:
    yield _nats_server()
    yield _data_folder(who.data)
    running, record = served_from(who.data), recorded_in(who.data)
    if running:
        serves = f"process {running.pid} serves {', '.join(running.boards)} at {running.url}"
        yield Finding("server", ok=True, said=f"{serves}; {kept(running.retention)}")
    elif record and is_served(who.data):
        yield Finding("server", ok=False, said=f"none answers at {record.url}, where {', '.join(record.boards)} are served: {away(record)}")
    else:
        yield Finding("server", ok=True, said="none runs on this machine (pheroboard up starts one)")
    here = databases_in(who.data)
    for path in (*here, *(path for path in databases if str(path) not in {each.stem for each in here})):
        try:
            board = inspect(path, latest=LETTERS)
        except BlackboardError as error:
            yield Finding(path.stem, ok=False, said=str(error))
        else:
            yield _stands(path, board)
            for finding in _set_aside(path.stem, board):
                yield finding
        if record and path.parent == who.data and path.stem in record.stopped:
            yield Finding(path.stem, ok=False, said=f"it does not stand: {record.stopped[path.stem]}")
    if running:
        for finding in await _served(running, who):
            yield finding


def _nats_server() -> Finding:
    from bus.binary import find_server

    try:
        return Finding("nats-server", ok=True, said=str(find_server()))
    except BusError as error:
        return Finding("nats-server", ok=False, said=str(error))


def _data_folder(data: Path) -> Finding:
    if not data.exists():
        return Finding("data folder", ok=True, said=f"{data} is not there yet (pheroboard up makes it)")
    try:
        with TemporaryFile(dir=data) as file:
            file.write(bytes(ROOM))  # a full disk still takes a file with nothing in it
            file.flush()
            os.fsync(file.fileno())
        free = disk_usage(data).free
    except OSError as error:
        return Finding("data folder", ok=False, said=f"{data} cannot be written ({error}): correct that, or choose another with --data")
    if free < LITTLE:
        return Finding("data folder", ok=False, said=f"the disk of {data} has {free >> 20:,} MiB left: make room before boards must wait")
    return Finding("data folder", ok=True, said=f"{data} can be written, and its disk has {free >> 20:,} MiB left")


def _stands(path: Path, board: Inspection) -> Finding:
    try:
        path.open("r+b").close()
    except OSError as error:
        return Finding(path.stem, ok=False, said=f"{path} cannot be written ({error.strerror}): correct its permissions")
    return Finding(path.stem, ok=True, said=f"{path} stands at log entry {board.cursor}")


def _set_aside(name: str, board: Inspection) -> list[Finding]:
    """What agents sent and the board did not take is theirs to correct: it is listed, and nothing is wrong with the board."""
    if not board.dead:
        return []
    counts = ", ".join(f"{count} {code}" for code, count in board.dead.items())
    return [
        Finding(name, ok=True, said=f"set aside: {counts}; the latest:"),
        *(
            Finding(name, ok=True, said=f"entry {each.seq}, {moment(each.stamp)}, {each.agent}: {each.code}: {each.error}{_head(each)}")
            for each in board.latest
        ),
    ]


def _head(letter: DeadLetter) -> str:
    return f": {letter.head.decode(errors='replace')[:SHOWN]!r}" if letter.head else ""


async def _served(running: Serving, who: Who) -> list[Finding]:
    """Whether the boards' logs at the server go on from where their databases stand, and how their hosts are."""
    from bus.nats import NatsBus

    try:
        bus = await NatsBus.connect(running.url, credentials=find(keys_at(f"{running.url}/", who), names.HOST))
    except BusError as error:
        return [Finding("server", ok=False, said=str(error))]
    try:
        return [
            each
            for board in sorted(running.boards)
            if (path := who.data / f"{board}.db").exists()
            for each in (await _log(bus, board, path), await _hosts(bus, board))
        ]
    finally:
        await bus.aclose()


async def _log(bus: Bus, name: str, path: Path) -> Finding:
    stood = -1
    try:
        while True:
            board = inspect(path)
            try:
                with anyio.fail_after(WITHIN):
                    log = await bus.open_log(name, after=board.cursor, identity=board.log)
                await log.aclose()
            except LogMismatch:
                if board.cursor == stood:
                    raise
                stood = board.cursor  # it may have gone on meanwhile, and its log may have been cut behind it
            else:
                return Finding(name, ok=True, said="its log goes on from there")
    except (BlackboardError, BusError) as error:
        return Finding(name, ok=False, said=str(error))
    except TimeoutError:
        return Finding(name, ok=False, said=f"its log has not answered within {WITHIN:g} s: see to the NATS server")


async def _hosts(bus: Bus, name: str) -> Finding:
    try:
        reply = await Line.of_host(bus, name).ask(Hosts(), patience=0.0)
    except (BlackboardError, BusError) as error:
        return Finding(name, ok=False, said=f"no host answers for it: {error}")
    assert isinstance(reply, HostList)
    troubles = [f"{host.host} is in trouble {host.trouble}" for host in reply.hosts if host.trouble]
    return Finding(name, ok=not troubles, said="; ".join(troubles) or f"it is led by {reply.hosts[0].host}")
