"""Figures for Prometheus; no label takes a value that a client chose."""

from __future__ import annotations

from typing import Any

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest

#: Bounds of the histograms in seconds; the aim of a placement is 5 ms, and 20 ms at worst.
_BOUNDS_S = (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.5, 1, 5, 30)
_METHODS = {"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"}


class Metrics:
    """The figures of one service, in a registry of its own."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        own: dict[str, Any] = {"registry": self.registry}
        self._requests = Counter(
            "rocefab_http_requests", "Requests by route.", ["method", "route", "status"], **own
        )
        self._seconds = Histogram(
            "rocefab_http_request_seconds",
            "Time of a request.",
            ["route"],
            buckets=_BOUNDS_S,
            **own,
        )
        self.search_seconds = Histogram(
            "rocefab_placement_search_seconds", "Time of a search.", buckets=_BOUNDS_S, **own
        )
        self.placements = Counter(
            "rocefab_placements", "Answered placements by outcome.", ["outcome"], **own
        )
        self.reloads = Counter(
            "rocefab_inventory_reloads", "Reloads of the inventory by outcome.", ["outcome"], **own
        )
        self.is_current = Gauge(
            "rocefab_inventory_current", "1 when answers are of the inventory on disk.", **own
        )
        self.version = Gauge("rocefab_state_version", "Version of the state.", **own)
        self._conditions = Gauge("rocefab_conditions", "Conditions in the state.", registry=None)
        self._jobs = Gauge("rocefab_jobs", "Running jobs in the state.", registry=None)
        self._is_told = False

    def told(self, conditions: int, jobs: int) -> None:
        """Set the size of the state; these figures are absent until it is told once."""
        if not self._is_told:
            self.registry.register(self._conditions)
            self.registry.register(self._jobs)
            self._is_told = True
        self._conditions.set(conditions)
        self._jobs.set(jobs)

    def request(self, method: str, route: str, status: int, seconds: float) -> None:
        """Count a request; ``route`` is the template of the path, not the path."""
        known = method if method in _METHODS else "other"
        self._requests.labels(known, route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def text(self) -> bytes:
        """Return all figures in the text format."""
        return generate_latest(self.registry)
