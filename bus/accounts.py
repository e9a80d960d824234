"""The accounts of a NATS server: who may speak as whom, in the server's own words.

Laws:

- One account an agent. It reaches its own subjects, on the boards that it was granted, and its inbox; nothing else can even be named there.
  (With permissions in one account an agent still wrote as another: by the reply subject of a message, where the server's acknowledgement
  went.) Grants are spelt out board by board; no wildcard stands for a board or for an agent.
- The streams, and all else that JetStream keeps, are in the account BOARDS, whose one user is the host. So nobody but the host's key speaks
  for a host, makes, reads, purges or deletes a stream, or takes a lease.
- As long as no agent was ever added the server is *open*: whoever comes without a key may speak as any agent, in an account of its own, and
  still not as the host. The first agent closes it for good. The streams stand in BOARDS all the time.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from bus import names

OPERATOR = "operator"
"""The agent as which the machine that holds the folder speaks, on every board."""
BOARDS = "BOARDS"
ANYONE = "ANYONE"
INBOXES = "_INBOX.>"
"""Of an account's own users: an inbox is heard in its account alone."""


class Agent(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """An agent that the server knows."""

    key: str
    """The public half."""
    boards: tuple[str, ...] | None = None
    """Those that it was granted; ``None``: every board of the folder."""


class Registry(Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """Who is known."""

    agents: dict[str, Agent] = {}
    closed: bool = False
    """Whether an agent was ever added."""


def configuration(registry: Registry, host: str, boards: Iterable[str], *, closed: bool | None = None) -> str:
    """The part of a server's configuration that says who may do what, for these boards and all others that were granted.

    ``host`` is the public half of the host's key. ``closed``: as the registry has it, unless said.
    """
    closed = registry.closed if closed is None else closed
    everywhere = sorted({*boards, *(board for agent in registry.agents.values() for board in agent.boards or ())})
    granted = {name: everywhere if agent.boards is None else sorted(set(agent.boards)) for name, agent in sorted(registry.agents.items())}
    exports = [export for name, among in granted.items() for board in among for export in _own_exports(board, name)]
    exports += [
        {"stream": names.events(board, names.SHARED), "accounts": [_account(name) for name, among in granted.items() if board in among]}
        for board in sorted({board for among in granted.values() for board in among})
    ]
    accounts: dict[str, Any] = {BOARDS: {"jetstream": "enabled", "users": [{"nkey": host}], "exports": exports}}
    for name, among in granted.items():
        accounts[_account(name)] = _agent_account(registry.agents[name].key, name, among)
    if closed:
        return f"accounts: {json.dumps(accounts, indent=2)}\n"
    exports += [{way: subject, "accounts": [ANYONE]} for way, subject in _OPEN]
    accounts[ANYONE] = _anyones_account()
    return f"no_auth_user: {ANYONE}\naccounts: {json.dumps(accounts, indent=2)}\n"


def _account(agent: str) -> str:
    return f"agent-{agent}"  # an agent may be called BOARDS, SYS or 1e9


def _own_exports(board: str, agent: str) -> list[dict[str, Any]]:
    accounts = [_account(agent)]
    return [
        {"service": names.observations(board, agent), "accounts": accounts},
        {"service": names.queries(board, agent), "accounts": accounts},
        {"stream": names.events(board, names.private(agent)), "accounts": accounts},
    ]


def _agent_account(key: str, agent: str, boards: Sequence[str]) -> dict[str, Any]:
    services = [subject for board in boards for subject in (names.observations(board, agent), names.queries(board, agent))]
    streams = [names.events(board, audience) for board in boards for audience in (names.SHARED, names.private(agent))]
    return {
        "users": [{"nkey": key, "permissions": _permissions(services, streams)}],
        "imports": [_import("service", subject) for subject in services] + [_import("stream", subject) for subject in streams],
    }


_OPEN = (
    ("service", names.observations("*")),
    ("service", names.queries("*")),
    ("stream", names.events("*", names.SHARED)),
    ("stream", names.events("*", names.private("*"))),
)


def _anyones_account() -> dict[str, Any]:
    services, streams = ([subject for way, subject in _OPEN if way == wanted] for wanted in ("service", "stream"))
    hosts = [names.observations("*", names.HOST), names.queries("*", names.HOST)]
    return {
        # A user that stands for those who show nothing must have a password; whoever gives it may do what all may.
        "users": [{"user": ANYONE, "password": ANYONE, "permissions": _permissions(services, streams, never=hosts)}],
        "imports": [_import(way, subject) for way, subject in _OPEN],
    }


def _permissions(services: Sequence[str], streams: Sequence[str], *, never: Sequence[str] = ()) -> Mapping[str, Any]:
    # Without a subject to allow, everything would be: an inbox is nothing that one publishes to, and harmless.
    publish = {"allow": list(services) or [INBOXES]} | ({"deny": list(never)} if never else {})
    return {"publish": publish, "subscribe": {"allow": [*streams, INBOXES]}}


def _import(way: str, subject: str) -> dict[str, Any]:
    return {way: {"account": BOARDS, "subject": subject}}
