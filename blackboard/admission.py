"""Whether a unit can be applied, decided before anything is changed.

Laws:

- A unit is applied whole or refused whole. All that can be wrong with it is found here, so ``board`` applies it without looking back.
- What an observation does to those behind it in its unit (it makes an item, supersedes one, shares, retracts) is foreseen in a *draft* that
  lives as long as the check.
- An id that is not in the agent's view is refused in the same words whether it exists or not.
"""

from contextlib import suppress
from typing import Any

from msgspec import Struct

from blackboard import views
from blackboard.config import BoardConfig
from blackboard.errors import BadValue, NotInView, NotYours, Refused, UnknownKind
from blackboard.identity import direction, partition
from blackboard.items import ContextItem, kind_of
from blackboard.kinds import STRONGEST
from blackboard.network import PheromoneNetwork
from blackboard.validity import validate
from blackboard.wire import from_deposit
from bus import names
from bus.messages import (
    AnyObservation,
    BeginTask,
    Confirm,
    Deposit,
    EndRound,
    EndTask,
    Erase,
    EraseOwned,
    Fold,
    HandOver,
    Link,
    Reinforce,
    RenameKey,
    Retract,
    Scents,
    SetKinds,
    SetLimits,
    Share,
    Status,
    Tick,
    Unit,
    Use,
    UseAll,
)


class _Prospect(Struct):
    """An item as it will stand at this point of the unit."""

    says: ContextItem
    """What it says, whoever says it in whatever scope."""
    scope: str
    owner: str
    asserted: bool
    """By the unit's agent."""
    others: bool = False
    """By somebody else, too."""
    status: str = "standing"

    @property
    def present(self) -> bool:
        return self.status in {"standing", "archived"}

    def unsay(self, status: Status) -> None:
        """The agent says it no longer; with the last one who did, it is ``status``."""
        self.asserted = False
        if not self.others:
            self.status = status


def reinforced(network: PheromoneNetwork, agent: str, unit: Unit) -> ContextItem | None:
    """The item of a unit that is one ``Reinforce`` and can plainly be applied, as nine units of ten can; None: ``Admission`` decides."""
    said = unit[0] if len(unit) == 1 else None
    if type(said) is not Reinforce or type(said.delta) is not float or not 0.0 < said.delta <= STRONGEST:
        return None
    item = network.known(said.item)
    return item if item is not None and item.status == "standing" and views.sees(agent, item) else None


