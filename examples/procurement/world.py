"""The world outside the board: what anybody may look up, and what only the supplier tells a buyer."""

CURRENCY = "CNY"


def list_price(round_: int) -> int:
    """The supplier's public price list for the all-in-one."""
    if round_ < 3:
        return 36_000
    if round_ < 6:
        return 40_000
    return 37_500


def quote(round_: int) -> str:
    """What the supplier writes to procurement, and to nobody else."""
    return f"Hailan Ltd, confidential offer HL-{700 + round_}: the all-in-one at {list_price(round_):,}, payment in 60 days, ask for Ms Lin"


COMMITTED = 12_000
"""What finance's own books say is spent already."""

LAST_TRIP = 2
"""The round of the last journey that the schedule plans."""
