import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.conditions import validated
from agents.evolution.mending import Case
from agents.evolution.mends import mends
from agents.evolution.signs import signs
from agents.evolution.strategies import Mend, Parameters, PlanStep, Rule, Strategy, Template
from agents.evolution.variation import too_large
from agents.memory.records import TaskLog, ToolCall
from tests.agents.evolution.cases import call, said, task, went_well

ABOUT = {"tool": {"==": "find_slots"}}


def found(failure: TaskLog, *successes: TaskLog, strategies: tuple[Strategy, ...] = ()) -> list[Mend]:
    """The mends of a failure, by its signs."""
    return list(mends(Case(failure, signs(failure), successes, strategies)))


def bodies(mends: list[Mend]) -> list[object]:
    """What they do, without advice."""
    return [mend.body for mend in mends if mend.body != Rule(advice=getattr(mend.body, "advice", ""))]


def well(*given: dict[str, object]) -> list[TaskLog]:
    """Tasks that went well with such calls of find_slots."""
    return [went_well(f"w{n}", ToolCall("find_slots", each)) for n, each in enumerate(given)]


def test_a_parameter_that_all_successes_give_alike_becomes_a_default() -> None:
    """For calls of that tool, in tasks of that type."""
    first, *_ = found(task("t", call("find_slots", doctor="Wang")), *well({"doctor": "Li", "limit": 50}, {"doctor": "Wu", "limit": 50}))
    assert (first.strategy, first.body, first.when, first.types) == (None, Rule(defaults={"limit": 50}), ABOUT, ("appointment",))
    assert "2 tasks that went well" in first.note


def test_one_that_some_successes_do_without_does_not() -> None:
    """It is not what made them go well."""
    assert found(task("t", call("find_slots")), *well({"limit": 50}, {})) == []


def test_what_a_request_names_belongs_to_its_task() -> None:
    """It is suggested for no other: neither what the failure's own request says, nor what those of successes say."""
    failure = task("t", call("find_slots"), request="Dr. Wang on 2 March")
    others = [went_well(f"w{n}", call("find_slots", doctor="Li"), request="Dr. Li, please") for n in range(3)]
    assert found(failure, *others) == []
    expected = task("t", call("find_slots"), request="Dr. Wang on 2 March", expected=(call("find_slots", doctor="Wang"),))
    assert bodies(found(expected)) == []
    looked = call("find_slots", result={"slots": [{"id": "S-17"}]}, limit=5)
    expected = task("t", looked, call("book", slot="S-9"), expected=(looked, call("book", slot="S-17")))
    assert bodies(found(expected)) == []


def test_one_that_the_failure_gives_otherwise_is_set_where_it_is_so() -> None:
    """If at least two successes agree, and it is not what the user asked for."""
    failure = task("t", call("find_slots", view="compact"))
    first, *_ = found(failure, *well({"view": "full"}, {"view": "full"}))
    assert (first.body, first.when) == (Rule(set={"view": "full"}), ABOUT | {"parameters.view": {"==": "compact"}})
    assert found(failure, *well({"view": "full"})) == []
    assert found(task("t", call("find_slots", view="compact"), request="compact"), *well({"view": "full"}, {"view": "full"})) == []


def test_what_the_feedback_names_is_believed_of_one_success() -> None:
    """Though others do without."""
    failure = task("t", call("find_slots"), feedback="Show me the full view")
    assert bodies(found(failure, *well({"view": "full"}, {}))) == [Rule(defaults={"view": "full"})]


def test_what_was_expected_comes_first_one_field_at_a_time() -> None:
    """And then all of it in one, if nothing that was given is to be changed."""
    ought = call("find_slots", doctor="Wang", limit=50, view="full")
    failure = task("t", call("find_slots", doctor="Wang"), expected=(ought,), request="Dr. Wang")
    assert bodies(found(failure)) == [
        Rule(defaults={"limit": 50}),
        Rule(defaults={"view": "full"}),
        Rule(defaults={"limit": 50, "view": "full"}),
    ]


def test_a_mend_says_what_speaks_for_it_and_no_more() -> None:
    """Of several parameters each is told by itself, with what the tool said of its own call."""
    made = [call("find_slots", "timeout", doctor="Wang"), call("book")]
    ought = (call("find_slots", doctor="Wang", limit=50, view="full"), call("book", remind=True))
    mends = found(task("t", *made, expected=ought, request="Dr. Wang"))
    assert {mend.note for mend in mends if mend.body == Rule(defaults={"limit": 50})} == {
        "find_slots was expected with limit=50, and find_slots as it was called said: timeout"
    }
    assert {mend.note for mend in mends if mend.body == Rule(defaults={"remind": True})} == {"book was expected with remind=true"}


