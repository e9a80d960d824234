"""What the scripted models say. A script sees the messages of one request, as a model does, and nothing else.

What it says about limits, costs and trains it has read in the memory at the tail of the prompt, or in what is left of the history: without
them it breaks the budget, and lets everybody fly.
"""

import re
from typing import Any

from examples.chat_crew.server import Says

LIMIT = re.compile(r"trip_cost <= (\d+)")
COST = re.compile(r"(Qingdao|Hangzhou)[^.\n]*?([\d,]+) CNY(?! more)")


def script(messages: list[dict[str, Any]]) -> Says:
    """Whose prompt is it?"""
    who = re.match(r"You are (\w+)", messages[0]["content"])
    return {"finance": finance, "travel": travel, "host": host}[who[1] if who else ""](Prompt(messages))


class Prompt:
    """What a model is shown, as far as these three look."""

    def __init__(self, messages: list[dict[str, Any]]) -> None:
        self.seen = "\n".join(each["content"] for each in messages[1:])
        told = [each for each in messages if not each["content"].startswith("<memory>")]
        last = max(n for n, each in enumerate(told) if each["role"] == "user")
        self.asked: str = told[last]["content"]
        self.results = [each["content"] for each in told[last:] if each["role"] == "tool"]
        """What the tools gave that were called in this turn."""
        self.called = [made["function"]["name"] for each in told[last:] for made in each.get("tool_calls", ())]
        limit = LIMIT.search(self.seen)
        self.limit = int(limit[1]) if limit else None
        self.way = "by train" if re.search("Nobody flies|by train", self.seen) else "by plane"

    def costs(self, text: str) -> list[tuple[str, int]]:
        """Which town costs how much, as far as the text says, the latest at the end."""
        return [(town, int(cost.replace(",", ""))) for town, cost in COST.findall(text)]

    def fits(self, cost: int) -> bool:
        return self.limit is None or cost <= self.limit


def finance(prompt: Prompt) -> Says:
    told = re.search(r"([\d,]+) CNY", prompt.asked)
    if told and not prompt.called:
        limit = int(told[1].replace(",", ""))
        return Says(calls=(("constrain", {"key": "trip_cost", "op": "<=", "value": limit, "unit": "CNY"}),))
    return Says(f"It binds everybody now: {told[1]} CNY and no more." if told else "I keep the budget.")


def host(prompt: Prompt) -> Says:
    [*_, (town, cost)] = [("a town", 0), *prompt.costs(prompt.seen)]
    return Says(f"We go to {town} {prompt.way}, for {cost:,} CNY, of {prompt.limit or 0:,} at most.")


def travel(prompt: Prompt) -> Says:
    if "ropose" in prompt.asked:
        return propose(prompt)
    if extra := re.search(r"([\d,]+) CNY more", prompt.asked):
        return add(prompt, int(extra[1].replace(",", "")))
    if topic := re.search("food|walks|weather", prompt.asked):
        if not prompt.results:
            return Says(calls=(("guide", {"topic": topic[0]}),))
        return Says(f"The guide says: {re.split('[.;]', prompt.results[0])[0]}.")
    if "get there" in prompt.asked:
        return Says(f"We go {prompt.way}." + " Nobody flies, as you said." * (prompt.way == "by train"))
    return Says("Noted.")


def propose(prompt: Prompt) -> Says:
    """The dearest offer that keeps what must hold is the best."""
    if not prompt.called:
        return Says(calls=(("offers", {"town": "Qingdao"}), ("offers", {"town": "Hangzhou"})))
    town, cost = max((each for each in prompt.costs("\n".join(prompt.results)) if prompt.fits(each[1])), key=lambda each: each[1])
    proposal = f"{town} {prompt.way}: {cost:,} CNY for twelve"
    if prompt.limit and "check" not in prompt.called:
        return Says(calls=(("check", {"values": {"trip_cost": [cost, "CNY"]}}),))
    if "observe" not in prompt.called:
        stated = {"text": proposal, "key": "trip_cost", "value": cost, "unit": "CNY", "scope": "shared"}
        return Says(calls=(("observe", stated),))
    return Says(f"I propose {proposal}.")


def add(prompt: Prompt, extra: int) -> Says:
    """May it cost more? What it costs stands in the memory, as does what it may cost; who does not remember looks up what is offered."""
    costs = prompt.costs(prompt.seen)
    if not costs:
        return Says(calls=(("offers", {"town": "Hangzhou"}),))
    cost = costs[-1][1] + extra
    if not prompt.fits(cost):
        if "check" not in prompt.called:
            return Says(calls=(("check", {"values": {"trip_cost": [cost, "CNY"]}}),))
        return Says(f"No: {cost:,} CNY would break trip_cost <= {prompt.limit} CNY.")
    if "observe" not in prompt.called:
        stated = {"text": f"With a boat: {cost:,} CNY", "key": "trip_cost", "value": cost, "unit": "CNY", "scope": "shared"}
        return Says(calls=(("observe", stated),))
    return Says(f"Gladly: {cost:,} CNY.")
