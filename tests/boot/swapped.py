"""A fabric whose leaf has a serial, and another unit that takes its place in a lab."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from fabric.boot.log import BootLog
from fabric.lab.standin import stand_ins
from fabric.lab.wiring import specs, wire
from fabric.workflow.first_contact import Contacts, first_contact
from fabric.workflow.project import Project
from tests.change import labs

if TYPE_CHECKING:
    from fabric.lab.lab import Lab

NETWORK = "\n  network: {subnet: 192.0.2.0/24, switches: 192.0.2.128/25, hosts: 192.0.2.64/26}"
DRAIN = "[sh, -c, 'cat >> drains; echo >> drains']"
ROLLOUT = f"rollout: {{drain: {{switches: true, settle_s: 0, before: {DRAIN}, after: {DRAIN}}}}}\n"
OLD, NEW, MAC = "OLD1", "NEW1", "02:00:00:00:0b:01"


def written(folder: Path, text: str) -> str:
    """Write the serials into the inventory of a lab below a folder; return its ``fabric.yaml``."""
    (folder / "inventory" / "devices").mkdir(parents=True)
    entry = f"devices:\n  - {{names: {labs.LEAF}, serial: {OLD}}}\n"
    (folder / "inventory" / "devices" / "own.yaml").write_text(entry)
    plain = "management: {ntp_servers: [192.0.2.10]}"
    assert plain in text
    return text.replace(plain, f"management:\n  ntp_servers: [192.0.2.10]{NETWORK}") + ROLLOUT


def swap(lab: Lab, project: Project, name: str, file: Path, *, mac: str = MAC) -> None:
    """Let another unit, fresh from the box, take the place of a stand-in, at its address.

    The file learns the port, which is the lab's alone; it does not learn the key.
    """
    old = lab[name]
    whole = specs(project.devices, project.hosts, old.spec.password)
    spec = next(one for one in whole if one.name == name)
    if spec.platform in stand_ins and name in project.devices:
        kind = stand_ins[spec.platform]
        spec = replace(spec, mac=mac, running=kind.factory(project.devices[name], mac))  # type: ignore[attr-defined]
    unit = stand_ins[spec.platform](spec, lab.clock)
    lab._call(old.stop())
    lab._devices[name] = unit
    lab._call(unit.start())
    wire(lab, project.devices)
    content = json.loads(file.read_text())
    content["devices"][name]["port"] = unit.port
    file.write_text(json.dumps(content))


def contact(folder: Path, name: str, file: Path) -> dict[str, str]:
    """Return why the key of a device is not taken over; nothing where it is."""
    contacts = Contacts(file, "admin", BootLog(folder / "boot.log"))
    words = (Project(folder / "inventory"), contacts, frozenset({name}), 0.0)
    return first_contact(*words, labs.silent)
