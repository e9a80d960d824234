"""The board: a state machine that a log of entries drives (chapter 1).

Laws:

- The state is a fold of the log. ``apply(entry)`` is deterministic: no clock, no random numbers, no I/O. Replaying the entries gives the
  same state, changes and signals, bit for bit on one platform.
- Every change of state happens here and in ``network``. Whether a unit may be applied is decided in ``admission``, before anything moves;
  what an agent sees, in ``views``.
- Time moves only with entries: an ``EndRound`` on a board of rounds, the entry's stamp on a wall-clock one. Stamps never run backwards: a
  smaller one counts as the largest so far.
- A refused unit leaves no trace but its ``Refusal`` to its sender.
- What does not stand says it from the archive, which whoever keeps the board writes with what each entry did.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from blackboard import views
from blackboard.admission import Admission, reinforced
from blackboard.alerts import Alerts, AlertState
from blackboard.answers import Answers
from blackboard.archive import Archive
from blackboard.config import BoardConfig
from blackboard.conversations import Conversations, is_page
from blackboard.document import Document
from blackboard.entry import Entry
from blackboard.errors import BadValue, NotInView, Refused
from blackboard.identity import folded_name
from blackboard.items import ContextItem
from blackboard.kinds import Policy
from blackboard.network import PheromoneNetwork
from blackboard.outcome import Addressed, Outcome
from blackboard.text import AnalysisCache
from blackboard.trends import Detector
from blackboard.waiting import Group
from blackboard.wire import from_deposit, from_wire, to_wire
from bus import names
from bus.messages import (
    AnyObservation,
    AnyQuery,
    AnyReply,
    BeginTask,
    Confirm,
    Deposit,
    EndRound,
    EndTask,
    Erase,
    EraseOwned,
    Fold,
    Get,
    HandOver,
    Item,
    Items,
    Link,
    Refusal,
    Reinforce,
    RenameKey,
    Retract,
    Scents,
    SetKinds,
    SetLimits,
    Share,
    Status,
    Use,
    UseAll,
)

_PAGE = "board"
"""The page of a snapshot that is the board's own; the others are the network's."""


class Thread(Struct, frozen=True):
    """What is needed to follow an item's changes back: all ids that it ever had, and the entry that changed it last."""

    item: Item
    ids: frozenset[str]
    entry: int


class _State(Struct):
    """What stands on the board's own page."""

    seq: int = 0
    stamp: float = 0.0
    told: dict[str, int] = {}
    alerts: AlertState = field(default_factory=AlertState)
    kinds: dict[str, Policy] | None = None
    """The configured kinds, if they are others than the origin's."""
    limits: SetLimits | None = None
    """What was said of them last."""


