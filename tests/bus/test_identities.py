"""The identities of a folder."""

import asyncio
import os
from pathlib import Path

import pytest

from bus import identities as module
from bus import names
from bus.accounts import OPERATOR, Agent, Registry
from bus.credentials import public
from bus.errors import BadCredentials, BadName, FolderInUse, UnknownAgent
from bus.identities import Identities
from bus.lock import hold


@pytest.fixture
def identities(tmp_path: Path) -> Identities:
    return Identities(tmp_path / "data")


async def test_preparing(identities: Identities) -> None:
    """The host and the operator have their keys, and keep them; the folder stays open."""
    assert identities.registry() == Registry()
    await identities.prepare()
    host, before = identities.host, identities.stamp()
    assert identities.registry() == Registry({OPERATOR: Agent(public(identities.key(OPERATOR)))})
    await identities.prepare()
    assert (identities.host, identities.stamp()) == (host, before)


async def test_adding(identities: Identities) -> None:
    """An agent has a key and its boards; added again it keeps the key and has more of them; every board is the most."""
    first = await identities.add("finance", ["shop"])
    assert first == Agent(public(identities.key("finance")), ("shop",))
    assert identities.registry() == Registry({"finance": first}, closed=True)
    assert await identities.add("finance", ["lab", "shop"]) == Agent(first.key, ("lab", "shop"))
    assert await identities.add("finance") == Agent(first.key, None)
    assert await identities.add("finance", ["kitchen"]) == Agent(first.key, None)
    for wrong in ("a.b", "_board", ""):
        with pytest.raises(BadName, match="agent name"):
            await identities.add(wrong)
        with pytest.raises(BadName, match="board name"):
            await identities.add("finance", [wrong])


async def test_many_at_once(identities: Identities) -> None:
    """Changes that are made at once, by whatever processes, are all made."""
    agents = [f"agent{number}" for number in range(20)]
    await asyncio.gather(*(Identities(identities.keys.parent).add(name) for name in agents))
    assert identities.registry().agents.keys() == set(agents)


async def test_rotating(identities: Identities) -> None:
    """The key is another, the boards are the same; also after a rotation that was cut off."""
    first = await identities.add("finance", ["shop"])
    identities.key("finance").with_suffix(".new").touch()
    second = await identities.rotate("finance")
    assert second == Agent(public(identities.key("finance")), ("shop",))
    assert second.key != first.key
    assert identities.registry().agents["finance"] == second
    with pytest.raises(UnknownAgent, match="there is no agent 'nobody' here: pheroboard agent list"):
        await identities.rotate("nobody")


async def test_removing(identities: Identities) -> None:
    """Its key is gone, the folder stays closed, and whoever bears its name later is another."""
    first = await identities.add("finance")
    await identities.remove("finance")
    assert not identities.key("finance").exists()
    assert identities.registry() == Registry(closed=True)
    await identities.add("operator")
    assert identities.registry().closed
    await identities.remove("operator")
    assert (await identities.add("finance")).key != first.key
    with pytest.raises(UnknownAgent):
        await identities.remove("nobody")


async def test_what_a_crash_has_left(identities: Identities) -> None:
    """A key that was drawn for an agent that was not added yet is that agent's."""
    agent = await identities.add("finance")
    (identities.keys.parent / "agents.json").unlink()
    assert (await identities.add("finance")).key == agent.key


async def test_a_removal_that_is_cut_off(identities: Identities, monkeypatch: pytest.MonkeyPatch) -> None:
    """It leaves no key that the next of that name would have."""
    agent = await identities.add("finance")

    def killed(registry: Registry) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as dying:
        dying.setattr(identities, "_write", killed)
        with pytest.raises(KeyboardInterrupt):
            await identities.remove("finance")
    assert identities.known("finance") == agent
    assert not identities.key("finance").exists()
    await identities.remove("finance")


async def test_a_change_that_takes_too_long(identities: Identities, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who cannot wait for it any longer is told whose it is."""
    monkeypatch.setattr(module, "PATIENCE", 0.1)
    await identities.prepare()
    with hold(identities.keys.parent / "agents.lock"), pytest.raises(FolderInUse, match=f"process {os.getpid()} has been changing"):
        await identities.add("finance")


async def test_the_stamp(identities: Identities) -> None:
    """It is another after each change."""
    stamps = [identities.stamp()]
    for change in (identities.prepare(), identities.add("finance", ["a"]), identities.add("finance", ["b"]), identities.rotate("finance")):
        await change
        stamps.append(identities.stamp())
    await identities.remove("finance")
    assert len({*stamps, identities.stamp()}) == len(stamps) + 1


async def test_a_registry_that_cannot_be_read(identities: Identities) -> None:
    """It is named, and nothing takes its place."""
    await identities.prepare()
    file = identities.keys.parent / "agents.json"
    for content in ("{", '{"agents": {"finance": {}}}', '{"agents": {}, "more": 1}'):
        file.write_text(content)
        with pytest.raises(BadCredentials, match=r"agents\.json cannot be read .*correct it, or restore it"):
            await identities.add("finance")
        assert file.read_text() == content


async def test_a_key_of_the_host_that_is_gone(identities: Identities) -> None:
    """Without it there is no configuration."""
    with pytest.raises(BadCredentials, match=rf"{names.HOST}\.nk cannot be read"):
        _ = identities.host


async def test_the_certificate(identities: Identities, tmp_path: Path) -> None:
    """That of the folder's server lies beside the keys for as long as it has one."""
    await identities.prepare()
    (tmp_path / "cert.pem").write_text("certificate")
    identities.trust(tmp_path / "cert.pem")
    assert (identities.keys / "server.pem").read_text() == "certificate"
    identities.trust(None)
    assert not (identities.keys / "server.pem").exists()
    identities.trust(None)
