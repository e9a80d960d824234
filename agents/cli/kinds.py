"""``kinds``: a board's kinds, and changing them."""

from pathlib import Path
from typing import Annotated

from cyclopts import Parameter

from agents.cli.output import print_json, print_table
from agents.cli.places import OPERATOR, BoardName, Who, keys_at, locate, opened
from agents.errors import CommandError
from blackboard.decay import rate_to_half_life


async def kinds(board: BoardName, /, *, file: Annotated[Path | None, Parameter(name="--set")] = None, who: Who = OPERATOR) -> None:
    """A board's kinds, with what becomes of their items by time and by use.

    Parameters
    ----------
    file
        Change them to those of this file (TOML, tables [kinds.NAME]), beside the defaults or in their place: for the operator, on the
        machine that holds the board's data.
    """
    if file is not None:
        from blackboard.opening import set_kinds

        if who.nats or "://" in board:
            raise CommandError(
                f"kinds are changed on the machine that holds the data of {board}: give its name or path there, without --nats"
            )
        address = locate(board, who)
        await set_kinds(address, file, credentials=keys_at(address, who))
    async with opened(board, who) as at:
        found = await at.kinds()
    if who.json:
        print_json(found)
        return
    head = ("initial", "half_life", "threshold", "then", "protect", "confirm", "use")
    for of in found.values():
        of["half_life"] = rate_to_half_life(float(of["rate"]))
    print_table(("kind", *head), ((name, *(_plain(of[setting]) for setting in head)) for name, of in found.items()), empty="")


def _plain(setting: float | str) -> str:
    return setting if isinstance(setting, str) else f"{setting:.6g}"
