"""Specifications and a lab that the tests of the stand-ins share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from fabric.lab.lab import Lab
from fabric.lab.spec import Neighbour, NicSpec, StandInSpec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import paramiko

PASSWORD = "lab-only"


def leaf_config() -> dict[str, Any]:
    """Return a small but complete leaf: two uplinks, one VLAN, one lossless priority."""
    ports = ("Ethernet0", "Ethernet8", "Ethernet16")
    colours = ("green", "yellow", "red")
    identity = {str(n): str(n) for n in range(8)}
    return {
        "DEVICE_METADATA": {
            "localhost": {
                "hostname": "leaf01",
                "hwsku": "ACS-MSN4700",
                "platform": "x86_64-mlnx_msn4700-r0",
                "mac": "52:54:00:00:00:01",
                "type": "LeafRouter",
                "bgp_asn": "65101",
                "buffer_model": "traditional",
            }
        },
        "PORT": {
            port: {
                "alias": f"etp{n + 1}",
                "lanes": ",".join(str(8 * n + lane) for lane in range(8)),
                "index": str(n + 1),
                "speed": "400000",
                "mtu": "9100",
                "fec": "rs",
                "admin_status": "up",
                "pfc_asym": "off",
            }
            for n, port in enumerate(ports)
        },
        "LOOPBACK_INTERFACE": {"Loopback0": {}, "Loopback0|10.0.0.11/32": {}},
        "INTERFACE": {
            "Ethernet0": {},
            "Ethernet0|10.1.1.1/31": {},
            "Ethernet8": {},
            "Ethernet8|10.1.2.1/31": {},
        },
        "VLAN": {"Vlan101": {"vlanid": "101"}},
        "VLAN_MEMBER": {"Vlan101|Ethernet16": {"tagging_mode": "untagged"}},
        "VLAN_INTERFACE": {"Vlan101": {}, "Vlan101|10.101.1.1/24": {}},
        "BGP_NEIGHBOR": {
            f"10.1.{n}.0": {
                "asn": "65200",
                "name": f"spine0{n}",
                "local_addr": f"10.1.{n}.1",
                "holdtime": "9",
                "keepalive": "3",
                "admin_status": "up",
            }
            for n in (1, 2)
        },
        "DSCP_TO_TC_MAP": {"AZURE": {str(n): "3" if n == 26 else "0" for n in range(64)}},
        "TC_TO_QUEUE_MAP": {"AZURE": identity},
        "TC_TO_PRIORITY_GROUP_MAP": {"AZURE": {str(n): "3" if n == 3 else "0" for n in range(8)}},
        "MAP_PFC_PRIORITY_TO_QUEUE": {"AZURE": dict(identity)},
        "SCHEDULER": {"scheduler.0": {"type": "DWRR", "weight": "50"}},
        "WRED_PROFILE": {
            "AZURE_LOSSLESS": {
                "ecn": "ecn_all",
                **{f"wred_{colour}_enable": "true" for colour in colours},
                **{f"{colour}_min_threshold": "150000" for colour in colours},
                **{f"{colour}_max_threshold": "1500000" for colour in colours},
                **{f"{colour}_drop_probability": "100" for colour in colours},
            }
        },
        "PORT_QOS_MAP": {
            port: {
                "dscp_to_tc_map": "AZURE",
                "tc_to_queue_map": "AZURE",
                "tc_to_pg_map": "AZURE",
                "pfc_to_queue_map": "AZURE",
                "pfc_enable": "3",
                "pfcwd_sw_enable": "3",
            }
            for port in ports
        },
        "QUEUE": {
            f"{port}|3": {"scheduler": "scheduler.0", "wred_profile": "AZURE_LOSSLESS"}
            for port in ports
        },
        "CABLE_LENGTH": {"AZURE": dict.fromkeys(ports, "5m")},
        "BUFFER_POOL": {
            "ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "26451968"}
        },
        "BUFFER_PROFILE": {
            "ingress_lossless_profile": {
                "pool": "ingress_lossless_pool",
                "size": "0",
                "dynamic_th": "7",
            }
        },
        "PFC_WD": {
            "GLOBAL": {"POLL_INTERVAL": "200"},
            **{
                port: {"action": "drop", "detection_time": "400", "restoration_time": "400"}
                for port in ports
            },
        },
        "NTP_SERVER": {"192.0.2.10": {}},
    }


def leaf_spec(name: str = "leaf01", **options: str) -> StandInSpec:
    """Return the specification of a SONiC leaf."""
    return StandInSpec(
        name=name,
        platform="sonic",
        username="admin",
        password=PASSWORD,
        mac="52:54:00:00:00:01",
        serial="MT0001",
        model="ACS-MSN4700",
        running=leaf_config(),
        neighbours=(Neighbour("Ethernet0", "spine01", "Ethernet4", "52:54:00:00:01:01"),),
        options=options,
    )


def host_spec(name: str = "gpu01") -> StandInSpec:
    """Return the specification of a host with two NICs."""
    return StandInSpec(
        name=name,
        platform="host",
        username="ubuntu",
        password=PASSWORD,
        mac="52:54:00:aa:00:01",
        serial="SER1",
        nics=(
            NicSpec("rail0", "mlx5_0", "52:54:00:aa:00:01", "0000:18:00.0"),
            NicSpec("rail1", "mlx5_1", "52:54:00:aa:00:02", "0000:2a:00.0"),
        ),
        neighbours=(Neighbour("rail0", "leaf01", "Ethernet16", "52:54:00:00:00:01"),),
    )


@pytest.fixture
def lab() -> Iterator[Lab]:
    """Return a running lab of one leaf and one host."""
    with Lab([leaf_spec(), host_spec()]) as running:
        yield running


@pytest.fixture
def connect() -> Iterator[Callable[[Any], paramiko.SSHClient]]:
    """Return a function that logs in to a stand-in with paramiko."""
    import paramiko

    clients: list[paramiko.SSHClient] = []

    def login(device: Any, password: str = PASSWORD) -> paramiko.SSHClient:
        client = paramiko.SSHClient()
        client.set_missing_host_key_policy(paramiko.AutoAddPolicy())
        clients.append(client)
        client.connect(
            device.address,
            device.port,
            device.spec.username,
            password,
            look_for_keys=False,
            allow_agent=False,
            timeout=60,
            banner_timeout=60,
        )
        return client

    yield login
    for client in clients:
        client.close()


def execute(client: paramiko.SSHClient, command: str) -> tuple[str, str, int]:
    """Run one command; return stdout, stderr and the code (-1 when the session broke)."""
    channel = client.exec_command(command, timeout=60)
    out, err = channel[1].read().decode(), channel[2].read().decode()
    return out, err, channel[1].channel.recv_exit_status()
