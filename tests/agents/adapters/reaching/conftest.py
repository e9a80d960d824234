"""A board that is looked for at once, and what is said of it."""

import logging

import pytest

from agents.adapters import reaching


@pytest.fixture(autouse=True)
def _hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reaching, "AGAIN", 0.001)


@pytest.fixture(autouse=True)
def _told(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "agents.adapters.reaching")
