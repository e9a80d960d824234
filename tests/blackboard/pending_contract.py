"""What every place where units wait must do. ``test_pending`` and ``sqlite/test_pending`` run it, each on its own kind."""

import asyncio

from blackboard.pending import Parcel, Pending, Room, Said

LARGE = Room(1000, 1000)


def said(number: int, observations: int = 1) -> Said:
    return Said(b"unit %d" % number, observations)


class PendingContract:
    """Subclasses give a fixture ``pending``: one that is open and begun."""

    async def test_a_post_is_the_same_until_it_is_acknowledged(self, pending: Pending) -> None:
        """What is said behind it goes into the next one."""
        assert await pending.next(LARGE, acknowledged=0) is None
        await pending.keep(said(1))
        await pending.keep(said(2))
        first = Parcel(pending.epoch, 1, (said(1), said(2)), 2)
        assert await pending.next(LARGE, acknowledged=0) == first
        await pending.keep(said(3))
        assert await pending.next(LARGE, acknowledged=0) == first
        assert await pending.next(LARGE, acknowledged=1) == Parcel(pending.epoch, 2, (said(3),), 3)
        assert await pending.next(LARGE, acknowledged=2) is None
        assert await pending.next(LARGE, acknowledged=2) is None
        assert (pending.number, pending.last) == (2, 3)

    async def test_a_post_is_bounded(self, pending: Pending) -> None:
        """By bytes and by observations; a unit that is larger goes by itself."""
        for number, observations in enumerate((4, 1, 9, 1, 1)):
            await pending.keep(said(number, observations))
        room, found = Room(len(b"unit 0") * 2, 5), list[tuple[Said, ...]]()
        while parcel := await pending.next(room, acknowledged=len(found)):
            found.append(parcel.units)
        assert found == [(said(0, 4), said(1)), (said(2, 9),), (said(3), said(4))]

    async def test_what_is_said_aside_is_kept_like_the_rest(self, pending: Pending) -> None:
        """Whether or not it is remembered that no question waits for it."""
        await pending.keep(Said(b"unit", 3, aside=True))
        parcel = await pending.next(LARGE, acknowledged=0)
        assert parcel is not None
        assert [(unit.data, unit.observations) for unit in parcel.units] == [(b"unit", 3)]

    async def test_a_new_epoch(self, pending: Pending) -> None:
        """What waits is numbered anew, without what is given up."""
        for number in range(1, 4):
            await pending.keep(said(number))
        former = await pending.next(Room(1000, 1), acknowledged=0)
        assert former is not None
        await pending.renew()
        again = await pending.next(Room(1000, 2), acknowledged=0)
        assert again == Parcel(pending.epoch, 1, (said(1), said(2)), 2)
        assert again.epoch != former.epoch
        await pending.renew(without=2)
        assert await pending.next(LARGE, acknowledged=0) == Parcel(pending.epoch, 1, (said(3),), 3)

    async def test_news(self, pending: Pending) -> None:
        """Whoever waits for a unit is woken, also where its sayer was cancelled."""
        pending.news.clear()
        saying = asyncio.create_task(pending.keep(said(1)))
        await asyncio.sleep(0)
        saying.cancel()
        async with asyncio.timeout(5):
            await pending.news.wait()
        parcel = await pending.next(LARGE, acknowledged=0)
        assert parcel is not None
        assert parcel.units == (said(1),)

    async def test_in_order(self, pending: Pending) -> None:
        """Units said at once by many leave in the order in which they were said."""
        async with asyncio.TaskGroup() as tasks:
            for number in range(200):
                tasks.create_task(pending.keep(said(number)))
        parcel = await pending.next(Room(10_000, 10_000), acknowledged=0)
        assert parcel is not None
        assert parcel.units == tuple(said(number) for number in range(200))
        assert parcel.observations == 200
