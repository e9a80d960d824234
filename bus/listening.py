"""Where a server of ours listens, and how: on loopback, or with TLS."""

import ipaddress
from pathlib import Path

from msgspec import Struct

from bus.errors import ServerError


def in_url(address: str) -> str:
    """An IP address as it stands before a port."""
    return f"[{address}]" if ":" in address else address


class Tls(Struct, frozen=True):
    """What a server encrypts with: files in PEM."""

    certificate: Path
    key: Path


class Listening(Struct, frozen=True):
    """Where a server listens, and how."""

    address: str = "127.0.0.1"
    tls: Tls | None = None

    @property
    def loopback(self) -> bool:
        """Whether this machine alone reaches it. Raises ``ServerError`` for what is no address."""
        try:
            return ipaddress.ip_address(self.address).is_loopback
        except ValueError:
            raise ServerError(
                f"{self.address!r} is no address to listen on: give an IP address of this machine, or 0.0.0.0 for all"
            ) from None

    def check(self) -> None:
        """Raise ``ServerError`` for what is no place to listen on."""
        if not self.loopback and self.tls is None:
            raise ServerError(
                f"{self.address} can be reached from elsewhere, and what is said could be read on the way: give a certificate and its key "
                "(--tls-cert, --tls-key), or listen on 127.0.0.1"
            )
        for file in (self.tls.certificate, self.tls.key) if self.tls else ():
            if not file.is_file():
                raise ServerError(f"there is no file {file}: name the server's certificate and its key, in PEM")

    def url(self, port: int) -> str:
        """The address by which this machine reaches it."""
        address = ipaddress.ip_address(self.address)
        if address.is_unspecified:
            address = ipaddress.ip_address("127.0.0.1" if address.version == 4 else "::1")
        return f"{'tls' if self.tls else 'nats'}://{in_url(str(address))}:{port}"


LOOPBACK = Listening()
