"""What settings of NICs come to: DCQCN, receive buffers, ages of neighbours, MACs of leaves."""

from __future__ import annotations

from typing import Any

import pytest

from fabric.design.host import HostDesigner
from fabric.design.host_model import HostDesign
from fabric.design.nic import dcqcn_settings, leaf_macs, parameter_set
from fabric.intent.host_model import NicTraits
from fabric.intent.policy import LosslessPolicy
from fabric.intent.resolve import PolicyResolver
from tests.topology.fabrics import document, fabric, intent

SETS = ("connectx", "hpcc-dcqcn", "hpcc-dcqcn-paper", "rocefab")


def design(hosts: str = "", devices: str = "", **changes: Any) -> HostDesign:
    """Return the first host of a small fabric."""
    built = fabric(devices, hosts, **changes)
    return HostDesigner(built, PolicyResolver(built.intent)).design(0)


@pytest.mark.parametrize("name", SETS)
def test_sets_are_told_with_the_cnps_of_the_fabric(name):
    policy = LosslessPolicy(cnp_dscp=46, cnp_traffic_class=5)
    nic = NicTraits(dcqcn_set=name)
    results = {one.name: one.value for one in dcqcn_settings(nic, policy, 400, "sysfs")}
    assert results["roce_np/cnp_dscp"] == 46
    assert results["roce_np/cnp_802p_prio"] == 5
    expected = parameter_set(name, 400).reaction_point.timer_us
    assert results["roce_rp/rpg_time_reset"] == expected
    flash = {one.name: one.value for one in dcqcn_settings(nic, policy, 400, "mlxconfig")}
    assert list(flash.values()) == list(results.values())


@pytest.mark.parametrize(
    "nic",
    [NicTraits(), NicTraits(vendor="broadcom", driver="bnxt", dcqcn_set="connectx")],
    ids=["no set", "no place"],
)
def test_nothing_is_told_where_nothing_is_asked_or_taken(nic):
    assert dcqcn_settings(nic, LosslessPolicy(), 400, "sysfs") == ()


def test_a_set_that_does_not_fit_is_refused_and_left_out_of_the_design():
    with pytest.raises(ValueError, match="rpg_byte_reset"):
        dcqcn_settings(NicTraits(dcqcn_set="paper"), LosslessPolicy(), 400, "sysfs")
    host = design(host__nic={"dcqcn_set": "paper"})
    assert [nic.dcqcn for nic in host.nics] == [(), ()]


@pytest.mark.parametrize(
    ("driver", "name"), [("mlx5-ofed", "roce_rp/rpg_gd"), ("mlx5", "rp_gd"), ("bnxt", "")]
)
def test_names_are_those_of_the_driver(driver, name):
    host = design(host__nic={"driver": driver, "dcqcn_set": "connectx"})
    assert ([one.name for one in host.nics[0].dcqcn if one.name == name] != []) is bool(name)


def test_receive_buffers_give_the_lossless_priority_one_of_its_own():
    sizes = {"lossy_bytes": 65536, "lossless_bytes": 163840}
    nic = design(host__nic={"receive_buffers": sizes}, lossless={"pfc_priority": 4}).nics[0]
    assert nic.receive_buffer_bytes == (65536, 163840, 0, 0, 0, 0, 0, 0)
    assert nic.priority_to_receive_buffer == (0, 0, 0, 0, 1, 0, 0, 0)
    assert design().nics[0].receive_buffer_bytes == ()


@pytest.mark.parametrize(
    ("timeout_s", "reachable_ms", "stale_s"),
    [(60, 20_000, 15), (89, 29_000, 22), (90, 30_000, 22), (240, 30_000, 60), (14_400, 30_000, 60)],
)
def test_hosts_forget_before_their_leaf(timeout_s, reachable_ms, stale_s):
    host = design(arp={"timeout_s": timeout_s})
    assert (host.base_reachable_time_ms, host.gc_stale_time_s) == (reachable_ms, stale_s)
    assert 1.5 * reachable_ms / 1000 + stale_s < timeout_s


DEVICES = """\
devices:
  - {names: "su1-rail[0-1]", lossless: {pfc: true}}
  - {names: su1-rail0, mac: "02:00:00:00:00:01"}
  - {names: su1-rail0, mac: "02:00:00:00:00:02"}
"""


def test_the_last_word_on_the_mac_of_a_leaf_counts():
    assert leaf_macs(intent(document(), DEVICES)) == {"su1-rail0": "02:00:00:00:00:02"}
    assert [nic.gateway_mac for nic in design(devices=DEVICES).nics] == ["02:00:00:00:00:02", ""]


@pytest.mark.parametrize(
    ("layer", "words"),
    [("roce", ""), ("infiniband", "credits"), ("iwarp", "TCP"), ("ethernet", "no RDMA path")],
)
def test_other_link_layers_have_a_reason(layer, words):
    reason = design(host__nic={"link_layer": layer}).no_lossless
    assert words in reason
    assert bool(reason) is bool(words)


@pytest.mark.parametrize("name", [None, "connectx"])
def test_the_rate_after_the_first_cnp(name):
    nic = NicTraits(dcqcn_set=name, first_cnp_rate_mbps=100_000)
    results = {one.name: one.value for one in dcqcn_settings(nic, LosslessPolicy(), 400, "sysfs")}
    assert results.pop("roce_rp/rate_to_set_on_first_cnp") == 100_000
    assert bool(results) == (name is not None)
