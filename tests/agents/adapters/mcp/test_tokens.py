"""agents.adapters.mcp.tokens: whose a token is."""

from pathlib import Path

from agents.adapters.mcp import KeyTokens
from bus.credentials import make, token


async def whose(tokens: KeyTokens, shown: str) -> str | None:
    found = await tokens.verify_token(shown)
    return found.client_id if found else None


async def test_a_folder_of_keys(tmp_path: Path) -> None:
    """Each agent's token is its own; whatever else is shown is nobody's, and so is the token of a former key, or of a host."""
    for name in ("ann", "bob", "_board"):
        make(tmp_path / f"{name}.nk")
    anns, bobs, host = (token(name, tmp_path / f"{name}.nk") for name in ("ann", "bob", "_board"))
    tokens = KeyTokens(tmp_path)
    assert await whose(tokens, anns) == "ann"
    assert await whose(tokens, bobs) == "bob"
    others = anns.upper(), anns.replace("ann", "bob"), "zoe.00", "../ann.00", host
    for wrong in ("", "ann", "ann.", anns[:-1], f"{anns}0", "é", "ann.é", *others):
        assert await whose(tokens, wrong) is None, wrong
    (tmp_path / "ann.nk").unlink()
    assert await whose(tokens, anns) is None
    make(tmp_path / "ann.nk")
    assert await whose(tokens, anns) is None
    assert await whose(tokens, token("ann", tmp_path / "ann.nk")) == "ann"


async def test_one_key(tmp_path: Path) -> None:
    """It is its agent's, and nobody else's; a file that others may read is no key any more."""
    make(tmp_path / "key.nk")
    tokens = KeyTokens(tmp_path / "key.nk", "ann")
    assert await whose(tokens, token("ann", tmp_path / "key.nk")) == "ann"
    assert await whose(tokens, token("bob", tmp_path / "key.nk")) is None
    shown = token("ann", tmp_path / "key.nk")
    (tmp_path / "key.nk").chmod(0o644)
    assert await whose(tokens, shown) is None
