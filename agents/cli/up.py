"""``up``: serve boards until interrupted."""

import logging
import os
from contextlib import AbstractContextManager, nullcontext
from math import inf
from pathlib import Path
from typing import Annotated, Any

import anyio
from cyclopts import Parameter
from msgspec import structs

from agents.cli.places import HERE, Serving, Where, databases_in, sole_server_of
from agents.cli.retention import DEFAULTS, Keep
from agents.errors import CommandError
from bus.listening import LOOPBACK, Listening, Tls
from bus.messages import Time
from bus.names import valid_name

_logger = logging.getLogger(__name__)


async def up(
    *boards: Annotated[str, Parameter(help="The boards' names; made if they are new. Without a name, those that the data folder holds.")],
    listen: str = LOOPBACK.address,
    port: int = -1,
    tls_cert: Path | None = None,
    tls_key: Path | None = None,
    time: Time | None = None,
    kinds: Path | None = None,
    metrics: str | None = None,
    keep: Keep = DEFAULTS,
    where: Where = HERE,
) -> None:
    """Serve boards until interrupted, on a NATS server that is started on loopback, or on the one that --nats names.

    As long as no agent was added (pheroboard agent add), whoever reaches the server may speak as any agent.

    Parameters
    ----------
    listen
        The address on which the server that is started listens. One that is reached from elsewhere needs a certificate, and agents.
    tls_cert
        The server's certificate, with those of its authorities, in PEM.
    tls_key
        The certificate's private key, in PEM.
    port
        The port of the server that is started; -1 takes that of the last time, or a free one at first or where another has it by now.
    time
        What new boards run on: rounds, or wall-clock time.
    kinds
        A file with the kinds of new boards (TOML, tables [kinds.NAME]).
    metrics
        Serve metrics at HOST:PORT, as in 127.0.0.1:9464, for Prometheus to scrape (needs the extra otel).
    """
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s: %(message)s")
    for board in boards:
        valid_name(board, "board")
    names = tuple(dict.fromkeys(boards)) or tuple(path.stem for path in databases_in(where.data))
    if not names:
        raise CommandError(f"there is no board in {where.data} yet: name one, as in `pheroboard up procurement`")
    if (tls_cert is None) != (tls_key is None):
        raise CommandError("encrypting takes both, a certificate and its key: give --tls-cert and --tls-key")
    listening = Listening(listen, Tls(tls_cert, tls_key) if tls_cert and tls_key else None)
    if where.nats and listening != LOOPBACK:
        raise CommandError(f"the server at {where.nats} listens where it does: leave out --listen, --tls-cert and --tls-key, or --nats")
    retention = keep.retention()
    settings = {name: value for name, value in {"time": time, "kinds": kinds}.items() if value is not None}
    from agents.cli.hosting import hosting

    if metrics is not None:
        from agents.adapters.opentelemetry import metrics_served

        measured: AbstractContextManager[str] = metrics_served(metrics)
    else:
        measured = nullcontext("")

    tell, news = anyio.create_memory_object_stream[None](inf)
    record = Serving(os.getpid(), "", names, retention)

    def told(**changes: Any) -> None:
        nonlocal record
        record = structs.replace(record, **changes)
        tell.send_nowait(None)

    with sole_server_of(where.data), tell, news, measured as shown:
        async with hosting(
            names, where.data, nats=where.nats, credentials=where.credentials, port=port, listening=listening, retention=retention,
            settings=settings, alone=True, told=told,
        ) as url:  # fmt: skip
            told(url=url)
            try:
                record.write(where.data)
                standing = ", ".join(name for name in names if name not in record.stopped)
                print(f"serving {standing} at {url} from {where.data} (Ctrl-C ends it)", flush=True)
                if shown:
                    print(f"metrics at {shown}", flush=True)
                async for _ in news:
                    try:
                        record.write(where.data)
                    except OSError as error:  # a full disk, most likely: the boards go on
                        _logger.error("what is served cannot be noted in %s: %s", where.data, error)  # noqa: TRY400 - its sentence says all
            finally:
                record.erase(where.data)
