"""A language model behind any server that speaks OpenAI's chat protocol, with a budget of tokens. The only file that imports openai.

    budget = Budget(50_000)
    async with Chat("qwen3", base_url="http://127.0.0.1:11434/v1", budget=budget, within=30) as chat:
        answer = await chat.ask([{"role": "user", "content": "…"}], max_tokens=300)
        async for piece in chat.stream([{"role": "user", "content": "…"}], max_tokens=300, tools=[Tool.of(add)]):
            print(piece)    # pieces of the text, and at the end the whole Reply

Laws:

- What a request could cost is set aside before it is sent, so that no request begins which the budget might not bear.
- What is set aside is spent, unless the server says that it was less (its ``usage``) or did not take the request: also where it hangs,
  breaks off, or is not waited for any more.
- A stream of which something was given out is not begun anew: where it breaks, that is told.
- The key goes to ``base_url`` and nowhere else: no redirect is followed, and no error shows it.
"""

import os
import re
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence
from contextlib import aclosing, contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Self

import anyio
import msgspec
from anyio.to_thread import run_sync
from msgspec import Struct

from agents.errors import BadReply, BudgetSpent, ChatError, NoReply
from agents.replies import Gathered, Reply
from agents.tools import Tool
from blackboard.errors import BadValue, NotInstalled
from blackboard.tokens import TokenCounter, count_tokens

if TYPE_CHECKING:
    from openai import AsyncOpenAI

AROUND = 8
"""Tokens that a message has beside its text, at most; and so does the request."""
OTHERS = 1.5
"""So many times as many tokens as ours another model's tokenizer may make of a prompt."""
ATTEMPTS = 3
"""A request that the server could not take is sent so often at most, each time on the budget."""
PAUSE = 0.5
"""Seconds before the second attempt, if the server does not say; twice as many before each one after it."""
SECRET = 8
"""Characters of a key that is looked for within words, too."""
SHOWN = 500
"""Characters of an error, at most."""
LATER = (408, 409, 429)
"""The statuses, beside those from 500 on, after which it may be tried again."""

Message = Mapping[str, Any]
"""What the protocol has as one: *role* and *content*, and *tool_calls* or *tool_call_id* where there are any."""


class Bill:
    """What a request costs: all that was set aside for it, unless it is told better."""

    def __init__(self, tokens: int) -> None:
        self.tokens = tokens


class Budget:
    """Tokens that may be spent, of prompts and answers together; several chats may share one. ``spent``: by an earlier process."""

    def __init__(self, tokens: int, spent: int = 0) -> None:
        if tokens < 0 or spent < 0:
            raise BadValue(f"a budget of {tokens} tokens with {spent} spent: give numbers of at least 0")
        self.tokens = tokens
        self.spent = spent
        """What requests cost that are over. A server that takes more than it was allowed may bring it above ``tokens``; nothing follows."""
        self.aside = 0
        """What is set aside for requests under way."""

    @property
    def left(self) -> int:
        """What may still be set aside."""
        return max(0, self.tokens - self.spent - self.aside)

    @contextmanager
    def reserve(self, tokens: int) -> Iterator[Bill]:
        """Set ``tokens`` aside while the context is open; what its bill says is spent at the end. Raises ``BudgetSpent``."""
        if tokens > self.left:
            raise BudgetSpent(
                f"{self.spent:,} of {self.tokens:,} tokens are spent, {self.aside:,} are set aside, and the request could cost {tokens:,}: "
                "give a larger budget"
            )
        bill = Bill(tokens)
        self.aside += tokens
        try:
            yield bill
        finally:
            self.aside -= tokens
            self.spent += bill.tokens


