from collections.abc import Mapping, Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.chat import Budget, Chat
from agents.errors import BudgetSpent, ChatError, NoReply
from agents.evolution.analysis import diagnose
from agents.evolution.llm_analyst import LLMAnalyst, checked, messages
from agents.evolution.strategies import Rule, Strategy
from agents.evolution.variation import vary
from agents.memory.records import Turn
from blackboard.errors import BadValue
from tests.agents.evolution.cases import call, said, task

FEW = Strategy("few", Rule(defaults={"limit": 5}), when={"tool": {"==": "find_slots"}})
FAILURE = task("t", Turn("desk", "Nothing is free.", (call("find_slots", limit=5),)), said("user", "But there is a slot on Monday."))
GOOD: dict[str, Any] = {
    "cause": "tool",
    "agent": "desk",
    "turn": 0,
    "reason": "It looked at five slots alone.",
    "confidence": 0.8,
    "mends": [{"strategy": "few", "defaults": {"limit": 50}}, {"when": {"tool": {"==": "find_slots"}}, "advice": "mind the limit"}],
}


class Says(Chat):
    """A chat that says this, or raises it."""

    def __init__(self, said: str | ChatError) -> None:
        super().__init__("none", budget=Budget(0))
        self.said = said
        self.asked: list[Sequence[Mapping[str, str]]] = []

    async def ask(self, messages: Sequence[Mapping[str, str]], max_tokens: int) -> str:
        assert max_tokens > 0
        self.asked.append(messages)
        if isinstance(self.said, ChatError):
            raise self.said
        return self.said


async def answered(said: str | ChatError) -> LLMAnalyst:
    """An analyst, once it has been asked about a failure of which the rules know little."""
    analyst = LLMAnalyst(Says(said))
    found = await analyst.analyse(FAILURE, [], [FEW])
    assert analyst.believed or found == diagnose(FAILURE, [], [FEW])
    return analyst


async def test_what_a_model_says_and_can_be_checked_is_believed() -> None:
    """Its mends follow the strategies that it names."""
    analyst = LLMAnalyst(Says(f"Here you are:\n```json\n{msgspec.json.encode(GOOD).decode()}\n```"))
    found = await analyst.analyse(FAILURE, [], [FEW])
    assert found
    assert (found.task, found.cause, found.agent, found.turn, found.confidence) == ("t", "tool", "desk", 0, 0.8)
    assert [(each.strategy, each.body, each.when) for each in found.mends] == [
        ("few", Rule(defaults={"limit": 50}), FEW.when),
        (None, Rule(advice="mind the limit"), {"tool": {"==": "find_slots"}}),
    ]
    assert [each.ref for each in vary([found], [FEW]).candidates] == ["few@2", "find_slots-advice@1"]
    assert (analyst.believed, analyst.doubted.total()) == (1, 0)


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"cause": "the weather"}, "Invalid enum value 'the weather' - at `$.cause`"),
        ({"turn": 7}, "blames turn 7, and the task has 2"),
        ({"turn": -1}, "Expected `int` >= 0"),
        ({"agent": "user"}, "blames 'user', and the agents are desk"),
        ({"reason": ""}, "length >= 1"),
        ({"confidence": 4}, "<= 1.0"),
        ({"run": "rm -rf"}, "unknown field `run`"),
        ({"mends": [{"use": "delete_everything"}]}, "names a tool 'delete_everything', and there are book"),
        ({"mends": [{"advice": "mind", "when": {"tool": {"==": "nope"}}}]}, "names a tool 'nope'"),
        ({"mends": [{"advice": "mind", "when": {"tool": {"in": ["book", "nope"]}}}]}, "names a tool 'nope'"),
        ({"mends": [{"advice": "mind", "when": {"weather": {"==": "fine"}}}]}, "no such subject"),
        ({"mends": [{"advice": "mind", "when": {"request": {"matches": "("}}}]}, "the answer's when.request.matches"),
        ({"mends": [{"advice": "mind", "when": {"tools": {"has": "nope"}}}]}, "names a tool 'nope'"),
        ({"mends": [{"strategy": "nobody", "advice": "mind"}]}, "changes a strategy 'nobody', and there are few"),
        ({"mends": [{"strategy": "few"}]}, "does nothing"),
        ({"mends": [{"strategy": "few", "use": "book", "set": {"a": 1, "b": 2}}]}, "it differs from few@1 in 4 fields, of 2"),
        ({"mends": [{"set": dict.fromkeys("abcd", 1)}]}, "it does 4 things, of 3"),
        ({"mends": [{"advice": "mind"}] * 4}, "length <= 3"),
        ({"mends": [{"body": {"type": "rule"}}]}, "unknown field `body`"),
    ],
)
async def test_an_answer_that_is_wrong_in_one_thing_changes_nothing(wrong: dict[str, Any], why: str) -> None:
    """The diagnosis of the rules stands; and what was wrong is told."""
    analyst = await answered(msgspec.json.encode(GOOD | wrong).decode())
    assert analyst.believed == 0
    (told,) = analyst.doubted
    assert why in told


