"""Attacks on who somebody is: without a key, with a wrong, former or stolen one, by a name that looks like another, by the key files."""

import asyncio
import base64
import json
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

import nkeys
import pytest

import blackboard
from agents.cli.places import Where
from agents.cli.up import up
from agents.errors import CommandError
from bus import names
from bus.credentials import make, public
from bus.errors import BadCredentials, BadName, NotPermitted, ServerError, Unreachable
from bus.identities import Identities
from bus.nats import NatsBus
from tests.security.town import SHOP, Town

LOOKALIKES = [
    "finance.x", "fin*", "*", ">", "finance ", " finance", "fin ance", "fіnance", "ﬁnance", "finance\n", "finance\r\nPUB", "",
    "_board", "a/b", "..", "a" * 65,
]  # fmt: skip
WORDS = ["BOARDS", "ANYONE", "SYS", "G", "agent-schedule", "1e9", "true", "operators", "include", "-"]


async def test_anonymous(closed: Town) -> None:
    """Without a key nobody is let in."""
    with pytest.raises(NotPermitted, match=r"does not know anyone who shows no key; name your key .* `pheroboard agent add` makes one"):
        await NatsBus.connect(closed.server.url)


async def test_by_password(closed: Town) -> None:
    """No name and no password opens anything, nor the one under which all were let in before."""
    for user in ("ANYONE:ANYONE", "finance:", "finance", "admin:admin", "agent-finance:x"):
        with pytest.raises(NotPermitted, match="does not know this user"):
            await NatsBus.connect(closed.server.url.replace("//", f"//{user}@"))


async def test_a_key_that_nobody_knows(closed: Town, tmp_path: Path) -> None:
    """A key that was drawn by somebody else, under whatever name, is refused; what it holds is not shown."""
    make(tmp_path / "finance.nk")
    with pytest.raises(NotPermitted, match=r"does not know the key in .*finance\.nk; check the credentials") as refusal:
        await NatsBus.connect(closed.server.url, credentials=tmp_path / "finance.nk")
    assert "SU" not in str(refusal.value)


async def _shaking_hands(url: str, hello: Mapping[str, object], signer: Path | None, nonce: str | None = None) -> str:
    """Speak to the server byte by byte: ``hello``, signed with somebody's key; its answer."""
    address = urlsplit(url)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    with closing(writer):
        info = json.loads((await reader.readline()).removeprefix(b"INFO "))
        shown = {"verbose": False, "pedantic": False, "protocol": 1, **hello}
        if signer:
            shown["sig"] = base64.urlsafe_b64encode(signature(signer, nonce or info["nonce"])).rstrip(b"=").decode()
        writer.write(b"CONNECT " + json.dumps(shown).encode() + b"\r\nPING\r\n")
        return (await reader.readline()).decode().strip()


def signature(signer: Path, nonce: str) -> bytes:
    key = nkeys.from_seed(bytearray(signer.read_bytes().strip()))
    return bytes(key.sign(nonce.encode()))


async def test_anothers_public_key(closed: Town) -> None:
    """Showing another's public key, unsigned, signed with one's own, or with a signature of another moment: refused."""
    url, finance, schedule = closed.server.url, closed.identities.key("finance"), closed.identities.key("schedule")
    his: dict[str, object] = {"nkey": public(schedule)}
    assert await _shaking_hands(url, his, schedule) == "PONG"  # as it should be done
    for hello, signer, nonce in (
        (his, None, None),
        (his | {"sig": ""}, None, None),
        (his, finance, None),
        (his, schedule, "an earlier nonce"),
    ):
        assert await _shaking_hands(url, hello, signer, nonce) == "-ERR 'Authorization Violation'"


async def test_another_account(closed: Town) -> None:
    """Asking for another account than one's own, or for a new one, when connecting: one is not let in."""
    finance = closed.identities.key("finance")
    for account in ("BOARDS", "agent-schedule", "$SYS", "$G", "MINE"):
        for more in ({}, {"new_account": True}):
            answer = await _shaking_hands(closed.server.url, {"nkey": public(finance), "account": account, **more}, finance)
            assert answer == "-ERR 'Authorization Violation'"


async def test_a_key_that_was_rotated(closed: Town, tmp_path: Path) -> None:
    """With the former key nobody speaks or hears any more, on connections that stand neither; others do not notice."""
    former = closed.identities.key("finance").read_bytes()
    bus, other = await closed.bus("finance"), await closed.bus("schedule")
    async with bus.listen(SHOP, names.SHARED) as feed, other.listen(SHOP, names.SHARED):
        await closed.identities.rotate("finance")
        await closed.tell()
        async with asyncio.timeout(10):
            with pytest.raises(NotPermitted, match=r"does not know the key in .* any more"):
                await anext(feed)
        with pytest.raises(NotPermitted, match="any more"):
            await bus.publish(SHOP, "finance", b"forged")
        assert other._connection.up.is_set()
    stolen = tmp_path / "stolen.nk"
    stolen.touch(0o600)
    stolen.write_bytes(former)
    with pytest.raises(NotPermitted):
        await NatsBus.connect(closed.server.url, credentials=stolen)
    assert await closed.log() == []
    await (await closed.bus("finance")).publish(SHOP, "finance", b"the new key's")


