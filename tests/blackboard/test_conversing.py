"""Claims about an agent's end of a conversation: text in, facts out, on a board that runs."""

from pathlib import Path

import pytest

import blackboard
from blackboard.errors import BadValue, TooBig
from blackboard.scent import FieldSettings, UnusualSettings, load_rules, tutoring
from blackboard.sync import open_sync
from blackboard.testing import running_board


async def test_a_conversation_on_a_board() -> None:
    """The address said last is recalled, the billing address is untouched, and the items are there for everything else."""
    async with running_board("desk") as running:
        desk = running["desk"]
        await desk.observe("I want to order, please ship it to 12 Long Street, Shanghai")
        await desk.observe("The billing address is 7 Short Lane, Hangzhou")
        [scent] = await desk.observe("No, ship to 88 Jianguo Road, Beijing instead")
        assert (scent.type, scent.value, scent.kind) == ("shipping_address", "88 Jianguo Road, Beijing", "slot")
        facts = {fact.type: fact for fact in await desk.recall("*_address")}
        assert facts["shipping_address"].value == "88 Jianguo Road, Beijing"
        assert facts["billing_address"].value == "7 Short Lane, Hangzhou"
        assert (facts["billing_address"].staleness, facts["billing_address"].confirm) == (1, False)
        await desk.observe("Thanks")
        assert (await desk.recall("billing_address"))[0].confirm
        [hit, *_] = await desk.search("Beijing")
        assert (hit.kind, hit.key, hit.value) == ("slot", "shipping_address", "88 Jianguo Road, Beijing")
        assert "88 Jianguo Road" in (await desk.assemble("where do we ship it?")).text


async def test_what_a_message_leaves_open_the_conversation_fills() -> None:
    """An order that was named before, and the topic; each conversation has its own."""
    async with running_board("desk") as running:
        desk = running["desk"]
        await desk.observe("My order number is A1001", conversation="li")
        await desk.observe("Cancel it", conversation="li")
        assert (await desk.field("li")).focus == "A1001"
        assert [(fact.value, fact.target) for fact in await desk.recall("directive", conversation="li")] == [("cancel", "A1001")]
        await desk.observe("Cancel it", conversation="wang")
        assert [fact.target for fact in await desk.recall("directive", conversation="wang")] == [None]


async def test_an_answer_confirms_what_was_asked() -> None:
    """The assistant's question is no turn of its own."""
    async with running_board("desk") as running:
        desk = running["desk"]
        await desk.observe("发到上海市世纪大道100号")
        await desk.observe("要发到北京市建国路88号，对吗？", turn=False)
        assert (await desk.recall("shipping_address")).value == "上海市世纪大道100号"
        await desk.observe("好的")
        assert (await desk.recall("shipping_address")).value == "上海市世纪大道100号", "a bare ok is no confirmation"
        await desk.observe("要发到北京市建国路88号，对吗？", turn=False)
        await desk.observe("对，就这个")
        assert (await desk.recall("shipping_address")).value == "北京市建国路88号"
        assert (await desk.field()).round == 3


async def test_an_offer_is_taken_by_an_answer() -> None:
    """Then it is a request like one of the user's own words."""
    async with running_board("desk") as running:
        desk = running["desk"]
        await desk.observe("Would you like me to cancel order A1?", turn=False)
        assert not await desk.top(kind="state")
        await desk.observe("Yes, right")
        [request] = await desk.top(kind="state")
        assert (request.key, request.target) == ("cancel", "A1")


async def test_what_was_assembled_is_not_observed_again() -> None:
    """A transcript that quotes the section says nothing new; nor does a blank line, which is no turn either."""
    async with running_board("desk") as running:
        desk = running["desk"]
        await desk.observe("Ship to 12 Long Street, Shanghai")
        section = (await desk.assemble("ship where?")).text
        assert "Long Street" in section
        assert await desk.observe(section) == []
        assert await desk.observe("  \n") == []
        assert (await desk.field()).round == 1


async def test_settings_and_rules_of_ones_own(tmp_path: Path) -> None:
    """The settings stay with the conversation, whoever observes next; rules are the observer's."""
    rules = tmp_path / "rules.toml"
    rules.write_text(
        "[types.table]\nlabel = 'Table'\nconcentration = 0.6\ndecay = 0.8\npatterns = ['table (?P<value>[0-9]+)']\n", encoding="utf-8"
    )
    async with running_board("desk") as running:
        desk = running["desk"]
        [scent] = await desk.observe("we sit at table 12", rules=load_rules(rules), settings=tutoring)
        assert (scent.type, scent.value, scent.decay) == ("table", "12", 0.8)
        [directive] = await desk.observe("Cancel it", settings=tutoring, conversation="li")
        assert directive.decay == tutoring.directive
        [directive] = await desk.observe("You must always bring the bill to us")
        assert directive.decay == tutoring.directive
        assert (await desk.field()).settings == tutoring


async def test_settings_are_looked_at_before_anything_is_said() -> None:
    """Unusual ones are warned of where they are given, impossible ones refused, with the value."""
    async with running_board("desk") as running:
        desk = running["desk"]
        with pytest.warns(UnusualSettings, match="max_rounds 3"):
            await desk.observe("Cancel it", settings=FieldSettings(max_rounds=3))
        with pytest.raises(BadValue, match="window 0"):
            await desk.observe("Cancel it", settings=FieldSettings(window=0))
        assert (await desk.field()).round == 1


async def test_a_task_is_continued() -> None:
    """Said in words, and brought back to be confirmed."""
    async with running_board("desk") as running:
        desk = running["desk"]
        await desk.begin_task("first order")
        await desk.observe("发到上海市世纪大道100号")
        await desk.end_task()
        await desk.begin_task("second order")
        assert (await desk.field()).task == "second order"
        await desk.observe("接着刚才的订单")
        [fact] = await desk.recall("shipping_address")
        assert (fact.value, fact.confirm) == ("上海市世纪大道100号", True)


@pytest.mark.parametrize("limit", [0, 10_001])
async def test_bad_questions_say_what_is_wrong(limit: int) -> None:
    """With the value."""
    async with running_board("desk") as running:
        desk = running["desk"]
        with pytest.raises(BadValue, match=f"limit {limit}"):
            await desk.recall("*", limit=limit)
        with pytest.raises(BadValue, match="type to recall"):
            await desk.recall("")
        with pytest.raises(TooBig, match="conversation"):
            await desk.field("x" * 300)
        with pytest.raises(BadValue, match="message is a text, not int: 7"):
            await desk.observe(7)  # type: ignore[arg-type]


async def test_it_is_all_there_after_a_restart(tmp_path: Path) -> None:
    """Field, snapshots and how long ago each slot was said are kept with the board."""
    address = tmp_path / "desk"
    async with blackboard.open(address, agent="desk") as desk:
        await desk.observe("发到上海市世纪大道100号", conversation="li")
        await desk.end_task(conversation="li")
        await desk.observe("好的", conversation="li")
        before = await desk.field("li"), await desk.recall("*", conversation="li")
    async with blackboard.open(address, agent="desk") as desk:
        assert (await desk.field("li"), await desk.recall("*", conversation="li")) == before
        assert before[0].snapshots == ("",)


def test_without_an_event_loop() -> None:
    """The same verbs."""
    with open_sync(":memory:", agent="desk") as desk:
        desk.begin_task("order")
        desk.observe("Ship to 12 Long Street, Shanghai")
        assert desk.recall("shipping_*").value == "12 Long Street, Shanghai"
        desk.end_task()
        assert desk.field().task is None
