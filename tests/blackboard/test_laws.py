"""The board's laws, held against random logs.

(a) Replaying the encoded log gives the same state, changes and signals. (b) Views never leak: what an agent hears and is answered is the
same, byte for byte, as if the others' private acts had never been. (c) Strengths and the strongest items match a naive model. (d) Any split
of the log into batches, with a checkpoint and a restart between them, gives the same result. (e) Nothing that was said is lost, but what
was erased, of which no id is left, and of a kind that is discarded: it stands, or is in the archive or the history; and what was folded is
reached from its summary. (f) Whether what does not stand is in memory or on a shelf makes no difference, however old the checkpoint is that
is gone on from over the shelf of now.
"""

from typing import Any, Literal, NamedTuple

import msgspec
import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, multiple, rule

from blackboard.archive import Archive
from blackboard.board import Board
from blackboard.config import BoardConfig
from blackboard.entry import Entry
from blackboard.errors import NotInView
from blackboard.kinds import DEFAULTS, Policy
from blackboard.outcome import Addressed
from blackboard.summaries import DEFAULT
from bus import messages
from bus.messages import (
    About,
    AnyObservation,
    AnyQuery,
    Assemble,
    BeginTask,
    Check,
    Confirm,
    Constraints,
    Deposit,
    EdgesOf,
    EndRound,
    EndTask,
    Erase,
    EraseOwned,
    Experts,
    Export,
    Exported,
    Field,
    Fold,
    Get,
    HandOver,
    History,
    Hits,
    Items,
    Kinds,
    Link,
    Post,
    Recall,
    Reinforce,
    RenameKey,
    Retract,
    Scent,
    Scents,
    Search,
    SetKinds,
    Share,
    Stats,
    Tick,
    Top,
    Use,
    UseAll,
)
from tests.blackboard.driver import Driver
from tests.blackboard.shelf import Shelf

AGENTS = ("ada", "bob", "eve")
KINDS = ("fact", "fact", "tool_result", "state", "constraint", "trace", "preference")


@st.composite
def deposits(draw: st.DrawFn, scope: str) -> Deposit:
    """Anything an agent may say in ``scope``."""
    key = draw(st.sampled_from([None, "budget", "price"]))
    kind = draw(st.sampled_from(KINDS))
    valued = key is not None and draw(st.booleans())
    bound = valued and kind == "constraint"
    return Deposit(
        draw(st.sampled_from(["x", "y", "z 42"])), kind=kind, key=key, scope=scope,
        value=draw(st.sampled_from([1, 2, 60])) if valued else None,
        op=draw(st.sampled_from(["<=", ">="])) if bound else None,
        hard=kind == "constraint" and draw(st.booleans()),
        strength=draw(st.sampled_from([None, 0.4, 2.5, 9.0])),
        expires_at=draw(st.sampled_from([None] * 8 + [2e9, 1.8e9 + 300])),
    )  # fmt: skip


@st.composite
def scents(draw: st.DrawFn) -> Scent:
    """Anything that a message may be about."""
    concentration = draw(st.sampled_from([0.2, 0.75, 1.0]))
    target = draw(st.sampled_from([None, None, "A1"]))
    asked = draw(st.booleans())
    match draw(st.sampled_from(["slot", "slot", "slot", "constraint", "state", "confirmation", "continuation", "chatter"])):
        case "slot":
            key, value = draw(st.sampled_from(["price", "cat", "order_reference", "language"])), draw(st.sampled_from([1, 2, "3"]))
            return Scent(key, concentration, 0.9, target, value, f"{key}: {value}", "slot", asked)
        case "constraint":
            return Scent("directive", concentration, 0.95, target, "keep", "keep x", "constraint", asked)
        case "state":
            return Scent("directive", concentration, 0.95, target, "cancel", "cancel it", "state", asked)
        case other:
            return Scent(other, 0.1, 0.3)


class Known(NamedTuple):
    """An item that the machine made; ``secret``: the agent that keeps it private for good."""

    id: str
    secret: str | None


