"""Fabrics for the tests: the examples, and small ones made from a few numbers."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from fabric.core.errors import InputError
from fabric.intent.inventory import Intent, load
from fabric.topology import Fabric, realise

REPOSITORY = Path(__file__).parents[2]
INVENTORY = REPOSITORY / "inventory"
EXAMPLES = ("a100-pcie", "demo", "eight-slash-27", "rail-512")


@cache
def example(name: str) -> Fabric:
    """Return an example of the repository, realised; nobody may change it."""
    return realise(load(INVENTORY / name))


def document(**changes: Any) -> dict[str, Any]:
    """Return a small fabric.yaml as plain data; a dotted change is written ``a__b``."""
    data: dict[str, Any] = {
        "name": "test",
        "design": "rail-optimised",
        "rails": 2,
        "units": [{"name": "su1", "hosts": "a[1-3]"}, {"name": "su2", "hosts": "b[1-2]"}],
        "spines": {"count": 2, "links_per_leaf": 1},
        "platforms": {"leaf": {"sku": "ACS-MSN4700"}, "spine": {"sku": "ACS-MSN4700"}},
        "speeds": {"host_gbps": 200, "uplink_gbps": 400},
        "addressing": {
            "loopbacks": "10.255.0.0/22",
            "uplinks": "10.254.0.0/16",
            "hosts": "10.64.0.0/12",
        },
        "host": {"gpus": 2, "interfaces": "eth[1-64]", "rdma_devices": "mlx5_[1-64]"},
    }
    for path, value in changes.items():
        *parents, last = path.split("__")
        target = data
        for parent in parents:
            target = target.setdefault(parent, {})
        if value is None:
            target.pop(last, None)
        else:
            target[last] = value
    return data


def ipv6_plan(*, alone: bool = False, **plan: Any) -> dict[str, Any]:
    """Return changes of `document` that give NICs IPv6, beside IPv4 or alone."""
    changes: dict[str, Any] = {
        "addressing__vlan_per": "none",
        "addressing__uplinks": None,
        "addressing__ipv6": {"hosts": "fd00:64::/48", **plan},
        "bgp__peering": "unnumbered",
    }
    return changes | ({"addressing__hosts": None} if alone else {})


def intent(data: dict[str, Any], devices: str = "", hosts: str = "") -> Intent:
    """Load an inventory folder made of plain data and of the text of override files."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "fabric.yaml").write_text(yaml.safe_dump(data), encoding="utf-8")
        for kind, text in (("devices", devices), ("hosts", hosts)):
            if text:
                (folder / kind).mkdir()
                (folder / kind / "test.yaml").write_text(text, encoding="utf-8")
        return load(folder, "inventory")


def fabric(devices: str = "", hosts: str = "", **changes: Any) -> Fabric:
    """Return a small fabric, realised."""
    return realise(intent(document(**changes), devices, hosts))


HEADER = "device,port,peer_device,peer_port"


def folder_of(text: str | bytes, name: str = "cabling.csv", **changes: Any) -> Fabric:
    """Return the fabric of an inventory with a cabling file."""
    with tempfile.TemporaryDirectory() as path:
        folder = Path(path)
        (folder / "fabric.yaml").write_text(yaml.safe_dump(document(**changes)), encoding="utf-8")
        raw = text.encode() if isinstance(text, str) else text
        (folder / name).write_bytes(raw)
        return realise(load(folder, "inventory"))


def csv(*rows: str, header: str = HEADER) -> str:
    """Return the text of a cabling file."""
    return "\n".join([header, *rows, ""])


def cables(built: Fabric) -> set[tuple[str, str]]:
    """Return both ends of every enabled cable as text, the lower one first."""
    switches, nics, up = built.switches, built.nics, built.uplinks

    def port(row: int, number: int) -> str:
        return f"{switches.names[row]} {switches.skus[row].port(number)}"

    result = set()
    for row in np.flatnonzero(nics.enabled).tolist():
        end = f"{built.hosts.names[int(nics.host[row])]} eth{row % built.nics_per_host + 1}"
        result.add((end, port(int(nics.leaf[row]), int(nics.port[row]))))
    for row in np.flatnonzero(up.enabled).tolist():
        lower = port(int(up.lower[row]), int(up.lower_port[row]))
        result.add((lower, port(int(up.upper[row]), int(up.upper_port[row]))))
    return result


def refused(text: str | bytes, name: str = "cabling.csv", **changes: Any) -> list[str]:
    """Return the findings of a cabling file that is refused."""
    with pytest.raises(InputError) as raised:
        folder_of(text, name, **changes)
    return [str(finding) for finding in raised.value.findings]
