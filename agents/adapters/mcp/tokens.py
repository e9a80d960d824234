"""Who a client of a server over HTTP is: the agent whose key its token was made of.

Laws:

- A token is made of a key file, and says nothing about what is in it. Nothing new is kept: a new key is another token.
- How much of a wrong token is right does not show in how long it takes to refuse it.
"""

import hmac
from pathlib import Path

from mcp.server.auth.provider import AccessToken

from bus.credentials import find, token
from bus.errors import BadCredentials, BadName
from bus.names import valid_name


class KeyTokens:
    """A ``TokenVerifier`` for the agents that have a key file in a folder; or for the one, ``agent``, whose key file ``keys`` is."""

    def __init__(self, keys: Path, agent: str | None = None) -> None:
        self._keys, self._agent = keys, agent

    async def verify_token(self, token: str) -> AccessToken | None:
        """Whose it is; None: nobody's."""
        name = token.partition(".")[0]
        return AccessToken(token=token, client_id=name, scopes=[]) if self._is_right(name, token) else None

    def _is_right(self, name: str, shown: str) -> bool:
        try:
            key = find(self._keys, valid_name(name)) if self._agent in {None, name} else None
            return key is not None and hmac.compare_digest(token(name, key).encode(), shown.encode())
        except (BadName, BadCredentials):
            return False
