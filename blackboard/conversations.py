"""All conversations of a board's agents: whose each is, which are kept, and what of their facts stands in a view (chapter 3).

Laws:

- A conversation is its owner's alone: what others say reaches no field of it, and it reaches no other's.
- It is bounded, in conversations an owner.
"""

from collections.abc import Collection, Iterator, Mapping
from itertools import islice

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from blackboard import views
from blackboard.conversation import Conversation, Said
from blackboard.identity import folded_name, partition
from blackboard.items import ContextItem
from blackboard.kinds import SLOT
from blackboard.network import PheromoneNetwork
from blackboard.scent.governor import ContextGovernor
from blackboard.scent.traces import GovernorState
from blackboard.scent.wildcards import matches
from bus import names
from bus.messages import Deposit, Facts, FieldView, Recall

MAX_CONVERSATIONS = 1000
"""Of one owner: the one that has been silent for longest is forgotten for the next. What it said stands on the board."""
RECENT = 1000
"""Values of a type, the latest in view, that are considered beside those which the conversation itself has stated."""
_PAGE = "conversation:"


class _Kept(Struct, array_like=True):
    """What stands on a conversation's page."""

    owner: str
    name: str
    heard: tuple[int, int]
    governor: GovernorState
    said: list[tuple[str, str | None, Said]]


class Conversations:
    """All conversations of a board, by owner and name."""

    def __init__(self, network: PheromoneNetwork) -> None:
        self._network = network
        self._of: dict[str, dict[str, Conversation]] = {}
        """Of each owner the one that spoke last comes last."""
        self._changed: dict[tuple[str, str], None] = {}
        """Those whose pages are not what was taken last."""
        self._heard = 0, 0
        """As in ``Conversation``: the last of all."""

    # ---- what is said -------------------------------------------------------------------------------------------------------------------

    def heard(self, owner: str, name: str, entry: int) -> Conversation:
        """The conversation, in which an entry speaks: what it does to it is to be written down."""
        there = self._of.setdefault(owner, {})
        conversation = there.pop(name, None) or Conversation(name)
        there[name] = conversation
        last, number = self._heard
        conversation.heard = self._heard = (entry, number + 1 if entry == last else 0)
        self._touch(owner, name)
        if len(there) > MAX_CONVERSATIONS:
            silent = next(iter(there))
            del there[silent]
            self._touch(owner, silent)
        return conversation

    def as_it_stands(self, agent: str, said: Deposit) -> Deposit:
        """In the words of the item that gives the slot the same value already, if there is one: in two languages it is one item."""
        if said.kind != SLOT or said.key is None:
            return said
        there = self._network.slot(partition(agent, said.scope), SLOT, said.key, said.target, None)
        return next((replace(said, content=item.content) for item in there if repr(item.value) == repr(said.value)), said)

    def forget(self, item: ContextItem, ids: Collection[str]) -> None:
        """Keep nothing of an item that was erased, which all of these ids named."""
        for owner in self._of if item.scope == names.SHARED else (item.owner,):
            for name, conversation in self._of.get(owner, {}).items():
                conversation.forget(item, ids)
                self._touch(owner, name)

    def rename(self, key: str, to: str) -> None:
        """A key has another name from now on."""
        for owner, there in self._of.items():
            for name, conversation in there.items():
                conversation.rename(folded_name(key), folded_name(to))
                self._touch(owner, name)

    def hand_over(self, owner: str, to: str) -> None:
        """Let an owner's conversations be another's, but for those of a name that the other has one of."""
        theirs, mine = self._of.get(to, {}), self._of.get(owner, {})
        self.drop(owner)
        both = {**mine, **theirs}
        self._of[to] = dict(sorted(both.items(), key=lambda each: each[1].heard)[-MAX_CONVERSATIONS:])
        for name in both:
            self._touch(to, name)

    def drop(self, owner: str) -> None:
        """Keep no conversation of an owner."""
        for name in self._of.pop(owner, {}):
            self._touch(owner, name)

    def _touch(self, owner: str, name: str) -> None:
        self._changed[owner, name] = None

    # ---- what is asked ------------------------------------------------------------------------------------------------------------------

    def recall(self, agent: str, asked: Recall) -> Facts:
        """What the agent's conversation says, with the values that stand in its view."""
        conversation, asked = self._find(agent, asked.conversation), replace(asked, types=folded_name(asked.types))
        return conversation.recall(asked, self._standing(agent, conversation, asked.types))

    def view(self, agent: str, name: str) -> FieldView:
        """The field of the agent's conversation."""
        return self._find(agent, name).view()

    def _find(self, owner: str, name: str) -> Conversation:
        return self._of.get(owner, {}).get(name) or Conversation(name)

    def _standing(self, agent: str, conversation: Conversation, types: str) -> list[ContextItem]:
        """The values of the types asked for, in the agent's view: of the slots that a conversation spoke of, and that are about it.

        Of the one that has no name all are, but no more than the latest.
        """
        network, seen = self._network, views.partitions(agent)
        keys = [key for key in network.keys_of(SLOT) if matches(key, types)] if "*" in types else [types]
        spoken = [slot for slot in conversation.said if matches(slot[0], types)]
        if conversation.name:
            spoken += ((key, folded_name(conversation.name)) for key in keys)
        found = {item.ordinal: item for slot in spoken for place in seen for item in network.slot(place, SLOT, *slot, None)}
        for key in () if conversation.name else keys:
            present = (item for item in network.about_lately(key, SLOT) if item.present and item.partition in seen)
            found.update(
                (item.ordinal, item) for item in islice(present, RECENT)
            )  # of these: how many there are of others shows in nothing
        return list(found.values())

    # ---- checkpoints --------------------------------------------------------------------------------------------------------------------

    def pages(self, *, full: bool = False) -> Iterator[tuple[str, bytes]]:
        """(page name, bytes) of each conversation that has changed since they were taken last, ``b""`` where it is gone; or of all.

        A page has all of its conversation: over the one from before nothing is left of what was forgotten.
        """
        changed = [(owner, name) for owner, there in self._of.items() for name in there] if full else list(self._changed)
        for owner, name in changed:
            conversation = self._of.get(owner, {}).get(name)
            yield f"{_PAGE}{owner}:{name}", b"" if conversation is None else _written(owner, conversation)
        if not full:
            self._changed.clear()

    def restore(self, pages: Mapping[str, bytes]) -> None:
        """Take up the conversations of a snapshot."""
        kept = [msgspec.msgpack.decode(page, type=_Kept) for page in pages.values()]
        for each in sorted(kept, key=lambda each: each.heard):
            conversation = Conversation(each.name, ContextGovernor.restore(each.governor))
            conversation.heard = each.heard
            conversation.said = {(key, target): said for key, target, said in each.said}
            self._of.setdefault(each.owner, {})[each.name] = conversation


def is_page(name: str) -> bool:
    """Is a page of a snapshot a conversation's?"""
    return name.startswith(_PAGE)


def _written(owner: str, conversation: Conversation) -> bytes:
    said = [(key, target, said) for (key, target), said in conversation.said.items()]
    return msgspec.msgpack.encode(_Kept(owner, conversation.name, conversation.heard, conversation.governor.dump(), said))
