"""``top``, ``search``, ``assemble``, ``explain``, ``constraints``, ``experts``, ``stats``: looking changes nothing.

Only of what is assembled may one say that it is used.
"""

import sys

import msgspec

from agents.cli.output import NOTHING_MEETS, moment, number, owners, plain, print_hits, print_items, print_json, print_table
from agents.cli.places import OPERATOR, BoardName, ItemId, Who, keys_at, locate, opened
from blackboard.opening import hosts_of
from blackboard.roster import SILENT
from bus.errors import NotPermitted
from bus.messages import HostState


async def top(board: BoardName, /, *, limit: int = 20, kind: str | None = None, who: Who = OPERATOR) -> None:
    """The strongest items.

    Parameters
    ----------
    limit
        How many.
    kind
        Of this kind alone.
    """
    async with opened(board, who) as at:
        print_items(await at.top(limit, kind=kind), json=who.json)


async def search(board: BoardName, text: str, /, *, limit: int = 20, why: bool = False, who: Who = OPERATOR) -> None:
    """Items that have to do with a text, the strongest first.

    Parameters
    ----------
    text
        Words to look for.
    limit
        How many.
    why
        Say of each why it is there; then the best come first: the most relevant, with their strength weighed in.
    """
    async with opened(board, who) as at:
        if why:
            print_hits(await at.hits(text, limit), json=who.json)
        else:
            print_items(await at.search(text, limit), json=who.json, empty=NOTHING_MEETS)


async def assemble(
    board: BoardName,
    query: str,
    /,
    *,
    max_tokens: int = 2000,
    reserved_tokens: int = 0,
    fill: bool = False,
    traces: bool = False,
    min_strength: float = 0.0,
    use: bool = False,
    who: Who = OPERATOR,
) -> None:
    """What belongs into a prompt, as a section of it; with --json the account of it, too: what was chosen and left out, and why.

    Parameters
    ----------
    query
        What the prompt is about.
    max_tokens
        The budget.
    reserved_tokens
        What of it is to stay free.
    fill
        Fill what remains with the strongest, whatever they are about.
    traces
        Let drafts in, too.
    min_strength
        Below it an item is too weak, unless it is a hard constraint.
    use
        It goes into a prompt: what is in it is used, which strengthens it a little. Otherwise this only looks.
    """
    async with opened(board, who) as at:
        found = await at.assemble(
            query, max_tokens, reserved_tokens, fill=fill, traces=traces, min_strength=min_strength, use=use
        )  # fmt: skip
    if who.json:
        print_json(found)
    elif found.text:
        print(plain(found.text) if sys.stdout.isatty() else found.text)
    # What is said about it is not to get into a prompt.
    if found.why_empty:
        print(found.why_empty, file=sys.stderr)
    for item in found.missing:
        print(f"did not fit, and binds all the same: {plain(item.content)} {item.id}", file=sys.stderr)


async def explain(board: BoardName, item: ItemId, /, *, who: Who = OPERATOR) -> None:
    """How an item came by its strength."""
    async with opened(board, who) as at:
        account = await at.explain(item)
        time = (await at.stats()).time
    if who.json:
        print_json(account)
        return
    print(f"{plain(account.item.content)}: {account.item.kind}, {account.item.status}, strength {number(account.item.strength)}")
    rows = [
        (moment(act.t, time), act.cause, act.by or "time", number(act.evaporated), number(act.before), number(act.after))
        for act in account.acts
    ]
    if account.opening:
        rows.insert(0, ("before", "opening", "", "", "", number(account.opening)))
    rows.append(("since", "evaporation", "time", number(account.evaporated_since), "", number(account.item.strength)))
    print_table(("when", "cause", "by", "evaporated", "before", "after"), rows, empty="")


async def constraints(board: BoardName, /, *, who: Who = OPERATOR) -> None:
    """Every constraint with its status."""
    async with opened(board, who) as at:
        found = await at.constraints()
    if who.json:
        print_json(found)
        return
    print_table(
        ("status", "binds", "rule", "content", "strength", "by", "id"),
        (
            (
                view.status,
                "may be relaxed" if view.relaxable else "hard, unconfirmed" if view.unconfirmed else "hard" if view.item.hard else "soft",
                view.rule,
                view.item.content,
                number(view.item.strength),
                owners(view.item),
                view.item.id,
            )
            for view in found
        ),
        empty="No constraint is in view.",
    )


async def experts(board: BoardName, key: str, /, *, who: Who = OPERATOR) -> None:
    """Who strengthened the shared items of a key: who knows about this.

    Parameters
    ----------
    key
        What it is about.
    """
    async with opened(board, who) as at:
        found = await at.experts(key)
        time = (await at.stats()).time
    if who.json:
        print_json(found)
        return
    print_table(
        ("agent", "amount", "times", "last"),
        ((expert.agent, number(expert.amount), str(expert.count), moment(expert.last, time)) for expert in found),
        empty=f"Nobody has strengthened a shared item of the key {key!r}.",
    )


async def stats(board: BoardName, /, *, who: Who = OPERATOR) -> None:
    """A board in figures, and, for who may speak in the host's name, its hosts."""
    async with opened(board, who) as at:
        found = await at.stats()
    hosts = await _hosts(locate(board, who), who)
    if who.json:
        print_json({**msgspec.to_builtins(found), "hosts": hosts})
        return
    print(f"{found.board}: {moment(found.now, found.time)}, {found.items} items and {found.edges} edges in view")
    for what, counts in {"kind": found.kinds, "tier": found.tiers, "owner": found.owners}.items():
        if counts:
            print(f"by {what}: " + ", ".join(f"{count} {name}" for name, count in counts.items()))
    if found.trouble:
        print(f"in trouble {found.trouble}")
    for host in hosts:
        print(f"host {host.host} {_standing(host)}")


async def _hosts(address: str, who: Who) -> tuple[HostState, ...]:
    """The hosts of a board that is served, as far as this user may know."""
    try:
        return await hosts_of(address, credentials=keys_at(address, who)) if "://" in address else ()
    except NotPermitted:
        return ()


def _standing(host: HostState) -> str:
    if host.leads:
        return "leads"  # and its trouble is the board's
    if host.joins:
        return "waits for a snapshot"
    behind = f"{host.behind:,} entries behind" if host.behind else "abreast"
    how = f"silent for {host.silent:g} s" if host.silent >= SILENT else "stands by"
    return f"{how}, {behind}" + (f"; in trouble {host.trouble}" if host.trouble else "")
