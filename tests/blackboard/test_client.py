"""The board as an agent holds it."""

import asyncio
from datetime import date
from typing import Any

import pytest

from blackboard.client import Board
from blackboard.errors import BadValue, BoardClosed, NotInView, Refused, TooBig, UnitMismatch, UnknownKind
from blackboard.items import ContextItem
from blackboard.testing import running_board
from bus.errors import BadName, NoAnswer
from bus.memory import MemoryBus
from bus.messages import AnyQuery, AnyReply, Applied, Assemble, Get


async def test_the_verbs() -> None:
    """Every verb does what its name says, and reads see it at once."""
    async with running_board("finance", "procurement") as running:
        finance, procurement = running["finance"], running["procurement"]
        basis = await finance.deposit("the basis", key="price", value=5, unit="CNY", scope="shared", meta={"from": "mail"})
        note = await finance.deposit("a note", kind="trace", key="price", strength=2.0)
        stood = await procurement.get(basis)
        assert (stood.content, stood.value, stood.unit, stood.meta, stood.owner) == ("the basis", 5, "CNY", {"from": "mail"}, "finance")

        await procurement.confirm(basis)
        await procurement.reinforce(basis.id, 1.0)
        assert (await procurement.get(basis)).strength == 4.0 + 0.5 + 1.0
        assert (await procurement.use(basis)).strength > 5.5

        await finance.link(note, basis, relation="about", strength=3.0)
        [edge] = await finance.edges_of(note)
        assert (edge.a, edge.b, edge.relation, edge.strength, edge.owner) == (note.id, basis.id, "about", 3.0, "finance")
        assert await procurement.edges_of(basis) == []

        with pytest.raises(NotInView):
            await procurement.get(note)
        await finance.share(note)
        [_, seen] = await procurement.view()
        assert seen.content == "a note"
        assert (await finance.get(note)).id == seen.id

        assert [item.content for item in await procurement.search("note")] == ["a note"]
        assert [item.content for item in await finance.top(1)] == ["the basis"]
        assert [item.content for item in await finance.top(kind="trace")] == ["a note"]
        assert [expert.agent for expert in await finance.experts("price")] == ["finance", "procurement"]
        assert [item.content for item in await finance.history("price")] == ["the basis", "a note"]

        await finance.retract(note)
        assert (await finance.get(note)).status == "released"
        assert (await finance.stats()).items == 1


async def test_a_history_is_told_however_long_it_is() -> None:
    """Also one that is more than fits into an answer, once each and in order; and others' private items are in no page of it."""
    async with running_board("finance", "procurement") as running:
        finance = running["finance"]
        for n in range(20):
            await finance.deposit(f"{n} {'x' * 90_000}", key="report", scope="private" if n % 2 else "shared")
        assert [int(item.content.split()[0]) for item in await finance.history("report")] == list(range(20))
        assert [int(item.content.split()[0]) for item in await running["procurement"].history("report")] == list(range(0, 20, 2))


async def test_what_is_said_about_a_key_is_what_counts_of_its_history() -> None:
    """What stands, of one target or of all, and of many keys by a pattern; what was superseded or is another's is not there."""
    async with running_board("finance", "procurement", kinds={"note": {"initial": 1.0, "rate": 0.5, "protect": 0.0}}) as running:
        finance = running["finance"]
        for value in (1, 2):
            await finance.deposit(f"shelf {value}", key="/stock/shelf/", target="a", value=value)
        await finance.deposit("bread", kind="note", key="/stock/", target="b", scope="shared")
        await running["procurement"].deposit("secret", key="/stock/shelf/")
        for _ in range(2):
            await finance.end_round()
        assert [item.value for item in await finance.about("/stock/shelf/")] == [2]
        assert [(item.content, item.status) for item in await finance.about("/stock/*")] == [("shelf 2", "standing"), ("bread", "archived")]
        assert [item.content for item in await finance.about("*", "b")] == ["bread"]
        assert [item.content for item in await running["procurement"].about("*")] == ["bread", "secret"]


