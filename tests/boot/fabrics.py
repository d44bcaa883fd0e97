"""A small fabric with a management network, whose devices have serials."""

from __future__ import annotations

import textwrap
from pathlib import Path

import yaml

from fabric.boot.model import Account, Device, Order
from fabric.workflow.exporters.ztp import Words, Ztp, ztp
from fabric.workflow.project import Project
from tests.topology.fabrics import document

URL = "http://192.168.0.2:8781"
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ8mmn rocefab@ops"
RSA_KEY = f"ssh-rsa {'AAAAB3NzaC1yc2EAAAADAQABAAABAQ+/' * 6}== rocefab@ops"
HASH = "$6$saltsalt$abcdefghijklmnopqrstuvwxyz0123456789./ABC"
NETWORK = {
    "subnet": "192.168.0.0/22",
    "switches": "192.168.0.128/25",
    "hosts": "192.168.1.0/24",
    "bmcs": "192.168.2.0/24",
}
DEVICES = """
devices:
  - {names: su1-rail0, serial: ABC123}
  - {names: su1-rail1, management_mac: "02:00:00:00:00:12"}
  - {names: spine01, serial: JPE123}
"""
HOSTS = """
hosts:
  - {names: a1, management_mac: "02:00:00:00:01:01", bmc_mac: "02:00:00:00:02:01"}
"""


def project(folder: Path, devices: str = DEVICES, hosts: str = HOSTS, **changes: object) -> Project:
    """Return the project of an inventory that is written into a folder."""
    own: dict[str, object] = {
        "management": {"network": NETWORK},
        "platforms__spine": {"sku": "7060X6-64PE"},
        "platforms__leaf": {"sku": "ACS-SN5600", "host_ports": 8},
        "speeds": {"host_gbps": 400, "uplink_gbps": 800},
    }
    data = document(**{**own, **changes})
    (folder / "fabric.yaml").write_text(yaml.safe_dump(data), encoding="utf-8")
    for kind, text in (("devices", devices), ("hosts", hosts)):
        (folder / kind).mkdir(exist_ok=True)
        file = folder / kind / "test.yaml"
        file.unlink(missing_ok=True)
        if text:
            file.write_text(textwrap.dedent(text), encoding="utf-8")
    return Project(folder)


def boot(folder: Path, **words: object) -> Ztp:
    """Return how this fabric starts from the box."""
    key = folder / "key.pub"
    key.write_text(f"{KEY}\n", encoding="utf-8")
    own: dict[str, object] = {"account": "rocefab", "key_file": key, "url": URL, **words}
    return ztp(project(folder), Words(**own))  # type: ignore[arg-type]


def order(device: Device, rendered: tuple = (), password: str = HASH) -> Order:  # type: ignore[type-arg]
    """Return what the bootstrap files of a device are made of."""
    return Order(device, Account("rocefab", KEY, password), URL, rendered)
