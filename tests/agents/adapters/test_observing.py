"""Claims about what of an event goes onto the board, and what of the board into a prompt."""

import json
from collections.abc import AsyncIterator

import pytest

from agents.adapters.events import AgentSaid, Event, ToolReturned, UserSaid
from agents.adapters.observing import MAX_ITEM, assemble, excerpt, observe
from blackboard.client import Board
from blackboard.section import OPENING
from blackboard.testing import running_board
from blackboard.tokens import count_tokens
from tests.agents.adapters.told import told


@pytest.fixture
async def board() -> AsyncIterator[Board]:
    async with running_board("finance") as running:
        yield running["finance"]


async def contents(board: Board) -> list[str]:
    """What stands on the board, sorted."""
    await board.wait_applied()
    return sorted(told(item) for item in await board.top(1000))


async def test_what_a_person_says(board: Board) -> None:
    """It is read by rules, and stands besides as it was said; said again it is one item, confirmed."""
    for _ in range(3):
        await observe(board, UserSaid("Ship it to Boston, please."))
    assert await contents(board) == ["Ship it to Boston, please.", "Shipping address: Boston"]
    [said] = await board.search("please")
    assert said.meta == {"speaker": "user"}
    assert said.scope == "private"


async def test_a_rule_is_a_constraint(board: Board) -> None:
    """A standing rule binds softly from then on."""
    await observe(board, UserSaid("Never book flights before 9 am."))
    assert [item.kind for item in await board.top()] == ["constraint"]
    await observe(board, UserSaid("Mei is our guest. Never book flights before 9 am."))
    assert sorted(item.kind for item in await board.top()) == ["constraint", "fact"]


@pytest.mark.parametrize(
    "text", ["", "  \n", "Hello!", "thanks", "ok", "May we fly?", "我们可以坐飞机吗？", "Traceback (most recent call last): x"]
)
async def test_what_says_nothing(board: Board, text: str) -> None:
    """Small talk, a question, a log and a blank leave no item."""
    await observe(board, UserSaid(text))
    assert await contents(board) == []


@pytest.mark.parametrize("event", [AgentSaid(" \n"), ToolReturned("clock", {}, "")])
async def test_a_blank_answer(board: Board, event: Event) -> None:
    """So does an answer without a word, as that of a model which only calls tools."""
    await observe(board, event)
    assert await contents(board) == []


@pytest.mark.parametrize("text", ["Noted.", "OK!", "You're welcome!", "好的", "收到。"])
async def test_small_talk_of_the_agent_s(board: Board, text: str) -> None:
    """What an agent says to be polite is no fact."""
    await observe(board, AgentSaid(text))
    assert await contents(board) == []


@pytest.mark.parametrize("text", ["OK, the train leaves at nine.", "It failed: Traceback (most recent call last): x"])
async def test_what_more_the_agent_states(board: Board, text: str) -> None:
    """It stands, however it begins, and with what it quotes."""
    await observe(board, AgentSaid(text))
    assert await contents(board) == [text]


async def test_a_conversation_has_its_name(board: Board) -> None:
    """What is said in one is read in its field."""
    await observe(board, UserSaid("Ship it to Boston", conversation="c7"))
    assert [fact.value for fact in (await board.recall("shipping_address", conversation="c7")).facts] == ["Boston"]


async def test_what_the_agent_and_its_tools_say(board: Board) -> None:
    """It stands word for word; a tool's with the call that gave it, and as a trace if it failed."""
    await observe(board, AgentSaid("The train takes five hours."))
    await observe(board, ToolReturned("price", {"city": "上海", "nights": 2}, '{"total": 900}'))
    await observe(board, ToolReturned("price", {"city": "Paris"}, "timeout", failed=True))
    assert sorted((item.kind, item.content, item.key, item.target) for item in await board.top()) == [
        ("fact", "The train takes five hours.", None, None),
        ("tool_result", '{"total": 900}', "price", 'price(city="上海", nights=2)'),
        ("trace", "timeout", "price", 'price(city="Paris") failed'),
    ]
    assert '- [price(city="上海", nights=2)] {"total": 900}\n' in (await board.assemble("price", 200)).text


