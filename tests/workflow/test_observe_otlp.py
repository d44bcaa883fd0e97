"""Readings by OTLP: a receiver decodes the requests with the protocol's own messages."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import TYPE_CHECKING

import pytest

from fabric.observe.rates import Rates
from fabric.observe.snapshot import Snapshot
from fabric.observe.state import InterfaceState
from fabric.report.exposition import figures
from fabric.report.exposition_plan import PORT_INFO
from fabric.report.observed import Seen
from fabric.workflow.observe_otlp import Otlp
from tests.report.test_exposition import HOSTILE, TIME, leaf
from tests.waiting import until

if TYPE_CHECKING:
    from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
        ExportMetricsServiceRequest,
    )

PLAN = {"leaf1": [(PORT_INFO, ("Ethernet0", "gpu1", "eth1", "nic", "0"), 1)]}


@contextmanager
def receiver(status: int = 200) -> Iterator[tuple[str, list[ExportMetricsServiceRequest]]]:
    """Yield the URL of a receiver, and what it got."""
    from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import (
        ExportMetricsServiceRequest,
    )

    received = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            if self.headers.get("Content-Encoding") == "gzip":
                body = gzip.decompress(body)
            received.append(ExportMetricsServiceRequest.FromString(body))
            self.send_response(status)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/v1/metrics", received
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def sent(*readings: Seen, status: int = 200) -> tuple[list[ExportMetricsServiceRequest], list[str]]:
    """Return the requests of some readings, each sent alone, and the notes."""
    notes: list[str] = []
    with receiver(status) as (url, received):
        otlp = Otlp(url, PLAN, notes.append)
        for number, one in enumerate(readings, 1):
            otlp.put(one)
            otlp._send()
            until(lambda number=number: len(received) >= number, "it is received")
        otlp.close()
    return received, notes


def points(request: ExportMetricsServiceRequest) -> dict[tuple[str, ...], float]:
    """Return the figures by name and values of their attributes."""
    return {
        (metric.name, *(one.value.string_value for one in point.attributes)): (
            point.as_int if point.HasField("as_int") else point.as_double
        )
        for resource in request.resource_metrics
        for scope in resource.scope_metrics
        for metric in scope.metrics
        for point in (metric.sum if metric.HasField("sum") else metric.gauge).data_points
    }


def metrics(request: ExportMetricsServiceRequest) -> dict[str, object]:
    (resource,) = request.resource_metrics
    return {metric.name: metric for metric in resource.scope_metrics[0].metrics}


def test_every_figure_of_the_text_format_is_sent() -> None:
    ((request,), notes) = sent(leaf())
    wanted = {
        (family.name.removesuffix("_total"), "leaf1", *labels): value
        for family, labels, value in (*figures(leaf()), *PLAN["leaf1"])
    }
    assert points(request) == wanted
    assert notes == []


@pytest.mark.parametrize("count", [2**63 - 1, 2**63, 2**64, 2**64 + 1, 10**400])
def test_counters_of_any_size(count: int) -> None:
    seen = Snapshot(
        "leaf1", interfaces={"a": InterfaceState(up=True, counters={"rx_drops": count})}
    )
    ((request,), notes) = sent(Seen("leaf1", "sonic", seen, time=TIME))
    shown = points(request).get(("rocefab_port_discarded_packets", "leaf1", "a", "received"))
    assert shown == (pytest.approx(count) if count <= 2**64 else None)
    assert notes == []


def test_a_counter_is_a_cumulative_sum() -> None:
    from opentelemetry.proto.metrics.v1.metrics_pb2 import AGGREGATION_TEMPORALITY_CUMULATIVE

    ((request,), _) = sent(leaf())
    pauses = metrics(request)["rocefab_pfc_pause_frames"]
    assert pauses.sum.is_monotonic
    assert pauses.sum.aggregation_temporality == AGGREGATION_TEMPORALITY_CUMULATIVE
    assert metrics(request)["rocefab_port_up"].HasField("gauge")
    assert metrics(request)["rocefab_device_read_timestamp_seconds"].unit == "s"
    assert {point.time_unix_nano for point in pauses.sum.data_points} == {
        int(TIME.timestamp()) * 10**9
    }


@pytest.mark.parametrize(("unknown", "begins_anew"), [({}, False), ({"queues": "fell"}, True)])
def test_counters_begin_anew_after_a_reset(unknown: dict[str, str], begins_anew: bool) -> None:
    later = datetime(2026, 11, 24, 13, tzinfo=UTC)
    second = replace(leaf(), time=later, rates=Rates(3600.0, {}, unknown))
    requests, _ = sent(leaf(), second)
    begun = [
        point.start_time_unix_nano
        for request in requests
        for point in metrics(request)["rocefab_pfc_pause_frames"].sum.data_points[:1]
    ]
    assert begun[0] == int(TIME.timestamp()) * 10**9
    assert begun[1] == int((later if begins_anew else TIME).timestamp()) * 10**9


def test_a_receiver_that_refuses_is_reported_and_tried_again() -> None:
    requests, notes = sent(leaf(), Seen("spine1", "eos", error=HOSTILE), status=400)
    assert len(requests) == 2
    assert len(notes) == 2
    assert notes[0].startswith("readings of 1 device could not be sent to http://127.0.0.1")
    assert "\n" not in notes[0]


def test_what_waits_is_sent_at_the_end() -> None:
    with receiver() as (url, received):
        otlp = Otlp(url, {}, lambda _: None)
        otlp.put(leaf())
        otlp.put(leaf("Ethernet8"))
        otlp.close()
    (request,) = received
    ports = {labels[2] for labels in points(request) if labels[0] == "rocefab_port_up"}
    assert ports == {"Ethernet8"}, "the newest reading of a device"