def test_each_call_that_parts_from_what_was_expected_is_mended() -> None:
    """It may be a later one that matters."""
    failure = task("t", call("find_slots"), call("send"), expected=(call("find_slots", limit=50), call("send", via="sms")))
    assert bodies(found(failure)) == [Rule(defaults={"limit": 50}), Rule(defaults={"via": "sms"})]


def test_another_tool_is_called_where_it_was_expected() -> None:
    """With what it needs besides."""
    failure = task("t", call("slots_of_week", doctor="Wang"), expected=(call("find_slots", doctor="Wang", limit=50),))
    first, *_ = found(failure)
    assert (first.body, first.when) == (Rule(use="find_slots", defaults={"limit": 50}), {"tool": {"==": "slots_of_week"}})


def test_a_tool_that_took_the_place_of_one_that_failed_is_used_instead() -> None:
    """If it is at hand and takes what the other was given; else it is an advice."""
    failure = task("t", call("find_slots", "timeout", doctor="Wang"))
    others = [went_well(f"w{n}", call("find_slots", "timeout", doctor="Li"), call("slots_of_week", doctor="Li")) for n in range(2)]
    assert bodies(found(failure, *others)) == [Rule(use="slots_of_week")]
    failure = task("t", call("find_slots", "timeout", doctor="Wang", day="today"))
    others = [went_well("w", call("find_slots", "timeout", doctor="Li"), call("send", to="Li"), call("slots_of_week", doctor="Li", week=9))]
    assert bodies(found(failure, *others)) == []
    assert "slots_of_week may do" in str(found(failure, *others)[0].body)
    assert "send may do" not in str(found(failure, *others))


def test_a_value_that_the_tool_says_is_meant_replaces_the_one_it_does_not_know() -> None:
    """Where it is given."""
    first, *_ = found(task("t", call("find_slots", "unknown ward 'eyes', did you mean 'eye'?", ward="eyes")))
    assert (first.body, first.when) == (Rule(set={"ward": "eye"}), ABOUT | {"parameters.ward": {"==": "eyes"}})


def test_a_bound_that_the_tool_tells_is_kept() -> None:
    """Wherever it is passed."""
    first, *_ = found(task("t", call("find_slots", "limit must be at most 100", limit=500)))
    assert (first.body, first.when) == (Rule(set={"limit": 100}), ABOUT | {"parameters.limit": {">": 100}})
    first, *_ = found(task("t", call("find_slots", "parameter days: must be at least 7", days=1)))
    assert (first.body, first.when) == (Rule(set={"days": 7}), ABOUT | {"parameters.days": {"<": 7}})


@pytest.mark.parametrize(
    "request_", ["Those of the last 90 days, please", "最近90天的", "Up to 1,500 of the last 90.", "No weekends; 90 days"]
)
def test_what_the_user_asked_for_is_not_overridden(request_: str) -> None:
    """Whatever the tool, or a test, says of it: there is an advice."""
    refused = call("find_slots", "invalid argument: days must be at most 30", days=90)
    for expected in (None, (call("find_slots", days=30),)):
        mends = found(task("t", refused, request=request_, expected=expected))
        assert bodies(mends) == []
        assert any("days must be at most 30" in mend.note and "asked for as 90" in getattr(mend.body, "advice", "") for mend in mends)
    later = found(task("t", said("user", "I mean 90 days"), refused, request="Recent ones"))
    assert bodies(later) == []


def test_what_the_user_ruled_out_is_no_wish() -> None:
    """Nor is what is a part of another word or number."""
    refused = call("find_slots", "invalid argument: days must be at most 30", days=90)
    for request in ("Not 90 days", "Room 1900", "Recent ones"):
        assert bodies(found(task("t", refused, request=request)))[0] == Rule(set={"days": 30})


def test_a_switch_that_the_user_asked_for_stays_on() -> None:
    """They say its name."""
    failure = task("t", call("find_slots", open_only=True), request="Open only, please", expected=(call("find_slots", open_only=False),))
    assert bodies(found(failure)) == []


def test_a_result_that_is_not_whole_asks_for_all_of_it() -> None:
    """If the tool says by which parameter, and how much there is."""
    first, *_ = found(task("t", call("find_slots", result={"slots": 20, "note": "20 of 45 slots: raise limit to see more"})))
    assert first.body == Rule(defaults={"limit": 45})


