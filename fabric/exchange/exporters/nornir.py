"""nornir's SimpleInventory: ``hosts.yaml``, ``groups.yaml`` and ``defaults.yaml``.

nornir knows no cables; they stand in the data of the device at one end, NICs in that of their host.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from fabric.core.exports import About, Exported, Exporter, exporters, text_file
from fabric.exchange.exporters.dot import renamed
from fabric.exchange.values import CABLE_WORDS, known
from fabric.exchange.yaml_text import dump

if TYPE_CHECKING:
    from fabric.exchange.plant import Device, Plant

#: What each device has of itself; the rest is inherited from its group, or said by nornir's fields.
_DATA = ("unit", "pod", "rack", "rail", "plane", "model", "asn", "loopback", "serial", "mac")
_HEAD = "# Written by rocefab.\n"


def _nornir(plant: Plant) -> Exported:
    data: dict[str, dict[str, Any]] = {item.name: _data(item) for item in plant.devices}
    for cable in plant.cables:
        figures = {name: getattr(cable, name) for name in CABLE_WORDS}
        row = {"port": cable.near[1], "peer_device": cable.far[0], "peer_port": cable.far[1]}
        data[cable.near[0]].setdefault("cables", []).append(row | known(figures))
    for nic in plant.nics:
        row = known({key: value for key, value in asdict(nic).items() if key != "host"})
        data[nic.host].setdefault("nics", []).append(row)
    hosts = {item.name: _host(item, data[item.name]) for item in plant.devices}
    trees: dict[str, dict[str, Any]] = {
        "hosts.yaml": hosts,
        "groups.yaml": _groups(plant),
        "defaults.yaml": {"data": {"fabric": plant.name}} if plant.name else {"data": {}},
    }
    files = (
        text_file("nornir", path.partition(".")[0], path, _HEAD + dump(tree))
        for path, tree in trees.items()
    )
    return Exported(tuple(files))


def _host(device: Device, data: dict[str, Any]) -> dict[str, Any]:
    group = _group(device)
    return {
        **({"hostname": device.management} if device.management else {}),
        **({"platform": device.system} if device.system else {}),
        "groups": [group] if group else [],
        "data": data,
    }


def _group(device: Device) -> str:
    return device.role.replace("-", "_") or device.kind


def _groups(plant: Plant) -> dict[str, Any]:
    groups: dict[str, Any] = {}
    for device in plant.devices:
        if device.kind:
            groups.setdefault(device.kind, {"groups": [], "data": {"kind": device.kind}})
        if device.role:
            above = [device.kind] if device.kind else []
            groups.setdefault(_group(device), {"groups": above, "data": {"role": device.role}})
    return groups


def _data(device: Device) -> dict[str, Any]:
    return renamed(asdict(device), {name: (name,) for name in _DATA})


exporters.add("nornir")(
    Exporter({"inventory": _nornir}, about=About.FABRIC, title="inventory of Nornir")
)
