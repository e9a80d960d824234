"""What is answered, to whom, and when."""

import asyncio
from math import isclose

import anyio
import msgspec
import pytest

from blackboard import board, questions
from blackboard.client import Board
from blackboard.clock import ManualClock
from blackboard.config import BoardConfig
from blackboard.errors import BlackboardError, NotInView
from blackboard.progress import Progress
from blackboard.store import MemoryStore
from blackboard.testing import RunningBoard, running_board
from bus import names
from bus.messages import Answer, Applied, Ask, Deposit, Failed, Get, Missed, Recalled, Top, UpTo, decode_answer, encode
from bus.telemetry import Place
from tests.blackboard.hosting import Held, ask, post


async def recalled(running: RunningBoard, agent: str, audience: str, after: int = 0, limit: int = 256) -> Recalled:
    reply = await ask(running.bus, agent, Missed(audience, after, limit))
    assert isinstance(reply, Recalled)
    return reply


async def test_an_answer_waits_for_the_asker_s_own_posts() -> None:
    """A question that comes before the asker's post is answered after it."""
    async with running_board() as running:
        asked = asyncio.create_task(ask(running.bus, "finance", Applied(), epoch="e", seq=2))
        await running.bus.publish("board", "finance", post(1, Deposit("x", kind="nonsense")))
        assert not asked.done()
        await running.bus.publish("board", "finance", post(2, Deposit("x")))
        reply = await asked
        assert isinstance(reply, UpTo)
        assert [(refusal.code, refusal.seq) for refusal in reply.refusals] == [("UnknownKind", 1)]


async def test_the_operator_waits_for_what_was_erased_until_then() -> None:
    """Not for what others erase meanwhile, so that a steady stream of it keeps nobody waiting; who does not ask for it does not wait."""
    progress = Progress(5, {})
    progress.erasing = 4
    host = questions.Questions(
        board.Board(BoardConfig(name="board")), MemoryStore(), progress, ManualClock(), tuple, Place("memory", "board")
    )
    await host.answer(names.HOST, encode(Ask(Applied())))
    await host.answer("finance", encode(Ask(Applied(gone=True))))
    asked = asyncio.create_task(host.answer(names.HOST, encode(Ask(Applied(gone=True)))))
    for progress.erasing, progress.scrubbed in ((4, 0), (7, 3)):
        progress.wake()
        await anyio.wait_all_tasks_blocked()
        assert not asked.done()
    progress.scrubbed = 4
    progress.wake()
    assert decode_answer(await asked).reply == UpTo()


async def test_what_could_not_be_read_is_told_to_its_sender_alone() -> None:
    """A malformed post and one from the future are answered like any refusal, to the agent whose channel they came in on."""
    async with running_board() as running:
        await running.bus.publish("board", "finance", msgspec.msgpack.encode({"epoch": "e", "seq": 1, "units": [[{"type": "shout"}]]}))
        await running.bus.publish("board", "finance", msgspec.msgpack.encode({"epoch": "e", "seq": 2, "v": 9, "units": []}))
        await running.bus.publish("board", "finance", post(3, Deposit("x")))
        reply = await ask(running.bus, "finance", Applied(), epoch="e", seq=3)
        assert isinstance(reply, UpTo)
        malformed, future = reply.refusals
        assert (malformed.code, malformed.seq) == (future.code, future.seq - 1) == ("BadMessage", 1)
        assert "shout" in malformed.message
        assert "version 9" in future.message
        assert await ask(running.bus, "procurement", Applied()) == UpTo()


async def test_the_wait_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A post that never comes is not waited for without end, and nobody waits for another's."""
    monkeypatch.setattr(questions, "WAIT", 0.01)
    async with running_board() as running:
        await running.bus.publish("board", "finance", post(1, Deposit("x")))
        for agent, seq in (("finance", 2), ("mallory", 1)):
            reply = await ask(running.bus, agent, Top(), epoch="e", seq=seq)
            assert isinstance(reply, Failed)
            assert reply.code == "NoAnswer"


