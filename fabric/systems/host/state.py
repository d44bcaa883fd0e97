"""What a host must say of itself once its files are in force."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from fabric.systems.host.settings import settings

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fabric.design.host_model import HostDesign, NicDesign
    from fabric.design.qos_model import HostQos

#: What reads the settings of a NIC back, by driver; ``ip`` knows addresses alone.
READERS = {"mlx5-ofed": "mlnx_qos", "mlx5": "dcb", "bnxt": "dcb", "ionic": "ip"}


def reader(design: HostDesign) -> str:
    """Return what reads the settings of the NICs of a host back."""
    return "ip" if design.no_lossless else READERS[design.traits.nic.driver]


def expected_state(design: HostDesign) -> str:
    """Return the expected state of a host as JSON, one line for each setting."""
    nics = [nic for nic in design.nics if nic.enabled]
    devices = {nic.interface: nic.rdma_device for nic in nics}
    blocks = [
        f"  {json.dumps(nic.interface)}: {{\n" + ",\n".join(_nic_lines(design, nic)) + "\n  }"
        for nic in nics
    ]
    body = ",\n".join(blocks)
    head = f'"reader": "{reader(design)}",\n "rdma_devices": {json.dumps(devices)}'
    if design.namespace:
        head = f'"namespace": {json.dumps(design.namespace)},\n {head}'
    rows = ",\n".join(
        f"  {json.dumps(subject)}: {json.dumps(value)}"
        for subject, value in settings(design, reader(design)).items()
    )
    return f'{{\n {head},\n "settings": {{\n{rows}\n }},\n "nics": {{\n{body}\n }}\n}}\n'


def _nic_lines(design: HostDesign, nic: NicDesign) -> Iterable[str]:
    own: dict[str, Any] = {
        "mtu_bytes": nic.mtu_bytes,
        "addresses": [one.interface for one in nic.addresses if one.address],
    }
    if own["addresses"]:
        own["table"] = str(nic.table)  # the rule of what a NIC makes is one of its subnet
    match reader(design):
        case "mlnx_qos":
            own |= {**_marks(nic), **_parameters(nic)}
        case "dcb" if design.traits.nic.driver == "mlx5":
            own |= _parameters(nic) or {"dcqcn": {"np_cnp_dscp": nic.qos.cnp_dscp}}
        case "dcb":
            return _lines(_script_state(nic) | own)
        case _:
            return _lines(own)
    return (*_qos_lines(nic.qos, nic.cable_m), *_lines(own))


def _lines(values: dict[str, Any]) -> Iterable[str]:
    return [f'   "{name}": {json.dumps(value)}' for name, value in values.items()]


@lru_cache(64)  # a fabric has a handful of policies
def _qos_lines(qos: HostQos, cable_m: int) -> Iterable[str]:
    return _lines(_qos_state(qos, cable_m))


def _qos_state(qos: HostQos, cable_m: int) -> dict[str, Any]:
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
        "cable_m": cable_m,
    }


def _script_state(nic: NicDesign) -> dict[str, Any]:
    """Return what is known of the outcome of Broadcom's script: not how it schedules."""
    qos = nic.qos
    marks = {str(dscp): priority for dscp, priority in qos.marks.items()}
    return {"pfc": list(qos.pfc), "dscp_to_priority": marks}


def _parameters(nic: NicDesign) -> dict[str, Any]:
    return {"dcqcn": {one.name: one.value for one in nic.dcqcn}} if nic.dcqcn else {}


def _marks(nic: NicDesign) -> dict[str, Any]:
    byte = nic.qos.traffic_class_byte
    return {"traffic_class_dscp": byte >> 2, "cnp_dscp": nic.qos.cnp_dscp}
