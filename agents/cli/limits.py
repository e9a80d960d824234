"""``limits``: how fast an agent may speak, and changing it."""

from typing import Annotated

from cyclopts import Parameter

from agents.cli.output import print_json
from agents.cli.places import OPERATOR, BoardName, Who, keys_at, locate, opened
from agents.errors import CommandError

NONE = "none"


async def limits(
    board: BoardName, /, *, rate: Annotated[str | None, Parameter()] = None, burst: float | None = None, who: Who = OPERATOR
) -> None:
    """How fast one agent may speak to a board that is served, in observations; what is said faster is refused.

    Parameters
    ----------
    rate
        Change it to so many a second; *none*: as many as an agent likes. For the operator, on the machine that holds the board's data.
    burst
        Change to so many how much more may be said at once. For the operator, like --rate.
    """
    if (rate is not None or burst is not None) and (who.nats or "://" in board):
        raise CommandError(f"limits are changed on the machine that holds the data of {board}: give its name or path there, without --nats")
    async with opened(board, who) as at:
        stands = await at.limits()
    if rate is not None or burst is not None:
        from blackboard.opening import set_limits

        address = locate(board, who)
        wanted = (stands.rate if rate is None else _rate(rate), stands.burst if burst is None else burst)
        await set_limits(address, *wanted, credentials=keys_at(address, who))
        async with opened(board, who) as at:
            stands = await at.limits()
    if who.json:
        print_json({"rate": stands.rate, "burst": stands.burst})
    elif stands.rate is None:
        print("an agent may say as many observations as it likes")
    else:
        print(f"an agent may say {stands.rate:,.6g} observations a second, and {stands.burst:,.6g} more at once")


def _rate(said: str) -> float | None:
    try:
        return None if said == NONE else float(said)
    except ValueError:
        raise CommandError(f"--rate {said!r}: give a number of observations a second, or {NONE}") from None
