"""Claims about how much a signal quotes."""

from blackboard.items import ContextItem
from blackboard.signals import about, excerpt, named, quoted
from bus.messages import Evidence, encode


def test_large_texts_and_values_are_quoted_by_their_beginnings() -> None:
    """Small ones as they are, whatever their type."""
    assert excerpt("short") == "short"
    assert excerpt("x" * 1_000) == "x" * 499 + "…"
    assert quoted({"a": [1, 2], "b": "y" * 1_000}) == {"a": [1, 2], "b": '"' + "y" * 498 + "…"}


def test_a_signal_is_small_whatever_it_is_about() -> None:
    """Many agents are named up to a hundred, in order."""
    agents = {f"agent-{n:04}": "v" * 60_000 for n in range(1_000)}
    assert named(agents) == tuple(sorted(agents)[:100])
    signal = about(ContextItem("c" * 100_000), "contested", 3.0, Evidence(values=quoted(agents), agents=named(agents)))
    assert (signal.t, signal.detector) == (3.0, "board/1")
    assert len(encode(signal)) < 100_000
