import pytest

from agents.evolution.signs import says, signs, trouble
from agents.memory.records import TaskLog, ToolCall
from tests.agents.evolution.cases import call, said, task


@pytest.mark.parametrize(
    "error",
    [
        "statement timeout after 5 s",
        "Request timed out",
        "connection reset by peer",
        "HTTP 503",
        "status: 502 Bad Gateway",
        "rate limit exceeded, try again later",
        "database is locked",
        "service temporarily unavailable",
        "连接超时",
        "服务繁忙,请稍后再试",
    ],
)
def test_a_tool_that_could_not_do_it_is_the_environment(error: str) -> None:
    """It timed out, or was not reached, or is busy."""
    (sign,) = signs(task("t", call("list_doctors"), call("find_slots", error, doctor="Wang")))
    assert (sign.cause, sign.turn, sign.call and sign.call.name) == ("environment", 1, "find_slots")
    assert error in sign.reason


@pytest.mark.parametrize(
    "error",
    [
        "unknown column 'doctr': did you mean 'doctor'?",
        "missing required parameter 'day'",
        "doctor must be one of Wang, Li",
        "schema error at $.day",
        "500 is not a doctor",
        "缺少参数 day",
    ],
)
def test_a_tool_that_refuses_what_it_was_given_was_misused(error: str) -> None:
    """It names a parameter, or says what it would have taken. A number is no status."""
    (sign,) = signs(task("t", call("find_slots", error, doctor="Wang")))
    assert (sign.cause, sign.confidence) == ("tool", 0.75)


def test_an_error_that_was_got_over_tells_less() -> None:
    """The tool did it in the end; so another sign comes before it."""
    log = task("t", call("find_slots", "timeout"), call("find_slots"), feedback="That is not what I asked for")
    complaint, error = signs(log)
    assert (complaint.cause, error.cause) == ("misunderstanding", "environment")
    assert error.confidence < 0.3


@pytest.mark.parametrize(
    "result",
    [
        {"slots": 20, "truncated": True},
        {"slots": 3, "warning": "the plan of next week is not loaded yet"},
        "showing 20 of 45 slots",
        "结果已截断",
    ],
)
def test_a_tool_that_says_that_its_result_is_not_whole_was_misused(result: object) -> None:
    """By a flag, a remark, or in words."""
    (sign,) = signs(task("t", call("find_slots", result=result)))
    assert (sign.cause, sign.call and sign.call.name) == ("tool", "find_slots")


def test_a_whole_result_is_no_sign() -> None:
    """Whatever it says of the matter."""
    whole: list[object] = [{"slots": 20, "truncated": False, "note": ""}, "Dr. Wang is not in on Monday", None, 5, ["warning"]]
    assert [signs(task("t", call("find_slots", result=each))) for each in whole] == [[]] * len(whole)


def test_the_same_call_again_and_again_is_a_flaw_of_the_plan() -> None:
    """Three times, with the same end."""
    again = call("find_slots", doctor="Wang")
    assert signs(task("t", again, again, call("find_slots", doctor="Li"))) == []
    (sign,) = signs(task("t", again, again, again, again))
    assert (sign.cause, sign.turn) == ("plan", 2)


@pytest.mark.parametrize(
    "words", ["That’s not what I asked for!", "I said the eye clinic", "you misunderstood me", "我要的不是这个", "你理解错了"]
)
def test_a_user_who_says_so_was_misunderstood(words: str) -> None:
    """In a turn, or when the task was judged: it is about what the agent did last before."""
    booked = call("book", doctor="Wang")
    (sign,) = signs(task("t", said("user", "hello"), booked, said("user", words)))
    assert (sign.cause, sign.turn, sign.call) == ("misunderstanding", 1, booked)
    (sign,) = signs(task("t", booked, feedback=words))
    assert (sign.cause, sign.turn) == ("misunderstanding", 0)


def test_a_call_with_what_was_ruled_out_is_a_misunderstanding() -> None:
    """What follows a negation in its clause, by value or, of a switch, by name; what is asked for instead is not ruled out."""
    request = "Book Dr. Li, not Dr. Wang, and do not send a reminder"
    (sign,) = signs(task("t", call("book", doctor="Dr. Wang"), request=request))
    assert (sign.cause, "Dr. Wang" in sign.reason) == ("misunderstanding", True)
    assert signs(task("t", call("book", doctor="Dr. Li", send_a_reminder=False), request=request)) == []
    assert len(signs(task("t", call("book", doctor="Dr. Li", send_a_reminder=True), request=request))) == 1
    assert len(signs(task("t", call("send", via="短信"), request="通知我，但不要发短信"))) == 1
    assert signs(task("t", call("send", via="邮件"), request="通知我，但不要发短信，发邮件")) == []


def expected(made: ToolCall, ought: ToolCall, request: str = "An appointment") -> TaskLog:
    """A task with one call, and the one that it ought to have made."""
    return task("t", made, expected=(ought,), request=request)


def test_the_first_call_that_parts_from_what_was_expected_tells_most() -> None:
    """Another parameter is a tool misused; unless the user had named the right one."""
    made, ought = call("book", doctor="Wang", hour=9), call("book", doctor="Wang", hour=9, reminder=True)
    (sign,) = signs(expected(made, ought))
    assert (sign.cause, sign.confidence, sign.deviation and sign.deviation.parameters) == ("tool", 0.9, ("reminder",))
    (sign,) = signs(expected(call("book", doctor="Wang", hour=9), call("book", doctor="Wang", hour=11), request="Wang at 11"))
    assert sign.cause == "misunderstanding"


def test_a_call_that_was_left_out_is_a_flaw_of_the_plan_unless_the_tool_failed() -> None:
    """Then the environment is to blame, or whatever the error says."""
    ought = call("find_slots", doctor="Wang")
    assert signs(task("t", call("send"), expected=(call("send"), ought)))[0].cause == "plan"
    failed = task("t", call("find_slots", "connection refused", day="today"), call("list_doctors"), expected=(ought,))
    assert signs(failed)[0].cause == "environment"


def test_the_trouble_of_a_failure_is_told_as_far_as_a_sign_tells_it() -> None:
    """Its type, the cause, the tool, and the parameters in which its call differs."""
    assert trouble(task("t", call("find_slots", "timeout"))) == "appointment: environment: find_slots"
    assert trouble(expected(call("find_slots"), call("find_slots", view="full", limit=50))) == "appointment: tool: find_slots: limit: view"
    assert trouble(task("t", call("find_slots"))) == "appointment"


def test_a_value_is_named_by_a_word_of_its_own() -> None:
    """Not by a part of one; true and false are no words."""
    assert says("at 9 o'clock", 9)
    assert says("改到9点", 9)
    assert says("with DR. WANG please", "Dr. Wang")
    assert not says("in 1990", 9)
    assert not says("Wangler", "Wang")
    assert not says("it is True", True)
    assert not says("anything", "")
    assert not says("anything", None)