@pytest.mark.parametrize(
    ("made", "default"),
    [
        (call("find_slots", result="only 50 rows shown; pass limit=900 for all"), {"limit": 900}),
        (call("find_slots", result={"slots": 50, "note": "only 50 rows shown; pass limit=900 for all"}), {"limit": 900}),
        (call("find_slots", "missing parameter page (try page=200)"), {"page": 200}),
        (call("find_slots", "request timed out after 10 s; results too large, use page=200"), {"page": 200}),
        (call("find_slots", "请设置 行数=900"), {"行数": 900}),
        (call("find_slots", result={"提示": "请设置 行数=900"}), {"行数": 900}),
        (call("find_slots", result="仅显示前 50 行，请设置行数=900"), {"行数": 900}),
    ],
)
def test_what_a_tool_says_to_give_becomes_a_default(made: ToolCall, default: dict[str, object]) -> None:
    """For calls of that tool that do not give it; and where it was seen is told."""
    (first, *others) = found(task("t", made))
    assert (first.strategy, first.body, first.when) == (None, Rule(defaults=default), ABOUT)
    assert first.note.startswith("find_slots said: ")
    assert "=" in first.note
    assert bodies(others) == []


def test_what_a_tool_says_to_give_is_set_where_something_else_was_given() -> None:
    """In the type in which it is given; not if the user asked for that, nor for what the user names, nor where it was given already."""
    (first, *_) = found(task("t", call("find_slots", "page too large, use page=200", page="900")))
    assert (first.body, first.when) == (Rule(set={"page": "200"}), ABOUT | {"parameters.page": {"==": "900"}})
    refused = call("find_slots", "page too large, use page=200", page=900)
    assert bodies(found(task("t", refused, request="Pages of 900"))) == []
    assert bodies(found(task("t", refused, request="Pages of 200"))) == []
    assert bodies(found(task("t", refused, call("find_slots", "timeout", page=200)))) == []


def test_what_several_things_speak_for_is_suggested_once() -> None:
    """With what the most telling one says: a failure asks for a change once, however many signs it has."""
    refused = call("find_slots", "timed out, use limit=50")
    mends = found(task("t", refused, expected=(call("find_slots", limit=50),)), *well({"limit": 50}, {"limit": 50}))
    (only,) = [mend for mend in mends if mend.body == Rule(defaults={"limit": 50})]
    assert only.note.startswith("find_slots was expected with limit=50")


def test_what_a_tool_says_to_give_counts_beside_what_was_expected() -> None:
    """Though another sign tells more."""
    refused = call("find_slots", "timed out, use page=200 and deep=true")
    mends = found(task("t", refused, expected=(call("find_slots", limit=50),)))
    defaults: list[dict[str, object]] = [{"limit": 50}, {"page": 200}, {"deep": True}, {"page": 200, "deep": True}]
    assert bodies(mends) == [Rule(defaults=each) for each in defaults]


def test_a_tool_that_successes_call_before_becomes_a_step_of_the_plan_in_force() -> None:
    """Ahead of the one that it came before; without a plan the two become one."""
    failure = task("t", call("book", doctor="Wang"))
    others = [went_well(f"w{n}", call("find_slots", limit=50), call("book", doctor=name)) for n, name in enumerate(["Wu", "Li"])]
    step = PlanStep("call find_slots", "find_slots", {"limit": 50})
    first, *_ = found(failure, *others)
    assert first.body == Template((step, PlanStep("call book", "book")))
    plan = Strategy("plan", Template((PlanStep("greet"), PlanStep("book it", "book"))))
    first, *_ = found(failure, *others, strategies=(plan,))
    assert (first.strategy, first.body) == ("plan", Template((PlanStep("greet"), step, PlanStep("book it", "book"))))


