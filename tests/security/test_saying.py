"""Attacks through what is said: an agent that is let in forges what its messages hold."""

from typing import Any

import msgspec
import pytest

from blackboard.errors import Refused
from bus import names
from bus.messages import Deposit, EndRound, Fold, Post, RenameKey, SetKinds, Tick, Unit, encode
from tests.security.town import SHOP, Town

EPOCH = "0123456789abcdef"


def forged(**more: Any) -> bytes:
    """A post, with more in it than one has."""
    deposit = {"type": "deposit", "content": "forged", "scope": "shared"}
    return msgspec.msgpack.encode({"epoch": EPOCH, "seq": 1, "units": [[deposit]], "v": 1} | more)


async def test_an_owner_in_the_payload(closed: Town) -> None:
    """A post, a unit's observation or ``meta`` that names another as its speaker: set aside, or said by whom it came from."""
    bus = await closed.bus("finance")
    for field in ("agent", "owner", "by", "speaker", "as"):
        await bus.publish(SHOP, "finance", forged(**{field: "schedule"}))
        await bus.publish(SHOP, "finance", forged(units=[[{"type": "deposit", "content": "forged", "scope": "shared", field: "schedule"}]]))
    async with closed.board("finance") as board:
        honest = await board.deposit("Mine", scope="shared", meta={"owner": "schedule", "agent": "schedule"})
        await board.confirm(honest)
        await board.wait_applied()
        [item] = await board.view(limit=10)
        assert (item.content, item.owner) == ("Mine", "finance")
        assert {expert.agent for expert in await board.experts("x")} <= {"finance"}
    async with closed.board("schedule") as board:
        assert await board.refusals() == ()


async def test_anothers_epoch_and_number(closed: Town) -> None:
    """Using up another's ``(epoch, number)``: numbers count for the one whose channel they came on, so nothing of his is dropped."""
    attacker, victim = await closed.bus("finance"), await closed.bus("schedule")
    for number in (1, 2, 3, 2**63 - 1):
        await attacker.publish(SHOP, "finance", encode(Post(EPOCH, number, ((Deposit("forged", scope="shared"),),))))
    for number, content in ((1, "First"), (2, "Second")):
        await victim.publish(SHOP, "schedule", encode(Post(EPOCH, number, ((Deposit(content),),))))
    async with closed.board("schedule") as board:
        assert {item.content for item in await board.view(limit=10) if item.owner == "schedule"} == {"First", "Second"}


async def test_what_only_the_host_says(closed: Town) -> None:
    """Ticks, kinds, renamed keys and summaries said by an agent: refused, whole units of it, and the board is as it was."""
    units: list[Unit] = [
        (Tick(),),
        (SetKinds({"fact": {"initial": 1e6}}),),
        (RenameKey("budget", "mine"),),
        (Fold(("0" * 32, "1" * 32), "forged"),),
        (EndRound(0), Tick()),
        (Deposit("forged", scope="shared"), Tick()),
    ]
    async with closed.board("schedule") as board:
        await board.deposit("At most 50,000", key="budget", scope="shared")
        kinds, stats = await board.kinds(), await board.stats()
    async with closed.board("finance") as board:
        for unit in units:
            await board.say(*unit)
            with pytest.raises(Refused):
                await board.wait_applied()
        assert await board.kinds() == kinds
        assert await board.stats() == stats
        assert [item.key for item in await board.view(limit=10)] == ["budget"]


async def test_anothers_scope(closed: Town) -> None:
    """Depositing into another's private view: refused, and nothing is there."""
    bus = await closed.bus("finance")
    scopes = ("private.schedule", "schedule", names.HOST, "SHARED", "")
    for number, scope in enumerate(scopes, 1):
        await bus.publish(SHOP, "finance", encode(Post(EPOCH, number, ((Deposit("forged", scope=scope),),))))
    async with closed.board("finance") as board:
        assert len(await board.refusals()) == len(scopes)
    async with closed.board("schedule") as board:
        assert await board.view(limit=10) == []


async def test_what_others_share_is_not_ones_own(closed: Town) -> None:
    """Retracting and erasing what another shared: refused, and it stands."""
    async with closed.board("schedule") as board:
        item = await board.deposit("At most 50,000", scope="shared")
        await board.wait_applied()
    async with closed.board("finance") as board:
        for act in (board.retract, board.erase):
            await act(item.id)
            with pytest.raises(Refused):
                await board.wait_applied()
        assert (await board.get(item.id)).status == "standing"
