"""The five, and what each of them does when. In any round one of them begins; the others act on the signals that follow."""

import blackboard
from agents import Agent, Crew, every, on_signal
from blackboard.errors import UnitMismatch
from bus.messages import Signal
from examples.timeline import Timeline

ROUNDS = 14


class Finance(Agent):
    """Owns the budget, and stands by it."""

    @every(rounds=1)
    async def plan(self, round_: int) -> None:
        """Lay down the limit."""
        if round_ == 0:
            await self.board.constrain("budget", "<=", 50_000, unit="CNY", hard=True, content="At most 50,000 CNY")

    @on_signal("contested", key="budget")
    async def insist(self, signal: Signal) -> None:
        """Confirmed past the other figure, a constraint is contested no more."""
        own, *_ = [item for item in await self.board.history(signal.key or "") if item.owner == self.name]
        await self.board.confirm(own)


class Engineering(Agent):
    """Wants a fast service, and more money."""

    @every(rounds=1)
    async def plan(self, round_: int) -> None:
        """Lay down a limit; then say another one for the budget: the two are contested."""
        if round_ == 1:
            await self.board.constrain("latency", "<=", 200, unit="ms", hard=False, content="A reply within 200 ms")
        if round_ == 4:
            await self.board.constrain("budget", "<=", 60_000, unit="CNY", hard=False, content="60,000 CNY would be better")


class Legal(Agent):
    """Says where data may be, and needs that often."""

    @every(rounds=1)
    async def plan(self, round_: int) -> None:
        """Said again now and then, a constraint is confirmed, and does not fade."""
        if round_ in {2, 8}:
            await self.board.constrain("region", "in", ["CN", "EU"], hard=True, content="Data stays in China or in the EU")


class Marketing(Agent):
    """Has a slogan."""

    @every(rounds=1)
    async def plan(self, round_: int) -> None:
        """Lay down a rule, and break it."""
        if round_ == 3:
            await self.board.constrain("slogan", "matches", "^[^!]*$", hard=False, content="No exclamation marks")
        if round_ == 5:
            await self.say("Twice as fast!")

    @on_signal("violated", key="slogan")
    async def mend(self, signal: Signal) -> None:
        """The newer value takes the older one's place."""
        await self.say(str(signal.evidence.values[self.name]).rstrip("!"))

    async def say(self, slogan: str) -> None:
        """Put a slogan on the board."""
        await self.board.deposit(f"Slogan: {slogan}", key="slogan", value=slogan, scope="shared")


class Operations(Agent):
    """Measures."""

    @every(rounds=1)
    async def plan(self, round_: int) -> None:
        """The same figure breaks the limit while it holds, and is let pass once nobody has needed it for long."""
        if round_ in {6, 13}:
            await self.board.deposit(f"Latency in round {round_}: 250 ms", key="latency", value=250, unit="ms", scope="shared")


def agents() -> list[Agent]:
    """The five of them."""
    return [Finance(), Engineering(), Legal(), Marketing(), Operations()]


async def main(address: str) -> int:
    """Play the rounds on the board at ``address``, then ask what one may do."""
    print(f"Five agents, {ROUNDS} rounds, one board at {address}\n", flush=True)
    report = await Crew([Timeline(), *agents()], address, rounds=ROUNDS).run()
    async with blackboard.open(address, agent="operator") as board:
        print("\nWhere the constraints stand:")
        for view in await board.constraints():
            print(f"    {view.status:<10} {view.rule:<28} {view.item.content}, says {view.item.owner}")
        print("\nMay one …")
        for quantity, asked in {"budget": 55_000, "latency": 250, "region": "US", "slogan": "Hello"}.items():
            breaches = await board.check(**{quantity: asked})
            rules = [f"{breach.rule} ({'may be relaxed' if breach.relaxable else 'binds'})" for breach in breaches]
            print(f"    {quantity} = {asked}? {'no: ' + ', '.join(rules) if rules else 'yes'}")
        try:
            await board.check(budget=(55_000, "EUR"))
        except UnitMismatch as error:
            print(f"    budget = 55000 EUR? {error}")
    return 1 if report.failures else 0
