"""A shop's desk, a library and a clinic, invented: talks in which something is about to be done."""

from typing import Any

from agents.memory.records import TaskLog, ToolCall, Turn

ORDER = {
    "order_id": "A17",
    "customer_id": "kim",
    "item_type": "final_sale",
    "delivery": "standard",
    "address": "1 Elm Road",
    "insurance": "no",
    "items": [{"sku": "lamp", "price": 20}],
}


def call(name: str, result: Any = None, error: str | None = None, **parameters: Any) -> ToolCall:
    """A call of a tool, and what came of it."""
    return ToolCall(name, parameters, result, error)


def talk(*turns: str | ToolCall, request: str = "Hello") -> TaskLog:
    """A talk: what is said begins with who says it (*user: …*), and calls are the desk's."""
    made = []
    for each in turns:
        if isinstance(each, ToolCall):
            made.append(Turn("desk", calls=(each,)))
        else:
            by, _, text = each.partition(": ")
            made.append(Turn(by, text))
    return TaskLog("t", "desk", request, turns=tuple(made))


def looked_up(**changes: Any) -> ToolCall:
    """The order was looked up."""
    return call("get_order", {**ORDER, **changes}, order_id="A17")
