"""Attacks of an agent that has a key, and wants to read what is not for it."""

import json

import pytest
from nats.aio.msg import Msg

from blackboard.errors import NotInView
from bus import names
from bus.errors import NotPermitted
from bus.messages import Ask, Confirm, Erase, Failed, Link, Missed, Reinforce, Retract, Share, Use, decode_answer, encode
from tests.security.town import LAB, SHOP, Town

SECRET = "Hailan quoted 47 a piece"


async def whisper(town: Town) -> str:
    """Schedule says something in private; its id."""
    async with town.board("schedule") as board:
        item = await board.deposit(SECRET, key="quote")
        await board.wait_applied()
        return item.id


FOREIGN = [
    ">", "*.>", "*", "pb.>", "pb.*.shop.>", "pb.obs.>", "pb.obs.shop.*", "pb.obs.shop.schedule", "pb.obs.shop.finance", "pb.ask.>",
    "pb.ask.shop.schedule", "pb.evt.>", "pb.evt.*.shared", "pb.evt.shop.>", "pb.evt.shop.*", "pb.evt.shop.private.*",
    "pb.evt.shop.private.schedule", "pb.evt.*.private.finance", "pb.evt.lab.shared", "pb.host.>", "pb.host.shop", "$SYS.>",
    "$SYS.ACCOUNT.>", "$JS.>", "$JS.EVENT.ADVISORY.>", "$KV.>", "$O.>", "_R_.>", "_GR_.>", "_INBOX",
]  # fmt: skip


async def test_subjects_that_are_not_ones_own(closed: Town) -> None:
    """Everything, wildcards over agents, boards and audiences, others' subjects, the system's, the stores' and the hosts': refused."""
    attacker = await closed.attacker("finance")
    heard = list[list[Msg]]()
    for subject in FOREIGN:
        complaint, queue = await attacker.listen(subject)
        assert "permissions violation for subscription" in complaint
        heard.append(queue)
    await whisper(closed)
    await attacker.settle()
    assert not any(heard)


async def test_anothers_private_events(closed: Town) -> None:
    """Listening to another's private events with our own client raises at the call."""
    bus = await closed.bus("finance")
    for other in ("schedule", "operator", names.HOST):
        with pytest.raises(NotPermitted, match=rf"pb\.evt\.shop\.private\.{other}"):
            async with bus.listen(SHOP, names.private(other)):
                pass


async def test_anothers_inbox(closed: Town) -> None:
    """Listening to all inboxes: one hears one's own account's, and no other's replies."""
    attacker = await closed.attacker("finance")
    complaint, heard = await attacker.listen("_INBOX.>")
    assert not complaint
    await whisper(closed)
    async with closed.board("schedule") as board:
        assert [item.content for item in await board.top(5)] == [SECRET]
    await attacker.settle()
    assert not heard


async def test_in_a_group_of_hosts(closed: Town) -> None:
    """Joining whoever answers questions, as one of a queue group: refused, and the questions go where they should."""
    attacker = await closed.attacker("finance")
    complaint, heard = await attacker.listen("pb.ask.shop.*", queue="hosts")
    assert "permissions violation" in complaint
    await whisper(closed)
    assert not heard


async def test_missed_events_of_another(closed: Town) -> None:
    """Asking the board for what another was told in private: the same words, whether that one exists or not."""
    await whisper(closed)
    bus = await closed.bus("finance")
    audiences = [names.private("schedule"), names.private("nobody"), names.private(names.HOST), "shared.schedule", ">", "private.*", ""]
    replies = {await bus.ask(SHOP, "finance", encode(Ask(Missed(audience, 0)))) for audience in audiences}
    assert {str(decode_answer(reply).reply) for reply in replies} == {str(Failed("NotInView", "not in your view"))}
    assert len(replies) == 1


async def test_anothers_private_item(closed: Town) -> None:
    """Reading, strengthening, linking, sharing, retracting, erasing another's private item: the words for what does not exist."""
    secret = await whisper(closed)
    async with closed.board("finance") as board:
        mine = await board.deposit("Mine")
        said = set[str]()
        for item in (secret, "0" * 32):
            for read in (board.get, board.explain, board.edges_of):
                with pytest.raises(NotInView) as refusal:
                    await read(item)
                said.add(str(refusal.value))
            for act in (Confirm(item), Reinforce(item, 1.0), Use(item), Link(mine.id, item), Share(item), Retract(item), Erase(item)):
                await board.say(act)
                with pytest.raises(NotInView) as refusal:
                    await board.wait_applied()
                said.add(str(refusal.value))
        assert said == {"not in your view"}
        assert [item.content for item in await board.view(limit=100)] == ["Mine"]
        assert await board.search("Hailan") == []
        assert await board.history("quote") == []
        stats = await board.stats()
        assert (stats.items, stats.owners) == (1, {"finance": 1})
    async with closed.board("schedule") as board:
        assert (await board.get(secret)).strength == 4.0


async def test_what_was_set_aside_of_another(closed: Town) -> None:
    """An agent hears of its own messages that could not be read or were refused, and of nobody else's."""
    async with closed.board("schedule") as board:
        await board.retract("0" * 32)
        with pytest.raises(NotInView):
            await board.wait_applied()
    async with closed.board("finance") as board:
        assert await board.refusals() == ()
        await board.wait_applied()


async def test_the_granted_board_alone(closed: Town) -> None:
    """What is shared on a board that one was not let onto cannot be opened, nor asked for through the board that one is on."""
    async with closed.board("schedule", LAB) as lab:
        await lab.deposit("A result", scope="shared")
        await lab.wait_applied()
    with pytest.raises(NotPermitted, match=r"pb\.\w+\.lab\."):
        async with closed.board("finance", LAB):
            pass
    async with closed.board("finance") as board:
        assert await board.search("result") == []


async def test_what_nats_itself_tells(closed: Town) -> None:
    """What is left: an expectation that cannot be met has the server tell where in the log another spoke last. That number is all."""
    await whisper(closed)
    attacker = await closed.attacker("finance")
    headers = {"Nats-Expected-Last-Subject-Sequence": "77", "Nats-Expected-Last-Subject-Sequence-Subject": "pb.obs.shop.schedule"}
    answer = json.loads(await attacker.request("pb.obs.shop.finance", b"forged", headers))
    assert answer == {"error": {"code": 400, "err_code": 10071, "description": "wrong last sequence: 1"}, "stream": "PB_OBS_shop", "seq": 0}
    assert [who for who, _ in await closed.log()] == ["schedule"]
