"""A language model behind any server that speaks OpenAI's chat protocol, with a budget of tokens. The only file that imports openai.

    budget = Budget(50_000)
    async with Chat("qwen3", base_url="http://127.0.0.1:11434/v1", budget=budget, within=30) as chat:
        answer = await chat.ask([{"role": "user", "content": "…"}], max_tokens=300)

Laws:

- What a request could cost is set aside before it is sent, so that no request begins which the budget might not bear.
- What is set aside is spent, unless the server says that it was less (its ``usage``) or did not take the request: also where it hangs,
  breaks off, or is not waited for any more.
- The key goes to ``base_url`` and nowhere else: no redirect is followed, and no error shows it.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Self

import anyio
import msgspec
from anyio.to_thread import run_sync
from msgspec import Struct

from agents.errors import BadReply, BudgetSpent, NoReply
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
SHOWN = 500
"""Characters of an error, at most."""
LATER = (408, 409, 429)
"""The statuses, beside those from 500 on, after which it may be tried again."""


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
    """A model that answers messages. ``within``: seconds for an answer, all attempts together.

    Without ``base_url`` it is OpenAI's, with the key in ``OPENAI_API_KEY`` unless another is given. With one, only ``api_key`` is sent
    there. ``temperature`` is left to the server, if not given; ``count`` is of the prompt. The first request opens the client (in a thread,
    since that takes a second), and the context, or ``aclose``, closes it. Raises ``NotInstalled``, ``BadValue``.
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

    async def ask(self, messages: Sequence[Mapping[str, str]], max_tokens: int) -> str:
        """The answer, of at most ``max_tokens``, to ``messages``: each *role* and *content*. Raises ``ChatError``, ``BadValue``.

        What the server cannot take for now is sent again, for ``within`` seconds and ``ATTEMPTS`` times at most.
        """
        if max_tokens < 1:
            raise BadValue(f"max_tokens {max_tokens!r}: an answer has at least 1")
        prompt = AROUND + sum(AROUND + self._count(message["content"]) for message in messages)
        worst = int(prompt * OTHERS) + max_tokens
        client = await self._opened()
        try:
            with anyio.fail_after(self._within):
                return await self._persistently(client, messages, max_tokens, worst)
        except TimeoutError:
            raise NoReply(f"{self.model} did not answer within {self._within:g} s: give it longer (within=…)") from None

    async def _persistently(self, client: "AsyncOpenAI", messages: Sequence[Mapping[str, str]], max_tokens: int, worst: int) -> str:
        attempt = 1
        while isinstance(came := await self._attempt(client, messages, max_tokens, worst), _Failed):
            if came.pause is None or attempt == ATTEMPTS:
                # Raised out here, where no exception of openai's is its context: those hold the request, and in it the key.
                raise NoReply(self._shown(f"{self.model}{f', asked {attempt} times' * (attempt > 1)}: {came.why}"))
            await anyio.sleep(max(came.pause, PAUSE * 2 ** (attempt - 1)))
            attempt += 1
        return came

    async def _attempt(self, client: "AsyncOpenAI", messages: Sequence[Mapping[str, str]], max_tokens: int, worst: int) -> "str | _Failed":
        import openai

        given: dict[str, Any] = {"model": self.model, "messages": [_sendable(each) for each in messages], "max_tokens": max_tokens}
        if self._temperature is not None:
            given["temperature"] = self._temperature
        with self.budget.reserve(worst) as bill:
            try:
                reply = await client.chat.completions.with_raw_response.create(**given)
            except openai.APIStatusError as error:
                if error.status_code < 500:
                    bill.tokens = 0  # the server says that it did not take it
                again = error.status_code >= 500 or error.status_code in LATER
                return _Failed(f"status {error.status_code}: {error.message}", _seconds(error.response.headers) if again else None)
            except openai.APIConnectionError as error:
                if type(error.__cause__).__name__ in {"ConnectError", "ConnectTimeout"}:  # httpx's, of which there are several packages
                    bill.tokens = 0  # it was never sent
                return _Failed(f"{error.message.rstrip('.')} ({error.__cause__}): is the server at {client.base_url} up?", 0.0)
            return self._read(reply.http_response.content, bill)

    def _read(self, body: bytes, bill: Bill) -> str:
        try:
            reply = msgspec.json.decode(body, type=_Reply)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
            raise BadReply(f"{self.model} answered outside of the protocol: {error}: is it a chat server of OpenAI's kind?") from None
        bill.tokens = _cost(reply.usage, bill.tokens)
        if not reply.choices:
            raise BadReply(f"{self.model} gave no choice")
        choice = reply.choices[0]
        if choice.message.refusal:
            raise BadReply(self._shown(f"{self.model} refused: {choice.message.refusal}"))
        if choice.finish_reason in {"length", "content_filter"}:
            cure = "allow more tokens" if choice.finish_reason == "length" else "ask otherwise"
            raise BadReply(f"{self.model}'s answer was cut off ({choice.finish_reason}): {cure}")
        if not choice.message.content or not choice.message.content.strip():
            raise BadReply(f"{self.model}'s answer is empty")
        return choice.message.content

    async def _opened(self) -> "AsyncOpenAI":
        async with self._opening:
            if self._client is None:
                self._client = await run_sync(self._open)
            return self._client

    def _open(self) -> "AsyncOpenAI":
        import openai

        # A server that is named is not sent the key that the environment holds for another.
        key = self._key if self._base_url is None else self._key or "none"
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
        import os

        for key in filter(None, (self._key, os.environ.get("OPENAI_API_KEY"))):
            text = text.replace(key, "…")
        return text if len(text) <= SHOWN else f"{text[:SHOWN]}…"


def _sendable(message: Mapping[str, str]) -> dict[str, str]:
    """A message without lone surrogates, which no encoder takes: U+FFFD stands for them."""
    return {field: text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") for field, text in message.items()}


class _Failed(Struct, frozen=True):
    why: str
    pause: float | None
    """Seconds after which it may be tried again, at least; None: no use."""


class _Message(Struct):
    content: str | None = None
    refusal: str | None = None


class _Choice(Struct):
    message: _Message
    finish_reason: str | None = None


class _Reply(Struct):
    choices: list[_Choice]
    usage: Any = None


class _Usage(Struct):
    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


def _cost(usage: Any, otherwise: int) -> int:
    """What a reply says that it cost, if that can be."""
    try:
        told = msgspec.convert(usage, _Usage)
    except msgspec.ValidationError:
        return otherwise
    parts = told.prompt_tokens + told.completion_tokens
    return parts if told.prompt_tokens > 0 and told.completion_tokens >= 0 and told.total_tokens == parts else otherwise


def _seconds(headers: Mapping[str, str]) -> float:
    """How long a server asks to wait; 0 where it does not, or names a date."""
    try:
        return max(0.0, float(headers.get("retry-after", "0")))
    except ValueError:
        return 0.0
