"""The memory twin keeps to the store's contract."""

from collections.abc import Callable

import pytest

from blackboard.store import MemoryStore, Store
from tests.blackboard.store_contract import StoreContract


class TestMemoryStore(StoreContract):
    @pytest.fixture
    def make(self) -> Callable[[], Store]:
        store = MemoryStore()
        return lambda: store
