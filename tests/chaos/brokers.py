"""The servers of a run: one, or a cluster on loopback."""

import json
import socket
from contextlib import ExitStack
from pathlib import Path

from bus.binary import find_server


def free_ports(count: int) -> list[int]:
    """Ports of loopback that nobody uses just now."""
    with ExitStack() as stack:
        taken = [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)]
        return [each.getsockname()[1] for each in taken]


def commands(folder: Path, ports: list[int], accounts: str) -> list[list[str]]:
    """The command of each server, with its configuration and store in ``folder``; several are a cluster. ``accounts``: who may do what."""
    binary = str(find_server())
    routes = free_ports(len(ports)) if len(ports) > 1 else []
    found = []
    for number, port in enumerate(ports):
        store = folder / f"node-{number}"
        store.mkdir(parents=True)
        # no_advertise: clients know the others by the addresses that they were given, which lead through proxies.
        cluster = "" if not routes else (
            f"cluster {{ name: chaos, listen: '127.0.0.1:{routes[number]}', no_advertise: true, pool_size: 1, "
            f"routes: [{', '.join(f'nats-route://127.0.0.1:{route}' for route in routes if route != routes[number])}] }}\n"
        )  # fmt: skip
        config = store / "server.conf"
        config.write_text(
            f"server_name: node-{number}\nlisten: '127.0.0.1:{port}'\nmax_payload: 1MB\n"
            f"jetstream {{ store_dir: {json.dumps(str(store))}, sync_interval: always }}\n{cluster}{accounts}"
        )
        found.append([binary, "--config", str(config)])
    return found
