"""``mlnx_qos -i IF`` (Mellanox/mlnx-tools, python/mlnx_qos)."""

from __future__ import annotations

from fabric.observe.hostfacts import reads
from fabric.observe.parsers.mlnx_qos import NicQos, mlnx_qos


@reads("mlnx_qos", "mlnx_qos -i {interface} -a")
def parse_mlnx_qos(text: str) -> NicQos:
    """Parse the QoS of one NIC in any version of the tool, or raise UnreadableError."""
    return mlnx_qos(text)