class Chat:
    """A model that answers messages. ``within``: seconds that an answer is waited for, all attempts together.

    Without ``base_url`` it is at ``OPENAI_BASE_URL``, or else OpenAI's, with the key in ``OPENAI_API_KEY`` unless another is given. With
    one, only ``api_key`` is sent there. ``temperature`` is left to the server, if not given; ``count`` is of the prompt. The first request
    opens the client (in a thread, since that takes a second), and the context, or ``aclose``, closes it. Raises ``NotInstalled``,
    ``BadValue``.
    """

    def __init__(
        self,
        model: str,
        *,
        budget: Budget,
        base_url: str | None = None,
        api_key: str | None = None,
        within: float = 60.0,
        temperature: float | None = None,
        count: TokenCounter = count_tokens,
    ) -> None:
        if find_spec("openai") is None:
            raise NotInstalled("language models are asked with the package openai: pip install 'pheroboard[llm]'")
        if base_url is not None and not base_url.startswith(("http://", "https://")):
            raise BadValue(f"base_url {base_url!r}: give one that begins with http:// or https://")
        if not within > 0:
            raise BadValue(f"within {within!r}: give seconds above 0")
        self.model, self.budget = model, budget
        self._base_url, self._key, self._within, self._temperature, self._count = base_url, api_key, within, temperature, count
        self._client: AsyncOpenAI | None = None
        self._opening = anyio.Lock()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections. A request after that opens new ones."""
        client, self._client = self._client, None
        if client is not None:
            await client.close()

    async def ask(self, messages: Sequence[Message], max_tokens: int) -> str:
        """The answer, of at most ``max_tokens``, to ``messages``: each *role* and *content*. Raises ``ChatError``, ``BadValue``.

        What the server cannot take for now is sent again, ``ATTEMPTS`` times at most, and while the wait before it ends within ``within``.
        """
        async with aclosing(self._pieces(messages, max_tokens, (), streams=False)) as pieces:
            *_, reply = [piece async for piece in pieces]
        assert isinstance(reply, Reply)
        if not reply.text.strip():
            raise BadReply(f"{self.model} called tools, and was given none")
        return reply.text

    def stream(self, messages: Sequence[Message], max_tokens: int, tools: Sequence[Tool] = ()) -> AsyncGenerator[str | Reply, None]:
        """The answer as it comes, piece by piece of its text, and at the end the whole ``Reply``, which may call ``tools``.

        As ``ask``. Who leaves it before its end closes it: ``async with contextlib.aclosing(chat.stream(…)) as pieces``.
        """
        return self._pieces(messages, max_tokens, tools, streams=True)

    def tokens(self, messages: Sequence[Message], tools: Sequence[Tool] = ()) -> int:
        """How many tokens these are in a prompt, about: a model's own tokenizer may make more of them, at most ``OTHERS`` times as many."""
        told = sum(AROUND + self._count(each.get("content") or "") + self._counted(each.get("tool_calls")) for each in messages)
        return AROUND + told + self._counted(_offered(tools))

    def _counted(self, data: Any) -> int:
        return self._count(msgspec.json.encode(data).decode()) if data else 0

    async def _pieces(
        self, messages: Sequence[Message], max_tokens: int, tools: Sequence[Tool], *, streams: bool
    ) -> AsyncGenerator[str | Reply, None]:
        """The answer, waited for no longer than ``within``; what its taker does between the pieces is not counted."""
        if max_tokens < 1:
            raise BadValue(f"max_tokens {max_tokens!r}: an answer has at least 1")
        sent = _sendable(list(messages))
        worst = int(self.tokens(sent, tools) * OTHERS) + max_tokens
        client = await self._opened()
        given: dict[str, Any] = {"model": self.model, "messages": sent, _cap(client.base_url.host): max_tokens}
        if self._temperature is not None:
            given["temperature"] = self._temperature
        if tools:
            given["tools"] = _offered(tools)
        if streams:
            given |= {"stream": True, "stream_options": {"include_usage": True}}
        left, ended = self._within, False
        async with aclosing(self._persistently(client, given, worst)) as pieces:
            while not ended:
                began = anyio.current_time()
                try:
                    with anyio.fail_after(max(0.0, left)):
                        piece = await anext(pieces)
                except TimeoutError:
                    raise NoReply(f"{self.model} did not answer within {self._within:g} s: give it longer (within=…)") from None
                left -= anyio.current_time() - began
                ended = isinstance(piece, Reply)
                yield piece

    async def _persistently(self, client: "AsyncOpenAI", given: Mapping[str, Any], worst: int) -> AsyncGenerator[str | Reply, None]:
        attempt, begun, until = 1, False, anyio.current_time() + self._within
        while True:
            failed: _Failed | None = None
            async with aclosing(self._attempt(client, given, worst)) as pieces:
                async for piece in pieces:
                    if isinstance(piece, _Failed):
                        failed = piece
                    else:
                        begun = True
                        yield piece
            if failed is None:
                return
            pause = max(failed.pause or 0.0, PAUSE * 2 ** (attempt - 1))
            if failed.pause is None or begun or attempt == ATTEMPTS or anyio.current_time() + pause > until:
                # Raised out here, where no exception of openai's is its context: those hold the request, and in it the key.
                raise failed.error(self._shown(f"{self.model}{f', asked {attempt} times' * (attempt > 1)}: {failed.why}"))
            await anyio.sleep(pause)
            attempt += 1

    async def _attempt(self, client: "AsyncOpenAI", given: Mapping[str, Any], worst: int) -> "AsyncGenerator[str | Reply | _Failed, None]":
        """The pieces of one answer, and at the end its reply, or how it failed."""
        import openai

        came = Gathered(worst)
        with self.budget.reserve(worst) as bill:
            try:
                async with aclosing(_data(client, given)) as pieces:
                    async for data in pieces:
                        for text in came.take(data):
                            yield text
                bill.tokens = came.tokens
                outcome: Reply | _Failed = came.reply()
            except openai.APIStatusError as error:
                if error.status_code < 500:
                    bill.tokens = 0  # the server says that it did not take it
                again = error.status_code >= 500 or error.status_code in LATER
                pause = _seconds(error.response.headers) if again else None
                wait = f" (it asks to wait {pause:g} s)" if pause else ""
                outcome = _Failed(NoReply, f"status {error.status_code}{wait}: {error.message}", pause)
            except openai.APIConnectionError as error:
                if type(error.__cause__).__name__ in {"ConnectError", "ConnectTimeout"}:  # httpx's, of which there are several packages
                    bill.tokens = 0  # it was never sent
                why = f"{error.message.rstrip('.')} ({error.__cause__}): is the server at {client.base_url} up?"
                outcome = _Failed(NoReply, why, 0.0)
            except openai.APIError as error:
                outcome = _Failed(NoReply, f"the stream ended in an error: {error.message}", 0.0)
            except BadReply as error:
                outcome = _Failed(BadReply, str(error), None)
            except (ValueError, RecursionError) as error:
                outcome = _Failed(BadReply, f"outside of the protocol: {error}: is it a chat server of OpenAI's kind?", None)
        yield outcome

    async def _opened(self) -> "AsyncOpenAI":
        async with self._opening:
            if self._client is None:
                self._client = await run_sync(self._open)
            return self._client

    def _open(self) -> "AsyncOpenAI":
        import openai

        # A server that is named is not sent the key that the environment holds for another.
        named = self._base_url is not None or ("OPENAI_BASE_URL" in os.environ and "OPENAI_API_KEY" not in os.environ)
        key = self._key or ("none" if named else None)
        try:
            return openai.AsyncOpenAI(
                api_key=key,
                base_url=self._base_url,
                timeout=self._within,
                max_retries=0,  # each attempt is on the budget, and the client does not tell how many it made
                http_client=openai.DefaultAsyncHttpxClient(follow_redirects=False),
            )
        except openai.OpenAIError:
            raise BadValue("no api_key is given, and OPENAI_API_KEY is not set: give one, or the base_url of a server of yours") from None

    def _shown(self, text: str) -> str:
        """What a server said, without the key, and not at any length."""
        for key in filter(None, (self._key, os.environ.get("OPENAI_API_KEY"))):
            # A short one, as local servers are given for want of any, is part of words that are none.
            text = text.replace(key, "…") if len(key) >= SECRET else re.sub(rf"(?<!\w){re.escape(key)}(?!\w)", "…", text)
        return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


