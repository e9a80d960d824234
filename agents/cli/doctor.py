"""``doctor``: is everything in place, and what was set aside?"""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryFile

from msgspec import Struct

from agents.cli.output import print_json
from agents.cli.places import OPERATOR, Serving, Who, databases_in, keys_at, served_from
from agents.cli.retention import said as kept
from blackboard.errors import BlackboardError
from blackboard.sqlite import Inspection, inspect
from blackboard.store import DeadLetter
from bus import names
from bus.credentials import find
from bus.errors import BusError

LETTERS = 20
"""How many of the messages that a board has set aside are shown."""
SHOWN = 100
"""Characters of each."""


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
        Databases to look into besides those of the data folder.
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
    running = served_from(who.data)
    if running:
        serves = f"process {running.pid} serves {', '.join(running.boards)} at {running.url}"
        yield Finding("server", ok=True, said=f"{serves}; {kept(running.retention)}")
    else:
        yield Finding("server", ok=True, said="none runs on this machine (pheroboard up starts one)")
    for path in (*databases_in(who.data), *databases):
        try:
            board = inspect(path, latest=LETTERS)
        except BlackboardError as error:
            yield Finding(path.stem, ok=False, said=str(error))
            continue
        yield Finding(path.stem, ok=True, said=f"{path} stands at log entry {board.cursor}")
        for finding in _set_aside(path.stem, board):
            yield finding
        if running and path.parent == who.data and path.stem in running.boards:
            yield await _log(path.stem, board, running, keys_at(f"{running.url}/{path.stem}", who))


def _nats_server() -> Finding:
    from bus.server import find_server

    try:
        return Finding("nats-server", ok=True, said=str(find_server()))
    except BusError as error:
        return Finding("nats-server", ok=False, said=str(error))


def _data_folder(data: Path) -> Finding:
    if not data.exists():
        return Finding("data folder", ok=True, said=f"{data} is not there yet (pheroboard up makes it)")
    try:
        TemporaryFile(dir=data).close()
    except OSError as error:
        return Finding("data folder", ok=False, said=f"{data} cannot be written ({error}): correct that, or choose another with --data")
    return Finding("data folder", ok=True, said=f"{data} can be written")


def _set_aside(name: str, board: Inspection) -> list[Finding]:
    """What agents sent and the board did not take is theirs to correct: it is listed, and nothing is wrong with the board."""
    if not board.dead:
        return []
    counts = ", ".join(f"{count} {code}" for code, count in board.dead.items())
    return [
        Finding(name, ok=True, said=f"set aside: {counts}; the latest:"),
        *(
            Finding(name, ok=True, said=f"entry {each.seq}, {_when(each.stamp)}, {each.agent}: {each.code}: {each.error}{_head(each)}")
            for each in board.latest
        ),
    ]


def _head(letter: DeadLetter) -> str:
    return f": {letter.head.decode(errors='replace')[:SHOWN]!r}" if letter.head else ""


def _when(stamp: float) -> str:
    return datetime.fromtimestamp(stamp, UTC).isoformat(" ", "seconds")


async def _log(name: str, board: Inspection, running: Serving, keys: Path | None) -> Finding:
    """Whether the log at the server goes on from where the database stands."""
    from bus.nats import NatsBus

    try:
        bus = await NatsBus.connect(running.url, credentials=find(keys, names.HOST))
        try:
            log = await bus.open_log(name, after=board.cursor, identity=board.log)
            await log.aclose()
        finally:
            await bus.aclose()
    except BusError as error:
        return Finding(name, ok=False, said=str(error))
    return Finding(name, ok=True, said="its log goes on from there")