class BoardLaws(RuleBasedStateMachine):
    """Random crews on a board of rounds or of wall-clock time."""

    known = Bundle("known")

    @initialize(time=st.sampled_from(["rounds", "wall"]))
    def begin(self, time: Literal["rounds", "wall"]) -> None:
        self.config = BoardConfig(name="laws", time=time)
        self.shelf = Shelf()
        self.board = Board(self.config, archive=Archive(self.shelf))
        self.log: list[bytes] = []
        self.secret: list[set[str] | None] = []
        """For each entry: the agents to whom alone all of it is private: who said it, and who came into their place."""
        self.told: list[list[Addressed]] = []
        self.stamp = 1.8e9
        self.pages: dict[str, bytes] = {}
        self.saved = 0
        """The entry that ``pages`` stand for."""
        self.said: dict[str, str] = {}
        """Id → content of all that came to the board, of a kind that is not discarded."""
        self.folded: dict[str, str] = {}
        """Original → its summary."""

    def say(self, agent: str, *unit: AnyObservation, secret: str | None = None) -> None:
        post = Post(epoch=agent, seq=len(self.log) + 1, units=(unit,))
        self.log.append(msgspec.msgpack.encode((self.stamp, agent, messages.encode(post))))
        self.secret.append({secret} if secret is not None and agent in {secret, "_board"} else None)
        self.told.append(self.board.apply(self.entry(len(self.log) - 1)))
        self.shelf.write(self.board.archive, self.board.seq)
        gone = set(self.board.erased)
        self.said = {item: content for item, content in self.said.items() if item not in gone}
        self.folded = {original: summary for original, summary in self.folded.items() if not gone & {original, summary}}
        if gone:
            self.nothing_names_what_is_erased(gone)

    def nothing_names_what_is_erased(self, gone: set[str]) -> None:
        kept = b"".join(self.board.snapshot(full=True).values())
        assert not [item for item in gone if item.encode() in kept and item not in self.board._network]

    def entry(self, index: int) -> Entry:
        stamp, agent, data = msgspec.msgpack.decode(self.log[index])
        post = messages.decode_post(data)
        return Entry(seq=index + 1, stamp=stamp, agent=agent, epoch=post.epoch, post=post.seq, units=post.units)

    @rule(target=known, data=st.data(), agent=st.sampled_from(AGENTS), scope=st.sampled_from(["private", "shared"]))
    def deposit(self, data: Any, agent: str, scope: str) -> Known:
        said = data.draw(deposits(scope))
        secret = agent if scope == "private" else None
        self.say(agent, said, secret=secret)
        item = Driver(board=self.board).id_of(agent, said)
        if DEFAULTS[said.kind or "fact"].then != "discard" and not any(letter.events.refusals for letter in self.told[-1]):
            self.said[item] = said.content
        return Known(item, secret)

    @rule(data=st.data(), agent=st.sampled_from(AGENTS))
    def deposit_and_share(self, data: Any, agent: str) -> None:
        said = msgspec.structs.replace(data.draw(deposits("private")), content=f"shown by {agent}")
        self.say(agent, said, Share(Driver(board=self.board).id_of(agent, said)))

    @rule(item=known, agent=st.sampled_from(AGENTS), verb=st.sampled_from([Confirm, Use, Retract, Erase]))
    def act(self, item: Known, agent: str, verb: Any) -> None:
        self.say(agent, verb(item.id), secret=item.secret)

    @rule(item=known, agent=st.sampled_from(AGENTS), delta=st.sampled_from([0.1, 0.5, 1.0, 30.0]))
    def reinforce(self, item: Known, agent: str, delta: float) -> None:
        self.say(agent, Reinforce(item.id, delta), secret=item.secret)

    @rule(a=known, b=known, agent=st.sampled_from(AGENTS))
    def link(self, a: Known, b: Known, agent: str) -> None:
        self.say(agent, Link(a.id, b.id), secret=a.secret or b.secret)

    @rule(agent=st.sampled_from(AGENTS), items=st.lists(known, max_size=5))
    def use_all(self, agent: str, items: list[Known]) -> None:
        """Whatever is among it, of others' and gone: no word of it comes back."""
        edges = (edge.id for item in items if item.id in self.board._network for edge in self.board._network.edges_of(item.id))
        self.say(agent, UseAll((*(item.id for item in items), "nowhere"), (*edges, "nowhere")))
        assert not any(letter.events.refusals for letter in self.told[-1])

    @rule(
        data=st.data(), agent=st.sampled_from(AGENTS), scope=st.sampled_from(["private", "shared"]), n=st.integers(0, 4), turn=st.booleans()
    )
    def converse(self, data: Any, agent: str, scope: str, n: int, turn: bool) -> None:
        """What is kept private is said in a conversation of its own: an answer in another would tell of it."""
        said = Scents(tuple(data.draw(scents()) for _ in range(n)), scope, turn, scope)
        self.say(agent, said, secret=agent if scope == "private" else None)

    @rule(agent=st.sampled_from(AGENTS), scope=st.sampled_from(["private", "shared"]), begins=st.booleans())
    def change_task(self, agent: str, scope: str, begins: bool) -> None:
        self.say(agent, BeginTask("next", scope) if begins else EndTask(scope), secret=agent if scope == "private" else None)

    @rule(data=st.data(), agent=st.sampled_from(AGENTS), n=st.integers(2, 4))
    def several(self, data: Any, agent: str, n: int) -> None:
        self.say(agent, *(data.draw(deposits("shared")) for _ in range(n)))

    @rule(data=st.data(), agent=st.sampled_from(AGENTS), items=st.lists(known, min_size=2, max_size=5))
    def all_at_once(self, data: Any, agent: str, items: list[Known]) -> None:
        """Anything that may stand in one unit, a round's end in its midst."""
        unit: list[AnyObservation] = []
        end = next((each.id for each in items if not each.secret), "")  # a secret one's would tell of it
        for item in items:
            said = data.draw(deposits("shared"))
            acts = [
                said,
                Confirm(item.id),
                Use(item.id),
                UseAll((item.id, end)),
                Retract(item.id),
                Share(item.id),
                Link(item.id, end),
                Erase(item.id),
            ]
            unit.append(EndRound(int(self.board.now)) if item.secret else data.draw(st.sampled_from(acts)))
        self.say(agent, *unit)

    @rule(target=known, agent=st.sampled_from(AGENTS), scope=st.sampled_from(["private", "shared"]), content=st.sampled_from("abcd"))
    def deposit_what_fades_soon(self, agent: str, scope: str, content: str) -> Known:
        said = [Deposit(each, key="cat", scope=scope, strength=1.01) for each in (content, "e")]
        secret = agent if scope == "private" else None
        self.say(agent, *said, secret=secret)
        item, other = (Driver(board=self.board).id_of(agent, each) for each in said)
        self.said |= {item: content, other: "e"}
        return Known(item, secret)

    @rule(target=known, late=st.sampled_from([0, 0, 1, 100]))
    def fold(self, late: int) -> Any:
        """The host posts what the default summariser says; some of it, perhaps, too late."""
        groups, made = self.board.foldings(), list[Known]()
        if late:
            self.pass_time(late)
        for group in groups:
            content = DEFAULT.summarise(group)
            assert isinstance(content, str)
            secret = group[0].owner if group[0].scope == "private" else None
            self.say("_board", Fold(tuple(item.id for item in group), content), secret=secret)
            changes = [change for letter in self.told[-1] for change in letter.events.changes]
            edges = [change.ends for change in changes if change.ends is not None]
            assert late or {original for _, original in edges} == {item.id for item in group}
            self.folded |= {original: summary for summary, original in edges}
            made += (Known(summary, secret) for summary in dict.fromkeys(summary for summary, _ in edges))
        return multiple(*made)

    @invariant()
    def nothing_that_was_said_is_lost(self) -> None:
        if not hasattr(self, "board"):
            return
        network = self.board._network
        for item, content in self.said.items():
            assert network.get(item).content == content
        for original, summary in self.folded.items():
            folded = network.get(original)
            assert any(
                folded in {network.get(edge.a), network.get(edge.b)} for edge in network.edges_of(summary) if edge.relation == "folded"
            )

    @invariant()
    def nobody_says_two_values_for_one_slot(self) -> None:
        reply = self.board.answer("anyone", Top(1_000)) if hasattr(self, "board") else Items(())
        assert isinstance(reply, Items)
        said = [(a, i.kind, i.key, i.target, i.op) for i in reply.items if i.key and i.value is not None for a in i.asserters]
        assert len(said) == len(set(said))

    @rule(n=st.sampled_from([1, 1, 3, 12, 100]), fold=st.booleans())
    def pass_time(self, n: int, fold: bool = False) -> None:
        if self.config.time == "rounds":
            for _ in range(n):
                self.say("ada", EndRound(int(self.board.now)))
        else:
            self.stamp += n * 37.7
            self.say("_board", Tick())
        if fold:
            self.fold(late=0)

    @rule(kind=st.sampled_from([*KINDS, "edge"]), rate=st.sampled_from([0.0, 0.01, 0.3]), threshold=st.sampled_from([0, 0.5, 1, 3]))
    def change_kinds(self, kind: str, rate: float, threshold: float) -> None:
        per = 1 if self.config.time == "rounds" else 60
        self.say("_board", SetKinds({kind: {"rate": rate / per, "threshold": threshold, "protect": 2 * per}}))

    @rule(keys=st.sampled_from([("budget", "price"), ("price", "budget"), ("cat", "price"), ("budget", "cat"), ("price", "dog")]))
    def rename_a_key(self, keys: tuple[str, str]) -> None:
        """What had the former ids is known by the present ones: the former are free again once it does not stand."""
        self.say("_board", RenameKey(*keys))
        self.ids_are_others()

    def ids_are_others(self) -> None:
        now = self.board._network.get
        self.said = {now(item).id: content for item, content in self.said.items()}
        self.folded = {now(original).id: now(summary).id for original, summary in self.folded.items()}

    @rule(target=known, agents=st.permutations(AGENTS), data=st.data())
    def hand_over(self, agents: list[str], data: Any) -> Any:
        """What was secret to the one is no secret to the other from then on; nor is one of the things that he has now to him alone."""
        owner, to, _ = agents
        self.say("_board", HandOver(owner, to))
        for secret in self.secret:
            if secret is not None and owner in secret:
                secret.add(to)
        self.ids_are_others()
        assert not list(self.board._network.made_after(-1, (f"private:{owner}",)))
        inherited = list(self.board._network.made_after(-1, (f"private:{to}",)))
        return Known(data.draw(st.sampled_from(inherited)).id, to) if inherited else multiple()

    @rule(owner=st.sampled_from(AGENTS))
    def erase_owned(self, owner: str) -> None:
        self.say("_board", EraseOwned(owner))
        network = self.board._network
        assert not list(network.made_after(-1, (f"private:{owner}",)))
        assert not network.aliases.get(f"private:{owner}")
        assert not network.stats((f"private:{owner}",))["edges"]

    @rule(cut=st.booleans())
    def stop_and_start(self, cut: bool) -> None:
        """A batch ends here: its pages join the checkpoint, from which another host takes over; it may become the origin."""
        self.pages = {name: page for name, page in {**self.pages, **self.board.snapshot()}.items() if page}
        self.saved = len(self.log)
        if cut:
            self.shelf.cut(self.saved)
        self.crash()

    @rule()
    def crash(self) -> None:
        """Another host takes over from the latest checkpoint, and applies the log behind it again."""
        if not self.pages:
            return
        restored = Board.restore(self.config, self.pages, archive=Archive(self.shelf))
        assert [restored.apply(self.entry(n)) for n in range(self.saved, len(self.log))] == self.told[self.saved :]
        assert restored.snapshot(full=True) == self.board.snapshot(full=True)
        self.board = restored
        self.shelf.write(restored.archive, restored.seq)

    @invariant()
    def only_what_stands_is_in_memory(self) -> None:
        for item in self.board._network.made_after(-1) if getattr(self, "log", None) else ():
            assert item.shelved != item.standing
            assert item.length == len(item.content)

    def answers(self, board: Board, agent: str) -> list[bytes]:
        queries: list[AnyQuery] = [
            Top(100),
            Search("x y z 42"),
            Hits("x y z 42"),
            Assemble("x y z 42"),
            Constraints(),
            Stats(),
            Check({"budget": 30, "price": 30}),
        ]
        queries += [query for name in ("private", "shared", "") for query in (Recall("*", name), Recall("price", name), Field(name))]
        queries += [Kinds(), Experts("budget"), Experts("price"), History("budget"), History("price"), About("*")]
        for item in dict.fromkeys(change.item for letters in self.told for letter in letters for change in letter.events.changes):
            queries += [Get(item), EdgesOf(item)]
        said = [messages.encode(page) for page in pages(board, agent)]
        for query in queries:
            try:
                said.append(messages.encode(board.answer(agent, query)))
            except NotInView as error:
                said.append(str(error).encode())
        return said

    def teardown(self) -> None:
        if not getattr(self, "log", None):
            return
        replayed = Board(self.config)
        assert [replayed.apply(self.entry(n)) for n in range(len(self.log))] == self.told
        assert replayed.snapshot(full=True) == self.board.snapshot(full=True)
        for agent in AGENTS:
            self.others_secrets_make_no_difference(agent)

    def others_secrets_make_no_difference(self, agent: str) -> None:
        without, told = Board(self.config), list[Addressed]()
        for n, secret in enumerate(self.secret):
            entry = self.entry(n)
            if secret is None or agent in secret:
                told += without.apply(entry)
            elif self.config.time == "wall":  # the time that its stamp tells has passed for everybody
                told += without.apply(msgspec.structs.replace(entry, units=()))
        assert heard(agent, told) == heard(agent, [letter for letters in self.told for letter in letters])
        assert self.answers(without, agent) == self.answers(self.board, agent)


