"""One conversation of an agent's: what it has said by scents, the items that come of it, and the facts that it recalls (chapter 3).

Laws:

- What a message comes to is decided here, from the field as it stands: the board deposits what it is given. All of that was admitted,
  now or when it was first said.
- The value is the board's. A field says how sure it is of that, a slot's own record how long ago it was said; neither makes one up.
- It is bounded: in slots, and the field is by itself.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from sys import maxsize

from msgspec import Struct
from msgspec.structs import replace

from blackboard.identity import folded, folded_name
from blackboard.items import ContextItem
from blackboard.kinds import CONSTRAINT, SLOT, STATE
from blackboard.scent.field import PheromoneField
from blackboard.scent.governor import ContextGovernor
from blackboard.scent.kernel import RecallKernel
from bus.messages import Deposit, Fact, Facts, FieldView, Recall, Scent, Scents

Slot = tuple[str, str | None]
"""Type and target."""

_Stated = tuple[str | None, str | None, str]
"""Type, target and value."""

MAX_SLOTS = 1024
"""Of one conversation, of which it is known when they were last said; the one that was said longest ago is forgotten for the next."""


MAX_FACTS = 1000
"""In one answer, whatever their types: the most confident."""


class Said(Struct, array_like=True):
    """When a conversation last stated a slot's value, how surely, and the item that says it."""

    round: int
    concentration: float
    decay: float
    item: str


class Conversation:
    """One conversation: its field under its governor, and when each slot was said."""

    def __init__(self, name: str, governor: ContextGovernor | None = None) -> None:
        self.name = name
        self.governor = governor or ContextGovernor(PheromoneField())
        self.said: dict[Slot, Said] = {}
        """What was said last comes last."""
        self.heard = 0, 0
        """The entry of the log that spoke in it last, and the how manieth of that entry's."""

    @property
    def field(self) -> PheromoneField:
        """What it has said lately."""
        return self.governor.field

    # ---- what is said -------------------------------------------------------------------------------------------------------------------

    def release(self, said: Scents) -> Iterator[tuple[Scent, Deposit]]:
        """A message's scents, with what the items say that come of them."""
        if said.settings is not None:
            self.field.settings = said.settings
        rules = list[Deposit]()
        # As its items' keys are, so that it is renamed, recalled and forgotten with them.
        scents = [replace(scent, type=folded_name(scent.type)) for scent in said.scents]
        for scent in self.governor.release(scents, turn=said.turn):
            deposit = self._deposit(scent, said.scope)
            if deposit is None or deposit in rules:  # "it must stay and never change" is one rule, said once
                continue
            if deposit.kind == CONSTRAINT:
                rules.append(deposit)
            yield scent, deposit

    def _deposit(self, scent: Scent, scope: str) -> Deposit | None:
        """The item that a scent comes to. What names no entity is about the conversation, if that has a name.

        None for what makes none, and for a request of a former task: to go on with that is not to ask for it again.
        """
        if scent.asked:
            return None
        target = scent.target or self.name or None
        if scent.kind == SLOT:
            return Deposit(scent.content, SLOT, key=scent.type, target=target, value=scent.value, scope=scope)
        if scent.kind == CONSTRAINT:
            return Deposit(scent.content, CONSTRAINT, target=target, scope=scope)
        if scent.kind == STATE:
            return Deposit(scent.content, STATE, key=scent.value, target=target, scope=scope)
        return None

    def note(self, scent: Scent, item: ContextItem) -> str | None:
        """This item came of a scent. Gives the item that it takes the place of beside its own slot's, if there is one: the value that was
        stated before it was known which entity the conversation is about.
        """
        if item.kind != SLOT or item.key is None:
            return None
        self.said.pop((item.key, item.target), None)
        self.said[item.key, item.target] = Said(self.field.round, scent.concentration, scent.decay, item.id)
        if len(self.said) > MAX_SLOTS:
            del self.said[next(iter(self.said))]
        unnamed = self._target(None)
        before = self.said.pop((item.key, unnamed), None) if item.target != unnamed else None
        return None if before is None else before.item

    def begin_task(self, task: str) -> None:
        """It turns to another task: of what it said before, the core alone is its own still."""
        self.governor.begin_task(task)
        self.said = {slot: said for slot, said in self.said.items() if self.field.is_core(slot[0])}

    def forget(self, item: ContextItem, ids: Collection[str]) -> None:
        """Keep nothing that says what an item said, in whatever words, nor these ids of it."""
        self.said = {slot: said for slot, said in self.said.items() if said.item not in ids}
        content, slot = folded(item.content), (item.key, repr(item.value)) if item.kind == SLOT else None
        self.governor.forget(lambda scent: folded(scent.content) == content or (scent.type, repr(scent.value)) == slot)

    def rename(self, key: str, to: str) -> None:
        """A type has another name from now on."""
        self.governor.rename(key, to)
        self.said = {(to if each == key else each, target): said for (each, target), said in self.said.items()}

    # ---- what is asked ------------------------------------------------------------------------------------------------------------------

    def recall(self, asked: Recall, standing: Iterable[ContextItem]) -> Facts:
        """What it says of these slots' values, and of what has none, the most confident first, so many of each type."""
        sure: dict[_Stated, Fact] = {}
        facts: list[Fact] = []
        for fact in RecallKernel(self.field).recall(asked.types, limit=maxsize):  # they are counted with those of the board
            slot = fact.type, self._target(fact.target)
            if slot in self.said:
                sure[*slot, repr(fact.value)] = fact
            else:
                facts.append(fact)
        once: dict[_Stated, ContextItem] = {}  # what is said in private and shared is one fact
        for item in standing:
            stated = item.key, item.target, repr(item.value)
            if stated not in once or self._said_by(item) is not None:
                once[stated] = item
        facts += (self._fact(item, sure.get(stated)) for stated, item in once.items())
        counted: Counter[str] = Counter()
        best = []
        for fact in sorted(facts, key=lambda fact: (-fact.confidence, fact.staleness)):
            counted[fact.type] += 1
            if counted[fact.type] <= asked.limit:
                best.append(fact)
        return Facts(tuple(best[:MAX_FACTS]))

    def _target(self, named: str | None) -> str | None:
        """What names no entity is about the conversation, if that has a name."""
        target = named or self.name
        return folded_name(target) if target else None

    def _fact(self, item: ContextItem, sure: Fact | None) -> Fact:
        """What an item says, as sure as the field is; where it is not, as sure as when it was said, evaporated since."""
        assert item.key is not None
        stated = {"value": item.value, "target": item.target, "content": item.content, "item": item.id}
        if sure is not None:
            return replace(sure, **stated)
        said = self._said_by(item) or Said(0, 0.0, 0.0, item.id)
        staleness = self.field.round - said.round
        confidence = said.concentration * said.decay**staleness
        return Fact(type=item.key, confidence=confidence, round=said.round, staleness=staleness, confirm=True, **stated)

    def _said_by(self, item: ContextItem) -> Said | None:
        """When the conversation stated what the item says, if that is what it stated last of the slot."""
        said = self.said.get((item.key or "", item.target))
        return said if said is not None and (said.item == item.id or said.item in item.formerly) else None

    def view(self) -> FieldView:
        """Its field as it stands."""
        field = self.field
        return FieldView(
            round=field.round, concentrations=field.concentrations(), task=field.task, topic=field.topic, focus=field.focus,
            settings=field.settings, diluted=tuple(sorted(field.diluted)), snapshots=tuple(each.task for each in self.governor.snapshots),
        )  # fmt: skip
