"""What is said to whom, and what came of it."""

import os
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import blackboard
from agents import Crew
from agents.chat import Budget
from examples.chat_crew.crew import Finance, Host, Travel
from examples.chat_crew.script import script
from examples.chat_crew.server import BROKEN, BUSY, Script, serving

TELLS = "Nobody flies: only trains."
STORY = (
    ("travel", "We are twelve, and want two days by the sea or by a lake in May."),
    ("travel", TELLS),
    ("travel", "Propose a trip."),
    ("finance", "The trip may cost 50,000 CNY at most, all in."),
    ("travel", "What about the food in Hangzhou?"),
    ("travel", "And the walks?"),
    ("travel", "And the weather in May?"),
    ("travel", "May we have a boat with a band in Hangzhou, for 6,000 CNY more?"),
    ("travel", "How do we get there: do we fly?"),
    ("host", "Tell everybody about the trip: which town, what does it cost, do we fly?"),
)


@asynccontextmanager
async def model(script: Script) -> AsyncIterator[dict[str, Any]]:
    """The model that the environment names, or else the script."""
    if name := os.environ.get("OPENAI_MODEL"):
        yield {"model": name}
        return
    with serving(script, {2: BUSY, 5: BROKEN}) as url:  # a server has its moods: both are asked again
        yield {"model": "scripted", "base_url": url}


async def main(address: str, *args: str) -> int:
    """Play the story on the board at ``address``."""
    if args:
        print(f"examples/chat_crew takes nothing, not {' '.join(args)}", file=sys.stderr)
        return 2
    budget = Budget(200_000)
    async with model(script) as behind:
        finance, host, travel = Finance(budget=budget, **behind), Host(budget=budget, **behind), Travel(budget=budget, **behind)
        crew = Crew([finance, host, travel], address)
        async with crew.working():
            await crew.settled()
            for name, text in STORY:
                agent = {"finance": finance, "host": host, "travel": travel}[name]
                print(f"you → {name}: {text}")
                print(f"    {name}: {(await agent.chat(text)).strip()}", flush=True)
                await crew.settled()
                for answer in travel.answers:
                    print(f"    ✗ the board tells travel that its proposal breaks it\n    travel: {answer.strip()}", flush=True)
                travel.answers.clear()
                if "fly?" in text and name == "travel":
                    shown(travel)
    await standing(address)
    return 1 if crew.report.failures else 0


def shown(travel: Travel) -> None:
    """Where the last prompt had it from."""
    left = all(TELLS not in each["content"] for each in travel.history)
    print(
        f"        ({TELLS!r} {'has left' if left else 'is still in'} its window, which begins with {travel.history[0]['content']!r};"
        f" it is {'' if TELLS in travel.remembered else 'not '}in the memory at the end of its last prompt)"
    )


async def standing(address: str) -> None:
    """What stands on the board, for everybody to see."""
    async with blackboard.open(address, agent="operator") as board:
        print("\nAt the end the board says, to everybody:")
        for view in await board.constraints():
            print(f"    {view.rule}, {'hard' if view.item.hard else 'soft'}, by {view.item.owner}: {view.status}")
        for item in await board.history("trip_cost"):
            if item.kind == "fact" and item.status == "standing":
                print(f"    {item.content}, by {item.owner}")
        for breach in await board.check(trip_cost=(52_000, "CNY")):
            print(f"    {breach.key} = {breach.value:,}? breaks {breach.rule}")
