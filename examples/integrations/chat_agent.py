"""Two chat agents on one board: what binds all reaches the other's prompt, at its tail, and stays out of its history."""

import asyncio
import re
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import blackboard
from agents import ChatAgent
from agents.chat import Budget
from examples.chat_crew.server import Says, serving


def price(nights: int) -> str:
    """What the guesthouse by the lake costs."""
    return f"{nights} nights: {nights * 4_000:,} CNY"


def script(messages: list[dict[str, Any]]) -> Says:
    """What the model says, in place of one: it knows no more than stands in its prompt."""
    seen = "\n".join(each["content"] for each in messages)
    if "At most" in seen:
        called = any(each["role"] == "tool" for each in messages)
        binding = ("constrain", {"key": "trip_cost", "op": "<=", "value": 20_000, "unit": "CNY"})
        return Says("It binds everybody.") if called else Says(calls=(binding,))
    cost = re.search(r"[\d,]+ CNY", messages[-2]["content"])
    limit = re.search(r"trip_cost <= \d+ CNY", messages[-1]["content"])
    if not cost:
        return Says(calls=(("price", {"nights": 6}),))
    return Says(f"No: {cost[0]} would break {limit[0]}." if limit else f"Yes, for {cost[0]}.")


async def main() -> None:
    budget = Budget(100_000)
    with serving(script) as url, TemporaryDirectory() as folder:
        model: dict[str, Any] = {"model": "scripted", "base_url": url}  # without a base_url: OPENAI_BASE_URL's, or OpenAI's
        async with (
            blackboard.open(Path(folder, "trip"), agent="finance") as for_finance,
            blackboard.open(Path(folder, "trip"), agent="travel") as for_travel,
            ChatAgent("finance", for_finance, budget=budget, instructions="You keep the budget.", **model) as finance,
            ChatAgent("travel", for_travel, budget=budget, instructions="You plan the trip.", tools=[price], **model) as travel,
        ):
            print("finance:", await finance.chat("At most 20,000 CNY, all in."))
            print("travel:", end=" ")
            async for piece in travel.stream("May we stay for six nights?"):
                print(piece, end="")
            print("\n\nIn travel's prompt, at the end:", travel.remembered, sep="\n")
            print("\nIn its history:", *(each["role"] for each in travel.history))


if __name__ == "__main__":
    asyncio.run(main())
