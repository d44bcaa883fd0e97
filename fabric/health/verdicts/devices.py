"""Devices: not read, tables, packets that NICs lose."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.core.counts import counted
from fabric.core.findings import Severity
from fabric.core.units import share_to_percent
from fabric.health.cause import signs_at
from fabric.health.hole import Hole
from fabric.health.verdict import Verdict, on_cables, verdicts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from fabric.health.cause import Cause
    from fabric.health.window import Window
    from fabric.observe.state import TableUse
    from fabric.topology.model import Bools


@verdicts.add("OBS117")
class NotRead(Verdict):
    """Every device can be read."""

    why = "A fault of a device that cannot be read shows at its neighbours alone."
    source = "docs/observe.md, what is unknown"
    fix = "check its address, account and load; raise --timeout-s if it is slow"
    rank = 50

    def judge(self, window: Window) -> Iterator[Cause]:
        """Yield the devices that could not be read the last time."""
        for name, reading in window.readings.items():
            if reading.after is None:
                rows = window.ends.of_device[window.ends.number[name]]
                reason = reading.error or "there is no reading of it"
                hit = on_cables(window, rows)
                yield self.cause(
                    f"could not be read: {reason}",
                    name,
                    # The cables of a host that is off tell it; a silent switch is told itself.
                    about=signs_at(rows[window.ends.is_nic[rows]], "down"),
                    rails=hit["rails"],
                )

    def unjudged(self, window: Window) -> tuple[list[Hole], bool]:  # noqa: ARG002
        """Return that every device is judged."""
        return [], False


@verdicts.add("OBS118")
class TableFull(Verdict):
    """Tables have room for what a failure moves to them."""

    severity = Severity.WARNING
    why = "A neighbour or route that finds no place in the table has no traffic, or floods."
    source = "sonic-net/SONiC doc/crm/Critical-Resource-Monitoring-High-Level-Design.md"
    fix = "use larger subnets with fewer neighbours, or a switch model with larger tables"
    rank = 51

    def judge(self, window: Window) -> Iterator[Cause]:
        """Yield the tables that are nearly full."""
        for name, reading in window.readings.items():
            tables = (reading.after.tables if reading.after else None) or {}
            for table, use in tables.items():
                full = use.used / use.capacity if use.capacity else 0.0
                if use.capacity and share_to_percent(full) >= window.settings.table_percent:
                    yield self.cause(
                        f"{table}: {use.used:,} of {counted(use.capacity, 'entry')} "
                        f"({share_to_percent(full):.0f} %) are in use",
                        name,
                        severity=Severity.ERROR if full >= 1 else Severity.WARNING,
                    )

    def unjudged(self, window: Window) -> tuple[list[Hole], bool]:
        """Name the switches that report no size of a table."""
        seen = {
            name: reading.after.tables or {}
            for name, reading in window.readings.items()
            if reading.after and reading.platform != "host"
        }
        without = [name for name, tables in seen.items() if not _sizes(tables)]
        if not without:
            return [], not seen
        return [Hole("size of tables", tuple(without))], len(without) == len(seen)

    def concluded(self, window: Window) -> tuple[Bools, Bools]:
        """Return the devices that report sizes of tables."""
        seen = (window.readings.get(name) for name in window.ends.names)
        known = [bool(one and one.after and _sizes(one.after.tables or {})) for one in seen]
        devices: Bools = np.array(known, dtype=np.bool_)
        return devices, devices[window.ends.device]


def _sizes(tables: Mapping[str, TableUse]) -> list[int]:
    return [use.capacity for use in tables.values() if use.capacity]


@verdicts.add("OBS119")
class Lost(Verdict):
    """NICs receive all packets in their order."""

    severity = Severity.WARNING
    why = "Packets out of sequence are sent again with all that followed: the job waits."
    source = "Linux drivers/infiniband/hw/mlx5/counters.c (out_of_sequence, packet_seq_err)"
    fix = "look for drops that no switch counts: `rocefab probe plan`, `rocefab probe run`"
    rank = 60
    needs = (("lost",),)

    def judge(self, window: Window) -> Iterator[Cause]:
        """Yield the NICs that lose packets, of which no cause is seen."""
        ends, lost = window.ends, window.rise("lost")
        for row in np.flatnonzero(lost >= window.settings.lost_packets).tolist():
            rows = np.array([row])
            yield self.cause(
                f"{counted(int(lost[row]), 'packet')} came out of sequence, or were not "
                "acknowledged; no device shows why",
                ends.names[ends.device[row]],
                ends.ports[row],
                about=signs_at(np.array([row, ends.far[row]]), "loss"),
                missed=float(lost[row]),
                **on_cables(window, rows),
            )
