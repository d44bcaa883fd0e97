"""Readings as OpenTelemetry metrics, sent by OTLP over HTTP.

Names, units and labels are such that a collector or Prometheus comes to the same series as from
our own text format: https://opentelemetry.io/docs/specs/otel/compatibility/prometheus_and_openmetrics/.
Headers, certificates and compression come from the variables of the OpenTelemetry SDK, such as
``OTEL_EXPORTER_OTLP_HEADERS``.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.sdk.metrics.export import (
    AggregationTemporality,
    Gauge,
    Metric,
    MetricExportResult,
    MetricsData,
    NumberDataPoint,
    ResourceMetrics,
    ScopeMetrics,
    Sum,
)
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.util.instrumentation import InstrumentationScope

from fabric import __version__
from fabric.core.counts import counted
from fabric.core.units import s_to_ns
from fabric.report.exposition import figures

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from fabric.observe.families import Family
    from fabric.report.exposition import Figure
    from fabric.report.observed import Seen

#: How often what has arrived is sent. Ours: some readings of a round in one request.
_EVERY_S = 5.0
#: Units of UCUM by how a name ends. A unit with a slash has none here: Prometheus adds "per second"
#: to a name that has it already.
_UNITS = {"_bytes": "By", "_seconds": "s"}
#: Integers of OTLP have 64 bits with sign (`as_int` of NumberDataPoint, metrics.proto).
_INTEGERS = 1 << 63
_SCOPE = InstrumentationScope("rocefab", __version__)


@dataclass
class Otlp:
    """Sends the newest reading of each device to a receiver.

    Parameters
    ----------
    endpoint : str
        URL of the receiver, such as ``http://127.0.0.1:4318/v1/metrics``.
    plan : mapping of str to list of Figure
        What the inventory says of each device, sent with its readings.
    note : callable
        Takes a line about what could not be sent. Its readings are lost; newer ones are sent.
    """

    endpoint: str
    plan: Mapping[str, list[Figure]]
    note: Callable[[str], None]
    _waiting: dict[str, Seen] = field(default_factory=dict, init=False)
    _begun_s: dict[str, float] = field(default_factory=dict, init=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, init=False)
    _ended: threading.Event = field(default_factory=threading.Event, init=False)

    def __post_init__(self) -> None:
        self._reasons = _Reasons()
        logger = logging.getLogger("opentelemetry")
        logger.addHandler(self._reasons)
        logger.propagate = False
        self._exporter = OTLPMetricExporter(self.endpoint)
        self._thread = threading.Thread(target=self._run, name="rocefab-otlp", daemon=True)
        self._thread.start()

    def put(self, seen: Seen) -> None:
        """Keep a reading until it is sent, in place of an older one of the device."""
        with self._lock:
            self._waiting[seen.device] = seen

    def close(self) -> None:
        """Send what waits, and end."""
        self._ended.set()
        self._thread.join()
        self._exporter.shutdown()

    def _run(self) -> None:
        while not self._ended.wait(_EVERY_S):
            self._send()
        self._send()

    def _send(self) -> None:
        with self._lock:
            waiting, self._waiting = list(self._waiting.values()), {}
        if not waiting:
            return
        data = MetricsData([self._resource(one) for one in waiting])
        if self._exporter.export(data) is not MetricExportResult.SUCCESS:
            self.note(
                f"readings of {counted(len(waiting), 'device')} could not be sent to "
                f"{self.endpoint}{self._reasons.last()}"
            )

    def _resource(self, one: Seen) -> ResourceMetrics:
        resource = Resource({"service.name": "rocefab", "service.instance.id": one.device})
        now_s = one.time.timestamp() if one.time else time.time()
        begun_s = self._begun_s.setdefault(one.device, now_s)
        if one.rates and one.rates.unknown:  # counters were reset: they begin anew
            begun_s = self._begun_s[one.device] = now_s
        points = _points(one, self.plan.get(one.device, ()), s_to_ns(begun_s), s_to_ns(now_s))
        metrics = [_metric(family, of_family) for family, of_family in points.items()]
        return ResourceMetrics(resource, [ScopeMetrics(_SCOPE, metrics, "")], "")


def _points(
    one: Seen, plan: Iterable[Figure], begun_ns: int, now_ns: int
) -> dict[Family, list[NumberDataPoint]]:
    points: dict[Family, list[NumberDataPoint]] = defaultdict(list)
    for family, labels, value in _all(one, plan):
        attributes = {"device": one.device, **dict(zip(family.labels, labels, strict=True))}
        is_whole = float(value).is_integer() and abs(value) < _INTEGERS
        number = int(value) if is_whole else float(value)
        points[family].append(NumberDataPoint(attributes, begun_ns, now_ns, number))
    return points


def _all(one: Seen, plan: Iterable[Figure]) -> Iterator[Figure]:
    yield from figures(one)
    yield from plan


def _metric(family: Family, points: list[NumberDataPoint]) -> Metric:
    name = family.name.removesuffix("_total")
    unit = next((unit for end, unit in _UNITS.items() if name.endswith(end)), "")
    data = (
        Sum(points, AggregationTemporality.CUMULATIVE, is_monotonic=True)
        if family.is_counter
        else Gauge(points)
    )
    return Metric(name, family.text, unit, data)


class _Reasons(logging.Handler):
    """Keeps the last message of the SDK, which says why an export failed."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self._last = ""

    def emit(self, record: logging.LogRecord) -> None:
        """Keep a message; a line of at most 200 characters."""
        self._last = " ".join(record.getMessage().split())[:200]

    def last(self) -> str:
        """Return it behind a colon, and forget it."""
        text, self._last = self._last, ""
        return f": {text}" if text else ""