async def test_what_is_shared() -> None:
    """In the scope *shared* all agents see it, and else none but its own."""
    async with running_board("finance", "travel") as running:
        for scope in ("shared", "private"):
            await observe(running["finance"], UserSaid(f"The {scope} one is the blue logo."), scope)
            await observe(running["finance"], UserSaid(f"Ship it to {scope.title()}town."), scope)
            await observe(running["finance"], AgentSaid(f"Noted as {scope}."), scope)
            await observe(running["finance"], ToolReturned("note", {}, f"{scope} note"), scope)
        await running["finance"].wait_applied()
        assert all("shared" in item.content.casefold() for item in await running["travel"].top())
        assert len(await running["travel"].top()) * 2 == len(await running["finance"].top())


async def test_chinese(board: Board) -> None:
    """It comes back byte for byte, and is found."""
    said = "我们决定住在静安区的和平饭店。"
    await observe(board, UserSaid(said))
    assert said in (await assemble(board, "住哪个饭店", 400)).text


async def test_what_was_assembled_is_never_observed(board: Board) -> None:
    """A hundred turns in which the section comes back in every event, whole or in a call's arguments, leave the board as it was."""
    await observe(board, UserSaid("The budget is at most 50,000 CNY."))
    await observe(board, AgentSaid("The train takes five hours."))
    for turn in range(100):
        section = (await assemble(board, "the budget for the train", 400)).text
        assert section.startswith(OPENING)
        await observe(board, UserSaid(section))
        await observe(board, UserSaid(f"{section}\nMay we fly?"))
        await observe(board, AgentSaid(f"The train takes five hours.\n{section}"))
        await observe(board, ToolReturned("price", {"prompt": f"Boston {section}", "more": [{"deep": (section,)}]}, f"900 CNY\n{section}"))
        if not turn:
            before = await contents(board)
    assert await contents(board) == before
    assert before == [
        "Budget: 50,000 CNY",
        "The budget is at most 50,000 CNY.",
        "The train takes five hours.",
        'price(prompt="Boston", more=[{"deep": [""]}]): 900 CNY',
    ]


async def test_what_the_prompt_says_is_not_said_again(board: Board) -> None:
    """Not a statement, not a tool's result, not the beginning that stands of a long one; what was said elsewhere is."""
    long = "The train to Xi'an leaves at 9:40 and stops often. " * 100
    await observe(board, UserSaid("The train must leave before noon!"))
    for event in (AgentSaid("The train takes five hours."), ToolReturned("trains", {}, "G87, train at 9:40"), AgentSaid(long)):
        await observe(board, event)
    beside = ["The train takes five hours.", "G87, train at 9:40", long]
    assert (await assemble(board, "Which train?", 2000)).text.count("\n- ") == 4
    told = (await assemble(board, "Which train?", 2000, beside)).text
    assert "- The train must leave before noon!\n" in told
    assert told.count("\n- ") == 1
    assert (await assemble(board, "Which train?", 2000, [*beside, "So: The train must leave before noon! Or?"])).text == ""


async def test_what_was_assembled_is_not_used_yet(board: Board) -> None:
    """It is as strong as before: a prompt need not wait until the board knows."""
    await observe(board, AgentSaid("The train takes five hours."))
    [before] = await board.top()
    assert (await assemble(board, "train", 400)).items
    await board.wait_applied()
    assert [item.strength for item in await board.top()] == [before.strength]


async def test_what_was_assembled_and_is_in_json(board: Board) -> None:
    """As frameworks write what a tool returns, and models what they call one with, it is not observed either; the rest of the JSON is."""
    await observe(board, AgentSaid('The "late" train\\ takes 五 hours.'))
    section = (await assemble(board, "train", 400)).text
    for text in (json.dumps({"sent": section, "to": "ann"}), f"It says {json.dumps([f'Look: {section} Well?'], ensure_ascii=False)}."):
        await observe(board, ToolReturned("mail", {"body": json.dumps({"text": section})}, text))
    await observe(board, AgentSaid(json.dumps(OPENING)[1:-1] + "\\x"))
    assert set(await contents(board)) == {
        'The "late" train\\ takes 五 hours.',
        r'mail(body="{\"text\": \"\"}"): {"sent": "", "to": "ann"}',
        r'mail(body="{\"text\": \"\"}"): It says ["Look: Well?"].',
        json.dumps(OPENING)[1:-1] + r"\x",
    }


