"""Claims about attribution: it names a turn of an agent, says why, and how sure it is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.evolution.attribution import WEIGHTS, Weights, attribute, suspects
from agents.evolution.symptoms import SYMPTOMS
from agents.memory.records import NOT_AGENTS, TaskLog, ToolCall, Turn

LONG = "so the work goes on with the next of the things that the request asks for"
TURNS = st.lists(
    st.builds(
        Turn,
        by=st.sampled_from(("user", "tool", "system", "ann", "bob", "cid")),
        text=st.sampled_from(("", LONG, "It failed", "Is it 7?", "The request is satisfied", "据我所知是 9")),
        calls=st.lists(st.builds(ToolCall, st.just("query"), error=st.sampled_from((None, "no"))), max_size=2).map(tuple),
    ),
    max_size=12,
)


def log(*turns: Turn) -> TaskLog:
    return TaskLog("t", "ann", "How many were sold?", turns=turns)


@given(TURNS)
def test_every_turn_of_an_agent_is_ranked_once(turns: list[Turn]) -> None:
    """No other is; their probabilities are 1 together."""
    found = suspects(log(*turns))
    assert sorted(each.turn for each in found) == [number for number, turn in enumerate(turns) if turn.by not in NOT_AGENTS]
    assert all(turns[each.turn].by == each.agent and each.reason for each in found)
    assert sum(each.confidence for each in found) == pytest.approx(1 if found else 0)
    assert attribute(log(*turns)) == (found[0] if found else None)


def test_a_person_alone_makes_no_mistake() -> None:
    """Nor does an empty log tell of one."""
    assert attribute(log(Turn("user", "Well?"))) is None
    assert attribute(log()) is None


def test_a_figure_from_memory_is_blamed() -> None:
    """Rather than whoever asked, or those who agreed; the reason says so."""
    found = attribute(
        log(
            Turn("ann", f"Let us count what was sold, {LONG}"),
            Turn("bob", f"I look at the table, {LONG}", (ToolCall("query", {}, "many rows"),)),
            Turn("cid", f"Based on general knowledge we sold 731, {LONG}"),
            Turn("ann", f"Confirmed, this is final, {LONG}"),
        )
    )
    assert found is not None
    assert (found.agent, found.turn) == ("cid", 2)
    assert found.reason.startswith(SYMPTOMS["by hand"])
    assert SYMPTOMS["unsourced"] in found.reason
    assert found.confidence > 0.25


def test_a_call_that_failed_is_blamed() -> None:
    """Where all else is plain."""
    found = attribute(
        log(
            Turn("ann", f"Let us count what was sold, {LONG}"),
            Turn("bob", f"I look, {LONG}", (ToolCall("query", {}, error="no such table"),)),
            Turn("cid", f"There is nothing, {LONG}"),
        )
    )
    assert found is not None
    assert (found.agent, found.turn) == ("bob", 1)


def test_the_agent_counts_as_much_as_the_turn() -> None:
    """One likely turn gives way to an agent who has several that are nearly as likely."""
    weights = Weights({"asks": 0.2}, {})
    found = suspects(log(Turn("ann", "Which?"), Turn("bob", "This."), Turn("bob", "That.")), weights)
    assert [(each.agent, each.turn) for each in found] == [("bob", 1), ("bob", 2), ("ann", 0)]
    assert found[-1].confidence == max(each.confidence for each in found)
    assert found[0].reason == "nothing speaks for another turn"


def test_weights_are_of_symptoms_that_there_are() -> None:
    """A name with a slip would weigh nothing, and nobody would see it."""
    assert WEIGHTS.peers.keys() | WEIGHTS.led.keys() <= SYMPTOMS.keys()
    assert {"leads", "settles"}.isdisjoint(WEIGHTS.peers)


def test_the_reason_names_what_adds_the_most() -> None:
    """Up to three symptoms that speak for it, the heaviest first; none that speak against it."""
    weights = Weights(peers={"opens": 0.1, "formal": -1.0, "asks": 0.3, "complains": 0.2}, led={})
    [only] = suspects(log(Turn("ann", "What?")), weights)
    assert only.reason == f"{SYMPTOMS['asks']}; {SYMPTOMS['opens']}"
    [only] = suspects(log(Turn("ann", LONG)), Weights({}, {}))
    assert only.reason == "nothing speaks for another turn"
