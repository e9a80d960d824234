"""Three agents that know of each other's work only what stands on the shared board."""

from agents import Agent, every, on_signal
from blackboard.items import ContextItem
from bus.messages import Signal
from examples.procurement import world

ROUNDS = 14


class Finance(Agent):
    """Keeps the budget. Sees the basis of its reckoning grow stronger, and reckons again."""

    async def start(self) -> None:
        await self.board.constrain(
            "budget", "<=", 50_000, unit=world.CURRENCY, hard=True, content="The project may spend at most 50,000 CNY"
        )
        await self.board.constrain("travel", "<=", 3_000, unit=world.CURRENCY, hard=False, content="Travel may cost at most 3,000 CNY")
        await self.board.deposit("The supplier's price is the basis of the budget", key="supplier_price", scope="shared")

    @on_signal("rising", key="supplier_price")
    async def recheck(self, signal: Signal) -> None:
        """Somebody is sure of news about the price: look the price up, and say what the project will cost."""
        spend = world.COMMITTED + world.list_price(round(signal.t))
        await self.say_spend(spend)

    @on_signal("contested", key="budget")
    async def settle(self, signal: Signal) -> None:
        """Another figure stands beside finance's own. Reckon again, and give way if the other is right."""
        spend = world.COMMITTED + world.list_price(round(signal.t))
        for item in await standing(self, "budget"):
            if item.owner == self.name and item.value != spend:
                await self.board.retract(item)
        await self.say_spend(spend)

    @on_signal("fading", kind="constraint")
    async def relax(self, signal: Signal) -> None:
        """Nobody has confirmed a limit for long: what is soft may be given up."""
        if signal.evidence.relaxable:
            await self.board.deposit(
                f"Relaxed, since nobody has needed it for long: {signal.content}", key=signal.key, kind="preference", scope="shared"
            )

    async def say_spend(self, spend: int) -> None:
        """Say the projected spend to everyone; that it breaks the budget is for the board to say."""
        await self.board.deposit(f"Projected spend: {spend:,} CNY", key="budget", value=spend, unit=world.CURRENCY, scope="shared")


class Procurement(Agent):
    """Talks to the supplier. Its quotes stay private; that the price moved does not."""

    def __init__(self) -> None:
        super().__init__()
        self.price = world.list_price(0)
        self.to_beat: ContextItem | None = None
        """The projected spend that broke the budget, until there is a better one."""

    @every(rounds=1)
    async def look(self, round_: int) -> None:
        """Ask the supplier. Note the quote for oneself; tell the others only that the basis of the price is news."""
        price, before = world.list_price(round_), self.price
        if price == before:
            return
        self.price = price
        note = await self.board.deposit(world.quote(round_), key="quote", value=price, unit=world.CURRENCY)
        [budget] = [view.item for view in await self.board.constraints() if view.item.key == "budget"]
        await self.board.link(note, budget.id)
        [basis] = await standing(self, "supplier_price")
        await self.board.reinforce(basis, 1.0)
        if self.to_beat:
            spend = self.to_beat.value - (before - price)
            await self.board.deposit(f"Projected spend: {spend:,} CNY", key="budget", value=spend, unit=world.CURRENCY, scope="shared")
            self.to_beat = None

    @on_signal("violated", key="budget")
    async def negotiate(self, signal: Signal) -> None:
        """The budget breaks: note whom to talk to, and remember what to beat."""
        self.to_beat = await self.board.get(signal.item)
        await self.board.deposit(f"Call Ms Lin at Hailan about {signal.evidence.rule}", key="quote", kind="trace")


class Schedule(Agent):
    """Plans journeys and the order, by what the board says."""

    @every(rounds=1)
    async def travel(self, round_: int) -> None:
        """While there are journeys, their limit is needed."""
        if round_ <= world.LAST_TRIP:
            [limit] = [view.item for view in await self.board.constraints() if view.item.key == "travel"]
            await self.board.confirm(limit.id)

    @every(rounds=5)
    async def order(self, _round: int) -> None:
        """Order, if there is a projected spend and none breaks the budget."""
        spends = [item.value for item in await standing(self, "budget")]
        if spends and not any([await self.board.check(budget=spend) for spend in spends]):
            await self.board.deposit("The all-in-one is ordered", key="order", scope="shared")

    @on_signal("violated", key="budget")
    async def hold(self, signal: Signal) -> None:
        """Nothing is ordered against the budget."""
        await self.board.deposit(f"The order waits: {signal.evidence.rule}", key="order", kind="state", scope="shared")


async def standing(agent: Agent, key: str) -> list[ContextItem]:
    """The facts that stand about ``key``."""
    return [item for item in await agent.board.history(key) if item.kind == "fact" and item.status == "standing"]


def agents() -> list[Agent]:
    """The three of them."""
    return [Finance(), Procurement(), Schedule()]
