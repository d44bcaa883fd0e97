"""simulate: a single switch, and what is sent on it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from fabric.core.errors import InputError
from fabric.intent.classes import ONE_CLASS_NAME
from fabric.intent.policy import SchedulerPolicy
from fabric.qos.simulate.classes import LossyQueue, PortClass, SimulatedClass
from fabric.qos.simulate.star import Star
from fabric.report.simulated_fabric import Target
from fabric.report.simulation_classes import LOSSY, reject_unknown, weights, with_classes

if TYPE_CHECKING:
    from fabric.qos.dcqcn.parameters import ParameterSet
    from fabric.qos.simulate.scenario import Cable
    from fabric.report.simulation_settings import Load, Settings

#: Priority of the first lossless class where no inventory says it: the one that rocefab takes.
_PRIORITY = 3


def star_of(load: Load, buffer_bytes: int, response_ns: float, **shape: float) -> Star:
    """Return a switch with a port for each sender: of the incast, of what is sent besides, last."""
    more = sum(also.senders for also in load.also) + (load.lossy_gbps > 0)
    return Star(
        senders=load.senders + more,
        buffer_bytes=buffer_bytes,
        response_ns=response_ns,
        speed_gbps=shape["speed_gbps"],
        delay_us=shape["delay_us"],
        alpha=shape["alpha"],
        classes=1 + len(load.also),
    )


def star_target(star: Star, load: Load, settings: Settings, parameters: ParameterSet) -> Target:
    """Return the nodes, cables and paths of a single switch.

    All classes have its alpha, their shares are the defaults of an inventory.

    Raises
    ------
    InputError
        When two classes have one name, or the settings name a class that there is not.
    """
    first = load.lossless_class or ONE_CLASS_NAME
    names = (first, *(also.class_name for also in load.also))
    if first in names[1:]:
        raise InputError(f"--also names class {first}, that of the incast; name another class")
    reject_unknown(settings, names)
    classes = [
        SimulatedClass(name=name, pfc_priority=(_PRIORITY + number) % 8)
        for number, name in enumerate(names)
    ]
    if load.lossy_gbps:
        classes.append(SimulatedClass(name=LOSSY, pfc_priority=None))
    paths = list(star.paths())
    parts = [[paths.pop(0) for _ in range(load.senders)]]
    parts += [[paths.pop(0) for _ in range(also.senders)] for also in load.also]
    ring = _ring(load.senders, star.receiver_port)
    cables = star.cables(settings.marking or parameters.congestion_point)
    return Target(
        star.shared_bytes(),
        tuple(_with_classes(cable, star, load, settings, names) for cable in cables),
        tuple(parts[0]),
        star.names(),
        tuple(classes),
        also=tuple(tuple(part) or ring for part in parts[1:]),
        lossy=tuple(paths),
    )


def _ring(senders: int, receiver_port: int) -> tuple[tuple[int, ...], ...]:
    """Return paths from each host to the next, and from the receiver to the first."""
    hosts = [*(2 * host for host in range(senders)), receiver_port - 1]
    return tuple((a, b + 1) for a, b in zip(hosts, hosts[1:] + hosts[:1], strict=True))


def _with_classes(
    cable: Cable, star: Star, load: Load, settings: Settings, names: tuple[str, ...]
) -> Cable:
    """Return a cable with all classes at both ends."""
    policy = SchedulerPolicy()
    designed = {name: policy.lossless_percent / len(names) for name in names}
    if load.lossy_gbps:
        designed[LOSSY] = float(policy.default_percent)
    parts = weights(designed, settings.shares)
    at_nic = [PortClass(weight=part) for part in parts.values()]
    at_switch = [
        PortClass(
            ingress=cable.far.ingress,
            marking=settings.class_marking.get(name, cable.far.marking),
            weight=parts[name],
        )
        for name in names
    ]
    if load.lossy_gbps:
        at_switch.append(PortClass(lossy=LossyQueue(alpha=star.alpha), weight=parts[LOSSY]))
    return replace(
        cable, near=with_classes(cable.near, at_nic), far=with_classes(cable.far, at_switch)
    )
