"""agents.memory.outages: errors that are nobody's mistake."""

import pytest

from agents.memory.outages import is_outage


@pytest.mark.parametrize(
    "error",
    [
        "statement timeout after 5 s", "TimeoutError", "the request timed out", "connection reset by peer",
        "connect: refused", "ConnectionError: no route", "host unreachable",
        "HTTP 503: service unavailable", "error 429", "rate limited: too many requests", "no space left on device", "database is locked",
        "the server is not responding", "查询超时", "服务暂时不可用", "网络错误",
    ],
)  # fmt: skip
def test_what_did_not_answer_is_an_outage(error: str) -> None:
    """Whatever it was that failed to."""
    assert is_outage(error)


@pytest.mark.parametrize(
    "error", ["unknown column 'revenue'", "limit must be at most 500", "no such tool", "row 503 is empty", "缺少参数", ""]
)
def test_what_was_refused_is_none(error: str) -> None:
    """A number alone is no status, and a parameter that cannot be is somebody's mistake."""
    assert not is_outage(error)
