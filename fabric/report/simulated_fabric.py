"""The part of a fabric that an incast touches, with the buffers and thresholds of its design."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING

from fabric.core.errors import InputError
from fabric.design.pool import lossless_pool_bytes
from fabric.intent.classes import class_named
from fabric.qos.headroom.wire import SIGNAL_M_PER_S, response_ns
from fabric.qos.path import HOP_NS
from fabric.qos.simulate.scenario import VXLAN_BYTES, Cable, End
from fabric.report.buffers import assumed_pool_bytes, assumption, slowest_nic_ns
from fabric.report.dcqcn import OWN, kind_of, parameters_of
from fabric.report.lossless import question
from fabric.report.simulation_classes import RunClasses, lossy_pool, with_classes
from fabric.report.simulation_paths import nic_row, traffic_of
from fabric.topology.pause_response import PauseResponses
from fabric.topology.sample_path import Sampler
from fabric.topology.tenants import UNASSIGNED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from fabric.design.designs import Designs
    from fabric.design.model import DeviceDesign
    from fabric.design.port_model import PortDesign
    from fabric.intent.classes import LosslessClass
    from fabric.qos.dcqcn.parameters import ParameterSet
    from fabric.qos.simulate.classes import LossyPool, SimulatedClass
    from fabric.report.simulation_paths import Traffic
    from fabric.report.simulation_settings import Load, Settings
    from fabric.topology.pause_response import PauseResponse
    from fabric.topology.sample_path import Step


@dataclass(frozen=True, slots=True)
class Target:
    """Nodes, cables and paths of an incast; see :class:`fabric.qos.simulate.scenario.Scenario`.

    Parameters
    ----------
    also : tuple of tuple
        Paths of each traffic of ``--also``.
    lossy : tuple of tuple of int
        Paths of what may be dropped.
    assumed : tuple of str
        What is assumed of switches, as no source has it.
    """

    shared_bytes: tuple[int | None, ...]
    cables: tuple[Cable, ...]
    paths: tuple[tuple[int, ...], ...]
    names: tuple[str, ...]
    classes: tuple[SimulatedClass, ...]
    routes: Mapping[tuple[int, int], tuple[int, ...]] = field(default_factory=dict)
    also: tuple[tuple[tuple[int, ...], ...], ...] = ()
    lossy: tuple[tuple[int, ...], ...] = ()
    lossy_pools: tuple[LossyPool | None, ...] = ()
    assumed: tuple[str, ...] = ()


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
    traffic = traffic_of(
        designs, sampler, [nic_row(designs, word) for word in receivers], load, far=far
    )
    paths = traffic.paths
    leaf, leaf_port = _port_at(designs, paths[0][-1])
    first = _class_at(leaf_port, load)
    try:
        kind = kind_of(leaf, leaf_port, first, slowest_nic_ns(designs))
        parameters = parameters_of(kind, question(designs, settings.parameters))
    except ValueError as error:
        raise InputError(str(error)) from error
    marking = settings.marking
    if marking is None and settings.parameters == OWN:
        marking = parameters.congestion_point
    names = (first.name, *(also.class_name for also in load.also))
    if first.name in names[1:]:
        raise InputError(f"--also names class {first.name}, that of the incast; name another class")
    classes = RunClasses(names, load, settings, marking)
    builder = Builder(designs, classes)
    target = builder.target(traffic, classes.simulated(leaf_port))
    if not settings.sprays:
        return target, parameters
    every = [*traffic.paths, *chain(*traffic.also), *traffic.lossy]
    equal = [sampler.equal_steps(path[0].row, path[-1].row) for path in every]
    return builder.sprayed(target, equal), parameters


def _port_at(designs: Designs, step: Step) -> tuple[DeviceDesign, PortDesign]:
    """Return the switch, and its port, that a NIC is cabled to."""
    nics = designs.fabric.nics
    device = designs.devices[designs.fabric.switches.names[int(nics.leaf[step.row])]]
    return device, _port(device, int(nics.port[step.row]))


def _port(device: DeviceDesign, number: int) -> PortDesign:
    return next(port for port in device.ports if port.number == number)


def _class_at(port: PortDesign, load: Load) -> LosslessClass:
    if port.qos is None:
        raise InputError(
            f"port {port.name} carries no lossless class; there is nothing to simulate"
        )
    return class_named(port.qos.classes, load.lossless_class, f"port {port.name}")


class Builder:
    """Numbers the nodes and cables of some paths.

    Parameters
    ----------
    classes : RunClasses
        What each class has at a port.
    """

    def __init__(self, designs: Designs, classes: RunClasses) -> None:
        self._load = classes.load
        self._designs = designs
        self._fabric = designs.fabric
        self._responses = PauseResponses(designs.fabric)
        self._classes = classes
        self._is_tunnelled = False
        self._nodes: dict[str, int] = {}
        self._shared: list[int | None] = []
        self._lossy: list[LossyPool | None] = []
        self._rows: dict[tuple[bool, int], int] = {}
        self._cables: list[Cable] = []
        self._names: list[str] = []
        self._assumed: dict[str, None] = {}

    def target(self, traffic: Traffic, classes: tuple[SimulatedClass, ...]) -> Target:
        """Return the part of the fabric that the paths touch."""
        tenants = self._fabric.tenants
        if tenants is not None and not tenants.is_local:
            self._is_tunnelled = tenants.of_nic[traffic.paths[0][-1].row] != UNASSIGNED
        paths, *also, lossy = (
            self._ports(part) for part in (traffic.paths, *traffic.also, traffic.lossy)
        )
        return Target(
            tuple(self._shared),
            tuple(self._cables),
            paths,
            tuple(self._names),
            classes,
            also=tuple(also),
            lossy=lossy,
            lossy_pools=tuple(self._lossy),
            assumed=tuple(self._assumed),
        )

    def _ports(self, paths: Sequence[tuple[Step, ...]]) -> tuple[tuple[int, ...], ...]:
        return tuple(tuple(2 * self._cable(step) + (not step.up) for step in p) for p in paths)

    def sprayed(self, target: Target, equal: Sequence[Sequence[Step]]) -> Target:
        """Return a target whose switches choose for each packet.

        Parameters
        ----------
        equal : sequence of sequences of Step
            Cables between leaves of all equal paths, for each path of the target, those of
            other classes.
        """
        routes: dict[tuple[int, int], set[int]] = {}
        every = (*target.paths, *chain(*target.also), *target.lossy)
        for path, steps in zip(every, equal, strict=True):
            for port in (path[-1], *(2 * self._cable(step) + (not step.up) for step in steps)):
                cable = self._cables[port // 2]
                node = cable.far.node if port % 2 else cable.near.node
                routes.setdefault((path[-1], node), set()).add(port)
        return replace(
            target,
            shared_bytes=tuple(self._shared),
            cables=tuple(self._cables),
            names=tuple(self._names),
            lossy_pools=tuple(self._lossy),
            assumed=tuple(self._assumed),
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
        nic = self._designs.hosts[host].nics[at]
        speed = int(nics.speed_gbps[row])
        own = self._responses.of_host(int(nics.host[row]))
        end = End(node=self._node(host, None), response_ns=self._response_ns(speed, own))
        near = with_classes(end, self._classes.at_nic(nic.qos))
        far = self._end(leaf, int(nics.port[row]), speed)
        self._names[-1:] = [f"{host} {nic.interface}", self._names[-1]]
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
        own = self._responses.of_switch(self._fabric.switch_row[switch])
        end = End(node=self._node(switch, device), response_ns=self._response_ns(speed_gbps, own))
        if port.headroom and (words := assumption(device, port.headroom)):
            self._assumed[words] = None
        self._assumed |= dict.fromkeys(self._classes.assumed(device, port))
        return with_classes(end, self._classes.at_port(device, port))

    def _response_ns(self, speed_gbps: float, own: PauseResponse | None) -> float:
        """Return how long a sender goes on after a pause, at most."""
        if self._load.response_ns is not None:
            return self._load.response_ns
        return own.time_ns if own else response_ns(speed_gbps)[1]

    def _node(self, name: str, device: DeviceDesign | None) -> int:
        if name not in self._nodes:
            self._nodes[name] = len(self._shared)
            self._lossy.append(None if device is None else lossy_pool(device))
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
    return known or assumed_pool_bytes(device, assumed_bytes)


def _cable(near: End, far: End, speed_gbps: int, cable_m: int) -> Cable:
    delay_ns = cable_m / SIGNAL_M_PER_S * 1e9
    return Cable(near=near, far=far, speed_gbps=speed_gbps, delay_ns=delay_ns, latency_ns=HOP_NS)
