"""Attacks on a server that nobody closed: whoever reaches it may speak as any agent, and still not as the host."""

import pytest

from bus import names
from bus.errors import NotPermitted
from bus.nats import NatsBus
from tests.security.town import SHOP, Town


async def test_all_may_speak_as_anyone(opened: Town) -> None:
    """The first steps need no key: whoever comes says and hears what they like, under any name."""
    async with opened.board("finance") as finance, opened.board("schedule") as schedule:
        await finance.deposit("Anyone's", scope="shared")
        await finance.wait_applied()
        assert [item.content for item in await schedule.top(5)] == ["Anyone's"]


async def test_as_the_host(opened: Town) -> None:
    """Speaking and asking in the host's name raises at the call; nothing is stored."""
    bus = await opened.bus(None)
    for board in (SHOP, "lab", "elsewhere"):
        with pytest.raises(NotPermitted):
            await bus.publish(board, names.HOST, b"forged")
        with pytest.raises(NotPermitted):
            await bus.ask(board, names.HOST, b"?")
    assert await opened.log() == []


REPLIES = ["pb.obs.shop._board", "pb.evt.shop.shared", "$JS.API.STREAM.PURGE.PB_OBS_shop", "pb.host.shop", "$KV.pheroboard-leases.shop"]


@pytest.mark.parametrize("way", ["pb.obs.shop.finance", "pb.ask.shop.finance"])
async def test_through_the_reply(opened: Town, way: str) -> None:
    """An answer that is sent to the host's subjects is stored and told nowhere as the host's."""
    attacker, victim = await opened.attacker(None), await opened.attacker(None)
    _, heard = await victim.listen("pb.evt.shop.shared")
    for reply in REPLIES:
        await attacker.publish(way, b"forged", reply=reply)
    async with opened.board("schedule") as board:
        await board.deposit("What follows")
        await board.wait_applied()
    await victim.settle()
    assert names.HOST not in {who for who, _ in await opened.log()}
    assert not [msg for msg in heard if b"forged" in msg.data]


HOSTS = [
    "$JS.API.STREAM.PURGE.PB_OBS_shop", "$JS.API.STREAM.DELETE.PB_OBS_shop", "$JS.API.CONSUMER.CREATE.PB_OBS_shop", "$JS.API.INFO",
    "pb.evt.shop.shared", "pb.evt.shop.private.finance", "pb.host.shop", "$KV.pheroboard-leases.shop", "$O.pheroboard-shop.C.1",
    "$SYS.REQ.SERVER.PING", "pb.obs.shop.finance.more", "_INBOX.x",
]  # fmt: skip


async def test_what_is_the_hosts(opened: Town) -> None:
    """Steering streams, telling events, beating, taking leases: refused, with and without the password that stands for none."""
    for user in ("", "ANYONE:ANYONE@"):
        opened.server.url = opened.server.url.replace("nats://", f"nats://{user}")
        attacker = await opened.attacker(None)
        assert not [subject for subject in HOSTS if "permissions violation for publish" not in await attacker.request(subject)]
    assert await opened.log() == []


async def test_what_nobody_hears(opened: Town) -> None:
    """The log, the questions, beats, leases, snapshots and the system are not for listeners."""
    attacker = await opened.attacker(None)
    for subject in (">", "pb.>", "pb.obs.>", "pb.ask.>", "pb.host.>", "$SYS.>", "$JS.>", "$KV.>", "$O.>", "_R_.>"):
        complaint, _ = await attacker.listen(subject)
        assert "permissions violation for subscription" in complaint


async def test_closing(opened: Town) -> None:
    """The first agent that is added closes it: who came without a key is out, and what was said stays."""
    anyone = await opened.bus(None)
    await anyone.publish(SHOP, "finance", b"said in the open")
    await opened.identities.add("finance", [SHOP])
    await opened.tell()
    with pytest.raises(NotPermitted, match="does not know anyone who shows no key any more"):
        await anyone.publish(SHOP, "finance", b"forged")
    await (await opened.bus("finance")).publish(SHOP, "finance", b"said with a key")
    assert [data for _, data in await opened.log()] == [b"said in the open", b"said with a key"]
    await opened.identities.remove("finance")
    await opened.tell()
    with pytest.raises(NotPermitted):
        await NatsBus.connect(opened.server.url)
