"""What waits for its point, of time or of decay, in cells: one cell a stretch of points, and only the earliest is in order.

Laws:

- Whoever waits is asked for its point when its turn seems to come, so an entry may be too early, never too late: what was put off goes to
  its later cell then, and what waits no longer is dropped. No move of what waits has to be told.
- An entry costs a reference. Two of one thing do no harm; where both are put off to one cell, they become one.
"""

from collections.abc import Callable
from heapq import heappop, heappush
from math import floor, inf
from typing import Generic, TypeVar

from blackboard.items import Pheromone

T = TypeVar("T", bound=Pheromone)


class Calendar(Generic[T]):
    """Things by their points. ``point(thing)`` is where it stands now, None if it does not wait any more; ``width`` is a cell's."""

    __slots__ = ("_border", "_cells", "_left", "_numbers", "_open", "_point", "_size", "_width")

    def __init__(self, width: float, point: Callable[[T], float | None]) -> None:
        self._width = width
        self._point = point
        self._cells: dict[int, list[T]] = {}
        self._numbers: list[int] = []
        """A heap of the cells' numbers."""
        self._open: list[tuple[float, int, T]] = []
        """A heap of what is before ``_border``: (point, ordinal, thing)."""
        self._border: float = -inf
        self._size = 0
        self._left = 0

    def __len__(self) -> int:
        """How many entries there are, those that are no longer true too."""
        return self._size

    def put(self, thing: T, point: float) -> None:
        """It waits for ``point``."""
        self._size += 1
        number = floor(point / self._width)
        if number < self._border:
            heappush(self._open, (point, thing.ordinal, thing))
            return
        cell = self._cells.get(number)
        if cell is None:
            self._cells[number] = [thing]
            heappush(self._numbers, number)
        else:
            cell.append(thing)

    def left(self) -> None:
        """Something waits no longer: once most entries are of such things, they are swept out."""
        self._left += 1
        if self._left > 64 and self._left * 2 > self._size:
            cells, opened = self._cells.values(), self._open
            waiting = dict.fromkeys([thing for _, _, thing in opened] + [thing for cell in cells for thing in cell])
            self._cells, self._numbers, self._open, self._size, self._left = {}, [], [], 0, 0
            for thing in waiting:
                self._put_off(thing)

    def first(self) -> tuple[float, T] | None:
        """The earliest point, and the thing of the lowest ordinal that waits for it."""
        while True:
            while self._open:
                came, _, thing = self._open[0]
                point = self._point(thing)
                if point is not None and point <= came:
                    return came, thing
                heappop(self._open)
                self._size -= 1
                if point is not None:
                    self.put(thing, point)
            if not self._numbers:
                return None
            self._open_next()

    def take(self) -> T:
        """Take out what is ``first``."""
        self._size -= 1
        return heappop(self._open)[2]

    def _open_next(self) -> None:
        number = heappop(self._numbers)
        cell = self._cells.pop(number)
        self._size -= len(cell)
        self._border = number + 1  # whole: a float has no such number beyond 2⁵³, and the cell would be opened again for ever
        for thing in dict.fromkeys(cell):
            self._put_off(thing)

    def _put_off(self, thing: T) -> None:
        point = self._point(thing)
        if point is not None:
            self.put(thing, point)
