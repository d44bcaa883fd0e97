"""What the inventory plans, in the text format of Prometheus: to join with what was observed.

Metrics that say which thing a device or port is have the value 1 and end in ``_info``:
https://prometheus.io/docs/practices/naming/ and https://www.robustperception.io/how-to-have-labels-for-machine-roles/.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from fabric.core.units import gbps_to_bytes_per_s
from fabric.observe.families import Family
from fabric.report.exposition import lines_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from fabric.exchange.plant import Cable, Device, Plant
    from fabric.intent.classes import LosslessClass
    from fabric.report.exposition import Figure, Lines

CLASS_INFO = Family(
    "rocefab_lossless_class_info",
    "A lossless class of a device; queue and priority group are those of a switch.",
    ("class", "priority", "queue", "priority_group"),
)
DEVICE_INFO = Family(
    "rocefab_device_info",
    "What the inventory says a device is.",
    ("fabric", "role", "unit", "pod", "plane", "rail", "model", "system"),
)
PORT_INFO = Family(
    "rocefab_port_info",
    "The cable of a port that is in use, by the inventory.",
    ("port", "peer_device", "peer_port", "link", "rail"),
)
PORT_SPEED = Family(
    "rocefab_port_speed_bytes_per_second", "Speed of a port by the inventory.", ("port",)
)
JOB_INFO = Family("rocefab_job_info", "1 for each host of a running job.", ("job",))
PLANNED = (CLASS_INFO, DEVICE_INFO, JOB_INFO, PORT_INFO, PORT_SPEED)


def planned(
    plant: Plant, classes: Mapping[str, Sequence[LosslessClass]]
) -> dict[str, list[Figure]]:
    """Return what the inventory says of some devices and their ports, by device.

    Parameters
    ----------
    classes : mapping of str to sequence of LosslessClass
        Lossless classes of each device that is observed; others have no figures.
    """
    figures: dict[str, list[Figure]] = {name: [] for name in classes}
    for one in plant.devices:
        if one.name in figures:
            of_classes = [(CLASS_INFO, _class(one, item), 1) for item in classes[one.name]]
            figures[one.name] += [*of_classes, (DEVICE_INFO, (plant.name, *_place(one)), 1)]
    for device, labels, speed_gbps in _ends(plant):
        if device in figures:
            figures[device].append((PORT_INFO, labels, 1))
            if speed_gbps is not None:
                speed = gbps_to_bytes_per_s(speed_gbps)
                figures[device].append((PORT_SPEED, labels[:1], speed))
    return figures


def running(jobs: Iterable[tuple[str, Iterable[str]]]) -> dict[str, Lines]:
    """Return which jobs run on each host.

    Parameters
    ----------
    jobs : iterable of (str, iterable of str)
        Names of jobs, and of their hosts.
    """
    figures: dict[str, list[Figure]] = defaultdict(list)
    for name, hosts in jobs:
        for host in hosts:
            figures[host].append((JOB_INFO, (name,), 1))
    return {host: lines_of(host, rows) for host, rows in figures.items()}


def _class(device: Device, item: LosslessClass) -> tuple[str, ...]:
    inside = (item.queue, item.priority_group) if device.kind == "switch" else ("", "")
    return (item.name, *map(str, (item.pfc_priority, *inside)))


def _place(one: Device) -> tuple[str, ...]:
    numbers = ("" if number is None else str(number) for number in (one.plane, one.rail))
    return (one.role or one.kind, one.unit, one.pod, *numbers, one.model, one.system or one.kind)


def _ends(plant: Plant) -> Iterator[tuple[str, tuple[str, ...], int | None]]:
    """Yield device, labels of the port and speed in Gb/s of both ends of each cable in use."""
    for cable in plant.cables:
        if not cable.state:
            link, rail = _link(plant, cable)
            for (device, port), peer in ((cable.near, cable.far), (cable.far, cable.near)):
                yield device, (port, *peer, link, rail), cable.speed_gbps


def _link(plant: Plant, cable: Cable) -> tuple[str, str]:
    """Return whether a cable goes to a NIC, and its rail; empty where it belongs to none."""
    for end in (cable.near, cable.far):
        if end in plant.nic:
            rail = plant.nic[end].rail
            return "nic", "" if rail is None else str(rail)
    rails = {plant.device[end[0]].rail for end in (cable.near, cable.far)} - {None}
    return "switch", str(rails.pop()) if len(rails) == 1 else ""
