"""Who sees what: decided here and nowhere else.

Laws:

- An agent's view is its own private items plus the shared ones, and the edges between items that it sees.
- An id that is not in one's view, whether it exists or not, gives one and the same error.
- Read and write follow the same rule: what one sees one may reinforce, and nothing else.

A scope is a word (``private``, ``shared``); a *partition* is a scope made concrete (``private:finance``, ``shared``; ``identity.partition``
says which); an *audience* is the channel on which those who see a partition hear of it (``private.finance``, ``shared``). A further scope
is one more row in that function and in the first four below.
"""

from blackboard.errors import NotInView
from blackboard.identity import partition
from blackboard.items import ContextItem, Edge
from blackboard.network import PheromoneNetwork
from bus import names


def partitions(agent: str) -> tuple[str, ...]:
    """The partitions that ``agent`` sees."""
    return names.SHARED, partition(agent, names.PRIVATE)


def sees(agent: str, thing: ContextItem | Edge) -> bool:
    """Is this item in the agent's view? (For an edge: may the agent see it, if it sees both its ends?)"""
    return thing.scope == names.SHARED or thing.owner == agent


def audience(thing: ContextItem | Edge) -> str:
    """The channel on which everyone who sees the thing, and nobody else, hears of it."""
    return names.SHARED if thing.scope == names.SHARED else names.private(thing.owner)


def audiences(agent: str) -> tuple[str, ...]:
    """The audiences that ``agent`` belongs to: of what it sees it may hear, and of nothing else."""
    return names.SHARED, names.private(agent)


def find(network: PheromoneNetwork, agent: str, item_id: str) -> ContextItem:
    """The item with that id, if ``agent`` sees it, else ``NotInView``.

    A former id still leads to its item, for those alone who saw what had it: to others the id from before an item was shared would tell
    that there once was a private one.
    """
    item = network.known(item_id)
    if item is None or not sees(agent, item):  # an id may be one agent's again, and lead another to what it was handed over
        item = network.led(item_id, partitions(agent))
    if item is None:
        raise NotInView
    return item


def former_ids(agent: str, item: ContextItem) -> dict[str, str]:
    """The former ids that lead ``agent`` to an item, each with its partition: as in ``find``, those of others tell of private items."""
    return {former: whose for former, whose in item.formerly.items() if whose in partitions(agent)}


def edges(network: PheromoneNetwork, agent: str, item: ContextItem) -> list[Edge]:
    """The edges of an item that ``agent`` sees, the strongest first."""
    return [edge for edge in network.edges_of(item) if _sees_all(network, agent, edge)]


def find_edge(network: PheromoneNetwork, agent: str, edge_id: str) -> Edge:
    """The edge with that id, or formerly, if ``agent`` sees it, else ``NotInView``."""
    edge = network.get_edge(edge_id)
    if not _sees_all(network, agent, edge):
        raise NotInView
    return edge


def _sees_all(network: PheromoneNetwork, agent: str, edge: Edge) -> bool:
    return sees(agent, edge) and all(sees(agent, network.get(end)) for end in (edge.a, edge.b))
