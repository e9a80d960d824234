"""The memory twin keeps to the contract."""

import pytest

from blackboard.pending import MemoryPending, Pending
from tests.blackboard.pending_contract import PendingContract


class TestMemoryPending(PendingContract):
    @pytest.fixture
    def pending(self) -> Pending:
        return MemoryPending()
