"""bus.lease: who leads a board, on a real server."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from bus import lease
from bus.jetstream import LEASES, lease_subject
from bus.nats import NatsBus
from bus.server import Server

from .conftest import Restartable

WITHIN = 20.0
BOARD = "procurement"


@pytest.fixture
async def other(server: Server) -> AsyncIterator[NatsBus]:
    connected = await NatsBus.connect(server.url)
    yield connected
    await connected.aclose()


async def taken(bus: NatsBus, host: str) -> float:
    """Claim until it is granted; how long that took, in seconds."""
    begun = asyncio.get_running_loop().time()
    async with asyncio.timeout(WITHIN):
        while (await bus.claim(BOARD, host)).leader != host:  # noqa: ASYNC110 - that a lease runs out tells nobody
            await asyncio.sleep(0.02)
    return asyncio.get_running_loop().time() - begun


async def test_is_taken_once_it_has_run_out(bus: NatsBus, other: NatsBus, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who does not claim again is followed once the lease has run out, not before, and is told so when it comes back."""
    monkeypatch.setattr(lease, "LEASE", 0.4)
    await bus.claim(BOARD, "one")
    assert await taken(other, "two") >= 0.4
    assert (await bus.claim(BOARD, "one")).leader == "two"


async def test_is_kept_by_claiming(bus: NatsBus, other: NatsBus, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who claims again in time leads on, however long another waits."""
    monkeypatch.setattr(lease, "LEASE", 0.4)
    end = asyncio.get_running_loop().time() + 1.2
    while asyncio.get_running_loop().time() < end:
        assert (await bus.claim(BOARD, "one")).leader == "one"
        assert (await other.claim(BOARD, "two")).leader == "one"
        await asyncio.sleep(0.05)


async def test_who_comes_back_leads_at_once(bus: NatsBus, other: NatsBus) -> None:
    """A host that was killed and comes back under its name does not wait for its own lease to run out."""
    await bus.claim(BOARD, "one")
    assert (await other.claim(BOARD, "one")).leader == "one"
    assert (await bus.claim(BOARD, "two")).leader == "one"


async def test_of_two_that_claim_at_once_one_has_it(bus: NatsBus, other: NatsBus, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who has seen that nobody leads, and comes second, does not."""
    look, seen = other._leases._look, [(0, "")]

    async def looking(board: str) -> tuple[int, str]:
        return seen.pop() if seen else await look(board)

    monkeypatch.setattr(other._leases, "_look", looking)
    await bus.claim(BOARD, "one")
    assert (await other.claim(BOARD, "two")).leader == "one"
    assert not seen


async def test_a_claim_whose_acknowledgement_was_lost(bus: NatsBus, monkeypatch: pytest.MonkeyPatch) -> None:
    """A key that moved under a claim is looked at again: what moved it may have been oneself."""
    leases = bus._leases
    look = leases._look
    stale = [(0, "")]

    async def looking(board: str) -> tuple[int, str]:
        return stale.pop() if stale else await look(board)

    await bus.claim(BOARD, "one")
    monkeypatch.setattr(leases, "_look", looking)
    assert (await bus.claim(BOARD, "one")).leader == "one"


async def test_a_server_that_comes_back(restartable: Restartable) -> None:
    """Leases outlive their server: who led before it was killed leads on."""
    bus = await NatsBus.connect(restartable.url)
    await bus.claim(BOARD, "one")
    restartable.kill()
    await restartable.start()
    async with asyncio.timeout(WITHIN):
        assert (await bus.claim(BOARD, "two")).leader == "one"
        assert (await bus.claim(BOARD, "one")).leader == "one"
    await bus.aclose()


async def test_is_a_key_of_a_bucket(bus: NatsBus) -> None:
    """The leader's name is what the key-value store of JetStream has under the board's."""
    await bus.claim(BOARD, "one")
    found = await bus._connection.last(LEASES, lease_subject(BOARD))
    assert found is not None
    assert (LEASES, found.data) == ("KV_pheroboard-leases", b"one")
