"""The memory twin keeps to the store's contract."""

from pathlib import Path

from blackboard.store import MemoryStore, Store
from tests.blackboard.store_contract import StoreContract


class TestMemoryStore(StoreContract):
    def setup_method(self) -> None:
        self.kept: dict[Path, MemoryStore] = {}

    def make(self, folder: Path) -> Store:
        return self.kept.setdefault(folder, MemoryStore())
