"""Key files: whoever has one is the agent that it names.

Laws:

- A key is an nkey (Ed25519): its seed stands in one file, ``NAME.nk``, and the server knows the public half alone. Nothing shows a seed.
- A key file is its user's alone (mode 600, in a folder of mode 700). One that others may read is refused: it must be taken for known.
- A certificate ``server.pem`` beside a key is the one that the server must show, and then no authority and no name is asked.
"""

import hashlib
import os
import re
import secrets
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from bus.errors import BadCredentials

if TYPE_CHECKING:
    import ssl

VARIABLE = "PHEROBOARD_CREDENTIALS"
"""Names the key file, or the folder of key files, where no other was given."""
KEY, JWT = ".nk", ".creds"
"""What files end in that hold a seed, and a seed with a user's token as ``nsc`` writes them."""
CERTIFICATE = "server.pem"

_PEM = re.compile(r"-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----", re.DOTALL)


def find(given: str | Path | None, agent: str) -> Path | None:
    """The key file of ``agent``: the one given, or that which bears its name in a folder. Not given: as ``PHEROBOARD_CREDENTIALS`` says.

    ``None``: there is none, and a server lets in whoever comes so as far as it lets in anyone. Raises ``BadCredentials`` where nothing is.
    """
    if given is None and not (given := os.environ.get(VARIABLE)):
        return None
    path = Path(given)
    if path.is_dir():
        return next((file for ending in (KEY, JWT) if (file := path / f"{agent}{ending}").exists()), None)
    if path.exists():
        return path
    raise BadCredentials(f"there are no credentials at {path}: name a key file (`pheroboard agent add` makes one), or a folder with some")


def make(path: Path) -> str:
    """Draw a key and keep its seed in ``path``, where no file may be yet; its public half. Raises ``FileExistsError``, ``OSError``."""
    import nkeys  # where it is needed: with its cryptography it takes a tenth of a second

    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    seed = nkeys.encode_seed(secrets.token_bytes(32), nkeys.PREFIX_BYTE_USER)
    try:
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(seed + b"\n")
            file.flush()
            os.fsync(file.fileno())
    except FileExistsError:
        raise
    except OSError:
        path.unlink(missing_ok=True)
        raise
    return public(path)


def public(path: Path) -> str:
    """The public half of the key in a file. Raises ``BadCredentials``."""
    import nkeys

    seed = bytearray(read(path).strip().encode())
    try:
        prefix, _ = nkeys.decode_seed(seed)
        if prefix != nkeys.PREFIX_BYTE_USER:
            raise nkeys.ErrInvalidSeed
        return str(nkeys.from_seed(seed).public_key.decode())
    except (ValueError, nkeys.NkeysError):  # whose texts may speak of what the file holds
        raise BadCredentials(f"{path} holds no seed of a user's nkey (SU…): name another file, or make a new key") from None


def token(agent: str, path: Path) -> str:
    """What ``agent`` shows, instead of its key in ``path``, where no key can be shown. The key cannot be had from it; a new key changes it.

    Raises ``BadCredentials``.
    """
    return f"{agent}.{hashlib.blake2b(read(path).strip().encode(), digest_size=32, person=b'pheroboard token').hexdigest()}"


def is_jwt(text: str) -> bool:
    """Whether a file holds a user's token and its seed, as ``nsc`` writes them; else it holds a seed alone."""
    return text.startswith("-----BEGIN NATS USER JWT-----")


def read(path: Path) -> str:
    """What a key file holds, if it is one that may be used. Raises ``BadCredentials``."""
    try:
        mode = path.stat().st_mode
        text = path.read_text("ascii", errors="replace")
    except OSError as error:
        raise BadCredentials(f"the key file {path} cannot be read: {error.strerror}") from error
    if sys.platform != "win32" and mode & 0o077:
        raise BadCredentials(
            f"the key file {path} is open to others (mode {mode & 0o777:o}): close it (chmod 600 {path}), and make a new key (pheroboard "
            "agent rotate) if somebody may have read it"
        )
    return text


def trusting(key: Path | None) -> "ssl.SSLContext":
    """What a server must show: the certificate beside ``key``, or else one for its name that the system trusts (or SSL_CERT_FILE).

    Raises ``BadCredentials``.
    """
    import ssl

    certificate = key.with_name(CERTIFICATE) if key else None
    if certificate is None or not certificate.exists():
        return ssl.create_default_context()
    with suppress(OSError, ValueError):
        if found := _PEM.search(certificate.read_text("ascii")):
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            context.check_hostname = False  # it is the certificate that is known, under whatever name the server is reached
            context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
            context.load_verify_locations(cadata=found[0])  # the first alone is the server's: behind it stand those of its authorities
            return context
    raise BadCredentials(f"{certificate} holds no certificate that can be read (PEM): put the server's there, or remove the file")
