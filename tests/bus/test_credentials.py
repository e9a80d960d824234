"""Key files, and what a server must show."""

import re
import stat
from pathlib import Path

import pytest
import trustme

from bus.credentials import CERTIFICATE, find, is_jwt, make, public, read, token, trusting
from bus.errors import BadCredentials


def test_a_key_is_drawn_once(tmp_path: Path) -> None:
    """Its file is its user's alone, in a folder that is too; a second key does not take its place, and another file has another."""
    file = tmp_path / "keys" / "finance.nk"
    drawn = make(file)
    assert public(file) == drawn
    assert drawn.startswith("U")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    with pytest.raises(FileExistsError):
        make(file)
    assert public(file) == drawn != make(tmp_path / "other.nk")


def test_finding(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file is taken as it is, of a folder what bears the agent's name; what the variable names stands in; a folder may lack a key."""
    monkeypatch.delenv("PHEROBOARD_CREDENTIALS", raising=False)
    for name in ("finance.nk", "schedule.creds"):
        (tmp_path / name).touch()
    assert find(None, "finance") is None
    assert find(tmp_path / "finance.nk", "anybody") == tmp_path / "finance.nk"
    assert find(tmp_path, "finance") == tmp_path / "finance.nk"
    assert find(str(tmp_path), "schedule") == tmp_path / "schedule.creds"
    assert find(tmp_path, "nobody") is None
    with pytest.raises(BadCredentials, match=r"there are no credentials at .*missing"):
        find(tmp_path / "missing", "finance")
    monkeypatch.setenv("PHEROBOARD_CREDENTIALS", str(tmp_path))
    assert find(None, "finance") == tmp_path / "finance.nk"
    monkeypatch.setenv("PHEROBOARD_CREDENTIALS", "")
    assert find(None, "finance") is None


def test_a_token(tmp_path: Path) -> None:
    """It names its agent, is the same each time, and another for another key. One that is open to others has none."""
    file = tmp_path / "finance.nk"
    make(file)
    shown = token("finance", file)
    assert re.fullmatch(r"finance\.[0-9a-f]{64}", shown)
    assert shown == token("finance", file)
    file.unlink()
    make(file)
    assert token("finance", file) != shown
    file.chmod(0o644)
    with pytest.raises(BadCredentials, match="is open to others"):
        token("finance", file)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    """Its error names it, and why."""
    with pytest.raises(BadCredentials, match=r"the key file .*missing\.nk cannot be read: No such file"):
        read(tmp_path / "missing.nk")
    with pytest.raises(BadCredentials, match="cannot be read: Is a directory"):
        read(tmp_path)


def test_files_of_nsc() -> None:
    """A file with a user's token is told from one with a seed."""
    assert is_jwt("-----BEGIN NATS USER JWT-----\neyJ0\n------END NATS USER JWT------\n")
    assert not is_jwt("SUAAAA")


def test_the_certificate_beside_a_key(tmp_path: Path) -> None:
    """It alone is trusted, by whatever name; without one, what the system trusts, by its name. One that cannot be read is an error."""
    key = tmp_path / "finance.nk"
    assert trusting(None).check_hostname
    assert trusting(key).check_hostname
    chain = trustme.CA().issue_cert("board.example")
    (tmp_path / CERTIFICATE).write_bytes(b"".join(pem.bytes() for pem in chain.cert_chain_pems))
    pinned = trusting(key)
    assert not pinned.check_hostname
    assert pinned.cert_store_stats()["x509"] == 1
    (tmp_path / CERTIFICATE).write_text("nonsense")
    with pytest.raises(BadCredentials, match=rf"{CERTIFICATE} holds no certificate"):
        trusting(key)
