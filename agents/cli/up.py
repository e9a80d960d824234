"""``up``: serve boards until interrupted."""

import logging
import os
from pathlib import Path
from typing import Annotated

import anyio
from cyclopts import Parameter

from agents.cli.errors import CommandError
from agents.cli.places import HERE, Serving, Where, databases_in, sole_server_of
from agents.cli.retention import DEFAULTS, Keep
from bus.messages import Time
from bus.names import valid_name


async def up(
    *boards: Annotated[str, Parameter(help="The boards' names; made if they are new. Without a name, those that the data folder holds.")],
    port: int = -1,
    time: Time | None = None,
    kinds: Path | None = None,
    keep: Keep = DEFAULTS,
    where: Where = HERE,
) -> None:
    """Serve boards until interrupted, on a NATS server that is started on loopback, or on the one that --nats names.

    Parameters
    ----------
    port
        The port of the server that is started; -1 takes a free one, another each time. Agents that are to find it again after a restart
        need one that stays.
    time
        What new boards run on: rounds, or wall-clock time.
    kinds
        A file with the kinds of new boards (TOML, tables [kinds.NAME]).
    """
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    for board in boards:
        valid_name(board, "board")
    names = tuple(dict.fromkeys(boards)) or tuple(path.stem for path in databases_in(where.data))
    if not names:
        raise CommandError(f"there is no board in {where.data} yet: name one, as in `pheroboard up procurement`")
    retention = keep.retention()
    settings = {name: value for name, value in {"time": time, "kinds": kinds}.items() if value is not None}
    from agents.cli.hosting import hosting

    with sole_server_of(where.data):
        async with hosting(names, where.data, nats=where.nats, port=port, retention=retention, settings=settings, alone=True) as url:
            record = Serving(os.getpid(), url, names, retention)
            record.write(where.data)
            try:
                print(f"serving {', '.join(names)} at {url} from {where.data} (Ctrl-C ends it)", flush=True)
                await anyio.sleep_forever()
            finally:
                record.erase(where.data)
