"""One trace, from what an agent says to what another does about it: ``python -m examples.integrations.opentelemetry``.

OpenTelemetry's own exporter keeps the spans in memory here; yours sends them to wherever you look at traces.
"""

import asyncio
import tempfile
from pathlib import Path

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from agents import Agent, Crew, on_signal
from agents.adapters.opentelemetry import instrument
from bus.messages import Signal

spans, figures = InMemorySpanExporter(), InMemoryMetricReader()
tracing = TracerProvider()
tracing.add_span_processor(SimpleSpanProcessor(spans))
instrument(tracing, MeterProvider([figures]))


class Travel(Agent):
    """Books, in a span of its own."""

    async def run(self) -> None:
        await self.board.constrain("budget", "<=", 50_000, unit="CNY")
        with tracing.get_tracer("travel").start_as_current_span("book flights"):
            await self.board.deposit("The flights cost 60,000", key="budget", value=60_000, unit="CNY", scope="shared")


class Finance(Agent):
    """Objects to what breaks the budget."""

    @on_signal("violated", key="budget")
    async def object(self, _signal: Signal) -> None:
        await self.board.deposit("Too much: look for trains", scope="shared")


def tree(every: tuple[ReadableSpan, ...], parent: ReadableSpan, depth: int = 0) -> None:
    """Print a span, and what came of it."""
    who = (parent.attributes or {}).get("messaging.client.id", "")
    print("  " * depth + parent.name + (f" ({who})" if who else ""))
    for span in sorted(every, key=lambda each: each.start_time or 0):
        if span.parent is not None and span.parent.span_id == parent.context.span_id:
            tree(every, span, depth + 1)


def main() -> None:
    """Run the crew, then look at what was collected."""
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(Crew([Travel(), Finance()], board=str(Path(folder) / "trip")).run())
    ended = spans.get_finished_spans()
    tree(ended, next(span for span in ended if span.name == "book flights"))
    data = figures.get_metrics_data()
    assert data is not None
    for metric in data.resource_metrics[0].scope_metrics[0].metrics:
        if metric.name == "pheroboard.signals":
            for point in metric.data.data_points:
                print("signals:", *(point.attributes or {}).values(), getattr(point, "value", 0))


if __name__ == "__main__":
    main()
