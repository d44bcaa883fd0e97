"""The ports behind the channels of a storm: buffers, response times, policies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fabric.core.units import gbps_to_bytes_per_s, ns_to_s
from fabric.design.pool import lossless_pool_bytes
from fabric.qos.headroom.wire import SIGNAL_M_PER_S, response_ns
from fabric.qos.simulate.scenario import FRAME_BYTES
from fabric.qos.storm.spread import Buffers
from fabric.qos.thresholds import alpha
from fabric.report.buffers import assumed_pool_bytes, assumption
from fabric.topology.pause_response import PauseResponses

if TYPE_CHECKING:
    from fabric.design.designs import Designs
    from fabric.design.model import DeviceDesign
    from fabric.design.port_model import PortDesign
    from fabric.qos.headroom.terms import Floats
    from fabric.qos.storm.traffic import Traffic
    from fabric.topology.model import Fabric, Ints
    from fabric.topology.pause_response import PauseResponse


class Ports:
    """The first port of each channel, at both ends.

    Ports of parallel cables are alike: a port that an override makes different counts as the first.
    """

    def __init__(self, designs: Designs, flow: Traffic) -> None:
        fabric = designs.fabric
        self._names, self._devices = fabric.switches.names, designs.devices
        self._by_number: dict[int, dict[int, PortDesign]] = {}
        self.cables = _first_cables(fabric, flow)
        self._numbers = _numbers(fabric, flow, self.cables)

    def sender(self, channel: int, switch: int) -> tuple[DeviceDesign, PortDesign]:
        """Return the switch and the port that send to a channel of a link."""
        device = self._devices[self._names[switch]]
        return device, self._port(switch, int(self._numbers[0, channel]))

    def at_target(self, channel: int, switch: int) -> PortDesign:
        """Return the port where a channel comes in."""
        return self._port(switch, int(self._numbers[1, channel]))

    def _port(self, switch: int, number: int) -> PortDesign:
        if switch not in self._by_number:
            ports = self._devices[self._names[switch]].ports
            self._by_number[switch] = {port.number: port for port in ports}
        return self._by_number[switch][number]


def _first_cables(fabric: Fabric, flow: Traffic) -> Ints:
    """Return a row of the uplinks for each link, shape (links,)."""
    up, links = fabric.uplinks, flow.links
    cables = np.zeros(len(links), dtype=np.int64)
    on = np.flatnonzero(up.enabled)[::-1]  # the first is written last
    for near, far in ((up.lower, up.upper), (up.upper, up.lower)):
        rows = links.rows(near[on], far[on])
        cables[rows[rows >= 0]] = on[rows >= 0]
    return cables


def _numbers(fabric: Fabric, flow: Traffic, cables: Ints) -> Ints:
    """Return the numbers of the ports of each channel, shape (2, channels); NICs have none."""
    up, nics = fabric.uplinks, fabric.nics
    ends = np.stack([up.lower_port[cables], up.upper_port[cables]])
    links = np.where(up.lower[cables] == flow.links.source, ends, ends[::-1])
    leaf_ports = [int(nics.port[rows[0]]) for rows in flow.members]
    hosts = np.array([[-1] * len(leaf_ports), leaf_ports])
    return np.concatenate([links, hosts], axis=1)


def buffers_of(designs: Designs, flow: Traffic, ports: Ports, pool_bytes: int) -> Buffers:
    """Return the buffers of all switches and channels.

    Parameters
    ----------
    pool_bytes : int
        Shared pool of switches whose pool is not known; 0 rejects them.

    Raises
    ------
    InputError
        When a pool is not known.
    """
    fabric = designs.fabric
    groups = [
        ports.at_target(channel, switch).headroom
        for channel, switch in enumerate(flow.target.tolist())
    ]
    speeds, metres = _cables(fabric, flow, ports.cables)
    reaction_s = FRAME_BYTES / gbps_to_bytes_per_s(1) / speeds + metres / SIGNAL_M_PER_S
    return Buffers(
        shared_bytes=np.array([_pool(designs, name, pool_bytes) for name in fabric.switches.names]),
        alpha=np.array([alpha(group.dynamic_th) if group else np.inf for group in groups]),
        pause_bytes=np.array([
            group.levels.pause_bytes if group and group.levels else np.inf for group in groups
        ]),
        reserve_bytes=np.array([group.guaranteed_bytes if group else 0.0 for group in groups]),
        delay_s=reaction_s + _responses_s(fabric, flow, speeds),
    )


def assumed_of(designs: Designs, flow: Traffic, ports: Ports) -> tuple[str, ...]:
    """Return what is assumed of the switches, as no source has it."""
    names = designs.fabric.switches.names
    words = (
        assumption(designs.devices[names[switch]], group)
        for channel, switch in enumerate(flow.target.tolist())
        if (group := ports.at_target(channel, switch).headroom)
    )
    return tuple(dict.fromkeys(filter(None, words)))


def _cables(fabric: Fabric, flow: Traffic, cables: Ints) -> tuple[Ints, Ints]:
    """Return speed in Gb/s and length in metres of the first cable of each channel."""
    nics = [int(rows[0]) for rows in flow.members]
    speeds = [fabric.uplinks.speed_gbps[cables], fabric.nics.speed_gbps[nics]]
    metres = [fabric.uplinks.cable_m[cables], fabric.nics.cable_m[nics]]
    return np.concatenate(speeds), np.concatenate(metres)


def _responses_s(fabric: Fabric, flow: Traffic, speeds_gbps: Ints) -> Floats:
    """Return how long the senders of each channel go on after a pause, at most."""
    known, hosts = PauseResponses(fabric), fabric.nics.host
    links = [known.of_switch(row) for row in flow.source.tolist() if row >= 0]
    members = [
        max((known.of_host(row) for row in np.unique(hosts[rows]).tolist()), key=_time_ns)
        for rows in flow.members
    ]
    times_ns = [
        own.time_ns if own else response_ns(speed)[1]
        for own, speed in zip([*links, *members], speeds_gbps.tolist(), strict=True)
    ]
    return ns_to_s(1) * np.array(times_ns)


def _time_ns(response: PauseResponse | None) -> float:
    return response.time_ns if response else 0.0


def _pool(designs: Designs, name: str, assumed_bytes: int) -> float:
    device = designs.devices[name]
    return float(lossless_pool_bytes(device) or assumed_pool_bytes(device, assumed_bytes))
