"""Traces and metrics of boards, through OpenTelemetry: the only file that imports it.

    instrument()                                  # what the process has set up for OpenTelemetry is used, or the providers that are given
    async with blackboard.open("trip", agent="finance") as board: ...

Laws:

- The names are those of the semantic conventions for messaging (1.44), and *pheroboard.…* where these have none.
- No span and no measure tells contents, keys, values or errors' texts: of an error its type, of others nothing.
- A trace that comes over the wire is a claim: what is no *traceparent* is ignored, and where there is none, a trace begins.
- What a user's sampler, span processor or metric reader raises costs nobody anything but the span or the measure; it is told once.
"""

import logging
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from time import perf_counter, time_ns
from typing import NamedTuple
from urllib.parse import urlsplit

from agents.adapters.measuring import measures
from agents.adapters.needing import needing
from agents.errors import CommandError
from bus import telemetry
from bus.port import LogMessage
from bus.telemetry import Gauge, Place

with needing("otel"):
    from opentelemetry import context as contexts
    from opentelemetry.context import Context
    from opentelemetry.exporter.prometheus import PrometheusMetricReader
    from opentelemetry.metrics import CallbackOptions, MeterProvider, Observation, get_meter_provider
    from opentelemetry.sdk.metrics import MeterProvider as Metering
    from opentelemetry.sdk.resources import OTELResourceDetector, Resource
    from opentelemetry.trace import (
        INVALID_SPAN,
        INVALID_SPAN_CONTEXT,
        Link,
        NonRecordingSpan,
        Span,
        SpanContext,
        SpanKind,
        Status,
        StatusCode,
        TracerProvider,
        get_current_span,
        get_tracer_provider,
        set_span_in_context,
    )
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
    from opentelemetry.util.types import Attributes
    from prometheus_client import CollectorRegistry, start_http_server

SCHEMA = "https://opentelemetry.io/schemas/1.44.0"
BUCKETS = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0)
"""Seconds: those of the conventions for messaging, and some below, where an embedded board is."""
GAUGES: Mapping[Gauge, tuple[str, str]] = {
    "log.lag": ("{entry}", "Entries of the log that the host has yet to apply"),
    "log.age": ("s", "How long the oldest entry that the host is applying has been in the log"),
    "feed.lag": ("{entry}", "Entries that an agent's feeds have heard of and not given out"),
    "items": ("{item}", "Items on the board, by tier"),
}

_LONGEST = 512
"""Characters of a traceparent; what is longer is none."""
_GIVEN = contexts.create_key("pheroboard-given")
"""Under it a context has the ``_Given`` that it is the context of."""

_w3c = TraceContextTextMapPropagator()
_logger = logging.getLogger(__name__)


def instrument(tracer_provider: TracerProvider | None = None, meter_provider: MeterProvider | None = None) -> None:
    """Trace and measure all boards of this process from now on, also those that are open; what was set up before ends.

    Without providers, those that the process has set up are used (by ``opentelemetry-instrument``, or ``set_tracer_provider``).
    """
    telemetry.active = _OpenTelemetry(tracer_provider or get_tracer_provider(), meter_provider or get_meter_provider())


def uninstrument() -> None:
    """Trace and measure nothing any more."""
    telemetry.active = None


class Instrumentor:
    """Both, as ``opentelemetry-instrument`` calls them in any program that it starts: ``pheroboard up``, too."""

    def instrument(self, **_: object) -> None:
        """``instrument()``, with what it has set up."""
        instrument()

    def uninstrument(self, **_: object) -> None:
        """``uninstrument()``."""
        uninstrument()


@contextmanager
def metrics_served(address: str) -> Iterator[str]:
    """Measure all boards of this process while the context is open, for Prometheus to scrape at ``HOST:PORT``; give the URL.

    Raises ``CommandError`` for an address that is none, or cannot be had.
    """
    split = urlsplit(f"//{address}")
    try:
        host, port = split.hostname, split.port
    except ValueError:
        host = port = None
    if not host or port is None:
        raise CommandError(f"metrics at {address!r}: give HOST:PORT, as in 127.0.0.1:9464")
    registry = CollectorRegistry()
    named = Resource({"service.name": "pheroboard"}).merge(OTELResourceDetector().detect())  # as OTEL_SERVICE_NAME has it, if it is set
    provider = Metering([PrometheusMetricReader(scope_info_enabled=False, registry=registry)], named)
    try:
        server, thread = start_http_server(port, host, registry)
    except OSError as error:
        provider.shutdown()
        raise CommandError(f"metrics cannot be served at {address}: {error.strerror or error}; give another --metrics HOST:PORT") from error
    instrument(meter_provider=provider)
    try:
        yield f"http://{address.rpartition(':')[0]}:{server.server_port}/metrics"  # with the brackets that IPv6 has
    finally:
        uninstrument()
        server.shutdown()
        server.server_close()
        thread.join()
        provider.shutdown()


class _Origin(NamedTuple):
    """Where something was said, and when."""

    context: SpanContext
    at: float
    """By the clock that durations are measured by, in seconds."""
    stamp: int
    """In Unix nanoseconds."""


