from msgspec.structs import replace

from agents.evolution.analysis import BY_CONTRAST, RuleAnalyst, diagnose
from agents.evolution.analyst import Analyst
from agents.evolution.attribution import attribute
from agents.evolution.strategies import PlanStep, Rule, Strategy, Template
from agents.memory.records import Turn
from tests.agents.evolution.cases import call, said, task, went_well


async def test_it_is_an_analyst() -> None:
    """It says what ``diagnose`` says."""
    analyst: Analyst = RuleAnalyst()
    failure = task("t", call("find_slots", "timeout"))
    assert await analyst.analyse(failure, [], []) == diagnose(failure, [], [])


def test_the_most_telling_sign_says_cause_turn_and_agent() -> None:
    """The agent is whoever spoke at that turn, or last before it."""
    failure = task("t", Turn("desk", calls=(call("find_slots"),)), said("user", "That is not what I asked for"))
    found = diagnose(failure, [], [])
    assert found
    assert (found.task, found.cause, found.agent, found.turn) == ("t", "misunderstanding", "desk", 0)


def test_without_a_sign_the_contrast_with_successes_tells() -> None:
    """A parameter that is missing is a tool misused, a step that is missing a flaw of the plan; both are uncertain."""
    failure = task("t", call("book"))
    found = diagnose(failure, [went_well("w", call("book", reminder="sms"))], [])
    assert found
    assert (found.cause, found.confidence, found.mends[0].body) == ("tool", BY_CONTRAST, Rule(defaults={"reminder": "sms"}))
    found = diagnose(failure, [went_well(f"w{n}", call("find_slots"), call("book")) for n in range(2)], [])
    assert found
    assert found.cause == "plan"


def test_strategies_that_do_not_apply_to_the_task_are_not_to_blame() -> None:
    """A plan for another type of task is left as it is."""
    plan = Strategy("plan", Template((PlanStep("look", "find_slots", {"limit": 5}),)), types=("referral",))
    failure = task("t", call("find_slots", limit=5), expected=(call("find_slots", limit=50),))
    found = diagnose(failure, [], [plan])
    assert found
    assert {mend.strategy for mend in found.mends} == {None}
    found = diagnose(failure, [], [replace(plan, types=())])
    assert found
    assert found.mends[0].strategy == "plan"


def test_where_nothing_tells_there_is_no_diagnosis() -> None:
    """Not of a task that did what successes did, and not of an empty one."""
    assert diagnose(task("t", call("book")), [went_well("w", call("book"))], []) is None
    assert diagnose(task("t"), [], []) is None


def test_calls_count_that_successes_were_expected_to_make() -> None:
    """A booking that nobody expected is needless, though this task's own expectations name no tool."""
    success = went_well("w", call("book"), expected=(call("book"),))
    failure = task("t", call("list_doctors"), call("book"), expected=())
    found = diagnose(failure, [success], [])
    assert found
    assert (found.cause, found.turn) == ("plan", 1)
    assert diagnose(failure, [], []) is None


def test_of_several_agents_it_is_attributed_whose_mistake_it_was() -> None:
    """The cause is what a sign says, if there is one. Where it is known which calls were expected, there is nothing to guess."""
    turns = [Turn("planner", "Look for slots."), *(Turn("nurse", f"I asked ward {n}.") for n in range(9))]
    turns.append(Turn("clerk", calls=(call("find_slots", "timeout"),)))
    blamed = attribute(task("t", *turns))
    found = diagnose(task("t", *turns), [], [])
    assert blamed
    assert found
    assert (found.agent, found.turn, found.confidence) == (blamed.agent, blamed.turn, blamed.confidence)
    assert found.cause == "environment"
    found = diagnose(task("t", *turns, expected=(call("find_slots", doctor="Wang"),)), [], [])
    assert found
    assert (found.agent, found.turn, found.cause) == ("clerk", 10, "environment")
