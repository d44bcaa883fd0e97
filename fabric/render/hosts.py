"""Hosts: addresses, kernel settings, a script that puts everything into force, and its unit."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from fabric.core.artefact import Artefact
from fabric.render.engine import render

if TYPE_CHECKING:
    from fabric.design.model import HostDesign, NicDesign

#: template, kind, path on the host, executable
FILES = (
    ("netplan", "netplan", "etc/netplan/60-rocefab.yaml", False),
    ("sysctl", "sysctl", "etc/sysctl.d/90-rocefab.conf", False),
    ("apply", "apply-script", "etc/rocefab/apply.sh", True),
    ("unit", "unit", "etc/systemd/system/rocefab-nic@.service", False),
)


def render_host(design: HostDesign) -> list[Artefact]:
    """Return the files of a host, and the state that they are to bring about.

    Files that belong on the host lie below ``rootfs``; ``expected-state.json`` is for ``verify``
    and ``drift``.

    Raises
    ------
    RenderError
        When a template fails.
    """
    folder = f"hosts/{design.name}"
    artefacts = [
        Artefact(
            design.name,
            "host",
            kind,
            f"{folder}/rootfs/{path}",
            render(f"host/{template}.j2", design.name, {"host": design}).encode(),
            executable,
        )
        for template, kind, path, executable in FILES
    ]
    state = _expected_state(design)
    path = f"{folder}/expected-state.json"
    return [*artefacts, Artefact(design.name, "host", "expected-state", path, state.encode())]


def _expected_state(design: HostDesign) -> str:
    nics = [nic for nic in design.nics if nic.enabled]
    devices = {nic.interface: nic.rdma_device for nic in nics}
    blocks = [
        f"  {json.dumps(nic.interface)}: {{\n"
        + ",\n".join(f'   "{name}": {json.dumps(value)}' for name, value in _nic_state(nic).items())
        + "\n  }"
        for nic in nics
    ]
    body = ",\n".join(blocks)
    return f'{{\n "rdma_devices": {json.dumps(devices)},\n "nics": {{\n{body}\n }}\n}}\n'


def _nic_state(nic: NicDesign) -> dict[str, Any]:
    qos = nic.qos
    return {
        "dcbx": "os",
        "trust": "dscp",
        "pfc": list(qos.pfc),
        "dscp_to_priority": {str(dscp): priority for dscp, priority in qos.dscp_to_priority},
        "priority_to_traffic_class": list(qos.priority_to_traffic_class),
        "tsa": {str(number): word for number, word in enumerate(qos.tsa)},
        "bandwidth_percent": {
            str(number): percent for number, percent in enumerate(qos.tc_bandwidth_percent)
        },
        "cable_m": nic.cable_m,
        "mtu_bytes": nic.mtu_bytes,
        "addresses": [f"{nic.address}/{nic.prefix_length}"],
        "table": str(nic.table),
        "traffic_class_dscp": qos.traffic_class_byte >> 2,
        "cnp_dscp": qos.cnp_dscp,
    }
