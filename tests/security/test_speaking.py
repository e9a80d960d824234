"""Attacks of an agent that has a key, and wants to speak as another, to steer the server, or to change what others said."""

import asyncio

import pytest

from bus import names
from bus.errors import NotPermitted
from tests.security.town import LAB, SHOP, Town

FORGED = b"forged"
REFUSED = "permissions violation for publish"

STEERING = [
    f"$JS.API.{call}"
    for call in (
        "STREAM.PURGE.PB_OBS_shop", "STREAM.DELETE.PB_OBS_shop", "STREAM.UPDATE.PB_OBS_shop", "STREAM.CREATE.MINE", "STREAM.NAMES",
        "STREAM.INFO.PB_OBS_shop", "STREAM.MSG.GET.PB_OBS_shop", "STREAM.MSG.DELETE.PB_OBS_shop", "STREAM.LEADER.STEPDOWN.PB_OBS_shop",
        "DIRECT.GET.PB_EVT_shop.pb.evt.shop.private.schedule", "DIRECT.GET.PB_EVT_shop", "INFO", "META.LEADER.STEPDOWN",
        "STREAM.SNAPSHOT.PB_OBS_shop", "STREAM.RESTORE.PB_OBS_shop", "CONSUMER.LIST.PB_OBS_shop", "CONSUMER.CREATE.PB_OBS_shop.mine",
        "CONSUMER.DURABLE.CREATE.PB_OBS_shop.mine", "CONSUMER.MSG.NEXT.PB_OBS_shop.mine",
    )
]  # fmt: skip
STORES = [
    "$KV.pheroboard-leases.shop", "$O.pheroboard-shop.C.1", "$O.pheroboard-shop.M.1", "$JS.API.STREAM.INFO.KV_pheroboard-leases",
    "$JS.API.DIRECT.GET.KV_pheroboard-leases.$KV.pheroboard-leases.shop", "$JS.API.STREAM.MSG.GET.OBJ_pheroboard-shop",
    "$JS.API.STREAM.CREATE.KV_pheroboard-leases",
]  # fmt: skip
BEATS = ["pb.host.shop", "pb.host.lab", "pb.host.shop.finance"]
SYSTEM = ["$SYS.REQ.SERVER.PING", "$SYS.REQ.USER.INFO", "$SYS.REQ.SERVER.X.KICK", "$SYS.REQ.CLAIMS.UPDATE", "$SYS.REQ.ACCOUNT.PING.CONNZ"]
ANSWERING = ["_R_.x", "_INBOX.somebodys.1", "$JS.ACK.PB_OBS_shop.c.1.1.1.1.0", "$JS.FC.PB_OBS_shop.x"]
NEARLY = [
    "pb.obs.shop.finance.more",
    "pb.obs.shop.Finance",
    "pb.obs.shop",
    "pb.obs",
    "finance",
    "pb.obs.Shop.finance",
    "pb.OBS.shop.finance",
]

HEADERS = [
    {"Nats-Rollup": "all"}, {"Nats-Rollup": "sub"},
    {"Nats-Schedule": "@every 1s", "Nats-Schedule-Target": "pb.obs.shop.schedule"},
    {"Nats-Schedule": "@at 2020-01-01T00:00:00Z", "Nats-Schedule-Target": "pb.obs.shop.schedule", "Nats-Schedule-TTL": "1s"},
    {"Nats-TTL": "1s"}, {"Nats-Incr": "+5"}, {"Nats-Expected-Stream": "PB_EVT_shop"}, {"Nats-Expected-Last-Sequence": "77"},
    {"Nats-Expected-Last-Subject-Sequence": "77"}, {"Nats-Expected-Last-Msg-Id": "x"},
    {"Nats-Batch-Id": "b", "Nats-Batch-Sequence": "1"},
]  # fmt: skip


async def test_as_another(closed: Town) -> None:
    """Publishing and asking as another agent, or as the board's host, raises at the call; nothing is stored."""
    bus = await closed.bus("finance")
    for other in ("schedule", "operator", names.HOST, "nobody"):
        with pytest.raises(NotPermitted, match=rf"pb\.obs\.shop\.{other}"):
            await bus.publish(SHOP, other, FORGED)
        with pytest.raises(NotPermitted, match=rf"pb\.ask\.shop\.{other}"):
            await bus.ask(SHOP, other, b"?")
    assert await closed.log() == []


async def test_on_a_board_that_was_not_granted(closed: Town) -> None:
    """Publishing, asking and listening on a board that one was not let onto raises at the call."""
    bus = await closed.bus("finance")
    with pytest.raises(NotPermitted, match=r"pb\.obs\.lab\.finance"):
        await bus.publish(LAB, "finance", FORGED)
    with pytest.raises(NotPermitted, match=r"pb\.ask\.lab\.finance"):
        await bus.ask(LAB, "finance", b"?")
    for audience in (names.SHARED, names.private("finance")):
        with pytest.raises(NotPermitted, match=r"pb\.evt\.lab\."):
            async with bus.listen(LAB, audience):
                pass
    assert await closed.log(LAB) == []


REPLIES = [
    "pb.obs.shop.schedule", "pb.obs.shop._board", "pb.obs.lab.finance", "pb.evt.shop.shared", "pb.ask.shop.schedule",
    "$JS.API.STREAM.PURGE.PB_OBS_shop", "pb.host.shop", "$KV.pheroboard-leases.shop",
]  # fmt: skip


