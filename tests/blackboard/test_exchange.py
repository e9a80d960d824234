"""A view as a document, and a document as what an agent says."""

from collections.abc import AsyncIterator

import pytest
from msgspec.structs import replace

from blackboard.client import Board
from blackboard.document import Document
from blackboard.errors import BadValue, NotInView
from blackboard.exchange import collect, plan, read, write
from blackboard.kinds import DEFAULTS, STRONGEST
from blackboard.testing import RunningBoard, running_board
from bus.messages import BoardStats, EdgeRecord, Export, Exported, ItemRecord
from tests.blackboard.hosting import some_life


def item(name: str, **figures: object) -> ItemRecord:
    return replace(ItemRecord(id=name, content=name, kind="fact", strength=4.0), **figures)


@pytest.fixture
async def running() -> AsyncIterator[RunningBoard]:
    async with running_board("finance", "procurement") as running:
        for board in (running["finance"], running["procurement"]):
            await some_life([board])
            with pytest.raises(NotInView):
                await board.wait_applied()
        await running["finance"].deposit("永远 \x00 <&>", key="k", value={"a": [1, 2.5]}, meta={"深": "度"}, scope="shared")
        yield running


async def bring(text: str, board: Board) -> tuple[int, int, int, dict[str, int]]:
    done = await board.import_(text)
    return done.deposited, done.reinforced, done.linked, done.left


async def test_an_agent_exports_what_it_sees_and_nothing_else(running: RunningBoard) -> None:
    """Items of any status and the edges between them, in both forms, to the bit; and the board is as it was."""
    before = running.service.board.snapshot(full=True)
    finance, procurement = running["finance"], running["procurement"]
    document = await finance.document()
    assert read(await finance.export("graphml")) == read(await finance.export()) == document
    own = {each.id for each in document.items if each.scope == "private"}
    assert own
    assert all(each.owner == "finance" for each in document.items if each.scope == "private")
    assert {"standing", "released", "superseded"} & {each.status for each in document.items} >= {"standing"}
    assert len(document.edges) == 1
    theirs = await procurement.document()
    assert own.isdisjoint(each.id for each in theirs.items)
    shared = [each for each in document.items if each.scope == "shared"]
    assert shared == [each for each in theirs.items if each.scope == "shared"]
    assert [each.strength for each in shared if each.status == "standing"] == [
        (await finance.get(each.id)).strength for each in shared if each.status == "standing"
    ]
    assert running.service.board.snapshot(full=True) == before


async def test_an_import_says_it_in_one_s_own_name(running: RunningBoard) -> None:
    """On another board: each item as strong as it was, edges too; said twice, the second says nothing; what cannot come is counted."""
    text = await running["finance"].export("graphml")
    standing = {each.content: each for each in read(text).items if each.status == "standing"}
    async with running_board("eve", name="other") as other:
        eve = other["eve"]
        deposited, reinforced, linked, left = await bring(text, eve)
        assert (deposited, reinforced, linked) == (len(standing), 0, 1)
        assert left.get("history", 0) == len(read(text).items) - len(standing)
        found = {each.content: each for each in await eve.top(100)}
        assert {name: each.strength for name, each in found.items()} == {name: each.strength for name, each in standing.items()}
        assert {(each.owner, tuple(each.asserters)) for each in found.values()} == {("eve", ("eve",))}
        odd = found["永远 \x00 <&>"]
        assert (odd.value, odd.meta, odd.scope) == ({"a": [1, 2.5]}, {"深": "度"}, "shared")
        assert (await bring(text, eve))[:3] == (0, 0, 0)
        for _ in range(5):
            await eve.end_round()
        assert (await bring(text, eve))[:3] == (0, len(standing), 0)
        assert {each.content: each.strength for each in await eve.top(100)} == pytest.approx(
            {name: each.strength for name, each in standing.items()}
        )