class _Given(NamedTuple):
    """An event that was given out, and the context that the calling code had before."""

    feed: object
    span: Span
    before: Context


class _Batch:
    """A batch that is being applied."""

    def __init__(self, spans: Mapping[int, Span]) -> None:
        self.spans = spans
        self.traces: Mapping[int, str] = {seq: _traceparent(span) for seq, span in spans.items()}
        self.observations = 0
        self.signals = Counter[str]()
        self.refused = Counter[str]()
        self.is_stored = False

    def entry(self, observations: int, signals: Iterable[str], refused: Iterable[str]) -> None:
        """Count what it did."""
        self.observations += observations
        self.signals.update(signals)
        self.refused.update(refused)

    def stored(self) -> None:
        """It counts."""
        self.is_stored = True


class _OpenTelemetry:
    """What ``bus.telemetry`` tells, as spans and measures."""

    def __init__(self, tracers: TracerProvider, meters: MeterProvider) -> None:
        self._tracer = tracers.get_tracer("pheroboard", schema_url=SCHEMA)
        self._told: set[type[Exception]] = set()
        meter = meters.get_meter("pheroboard", schema_url=SCHEMA)
        self._accepted = meter.create_counter(
            "pheroboard.observations.accepted", "{observation}", "Observations that are durable in the log"
        )
        self._applied = meter.create_counter("pheroboard.observations.applied", "{observation}", "Observations that the host has applied")
        self._refused = meter.create_counter("pheroboard.refusals", "{refusal}", "Units and posts that the host has refused, by the reason")
        self._signals = meter.create_counter("pheroboard.signals", "{signal}", "Signals that detectors have raised")
        self._publish, self._apply, self._ask, self._answer = (
            meter.create_histogram(f"pheroboard.{name}.duration", "s", about, explicit_bucket_boundaries_advisory=BUCKETS)
            for name, about in (
                ("publish", "From what an agent says until it is durable in the log"),
                ("apply", "A batch of the log, until it is applied and durable at the host"),
                ("ask", "A question, at the agent"),
                ("answer", "A question, at the host"),
            )
        )
        for gauge, (unit, about) in GAUGES.items():
            meter.create_observable_gauge(f"pheroboard.{gauge}", [self._measuring(gauge)], unit, about)

    # ---- saying -------------------------------------------------------------------------------------------------------------------------

    def origin(self) -> _Origin:
        """Where the calling code stands, and when."""
        return _Origin(get_current_span().get_span_context(), perf_counter(), time_ns())

    @contextmanager
    def sending(self, place: Place, origins: Sequence[object], observations: int) -> Iterator[str]:
        """*send BOARD*: a child of whoever spoke first, with links to the others whose words share the post."""
        said = [each for each in origins if isinstance(each, _Origin)] or [_Origin(INVALID_SPAN_CONTEXT, perf_counter(), time_ns())]
        speakers = list({each.context.span_id: each.context for each in said if each.context.is_valid}.values())
        attributes = _attributes(place, "send", "send") | {
            "messaging.batch.message_count": len(said),
            "pheroboard.observations": observations,
        }
        span = self._begun(
            f"send {place.board}", _under(speakers[0]) if speakers else Context(), SpanKind.PRODUCER, attributes,
            [Link(each) for each in speakers[1:]], said[0].stamp,
        )  # fmt: skip
        with self._ending(span):
            yield _traceparent(span)
        now, board = perf_counter(), _board(place)
        with self._spared():
            self._accepted.add(observations, board)
            for each in said:
                self._publish.record(now - each.at, board)

    # ---- at the host --------------------------------------------------------------------------------------------------------------------

    @contextmanager
    def applying(self, place: Place, messages: Sequence[LogMessage]) -> Iterator[_Batch]:
        """*apply BOARD* for each message that brought a trace, from the beginning of its batch until that is durable."""
        began, board = perf_counter(), _board(place)
        attributes = _attributes(place, "process", "apply")
        spans = {
            message.seq: self._begun(f"apply {place.board}", parent, SpanKind.CONSUMER, attributes)
            for message in messages
            if (parent := _context(message.trace)) is not None
        }
        batch = _Batch(spans)
        try:
            yield batch
        finally:
            for span in spans.values():
                self._end(span, "" if batch.is_stored else "retried")
        if batch.is_stored:
            with self._spared():
                self._apply.record(perf_counter() - began, board)
                self._applied.add(batch.observations, board)
                for code, count in batch.refused.items():
                    self._refused.add(count, board | {"error.type": code})
                for signal, count in batch.signals.items():
                    self._signals.add(count, board | {"pheroboard.signal": signal})

    @contextmanager
    def answering(self, place: Place, query: str) -> Iterator[None]:
        """A duration."""
        began, attributes = perf_counter(), _board(place) | {"pheroboard.query": query}
        try:
            yield
        except Exception as error:
            attributes["error.type"] = type(error).__name__
            raise
        finally:
            with self._spared():
                self._answer.record(perf_counter() - began, attributes)

    # ---- hearing and asking -------------------------------------------------------------------------------------------------------------

    @contextmanager
    def handling(self, place: Place, trace: str, event: str, handler: str) -> Iterator[None]:
        """*process BOARD*, current while the handler runs."""
        attributes = _attributes(place, "process", "process") | {"pheroboard.event": event.lower(), "code.function.name": handler}
        span = self._begun(f"process {place.board}", _context(trace) or Context(), SpanKind.CONSUMER, attributes)
        token = contexts.attach(set_span_in_context(span))
        try:
            with self._ending(span):
                yield
        finally:
            contexts.detach(token)

    def received(self, feed: object, place: Place, trace: str, event: str) -> None:
        """*receive BOARD*, over at once, and current in the calling code from here on.

        It is never taken back by a token: several feeds may be read in any order, and by several tasks.
        """
        self.over(feed)
        if (parent := _context(trace)) is None:
            return
        before = contexts.get_current()
        attributes = _attributes(place, "receive", "receive") | {"pheroboard.event": event.lower()}
        span = self._begun(f"receive {place.board}", parent, SpanKind.CLIENT, attributes)
        self._end(span)
        contexts.attach(contexts.set_value(_GIVEN, _Given(feed, span, before), set_span_in_context(span, before)))

    def over(self, feed: object) -> None:
        """Make that current which was so before the feed's event, unless the calling code has begun a span of its own since."""
        found = contexts.get_current()
        while isinstance(given := found.get(_GIVEN), _Given) and get_current_span(found) is given.span:
            found = given.before
            if given.feed is feed:
                contexts.attach(found)
                return

    @contextmanager
    def asking(self, place: Place, query: str) -> Iterator[None]:
        """*ask BOARD*, if somebody's trace is under way; a duration in any case."""
        began, metered = perf_counter(), _board(place) | {"pheroboard.query": query}
        traced = get_current_span().get_span_context().is_valid
        attributes = {"messaging.client.id": place.agent, **metered}
        span = self._begun(f"ask {place.board}", None, SpanKind.CLIENT, attributes) if traced else INVALID_SPAN
        try:
            with self._ending(span):
                yield
        except Exception as error:
            metered["error.type"] = type(error).__name__
            raise
        finally:
            with self._spared():
                self._ask.record(perf_counter() - began, metered)

    # ---- spans --------------------------------------------------------------------------------------------------------------------------

    def _begun(
        self,
        name: str,
        parent: Context | None,
        kind: SpanKind,
        attributes: Attributes,
        links: Sequence[Link] = (),
        start: int | None = None,
    ) -> Span:
        """A span; one that is none, where what the user has set up raises."""
        with self._spared():
            return self._tracer.start_span(name, parent, kind, attributes, links, start)
        return INVALID_SPAN

    @contextmanager
    def _ending(self, span: Span) -> Iterator[None]:
        failed = ""
        try:
            yield
        except Exception as error:
            failed = type(error).__name__
            raise
        finally:
            self._end(span, failed)

    def _end(self, span: Span, failed: str = "") -> None:
        with self._spared():
            if failed:
                span.set_attribute("error.type", failed)
                span.set_status(Status(StatusCode.ERROR))
            span.end()

    @contextmanager
    def _spared(self) -> Iterator[None]:
        """Whatever the user has set up raises in here is told, once of each kind, and passes nobody."""
        try:
            yield
        except Exception as error:
            if type(error) not in self._told:
                self._told.add(type(error))
                _logger.exception("a span or a measure is lost: what was set up for OpenTelemetry raises (told once for each kind)")

    # ---- gauges -------------------------------------------------------------------------------------------------------------------------

    def _measuring(self, gauge: Gauge) -> Callable[[CallbackOptions], Iterable[Observation]]:
        def measure(_: CallbackOptions) -> Iterable[Observation]:
            """What is open shows, added up."""
            shown: Counter[tuple[Place, str]] = Counter()
            for value, place, tier in measures(gauge) if telemetry.active is self else ():
                shown[place, tier] += value  # type: ignore[assignment]  # seconds, too
            for (place, tier), value in shown.items():
                more = {"messaging.client.id": place.agent} if place.agent else {"pheroboard.tier": tier} if tier else {}
                yield Observation(value, _board(place) | more)

        return measure


def _board(place: Place) -> dict[str, str]:
    return {"messaging.system": place.system, "messaging.destination.name": place.board}


def _attributes(place: Place, kind: str, name: str) -> dict[str, str | int]:
    agent = {"messaging.client.id": place.agent} if place.agent else {}
    return {**_board(place), "messaging.operation.type": kind, "messaging.operation.name": name, **agent}


def _under(parent: SpanContext) -> Context:
    return set_span_in_context(NonRecordingSpan(parent), Context())


def _context(trace: str) -> Context | None:
    """The context that a traceparent stands for; None for what is none."""
    if not trace or len(trace) > _LONGEST:
        return None
    found = _w3c.extract({"traceparent": trace}, Context())
    return found if get_current_span(found).get_span_context().is_valid else None


def _traceparent(span: Span) -> str:
    carrier: dict[str, str] = {}
    _w3c.inject(carrier, set_span_in_context(span, Context()))
    return carrier.get("traceparent", "")
