"""Why there is no connection to a server, or none any more: each in one sentence, with the address and the cure."""

import re
import ssl
from pathlib import Path
from urllib.parse import urlsplit

from bus.credentials import CERTIFICATE, VARIABLE
from bus.errors import NoAnswer, NotPermitted, Unreachable

SCHEMES = frozenset({"nats", "tls", "ws", "wss"})


class Refusals:
    """What can be said of the server at ``url`` to whoever shows it ``key``."""

    def __init__(self, url: str, key: Path | None = None) -> None:
        self.address = re.sub(r"(//)?[^/@,]*@", r"\1", url)
        """Without passwords."""
        self._key = key
        self._named = "@" in url

    def check(self, url: str) -> None:
        """Raises ``Unreachable`` for what is no address."""
        for each in url.split(","):
            try:
                parts = urlsplit(each if "://" in each else f"nats://{each}")
                good = parts.scheme in SCHEMES and bool(parts.hostname) and parts.port != 0
            except ValueError:  # a port that is none
                good = False
            if not good:
                raise Unreachable(f"{self.address!r} is no address of a NATS server: write it as in 'nats://127.0.0.1:4222'")

    def nobody(self, error: Exception | None) -> Unreachable:
        """Nothing answers there."""
        why = f" ({error})" if str(error or "") else ""
        return Unreachable(f"no NATS server answers at {self.address}{why}; start one with `pheroboard up`, or correct the address")

    def unknown(self, *, any_more: bool) -> NotPermitted:
        """It lets in others."""
        if self._key or self._named:
            whom, cure = f"the key in {self._key}" if self._key else "this user", "check the credentials"
        else:
            cure = f"name your key (credentials=, --credentials or {VARIABLE}); `pheroboard agent add` makes one"
            whom = "anyone who shows no key"
        return NotPermitted(f"the server at {self.address} does not know {whom}{' any more' if any_more else ''}; {cure}")

    def forbidden(self, subject: str) -> NotPermitted:
        """It knows whom it lets in, and that this is not for him."""
        return NotPermitted(f"the server at {self.address} does not let this user use {subject!r}; connect with credentials that may")

    def unsafe(self, error: Exception) -> Unreachable:
        """What is said to it others could read."""
        if isinstance(error, ssl.SSLError):
            cure = f"put its certificate beside your key, as {CERTIFICATE}, or name its authority's file in SSL_CERT_FILE"
            return Unreachable(f"the server at {self.address} is not trusted ({error}): {cure}")
        return Unreachable(f"the server at {self.address} does not encrypt: write nats:// if that is as it should be")

    def closed(self, error: Exception | None) -> Unreachable:
        """It was left."""
        return Unreachable(f"the connection to {self.address} is closed ({error or 'by this side'}); open the board again")

    def silence(self, what: str, seconds: float, *, up: bool) -> NoAnswer:
        """A time has run out. A server that is away may come back, and until then the connection tries."""
        if up:
            return NoAnswer(f"{what} within {seconds:g} s, at {self.address}; try again")
        return NoAnswer(f"no NATS server answers at {self.address} any more, after {seconds:g} s; start it again, or wait")
