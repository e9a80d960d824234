"""Claims about what cannot be right on any board: refused by name, with its value."""

from math import inf, nan
from typing import Any

import pytest

from blackboard.errors import BadValue, Refused, TooBig
from blackboard.validity import MAX_CONTENT, validate
from bus.messages import AnyObservation, Deposit, EndRound, Fold, Link, Reinforce
from tests.blackboard.driver import Driver

HOSTILE: list[tuple[AnyObservation, type[Refused], str]] = [
    (Reinforce("x", nan), BadValue, "delta nan"),
    (Reinforce("x", inf), BadValue, "delta inf"),
    (Reinforce("x", -1.0), BadValue, "delta -1"),
    (Reinforce("x", 0.0), BadValue, "delta 0"),
    (Reinforce("x", 1.1e6), BadValue, "delta 1100000"),
    (Deposit("x", strength=nan), BadValue, "strength nan"),
    (Deposit("x", strength=-2.0), BadValue, "strength -2"),
    (Deposit("x", strength=2e6), BadValue, "1,000,000"),
    (Deposit("   "), BadValue, "empty"),
    (Deposit("x" * (MAX_CONTENT + 1)), TooBig, "131,073 bytes"),
    (Deposit("文" * (MAX_CONTENT // 3 + 1)), TooBig, "bytes"),
    (Deposit("half \ud800"), BadValue, "surrogate"),
    (Deposit("x", scope="public"), BadValue, "'public'"),
    (Deposit("x", kind=" "), BadValue, "kind"),
    (Deposit("x", key="k" * 300), TooBig, "key of 300.*belongs in the content"),
    (Deposit("x", key="\u3000"), BadValue, "key .* is empty"),
    (Deposit("x", key="a\nb"), BadValue, "control"),
    (Deposit("x", value=nan), BadValue, "value nan"),
    (Deposit("x", value={"a": [1, {"b": inf}]}), BadValue, "value inf"),
    (Deposit("x", value=b"raw"), BadValue, "bytes"),
    (Deposit("x", value=2**70), BadValue, "64 bits"),
    (Deposit("x", value="v" * 70_000), TooBig, "value and meta .*deposit where it is"),
    (Deposit("x", expires_at=nan), BadValue, "expires_at"),
    (Deposit("x", op="<=", value=1, key="k"), BadValue, "only a constraint"),
    (Deposit("x", hard=True), BadValue, "only a constraint"),
    (Deposit("x", kind="constraint", op="<=", value=1), BadValue, "key"),
    (Deposit("x", kind="constraint", op="~", value=1, key="k"), BadValue, "'~'"),
    (Deposit("x", kind="constraint", value=1, key="k"), BadValue, "operator"),
    (Link("a", "b", strength=0.0), BadValue, "strength"),
    (Link("a", "b", scope="everyone"), BadValue, "scope"),
    (Link("a", "b", relation="folded"), BadValue, "relation 'folded'.*another name"),
    (Fold(("a", "b"), "  "), BadValue, "empty"),
    (EndRound(-1), BadValue, "round -1"),
]


@pytest.mark.parametrize(("observation", "error", "words"), HOSTILE)
def test_what_cannot_be_right_anywhere_is_named_with_its_value(observation: AnyObservation, error: type[Refused], words: str) -> None:
    """Each is refused before it is sent, and by the board if it was sent all the same."""
    with pytest.raises(error, match=words):
        validate(observation)
    driver = Driver()
    driver.say("a", observation)
    (refusal,) = driver.refusals("a")
    assert refusal.code == error.__name__
    assert driver.top("a") == ()


def test_a_value_nested_beyond_reason_is_refused() -> None:
    """Deep nesting would exhaust whoever reads it."""
    deep: Any = 1
    for _ in range(100):
        deep = [deep]
    with pytest.raises(BadValue, match="levels"):
        validate(Deposit("x", value=deep))
