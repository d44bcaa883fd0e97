"""The part of a fabric that an incast touches, with the buffers and thresholds of its design."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from fabric.core.errors import InputError
from fabric.design.pool import lossless_pool_bytes
from fabric.intent.classes import class_named
from fabric.qos.dcqcn.parameters import CongestionPoint
from fabric.qos.ecn.edge import programmed_bytes
from fabric.qos.headroom.wire import SIGNAL_M_PER_S, response_ns
from fabric.qos.path import HOP_NS
from fabric.qos.simulate.scenario import VXLAN_BYTES, Cable, End, Ingress
from fabric.report.buffers import ingress_of
from fabric.report.dcqcn import OWN, Kind, parameters_of
from fabric.report.lossless import question
from fabric.topology.pause_response import PauseResponses
from fabric.topology.sample_path import Sampler
from fabric.topology.tenants import UNASSIGNED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fabric.design.designs import Designs
    from fabric.design.model import DeviceDesign, PortDesign
    from fabric.intent.classes import LosslessClass
    from fabric.qos.dcqcn.parameters import ParameterSet
    from fabric.report.simulation_settings import Load, Settings
    from fabric.topology.pause_response import PauseResponse
    from fabric.topology.sample_path import Step


@dataclass(frozen=True, slots=True)
class Target:
    """Nodes, cables and paths of an incast; see :class:`fabric.qos.simulate.scenario.Scenario`."""

    shared_bytes: tuple[int | None, ...]
    cables: tuple[Cable, ...]
    paths: tuple[tuple[int, ...], ...]
    names: tuple[str, ...]
    pfc_priority: int
    routes: Mapping[tuple[int, int], tuple[int, ...]] = field(default_factory=dict)


def incast_target(
    designs: Designs,
    receivers: tuple[str, ...],
    load: Load,
    settings: Settings,
    *,
    far: bool,
) -> tuple[Target, ParameterSet]:
    """Return what an incast touches, and the parameters of its NICs.

    Raises
    ------
    InputError
        When there is no such NIC, there are too few senders, or a buffer is not known.
    """
    sampler = Sampler(designs.fabric, load.seed)
    paths: list[tuple[Step, ...]] = []
    for word in receivers:
        paths += _incast(designs, sampler, nic_row(designs, word), load.senders, far=far)
    if not receivers:
        paths = _permutation(designs, sampler, load.senders)
    leaf_port = _port_at(designs, paths[0][-1])
    one = _class_at(leaf_port, load)
    parameters = _parameters(designs, leaf_port, one, settings)
    marking = settings.marking
    if marking is None and settings.parameters == OWN:
        marking = parameters.congestion_point
    builder = Builder(designs, marking, load)
    target = builder.target(paths, one.pfc_priority)
    if not settings.sprays:
        return target, parameters
    equal = [sampler.equal_steps(path[0].row, path[-1].row) for path in paths]
    return builder.sprayed(target, equal), parameters


def nic_row(designs: Designs, word: str) -> int:
    """Return the row of ``HOST:INTERFACE``.

    Raises
    ------
    InputError
        When there is no such NIC.
    """
    host, _, interface = word.partition(":")
    design = designs.hosts.get(host)
    names = [nic.interface for nic in design.nics] if design else []
    if interface not in names:
        known = f"the NICs of {host} are {', '.join(names)}" if names else f"no host is {host!r}"
        raise InputError(f"unknown NIC {word!r}: {known}; write HOST:INTERFACE")
    return int(designs.fabric.nics_of_host(designs.fabric.host_row[host])[names.index(interface)])


def _incast(
    designs: Designs, sampler: Sampler, receiver: int, senders: int, *, far: bool
) -> list[tuple[Step, ...]]:
    """Return paths from NICs of the same rail: the next hosts, or those of other units first."""
    nics, hosts = designs.fabric.nics, designs.fabric.hosts
    same = (nics.rail == nics.rail[receiver]) & (nics.nic_port == nics.nic_port[receiver])
    if (tenants := designs.fabric.tenants) is not None:
        same = same & (tenants.of_nic == tenants.of_nic[receiver])
    rows = np.flatnonzero(same & nics.enabled & (nics.host != nics.host[receiver]))
    after = (nics.host[rows] - nics.host[receiver]) % len(hosts)
    own_unit = hosts.unit[nics.host[rows]] == hosts.unit[nics.host[receiver]]
    order = np.lexsort((after, own_unit)) if far else np.argsort(after, kind="stable")
    paths: list[tuple[Step, ...]] = []
    for row in rows[order].tolist():
        if path := sampler.path(row, receiver):
            paths.append(path)
        if len(paths) == senders:
            return paths
    raise InputError(
        f"--incast is {senders}; only {len(paths)} NICs of the rail reach the receiver"
    )


def _permutation(designs: Designs, sampler: Sampler, pairs: int) -> list[tuple[Step, ...]]:
    """Return paths from NICs of rail 0 to those half of the fabric away, each to another one.

    Raises
    ------
    InputError
        When the rail has too few NICs with another leaf at that distance.
    """
    nics = designs.fabric.nics
    rows = np.flatnonzero((nics.rail == 0) & (nics.nic_port == 0) & nics.enabled)
    others = np.roll(rows, -(len(rows) // 2))
    ends = zip(rows.tolist(), others.tolist(), strict=True)
    drawn = (
        sampler.path(source, target)
        for source, target in ends
        if nics.leaf[source] != nics.leaf[target]
    )
    paths = [path for path in islice(drawn, pairs) if path]
    if len(paths) < pairs:
        raise InputError(
            f"--permutation is {pairs}; rail 0 has {len(paths)} NICs with a receiver at another "
            "leaf"
        )
    return paths


def _port_at(designs: Designs, step: Step) -> PortDesign:
    """Return the switch port that a NIC is cabled to."""
    nics = designs.fabric.nics
    device = designs.devices[designs.fabric.switches.names[int(nics.leaf[step.row])]]
    return _port(device, int(nics.port[step.row]))


def _port(device: DeviceDesign, number: int) -> PortDesign:
    return next(port for port in device.ports if port.number == number)


def _class_at(port: PortDesign, load: Load) -> LosslessClass:
    if port.qos is None:
        raise InputError(
            f"port {port.name} carries no lossless class; there is nothing to simulate"
        )
    return class_named(port.qos.classes, load.lossless_class, f"port {port.name}")


def _marking(device: DeviceDesign, port: PortDesign, load: Load) -> CongestionPoint | None:
    """Return the thresholds of a port as the switch programs them."""
    if port.qos is None:
        return None
    step = device.sku.asic_facts.integer("ecn_quantum_bytes", unconfirmed=True)
    one = _class_at(port, load)
    kmin, kmax = (
        programmed_bytes(size, step) if step else size for size in (one.kmin_bytes, one.kmax_bytes)
    )
    return CongestionPoint(
        kmin_bytes=kmin, kmax_bytes=max(kmax, kmin + 1), pmax_percent=one.pmax_percent
    )


def _parameters(
    designs: Designs, port: PortDesign, one: LosslessClass, settings: Settings
) -> ParameterSet:
    point = CongestionPoint(
        kmin_bytes=one.kmin_bytes, kmax_bytes=one.kmax_bytes, pmax_percent=one.pmax_percent
    )
    kind = Kind("host", port.speed_gbps, point)
    try:
        return parameters_of(kind, question(designs, settings.parameters))
    except ValueError as error:
        raise InputError(str(error)) from error


class Builder:
    """Numbers the nodes and cables of some paths.

    Parameters
    ----------
    marking : CongestionPoint or None
        Thresholds of all switches; None takes those of the design.
    """

    def __init__(self, designs: Designs, marking: CongestionPoint | None, load: Load) -> None:
        self._load = load
        self._designs = designs
        self._fabric = designs.fabric
        self._responses = PauseResponses(designs.fabric)
        self._override = marking
        self._is_tunnelled = False
        self._nodes: dict[str, int] = {}
        self._shared: list[int | None] = []
        self._rows: dict[tuple[bool, int], int] = {}
        self._cables: list[Cable] = []
        self._names: list[str] = []

    def target(self, paths: Sequence[tuple[Step, ...]], pfc_priority: int) -> Target:
        """Return the part of the fabric that the paths touch."""
        tenants = self._fabric.tenants
        if tenants is not None and not tenants.is_local:
            self._is_tunnelled = tenants.of_nic[paths[0][-1].row] != UNASSIGNED
        ports = tuple(
            tuple(2 * self._cable(step) + (not step.up) for step in path) for path in paths
        )
        parts = (tuple(self._shared), tuple(self._cables), ports, tuple(self._names))
        return Target(*parts, pfc_priority)

    def sprayed(self, target: Target, equal: Sequence[Sequence[Step]]) -> Target:
        """Return a target whose switches choose for each packet.

        Parameters
        ----------
        equal : sequence of sequences of Step
            Cables between leaves of all equal paths, for each path of the target.
        """
        routes: dict[tuple[int, int], set[int]] = {}
        for path, steps in zip(target.paths, equal, strict=True):
            for port in (path[-1], *(2 * self._cable(step) + (not step.up) for step in steps)):
                cable = self._cables[port // 2]
                node = cable.far.node if port % 2 else cable.near.node
                routes.setdefault((path[-1], node), set()).add(port)
        return replace(
            target,
            shared_bytes=tuple(self._shared),
            cables=tuple(self._cables),
            names=tuple(self._names),
            routes={key: tuple(sorted(ports)) for key, ports in routes.items()},
        )

    def _cable(self, step: Step) -> int:
        key = (step.edge, step.row)
        if key not in self._rows:
            self._rows[key] = len(self._cables)
            self._cables.append(self._edge(step.row) if step.edge else self._trunk(step.row))
        return self._rows[key]

    def _edge(self, row: int) -> Cable:
        nics = self._fabric.nics
        host = self._fabric.hosts.names[int(nics.host[row])]
        leaf = self._fabric.switches.names[int(nics.leaf[row])]
        at = self._fabric.nics_of_host(int(nics.host[row])).index(row)
        interface = self._designs.hosts[host].nics[at].interface
        speed = int(nics.speed_gbps[row])
        own = self._responses.of_host(int(nics.host[row]))
        near = End(node=self._node(host, None), response_ns=self._response_ns(speed, own))
        far = self._end(leaf, int(nics.port[row]), speed)
        self._names[-1:] = [f"{host} {interface}", self._names[-1]]
        return _cable(near, far, speed, int(nics.cable_m[row]))

    def _trunk(self, row: int) -> Cable:
        up = self._fabric.uplinks
        names = self._fabric.switches.names
        speed = int(up.speed_gbps[row])
        near = self._end(names[int(up.lower[row])], int(up.lower_port[row]), speed)
        far = self._end(names[int(up.upper[row])], int(up.upper_port[row]), speed)
        cable = _cable(near, far, speed, int(up.cable_m[row]))
        return replace(cable, tunnel_bytes=VXLAN_BYTES if self._is_tunnelled else 0)

    def _end(self, switch: str, number: int, speed_gbps: int) -> End:
        device = self._designs.devices[switch]
        port = _port(device, number)
        self._names.append(f"{switch} {port.name}")
        watchdog = port.qos.watchdog if port.qos else None
        own = self._responses.of_switch(self._fabric.switch_row[switch])
        return End(
            node=self._node(switch, device),
            ingress=_ingress(switch, port),
            marking=self._override or _marking(device, port, self._load),
            response_ns=self._response_ns(speed_gbps, own),
            detection_ms=watchdog.detection_ms if watchdog and watchdog.enabled else 0,
        )

    def _response_ns(self, speed_gbps: float, own: PauseResponse | None) -> float:
        """Return how long a sender goes on after a pause, at most."""
        if self._load.response_ns is not None:
            return self._load.response_ns
        return own.time_ns if own else response_ns(speed_gbps)[1]

    def _node(self, name: str, device: DeviceDesign | None) -> int:
        if name not in self._nodes:
            self._nodes[name] = len(self._shared)
            self._shared.append(
                None if device is None else _pool_bytes(device, self._load.pool_bytes)
            )
        return self._nodes[name]


def _pool_bytes(device: DeviceDesign, assumed_bytes: int) -> int:
    known = lossless_pool_bytes(device)
    if known == 0:
        raise InputError(
            f"{device.name} has no shared pool: its ports take more than its buffer; see "
            "`rocefab show buffer`"
        )
    pool = known or assumed_bytes
    if not pool:
        raise InputError(
            f"the shared pool of {device.name} ({device.sku.name}) is not known; give the pool of "
            "such switches with --buffer-mib"
        )
    return pool


def _ingress(switch: str, port: PortDesign) -> Ingress:
    group = port.headroom
    if group is None or group.headroom_bytes is None:
        why = "PFC is off" if group is None else "its headroom is not known"
        raise InputError(f"{switch} {port.name} cannot be simulated: {why}")
    return ingress_of(group)


def _cable(near: End, far: End, speed_gbps: int, cable_m: int) -> Cable:
    delay_ns = cable_m / SIGNAL_M_PER_S * 1e9
    return Cable(near=near, far=far, speed_gbps=speed_gbps, delay_ns=delay_ns, latency_ns=HOP_NS)