class Board:
    """One board. ``detectors``: the defaults if not given; ``archive``: one in memory; ``analyses``: none are kept."""

    def __init__(
        self,
        config: BoardConfig,
        detectors: tuple[Detector, ...] | None = None,
        archive: Archive | None = None,
        analyses: AnalysisCache | None = None,
    ) -> None:
        self.config, detectors = config.with_detectors(detectors)
        """As it stands: its kinds and limits may have changed since its origin."""
        self._outcome = Outcome()
        self._network = PheromoneNetwork(
            kinds=config.policies(), edge=config.edge_policy(), board=config.name, core=config.core, recorder=self._outcome,
            summariser=None, archive=archive, analyses=analyses, wall_clock=config.time == "wall",
        )  # fmt: skip
        self.archive = self._network.archive
        """What the items say that do not stand."""
        self.analyses = self._network.analyses
        """What the items' texts come to, as far as that is kept."""
        self._alerts = Alerts(self._network, detectors, config)
        self._conversations = Conversations(self._network)
        self._answers = Answers(self._network, self._alerts, self._conversations, config)
        self._state = _State()

    @property
    def seq(self) -> int:
        """The last entry that was applied."""
        return self._state.seq

    @property
    def stamp(self) -> float:
        """When the last entry that was applied was said: Unix seconds."""
        return self._state.stamp

    @property
    def now(self) -> float:
        """The round, or Unix seconds."""
        return self._network.now

    @property
    def erased(self) -> tuple[str, ...]:
        """All ids, former ones too, of what the last entry erased: nothing that is kept may name them any longer."""
        return self._outcome.erased

    @property
    def bereft(self) -> tuple[str, ...]:
        """The agents of whom the last entry erased all that was private."""
        return self._outcome.bereft

    # ---- the fold -----------------------------------------------------------------------------------------------------------------------

    def apply(self, entry: Entry) -> list[Addressed]:
        """Apply one entry; what it did, addressed to those who may hear of it. Never raises for what an agent said."""
        state, outcome = self._state, self._outcome
        outcome.begin(entry.seq)
        if self.config.time == "wall" and state.seq == 0:
            self._network.begin(entry.stamp)
        state.seq = entry.seq
        state.stamp = max(state.stamp, entry.stamp)
        if self.config.time == "wall":
            self._advance(state.stamp)
        network, agent = self._network, entry.agent
        admission = Admission(network, self.config, agent)
        for number, unit in enumerate(entry.units):
            item = reinforced(network, agent, unit)
            if item is not None:
                old, delta = item.strength, unit[0].delta  # type: ignore[union-attr]  # it is a Reinforce
                network.strengthen(item, old, delta, agent)
                outcome.reinforced(item, old, old + delta, agent)
                self._alerts.reinforced(item, old, delta, agent, outcome)
                continue
            try:
                admission.check(unit)
            except Refused as error:
                self._refuse(entry, number, error)
                continue
            for observation in unit:
                self._do(agent, observation)
            self._alerts.notice(outcome.take_touches(), outcome)
        return outcome.addressed(state.told, self._network.now)

    def next_due(self) -> float | None:
        """When a ``Tick`` is due, in Unix seconds; ``None`` if never, as on a board of rounds."""
        if self.config.time == "rounds":
            return None
        return min((due for due in (self._network.next_due(), self._alerts.next_due()) if due is not None), default=None)

    def foldings(self, limit: int = 16) -> list[Group]:
        """Up to ``limit`` groups of items for the host to fold (``Fold``), as they stand: copies. Empty if none waits."""
        return [tuple(from_wire(to_wire(item)) for item in group) for group in self._network.foldings(limit)]

    def _advance(self, to: float) -> None:
        """Let time pass, on a wall clock in steps to each detector's due point: a tick that comes late finds what one in time had found."""
        while self.config.time == "wall" and (due := self._alerts.next_due()) is not None and due < to:
            self._step(due)
        self._step(to)

    def _step(self, to: float) -> None:
        self._network.advance(to)
        self._alerts.due(self._outcome)
        self._alerts.notice(self._outcome.take_touches(), self._outcome)

    def _refuse(self, entry: Entry, unit: int, error: Refused) -> None:
        refusal = Refusal(code=error.code, message=str(error), epoch=entry.epoch, seq=entry.post, unit=unit)
        self._outcome.refuse(entry.agent, refusal)

    def _do(self, agent: str, observation: AnyObservation) -> None:
        network = self._network
        match observation:
            case Reinforce():
                network.reinforce(self._find(agent, observation.item), observation.delta, by=agent)
            case Deposit():
                network.deposit(from_deposit(observation, agent), initial_strength=observation.strength, by=agent)
            case Confirm():
                network.confirm(self._find(agent, observation.item), by=agent)
            case Use():
                network.use(self._find(agent, observation.item), by=agent)
            case UseAll():
                self._use_all(agent, observation)
            case Link():
                self._link(agent, observation)
            case Share():
                item = self._find(agent, observation.item)
                if item.scope != names.SHARED:
                    self._alerts.moved({item.id: network.share(item, by=agent).id})
            case Retract():
                network.retract(self._find(agent, observation.item), by=agent)
            case Fold():
                network.fold(observation.items, observation.content)
                # What has been erased since the summary was made is in it, and so in this entry.
                self._outcome.erased += tuple(each for each in observation.items if each not in network)
            case Erase():
                item = network.get(observation.item) if agent == names.HOST else self._find(agent, observation.item)
                self._erased(network.erase(item, by=agent))
                self._conversations.forget(item, self._outcome.erased)
            case EraseOwned(owner):
                self._erased(network.erase_owned(owner, by=agent))
                self._conversations.drop(owner)
                self._outcome.bereft += (owner,)
            case Scents():
                self._release(agent, observation)
            case BeginTask(task, conversation):
                self._conversations.heard(agent, conversation, self.seq).begin_task(task)
            case EndTask(conversation):
                self._conversations.heard(agent, conversation, self.seq).governor.end_task()
            case EndRound():
                if observation.round == network.now:
                    # What the unit did until here belongs to the round that ends.
                    self._alerts.notice(self._outcome.take_touches(), self._outcome)
                    self._advance(network.now + 1)
            case RenameKey(key, to):
                self._alerts.moved(network.rename_key(key, to, by=agent), of_key=folded_name(key))
                self._conversations.rename(key, to)
            case HandOver(owner, to):
                self._alerts.moved(network.hand_over(owner, to, by=agent))
                self._conversations.hand_over(owner, to)
            case SetKinds():
                self._set_kinds(self.config.with_kinds(observation.kinds).kinds)
            case SetLimits():
                self._set_limits(observation)
            case _:
                pass  # a tick: the entry's stamp has moved the time already

    def _erased(self, ids: tuple[str, ...]) -> None:
        self._outcome.erased += ids
        self._alerts.forget(each for each in ids if each not in self._network)  # one may be an id again of what was said anew

    def _use_all(self, agent: str, said: UseAll) -> None:
        """Use what of it the agent still sees, each thing once, and let the rest pass."""
        for item in dict.fromkeys(said.items):
            with suppress(NotInView):
                found = self._find(agent, item)
                if found.present:
                    self._network.use(found, by=agent)
        for each in dict.fromkeys(said.edges):
            with suppress(NotInView):
                self._network.use_edge(views.find_edge(self._network, agent, each), by=agent)

    def _release(self, agent: str, said: Scents) -> None:
        conversation = self._conversations.heard(agent, said.conversation, self.seq)
        for scent, deposit in conversation.release(said):
            item = from_deposit(self._conversations.as_it_stands(agent, deposit), agent)
            former = conversation.note(scent, self._network.deposit(item, by=agent))
            if former is not None:
                self._network.supersede(former, by=agent)

    def _link(self, agent: str, said: Link) -> None:
        a, b = self._find(agent, said.a), self._find(agent, said.b)
        scope = said.scope or (names.SHARED if a.scope == b.scope == names.SHARED else names.PRIVATE)
        self._network.connect(a, b, initial_strength=said.strength, relation=said.relation, owner=agent, scope=scope, by=agent)

    def _set_kinds(self, kinds: dict[str, Policy]) -> None:
        former = self._network.kinds
        self.config = replace(self.config, kinds=kinds)
        self._state.kinds = kinds
        self._network.set_kinds(self.config.policies(), self.config.edge_policy())
        for name, kind in self._network.kinds.items():
            if name in former and kind.rate != former[name].rate:
                self._alerts.pace(self._network.of_kind(name))

    def _set_limits(self, said: SetLimits) -> None:
        self.config = replace(self.config, rate=said.rate, burst=said.burst)
        self._state.limits = said

    def _find(self, agent: str, item_id: str) -> ContextItem:
        return views.find(self._network, agent, item_id)

    # ---- questions ----------------------------------------------------------------------------------------------------------------------

    def prepare(self, agent: str, query: AnyQuery, limit: int) -> bool:
        """Do some of what ``answer`` would have to do first, up to ``limit`` items' worth; is there more of it? It changes no answer."""
        return self._answers.prepare(agent, query, limit)

    def answer(self, agent: str, query: AnyQuery, *, at: float | None = None) -> AnyReply:
        """The answer to ``agent``, from its view; on a wall-clock board as of ``at`` (Unix seconds). Raises ``Refused``."""
        at = max(at, self.now) if at is not None and self.config.time == "wall" else None
        return self._answers.answer(agent, query, at=at)

    def thread(self, agent: str, item_id: str, *, at: float | None = None) -> Thread:
        """Where ``explain`` takes up an item of the agent's view, as it stands at ``at``. Raises ``NotInView``."""
        item = self._find(agent, item_id)
        reply = self.answer(agent, Get(item.id), at=at)
        assert isinstance(reply, Items)
        return Thread(reply.items[0], frozenset({item.id, *item.formerly}), item.last_entry)

    def keys(self) -> dict[str, Counter[Status]]:
        """Every key, in private too → how many items of each status it has. For the operator: a walk over all that have a key."""
        return self._network.keys()

    def tiers(self, *, at: float) -> dict[str, int]:
        """Tier → how many items it has of everybody's, as of ``at`` on a wall-clock board. For the operator."""
        return self._network.stats(at=max(at, self.now) if self.config.time == "wall" else None)["tiers"]

    # ---- exports ------------------------------------------------------------------------------------------------------------------------

    def document(self) -> Document:
        """All that it holds, of everybody, as of its last entry, with what it is made with: what ``of_document`` makes a board of again."""
        settings = msgspec.to_builtins(self.config)
        return replace(self._network.document(), time=self.config.time, settings=settings)

    @classmethod
    def of_document(cls, document: Document, name: str, detectors: tuple[Detector, ...] | None = None) -> "Board":
        """A new board that holds what an export does, to the bit, from entry 1 of its log on.

        Under another name it has other ids. What happened before is not in an export (no event, no account), nor what detectors remember.
        Raises ``BadValue``, ``UnknownKind``.
        """
        settings = {"time": document.time, **document.settings, "name": name, "detectors": ()}
        try:
            config = msgspec.convert(settings, BoardConfig)
        except msgspec.ValidationError as error:
            raise BadValue(f"the export's settings are none: {error}") from error
        board = cls(config, detectors)
        board._network.take_in(document)
        board._alerts.begin()
        board._state.seq, board._state.stamp = 1, document.now
        return board

    # ---- checkpoints --------------------------------------------------------------------------------------------------------------------

    def snapshot(self, *, full: bool = False) -> dict[str, bytes]:
        """Page name → bytes of the state after entry ``seq``: what ``ahead`` and ``take`` give.

        ``full``: of everything, which is a mere read.
        """
        if full:
            return {**self._network.snapshot(full=True), **dict(self._conversations.pages(full=True)), _PAGE: self._own()}
        return dict((*self.ahead(), *self.take()))

    def ahead(self, *, anew: bool = False) -> Iterator[tuple[str, bytes]]:
        """(page name, bytes) of what changed since that was taken last, a little at a time; entries may be applied in between.

        It is a state only with what ``take`` gives then. With ``anew`` nothing is left of what was written before.
        """
        return self._network.ahead(anew=anew)

    def take(self) -> Iterator[tuple[str, bytes]]:
        """The rest of it, which makes it the state after entry ``seq``: no entry may be applied meanwhile. ``b""``: the page is gone."""
        yield from self._network.take()
        yield from self._conversations.pages()
        yield _PAGE, self._own()

    def spelt_out(self) -> dict[str, bytes]:
        """A full snapshot that is the same for all boards that are the same, however they came to be; and the end of this one's use."""
        self._alerts.spell_out()
        return self.snapshot(full=True)

    def _own(self) -> bytes:
        self._state.alerts = self._alerts.dump()
        return msgspec.msgpack.encode(self._state)

    @classmethod
    def restore(
        cls,
        config: BoardConfig,
        pages: Mapping[str, bytes],
        detectors: tuple[Detector, ...] | None = None,
        archive: Archive | None = None,
        analyses: AnalysisCache | None = None,
    ) -> "Board":
        """The board whose snapshot this is: a full one, or all that ever changed, over the archive that it had."""
        board = cls(config, detectors, archive, analyses)
        board._state = msgspec.msgpack.decode(pages[_PAGE], type=_State)
        if board._state.kinds is not None:
            board._set_kinds(board._state.kinds)
        if board._state.limits is not None:
            board._set_limits(board._state.limits)
        board._network.restore({name: page for name, page in pages.items() if name != _PAGE and not is_page(name)})
        board._conversations.restore({name: page for name, page in pages.items() if is_page(name)})
        board._alerts.restore(board._state.alerts)
        return board
