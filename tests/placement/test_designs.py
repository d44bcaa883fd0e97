"""Jobs on fabrics of every design: which hosts, which ports of NICs, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from fabric.change.order import waves
from fabric.core.errors import InputError
from fabric.placement.export import Order
from fabric.placement.exporters.slurm import slurm
from fabric.placement.job_host import JobImage, job_host
from fabric.placement.k8s.cluster import cluster
from fabric.placement.nccl import nccl_environment
from fabric.placement.place import UnplaceableError, place
from tests.cli.runs import run
from tests.topology.fabrics import INVENTORY, example, fabric

POD: dict[str, Any] = {
    "design": "classic-tor",
    "units": [
        {"name": "r1", "pod": "a", "hosts": "a[1-2]"},
        {"name": "r2", "pod": "b", "hosts": "b[1-3]"},
        {"name": "r3", "pod": "a", "hosts": "c[1-2]"},
        {"name": "r4", "pod": "b", "hosts": "d1"},
    ],
    "super_spines": {"count": 1, "spines_per_pod": 2},
    "platforms__super_spine": {"sku": "ACS-MSN4700"},
    "addressing__core_links": "10.253.0.0/16",
}


def test_both_ports_of_a_nic_serve_its_gpu() -> None:
    built = example("dual-tor")
    result = place(built, 2, 1)
    assert result.rails == (0,)
    assert result.rails_connected
    host = job_host(built, result, result.hosts[0])
    assert host.devices == ("mlx5_1", "mlx5_2")
    assert [rank.leaf for rank in result.ranks] == ["su1-rail0-a"] * 2
    ports = [[(port.interface, port.leaf) for port in rank.ports] for rank in result.ranks]
    assert ports == [[("eth1", "su1-rail0-a"), ("eth2", "su1-rail0-b")]] * 2


def test_ranks_name_all_ports_of_their_nics() -> None:
    listed = run("place", INVENTORY / "dual-tor", "--ranks").out.splitlines()[-1]
    assert listed.split()[4:] == ["eth3,eth4", "mlx5_3,mlx5_4", "su1-rail1-a,su1-rail1-b"]


@pytest.mark.parametrize(("name", "plane"), [("dual-tor", 0), ("dual-plane", 1)])
def test_nccl_is_told_port_rail_and_plane(name: str, plane: int) -> None:
    built = example(name)
    result = place(built, 2, 2)
    reported = nccl_environment(job_host(built, result, result.hosts[0], JobImage("2.30.7")))
    [names] = [one.value for one in reported.settings if one.name == "NCCL_IB_HCA"]
    assert names == f"=mlx5_1:1:0:0,mlx5_2:1:0:{plane},mlx5_3:1:1:0,mlx5_4:1:1:{plane}"


def test_a_host_with_one_port_off_is_not_used() -> None:
    off = "hosts:\n  - {names: a1, nics: [{rail: 0, nic_port: 1, enabled: false}]}\n"
    built = fabric("", off, nic_ports=2)
    assert place(built, 1, 1).hosts != ("a1",)
    assert place(fabric(nic_ports=2), 3, 1).hosts[0] == "a1"


def test_planes_are_judged_one_by_one() -> None:
    """No cable joins them, and none has to; within one plane two leaves must share a spine."""
    built = example("dual-plane")
    assert place(built, 2, 2).rails_connected
    cut = "devices:\n" + "".join(
        f"  - {{names: {leaf}, ports: {{Ethernet{port}: {{enabled: false}}}}}}\n"
        for leaf, port in (("su1-rail0-b", 128), ("su1-rail1-b", 136))
    )
    broken = fabric(cut, nic_ports=2, planes=2)
    assert not place(broken, 3, 2).rails_connected


def test_hosts_of_a_rail_only_fabric_stay_in_a_unit() -> None:
    built = fabric(design="rail-only", spines=None)
    assert place(built, 3, 1).hosts == ("a1", "a2", "a3")
    assert not place(built, 2, 2).rails_connected
    with pytest.raises(UnplaceableError) as raised:
        place(built, 4, 1)
    assert "a unit has at most 3 free and no spine connects units" in str(raised.value.findings[0])


def test_a_job_stays_in_a_pod() -> None:
    """Pod b has the largest unit; four hosts of it are two units, and so are four of pod a."""
    built = fabric(**POD)
    assert place(built, 3, 1).hosts == ("b1", "b2", "b3")
    assert place(built, 4, 1).hosts == ("a1", "a2", "c1", "c2")
    everything = place(built, 8, 1)
    assert len(everything.hosts) == 8
    assert everything.rails_connected


def test_slurm_has_a_switch_for_each_pod() -> None:
    assert slurm(fabric(**POD)).splitlines()[5:] == [
        "SwitchName=a Switches=r1-leaf,r3-leaf",
        "SwitchName=b Switches=r2-leaf,r4-leaf",
        "SwitchName=test-super-spines Switches=a,b",
    ]
    apart = slurm(fabric(design="rail-only", spines=None))
    assert "Switches=" not in apart


def test_kubernetes_objects_of_two_ports_are_refused() -> None:
    with pytest.raises(InputError) as raised:
        cluster(Order(example("dual-tor"), nodes=2))
    assert "fabric.nic_ports: NICs with two fabric ports" in str(raised.value.findings[0])


def test_two_leaves_of_a_rail_change_in_two_waves() -> None:
    built = example("dual-tor")
    leaves = [wave for wave in waves(built, "rail") if wave[0].startswith("su1")]
    assert leaves == [["su1-rail0-a"], ["su1-rail0-b"], ["su1-rail1-a"], ["su1-rail1-b"]]
    by_unit = [wave for wave in waves(built, "unit") if wave[0].startswith("su1")]
    assert by_unit == [["su1-rail0-a", "su1-rail1-a"], ["su1-rail0-b", "su1-rail1-b"]]
