"""Many scents, one concentration: the zero-preserving log-sum-exp of chapter 3.

Law: nothing adds nothing, one alone is itself, and weak ones are slow to drown a strong one.
"""

from collections.abc import Iterable
from math import exp, expm1, fsum, inf, log, log1p

from blackboard.errors import BadValue

_LARGE = 30.0
"""Of β·c: beyond it exp(β·c) − 1 is exp(β·c) to the last bit but a few, and may soon be no number any more."""


def superpose(values: Iterable[float], sharpness: float = 1.0) -> float:
    """``C(c₁…cₙ; β) = ln(1 + Σ (exp(β·cᵢ) − 1)) / β`` (chapter 3, "Superpose").

    It is 0 of nothing, c of c alone, monotone, and the same in whatever order. ``sharpness`` is β: the larger, the less do many weak ones
    count beside a strong one.

    :raises BadValue: a concentration that is below 0, infinite or no number; a sharpness that is not above 0, or infinite
    """
    if not 0 < sharpness < inf:
        raise BadValue(f"sharpness {sharpness!r} is not a number above 0: 1.0 is the usual one")
    concentrations = list(values)
    for each in concentrations:
        if not 0 <= each < inf:
            raise BadValue(f"concentration {each!r} is not a number from 0 upwards")
    if len(concentrations) == 1:
        return float(concentrations[0])
    strongest = max(concentrations, default=0.0)
    if sharpness * strongest <= _LARGE:
        return log1p(fsum(expm1(sharpness * each) for each in concentrations)) / sharpness
    # The same with exp(β·strongest) taken out of the sum, so that nothing overflows.
    rest = fsum(exp(sharpness * (each - strongest)) for each in concentrations)
    return strongest + log(rest - (len(concentrations) - 1) * exp(-sharpness * strongest)) / sharpness
