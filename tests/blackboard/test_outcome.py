"""Claims about what an entry did, and how it is addressed."""

from blackboard.entry import Entry
from bus.messages import Confirm, Deposit, Link, Reinforce, encode
from bus.port import MAX_BYTES
from tests.blackboard.driver import Driver


def test_one_entry_gives_an_audience_one_letter() -> None:
    """However many units and observations it holds."""
    driver = Driver()
    driver.say("a", *(Deposit(f"item {n}", scope="shared") for n in range(10)))
    (events,) = driver.heard["shared"]
    assert [c.cause for c in events.changes] == ["deposit"] * 10
    assert (events.n, events.t) == (1, 0.0)


def test_each_change_is_threaded_to_the_entry_that_moved_its_item_before() -> None:
    """The thread that ``explain`` follows; within one entry the later changes point at the entry itself. It is told to nobody."""
    driver = Driver()
    item = driver.deposit("a", "fact", scope="shared")
    driver.deposit("b", "noise", scope="shared")
    entry = Entry(seq=3, stamp=0.0, agent="a", epoch="a", post=3, units=((Confirm(item), Reinforce(item, 1.0)),))
    (letter,) = driver.board.apply(entry)
    assert [change.cause for change in letter.events.changes] == ["confirm", "reinforce"]
    assert letter.threads == (1, 3)


def test_an_edge_is_told_with_its_ends() -> None:
    """To those who see the edge."""
    driver = Driver()
    a, b = driver.deposit("x", "a", scope="shared"), driver.deposit("x", "b", scope="shared")
    driver.say("x", Link(a, b))
    change = driver.changes()[-1]
    assert (change.cause, change.kind, change.ends) == ("link", "edge", (a, b))


def test_what_is_too_large_for_one_message_is_told_in_several() -> None:
    """20,000 items that fade in one round: numbered in order, each within the transport's limit, none missing."""
    driver = Driver()
    for n in range(0, 20_000, 500):
        driver.say("a", *(Deposit(f"state {i}", kind="state", key="k" * 200, scope="shared") for i in range(n, n + 500)))
    before = len(driver.heard["shared"])
    driver.rounds(20)
    letters = driver.heard["shared"][before:]
    assert sum(c.cause == "discard" for events in letters for c in events.changes) == 20_000
    assert [events.n for events in driver.heard["shared"]] == list(range(1, len(driver.heard["shared"]) + 1))
    assert max(len(encode(events)) for events in letters) < MAX_BYTES / 2


def test_a_signal_quotes_so_much_and_no_more() -> None:
    """Large contents, large values and many asserters make no large message."""
    driver = Driver()
    for n in range(150):
        driver.deposit(f"agent-{n}", "v" * 100_000, key="k", value="x" * 60_000, scope="shared")
    driver.deposit("z", "cap " + "c" * 100_000, kind="constraint", key="k", op="==", value="y" * 60_000, scope="shared")
    (signal,) = driver.signals("violated")
    assert len(encode(signal)) < 100_000
    assert len(signal.content) == 500
    assert len(signal.evidence.values) == 100
