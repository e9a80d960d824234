"""Who made an item stronger: what each agent has added by each cause.

Law: an agent and a cause have one share, in the order in which they first came. A few shares are a chain, the latest first, and many a
mapping: most items have one or two, and a mapping would weigh more than they do.
"""

from msgspec import Struct


class Contributed(Struct, gc=False):
    """How much strength one agent added to an item by one cause, how often, and when last (board time)."""

    amount: float
    count: int
    last: float
    agent: str
    cause: str
    former: "Contributed | None" = None
    """The one before it, where they are a chain."""


Shares = Contributed | dict[tuple[str, str], Contributed] | None
"""The latest of a chain; or all, by agent and cause; or nobody's."""

FEW = 8
"""Shares that are looked through one by one."""


def added(shares: Shares, agent: str, cause: str, amount: float, now: float, count: int) -> Shares:
    """The shares with so much more, by ``count`` acts; those that are given change along."""
    length = 0
    if isinstance(shares, dict):
        share = shares.get((agent, cause))
    else:
        share = shares
        while share is not None and not (share.agent == agent and share.cause == cause):
            share = share.former
            length += 1
    if share is not None:
        share.amount += amount
        share.count += count
        share.last = max(share.last, now)
        return shares
    if not isinstance(shares, dict) and length < FEW:
        return Contributed(amount, count, now, agent, cause, shares)
    many = by_agent_and_cause(shares)
    many[agent, cause] = Contributed(amount, count, now, agent, cause)
    return many


def by_agent_and_cause(shares: Shares) -> dict[tuple[str, str], Contributed]:
    """All shares, in order."""
    if isinstance(shares, dict):
        return shares
    chain = []
    while shares is not None:
        chain.append(shares)
        shares = shares.former
    return {(each.agent, each.cause): each for each in reversed(chain)}
