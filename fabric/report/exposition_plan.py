"""What the inventory plans, in the text format of Prometheus: to join with what was observed.

Metrics that say which thing a device or port is have the value 1 and end in ``_info``:
https://prometheus.io/docs/practices/naming/ and https://www.robustperception.io/how-to-have-labels-for-machine-roles/.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.core.units import gbps_to_bytes_per_s
from fabric.observe.families import Family
from fabric.report.exposition import block, line

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from fabric.exchange.plant import Cable, Device, Plant
    from fabric.intent.classes import LosslessClass

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
    plant: Plant,
    devices: Collection[str],
    classes: Mapping[str, Sequence[LosslessClass]],
) -> str:
    """Return what the inventory says of some devices and their ports.

    Parameters
    ----------
    devices : collection of str
        Devices that are observed; the others have no figures.
    classes : mapping of str to sequence of LosslessClass
        Lossless classes of each of them.
    """
    known = frozenset(devices)
    lossless = [
        line(CLASS_INFO, one.name, _class(one, item), 1)
        for one in plant.devices
        if one.name in known
        for item in classes[one.name]
    ]
    infos = [
        line(DEVICE_INFO, one.name, (plant.name, *_place(one)), 1)
        for one in plant.devices
        if one.name in known
    ]
    ends = [end for end in _ends(plant) if end[0] in known]
    ports = [line(PORT_INFO, device, labels, 1) for device, labels, _ in ends]
    speeds = [
        line(PORT_SPEED, device, labels[:1], gbps_to_bytes_per_s(speed_gbps))
        for device, labels, speed_gbps in ends
        if speed_gbps is not None
    ]
    families = (CLASS_INFO, DEVICE_INFO, PORT_INFO, PORT_SPEED)
    return "".join(map(block, families, (lossless, infos, ports, speeds)))


def running(jobs: Iterable[tuple[str, Iterable[str]]]) -> str:
    """Return which hosts run which jobs.

    Parameters
    ----------
    jobs : iterable of (str, iterable of str)
        Names of jobs, and of their hosts.
    """
    rows = [line(JOB_INFO, host, (name,), 1) for name, hosts in jobs for host in hosts]
    return block(JOB_INFO, rows)


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
