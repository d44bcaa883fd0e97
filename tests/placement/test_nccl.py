"""Settings of the ranks: only the rails in use, and the class that the fabric does not drop."""

from __future__ import annotations

import pytest

from fabric.design.switch import SwitchDesigner
from fabric.intent.resolve import PolicyResolver
from fabric.placement.nccl import settings
from fabric.placement.place import place
from fabric.topology import Fabric
from tests.topology.fabrics import EXAMPLES, example, fabric

COMMON = {
    "NCCL_IB_ROCE_VERSION_NUM": "2",
    "NCCL_IB_ADDR_FAMILY": "AF_INET",
    "NCCL_IB_TIMEOUT": "22",
    "NCCL_CROSS_NIC": "2",
    "NCCL_IB_TC": "104",
    "UCX_IB_TRAFFIC_CLASS": "104",
}
EIGHT = ",".join(f"mlx5_{number}" for number in range(1, 9))
UCX_EIGHT = ",".join(f"mlx5_{number}:1" for number in range(1, 9))
OWN = {
    "a100-pcie": ("mlx5_0", "mlx5_0:1", "eno1", "10.64.0.0/16", "4"),
    "demo": ("mlx5_1,mlx5_2", "mlx5_1:1,mlx5_2:1", "eth0", "10.64.0.0/16", "4"),
    "eight-slash-27": (EIGHT, UCX_EIGHT, "eth0", "25.11.128.0/24", "8"),
    "rail-512": (EIGHT, UCX_EIGHT, "eth0", "10.64.0.0/16", "4"),
}


def environment(made: Fabric, nodes: int, gpus: int, host: str = "") -> dict[str, str]:
    """Return the environment of one host of a placement."""
    found = place(made, nodes, gpus)
    chosen = settings(made, found, host or found.hosts[0])
    assert all(item.reason for item in chosen)
    assert len({item.name for item in chosen}) == len(chosen)
    return {item.name: item.value for item in chosen}


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples(name: str) -> None:
    """Whole environments; '=' keeps mlx5_1 from standing for mlx5_10 as well."""
    made = example(name)
    devices, ucx, management, pool, pairs = OWN[name]
    assert environment(made, 2, made.intent.fabric.host.gpus) == COMMON | {
        "NCCL_IB_HCA": f"={devices}",
        "NCCL_SOCKET_IFNAME": f"={management}",
        "NCCL_IB_ADDR_RANGE": pool,
        "NCCL_IB_QPS_PER_CONNECTION": pairs,
        "UCX_NET_DEVICES": ucx,
        "GLOO_SOCKET_IFNAME": management,
    }


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_class_is_that_of_the_switches(name: str) -> None:
    """NCCL_IB_TC >> 2 is the DSCP that every port puts into the lossless class."""
    made = example(name)
    byte = int(environment(made, 1, 1)["NCCL_IB_TC"])
    designer = SwitchDesigner(made, PolicyResolver(made.intent))
    for row in range(len(made.switches)):
        for port in designer.design(row).ports:
            if port.qos:
                assert port.qos.roce_dscp == byte >> 2
                assert port.qos.dscp_to_traffic_class[byte >> 2] == port.qos.traffic_class


def test_only_the_rails_in_use() -> None:
    """Two GPUs of eight use two NICs."""
    found = environment(example("rail-512"), 2, 2)
    assert found["NCCL_IB_HCA"] == "=mlx5_1,mlx5_2"
    assert found["UCX_NET_DEVICES"] == "mlx5_1:1,mlx5_2:1"


def test_hosts_that_differ() -> None:
    """Own device names and an own DSCP of a host hold for its ranks."""
    made = fabric(
        "",
        "hosts:\n  - names: a2\n    lossless: {roce_dscp: 34}\n"
        "    nics: [{rail: 1, rdma_device: mlx5_bond_0}]\n",
        lossless={"roce_dscp": 24},
    )
    first, second = (environment(made, 3, 2, host) for host in ("a1", "a2"))
    assert (first["NCCL_IB_TC"], second["NCCL_IB_TC"]) == ("96", "136")
    assert second["UCX_IB_TRAFFIC_CLASS"] == "136"
    assert first["NCCL_IB_HCA"] == "=mlx5_1,mlx5_2"
    assert second["NCCL_IB_HCA"] == "=mlx5_1,mlx5_bond_0"