async def test_constraints_and_checks() -> None:
    """A constraint is stated in one line, listed with its status, and checked before acting."""
    async with running_board("finance", "procurement") as running:
        finance, procurement = running["finance"], running["procurement"]
        budget = await finance.constrain("budget", "<=", 50_000, unit="CNY")
        assert (budget.content, budget.scope, budget.hard, budget.strength) == ("budget <= 50000 CNY", "shared", True, 8.0)
        assert (await procurement.constrain("budget", "<=", 50_000.0, unit="CNY")).id == budget.id
        await finance.deposit("never give the cat chocolate", kind="constraint", key="cat", hard=True, scope="shared")
        assert [(view.item.key, view.status) for view in await procurement.constraints()] == [("budget", "active"), ("cat", "active")]
        [breach] = await procurement.check(budget=52_000)
        assert (breach.item.id, breach.rule, breach.relaxable) == (budget.id, "budget <= 50000 CNY", False)
        assert await procurement.check(budget=(50_000, "CNY")) == ()
        assert await procurement.check({"not an identifier": 1}) == ()
        with pytest.raises(UnitMismatch, match="USD"):
            await procurement.check(budget=(7_000, "USD"))


async def test_ids_are_known_without_a_round_trip() -> None:
    """The item that ``deposit`` gives has the board's id, whatever it is made of."""
    async with running_board("finance") as running:
        finance = running["finance"]
        for item in (
            await finance.deposit("  spaces \n fold "),
            await finance.deposit("cafe\u0301", key="k", target="t", value={"b": [1.0, True], "a": None}, unit="u"),
            await finance.deposit("猫叫豆豆", scope="shared"),
            await finance.constrain("colour", "in", ["red", "green"], scope="private"),
            await finance.constrain("code", "matches", "^[A-Z]+$", target="order", hard=False),
        ):
            stood = await finance.get(item)
            assert stood.id == item.id
            assert (stood.content, stood.strength) == (item.content, item.strength)


async def test_a_batch_is_one_unit() -> None:
    """What is said to a batch is applied whole or not at all; an error in its body sends nothing."""
    async with running_board("finance") as running:
        finance = running["finance"]
        async with finance.batch() as batch:
            item = await batch.deposit("one", strength=1.0)
            await batch.reinforce(item, 1.0)
        assert (await finance.get(item)).strength == 2.0
        async with finance.batch() as batch:
            await batch.reinforce(item, 1.0)
            await batch.confirm("0" * 32)
        with pytest.raises(NotInView, match="number 2 of 2"):
            await finance.wait_applied()
        assert (await finance.get(item)).strength == 2.0
        with pytest.raises(RuntimeError):  # noqa: PT012 - the body is what matters
            async with finance.batch() as batch:
                await batch.reinforce(item, 1.0)
                raise RuntimeError
        assert (await finance.get(item)).strength == 2.0
        async with finance.batch():
            pass


async def test_what_no_board_takes_is_refused_at_once() -> None:
    """What cannot be right is refused before it is sent."""
    async with running_board("finance") as running:
        finance = running["finance"]
        for strength in (-1.0, 0.0, float("nan"), float("inf"), 1e7):
            with pytest.raises(BadValue, match="strength"):
                await finance.deposit("x", strength=strength)
        with pytest.raises(BadValue, match="delta -1"):
            await finance.reinforce("0" * 32, -1.0)
        with pytest.raises(TooBig, match="content"):
            await finance.deposit("x" * 200_000)
        with pytest.raises(BadValue, match="operator"):
            await finance.constrain("budget", "≤", 5)
        with pytest.raises(BadValue, match="deposit it first"):
            await finance.confirm(ContextItem("not deposited"))
        with pytest.raises(TooBig, match="smaller batches"):  # noqa: PT012 - raised on leaving
            async with finance.batch() as batch:
                for number in range(3):
                    await batch.deposit(f"{number}" * 100_000)
        assert await finance.newest() == {"shared": 0, "private.finance": 0}


