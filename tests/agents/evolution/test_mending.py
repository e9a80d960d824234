from agents.evolution.mending import Case, acted, with_parameter
from agents.evolution.strategies import Mend, Parameters, PlanStep, Rule, Strategy, Template
from tests.agents.evolution.cases import call, task, went_well

ABOUT = {"tool": {"==": "find_slots"}}
FEW = Strategy("few", Rule(defaults={"limit": 5}), when=ABOUT)


def case(*strategies: Strategy) -> Case:
    """A failure under these strategies."""
    return Case(task("t", call("find_slots", limit=5), request="Dr. Wang on 2 March"), (), (), strategies)


def test_a_strategy_acted_if_the_call_shows_all_that_it_gives() -> None:
    """A rule by its tool and its values, a plan by a step; a setting, or mere advice, changes no call."""
    assert acted(FEW, call("find_slots", limit=5, doctor="Wang"))
    assert not acted(FEW, call("find_slots", limit=50))
    assert not acted(FEW, call("book", limit=5))
    redirects = Strategy("week", Rule(use="slots_of_week"), when=ABOUT)
    assert acted(redirects, call("slots_of_week"))
    assert not acted(redirects, call("find_slots"))
    assert acted(Strategy("plan", Template((PlanStep("look", "find_slots"),))), call("find_slots"))
    assert not acted(Strategy("kind", Rule(advice="be kind"), when=ABOUT), call("find_slots"))
    assert not acted(Strategy("few", Parameters({"limit": 5})), call("find_slots", limit=5))


def test_a_value_is_changed_where_it_was_given() -> None:
    """By the rule that gave it; where none did, a new one sets it where it is the same, or gives it where it is left out."""
    assert with_parameter(case(FEW), call("find_slots", limit=5), "limit", 50, "more") == Mend(
        "few", Rule(defaults={"limit": 50}), ABOUT, (), "more"
    )
    given = with_parameter(case(), call("find_slots", limit=5), "limit", 50, "more")
    assert (given.strategy, given.body, given.when) == (None, Rule(set={"limit": 50}), ABOUT | {"parameters.limit": {"==": 5}})
    absent = with_parameter(case(), call("find_slots"), "limit", 50, "more")
    assert (absent.strategy, absent.body, absent.when, absent.types) == (None, Rule(defaults={"limit": 50}), ABOUT, ("appointment",))


def test_what_belongs_to_a_task_is_what_its_request_names_or_an_id_that_a_tool_told() -> None:
    """A word that a tool told may be anybody's; what is no plain value is nobody else's."""
    looked = Case(task("t", call("find_slots", result={"slot": "S-17", "view": "full"}), request="Dr. Wang"), (), (), ())
    assert looked.belongs("Wang")
    assert looked.belongs("S-17")
    assert not looked.belongs("full")
    assert looked.belongs(["S-17"])
    assert looked.belongs("x" * 81)


def test_a_success_is_compared_by_its_last_call_that_had_no_error() -> None:
    """Those that did not call the tool are passed over."""
    well = went_well("w", call("find_slots", limit=1), call("find_slots", limit=2), call("find_slots", "timeout", limit=3))
    ((log, last),) = Case(task("t"), (), (well, went_well("v", call("book"))), ()).those("find_slots")
    assert (log, last) == (well, call("find_slots", limit=2))
