"""Where a board is: what BOARD on the command line may be, and which server of this machine serves it.

BOARD is one of
    an address                      nats://127.0.0.1:4222/procurement
    a path to a database            ./procurement.db, boards/procurement
    a name                          procurement: on the server that --nats names, or else on the one that ``pheroboard up`` runs on this
                                    machine, or else in ./procurement.db
"""

import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import msgspec
from cyclopts import Parameter
from msgspec import Struct

from agents.errors import CommandError
from blackboard.client import Board
from blackboard.opening import open as open_board
from blackboard.retention import Retention
from bus.credentials import VARIABLE
from bus.errors import NotServed
from bus.lock import Held, hold
from bus.names import valid_name


def home() -> Path:
    """Where the data folder is, unless it is named: the user's home, or here, for a user that the system does not know."""
    try:
        return Path.home()
    except RuntimeError:
        return Path()


DATA = home() / ".pheroboard"

BoardName = Annotated[str, Parameter(help="A name, an address (nats://HOST:PORT/BOARD) or the path of a database.")]
ItemId = Annotated[str, Parameter(help="The item's id.")]


@Parameter(name="*")
@dataclass(frozen=True)
class Where:
    """The options that say on which server, and from which folder."""

    nats: Annotated[str | None, Parameter(env_var="PHEROBOARD_NATS")] = None
    """A running NATS server, as in nats://127.0.0.1:4222; of a cluster several, with commas between them."""
    data: Annotated[Path, Parameter(env_var="PHEROBOARD_DATA")] = DATA
    """The folder in which `pheroboard up` keeps its boards."""
    credentials: Annotated[Path | None, Parameter(env_var=VARIABLE)] = None
    """A key file, or a folder of key files (NAME.nk). Not needed for what is served from the data folder, which has the keys."""


@Parameter(name="*")
@dataclass(frozen=True)
class Who(Where):
    """The options of commands that look at a board as somebody."""

    agent: Annotated[str, Parameter(name="--as")] = "operator"
    """Look, and speak, as this agent. The operator sees what is shared."""
    json: bool = False
    """Print JSON, for programs."""


HERE = Where()
OPERATOR = Who()


class Serving(Struct, frozen=True):
    """What a ``pheroboard up`` serves: kept in its data folder while it runs, so that other commands find it."""

    pid: int
    url: str
    boards: tuple[str, ...]
    retention: Retention = Retention()
    identities: str = ""
    """The state of the folder's identities that is in force; empty where its server is not ours, and told by somebody else."""
    stopped: dict[str, str] = {}
    """Those of the boards that do not stand, and why."""

    def write(self, data: Path) -> None:
        """Put it where ``served_from`` looks. A reader never sees half of it."""
        fresh = data / f".serving.{self.pid}"
        fresh.write_bytes(msgspec.json.encode(self))
        fresh.replace(_record(data))

    def erase(self, data: Path) -> None:
        """Take the record back."""
        _record(data).unlink(missing_ok=True)


def served_from(data: Path) -> Serving | None:
    """What is being served from ``data`` on this machine right now."""
    found = recorded_in(data)
    return found if found and _reachable(found.url) else None


def recorded_in(data: Path) -> Serving | None:
    """What is being served from ``data``, or was when its process was killed; the server may be away."""
    try:
        return msgspec.json.decode(_record(data).read_bytes(), type=Serving)
    except (FileNotFoundError, NotADirectoryError, msgspec.DecodeError):
        return None


def is_served(data: Path) -> bool:
    """Does a ``pheroboard up`` run on a folder, whether its server answers or not?"""
    try:
        hold(data / "serving.lock").close()
    except Held:
        return True
    except OSError:
        return False
    return False


def away(record: Serving) -> str:
    """What is to be done where the server is away and ``pheroboard up`` is not."""
    return f"process {record.pid} goes on once it does, and starts it again if it is its own; its output says more"


@contextmanager
def sole_server_of(data: Path) -> Iterator[None]:
    """Be the one ``pheroboard up`` of a folder while the context is open. A record may outlive a process that was killed; this does not."""
    try:
        data.mkdir(mode=0o700, parents=True, exist_ok=True)  # everybody's private items are in there
        held = hold(data / "serving.lock")
    except Held as error:
        raise CommandError(f"{data} is served already, by process {error.holder}: end that, or choose another --data") from error
    except OSError as error:
        raise CommandError(f"{data} cannot be written ({error.strerror}): choose another folder with --data") from error
    with held:
        yield


def databases_in(data: Path) -> list[Path]:
    """The boards that are kept in a folder, in the order of their names; what stands beside one has a name with a point in it."""
    return sorted(path for path in data.glob("*.db") if "." not in path.stem)


def locate(board: str, where: Where) -> str:
    """The address or the path of BOARD, as ``blackboard.open`` takes it."""
    if "://" in board:
        return board
    if board.endswith(".db") or Path(board).name != board:
        path = Path(board if board.endswith(".db") else f"{board}.db")
        if path.exists():
            return str(path)
        raise CommandError(f"there is no database {path}: name one that exists, or a board that is served (pheroboard up BOARD)")
    valid_name(board, "board")
    if where.nats:
        return address_at(where.nats, board)
    found = served_from(where.data)
    if found and board in found.boards:
        return f"{found.url}/{board}"
    path = Path(f"{board}.db")
    if path.exists():
        return str(path)
    record = recorded_in(where.data)
    if record and not found and board in record.boards and is_served(where.data):
        raise CommandError(f"board {board!r} is served at {record.url}, and no server answers there now: {away(record)}")
    why = f"the server on this machine serves {', '.join(found.boards)}" if found else "no server runs on this machine"
    at = "" if where.data == HERE.data else f" --data {where.data}"
    cure = f"Serve it: pheroboard up {board}{at}; or name its server: --nats"
    raise CommandError(f"no board {board!r}: {why}, and there is no ./{path}. {cure}")


def address_at(nats: str, board: str) -> str:
    """The address of a board on the server that --nats names."""
    return f"{server_at(nats)}/{board}"


def server_at(nats: str) -> str:
    """The address of the server that --nats names, which people write without nats:// too."""
    return (nats if "://" in nats else f"nats://{nats}").rstrip("/")


@asynccontextmanager
async def opened(board: str, who: Who) -> AsyncIterator[Board]:
    """BOARD, open for whom the command speaks."""
    address = locate(board, who)
    try:
        async with open_board(address, agent=who.agent, credentials=keys_at(address, who)) as at:
            yield at
    except NotServed as error:
        record = served_from(who.data)
        if record and board in record.stopped:
            raise CommandError(f"board {board!r} does not stand: {record.stopped[board]}") from error
        raise


def keys_at(address: str, where: Where) -> Path | None:
    """The key file, or the folder of key files, to speak with at an address. Those of the data folder are shown to its own server alone."""
    served = recorded_in(where.data)
    return where.credentials or (where.data / "keys" if served and address.startswith(f"{served.url}/") else None)


def _record(data: Path) -> Path:
    return data / "serving.json"


def _reachable(url: str) -> bool:
    # Asked of the port, not of the process: a process number may have gone to another since. One server of a cluster is enough.
    for each in url.split(","):
        parts = urlsplit(server_at(each))
        with suppress(OSError):
            socket.create_connection((parts.hostname or "127.0.0.1", parts.port or 4222), timeout=1.0).close()
            return True
    return False