async def test_a_query_is_no_memory_either(board: Board) -> None:
    """What was assembled does not count as a question; nothing relevant gives nothing."""
    await observe(board, AgentSaid("The train takes five hours."))
    section = (await assemble(board, "train", 400)).text
    assert (await assemble(board, section, 400)).text == ""
    assert (await assemble(board, "Zebras?", 400)).text == ""
    assert (await assemble(board, "x " * 100_000 + "train", 400)).text == section


@pytest.mark.parametrize(
    "text", ["The hotel costs 500 a night. " * 40_000, "住" * 400_000, "We leave at nine" + " -" * 500_000, "a" * 1_000_000]
)
async def test_a_megabyte(board: Board, text: str) -> None:
    """Of what is huge the beginning stands, in an item that is short enough to be recalled."""
    for event in (UserSaid(text), AgentSaid(text), ToolReturned("read", {"text": text}, text)):
        await observe(board, event)
    items = [item for item in await board.top() if item.value is None]
    assert len(items) >= 2
    assert all(count_tokens(item.content) <= 1.5 * MAX_ITEM and "characters left out]" in item.content for item in items)


async def test_of_a_long_message_both_ends_are_read(board: Board) -> None:
    """What frames a pasted document is what a person says of it."""
    await observe(board, UserSaid(f"Ship it to Boston.\n{'Lorem ipsum dolor. ' * 10_000}\nThe budget is at most 50,000 CNY."))
    assert {"Shipping address: Boston", "Budget: 50,000 CNY"} <= set(await contents(board))


@pytest.mark.parametrize("value", [{("a", 1): 2}, object(), {1, 2}, float("nan"), b"x"])
async def test_whatever_a_framework_calls_its_tools_with(board: Board, value: object) -> None:
    """Arguments that JSON has not are written as Python shows them."""
    await observe(board, ToolReturned("act", {"on": value}, "done"))
    [content] = await contents(board)
    assert content.startswith("act(on=")


async def test_arguments_that_contain_themselves(board: Board) -> None:
    """They are written, too."""
    around: list[object] = []
    around.append(around)
    await observe(board, ToolReturned("act", {"on": around}, "done"))
    assert await contents(board) == ["act(on=[[...]]): done"]


class _Shy:
    def __repr__(self) -> str:
        raise LookupError


async def test_arguments_that_cannot_be_shown(board: Board) -> None:
    """What the tool returned is observed all the same."""
    around: list[object] = []
    for _ in range(10_000):
        around = [around]
    await observe(board, ToolReturned("act", {"on": _Shy()}, "done"))
    await observe(board, ToolReturned("act", {"on": around}, "done, too"))
    assert await contents(board) == ["act(on=…): done", "act(on=…): done, too"]


async def test_a_tool_that_a_model_made_up(board: Board) -> None:
    """Its name may be too long for one, and no text."""
    await observe(board, ToolReturned("\ud83d", {}, "there is no such tool", failed=True))
    await observe(board, ToolReturned("act " * 100_000, {}, "there is none, either", failed=True))
    assert [content.rpartition(" failed: ")[2] for content in await contents(board)] == ["there is none, either", "there is no such tool"]


async def test_half_a_pair(board: Board) -> None:
    """What a model streamed may end in half of a surrogate pair; the rest stands."""
    await observe(board, AgentSaid("The train \ud83d\ude82 \ud83d"))
    await observe(board, UserSaid("We decided on the blue logo \ud83d"))
    await observe(board, ToolReturned("read", {"text": "\ud83d"}, "\ud83d it is"))
    assert await contents(board) == ["The train 🚂 �", "We decided on the blue logo �", 'read(text="�"): � it is']


async def test_a_query_with_half_a_pair(board: Board) -> None:
    """It recalls by the rest."""
    await observe(board, AgentSaid("The hotel is by the lake."))
    assert "by the lake" in (await assemble(board, "Which hotel\ud800 is it?", 500)).text


def test_an_excerpt() -> None:
    """All of what is short; of the rest the beginning, and how much is left out."""
    assert excerpt("short") == "short"
    assert excerpt("") == ""
    said = "one two three four five " * 100
    cut = excerpt(said, 50)
    assert count_tokens(cut) <= 50 + 10
    beginning, _, left = cut.partition(" […")
    assert said.startswith(beginning)
    assert left == f"{len(said) - len(beginning):,} characters left out]"