@pytest.mark.parametrize("data", [b"", b"\xc1", b"\x80", encode(Answer(Failed("x", "y")))])
async def test_a_bad_question_is_answered(data: bytes) -> None:
    """What is no question gets an answer that says so."""
    async with running_board() as running:
        reply = await ask(running.bus, "finance", data)
        assert isinstance(reply, Failed)
        assert reply.code == "BadMessage"


async def test_the_account_of_a_shared_item_goes_back_into_private_for_its_owner_alone() -> None:
    """The owner sees what it did before it shared; for others the account opens with what was shared. Both add up."""
    async with running_board("finance", "procurement") as running:
        finance, procurement = running["finance"], running["procurement"]
        item = await finance.deposit("basis")
        await finance.reinforce(item, 1.0)
        await finance.share(item)
        await finance.wait_applied()
        (shared,) = await procurement.top()
        await procurement.reinforce(shared, 0.5)
        for _ in range(5):
            await procurement.end_round()
        owned = await finance.explain(item)
        assert [act.cause for act in owned.acts] == ["deposit", "reinforce", "share", "reinforce"]
        seen = await procurement.explain(shared)
        assert ([act.cause for act in seen.acts], seen.opening) == (["share", "reinforce"], 5.0)
        for account in (owned, seen):
            gained = sum(act.after - act.before - act.evaporated for act in account.acts)
            assert isclose(account.opening + gained - account.evaporated_since, account.item.strength)


