"""A shelf in memory, kept as a store keeps one."""

from collections.abc import Collection, Mapping

from blackboard.archive import Archive, Unwritten


class Shelf:
    """What left an archive stays until a cut goes past that. Counts the looks at it."""

    def __init__(self) -> None:
        self.rows: dict[int, bytes] = {}
        self.looks = 0
        self._gone: dict[int, int] = {}

    def said(self, ordinals: Collection[int]) -> Mapping[int, bytes]:
        self.looks += 1
        return {each: self.rows[each] for each in ordinals if each in self.rows}

    def write(self, archive: Archive, seq: int = 0) -> Unwritten:
        """Take what is unwritten, with the batch that ends with entry ``seq``."""
        unwritten = archive.unwritten()
        self.rows.update(unwritten.came)
        self._gone = {ordinal: gone for ordinal, gone in self._gone.items() if ordinal not in unwritten.came}
        self._gone.update(dict.fromkeys(unwritten.left, seq))
        archive.written()
        return unwritten

    def cut(self, seq: int) -> None:
        for ordinal in [ordinal for ordinal, gone in self._gone.items() if gone <= seq]:
            del self._gone[ordinal]
            self.rows.pop(ordinal, None)
