"""The network against a naive model, which multiplies every item in every round and sorts to find the strongest."""

from dataclasses import dataclass, field
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from blackboard.errors import BadValue, NotInView
from blackboard.items import ContextItem
from blackboard.kinds import DEFAULTS, EDGE
from blackboard.network import PheromoneNetwork

KINDS = ("constraint", "fact", "state", "trace")
OWNERS = ("ann", "bob")
VALUES = st.sampled_from([None, 1, 2])
KEYS = st.sampled_from(["k", "k", "k", "l"])
STRENGTHS = st.sampled_from([None, 0.6, 1.3, 2.3, 4.0, 9.0])


@dataclass
class Naive:
    """One item, or one edge, of the model."""

    kind: str
    strength: float
    first: float
    protected: float
    number: int
    status: str = "standing"
    owner: str = ""
    scope: str = "private"
    value: int | None = None
    key: str = "k"
    confirmed: int = 0
    sayers: dict[str, None] = field(default_factory=dict)

    def take_over(self, owner: str) -> None:
        """What is history, and not merely in the archive, is its next sayer's."""
        if self.status not in {"standing", "archived"}:
            self.owner, self.sayers = owner, {}

    @property
    def partition(self) -> str:
        return "shared" if self.scope == "shared" else f"private:{self.owner}"

    @property
    def present(self) -> bool:
        return self.status in {"standing", "archived"}

    @property
    def s0(self) -> float:
        return max(self.first, DEFAULTS[self.kind].initial)