async def test_where_it_came_from_it_says_nothing(running: RunningBoard) -> None:
    """Not to its exporter, nor to another agent of what is shared; after a share neither."""
    finance = running["finance"]
    note = await finance.deposit("a note to share")
    text = await finance.export()
    assert (await bring(text, finance))[:3] == (0, 0, 0)
    await finance.share(note)
    assert (await bring(text, finance))[:3] == (0, 0, 0)
    shared = Document(board="board", items=tuple(each for each in read(text).items if each.scope == "shared"))
    assert (await bring(write(shared, "json"), running["procurement"]))[:3] == (0, 0, 0)


def left(document: Document, there: Document | None = None) -> dict[str, int]:
    return plan(document, there or Document(board="there", now=5.0), agent="eve", kinds=DEFAULTS).done().left


def test_what_stays_behind() -> None:
    """Is counted by reason."""
    assert left(Document(items=(item("a", status="archived", strength=0.0),))) == {"history": 1}
    assert left(Document(items=(item("a", kind="rumour"),))) == {"kind 'rumour', which the board does not know": 1}
    assert left(Document(now=7.0, items=(item("a", expires_at=7.0),))) == {"expired": 1}
    assert left(Document(time="wall", items=(item("a", expires_at=7.0),))) == {"an expiry by another clock": 1}
    twins = (item("a", content="x", owner="ann"), item("b", content="x", owner="bob"))
    assert left(Document(items=twins)) == {"said by several, and one here": 1}
    rivals = (item("a", key="k", value=1, scope="shared"), item("b", key="k", value=2, scope="shared"))
    edge = EdgeRecord(id="e", a="a", b="b", strength=1.0)
    assert left(Document(items=rivals, edges=(edge,))) == {"an edge of what stays": 1, "an older value of a slot": 1}
    folded = replace(edge, relation="folded")
    assert left(Document(items=(item("a"), item("b")), edges=(folded,))) == {"the way from a summary to what was folded": 1}


def test_rounds_are_counted_from_where_a_board_is() -> None:
    """What had three rounds left has three left; on the same board, and on a wall clock, a time is a time."""

    def expires(document: Document, there: Document) -> float | None:
        return plan(document, there, agent="eve", kinds=DEFAULTS).deposits[0].expires_at

    document = Document(board="here", now=4.0, items=(item("a", expires_at=7.0),))
    assert expires(document, Document(board="there", now=100.0)) == 103.0
    assert expires(document, Document(board="here", now=5.0)) == 7.0
    assert expires(replace(document, time="wall"), Document(board="there", time="wall", now=5.0)) == 7.0


def test_strengths_beyond_what_may_be_given() -> None:
    """Come as the largest that may."""
    said = plan(Document(items=(item("a", strength=3e6),)), Document(board="there"), agent="eve", kinds=DEFAULTS)
    assert said.deposits[0].strength == STRONGEST


@pytest.mark.parametrize("text", ["", "hello", "<html/", '{"items": []', b"\xff\xfe"])
def test_what_is_no_export(text: str | bytes) -> None:
    """It says so."""
    with pytest.raises(BadValue, match="this is no"):
        read(text)


async def test_an_item_that_goes_while_it_is_exported() -> None:
    """The export goes on from the item before; what is gone is not in it, nor are its edges."""
    a, b, c = item("a"), item("b"), item("c")
    edge = EdgeRecord(id="e", a="b", b="a", strength=1.0)
    asked: list[str | None] = []

    async def ask(query: Export) -> Exported:
        asked.append(query.after)
        match query.after:
            case None:
                return Exported((a, b), (edge,), Export("b", "e"))
            case "b":
                raise NotInView
            case _:
                return Exported((c,), ())

    stats = BoardStats(board="x", time="wall", now=9.0, items=0, edges=0, kinds={}, tiers={}, owners={})
    assert await collect(ask, stats) == Document(board="x", time="wall", now=9.0, items=(a, c))
    assert asked == [None, "b", "a"]
