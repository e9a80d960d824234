"""``erase``, ``replay``, ``backup``, ``restore``: what is done where a board's files are."""

import math
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from agents.cli.output import moment, number, owners, print_items, print_json, print_table
from agents.cli.places import HERE, OPERATOR, BoardName, ItemId, Where, Who, served_from, server_at
from agents.errors import CommandError
from blackboard.errors import refused
from blackboard.replaying import At, verify
from blackboard.replaying import replay as replayed
from blackboard.sqlite import back_up, inspect
from blackboard.sqlite import restore as restored
from blackboard.wire import from_wire
from bus import names
from bus.credentials import find
from bus.messages import (
    Applied,
    ConstraintList,
    Constraints,
    Erase,
    Items,
    Post,
    Top,
    encode,
)
from bus.port import Bus


async def erase(board: BoardName, item: ItemId, /, *, where: Where = HERE) -> None:
    """Remove an item for good, whoever owns it, and return once no byte of it is left in the board's files.

    It is done where the files are. Backups keep what they have.
    """
    from blackboard.line import Line

    path = kept(board, where)
    epoch = secrets.token_hex(8)
    async with _bus_of(path, where) as bus:
        line = Line.of_host(bus, path.stem)
        await line.publish(encode(Post(epoch, 1, ((Erase(item),),))))
        reply = await line.ask(Applied(gone=True), (epoch, 1), patience=math.inf)
    for refusal in getattr(reply, "refusals", ()):
        if refusal.epoch == epoch:
            raise refused(refusal.code, refusal.message)
    print(f"erased from {path.stem}")


async def replay(
    board: BoardName,
    /,
    *,
    at: Annotated[str | None, Parameter(help="A round (12), a time (2026-01-31T12:00), or an entry (seq:3400); now, if not given.")] = None,
    from_origin: bool = False,
    limit: int = 20,
    who: Who = OPERATOR,
) -> int:
    """Show a board as it stood, from its journal. The board is not touched, and may be in use.

    Parameters
    ----------
    from_origin
        Apply the whole journal anew and compare with what is kept: is the one the other, to the bit? If not, the exit code is 1.
    limit
        How many of the strongest items.
    """
    path = kept(board, who)
    if from_origin:
        verified = verify(path)
        if who.json:
            print_json(verified)
        else:
            said = "differs from" if verified.differ else "equals"
            print(
                f"{path.stem}: applying {verified.entries} entries behind entry {verified.begins} {said} the checkpoint of entry "
                f"{verified.checkpoint}" + (f", in {', '.join(verified.differ)}" if verified.differ else "")
            )
        return 1 if verified.differ else 0
    with replayed(path, At() if at is None else _at(at)) as past:
        top = past.board.answer(who.agent, Top(limit), at=past.at)
        constraints = past.board.answer(who.agent, Constraints(), at=past.at)
    assert isinstance(top, Items)
    assert isinstance(constraints, ConstraintList)
    if who.json:
        print_json({"now": past.board.now, "seq": past.board.seq, "items": top.items, "constraints": constraints.constraints})
        return 0
    now = max(past.board.now, past.at or 0.0) if past.board.config.time == "wall" else past.board.now
    print(f"{path.stem} at {moment(now, past.board.config.time)}, after entry {past.board.seq}")
    print_items([from_wire(item) for item in top.items], json=False)
    print_table(
        ("status", "rule", "strength", "by", "id"),
        ((view.status, view.rule, number(view.item.strength), owners(view.item), view.item.id) for view in constraints.constraints),
        empty="No constraint is in view.",
    )
    return 0


async def backup(board: BoardName, file: Path, /, *, where: Where = HERE) -> None:
    """Copy a board into one file, while it may be in use.

    Parameters
    ----------
    file
        The file to write. It must not be there yet.
    """
    path = kept(board, where)
    copied = back_up(path, file)
    print(f"{copied.board} as of entry {copied.cursor} is in {file}")


async def restore(file: Path, board: BoardName, /, *, new_log: bool = False, where: Where = HERE) -> None:
    """Make a board of a backup, which goes on where its log goes on: what came after the backup is read from there.

    Parameters
    ----------
    file
        What `pheroboard backup` wrote.
    new_log
        The server's log is gone for good: let the board begin a new one. What came after the backup is lost.
    """
    path = place(board, where)
    copied = restored(file, path, new_log=new_log)
    print(f"{copied.board} stands at entry {copied.cursor} in {path}")


def kept(board: str, where: Where) -> Path:
    """The database of BOARD on this machine."""
    path = place(board, where)
    if path.exists():
        return path
    raise CommandError(
        f"there is no database {path}: this is done on the machine that keeps the board, with its --data or the path of its file"
    )


def place(board: str, where: Where) -> Path:
    """Where the database of BOARD on this machine is, or would be."""
    if "://" in board:
        raise CommandError(f"{board} is an address: this is done where the files are; name the board, or the path of its file")
    if board.endswith(".db") or Path(board).name != board:
        return Path(board if board.endswith(".db") else f"{board}.db")
    names.valid_name(board, "board")
    here = Path(f"{board}.db")
    return here if here.exists() and not (where.data / here).exists() else where.data / here


@asynccontextmanager
async def _bus_of(path: Path, where: Where) -> AsyncIterator[Bus]:
    """The bus of a board that is served, or of one that is served for as long as the context lasts."""
    from bus.nats import NatsBus
    from bus.port import EMBEDDED

    keys = where.credentials or path.parent / "keys"
    running = served_from(path.parent)
    if running and path.stem in running.boards:
        bus = await NatsBus.connect(running.url, credentials=find(keys, names.HOST))
        try:
            yield bus
        finally:
            await bus.aclose()
    elif inspect(path).log in {EMBEDDED, None}:
        from blackboard.clock import SystemClock
        from blackboard.opening import serving
        from bus.memory import MemoryBus

        memory = MemoryBus(SystemClock().now)
        async with serving(memory, path.stem, path.parent):
            yield memory
    else:
        from agents.cli.hosting import hosting

        nats = server_at(where.nats) if where.nats else None
        async with hosting((path.stem,), path.parent, nats=nats, credentials=where.credentials) as url:
            bus = await NatsBus.connect(url, credentials=find(keys, names.HOST))
            try:
                yield bus
            finally:
                await bus.aclose()


def _at(text: str) -> At:
    try:
        if text.startswith("seq:"):
            return At(seq=int(text.removeprefix("seq:")))
        if text.isdecimal():
            return At(round=int(text))
        return At(time=datetime.fromisoformat(text).astimezone().timestamp())
    except ValueError:
        raise CommandError(f"--at {text!r}: give a round (12), a time (2026-01-31T12:00), or an entry (seq:3400)") from None