async def test_refusals_are_raised_once() -> None:
    """``wait_applied`` raises what the board refused, several as a group, each once; ``refusals`` lists them."""
    async with running_board("finance", "mallory") as running:
        finance = running["finance"]
        await finance.deposit("x", kind="nonsense")
        with pytest.raises(UnknownKind, match="'nonsense'"):
            await finance.wait_applied()
        await finance.wait_applied()
        await finance.deposit("x", kind="nonsense")
        await finance.retract("0" * 32)
        with pytest.raises(ExceptionGroup) as caught:
            await finance.wait_applied()
        assert caught.group_contains(UnknownKind)
        assert caught.group_contains(NotInView)
        assert [refusal.code for refusal in await finance.refusals()] == ["UnknownKind", "UnknownKind", "NotInView"]
        assert await running["mallory"].refusals() == ()
        again = Board(running.bus, "board", "finance")
        async with again:
            await again.wait_applied()


async def test_a_round_ends_once() -> None:
    """Three agents that each end the round they are in end it once; then each is in the next."""
    async with running_board("a", "b", "c") as running:
        for number in range(3):
            for agent in "abc":
                await running[agent].end_round()
            assert (await running["a"].stats()).now == number + 1
        await running["b"].end_round(99)
        assert (await running["a"].stats()).now == 3


async def test_signals_are_filtered() -> None:
    """A feed of signals gives those that meet every filter; a rise of one's own only when asked for."""
    async with running_board("finance", "procurement") as running:
        finance, procurement = running["finance"], running["procurement"]
        basis = await finance.deposit("the basis", key="supplier_price", scope="shared")
        other = await finance.deposit("another", key="weather", scope="shared")
        rising = finance.signals("rising", key="supplier_price")
        mine, all_mine = procurement.signals("rising"), procurement.signals("rising", own=True)
        one = finance.signals(item=basis, kind="fact")
        await procurement.reinforce(other, 1.0)
        await procurement.reinforce(basis, 1.0)
        async with asyncio.timeout(5):
            signal = await anext(rising)
            assert (signal.item, signal.reason, signal.evidence.agents, signal.content) == (basis.id, "jump", ("procurement",), "the basis")
            assert (await anext(one)).item == basis.id
            assert [(await anext(all_mine)).item for _ in range(2)] == [other.id, basis.id]
        await mine.reach(await procurement.newest())
        assert mine._queue.empty()


async def test_a_feed_of_everything() -> None:
    """``feed`` gives changes and signals in the order of the log."""
    async with running_board("finance", "procurement") as running:
        feed = running["finance"].feed()
        basis = await running["finance"].deposit("the basis", scope="shared")
        await running["procurement"].reinforce(basis, 1.0)
        async with asyncio.timeout(5):
            assert [type(await anext(feed)).__name__ for _ in range(3)] == ["Change", "Change", "Signal"]


async def test_nobody_serves() -> None:
    """A board that nobody serves is said at once; so is a name that cannot be."""
    with pytest.raises(NoAnswer, match="nobody serves board 'board'"):
        async with Board(MemoryBus(lambda: 0.0), "board", "finance"):
            pass
    for board, agent in (("board", "_board"), ("board", "a.b"), ("a b", "a"), ("board", ">"), ("board", "")):
        with pytest.raises(BadName):
            Board(MemoryBus(lambda: 0.0), board, agent)


async def test_closed() -> None:
    """A closed board says so; its feeds are at their end."""
    async with running_board("finance") as running:
        finance = running["finance"]
        feed = finance.changes()
        await finance.aclose()
        with pytest.raises(BoardClosed, match="open it again"):
            await finance.deposit("x")
        assert [change async for change in feed] == []


