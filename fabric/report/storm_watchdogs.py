"""What the watchdogs of each tier do in a storm, and which of them end it."""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from fabric.core.units import ms_to_s
from fabric.design.configured import NOT_CONFIGURED, watchdog_state

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from fabric.design.configured import WatchdogState
    from fabric.design.designs import Designs
    from fabric.design.host_model import NicDesign
    from fabric.design.model import DeviceDesign
    from fabric.design.port_model import PortDesign
    from fabric.qos.storm.spread import Spread
    from fabric.qos.storm.traffic import Traffic
    from fabric.report.storm_buffers import Ports
    from fabric.topology.model import Ints


@dataclass(frozen=True, slots=True, kw_only=True)
class Watch:
    """A watchdog, or those of a kind of ports.

    Parameters
    ----------
    where : str
        Port, or kind of ports.
    ports : int
        How many ports are paused that it watches.
    paused_s : float
        When the first of them is paused.
    action : str
        ``stops the pause`` (NIC), ``drop``, ``forward``, ``alert``, ``not configured`` or ``off``.
    earliest_s, latest_s : float
        Between which times it acts: after detection, and after one more poll; infinite if off.
        Where the switch chooses the time: from the pause on, without end.
    dropped_bytes : float
        Bytes in the queues that it drops at that time.
    restore_s : float
        How long pauses must be absent until it restores the queue.
    restores : bool
        Whether all others go on once it has acted.
    has_times : bool
        Whether it has the times of the design.
    rules : tuple of str
        Rules that say why it does not.
    """

    where: str
    ports: int
    paused_s: float
    action: str
    earliest_s: float
    latest_s: float
    dropped_bytes: float = 0.0
    restore_s: float = 0.0
    restores: bool = False
    has_times: bool = True
    rules: tuple[str, ...] = ()

    @property
    def may_act(self) -> bool:
        """Whether it acts at some time."""
        return isfinite(self.earliest_s)

    @property
    def cited(self) -> str:
        """Its rules in brackets, after a space; empty without them."""
        return f" ({', '.join(self.rules)})" if self.rules else ""


class Times(NamedTuple):
    """When the watchdog of a port acts after the first pause, and when it restores the queue."""

    state: WatchdogState
    earliest_s: float
    latest_s: float
    restore_s: float


def watches(
    designs: Designs,
    flow: Traffic,
    result: Spread,
    ports: Ports,
    tiers: Sequence[tuple[str, Ints]],
) -> tuple[Watch, ...]:
    """Return the watchdogs, those that act first in front; then those whose time is not known.

    Parameters
    ----------
    tiers : sequence of (str, array of int)
        Paused channels, by kind of the ports that send to them.
    """
    dogs = [*_at_nic(designs, flow, result)]
    for title, channels in tiers:
        rows = channels[flow.source[channels] >= 0]
        if len(rows):
            dogs.append(_at_tier(title, rows, flow, result, ports))
    return tuple(sorted(dogs, key=lambda one: (not one.may_act, not one.has_times, one.earliest_s)))


def _at_nic(designs: Designs, flow: Traffic, result: Spread) -> Iterator[Watch]:
    """Yield what the NIC does itself, and the watchdog of its port."""
    fabric, row = designs.fabric, flow.nic
    host = int(fabric.nics.host[row])
    nic = designs.hosts[fabric.hosts.names[host]].nics[fabric.nics_of_host(host).index(row)]
    yield _own(nic)
    leaf = int(fabric.nics.leaf[row])
    device = designs.devices[fabric.switches.names[leaf]]
    port = next(port for port in device.ports if port.number == int(fabric.nics.port[row]))
    state, earliest_s, latest_s, restore_s = _times(device, port)
    yield Watch(
        where=f"leaf {device.name} {port.name}",
        ports=1,
        paused_s=0.0,
        action=state.action,
        earliest_s=earliest_s,
        latest_s=latest_s,
        dropped_bytes=float(result.stuck_bytes[leaf]) if state.action == "drop" else 0.0,
        restore_s=restore_s,
        restores=state.action in {"drop", "forward"},
        has_times=state.has_times,
        rules=_rules([state]),
    )


def _own(nic: NicDesign) -> Watch:
    limit_s = ms_to_s(nic.pause_storm_ms) if nic.pause_storm_ms else float("inf")
    return Watch(
        where=f"NIC {nic.interface}",
        ports=1,
        paused_s=0.0,
        action="stops the pause" if nic.pause_storm_ms else "off",
        earliest_s=limit_s,
        latest_s=limit_s,
        restores=bool(nic.pause_storm_ms),
    )


def _at_tier(title: str, rows: Ints, flow: Traffic, result: Spread, ports: Ports) -> Watch:
    """Return the watchdogs of the switch ports that send to some channels."""
    sources = flow.source[rows]
    times = [
        _times(*ports.sender(channel, switch))
        for channel, switch in zip(rows.tolist(), sources.tolist(), strict=True)
    ]
    states = [one.state for one in times]
    actions = sorted({state.action for state in states})
    paused_s = result.paused_s[rows]
    drops = "drop" in actions
    return Watch(
        where=f"{title} ports",
        ports=int(flow.ports[rows].sum()),
        paused_s=float(paused_s.min()),
        action=" or ".join(actions),
        earliest_s=float((paused_s + [one.earliest_s for one in times]).min()),
        latest_s=float((paused_s + [one.latest_s for one in times]).max()),
        dropped_bytes=float(result.stuck_bytes[np.unique(sources)].sum()) if drops else 0.0,
        restore_s=max(one.restore_s for one in times),
        has_times=all(state.has_times for state in states),
        rules=_rules(states),
    )


def _rules(states: Sequence[WatchdogState]) -> tuple[str, ...]:
    return tuple(sorted({state.rule for state in states} - {""}))


def _times(device: DeviceDesign, port: PortDesign) -> Times:
    """Return what the watchdog of a port does, in seconds."""
    watchdog = port.qos.watchdog if port.qos else None
    state = watchdog_state(watchdog, device.sku, device.role)
    if watchdog is None or state.action in {"off", NOT_CONFIGURED}:
        return Times(state, float("inf"), float("inf"), 0.0)
    if not state.has_times:
        return Times(state, 0.0, float("inf"), float("inf"))
    detection_s = ms_to_s(watchdog.detection_ms)
    latest_s = detection_s + ms_to_s(watchdog.poll_ms)
    return Times(state, detection_s, latest_s, ms_to_s(watchdog.restoration_ms))