def test_the_strategy_that_made_a_call_what_it_was_is_changed() -> None:
    """A rule's value, a plan's step with its variables, or a setting; and it might rather be left alone there."""
    rule = Strategy("few", Rule(defaults={"limit": 5}), when=ABOUT)
    failure, others = task("t", call("find_slots", limit=5)), well({"limit": 50}, {"limit": 50})
    first, narrower = found(failure, *others, strategies=(rule,))
    assert (first.strategy, first.body, first.when) == ("few", Rule(defaults={"limit": 50}), ABOUT)
    assert (narrower.strategy, narrower.body, narrower.when) == ("few", rule.body, rule.when)

    plan = Strategy("plan", Template((PlanStep("look", "slots_of_week", {"doctor": "{doctor}", "week": 9}),)))
    ought = call("find_slots", doctor="Wang", limit=50)
    first, *_ = found(task("t", call("slots_of_week", doctor="Wang", week=9), expected=(ought,), request="Wang"), strategies=(plan,))
    assert (first.strategy, first.body) == ("plan", Template((PlanStep("look", "find_slots", {"doctor": "{doctor}", "limit": 50}),)))

    ought = call("slots_of_week", doctor="Wang", limit=50)
    first, *_ = found(task("t", call("slots_of_week", doctor="Wang"), expected=(ought,), request="Wang"), strategies=(plan,))
    assert (first.strategy, first.body) == (None, Rule(defaults={"limit": 50})), "the plan said nothing of it"

    settings = Strategy("settings", Parameters({"limit": 5}))
    first, *_ = found(failure, *others, strategies=(settings,))
    assert (first.strategy, first.body) == ("settings", Parameters({"limit": 50}))


def test_a_rule_about_the_same_calls_gets_one_default_more() -> None:
    """Rather than there being two."""
    rule = Strategy("careful", Rule(defaults={"view": "full"}), types=("appointment",), when=ABOUT)
    first, *_ = found(task("t", call("find_slots", view="full")), *well({"limit": 50}, {"limit": 50}), strategies=(rule,))
    assert (first.strategy, first.body) == ("careful", Rule(defaults={"view": "full", "limit": 50}))


def test_the_last_resort_is_an_advice() -> None:
    """In the words of the sign, for tasks that have the tool."""
    (advice,) = found(task("t", call("find_slots", "timeout")))
    assert isinstance(advice.body, Rule)
    assert "find_slots could not do it: timeout" in advice.body.advice
    assert advice.when == {"tools": {"has": "find_slots"}}


def test_what_a_tool_said_stands_whole_in_an_advice() -> None:
    """Were it cut within a number, it would say another one."""
    error = "request timed out after 10 s; results too large for one page, use smaller ones: 1200 rows at a time, for each of the wards"
    (advice,) = found(task("t", call("find_slots", error)))
    assert isinstance(advice.body, Rule)
    assert error in advice.body.advice
    long = "took too long " * 60 + "1234567890"
    (advice,) = found(task("t", call("find_slots", f"timeout: {long}")))
    assert isinstance(advice.body, Rule)
    assert set(advice.body.advice.split("timeout: ")[1].removesuffix("…").split()) == {"took", "too", "long"}


values = st.one_of(
    st.integers(0, 3), st.booleans(), st.sampled_from(["x", "y", "", "Dr. Wang"]), st.none(), st.lists(st.integers(), max_size=1)
)
calls = st.builds(
    ToolCall,
    st.sampled_from(["book", "find_slots", "send"]),
    st.dictionaries(st.sampled_from(["limit", "view"]), values),
    st.none() | st.just({"truncated": True, "limit": 5}),
    st.sampled_from([None, None, "timeout", "limit must be at most 2", "did you mean 'y'?", "parameter view: one of 3"]),
)
logs = st.lists(calls, max_size=4)
in_force = st.lists(
    st.builds(
        Strategy,
        st.sampled_from(["one", "two"]),
        st.one_of(
            st.builds(
                Rule,
                st.none() | st.just("book"),
                st.dictionaries(st.just("limit"), st.integers(0, 3)),
                advice=st.sampled_from(["", "mind"]),
            ),
            st.just(Template((PlanStep("look", "find_slots", {"limit": 2}),))),
            st.just(Parameters({"limit": 2})),
        ),
        when=st.sampled_from([{}, ABOUT]),
    ),
    max_size=2,
    unique_by=lambda each: each.name,
)


@given(logs, st.lists(logs, max_size=3), st.none() | logs, in_force)
def test_every_mend_is_a_small_change_under_conditions_that_are_some(
    made: list[ToolCall], others: list[list[ToolCall]], ought: list[ToolCall] | None, strategies: list[Strategy]
) -> None:
    """Each once, of a strategy that is there or of a new one."""
    failure = task("t", *made, expected=None if ought is None else tuple(ought), request="Dr. Wang", feedback="view y")
    suggested = found(failure, *(went_well(f"w{n}", *each) for n, each in enumerate(others)), strategies=tuple(strategies))
    by_name = {strategy.name: strategy for strategy in strategies}
    for mend in suggested:
        assert not too_large(mend, by_name[mend.strategy] if mend.strategy else None)
        validated(mend.when)
    assert len(suggested) == len({repr(mend) for mend in suggested})