async def test_identical_deposits_at_once_are_one_item() -> None:
    """A hundred agents asserting one constraint at once leave one item of 57.5 with a hundred asserters."""
    agents = [f"agent-{number}" for number in range(100)]
    async with running_board(*agents) as running:
        items = await asyncio.gather(*(running[agent].constrain("budget", "<=", 50_000, unit="CNY") for agent in agents))
        [item] = await running[agents[0]].top()
        assert {each.id for each in items} == {item.id}
        assert item.strength == 57.5
        assert len(item.asserters) == 100


async def test_late_joiners_and_two_opens_of_one_agent() -> None:
    """Who joins late sees what is shared; two board objects of one agent keep out of each other's way."""
    async with running_board("finance") as running:
        finance = running["finance"]
        item = await finance.deposit("shared", scope="shared", strength=1.0)
        await finance.deposit("private")
        async with Board(running.bus, "board", "late") as late, Board(running.bus, "board", "finance") as twin:
            assert [each.content for each in await late.view()] == ["shared"]
            assert len(await twin.view()) == 2
            async with asyncio.TaskGroup() as tasks:
                for _ in range(50):
                    for board in (finance, twin, late):
                        tasks.create_task(board.reinforce(item, 1.0))
            assert (await late.get(item)).strength == 151.0


async def test_refused_is_one_root() -> None:
    """Whatever the board refuses can be caught as ``Refused``."""
    async with running_board("finance") as running:
        with pytest.raises(Refused):
            await running["finance"].get("0" * 32)


async def test_a_field_of_another_type_is_named() -> None:
    """Before anything is sent, as a ``BadValue`` that says which field and what it takes."""
    async with running_board("finance") as running:
        finance = running["finance"]
        wrong: list[dict[str, Any]] = [{"key": 5}, {"kind": b"x"}, {"unit": 1}, {"expires_at": "May"}, {"hard": "yes"}, {"value": object()}]
        for field in wrong:
            with pytest.raises(BadValue, match=next(iter(field))):
                await finance.deposit("x", **field)
        with pytest.raises(BadValue, match=r"Expected `str`, got `int`.*content"):
            await finance.deposit(5)  # type: ignore[arg-type]
        with pytest.raises(BadValue, match="round"):
            await finance.end_round("seven")  # type: ignore[arg-type]
        with pytest.raises(BadValue, match="5 has no id"):
            await finance.confirm(5)  # type: ignore[arg-type]
        assert await finance.newest() == {"shared": 0, "private.finance": 0}


