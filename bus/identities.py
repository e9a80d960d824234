"""The identities of a data folder: ``agents.json`` says who is known, ``keys/`` has their key files.

Laws:

- One change at a time, whoever makes it: the folder's lock is held from reading to writing. A reader sees the one before or the one after.
- What a change has written is in force once the server was told of it; ``stamp`` says which change a folder has come to.
"""

import hashlib
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec
from msgspec import structs

from bus import names
from bus.accounts import OPERATOR, Agent, Registry
from bus.credentials import CERTIFICATE, KEY, make, public
from bus.errors import BadCredentials, FolderInUse, UnknownAgent
from bus.lock import Held, take

PATIENCE = 10.0
"""Seconds that a change waits for another one to be done."""


class Identities:
    """Those of the folder ``data``."""

    def __init__(self, data: Path) -> None:
        self.keys = data / "keys"
        self._data = data
        self._file = data / "agents.json"

    def registry(self) -> Registry:
        """Who is known. Raises ``BadCredentials`` for a file that cannot be read."""
        data = self._read()
        try:
            return Registry() if data is None else msgspec.json.decode(data, type=Registry)
        except msgspec.DecodeError as error:
            raise self._unreadable(error) from error

    def _read(self) -> bytes | None:
        """What the file holds; ``None`` where there is none."""
        try:
            return self._file.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._unreadable(error) from error

    def _unreadable(self, error: Exception) -> BadCredentials:
        return BadCredentials(f"{self._file} cannot be read ({error}): correct it, or restore it from a copy")

    def known(self, name: str) -> Agent:
        """An agent that was added. Raises ``UnknownAgent``."""
        return _known(self.registry(), name)

    def key(self, agent: str) -> Path:
        """Where an agent's key file is, or would be."""
        return self.keys / f"{agent}{KEY}"

    @property
    def host(self) -> str:
        """The public half of the host's key."""
        return public(self.key(names.HOST))

    def stamp(self) -> str:
        """Tells one state of the registry from another. Raises ``BadCredentials`` for a file that cannot be read."""
        return hashlib.sha256(self._read() or b"").hexdigest()

    def trust(self, certificate: Path | None) -> None:
        """Lay the certificate of the folder's server beside the keys, so that whoever has one of those trusts it; ``None``: it has none."""
        beside = self.keys / CERTIFICATE
        if certificate is None:
            beside.unlink(missing_ok=True)
        else:
            beside.write_bytes(certificate.read_bytes())

    async def prepare(self) -> None:
        """Make the host's and the operator's keys, where there are none."""
        async with self._changing() as registry:
            if not self.key(names.HOST).exists():
                make(self.key(names.HOST))
            if OPERATOR not in registry.agents:
                self._write(_with(registry, OPERATOR, Agent(self._made(OPERATOR))))

    async def add(self, name: str, boards: Sequence[str] = ()) -> Agent:
        """Let an agent speak on ``boards``, besides those that it was granted before; none: on every board of the folder."""
        names.valid_name(name)
        for board in boards:
            names.valid_name(board, "board")
        async with self._changing() as registry:
            before = registry.agents.get(name)
            every = not boards or (before is not None and before.boards is None)
            had = before.boards or () if before else ()
            agent = Agent(
                before.key if before else self._made(name),
                None if every else tuple(sorted({*had, *boards})),
            )
            self._write(structs.replace(_with(registry, name, agent), closed=registry.closed or name != OPERATOR))
            return agent

    async def rotate(self, name: str) -> Agent:
        """Draw an agent a new key, in the place of the one that it had. Raises ``UnknownAgent``."""
        async with self._changing() as registry:
            agent = _known(registry, name)
            fresh = self.key(name).with_suffix(".new")
            fresh.unlink(missing_ok=True)  # of a rotation that was cut off
            agent = structs.replace(agent, key=make(fresh))
            self._write(_with(registry, name, agent))
            fresh.replace(self.key(name))
            return agent

    async def remove(self, name: str) -> None:
        """Let an agent speak no more. Raises ``UnknownAgent``."""
        async with self._changing() as registry:
            _known(registry, name)
            self.key(name).unlink(missing_ok=True)  # first: whoever bears that name later is another, also if this is cut off here
            self._write(structs.replace(registry, agents={other: of for other, of in registry.agents.items() if other != name}))

    def _made(self, name: str) -> str:
        """The public half of an agent's key, which is drawn if there is none: what is there is left by a change that was cut off."""
        return public(self.key(name)) if self.key(name).exists() else make(self.key(name))

    @asynccontextmanager
    async def _changing(self) -> AsyncIterator[Registry]:
        self._data.mkdir(mode=0o700, parents=True, exist_ok=True)
        self.keys.mkdir(mode=0o700, exist_ok=True)
        try:
            lock = await take(self._data / "agents.lock", PATIENCE)
        except Held as held:
            raise FolderInUse(
                f"process {held.holder} has been changing who is known in {self._data} for {PATIENCE:g} s: wait for it, or end it"
            ) from None
        with lock:
            yield self.registry()

    def _write(self, registry: Registry) -> None:
        fresh = self._file.with_suffix(".new")
        with fresh.open("wb") as file:
            file.write(msgspec.json.format(msgspec.json.encode(registry)))
            file.flush()
            os.fsync(file.fileno())
        fresh.replace(self._file)


def _with(registry: Registry, name: str, agent: Agent) -> Registry:
    return structs.replace(registry, agents={**registry.agents, name: agent})


def _known(registry: Registry, name: str) -> Agent:
    if name not in registry.agents:
        raise UnknownAgent(f"there is no agent {name!r} here: pheroboard agent list shows those that there are")
    return registry.agents[name]