class NetworkMatchesModel(RuleBasedStateMachine):
    """Strengths to 1e-9, the same order, and the same round of forgetting."""

    def __init__(self) -> None:
        super().__init__()
        self.network = PheromoneNetwork(summariser=None)
        self.model: dict[str, Naive] = {}
        self.edges: dict[str, tuple[float, set[str]]] = {}
        self.folded: set[tuple[str, str, str]] = set()
        """(partition, summary, original)"""
        self.round = 0
        self.made = 0

    # ---- acts ---------------------------------------------------------------------------------------------------------------------------

    @initialize(rounds=st.sampled_from([0, 7, 100_000]))
    def begin(self, rounds: int) -> None:
        self.network.advance(rounds)
        self.round = rounds

    @rule(
        n=st.integers(0, 9), kind=st.sampled_from(KINDS), owner=st.sampled_from(OWNERS), strength=STRENGTHS, value=VALUES, key=KEYS
    )  # fmt: skip
    def deposit(self, n: int, kind: str, owner: str, strength: float | None, value: int | None, key: str) -> None:
        said: dict[str, Any] = {"kind": kind, "owner": owner, "key": key, "value": value}
        item = self.network.deposit(ContextItem(f"item {n}", **said), initial_strength=strength)
        policy = DEFAULTS[kind]
        known = self.model.get(item.id)
        if known is not None and known.status == "standing":
            known.strength = max(known.strength, known.s0) + policy.confirm
            known.confirmed = self.round
            self.say(item.id, owner)
            return
        if known is None:
            known = self.model[item.id] = Naive(kind, 0.0, 0.0, 0.0, self.made, owner=owner, value=value, key=key)
            self.made += 1
        known.take_over(owner)
        known.status = "standing"
        known.strength = known.first = policy.initial if strength is None else strength
        known.protected, known.confirmed = self.round + policy.protect, self.round
        self.say(item.id, owner)

    @rule(data=st.data(), act=st.sampled_from(["confirm", "reinforce", "use"]), delta=st.sampled_from([0.1, 1.0, 30.0]))
    def strengthen(self, data: st.DataObject, act: str, delta: float) -> None:
        item_id = self.pick(data)
        if item_id is None:
            return
        known = self.model[item_id]
        policy = DEFAULTS[known.kind]
        if act == "use" and known.status == "archived":
            self.network.use(item_id)
            known.status, known.strength, known.protected = "standing", policy.initial / 2, self.round
        elif known.status != "standing":
            with pytest.raises(BadValue, match=known.status):
                self.network.confirm(item_id)
        elif act == "confirm":
            self.network.confirm(item_id)
            known.strength, known.confirmed = max(known.strength, known.s0) + policy.confirm, self.round
        elif act == "reinforce":
            self.network.reinforce(item_id, delta)
            known.strength, known.confirmed = known.strength + delta, self.round
        else:
            self.network.use(item_id)
            known.strength += policy.use * max(0.0, 1 - known.strength / (2 * known.s0))

    @rule(data=st.data())
    def share(self, data: st.DataObject) -> None:
        item_id = self.pick(data)
        if item_id is None or self.model[item_id].status != "standing" or self.model[item_id].scope == "shared":
            return
        item = self.network.share(item_id, by=self.model[item_id].owner)
        known, twin = self.model.pop(item_id), self.model.get(item.id)
        self.move_ends({item_id: item.id})
        if twin is not None and twin.status == "standing":
            twin.strength = max(twin.strength, known.strength) + DEFAULTS[known.kind].confirm
            twin.confirmed = self.round
            self.say(item.id, known.owner)
            return
        sharer, known.scope = known.owner, "shared"
        if twin is not None:
            twin.take_over(sharer)
            known.number, known.owner, known.sayers = twin.number, twin.owner, twin.sayers
            known.key = twin.key
        self.model[item.id] = known
        self.say(item.id, sharer)

    @rule(key=KEYS, to=KEYS)
    def rename(self, key: str, to: str) -> None:
        """All items of a key go to the other; those that then say the same are one; of two values for a slot a sayer keeps the newest."""
        if key == to or not any(known.key == key for known in self.model.values()):
            return
        self.become(self.network.rename_key(key, to), key=to)

    @rule(owner=st.sampled_from(OWNERS))
    def hand_over(self, owner: str) -> None:
        """All that is private of one is private of the other, in whose name it is said; else it is as with a key."""
        to = next(each for each in OWNERS if each != owner)
        for known in self.model.values():
            if known.partition == f"private:{owner}":
                known.sayers = {to if each == owner else each: None for each in known.sayers}
        heir = {f"private:{owner}": f"private:{to}"}
        self.folded = {(heir.get(where, where), summary, original) for where, summary, original in self.folded}
        self.become(self.network.hand_over(owner, to), owner=to)

    @rule(owner=st.sampled_from(OWNERS))
    def erase_owned(self, owner: str) -> None:
        """Nothing that is private of the one is left."""
        self.network.erase_owned(owner)
        gone = {item_id for item_id, known in self.model.items() if known.partition == f"private:{owner}"}
        self.model = {item_id: known for item_id, known in self.model.items() if item_id not in gone}
        self.edges = {edge_id: edge for edge_id, edge in self.edges.items() if not gone & edge[1]}
        self.folded = {each for each in self.folded if each[0] != f"private:{owner}" and not gone & {*each[1:]}}

    def become(self, moved: dict[str, str], *, key: str | None = None, owner: str | None = None) -> None:
        """Items have other ids; those that then say the same are one; of two values for a slot a sayer keeps the newest."""
        self.move_ends(moved)
        for former, item_id in moved.items():
            stays, goes = self.model.pop(former), self.model.pop(item_id, None)
            if goes is not None:
                if (goes.status == "standing", goes.present) >= (stays.status == "standing", stays.present):
                    stays, goes = goes, stays
                if goes.present:
                    stays.sayers |= goes.sayers
                if goes.status == "standing":
                    stays.strength = max(stays.strength, goes.strength)
                stays.confirmed = max(stays.confirmed, goes.confirmed)
            stays.key, stays.owner = key or stays.key, owner or stays.owner
            self.model[item_id] = stays
        sayers: set[Any] = set()
        for item_id, known in sorted(self.model.items(), key=lambda each: (each[1].confirmed, each[1].number), reverse=True):
            slot = (known.partition, known.kind, known.key)
            if known.value is not None and known.present:
                said, owner = list(known.sayers), known.owner
                known.sayers = {each: None for each in said if (slot, each) not in sayers}
                if known.owner not in known.sayers:
                    known.owner = next(iter(known.sayers), owner)
                if not known.sayers:
                    known.status = "superseded"
                    self.outdate(item_id)
                sayers |= {(slot, each) for each in said}

    def move_ends(self, moved: dict[str, str]) -> None:
        """What joined items joins those that they have become; of two edges that join the same the stronger stays."""
        self.folded = {(where, moved.get(summary, summary), moved.get(original, original)) for where, summary, original in self.folded}
        joined: dict[frozenset[str], float] = {}
        for strength, ends in self.edges.values():
            now = frozenset(moved.get(end, end) for end in ends)
            joined[now] = max(strength, joined.get(now, 0.0))
        self.edges = {self.edge_id(min(ends), set(ends)): (strength, set(ends)) for ends, strength in joined.items() if len(ends) == 2}

    @rule(data=st.data(), strength=st.sampled_from([None, 0.11, 2.0]))
    def connect(self, data: st.DataObject, strength: float | None) -> None:
        a, b = self.pick(data), self.pick(data)
        if a is None or b is None or a == b:
            return
        edge = self.network.connect(a, b, initial_strength=strength, owner="")
        old = self.edges.get(edge.id)
        self.edges[edge.id] = (strength or EDGE.initial if old is None else max(old[0], EDGE.initial) + EDGE.confirm, {a, b})

    @rule()
    def fold(self) -> None:
        """What waits and is related becomes a summary, as strong as one that it replaces; nothing else that stands moves."""
        for group in self.network.foldings():
            former = {each for item in group for each in self.summaries_of(item.id)}
            summary = self.network.fold(group, " ".join(item.content for item in group))
            assert summary is not None
            assert all(self.model[item.id].status == "archived" for item in group)
            policy = DEFAULTS["summary"]
            if summary.id not in self.model:
                self.model[summary.id] = Naive("summary", 0.0, 0.0, 0.0, self.made, "", summary.owner, summary.scope, key=summary.key or "")
                self.made += 1
            known = self.model[summary.id]
            if known.status != "standing":
                known.status, known.strength, known.first, known.protected = "standing", 3.0, 3.0, self.round + policy.protect
            elif summary.partition == group[0].partition:
                known.strength = max(known.strength, known.s0)
            self.folded |= {(group[0].partition, summary.id, item.id) for item in group}
            for each in former - {summary.id}:
                old = self.model[each]
                if old.present and old.partition == group[0].partition and not all(self.model[o].present for o in self.originals_of(each)):
                    if summary.partition == old.partition and old.status == "standing":
                        known.strength = max(known.strength, old.strength)
                    old.status = "superseded"

    @rule(rounds=st.sampled_from([1, 1, 1, 2, 5, 40]))
    def evaporate(self, rounds: int) -> None:
        for _ in range(rounds):
            self.network.evaporate()
            self.step(None)

    @rule(rate=st.sampled_from([0.0, 0.05, 0.5]))
    def evaporate_at(self, rate: float) -> None:
        self.network.evaporate(rate=rate)
        self.step(rate)

    @rule()
    def leap(self) -> None:
        """Many rounds in one step are as many single rounds: what is forgotten meanwhile was not touched."""
        self.network.advance(self.round + 6)
        for _ in range(6):
            self.step(None)

    @rule()
    @precondition(lambda self: self.model)
    def restart(self) -> None:
        """A restored network is the network."""
        restored = PheromoneNetwork(summariser=None)
        restored.restore(self.network.snapshot(full=True))
        assert restored.snapshot(full=True) == self.network.snapshot(full=True)
        self.network = restored

    # ---- the model ----------------------------------------------------------------------------------------------------------------------

    def step(self, rate: float | None) -> None:
        for item_id, known in list(self.model.items()):
            if known.status != "standing":
                continue
            policy = DEFAULTS[known.kind]
            if rate is not None:
                known.strength *= 1 - rate
            elif known.protected <= self.round:
                known.strength *= 1 - policy.rate
            waits = known.protected > self.round + 1 and rate is None
            if known.strength < policy.threshold * (1 - 1e-11) and not waits:
                if policy.then == "discard":
                    del self.model[item_id]
                    self.edges = {edge_id: edge for edge_id, edge in self.edges.items() if item_id not in edge[1]}
                else:
                    known.status = "archived"
        self.edges = {edge_id: (s * (1 - (EDGE.rate if rate is None else rate)), ends) for edge_id, (s, ends) in self.edges.items()}
        self.edges = {edge_id: edge for edge_id, edge in self.edges.items() if edge[0] >= EDGE.threshold * (1 - 1e-11)}
        self.round += 1

    def say(self, item_id: str, by: str) -> None:
        """``by`` says it, and so no longer what it said before for the slot."""
        newer = self.model[item_id]
        newer.sayers.setdefault(by)
        for other_id, older in self.model.items():
            same = (older.kind, older.scope, older.key) == (newer.kind, newer.scope, newer.key) and (
                older.scope == "shared" or older.owner == newer.owner
            )
            if other_id == item_id or not same or None in {older.value, newer.value} or older.status not in {"standing", "archived"}:
                continue
            if by in older.sayers:
                del older.sayers[by]
                if older.sayers:
                    older.owner = next(iter(older.sayers)) if older.owner == by else older.owner
                    continue
            elif older.owner != newer.owner:
                continue
            older.status = "superseded"
            self.outdate(other_id)

    def outdate(self, original: str) -> None:
        """The summaries of an item go, unless what is left of them will be folded anew."""
        for each in self.summaries_of(original):
            summary = self.model[each]
            if summary.present and self.model[original].partition in {summary.partition, "shared"}:
                left = [self.model[o] for o in self.originals_of(each)]
                owners = [o.owner for o in left if o.status == "archived" and o.partition == summary.partition]
                if summary.status != "standing" or all(owners.count(owner) < 2 for owner in owners):
                    summary.status = "superseded"

    def summaries_of(self, item_id: str) -> set[str]:
        return {summary for _, summary, original in self.folded if original == item_id}

    def originals_of(self, summary: str) -> set[str]:
        return {original for _, each, original in self.folded if each == summary}

    def pick(self, data: st.DataObject) -> str | None:
        return data.draw(st.sampled_from(sorted(self.model, key=lambda each: self.model[each].number))) if self.model else None

    def edge_id(self, item_id: str, ends: set[str]) -> str:
        return next(edge.id for edge in self.network.edges_of(item_id) if {edge.a, edge.b} == ends)

    # ---- what must hold -----------------------------------------------------------------------------------------------------------------

    @invariant()
    def strengths_and_statuses_agree(self) -> None:
        for item_id, known in self.model.items():
            item = self.network.get(item_id)
            assert item.status == known.status
            expected = known.strength if known.status == "standing" else 0.0
            assert item.strength == pytest.approx(expected, rel=1e-9)
        assert {item.id for item in self.network.all_items()} == {each for each, known in self.model.items() if known.status == "standing"}

    @invariant()
    def the_strongest_agree(self) -> None:
        standing = [known for known in self.model.values() if known.status == "standing"]
        best = sorted((known.strength for known in standing), reverse=True)
        for partitions in (None, ["shared"], ["shared", "private:ann"]):
            top = self.network.top(5, partitions=partitions)
            assert [(-item.strength, item.ordinal) for item in top] == sorted((-item.strength, item.ordinal) for item in top)
            if partitions is None:
                assert [item.strength for item in top] == pytest.approx(best[:5], rel=1e-9)
        stats = self.network.stats()
        assert stats["items"] == len(standing) == sum(stats["owners"].values()) == sum(stats["kinds"].values())
        assert stats["tiers"]["archived"] == sum(known.status == "archived" for known in self.model.values())

    @invariant()
    def edges_agree(self) -> None:
        assert self.network.stats()["edges"] == len(self.edges) + len(self.folded)
        for partition, summary, original in self.folded:
            assert original in {edge.b for edge in self.network.edges_of(summary) if edge.partition == partition}
        for edge_id, (strength, ends) in self.edges.items():
            (edge,) = [each for each in self.network.edges_of(next(iter(ends))) if each.id == edge_id]
            assert {edge.a, edge.b} == ends
            assert edge.strength == pytest.approx(strength, rel=1e-9)

    @invariant()
    def what_is_gone_is_unknown(self) -> None:
        with pytest.raises(NotInView):
            self.network.get("nobody")


NetworkMatchesModel.TestCase.settings = settings(max_examples=60, stateful_step_count=40)
test_the_network_matches_a_naive_model = NetworkMatchesModel.TestCase
