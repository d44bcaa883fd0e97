"""Settings of the ranks: what is set, what is left out, and what each release of NCCL reads."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from fabric.core.errors import InputError
from fabric.design.switch import SwitchDesigner
from fabric.intent.resolve import PolicyResolver
from fabric.placement.environment import environment as make
from fabric.placement.job_host import Environment, JobImage
from fabric.placement.nccl_release import REASONS, newer_release
from fabric.placement.place import place
from fabric.topology import Fabric
from tests.cases import each
from tests.cli.runs import DEMO, run
from tests.topology.fabrics import EXAMPLES, document, example, fabric, intent

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
ADDRESSES = ("0000:18:00.0", "0000:3a:00.0")


def whole(
    built: Fabric, nodes: int, gpus: int, host: str = "", version: str | None = None
) -> Environment:
    """Return the environment of one host of a placement; what holds of every one is asserted."""
    result = place(built, nodes, gpus)
    chosen = make(built, result, host or result.hosts[0], JobImage(version))
    names = [item.name for item in (*chosen.settings, *chosen.left_out)]
    assert len(set(names)) == len(names)
    assert all(item.reason for item in (*chosen.settings, *chosen.left_out))
    assert set(names) >= set(REASONS)
    return chosen


def environment(*args: Any, **options: Any) -> dict[str, str]:
    """Return its values."""
    return whole(*args, **options).values


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples(name: str) -> None:
    """Whole environments; '=' keeps mlx5_1 from standing for mlx5_10 as well."""
    built = example(name)
    devices, ucx, management, pool, pairs = OWN[name]
    assert environment(built, 2, built.intent.fabric.host.gpus) == COMMON | {
        "NCCL_IB_HCA": f"={devices}",
        "NCCL_SOCKET_IFNAME": f"={management}",
        "NCCL_IB_ADDR_RANGE": pool,
        "NCCL_IB_QPS_PER_CONNECTION": pairs,
        "UCX_NET_DEVICES": ucx,
        "GLOO_SOCKET_IFNAME": management,
        "TP_SOCKET_IFNAME": management,
    }


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_class_is_that_of_the_switches(name: str) -> None:
    """NCCL_IB_TC >> 2 is the DSCP that every port puts into the lossless class."""
    built = example(name)
    byte = int(environment(built, 1, 1)["NCCL_IB_TC"])
    designer = SwitchDesigner(built, PolicyResolver(built.intent))
    for row in range(len(built.switches)):
        for port in designer.design(row).ports:
            if port.qos:
                (one,) = port.qos.classes
                assert one.roce_dscp == byte >> 2
                assert port.qos.dscp_to_traffic_class[byte >> 2] == one.traffic_class


def test_only_the_rails_in_use() -> None:
    """Two GPUs of eight use two NICs."""
    result = environment(example("rail-512"), 2, 2)
    assert result["NCCL_IB_HCA"] == "=mlx5_1,mlx5_2"
    assert result["UCX_NET_DEVICES"] == "mlx5_1:1,mlx5_2:1"


def test_hosts_that_differ() -> None:
    """Own device names and an own DSCP of a host hold for its ranks."""
    built = fabric(
        "",
        "hosts:\n  - names: a2\n    lossless: {roce_dscp: 34}\n"
        "    nics: [{rail: 1, rdma_device: mlx5_bond_0}]\n",
        lossless={"roce_dscp": 24},
    )
    first, second = (environment(built, 3, 2, host) for host in ("a1", "a2"))
    assert (first["NCCL_IB_TC"], second["NCCL_IB_TC"]) == ("96", "136")
    assert second["UCX_IB_TRAFFIC_CLASS"] == "136"
    assert first["NCCL_IB_HCA"] == "=mlx5_1,mlx5_2"
    assert second["NCCL_IB_HCA"] == "=mlx5_1,mlx5_bond_0"


SEARCH = {"NCCL_IB_ROCE_VERSION_NUM", "NCCL_IB_ADDR_FAMILY", "NCCL_IB_ADDR_RANGE"}
FUSION = {"NCCL_IB_MERGE_NICS", "NCCL_NET_MERGE_LEVEL"}
RAILS = {"NCCL_NET_MERGE_POLICY"}
SPLIT = {"NCCL_IB_SPLIT_DATA_ON_QPS"}
FIXED = {"NCCL_IB_GID_INDEX"}
GATED = SEARCH | FUSION | RAILS | SPLIT | FIXED


@pytest.mark.parametrize(
    ("version", "expected"),
    [
        ("2.12", FIXED),
        ("2.12.7", FIXED),
        ("2.18", FIXED | SPLIT),
        ("2.19.4", FIXED | SPLIT),
        ("2.20.5", FIXED | {"NCCL_IB_MERGE_NICS"}),
        ("2.21", SEARCH | {"NCCL_IB_MERGE_NICS"}),
        ("2.21.5", SEARCH | {"NCCL_IB_MERGE_NICS"}),
        ("2.23.4", SEARCH | {"NCCL_IB_MERGE_NICS"}),
        ("2.24.3", SEARCH | FUSION),
        ("2.30.4", SEARCH | FUSION),
        ("2.30", SEARCH | FUSION),
        ("2.30.7", SEARCH | FUSION | RAILS),
        (None, SEARCH | FUSION),
    ],
)
def test_what_each_release_reads(version: str | None, expected: set[str]) -> None:
    """Two ports of a card are two rails, so that fusing them is an issue."""
    built = fabric(host__nic={"ports_per_card": 2})
    result = environment(built, 2, 2, version=version)
    assert set(result) & GATED == expected
    numbered = result["NCCL_IB_HCA"] == "=mlx5_1:1:0:0,mlx5_2:1:1:0"
    assert numbered == (version == "2.30.7")
    assert result.get("NCCL_IB_GID_INDEX", "3") == "3"
    assert result.get("NCCL_IB_SPLIT_DATA_ON_QPS", "0") == "0"
    reported = {"host__nccl_version": version} if version else {}
    assert environment(fabric(**reported), 2, 2) == environment(fabric(), 2, 2, version=version)


@pytest.mark.parametrize("version", ["2.30.8", "2.31", "2.31.2", "2.40.1"])
def test_a_newer_release_is_taken_for_the_newest_that_is_known(version: str) -> None:
    built = fabric(host__nic={"ports_per_card": 2})
    known = environment(built, 2, 2, version="2.30.7")
    assert environment(built, 2, 2, version=version) == known
    assert environment(fabric(host__nccl_version=version), 2, 2) == environment(
        fabric(), 2, 2, version="2.30.7"
    )
    note = newer_release(version)
    assert note is not None
    assert str(note).startswith(f"NCCL {version} is newer than 2.30.7")
    assert newer_release("2.30.7") is None
    assert newer_release(None) is None


@pytest.mark.parametrize("form", ["nccl", "environment", "openmpi"])
def test_an_export_says_that_a_release_is_not_known(form: str, tmp_path: Path) -> None:
    words = ("export", form, DEMO, "--nodes", "2", "--out", tmp_path / "out", "--nccl-version")
    ended = run(*words, "2.31.2")
    assert ended.code == 0, ended.err
    assert ended.err.count("NCCL 2.31.2 is newer than 2.30.7") == 1
    ended = run(*words, "2.30.7")
    assert "is newer" not in ended.err


@pytest.mark.parametrize("version", ["2.11.4", "3.0", "2", "2.x", "2.21.5.1", "2.222"])
def test_releases_that_are_not_known(version: str) -> None:
    with pytest.raises(InputError) as caught:
        whole(fabric(), 1, 1, version=version)
    assert [item.rule for item in caught.value.findings] == ["PLC005"]
    assert "use release 2.12 or later" in str(caught.value.findings[0])


@pytest.mark.parametrize("version", ["2.11", "2.11.4"])
def test_the_inventory_names_a_release_that_is_known(version: str) -> None:
    with pytest.raises(InputError) as caught:
        intent(document(host__nccl_version=version))
    (finding,) = caught.value.findings
    assert finding.field == "fabric.host.nccl_version"
    assert finding.position is not None
    assert "use 2.12 or later" in str(finding)


@pytest.mark.parametrize(
    ("traits", "present", "absent"),
    [
        ({"container_mode": "physical-function"}, {"NCCL_IB_HCA": "=mlx5_1,mlx5_2"}, ()),
        ({"container_mode": "macvlan"}, {"NCCL_SOCKET_IFNAME": "=eth0"}, ("NCCL_IB_GID_INDEX",)),
        (
            {"container_mode": "virtual-function"},
            {"NCCL_SOCKET_IFNAME": "=eth0", "NCCL_IB_ADDR_RANGE": "10.64.0.0/12"},
            ("NCCL_IB_HCA", "UCX_NET_DEVICES"),
        ),
        (
            {"nic": {"link_layer": "ethernet"}},
            {"NCCL_SOCKET_IFNAME": "=bond0"},
            ("NCCL_IB_HCA", "NCCL_IB_TC", "NCCL_IB_TIMEOUT", "UCX_NET_DEVICES"),
        ),
        (
            {"nic": {"link_layer": "infiniband"}},
            {"NCCL_IB_HCA": "=mlx5_1,mlx5_2", "NCCL_IB_TIMEOUT": "22"},
            ("NCCL_IB_TC", "NCCL_IB_ADDR_RANGE", "UCX_IB_TRAFFIC_CLASS"),
        ),
        ({"virtual_machine": True}, {}, ("NCCL_TOPO_FILE",)),
        (
            {"virtual_machine": True, "nic": {"pci_addresses": list(ADDRESSES)}},
            {},
            ("NCCL_TOPO_FILE",),
        ),
        (
            {
                "virtual_machine": True,
                "nic": {"pci_addresses": list(ADDRESSES)},
                "gpu": {"pci_addresses": ["0000:19:00.0", "0000:3b:00.0"]},
            },
            {"NCCL_TOPO_FILE": "/etc/rocefab/nccl-topo.xml"},
            (),
        ),
    ],
    ids=lambda value: next(iter(value), "") if isinstance(value, dict) else "",
)
def test_kinds_of_hosts(
    traits: dict[str, Any], present: dict[str, str], absent: tuple[str, ...]
) -> None:
    """What is absent has a reason."""
    changes = {f"host__{name}": value for name, value in traits.items()}
    result = whole(fabric(host__management_interface="bond0", **changes), 2, 2)
    assert present.items() <= result.values.items()
    assert not set(absent) & set(result.values)
    reported = {item.name for item in result.left_out}
    assert {name for name in absent if name.startswith("NCCL")} <= reported


@pytest.mark.parametrize(
    ("traits", "expected"),
    [
        ({}, "3"),
        ({"container_mode": "virtual-function"}, "3"),
        ({"container_mode": "macvlan"}, None),
        ({"nic": {"driver": "bnxt", "vendor": "broadcom"}}, None),
    ],
)
def test_a_fixed_gid_only_where_it_is_known(traits: dict[str, Any], expected: str | None) -> None:
    """NCCL before 2.21 searches no GID."""
    changes = {f"host__{name}": value for name, value in traits.items()}
    result = whole(fabric(**changes), 2, 2, version="2.20.5")
    assert result.values.get("NCCL_IB_GID_INDEX") == expected
    reasons = {item.name: item.reason for item in result.left_out}
    assert ("show_gids" in reasons.get("NCCL_IB_GID_INDEX", "")) == (expected is None)


def test_rails_that_no_spine_connects() -> None:
    """A ring must stay on its rail; GPUs carry data to the right one."""
    ports = "".join(f"      {name}: {{enabled: false}}\n" for name in _uplinks("su1-rail1"))
    built = fabric(f"devices:\n  - names: su1-rail1\n    ports:\n{ports}")
    result = environment(built, 3, 2)
    assert (result["NCCL_CROSS_NIC"], result["NCCL_PXN_DISABLE"]) == ("0", "0")
    assert environment(built, 2, 2)["NCCL_CROSS_NIC"] == "2"  # su2 alone
    assert environment(built, 3, 1)["NCCL_CROSS_NIC"] == "2"  # one rail alone


def _uplinks(leaf: str) -> list[str]:
    built = fabric()
    row = built.switch_row[leaf]
    numbers = built.uplinks.lower_port[built.uplinks_of(row)].tolist()
    return [built.switches.skus[row].port(number) for number in numbers]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({}, "4"),
        ({"ecmp": {"mode": "per-packet"}}, "1"),
        ({"ecmp": {"mode": "per-packet"}, "host__nccl_queue_pairs": 2}, "2"),
        ({"host__nccl_queue_pairs": 8}, "8"),
    ],
)
def test_queue_pairs(changes: dict[str, Any], expected: str) -> None:
    """One is enough where switches spread packets; what the inventory says holds."""
    result = environment(fabric(**changes), 2, 2, version="2.19.4")
    assert result["NCCL_IB_QPS_PER_CONNECTION"] == expected
    assert ("NCCL_IB_SPLIT_DATA_ON_QPS" in result) == (expected != "1")


@pytest.mark.parametrize("version", ["2.18", "2.19.4"])
def test_the_reason_of_a_setting_names_all_releases_that_need_it(version: str) -> None:
    """Not the one of the job alone: 2.18 and 2.19 split messages."""
    settings = whole(fabric(), 2, 2, version=version).settings
    [reason] = [item.reason for item in settings if item.name in SPLIT]
    assert "NCCL 2.18 to 2.19 split each message" in reason


@each(
    "version, rails_connected, value",
    [
        ("1.19.0", True, "all"),
        ("1.19", True, "all"),
        ("1.19.0", False, None),
        ("1.18.1", True, None),
        ("1.19.1", True, None),
        ("1.20.0", True, None),
        (None, True, None),
    ],
)
def test_ucx_that_reads_the_main_table_alone(version, rails_connected: bool, value) -> None:
    name, words = "UCX_IB_ROCE_REACHABILITY_MODE", {"host__ucx_version": version} if version else {}
    plain: dict[str, Any] = {} if rails_connected else {"design": "rail-only", "spines": None}
    result = whole(fabric(**words, **plain), 2, 2)
    assert result.values.get(name) == value
    assert (name in {item.name for item in result.left_out}) is (value is None)


SUBNETS = ("NCCL_IB_SUBNET_AWARE_ROUTING", "NCCL_IB_SUBNET_PREFIX_LEN")
AWARE = {"host__nccl_subnet_aware": True, "addressing__vlan_per": "none"}


@each(
    ("changes", "version", "length"),
    [
        (AWARE, "2.30.7", "13"),
        ({**AWARE, "rails": 3, "addressing__hosts": "10.64.0.0/16"}, "2.31.1", "18"),
        ({**AWARE, "rails": 1, "addressing__hosts": "10.64.0.0/16"}, "2.30.7", "16"),
        ({**AWARE, "addressing__routed_prefix_length": 28}, "2.30.7", "13"),
        ({**AWARE, "addressing__routed_hosts": "10.96.0.0/20"}, "2.30.7", "21"),
        ({**AWARE, "nic_ports": 2}, "2.30.7", "13"),
        (AWARE, "2.30.4", None),
        (AWARE, None, None),
        ({"addressing__vlan_per": "none"}, "2.30.7", None),
        ({**AWARE, "nic_ports": 2, "planes": 2}, "2.30.7", None),
        ({"host__nccl_subnet_aware": True}, "2.30.7", None),
    ],
)
def test_the_prefix_of_a_rail(
    changes: dict[str, Any], version: str | None, length: str | None
) -> None:
    """All addresses of a rail share it, and none of another rail has it; else it is left out."""
    built = fabric(**changes)
    chosen = whole(built, 1, 1, version=version)
    expected = (None, None) if length is None else ("1", length)
    assert tuple(chosen.values.get(name) for name in SUBNETS) == expected
    if length is None:
        assert SUBNETS[0] in {item.name for item in chosen.left_out}
    else:
        prefixes = built.nics.address >> (32 - int(length))
        pairs = set(zip(built.nics.rail.tolist(), prefixes.tolist(), strict=True))
        assert len(pairs) == built.rails == len({prefix for _, prefix in pairs})


def test_the_range_is_the_pool_of_the_unit() -> None:
    """A GID of the other pool is none of this host."""
    built = example("routed")
    ranges = [
        environment(built, 4, 2, host=host)["NCCL_IB_ADDR_RANGE"] for host in ("gpu001", "gpu003")
    ]
    assert ranges == ["10.64.0.0/16", "10.96.0.0/16"]