async def test_more_than_a_unit_holds_is_used_in_several(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each item and each edge once."""
    monkeypatch.setattr("blackboard.client.USED_AT_ONCE", 2)
    async with running_board("finance") as running:
        finance = running["finance"]
        items = [await finance.deposit(f"a cat {n}") for n in range(5)]
        other = await finance.deposit("its name is Doudou")
        await finance.link(items[0], other)
        assert len((await finance.assemble("cat")).chosen) == 6
        for item in (*items, other):
            assert [act.cause for act in (await finance.explain(item)).acts] == ["deposit", "use"]
        assert (await finance.edges_of(other))[0].strength > 1


async def test_assembling() -> None:
    """A section for a prompt from what the agent sees; what is in it is used in one unit, walked edges, too; the account shows it."""
    async with running_board("finance", "procurement") as running:
        finance, procurement = running["finance"], running["procurement"]
        budget = await finance.constrain("budget", "<=", 50_000, unit="CNY", content="At most 50,000 for the budget")
        await finance.deposit("our margin on the budget is secret")
        quote = await procurement.deposit("the quote keeps the budget")
        other = await procurement.deposit("the cat purrs")
        changes = procurement.changes(cause="use")
        async with changes:
            found = await procurement.assemble("budget", 200, 50)
            assert {(await anext(changes)).item for _ in range(2)} == {budget.id, quote.id}
        assert '<data from="finance">At most 50,000 for the budget [budget <= 50000 CNY]</data>' in found.text
        assert "- the quote keeps the budget\n" in found.text
        assert (found.budget, found.missing) == (150, ())
        assert [hit.item.id for hit in found.chosen] == [budget.id, quote.id]
        assert [(each.item.content, each.reason) for each in found.left_out] == [("the cat purrs", "not relevant")]
        assert [act.cause for act in (await procurement.explain(quote)).acts] == ["deposit", "use"]
        assert (await procurement.get(other)).strength == 4.0

        stood = (await procurement.get(quote)).strength
        assert (await procurement.assemble("budget", use=False)).chosen[1].item.strength == stood
        assert (await procurement.get(quote)).strength == stood
        with pytest.raises(BadValue, match="max_tokens -5: give a whole number"):
            await procurement.assemble("budget", -5)
        assert "budget of 5 tokens is too small" in (await procurement.assemble("budget", 5)).why_empty


async def test_without_the_account_it_is_the_same_section() -> None:
    """With what is needed to use it, and with the hard constraints that did not fit; and nothing else is carried."""
    async with running_board("finance") as running:
        finance = running["finance"]
        cat, name = await finance.deposit("the cat"), await finance.deposit("Doudou")
        await finance.link(cat, name)
        long = await finance.deposit("never, whatever it is about " * 20, kind="constraint", hard=True)
        await finance.deposit("the dog barks")
        told = await finance.assemble("cat", 60, use=False)
        found = await finance.assemble("cat", 60, account=False, use=False)
        assert (found.text, found.tokens, found.items, found.edges) == (told.text, told.tokens, told.items, told.edges)
        assert found.items == tuple(hit.item.id for hit in told.chosen) == (cat.id, name.id)
        assert found.edges == tuple(edge.id for edge in await finance.edges_of(cat))
        assert [item.id for item in found.missing] == [item.id for item in told.missing] == [long.id]
        assert (found.chosen, len(found.left_out), len(told.left_out)) == ((), 1, 2)
        stood = await finance.get(cat)
        await finance.used(found)
        assert (await finance.get(cat)).strength > stood.strength


async def test_no_question_waits_for_what_was_said_aside() -> None:
    """But for that which asks what became of all that was said."""
    async with running_board("finance") as running:
        finance = running["finance"]
        asked: list[tuple[type, int]] = []
        ask = finance._line.ask

        async def noted(query: AnyQuery, mark: tuple[str, int], **more: Any) -> AnyReply:
            asked.append((type(query), mark[1]))
            return await ask(query, mark, **more)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(finance._line, "ask", noted)
            item = await finance.deposit("the cat purrs")
            found = await finance.assemble("cat", use=False)
            await finance.used(found, aside=True)
            await finance.get(item)
            await finance.wait_applied()
            await finance.used(found)
            await finance.get(item)
        assert asked == [(Assemble, 1), (Get, 1), (Applied, 2), (Get, 3)]


async def test_edges_that_were_walked_are_used() -> None:
    """Once, and with the items that were reached over them."""
    async with running_board("finance") as running:
        finance = running["finance"]
        cat, name = await finance.deposit("the cat"), await finance.deposit("Doudou")
        await finance.link(cat, name)
        [edge] = await finance.edges_of(cat)
        found = await finance.assemble("cat")
        assert {hit.item.content: hit.edges for hit in found.chosen} == {"the cat": (), "Doudou": (edge.id,)}
        assert (await finance.edges_of(cat))[0].strength == pytest.approx(1.1)


async def test_what_is_gone_between_the_question_and_its_use_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    """The section is given, and what still stands of it is used."""
    async with running_board("finance", "procurement") as running:
        finance, procurement = running["finance"], running["procurement"]
        one, other = [await finance.deposit(f"the price of part {part}", scope="shared") for part in "AB"]
        ask = procurement._ask

        async def answered(*args: Any, **kwargs: Any) -> Any:
            reply = await ask(*args, **kwargs)
            await finance.retract(one)
            await finance.wait_applied()
            return reply

        with monkeypatch.context() as patched:
            patched.setattr(procurement, "_ask", answered)
            found = await procurement.assemble("price of part")
        assert {hit.item.id for hit in found.chosen} == {one.id, other.id}
        await procurement.wait_applied()
        assert (await procurement.get(other)).strength > 4.0
        assert (await procurement.get(one)).status == "released"


async def test_hits_say_why() -> None:
    """The best first, as a network gives them."""
    async with running_board("finance") as running:
        finance = running["finance"]
        item = await finance.deposit("the price of part A")
        [hit] = await finance.hits("price")
        assert (hit.item.id, hit.item.content, hit.why.terms, hit.edges) == (item.id, "the price of part A", ("price",), ())
        assert 0 < hit.why.relevance <= 1
        assert hit.score > 0


async def test_tomorrow_is_relative_to_a_day() -> None:
    """Which a board of rounds does not know: the asker tells it."""
    async with running_board("finance") as running:
        finance = running["finance"]
        item = await finance.deposit("the dentist, 2026-05-08")
        assert await finance.hits("what is on tomorrow") == []
        assert [hit.item.id for hit in await finance.hits("what is on tomorrow", today=date(2026, 5, 7))] == [item.id]
        assert "dentist" in (await finance.assemble("what is on tomorrow", today=date(2026, 5, 7))).text
        assert (await finance.assemble("what is on tomorrow")).chosen == ()


async def test_what_a_prompt_was_given_is_not_deposited_again() -> None:
    """A hundred turns that each deposit their whole prompt, and repeat what was in it, leave what was said, and no more."""
    async with running_board("finance", "procurement") as running:
        finance, procurement = running["finance"], running["procurement"]
        await finance.deposit("the price of\npart A is 40", scope="shared")
        await procurement.deposit("part A is blue")
        counts = set()
        for _ in range(100):
            found = await procurement.assemble("part A")
            await procurement.deposit(f"{found.text}\n\nuser: which part?", kind="tool_result")
            for hit in found.chosen:
                await procurement.deposit(hit.item.content, kind=hit.item.kind, scope=hit.item.scope)
            counts.add((await procurement.stats()).items)
        assert counts == {3}
        assert {item.content for item in await procurement.top()} == {"the price of\npart A is 40", "part A is blue", "user: which part?"}
        with pytest.raises(BadValue, match="nothing else: deposit what is new"):
            await procurement.deposit(found.text)
        with pytest.raises(BadValue, match="nothing else"):
            await procurement.constrain("part", "==", "A", content=found.text)


async def test_an_account_that_does_not_fit_the_transport_names_the_cure() -> None:
    """And nothing is used."""
    async with running_board("finance") as running:
        finance = running["finance"]
        items = [await finance.deposit(f"the price of part {n}", meta={"data": "x" * 60_000}) for n in range(20)]
        with pytest.raises(TooBig, match="ask for less at a time"):
            await finance.assemble("price")
        assert {(await finance.get(item)).strength for item in items} == {4.0}


async def test_a_question_that_cannot_be_sent_is_refused() -> None:
    """Half of a surrogate pair, as models cut them, or a number that no message has room for."""
    async with running_board("finance") as running:
        finance = running["finance"]
        with pytest.raises(BadValue, match=r"assemble: .*surrogates"):
            await finance.assemble("cat \ud83d")
        with pytest.raises(BadValue, match="assemble: "):
            await finance.assemble("cat", max_candidates=10**30)
        with pytest.raises(BadValue, match="a query of 2,000,000 characters: at most 65,536"):
            await finance.hits("x" * 2_000_000)
        with pytest.raises(BadValue, match="check: "):
            await finance.check(budget=object())
