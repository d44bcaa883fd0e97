"""The host stand-in: mlnx_qos, netplan, units and the RDMA tools."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from fabric.lab.faults import Fault
from fabric.systems.host.lab import HostStandIn
from tests.lab.conftest import execute
from tests.reference import reference

if TYPE_CHECKING:
    from collections.abc import Callable

    from fabric.lab.lab import Lab

NETPLAN = """network:
  version: 2
  ethernets:
    rail0:
      mtu: 9000
      link-local: []
      addresses: [10.101.1.11/24]
      routes:
        - {to: 10.0.0.0/8, via: 10.101.1.1, table: 100}
      routing-policy:
        - {from: 10.101.1.11, table: 100, priority: 100}
    rail1:
      mtu: 9000
      addresses: [10.102.1.11/24]
"""
UNIT = """[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/bin/sh /usr/local/sbin/roce-qos %I
[Install]
WantedBy=multi-user.target
"""
SCRIPT = """#!/bin/sh
set -eu
mlnx_qos -i "$1" --trust dscp --pfc 0,0,0,1,0,0,0,0 >/dev/null
"""


MESSAGES = [
    ("", 1, "Interface name is required"),
    ("-i rail0 extra", 1, "Bad arguments"),
    ("-i rail0 --nope", 2, "no such option: --nope"),
    ("-i rail0 -f 0,0,1", 1, "pfc list must have 8 items"),
    ("-i rail0 -f 0,2,0,0,0,0,0,0", 1, "Bad value for PFC: 2 is not in the range 0..1"),
    ("-i rail0 -s a,a,a,a,a,a,a,a", 1, "Bad TSA value"),
    ("-i rail0 -t 10,0,0,0,0,0,0,0", 1, "ETS BW for a strict/vendor TC must be 0"),
    ("-i rail0 -d maybe", 1, "Invalid dcbx mode command"),
    ("-i rail0 --trust tos", 1, "Invalid trust state command"),
    ("-i rail0 --trust dscp --dscp2prio set,1,1", 1, "cannot be used at the same time"),
    ("-i rail0 -r 1,2,3", 1, "ratelimit must have 8 items"),
    ("-i rail0 -r 400,0,0,0,0,0,0,0", 0, "Rate limit is not supported on your system!"),
    ("-i rail0 -s ets,ets,ets,ets,ets,ets,ets,ets -t 50,0,0,0,0,0,0,0", 1, "[Errno 22]"),
]


@pytest.mark.parametrize(("words", "code", "message"), MESSAGES)
def test_mlnx_qos_messages(host: HostStandIn, words: str, code: int, message: str) -> None:
    answer = host.run_detached(f"mlnx_qos {words}")
    assert answer[0] == code
    assert message in answer[1]


def test_dscp_out_of_range_ends_without_a_word(host: HostStandIn) -> None:
    assert host.run_detached("mlnx_qos -i rail0 --dscp2prio set,64,1") == (1, "")


def test_another_pfc_mask_takes_the_link_down(host: HostStandIn) -> None:
    for _ in range(2):
        assert host.run_detached("mlnx_qos -i rail0 -f 0,0,0,1,0,0,0,0")[0] == 0
    assert host.link_flaps("rail0") == 1
    assert host.run_detached("mlnx_qos -i rail0 -P 3") == (0, "1\n")
    assert host.run_detached("mlnx_qos -i rail0 -F x,x,x,0,x,x,x,x") == (0, "")
    assert host.link_flaps("rail0") == 2


def test_trust_keeps_own_mappings_when_it_is_set_already(host: HostStandIn) -> None:
    host.run_detached("mlnx_qos -i rail0 --dscp2prio set,26,3 --dscp2prio set,48,6")
    text = host.run_detached("mlnx_qos -i rail0 --trust dscp")[1]
    assert "\tprio:3 dscp:26,\n\tprio:6 dscp:48,\n" in text
    host.run_detached("mlnx_qos -i rail0 --trust pcp")
    assert "Priority trust state: pcp" in host.run_detached("mlnx_qos -i rail0")[1]


def _reference(name: str) -> str:
    return reference("fixtures", "host", name).read_text()


def _without_buffers(text: str) -> list[str]:
    return [line for line in text.splitlines() if "uffer" not in line]


def test_layout_of_mlnx_qos(host: HostStandIn) -> None:
    shown = host.run_detached("mlnx_qos -i rail0")[1]
    assert _without_buffers(shown) == _without_buffers(
        _reference("mlnx_qos.simulated.default-pcp.txt")
    )
    host.run_detached(
        "mlnx_qos -i rail0 --trust dscp --cable_len 30 -f 0,0,0,1,0,0,0,0 -p 0,1,2,3,4,5,6,7 "
        "-s ets,ets,ets,ets,ets,ets,strict,strict -t 10,0,0,90,0,0,0,0 -r 0,0,0,0,0,0,10,0"
    )
    shown = host.run_detached("mlnx_qos -i rail0")[1]
    assert _without_buffers(shown) == _without_buffers(
        _reference("mlnx_qos.simulated.roce-prio3.txt")
    )


def test_layout_of_show_gids(host: HostStandIn) -> None:
    wanted = _reference("show_gids.tabs.single.txt").splitlines()
    host.run_detached("ip addr add 192.168.211.242/24 dev rail0")
    shown = host.run_detached("show_gids mlx5_0")[1].splitlines()
    assert [line.count("\t") for line in shown] == [line.count("\t") for line in wanted]


def test_netplan_sets_addresses_routes_and_rules(host: HostStandIn) -> None:
    host.fs.put("/etc/netplan/90-rocefab.yaml", NETPLAN)
    assert host.run_detached("netplan apply")[0] == 0
    link = json.loads(host.run_detached("ip -j addr show dev rail0")[1])[0]
    assert link["mtu"] == 9000
    assert [info["local"] for info in link["addr_info"]] == ["10.101.1.11"]
    routes = json.loads(host.run_detached("ip -j route show table 100")[1])
    assert routes[0]["gateway"] == "10.101.1.1"
    rules = json.loads(host.run_detached("ip -j rule show")[1])
    assert {"priority": 100, "src": "10.101.1.11", "table": "100"} in rules
    gids = host.run_detached("show_gids mlx5_0")[1]
    assert "mlx5_0\t1\t3\t0000:0000:0000:0000:0000:ffff:0a65:010b\t10.101.1.11  \tv2\trail0" in gids


@pytest.mark.parametrize(
    "text", ["network: {version: 2, ethernet: {}}", "a: [", NETPLAN.replace("mtu", "mtus")]
)
def test_netplan_refuses_what_it_does_not_know(host: HostStandIn, text: str) -> None:
    host.fs.put("/etc/netplan/90-rocefab.yaml", text)
    assert host.run_detached("netplan generate")[0] == 78


def test_netplan_accepts_a_part(host: HostStandIn) -> None:
    host.fs.put("/etc/netplan/90-rocefab.yaml", NETPLAN)
    host.faults.add(Fault("accept_part", pattern="netplan", count=1))
    host.run_detached("netplan apply")
    assert [link.mtu for link in host.network.state.links.values()] == [9000, 1500]


def test_ip_says_what_the_kernel_says(host: HostStandIn) -> None:
    add = "ip rule add from 10.0.0.1/32 table 101 priority 101"
    assert host.run_detached(add)[0] == 0
    assert host.run_detached(add) == (2, "RTNETLINK answers: File exists\n")
    assert host.run_detached("ip route add 10.0.0.0/8 via 10.1.1.1 dev eth9")[0] == 1
    assert host.run_detached("ip neigh replace 10.0.0.2 lladdr 52:54:00:00:00:09 dev rail0")[0] == 0
    assert "PERMANENT" in host.run_detached("ip neigh")[1]


def test_enabled_unit_restores_the_nic_after_a_restart(host: HostStandIn) -> None:
    host.fs.put("/etc/systemd/system/roce-qos@.service", UNIT)
    host.fs.put("/usr/local/sbin/roce-qos", SCRIPT)
    assert host.run_detached("systemctl start roce-qos@rail0.service")[0] == 0
    assert host.qos["rail0"].trust == "dscp"
    host.on_reboot()
    assert host.qos["rail0"].trust == "pcp"
    assert host.run_detached("systemctl enable roce-qos@rail0.service")[0] == 0
    host.on_reboot()
    assert host.qos["rail0"].trust == "dscp"
    assert host.run_detached("systemctl is-active roce-qos@rail0")[1] == "active\n"


def test_failing_and_unknown_units(host: HostStandIn) -> None:
    assert host.run_detached("systemctl start nope")[0] == 5
    host.fs.put("/etc/systemd/system/roce-qos@.service", UNIT)
    host.fs.put("/usr/local/sbin/roce-qos", "exit 7\n")
    assert host.run_detached("systemctl start roce-qos@rail0")[0] == 1
    assert host.run_detached("systemctl is-active roce-qos@rail0") == (3, "failed\n")


def test_files_of_the_driver(host: HostStandIn) -> None:
    tclass = "/sys/class/infiniband/mlx5_0/tc/1/traffic_class"
    assert host.run_detached(f"echo 106 > {tclass}; cat {tclass}") == (0, "Global tclass=106\n")
    assert host.run_detached(f"echo -1 > {tclass}; cat {tclass}") == (0, "")
    dscp = "/sys/class/net/rail0/ecn/roce_np/cnp_dscp"
    assert host.run_detached(f"echo 40 > {dscp}; cat {dscp}") == (0, "40\n")
    assert host.run_detached(f"echo 64 > {dscp}")[0] == 1
    assert host.fs.read(dscp) == "40\n"


def test_rdma_cm_needs_its_module(host: HostStandIn) -> None:
    assert host.run_detached("cma_roce_tos -d mlx5_0 -t 106")[0] == 1
    host.run_detached("modprobe rdma_cm")
    assert host.run_detached("cma_roce_tos -d mlx5_0 -t 106") == (0, "106\n")
    assert host.run_detached("cma_roce_mode -d mlx5_0 -p 1 -m 2") == (0, "RoCE v2\n")


def test_sysctl(host: HostStandIn) -> None:
    host.fs.put("/etc/sysctl.d/90.conf", "# c\nnet.ipv4.conf.rail0.arp_ignore = 1\nnet.nope = 1\n")
    code, text = host.run_detached("sysctl -p /etc/sysctl.d/90.conf")
    assert code == 1
    assert "cannot stat /proc/sys/net/nope" in text
    assert host.run_detached("sysctl -n net.ipv4.conf.rail0.arp_ignore") == (0, "1\n")
    assert host.run_detached("sysctl -w net.ipv4.neigh.Vlan101.gc_stale_time=1")[0] == 1
    assert host.run_detached("sysctl -e -w net.ipv4.neigh.Vlan101.gc_stale_time=1") == (0, "")


def test_lldp_and_identity_over_ssh(lab: Lab, connect: Callable[[Any], Any]) -> None:
    client = connect(lab["gpu01"])
    heard = json.loads(execute(client, "sudo lldpcli show neighbors -f json")[0])
    assert "leaf01" in heard["lldp"]["interface"]["rail0"]["chassis"]
    assert execute(client, "sudo dmidecode -s system-serial-number")[0] == "SER1\n"
    assert execute(client, "mlnx_qos -i rail0 --trust dscp")[2] == 1
    lab["gpu01"].unplugged.add("rail0")
    assert "(Down)" in execute(client, "ibdev2netdev")[0]
