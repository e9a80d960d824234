"""The three of them. What makes them agents is here; what makes them think is a model's."""

from typing import Any

from agents import ChatAgent, on_signal
from bus.messages import Signal

OFFERS = {
    "Qingdao": "Qingdao, two days for twelve: a hotel on the beach, 58,000 CNY all in. Guests call it the best in May.",
    "Hangzhou": "Hangzhou, two days for twelve: a guesthouse by the lake, 46,000 CNY all in. Quiet, and good for walks.",
}
GUIDE = {
    "food": "Dongpo pork, beggar's chicken, noodles with shrimps and eel; in the tea villages they fry shrimps with the young leaves of "
    "the year. Vegetarians eat best beside the Lingyin temple, whose kitchen has cooked without meat for some centuries. Tables of twelve "
    "want a call on the day before; most kitchens close by eight.",
    "walks": "Once around the lake takes four hours; the Su causeway alone takes one, and is at its best before seven. The path from "
    "Longjing over the nine creeks to the river is shaded, wet after rain, and ends at a pagoda. In the hills behind the temple there are "
    "steps, and at the end of them a teahouse that has neither menu nor prices.",
    "weather": "In May there are nineteen degrees in the morning and twenty-six at noon, with rain on every third day, seldom for long. "
    "The plum rains begin in June. Whoever walks by the lake in the evening wants a jacket, and something against the gnats.",
}
PROTOCOL = """Call several tools at once where you can. A last message in memory tags is what you remember: keep to what must hold.
Answer in one or two sentences."""


def offers(town: str) -> str:
    """What a trip to a town costs and has: Qingdao or Hangzhou."""
    return OFFERS[town]


def guide(topic: str) -> str:
    """What the guide to Hangzhou says about food, walks or weather."""
    return GUIDE[topic]


class Finance(ChatAgent):
    """Keeps the budget."""

    def __init__(self, **model: Any) -> None:
        super().__init__(
            instructions=f"You are finance. When you are told a limit, make it binding for all: constrain trip_cost, in CNY.\n{PROTOCOL}",
            verbs=("constrain", "constraints", "check"),
            **model,
        )


class Travel(ChatAgent):
    """Plans the trip. Its window is small: it holds the last few turns."""

    def __init__(self, **model: Any) -> None:
        self.answers: list[str] = []
        """What it came to when the board told it something."""
        super().__init__(
            instructions="You are travel, and plan a trip for the team. Look offers up; check a cost before you propose it, where you know "
            "of a limit; state each proposal with observe: its words, key trip_cost, its cost as value, unit CNY, scope shared.\n"
            + PROTOCOL,
            tools=(offers, guide),
            verbs=("check", "observe"),
            max_tokens=200,
            memory_tokens=400,
            window=2_100,
            **model,
        )

    @on_signal("violated", key="trip_cost")
    async def settle(self, signal: Signal) -> None:
        """What it has proposed breaks what another has said since."""
        told = f"Your proposal breaks {signal.evidence.rule}. Propose one of the offers that keeps it."
        self.answers.append(await self.chat(told, observed=False))


class Host(ChatAgent):
    """Tells the guests. It has heard nothing: what it knows is on the board."""

    def __init__(self, **model: Any) -> None:
        super().__init__(instructions=f"You are host: you tell the guests what the crew has agreed on.\n{PROTOCOL}", verbs=(), **model)