async def _data(client: "AsyncOpenAI", given: Mapping[str, Any]) -> AsyncGenerator[Any, None]:
    """What a server answers, piece by piece, as JSON."""
    import openai

    # Not ``chat.completions.create``, which walks through all that is sent, to no end here: 40 ms a request with 400 messages.
    path = "/chat/completions"
    if given.get("stream"):
        async with await client.post(path, body=given, cast_to=object, stream=True, stream_cls=openai.AsyncStream[object]) as stream:
            async for data in stream:
                yield data
    else:
        answer = await client.post(path, body=given, cast_to=object)
        yield msgspec.json.decode(answer) if isinstance(answer, str) else answer  # text: what was sent as something else than JSON


def _cap(host: str) -> str:
    """What a server calls the most that an answer may have: OpenAI's newer models refuse the name that all others know."""
    return "max_completion_tokens" if host == "api.openai.com" else "max_tokens"


def _offered(tools: Sequence[Tool]) -> list[dict[str, Any]]:
    """Tools as the protocol has them."""
    return [
        {"type": "function", "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters}}
        for tool in tools
    ]


def _sendable(data: Any) -> Any:
    """Messages without lone surrogates, which no encoder takes: U+FFFD stands for them."""
    if isinstance(data, str):
        return data.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(data, Mapping):
        return {name: _sendable(value) for name, value in data.items()}
    return [_sendable(each) for each in data] if isinstance(data, list | tuple) else data


class _Failed(Struct, frozen=True):
    error: type[ChatError]
    why: str
    pause: float | None
    """Seconds after which it may be tried again, at least; None: no use."""


def _seconds(headers: Mapping[str, str]) -> float:
    """How long a server asks to wait; 0 where it does not, or names a date."""
    try:
        return max(0.0, float(headers.get("retry-after", "0")))
    except ValueError:
        return 0.0