async def test_a_fault_of_ours_tells_nothing(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    """An unforeseen error is logged at the host; the asker learns only that there was one."""
    async with running_board("finance") as running:

        def broken(*_: object, **__: object) -> None:
            raise RuntimeError("secret of procurement")

        monkeypatch.setattr(running.service.board, "answer", broken)
        with pytest.raises(BlackboardError, match="failed to answer") as caught:
            await running["finance"].top()
        assert "secret" not in str(caught.value)
    assert "secret of procurement" in caplog.text


async def test_nobody_recalls_another_s_events() -> None:
    """Another's private audience is not in one's view, whether it has events or not; its numbers are not told."""
    async with running_board("finance", "mallory") as running:
        await running["finance"].deposit("secret")
        for audience in ("private.finance", "private.nobody", "private.", "private.*", ">", ""):
            reply = await ask(running.bus, "mallory", Missed(audience, 0))
            assert reply == Failed("NotInView", "not in your view")
        assert (await recalled(running, "mallory", names.private("mallory"))).last == 0
        assert (await recalled(running, "finance", names.private("finance"))).last == 1


async def test_missed_events_come_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """What was missed is cut by number and by size, at least one at a time, and says how far it goes."""
    async with running_board("finance") as running:
        for number in range(5):
            await running["finance"].deposit(f"{number}", scope="shared")
        reply = await recalled(running, "finance", names.SHARED, after=1, limit=2)
        assert ([events.n for events in reply.events], reply.last, reply.complete) == ([2, 3], 5, True)
        monkeypatch.setattr(questions, "_RECALLED_BYTES", 1)
        assert [events.n for events in (await recalled(running, "finance", names.SHARED)).events] == [1]
        assert (await recalled(running, "finance", names.SHARED, after=2**62)).events == ()
        for limit in (0, -1, 10**9):
            reply_to_bad = await ask(running.bus, "finance", Missed(names.SHARED, 0, limit))
            assert isinstance(reply_to_bad, Failed)
            assert reply_to_bad.code == "BadValue"


async def test_the_newest_number_is_one_that_was_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever asks for the newest number gets one whose events are on their way, so that none comes live that was counted before."""
    monkeypatch.setattr(questions, "WAIT", 0.01)
    async with running_board() as running:
        told = asyncio.Event()

        async def emit(*_: object) -> None:
            await told.wait()

        monkeypatch.setattr(running.bus, "emit", emit)
        await running.bus.publish("board", "finance", post(1, Deposit("x", scope="shared")))
        reply = await ask(running.bus, "finance", Missed(names.SHARED, 2**62))
        assert isinstance(reply, Failed)
        assert reply.code == "NoAnswer"
        told.set()
        monkeypatch.undo()
        assert (await recalled(running, "finance", names.SHARED, after=2**62)).last == 1


async def test_an_answer_too_large_to_carry() -> None:
    """An answer that no message can hold is refused with the cure."""
    async with running_board("finance") as running:
        for number in range(9):
            await running["finance"].deposit(f"{number}" * 120_000)
        reply = await ask(running.bus, "finance", Top(100))
        assert isinstance(reply, Failed)
        assert reply.code == "TooBig"
        assert "ask for less" in reply.message


# ---- explain ----------------------------------------------------------------------------------------------------------------------------


async def lived(board: Board, other: Board) -> str:
    item = await board.deposit("explained", scope="shared", kind="state", strength=8.0)
    await other.deposit("between")
    await other.confirm(item)
    for _ in range(5):
        await board.end_round()
    async with board.batch() as batch:
        await batch.reinforce(item, 0.5)
        await batch.reinforce(item, 0.25)
    await board.use(item)
    await board.end_round()
    return item.id


async def balances(board: Board, item: str) -> list[str]:
    account = await board.explain(item)
    moved = sum(act.after - act.before for act in account.acts) - sum(act.evaporated for act in account.acts)
    assert isclose(account.opening + moved - account.evaporated_since, account.item.strength, rel_tol=1e-12)
    return [act.cause for act in account.acts]


async def test_every_step_is_explained(monkeypatch: pytest.MonkeyPatch) -> None:
    """The steps add up to the present strength, several of one entry too; where the thread is cut an opening balance stands."""
    async with running_board("finance", "procurement") as running:
        finance = running["finance"]
        item = await lived(finance, running["procurement"])
        assert await balances(finance, item) == ["deposit", "confirm", "reinforce", "reinforce", "use"]
        account = await finance.explain(item)
        assert account.opening == 0.0
        assert account.acts[2].evaporated > 0.0
        assert account.evaporated_since > 0.0
        monkeypatch.setattr(questions, "MAX_ACTS", 2)
        assert await balances(finance, item) == ["reinforce", "reinforce", "use"]
        assert (await finance.explain(item)).opening > 7.0


async def test_only_what_is_in_view_is_explained() -> None:
    """Another's private item is not explained; of a shared one its owner sees the private past, others do not."""
    async with running_board("finance", "mallory") as running:
        finance, mallory = running["finance"], running["mallory"]
        item = await finance.deposit("mine")
        await finance.reinforce(item, 2.0)
        for _ in range(2):
            with pytest.raises(NotInView, match=r"^not in your view$"):
                await mallory.explain(item)
        await finance.share(item)
        shared = (await finance.get(item)).id
        assert await balances(mallory, shared) == ["share"]
        for account in (await mallory.explain(shared), await mallory.explain(shared)):
            assert item.id not in str(account)
        assert isinstance(await ask(running.bus, "mallory", Get(item.id)), Failed)


async def test_what_is_not_written_yet_is_waited_for() -> None:
    """An act that is applied and not durable yet is in the account, since the strength has it: whoever asks waits for it."""
    store = Held()
    store.let.set()
    async with running_board("finance", "procurement", store=store) as running, asyncio.timeout(5):
        item = await running["finance"].deposit("explained", scope="shared")
        store.hold()
        reinforcing = asyncio.create_task(running["finance"].reinforce(item, 1.0))
        await store.asked.wait()
        explaining = asyncio.create_task(balances(running["procurement"], item.id))
        done, _ = await asyncio.wait({explaining}, timeout=0.02)
        store.let.set()
        assert not done
        await reinforcing
        assert await explaining == ["deposit", "reinforce"]


async def test_explained_after_a_restart() -> None:
    """The thread goes back through a restart."""
    store = MemoryStore()
    async with running_board("finance", "procurement", store=store) as running:
        item = await lived(running["finance"], running["procurement"])
    async with running_board("finance", store=store) as running:
        await running["finance"].confirm(item)
        assert await balances(running["finance"], item) == ["deposit", "confirm", "reinforce", "reinforce", "use", "confirm"]