def pages(board: Board, agent: str) -> list[Exported]:
    """An export in small pages, which begin where they may: together they are one large page."""
    got: list[Exported] = []
    query: Export | None = Export(limit=3)
    while query is not None:
        page = board.answer(agent, query)
        assert isinstance(page, Exported)
        got.append(page)
        query = page.next
    [whole] = got if len(got) == 1 else [board.answer(agent, Export(limit=10_000))]
    assert isinstance(whole, Exported)
    assert whole.items == tuple(item for page in got for item in page.items)
    assert whole.edges == tuple(edge for page in got for edge in page.edges)
    return got


def heard(agent: str, letters: list[Addressed]) -> list[bytes]:
    """All that reaches an agent, as it reaches it."""
    return [messages.encode(letter.events) for letter in letters if letter.audience in {"shared", f"private.{agent}"}]


BoardLaws.TestCase.settings = settings(
    max_examples=60, stateful_step_count=30, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
TestBoardLaws = pytest.mark.timeout(150)(BoardLaws.TestCase)


class Naive:
    """An item whose strength is multiplied out, round by round."""

    def __init__(self, said: Deposit, now: int) -> None:
        self.kind = said.kind or "fact"
        self.begin(said, now)

    def begin(self, said: Deposit, now: int) -> None:
        initial = DEFAULTS[self.kind].initial
        self.strength = said.strength if said.strength is not None else initial
        self.first = max(self.strength, initial)
        self.protected_until = now + 3
        self.standing = True

    def confirm(self) -> None:
        self.strength = max(self.strength, self.first) + 0.5

    def end_round(self, now: int, policy: Policy) -> None:
        if now > self.protected_until:
            self.strength *= 1 - policy.rate
        self.standing = now < self.protected_until or self.strength >= policy.threshold


class StrengthLaws(RuleBasedStateMachine):
    """Shared items without values on a board of rounds, beside a model that decays each of them in each round."""

    def __init__(self) -> None:
        super().__init__()
        self.driver = Driver()
        self.model: dict[str, Naive] = {}
        self.kinds = dict(DEFAULTS)

    @rule(
        agent=st.sampled_from(AGENTS), content=st.sampled_from("abcdef"), kind=st.sampled_from(KINDS),
        strength=st.sampled_from([None, 5.5, 9.0]),
    )  # fmt: skip
    def deposit(self, agent: str, content: str, kind: str, strength: float | None) -> None:
        said = Deposit(content, kind=kind, strength=strength, scope="shared")
        self.driver.say(agent, said)
        item, now = self.driver.id_of(agent, said), int(self.driver.board.now)
        if item not in self.model:
            self.model[item] = Naive(said, now)
        elif self.model[item].standing:
            self.model[item].confirm()
        else:
            self.model[item].begin(said, now)

    @rule(data=st.data(), agent=st.sampled_from(AGENTS), verb=st.sampled_from(["confirm", "reinforce", "use"]), delta=st.floats(0.01, 20.0))
    def act(self, data: Any, agent: str, verb: str, delta: float) -> None:
        standing = [item for item, naive in self.model.items() if naive.standing]
        if not standing:
            return
        item = data.draw(st.sampled_from(standing))
        naive = self.model[item]
        if verb == "confirm":
            self.driver.say(agent, Confirm(item))
            naive.confirm()
        elif verb == "reinforce":
            self.driver.say(agent, Reinforce(item, delta))
            naive.strength += delta
        else:
            self.driver.say(agent, Use(item))
            naive.strength += 0.5 * max(0.0, 1 - naive.strength / (2 * naive.first))

    @rule(n=st.integers(1, 40))
    def end_rounds(self, n: int) -> None:
        for _ in range(n):
            self.driver.rounds(1)
            for naive in self.model.values():
                if naive.standing:
                    naive.end_round(int(self.driver.board.now), self.kinds[naive.kind])

    @rule(kind=st.sampled_from(KINDS), rate=st.sampled_from([0.0, 0.01, 0.5]), threshold=st.sampled_from([0.0, 0.25, 5.0]))
    def change_kinds(self, kind: str, rate: float, threshold: float) -> None:
        self.driver.say("_board", SetKinds({kind: {"rate": rate, "threshold": threshold}}))
        self.kinds = {**DEFAULTS, kind: msgspec.structs.replace(DEFAULTS[kind], rate=rate, threshold=threshold)}

    @invariant()
    def strengths_and_order_agree(self) -> None:
        top = self.driver.top("anyone", 100)
        expected = {item: naive.strength for item, naive in self.model.items() if naive.standing}
        assert {item.id: item.strength for item in top} == pytest.approx(expected, abs=1e-9)
        assert [item.strength for item in top] == pytest.approx(sorted(expected.values(), reverse=True), abs=1e-9)


StrengthLaws.TestCase.settings = settings(max_examples=60, stateful_step_count=40)
TestStrengthLaws = pytest.mark.timeout(150)(StrengthLaws.TestCase)