async def test_an_agent_that_was_removed(closed: Town) -> None:
    """It speaks no more, on connections that stand neither; whoever bears its name later has another key."""
    bus = await closed.bus("finance")
    former = public(closed.identities.key("finance"))
    await closed.identities.remove("finance")
    await closed.tell()
    with pytest.raises(NotPermitted, match="any more"):
        await bus.publish(SHOP, "finance", b"forged")
    assert (await closed.identities.add("finance", [SHOP])).key != former


async def test_names_that_look_like_others(closed: Town) -> None:
    """Dots, wildcards, spaces, line ends, letters of other alphabets and the host's name are no agent's: neither added nor spoken as."""
    for name in LOOKALIKES:
        with pytest.raises(BadName):
            await closed.identities.add(name)
        with pytest.raises(BadName):
            async with closed.board(name):
                pass


async def test_names_that_mean_something_to_the_server(closed: Town) -> None:
    """An agent that is called like an account or a word of the configuration is an agent like any other."""
    for name in WORDS:
        await closed.identities.add(name, [SHOP])
    await closed.tell()
    for name in WORDS:
        attacker = await closed.attacker(name)
        for subject in ("pb.obs.shop.schedule", "$JS.API.STREAM.PURGE.PB_OBS_shop", f"pb.obs.lab.{name}"):
            assert "permissions violation" in await attacker.request(subject)
        assert '"seq":' in await attacker.request(f"pb.obs.shop.{name}", b"mine")
    assert [who for who, _ in await closed.log()] == WORDS


async def test_key_files_are_closed(closed: Town) -> None:
    """Key files are their owner's alone; one that others may read is refused, with the cure, and so is one that holds no key."""
    key = closed.identities.key("finance")
    assert key.stat().st_mode & 0o777 == 0o600
    assert key.parent.stat().st_mode & 0o777 == 0o700
    seed = key.read_bytes()
    for mode in (0o640, 0o604, 0o666):
        key.chmod(mode)
        with pytest.raises(BadCredentials, match=rf"is open to others \(mode {mode:o}\): close it \(chmod 600 {key}\)"):
            await closed.bus("finance")
    key.chmod(0o600)
    for content in (b"", b"SUAnonsense", seed[:-5], b"UAAA", seed.replace(b"SU", b"SA")):
        key.write_bytes(content)
        with pytest.raises(BadCredentials, match="holds no seed") as refusal:
            await closed.bus("finance")
        assert not content or content.decode() not in str(refusal.value)


async def test_no_seed_is_anywhere_else(closed: Town, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Seeds are in their key files and in nothing else that lies in the folder; no log, no error and no object shows one."""
    caplog.set_level(0)
    bus = await closed.bus("finance")
    with pytest.raises(NotPermitted) as refusal:
        await bus.publish(SHOP, "schedule", b"forged")
    seeds = [file.read_bytes().strip() for file in closed.identities.keys.glob("*.nk")]
    assert len(seeds) == 4
    shown = [caplog.text.encode(), repr(refusal.value).encode(), repr(vars(bus._connection)).encode(), *_others(tmp_path)]
    assert not [seed for seed in seeds for text in shown if seed in text]


def _others(folder: Path) -> list[bytes]:
    return [file.read_bytes() for file in folder.rglob("*") if file.is_file() and file.suffix != ".nk"]


async def test_a_server_that_does_not_encrypt(closed: Town) -> None:
    """A server that does not encrypt where ``tls://`` was asked for (or somebody between, who hides that it does) hears nothing."""
    with pytest.raises(Unreachable, match="does not encrypt"):
        await NatsBus.connect(closed.server.url.replace("nats://", "tls://"), credentials=closed.identities.key("finance"))


@pytest.mark.parametrize("address", ["0.0.0.0", "::", "192.0.2.1"])
async def test_listening_for_all(tmp_path: Path, address: str) -> None:
    """A server that others reach does not start without a certificate, nor with one as long as all may speak as anyone."""
    certificate, where = tmp_path / "cert.pem", Where(data=tmp_path / "data")
    certificate.touch()
    with pytest.raises(CommandError, match=rf"{address} can be reached from elsewhere.* add the agents first \(pheroboard agent add NAME"):
        await up("shop", listen=address, tls_cert=certificate, tls_key=certificate, where=where)
    await Identities(where.data).add("finance")
    with pytest.raises(ServerError, match=rf"{address} can be reached from elsewhere, .*give a certificate and its key \(--tls-cert"):
        await up("shop", listen=address, where=where)


async def test_the_wrong_key_for_a_name(closed: Town) -> None:
    """Opening a board as another, with one's own key: the first thing that is asked is refused, and nothing is stored."""
    with pytest.raises(NotPermitted, match=r"pb\.\w+\.shop\.schedule|pb\.evt\.shop\.private\.schedule"):
        async with blackboard.open(f"{closed.server.url}/{SHOP}", agent="schedule", credentials=closed.identities.key("finance")) as board:
            await board.deposit("forged")
    assert await closed.log() == []
