"""bus.listening: where a server of ours listens, and how."""

from pathlib import Path

import pytest

from bus.listening import Listening, Tls


@pytest.mark.parametrize(
    ("address", "url"),
    [
        ("127.0.0.1", "tls://127.0.0.1:4222"),
        ("0.0.0.0", "tls://127.0.0.1:4222"),
        ("::", "tls://[::1]:4222"),
        ("192.0.2.1", "tls://192.0.2.1:4222"),
    ],
)
def test_the_address_for_this_machine(tmp_path: Path, address: str, url: str) -> None:
    """A server that listens on all addresses is reached here on loopback."""
    assert Listening(address, Tls(tmp_path, tmp_path)).url(4222) == url
