"""Errors of what did not answer, or had no room: nobody's mistake, told by their words (chapter 5, analyse: a tool timed out)."""

import re


def is_outage(error: str) -> bool:
    """Does it say that a service, a network or a machine did not do its part? English and Chinese."""
    return bool(_OUTAGE.search(error))


_OUTAGE = re.compile(
    r"""\b(?: time[sd]?[ -]?out | timeout\w* | deadline[ ]exceeded | (?:took|taking)[ ]too[ ]long | connection\w* | unreachable
          | refused[ ]to[ ]connect | connect\W{1,3}refused | reset[ ]by[ ]peer | (?:not|no)[ ]respon\w+ | network | dns
          | (?:service|server|host|temporarily|currently)[ \w]{0,20}[ ]?unavailable | bad[ ]gateway | gateway[ ]time | overloaded
          | rate[ -]limit\w* | too[ ]many[ ]requests | internal[ ]server[ ]error | try[ ]again[ ]later | out[ ]of[ ]memory
          | no[ ]space | disk[ ](?:is[ ])?full | (?:http|status|code|error)\W{0,3}(?:429|5\d\d) | (?:database|table|file)[ ]is[ ]locked ) \b
        | 超时 | 连接 | 网络 | 无响应 | 服务不可用 | 暂时不可用 | 不可用 | 繁忙 | 限流 | 稍后再试 | 内存不足 | 磁盘已满""",
    re.IGNORECASE | re.VERBOSE,
)
