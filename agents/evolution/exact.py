"""Exact tests for few observations: no approximation, so they hold for a handful of tasks as well.

Both are one-sided and give the chance, between 0 and 1, of an outcome at least as extreme if there were no difference.
"""

from math import comb


def sign_test(better: int, worse: int) -> float:
    """How probable it is that of the pairs that differ at least ``better`` turn out so, if either way is as likely.

    For pairs of successes and failures this is McNemar's test in its exact form: the pairs that agree say nothing, and those that differ
    follow a binomial law of ½ (Q. McNemar, *Note on the sampling error of the difference between correlated proportions*, 1947).
    """
    pairs = better + worse
    return sum(comb(pairs, k) for k in range(better, pairs + 1)) / (1 << pairs)


def fisher(successes: int, of: int, other_successes: int, of_others: int) -> float:
    """How probable so few ``successes`` are, or fewer, if the two groups do equally well.

    Given the margins, their number is hypergeometric (R. A. Fisher, *The Design of Experiments*, 1935: the exact test of a 2 × 2 table).
    """
    total, good = of + of_others, successes + other_successes
    least = max(0, good - of_others)
    return sum(comb(good, k) * comb(total - good, of - k) for k in range(least, successes + 1)) / comb(total, of)
