"""The newest reading of every device, and its figures as text, for those who ask at any time."""

from __future__ import annotations

from collections import defaultdict
from threading import Lock
from typing import TYPE_CHECKING

from fabric.observe.families import Family
from fabric.report.exposition import blocks, device_lines, lines_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from fabric.core.findings import Finding
    from fabric.report.exposition import Figure, Lines
    from fabric.report.observed import Seen


FINDING = Family(
    "rocefab_finding",
    "1 while a verdict on a device or port lasts.",
    ("rule", "port", "severity"),
)


class Newest:
    """Holds the newest reading of each device; many threads may put and ask.

    The text of a device is made when its reading arrives, so that a scrape only joins texts.

    Parameters
    ----------
    plan : mapping of str to list of Figure
        What the inventory says of each device, shown with the readings.

    Examples
    --------
    >>> from fabric.report.observed import Seen
    >>> newest = Newest()
    >>> newest.put(Seen("leaf1", "sonic", error="no route to host"))
    >>> print("".join(newest.exposition()), end="")
    # HELP rocefab_device_read Whether the device could be read.
    # TYPE rocefab_device_read gauge
    rocefab_device_read{device="leaf1",platform="sonic"} 0
    """

    def __init__(self, plan: Mapping[str, Iterable[Figure]] | None = None) -> None:
        self._plan = [lines_of(name, figures) for name, figures in (plan or {}).items()]
        self._lock = Lock()
        self._kept: dict[str, tuple[Seen, Lines]] = {}
        self._findings: list[Lines] = []

    def put(self, seen: Seen) -> None:
        """Keep a reading in place of the one before of the same device."""
        lines = device_lines(seen)
        with self._lock:
            self._kept[seen.device] = seen, lines

    def put_findings(self, findings: Iterable[Finding]) -> None:
        """Keep the verdicts that last, in place of those before: one of each rule and port."""
        figures: dict[str, dict[tuple[str, str], Figure]] = defaultdict(dict)
        for one in findings:
            labels = (one.rule, one.port, one.severity.word)
            figures[one.device][one.rule, one.port] = (FINDING, labels, 1)
        lines = [lines_of(name, rows.values()) for name, rows in sorted(figures.items())]
        with self._lock:
            self._findings = lines

    def __getitem__(self, device: str) -> Seen:
        """Return the newest reading of a device; raises KeyError when there is none yet."""
        return self._kept[device][0]

    def all(self) -> list[Seen]:
        """Return the newest reading of each device, by name."""
        return [seen for seen, _ in self._rows()]

    def exposition(self) -> Iterator[str]:
        """Yield the text format of Prometheus in pieces: a family of all devices each.

        All pieces are of the moment when the first was asked for.
        """
        rows = self._rows()
        yield from blocks([*self._plan, *self._findings, *(lines for _, lines in rows)])

    def _rows(self) -> list[tuple[Seen, Lines]]:
        with self._lock:
            return [self._kept[name] for name in sorted(self._kept)]