class Admission:
    """Checks the units of one agent, each against the board as it then stands. Changes nothing."""

    def __init__(self, network: PheromoneNetwork, config: BoardConfig, agent: str) -> None:
        self._network = network
        self._config = config
        self._agent = agent

    def check(self, unit: Unit) -> None:
        """Raise ``Refused`` for the first observation that could not be applied in its turn."""
        self._draft: dict[str, _Prospect] = {}
        self._moved: dict[str, str] = {}
        self._slots: dict[tuple[Any, ...], _Prospect] = {}
        self._now = self._network.now
        self._alone = len(unit) == 1
        self._ended = False
        """Has the unit ended a round? What then still stands of what was there before, nobody knows yet."""
        for position, observation in enumerate(unit):
            try:
                validate(observation)
                self._check(observation)
            except Refused as error:
                if self._alone:
                    raise
                where = f"{type(observation).__name__.lower()}, number {position + 1} of {len(unit)} in its unit"
                raise type(error)(f"{error} ({where}: none of them was applied)") from error

    def _check(self, observation: AnyObservation) -> None:
        match observation:
            case Reinforce() | Confirm():
                self._standing(observation.item)
            case Deposit():
                self._check_deposit(observation)
            case Use():
                prospect = self._find(observation.item)
                if not prospect.present:
                    raise BadValue(f"the item is {prospect.status}: it is history, and not to be used; see what stands in its place")
                prospect.status = "standing"
            case UseAll():
                for item in observation.items:
                    self._check_passing(item)
            case Link():
                self._check_link(observation)
            case Share():
                self._check_share(observation)
            case Retract():
                self._check_retract(observation)
            case Erase():
                self._check_erase(observation)
            case Scents() | BeginTask() | EndTask():
                if not self._alone:
                    raise BadValue(
                        f"{type(observation).__name__.lower()}: it is a unit of its own, since what it does depends on what the "
                        "conversation has said: send it alone"
                    )
            case EndRound():
                if self._config.time == "wall":
                    raise BadValue(f"end of round {observation.round}: this board runs on wall-clock time and has no rounds")
                if observation.round == self._now:
                    self._now += 1
                    self._ended = True
                    self._draft, self._moved, self._slots = {}, {}, {}
            case Tick():
                if self._agent != names.HOST:
                    raise NotYours("tick: only a board's host tells the time")
            case SetKinds():
                self._require_order("kinds", "pheroboard kinds BOARD --set FILE")
                self._check_kinds(observation)
            case SetLimits():
                if self._agent != names.HOST:
                    raise NotYours("limits: only a board's host changes them (pheroboard limits BOARD --rate RATE, where its data is)")
            case RenameKey():
                self._require_order("rename", "pheroboard keys BOARD --rename OLD NEW")
                self._check_rename(observation)
            case HandOver() | EraseOwned():
                self._require_order(type(observation).__name__.lower(), "pheroboard agent remove NAME")
            case Fold():
                if self._agent != names.HOST:
                    raise NotYours("fold: only a board's host folds what has faded")

    def _check_passing(self, item: str) -> None:
        """It is used if it is there still; whether it is, matters to those behind it."""
        with suppress(NotInView):
            prospect = self._find(item)
            if prospect.present:
                prospect.status = "standing"

    def _check_deposit(self, deposit: Deposit) -> None:
        kind = kind_of(deposit.kind, deposit.meta)
        if kind not in self._network.kinds:
            known = ", ".join(sorted(self._network.kinds))
            raise UnknownKind(f"kind {kind!r}: this board knows {known}; new kinds are configuration")
        if deposit.expires_at is not None and deposit.expires_at <= self._now:
            raise BadValue(f"expires_at {deposit.expires_at!r} has passed already: it is {self._now!r} on this board")
        if not self._alone:  # what becomes of it matters to those behind it
            self._say(from_deposit(deposit, self._agent), deposit.scope)

    def _require_order(self, what: str, command: str) -> None:
        """It is the operator's, who says it in the host's name, and changes what all that is said beside it would mean."""
        if self._agent != names.HOST:
            raise NotYours(f"{what}: only a board's host says this ({command}, where its data is)")
        if not self._alone:
            raise BadValue(f"{what}: it is a unit of its own, since what is said beside it would be of another board: send it alone")

    def _check_kinds(self, said: SetKinds) -> None:
        policies = self._config.with_kinds(said.kinds).policies()
        for kind in self._network.kinds:
            if kind not in policies and self._network.holds(kind):
                raise BadValue(f"kinds.{kind}: it has items, in the history perhaps: keep its table")

    def _check_rename(self, said: RenameKey) -> None:
        if next(self._network.about(said.key), None) is None:
            raise BadValue(f"key {said.key!r} has no items to rename: pheroboard keys BOARD lists those that have")

    def _check_link(self, link: Link) -> None:
        a, b = self._standing(link.a), self._standing(link.b)
        if a is b:
            raise BadValue("link: both ends are the same item; an edge joins two")
        if link.scope == names.SHARED and not a.scope == b.scope == names.SHARED:
            raise BadValue("link: a shared edge joins shared items; share the private end first, or make the edge private")

    def _check_share(self, share: Share) -> None:
        prospect = self._standing(share.item)
        if prospect.owner != self._agent:
            raise NotYours("share: only its owner shares an item")
        if prospect.scope != names.SHARED:
            moved = self._say(prospect.says, names.SHARED)
            self._draft.pop(share.item, None)
            self._moved[share.item] = moved

    def _check_retract(self, retract: Retract) -> None:
        prospect = self._find(retract.item)
        if not prospect.present:
            raise BadValue(f"the item is {prospect.status}: there is nothing to withdraw")
        if not prospect.asserted:
            raise NotYours("retract: you have not asserted this item; only what one has said oneself can be withdrawn")
        self._unsay(prospect, "released")

    def _check_erase(self, erase: Erase) -> None:
        host = self._agent == names.HOST  # whose hand, unlike its eye, reaches everything
        prospect = self._find(erase.item, everywhere=host)
        if not host and prospect.owner != self._agent:
            raise NotYours("erase: only its owner erases an item; what one has said oneself one may retract")
        prospect.status = "discarded"
        says = prospect.says
        for summary in self._network.summaries_of(says) if says.id in self._network else ():
            if not self._is_erased(summary.id):
                self._check_summary(summary.id)

    def _check_summary(self, summary: str) -> None:
        """It goes with what it says, whoever owns it; and with it what says in turn what it says."""
        self._find(summary, everywhere=True).status = "discarded"
        for each in self._network.summaries_of(summary):
            if not self._is_erased(each.id):
                self._check_summary(each.id)

    def _say(self, says: ContextItem, scope: str) -> str:
        """Foresee what becomes of saying this: a twin confirmed or revived, or an item made anew; it supersedes what one said before."""
        item_id = says.identify(self._network.board, owner=self._agent, scope=scope)
        prospect = self._twin(item_id)
        if prospect is None:
            prospect = _Prospect(says=says, scope=scope, owner=self._agent, asserted=True)
            self._moved.pop(item_id, None)
        prospect.status, prospect.asserted = "standing", True
        self._supersede(prospect)
        self._draft[item_id] = prospect
        return item_id

    def _twin(self, item_id: str) -> _Prospect | None:
        """What says the same already, or said it until it faded. A former id leads to something only while that stands."""
        try:
            prospect = self._find(item_id)
        except Refused:
            return None
        return prospect if prospect.status == "standing" or (prospect.present and prospect.says.id == item_id) else None

    def _supersede(self, prospect: _Prospect) -> None:
        says = prospect.says
        if says.value is None or says.key is None:
            return
        place = partition(self._agent, prospect.scope)
        slot = (place, says.kind, says.key, says.target, direction(says.op))
        there = () if self._ended else self._network.slot(place, says.kind, says.key, says.target, says.op)
        former = [self._find(item.id) for item in there if item.id not in self._moved and not self._is_erased(item.id)]
        for each in (*former, self._slots.get(slot, prospect)):
            if each is not prospect and each.asserted:
                self._unsay(each, "superseded")
        self._slots[slot] = prospect

    def _unsay(self, prospect: _Prospect, status: Status) -> None:
        """The agent says it no longer. If nobody does, a summary of it that the agent sees is *outdated*: it may stand, or not."""
        prospect.unsay(status)
        gone = [] if prospect.present or prospect.says.id not in self._network else [self._network.get(prospect.says.id)]
        for each in gone:
            gone += (summary for summary in self._network.summaries_of(each) if summary not in gone)
        for summary in gone[1:]:
            if views.sees(self._agent, summary) and not self._is_erased(summary.id):
                self._find(summary.id).status = "outdated"

    def _standing(self, item_id: str) -> _Prospect:
        prospect = self._find(item_id)
        if prospect.status != "standing":
            raise BadValue(f"the item is {prospect.status}: deposit it again if it holds still")
        return prospect

    def _is_erased(self, item_id: str) -> bool:
        return item_id in self._draft and self._draft[item_id].status == "discarded"

    def _find(self, item_id: str, *, everywhere: bool = False) -> _Prospect:
        prospect = self._look_up(item_id, everywhere=everywhere)
        if prospect.status == "discarded":
            raise NotInView
        return prospect

    def _look_up(self, item_id: str, *, everywhere: bool) -> _Prospect:
        item_id = self._moved.get(item_id, item_id)
        if item_id in self._draft:
            return self._draft[item_id]
        if self._ended:
            raise BadValue("what still stands after the end of a round is known only then: send this in a unit of its own")
        item = self._network.get(item_id) if everywhere else views.find(self._network, self._agent, item_id)
        if item.id in self._draft:
            return self._draft[item.id]
        prospect = self._draft[item.id] = _Prospect(
            says=item,
            scope=item.scope,
            owner=item.owner,
            asserted=self._agent in item.asserters,
            others=any(agent != self._agent for agent in item.asserters),
            status=item.status,
        )
        return prospect