@pytest.mark.parametrize("way", ["pb.obs.shop.finance", "pb.ask.shop.finance"])
async def test_through_the_reply(closed: Town, way: str) -> None:
    """A message whose reply subject is another's: the server's or the host's answer is stored and told nowhere as that one's."""
    attacker, victim = await closed.attacker("finance"), await closed.attacker("schedule")
    _, heard = await victim.listen("pb.evt.shop.shared")
    for reply in REPLIES:
        await attacker.publish(way, FORGED, reply=reply)
    async with closed.board("finance") as board:
        await board.deposit("What follows", scope="shared")
        await board.wait_applied()
    await victim.settle()
    assert {who for who, _ in await closed.log()} == {"finance"}
    assert await closed.log(LAB) == []
    assert len(heard) == 1  # the deposit


async def test_through_ones_own_reply(closed: Town) -> None:
    """A message whose reply subject is one's own to publish on: it makes no loop, and only oneself is blamed."""
    attacker = await closed.attacker("finance")
    await attacker.publish("pb.obs.shop.finance", FORGED, reply="pb.obs.shop.finance")
    await attacker.publish("pb.ask.shop.finance", FORGED, reply="pb.ask.shop.finance")
    async with closed.board("schedule") as board:
        await board.deposit("What follows")
    log = await closed.log()
    assert [who for who, _ in log if who != "finance"] == ["schedule"]
    assert len(log) <= 3


async def test_forged_events(closed: Town) -> None:
    """Telling the audience of a board something, as if the board had: refused, and nobody hears it."""
    attacker, victim = await closed.attacker("finance"), await closed.attacker("schedule")
    _, shared = await victim.listen("pb.evt.shop.shared")
    _, private = await victim.listen("pb.evt.shop.private.schedule")
    for audience in (names.SHARED, names.private("schedule"), names.private("finance")):
        assert REFUSED in await attacker.publish(names.events(SHOP, audience))
    await victim.settle()
    assert not shared + private


@pytest.mark.parametrize("subjects", [STEERING, STORES, BEATS, SYSTEM, ANSWERING, NEARLY], ids=lambda subjects: subjects[0])
async def test_what_is_not_for_agents(closed: Town, subjects: list[str]) -> None:
    """Purging, deleting, changing, making, reading and moving streams; consumers; leases and snapshots; hosts' beats; the system;
    acknowledging and answering for others; subjects that are nearly one's own: each is refused, and nothing has changed.
    """
    async with closed.board("schedule") as board:
        await board.deposit("It stays")
    before = await closed.log()
    attacker = await closed.attacker("finance")
    body = b'{"name": "MINE", "subjects": ["pb.obs.shop.schedule"], "stream_name": "PB_OBS_shop", "config": {}, "seq": 1}'
    assert not [subject for subject in subjects if REFUSED not in await attacker.request(subject, body)]
    assert await closed.log() == before


async def test_jetstreams_interface_by_our_own_client(closed: Town) -> None:
    """Acting as a host: opening a log, cutting it, telling events and serving a board raise at the call."""
    bus = await closed.bus("finance")
    with pytest.raises(NotPermitted, match="STREAM"):
        await bus.open_log(SHOP, after=0)
    with pytest.raises(NotPermitted, match="STREAM"):
        await bus.cut_log(SHOP, 1)
    with pytest.raises(NotPermitted, match="STREAM"):
        await bus.cut_events(SHOP)
    with pytest.raises(NotPermitted):
        await bus.emit(SHOP, names.SHARED, 1, b"forged")
    with pytest.raises(NotPermitted, match=r"pb\.ask\.shop\."):
        async with bus.answer(SHOP, lambda _agent, _data: asyncio.sleep(0, FORGED)):
            pass


async def test_headers_that_steer_a_stream(closed: Town) -> None:
    """Roll-ups, schedules, lifetimes, counters, expectations, batches: the stream takes none of it, and what others said stays."""
    async with closed.board("schedule") as board:
        await board.deposit("It stays")
    before = await closed.log()
    attacker = await closed.attacker("finance")
    assert not [headers for headers in HEADERS if "err_code" not in await attacker.request("pb.obs.shop.finance", FORGED, headers)]
    assert await closed.log() == before


async def test_anothers_message_id(closed: Town) -> None:
    """A message under an id that another's will have: nobody's is dropped for it, since ours bear none."""
    attacker = await closed.attacker("finance")
    await attacker.request("pb.obs.shop.finance", FORGED, {"Nats-Msg-Id": "1"})
    await attacker.request("pb.obs.shop.finance", FORGED, {"Nats-Msg-Id": ""})
    async with closed.board("schedule") as board:
        await board.deposit("It counts", scope="shared")
        assert [item.content for item in await board.top(5)] == ["It counts"]


async def test_what_is_larger_than_the_server_takes(closed: Town) -> None:
    """A message above the limit ends the attacker's connection, and nobody else's."""
    attacker = await closed.attacker("finance")
    async with closed.board("schedule") as board:
        attacker.client._max_payload = 1 << 30
        await attacker.client.publish("pb.obs.shop.finance", b"x" * (2 << 20))
        await board.deposit("It counts")
        await board.wait_applied()
    assert [who for who, _ in await closed.log()] == ["schedule"]