def test_what_the_user_asked_for_is_not_overridden_by_a_model() -> None:
    """Where its rule would be about the call; to say so in words is allowed."""
    failure = task("t", call("find_slots", "days must be at most 30", days=90), request="In the last 90 days")
    over: list[dict[str, Any]] = [{"set": {"days": 30}}, {"set": {"days": 30}, "when": {"tool": {"==": "find_slots"}}}]
    for rule in over:
        with pytest.raises(BadValue, match="sets days of find_slots, which the user asked for as 90"):
            checked(msgspec.json.encode(GOOD | {"mends": [rule]}).decode(), failure, [], [])
    beside: list[dict[str, Any]] = [
        {"set": {"days": 30}, "when": {"tool": {"==": "book"}}},
        {"set": {"days": 90}},
        {"advice": "ask for 30 days at most"},
    ]
    for rule in beside:
        assert checked(msgspec.json.encode(GOOD | {"mends": [rule]}).decode(), failure, [], []).mends


@pytest.mark.parametrize(
    "nonsense", ["", "I am sorry, I cannot help with that.", "{", "}{", "[]", "null", '{"cause": "tool"}', "{" * 10_000]
)
async def test_nonsense_changes_nothing(nonsense: str) -> None:
    """Whatever it is."""
    assert (await answered(nonsense)).doubted.total() == 1


@given(
    st.text()
    | st.dictionaries(st.sampled_from([*GOOD, "x"]), st.none() | st.integers() | st.text(max_size=3)).map(
        lambda said: str(msgspec.json.encode(said))
    )
)
async def test_no_text_breaks_it(text: str) -> None:
    """It is doubted."""
    await answered(text)


@pytest.mark.parametrize("error", [BudgetSpent("1,000 of 1,000 tokens are spent"), NoReply("no answer within 60 s")])
async def test_without_an_answer_the_rules_stand(error: ChatError) -> None:
    """The budget is spent, or time is over; asked about a failure of which the rules know something."""
    failure = task("t", call("find_slots", "that did not work"))
    analyst = LLMAnalyst(Says(error))
    by_rule = diagnose(failure, [], [FEW])
    assert by_rule
    assert await analyst.analyse(failure, [], [FEW]) == by_rule
    assert list(analyst.doubted) == [f"{type(error).__name__}: {error}"]


async def test_a_plain_case_is_not_asked_about() -> None:
    """It costs nothing."""
    chat = Says(msgspec.json.encode(GOOD).decode())
    failure = task("t", call("find_slots", "timeout"))
    assert await LLMAnalyst(chat).analyse(failure, [], []) == diagnose(failure, [], [])
    assert chat.asked == []
    await LLMAnalyst(chat, sure=1.0).analyse(failure, [], [])
    assert len(chat.asked) == 1


def test_what_is_asked_is_bounded_whatever_the_log() -> None:
    """Of a long log the last turns, of a long text its beginning, of many successes a few."""
    long = task("t", *[Turn("desk", "x" * 10_000, (call("find_slots", result="y" * 10_000),))] * 500)
    said = sum(len(each["content"]) for each in messages(long, [long] * 50, [FEW]))
    assert said < 250_000
    assert '"turn":499' in messages(long, [], [])[1]["content"]
